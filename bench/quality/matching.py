# SPDX-License-Identifier: BSD-2-Clause
"""Boundaries against those that people drew, as the Berkeley benchmark does: pixels are matched one
to one, within a distance."""
import ctypes
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = os.environ.get("COF_BOUNDARY_MATCH",
                         ROOT / "build" / "bench" / "libboundary_match.so")
# How far apart matched pixels may be, of the picture's diagonal.
REACH = 0.0075

_library = ctypes.CDLL(str(LIBRARY))


def _bytes(mask):
    return np.ascontiguousarray(mask, np.uint8)


def matched(found, drawn, distance):
    """Masks of the pixels of both that have a partner, in a matching with as many pairs as can be."""
    height, width = found.shape
    arrays = _bytes(found), _bytes(drawn), *np.zeros((2, height, width), np.uint8)
    found, drawn, hit, met = (ctypes.c_void_p(array.ctypes.data) for array in arrays)
    if _library.boundary_match(found, drawn, width, height, ctypes.c_double(distance), hit, met) < 0:
        raise MemoryError("boundary_match")
    return arrays[2] != 0, arrays[3] != 0


def counted(found, people):
    """Hits, found, met, drawn. A pixel is a hit if it matches anybody's; what is met and drawn is
    over all that all people drew."""
    distance = REACH * np.hypot(*found.shape)
    hits, met, drawn = np.zeros_like(found), 0, 0
    for person in people:
        hit, theirs = matched(found, person, distance)
        hits |= hit
        met += int(theirs.sum())
        drawn += int(person.sum())
    return int(hits.sum()), int(found.sum()), met, drawn


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
