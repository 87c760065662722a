#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fills in the lists of the manual page: make_manual.py COMMAND docs/cof.1.scd.in > cof.1.scd

The line `@OPTIONS@` becomes what `COMMAND --help-scd` prints, `@FORMATS@` what `COMMAND info --formats`
prints, and `@VERSION@` the name and the version of the command.
"""
import pathlib
import re
import subprocess
import sys


def printed(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"make_manual: {' '.join(command)} failed")
    return done.stdout.strip("\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    command, frame = sys.argv[1:]
    text = pathlib.Path(frame).read_text(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    version = printed(command, "--version").splitlines()[0]
    formats = re.sub(r"([_*\\])", r"\\\1", printed(command, "info", "--formats"))
    formats = re.sub(r",(?=\S)", ", ", formats)  # where a line can be broken
    text = text.replace("@VERSION@", version).replace("@OPTIONS@", printed(command, "--help-scd"))
    text = text.replace("@FORMATS@", "\n".join(f"- {line}" for line in formats.splitlines()))
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
