#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Fills in the option list of the manual page: make_manual.py COMMAND docs/cof.1.scd.in > cof.1.scd

The line `@OPTIONS@` becomes what `COMMAND --help-scd` prints, and `@VERSION@` becomes the name and the
version of the command.
"""
import pathlib
import subprocess
import sys


def printed(command, option):
    done = subprocess.run([command, option], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"make_manual: {command} {option} failed")
    return done.stdout.strip("\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    command, frame = sys.argv[1:]
    text = pathlib.Path(frame).read_text(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    version = printed(command, "--version").splitlines()[0]
    text = text.replace("@VERSION@", version).replace("@OPTIONS@", printed(command, "--help-scd"))
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
