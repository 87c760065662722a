# SPDX-License-Identifier: BSD-2-Clause
"""Test images: photographs with boundaries drawn by people, and composites of textures with known
boundaries."""
import pathlib

import cv2
import numpy as np

TEXTURES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "photos"
SIDE = 240


def photographs(folder):
    """The names of a folder with NAME.jpg and NAME.b1.png, NAME.b2.png ..."""
    names = sorted(path.stem for path in pathlib.Path(folder).glob("*.jpg"))
    found = [name for name in names if people_of(folder, name)]
    if len(found) < 2:
        raise SystemExit(f"{folder}: two photographs with boundaries are needed at least: NAME.jpg, "
                         "NAME.b1.png ...")
    return found


def people_of(folder, name):
    return sorted(pathlib.Path(folder).glob(f"{name}.b*.png"))


def photograph(folder, name):
    """The image, and a mask of each person's boundaries."""
    image = cv2.imread(str(pathlib.Path(folder) / f"{name}.jpg"))
    people = [cv2.imread(str(path), cv2.IMREAD_GRAYSCALE) for path in people_of(folder, name)]
    if image is None or any(person is None for person in people):
        raise SystemExit(f"{folder}/{name}: cannot be read")
    return image[:, :, ::-1], [person > 127 for person in people]


def textures():
    """Grey values around 0, with a standard deviation of 1."""
    found = []
    for name in ("brick", "grass", "gravel"):
        grey = cv2.imread(str(TEXTURES / f"{name}.png"), cv2.IMREAD_GRAYSCALE).astype(float)
        found.append((grey - cv2.GaussianBlur(grey, (0, 0), 40)) / grey.std())
    return found


def shape(source):
    """A mask: an ellipse or a polygon, anywhere."""
    mask = np.zeros((SIDE, SIDE), np.uint8)
    centre = source.uniform(0.2, 0.8, 2) * SIDE
    size = source.uniform(0.15, 0.4) * SIDE
    if source.random() < 0.4:
        axes = size, size * source.uniform(0.5, 1)
        cv2.ellipse(mask, (tuple(centre), tuple(axes), source.uniform(0, 180)), 1, -1)
        return mask > 0
    corners = source.integers(3, 7)
    angles = np.sort(source.uniform(0, 2 * np.pi, corners))
    radii = size * source.uniform(0.6, 1, corners)
    points = centre + np.stack([np.cos(angles), np.sin(angles)], 1) * radii[:, None]
    cv2.fillPoly(mask, [points.round().astype(np.int32)], 1)
    return mask > 0


def composite(number):
    """Flat shapes, and the same with textures in them: RGB, 8 bits. The colours of neighbours may be
    as near as the texture is strong: no threshold on edges tells both apart."""
    source = np.random.default_rng(1000 + number)
    flat = np.zeros((SIDE, SIDE, 3))
    rough = np.zeros((SIDE, SIDE, 3))
    patterns = textures()
    for mask in [np.ones((SIDE, SIDE), bool)] + [shape(source) for _ in range(source.integers(3, 7))]:
        colour = source.uniform(80, 175, 3)
        pattern = patterns[source.integers(len(patterns))]
        top, left = source.integers(0, np.array(pattern.shape) - SIDE + 1)
        grain = pattern[top:top + SIDE, left:left + SIDE, None] * source.uniform(10, 25)
        flat[mask] = colour
        rough[mask] = (colour + grain)[mask]
        # What is seen of the texture has the colour as its mean, so that the flat shape can be found.
        rough[mask] += colour - rough[mask].mean(axis=0)
    return tuple(np.clip(image.round(), 0, 255).astype(np.uint8) for image in (flat, rough))
