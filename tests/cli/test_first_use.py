#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a new user tries: help, misspelt words, other programs' words, American spelling."""
import functools
import re
import unittest

from command import (FolderTest, HEIGHT, WIDTH, load_vips_modules, run_cof, setUpModule, write_grey,
                     write_photo, write_rectangle, write_samples)

load_vips_modules(needed=False)
VERBS = ["filter", "learn", "apply", "merge", "select", "focus", "recolour", "video", "show", "info"]


@functools.cache
def run_without_files(arguments):
    return run_cof(arguments, "/")


class Help(unittest.TestCase):
    def told(self, *arguments):
        done = run_without_files(arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def test_ways_to_ask(self):
        general = self.told("--help")
        self.assertTrue(general.startswith("Usage: cof "))
        self.assertEqual({self.told("-h"), self.told("help")}, {general})
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", general)
            ways = {self.told(*way) for way in
                    ((verb, "--help"), (verb, "-h"), ("help", verb), (verb, "in.png", "-h"))}
            self.assertEqual(len(ways), 1, verb)
        self.assertEqual(self.told("help", "recolor"), self.told("help", "recolour"))
        self.assertRegex(self.told("-V"), r"\Acof \d+\.\d+\.\d+\n\Z")
        self.assertEqual({self.told("--version"), self.told("focus", "-V")}, {self.told("-V")})

    def test_80_columns(self):
        for arguments in (["--help"], *([verb, "--help"] for verb in VERBS)):
            for line in self.told(*arguments).splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_usual_options_first(self):
        for verb in VERBS:
            sections = re.findall(r"(?m)^([A-Z][A-Za-z ]+)\n  (?:-|\")", self.told(verb, "--help"))
            self.assertEqual(sections[0], "Common options", verb)
            self.assertEqual(sections[-1], "Other options", verb)
            common = self.told(verb, "--help").partition("Common options\n")[2].partition("\n\n")[0]
            self.assertLessEqual(len(re.findall(r"(?m)^  -", common)), 10, verb)

    def test_no_option_is_listed_twice(self):
        for verb in VERBS:
            options = re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", self.told(verb, "--help"))
            self.assertEqual(len(options), len(set(options)), verb)
            self.assertFalse([name for name in options if "color" in name or "gray" in name])


class Hints(FolderTest):
    def test_words_that_are_no_subcommands(self):
        for line, hint in (("smooth a.png b.png", "did you mean filter?"),
                           ("blur a.png b.png", "did you mean filter?"),
                           ("train a.png -o b.cof", "did you mean learn?"),
                           ("recolr a.png b.png", "did you mean recolour?"),
                           ("version", "did you mean --version?"),
                           ("nonsense a.png", "see cof --help"),
                           ("help lern", "did you mean learn?"),
                           ("help a.png", "see cof --help"),
                           ("-v", "-V shows the version")):
            with self.subTest(line):
                self.assert_rejected(line, 2, hint)

    def test_videos(self):
        write_photo(self.folder / "in.png")
        (self.folder / "clip.mp4").write_bytes(bytes(100))
        for line, name in (("clip.mp4 out.mp4", "out.mp4"), ("clip.mp4 out.png", "clip.mp4"),
                           ("in.png out.MOV", "out.MOV"), ("learn clip.mp4 -o m.cof", "clip.mp4"),
                           ("select clip.mp4 --stroke 5,5 -o m.png", "clip.mp4")):
            with self.subTest(line):
                self.assert_rejected(line, 1, f"cof: {name}: ", "use cof video INPUT OUTPUT")

    def test_swapped_arguments(self):
        write_photo(self.folder / "in.png")
        self.cof("learn", "-o", "m.cof", "in.png")
        self.assert_rejected("apply in.png m.cof out.png", 1, "in.png: not a model",
                             "MODEL INPUT OUTPUT")
        self.assert_rejected("apply m.cof in.png out.png -o other.png", 2,
                             "apply needs a model, an input and an output")
        (self.folder / "album").mkdir()
        self.assert_rejected("apply m.cof album out", 1, "album: is a folder", "cof --model")

    def test_outputs_by_option(self):
        """Everywhere, -o can name the output instead of the last operand."""
        write_photo(self.folder / "in.png")
        self.cof("learn", "-o", "m.cof", "in.png")
        for line in ("apply m.cof in.png", "focus in.png --stroke 20,20:5",
                     "recolour in.png --stroke 20,20:5 --colour red"):
            with self.subTest(line):
                self.assertEqual(self.cof(*line.split(), "-o", "a.png").read_bytes(),
                                 self.cof(*line.split(), "b.png").read_bytes())
                self.assert_rejected(f"{line} -o in.png", 2, "in.png: is the input")
                self.assert_rejected(f"{line} --in-place -o c.png", 2, "--in-place", "--output")

    def test_new_folder(self):
        write_photo(self.folder / "in.png")
        self.cof("in.png", "new/")
        self.assertEqual((self.folder / "new" / "in.png").read_bytes(), self.cof_bytes())

    def test_names_are_printed_once(self):
        (self.folder / "broken.png").write_bytes(b"no image")
        self.assert_rejected("broken.png out.png", 1, "cof: broken.png: is in no format that cof reads")

    def test_info_has_one_form(self):
        write_photo(self.folder / "in.png")
        self.cof("learn", "-o", "m.cof", "in.png")
        self.assert_rejected("info --json --matrix m.cof", 2, "--json", "--matrix")

    def test_american_spelling(self):
        write_photo(self.folder / "in.png")
        for british, american in ((("--colours", "8"), ("--colors", "8")),
                                  (("--colours=8",), ("--colors=8",)),
                                  (("--normalise", "marginals"), ("--normalize", "marginals"))):
            self.assertEqual(self.cof_bytes(*british), self.cof_bytes(*american))
        self.cof("select", "in.png", "--stroke", "5,5", "--kind", "rgb", "-o", "mask.png")
        self.cof("--kind", "gray", "mask.png", "out.png")
        self.cof("recolor", "in.png", "out.png", "--color", "gray", "--mask", "mask.png")
        self.cof("focus", "in.png", "out.png", "--background", "gray", "--mask", "mask.png")
        self.assert_rejected("--colrs 8 in.png out.png", 2, "did you mean --colours?")


class Notes(FolderTest):
    """Options that have no effect get a line, and the image is filtered all the same."""

    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")
        write_samples(self.folder / "grey.png", 1, "B", "b-w")
        write_rectangle(self.folder / "mask.pgm", 10, 10, 20, 20)
        write_grey(self.folder / "labels.pgm", WIDTH, HEIGHT, [0, 1] * (WIDTH * HEIGHT // 2))
        (self.folder / "two.csv").write_text("1,0.5\n0.5,1\n")

    def notes(self, line):
        done = run_cof(line.split(), self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        lines = done.stderr.splitlines()
        self.assertTrue(all(line.startswith("cof: note: --") for line in lines), lines)
        return [line.removeprefix("cof: note: ") for line in lines]

    def test_notes(self):
        focus = "focus in.png out.png --mask mask.pgm"
        for line, *wanted in (
                ("--levels 9 in.png out.png", "--levels has no effect on colour images"),
                ("--range 0,9 --levels 9 in.png out.png", "--levels has no effect on colour images",
                 "--range has no effect on colour images"),
                ("--colours 9 grey.png out.png", "--colours has no effect on grey images"),
                ("learn --seed 9 grey.png -o m.cof", "--seed has no effect on grey images"),
                ("--space native grey.png out.png", "--space has no effect on grey images"),
                ("--accuracy 50 in.png out.png", "--accuracy has no effect without --method fast"),
                ("--tolerance 1 in.png out.png", "--tolerance has no effect on a single pass"),
                ("--update labels in.png out.png", "--update has no effect on a single pass"),
                ("-r in.png out.png", "--recursive has no effect without a folder"),
                ("--preset texture --window 31 in.png out.png",
                 "--window has little effect with --preset unless --sigma is given"),
                (f"{focus} --palettes 2", "--palettes has no effect with focus"),
                ("--labels labels.pgm --palettes 2 in.png out.png",
                 "--palettes has no effect with --labels"),
                ("--colours 2 --matrix two.csv --palettes 2 --separation 0.5 in.png out.png",
                 "--palettes has no effect with --matrix", "--separation has no effect with --matrix"),
                ("select in.png --stroke 9,9 -o m.png --palettes 2",
                 "--palettes has no effect with select"),
                (f"{focus} --threshold 0.5 --dilate 2", "--threshold has no effect with --mask",
                 "--dilate has no effect with --mask"),
                (f"{focus} --background grey --preset texture",
                 "--preset has no effect with this --background")):
            with self.subTest(line):
                self.assertEqual(self.notes(line), wanted)
        self.assertEqual(self.notes("--levels 9 --accuracy 50 in.png out.png --quiet"), [])

    def test_lost_transparency(self):
        write_samples(self.folder / "clear.png", 4, "B", "srgb")
        for name in ("out.jpg", "out.ppm"):
            done = run_cof(["clear.png", name], self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, f"cof: note: {name}: this format "
                             "has no transparency; transparent parts are black\n"))
        self.cof("clear.png", "out.webp")
        self.cof("--quiet", "clear.png", "out.jpg")

    def test_options_that_have_an_effect(self):
        for line in ("--levels 9 grey.png out.png", "--levels 9 --guide grey.png in.png out.png", "--colours 9 in.png out.png",
                     "--levels 9 --colours 9 in.png grey.png -o out",
                     "--accuracy 50 --method auto in.png out.png",
                     "--accuracy 50 --preset texture in.png out.png",
                     "--tolerance 1 --iterations 2 in.png out.png",
                     "show --convergence --tolerance 1 in.png -o out.png",
                     "focus in.png out.png --mask mask.pgm --update labels"):
            with self.subTest(line):
                self.assertEqual(self.notes(line), [])

    def test_no_notes_after_an_error(self):
        self.assert_rejected("--levels 9 --accuracy 50 missing.png out.png", 1, "missing.png")


if __name__ == "__main__":
    unittest.main()
