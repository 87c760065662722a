# SPDX-License-Identifier: BSD-2-Clause
"""Times candidates in turns, so that noise of the machine affects all of them."""
import os
import pathlib
import time

# How the time of a filter grows with the side of its window, for the forecast.
GROWTH = {"cof fast": 0.5}
DEFAULT_GROWTH = 2


def timed(candidate):
    candidate.prepare()
    start = time.perf_counter()
    candidate.call()
    return time.perf_counter() - start


def in_turns(candidates, repeats, share):
    """The seconds of each candidate's runs: `repeats`, or as many as fit into `share` seconds, at
    least one. The first run is a warm-up and counts only if there is no other."""
    runs = [[] for _ in candidates]
    for _ in range(repeats + 1):
        for candidate, mine in zip(candidates, runs):
            if not mine or sum(mine) + mine[-1] <= share:
                mine.append(timed(candidate))
    return [mine[1:] if len(mine) > 1 else mine for mine in runs]


def pairs(one, other, repeats):
    """The seconds of both candidates, run in pairs in alternating order, so that a slow phase of the
    machine affects both."""
    found = []
    for turn in range(repeats + 1):
        if turn % 2:
            second = timed(other)
            found.append((timed(one), second))
        else:
            found.append((timed(one), timed(other)))
    return found[1:]


def reports(candidate, repeats):
    """The reports of `repeats` further runs, with their seconds."""
    if not candidate.report:
        return []
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        report = candidate.report()
        found.append({**report, "seconds": time.perf_counter() - start})
    return found


class OtherLoad:
    """The CPU load of other programs during a measurement, which would falsify it."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        """Seconds of wall clock, of CPU time of all processes, and of our own CPU time."""
        jiffies = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        user, nice, system, _, _, irq, softirq, steal = map(int, jiffies)
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        ours = os.times()
        return time.monotonic(), busy, ours.user + ours.system

    def share(self):
        """The share of all cores since the start: 0..1."""
        clock, busy, ours = (now - then for now, then in zip(self.read(), self.before))
        return min(1.0, max(0.0, (busy - ours) / (clock * os.cpu_count())))


class Forecast:
    """Estimates the time of a run from the most similar measured run, to skip slow ones."""

    def __init__(self):
        self.known = []

    def learn(self, name, threads, pixels, window, seconds):
        self.known.append((name, threads, pixels, window, seconds))

    def guess(self, name, threads, pixels, window):
        """Seconds; 0 if nothing is known."""
        def distance(other):
            _, threads2, pixels2, window2, _ = other
            return (window2 != window, threads2 != threads, abs(window2 - window),
                    abs(pixels2 - pixels))
        alike = [other for other in self.known if other[0] == name]
        if not alike:
            return 0
        _, threads2, pixels2, window2, seconds = min(alike, key=distance)
        growth = (window / window2) ** GROWTH.get(name, DEFAULT_GROWTH)
        return seconds * threads2 / threads * pixels / pixels2 * growth
