#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Folders as input: which files are taken, in which order, and where their outputs are written."""
import json
import os
import shutil
import unittest

from command import (COF, FolderTest, NOBODY, load_vips_modules, photo_bytes, run_cof, setUpModule,
                     write_rgb, noise)

load_vips_modules(needed=False)


class Folders(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ("album/b.png", "album/a.PNG", "album/trip/c.png", "album/trip/day/d.png",
                     "album/.hidden.png", "album/.cache/e.png"):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(photo_bytes())
        (self.folder / "one.png").write_bytes(photo_bytes())
        self.filtered = self.cof("one.png", "one.filtered.png").read_bytes()

    def files(self, name):
        folder = self.folder / name
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

    def run_noted(self, *arguments, note=""):
        done = run_cof(arguments, self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(done.stderr, f"cof: note: {note}\n" if note else "")

    def test_images_of_a_folder(self):
        for arguments in (("album", "-o", "out"), ("album/", "-o", "out/"), ("album", "out")):
            with self.subTest(arguments):
                self.run_noted(*arguments)
                self.assertEqual(self.files("out"), ["a.PNG", "b.png"])
                self.assertEqual((self.folder / "out" / "b.png").read_bytes(), self.filtered)
                shutil.rmtree(self.folder / "out")

    def test_trees(self):
        for option in ("-r", "--recursive"):
            self.run_noted(option, "album", "-o", "out")
            self.assertEqual(self.files("out"), ["a.PNG", "b.png", "trip/c.png", "trip/day/d.png"])
            shutil.rmtree(self.folder / "out")

    def test_folders_among_files_keep_their_names(self):
        (self.folder / "other").mkdir()
        shutil.copy(self.folder / "one.png", self.folder / "other" / "b.png")
        self.run_noted("album", "one.png", "other/", "-o", "out")
        self.assertEqual(self.files("out"), ["album/a.PNG", "album/b.png", "one.png", "other/b.png"])

    def test_files_that_are_not_images(self):
        for name in ("notes.txt", "table.csv", "clip.mp4", "README"):
            (self.folder / "album" / name).write_text("no image")
        self.run_noted("album", "-o", "out", note="album: skipped 4 files without the suffix of an image")
        self.run_noted("album", "-o", "out", "--quiet")
        self.assertEqual(self.files("out"), ["a.PNG", "b.png"])

    def test_a_damaged_image_is_an_error(self):
        (self.folder / "album" / "damaged.jpg").write_text("no image")
        done = run_cof(["album", "-o", "out"], self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Acof: album/damaged\.jpg: [^\n]+\n\Z")
        self.assertEqual(self.files("out"), ["a.PNG", "b.png"])

    def test_the_output_folder_is_not_an_input(self):
        for _ in range(2):
            self.run_noted("-r", "album", "-o", "album/out")
            self.assertEqual(self.files("album/out"),
                             ["a.PNG", "b.png", "trip/c.png", "trip/day/d.png"])
            self.assertEqual((self.folder / "album/out/b.png").read_bytes(), self.filtered)
        (self.folder / "link").symlink_to("album/out")
        self.run_noted("one.png", "album/out", "-o", "link",
                       note="album/out: is the output folder, and not an input")

    def test_links(self):
        album = self.folder / "album"
        (album / "trip" / "up").symlink_to("..")
        (album / "again").symlink_to("trip")
        (album / "self").symlink_to(".")
        (album / "linked.png").symlink_to("../one.png")
        self.run_noted("-r", "album", "-o", "out")
        self.assertEqual(self.files("out"),
                         ["a.PNG", "b.png", "linked.png", "trip/c.png", "trip/day/d.png"])
        (album / "broken.png").symlink_to("nowhere.png")
        self.assertEqual(run_cof(["album", "-o", "out"], self.folder).stderr,
                         "cof: album/broken.png: No such file or directory\n")

    def test_names_that_clash(self):
        os.mkdir(self.folder / "here")
        shutil.copy(self.folder / "one.png", self.folder / "here" / "one.png")
        self.assert_rejected("one.png here/one.png -o out", 2, "out/one.png", "here/one.png")
        (self.folder / "album" / "trip" / "c.jpg").write_bytes(photo_bytes())
        self.assert_rejected("-r album -o out --format .webp", 2, "out/trip/c.webp",
                             "album/trip/c.jpg and of album/trip/c.png")

    def test_in_place(self):
        self.run_noted("-r", "--in-place", "album")
        for name in ("a.PNG", "b.png", "trip/c.png", "trip/day/d.png"):
            self.assertEqual((self.folder / "album" / name).read_bytes(), self.filtered)
        self.assertEqual((self.folder / "album/.cache/e.png").read_bytes(), photo_bytes())
        self.assert_rejected("album -o album", 2, "to replace it, use --in-place")

    def test_rejected(self):
        (self.folder / "empty").mkdir()
        (self.folder / "above" / "empty").mkdir(parents=True)
        for line, status, *words in (
                ("empty -o out", 1, "empty: has no images\n"),
                ("above -o out", 1, "above: has no images; use -r"),
                ("-r above -o out", 1, "above: has no images\n"),
                ("nowhere/ -o out", 1, "nowhere/: No such file"),
                ("learn empty -o out.cof", 1, "empty: has no images"),
                ("album out.png", 2, "out.png must be a folder"),
                ("album -o out --residual x.png", 2, "--residual needs a single input"),
                ("album -", 2, "several inputs"),
                ("learn album --mask one.png -o out.cof", 1, "single image")):
            with self.subTest(line):
                self.assert_rejected(line, status, *words)

    @unittest.skipUnless(os.geteuid() == 0, "only root can run the command as nobody")
    def test_a_folder_that_cannot_be_read(self):
        for path in (self.folder, self.folder / "out"):
            path.mkdir(exist_ok=True)
            path.chmod(0o777)
        closed = self.folder / "album" / "trip"
        closed.chmod(0o700)
        try:
            done = run_cof(["-r", "album", "-o", "out"], self.folder, user=NOBODY, group=NOBODY,
                           extra_groups=[])
        except OSError as error:
            self.skipTest(f"the command cannot be run as nobody: {error}")
        if not done.stderr.startswith("cof:"):
            self.skipTest(f"{COF} cannot be run as nobody: {done.stderr}")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "cof: album/trip: Permission denied\n"))
        self.assertEqual(self.files("out"), ["a.PNG", "b.png"])

    def test_learning(self):
        write_rgb(self.folder / "album/trip/day/f.ppm", 48, 40, noise(48 * 40 * 3))
        files = ["album/a.PNG", "album/b.png", "album/trip/c.png", "album/trip/day/d.png",
                 "album/trip/day/f.ppm"]
        self.run_noted("learn", "--stats", *files, "-o", "files.cof")
        self.run_noted("learn", "--stats", "-r", "album", "-o", "folder.cof")
        self.assertEqual((self.folder / "files.cof").read_bytes(),
                         (self.folder / "folder.cof").read_bytes())
        told = run_cof(["info", "--json", "folder.cof"], self.folder).stdout
        self.assertEqual(json.loads(told)["what"], "statistics")


if __name__ == "__main__":
    unittest.main()
