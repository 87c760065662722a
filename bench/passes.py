# SPDX-License-Identifier: BSD-2-Clause
"""Times several passes over an image that does not fit in memory: recomputed in tiles with a wider
margin, as libcof does, or through one temporary file per pass.

    python3 bench/passes.py [megapixels]

The temporary files hold floats, as a pass must not round what the next one reads, and the labels of
the input, which stay. What this machine has in memory, it need not read from the disk: an image that
is too large for that is worse for the temporary files than this shows.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("COF_BUILD", ROOT / "build"))
PHOTO = ROOT / "tests" / "data" / "photos" / "coffee.png"
PHOTO_PIXELS = 600 * 400
PASSES = (1, 2, 3, 5, 10)
REPEATS = 3


class Bench:
    def __init__(self, folder, megapixels):
        self.folder = folder
        self.environment = {**os.environ, "VIPSHOME": str(folder)}
        self.install_module()
        scale = (megapixels * 1e6 / PHOTO_PIXELS) ** 0.5
        self.vips("resize", PHOTO, "in.v", scale)
        self.vips("cof_learn", "in.v", "--filename", "model.cof")
        self.vips("cof_label", "in.v", "labels.v", "--model", "model.cof")
        self.vips("cast", "in.v", "wide.v", "float")
        self.vips("linear", "wide.v", "float.v", 1 / 255, 0)

    def install_module(self):
        """libvips looks for modules in one place below VIPSHOME."""
        version = subprocess.run(["vips", "--version"], capture_output=True, text=True,
                                 check=True).stdout.split("-")[1]
        libdir = pathlib.Path(subprocess.run(["pkg-config", "--variable=libdir", "vips"],
                                             capture_output=True, text=True,
                                             check=True).stdout.strip()).name
        home = self.folder / libdir / f"vips-modules-{'.'.join(version.split('.')[:2])}"
        home.mkdir(parents=True)
        (home / "vips-cof.so").symlink_to(BUILD / "plugins" / "vips" / "vips-cof.so")

    def vips(self, *arguments):
        subprocess.run(["vips", *map(str, arguments)], cwd=self.folder, env=self.environment,
                       stdout=subprocess.DEVNULL, check=True)

    def recompute(self, passes):
        self.vips("cof", "in.v", "out.v", "--model", "model.cof", "--iterations", passes)

    def through_files(self, passes):
        here = "float.v"
        for i in range(passes):
            there = f"pass{i % 2}.v"
            self.vips("cof", here, there, "--model", "model.cof", "--labels", "labels.v")
            here = there
        self.vips("linear", here, "out.v", 255, 0, "--uchar")

    def compare(self, passes):
        """Seconds of either, in turns."""
        found = [], []
        for _ in range(REPEATS):
            for way, seconds in zip((self.recompute, self.through_files), found):
                start = time.perf_counter()
                way(passes)
                seconds.append(time.perf_counter() - start)
        return [statistics.median(seconds) for seconds in found]


def main():
    megapixels = float(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder), megapixels)
        print("passes  recomputed  temporary files")
        for passes in PASSES:
            recomputed, files = bench.compare(passes)
            print(f"{passes:6}  {recomputed:8.1f} s  {files:8.1f} s", flush=True)


if __name__ == "__main__":
    main()
