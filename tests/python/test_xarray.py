#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""DataArrays: values are those of the library, everything else is kept, and Dask arrays stay lazy.

COF names the command, COF_LIBRARY the library.
"""
import doctest
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
import weakref

import dask
import numpy as np
import xarray as xr

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
import cof.xarray  # noqa: E402
from images import random_image  # noqa: E402

OPTIONS = dict(window=7, colours=8)
COF = os.environ.get("COF", str(ROOT / "build" / "cli" / "cof"))


def raster(shape=(4, 60, 70), dtype=np.uint16, dims=("band", "y", "x"), seed=0, **attributes):
    """A raster in UTM; the CRS is a coordinate, as rioxarray stores it."""
    sizes = dict(zip(dims, shape))
    order = [name for name in ("time", "band", "y", "x") if name in sizes]
    layers = sizes.get("time", 1) * sizes.get("band", 1)
    values = np.moveaxis(random_image((sizes["y"], sizes["x"], layers), np.float64, seed), 2, 0)
    values = values.reshape([sizes[name] for name in order])
    scale = 1 if np.dtype(dtype).kind == "f" else 200
    crs = xr.DataArray(0, attrs={"crs_wkt": "PROJCRS[...]", "GeoTransform": "4e5 10 0 5e6 0 -10"})
    coordinates = {"y": 5e6 - 10.0 * np.arange(sizes["y"]),
                   "x": 4e5 + 10.0 * np.arange(sizes["x"]), "spatial_ref": crs}
    if "time" in sizes:
        coordinates["time"] = np.datetime64("2020-01-01", "ns") + np.arange(sizes["time"])
    return xr.DataArray((values * scale).astype(dtype), dims=order, coords=coordinates,
                        name="reflectance", attrs={"long_name": "B2", **attributes}
                        ).transpose(*dims)


class Clashes(unittest.TestCase):
    def test_filtered_values_do_not_become_no_data(self):
        """As in the command: they move to the next value on their pixel's side."""
        for dtype, nodata in ((np.uint8, 5), (np.int16, 0), (np.uint16, 65535), (np.float32, 0)):
            with self.subTest(dtype.__name__):
                low, high = (nodata - 2, nodata + 2) if nodata < 65535 else (65534, 65535)
                values = np.where(np.indices((40, 50)).sum(axis=0) % 2, low, high).astype(dtype)
                values[:, 20:23] = nodata
                array = xr.DataArray(values, dims=("y", "x"), attrs={"_FillValue": dtype(nodata)})
                options = dict(window=31, colours=1, iterations=9)
                after = cof.xarray.smooth(array, **options)
                np.testing.assert_array_equal(after != nodata, array != nodata)
                self.assertEqual(after.dtype, dtype)
                lazy = cof.xarray.smooth(array.chunk(y=16, x=17), **options)
                np.testing.assert_array_equal(lazy.values, after.values)


class Metadata(unittest.TestCase):
    def check_kept(self, found, given):
        self.assertEqual((found.dims, found.dtype, found.name), (given.dims, given.dtype, given.name))
        xr.testing.assert_identical(found.coords.to_dataset(), given.coords.to_dataset())
        self.assertEqual(found.attrs, given.attrs)
        self.assertEqual(found.encoding, given.encoding)

    def test_kept(self):
        given = raster(scale_factor=1e-4, _FillValue=0, units="1")
        given.encoding = {"dtype": "uint16", "grid_mapping": "spatial_ref"}
        before = given.copy(deep=True)
        for array in (given, given.chunk({"y": 25, "x": 30})):
            for found in (cof.xarray.smooth(array, **OPTIONS),
                          cof.xarray.apply(cof.xarray.fit(array, **OPTIONS), array)):
                self.check_kept(found, given)
                self.assertFalse(np.array_equal(found.values, given.values))
        xr.testing.assert_identical(given, before)

    def test_stored_statistics_are_dropped(self):
        found = cof.xarray.smooth(raster(STATISTICS_MEAN=3.0, units="1"), **OPTIONS)
        self.assertEqual(found.attrs, {"long_name": "B2", "units": "1"})

    def test_rioxarray(self):
        import rioxarray  # noqa: F401
        given = raster().rio.write_crs(32633).rio.write_nodata(3)
        with tempfile.TemporaryDirectory() as folder:
            path, again = f"{folder}/in.tif", f"{folder}/out.tif"
            given.rio.to_raster(path, tiled=True)
            for options in ({}, {"chunks": 32}, {"chunks": 32, "masked": True}):
                read = rioxarray.open_rasterio(path, **options)
                found = cof.xarray.smooth(read, **OPTIONS)
                self.check_kept(found, read)
                self.assertEqual(found.rio.crs, given.rio.crs)
                self.assertEqual(found.rio.transform(), read.rio.transform())
                found.rio.to_raster(again)
                with rioxarray.open_rasterio(again) as back:
                    self.assertEqual((back.rio.crs, back.rio.nodata), (given.rio.crs, 3))
                    self.assertEqual(back.rio.transform(), read.rio.transform())
                    expected = np.ma.masked_equal(given.values, 3)
                    if options.get("masked"):
                        continue  # filtered as floats
                    want = cof.smooth(expected, channel_axis=0, kind="bands", **OPTIONS)
                    self.assertTrue((back.values == np.ma.getdata(want)).all())

    def test_without_rioxarray(self):
        """The package is optional."""
        code = ("import sys; sys.modules['rioxarray'] = None\n"
                "sys.path[:0] = sys.argv[1:]; import unittest, test_xarray as t\n"
                "del sys.modules['rioxarray']\n"
                "suite = unittest.TestSuite([t.Metadata('test_kept'), t.NoData('test_a_strip')])\n"
                "sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())")
        done = subprocess.run([sys.executable, "-B", "-c", code, str(ROOT / "python"),
                               str(ROOT / "tests" / "python")], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)


class Values(unittest.TestCase):
    def test_dtypes_and_bands(self):
        """Those of the library on arrays. The band dimension is anywhere."""
        for dtype in (np.uint8, np.uint16, np.float32, np.float64):
            for dims, shape in ((("y", "x"), (60, 70)), (("band", "y", "x"), (1, 60, 70)),
                                (("y", "band", "x"), (60, 3, 70)), (("y", "x", "band"), (60, 70, 5))):
                with self.subTest(dtype=dtype, dims=dims):
                    given = raster(shape, dtype, dims)
                    last = given.transpose("y", "x", *(["band"] if "band" in dims else []))
                    bands = last.shape[2] if last.ndim == 3 else 1
                    kind = ("grey" if bands == 1 else
                            "rgb" if bands == 3 and dtype == np.uint8 else "bands")
                    want = cof.smooth(last.values, kind=kind, **OPTIONS)
                    for array in (given, given.chunk({"y": 25, "x": 30})):
                        found = cof.xarray.smooth(array, **OPTIONS)
                        self.assertTrue((found.transpose(*last.dims).values == want).all())

    def test_signed_integers(self):
        """They are filtered as floats and rounded, as by the command; the range is kept."""
        for dtype in (np.int8, np.int16, np.int32, np.uint32):
            for shape in ((1, 60, 70), (4, 60, 70)):
                with self.subTest(dtype=dtype, shape=shape):
                    values = raster(shape, np.float64).values
                    limits = np.iinfo(dtype)
                    given = raster(shape, np.uint16).astype(dtype)
                    given.values[:] = np.clip(values * 300 - (0 if limits.min == 0 else 150),
                                              max(limits.min, -2 ** 24), min(limits.max, 2 ** 24))
                    kind = "grey" if shape[0] == 1 else "bands"
                    want = np.rint(cof.smooth(given.values.astype(np.float32), channel_axis=0,
                                              kind=kind, **OPTIONS))
                    for array in (given, given.chunk({"y": 25, "x": 30})):
                        found = cof.xarray.smooth(array, **OPTIONS)
                        self.assertEqual((found.dtype, found.values.dtype), (dtype, dtype))
                        self.assertTrue((found.values == want).all())

    def test_as_the_command(self):
        """The command and this module have the same rules for types and no data."""
        import rioxarray  # noqa: F401
        with tempfile.TemporaryDirectory() as folder:
            for dtype in (np.int16, np.uint16, np.float32, np.int32):
                given = raster((4, 60, 70), dtype, _FillValue=3).rio.write_crs(32633)
                given.values[:, 20:25] = 3
                given.rio.to_raster(f"{folder}/in.tif")
                subprocess.run([COF, "--window", "7", "--colours", "8", "--kind", "bands",
                                f"{folder}/in.tif", f"{folder}/out.tif"], check=True,
                               capture_output=True)
                with rioxarray.open_rasterio(f"{folder}/out.tif") as back:
                    found = cof.xarray.smooth(given, **OPTIONS)
                    with self.subTest(dtype=dtype):
                        np.testing.assert_array_equal(found.values, back.values)

    def test_masks(self):
        given = raster((4, 60, 70))
        mask = xr.zeros_like(given[0]).astype(bool)
        mask[10:50, 10:40] = True
        want = cof.Model.fit(given.transpose("y", "x", "band").values, mask=mask.values,
                             kind="bands", **OPTIONS)
        for array in (given, given.chunk({"y": 25, "x": 30})):
            self.assertEqual(cof.xarray.fit(array, mask=mask.transpose("x", "y"), **OPTIONS), want)
            found = cof.xarray.smooth(array, mask=mask, **OPTIONS)
            self.assertTrue((found.values == want.apply(given.values, channel_axis=0,
                                                        kind="bands")).all())

    def test_names_of_dimensions(self):
        given = raster((4, 60, 70))
        want = cof.xarray.smooth(given, **OPTIONS).values
        for names, options in (({"y": "latitude", "x": "longitude"}, {}),
                               ({"y": "lat", "x": "lon", "band": "wavelength"}, {}),
                               ({"y": "r", "x": "c", "band": "b"},
                                dict(dims=("r", "c"), band_dim="b"))):
            found = cof.xarray.smooth(given.rename(names), **options, **OPTIONS)
            self.assertTrue((found.values == want).all())


class Lazy(unittest.TestCase):
    def test_nothing_is_computed_before_asked(self):
        def fails(block):
            raise AssertionError("computed")
        given = raster((4, 300, 200)).chunk({"band": 1, "y": 100, "x": 120})
        bad = given.copy(data=given.data.map_blocks(fails, dtype=given.dtype,
                                                    meta=np.empty((0, 0, 0), given.dtype)))
        model = cof.xarray.fit(given, **OPTIONS)
        found = cof.xarray.smooth(bad, **OPTIONS), cof.xarray.apply(model, bad)
        for array in found:
            self.assertTrue(dask.is_dask_collection(array))
            self.assertEqual(array.chunks[1:], given.chunks[1:])
            with self.assertRaisesRegex(AssertionError, "computed"):
                array.compute(scheduler="synchronous")

    def test_each_pass_reads_again(self):
        """So that the array need not fit in memory: 3 passes, and one chunk at a time, also where
        the result depends on the values before."""
        lock, held, most, reads = threading.RLock(), [0], [0], [0]

        def let_go():
            with lock:
                held[0] -= 1

        def read(block):
            made = np.array(block)
            with lock:
                held[0], reads[0] = held[0] + 1, reads[0] + 1
                most[0] = max(most[0], held[0])
            weakref.finalize(made, let_go)
            return made
        given = raster((900, 900), dims=("y", "x")).chunk({"y": 100, "x": 100})
        chunks = given.copy(data=given.data.map_blocks(read, dtype=given.dtype,
                                                       meta=np.empty((0, 0), given.dtype)))
        for nodata in (None, int(given[0, 0])):
            for scheduler, workers in (("synchronous", 1), ("threads", 2)):
                with self.subTest(nodata=nodata, scheduler=scheduler):
                    most[0] = reads[0] = 0
                    with dask.config.set(scheduler=scheduler, num_workers=workers):
                        found = cof.xarray.smooth(chunks, nodata=nodata, **OPTIONS).compute()
                    want = cof.xarray.smooth(given.compute(), nodata=nodata, **OPTIONS)
                    self.assertTrue((found.values == want.values).all())
                    self.assertEqual(reads[0], 3 * 81)
                    self.assertLessEqual(most[0], workers)

    def test_presets(self):
        given = raster((3, 320, 250), np.uint8).chunk({"band": 1, "y": 100, "x": 120})
        for preset in cof._library.lib.table["preset"].choices:
            with self.subTest(preset):
                found = cof.xarray.smooth(given, preset=preset)
                want = cof.xarray.smooth(given.compute(), preset=preset)
                self.assertTrue((found.values == want.values).all())
                model = cof.xarray.fit(given, preset=preset)
                again = cof.xarray.apply(model, given, preset=preset)
                self.assertTrue((again.values == want.values).all())

    def test_presets_that_downscale(self):
        """One model of several images, with no data, of integers that are filtered as floats."""
        given = raster((2, 3, 810, 840), np.int16, dims=("time", "band", "y", "x"), _FillValue=0)
        given[:, :, 100:140, 200:330] = 0
        chunks = given.chunk({"time": 1, "y": 300, "x": 1000})
        for learn in ("all", "each"):
            found = cof.xarray.smooth(chunks, preset="texture", learn=learn)
            want = cof.xarray.smooth(given, preset="texture", learn=learn)
            self.assertEqual(found.dtype, given.dtype)
            self.assertTrue((found.values == want.values).all())

    def test_part(self):
        given = raster((4, 300, 200)).chunk({"y": 100, "x": 120})
        want = cof.xarray.smooth(given.compute(), **OPTIONS)
        part = cof.xarray.smooth(given, **OPTIONS)[1, 90:130, 50:150]
        self.assertTrue((part.values == want[1, 90:130, 50:150].values).all())


class Time(unittest.TestCase):
    def setUp(self):
        self.given = raster((3, 4, 60, 70), dims=("time", "band", "y", "x"))

    def test_one_model_for_all(self):
        steps = [step.transpose("y", "x", "band").values for step in self.given]
        model = cof.Model.fit(steps, kind="bands", **OPTIONS)
        for array in (self.given, self.given.chunk({"time": 2, "y": 25, "x": 30}),
                      self.given.transpose("band", "x", "time", "y")):
            self.assertEqual(cof.xarray.fit(array, **OPTIONS), model)
            found = cof.xarray.smooth(array, **OPTIONS)
            self.assertEqual(found.dims, array.dims)
            for step, values in zip(found.transpose(*self.given.dims), steps):
                want = model.apply(values, kind="bands")
                self.assertTrue((step.transpose("y", "x", "band").values == want).all())

    def test_one_model_for_each(self):
        for array in (self.given, self.given.chunk({"time": 2, "y": 25, "x": 30})):
            found = cof.xarray.smooth(array, learn="each", **OPTIONS)
            for step, values in zip(found, self.given.values):
                want = cof.smooth(values, channel_axis=0, kind="bands", **OPTIONS)
                self.assertTrue((step.values == want).all())

    def test_two_more_dimensions(self):
        given = self.given.expand_dims(polarisation=2)
        found = cof.xarray.smooth(given, **OPTIONS)
        want = cof.xarray.smooth(self.given, **OPTIONS)  # twice the same counts
        self.assertEqual(found.shape, (2, *want.shape))
        model = cof.xarray.fit(given, **OPTIONS)
        self.assertTrue((found[1].values == cof.xarray.apply(model, self.given).values).all())

    def test_tiles(self):
        """One model for a folder of tiles, lazily read or not."""
        tiles = [raster((4, 60 + i, 70), seed=i) for i in range(3)]
        want = cof.Model.fit([tile.transpose("y", "x", "band").values for tile in tiles],
                             kind="bands", **OPTIONS)
        self.assertEqual(cof.xarray.fit(tiles, **OPTIONS), want)
        self.assertEqual(cof.xarray.fit([tile.chunk({"y": 25, "x": 30}) for tile in tiles],
                                        **OPTIONS), want)


class NoData(unittest.TestCase):
    def holes(self, given, value, **attributes):
        holed = given.copy(deep=True)
        holed[..., :, 30:37] = value
        holed.attrs.update(attributes)
        return holed

    def check(self, given, value, options=None, **attributes):
        """Pixels beside the strip are those of a masked array; other values of the strip give the
        same result."""
        results = []
        one, other = self.holes(given, value, **attributes), self.holes(given, np.nan if (
            given.dtype.kind == "f") else value, **attributes)
        for array in (one, one.chunk({"y": 25, "x": 30}), other):
            found = cof.xarray.smooth(array, **(options or {}), **OPTIONS)
            np.testing.assert_array_equal(found.values[..., 30:37], array.values[..., 30:37])
            results.append(np.delete(found.values, np.s_[30:37], axis=-1))
        for result in results[1:]:
            np.testing.assert_array_equal(result, results[0])
        hidden = np.zeros(given.shape, bool)
        hidden[..., 30:37] = True
        axis = 0 if given.ndim == 3 else None
        want = cof.smooth(np.ma.MaskedArray(one.values, hidden), channel_axis=axis,
                          kind="bands" if axis == 0 else "grey", **OPTIONS)
        np.testing.assert_array_equal(np.delete(np.ma.getdata(want), np.s_[30:37], axis=-1),
                                      results[0])

    def test_a_strip(self):
        """Not learned from, not mixed into neighbours, unchanged."""
        for dtype, value in ((np.uint16, 60000), (np.uint8, 255), (np.float32, -9999),
                             (np.float64, -9999.1)):
            for shape, dims in (((4, 60, 70), ("band", "y", "x")), ((60, 70), ("y", "x"))):
                with self.subTest(dtype=dtype, shape=shape):
                    self.check(raster(shape, dtype, dims), value, _FillValue=value)

    def test_where_it_is_stated(self):
        given = raster((4, 60, 70))
        for attributes in ({"_FillValue": 60000}, {"missing_value": 60000}, {"nodata": 60000.0},
                           {"nodatavals": (60000.0,) * 4},
                           {"_FillValue": 60000, "missing_value": np.uint16(60000)}):
            with self.subTest(attributes):
                self.check(given, 60000, **attributes)
        self.check(given, 60000, {"nodata": 60000})
        self.check(given, 60000, {"nodata": 60000}, _FillValue=7)

    def test_encoding(self):
        """It marks integers; in floats, xarray has replaced the value by NaN."""
        for dtype, hidden in ((np.uint16, True), (np.float32, False)):
            holed = self.holes(raster((60, 70), dtype, ("y", "x")), 100)
            holed.encoding["_FillValue"] = 100
            found = cof.xarray.smooth(holed, **OPTIONS)
            plain = cof.xarray.smooth(holed, nodata=None, **OPTIONS)
            self.assertEqual((found.values != plain.values).any(), hidden)

    def test_signed(self):
        """The value is kept, also where a float does not hold it."""
        for dtype, value in ((np.int16, -32768), (np.int32, 2 ** 31 - 1), (np.int32, -2 ** 31)):
            given = (raster((4, 60, 70)).astype(int) - 200).astype(dtype)
            holed = self.holes(given, value, _FillValue=value)
            for array in (holed, holed.chunk({"y": 25, "x": 30})):
                found = cof.xarray.smooth(array, **OPTIONS)
                self.assertTrue((found.values[..., 30:37] == value).all())
                rest = np.delete(found.values, np.s_[30:37], axis=-1)
                self.assertTrue((rest > -201).all() and (rest < 201).all())

    def test_one_band(self):
        """A pixel has no data if any band has none, or in RGB of integers if all have."""
        for dtype, bands, unchanged in ((np.uint16, 4, True), (np.uint8, 3, False)):
            given = raster((bands, 60, 70), dtype, _FillValue=255)
            given.values[:] = np.minimum(given.values, 254)
            given.values[1, 20:30, 20:30] = 255
            found = cof.xarray.smooth(given, **OPTIONS).values[:, 20:30, 20:30]
            self.assertEqual((found == given.values[:, 20:30, 20:30]).all(), unchanged)

    def test_a_value_for_each_band(self):
        given = raster((4, 60, 70))
        given.values[2, 5:9, 5:9] = 60000
        given.values[3, 20:29, 5:9] = 60000
        found = cof.xarray.smooth(given, nodata=[1e4, 1e4, 60000, np.nan], **OPTIONS)
        same = (found.values == given.values).all(axis=0)
        self.assertTrue(same[5:9, 5:9].all())
        self.assertFalse(same[20:29, 5:9].all())

    def test_encoded_values_that_no_pixel_can_have(self):
        given = raster((60, 70), np.uint8, ("y", "x"))
        want = cof.xarray.smooth(given, **OPTIONS)
        for value in (-9999, 1e30, 0.5, np.nan):
            given.encoding["_FillValue"] = value
            self.assertTrue((cof.xarray.smooth(given, **OPTIONS).values == want.values).all())


class Rejected(unittest.TestCase):
    def test_rejected_input(self):
        good = raster((4, 60, 70))
        model = cof.xarray.fit(good, **OPTIONS)
        smooth, fit = cof.xarray.smooth, cof.xarray.fit
        for error, words, call in (
                (TypeError, "to_array", lambda: smooth(good.to_dataset(name="a"))),
                (TypeError, "DataArray", lambda: smooth(good.values)),
                (TypeError, "DataArray", lambda: smooth(None)),
                (TypeError, "cof.load", lambda: cof.xarray.apply("m.cof", good)),
                (TypeError, "mask", lambda: smooth(good, mask=np.ones((60, 70)))),
                (ValueError, "dims=", lambda: smooth(good.rename(y="a"))),
                (ValueError, "no dimension 'q'", lambda: smooth(good, dims=("q", "x"))),
                (ValueError, "dims must", lambda: smooth(good, dims="yx")),
                (ValueError, "dims must", lambda: smooth(good, dims=("x", "x"))),
                (ValueError, "band_dim 'c'", lambda: smooth(good, band_dim="c")),
                (ValueError, "band_dim 'y'", lambda: smooth(good, band_dim="y")),
                (ValueError, "64 bands", lambda: smooth(raster((65, 20, 20)))),
                (ValueError, "empty", lambda: smooth(good[:, :0])),
                (ValueError, "empty", lambda: smooth(good[:0])),
                (ValueError, "complex", lambda: smooth(good.astype(complex))),
                (ValueError, "int64", lambda: smooth(good.astype(np.int64))),
                (ValueError, "2.24", lambda: smooth(good.astype(np.int32) * 90000)),
                (ValueError, "kind rgb", lambda: smooth(good[:3].astype(np.int16), kind="rgb")),
                (ValueError, "type uint16 can be", lambda: smooth(good.assign_attrs(_FillValue=-9))),
                (ValueError, "type uint16 can be", lambda: smooth(good.assign_attrs(nodata=0.5))),
                (ValueError, "bool", lambda: smooth(good.astype(bool))),
                (ValueError, "datetime", lambda: smooth(good.astype("M8[ns]"))),
                (ValueError, "learn", lambda: smooth(good, learn="some")),
                (ValueError, "kind", lambda: smooth(good, kind="cmyk")),
                (ValueError, "missing_value says 2",
                 lambda: smooth(good.assign_attrs(_FillValue=1, missing_value=2))),
                (ValueError, "can be -1", lambda: smooth(good, nodata=-1)),
                (ValueError, "'auto'", lambda: smooth(good, nodata="none")),
                (ValueError, "3 values", lambda: smooth(good, nodata=[1, 2, 3])),
                (ValueError, "0 arrays", lambda: fit([])),
                (ValueError, "2 arrays and 1 masks", lambda: fit([good, good], mask=[None])),
                (ValueError, "differ", lambda: fit([good, good[:2]])),
                (ValueError, "differ", lambda: fit([good, good.astype(np.uint8)])),
                (ValueError, "mask", lambda: smooth(good, mask=good[0, :9])),
                (ValueError, "the model is for", lambda: cof.xarray.apply(model, good[:2])),
                (TypeError, "window", lambda: smooth(good, windw=3)),
                (TypeError, "lazy", lambda: smooth(good.chunk(), progress=print)),
                (ValueError, "odd", lambda: smooth(good, window=4))):
            with self.subTest(words), self.assertRaisesRegex(error, words):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call()


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(cof.xarray))
    return tests


if __name__ == "__main__":
    unittest.main()
