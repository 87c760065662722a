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


# Of conjugate gradients with a multigrid method: the squared residual, relative to the right side.
SMALL, TINY = 1e-6, 1e-30
DAMPED = 0.7  # of Jacobi's method

# Of the Gaussian between two levels of a pyramid, in pixels.
BLUR = 1


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


def joint_bilateral(image, guide, space, colour):
    """The mean of the pixels nearby whose values in the guide are alike. Floats, 0 to 1."""
    return cv2.ximgproc.jointBilateralFilter(guide, image, 2 * int(np.ceil(2 * space)) + 1, colour,
                                             space, borderType=cv2.BORDER_REFLECT)


def pyramid_texture(image, space, colour, scale=0.8, levels=11):
    """Pyramid texture filtering: Zhang, Jiang, Nie, Zheng, Pyramid texture filtering, 2023. The coarsest
    level of a Gaussian pyramid has no texture. It is upsampled level by level, with two joint bilateral
    filters: the guide of the first is the Gaussian level; the second is guided by the result of the
    first, and smooths it with the Laplacian level, which has what upsampling loses, added."""
    gaussian = [np.float32(unit(image))]
    for _ in range(levels - 1):
        gaussian.append(resized(cv2.GaussianBlur(gaussian[-1], (0, 0), BLUR), scale))
    now = gaussian[-1]
    for level in range(levels - 2, -1, -1):
        fine = gaussian[level]
        size = fine.shape[1::-1]
        detail = fine - cv2.resize(gaussian[level + 1], size)
        near = max(space * scale ** level, 0.5)
        upsampled = joint_bilateral(cv2.resize(now, size), fine, near, colour)
        now = joint_bilateral(upsampled + detail, upsampled, near, colour)
    return eight_bits(now)


def resized(image, scale):
    height, width = image.shape[:2]
    return cv2.resize(image, (round(width * scale), round(height * scale)),
                      interpolation=cv2.INTER_LINEAR)


def huber_weight(change, bend, limit):
    """Of the quadratic function that has the slope of the truncated Huber penalty there: the penalty is
    x^2 / (2 bend) up to bend, |x| - bend / 2 up to limit, and constant beyond."""
    size = np.abs(change)
    return np.where(size <= limit, 1 / np.maximum(size, bend), 0)


def truncated_huber(image, strength, limit=1, radius=1, exponent=0.5, bend=1e-3, least=0.02,
                    rounds=10):
    """Liu, Zhang, Lei, Huang, Yang, Ng, A generalized framework for edge-preserving and
    structure-preserving image smoothing, 2021: the truncated Huber penalty between each pixel and all
    input pixels of its window, and between neighbours, the less the more their input differs. Each
    round solves the least squares problem whose weights are those of the last result."""
    original = now = np.float32(unit(image))
    alike = [2 * strength / (np.abs(change.mean(axis=2, keepdims=True)) ** exponent + least)
             for change in differences(original)]
    height, width = original.shape[:2]
    padded = np.pad(original, [(radius, radius)] * 2 + [(0, 0)], mode="symmetric")
    window = [padded[y:y + height, x:x + width] for y in range(2 * radius + 1)
              for x in range(2 * radius + 1)]
    for _ in range(rounds):
        data = [huber_weight(now - values, bend, limit) for values in window]
        wanted = sum(weight * values for weight, values in zip(data, window))
        weights = (like * huber_weight(change, bend, limit)
                   for like, change in zip(alike, differences(now)))
        now = Grid(sum(data), *weights).solve(wanted, now)
    return eight_bits(now)


def blocks(values):
    """The sums of 2 x 2 pixels."""
    height, width = values.shape[:2]
    padded = np.pad(values, [(0, height % 2), (0, width % 2), (0, 0)])
    return sum(padded[y::2, x::2] for y in range(2) for x in range(2))


class Grid:
    """The linear system (data + the Laplacian of the weights between neighbours) u = wanted of each
    channel, with coarser grids, each of whose pixels is the sum of 2 x 2."""

    def __init__(self, data, across, down):
        self.data, self.across, self.down = data, across.copy(), down.copy()
        self.across[:, -1] = 0
        self.down[-1] = 0
        self.diagonal = data + self.across + self.down
        self.diagonal[:, 1:] += self.across[:, :-1]
        self.diagonal[1:] += self.down[:-1]
        self.coarse = None
        if min(data.shape[:2]) > 2:
            # Of the weights, those between two blocks count.
            right, below = self.across.copy(), self.down.copy()
            right[:, ::2] = 0
            below[::2] = 0
            self.coarse = Grid(blocks(data), blocks(right), blocks(below))

    def times(self, values):
        result = self.diagonal * values
        result[:, :-1] -= self.across[:, :-1] * values[:, 1:]
        result[:, 1:] -= self.across[:, :-1] * values[:, :-1]
        result[:-1] -= self.down[:-1] * values[1:]
        result[1:] -= self.down[:-1] * values[:-1]
        return result

    def cycle(self, wanted):
        """Roughly the solution: one cycle of a multigrid method, which is symmetric."""
        now = DAMPED * wanted / self.diagonal
        if self.coarse is not None:
            height, width = wanted.shape[:2]
            coarse = self.coarse.cycle(blocks(wanted - self.times(now)))
            now += coarse.repeat(2, axis=0).repeat(2, axis=1)[:height, :width]
        return now + DAMPED * (wanted - self.times(now)) / self.diagonal

    def solve(self, wanted, start, steps=200):
        """By conjugate gradients, for which one cycle is the preconditioner."""
        def product(one, other):
            return np.einsum("yxc,yxc->c", one, other)
        now, rest = start, wanted - self.times(start)
        least = SMALL * product(wanted, wanted / self.diagonal)
        direction, last = 0, 1
        for _ in range(steps):
            if (product(rest, rest / self.diagonal) <= least).all():
                return now
            scaled = self.cycle(rest)
            size = product(rest, scaled)
            direction = scaled + size / last * direction
            image = self.times(direction)
            step = size / np.maximum(product(direction, image), TINY)
            now, rest, last = now + step * direction, rest - step * image, np.maximum(size, TINY)
        raise RuntimeError("a linear system was not solved")
