#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes small images of all formats in all their variants, whole and damaged, for corpus.py.

usage: make_files.py [--seed N] FOLDER

The same seed gives the same choice of variants. GDAL, libvips and Pillow write what encoders.py does
not; formats that they do not write here are left out, with a line that says so.
"""
import argparse
import gzip
import io
import itertools
import pathlib
import random
import sys
import tempfile

import numpy as np
from PIL import Image
from osgeo import gdal

from encoders import (DEFLATE, NONE, SHORT, apng, bmp, damaged, dds_grey, exif_bytes, exr, fits, ico,
                      nifti, palette_chunk, pfm, pnm, png, radiance, scene, steps, tga, tiff, tiff_page,
                      with_segment)
from vips_calls import call as vips

gdal.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")
U8, U16, I16, U32, I32, F32, F64 = (np.uint8, np.uint16, np.int16, np.uint32, np.int32, np.float32,
                                    np.float64)
GDAL_TYPES = {U8: gdal.GDT_Byte, U16: gdal.GDT_UInt16, I16: gdal.GDT_Int16, U32: gdal.GDT_UInt32,
              I32: gdal.GDT_Int32, F32: gdal.GDT_Float32, F64: gdal.GDT_Float64}
COMPRESSIONS = "NONE LZW PACKBITS DEFLATE ZSTD LZMA JPEG WEBP".split()
XMP_THUMBNAIL = b"""http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
xmlns:xmp="http://ns.adobe.com/xap/1.0/"><xmp:Thumbnails><rdf:Alt><rdf:li>/9j/4AAQSkZJRg==</rdf:li></rdf:Alt>
</xmp:Thumbnails></rdf:Description></rdf:RDF></x:xmpmeta>"""


class Maker:
    """Writes files into a folder, and remembers some that are to be damaged."""

    def __init__(self, folder, seed):
        self.folder, self.random, self.bases = folder, random.Random(seed), []
        self.left_out = set()

    def path(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def add(self, name, data, base=False):
        self.path(name).write_bytes(data)
        if base:
            self.bases.append((name, data))

    def attempt(self, what, make, *arguments, **options):
        """Calls a writer that may be missing, or not know this variant."""
        try:
            return make(*arguments, **options)
        except (RuntimeError, OSError, KeyError, ValueError) as problem:
            self.left_out.add(f"{what}: {' '.join(str(problem).split())[:100]}")
            return None


def pillow(values, kind, mode=None, **options):
    values = values[..., 0] if values.shape[-1] == 1 else values
    out = io.BytesIO()
    Image.fromarray(values, mode).save(out, kind, **options)
    return out.getvalue()


def with_gdal(path, values, driver="GTiff", options=(), geo=False, nodata=None):
    """Through memory for the drivers that only copy."""
    height, width, bands = values.shape
    source = gdal.GetDriverByName("MEM").Create("", width, height, bands, GDAL_TYPES[values.dtype.type])
    for i in range(bands):
        source.GetRasterBand(i + 1).WriteArray(values[..., i])
        if nodata is not None:
            source.GetRasterBand(i + 1).SetNoDataValue(nodata)
        if bands in (3, 4) and not geo:
            source.GetRasterBand(i + 1).SetColorInterpretation(gdal.GCI_RedBand + i)
    if geo:
        source.SetGeoTransform((500000, 10, 0, 5600000, 0, -10))
        source.SetProjection("EPSG:32633")
    found = gdal.GetDriverByName(driver)
    if not found:
        raise RuntimeError("GDAL has no such driver")
    found.CreateCopy(str(path), source, options=list(options), strict=0)


def tiffs_of_gdal(maker):
    """Depths x bands with all compressions and layouts."""
    kinds = [(U8, 1), (U8, 2), (U8, 4), (U8, 8), (U16, 12), (U16, 16), (I16, 16), (U32, 32), (I32, 32),
             (F32, 32), (F64, 64)]
    number = 0
    for (kind, depth), bands in itertools.product(kinds, range(1, 6)):
        for compression in ["NONE"] + maker.random.sample(COMPRESSIONS[1:], 2):
            if compression in ("JPEG", "WEBP") and ((kind, depth) != (U8, 8) or bands not in (3, 4)):
                compression = "LZW"
            number += 1
            width, height = maker.random.choice([(40, 33), (64, 48), (17, 21)])
            values = scene(width, height, bands, kind, number)
            values = values >> (8 * values.itemsize - depth) if depth in (1, 2, 4, 12) else values
            options = ["PROFILE=BASELINE", f"COMPRESS={compression}"]
            options += [f"NBITS={depth}"] if depth in (1, 2, 4, 12) else []
            options += maker.random.choice([[], ["TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"],
                                            ["BLOCKYSIZE=5"]])
            options += maker.random.choice([[], ["INTERLEAVE=BAND"]]) if compression != "WEBP" else []
            options += maker.random.choice([[], ["ENDIANNESS=BIG"]])
            options += maker.random.choice([[], ["BIGTIFF=YES"]])
            if compression in ("LZW", "DEFLATE", "ZSTD") and depth in (8, 16, 32, 64):
                options += [f"PREDICTOR={3 if kind in (F32, F64) else maker.random.choice([1, 2])}"]
            alpha = maker.random.choice(["NO", "YES", "PREMULTIPLIED"])
            if bands in (2, 4):
                options += [f"ALPHA={alpha}"]
            if bands in (2, 4) and alpha == "PREMULTIPLIED":
                values = np.minimum(values, values[..., -1:])
            name = f"tiff/{kind.__name__}-{depth}-{bands}-{compression.lower()}-{number}.tif"
            maker.attempt(name, with_gdal, maker.path(name), values, options=options)


def tiffs(maker):
    tiffs_of_gdal(maker)
    for orientation, kind in itertools.product(range(1, 9), (U8, U16)):
        page = tiff_page(scene(24, 17, 3, kind), tags={274: (SHORT, [orientation])})
        maker.add(f"tiff/orientation-{orientation}-{kind.__name__}.tif", tiff([page]), orientation == 6)
    for kind, order, big, planar, tile, compression in itertools.product(
            (U8, U16, F32), "<>", (False, True), (False, True), (0, 16), (NONE, DEFLATE)):
        page = tiff_page(scene(33, 20, 3, kind), planar=planar, tile=tile, compression=compression)
        name = f"tiff/layout-{kind.__name__}-{'II' if order == '<' else 'MM'}{'-big' if big else ''}" \
               f"{'-planar' if planar else ''}-{tile}-{compression}.tif"
        maker.add(name, tiff([page], order, big), kind == U8 and order == "<" and not big)
    for count, alpha in itertools.product((2, 3, 10), (0, 1, 2)):
        values = [scene(24, 17, 4, U8, i) for i in range(count)]
        for frame in values if alpha == 1 else []:
            frame[..., :3] = np.minimum(frame[..., :3], frame[..., 3:])
        pages = [tiff_page(frame, tags={338: (SHORT, [alpha])}) for frame in values]
        maker.add(f"tiff/pages-{count}-extra-{alpha}.tif", tiff(pages), count == 3 and alpha == 2)
    for name, page in {
            "grey-white-is-0": tiff_page(scene(20, 20, 1), 0),
            "cmyk": tiff_page(scene(20, 20, 4), 5),
            "ycbcr": tiff_page(scene(20, 20, 3), 6, {530: (SHORT, [1, 1])}),
            "palette": tiff_page(scene(20, 20, 1), 3, {320: (SHORT, [i * 85 % 65536 for i in range(768)])})
            }.items():
        maker.attempt(name, lambda n, p: maker.add(f"tiff/{n}.tif", tiff([p])), name, page)
    maker.add("tiff/dpi.tif", pillow(scene(20, 20), "TIFF", dpi=(254, 254)))
    different = [tiff_page(scene(20, 20)), tiff_page(scene(30, 10, 1, U16))]
    maker.add("tiff/pages-differ.tif", tiff(different), True)


def pngs(maker):
    for colour_type, bits, interlaced in itertools.product((0, 2, 3, 4, 6), (1, 2, 4, 8, 16), (False, True)):
        if (bits < 8 and colour_type in (2, 4, 6)) or (bits == 16 and colour_type == 3):
            continue
        bands = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour_type]
        for width, height in ((37, 22), (1, 9), (5, 1)):
            values = scene(width, height, bands, U16 if bits == 16 else U8, bits)
            values = steps(values, bits) if bits < 8 else values
            before = [palette_chunk(1 << bits)] if colour_type == 3 else []
            name = f"png/{colour_type}-{bits}{'-interlaced' if interlaced else ''}-{width}x{height}"
            maker.add(name + ".png", png(values, colour_type, bits, interlaced, before), width == 37
                      and bits in (8, 16, 1))
            if colour_type in (0, 2, 3):
                clear = bytes(range(0, 256, 64))[:1 << bits] if colour_type == 3 else bytes(2 * bands)
                maker.add(name + "-trns.png", png(values, colour_type, bits, interlaced,
                                                  before + [("tRNS", clear)]))
    image = scene(32, 24)
    for number in range(1, 9):
        maker.add(f"png/exif-{number}.png", png(image, before=[("eXIf", exif_bytes(number))]), number == 8)
        maker.add(f"png/exif-after-{number}.png", png(image, after=[("eXIf", exif_bytes(number))]))
    chunks = {
        "gamma-1": ("gAMA", (100000).to_bytes(4, "big")), "gamma-2.2": ("gAMA", (45455).to_bytes(4, "big")),
        "chrm": ("cHRM", b"".join(v.to_bytes(4, "big") for v in (31270, 32900, 64000, 33000, 30000, 60000,
                                                                 15000, 6000))),
        "text": ("tEXt", b"Title\0a title"), "bad-keyword": ("tEXt", b" bad  key \0text"),
        "empty-text": ("tEXt", b""), "dpi": ("pHYs", b"\0\0\x1f\xff\0\0\x1f\xff\1"), "time": ("tIME", bytes(7)),
        "background": ("bKGD", bytes(6)), "unknown": ("qqQq", b"12345"), "critical": ("QQQQ", b"12345")}
    for name, item in chunks.items():
        maker.add(f"png/before-{name}.png", png(image, before=[item]))
        maker.add(f"png/after-{name}.png", png(image, after=[item]))
    for count in (1, 2, 5):
        frames = [scene(32, 24, 4, seed=i) for i in range(count)]
        maker.add(f"png/animated-{count}.png", apng(frames), count == 2)
    maker.add("png/animated.apng", apng([scene(32, 24, 3, seed=i) for i in range(3)]))


def jpegs(maker):
    colour, grey = scene(61, 47), scene(61, 47, 1)
    for quality, sampling, progressive in itertools.product((1, 30, 75, 100), (0, 1, 2), (False, True)):
        data = pillow(colour, "JPEG", quality=quality, subsampling=sampling, progressive=progressive)
        maker.add(f"jpeg/rgb-{quality}-{sampling}{'-progressive' if progressive else ''}.jpg", data,
                  quality == 75 and sampling == 2)
    maker.add("jpeg/grey.jpg", pillow(grey, "JPEG"), True)
    maker.add("jpeg/cmyk.jpg", pillow(scene(61, 47, 4), "JPEG", "CMYK"), True)
    maker.add("jpeg/dpi.jpg", pillow(colour, "JPEG", dpi=(300, 300)))
    maker.add("jpeg/large-tables.jpg", pillow(colour, "JPEG", qtables=[[400] * 64, [500] * 64]), True)
    maker.add("jpeg/restart.jpg", pillow(colour, "JPEG", optimize=True, comment=b"a comment"))
    small = pillow(scene(16, 12), "JPEG")
    for number in range(1, 9):
        exif = b"Exif\0\0" + exif_bytes(number, small if number % 2 else b"", "<>"[number % 2])
        maker.add(f"jpeg/exif-{number}.jpg", with_segment(pillow(colour, "JPEG"), 0xe1, exif), number == 5)
    plain = pillow(colour, "JPEG", quality=90)
    maker.add("jpeg/xmp-thumbnail.jpg", with_segment(plain, 0xe1, XMP_THUMBNAIL), True)
    maker.add("jpeg/comment.jpg", with_segment(plain, 0xfe, b"a comment"))
    maker.add("jpeg/empty-segment.jpg", with_segment(plain, 0xe2, b""))
    more = [Image.fromarray(scene(61, 47, 3, seed=i)) for i in (1, 2)]
    maker.add("jpeg/two.mpo", pillow(colour, "MPO", save_all=True, append_images=more[:1]), True)
    maker.add("jpeg/three.jpg", pillow(colour, "MPO", save_all=True, append_images=more))


def animations(maker):
    """WebP and GIF."""
    for bands, lossless, quality in itertools.product((3, 4), (False, True), (20, 90)):
        maker.add(f"webp/{bands}-{lossless}-{quality}.webp".lower(),
                  pillow(scene(45, 31, bands), "WEBP", lossless=lossless, quality=quality, exact=True),
                  quality == 90)
    for number in range(1, 9):
        maker.add(f"webp/exif-{number}.webp",
                  pillow(scene(45, 31), "WEBP", exif=b"Exif\0\0" + exif_bytes(number)))
    for bands, count in itertools.product((3, 4), (2, 5)):
        more = [Image.fromarray(scene(40, 30, bands, seed=i)) for i in range(1, count)]
        for lossless in (False, True):
            maker.add(f"webp/animated-{bands}-{count}-{lossless}.webp".lower(), pillow(
                scene(40, 30, bands), "WEBP", save_all=True, append_images=more, duration=80, loop=3,
                lossless=lossless), count == 2)
    for count, disposal in itertools.product((1, 2, 6), (0, 1, 2)):
        frames = [Image.fromarray(steps(scene(40, 30, 1, seed=i), 4)[..., 0] * 16) for i in range(count)]
        for transparent in (None, 0):
            out, extra = io.BytesIO(), {} if transparent is None else {"transparency": transparent}
            frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=70, loop=0,
                           disposal=disposal, **extra)
            name = f"gif/{count}-{disposal}{'-transparent' if extra else ''}.gif"
            maker.add(name, out.getvalue(), disposal == 1)
    colour = Image.fromarray(scene(40, 30)).quantize(64)
    for interlace in (0, 1):
        out = io.BytesIO()
        colour.save(out, "GIF", interlace=interlace)
        maker.add(f"gif/colour-{interlace}.gif", out.getvalue(), True)


def plain_formats(maker):
    """BMP, PNM, TGA and the like."""
    for bits, down, width in itertools.product((1, 4, 8, 24, 32), (False, True), (32, 33)):
        values = steps(scene(width, 19, 1), bits) if bits <= 8 else scene(width, 19, bits // 8)
        maker.add(f"bmp/{bits}-{width}{'-down' if down else ''}.bmp", bmp(values, bits, top_down=down),
                  width == 33)
    maker.add("bmp/rle.bmp", bmp(steps(scene(33, 19, 1), 4), 8, rle=True), True)
    for width, plain, bands, top in itertools.product((1, 7, 8, 33), (False, True), (1, 3), (1, 255, 65535)):
        if top == 1 and bands == 3:
            continue
        values = scene(width, 19, bands, U16 if top > 255 else U8)
        values = steps(values, 1) if top == 1 else values
        suffix = "pbm" if top == 1 else "pgm" if bands == 1 else "ppm"
        maker.add(f"pnm/{width}-{top}{'-plain' if plain else ''}.{suffix}", pnm(values, plain, top=top),
                  width == 33)
        if top == 1 and plain:
            maker.add(f"pnm/{width}-joined.pbm", pnm(values, plain, False, top))
    maker.add("pnm/top-85.pgm", pnm(scene(20, 20, 1) // 3, top=85))
    for bands, order in itertools.product((1, 3), "<>"):
        maker.add(f"pnm/{bands}-{'little' if order == '<' else 'big'}.pfm",
                  pfm(scene(20, 15, bands, F32), order), True)
    for bands, down in itertools.product((1, 2, 3, 4), (False, True)):
        maker.add(f"tga/{bands}{'-down' if down else ''}.tga", tga(scene(25, 18, bands), down), down)
        maker.attempt("TGA with runs", lambda b, d: maker.add(f"tga/{b}-rle-{d}.tga".lower(), pillow(
            scene(25, 18, b) & 0xf0, "TGA", compression="tga_rle", orientation=-1 if d else 1)), bands, down)
    for kind, bands in itertools.product((U8, I16, I32, F32, F64), (1, 3, 5)):
        maker.add(f"fits/{kind.__name__}-{bands}.fits", fits(scene(20, 15, bands, kind)), bands == 1)
    for kind in (U8, I16, F32):
        maker.add(f"nifti/{kind.__name__}.nii", nifti(scene(20, 15, 1, kind)), kind == U8)
        maker.add(f"nifti/{kind.__name__}.nii.gz", gzip.compress(nifti(scene(20, 15, 1, kind))))
    maker.add("radiance/flat.hdr", radiance(scene(20, 15, 3, F32)), True)
    for bands, half in itertools.product((1, 3, 4), (False, True)):
        maker.add(f"exr/{bands}{'-half' if half else ''}.exr", exr(scene(20, 15, bands, F32), half),
                  bands > 1)
    for bands in (1, 3):
        parts = [(size, size, png(scene(size, size, bands))) for size in (16, 32)]
        maker.add(f"icon/one-{bands}.ico", ico(parts[:1]), True)
        maker.add(f"icon/two-{bands}.ico", ico(parts))
    maker.add("dds/grey.dds", dds_grey(scene(20, 15, 1)), True)
    for kind, suffix in (("PCX", "pcx"), ("SGI", "sgi"), ("IM", "im"), ("DDS", "dds"), ("ICNS", "icns"),
                         ("SPIDER", "spi"), ("EPS", "eps"), ("PDF", "pdf")):
        for bands in (1, 3):
            data = maker.attempt(kind, pillow, scene(32, 32, bands), kind)
            if data:
                maker.add(f"other/{bands}.{suffix}", data, bands == 3)


def coded_formats(maker):
    """Formats that libvips and Pillow write: JPEG 2000, HEIC, AVIF and JPEG XL."""
    with tempfile.TemporaryDirectory(prefix="cof-corpus-") as folder:
        for kind, bands in itertools.product((U8, U16), (1, 2, 3, 4)):
            source = pathlib.Path(folder, "in.png")
            source.write_bytes(png(scene(48, 32, bands, kind)))
            for suffix, options in ((".jxl", "[lossless]"), (".jxl", ""), (".heic", ""), (".avif", "[effort=1]"),
                                    (".jp2", "[lossless]"), (".j2k", "[lossless]"), (".jp2", "")):
                target = pathlib.Path(folder, "out" + suffix)
                name = f"coded/{kind.__name__}-{bands}{'-lossless' if 'loss' in options else ''}{suffix}"
                if maker.attempt(f"{suffix} {kind.__name__}", vips, "copy", source,
                                 f"{target}{options}") is None and target.exists():
                    maker.add(name, target.read_bytes(), bands in (3, 4) and kind == U8)
                    target.unlink()
    for resolutions, size in itertools.product((1, 2, 5), (32, 64)):
        data = maker.attempt("JPEG 2000", pillow, scene(size, size), "JPEG2000", num_resolutions=resolutions)
        if data:
            maker.add(f"coded/resolutions-{resolutions}-{size}.jp2", data, True)


def svg(body, size=20):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'width="{size}" height="{size}">{body}</svg>').encode()


def drawings(maker):
    """SVG, also with names of other files; none may be read."""
    (maker.path("svg/secret.png")).write_bytes(png(scene(20, 20)))
    plain = svg('<rect width="12" height="20" fill="#c04020"/><circle cx="12" cy="9" r="6"/>')
    image = '<image width="20" height="20" xlink:href="{}"/>'
    files = {"plain.svg": plain, "image.svg": svg(image.format("secret.png")),
             "absolute.svg": svg(image.format((maker.folder / "svg/secret.png").resolve())),
             "address.svg": svg(image.format("http://127.0.0.1:9/secret.png")),
             "style.svg": svg('<style>@import url("secret.css");</style><rect width="9" height="9"/>'),
             "include.svg": svg('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" '
                                'href="secret.png"/><rect width="9" height="9"/>'),
             "entity.svg": b'<!DOCTYPE svg [<!ENTITY e SYSTEM "secret.png">]>' + svg("<text>&e;</text>")}
    for name, data in files.items():
        maker.add(f"svg/{name}", data, name == "plain.svg")
        maker.add(f"svg/named-{name[:-4]}.jpg", data)
        maker.add(f"svg/late-{name[:-4]}.png", data.replace(b"<svg", b"<!--" + b"x" * 3000 + b"--><svg", 1))
    maker.add("svg/plain.svgz", gzip.compress(plain, mtime=0), True)


def rasters(maker):
    """Files with a position, masks and siblings."""
    values = scene(40, 30, 3, U16)
    for driver, suffix, options in (
            ("GTiff", "tif", []), ("GTiff", "tif", ["TFW=YES", "PROFILE=BASELINE"]), ("COG", "tif", []),
            ("GTiff", "tif", ["COMPRESS=LERC"]), ("HFA", "img", []), ("HFA", "img", ["COMPRESSED=YES"]),
            ("ENVI", "dat", []), ("ENVI", "bsq", ["INTERLEAVE=BIP"]), ("EHdr", "bil", []), ("ERS", "ers", []),
            ("PCIDSK", "pix", []), ("VICAR", "vic", []), ("ISIS3", "cub", []), ("PDS4", "xml", []),
            ("SAGA", "sdat", []), ("RMF", "rsw", []), ("NITF", "ntf", []), ("PNG", "png", ["WORLDFILE=YES"]),
            ("JPEG", "jpg", ["WORLDFILE=YES"]), ("JP2OpenJPEG", "jp2", ["REVERSIBLE=YES", "QUALITY=100"]),
            ("netCDF", "nc", []), ("GRIB", "grb2", []), ("BT", "bt", []), ("AAIGrid", "asc", []),
            ("XYZ", "xyz", []), ("MRF", "mrf", []), ("KRO", "kro", []), ("GSBG", "grd", []),
            ("RST", "rst", []), ("ILWIS", "mpr", []), ("DTED", "dt0", []), ("SRTMHGT", "hgt", [])):
        for bands, kind in ((1, U8), (1, I16), (1, F32), (3, U16)):
            data = scene(40, 30, bands, kind)
            name = f"geo/{driver}-{bands}-{kind.__name__}-{len(options)}.{suffix}"
            maker.attempt(driver, with_gdal, maker.path(name), data, driver, options, True,
                          0 if bands == 1 else None)
            if bands == 1 and kind == I16 and (maker.folder / name).exists():
                maker.bases.append((name, (maker.folder / name).read_bytes()))
    for internal in ("YES", "NO"):
        path = maker.path(f"geo/mask-{internal.lower()}.tif")
        with_gdal(path, values, geo=True)
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", internal)
        dataset = gdal.Open(str(path), gdal.GA_Update)
        dataset.CreateMaskBand(gdal.GMF_PER_DATASET)
        dataset.GetRasterBand(1).GetMaskBand().WriteArray((values[..., 0] > 20000).astype(U8) * 255)
        dataset = None
    gdal.BuildVRT(str(maker.path("geo/mosaic.vrt")), [str(maker.folder / "geo" / "mask-yes.tif")])


def tiny(maker):
    """Nothing, one pixel, one row, one column."""
    for suffix in "png jpg tif webp gif bmp ppm pgm hdr fits exr tga svg svgz jp2 heic avif jxl vrt img".split():
        maker.add(f"tiny/empty.{suffix}", b"")
        maker.add(f"tiny/text.{suffix}", b"This is no image.\n")
    for (width, height), bands in itertools.product(((1, 1), (64, 1), (1, 64), (2, 2)), (1, 3, 4)):
        values, name = scene(width, height, bands), f"tiny/{width}x{height}-{bands}"
        maker.add(name + ".png", png(values))
        maker.add(name + ".tif", tiff([tiff_page(values, tags={338: (SHORT, [2])} if bands == 4 else {})]))
        maker.add(name + ".webp", pillow(scene(width, height, max(bands, 3)), "WEBP", lossless=True))
        maker.add(name + ".tga", tga(values))
        if bands < 4:
            maker.add(name + ".jpg", pillow(values, "JPEG"))
            maker.add(name + ".ppm" if bands == 3 else name + ".pgm", pnm(values))
            maker.add(name + ".gif", pillow(values, "GIF"))
    clear = scene(20, 16, 4)
    clear[..., 3] = 0
    maker.add("tiny/transparent.png", png(clear))
    maker.add("tiny/black.png", png(scene(20, 16) * 0))
    maker.add("tiny/white.png", png(scene(20, 16) * 0 + 255))


def damage_all(maker):
    for number, (name, data) in enumerate(maker.bases):
        path = pathlib.PurePath(name)
        for way, changed in damaged(data, number):
            maker.add(f"damaged/{path.parent.name}-{path.stem}-{way}{path.suffix}", changed)


def make_all(folder, seed):
    maker = Maker(folder, seed)
    for part in (tiffs, pngs, jpegs, animations, plain_formats, coded_formats, drawings, rasters, tiny,
                 damage_all):
        part(maker)
    return maker


def main():
    parser = argparse.ArgumentParser(description="Makes images of all formats, whole and damaged.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    maker = make_all(arguments.folder, arguments.seed)
    for line in sorted(maker.left_out):
        print(f"left out: {line}", file=sys.stderr)
    count = sum(path.is_file() for path in arguments.folder.rglob("*"))
    print(f"{count} files in {arguments.folder}")


if __name__ == "__main__":
    main()
