#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""TIFF files that store their bands separately are read with GDAL, one page at a time."""
import dataclasses
import itertools
import random
import struct
import subprocess
import unittest

from command import COF, ENVIRONMENT, TIMEOUT, header, load_vips_modules, run_cof, setUpModule
from rasters import GeoTest, PLAIN, np, read
from tiff_files import DEFLATE, LONG, NONE, SIZES, Page, text, write_tiff

load_vips_modules(needed=False)
WIDTH, HEIGHT = 45, 37  # no multiples of a strip or a tile
RGB = 2
STORAGES = {"strips": {}, "tiles": {"tile": 16}, "one-strip": {"rows": 1000}}


def page(bands, code, **how):
    """Any bits; floats are numbers."""
    source = random.Random(f"{bands}{code}")
    count = WIDTH * HEIGHT * bands
    values = [source.uniform(-9, 9) for _ in range(count)] if code in "fd" else \
        struct.unpack(f"{count}{code}", source.randbytes(count * SIZES[code]))
    return Page(WIDTH, HEIGHT, bands, code, list(values), **how)


def pixels(one):
    return np.array(one.samples, one.code).reshape(one.height, one.width, one.bands)


class Planar(GeoTest):
    def assert_same(self, path, one):
        found = read(path)
        self.assertEqual(found.dtype, np.dtype(one.code))
        np.testing.assert_array_equal(found, pixels(one))

    def test_samples_are_kept(self):
        """All types, numbers of bands and layouts, with byte orders and compressions in turn."""
        files, codings = {}, itertools.cycle(itertools.product("<>", (NONE, DEFLATE)))
        for code, bands, storage in itertools.product(SIZES, (2, 3, 4, 12), STORAGES):
            order, compression = next(codings)
            name = f"{code}{'-signed' * code.islower()}-{bands}-{storage}-{ord(order)}-{compression}.tif"
            how = {"photometric": RGB} if bands == 3 and code in "BH" else {}
            files[name] = page(bands, code, compression=compression, **STORAGES[storage], **how)
            write_tiff(self.folder / name, [files[name]], order, big=bands == 4)
        self.run_ok("--strength", "0", *files, "-o", "out/")
        for name, one in files.items():
            with self.subTest(name):
                self.assert_same(self.folder / "out" / name, one)

    def test_colours_are_those_of_interleaved_files(self):
        for code in "BH":
            write_tiff(self.source, [page(3, code, photometric=RGB)])
            write_tiff(self.folder / "plain.tif", [page(3, code, photometric=RGB, planar=False)])
            wanted = read(self.cof(*PLAIN, "plain.tif", "wanted.tif"))
            np.testing.assert_array_equal(read(self.cof(*PLAIN, "in.tif", "out.tif")), wanted)
            self.cof(*PLAIN, "--guide", "in.tif", "--learn-from", "in.tif", "plain.tif", "out.tif")
            np.testing.assert_array_equal(read(self.result), wanted)

    def test_pages(self):
        pages = [page(3, "H", photometric=RGB), page(2, "B", tile=16), page(3, "B", planar=False, photometric=RGB)]
        write_tiff(self.source, pages, ">")
        for number, one in enumerate(pages, 1):
            self.run_ok("--strength", "0", "--pages", str(number), "in.tif", "out.tif")
            self.assert_same(self.result, one)
        self.result.unlink()
        for options in ("", "--learn-pages 1 "):
            self.assert_rejected(f"{options}in.tif out.tif", 1, "in.tif: has 3 pages", "--pages N")
        self.assert_rejected("--pages 1-2 in.tif out.tif", 1, "in.tif", "one page at a time")
        self.assert_rejected("in.tif[page=0] out.tif", 1, "in.tif", "stores its bands separately")

    def test_standard_input(self):
        one = page(3, "H", photometric=RGB, compression=DEFLATE)
        write_tiff(self.source, [one])
        with open(self.source, "rb") as file:
            done = subprocess.run([COF, "--strength", "0", "-", "-"], stdin=file, env=ENVIRONMENT, timeout=TIMEOUT,
                                  capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.result.write_bytes(done.stdout)
        self.assert_same(self.result, one)

    def test_metadata(self):
        write_tiff(self.source, [page(3, "H", photometric=RGB, tags={270: text("a planar image")})], ">")
        self.assertEqual(header(self.cof("in.tif", "out.tif"), "image-description"), "a planar image")

    def test_not_with_libvips(self):
        write_tiff(self.source, [page(3, "B")])
        self.assert_rejected("--reader vips in.tif out.tif", 1, "in.tif: stores its bands separately, which only GDAL")

    def test_a_page_that_ends_behind_the_file(self):
        """The last strip of the first page is short; the strips of the second one are nowhere."""
        first = page(3, "B", photometric=RGB, rows=HEIGHT - 1)
        write_tiff(self.source, [first])
        size = self.source.stat().st_size
        for offsets in ([size * 9] * 2, [8, 0xfffffff0], [WIDTH * HEIGHT * 2, size * 9]):
            tags = {273: (LONG, offsets)}
            second = dataclasses.replace(first, planar=False, tags=tags)
            write_tiff(self.source, [first, second, first])
            for number in (1, 3):
                self.run_ok("--strength", "0", "--pages", str(number), "in.tif", "out.tif")
                self.assert_same(self.result, first)
            self.result.unlink()
            self.assert_rejected("--pages 2 in.tif out.tif", 1, "in.tif")

    def test_damaged(self):
        """Cut at any byte, or with a changed byte in the directory: an error, or a result."""
        source = random.Random(1)
        for how in ({}, {"compression": DEFLATE, "tile": 16}):
            write_tiff(self.folder / "whole.tif", [page(3, "H", **how)])
            data = (self.folder / "whole.tif").read_bytes()
            directory = struct.unpack_from("<I", data, 4)[0]
            cut = [data[:source.randrange(len(data))] for _ in range(10)]
            changed = [bytearray(data) for _ in range(30)]
            for one in changed:
                one[source.randrange(directory, len(data))] ^= 1 << source.randrange(8)
            names = [f"in/{i}.tif" for i in range(len(cut) + len(changed))]
            (self.folder / "in").mkdir(exist_ok=True)
            for name, one in zip(names, cut + changed):
                (self.folder / name).write_bytes(one)
            done = run_cof([*names, "-o", "out/"], self.folder)
            self.assertEqual(done.returncode, 1)
            lines = [line for line in done.stderr.splitlines() if not line.startswith("cof: note: ")]
            self.assertTrue(all(line.startswith("cof: in/") for line in lines), done.stderr)
            results = list((self.folder / "out").iterdir())
            self.assertEqual(len(lines) + len(results), len(names))
            self.assertFalse([one for one in results if int(one.stem) < len(cut)])
            for path in results:
                path.unlink()


if __name__ == "__main__":
    unittest.main()
