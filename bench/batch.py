# SPDX-License-Identifier: BSD-2-Clause
"""Times many small images: one call with all threads, one call with one thread, one call per image.

    python3 bench/batch.py
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COF = pathlib.Path(os.environ.get("COF_BUILD", ROOT / "build")) / "cli" / "cof"
PHOTOS = ("coffee.png", "chelsea.png")
IMAGES, SIZE, REPEATS = 200, (400, 260), 7


def write_images(folder):
    """Writes crops, all different."""
    for i in range(IMAGES):
        photo = ROOT / "tests" / "data" / "photos" / PHOTOS[i % len(PHOTOS)]
        subprocess.run(["vips", "crop", photo, folder / f"{i:03}.jpg",
                        *map(str, (i % 40, i % 30, *SIZE))], check=True)
    return sorted(path.name for path in folder.glob("*.jpg"))


def timed(folder, commands):
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    start = time.perf_counter()
    for command in commands:
        subprocess.run([COF, *command], cwd=folder, check=True)
    return time.perf_counter() - start


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        names = write_images(folder)
        ways = {"one call, all threads": [[*names, "-o", "out"]],
                "one call, one thread": [["--threads", "1", *names, "-o", "out"]],
                "a call for each": [[name, f"out/{name}"] for name in names]}
        seconds = {way: [] for way in ways}
        for _ in range(REPEATS):
            for way, commands in ways.items():
                seconds[way].append(timed(folder, commands))
        best = statistics.median(seconds["one call, all threads"])
        print(f"{IMAGES} JPEGs of {SIZE[0]} x {SIZE[1]} pixels")
        for way, found in seconds.items():
            median = statistics.median(found)
            print(f"  {way:22} {median:6.2f} s  {median / best:5.2f}x")


if __name__ == "__main__":
    main()
