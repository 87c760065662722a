# SPDX-License-Identifier: BSD-2-Clause
"""How much longer calls take with one round of residual correction (fidelity 1), and with detail.

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
}
LARGE = ("subtle", "texture", "cartoon")
SIZES = (1_000_000, 24_000_000)
REPEATS, SHARE_S = 7, 20


def timed(image, **options):
    return baselines.TimedFilter("cof", str(options), 0, lambda: cof.smooth(image, **options))


def main():
    print("  MP | call           |  as it is | fidelity 1 | detail 0.5")
    for size in SIZES:
        image = bench.as_integers(bench.load_photo(size), np.uint8)
        for name, options in CALLS.items():
            if size > SIZES[0] and name not in LARGE:
                continue
            candidates = [timed(image, **options), timed(image, fidelity=1, **options),
                          timed(image, detail=0.5, **options)]
            plain, fidelity, detail = (statistics.median(runs) for runs in
                                       timing.in_turns(candidates, REPEATS, SHARE_S))
            print(f"{image.shape[0] * image.shape[1] / 1e6:4.0f} | {name:14} | {1e3 * plain:6.0f} ms | "
                  f"{fidelity / plain:10.2f} | {detail / plain:10.2f}", flush=True)


if __name__ == "__main__":
    main()
