# SPDX-License-Identifier: BSD-2-Clause
"""Plots of curves and matrices as images, reproducible byte for byte."""
import io

import cv2
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402 (the backend comes first)

# Told apart by people who are colour-blind (Okabe and Ito), on a white ground.
COLOURS = ["#000000", "#d55e00", "#0072b2", "#e69f00", "#56b4e9", "#009e73"]


def heat(weights, cell):
    """Weights as squares, black to yellow; the largest is full."""
    scaled = np.rint(255 * weights / weights.max()).astype(np.uint8)
    squares = cv2.resize(scaled, None, fx=cell, fy=cell, interpolation=cv2.INTER_NEAREST)
    return cv2.applyColorMap(squares, cv2.COLORMAP_INFERNO)


def drawn(figure):
    """The pixels of a plot, BGR."""
    memory = io.BytesIO()
    figure.savefig(memory, format="png", dpi=120)
    pyplot.close(figure)
    return cv2.imdecode(np.frombuffer(memory.getvalue(), np.uint8), cv2.IMREAD_COLOR)


def plain_axes(width, height):
    figure, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, alpha=0.3)
    return figure, axes


def profiles(lines):
    """One curve above the other, each around its own zero."""
    figure, axes = plain_axes(6, 3.6)
    for row, (title, values) in enumerate(lines):
        level = -12.0 * row
        axes.axhline(level, color="#999999", linewidth=0.6)
        axes.plot(level + values, color=COLOURS[row % len(COLOURS)], linewidth=1.2)
        axes.text(258, level, title, va="center", color=COLOURS[row % len(COLOURS)], fontsize=9)
    axes.set_xlim(0, 256)
    axes.set_yticks([-12.0 * row for row in range(len(lines))], ["0"] * len(lines))
    axes.set_xlabel("column = grey value of the ramp (curves are offset by 12 grey values)")
    return drawn(figure)
