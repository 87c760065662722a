#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that source files name their licence, and that the tree follows the REUSE specification.

.reuse/dep5 covers files that cannot hold a comment. It would also cover a source file without a
licence, so these are read here.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SUFFIXES = (".c", ".h", ".py", ".sh", ".js", ".mjs", ".css", ".cl")
GPL_FOLDERS = ("plugins/frei0r/", "plugins/qgis/")  # like the headers and modules that they use
# REUSE-IgnoreStart
LINE = re.compile(r"(?:/\*|//|#) SPDX-License-Identifier: (\S+)(?: \*/)?$", re.M)
# REUSE-IgnoreEnd
MADE = re.compile(r"\.git|__pycache__|build.*|demo|release|node_modules")


def sources():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not MADE.fullmatch(name)]
        for name in names:
            if name.endswith(SUFFIXES):
                yield pathlib.Path(folder, name).relative_to(ROOT).as_posix()


def problem_of(name):
    """Why the first two lines of a file are not right, or None."""
    with open(ROOT / name, encoding="utf-8") as file:
        found = LINE.search(file.readline() + file.readline())
    wanted = "GPL-2.0-or-later" if name.startswith(GPL_FOLDERS) else "BSD-2-Clause"
    if not found:
        return f"{name} does not open with its licence"
    return None if found[1] == wanted else f"{name} is under {found[1]}, not {wanted}"


def reuse_report():
    """What `reuse lint` complains of. It needs a repository, so a tarball is not checked."""
    if not (ROOT / ".git").exists() or not shutil.which("reuse"):
        return ""
    done = subprocess.run(["reuse", "--root", ROOT, "lint"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode or "ERROR" in done.stdout else ""


def main():
    problems = [problem for problem in map(problem_of, sources()) if problem]
    problems += filter(None, [reuse_report()])
    print("\n".join(problems) or "all in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
