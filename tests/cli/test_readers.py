#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The table of readers: a file of each format is read by its reader, under any name or only its own, and
files of other formats that the libraries know are refused.

Rasters of GDAL are in test_other_files.py, videos in test_video.py.
"""
import functools
import gzip
import io
import pathlib
import shutil
import sys
import tempfile
import unittest

from command import COF, PHOTOS, ROOT, FolderTest, load_vips_modules, run_cof, setUpModule, vips
from rasters import np, read

sys.path.insert(0, str(ROOT / "tests" / "corpus"))
# pylint: disable=wrong-import-position
from PIL import Image
import encoders
# pylint: enable=wrong-import-position

load_vips_modules()
PHOTO = encoders.scene(40, 30)
FLOATS = PHOTO.astype(np.float32) / np.float32(255)
SVG = (b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="#777"/>'
       b'<circle cx="9" cy="9" r="6" fill="#eb3"/></svg>')


def by_pillow(kind):
    def make():
        out = io.BytesIO()
        Image.fromarray(PHOTO).save(out, kind)
        return out.getvalue()
    return make


def by_vips(suffix):
    def make():
        with tempfile.TemporaryDirectory(prefix="cof-test-") as folder:
            path = pathlib.Path(folder) / f"made{suffix}"
            (path.parent / "photo.png").write_bytes(by_pillow("PNG")())
            vips("copy", path.parent / "photo.png", path)
            return path.read_bytes()
    return make


# The formats that `cof info --formats` names: how a file is made, suffixes, whether any name will do.
FORMATS = {
    "JPEG": (by_pillow("JPEG"), ".jpg .jpeg .jpe", True),
    "PNG": (by_pillow("PNG"), ".png", True),
    "WebP": (by_pillow("WEBP"), ".webp", True),
    "GIF": (by_pillow("GIF"), ".gif", True),
    "TIFF": (by_pillow("TIFF"), ".tif .tiff", True),
    "HEIF, AVIF": (by_vips(".avif"), ".avif .heic .heif", True),
    "JPEG XL": (by_vips(".jxl"), ".jxl", True),
    "PPM, PFM": (lambda: encoders.pfm(FLOATS), ".pfm .ppm", True),
    "Radiance": (lambda: encoders.radiance(FLOATS), ".hdr", True),
    "OpenEXR": (lambda: encoders.exr(FLOATS), ".exr", True),
    "FITS": (lambda: encoders.fits(PHOTO), ".fits .fit .fts", True),
    "NIfTI": (lambda: encoders.nifti(PHOTO[..., :1].astype(np.int16)), ".nii", True),
    "SVG": (lambda: SVG, ".svg", False),
    "SVG, compressed": (lambda: gzip.compress(SVG), ".svgz .svg.gz", False),
    "PDF": (lambda: encoders.pdf([(40, 30)]), ".pdf", False),
    "BMP": (by_pillow("BMP"), ".bmp", True),
    "JPEG 2000": (by_pillow("JPEG2000"), ".jp2 .jpx", True),
}
# Formats that libvips, ImageMagick or GDAL know, and that the table does not name.
OTHERS = {
    ".v": by_vips(".v"), ".mat": by_vips(".mat"), ".csv": by_vips(".csv"), ".pcx": by_pillow("PCX"),
    ".ico": by_pillow("ICO"), ".tga": by_pillow("TGA"), ".dds": by_pillow("DDS"), ".eps": by_pillow("EPS"),
    ".mvg": lambda: b"push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 9,9 'photo.png'\npop graphic-context\n",
    ".msl": lambda: b'<?xml version="1.0"?><image><read filename="photo.png"/></image>',
}
# The first bytes of what is written with each suffix.
WRITTEN = {
    ".jpg .jpeg .jpe": rb"\xff\xd8\xff", ".png": rb"\x89PNG\r\n", ".webp": rb"RIFF....WEBP", ".gif": rb"GIF8",
    ".tif .tiff": rb"II\*\0|MM\0\*", ".heic .heif .avif": rb"....ftyp", ".jxl": rb"\xff\x0a|\0\0\0\x0cJXL",
    ".ppm .pnm": rb"P6", ".pgm": rb"P5", ".pbm": rb"P4", ".pfm": rb"P[Ff]", ".hdr": rb"#\?RADIANCE",
    ".fits .fit .fts": rb"SIMPLE", ".jp2 .j2k .j2c .jpc": rb"\0\0\0\x0cjP",
}


@functools.cache
def listed():
    """The lines of the table: the format, and what is said of it."""
    text = run_cof(["info", "--formats"], ROOT).stdout
    return dict(line.split(": ", 1) for line in text.splitlines())


def line_of(form):
    return listed()[form.partition(", compressed")[0]]


def suffixes_after(form, words):
    """The suffixes in the part of the line that begins with these words."""
    for part in line_of(form).split("; "):
        if words in part:
            return part.partition(words)[2].split()
    return []


class Readers(FolderTest):
    def make(self, name, make):
        """Writes a file; False if the libraries here cannot."""
        try:
            (self.folder / name).write_bytes(make())
        except (RuntimeError, OSError, KeyError) as problem:
            print(f"{name}: {problem}")
            return False
        return True

    def is_read(self, name, *options):
        done = run_cof(["--strength", "0", "--quiet", *options, name, "out.tif"], self.folder)
        if done.returncode == 0:
            self.assertGreater(read(self.folder / "out.tif").std(), 0)
            (self.folder / "out.tif").unlink()
        else:
            self.assertRegex(done.stderr, rf"\Acof: {name}: [^\n]+\n\Z")
        return done.returncode == 0

    def test_each_format(self):
        for form, (make, suffixes, any_name) in FORMATS.items():
            with self.subTest(form):
                if "which has no such reader here" in line_of(form) or not self.make("made", make):
                    continue
                for name in [f"photo{suffix}" for suffix in suffixes.split()]:
                    shutil.copy(self.folder / "made", self.folder / name)
                    self.assertTrue(self.is_read(name), name)
                for name in ("photo", "photo.dat", "photo.png" if form != "PNG" else "photo.jpg"):
                    shutil.copy(self.folder / "made", self.folder / name)
                    self.assertEqual(self.is_read(name), any_name, name)

    def test_no_other_format(self):
        self.make("photo.png", by_pillow("PNG"))
        for suffix, make in OTHERS.items():
            with self.subTest(suffix):
                if self.make(f"other{suffix}", make):
                    for name in ("other", "other.jpg"):
                        shutil.copy(self.folder / f"other{suffix}", self.folder / name)
                    for name in (f"other{suffix}", "other", "other.jpg"):
                        self.assertFalse(self.is_read(name), name)

    def test_readers_that_are_asked_for(self):
        """ImageMagick takes what no other reader does, and only with the option."""
        if "which has no such reader here" in listed()["with --allow-reader magick"]:
            self.skipTest("libvips without ImageMagick")
        self.make("photo.pcx", by_pillow("PCX"))
        self.assertTrue(self.is_read("photo.pcx", "--allow-reader", "magick"))
        self.assertFalse(self.is_read("photo.pcx", "--allow-reader", "openslide"))
        self.assert_rejected("--allow-reader all photo.pcx out.tif", 2, "--allow-reader")

    def test_the_list_is_complete(self):
        """Formats of this test are those of the table, in the manual page, too."""
        manual = pathlib.Path(COF).with_name("cof.1")
        rows = [form for form, said in listed().items()
                if said.startswith("read by libvips") and "--allow-reader" not in form]
        self.assertEqual({form.partition(", compressed")[0] for form in FORMATS} - {"BMP", "JPEG 2000"}, set(rows))
        text = manual.read_text(encoding="utf-8") if manual.exists() else None
        for form, (_, suffixes, any_name) in FORMATS.items():
            if not any_name:
                self.assertLessEqual(set(suffixes.split()), set(suffixes_after(form, "if named")))
            if text is not None:
                self.assertIn(form.partition(", compressed")[0], text)

    def test_each_suffix_that_is_written(self):
        self.make("in.png", by_pillow("PNG"))
        said = {suffix for form in listed() if not form.startswith("rasters")
                for suffix in suffixes_after(form, "written as")}
        self.assertEqual(said, set(" ".join(WRITTEN).split()))
        for suffixes, begin in WRITTEN.items():
            for suffix in suffixes.split():
                with self.subTest(suffix):
                    if "ftyp" in str(begin) and not self.make(f"made{suffix}", by_vips(suffix)):
                        continue # libheif has its encoders in further packages
                    self.cof("--strength", "0", "in.png", f"out{suffix}")
                    self.assertRegex((self.folder / f"out{suffix}").read_bytes()[:16], rb"(?s)\A(?:%b)" % begin)

    def test_nothing_else_is_written(self):
        shutil.copy(PHOTOS / "coffee.png", self.folder / "in.png")
        for suffix in (".exr", ".bmp", ".v", ".svg", ".pdf", ".nii", ".csv", ".mat", ".raw", ".dz", ".ico", ".gif.gz"):
            with self.subTest(suffix):
                self.assert_rejected(f"in.png out{suffix}", 1, f"out{suffix}", "suffix")


if __name__ == "__main__":
    unittest.main()
