# SPDX-License-Identifier: BSD-2-Clause
"""Images with the masks of objects: six photographs, and regions that people have outlined."""
import pathlib

import cv2
import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data"

# Of the area of a photograph: the smallest and the largest region that is an object.
REGION = 0.04, 0.4


def _read(path, how=cv2.IMREAD_UNCHANGED):
    image = cv2.imread(str(path), how)
    if image is None:
        raise SystemExit(f"selection: {path}: cannot be read")
    return np.ascontiguousarray(image[:, :, 2::-1]) if image.ndim == 3 else image


def photographs():
    """The names of the photographs with masks."""
    return sorted(path.stem for path in (DATA / "select").glob("*.png"))


def photograph(name):
    """The image, RGB or grey, and the mask of its object."""
    image = _read(next((DATA / "photos").glob(f"{name}.*")))
    mask = _read(DATA / "select" / f"{name}.png", cv2.IMREAD_GRAYSCALE) > 127
    return image, mask


def regions(folder):
    """The names of a folder with NAME.jpg and outlines NAME.b1.png that have a region of the size of
    an object."""
    names = sorted(path.stem for path in pathlib.Path(folder).glob("*.jpg"))
    found = [name for name in names if (pathlib.Path(folder) / f"{name}.b1.png").exists() and
             region(folder, name) is not None]
    if not found:
        raise SystemExit(f"selection: {folder}: no photograph NAME.jpg with outlines NAME.b1.png")
    return found


def region(folder, name):
    """The image, and the largest region between outlines that has the size of an object."""
    folder = pathlib.Path(folder)
    lines = _read(folder / f"{name}.b1.png", cv2.IMREAD_GRAYSCALE) > 127
    _, labels, stats, _ = cv2.connectedComponentsWithStats(np.uint8(~lines), connectivity=4)
    shares = stats[:, cv2.CC_STAT_AREA] / lines.size
    fit = [i for i in range(1, len(shares)) if REGION[0] <= shares[i] <= REGION[1]]
    if not fit:
        return None
    return _read(folder / f"{name}.jpg"), labels == max(fit, key=lambda i: shares[i])
