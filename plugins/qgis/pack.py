# SPDX-License-Identifier: GPL-2.0-or-later
"""Packs the QGIS plug-in: python3 plugins/qgis/pack.py OUTPUT.zip

The options of its dialogs come from the library that COF_LIBRARY names.
"""
import json
import os
import pathlib
import sys
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
from cof import _library as c  # noqa: E402
from cof._options import _GROUPS, range_text  # noqa: E402

TYPES = {c.INT: "int", c.UINT64: "seed", c.DOUBLE: "real", c.CHOICE: "choice"}
# The command has --range for these.
OTHER_FORM = "low", "high"
DATE = 2026, 1, 1, 0, 0, 0  # so that the same files make the same bytes


def described(option):
    """What a dialog needs to know of an option."""
    may_be_0 = option.minimum > 0 and option.flags & c.AUTO
    return {"name": option.name, "type": TYPES[option.type], "group": _GROUPS[option.group],
            "label": option.label, "help": option.help, "choices": list(option.choices),
            "values": ", ".join(option.choices) or range_text(option) or "any number",
            "minimum": 0 if may_be_0 or option.type == c.UINT64 else option.minimum,
            "lowest": option.minimum, "odd": bool(option.flags & c.ODD),
            "maximum": 2 ** 31 - 1 if option.type == c.UINT64 else option.maximum}


def files():
    """Names in the zip file, and contents."""
    for path in sorted((FOLDER / "cof").iterdir()):
        if path.suffix in (".py", ".txt"):
            yield f"cof/{path.name}", path.read_text().replace("@VERSION@", c.version())
    options = [described(option) for name, option in c.lib.table.items() if name not in OTHER_FORM]
    yield "cof/options.json", json.dumps(options, indent=1)
    yield "cof/LICENSE", (FOLDER / "LICENSE.md").read_text()


def pack(output):
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files():
            packed.writestr(zipfile.ZipInfo(name, DATE), text,
                            compress_type=zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 plugins/qgis/pack.py OUTPUT.zip")
    pack(sys.argv[1])
