#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Outputs are encoded like their inputs: quality, chroma, compression, depth; --quality, --format.

Pillow makes and examines files here, because it is independent of libvips.
"""
import io
import os
import struct
import subprocess
import unittest

from PIL import Image

import tiff_files
from command import (COF, ENVIRONMENT, FolderTest, PHOTOS, TIMEOUT, header, load_vips_modules, run_cof,
                     setUpModule, vips)

load_vips_modules()
WIDTH, HEIGHT = 64, 48
THUMBNAIL_TAGS = (0x201, 0x202)


def image():
    with Image.open(PHOTOS / "chelsea.png") as photo:
        return photo.convert("RGB").crop((120, 90, 120 + WIDTH, 90 + HEIGHT))


def jpeg_bytes(picture=None, **how):
    data = io.BytesIO()
    (picture or image()).save(data, "JPEG", **how)
    return data.getvalue()


def tables(path):
    with Image.open(path) as opened:
        return opened.quantization


def tables_of_quality(quality):
    return Image.open(io.BytesIO(jpeg_bytes(quality=quality))).quantization


def sampling(path):
    """Horizontal and vertical sampling factors of the components of a JPEG."""
    with Image.open(path) as opened:
        return [layer[1:3] for layer in opened.layer]


def webp_chunks(path):
    data, at, names = path.read_bytes(), 12, []
    while at < len(data):
        names.append(data[at:at + 4])
        size = int.from_bytes(data[at + 4:at + 8], "little")
        at += 8 + size + size % 2
    return names


def box(path, name):
    """The contents of the first box of that name."""
    data = path.read_bytes()
    return data[data.index(name) + 4:]


class EncodingTest(FolderTest):
    def setUp(self):
        super().setUp()
        image().save(self.folder / "in.png")

    def assert_refused(self, arguments, *words):
        before = sorted(os.listdir(self.folder))
        done = run_cof(arguments.split(), self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"\Acof: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Jpeg(EncodingTest):
    def write(self, **how):
        (self.folder / "in.jpg").write_bytes(jpeg_bytes(**how))

    def test_quality_of_the_input(self):
        for quality in (1, 2, 25, 49, 50, 75, 90, 95, 100):
            with self.subTest(quality=quality):
                self.write(quality=quality)
                result = self.cof("in.jpg", "out.jpg")
                self.assertEqual(tables(result), tables(self.folder / "in.jpg"))

    def test_chroma_of_the_input(self):
        """4:2:2, which libvips cannot write, becomes 4:4:4, so that nothing is lost."""
        for name, factors in [("4:4:4", (1, 1)), ("4:2:2", (1, 1)), ("4:2:0", (2, 2))]:
            for quality in (60, 95):
                with self.subTest(subsampling=name, quality=quality):
                    self.write(quality=quality, subsampling=name)
                    result = self.cof("in.jpg", "out.jpg")
                    self.assertEqual(sampling(result), [factors, (1, 1), (1, 1)])
                    self.assertEqual(tables(result), tables_of_quality(quality))

    def test_grey(self):
        self.write(picture=image().convert("L"), quality=67)
        self.assertEqual(tables(self.cof("in.jpg", "out.jpg")), tables(self.folder / "in.jpg"))

    def test_tables_of_others_become_no_coarser(self):
        """Photoshop and cameras have tables of their own."""
        coarse = [[7] * 64, [9] * 64]
        self.write(qtables=coarse)
        result = tables(self.cof("in.jpg", "out.jpg"))
        self.assertLessEqual(sum(result[0]) + sum(result[1]), 64 * 16)
        self.assertGreater(sum(result[0]) + sum(result[1]), 64 * 14)

    def test_other_inputs_and_outputs(self):
        self.assertEqual(tables(self.cof("in.png", "out.jpg")), tables_of_quality(92))
        self.assertEqual(sampling(self.folder / "out.jpg"), [(1, 1)] * 3)
        self.write(quality=40)
        result = self.cof("in.jpg", "--residual", "r.jpg", "--side-by-side", "s.jpg", "out.jpg")
        for name in ("r.jpg", "s.jpg"):
            self.assertEqual(tables(result.with_name(name)), tables_of_quality(40))

    def test_standard_streams(self):
        done = subprocess.run([COF, "-", "-"], input=jpeg_bytes(quality=83), env=ENVIRONMENT,
                              capture_output=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(Image.open(io.BytesIO(done.stdout)).quantization, tables_of_quality(83))

    def test_headers_that_lie(self):
        """The reader of headers must end, and leave the error to libvips."""
        whole = jpeg_bytes(quality=80)
        tables_at = whole.index(b"\xff\xdb")
        for data in (whole[:20], whole[:tables_at + 5], whole[:tables_at] + b"\xff" * 50,
                     whole[:tables_at + 2] + b"\0\0" + whole[tables_at + 4:],
                     whole[:tables_at + 2] + b"\xff\xff" + whole[tables_at + 4:]):
            (self.folder / "in.jpg").write_bytes(data)
            done = run_cof(["in.jpg", "out.jpg"], self.folder)
            self.assertIn(done.returncode, (0, 1))
            self.assertEqual(done.stderr.count("\n"), done.returncode)


class QualityAndFormat(EncodingTest):
    def test_quality(self):
        (self.folder / "in.jpg").write_bytes(jpeg_bytes(quality=40, subsampling="4:2:0"))
        self.assertEqual(tables(self.cof("--quality", 88, "in.jpg", "out.jpg")),
                         tables_of_quality(88))
        self.assertEqual(sampling(self.folder / "out.jpg")[0], (2, 2))
        self.cof("in.jpg", "in.png", "--quality", 33, "-o", "many")  # of PNG it is no matter
        self.assertEqual(tables(self.folder / "many" / "in.jpg"), tables_of_quality(33))
        self.cof("--in-place", "--quality", 12, "in.jpg")
        self.assertEqual(tables(self.folder / "in.jpg"), tables_of_quality(12))
        for verb in ("focus", "recolour --colour #2040e0"):
            self.cof(*verb.split(), "--stroke", "20,20:5", "--quality", 71, "in.png", "o.jpg")
            self.assertEqual(tables(self.folder / "o.jpg"), tables_of_quality(71))

    def test_formats_of_folders(self):
        (self.folder / "photo.jpg").write_bytes(jpeg_bytes(quality=40))
        self.cof("in.png", "same.jpg[Q=95]")
        self.cof("in.png", "photo.jpg", "--format", ".jpg[Q=95]", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["in.jpg", "photo.jpg"])
        self.assertEqual((self.folder / "out" / "in.jpg").read_bytes(),
                         (self.folder / "same.jpg").read_bytes())
        for name in ("in.jpg", "photo.jpg"):
            self.assertEqual(tables(self.folder / "out" / name), tables_of_quality(95))
        self.cof("photo.jpg", "--format", ".png", "-o", "out/")
        with Image.open(self.folder / "out" / "photo.png") as opened:
            self.assertEqual(opened.format, "PNG")
        before = (self.folder / "out" / "photo.png").stat().st_mtime_ns
        self.cof("photo.jpg", "--format", ".png", "--skip-existing", "-o", "out/")
        self.assertEqual((self.folder / "out" / "photo.png").stat().st_mtime_ns, before)

    def test_options_without_effect(self):
        for arguments, *words in [
                ("in.png out.png --format .jpg", "out.png", "--format has no effect"),
                ("in.png -o out.png --format .jpg", "out.png", "--format has no effect"),
                ("focus in.png out.png --stroke 9,9 --format .jpg", "--format has no effect"),
                ("select in.png -o out.png --stroke 9,9 --format .jpg", "--format has no effect"),
                ("in.png -o out/ --format .xyz", ".xyz", "no format"),
                ("in.png -o out/ --format jpg", "jpg", "no format"),
                ("in.png out.png --quality 80", "--quality", "no effect"),
                ("in.png - --format .png --quality 80", "--quality", "no effect"),
                ("--in-place in.png --quality 80", "--quality", "no effect"),
                ("in.png out.jpg[Q=50] --quality 80", "out.jpg[Q=50]", "--quality"),
                ("in.png -o out/ --format .jpg[Q=50] --quality 80", "--quality"),
                ("--raw 8x8:gray --quality 80 - -", "--raw cannot be combined with --quality"),
                ("in.png out.jpg --quality 0", "1 to 100"),
                ("in.png out.jpg --quality 101", "1 to 100"),
                ("in.png out.jpg --quality high", "1 to 100"),
                ("in.png in.png -o new/ --format .jpg", "new/in.jpg", "in.png and of in.png")]:
            with self.subTest(arguments=arguments):
                self.assert_refused(arguments, *words)

    def test_quality_of_a_stream_without_one(self):
        done = subprocess.run([COF, "in.png", "-", "--quality", "80"], cwd=self.folder,
                              env=ENVIRONMENT, capture_output=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"no --quality", done.stderr)


class OtherFormats(EncodingTest):
    def make(self, name):
        try:
            vips("copy", self.folder / "in.png", self.folder / name)
        except RuntimeError as error:
            self.skipTest(f"libvips cannot write {name}: {error}")

    def test_webp(self):
        for options, chunk in [("lossless", b"VP8L"), ("Q=80", b"VP8 ")]:
            self.make(f"in.webp[{options}]")
            self.assertIn(chunk, webp_chunks(self.cof("in.webp", "out.webp")))
        self.make("in.webp[lossless]")
        self.assertIn(b"VP8 ", webp_chunks(self.cof("in.webp", "--quality", 50, "out.webp")))
        self.cof("in.png", "same.webp[Q=92,smart-subsample]")
        for name in ("out.webp", "out.webp[lossless=false]", "out.webp[ lossless = FALSE ]"):
            self.cof("in.png", name)
            self.assertEqual((self.folder / "out.webp").read_bytes(),
                             (self.folder / "same.webp").read_bytes(), name)

    def test_heic_chroma(self):
        """Byte 16 of the box hvcC is the chroma format: 1 is 4:2:0, 3 is 4:4:4."""
        for mode, chroma in [("on", 1), ("off", 3)]:
            self.make(f"in.heic[subsample-mode={mode}]")
            result = self.cof("in.heic", "out.heic")
            self.assertEqual(box(result, b"hvcC")[16] & 3, chroma)
        self.assertEqual(box(self.cof("in.png", "out.heic"), b"hvcC")[16] & 3, 3)

    def test_avif_chroma(self):
        """Byte 2 of the box av1C has the subsampling in bits 2 and 3."""
        for mode, chroma in [("on", 3), ("off", 0)]:
            self.make(f"in.avif[subsample-mode={mode},effort=0]")
            self.assertEqual(box(self.cof("in.avif", "out.avif"), b"av1C")[2] >> 2 & 3, chroma)

    def test_heic_depth(self):
        vips("colourspace", self.folder / "in.png", self.folder / "deep.png", "rgb16")
        for depth in (10, 12):
            try:
                vips("copy", self.folder / "deep.png", self.folder / f"in.heic[bitdepth={depth}]")
            except RuntimeError as error:
                self.skipTest(str(error))
            self.assertEqual(header(self.cof("in.heic", "out.heic"), "heif-bitdepth"),
                             str(depth))

    def tags(self, path, numbers=(259, 317, 322, 323)):
        with Image.open(path) as opened:
            return [opened.tag_v2.get(number) for number in numbers]

    def test_tiff_compression(self):
        tile = "tile,tile-width=32,tile-height=16"
        for options in ("compression=none", f"compression=lzw,{tile}", "compression=packbits",
                        "compression=deflate,predictor=none", "compression=deflate",
                        f"compression=zstd,{tile}", "compression=jpeg,Q=60",
                        "compression=lzw,bigtiff"):
            with self.subTest(options=options):
                self.make(f"in.tif[{options}]")
                result = self.cof("in.tif", "out.tif")
                self.assertEqual(self.tags(result), self.tags(self.folder / "in.tif"))
        self.cof("in.tif", "own.tif[compression=none]")
        self.assertEqual(self.tags(self.folder / "own.tif")[0], 1)
        self.assertEqual(self.tags(self.cof("in.png", "out.tif"))[0], 1)

    def test_tiles_of_odd_sizes(self):
        """TIFF demands multiples of 16, which some writers ignore."""
        page = tiff_files.Page(40, 40, 1, "B", [i % 251 for i in range(1600)], planar=False, tile=24)
        tiff_files.write_tiff(self.folder / "in.tif", [page])
        done = run_cof(["in.tif", "out.tif"], self.folder)
        if done.returncode == 0:
            self.assertNotIn(24, self.tags(self.folder / "out.tif"))
        else:
            self.assertRegex(done.stderr, r"\Acof: in.tif: [^\n]+\n\Z")

    def test_tiff_of_floats(self):
        vips("extract_band", self.folder / "in.png", self.folder / "grey.png[strip]", 0)
        vips("linear", self.folder / "grey.png",
             self.folder / "in.tif[compression=deflate,predictor=float]", 0.004, 0)
        result = self.cof("in.tif", "out.tif")
        self.assertEqual(self.tags(result), self.tags(self.folder / "in.tif"))

    def test_tiff_headers_that_lie(self):
        self.make("in.tif[compression=deflate]")
        whole = (self.folder / "in.tif").read_bytes()
        for data in (whole[:6], whole[:8], whole[:4] + b"\xff\xff\xff\xff" + whole[8:],
                     whole[:4] + struct.pack("<I", len(whole) - 1) + whole[8:]):
            (self.folder / "in.tif").write_bytes(data)
            done = run_cof(["in.tif", "out.tif"], self.folder)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)


def exif_segment(thumbnail, orientation):
    """EXIF of a camera: Make and Orientation in IFD 0, a thumbnail in IFD 1."""
    def entry(tag, kind, count, value):
        return struct.pack(">HHI", tag, kind, count) + value

    def short(value):
        return struct.pack(">HH", value, 0)

    def long(value):
        return struct.pack(">I", value)

    make = b"A camera\0\0"
    make_at = 8 + 2 + 2 * 12 + 4
    second_at = make_at + len(make)
    thumbnail_at = second_at + 2 + 4 * 12 + 4
    tiff = (b"MM\0*" + long(8) + struct.pack(">H", 2) + entry(0x10F, 2, 9, long(make_at)) +
            entry(0x112, 3, 1, short(orientation)) + long(second_at) + make +
            struct.pack(">H", 4) + entry(0x103, 3, 1, short(6)) +
            entry(0x112, 3, 1, short(orientation)) +
            entry(THUMBNAIL_TAGS[0], 4, 1, long(thumbnail_at)) +
            entry(THUMBNAIL_TAGS[1], 4, 1, long(len(thumbnail))) + long(0) + thumbnail)
    body = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def exif_directories(exif):
    """The tags of each IFD: {tag: first bytes of its value}."""
    tiff = exif[6:] if exif.startswith(b"Exif\0\0") else exif
    order = "<" if tiff[:2] == b"II" else ">"
    at, directories = struct.unpack(order + "I", tiff[4:8])[0], []
    while at:
        count, = struct.unpack(order + "H", tiff[at:at + 2])
        rows = [struct.unpack(order + "HHIH", tiff[at + 2 + 12 * i:at + 12 + 12 * i])
                for i in range(count)]
        directories.append({row[0]: row[3] for row in rows})
        at, = struct.unpack(order + "I", tiff[at + 2 + 12 * count:at + 6 + 12 * count])
    return directories


def photoshop_segment(thumbnail):
    """Image resources of Photoshop: a caption of IPTC, the thumbnail, and the resolution."""
    def resource(number, data, name=b"\0\0"):
        return (b"8BIM" + struct.pack(">H", number) + name + struct.pack(">I", len(data)) + data +
                b"\0" * (len(data) % 2))

    body = (b"Photoshop 3.0\0" + resource(1028, b"\x1c\x02\x78\0\x05a cat") +
            resource(1036, bytes(28) + thumbnail, b"\x05small") + resource(1005, bytes(16)))
    return b"\xff\xed" + struct.pack(">H", len(body) + 2) + body


class Thumbnails(EncodingTest):
    def test_the_thumbnail_of_photoshop_is_removed(self):
        thumbnail = jpeg_bytes(image().resize((17, 12)), quality=50)
        whole = jpeg_bytes(quality=90)
        data = whole[:2] + photoshop_segment(thumbnail) + whole[2:]
        (self.folder / "in.jpg").write_bytes(data)
        resources = Image.open(io.BytesIO(data)).info["photoshop"]
        self.assertIn(1036, resources)
        for ending in ("jpg", "tif"):
            result = self.cof("in.jpg", f"out.{ending}")
            self.assertFalse(thumbnail[-60:-2] in result.read_bytes())
        with Image.open(self.folder / "out.jpg") as opened:
            kept = opened.info["photoshop"]
        del resources[1036]
        self.assertEqual(kept, resources)

    def test_resources_that_lie(self):
        whole = jpeg_bytes(quality=90)
        segment = photoshop_segment(b"small")
        at = segment.index(b"8BIM", 30)
        for data in (segment[:at + 14] + b"\xff\xff\xff\xff" + segment[at + 18:],
                     segment[:at + 6] + b"\xff" + segment[at + 7:]):
            (self.folder / "in.jpg").write_bytes(whole[:2] + data + whole[2:])
            done = run_cof(["in.jpg", "out.jpg"], self.folder)
            self.assertEqual((done.returncode, done.stderr),
                             (0, "cof: note: in.jpg: not kept in out.jpg: IPTC\n"))
            self.assertNotIn(b"8BIM", (self.folder / "out.jpg").read_bytes())

    def test_the_thumbnail_of_the_input_is_removed(self):
        thumbnail = jpeg_bytes(image().resize((16, 12)), quality=50)
        whole = jpeg_bytes(quality=90)
        for orientation in (1, 6):
            data = whole[:2] + exif_segment(thumbnail, orientation) + whole[2:]
            (self.folder / "in.jpg").write_bytes(data)
            self.assertEqual(len(exif_directories(Image.open(io.BytesIO(data)).info["exif"])), 2)
            for ending in ("jpg", "png", "webp"):
                with self.subTest(orientation=orientation, ending=ending):
                    result = self.cof("in.jpg", f"out.{ending}")
                    with Image.open(result) as opened:
                        size = opened.size
                        opened.load()
                        directories = exif_directories(opened.info["exif"])
                    self.assertEqual(size, (WIDTH, HEIGHT) if orientation == 1 else (HEIGHT, WIDTH))
                    self.assertEqual(len(directories), 1)
                    self.assertEqual(directories[0][0x112], 1)
                    self.assertIn(0x10F, directories[0])
                    self.assertFalse(thumbnail[-60:-2] in result.read_bytes())


if __name__ == "__main__":
    unittest.main()
