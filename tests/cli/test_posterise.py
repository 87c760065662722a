#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--posterise: few colours, no small islands, and PNG with a palette."""
import struct
import subprocess
import unittest
import zlib

from command import (COF, ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT, header, run_cof, samples,
                     setUpModule, vips, write_grey, write_rgb)

try:
    from PIL import Image
except ImportError:
    Image = None

INDEXED, RGBA = 3, 6
WIDTH, HEIGHT = 240, 160


def chunks(path):
    """The chunks of a PNG file, whose checksums are right, by name; those of the pixels joined."""
    png, at, found = path.read_bytes(), 8, {}
    while at < len(png):
        size, name = struct.unpack_from(">I4s", png, at)
        data = png[at + 8:at + 8 + size]
        assert zlib.crc32(name + data) == struct.unpack_from(">I", png, at + 8 + size)[0], name
        found[name.decode()] = found.get(name.decode(), b"") + data
        at += 12 + size
    return found


def facts(path):
    """Bits, kind and number of palette entries."""
    found = chunks(path)
    bits, kind = struct.unpack_from("BB", found["IHDR"], 8)
    return bits, kind, len(found.get("PLTE", b"")) // 3


def pixels(path, bands, code="B"):
    values = samples(path, code)
    return list(zip(*(values[band::bands] for band in range(bands))))


class Posterise(FolderTest):
    def setUp(self):
        super().setUp()
        vips("resize", PHOTOS / "coffee.png", self.folder / "in.png", WIDTH / 600)

    def add_alpha(self, values):
        """in.png with this alpha, as rgba.png."""
        write_grey(self.folder / "alpha.pgm", WIDTH, HEIGHT, values)
        vips("bandjoin", f"{self.folder}/in.png {self.folder}/alpha.pgm", self.folder / "rgba.png")

    def test_png_has_a_palette_of_the_colours_used(self):
        for n, bits in ((2, 1), (4, 2), (12, 4), (16, 4), (40, 8), (256, 8)):
            with self.subTest(n=n):
                out = self.cof("--preset", "flat", "--posterise", n, "in.png", "out.png")
                colours = set(pixels(out, 3))
                self.assertLessEqual(len(colours), n)
                self.assertGreater(len(colours), n / 2)
                self.assertEqual(facts(out), (bits, INDEXED, len(colours)))
                if Image:
                    with Image.open(out) as image:
                        self.assertEqual(image.mode, "P")
                        self.assertEqual({colour for _, colour in image.convert("RGB").getcolors()},
                                         colours)

    def test_spelling_subcommands_and_streams(self):
        first = self.cof("--posterise", 5, "in.png", "a.png").read_bytes()
        self.assertEqual(self.cof("--posterize=5", "in.png", "b.png").read_bytes(), first)
        self.cof("learn", "in.png", "-o", "m.cof")
        self.assertEqual(self.cof("apply", "m.cof", "in.png", "--posterise", 5, "c.png").read_bytes(),
                         first)
        done = subprocess.run([COF, "--posterise", "5", "in.png", "-"], cwd=self.folder,
                              env=ENVIRONMENT, timeout=TIMEOUT, capture_output=True)
        self.assertEqual(done.stdout, first)
        self.cof("--posterise", 5, "in.png", "-o", "folder/")
        self.assertEqual((self.folder / "folder" / "in.png").read_bytes(), first)

    def test_few_islands(self):
        def speckles(*arguments):
            """Pixels without a neighbour of their own colour."""
            found = pixels(self.cof("--posterise", 12, *arguments, "in.png", "out.png"), 3)
            return sum(all(found[i] != found[i + step] for step in (-1, 1, -WIDTH, WIDTH))
                       for i in range(WIDTH, WIDTH * (HEIGHT - 1)))
        self.assertGreater(speckles("--min-area", 0), 50)
        self.assertEqual(speckles("--min-area", 0.0001), 0)
        self.assertEqual(speckles(), 0)

    def test_borders_have_no_colours_of_their_own(self):
        def colour(x, y):  # 4 x 4 subpixels of a disc on a ground
            inside = sum((x + i / 4 - 60) ** 2 + (y + j / 4 - 50) ** 2 < 1600
                         for i in range(4) for j in range(4)) / 16
            return [round(inside * a + (1 - inside) * b) for a, b in ((220, 30), (60, 90), (40, 200))]
        write_rgb(self.folder / "disc.ppm", 120, 100,
                  (v for y in range(100) for x in range(120) for v in colour(x, y)))
        out = self.cof("--strength", 0, "--min-area", 0, "--posterise", 16, "disc.ppm", "out.png")
        self.assertEqual(set(pixels(out, 3)), {(220, 60, 40), (30, 90, 200)})
        inside = pixels(out, 3).count((220, 60, 40))
        self.assertAlmostEqual(inside, 3.14159 * 1600, delta=40)

    def test_alpha(self):
        half = bytes(255 if x < 100 else 0 for _ in range(HEIGHT) for x in range(WIDTH))
        self.add_alpha(half)
        out = self.cof("--posterise", 6, "rgba.png", "out.png")
        found = pixels(out, 4)
        self.assertEqual(bytes(alpha for *_, alpha in found), half)
        opaque = {colour[:3] for colour in found if colour[3]}
        self.assertLessEqual(len(opaque), 6)
        self.assertEqual(facts(out), (4 if len(opaque) > 3 else 2, INDEXED, len(opaque) + 1))
        self.assertEqual(chunks(out)["tRNS"].count(b"\0"), 1)
        soft = bytes(x for _ in range(HEIGHT) for x in range(WIDTH))
        self.add_alpha(soft)
        out = self.cof("--posterise", 6, "rgba.png", "out.png")
        self.assertEqual(facts(out), (8, RGBA, 0))  # more than 256 colours and alphas
        found = pixels(out, 4)
        self.assertEqual(bytes(alpha for *_, alpha in found), soft)
        self.assertLessEqual(len({colour[:3] for colour in found if colour[3]}), 6)

    def test_save_options(self):
        plain = pixels(self.cof("--posterise", 9, "in.png", "out.png"), 3)
        for options in ("bitdepth=8", "compression=9,interlace=1", "palette=1"):
            with self.subTest(options):
                done = run_cof(["--posterise", 9, "in.png", f"out.png[{options}]"], self.folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                found = pixels(self.folder / "out.png", 3)
                if options == "palette=1":  # libvips makes the palette, which may not be exact
                    self.assertLess(max(abs(a - b) for one, other in zip(found, plain)
                                        for a, b in zip(one, other)), 30)
                else:
                    self.assertEqual(found, plain)

    def test_grey_and_16_bits(self):
        vips("colourspace", self.folder / "in.png", self.folder / "grey.png", "b-w")
        out = self.cof("--posterise", 7, "grey.png", "out.png")
        self.assertEqual(facts(out)[:2], (4, INDEXED))
        self.assertTrue(all(r == g == b for r, g, b in pixels(out, 3)))
        vips("colourspace", self.folder / "in.png", self.folder / "wide.png", "rgb16")
        out = self.cof("--posterise", 7, "wide.png", "out.png")
        self.assertEqual(facts(out)[:2], (4, INDEXED))
        narrow = set(pixels(out, 3))
        wide = self.cof("--posterise", 7, "wide.png", "out.tif")
        self.assertIn("ushort", header(wide))
        self.assertEqual({tuple((v * 255 + 32767) // 65535 for v in colour)
                          for colour in pixels(wide, 3, "H")}, narrow)

    def test_profiles(self):
        vips("icc_transform", self.folder / "in.png", self.folder / "p3.png", "p3")
        out = self.cof("--posterise", 6, "p3.png", "out.png")
        self.assertEqual(facts(out)[1], INDEXED)
        one, other = (zlib.decompress(chunks(self.folder / name)["iCCP"].partition(b"\0")[2][1:])
                      for name in ("p3.png", "out.png"))
        self.assertEqual(one, other)
        for options in ("strip", "profile=none"):
            done = run_cof(["--posterise", 6, "p3.png", f"out.png[{options}]"], self.folder)
            self.assertIn("not kept", done.stderr)
            self.assertNotIn("iCCP", chunks(out))

    def test_nothing_to_paint(self):
        self.add_alpha(bytes(WIDTH * HEIGHT))
        done = run_cof(["--posterise", 6, "rgba.png", "out.tif"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no valid pixel", done.stderr)
        self.assertEqual(samples(self.folder / "out.tif"), samples(self.folder / "rgba.png"))

    def test_islands_without_neighbours(self):
        island = bytes(255 if 4 < x < WIDTH - 4 else 0 for _ in range(HEIGHT) for x in range(WIDTH))
        self.add_alpha(island)
        out = self.cof("--posterise", 6, "--min-area", 1, "rgba.png", "out.png")
        self.assertEqual(len(set(pixels(out, 4))), 2)

    def test_wrong_usage(self):
        for arguments, *words in (
                ("--posterise 1", "2 to 256"), ("--posterise 257", "2 to 256"),
                ("--posterise 4x", "2 to 256"), ("--posterise 4 --min-area 2", "0 to 1"),
                ("--min-area 0.1", "needs --posterise"),
                ("--posterise 4 --apply-mask in.png", "--apply-mask"),
                ("--posterise 4 --raw 4x4:rgb24", "--raw")):
            with self.subTest(arguments):
                self.assert_rejected(f"{arguments} in.png out.png", 2, *words)

    def test_images_without_one_palette(self):
        self.assert_rejected("--posterise 4 --kind bands in.png out.png", 1, "grey or RGB")
        vips("invert", self.folder / "in.png", self.folder / "other.png")
        vips("arrayjoin", f"{self.folder}/in.png {self.folder}/other.png",
             f"{self.folder}/two.gif[page-height={HEIGHT}]", "--across", 1)
        self.assert_rejected("--posterise 4 two.gif out.gif", 1, "two.gif", "--pages")
        self.cof("--posterise", 4, "--pages", 2, "two.gif", "out.png")


if __name__ == "__main__":
    unittest.main()
