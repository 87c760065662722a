#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that every include goes to the same folder or to one that comes before it."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A folder may include headers of itself and of the folders to its left.
FOLDERS = ["base", "options", "kernels", "call", "image", "learn", "filter", "api"]


def includes(path):
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)


def library_problems():
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        here = FOLDERS.index(path.relative_to(ROOT / "src").parts[0])
        for header in includes(path):
            if header == "cof/cof.h":
                continue
            folder = header.split("/")[0]
            if folder not in FOLDERS or FOLDERS.index(folder) > here:
                yield f"{path.relative_to(ROOT)} must not include {header}"


def outside_problems():
    """The command and its like know the public header, what they share and their own; the command
    also calls the operations of libvips, and reads pixels as they do."""
    known = {"cof/cof.h", "vips_operations.h", "vips_pixels.h"}
    known |= {header.name for header in (ROOT / "plugins" / "common").glob("*.h")}
    for folder in ("cli", "plugins", "bench"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            for header in includes(path):
                if header not in known and not (path.parent / header).exists():
                    yield f"{path.relative_to(ROOT)} must not include {header}"


problems = [*library_problems(), *outside_problems()]
print("\n".join(problems) or "every include goes down")
sys.exit(bool(problems))
