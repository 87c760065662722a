#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A fault matrix: what every subcommand that writes does when something goes wrong on the way.

After each fault the old outputs are intact or the new ones complete, no other file is left, and the
exit status and the lines on standard error agree: a line for each output that failed, none for a
signal. COF_FAULT_RUNS is the number of random moments for each signal and for each file that
vanishes (default 2); ./dev test faults sets it to 20.
"""
import contextlib
import functools
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import command
from command import COF, ENVIRONMENT, NOBODY, TIMEOUT, load_vips_modules, vips, write_photo

load_vips_modules(needed=False)
RUNS = int(os.environ.get("COF_FAULT_RUNS", 2))
HAS_FFMPEG = bool(shutil.which("ffmpeg") and shutil.which("ffprobe"))
SEED = int(os.environ.get("COF_FAULT_SEED", random.randrange(10**6)))
OLD = b"precious"


class Subcommand:
    """Arguments, the inputs that may vanish, and the outputs, all in the folders in/ and out/."""

    def __init__(self, arguments, inputs, outputs, stream=None):
        self.arguments, self.inputs, self.outputs = arguments, inputs, outputs
        self.stream = stream  # arguments that write to standard output


MATRIX = {
    "filter": Subcommand("--iterations 4 in/a.png out/o.png", ["a.png"], ["o.png"], "in/a.png -"),
    "batch": Subcommand("in/a.png in/b.tif in/c.ppm -o out", ["b.tif"], ["a.png", "b.tif", "c.ppm"]),
    "learn": Subcommand("learn in/a.png in/b.tif --stats -o out/s.cof", ["b.tif"], ["s.cof"],
                        "learn in/a.png --stats -o -"),
    "merge": Subcommand("merge in/1.cof in/2.cof in/1.cof -o out/s.cof", ["2.cof"], ["s.cof"],
                        "merge in/1.cof in/2.cof -o -"),
    "apply": Subcommand("apply in/m.cof in/a.png out/o.png --residual out/r.png", ["m.cof"],
                        ["o.png", "r.png"], "apply in/m.cof in/a.png -"),
    "select": Subcommand("select in/a.png -o out/mask.pgm --stroke 20,20:5", ["a.png"], ["mask.pgm"],
                         "select in/a.png -o - --format .pgm --stroke 20,20:5"),
    "focus": Subcommand("focus in/a.png out/o.png --stroke 20,20:5 --save-model out/p.cof", ["a.png"],
                        ["o.png", "p.cof"], "focus in/a.png - --stroke 20,20:5"),
}
if HAS_FFMPEG:
    MATRIX["video"] = Subcommand("video in/v.avi out/v.avi", ["v.avi"], ["v.avi"])

counts = {"runs": 0}


def cof(line, folder, **how):
    return subprocess.run([COF, *line.split()], cwd=folder, env=ENVIRONMENT, timeout=TIMEOUT,
                          capture_output=True, **how)


def read(path):
    """The bytes of a file, without the time that libvips writes into PPM files."""
    return re.sub(rb"#vips2ppm[^\n]*\n", b"", path.read_bytes())


@functools.cache
def inputs():
    """The folder in/, made once."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cof-faults-"))
    unittest.addModuleCleanup(shutil.rmtree, folder)
    source = folder / "in"
    source.mkdir()
    write_photo(source / "a.png")
    vips("copy", source / "a.png", source / "b.tif")
    vips("flip", source / "a.png", source / "c.ppm", "horizontal")
    for line in ("learn in/a.png --stats -o in/1.cof", "learn in/c.ppm --palette-from in/1.cof --stats -o in/2.cof",
                 "learn in/a.png -o in/m.cof"):
        done = cof(line, folder)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
    if HAS_FFMPEG:
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.4", "-c:v",
                        "mpeg4", "-q:v", "2", source / "v.avi"], check=True, timeout=TIMEOUT)
    return source


@functools.cache
def reference(name):
    """What a run without a fault writes, and how long it takes."""
    with work_folder(name) as folder:
        start = time.monotonic()
        done = cof(MATRIX[name].arguments, folder)
        seconds = time.monotonic() - start
        if (done.returncode, done.stderr) != (0, b""):
            raise RuntimeError(f"{name}: {done.returncode} {done.stderr}")
        return {o: read(folder / "out" / o) for o in MATRIX[name].outputs}, seconds


@contextlib.contextmanager
def work_folder(name):
    """A folder with in/, and out/ that has old files."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cof-faults-"))
    try:
        folder.chmod(0o755)
        shutil.copytree(inputs(), folder / "in")
        (folder / "out").mkdir()
        for output in MATRIX[name].outputs:
            (folder / "out" / output).write_bytes(OLD)
        yield folder
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def mounted(folder, size):
    """Mounts a file system of this size over a folder; gives False where that is not allowed."""
    kept = {p.name: p.read_bytes() for p in folder.iterdir()}
    ok = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder],
                                              capture_output=True).returncode == 0
    try:
        if ok:
            for name, content in kept.items():
                (folder / name).write_bytes(content)
        yield ok
    finally:
        if ok:
            subprocess.run(["umount", folder], check=True)


def default_signals():
    """The tests themselves may run in the background or under nohup."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Faults(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(f"{SEED} {self.id()}")

    def for_each(self, check, times=1):
        """Calls check(name, row, folder) for every subcommand, each time in a new folder."""
        for name, row in MATRIX.items():
            for i in range(times):
                counts["runs"] += 1
                with self.subTest(f"{name}, run {i + 1}, COF_FAULT_SEED={SEED}"), work_folder(name) as folder:
                    check(name, row, folder)

    def start(self, line, folder, **how):
        return subprocess.Popen([COF, *line.split()], cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, preexec_fn=default_signals, **how)

    def wait_a_moment(self, name):
        """Up to a little more than a run takes."""
        time.sleep(self.random.uniform(0, 1.1) * reference(name)[1])

    def state(self, folder, name):
        """How many outputs are old and new; fails if one is neither, or if there are other files."""
        row, new = MATRIX[name], reference(name)[0]
        self.assertEqual(sorted(os.listdir(folder / "out")), sorted(row.outputs))
        self.assertEqual(sorted(os.listdir(folder)), ["in", "out"])
        contents = {o: read(folder / "out" / o) for o in row.outputs}
        for output, content in contents.items():
            self.assertTrue(content in (OLD, new[output]), f"{output} is neither old nor new")
        n = sum(contents[o] == new[o] for o in row.outputs)
        return len(contents) - n, n

    def assert_lines(self, errors, least, most):
        self.assertRegex(errors.decode(), rf"\A(cof: [^\n]+\n){{{least},{most}}}\Z")

    def assert_failed(self, folder, name, done, words=(b"",)):
        """Exit status 1, a line for each image of a batch and else one, and all outputs old."""
        lines = len(MATRIX[name].outputs) if name == "batch" else 1
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_lines(done.stderr, lines, lines)
        self.assertTrue(any(w in line for w in words for line in done.stderr.splitlines()), done.stderr)
        self.assertEqual(self.state(folder, name)[1], 0, "an output is new")

    def assert_failed_or_done(self, folder, name, status, errors):
        """A line for each output that failed, or success."""
        old, new = self.state(folder, name)
        if status == 0:
            self.assertEqual((errors, old), (b"", 0))
        elif name == "batch":
            self.assertEqual(status, 1, errors)
            self.assert_lines(errors, old, old)
        else:
            self.assertEqual(status, 1, errors)
            self.assert_lines(errors, 1, 1)
            self.assertGreater(old, 0)

    def test_full_disk(self):
        def check(name, row, folder):
            with mounted(folder / "out", "64k") as is_mounted:
                if not is_mounted:
                    return
                self.fill(folder / "out" / ".filler")
                done = cof(row.arguments, folder)
                (folder / "out" / ".filler").unlink()
                self.assert_failed(folder, name, done, (b"No space left", b"cannot be", b"write"))
        self.for_each(check)

    @staticmethod
    def fill(path):
        with open(path, "wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(4096))

    def test_file_size_limit(self):
        """Works without privileges; a write beyond the limit fails as on a full disk."""
        def check(name, row, folder):
            done = cof(row.arguments, folder,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)))
            self.assert_failed(folder, name, done)
        self.for_each(check)

    def test_read_only_folder(self):
        def check(name, row, folder):
            out = folder / "out"
            with mounted(out, "64k") as is_mounted:
                how = {}
                if is_mounted:
                    subprocess.run(["mount", "-o", "remount,ro", out], check=True)
                elif os.geteuid() == 0:
                    how = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
                else:
                    out.chmod(0o555)
                done = cof(row.arguments, folder, **how)
                out.chmod(0o755) if not is_mounted else None
                self.assert_failed(folder, name, done, (b"Read-only", b"Permission denied"))
        self.for_each(check)

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            def check(name, row, folder):
                process = self.start(row.arguments, folder)
                self.wait_a_moment(name)
                process.send_signal(number)
                output = process.communicate(timeout=TIMEOUT)
                self.assertEqual(output, (b"", b""), number.name)
                old, new = self.state(folder, name)
                self.assertIn(process.returncode, (0, -number, 128 + number), number.name)
                if process.returncode == 0:
                    self.assertEqual(old, 0)
            self.for_each(check, RUNS)

    def test_killed(self):
        """Leaves at most a hidden file for each output, which the next run removes."""
        def check(name, row, folder):
            process = self.start(row.arguments, folder)
            self.wait_a_moment(name)
            process.kill()
            self.assertEqual(process.communicate(timeout=TIMEOUT), (b"", b""))
            left = [p for p in (folder / "out").iterdir() if p.name.startswith(".cof-")]
            self.assertLessEqual(len(left), len(row.outputs) if name == "batch" else 1)
            self.assertEqual(sorted(os.listdir(folder)), ["in", "out"])
            self.wait_until_dead(folder)
            self.assert_next_run_cleans_up(folder, name)
        self.for_each(check, RUNS)

    def assert_next_run_cleans_up(self, folder, name):
        for output, content in reference(name)[0].items():
            self.assertTrue(read(folder / "out" / output) in (OLD, content), output)
        done = cof(MATRIX[name].arguments, folder)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.state(folder, name)[0], 0)

    def wait_until_dead(self, folder):
        """Programs that the command has started end with it, but not in the same moment."""
        end = time.monotonic() + TIMEOUT
        while any(os.path.realpath(cwd) == str(folder) for cwd in self.working_folders()):
            self.assertLess(time.monotonic(), end, "a program is still running")
            time.sleep(0.01)

    @staticmethod
    def working_folders():
        for process in pathlib.Path("/proc").iterdir():
            if process.name.isdigit():
                with contextlib.suppress(OSError):
                    yield os.readlink(process / "cwd")

    def test_input_vanishes(self):
        def check(name, row, folder):
            process = self.start(row.arguments, folder)
            self.wait_a_moment(name)
            for vanishing in row.inputs:
                (folder / "in" / vanishing).unlink()
            errors = process.communicate(timeout=TIMEOUT)[1]
            self.assert_failed_or_done(folder, name, process.returncode, errors)
        self.for_each(check, RUNS)

    def test_output_folder_vanishes(self):
        def check(name, row, folder):
            process = self.start(row.arguments, folder)
            self.wait_a_moment(name)
            while (folder / "out").exists():
                shutil.rmtree(folder / "out", ignore_errors=True)
            errors = process.communicate(timeout=TIMEOUT)[1]
            if process.returncode == 0:
                self.assertEqual(errors, b"")
            else:
                self.assertEqual(process.returncode, 1, errors)
                self.assert_lines(errors, 1, len(row.outputs) if name == "batch" else 1)
            left = {p.name for p in (folder / "out").iterdir()} if (folder / "out").exists() else set()
            self.assertLessEqual(left, set(row.outputs) if name == "batch" else set())
            self.assertLessEqual(set(os.listdir(folder)), {"in", "out"})
        self.for_each(check, RUNS)

    def test_memory_limit(self):
        """Address space from a little more than the program needs to start to more than enough. GLib
        crashes where it has no memory for its own error message; then nothing is promised but that
        the outputs are intact and that the next run cleans up."""
        def check(name, row, folder):
            limit = self.random.randrange(*memory_range())
            done = cof(row.arguments, folder,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            with self.subTest(limit=limit):
                if done.returncode in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGTRAP):
                    counts["crashes"] = counts.get("crashes", 0) + 1
                    self.wait_until_dead(folder)
                    self.assert_next_run_cleans_up(folder, name)
                elif name == "batch" and done.stderr == b"cof: not enough memory\n":
                    self.assertEqual(done.returncode, 1)
                    self.state(folder, name)
                else:
                    self.assert_failed_or_done(folder, name, done.returncode, done.stderr)
        self.for_each(check, 2 * RUNS)

    def test_closed_stdout(self):
        def check(name, row, folder):
            done = subprocess.run([COF, *row.arguments.split()], cwd=folder, env=ENVIRONMENT, timeout=TIMEOUT,
                                  stderr=subprocess.PIPE, preexec_fn=lambda: os.closerange(0, 2))
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(self.state(folder, name)[0], 0)
        self.for_each(check)

    def test_standard_output_that_takes_nothing(self):
        """Closed, full, and a pipe that nobody reads; SIGPIPE ends a program without a word."""
        def check(name, row, folder):
            if not row.stream:
                return
            words = [COF, *row.stream.split()]
            for stdout in ("closed", "full", "pipe"):
                read, write = os.pipe()
                os.close(read)
                how = {"closed": {"preexec_fn": lambda: os.close(1)}, "full": {"stdout": open("/dev/full", "wb")},
                       "pipe": {"stdout": write}}[stdout]
                done = subprocess.run(words, cwd=folder, env=ENVIRONMENT, timeout=TIMEOUT,
                                      stderr=subprocess.PIPE, restore_signals=True, **how)
                os.close(write)
                if stdout == "full":
                    how["stdout"].close()
                with self.subTest(stdout=stdout):
                    if done.returncode != -signal.SIGPIPE:
                        self.assertEqual(done.returncode, 1, done.stderr)
                        self.assert_lines(done.stderr, 1, 1)
                        self.assertIn(b"standard output", done.stderr)
                    self.assertEqual(self.state(folder, name)[1], 0)
        self.for_each(check)


@functools.cache
def memory_range():
    """The address space that --version needs, and twice what a run needs."""
    def runs(line, limit):
        with work_folder("filter") as folder:
            return cof(line, folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
                       ).returncode == 0

    def least(line):
        low, high = 1 << 20, 1 << 36
        while high - low > 4 << 20:
            middle = (low + high) // 2
            low, high = (low, middle) if runs(line, middle) else (middle, high)
        return high
    return least("--version"), 2 * least(MATRIX["filter"].arguments)


class CountingResult(unittest.TextTestResult):
    """Counts what failed, also in a test that has several parts."""

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        counts["failed"] = counts.get("failed", 0) + (error is not None)


def setUpModule():
    command.setUpModule()


if __name__ == "__main__":
    runner = unittest.TextTestRunner(resultclass=CountingResult)
    program = unittest.main(testRunner=runner, exit=False)
    print(f"{counts['runs']} runs, {counts.get('failed', 0)} failures, {counts.get('crashes', 0)} crashes of "
          f"GLib without memory, seed {SEED}", flush=True)
    sys.exit(not program.result.wasSuccessful())
