# SPDX-License-Identifier: BSD-2-Clause
"""Tables and a plot of what matching.py has measured."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from plot import FAINT, WIDTH, Canvas  # noqa: E402

RESAMPLES = 10000
OURS = "co-occurrence", "co-occurrence, 3 passes"
COLOURS = ("#c4c9d0", "#7a7f87", "#9ad0f0", "#56b4e9", "#0072b2", "#d55e00", "#e69f00")


def select(results, space, detector, modality=None):
    """Correct matches and all matches, a row for each pair."""
    return np.array([[result[detector]["correct"], result[detector]["matches"]]
                     for result in sorted(results, key=lambda result: result["name"])
                     if result["space"] == space and modality in (None, result["modality"])])


def modalities(results):
    return sorted({result["modality"] for result in results})


def cell(rows):
    """Mean correct matches of a pair, and their share of all matches."""
    return f"{rows[:, 0].mean():.0f} ({100 * rows[:, 0].sum() / max(rows[:, 1].sum(), 1):.0f} %)"


def interval(values):
    """The mean, and the interval that holds 95 % of the means of other draws of pairs."""
    draws = np.random.default_rng(0).choice(values, (RESAMPLES, len(values))).mean(axis=1)
    return values.mean(), *np.percentile(draws, (2.5, 97.5))


def tables(results, spaces, detectors):
    """Markdown: for each detector the correct matches, and what the Co-occurrence Filter adds."""
    columns, lines = modalities(results), []
    for detector in detectors:
        lines += [f"| {detector} | " + " | ".join(columns) + " | all |",
                  "| --- " * (len(columns) + 2) + "|"]
        for space in spaces:
            cells = [cell(select(results, space, detector, modality))
                     for modality in (*columns, None)]
            lines.append(f"| {space} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines + differences(results, spaces, detectors))


def differences(results, spaces, detectors):
    """A table of what the Co-occurrence Filter adds to the correct matches of a pair."""
    titles = [f"{detector}, {ours}" for detector in detectors for ours in OURS]
    lines = ["| less | " + " | ".join(titles) + " |", "| --- " * (len(titles) + 1) + "|"]
    for space in spaces:
        if space in OURS:
            continue
        cells = ["{:+.1f} ({:+.1f} to {:+.1f})".format(*interval(
            select(results, ours, detector)[:, 0] - select(results, space, detector)[:, 0]))
            for detector in detectors for ours in OURS]
        lines.append(f"| {space} | " + " | ".join(cells) + " |")
    return lines


def plot(results, spaces, detectors, path):
    """Bars of the mean correct matches."""
    columns, top, height = modalities(results), 120, 190
    canvas = Canvas("Correct matches of a pair of images",
                    "mean of the pairs of each modality; within 3 pixels of the affine map",
                    top + len(detectors) * (height + 60))
    for i, space in enumerate(spaces):
        x, y = 24 + i % 4 * 180, 76 + i // 4 * 18
        canvas.rectangle(x, y, 10, 10, COLOURS[i % len(COLOURS)])
        canvas.text(x + 15, y + 10, space, size=12)
    for row, detector in enumerate(detectors):
        _bars(canvas, results, spaces, detector, columns, top + row * (height + 60), height)
    canvas.write(path)


def _bars(canvas, results, spaces, detector, columns, top, height):
    means = np.array([[select(results, space, detector, modality)[:, 0].mean()
                       for space in spaces] for modality in columns])
    largest, bottom, left = max(means.max(), 1), top + height, 60
    group = (WIDTH - left - 24) / len(columns)
    bar = 0.85 * group / len(spaces)
    canvas.text(24, top + 8, detector, weight=600)
    canvas.line(left, bottom, WIDTH - 24, bottom, FAINT)
    for i, modality in enumerate(columns):
        for j in range(len(spaces)):
            tall = means[i, j] / largest * (height - 24)
            x = left + i * group + j * bar
            canvas.rectangle(x, bottom - tall, bar - 1, tall, COLOURS[j % len(COLOURS)])
            canvas.text(x + bar / 2, bottom - tall - 3, f"{means[i, j]:.0f}", size=8,
                        colour=FAINT, anchor="middle")
        canvas.text(left + (i + 0.43) * group, bottom + 16, modality, anchor="middle", size=12)
