#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Streamed images: little memory, and the same bytes as in memory.

COF_LARGE_SIZE (WIDTHxHEIGHT) and COF_LARGE_MEGABYTES ask for another size and limit, for which
there must be room in the folder for temporary files: about 8 bytes a pixel.
"""
import json
import os
import subprocess
import sys
import time
import unittest

import command
from command import COF, ENVIRONMENT, FolderTest, PHOTOS, load_vips_modules, samples, setUpModule, vips

load_vips_modules(needed=False)
WIDTH, HEIGHT = map(int, os.environ.get("COF_LARGE_SIZE", "8000x6000").split("x"))
MEGABYTES = int(os.environ.get("COF_LARGE_MEGABYTES", "230"))
PRESET_MEGABYTES = MEGABYTES + 50  # wide margins
command.TIMEOUT = 3600  # a gigapixel is written several times
ENVIRONMENT["VIPS_CONCURRENCY"] = "2"  # memory grows with the number of threads
MARGIN, CROP_WIDTH, CROP_HEIGHT = 40, 700, 500


def write_large(folder):
    """A photograph, tiled, under a slow gradient: no two tiles are alike."""
    across, down = WIDTH // 600 + 1, HEIGHT // 400 + 1
    vips("replicate", PHOTOS / "coffee.png", folder / "tiled.v", across, down)
    vips("crop", folder / "tiled.v", folder / "cut.v", 0, 0, WIDTH, HEIGHT)
    (folder / "tiled.v").unlink()
    vips("linear", folder / "cut.v", folder / "dark.v", 0.75, 0, "--uchar")
    (folder / "cut.v").unlink()
    vips("grey", folder / "grey.v", WIDTH, HEIGHT, "--uchar")
    vips("linear", folder / "grey.v", folder / "faint.v", 0.25, 0, "--uchar")
    (folder / "grey.v").unlink()
    vips("add", folder / "dark.v", folder / "faint.v", folder / "sum.v")
    for name in ("dark.v", "faint.v"):
        (folder / name).unlink()
    vips("cast", folder / "sum.v", folder / "large.tif[tile,compression=lzw]", "uchar")
    (folder / "sum.v").unlink()


# The peak memory of a process begins with that of the one that starts it, so a small one does.
MEASURE = """import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""


def run_measured(arguments, folder):
    """Returns exit status, seconds and peak memory in megabytes."""
    start = time.monotonic()
    environment = dict(ENVIRONMENT)
    environment.pop("MALLOC_PERTURB_", None)  # it would touch memory that is reserved, but not used
    done = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURE, COF, *map(str, arguments)],
                          cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    return done.returncode, time.monotonic() - start, int(done.stdout) / 1024


class Large(FolderTest):
    def assert_the_same_crop(self, model, x, y):
        for name, left, margin in (("large.tif", "in.png", MARGIN), ("out.tif", "want.png", 0)):
            vips("crop", self.folder / name, self.folder / left, x - margin, y - margin,
                 CROP_WIDTH + 2 * margin, CROP_HEIGHT + 2 * margin)
        self.cof("apply", model, "in.png", "filtered.png")
        vips("crop", self.folder / "filtered.png", self.folder / "found.png", MARGIN, MARGIN,
             CROP_WIDTH, CROP_HEIGHT)
        self.assertEqual(samples(self.folder / "found.png"), samples(self.folder / "want.png"))

    def test_memory_and_bytes(self):
        write_large(self.folder)
        status, seconds, megabytes = run_measured(
            ["--save-model", "m.cof", "large.tif", "out.tif[tile,pyramid,compression=lzw,bigtiff]"],
            self.folder)
        print(f"{WIDTH} x {HEIGHT}: {seconds:.0f} s, {megabytes:.0f} MB", flush=True)
        self.assertEqual(status, 0)
        self.assertLessEqual(megabytes, MEGABYTES)
        for x, y in ((100, 100), (WIDTH // 2, HEIGHT // 2), (WIDTH - 900, HEIGHT - 700)):
            self.assert_the_same_crop("m.cof", x, y)
        status, seconds, megabytes = run_measured(
            ["--preset", "texture", "large.tif", "out.tif[tile,compression=lzw,bigtiff]"],
            self.folder)
        print(f"preset texture: {seconds:.0f} s, {megabytes:.0f} MB", flush=True)
        self.assertEqual(status, 0)
        self.assertLessEqual(megabytes, PRESET_MEGABYTES)

    def test_report(self):
        """A report over tiles equals that of the whole image; --tolerance keeps an image in memory."""
        vips("replicate", PHOTOS / "coffee.png", self.folder / "in.tif", 10, 15)  # 6000 x 6000
        self.cof("learn", "in.tif", "-o", "m.cof")
        for name, options in (("tiles", []), ("whole", ["--tolerance", "1e-12"])):
            self.cof("apply", "m.cof", "in.tif", f"{name}.tif", "--iterations", "2", "--report",
                     f"{name}.json", *options)
        tiles, whole = (json.loads((self.folder / name).read_text())["run"]
                        for name in ("tiles.json", "whole.json"))
        self.assertEqual(samples(self.folder / "tiles.tif"), samples(self.folder / "whole.tif"))
        self.assertEqual((tiles["tiles"], whole["tiles"]), (144, 1))  # each once
        self.assertEqual(tiles["passes"], 2)
        for found, want in zip(tiles["change"], whole["change"], strict=True):
            self.assertAlmostEqual(found / want, 1, places=5)
        for stage in ("colour", "labels", "filter", "store"):
            self.assertGreater(tiles["seconds"][stage], 0)

    def test_presets(self):
        """Images that are downscaled: the same in tiles as in memory, with and without a model."""
        vips("replicate", PHOTOS / "coffee.png", self.folder / "in.tif", 10, 15)  # 6000 x 6000
        for preset in ("texture", "cartoon"):
            options = ("--preset", preset, "--report", "report.json")
            self.cof(*options, "--tolerance", "1e-12", "in.tif", "whole.tif")
            whole = json.loads((self.folder / "report.json").read_text())["run"]
            self.cof(*options, "in.tif", "tiles.tif", "--save-model", "m.cof")
            tiles = json.loads((self.folder / "report.json").read_text())["run"]
            self.assertEqual((tiles["tiles"] > 1, whole["tiles"]), (True, 1))
            self.assertEqual((tiles["passes"], tiles["fast_terms"], tiles["fast_cell"]),
                             (whole["passes"], whole["fast_terms"], whole["fast_cell"]))
            for found, want in zip(tiles["change"], whole["change"], strict=True):
                self.assertAlmostEqual(found / want, 1, places=5)
            self.cof("apply", "m.cof", *options, "in.tif", "applied.tif")
            want = samples(self.folder / "whole.tif")
            self.assertEqual(samples(self.folder / "tiles.tif"), want)
            self.assertEqual(samples(self.folder / "applied.tif"), want)

    def write_with_damage(self, name, share):
        """The large image with 20 kB of zeros in its pixels; in.tif is the whole image."""
        if not (self.folder / "in.tif").exists():
            vips("replicate", PHOTOS / "coffee.png", self.folder / "in.v", 10, 15)  # 6000 x 6000
            vips("cast", self.folder / "in.v", self.folder / "in.tif[tile,compression=deflate]",
                 "uchar")
            self.cof("learn", PHOTOS / "coffee.png", "-o", "m.cof")
        whole = (self.folder / "in.tif").read_bytes()
        at = int(share * len(whole))
        (self.folder / name).write_bytes(whole[:at] + bytes(20000) + whole[at + 20000:])

    def test_damaged(self):
        """A tile that cannot be read, found while tiles are filtered ahead of those written."""
        for share in (0.3, 0.6, 0.9):
            with self.subTest(share=share):
                self.write_with_damage("bad.tif", share)
                self.assert_rejected("apply m.cof bad.tif out.tif", 1, "bad.tif")

    def test_the_damaged_one_is_named(self):
        """Of several large images, while learning and while the output is written."""
        self.write_with_damage("bad.tif", 0.3)
        for arguments in ("apply m.cof in.tif out.tif --guide bad.tif",
                          "apply m.cof in.tif out.tif --apply-mask bad.tif",
                          "in.tif out.tif --guide bad.tif",
                          "in.tif out.tif --mask bad.tif",
                          "--learn-from bad.tif in.tif out.tif",
                          "learn in.tif bad.tif -o bad.cof"):
            with self.subTest(arguments=arguments):
                self.assert_rejected(arguments, 1, "cof: bad.tif: ")

    def test_nodata(self):
        """Pixels without data are the same in tiles as in the whole image."""
        vips("replicate", PHOTOS / "grass.png", self.folder / "in.tif", 12, 12)  # 6144 x 6144
        options = ("--nodata", "60", "--window", "5")
        self.cof("learn", *options, "in.tif", "-o", "m.cof")
        invalid = []
        for name, more in (("tiles", []), ("whole", ["--tolerance", "1e-12"])):
            self.cof("apply", "--quiet", "--nodata", "60", "m.cof", "in.tif", f"{name}.tif", "--report",
                     f"{name}.json", *more)
            report = json.loads((self.folder / f"{name}.json").read_text())["run"]
            self.assertEqual(report["tiles"] > 1, name == "tiles")
            invalid.append(report["invalid_pixels"])
        tiles, whole, before = (samples(self.folder / f"{name}.tif") for name in ("tiles", "whole", "in"))
        self.assertEqual(tiles, whole)
        self.assertNotEqual(tiles, before)
        self.assertEqual(invalid, [before.count(60)] * 2)

    def test_nodata_and_presets(self):
        """Images that are downscaled and lack data: the same in tiles, with less memory."""
        vips("replicate", PHOTOS / "grass.png", self.folder / "in.tif", 12, 12)  # 6144 x 6144
        options = ["--quiet", "--preset", "texture", "--nodata", "60", "in.tif"]
        megabytes, invalid = [], []
        for name, more in (("tiles", []), ("whole", ["--tolerance", "1e-12"])):
            status, _, peak = run_measured(
                [*options, f"{name}.tif", "--report", f"{name}.json", *more], self.folder)
            self.assertEqual(status, 0)
            megabytes.append(peak)
            report = json.loads((self.folder / f"{name}.json").read_text())["run"]
            self.assertEqual(report["tiles"] > 1, name == "tiles")
            invalid.append(report["invalid_pixels"])
        print(f"tiles: {megabytes[0]:.0f} MB, whole image: {megabytes[1]:.0f} MB", flush=True)
        self.assertLess(megabytes[0], 0.75 * megabytes[1])
        tiles, whole, before = (samples(self.folder / f"{name}.tif") for name in ("tiles", "whole", "in"))
        self.assertEqual(tiles, whole)
        self.assertEqual(invalid, [before.count(60)] * 2)


if __name__ == "__main__":
    unittest.main()
