#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The module of libvips: what it lists, what it computes, what it refuses.

COF_VIPS_MODULE names the module, VIPS_LIBDIR the folder that libvips' modules are looked for in.
"""
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

# Pictures, options of the operation, the same for the command.
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

    def vips(self, line, status=0):
        done = subprocess.run(f"vips {line}", shell=True, cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, done.stderr)
        return done


class TheSame(ModuleTest):
    def test_as_the_command(self):
        for picture, of_operation, of_command in CASES:
            with self.subTest(picture=picture, options=of_command):
                self.vips(f"cof {picture} module.png {of_operation}")
                self.cof(*of_command.split(), picture, "command.png")
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


class Help(ModuleTest):
    def test_every_option(self):
        text = self.vips("cof").stdout
        listed = set(re.findall(r"^   ([a-z-]+) +- ", text, re.M))
        self.assertEqual(listed, set("""in out report from model model-blob guide labels matrix filter-window
            filter-sigma border space iterations repeat until method accuracy preset window colours
            levels low high sampling seed sigma softness normalise mask region exact-soft
            palette-from""".split()))
        self.assertIn("allowed: clip, mirror, reflect101\n", text)

    def test_of_learning(self):
        text = self.vips("cof_learn").stdout
        for word in ("filename", "stats", "window", "region"):
            self.assertIn(word, text)


class Refusals(ModuleTest):
    def test_each_in_one_line(self):
        write_grey(self.folder / "small.pgm", 8, 8, [1] * 64)
        (self.folder / "text.cof").write_text("no model")
        self.vips("cof_learn coffee.png --filename m.cof")
        rows = [("--window 8", "odd"), ("--model text.cof", "not a .cof file"),
                ("--model nowhere.cof", "No such file"),
                ("--model m.cof --window 9", "learned already"),
                ("--mask small.pgm", "size"), ("--guide small.pgm", "size"),
                ("--labels small.pgm", "size"), ("--region '1 2'", "four numbers"),
                ("--repeat rolling --model m.cof", "rolling"),
                ("--labels camera.png --guide camera.png", "not both"),
                ("--border wrap", "no member"), ("--matrix camera.png", "256 at most")]
        for options, words in rows:
            with self.subTest(options=options):
                done = self.vips(f"cof coffee.png out.png {options}", status=1)
                self.assertIn(words, done.stderr)
                self.assertFalse((self.folder / "out.png").exists())


if __name__ == "__main__":
    unittest.main()
