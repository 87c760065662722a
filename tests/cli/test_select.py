#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cof select: a few strokes are enough, in images of any size."""
import unittest

import command
from command import (FolderTest, PHOTOS, ROOT, measures, samples, setUpModule, vips, write_grey,
                     write_rgb)

CHOSEN = ROOT / "tests" / "data" / "select"

# Strokes that somebody drew without care, or a single one.
CUP = "--stroke", "200,85 120,130 100,200 170,330:4"
TABLE = "--background-stroke", "500,50 550,300:4"
GLAND = "--stroke", "310,370 340,410 310,440"
MAN = "--stroke", "230,90 60,300 40,480"
AROUND = "--background-stroke", "300,60 400,60", "--background-stroke", "300,270 340,400"


def overlap(found, truth):
    """Intersection over union."""
    pairs = list(zip(found, truth, strict=True))
    return (sum(1 for a, b in pairs if a and b) / sum(1 for a, b in pairs if a or b))


def parts(mask, width):
    """The sizes of the connected parts, of the mask and of the rest."""
    left, sizes = set(range(len(mask))), []
    while left:
        found = [left.pop()]
        for pixel in found:
            x = pixel % width
            for other in (pixel - 1 if x else -1, pixel + 1 if x + 1 < width else -1,
                          pixel - width, pixel + width):
                if other in left and bool(mask[other]) == bool(mask[pixel]):
                    left.remove(other)
                    found.append(other)
        sizes.append(len(found))
    return sizes


def enlarged(strokes, factor):
    """The same strokes, on an enlarged image."""
    words = []
    for word in strokes:
        points, _, radius = word.partition(":")
        if not word.startswith("--"):
            places = [[factor * float(v) for v in point.split(",")] for point in points.split()]
            word = " ".join(f"{x},{y}" for x, y in places) + f":{factor * float(radius or 4)}"
        words.append(word)
    return words


@measures
class Photographs(FolderTest):
    def truth(self, name):
        vips("copy", CHOSEN / f"{name}.png", self.folder / "truth.png[bitdepth=8]")
        return samples(self.folder / "truth.png")

    def test_few_strokes_are_enough(self):
        for name, strokes, least in (("coffee", (*CUP, *TABLE), 0.95), ("coffee", CUP, 0.95),
                                     ("coffee", ("--stroke", "120,130 100,200"), 0.95),
                                     ("camera", ("--stroke", "100,250 80,450", "--stroke",
                                                 "318,190:3"), 0.9), ("ihc", GLAND, 0.85), ("camera", (*MAN, *AROUND), 0.9)):
            with self.subTest(name, strokes=strokes):
                self.cof("select", PHOTOS / f"{name}.png", *strokes, "-o", "mask.png")
                union = overlap(samples(self.folder / "mask.png"), self.truth(name))
                print(f"{name}, {len(strokes) // 2} strokes: IoU {union:.3f}", flush=True)
                self.assertGreater(union, least)
                (self.folder / "mask.png").unlink()

    def test_small_parts(self):
        """Spreading leaves holes and islands, which can be removed."""
        share = 0.001
        for options in ((), ("--min-area", str(share))):
            self.cof("select", PHOTOS / "coffee.png", *CUP, *TABLE, "--select-method", "spread",
                     *options, "-o", "mask.png")
            mask = samples(self.folder / "mask.png")
            sizes = parts(mask, 600)
            (self.folder / "mask.png").unlink()
            (self.assertGreaterEqual if options else self.assertLess)(
                min(sizes), int(share * len(mask)))

    def test_an_enlargement_has_the_enlarged_mask(self):
        for name, strokes in (("coffee", (*CUP, *TABLE)), ("camera", (*MAN, *AROUND))):
            with self.subTest(name):
                self.cof("select", PHOTOS / f"{name}.png", *strokes, "-o", "small.png")
                for each in (PHOTOS / f"{name}.png", self.folder / "small.png"):
                    vips("zoom", each, self.folder / f"large-{each.name}", 3, 3)
                self.cof("select", f"large-{name}.png", *enlarged(strokes, 3), "-o", "mask.png")
                union = overlap(samples(self.folder / "mask.png"),
                                samples(self.folder / "large-small.png"))
                self.assertGreater(union, 0.97)
                (self.folder / "mask.png").unlink()
                (self.folder / "small.png").unlink()


class Disc(FolderTest):
    """A red disc with white dots on a blue ground."""
    SIDE = 80

    def setUp(self):
        super().setUp()
        side = self.SIDE
        self.inside = [(x - 40) ** 2 + (y - 40) ** 2 < 25 ** 2
                       for y in range(side) for x in range(side)]
        dots = [x % 12 in (5, 6) and y % 12 in (5, 6) for y in range(side) for x in range(side)]
        write_rgb(self.folder / "in.ppm", side, side,
                  [v for inside, dot in zip(self.inside, dots)
                   for v in ((240, 240, 240) if inside and dot else (200, 30, 30) if inside
                             else (40, 60, 200))])

    def selected(self, *options):
        self.cof("select", "in.ppm", *options, "-o", "mask.png")
        found = [value > 0 for value in samples(self.folder / "mask.png")]
        (self.folder / "mask.png").unlink()
        return found

    def test_either_side(self):
        found = self.selected("--stroke", "38,38 44,44:1")
        self.assertGreater(overlap(found, self.inside), 0.97)
        found = self.selected("--stroke", "5,5 70,5:1", "--background-stroke", "38,38 44,44:1")
        self.assertGreater(overlap(found, [not inside for inside in self.inside]), 0.97)

    def test_options_without_effect(self):
        for options, word in ((("--threshold", "0.5"), "--threshold"),
                              (("--spread-window", "15"), "--spread-window"),
                              (("--colours", "8"), "--colours")):
            done = command.run_cof(["select", "in.ppm", "--stroke", "40,40", *options, "-o",
                                    "mask.png"], self.folder)
            self.assertEqual((done.returncode, done.stderr),
                             (0, f"cof: note: {word} has no effect without --select-method spread\n"))
            self.selected("--stroke", "40,40", "--select-method", "spread", *options)

    def test_transparent_layers(self):
        """Paint on a transparent layer, whatever the colour of its transparent pixels is."""
        for colour in ("0 0 0", "255 255 255"):
            vips("black", self.folder / "black.v", self.SIDE, self.SIDE, "--bands", 3)
            vips("linear", self.folder / "black.v", self.folder / "layer.v", "1 1 1", colour)
            vips("draw_rect", self.folder / "layer.v", "255 255 255", 36, 36, 8, 8, "--fill")
            vips("black", self.folder / "alpha.v", self.SIDE, self.SIDE)
            vips("draw_rect", self.folder / "alpha.v", "255", 36, 36, 8, 8, "--fill")
            vips("bandjoin", f"{self.folder / 'layer.v'} {self.folder / 'alpha.v'}",
                 self.folder / "joined.v")
            vips("cast", self.folder / "joined.v", self.folder / "bytes.v", "uchar")
            vips("copy", self.folder / "bytes.v", self.folder / "marks.png",
                 "--interpretation", "srgb")
            found = self.selected("--scribble", "marks.png")
            self.assertGreater(overlap(found, self.inside), 0.97)

    def test_corrections(self):
        """Strokes on either side correct a mask; what is far from them stays, whatever it is."""
        ragged = [inside or (x + y) % 7 == 0 and y < 3 for (x, y), inside in
                  zip(((i % self.SIDE, i // self.SIDE) for i in range(self.SIDE ** 2)), self.inside)]
        hole = [32 <= i % self.SIDE < 48 and 35 <= i // self.SIDE < 45 for i in range(len(ragged))]
        write_grey(self.folder / "given.pgm", self.SIDE, self.SIDE,
                   [200 * (one and not gap) for one, gap in zip(ragged, hole)])
        found = self.selected("--correct", "given.pgm", "--stroke", "38,40 42,40:2")
        self.assertTrue(found == ragged)
        write_grey(self.folder / "given.pgm", self.SIDE, self.SIDE,
                   [200 * one for one in ragged])
        found = self.selected("--correct", "given.pgm", "--background-stroke", "38,40 42,40:2")
        self.assertFalse(found[40 * self.SIDE + 40])
        self.assertTrue(found[:3 * self.SIDE] == ragged[:3 * self.SIDE])
        found = self.selected("--correct", "given.pgm", "--stroke", "38,40 42,40:2")
        self.assertTrue(found == ragged)
        inverted = self.selected("--correct", "given.pgm", "--stroke", "38,40", "--invert")
        self.assertTrue(inverted == [not one for one in ragged])

    def test_rejected_corrections(self):
        write_grey(self.folder / "given.pgm", self.SIDE, self.SIDE, [0] * self.SIDE ** 2)
        write_grey(self.folder / "other.pgm", self.SIDE, self.SIDE + 1, [9] * 80 * 81)
        (self.folder / "text.png").write_text("no image")
        for line, status, *words in (
                ("--correct given.pgm", 2, "--correct needs a stroke"),
                ("--correct given.pgm --stroke 9,9 --select-method spread", 2, "--correct",
                 "--select-method spread"),
                ("--correct - --scribble - --stroke 9,9", 2, "- can be an input only once"),
                ("--correct missing.png --stroke 9,9", 1, "missing.png", "No such file"),
                ("--correct text.png --stroke 9,9", 1, "text.png", "is in no format that cof reads"),
                ("--correct other.pgm --stroke 9,9", 1, "other.pgm", "differs in size"),
                ("--correct given.pgm --background-stroke 9,9", 1, "no pixel of the object")):
            with self.subTest(line):
                self.assert_rejected(f"select in.ppm {line} -o x.png", status, *words)
        self.assert_rejected("select in.ppm --correct given.pgm --stroke 9,9 -o given.pgm", 2,
                             "given.pgm", "is an input and an output")

    def test_rejected_input(self):
        for line, status, *words in (
                ("--stroke 40,40 --stroke 900,900:2", 1, "900,900:2", "no pixel"),
                ("--stroke 40,40 --background-stroke 5,-50:3", 1, "5,-50:3", "no pixel"),
                ("--stroke 1e30,5", 1, "1e30,5"),
                ("--scribble in.ppm", 1, "in.ppm", "black layer"),
                ("--stroke 40,40 --background-stroke 40,42", 1, "in.ppm", "overlap at 40,38"),
                ("--stroke 40,40 --min-area 2", 2, "--min-area"),
                ("--stroke 40,40 --select-method magic", 2, "--select-method", "watershed"),
                ("--background-stroke 40,40", 2, "--scribble or --stroke")):
            with self.subTest(line):
                self.assert_rejected(f"select in.ppm {line} -o x.png", status, *words)


if __name__ == "__main__":
    unittest.main()
