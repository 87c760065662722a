#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Selection by scribbles, and effects on the selection or the background."""
import json
import unittest

import command
from command import (FolderTest, PHOTOS, ROOT, measures, samples, setUpModule, shape, vips, write_grey,
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
                         ("pair", 4, "colour"))
        text = command.run_cof(["info", "pair.cof"], self.folder).stdout
        self.assertIn("foreground: model of colour images", text)
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

    def test_wide_samples_and_alpha(self):
        vips("colourspace", self.folder / "in.ppm", self.folder / "wide.png", "rgb16")
        vips("bandjoin_const", self.folder / "in.ppm", self.folder / "alpha.png", "255")
        for name, form in (("wide.png", "ushort, 3 bands"), ("alpha.png", "uchar, 4 bands")):
            self.cof("focus", name, f"focus-{name}", *self.choice)
            self.cof("recolour", name, f"recolour-{name}", *self.choice, "--colour", "#2040e0")
            for out in (f"focus-{name}", f"recolour-{name}"):
                self.assertIn(form, shape(self.folder / out))

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
                (f"focus in.ppm x.png {stroke} --background tint=blue", 2, "--background"),
                (f"focus in.ppm x.png {stroke} --background image=gone.png", 1, "gone.png"),
                (f"focus in.ppm x.png {stroke} --background image=small.pgm", 1, "small.pgm"),
                (f"focus grey.pgm x.png {stroke} --background grey", 1, "grey.pgm", "colours"),
                (f"focus in.ppm x.png {stroke} --matte x.png", 2, "x.png", "two outputs"),
                (f"recolour in.ppm x.png {stroke}", 2, "--colour"),
                (f"recolour in.ppm x.png {stroke} --colour blue", 2, "--colour"),
                (f"recolour grey.pgm x.png {stroke} --colour #112233", 1, "grey.pgm", "colours")):
            with self.subTest(line):
                self.assert_rejected(line, status, *words)
                self.assertFalse((self.folder / "x.png").exists())


if __name__ == "__main__":
    command.TIMEOUT = 300
    unittest.main()
