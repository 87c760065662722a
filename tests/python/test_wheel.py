#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pip install . makes a package that works alone: with a libcof inside, or over the system's.

COF_LIBRARY names a library, which stands for the system's.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text())[1]
SOURCES = ["meson.build", "meson_options.txt", "pyproject.toml", "README.md", "LICENSE", "include",
           "src", "opencl", "plugins", "python"]
PROGRAM = """
import cof, numpy
assert cof.__file__.startswith({folder!r}), cof.__file__
image = numpy.arange(3000, dtype=numpy.uint16).reshape(25, 40, 3)
assert cof.smooth(image).shape == image.shape
"""
# The module is found: what is missing is such a device.
DEVICE_PROGRAM = """
import cof
try:
    cof.Context(device="opencl:no such device")
except cof.NotSupportedError as error:
    assert "OpenCL" in str(error), error
"""


def without(*names):
    return {name: value for name, value in os.environ.items() if name not in names}


class Wheel(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.sources = self.folder / "sources"
        for name in SOURCES:
            to = self.sources / name
            to.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, to)

    def run_package(self, folder, environment, text=PROGRAM):
        program = text.format(folder=str(folder))
        subprocess.run([sys.executable, "-B", "-c", program], check=True, cwd=self.folder,
                       env={**environment, "PYTHONPATH": str(folder)})

    def test_it_stands_alone(self):
        target = self.folder / "installed"
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-index",
             "--no-deps", "--config-settings", "setup-args=-Dpython-libcof=inside", "--target",
             target, self.sources], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sorted(p.name for p in target.iterdir()),
                         ["cof", f"cof-{VERSION}.dist-info"])
        modules = {path.name for path in (ROOT / "python" / "cof").glob("*.py")}
        installed = {path.name for path in (target / "cof").iterdir() if path.is_file()}
        self.assertEqual(installed, modules | {"py.typed", "libcof.so", "libcof-opencl.so"})
        alone = without("COF_LIBRARY", "COF_MODULE_PATH", "LD_LIBRARY_PATH")
        self.run_package(target, alone)
        self.run_package(target, alone, DEVICE_PROGRAM)
        left = {path.name for path in self.sources.iterdir()} - set(SOURCES)
        self.assertLessEqual(left, set((ROOT / ".gitignore").read_text().split()))

    def installed(self, environment, *options):
        """The files of the package that a set-up would install."""
        build = self.folder / "build"
        shutil.rmtree(build, ignore_errors=True)
        subprocess.run(["meson", "setup", build, self.sources, "-Dpython=enabled", *options],
                       check=True, env=environment, capture_output=True)
        listed = subprocess.run(["meson", "introspect", "--installed", build], check=True,
                                capture_output=True, text=True).stdout
        return {pathlib.Path(path).name for path in json.loads(listed).values()}

    def test_over_the_library_of_the_system(self):
        there = os.path.dirname(os.environ["COF_LIBRARY"])
        system = {**without("COF_LIBRARY"), "LD_LIBRARY_PATH": there}
        self.assertNotIn("libcof.so", self.installed(system))
        self.assertIn("libcof.so", self.installed(system, "-Dpython-libcof=inside"))
        self.run_package(ROOT / "python", system)


if __name__ == "__main__":
    unittest.main()
