# SPDX-License-Identifier: BSD-2-Clause
"""Times presets on a large compressed TIFF file, from file to file: in parts, as the command does by
itself, and in memory, where --tolerance keeps an image. Runs take turns; times are medians, and
memory is the most that a run took. --also NAME=COMMAND times another build of the command, too.

    python3 bench/large.py [--runs 5] [--size 12000x8000] [--threads 2]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COF = pathlib.Path(os.environ.get("COF_BUILD", ROOT / "build")) / "cli" / "cof"
PHOTO = ROOT / "tests" / "data" / "photos" / "coffee.png"
PRESETS = ("subtle", "portrait", "texture", "cartoon", "flat", "drawing")
IN_MEMORY = ("--tolerance", "1e-12")


def vips(*arguments):
    subprocess.run(["vips", *map(str, arguments)], check=True)


def write_image(folder, width, height):
    """A photograph, tiled, under a slow gradient: no two tiles are alike."""
    vips("replicate", PHOTO, folder / "tiled.v", width // 600 + 1, height // 400 + 1)
    vips("crop", folder / "tiled.v", folder / "cut.v", 0, 0, width, height)
    vips("linear", folder / "cut.v", folder / "dark.v", 0.75, 0, "--uchar")
    vips("grey", folder / "grey.v", width, height, "--uchar")
    vips("linear", folder / "grey.v", folder / "faint.v", 0.25, 0, "--uchar")
    vips("add", folder / "dark.v", folder / "faint.v", folder / "sum.v")
    vips("cast", folder / "sum.v", folder / "in.tif[tile,compression=lzw]", "uchar")
    for path in folder.glob("*.v"):
        path.unlink()


def run(folder, command, threads):
    """Seconds and megabytes of one run."""
    environment = dict(os.environ, VIPS_CONCURRENCY=str(threads))
    start = time.perf_counter()
    process = subprocess.Popen([*command, "in.tif", "out.tif"], cwd=folder, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{command[0]} failed")
    (folder / "out.tif").unlink()
    return seconds, usage.ru_maxrss / 1024


def measure(folder, preset, options):
    commands = {"in parts": (COF, "--preset", preset),
                "in memory": (COF, "--preset", preset, *IN_MEMORY)}
    for also in options.also:
        name, path = also.split("=", 1)
        commands[name] = (path, "--preset", preset)
    found = {name: [] for name in commands}
    for _ in range(options.runs):
        for name, command in commands.items():
            found[name].append(run(folder, command, options.threads))
    for name, runs in found.items():
        seconds, megabytes = zip(*runs)
        print(f"{preset:8}  {name:12}  {statistics.median(seconds):6.2f} s  (fastest "
              f"{min(seconds):6.2f})  {max(megabytes):6.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", default="12000x8000")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--presets", nargs="+", default=PRESETS)
    parser.add_argument("--also", action="append", default=[], metavar="NAME=COMMAND")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_image(folder, *map(int, options.size.split("x")))
        for preset in options.presets:
            measure(folder, preset, options)


if __name__ == "__main__":
    main()
