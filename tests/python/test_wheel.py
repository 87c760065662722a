#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pip install . makes a package that has its own libcof, and works alone."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ["meson.build", "meson_options.txt", "pyproject.toml", "README.md", "LICENSE", "include",
           "src", "python", "bench", "tests/meson.build"]
PROGRAM = """
import cof, numpy
assert cof.__file__.startswith({folder!r}), cof.__file__
image = numpy.arange(3000, dtype=numpy.uint16).reshape(25, 40, 3)
assert cof.smooth(image).shape == image.shape
"""


@unittest.skipUnless(importlib.util.find_spec("mesonpy") and importlib.util.find_spec("pip"),
                     "needs pip and meson-python")
class Wheel(unittest.TestCase):
    def test_it_stands_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            sources, target = pathlib.Path(folder) / "sources", pathlib.Path(folder) / "installed"
            for name in SOURCES:
                to = sources / name
                to.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, to)
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-build-isolation",
                                   "--no-index", "--no-deps", "--target", target, sources],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(sorted(p.name for p in target.iterdir()),
                             ["cof", "cof-0.1.0.dist-info"])
            environment = {**os.environ, "PYTHONPATH": str(target)}
            for name in ("COF_LIBRARY", "LD_LIBRARY_PATH"):
                environment.pop(name, None)
            subprocess.run([sys.executable, "-c", PROGRAM.format(folder=str(target))], check=True,
                           env=environment, cwd=folder)


if __name__ == "__main__":
    unittest.main()
