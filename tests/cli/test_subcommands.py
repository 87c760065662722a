#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The subcommands learn, apply, merge and info; several inputs, standard streams, comparison images."""
import json
import os
import subprocess
import unittest
import xml.etree.ElementTree

from command import (COF, ENVIRONMENT, FolderTest, HEIGHT, PHOTOS, TIMEOUT, WIDTH, crop_photo,
                     header, load_vips_modules, noise, run_cof, samples, setUpModule, shape, vips,
                     write_grey, write_photo, write_rectangle, write_rgb)

load_vips_modules()


class PhotoTest(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()


class Models(PhotoTest):
    def test_what_was_learned_is_what_is_applied(self):
        self.cof("in.png", "direct.png")
        self.cof("learn", "in.png", "-o", "in.cof")
        self.cof("apply", "in.cof", "in.png", "applied.png")
        self.cof("--model", "in.cof", "in.png", "modelled.png")
        self.cof("--save-model", "saved.cof", "in.png", "saved.png")
        for name in ("applied.png", "modelled.png", "saved.png"):
            self.assertEqual(self.bytes_of(name), self.bytes_of("direct.png"), name)
        self.assertEqual(self.bytes_of("saved.cof"), self.bytes_of("in.cof"))

    def test_from_other_images(self):
        write_rgb(self.folder / "noise.ppm", WIDTH, HEIGHT, noise(WIDTH * HEIGHT * 3))
        self.cof("--learn-from", "noise.ppm", "--learn-from", "in.png", "in.png", "direct.png")
        self.cof("learn", "noise.ppm", "in.png", "-o", "both.cof")
        self.cof("apply", "both.cof", "in.png", "applied.png")
        self.assertEqual(self.bytes_of("applied.png"), self.bytes_of("direct.png"))
        self.assertNotEqual(self.bytes_of("direct.png"), self.cof_bytes())

    def test_statistics_of_parts_add_up(self):
        """A mask and its opposite miss the pairs between them; the same image twice does not."""
        self.cof("learn", "--stats", "in.png", "-o", "one.cof")
        self.cof("merge", "one.cof", "one.cof", "-o", "two.cof")
        one, two = (json.loads(run_cof(["info", "--json", name], self.folder).stdout)
                    for name in ("one.cof", "two.cof"))
        self.assertEqual(two["pixels"], 2 * one["pixels"])
        self.cof("apply", "one.cof", "in.png", "one.png")
        self.cof("apply", "two.cof", "in.png", "two.png")
        self.assertEqual(self.bytes_of("two.png"), self.bytes_of("one.png"))
        self.assertEqual(self.bytes_of("one.png"), self.cof_bytes())

    def test_a_palette_for_all(self):
        write_rgb(self.folder / "noise.ppm", WIDTH, HEIGHT, noise(WIDTH * HEIGHT * 3))
        self.cof("learn", "--stats", "in.png", "-o", "one.cof")
        self.cof("learn", "--stats", "--palette-from", "one.cof", "noise.ppm", "-o", "other.cof")
        self.cof("merge", "one.cof", "other.cof", "-o", "sum.cof")
        self.cof("learn", "--stats", "noise.ppm", "-o", "foreign.cof")
        self.assert_rejected("merge one.cof foreign.cof -o x.cof", 1, "foreign.cof", "palette")

    def test_a_copied_palette_stays_as_it_is(self):
        """Exact grey is not softened, whatever the file that holds the palette."""
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, noise(WIDTH * HEIGHT))
        self.cof("learn", "--stats", "grey.pgm", "-o", "stats.cof")
        self.cof("learn", "grey.pgm", "-o", "model.cof")
        for source in ("stats.cof", "model.cof"):
            self.cof("learn", "--palette-from", source, "grey.pgm", "-o", "copy.cof")
            self.assertEqual(self.bytes_of("copy.cof"), self.bytes_of("model.cof"))
        self.cof("learn", "--stats", "--palette-from", "model.cof", "grey.pgm", "-o", "more.cof")
        self.cof("merge", "stats.cof", "more.cof", "-o", "sum.cof")
        self.assert_rejected("learn --palette-from model.cof in.png -o x.cof", 1, "model.cof",
                             "palette", "kind")

    def test_a_matrix_of_ones_is_a_blur(self):
        (self.folder / "ones.csv").write_text("1,1,1,1\n" * 4)
        self.cof("--matrix", "ones.csv", "in.png", "out.png")
        spread = [max(v) - min(v) for v in
                  (samples(self.folder / name) for name in ("in.png", "out.png"))]
        self.assertLess(spread[1], spread[0])
        (self.folder / "odd.csv").write_text("1,2\n3,1\n")
        (self.folder / "words.csv").write_text("one,two\nthree,four\n")
        self.assert_rejected("--matrix odd.csv in.png x.png", 1, "odd.csv", "symmetric")
        (self.folder / "wide.csv").write_text("1 2 3\n2 1 3\n")
        (self.folder / "torn.csv").write_text("1;2\n2\n")
        self.assert_rejected("--matrix words.csv in.png x.png", 1, "words.csv", "line 1", "number")
        self.assert_rejected("--matrix wide.csv in.png x.png", 1, "wide.csv", "rows as columns")
        self.assert_rejected("--matrix torn.csv in.png x.png", 1, "torn.csv", "line 2", "length")
        self.assert_rejected("--matrix none.csv in.png x.png", 1, "none.csv", "No such file")

    def test_exactly_soft(self):
        soft = self.cof_bytes("--exact-soft", "--colours", 8)
        self.assertNotEqual(soft, self.cof_bytes("--colours", 8))
        self.cof("learn", "--exact-soft", "--colours", 8, "in.png", "-o", "soft.cof")
        self.cof("apply", "soft.cof", "in.png", "applied.png")
        self.assertEqual(self.bytes_of("applied.png"), soft)

    def test_options_of_learning(self):
        self.cof("learn", "--stats", "--seed", 7, "--sampling", "all", "in.png", "-o", "s.cof")
        facts = json.loads(run_cof(["info", "--json", "s.cof"], self.folder).stdout)
        self.assertEqual((facts["seed"], facts["sampling"], facts["rate"], facts["colours"]),
                         (7, "all", 0, 32))
        vips("colourspace", self.folder / "in.png", self.folder / "grey.png", "grey16")
        self.cof("--range", "0,65535", "--levels", 16, "grey.png", "wide.png")
        self.cof("--levels", 16, "grey.png", "narrow.png")
        self.assertNotEqual(self.bytes_of("wide.png"), self.bytes_of("narrow.png"))

    def test_info(self):
        self.cof("learn", "--window", 9, "--colours", 8, "in.png", "-o", "m.cof")
        text = run_cof(["info", "m.cof"], self.folder).stdout
        self.assertIn("model of rgb images\n8 labels, 3 bands\nwindow 9\npalettes 1\ndownscale 1\n",
                      text)
        facts = json.loads(run_cof(["info", "--json", "m.cof"], self.folder).stdout)
        self.assertEqual((facts["what"], facts["kind"], facts["labels"], facts["window"]),
                         ("model", "rgb", 8, 9))
        self.assertEqual([len(row) for row in facts["palette"]], [3] * 8)
        for more in ([], ["--stats"]):
            self.cof("learn", "--palettes", 2, "in.png", *more, "-o", "two.cof")
            two = json.loads(run_cof(["info", "--json", "two.cof"], self.folder).stdout)
            self.assertEqual((facts["palettes"], two["palettes"], two["labels"]), (1, 2, 32))
        matrix = [[float(v) for v in line.split(",")] for line in
                  run_cof(["info", "--matrix", "m.cof"], self.folder).stdout.splitlines()]
        self.assertEqual([len(row) for row in matrix], [8] * 8)
        self.assertEqual(matrix, [list(column) for column in zip(*matrix)])
        (self.folder / "m.csv").write_text(
            run_cof(["info", "--matrix", "m.cof"], self.folder).stdout)
        self.cof("--matrix", "m.csv", "--window", 9, "in.png", "by_matrix.png")
        self.cof("apply", "m.cof", "in.png", "by_model.png")
        self.assertEqual(self.bytes_of("by_matrix.png"), self.bytes_of("by_model.png"))

    def test_rejected_input(self):
        write_rectangle(self.folder / "black.pgm", 0, 0, 0, 0)
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, noise(WIDTH * HEIGHT))
        (self.folder / "text.cof").write_text("no model")
        self.cof("learn", "in.png", "-o", "m.cof")
        for arguments, status, words in [
                ("learn in.png", 2, ["-o MODEL"]),
                ("learn -o x.cof", 2, ["needs an image"]),
                ("learn missing.png -o x.cof", 1, ["missing.png", "No such file"]),
                ("learn in.png -o nowhere/x.cof", 1, ["nowhere/x.cof", "No such file"]),
                ("learn --mask black.pgm in.png -o x.cof", 1, ["black.pgm", "nothing to learn"]),
                ("learn --mask black.pgm in.png in.png -o x.cof", 1, ["black.pgm", "single"]),
                ("learn --update model in.png -o x.cof", 2, ["--update"]),
                ("learn in.png grey.pgm -o x.cof", 1, ["kind"]),
                ("--learn-from grey.pgm in.png x.png", 1, ["cof: grey.pgm: ", "kind"]),
                ("--kind grey in.png x.png", 1, ["in.png", "1 band"]),
                ("apply m.cof in.png", 2, ["apply needs"]),
                ("apply text.cof in.png x.png", 1, ["text.cof", "not a .cof file"]),
                ("apply missing.cof in.png x.png", 1, ["missing.cof", "No such file"]),
                ("apply m.cof grey.pgm x.png", 1, ["grey.pgm"]),
                ("--model m.cof --window 9 in.png x.png", 2, ["--window has no effect"]),
                ("--model m.cof --update model in.png x.png", 2, ["--update"]),
                ("--model m.cof --save-model n.cof in.png x.png", 2, ["--save-model"]),
                ("merge m.cof -o x.cof", 1, ["m.cof", "only statistics"]),
                ("merge m.cof", 2, ["-o STATISTICS"]),
                ("merge -o x.cof", 2, ["needs statistics"]),
                ("info", 2, ["one file"]),
                ("info in.png", 1, ["in.png", "not a .cof file"]),
                ("info missing.cof", 1, ["missing.cof", "No such file"]),
                ("lern in.png -o x.cof", 2, ["did you mean learn?"]),
                ("--iteration-s 3 in.png x.png", 2, ["did you mean --iterations?"]),
                ("info --jsn m.cof", 2, ["did you mean --json?"]),
                ("--guide in.png --labels in.png in.png x.png", 2, ["--labels"]),
                ("in.png - --format .xyz", 1, [".xyz", "suffix"]),
                ("--residual x.xyz in.png x.png", 1, ["x.xyz", "suffix"])]:
            with self.subTest(arguments=arguments):
                self.assert_rejected(arguments, status, *words)


class ManyPictures(PhotoTest):
    def setUp(self):
        super().setUp()
        for name in ("a.png", "b.png", "c.png"):
            write_photo(self.folder / name)
        (self.folder / "bad.png").write_text("This is no image.\n")

    def test_into_a_folder_that_is_made(self):
        self.cof("a.png", "b.png", "c.png", "-o", "new/folder/")
        for name in ("a.png", "b.png", "c.png"):
            self.assertEqual(self.bytes_of(f"new/folder/{name}"), self.cof_bytes())

    def test_each_image_has_its_own_error(self):
        """Many images that fail at the same moment, for different reasons."""
        photo = self.bytes_of("in.png")
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, noise(WIDTH * HEIGHT))
        vips("complexform", self.folder / "grey.pgm", self.folder / "grey.pgm",
             self.folder / "complex.tif")
        vips("copy", self.folder / "in.png", self.folder / "in.tif")
        causes = {"torn.png": photo[:len(photo) // 2], "text.png": b"no image\n", "empty.jpg": b"",
                  "grey.pgm": self.bytes_of("grey.pgm"), "complex.tif": self.bytes_of("complex.tif"),
                  "torn.tif": self.bytes_of("in.tif")[:100]}
        self.cof("learn", "in.png", "-o", "rgb.cof")
        names, expected, told = [], set(), set()
        for name, data in causes.items():
            stem, ending = name.split(".")
            (self.folder / name).write_bytes(data)
            alone = run_cof(["--model", "rgb.cof", name, "x.png"], self.folder)
            self.assertEqual((alone.returncode, alone.stdout), (1, ""), name)
            told.add(alone.stderr.replace(name, ""))
            for i in range(12):
                names.append(f"{stem}{i}.{ending}")
                (self.folder / names[-1]).write_bytes(data)
                expected.add(alone.stderr.replace(name, names[-1]))
        self.assertGreaterEqual(len(told), 5, told)
        names = [name for i in range(12) for name in names[i::12]]  # the causes in turn
        found = run_cof(["--threads", "4", "--model", "rgb.cof", *names, "in.png", "-o", "out"],
                        self.folder)
        self.assertEqual(set(found.stderr.splitlines(True)), expected)
        self.assertEqual(found.stderr.count("\n"), len(names))
        self.assertEqual(os.listdir(self.folder / "out"), ["in.png"])

    def test_a_bad_one_among_them(self):
        done = run_cof("a.png bad.png c.png missing.png -o out/".split(), self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["a.png", "c.png"])
        lines = sorted(done.stderr.splitlines())
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith("cof: bad.png: "))
        self.assertTrue(lines[1].startswith("cof: missing.png: "))

    def test_two_hundred(self):
        names = [f"p{i:03}.png" for i in range(199)]
        for name in names:
            write_photo(self.folder / name)
        done = run_cof([*names[:100], "bad.png", *names[100:], "-o", "out"], self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Acof: bad.png: [^\n]+\n\Z")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), names)
        self.assertEqual({(self.folder / "out" / name).read_bytes() for name in names},
                         {self.cof_bytes()})

    def test_what_is_there_is_skipped(self):
        (self.folder / "out").mkdir()
        (self.folder / "out" / "a.png").write_text("mine")
        self.cof("a.png", "b.png", "--skip-existing", "-o", "out")
        self.assertEqual(self.bytes_of("out/a.png"), b"mine")
        self.assertTrue((self.folder / "out" / "b.png").exists())
        self.cof("a.png", "b.png", "-o", "out")
        self.assertNotEqual(self.bytes_of("out/a.png"), b"mine")

    def test_two_of_one_name(self):
        (self.folder / "other").mkdir()
        write_photo(self.folder / "other" / "a.png")
        self.assert_rejected("a.png other/a.png -o out", 2, "out/a.png", "a.png and of other/a.png")

    def test_one_output_file(self):
        self.cof("a.png", "-o", "x.png")
        self.assertEqual(self.bytes_of("x.png"), self.cof_bytes())


class Streams(PhotoTest):
    def pipe(self, arguments, data):
        return subprocess.run([COF, *arguments.split()], cwd=self.folder, env=ENVIRONMENT,
                              input=data, capture_output=True, timeout=TIMEOUT)

    def test_from_and_to(self):
        done = self.pipe("- -", self.bytes_of("in.png"))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        (self.folder / "out.png").write_bytes(done.stdout)
        self.cof("in.png", "direct.png")
        self.assertEqual(samples(self.folder / "out.png"), samples(self.folder / "direct.png"))

    def test_another_format(self):
        done = self.pipe("in.png - --format .jpg[Q=90]", b"")
        (self.folder / "out.jpg").write_bytes(done.stdout)
        self.assertIn("jpegload", header(self.folder / "out.jpg"))
        done = self.pipe("- out.tif", self.bytes_of("in.png"))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(shape(self.folder / "out.tif"), shape(self.folder / "in.png"))

    def test_raw_frames(self):
        """Each frame of an input is filtered as an image."""
        frames = [bytes(noise(30 * 20 * 3, seed)) for seed in (1, 2)]
        done = self.pipe("--raw 30x20:rgb24 --window 5 - -", b"".join(frames))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        for i, frame in enumerate(frames):
            write_rgb(self.folder / "in.ppm", 30, 20, frame)
            self.cof("--window", 5, "in.ppm", "out.ppm")
            self.assertEqual(done.stdout[1800 * i:1800 * (i + 1)],
                             bytes(samples(self.folder / "out.ppm")))
        self.assertEqual(self.pipe("--raw 30x20:gray16le - -", b"").returncode, 0)

    def test_raw_rejected(self):
        done = self.pipe("--raw 30x20:rgb24 - -", bytes(1801))
        self.assertEqual((done.returncode, len(done.stdout)), (1, 1800))
        self.assertIn(b"incomplete", done.stderr)
        for arguments in ("--raw 30x20 - -", "--raw 0x20:rgb24 - -", "--raw 30x20:yuv420p - -",
                          "--raw 30x20:rgb24 in.png out.png", "--raw 30x20:rgb24 --report r - -"):
            done = self.pipe(arguments, b"")
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr.decode(), r"\Acof: --raw [^\n]+\n\Z")

    def test_nonsense(self):
        (self.folder / "empty").touch()
        with open(self.folder / "empty") as empty:
            done = subprocess.run([COF, "-", "out.png"], cwd=self.folder, env=ENVIRONMENT,
                                  stdin=empty, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (1, "cof: -: is empty\n"))
        for data in (b"", b"This is no image.", self.bytes_of("in.png")[:500]):
            done = self.pipe("- out.png", data)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.decode(), r"\Acof: -: [^\n]+\n\Z")
            self.assertFalse((self.folder / "out.png").exists())


class Order(PhotoTest):
    def test_an_image_instead_of_the_model(self):
        self.cof("learn", "--colours", 8, "in.png", "-o", "m.cof")
        done = run_cof(["apply", "in.png", "m.cof", "out.png"], self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "cof: in.png: not a model; the order is MODEL INPUT OUTPUT\n"))


class Figures(PhotoTest):
    def test_of_a_model(self):
        self.cof("learn", "--colours", 8, "in.png", "-o", "m.cof")
        self.cof("show", "m.cof", "-o", "m.png")
        self.assertRegex(shape(self.folder / "m.png"), "^608x574 uchar, 3 bands")
        self.assertGreater(len(set(samples(self.folder / "m.png"))), 50)
        self.cof("learn", "--stats", "--colours", 8, "in.png", "-o", "s.cof")
        self.cof("show", "s.cof", "-o", "s.png")
        self.assertEqual(self.bytes_of("s.png"), self.bytes_of("m.png"))

    def test_as_svg(self):
        self.cof("learn", "--colours", 8, "in.png", "-o", "m.cof")
        self.cof("show", "m.cof", "-o", "m.svg")
        root = xml.etree.ElementTree.parse(self.folder / "m.svg").getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(root.findall(space + "image")), 1)
        self.assertEqual(len(root.findall(space + "rect")), 1 + 2 * 8 + 64)

    def test_of_an_image(self):
        self.cof("show", "--colours", 5, "in.png", "-o", "sheet.png")
        self.assertRegex(shape(self.folder / "sheet.png"), "^1192x")
        self.cof("show", "in.png", "-o", "sheet.svg")
        root = xml.etree.ElementTree.parse(self.folder / "sheet.svg").getroot()
        self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}image")), 4)

    def test_of_convergence(self):
        self.cof("show", "--convergence", "--iterations", 4, "in.png", "-o", "c.svg")
        text = (self.folder / "c.svg").read_text()
        self.assertEqual(text.count('stroke="#b2182b"'), 3)
        self.cof("show", "--convergence", "in.png", "-o", "c.png")

    def test_rejected_input(self):
        (self.folder / "text.png").write_text("This is no image.\n")
        for arguments, status, words in [
                ("show in.png", 2, ["-o IMAGE"]), ("show -o x.png", 2, ["one file"]),
                ("show missing.png -o x.png", 1, ["missing.png"]),
                ("show text.png -o x.png", 1, ["text.png"]),
                ("show in.png -o x.xyz", 1, ["x.xyz", "suffix"]),
                ("show in.png -o nowhere/x.svg", 1, ["nowhere/x.svg", "No such file"]),
                ("show --window 8 in.png -o x.png", 2, ["--window"])]:
            with self.subTest(arguments=arguments):
                self.assert_rejected(arguments, status, *words)


class Reports(PhotoTest):
    def test_what_was_done(self):
        self.cof("--report", "r.json", "--iterations", 3, "--window", 9, "in.png", "out.png")
        report = json.loads(self.bytes_of("r.json"))
        self.assertEqual((report["input"], report["width"], report["height"], report["bands"]),
                         ("in.png", WIDTH, HEIGHT, 3))
        self.assertEqual((report["options"]["window"], report["options"]["iterations"]), (9, 3))
        run = report["run"]
        self.assertEqual((run["passes"], len(run["change"])), (3, 3))
        self.assertGreater(run["change"][0], run["change"][2])
        self.assertGreater(run["seconds"]["filter"], 0)

    def test_with_a_model(self):
        self.cof("learn", "in.png", "-o", "m.cof")
        self.cof("apply", "--report", "r.json", "m.cof", "in.png", "out.png")
        self.assertEqual(json.loads(self.bytes_of("r.json"))["run"]["passes"], 1)

    def test_any_file_name(self):
        """The report is JSON, in UTF-8, whatever the bytes of the name are."""
        photo = self.bytes_of("in.png")
        for name in (b"\xff.png", b"\xed\xa0\x80.png", b"\xc3.png", b"a\n\t\x01\x1b\x7f.png",
                     b"\"\\'.png", "\u00e9\u2028\U0001f600.png".encode()):
            with self.subTest(name=name):
                (self.folder / os.fsdecode(name)).write_bytes(photo)
                self.cof("--report", "r.json", os.fsdecode(name), "out.png")
                self.assertEqual(json.loads(self.bytes_of("r.json").decode())["input"],
                                 name.decode(errors="replace"))


class NothingIsLost(PhotoTest):
    def test_no_output_twice(self):
        for arguments in ("--residual x.png --side-by-side x.png in.png y.png", "--residual x.png in.png x.png",
                          "--report x.png in.png x.png", "--residual in.png in.png x.png",
                          "--save-model x.cof --report x.cof in.png x.png"):
            with self.subTest(arguments=arguments):
                self.assert_rejected(arguments, 2)

    def test_no_stream_twice(self):
        for arguments in ("--mask - - x.png", "--side-by-side - in.png -", "- in.png -o out",
                          "--guide - --mask - in.png x.png", "--save-model - in.png x.png"):
            with self.subTest(arguments=arguments):
                self.assert_rejected(arguments, 2)

    def test_all_or_nothing(self):
        """An output that cannot be written is reported before any work."""
        for option in ("--report", "--residual", "--side-by-side", "--save-model"):
            with self.subTest(option=option):
                self.assert_rejected(f"{option} nowhere/x.png in.png out.png", 1, "nowhere/x.png",
                                    "No such file")

    def test_apply_has_one_output(self):
        self.cof("learn", "in.png", "-o", "m.cof")
        write_photo(self.folder / "b.png")
        before = self.bytes_of("b.png")
        self.assert_rejected("apply m.cof in.png b.png -o out", 2, "an output")
        self.assertEqual(self.bytes_of("b.png"), before)

    def test_pipes_are_not_replaced(self):
        os.mkfifo(self.folder / "pipe.png")
        os.mkfifo(self.folder / "pipe.json")
        self.assert_rejected("in.png pipe.png", 1, "pipe.png", "not a file")
        reader = subprocess.Popen(["cat", "pipe.json"], cwd=self.folder, stdout=subprocess.PIPE)
        self.cof("--report", "pipe.json", "in.png", "out.png")
        self.assertEqual(json.loads(reader.communicate(timeout=TIMEOUT)[0])["input"], "in.png")
        self.assertTrue((self.folder / "pipe.json").is_fifo())

    def test_links_stay_links(self):
        for name in ("m.cof", "r.json", "new.png"):
            (self.folder / name).symlink_to(f"real-{name}")
        self.cof("learn", "in.png", "-o", "m.cof")
        self.cof("--report", "r.json", "in.png", "new.png")
        for name in ("m.cof", "r.json", "new.png"):
            self.assertTrue((self.folder / name).is_symlink(), name)
            self.assertTrue((self.folder / f"real-{name}").is_file(), name)

    def test_pages(self):
        vips("arrayjoin", f"{self.folder}/in.png {self.folder}/in.png", self.folder / "tall.v",
             "--across", 1)
        vips("copy", self.folder / "tall.v", f"{self.folder}/two.tif[page_height={HEIGHT}]")
        self.assert_rejected("--guide two.tif in.png out.png", 1, "two.tif", "number of pages")
        self.assert_rejected("focus --mask two.tif in.png out.png", 1, "two.tif", "2 pages", "[page=0]")
        self.cof("two.tif[page=1]", "out.tif")
        self.assertEqual(shape(self.folder / "out.tif"), shape(self.folder / "in.png"))
        vips("crop", PHOTOS / "coffee.png", f"{self.folder}/pyramid.tif[tile,pyramid]", 0, 0, 500, 300)
        self.cof("pyramid.tif", "out.tif")

    def test_folders(self):
        (self.folder / "there").mkdir()
        self.cof("in.png", "there")
        self.assertTrue((self.folder / "there" / "in.png").is_file())
        done = run_cof(["in.png", "nofile", "-o", "out"], self.folder)
        self.assertRegex(done.stderr, r"\Acof: nofile: No such file[^\n]*\n\Z")

    def test_models_through_pipes(self):
        done = subprocess.run([COF, "learn", "in.png", "-o", "-"], cwd=self.folder,
                              env=ENVIRONMENT, capture_output=True, timeout=TIMEOUT)
        self.cof("learn", "in.png", "-o", "m.cof")
        self.assertEqual(done.stdout, self.bytes_of("m.cof"))
        info = subprocess.run([COF, "info", "-"], cwd=self.folder, env=ENVIRONMENT,
                              input=done.stdout, capture_output=True, timeout=TIMEOUT)
        self.assertIn(b"model of rgb images", info.stdout)
        subprocess.run([COF, "apply", "-", "in.png", "out.png"], cwd=self.folder, env=ENVIRONMENT,
                       input=done.stdout, check=True, timeout=TIMEOUT)
        self.assertEqual(self.bytes_of("out.png"), self.cof_bytes())

    def test_a_full_device(self):
        self.cof("learn", "in.png", "-o", "m.cof")
        with open("/dev/full", "w") as full:
            done = subprocess.run([COF, "info", "m.cof"], cwd=self.folder, env=ENVIRONMENT,
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "cof: standard output: No space left on device\n"))


class Sheets(PhotoTest):
    def test_detail(self):
        result = self.cof("--residual", "detail.png", "in.png", "out.png")
        before, after = samples(self.folder / "in.png"), samples(result)
        wanted = [min(max(a - b + 128, 0), 255) for a, b in zip(before, after)]
        self.assertEqual(list(samples(self.folder / "detail.png")), wanted)

    def test_compare(self):
        self.cof("--side-by-side", "both.png", "in.png", "out.png")
        self.assertRegex(shape(self.folder / "both.png"), rf"^{2 * WIDTH + 12}x{HEIGHT} uchar")
        vips("crop", self.folder / "both.png", self.folder / "right.png", WIDTH + 12, 0, WIDTH,
             HEIGHT)
        self.assertEqual(samples(self.folder / "right.png"), samples(self.folder / "out.png"))

    def caption_of(self, name, x, width, height):
        """The pixels below an image of the sheet."""
        rows = int(shape(self.folder / name).split()[0].partition("x")[2]) - height
        vips("crop", self.folder / name, self.folder / "caption.png", x, height, width, rows)
        return samples(self.folder / "caption.png")

    def test_captions(self):
        crop_photo(self.folder / "wide.png", 160, 100)
        self.cof("--side-by-side", "both.png", "wide.png", "out.png")
        self.assertRegex(shape(self.folder / "both.png"), r"^332x1\d\d uchar, 3 bands, srgb")
        for x, name in ((0, "wide.png"), (172, "out.png")):
            vips("crop", self.folder / "both.png", self.folder / "part.png", x, 0, 160, 100)
            self.assertEqual(samples(self.folder / "part.png"), samples(self.folder / name))
        words = [self.caption_of("both.png", x, 160, 100) for x in (0, 172)]
        for pixels in words:
            self.assertEqual(min(pixels), 0)
            self.assertGreater(max(pixels), 150)
        self.assertNotEqual(*words)

    def test_captions_of_other_formats(self):
        for kind, extra in (("b-w", []), ("rgb16", []), ("scrgb", []), ("srgb", ["alpha"])):
            crop_photo(self.folder / "photo.tif", 160, 100)
            vips("colourspace", self.folder / "photo.tif", self.folder / "in.tif", kind)
            if extra:
                vips("bandjoin_const", self.folder / "photo.tif", self.folder / "in.tif", "200")
            self.cof("--side-by-side", "both.tif", "in.tif", "out.tif")
            before, after = shape(self.folder / "in.tif"), shape(self.folder / "both.tif")
            self.assertEqual(before.partition(" ")[2], after.partition(" ")[2])
        write_grey(self.folder / "mask.pgm", 160, 100, [255 * (i % 160 < 80) for i in range(16000)])
        self.cof("focus", "photo.tif", "cut.png", "--mask", "mask.pgm", "--background", "transparent",
                 "--side-by-side", "both.png")
        self.assertIn("uchar, 4 bands", shape(self.folder / "both.png"))

    def test_turned_images(self):
        """EXIF rotation is applied."""
        vips("copy", self.folder / "in.png", self.folder / "plain.jpg[Q=100,strip]")
        jpeg = self.bytes_of("plain.jpg")
        tag = b"\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"
        exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0" + tag + bytes(4)
        (self.folder / "side.jpg").write_bytes(
            jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:])
        result = self.cof("side.jpg", "out.png")
        self.assertRegex(shape(result), rf"^{HEIGHT}x{WIDTH} ")
        vips("rot", self.folder / "plain.jpg", self.folder / "upright.png", "d90")
        self.cof("upright.png", "direct.png")
        self.assertEqual(samples(result), samples(self.folder / "direct.png"))


if __name__ == "__main__":
    unittest.main()
