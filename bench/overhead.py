# SPDX-License-Identifier: BSD-2-Clause
"""The overhead of the Python package: cof.smooth() against a bare cof_smooth() call at 1 megapixel.

    python3 bench/overhead.py

The bare call reuses its structs and its output array. The package creates both in each call.
"""
import ctypes
import os
import pathlib
import statistics
import sys
import types

import numpy as np

import bench
import cof_ctypes
import timing

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAIRS = 301
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402


def candidate(call):
    return types.SimpleNamespace(prepare=lambda: None, call=call)


def main():
    library = cof_ctypes.Library(os.environ["COF_LIBRARY"])
    lib = ctypes.CDLL(os.environ["COF_LIBRARY"])
    image = bench.as_integers(bench.load_photo(bench.MAIN_SIZE), np.uint8)
    output = np.empty_like(image)
    views = cof_ctypes.view(image), cof_ctypes.view(output)
    given = [ctypes.byref(view) for view in views] + [ctypes.byref(library.options())]
    found = timing.pairs(candidate(lambda: lib.cof_smooth(*given)),
                         candidate(lambda: cof.smooth(image)), PAIRS)
    if not (cof.smooth(image) == output).all():
        raise RuntimeError("the results differ")
    bare, package = (statistics.median(each) for each in zip(*found))
    ratio = statistics.median(b / a for a, b in found)
    print(f"  cof_smooth() {1e3 * bare:.2f} ms, cof.smooth() {1e3 * package:.2f} ms: "
          f"{100 * (ratio - 1):+.2f} % (median of {PAIRS} pairs)")


if __name__ == "__main__":
    main()
