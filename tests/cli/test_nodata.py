#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pixels without data: not counted, not averaged, left as they are; notes about lost tags.

test_geo.py tests files that GDAL reads."""
import array
import json
import math
import random
import unittest

from command import FolderTest, run_cof, samples, setUpModule, write_grey
from tiff_files import DOUBLE, GDAL_NODATA, LONG, PIXEL_SCALE, SHORT, Page, text, write_tiff

WIDTH, HEIGHT = 50, 40
HOLE = {(x, y) for x in range(18, 31) for y in range(12, 24)} | {(x, 0) for x in range(WIDTH)}
PLAIN = ("--window", "7")


def page(code, bands, nodata, hole_bands=None, **how):
    """A gradient with noise and a hole in some of its bands."""
    source = random.Random(code + str(bands))
    scale = 0.01 if code in "fd" else 1
    values = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for band in range(bands):
                inside = (x, y) in HOLE and (hole_bands is None or band in hole_bands)
                values.append(nodata if inside else scale * (40 + x + 30 * band + source.randint(0, 15)))
    return Page(WIDTH, HEIGHT, bands, code, values, planar=False, **how)


def tagged(nodata):
    return {"tags": {GDAL_NODATA: text(nodata)}}


def is_hole(index, bands):
    pixel = index // bands
    return (pixel % WIDTH, pixel // WIDTH) in HOLE


class Nodata(FolderTest):
    def write(self, name, *arguments, order="<", **how):
        one = page(*arguments, **how)
        self.bands = one.bands
        write_tiff(self.folder / name, [one], order)
        return one.samples

    def values(self, name, code):
        return samples(self.folder / name, code)

    def assert_like_nan(self, name, bands, nodata):
        """The result equals that of NaN in the same places."""
        self.write("nan.tif", "f", bands, math.nan)
        self.cof(*PLAIN, "nan.tif", "wanted.fits")
        found, wanted = self.values(name, "f"), self.values("wanted.fits", "f")
        for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
            self.assertEqual(a, nodata if is_hole(i, bands) else b, i)

    def test_value_of_the_file(self):
        for nodata, order in (("-9999", "<"), ("-3.4028234663852886e+38", ">"), (" 0.1 ", "<")):
            with self.subTest(nodata=nodata):
                value = array.array("f", [float(nodata)])[0]
                self.write("in.tif", "f", 1, value, order=order, **tagged(nodata))
                done = run_cof([*PLAIN, "--report", "r.json", "in.tif", "out.fits"], self.folder)
                self.assertEqual((done.returncode, done.stderr), (
                    0, "cof: note: in.tif: the no-data value is not kept in out.fits\n"))
                self.assert_like_nan("out.fits", 1, value)
                report = json.loads((self.folder / "r.json").read_text())
                self.assertEqual(report["run"]["invalid_pixels"], len(HOLE))

    def test_value_of_the_option(self):
        self.write("in.tif", "f", 1, -9999)
        self.cof(*PLAIN, "--nodata", "-9999", "in.tif", "out.fits")
        self.assert_like_nan("out.fits", 1, -9999)
        self.write("tagged.tif", "f", 1, -9999, **tagged("-1"))
        self.cof(*PLAIN, "--quiet", "--nodata", "-9999", "tagged.tif", "out.fits")
        self.assert_like_nan("out.fits", 1, -9999)

    def test_none_and_nan(self):
        self.write("in.tif", "f", 1, -9999)
        self.write("tagged.tif", "f", 1, -9999, **tagged("-9999"))
        self.cof(*PLAIN, "in.tif", "wanted.fits")
        for value in ("none", "nan"):
            self.cof(*PLAIN, "--quiet", "--nodata", value, "tagged.tif", "out.fits")
            self.assertEqual(self.values("out.fits", "f"), self.values("wanted.fits", "f"))

    def test_integers(self):
        """Values next to the hole stay in their range, which the hole is far from."""
        for code, nodata in (("B", 255), ("H", 65535), ("h", -32768), ("i", -2147483648), ("i", 2147483647)):
            with self.subTest(code=code):
                before = self.write("in.tif", code, 1, nodata, **tagged(str(nodata)))
                self.cof(*PLAIN, "--quiet", "in.tif", "out.tif")
                for i, (old, new) in enumerate(zip(before, self.values("out.tif", code), strict=True)):
                    if is_hole(i, 1):
                        self.assertEqual(new, nodata)
                    else:
                        self.assertLess(abs(new - old), 20)

    def test_any_band(self):
        """A pixel without data in one band holds no data at all."""
        before = self.write("in.tif", "f", 5, -9999, {3}, **tagged("-9999"))
        self.cof(*PLAIN, "--quiet", "--report", "r.json", "in.tif", "out.fits")
        for i, (old, new) in enumerate(zip(before, self.values("out.fits", "f"), strict=True)):
            if is_hole(i, 5):
                self.assertAlmostEqual(new, old, places=5)
            else:
                self.assertLess(abs(new - old), 0.2)

    def test_all_channels_of_colour(self):
        """0 in one channel is a colour; alpha is not compared."""
        for bands, name in ((3, "rgb"), (4, "rgba")):
            colour = {"photometric": 2, "tags": {GDAL_NODATA: text("0"), 338: (SHORT, [2])}}
            if bands == 3:
                del colour["tags"][338]
            for hole_bands, invalid in ((None, len(HOLE)), ({0}, 0), ({0, 1, 2}, len(HOLE))):
                with self.subTest(kind=name, bands=hole_bands):
                    self.write("in.tif", "B", bands, 0, hole_bands, **colour)
                    self.cof(*PLAIN, "--quiet", "--report", "r.json", "in.tif", "out.fits")
                    report = json.loads((self.folder / "r.json").read_text())
                    self.assertEqual(report["run"]["invalid_pixels"], invalid)

    def test_models(self):
        """Learning and saving a model, applying it, learning from another image, exact soft."""
        before = self.write("in.tif", "f", 1, -9999, **tagged("-9999"))
        self.write("nan.tif", "f", 1, math.nan)
        for name in ("in", "nan"):
            self.cof("learn", f"{name}.tif", "-o", f"{name}.cof")
            self.cof("--quiet", "--save-model", f"{name}-saved.cof", f"{name}.tif", f"{name}-a.fits")
            self.cof("apply", "--quiet", f"{name}.cof", f"{name}.tif", f"{name}-b.fits")
            self.cof("--quiet", "--learn-from", f"{name}.tif", f"{name}.tif", f"{name}-c.fits")
            self.cof("--quiet", "--exact-soft", f"{name}.tif", f"{name}-d.fits")
            self.cof("--quiet", "--downscale", "2", f"{name}.tif", f"{name}-e.fits")
        for suffix in (".cof", "-saved.cof"):
            self.assertEqual((self.folder / f"in{suffix}").read_bytes(),
                             (self.folder / f"nan{suffix}").read_bytes())
        for result in "abcde":
            found, wanted = (self.values(f"{name}-{result}.fits", "f") for name in ("in", "nan"))
            self.assertTrue(any(abs(a - b) > 0.01 for a, b in zip(found, before)))
            for i, (a, b) in enumerate(zip(found, wanted)):
                self.assertEqual(a, -9999 if is_hole(i, 1) else b, (result, i))

    def test_batch(self):
        """Each file has its own value, and its own note."""
        for i in range(3):
            self.write(f"{i}.tif", "f", 1, -i - 1, **tagged(str(-i - 1)))
        done = run_cof([*PLAIN, "--reader", "vips", "0.tif", "1.tif", "2.tif", "-o", "out/"], self.folder)
        self.assertEqual(sorted(done.stderr.splitlines()), [
            f"cof: note: {i}.tif: the no-data value is not kept in out/{i}.tif" for i in range(3)])
        for i in range(3):
            self.assert_like_nan(f"out/{i}.tif", 1, -i - 1)

    def test_selection(self):
        """Focus leaves the hole as it is, and mixes it with nothing."""
        self.write("in.tif", "f", 1, -9999, **tagged("-9999"))
        write_grey(self.folder / "mask.pgm", WIDTH, HEIGHT,
                   (255 * (x < 25) for _ in range(HEIGHT) for x in range(WIDTH)))
        self.cof("focus", "--quiet", "--mask", "mask.pgm", "in.tif", "out.fits")
        for i, value in enumerate(self.values("out.fits", "f")):
            if is_hole(i, 1):
                self.assertEqual(value, -9999)
            else:
                self.assertGreater(value, 0)

    def test_rejected(self):
        self.write("in.tif", "f", 1, -9999)
        self.assert_rejected("--nodata minus in.tif out.tif", 2, "--nodata must be auto, none or a number")
        self.assert_rejected("--nodata= in.tif out.tif", 2, "--nodata must be auto, none or a number")
        self.write("empty.tif", "f", 1, -9999)
        write_tiff(self.folder / "empty.tif", [Page(8, 8, 1, "f", [-9999] * 64, planar=False)])
        done = run_cof(["--nodata", "-9999", "empty.tif", "out.tif"], self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (0, "cof: note: empty.tif: has no valid pixel, so nothing is filtered\n"))
        self.assertEqual(set(self.values("out.tif", "f")), {-9999})
        self.assert_rejected("learn --nodata -9999 empty.tif -o m.cof", 1, "empty.tif", "no valid pixel")


class LostTags(FolderTest):
    def test_warnings(self):
        georeference = {PIXEL_SCALE: (DOUBLE, [10, 10, 0])}
        for tags, words in ((georeference, "georeferencing is"),
                            (georeference | tagged("0")["tags"],
                             "georeferencing and the no-data value are")):
            write_tiff(self.folder / "in.tif",
                       [Page(8, 8, 2, "B", list(range(128)), planar=False, tags=tags)])
            line = f"cof: note: in.tif: {words} not kept in out.png\n"
            done = run_cof(["--reader", "vips", "in.tif", "out.png"], self.folder)
            self.assertEqual(done.returncode, 0)
            self.assertIn(line, done.stderr)
            self.cof("--quiet", "--reader", "vips", "in.tif", "out.png")
            self.cof("learn", "--quiet", "in.tif", "-o", "m.cof")

    def test_originals_keep_their_tags(self):
        for tags in ({PIXEL_SCALE: (DOUBLE, [10, 10, 0])}, tagged("0")["tags"]):
            write_tiff(self.folder / "in.tif",
                       [Page(8, 8, 1, "B", list(range(64)), planar=False, tags=tags)])
            before = (self.folder / "in.tif").read_bytes()
            self.assert_rejected("--reader vips --in-place in.tif", 1, "in.tif", "georeferencing")
            self.assertEqual((self.folder / "in.tif").read_bytes(), before)

    def test_no_warning(self):
        write_tiff(self.folder / "in.tif", [Page(8, 8, 1, "B", list(range(64)), planar=False,
                                                 tags={GDAL_NODATA: text("no number"),
                                                       65000: (LONG, [1])})])
        self.cof("in.tif", "out.tif")


if __name__ == "__main__":
    unittest.main()
