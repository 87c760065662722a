# SPDX-License-Identifier: BSD-2-Clause
"""Smoothing filters of the last years, written from their papers. Images are RGB, 8 bits."""
import inspect

import cv2
import numpy as np
import scipy.fft
import scipy.sparse
import scipy.sparse.linalg

# Of the iterations that solve a linear system: the residual, relative to the right side. The argument
# has been renamed in SciPy 1.12.
NEW_NAME = "rtol" in inspect.signature(scipy.sparse.linalg.cg).parameters
TOLERANCE = {"rtol" if NEW_NAME else "tol": 1e-4, "atol": 0}


def differences(values):
    """To the next pixel of the row and of the column; 0 at the end."""
    across, down = np.zeros_like(values), np.zeros_like(values)
    across[:, :-1] = values[:, 1:] - values[:, :-1]
    down[:-1] = values[1:] - values[:-1]
    return across, down


def grid_laplacian(across, down):
    """The matrix of sum w (u_p - u_q)^2 over neighbours, of which across[y, x] is the weight to the
    right and down[y, x] that downwards. Weights beyond the image do not count."""
    height, width = across.shape
    right, below = across.copy(), down.copy()
    right[:, -1] = 0
    below[-1] = 0
    right, below = right.ravel(), below.ravel()
    diagonal = right + below
    diagonal[1:] += right[:-1]
    diagonal[width:] += below[:-width]
    return scipy.sparse.diags([diagonal, -right[:-1], -right[:-1], -below[:-width], -below[:-width]],
                              [0, 1, -1, width, -width], format="csr")


def smoothed(image, start, across, down):
    """The least squares fit to an image (height x width x channels) with these smoothness weights."""
    n = across.size
    matrix = scipy.sparse.identity(n, format="csr") + grid_laplacian(across, down)
    inverse = 1 / matrix.diagonal()
    jacobi = scipy.sparse.linalg.LinearOperator((n, n), lambda v: inverse * v.ravel())
    channels = []
    for channel in range(image.shape[2]):
        found, failed = scipy.sparse.linalg.cg(matrix, image[:, :, channel].ravel(),
                                               start[:, :, channel].ravel(), maxiter=5000,
                                               M=jacobi, **TOLERANCE)
        if failed:
            raise RuntimeError("a linear system was not solved")
        channels.append(found.reshape(across.shape))
    return np.stack(channels, axis=2)


def unit(image):
    return image.astype(float) / 255


def eight_bits(values):
    return np.uint8(np.clip(np.rint(255 * values), 0, 255))


def least_squares(image, strength, exponent=1.2, least=1e-4):
    """Weighted least squares: Farbman, Fattal, Lischinski, Szeliski, Edge-preserving decompositions
    for multi-scale tone and detail manipulation, 2008. The weights follow the logarithm of the
    luminance."""
    light = np.log(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY) / 255.0 + 1e-3)
    across, down = (strength / (np.abs(d) ** exponent + least) for d in differences(light))
    return eight_bits(smoothed(unit(image), unit(image), across, down))


def relative_variation(image, strength, sigma, rounds=4):
    """Relative total variation: Xu, Yan, Xia, Jia, Structure extraction from texture via relative
    total variation, 2012. The scale is halved after each round, as its authors do."""
    original = unit(image)
    now = original
    for _ in range(rounds):
        weights = []
        for change in differences(now):
            inherent = np.abs(cv2.GaussianBlur(change, (0, 0), sigma)).mean(axis=2)
            windowed = cv2.GaussianBlur(1 / (inherent + 1e-3), (0, 0), sigma)
            weights.append(strength * windowed / (np.abs(change).mean(axis=2) + 0.02))
        now = smoothed(original, now, *weights)
        sigma = max(sigma / 2, 0.5)
    return eight_bits(now)


def iterative_least_squares(image, strength, exponent=0.8, rounds=10, small=1e-4):
    """Liu, Zhang, Huang, Lei, Reid, Real-time image smoothing via iterative least squares, 2020. Each
    round solves a least squares problem of constant weights in the frequency domain, with periodic
    borders."""
    original = unit(image)
    height, width = original.shape[:2]
    c = exponent * small ** (exponent / 2 - 1)
    steps = [np.exp(2j * np.pi * np.arange(n) / n) - 1 for n in (height, width)]
    down, across = np.broadcast_arrays(steps[0][:, None], steps[1][None, :])
    power = np.abs(across) ** 2 + np.abs(down) ** 2
    result = []
    for channel in range(3):
        transformed = scipy.fft.fft2(original[:, :, channel])
        now = original[:, :, channel]
        for _ in range(rounds):
            total = transformed
            for axis, factor in ((1, across), (0, down)):
                change = np.roll(now, -1, axis) - now
                kept = c * change - exponent * change * (change ** 2 + small) ** (exponent / 2 - 1)
                total = total + strength / 2 * np.conj(factor) * scipy.fft.fft2(kept)
            now = scipy.fft.ifft2(total / (1 + c * strength / 2 * power)).real
        result.append(now)
    return eight_bits(np.stack(result, axis=2))


def side_window(image, radius, rounds):
    """Side window box filter: Yin, Gong, Qiu, Side window filtering, 2019. Of the means of eight
    windows that have the pixel at a side or a corner, the nearest to its value is taken."""
    now = image.astype(np.float32)
    sides = {0: (radius, radius), -1: (radius, 0), 1: (0, radius)}
    for _ in range(rounds):
        best, least = now, np.full(now.shape, np.inf, np.float32)
        for vertical in sides:
            for horizontal in sides:
                if vertical == horizontal == 0:
                    continue
                up, below = sides[vertical]
                left, right = sides[horizontal]
                mean = cv2.blur(now, (left + right + 1, up + below + 1), anchor=(left, up),
                                borderType=cv2.BORDER_REFLECT)
                nearer = np.abs(mean - now) < least
                best = np.where(nearer, mean, best)
                least = np.where(nearer, np.abs(mean - now), least)
        now = best
    return np.uint8(np.clip(np.rint(now), 0, 255))
