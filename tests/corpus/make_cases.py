#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the files of tests/data/corpus, and cases.csv, the table of what must happen to each of them.

usage: make_cases.py FOLDER

The stored files are tested, not new ones: another version of GDAL or Pillow would write other bytes.
tests/data/corpus/README.md says what the columns of the table mean.
"""
import csv
import gzip
import io
import pathlib
import struct
import sys

import numpy as np
from PIL import Image, ImageCms
from osgeo import gdal

from encoders import (DEFLATE, LONG, SHORT, UNDEFINED, apng, bmp, chunk, dds_grey, exif_bytes, exr, fits, ico, nifti,
                      pfm, png, pnm, scene, set_count, set_tag, steps, tga, text, tiff, tiff_page,
                      with_segment)
from make_files import F32, F64, I16, U16, U32, U8, XMP_THUMBNAIL, pillow, svg, vips, with_gdal

HONEST = "right|refused|note"  # never silently different
MAGICK = "--allow-reader magick"


class Cases:
    def __init__(self, folder):
        self.folder, self.rows = folder, []
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, name, data, expected, word="", options="", like="", absent="", opens=""):
        """data is bytes, or a function that writes the path."""
        path = self.folder / name
        if callable(data):
            data(path)
        elif data is not None:
            path.write_bytes(data)
        self.rows.append((name, expected, word, options, like, absent, opens))

    def side(self, name, data):
        """A sibling, or the picture that is expected."""
        (self.folder / name).write_bytes(data)


def short_and_damaged(cases):
    """Images of few rows were taken as black when they could not be decoded."""
    for rows in (9, 17):
        for suffix, data in (
                ("png", png(scene(60, rows))), ("jpg", pillow(scene(90, rows), "JPEG", quality=95)),
                ("tif", tiff([tiff_page(scene(60, rows))]))):
            cases.add(f"cut-{rows}.{suffix}", data[:len(data) * 3 // 5], "refused")
    page = tiff([tiff_page(scene(60, 16), compression=DEFLATE)])
    cases.add("deflate-16.tif", page[:60] + b"\xff" * 40 + page[100:], "refused")
    lzw = written(scene(60, 16), options=["COMPRESS=LZW", "PROFILE=BASELINE"])
    cases.add("lzw-16.tif", lzw[:-700] + b"\xff" * 60 + lzw[-640:], "refused")
    data = png(scene(60, 16))
    cases.add("checksum-16.png", data[:200] + bytes([data[200] ^ 16]) + data[201:], "refused")
    cases.add("cut.fits", fits(scene(60, 40, 1))[:-3000], "refused")
    cases.add("cut.gif", pillow(scene(40, 30, 1), "GIF")[:400], "refused")
    cases.add("cut.ppm", pnm(scene(60, 16))[:-500], "refused")
    cases.add("cut-plain.pgm", pnm(scene(33, 19, 1), plain=True)[:-900], "refused")
    cases.add("cut.pbm", pnm(steps(scene(33, 19, 1), 1), top=1)[:-40], "refused")
    frames = [pillow_image(scene(40, 30, 1, U8, i)[..., 0] & 0xf0) for i in range(1, 6)]
    animated = pillow(scene(40, 30, 1) & 0xf0, "GIF", save_all=True, append_images=frames)
    cases.add("cut-animated.gif", animated[:len(animated) // 2 - 100], "refused")
    webp = pillow(scene(40, 30), "WEBP", lossless=True)
    cases.add("cut.webp", webp[:len(webp) * 3 // 5], "refused")
    pages = tiff([tiff_page(scene(20, 15, 3, U8, i)) for i in range(3)])
    cases.add("cut-pages.tif", pages[:-30], "refused")


def written(values, driver="GTiff", suffix="tif", **how):
    """The bytes of a file by GDAL."""
    path = f"/vsimem/written.{suffix}"
    with_gdal(path, values, driver, **how)
    file = gdal.VSIFOpenL(path, "rb")
    size = gdal.VSIStatL(path).size
    data = bytes(gdal.VSIFReadL(1, size, file))
    gdal.VSIFCloseL(file)
    gdal.GetDriverByName(driver).Delete(path)
    return data


def magick_formats(cases):
    """Formats that ImageMagick alone reads: refused, or right when it is allowed."""
    grey, two = scene(25, 18, 1), scene(25, 18, 2)
    for name, data in (("grey.tga", tga(grey)), ("grey-alpha.tga", tga(two)), ("rgb.tga", tga(scene(25, 18))),
                       ("grey.dds", dds_grey(grey)), ("grey.ico", ico([(16, 16, png(scene(16, 16, 1)))])),
                       ("rgb.pcx", pillow(scene(25, 18), "PCX"))):
        cases.add(name, data, "refused")
        if name != "grey-alpha.tga":  # which ImageMagick takes for colours of 15 bits
            cases.add(name, None, "right|note", options=MAGICK)
    sizes = [(16, 16, png(scene(16, 16, 4))), (32, 32, png(scene(32, 32, 4)))]
    cases.add("sizes.ico", ico(sizes), "refused")
    cases.add("bitmap.xbm", b"#define a_width 8\n#define a_height 2\nstatic char a_bits[] = { 0x0f, 0x33 };\n",
              "refused")
    for bits in (1, 24):
        values = scene(33, 19, 3) if bits == 24 else steps(scene(33, 19, 1), bits)
        cases.add(f"bits-{bits}.bmp", bmp(values, bits), "right|refused")
    cases.add("rle.bmp", bmp(steps(scene(33, 19, 1), 4), 8, rle=True), "right|refused")


def bitmaps(cases):
    """PBM whose width is no multiple of 8, and plain PBM without blanks."""
    for width in (9, 30):
        bits = steps(scene(width, 9, 1), 1)
        bits[::2, ::3] ^= 1
        cases.side(f"bits-{width}.png", png((1 - bits) * 255))
        for way, data in (("binary", pnm(bits, top=1)), ("plain", pnm(bits, True, True, 1)),
                          ("joined", pnm(bits, True, False, 1))):
            cases.add(f"{way}-{width}.pbm", data, "right|refused", like=f"bits-{width}.png")
    cases.add("top-85.pgm", pnm(scene(20, 20, 1) // 3, top=85), "right")
    cases.add("rgb.pfm", pfm(scene(20, 15, 3, F32)), "right|refused|unread")


def ycbcr(values):
    y = values @ [0.299, 0.587, 0.114]
    planes = y, (values[..., 2] - y) / 1.772 + 128, (values[..., 0] - y) / 1.402 + 128
    return np.clip(np.rint(np.stack(planes, -1)), 0, 255).astype(U8)


def tiffs(cases):
    image = scene(30, 22)
    cases.add("ycbcr.tif", tiff([tiff_page(ycbcr(image), 6, {530: (SHORT, [1, 1])})]), "right|refused")
    strips = tiff([tiff_page(image, rows=8)])
    column = tiff([tiff_page(scene(1, 3, 1) | 64, rows=1)])
    cases.add("strips-missing.tif", set_count(set_count(column, 279, 2), 273, 2), "right|refused")
    cases.add("strip-offset-0.tif", set_tag(strips, 273, 0, 1), HONEST)
    cases.add("strip-beyond-end.tif", set_tag(strips, 273, 1 << 20, 2), "refused")
    cases.add("webp-lossless.tif", written(scene(32, 32, 4), options=["COMPRESS=WEBP", "WEBP_LOSSLESS=YES"]),
              "right|refused")
    cases.add("webp-lossy.tif", written(scene(32, 32), options=["COMPRESS=WEBP", "WEBP_LEVEL=90"]), HONEST)
    for kind, name in ((U32, "uint32"), (F64, "double")):
        for bands in (1, 2):
            values = scene(20, 15, bands, kind)
            tags = {338: (SHORT, [2])} if bands == 2 else {}
            values[0, 0, 0] -= kind(1e3) if kind == U32 else kind(1e-12)
            cases.add(f"{name}-{bands}.tif", tiff([tiff_page(values, tags=tags)]), HONEST)
    for depth in (2, 4):
        values = steps(scene(40, 33, 1), depth)
        options = [f"NBITS={depth}", "PROFILE=BASELINE"]
        cases.add(f"planar-{depth}-bits.tif", written(values, options=options + ["INTERLEAVE=BAND"]),
                  "right|refused")
        cases.add(f"pixel-{depth}-bits.tif", written(values, options=options), "right|refused")
    lab = tiff_page(scene(20, 15), 8)
    cases.add("lab.tif", tiff([lab]), HONEST)
    for bands, name in ((4, "rgb"), (2, "grey")):
        extra = tiff_page(scene(20, 15, bands), 2 if bands == 4 else 1, {338: (SHORT, [0])})
        cases.add(f"unspecified-{name}.tif", tiff([extra]), HONEST)
    five = tiff_page(scene(20, 15, 5), 1, {338: (SHORT, [0] * 4)})
    cases.add("five-bands.tif", tiff([five]), "right")
    reduced = tiff_page(scene(10, 8), tags={254: (LONG, [1])})
    cases.add("reduced-page.tif", tiff([tiff_page(image), reduced]), "right|note")
    cases.add("pages.tif", tiff([tiff_page(scene(20, 15, 3, U8, i)) for i in range(3)]), "right")
    cases.add("pages-differ.tif", tiff([tiff_page(image), tiff_page(scene(9, 7, 1, U16))]), HONEST)
    cases.add("orientation-6.tif", tiff([tiff_page(image, tags={274: (SHORT, [6])})]), "right")
    planes = [tiff_page(scene(20, 23), planar=True, rows=7), tiff_page(scene(20, 23, 3, U8, 1), rows=7)]
    cases.add("planar-pages.tif", tiff(planes), "right|refused")
    short = tiff([planes[1], planes[0]])
    cases.add("planar-page-cut.tif", set_tag(short, 279, 3, 3), "refused")


def jpeg2000(cases):
    path = cases.folder / "in.png"
    for size in (32, 64):
        cases.add(f"resolutions-{size}.jp2", pillow(scene(size, size), "JPEG2000", num_resolutions=3), "right|note")
    path.write_bytes(png(scene(48, 40)))
    cases.add("by-libvips.jp2", lambda out: vips("copy", path, f"{out}[lossless]"), "right|note")
    path.unlink()
    values = (scene(16, 16, 1, U32) >> 12) + 0
    cases.add("bits-20.j2k", written(values, "JP2OpenJPEG", "j2k", options=["NBITS=20", "REVERSIBLE=YES", "QUALITY=100"]),
              HONEST)
    # Samples are coded as differences from half of the range, so that bands can get fewer bits.
    values = (scene(16, 16, 3) >> np.array([6, 0, 2], U8)) + np.array([126, 0, 96], U8)
    data = bytearray(written(values, "JP2OpenJPEG", "j2k", options=["REVERSIBLE=YES", "QUALITY=100", "YCC=NO"]))
    sizes = data.index(b"\xff\x51") + 40  # of the first band; three bytes each
    data[sizes], data[sizes + 6] = 1, 5
    cases.add("bits-differ.j2k", bytes(data), HONEST)
    cases.add("cut.jp2", pillow(scene(40, 40), "JPEG2000")[:900], "refused")


def jpegs(cases):
    image = scene(61, 47)
    coarse = Image.open(io.BytesIO(pillow(image, "JPEG", quality=10))).quantization
    tables = [[2 * step for step in coarse[i]] for i in (0, 1)]  # some of 16 bits
    cases.add("large-tables.jpg", pillow(image, "JPEG", qtables=tables), "right")
    exif = b"Exif\0\0" + exif_bytes(6)
    cases.add("exif-6.jpg", with_segment(pillow(image, "JPEG"), 0xe1, exif), "right")
    cases.add("cmyk.jpg", pillow(scene(31, 27, 4), "JPEG", "CMYK"), "right")
    more = [pillow_image(scene(61, 47, 3, U8, 5))]
    cases.add("two.mpo", pillow(image, "MPO", save_all=True, append_images=more), "note",
              "picture|image|frame|page")
    cases.add("two.jpg", pillow(image, "MPO", save_all=True, append_images=more), "note",
              "picture|image|frame|page")
    plain = pillow(image, "JPEG")
    cases.add("xmp-thumbnail.jpg", with_segment(plain, 0xe1, XMP_THUMBNAIL), "right|note", absent="/9j/4AAQSkZJRg")
    for kind in ("8BIM", "MeSa"):
        blocks = kind.encode() + struct.pack(">HHI", 1000, 0, 4) + b"abcd" + b"8BIM" \
            + struct.pack(">HHI", 1036, 0, 34) + bytes(28) + b"SECRET"
        cases.add(f"resource-{kind}.jpg", with_segment(plain, 0xed, b"Photoshop 3.0\0" + blocks), "right|note",
                  absent="SECRET")


def pillow_image(values):
    from PIL import Image  # pylint: disable=import-outside-toplevel
    return Image.fromarray(values)


def pngs(cases):
    image = scene(30, 22)
    for where, expected in (("before", "right"), ("after", "note")):
        cases.add(f"exif-{where}.png", png(image, **{where: [("eXIf", exif_bytes(6))]}), expected)
    frames = [scene(30, 22, 4, U8, i) for i in range(3)]
    cases.add("animated.png", apng(frames), "note", "frame|animat|image|page")
    cases.add("animated.apng", apng(frames), "note", "frame|animat|image|page")
    cases.add("gamma.png", png(image, before=[("gAMA", struct.pack(">I", 100000))]), "right|note")
    for name, data in (("empty", b""), ("spaces", b" bad  key \0text"), ("long", b"k" * 90 + b"\0text")):
        cases.add(f"keyword-{name}.png", png(image, before=[("tEXt", data)]), "right|note")
    clear = scene(30, 22, 4)
    clear[..., 3] = 0
    cases.add("transparent.png", png(clear), "right|note")
    cases.add("transparent.webp", pillow(clear, "WEBP", lossless=True, exact=True), "right|note")
    cases.add("transparent-1x1.png", png(clear[:1, :1]), "right|note")
    cases.add("transparent-grey.png", png(scene(1, 1, 1) * 0, before=[("tRNS", b"\0\0")]), "right|note")
    for name, values in (("column", scene(1, 40)), ("pixel", scene(1, 1, 1))):
        cases.add(name + ".png", png(values), "right")
    cases.add("empty.png", b"", "refused")
    cases.add("text.png", b"This is no image.\n", "refused")
    cases.add("huge.png", png(scene(1, 1))[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 30, 1 << 30, 8, 2, 0, 0, 0))
              + chunk(b"IEND"), "refused")


def others(cases):
    """Floats, animations, and files that no image library should get."""
    cases.side("rgba-float.tif", tiff([tiff_page(np.dstack((scene(20, 15, 3, F32), np.ones((15, 20), F32))),
                                                 tags={338: (SHORT, [2])})]))
    values = np.dstack((scene(20, 15, 3, F32), np.ones((15, 20), F32)))
    cases.add("alpha.exr", exr(values), HONEST, like="rgba-float.tif")
    cases.add("rgb.exr", exr(values[..., :3]), "right|refused|note|unread")
    cases.add("double.fits", fits(scene(20, 15, 1, F64)), HONEST)
    cases.add("int16.fits", fits(scene(20, 15, 1, I16)), HONEST)
    frames = [pillow_image(scene(16, 12, 1, U8, i)[..., 0] & 0xf0) for i in range(1, 60)]
    cases.add("frames.gif", pillow(scene(16, 12, 1) & 0xf0, "GIF", save_all=True, append_images=frames), "right|note")
    frames = [pillow_image(scene(32, 24, 4, U8, i)) for i in (1, 2)]
    cases.add("animated.webp", pillow(scene(32, 24, 4), "WEBP", save_all=True, append_images=frames, duration=90),
              "right|note")
    plain = svg('<rect width="12" height="20" fill="#c04020"/>')
    cases.add("plain.svg", plain, "right|note|unread")
    packed = gzip.compress(plain * 3, mtime=0)
    cases.add("cut.svgz", packed[:len(packed) * 2 // 3], "refused")
    cases.add("tail.svgz", packed + b"surplus" * 9, "refused|right|note|unread")
    cases.add("tail-of-text.jpg", gzip.compress(b"This is no image.", mtime=0) + b"surplus" * 9, "refused")
    cases.add("damaged.svgz", packed[:60] + b"\xff\0\xff" + packed[63:], "refused")
    path = cases.folder / "in.png"
    path.write_bytes(png(scene(20, 15)))
    vips("copy", path, cases.folder / "plain.v")
    data = (cases.folder / "plain.v").read_bytes()
    cases.add("plain.v", None, "refused")
    cases.add("cut.v", data[:500], "refused")
    vips("heifsave", path, cases.folder / "cut.avif", "--compression", "av1")
    data = (cases.folder / "cut.avif").read_bytes()
    path.unlink()
    cases.add("cut.avif", data[:-60], "refused")
    cases.add("damaged.avif", data[:-90] + b"\xff" * 20 + data[-70:], "refused|unread")
    cases.add("table.csv", b"1 2 3\n4 5 6\n", "refused")
    cases.add("volume.nii", nifti(scene(20, 15, 1)), "refused")
    cases.add("broken.h5", b"\x89HDF\r\n\x1a\n" + b"\0\0\0\0\0\10\10\0" + b"\xff" * 200, "refused")


def rasters(cases):
    values = scene(40, 30, 1, I16)
    path = cases.folder / "int16.vic"
    cases.add("int16.vic", lambda out: with_gdal(out, scene(40, 30, 1), "VICAR", geo=True), "right|note")
    data = path.read_bytes()
    cases.add("bytes.grb2", lambda out: with_gdal(out, scene(40, 30, 1, F32), "GRIB", geo=True), "right|note|refused")
    grib = (cases.folder / "bytes.grb2").read_bytes()
    cases.add("tail.grb2", grib + b"surplus" * 9, "right|note|refused")
    path.unlink()
    cases.rows = [row for row in cases.rows if row[0] != "int16.vic"]
    cases.add("bytes.vic", data, "right|note")
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    geo = tiff([geo_page(scene(30, 22), {34675: (UNDEFINED, list(profile))})])
    cases.add("geo-profile.tif", geo, "right|note")
    cases.add("uint16.tif", written(scene(40, 30, 1, U16), geo=True), "right")
    three = {34735: (SHORT, [1, 1, 0, 2, 1024, 0, 1, 2, 2048, 0, 1, 4979])}
    cases.add("three-dimensions.tif", tiff([geo_page(scene(30, 22, 1), three)]), "right|note")
    for sign in ("-1.#INF", "1.#INF"):
        floats = scene(20, 15, 1, F32)
        floats[3:5] = float(sign.replace("1.#", ""))
        page = tiff_page(floats, tags={42113: text(sign)})
        cases.add(f"nodata-{sign.replace('.#', '')}.tif", tiff([page]), "right|note")
    for where in ("YES", "NO"):
        out = cases.folder / f"mask-{'inside' if where == 'YES' else 'beside'}.tif"
        with_gdal(out, scene(40, 30, 3), options=["PROFILE=BASELINE", "COMPRESS=DEFLATE"])
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", where)
        dataset = gdal.Open(str(out), gdal.GA_Update)
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset.GetRasterBand(1).GetMaskBand().WriteArray((values[..., 0] > 9000).astype(U8) * 255)
        dataset = None
        cases.add(out.name, None, "right|note", opens="mask-beside.tif.msk" if where == "NO" else "")
    envi = cases.folder / "raster.dat"
    with_gdal(envi, values, "ENVI")
    cases.add("raster.dat", None, "right|note", opens="raster.hdr")
    for left in cases.folder.glob("*.aux.xml"):
        left.unlink()


def geo_page(values, tags):
    return tiff_page(values, tags={33550: (12, [10, 10, 0]), 33922: (12, [0, 0, 0, 500000, 5600000, 0]),
                                   34735: (SHORT, [1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32633]), **tags})


def hostile(cases):
    """Files that name others: /SECRET/ stands for the absolute path of a folder of secrets."""
    image = '<image width="20" height="20" xlink:href="{}"/>'
    red = '<rect width="9" height="9" fill="red"/>'
    drawings = {
        "relative": svg(image.format("secret/photo.png")), "beside": svg(image.format("secret.png") + red),
        "absolute": svg(image.format("/SECRET/photo.png") + red),
        "address": svg(image.format("http://127.0.0.1:9/photo.png") + red),
        "address-file": svg(image.format("file:///SECRET/photo.png") + red),
        "style": svg('<style>@import url("file:///SECRET/style.css");</style>' + red),
        "include": svg('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" '
                       'href="secret/text.txt"/>' + red),
        "entity": b'<!DOCTYPE svg [<!ENTITY e SYSTEM "secret/text.txt">]>' + svg("<text y='9'>&e;</text>" + red)}
    for name, data in drawings.items():
        cases.add(f"names-{name}.svg", data, "right|note|refused|unread")
    late = b'<?xml version="1.0"?>\n<!--' + b"x" * 3000 + b"-->\n" + drawings["relative"]
    cases.add("drawing.jpg", drawings["relative"], "refused")
    cases.add("late-drawing.jpg", late, "refused")
    cases.add("vectors.jpg", b"push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 0,0 '/SECRET/photo.png'\n"
              b"pop graphic-context\n", "refused")
    cases.add("script.jpg", b'<?xml version="1.0"?><image><read filename="/SECRET/photo.png"/></image>', "refused")
    cases.add("slide.jpg", b"[Virtual Microscope Specimen]\r\nNoLayers=1\r\nNoJpegColumns=1\r\nNoJpegRows=1\r\n"
              b"ImageFile=secret/photo.jpg\r\nMapFile=secret/photo.jpg\r\nOptimisationFile=\r\n"
              b"SourceLens=20\r\nPhysicalWidth=9\r\nPhysicalHeight=9\r\nLayerSpacing=1\r\n", "refused")
    band = '<VRTRasterBand dataType="Byte" band="1"{}><SourceFilename relativeToVRT="{}">{}</SourceFilename>{}'
    raw = '<ImageOffset>0</ImageOffset></VRTRasterBand>'
    vrt = '<VRTDataset rasterXSize="20" rasterYSize="15">{}</VRTDataset>'
    for name, file in (("relative", "secret/text.txt"), ("absolute", "/SECRET/text.txt")):
        data = vrt.format(band.format(' subClass="VRTRawRasterBand"', int(name == "relative"), file, raw)).encode()
        cases.add(f"dataset-{name}.jpg", data, "refused")
        (cases.folder / f"masked-{name}.tif.msk").write_bytes(data)
        cases.add(f"masked-{name}.tif", tiff([geo_page(scene(20, 15, 1), {})]), HONEST,
                  opens=f"masked-{name}.tif.msk")
    (cases.folder / "reduced.tif.ovr").write_bytes(data)
    cases.add("reduced.tif", tiff([geo_page(scene(20, 15, 1), {})]), HONEST, opens="reduced.tif.ovr")
    overview = '<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">/SECRET/photo.png</MDI>' \
               '</Metadata></PAMDataset>'
    cases.side("named-overview.tif.aux.xml", overview.encode())
    cases.add("named-overview.tif", tiff([geo_page(scene(20, 15, 1), {})]), HONEST,
              opens="named-overview.tif.aux.xml")
    cases.add("service.jpg", b'<GDAL_WMS><Service name="TMS"><ServerUrl>http://127.0.0.1:9/${z}/${x}/${y}.png'
              b'</ServerUrl></Service></GDAL_WMS>', "refused")
    cases.add("pages.pdf.jpg", pillow(scene(20, 20), "PDF"), "refused")


README = """# Files that were once treated wrongly

`tests/corpus/make_cases.py` made these files, and `cases.csv`, which says what must happen when
`cof --strength 0` gets one. `tests/cli/test_corpus.py` tests it with independent readers.

| column | meaning |
| --- | --- |
| file | the input; files without a row are siblings, or the picture that is expected |
| expected | `right`: the output is equal to the input, for lossy formats nearly; `note`: the same but for what notes of one line say; `refused`: status 1 or 2, one line that names the file, and no output; `unread`: accepted, and no independent reader knows the format |
| word | regular expression for the notes, or the line of the error |
| options | further options |
| like | a file of the expected picture, if readers do not agree on the input |
| absent | text that the output must not contain |
| opens | siblings that may be opened |

Never may a file change silently, crash, hang, or leave something behind. `/SECRET/` in a file stands
for the absolute path of a folder of secrets, none of which may be opened.
"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = Cases(pathlib.Path(sys.argv[1]))
    for part in (short_and_damaged, magick_formats, bitmaps, tiffs, jpeg2000, jpegs, pngs, others, rasters,
                 hostile):
        part(cases)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow("file expected word options like absent opens".split())
    writer.writerows(cases.rows)
    (cases.folder / "cases.csv").write_text(out.getvalue(), encoding="utf-8")
    (cases.folder / "README.md").write_text(README, encoding="utf-8")


if __name__ == "__main__":
    main()
