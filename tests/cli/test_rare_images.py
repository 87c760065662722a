#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Variants of formats that libvips or GDAL read wrong: right all the same, refused, or told."""
import struct
import sys
import unittest
import zipfile

from command import ROOT, FolderTest, load_vips_modules, run_cof, setUpModule
from rasters import gdal, np, read

sys.path.insert(0, str(ROOT / "tests" / "corpus"))
# pylint: disable=wrong-import-position
import tifffile
from PIL import Image
import encoders
from encoders import ASCII, SHORT, UNDEFINED, scene, tiff, tiff_page
# pylint: enable=wrong-import-position

load_vips_modules()
PREMULTIPLIED = {338: (SHORT, [1])}
MINISWHITE, YCBCR, ICCLAB, ITULAB = 0, 6, 9, 10
# Three frames of 60 x 40 pixels, of which the last two are drawn only where they differ.
ANIMATED_JXL = bytes.fromhex(
    "ff0a09050308282e0908029209000090004b386998ca83f72b2808807ae6638cf1e35c2004804002670a48134137ceb1"
    "1faa3f391108220a2890c1034826000084004b188b1500d48c19638c97bc40080083a40d008283902e2651db7f40c900"
    "c0a6010822287890c10348160084004b188b1500d48c19638c1779811000262903001407215d4ea2b6df92848106cf01")


class RareImages(FolderTest):
    def write(self, name, data):
        (self.folder / name).write_bytes(data)

    def kept(self, *arguments, notes=""):
        """The samples of the output with --strength 0."""
        done = run_cof(["--strength", "0", *arguments, "out.tif"], self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, notes))
        return read(self.folder / "out.tif")

    def assert_refused(self, name, *words):
        self.assert_rejected(f"--strength 0 {name} out.tif", 1, f"cof: {name}: ", *words)

    def tag(self, number):
        with tifffile.TiffFile(self.folder / "out.tif") as file:
            found = file.pages[0].tags.get(number)
            return found.value if found else None


class Tiff(RareImages):
    def write_pages(self, *pages):
        self.write("in.tif", tiff(list(pages)))

    def test_orientation_of_what_gdal_reads(self):
        for tags, how in (({}, {"planar": True}), ({42112: (ASCII, b"<GDALMetadata></GDALMetadata>\0")}, {})):
            self.write_pages(tiff_page(scene(24, 17), tags={274: (SHORT, [6]), **tags}, **how))
            self.assert_refused("in.tif", "turns it")
        self.write_pages(tiff_page(scene(24, 17), tags={274: (SHORT, [6])}))
        self.assertEqual(self.kept("in.tif").shape, (24, 17, 3))

    def test_facts_of_the_chosen_page(self):
        """The second page is stored in another way than the first one."""
        floats = scene(24, 17, 4, np.float32)
        floats[..., :3] *= floats[..., 3:]
        for second in (tiff_page(floats, tags=PREMULTIPLIED), tiff_page(scene(24, 17), YCBCR)):
            self.write_pages(tiff_page(scene(24, 17, second.bands)), second)
            self.assert_refused("in.tif", "--pages")
            first, found = (self.kept("--pages", page, "in.tif") for page in (1, 2))
            np.testing.assert_array_equal(first, scene(24, 17, second.bands))
            np.testing.assert_array_equal(found, gdal.Open(f"GTIFF_DIR:2:{self.folder / 'in.tif'}").ReadAsArray()
                                          .transpose(1, 2, 0))
            self.assertEqual(self.tag(338), (1,) if second.bands == 4 else None)

    def test_premultiplied_floats_of_standard_input(self):
        floats = scene(24, 17, 4, np.float32)
        floats[..., :3] *= floats[..., 3:]
        self.write_pages(tiff_page(floats, tags=PREMULTIPLIED))
        with open(self.folder / "in.tif", "rb") as file:
            done = run_cof(["--strength", "0", "-", "out.tif"], self.folder, stdin=file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        np.testing.assert_array_equal(read(self.folder / "out.tif"), floats)
        self.assertEqual(self.tag(338), (1,))

    def test_bands_without_meaning_are_no_colours(self):
        for bands in (3, 4):
            values = scene(24, 17, bands)
            values[..., -1] *= values[..., 0] > 90
            self.write_pages(tiff_page(values, 1, tags={338: (SHORT, [0] * (bands - 1))}))
            np.testing.assert_array_equal(self.kept("in.tif"), values)
            self.assertEqual((self.tag(262), self.tag(338)), (1, (0,) * (bands - 1)))

    def test_unusual_bits(self):
        values = scene(24, 17, 1, np.uint16)
        for bits in (10, 12):
            memory = gdal.GetDriverByName("MEM").Create("", 24, 17, 1, gdal.GDT_UInt16)
            memory.GetRasterBand(1).WriteArray(values[..., 0] >> (16 - bits))
            gdal.GetDriverByName("GTiff").CreateCopy(str(self.folder / "in.tif"), memory, options=[f"NBITS={bits}"])
            np.testing.assert_array_equal(self.kept("in.tif")[..., 0], values[..., 0] >> (16 - bits))
        memory = gdal.GetDriverByName("MEM").Create("", 24, 17, 1, gdal.GDT_Float32)
        half = scene(24, 17, 1, np.float32).astype(np.float16).astype(np.float32)
        memory.GetRasterBand(1).WriteArray(half[..., 0])
        gdal.GetDriverByName("GTiff").CreateCopy(str(self.folder / "in.tif"), memory, options=["NBITS=16"])
        np.testing.assert_array_equal(self.kept("in.tif"), half)

    def test_what_no_reader_knows(self):
        for photometric, kind in ((MINISWHITE, np.float32), (MINISWHITE, np.int16), (ICCLAB, np.uint8),
                                  (ITULAB, np.uint8)):
            bands = 1 if photometric == MINISWHITE else 3
            self.write_pages(tiff_page(scene(24, 17, bands, kind), photometric))
            self.assert_refused("in.tif")
            self.assert_rejected("--strength 0 --reader gdal in.tif out.tif", 1, "cof: in.tif: ")

    def test_metadata_that_gdal_drops(self):
        self.write_pages(tiff_page(scene(24, 17), tags={33723: (UNDEFINED, b"\x1c\2\x05\0\1a")}, planar=True))
        self.kept("in.tif", notes="cof: note: in.tif: not kept in out.tif: IPTC\n")


class OtherFormats(RareImages):
    def test_bmp_with_codes_of_4_bits(self):
        rows = encoders.steps(scene(24, 17, 1), 4)[::-1, :, 0]
        body = b"".join(b"".join(bytes([1, index << 4]) for index in row) + b"\0\0" for row in rows) + b"\0\1"
        head = bytearray(encoders.bmp(encoders.steps(scene(24, 17, 1), 4), 4)[:54 + 64])
        struct.pack_into("<I", head, 30, 2)
        self.write("in.bmp", bytes(head) + body)
        self.assert_refused("in.bmp", "RLE4")

    def test_jpeg_2000_in_ycc(self):
        Image.fromarray(scene(24, 17)).save(self.folder / "in.jp2")
        self.kept("in.jp2")
        (self.folder / "out.tif").unlink()
        data = (self.folder / "in.jp2").read_bytes()
        at = data.index(b"colr") + 7
        for space in (1, 12, 14, 18, 22, 24):
            self.write("in.jp2", data[:at] + struct.pack(">I", space) + data[at + 4:])
            self.assert_refused("in.jp2", "RGB")

    def test_gif_without_an_end_of_codes(self):
        """libvips drops the last pixels."""
        values = scene(24, 17, 1)
        self.write("in.gif", encoders.gif(values))
        np.testing.assert_array_equal(self.kept("in.gif")[..., 0], values[..., 0] // 16 * 17)
        (self.folder / "out.tif").unlink()
        self.write("in.gif", encoders.gif(values, end=False))
        self.assert_refused("in.gif")

    def test_largest_values_of_ppm(self):
        for top, kind in ((15, np.uint8), (100, np.uint8), (1000, np.uint16), (4095, np.uint16)):
            for bands, plain in ((1, False), (3, True)):
                with self.subTest(top=top, bands=bands, plain=plain):
                    values = (scene(24, 17, bands, np.uint16).astype(float) * top / 65535).round().astype(kind)
                    self.write("in.ppm", encoders.pnm(values, plain=plain, top=top))
                    most = np.iinfo(kind).max
                    wanted = (values.astype(int) * most * 2 + top) // (2 * top)
                    np.testing.assert_array_equal(self.kept("in.ppm"), wanted)

    def test_further_images(self):
        one = encoders.pnm(scene(24, 17, 1))
        self.write("in.pgm", one + one)
        np.testing.assert_array_equal(
            self.kept("in.pgm", notes="cof: note: in.pgm: not kept in out.tif: the further images of the file\n"),
            scene(24, 17, 1))

    def test_further_parts_of_fits(self):
        """libvips reads the first part that has pixels."""
        image = encoders.fits(scene(24, 17, 1, np.int16))
        extension = b"XTENSION= 'IMAGE   '".ljust(80) + image[80:]
        cards = ("SIMPLE  = T", "BITPIX  = 8", f"NAXIS   = {0:20}", "END")
        empty = "".join(card.ljust(80) for card in cards).ljust(2880).encode()
        for data in (image, empty + extension):
            self.write("in.fits", data)
            self.kept("in.fits")
            self.write("in.fits", data + extension)
            self.kept("in.fits", notes="cof: note: in.fits: not kept in out.tif: the further parts of the file\n")
        self.assert_rejected("--in-place in.fits", 1, "further parts")

    def test_channels_of_openexr(self):
        """libvips reads R, G, B, A and Y of the first part."""
        values = scene(24, 17, 4, np.float32)
        data = encoders.exr(values, half=True)
        self.write("in.exr", data)
        self.kept("in.exr")
        for name, notes in (("Z", "the channels that are no colours"), ("B", "")):
            renamed = data.replace(b"B\0\1\0\0\0", name.encode() + b"\0\1\0\0\0")
            self.write("in.exr", renamed)
            self.kept("in.exr", notes=notes and f"cof: note: in.exr: not kept in out.tif: {notes}\n")
        self.write("in.exr", encoders.exr(values, half=True, parts=2))
        self.kept("in.exr", notes="cof: note: in.exr: not kept in out.tif: the further parts of the file\n")
        (self.folder / "out.tif").unlink()
        self.write("in.exr", encoders.exr(values[..., :1]).replace(b"Y\0\2\0\0\0", b"Z\0\2\0\0\0"))
        self.assert_refused("in.exr", "no channel R, G, B or Y")

    def test_animated_jpeg_xl(self):
        """Right from libvips 8.16 on; before, most pixels are black."""
        brand = struct.pack(">I4s4sI4s", 20, b"ftyp", b"jxl ", 0, b"jxl ")
        box = struct.pack(">I4sI", 12 + len(ANIMATED_JXL), b"jxlp", 1 << 31) + ANIMATED_JXL
        for data in (ANIMATED_JXL, b"\0\0\0\x0cJXL \r\n\x87\n" + brand + box):
            self.write("in.jxl", data)
            done = run_cof(["--strength", "0", "--pages", "1", "in.jxl", "out.tif"], self.folder)
            if done.returncode == 0:
                self.assertEqual(read(self.folder / "out.tif")[0, 0].tolist(), [200, 200, 200])
            else:
                self.assert_refused("in.jxl", "animated")

    def test_pages_of_documents(self):
        """A smaller page is no overview, and pages of other sizes are not joined."""
        sizes = [(60, 80), (30, 40), (60, 80)]
        self.write("in.pdf", encoders.pdf(sizes))
        self.assert_refused("in.pdf", "different sizes")
        for page, (width, height) in enumerate(sizes, 1):
            self.assertEqual(self.kept("--pages", page, "in.pdf").shape[:2], (height, width))
        (self.folder / "out.tif").unlink()
        self.write("in.pdf", encoders.pdf([(60, 80), (60, 80), (40, 50)]))
        self.assert_refused("in.pdf", "different sizes")

    def test_bare_samples_that_are_cut_off(self):
        """GDAL reads 0 there."""
        memory = gdal.GetDriverByName("MEM").Create("", 24, 17, 1)
        memory.GetRasterBand(1).WriteArray(scene(24, 17, 1)[..., 0])
        for driver, name in (("ENVI", "in.bsq"), ("EHdr", "in.bil"), ("netCDF", "in.nc")):
            if gdal.GetDriverByName(driver):
                made = gdal.GetDriverByName(driver).CreateCopy(str(self.folder / name), memory)
                del made
                np.testing.assert_array_equal(self.kept("--reader", "gdal", name), scene(24, 17, 1))
                (self.folder / "out.tif").unlink()
                self.write(name, (self.folder / name).read_bytes()[:24 * 17 - 1])
                self.assert_refused(name, "too short")

    def test_bare_samples_behind_a_header(self):
        memory = gdal.GetDriverByName("MEM").Create("", 24, 17, 1)
        memory.GetRasterBand(1).WriteArray(scene(24, 17, 1)[..., 0])
        gdal.GetDriverByName("ENVI").CreateCopy(str(self.folder / "in.bsq"), memory)
        header, samples = ((self.folder / name).read_bytes() for name in ("in.hdr", "in.bsq"))
        self.write("in.hdr", header.replace(b"header offset = 0", b"header offset = 100"))
        self.write("in.bsq", samples)
        self.assert_refused("in.bsq", "too short")
        self.write("in.bsq", bytes(100) + samples)
        np.testing.assert_array_equal(self.kept("in.bsq"), scene(24, 17, 1))
        with zipfile.ZipFile(self.folder / "in.zip", "w") as archive:
            for name in ("in.hdr", "in.bsq"):
                archive.write(self.folder / name, name)
        np.testing.assert_array_equal(self.kept(f"/vsizip/{self.folder}/in.zip/in.bsq"), scene(24, 17, 1))

    def test_headers_of_rasters_in_folders(self):
        (self.folder / "scenes").mkdir()
        memory = gdal.GetDriverByName("MEM").Create("", 24, 17, 1)
        memory.GetRasterBand(1).WriteArray(scene(24, 17, 1)[..., 0])
        gdal.GetDriverByName("ENVI").CreateCopy(str(self.folder / "scenes" / "in.bsq"), memory)
        done = run_cof(["--strength", "0", "scenes", "-o", "out"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_an_output_cannot_hold(self):
        Image.fromarray(scene(24, 17, 4), "CMYK").save(self.folder / "in.jpg")
        self.assert_rejected("in.jpg out.jp2", 1, "CMYK")
        self.write("in.tif", tiff([tiff_page(2 * scene(24, 17, 3, np.float32))]))
        done = run_cof(["in.tif", "out.png"], self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (0, "cof: note: out.png: this format has no floats; values above 1 are white\n"))
        exif = Image.Exif()
        exif[271] = "Maker"
        Image.fromarray(scene(24, 17)).save(self.folder / "in.jpg", exif=exif)
        done = run_cof(["in.jpg", "out.jp2"], self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, "cof: note: in.jpg: not kept in out.jp2: EXIF\n"))

    def test_density_without_a_unit(self):
        """ImageJ states the unit elsewhere."""
        tifffile.imwrite(self.folder / "in.tif", scene(24, 17, 1)[..., 0], resolution=(5, 5), resolutionunit=1)
        self.kept("in.tif")
        self.assertEqual(self.tag(282), (5, 1))

    def test_world_files_in_capitals(self):
        Image.fromarray(scene(24, 17)).save(self.folder / "IN.JPG", quality=95)
        (self.folder / "IN.JGW").write_text("10\n0\n0\n-10\n500005\n5600000\n")
        self.kept("IN.JPG")
        self.assertEqual(gdal.Open(str(self.folder / "out.tif")).GetGeoTransform()[:2], (500000, 10))


if __name__ == "__main__":
    unittest.main()
