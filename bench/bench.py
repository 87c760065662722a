# SPDX-License-Identifier: BSD-2-Clause
"""Compares libcof with OpenCV and others: in one process, on the same photograph, in turns.

Without options it takes a few minutes: what would take too long is skipped, and shown as '-'.
"""
import argparse
import datetime
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import cv2
import numpy as np

import bare_call
import memory
import plot
import timing
import results
import baselines
import tables

ROOT = pathlib.Path(__file__).resolve().parent.parent
PHOTO = ROOT / "tests" / "data" / "photos" / "coffee.png"
SIZES = (2 ** 18, 2 ** 20, 2 ** 22, 24_000_000)
WINDOWS = (7, 15, 31, 61)
MAIN_SIZE, MAIN_WINDOW, MEMORY_SIZE = 2 ** 20, 15, 2 ** 22

# Pairs of runs, with one thread and with all, that tell how much faster all are.
PAIRS = 31

# Runs of libcof that report their stages, besides those that are timed.
REPORTS = 3

# Seconds of (main, other) configurations: for all runs of one filter, and the longest that a run
# may be expected to take. The main ones are in the summary and the plots.
SHARES = {"default": (7, 1.5), "full": (20, 20)}
LONGEST = {"default": (15, 2), "full": (float("inf"), float("inf"))}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, epilog=(
        "./dev bench --levels, --instructions, --web and --gpu measure something else, and have "
        "options of their own."))
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_true", help="1 megapixel, window 15 only")
    how_much.add_argument("--full", action="store_true", help="skip nothing, however slow")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each filter (default 7)")
    parser.add_argument("--library", help="the libcof.so (default build/src/libcof.so)",
                        default=bare_call.LIBRARY)
    parser.add_argument("--json", type=pathlib.Path,
                        help="where all times go (default bench/results.json; --quick: nowhere)")
    parser.add_argument("--plots", type=pathlib.Path,
                        help="folder of the plots (default docs/pictures; --quick: none)")
    arguments = parser.parse_args()
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    if arguments.quick and arguments.plots:
        parser.error("--quick measures too little for --plots")
    if not arguments.quick:
        arguments.json = arguments.json or ROOT / "bench" / "results.json"
        arguments.plots = arguments.plots or ROOT / "docs" / "pictures"
    return arguments


def output_of(*command):
    """What a command prints, or '' where it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def cpu_model():
    for line in output_of("env", "LC_ALL=C", "lscpu").splitlines():
        if line.startswith("Model name:"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def describe_machine():
    cores = len(os.sched_getaffinity(0))
    return {"cpu": cpu_model(), "architecture": platform.machine(), "threads": cores,
            "COF_CPU": os.environ.get("COF_CPU")}


def describe_versions(library):
    try:
        import skimage
        skimage_version = skimage.__version__
    except ImportError:
        skimage_version = None
    return {"libcof": library.version,
            "commit": output_of("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
            "opencv": cv2.__version__, "skimage": skimage_version, "numpy": np.__version__,
            "python": platform.python_version(), "system": platform.platform()}


def load_photo(pixels):
    """The photograph as float RGB, 0..1, of about so many pixels."""
    photo = cv2.imread(str(PHOTO))
    if photo is None:
        raise SystemExit(f"cannot read {PHOTO}")
    photo = cv2.cvtColor(photo, cv2.COLOR_BGR2RGB).astype(np.float32) / 255
    height, width = photo.shape[:2]
    scale = (pixels / (width * height)) ** 0.5
    size = round(width * scale), round(height * scale)
    how = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    return np.clip(cv2.resize(photo, size, interpolation=how), 0, 1)


def as_integers(photo, sample):
    return np.rint(photo * np.iinfo(sample).max).astype(sample)


def psnr(one, other):
    """Of 8-bit images, in dB; None if they are the same."""
    error = np.mean((one.astype(np.float32) - other) ** 2)
    return float(10 * np.log10(255 ** 2 / error)) if error > 0 else None


def show_progress(text):
    """Shows progress on a line that is overwritten, if this is a terminal."""
    if sys.stderr.isatty():
        print(f"\r{text:40}\r", end="", file=sys.stderr, flush=True)


class Benchmark:
    """Runs configurations and records their times."""

    def __init__(self, arguments):
        mode = "full" if arguments.full else "default"
        self.arguments = arguments
        self.shares, self.longest = SHARES[mode], LONGEST[mode]
        self.library = bare_call.Library(str(arguments.library))
        self.cof = baselines.CofFilters(self.library)
        self.forecast = timing.Forecast()
        self.document = {"made": datetime.datetime.now().isoformat(timespec="seconds"),
                         "machine": describe_machine(),
                         "versions": describe_versions(self.library),
                         "runs": [], "scaling": [], "memory": [], "fast_against_exact_db": {}}
        self.all_threads = self.document["machine"]["threads"]
        self.thread_counts = sorted({1, self.all_threads})

    def time_candidates(self, candidates, pixels, window, sample="8-bit RGB"):
        """Times the candidates that are fast enough, records their times, and returns them."""
        other = not (pixels == MAIN_SIZE or window == MAIN_WINDOW)
        able = [candidate for candidate in candidates if self.longest[other] >=
                self.forecast.guess(candidate.name, candidate.threads, pixels, window)]
        other_load = timing.OtherLoad()
        found = timing.in_turns(able, self.arguments.repeats, self.shares[other])
        others = other_load.share()
        for candidate, seconds in zip(able, found):
            if sample == "8-bit RGB":
                self.forecast.learn(candidate.name, candidate.threads, pixels, window, min(seconds))
            self.document["runs"].append({
                "filter": candidate.name, "parameters": candidate.parameters, "sample": sample,
                "pixels": pixels, "window": window, "threads": candidate.threads, "seconds": seconds,
                "others_share": others,
                "reports": timing.reports(candidate, REPORTS if pixels == MAIN_SIZE else 0)})
        return able

    def run_line(self, photo, pixels, windows):
        """One size, with each window; all numbers of threads in turns."""
        image = as_integers(photo, np.uint8)
        for window in windows:
            show_progress(f"{results.SIZE_NAMES[pixels]}, window {window}")
            candidates = []
            for threads in self.thread_counts:
                candidates += [baselines.bilateral(image, window, threads),
                                *self.cof.both(image, window, threads)]
            if (pixels, window) == (MAIN_SIZE, MAIN_WINDOW) and not self.arguments.quick:
                candidates += baselines.other_filters(image, self.all_threads)
            able = self.time_candidates(candidates, pixels, window)
            if pixels == MAIN_SIZE:
                self.compare(able, window)

    def run_scaling(self, photo):
        """One thread against all, at the main size and window."""
        image = as_integers(photo, np.uint8)
        show_progress("one thread against all")
        one, many = ([baselines.bilateral(image, MAIN_WINDOW, threads),
                      *self.cof.both(image, MAIN_WINDOW, threads)]
                     for threads in self.thread_counts)
        for alone, together in zip(one, many):
            self.document["scaling"].append({
                "filter": alone.name, "threads": together.threads,
                "seconds": timing.pairs(alone, together, PAIRS)})

    def compare(self, able, window):
        """Records the PSNR of the fast result against the exact one."""
        outputs = {candidate.name: candidate.output for candidate in able}
        if results.EXACT in outputs and results.FAST in outputs:
            self.document["fast_against_exact_db"][window] = psnr(outputs[results.EXACT],
                                                                  outputs[results.FAST])

    def run_samples(self, photo):
        """Other samples than 8-bit RGB, at the main size and window."""
        grey = cv2.cvtColor(as_integers(photo, np.uint8), cv2.COLOR_RGB2GRAY)
        images = {"8-bit grey": grey, "16-bit RGB": as_integers(photo, np.uint16),
                  "float RGB": photo}
        for sample, image in images.items():
            candidates = [self.cof.timed_filter(image, MAIN_WINDOW, self.all_threads)]
            if image.dtype != np.uint16:  # which bilateralFilter does not take
                candidates.insert(0, baselines.bilateral(image, MAIN_WINDOW, self.all_threads))
            self.time_candidates(candidates, MAIN_SIZE, MAIN_WINDOW, sample)

    def run_memory(self, photo):
        methods = {results.EXACT: "exact", results.FAST: "fast"}
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            np.save(file, as_integers(photo, np.uint8))
            file.flush()
            for name, method in methods.items():
                found = memory.measure(self.arguments.library, file.name, method,
                                       self.all_threads)
                self.document["memory"].append({"filter": name, "pixels": MEMORY_SIZE, **found})

    def run(self):
        sizes, windows = SIZES, WINDOWS
        if self.arguments.quick:
            sizes, windows = (MAIN_SIZE,), (MAIN_WINDOW,)
        for pixels in sizes:
            photo = load_photo(pixels)
            self.run_line(photo, pixels, windows)
            if pixels == MAIN_SIZE and self.all_threads > 1:
                self.run_scaling(photo)
            if pixels == MAIN_SIZE and not self.arguments.quick:
                self.run_samples(photo)
            if pixels == MEMORY_SIZE:
                self.run_memory(photo)
        show_progress("")
        self.cof.close()


def print_opening(document):
    machine, versions = document["machine"], document["versions"]
    print(f"{machine['cpu']} ({machine['architecture']}), {machine['threads']} threads; "
          f"libcof {versions['libcof']} ({versions['commit']}), OpenCV {versions['opencv']}, "
          f"scikit-image {versions['skimage']}")


def main():
    arguments = parse_arguments()
    if not pathlib.Path(arguments.library).exists():
        raise SystemExit(f"no library {arguments.library}; build it with ./dev build")
    benchmark = Benchmark(arguments)
    print_opening(benchmark.document)
    benchmark.run()
    found = results.Results(benchmark.document)
    tables.print_all(found)
    if arguments.json:
        arguments.json.write_text(results.as_json(benchmark.document))
        print(f"\nall times: {arguments.json}")
    if arguments.plots:
        for path in plot.write_all(found, arguments.plots):
            print(f"plot:      {path}")


if __name__ == "__main__":
    main()
