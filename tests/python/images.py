# SPDX-License-Identifier: BSD-2-Clause
"""Images for the tests of the Python package."""
import numpy as np


def random_image(shape=(40, 53, 3), dtype=np.uint8, seed=0):
    """Patches and noise."""
    source = np.random.default_rng(seed)
    values = source.integers(0, 200, (shape[0] // 8 + 1, shape[1] // 8 + 1, *shape[2:]))
    values = values.repeat(8, 0).repeat(8, 1)[:shape[0], :shape[1]]
    values = values + source.integers(0, 55, shape)
    if np.issubdtype(dtype, np.floating):
        return (values / 255).astype(dtype)
    return (values * (np.iinfo(dtype).max // 255)).astype(dtype)
