#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Python package: arrays of every sort, models in every place, and what is refused.

COF_LIBRARY names the library, COF the command whose results must be the same.
"""
import concurrent.futures
import doctest
import gc
import itertools
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
from images import random_image  # noqa: E402
from cof import _choosing, _models, _smooth, _stats  # noqa: E402

PHOTOS = ROOT / "tests" / "data" / "photos"


def photo(name):
    """Through the tool vips, as the command reads it."""
    with tempfile.TemporaryDirectory() as folder:
        raw = pathlib.Path(folder) / "photo.ppm"
        subprocess.run(["vips", "copy", PHOTOS / name, raw], check=True)
        return read_ppm(raw.read_bytes())


def read_ppm(data):
    lines = [line for line in data[:300].split(b"\n") if not line.startswith(b"#")]
    width, height = map(int, lines[1].split())
    pixels = np.frombuffer(data[-width * height * 3:], np.uint8)
    return pixels.reshape(height, width, 3)


class SameAsTheCommand(unittest.TestCase):
    @unittest.skipUnless("COF" in os.environ, "COF names no command")
    def test_photographs(self):
        for name, options, words in (
                ("coffee.png", {}, []), ("chelsea.png", dict(window=7, num_iter=2),
                                         ["--window", "7", "--iterations", "2"]),
                ("astronaut.png", dict(method="fast", filter_window=31),
                 ["--method", "fast", "--filter-window", "31"]),
                ("rocket.jpg", dict(look="texture"), ["--look", "texture"]),
                ("hubble_deep_field.jpg", dict(look="cartoon"), ["--look", "cartoon"]),
                ("rocket.jpg", dict(preset="authors", repeat="rolling", num_iter=2),
                 ["--preset", "authors", "--rolling", "--iterations", "2"])):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "out.ppm"
                subprocess.run([os.environ["COF"], *words, PHOTOS / name, out], check=True)
                self.assertTrue((cof.smooth(photo(name), **options) ==
                                 read_ppm(out.read_bytes())).all())


    @unittest.skipUnless("COF" in os.environ, "COF names no command")
    def test_labels_and_masks(self):
        image = photo("coffee.png")
        height, width = image.shape[:2]
        labels = (image[:, :, 0] // 20).astype(np.uint8)
        for word in ("labels", "mask", "guide"):
            with self.subTest(word), tempfile.TemporaryDirectory() as folder:
                beside, out = pathlib.Path(folder) / "beside.pgm", pathlib.Path(folder) / "out.ppm"
                beside.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + labels.tobytes())
                subprocess.run([os.environ["COF"], f"--{word}", beside, PHOTOS / "coffee.png", out],
                               check=True)
                self.assertTrue((cof.smooth(image, **{word: labels}) ==
                                 read_ppm(out.read_bytes())).all())


class Arrays(unittest.TestCase):
    def layouts(self, image):
        """The same values in other places."""
        yield "Fortran", np.asfortranarray(image)
        wide = np.zeros((image.shape[0] * 2, image.shape[1] * 3, *image.shape[2:]), image.dtype)
        wide[::2, 1::3] = image
        yield "slices", wide[::2, 1::3]
        yield "backwards", image[::-1, ::-1].copy()[::-1, ::-1]
        yield "transposed", np.ascontiguousarray(np.swapaxes(image, 0, 1)).swapaxes(0, 1)
        yield "other byte order", image.astype(image.dtype.newbyteorder())
        frozen = image.copy()
        frozen.flags.writeable = False
        yield "read-only", frozen
        odd = np.zeros(image.nbytes + 1, np.uint8)[1:].view(image.dtype).reshape(image.shape)
        odd[...] = image
        yield "unaligned", odd
        if image.ndim == 3:
            yield "planes", np.ascontiguousarray(np.moveaxis(image, 2, 0)).transpose(1, 2, 0)

    def test_dtypes_shapes_and_layouts(self):
        shapes = [(40, 53), (40, 53, 1), (31, 40, 2), (40, 53, 3), (40, 53, 4), (25, 30, 7)]
        for shape, dtype in itertools.product(shapes, (np.uint8, np.uint16, np.float32, np.float64)):
            image = random_image(shape, dtype)
            want = cof.smooth(image, window=5, n_clusters=6)
            self.assertEqual((want.shape, want.dtype), (image.shape, image.dtype))
            before = image.copy()
            for name, layout in self.layouts(image):
                with self.subTest(shape=shape, dtype=dtype, layout=name):
                    found = cof.smooth(layout, window=5, n_clusters=6)
                    self.assertTrue((found == want).all())
                    self.assertEqual(found.dtype.newbyteorder("="), want.dtype)
            self.assertTrue((image == before).all())

    def test_channels_anywhere(self):
        image = random_image()
        want = cof.smooth(image)
        for axis in (0, 1, 2, -3):
            moved = np.moveaxis(image, -1, axis)
            self.assertTrue((np.moveaxis(cof.smooth(moved, channel_axis=axis), axis, -1)
                             == want).all())

    def test_broadcast(self):
        flat = np.broadcast_to(random_image((1, 50, 3)), (30, 50, 3))
        self.assertTrue((cof.smooth(flat) == cof.smooth(flat.copy())).all())

    def test_empty_and_tiny(self):
        for shape in ((0, 5), (5, 0, 3), (0, 0)):
            self.assertEqual(cof.smooth(np.zeros(shape, np.uint8)).shape, shape)
        for shape in ((1, 1), (1, 1, 3), (1, 40, 3), (40, 1)):
            image = random_image(shape)
            self.assertEqual(cof.smooth(image).shape, shape)

    def test_what_is_not_a_number(self):
        image = random_image(dtype=np.float32)
        image[3, 4, 1], image[7, 7] = np.nan, np.inf
        result = cof.smooth(image)
        self.assertTrue(np.isnan(result[3, 4, 1]) and np.isinf(result[7, 7]).all())
        self.assertEqual(np.isfinite(result).sum(), image.size - 4)

    def test_numbers_that_no_float_holds(self):
        image = random_image(dtype=np.float64)
        image[3, 4], image[5, 5, 0] = 1e300, -1e300
        result = cof.smooth(image)
        self.assertTrue((result[3, 4] == image[3, 4]).all() and result[5, 5, 0] == -1e300)
        self.assertTrue(np.isfinite(result).all())

    def test_masked_arrays(self):
        """Masked pixels have no weight, and are unchanged."""
        image = random_image()
        hidden = np.zeros(image.shape, bool)
        hidden[10:20, 10:20, 1] = True
        spoilt = image.copy()
        spoilt[10:20, 10:20] = 255
        one, other = (cof.smooth(np.ma.MaskedArray(values, hidden)) for values in (image, spoilt))
        self.assertTrue(np.ma.isMaskedArray(one) and (one.mask == hidden).all())
        self.assertTrue((other.data[10:20, 10:20] == 255).all())
        away = ~hidden.any(axis=2)
        # The palette sees all valid pixels, and no other.
        self.assertTrue((one.data[away] == other.data[away]).all())
        self.assertFalse((one.data[away] == cof.smooth(spoilt)[away]).all())

    def test_kinds(self):
        """Alpha is kept unless it is a band."""
        for shape, kinds in (((40, 53, 2), ("grey-alpha", "bands")), ((40, 53, 4), ("rgba", "bands"))):
            image = random_image(shape)
            kept, mixed = (cof.smooth(image, kind=kind) for kind in kinds)
            self.assertTrue((cof.smooth(image) == kept).all())
            self.assertTrue((kept[..., -1] == image[..., -1]).all())
            self.assertFalse((mixed[..., -1] == image[..., -1]).all())
        rgb = random_image()
        self.assertFalse((cof.smooth(rgb, kind="bands") == cof.smooth(rgb)).all())

    def test_threads_do_not_matter(self):
        image = random_image((200, 150, 3))
        self.assertTrue((cof.smooth(image, n_threads=1) == cof.smooth(image, n_threads=3)).all())


def apply_elsewhere(data):
    """In another process."""
    model, image = pickle.loads(data)
    return model.apply(image)


class Models(unittest.TestCase):
    def test_one_call_or_several(self):
        image, mask = random_image(), np.zeros((40, 53), bool)
        mask[5:30, 10:40] = True
        self.assertTrue((cof.Model.fit(image).apply(image) == cof.smooth(image)).all())
        self.assertTrue((cof.Model.fit(image, mask=mask).matrix !=
                         cof.Model.fit(image).matrix).any())
        other = random_image(seed=3)
        self.assertTrue((cof.smooth(image, learn_from=[image, other]) ==
                         cof.Model.fit([image, other]).apply(image)).all())
        self.assertTrue((cof.smooth(image, guide=other) ==
                         cof.Model.fit(other).apply(image, guide=other)).all())

    def test_scanned_by_hand(self):
        image, other = random_image(), random_image(seed=5)
        short = cof.Stats().scan(image).scan(other).add(image)
        self.assertEqual(short.to_bytes(),
                         cof.Stats().scan(image).scan(other).settle().add(image).to_bytes())

    def test_statistics_in_two_hands(self):
        """One thread at a time; a callback of a call comes second."""
        image = random_image((300, 300, 3))
        stats, refused = cof.Stats(), []

        def scan(_):
            try:
                for _ in range(20):
                    stats.scan(image, n_threads=1)
            except RuntimeError as problem:
                refused.append(str(problem))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(scan, range(4)))
        self.assertTrue(all("in use" in text for text in refused))
        with self.assertRaisesRegex(RuntimeError, "in use"):
            stats.scan(image, progress=lambda done: stats.scan(image))
        self.assertEqual(stats.settle().size, 32)

    def test_sums_of_statistics(self):
        image, other = random_image(), random_image(seed=5)
        whole = cof.Stats().scan(image).scan(other).settle()
        parts = [whole.like().add(image), whole.like().add(other)]
        whole.add(image).add(other)
        self.assertEqual((parts[0] + parts[1]).to_bytes(), whole.to_bytes())
        self.assertEqual(whole.histogram.sum(), 2 * 40 * 53)

    def test_labels(self):
        image = random_image()
        model = cof.Model.fit(image)
        labels = model.label(image)
        self.assertTrue((model.apply(image, labels=labels) == model.apply(image)).all())

    def test_labels_of_ones_own(self):
        image = random_image()
        labels = (image[:, :, 1] // 32).astype(np.int64)
        model = cof.Model.fit_labels(labels, window=7)
        self.assertEqual((model.size, model.palette), (int(labels.max()) + 1, None))
        self.assertTrue((cof.smooth(image, labels=labels, window=7) ==
                         model.apply(image, labels=labels)).all())

    def test_places(self):
        """Parts of every sort, of images and labels, are what the whole has there."""
        source = np.random.default_rng(9)
        for turn in range(40):
            rows, columns = source.integers(30, 90, 2)
            image = random_image((rows, columns, 3), (np.uint8, np.uint16, np.float32)[turn % 3], turn)
            model = cof.Model.fit(image, n_clusters=6, window=5)
            options = dict(num_iter=1 + turn % 2, method=("exact", "fast")[turn % 2])
            margin = model.margin(**options)
            top, left = source.integers(0, rows - 8), source.integers(0, columns - 8)
            bottom, right = source.integers(top + 1, rows + 1), source.integers(left + 1, columns + 1)
            row, column = max(top - margin, 0), max(left - margin, 0)
            around = np.s_[row:bottom + margin, column:right + margin]
            place = cof.Place(int(row), int(column), int(rows), int(columns),
                              np.s_[int(top):int(bottom), int(left):int(right)])
            whole = model.apply(image, **options)[top:bottom, left:right]
            self.assertTrue((model.apply(image[around], place=place, **options) == whole).all())
            labels = model.label(image)
            self.assertTrue((model.apply(image[around], labels=labels[around], place=place,
                                         **options) == whole).all())

    def test_saved_whole_or_not_at_all(self):
        model = cof.Model.fit(random_image())
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.cof"
            model.save(path)
            path.chmod(0o640)
            model.save(os.fsencode(path))
            self.assertEqual(path.stat().st_mode & 0o777, 0o640)
            (pathlib.Path(folder) / "link.cof").symlink_to("m.cof")
            model.save(pathlib.Path(folder) / "link.cof")
            self.assertTrue((pathlib.Path(folder) / "link.cof").is_symlink())
            with self.assertRaises(OSError):
                model.save(folder)
            with self.assertRaises(OSError):
                model.save(pathlib.Path(folder) / "gone" / "m.cof")
            self.assertEqual(sorted(os.listdir(folder)), ["link.cof", "m.cof"])

    def test_saved_loaded_and_sent(self):
        image = random_image()
        model = cof.Model.fit(image, n_clusters=5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.cof")
            model.save(path)
            self.assertTrue((cof.Model.load(path).apply(image) == model.apply(image)).all())
        for one in (model, cof.Stats().add(image)):
            self.assertEqual(pickle.loads(pickle.dumps(one)).to_bytes(), one.to_bytes())
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            sent = pool.submit(apply_elsewhere, pickle.dumps((model, image))).result(60)
        self.assertTrue((sent == model.apply(image)).all())

    def test_a_model_does_not_change(self):
        model = cof.Model.fit(random_image())
        for array in (model.matrix, model.palette, model.frequencies):
            with self.assertRaises(ValueError):
                array[0] = 1

    def test_eight_threads_on_one_model(self):
        images = [random_image(seed=i) for i in range(8)]
        model = cof.Model.fit(images[0])
        want = [model.apply(image, n_threads=1) for image in images]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda image: model.apply(image, n_threads=1), images * 4))
        for i, result in enumerate(found):
            self.assertTrue((result == want[i % 8]).all())

    def test_the_lock_is_released(self):
        """While one thread filters, another one counts."""
        image = random_image((700, 700, 3))
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        cof.smooth(image, n_threads=1)
        after = counted[0]
        stop.set()
        thread.join()
        self.assertGreater(after - before, 1000)

    def test_nothing_leaks(self):
        image, page = random_image((300, 300, 3)), os.sysconf("SC_PAGE_SIZE")

        def resident():
            gc.collect()
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * page
        for calls in (20, 100):
            before = resident()
            for _ in range(calls):
                cof.smooth(image, num_iter=2)
                pickle.loads(pickle.dumps(cof.Model.fit(image)))
            grown = resident() - before
        self.assertLess(grown, 8 * 2 ** 20)


class Presets(unittest.TestCase):
    """830 x 1000 pixels are twice as many along a side as looks are made for."""
    LARGE = random_image((830, 1000, 3))

    def test_a_look_is_its_options(self):
        for name in ("subtle", "texture", "cartoon"):
            options = cof.look(name, 830, 1000)
            self.assertEqual(options["coarse"], 2)
            found = cof.smooth(self.LARGE, look=name)
            self.assertTrue((found == cof.smooth(self.LARGE, **options)).all())
            self.assertFalse((found == cof.smooth(self.LARGE, **{**options, "coarse": 1})).all())

    def test_windows_follow_the_size(self):
        whole = [cof.look("texture", 400 * n, 400 * n) for n in (1, 2, 5, 12, 64)]
        self.assertEqual([one["coarse"] for one in whole], [1, 2, 5, 12, 64])
        self.assertEqual({one["window"] for one in whole}, {21})
        self.assertEqual(cof.look("texture", 600, 600)["window"], 31)
        self.assertLess(cof.look("texture", 100, 100)["window"], 9)

    def test_what_is_given_goes_first(self):
        found = cof.smooth(self.LARGE, look="texture", num_iter=1, n_clusters=8)
        options = {**cof.look("texture", 830, 1000), "num_iter": 1, "n_clusters": 8}
        self.assertTrue((found == cof.smooth(self.LARGE, **options)).all())

    def test_in_two_steps(self):
        model = cof.Model.fit(self.LARGE, look="texture")
        self.assertTrue((model.apply(self.LARGE, look="texture") ==
                         cof.smooth(self.LARGE, look="texture")).all())
        small = np.ascontiguousarray(self.LARGE[::2, ::2])
        both = cof.smooth(self.LARGE, look="texture", learn_from=[self.LARGE, small])
        stats = cof.Stats(window=model.window, n_clusters=32, levels=32)
        stats.scan(self.LARGE, coarse=2).scan(small).settle()
        stats.add(self.LARGE, coarse=2).add(small)
        other = cof.Model.from_stats(stats, softness=0.5)
        self.assertTrue((both == other.apply(self.LARGE, look="texture")).all())

    def test_what_is_not_learned_stays(self):
        image = self.LARGE // 3
        image[:, 600:] += 170
        mask = np.zeros(image.shape[:2], np.uint8)
        mask[:, :500] = 1
        found = cof.smooth(image, look="texture", mask=mask, softness=0)
        self.assertTrue((found[:, 600:] == image[:, 600:]).all())
        self.assertFalse((found[:, :500] == image[:, :500]).all())


class Choosing(unittest.TestCase):
    def test_select_and_focus(self):
        source = np.random.default_rng(1)
        image = np.zeros((60, 80, 3), np.uint8)
        image[:, :40] = source.choice([[200, 40, 40], [150, 20, 30]], (60, 40))
        image[:, 40:] = source.choice([[40, 160, 60], [30, 110, 40]], (60, 40))
        marks = np.zeros((60, 80))
        marks[20:40, 10:12] = 1
        mask = cof.select(image, marks)
        self.assertTrue(mask[:, :40].all() and not mask[:, 40:].any())
        result = cof.focus(image, mask)
        self.assertTrue((result[:, :38] == image[:, :38]).mean() > 0.99)
        self.assertLess(result[:, 45:, 1].std() * 4, image[:, 45:, 1].std())


class RejectedInput(unittest.TestCase):
    def test_what_makes_no_sense(self):
        image, model = random_image(), cof.Model.fit(random_image())
        mask, stats = np.zeros((40, 53)), cof.Stats().add(image)
        for kind, words, call in (
                (ValueError, "dimensions", lambda: cof.smooth(np.zeros(5, np.uint8))),
                (ValueError, "dimensions", lambda: cof.smooth(np.zeros((2, 3, 4, 5), np.uint8))),
                (ValueError, "dimensions", lambda: cof.smooth(image, channel_axis=None)),
                (ValueError, "int32", lambda: cof.smooth(image.astype(np.int32))),
                (ValueError, "bool", lambda: cof.smooth(image > 5)),
                (ValueError, "complex", lambda: cof.smooth(image.astype(complex))),
                (ValueError, "64", lambda: cof.smooth(np.zeros((5, 5, 65), np.uint8))),
                (ValueError, "window", lambda: cof.smooth(image, window=4)),
                (ValueError, "colours", lambda: cof.smooth(image, n_clusters=0)),
                (ValueError, "iterations", lambda: cof.smooth(image, num_iter=0)),
                (ValueError, "method", lambda: cof.smooth(image, method="best")),
                (ValueError, "mode", lambda: cof.smooth(image, mode="wrap")),
                (ValueError, "preset", lambda: cof.smooth(image, preset="none")),
                (ValueError, "look", lambda: cof.smooth(image, look="nice")),
                (ValueError, "one of them", lambda: cof.smooth(image, look="subtle", preset="app")),
                (ValueError, "size", lambda: cof.look("subtle", 0, 5)),
                (ValueError, "coarse", lambda: cof.smooth(image, coarse=0)),
                (ValueError, "coarse", lambda: cof.smooth(image, coarse=65)),
                (ValueError, "rolling", lambda: cof.smooth(image, coarse=2, repeat="rolling")),
                (ValueError, "labels", lambda: cof.smooth(image, coarse=2,
                                                          labels=mask.astype(int))),
                (ValueError, "parts", lambda: model.apply(
                    image, coarse=2, place=cof.Place(0, 0, 40, 53, np.s_[0:9, 0:9]))),
                (ValueError, "shape", lambda: cof.smooth(image, mask=np.ones((3, 3)))),
                (ValueError, "nothing", lambda: cof.smooth(image, mask=mask)),
                (ValueError, "integers", lambda: cof.smooth(image, labels=mask)),
                (ValueError, "255", lambda: cof.smooth(image, labels=mask.astype(int) + 256)),
                (ValueError, "0 to", lambda: cof.smooth(image, labels=mask.astype(int) - 1)),
                (ValueError, "shape", lambda: cof.smooth(image, labels=np.ones((3, 3), int))),
                (ValueError, "label", lambda: model.apply(image, labels=mask.astype(int) + 99)),
                (ValueError, "not both", lambda: cof.smooth(image, guide=image, labels=mask)),
                (ValueError, "beyond|reach", lambda: model.apply(
                    image, place=cof.Place(5, 5, 400, 530, np.s_[5:45, 5:58]))),
                (ValueError, "", lambda: model.apply(image, place=cof.Place(0, 0, 3, 3))),
                (ValueError, "not both", lambda: model.apply(image, guide=image, labels=mask)),
                (ValueError, "size", lambda: model.apply(image, guide=image[:20])),
                (ValueError, "kind", lambda: model.apply(image[:, :, 0])),
                (ValueError, "masks", lambda: cof.Model.fit([image, image], mask=[mask])),
                (ValueError, "shape", lambda: cof.select(image, np.ones((2, 2)))),
                (ValueError, "scribbled", lambda: cof.select(image, mask)),
                (ValueError, "show something", lambda: cof.focus(image, mask)),
                (ValueError, "leave something", lambda: cof.focus(image, mask + 1)),
                (ValueError, "threshold", lambda: cof.select(image, mask + 1, threshold=0)),
                (TypeError, "learned", lambda: cof.select(image, mask, model=model, window_=3)),
                (TypeError, "Stats", lambda: cof.select(image, mask, model=cof.Stats())),
                (TypeError, "Model", lambda: cof.Stats().merge(model)),
                (TypeError, "Model", lambda: cof.Model.from_stats(model)),
                (ValueError, "themselves", lambda: stats.merge(stats)),
                (TypeError, "softness", lambda: cof.Stats(softness=0)),
                (TypeError, "widow", lambda: cof.Model.fit(image, widow=3)),
                (ValueError, "learned", lambda: cof.smooth(image, model=model, learn_from=image)),
                (ValueError, "scan all", lambda: cof.Stats().add(
                    image, place=cof.Place(0, 0, 40, 53))),
                (ValueError, "window", lambda: cof.smooth(image, window=2 ** 32 + 15)),
                (ValueError, "iterations", lambda: cof.smooth(image, num_iter=2 ** 32 + 1)),
                (ValueError, "threads", lambda: cof.smooth(image, n_threads=2 ** 32 + 1)),
                (ValueError, "seed", lambda: cof.smooth(image, rng=-1)),
                (ValueError, "labels", lambda: cof.Stats().settle_labels(2 ** 32 + 3)),
                (ValueError, "2.30", lambda: cof.smooth(
                    np.broadcast_to(np.uint8(7), (1, 2 ** 32 + 5)))),
                (ValueError, "range", lambda: model.apply(
                    image, place=cof.Place(2 ** 32, 0, 40, 53))),
                (ValueError, "empty", lambda: model.apply(
                    image, place=cof.Place(0, 0, 40, 53, np.s_[0:0, 0:0]))),
                (ValueError, "steps", lambda: model.apply(
                    image, place=cof.Place(0, 0, 40, 53, np.s_[0:20:2, :]))),
                (ValueError, "kind", lambda: cof.smooth(image, kind="hsv")),
                (ValueError, "", lambda: cof.smooth(image, kind="rgba")),
                (TypeError, "window_size", lambda: cof.smooth(image, window_size=3)),
                (TypeError, "Model.fit", cof.Model),
                (cof.FormatError, "no model",
                 lambda: cof.Model.from_bytes(cof.Stats().add(image).to_bytes())),
                (cof.FormatError, "damaged", lambda: cof.Model.from_bytes(b"nonsense")),
                (cof.FormatError, "damaged", lambda: cof.Stats.from_bytes(b"")),
                (FileNotFoundError, "gone", lambda: cof.Model.load("/gone")),
                (cof.Cancelled, "cancelled", lambda: cof.smooth(image, progress=lambda done: 1))):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def test_a_callback_that_fails(self):
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            cof.smooth(random_image(), progress=lambda done: 1 / 0)

    def test_interrupted(self):
        """Ctrl-C ends a long call, though nobody asked for progress."""
        program = ("import sys, threading, signal, os, time; sys.path.insert(0, sys.argv[1])\n"
                   "import cof, numpy as np\n"
                   "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                   "cof.smooth(np.random.default_rng(0).integers(0, 256, (1000, 1000, 3), np.uint8),\n"
                   "           num_iter=1000)\n")
        done = subprocess.run([sys.executable, "-c", program, ROOT / "python"], timeout=60,
                              capture_output=True, text=True)
        self.assertIn("KeyboardInterrupt", done.stderr)

    def test_progress(self):
        seen = []
        cof.smooth(random_image((200, 200, 3)), progress=seen.append)
        self.assertEqual((seen, seen[-1]), (sorted(seen), 1))


def load_tests(loader, tests, pattern):
    for module in (_choosing, _models, _smooth, _stats):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
