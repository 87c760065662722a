# SPDX-License-Identifier: BSD-2-Clause
"""Times the preset texture, and the refinement in it, with one thread.

    python3 bench/refine.py [OPTION=VALUE...]

Options are those of cof.smooth(), on top of the preset. COF_CPU limits the instruction set.
Refinement reads the image at full size and stores the result, as any filter does. Times are the
shortest of many runs, in processor time, which depends least on what else runs.
"""
import os
import pathlib
import sys
import time

import numpy as np

import bench

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402

# Megapixels, and runs.
SIZES = ((1, 30), (24, 5))


def shortest(calls, runs):
    """Seconds of each call, in turns."""
    best = [float("inf")] * len(calls)
    for _ in range(runs):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            best[i] = min(best[i], time.process_time() - start)
    return best


def measure(megapixels, runs, given):
    image = bench.as_integers(bench.load_photo(1e6 * megapixels), np.uint8)
    factor = cof.preset("texture", *image.shape[:2])["downscale"]
    small, call = cof.downscale(image, factor), {"threads": 1, "context": cof.Context()}
    model = cof.Stats(downscale=factor).add(small, downscaled=True).model()
    coarse = cof.Coarse(model, small, filtered=small, refine=2)
    whole, refined = shortest((lambda: cof.smooth(image, preset="texture", **given, **call),
                               lambda: coarse.apply(image, **call)), runs)
    print(f"{megapixels:4d} | {1e3 * whole:6.0f} ms | {1e3 * refined:7.1f} ms "
          f"| {100 * refined / whole:5.1f}% | {1e3 * refined / megapixels:6.1f} ns", flush=True)


def main():
    given = dict(argument.split("=") for argument in sys.argv[1:])
    print("  MP |   texture | refinement |  share | per pixel")
    for megapixels, runs in SIZES:
        measure(megapixels, runs, {name: float(value) if "." in value else int(value)
                                   for name, value in given.items()})


if __name__ == "__main__":
    main()
