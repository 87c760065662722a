# SPDX-License-Identifier: BSD-2-Clause
"""The cost of keeping the foreground: cof_focus() against cof_filter(), with existing models.

    python3 bench/focus.py
"""
import statistics
import time

import numpy as np

import bare_call
import bench
import cof  # found through bare_call

REPEATS = 15


def main():
    image = bench.as_integers(bench.load_photo(bench.MAIN_SIZE), np.uint8)
    mask = np.zeros(image.shape[:2], np.uint8)
    mask[mask.shape[0] // 4:mask.shape[0] * 3 // 4, mask.shape[1] // 4:mask.shape[1] * 3 // 4] = 255
    output = np.empty_like(image)
    source, out = (bare_call.View(array).pointer for array in (image, output))
    models = cof.Model.fit_pair(image, mask)
    foreground, background = (model._handle for model in models)
    library = bare_call.Library(bare_call.LIBRARY)
    calls = bare_call.Calls(library, bare_call.new_context(library, 0))
    seconds = {"cof_filter": [], "cof_focus": []}
    for _ in range(REPEATS):
        start = time.perf_counter()
        calls("cof_filter", background, None, source, out)
        middle = time.perf_counter()
        calls("cof_focus", foreground, background, None, None, source, out)
        seconds["cof_filter"].append(middle - start)
        seconds["cof_focus"].append(time.perf_counter() - middle)
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    for name, median in medians.items():
        print(f"  {name:10} {1e3 * median:6.1f} ms  {median / medians['cof_filter']:.2f}x")


if __name__ == "__main__":
    main()
