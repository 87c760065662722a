# SPDX-License-Identifier: BSD-2-Clause
"""Synthetic images, like those of the paper. Each call gives the same bytes."""
import cv2
import numpy as np


def as_bytes(values):
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def noise(shape, deviation, seed):
    return np.random.default_rng(seed).normal(0, deviation, shape)


def checkerboard(height, width, cell):
    y, x = np.indices((height, width))
    return 255.0 * ((x // cell + y // cell) % 2)


def two_regions():
    """A weak step between two noisy regions, and patches with far stronger edges inside."""
    image = np.full((240, 360), 100.0)
    image[:, 180:] = 150
    image[:, :180] += noise((240, 180), 6, 1)
    image[:, 180:] += noise((240, 180), 12, 2)
    for x, y in ((30, 30), (95, 130), (35, 165), (215, 45), (290, 110), (230, 170)):
        image[y:y + 45, x:x + 45] = checkerboard(45, 45, 3)
    return as_bytes(image)


def star_at(image, x, y, radius):
    """A diamond, which is what a star of few pixels looks like."""
    rows, columns = np.indices(image.shape)
    image[np.abs(rows - y) + np.abs(columns - x) <= radius] = 255


def lone_star():
    image = np.full((121, 121), 30, np.uint8)
    star_at(image, 60, 60, 6)
    return image


def galaxy():
    """The lone star among many small ones, which keep 8 pixels away from it."""
    image = lone_star()
    rng = np.random.default_rng(3)
    for y in range(4, 120, 7):
        for x in range(4, 120, 7):
            place = np.array([x, y]) + rng.integers(-1, 2, 2)
            if np.abs(place - 60).max() > 15:
                star_at(image, *place, 2)
    return image


def clean_steps():
    return np.repeat(np.repeat([[40.0, 85.0, 130.0, 175.0, 220.0]], 48, axis=1), 200, axis=0)


def steps():
    """Five flat bands with white noise."""
    return as_bytes(clean_steps() + noise((200, 240), 8, 4))


def ramp():
    """Every grey value once in a row."""
    return np.repeat(np.arange(256, dtype=np.uint8)[None], 128, axis=0)


def speckled(clean, looks, seed):
    """Multiplied by noise of a gamma law, as radar images of so many looks are."""
    factor = np.random.default_rng(seed).gamma(looks, 1.0 / looks, clean.shape)
    return as_bytes(clean * factor)


def noisy(clean, deviation, seed):
    return as_bytes(clean + noise(clean.shape, deviation, seed))


def moving(photograph, frames):
    """The first is the photograph; then the camera comes nearer and drifts, and there is noise."""
    height, width = photograph.shape[:2]
    video = []
    for time in range(frames):
        zoom = 1 + 0.01 * time
        across, down = 1.5 * time, 1.0 * time
        move = np.float32([[zoom, 0, width / 2 - zoom * (width / 2 + across)],
                           [0, zoom, height / 2 - zoom * (height / 2 - down)]])
        frame = cv2.warpAffine(photograph, move, (width, height), flags=cv2.INTER_CUBIC,
                               borderMode=cv2.BORDER_REFLECT)
        video.append(noisy(frame.astype(float), 3, 100 + time))
    return video


def fields():
    """A map of fields, each with a grey value of its own, and a dark road."""
    rng = np.random.default_rng(5)
    corners = rng.uniform(0, 320, (14, 2))
    y, x = np.indices((320, 320))
    nearest = np.argmin((x[..., None] - corners[:, 0]) ** 2 + (y[..., None] - corners[:, 1]) ** 2,
                        axis=-1)
    values = rng.permutation(np.linspace(25, 130, 14))[nearest]
    values[150:158] = 20
    return values


def optical(values):
    """The fields in colours that have nothing to do with their radar values, and a little noise."""
    names, labels = np.unique(values, return_inverse=True)
    colours = np.random.default_rng(9).uniform((40, 80, 70), (110, 170, 160), (len(names), 3))
    colours[0] = (150, 150, 150)  # the road
    return as_bytes(colours[labels.reshape(values.shape)] + noise((*values.shape, 3), 5, 10))


def without_flash(bright):
    """The light of a lamp, clean and as a camera would take it, with noise."""
    clean = bright * np.array([0.21, 0.3, 0.42])
    return clean, noisy(clean, 18, 8)


def small_print():
    """Thin dark letters on paper with a little grain."""
    page = np.full((150, 400), 235, np.uint8)
    for y, words in ((40, "thin lines and small print"), (80, "have rims on every side,"),
                     (120, "so they are texture")):
        cv2.putText(page, words, (15, y), cv2.FONT_HERSHEY_SIMPLEX, 0.7, 40, 1, cv2.LINE_AA)
    return noisy(page.astype(float), 5, 11)


def alike(textures):
    """Textures side by side, with one mean and one deviation: only their patterns differ."""
    pieces = [texture[:300, :170].astype(float) for texture in textures]
    return as_bytes(np.hstack([125 + 35 * (p - p.mean()) / p.std() for p in pieces]))


def sky():
    """An evening sky above a dark ridge with anti-aliased rim; and where only sky is."""
    y, x = np.mgrid[:240, :480]
    height = (y / 240 * 0.85 + x / 480 * 0.15)[..., None]
    colours = (1 - height) * (190.0, 120, 60) + height * (235.0, 210, 185)
    ridge = 200 + 14 * np.sin(x / 37) + 7 * np.sin(x / 11 + 1) + 3 * np.sin(x / 4)
    above = np.clip(ridge - y, 0, 1)[..., None]
    return above * colours + (1 - above) * (55.0, 45, 40), y < ridge.min() - 4


def drawing_on(texture):
    """A drawing with lettering, and the same on cloth or paper, whose mean is taken off."""
    page = np.full((960, 960, 3), (215, 235, 240), np.uint8)
    cv2.circle(page, (690, 250), 130, (70, 180, 250), -1, cv2.LINE_AA)
    for points, colour in (([(0, 640), (250, 300), (520, 640)], (150, 120, 90)),
                           ([(300, 640), (560, 400), (960, 640)], (120, 150, 100)),
                           ([(0, 640), (960, 640), (960, 780), (0, 780)], (170, 120, 60))):
        outline = np.int32([points])
        cv2.fillPoly(page, outline, colour, cv2.LINE_AA)
        cv2.polylines(page, outline, True, (40, 40, 40), 8, cv2.LINE_AA)
    for x, words in ((60, "Lake"), (330, "and hills")):
        cv2.putText(page, words, (x, 900), cv2.FONT_HERSHEY_SIMPLEX, 3, (60, 40, 150), 14,
                    cv2.LINE_AA)
    clean = cv2.resize(page, (480, 480), interpolation=cv2.INTER_AREA)
    grain = texture[:480, :480].astype(float)
    return clean, as_bytes(clean + 0.5 * (grain - grain.mean())[..., None])
