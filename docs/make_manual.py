#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fills in the option lists of the manual page: make_manual.py COMMAND docs/cof.1.scd.in > cof.1.scd

A line `@OPTIONS filter@` becomes what `COMMAND --help-scd filter` prints.
"""
import pathlib
import re
import subprocess
import sys


def options(command, subcommand):
    done = subprocess.run([command, "--help-scd", subcommand], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"make_manual: {command} --help-scd {subcommand} failed")
    return done.stdout.strip("\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    command, frame = sys.argv[1:]
    text = pathlib.Path(frame).read_text(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(re.sub(r"^@OPTIONS (\w+)@$", lambda line: options(command, line[1]), text,
                            flags=re.MULTILINE))


if __name__ == "__main__":
    main()
