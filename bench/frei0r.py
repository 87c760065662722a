# SPDX-License-Identifier: BSD-2-Clause
"""The overhead of the frei0r plug-in: frames per second in ffmpeg, divided by those of cof_filter() in a
loop over frames in memory, with the same model, options and threads. Goal: 0.8 or more.

    python3 bench/frei0r.py [frames]

COF_BUILD names the build (default: build). Runs are timed in pairs, in alternating order; the result
is the median of their ratios. There are two videos of the same images: raw RGBA, which ffmpeg only
reads, and H.264, which ffmpeg also decodes and converts, on the cores that the filter needs. The
output is discarded (-f null). To exclude start and end of ffmpeg, the time of a run on few frames is
subtracted from that of a run on all frames. The time of ffmpeg alone is measured with a strength of
0, where the plug-in copies frames.
"""
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bare_call import Calls, Library, new_context
from timing import OtherLoad
from cof._library import RGB, Image  # found through bare_call

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
        library = Library(str(BUILD / "src" / "libcof.so"))
        saved, self.model = model.read_bytes(), ctypes.c_void_p()
        library.call("cof_model_load", ctypes.byref(self.model), saved, len(saved))
        self.calls = Calls(library, new_context(library, 0), method="fast" if fast else "exact")

    @staticmethod
    def view(frame):
        return Image(data=ctypes.addressof(frame), width=WIDTH, height=HEIGHT, channels=3, kind=RGB,
                     pixel_stride=4, row_stride=4 * WIDTH)

    def seconds(self, frames, target):
        start = time.perf_counter()
        for frame in frames:
            self.calls("cof_filter", self.model, None, ctypes.byref(self.view(frame)),
                       ctypes.byref(self.view(target)))
        return time.perf_counter() - start


class Bench:
    def __init__(self, folder, frames):
        self.folder, self.frames = folder, frames
        motion = f"zoompan=z='1.2+0.001*on':x=on:y='on/2':d=1:s={WIDTH}x{HEIGHT}:fps=25"
        ffmpeg("-loop", 1, "-i", PHOTO, "-vf", f"{motion},noise=alls=8:allf=t", "-frames:v", frames,
               "-pix_fmt", "yuv420p", "-preset", "veryfast", folder / "video.mp4")
        ffmpeg("-i", folder / "video.mp4", "-f", "rawvideo", "-pix_fmt", "rgba", folder / "video.raw")
        subprocess.run([BUILD / "cli" / "cof", "learn", PHOTO, "-o", folder / "m.cof"], check=True)
        data = (folder / "video.raw").read_bytes()
        self.memory = [ctypes.create_string_buffer(data[i:i + BYTES], BYTES)
                       for i in range(0, min(len(data), 8 * BYTES), BYTES)]
        self.target = ctypes.create_string_buffer(BYTES)

    def run_ffmpeg(self, video, fast, frames, strength):
        reader = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{WIDTH}x{HEIGHT}"]
        effect = (f"frei0r=cof:none|{strength}|0.15|0.75|0.01|{'y' if fast else 'n'}|0|0|"
                  f"{self.folder / 'm.cof'}")
        start = time.perf_counter()
        ffmpeg(*(reader if video == "video.raw" else []), "-i", self.folder / video, "-frames:v", frames,
               "-vf", effect, "-f", "null", "-")
        return time.perf_counter() - start

    def in_ffmpeg(self, video, fast, strength=1):
        """Frames a second, without what starts and ends ffmpeg."""
        few = self.run_ffmpeg(video, fast, FEW, strength)
        return (self.frames - FEW) / (self.run_ffmpeg(video, fast, self.frames, strength) - few)

    def in_memory(self, own):
        turns = [self.memory[i % len(self.memory)] for i in range(self.frames)]
        return self.frames / own.seconds(turns, self.target)

    def ratio(self, video, fast):
        """Of each pair: frames a second in ffmpeg and in memory."""
        own, found = Filter(self.folder / "m.cof", fast), []
        own.seconds(self.memory, self.target)  # warms up
        for turn in range(PAIRS):
            if turn % 2:
                alone = self.in_memory(own)
                found.append((self.in_ffmpeg(video, fast), alone))
            else:
                through = self.in_ffmpeg(video, fast)
                found.append((through, self.in_memory(own)))
        return found


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    other_load, ratios, videos = OtherLoad(), [], (("video.raw", "raw RGBA"), ("video.mp4", "H.264"))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(folder), frames)
        print(f"{frames} frames of {WIDTH} x {HEIGHT}, {len(os.sched_getaffinity(0))} cores, "
              f"{PAIRS} pairs")
        for video, what in videos:
            alone = statistics.median(1000 / bench.in_ffmpeg(video, False, 0) for _ in range(PAIRS))
            print(f"  ffmpeg by itself: {alone:.1f} ms a frame of {what}")
        for fast in (False, True):
            for video, what in videos:
                found = bench.ratio(video, fast)
                ratios.append(statistics.median(a / b for a, b in found))
                print(f"  {'fast' if fast else 'exact':5} {what:8} {ratios[-1]:.2f} "
                      f"({min(a / b for a, b in found):.2f} to {max(a / b for a, b in found):.2f}): "
                      f"{statistics.median(a for a, _ in found):5.2f} frames a second in ffmpeg, "
                      f"{statistics.median(b for _, b in found):5.2f} by the library", flush=True)
    print(f"  goal {GOAL}: {'reached' if min(ratios) >= GOAL else 'missed'}; "
          f"other programs, and ffmpeg itself, took {other_load.share():.0%} of the machine")


if __name__ == "__main__":
    main()
