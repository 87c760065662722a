# SPDX-License-Identifier: BSD-2-Clause
"""Compares the masks of photographs with those of the photographs enlarged three times.

    python3 bench/selection/enlarged.py

Ten simulated users each draw one, two or four lines on each side. Pixels are repeated, or
interpolated, which blurs the image a little.
"""
import multiprocessing
import os

import cv2
import numpy as np

import methods
import scenes
import selection
import strokes

FACTOR, USERS = 3, 10
LINES = 1, 2, 4


def repeated(array):
    return array.repeat(FACTOR, axis=0).repeat(FACTOR, axis=1)


def bicubic(image):
    return cv2.resize(image, None, fx=FACTOR, fy=FACTOR, interpolation=cv2.INTER_CUBIC)


ENLARGED = {"repeated pixels": repeated, "bicubic": bicubic}


def mask_of(selector, foreground, background):
    selector.add(np.ones_like(foreground), "erase")
    selector.add(foreground)
    selector.add(background, "background")
    return selector.mask(threads=1)


def measured(name):
    image, mask = scenes.photograph(name)
    small = methods.cof.Selector(image, threads=1)
    found = {}
    for how, enlarge in ENLARGED.items():
        large = methods.cof.Selector(enlarge(image), threads=1)
        for lines in LINES:
            for user in range(USERS):
                marks = strokes.pair(mask, lines, np.random.default_rng([user, lines]))
                one = repeated(mask_of(small, *marks))
                other = mask_of(large, *map(repeated, marks))
                found.setdefault((how, lines), []).append(selection.overlap(one, other))
    return found


def main():
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:
        results = pool.map(measured, scenes.photographs())
    print("| enlarged by | lines | mean IoU | median | smallest | below 0.9 |")
    print("| --- " * 6 + "|")
    for how, lines in results[0]:
        values = np.array([result[how, lines] for result in results])
        print(f"| {how} | {lines}+{lines} | {values.mean():.3f} | {np.median(values):.3f} | "
              f"{values.min():.3f} | {100 * (values < 0.9).mean():.0f} % |")


if __name__ == "__main__":
    main()
