# SPDX-License-Identifier: BSD-2-Clause
"""The metadata of the Python package, from pyproject.toml and meson.build."""
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def version():
    done = subprocess.run(["sh", ROOT / "packaging" / "version.sh"], check=True, text=True,
                          stdout=subprocess.PIPE)
    return done.stdout.strip()


def metadata():
    """The text of METADATA in a wheel and of PKG-INFO in an sdist."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {name}" for name in project["classifiers"]]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    lines += ["Description-Content-Type: text/markdown", "",
              (ROOT / project["readme"]).read_text()]
    return "\n".join(lines)
