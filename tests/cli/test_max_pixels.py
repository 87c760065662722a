#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Small files that claim many pixels: they are rejected by their header, wherever they are read."""
import os
import resource
import shutil
import struct
import subprocess
import unittest
import zlib

from command import FolderTest, load_vips_modules, run_cof, setUpModule, write_photo

load_vips_modules(needed=False)
STROKE = ["--stroke", "20,20:5"]
# Far less than any of the images would need; the sanitizers reserve more.
MEMORY = resource.RLIM_INFINITY if "COF_SANITIZED" in os.environ else 2 << 30


def gif(width, height):
    """A GIF without pixel data."""
    return (b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff" +
            b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x4c\x01\0;")


def svg(width, height):
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"/>'.encode()


def png(width, height, interlaced=0, size=8):
    """A PNG whose data, of that size, are empty."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"").ljust(size, b"\0")) +
            chunk(b"IEND", b""))


def pgm(width, height):
    return b"P5\n%d %d\n255\n" % (width, height)


def set_memory_limit():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.RLIM_INFINITY))


class MaxPixels(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")

    def assert_too_large(self, arguments, name, limit, **how):
        done = run_cof(arguments, self.folder, preexec_fn=set_memory_limit, **how)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, rf"\Acof: {name}: has [0-9]+ x [0-9]+ pixels, more than the "
                         rf"limit of {limit}; see --max-pixels\n\Z")
        self.assertFalse((self.folder / "out.png").exists())

    def test_formats(self):
        for name, data, limit in [
                ("huge.gif", gif(65535, 65535), 400000000), ("huge.svg", svg(32767, 32767), 400000000),
                ("huge.png", png(66000, 66000, size=4_500_000), 4000000000),
                ("lines.png", png(21000, 21000, 1, size=450_000), 400000000),
                ("huge.pgm", pgm(100000, 100000), 4000000000)]:
            with self.subTest(name=name):
                (self.folder / name).write_bytes(data)
                self.assert_too_large([name, "out.png"], name, limit)

    def test_pixels_that_cannot_be_in_the_file(self):
        """libvips takes the last row as black if it is missing, and here it is the only one."""
        (self.folder / "row.png").write_bytes(png(10_000_000, 1))
        done = run_cof(["row.png", "out.png"], self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "cof: row.png: is too short for the number of its pixels\n"))

    def test_every_role_of_an_image(self):
        (self.folder / "huge.gif").write_bytes(gif(65535, 65535))
        for arguments in [
                ["learn", "in.png", "huge.gif", "-o", "out.png.cof"], ["show", "huge.gif", "-o", "out.png"],
                *([f"--{option}", "huge.gif", "in.png", "out.png"]
                  for option in ("mask", "guide", "labels", "learn-from")),
                ["select", "in.png", "-o", "out.png", "--scribble", "huge.gif"],
                ["focus", "huge.gif", "out.png", *STROKE],
                ["focus", "in.png", "out.png", "--mask", "huge.gif"],
                ["focus", "in.png", "out.png", *STROKE, "--background", "image=huge.gif"],
                ["recolour", "huge.gif", "out.png", *STROKE, "--colour", "#2040e0"]]:
            with self.subTest(arguments=arguments):
                self.assert_too_large(arguments, "huge.gif", 400000000)
        with open(self.folder / "huge.gif", "rb") as data:
            self.assert_too_large(["-", "out.png"], "-", 400000000, stdin=data)

    def test_the_option(self):
        """in.png has 48 x 40 pixels."""
        self.assert_too_large(["--max-pixels", "1919", "in.png", "out.png"], "in.png", 1919)
        self.assert_too_large(["--max-pixels", "1.9k", "in.png", "out.png"], "in.png", 1900)
        self.cof("--max-pixels", "1920", "in.png", "out.png")
        for value in ("1.92k", "1M", "1G", "1T"):
            self.cof("--max-pixels", value, "in.png", "out.png")
        for value in ("", "x", "0", "-5", "5x", "5MM", "nan", "1e30"):
            done = run_cof(["--max-pixels", value, "in.png", "out.png"], self.folder)
            self.assertEqual(done.returncode, 2, value)
            self.assertRegex(done.stderr, r"\Acof: --max-pixels must be a number of pixels")

    @unittest.skipUnless(shutil.which("ffmpeg"), "needs ffmpeg")
    def test_frames_of_videos(self):
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:d=0.2",
                        self.folder / "in.mkv"], check=True, stdin=subprocess.DEVNULL)
        self.assert_too_large(["video", "--max-pixels", "3k", "in.mkv", "out.mkv"], "in.mkv", 3000)
        self.assertFalse((self.folder / "out.mkv").exists())

    def test_the_option_raises_the_limit(self):
        (self.folder / "wide.svg").write_bytes(svg(32767, 12500))
        self.assert_too_large(["wide.svg", "out.png"], "wide.svg", 400000000)
        done = run_cof(["--max-pixels", "500M", "--mask", "wide.svg", "in.png", "out.png"],
                       self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "cof: wide.svg: differs in size from the input\n"))


if __name__ == "__main__":
    unittest.main()
