#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a source distribution of the Python package: make_sdist.py FOLDER

It holds what the last commit has, less what the package does not need. Equal commits give equal
bytes. Times are those of SOURCE_DATE_EPOCH.
"""
import gzip
import io
import os
import pathlib
import subprocess
import sys
import tarfile

from metadata import ROOT, metadata, version

# Folders that only other builds need, and one of the second that this needs.
LEFT_OUT = {".ci", ".github", "bench", "cli", "dev", "docs", "examples", "fuzz", "gallery",
            "packaging", "plugins", "site", "tests", "web"}
KEPT = "plugins/common"


def is_needed(name):
    return name.split("/")[0] not in LEFT_OUT or name.startswith(KEPT + "/")


def committed():
    """The files of the last commit that belong to the sdist, by name."""
    done = subprocess.run(["git", "-C", ROOT, "archive", "--format=tar", "HEAD"], check=True,
                          stdout=subprocess.PIPE)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        return {member.name: (archive.extractfile(member).read(), member.mode)
                for member in archive if member.isfile() and is_needed(member.name)}


def main():
    folder = pathlib.Path(sys.argv[1])
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    top = f"cof-{version()}"
    files = committed()
    files["PKG-INFO"] = (metadata().encode(), 0o644)
    path = folder / f"{top}.tar.gz"
    with open(path, "wb") as raw, \
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=epoch) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, (data, mode) in sorted(files.items()):
            info = tarfile.TarInfo(f"{top}/{name}")
            info.size, info.mtime = len(data), epoch
            info.mode = 0o755 if mode & 0o100 else 0o644
            archive.addfile(info, io.BytesIO(data))
    print(path)


if __name__ == "__main__":
    main()
