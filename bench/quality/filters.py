# SPDX-License-Identifier: BSD-2-Clause
"""The compared filters, each with a grid of settings around those that its authors or OpenCV suggest,
wide enough to contain the best setting.

Images are RGB, 8 bits."""
import os
import pathlib
import sys

import cv2
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
import cof._library  # noqa: E402
import peers  # noqa: E402

COF = "Co-occurrence"
NONE = "unfiltered"
PRESETS = cof._library.lib.table["preset"].choices


def bilateral(image, colour, space):
    return cv2.bilateralFilter(image, -1, colour, space)


def guided(image, radius, epsilon):
    return cv2.ximgproc.guidedFilter(image, image, radius, (epsilon * 255) ** 2)


def domain_transform(image, space, colour):
    return cv2.ximgproc.dtFilter(image, image, space, colour)


def l0(image, strength):
    return cv2.ximgproc.l0Smooth(image, None, strength, 2)


def rolling_guidance(image, colour, space):
    return cv2.ximgproc.rollingGuidanceFilter(image, None, -1, colour, space)


def fast_global(image, strength, colour):
    """Weighted least squares, solved by lines."""
    return cv2.ximgproc.fastGlobalSmootherFilter(image, image, strength, colour)


def diffusion(image, edge, rounds):
    return cv2.ximgproc.anisotropicDiffusion(image, 0.1, edge, rounds)


def bilateral_texture(image, radius, rounds):
    return cv2.ximgproc.bilateralTextureFilter(image, None, radius, rounds)


def gaussian(image, sigma):
    return cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)


def co_occurrence(image, **options):
    return cof.smooth(image, threads=1, **options)


def grid(**values):
    """All combinations."""
    settings = [{}]
    for name, choices in values.items():
        settings = [{**setting, name: choice} for setting in settings for choice in choices]
    return settings


# Of the Co-occurrence Filter: around the best settings of each measure.
PHOTOGRAPHS = (
    grid(window=(25,), sigma=(4,), softness=(0.5,), colours=(128,), separation=(0.06, 0.13),
         iterations=(4, 8), refine=(0, 1, 2), method=("fast",)) +
    grid(window=(25,), sigma=(4,), softness=(0,), colours=(128,), palettes=(2,),
         separation=(0.06,), iterations=(6,), refine=(0, 1), method=("fast",)))
SHAPES = grid(window=(57,), sigma=(6, 8, 10), softness=(0.25,), colours=(32,), palettes=(2,),
              separation=(0.15, 0.25, 0.4), iterations=(8, 12), refine=(2,), method=("fast",))
DRAWINGS = (
    grid(window=(25,), sigma=(4,), softness=(0.5, 0.75), colours=(64,),
         separation=(0.25, 0.4, 0.65, 0.8, 1), iterations=(8, 16), refine=(2,), method=("fast",)) +
    grid(window=(15,), sigma=(3.5,), softness=(0.75,), colours=(64,), separation=(0.4, 0.65, 0.8),
         iterations=(8, 16), refine=(2,), method=("fast",)) +
    grid(window=(25,), sigma=(4,), softness=(0.5,), colours=(64,), separation=(0.4, 0.65, 0.8),
         iterations=(8,), refine=(0,), method=("fast",)))

FILTERS = {
    NONE: (lambda image: image, [{}]),
    "Gaussian": (gaussian, grid(sigma=(0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 7))),
    "bilateral": (bilateral, grid(colour=(15, 60, 120, 240), space=(2, 5, 10))),
    "guided": (guided, grid(radius=(2, 4, 8), epsilon=(0.1, 0.2, 0.4, 1.6))),
    "domain transform": (domain_transform, grid(space=(10, 40, 100), colour=(15, 30, 60, 120))),
    "L0": (l0, grid(strength=(0.0005, 0.001, 0.003, 0.01, 0.03, 0.1))),
    "rolling guidance": (rolling_guidance, grid(colour=(15, 60, 120, 240, 480), space=(3, 5))),
    "fast global": (fast_global, grid(strength=(5, 50, 200, 800, 6400), colour=(4, 8, 12, 16))),
    "diffusion": (diffusion, grid(edge=(0.02, 0.16, 0.32, 0.64), rounds=(10, 40, 160))),
    "bilateral texture": (bilateral_texture, grid(radius=(2, 3, 4, 6, 8), rounds=(1, 3))),
    "weighted least squares": (peers.least_squares, grid(strength=(0.2, 1, 4, 16))),
    "relative total variation": (peers.relative_variation,
                                 grid(strength=(0.001, 0.003, 0.01), sigma=(1, 2, 4, 8))),
    "iterative least squares": (peers.iterative_least_squares,
                                grid(strength=(0.003, 0.01, 0.03, 0.1, 0.5))),
    "side window": (peers.side_window, grid(radius=(2, 4, 7), rounds=(1, 4, 10, 20))),
    "pyramid texture": (peers.pyramid_texture,
                        grid(space=(3, 5), colour=(0.02, 0.03, 0.05, 0.08)) +
                        grid(space=(8,), colour=(0.05,))),
    "truncated Huber": (peers.truncated_huber,
                        grid(strength=(0.5, 1, 2), limit=(1,)) + grid(strength=(2,), limit=(0.2,))),
    COF: (co_occurrence, PHOTOGRAPHS + SHAPES + DRAWINGS),
}


class Row:
    """Of the tables: a filter with one or more settings, the best of which is searched."""

    def __init__(self, title, filter_name, settings):
        self.title, self.filter, self.settings = title, filter_name, settings
        self.ours = filter_name == COF


def all_rows():
    return ([Row(name, name, settings) for name, (_, settings) in FILTERS.items()] +
            [Row(f"preset {preset}", COF, [{"preset": preset}]) for preset in PRESETS])


def value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def row(text):
    """A row by its title, or OPTION=VALUE,... of the Co-occurrence Filter."""
    if "=" in text:
        pairs = (pair.split("=", 1) for pair in text.split(","))
        return Row(text, COF, [{name: value(option) for name, option in pairs}])
    return {row.title: row for row in all_rows()}[text]


def apply(name, setting, image):
    function, _ = FILTERS[name]
    return function(np.ascontiguousarray(image), **setting)


def words(setting):
    return ", ".join(f"{name} {value}" for name, value in setting.items()) or "-"
