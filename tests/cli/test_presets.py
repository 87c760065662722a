#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Presets and filtering downscaled: their options and their results."""
import functools
import json
import math
import pathlib
import subprocess
import tempfile
import unittest

from command import (COF, ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT, measures, samples, setUpModule,
                     shape, vips, write_grey)

PRESETS = ("subtle", "texture", "cartoon", "flat", "video", "portrait", "drawing")
ENLARGED = 4
WIDTH, HEIGHT = 1200, 800  # of the large one; what is larger than 800 x 800 is reduced


@functools.cache
def photos():
    """The bytes of a small photograph, and of the same photograph enlarged."""
    with tempfile.TemporaryDirectory(prefix="cof-test-") as folder:
        small, large = (pathlib.Path(folder) / name for name in ("small.png", "large.png"))
        vips("resize", PHOTOS / "coffee.png", small, WIDTH / ENLARGED / 600)
        vips("resize", small, large, ENLARGED)
        return small.read_bytes(), large.read_bytes()


def psnr(one, other):
    error = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / len(one)
    return 10 * math.log10(255 ** 2 / error) if error else math.inf


class PresetTest(FolderTest):
    def setUp(self):
        super().setUp()
        for name, photo in zip(("small.png", "large.png"), photos()):
            (self.folder / name).write_bytes(photo)

    # --quiet: options that have no effect on an image give notes.

    def made(self, *arguments):
        """The pixels of the command's output. File bytes would differ, since files store the options."""
        return bytes(samples(self.cof(*arguments, "--quiet", "out.png")))

    def reported(self, *arguments):
        self.cof(*arguments, "--quiet", "--report", "r.json", "out.png")
        return json.loads((self.folder / "r.json").read_text())

    def assert_same(self, one, other):
        self.assertTrue(one == other)  # assertEqual would print a photograph

    def assert_differ(self, one, other):
        self.assertFalse(one == other)


def as_words(options):
    """The options of a report as command-line options."""
    words = ["--update", options["update"]]
    for name in ("window", "sigma", "colours", "levels", "palettes", "softness", "separation",
                 "iterations", "downscale", "refine", "method"):
        words += [f"--{name}", options[name]]
    return words


class Made(PresetTest):
    """A preset equals its options."""

    def test_a_preset_is_its_options(self):
        wider = {"flat": 3}  # so that its window stays within the range
        for name, downscale in (("small.png", 1), ("large.png", 2)):
            results = set()
            for preset in PRESETS:
                if downscale > 1:
                    downscale = wider.get(preset, 2)
                with self.subTest(name=name, preset=preset):
                    report = self.reported("--preset", preset, name)
                    by_preset = bytes(samples(self.folder / "out.png"))
                    options = report["options"]
                    self.assertEqual((report["preset"], options["downscale"]), (preset, downscale))
                    self.assertEqual(report["run"]["passes"], options["iterations"])
                    self.assertEqual(len(report["run"]["change"]), options["iterations"])
                    self.assertGreater(options["iterations"], 1)
                    self.assert_same(self.made(*as_words(options), name), by_preset)
                    results.add(by_preset)
            self.assertEqual(len(results), len(PRESETS))

    def test_windows_follow_the_size(self):
        small, large = (self.reported("--preset", "texture", name)["options"]
                        for name in ("small.png", "large.png"))
        covered = large["window"] * large["downscale"] / ENLARGED
        self.assertLess(abs(covered - small["window"]), large["downscale"])

    def test_options_win_wherever_they_stand(self):
        preset = ["--preset", "texture"]
        alone = self.made(*preset, "small.png")
        for option in ("--window 7", "--colours 5", "--softness 1", "--iterations 2", "--downscale 2",
                       "--refine 5", "--border mirror", "--sigma 2", "--filter-sigma 2",
                       "--update labels", "--filter-window 9", "--normalise marginals", "--space native",
                       "--tolerance 1e9"):
            with self.subTest(option=option):
                after = self.made(*preset, *option.split(), "small.png")
                self.assert_differ(after, alone)
                self.assert_same(self.made(*option.split(), *preset, "small.png"), after)
        # With a small window, the fast method is the exact one.
        fast = [*preset, "--filter-window", "33"]
        self.assert_differ(self.made(*fast, "--method", "exact", "small.png"),
                           self.made(*fast, "small.png"))

    def test_the_report_tells_of_them(self):
        given = {"window": 7, "colours": 5, "levels": 9, "softness": 1, "iterations": 3,
                 "downscale": 2, "method": "exact", "border": "mirror", "normalise": "marginals",
                 "sigma": 2, "filter_window": 9, "filter_sigma": 3, "tolerance": 0.5, "accuracy": 40}
        words = [word for name, value in given.items()
                 for word in (f"--{name.replace('_', '-')}", value)]
        told = self.reported("--preset", "texture", *words, "small.png")["options"]
        self.assertEqual({name: told[name] for name in given}, given)
        told = self.reported("--preset", "texture", "--update", "labels", "small.png")["options"]
        self.assertEqual(told["update"], "labels")

    def test_size(self):
        """Fine and coarse: what an image with sides that are half or twice as long gets."""
        for preset in PRESETS:
            plain, fine, coarse = (
                self.reported("--preset", preset, "--size", size, name)["options"]
                for size, name in ((1, "small.png"), (1 / ENLARGED, "large.png"), (4, "small.png")))
            self.assertEqual((fine["size"], coarse["size"]), (1 / ENLARGED, 4))
            self.assertEqual({**fine, "size": 1}, plain)
            self.assertEqual({**coarse, "size": 1},
                             self.reported("--preset", preset, "large.png")["options"])
        self.assert_same(self.made("--size", 2, "--preset", "texture", "small.png"),
                         self.made(*as_words(self.reported("--preset", "texture", "--size", 2,
                                                           "small.png")["options"]), "small.png"))

    def test_the_last_preset_wins(self):
        self.assert_same(self.made("--preset", "cartoon", "--preset", "subtle", "small.png"),
                         self.made("--preset", "subtle", "small.png"))

    def test_grey(self):
        vips("colourspace", self.folder / "large.png", self.folder / "grey.png", "b-w")
        options = self.reported("--preset", "texture", "grey.png")["options"]
        self.assert_same(self.made(*as_words(options), "grey.png"),
                         self.made("--preset", "texture", "grey.png"))

    @measures
    def test_a_large_image_shows_what_a_small_one_does(self):
        """Two scales come close to a window as large as the image asks for.

        Even that is not quite like the small image: an enlarged photograph is blurred, so that
        more colours co-occur.
        """
        options = self.reported("--preset", "texture", "small.png")["options"]
        small = samples(self.folder / "out.png")
        full = {"window": options["window"] * ENLARGED // 2 * 2 + 1,
                "sigma": options["sigma"] * ENLARGED, "downscale": 1, "filter-downscale": 1}

        def likeness(*words):
            self.cof("--preset", "texture", *words, "large.png", "x.png")
            vips("resize", self.folder / "x.png", self.folder / "y.png", 1 / ENLARGED)
            self.assertEqual(shape(self.folder / "y.png"), shape(self.folder / "small.png"))
            return psnr(small, samples(self.folder / "y.png"))

        downscaled = likeness()
        one_scale = likeness(*(word for name, value in full.items() for word in (f"--{name}", value)))
        before = psnr(small, samples(self.folder / "small.png"))
        print(f"large and small, after --preset texture: {downscaled:.1f} dB, with a window of "
              f"{full['window']} {one_scale:.1f} dB, before {before:.1f} dB", flush=True)
        self.assertGreater(downscaled, one_scale - 1.5)
        self.assertGreater(downscaled, before + 3)

    def test_with_downscale_1_it_goes_with_all(self):
        self.cof("--preset", "texture", "--downscale", 1, "--update", "model", "--iterations", 2, "small.png",
                 "x.png")
        self.assertEqual(shape(self.folder / "x.png"), shape(self.folder / "small.png"))


class Learned(PresetTest):
    """Learning options follow the size of the image learned from."""

    def test_models(self):
        for preset in PRESETS:
            with self.subTest(preset=preset):
                direct = self.made("--preset", preset, "large.png")
                self.assert_same(self.made("--preset", preset, "--save-model", "m.cof", "large.png"),
                                 direct)
                self.assert_same(self.made("--preset", preset, "--model", "m.cof", "large.png"), direct)
                self.cof("learn", "--preset", preset, "large.png", "-o", "learned.cof")
                self.assertEqual((self.folder / "learned.cof").read_bytes(),
                                 (self.folder / "m.cof").read_bytes())
                self.cof("learn", "--preset", preset, "--stats", "large.png", "-o", "s.cof")
                self.assert_same(self.made("apply", "--preset", preset, "s.cof", "large.png"), direct)

    def test_a_model_needs_no_preset(self):
        self.cof("learn", "--preset", "texture", "small.png", "-o", "m.cof")
        plain = self.made("apply", "m.cof", "small.png")
        self.assert_differ(self.made("apply", "--preset", "texture", "m.cof", "small.png"), plain)
        once = ["--iterations", 1, "--method", "exact", "--refine", 0]
        by_preset = self.made("apply", "--preset", "texture", *once, "m.cof", "small.png")
        self.assert_same(by_preset, plain)

    def learned(self, *arguments):
        self.cof("learn", *arguments, "-o", "l.cof")
        return (self.folder / "l.cof").read_bytes()

    def test_from_others(self):
        """Options for learning, downscale among them, follow the first image to learn from."""
        sizes = {name: self.reported("--preset", "texture", name)["options"]
                 for name in ("small.png", "large.png")}
        self.assertNotEqual(sizes["small.png"]["window"], sizes["large.png"]["window"])
        for first, second in (("small.png", "large.png"), ("large.png", "small.png")):
            with self.subTest(first=first):
                preset = ["--preset", "texture"]
                report = self.reported(*preset, "--learn-from", first, "--learn-from", second,
                                       "small.png")
                by_preset = bytes(samples(self.folder / "out.png"))
                for name in ("window", "downscale"):
                    self.assertEqual(report["options"][name], sizes[first][name])
                both = self.learned(*preset, first, second)
                self.assert_same(self.made("apply", *preset, "l.cof", "small.png"), by_preset)
                explicit = ["--downscale", sizes[first]["downscale"]]
                self.assertEqual(self.learned(*preset, *explicit, first, second), both)

    def test_statistics_of_different_scales(self):
        """Counts of images that were downscaled differently cannot be added."""
        self.cof("learn", "--colours", 8, "large.png", "-o", "palette.cof")
        for downscale in (2, 1):
            self.cof("learn", "--palette-from", "palette.cof", "--stats", "--downscale", downscale,
                     "large.png", "-o", f"{downscale}.cof")
        self.assert_rejected("merge 2.cof 1.cof -o merged.cof", 1, "1.cof", "options")

    def test_guide_mask_and_region(self):
        vips("colourspace", self.folder / "large.png", self.folder / "guide.png", "b-w")
        write_grey(self.folder / "mask.pgm", WIDTH, HEIGHT,
                   (255 * (300 <= x < 900 and 200 <= y < 620)
                    for y in range(HEIGHT) for x in range(WIDTH)))
        plain = self.made("--preset", "texture", "large.png")
        region = ["--region", "300,200,600,420"]  # whole pixels of the reduced image
        by_mask = self.made("--preset", "texture", "--mask", "mask.pgm", "large.png")
        self.assert_same(self.made("--preset", "texture", *region, "large.png"), by_mask)
        self.assert_differ(by_mask, plain)
        self.cof("learn", "--preset", "texture", *region, "large.png", "-o", "m.cof")
        self.assert_same(self.made("apply", "--preset", "texture", "m.cof", "large.png"), by_mask)
        guided = self.made("--preset", "texture", "--guide", "guide.png", "large.png")
        self.assert_differ(guided, plain)
        self.cof("learn", "--preset", "texture", "guide.png", "-o", "m.cof")
        self.assert_same(self.made("apply", "--preset", "texture", "m.cof", "--guide", "guide.png",
                                   "large.png"), guided)


class Reduced(PresetTest):
    def test_downscaled(self):
        plain = self.made("small.png")
        by_factor = [self.made("--downscale", factor, "small.png") for factor in (1, 2, 3)]
        self.assert_same(by_factor[0], plain)
        self.assertEqual(len(set(by_factor)), 3)

    def test_with_a_variant_and_a_palette(self):
        self.cof("learn", "--colours", 8, "small.png", "-o", "p.cof")
        results = [self.made("--downscale", 2, *more, "small.png")
                   for more in ([], ["--variant", "authors"], ["--palette-from", "p.cof"])]
        self.assertEqual(len(set(results)), 3)

    def test_a_matrix(self):
        """A matrix of ones blurs the downscaled image."""
        (self.folder / "ones.csv").write_text("1,1\n1,1\n")
        blurred = self.made("--downscale", 2, "--matrix", "ones.csv", "small.png")
        self.assert_differ(blurred, self.made("--matrix", "ones.csv", "small.png"))
        self.cof("--preset", "texture", "--matrix", "ones.csv", "small.png", "x.png")

    def test_threads_do_not_matter(self):
        results = {self.made("--preset", "texture", "--threads", n, "large.png") for n in (1, 3)}
        self.assertEqual(len(results), 1)

    def test_many(self):
        self.cof("--preset", "subtle", "small.png", "large.png", "-o", "out")
        for name in ("small.png", "large.png"):
            self.assert_same(bytes(samples(self.folder / "out" / name)),
                             self.made("--preset", "subtle", name))

    def test_raw_frames(self):
        vips("rawsave", self.folder / "large.png", self.folder / "frame.raw")
        frame = (self.folder / "frame.raw").read_bytes()
        line = f"--raw {WIDTH}x{HEIGHT}:rgb24 --preset subtle - -"
        done = subprocess.run([COF, *line.split()], input=frame, env=ENVIRONMENT,
                              capture_output=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assert_same(done.stdout, self.made("--preset", "subtle", "large.png"))

    def test_published_figures(self):
        passes = self.reported("--preset", "texture", "large.png")["options"]["iterations"]
        self.cof("show", "--convergence", "--preset", "texture", "large.png", "-o", "c.svg")
        self.assertEqual((self.folder / "c.svg").read_text().count('stroke="#b2182b"'), passes - 1)
        self.cof("show", "--preset", "cartoon", "small.png", "-o", "sheet.svg")
        self.cof("learn", "--preset", "cartoon", "small.png", "-o", "m.cof")
        self.cof("learn", "--preset", "cartoon", "--stats", "small.png", "-o", "s.cof")
        # Statistics do not tell the size of the image, which the preset's sigma depends on.
        sigma = self.reported("--preset", "cartoon", "small.png")["options"]["sigma"]
        for name in ("m", "s"):
            self.cof("show", "--preset", "cartoon", "--sigma", sigma, f"{name}.cof", "-o",
                     f"{name}.svg")
        self.assertEqual((self.folder / "s.svg").read_text(), (self.folder / "m.svg").read_text())


if __name__ == "__main__":
    unittest.main()
