#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Who may include whom: the table of CONTRIBUTING.md, checked.

A file may include headers of lower layers and of its own; of the stages only those to its left.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

BASE = {"arithmetic", "bytes", "cpu", "image", "look", "memory", "options", "parallel", "reduce", "roots", "run", "samples",
        "status", "where"}
STAGES = ["colour", "palette", "labels", "stats", "model", "filter"]
# Files of a stage that is too large for one.
STAGE_OF = {"cluster": "palette", "scan": "stats", "count": "stats", "firsts": "stats", "soft": "model", "ring": "filter", "labelling": "filter",
            "spectrum": "filter", "grid": "filter", "fast": "filter",
            "weights": "filter", "pass": "filter", "matte": "filter"}
TOP = {"apply", "blend", "coarse", "entry", "file", "grow", "learn", "select", "smooth"}


def rank(name, in_kernels):
    """Layer 0, 1, 2.0 to 2.5, 3."""
    if in_kernels:
        return 1
    if name in BASE:
        return 0
    if name in TOP:
        return 3
    return 2 + STAGES.index(STAGE_OF.get(name, name)) / 10


def includes(path):
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)


def library_problems():
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        here = rank(path.stem, path.parent.name == "kernels")
        for header in includes(path):
            if header == "cof/cof.h":
                continue
            stem = pathlib.Path(header).stem
            there = rank(stem, (ROOT / "src" / "kernels" / f"{stem}.h").exists())
            if there > here:
                yield f"{path.relative_to(ROOT)} must not include {header}"


def outside_problems():
    """The command and its like know the public header, what they share and their own; the command
    also calls the operations of libvips, and reads pixels as they do."""
    known = {"cof/cof.h", "vips_operations.h", "vips_pixels.h"}
    known |= {header.name for header in (ROOT / "plugins" / "common").glob("*.h")}
    for folder in ("cli", "plugins", "bench"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            for header in includes(path):
                if header not in known and not (path.parent / header).exists() \
                        and not (ROOT / folder / header).exists():
                    yield f"{path.relative_to(ROOT)} must not include {header}"


def circles():
    headers = {p.stem: [pathlib.Path(h).stem for h in includes(p)]
               for p in (ROOT / "src").rglob("*.h")}

    def visit(name, trail):
        if name in trail:
            yield "a circle: " + " -> ".join(trail[trail.index(name):] + [name])
            return
        for header in headers.get(name, []):
            yield from visit(header, trail + [name])

    for name in headers:
        yield from visit(name, [])


problems = [*library_problems(), *outside_problems(), *circles()]
print("\n".join(problems) or "every include goes down")
sys.exit(bool(problems))
