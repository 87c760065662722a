# SPDX-License-Identifier: BSD-2-Clause
"""Pairs of images with a known affine map, from a folder or made of photographs.

A pair is NAME_a.png, NAME_b.png and NAME.txt: six numbers, the rows of the 2x3 matrix that maps a
position (x, y) in a to its position in b. What stands before the first - of NAME is the modality.
"""
import hashlib
import pathlib

import cv2
import numpy as np
import PIL.Image

PHOTOS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "photos"
# Larger photographs are scaled down.
MAX_SIDE = 512
LOOKS = 4  # of the speckle
LEVELS = 6  # of the map
ENDINGS = ("_a.png", "_b.png", ".txt")


class PairError(Exception):
    """A pair that cannot be used; the message names the file."""


def grey(path):
    """An 8-bit image, as grey. Read with Pillow, because OpenCV prints messages of its own."""
    try:
        with PIL.Image.open(path) as image:
            if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA"):
                raise PairError(f"{path}: must have 8 bits, not Pillow's mode {image.mode}")
            return np.array(image.convert("L"))
    except (OSError, SyntaxError) as error:
        raise PairError(f"{path}: {error}") from None


class Pair:
    def __init__(self, folder, name):
        self.folder, self.name = pathlib.Path(folder), name

    @property
    def modality(self):
        return self.name.split("-")[0]

    def path(self, ending):
        return self.folder / (self.name + ending)

    def digest(self):
        """Changes with the files."""
        found = hashlib.sha256()
        for ending in ENDINGS:
            found.update(hashlib.sha256(self.path(ending).read_bytes()).digest())
        return found.hexdigest()[:16]

    def image(self, which):
        return grey(self.path(f"_{which}.png"))

    def matrix(self):
        path = self.path(".txt")
        try:
            values = np.array(path.read_text().split(), float)
        except ValueError as error:
            raise PairError(f"{path}: {error}") from None
        if values.size != 6 or not np.isfinite(values).all():
            raise PairError(f"{path}: must hold the 6 numbers of a 2x3 matrix")
        matrix = values.reshape(2, 3)
        if abs(np.linalg.det(matrix[:, :2])) < 1e-6:
            raise PairError(f"{path}: the matrix has no inverse")
        return matrix


def found(folder):
    """The pairs of a folder, by name. PairError if a file of a pair is missing."""
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise PairError(f"{folder}: not a folder")
    names = sorted({path.name[:-6] for which in "ab" for path in folder.glob(f"*_{which}.png")})
    if not names:
        raise PairError(f"{folder}: no images NAME_a.png and NAME_b.png")
    for name in names:
        for ending in ENDINGS:
            if not (folder / (name + ending)).is_file():
                raise PairError(f"{folder / (name + ending)}: missing")
    return [Pair(folder, name) for name in names]


# Modalities: how another sensor might see the same scene. Values are 0 to 1.

def gamma(values, random):
    return values ** random.uniform(0.35, 0.55)


def negative(values, random):
    return 1 - values


def folded(values, random):
    """Neither rising nor falling: dark and bright look alike."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * (values + random.uniform(0, 0.3)))


def speckle(values, random):
    return np.clip(values * random.gamma(LOOKS, 1 / LOOKS, values.shape), 0, 1)


def drawn(values, random):
    """Flat areas with arbitrary values, as on a map."""
    smooth = cv2.bilateralFilter(np.float32(values), -1, 0.1, 4)
    levels = np.minimum(np.floor(smooth * LEVELS), LEVELS - 1).astype(int)
    return random.permutation(LEVELS)[levels] / (LEVELS - 1)


def speckled_gamma(values, random):
    return speckle(gamma(values, random), random)


MODALITIES = {"gamma": gamma, "negative": negative, "folded": folded, "speckle": speckle,
              "map": drawn, "sar": speckled_gamma}


def _photographs():
    for path in sorted([*PHOTOS.glob("*.png"), *PHOTOS.glob("*.jpg")]):
        image = grey(path)
        scale = min(1, MAX_SIDE / max(image.shape))
        yield path.stem, cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def _affine(shape, random):
    """A small rotation, scale and shear about the middle, and a shift."""
    angle, scale = np.deg2rad(random.uniform(-15, 15)), random.uniform(0.9, 1.1)
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    linear = turn @ np.array([[1, random.uniform(-0.05, 0.05)], [0, 1]])
    middle = np.array(shape[::-1]) / 2
    return np.column_stack([linear, middle - linear @ middle + random.uniform(-20, 20, 2)])


def make(folder, count=None):
    """Writes a pair of each modality for each photograph, or for the first `count`."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, (photo, image) in enumerate(list(_photographs())[:count]):
        for which, (modality, change) in enumerate(MODALITIES.items()):
            random = np.random.default_rng([number, which])
            matrix = _affine(image.shape, random)
            moved = cv2.warpAffine(image, matrix, image.shape[::-1], flags=cv2.INTER_CUBIC,
                                   borderMode=cv2.BORDER_REFLECT)
            changed = np.round(255 * change(moved / 255, random)).astype(np.uint8)
            name = folder / f"{modality}-{photo}"
            cv2.imwrite(f"{name}_a.png", image)
            cv2.imwrite(f"{name}_b.png", changed)
            np.savetxt(f"{name}.txt", matrix)
