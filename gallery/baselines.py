# SPDX-License-Identifier: BSD-2-Clause
"""Baseline filters of OpenCV, each just strong enough to leave as much texture as CoF.

`python3 gallery/baselines.py` searches and prints the strengths (takes some minutes); the page uses
those in BASELINES.
"""
import collections
import pathlib

import cv2
import numpy as np

Baseline = collections.namedtuple("Baseline", "key name call tissue checks weakest strongest")

# Where texture is measured, as x, y, width, height: in ihc.png inside a gland, in the drawn
# two-regions.png inside a checkerboard.
GLAND_TEXTURE = (40, 90, 150, 110)
CHECKS = (40, 40, 25, 25)
# One gland, drawn by hand: where the boundary is measured.
GLAND = pathlib.Path(__file__).parents[1] / "tests/data/select/ihc.png"

# Strengths for both images, and the range in which they are searched. Without a range they were
# tuned by hand: parameters that depend on each other, integers, and L0, which removes the step
# before it smooths the checkerboard.
BASELINES = [
    Baseline("gaussian", "Gaussian", "cv2.GaussianBlur(image, (0, 0), {})", 4.13, 1.29, 0.5, 20),
    Baseline("bilateral", "Bilateral", "cv2.bilateralFilter(image, 25, {}, 6)", 151, 948, 30, 2000),
    Baseline("guided", "Guided", "cv2.ximgproc.guidedFilter(image, image, 7, {})", 4330, 269000,
         10, 1e7),
    Baseline("domain", "Domain transform", "cv2.ximgproc.dtFilter(image, image, 10, {})", 212, 591,
         5, 9000),
    Baseline("l0", "L0 smoothing", "cv2.ximgproc.l0Smooth(image, None, {})", 0.0315, 0.02, None,
             None),
    Baseline("rolling", "Rolling guidance",
         "cv2.ximgproc.rollingGuidanceFilter(image, None, -1, {}, 4)", "80, 6.3", "400, 2",
         None, None),
    Baseline("wls", "Fast global smoother (WLS)",
         "cv2.ximgproc.fastGlobalSmootherFilter(image, image, 900, {})", 5.92, 62, 1, 2000),
    Baseline("diffusion", "Anisotropic diffusion",
         "cv2.ximgproc.anisotropicDiffusion(\n    image.clip(0, 254), {})", "0.2, 0.0548, 60",
         "0.01, 3, 40", None, None),
    Baseline("texture", "Bilateral texture filter",
         "cv2.ximgproc.bilateralTextureFilter(image, None, {}, 3)", 3, 3, None, None),
]


def code(baseline, strength):
    """The lines of Python that are printed and run."""
    call = baseline.call.format(strength).replace("(image, ", "(\n    image, ", 1)
    return f'result = {call}\ncv2.imwrite("{baseline.key}.png", result)'


def lightness(image):
    return cv2.cvtColor(image, cv2.COLOR_BGR2LAB)[:, :, 0].astype(float) / 2.55


def texture_left(image):
    """Root mean square of the fine detail in the lightness inside the gland."""
    x, y, width, height = GLAND_TEXTURE
    light = lightness(image)
    fine = light - cv2.GaussianBlur(light, (0, 0), 12)
    return np.sqrt(np.mean(fine[y:y + height, x:x + width] ** 2))


def boundary_left(image):
    """How steep colour is at the drawn rim of the gland: the steepest place within 4 pixels."""
    gland = (cv2.imread(str(GLAND), 0) > 127).astype(np.uint8)
    rim = cv2.morphologyEx(gland, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0
    lab = cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    down, across = np.gradient(lab, axis=(0, 1))
    steepness = np.sqrt((down ** 2 + across ** 2).sum(axis=2))
    return float(cv2.dilate(steepness, np.ones((9, 9), np.uint8))[rim].mean())


def checks_left(image):
    """Standard deviation inside a checkerboard."""
    x, y, width, height = CHECKS
    return image[y:y + height, x:x + width].std()


def step_left(image):
    """The steepest change along a row at the step between the regions, of 50 grey values."""
    rows = image[2:28, 172:188]
    rows = (rows if rows.ndim == 2 else rows[:, :, 0]).astype(float)
    return float(np.diff(rows.mean(axis=0)).max())


def run(baseline, image, strength):
    return eval(baseline.call.format(strength), {"cv2": cv2, "image": image})


def search(baseline, image, measure, goal, rounds=9):
    """The weakest strength that leaves no more than `goal`, by halving its logarithm; 3 digits."""
    low, high = baseline.weakest, baseline.strongest
    for _ in range(rounds):
        middle = float(f"{np.sqrt(low * high):.3g}")
        if measure(run(baseline, image, middle)) > goal:
            low = middle
        else:
            high = middle
    return high


def report(image, smooth, texture, boundary, goal=None):
    """Prints the strength of each filter, with the texture and the boundary that it leaves."""
    goal = goal or texture(smooth)
    print(f"input {texture(image):.2f} {boundary(image):.1f}")
    print(f"CoF {texture(smooth):.2f} {boundary(smooth):.1f}")
    for baseline in BASELINES:
        if baseline.weakest is None:
            continue
        strength = search(baseline, image, texture, goal)
        result = run(baseline, image, strength)
        print(f"{baseline.key} {strength:g}: {texture(result):.2f} {boundary(result):.1f}",
              flush=True)


def main():
    import cof
    import synthetic
    photos = pathlib.Path(__file__).parents[1] / "tests/data/photos"
    image = cv2.imread(str(photos / "ihc.png"))
    checks = synthetic.two_regions()
    smooth = cof.smooth(checks, channel_axis=None)
    report(cv2.cvtColor(checks, cv2.COLOR_GRAY2BGR), smooth, checks_left, step_left, goal=20)
    smooth = np.ascontiguousarray(cof.smooth(image[:, :, ::-1], iterations=5)[:, :, ::-1])
    report(image, smooth, texture_left, boundary_left)


if __name__ == "__main__":
    main()
