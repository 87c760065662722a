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
import unittest

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

    def test_presets(self):
        """A preset is scaled to the whole image; it must not downscale."""
        image = random_image((300, 200, 3))
        chunks = da.from_array(image, chunks=(128, 90, 3))
        model = cof.dask.fit(chunks, preset="texture")
        self.assertEqual(model, cof.Model.fit(image, preset="texture"))
        self.assertTrue((cof.dask.apply(model, chunks, preset="texture", iterations=2).compute() ==
                         cof.smooth(image, preset="texture", iterations=2)).all())
        large = da.zeros((2000, 2000, 3), np.uint8, chunks=1000)
        with self.assertRaisesRegex(ValueError, "downscale=1"):
            cof.dask.fit(large, preset="texture")

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
