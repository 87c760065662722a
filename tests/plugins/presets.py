# SPDX-License-Identifier: BSD-2-Clause
"""Expected results of presets, computed by the Python package: plug-ins must give the same bytes.

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

PRESETS = ("subtle", "texture", "cartoon", "flat", "video", "portrait", "drawing")
# Large enough that presets downscale it by 2.
LARGE = 960, 704


def preset_options(preset, size):
    """The options that a preset sets for a size: a dictionary."""
    return cof.preset(preset, size[1], size[0])


def reduced(size):
    """The downscaling factor that presets choose for a size."""
    return preset_options("texture", size)["downscale"]


def smooth(pixels, size, preset, code="B", **options):
    """Filters the bytes of an image; `code` is a type code of array.array."""
    return cof.smooth(array_of(pixels, size, code), preset=preset, **options).tobytes()


def array_of(pixels, size, code="B"):
    values = np.frombuffer(pixels, code).reshape(size[1], size[0], -1)
    return values[:, :, 0] if values.shape[2] == 1 else values


def write_large(path, photo="coffee.png", noise=6):
    """Writes an enlarged photograph with fine grain."""
    vips("thumbnail", PHOTOS / photo, path, LARGE[0], "--height", LARGE[1], "--size", "force")
    values = np.frombuffer(samples(path), np.uint8)
    grain = np.random.default_rng(0).integers(-noise, noise + 1, values.shape)
    write(path, np.clip(values + grain, 0, 255).astype(np.uint8).tobytes(), LARGE)


def write(path, pixels, size, code="B"):
    """Writes bytes in the format of the path's suffix."""
    bands = len(pixels) // (size[0] * size[1] * np.dtype(code).itemsize)
    form, grey, coloured = {"B": ("uchar", "b-w", "srgb"), "H": ("ushort", "grey16", "rgb16")}[code]
    interpretation = grey if bands < 3 else coloured
    raw = path.with_name(path.name + ".raw")
    raw.write_bytes(pixels)
    vips("rawload", raw, path, *size, bands, "--format", form, "--interpretation", interpretation)
    raw.unlink()
