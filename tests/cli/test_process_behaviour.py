#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `cof` preserves (depth, alpha, metadata, file modes), and signals, progress and exit."""
import json
import os
import pathlib
import random
import re
import signal
import stat
import struct
import subprocess
import time
import unittest

from command import (COF, ENVIRONMENT, FolderTest, PLAIN_OPTIONS, ROOT, TIMEOUT, VALUE_OPTIONS,
                     WIDTH, crop_photo, header, load_vips_modules, run_cof, samples, setUpModule, shape, vips,
                     write_photo, write_rgb, write_samples)

load_vips_modules(needed=False)
INTERPRETATIONS = {  # band format: of grey and of colour
    "B": ("b-w", "srgb"),
    "H": ("grey16", "rgb16"),
    "f": ("b-w", "scrgb"),
}


def encoded(light):
    """sRGB of linear light."""
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


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
            self.assertLessEqual(abs(encoded(min(max(value, 0), 1)) * 65535 - sample), 20)

    def test_grey_floats_become_16_bits(self):
        write_samples(self.folder / "in.tif", 1, "f", "b-w")
        floats = samples(self.cof("in.tif", "out.tif"), "f")
        integers = samples(self.cof("in.tif", "out.png"), "H")
        for value, sample in zip(floats, integers):
            self.assertLessEqual(abs(min(max(value, 0), 1) * 65535 - sample), 0.51)

    def test_signed_integers(self):
        write_samples(self.folder / "in.png", 1, "B", "b-w")
        vips("linear", "--", self.folder / "in.png", self.folder / "float.v", 1, -100)
        vips("cast", self.folder / "float.v", self.folder / "in.tif", "short")
        result = self.cof("in.tif", "out.tif")
        self.assertEqual(shape(result), shape(self.folder / "in.tif"))
        self.assertLess(min(samples(result, "h")), 0)

    def test_double_stays_double(self):
        write_samples(self.folder / "in.tif", 1, "f", "b-w")
        vips("cast", self.folder / "in.tif", self.folder / "double.tif", "double")
        result = self.cof("--quiet", "double.tif", "out.tif")
        info = run_cof(["--report", "r.json", "out.tif", "again.tif"], self.folder)
        self.assertIn("64-bit floats", info.stderr)
        vips("copy", self.cof("--quiet", "--strength", "0", result, "double.fits"), self.folder / "double.v")
        self.assertEqual(list(samples(self.folder / "double.v", "d")),
                         list(samples(self.cof("in.tif", "out.tif"), "f")))

    def test_jpeg(self):
        crop_photo(self.folder / "in.jpg")
        result = self.cof("in.jpg", "out.jpg")
        self.assertEqual(shape(result), shape(self.folder / "in.jpg"))
        self.assertEqual(header(result, "vips-loader"), "jpegload")


def exif_segment(description):
    """A JPEG segment whose EXIF data hold an ImageDescription."""
    text = description.encode() + b"\0"
    entry = struct.pack(">HHII", 0x010E, 2, len(text), 8 + 2 + 12 + 4)
    tiff = b"MM\0*" + struct.pack(">IH", 8, 1) + entry + struct.pack(">I", 0) + text
    body = b"Exif\0\0" + tiff
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


class Metadata(FolderTest):
    def metadata(self, path):
        done = subprocess.run(["vipsheader", "-a", path], env=ENVIRONMENT, timeout=TIMEOUT,
                              capture_output=True, text=True, check=True)
        lines = done.stdout.strip().splitlines()
        return [line for line in lines[1:] if not line.startswith("filename:")]

    def assert_all_kept(self, source, result):
        self.assertEqual(self.metadata(result), self.metadata(source))
        profile = header(source, "icc-profile-data")
        self.assertGreater(len(profile), 100)
        self.assertEqual(header(result, "icc-profile-data"), profile)

    def test_icc_profile(self):
        for ending in ["png", "tif", "jpg"]:
            with self.subTest(ending=ending):
                source = self.folder / f"in.{ending}"
                crop_photo(self.folder / "made.tif[profile=srgb]") # pngsave of libvips 8.16 damages it
                vips("copy", self.folder / "made.tif", source)
                self.assert_all_kept(source, self.cof(source.name, f"out.{ending}"))

    def test_exif(self):
        source = self.folder / "in.jpg"
        crop_photo(f"{source}[strip,profile=srgb]")
        jpeg = source.read_bytes()
        source.write_bytes(jpeg[:2] + exif_segment("a cat that looks") + jpeg[2:])
        result = self.cof("in.jpg", "out.jpg")
        self.assertIn("a cat that looks", header(result, "exif-ifd0-ImageDescription"))
        self.assertIn(b"a cat that looks", result.read_bytes())

    def test_metadata_follow_into_another_format(self):
        source = self.folder / "in.png"
        crop_photo(self.folder / "made.tif[profile=srgb]")
        vips("copy", self.folder / "made.tif", source)
        result = self.cof("in.png", "out.jpg")
        self.assertEqual(header(result, "icc-profile-data"),
                         header(source, "icc-profile-data"))


class Files(FolderTest):
    def setUp(self):
        super().setUp()
        write_photo(self.folder / "in.png")

    def mode(self, name):
        return stat.S_IMODE((self.folder / name).stat().st_mode)

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
                self.assertEqual(self.cof("--in-place", "--", name).read_bytes(), expected)

    def test_names_with_quotation_marks(self):
        """libvips splits names into words, and aborts at such a mark at their end."""
        for name in ['"', "'", 'o.png"', 'o.png[Q="']:
            for status, arguments in [(1, f"in.png {name}"), (1, f"--guide {name} in.png out.png"),
                                      (1, f"--residual {name} in.png out.png"),
                                      (2, f"--quality 9 in.png {name}")]:
                with self.subTest(arguments=arguments):
                    self.assert_rejected(arguments, status)
        (self.folder / '"').write_bytes((self.folder / "in.png").read_bytes())
        self.assertEqual(self.cof('"', '"a.png').read_bytes(), self.cof("in.png", "out.png").read_bytes())

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
        real = self.folder / "elsewhere" / "real.png"
        self.assertEqual(shape(real), shape(self.folder / "in.png"))

    def test_options_of_the_format(self):
        write_samples(self.folder / "in.png", 3, "B", "srgb")
        small = self.cof("--window", 1, "in.png", "small.jpg[Q=50]").with_name("small.jpg")
        large = self.cof("--window", 1, "in.png", "large.jpg[Q=98]").with_name("large.jpg")
        self.assertLess(small.stat().st_size * 2, large.stat().st_size)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.png", "large.jpg", "small.jpg"])


class HelpAndVersion(FolderTest):
    def test_help_names_every_option(self):
        done = run_cof(["filter", "--help"], self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(set(re.findall(r"--[a-z-]+", done.stdout)),
                         {*VALUE_OPTIONS, *PLAIN_OPTIONS})
        self.assertRegex(done.stdout, r"\AUsage: cof ")
        self.assertIn("\nCommon options\n", done.stdout)

    def test_help_fits_a_screen(self):
        for verb in ([], ["learn"], ["apply"], ["merge"], ["info"], ["show"], ["filter"],
                     ["select"], ["focus"], ["recolour"], ["video"]):
            done = run_cof([*verb, "--help"], self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\AUsage: cof ")
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_short_forms(self):
        for short, long in (["-h"], ["--help"]), (["-V"], ["--version"]), (["help"], ["--help"]), \
                (["learn", "-h"], ["learn", "--help"]), (["help", "learn"], ["learn", "--help"]), \
                (["recolor", "-h"], ["recolour", "--help"]):
            self.assertEqual(run_cof(short, self.folder).stdout, run_cof(long, self.folder).stdout)

    def test_american_spellings(self):
        write_photo(self.folder / "in.png")
        self.cof("--colours", 5, "--normalise", "marginals", "--kind", "rgb", "in.png", "a.png")
        self.cof("--colors", 5, "--normalize", "marginals", "in.png", "b.png")
        self.assertEqual((self.folder / "a.png").read_bytes(), (self.folder / "b.png").read_bytes())
        self.cof("focus", "in.png", "c.png", "--stroke", "20,20:5", "--background", "gray")
        self.cof("recolor", "in.png", "d.png", "--stroke", "20,20:5", "--color", "#2040e0")

    def test_help_needs_no_files_and_makes_none(self):
        done = run_cof(["in.png", "out.png", "--help"], self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_nobody_reads_it(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([COF, "--help"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=ENVIRONMENT, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "cof: standard output: No space left on device\n"))

    def test_version_is_that_of_the_header(self):
        text = (ROOT / "include" / "cof" / "cof.h").read_text()
        numbers = re.findall(r"#define COF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
        done = run_cof(["--version"], self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "cof {}.{}.{}\n".format(*numbers))


class StandardStreams(FolderTest):
    def test_nothing_but_a_report_is_written_to_a_terminal(self):
        write_rgb(self.folder / "in.ppm", 32, 32, random.Random(1).randbytes(32 * 32 * 3))
        terminal, line = os.openpty()
        for arguments, status in [("in.ppm -", 2), ("--residual - in.ppm out.png", 2),
                                  ("learn in.ppm -o -", 2), ("--report - in.ppm out.png", 0)]:
            with self.subTest(arguments=arguments):
                done = subprocess.run([COF, *arguments.split()], cwd=self.folder, env=ENVIRONMENT,
                                      timeout=TIMEOUT, stdout=line, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual("is a terminal" in done.stderr, status == 2)
        os.close(line)
        os.close(terminal)

    def test_libraries_print_nothing(self):
        """Neither into the image nor beside the lines of the command."""
        write_photo(self.folder / "in.png")
        results = []
        for talks in ({}, {"VIPS_INFO": "1", "G_MESSAGES_DEBUG": "all"}):
            done = subprocess.run([COF, "in.png", "-", "--format", ".png"], cwd=self.folder,
                                  env={**ENVIRONMENT, **talks}, capture_output=True, timeout=TIMEOUT)
            results.append((done.returncode, done.stderr, done.stdout))
        self.assertEqual(results[0][:2], (0, b""))
        self.assertEqual(*results)

    def test_closed_streams(self):
        """No file takes the place of a stream that is closed."""
        write_photo(self.folder / "in.png")
        expected = self.cof("in.png", "out.png").read_bytes()
        talks = {**ENVIRONMENT, "VIPS_INFO": "1", "G_MESSAGES_DEBUG": "all"}
        for closed in ((0, 1), (0, 2), (1, 2), (0, 3)):
            with self.subTest(closed=closed):
                (self.folder / "out.png").unlink()
                done = subprocess.run([COF, "in.png", "out.png"], cwd=self.folder, env=talks, timeout=TIMEOUT,
                                      preexec_fn=lambda: os.closerange(*closed))
                self.assertEqual(done.returncode, 0)
                self.assertEqual((self.folder / "out.png").read_bytes(), expected)
        for arguments, number, name in (("in.png - --format .png", 1, "standard output"),
                                        ("learn in.png -o -", 1, "standard output"), ("- a.png", 0, "-")):
            done = subprocess.run([COF, *arguments.split()], cwd=self.folder, env=ENVIRONMENT, timeout=TIMEOUT,
                                  stderr=subprocess.PIPE, preexec_fn=lambda: os.close(number), text=True)
            self.assertEqual((done.returncode, done.stderr), (1, f"cof: {name}: Bad file descriptor\n"))
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.png", "out.png"])

    @unittest.skipUnless(pathlib.Path("/proc/self/fd").exists(), "needs /proc")
    def test_names_of_streams(self):
        write_photo(self.folder / "in.png")
        (self.folder / "link").symlink_to("/dev/stdout")
        for name, stream in (("/dev/stdout", "stdout"), ("link", "stdout"), ("/proc/self/fd/1", "stdout"),
                             ("/dev/stderr", "stderr"), ("/proc/self/fd/2", "stderr")):
            for words in (["--report", name], [f"--report={name}"]):
                with self.subTest(words=words):
                    done = run_cof([*words, "in.png", "out.png"], self.folder)
                    self.assertEqual(done.returncode, 0)
                    self.assertEqual(json.loads(getattr(done, stream))["width"], WIDTH)
                    with open(self.folder / "file.json", "wb") as file:
                        subprocess.run([COF, *words, "in.png", "out.png"], cwd=self.folder, env=ENVIRONMENT,
                                       timeout=TIMEOUT, check=True, **{stream: file})
                    self.assertEqual(json.loads((self.folder / "file.json").read_text())["width"], WIDTH)

    def feed(self, path, source):
        """Writes a file into a pipe."""
        writer = subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', source, path], cwd=self.folder)
        self.addCleanup(writer.wait)
        self.addCleanup(writer.kill)

    def test_pipes(self):
        write_photo(self.folder / "in.png")
        expected = self.cof("in.png", "out.png").read_bytes()
        os.mkfifo(self.folder / "pipe")
        for reader in ("auto", "vips"):
            self.feed("pipe", "in.png")
            self.assertEqual(self.cof("--reader", reader, "pipe", "out.png").read_bytes(), expected)
        self.feed("pipe", "in.png")
        self.cof("--mask", "pipe", "in.png", "out.png")
        self.feed("pipe", "in.png")
        self.assertEqual(run_cof(["pipe", "-o", "folder/"], self.folder).returncode, 0)
        self.assertEqual((self.folder / "folder" / "pipe.png").read_bytes(), expected)
        for line in ("pipe out.png", "--reader gdal pipe out.tif"):
            self.feed("pipe", "/dev/null")
            self.assert_rejected(line, 1, "pipe: is empty")
        self.assert_rejected("--in-place pipe", 2, "pipe: is not a file")

    def test_devices(self):
        write_photo(self.folder / "in.png")
        for device in ("/dev/zero", "/dev/null"):
            for line in ("{} out.png", "{} -o folder", "--reader vips {} out.png", "--reader gdal {} out.tif",
                         "--mask {} in.png out.png", "--model {} in.png out.png", "--matrix {} in.png out.png"):
                with self.subTest(device=device, line=line):
                    self.assert_rejected(line.format(device), 1, f"{device}: is neither a file nor a pipe")

    def test_no_folder_for_copies(self):
        write_photo(self.folder / "in.png")
        with open(self.folder / "in.png", "rb") as file:
            done = subprocess.run([COF, "-", "out.png"], cwd=self.folder, env={**ENVIRONMENT, "TMPDIR": "/no/folder"},
                                  stdin=file, capture_output=True, timeout=TIMEOUT, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "cof: /no/folder: No such file or directory\n"))

    def test_an_input_that_cannot_be_read(self):
        folder = os.open(self.folder, os.O_RDONLY)
        for arguments, name in [("--raw 8x8:rgb24 - -", "standard input"), ("- out.png", "-")]:
            done = run_cof(arguments.split(), self.folder, stdin=folder)
            self.assertEqual((done.returncode, done.stderr), (1, f"cof: {name}: Is a directory\n"))
        os.close(folder)


def caught_signals(process):
    """A set of bits: the signals that a process handles itself."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"^SigCgt:\s*([0-9a-f]+)$", text, re.MULTILINE)
    return int(found[1], 16) if found else 0


class Progress(FolderTest):
    def watch(self, *arguments, status=0):
        """The terminal output of a run."""
        terminal, line = os.openpty()
        process = subprocess.Popen([COF, *arguments], cwd=self.folder, env=ENVIRONMENT, stderr=line)
        os.close(line)
        seen = b""
        while True:
            try:
                some = os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
            if not some:
                break
            seen += some
        os.close(terminal)
        self.assertEqual(process.wait(timeout=TIMEOUT), status)
        return seen

    def watch_long_run(self, *options, name="in.ppm"):
        """A run of some seconds; with the sanitizers, a few passes take that long."""
        write_rgb(self.folder / name, 900, 900, random.Random(1).randbytes(900 * 900 * 3))
        passes = 6 if "COF_SANITIZED" in os.environ else 60
        return self.watch("--threads", "1", "--iterations", str(passes), *options, name, "out.png")

    def test_on_a_terminal(self):
        name = "a name that is much too long for one \x1b[7m line.ppm"
        seen = self.watch_long_run(name=name)
        lines = seen.decode().split("\r\x1b[K")
        self.assertRegex(lines[1], r"\Afiltering a name that \.\.\.[^.]+\.ppm \[[#.]+\] +\d+ %")
        # A slow machine draws its first line before there is an estimate.
        self.assertTrue(any(re.search(r"\d+ %, \d:\d\d left\Z", line) for line in lines), lines)
        self.assertEqual((lines[0], lines[-1]), ("", ""))
        self.assertLessEqual(max(map(len, lines)), 79)
        self.assertNotIn("\x1b", "".join(lines))

    def test_several_files(self):
        """The bar is there from the start, and counts up to the number of files."""
        for i in range(4):
            write_photo(self.folder / f"{i}.png")
        seen = self.watch("0.png", "1.png", "2.png", "3.png", "-o", "out", "--threads", "1")
        self.assertTrue(seen.startswith(b"\r\x1b[K0 of 4 images ["), seen[:40])
        counts = [int(n) for n in re.findall(rb"(\d) of 4 images", seen)]
        self.assertEqual(counts, sorted(counts))
        self.assertEqual(counts[-1], 4)
        percents = [int(n) for n in re.findall(rb"(\d+) %", seen)]
        self.assertEqual((percents, percents[-1]), (sorted(percents), 100))

    def test_errors_have_their_own_line(self):
        write_photo(self.folder / "in.png")
        (self.folder / "text.png").write_text("no image")
        seen = self.watch("text.png", "in.png", "-o", "out", "--threads", "1", status=1)
        self.assertRegex(seen, rb"\A\r\x1b\[K0 of 2 images [^\r\n]+\r\x1b\[Kcof: text\.png: [^\r\n]+\r\n")
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen[-40:])

    def test_quiet(self):
        self.assertEqual(self.watch_long_run("--quiet"), b"")


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

    def test_killed_at_once(self):
        """SIGKILL leaves no chance to clean up, but the old file stays intact, and the next run in
        the folder removes what was left; it leaves alone what may belong to somebody else."""
        process = self.start_long_write()
        process.kill()
        process.communicate(timeout=TIMEOUT)
        self.assertEqual((self.folder / "out.png").read_bytes(), b"precious")
        left = [name for name in os.listdir(self.folder) if name.startswith(".cof-")]
        self.assertEqual(len(left), 1)
        self.assertEqual(sorted(set(os.listdir(self.folder)) - set(left)), ["in.ppm", "out.png"])
        space, number = re.match(r"\.cof-([0-9a-f]{8})-(\d+)-\w{6}\.png\Z", left[0]).groups()
        self.assertEqual(int(number), process.pid)
        other = "00000000" if space != "00000000" else "11111111"
        kept = [f".cof-{space}-{os.getpid()}-abcdef.png",  # of a process that runs
                f".cof-{other}-{number}-abcdef.png",  # of another machine or container
                f".cof-{space}-{number}-abcdef-mine.png", f".cof-{space}-{number}x-abcdef.png",
                f".cof-{space}--1-abcdef.png", f".cof-{space}-0-abcdef.png", ".cof-abcdef.png",
                f"x.cof-{space}-{number}-abcdef.png"]
        for name in kept:
            (self.folder / name).write_bytes(b"mine")
        (self.folder / f".cof-{space}-{number}-folder.png").mkdir()
        (self.folder / f".cof-{space}-{number}-symbol.png").symlink_to("in.ppm")
        (self.folder / f".cof-{space}-{number}-gonee9.tif").write_bytes(b"left by the same process")
        write_rgb(self.folder / "in.ppm", 16, 16, bytes(16 * 16 * 3))
        self.assertEqual(run_cof(["in.ppm", "out.png"], self.folder).returncode, 0)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         sorted([*kept, "in.ppm", "out.png", f".cof-{space}-{number}-folder.png",
                                 f".cof-{space}-{number}-symbol.png"]))

    def test_an_ignored_signal_stays_ignored(self):
        """Ignores SIGHUP, as under nohup."""
        process = self.start_long_run(hang_up=signal.SIG_IGN)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    unittest.main()
