# SPDX-License-Identifier: BSD-2-Clause
"""Scores over a set of images."""
import numpy as np

import matching
from measures import THRESHOLDS

RESAMPLES = 10000

# The measures, each with the score that the search maximises.
GOALS = {"boundaries": "f", "shapes": "all", "drawings": "psnr"}


def counts_of(found):
    """Images x thresholds x (hits, found, met, drawn)."""
    return np.array([one["counts"] for one in found], float)


def over_set(counts):
    """One threshold for all images, the best: F, precision, recall, threshold."""
    total = counts.sum(axis=0)
    values = matching.f_measure(total)
    best = int(np.argmax(values))
    precision, recall = matching.precision_recall(total)
    return {"f": float(values[best]), "precision": float(precision[best]),
            "recall": float(recall[best]), "threshold": float(THRESHOLDS[best])}


def over_images(counts):
    """Each image has the threshold that is best for it; then all are summed."""
    best = np.argmax(matching.f_measure(counts), axis=1)
    total = counts[np.arange(len(counts)), best].sum(axis=0)
    return float(matching.f_measure(total))


def curve(counts):
    """Precision and recall, from the highest threshold to the lowest."""
    precision, recall = matching.precision_recall(counts.sum(axis=0))
    return [(float(r), float(p)) for r, p in zip(recall[::-1], precision[::-1]) if r > 0]


def contrast(found):
    """The gradient on boundaries over that inside regions; mean over images, of logarithms."""
    return float(np.exp(np.mean([np.log(one["on"] / max(one["inside"], 1e-6)) for one in found])))


def shift(found):
    """How far colours of large areas have moved: means over images."""
    return {name: float(np.mean([one[name] for one in found]))
            for name in ("shift_median", "shift_95")}


def mean_of(found):
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def score(measure, found):
    """What the search maximises."""
    if measure == "boundaries":
        return over_set(counts_of(found))["f"]
    return float(np.mean([one[GOALS[measure]] for one in found]))


def described(measure, found):
    if measure != "boundaries":
        return mean_of(found)
    counts = counts_of(found)
    return {**over_set(counts), "f_each": over_images(counts), "contrast": contrast(found),
            "curve": curve(counts), **shift(found)}


def lead(one, other, seed=0):
    """How much the F of one exceeds that of the other: the difference, and the interval that holds
    95 % of what other draws of images would have given (bootstrap over images, the threshold
    chosen again in each)."""
    source = np.random.default_rng(seed)
    n = len(one)
    draws = source.multinomial(n, np.full(n, 1 / n), RESAMPLES)

    def best(counts):
        totals = np.einsum("rn,ntc->rtc", draws, counts)
        return matching.f_measure(totals).max(axis=1)
    low, high = np.percentile(best(one) - best(other), [2.5, 97.5])
    return {"lead": over_set(one)["f"] - over_set(other)["f"], "low": float(low), "high": float(high)}
