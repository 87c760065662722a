# SPDX-License-Identifier: BSD-2-Clause
"""The filter on a cluster of worker processes on this machine: equal bytes, memory and speed.

A synthetic RGB image is written as Zarr, filtered by the workers, which read and write the chunks,
and compared with cof.smooth() of the whole image.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))

# Calls of a task in a process before it is killed.
CALLS_BEFORE_DEATH = 3


def made(block_info=None):
    """Patches and grain; each chunk can be made by itself."""
    (top, bottom), (left, right), _ = block_info[None]["array-location"]
    y, x, c = np.ogrid[top:bottom, left:right, 0:3]
    grain = (y * 2654435761 + x * 40503 + c * 977).astype(np.uint32) >> 7
    return ((y // 97 * 53 + x // 61 * 29 + c * 50) % 180 + grain % 70).astype(np.uint8)


def write_image(path, size, chunk):
    import dask
    import dask.array as da
    chunks = da.core.normalize_chunks((chunk, chunk, 3), (size, size, 3), dtype=np.uint8)
    with dask.config.set(scheduler="synchronous"):
        da.map_blocks(made, chunks=chunks, dtype=np.uint8).to_zarr(str(path))


def killed_once(name, marker):
    """A task of cof.dask that kills its process, once in the whole cluster, in its third call."""
    def task(*arguments):
        import os
        import signal
        import cof.dask
        calls = int(os.environ.get(f"COF_CALLS{name}", 0)) + 1
        os.environ[f"COF_CALLS{name}"] = str(calls)
        if calls == CALLS_BEFORE_DEATH:
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
        return getattr(cof.dask, name)(*arguments)
    return task


def start(workers, **options):
    """A cluster of processes with one thread each, and its client."""
    import distributed
    cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, processes=True,
                                       dashboard_address=":0", memory_limit=0, **options)
    return cluster, distributed.Client(cluster)


def warm():
    """Imports, which are part of starting a worker."""
    import cof.dask
    import zarr
    return cof.version(), zarr.__version__


def peak_megabytes():
    import pathlib
    import re
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def processor_seconds():
    import time
    return time.process_time()


def run(source, target, workers, kill=None):
    """Filters one Zarr array into another; what it took. `kill` is a folder for markers."""
    import unittest.mock
    import dask.array as da
    import cof.dask
    import distributed
    shutil.rmtree(target, ignore_errors=True)
    patches = [unittest.mock.patch.object(cof.dask, name, killed_once(name, f"{kill}/{name}"))
               for name in ("_added", "_filtered")] if kill else []
    cluster, client = start(workers)
    with cluster, client:
        for patch in patches:
            patch.start()
        client.run(warm)
        before = client.run(processor_seconds)
        begin = time.perf_counter()
        work = cof.dask.smooth(da.from_zarr(str(source))).to_zarr(str(target), compute=False)
        future = client.compute(work)
        if sys.stderr.isatty():
            distributed.progress(future)
        future.result()
        seconds = time.perf_counter() - begin
        for patch in patches:
            patch.stop()
        peaks = client.run(peak_megabytes)
        after = client.run(processor_seconds)
    spent = [after[worker] - before.get(worker, 0) for worker in after]
    return {"workers": workers, "seconds": seconds, "processor seconds": spent,
            "peak MB": max(peaks.values())}


def same(source, target):
    """Is the result that of the library on the whole image?"""
    import zarr
    import cof
    want = cof.smooth(zarr.open(str(source), "r")[:])
    return bool((zarr.open(str(target), "r")[:] == want).all())


def scaling(source, target, rounds):
    """1 and 2 workers in turn. Other programs make both slower; the processor time of one worker
    divided by that of the busier of two is what the ratio would be if nothing else ran."""
    found = {1: [], 2: []}
    for _ in range(rounds):
        for workers, values in found.items():
            values.append(run(source, target, workers))
    one, two = (statistics.median(each["seconds"] for each in values) for values in found.values())
    alone, busier = (statistics.median(max(each["processor seconds"]) for each in values)
                     for values in found.values())
    return {"1 worker": one, "2 workers": two, "ratio": one / two,
            "processor seconds of 1 worker": alone, "of the busier of 2": busier,
            "ratio of processor time": alone / busier}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--size", type=int, default=12000, help="rows and columns (12000)")
    parser.add_argument("--chunk", type=int, default=1024, help="rows and columns of chunks (1024)")
    parser.add_argument("--workers", type=int, default=3, help="processes (3)")
    parser.add_argument("--rounds", type=int, default=3,
                        help="runs with 1 and with 2 workers; 0: none (3)")
    parser.add_argument("--folder", type=pathlib.Path, help="where the images go (a new one)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        source, target = pathlib.Path(folder) / "in.zarr", pathlib.Path(folder) / "out.zarr"
        write_image(source, arguments.size, arguments.chunk)
        for kill in (None, folder):
            found = run(source, target, arguments.workers, kill)
            found["killed"] = len([name for name in ("_added", "_filtered")
                                   if kill and (pathlib.Path(folder) / name).exists()])
            found["same bytes"] = same(source, target)
            print(json.dumps(found), flush=True)
        if arguments.rounds:
            print(json.dumps(scaling(source, target, arguments.rounds)))


if __name__ == "__main__":
    main()
