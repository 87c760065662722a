#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Times cof video with 4K frames through raw pipes: two small programs stand in for ffmpeg, of which
one writes the same frame over and over and the other one discards what it reads, so that neither
decoding nor encoding takes time. COF names the command (default: cof)."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import gpu

WIDTH, HEIGHT = 3840, 2160

FFMPEG = """#!{python}
import fcntl, os, sys
SET_PIPE_SIZE = 1031
if sys.argv[-1] == "-":
    frame = memoryview(open({frame!r}, "rb").read())
    fcntl.fcntl(1, SET_PIPE_SIZE, 1 << 20)
    for _ in range(1 if "-frames:v" in sys.argv else {frames}):
        done = 0
        while done < len(frame):
            done += os.write(1, frame[done:])
else:
    if "/dev/zero" not in sys.argv:  # which is the input when cof tries the codec
        fcntl.fcntl(0, SET_PIPE_SIZE, 1 << 20)
    buffer, source = bytearray(1 << 20), open(0, "rb", buffering=0)
    while source.readinto(buffer):
        pass
    open(sys.argv[-1].replace("file:", ""), "wb").write(b"frames")
"""

FFPROBE = """#!{python}
print('''[STREAM]
codec_name=h264
width={width}
height={height}
sample_aspect_ratio=1:1
pix_fmt=yuv420p
r_frame_rate=60/1
avg_frame_rate=60/1
start_time=0.000000
duration={seconds}
nb_frames={frames}
nb_read_packets={frames}
[/STREAM]
[FORMAT]
format_name=mov,mp4,m4a,3gp,3g2,mj2
start_time=0.000000
duration={seconds}
[/FORMAT]''')
"""


def write_programs(folder, frames):
    values = {"python": sys.executable, "frame": str(folder / "frame.raw"), "frames": frames,
              "width": WIDTH, "height": HEIGHT, "seconds": frames / 60}
    for name, text in (("ffmpeg", FFMPEG), ("ffprobe", FFPROBE)):
        path = folder / name
        path.write_text(text.format(**values))
        path.chmod(0o755)


def seconds_of(command, folder):
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu", help="gpu, cpu or opencl:NAME")
    parser.add_argument("--frames", type=int, default=900)
    arguments = parser.parse_args()
    cof = os.environ.get("COF", "cof")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = pathlib.Path(name)
        gpu.frame(WIDTH, HEIGHT, gpu.load_photos()).tofile(folder / "frame.raw")
        (folder / "in.mp4").write_bytes(b"frames")
        subprocess.run([cof, "learn", gpu.PHOTOS / "coffee.png", "-o", folder / "model.cof"],
                       check=True)
        for title, options in ((f"--device {arguments.device}", ["--device", arguments.device]),
                               ("CPU", [])):
            times = []
            for frames in (arguments.frames // 3, arguments.frames):
                write_programs(folder, frames)
                times.append(seconds_of([cof, "video", *options, "--model",
                                         "model.cof", "in.mp4", "out.mp4"], folder))
            steady = (arguments.frames - arguments.frames // 3) / (times[1] - times[0])
            print(f"cof video, {title}: {arguments.frames / times[1]:.0f} frames per second of "
                  f"{arguments.frames}, {steady:.0f} after the start")


if __name__ == "__main__":
    main()
