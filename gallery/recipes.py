# SPDX-License-Identifier: BSD-2-Clause
"""The values of the presets that a picture was made with, which a test compares with today's."""
import os
import re
import sys

from commands import ROOT, found_library

SIDE = 400  # of the image, in pixels, whose window and sigma are told


def cof_of_this_tree():
    """The Python package of this source tree."""
    sys.path.insert(0, str(ROOT / "python"))
    os.environ.setdefault("COF_LIBRARY", str(found_library()))
    import cof
    return cof


def of_presets(names):
    """The values that presets have today, as one line."""
    cof = cof_of_this_tree()
    return "; ".join(f"{name}: " + ", ".join(
        f"{option} {value}" for option, value in cof.preset(name, SIDE, SIDE).items())
        for name in sorted(names))


def named_presets(text):
    """The presets that commands name, with --preset or in a loop over presets."""
    names = set(re.findall(r"--preset ([a-z]+)", text))
    for loop in re.findall(r"for preset in ([a-z ]+);", text):
        names.update(loop.split())
    return names


def of_steps(steps):
    """The values of the presets that the commands of a figure use, or nothing."""
    return of_presets(named_presets("\n".join(text for _, text in steps)))
