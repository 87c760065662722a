# SPDX-License-Identifier: BSD-2-Clause
"""Compares boundaries with those drawn by people, as the Berkeley benchmark does: pixels are matched
one to one, within a distance."""
import ctypes
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = os.environ.get("COF_BOUNDARY_MATCH",
                         ROOT / "build" / "bench" / "libboundary_match.so")
# The largest distance of matched pixels, relative to the image's diagonal.
REACH = 0.0075

_library = ctypes.CDLL(str(LIBRARY))


def _match(strength, person, distance, thresholds, hits, met):
    """Marks in hits, and adds to met, what is matched at each of the thresholds, which fall."""
    height, width = strength.shape
    arrays = (np.ascontiguousarray(strength, np.float32), np.ascontiguousarray(person, np.uint8),
              np.ascontiguousarray(thresholds, np.float32), hits, met)
    strength, person, thresholds, hits, met = (ctypes.c_void_p(array.ctypes.data) for array in arrays)
    if _library.boundary_match(strength, person, width, height, ctypes.c_double(distance), thresholds,
                               len(arrays[2]), hits, met) < 0:
        raise MemoryError("boundary_match")


def counted(strength, people, thresholds, distance=None):
    """For each threshold, which rise: hits, found, met, drawn. A pixel is a hit if it matches
    anybody's; what is met and drawn is over all that all people drew."""
    if distance is None:
        distance = REACH * np.hypot(*strength.shape)
    falling = np.asarray(thresholds, np.float32)[::-1]
    hits = np.zeros((len(falling), *strength.shape), np.uint8)
    met = np.zeros(len(falling), np.int64)
    for person in people:
        _match(strength, person, distance, falling, hits, met)
    found = [np.count_nonzero(strength >= threshold) for threshold in falling]
    drawn = [sum(int(person.sum()) for person in people)] * len(falling)
    counts = np.stack([hits.sum(axis=(1, 2), dtype=np.int64), found, met, drawn], axis=1)
    return counts[::-1].tolist()


def precision_recall(counts):
    """Of counts, whose last axis is hits, found, met, drawn: two arrays."""
    hits, found, met, drawn = np.moveaxis(np.asarray(counts, float), -1, 0)
    precision = np.divide(hits, found, out=np.zeros_like(hits), where=found > 0)
    recall = np.divide(met, drawn, out=np.zeros_like(met), where=drawn > 0)
    return precision, recall


def f_measure(counts):
    precision, recall = precision_recall(counts)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
