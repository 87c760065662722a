#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a wheel: the Python package with a libcof inside. Equal inputs give equal bytes.

pip could build one, but with a tag for this version of Python and this Linux, although the package
has no extension module. Times are those of SOURCE_DATE_EPOCH.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import stat
import subprocess
import time
import zipfile

from metadata import ROOT, metadata, version


def package_files():
    """The files of the package that Git knows."""
    done = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "python/cof"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return {f"cof/{pathlib.Path(name).name}": (ROOT / name).read_bytes()
            for name in done.stdout.split("\0") if name}


def record(files, folder):
    """RECORD: the hash and the size of each file."""
    lines = []
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join(lines) + f"{folder}/RECORD,,\n"


def write_zip(path, files, epoch):
    when = time.gmtime(max(epoch, 315532800))[:6]  # zip knows no time before 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(name, when)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            mode = 0o755 if name.endswith((".so", ".dylib", ".dll")) else 0o644
            info.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(info, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path, help="where the wheel is written")
    parser.add_argument("--platform", required=True, help="such as manylinux_2_34_x86_64")
    parser.add_argument("--library", action="append", default=[], metavar="FILE=NAME",
                        help="a file that the package contains under that name")
    parser.add_argument("--licence", action="append", default=[], metavar="FILE=NAME",
                        help="a further licence")
    options = parser.parse_args()
    files = package_files()
    for item in options.library:
        file, name = item.rsplit("=", 1)
        files[f"cof/{name}"] = pathlib.Path(file).read_bytes()
    folder = f"cof-{version()}.dist-info"
    tag = f"py3-none-{options.platform}"
    files[f"{folder}/METADATA"] = metadata().encode()
    files[f"{folder}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: libcof {version()}\n"
                                f"Root-Is-Purelib: false\nTag: {tag}\n").encode()
    files[f"{folder}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for item in options.licence:
        file, name = item.rsplit("=", 1)
        files[f"{folder}/licenses/{name}"] = pathlib.Path(file).read_bytes()
    files[f"{folder}/RECORD"] = record(files, folder).encode()
    path = options.folder / f"cof-{version()}-{tag}.whl"
    write_zip(path, files, int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    print(path)


if __name__ == "__main__":
    main()
