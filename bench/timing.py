# SPDX-License-Identifier: BSD-2-Clause
"""Timing rivals side by side: in turns, so that the noise of the machine hits all of them."""
import os
import pathlib
import time

# How the time of a filter grows with the side of its window, for the forecast.
GROWTH = {"cof fast": 0.5}
USUAL_GROWTH = 2


def timed(rival):
    rival.prepare()
    start = time.perf_counter()
    rival.call()
    return time.perf_counter() - start


def race(rivals, repeats, share):
    """The seconds of each rival's runs: `repeats`, or what fits into `share` seconds, but one at
    least. The first run warms up, and counts only where it is alone."""
    runs = [[] for _ in rivals]
    for _ in range(repeats + 1):
        for rival, mine in zip(rivals, runs):
            if not mine or sum(mine) + mine[-1] <= share:
                mine.append(timed(rival))
    return [mine[1:] if len(mine) > 1 else mine for mine in runs]


def pairs(one, other, repeats):
    """The seconds of both, run one right after the other, each first in its turn: what slows the
    machine for a while slows both."""
    found = []
    for turn in range(repeats + 1):
        if turn % 2:
            second = timed(other)
            found.append((timed(one), second))
        else:
            found.append((timed(one), timed(other)))
    return found[1:]


def reports(rival, repeats):
    """What as many more runs report, with their seconds."""
    if not rival.report:
        return []
    found = []
    for _ in range(repeats):
        start = time.perf_counter()
        report = rival.report()
        found.append({**report, "seconds": time.perf_counter() - start})
    return found


class Neighbours:
    """How much of the machine other programs take while we time: it falsifies what we find."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        """Seconds: of the clock, of all work on all cores, of our own work."""
        jiffies = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        user, nice, system, _, _, irq, softirq, steal = map(int, jiffies)
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        ours = os.times()
        return time.monotonic(), busy, ours.user + ours.system

    def share(self):
        """Of all cores, since the start: 0..1."""
        clock, busy, ours = (now - then for now, then in zip(self.read(), self.before))
        return min(1.0, max(0.0, (busy - ours) / (clock * os.cpu_count())))


class Forecast:
    """Guesses how long a run takes from the nearest that was measured, to skip the slow ones."""

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
        growth = (window / window2) ** GROWTH.get(name, USUAL_GROWTH)
        return seconds * threads2 / threads * pixels / pixels2 * growth
