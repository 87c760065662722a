#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Python package with other libraries, which read the arrays and write the results.

COF_LIBRARY names the library, COF the command whose results must be the same.
"""
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cv2
import imageio
import numpy as np
import PIL.Image
import skimage.io
import skimage.restoration
import skimage.util

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
import cof.dask  # noqa: E402
import cof.xarray  # noqa: E402

COFFEE = str(ROOT / "tests" / "data" / "photos" / "coffee.png")
CAMERA = str(ROOT / "tests" / "data" / "photos" / "camera.png")


class Interop(unittest.TestCase):
    """The same photograph through each library is the command's, byte for byte."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        cls.smooth, cls.grey = (cls.by_the_command(path) for path in (COFFEE, CAMERA))

    @classmethod
    def by_the_command(cls, path):
        out = os.path.join(cls.folder, "command.png")
        subprocess.run([os.environ["COF"], path, out], check=True)
        return np.asarray(PIL.Image.open(out))

    def written(self, name):
        return os.path.join(self.folder, name)

    def same(self, found, want):
        self.assertEqual((found.shape, found.dtype), (want.shape, want.dtype))
        self.assertTrue((found == want).all())

    def test_pillow(self):
        image = PIL.Image.open(COFFEE)
        PIL.Image.fromarray(cof.smooth(image)).save(self.written("pillow.png"))
        self.same(np.asarray(PIL.Image.open(self.written("pillow.png"))), self.smooth)
        self.same(cof.smooth(PIL.Image.open(CAMERA)), self.grey)

    def test_imageio(self):
        imageio.imwrite(self.written("imageio.png"), cof.smooth(imageio.imread(COFFEE)))
        self.same(np.asarray(imageio.imread(self.written("imageio.png"))), self.smooth)

    def test_opencv(self):
        """Its arrays are BGR."""
        image = cv2.imread(COFFEE)
        result = cof.smooth(image[:, :, ::-1])[:, :, ::-1]
        cv2.imwrite(self.written("opencv.png"), result)
        self.same(cv2.imread(self.written("opencv.png"))[:, :, ::-1], self.smooth)
        self.assertLess(cv2.Laplacian(result, cv2.CV_64F).std(),
                        cv2.Laplacian(image, cv2.CV_64F).std())

    def test_scikit_image(self):
        """Its floats are 0 to 1, and its filters take the same words."""
        image = skimage.io.imread(COFFEE)
        self.same(cof.smooth(image, channel_axis=-1), self.smooth)
        for convert in (skimage.util.img_as_float, skimage.util.img_as_float32,
                        skimage.util.img_as_uint):
            found = cof.smooth(convert(image))
            self.assertEqual(found.dtype, convert(image).dtype)
            apart = np.abs(skimage.util.img_as_float(found) - self.smooth / 255)
            self.assertLess(apart.mean(), 1 / 255)
        bilateral = skimage.restoration.denoise_bilateral(image[:60, :80], channel_axis=-1)
        self.assertEqual(cof.smooth(bilateral).dtype, bilateral.dtype)


class Typed(unittest.TestCase):
    def test_every_parameter_has_a_type(self):
        for owner in (cof, cof.dask, cof.xarray, cof.Model, cof.Stats):
            for name, member in vars(owner).items():
                function = getattr(member, "__func__", member)
                if name.startswith("_") or not inspect.isfunction(function):
                    continue
                with self.subTest(name):
                    self.assertTrue(function.__doc__)
                    signature = inspect.signature(function)
                    self.assertIsNot(signature.return_annotation, signature.empty)
                    for parameter in signature.parameters.values():
                        if parameter.name not in ("self", "cls"):
                            self.assertIsNot(parameter.annotation, parameter.empty, parameter)

    @unittest.skipIf("COF_WITHOUT_LONG" in os.environ, "is a test of its own")
    def test_types_agree(self):
        done = subprocess.run(["/usr/bin/mypy", "--cache-dir", os.devnull,
                               "--ignore-missing-imports", "cof"], cwd=ROOT / "python",
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
