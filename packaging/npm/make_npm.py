#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Packs the JavaScript package as npm pack does: make_npm.py PACKAGE-FOLDER OUTPUT-FOLDER

npm need not be installed, and equal files give equal bytes, whatever its version would do. Times are
those of SOURCE_DATE_EPOCH.
"""
import gzip
import io
import json
import os
import pathlib
import sys
import tarfile

# npm packs these beside what package.json lists.
ALWAYS = ["package.json", "README.md", "LICENSE"]


def main():
    package, folder = map(pathlib.Path, sys.argv[1:3])
    about = json.loads((package / "package.json").read_text())
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    path = folder / f"{about['name']}-{about['version']}.tgz"
    with open(path, "wb") as raw, \
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=epoch) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(ALWAYS + about["files"]):
            data = (package / name).read_bytes()
            info = tarfile.TarInfo(f"package/{name}")
            info.size, info.mtime, info.mode = len(data), epoch, 0o644
            archive.addfile(info, io.BytesIO(data))
    print(path)


if __name__ == "__main__":
    main()
