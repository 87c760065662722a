#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Python package: arrays of all kinds, models, statistics, selection, and rejected input.

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
import unittest.mock
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
from images import PHOTOS, photo, random_image, read_ppm  # noqa: E402
from cof import _call, _coarse, _learning, _library, _options, _select, _smooth  # noqa: E402


def write_pgm(path, values):
    path.write_bytes(b"P5\n%d %d\n255\n" % values.shape[::-1] + values.tobytes())


class SameAsTheCommand(unittest.TestCase):
    @unittest.skipUnless("COF" in os.environ, "COF names no command")
    def test_photographs(self):
        for name, options, words in (
                ("coffee.png", {}, []), ("chelsea.png", dict(window=7, iterations=2),
                                         ["--window", "7", "--iterations", "2"]),
                ("astronaut.png", dict(method="fast", filter_window=31),
                 ["--method", "fast", "--filter-window", "31"]),
                ("rocket.jpg", dict(preset="texture"), ["--preset", "texture"]),
                ("hubble_deep_field.jpg", dict(preset="cartoon"), ["--preset", "cartoon"]),
                ("rocket.jpg", dict(variant="authors", update="model", iterations=2),
                 ["--variant", "authors", "--update", "model", "--iterations", "2"])):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "out.ppm"
                subprocess.run([os.environ["COF"], *words, PHOTOS / name, out], check=True)
                self.assertTrue((cof.smooth(photo(name), **options) ==
                                 read_ppm(out.read_bytes())).all())


    @unittest.skipUnless("COF" in os.environ, "COF names no command")
    def test_labels_and_masks(self):
        image = photo("coffee.png")
        labels = (image[:, :, 0] // 20).astype(np.uint8)
        for word in ("labels", "mask", "guide"):
            with self.subTest(word), tempfile.TemporaryDirectory() as folder:
                beside, out = pathlib.Path(folder) / "beside.pgm", pathlib.Path(folder) / "out.ppm"
                write_pgm(beside, labels)
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
            want = cof.smooth(image, window=5, colours=6)
            self.assertEqual((want.shape, want.dtype), (image.shape, image.dtype))
            before = image.copy()
            for name, layout in self.layouts(image):
                with self.subTest(shape=shape, dtype=dtype, layout=name):
                    found = cof.smooth(layout, window=5, colours=6)
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
        self.assertTrue((cof.smooth(image, threads=1) == cof.smooth(image, threads=3)).all())


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
                         cof.Stats().scan(image).scan(other).fit_palette().add(image).to_bytes())

    def test_callbacks_cannot_use_what_is_being_changed(self):
        image = random_image((300, 300, 3))
        stats = cof.Stats()
        for action in (lambda: stats.scan(image), stats.to_bytes, stats.like, lambda: stats.size,
                       lambda: stats.palettes, lambda: stats.members):
            with self.assertRaisesRegex(RuntimeError, "in use"):
                stats.scan(image, progress=lambda done: action() and None)
        stats.scan(image).fit_palette().add(image)
        with self.assertRaisesRegex(RuntimeError, "in use"):
            stats.add(image, progress=lambda done: stats.model() and None)
        self.assertEqual(stats.size, 32)

    def test_writers_wait_for_each_other(self):
        image = random_image((100, 100, 3))
        stats = cof.Stats().scan(image).fit_palette()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: stats.add(image, threads=1), range(64)))
        want = stats.like()
        for _ in range(64):
            want.add(image)
        self.assertEqual(stats, want)

    def test_many_threads_read_statistics(self):
        """Only readers: nobody waits for long, and nobody is refused."""
        stats = cof.Stats(colours=8).add(random_image())
        want, model = stats.to_bytes(), stats.model()

        def read(_):
            for _ in range(500):
                if stats.to_bytes() != want or stats.like().size != 8 or stats.model() != model:
                    return False
            return (stats.copy() == stats and len(stats.histogram) == 8 and
                    stats.sampling_shift >= 0)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertTrue(all(pool.map(read, range(8))))

    def test_readers_and_writers(self):
        """The recipe of the tutorial, with merges into the statistics that others read."""
        images = [random_image(seed=i) for i in range(6)]
        stats = cof.Stats(colours=6)
        for image in images:
            stats.scan(image)
        stats.fit_palette()
        total = stats.like()

        def count(image):
            for _ in range(20):
                total.merge(stats.like().add(image, threads=1))
                total.to_bytes()
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(count, images))
        self.assertEqual(total.histogram.sum(), 20 * 6 * 40 * 53)

    def test_merging_both_ways_at_once(self):
        image = random_image()
        one = cof.Stats(colours=6).scan(image).fit_palette()
        other = one.like().add(image)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(lambda a=a, b=b: [a.merge(b) for _ in range(20)])
                    for a, b in ((one, other), (other, one))]
            for job in jobs:
                job.result(60)

    def test_sums_of_statistics(self):
        image, other = random_image(), random_image(seed=5)
        whole = cof.Stats().scan(image).scan(other).fit_palette()
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
        preset = cof.Model.fit_labels(labels, preset="flat")  # which has two palettes
        self.assertEqual((preset.palettes, preset.options["separation"]), (1, 0.4))

    def test_several_palettes(self):
        """The properties tell of the first palette, members of each."""
        image = random_image()
        for palettes, sizes in ((1, [16]), (2, [16, 4]), (3, [16, 8, 4])):
            with self.subTest(palettes):
                stats = cof.Stats(palettes=palettes, colours=16)
                self.assertEqual((stats.palettes, stats.members), (0, ()))
                stats.add(image)
                model = stats.model()
                self.assertEqual((stats.palettes, model.palettes), (palettes, palettes))
                self.assertEqual([len(member.histogram) for member in stats.members], sizes)
                self.assertEqual([len(member.frequencies) for member in model.members], sizes)
                for owner in (stats, model):
                    for name in owner.members[0]._fields:
                        np.testing.assert_equal(getattr(owner.members[0], name),
                                                getattr(owner, name))
                for counted, made in zip(stats.members, model.members):
                    size = len(counted.histogram)
                    self.assertTrue((counted.palette == made.palette).all())
                    self.assertEqual(counted.histogram.sum(), 40 * 53)
                    self.assertEqual(counted.counts[1].shape[1], size * (size + 1) // 2)
                    self.assertEqual(made.matrix.shape, (size, size))
                    self.assertAlmostEqual(made.frequencies.sum(), 1)
                    with self.assertRaises(ValueError):
                        made.matrix[0, 0] = 5
                for other in (pickle.loads(pickle.dumps(model)), cof.Model.fit(
                        image, palettes=palettes, colours=16)):
                    self.assertEqual(other, model)
                self.assertEqual(stats, stats.copy())
        labels = cof.Model.fit_labels(image[:, :, 0] % 3)
        self.assertEqual((labels.palettes, labels.members[0].palette), (1, None))

    def test_members_outlive_their_owner(self):
        image = random_image()
        model = cof.Model.fit(image, palettes=2, colours=8)
        want, members = model.members[1].matrix.tolist(), model.members
        del model
        cof.Model.fit(image, palettes=2, colours=8, seed=5)
        self.assertEqual(members[1].matrix.tolist(), want)

    def test_places(self):
        """Parts of every sort, of images and labels, are what the whole has there."""
        source = np.random.default_rng(9)
        for turn in range(40):
            rows, columns = source.integers(30, 90, 2)
            image = random_image((rows, columns, 3), (np.uint8, np.uint16, np.float32)[turn % 3], turn)
            model = cof.Model.fit(image, colours=6, window=5)
            options = dict(iterations=1 + turn % 2, method=("exact", "fast")[turn % 2])
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
        model = cof.Model.fit(image, colours=5)
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
        want = [model.apply(image, threads=1) for image in images]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda image: model.apply(image, threads=1), images * 4))
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
        cof.smooth(image, threads=1)
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
                cof.smooth(image, iterations=2)
                pickle.loads(pickle.dumps(cof.Model.fit(image)))
            grown = resident() - before
        self.assertLess(grown, 8 * 2 ** 20)


class Presets(unittest.TestCase):
    """830 x 1000 pixels are about twice the side that presets are made for."""
    LARGE = random_image((830, 1000, 3))

    def test_a_preset_is_its_options(self):
        for name in ("subtle", "texture", "cartoon", "flat", "video", "portrait", "drawing"):
            options = cof.preset(name, 830, 1000)
            self.assertEqual(options["downscale"], 2)
            found = cof.smooth(self.LARGE, preset=name)
            self.assertTrue((found == cof.smooth(self.LARGE, **options)).all())
            self.assertFalse((found == cof.smooth(self.LARGE, **{**options, "downscale": 1})).all())

    def test_windows_follow_the_size(self):
        whole = [cof.preset("texture", 400 * n, 400 * n) for n in (1, 2, 5, 12, 64)]
        self.assertEqual([one["downscale"] for one in whole], [1, 2, 5, 12, 64])
        self.assertEqual({(one["window"], one["sigma"]) for one in whole}, {(25, 4.5)})
        larger = cof.preset("texture", 600, 600)
        self.assertEqual((larger["window"], round(larger["sigma"], 9)), (37, 6.75))
        self.assertLess(cof.preset("texture", 100, 100)["window"], 9)

    def test_size(self):
        """It scales a preset as the sides of the image do, wherever there is a preset."""
        image = np.ascontiguousarray(self.LARGE[:300, :500])
        options = cof.preset("texture", 300, 500, size=2)
        self.assertEqual(options, cof.preset("texture", 600, 1000))
        found = cof.smooth(image, preset="texture", size=2)
        self.assertTrue((found == cof.smooth(image, **options)).all())
        model = cof.Model.fit(image, preset="texture", size=2)
        self.assertTrue((model.apply(image, preset="texture", size=2) == found).all())
        self.assertEqual(_options.without_preset(dict(preset="texture", size=2), 300, 500),
                         {**options, "filter_downscale": options["downscale"]})
        for options, error in ((dict(size=2), TypeError),
                               (dict(preset="texture", size=5), cof.ArgumentError),
                               (dict(preset="texture", size="fine"), ValueError)):
            with self.assertRaisesRegex(error, "size|convert"):
                cof.smooth(image, **options)

    def test_what_is_given_goes_first(self):
        found = cof.smooth(self.LARGE, preset="texture", iterations=1, colours=8)
        options = {**cof.preset("texture", 830, 1000), "iterations": 1, "colours": 8}
        self.assertTrue((found == cof.smooth(self.LARGE, **options)).all())

    def test_the_factor_of_the_filter_follows_that_of_learning(self):
        found = cof.smooth(self.LARGE, preset="texture", downscale=4)
        both = cof.smooth(self.LARGE, preset="texture", downscale=4, filter_downscale=4)
        apart = cof.smooth(self.LARGE, preset="texture", downscale=4, filter_downscale=2)
        self.assertTrue((found == both).all())
        self.assertFalse((found == apart).all())
        for options, factor in ((dict(downscale=4), 4), (dict(downscale=4, filter_downscale=2), 2)):
            options = _options.without_preset(dict(preset="texture", **options), 830, 1000)
            self.assertEqual(options["filter_downscale"], factor)

    def test_selection_is_not_downscaled(self):
        marks = np.zeros(self.LARGE.shape[:2], bool)
        marks[400:410, 300:500] = True
        model = cof.Model.fit(self.LARGE, window=31)
        cof.select(self.LARGE, marks, model=model, preset="texture", spread_iterations=1)

    def test_in_two_steps(self):
        model = cof.Model.fit(self.LARGE, preset="texture")
        self.assertTrue((model.apply(self.LARGE, preset="texture") ==
                         cof.smooth(self.LARGE, preset="texture")).all())
        small = np.ascontiguousarray(self.LARGE[::2, ::2])
        both = cof.smooth(self.LARGE, preset="texture", learn_from=[self.LARGE, small])
        given = {name: cof.preset("texture", 830, 1000)[name]
                 for name in ("window", "colours", "levels", "palettes", "downscale")}
        stats = cof.Stats(**given)
        stats.scan(self.LARGE).scan(small).fit_palette().add(self.LARGE).add(small)
        other = cof.Model.from_stats(stats, sigma=model.sigma, softness=0.5, separation=0.2)
        self.assertEqual(other.options["downscale"], 2)
        self.assertTrue((both == other.apply(self.LARGE, preset="texture")).all())

    def test_explicit_options_override_presets_and_variants(self):
        image = self.LARGE[:200, :200]
        preset = cof.smooth(image, preset="texture", variant="authors", softness=0.3)
        options = {**cof.preset("texture", 200, 200), "variant": "authors", "softness": 0.3,
                   "border": "mirror", "normalise": "marginals", "sigma": 0}
        self.assertTrue((preset == cof.smooth(image, **options)).all())

    def test_hot_pixels_do_not_glow(self):
        """The figures of the manual page."""
        image = np.full((128, 128), 100, np.uint16)
        image[64, 64] = 65535
        others = image < 65535
        self.assertAlmostEqual(int(cof.smooth(image, iterations=3)[others].max()), 1858, delta=1)
        for preset in cof._library.lib.table["preset"].choices:
            self.assertLessEqual(cof.smooth(image, preset=preset)[others].max(), 165, preset)

    def test_what_is_not_learned_stays(self):
        image = self.LARGE // 3
        image[:, 600:] += 170
        mask = np.zeros(image.shape[:2], np.uint8)
        mask[:, :500] = 1
        found = cof.smooth(image, preset="texture", mask=mask, softness=0)
        self.assertTrue((found[:, 600:] == image[:, 600:]).all())
        self.assertFalse((found[:, :500] == image[:, :500]).all())


class Downscaled(unittest.TestCase):
    """Images that are downscaled, part by part."""
    OPTIONS = dict(window=5, downscale=3)

    def small(self, image, rows=21):
        height, width = image.shape[:2]
        return np.ma.concatenate([
            cof.downscale(image[top:top + rows], 3, place=cof.Place(top, 0, height, width))
            for top in range(0, height, rows)])

    def in_parts(self, image, **options):
        height, width = image.shape[:2]
        small = self.small(image)
        model = cof.Stats(**self.OPTIONS).add(small, downscaled=True).model()
        self.assertEqual(model, cof.Model.fit(image, **self.OPTIONS))
        coarse, parts = cof.Coarse(model, small, **options), []
        self.assertEqual(coarse.margin, 0)
        for top in range(0, height, 40):
            place = cof.Place(top, 0, height, width)
            parts.append(coarse.apply(image[top:top + 40], place=place))
        return np.ma.concatenate(parts) if np.ma.isMaskedArray(image) else np.concatenate(parts)

    def test_parts_make_the_whole(self):
        for options in (dict(iterations=3), dict(iterations=2, method="fast", filter_window=21),
                        dict(iterations=2, update="labels", border="mirror"),
                        dict(iterations=2, fidelity=1, refine=3, detail=0.5)):
            image = random_image((100, 70, 3))
            whole = cof.smooth(image, **self.OPTIONS, **options)
            self.assertTrue((self.in_parts(image, **options) == whole).all(), options)

    def test_masked_pixels(self):
        hidden = np.zeros((100, 70, 3), bool)
        hidden[30:60, 20:40] = True
        image = np.ma.MaskedArray(random_image((100, 70, 3)), hidden)
        small = self.small(image)
        self.assertTrue(np.ma.getmaskarray(small)[12, 9].all())
        self.assertFalse(np.ma.getmaskarray(small)[5].any())
        whole = cof.smooth(image, **self.OPTIONS, iterations=2)
        parts = self.in_parts(image, iterations=2)
        self.assertTrue((np.ma.getdata(parts) == np.ma.getdata(whole)).all())

    def test_means(self):
        image = np.arange(30, dtype=np.float64).reshape(5, 6)
        means = [[image[y:y + 2, x:x + 2].mean() for x in (0, 2, 4)] for y in (0, 2, 4)]
        np.testing.assert_array_equal(cof.downscale(image, 2), means)
        self.assertEqual(cof.downscale(image, 2).dtype, np.float64)
        planes = random_image((20, 30, 3))
        moved = cof.downscale(np.moveaxis(planes, -1, 0), 4, channel_axis=0)
        self.assertTrue((np.moveaxis(moved, 0, -1) == cof.downscale(planes, 4)).all())

    def test_rejected(self):
        image = random_image((20, 30, 3))
        for factor in (0, 1, 65, 2.5):
            with self.assertRaisesRegex(cof.ArgumentError, "factor must be 2 to 64"):
                cof.downscale(image, factor)
        with self.assertRaisesRegex(cof.ArgumentError, "multiples of 3"):
            cof.downscale(image, 3, place=cof.Place(1, 0, 60, 30))
        with self.assertRaisesRegex(ValueError, "not learned with that factor"):
            cof.Coarse(cof.Model.fit(image), image)
        with self.assertRaises(TypeError):
            cof.Coarse("model", image)


class Foreground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        source = np.random.default_rng(1)
        cls.image = np.zeros((60, 80, 3), np.uint8)
        cls.image[:, :40] = source.choice([[200, 40, 40], [150, 20, 30]], (60, 40))
        cls.image[:, 40:] = source.choice([[40, 160, 60], [30, 110, 40]], (60, 40))
        cls.marks = np.zeros((60, 80))
        cls.marks[20:40, 10:12] = 1
        cls.mask = np.zeros((60, 80), bool)
        cls.mask[:, :40] = True

    def test_select(self):
        mask = cof.select(self.image, self.marks, select_method="spread")
        self.assertEqual(mask.dtype, bool)
        self.assertTrue((mask == self.mask).all())
        for how in ({}, dict(select_method="watershed"), dict(background=self.marks[:, ::-1])):
            found = cof.select(self.image, self.marks, **how)
            self.assertEqual(found.dtype, bool)
            self.assertTrue((found == self.mask)[:, np.r_[:39, 41:80]].all())

    def test_small_parts_are_removed(self):
        image, marks = np.zeros((150, 200, 3), np.uint8), np.zeros((150, 200))
        source = np.random.default_rng(1)
        image[:, :100] = source.choice([[200, 40, 40], [150, 20, 30]], (150, 100))
        image[:, 100:] = source.choice([[40, 160, 60], [30, 110, 40]], (150, 100))
        image[:30, :30] = image[:30, 160:190]
        marks[60:100, 50:53] = 1
        for method in ("watershed", "spread"):
            for smallest, share in ((0.02, 0), (0.05, 1)):
                with self.subTest(method=method, smallest=smallest):
                    found = cof.select(image, marks, select_method=method, min_area=smallest)
                    self.assertEqual(found[:25, :25].mean(), share)
                    self.assertEqual(found[60:, :95].mean(), 1)
                    self.assertFalse(found[:, 105:].any())

    def test_select_with_a_model(self):
        model = cof.Model.fit(self.image, window=31)
        found = cof.select(self.image, self.marks, model=model, return_soft=True)
        spread = cof.select(self.image, self.marks, select_method="spread")
        self.assertTrue((found.mask == spread).all())
        self.assertTrue((found.mask == cof.select(self.image, self.marks, model=model,
                                                  select_method="spread")).all())
        self.assertTrue((found.mask == (found.soft >= found.threshold) | (self.marks != 0)).all())
        fixed = cof.select(self.image, self.marks, model=model, return_soft=True, threshold=0.25)
        self.assertEqual(fixed.threshold, 0.25)

    def test_focus(self):
        result = cof.focus(self.image, self.mask)
        self.assertTrue((result[:, :38] == self.image[:, :38]).mean() > 0.99)
        self.assertLess(result[:, 45:, 1].std() * 4, self.image[:, 45:, 1].std())

    def test_focus_in_steps(self):
        """The steps give the same bytes as the short way."""
        want = cof.focus(self.image, self.mask, colours=8, gap=5, likelihood="lift")
        models = cof.Model.fit_pair(self.image, self.mask, colours=8, gap=5)
        for how in (dict(mask=self.mask), dict(prior=cof.mask_prior(self.mask)),
                    dict(mask=self.mask, guide=self.image)):
            found = cof.focus(self.image, models=models, likelihood="lift", **how)
            self.assertTrue((found == want).all())
        self.assertTrue((cof.focus(self.image, self.mask, prior=False) ==
                         cof.focus(self.image, models=cof.Model.fit_pair(self.image, self.mask))
                         ).all())

    def test_a_pair_has_one_palette(self):
        """Though a preset may ask for several."""
        self.assertEqual(cof.preset("flat", 60, 80)["palettes"], 2)
        want = cof.focus(self.image, self.mask, preset="flat")
        models = cof.Model.fit_pair(self.image, self.mask, preset="flat")
        self.assertEqual([model.palettes for model in models], [1, 1])
        for how in (dict(models=models), dict(guide=self.image)):
            found = cof.focus(self.image, self.mask, preset="flat", **how)
            self.assertTrue((found == want).all())
        several = cof.Model.fit(self.image, palettes=2)
        for call in (lambda: cof.focus(self.image, models=(several, several)),
                     lambda: cof.matte(self.image, several, several),
                     lambda: several.apply(self.image, labels=several.label(self.image))):
            with self.assertRaisesRegex(cof.ArgumentError, "several palettes"):
                call()
        for call in (cof.focus, cof.Model.fit_pair):
            with self.assertRaisesRegex(TypeError, "'palettes'.*no effect"):
                call(self.image, self.mask, palettes=2)

    def test_backgrounds(self):
        other = self.image[::-1].copy()
        grey, blue, image = (cof.focus(self.image, self.mask, background=background)
                             for background in ("grey", "#2040ff", other))
        for result in (grey, blue, image):
            self.assertTrue((result[:, :38] == self.image[:, :38]).mean() > 0.99)
        self.assertLess(np.ptp(grey[:, 45:].astype(int), axis=2).max(), 3)
        self.assertTrue((blue[:, 45:, 2] > blue[:, 45:, 0]).all())
        self.assertTrue((image[:, 45:] == other[:, 45:]).mean() > 0.99)
        models = cof.Model.fit_pair(self.image, self.mask)
        matte = cof.matte(self.image, *models, prior=cof.mask_prior(self.mask))
        self.assertTrue((image == cof.blend(matte, self.image, other)).all())
        self.assertTrue((grey == cof.blend(matte, self.image,
                                           cof.tint(self.image, (0.5, 0.5, 0.5)))).all())

    def test_mattes_of_tiles(self):
        models = cof.Model.fit_pair(self.image, self.mask, window=7)
        whole = cof.matte(self.image, *models)
        place = cof.Place(0, 20, 60, 80, np.s_[0:60, 30:50])
        tile = cof.matte(self.image[:, 20:60], *models, place=place)
        self.assertTrue((tile == whole[:, 30:50]).all())

    def test_recolour(self):
        found = cof.recolour(self.image, self.mask, "#2040ff")
        self.assertTrue((found[:, 45:] == self.image[:, 45:]).mean() > 0.99)
        self.assertTrue((found[:, :35, 2] > found[:, :35, 0]).all())
        self.assertIs(cof.recolor, cof.recolour)
        self.assertGreater(cof.mean_chroma(self.image, self.mask), 20)

    def test_masks(self):
        grown = cof.mask_dilate(self.mask, 3)
        self.assertTrue((grown[:, :43]).all() and not grown[:, 43:].any())
        self.assertTrue((cof.mask_dilate(grown, -3)[:, 5:] == self.mask[:, 5:]).all())
        prior = cof.mask_prior(self.mask)
        self.assertTrue(prior.min() >= 0 and prior.max() <= 1)
        border = prior[:, 39:41]
        self.assertTrue(border.min() > 0.3 and border.max() < 0.7)

    @unittest.skipUnless("COF" in os.environ, "COF names no command")
    def test_the_command_gives_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            image, mask = photo("coffee.png"), np.zeros((400, 600), np.uint8)
            mask[40:360, 100:460] = 255
            write_pgm(folder / "mask.pgm", mask)
            for words, function in (
                    (["focus"], lambda: cof.focus(image, mask)),
                    (["focus", "--background", "grey"],
                     lambda: cof.focus(image, mask, background="grey")),
                    (["focus", "--background", "tint=#2040ff", "--gap", "6"],
                     lambda: cof.focus(image, mask, background="#2040ff", gap=6)),
                    (["recolour", "--colour", "#2040ff"],
                     lambda: cof.recolour(image, mask, "#2040ff"))):
                with self.subTest(words):
                    subprocess.run([os.environ["COF"], *words, "--mask", folder / "mask.pgm",
                                    PHOTOS / "coffee.png", folder / "out.ppm"], check=True)
                    want = read_ppm((folder / "out.ppm").read_bytes())
                    self.assertTrue((function() == want).all())
            marks = np.zeros_like(mask)
            marks[100:110, 200:300] = 255
            write_pgm(folder / "marks.pgm", marks)
            subprocess.run([os.environ["COF"], "select", "--scribble", folder / "marks.pgm",
                            PHOTOS / "coffee.png", "-o", folder / "found.pgm"], check=True)
            found = (folder / "found.pgm").read_bytes()[-mask.size:]
            self.assertEqual((cof.select(image, marks) * np.uint8(255)).tobytes(), found)


class Posterise(unittest.TestCase):
    def test_palette_and_labels(self):
        image = photo("coffee.png")
        found = cof.posterise(image, 7, return_labels=True)
        self.assertEqual(found.palette.shape, (len(np.unique(found.labels)), 3))
        self.assertLessEqual(len(found.palette), 7)
        self.assertTrue((found.palette[found.labels] == found.image).all())
        self.assertTrue((cof.posterize(image, colors=7, threads=1) == found.image).all())
        self.assertTrue((cof.posterise(image, 7, min_area=0) != found.image).any())
        wide = cof.posterise(image / 255, 7, return_labels=True)
        self.assertEqual((wide.image.dtype, wide.palette.dtype), (np.float64, np.float64))
        self.assertTrue((wide.palette[wide.labels] == wide.image).all())

    def test_grey_floats_of_any_range(self):
        heights = np.repeat(np.float32([-300, 20, 1500]), 20) * np.ones((30, 1), np.float32)
        self.assertTrue(np.allclose(cof.posterise(heights, 5), heights, atol=0.5))

    def test_what_has_no_data_stays(self):
        grey = np.ma.MaskedArray(random_image((20, 30)), random_image((20, 30)) > 200)
        found = cof.posterise(grey, 3, return_labels=True)
        self.assertTrue((found.image.mask == grey.mask).all())
        self.assertTrue((found.image.data == grey.data)[grey.mask].all())
        self.assertTrue((found.image.data == found.palette[found.labels, 0])[~grey.mask].all())
        rgba = random_image((20, 30, 4))
        rgba[..., 3] |= 1
        rgba[:8, :, 3] = 0
        painted = cof.posterise(np.moveaxis(rgba, -1, 0), channel_axis=0)
        self.assertTrue((painted[3] == rgba[..., 3]).all())
        self.assertTrue((painted[:, :8] == np.moveaxis(rgba, -1, 0)[:, :8]).all())
        self.assertLessEqual(len(np.unique(painted[:3, 8:].reshape(3, -1), axis=1).T), 12)

    def test_rejected(self):
        image = random_image((20, 30, 3))
        for colours in (1, 257):
            with self.assertRaisesRegex(cof.ArgumentError, "2 to 256"):
                cof.posterise(image, colours)
        with self.assertRaisesRegex(cof.ArgumentError, "grey or RGB"):
            cof.posterise(image, kind="bands")
        with self.assertRaisesRegex(ValueError, "min_area"):
            cof.posterise(image, min_area=2)
        with self.assertRaises(TypeError):
            cof.posterise(image, window=15)
        with self.assertRaisesRegex(TypeError, "both 'colou?rs' and 'colou?rs'"):
            cof.posterise(image, colours=3, colors=5)

    @unittest.skipUnless("COF" in os.environ, "COF names no command")
    def test_the_command_gives_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.ppm"
            subprocess.run([os.environ["COF"], "--preset", "flat", "--posterise", "9",
                            PHOTOS / "coffee.png", out], check=True)
            smooth = cof.smooth(photo("coffee.png"), preset="flat")
            self.assertTrue((cof.posterise(smooth, 9) == read_ppm(out.read_bytes())).all())


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
                (ValueError, "colours", lambda: cof.smooth(image, colours=0)),
                (ValueError, "iterations", lambda: cof.smooth(image, iterations=-1)),
                (ValueError, "method", lambda: cof.smooth(image, method="best")),
                (ValueError, "border", lambda: cof.smooth(image, border="wrap")),
                (ValueError, "variant", lambda: cof.smooth(image, variant="none")),
                (ValueError, "preset", lambda: cof.smooth(image, preset="nice")),
                (ValueError, "width", lambda: cof.preset("subtle", 0, 5)),
                (ValueError, "downscale", lambda: cof.smooth(image, downscale=0)),
                (ValueError, "downscale", lambda: cof.smooth(image, downscale=65)),
                (ValueError, "model|downscale", lambda: cof.smooth(image, downscale=2, update="model")),
                (ValueError, "labels", lambda: cof.smooth(image, downscale=2,
                                                          labels=mask.astype(int))),
                (ValueError, "parts", lambda: cof.Model.fit(image, downscale=2).apply(
                    image, place=cof.Place(0, 0, 40, 53, np.s_[0:9, 0:9]))),
                (TypeError, "learning", lambda: model.apply(image, downscale=2)),
                (ValueError, "shape", lambda: cof.smooth(image, mask=np.ones((3, 3)))),
                (ValueError, "nothing", lambda: cof.smooth(image, mask=mask)),
                (ValueError, "integers", lambda: cof.smooth(image, labels=mask)),
                (ValueError, "255", lambda: cof.smooth(image, labels=mask.astype(int) + 256)),
                (ValueError, "0 to", lambda: cof.smooth(image, labels=mask.astype(int) - 1)),
                (ValueError, "shape", lambda: cof.smooth(image, labels=np.ones((3, 3), int))),
                (ValueError, "label", lambda: model.apply(image, labels=mask.astype(int) + 99)),
                (ValueError, "exclude", lambda: cof.smooth(image, guide=image, labels=mask)),
                (ValueError, "beyond|reach", lambda: model.apply(
                    image, place=cof.Place(5, 5, 400, 530, np.s_[5:45, 5:58]))),
                (ValueError, "", lambda: model.apply(image, place=cof.Place(0, 0, 3, 3))),
                (ValueError, "exclude", lambda: model.apply(image, guide=image, labels=mask)),
                (ValueError, "size", lambda: model.apply(image, guide=image[:20])),
                (ValueError, "kind", lambda: model.apply(image[:, :, 0])),
                (ValueError, "masks", lambda: cof.Model.fit([image, image], mask=[mask])),
                (ValueError, "shape", lambda: cof.select(image, np.ones((2, 2)))),
                (ValueError, "mark no pixel", lambda: cof.select(image, mask)),
                (ValueError, "model", lambda: cof.select(image, mask + 1, return_soft=True)),
                (ValueError, "nothing to learn", lambda: cof.focus(image, mask)),
                (ValueError, "nothing to learn", lambda: cof.focus(image, mask + 1)),
                (ValueError, "mask", lambda: cof.focus(image)),
                (ValueError, "rrggbb", lambda: cof.tint(image, "blue")),
                (ValueError, "three", lambda: cof.tint(image, (1, 2))),
                (ValueError, "dtype", lambda: cof.blend(mask, image, image / 255.0)),
                (ValueError, "radius", lambda: cof.mask_dilate(mask, 1e9)),
                (ValueError, "threshold",
                 lambda: cof.select(image, mask + 1, threshold=2, select_method="spread")),
                (TypeError, "threshold.*no effect.*spread",
                 lambda: cof.select(image, mask + 1, threshold=0.5)),
                (TypeError, "preset.*no effect.*spread",
                 lambda: cof.select(image, mask + 1, preset="texture")),
                (ValueError, "watershed uses no model",
                 lambda: cof.select(image, mask + 1, model=model, select_method="watershed")),
                (TypeError, "min_area.*model",
                 lambda: cof.select(image, mask + 1, model=model, min_area=0.1)),
                (ValueError, "select_method", lambda: cof.select(image, mask + 1,
                                                                 select_method="best")),
                (ValueError, "min_area", lambda: cof.select(image, mask + 1, min_area=2)),
                (ValueError, "foreground and background",
                 lambda: cof.select(image, mask + 1, mask + 1)),
                (TypeError, "learned", lambda: cof.select(image, mask + 1, model=model, sigma=3)),
                (TypeError, "Stats", lambda: cof.select(image, mask + 1, model=cof.Stats())),
                (TypeError, "^model must be a cof.Model, not str; use cof.load.path.$",
                 lambda: cof.smooth(image, model="m.cof")),
                (TypeError, "^models must be a cof.Model, not str",
                 lambda: cof.focus(image, models=("f.cof", "b.cof"))),
                (TypeError, "of the foreground and one", lambda: cof.focus(image, models=model)),
                (TypeError, "of the foreground and one", lambda: cof.focus(image, models=(model,))),
                (TypeError, "^place must be a cof.Place, not str$",
                 lambda: model.apply(image, place="left")),
                (TypeError, "^foreground must be a cof.Model",
                 lambda: cof.matte(image, mask, mask)),
                (TypeError, "Stats.model", lambda: cof.save_pair("/gone/x", model, stats)),
                (TypeError, "^image must be an array, not str$", lambda: cof.smooth("photo.jpg")),
                (TypeError, "not PosixPath", lambda: cof.Model.fit(pathlib.Path("photo.jpg"))),
                (TypeError, "not NoneType", lambda: cof.smooth(None)),
                (TypeError, "'downscale'.*no effect",
                 lambda: cof.select(image, mask + 1, downscale=2)),
                (TypeError, "'filter_downscale'.*no effect",
                 lambda: cof.select(image, mask + 1, filter_downscale=2)),
                (TypeError, "'method'.*no effect",
                 lambda: cof.select(image, mask + 1, method="fast")),
                (TypeError, "'accuracy'.*no effect",
                 lambda: cof.select(image, mask + 1, accuracy=50)),
                (ValueError, "matrix", lambda: cof.Model.from_matrix(stats, np.ones((3, 3)))),
                (ValueError, "symmetric", lambda: cof.Model.from_matrix(
                    stats, np.triu(np.ones((32, 32))))),
                (ValueError, "palette", lambda: cof.Stats().model()),
                (ValueError, "palette", lambda: stats.copy().set_palette([1, 2])),
                (ValueError, "bands", lambda: cof.Stats().set_palette(np.ones((4, 2)), kind="rgb")),
                (ValueError, "numerator", lambda: stats.decay(-1, 2)),
                (ValueError, "denominator", lambda: stats.decay(1, 2 ** 32)),
                (ValueError, "empty", lambda: cof.Model.fit(np.zeros((0, 5), np.uint8))),
                (ValueError, "empty", lambda: cof.Model.fit_labels(np.zeros((0, 5), int))),
                (ValueError, "no image", lambda: cof.Model.fit([])),
                (ValueError, "asarray", lambda: cof.smooth([[1, 2], [3, 4]])),
                (ValueError, "region", lambda: cof.smooth(image, region=np.s_[5:5, :])),
                (TypeError, "Report", lambda: cof.smooth(image, report={})),
                (TypeError, "whole number", lambda: cof.smooth(image, window=7.5)),
                (TypeError, "Model", lambda: cof.Stats().merge(model)),
                (TypeError, "Model", lambda: cof.Model.from_stats(model)),
                (ValueError, "themselves", lambda: stats.merge(stats)),
                (TypeError, "softness", lambda: cof.Stats(softness=0)),
                (TypeError, "widow", lambda: cof.Model.fit(image, widow=3)),
                (ValueError, "learned", lambda: cof.smooth(image, model=model, learn_from=image)),
                (ValueError, "learned", lambda: cof.smooth(image, model=model, window=5)),
                (ValueError, "scan all", lambda: cof.Stats().add(
                    image, place=cof.Place(0, 0, 40, 53))),
                (ValueError, "window", lambda: cof.smooth(image, window=2 ** 32 + 15)),
                (ValueError, "iterations", lambda: cof.smooth(image, iterations=2 ** 32 + 1)),
                (ValueError, "threads", lambda: cof.smooth(image, threads=2 ** 32 + 1)),
                (ValueError, "seed", lambda: cof.smooth(image, seed=-1)),
                (ValueError, "labels", lambda: cof.Stats().set_labels(2 ** 32 + 3)),
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
                (ValueError, "another kind", lambda: cof.Stats.from_bytes(model.to_bytes())),
                (cof.FormatError, "damaged", lambda: cof.Model.from_bytes(b"nonsense")),
                (cof.FormatError, "damaged", lambda: cof.Stats.from_bytes(b"")),
                (FileNotFoundError, "gone", lambda: cof.Model.load("/gone")),
                (cof.CancelledError, "cancelled",
                 lambda: cof.smooth(image, progress=lambda done: 1))):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def test_colour_that_is_not_0_to_1(self):
        """One warning per call, which names the line of the caller."""
        large, mask = random_image().astype(np.float32) / 80, np.zeros((40, 53))
        mask[:, :25] = 1
        for call in (lambda: cof.smooth(large), lambda: cof.recolour(large, mask, "#2040ff"),
                     lambda: cof.Model.fit([large, large.astype(np.float64)]),
                     lambda: cof.smooth(large / 4, guide=large),
                     lambda: cof.Stats().scan(large)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
                call()
            self.assertEqual([one.filename for one in caught], [__file__] * 2)
            self.assertRegex(str(caught[0].message), "0 to 1.* up to 3[.]1")
            self.assertIs(caught[0].category, UserWarning)

    def test_colour_that_needs_no_warning(self):
        large = random_image().astype(np.float32)
        unit = large / 255
        invalid, masked = unit.copy(), np.ma.MaskedArray(unit.copy(), np.zeros(unit.shape, bool))
        invalid[3, 4], invalid[5, 5, 1] = np.inf, np.nan
        masked[7, 8] = 1e20
        masked[7, 8] = np.ma.masked
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for image in (unit, unit * 1.9, invalid, masked, large[:, :, 0], random_image()):
                cof.smooth(image)
            cof.smooth(large, kind="bands")

    def test_a_missing_library_names_the_variable(self):
        done = subprocess.run([sys.executable, "-c", "import cof"], cwd=ROOT / "python",
                              env={**os.environ, "COF_LIBRARY": "/gone/libcof.so"},
                              capture_output=True, text=True)
        self.assertRegex(done.stderr, "ImportError: .*COF_LIBRARY.*/gone/libcof.so")

    def test_a_callback_that_fails(self):
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            cof.smooth(random_image(), progress=lambda done: 1 / 0)

    def test_interrupted(self):
        """Ctrl-C ends calls of every kind, though nobody asked for progress. Each of them would
        take minutes."""
        program = pathlib.Path(__file__).with_name("interrupted.py")
        done = subprocess.run([sys.executable, program, ROOT / "python"], timeout=120,
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.split(), ["smooth", "rolling", "fit", "soft", "apply",
                                               "spread", "select", "watershed", "selector",
                                               "focus", "matte"])

    def test_cancelled(self):
        """Calls that are too short to be interrupted can be cancelled in the same way."""
        image, mask = random_image(), np.eye(8, dtype=bool)
        model, stats = cof.Model.fit(image), cof.Stats()
        for call in (lambda **how: model.label(image, **how),
                     lambda **how: cof.mask_dilate(mask, 2, **how),
                     lambda **how: cof.mask_prior(mask, **how),
                     lambda **how: cof.mean_chroma(image, **how),
                     lambda **how: stats.scan(image, **how)):
            with self.assertRaises(cof.CancelledError):
                call(progress=lambda done: True)

    def test_blended_in_bands(self):
        """Large images are blended and tinted in bands of rows, with the same result."""
        image, other = random_image(), random_image()[::-1]
        matte = np.full(image.shape[:2], 0.3)
        image = np.ma.MaskedArray(image, np.zeros(image.shape, bool))
        image[3, 4] = image[5] = np.ma.masked
        want = cof.blend(matte, image, other), cof.tint(image, "#ff0000")
        with unittest.mock.patch.object(_select, "BAND_PIXELS", 1):
            np.testing.assert_array_equal(cof.blend(matte, image, other), want[0])
            np.testing.assert_array_equal(cof.tint(image, "#ff0000"), want[1])

    def test_progress(self):
        seen = []
        cof.smooth(random_image((200, 200, 3)), progress=seen.append)
        self.assertEqual((seen, seen[-1]), (sorted(seen), 1))


def load_tests(loader, tests, pattern):
    for module in (_call, _coarse, _learning, _options, _select, _smooth):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
