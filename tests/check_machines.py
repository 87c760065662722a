#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that docs/systems.md lists the tests that ./dev test machines runs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROWS = ("| against", "| determinism", "| `.cof`", "| units")


def run(name):
    """The names of a list in machines.sh, without those of another list that it contains."""
    text = (ROOT / "packaging/machines/machines.sh").read_text()
    return sorted(re.sub(r"\$\w+", "", re.search(rf'^{name}="([^"]*)"', text, re.M)[1]).split())


def documented(column):
    """The names in a column of the table; remarks are in parentheses."""
    rows = [re.sub(r"\([^)]*\)", "", line).split("|")
            for line in (ROOT / "docs/systems.md").read_text().splitlines() if line.startswith(ROWS)]
    return sorted(name for row in rows for name in re.findall(r"\w+", row[column]))


def main():
    problems = [f"docs/systems.md and {name} differ: {sorted(set(run(name)) ^ set(documented(column)))}"
                for name, column in (("emulated_tests", 2), ("native_tests", 3))
                if run(name) != documented(column)]
    print("\n".join(problems) or "all tests of machines are listed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
