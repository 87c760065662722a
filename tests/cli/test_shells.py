#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The manual and the completions list all options of the command."""
import os
import re
import shutil
import subprocess
import unittest

from command import COF, ENVIRONMENT, FolderTest, ROOT, TIMEOUT, run_cof, setUpModule

COMPLETIONS = ROOT / "cli" / "completion"
VERBS = ["filter", "learn", "apply", "merge", "select", "focus", "recolour", "video", "show", "info"]


class Manual(FolderTest):
    def test_every_option_and_subcommand(self):
        text = (ROOT / "docs" / "cof.1.scd").read_text()
        for verb in VERBS:
            listed = run_cof([verb, "--help"], self.folder).stdout
            for option in re.findall(r"^  (--[a-z-]+)", listed, re.M):
                self.assertRegex(text, rf"(?m)^[^\t].*\*{option}\*", option)
            self.assertIn(f"*{verb}*", text)

    @unittest.skipUnless(shutil.which("scdoc"), "needs scdoc")
    def test_it_is_one(self):
        with open(ROOT / "docs" / "cof.1.scd", "rb") as source:
            done = subprocess.run(["scdoc"], stdin=source, capture_output=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class Bash(FolderTest):
    def complete(self, line):
        words = line.split(" ")
        script = (f"source {COMPLETIONS / 'cof.bash'}; compopt() {{ :; }}; "
                  f"COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}; "
                  "_cof; printf '%s\\n' \"${COMPREPLY[@]}\"")
        path = os.pathsep.join([os.path.dirname(COF), ENVIRONMENT["PATH"]])
        done = subprocess.run(["bash", "-c", script], env={**ENVIRONMENT, "PATH": path}, text=True,
                              capture_output=True, timeout=TIMEOUT, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_options(self):
        self.assertEqual(self.complete("cof --wi"), ["--window"])
        self.assertEqual(self.complete("cof learn --st"), ["--stats"])
        self.assertEqual(self.complete("cof info --m"), ["--matrix"])
        self.assertEqual(self.complete("cof in.png --filter-"),
                         ["--filter-window", "--filter-sigma"])

    def test_words(self):
        self.assertEqual(self.complete("cof le"), ["learn"])
        self.assertEqual(self.complete("cof --border m"), ["mirror"])
        self.assertEqual(self.complete("cof video --look "), ["subtle", "texture", "cartoon"])
        self.assertEqual(self.complete("cof learn i"), [])


class Others(unittest.TestCase):
    def check(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(f"needs {command[0]}")
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_words(self):
        """Each completion lists the looks of the command."""
        for name in ("_cof", "cof.bash", "cof.fish"):
            line, = (line for line in (COMPLETIONS / name).read_text().splitlines()
                     if re.search(r"(--|-l )look\b", line))
            self.assertIn("subtle texture cartoon", line)

    def test_zsh(self):
        self.check("zsh", "-n", COMPLETIONS / "_cof")

    def test_fish(self):
        self.check("fish", "-n", COMPLETIONS / "cof.fish")


if __name__ == "__main__":
    unittest.main()
