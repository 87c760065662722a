# SPDX-License-Identifier: BSD-2-Clause
"""How steady `cof video` is: a still scene with noise, in which a disc moves.

    python3 bench/flicker.py [FRAMES]

Flicker is the temporal standard deviation of the result where nothing moves, over that of the input.
Ghosting is how far the places that the disc has just left differ from the same places long after,
in code values. Boiling is the share of still pixels, in percent, whose result varies more than twice
as much as the noise: they jump from one value to another.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
COF = pathlib.Path(os.environ.get("COF_BUILD", ROOT / "build")) / "cli" / "cof"
PHOTO = ROOT / "tests" / "data" / "photos" / "coffee.png"
WIDTH, HEIGHT, NOISE, RADIUS, SPEED = 600, 400, 6.0, 24, 9
WAYS = [["--preset", preset, *more] for preset in ("subtle", "texture", "cartoon")
        for more in ([], ["--adapt", "0.1"], ["--adapt", "1"], ["--steady", "0.8"])]


def scene(frame):
    """The photograph with a disc on it, and where that is."""
    image = cv2.resize(cv2.imread(str(PHOTO)), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    disc = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.circle(disc, (60 + SPEED * frame, 60), RADIUS, 255, -1)
    image[disc > 0] = (40, 200, 240)
    return image, disc > 0


def frames_of(path):
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "bgr24",
                          "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, HEIGHT, WIDTH, 3).astype(float)


def encode(frames, path):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s",
                    f"{WIDTH}x{HEIGHT}", "-r", "25", "-i", "-", "-c:v", "ffv1", "-y", path],
                   check=True, input=np.stack(frames).tobytes())


def measure(before, after, discs):
    still = ~np.any(discs, axis=0)
    still = cv2.erode(np.uint8(still), np.ones((41, 41))) > 0
    noise, left = (values.std(axis=0).mean(axis=-1) for values in (before, after))
    n = len(after) // 2
    trail = np.any(discs[n - 6:n - 2], axis=0) & ~np.any(discs[n - 2:n + 1], axis=0)
    ghost = np.abs(after[n] - after[-4:].mean(axis=0)).mean(axis=-1)
    away = np.any(discs[n - 6:], axis=0)
    return (left[still].mean() / noise[still].mean(), 100 * np.mean(left[still] > 2 * NOISE),
            ghost[trail].mean() - ghost[~away].mean())


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    random = np.random.default_rng(0)
    images, discs = zip(*map(scene, range(frames)))
    noisy = [np.uint8(np.clip(image + random.normal(0, NOISE, image.shape), 0, 255))
             for image in images]
    with tempfile.TemporaryDirectory() as folder:
        clip, out = pathlib.Path(folder) / "in.mkv", pathlib.Path(folder) / "out.mkv"
        encode(noisy, clip)
        print(f"{frames} frames, noise {NOISE}\n{'':34} flicker  boiling %  ghosting")
        for way in WAYS:
            done = subprocess.run([COF, "video", clip, out, "--quiet", "--encode", "-c:v ffv1",
                                   *way], capture_output=True, text=True)
            if done.returncode:
                print(f"{' '.join(way):34} {done.stderr.strip()}")
                continue
            print("{:34} {:7.3f} {:10.3f} {:9.2f}".format(
                " ".join(way), *measure(np.stack(noisy).astype(float), frames_of(out),
                                        np.stack(discs))), flush=True)


if __name__ == "__main__":
    main()
