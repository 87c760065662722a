# SPDX-License-Identifier: BSD-2-Clause
"""Images for the tests of the Python package."""
import pathlib
import subprocess
import tempfile

import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
PHOTOS = DATA / "photos"


def random_image(shape=(40, 53, 3), dtype=np.uint8, seed=0):
    """Patches and noise."""
    source = np.random.default_rng(seed)
    values = source.integers(0, 200, (shape[0] // 8 + 1, shape[1] // 8 + 1, *shape[2:]))
    values = values.repeat(8, 0).repeat(8, 1)[:shape[0], :shape[1]]
    values = values + source.integers(0, 55, shape)
    if np.issubdtype(dtype, np.floating):
        return (values / 255).astype(dtype)
    return (values * (np.iinfo(dtype).max // 255)).astype(dtype)


def photo(name):
    """Through the tool vips, as the command reads it."""
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder) / "photo.ppm"
        subprocess.run(["vips", "copy", PHOTOS / name, raw], check=True)
        return read_ppm(raw.read_bytes())


def read_ppm(data):
    lines = [line for line in data[:300].split(b"\n") if not line.startswith(b"#")]
    width, height = map(int, lines[1].split())
    pixels = np.frombuffer(data[-width * height * 3:], np.uint8)
    return pixels.reshape(height, width, 3)
