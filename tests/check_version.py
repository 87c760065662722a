#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that every file that states the version of libcof states that of meson.build.

Meson itself compares cof.h. The command, the manual page, the packages for Python, JavaScript and
QGIS ask the library when they are built.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What a file states, and how often at least: the version, or its first number.
VERSION = {
    "CITATION.cff": r"^version: (\S+)$",
    "CHANGELOG.md": r"^## \[(\d\S*)\]",
    "README.md": r"^Version (\S+)",
    "docs/web.md": r"libcof-(\d[\d.]*)\.tgz",
    "include/cof/cof.h": r"^#define COF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
}
MAJOR = {
    "python/cof/_library.py": r'^SONAME = "libcof\.so\.(\d+)"$',
    "src/cof.map": r"^COF_(\d+) \{$",
    "tests/abi/check_abi.sh": r"-soname,libcof\.so\.(\d+)",
}


def project_version():
    return re.search(r"^  version: '(\d+\.\d+\.\d+)',$", (ROOT / "meson.build").read_text(), re.M)[1]


def stated(name, pattern):
    """What the file states; of the numbers of cof.h, all, and of a list of versions, the first."""
    found = re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
    if name.endswith(".h"):
        return [".".join(found)]
    return found[:1] if name == "CHANGELOG.md" else found


def main():
    version = project_version()
    problems = []
    for patterns, expected in ((VERSION, version), (MAJOR, version.split(".")[0])):
        for name, pattern in patterns.items():
            found = stated(name, pattern)
            if not found:
                problems.append(f"{name}: no version is found")
            problems += [f"{name}: {text} should be {expected}" for text in found if text != expected]
    print("\n".join(problems) or f"version {version}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
