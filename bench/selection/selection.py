# SPDX-License-Identifier: BSD-2-Clause
"""How well masks are selected with a few strokes, by libcof and by others.

A simulated user draws casual lines on the object and beside it, and then corrects: one line in the
middle of the largest error, again and again. The measure is IoU: the pixels in both the mask and
the true one over those in either.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import sys

import cv2
import numpy as np

import methods
import scenes
import strokes

LINES = 1, 2, 4
# Corrections follow this number of lines on each side.
CORRECTED, CORRECTIONS = 2, 8
ENOUGH = 0.9
RESAMPLES = 10000


def overlap(one, other):
    either = np.count_nonzero(one | other)
    return np.count_nonzero(one & other) / either if either else 1.0


def scene(task):
    return (scenes.region(task["folder"], task["name"]) if task["folder"]
            else scenes.photograph(task["name"]))


def corrected(user, mask, random):
    """The overlap after each correction."""
    found, overlaps = user.mask(), []
    for _ in range(CORRECTIONS):
        correction = strokes.correction(mask, found, random)
        if correction is not None:
            found = user.corrected(*correction)
        overlaps.append(overlap(found, mask))
    return overlaps


def measured(task):
    """The overlap of one method with the strokes of one seed."""
    cv2.setNumThreads(1)
    image, mask = scene(task)
    select = methods.METHODS[task["method"]]
    result = dict(task)
    for lines in LINES:
        marks = strokes.pair(mask, lines, np.random.default_rng([task["seed"], lines]))
        result[f"{lines}+{lines}"] = overlap(select(image, *marks), mask)
        if lines == CORRECTED:
            user = methods.user(task["method"])(select, image, *marks)
            result["corrected"] = corrected(user, mask,
                                            np.random.default_rng([task["seed"], 99]))
    return result


def interval(values, seed=0):
    """The mean over scenes, and the interval that holds 95 % of what other draws of scenes and seeds
    would have given. `values` are lists, one for each scene."""
    source = np.random.default_rng(seed)
    means = np.zeros(RESAMPLES)
    for row in np.asarray(values, float):
        means += source.choice(row, (RESAMPLES, len(row))).mean(axis=1)
    low, high = np.percentile(means / len(values), (2.5, 97.5))
    return float(np.mean(values)), float(low), float(high)


def strokes_needed(result):
    """Strokes until the mask is good enough; one more than the last if it never is."""
    first = 2 * CORRECTED
    for number, value in enumerate([result[f"{CORRECTED}+{CORRECTED}"], *result["corrected"]]):
        if value >= ENOUGH:
            return first + number
    return first + CORRECTIONS + 1


def columns():
    found = {f"{n}+{n}": (lambda result, n=n: result[f"{n}+{n}"]) for n in LINES}
    found["4 corrections"] = lambda result: result["corrected"][3]
    found["8 corrections"] = lambda result: result["corrected"][7]
    return found


def table(results, names):
    """A table in Markdown, and the figures in it."""
    rows, figures = [], {}
    for method in names:
        of = [result for result in results if result["method"] == method]
        figures[method] = {}
        for title, value in columns().items():
            by_scene = {}
            for result in of:
                by_scene.setdefault(result["name"], []).append(value(result))
            figures[method][title] = interval(list(by_scene.values()))
        figures[method]["strokes"] = float(np.mean([strokes_needed(result) for result in of]))
        rows.append(f"| {method} | " + " | ".join(
            "{:.3f} ({:.2f} to {:.2f})".format(*figures[method][title]) for title in columns()) +
            f" | {figures[method]['strokes']:.1f} |")
    head = ["method", *columns(), f"strokes to {ENOUGH}"]
    return "\n".join(["| " + " | ".join(head) + " |", "| --- " * len(head) + "|", *rows]), figures


def main():
    parser = argparse.ArgumentParser(prog="selection", description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path,
                        help="photographs NAME.jpg with outlines NAME.b1.png; default: six "
                             "photographs of the tests")
    parser.add_argument("--seeds", type=int, default=20, help="users for each image (default 20)")
    parser.add_argument("--only", nargs="+", choices=list(methods.METHODS), metavar="METHOD",
                        default=list(methods.METHODS), help="some of the methods")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="write all figures, as JSON")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error("--seeds must be 1 or more")
    names = scenes.regions(arguments.folder) if arguments.folder else scenes.photographs()
    tasks = [{"folder": arguments.folder and str(arguments.folder), "name": name, "seed": seed,
              "method": method}
             for name in names for seed in range(arguments.seeds) for method in arguments.only]
    results = []
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:
        for result in pool.imap_unordered(measured, tasks):
            results.append(result)
            if sys.stderr.isatty():
                print(f"\r{len(results)} of {len(tasks)} ", end="", file=sys.stderr)
    text, figures = table(results, arguments.only)
    print(text)
    if arguments.output:
        arguments.output.write_text(json.dumps({"results": results, "figures": figures}))


if __name__ == "__main__":
    main()
