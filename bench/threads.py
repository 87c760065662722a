# SPDX-License-Identifier: BSD-2-Clause
"""Times the filter with one thread and with one per core, and as many processes of one thread each,
all at once. These share nothing but the machine: what they gain is what the machine has to give,
since cores that are all busy have a lower clock, share caches and memory, and may be halves of a
core. Runs take turns; a line is a median. --stages shows what each stage of a call gains: filtering
and labelling have nothing in them that waits.
"""
import argparse
import multiprocessing
import os
import statistics
import time

import numpy as np

import bare_call
import bench

METHODS = ["exact", "fast"]


def prepared(pixels, method, threads):
    """A call that filters a photograph of so many megapixels."""
    image = bench.as_integers(bench.load_photo(pixels), np.uint8)
    library = bare_call.Library(str(bare_call.LIBRARY))
    context = bare_call.new_context(library, threads)
    return bare_call.BareCall(library, image, np.empty_like(image), context, window=15,
                              method=method, threads=threads)


def seconds(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def serve(pixels, method, calls, barrier, times):
    """A process that filters whenever all others do."""
    call = prepared(pixels, method, 1)
    call()
    while True:
        barrier.wait()
        times.put(seconds(call, calls))


class Together:
    """Processes of one thread each that filter at the same time."""

    def __init__(self, pixels, method, processes, calls):
        self.times = multiprocessing.Queue()
        self.barrier = multiprocessing.Barrier(processes + 1)
        self.processes = [multiprocessing.Process(target=serve, daemon=True, args=(
            pixels, method, calls, self.barrier, self.times)) for _ in range(processes)]
        for process in self.processes:
            process.start()

    def seconds(self):
        """The mean time of a call."""
        self.barrier.wait()
        return statistics.fmean(self.times.get() for _ in self.processes)

    def end(self):
        for process in self.processes:
            process.terminate()
            process.join()


def measure_stages(pixels, method, threads, runs):
    calls = [prepared(pixels, method, n) for n in (1, threads)]
    for call in calls:
        call()
    reports = [[call.report()["stages"] for call in calls] for _ in range(3 * runs)]
    for stage in reports[0][0]:
        alone, joint = (1e3 * statistics.median(report[i][stage] for report in reports)
                        for i in range(2))
        if joint > 0:
            print(f"{'':4}{stage:12}  {alone:8.2f} ms  {joint:8.2f} ms  {alone / joint:8.1f}",
                  flush=True)


def measure(pixels, method, threads, runs):
    calls = max(1, round(8e6 / pixels))
    together = Together(pixels, method, threads, calls)
    one, all_threads = (prepared(pixels, method, n) for n in (1, threads))
    one()
    all_threads()
    found = []
    for _ in range(runs):
        found.append((seconds(one, calls), seconds(all_threads, calls), together.seconds()))
    together.end()
    gains = [(a / b, threads * a / c) for a, b, c in found]
    alone, joint, _ = (1e3 * statistics.median(column) for column in zip(*found))
    threaded, machine = (statistics.median(column) for column in zip(*gains))
    print(f"{pixels / 1e6:6.1f} MP  {method:5}  {alone:8.1f} ms  {joint:8.1f} ms  {threaded:8.1f}"
          f"  {machine:12.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--sizes", type=float, nargs="+", default=[1, 24], help="in megapixels")
    parser.add_argument("--stages", action="store_true", help="show each stage, too")
    options = parser.parse_args()
    print(f"{'':18}{'one thread':>10}  {options.threads:>3} threads  {'times':>8}"
          f"  {'processes, times':>12}")
    for size in options.sizes:
        for method in METHODS:
            measure(size * 1e6, method, options.threads, options.runs)
            if options.stages:
                measure_stages(size * 1e6, method, options.threads, options.runs)


if __name__ == "__main__":
    main()
