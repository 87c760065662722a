#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Dask arrays: chunks give the same bytes as the whole array, in little memory.

COF_LIBRARY names the library. COF_DASK_SIZE and COF_DASK_MEGABYTES: of the large array, and what
it may take (by default 5000 and 400; the figure in docs/performance.md is of 20000 and 1500).
"""
import doctest
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref
from unittest import mock

import dask
import dask.array as da
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
import cof.dask  # noqa: E402
from images import random_image  # noqa: E402

SIZE = int(os.environ.get("COF_DASK_SIZE", 5000))
MEGABYTES = int(os.environ.get("COF_DASK_MEGABYTES", 400))
PRESETS = cof._library.lib.table["preset"].choices


def small_tiles(megabytes=0.03):
    """Tiles of fewer chunks than the usual 16 MB, so that small images have several."""
    return mock.patch.object(cof._chunks, "_TILE_BYTES", megabytes * 1e6)


class AsTheWhole(unittest.TestCase):
    def check(self, image, chunks, learning, filtering, mask=None):
        pieces = da.from_array(image, chunks=chunks)
        shapes = None if mask is None else da.from_array(mask, chunks=17)
        model = cof.dask.fit(pieces, mask=shapes, **learning)
        whole = cof.Model.fit(image, mask=mask, **learning)
        self.assertEqual(model.to_bytes(), whole.to_bytes())
        smooth = cof.dask.apply(model, pieces, **filtering)
        self.assertEqual((smooth.shape, smooth.dtype), (image.shape, image.dtype))
        self.assertTrue((smooth.compute() == whole.apply(image, **filtering)).all())

    def test_dtypes_and_kinds(self):
        for shape in ((83, 97), (83, 97, 3), (83, 97, 4), (60, 50, 6)):
            for dtype in (np.uint8, np.uint16, np.float32, np.float64):
                with self.subTest(shape=shape, dtype=dtype):
                    self.check(random_image(shape, dtype), (30, 41, *shape[2:]),
                               dict(window=9, colours=8), {})

    def test_chunks_of_any_size(self):
        image = random_image((120, 90, 3))
        for chunks in ((120, 90, 3), (1, 90, 3), (120, 7, 3), (50, 40, 1),
                       ((3, 100, 17), (80, 1, 9), (3,)), (11, 13, 2)):
            with self.subTest(chunks=chunks):
                self.check(image, chunks, dict(window=15), {})

    def test_options(self):
        image = random_image((150, 140, 3))
        mask = np.zeros(image.shape[:2], bool)
        mask[20:110, 30:100] = True
        for learning, filtering in (
                (dict(window=7, variant="authors"), dict(variant="authors", iterations=2)),
                (dict(softness=0, colours=5, seed=3), dict(border="mirror", space="native")),
                (dict(window=31), dict(method="fast")), (dict(), dict(filter_window=41)),
                (dict(palettes=3, separation=0.2), dict(iterations=2)),
                (dict(window=3), dict(update="labels", iterations=3))):
            with self.subTest(learning=learning, filtering=filtering):
                self.check(image, (64, 50, 3), learning, filtering)
                self.check(image, (64, 50, 3), learning, filtering, mask)

    def test_sampled_pairs(self):
        """So many pixels that not all pairs are counted: which are, is told by their places."""
        image = random_image((700, 900))
        self.assertGreater(cof.Stats().add(image).histogram.sum(), 2 ** 19)
        self.check(image, (256, 256), {}, {})

    def test_windows_that_reach_into_many_chunks(self):
        image = random_image((150, 140, 3))
        mask = np.zeros(image.shape[:2], bool)
        mask[20:110, 30:100] = True
        for chunk in (11, 40, 140):
            with self.subTest(chunk=chunk), small_tiles():
                self.check(image, (chunk, chunk, 3), dict(window=31), dict(filter_window=63), mask)

    def test_guide_and_channels_anywhere(self):
        image, guide = random_image((60, 70, 3)), random_image((60, 70), seed=4)
        model = cof.Model.fit(guide)
        want = model.apply(image, guide=guide)
        first = da.from_array(np.moveaxis(image, 2, 0), chunks=(1, 33, 20))
        found = cof.dask.apply(model, first, guide=da.from_array(guide, chunks=25), channel_axis=0)
        self.assertTrue((np.moveaxis(found.compute(), 0, 2) == want).all())

    def test_processes(self):
        image = random_image((80, 90, 3))
        pieces = da.from_array(image, chunks=(50, 60, 3))
        with dask.config.set(scheduler="processes", num_workers=2):
            model = cof.dask.fit(pieces)
            smooth = cof.dask.apply(model, pieces).compute()
        self.assertTrue((smooth == cof.smooth(image)).all())

    def test_progress(self):
        image, seen = random_image((150, 140, 3)), []
        chunks = da.from_array(image, chunks=(40, 40, 3))
        for scheduler in ("threads", "synchronous"):
            with dask.config.set(scheduler=scheduler):
                seen.clear()
                cof.dask.fit(chunks, progress=seen.append)
                self.assertTrue(0 < seen[0] < 0.5 and seen[-1] == 1)
                with self.assertRaises(cof.CancelledError):
                    cof.dask.fit(chunks, progress=lambda done: done > 0.3)
        with self.assertRaisesRegex(TypeError, "ProgressBar"):
            cof.dask.apply(cof.Model.fit(image), chunks, progress=seen.append)

    def test_masked_arrays(self):
        image = random_image((80, 90, 3))
        hidden = np.zeros(image.shape, bool)
        hidden[10:40, 20:70] = True
        masked = np.ma.MaskedArray(image, hidden)
        chunks = da.from_array(masked, chunks=(50, 40, 3))
        model = cof.dask.fit(chunks)
        self.assertEqual(model, cof.Model.fit(masked))
        found, want = cof.dask.apply(model, chunks).compute(), model.apply(masked)
        self.assertTrue(np.ma.isMaskedArray(found) and (found.mask == hidden).all())
        self.assertTrue((found.data == want.data).all())

    def test_arrays_that_are_computed(self):
        """Tasks that read a chunk become part of those that need it, with all that they need."""
        image = random_image((80, 90, 3))
        for chunks, part in (((80, 90, 3), np.s_[:]), ((50, 40, 2), np.s_[:]),
                             ((50, 40, 2), np.s_[5:, ::-1])):
            lazy = da.from_array(image, chunks=chunks)
            hidden = (lazy > 250).any(axis=2)[:, :, None] & np.ones(3, bool)
            lazy = da.ma.masked_array(lazy + np.ones(3, np.uint8), mask=hidden)[part]
            whole, others = lazy.compute(), lazy.compute()[:40]
            with self.subTest(chunks=chunks, part=part):
                model = cof.dask.fit([lazy, lazy[:40]])
                known = cof.Stats().scan(whole).scan(others).fit_palette().like()
                self.assertEqual(model, known.add(whole).add(others).model())
                self.assertTrue((cof.dask.apply(model, lazy).compute() == model.apply(whole)).all())
                self.assertTrue((cof.dask.smooth(lazy).compute() == cof.smooth(whole)).all())

    def test_rejected_input(self):
        image = da.from_array(random_image((40, 50, 3)), chunks=20)
        model = cof.Model.fit(random_image((40, 50, 3)))
        unknown = image[image[:, 0, 0] > 100]
        for words, call in (
                ("dimensions", lambda: cof.dask.fit(da.zeros(5, np.uint8))),
                ("dimensions", lambda: cof.dask.apply(model, image, channel_axis=None)),
                ("unknown", lambda: cof.dask.fit(unknown)),
                ("unknown", lambda: cof.dask.apply(model, unknown)),
                ("empty", lambda: cof.dask.fit(image[:0])),
                ("empty", lambda: cof.dask.apply(model, image[:, :0])),
                ("shape", lambda: cof.dask.fit(image, mask=da.ones((2, 3)))),
                ("shape", lambda: cof.dask.apply(model, image, guide=image[:20])),
                ("tolerance", lambda: cof.dask.apply(model, image, tolerance=1)),
                ("nothing", lambda: cof.dask.fit(image, mask=da.zeros((40, 50)))),
                ("window", lambda: cof.dask.fit(image, window=4)),
                ("method", lambda: cof.dask.apply(model, image, method="best")),
                ("int64", lambda: cof.dask.fit(image.astype(int))),
                ("kind", lambda: cof.dask.apply(model, image[:, :, 0]).compute())):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()


class Presets(unittest.TestCase):
    """Those of large images learn from and filter the downscaled image."""

    def check(self, image, chunk, whole, **options):
        lazy = cof.dask.smooth(da.from_array(image, chunks=(chunk, chunk, 3)), **options)
        self.assertTrue((lazy.compute() == whole).all())

    def test_all(self):
        images = [random_image((301, 230, 3)), random_image((810, 840, 3))]
        for image, are_downscaled in zip(images, (False, True)):
            for preset in PRESETS:
                self.assertEqual(cof.preset(preset, *image.shape[:2])["downscale"] > 1,
                                 are_downscaled)
                whole = cof.smooth(image, preset=preset)
                for chunk, megabytes in ((64, 0.3), (300, 16), (1024, 16)):
                    with self.subTest(preset=preset, chunk=chunk, shape=image.shape), \
                            small_tiles(megabytes):
                        self.check(image, chunk, whole, preset=preset)

    def test_sigma_of_the_fast_method(self):
        image = random_image((300, 320, 3))
        for options in (dict(method="fast", window=25, sigma=6.0),
                        dict(method="fast", window=25, sigma=2.0, filter_sigma=9.0),
                        dict(preset="texture", downscale=1)):
            with self.subTest(options=options), small_tiles():
                self.check(image, 100, cof.smooth(image, **options), **options)

    def test_downscale(self):
        """Cells that chunks cut, no data, masks, guides and other scales of the filter."""
        image = random_image((243, 355, 3))
        hidden = np.zeros(image.shape, bool)
        hidden[30:90, 20:70] = True
        masked = np.ma.MaskedArray(image, hidden)
        for options in (dict(downscale=2, iterations=2), dict(downscale=7, window=5, iterations=3),
                        dict(downscale=3, filter_downscale=1), dict(downscale=50, window=3)):
            for chunk in (23, 64, 243):
                with self.subTest(options=options, chunk=chunk), small_tiles():
                    chunks = da.from_array(masked, chunks=(chunk, chunk, 3))
                    whole = cof.smooth(masked, **options)
                    found = cof.dask.smooth(chunks, **options).compute()
                    self.assertTrue((found.mask == hidden).all())
                    self.assertTrue((found.data == whole.data).all())
        model = cof.Model.fit(image, downscale=3)
        chunks = da.from_array(image, chunks=64)
        with small_tiles():
            self.assertEqual(cof.dask.fit([chunks, chunks[:100]], downscale=3),
                             cof.Model.fit([image, image[:100]], downscale=3))
            self.assertTrue((cof.dask.apply(model, chunks).compute() == model.apply(image)).all())
        with self.assertRaisesRegex(ValueError, "filter_downscale to 1"):
            cof.dask.apply(model, chunks, guide=chunks)
        with self.assertRaisesRegex(ValueError, "factor"):
            cof.dask.apply(model, chunks, filter_downscale=2)

    def test_masks(self):
        """Of cells at the edge, too, and where no half of any cell is set."""
        image = random_image((243, 355, 3))
        for step in (1, 5):
            mask = np.zeros(image.shape[:2], np.uint8)
            mask[40:243:step, 30:355:step] = 3
            with self.subTest(step=step), small_tiles():
                chunks = da.from_array(image, chunks=(64, 64, 3)), da.from_array(mask, chunks=50)
                self.assertEqual(cof.dask.fit(chunks[0], mask=chunks[1], downscale=4),
                                 cof.Model.fit(image, mask=mask, downscale=4))

    def test_processes(self):
        image = random_image((810, 840, 3))
        with dask.config.set(scheduler="processes", num_workers=2):
            self.check(image, 300, cof.smooth(image, preset="texture"), preset="texture")


class Counted:
    """An array that is computed; how often its chunks are, and how many there are at a time."""

    def __init__(self, image, chunk):
        self.lock, self.reads, self.held, self.most = threading.RLock(), 0, 0, 0

        def read(block_info=None):
            where = tuple(slice(*side) for side in block_info[None]["array-location"])
            made = image[where].copy()
            with self.lock:
                self.reads, self.held = self.reads + 1, self.held + 1
                self.most = max(self.most, self.held)
            weakref.finalize(made, self.let_go)
            return made
        chunks = da.core.normalize_chunks((chunk, chunk, -1), image.shape, dtype=image.dtype)
        self.array = da.map_blocks(read, chunks=chunks, dtype=image.dtype,
                                   meta=np.empty((0, 0, 0), image.dtype))

    def let_go(self):
        with self.lock:
            self.held -= 1


class Results(dask.callbacks.Callback):
    """The most bytes that the results of tasks have together."""
    most = 0

    def _posttask(self, key, result, graph, state, worker):
        self.most = max(self.most, sum(map(self.size, list(state["cache"].values()))))

    def size(self, value):
        if isinstance(value, (list, tuple)):
            return sum(map(self.size, value))
        return value.nbytes if isinstance(value, np.ndarray) else 0


class Nowhere:
    def __setitem__(self, where, values):
        pass


class Memory(unittest.TestCase):
    """A chunk is held by the task that computes it, and by no other."""

    def check(self, size, chunk, compute, reads, share):
        image = random_image((size, size, 3))
        for scheduler, workers in (("synchronous", 1), ("threads", 2)):
            source = Counted(image, chunk)
            with self.subTest(scheduler=scheduler), Results() as results, \
                    dask.config.set(scheduler=scheduler, num_workers=workers):
                da.store(compute(source.array), Nowhere(), lock=False)
                self.assertLessEqual(source.most, workers)
                self.assertLessEqual(source.reads, reads * (-(-size // chunk)) ** 2)
                self.assertLess(results.most, share * image.nbytes)

    def test_strips(self):
        """Three passes, or two, and strips of less than a quarter of the image."""
        model = cof.Model.fit(random_image((40, 40, 3)), window=7)
        self.check(480, 60, lambda array: cof.dask.smooth(array, window=7), 3, 0.3)
        self.check(480, 60, lambda array: cof.dask.apply(model, array), 2, 0.3)

    def test_many_small_chunks(self):
        """Are put together, with strips or without."""
        with small_tiles(0.03):
            self.check(400, 20, lambda array: cof.dask.smooth(array, window=7), 3, 0.5)
            self.check(400, 50, lambda array: cof.dask.smooth(array, window=31), 1 + 2 * 4, 0.5)

    def test_presets(self):
        """The chunks beside a tile of 2 x 2 are computed, too: on two sides, and on all."""
        with small_tiles(0.3):
            for preset in PRESETS:
                self.check(900, 150, lambda array: cof.dask.smooth(array, preset=preset),
                           1.5 ** 2 + 2 ** 2, 0.5)

    def test_arrays_made_of_shared_parts(self):
        """Each pass computes them again; what all chunks need is computed once in a pass."""
        image = random_image((300, 300, 3), np.uint16)
        source = Counted(image, 100)
        scaled = (source.array * (60000 / source.array.max())).astype(np.uint16)
        whole = (image * (60000 / image.max())).astype(np.uint16)
        found = cof.dask.smooth(scaled, window=7).compute(scheduler="synchronous")
        self.assertTrue((found == cof.smooth(whole, window=7)).all())
        self.assertLessEqual(source.reads, 6 * 9)
        for chunk in (70, 300):
            source = Counted(image, 100)
            again = source.array.rechunk((chunk, chunk, 3))
            found = cof.dask.smooth(again, window=7).compute(scheduler="synchronous")
            self.assertTrue((found == cof.smooth(image, window=7)).all())
            self.assertLessEqual(source.reads, 3 * 9)


# What a process of its own does, which then tells how much memory it has ever had. The array is
# made chunk by chunk, and the result goes into a file.
LARGE = """
import resource, sys
import dask.array as da, numpy as np
import cof, cof.dask
size, path = int(sys.argv[1]), sys.argv[2]

def made(block_info=None):
    (top, bottom), (left, right), _ = block_info[None]["array-location"]
    y, x, c = np.ogrid[top:bottom, left:right, 0:3]
    grain = (y * 2654435761 + x * 40503 + c * 977).astype(np.uint32) >> 7
    return ((y // 97 * 53 + x // 61 * 29 + c * 50) % 180 + grain % 70).astype(np.uint8)

class File:
    def __setitem__(self, where, values):
        rows, columns, _ = where
        for row, line in zip(range(rows.start, rows.stop), values):
            with open(path, "r+b") as file:
                file.seek((row * size + columns.start) * 3)
                file.write(np.ascontiguousarray(line).tobytes())

open(path, "wb").truncate(size * size * 3)
chunks = da.core.normalize_chunks((1024, 1024, 3), (size, size, 3), dtype=np.uint8)
array = da.map_blocks(made, chunks=chunks, dtype=np.uint8)
model = cof.dask.fit(array)
model.save(path + ".cof")
da.store(cof.dask.apply(model, array), File(), lock=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)

# Tile by tile through the library, with tiles of another size.
margin, tile, different = model.margin(), 1777, 0
found = np.memmap(path, np.uint8, "r", shape=(size, size, 3))
for top in range(0, size, tile):
    for left in range(0, size, tile):
        bottom, right = min(top + tile, size), min(left + tile, size)
        row, column = max(top - margin, 0), max(left - margin, 0)
        ends = min(bottom + margin, size), min(right + margin, size)
        info = {None: {"array-location": [(row, ends[0]), (column, ends[1]), (0, 3)]}}
        place = cof.Place(row, column, size, size, np.s_[top:bottom, left:right])
        want = model.apply(made(info), place=place)
        different += int((want != found[top:bottom, left:right]).sum())
print(different)
"""


@unittest.skipIf("COF_WITHOUT_LONG" in os.environ, "is a test of its own")
class Large(unittest.TestCase):
    def test_a_large_array(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result")
            done = subprocess.run(
                [sys.executable, "-B", "-c", LARGE, str(SIZE), path], capture_output=True, text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, timeout=1800)
            self.assertEqual(done.returncode, 0, done.stderr)
            megabytes, different = map(int, done.stdout.split())
        print(f"{SIZE} x {SIZE}: {megabytes} MB", file=sys.stderr)
        self.assertEqual(different, 0)
        self.assertLess(megabytes, MEGABYTES)


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(cof.dask))
    return tests


if __name__ == "__main__":
    unittest.main()
