# SPDX-License-Identifier: BSD-2-Clause
"""The contents of results.json, and queries on them."""
import json
import statistics

BILATERAL, EXACT, FAST = "cv2.bilateralFilter", "cof exact", "cof fast"
STAGES = ("colour", "palette", "labels", "count", "model", "filter", "store")
SIZE_NAMES = {2 ** 18: "0.25 MP", 2 ** 20: "1 MP", 2 ** 22: "4 MP", 24_000_000: "24 MP"}


def rounded(value):
    """Microseconds are enough."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {str(key): rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    return value


def as_json(document):
    """JSON with one run on a line, which can be read and compared."""
    def entry(value):
        if isinstance(value, list) and value:
            return "[\n" + ",\n".join("  " + json.dumps(one) for one in value) + "\n ]"
        return json.dumps(value)
    lines = [f" {json.dumps(key)}: {entry(value)}" for key, value in rounded(document).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


class Results:
    """`runs` are plain dictionaries, one for each filter and configuration."""

    def __init__(self, document):
        self.document = document
        self.runs = document["runs"]

    def find(self, name, pixels=2 ** 20, window=15, threads=None, sample="8-bit RGB"):
        """The run, or None. No threads: all of them."""
        threads = threads or self.document["machine"]["threads"]
        for run in self.runs:
            if (run["filter"], run["pixels"], run["window"], run["threads"], run["sample"]) == (
                    name, pixels, window, threads, sample):
                return run
        return None

    def median(self, name, **where):
        """Seconds, or None where this was not run."""
        run = self.find(name, **where)
        return statistics.median(run["seconds"]) if run and run["seconds"] else None

    def ratio(self, over, under):
        """Of two medians; None if either is missing."""
        return over / under if over and under else None

    def scaling(self, name):
        """How many times as fast all threads are as one, in the median of the pairs; or None."""
        for entry in self.document["scaling"]:
            if entry["filter"] == name:
                return statistics.median(one / many for one, many in entry["seconds"])
        return None

    def stages(self, name, **where):
        """Seconds of each stage, and of the rest, in the run that took the median of those that
        reported; None where there is none."""
        run = self.find(name, **where)
        if not run or not run["reports"]:
            return None
        reports = sorted(run["reports"], key=lambda report: report["seconds"])
        report = reports[(len(reports) - 1) // 2]
        stages = report["stages"]
        return {**stages, "rest": max(0.0, report["seconds"] - sum(stages.values()))}

    def values(self, key):
        """The different values of a key, sorted."""
        return sorted({run[key] for run in self.runs})
