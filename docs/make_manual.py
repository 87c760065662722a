#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fills in the option list of the manual page: make_manual.py COMMAND docs/cof.1.scd.in > cof.1.scd

The line `@OPTIONS@` becomes what `COMMAND --help-scd` prints.
"""
import pathlib
import subprocess
import sys


def options(command):
    done = subprocess.run([command, "--help-scd"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"make_manual: {command} --help-scd failed")
    return done.stdout.strip("\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    command, frame = sys.argv[1:]
    text = pathlib.Path(frame).read_text(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text.replace("@OPTIONS@", options(command)))


if __name__ == "__main__":
    main()
