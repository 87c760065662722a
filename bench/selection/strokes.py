# SPDX-License-Identifier: BSD-2-Clause
"""Strokes of a simulated user: casual lines inside an object and beside it, and corrections.

Masks and strokes are arrays of bool. Lengths are in shares of the object or of the image, so that an
enlarged image gets enlarged strokes.
"""
import cv2
import numpy as np

# Of the diagonal of the image: how thick a line is, and how far from the border it starts.
THICKNESS, FROM_BORDER = 0.008, 0.02
# Of the square root of a region's area.
LENGTHS = 0.2, 0.6
# How far from the border a line ends, of the largest distance in the region.
END = 0.15
# Radians by which a line may turn at each step.
TURN = 0.15
# Starts that are tried for a second line, which should be away from the first.
TRIES = 4


def distances(region):
    """The distance of each pixel of a region from its border; that of the image is none."""
    padded = np.pad(region.astype(np.uint8), 1, mode="edge")
    return cv2.distanceTransform(padded, cv2.DIST_L2, 5)[1:-1, 1:-1]


def _walk(distance, start, angle, length, end, random):
    """Points along a curve, until its length is reached or the border is near."""
    height, width = distance.shape
    points, (x, y) = [], start
    step = max(2.0, length / 20)
    for _ in range(int(length / step) + 1):
        angle += random.uniform(-TURN, TURN)
        x, y = x + step * np.cos(angle), y + step * np.sin(angle)
        if not (0 <= x < width and 0 <= y < height) or distance[int(y), int(x)] < end:
            break
        points.append((x, y))
    return points


def _line(distance, start, area, random):
    shape = distance.shape
    length = random.uniform(*LENGTHS) * np.sqrt(area)
    angle = random.uniform(0, 2 * np.pi)
    end = max(1.5, END * distance.max())
    ahead, behind = (_walk(distance, start, angle + turn, length / 2, end, random)
                     for turn in (0, np.pi))
    points = np.array(behind[::-1] + [start] * 2 + ahead)  # one point alone would not be drawn
    stroke = np.zeros(shape, np.uint8)
    thickness = max(1, round(THICKNESS * np.hypot(*shape)))
    cv2.polylines(stroke, [np.round(points).astype(np.int32)], False, 1, thickness)
    return (stroke > 0) & (distance > 0)


def casual(region, count, random):
    """So many lines in a region, none of which is near its border."""
    distance = distances(region)
    inner = distance >= min(FROM_BORDER * np.hypot(*region.shape), 0.4 * distance.max())
    places = np.argwhere(inner & region)
    strokes, away = [], None
    for _ in range(count):
        tries = places[random.integers(len(places), size=1 if away is None else TRIES)]
        best = max(tries, key=lambda place: 0 if away is None else away[tuple(place)])
        strokes.append(_line(distance, (float(best[1]), float(best[0])), region.sum(), random))
        drawn = np.any(strokes, axis=0)
        away = cv2.distanceTransform(np.uint8(~drawn), cv2.DIST_L2, 5)
    return np.any(strokes, axis=0)


def pair(mask, count, random):
    """Strokes on the object, and on the background."""
    return casual(mask, count, random), casual(~mask, count, random)


def correction(mask, found, random):
    """A line in the middle of the largest error, and whether that belongs to the object. None: there
    is no error."""
    wrong = mask != found
    n, labels, stats, _ = cv2.connectedComponentsWithStats(np.uint8(wrong), connectivity=4)
    if n < 2:
        return None
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    part = labels == largest
    distance = distances(part)
    y, x = np.unravel_index(int(np.argmax(distance)), distance.shape)
    inside = bool(mask[y, x])
    part &= mask == inside
    return _line(distances(part), (float(x), float(y)), part.sum(), random), inside
