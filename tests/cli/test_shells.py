#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The help, the manual and the completions list all options of the library and of the command."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from command import COF, ENVIRONMENT, FolderTest, ROOT, TIMEOUT, run_cof, setUpModule

COMPLETIONS = ROOT / "cli" / "completion"
VERBS = ["filter", "learn", "apply", "merge", "select", "focus", "recolour", "video", "show", "info"]


# The groups of the library's options that each subcommand accepts.
GROUPS = {
    "filter": {"GENERAL", "LEARN", "MODEL", "FILTER", "RUN"},
    "learn": {"GENERAL", "LEARN", "MODEL", "RUN"},
    "apply": {"GENERAL", "FILTER", "RUN"},
    "merge": set(),
    "select": {"LEARN", "MODEL", "SELECT", "RUN"},
    "focus": {"GENERAL", "LEARN", "MODEL", "FILTER", "SELECT", "RUN"},
    "recolour": {"LEARN", "MODEL", "SELECT", "RUN"},
    "video": {"GENERAL", "LEARN", "MODEL", "FILTER", "SELECT", "RUN"},
    "show": {"GENERAL", "LEARN", "MODEL", "FILTER", "RUN"},
    "info": set(),
}
# Options of these groups that would have no effect, or that cannot be used.
UNUSED = {
    "select": {"downscale", "window", "gap", "likelihood"},
    "focus": {"variant"},
    "recolour": {"downscale", "window", "gap", "likelihood"},
}
# The command has its own, for --posterise.
OWN = {"filter": {"min_area"}, "apply": {"min_area"}}


class OptionTable(FolderTest):
    def test_every_option_of_the_library(self):
        table = (ROOT / "src" / "options" / "options.def").read_text().partition("*/\n\n")[2]
        rows = re.findall(r"^OPTION_\w+\((\w+), ([A-Z]+),", table, re.M)
        self.assertGreater(len(rows), 25)
        groups = dict(rows)
        del groups["low"], groups["high"]  # these are --range
        for verb in VERBS:
            lines = run_cof(["--complete-options", verb], self.folder).stdout.splitlines()
            listed = {line.split("\t")[0].removeprefix("--").replace("-", "_") for line in lines}
            wanted = {name for name, group in groups.items() if group in GROUPS[verb]}
            with self.subTest(verb):
                self.assertEqual(listed & set(groups),
                                 (wanted - UNUSED.get(verb, set())) | OWN.get(verb, set()))


class Manual(FolderTest):
    def setUp(self):
        super().setUp()
        make, frame = ROOT / "docs" / "make_manual.py", ROOT / "docs" / "cof.1.scd.in"
        self.text = subprocess.run([sys.executable, make, COF, frame], stdout=subprocess.PIPE,
                                   text=True, check=True, timeout=TIMEOUT).stdout

    def test_every_option_and_subcommand(self):
        rows = re.findall(r"(?m)^(?:\*-\w\*, )?\*(--[a-z-]+)\*(?: _.*?_)?(?: \(([a-z, ]+)\))?\n\t",
                          self.text.partition("\n# OPTIONS\n")[2].partition("\n# FILES\n")[0])
        for verb in VERBS:
            listed = run_cof([verb, "--help"], self.folder).stdout
            options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", listed, re.M)
            self.assertGreater(len(options), 1)
            described = [name for name, verbs in rows if not verbs or verb in verbs.split(", ")]
            self.assertEqual(sorted(described), sorted(options), verb)

    def test_nothing_is_repeated(self):
        """Most options have one entry for all subcommands."""
        names = re.findall(r"(?m)^(?:\*-\w\*, )?\*(--[a-z-]+)\*.*\n\t",
                           self.text.partition("\n# OPTIONS\n")[2].partition("\n# FILES\n")[0])
        self.assertLess(len(names), 1.3 * len(set(names)))

    def test_options_of_the_text_exist(self):
        """The rest of the page names no option that the command does not have."""
        listed = "".join(run_cof([verb, "--help"], self.folder).stdout for verb in VERBS)
        for option in set(re.findall(r"\*(--[a-z-]+)", self.text)):
            if option not in ("--colors", "--color", "--normalize", "--posterize"):
                self.assertIn(option, listed)

    @unittest.skipUnless(shutil.which("scdoc"), "needs scdoc")
    def test_it_is_one(self):
        done = subprocess.run(["scdoc"], input=self.text.encode(), capture_output=True,
                              timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


class Bash(FolderTest):
    def environment(self):
        path = os.pathsep.join([os.path.dirname(COF), ENVIRONMENT["PATH"]])
        return {**ENVIRONMENT, "PATH": path}

    def complete(self, line):
        words = line.split(" ")
        script = (f"source {COMPLETIONS / 'cof.bash'}; compopt() {{ :; }}; "
                  f"COMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}; "
                  "_cof; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", script], env=self.environment(), text=True,
                              capture_output=True, timeout=TIMEOUT, cwd=self.folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_options(self):
        self.assertEqual(self.complete("cof --wi"), ["--window"])
        self.assertEqual(self.complete("cof learn --st"), ["--stats"])
        self.assertEqual(self.complete("cof info --m"), ["--matrix"])
        self.assertEqual(self.complete("cof in.png --filter-"),
                         ["--filter-window", "--filter-sigma", "--filter-downscale", "--filter-bands"])

    def test_words(self):
        self.assertEqual(self.complete("cof le"), ["learn"])
        self.assertEqual(self.complete("cof --border m"), ["mirror"])
        self.assertEqual(self.complete("cof --sampling "), ["auto", "all"])
        self.assertEqual(self.complete("cof video --preset "),
                         ["subtle", "texture", "cartoon", "flat", "video", "portrait", "drawing"])
        self.assertEqual(self.complete("cof focus --background "),
                         ["smooth", "grey", "transparent", "tint=", "image="])
        self.assertEqual(self.complete("cof in.png - --format .t"), [".tif"])
        self.assertEqual(self.complete("cof learn i"), [])

    def test_files(self):
        for name in ("a.cof", "a.png"):
            (self.folder / name).touch()
        (self.folder / "folder").mkdir()
        for line in ("cof info ", "cof apply ", "cof --model ", "cof --palette-from "):
            self.assertEqual(self.complete(line), ["a.cof", "folder"], line)

    def test_no_variable_leaks(self):
        script = (f"source {COMPLETIONS / 'cof.bash'}; compopt() {{ :; }}; COMP_WORDS=(cof --bo); "
                  "COMP_CWORD=1; compgen -v | sort >before; _cof; compgen -v | sort >after; "
                  "comm -13 before after")
        done = subprocess.run(["bash", "-c", script], env=self.environment(), text=True,
                              capture_output=True, timeout=TIMEOUT, cwd=self.folder)
        self.assertLessEqual(set(done.stdout.split()), {"COMPREPLY", "MAPFILE", "PIPESTATUS"})


class Others(unittest.TestCase):
    def check(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(f"needs {command[0]}")
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_fish_completes(self):
        if not shutil.which("fish"):
            self.skipTest("needs fish")
        path = os.pathsep.join([os.path.dirname(COF), ENVIRONMENT["PATH"]])
        for line, wanted in (("cof video --preset ", {"subtle", "texture", "cartoon", "flat", "video", "portrait",
                                                      "drawing"}),
                             ("cof le", {"learn"}), ("cof --filter-w", {"--filter-window"})):
            done = subprocess.run(["fish", "-c", f"source {COMPLETIONS / 'cof.fish'}; "
                                   f"complete -C '{line}'"], env={**ENVIRONMENT, "PATH": path},
                                  text=True, capture_output=True, timeout=TIMEOUT)
            found = {row.split("\t")[0] for row in done.stdout.splitlines()}
            self.assertEqual(found & wanted, wanted, done.stderr)

    def test_zsh(self):
        self.check("zsh", "-n", COMPLETIONS / "_cof")

    def test_fish(self):
        self.check("fish", "-n", COMPLETIONS / "cof.fish")


if __name__ == "__main__":
    unittest.main()
