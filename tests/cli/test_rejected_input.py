#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Input that `cof` rejects: one line names the file and the cause, and no file is left behind."""
import gzip
import os
import resource
import shlex
import struct
import subprocess
import typing
import unittest
import unittest.mock
import zlib

from command import (ENVIRONMENT, FolderTest, HEIGHT, NOBODY, ROOT, VALUE_OPTIONS, WIDTH, load_vips_modules,
                     noise, run_cof, setUpModule, snapshot, vips, write_grey, write_photo, write_rgb,
                     write_samples)

load_vips_modules(needed=False)


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
    usage("in.png out.png -- --update model", "more than two files"),
    usage("--filter 5 in.png out.png", "--filter"),
    usage("--quiet=5 in.png out.png", "--quiet takes no value"),
    *(usage(f"--update {what} {other} in.png in.png out.png",
            f"--update {what} cannot be combined with {other}")
      for what in ("labels", "model") for other in ("--labels", "--guide")),
    *(usage(f"--update model {other} in.png in.png out.png",
            f"--update model cannot be combined with {other}")
      for other in ("--learn-from", "--model", "--matrix", "--save-model")),
    usage("nonsense in.png out.png", "nonsense is neither a subcommand nor a file"),
    usage("lern in.png -o out.png", "unknown subcommand lern; did you mean learn?"),
    usage("in.png in.png out.png --mask", "--mask needs a value"),
    *(usage(f"in.png out.png {option}", f"{option} needs a value") for option in VALUE_OPTIONS),

    *bad_values("--window", "--window must be",
                ["five", "", "5.5", "5x", "nan", "inf", "0x5", "99999999999"]),
    *bad_values("--window", "--window must be an odd number from 1 to 63", ["0", "-3", "4", "65"]),
    *bad_values("--filter-window", "--filter-window must be", ["wide", "", "nan"]),
    *bad_values("--filter-window", "--filter-window must be 0 or an odd number from 1 to 255",
                ["-3", "8", "257"]),
    *bad_values("--colours", "--colours must be", ["many", "", "1.5", "inf"]),
    *bad_values("--colours", "--colours must be 1 to 256", ["0", "-1", "257"]),
    *bad_values("--levels", "--levels must be", ["all", "", "nan"]),
    *bad_values("--levels", "--levels must be 2 to 256", ["0", "1", "-2", "257"]),
    *bad_values("--iterations", "--iterations must be", ["twice", "", "inf"]),
    *bad_values("--iterations", "--iterations must be 0 to 1000", ["-1", "1001"]),
    *bad_values("--threads", "--threads must be", ["two", "", "nan"]),
    *bad_values("--threads", "--threads must be 0 to 1024", ["-1", "1025"]),
    *bad_values("--sigma", "--sigma must be", ["broad", "", "1,5", "2px"]),
    *bad_values("--sigma", "--sigma must be 0 or 0.001 to 1000000", ["-1", "nan", "inf", "1e7", "0.0001"]),
    *bad_values("--filter-sigma", "--filter-sigma must be", ["broad", "", "1,5"]),
    *bad_values("--filter-sigma", "--filter-sigma must be", ["-1", "nan", "inf", "1e7"]),
    *bad_values("--softness", "--softness must be", ["soft", "", "1/2"]),
    *bad_values("--softness", "--softness must be 0 to 16", ["-0.5", "16.5", "nan", "inf"]),

    *bad_values("--variant", "--variant must be paper, authors or app", ["book", "", "Paper"]),
    *bad_values("--preset", "--preset must be subtle, texture, cartoon, flat, video, portrait or drawing",
                ["none", "", "Texture"]),
    *bad_values("--size", "--size must be", ["large", "", "1x", "fine"]),
    *bad_values("--size", "--size must be 0.25 to 4", ["0", "0.2", "-1", "4.5", "nan"]),
    usage("--size 2 in.png out.png", "--size needs --preset"),
    *bad_values("--downscale", "--downscale must be", ["very", "", "1.5", "nan"]),
    *bad_values("--downscale", "--downscale must be 1 to 64", ["0", "-1", "65"]),
    *bad_values("--border", "--border must be clip, mirror or reflect101", ["wrap", "", "reflect"]),
    *bad_values("--normalise", "--normalise must be counts or marginals", ["none", ""]),
    *bad_values("--space", "--space must be lab or native", ["xyz", ""]),
    *bad_values("--method", "--method must be exact, fast or auto", ["quick", "", "Fast"]),
    *bad_values("--accuracy", "--accuracy must be", ["good", "", "45dB"]),
    *bad_values("--accuracy", "--accuracy must be 30 to 70", ["0", "29", "71", "nan", "inf"]),
    *bad_values("--fidelity", "--fidelity must be 0 to 3", ["-1", "4"]),
    *bad_values("--fidelity", "--fidelity must be", ["", "1.5", "high", "nan"]),
    *bad_values("--refine", "--refine must be 0 to 16", ["-1", "17"]),
    *bad_values("--palettes", "--palettes must be 1 to 8", ["0", "9", "-1"]),
    *bad_values("--palettes", "--palettes must be", ["", "2.5", "many"]),
    *bad_values("--separation", "--separation must be 0 to 1", ["-0.1", "1.5", "nan"]),
    *bad_values("--strength", "--strength must be 0 to 1", ["-0.1", "1.1", "nan"]),
    *bad_values("--detail", "--detail must be -1 to 4", ["-1.5", "4.5", "inf", "nan"]),
    *bad_values("--sampling", "--sampling must be auto or all", ["some", ""]),
    *bad_values("--seed", "--seed must be", ["x", "", "-1", "1.5", "99999999999999999999"]),
    *bad_values("--range", "--range must be LOW,HIGH", ["", "1", "1,", "2,1", "1,1", "a,b", "1,2,3"]),
    *bad_values("--tolerance", "--tolerance must be", ["", "x", "-1", "1e13", "nan"]),
    *bad_values("--update", "--update must be none, labels or model", ["rolling", ""]),
    *bad_values("--kind", "--kind must be auto, grey, grey-alpha, rgb, rgba or bands", ["lab", ""]),
    usage("--exact-soft --update model in.png out.png", "--exact-soft"),
    *(usage(f"{downscale} {other} in.png out.png",
            f"{downscale.split()[0]} cannot be combined with {other.rpartition(' labels')[0] or other}")
      for downscale in ("--preset subtle", "--downscale 2")
      for other in ("--update model", "--exact-soft", "--labels labels.png")),
    *(usage(f"--preset cartoon --downscale 1 {option} in.png in.png out.png",
            f"--preset cartoon cannot be combined with {option}") for option in ("--guide", "--labels")),
    *(usage(f"{options} in.png out.png", "; add --downscale 1")
      for options in ("--preset texture --update model", "video --preset texture --stroke 5,5")),
    usage("--preset subtle --update labels --guide in.png in.png out.png",
          "--update labels cannot be combined with --guide"),
    usage("in.png in.png -o out.png", "-o out.png must be a folder"),
    usage("in.png text.png -o out.jpg[Q=90]", "-o out.jpg[Q=90] must be a folder"),
    *(usage(f"{verb} in.png -o out.PNG", "a model needs the suffix .cof")
      for verb in ("learn", "merge")),
    usage("select --mask in.png in.png -o out.png", "select has no --mask; see cof select --help"),
    usage("--stroke=5,5 in.png out.png", "filter has no --stroke; see cof filter --help"),
    usage("learn --preset subtle --exact-soft in.png -o out.cof", "--preset cannot be combined with"),
    *(usage(f"{verb} --preset subtle in.png out.png --stroke 5,5", f"{verb} has no --preset")
      for verb in ("select", "recolour", "merge", "info")),
    *bad_values("--region", "--region must be X,Y,WIDTH,HEIGHT",
                ["", "here", "1,2,3", "1,2,3,4,5", "1,2,3,4,", "1;2;3;4", "0,0,5,5px", "1.5,0,5,5",
                 "nan,0,5,5", "-1,0,5,5", "0,-1,5,5", "0,0,0,5", "0,0,5,-1",
                 "4294967296,0,5,5", "0,0,5,4294967301"]),
]
INPUT_ROWS = [
    Row("missing.png out.png", 1, "No such file", "missing.png"),
    Row("'' out.png", 1, "No such file", ""),
    Row("folder.png out.png", 2, "must be a folder", "out.png"),
    Row("folder.png -o new", 1, "has no images", "folder.png"),
    Row("empty.png out.png", 1, "", "empty.png"),
    Row("text.png out.png", 1, "is in no format that cof reads", "text.png"),
    Row("cut_early.png out.png", 1, "", "cut_early.png"),
    Row("cut_late.png out.png", 1, "", "cut_late.png"),
    Row("damaged.png out.png", 1, "", "damaged.png"),
    Row("cut.jpg out.png", 1, "", "cut.jpg"),
    Row("cut.tif out.png", 1, "", "cut.tif"),
    Row("cut.pgm out.png", 1, "", "cut.pgm"),
    Row("zeros.gif out.png", 1, "lacks pixels of a frame", "zeros.gif"),
    Row("screen.gif out.png", 1, "frames do not fill its screen", "screen.gif"),
    Row("'two\nlines.png' out.png", 1, "No such file", "two?lines.png"),
    Row("huge.pgm out.png", 1, "", "huge.pgm"),
    Row("nonsense.pgm out.png", 1, "", "nonsense.pgm"),
    Row("complex.tif out.tif", 1, "complex", "complex.tif"),
    Row("bands65.tif out.png", 1, "more than 64 bands", "bands65.tif"),
    Row("missing.png in.png", 1, "No such file", "missing.png"),
    Row(f"--region {WIDTH},0,5,5 in.png out.png", 1, "region", "in.png"),
    Row(f"--region 0,{HEIGHT},5,5 in.png out.png", 1, "region", "in.png"),
    Row("--region 2147483647,0,2147483647,5 in.png out.png", 1, "region", "in.png"),
]
MASK_AND_LABEL_ROWS = [
    Row("--mask missing.png in.png out.png", 1, "No such file", "missing.png"),
    Row("--mask folder.png in.png out.png", 1, "folder", "folder.png"),
    Row("--mask text.png in.png out.png", 1, "is in no format that cof reads", "text.png"),
    Row("--mask cut_late.png in.png out.png", 1, "", "cut_late.png"),
    Row("--mask small.pgm in.png out.png", 1, "size", "small.pgm"),
    Row("--mask black.pgm in.png out.png", 1, "nothing to learn from", "black.pgm"),
    Row("--mask missing.png --in-place in.png", 1, "No such file", "missing.png"),
    Row("--labels missing.png in.png out.png", 1, "No such file", "missing.png"),
    Row("--labels folder.png in.png out.png", 1, "folder", "folder.png"),
    Row("--labels text.png in.png out.png", 1, "is in no format that cof reads", "text.png"),
    Row("--labels grey16.png in.png out.png", 1, "8 bits and one band", "grey16.png"),
    Row("--labels rgb.ppm in.png out.png", 1, "8 bits and one band", "rgb.ppm"),
    Row("--labels small.pgm in.png out.png", 1, "size", "small.pgm"),
    Row("--labels labels.png --colours 5 in.png out.png", 1, "label", "labels.png"),
    Row("--labels labels.png --mask black.pgm in.png out.png", 1, "nothing to learn", "black.pgm"),
    Row("--labels labels.png --mask small.pgm in.png out.png", 1, "size", "small.pgm"),
]
OUTPUT_ROWS = [
    Row("in.png out.xyz", 1, "suffix", "out.xyz"),
    Row("in.png out", 1, "suffix", "out"),
    Row("in.png ''", 1, "suffix", ""),
    Row("in.png out.png[", 1, "suffix", "out.png["),
    *(Row(f"--strength 0 {depth}.tif out.{name}", 1, "cannot be written in this format", f"out.{name}")
      for depth, names in (("signed", "png jpg"), ("wide", "png jpg jp2")) for name in names.split()),
    Row("in.png nowhere/out.png", 1, "No such file or directory", "nowhere/out.png"),
    Row("in.png text.png/out.png", 1, "Not a directory", "text.png/out.png"),
    Row("--residual folder.png in.png out.png", 1, "directory", "folder.png"),
    Row("in.png out.png[nonsense=1]", 1, "nonsense", "out.png"),
    Row("in.png out.jpg[Q=5000]", 1, "", "out.jpg"),
    Row(f"in.png {'n' * 300}.png", 1, "File name too long", f"{'n' * 300}.png"),
]


def write_damaged_inputs(folder):
    png = (folder / "in.png").read_bytes()
    (folder / "empty.png").touch()
    (folder / "text.png").write_text("This is no image.\n")
    (folder / "cut_early.png").write_bytes(png[:len(png) // 20])
    (folder / "cut_late.png").write_bytes(png[:len(png) * 3 // 4])
    middle = png.index(b"IDAT") + 1000
    (folder / "damaged.png").write_bytes(png[:middle] + bytes(8) + png[middle + 8:])
    for name, part in [("cut.jpg", 0.6), ("cut.tif", 0.3)]:
        vips("copy", folder / "in.png", folder / name)
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[:int(len(whole) * part)])
    (folder / "cut.pgm").write_bytes(b"P5\n20 20\n255\nabc")
    vips("copy", folder / "in.png", folder / "zeros.gif")
    gif = (folder / "zeros.gif").read_bytes()
    (folder / "zeros.gif").write_bytes(gif[:-600] + bytes(500) + gif[-100:])
    (folder / "screen.gif").write_bytes(gif[:6] + b"\0\x10\0\x10" + gif[10:])
    (folder / "huge.pgm").write_bytes(b"P5\n20000 20000\n255\nabc")
    (folder / "nonsense.pgm").write_bytes(b"P5\nwide high\n255\nabc")


def write_unwanted_inputs(folder):
    vips("cast", folder / "in.png", folder / "complex.tif", "complex")
    vips("cast", folder / "in.png", folder / "signed.tif", "short")
    vips("cast", folder / "in.png", folder / "wide.tif", "uint")
    vips("black", folder / "bands65.tif", 4, 4, "--bands", 66)
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

    def assert_rejected(self, row, **how):
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
    """Runs each table twice: without an output file, and with one that must not change."""

    def setUp(self):
        super().setUp()
        write_damaged_inputs(self.folder)
        write_unwanted_inputs(self.folder)

    def assert_all_rejected(self, rows):
        for row in rows:
            with self.subTest(arguments=row.arguments, output="new"):
                self.assert_rejected(row)
        self.write_precious_outputs()
        for row in rows:
            with self.subTest(arguments=row.arguments, output="precious"):
                self.assert_rejected(row)

    def test_wrong_usage(self):
        self.assert_all_rejected(USAGE_ROWS)

    def test_inputs(self):
        self.assert_all_rejected(INPUT_ROWS)

    def test_masks_and_labels(self):
        self.assert_all_rejected(MASK_AND_LABEL_ROWS)

    def test_outputs(self):
        self.assert_all_rejected(OUTPUT_ROWS)

    def test_the_good_files_of_the_tables_are_good(self):
        self.cof("--labels", "labels.png", "--colours", 6, "in.png", "out.png")
        self.cof("--mask", "rgb.ppm", "--region", "0,0,5,5", "in.png", "out.jpg[Q=90]")


class SlowHeaders(RefusalTest):
    """Small files that would be read for hours, or unpacked in memory: a time limit ends the test."""

    def rejected(self, name, data, words):
        (self.folder / name).write_bytes(data)
        self.assert_rejected(Row(f"{name} out.tif", 1, words, name))

    def filtered(self, name, data, lost):
        (self.folder / name).write_bytes(data)
        done = run_cof([name, "out.tif"], self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"cof: note: {name}: not kept in out.tif: {lost}\n"))

    def test_boxes_that_begin_behind_their_end(self):
        cell = struct.pack(">I4s4I", 8, b"meta", 16, 12, 0, 0)
        self.rejected("boxes.heic", struct.pack(">I4s4sI4s4s", 24, b"ftyp", b"heic", 0, b"mif1", b"heic")
                      + cell * 1000 + bytes(64), "")

    def test_many_exif_chunks(self):
        def chunk(name, data):
            return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        exif = chunk(b"eXIf", b"MM\0*" + struct.pack(">IH", 8, 65535))
        self.filtered("exif.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", 1, 1, 8, 0, 0, 0, 0))
                      + chunk(b"IDAT", zlib.compress(b"\0\0")) + exif * 50000
                      + chunk(b"junk", bytes(900000)) + chunk(b"IEND", b""), "EXIF behind the pixels")

    def test_many_thumbnails_without_an_end(self):
        xmp = b"<a:Thumbnails>" * 60000
        entries = [(256, 3, 1, 1), (257, 3, 1, 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
                   (273, 4, 1, 8), (277, 3, 1, 1), (278, 3, 1, 1), (279, 4, 1, 1), (700, 1, len(xmp), 9)]
        self.filtered("xmp.tif", struct.pack("<2sHIB", b"II", 42, 9 + len(xmp), 99) + xmp
                      + struct.pack("<H", len(entries))
                      + b"".join(struct.pack("<HHII", *entry) for entry in entries) + bytes(4), "XMP")

    def test_compressed_fits(self):
        fits = (ROOT / "tests" / "data" / "corpus" / "int16.fits").read_bytes()
        self.rejected("packed.fits.gz", gzip.compress(fits), "is in no format that cof reads")


class LoudLibraries(RefusalTest):
    def setUp(self):
        super().setUp()
        as_before = unittest.mock.patch.dict(ENVIRONMENT)
        as_before.start()
        self.addCleanup(as_before.stop)
        load_vips_modules()

    def test_jxl(self):
        """Debian's libjxl prints lines of its own about this file, also among others."""
        try:
            vips("copy", self.folder / "in.png", self.folder / "good.jxl")
        except RuntimeError as error:
            self.skipTest(f"this libvips has no JPEG XL: {error}")
        good = (self.folder / "good.jxl").read_bytes()
        (self.folder / "bad.jxl").write_bytes(good[:4] + bytes(len(good) - 4))
        self.assert_rejected(Row("bad.jxl out.png", 1, "", "bad.jxl"))
        done = run_cof(["bad.jxl", "good.jxl", "gone.png", "-o", "out"], self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex("\n".join(sorted(done.stderr.splitlines())),
                         r"\Acof: bad.jxl: [^\n]+\ncof: gone.png: [^\n]+\Z")
        self.assertEqual(os.listdir(self.folder / "out"), ["good.jxl"])


class NoPermission(RefusalTest):
    """Root ignores permissions, so these tests run as nobody."""

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
        self.assert_rejected(row, **self.how)


class FullDisk(RefusalTest):
    def limit_files(self, size):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}

    def assert_rejected_by_limit(self, size):
        for name in ["out.png", "out.jpg", "out.tif", "out.ppm", "out.fits"]:
            with self.subTest(output=name, size=size):
                self.assert_rejected(Row(f"in.png {name}", 1, "", name), **self.limit_files(size))

    def test_no_room_at_all(self):
        self.assert_rejected_by_limit(0)

    def test_no_room_for_all_of_it(self):
        self.assert_rejected_by_limit(1024)

    def test_no_room_to_overwrite(self):
        self.write_precious_outputs()
        self.assert_rejected_by_limit(1024)

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
                self.assert_rejected(Row(f"in.png {name}", 1, "", name))


if __name__ == "__main__":
    unittest.main()
