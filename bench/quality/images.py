# SPDX-License-Identifier: BSD-2-Clause
"""Test images: photographs with boundaries drawn by people, and composites of textures with known
boundaries."""
import pathlib

import cv2
import numpy as np

TEXTURES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "photos"
SIDE = 240
FINER = 4  # the grid on which shapes are drawn


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
    """How much of each pixel an ellipse or a polygon, anywhere, covers: 0 to 1."""
    mask = np.zeros((FINER * SIDE, FINER * SIDE), np.uint8)
    centre = source.uniform(0.2, 0.8, 2) * FINER * SIDE
    size = source.uniform(0.15, 0.4) * FINER * SIDE
    if source.random() < 0.4:
        axes = size, size * source.uniform(0.5, 1)
        cv2.ellipse(mask, (tuple(centre), tuple(axes), source.uniform(0, 180)), 255, -1)
    else:
        corners = source.integers(3, 7)
        angles = np.sort(source.uniform(0, 2 * np.pi, corners))
        radii = size * source.uniform(0.6, 1, corners)
        points = centre + np.stack([np.cos(angles), np.sin(angles)], 1) * radii[:, None]
        cv2.fillPoly(mask, [points.round().astype(np.int32)], 255)
    return cv2.resize(mask, (SIDE, SIDE), interpolation=cv2.INTER_AREA) / 255


def composite(number):
    """Flat shapes, the same with textures in them, and where their rims are: RGB, 8 bits. A pixel at a
    rim is a mixture of both sides, as in a photograph. The colours of neighbours may be as near as the
    texture is strong: no threshold on edges tells both apart."""
    source = np.random.default_rng(1000 + number)
    flat, rough = (np.zeros((SIDE, SIDE, 3)) for _ in range(2))
    rim = np.zeros((SIDE, SIDE), bool)
    patterns = textures()
    for cover in [np.ones((SIDE, SIDE))] + [shape(source) for _ in range(source.integers(3, 7))]:
        colour = source.uniform(80, 175, 3)
        pattern = patterns[source.integers(len(patterns))]
        top, left = source.integers(0, np.array(pattern.shape) - SIDE + 1)
        grain = pattern[top:top + SIDE, left:left + SIDE] * source.uniform(10, 25)
        # What is seen of the texture has the colour as its mean, so that the flat shape can be found.
        grain -= (grain * cover).sum() / cover.sum()
        share = cover[:, :, None]
        flat += share * (colour - flat)
        rough += share * (colour + grain[:, :, None] - rough)
        rim |= (cover > 0) & (cover < 1)
    return *(np.clip(image.round(), 0, 255).astype(np.uint8) for image in (flat, rough)), rim
