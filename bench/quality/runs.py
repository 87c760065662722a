# SPDX-License-Identifier: BSD-2-Clause
"""Runs measurements on all cores and stores them in a file, so that an interrupted run can resume."""
import hashlib
import json
import multiprocessing
import os
import pathlib
import sys
import time

import cv2

import filters
import measures


# Filters that take seconds for each image.
SLOW = ("L0", "relative total variation", "weighted least squares", "pyramid texture",
        "truncated Huber")


def _versions():
    """A hash of the code behind the measurements of each filter, to repeat them when it changes; for
    our filters it includes the library."""
    digest = hashlib.sha256(cv2.__version__.encode())
    for name in ("boundaries.py", "boundary_match.c", "matching.py", "measures.py", "images.py",
                 "peers.py"):
        digest.update((pathlib.Path(__file__).parent / name).read_bytes())
    ours = digest.copy()
    ours.update(pathlib.Path(os.environ["COF_LIBRARY"]).read_bytes())
    return {filter: (ours if filter == filters.COF else digest).hexdigest()[:12]
            for filter in filters.FILTERS}


def key_of(task):
    return json.dumps([task["kind"], task["image"], task["filter"], task["setting"]], sort_keys=True)


def _prepare():
    cv2.setNumThreads(1)  # the processes have the cores


def _measure(task):
    arguments = task["image"], task["filter"], task["setting"]
    if task["kind"] == "boundaries":
        found = measures.on_photograph(task["folder"], *arguments)
    else:
        measure = {"shapes": measures.on_scene, "drawings": measures.on_drawing}[task["kind"]]
        found = measure(*arguments)
    return key_of(task), found


class Runs:
    def __init__(self, path, jobs):
        self.path, self.jobs, self.known = pathlib.Path(path), jobs, {}
        self.versions = _versions()
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                self._read(line)

    def _read(self, line):
        """Ignores incomplete lines and lines of other versions."""
        try:
            entry = json.loads(line)
        except ValueError:
            return
        if entry["version"] == self.versions.get(json.loads(entry["key"])[2]):
            self.known[entry["key"]] = entry["found"]

    def make(self, tasks, title):
        """Runs the measurements that are not stored yet."""
        wanted = list({key_of(task): task for task in tasks}.values())
        wanted = [task for task in wanted if key_of(task) not in self.known]
        if not wanted:
            return
        # Slow tasks first, so that none runs alone at the end.
        wanted.sort(key=lambda task: task["filter"] not in SLOW)
        start = time.monotonic()
        with multiprocessing.Pool(self.jobs, _prepare) as pool, self.path.open("a") as file:
            for done, (key, found) in enumerate(pool.imap_unordered(_measure, wanted), 1):
                self.known[key] = found
                version = self.versions[json.loads(key)[2]]
                file.write(json.dumps({"version": version, "key": key, "found": found}) + "\n")
                file.flush()
                self._tell(title, done, len(wanted), time.monotonic() - start)

    @staticmethod
    def _tell(title, done, total, seconds):
        left = seconds / done * (total - done)
        if sys.stderr.isatty():
            print(f"\r{title}: {done} of {total}, {left / 60:.0f} min left ", end="", file=sys.stderr,
                  flush=True)
        if done == total:
            print(f"{title}: {total} in {seconds / 60:.1f} min" + " " * 20, file=sys.stderr)

    def of(self, task):
        return self.known[key_of(task)]
