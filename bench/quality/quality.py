#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How well filters keep what people see, and remove the rest.

    quality.py [FOLDER] [-o OUTPUT] [--only MEASURE...] [--filters FILTER...] [--images N] [--explore]

There are three measures: `boundaries` that people drew in photographs, `shapes` with textures, and
`drawings` with textures. The first needs FOLDER: photographs NAME.jpg with boundaries NAME.b1.png,
NAME.b2.png ..., one pixel wide, white on black. Each filter is measured on each image with the setting
that is best for the others (five-fold cross-validation). docs/quality.md explains the measures.

A FILTER is a row of the tables, such as "bilateral" or "preset texture", or a setting of the
Co-occurrence Filter, such as preset=texture,refine=1 or window=15,sigma=3.5,separation=0.8.

OUTPUT (default: build-quality) gets quality.json, quality.md and quality.svg; what was measured is kept
there, so that an interrupted run goes on.
"""
import argparse
import os
import pathlib

import filters
import images
import report
import scores
from filters import COF, NONE
from runs import Runs

# Values to try around the best preset, one option at a time.
EXPLORED = {"iterations": (1, 2, 3, 4, 6, 8), "sigma": (2, 2.8, 4, 5.6),
            "separation": (0, 0.06, 0.13, 0.2, 0.3, 0.6), "colours": (16, 32, 64, 96, 128),
            "palettes": (1, 2, 3, 4), "softness": (0, 0.25, 0.5, 0.75), "fidelity": (0, 1, 2),
            "refine": (0, 1, 2, 3), "update": ("none", "labels", "model"),
            "normalise": ("counts", "marginals"), "space": ("lab", "native"),
            "method": ("exact", "fast")}

# Parts of the images; each is measured with the settings that are best for the others.
FOLDS = 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("build-quality"))
    parser.add_argument("--only", nargs="+", choices=scores.GOALS, metavar="MEASURE",
                        help="of: " + ", ".join(scores.GOALS))
    parser.add_argument("--filters", nargs="+", metavar="FILTER",
                        help="of: " + ", ".join(row.title for row in filters.all_rows()) +
                        "; or OPTION=VALUE,...; default: all of the list")
    parser.add_argument("--images", type=int, help="at most so many of each measure")
    parser.add_argument("--explore", action="store_true",
                        help="vary each option around our best preset for boundaries")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    if options.jobs < 1 or options.images is not None and options.images < 2:
        parser.error("two images and one job at least")
    if options.only is None:
        options.only = [measure for measure in scores.GOALS if options.folder or measure != "boundaries"]
    if options.folder is None and ("boundaries" in options.only or options.explore):
        parser.error("boundaries need a folder of photographs")
    try:
        options.rows = rows_of(options.filters)
    except KeyError as unknown:
        parser.error(f"no filter {unknown}")
    return options


def rows_of(texts):
    """The requested rows and no filter; default: all."""
    if texts is None:
        return filters.all_rows()
    rows = [filters.row(text) for text in [NONE, *texts]]
    return list({row.title: row for row in rows}.values())


class Study:
    """One measure of several filters on a set of images."""

    def __init__(self, runs, measure, rows, names, folder):
        self.runs, self.measure, self.rows, self.names = runs, measure, rows, names
        self.folder = str(folder)

    def task(self, image, filter_name, setting):
        return {"kind": self.measure, "folder": self.folder, "image": image, "filter": filter_name,
                "setting": setting}

    def run(self, pairs):
        """Pairs of filters and settings, on all images."""
        self.runs.make([self.task(image, name, setting) for name, setting in pairs
                        for image in self.names], self.measure)

    def found(self, images_, name, setting):
        return [self.runs.of(self.task(image, name, setting)) for image in images_]

    def score(self, images_, name, setting):
        return scores.score(self.measure, self.found(images_, name, setting))

    def best(self, images_, row):
        if len(row.settings) == 1:
            return row.settings[0]
        return max(row.settings, key=lambda setting: self.score(images_, row.filter, setting))

    def cross_validated(self, row):
        """The measurements of each image with the setting that is best for the images of the other
        folds."""
        folds = min(FOLDS, len(self.names))
        found = {}
        for fold in range(folds):
            held = self.names[fold::folds]
            others = [image for image in self.names if image not in held]
            found.update(zip(held, self.found(held, row.filter, self.best(others, row))))
        return [found[image] for image in self.names]

    def result(self):
        """For each row: the setting that is best for all images, the scores of all settings, and the
        cross-validated measures."""
        self.run([(row.filter, setting) for row in self.rows for setting in row.settings])
        result = {"images": len(self.names), "filters": {}}
        for row in self.rows:
            result["filters"][row.title] = {
                "ours": row.ours, "setting": self.best(self.names, row),
                "searched": [(self.score(self.names, row.filter, setting), setting)
                             for setting in row.settings],
                **scores.described(self.measure, self.cross_validated(row))}
        if self.measure == "boundaries":
            result.update(self.leads(result["filters"]))
        return result

    def leads(self, found):
        """How far our rows lead the best of the others."""
        others = [row for row in self.rows if not row.ours and row.filter != NONE]
        if not others:
            return {}
        baseline = max(others, key=lambda row: found[row.title]["f"])
        counts = {row.title: scores.counts_of(self.cross_validated(row))
                  for row in self.rows if row.ours or row is baseline}
        return {"best_baseline": baseline.title,
                "leads": {row.title: scores.lead(counts[row.title], counts[baseline.title])
                          for row in self.rows if row.ours}}


def explored(study):
    """Of our best preset, and of each value of each option, all else as there: F."""
    presets = [{"preset": preset} for preset in filters.PRESETS]
    study.run([(COF, setting) for setting in presets])
    base = max(presets, key=lambda setting: study.score(study.names, COF, setting))
    variants = {option: [(value, {**base, option: value}) for value in values]
                for option, values in EXPLORED.items()}
    study.run([(COF, setting) for found in variants.values() for _, setting in found])
    return {option: [(value, study.score(study.names, COF, setting)) for value, setting in found]
            for option, found in variants.items()}


def names_of(measure, folder):
    return {"boundaries": lambda: images.photographs(folder),
            "shapes": lambda: list(range(images.SCENES)),
            "drawings": images.drawings}[measure]()


def main():
    options = arguments()
    options.output.mkdir(parents=True, exist_ok=True)
    runs = Runs(options.output / "measurements.jsonl", options.jobs)
    studies = {measure: Study(runs, measure, options.rows,
                              names_of(measure, options.folder)[:options.images], options.folder)
               for measure in scores.GOALS if measure in options.only}
    result = {measure: study.result() for measure, study in studies.items()}
    if options.explore:
        result["explored"] = explored(studies["boundaries"])
    report.write(result, options.output)


if __name__ == "__main__":
    main()
