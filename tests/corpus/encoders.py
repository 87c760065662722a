# SPDX-License-Identifier: BSD-2-Clause
"""Writes images of many formats byte by byte, so that each field can have any value, also a wrong one."""
import io
import itertools
import pathlib
import random
import struct
import sys
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
# pylint: disable=wrong-import-position, unused-import
from tiff_files import TYPES, ASCII, BYTE, DEFLATE, DOUBLE, LONG, NONE, SHORT, Page, text, write_tiff
# pylint: enable=wrong-import-position, unused-import

UNDEFINED = 7
TYPES[UNDEFINED] = "B"
FULL = {np.uint8: 255, np.uint16: 65535, np.int16: 30000, np.uint32: 4e9, np.int32: 2e9, np.float32: 1,
        np.float64: 1}
CODES = {np.uint8: "B", np.uint16: "H", np.int16: "h", np.uint32: "I", np.int32: "i", np.float32: "f",
         np.float64: "d"}


def scene(width, height, bands=3, kind=np.uint8, seed=0):
    """Two regions with a slope and a little noise: height x width x bands."""
    source = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width] / max(width, height)
    base = np.where(x + 2 * y < 1.2, 0.2 + 0.4 * x, 0.9 - 0.4 * y)[..., None]
    shift = 0.15 * np.sin(2 * np.arange(bands) + seed)
    values = base * 0.8 + shift + source.normal(0, 0.015, (height, width, bands)) + 0.1
    values = np.clip(values, 0, 1)
    return (values * FULL[kind]).astype(kind)


def steps(values, bits):
    """8-bit samples as samples of fewer bits."""
    return values >> (8 - bits)


def packed(rows, bits):
    """Samples of less than 8 bits, the first one in the highest bits of a byte; rows end at bytes."""
    ones = (rows[..., None].astype(np.uint8) >> np.arange(bits - 1, -1, -1, dtype=np.uint8)) & 1
    return np.packbits(ones.reshape(rows.shape[0], -1), axis=1)


# TIFF

def tiff(pages, order="<", big=False):
    out = io.BytesIO()
    out.write_bytes = out.write
    write_tiff(out, pages, order, big)
    return out.getvalue()


def tiff_page(values, photometric=None, tags=None, **how):
    height, width, bands = values.shape
    if photometric is None:
        photometric = 2 if bands >= 3 else 1
    how = {"planar": False, "rows": 16, **how}
    return Page(width, height, bands, CODES[values.dtype.type], values.ravel().tolist(),
                photometric=photometric, tags=tags or {}, **how)


def set_tag(data, number, value, index=0):
    """A little-endian classic TIFF whose first page has another value in a tag (a word or more)."""
    data = bytearray(data)
    at = struct.unpack_from("<I", data, 4)[0]
    for i in range(struct.unpack_from("<H", data, at)[0]):
        entry = at + 2 + 12 * i
        tag, kind, count = struct.unpack_from("<HHI", data, entry)
        if tag == number:
            code, size = {1: ("B", 1), 3: ("H", 2), 4: ("I", 4)}[kind]
            place = entry + 8 if size * count <= 4 else struct.unpack_from("<I", data, entry + 8)[0]
            struct.pack_into("<" + code, data, place + size * index, value)
            return bytes(data)
    raise KeyError(number)


def set_count(data, number, count):
    """The same, with another number of values in the entry."""
    data = bytearray(data)
    at = struct.unpack_from("<I", data, 4)[0]
    for i in range(struct.unpack_from("<H", data, at)[0]):
        if struct.unpack_from("<H", data, at + 2 + 12 * i)[0] == number:
            struct.pack_into("<I", data, at + 6 + 12 * i, count)
    return bytes(data)


# PNG

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_TYPES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # colour type -> samples of a pixel
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(name, data=b""):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_rows(values, bits):
    rows = values.reshape(values.shape[0], -1)
    data = rows.astype(">u2").view(np.uint8) if bits == 16 else packed(rows, bits)
    return b"".join(b"\0" + row.tobytes() for row in data)


def png_data(values, bits, interlaced=False):
    if not interlaced:
        return zlib.compress(png_rows(values, bits))
    parts = [values[y::dy, x::dx] for x, y, dx, dy in ADAM7]
    return zlib.compress(b"".join(png_rows(part, bits) for part in parts if part.size))


def png(values, colour_type=None, bits=None, interlaced=False, before=(), after=()):
    """Chunks are (name, data), before and after the image data."""
    height, width, bands = values.shape
    if colour_type is None:
        colour_type = {1: 0, 2: 4, 3: 2, 4: 6}[bands]
    bits = bits or 8 * values.dtype.itemsize
    header = struct.pack(">IIBBBBB", width, height, bits, colour_type, 0, 0, interlaced)
    parts = [("IHDR", header), *before, ("IDAT", png_data(values, bits, interlaced)), *after, ("IEND", b"")]
    return PNG_SIGNATURE + b"".join(chunk(name.encode("latin-1"), data) for name, data in parts)


def palette_chunk(count):
    """From dark red to light blue."""
    slope = np.linspace(0, 1, count)[:, None]
    return ("PLTE", ((1 - slope) * [90, 20, 10] + slope * [200, 230, 255]).astype(np.uint8).tobytes())


def apng(frames):
    """An animation whose first frame is the default image."""
    height, width, _ = frames[0].shape
    control = [struct.pack(">IIIIIHHBB", 0, width, height, 0, 0, 1, 10, 0, 0)]
    number, after = 1, []
    for frame in frames[1:]:
        after.append(("fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1, 10, 0, 0)))
        after.append(("fdAT", struct.pack(">I", number + 1) + png_data(frame, 8)))
        number += 2
    return png(frames[0], before=[("acTL", struct.pack(">II", len(frames), 0)), ("fcTL", control[0])],
               after=after)


def exif_bytes(orientation=1, thumbnail=b"", order=">"):
    """A TIFF structure with the orientation, and a thumbnail in a second directory."""
    head = (b"MM" if order == ">" else b"II") + struct.pack(order + "HI", 42, 8)
    entries = struct.pack(order + "HHHIHH", 1, 274, 3, 1, orientation, 0)
    if not thumbnail:
        return head + entries + struct.pack(order + "I", 0)
    second = 8 + len(entries) + 4
    data_at = second + 2 + 3 * 12 + 4
    directory = struct.pack(order + "H", 3) + struct.pack(order + "HHIHH", 259, 3, 1, 6, 0) \
        + struct.pack(order + "HHII", 513, 4, 1, data_at) \
        + struct.pack(order + "HHII", 514, 4, 1, len(thumbnail)) + struct.pack(order + "I", 0)
    return head + entries + struct.pack(order + "I", second) + directory + thumbnail


def with_segment(jpeg, marker, payload):
    """A JPEG with another segment behind its first marker."""
    return jpeg[:2] + struct.pack(">BBH", 0xff, marker, len(payload) + 2) + payload + jpeg[2:]


# Formats without compression

def pnm(values, plain=False, separated=True, top=None):
    """PBM (top 1), PGM or PPM."""
    height, width, bands = values.shape
    top = top or (255 if values.dtype == np.uint8 else 65535)
    kind = {1: 2, 3: 3}[bands] - (top == 1)
    head = f"P{kind + (0 if plain else 3)}\n{width} {height}\n" + (f"{top}\n" if top > 1 else "")
    rows = values.reshape(height, -1)
    if plain:
        body = "\n".join((" " if separated else "").join(map(str, row)) for row in rows) + "\n"
        return (head + body).encode()
    data = packed(rows, 1) if top == 1 else rows.astype(">u2" if top > 255 else np.uint8)
    return head.encode() + data.tobytes()


def pfm(values, order="<"):
    height, width, bands = values.shape
    head = f"{'PF' if bands == 3 else 'Pf'}\n{width} {height}\n{'-1.0' if order == '<' else '1.0'}\n"
    return head.encode() + values[::-1].astype(order + "f4").tobytes()


def rle8(row):
    """Pairs of count and value, at most 255 each."""
    out, i = b"", 0
    while i < len(row):
        count = 1
        while i + count < len(row) and row[i + count] == row[i] and count < 255:
            count += 1
        out += bytes((count, row[i]))
        i += count
    return out + b"\0\0"


def bmp(values, bits=24, rle=False, top_down=False):
    """Indices into a grey palette up to 8 bits, else BGR or BGRA."""
    height, width, _ = values.shape
    rows = values if top_down else values[::-1]
    palette = b""
    if bits <= 8:
        palette = b"".join(bytes([255 * i // ((1 << bits) - 1)] * 3 + [0]) for i in range(1 << bits))
        data = packed(rows[..., 0], bits)
    else:
        data = rows[..., [2, 1, 0, 3][:bits // 8]].reshape(height, -1)
    if rle:
        body = b"".join(rle8(bytes(row)) for row in rows[..., 0]) + b"\0\1"
    else:
        body = np.pad(data, ((0, 0), (0, -data.shape[1] % 4))).tobytes()
    at = 54 + len(palette)
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", at + len(body), 0, 0, at, 40, width,
                               -height if top_down else height, 1, bits, int(rle), len(body), 2835, 2835,
                               len(palette) // 4, 0) + palette + body


def gif(values, end=True):
    """16 greys; each code is that of a pixel, and the table is cleared before codes get longer."""
    height, width, _ = values.shape
    codes = []
    for i, index in enumerate((values[..., 0] >> 4).ravel().tolist()):
        codes += ([16] if i % 8 == 0 else []) + [index]
    bits = "".join(f"{code:05b}"[::-1] for code in codes + ([17] if end else []))
    data = bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))
    blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255))
    palette = b"".join(bytes([17 * i] * 3) for i in range(16))
    return (b"GIF89a" + struct.pack("<HHBBB", width, height, 0x83, 0, 0) + palette + b","
            + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\4" + blocks + b"\0;")


def pdf(sizes):
    """Pages of these sizes, each with a square."""
    kids = " ".join(f"{3 + 2 * i} 0 R" for i in range(len(sizes)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(sizes)}>>"]
    for i, (width, height) in enumerate(sizes):
        drawing = f"1 0 0 rg {i} {i} 20 20 re f"
        objects += [f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents {4 + 2 * i} 0 R>>",
                    f"<</Length {len(drawing)}>>stream\n{drawing}\nendstream"]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{body}endobj\n".encode()
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (data + b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1) + table
            + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(places) + 1, len(data)))


def tga(values, top_down=True):
    """Grey, grey and alpha, BGR or BGRA."""
    height, width, bands = values.shape
    order = {1: [0], 2: [0, 1], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[bands]
    flags = (0x20 if top_down else 0) | (8 if bands in (2, 4) else 0)
    head = struct.pack("<BBBHHBHHHHBB", 0, 0, 3 if bands < 3 else 2, 0, 0, 0, 0, 0, width, height, 8 * bands,
                       flags)
    return head + (values if top_down else values[::-1])[..., order].tobytes() + \
        struct.pack("<II", 0, 0) + b"TRUEVISION-XFILE.\0"


def dds_grey(values):
    """Luminance of 8 bits without compression."""
    height, width, _ = values.shape
    pixel_format = struct.pack("<IIIIIIII", 32, 0x20000, 0, 8, 0xff, 0, 0, 0)
    return b"DDS " + struct.pack("<IIIIIII", 124, 0x100f, height, width, width, 0, 0) + bytes(44) + \
        pixel_format + struct.pack("<IIIII", 0x1000, 0, 0, 0, 0) + values.tobytes()


def ico(pictures):
    """PNG files as (width, height, data)."""
    at, entries = 6 + 16 * len(pictures), b""
    for width, height, data in pictures:
        entries += struct.pack("<BBBBHHII", width, height, 0, 0, 1, 32, len(data), at)
        at += len(data)
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(data for *_, data in pictures)


def fits(values):
    """Bands are the third axis; rows go upwards."""
    height, width, bands = values.shape
    kind = {np.uint8: (8, "u1"), np.int16: (16, ">i2"), np.int32: (32, ">i4"), np.float32: (-32, ">f4"),
            np.float64: (-64, ">f8")}[values.dtype.type]
    sizes = [width, height] + ([bands] if bands > 1 else [])
    cards = ["SIMPLE  =                    T", f"BITPIX  = {kind[0]:20}", f"NAXIS   = {len(sizes):20}"]
    cards += [f"NAXIS{i + 1}  = {size:20}" for i, size in enumerate(sizes)] + ["END"]
    head = "".join(card.ljust(80) for card in cards).encode()
    body = np.moveaxis(values[::-1], -1, 0).astype(kind[1]).tobytes()
    return head.ljust(-len(head) % 2880 + len(head)) + body.ljust(-len(body) % 2880 + len(body), b"\0")


def nifti(values):
    """One slice in a file .nii."""
    height, width, _ = values.shape
    code = {np.uint8: 2, np.int16: 4, np.float32: 16}[values.dtype.type]
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3, width, height, 1, 1, 1, 1, 1)
    struct.pack_into("<hh", head, 70, code, 8 * values.dtype.itemsize)
    struct.pack_into("<9f", head, 76, 1, 1, 1, 1, 1, 1, 1, 1, 352)
    head[344:348] = b"n+1\0"
    return bytes(head) + values.tobytes()


def radiance(values):
    """RGBE without run lengths."""
    height, width, _ = values.shape
    high = np.maximum(values.max(-1), 1e-30)
    exponent = np.floor(np.log2(high)) + 1
    mantissa = np.clip(values / 2.0 ** exponent[..., None] * 256, 0, 255).astype(np.uint8)
    pixels = np.concatenate((mantissa, (exponent + 128).astype(np.uint8)[..., None]), -1)
    return f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n".encode() + pixels.tobytes()


def exr(values, half=False, parts=1):
    """OpenEXR in rows without compression; bands are Y, RGB or RGBA. All parts are the same."""
    height, width, bands = values.shape
    names = {1: "Y", 3: "RGB", 4: "RGBA"}[bands]
    order = sorted(range(bands), key=lambda i: names[i])

    def attribute(name, kind, data):
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(data)) + data

    channels = b"".join(names[i].encode() + b"\0" + struct.pack("<IBBBBII", 1 if half else 2, 0, 0, 0, 0, 1, 1)
                        for i in order) + b"\0"
    box = struct.pack("<4i", 0, 0, width - 1, height - 1)
    head = attribute("channels", "chlist", channels) \
        + attribute("compression", "compression", b"\0") + attribute("dataWindow", "box2i", box) \
        + attribute("displayWindow", "box2i", box) + attribute("lineOrder", "lineOrder", b"\0") \
        + attribute("pixelAspectRatio", "float", struct.pack("<f", 1)) \
        + attribute("screenWindowCenter", "v2f", bytes(8)) \
        + attribute("screenWindowWidth", "float", struct.pack("<f", 1))
    if parts > 1:
        head += attribute("type", "string", b"scanlineimage") + attribute("chunkCount", "int", struct.pack("<I", height))
        head = b"".join(head + attribute("name", "string", b"%d" % part) + b"\0" for part in range(parts))
    head = struct.pack("<II", 20000630, 2 if parts == 1 else 0x1002) + head + b"\0"
    rows = []
    for part, y in itertools.product(range(parts), range(height)):
        data = b"".join(values[y, :, i].astype("<f2" if half else "<f4").tobytes() for i in order)
        rows.append((struct.pack("<i", part) if parts > 1 else b"") + struct.pack("<iI", y, len(data)) + data)
    at, table = len(head) + 8 * len(rows), b""
    for row in rows:
        table += struct.pack("<Q", at)
        at += len(row)
    return head + table + b"".join(rows)


# Damage

def damaged(data, seed=0):
    """Ways to damage a file: (name, bytes)."""
    source = random.Random(seed)
    size = len(data)
    for name, length in (("cut-1", 1), ("cut-12", 12), ("cut-quarter", size // 4), ("cut-half", size // 2),
                         ("cut-three-quarters", size * 3 // 4), ("cut-last-8", size - 8),
                         ("cut-last", size - 1)):
        if 0 < length < size:
            yield name, data[:length]
    for name, first, last in (("flip-head", 4, min(64, size)), ("flip-middle", size // 4, size // 2),
                              ("flip-end", size // 2, size)):
        changed = bytearray(data)
        for _ in range(3):
            if last > first:
                changed[source.randrange(first, last)] ^= 1 << source.randrange(8)
        yield name, bytes(changed)
    middle = size // 2
    yield "zeros", data[:middle] + bytes(min(24, size - middle)) + data[middle + 24:]
    yield "ones", data[:middle] + b"\xff" * min(24, size - middle) + data[middle + 24:]
    yield "missing-bytes", data[:middle] + data[middle + 7:]
    yield "more-bytes", data[:middle] + b"surplus" + data[middle:]
    yield "tail", data + b"surplus" * 9
    yield "twice", data + data
    yield "large-fields", data[:16] + b"\x7f\xff\xff\xff" * 2 + data[24:]
