#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the presets promise: colours of large areas stay, bright spots do not glow, gradients
stay smooth.

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
        self.assertLessEqual(moved["subtle"], 1)
        self.assertLessEqual(moved["texture"], 3)
        self.assertLessEqual(moved["cartoon"], 3)
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


class Gradients(unittest.TestCase):
    def test_two_palettes_leave_fewer_steps(self):
        """The preset texture has two palettes; with one, the same gradient has larger steps."""
        ramp = np.linspace(40, 200, 600)
        image = np.stack([np.tile(ramp, (60, 1)), np.tile(ramp[::-1], (60, 1)),
                          np.full((60, 600), 120)], axis=-1).astype(np.float32) / 255
        image += np.random.default_rng(0).normal(0, 0.01, image.shape).astype(np.float32)

        def roughness(**options):
            row = cof.smooth(image, preset="texture", **options)[20:40, 60:-60, 0].mean(axis=0)
            return np.diff(row, 2).std()
        one, two = roughness(palettes=1), roughness()
        print(f"roughness of a gradient: {one:.2g} with one palette, {two / one:.2f} of it with "
              "two")
        self.assertLess(two, 0.9 * one)


if __name__ == "__main__":
    unittest.main()
