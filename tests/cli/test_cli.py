#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Looks at the command `cof` from outside: what it refuses, what it keeps, what it computes.

COF names the command to test (default: build/cli/cof beside the sources). The tool `vips` makes
and reads the pictures; everything is written into a temporary folder.
"""
import array
import functools
import itertools
import math
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import tempfile
import time
import typing
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTOS = ROOT / "tests" / "data" / "photos"
COF = os.path.abspath(os.environ.get("COF", ROOT / "build" / "cli" / "cof"))
NOBODY = 65534
ENVIRONMENT = {**os.environ, "LC_ALL": "C"}
TIMEOUT = 60

VALUE_OPTIONS = """--window --sigma --colours --levels --softness --normalise --mask --region
    --labels --filter-window --filter-sigma --iterations --border --space --preset
    --threads""".split()
PLAIN_OPTIONS = ["--rolling", "--help", "--version"]

WIDTH, HEIGHT = 48, 40


# Running commands

def run_cof(arguments, folder, **how):
    return subprocess.run([COF, *map(str, arguments)], cwd=folder, env=ENVIRONMENT, timeout=TIMEOUT,
                          capture_output=True, text=True, **how)


def vips(*arguments):
    done = subprocess.run(["vips", *map(str, arguments)], env=ENVIRONMENT, timeout=TIMEOUT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"vips {arguments}: {done.stderr}")


def header(path, *arguments):
    done = subprocess.run(["vipsheader", *arguments, path], env=ENVIRONMENT, timeout=TIMEOUT,
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


def shape(path):
    """Such as '48x40 uchar, 3 bands, srgb'."""
    return header(path).removeprefix(f"{path}: ").rpartition(", ")[0]


# Making and reading pictures

def write_grey(path, width, height, values):
    path.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + bytes(values))


def write_rgb(path, width, height, values):
    path.write_bytes(b"P6\n%d %d\n255\n" % (width, height) + bytes(values))


def noise(count, seed=1, low=0, high=255):
    source = random.Random(seed)
    return [source.randint(low, high) for _ in range(count)]


def write_samples(path, bands, type_code, interpretation, seed=1):
    """Noise in any band format, as the file that the path's ending asks for."""
    values = noise(WIDTH * HEIGHT * bands, seed)
    scale = {"B": lambda v: v, "H": lambda v: v * 257, "f": lambda v: v / 255}[type_code]
    form = {"B": "uchar", "H": "ushort", "f": "float"}[type_code]
    raw = path.with_suffix(".raw")
    raw.write_bytes(array.array(type_code, map(scale, values)).tobytes())
    vips("rawload", raw, path, WIDTH, HEIGHT, bands, "--format", form,
         "--interpretation", interpretation)
    raw.unlink()


def samples(path, type_code="B"):
    raw = path.with_name(path.name + ".raw")
    vips("rawsave", path, raw)
    values = array.array(type_code, raw.read_bytes())
    raw.unlink()
    return values


def write_rectangle(path, x, y, width, height):
    """A picture that is white inside the rectangle and black outside."""
    write_grey(path, WIDTH, HEIGHT,
               (255 * (x <= i < x + width and y <= j < y + height)
                for j in range(HEIGHT) for i in range(WIDTH)))


def crop_photo(path, width=WIDTH, height=HEIGHT):
    vips("crop", PHOTOS / "chelsea.png", path, 120, 90, width, height)


@functools.cache
def photo_bytes():
    with tempfile.TemporaryDirectory(prefix="cof-test-") as folder:
        path = pathlib.Path(folder) / "photo.png"
        crop_photo(path)
        return path.read_bytes()


def write_photo(path):
    path.write_bytes(photo_bytes())


def snapshot(folder):
    """Everything in a folder: the bytes of files, None for folders."""
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
            for path in folder.rglob("*")}


class FolderTest(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cof-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def cof(self, *arguments, **how):
        """Runs the command, which must succeed in silence; the path of its output."""
        done = run_cof(arguments, self.folder, **how)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), arguments)
        return self.folder / str(arguments[-1])

    def cof_bytes(self, *arguments):
        """The bytes of the file that the command makes of in.png."""
        return self.cof(*arguments, "in.png", "result.png").read_bytes()


# What is refused

class Row(typing.NamedTuple):
    arguments: str
    status: int
    words: str  # expected in the message
    at_fault: str = ""  # the file that the message must name


def usage(arguments, words):
    return Row(arguments, 2, words)


def bad_values(option, words, values):
    return [usage(f"{option} {shlex.quote(value)} in.png out.png", words) for value in values]


USAGE_ROWS = [
    usage("", "an input and an output file are needed"),
    usage("in.png", "an input and an output file are needed"),
    usage("in.png out.png third.png", "more than two files"),
    usage("--window 5 in.png", "an input and an output file are needed"),
    usage("--wimdow 5 in.png out.png", "unknown option --wimdow"),
    usage("-w in.png out.png", "unknown option -w"),
    usage("-wz in.png out.png", "unknown option -w"),
    usage("in.png out.png -- --rolling", "more than two files"),
    usage("--filter 5 in.png out.png", "--filter"),
    usage("--rolling=5 in.png out.png", "--rolling"),
    usage("--rolling --labels labels.png in.png out.png", "--rolling does not go with --labels"),
    usage("in.png in.png out.png --mask", "--mask wants a value"),
    *(usage(f"in.png out.png {option}", f"{option} wants a value") for option in VALUE_OPTIONS),

    *bad_values("--window", "--window wants a whole number",
                ["five", "", "5.5", "5x", "nan", "inf", "0x5", "99999999999"]),
    *bad_values("--window", "--window must be an odd number from 1 to 63", ["0", "-3", "4", "65"]),
    *bad_values("--filter-window", "--filter-window wants a whole number", ["wide", "", "nan"]),
    *bad_values("--filter-window", "--filter-window must be", ["0", "-3", "8", "257"]),
    *bad_values("--colours", "--colours wants a whole number", ["many", "", "1e2", "inf"]),
    *bad_values("--colours", "--colours must be 1 to 256", ["0", "-1", "257"]),
    *bad_values("--levels", "--levels wants a whole number", ["all", "", "nan"]),
    *bad_values("--levels", "--levels must be 2 to 256", ["0", "1", "-2", "257"]),
    *bad_values("--iterations", "--iterations wants a whole number", ["twice", "", "inf"]),
    *bad_values("--iterations", "--iterations must be 1 to 1000", ["0", "-1", "1001"]),
    *bad_values("--threads", "--threads wants a whole number", ["two", "", "nan"]),
    *bad_values("--threads", "--threads must be 0 to 1024", ["-1", "1025"]),
    *bad_values("--sigma", "--sigma wants a number", ["broad", "", "1,5", "2px"]),
    *bad_values("--sigma", "--sigma must be", ["0", "-1", "nan", "inf", "1e7", "0.0001"]),
    *bad_values("--filter-sigma", "--filter-sigma wants a number", ["broad", "", "1,5"]),
    *bad_values("--filter-sigma", "--filter-sigma must be", ["0", "-1", "nan", "inf", "1e7"]),
    *bad_values("--softness", "--softness wants a number", ["soft", "", "1/2"]),
    *bad_values("--softness", "--softness must be 0 to 16", ["-0.5", "16.5", "nan", "inf"]),

    *bad_values("--preset", "--preset wants paper, authors or app", ["book", "", "Paper"]),
    *bad_values("--border", "--border wants clip, mirror or reflect101", ["wrap", "", "reflect"]),
    *bad_values("--normalise", "--normalise wants counts or marginals", ["none", ""]),
    *bad_values("--space", "--space wants lab or rgb", ["xyz", ""]),
    *bad_values("--region", "--region wants X,Y,WIDTH,HEIGHT",
                ["", "here", "1,2,3", "1,2,3,4,5", "1,2,3,4,", "1;2;3;4", "0,0,5,5px", "1.5,0,5,5",
                 "nan,0,5,5", "-1,0,5,5", "0,-1,5,5", "0,0,0,5", "0,0,5,-1",
                 "4294967296,0,5,5", "0,0,5,4294967301"]),
]

INPUT_ROWS = [
    Row("missing.png out.png", 1, "No such file", "missing.png"),
    Row("'' out.png", 1, "No such file", ""),
    Row("folder.png out.png", 1, "folder", "folder.png"),
    Row("empty.png out.png", 1, "", "empty.png"),
    Row("text.png out.png", 1, "not a known file format", "text.png"),
    Row("cut_early.png out.png", 1, "", "cut_early.png"),
    Row("cut_late.png out.png", 1, "", "cut_late.png"),
    Row("damaged.png out.png", 1, "", "damaged.png"),
    Row("cut.jpg out.png", 1, "", "cut.jpg"),
    Row("cut.tif out.png", 1, "", "cut.tif"),
    Row("cut.pgm out.png", 1, "", "cut.pgm"),
    Row("'two\nlines.png' out.png", 1, "No such file", "two?lines.png"),
    Row("huge.pgm out.png", 1, "", "huge.pgm"),
    Row("nonsense.pgm out.png", 1, "", "nonsense.pgm"),
    Row("signed.tif out.png", 1, "neither 8 nor 16 bit nor float", "signed.tif"),
    Row("bands65.v out.png", 1, "more than 64 bands", "bands65.v"),
    Row("missing.png in.png", 1, "No such file", "missing.png"),
    Row(f"--region {WIDTH},0,5,5 in.png out.png", 1, "region", "in.png"),
    Row(f"--region 0,{HEIGHT},5,5 in.png out.png", 1, "region", "in.png"),
    Row("--region 2147483647,0,2147483647,5 in.png out.png", 1, "region", "in.png"),
]

MASK_AND_LABEL_ROWS = [
    Row("--mask missing.png in.png out.png", 1, "No such file", "missing.png"),
    Row("--mask folder.png in.png out.png", 1, "folder", "folder.png"),
    Row("--mask text.png in.png out.png", 1, "not a known file format", "text.png"),
    Row("--mask cut_late.png in.png out.png", 1, "", "cut_late.png"),
    Row("--mask small.pgm in.png out.png", 1, "size", "small.pgm"),
    Row("--mask black.pgm in.png out.png", 1, "nothing to learn from", "black.pgm"),
    Row("--mask missing.png in.png in.png", 1, "No such file", "missing.png"),
    Row("--labels missing.png in.png out.png", 1, "No such file", "missing.png"),
    Row("--labels folder.png in.png out.png", 1, "folder", "folder.png"),
    Row("--labels text.png in.png out.png", 1, "not a known file format", "text.png"),
    Row("--labels grey16.png in.png out.png", 1, "8 bits and one band", "grey16.png"),
    Row("--labels rgb.ppm in.png out.png", 1, "8 bits and one band", "rgb.ppm"),
    Row("--labels small.pgm in.png out.png", 1, "size", "small.pgm"),
    Row("--labels labels.png --colours 5 in.png out.png", 1, "label", "labels.png"),
    Row("--labels labels.png --mask black.pgm in.png out.png", 1, "nothing to learn", "black.pgm"),
    Row("--labels labels.png --mask small.pgm in.png out.png", 1, "size", "small.pgm"),
]

OUTPUT_ROWS = [
    Row("in.png out.xyz", 1, "ending", "out.xyz"),
    Row("in.png out", 1, "ending", "out"),
    Row("in.png ''", 1, "ending", ""),
    Row("in.png out.png[", 1, "ending", "out.png["),
    Row("in.png nowhere/out.png", 1, "No such file or directory", "nowhere/out.png"),
    Row("in.png text.png/out.png", 1, "Not a directory", "text.png/out.png"),
    Row("in.png folder.png", 1, "directory", "folder.png"),
    Row("in.png out.png[nonsense=1]", 1, "nonsense", "out.png"),
    Row("in.png out.jpg[Q=5000]", 1, "", "out.jpg"),
    Row(f"in.png {'n' * 300}.png", 1, "File name too long", f"{'n' * 300}.png"),
]


def write_damaged_inputs(folder):
    png = (folder / "in.png").read_bytes()
    (folder / "empty.png").touch()
    (folder / "text.png").write_text("This is no picture.\n")
    (folder / "cut_early.png").write_bytes(png[:len(png) // 20])
    (folder / "cut_late.png").write_bytes(png[:len(png) * 3 // 4])
    middle = png.index(b"IDAT") + 1000
    (folder / "damaged.png").write_bytes(png[:middle] + bytes(8) + png[middle + 8:])
    for name, part in [("cut.jpg", 0.6), ("cut.tif", 0.3)]:
        vips("copy", folder / "in.png", folder / name)
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[:int(len(whole) * part)])
    (folder / "cut.pgm").write_bytes(b"P5\n20 20\n255\nabc")
    (folder / "huge.pgm").write_bytes(b"P5\n20000 20000\n255\nabc")
    (folder / "nonsense.pgm").write_bytes(b"P5\nwide high\n255\nabc")


def write_unwanted_inputs(folder):
    vips("cast", folder / "in.png", folder / "signed.tif", "short")
    vips("black", folder / "bands65.v", 4, 4, "--bands", 65)
    write_samples(folder / "grey16.png", 1, "H", "grey16")
    write_rgb(folder / "rgb.ppm", WIDTH, HEIGHT, noise(WIDTH * HEIGHT * 3))
    write_grey(folder / "small.pgm", 8, 8, [1] * 64)
    write_grey(folder / "black.pgm", WIDTH, HEIGHT, [0] * (WIDTH * HEIGHT))
    write_grey(folder / "labels.pgm", WIDTH, HEIGHT, [5] * (WIDTH * HEIGHT))
    vips("copy", folder / "labels.pgm", folder / "labels.png")


class RefusalTest(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "folder.png").mkdir()
        write_photo(self.folder / "in.png")

    def assert_refused(self, row, **how):
        before = snapshot(self.folder)
        done = run_cof(shlex.split(row.arguments), self.folder, **how)
        self.assertEqual(done.returncode, row.status, done.stderr)
        self.assertRegex(done.stderr, r"\Acof: [^\n]+\n\Z")
        self.assertIn(row.words, done.stderr)
        self.assertIn(row.at_fault, done.stderr)
        self.assertEqual(done.stdout, "")
        after = snapshot(self.folder)
        self.assertEqual(sorted(after), sorted(before))
        self.assertEqual([name for name in before if before[name] != after[name]], [])

    def write_precious_outputs(self):
        for name in ["out.png", "out.jpg", "out.xyz", "out"]:
            (self.folder / name).write_bytes(b"precious " + name.encode())


class BadInput(RefusalTest):
    """Each table twice: with no output file there, and with one that must stay as it is."""

    def setUp(self):
        super().setUp()
        write_damaged_inputs(self.folder)
        write_unwanted_inputs(self.folder)

    def assert_all_refused(self, rows):
        for row in rows:
            with self.subTest(arguments=row.arguments, output="new"):
                self.assert_refused(row)
        self.write_precious_outputs()
        for row in rows:
            with self.subTest(arguments=row.arguments, output="precious"):
                self.assert_refused(row)

    def test_wrong_usage(self):
        self.assert_all_refused(USAGE_ROWS)

    def test_inputs(self):
        self.assert_all_refused(INPUT_ROWS)

    def test_masks_and_labels(self):
        self.assert_all_refused(MASK_AND_LABEL_ROWS)

    def test_outputs(self):
        self.assert_all_refused(OUTPUT_ROWS)

    def test_the_good_files_of_the_tables_are_good(self):
        self.cof("--labels", "labels.png", "--colours", 6, "in.png", "out.png")
        self.cof("--mask", "rgb.ppm", "--region", "0,0,5,5", "in.png", "out.jpg[Q=90]")


class NoPermission(RefusalTest):
    """Root may do everything, so these run as nobody."""

    def setUp(self):
        super().setUp()
        self.how = {}
        if os.geteuid() == 0:
            self.how = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            self.folder.chmod(0o755)
            self.skip_unless_nobody_can_run()

    def skip_unless_nobody_can_run(self):
        try:
            done = run_cof(["--version"], self.folder, **self.how)
        except OSError as error:
            self.skipTest(f"the command cannot be run as nobody: {error}")
        if done.returncode != 0:
            self.skipTest(f"the command cannot be run as nobody: {done.stderr}")

    def test_unreadable_input(self):
        (self.folder / "in.png").chmod(0)
        self.addCleanup((self.folder / "in.png").chmod, 0o644)
        # A snapshot of the folder would need the permission, too.
        before = sorted(os.listdir(self.folder))
        done = run_cof(["in.png", "out.png"], self.folder, **self.how)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Acof: in\.png: [^\n]+\n\Z")
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_only_the_folder_of_the_output_need_be_writable(self):
        (self.folder / "below").mkdir()
        (self.folder / "below").chmod(0o777)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        self.assertTrue(self.cof("in.png", "below/out.png", **self.how).exists())

    def test_unwritable_folder(self):
        self.write_precious_outputs()
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        row = Row("in.png out.png", 1, "Permission denied", "out.png")
        self.assert_refused(row, **self.how)


class FullDisk(RefusalTest):
    def limit_files(self, size):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}

    def assert_refused_by_limit(self, size):
        for name in ["out.png", "out.jpg", "out.tif", "out.ppm", "out.v"]:
            with self.subTest(output=name, size=size):
                self.assert_refused(Row(f"in.png {name}", 1, "", name), **self.limit_files(size))

    def test_no_room_at_all(self):
        self.assert_refused_by_limit(0)

    def test_no_room_for_all_of_it(self):
        self.assert_refused_by_limit(1024)

    def test_no_room_to_overwrite(self):
        self.write_precious_outputs()
        self.assert_refused_by_limit(1024)

    def mount_small_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        try:
            done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", disk],
                                  capture_output=True, text=True)
        except FileNotFoundError:
            self.skipTest("there is no mount")
        if done.returncode != 0:
            self.skipTest(f"cannot mount a small disk: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)

    def test_small_disk(self):
        self.mount_small_disk()
        for name in ["disk/out.png", "disk/out.tif", "disk/out.ppm"]:
            with self.subTest(output=name):
                self.assert_refused(Row(f"in.png {name}", 1, "", name))


# What is kept

INTERPRETATIONS = {  # band format: of grey and of colour
    "B": ("b-w", "srgb"),
    "H": ("grey16", "rgb16"),
    "f": ("b-w", "scrgb"),
}


class Samples(FolderTest):
    def assert_kept(self, ending, type_code, bands):
        source = self.folder / f"in.{ending}"
        write_samples(source, bands, type_code, INTERPRETATIONS[type_code][bands > 2])
        result = self.cof(source.name, f"out.{ending}")
        self.assertEqual(shape(result), shape(source))
        before, after = samples(source, type_code), samples(result, type_code)
        self.assertNotEqual(after[0::bands], before[0::bands])
        if bands in (2, 4):
            self.assertEqual(after[bands - 1::bands], before[bands - 1::bands])

    def assert_all_kept(self, ending, type_code):
        for bands in (1, 2, 3, 4):
            with self.subTest(bands=bands):
                self.assert_kept(ending, type_code, bands)

    def test_png_8_bit(self):
        self.assert_all_kept("png", "B")

    def test_png_16_bit(self):
        self.assert_all_kept("png", "H")

    def test_tiff_8_bit(self):
        self.assert_all_kept("tif", "B")

    def test_tiff_16_bit(self):
        self.assert_all_kept("tif", "H")

    def test_tiff_float(self):
        self.assert_all_kept("tif", "f")

    def test_sixteen_bits_are_not_rounded_to_eight(self):
        write_samples(self.folder / "in.png", 3, "H", "rgb16")
        after = samples(self.cof("in.png", "out.png"), "H")
        self.assertGreater(sum(value % 257 != 0 for value in after), len(after) // 2)

    def test_floats_span_0_to_1(self):
        write_samples(self.folder / "in.tif", 3, "f", "scrgb")
        after = samples(self.cof("in.tif", "out.tif"), "f")
        self.assertTrue(all(-0.01 <= value <= 1.01 for value in after))
        self.assertTrue(0.4 < sum(after) / len(after) < 0.6)

    def test_floats_become_integers_where_a_format_has_no_other(self):
        write_samples(self.folder / "in.tif", 3, "f", "scrgb")
        floats = samples(self.cof("in.tif", "out.tif"), "f")
        integers = samples(self.cof("in.tif", "out.png"), "H")
        for value, sample in zip(floats, integers):
            self.assertLessEqual(abs(min(max(value, 0), 1) * 65535 - sample), 0.51)

    def test_double_becomes_float(self):
        write_samples(self.folder / "in.tif", 1, "f", "b-w")
        vips("cast", self.folder / "in.tif", self.folder / "double.v", "double")
        result = self.cof("double.v", "out.v")
        self.assertIn(" float, 1 band", shape(result))
        self.assertEqual(samples(result, "f"), samples(self.cof("in.tif", "out.tif"), "f"))

    def test_jpeg(self):
        crop_photo(self.folder / "in.jpg")
        result = self.cof("in.jpg", "out.jpg")
        self.assertEqual(shape(result), shape(self.folder / "in.jpg"))
        self.assertEqual(header(result, "-f", "vips-loader"), "jpegload")


def exif_segment(description):
    """A JPEG segment whose EXIF data hold an ImageDescription."""
    text = description.encode() + b"\0"
    entry = struct.pack(">HHII", 0x010E, 2, len(text), 8 + 2 + 12 + 4)
    tiff = b"MM\0*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0) + text
    body = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


class Metadata(FolderTest):
    def metadata(self, path):
        lines = header(path, "-a").splitlines()
        return [line for line in lines[1:] if not line.startswith("filename:")]

    def assert_all_kept(self, source, result):
        self.assertEqual(self.metadata(result), self.metadata(source))
        profile = header(source, "-f", "icc-profile-data")
        self.assertGreater(len(profile), 100)
        self.assertEqual(header(result, "-f", "icc-profile-data"), profile)

    def test_icc_profile(self):
        for ending in ["png", "tif", "jpg"]:
            with self.subTest(ending=ending):
                source = self.folder / f"in.{ending}"
                crop_photo(f"{source}[profile=srgb]")
                self.assert_all_kept(source, self.cof(source.name, f"out.{ending}"))

    def test_exif(self):
        source = self.folder / "in.jpg"
        crop_photo(f"{source}[strip,profile=srgb]")
        jpeg = source.read_bytes()
        source.write_bytes(jpeg[:2] + exif_segment("a cat that looks") + jpeg[2:])
        result = self.cof("in.jpg", "out.jpg")
        self.assertIn("a cat that looks", header(result, "-f", "exif-ifd0-ImageDescription"))
        self.assertIn(b"a cat that looks", result.read_bytes())

    def test_metadata_follow_into_another_format(self):
        source = self.folder / "in.png"
        crop_photo(f"{source}[profile=srgb]")
        result = self.cof("in.png", "out.jpg")
        self.assertEqual(header(result, "-f", "icc-profile-data"),
                         header(source, "-f", "icc-profile-data"))


class Files(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")

    def mode(self, name):
        return stat.S_IMODE((self.folder / name).stat().st_mode)

    def test_the_output_may_be_the_input(self):
        expected = self.cof("in.png", "out.png").read_bytes()
        self.assertNotEqual((self.folder / "in.png").read_bytes(), expected)
        self.assertEqual(self.cof("in.png", "in.png").read_bytes(), expected)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.png", "out.png"])

    def test_the_output_may_be_the_mask(self):
        write_samples(self.folder / "mask.png", 1, "B", "b-w")
        expected = self.cof("--mask", "mask.png", "in.png", "out.png").read_bytes()
        result = self.cof("--mask", "mask.png", "in.png", "mask.png")
        self.assertEqual(result.read_bytes(), expected)

    def test_overwriting_replaces_all_of_a_larger_file(self):
        expected = self.cof("in.png", "out.png").read_bytes()
        (self.folder / "long.png").write_bytes(bytes(1 << 20))
        self.assertEqual(self.cof("in.png", "long.png").read_bytes(), expected)

    def test_output_in_another_folder(self):
        (self.folder / "below").mkdir()
        self.cof("in.png", "below/out.png")
        self.assertEqual(os.listdir(self.folder / "below"), ["out.png"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["below", "in.png"])

    def test_names_that_look_odd(self):
        expected = self.cof("in.png", "out.png").read_bytes()
        for name in ["-out.png", "with space.png", "o[1].png", "ö.png", ".hidden.png", "%s%n.png"]:
            with self.subTest(name=name):
                (self.folder / name).write_bytes((self.folder / "in.png").read_bytes())
                self.assertEqual(self.cof("--", name, name).read_bytes(), expected)

    def test_a_new_file_follows_the_umask(self):
        for umask, mode in [(0o022, 0o644), (0o027, 0o640), (0o077, 0o600)]:
            with self.subTest(umask=oct(umask)):
                self.cof("in.png", f"{umask}.png", umask=umask)
                self.assertEqual(oct(self.mode(f"{umask}.png")), oct(mode))

    def test_an_overwritten_file_keeps_its_mode(self):
        for mode in (0o604, 0o640, 0o444):
            with self.subTest(mode=oct(mode)):
                (self.folder / f"{mode}.png").touch()
                (self.folder / f"{mode}.png").chmod(mode)
                self.cof("in.png", f"{mode}.png")
                self.assertEqual(oct(self.mode(f"{mode}.png")), oct(mode))

    def test_a_link_stays_a_link(self):
        write_photo(self.folder / "in.png")
        (self.folder / "elsewhere").mkdir()
        (self.folder / "link.png").symlink_to("elsewhere/real.png")
        (self.folder / "elsewhere" / "real.png").touch()
        self.cof("in.png", "link.png")
        self.assertTrue((self.folder / "link.png").is_symlink())
        self.assertEqual(shape(self.folder / "elsewhere" / "real.png"), shape(self.folder / "in.png"))

    def test_options_of_the_format(self):
        write_samples(self.folder / "in.png", 3, "B", "srgb")
        small = self.cof("--window", 1, "in.png", "small.jpg[Q=50]").with_name("small.jpg")
        large = self.cof("--window", 1, "in.png", "large.jpg[Q=98]").with_name("large.jpg")
        self.assertLess(small.stat().st_size * 2, large.stat().st_size)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.png", "large.jpg", "small.jpg"])


# What is computed

def paper_sigma(window):
    return math.sqrt(2 * math.sqrt(window) + 1)


def mirrored(i, size):
    return -1 - i if i < 0 else 2 * size - 1 - i if i >= size else i


def reflected101(i, size):
    return -i if i < 0 else 2 * size - 2 - i if i >= size else i


def clipped(i, size):
    return i if 0 <= i < size else None


def taps(at, size, window, sigma, beyond):
    """Where along one axis the Gaussian looks from one pixel, and the weights there."""
    radius = window // 2
    found = ((beyond(at + d, size), math.exp(-d * d / (2 * sigma * sigma)))
             for d in range(-radius, radius + 1))
    return [(place, weight) for place, weight in found if place is not None]


def gaussian_at(values, bands, rows, columns):
    total, sums = 0, [0] * bands
    for (y, wy), (x, wx) in itertools.product(rows, columns):
        total += wy * wx
        for band in range(bands):
            sums[band] += wy * wx * values[(y * WIDTH + x) * bands + band]
    return [value / total for value in sums]


def gaussian(values, bands, window, sigma, beyond=clipped):
    columns = [taps(x, WIDTH, window, sigma, beyond) for x in range(WIDTH)]
    result = []
    for y in range(HEIGHT):
        rows = taps(y, HEIGHT, window, sigma, beyond)
        for x in range(WIDTH):
            result += gaussian_at(values, bands, rows, columns[x])
    return result


class PlainBlur(FolderTest):
    """With a single label every pixel mixes with every other: what is left is a Gaussian blur."""

    def setUp(self):
        super().setUp()
        write_grey(self.folder / "zeros.pgm", WIDTH, HEIGHT, [0] * (WIDTH * HEIGHT))
        self.grey = noise(WIDTH * HEIGHT)
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, self.grey)
        self.colour = noise(WIDTH * HEIGHT * 3, seed=2)
        write_rgb(self.folder / "colour.ppm", WIDTH, HEIGHT, self.colour)

    def blurred(self, source, *options):
        return samples(self.cof("--labels", "zeros.pgm", "--space", "rgb", *options, source,
                                "out.png"))

    def assert_close(self, values, expected):
        self.assertEqual(len(values), len(expected))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(values, expected)), 1)

    def test_colour(self):
        expected = gaussian(self.colour, 3, 15, paper_sigma(15))
        self.assert_close(self.blurred("colour.ppm"), expected)

    def test_grey(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15))
        self.assert_close(self.blurred("grey.pgm"), expected)

    def test_window_sets_sigma_and_filter_window(self):
        expected = gaussian(self.grey, 1, 7, paper_sigma(7))
        self.assert_close(self.blurred("grey.pgm", "--window", 7), expected)

    def test_filter_window(self):
        expected = gaussian(self.grey, 1, 9, paper_sigma(9))
        self.assert_close(self.blurred("grey.pgm", "--filter-window", 9), expected)

    def test_filter_sigma(self):
        expected = gaussian(self.grey, 1, 15, 1.25)
        self.assert_close(self.blurred("grey.pgm", "--filter-sigma", 1.25), expected)

    def test_sigma(self):
        expected = gaussian(self.grey, 1, 15, 1.25)
        self.assert_close(self.blurred("grey.pgm", "--sigma", 1.25), expected)

    def test_border_mirror(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15), mirrored)
        self.assert_close(self.blurred("grey.pgm", "--border", "mirror"), expected)

    def test_border_reflect101(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15), reflected101)
        self.assert_close(self.blurred("grey.pgm", "--border", "reflect101"), expected)

    def test_preset_authors(self):
        expected = gaussian(self.grey, 1, 15, 2 * math.sqrt(15) + 1, mirrored)
        self.assert_close(self.blurred("grey.pgm", "--preset", "authors"), expected)

    def test_preset_app(self):
        expected = gaussian(self.grey, 1, 15, 2 * math.sqrt(15) + 1, reflected101)
        self.assert_close(self.blurred("grey.pgm", "--preset", "app"), expected)

    def test_preset_paper(self):
        expected = gaussian(self.grey, 1, 15, paper_sigma(15))
        self.assert_close(self.blurred("grey.pgm", "--preset", "paper"), expected)

    def test_iterations(self):
        once = gaussian(self.grey, 1, 7, paper_sigma(7))
        twice = gaussian(once, 1, 7, paper_sigma(7))
        self.assert_close(self.blurred("grey.pgm", "--window", 7, "--iterations", 2), twice)


LEFT = WIDTH // 2


def is_left(i):
    return i % WIDTH < LEFT


class WhereToLearn(FolderTest):
    """The left half has other values than the right one, and only the left is learned from."""

    def setUp(self):
        super().setUp()
        low, high = noise(WIDTH * HEIGHT, 1, 0, 90), noise(WIDTH * HEIGHT, 2, 160, 250)
        self.values = [low[i] if is_left(i) else high[i] for i in range(WIDTH * HEIGHT)]
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, self.values)
        write_rectangle(self.folder / "left.pgm", 0, 0, LEFT, HEIGHT)

    def assert_only_left_changes(self, *options):
        after = samples(self.cof(*options, "grey.pgm", "out.png"))
        changed = [after[i] != self.values[i] for i in range(len(after))]
        self.assertEqual(sum(c for i, c in enumerate(changed) if not is_left(i)), 0)
        self.assertGreater(sum(changed), len(changed) // 3)
        # Nothing of the right half has come over, either.
        self.assertLess(max(after[i] for i in range(len(after)) if is_left(i)), 91)

    def test_without_them_all_changes(self):
        after = samples(self.cof("grey.pgm", "out.png"))
        self.assertGreater(sum(after[i] != self.values[i] for i in range(len(after))),
                           len(after) * 2 // 3)

    def test_mask(self):
        self.assert_only_left_changes("--mask", "left.pgm")

    def test_region(self):
        self.assert_only_left_changes("--region", f"0,0,{LEFT},{HEIGHT}")

    def test_mask_and_region_meet(self):
        write_rectangle(self.folder / "top.pgm", 0, 0, WIDTH, HEIGHT // 2)
        expected = self.cof("--region", f"0,0,{LEFT},{HEIGHT // 2}", "grey.pgm", "a.png")
        both = self.cof("--mask", "top.pgm", "--region", f"0,0,{LEFT},{HEIGHT}", "grey.pgm",
                        "b.png")
        self.assertEqual(both.read_bytes(), expected.read_bytes())

    def test_labels(self):
        write_grey(self.folder / "labels.pgm", WIDTH, HEIGHT,
                   (int(not is_left(i)) for i in range(WIDTH * HEIGHT)))
        self.assert_only_left_changes("--labels", "labels.pgm", "--mask", "left.pgm")

    def test_colours_that_were_not_seen(self):
        flat = [(60, 40, 20) if is_left(i) else (20, 200, 250) for i in range(WIDTH * HEIGHT)]
        jitter = noise(WIDTH * HEIGHT, 3, 0, 2)
        values = [channel + jitter[i] for i, colour in enumerate(flat) for channel in colour]
        write_rgb(self.folder / "in.ppm", WIDTH, HEIGHT, values)
        after = samples(self.cof("--mask", "left.pgm", "in.ppm", "out.png"))
        right = [i for i in range(len(after)) if not is_left(i // 3)]
        self.assertEqual([after[i] for i in right], [values[i] for i in right])
        self.assertNotEqual(list(after), values)

    def test_a_region_is_a_mask_that_is_a_rectangle(self):
        write_photo(self.folder / "in.png")
        write_rectangle(self.folder / "mask.pgm", 5, 7, 20, 11)
        by_mask = self.cof("--mask", "mask.pgm", "in.png", "a.png").read_bytes()
        by_region = self.cof("--region", "5,7,20,11", "in.png", "b.png").read_bytes()
        self.assertEqual(by_mask, by_region)
        self.assertNotEqual(by_mask, self.cof("in.png", "c.png").read_bytes())


class KindsOfMasks(FolderTest):
    """A mask counts where any of its channels is not 0, in every format; alpha is no channel."""

    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")
        write_rectangle(self.folder / "grey.pgm", 5, 7, 20, 11)
        self.expected = self.cof("--mask", "grey.pgm", "in.png", "expected.png").read_bytes()
        self.mask = self.folder / "grey.pgm"

    def assert_the_same(self, name):
        result = self.cof("--mask", name, "in.png", "out.png")
        self.assertEqual(result.read_bytes(), self.expected)

    def test_faint(self):
        vips("linear", self.mask, self.folder / "faint.png", 1 / 255, 0, "--uchar")
        self.assert_the_same("faint.png")

    def test_colour_with_one_channel(self):
        values = [value for v in samples(self.mask) for value in (0, 0, v)]
        write_rgb(self.folder / "blue.ppm", WIDTH, HEIGHT, values)
        self.assert_the_same("blue.ppm")

    def test_alpha(self):
        values = bytes(value for v in samples(self.mask) for value in (v, v, v, 255))
        (self.folder / "rgba.raw").write_bytes(values)
        vips("rawload", self.folder / "rgba.raw", self.folder / "rgba.png", WIDTH, HEIGHT, 4,
             "--interpretation", "srgb")
        self.assert_the_same("rgba.png")

    def test_sixteen_bits(self):
        vips("linear", self.mask, self.folder / "float.v", 1 / 255, 0)
        vips("cast", self.folder / "float.v", self.folder / "word.v", "ushort")
        vips("copy", self.folder / "word.v", self.folder / "word.png", "--interpretation", "grey16")
        self.assertIn(" ushort, 1 band", shape(self.folder / "word.png"))
        self.assert_the_same("word.png")

    def test_float(self):
        vips("linear", self.mask, self.folder / "float.tif", 1 / 255 / 1000, 0)
        self.assertIn(" float, 1 band", shape(self.folder / "float.tif"))
        self.assert_the_same("float.tif")


class Options(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")

    def test_threads_do_not_matter(self):
        crop_photo(self.folder / "in.png", 300, 200)
        expected = self.cof_bytes("--threads", 1)
        for threads in (0, 2, 4, 7):
            with self.subTest(threads=threads):
                self.assertEqual(self.cof_bytes("--threads", threads), expected)

    def test_the_same_again(self):
        self.assertEqual(self.cof_bytes(), self.cof_bytes())

    def test_each_option_does_something(self):
        plain = self.cof_bytes("--iterations", 2)
        for option in ["--window 5", "--sigma 0.5", "--colours 3", "--softness 0",
                       "--normalise marginals", "--filter-window 5", "--filter-sigma 9",
                       "--iterations 3", "--rolling", "--border mirror", "--space rgb",
                       "--preset authors", "--preset app", "--region 0,0,9,9"]:
            with self.subTest(option=option):
                result = self.cof_bytes("--iterations", 2, *option.split())
                self.assertNotEqual(result, plain)

    def test_levels_do_something_to_grey(self):
        write_samples(self.folder / "in.png", 1, "B", "b-w")
        self.assertNotEqual(self.cof_bytes("--levels", 4), self.cof_bytes())
        self.assertEqual(self.cof_bytes("--levels", 256), self.cof_bytes())

    def test_defaults_are_those_of_the_help(self):
        said = """--window 15 --colours 32 --levels 256 --softness 0.75 --normalise counts
            --iterations 1 --border clip --space lab --threads 0 --filter-window 15
            --preset paper"""
        self.assertEqual(self.cof_bytes(*said.split()), self.cof_bytes())

    def test_a_window_of_one_pixel_changes_nothing(self):
        result = self.cof("--window", 1, "in.png", "out.png")
        self.assertEqual(samples(result), samples(self.folder / "in.png"))

    def test_options_win_over_the_preset_wherever_they_stand(self):
        preset = ["--preset", "authors"]
        alone = self.cof_bytes(*preset)
        for option in ["--border clip", "--sigma 0.7", "--filter-sigma 1.5", "--softness 0.75",
                       "--normalise counts"]:
            with self.subTest(option=option):
                after = self.cof_bytes(*preset, *option.split())
                self.assertNotEqual(after, alone)
                self.assertEqual(self.cof_bytes(*option.split(), *preset), after)

    def test_options_may_follow_the_files(self):
        expected = self.cof_bytes("--window", 5, "--rolling")
        done = run_cof(["in.png", "--window=5", "out.png", "--rolling"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out.png").read_bytes(), expected)

    def test_the_last_of_two_wins(self):
        self.assertEqual(self.cof_bytes("--window", 5, "--window", 9),
                         self.cof_bytes("--window", 9))
        self.assertEqual(self.cof_bytes("--preset", "app", "--preset", "authors"),
                         self.cof_bytes("--preset", "authors"))


class HelpAndVersion(FolderTest):
    def test_help_names_every_option(self):
        done = run_cof(["--help"], self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(set(re.findall(r"--[a-z-]+", done.stdout)),
                         {*VALUE_OPTIONS, *PLAIN_OPTIONS})
        self.assertRegex(done.stdout, r"\AUsage: cof ")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_help_needs_no_files_and_makes_none(self):
        done = run_cof(["in.png", "out.png", "--help"], self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_nobody_reads_it(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([COF, "--help"], stdout=full, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 1)

    def test_version_is_that_of_the_header(self):
        text = (ROOT / "include" / "cof" / "cof.h").read_text()
        numbers = re.findall(r"#define COF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
        done = run_cof(["--version"], self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "cof {}.{}.{}\n".format(*numbers))


# What an end before time leaves behind

def caught_signals(process):
    """A set of bits: the signals that a process handles itself."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"^SigCgt:\s*([0-9a-f]+)$", text, re.MULTILINE)
    return int(found[1], 16) if found else 0


@unittest.skipUnless(pathlib.Path("/proc/self/status").exists(), "needs /proc")
class Signals(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "out.png").write_bytes(b"precious")

    def start(self, *arguments, hang_up=signal.SIG_DFL):
        """The tests themselves may run under nohup."""
        process = subprocess.Popen([COF, *arguments], cwd=self.folder, env=ENVIRONMENT, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, hang_up))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, process, happened):
        end = time.monotonic() + TIMEOUT
        while not happened():
            self.assertIsNone(process.poll(), "the command ended too early")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)

    def start_long_run(self, **how):
        write_rgb(self.folder / "in.ppm", 400, 300, random.Random(1).randbytes(400 * 300 * 3))
        process = self.start("--iterations", "1000", "in.ppm", "out.png", **how)
        terminate = 1 << signal.SIGTERM - 1
        self.wait_for(process, lambda: caught_signals(process) & terminate)
        time.sleep(0.2)
        return process

    def assert_ends_without_a_trace(self, process, number):
        process.send_signal(number)
        output = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 128 + number)
        self.assertEqual(output, ("", ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.ppm", "out.png"])
        self.assertEqual((self.folder / "out.png").read_bytes(), b"precious")

    def test_while_filtering(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number.name):
                self.assert_ends_without_a_trace(self.start_long_run(), number)

    def start_long_write(self):
        size = 2500
        write_rgb(self.folder / "in.ppm", size, size, random.Random(1).randbytes(size * size * 3))
        process = self.start("--window", "1", "--colours", "1", "in.ppm", "out.png[compression=9]")
        self.wait_for(process, lambda: any(self.folder.glob(".cof-*")))
        return process

    def test_while_writing(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number.name):
                self.assert_ends_without_a_trace(self.start_long_write(), number)

    def test_an_ignored_signal_stays_ignored(self):
        """As nohup does it."""
        process = self.start_long_run(hang_up=signal.SIG_IGN)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())


def setUpModule():
    if not shutil.which("vips") or not shutil.which("vipsheader"):
        raise unittest.SkipTest("the tool vips is needed (libvips-tools)")
    if not os.access(COF, os.X_OK):
        raise FileNotFoundError(f"no command {COF}; the environment variable COF names it")


if __name__ == "__main__":
    unittest.main()
