#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Results of `cof`, and the effect of each option."""
import itertools
import math
import shutil
import statistics
import unittest

from command import (FolderTest, HEIGHT, PHOTOS, WIDTH, crop_photo, noise, run_cof, samples,
                     setUpModule, shape, vips, write_grey, write_photo, write_rectangle, write_rgb,
                     write_samples)


def shift_of_blocks(before, after, width, side):
    """The mean shift of the colours of square blocks, of RGB."""
    sums = {}
    for i, (a, b) in enumerate(zip(before, after)):
        y, x = divmod(i // 3, width)
        block = (y // side, x // side, i % 3)
        sums[block] = sums.get(block, 0) + b - a
    return sum(map(abs, sums.values()))


def paper_sigma(window):
    return math.sqrt(2 * math.sqrt(window) + 1)


def mirrored(i, size):
    return -1 - i if i < 0 else 2 * size - 1 - i if i >= size else i


def reflected101(i, size):
    return -i if i < 0 else 2 * size - 2 - i if i >= size else i


def clipped(i, size):
    return i if 0 <= i < size else None


def taps(at, size, window, sigma, beyond):
    """Where along one axis the Gaussian looks from one pixel, and the weights there."""
    radius = window // 2
    found = ((beyond(at + d, size), math.exp(-d * d / (2 * sigma * sigma)))
             for d in range(-radius, radius + 1))
    return [(place, weight) for place, weight in found if place is not None]


def gaussian_at(values, bands, rows, columns):
    total, sums = 0, [0] * bands
    for (y, wy), (x, wx) in itertools.product(rows, columns):
        total += wy * wx
        for band in range(bands):
            sums[band] += wy * wx * values[(y * WIDTH + x) * bands + band]
    return [value / total for value in sums]


def gaussian(values, bands, window, sigma, beyond=clipped):
    columns = [taps(x, WIDTH, window, sigma, beyond) for x in range(WIDTH)]
    result = []
    for y in range(HEIGHT):
        rows = taps(y, HEIGHT, window, sigma, beyond)
        for x in range(WIDTH):
            result += gaussian_at(values, bands, rows, columns[x])
    return result


class PlainBlur(FolderTest):
    """With a single label all weights are equal, so the filter is a Gaussian blur."""

    def setUp(self):
        super().setUp()
        write_grey(self.folder / "zeros.pgm", WIDTH, HEIGHT, [0] * (WIDTH * HEIGHT))
        self.grey = noise(WIDTH * HEIGHT)
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, self.grey)
        self.colour = noise(WIDTH * HEIGHT * 3, seed=2)
        write_rgb(self.folder / "colour.ppm", WIDTH, HEIGHT, self.colour)

    def blurred(self, source, *options):
        return samples(self.cof("--labels", "zeros.pgm", "--space", "native", *options, source,
                                "out.png"))

    def assert_close(self, values, expected):
        self.assertEqual(len(values), len(expected))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(values, expected)), 1)

    def test_colour(self):
        expected = gaussian(self.colour, 3, 15, paper_sigma(15))
        self.assert_close(self.blurred("colour.ppm"), expected)

    def test_grey(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15))
        self.assert_close(self.blurred("grey.pgm"), expected)

    def test_window_sets_sigma_and_filter_window(self):
        expected = gaussian(self.grey, 1, 7, paper_sigma(7))
        self.assert_close(self.blurred("grey.pgm", "--window", 7), expected)

    def test_filter_window(self):
        expected = gaussian(self.grey, 1, 9, paper_sigma(9))
        self.assert_close(self.blurred("grey.pgm", "--filter-window", 9), expected)

    def test_filter_sigma(self):
        expected = gaussian(self.grey, 1, 15, 1.25)
        self.assert_close(self.blurred("grey.pgm", "--filter-sigma", 1.25), expected)

    def test_sigma(self):
        expected = gaussian(self.grey, 1, 15, 1.25)
        self.assert_close(self.blurred("grey.pgm", "--sigma", 1.25), expected)

    def test_border_mirror(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15), mirrored)
        self.assert_close(self.blurred("grey.pgm", "--border", "mirror"), expected)

    def test_border_reflect101(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15), reflected101)
        self.assert_close(self.blurred("grey.pgm", "--border", "reflect101"), expected)

    def test_preset_authors(self):
        expected = gaussian(self.grey, 1, 15, 2 * math.sqrt(15) + 1, mirrored)
        self.assert_close(self.blurred("grey.pgm", "--variant", "authors"), expected)

    def test_preset_app(self):
        expected = gaussian(self.grey, 1, 15, 2 * math.sqrt(15) + 1, reflected101)
        self.assert_close(self.blurred("grey.pgm", "--variant", "app"), expected)

    def test_preset_paper(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15))
        self.assert_close(self.blurred("grey.pgm", "--variant", "paper"), expected)

    def test_iterations(self):
        once = gaussian(self.grey, 1, 7, paper_sigma(7))
        twice = gaussian(once, 1, 7, paper_sigma(7))
        self.assert_close(self.blurred("grey.pgm", "--window", 7, "--iterations", 2), twice)


LEFT = WIDTH // 2


def is_left(i):
    return i % WIDTH < LEFT


class WhereToLearn(FolderTest):
    """The left half has other values than the right one, and only the left is learned from."""

    def setUp(self):
        super().setUp()
        low, high = noise(WIDTH * HEIGHT, 1, 0, 90), noise(WIDTH * HEIGHT, 2, 160, 250)
        self.values = [low[i] if is_left(i) else high[i] for i in range(WIDTH * HEIGHT)]
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, self.values)
        write_rectangle(self.folder / "left.pgm", 0, 0, LEFT, HEIGHT)

    def assert_only_left_changes(self, *options):
        after = samples(self.cof(*options, "grey.pgm", "out.png"))
        changed = [after[i] != self.values[i] for i in range(len(after))]
        self.assertEqual(sum(c for i, c in enumerate(changed) if not is_left(i)), 0)
        self.assertGreater(sum(changed), len(changed) // 3)
        # Nothing of the right half has come over, either.
        self.assertLess(max(after[i] for i in range(len(after)) if is_left(i)), 91)

    def test_without_them_all_changes(self):
        after = samples(self.cof("grey.pgm", "out.png"))
        self.assertGreater(sum(after[i] != self.values[i] for i in range(len(after))),
                           len(after) * 2 // 3)

    def test_mask(self):
        self.assert_only_left_changes("--mask", "left.pgm")

    def test_region(self):
        self.assert_only_left_changes("--region", f"0,0,{LEFT},{HEIGHT}")

    def test_mask_and_region_meet(self):
        write_rectangle(self.folder / "top.pgm", 0, 0, WIDTH, HEIGHT // 2)
        expected = self.cof("--region", f"0,0,{LEFT},{HEIGHT // 2}", "grey.pgm", "a.png")
        both = self.cof("--mask", "top.pgm", "--region", f"0,0,{LEFT},{HEIGHT}", "grey.pgm",
                        "b.png")
        self.assertEqual(both.read_bytes(), expected.read_bytes())

    def test_labels(self):
        write_grey(self.folder / "labels.pgm", WIDTH, HEIGHT,
                   (int(not is_left(i)) for i in range(WIDTH * HEIGHT)))
        self.assert_only_left_changes("--labels", "labels.pgm", "--mask", "left.pgm")

    def test_colours_that_were_not_seen(self):
        flat = [(60, 40, 20) if is_left(i) else (20, 200, 250) for i in range(WIDTH * HEIGHT)]
        jitter = noise(WIDTH * HEIGHT, 3, 0, 2)
        values = [channel + jitter[i] for i, colour in enumerate(flat) for channel in colour]
        write_rgb(self.folder / "in.ppm", WIDTH, HEIGHT, values)
        after = samples(self.cof("--mask", "left.pgm", "in.ppm", "out.png"))
        right = [i for i in range(len(after)) if not is_left(i // 3)]
        self.assertEqual([after[i] for i in right], [values[i] for i in right])
        self.assertNotEqual(list(after), values)

    def test_a_region_is_a_mask_that_is_a_rectangle(self):
        write_photo(self.folder / "in.png")
        write_rectangle(self.folder / "mask.pgm", 5, 7, 20, 11)
        by_mask = self.cof("--mask", "mask.pgm", "in.png", "a.png").read_bytes()
        by_region = self.cof("--region", "5,7,20,11", "in.png", "b.png").read_bytes()
        self.assertEqual(by_mask, by_region)
        self.assertNotEqual(by_mask, self.cof("in.png", "c.png").read_bytes())


class KindsOfMasks(FolderTest):
    """A mask counts where any of its channels is not 0, in every format; alpha is no channel."""

    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")
        write_rectangle(self.folder / "grey.pgm", 5, 7, 20, 11)
        self.expected = self.cof("--mask", "grey.pgm", "in.png", "expected.png").read_bytes()
        self.mask = self.folder / "grey.pgm"

    def assert_the_same(self, name):
        result = self.cof("--mask", name, "in.png", "out.png")
        self.assertEqual(result.read_bytes(), self.expected)

    def test_faint(self):
        vips("linear", self.mask, self.folder / "faint.png", 1 / 255, 0, "--uchar")
        self.assert_the_same("faint.png")

    def test_colour_with_one_channel(self):
        values = [value for v in samples(self.mask) for value in (0, 0, v)]
        write_rgb(self.folder / "blue.ppm", WIDTH, HEIGHT, values)
        self.assert_the_same("blue.ppm")

    def test_alpha(self):
        values = bytes(value for v in samples(self.mask) for value in (v, v, v, 255))
        (self.folder / "rgba.raw").write_bytes(values)
        vips("rawload", self.folder / "rgba.raw", self.folder / "rgba.png", WIDTH, HEIGHT, 4,
             "--interpretation", "srgb")
        self.assert_the_same("rgba.png")

    def test_sixteen_bits(self):
        vips("linear", self.mask, self.folder / "float.v", 1 / 255, 0)
        vips("cast", self.folder / "float.v", self.folder / "word.v", "ushort")
        vips("copy", self.folder / "word.v", self.folder / "word.png", "--interpretation", "grey16")
        self.assertIn(" ushort, 1 band", shape(self.folder / "word.png"))
        self.assert_the_same("word.png")

    def test_float(self):
        vips("linear", self.mask, self.folder / "float.tif", 1 / 255 / 1000, 0)
        self.assertIn(" float, 1 band", shape(self.folder / "float.tif"))
        self.assert_the_same("float.tif")


class Options(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")

    def test_threads_do_not_matter(self):
        crop_photo(self.folder / "in.png", 300, 200)
        expected = self.cof_bytes("--threads", 1)
        for threads in (0, 2, 4, 7):
            with self.subTest(threads=threads):
                self.assertEqual(self.cof_bytes("--threads", threads), expected)

    def test_the_same_again(self):
        self.assertEqual(self.cof_bytes(), self.cof_bytes())

    def test_each_option_does_something(self):
        plain = self.cof_bytes("--iterations", 2)
        for option in ["--window 5", "--sigma 0.5", "--colours 3", "--softness 0",
                       "--normalise marginals", "--filter-window 5", "--filter-sigma 9",
                       "--iterations 3", "--update model", "--border mirror", "--space native",
                       "--variant authors", "--variant app", "--region 0,0,9,9"]:
            with self.subTest(option=option):
                result = self.cof_bytes("--iterations", 2, *option.split())
                self.assertNotEqual(result, plain)

    def test_kinds(self):
        self.assertEqual(self.cof_bytes("--kind", "rgb"), self.cof_bytes("--kind", "auto"))
        self.assertNotEqual(self.cof_bytes("--kind", "bands"), self.cof_bytes())

    def test_levels_do_something_to_grey(self):
        write_samples(self.folder / "in.png", 1, "B", "b-w")
        self.assertNotEqual(self.cof_bytes("--levels", 4), self.cof_bytes())
        self.assertEqual(self.cof_bytes("--levels", 256), self.cof_bytes())

    def test_defaults_are_those_of_the_help(self):
        said = """--window 15 --colours 32 --levels 256 --softness 0.75 --normalise counts
            --iterations 1 --border clip --space lab --threads 0 --filter-window 15
            --variant paper --method exact"""
        self.assertEqual(self.cof_bytes(*said.split()), self.cof_bytes())

    def test_strength_and_detail(self):
        shutil.copy(PHOTOS / "chelsea.png", self.folder / "in.png")
        photo = samples(self.folder / "in.png")

        def result(*options):
            return samples(self.cof(*options, "in.png", "out.png"))
        whole = result("--iterations", "3")
        self.assertTrue(result("--strength", "0") == photo)
        self.assertTrue(result("--detail", "1", "--iterations", "3") == photo)
        self.assertTrue(result("--iterations", "3", "--strength", "0.25") ==
                        result("--iterations", "3", "--detail", "0.75"))
        half = result("--iterations", "3", "--strength", "0.5")
        between = [min(a, b) - 2 <= c <= max(a, b) + 2 for a, b, c in zip(photo, whole, half)]
        self.assertGreater(sum(between), 0.999 * len(between))
        self.assertGreater(statistics.pvariance(result("--detail", "3")),
                           statistics.pvariance(photo))

    def test_apply_mask(self):
        """White takes the result, black the input, grey a mixture; of 8 and 16 bits, grey and RGB."""
        shutil.copy(PHOTOS / "chelsea.png", self.folder / "in.png")
        width, height, before = 451, 300, samples(self.folder / "in.png")
        after = samples(self.cof("--iterations", 2, "in.png", "smooth.png"))
        levels = [255 * (x // 50 % 3) // 2 for y in range(height) for x in range(width)]
        write_grey(self.folder / "mask.pgm", width, height, levels)
        write_rgb(self.folder / "mask.ppm", width, height,
                  [level for level in levels for _ in range(3)])
        vips("linear", self.folder / "mask.pgm", self.folder / "mask.v", "257", "0")
        vips("cast", self.folder / "mask.v", self.folder / "mask.tif", "ushort")
        for mask in ("mask.pgm", "mask.ppm", "mask.tif"):
            out = samples(self.cof("--iterations", 2, "--apply-mask", mask, "in.png", "out.png"))
            for i, (a, b, c) in enumerate(zip(before, after, out)):
                level = levels[i // 3]
                if abs(c - (a + (b - a) * level / 255)) > (0 if level in (0, 255) else 1):
                    self.fail(f"{mask}: sample {i} is {c}, of {a} and {b} at {level}")
        self.cof("learn", "in.png", "-o", "m.cof")
        self.cof("apply", "--apply-mask", "mask.pgm", "m.cof", "in.png", "applied.png")
        write_grey(self.folder / "small.pgm", 4, 4, [0] * 16)
        self.assert_rejected("--apply-mask small.pgm in.png no.png", 1, "small.pgm")

    def test_fidelity(self):
        """Each round returns colours of large areas."""
        shutil.copy(PHOTOS / "astronaut.png", self.folder / "in.png")
        photo, moved = samples(self.folder / "in.png"), []
        for rounds in (0, 1, 3):
            out = self.cof("--preset", "texture", "--fidelity", rounds, "in.png", "out.png")
            moved.append(shift_of_blocks(photo, samples(out), 512, 32))
        self.assertLess(moved[1], 0.75 * moved[0])
        self.assertLess(moved[2], 0.75 * moved[1])

    def test_methods(self):
        photo = PHOTOS / "coffee.png"
        results = {}
        for method in ["exact", "fast", "fast --accuracy 35", "auto", "fast --accuracy 70",
                       "auto --filter-window 45", "fast --filter-window 45"]:
            out = self.folder / "out.png"
            self.assertEqual(run_cof(["--method", *method.split(), photo, out],
                                     self.folder).returncode, 0)
            results[method] = samples(out)
        # Not assertEqual, which would print a photograph.
        self.assertTrue(results["auto"] == results["exact"])
        self.assertTrue(results["auto --filter-window 45"] == results["fast --filter-window 45"])
        self.assertTrue(results["fast --accuracy 70"] == results["exact"])
        self.assertFalse(results["fast"] == results["exact"])
        self.assertFalse(results["fast"] == results["fast --accuracy 35"])
        differences = [abs(a - b) for a, b in zip(results["fast"], results["exact"])]
        self.assertGreater(sum(d <= 4 for d in differences), 0.99 * len(differences))

    def test_a_window_of_one_pixel_changes_nothing(self):
        result = self.cof("--window", 1, "in.png", "out.png")
        self.assertEqual(samples(result), samples(self.folder / "in.png"))

    def test_options_win_over_the_preset_wherever_they_stand(self):
        preset = ["--variant", "authors"]
        alone = self.cof_bytes(*preset)
        for option in ["--border clip", "--sigma 0.7", "--filter-sigma 1.5", "--softness 0.75",
                       "--normalise counts"]:
            with self.subTest(option=option):
                after = self.cof_bytes(*preset, *option.split())
                self.assertNotEqual(after, alone)
                self.assertEqual(self.cof_bytes(*option.split(), *preset), after)

    def test_options_may_follow_the_files(self):
        expected = self.cof_bytes("--window", 5, "--border", "mirror")
        done = run_cof(["in.png", "--window=5", "out.png", "--border", "mirror"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out.png").read_bytes(), expected)

    def test_the_last_of_two_wins(self):
        self.assertEqual(self.cof_bytes("--window", 5, "--window", 9),
                         self.cof_bytes("--window", 9))
        self.assertEqual(self.cof_bytes("--variant", "app", "--variant", "authors"),
                         self.cof_bytes("--variant", "authors"))


if __name__ == "__main__":
    unittest.main()
