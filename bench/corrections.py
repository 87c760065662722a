# SPDX-License-Identifier: BSD-2-Clause
"""How much longer calls take with residual correction (fidelity 1), with detail, and with palettes.

    python3 bench/corrections.py [--processor] [MEGAPIXELS ...]

Medians of runs in turns, end to end; with 1 and 24 megapixels if no size is given. --processor
compares processor times, which other programs disturb less, instead of wall-clock times.
"""
import argparse
import statistics
import time

import numpy as np

import bare_call  # noqa: F401, makes `import cof` find the package of this tree
import bench

import cof  # noqa: E402

GREY = "8-bit grey"
CALLS = {
    "default": {},
    "fast": {"method": "fast"},
    "4 passes": {"iterations": 4},
    "8 passes, fast": {"iterations": 8, "method": "fast"},
    GREY: {},
    "subtle": {"preset": "subtle"},
    "texture": {"preset": "texture"},
    "cartoon": {"preset": "cartoon"},
    "flat": {"preset": "flat"},
}
LARGE = ("subtle", "texture", "cartoon", "flat")
SMALL_MEGAPIXELS = 6
REPEATS, SHARE_S = 7, 20


def variants(options):
    """As it is, with fidelity, with detail, with one palette and with four."""
    return [options, {**options, "fidelity": 1}, {**options, "detail": 0.5},
            {**options, "palettes": 1}, {**options, "palettes": 4}]


def seconds(image, options, clock):
    start = clock()
    cof.smooth(image, **options)
    return clock() - start


def medians(image, calls, clock):
    """Of REPEATS runs of each call, or as many as fit into SHARE_S, after a first one."""
    runs = [[] for _ in calls]
    for _ in range(REPEATS + 1):
        for options, mine in zip(calls, runs):
            if not mine or sum(mine) + mine[-1] <= SHARE_S:
                mine.append(seconds(image, options, clock))
    return [statistics.median(mine[1:] or mine) for mine in runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--processor", action="store_true", help="compare processor times")
    parser.add_argument("megapixels", nargs="*", type=float, default=[1, 24])
    arguments = parser.parse_args()
    clock = time.process_time if arguments.processor else time.perf_counter
    print("  MP | call           |  as it is | fidelity 1 | detail 0.5 | four palettes for one")
    for size in arguments.megapixels:
        colour = bench.as_integers(bench.load_photo(int(size * 1e6)), np.uint8)
        for name, options in CALLS.items():
            if size > SMALL_MEGAPIXELS and name not in LARGE:
                continue
            image = np.ascontiguousarray(colour[:, :, 1]) if name == GREY else colour
            plain, fidelity, detail, one, four = medians(image, variants(options), clock)
            print(f"{size:4.0f} | {name:14} | {1e3 * plain:6.0f} ms | {fidelity / plain:10.2f} | "
                  f"{detail / plain:10.2f} | {four / one:10.2f}", flush=True)


if __name__ == "__main__":
    main()
