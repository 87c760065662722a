#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that were once treated wrongly: each is right, or refused, or a note says what is lost.

tests/data/corpus/README.md explains the table. A hostile file must not make the command open others.
"""
import concurrent.futures
import csv
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from command import COF, ROOT, FolderTest, load_vips_modules, setUpModule

os.environ["COF"] = COF
sys.path.insert(0, str(ROOT / "tests" / "corpus"))
# pylint: disable=wrong-import-position
import corpus
import trace_opens

try:
    import numpy  # noqa: F401
    import PIL  # noqa: F401
    import tifffile  # noqa: F401
    from osgeo import gdal  # noqa: F401
except ImportError as problem:
    print(f"skipped: {problem}")
    sys.exit(77)
# pylint: enable=wrong-import-position

DATA = ROOT / "tests" / "data" / "corpus"
SECRETS = {"photo.png": ROOT / "tests" / "data" / "corpus" / "column.png",
           "photo.jpg": ROOT / "tests" / "data" / "corpus" / "cmyk.jpg"}
MAX_TIME = 30  # seconds; some files made a library hang
load_vips_modules()


def cases():
    with open(DATA / "cases.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def hide_secrets(folder):
    secrets = folder / "secret"
    secrets.mkdir()
    for name, source in SECRETS.items():
        shutil.copyfile(source, secrets / name)
    shutil.copyfile(SECRETS["photo.png"], folder / "secret.png")
    (secrets / "text.txt").write_text("a secret " * 100)
    (secrets / "style.css").write_text("rect { fill: blue }")


class Corpus(FolderTest):
    def setUp(self):
        super().setUp()
        self.folder = self.folder.resolve()
        self.inputs = self.folder / "inputs"
        self.inputs.mkdir()
        hide_secrets(self.folder)
        for path in DATA.iterdir():
            data = path.read_bytes().replace(b"/SECRET/", f"{self.folder}/secret/".encode())
            (self.inputs / path.name).write_bytes(data)

    @classmethod
    def tearDownClass(cls):
        for reader in corpus.all_readers:
            reader.stop()

    def new_folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.folder))
        hide_secrets(folder)
        return folder

    def problem_of(self, case, *options):
        """What is not as the table says, or None."""
        path = self.inputs / case["file"]
        done, output = corpus.run_copy(self.new_folder(), path, ["--strength", "0", *options], MAX_TIME)
        like = self.inputs / case["like"] if case["like"] else None
        kind, reason = corpus.verdict_on(done, output, path, like=like)
        said = " ".join(done.notes + done.lines)
        if kind not in case["expected"].split("|"):
            return f"{kind}, and not {case['expected']}: {reason}"
        if not re.search(case["word"], said, re.I):
            return f"does not say {case['word']}: {said}"
        if case["absent"] and output.exists() and case["absent"].encode() in output.read_bytes():
            return f"the output holds {case['absent']}"
        return None

    def check_all(self, runs):
        """runs are (case, options)."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (case, options), problem in zip(runs, pool.map(lambda r: self.problem_of(r[0], *r[1]), runs)):
                with self.subTest(file=case["file"], options=options):
                    self.assertIsNone(problem)

    def test_each_file_is_right_or_refused(self):
        self.check_all([(case, case["options"].split()) for case in cases()])

    def test_damage_is_found_with_any_number_of_threads(self):
        damaged = [case for case in cases() if re.match(r"cut|deflate|lzw|checksum", case["file"])]
        self.check_all([(case, ["--threads", str(threads)]) for case in damaged for threads in (1, 3, 8)])

    def test_the_table_is_complete(self):
        rows = cases()
        used = {row[name] for row in rows for name in ("file", "like", "opens")} | {"cases.csv", "README.md"}
        files = {path.name for path in DATA.iterdir()}
        siblings = {name for name in files if name.rpartition(".")[0] in used}
        self.assertEqual(files - used - siblings, set())
        self.assertEqual({row["file"] for row in rows} - files, set())

    @unittest.skipUnless("COF_SANITIZED" not in os.environ and trace_opens.available(), "strace is needed")
    def test_hostile_files_open_nothing_else(self):
        hostile = re.compile(rb"secret|127\.0\.0\.1", re.I)
        for case in cases():
            if case["opens"] or hostile.search((DATA / case["file"]).read_bytes()):
                with self.subTest(file=case["file"]):
                    folder = self.new_folder()
                    path = self.inputs / case["file"]
                    for original in [path, *corpus.siblings(path)]:
                        shutil.copyfile(original, folder / original.name)
                    self.assertEqual(trace_opens.surplus(path.name, folder, case["opens"].split()), [])


if __name__ == "__main__":
    unittest.main()
