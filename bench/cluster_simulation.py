# SPDX-License-Identifier: BSD-2-Clause
"""What a large image would take on a cluster, by simulating the tasks that cof.dask makes.

The graph is the real one. A task takes the time that the same work takes here, in one thread;
reading, writing, the network and the scheduler take what the options say. Tasks without input run on
any free worker, the others where most of their input lies; a worker without tasks takes one of the
worker that has most, as dask.distributed does it.
"""
import argparse
import heapq
import os
import pathlib
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))

BANDS = 3
SAMPLE_SIDE = 1024
MB = 1e6
# The tasks that read a chunk.
READERS = ("scan", "count", "filter")


def processor_time(function):
    """The best of three."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        function()
        best = min(best, time.process_time() - begin)
    return best


def measure():
    """Seconds for a pixel of each pass, seconds for a merge, and bytes of what is passed on."""
    import cluster
    import cof
    side = SAMPLE_SIDE
    where = {None: {"array-location": [(0, side), (0, side), (0, BANDS)]}}
    image = cluster.made(where)
    known = cof.Stats().scan(image).fit_palette()
    counted = known.like().add(image)
    model = counted.model()
    pixels = side * side
    copy = counted.copy()
    return {"scan": processor_time(lambda: cof.Stats().scan(image, threads=1)) / pixels,
            "count": processor_time(lambda: known.like().add(image, threads=1)) / pixels,
            "filter": processor_time(lambda: model.apply(image, threads=1)) / pixels,
            "merge": processor_time(lambda: copy.merge(counted)),
            "stats bytes": len(counted.to_bytes())}


def graph_of(size, chunk):
    """The tasks of smoothing an image: for each key its kind, pixels, those of strips that it cuts,
    and dependencies. A task that scans, counts or filters reads its chunk."""
    import dask
    import dask.array as da
    import cof.dask
    from dask.core import get_dependencies

    def load(block_id=None):
        return block_id
    chunks = da.core.normalize_chunks((chunk, chunk, BANDS), (size, size, BANDS), dtype=np.uint8)
    image = da.map_blocks(load, chunks=chunks, dtype=np.uint8, meta=np.empty((0, 0, 0), np.uint8))
    (smooth,) = dask.optimize(cof.dask.smooth(image))
    graph = dict(smooth.dask)
    kinds = {cof.dask._scanned: "scan", cof.dask._added: "count", cof.dask._merged: "merge",
             cof.dask._filtered: "filter"}
    tasks = {}
    for key, task in graph.items():
        is_task = isinstance(task, tuple) and callable(task[0])
        kind = kinds.get(task[0], "other") if is_task else "other"
        pixels = strips = 0
        if kind in READERS:
            pixels = int(np.prod([side.stop - side.start for side in task[4].part]))
        if kind == "scan":
            strips = sum((bottom - top) * (right - left) for top, bottom, left, right in task[6])
        tasks[key] = kind, pixels, strips, get_dependencies(graph, key)
    return tasks


class Cluster:
    """Workers with one thread each."""

    def __init__(self, tasks, costs, options):
        self.tasks, self.costs, self.options = tasks, costs, options
        self.waiting = {key: len(task[3]) for key, task in tasks.items()}
        self.users = {key: [] for key in tasks}
        for key, task in tasks.items():
            for need in task[3]:
                self.users[need].append(key)
        self.unused = {key: len(users) for key, users in self.users.items()}
        self.order = {key: number for number, key in enumerate(tasks)}
        self.places, self.roots, self.events, self.done = {}, [], [], 0
        self.queues = [[] for _ in range(options.workers)]
        self.longest = []
        self.free = set(range(options.workers))
        self.held = [0.0] * options.workers
        self.peak = [0.0] * options.workers
        self.total = self.total_peak = self.moved = self.scheduler_free = self.scheduler_time = self.busy = 0.0

    def size(self, key):
        """Bytes of a result."""
        kind, _, strips, _ = self.tasks[key]
        stats = self.costs["stats bytes"] if kind in ("scan", "count", "merge") else 0
        return stats + strips * BANDS

    def seconds(self, key):
        kind, pixels, _, needs = self.tasks[key]
        if kind in READERS:
            write = 1 / self.options.write if kind == "filter" else 0
            moved = pixels * BANDS / MB * (1 / self.options.read + write)
            return pixels * self.costs[kind] + moved
        return self.costs["merge"] * max(len(needs) - 1, 1) if kind == "merge" else 1e-4

    def hold(self, worker, size):
        self.held[worker] += size
        self.peak[worker] = max(self.peak[worker], self.held[worker])
        self.total += size
        self.total_peak = max(self.total_peak, self.total)

    def ready(self, key):
        by_worker = {}
        for need in self.tasks[key][3]:
            for where in self.places[need]:
                by_worker[where] = by_worker.get(where, 0) + self.size(need)
        if not by_worker:
            heapq.heappush(self.roots, (self.order[key], key))
            return
        worker = max(by_worker, key=by_worker.get)
        heapq.heappush(self.queues[worker], (self.order[key], key))
        heapq.heappush(self.longest, (-len(self.queues[worker]), worker))

    def queue_for(self, worker):
        """Its own, that of all, or the longest of the others."""
        if self.queues[worker] or self.roots:
            return self.queues[worker] or self.roots
        while self.longest:
            length, other = self.longest[0]
            if -length == len(self.queues[other]):
                return self.queues[other]
            heapq.heappop(self.longest)
            if self.queues[other]:
                heapq.heappush(self.longest, (-len(self.queues[other]), other))
        return None

    def start(self, now):
        """Gives work to free workers."""
        for worker in sorted(self.free):
            queue = self.queue_for(worker)
            if queue:
                self.free.discard(worker)
                self.run(heapq.heappop(queue)[1], worker, now)

    def run(self, key, worker, now):
        kind, pixels, _, needs = self.tasks[key]
        far = 0
        for need in needs:
            if worker not in self.places[need]:
                self.places[need].append(worker)
                far += self.size(need)
        self.moved += far
        seconds = self.seconds(key)
        self.busy += seconds
        # The chunk, the chunk with the strips around it, and the result.
        scratch = pixels * BANDS * (1 + READERS.index(kind)) if kind in READERS else 0
        self.hold(worker, far + self.size(key) + scratch)
        heapq.heappush(self.events, (now + far / MB / self.options.network + seconds,
                                     self.order[key], key, worker, scratch))

    def finish(self, now, key, worker, scratch):
        self.places[key] = [worker]
        self.hold(worker, -scratch)
        begin = max(now, self.scheduler_free)
        self.scheduler_free = begin + self.options.task_ms / 1000
        self.scheduler_time += self.options.task_ms / 1000
        for need in self.tasks[key][3]:
            self.unused[need] -= 1
            if self.unused[need] == 0:
                for where in self.places[need]:
                    self.hold(where, -self.size(need))
        heapq.heappush(self.events, (self.scheduler_free, -1, key, None, 0))
        self.free.add(worker)
        self.done += 1

    def simulate(self):
        for key, number in self.waiting.items():
            if number == 0:
                self.ready(key)
        now = 0.0
        self.start(now)
        while self.events:
            now, _, key, worker, scratch = heapq.heappop(self.events)
            if worker is None:  # the scheduler has heard of it
                for user in self.users[key]:
                    self.waiting[user] -= 1
                    if self.waiting[user] == 0:
                        self.ready(user)
            else:
                self.finish(now, key, worker, scratch)
            self.start(now)
        assert self.done == len(self.tasks)
        return now


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--size", type=int, default=10 ** 6, help="rows and columns (1000000)")
    parser.add_argument("--chunk", type=int, default=8192, help="rows and columns of chunks (8192)")
    parser.add_argument("--workers", type=int, nargs="+", default=[64, 256], help="(64 256)")
    parser.add_argument("--read", type=float, default=200, help="MB/s for each worker (200)")
    parser.add_argument("--write", type=float, default=200, help="MB/s for each worker (200)")
    parser.add_argument("--network", type=float, default=1000, help="MB/s for each worker (1000)")
    parser.add_argument("--task-ms", type=float, default=1,
                        help="milliseconds of the scheduler for each task (1)")
    options = parser.parse_args()
    costs = measure()
    print("one thread here, ns for a pixel: " + ", ".join(
        f"{name} {1e9 * costs[name]:.0f}" for name in ("scan", "count", "filter")) +
        f"; statistics {costs['stats bytes'] / 1000:.0f} kB")
    tasks = graph_of(options.size, options.chunk)
    pixels = options.size ** 2
    chunks = sum(task[0] == "filter" for task in tasks.values())
    print(f"{options.size} x {options.size}, {chunks} chunks of {options.chunk}, {len(tasks)} tasks")
    print("| workers | hours | processor hours | read B/pixel | moved B/pixel | largest worker, MB | "
          "mean worker, MB | scheduler busy |\n" + "| --- " * 8 + "|")
    workers = options.workers
    read = sum(task[1] for task in tasks.values()) * BANDS / pixels
    for options.workers in workers:
        cluster = Cluster(tasks, costs, options)
        seconds = cluster.simulate()
        print(f"| {options.workers} | {seconds / 3600:.2f} | {cluster.busy / 3600:.1f} | {read:.1f} | "
              f"{cluster.moved / pixels:.3f} | {max(cluster.peak) / MB:.0f} | "
              f"{cluster.total_peak / options.workers / MB:.0f} | "
              f"{100 * cluster.scheduler_time / seconds:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
