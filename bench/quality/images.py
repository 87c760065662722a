# SPDX-License-Identifier: BSD-2-Clause
"""Test images: photographs with boundaries drawn by people, and textured shapes and drawings, whose
truth is known."""
import functools
import pathlib

import cv2
import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data"
TEXTURES = ("brick", "grass", "gravel")
SIDE = 240
FINER = 4  # the grid on which shapes are drawn
SCENES = 24
FIRST_SEED = 1000
CONTRAST = 16  # the standard deviation of the texture on a drawing: 24 dB


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


def texture(name):
    """Grey values."""
    return cv2.imread(str(DATA / "photos" / f"{name}.png"), cv2.IMREAD_GRAYSCALE).astype(float)


@functools.lru_cache
def levelled(name):
    """A texture without its large areas: values around 0, with a standard deviation of about 1."""
    grey = texture(name)
    return (grey - cv2.GaussianBlur(grey, (0, 0), 40)) / grey.std()


def crop(source):
    grain = levelled(source.choice(TEXTURES))
    top, left = source.integers(0, np.array(grain.shape) - SIDE)
    return grain[top:top + SIDE, left:left + SIDE]


def colour(source):
    """RGB, 0 to 1, with L from 25 to 85."""
    values = [source.uniform(25, 85), source.uniform(-45, 45), source.uniform(-45, 45)]
    return cv2.cvtColor(np.float32([[values]]), cv2.COLOR_LAB2RGB)[0, 0]


def shape(source):
    """How much of each pixel an ellipse or a polygon, anywhere, covers: 0 to 1."""
    mask = np.zeros((FINER * SIDE, FINER * SIDE), np.uint8)
    centre = source.uniform(0.2, 0.8, 2) * FINER * SIDE
    radius = source.uniform(0.12, 0.3) * FINER * SIDE
    if source.random() < 0.5:
        axes = 2 * radius, 2 * radius * source.uniform(0.5, 1)
        cv2.ellipse(mask, (tuple(centre), axes, source.uniform(0, 180)), 255, -1)
    else:
        angles = np.sort(source.uniform(0, 2 * np.pi, source.integers(3, 7)))
        corners = centre + radius * np.stack([np.cos(angles), np.sin(angles)], 1)
        cv2.fillPoly(mask, [corners.astype(np.int32)], 255)
    return cv2.resize(mask, (SIDE, SIDE), interpolation=cv2.INTER_AREA) / 255


def scene(number):
    """Flat shapes, the same with textures in them, and where their rims are: RGB, 8 bits. A pixel at a
    rim is a mixture of both sides, as in a photograph. The colours of neighbours may be as near as the
    texture is strong: no threshold on edges tells both apart."""
    source = np.random.default_rng(FIRST_SEED + number)
    flat = np.zeros((SIDE, SIDE, 3)) + colour(source)
    strength, grain = source.uniform(0.04, 0.12), crop(source)
    rim = np.zeros((SIDE, SIDE), bool)
    for _ in range(4):
        share = shape(source)
        flat += share[:, :, None] * (colour(source) - flat)
        grain = grain + share * (crop(source) - grain)
        strength = strength + share * (source.uniform(0.04, 0.12) - strength)
        rim |= (share > 0) & (share < 1)
    rough = flat + (strength * grain)[:, :, None]
    return *(np.uint8(np.clip(np.rint(255 * image), 0, 255)) for image in (flat, rough)), rim


def drawings():
    return sorted(path.stem for path in (DATA / "clipart").glob("*.png"))


def drawing(name):
    """A drawing, and the same with a grey texture, less its mean, added to it: RGB, 8 bits."""
    image = cv2.imread(str(DATA / "clipart" / f"{name}.png"))[:, :, ::-1]
    height, width = image.shape[:2]
    number = drawings().index(name)
    grain = cv2.resize(texture(TEXTURES[number % len(TEXTURES)]), None, fx=0.5, fy=0.5,
                       interpolation=cv2.INTER_AREA)
    grain = np.tile(grain, (-(-height // len(grain)), -(-width // len(grain[0]))))[:height, :width]
    grain = CONTRAST * (grain - grain.mean()) / grain.std()
    return image, np.uint8(np.clip(np.rint(image + grain[:, :, None]), 0, 255))
