#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bench/matching: it counts what it should, goes on where it was stopped, and refuses bad pairs.

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

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench" / "matching"
sys.path.insert(0, str(FOLDER))
import matching  # noqa: E402
import pairs  # noqa: E402
import spaces  # noqa: E402

TIMEOUT = 250


def run(*arguments):
    return subprocess.run([sys.executable, "-B", FOLDER / "matching.py", *map(str, arguments)],
                          capture_output=True, text=True, timeout=TIMEOUT)


def small_pair(folder, name="same-camera"):
    """An image and a turned copy: nearly all matches must be correct."""
    image = pairs.grey(pairs.PHOTOS / "camera.png")[80:280, 120:320]
    matrix = cv2.getRotationMatrix2D((100, 100), 10, 1.05)
    cv2.imwrite(f"{folder}/{name}_a.png", image)
    cv2.imwrite(f"{folder}/{name}_b.png", cv2.warpAffine(image, matrix, image.shape[::-1]))
    np.savetxt(f"{folder}/{name}.txt", matrix)


class Matching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_counts(self):
        """Correct matches are those within 3 pixels, and points count once."""
        matrix = np.array([[1, 0, 5], [0, 1, -2]], float)
        rows = np.array([[10, 10, 15, 8], [20, 20, 25, 20.9], [30, 30, 35, 31.1], [1, 2, 90, 90]])
        self.assertEqual(matching.correct(rows, matrix), 2)
        self.assertEqual(matching.correct(np.empty((0, 4)), matrix), 0)
        points = np.array([[10.1, 10], [9.9, 10.2], [50, 50]]), np.eye(3, dtype=np.float32)
        self.assertEqual(len(matching.matches(points, points, cv2.NORM_L2)), 2)

    def test_turned_copy(self):
        small_pair(self.folder)
        task = {"folder": str(self.folder), "name": "same-camera", "space": "Gaussian"}
        found = matching.measured(task)
        self.assertEqual(found["modality"], "same")
        for detector in matching.DETECTORS:
            self.assertGreater(found[detector]["correct"], 0.5 * found[detector]["matches"])
            self.assertGreater(found[detector]["correct"], 30)
        np.savetxt(self.folder / "same-camera.txt", np.array([[1, 0, 40], [0, 1, 40]]))
        wrong = matching.measured(task)
        for detector in matching.DETECTORS:
            self.assertLess(wrong[detector]["correct"], 0.1 * wrong[detector]["matches"])

    def test_layers(self):
        image = pairs.grey(pairs.PHOTOS / "camera.png")[:90, :80]
        self.assertTrue(np.allclose(spaces.SIGMAS, [1.6, 2.0159, 2.5398, 3.2], atol=1e-4))
        for name, space in spaces.SPACES.items():
            layers = space(image)
            self.assertEqual(len(layers), 1 if name == "unfiltered" else 4)
            for layer in layers:
                self.assertEqual((layer.shape, layer.dtype), (image.shape, image.dtype))

    def test_made_pairs(self):
        pairs.make(self.folder, 1)
        found = pairs.found(self.folder)
        self.assertEqual({pair.modality for pair in found}, set(pairs.MODALITIES))
        before = [pair.digest() for pair in found]
        pairs.make(self.folder, 1)
        self.assertEqual([pair.digest() for pair in found], before)
        self.assertEqual(found[0].matrix().shape, (2, 3))

    def test_goes_on_where_it_was_stopped(self):
        small_pair(self.folder)
        first = run(self.folder)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("| co-occurrence |", first.stdout)
        self.assertTrue((self.folder / "matching.svg").read_text().endswith("</svg>\n"))
        log = self.folder / "matching.jsonl"
        lines = log.read_text().splitlines()
        self.assertEqual(len(lines), len(spaces.SPACES))
        # A result that differs shows that it is not computed again; a line that was cut off, and
        # one that is missing, are.
        changed = json.loads(lines[0])
        changed["SIFT"] = {"matches": 5000, "correct": 4321}
        log.write_text("\n".join([json.dumps(changed), *lines[1:-2], lines[-2][:30]]))
        second = run(self.folder)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("4321 (86 %)", second.stdout)
        small_pair(self.folder)
        (self.folder / "same-camera.txt").write_text("1 0 0\n0 1 0\n")
        self.assertNotIn("4321", run(self.folder).stdout)

    def test_rejected(self):
        small_pair(self.folder)
        text, image = self.folder / "same-camera.txt", self.folder / "same-camera_b.png"
        good, data = text.read_text(), image.read_bytes()

        def check(words, *arguments):
            done = run(*(arguments or [self.folder]))
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, words)
            self.assertEqual(done.stderr.count("\n"), 1)
        for wrong, words in (("1 2 3", "6 numbers"), ("1 0 0 1 x 2", "could not"),
                             ("1 0 0 2 0 0", "no inverse"), ("1 0 0 0 1 nan", "6 numbers")):
            text.write_text(wrong)
            check(f"same-camera.txt.*{words}")
        text.write_text(good)
        image.write_bytes(data[:100])
        check("same-camera_b.png.*(truncated|broken)")
        image.write_text("no image")
        check("cannot identify image file.*same-camera_b.png")
        image.unlink()
        check("same-camera_b.png: missing")
        check("not a folder", self.folder / "none")
        (self.folder / "empty").mkdir()
        check("no images", self.folder / "empty")
        self.assertEqual(run(self.folder, "--photos", "2").returncode, 2)


if __name__ == "__main__":
    unittest.main()
