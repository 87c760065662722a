# SPDX-License-Identifier: BSD-2-Clause
"""The overhead of the Python package: cof.smooth() against a bare cof_smooth() call at 1 megapixel.

    python3 bench/overhead.py

The bare call reuses its structs and its output array. The package creates both in each call.
"""
import statistics
import types

import numpy as np

import bare_call
import bench
import timing
import cof  # found through bare_call

PAIRS = 301


def candidate(call):
    return types.SimpleNamespace(prepare=lambda: None, call=call)


def main():
    library = bare_call.Library(bare_call.LIBRARY)
    image = bench.as_integers(bench.load_photo(bench.MAIN_SIZE), np.uint8)
    output = np.empty_like(image)
    found = timing.pairs(candidate(bare_call.BareCall(library, image, output)),
                         candidate(lambda: cof.smooth(image)), PAIRS)
    if not (cof.smooth(image) == output).all():
        raise RuntimeError("the results differ")
    bare, package = (statistics.median(each) for each in zip(*found))
    ratio = statistics.median(b / a for a, b in found)
    print(f"  cof_smooth() {1e3 * bare:.2f} ms, cof.smooth() {1e3 * package:.2f} ms: "
          f"{100 * (ratio - 1):+.2f} % (median of {PAIRS} pairs)")


if __name__ == "__main__":
    main()
