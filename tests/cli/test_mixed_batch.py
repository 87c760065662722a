#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""One batch of images of all formats with damaged ones among them: every good image comes out as in
a run of its own, every damaged one gets one line, and nothing else is left.

COF_BATCH_IMAGES is the number of images (default 60), one in ten of them damaged; ./dev test faults
sets it to 2000.
"""
import concurrent.futures
import os
import random
import re
import sys
import unittest

import command
from command import FolderTest, PHOTOS, load_vips_modules, run_cof, vips

load_vips_modules(needed=False)
IMAGES = int(os.environ.get("COF_BATCH_IMAGES", 60))
DAMAGED = IMAGES // 10
FORMATS = ["png", "jpg", "tif", "webp", "gif", "ppm", "pgm", "pfm", "jp2", "jxl", "avif", "hdr", "fits"]
# Files of these formats may end early, or hold any bytes, without being damaged.
UNCHECKED = ["hdr", "fits"]


def damages(data, source):
    """Ways to damage a file: cut, emptied, replaced by text or by zeros."""
    return [data[:len(data) * source.randrange(20, 60) // 100], b"", b"this is not an image\n",
            data[:4] + bytes(len(data) - 4)]


class MixedBatch(FolderTest):
    def setUp(self):
        super().setUp()
        self.source = random.Random(IMAGES)
        for name in ("in", "out", "single"):
            (self.folder / name).mkdir()

    def templates(self):
        """Some images of each format that this libvips can write and read."""
        made = {}
        for i, (ending, photo) in enumerate((e, p) for e in FORMATS
                                            for p in ("chelsea.png", "coffee.png", "astronaut.png")):
            path = self.folder / f"template{i}.{ending}"
            options = {"pgm": ["--bands", 1], "pfm": ["--bands", 3]}.get(ending)
            try:
                vips("crop", PHOTOS / photo, self.folder / "crop.png", 100 + 7 * i % 60, 60 + 5 * i % 50,
                     24 + i % 17, 18 + i % 11)
                if options == ["--bands", 1]:
                    vips("extract_band", self.folder / "crop.png", path, 1)
                elif ending == "pfm":
                    vips("cast", self.folder / "crop.png", path, "float")
                else:
                    vips("copy", self.folder / "crop.png", path)
                vips("avg", path)
            except RuntimeError:
                path.unlink(missing_ok=True)
                continue
            made.setdefault(ending, []).append(path.read_bytes())
            path.unlink()
        (self.folder / "crop.png").unlink(missing_ok=True)
        return made

    def write_inputs(self):
        """Returns the names of the good and of the damaged files."""
        templates = self.templates()
        self.assertGreater(len(templates), 9, "this libvips supports too few formats")
        checked = [ending for ending in templates if ending not in UNCHECKED]
        bad_numbers = set(self.source.sample(range(IMAGES), DAMAGED))
        good, bad = [], []
        for number in range(IMAGES):
            ending = self.source.choice(checked if number in bad_numbers else list(templates))
            data = self.source.choice(templates[ending])
            name = f"{number:05}.{ending}"
            if number in bad_numbers:
                data = self.source.choice(damages(data, self.source))
            (self.folder / "in" / name).write_bytes(data)
            (bad if number in bad_numbers else good).append(name)
        return good, bad

    def run_alone(self, name):
        return run_cof([f"in/{name}", f"single/{self.output_name(name)}"], self.folder)

    def output_name(self, name):
        """The batch writes formats that cannot be written as PNG."""
        return name if (self.folder / "out" / name).exists() else f"{name}.png"

    @staticmethod
    def content(path):
        """Without the time that libvips writes into some files."""
        data = path.read_bytes()
        return re.sub(rb"#vips2ppm[^\n]*\n", b"", data)

    def test_batch(self):
        good, bad = self.write_inputs()
        names = good + bad
        self.source.shuffle(names)
        done = run_cof([*(f"in/{name}" for name in names), "-o", "out"], self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), len(bad), [line for line in lines if not line.startswith("cof: ")])
        told = sorted(re.match(r"cof: in/(\d{5}\.\w+): \S", line)[1] for line in lines)
        self.assertEqual(told, sorted(bad))
        self.assertEqual(sorted(os.listdir(self.folder / "out")), sorted(map(self.output_name, good)))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            alone = dict(zip(names, pool.map(self.run_alone, names)))
        for name in good:
            self.assertEqual((alone[name].returncode, alone[name].stderr), (0, ""), name)
            output = self.output_name(name)
            self.assertTrue(self.content(self.folder / "single" / output) ==
                            self.content(self.folder / "out" / output), name)
        self.assertEqual({alone[name].returncode for name in bad}, {1})
        self.assertEqual(sorted(os.listdir(self.folder / "single")), sorted(map(self.output_name, good)))
        self.assertEqual(sorted(os.listdir(self.folder)), ["in", "out", "single"])
        kinds = sorted({name.partition(".")[2] for name in good})
        print(f"{len(good)} images of {len(kinds)} formats are equal to single runs, {len(bad)} damaged images "
              f"have a line each", flush=True)


def setUpModule():
    command.setUpModule()


if __name__ == "__main__":
    command.TIMEOUT = 600
    sys.exit(unittest.main())
