# SPDX-License-Identifier: BSD-2-Clause
"""Times selecting with strokes: the first mask, one more stroke, and the memory that it takes.

    python3 bench/selection/speed.py

The photograph is enlarged. Medians of five; each size runs in a process of its own.
"""
import argparse
import resource
import statistics
import subprocess
import sys
import time

import cv2
import numpy as np

import methods
import scenes

SIZES = 1_000_000, 24_000_000
REPEATS = 5

# In shares of the width: a line on the saucer, one on the table, and one on the cup.
SAUCER = (0.33, 0.14), (0.20, 0.22), (0.17, 0.33), (0.28, 0.55)
TABLE = (0.83, 0.08), (0.92, 0.50)
CUP = (0.42, 0.20), (0.55, 0.22)


def enlarged(pixels):
    image, _ = scenes.photograph("coffee")
    scale = np.sqrt(pixels / (image.shape[0] * image.shape[1]))
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(pixels, threads):
    image = enlarged(pixels)
    width = image.shape[1]
    radius = 0.007 * width
    first, further = [], []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(REPEATS):
        selector = None

        def start():
            nonlocal selector
            selector = methods.cof.Selector(image, threads=threads)
            selector.add_stroke(width * np.array(SAUCER), radius)
            selector.add_stroke(width * np.array(TABLE), radius, "background")
            selector.mask(threads=threads)

        def go_on():
            selector.add_stroke(width * np.array(CUP), radius)
            selector.mask(threads=threads)

        first.append(seconds(start))
        further.append(seconds(go_on))
        selector.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"| {pixels / 1e6:.0f} MP | {statistics.median(first):.2f} s | "
          f"{statistics.median(further):.3f} s | {memory / 1024:.0f} MB |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--threads", type=int, default=2, help="number of threads (default 2)")
    parser.add_argument("--pixels", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.pixels:
        measure(arguments.pixels, arguments.threads)
        return
    print("| size | first mask | one more stroke | memory besides the image |\n"
          "| --- | --- | --- | --- |", flush=True)
    for pixels in SIZES:
        subprocess.run([sys.executable, "-B", __file__, "--pixels", str(pixels), "--threads",
                        str(arguments.threads)], check=True)


if __name__ == "__main__":
    main()
