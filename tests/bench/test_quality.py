#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The measures of ./dev quality: matching, the detector, scores, and a whole run on a small set.

COF_BOUNDARY_MATCH names the matcher, COF_LIBRARY the library.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import cv2
import numpy as np
import scipy.optimize
import skimage.metrics

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "quality"))
import boundaries  # noqa: E402
import matching  # noqa: E402
import measures  # noqa: E402
import images  # noqa: E402
import peers  # noqa: E402
import scores  # noqa: E402


def near(found, drawn, distance):
    a, b = np.argwhere(found), np.argwhere(drawn)
    return ((a[:, None] - b[None]) ** 2).sum(axis=2) <= distance ** 2


def most_pairs(allowed):
    """By trying everything."""
    if len(allowed) == 0:
        return 0
    rest = allowed[1:]
    best = most_pairs(rest)
    for column in np.flatnonzero(allowed[0]):
        best = max(best, 1 + most_pairs(np.delete(rest, column, axis=1)))
    return best


class Matching(unittest.TestCase):
    def masks(self, source, most):
        shape = source.integers(1, most, 2)
        return (source.random(shape) < share for share in source.uniform(0, 0.6, 2))

    def test_everything_tried(self):
        source = np.random.default_rng(1)
        for turn in range(300):
            found, drawn = self.masks(source, 5)
            if found.sum() > 6 or drawn.sum() > 6:
                continue
            distance = source.uniform(0, 3)
            (hits, _, met, _), = matching.counted(found, [drawn], [0.5], distance)
            self.assertEqual((hits, met), (most_pairs(near(found, drawn, distance)),) * 2, turn)

    def test_assignment(self):
        """Larger ones, against an optimal assignment by another algorithm."""
        source = np.random.default_rng(2)
        for turn in range(500):
            found, drawn = self.masks(source, 14)
            distance = source.uniform(0, 5)
            (hits, _, met, _), = matching.counted(found, [drawn], [0.5], distance)
            self.assertEqual((hits, met), (self.assigned(found, drawn, distance),) * 2, turn)

    @staticmethod
    def assigned(found, drawn, distance):
        allowed = near(found, drawn, distance)
        rows, columns = scipy.optimize.linear_sum_assignment(-allowed.astype(int))
        return allowed[rows, columns].sum()

    def test_thresholds(self):
        """Each matching is a largest one, though it goes on from that before."""
        source = np.random.default_rng(3)
        thresholds = [0.1, 0.3, 0.35, 0.6, 0.9]
        for turn in range(100):
            _, drawn = self.masks(source, 14)
            strength = source.random(drawn.shape, np.float32)
            distance = source.uniform(0, 5)
            for threshold, counts in zip(thresholds, matching.counted(
                    strength, [drawn], thresholds, distance)):
                found = strength >= np.float32(threshold)
                pairs = self.assigned(found, drawn, distance)
                self.assertEqual(counts, [pairs, found.sum(), pairs, drawn.sum()], turn)

    def test_counts(self):
        """A hit is what anybody drew; recall is over all people."""
        found = np.zeros((30, 200), bool)
        one, other = found.copy(), found.copy()
        found[10, 20:120], one[11, 20:70], other[10, 100:180] = True, True, True
        (hits, n_found, met, drawn), = matching.counted(found, [one, other], [1])
        self.assertEqual((n_found, drawn), (100, 130))
        # Lines may lean over their ends by the distance.
        self.assertTrue(70 <= hits <= 72 and 70 <= met <= 72)
        self.assertEqual(matching.counted(one, [one], [1]), [[50, 50, 50, 50]])
        self.assertEqual(matching.counted(one & ~one, [one], [1]), [[0, 0, 0, 50]])


class Detector(unittest.TestCase):
    def test_a_step_is_a_line(self):
        for turned in (False, True):
            image = np.full((60, 80, 3), 60, np.uint8)
            image[:, 40:] = (180, 90, 60)
            lines = boundaries.ridges(image.transpose(1, 0, 2) if turned else image)
            lines = lines.T if turned else lines
            self.assertTrue(((lines[5:-5] > 1).sum(axis=1) == 1).all())
            self.assertTrue(np.isin(np.argmax(lines[5:-5], axis=1), (39, 40)).all())

    def test_colour_alone(self):
        """Of one lightness."""
        flat = np.full((40, 40, 3), (60, 0, 0), np.float32)
        flat[:, 20:] = (60, 30, 10)
        image = np.uint8(np.clip(cv2.cvtColor(flat, cv2.COLOR_LAB2RGB) * 255, 0, 255).round())
        self.assertTrue((boundaries.ridges(image)[5:-5].max(axis=1) > 3).all())

    def test_nothing(self):
        self.assertFalse((boundaries.ridges(np.full((30, 30, 3), 99, np.uint8)) > 1e-3).any())


class Scores(unittest.TestCase):
    def counts(self, hits, seed=0):
        """Of 12 images: a share of hits for each threshold."""
        source = np.random.default_rng(seed)
        drawn = source.integers(500, 1500, 12)[:, None] * np.ones(len(measures.THRESHOLDS))
        return np.stack([drawn * hits, drawn, drawn * hits, drawn], axis=-1)

    def test_f(self):
        perfect, half = self.counts(1), self.counts(0.5)
        self.assertEqual(scores.over_set(perfect)["f"], 1)
        self.assertAlmostEqual(scores.over_set(half)["f"], 0.5)
        self.assertAlmostEqual(scores.over_images(half), 0.5)
        self.assertEqual(float(matching.f_measure([0, 0, 0, 9])), 0)

    def test_the_lead(self):
        same = scores.lead(self.counts(0.5), self.counts(0.5))
        self.assertEqual((same["lead"], same["low"], same["high"]), (0, 0, 0))
        ahead = scores.lead(self.counts(0.6), self.counts(0.5))
        self.assertAlmostEqual(ahead["lead"], 0.1)
        self.assertGreater(ahead["low"], 0)

    def test_similarity(self):
        image = images.scene(0)[1]
        self.assertAlmostEqual(measures.similarity(image, image), 1)
        self.assertLess(measures.similarity(image, 255 - image), 0.3)
        other = cv2.GaussianBlur(image, (0, 0), 1)
        wanted = skimage.metrics.structural_similarity(
            image @ measures.LUMA, other @ measures.LUMA, data_range=255, gaussian_weights=True,
            sigma=1.5, use_sample_covariance=False)
        self.assertAlmostEqual(measures.similarity(image, other), wanted, 6)


class Shift(unittest.TestCase):
    def test_what_it_measures(self):
        """Texture counts much less than in single pixels, the colour of an area does not."""
        flat, rough, _ = images.scene(1)
        self.assertEqual(measures.colour_shift(rough, rough), {"shift_median": 0, "shift_95": 0})
        pixels = np.linalg.norm(boundaries.lab(rough) - boundaries.lab(flat), axis=2)
        self.assertLess(measures.colour_shift(rough, flat)["shift_median"], 0.4 * np.median(pixels))
        lighter = np.uint8(np.clip(rough.astype(int) + 20, 0, 255))
        self.assertGreater(measures.colour_shift(rough, lighter)["shift_median"], 5)


class Peers(unittest.TestCase):
    FILTERS = {peers.least_squares: {"strength": 1},
               peers.relative_variation: {"strength": 0.01, "sigma": 3},
               peers.iterative_least_squares: {"strength": 0.5},
               peers.side_window: {"radius": 3, "rounds": 4},
               peers.pyramid_texture: {"space": 5, "colour": 0.05},
               peers.truncated_huber: {"strength": 1}}

    def test_a_flat_image_stays(self):
        image = np.full((20, 30, 3), (10, 99, 250), np.uint8)
        for function, setting in self.FILTERS.items():
            self.assertTrue((function(image, **setting) == image).all(), function.__name__)

    def test_they_smooth_texture(self):
        rough = images.scene(2)[1]
        for function, setting in self.FILTERS.items():
            before, after = (cv2.Laplacian(image, cv2.CV_32F).std()
                             for image in (rough, function(rough, **setting)))
            self.assertLess(after, 0.9 * before, function.__name__)

    def test_no_strength_changes_nothing(self):
        rough = images.scene(3)[1][:60, :70]
        for function in (peers.least_squares, peers.iterative_least_squares):
            self.assertTrue((function(rough, 1e-9) == rough).all())
        self.assertTrue((peers.relative_variation(rough, 1e-9, 3) == rough).all())
        self.assertTrue((peers.truncated_huber(rough, 1e-9, radius=0) == rough).all())

    def test_the_linear_system(self):
        """Against the normal equations, written out pair by pair."""
        source = np.random.default_rng(5)
        image, weights = source.random((6, 7, 2)), source.uniform(0, 9, (2, 6, 7))
        matrix = np.eye(42)
        for y in range(6):
            for x in range(7):
                for weight, (v, u) in zip(weights[:, y, x], ((y, x + 1), (y + 1, x))):
                    if u < 7 and v < 6:
                        pair = np.zeros(42)
                        pair[y * 7 + x], pair[v * 7 + u] = 1, -1
                        matrix += weight * np.outer(pair, pair)
        wanted = np.linalg.solve(matrix, image.reshape(42, 2)).reshape(image.shape)
        np.testing.assert_allclose(peers.smoothed(image, image, *weights), wanted, atol=1e-3)

    def test_a_quadratic_penalty_is_one_linear_system(self):
        """With the exponent 2, iterative least squares are least squares, with periodic borders."""
        image = np.random.default_rng(6).integers(0, 256, (6, 5, 3), np.uint8)
        matrix = np.eye(30)
        for y in range(6):
            for x in range(5):
                for v, u in ((y, (x + 1) % 5), ((y + 1) % 6, x)):
                    pair = np.zeros(30)
                    pair[y * 5 + x], pair[v * 5 + u] = 1, -1
                    matrix += 3 * np.outer(pair, pair)
        wanted = np.linalg.solve(matrix, image.reshape(30, 3).astype(float)).reshape(image.shape)
        found = peers.iterative_least_squares(image, 3, exponent=2, rounds=1)
        np.testing.assert_allclose(found, wanted, atol=0.51)

    def test_the_slope_of_the_penalty(self):
        def penalty(x, bend, limit):
            x = abs(x)
            if x > limit:
                return limit - bend / 2
            return x * x / (2 * bend) if x < bend else x - bend / 2
        for x in (-0.5, -0.31, -0.2, -0.04, 0.01, 0.06, 0.29, 0.4):
            slope = (penalty(x + 1e-6, 0.05, 0.3) - penalty(x - 1e-6, 0.05, 0.3)) / 2e-6
            self.assertAlmostEqual(x * float(peers.huber_weight(x, 0.05, 0.3)), slope, 5)

    @staticmethod
    def huber_rounds(image, strength, limit, rounds):
        """Of one channel of grey values, pair by pair, with a dense matrix in each round."""
        height, width = image.shape
        now = image.astype(float)
        places = [(y, x) for y in range(height) for x in range(width)]

        def weight(change):
            return 0 if abs(change) > limit else 1 / max(abs(change), 1e-3)
        for _ in range(rounds):
            matrix, wanted = np.zeros((len(places),) * 2), np.zeros(len(places))
            for i, (y, x) in enumerate(places):
                for dy in (-1, 0, 1):
                    for dx in (-1, 0, 1):
                        # Beyond the border the image is mirrored: the last pixel is repeated.
                        v, u = np.clip((y + dy, x + dx), 0, (height - 1, width - 1))
                        data = weight(now[y, x] - image[v, u])
                        matrix[i, i] += data
                        wanted[i] += data * image[v, u]
                for v, u in ((y, x + 1), (y + 1, x)):
                    if v < height and u < width:
                        alike = 1 / (abs(image[y, x] - image[v, u]) ** 0.5 + 0.02)
                        both = 2 * strength * alike * weight(now[y, x] - now[v, u])
                        pair = np.zeros(len(places))
                        pair[i], pair[v * width + u] = 1, -1
                        matrix += both * np.outer(pair, pair)
            now = np.linalg.solve(matrix, wanted).reshape(height, width)
        return now

    def test_truncated_huber(self):
        image = np.random.default_rng(7).integers(60, 120, (7, 9), np.uint8)
        image[:, 5:] += 100
        for strength, limit in ((0.5, 1), (2, 1), (2, 0.2)):
            wanted = 255 * self.huber_rounds(image / 255, strength, limit, 4)
            with unittest.mock.patch.object(peers, "SMALL", 1e-10):
                found = peers.truncated_huber(cv2.merge([image] * 3), strength, limit, rounds=4)
            np.testing.assert_allclose(found[:, :, 0], wanted, atol=0.6)
            self.assertGreater(np.abs(wanted - image).max(), 9)

    def test_the_multigrid_method(self):
        source = np.random.default_rng(8)
        shape = (13, 10)
        data, across, down = (source.uniform(0.1, 9, (*shape, 1)) ** 2 for _ in range(3))
        matrix = np.diag(data.ravel())
        index = np.arange(130).reshape(shape)
        for weights, one, other in ((across[:, :-1], index[:, :-1], index[:, 1:]),
                                    (down[:-1], index[:-1], index[1:])):
            for weight, i, j in zip(weights.ravel(), one.ravel(), other.ravel()):
                matrix[[i, j, i, j], [i, j, j, i]] += [weight, weight, -weight, -weight]
        wanted = source.random((*shape, 1))
        with unittest.mock.patch.object(peers, "SMALL", 1e-20):
            found = peers.Grid(data, across, down).solve(wanted, np.zeros_like(wanted))
        exact = np.linalg.solve(matrix, wanted.ravel())
        np.testing.assert_allclose(found.ravel(), exact, rtol=1e-6)

    def test_a_pyramid_keeps_an_edge(self):
        flat = np.full((60, 80, 3), 60, np.uint8)
        flat[:, 40:] = (180, 120, 90)
        rough = flat + np.uint8(24 * (np.indices((60, 80)).sum(axis=0) // 2 % 2))[:, :, None]
        found = peers.pyramid_texture(rough, 5, 0.05).astype(int) - flat
        self.assertLess(np.abs(found - 12)[4:-4, 4:-4].max(), 10)
        self.assertLess(found[4:-4, 4:-4].std(), 3)

    def test_side_windows_keep_edges_and_corners(self):
        image = np.full((40, 50, 3), 30, np.uint8)
        image[15:, 20:] = 200
        self.assertTrue((peers.side_window(image, 4, 6) == image).all())
        self.assertFalse((cv2.blur(image, (9, 9)) == image).all())


class Scenes(unittest.TestCase):
    def test_they_are_what_they_say(self):
        for number in range(4):
            flat, rough, rim = images.scene(number)
            self.assertTrue((images.scene(number)[1] == rough).all())
            inside = cv2.erode(np.uint8(~rim), np.ones((3, 3), np.uint8)) > 0
            self.assertTrue(3 <= len(np.unique(flat[inside], axis=0)) <= 5)
            self.assertGreater(len(np.unique(flat[rim], axis=0)), 50)
            detail = [cv2.Laplacian(image, cv2.CV_32F).std() for image in (flat, rough)]
            self.assertGreater(detail[1], 1.5 * detail[0])

    def test_where_they_are_measured(self):
        """Against the errors of each pixel, and whether a rim is among its neighbours."""
        flat, rough, rim = images.scene(5)
        error = ((rough.astype(float) - flat) ** 2).mean(axis=2)
        beside = np.pad(rim, 1)
        near = np.any([beside[y:y + 240, x:x + 240] for y in range(3) for x in range(3)], axis=0)
        found = measures.on_scene(5, "unfiltered", {})
        for name, where in {"rim": rim, "near": near, "inside": ~near, "all": rim | True}.items():
            self.assertAlmostEqual(found[name], 10 * np.log10(255 ** 2 / error[where].mean()))
            self.assertTrue(18 < found[name] < 32, found)


class Drawings(unittest.TestCase):
    def test_a_grey_texture_is_added(self):
        names = images.drawings()
        self.assertEqual(len(names), 24)
        for name in names[::3]:
            drawing, rough = images.drawing(name)
            grain = rough.astype(int) - drawing
            whole = ((rough > 0) & (rough < 255)).all(axis=2)
            self.assertTrue((grain[whole].max(axis=1) == grain[whole].min(axis=1)).all())
            self.assertGreater(whole.mean(), 0.3, name)
            self.assertTrue(10 < grain.std() < 17, name)
            self.assertEqual(measures.on_drawing(name, "unfiltered", {})["psnr"],
                             10 * np.log10(255 ** 2 / (grain ** 2).mean()))


class Whole(unittest.TestCase):
    def run_quality(self, *arguments):
        return subprocess.run([sys.executable, "-B", ROOT / "bench" / "quality" / "quality.py",
                               *arguments], capture_output=True, text=True)

    def make_photographs(self, folder):
        folder.mkdir()
        for number in range(4):
            flat, rough, _ = (image[60:150, 60:180] for image in images.scene(number))
            cv2.imwrite(str(folder / f"{number}.jpg"), rough[:, :, ::-1])
            cv2.imwrite(str(folder / f"{number}.b1.png"),
                        255 * np.uint8(boundaries.ridges(flat) > 1))

    def test_a_small_set(self):
        with tempfile.TemporaryDirectory() as folder:
            photos, out = pathlib.Path(folder) / "photos", pathlib.Path(folder) / "out"
            self.make_photographs(photos)
            ours = ("preset flat", "preset=flat,refine=0")
            line = [photos, "-o", out, "--filters", "Gaussian", *ours, "--images", "4"]
            done = self.run_quality(*line)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads((out / "quality.json").read_text())
            self.assertEqual(result["boundaries"]["best_baseline"], "Gaussian")
            # Four crops are too few for a lead; it is that of the two scores, with an interval.
            filters, leads = (result["boundaries"][name] for name in ("filters", "leads"))
            self.assertEqual(set(leads), set(ours))
            for name, lead in leads.items():
                self.assertAlmostEqual(lead["lead"], filters[name]["f"] - filters["Gaussian"]["f"])
                self.assertTrue(lead["low"] < lead["lead"] < lead["high"])
            shapes = result["shapes"]["filters"]
            self.assertGreater(shapes["Gaussian"]["all"], shapes["unfiltered"]["all"] + 3)
            self.assertGreater(min(shapes[name]["all"] for name in ours), shapes["Gaussian"]["all"] + 4)
            self.assertGreater(shapes[ours[0]]["rim"], shapes[ours[1]]["rim"] + 4)
            drawings = result["drawings"]["filters"]
            self.assertGreater(drawings["Gaussian"]["psnr"], drawings["unfiltered"]["psnr"])
            row = (f"| **preset flat** | {filters[ours[0]]['f']:.3f} | "
                   f"{filters[ours[0]]['shift_95']:.2f} | {shapes[ours[0]]['rim']:.2f} |")
            self.assertIn(row, (out / "quality.md").read_text())
            self.assertIn("<svg", (out / "quality.svg").read_text())
            # An interrupted run, whose last line is cut off, goes on.
            kept = out / "measurements.jsonl"
            kept.write_text(kept.read_text()[:-30])
            again = self.run_quality(*line)
            self.assertRegex(again.stderr, ": 1 in ")
            self.assertEqual(again.stdout, done.stdout)

    def test_one_measure(self):
        with tempfile.TemporaryDirectory() as out:
            done = self.run_quality("-o", out, "--only", "drawings", "--filters", "bilateral",
                                    "--images", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"\| bilateral \| \d\d\.\d\d \| 0\.\d{3} \|\n")
            self.assertNotIn("shapes", done.stdout)

    def test_bad_arguments(self):
        for line, message in ((["--filters", "good one"], "no filter 'good one'"),
                              (["--only", "boundaries"], "boundaries need a folder"),
                              (["--images", "1"], "two images")):
            done = self.run_quality(*line)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_no_photographs(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_quality(folder, "-o", os.path.join(folder, "out"))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^{folder}: two photographs")


if __name__ == "__main__":
    unittest.main()
