#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Planar TIFF files give the same results as interleaved ones."""
import dataclasses
import itertools
import random
import struct
import subprocess
import unittest

from command import (COF, ENVIRONMENT, FolderTest, TIMEOUT, header, load_vips_modules, run_cof, samples,
                     setUpModule)
from tiff_files import DEFLATE, LONG, NONE, SHORT, Page, text, write_tiff

load_vips_modules(needed=False)
WIDTH, HEIGHT = 45, 37  # no multiples of a strip or a tile
TYPE_CODES = "BHf"
STORAGES = {"strips": {}, "tiles": {"tile": 16}, "one strip": {"rows": 1000}}


def page(bands, code, **how):
    """A gradient with noise; no two bands are alike."""
    source = random.Random(f"{bands}{code}")
    scale = {"B": 1, "H": 257, "f": 1 / 256, "h": 100, "i": 100}[code]
    values = [scale * ((3 * x + 2 * y + 40 * band) % 220 + source.randint(0, 20))
              for y in range(HEIGHT) for x in range(WIDTH) for band in range(bands)]
    return Page(WIDTH, HEIGHT, bands, code, values, **how)


def interleaved(pages):
    return [dataclasses.replace(one, planar=False, compression=NONE) for one in pages]


class Planar(FolderTest):
    def assert_results_equal(self, files):
        """files: name: (pages, order, big). Both kinds of each file are filtered."""
        names = list(files)
        for kind in ("planar", "interleaved"):
            (self.folder / kind).mkdir()
            for name, (pages, order, big) in files.items():
                pages = interleaved(pages) if kind == "interleaved" else pages
                write_tiff(self.folder / kind / name, pages, order, big)
            self.cof("--window", "5", "--colours", "8", *(f"{kind}/{name}" for name in names),
                     "--format", ".tif[compression=none]", "-o", f"{kind}-out/")
        for name in names:
            with self.subTest(file=name):
                found, wanted, before = ((self.folder / kind / name).read_bytes() for kind in
                                         ("planar-out", "interleaved-out", "planar"))
                self.assertEqual(found, wanted)
                self.assertNotEqual(found, before)

    def test_depth_bands_storage_and_order(self):
        files = {}
        for code, bands, storage, order in itertools.product(TYPE_CODES, (2, 3, 4, 12), STORAGES, "<>"):
            name = f"{code}{bands}-{storage.replace(' ', '')}-{'le' if order == '<' else 'be'}.tif"
            colour = {"photometric": 2} if bands == 3 else {}
            files[name] = ([page(bands, code, **STORAGES[storage], **colour)], order, bands == 4)
        self.assert_results_equal(files)

    def skip_without_libtiff(self):
        write_tiff(self.folder / "probe.tif", [page(2, "B", compression=DEFLATE)])
        done = run_cof(["probe.tif", "probe.png"], self.folder)
        if "without libtiff" in done.stderr:
            self.skipTest("this build has no libtiff")

    def test_compression(self):
        self.skip_without_libtiff()
        self.assert_results_equal({
            f"{code}{storage.replace(' ', '')}{order == '<'}.tif":
                ([page(3, code, compression=DEFLATE, **STORAGES[storage])], order, False)
            for code in TYPE_CODES for storage in STORAGES for order in "<>"})

    def test_signed_samples(self):
        self.assert_results_equal({f"{code}.tif": ([page(3, code)], "<", False) for code in "hi"})

    def test_chosen_page(self):
        """A page of a file whose other page is interleaved; both have strips at the start."""
        pages = [dataclasses.replace(page(2, "H"), planar=False), page(3, "H", tile=16)]
        write_tiff(self.folder / "in.tif", pages, ">")
        write_tiff(self.folder / "alone.tif", interleaved(pages[1:]), ">")
        write_tiff(self.folder / "first.tif", pages[:1], ">")
        self.cof("in.tif[page=1]", "out.tif[compression=none]")
        self.cof("alone.tif", "wanted.tif[compression=none]")
        self.assertEqual((self.folder / "out.tif").read_bytes(),
                         (self.folder / "wanted.tif").read_bytes())
        self.assertEqual(samples(self.cof("in.tif[page=0]", "out.tif"), "H"),
                         samples(self.cof("first.tif", "wanted.tif"), "H"))

    def test_standard_input(self):
        self.skip_without_libtiff()
        for name, how in (("none", {}), ("deflate", {"compression": DEFLATE})):
            write_tiff(self.folder / f"{name}.tif", [page(3, "H", **how)])
            wanted = samples(self.cof(f"{name}.tif", "wanted.tif"), "H")
            done = subprocess.run([COF, "-", "-"], input=(self.folder / f"{name}.tif").read_bytes(),
                                  env=ENVIRONMENT, timeout=TIMEOUT, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            (self.folder / "out.tif").write_bytes(done.stdout)
            self.assertEqual(samples(self.folder / "out.tif", "H"), wanted)

    def test_all_subcommands(self):
        """Images are opened in one place; guides, masks and images to learn from included."""
        for name, pages in (("planar", [page(4, "H")]), ("interleaved", interleaved([page(4, "H")]))):
            write_tiff(self.folder / f"{name}.tif", pages)
            model, mask = f"{name}.cof", f"{name}-mask.png"
            self.cof("learn", f"{name}.tif", "-o", model)
            self.cof("--guide", f"{name}.tif", "--learn-from", f"{name}.tif", f"{name}.tif",
                     f"{name}-guided.tif")
            self.cof("select", f"{name}.tif", "--stroke", "5,5 20,9:3", "-o", mask)
        for ending in (".cof", "-guided.tif", "-mask.png"):
            self.assertEqual((self.folder / f"planar{ending}").read_bytes(),
                             (self.folder / f"interleaved{ending}").read_bytes(), ending)

    def test_metadata(self):
        tags = {270: text("a planar image"), 305: text("a program")}
        write_tiff(self.folder / "in.tif", [page(3, "H", tags=tags)], ">")
        result = self.cof("in.tif", "out.tif")
        self.assertEqual(header(result, "image-description"), "a planar image")

    def test_rejected(self):
        subsampled = page(3, "B", photometric=6)
        twelve = page(3, "H", tags={258: (SHORT, [12] * 3)})
        differing = page(3, "H", tags={258: (SHORT, [16, 16, 8])})
        few = page(3, "H", tags={273: (LONG, [8, 100])})
        no_size = page(3, "H", tags={256: (LONG, [0])})
        for words, bad in (("subsampled", subsampled), ("bits", twelve), ("depth", differing),
                           ("not all there", few), ("size", no_size)):
            with self.subTest(words):
                write_tiff(self.folder / "in.tif", [bad])
                self.assert_rejected("in.tif out.tif", 1, "in.tif: is a planar TIFF", words)

    def test_damaged(self):
        """Cut at any byte, or with a changed byte in the header: an error, or a result."""
        for how in ({}, {"compression": DEFLATE, "tile": 16}):
            write_tiff(self.folder / "whole.tif", [page(3, "H", **how)])
            data = (self.folder / "whole.tif").read_bytes()
            source = random.Random(1)
            damaged = [data[:source.randrange(len(data))] for _ in range(10)]
            directory = struct.unpack_from("<I", data, 4)[0]
            for _ in range(30):
                changed = bytearray(data)
                changed[source.randrange(directory, len(data))] ^= 1 << source.randrange(8)
                damaged.append(bytes(changed))
            (self.folder / "in").mkdir(exist_ok=True)
            for i, one in enumerate(damaged):
                (self.folder / "in" / f"{i}.tif").write_bytes(one)
            done = run_cof([*(f"in/{i}.tif" for i in range(len(damaged))), "-o", "out/"], self.folder)
            self.assertEqual(done.returncode, 1)
            lines = done.stderr.splitlines()
            self.assertTrue(all(line.startswith("cof: in/") for line in lines), done.stderr)
            self.assertEqual(len(lines) + len(list((self.folder / "out").iterdir())), len(damaged))
            for path in (self.folder / "out").iterdir():
                path.unlink()


if __name__ == "__main__":
    unittest.main()
