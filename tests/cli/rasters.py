# SPDX-License-Identifier: BSD-2-Clause
"""Helpers of the tests of rasters: GDAL's Python package makes, reads and describes the files."""
import os
import sys

from command import FolderTest, run_cof

try:
    import numpy as np
    from osgeo import gdal, osr
except ImportError as problem:
    print(f"skipped: {problem}")
    sys.exit(77)

gdal.UseExceptions()
WIDTH, HEIGHT = 90, 70
STRIP = slice(40, 44)  # columns without data
TRANSFORM = (500000, 10, 0, 5600000, 0, -10)
PLAIN = ("--window", "7")
TYPES = {np.uint8: gdal.GDT_Byte, np.uint16: gdal.GDT_UInt16, np.int16: gdal.GDT_Int16,
         np.uint32: gdal.GDT_UInt32, np.int32: gdal.GDT_Int32, np.float32: gdal.GDT_Float32,
         np.float64: gdal.GDT_Float64, np.complex64: gdal.GDT_CFloat32}


def texture(bands, kind=np.uint16, low=400, high=3000, seed=1):
    """Two textures with a boundary, of shape (height, width, bands)."""
    source = np.random.default_rng(seed)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    base = np.where(x + y < 80, 0.25, 0.7)[..., None] + 0.05 * np.arange(bands)
    values = low + (high - low) * np.clip(base + source.normal(0, 0.08, (HEIGHT, WIDTH, bands)), 0, 1)
    return values.astype(kind)


def reference(code=32633):
    found = osr.SpatialReference()
    found.ImportFromEPSG(code)
    return found


def write(path, array, *options, nodata=None, transform=TRANSFORM, projection=32633, driver="GTiff"):
    """A file of bands, which is not closed if the caller keeps the result."""
    height, width, bands = array.shape
    out = gdal.GetDriverByName(driver).Create(str(path), width, height, bands, TYPES[array.dtype.type],
                                              list(options))
    if projection:
        out.SetSpatialRef(reference(projection))
    if transform:
        out.SetGeoTransform(transform)
    for i in range(bands):
        band = out.GetRasterBand(i + 1)
        band.WriteArray(array[..., i])
        if nodata is not None:
            band.SetNoDataValue(nodata)
    return out


def read(path):
    """The pixels, of shape (height, width, bands)."""
    source = gdal.Open(str(path))
    values = source.ReadAsArray()
    return np.moveaxis(values if values.ndim == 3 else values[None], 0, -1)


def nodata_values(path):
    source = gdal.Open(str(path))
    return [source.GetRasterBand(i + 1).GetNoDataValue() for i in range(source.RasterCount)]


def describe(path):
    """What gdalinfo says, without the name, the size of the file and statistics."""
    warnings = []
    gdal.PushErrorHandler(lambda kind, number, text: warnings.append(text))
    try:
        info = gdal.Info(str(path), format="json")
    finally:
        gdal.PopErrorHandler()
    if warnings:
        raise AssertionError("\n".join(warnings))
    for name in ("description", "files"):
        del info[name]
    return info


class GeoTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.source, self.result = self.folder / "in.tif", self.folder / "out.tif"

    def run_ok(self, *arguments):
        """Runs the command; returns its notes."""
        done = run_cof(arguments, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def assert_leftovers(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))
