# SPDX-License-Identifier: BSD-2-Clause
"""What the package for Python makes of pictures with a look: what plugins make must be the same.

COF names the command, COF_LIBRARY the library (default: that of the build that the command is in).
"""
import os
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "cli")]
from command import COF, PHOTOS, samples, vips  # noqa: E402

os.environ.setdefault("COF_LIBRARY", str(pathlib.Path(COF).parents[1] / "src" / "libcof.so"))
import cof  # noqa: E402

LOOKS = ("subtle", "texture", "cartoon")
# So large that looks learn from half of its side.
LARGE = 1300, 900


def reduced(size):
    """How many times less wide the picture is that a look learns from."""
    return cof.look("texture", size[1], size[0])["coarse"]


def smooth(pixels, size, look, code="B"):
    """Bytes of a picture, filtered; `code` is that of array.array."""
    return cof.smooth(array_of(pixels, size, code), look=look).tobytes()


def array_of(pixels, size, code="B"):
    values = np.frombuffer(pixels, code).reshape(size[1], size[0], -1)
    return values[:, :, 0] if values.shape[2] == 1 else values


def write_large(path, photo="coffee.png", noise=6):
    """A photograph that is enlarged, with grain as fine as its pixels."""
    vips("thumbnail", PHOTOS / photo, path, LARGE[0], "--height", LARGE[1], "--size", "force")
    values = np.frombuffer(samples(path), np.uint8)
    grain = np.random.default_rng(0).integers(-noise, noise + 1, values.shape)
    write(path, np.clip(values + grain, 0, 255).astype(np.uint8).tobytes(), LARGE)


def write(path, pixels, size, code="B"):
    """Bytes as a file that the path's ending asks for."""
    bands = len(pixels) // (size[0] * size[1] * np.dtype(code).itemsize)
    form, grey, coloured = {"B": ("uchar", "b-w", "srgb"), "H": ("ushort", "grey16", "rgb16")}[code]
    interpretation = grey if bands < 3 else coloured
    raw = path.with_name(path.name + ".raw")
    raw.write_bytes(pixels)
    vips("rawload", raw, path, *size, bands, "--format", form, "--interpretation", interpretation)
    raw.unlink()
