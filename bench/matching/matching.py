# SPDX-License-Identifier: BSD-2-Clause
"""Does a scale space of the Co-occurrence Filter help to match images of different modalities?

SIFT and AKAZE of OpenCV find and describe points in each layer of a scale space. Descriptors of two
images that are nearest to each other are matches; a match is correct if the affine map of the pair
takes one point to within 3 pixels of the other. Points at the same pixel count once.

Results are kept in FOLDER/matching.jsonl: what is there is not computed again.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import sys

import cv2
import numpy as np

import pairs
import report
import spaces

MAX_DISTANCE = 3  # pixels
MAX_POINTS = 500  # of a layer
VERSION = 1  # raised when the measurement changes


def sift():
    return cv2.SIFT_create(nfeatures=MAX_POINTS)


def akaze():
    return cv2.AKAZE_create(threshold=1e-4)


DETECTORS = {"SIFT": (sift, cv2.NORM_L2), "AKAZE": (akaze, cv2.NORM_HAMMING)}


def described(detector, layers):
    """Positions and descriptors of the strongest points of all layers."""
    positions, descriptors = [], []
    for layer in layers:
        points = detector.detect(layer, None)
        points = sorted(points, key=lambda point: -point.response)[:MAX_POINTS]
        points, values = detector.compute(layer, points)
        if values is not None and len(points) > 0:
            positions.append([point.pt for point in points])
            descriptors.append(values)
    if not positions:
        return np.empty((0, 2)), None
    return np.concatenate(positions), np.concatenate(descriptors)


def matches(one, other, norm):
    """Pairs of positions whose descriptors are nearest to each other."""
    if one[1] is None or other[1] is None:
        return np.empty((0, 4))
    found = cv2.BFMatcher(norm, crossCheck=True).match(one[1], other[1])
    rows = np.array([[*one[0][match.queryIdx], *other[0][match.trainIdx]]
                     for match in sorted(found, key=lambda match: match.distance)])
    if len(rows) == 0:
        return np.empty((0, 4))
    _, first = np.unique(np.round(rows[:, :2]), axis=0, return_index=True)
    return rows[np.sort(first)]


def correct(rows, matrix):
    if len(rows) == 0:
        return 0
    expected = rows[:, :2] @ matrix[:, :2].T + matrix[:, 2]
    return int((np.linalg.norm(expected - rows[:, 2:], axis=1) <= MAX_DISTANCE).sum())


def measured(task):
    """One pair in one scale space, with all detectors."""
    cv2.setNumThreads(1)
    pair = pairs.Pair(task["folder"], task["name"])
    try:
        layers = [spaces.SPACES[task["space"]](pair.image(which)) for which in "ab"]
        matrix = pair.matrix()
    except pairs.PairError as error:
        return {**task, "error": str(error)}
    for name, (create, norm) in DETECTORS.items():
        rows = matches(*(described(create(), layer) for layer in layers), norm)
        task = {**task, name: {"matches": len(rows), "correct": correct(rows, matrix)}}
    return {**task, "modality": pair.modality}


def stored(path):
    """Results of earlier runs, by what identifies them. A line that was cut off is ignored."""
    results = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            result = json.loads(line)
            results[identity(result)] = result
        except (ValueError, KeyError):
            continue
    return results


def identity(task):
    return task["name"], task["digest"], task["space"], task["version"]


def compute(tasks, path):
    """Results of all tasks; each is written when it is there."""
    results = stored(path)
    missing = [task for task in tasks if identity(task) not in results]
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool, open(path, "a") as file:
        for number, result in enumerate(pool.imap_unordered(measured, missing), 1):
            if "error" in result:
                pool.terminate()
                raise pairs.PairError(result["error"])
            results[identity(result)] = result
            kept = {name: value for name, value in result.items() if name != "folder"}
            file.write(json.dumps(kept) + "\n")
            file.flush()
            if sys.stderr.isatty():
                print(f"\r{number} of {len(missing)} ", end="", file=sys.stderr)
    return [results[identity(task)] for task in tasks]


def run(folder):
    tasks = [{"folder": str(folder), "name": pair.name, "digest": pair.digest(), "space": space,
              "version": VERSION} for pair in pairs.found(folder) for space in spaces.SPACES]
    results = compute(tasks, folder / "matching.jsonl")
    print(report.tables(results, list(spaces.SPACES), list(DETECTORS)))
    report.plot(results, list(spaces.SPACES), list(DETECTORS), folder / "matching.svg")


def main():
    parser = argparse.ArgumentParser(prog="matching", description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=pathlib.Path,
                        help="pairs NAME_a.png, NAME_b.png and NAME.txt, the 2x3 matrix from a to b; "
                             "NAME begins with the modality and a -")
    parser.add_argument("--make", action="store_true",
                        help="first write pairs into the folder, made of photographs of the tests")
    parser.add_argument("--photos", type=int, help="with --make: only of so many photographs")
    arguments = parser.parse_args()
    if arguments.photos is not None and (not arguments.make or arguments.photos < 1):
        parser.error("--photos needs --make, and a number of 1 or more")
    try:
        if arguments.make:
            pairs.make(arguments.folder, arguments.photos)
        run(arguments.folder)
    except (pairs.PairError, OSError) as error:
        sys.exit(f"matching: {error}")


if __name__ == "__main__":
    main()
