#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How well filters keep what people call boundaries, and remove the rest.

    quality.py FOLDER [-o OUTPUT] [--explore] [--only FILTER ...]

FOLDER has photographs NAME.jpg with boundaries that people drew, NAME.b1.png, NAME.b2.png ...: one pixel
wide, white on black. Each filter is measured on each photograph with the setting that is best for the
others (five-fold cross-validation). docs/quality.md explains the measures. OUTPUT (default: build-quality) gets quality.json,
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
EXPLORED = {"iterations": (1, 2, 3, 4, 6, 8), "sigma": (2, 2.8, 4, 5.6),
            "separation": (0, 0.06, 0.13, 0.2, 0.3), "colours": (16, 32, 64, 96, 128),
            "palettes": (1, 2, 3, 4), "softness": (0, 0.25, 0.5, 0.75), "fidelity": (0, 1, 2),
            "update": ("none", "labels", "model"), "normalise": ("counts", "marginals"),
            "space": ("lab", "native"), "method": ("exact", "fast")}


# Parts of the images; each is measured with the settings that are best for the others.
FOLDS = 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("build-quality"))
    parser.add_argument("--explore", action="store_true",
                        help="vary each option around our best preset")
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
    """Photographs or composites."""

    def __init__(self, runs, kind, names, filters, folder=""):
        self.runs, self.kind, self.folder, self.names = runs, kind, str(folder), names
        self.settings = {name: FILTERS[name][1] for name in filters}

    def task(self, image, name, setting):
        return {"kind": self.kind, "folder": self.folder, "image": image, "filter": name,
                "setting": setting}

    def measure(self, pairs):
        """Pairs of filters and settings, on all images."""
        self.runs.make([self.task(image, name, setting) for name, setting in pairs
                        for image in self.names], f"{self.kind}s")

    def found(self, images_, name, setting):
        return [self.runs.of(self.task(image, name, setting)) for image in images_]

    def score(self, images_, name, setting):
        """The score that the search maximises."""
        found = self.found(images_, name, setting)
        if self.kind == "photograph":
            return scores.over_set(scores.counts_of(found))["f"]
        return sum(one["psnr"] for one in found) / len(found)

    def best(self, images_, name):
        return max(self.settings[name], key=lambda setting: self.score(images_, name, setting))

    def cross_validated(self, name):
        """The measurements of each image with the setting that is best for the images of the other
        folds."""
        folds = min(FOLDS, len(self.names))
        found = {}
        for fold in range(folds):
            held = self.names[fold::folds]
            others = [image for image in self.names if image not in held]
            found.update(zip(held, self.found(held, name, self.best(others, name))))
        return [found[image] for image in self.names]

    def rows(self, describe):
        """For each filter: the setting that is best for all images, the scores of all settings, and
        what `describe` says of the cross-validated measurements."""
        self.measure([(name, setting) for name, settings in self.settings.items()
                      for setting in settings])
        return {name: {"setting": self.best(self.names, name),
                       "searched": [(self.score(self.names, name, setting), setting)
                                    for setting in settings],
                       **describe(self.cross_validated(name))}
                for name, settings in self.settings.items()}


def describe_photographs(found):
    counts = scores.counts_of(found)
    return {**scores.over_set(counts), "f_each": scores.over_images(counts),
            "contrast": scores.contrast(found), "curve": scores.curve(counts),
            **scores.shift(found)}


def describe_composites(found):
    return {measure: sum(one[measure] for one in found) / len(found)
            for measure in ("psnr", "rim", "beside", "ssim")}


def photographs_result(study):
    rows = study.rows(describe_photographs)
    baseline = max((name for name in rows if name not in (*OURS, NONE)), key=lambda name: rows[name]["f"])
    counts = {name: scores.counts_of(study.cross_validated(name)) for name in (*OURS, baseline)}
    return {"filters": rows, "best_baseline": baseline, "photographs": len(study.names),
            "leads": {name: scores.lead(counts[name], counts[baseline]) for name in OURS}}


def composites_result(study):
    return {"filters": study.rows(describe_composites), "composites": len(study.names)}


def explored(study, base):
    """F of each value of each option, all else as in `base`."""
    variants = {option: [(value, {**base, option: value}) for value in values]
                for option, values in EXPLORED.items()}
    study.measure([(PRESETS, setting) for found in variants.values() for _, setting in found])
    return {option: [(value, study.score(study.names, PRESETS, setting)) for value, setting in found]
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
