# SPDX-License-Identifier: BSD-2-Clause
"""Carries masks through videos whose true masks are known, and compares them.

    python3 bench/selection/follow.py

Photographs are panned and zoomed, and objects are cut out and moved over another photograph, with
noise. The first mask is the true one. The figures are intersection over union with the true mask,
the mean of all frames and that of the last.
"""
import cv2
import numpy as np

import methods
import scenes

FRAMES, NOISE = 40, 5
WIDTH, HEIGHT = 640, 480

# Photograph, and pixels per frame.
PANS = ("astronaut", 1.5), ("chelsea", 1.5), ("coffee", 3), ("camera", 1.5)

# Object, background, pixels per frame, and height as a share of the frame.
MOVES = (("coffee", "rocket", 4, 0.5), ("coffee", "ihc", 8, 0.5), ("chelsea", "coffee", 4, 0.5),
         ("chelsea", "ihc", 12, 0.5), ("astronaut", "chelsea", 6, 0.7))


def noisy(frame, random):
    return np.uint8(np.clip(frame + random.normal(0, NOISE, frame.shape), 0, 255))


def panned(name, speed):
    """Frames and masks: the camera moves to the right and down, and comes nearer."""
    image, mask = scenes.photograph(name)
    random = np.random.default_rng(1)
    height, width = mask.shape
    for i in range(FRAMES):
        zoom, ahead = 1.15 + 0.004 * i, speed * (FRAMES / 2 - i)
        move = np.float32([[zoom, 0, width * (1 - zoom) / 2 + ahead],
                           [0, zoom, height * (1 - zoom) / 2 + ahead / 2]])
        frame = cv2.warpAffine(image, move, (width, height), borderMode=cv2.BORDER_REFLECT)
        shown = cv2.warpAffine(np.uint8(mask), move, (width, height), flags=cv2.INTER_NEAREST,
                               borderMode=cv2.BORDER_REFLECT)
        yield noisy(frame, random), shown > 0


def moved(name, background, speed, share):
    """Frames and masks: an object goes to and fro, and swings."""
    image, mask = scenes.photograph(name)
    ground = cv2.resize(scenes.photograph(background)[0], (WIDTH, HEIGHT))
    random = np.random.default_rng(1)
    middle = np.argwhere(mask)[:, ::-1].mean(axis=0)
    for i in range(FRAMES):
        there_and_back = abs((speed * i + 340) % 680 - 340)
        angle, scale = np.deg2rad(8 * np.sin(i / 9)), share * HEIGHT / mask.shape[0]
        turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        offset = np.array([490 - there_and_back, 260]) - turn @ middle
        move = np.float32(np.column_stack([turn, offset]))
        alpha = cv2.warpAffine(np.float32(mask), move, (WIDTH, HEIGHT))
        frame = cv2.warpAffine(image, move, (WIDTH, HEIGHT))
        mixed = alpha[..., None] * frame + (1 - alpha[..., None]) * ground
        yield noisy(mixed, random), alpha > 0.5


def overlaps(frames):
    """The overlap of each frame after the first."""
    last, mask = next(frames)
    found = []
    for frame, truth in frames:
        with methods.cof.Selector(frame) as selector:
            selector.follow(last, mask)
            mask = selector.mask()
        last = frame
        found.append((mask & truth).sum() / (mask | truth).sum())
    return found


def main():
    print("| video | mean | last frame |\n| --- | --- | --- |", flush=True)
    videos = [(f"{name}, panned by {speed:g} pixels per frame", panned(name, speed))
              for name, speed in PANS]
    videos += [(f"{name} over {background}, {speed} pixels per frame",
                moved(name, background, speed, share)) for name, background, speed, share in MOVES]
    for name, frames in videos:
        found = overlaps(frames)
        print(f"| {name} | {np.mean(found):.3f} | {found[-1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
