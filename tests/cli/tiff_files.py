# SPDX-License-Identifier: BSD-2-Clause
"""Writes TIFF files byte by byte: planar or interleaved, in strips or tiles, with any tags."""
import dataclasses
import struct
import zlib

SIZES = {"B": 1, "H": 2, "h": 2, "I": 4, "i": 4, "f": 4, "d": 8}
SAMPLE_FORMATS = {"B": 1, "H": 1, "h": 2, "I": 1, "i": 2, "f": 3, "d": 3}
BYTE, ASCII, SHORT, LONG, DOUBLE, LONG8 = 1, 2, 3, 4, 12, 16
TYPES = {BYTE: "B", ASCII: "B", SHORT: "H", LONG: "I", DOUBLE: "d", LONG8: "Q"}
NONE, DEFLATE = 1, 8
GDAL_NODATA = 42113
PIXEL_SCALE = 33550


@dataclasses.dataclass
class Page:
    """Samples of all bands, pixel by pixel, and how they are stored."""
    width: int
    height: int
    bands: int
    code: str  # of struct
    samples: list
    planar: bool = True
    tile: int = 0  # side of a tile; 0: strips
    rows: int = 7  # of a strip
    compression: int = NONE
    photometric: int = 1
    tags: dict = dataclasses.field(default_factory=dict)  # tag: (type, values)


def text(value):
    return (ASCII, list(value.encode() + b"\0"))


def blocks(page):
    """(x, y, width, height) of each strip or tile."""
    if page.tile:
        return [(x, y, page.tile, page.tile) for y in range(0, page.height, page.tile)
                for x in range(0, page.width, page.tile)]
    return [(0, y, page.width, min(page.rows, page.height - y))
            for y in range(0, page.height, page.rows)]


def block_samples(page, block, bands):
    """What lies outside of the image is filled with 99."""
    x0, y0, width, height = block
    for y in range(y0, y0 + height):
        for x in range(x0, x0 + width):
            inside = x < page.width and y < page.height
            at = (y * page.width + x) * page.bands
            for band in bands:
                yield page.samples[at + band] if inside else 99


def encoded_blocks(page, order):
    planes = [[band] for band in range(page.bands)] if page.planar else [range(page.bands)]
    for bands in planes:
        for block in blocks(page):
            values = list(block_samples(page, block, bands))
            data = struct.pack(f"{order}{len(values)}{page.code}", *values)
            yield zlib.compress(data) if page.compression == DEFLATE else data


def entries_of(page, offsets, sizes, big):
    extra = page.bands - (3 if page.photometric == 2 else 1)
    long = LONG8 if big else LONG
    tags = {
        256: (LONG, [page.width]), 257: (LONG, [page.height]),
        258: (SHORT, [8 * SIZES[page.code]] * page.bands), 259: (SHORT, [page.compression]),
        262: (SHORT, [page.photometric]), 277: (SHORT, [page.bands]),
        284: (SHORT, [2 if page.planar else 1]),
        339: (SHORT, [SAMPLE_FORMATS[page.code]] * page.bands),
    }
    if extra:
        tags[338] = (SHORT, [0] * extra)
    if page.tile:
        tags |= {322: (LONG, [page.tile]), 323: (LONG, [page.tile]), 324: (long, offsets),
                 325: (long, sizes)}
    else:
        tags |= {273: (long, offsets), 278: (LONG, [page.rows]), 279: (long, sizes)}
    return sorted((tags | page.tags).items())


def write_tiff(path, pages, order="<", big=False):
    """order is "<" (II) or ">" (MM)."""
    out = bytearray(b"II" if order == "<" else b"MM")
    out += struct.pack(order + ("HHHQ" if big else "HI"), *((43, 8, 0, 0) if big else (42, 0)))
    link, offset, count = (8, "Q", "Q") if big else (4, "I", "H")
    for page in pages:
        offsets, sizes = [], []
        for data in encoded_blocks(page, order):
            offsets.append(len(out))
            sizes.append(len(data))
            out += data
        directory = b""
        entries = entries_of(page, offsets, sizes, big)
        for tag, (kind, values) in entries:
            data = struct.pack(f"{order}{len(values)}{TYPES[kind]}", *values)
            room = struct.calcsize(offset)
            if len(data) > room:
                out += b"\0" * (len(out) % 2)
                data, at = struct.pack(order + offset, len(out)), data
                out += at
            directory += struct.pack(f"{order}HH{offset}", tag, kind, len(values))
            directory += data.ljust(room, b"\0")
        out += b"\0" * (len(out) % 2)
        struct.pack_into(order + offset, out, link, len(out))
        out += struct.pack(order + count, len(entries)) + directory
        link = len(out)
        out += struct.pack(order + offset, 0)
    path.write_bytes(out)
