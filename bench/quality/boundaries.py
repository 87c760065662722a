# SPDX-License-Identifier: BSD-2-Clause
"""A simple boundary detector: ridges of the Lab gradient. The detector is the same for every filter,
so differences are due to the filter."""
import cv2
import numpy as np

# Of the Gaussian whose derivatives are the gradient, in pixels: little, so that what is found is the
# filter's doing. What a wider one gains, the filter "Gaussian" shows.
SIGMA = 1.5


def lab(image):
    """Floats: L from 0 to 100."""
    return cv2.cvtColor(np.float32(image) / 255, cv2.COLOR_RGB2LAB)


def gradient(image):
    """Of an RGB image, in Lab for a pixel: how strong, and along which direction (x, y). Of the
    three channels the direction is that of the strongest change of all (Di Zenzo's)."""
    channels = cv2.GaussianBlur(lab(image), (0, 0), SIGMA, borderType=cv2.BORDER_REFLECT)
    dx = cv2.Sobel(channels, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8, borderType=cv2.BORDER_REFLECT)
    dy = cv2.Sobel(channels, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8, borderType=cv2.BORDER_REFLECT)
    xx, yy, xy = ((a * b).sum(axis=2) for a, b in ((dx, dx), (dy, dy), (dx, dy)))
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    strongest = 0.5 * (xx + yy + np.sqrt((xx - yy) ** 2 + 4 * xy ** 2))
    return np.sqrt(strongest), np.cos(angle), np.sin(angle)


def ridges(image):
    """The strength of the gradient where it is largest across its direction, else 0: lines one
    pixel wide."""
    strength, along_x, along_y = gradient(image)
    height, width = strength.shape
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)

    def beside(sign):
        return cv2.remap(strength, columns + sign * along_x.astype(np.float32),
                         rows + sign * along_y.astype(np.float32), cv2.INTER_LINEAR,
                         borderMode=cv2.BORDER_REPLICATE)
    keep = (strength >= beside(1)) & (strength > beside(-1))
    return np.where(keep, strength, 0).astype(np.float32)
