# SPDX-License-Identifier: BSD-2-Clause
"""How steady `cof video` is.

    python3 bench/flicker.py [FRAMES] [CLIP]

Without CLIP, the scene is a photograph with noise over which a disc moves. A clip should be of a
camera that stands still.

Flicker is the temporal standard deviation of the result where nothing moves, over that of the input.
Boiling is the share of these pixels, in percent, whose result varies more than twice as much as the
noise: they jump from one value to another. Ghosting is how far places that something has just left
differ from the same places most of the time, in code values, beyond what still places differ.
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
WAYS = [["--preset", preset, *more] for preset in ("subtle", "texture", "cartoon", "video")
        for more in (["--steady", "0"], ["--steady", "0", "--adapt", "0.1"],
                     ["--steady", "0", "--adapt", "1"], ["--steady", "0.8"])]
MOTION = 12  # code values by which a moving thing differs from the background


def scene(frame):
    """The photograph with a disc on it, and where that is."""
    image = cv2.resize(cv2.imread(str(PHOTO)), (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    disc = np.zeros((HEIGHT, WIDTH), np.uint8)
    cv2.circle(disc, (60 + SPEED * frame, 60), RADIUS, 255, -1)
    image[disc > 0] = (40, 200, 240)
    return image, disc > 0


def made(frames):
    """Noisy frames of the scene, and what moves in each."""
    random = np.random.default_rng(0)
    images, discs = zip(*map(scene, range(frames)))
    noisy = [np.uint8(np.clip(image + random.normal(0, NOISE, image.shape), 0, 255))
             for image in images]
    return np.stack(noisy), np.stack(discs)


def recorded(clip, frames):
    """Frames of a clip, and what differs from the background in each."""
    video = cv2.VideoCapture(clip)
    images = [image for _ in range(frames) for good, image in (video.read(),) if good]
    if len(images) < frames:
        sys.exit(f"flicker: {clip}: no {frames} frames")
    background = np.median(images, axis=0).astype(np.float32)
    moving = [cv2.blur(np.abs(image - background).max(axis=-1), (9, 9)) > MOTION for image in images]
    return np.stack(images), np.stack(moving)


def frames_of(path, shape):
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "bgr24",
                          "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(shape)


def encode(frames, path):
    _, height, width, _ = frames.shape
    subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "bgr24", "-s",
                    f"{width}x{height}", "-r", "25", "-i", "-", "-c:v", "ffv1", "-pix_fmt", "gbrp",
                    "-y", path], check=True, input=frames.tobytes())


def deviation(frames):
    return frames.std(axis=0, dtype=np.float32).mean(axis=-1)


def measure(before, after, moving):
    still = cv2.erode(np.uint8(~moving.any(axis=0)), np.ones((41, 41))) > 0
    noise, left = deviation(before), deviation(after)
    usual = np.median(after, axis=0)
    ghosts = []
    for n in range(8, len(after)):
        trail = moving[n - 6:n - 2].any(axis=0) & ~moving[n - 2:n + 1].any(axis=0)
        difference = np.abs(after[n] - usual).mean(axis=-1)
        if trail.any():
            ghosts.append(difference[trail].mean() - difference[still].mean())
    return (left[still].mean() / noise[still].mean(),
            100 * np.mean(left[still] > 2 * noise[still].mean()), np.mean(ghosts))


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    before, moving = recorded(sys.argv[2], frames) if len(sys.argv) > 2 else made(frames)
    with tempfile.TemporaryDirectory() as folder:
        clip, out = pathlib.Path(folder) / "in.mkv", pathlib.Path(folder) / "out.mkv"
        encode(before, clip)
        print(f"{frames} frames of {before.shape[2]} x {before.shape[1]}\n"
              f"{'':38} flicker  boiling %  ghosting")
        for way in WAYS:
            done = subprocess.run([COF, "video", clip, out, "--quiet", "--encode",
                                   "-c:v ffv1 -pix_fmt gbrp", *way], capture_output=True, text=True)
            if done.returncode:
                print(f"{' '.join(way):38} {done.stderr.strip()}")
                continue
            print("{:38} {:7.3f} {:10.3f} {:9.2f}".format(
                " ".join(way), *measure(before, frames_of(out, before.shape), moving)), flush=True)


if __name__ == "__main__":
    main()
