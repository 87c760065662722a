# SPDX-License-Identifier: BSD-2-Clause
"""How well `cof video` uses all cores: its wall time against the CPU time of decoding, filtering and
encoding, divided by the number of cores.

    python3 bench/video.py [frames]
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COF = pathlib.Path(os.environ.get("COF_BUILD", ROOT / "build")) / "cli" / "cof"
PHOTO = ROOT / "tests" / "data" / "photos" / "coffee.png"
MODES = {"learned once": [], "adaptive": ["--adapt", "0.1"],
        "background grey": ["--stroke", "640,360:60", "--background-stroke", "40,40 40,680",
                            "--background", "grey"]}


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        clip = pathlib.Path(folder) / "clip.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-loop", "1", "-i", PHOTO, "-vf",
                        "zoompan=z='1.2+0.001*on':x=on:y='on/2':d=1:s=1280x720:fps=25,"
                        "noise=alls=8:allf=t", "-t", str(frames / 25), "-pix_fmt", "yuv420p",
                        clip], check=True)
        print(f"{frames} frames of 1280 x 720, {cores} cores")
        for way, options in MODES.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            subprocess.run([COF, "video", clip, clip.with_suffix(".mkv"), *options], check=True)
            seconds = time.perf_counter() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            busy = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / cores
            print(f"  {way:16} {seconds:6.1f} s, {frames / seconds:5.1f} frames a second, "
                  f"{seconds / busy:.2f} of the cores' time")


if __name__ == "__main__":
    main()
