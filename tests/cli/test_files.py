#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Which files the command may write: originals, links, names that meet in one file, modes."""
import os
import resource
import signal
import stat
import struct
import subprocess
import time
import unittest
import zlib

from command import (COF, ENVIRONMENT, FolderTest, TIMEOUT, load_vips_modules, run_cof, setUpModule,
                     shape, snapshot, write_photo, write_samples)

load_vips_modules(needed=False)
SVG = ('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
       '<rect width="9" height="9" fill="red"/></svg>')
STROKE = "--stroke 20,20:5"


class FileTest(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")

    def assert_refused(self, arguments, *words, status=2):
        """Expects one line, and that no file changes."""
        before = snapshot(self.folder)
        done = run_cof(arguments.split(), self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"\Acof: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(snapshot(self.folder), before)

    def assert_all_refused(self, rows):
        for arguments, *words in rows:
            with self.subTest(arguments=arguments):
                self.assert_refused(arguments, *words)


class Originals(FileTest):
    def setUp(self):
        super().setUp()
        (self.folder / "below").mkdir()
        (self.folder / "link.png").symlink_to("in.png")
        (self.folder / "below" / "link.png").symlink_to("../link.png")
        os.link(self.folder / "in.png", self.folder / "hard.png")
        self.cof("learn", "in.png", "-o", "m.cof")
        self.cof("learn", "--stats", "in.png", "-o", "s.cof")

    def test_an_input_is_not_replaced(self):
        self.assert_all_refused([
            *((pair, pair.split()[-1], "is the input", "--in-place")
              for pair in ("in.png in.png", "in.png below/../in.png", "in.png link.png",
                           "link.png in.png", "in.png below/link.png", "in.png hard.png",
                           "in.png in.png[compression=9]")),
            ("--skip-existing in.png link.png", "is the input", "--in-place"),
            ("in.png -o .", "./in.png", "--in-place"),
            ("in.png hard.png -o .", "in.png"),
            ("in.png -o ./", "in.png", "--in-place"),
            ("below/link.png .", "./link.png", "is the input", "--in-place"),
            ("apply m.cof in.png link.png", "link.png", "is the input", "--in-place"),
            (f"focus in.png hard.png {STROKE}", "hard.png", "is the input", "--in-place"),
            (f"recolour in.png in.png {STROKE} --colour #2040e0", "is the input", "--in-place"),
            ("merge s.cof -o ./s.cof", "./s.cof", "is the input", "--in-place"),
            ("video in.png link.png", "link.png", "is an input and an output"),
            (f"select in.png -o link.png {STROKE}", "is an input and an output"),
            ("show in.png -o hard.png", "is an input and an output"),
            ("learn m.cof -o ./m.cof", "is an input and an output"),
        ])

    def test_files_of_options_are_not_replaced(self):
        write_samples(self.folder / "mask.png", 1, "B", "b-w")
        (self.folder / "seven.png").symlink_to("mask.png")
        self.assert_all_refused([
            *((f"--{option} {file} in.png ./{file}", file, "is an input and an output")
              for option, file in [("mask", "mask.png"), ("guide", "seven.png"),
                                   ("labels", "mask.png"), ("learn-from", "mask.png")]),
            ("--model m.cof in.png out.png --report ./m.cof", "is an input and an output"),
            ("--palette-from s.cof in.png out.png --save-model below/../s.cof", "s.cof"),
            (f"focus in.png seven.png {STROKE} --background image=mask.png", "seven.png"),
            (f"focus in.png out.png --mask mask.png --matte seven.png", "seven.png"),
            (f"select in.png -o ./mask.png --scribble mask.png", "mask.png"),
            ("--mask mask.png --in-place mask.png", "mask.png", "is an input and an output"),
        ])

    def test_no_file_is_written_twice(self):
        (self.folder / "new.png").symlink_to("out.png")
        self.assert_all_refused([
            *((f"in.png out.png {option} {name}", name, "two outputs")
              for option, name in [("--residual", "./out.png"), ("--side-by-side", "new.png"),
                                   ("--report", "below/../out.png"), ("--save-model", "out.png")]),
            ("in.png out.png --residual ./link.png", "link.png", "is an input and an output"),
            ("in.png out.png --residual a.png --side-by-side ./a.png", "two outputs"),
            ("--in-place in.png --residual hard.png", "hard.png"),
        ])

    def test_devices_are_written_more_than_once(self):
        self.cof("in.png", "--report", "/dev/null", "--save-model", "/dev/null", "out.png")

    def test_inputs_that_meet_in_one_output(self):
        (self.folder / "a.svg").write_text(SVG)
        write_photo(self.folder / "a.svg.png")
        write_photo(self.folder / "below" / "in.png")
        (self.folder / "below" / "other.png").symlink_to("in.png")
        (self.folder / "out").mkdir()
        (self.folder / "out" / "link.png").symlink_to("in.png")
        self.assert_all_refused([
            ("a.svg a.svg.png -o out", "out/a.svg.png", "output of a.svg and of a.svg.png"),
            ("a.svg a.svg.png -o new", "new/a.svg.png"),
            ("in.png below/in.png -o new/and/deep", "in.png"),
            ("in.png link.png -o out", "out/link.png", "output of in.png and of link.png"),
            ("--in-place in.png in.png", "in.png"),
            ("--in-place --pages 1 in.png", "keeps all pages"),
            ("below in.png -o out[strip]", "out[strip]", "--format"),
            ("--in-place in.png link.png", "in.png"),
            ("--in-place in.png hard.png", "in.png"),
        ])


class InPlace(FileTest):
    def setUp(self):
        super().setUp()
        self.original = (self.folder / "in.png").read_bytes()

    def test_one(self):
        expected = self.cof("in.png", "out.png").read_bytes()
        self.assertNotEqual(self.original, expected)
        self.assertEqual(self.cof("--in-place", "in.png").read_bytes(), expected)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.png", "out.png"])

    def test_many(self):
        expected = self.cof("in.png", "out.png").read_bytes()
        names = [f"{i}.png" for i in range(5)]
        for name in names:
            write_photo(self.folder / name)
            (self.folder / name).chmod(0o604)
        self.cof("--in-place", *names)
        for name in names:
            self.assertEqual((self.folder / name).read_bytes(), expected)
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), 0o604)
        self.assertEqual(sorted(os.listdir(self.folder)), [*names, "in.png", "out.png"])

    def test_a_missing_input_keeps_all(self):
        self.assert_refused("--in-place in.png out.png", "out.png", "No such file", status=1)

    def test_a_bad_file_among_many_stays(self):
        (self.folder / "bad.png").write_text("no image\n")
        done = run_cof(["--in-place", "bad.png", "in.png"], self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Acof: bad.png: [^\n]+\n\Z")
        self.assertEqual((self.folder / "bad.png").read_text(), "no image\n")
        self.assertNotEqual((self.folder / "in.png").read_bytes(), self.original)

    def test_a_link_stays_a_link(self):
        expected = self.cof("in.png", "out.png").read_bytes()
        (self.folder / "link.png").symlink_to("in.png")
        self.cof("--in-place", "link.png")
        self.assertTrue((self.folder / "link.png").is_symlink())
        self.assertEqual((self.folder / "in.png").read_bytes(), expected)

    def test_other_subcommands(self):
        self.cof("learn", "in.png", "-o", "m.cof")
        for verb, *options in (["apply", "m.cof"], ["focus", *STROKE.split()],
                               ["recolour", *STROKE.split(), "--colour", "#2040e0"]):
            with self.subTest(verb=verb):
                write_photo(self.folder / "again.png")
                expected = self.cof(verb, *options, "in.png", "out.png").read_bytes()
                self.cof(verb, "--in-place", *options, "again.png")
                self.assertEqual((self.folder / "again.png").read_bytes(), expected)

    def test_merge(self):
        self.cof("learn", "--stats", "in.png", "-o", "s.cof")
        expected = self.cof("merge", "s.cof", "s.cof", "-o", "sum.cof").read_bytes()
        (self.folder / "more.cof").write_bytes((self.folder / "s.cof").read_bytes())
        self.cof("merge", "--in-place", "s.cof", "more.cof")
        self.assertEqual((self.folder / "s.cof").read_bytes(), expected)

    def test_what_would_be_lost(self):
        """Where another file is written, a note says so."""
        chunk = b"acTL" + struct.pack(">2I", 3, 0)
        chunk = struct.pack(">I", 8) + chunk + struct.pack(">I", zlib.crc32(chunk))
        (self.folder / "moves.png").write_bytes(self.original[:33] + chunk + self.original[33:])
        lost = "all frames but the first one"
        self.assert_refused("--in-place moves.png", f"moves.png: --in-place would remove {lost}", status=1)
        self.assertIn(f"not kept in out.png: {lost}", run_cof(["moves.png", "out.png"], self.folder).stderr)

    def test_wrong_usage(self):
        self.assert_all_refused([
            ("--in-place", "an input file is needed"),
            ("--in-place in.png -o out.png", "--output"),
            ("--in-place in.png --format .png", "--format"),
            ("--in-place in.png --skip-existing", "--skip-existing"),
            ("--in-place -", "not -"),
            ("--in-place in.png[page=0]", "in.png[page=0]", "without options"),
            ("--in-place in.png other.png --residual r.png", "--residual needs a single input"),
            ("learn --in-place in.png", "learn has no --in-place"),
            (f"select --in-place in.png {STROKE}", "select has no --in-place"),
        ])


class Links(FileTest):
    def test_links_to_links_that_dangle(self):
        for n, name in enumerate(["first.png", "second.png", "third.png"]):
            (self.folder / name).symlink_to(["second.png", "third.png", "new/real.png"][n])
        (self.folder / "new").mkdir()
        self.cof("in.png", "first.png")
        for name in ("first.png", "second.png", "third.png"):
            self.assertTrue((self.folder / name).is_symlink())
        self.assertEqual(shape(self.folder / "new" / "real.png"), shape(self.folder / "in.png"))
        (self.folder / "link.cof").symlink_to("other.cof")
        (self.folder / "other.cof").symlink_to(self.folder / "new" / "real.cof")
        self.cof("learn", "in.png", "-o", "link.cof")
        self.assertTrue((self.folder / "new" / "real.cof").is_file())

    def test_loops(self):
        for ending in ("png", "cof", "json", "mp4"):
            (self.folder / f"one.{ending}").symlink_to(f"two.{ending}")
            (self.folder / f"two.{ending}").symlink_to(f"one.{ending}")
        (self.folder / "self.png").symlink_to("self.png")
        for arguments, name in [
                ("in.png one.png", "one.png"), ("in.png self.png", "self.png"),
                ("learn in.png -o one.cof", "one.cof"),
                ("in.png out.png --report one.json", "one.json"),
                ("in.png out.png --save-model one.cof", "one.cof"),
                ("in.png out.png --residual one.png", "one.png"),
                ("video in.png one.mp4", "one.mp4"),
                ("self.png out.png", "self.png")]:
            with self.subTest(arguments=arguments):
                before = sorted(os.listdir(self.folder))
                done = run_cof(arguments.split(), self.folder)
                self.assertEqual((done.returncode, done.stderr),
                                 (1, f"cof: {name}: Too many levels of symbolic links\n"))
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_names_that_are_too_long(self):
        name = "./" * 2100 + "o.png"
        for arguments in ([name, "out.png"], ["in.png", name], ["--mask", name, "in.png", "out.png"],
                          ["in.png", "out.png", "--report", name]):
            done = run_cof(arguments, self.folder)
            self.assertEqual((done.returncode, done.stderr), (1, f"cof: {name}: File name too long\n"))


class FullDisk(FileTest):
    """A limit on the size of files stands for a disk that is full."""

    def test_all_formats(self):
        for ending in ("png", "jpg", "tif", "ppm", "hdr", "jp2", "webp"):
            with self.subTest(ending=ending):
                name = f"out.{ending}"
                (self.folder / name).write_text("precious")
                done = run_cof(["in.png", name], self.folder, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (500, 500)))
                self.assertEqual((done.returncode, done.stderr), (1, f"cof: {name}: File too large\n"))
                self.assertEqual((self.folder / name).read_text(), "precious")
                self.assertFalse(list(self.folder.glob(".cof-*")))

    def test_standard_output(self):
        for ending in ("png", "jp2", "ppm"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([COF, "in.png", "-", "--format", f".{ending}"], stdout=full,
                                      stderr=subprocess.PIPE, text=True, cwd=self.folder,
                                      env=ENVIRONMENT, timeout=TIMEOUT)
            self.assertEqual((done.returncode, done.stderr),
                             (1, "cof: standard output: No space left on device\n"))


class Modes(FileTest):
    def test_replaced_files_keep_their_modes(self):
        names = ["o.png", "m.cof", "r.json", "s.fits"]
        write_samples(self.folder / "grey.png", 1, "B", "b-w")
        for name in names:
            (self.folder / name).touch()
            (self.folder / name).chmod(0o600)
        self.cof("in.png", "--save-model", "m.cof", "--report", "r.json", "o.png")
        self.cof("grey.png", "s.fits")
        for name in names:
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), 0o600, name)
            self.assertGreater((self.folder / name).stat().st_size, 0, name)

    def test_nothing_is_left_of_a_large_model(self):
        """The signal comes as soon as the temporary file is there."""
        command = [COF, "learn", "in.png", "-o", "s.cof", "--stats", "--colours", "256",
                   "--window", "31"]
        for number in (signal.SIGTERM, signal.SIGINT):
            (self.folder / "s.cof").write_text("precious")
            process = subprocess.Popen(command, cwd=self.folder, env=ENVIRONMENT,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT,
                                                                        signal.SIG_DFL))
            end = time.monotonic() + TIMEOUT
            while len(os.listdir(self.folder)) == 2 and process.poll() is None:
                self.assertLess(time.monotonic(), end)
            process.send_signal(number)
            process.wait(timeout=TIMEOUT)
            self.assertEqual(sorted(os.listdir(self.folder)), ["in.png", "s.cof"])
            if process.returncode != 0:
                self.assertEqual(process.returncode, 128 + number)
                self.assertEqual((self.folder / "s.cof").read_text(), "precious")


if __name__ == "__main__":
    unittest.main()
