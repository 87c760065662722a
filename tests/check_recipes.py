#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks packaging/recipes: what can be known of recipes without conda, Homebrew and Flatpak.

They name the version, the tarball, the licence and the Meson options of this project, have the keys
that their programs ask for, and say that they are not yet published. tests/check_github.py checks the
workflow beside them.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "packaging" / "recipes"
VERSION = re.search(r"^  version: '(\S+)',$", (ROOT / "meson.build").read_text(), re.M)[1]
OPTIONS = set(re.findall(r"^option\('([a-z-]+)'", (ROOT / "meson_options.txt").read_text(), re.M))
EXTENSION = "org.gimp.GIMP.Plugin.Cof"
problems = []


def expect(is_right, name, what):
    if not is_right:
        problems.append(f"packaging/recipes/{name}: {what}")


def check_text(path):
    """What all recipes have in common."""
    text = path.read_text(encoding="utf-8")
    expect("Not yet published." in text, path.name, "does not say that it is not yet published")
    for option in re.findall(r"-D([a-z-]+)=", text):
        expect(option in OPTIONS | {"auto_features"}, path.name, f"there is no Meson option {option}")
    for tarball in re.findall(r"https\S*/(\S+?\.tar\.xz)", text.replace("${{ version }}", VERSION)):
        expect(tarball == f"libcof-{VERSION}.tar.xz", path.name, f"names {tarball}")
    for digest in re.findall(r"sha256:? \"(.*)\"", text):
        expect(digest == 64 * "0", path.name, "has a checksum: ./dev release fills it in")


def check_conda():
    name = "recipe.yaml"
    recipe = yaml.safe_load((FOLDER / name).read_text())
    expect(recipe["schema_version"] == 1, name, "has another schema")
    expect(recipe["context"]["version"] == VERSION, name, f"should be version {VERSION}")
    expect(recipe["about"]["license"] == "BSD-2-Clause", name, "has another licence")
    expect((ROOT / recipe["about"]["license_file"]).exists(), name, "names no licence file")
    expect([output["package"]["name"] for output in recipe["outputs"]] == ["libcof", "cof"], name,
           "makes other packages")
    needed = (ROOT / "pyproject.toml").read_text()
    python = recipe["outputs"][1]["requirements"]
    expect("numpy >= 1.20" in needed and "numpy >=1.20" in python["run"], name, "wants another NumPy")
    for output in recipe["outputs"]:
        expect({"package", "build", "requirements", "tests"} <= set(output), name, "lacks a key")


def check_homebrew():
    name = "libcof.rb"
    text = (FOLDER / name).read_text()
    for line in (r"^class Libcof < Formula$", r'^  license "BSD-2-Clause"$', r"^  sha256 ",
                 r"^  desc \"[A-Z].{,78}[a-z]\"$", r"^  def install$", r"^  test do$"):
        expect(re.search(line, text, re.M), name, f"lacks {line}")
    opened = len(re.findall(r"^ *(?:class|def)\b|\bdo$", text, re.M))
    expect(opened == len(re.findall(r"^ *end$", text, re.M)), name, "ends are missing")


def check_flatpak():
    name = EXTENSION + ".yml"
    manifest = yaml.safe_load((FOLDER / name).read_text())
    expect({"id", "branch", "runtime", "runtime-version", "sdk", "modules"} <= set(manifest), name,
           "lacks a key")
    expect(manifest["id"] == EXTENSION and manifest["build-extension"] is True, name,
           "is no extension of GIMP")
    expect(manifest["build-options"]["prefix"] == "/app/extensions/plug-ins/Cof", name,
           "is installed in another folder")
    about = EXTENSION + ".metainfo.xml"
    component = xml.etree.ElementTree.parse(FOLDER / about).getroot()
    expect(component.findtext("id") == EXTENSION, about, "has another id")
    expect(component.findtext("extends") == manifest["runtime"], about, "extends another program")
    release = component.find("releases/release")
    expect(release.get("version") == VERSION, about, f"should be version {VERSION}")
    dates = re.search(r"^date-released: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    expect(not dates or release.get("date") == dates[1], about, "has another date than CITATION.cff")


def main():
    for path in sorted(FOLDER.iterdir()):
        check_text(path)
    check_conda()
    check_homebrew()
    check_flatpak()
    print("\n".join(problems) or "all in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
