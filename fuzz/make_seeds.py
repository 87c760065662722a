#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the seeds of the fuzz targets into fuzz/corpus, from images and pages of this repository.

usage: make_seeds.py [FOLDER]

Files named seed-* are written by this script; the others were found by fuzzing.
"""
import hashlib
import pathlib
import random
import re
import shlex
import struct
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"

# As in cof.h.
GREY, RGB, BANDS = 0, 2, 4
U8, U16, F32 = 0, 1, 2
STATS, MODEL, PAIR = 1, 2, 3
BINS, CENTRES, LABELS = 1, 2, 3


# .cof files, as docs/format.md describes them

def cof_file(kind, payload):
    head = struct.pack("<4sIIIQ", b"COF\x1a", 1, kind, 0, len(payload))
    return head + payload + struct.pack("<I", zlib.crc32(head + payload))


def palette(kind, k, family, sample, bands, low, high, centres):
    assert len(centres) == k * bands
    return (struct.pack("<6I2d", kind, k, family, sample + 1, bands, 0, low, high)
            + struct.pack(f"<{len(centres)}f", *centres))


def learning(window, downscale=1, colours=4, levels=8):
    return struct.pack("<6I2dQ", colours, levels, window, 0, downscale, 0, 0, 0, 0)


def squared_distances(window):
    reach = window // 2
    return len({x * x + y * y for x in range(reach + 1) for y in range(reach + 1)})


def counted(window, entries, k, pixels, rate=0, downscale=1):
    cells = squared_distances(window) * k * (k + 1) // 2
    return cof_file(STATS, learning(window, downscale) + struct.pack("<II", 1, rate) + entries
                    + struct.pack(f"<{k}Q", *(pixels[i] + 1 for i in range(k)))
                    + struct.pack(f"<{cells}Q", *((pixels[i] % 50 << rate) % 2**62 for i in range(cells))))


def scanned(family, sample, bands, pixels, n):
    hashes = sorted(int.from_bytes(hashlib.sha256(bytes([i])).digest()[:8], "little")
                    for i in range(n))
    values = [pixels[i] / 2 for i in range(n * bands)]
    samples = struct.pack("<Q", n) + struct.pack(f"<{n}Q", *hashes) + struct.pack(
        f"<{n * bands}f", *values)
    ranged = family == GREY
    return cof_file(STATS, learning(3) + struct.pack("<II", 0, 0) + struct.pack(
        "<4IQ2I2d", 1, family, sample, bands, 5000, ranged, 0, min(values) if ranged else 0,
        max(values) if ranged else 0) + samples + struct.pack("<Q", 0))


def model_payload(entries, k, pixels, window=5, downscale=1):
    matrix = [1 + pixels[i] / 16 for i in range(k * (k + 1) // 2)]
    return (struct.pack("<4I2d", window, 0, downscale, 0, 1.7, 0.5) + entries
            + struct.pack(f"<{k}d", *[1 / k] * k) + struct.pack(f"<{len(matrix)}d", *matrix))


def bin_centres(k, low, high):
    return [low + (high - low) * i / (k - 1) for i in range(k)]


def pixels_of(name):
    """The samples of a binary PNM file, as bytes."""
    return (DATA / name).read_bytes()[-20000:]


def file_seeds():
    pixels = pixels_of("cat.ppm")
    rgb = palette(CENTRES, 3, RGB, -1, 3, 0, 0, [p / 3 for p in pixels[:9]])
    bands = palette(CENTRES, 4, BANDS, F32, 2, 0, 0, [p / 7 for p in pixels[:8]])
    grey = palette(CENTRES, 2, GREY, U8, 1, 0, 0, [20, 200])
    labels = palette(LABELS, 3, GREY, -1, 0, 0, 0, [])
    yield "stats-rgb", counted(5, rgb, 3, pixels)
    yield "stats-bands", counted(3, bands, 4, pixels)
    yield "stats-grey", counted(7, grey, 2, pixels, downscale=2)
    yield "stats-labels", counted(3, labels, 3, pixels)
    yield "stats-sampled", counted(3, rgb, 3, pixels, rate=5)
    yield "stats-merged", counted(3, rgb, 3, pixels) + bytes(20) + counted(3, rgb, 3, pixels[9:])
    for rate in (44, 45, 48, 62): # one pair in 2^45 and less overflowed
        yield f"stats-rate-{rate}", counted(3, rgb, 3, pixels, rate=rate) + bytes(8) + b"\1\0\x09\x09"
    for family, sample, channels in ((RGB, U8, 3), (GREY, F32, 1), (GREY, U16, 1), (BANDS, U8, 2)):
        yield (f"scan-{family}-{sample}",
               scanned(family, sample, channels, pixels, 30) + bytes(8) + b"\x0f" + pixels[:40])
    yield "model-rgb", cof_file(MODEL, model_payload(rgb, 3, pixels)) + pixels[:30]
    yield "model-bands", cof_file(MODEL, model_payload(bands, 4, pixels)) + pixels[:30]
    yield "model-downscale", cof_file(MODEL, model_payload(grey, 2, pixels, downscale=3))
    one, two = model_payload(rgb, 3, pixels), model_payload(rgb, 3, pixels[99:])
    yield "pair", cof_file(PAIR, struct.pack("<Q", len(one)) + one + two) + pixels[:30]
    flat = palette(BINS, 1, GREY, F32, 1, 0.5, 0.5, [0.5])
    yield "model-one-bin", cof_file(MODEL, model_payload(flat, 1, pixels, window=1))
    yield "empty", b""


# Decisions of the target, followed by pixels

def api_seeds(functions=29, each=2):
    for i in range(functions):
        for j in range(each):
            choose = random.Random(1000 * j + i)
            decisions = bytes(choose.randrange(256) for _ in range(60 + 120 * j))
            yield f"{i:02}-{j}", bytes([i]) + decisions + pixels_of("cat.ppm")[j:j + 40]


def memory_seeds():
    """Steps are numbered as in fuzz_memory.c; the lowest bit of a byte chooses the object."""
    chains = {
        "stages": [0, 2, 3, 4, 7, 8],
        "merge": [0, 2, 3, 1 << 8 | 1, 4, 5, 6, 7, 8, 9, 10],
        "files": [14, 11, 12, 8],
        "pair": [15, 16, 11, 12, 16],
        "soft": [0, 2, 3, 13, 8, 18],
        "short": [20, 17, 17, 18, 19],
        "labels": [0, 21, 22, 7],
    }
    pixels = pixels_of("cat.ppm")
    for name, chain in chains.items():
        for refused in (0, 3, 9):
            head = bytes([refused % 4, 0, 8, 8, 0, 0, 5, 0, 1, 0, 0, refused % 3, 0])
            steps = b"".join(bytes([(step & 255) * 2 + (step >> 8), refused if i == len(chain) - 1
                                    else 0, 0]) for i, step in enumerate(chain))
            yield f"{name}-{refused}", head + steps + pixels[:4]


# Text

def option_rows():
    text = (ROOT / "src" / "options" / "options.def").read_text()
    for row in re.findall(r"^OPTION_\w+\((.*?)\)$", text, re.S | re.M):
        yield row.split(",")[0].strip(), re.findall(r'"([a-z0-9]+)"', row)


STROKES = ["10,20 40,25:3", "1,1", "5,5:0", "-1e3,4 1e3,4:1.5", "3,3 3,3  20,9:10000", "1,2:", "x",
           "1,2 3", "nan,1", "1,2:-1", "1e400,0:2"]
VALUES = ["0", "1", "15", "-3", "1e6", "0.75", "18446744073709551615", "", "nan", " 7", "1e-3"]


def text_seeds():
    for i, (name, words) in enumerate(option_rows()):
        for value in words[:2] + [VALUES[i % len(VALUES)], VALUES[(i + 5) % len(VALUES)]]:
            digest = hashlib.sha1(value.encode()).hexdigest()[:4]
            yield f"set-{name}-{digest}", b"\0" + name.encode() + b"\0" + value.encode()
        yield f"put-{name}", bytes([1, i + 1, i % 2, 3]) + struct.pack("<d", i)
    for i, stroke in enumerate(STROKES):
        yield f"stroke-{i}", b"\2\x17\x17" + stroke.encode()
    for i in range(5):
        yield f"preset-{i}", bytes([3, i]) + struct.pack("<ii", 4000 * i, 3000)
    yield "struct-size", b"\4" + struct.pack("<I", 200) + b"window\0" + b"21"


def argument_seeds():
    """The commands in the pages, and those of the tests that are refused."""
    lines = set()
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "cli/options/help.c"]:
        for line in re.findall(r"^[ \"$]*cof (.*)$", page.read_text(), re.M):
            lines.add(re.split(r"  |\\n| \||#|>|<|;|&&", line)[0])
    lines |= {"--help", "help video", "--version", "--complete-words wi", "--complete-subcommands",
              "--complete-options focus", "--help-scd filter", "video --help", "fliter a.png b.png",
              "--widnow 5 a.png b.png", "--window=4 a.png b.png", "-o", "--quiet=1 a b", "-zq a.png",
              "--raw 4x4:rgb24 - -", "--raw 4x4:x - -", "video a.mp4 b.mp4 --adapt 0.1 --encode 'a",
              "select a.png --stroke 1,2 -o m.png --region 1,2,3,4", "--range 1,0 a.png b.png",
              "recolour a.png b.png --mask m.png --color '#12345g'", "--kind rgb a.png b.png",
              "focus a.png b.png --mask m.png --background tint=#102030 --matte b.png"}
    for line in sorted(lines):
        try:
            words = shlex.split(line)
        except ValueError:
            words = line.split()
        if words and len(line) < 200:
            digest = hashlib.sha1(line.encode()).hexdigest()[:8]
            yield digest, b"\0".join(word.encode() for word in words) + b"\0"


# Metadata and text; tests/data/corpus has the image files.

def resource(number, data, name=b"", signature=b"8BIM"):
    """An image resource of Photoshop; names and data are padded to even sizes."""
    text = bytes([len(name)]) + name
    return (signature + struct.pack(">H", number) + text + bytes(len(text) & 1)
            + struct.pack(">I", len(data)) + data + bytes(len(data) & 1))


def xmp(body):
    return (f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description>{body}</rdf:Description>'
            "</rdf:RDF></x:xmpmeta>").encode()


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def tagged_png(*chunks):
    """Two pixels."""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 2, 1, 8, 2, 0, 0, 0))
            + b"".join(chunks) + chunk(b"IDAT", zlib.compress(b"\0\xc8\x28\x28\x28\xa0\x3c"))
            + chunk(b"IEND", b""))


def profile():
    """An ICC profile of Adobe's primaries and a gamma of 2.2."""
    def numbers(*values):
        return b"".join(struct.pack(">i", round(65536 * value)) for value in values)

    tags = {b"wtpt": numbers(0.9642, 1, 0.8249), b"rXYZ": numbers(0.60974, 0.31111, 0.01947),
            b"gXYZ": numbers(0.20528, 0.62567, 0.06087), b"bXYZ": numbers(0.14919, 0.06322, 0.74457)}
    values = [b"XYZ " + bytes(4) + value for value in tags.values()]
    values += [b"curv" + bytes(4) + struct.pack(">IHxx", 1, 563)] * 3
    at = 128 + 4 + 12 * len(values)
    names = [*tags, b"rTRC", b"gTRC", b"bTRC"]
    table = struct.pack(">I", len(names))
    for name, value in zip(names, values):
        table += name + struct.pack(">II", at, len(value))
        at += len(value)
    head = struct.pack(">I4xI", at, 0x02100000) + b"mntrRGB XYZ " + bytes(12) + b"acsp" + bytes(28)
    return (head + numbers(0.9642, 1, 0.8249)).ljust(128, b"\0") + table + b"".join(values)


def chosen(kind, pages, output, way):
    """The last bytes of an input, as fuzz_images.c reads them: a way for each eighth input."""
    bytes_of = {"file": (0, 0, 0), "stream": (7, 0, 0), "folder": (0, 3, 0), "quality": (0, 0, 3)}[way]
    return bytes([kind, pages, *[0] * (pages > 0), output, *bytes_of, 50, 7])[:8].ljust(8, b"\7")


def image_seeds():
    picture = tagged_png(chunk(b"iCCP", b"p\0\0" + zlib.compress(profile())),
                         chunk(b"tEXt", b"Title\0t"))
    pages = (DATA / "corpus" / "pages.tif").read_bytes()
    for i, way in enumerate(("file", "stream", "folder", "quality")):
        yield f"profile-{way}", picture + chosen(0, 0, 3 * i, way)
        yield f"pages-{way}", pages + chosen((0, 5, 6, 7)[i], i, i, way)
    thumbnail, other = resource(1036, b"jpeg data"), resource(1005, bytes(16), b"of 300 dpi")
    yield "resources", thumbnail + other
    yield "resources-of-jpeg", b"Photoshop 3.0\0" + other + resource(1033, b"x", signature=b"MeSa")
    yield "resource-cut", other + thumbnail[:-12]
    yield "iptc", b"\x1c\x02\x50\0\4name"
    yield "xmp", xmp("<xmp:Thumbnails><rdf:Alt><rdf:li>/9j/</rdf:li></rdf:Alt></xmp:Thumbnails>")
    yield "xmp-empty", xmp("<xap:Thumbnails/><dc:title>t</dc:title>")
    yield "xmp-attribute", xmp('<a b="Thumbnails"/>')
    for name, text in {"imagej": "ImageJ=1.53\nimages=300\nslices=300\n", "ome": "<OME xmlns=''/>",
                       "shaped": '{"shape": [2, 3, 4]}', "shape": "shape=(2, 3)",
                       "matrix": "1, 2.5\n-3e2; 4\n", "matrix-cut": "1 2\n3\n",
                       "matrix-word": "0 one\n"}.items():
        yield name, text.encode()
    model = model_payload(struct.pack("<I", 1) + palette(CENTRES, 2, GREY, U8, 1, 0, 255, [40, 200]),
                          2, pixels_of("man16.pgm"))
    yield "model", cof_file(MODEL, model)
    yield "stats", (DATA / "files" / "empty-stats.cof").read_bytes()


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "fuzz" / "corpus"
    corpora = {"files": file_seeds, "api": api_seeds, "memory": memory_seeds,
               "options": text_seeds, "arguments": argument_seeds, "images": image_seeds}
    for corpus, seeds in corpora.items():
        (folder / corpus).mkdir(parents=True, exist_ok=True)
        for old in (folder / corpus).glob("seed-*"):
            old.unlink()
        for name, data in seeds():
            (folder / corpus / f"seed-{name}").write_bytes(data)


if __name__ == "__main__":
    main()
