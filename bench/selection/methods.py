# SPDX-License-Identifier: BSD-2-Clause
"""Ways to make a mask of strokes: libcof, and others that people use."""
import os
import pathlib
import sys

import cv2
import numpy as np
import skimage.color
import skimage.segmentation

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402

GRABCUT_ROUNDS = 5


def select(image, foreground, background):
    return cof.select(image, foreground, background, threads=1)


def select_alone(image, foreground, _):
    return cof.select(image, foreground, threads=1)


def grabcut(image, foreground, background):
    marks = np.full(image.shape[:2], cv2.GC_PR_BGD, np.uint8)
    marks[background] = cv2.GC_BGD
    marks[foreground] = cv2.GC_FGD
    models = np.zeros((1, 65)), np.zeros((1, 65))
    colours = image if image.ndim == 3 else np.dstack([image] * 3)
    cv2.setRNGSeed(0)
    cv2.grabCut(np.ascontiguousarray(colours[:, :, ::-1]), marks, None, *models, GRABCUT_ROUNDS,
                cv2.GC_INIT_WITH_MASK)
    return (marks == cv2.GC_FGD) | (marks == cv2.GC_PR_FGD)


def _markers(foreground, background):
    markers = np.zeros(foreground.shape, np.int32)
    markers[background] = 2
    markers[foreground] = 1
    return markers


def random_walker(image, foreground, background):
    """Grady (2006), of scikit-image."""
    options = {"channel_axis": -1} if image.ndim == 3 else {}
    labels = skimage.segmentation.random_walker(image, _markers(foreground, background),
                                                mode="cg_j", tol=1e-4, **options)
    return labels == 1


def watershed(image, foreground, background):
    lab = skimage.color.rgb2lab(image) if image.ndim == 3 else image[:, :, None].astype(float)
    blurred = cv2.GaussianBlur(lab.astype(np.float32), (0, 0), 1.0)
    blurred = blurred.reshape(image.shape[0], image.shape[1], -1)
    gradient = sum(cv2.Sobel(blurred[:, :, band], cv2.CV_32F, 1, 0) ** 2 +
                   cv2.Sobel(blurred[:, :, band], cv2.CV_32F, 0, 1) ** 2
                   for band in range(blurred.shape[2]))
    return skimage.segmentation.watershed(np.sqrt(gradient), _markers(foreground, background)) == 1


class Redrawn:
    """A user who corrects, with a method that computes each mask from all strokes."""

    def __init__(self, select, image, foreground, background):
        self.select, self.image = select, image
        self.foreground, self.background = foreground, background

    def mask(self):
        return self.select(self.image, self.foreground, self.background)

    def corrected(self, stroke, inside):
        self.foreground = self.foreground | stroke if inside else self.foreground & ~stroke
        self.background = self.background & ~stroke if inside else self.background | stroke
        return self.mask()


class Corrected:
    """A user who corrects, with a method that changes the last mask."""

    def __init__(self, _, image, foreground, background):
        self.selector = cof.Selector(image, threads=1)
        self.selector.add(foreground)
        self.selector.add(background, mark="background")

    def mask(self):
        return self.selector.mask(threads=1)

    def corrected(self, stroke, inside):
        self.selector.add(stroke, mark="foreground" if inside else "background")
        return self.selector.corrected(threads=1)


def user(method):
    """How somebody corrects the masks of a method."""
    return Corrected if method == "cof select" else Redrawn


METHODS = {"cof select": select, "cof select, object only": select_alone, "GrabCut": grabcut,
           "random walker": random_walker, "watershed": watershed}
