# SPDX-License-Identifier: BSD-2-Clause
"""The cost of keeping the foreground: cof_focus() against cof_filter(), with existing models.

    python3 bench/focus.py
"""
import ctypes
import os
import pathlib
import statistics
import time

import numpy as np

import bench
import cof_ctypes

LIBRARY = os.environ.get("COF_LIBRARY", pathlib.Path(__file__).parent.parent / "build/src/libcof.so")
REPEATS = 15


def checked(status):
    if status != 0:
        raise RuntimeError(f"status {status}")


def main():
    library = cof_ctypes.Library(LIBRARY)
    lib = ctypes.CDLL(str(LIBRARY))
    image = bench.as_integers(bench.load_photo(bench.MAIN_SIZE), np.uint8)
    mask = np.zeros(image.shape[:2], np.uint8)
    mask[mask.shape[0] // 4:mask.shape[0] * 3 // 4, mask.shape[1] // 4:mask.shape[1] * 3 // 4] = 255
    output = np.empty_like(image)
    views = [cof_ctypes.view(array) for array in (image, mask, output)]
    source, chosen, out = (ctypes.byref(view) for view in views)
    options = library.options(work=library.work(0))
    foreground, background = ctypes.c_void_p(), ctypes.c_void_p()
    checked(lib.cof_model_new_pair(ctypes.byref(foreground), ctypes.byref(background), source,
                                   chosen, ctypes.c_double(3), ctypes.byref(options)))
    seconds = {"cof_filter": [], "cof_focus": []}
    for _ in range(REPEATS):
        start = time.perf_counter()
        checked(lib.cof_filter(background, None, source, out, ctypes.byref(options)))
        middle = time.perf_counter()
        checked(lib.cof_focus(foreground, background, None, None, source, out,
                              ctypes.byref(options)))
        seconds["cof_filter"].append(middle - start)
        seconds["cof_focus"].append(time.perf_counter() - middle)
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    for name, median in medians.items():
        print(f"  {name:10} {1e3 * median:6.1f} ms  {median / medians['cof_filter']:.2f}x")


if __name__ == "__main__":
    main()
