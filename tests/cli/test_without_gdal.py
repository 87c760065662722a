#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A command that has no GDAL, or whose module cannot be loaded: it says what is lost, and works.

The command finds its module beside itself, so a copy of it elsewhere has none."""
import os
import pathlib
import shutil
import subprocess
import unittest

from command import COF, ENVIRONMENT, TIMEOUT, FolderTest, photo_bytes, setUpModule
from tiff_files import DOUBLE, GDAL_NODATA, PIXEL_SCALE, Page, text, write_tiff

NEEDED = "this needs GDAL, which is not installed or not built in"


class WithoutGdal(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        self.command = self.folder / "bin" / "cof"
        shutil.copy(COF, self.command)
        write_tiff(self.folder / "in.tif",
                   [Page(8, 8, 1, "B", list(range(64)), planar=False,
                         tags={PIXEL_SCALE: (DOUBLE, [10, 10, 0]), GDAL_NODATA: text("0")})])
        if NEEDED not in self.run_copy("--reader", "gdal", "in.tif", "out.tif").stderr:
            self.skipTest("the module is installed where every command finds it")

    def run_copy(self, *arguments):
        libraries = os.pathsep.join([str(pathlib.Path(COF).parents[1] / "src"),
                                     os.environ.get("LD_LIBRARY_PATH", "")])
        return subprocess.run([self.command, *arguments], cwd=self.folder, capture_output=True, text=True,
                              env={**ENVIRONMENT, "LD_LIBRARY_PATH": libraries}, timeout=TIMEOUT)

    def assert_fails(self, name, cause, *arguments):
        before = sorted(os.listdir(self.folder))
        done = self.run_copy(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, rf"\Acof: {name}: [^\n]*{cause}[^\n]*\n\Z")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def check(self):
        done = self.run_copy("in.tif", "out.tif")
        self.assertEqual((done.returncode, done.stderr), (
            0, "cof: note: in.tif: georeferencing and the no-data value are not kept in out.tif\n"))
        (self.folder / "out.tif").unlink()
        self.assert_fails("in.tif", NEEDED, "--reader", "gdal", "in.tif", "out.tif")
        self.assert_fails("in.tif", NEEDED, "--bands", "1", "in.tif", "out.tif")
        self.assert_fails("in.tif", "georeferencing", "--in-place", "in.tif")
        self.assert_fails("/vsizip/a.zip/in.tif", NEEDED, "/vsizip/a.zip/in.tif", "out.tif")
        (self.folder / "a.vrt").write_text("<VRTDataset rasterXSize='4' rasterYSize='4'></VRTDataset>")
        self.assert_fails("a.vrt", "", "a.vrt", "out.tif")
        write_tiff(self.folder / "planar.tif", [Page(8, 8, 2, "B", list(range(128)))])
        self.assert_fails("planar.tif", "stores its bands separately, which only GDAL reads; it is not installed",
                          "planar.tif", "out.tif")

    def test_no_module(self):
        self.check()

    def test_module_that_cannot_be_loaded(self):
        (self.command.parent / "cof-gdal.so").write_text("no library")
        self.check()

    def test_folders(self):
        """Rasters that only GDAL reads are skipped."""
        (self.folder / "scenes").mkdir()
        (self.folder / "scenes" / "a.png").write_bytes(photo_bytes())
        (self.folder / "scenes" / "b.vrt").write_text("<VRTDataset></VRTDataset>")
        done = self.run_copy("scenes", "-o", "out")
        self.assertEqual((done.returncode, done.stderr), (
            0, "cof: note: scenes: skipped 1 file without the suffix of an image\n"))
        self.assertEqual(os.listdir(self.folder / "out"), ["a.png"])


if __name__ == "__main__":
    unittest.main()
