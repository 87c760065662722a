#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""With --strength 0, images of all formats, depths and bands come back bit by bit.

The files are written byte by byte, and the results are read with Pillow, tifffile, GDAL or by hand.
"""
import io
import itertools
import re
import subprocess
import sys
import unittest

from command import COF, ENVIRONMENT, ROOT, TIMEOUT, FolderTest, load_vips_modules, run_cof, setUpModule, vips
from rasters import gdal, np, read

sys.path.insert(0, str(ROOT / "tests" / "corpus"))
# pylint: disable=wrong-import-position
from PIL import Image
import tifffile
import encoders
# pylint: enable=wrong-import-position

WIDTH, HEIGHT = 23, 18
U8, U16, I16, U32, I32, F32, F64 = np.uint8, np.uint16, np.int16, np.uint32, np.int32, np.float32, np.float64
FITS = {U8: U8, I16: F32, I32: F64, F32: F32, F64: F64}  # libvips writes no integers with signs
KINDS = {1: "grey", 2: "grey-alpha", 3: "rgb", 4: "rgba", 5: "five"}
load_vips_modules()


def samples(bands, kind=U8, bits=0):
    """Any bits; floats are numbers. No alpha is 0: WebP loses the colours below."""
    source = np.random.default_rng(bands)
    shape = (HEIGHT, WIDTH, bands)
    if np.issubdtype(kind, np.floating):
        return source.uniform(0, 1, shape).astype(kind)
    values = source.integers(0, 256, (*shape, np.dtype(kind).itemsize), U8).view(kind)[..., 0]
    if bands in (2, 4):
        values[..., -1] |= 1
    return values >> (8 - bits) if bits else values


def from_pillow(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB") if image.mode == "P" else image)


def from_tifffile(path):
    values = tifffile.imread(path)
    return values[..., None] if values.ndim == 2 else values


def from_fits(path):
    """Planes from the first row at the bottom; of the parts of the header, only sizes and the type."""
    data, start = path.read_bytes(), 0
    header = {}
    while b"END" not in header:
        for i in range(start, start + 2880, 80):
            header[data[i:i + 8].strip()] = data[i + 10:i + 80].split(b"/")[0].strip()
        start += 2880
    shape = [int(header.get(b"NAXIS%d" % i, 1)) for i in (3, 2, 1)]
    kind = {b"8": "u1", b"16": ">i2", b"-32": ">f4", b"-64": ">f8"}[header[b"BITPIX"]]
    values = np.frombuffer(data, kind, np.prod(shape), start).reshape(shape)
    return np.moveaxis(values, 0, -1)[::-1]


def from_pfm(path):
    """libvips adds a comment."""
    form, size, order, data = re.sub(rb"#.*\n", b"", path.read_bytes(), count=1).split(b"\n", 3)
    width, height = map(int, size.split())
    values = np.frombuffer(data, "<f4" if order.startswith(b"-") else ">f4")
    return values.reshape(height, width, 3 if form == b"PF" else 1)[::-1]


def png_files():
    palette = encoders.palette_chunk(256)
    colours = np.frombuffer(palette[1], U8).reshape(-1, 3)
    clear = ("tRNS", bytes(255 - i % 200 for i in range(256)))
    for interlaced in (False, True):
        end = "-interlaced.png" if interlaced else ".png"
        for kind, bands in itertools.product((U8, U16), (1, 2, 3, 4)):
            values = samples(bands, kind)
            yield f"{kind.__name__}-{KINDS[bands]}{end}", encoders.png(values, interlaced=interlaced), values
        for bits in (1, 2, 4):
            values = samples(1, U8, bits)
            wanted = values * (255 // ((1 << bits) - 1))
            yield f"{bits}-bits{end}", encoders.png(values, bits=bits, interlaced=interlaced), wanted
        for bits in (1, 2, 4, 8):
            values = samples(1, U8, bits)
            part = palette[0], palette[1][:3 << bits]
            wanted = colours[values[..., 0]]
            yield f"palette-{bits}{end}", encoders.png(values, 3, bits, interlaced, [part]), wanted
            alpha = np.frombuffer(clear[1], U8)[values]
            data = encoders.png(values, 3, bits, interlaced, [part, (clear[0], clear[1][:1 << bits])])
            yield f"palette-alpha-{bits}{end}", data, np.dstack((wanted, alpha))


def tiff_files():
    for kind, bands, tile, order in itertools.product(
            (U8, U16, I16, U32, I32, F32, F64), (1, 2, 3, 4, 5), (0, 16), "<>"):
        values = samples(bands, kind)
        tags = {338: (encoders.SHORT, [2])} if bands in (2, 4) else {}
        page = encoders.tiff_page(values, tags=tags, tile=tile,
                                  compression=encoders.DEFLATE if tile else encoders.NONE)
        name = f"{kind.__name__}-{KINDS[bands]}-{'tiles' if tile else 'strips'}-{ord(order)}.tif"
        yield name, encoders.tiff([page], order), values
    for bits in (1, 2, 4):
        values = samples(1, U8, bits)
        out = "/vsimem/in.tif"
        target = gdal.GetDriverByName("GTiff").Create(out, WIDTH, HEIGHT, 1, gdal.GDT_Byte,
                                                      [f"NBITS={bits}", "PROFILE=BASELINE"])
        target.GetRasterBand(1).WriteArray(values[..., 0])
        del target
        file = gdal.VSIFOpenL(out, "rb")
        data = bytes(gdal.VSIFReadL(1, 1 << 20, file))
        gdal.VSIFCloseL(file)
        yield f"{bits}-bits.tif", data, values * (255 // ((1 << bits) - 1))


def plain_files():
    for kind, bands, plain in itertools.product((U8, U16), (1, 3), (False, True)):
        values = samples(bands, kind)
        suffix = ".pgm" if bands == 1 else ".ppm"
        yield f"{kind.__name__}{'-plain' * plain}{suffix}", encoders.pnm(values, plain), values
    for bands, order in itertools.product((1, 3), "<>"):
        values = samples(bands, F32)
        yield f"{KINDS[bands]}-{ord(order)}.pfm", encoders.pfm(values, order), values
    for kind, bands in itertools.product((U8, I16, I32, F32, F64), (1, 3, 5)):
        values = samples(bands, kind)
        yield f"{kind.__name__}-{KINDS[bands]}.fits", encoders.fits(values), values.astype(FITS[kind])


def coded_files():
    for bands in (3, 4):
        values, out = samples(bands), io.BytesIO()
        Image.fromarray(values).save(out, "WEBP", lossless=True, exact=True)
        yield f"{KINDS[bands]}.webp", out.getvalue(), values
    for colours in (2, 16, 255):
        values, out = samples(1)[..., 0] % colours, io.BytesIO()
        table = np.random.default_rng(1).integers(0, 256, (256, 3), U8)
        image = Image.fromarray(values, "P")
        image.putpalette(table.tobytes())
        image.save(out, "GIF")
        yield f"{colours}-colours.gif", out.getvalue(), table[values]


def files_as_tiff():
    """Of formats that are not written, or not without loss."""
    for bits in (1, 4, 8):
        values = samples(1, U8, 0 if bits == 8 else bits)
        yield f"{bits}-bits.bmp", encoders.bmp(values, bits), values * (255 // ((1 << bits) - 1))
    for bands in (3, 4):
        values = samples(bands)
        yield f"{KINDS[bands]}.bmp", encoders.bmp(values, 8 * bands), values[..., :3]  # the fourth is unused
    values = samples(4, F32).astype(np.float16).astype(F32)  # libvips reads halves
    yield "half.exr", encoders.exr(values, half=True), values


class Identity(FolderTest):
    READERS = {".png": read, ".tif": from_tifffile, ".fits": from_fits, ".pgm": read, ".ppm": read,
               ".pfm": from_pfm, ".webp": from_pillow, ".gif": from_pillow}

    def check(self, files, suffix=None):
        files = {name: (data, wanted) for name, data, wanted in files}
        for name, (data, _) in files.items():
            (self.folder / name).write_bytes(data)
        options = ["--format", suffix] if suffix else []
        done = run_cof(["--strength", "0", *options, *files, "-o", "out/"], self.folder)
        refused = set(re.findall(r"cof: out/(.*): this version of libvips writes wrong samples into grey PFM "
                                 r"files\n", done.stderr))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (min(len(refused), 1), len(refused)),
                         done.stderr)
        for name, (_, wanted) in files.items():
            if name in refused:
                continue
            with self.subTest(name):
                path = self.folder / "out" / name
                path = path.with_suffix(suffix) if suffix else path
                found = self.READERS[path.suffix](path)
                self.assertEqual((found.dtype.newbyteorder("="), found.shape), (wanted.dtype, wanted.shape))
                np.testing.assert_array_equal(found, wanted)

    def test_png(self):
        self.check(png_files())

    def test_tiff(self):
        self.check(tiff_files())

    def test_plain(self):
        self.check(plain_files())

    def test_coded(self):
        self.check(coded_files())

    def test_formats_written_as_tiff(self):
        self.check(files_as_tiff(), ".tif")

    def test_lossless_by_libvips(self):
        """JPEG XL has no other writer here."""
        for kind, bands in itertools.product((U8, U16), (1, 2, 3, 4)):
            for suffix in (".jxl", ".jp2"):
                with self.subTest(kind=kind.__name__, bands=bands, suffix=suffix):
                    values = samples(bands, kind)
                    (self.folder / "in.png").write_bytes(encoders.png(values))
                    vips("copy", self.folder / "in.png", f"{self.folder / 'made'}{suffix}[lossless]")
                    self.cof("--strength", "0", f"made{suffix}", "out.tif")
                    np.testing.assert_array_equal(from_tifffile(self.folder / "out.tif"), values)

    def test_signs(self):
        """A format without negative numbers gets none, not even as 0."""
        for kind in (np.int8, I16, I32):
            values = samples(1, kind)
            tifffile.imwrite(self.folder / "in.tif", values[..., 0])
            bits = 8 * values.itemsize
            for suffix in (".png", ".jpg", ".webp", ".ppm", ".jxl", ".gif"):
                with self.subTest(kind=kind.__name__, suffix=suffix):
                    self.assert_rejected(f"--strength 0 in.tif out{suffix}", 1,
                                         f"cof: out{suffix}: samples of {bits} bits with a "
                                         "sign cannot be written in this format")
                    self.assert_rejected(f"--strength 0 in.tif - --format {suffix}", 1,
                                         "cof: standard output: samples of")
            np.testing.assert_array_equal(from_fits(self.cof("--strength", "0", "in.tif", "out.fits")), values)

    def test_floats_to_standard_output(self):
        """As in a file, 0 to 1 are 16 bits if the format has no floats."""
        tifffile.imwrite(self.folder / "in.tif", samples(1, F32)[..., 0])
        wanted = read(self.cof("--strength", "0", "in.tif", "out.png"))
        self.assertEqual(wanted.dtype, U16)
        with open(self.folder / "stream.png", "wb") as stream:
            subprocess.run([COF, "--strength", "0", "in.tif", "-", "--format", ".png"], cwd=self.folder, stdout=stream,
                           env=ENVIRONMENT, timeout=TIMEOUT, check=True)
        np.testing.assert_array_equal(read(self.folder / "stream.png"), wanted)


if __name__ == "__main__":
    unittest.main()
