#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How well filters keep what people call boundaries, and remove the rest.

    quality.py FOLDER [-o OUTPUT] [--explore] [--only FILTER ...]

FOLDER has photographs NAME.jpg with boundaries that people drew, NAME.b1.png, NAME.b2.png ...: one pixel
wide, white on black. On one half of them each filter finds its best setting, on the other half it is
measured. docs/quality.md explains the measures. OUTPUT (default: build-quality) gets quality.json,
quality.md and quality.svg; what was measured is kept there, so that an interrupted run goes on.
"""
import argparse
import os
import pathlib

import images
import report
import scores
from filters import FILTERS, PRESETS, NONE, OURS
from runs import Runs

# Values to try around the best preset, one option at a time.
EXPLORED = {"window": (7, 11, 15, 21, 31, 45), "iterations": (1, 2, 4, 8, 12, 20),
            "softness": (0, 0.25, 0.5, 0.75, 1, 1.5), "colours": (8, 16, 32, 64, 128, 256),
            "sigma": (1.5, 3.2, 5, 8), "update": ("none", "labels", "model"),
            "normalise": ("counts", "marginals"), "space": ("lab", "native"),
            "method": ("exact", "fast")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("build-quality"))
    parser.add_argument("--explore", action="store_true",
                        help="vary each option around our best preset, on the first half")
    parser.add_argument("--only", nargs="+", choices=list(FILTERS), default=list(FILTERS),
                        metavar="FILTER", help="of: " + ", ".join(FILTERS))
    parser.add_argument("--composites", type=int, default=24, help="how many are made (24)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if options.composites < 2 or options.jobs < 1:
        parser.error("two composites and one job at least")
    return options


def chosen(only):
    """The requested filters, always with ours, no filter, and at least one baseline."""
    names = [name for name in FILTERS if name in only or name in (*OURS, NONE)]
    return names if len(names) > 3 else names + ["Gaussian"]


class Study:
    """Photographs or composites, in two halves."""

    def __init__(self, runs, kind, names, filters, folder=""):
        self.runs, self.kind, self.folder = runs, kind, str(folder)
        self.settings = {name: FILTERS[name][1] for name in filters}
        self.halves = {"search": names[::2], "held": names[1::2]}

    def tasks(self, half, name, setting):
        return [{"kind": self.kind, "folder": self.folder, "image": image, "filter": name,
                 "setting": setting} for image in self.halves[half]]

    def measure(self, half, pairs):
        """Pairs of filters and settings."""
        self.runs.make([task for name, setting in pairs for task in self.tasks(half, name, setting)],
                       f"{self.kind}s, {half} half")

    def found(self, half, name, setting):
        return [self.runs.of(task) for task in self.tasks(half, name, setting)]

    def score(self, half, name, setting):
        """The score that the search maximises."""
        found = self.found(half, name, setting)
        if self.kind == "photograph":
            return scores.over_set(scores.counts_of(found))["f"]
        return sum(one["psnr"] for one in found) / len(found)

    def search(self):
        """The best setting of each filter, with the scores of all."""
        self.measure("search", [(name, setting) for name, settings in self.settings.items()
                                for setting in settings])
        tried = {name: [(self.score("search", name, setting), setting) for setting in settings]
                 for name, settings in self.settings.items()}
        best = {name: max(found, key=lambda one: one[0])[1] for name, found in tried.items()}
        self.measure("held", best.items())
        return best, tried


def photographs_result(study):
    best, tried = study.search()
    rows = {}
    for name, setting in best.items():
        found = study.found("held", name, setting)
        counts = scores.counts_of(found)
        rows[name] = {"setting": setting, "searched": tried[name], **scores.over_set(counts),
                      "f_each": scores.over_images(counts), "contrast": scores.contrast(found),
                      "curve": scores.curve(counts)}
    baseline = max((name for name in rows if name not in (*OURS, NONE)), key=lambda name: rows[name]["f"])
    counts = {name: scores.counts_of(study.found("held", name, best[name])) for name in (*OURS, baseline)}
    return {"filters": rows, "best_baseline": baseline, "photographs": len(study.halves["held"]),
            "leads": {name: scores.lead(counts[name], counts[baseline]) for name in OURS}}


def composites_result(study):
    best, _ = study.search()
    rows = {}
    for name, setting in best.items():
        found = study.found("held", name, setting)
        rows[name] = {"setting": setting,
                      **{measure: sum(one[measure] for one in found) / len(found)
                         for measure in ("psnr", "ssim")}}
    return {"filters": rows, "composites": len(study.halves["held"])}


def explored(study, base):
    """F on the first half, of each value of each option, all else as in `base`."""
    variants = {option: [(value, {**base, option: value}) for value in values]
                for option, values in EXPLORED.items()}
    study.measure("search", [(PRESETS, setting) for found in variants.values() for _, setting in found])
    return {option: [(value, study.score("search", PRESETS, setting)) for value, setting in found]
            for option, found in variants.items()}


def main():
    options = arguments()
    options.output.mkdir(parents=True, exist_ok=True)
    runs = Runs(options.output / "measurements.jsonl", options.jobs)
    filters = chosen(options.only)
    names = images.photographs(options.folder)
    photographs = Study(runs, "photograph", names, filters, options.folder)
    composites = Study(runs, "composite", list(range(options.composites)), filters)
    result = {"photographs": photographs_result(photographs),
              "composites": composites_result(composites)}
    if options.explore:
        base = result["photographs"]["filters"][PRESETS]["setting"]
        result["explored"] = explored(photographs, base)
    report.write(result, options.output)


if __name__ == "__main__":
    main()
