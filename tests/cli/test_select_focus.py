#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Selection by scribbles, and effects on the selection or the background."""
import json
import statistics
import struct
import unittest

import command
from command import (FolderTest, PHOTOS, ROOT, measures, samples, run_cof, setUpModule, shape, vips, write_grey,
                     write_rgb)

CHOSEN = ROOT / "tests" / "data" / "select"
IMAGES = {path.stem: path for path in PHOTOS.iterdir()}


def strokes_of(name):
    """The options in a file: a name and a value on each line."""
    lines = (CHOSEN / f"{name}.txt").read_text().splitlines()
    pairs = (line.split(" ", 1) for line in lines if not line.startswith("#"))
    return [word for option, value in pairs for word in (f"--{option}", value)]


def overlap(found, truth):
    """Intersection over union, and precision."""
    both = sum(1 for a, b in zip(found, truth, strict=True) if a and b)
    either = sum(1 for a, b in zip(found, truth, strict=True) if a or b)
    return both / either, both / max(1, sum(1 for a in found if a))


@measures
class Photographs(FolderTest):
    """Strokes and masks drawn by hand."""

    def test_masks(self):
        for truth in sorted(CHOSEN.glob("*.png")):
            with self.subTest(truth.stem):
                self.cof("select", IMAGES[truth.stem], *strokes_of(truth.stem), "-o", "mask.png")
                vips("copy", truth, self.folder / "truth.png[bitdepth=8]")
                self.assertEqual(shape(self.folder / "mask.png").split(",")[1], " 1 band")
                union, precision = overlap(samples(self.folder / "mask.png"),
                                           samples(self.folder / "truth.png"))
                print(f"{truth.stem}: IoU {union:.3f}, precision {precision:.3f}", flush=True)
                self.assertGreaterEqual(union, 0.8)
                self.assertGreaterEqual(precision, 0.9)
                (self.folder / "mask.png").unlink()


def chroma_of(pixels):
    """The mean difference between the largest and the smallest channel."""
    triples = list(zip(pixels[0::3], pixels[1::3], pixels[2::3]))
    return sum(max(t) - min(t) for t in triples) / len(triples)


# Columns of XYZ, relative to D50.
ADOBE = ((0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457))
PROPHOTO = ((0.79767, 0.28804, 0), (0.13519, 0.71187, 0), (0.03135, 0.00009, 0.82521))


def write_profile(path, primaries, gamma):
    """An ICC profile of three primaries and a gamma."""
    def numbers(*values):
        return b"".join(struct.pack(">i", round(65536 * value)) for value in values)

    white = (0.9642, 1, 0.8249)
    name = b"desc" + bytes(4) + struct.pack(">I", 2) + b"x" + bytes(79)
    curve = b"curv" + bytes(4) + struct.pack(">IHxx", 1, round(256 * gamma))
    tags = {b"desc": name, b"cprt": b"text" + bytes(8), b"wtpt": b"XYZ " + bytes(4) + numbers(*white)}
    for letter, column in zip((b"r", b"g", b"b"), primaries):
        tags[letter + b"XYZ"] = b"XYZ " + bytes(4) + numbers(*column)
        tags[letter + b"TRC"] = curve
    at = 128 + 4 + 12 * len(tags)
    table, data = struct.pack(">I", len(tags)), b""
    for tag, value in tags.items():
        table += tag + struct.pack(">II", at + len(data), len(value))
        data += value + bytes(-len(value) % 4)
    head = struct.pack(">I4xI", at + len(data), 0x02100000) + b"mntrRGB XYZ " + bytes(12) + b"acsp"
    head = head + bytes(28) + numbers(*white)
    path.write_bytes(head.ljust(128, b"\0") + table + data)


class Scene(FolderTest):
    """Red checks on the left, green ones on the right."""
    SIDE = 64

    def setUp(self):
        super().setUp()
        side = self.SIDE
        colours = [[(200, 40, 40), (150, 20, 30)], [(40, 160, 60), (30, 110, 40)]]
        write_rgb(self.folder / "in.ppm", side, side,
                  [v for y in range(side) for x in range(side)
                   for v in colours[x >= side // 2][(x // 2 + y // 2) % 2]])
        write_grey(self.folder / "left.pgm", side, side,
                   [255 * (x < side // 2) for y in range(side) for x in range(side)])
        write_grey(self.folder / "none.pgm", side, side, [0] * side * side)
        write_grey(self.folder / "small.pgm", side, side - 1, [1] * side * (side - 1))
        self.choice = ["--stroke", "10,10 10,50:2"]

    def halves(self, name):
        """The pixels of the left and of the right half, without the columns between."""
        values, side = samples(self.folder / name), self.SIDE
        rows = [values[3 * side * y:3 * side * (y + 1)] for y in range(side)]
        return ([v for row in rows for v in row[:3 * (side // 2 - 4)]],
                [v for row in rows for v in row[3 * (side // 2 + 4):]])

    def overlap(self, name, half):
        """Of a mask with the left or the right half."""
        truth = samples(self.folder / "left.pgm")
        return overlap(samples(self.folder / name), [(v > 0) != half for v in truth])[0]

    def test_select(self):
        self.cof("select", "in.ppm", *self.choice, "-o", "mask.png")
        self.assertGreater(self.overlap("mask.png", 0), 0.99)
        self.cof("select", "in.ppm", "--scribble", "mask.png", "--invert", "-o", "other.png")
        self.assertGreater(self.overlap("other.png", 1), 0.99)
        self.cof("select", "in.ppm", "--stroke", "50,5", "--background-stroke", "5,5 5,60:1",
                 "-o", "right.png")
        self.assertGreater(self.overlap("right.png", 1), 0.99)

    def test_a_drawing_is_a_scribble(self):
        (self.folder / "marks.svg").write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">'
            '<path d="M10 10V50" stroke="white" stroke-width="5"/></svg>')
        self.cof("select", "in.ppm", "--scribble", "marks.svg", "-o", "mask.png")
        self.assertGreater(self.overlap("mask.png", 0), 0.99)

    @measures
    def test_a_large_image_is_reduced(self):
        vips("replicate", self.folder / "in.ppm", self.folder / "tall.v", 1, 40)
        vips("resize", self.folder / "tall.v", self.folder / "large.png", 5.3, "--kernel", "nearest")
        vips("resize", self.folder / "left.pgm", self.folder / "wide.v", 5.3, "--kernel", "nearest")
        height = 13568
        self.assertEqual(shape(self.folder / "large.png").split()[0], f"339x{height}")
        self.cof("select", "large.png", "--stroke", f"60,60 60,{height - 60}:10", "-o", "mask.png")
        mask = samples(self.folder / "mask.png")
        inside = [mask[339 * y + x] for y in range(100, height, 500) for x in range(0, 150, 10)]
        outside = [mask[339 * y + x] for y in range(100, height, 500) for x in range(190, 339, 10)]
        self.assertGreater(sum(inside) / len(inside), 240)
        self.assertLess(sum(outside) / len(outside), 15)

    def test_focus_smooths_the_rest(self):
        for choice, same in ((self.choice, 0), (["--mask", "left.pgm"], 0),
                             ([*self.choice, "--invert"], 1)):
            self.cof("focus", "in.ppm", "out.png", *choice)
            before, after = self.halves("in.ppm"), self.halves("out.png")
            self.assertLess(max(abs(a - b) for a, b in zip(before[same], after[same])), 3)
            spread = [max(part[1 - same][1::3]) - min(part[1 - same][1::3])
                      for part in (before, after)]
            self.assertLess(spread[1] * 4, spread[0])

    def test_other_backgrounds(self):
        self.cof("focus", "in.ppm", "grey.png", *self.choice, "--background", "grey",
                 "--matte", "matte.png")
        left, right = (chroma_of(half) for half in self.halves("grey.png"))
        was_left, was_right = (chroma_of(half) for half in self.halves("in.ppm"))
        self.assertGreater(left, 0.85 * was_left)
        self.assertLess(right, 0.15 * was_right)
        matte = samples(self.folder / "matte.png")
        self.assertGreater(min(matte[:20]), 200)
        self.assertLess(max(matte[44:64]), 50)
        self.cof("focus", "in.ppm", "tint.png", *self.choice, "--background", "tint=#0000ff")
        blue = self.halves("tint.png")[1]
        self.assertGreater(sum(blue[2::3]), 2 * sum(blue[0::3]))
        vips("invert", self.folder / "in.ppm", self.folder / "inverted.png")
        self.cof("focus", "in.ppm", "image.png", *self.choice, "--background", "image=inverted.png")
        close = zip(self.halves("image.png")[1], self.halves("inverted.png")[1])
        self.assertLess(max(abs(a - b) for a, b in close), 30)

    def test_the_matte_is_what_stays(self):
        """Where the matte is 0, the result is independent of the input."""
        self.cof("focus", "in.ppm", "out.png", *self.choice, "--matte", "matte.png")
        self.cof("focus", "in.ppm", "black.png", *self.choice, "--background", "tint=#000000",
                 "--matte", "again.png")
        self.assertTrue(samples(self.folder / "matte.png") == samples(self.folder / "again.png"))

    def test_models_are_kept(self):
        self.cof("focus", "in.ppm", "out.png", *self.choice, "--save-model", "pair.cof")
        told = json.loads(command.run_cof(["info", "--json", "pair.cof"], self.folder).stdout)
        self.assertEqual((told["what"], told["foreground"]["labels"], told["background"]["kind"]),
                         ("pair", 4, "rgb"))
        text = command.run_cof(["info", "pair.cof"], self.folder).stdout
        self.assertIn("foreground: model of rgb images", text)
        matrix = command.run_cof(["info", "--matrix", "pair.cof"], self.folder).stdout
        self.assertEqual(len(matrix.split()), 8)
        bytes_ = (self.folder / "pair.cof").read_bytes()
        for size in (8, 12, 16, 100, len(bytes_) - 1):
            (self.folder / "torn.cof").write_bytes(bytes_[:size])
            self.assert_rejected("info torn.cof", 1, "torn.cof")

    def test_recolour(self):
        self.cof("recolour", "in.ppm", "out.png", *self.choice, "--colour", "#2040e0")
        left, right = self.halves("out.png")
        self.assertGreater(sum(left[2::3]), 2 * sum(left[0::3]))
        self.assertTrue(right == self.halves("in.ppm")[1])
        self.assertGreater(max(left[2::3]) - min(left[2::3]), 20)  # texture stays

    def test_names_of_colours(self):
        for name, same in (("royalblue", "#4169e1"), ("RoyalBlue", "#4169E1"), ("#28f", "#2288ff"),
                           ("28f", "#2288ff"), ("darkslategray", "#2f4f4f"), ("grey", "#808080")):
            self.cof("recolour", "in.ppm", "a.png", "--mask", "left.pgm", "--colour", name)
            self.cof("recolor", "in.ppm", "b.png", "--mask", "left.pgm", "--color", same)
            self.assertEqual(*((self.folder / file).read_bytes() for file in ("a.png", "b.png")))
        for name, same in (("tint=teal", "tint=#008080"), ("gray", "grey")):
            self.cof("focus", "in.ppm", "a.png", "--mask", "left.pgm", "--background", name)
            self.cof("focus", "in.ppm", "b.png", "--mask", "left.pgm", "--background", same)
            self.assertEqual(*((self.folder / file).read_bytes() for file in ("a.png", "b.png")))

    def test_transparent_background(self):
        vips("copy", self.folder / "in.ppm", self.folder / "in.jpg[Q=95]")
        vips("colourspace", self.folder / "in.ppm", self.folder / "wide.png", "rgb16")
        vips("colourspace", self.folder / "in.ppm", self.folder / "grey.png", "b-w")
        vips("bandjoin_const", self.folder / "in.ppm", self.folder / "alpha.png", "100")
        for name, form, opaque in (
                ("in.ppm", "uchar, 4 bands, srgb", 255), ("in.jpg", "uchar, 4 bands, srgb", 255),
                ("wide.png", "ushort, 4 bands, rgb16", 65535),
                ("grey.png", "uchar, 2 bands, b-w", 255), ("alpha.png", "uchar, 4 bands, srgb", 100)):
            out = self.cof("focus", "--mask", "left.pgm", "--background=transparent", name,
                           f"{name}.png")
            with self.subTest(name):
                self.assertIn(form, shape(out))
                bands = int(form.split()[1])
                values = samples(out, "H" if opaque > 255 else "B")
                alpha = values[bands - 1::bands][:self.SIDE]
                self.assertGreater(min(alpha[:20]), 0.8 * opaque)
                self.assertLess(max(alpha[44:]), 0.2 * opaque)
                if name == "in.ppm":
                    colours = [v for i, v in enumerate(values) if i % 4 < 3]
                    self.assertEqual(colours, list(samples(self.folder / "in.ppm")))
        for name in ("x.webp", "x.tif"):
            self.cof("focus", "in.ppm", name, "--mask", "left.pgm", "--background", "transparent")
            self.assertIn("4 bands", shape(self.folder / name))
        self.assert_rejected("focus in.ppm - --mask left.pgm --background transparent "
                             "--format .jpg", 1, ".jpg", "transparency")

    def background(self, name, side):
        """The green values of some rows of the right half."""
        values = samples(self.folder / name)
        return [values[3 * (side * y + x) + 1] for y in range(0, side, 5)
                for x in range(side // 2 + side // 8, side)]

    def test_presets_scale_with_the_image(self):
        """A preset for 256 pixels has a larger window than one for a small image."""
        for name in ("in.ppm", "left.pgm"):
            vips("zoom", self.folder / name, self.folder / f"large-{name}", 4, 4)
        spread = []
        for options in ((), ("--window", 5, "--sigma", 1)):
            self.cof("focus", "large-in.ppm", "out.png", "--mask", "large-left.pgm", "--preset",
                     "texture", *options)
            spread.append(statistics.pstdev(self.background("out.png", 4 * self.SIDE)))
        self.assertLess(2 * spread[0], spread[1])

    def test_methods_and_updates(self):
        for options in (("--method", "fast"), ("--method", "auto"), ("--update", "labels"),
                        ("--update", "model"), ("--downscale", 2), ("--preset", "cartoon")):
            with self.subTest(options):
                self.cof("focus", "in.ppm", "out.png", *self.choice, *options)
                before, after = self.halves("in.ppm"), self.halves("out.png")
                self.assertLess(max(abs(a - b) for a, b in zip(before[0], after[0])), 3)
                self.assertLess(4 * statistics.pstdev(after[1][1::3]),
                                statistics.pstdev(before[1][1::3]))

    def test_the_object_does_not_bleed(self):
        """With a matte, too, the background is smoothed without the colours of the object."""
        self.cof("focus", "in.ppm", "out.png", "--mask", "left.pgm", "--method", "fast")
        values, side = samples(self.folder / "out.png"), self.SIDE
        beside = [values[3 * (side * y + x)] for y in range(side) for x in range(34, 40)]
        self.assertLess(max(beside), 80)

    def test_wide_samples_and_alpha(self):
        vips("colourspace", self.folder / "in.ppm", self.folder / "wide.png", "rgb16")
        vips("bandjoin_const", self.folder / "in.ppm", self.folder / "alpha.png", "255")
        for name, form in (("wide.png", "ushort, 3 bands"), ("alpha.png", "uchar, 4 bands")):
            self.cof("focus", name, f"focus-{name}", *self.choice)
            self.cof("recolour", name, f"recolour-{name}", *self.choice, "--colour", "#2040e0")
            for out in (f"focus-{name}", f"recolour-{name}"):
                self.assertIn(form, shape(self.folder / out))

    def test_colours_are_srgb(self):
        """The same scene in other profiles gets the same colours."""
        write_profile(self.folder / "adobe.icc", ADOBE, 2.2)
        write_profile(self.folder / "prophoto.icc", PROPHOTO, 1.8)
        commands = {"recolour": ["recolour", "--colour", "#2060c0"],
                    "tint": ["focus", "--background", "tint=#2060c0"]}
        for name, command_ in commands.items():
            self.cof(*command_, "in.ppm", f"{name}.png", "--mask", "left.pgm")
        for profile, depth in (("p3", 8), (self.folder / "adobe.icc", 8),
                               (self.folder / "prophoto.icc", 16)):
            vips("icc_transform", self.folder / "in.ppm", self.folder / "in.tif", profile,
                 "--input-profile", "srgb", "--depth", depth)
            for name, command_ in commands.items():
                with self.subTest(command=name, profile=profile):
                    self.cof(*command_, "in.tif", "out.tif", "--mask", "left.pgm")
                    vips("icc_transform", self.folder / "out.tif", self.folder / "srgb.png", "srgb",
                         "--embedded")
                    vips("dE00", self.folder / "srgb.png", self.folder / f"{name}.png",
                         self.folder / "difference.v")
                    values = samples(self.folder / "difference.v", "f")
                    self.assertLess(statistics.fmean(values), 1)

    def test_alpha_in_another_profile(self):
        vips("icc_transform", self.folder / "in.ppm", self.folder / "p3.v", "p3", "--input-profile",
             "srgb")
        vips("bandjoin_const", self.folder / "p3.v", self.folder / "in.png", "100")
        self.cof("recolour", "in.png", "out.png", "--mask", "left.pgm", "--colour", "blue")
        before, after = (samples(self.folder / name) for name in ("in.png", "out.png"))
        self.assertEqual(before[3::4], after[3::4])
        self.assertGreater(sum(after[2:32:4]), 2 * sum(before[2:32:4]))

    def test_an_unusable_profile_is_ignored(self):
        (self.folder / "torn.icc").write_bytes(b"no profile" * 20)
        vips("tiffsave", self.folder / "in.ppm", self.folder / "in.tif", "--profile",
             self.folder / "torn.icc")
        for name in ("in.tif", "in.ppm"):
            done = run_cof(["recolour", name, f"{name}.png", "--mask", "left.pgm", "--colour", "blue"],
                           self.folder)
            self.assertEqual((done.returncode, "the ICC profile" in done.stderr), (0, name == "in.tif"))
        self.assertEqual(*(samples(self.folder / f"{name}.png") for name in ("in.tif", "in.ppm")))

    def test_rejected_input(self):
        write_grey(self.folder / "grey.pgm", 64, 64, list(range(64)) * 64)
        stroke = "--stroke 10,10"
        for line, status, *words in (
                ("select in.ppm -o x.png", 2, "--scribble"),
                ("select in.ppm --stroke 1,2", 2, "-o MASK"),
                ("select in.ppm --stroke nonsense -o x.png", 2, "--stroke", "nonsense"),
                ("select in.ppm --stroke 1,2:x -o x.png", 2, "--stroke"),
                ("select in.ppm --stroke 900,900:2 -o x.png", 1, "900,900:2", "no pixel"),
                ("select in.ppm --scribble none.pgm -o x.png", 1, "none.pgm", "black"),
                ("select in.ppm --scribble small.pgm -o x.png", 1, "small.pgm", "size"),
                ("select in.ppm --scribble gone.png -o x.png", 1, "gone.png", "No such file"),
                (f"select in.ppm {stroke} --background-scribble none.pgm -o x.png", 1, "none.pgm"),
                (f"select in.ppm {stroke} --spread-window 8 -o x.png", 2, "--spread-window"),
                (f"select in.ppm {stroke} --threshold 2 -o x.png", 2, "--threshold"),
                ("select in.ppm --scribble a --scribble b -o x.png", 2, "one --scribble"),
                (f"select in.ppm {stroke} --dilate 9999 -o x.png", 2, "--dilate"),
                (f"select gone.ppm {stroke} -o x.png", 1, "gone.ppm"),
                (f"focus in.ppm x.png {stroke} --mask left.pgm", 2, "--mask"),
                ("focus in.ppm x.png", 2, "--mask"),
                ("focus in.ppm x.png --mask none.pgm", 1, "in.ppm", "object"),
                ("focus in.ppm x.png --mask small.pgm", 1, "small.pgm", "size"),
                (f"focus in.ppm x.png {stroke} --background blue", 2, "--background", "blue"),
                (f"focus in.ppm x.png {stroke} --background tint=blau", 2, "--background"),
                (f"focus in.ppm x.jpg {stroke} --background transparent", 1, "x.jpg",
                 "transparency"),
                (f"focus in.ppm x.png {stroke} --preset texture --save-model x.cof", 2,
                 "--preset cannot be combined with --save-model"),
                (f"focus in.ppm x.png {stroke} --method fast --save-model x.cof", 2,
                 "--method cannot be combined with --save-model"),
                (f"focus in.ppm x.png {stroke} --background image=gone.png", 1, "gone.png"),
                (f"focus in.ppm x.png {stroke} --background image=small.pgm", 1, "small.pgm"),
                (f"focus grey.pgm x.png {stroke} --background grey", 1, "grey.pgm", "colours"),
                (f"focus in.ppm x.png {stroke} --matte x.png", 2, "x.png", "two outputs"),
                (f"recolour in.ppm x.png {stroke}", 2, "--colour"),
                (f"recolour in.ppm x.png {stroke} --colour blau", 2, "--colour", "'blau'"),
                (f"recolour grey.pgm x.png {stroke} --colour #112233", 1, "grey.pgm", "colours")):
            with self.subTest(line):
                self.assert_rejected(line, status, *words)
                self.assertFalse((self.folder / "x.png").exists())


if __name__ == "__main__":
    command.TIMEOUT = 300
    unittest.main()
