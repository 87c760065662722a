#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that every file that states the version of libcof states that of meson.build, and that
the date of a release is the one that CHANGELOG.md states.

Meson itself compares cof.h. The command, the manual page, the packages for Python, JavaScript and
QGIS ask the library when they are built. A version without a date is not released yet: then no file
may have one, and packaging/release.sh refuses to make it (--released does so, and prints the date).
"""
import email.utils
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
RELEASED = re.compile(r"^## \[\d\S*\](?: - (\d{4}-\d\d-\d\d))?$", re.M)


def project_version():
    return re.search(r"^  version: '(\d+\.\d+\.\d+)',$", (ROOT / "meson.build").read_text(), re.M)[1]


def stated(name, pattern):
    """What the file states; of the numbers of cof.h, all, and of a list of versions, the first."""
    found = re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
    if name.endswith(".h"):
        return [".".join(found)]
    return found[:1] if name == "CHANGELOG.md" else found


def released():
    """The date of the newest version in CHANGELOG.md, or None."""
    section = RELEASED.search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    return section and section[1]


def other_dates():
    """The dates of that version in other files. A Debian package always has one."""
    citation = re.search(r"^date-released: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    yield "CITATION.cff", citation and citation[1]
    entry = re.search(r"^ -- .*>  (.+)$", (ROOT / "packaging/debian/changelog").read_text(), re.M)
    if released():
        yield "packaging/debian/changelog", str(email.utils.parsedate_to_datetime(entry[1]).date())


def main():
    if sys.argv[1:] == ["--released"]:
        print(released() or "CHANGELOG.md has no date for this version: ## [VERSION] - YYYY-MM-DD")
        return 0 if released() else 1
    version = project_version()
    problems = [f"{name}: the date {date} should be {released()}, as in CHANGELOG.md"
                for name, date in other_dates() if date != released()]
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
