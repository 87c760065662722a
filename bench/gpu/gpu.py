#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Times the filter on a GPU, next to the CPU of the same machine and to a bilateral filter on the
same GPU. COF_LIBRARY names libcof."""
import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import cof  # noqa: E402
from cof import _library as c  # noqa: E402
import kernels  # noqa: E402
import opencl  # noqa: E402

PHOTOS = ROOT / "tests" / "data" / "photos"
SIZES = {"1": (1000, 1000), "8.3": (3840, 2160), "33": (7680, 4320)}
TILE = 480, 360
MEMORY_OPENCL = 1


def load_photos():
    found = [cv2.imread(str(path)) for path in sorted(PHOTOS.iterdir())
             if path.suffix in (".png", ".jpg")]
    return [cv2.cvtColor(photo, cv2.COLOR_BGR2RGB) for photo in found if photo is not None]


def frame(width, height, photos):
    """A mosaic of photographs at their own size: more colours and edges than most frames have."""
    random = np.random.default_rng(3)
    result = np.empty((height, width, 3), np.uint8)
    columns, rows = TILE
    places = [(x, y) for y in range(0, height, rows) for x in range(0, width, columns)]
    for i, (x, y) in enumerate(places):
        photo = photos[i % len(photos)]
        top, left = (random.integers(0, max(1, size - tile))
                     for size, tile in zip(photo.shape, (rows, columns)))
        part = photo[top:top + rows, left:left + columns]
        part = cv2.copyMakeBorder(part, 0, rows - part.shape[0], 0, columns - part.shape[1],
                                  cv2.BORDER_REFLECT_101)
        result[y:y + rows, x:x + columns] = part[:height - y, :width - x]
    return result


def milliseconds(call, runs):
    call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def stages(call, runs):
    """The medians of all stages of a call that is given a report."""
    found = []
    for _ in range(runs):
        report = cof.Report()
        call(report)
        found.append(report.seconds)
    return {name: 1e3 * float(np.median([seconds[name] for seconds in found])) for name in found[0]}


class Resident:
    """Calls of the library with images in buffers of the device."""

    def __init__(self, device, rgb):
        self.handle = ctypes.c_void_p()
        c.lib.call("cof_context_new_opencl", ctypes.byref(self.handle), device.context, device.id, 0)
        self.buffers = [opencl.Buffer(device, rgb) for _ in range(2)]
        height, width = rgb.shape[:2]
        self.images = [c.Image(data=buffer.handle, width=width, height=height, channels=3,
                               kind=c.KINDS["rgb"] if hasattr(c, "KINDS") else 2,
                               memory=MEMORY_OPENCL) for buffer in self.buffers]
        self.options = c.lib.new_options()
        self.options.context = self.handle

    def smooth(self):
        c.lib.c.cof_smooth(*map(ctypes.byref, self.images), ctypes.byref(self.options))

    def apply(self, model):
        c.lib.c.cof_filter(model._handle, None, *map(ctypes.byref, self.images),
                           ctypes.byref(self.options))


def main():
    print("see docs/gpu.md")


if __name__ == "__main__":
    main()
