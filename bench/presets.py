# SPDX-License-Identifier: BSD-2-Clause
"""Times the presets on images of several sizes, and OpenCV's bilateral filter for comparison.

    python3 bench/presets.py

The windows of presets grow with the image: that of texture has 4 passes and is about 300 pixels wide
at 24 megapixels. The bilateral filter has one pass, and 15 pixels at all sizes. Medians, all in turns.
"""
import os
import pathlib
import statistics
import sys
import types

import cv2
import numpy as np

import bench
import timing

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402

PRESETS = ("subtle", "texture", "cartoon", "flat", "video", "portrait", "drawing")
SIZES = (150_000, 1_000_000, 6_000_000, 24_000_000)
REPEATS, SHARE_S = 7, 20


def candidate(call):
    return types.SimpleNamespace(prepare=lambda: None, call=call)


def candidates(image):
    return [candidate(lambda: cv2.bilateralFilter(image, 15, 30, 3))] + [
        candidate(lambda preset=preset: cof.smooth(image, preset=preset))
        for preset in PRESETS]


def main():
    print("  MP | " + " | ".join(f"{name:>14}" for name in ("bilateral 15", *PRESETS)))
    for size in SIZES:
        image = bench.as_integers(bench.load_photo(size), np.uint8)
        times = [statistics.median(runs)
                 for runs in timing.in_turns(candidates(image), REPEATS, SHARE_S)]
        cells = (f"{1e3 * each:6.0f} ms {each / times[0]:4.2f}" for each in times)
        print(f"{image.shape[0] * image.shape[1] / 1e6:4.1f} | " + " | ".join(cells), flush=True)


if __name__ == "__main__":
    main()
