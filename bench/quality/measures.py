# SPDX-License-Identifier: BSD-2-Clause
"""Measures of a filtered image."""
import cv2
import numpy as np

import boundaries
import filters
import matching
import images

# Of the detector, in Lab for a pixel: an even ladder from almost all to almost none.
THRESHOLDS = np.geomspace(0.2, 12, 50)


# Of red, green and blue in luma (BT.601).
LUMA = np.array([0.299, 0.587, 0.114])

# Of the Gaussian that leaves the colours of large areas, in pixels.
LARGE = 8


def colour_shift(before, after):
    """How far the colours of large areas have moved, in Lab: the median and the 95th percentile."""
    one, other = (cv2.GaussianBlur(boundaries.lab(image), (0, 0), LARGE,
                                   borderType=cv2.BORDER_REFLECT) for image in (before, after))
    moved = np.sqrt(((one - other) ** 2).sum(axis=2))
    return {"shift_median": float(np.median(moved)), "shift_95": float(np.percentile(moved, 95))}


def on_photograph(folder, name, filter_name, setting):
    """Counts for each threshold; the mean gradient on boundaries and inside regions; how far
    colours have moved."""
    image, people = images.photograph(folder, name)
    after = filters.apply(filter_name, setting, image)
    lines = boundaries.ridges(after)
    strength = boundaries.gradient(after)[0]
    reach = matching.REACH * np.hypot(*strength.shape)
    away = cv2.distanceTransform(np.uint8(~np.any(people, axis=0)), cv2.DIST_L2, 5)
    return {"counts": matching.counted(lines, people, THRESHOLDS),
            "on": float(strength[away <= 1].mean()), "inside": float(strength[away > reach].mean()),
            **colour_shift(image, after)}


def similarity(one, other):
    """SSIM of Wang and others (2004) of luma, with its usual Gaussian of 1.5 pixels, where that is
    inside the image."""
    one, other = (image.astype(float) @ LUMA for image in (one, other))

    def blur(values):
        return cv2.GaussianBlur(values, (11, 11), 1.5)[5:-5, 5:-5]
    means = blur(one), blur(other)
    squares = means[0] ** 2, means[1] ** 2
    variances = blur(one ** 2) - squares[0], blur(other ** 2) - squares[1]
    covariance = blur(one * other) - means[0] * means[1]
    light, contrast = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    map_ = ((2 * means[0] * means[1] + light) * (2 * covariance + contrast) /
            ((squares[0] + squares[1] + light) * (variances[0] + variances[1] + contrast)))
    return float(map_.mean())


def psnr(error):
    return float(10 * np.log10(255 ** 2 / max(error.mean(), 1e-9)))


def squared_error(one, other):
    return ((one.astype(float) - other) ** 2).mean(axis=2)


def on_scene(number, filter_name, setting):
    """How near the flat shapes are, without their textures: at their rims, there and one pixel beside,
    at all other pixels, and everywhere. At a rim, both colours are mixed as in the image, or the
    outline has steps."""
    flat, rough, rim = images.scene(number)
    after = filters.apply(filter_name, setting, rough)
    error = squared_error(after, flat)
    near = cv2.dilate(np.uint8(rim), np.ones((3, 3), np.uint8)) > 0
    return {"rim": psnr(error[rim]), "near": psnr(error[near]), "inside": psnr(error[~near]),
            "all": psnr(error), "ssim": similarity(after, flat)}


def on_drawing(name, filter_name, setting):
    """How near the drawing is, without the texture on it."""
    drawing, rough = images.drawing(name)
    after = filters.apply(filter_name, setting, rough)
    return {"psnr": psnr(squared_error(after, drawing)), "ssim": similarity(after, drawing)}
