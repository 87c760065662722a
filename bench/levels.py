# SPDX-License-Identifier: BSD-2-Clause
"""Times libcof with each instruction set that it can use on this processor, and OpenCV's filters.

One megapixel and a window of 15, except for the preset texture, which has its own, and for eight
passes at half the size, which that preset once was. The filters of an instruction set run in turns,
in a process of their own. Ratios are to cv2.bilateralFilter(image, 15, 30, 3) on the same image with
the same number of threads.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys

import numpy as np

import bench
import bare_call
import baselines
import timing

# Seconds for all runs of one filter.
SHARE_S = 30

# The share of other programs from which on there is a warning.
BUSY = 0.05

# Names of COF_CPU and what /proc/cpuinfo must list. The first is the most common one, with which
# OpenCV's other filters are timed, too.
LEVELS = {
    "x86_64": {"avx2": {"avx2", "fma"},
               "avx512": {"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"},
               "vbmi": {"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl",
                        "avx512vbmi"},
               "c": set()},
    "aarch64": {"neon": {"asimd"}, "c": set()},
}


def cpu_features():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(("flags", "Features")):
                return set(line.partition(":")[2].split())
    return set()


def levels_here():
    features = cpu_features()
    return [name for name, needed in LEVELS.get(platform.machine(), {"c": set()}).items()
            if needed <= features]


def texture(image, threads):
    import cof  # bare_call has made it the package of this tree

    def call():
        cof.smooth(image, preset="texture", threads=threads)
    return baselines.TimedFilter("texture", "preset", threads, call)


def eight_passes(image, threads):
    import cof

    def call():
        cof.smooth(image, colours=32, window=27, iterations=8, softness=0.5, method="fast",
                   downscale=2, filter_downscale=2, threads=threads)
    return baselines.TimedFilter("eight passes", "half size", threads, call)


def measure(threads, repeats, peers):
    """Medians of this process's instruction set, in seconds by filter."""
    photo = bench.load_photo(bench.MAIN_SIZE)
    image = bench.as_integers(photo, np.uint8)
    grey = np.ascontiguousarray(image[:, :, 1])
    library = bare_call.Library(str(bare_call.LIBRARY))
    cof = baselines.CofFilters(library)
    window = bench.MAIN_WINDOW
    colour = [baselines.bilateral(image, window, threads), *cof.both(image, window, threads),
              texture(image, threads), eight_passes(image, threads)]
    if peers:
        colour += baselines.ximgproc_filters(image, threads)
    single = [baselines.bilateral(grey, window, threads), cof.timed_filter(grey, window, threads)]
    found = {}
    other_load = timing.OtherLoad()
    for prefix, candidates in (("", colour), ("grey ", single)):
        for candidate, runs in zip(candidates, timing.in_turns(candidates, repeats, SHARE_S)):
            found[prefix + candidate.name] = statistics.median(runs)
    if other_load.share() > BUSY:
        print(f"other programs took {100 * other_load.share():.0f} % of the machine", file=sys.stderr)
    cof.close()
    return found


def run_level(level, threads, repeats, peers):
    command = [sys.executable, "-B", __file__, "--measure", "--threads", str(threads),
               "--repeats", str(repeats), *(["--peers"] if peers else [])]
    done = subprocess.run(command, env={**os.environ, "COF_CPU": level}, check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def cell(found, name, against):
    return f"{1e3 * found[name]:7.1f} ms {found[name] / found[against]:5.2f}"


def print_table(threads, tables):
    print(f"\n{threads} thread{'s' if threads > 1 else ''}: median, and as a multiple of "
          "cv2.bilateralFilter (grey: on grey)\n")
    columns = (("exact", baselines.EXACT, baselines.BILATERAL),
               ("fast", baselines.FAST, baselines.BILATERAL),
               ("texture", "texture", baselines.BILATERAL),
               ("eight passes, half size", "eight passes", baselines.BILATERAL),
               ("grey, 256 levels", f"grey {baselines.EXACT}", f"grey {baselines.BILATERAL}"))
    print("| level | " + " | ".join(title for title, _, _ in columns) + " | bilateral | on grey |")
    print("| --- " * (len(columns) + 3) + "|")
    for level, found in tables.items():
        print(f"| {level} | " + " | ".join(cell(found, name, against)
                                           for _, name, against in columns)
              + f" | {1e3 * found[baselines.BILATERAL]:.1f} ms"
              + f" | {1e3 * found['grey ' + baselines.BILATERAL]:.1f} ms |")


def print_peers(found):
    peers = {name: seconds for name, seconds in found.items() if name.startswith("ximgproc.")}
    if not peers:
        return
    print("\n| OpenCV's other filters | median | against bilateral |\n| --- | --- | --- |")
    for name, seconds in sorted(peers.items(), key=lambda peer: peer[1]):
        print(f"| {name} | {1e3 * seconds:.1f} ms | {seconds / found[baselines.BILATERAL]:.2f} |")


def main():
    parser = argparse.ArgumentParser(prog="./dev bench --levels", description=__doc__)
    parser.add_argument("--repeats", type=int, default=9, help="runs of each filter (default 9)")
    parser.add_argument("--threads", type=int, help="number of threads (default: 1, then all)")
    parser.add_argument("--peers", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.threads, arguments.repeats, arguments.peers)))
        return
    if not os.path.exists(bare_call.LIBRARY):
        raise SystemExit(f"no library {bare_call.LIBRARY}; build it with ./dev build")
    bench.print_opening({"machine": bench.describe_machine(),
                         "versions": bench.describe_versions(
                             bare_call.Library(str(bare_call.LIBRARY)))})
    everything = len(os.sched_getaffinity(0))
    for threads in [arguments.threads] if arguments.threads else sorted({1, everything}):
        tables = {}
        for level in levels_here():
            tables[level] = run_level(level, threads, arguments.repeats, not tables)
        print_table(threads, tables)
        print_peers(next(iter(tables.values())))


if __name__ == "__main__":
    main()
