#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The libvips module: arguments, results and errors.

COF_VIPS_MODULE names the module, VIPS_LIBDIR the folder that libvips' modules are looked for in.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import (ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT, noise,  # noqa: E402
                     setUpModule as write_nothing, write_grey, write_samples)

MODULE = os.environ["COF_VIPS_MODULE"]
LIBDIR = pathlib.PurePath(os.environ["VIPS_LIBDIR"]).name
VERSION = subprocess.run(["vips", "--version"], capture_output=True, text=True,
                         check=True).stdout.split("-")[1]

# Images, options of the operation, the same for the command.
CASES = [
    ("coffee.png", "", ""),
    ("camera.png", "", ""),
    ("rocket.jpg", "--window 7 --iterations 2", "--window 7 --iterations 2"),
    ("chelsea.png", "--preset authors", "--preset authors"),
    ("ihc.png", "--colours 8 --softness 0", "--colours 8 --softness 0"),
    ("gravel.png", "--levels 32 --border mirror", "--levels 32 --border mirror"),
    ("astronaut.png", "--method fast --filter-window 31", "--method fast --filter-window 31"),
    ("coffee.png", "--repeat rolling --iterations 2", "--rolling --iterations 2"),
    ("coffee.png", "--region '10 20 200 100' --space as-is", "--region 10,20,200,100 --space rgb"),
    ("chelsea.png", "--from coffee.png --until 1 --iterations 5",
     "--from coffee.png --until 1 --iterations 5"),
    ("chelsea.png", "--exact-soft --colours 8", "--exact-soft --colours 8"),
    ("wide.png", "--repeat relabel --iterations 2", "--relabel --iterations 2"),
    ("coffee.png", "--look texture", "--look texture"),
    ("camera.png", "--window 7 --look cartoon", "--window 7 --look cartoon"),
    ("coffee.png", "--coarse 3 --preset authors", "--coarse 3 --preset authors"),
    ("coffee.png", "--look none --preset authors", "--preset authors"),
    ("coffee.png", "--look texture --coarse 1 --repeat rolling --iterations 2",
     "--look texture --coarse 1 --rolling --iterations 2"),
    ("large.png", "--look subtle", "--look subtle"),
    ("large.png", "--look texture --region '200 100 600 600'",
     "--look texture --region 200,100,600,600"),
]


def setUpModule():
    write_nothing()


class ModuleTest(FolderTest):
    def setUp(self):
        super().setUp()
        home = self.folder / "home" / LIBDIR / f"vips-modules-{'.'.join(VERSION.split('.')[:2])}"
        home.mkdir(parents=True)
        (home / "vips-cof.so").symlink_to(MODULE)
        self.environment = {**ENVIRONMENT, "VIPSHOME": str(self.folder / "home")}
        for photo in PHOTOS.glob("*.*g"):
            (self.folder / photo.name).symlink_to(photo)
        write_samples(self.folder / "wide.png", 4, "H", "rgb16")

    def make_large(self):
        """Writes an image that looks downscale by 2."""
        self.vips("resize coffee.png large.png 2")

    def assert_same_files(self, *names):
        one, other = ((self.folder / name).read_bytes() for name in names)
        self.assertTrue(one == other)

    def vips(self, line, status=0):
        done = subprocess.run(f"vips {line}", shell=True, cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, done.stderr)
        return done


class TheSame(ModuleTest):
    def test_as_the_command(self):
        self.make_large()
        for image, of_operation, of_command in CASES:
            with self.subTest(image=image, options=of_command):
                self.vips(f"cof {image} module.png {of_operation}")
                self.cof(*of_command.split(), image, "command.png")
                self.assertEqual((self.folder / "module.png").read_bytes(),
                                 (self.folder / "command.png").read_bytes())

    def test_mask_guide_and_labels(self):
        write_grey(self.folder / "labels.pgm", 600, 400, [v % 7 for v in noise(240000)])
        for options in ("--mask labels.pgm", "--guide labels.pgm", "--labels labels.pgm"):
            with self.subTest(options=options):
                self.vips(f"cof coffee.png module.png {options}")
                self.cof(*options.split(), "coffee.png", "command.png")
                self.assertEqual((self.folder / "module.png").read_bytes(),
                                 (self.folder / "command.png").read_bytes())

    def test_learning(self):
        self.vips("cof_learn 'coffee.png chelsea.png' --filename module.cof --window 9")
        self.cof("learn", "coffee.png", "chelsea.png", "-o", "command.cof", "--window", 9)
        self.assertEqual((self.folder / "module.cof").read_bytes(),
                         (self.folder / "command.cof").read_bytes())
        self.vips("cof ihc.png module.png --model module.cof")
        self.cof("apply", "command.cof", "ihc.png", "command.png")
        self.assertEqual((self.folder / "module.png").read_bytes(),
                         (self.folder / "command.png").read_bytes())


class Presets(ModuleTest):
    """Looks at 600 x 400 pixels and twice that size, compared with the options that the command reports."""

    def setUp(self):
        super().setUp()
        self.make_large()
        self.cof("--look", "texture", "--report", "r.json", "coffee.png", "x.png")
        told = json.loads((self.folder / "r.json").read_text())["options"]
        self.small = " ".join(f"--{name} {told[name]}" for name in ("window", "colours", "softness"))
        self.large = f"{self.small} --coarse 2"
        self.filter = " ".join(f"--{name} {told[name]}" for name in ("iterations", "method"))

    def assert_alike(self, look, options, operation="cof coffee.png {}.v"):
        self.vips(f"{operation.format('look')} {look}")
        self.vips(f"{operation.format('options')} {options}")
        self.assert_same_files("look.v", "options.v")

    def test_options(self):
        self.assert_alike("--look texture", f"{self.small} {self.filter}")
        self.assert_alike("--look texture", f"{self.large} {self.filter}", "cof large.png {}.v")
        self.assert_alike("--look texture --coarse 3 --method exact --iterations 4",
                          f"{self.small} --coarse 3 --method exact --iterations 4")

    def learn(self, arguments, name):
        self.vips(f"cof_learn {arguments} --filename {name}")

    def test_learning(self):
        self.learn("large.png --look texture", "look.cof")
        self.learn(f"large.png {self.large}", "options.cof")
        self.assert_same_files("look.cof", "options.cof")
        self.assert_alike("--look texture --from large.png", f"--model look.cof {self.filter}")
        self.assert_alike("--look texture --model look.cof", f"--model look.cof {self.filter}")
        self.assert_alike("--look texture --model look.cof --iterations 1 --method exact",
                          "--model look.cof")

    def test_learning_from_two_sizes(self):
        """Each image has its own downscaling factor, not one for all."""
        self.learn("'large.png coffee.png' --look texture", "look.cof")
        learned = {(self.folder / "look.cof").read_bytes()}
        for factor in (1, 2):
            self.learn(f"'large.png coffee.png' {self.small} --coarse {factor}", "all.cof")
            learned.add((self.folder / "all.cof").read_bytes())
        self.assertEqual(len(learned), 3)
        self.assert_alike("--look texture --from 'large.png coffee.png'",
                          f"--model look.cof {self.filter}")

    def test_guide_and_mask(self):
        self.vips("extract_band large.png band.png 1")
        self.learn("band.png --look texture", "guide.cof")
        self.assert_alike("--look texture --guide band.png",
                          f"--model guide.cof {self.filter} --coarse 2 --guide band.png",
                          "cof large.png {}.v")
        self.vips("relational_const band.png mask.png moreeq 128")
        self.learn("large.png --look texture --mask mask.png", "masked.cof")
        self.assert_alike("--look texture --mask mask.png",
                          f"--model masked.cof {self.filter} --coarse 2", "cof large.png {}.v")
        self.assert_alike("--look texture --from large.png --mask mask.png",
                          f"--model masked.cof {self.filter}")

    def test_an_image_that_would_be_streamed(self):
        """Above 2^25 pixels the image is still processed as a whole, with or without a model."""
        self.vips("resize camera.png huge.v 11.5 --kernel nearest")
        self.learn("huge.v --look subtle", "huge.cof")
        self.assert_alike("--look subtle", "--look subtle --model huge.cof", "cof huge.v {}.v")


class Help(ModuleTest):
    def test_every_option(self):
        text = self.vips("cof").stdout
        listed = set(re.findall(r"^   ([a-z-]+) +- ", text, re.M))
        self.assertEqual(listed, set("""in out report from model model-blob guide labels matrix filter-window
            filter-sigma border space iterations repeat until method accuracy preset window colours
            levels low high sampling seed sigma softness normalise mask region exact-soft
            palette-from look coarse""".split()))
        self.assertIn("allowed: clip, mirror, reflect101\n", text)
        self.assertIn("allowed: none, subtle, texture, cartoon\n", text)

    def test_of_learning(self):
        text = self.vips("cof_learn").stdout
        for word in ("filename", "stats", "window", "region", "look", "coarse"):
            self.assertIn(word, text)


class RejectedInput(ModuleTest):
    def test_each_in_one_line(self):
        write_grey(self.folder / "small.pgm", 8, 8, [1] * 64)
        write_grey(self.folder / "grey.pgm", 600, 400, [1] * 240000)
        (self.folder / "text.cof").write_text("no model")
        self.vips("cof_learn coffee.png --filename m.cof")
        rows = [("--window 8", "odd"), ("--model text.cof", "not a .cof file"),
                ("--model nowhere.cof", "No such file"),
                ("--model m.cof --window 9", "learned already"),
                ("--mask small.pgm", "size"), ("--guide small.pgm", "size"),
                ("--labels small.pgm", "size"), ("--region '1 2'", "four numbers"),
                ("--repeat rolling --model m.cof", "rolling"),
                ("--labels camera.png --guide camera.png", "not both"),
                ("--border wrap", "no member"), ("--matrix camera.png", "256 at most"),
                ("--look soft", "no member"), ("--look texture --preset paper", "a preset"),
                ("--look texture --labels grey.pgm", "labels cannot be reduced"),
                ("--coarse 2 --labels grey.pgm", "labels cannot be reduced"),
                ("--look texture --repeat rolling", "not rolling"),
                ("--coarse 2 --repeat rolling", "not rolling"),
                ("--look texture --exact-soft", "exact_soft"),
                ("--coarse 2 --exact-soft", "exact_soft"),
                ("--look cartoon --guide grey.pgm", "not with a guide"),
                ("--look texture --model m.cof --window 9", "learned already")]
        for options, words in rows:
            with self.subTest(options=options):
                done = self.vips(f"cof coffee.png out.png {options}", status=1)
                self.assertIn(words, done.stderr)
                self.assertFalse((self.folder / "out.png").exists())


if __name__ == "__main__":
    unittest.main()
