#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Round trips: sample format, colour profile and metadata are kept."""
import subprocess
import unittest

from command import (ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT, header, load_vips_modules, samples,
                     setUpModule, shape, vips)

load_vips_modules()
WIDTH, HEIGHT = 120, 90

# Endings, the steps of vips that make such an image of in.png, and the type of its samples.
FORMATS = {
    "jpg": ("jpg", [("copy", "in.png", "made.jpg[Q=95]")], "B"),
    "grey jpg": ("jpg", [("colourspace", "in.png", "made.jpg[Q=95]", "b-w")], "B"),
    "png": ("png", [("copy", "in.png", "made.png")], "B"),
    "palette png": ("png", [("copy", "in.png", "made.png[palette]")], "B"),
    "grey png": ("png", [("colourspace", "in.png", "made.png", "b-w")], "B"),
    "png with alpha": ("png", [("bandjoin_const", "in.png", "made.png", "200")], "B"),
    "16-bit png": ("png", [("colourspace", "in.png", "made.png", "rgb16")], "H"),
    "16-bit grey png": ("png", [("colourspace", "in.png", "made.png", "grey16")], "H"),
    "tif": ("tif", [("copy", "in.png", "made.tif[compression=deflate,tile]")], "B"),
    "16-bit tif": ("tif", [("colourspace", "in.png", "made.tif", "rgb16")], "H"),
    "float tif": ("tif", [("colourspace", "in.png", "made.tif", "scrgb")], "f"),
    "cmyk tif": ("tif", [("icc_export", "in.png", "made.tif", "--output-profile", "cmyk")], "B"),
    "lab tif": ("tif", [("colourspace", "in.png", "made.tif", "lab")], "f"),
    "webp": ("webp", [("copy", "in.png", "made.webp[lossless]")], "B"),
    "hdr": ("hdr", [("colourspace", "in.png", "made.v", "scrgb"), ("float2rad", "made.v", "made.hdr")],
            "f"),
    "ppm": ("ppm", [("copy", "in.png", "made.ppm")], "B"),
    "gif": ("gif", [("copy", "in.png", "made.gif")], "B"),
    "jp2": ("jp2", [("copy", "in.png", "made.jp2[lossless]")], "B"),
    "avif": ("avif", [("copy", "in.png", "made.avif[Q=90]")], "B"),
    "jxl": ("jxl", [("copy", "in.png", "made.jxl[lossless]")], "B"),
}
PROFILED = ("jpg", "png", "tif", "webp", "avif")  # libjxl writes a profile of its own


class RoundTrips(FolderTest):
    def setUp(self):
        super().setUp()
        vips("crop", PHOTOS / "chelsea.png", self.folder / "in.png", 120, 90, WIDTH, HEIGHT)

    def make(self, steps):
        """Returns False if this libvips lacks the format."""
        for step in steps:
            done = subprocess.run(["vips", *step], cwd=self.folder, env=ENVIRONMENT,
                                  capture_output=True, text=True, timeout=TIMEOUT)
            if done.returncode != 0:
                return False
        return True

    def values(self, name, type_code):
        """Decodes a file."""
        vips("copy", self.folder / name, self.folder / "decoded.v")
        if "rad" in header(self.folder / "decoded.v"):
            vips("rad2float", self.folder / name, self.folder / "decoded.v")
        return samples(self.folder / "decoded.v", type_code)

    def test_kind_and_image(self):
        for name, (ending, steps, type_code) in FORMATS.items():
            with self.subTest(format=name):
                if not self.make(steps):
                    self.skipTest(f"libvips cannot write {name}")
                result = self.cof(f"made.{ending}", f"out.{ending}")
                self.assertEqual(shape(result), shape(self.folder / f"made.{ending}"))
                before, after = (self.values(f"{file}.{ending}", type_code)
                                 for file in ("made", "out"))
                self.assertNotEqual(after, before)
                scale = max(before) - min(before)
                mean = sum(abs(a - b) for a, b in zip(before, after)) / len(before)
                self.assertLess(mean, 0.08 * scale)

    def test_profile_and_exif(self):
        for ending in PROFILED:
            with self.subTest(format=ending):
                if not self.make([("icc_transform", "in.png", f"made.{ending}", "p3")]):
                    self.skipTest(f"libvips cannot write {ending}")
                result = self.cof(f"made.{ending}", f"out.{ending}")
                self.assertEqual(header(result, "icc-profile-data"),
                                 header(self.folder / f"made.{ending}", "icc-profile-data"))

    def test_signed_integers_in_fits(self):
        """libvips would clip them."""
        for kind, in_type, out_type in (("char", "b", "f"), ("short", "h", "f"), ("int", "i", "d")):
            with self.subTest(kind=kind):
                self.make([("colourspace", "in.png", "grey.v", "b-w"), ("linear", "grey.v", "less.v", "--",
                           "1", "-100"), ("cast", "less.v", "made.tif[strip]", kind)])
                self.cof("--strength", "0", "made.tif", "out.fits")
                before = self.values("made.tif", in_type)
                self.assertLess(min(before), 0)
                self.assertEqual(list(self.values("out.fits", out_type)), list(before))

    def test_bitmaps(self):
        """Grey is black or white, whichever is nearer, at any width."""
        for width in (WIDTH, WIDTH - 7):
            for space in ("b-w", "srgb", "grey16"):
                with self.subTest(width=width, space=space):
                    vips("crop", self.folder / "in.png", str(self.folder / "crop.png[strip]"), 0, 0, width, HEIGHT)
                    self.make([("colourspace", "crop.png", "made.png", space)])
                    self.cof("--strength", "0", "made.png", "out.pbm")
                    vips("colourspace", self.folder / "made.png", self.folder / "grey.v", "b-w")
                    white = [255 * (value >= 128) for value in samples(self.folder / "grey.v", "B")]
                    self.assertEqual(list(self.values("out.pbm", "B")), white)


if __name__ == "__main__":
    unittest.main()
