#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""./dev selection: the strokes of simulated users, other methods, and a whole run.

COF_LIBRARY names the library.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cv2
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "selection"))
import methods  # noqa: E402
import scenes  # noqa: E402
import selection  # noqa: E402
import strokes  # noqa: E402


def disc(side=200, centre=(0.5, 0.5), radius=0.25):
    y, x = np.mgrid[:side, :side] / side
    return np.hypot(x - centre[0], y - centre[1]) < radius


def generator(seed):
    return np.random.default_rng(seed)


class Strokes(unittest.TestCase):
    def test_they_are_in_their_region(self):
        for name in scenes.photographs():
            _, mask = scenes.photograph(name)
            for seed in range(5):
                for count in (1, 3):
                    foreground, background = strokes.pair(mask, count, generator(seed))
                    self.assertTrue(foreground.any() and background.any())
                    self.assertFalse((foreground & ~mask).any())
                    self.assertFalse((background & mask).any())
                    lines = cv2.connectedComponents(np.uint8(foreground))[0] - 1
                    self.assertLessEqual(lines, count)

    def test_users_differ_and_repeat_themselves(self):
        one, again, other = (strokes.casual(disc(), 2, generator(seed)) for seed in (1, 1, 2))
        self.assertTrue((one == again).all())
        self.assertFalse((one == other).all())

    def test_they_scale(self):
        """Of a mask three times as large, they are about as long and thick as enlarged ones."""
        shares = [np.mean([strokes.casual(mask, 1, generator(seed)).mean() for seed in range(40)])
                  for mask in (disc(200), disc(600))]
        self.assertAlmostEqual(shares[0] / shares[1], 1, delta=0.2)

    def test_a_second_line_is_away_from_the_first(self):
        mask = np.ones((300, 300), bool)
        apart = []
        for seed in range(30):
            first = strokes.casual(mask, 1, generator(seed))
            both = strokes.casual(mask, 2, generator(seed))
            distance = cv2.distanceTransform(np.uint8(~first), cv2.DIST_L2, 5)
            apart.append(distance[both & ~first].mean() if (both & ~first).any() else 0)
        random = cv2.distanceTransform(np.uint8(~first), cv2.DIST_L2, 5).mean()
        self.assertGreater(np.mean(apart), random)

    def test_corrections(self):
        mask, found = disc(), disc()
        found[:60] = True           # the largest error: not of the object
        found[95:105, 95:105] = False
        stroke, inside = strokes.correction(mask, found, generator(0))
        self.assertFalse(inside)
        self.assertTrue(stroke.any() and not (stroke & mask).any() and not stroke[60:].any())
        found = mask.copy()
        found[90:110, 60:140] = False
        stroke, inside = strokes.correction(mask, found, generator(0))
        self.assertTrue(inside and (stroke <= (mask & ~found)).all())
        self.assertIsNone(strokes.correction(mask, mask, generator(0)))


class Methods(unittest.TestCase):
    def test_a_plain_disc(self):
        """All of them select a red disc on a grey ground, also of a grey image."""
        mask = disc(120)
        noise = generator(0).integers(0, 12, mask.shape + (3,))
        colour = np.uint8(np.where(mask[:, :, None], (190, 60, 50), (120, 120, 125)) + noise)
        grey = np.ascontiguousarray(np.uint8(np.where(mask, 200, 60) + noise[:, :, 0]))
        marks = strokes.pair(mask, 2, generator(3))
        for name, select in methods.METHODS.items():
            for image in (colour, grey):
                with self.subTest(name, bands=image.ndim):
                    found = select(image, *marks)
                    self.assertEqual((found.shape, found.dtype), (mask.shape, bool))
                    self.assertGreater(selection.overlap(found, mask), 0.95)
        stroke = np.zeros(mask.shape, bool)
        stroke[5:8, 5:12] = True
        for name in "cof select", "watershed":
            with self.subTest(name, corrected=True):
                user = methods.user(name)(methods.METHODS[name], colour, *marks)
                self.assertTrue((user.mask() == methods.METHODS[name](colour, *marks)).all())
                self.assertTrue(user.corrected(stroke, True)[stroke].all())
                self.assertFalse(user.corrected(stroke, False)[stroke].any())


class Figures(unittest.TestCase):
    def test_overlap(self):
        one, other = np.zeros((2, 10), bool), np.zeros((2, 10), bool)
        self.assertEqual(selection.overlap(one, other), 1)
        one[0, :6], other[0, 4:8] = True, True
        self.assertEqual(selection.overlap(one, other), 2 / 8)

    def test_interval(self):
        values = generator(0).normal(0.5, 0.1, (6, 20))
        mean, low, high = selection.interval(values)
        self.assertAlmostEqual(mean, values.mean())
        self.assertTrue(low < mean < high)
        self.assertAlmostEqual((high - low) / 2, 1.96 * 0.1 / np.sqrt(120), delta=0.006)

    def test_strokes_needed(self):
        result = {"2+2": 0.5, "corrected": [0.6, 0.92] + [0.95] * 6}
        self.assertEqual(selection.strokes_needed(result), 6)
        self.assertEqual(selection.strokes_needed({**result, "2+2": 0.9}), 4)
        self.assertEqual(selection.strokes_needed({"2+2": 0.1, "corrected": [0.2] * 8}), 13)

    def test_regions(self):
        """The largest region of the size of an object."""
        with tempfile.TemporaryDirectory() as folder:
            lines = np.zeros((100, 100), np.uint8)
            lines[:, 60] = lines[30, 60:] = 255  # 0.6, 0.12 and 0.27 of the image
            cv2.imwrite(f"{folder}/a.b1.png", lines)
            cv2.imwrite(f"{folder}/a.jpg", np.full((100, 100, 3), 80, np.uint8))
            self.assertEqual(scenes.regions(folder), ["a"])
            _, mask = scenes.region(folder, "a")
            self.assertTrue(mask[31:, 61:].all() and mask.sum() == 69 * 39)


class Whole(unittest.TestCase):
    def test_a_run(self):
        script = ROOT / "bench" / "selection" / "selection.py"
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            done = subprocess.run([sys.executable, "-B", script, "--seeds", "1", "--only",
                                   "watershed", "-o", out], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("| watershed | 0.", done.stdout)
            results = json.loads(out.read_text())["results"]
            self.assertEqual(len(results), len(scenes.photographs()))
            self.assertEqual({len(result["corrected"]) for result in results}, {8})
            done = subprocess.run([sys.executable, "-B", script, folder], capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
            self.assertIn(folder, done.stderr)


if __name__ == "__main__":
    unittest.main()
