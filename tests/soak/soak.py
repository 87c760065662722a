#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Uses libcof for a long time and watches what piles up.

usage: soak.py MINUTES [--seed N]

Three things run side by side: random API calls in one C process, random calls of the Python package
in another one, and random commands, one in five of which is ended by a signal. Once a minute a line
gives the resident memory, descriptors and threads of the two processes and the number of files that
the commands left. In the end, memory may have grown by less than 1 MB since the fifth minute (since
half of the time if the run is shorter than ten minutes), descriptors and threads not at all, and no
file may be left. Exit status 1 otherwise.

COF, COF_LIBRARY and COF_SOAK_API name the command, the library and the C program.
"""
import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PHOTOS = ROOT / "tests" / "data" / "photos"
MAX_GROWTH = 1024  # kB
SETTLED = 5  # minutes
ENVIRONMENT = {**os.environ, "LC_ALL": "C", "PYTHONPATH": str(ROOT / "python")}

Usage = collections.namedtuple("Usage", "calls memory descriptors threads")

COMMANDS = [
    "a.png out/o.png", "a.png b.tif c.ppm -o out", "a.png out/o.webp --preset texture", "gone.png out/o.png",
    "damaged.png out/o.png", "a.png damaged.png b.tif -o out", "learn a.png -o out/m.cof",
    "learn a.png --stats -o out/s.cof", "merge 1.cof 1.cof -o out/s.cof", "apply m.cof a.png out/o.png",
    "apply damaged.png a.png out/o.png", "select a.png -o out/mask.png --stroke 20,20:5",
    "focus a.png out/o.png --stroke 20,20:5", "recolour a.png out/o.png --stroke 20,20:5 --colour #2040c0",
    "show m.cof -o out/m.png", "info m.cof --json", "a.png out/o.png --report out/r.json",
    "--wrong a.png out/o.png", "a.png missing/o.png",
]
VIDEOS = ["video v.avi out/v.mkv", "video v.avi out/v.avi --adapt 0.2", "video damaged.avi out/v.avi"]


class Worker:
    """A process that prints its usage every second."""

    def __init__(self, name, arguments):
        self.name, self.lines = name, []
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(Usage(*map(int, line.split())))

    def usage(self):
        """Of the last seconds: memory varies a little, so that the least counts."""
        last = self.lines[-20:]
        return Usage(last[-1].calls, *(min(getattr(u, f) for u in last)
                                       for f in ("memory", "descriptors", "threads"))) if last else None

    def problems(self, before):
        """What has piled up since `before`."""
        after = self.usage()
        if self.process.poll() is not None:
            return [f"{self.name} ended with status {self.process.returncode}"]
        if not before or not after or after.calls == before.calls:
            return [f"{self.name} did nothing"]
        found = []
        if after.memory - before.memory >= MAX_GROWTH:
            found.append(f"{self.name}: memory grew from {before.memory} kB to {after.memory} kB")
        for field in ("descriptors", "threads"):
            if getattr(after, field) > getattr(before, field):
                found.append(f"{self.name}: {field} grew from {getattr(before, field)} to {getattr(after, field)}")
        return found


class Commands(threading.Thread):
    """Runs random commands, one after the other."""

    def __init__(self, command, folder, seed):
        super().__init__(daemon=True)
        self.command, self.folder, self.random = command, folder, random.Random(seed)
        self.done, self.wrong, self.stopped = 0, [], False
        self.lines = COMMANDS * 3 + (VIDEOS if shutil.which("ffmpeg") else [])
        self.prepare()

    def prepare(self):
        for name, photo in (("a.png", "chelsea.png"), ("b.tif", "coffee.png"), ("c.ppm", "astronaut.png")):
            subprocess.run(["vips", "crop", PHOTOS / photo, self.folder / name, "120", "90", "64", "48"], check=True)
        data = (self.folder / "a.png").read_bytes()
        (self.folder / "damaged.png").write_bytes(data[:len(data) // 2])
        for line in ("learn a.png -o m.cof", "learn a.png --stats -o 1.cof"):
            subprocess.run([self.command, *line.split()], cwd=self.folder, check=True)
        if shutil.which("ffmpeg"):
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.4", "-c:v", "mpeg4",
                            self.folder / "v.avi"], check=True)
            video = (self.folder / "v.avi").read_bytes()
            (self.folder / "damaged.avi").write_bytes(video[:len(video) // 2])
        self.known = {"out", *os.listdir(self.folder)}

    def run(self):
        while not self.stopped:
            self.run_one(self.random.choice(self.lines))
            self.done += 1

    def run_one(self, line):
        (self.folder / "out").mkdir()
        process = subprocess.Popen([self.command, *line.split()], cwd=self.folder, env=ENVIRONMENT,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        number = self.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
        if self.random.randrange(5) == 0:
            time.sleep(self.random.uniform(0, 0.3))
            process.send_signal(number)
        errors = process.communicate(timeout=300)[1].decode(errors="replace")
        if process.returncode not in (0, 1, 2, -number, 128 + number):
            self.wrong.append(f"{line}: status {process.returncode}: {errors}")
        left = [p for p in (self.folder / "out").iterdir() if p.name.startswith(".")]
        other = set(os.listdir(self.folder)) - self.known
        if left or other:
            self.wrong.append(f"{line}: left {[p.name for p in left]} {sorted(other)}")
        shutil.rmtree(self.folder / "out")

    def stop(self):
        self.stopped = True
        self.join()


def print_minute(minute, workers, commands):
    parts = [f"{w.name} {u.calls} calls, {u.memory / 1024:.2f} MB, {u.descriptors} descriptors, {u.threads} threads"
             if (u := w.usage()) else f"{w.name} has not begun" for w in workers]
    print(f"minute {minute}: {'; '.join(parts)}; {commands.done} commands, {len(commands.wrong)} wrong", flush=True)


def soak(minutes, workers, commands):
    """Returns the problems."""
    settled = SETTLED if minutes >= 2 * SETTLED else minutes / 2
    start, before, minute = time.monotonic(), None, 0
    while time.monotonic() < start + 60 * minutes:
        time.sleep(1)
        passed = (time.monotonic() - start) / 60
        if before is None and passed >= settled:
            before = [w.usage() for w in workers]
        if passed >= minute + 1:
            minute += 1
            print_minute(minute, workers, commands)
    found = [p for w, b in zip(workers, before) for p in w.problems(b)]
    return found


def main():
    parser = argparse.ArgumentParser(description="Uses libcof for a long time.")
    parser.add_argument("minutes", type=float)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="cof-soak-") as folder:
        commands = Commands(os.path.abspath(os.environ["COF"]), pathlib.Path(folder), arguments.seed)
        workers = [Worker("C", [os.environ["COF_SOAK_API"], str(arguments.seed)]),
                   Worker("Python", [sys.executable, "-B", str(HERE / "soak_package.py"), str(arguments.seed)])]
        try:
            commands.start()
            found = soak(arguments.minutes, workers, commands)
            commands.stop()
            found += commands.wrong
        finally:
            for worker in workers:
                worker.process.kill()
                worker.process.wait()
    print("\n".join(found) if found else "nothing piled up", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
