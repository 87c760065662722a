#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Rasters that GDAL reads: the command has the pixels of the library, which COF_LIBRARY names."""
import math
import sys
import unittest

from command import ROOT, run_cof, setUpModule
from rasters import (GeoTest, HEIGHT, PLAIN, STRIP, TRANSFORM, WIDTH, describe, gdal, nodata_values, np,
                     read, texture, write)

sys.path.insert(0, str(ROOT / "python"))
import cof


def smooth(array, valid=None, kind=None, **options):
    """What the library makes of an array."""
    data = array if valid is None else np.ma.array(array, mask=np.broadcast_to(~valid[..., None], array.shape))
    if kind is None:
        kind = "grey" if array.shape[-1] == 1 else "bands"
    squeezed = data[..., 0] if array.shape[-1] == 1 else data
    result = np.ma.getdata(cof.smooth(squeezed, kind=kind, **options))
    return result.reshape(array.shape)


class Kept(GeoTest):
    def test_strip_without_data(self):
        for kind, low, high, nodata in ((np.uint16, 400, 3000, 0), (np.float32, 0.1, 0.9, -9999)):
            with self.subTest(kind.__name__):
                array = texture(4, kind, low, high)
                array[:, STRIP] = nodata
                write(self.source, array, "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16", nodata=nodata)
                self.run_ok(*PLAIN, "in.tif", "out.tif")
                valid = np.ones((HEIGHT, WIDTH), bool)
                valid[:, STRIP] = False
                np.testing.assert_array_equal(read(self.result), smooth(array, valid, window=7))

    def test_twelve_bands(self):
        array = texture(12)
        write(self.source, array, "INTERLEAVE=BAND", nodata=0)
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        np.testing.assert_array_equal(read(self.result),
                                      smooth(array, np.ones((HEIGHT, WIDTH), bool), window=7))


class Types(GeoTest):
    def test_int16(self):
        """Filtered as values, and rounded to the nearest."""
        array = texture(1, np.int16, -900, 600)
        array[:, STRIP] = -32768
        write(self.source, array, nodata=-32768)
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        values = array.astype(np.float32)
        values[:, STRIP] = np.nan
        wanted = np.rint(smooth(values, window=7))
        wanted[:, STRIP] = -32768
        np.testing.assert_array_equal(read(self.result), wanted.astype(np.int16))

    def test_32_bits(self):
        for kind in (np.int32, np.uint32):
            with self.subTest(kind.__name__):
                array = texture(1, kind, 1000, 1 << 24)
                write(self.source, array)
                self.run_ok(*PLAIN, "in.tif", "out.tif")
                self.assertEqual(describe(self.result), describe(self.source))
                np.testing.assert_array_equal(
                    read(self.result), np.rint(smooth(array.astype(np.float32), window=7)).astype(kind))
                array[5, 5] = (1 << 24) + 1
                write(self.source, array)
                self.result.unlink()
                self.assert_rejected("in.tif out.tif", 1, "in.tif", "16777217", "32-bit floats")
                # As a value of no data, it is not filtered.
                write(self.source, array, nodata=float((1 << 24) + 1))
                self.run_ok(*PLAIN, "in.tif", "out.tif")
                self.assertEqual(read(self.result)[5, 5, 0], (1 << 24) + 1)
                self.result.unlink()

    def test_float64(self):
        array = texture(2, np.float64, 100, 900)
        array[3, 3] = math.nan
        write(self.source, array)
        self.assertEqual(self.run_ok(*PLAIN, "in.tif", "out.tif"), "cof: note: in.tif: 64-bit floats "
                         "are filtered as 32-bit floats, which have 7 digits\n")
        self.assertEqual(describe(self.result), describe(self.source))
        np.testing.assert_array_equal(read(self.result), smooth(array.astype(np.float32), window=7))
        array[8, 8] = 1e300
        write(self.source, array)
        self.result.unlink()
        self.assert_rejected("--quiet in.tif out.tif", 1, "in.tif", "1e+300", "32-bit floats")

    def test_one_bit(self):
        """0 and 1 stay 0 and 1, in one bit each."""
        array = (texture(1, np.uint16) > 1500).astype(np.uint8)
        write(self.source, array, "NBITS=1", "COMPRESS=CCITTFAX4")
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        found = read(self.result)
        np.testing.assert_array_equal(found, smooth(array, window=7))
        self.assertEqual(set(np.unique(found)), {0, 1})


class Unchanged(GeoTest):
    """With --strength 0, samples come back bit by bit, whether they can be filtered or not."""

    def test_all_types(self):
        for kind in (np.uint8, np.uint16, np.int16, np.uint32, np.int32, np.float32, np.float64):
            with self.subTest(kind.__name__):
                source = np.random.default_rng(1)
                shape = (HEIGHT, WIDTH, 2)
                array = source.integers(0, 256, (*shape, np.dtype(kind).itemsize), np.uint8).view(kind)[..., 0]
                self.assertEqual(array.shape, shape)
                write(self.source, array, nodata=1)
                for line in ("in.tif out.tif", "--preset texture in.tif out.tif"):
                    self.assertEqual(self.run_ok("--strength", "0", *line.split()), "")
                    self.assertEqual(read(self.result).tobytes(), array.tobytes())

    def test_without_data(self):
        """Nothing has to be learned."""
        array = np.zeros((HEIGHT, WIDTH, 1), np.uint8)
        write(self.source, array, nodata=0)
        self.run_ok("--strength", "0", "in.tif", "out.tif")
        np.testing.assert_array_equal(read(self.result), array)


class Colours(GeoTest):
    def write_bmp(self, name, array, table):
        out = gdal.GetDriverByName("MEM").Create("", WIDTH, HEIGHT, 1)
        colours = gdal.ColorTable()
        for i, colour in enumerate(table):
            colours.SetColorEntry(i, (*(int(part) for part in colour), 255))
        out.GetRasterBand(1).SetColorTable(colours)
        out.GetRasterBand(1).WriteArray(array[..., 0])
        gdal.GetDriverByName("BMP").CreateCopy(str(self.folder / name), out)

    def test_bmp(self):
        """Its table has colours, and not classes."""
        array = texture(1, np.uint8, 0, 255)
        colours = np.random.default_rng(1).integers(0, 256, (256, 3), np.uint8)
        grey = np.repeat(np.arange(255, -1, -1, dtype=np.uint8)[:, None], 3, axis=1)
        for table, wanted in ((colours, colours[array[..., 0]]), (grey, grey[array[..., 0]][..., :1])):
            self.write_bmp("in.bmp", array, table)
            (self.folder / "in.bmp.aux.xml").unlink(missing_ok=True)
            for output in ("out.tif", "out.png"):
                self.run_ok("--reader", "gdal", "--strength", "0", "in.bmp", output)
                np.testing.assert_array_equal(read(self.folder / output), wanted)
            self.run_ok("--reader", "gdal", *PLAIN, "in.bmp", "out.tif")
            kind = "rgb" if wanted.shape[-1] == 3 else "grey"
            np.testing.assert_array_equal(read(self.result), smooth(wanted, kind=kind, window=7))


class Pages(GeoTest):
    def setUp(self):
        super().setUp()
        self.pages = [texture(bands, kind, 0, 200, seed=bands)
                      for bands, kind in ((3, np.uint8), (2, np.uint16), (1, np.float32), (4, np.int32))]
        for i, page in enumerate(self.pages):
            options = ["INTERLEAVE=BAND", f"APPEND_SUBDATASET={'YES' if i else 'NO'}"]
            write(self.source, page, *options, transform=None, projection=None)

    def test_chosen(self):
        for i, page in enumerate(self.pages):
            self.run_ok("--reader", "gdal", "--strength", "0", "--pages", str(i + 1), "in.tif", "out.tif")
            np.testing.assert_array_equal(read(self.result), page)

    def test_one_at_a_time(self):
        self.assert_rejected("--reader gdal in.tif out.tif", 1, "in.tif: has 4 pages", "--pages N")
        self.assert_rejected("--reader gdal --pages 1-2 in.tif out.tif", 1, "in.tif", "--pages N")
        self.assert_rejected("--reader gdal --pages 5 in.tif out.tif", 1, "in.tif: there is no page 5")
        write(self.folder / "mask.tif", np.full((HEIGHT, WIDTH, 1), 255, np.uint8))
        self.run_ok("--reader", "gdal", "--pages", "2", "--mask", "mask.tif", "in.tif", "out.tif")


class Clashes(GeoTest):
    def test_filtered_values_do_not_become_no_data(self):
        """A mean that is equal to the no-data value moves to the next value on its pixel's side."""
        for kind, nodata in ((np.uint8, 5), (np.uint16, 5), (np.int16, 0), (np.int32, 0), (np.uint32, 5),
                             (np.float32, 0), (np.float64, 0)):
            with self.subTest(kind.__name__):
                array = np.full((HEIGHT, WIDTH, 2), nodata, kind)
                array[::2, ::2] -= kind(2)
                array[1::2, 1::2] -= kind(2)
                array[::2, 1::2] += kind(2)
                array[1::2, ::2] += kind(2)
                array[:, STRIP] = nodata
                write(self.source, array, nodata=nodata)
                # With one colour, all weights depend on the distance alone.
                self.run_ok("--window", "31", "--colours", "1", "--iterations", "9", "in.tif", "out.tif")
                after, valid = read(self.result), array != nodata
                np.testing.assert_array_equal(after != nodata, valid)
                if kind in (np.float32, np.float64):
                    continue
                plain = smooth(array.astype(np.float32), valid[..., 0], window=31, colours=1, iterations=9)
                moved = (np.rint(plain) == nodata) & valid
                self.assertGreater(moved.sum(), 100)
                side = np.sign(array[moved].astype(float) - nodata)
                np.testing.assert_array_equal(after[moved].astype(float) - nodata, side)


class Masks(GeoTest):
    def setUp(self):
        super().setUp()
        self.valid = np.ones((HEIGHT, WIDTH), bool)
        self.valid[:, STRIP] = False

    def assert_masked(self, array, kind=None):
        found = read(self.result)[..., :array.shape[-1]]
        np.testing.assert_array_equal(found, smooth(array, self.valid, kind, window=7))
        np.testing.assert_array_equal(found[:, STRIP], array[:, STRIP])

    def test_mask_band(self):
        """A mask of one bit inside the file."""
        array = texture(2)
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES")
        out = write(self.source, array, "COMPRESS=LZW")
        out.CreateMaskBand(gdal.GMF_PER_DATASET)
        out.GetRasterBand(1).GetMaskBand().WriteArray(255 * self.valid.astype(np.uint8))
        del out
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", None)
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        self.assert_masked(array)
        out = gdal.Open(str(self.result))
        mask = out.GetRasterBand(1).GetMaskBand().ReadAsArray()
        np.testing.assert_array_equal(mask > 0, self.valid)

    def test_mask_behind_a_jpeg_image(self):
        """libvips does not know it."""
        memory = gdal.GetDriverByName("MEM").Create("", WIDTH, HEIGHT, 1)
        memory.GetRasterBand(1).WriteArray(texture(1, np.uint8, 0, 255)[..., 0])
        memory.CreateMaskBand(gdal.GMF_PER_DATASET)
        memory.GetRasterBand(1).GetMaskBand().WriteArray(255 * self.valid.astype(np.uint8))
        gdal.GetDriverByName("JPEG").CreateCopy(str(self.folder / "in.jpg"), memory)
        self.assertEqual(self.run_ok(*PLAIN, "in.jpg", "out.jpg"),
                         "cof: note: in.jpg: not kept in out.jpg: the mask behind the image\n")
        self.run_ok(*PLAIN, "--reader", "gdal", "in.jpg", "out.tif")
        out = gdal.Open(str(self.result))
        mask = out.GetRasterBand(1).GetMaskBand().ReadAsArray()
        np.testing.assert_array_equal(mask > 0, self.valid)

    def test_alpha_of_bands(self):
        """Alpha is copied; what is transparent holds no data."""
        array = texture(5)
        array[..., 4] = 65535
        array[:, STRIP, 4] = 0
        out = write(self.source, array)
        out.GetRasterBand(5).SetColorInterpretation(gdal.GCI_AlphaBand)
        del out
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        self.assert_masked(array[..., :4])
        np.testing.assert_array_equal(read(self.result)[..., 4], array[..., 4])

    def test_alpha_of_colours(self):
        array = texture(4, np.uint8, 0, 255)
        array[..., 3] = 255
        array[:, STRIP, 3] = 0
        write(self.source, array, "PHOTOMETRIC=RGB", "ALPHA=YES")
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        self.assert_masked(array, "rgba")

    def test_near_infrared_is_no_alpha(self):
        array = texture(4, np.uint8, 0, 255)
        out = write(self.source, array, "PHOTOMETRIC=RGB", "ALPHA=NO")
        del out
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        self.valid[:] = True
        np.testing.assert_array_equal(read(self.result), smooth(array, kind="bands", window=7))

    def test_black_is_a_colour(self):
        """0 in one channel is a colour; a pixel of RGB lacks data if all channels say so."""
        array = texture(3, np.uint8, 1, 255)
        array[:, STRIP] = 0
        array[20:30, 10:20, 0] = 0
        write(self.source, array, "PHOTOMETRIC=RGB", nodata=0)
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assert_masked(array, "rgb")

    def test_nan(self):
        array = texture(3, np.float32, 0, 1)
        array[:, STRIP] = math.nan
        write(self.source, array, nodata=math.nan)
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        np.testing.assert_array_equal(read(self.result), smooth(array, window=7))

    def test_values_of_each_band(self):
        """Each band has its own value; a format that holds one value for all is refused."""
        array = texture(2)
        array[:, STRIP, 0], array[10:12, :, 1] = 7, 9
        path = self.folder / "in.img"
        out = write(path, array, driver="HFA")
        out.GetRasterBand(1).SetNoDataValue(7)
        out.GetRasterBand(2).SetNoDataValue(9)
        del out
        self.run_ok(*PLAIN, "in.img", "out.img")
        self.valid[10:12] = False
        self.assertEqual(nodata_values(self.folder / "out.img"), [7, 9])
        np.testing.assert_array_equal(read(self.folder / "out.img"), smooth(array, self.valid, window=7))
        self.assert_rejected("in.img out.tif", 1, "no-data value", "bands 1 and 2")

    def test_option(self):
        """--nodata replaces what the file says, and is written."""
        array = texture(1)
        array[:, STRIP] = 7
        write(self.source, array, nodata=9)
        self.run_ok(*PLAIN, "--nodata", "7", "in.tif", "out.tif")
        self.assert_masked(array)
        self.assertEqual(nodata_values(self.result), [7])
        self.run_ok(*PLAIN, "--nodata", "none", "in.tif", "out.tif")
        np.testing.assert_array_equal(read(self.result), smooth(array, window=7))

    def test_models(self):
        """Learning, merging, applying and learning from another raster leave out what has no data."""
        array = texture(4)
        array[:, STRIP] = 0
        write(self.source, array, nodata=0)
        self.run_ok("learn", *PLAIN, "in.tif", "-o", "m.cof")
        self.run_ok("learn", *PLAIN, "--stats", "in.tif", "-o", "s.cof")
        self.run_ok("merge", "s.cof", "-o", "t.cof")
        self.assertIn("4 bands", run_cof(["info", "t.cof"], self.folder).stdout)
        for arguments in (("apply", "m.cof"), ("apply", "t.cof"), (*PLAIN, "--learn-from", "in.tif")):
            self.run_ok(*arguments, "in.tif", "out.tif")
            self.assertEqual(describe(self.result), describe(self.source))
            self.assert_masked(array)
        self.run_ok("show", "in.tif", "-o", "shown.png")
        self.assertGreater((self.folder / "shown.png").stat().st_size, 1000)


class Bands(GeoTest):
    def setUp(self):
        super().setUp()
        self.array = texture(4)
        write(self.source, self.array, nodata=0)

    def guided(self, numbers, array=None):
        """All bands, with labels of some."""
        some = np.ascontiguousarray(self.array[..., [number - 1 for number in numbers]])
        some = some[..., 0] if len(numbers) == 1 else some
        kind = "grey" if len(numbers) == 1 else "bands"
        model = cof.Model.fit(some, kind=kind, window=7)
        whole = np.ascontiguousarray(self.array if array is None else array)
        return model.apply(whole, guide=some, kind="bands")

    def test_bands_to_learn_from(self):
        self.run_ok(*PLAIN, "--bands", "4,3,2", "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        np.testing.assert_array_equal(read(self.result), self.guided((4, 3, 2)))
        self.run_ok("learn", *PLAIN, "--bands", "4,3,2", "in.tif", "-o", "m.cof")
        self.result.unlink()
        self.run_ok("apply", "--bands", "4,3,2", "m.cof", "in.tif", "out.tif")
        np.testing.assert_array_equal(read(self.result), self.guided((4, 3, 2)))

    def test_bands_to_filter(self):
        self.run_ok(*PLAIN, "--filter-bands", "2-3", "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        found = read(self.result)
        np.testing.assert_array_equal(found[..., [0, 3]], self.array[..., [0, 3]])
        np.testing.assert_array_equal(found[..., 1:3], smooth(np.ascontiguousarray(self.array[..., 1:3]), window=7))

    def test_both(self):
        self.run_ok(*PLAIN, "--bands", "1", "--filter-bands", "4,2", "in.tif", "out.tif")
        found, wanted = read(self.result), self.guided((1,), self.array[..., [3, 1]])
        np.testing.assert_array_equal(found[..., [0, 2]], self.array[..., [0, 2]])
        np.testing.assert_array_equal(found[..., [3, 1]], wanted)

    def test_kind(self):
        array = texture(3, np.uint8, 0, 255)
        for kind in ("rgb", "bands"):
            write(self.source, array)
            self.run_ok(*PLAIN, "--kind", kind, "in.tif", "out.tif")
            np.testing.assert_array_equal(read(self.result), smooth(array, kind=kind, window=7))
        self.result.unlink()
        self.assert_rejected("--kind grey in.tif out.tif", 1, "in.tif", "kind grey needs 1 band")


class Layout(GeoTest):
    def test_creation_options(self):
        write(self.source, texture(3), "COMPRESS=LZW")
        self.run_ok(*PLAIN, "--co", "COMPRESS=DEFLATE", "--co", "TILED=YES", "in.tif", "out.tif")
        info = describe(self.result)
        self.assertEqual(info["metadata"]["IMAGE_STRUCTURE"]["COMPRESSION"], "DEFLATE")
        self.assertEqual(info["bands"][0]["block"], [256, 256])
        np.testing.assert_array_equal(read(self.result), smooth(texture(3), window=7))

    def big(self):
        source = np.random.default_rng(2).integers(100, 900, (400, 600, 1)).astype(np.uint16)
        out = write(self.source, source, nodata=0)
        out.BuildOverviews("AVERAGE", [2, 4])

    def test_cog(self):
        """In and out; gdalinfo says nothing about either."""
        self.big()
        self.run_ok(*PLAIN, "--format", "COG", "in.tif", "cog.tif")
        self.run_ok(*PLAIN, "--format", "cog", "--overviews", "cog.tif", "again.tif")
        self.run_ok(*PLAIN, "--overviews", "cog.tif", "plain.tif")
        for name in ("cog.tif", "again.tif"):
            info = describe(self.folder / name)
            self.assertEqual(info["metadata"]["IMAGE_STRUCTURE"]["LAYOUT"], "COG")
            self.assertEqual(info["geoTransform"], list(TRANSFORM))
            self.assertEqual(info["bands"][0]["noDataValue"], 0)
        array = read(self.source)
        np.testing.assert_array_equal(read(self.folder / "cog.tif"),
                                      smooth(array, np.ones(array.shape[:2], bool), window=7))
        np.testing.assert_array_equal(read(self.folder / "again.tif"), read(self.folder / "plain.tif"))
        self.assert_leftovers("in.tif", "cog.tif", "again.tif", "plain.tif")

    def test_interleaving(self):
        """Blocks at the edges, missing blocks, bands in planes or in pixels."""
        for bands, kind in ((2, np.uint8), (3, np.uint16), (4, np.uint16), (5, np.float32)):
            array = texture(bands, kind, 10, 250)
            array[:64, 64:] = array[64:, :32] = 0  # two blocks at the right, one at the bottom
            for order in ("PIXEL", "BAND"):
                with self.subTest(bands=bands, order=order):
                    write(self.source, array, "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=64",
                          f"INTERLEAVE={order}", "SPARSE_OK=TRUE", "PHOTOMETRIC=MINISBLACK", "ALPHA=NO")
                    self.run_ok(*PLAIN, "in.tif", "out.tif")
                    np.testing.assert_array_equal(read(self.result), smooth(array, window=7))

    def test_in_place(self):
        array = texture(2)
        out = write(self.source, array, nodata=0)
        del out
        wanted = describe(self.source)
        gdal.Info(str(self.source), stats=True)  # leaves statistics beside the file
        self.run_ok(*PLAIN, "--in-place", "in.tif")
        self.assertEqual(describe(self.source), wanted)
        self.assert_leftovers("in.tif")
        np.testing.assert_array_equal(read(self.source), smooth(array, np.ones((HEIGHT, WIDTH), bool), window=7))

    def test_other_formats(self):
        array = texture(2)
        write(self.folder / "in.img", array, nodata=0, driver="HFA")
        self.run_ok(*PLAIN, "in.img", "out.tif")
        np.testing.assert_array_equal(read(self.result), smooth(array, np.ones((HEIGHT, WIDTH), bool), window=7))
        self.assertEqual(gdal.Open(str(self.result)).GetGeoTransform(), TRANSFORM)
        write(self.folder / "in.img", texture(1), nodata=0, driver="HFA")
        note = self.run_ok(*PLAIN, "in.img", "out.png")
        self.assertEqual(note, "cof: note: in.img: georeferencing and the no-data value are not kept "
                         "in out.png\n")

    def test_large(self):
        """An image that is filtered in parts: byte for byte the result of the whole."""
        rows, columns = 5900, 5800
        source = np.random.default_rng(5)
        tile = source.integers(300, 2600, (100, 100), dtype=np.uint16)
        array = np.tile(tile, (59, 58))[..., None]
        array[2000:2500, :3000] = 0
        write(self.source, array, "TILED=YES", "COMPRESS=DEFLATE", "ZLEVEL=1", nodata=0)
        self.run_ok("--window", "5", "in.tif", "out.tif")
        valid = array[..., 0] != 0
        self.assertEqual((rows, columns), valid.shape)
        np.testing.assert_array_equal(read(self.result), smooth(array, valid, window=5))
        self.assertEqual(describe(self.result), describe(self.source))


if __name__ == "__main__":
    unittest.main()
