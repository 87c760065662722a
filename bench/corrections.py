# SPDX-License-Identifier: BSD-2-Clause
"""How much longer calls take with residual correction (fidelity 1), with detail, and with palettes.

    python3 bench/corrections.py

Medians of runs in turns, end to end.
"""
import statistics

import numpy as np

import bare_call  # noqa: F401, makes `import cof` find the package of this tree
import baselines
import bench
import timing

import cof  # noqa: E402

CALLS = {
    "default": {},
    "fast": {"method": "fast"},
    "4 passes": {"iterations": 4},
    "8 passes, fast": {"iterations": 8, "method": "fast"},
    "subtle": {"preset": "subtle"},
    "texture": {"preset": "texture"},
    "cartoon": {"preset": "cartoon"},
    "flat": {"preset": "flat"},
}
LARGE = ("subtle", "texture", "cartoon", "flat")
SIZES = (1_000_000, 24_000_000)
REPEATS, SHARE_S = 7, 20


def timed(image, **options):
    return baselines.TimedFilter("cof", str(options), 0, lambda: cof.smooth(image, **options))


def main():
    print("  MP | call           |  as it is | fidelity 1 | detail 0.5 | four palettes for one")
    for size in SIZES:
        image = bench.as_integers(bench.load_photo(size), np.uint8)
        for name, options in CALLS.items():
            if size > SIZES[0] and name not in LARGE:
                continue
            candidates = [timed(image, **options), timed(image, fidelity=1, **options),
                          timed(image, detail=0.5, **options),
                          timed(image, **{**options, "palettes": 1}),
                          timed(image, **{**options, "palettes": 4})]
            plain, fidelity, detail, one, four = (
                statistics.median(runs)
                for runs in timing.in_turns(candidates, REPEATS, SHARE_S))
            megapixels = image.shape[0] * image.shape[1] / 1e6
            print(f"{megapixels:4.0f} | {name:14} | {1e3 * plain:6.0f} ms | {fidelity / plain:10.2f} | "
                  f"{detail / plain:10.2f} | {four / one:10.2f}", flush=True)


if __name__ == "__main__":
    main()
