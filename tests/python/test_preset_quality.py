#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the presets promise: colours of large areas stay, bright spots do not glow, gradients
and blurred edges stay smooth.

COF_LIBRARY names the library.
"""
import pathlib
import sys
import unittest

import numpy as np
import PIL.Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402

PHOTOS = ROOT / "tests" / "data" / "photos"
# Of the Gaussian that leaves the colours of large areas, as in docs/quality.md.
LARGE = 8


def lab(rgb):
    """CIE Lab of 8-bit sRGB, D65."""
    linear = rgb / 255.0
    linear = np.where(linear <= 0.04045, linear / 12.92, ((linear + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169],
                             [0.019334, 0.119193, 0.950227]]).T / (0.950456, 1, 1.088754)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]),
                     200 * (f[..., 1] - f[..., 2])], axis=-1)


def blurred(values, sigma):
    radius = int(4 * sigma)
    taps = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    taps /= taps.sum()
    for axis in (0, 1):
        border = [(radius, radius) if i == axis else (0, 0) for i in range(3)]
        padded = np.pad(values, border, "symmetric")
        values = sum(tap * np.take(padded, range(i, i + values.shape[axis]), axis)
                     for i, tap in enumerate(taps))
    return values


def colour_shift(before, after):
    """The 95th percentile of the distance in Lab, of what is left of both by a Gaussian."""
    moved = blurred(lab(before) - lab(after), LARGE)
    return np.percentile(np.sqrt((moved ** 2).sum(axis=2)), 95)


class Portrait(unittest.TestCase):
    def test_colours_stay(self):
        photo = np.asarray(PIL.Image.open(PHOTOS / "astronaut.png"))
        moved = {preset: colour_shift(photo, cof.smooth(photo, preset=preset))
                 for preset in ("subtle", "texture", "cartoon")}
        print("colour shift:", {preset: round(float(shift), 2) for preset, shift in moved.items()})
        self.assertLessEqual(moved["subtle"], 0.7)
        self.assertLessEqual(moved["texture"], 2.9)
        self.assertLessEqual(moved["cartoon"], 1.5)
        closer = colour_shift(photo, cof.smooth(photo, preset="texture", fidelity=1))
        self.assertLess(closer, 0.75 * moved["texture"])


class Discs(unittest.TestCase):
    """Fluorescence: flat discs on a flat ground, 16 bits, with the noise of counted photons."""
    GROUND, DISC = 120, 6000

    def setUp(self):
        random = np.random.default_rng(1)
        side = 512
        y, x = np.mgrid[:side, :side]
        self.outside = np.full((side, side), np.inf)  # pixels from the nearest disc
        for _ in range(30):
            at, radius = random.uniform(30, side - 30, 2), random.uniform(6, 18)
            self.outside = np.minimum(self.outside, np.hypot(x - at[0], y - at[1]) - radius)
        clean = np.where(self.outside <= 0, self.DISC, self.GROUND)
        self.image = random.poisson(clean).astype(np.uint16)

    def test_bright_spots_do_not_glow(self):
        ground = self.outside > 4
        before = self.image[ground].astype(float).std()
        for preset in ("subtle", "texture"):
            after = cof.smooth(self.image, preset=preset).astype(float)[ground]
            halo = np.abs(after - self.GROUND).max() / (self.DISC - self.GROUND)
            print(f"{preset}: standard deviation of the ground {before:.1f} -> {after.std():.1f}, "
                  f"halo {100 * halo:.1f} %")
            self.assertLessEqual(after.std(), before)
            self.assertLess(halo, 0.02)


def drawing(ground, inks, height=470, width=625):
    """Antialiased discs and strokes of several sizes on a flat ground; and the distance of each
    pixel from the nearest of them."""
    random = np.random.default_rng(0)
    y, x = np.mgrid[:height, :width].astype(float)
    image, outside = np.full((height, width, 3), ground, float), np.full((height, width), np.inf)

    def paint(distance, ink):
        nonlocal image, outside
        cover = np.clip(0.5 - distance, 0, 1)[..., None]  # of a pixel that the outline crosses
        image = image * (1 - cover) + np.array(ink) * cover
        outside = np.minimum(outside, distance)
    for i, radius in enumerate((6, 9, 14, 20, 30, 40)):
        at = random.uniform(0.12, 0.88, 2) * (width, height)
        paint(np.hypot(x - at[0], y - at[1]) - radius, inks[i % len(inks)])
    for i, thickness in enumerate((1.5, 2, 3, 4, 5, 8)):
        (ax, ay), (bx, by) = random.uniform(0.05, 0.95, (2, 2)) * (width, height)
        along = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) /
                        ((bx - ax) ** 2 + (by - ay) ** 2), 0, 1)
        paint(np.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay)) - thickness / 2,
              inks[i % len(inks)])
    return image.round().astype(np.uint8), outside


class Drawings(unittest.TestCase):
    def test_outlines_do_not_colour_the_ground(self):
        """Mixed pixels of a smooth outline occur near both sides, but must not join them."""
        for ground, inks in (((255, 255, 255), [(20, 20, 25)]),
                             ((255, 255, 255), [(200, 40, 30), (30, 80, 180), (240, 190, 30)]),
                             ((140, 140, 140), [(200, 40, 30), (250, 250, 250), (20, 20, 20)]),
                             ((30, 60, 130), [(255, 255, 255), (250, 210, 60)])):
            with self.subTest(ground=ground):
                image, outside = drawing(ground, inks)
                beside = (outside > 4) & (outside < 44)
                step = np.mean([np.abs(np.subtract(ink, ground)).max() for ink in inks])
                after = cof.smooth(image, preset="texture")
                halo = np.abs(after[beside].astype(float) - ground).max(axis=1) / step
                mean, highest = halo.mean(), np.percentile(halo, 99)
                print(f"glow on {ground}: {100 * mean:.2f} % of the step, "
                      f"99th percentile {100 * highest:.1f} %")
                self.assertLess(mean, 0.006)
                self.assertLess(highest, 0.05)


class IndexedDrawings(unittest.TestCase):
    def test_lines_stay(self):
        """Four colours without mixtures, as GIF and indexed PNG files have: all are kept apart."""
        image = np.full((300, 400, 3), 255, np.uint8)
        for width, ink in enumerate(((0, 0, 0), (40, 60, 200), (200, 30, 30)), 1):
            for i in range(100):
                x = 130 * width - 100 + i // 2
                image[20 + i, x:x + width] = ink
        lines = (image < 255).any(axis=2)
        for preset in ("subtle", "portrait", "drawing"):
            found = cof.smooth(image, preset=preset).astype(float)
            kept = (255 - found[lines]).sum() / (255.0 - image[lines]).sum()
            with self.subTest(preset):
                self.assertGreater(kept, 0.95)


class Gradients(unittest.TestCase):
    def test_gradients_stay_smooth(self):
        """Soft labels and two palettes leave smaller steps than hard labels of one."""
        ramp = np.linspace(40, 200, 600)
        image = np.stack([np.tile(ramp, (60, 1)), np.tile(ramp[::-1], (60, 1)),
                          np.full((60, 600), 120)], axis=-1).astype(np.float32) / 255
        image += np.random.default_rng(0).normal(0, 0.01, image.shape).astype(np.float32)

        def roughness(**options):
            row = cof.smooth(image, preset="texture", **options)[20:40, 60:-60, 0].mean(axis=0)
            return np.diff(row, 2).std()
        hard, soft = roughness(palettes=1, softness=0), roughness()
        print(f"roughness of a gradient: {soft:.2g}, with hard labels of one palette {hard:.2g}")
        self.assertLess(soft, 0.00015)
        self.assertLess(soft, 0.8 * hard)


class BlurredEdges(unittest.TestCase):
    """Edges that are out of focus, with a little noise."""
    PAIRS = (((200, 60, 60), (60, 90, 200)), ((230, 220, 200), (40, 60, 40)),
             ((240, 200, 60), (60, 140, 70)), ((180, 180, 190), (90, 60, 120)))
    HEIGHT, WIDTH, BORDER = 160, 320, 30

    def edge(self, colours, blur):
        random = np.random.default_rng(int(blur))
        step = np.repeat(np.arange(self.WIDTH) >= self.WIDTH / 2, 3).reshape(1, -1, 3)
        share = blurred(np.tile(step.astype(float), (3, 1, 1)), blur)[1]
        row = np.array(colours[0]) * (1 - share) + np.array(colours[1]) * share
        image = row + random.normal(0, 2, (self.HEIGHT, self.WIDTH, 3))
        return np.clip(image.round(), 0, 255).astype(np.uint8)

    def contours(self, image):
        """The sum of all peaks of the gradient across the edge but the largest, relative to that."""
        rows = lab(image)[self.BORDER:-self.BORDER].mean(axis=0)
        profile = blurred(np.tile(rows, (3, 1, 1)), 1)[1]
        slope = np.sqrt((np.diff(profile, axis=0) ** 2).sum(axis=1))[8:-8]
        middle = slope[1:-1]
        is_peak = (middle >= slope[:-2]) & (middle > slope[2:]) & (middle > 0.02 * slope.max())
        peaks = np.sort(middle[is_peak])
        return peaks[:-1].sum() / peaks[-1]

    def test_few_contours(self):
        found = [self.contours(cof.smooth(self.edge(colours, blur), preset="texture"))
                 for colours in self.PAIRS for blur in (4, 8, 16)]
        print(f"contours on blurred edges: {np.mean(found):.2f}")
        self.assertLess(np.mean(found), 2)


if __name__ == "__main__":
    unittest.main()
