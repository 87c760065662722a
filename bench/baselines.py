# SPDX-License-Identifier: BSD-2-Clause
"""The filters that the benchmark compares. Each filters one image into its own output array."""
import ctypes
import dataclasses
import sys
from typing import Callable, Optional

import cv2
import numpy as np

import bare_call
from results import BILATERAL, EXACT, FAST

SIGMA_COLOUR = 30  # of 255


@dataclasses.dataclass
class TimedFilter:
    """`call` is timed; `prepare` runs before it, untimed. `report` does the same as `call` and
    returns libcof's report."""
    name: str
    parameters: str
    threads: int
    call: Callable[[], None]
    output: Optional[np.ndarray] = None
    report: Optional[Callable[[], dict]] = None
    prepare: Callable[[], None] = lambda: None


def sigma_of(window):
    """Proportional to the window, 3 at a window of 15: about the default of cof."""
    return window / 5


def largest_of(image):
    return 1.0 if image.dtype == np.float32 else 255


def opencv_filter(name, parameters, threads, call, output=None):
    """OpenCV starts and ends threads when their number changes, so only its own runs change it."""
    return TimedFilter(name, parameters, threads, call, output,
                 prepare=lambda: cv2.setNumThreads(threads))


def bilateral(image, window, threads):
    output = np.empty_like(image)
    sigma_colour = SIGMA_COLOUR / 255 * largest_of(image)
    sigma = sigma_of(window)

    def call():
        cv2.bilateralFilter(image, window, sigma_colour, sigma, output)
    parameters = f"d={window}, sigmaColor={sigma_colour:.3g}, sigmaSpace={sigma:.3g}"
    return opencv_filter(BILATERAL, parameters, threads, call, output)


class CofFilters:
    """libcof's filters, which share one CofContext for each number of threads."""

    def __init__(self, library):
        self.library = library
        self.contexts = {}

    def close(self):
        for context in self.contexts.values():
            self.library.c.cof_context_free(ctypes.byref(context))
        self.contexts.clear()

    def timed_filter(self, image, window, threads, method="exact"):
        output = np.empty_like(image)
        if threads not in self.contexts:
            self.contexts[threads] = bare_call.new_context(self.library, threads)
        call = bare_call.BareCall(self.library, image, output, self.contexts[threads],
                                  window=window, threads=threads, method=method)
        text = f"window={window}, the rest as by default"
        if method == "fast":
            text += f" (accuracy={call.calls.options.accuracy:g} dB)"
        return TimedFilter(FAST if method == "fast" else EXACT, text, threads, call, output,
                           call.report)

    def both(self, image, window, threads):
        """The exact and the fast method."""
        return [self.timed_filter(image, window, threads, method) for method in ("exact", "fast")]


def ximgproc_filters(image, threads):
    """Edge-preserving filters of OpenCV's contributed modules."""
    if not hasattr(cv2, "ximgproc"):
        print("this OpenCV has no cv2.ximgproc: its filters are left out", file=sys.stderr)
        return []
    ximgproc = cv2.ximgproc
    output = np.empty_like(image)

    def candidate(name, parameters, function, *arguments):
        def call():
            function(*arguments)
        return opencv_filter(f"ximgproc.{name}", parameters, threads, call)
    return [
        candidate("guidedFilter", "radius=7, eps=(0.1*255)^2", ximgproc.guidedFilter,
              image, image, 7, 25.5 ** 2, output),
        candidate("dtFilter NC", "sigmaSpatial=10, sigmaColor=30", ximgproc.dtFilter,
              image, image, 10, 30, output, ximgproc.DTF_NC),
        candidate("dtFilter RF", "sigmaSpatial=10, sigmaColor=30", ximgproc.dtFilter,
              image, image, 10, 30, output, ximgproc.DTF_RF),
        candidate("rollingGuidanceFilter", "d=15, sigmaColor=30, sigmaSpace=3, numOfIter=4",
              ximgproc.rollingGuidanceFilter, image, output, 15, 30, 3, 4),
        candidate("l0Smooth", "lambda=0.02, kappa=2", ximgproc.l0Smooth, image, output, 0.02, 2),
        candidate("fastGlobalSmootherFilter", "lambda=400, sigma_color=15",
              ximgproc.fastGlobalSmootherFilter, image, image, 400, 15, output),
        candidate("jointBilateralFilter", "d=15, sigmaColor=30, sigmaSpace=3",
              ximgproc.jointBilateralFilter, image, image, 15, 30, 3, output),
        candidate("bilateralTextureFilter", "fr=3, numIter=1",
              ximgproc.bilateralTextureFilter, image, output, 3, 1),
        candidate("amFilter", "sigma_s=10, sigma_r=0.12", ximgproc.amFilter,
              image, image, 10, 0.12, output),
        candidate("anisotropicDiffusion", "alpha=0.1, K=0.05, niters=10",
              ximgproc.anisotropicDiffusion, image, 0.1, 0.05, 10, output),
        candidate("edgePreservingFilter", "d=15, threshold=20", ximgproc.edgePreservingFilter,
              image, 15, 20, output),
        candidate("weightedMedianFilter", "r=7, sigma=25.5", ximgproc.weightedMedianFilter,
              image, image, 7, output, 25.5),
    ]


def skimage_filters(image, threads):
    try:
        from skimage.restoration import denoise_bilateral
    except ImportError:
        print("no skimage here: denoise_bilateral is left out")
        return []

    def call():
        denoise_bilateral(image, 15, SIGMA_COLOUR / 255, 3, channel_axis=-1)
    return [TimedFilter("skimage denoise_bilateral", "win_size=15, sigma_color=30/255, sigma_spatial=3; "
                  "one thread", threads, call)]


def other_filters(image, threads):
    """Filters that are timed only at 1 megapixel, with settings comparable to a window of 15."""
    return [*ximgproc_filters(image, threads), *skimage_filters(image, threads)]
