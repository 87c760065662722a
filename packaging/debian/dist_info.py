# SPDX-License-Identifier: BSD-2-Clause
"""Writes cof-VERSION.dist-info, so that pip and importlib.metadata find the Python module.

usage: dist_info.py PYPROJECT VERSION FOLDER
"""
import pathlib
import sys
import tomllib

import pyproject_metadata

pyproject, version, folder = sys.argv[1:]
with open(pyproject, "rb") as file:
    project = tomllib.load(file)
metadata = pyproject_metadata.StandardMetadata.from_pyproject(project, pathlib.Path(pyproject).parent)
metadata.version = version
info = pathlib.Path(folder) / f"cof-{version}.dist-info"
info.mkdir(parents=True, exist_ok=True)
(info / "METADATA").write_bytes(bytes(metadata.as_rfc822()))
(info / "INSTALLER").write_text("debian\n", encoding="utf-8")
