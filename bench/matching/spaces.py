# SPDX-License-Identifier: BSD-2-Clause
"""The compared scale spaces: each gives the layers of an 8-bit grey image."""
import os
import pathlib
import sys

import cv2

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402

# As in the publications that match images with the Co-occurrence Filter.
SIGMAS = tuple(1.6 * 2 ** (i / 3) for i in range(4))


def window(sigma):
    """Odd, and wide enough for three standard deviations."""
    return 2 * int(3 * sigma + 0.5) + 1


def unfiltered(image):
    return [image]


def gaussian(image):
    return [cv2.GaussianBlur(image, (window(sigma),) * 2, sigma) for sigma in SIGMAS]


def bilateral(image, values):
    return [cv2.bilateralFilter(image, window(sigma), values, sigma) for sigma in SIGMAS]


def co_occurrence(image, **options):
    """Learned from the image that is filtered. Each layer filters the image, as the others do."""
    return [cof.smooth(image, window=window(sigma), sigma=sigma, threads=1, **options)
            for sigma in SIGMAS]


SPACES = {
    "unfiltered": unfiltered,
    "Gaussian": gaussian,
    "bilateral, 15": lambda image: bilateral(image, 15),
    "bilateral, 30": lambda image: bilateral(image, 30),
    "bilateral, 60": lambda image: bilateral(image, 60),
    "co-occurrence": co_occurrence,
    "co-occurrence, 3 passes": lambda image: co_occurrence(image, iterations=3),
}
