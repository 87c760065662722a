# SPDX-License-Identifier: BSD-2-Clause
"""What the plugin of frei0r costs: frames a second through ffmpeg, over those of cof_filter() called in
a loop on frames in memory, with the same model, options and threads. Goal: 0.8 or more.

    python3 bench/frei0r.py [frames]

COF_BUILD names the build (default: build). Pairs of runs, one right after the other, each first in its
turn; the median of their ratios. Two films of the same pictures: raw RGBA, so that ffmpeg reads and
passes on frames and does nothing else, and H.264, so that it also decodes them and makes RGBA of them,
on the cores that the filter needs. What comes out goes nowhere (-f null). The seconds of ffmpeg are
those from the first frame to the last: it runs on few frames and on all, and the former are taken off.
What ffmpeg takes by itself is timed with a strength of 0, where the plugin copies frames.
"""
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from cof_ctypes import METHOD_EXACT, METHOD_FAST, CofImage, Library, RGB
from timing import Neighbours

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("COF_BUILD", ROOT / "build")).resolve()
PHOTO = ROOT / "tests" / "data" / "photos" / "coffee.png"
WIDTH, HEIGHT, FEW, PAIRS = 1920, 1080, 2, 5
BYTES = 4 * WIDTH * HEIGHT
GOAL = 0.8


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True,
                   env={**os.environ, "FREI0R_PATH": str(BUILD / "plugins" / "frei0r")})


class Filter:
    """cof_filter() on frames in memory."""

    def __init__(self, model, fast):
        self.library = Library(BUILD / "src" / "libcof.so")
        self.c = ctypes.CDLL(str(BUILD / "src" / "libcof.so"))
        saved, self.model = model.read_bytes(), ctypes.c_void_p()
        if self.c.cof_model_load(ctypes.byref(self.model), saved, ctypes.c_size_t(len(saved))) != 0:
            raise RuntimeError("the model cannot be loaded")
        self.options = self.library.options(method=METHOD_FAST if fast else METHOD_EXACT,
                                            work=self.library.work(0))

    @staticmethod
    def view(frame):
        return CofImage(data=ctypes.addressof(frame), width=WIDTH, height=HEIGHT, channels=3, kind=RGB,
                        step=4, stride=4 * WIDTH)

    def seconds(self, frames, target):
        start = time.perf_counter()
        for frame in frames:
            if self.c.cof_filter(self.model, None, ctypes.byref(self.view(frame)),
                                 ctypes.byref(self.view(target)), ctypes.byref(self.options)) != 0:
                raise RuntimeError("cof_filter")
        return time.perf_counter() - start


class Bench:
    def __init__(self, folder, frames):
        self.folder, self.frames = folder, frames
        motion = f"zoompan=z='1.2+0.001*on':x=on:y='on/2':d=1:s={WIDTH}x{HEIGHT}:fps=25"
        ffmpeg("-loop", 1, "-i", PHOTO, "-vf", f"{motion},noise=alls=8:allf=t", "-frames:v", frames,
               "-pix_fmt", "yuv420p", "-preset", "veryfast", folder / "film.mp4")
        ffmpeg("-i", folder / "film.mp4", "-f", "rawvideo", "-pix_fmt", "rgba", folder / "film.raw")
        subprocess.run([BUILD / "cli" / "cof", "learn", PHOTO, "-o", folder / "m.cof"], check=True)
        data = (folder / "film.raw").read_bytes()
        self.memory = [ctypes.create_string_buffer(data[i:i + BYTES], BYTES)
                       for i in range(0, min(len(data), 8 * BYTES), BYTES)]
        self.target = ctypes.create_string_buffer(BYTES)

    def run_ffmpeg(self, film, fast, frames, strength):
        reader = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{WIDTH}x{HEIGHT}"]
        effect = (f"frei0r=cof:none|{strength}|0.15|0.75|0.01|{'y' if fast else 'n'}|0|0|"
                  f"{self.folder / 'm.cof'}")
        start = time.perf_counter()
        ffmpeg(*(reader if film == "film.raw" else []), "-i", self.folder / film, "-frames:v", frames,
               "-vf", effect, "-f", "null", "-")
        return time.perf_counter() - start

    def in_ffmpeg(self, film, fast, strength=1):
        """Frames a second, without what starts and ends ffmpeg."""
        few = self.run_ffmpeg(film, fast, FEW, strength)
        return (self.frames - FEW) / (self.run_ffmpeg(film, fast, self.frames, strength) - few)

    def in_memory(self, own):
        turns = [self.memory[i % len(self.memory)] for i in range(self.frames)]
        return self.frames / own.seconds(turns, self.target)

    def ratio(self, film, fast):
        """Of each pair: frames a second in ffmpeg and in memory."""
        own, found = Filter(self.folder / "m.cof", fast), []
        own.seconds(self.memory, self.target)  # warms up
        for turn in range(PAIRS):
            if turn % 2:
                alone = self.in_memory(own)
                found.append((self.in_ffmpeg(film, fast), alone))
            else:
                through = self.in_ffmpeg(film, fast)
                found.append((through, self.in_memory(own)))
        return found


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    neighbours, ratios, films = Neighbours(), [], (("film.raw", "raw RGBA"), ("film.mp4", "H.264"))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder), frames)
        print(f"{frames} frames of {WIDTH} x {HEIGHT}, {len(os.sched_getaffinity(0))} cores, "
              f"{PAIRS} pairs")
        for film, what in films:
            alone = statistics.median(1000 / bench.in_ffmpeg(film, False, 0) for _ in range(PAIRS))
            print(f"  ffmpeg by itself: {alone:.1f} ms a frame of {what}")
        for fast in (False, True):
            for film, what in films:
                found = bench.ratio(film, fast)
                ratios.append(statistics.median(a / b for a, b in found))
                print(f"  {'fast' if fast else 'exact':5} {what:8} {ratios[-1]:.2f} "
                      f"({min(a / b for a, b in found):.2f} to {max(a / b for a, b in found):.2f}): "
                      f"{statistics.median(a for a, _ in found):5.2f} frames a second in ffmpeg, "
                      f"{statistics.median(b for _, b in found):5.2f} by the library", flush=True)
    print(f"  goal {GOAL}: {'reached' if min(ratios) >= GOAL else 'missed'}; "
          f"other programs, and ffmpeg itself, took {neighbours.share():.0%} of the machine")


if __name__ == "__main__":
    main()
