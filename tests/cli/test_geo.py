#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Rasters that GDAL reads: what is kept, layouts and bad input. test_geo_pixels.py compares pixels."""
import base64
import html
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
import zipfile

from PIL import ImageCms

from command import COF, ENVIRONMENT, TIMEOUT, run_cof, setUpModule
from range_server import serve
from rasters import (GeoTest, HEIGHT, PLAIN, STRIP, TRANSFORM, WIDTH, describe, gdal, nodata_values, np,
                     read, reference, texture, write)

ICC = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
PROFILE = base64.b64encode(ICC).decode()


class Kept(GeoTest):
    def full_file(self, array, nodata):
        """All that a GeoTIFF can say, with statistics, which are dropped."""
        out = write(self.source, array, "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16",
                    "COMPRESS=DEFLATE", "PREDICTOR=2", nodata=nodata)
        out.SetMetadata({"AREA_OR_POINT": "Area", "SENSOR": "a & b", "TIFFTAG_SOFTWARE": "made up"})
        out.SetMetadataItem("ORBIT", "17", "PRODUCT")
        for i, name in enumerate(["blue", "green", "red", "near infrared"][:array.shape[-1]]):
            band = out.GetRasterBand(i + 1)
            band.SetDescription(name)
            band.SetScale(0.0001)
            band.SetOffset(-0.1 * i)
            band.SetUnitType("reflectance")
            band.SetMetadataItem("WAVELENGTH", str(490 + i))
        del out
        self.wanted = describe(self.source)
        # The same file with statistics, which do not describe the result.
        update = gdal.Open(str(self.source), gdal.GA_Update)
        for i in range(array.shape[-1]):
            update.GetRasterBand(i + 1).ComputeStatistics(False)
        del update
        self.assertIn("STATISTICS_MEAN", json.dumps(describe(self.source)))

    def test_everything_of_a_geotiff(self):
        for kind, low, high, nodata in ((np.uint16, 400, 3000, 0), (np.float32, 0.1, 0.9, -9999)):
            with self.subTest(kind.__name__):
                array = texture(4, kind, low, high)
                array[:, STRIP] = nodata
                self.full_file(array, nodata)
                self.assertEqual(self.run_ok(*PLAIN, "in.tif", "out.tif"), "")
                self.assertEqual(describe(self.result), self.wanted)
                np.testing.assert_array_equal(read(self.result)[:, STRIP], array[:, STRIP])

    def test_no_data_is_not_mixed_in(self):
        """The result beside the strip does not depend on what the strip holds."""
        array = texture(4)
        results = []
        for nodata in (0, 65535):
            array[:, STRIP] = nodata
            write(self.source, array, nodata=nodata)
            self.run_ok(*PLAIN, "in.tif", "out.tif")
            found = read(self.result)
            self.assertTrue((found[:, STRIP] == nodata).all())
            results.append(np.delete(found, np.s_[STRIP], axis=1))
        np.testing.assert_array_equal(*results)
        self.assertGreaterEqual(results[0].min(), 400)
        self.assertLessEqual(results[0].max(), 3000)

    def test_rotated(self):
        write(self.source, texture(1), transform=(500000, 8, 3, 5600000, 3, -8))
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))

    def test_ground_control_points(self):
        out = write(self.source, texture(2), transform=None, projection=None)
        out.SetGCPs([gdal.GCP(10 + x * 0.01, 50 - y * 0.01, 5, x, y)
                     for x, y in ((0, 0), (WIDTH, 0), (0, HEIGHT), (WIDTH, HEIGHT))],
                    reference(4326).ExportToWkt())
        del out
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        self.assertEqual(len(describe(self.result)["gcps"]["gcpList"]), 4)

    def test_rational_polynomials(self):
        out = write(self.source, texture(1), transform=None, projection=None)
        numbers = " ".join(["1"] + ["0"] * 19)
        out.SetMetadata({name: "1" for name in (
            "LINE_OFF", "SAMP_OFF", "LAT_OFF", "LONG_OFF", "HEIGHT_OFF", "LINE_SCALE", "SAMP_SCALE",
            "LAT_SCALE", "LONG_SCALE", "HEIGHT_SCALE")} | {name: numbers for name in (
                "LINE_NUM_COEFF", "LINE_DEN_COEFF", "SAMP_NUM_COEFF", "SAMP_DEN_COEFF")}, "RPC")
        del out
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        self.assertIn("RPC", describe(self.result)["metadata"])

    def test_heights(self):
        """GDAL stores a projected coordinate system with heights beside a TIFF file."""
        system = reference(32631)
        system.PromoteTo3D()
        write(self.source, texture(1), projection=None).SetSpatialRef(system)
        note = self.run_ok(*PLAIN, "in.tif", "out.tif")
        if note:  # versions of GDAL differ
            self.assertEqual(note, "cof: note: in.tif: not kept in out.tif: the heights of the coordinate "
                             "system\n")
        system.DemoteTo2D()
        result = gdal.Open(str(self.result))
        found = result.GetSpatialRef()
        self.assertTrue(found and (found.GetAxesCount() == 3 or found.IsSame(system)))

    def test_pixel_is_point(self):
        out = write(self.source, texture(1))
        out.SetMetadataItem("AREA_OR_POINT", "Point")
        del out
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))

    def test_companion_file(self):
        """A world file gives a PNG image a position; the output holds it inside."""
        path = self.folder / "in.png"
        gdal.GetDriverByName("PNG").CreateCopy(str(path), write("/vsimem/a.tif", texture(3, np.uint8, 0, 255),
                                                                transform=None, projection=None))
        (self.folder / "in.png.aux.xml").unlink(missing_ok=True)
        (self.folder / "in.pgw").write_text("10\n0\n0\n-10\n500005\n5599995\n")
        self.run_ok(*PLAIN, "in.png", "out.tif")
        self.assertEqual(gdal.Open(str(self.result)).GetGeoTransform(), TRANSFORM)
        self.assert_leftovers("in.png", "in.pgw", "out.tif")


class Types(GeoTest):
    def test_complex(self):
        write(self.source, texture(1, np.complex64))
        self.assert_rejected("in.tif out.tif", 1, "in.tif", "complex")

    def test_mixed_types(self):
        write("/vsimem/a.tif", texture(1))
        write("/vsimem/b.tif", texture(1, np.float32, 0, 1))
        for name in "ab":
            gdal.Translate(str(self.folder / f"{name}.tif"), f"/vsimem/{name}.tif")
        gdal.BuildVRT(str(self.folder / "in.vrt"), [str(self.folder / f"{name}.tif") for name in "ab"],
                      separate=True)
        text = (self.folder / "in.vrt").read_text()
        if 'dataType="Float32"' not in text:
            self.skipTest("this GDAL gives all bands one type")
        self.assert_rejected("in.vrt out.tif", 1, "in.vrt", "UInt16", "Float32")

    def test_no_data_no_more(self):
        """--nodata none filters all pixels, so that none may be marked in the output."""
        array = texture(1)
        array[:, :9] = 0
        write(self.source, array, nodata=0)
        self.assertEqual(self.run_ok("--nodata", "none", *PLAIN, "in.tif", "out.tif"), "")
        result = gdal.Open(str(self.result))
        self.assertIsNone(result.GetRasterBand(1).GetNoDataValue())

    def test_losses_are_named(self):
        out = write(self.source, texture(1))
        out.GetRasterBand(1).SetScale(0.5)
        out.GetRasterBand(1).SetUnitType("m")
        out.SetMetadataItem("DAY", "Monday")
        del out
        note = self.run_ok(*PLAIN, "in.tif", "out.jp2")
        self.assertIn("scales and offsets, units, metadata", note)

    def test_palette(self):
        memory = write("", texture(1, np.uint8, 0, 9), driver="MEM")
        table = gdal.ColorTable()
        for i in range(10):
            table.SetColorEntry(i, (25 * i, 0, 255 - 25 * i, 255))
        memory.GetRasterBand(1).SetColorTable(table)
        gdal.GetDriverByName("GTiff").CreateCopy(str(self.source), memory)
        self.assert_rejected("in.tif out.tif", 1, "in.tif", "table", "-expand rgb")
        self.run_ok(*PLAIN, "--kind", "grey", "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))

    def table(self, kind, *columns):
        """An attribute table of ten rows, with numbers."""
        table = gdal.RasterAttributeTable()
        table.SetTableType(kind)
        table.SetRowCount(10)
        for i, (name, usage) in enumerate(columns):
            table.CreateColumn(name, gdal.GFT_Integer, usage)
            for row in range(10):
                table.SetValueAsInt(row, i, 7 * row + i)
        return table

    def two_bands(self, name, driver, table):
        """The first band is to be filtered, the second to be copied; both have the table."""
        out = write(self.folder / name, texture(2, np.uint8, 0, 9), driver=driver)
        for i in (1, 2):
            out.GetRasterBand(i).SetDefaultRAT(table)

    def attributes(self, name):
        """The values of the table of each band; None: it has none."""
        source = gdal.Open(str(self.folder / name))
        tables = [source.GetRasterBand(i).GetDefaultRAT() for i in (1, 2)]
        return [[table.GetValueAsInt(row, 0) for row in range(table.GetRowCount())]
                if table and table.GetColumnCount() else None for table in tables]

    def test_attribute_tables(self):
        """Those of classes belong to bands that are copied; those of values are kept."""
        lost = "cof: note: in.tif: not kept in {}: {}the attribute table\n"
        want = [7 * row for row in range(10)]
        self.two_bands("in.tif", "GTiff", self.table(gdal.GRTT_THEMATIC, ("class", gdal.GFU_Generic)))
        self.assertEqual(self.attributes("in.tif"), [want, want])
        note = self.run_ok(*PLAIN, "--filter-bands", "1", "in.tif", "out.img")
        self.assertEqual(note, lost.format("out.img", "colour interpretation, "))
        self.assertEqual(self.attributes("out.img"), [None, want])
        note = self.run_ok(*PLAIN, "--filter-bands", "1", "in.tif", "out.tif")
        self.assertEqual(note, lost.format("out.tif", ""))
        self.two_bands("in.img", "HFA", self.table(gdal.GRTT_ATHEMATIC, ("least", gdal.GFU_Generic)))
        self.assertEqual(self.run_ok(*PLAIN, "in.img", "out.img"), "")
        self.assertEqual(self.attributes("out.img"), [want, want])

    def test_histograms_are_statistics(self):
        self.two_bands("in.img", "HFA", self.table(gdal.GRTT_ATHEMATIC, ("Histogram", gdal.GFU_PixelCount)))
        self.assertEqual(self.run_ok(*PLAIN, "in.img", "out.img"), "")
        self.assertEqual(self.attributes("out.img"), [None, None])

    def test_class_names_and_colours(self):
        out = write(self.folder / "in.img", texture(2, np.uint8, 0, 9), driver="HFA")
        table = gdal.ColorTable()
        table.SetColorEntry(3, (200, 100, 0, 255))
        out.GetRasterBand(2).SetColorTable(table)
        out.GetRasterBand(2).SetCategoryNames(["water", "wood", "field"])
        del out
        note = self.run_ok(*PLAIN, "--filter-bands", "1", "in.img", "out.img")
        self.assertEqual(note, "cof: note: in.img: not kept in out.img: names of classes\n")
        found = gdal.Open(str(self.folder / "out.img"))
        self.assertEqual(found.GetRasterBand(2).GetColorTable().GetColorEntry(3), (200, 100, 0, 255))
        note = self.run_ok(*PLAIN, "--filter-bands", "1", "in.img", "out.tif")
        self.assertIn("not kept in out.tif: ", note)
        self.assertIn("the colour table, names of classes", note)
        self.assertEqual(note.count("\n"), 1)


class Selection(GeoTest):
    def test_masks_and_results_have_the_position(self):
        write(self.source, texture(3, np.uint8, 1, 255), "PHOTOMETRIC=RGB", nodata=0)
        wanted = describe(self.source)
        self.run_ok("select", "--stroke", "10,10 20,20:3", "in.tif", "-o", "mask.tif")
        mask = describe(self.folder / "mask.tif")
        self.assertEqual((mask["geoTransform"], mask["coordinateSystem"], len(mask["bands"])),
                         (wanted["geoTransform"], wanted["coordinateSystem"], 1))
        self.assertEqual(set(np.unique(read(self.folder / "mask.tif"))), {0, 255})
        for line in ("focus --mask mask.tif in.tif out.tif",
                     "recolour --mask mask.tif --colour blue in.tif out.tif"):
            self.run_ok(*line.split())
            self.assertEqual(describe(self.result), wanted)


class Bands(GeoTest):
    def setUp(self):
        super().setUp()
        self.array = texture(4)
        write(self.source, self.array, nodata=0)

    def test_refused(self):
        self.assert_rejected("--bands 5 in.tif out.tif", 1, "in.tif", "there is no band 5")
        for value in ("0", "2,2", "x", "3-1", "", "1,"):
            self.assert_rejected(f"--bands={value} in.tif out.tif", 2, "--bands must be")
        self.assert_rejected("--bands 1 --guide in.tif in.tif out.tif", 2, "--guide", "--bands")
        self.assert_rejected("--bands 1 --reader vips in.tif out.tif", 2, "--reader", "--bands")
        self.assert_rejected("--co TILED in.tif out.tif", 2, "--co must be NAME=VALUE")


class Layout(GeoTest):
    def test_blocks_and_compression(self):
        for options in (("COMPRESS=LZW",), ("TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=48"),
                        ("BLOCKYSIZE=5", "INTERLEAVE=BAND"), ("COMPRESS=ZSTD", "PREDICTOR=2", "BIGTIFF=YES")):
            with self.subTest(options=options):
                write(self.source, texture(3), *options)
                self.run_ok(*PLAIN, "in.tif", "out.tif")
                self.assertEqual(describe(self.result), describe(self.source))

    def test_one_band_has_no_order_of_bands(self):
        """Pillow, for example, cannot open files of one band that are said to be planar."""
        write(self.source, texture(1), "INTERLEAVE=BAND")
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertIn(b"\x1c\x01\x03\x00\x01\x00\x00\x00\x01", self.result.read_bytes())

    def test_webp(self):
        """A lossless file stays lossless, and a lossy one is stored with the quality of other outputs."""
        array = texture(3, np.uint8, 0, 255)
        write(self.source, array, "COMPRESS=WEBP", "WEBP_LOSSLESS=YES", "PHOTOMETRIC=RGB")
        self.run_ok("--strength", "0", "in.tif", "out.tif")
        np.testing.assert_array_equal(read(self.result), array)
        write(self.source, array, "COMPRESS=WEBP", "WEBP_LEVEL=92", "PHOTOMETRIC=RGB")
        decoded = read(self.source)
        write(self.folder / "again.tif", decoded, "COMPRESS=WEBP", "WEBP_LEVEL=92", "PHOTOMETRIC=RGB")
        self.run_ok("--strength", "0", "in.tif", "out.tif")
        np.testing.assert_array_equal(read(self.result), read(self.folder / "again.tif"))

    def test_bits(self):
        """Bands of JPEG 2000 can have different depths; TIFF stores the largest."""
        for depths, wanted in (((1, 5), "5"), ((1, 8), None)):
            with self.subTest(depths=depths):
                array = np.stack([texture(1, np.uint8, 0, 2 ** depth - 1)[..., 0] for depth in depths], axis=-1)
                write("/vsimem/a.tif", array)
                gdal.Translate(str(self.folder / "in.vrt"), "/vsimem/a.tif", format="VRT")
                write(self.folder / "a.tif", array)
                gdal.BuildVRT(str(self.folder / "in.vrt"), [str(self.folder / "a.tif")])
                text = (self.folder / "in.vrt").read_text()
                for i, depth in enumerate(depths):
                    if depth < 8:
                        start = f'band="{i + 1}">'
                        text = text.replace(start, start + '<Metadata domain="IMAGE_STRUCTURE">'
                                            f'<MDI key="NBITS">{depth}</MDI></Metadata>')
                (self.folder / "in.vrt").write_text(text)
                self.run_ok("--strength", "0", "in.vrt", "out.tif")
                np.testing.assert_array_equal(read(self.result), array)
                found = gdal.Open(str(self.result))
                self.assertEqual(found.GetRasterBand(1).GetMetadataItem("NBITS", "IMAGE_STRUCTURE"), wanted)

    def test_samples_of_20_bits(self):
        array = texture(1, np.uint32, 0, (1 << 20) - 1)
        write("/vsimem/a.tif", array, "NBITS=20")
        gdal.Translate(str(self.folder / "in.j2k"), "/vsimem/a.tif", format="JP2OpenJPEG",
                       creationOptions=["CODEC=J2K", "QUALITY=100", "REVERSIBLE=YES", "NBITS=20"])
        for output in ("out.tif", "out.jp2"):
            self.run_ok("--reader", "gdal", "--strength", "0", "in.j2k", output)
            np.testing.assert_array_equal(read(self.folder / output), array)

    def test_colour_profile(self):
        write(self.source, texture(3, np.uint8, 0, 255), "PHOTOMETRIC=RGB", f"SOURCE_ICC_PROFILE={PROFILE}")
        for output in ("out.tif", "out.png"):
            self.run_ok(*PLAIN, "in.tif", output)
            found = gdal.Open(str(self.folder / output))
            self.assertEqual(found.GetMetadataItem("SOURCE_ICC_PROFILE", "COLOR_PROFILE"), PROFILE)
        self.assertIn("the colour profile", self.run_ok(*PLAIN, "in.tif", "out.jp2"))

    def test_extra_band(self):
        """A fourth band that the file does not call alpha is a band."""
        array = texture(4, np.uint8, 0, 255)
        write(self.source, array, "PHOTOMETRIC=RGB", "ALPHA=NO", projection=None, transform=None)
        self.run_ok(*PLAIN, "--reader", "gdal", "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        result = gdal.Open(str(self.result))
        self.assertNotEqual(result.GetRasterBand(4).GetColorInterpretation(), gdal.GCI_AlphaBand)

    def test_overviews(self):
        self.big()
        note = self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(note, "cof: note: in.tif: its overviews are not kept; --overviews builds them\n")
        self.run_ok(*PLAIN, "--overviews", "in.tif", "out.tif")
        self.assertEqual([view["size"] for view in describe(self.result)["bands"][0]["overviews"]],
                         [[300, 200], [150, 100]])

    def big(self):
        source = np.random.default_rng(2).integers(100, 900, (400, 600, 1)).astype(np.uint16)
        out = write(self.source, source, nodata=0)
        out.BuildOverviews("AVERAGE", [2, 4])

    def test_in_place_keeps_overviews(self):
        source = write(self.source, texture(1))
        source.BuildOverviews("NEAREST", [2])
        del source
        before = self.source.read_bytes()
        self.assert_rejected("--in-place in.tif", 1, "in.tif: --in-place would remove its overviews")
        self.assertEqual(self.source.read_bytes(), before)
        self.run_ok(*PLAIN, "--in-place", "--overviews", "in.tif")
        result = gdal.Open(str(self.source))
        self.assertGreater(result.GetRasterBand(1).GetOverviewCount(), 0)

    def test_sparse(self):
        """Blocks that are not stored stay so."""
        out = gdal.GetDriverByName("GTiff").Create(str(self.source), 2048, 2048, 1, gdal.GDT_UInt16,
                                                   ["TILED=YES", "SPARSE_OK=TRUE"])
        out.SetGeoTransform(TRANSFORM)
        out.GetRasterBand(1).SetNoDataValue(0)
        for x, y in ((0, 0), (300, 300)):
            out.GetRasterBand(1).WriteArray(texture(1)[..., 0], x, y)
        del out
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertLess(self.result.stat().st_size, 1 << 20)
        self.assertEqual(describe(self.result), describe(self.source))

    def test_folder(self):
        for i in range(3):
            write(self.folder / f"{i}.tif", texture(2, seed=i), nodata=i)
        self.run_ok(*PLAIN, *(f"{i}.tif" for i in range(3)), "-o", "out")
        for i in range(3):
            self.assertEqual(describe(self.folder / "out" / f"{i}.tif"), describe(self.folder / f"{i}.tif"))

    def test_folder_of_other_formats(self):
        """Rasters that libvips does not read; what only looks like one is skipped."""
        folder = self.folder / "scenes"
        folder.mkdir()
        write(folder / "a.tif", texture(2))
        write(folder / "b.img", texture(2), driver="HFA")
        gdal.Translate(str(folder / "c.vrt"), str(folder / "a.tif"), format="VRT")
        gdal.Translate(str(folder / "d.jp2"), str(folder / "a.tif"), format="JP2OpenJPEG", bandList=[1])
        (folder / "other.nc").write_bytes(bytes(4096))
        (folder / "signature.asc").write_text("-----BEGIN PGP SIGNATURE-----\n")
        self.run_ok(*PLAIN, "--quiet", "scenes", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["a.tif", "b.img", "c.vrt.tif", "d.jp2"])
        note = self.run_ok(*PLAIN, "scenes", "-o", "out")
        self.assertIn("cof: note: scenes: skipped 2 files without the suffix of an image\n", note)
        np.testing.assert_array_equal(read(self.folder / "out" / "b.img"), read(self.folder / "out" / "a.tif"))

    def test_archives(self):
        array = texture(2)
        write(self.source, array, nodata=0)
        subprocess.run([sys.executable, "-m", "zipfile", "-c", "in.zip", "in.tif"], cwd=self.folder, check=True)
        self.run_ok(*PLAIN, "/vsizip/in.zip/in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))
        self.assert_rejected("/vsizip/in.zip/no.tif out2.tif", 1, "no.tif")

    def test_web_servers_and_object_stores(self):
        """GDAL reads parts of the file; a server on this machine stands for one elsewhere."""
        write(self.source, texture(2), "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=32", nodata=0)
        self.run_ok(*PLAIN, "in.tif", "local.tif")
        with serve(self.folder) as (address, requests):
            local = {"AWS_S3_ENDPOINT": address, "AWS_HTTPS": "NO", "AWS_VIRTUAL_HOSTING": "FALSE",
                     "AWS_NO_SIGN_REQUEST": "YES", "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
                     "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
            for name, wanted in ((f"/vsicurl/http://{address}/in.tif", "/in.tif"),
                                 ("/vsis3/bucket/in.tif", "/bucket/in.tif")):
                with self.subTest(name):
                    done = subprocess.run([COF, *PLAIN, name, "out.tif"], cwd=self.folder,
                                          env={**ENVIRONMENT, **local}, capture_output=True, text=True,
                                          timeout=TIMEOUT)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn(wanted, requests)
                    self.assertEqual(describe(self.result), describe(self.source))
                    np.testing.assert_array_equal(read(self.result), read(self.folder / "local.tif"))
                    self.result.unlink()
            name = f"/vsicurl/http://{address}/no.tif"
            self.assert_rejected(f"{name} out.tif", 1, "no.tif")

    def test_readers(self):
        write(self.source, texture(1), nodata=0)
        note = self.run_ok(*PLAIN, "--reader", "vips", "in.tif", "out.tif")
        self.assertEqual(note, "cof: note: in.tif: georeferencing and the no-data value are not kept "
                         "in out.tif\n")
        write(self.source, texture(1, np.uint8, 0, 255), transform=None, projection=None)
        self.run_ok(*PLAIN, "--reader", "gdal", "in.tif", "gdal.tif")
        self.run_ok(*PLAIN, "in.tif", "auto.tif")
        np.testing.assert_array_equal(read(self.folder / "gdal.tif"), read(self.folder / "auto.tif"))


class Siblings(GeoTest):
    """Files beside a raster, which GDAL opens along with it. What they name is a server on this machine,
    which must not be asked for anything."""

    def setUp(self):
        super().setUp()
        write(self.source, texture(1, np.uint8, 0, 255))

    def list_of(self, place):
        return (f'<VRTDataset rasterXSize="{WIDTH}" rasterYSize="{HEIGHT}"><VRTRasterBand dataType="Byte" '
                f'band="1"><SimpleSource><SourceFilename>{place}</SourceFilename><SourceBand>1</SourceBand>'
                "</SimpleSource></VRTRasterBand></VRTDataset>")

    def assert_alone(self, arguments, *words):
        """Neither the server nor the secret file is read."""
        # LeakSanitizer does not work in a process that is traced.
        traced = shutil.which("strace") and "COF_SANITIZED" not in os.environ
        trace = ["strace", "-f", "-o", str(self.folder / "trace"), "-e", "trace=openat"]
        done = subprocess.run([*(trace if traced else []), COF, *arguments.split()],
                              cwd=self.folder, env={**ENVIRONMENT, "NO_PROXY": "*", "no_proxy": "*"},
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Acof: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
        if traced:
            self.assertNotIn("secret", (self.folder / "trace").read_text())
        self.assertFalse(self.result.exists())

    def test_formats_that_name_other_files(self):
        secret = self.folder / "secret.raw"
        secret.write_bytes(bytes(WIDTH * HEIGHT))
        with serve(self.folder) as (address, requests):
            for driver, name in (("GTiff", "in.tif"), ("PNG", "in.png"), ("JPEG", "in.jpg"), ("BMP", "in.bmp"),
                                 ("HFA", "in.img")):
                if name != "in.tif":
                    gdal.GetDriverByName(driver).CreateCopy(str(self.folder / name), gdal.Open(str(self.source)))
                for suffix, place in ((".msk", f"/vsicurl/http://{address}/x.tif"), (".Ovr", str(secret))):
                    with self.subTest(name=name, suffix=suffix):
                        sibling = self.folder / (name + suffix)
                        sibling.write_text(self.list_of(place))
                        self.assert_alone(f"--reader gdal {name} out.tif", name + suffix, "no TIFF file")
                        sibling.unlink()
            self.assertEqual(requests, [])

    def test_overviews_of_siblings(self):
        with serve(self.folder) as (address, requests):
            place = f"/vsicurl/http://{address}/x.tif"
            metadata = (f'<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">{place}</MDI>'
                        "</Metadata></PAMDataset>")
            for chain in ("in.tif.aux.xml", "in.tif.ovr.aux.xml", "in.tif.msk.aux.xml", "in.tif.msk.ovr"):
                with self.subTest(chain):
                    names = [chain[:i] for i in (10,) if len(chain) > 14 or chain.endswith("k.ovr")]
                    for name in names:
                        write(self.folder / name, texture(1, np.uint8, 0, 255))
                    is_list = chain.endswith(".ovr")
                    (self.folder / chain).write_text(self.list_of(place) if is_list else metadata)
                    self.assert_alone("in.tif out.tif", "no TIFF file" if is_list else "OVERVIEW_FILE")
                    for name in (*names, chain):
                        (self.folder / name).unlink()
            # Even a file beside the raster must be a TIFF file, and must not lead back to it.
            (self.folder / "in.vrt").write_text(self.list_of(place))
            write(self.folder / "other.tif", texture(1)).SetMetadata({"OVERVIEW_FILE": ":::BASE:::in.tif"},
                                                                     "OVERVIEWS")
            for name in ("in.vrt", "other.tif", "in.tif"):
                self.source.unlink()
                write(self.source, texture(1)).SetMetadata({"OVERVIEW_FILE": f":::BASE:::{name}"}, "OVERVIEWS")
                self.assert_alone("in.tif out.tif", "OVERVIEW_FILE")
            self.source.unlink()
            write(self.source, texture(1))
            # An .aux file of ERDAS is read, but not the overviews that it names.
            gdal.Translate(str(self.folder / "in.aux"), str(self.source), format="HFA")
            (self.folder / "in.aux.aux.xml").write_text(metadata)
            self.run_ok(*PLAIN, "in.tif", "out.tif")
            self.assertEqual(requests, [])

    def test_names_that_gdal_takes_for_addresses(self):
        """The name of a file beside a raster is that of the raster and more."""
        with serve(self.folder) as (address, requests):
            name = f"WMS:{address}?request=GetMap.tif"
            write("/vsimem/a.tif", texture(1))
            with open(self.folder / name, "wb") as file:
                file.write(self.source.read_bytes())
            write(self.folder / "mask.tif", texture(1, np.uint8, 0, 255))
            os.rename(self.folder / "mask.tif", self.folder / f"{name}.msk")
            self.run_ok(*PLAIN, name, "out.tif")
            self.assertEqual(requests, [])
        folder = self.folder / "a<VRTDataset>"
        folder.mkdir()
        shutil.copy(self.source, folder)
        self.assert_rejected("a<VRTDataset>/in.tif out2.tif", 1, "< in their names")

    def test_masks_and_overviews(self):
        """Those that GDAL makes are read."""
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "NO")
        source = gdal.Open(str(self.source), gdal.GA_Update)
        source.CreateMaskBand(gdal.GMF_PER_DATASET)
        mask = np.full((HEIGHT, WIDTH), 255, np.uint8)
        mask[:, STRIP] = 0
        source.GetRasterBand(1).GetMaskBand().WriteArray(mask)
        del source
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", None)
        source = gdal.Open(str(self.source))
        source.BuildOverviews("NEAREST", [2])
        del source
        self.assertTrue((self.folder / "in.tif.msk").exists() and (self.folder / "in.tif.ovr").exists())
        self.assertIn("its overviews are not kept", self.run_ok(*PLAIN, "in.tif", "out.tif"))
        result = gdal.Open(str(self.result))
        np.testing.assert_array_equal(result.GetRasterBand(1).GetMaskBand().ReadAsArray(), mask)


class Parts(GeoTest):
    """Outputs do not replace the files that a raster is read from."""

    def setUp(self):
        super().setUp()
        for name in ("west.tif", "east.tif"):
            write(self.folder / name, texture(1))
        os.chdir(self.folder)
        gdal.BuildVRT("mosaic.vrt", ["west.tif", "east.tif"])
        gdal.BuildVRT("outer.vrt", ["mosaic.vrt"])
        os.makedirs("other")
        shutil.copy("west.tif", "other")
        self.addCleanup(os.chdir, "/")

    def assert_kept(self, line, status, *words):
        before = {path: path.read_bytes() for path in self.folder.rglob("*.*")}
        self.assert_rejected(line, status, *words)
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*.*")}, before)

    def test_sources_of_a_vrt(self):
        part = "west.tif: is a part of the input"
        for line in ("mosaic.vrt west.tif", "outer.vrt west.tif", "--in-place mosaic.vrt west.tif",
                     "--in-place --learn-from mosaic.vrt west.tif", "mosaic.vrt other/west.tif -o .",
                     "--mask outer.vrt other/west.tif west.tif"):
            with self.subTest(line):
                self.assert_kept(line, 1, part)
        self.assert_kept("--in-place mosaic.vrt", 1, "mosaic.vrt")
        self.run_ok(*PLAIN, "mosaic.vrt", "out.tif")

    def test_sources_that_gdal_does_not_list(self):
        """What a VRT in a file of any name, a name of GDAL and a header are read from."""
        vrt = (self.folder / "mosaic.vrt").read_text()
        text = (f'<VRTDataset rasterXSize="{WIDTH}" rasterYSize="{HEIGHT}"><VRTRasterBand dataType="UInt16" '
                'band="1"><SimpleSource><SourceFilename relativeToVRT="0">{}</SourceFilename>'
                "</SimpleSource></VRTRasterBand></VRTDataset>")
        for i, source in enumerate(("inner.xml", "inner.dat", "GTIFF_DIR:1:west.tif", "vrt://west.tif?bands=1",
                                    "/vsisubfile/0_100000,west.tif", f"/vsisubfile/0_100000,{self.folder}/west.tif",
                                    "DERIVED_SUBDATASET:AMPLITUDE:west.tif",
                                    html.escape(text.format("west.tif")))):
            if source.startswith("inner"):
                (self.folder / source).write_text(vrt)
            (self.folder / f"{i}.vrt").write_text(text.format(source))
            with self.subTest(source):
                self.assert_kept(f"{i}.vrt west.tif", 1, f"west.tif: is a part of the input {i}.vrt")
                if i > 1 and "<" not in source and "&" not in source:
                    self.assert_kept(f"{source} west.tif", 1, f"west.tif: is a part of the input {source}")
                for _ in range(2):
                    self.run_ok(*PLAIN, f"{i}.vrt", "out.tif")
        gdal.Translate("in.bil", "west.tif", format="ENVI", outputType=gdal.GDT_Byte)
        (self.folder / "outer.vrt").write_text(text.format("in.bil"))
        self.assert_kept("outer.vrt --save-model in.hdr out.tif", 1, "in.hdr: is a part of the input outer.vrt")

    def test_names_that_only_look_alike(self):
        """A file in an archive may have the name of the output."""
        with zipfile.ZipFile("tiles.zip", "w") as archive:
            archive.write("west.tif")
        self.run_ok(*PLAIN, "/vsizip/tiles.zip/west.tif", "west.tif")
        self.assert_kept("/vsizip/tiles.zip/west.tif --save-model tiles.zip out.tif", 1,
                         "tiles.zip: is a part of the input")

    def test_headers(self):
        gdal.Translate("in.bil", "west.tif", format="ENVI", outputType=gdal.GDT_Byte)
        self.assert_kept("in.bil in.hdr", 1, "in.hdr: is a part of the input in.bil")

    def test_companions(self):
        """What belongs to an output is no input, and goes only with the file that is replaced."""
        write(self.folder / "out.tif.ovr", texture(1))
        for line in ("out.tif.ovr out.tif", "--mask out.tif.ovr west.tif out.tif"):
            self.assert_kept(line, 2, "out.tif.ovr: is an input, but belongs to an output")
        gdal.Translate("in.png", "west.tif", format="PNG", outputType=gdal.GDT_Byte)
        os.remove("in.png.aux.xml")
        for source, name in (("west.tif", "out.tif"), ("in.png", "out.png")):
            for suffix in (".ovr", ".msk", ".aux.xml"):
                with self.subTest(name=name, suffix=suffix):
                    companion = self.folder / (name + suffix)
                    companion.write_bytes((self.folder / "west.tif").read_bytes())
                    self.assert_kept(f"{source} {name}", 1, f"{name}: GDAL would take {name}{suffix} for a part")
                    companion.unlink()
                    self.run_ok(*PLAIN, source, name)
                    companion.write_bytes((self.folder / "west.tif").read_bytes())
                    self.run_ok(*PLAIN, source, name)
                    self.assertFalse(companion.exists())
                    os.remove(name)

    def test_companions_of_what_is_replaced_in_place(self):
        """libvips writes none, so that nothing would have what they have. A world file stays."""
        gdal.Translate("in.png", "west.tif", format="PNG", outputType=gdal.GDT_Byte)
        for options in ("", "--reader vips "):
            self.assert_kept(f"{options}--in-place in.png", 1, "in.png: --in-place would remove", "in.png.aux.xml")
        os.remove("in.png.aux.xml")
        (self.folder / "in.pgw").write_text("10\n0\n0\n-10\n500000\n5600000\n")
        self.run_ok(*PLAIN, "--in-place", "in.png")
        self.assertEqual(gdal.Open("in.png").GetGeoTransform()[1], 10)


class BadInput(GeoTest):
    def setUp(self):
        super().setUp()
        self.array = texture(3)
        write(self.source, self.array, "COMPRESS=DEFLATE", nodata=0)

    def test_unreadable(self):
        (self.folder / "text.img").write_text("no raster")
        self.assert_rejected("text.img out.tif", 1, "text.img")
        self.assert_rejected("--reader gdal text.img out.tif", 1, "text.img", "not recognized")
        self.assert_rejected("--reader gdal none.tif out.tif", 1, "none.tif", "No such file")

    def test_truncated(self):
        whole = self.source.read_bytes()
        write(self.source, self.array, nodata=0)
        for bytes_of, share in ((whole, 0.6), (self.source.read_bytes(), 0.7)):
            self.source.write_bytes(bytes_of[:int(len(bytes_of) * share)])
            self.assert_rejected("--reader gdal in.tif out.tif", 1, "in.tif")
            self.assert_rejected("learn --reader gdal in.tif -o m.cof", 1, "in.tif")

    def test_without_its_directory(self):
        """libtiff tells libvips or GDAL; the line is the same alone and among others."""
        (self.folder / "cut.tif").write_bytes(b"II*\0" + (5000).to_bytes(4, "little") + bytes(100))
        alone = run_cof(["cut.tif", "out.tif"], self.folder)
        batch = run_cof([*PLAIN, "cut.tif", "in.tif", "-o", "out"], self.folder)
        self.assertRegex(alone.stderr, r"\Acof: cut.tif: [^\n]+\n\Z")
        self.assertEqual((batch.returncode, batch.stderr), (1, alone.stderr))
        self.assertNotIn("cut.tif", alone.stderr.removeprefix("cof: cut.tif"))

    def test_no_bands(self):
        """A container of rasters, which can be named."""
        gdal.Translate(str(self.folder / "in.nc"), str(self.source), format="netCDF")
        self.assert_rejected("in.nc out.tif", 1, "in.nc", "no bands", "NETCDF:")
        self.run_ok(*PLAIN, 'NETCDF:"in.nc":Band2', "out.tif")
        self.assertEqual(read(self.result).shape, (HEIGHT, WIDTH, 1))

    def test_contradictory_nodata(self):
        out = gdal.Open(str(self.source), gdal.GA_Update)
        out.GetRasterBand(1).SetNoDataValue(-9999)
        del out
        self.assert_rejected("in.tif out.tif", 1, "in.tif", "-9999", "UInt16", "--nodata")
        self.run_ok(*PLAIN, "--nodata", "0", "in.tif", "out.tif")
        self.assertEqual(nodata_values(self.result), [0, 0, 0])

    def test_no_coordinate_system(self):
        write(self.source, self.array, projection=None)
        self.run_ok(*PLAIN, "in.tif", "out.tif")
        self.assertEqual(describe(self.result), describe(self.source))

    def test_bad_creation_option(self):
        self.assert_rejected("--co COMPRESS=NOTHING in.tif out.tif", 1, "out.tif", "NOTHING")
        self.assert_rejected("--format COG in.tif -", 1, "standard output")
        self.assert_rejected("--overviews in.tif out.img", 1, "--overviews needs a TIFF file")
        self.assert_rejected("--reader gdal in.tif folder/out.tif", 1, "folder/out.tif")

    def test_nothing_but_no_data(self):
        write(self.source, np.zeros_like(self.array), nodata=0)
        self.assertEqual(self.run_ok("in.tif", "out.tif"),
                         "cof: note: in.tif: has no valid pixel, so nothing is filtered\n")
        np.testing.assert_array_equal(read(self.result), read(self.source))
        self.assert_rejected("learn in.tif -o model.cof", 1, "in.tif")

    def test_formats_of_photographs(self):
        """They would clip values and drop bands."""
        write(self.source, texture(6))
        self.assert_rejected("in.tif out.png", 1, "out.png", "6 bands", "TIFF")
        self.assert_rejected("in.tif out.jpg", 1, "out.jpg", "6 bands", "TIFF")
        write(self.source, texture(1, np.int16, -900, 600))
        self.assert_rejected("in.tif out.png", 1, "out.png", "signed", "TIFF")
        write(self.source, texture(3))
        self.assert_rejected("in.tif out.png", 1, "out.png", "--kind rgb")
        self.run_ok("--kind", "rgb", "in.tif", "out.png")
        self.assertEqual(read(self.folder / "out.png").dtype, np.uint16)

    def test_format_and_suffix_differ(self):
        self.assert_rejected("--format COG in.tif out.png", 1, "out.png", "suffix")
        self.assert_rejected("--format HFA in.tif out.tif", 1, "out.tif", "suffix")

    def test_full_disk(self):
        """A limit on the size of files stands for a disk that is full."""
        for line in ("in.tif out.tif", "--format COG in.tif out.tif", "--co COMPRESS=DEFLATE in.tif out.tif"):
            with self.subTest(line):
                done = run_cof(line.split(), self.folder, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (5000, 5000)))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"\Acof: out.tif: [^\n]+\n\Z")
                self.assert_leftovers("in.tif")

    def test_cancelled(self):
        """An interrupt leaves nothing behind, at whatever moment it comes."""
        big = np.tile(texture(2), (20, 20, 1))
        write(self.source, big, nodata=0)
        for line in ("--window 31 in.tif out.tif", "--format COG --window 31 in.tif out.tif"):
            for wait in (0.3, 0.8, 1.6):
                with self.subTest(line, wait=wait):
                    process = subprocess.Popen([COF, *line.split()], cwd=self.folder, env=ENVIRONMENT,
                                               stderr=subprocess.PIPE)
                    time.sleep(wait)
                    process.send_signal(signal.SIGINT)
                    process.communicate(timeout=TIMEOUT)
                    names = set(os.listdir(self.folder)) - {"out.tif"}
                    self.assertEqual(names, {"in.tif"})


if __name__ == "__main__":
    unittest.main()
