#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Dask clusters of processes that talk over TCP: the bytes of the whole image, whatever happens.

COF_LIBRARY names the library.
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import dask
import dask.array as da
import distributed
import numpy as np
import zarr

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench")]
import cluster as bench  # noqa: E402
import cof  # noqa: E402
import cof.dask  # noqa: E402
from cof._chunks import divided  # noqa: E402
from images import random_image  # noqa: E402

SIZE, CHUNK = (700, 600), (128, 150)
OPTIONS = dict(window=9, colours=16)
TIMEOUT = 120


class OnACluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.image = random_image((*SIZE, 3))
        cls.source = f"{cls.folder.name}/in.zarr"
        da.from_array(cls.image, chunks=(*CHUNK, 3)).to_zarr(cls.source)
        cls.want = cof.smooth(cls.image, **OPTIONS)

    def setUp(self):
        self.target = f"{self.folder.name}/{self.id()}.zarr"

    def start(self, workers):
        cluster, client = bench.start(workers)
        self.addCleanup(cluster.close)
        self.addCleanup(client.close)
        return client

    def smooth(self, client):
        """The workers read and write."""
        work = cof.dask.smooth(da.from_zarr(self.source), **OPTIONS)
        client.compute(work.to_zarr(self.target, compute=False, overwrite=True)).result(TIMEOUT)
        return zarr.open(self.target, "r")[:]


class SameBytes(OnACluster):
    def test_any_number_of_workers(self):
        for workers in (1, 2, 3):
            with self.subTest(workers=workers):
                client = self.start(workers)
                self.assertTrue(client.scheduler.address.startswith("tcp://"))
                processes = set(client.run(os.getpid).values())
                self.assertEqual(len(processes - {os.getpid()}), workers)
                self.assertTrue((self.smooth(client) == self.want).all())
                model = cof.dask.fit(da.from_zarr(self.source), **OPTIONS)
                self.assertEqual(model.to_bytes(), cof.Model.fit(self.image, **OPTIONS).to_bytes())
                client.close()

    def test_scheduler_and_workers_as_commands(self):
        """As on several machines."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        contact = f"{self.folder.name}/scheduler.json"
        for what, options in (("scheduler", ["--port", "0", "--dashboard-address", ":0"]),
                              ("worker", ["--nthreads", "1"]), ("worker", ["--nthreads", "1"])):
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{what}", "--scheduler-file", contact,
                 *options], env=environment, cwd=self.folder.name, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait, TIMEOUT)
            self.addCleanup(process.terminate)
        with distributed.Client(scheduler_file=contact, timeout=TIMEOUT) as client:
            client.wait_for_workers(2, timeout=TIMEOUT)
            self.assertTrue((self.smooth(client) == self.want).all())

    def test_geotiff_written_by_workers(self):
        import rioxarray  # noqa: F401
        import xarray as xr
        import cof.xarray
        path = f"{self.folder.name}/out.tif"
        raster = xr.DataArray(da.moveaxis(da.from_zarr(self.source), 2, 0),
                              dims=("band", "y", "x")).rio.write_crs(32633)
        client = self.start(2)
        smooth = cof.xarray.smooth(raster, **OPTIONS)
        smooth.rio.to_raster(path, tiled=True, lock=distributed.Lock("out.tif", client=client))
        with rioxarray.open_rasterio(path) as back:
            self.assertEqual(back.rio.crs, raster.rio.crs)
            self.assertTrue((np.moveaxis(back.values, 0, 2) == self.want).all())


class Killed(OnACluster):
    def check(self, *names):
        client = self.start(3)
        before = set(client.run(os.getpid).values())
        markers = [f"{self.folder.name}/{self.id()}{name}" for name in names]
        patches = [mock.patch.object(cof.dask, name, bench.killed_once(name, marker))
                   for name, marker in zip(names, markers)]
        with contextlib.ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch)
            found = self.smooth(client)
        for marker in markers:
            self.assertTrue(os.path.exists(marker), "no worker was killed")
        client.wait_for_workers(3, timeout=TIMEOUT)
        after = set(client.run(os.getpid).values())
        self.assertEqual(len(before - after), len(names))
        self.assertTrue((found == self.want).all())

    def test_while_counting_and_while_filtering(self):
        self.check("_added", "_filtered")

    def test_while_scanning(self):
        self.check("_scanned")

    def test_while_merging(self):
        self.check("_merged")


class Behaviour(OnACluster):
    def test_progress(self):
        self.start(2)
        image, seen = da.from_zarr(self.source), []
        model = cof.dask.fit(image, progress=seen.append, **OPTIONS)
        self.assertEqual(model, cof.Model.fit(self.image, **OPTIONS))
        self.assertTrue(len(seen) > 1 and seen == sorted(seen) and seen[-1] == 1, seen)
        with self.assertRaises(cof.CancelledError):
            cof.dask.fit(image, progress=lambda done: True, **OPTIONS)

    def test_errors(self):
        """They are those of the library, also from another process."""
        self.start(1)
        image = da.from_zarr(self.source)
        model = cof.dask.fit(image, **OPTIONS)
        with self.assertRaisesRegex(cof.ArgumentError, "the model is for rgb"):
            cof.dask.apply(model, image[:, :, 0]).compute()
        with self.assertRaisesRegex(ValueError, "nothing"):
            cof.dask.fit(image, mask=da.zeros(SIZE, chunks=CHUNK), **OPTIONS)

    def test_a_damaged_chunk(self):
        """One clear error, and the other chunks can be computed."""
        broken = f"{self.folder.name}/broken.zarr"
        da.from_array(self.image, chunks=(*CHUNK, 3)).to_zarr(broken)
        (pathlib.Path(broken) / "2.1.0").write_bytes(b"not a chunk")
        client = self.start(2)
        work = cof.dask.smooth(da.from_zarr(broken), **OPTIONS).to_zarr(self.target, compute=False)
        with self.assertRaises(RuntimeError):
            client.compute(work).result(TIMEOUT)
        self.assertTrue((self.smooth(client) == self.want).all())


class Graph(unittest.TestCase):
    def setUp(self):
        self.image = da.zeros((500, 400, 3), np.uint8, chunks=(100, 100, 3)).map_blocks(np.copy)

    def tasks(self, array, *functions):
        self.graph = dict(array.dask)
        return [task for task in self.graph.values() if isinstance(task, tuple) and
                task[0] in functions]

    def check_strips(self, parts):
        """As wide as the windows reach."""
        self.assertGreater(len(parts), 2)
        for top, bottom, left, right in parts:
            self.assertLessEqual(min(bottom - top, right - left), 4)

    def check_reads(self, tasks):
        """Each computes one chunk inside, and gets strips of others. Their tasks are returned."""
        cutting = set()
        for _, _, (reading, values), *_ in tasks:
            inside = [computation for _, _, computation in reading.pieces if computation]
            strips = [value for value in values if isinstance(value, tuple)]
            self.assertEqual(len(inside), 1)
            self.assertEqual(len(strips), len(reading.pieces) - 1)
            cutting.update(dask.core.get_dependencies(self.graph, task=strips))
        return [self.graph[key] for key in cutting]

    def test_chunks_are_not_moved(self):
        """A task reads its chunk, and gets strips that the first pass has cut."""
        smooth = cof.dask.smooth(self.image, **OPTIONS)
        readers = self.tasks(smooth, cof.dask._added, cof.dask._filtered)
        self.assertEqual(len(readers), 40)
        scans = self.check_reads(readers)
        self.assertEqual(len(scans), 20)
        for task in scans:
            self.assertIs(task[0], cof.dask._scanned)
            self.check_strips(task[6])

    def test_strips_are_moved_and_not_chunks(self):
        """Without a first pass, tasks of their own cut strips."""
        model = cof.Model.fit(random_image((40, 40, 3)), **OPTIONS)
        tasks = self.tasks(cof.dask.apply(model, self.image), cof.dask._filtered)
        self.assertEqual(len(tasks), 20)
        cuts = self.check_reads(tasks)
        self.assertEqual(len(cuts), 20)
        for _, _, parts in cuts:
            self.check_strips(parts)

    def test_few_tasks(self):
        """Their number is what a scheduler can stand: four for each chunk, and the merges."""
        image = da.zeros((4000, 4000), np.uint8, chunks=200).map_blocks(np.copy)
        (work,) = dask.optimize(cof.dask.smooth(image, **OPTIONS).to_zarr(
            zarr.storage.MemoryStore(), compute=False))
        self.assertLess(len(dict(work.dask)), 4.4 * 400)

    def test_strips_of_small_chunks_are_not_kept(self):
        """They would be a large part of an image that need not fit into memory. Chunks are put
        together, so that there are fewer strips; of wide windows, none are kept."""
        for size, chunk, margin, side, are_kept in (
                (10 ** 5, 1024, 7, 1024, True), (10 ** 5, 512, 7, 3584, True),
                (10 ** 5, 512, 60, 3584, False), (10 ** 5, 6000, 60, 6000, False),
                (10 ** 3, 200, 7, 200, True), (10 ** 3, 30, 7, 1000, True)):
            with self.subTest(size=size, chunk=chunk, margin=margin):
                image = da.zeros((size, size), dtype=np.uint8, chunks=chunk)
                tiles, strips = divided(image, [margin])
                self.assertEqual(tiles.axes[1].sizes[0], side)
                self.assertEqual(strips is not None, are_kept)

    def test_statistics_are_merged_in_a_tree(self):
        image = da.zeros((2000, 2000), np.uint8, chunks=100)
        graph = dict(cof.dask.smooth(image, **OPTIONS).dask)
        merges = [task for task in graph.values() if isinstance(task, tuple) and
                  task[0] is cof.dask._merged]
        self.assertEqual(len(merges), 2 * (50 + 7 + 1))
        self.assertLessEqual(max(len(task[1]) for task in merges), 8)


if __name__ == "__main__":
    unittest.main()
