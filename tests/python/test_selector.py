#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cof.Selector and cof.draw_stroke: marks, masks, kinds of images, threads, and rejected input.

COF_LIBRARY names the library, COF the command whose corrections must be the same.
"""
import concurrent.futures
import doctest
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import weakref

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
from cof import _selector  # noqa: E402
from images import PHOTOS, photo, random_image  # noqa: E402

# Strokes on coffee.png: points, radius and mark.
STROKES = (
    ([(110, 180), (110, 260), (170, 330), (260, 360), (360, 340), (440, 260)], 3, "foreground"),
    ([(190, 80), (230, 45), (300, 32), (370, 70), (390, 120)], 3, "foreground"),
    ([(20, 80), (60, 180), (40, 300), (100, 380)], 4, "background"),
    ([(560, 20), (540, 380)], 4.5, "background"))


def marks_of(strokes, shape, scale=1):
    """The pixels of each mark."""
    found = {mark: np.zeros(shape[:2], bool) for mark in ("foreground", "background")}
    for points, radius, mark in strokes:
        cof.draw_stroke(found[mark], scale * np.array(points) + scale // 2, scale * radius)
    return found["foreground"], found["background"]


def near(shape, points, radius):
    """The pixels whose distance to the lines through the points is at most `radius`."""
    y, x = np.mgrid[:shape[0], :shape[1]].astype(float)
    found = np.zeros(shape, bool)
    points = [points[0], *points]
    for (ax, ay), (bx, by) in zip(points, points[1:]):
        length = (bx - ax) ** 2 + (by - ay) ** 2
        along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / (length or 1)
        along = np.clip(along, 0, 1)
        found |= ((x - ax - along * (bx - ax)) ** 2 + (y - ay - along * (by - ay)) ** 2
                  <= radius ** 2)
    return found


def overlap(a, b):
    return (a & b).sum() / (a | b).sum()


def two_halves(shape=(60, 80, 3), dtype=np.uint8):
    """Two textures, side by side."""
    image = (random_image(shape, dtype) * 0.25).astype(dtype)
    image[:, shape[1] // 2:] += (image.max() * 2).astype(dtype)
    return image


class Masks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.image = photo("coffee.png")

    def selected(self, strokes=STROKES):
        with cof.Selector(self.image) as selector:
            for stroke in strokes:
                selector.add_stroke(*stroke)
            return selector.mask()

    def test_corrections_stay_near(self):
        with cof.Selector(self.image) as selector:
            for stroke in STROKES:
                selector.add_stroke(*stroke)
            first = selector.corrected()  # there is none to correct
            self.assertTrue((first == selector.mask()).all())
            selector.add_stroke([(500, 200), (505, 200)], 2, "foreground")
            second = selector.corrected(min_area=1e-5)
            changed = np.argwhere(first != second)
            self.assertTrue(second[200, 502] and not first[200, 502])
            self.assertLess(np.abs(changed - (200, 502)).max(), 60)

    def check_command(self, mask, strokes, want):
        """cof select --correct gives the same mask."""
        if "COF" not in os.environ:
            return
        words = [word for points, radius, mark in strokes
                 for word in ("--stroke" if mark == "foreground" else "--background-stroke",
                              " ".join(f"{x},{y}" for x, y in points) + f":{radius}")]
        height, width = mask.shape
        with tempfile.TemporaryDirectory() as folder:
            given, found = (pathlib.Path(folder) / name for name in ("given.pgm", "found.pgm"))
            given.write_bytes(b"P5\n%d %d\n255\n" % (width, height) + np.uint8(255 * mask).tobytes())
            subprocess.run([os.environ["COF"], "select", PHOTOS / "coffee.png", *words,
                            "--correct", given, "-o", found], check=True)
            pixels = np.frombuffer(found.read_bytes()[-mask.size:], np.uint8)
        self.assertTrue((pixels.reshape(mask.shape) == 255 * want).all())

    def test_given_masks_are_corrected(self):
        stroke = [(500, 200), (505, 200)], 2, "foreground"
        with cof.Selector(self.image) as selector:
            for each in STROKES:
                selector.add_stroke(*each)
            first = selector.mask()
            selector.add_stroke(*stroke)
            want = selector.corrected()
        with cof.Selector(self.image) as selector:
            selector.set_mask(first.astype(np.uint8))
            for each in (*STROKES, stroke):  # the mask agrees with all but the last
                selector.add_stroke(*each)
            self.assertTrue((selector.corrected() == want).all())
            self.check_command(first, (*STROKES, stroke), want)
        with cof.Selector(self.image) as selector:
            selector.add_stroke(*stroke)
            selector.set_mask(first)
            alone = selector.corrected()
            self.check_command(first, [stroke], alone)
            self.assertTrue(alone[200, 502])
            self.assertLess(np.abs(np.argwhere(first != alone) - (200, 502)).max(), 60)
            with self.assertRaises(cof.ArgumentError):
                selector.set_mask(first[1:])

    def test_select_gives_the_same(self):
        want = self.selected()
        self.assertEqual((want.dtype, want.shape), (bool, self.image.shape[:2]))
        self.assertTrue(0.2 < want.mean() < 0.8)
        marks = marks_of(STROKES, self.image.shape)
        self.assertTrue((cof.select(self.image, *marks) == want).all())
        with cof.Selector(self.image, threads=1) as selector:
            for pixels, mark in zip(marks, ("foreground", "background")):
                selector.add(pixels, mark=mark)
            self.assertTrue((selector.mask() == want).all())
            self.assertTrue((selector.mask(min_area=0.02) ==
                             cof.select(self.image, *marks, min_area=0.02)).all())
            self.assertTrue((selector.mask() == want).all())
        for how in (dict(seed=5), dict(space="native"), dict(sampling="all")):
            with cof.Selector(self.image, **how) as selector:
                selector.add(marks[0])
                self.assertTrue((selector.mask() == cof.select(self.image, marks[0], **how)).all())

    def test_foreground_alone(self):
        marks = marks_of(STROKES[:2], self.image.shape)
        found = self.selected(STROKES[:2])
        self.assertTrue((found == cof.select(self.image, marks[0])).all())
        self.assertTrue(found[marks[0]].all())
        self.assertTrue(0.2 < found.mean() < 0.8)

    def test_one_stroke_after_another(self):
        """A mask in between changes nothing, at full size and of a downscaled image."""
        for scale in (1, 3):
            image = self.image.repeat(scale, 0).repeat(scale, 1)
            with cof.Selector(image) as selector:
                for n, (points, radius, mark) in enumerate(STROKES, 1):
                    selector.add_stroke(scale * np.array(points) + scale // 2, scale * radius, mark)
                    found = selector.mask()
                    first, other = marks_of(STROKES[:n], image.shape, scale)
                    want = cof.select(image, first, other if other.any() else None)
                    self.assertTrue((found == want).all(), n)

    def test_erasing(self):
        strokes = STROKES[:3]
        want, all_but_one = self.selected(strokes), self.selected(strokes[:2])
        with cof.Selector(self.image) as selector:
            for stroke in strokes:
                selector.add_stroke(*stroke)
            selector.add_stroke(*STROKES[3])
            selector.mask()
            selector.add_stroke(STROKES[3][0], STROKES[3][1], "erase")
            self.assertTrue((selector.mask() == want).all())
            selector.add(marks_of(strokes, self.image.shape)[1], "erase")
            self.assertTrue((selector.mask() == all_but_one).all())

    def test_later_marks_replace_earlier_ones(self):
        points, radius, _ = STROKES[0]
        want = self.selected((STROKES[1], (points, radius, "background")))
        with cof.Selector(self.image) as selector:
            for stroke in (*STROKES[:2], (points, radius, "background")):
                selector.add_stroke(*stroke)
            found = selector.mask()
            self.assertTrue((found == want).all())
            self.assertFalse(found[marks_of(STROKES[:1], self.image.shape)[0]].any())

    def test_marks_stay(self):
        first, other = marks_of(STROKES, self.image.shape)
        found = self.selected()
        self.assertTrue(found[first].all())
        self.assertFalse(found[other].any())

    def test_an_enlarged_image(self):
        """Above 0.3 megapixels, the image is downscaled, and the mask is fitted to it."""
        large = self.image.repeat(3, 0).repeat(3, 1)
        with cof.Selector(large) as selector:
            for points, radius, mark in STROKES:
                selector.add_stroke(3 * np.array(points) + 1, 3 * radius, mark)
            found = selector.mask()
        self.assertGreaterEqual(overlap(found, self.selected().repeat(3, 0).repeat(3, 1)), 0.97)

    def test_cancelled(self):
        with self.assertRaises(cof.CancelledError):
            cof.Selector(self.image, progress=lambda done: True)
        with cof.Selector(self.image) as selector:
            for stroke in STROKES:
                selector.add_stroke(*stroke)
            with self.assertRaises(cof.CancelledError):
                selector.mask(progress=lambda done: True)
            self.assertTrue((selector.mask() == self.selected()).all())

    def test_progress(self):
        for call in (lambda **how: cof.Selector(self.image, **how), self.prepared().mask):
            seen = []
            call(progress=seen.append)
            self.assertEqual((seen, seen[-1]), (sorted(seen), 1))

    def prepared(self):
        selector = cof.Selector(self.image)
        selector.add_stroke(*STROKES[0])
        return selector

    def test_execution(self):
        report = cof.Report()
        with cof.Context(threads=2) as context:
            selector = cof.Selector(self.image, context=context, report=report)
            self.assertGreater(sum(report.seconds.values()), 0)
            selector.add_stroke(*STROKES[0])
            found = selector.mask(context=context)
        self.assertTrue((found == self.prepared().mask(threads=1)).all())

    def test_threads_wait_for_each_other(self):
        selector, strokes = self.prepared(), STROKES * 2
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            tasks = [pool.submit(selector.add_stroke, *stroke) for stroke in strokes]
            tasks += [pool.submit(selector.mask, threads=1) for _ in strokes]
            for task in tasks:
                task.result()
        self.assertTrue((selector.mask() == self.selected()).all())

    def test_a_callback_cannot_use_the_selector(self):
        selector = self.prepared()
        for call in (selector.mask, selector.close, lambda: selector.add_stroke([(9, 9)])):
            with self.assertRaisesRegex(RuntimeError, "in use"):
                selector.mask(progress=lambda done: call())
        selector.mask()


class Images(unittest.TestCase):
    def check(self, image, **how):
        height, width = np.moveaxis(image, how.get("channel_axis", -1), -1).shape[:2] \
            if image.ndim == 3 else image.shape
        half = width // 2
        with cof.Selector(image, **how) as selector:
            selector.add_stroke([(8, 8), (10, height - 8)], 3)
            selector.add_stroke([(width - 8, 8), (width - 8, height - 8)], 3, "background")
            found = selector.mask()
        self.assertEqual((found.dtype, found.shape), (bool, (height, width)))
        self.assertGreater(found[:, :half - 2].mean(), 0.98)
        self.assertLess(found[:, half + 2:].mean(), 0.02)
        marks = np.zeros((2, height, width), bool)
        cof.draw_stroke(marks[0], [(8, 8), (10, height - 8)], 3)
        cof.draw_stroke(marks[1], [(width - 8, 8), (width - 8, height - 8)], 3)
        self.assertTrue((found == cof.select(image, *marks, **how)).all())

    def test_kinds(self):
        rgb = two_halves()
        opaque = np.full((*rgb.shape[:2], 1), 255, np.uint8)
        for name, image, how in (
                ("grey", rgb[:, :, 0].copy(), {}),
                ("a channel of three", rgb[:, :, 1], {}),
                ("uint16", two_halves((60, 80), np.uint16), {}),
                ("uint16 RGB", two_halves(dtype=np.uint16), {}),
                ("float32", two_halves((60, 80), np.float32), {}),
                ("float64", two_halves(dtype=np.float32).astype(np.float64), {}),
                ("RGB", rgb, {}),
                ("BGR", rgb[:, :, ::-1], {}),
                ("RGBA", np.dstack([rgb, opaque]), {}),
                ("grey with alpha", np.dstack([rgb[:, :, :1], opaque]), {}),
                ("5 bands", two_halves((60, 80, 5)), dict(kind="bands")),
                ("channels first", np.ascontiguousarray(np.moveaxis(rgb, -1, 0)),
                 dict(channel_axis=0)),
                ("upside down", rgb[::-1], {}),
                ("masked", np.ma.MaskedArray(rgb, np.zeros(rgb.shape, bool)), {})):
            with self.subTest(name):
                self.check(image, **how)

    def test_pixels_without_data(self):
        image = np.ma.MaskedArray(two_halves(), np.zeros((60, 80, 3), bool))
        image[20:30, 15:25] = np.ma.masked
        self.check(image)

    def test_the_image_lives_as_long(self):
        image = two_halves()
        selector = cof.Selector(image)
        gone = weakref.ref(image)
        del image
        gc.collect()
        self.assertIsNotNone(gone())
        selector.add_stroke([(10, 30)])
        selector.mask()
        del selector
        gc.collect()
        self.assertIsNone(gone())

    def test_tiny_images(self):
        for shape in ((1, 1), (1, 7), (5, 1), (2, 2, 3)):
            with self.subTest(shape), cof.Selector(np.zeros(shape, np.uint8)) as selector:
                selector.add_stroke([(0, 0)], 0)
                self.assertTrue(selector.mask()[0, 0])


class RejectedInput(unittest.TestCase):
    def setUp(self):
        self.selector = cof.Selector(two_halves())

    def test_strokes(self):
        add, mark = self.selector.add_stroke, np.zeros((9, 9), np.uint8)
        for draw in (add, lambda *how: cof.draw_stroke(mark, *how)):
            for argument, words, arguments in (
                    ("points", "no pixel", ([(-90, 5)],)),
                    ("points", "no pixel", ([(9e8, 5), (9e8, 9)],)),
                    ("points", "within -1e9", ([(1e300, 5), (1e300, 9)],)),
                    ("points", "within -1e9", ([(5, 5), (np.nan, 5)],)),
                    ("points", "within -1e9", ([(5, np.inf)],)),
                    ("points", "no point", (np.empty((0, 2)),)),
                    ("points", "shape", ((5, 5),)),
                    ("points", "shape", (np.zeros((4, 3)),)),
                    ("points", "shape", ([],)),
                    ("radius", "radius", ([(5, 5)], -1)),
                    ("radius", "radius", ([(5, 5)], np.nan)),
                    ("radius", "radius", ([(5, 5)], 10001))):
                with self.subTest(words), self.assertRaisesRegex(cof.ArgumentError,
                                                                 words) as caught:
                    draw(*arguments)
                self.assertEqual(caught.exception.argument, argument)
        self.assertFalse(mark.any())
        with self.assertRaisesRegex(cof.ArgumentError, "no pixel of the object"):
            self.selector.mask()  # nothing was marked

    def test_marks(self):
        pixels = np.zeros((60, 80))
        for argument, words, call in (
                ("mark", "foreground.*'both'",
                 lambda: self.selector.add_stroke([(5, 5)], 2, "both")),
                ("mark", "foreground.*1", lambda: self.selector.add(pixels, 1)),
                ("pixels", "shape", lambda: self.selector.add(pixels[1:])),
                ("pixels", "shape", lambda: self.selector.add(np.ones((60, 80, 3))))):
            with self.subTest(words), self.assertRaisesRegex(cof.ArgumentError, words) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)

    def test_no_foreground(self):
        self.selector.add_stroke([(5, 5)], 3, "background")
        with self.assertRaisesRegex(cof.ArgumentError, "marked"):
            self.selector.mask()
        self.selector.add(np.zeros((60, 80)))
        with self.assertRaisesRegex(cof.ArgumentError, "marked"):
            self.selector.mask()

    def test_options(self):
        self.selector.add_stroke([(5, 5)])
        for kind, words, call in (
                (TypeError, "window", lambda: cof.Selector(two_halves(), window=5)),
                (TypeError, "min_area", lambda: cof.Selector(two_halves(), min_area=0.1)),
                (TypeError, "seed", lambda: self.selector.mask(seed=1)),
                (ValueError, "min_area", lambda: self.selector.mask(min_area=2)),
                (ValueError, "min_area", lambda: self.selector.mask(min_area=np.nan)),
                (ValueError, "threads", lambda: self.selector.mask(threads=-1)),
                (ValueError, "int64", lambda: cof.Selector(np.zeros((5, 5), int))),
                (ValueError, "empty", lambda: cof.Selector(np.zeros((0, 5), np.uint8))),
                (ValueError, "kind", lambda: cof.Selector(two_halves(), kind="best"))):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def test_closed(self):
        with self.selector as selector:
            selector.add_stroke([(5, 5)])
        for call in (selector.mask, lambda: selector.add_stroke([(5, 5)]),
                     lambda: selector.add(np.ones((60, 80)))):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()
        selector.close()

    def test_masks_to_draw_into(self):
        fixed = np.zeros((9, 9), np.uint8)
        fixed.flags.writeable = False
        for kind, words, mask in (
                (TypeError, "list", [[0, 0], [0, 0]]),
                (ValueError, "float32", np.zeros((9, 9), np.float32)),
                (ValueError, "2 dimensions.* 3", np.zeros((9, 9, 3), np.uint8)),
                (ValueError, "empty", np.zeros((0, 9), np.uint8)),
                (ValueError, "read-only", fixed)):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                cof.draw_stroke(mask, [(1, 1)])
        for value in (-1, 256, 2 ** 40):
            with self.assertRaisesRegex(cof.ArgumentError, "value"):
                cof.draw_stroke(np.zeros((9, 9), np.uint8), [(1, 1)], value=value)
        with self.assertRaises(TypeError):
            cof.draw_stroke(np.zeros((9, 9), np.uint8), [(1, 1)], value=1.5)


class Strokes(unittest.TestCase):
    def test_the_distance_decides(self):
        source = np.random.default_rng(3)
        for points, radius in (
                ([(10, 12)], 0), ([(10.4, 12)], 0.3), ([(10.5, 12)], 0.5), ([(10, 12)], 5),
                ([(3, 4), (30, 4)], 2), ([(7, 1), (7, 33)], 3), ([(2, 3), (2, 3)], 4),
                ([(-9, -5), (50, 40)], 2.5), ([(10, 12)], 10000),
                *((source.uniform(-20, 60, (source.integers(1, 6), 2)), source.uniform(0.5, 9))
                  for _ in range(50))):
            want = near((40, 53), points, radius)
            found = np.zeros((40, 53), np.uint8)
            if want.any():
                self.assertIsNone(cof.draw_stroke(found, points, radius))
            else:
                with self.assertRaisesRegex(cof.ArgumentError, "no pixel"):
                    cof.draw_stroke(found, points, radius)
            np.testing.assert_array_equal(found, want * np.uint8(255))

    def test_values(self):
        marks = np.full((9, 9), 7, np.uint8)
        cof.draw_stroke(marks, [(4, 4)], 2, value=0)
        np.testing.assert_array_equal(marks, np.where(near((9, 9), [(4, 4)], 2), 0, 7))

    def test_bool(self):
        marks = np.zeros((9, 9), bool)
        cof.draw_stroke(marks, [(4, 4)], 2)
        self.assertEqual(marks.view(np.uint8).max(), 1)
        np.testing.assert_array_equal(marks, near((9, 9), [(4, 4)], 2))
        cof.draw_stroke(marks, [(4, 4)], 2, value=False)
        self.assertFalse(marks.any())

    def test_layouts(self):
        """Into what other arrays show."""
        want = near((20, 30), [(3, 4), (20, 15)], 2)
        whole = np.zeros((40, 90, 3), np.uint8)
        for part in (whole[::2, ::3, 1], np.zeros((30, 20), np.uint8).T,
                     np.zeros((20, 30), np.uint8)[::-1, ::-1]):
            cof.draw_stroke(part, [(3, 4), (20, 15)], 2, value=1)
            np.testing.assert_array_equal(part, want)
        self.assertEqual(whole.sum(), want.sum())


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(_selector))
    return tests


class Following(unittest.TestCase):
    def frames(self, step):
        """A photographed cup moves to the left over its table; the true masks."""
        image = photo("coffee.png")
        with cof.Selector(image) as selector:
            for points, radius, mark in STROKES:
                selector.add_stroke(points, radius, mark)
            mask = selector.mask()
        return [(image[:, i * step:i * step + 500], mask[:, i * step:i * step + 500])
                for i in range(5)]

    def test_kinds_of_images(self):
        for convert, axis in ((lambda a: a, -1), (lambda a: a[..., 1], None),
                              (lambda a: a.astype(np.float32) / 255, -1),
                              (lambda a: np.moveaxis(a.astype(np.uint16) * 257, -1, 0), 0)):
            frames = self.frames(12)
            mask = frames[0][1]
            for (last, _), (now, truth) in zip(frames, frames[1:]):
                with cof.Selector(convert(now), channel_axis=axis) as selector:
                    selector.follow(convert(last), mask)
                    mask = selector.mask()
                self.assertGreater((mask & truth).sum() / (mask | truth).sum(), 0.93)

    def test_strokes_can_be_added(self):
        (last, mask), (now, _), *_ = self.frames(12)
        with cof.Selector(now) as selector:
            selector.follow(last, mask)
            selector.add_stroke([(20, 20)], 5)
            self.assertTrue(selector.mask()[20, 20])
            selector.follow(None, mask)  # replaces all marks
            self.assertFalse(selector.mask()[20, 20])

    def test_rejected_input(self):
        (last, mask), (now, _), *_ = self.frames(12)
        with cof.Selector(now) as selector:
            for frame, marked in ((last[1:], mask), (last[..., 0], mask), (last, mask[1:]),
                                  (last.astype(np.float32), mask), (last, "x")):
                with self.assertRaises((ValueError, TypeError)):
                    selector.follow(frame, marked)
            selector.follow(last, np.zeros_like(mask))
            with self.assertRaisesRegex(cof.CofError, "no pixel of the object"):
                selector.mask()


if __name__ == "__main__":
    unittest.main()
