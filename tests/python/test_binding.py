#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Python package has everything of the library: functions, structs, options and errors.

COF_LIBRARY names the library.
"""
import ctypes
import inspect
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
from cof import _library as c  # noqa: E402
from images import random_image  # noqa: E402

HEADER = ROOT / "include" / "cof" / "cof.h"
STRUCTS = {"CofRect": c.Rect, "CofImage": c.Image, "CofRoi": c.Roi, "CofProblem": c.Problem,
           "CofReport": c.ReportStruct, "CofOptionInfo": c.OptionInfo, "CofOptions": c.lib.Options,
           "CofDeviceInfo": c.DeviceInfo}
COMPILER = shutil.which("cc") or shutil.which("gcc")
# Functions of the package that take options, and the groups of options that each must have.
WITH_OPTIONS = {
    cof.smooth: {c.GENERAL, c.LEARN, c.MODEL, c.FILTER, c.RUN},
    cof.Model.fit: {c.GENERAL, c.LEARN, c.MODEL, c.RUN},
    cof.Model.apply: {c.GENERAL, c.FILTER, c.RUN},
    cof.Stats: {c.LEARN},
    cof.select: {c.GENERAL, c.LEARN, c.MODEL, c.FILTER, c.SELECT, c.RUN},
    cof.focus: {c.GENERAL, c.LEARN, c.MODEL, c.FILTER, c.SELECT, c.RUN},
    cof.Model.fit_pair: {c.GENERAL, c.LEARN, c.MODEL, c.SELECT, c.RUN},
}
# Options that a function replaces by others, or that would have no effect.
REPLACED = {cof.select: {"window", "filter_window", "iterations", "downscale", "filter_downscale",
                         "refine", "method", "accuracy", "fidelity", "strength", "detail",
                         "palettes"},
            cof.focus: {"palettes"}, cof.Model.fit_pair: {"palettes"}}

# Closes contexts during calls, whose callbacks wait until that has happened.
CLOSING = """
import sys, threading, weakref
sys.path.insert(0, sys.argv[1])
import cof, numpy as np
image = np.random.default_rng(0).integers(0, 256, (300, 400, 3), np.uint8)
same = cof.smooth(image, window=31)

def use(context, progress, found):
    found.append((cof.smooth(image, window=31, context=context, progress=progress) == same).all())

def close_elsewhere(context, found):
    running, closed = threading.Event(), threading.Event()
    worker = threading.Thread(target=use, args=(
        context, lambda done: running.set() or not closed.wait(60), found))
    worker.start()
    return running.wait(60), closed, worker

def by_another_thread(context, found):
    _, closed, worker = close_elsewhere(context, found)
    context.close()
    closed.set()
    worker.join()

def by_an_error(context, found):
    try:
        with context:
            _, closed, worker = close_elsewhere(context, found)
            raise KeyError
    except KeyError:
        closed.set()
    worker.join()

def by_its_callback(context, found):
    use(context, lambda done: context.close(), found)

for close in by_another_thread, by_an_error, by_its_callback:
    context, found = cof.Context(threads=2), []
    handle = weakref.ref(context._handle)
    close(context, found)
    try:
        cof.smooth(image, context=context)
    except ValueError as error:
        print("same" if found == [True] else found, str(error).split()[-1],
              "leaked" if handle() else "freed", flush=True)
"""


def declared():
    """The functions of the header, with their number of parameters."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    found = {}
    pattern = r"COF_(?:API|NODISCARD)\b[^;(]*?\b(cof_\w+)\(([^;]*)\);"
    for name, arguments in re.findall(pattern, text):
        found[name] = 0 if arguments.strip() == "void" else arguments.count(",") + 1
    return found


class Binding(unittest.TestCase):
    def test_every_function_of_the_header_is_bound(self):
        bound = {name: len(arguments) for name, (_, arguments) in c.FUNCTIONS.items()}
        self.assertGreater(len(bound), 60)
        self.assertEqual(bound, declared())

    @unittest.skipUnless(shutil.which("nm"), "there is no nm")
    def test_every_exported_symbol_is_bound(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", c.lib.path], check=True,
                                capture_output=True, text=True).stdout
        exported = {line.split()[-1].split("@")[0] for line in listed.splitlines() if " T " in line}
        self.assertEqual({name for name in exported if name.startswith("cof_")}, set(c.FUNCTIONS))

    def test_every_function_is_used(self):
        """A function that is bound can be reached from Python."""
        files = (ROOT / "python" / "cof").glob("*.py")
        text = "".join(path.read_text().split("FUNCTIONS: ")[0] +
                       path.read_text().rpartition("\n}\n")[2] for path in files)
        # Options are checked by the functions that use them, found in a dictionary, and fields.
        # Parts that keep their labels are for workers that share no memory.
        unused = {"cof_options_check", "cof_option_find", "cof_options_set_variant",
                  "cof_option_get", "cof_option_put", "cof_part_new", "cof_part_free",
                  "cof_stats_add_part", "cof_filter_part", "cof_context_new_opencl"}
        for name in set(c.FUNCTIONS) - unused:
            stem, _, last = name.rpartition("_")
            computed = stem in ("cof_stats", "cof_model") and f'"{last}"' in text
            computed = computed or name in ("cof_stats_save", "cof_model_save")
            self.assertTrue(name in text or computed, name)

    @unittest.skipUnless(COMPILER, "there is no C compiler")
    def test_structs_have_the_layout_of_the_header(self):
        lines = []
        for name, struct in STRUCTS.items():
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            lines += [f'printf("%zu\\n", offsetof({name}, {field[0]}));'
                      for field in struct._fields_]
        program = f'#include <cof/cof.h>\n#include <stdio.h>\nint main(void) {{ {"".join(lines)} }}'
        with tempfile.TemporaryDirectory() as folder:
            source, binary = pathlib.Path(folder) / "layout.c", pathlib.Path(folder) / "layout"
            source.write_text(program)
            subprocess.run([COMPILER, "-I", ROOT / "include", source, "-o", binary], check=True)
            printed = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
        found = []
        for struct in STRUCTS.values():
            found.append(ctypes.sizeof(struct))
            found += [getattr(struct, field[0]).offset for field in struct._fields_]
        self.assertEqual(found, list(map(int, printed.split())))

    def test_a_second_library(self):
        """A library can be bound by its path, next to that of the package."""
        other = c.Library(c.lib.path)
        options = other.new_options(window=7, method="fast")
        self.assertEqual((options.window, other.get_option(options, "method")), (7, "fast"))
        self.assertEqual(other.version, cof.__version__)
        with self.assertRaises(OSError):
            c.Library("/gone/libcof.so")

    def test_the_module_as_a_program(self):
        done = subprocess.run([sys.executable, "-m", "cof"], cwd=ROOT / "python", check=True,
                              capture_output=True, text=True)
        level = "instruction set: " + c.lib.c.cof_cpu_level().decode()
        for text in (cof.__version__, c.lib.path, level, "\ndevices: ", *c.lib.table):
            self.assertIn(text, done.stdout)


class Options(unittest.TestCase):
    def test_every_option_is_a_documented_parameter(self):
        for function, groups in WITH_OPTIONS.items():
            without = REPLACED.get(function, ())
            parameters = inspect.signature(function).parameters
            for name, option in c.lib.table.items():
                with self.subTest(function=function.__qualname__, option=name):
                    wanted = option.group in groups and name not in without
                    self.assertEqual(wanted, name in parameters)
                    self.assertEqual(wanted, f"\n{name} : " in inspect.getdoc(function))
            self.assertNotIn("{options}", function.__doc__)

    def test_every_parameter_is_documented(self):
        functions = [getattr(cof, name) for name in cof.__all__]
        functions += [member for owner in (cof.Model, cof.Stats, cof.Selector)
                      for name, member in inspect.getmembers(owner, callable)
                      if not name.startswith("_")]
        for function in filter(inspect.isroutine, functions):
            text = inspect.getdoc(function)
            names = [name for name in inspect.signature(function).parameters if name != "self"]
            if "Parameters\n" not in text:
                self.assertLess(len(names), 3, function)
                continue
            listed = {name.strip() for line in re.findall(r"^(\w[\w, ]*)(?: :.*)?$", text, re.M)
                      for name in line.split(",")}
            self.assertEqual(set(names) - listed, set(), function)

    def test_every_value_of_every_option(self):
        """All words, and both ends of all ranges, are accepted; what lies beyond is not."""
        for name, option in c.lib.table.items():
            if option.flags & c.NO_FIELD:
                continue
            with self.subTest(name):
                for word in option.choices:
                    options = c.lib.new_options(**{name: word})
                    self.assertEqual(c.lib.get_option(options, name), word)
                if option.type == c.INT:
                    for value in (option.minimum, option.maximum):
                        c.lib.new_options(**{name: int(value)})
                    with self.assertRaises(ValueError) as caught:
                        c.lib.new_options(**{name: int(option.maximum) + 2})
                    self.assertEqual(caught.exception.option, name)
        self.assertEqual(c.lib.new_options(seed=2 ** 64 - 1).seed, 2 ** 64 - 1)

    def test_defaults(self):
        options = c.lib.new_options()
        for name, option in c.lib.table.items():
            if not option.flags & c.NO_FIELD:
                self.assertEqual(getattr(options, name), option.default_value, name)

    def test_american_spelling(self):
        image = random_image()
        self.assertTrue((cof.smooth(image, colors=5, normalize="marginals") ==
                         cof.smooth(image, colours=5, normalise="marginals")).all())
        grey = image[:, :, 0]
        self.assertTrue((cof.smooth(grey, kind="gray") == cof.smooth(grey)).all())
        with self.assertRaisesRegex(TypeError, "both"):
            cof.smooth(image, colors=5, colours=5)

    def test_other_words_get_a_hint(self):
        image, model = random_image(), cof.Model.fit(random_image())
        for word, hint in (("num_iter", "iterations"), ("n_clusters", "colours"),
                           ("mode", "border"), ("rng", "seed"), ("n_threads", "threads"),
                           ("sigma_spatial", "sigma"), ("max_iter", "iterations"),
                           ("tol", "tolerance"), ("random_state", "seed"),
                           ("widow", "window"), ("iteration", "iterations"), ("guid", "guide"),
                           ("chanel_axis", "channel_axis"), ("multichannel", "channel_axis")):
            with self.subTest(word), self.assertRaisesRegex(
                    TypeError, f"smooth.* '{word}': did you mean '{hint}'"):
                cof.smooth(image, **{word: 1})
        with self.assertRaisesRegex(TypeError, "Model.fit.*'num_iters?'"):
            cof.Model.fit(image, num_iter=1)
        with self.assertRaisesRegex(TypeError, "Model.apply.*learning"):
            model.apply(image, colours=3)
        with self.assertRaisesRegex(TypeError, "spread_window"):
            cof.select(image, image[:, :, 0], window=9)
        with self.assertRaisesRegex(TypeError, "unexpected keyword 'xyzzy'$"):
            cof.smooth(image, xyzzy=1)

    def test_none_means_not_given(self):
        image = random_image()
        self.assertTrue((cof.smooth(image, window=None, preset=None, method=None) ==
                         cof.smooth(image)).all())

    def test_stored_options(self):
        image = random_image()
        stats = cof.Stats(window=7, colours=5, seed=3, sampling="all").add(image)
        self.assertEqual({name: stats.options[name] for name in ("window", "colours", "seed",
                                                                 "sampling", "downscale")},
                         dict(window=7, colours=5, seed=3, sampling="all", downscale=1))
        self.assertEqual(set(stats.options), set(inspect.signature(cof.Stats).parameters))
        model = stats.model(softness=0.5, normalise="marginals", sigma=2, separation=0.25)
        self.assertEqual(model.options, dict(window=7, palettes=1, downscale=1, sigma=2,
                                             softness=0.5, normalise="marginals",
                                             separation=0.25))
        self.assertEqual((model.window, model.sigma), (7, 2))
        for seed in (0, 255, 2 ** 64 - 1):
            self.assertEqual(cof.Stats(seed=seed).options["seed"], seed)
            self.assertIn(f"seed {seed}", repr(cof.Stats(seed=seed)))


class Errors(unittest.TestCase):
    def test_they_say_what_is_at_fault(self):
        image, mask = random_image(), np.zeros((40, 53))
        for option, argument, call in (
                ("window", None, lambda: cof.smooth(image, window=4)),
                ("method", None, lambda: cof.smooth(image, method="best")),
                ("preset", None, lambda: cof.smooth(image, preset="best")),
                ("softness", None, lambda: cof.Model.fit(image, softness=99)),
                ("threads", None, lambda: cof.Context(threads=5000)),
                (None, "foreground", lambda: cof.select(image, mask)),
                (None, "mask", lambda: cof.smooth(image, mask=mask[1:])),
                (None, "image", lambda: cof.smooth(image.astype(int))),
                (None, "image", lambda: cof.Model.fit(image).apply(image[:, :, 0])),
                (None, "data", lambda: cof.Model.from_bytes(b"nonsense")),
                (None, "other", lambda: cof.Stats().merge(cof.Stats(window=3)))):
            with self.subTest(option or argument), self.assertRaises(ValueError) as caught:
                call()
            self.assertIsInstance(caught.exception, cof.CofError)
            self.assertEqual((caught.exception.option, caught.exception.argument),
                             (option, argument))

    def test_messages_say_what_to_do(self):
        image = random_image()
        grey = cof.Model.fit(image[:, :, 0])
        for words, call in (
                ("bool.*255 \\*", lambda: cof.smooth(image > 9)),
                ("float16.*float32", lambda: cof.smooth(image.astype(np.float16))),
                ("int16.*uint16", lambda: cof.smooth(image.astype(np.int16))),
                ("int64.*asarray", lambda: cof.smooth([[1, 2], [3, 4]])),
                ("empty.*\\(0, 5\\)", lambda: cof.Model.fit(np.zeros((0, 5), np.uint8))),
                ("for grey.*uint16.*convert", lambda: grey.apply(image[:, :, 0].astype(np.uint16))),
                ("for grey, the image is rgb", lambda: grey.label(image)),
                ("for rgb, the image is bands of 6", lambda: cof.Model.fit(image).apply(
                    np.dstack([image, image])))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()

    def test_a_failing_call_is_made_once(self):
        calls, original = [], c.lib.c.cof_smooth

        def counted(*arguments):
            calls.append(1)
            return original(*arguments)
        c.lib.c.cof_smooth = counted
        try:
            with self.assertRaises(ValueError):
                cof.smooth(random_image(), filter_sigma=-1)
        finally:
            c.lib.c.cof_smooth = original
        self.assertEqual(len(calls), 1)


class Objects(unittest.TestCase):
    def test_equality_and_hashing(self):
        image = random_image()
        one, same, other = (cof.Model.fit(image, colours=n) for n in (5, 5, 6))
        self.assertTrue(one == same and one != other and one != 5)
        self.assertEqual(len({one, same, other, pickle.loads(pickle.dumps(one))}), 2)
        stats = cof.Stats().add(image)
        self.assertEqual(stats, stats.copy())
        self.assertNotEqual(stats, stats.like())
        with self.assertRaises(TypeError):
            hash(stats)

    def test_representations(self):
        image = random_image()
        self.assertRegex(repr(cof.Model.fit(image, colours=5)),
                         r"<cof.Model: rgb, size 5; window 15, palettes 1, downscale 1, sigma 2.95")
        self.assertRegex(repr(cof.Stats().add(image[:, :, 0])), r"<cof.Stats: grey, size 256; ")
        self.assertIn("labels, size 3", repr(cof.Model.fit_labels(image[:, :, 0] % 3)))
        self.assertRegex(repr(cof.Report()), "0 passes")

    def test_report(self):
        report = cof.Report()
        cof.smooth(random_image((200, 200, 3)), iterations=4, report=report)
        self.assertEqual((report.passes, len(report.change)), (4, 4))
        self.assertEqual(list(report.change), sorted(report.change, reverse=True))
        self.assertEqual(tuple(report.seconds), ("colour", "palette", "labels", "count", "model",
                                                 "filter", "store"))
        self.assertGreater(report.seconds["filter"], 0)
        cof.smooth(random_image((200, 200, 3)), window=41, method="fast", report=report)
        self.assertEqual(report.passes, 1)
        self.assertGreater(report.fast_terms * report.fast_cell, 0)

    def test_device(self):
        """Without a device, a context is refused with a reason; with one, it does what it can."""
        image, report = random_image(), cof.Report()
        for name in ("cuda", "opencl:no such device"):
            with self.assertRaisesRegex(cof.NotSupportedError, "device|OpenCL|module"):
                cof.Context(device=name)
        for device in cof.devices()[:1]:
            self.assertIn(device.type, ("cpu", "gpu", "other"))
            with cof.Context(device="opencl:" + device.name) as context:
                smooth = cof.smooth(image, context=context, report=report)
            self.assertLessEqual(np.abs(smooth.astype(int) - cof.smooth(image)).max(), 1)
            self.assertEqual(report.device, device.name)
            self.assertEqual(report.device_stages, ("colour", "labels", "count", "filter", "store"))
            self.assertIsNone(report.device_note)
        cof.smooth(image, report=report)
        self.assertEqual((report.device, report.device_stages, report.device_note), ("", (), None))

    def test_context(self):
        image = random_image()
        with cof.Context(threads=2) as context:
            self.assertTrue((cof.smooth(image, context=context) == cof.smooth(image)).all())
            with self.assertRaises(cof.BusyError):
                cof.smooth(image, context=context,
                           progress=lambda done: cof.smooth(image, context=context) is None)
        with self.assertRaisesRegex(ValueError, "closed"):
            cof.smooth(image, context=context)

    def test_a_context_that_is_closed_during_a_call(self):
        """By another thread, by leaving `with`, and by the call's own callback. The call goes on;
        the context is freed when it ends."""
        done = subprocess.run([sys.executable, "-B", "-c", CLOSING, ROOT / "python"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, 3 * "same closed freed\n",
                                                                       ""))

    def test_nothing_is_left_of_a_call_that_ends_with_an_error(self):
        """The last callback of a call comes after the call has made its object."""
        def fail(done):
            if done == 1:
                raise KeyError
        image, free = random_image(), c.lib.c.cof_model_free
        with mock.patch.object(c.lib.c, "cof_model_free", side_effect=free) as freed:
            with self.assertRaises(KeyError):
                cof.Model.fit(image, progress=fail)
            self.assertEqual(freed.call_count, 1)

    def test_files_of_all_kinds(self):
        image, mask = random_image(), np.zeros((40, 53))
        mask[:, :25] = 1
        stats, pair = cof.Stats().add(image), cof.Model.fit_pair(image, mask)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "any.cof")
            stats.save(path)
            self.assertEqual(cof.load(path), stats)
            self.assertEqual(cof.Stats.load(path), stats)
            self.assertEqual(cof.Model.load(path, softness=0), stats.model(softness=0))
            stats.model().save(path)
            self.assertEqual(cof.load(path), stats.model())
            cof.save_pair(path, *pair)
            self.assertEqual(cof.load(path), pair)
            with self.assertRaisesRegex(ValueError, "foreground"):
                cof.Model.load(path)
            with self.assertRaises(cof.FormatError):
                cof.load(__file__)

    def test_bytes_of_all_kinds(self):
        """The size is that of the bytes, whatever the length of the object is."""
        stats = cof.Stats().add(random_image())
        for made in (stats, stats.model()):
            rows = np.frombuffer(made.to_bytes(), np.uint8)[None]
            self.assertEqual(type(made).from_bytes(rows), made)


class Learning(unittest.TestCase):
    def test_a_palette_of_ones_own(self):
        image = random_image()
        fitted = cof.Stats(sampling="all").add(image)
        given = cof.Stats(sampling="all").set_palette(fitted.palette).add(image)
        self.assertTrue((given.palette == fitted.palette).all())
        self.assertTrue((given.histogram == fitted.histogram).all())
        self.assertEqual((given.kind, cof.Stats().kind), ("rgb", None))
        grey = cof.Stats().set_palette([0, 100, 200]).add(image[:, :, 0])
        self.assertEqual((grey.kind, grey.size), ("grey", 3))
        bands = cof.Stats().set_palette(np.eye(3) * 200, kind="bands").add(image, kind="bands")
        self.assertEqual((bands.kind, bands.model().kind), ("bands", "bands"))

    def test_the_palette_of_others(self):
        image = random_image()[:, :, 0]
        for options in ({}, {"levels": 20}):
            fitted = cof.Stats(**options).add(image)
            for source in (fitted, fitted.model()):
                copy = cof.Stats(**options).scan(image).set_palette(source).add(image)
                self.assertEqual(copy, fitted)
        with self.assertRaisesRegex(TypeError, "kind"):
            cof.Stats().set_palette(fitted, kind="grey")
        with self.assertRaisesRegex(ValueError, "themselves"):
            fitted.set_palette(fitted)
        with self.assertRaisesRegex(ValueError, "kind that was scanned"):
            cof.Stats().scan(random_image()).set_palette(fitted)
        with self.assertRaisesRegex(ValueError, "no palette yet"):
            cof.Stats().set_palette(cof.Stats())

    def test_a_tile_without_its_margin(self):
        image = random_image()
        height, width = image.shape[:2]
        place = cof.Place(0, 0, height, width, np.s_[0:10, 0:width])
        with self.assertRaisesRegex(ValueError, "extend far enough beyond the output$"):
            cof.Model.fit(image).apply(image[:10], place=place)

    def test_counts(self):
        labels = np.array([[0, 1, 1], [0, 0, 1]])
        stats = cof.Stats(window=3, sampling="all").set_labels(2).add_labels(labels)
        squared, counts = stats.counts
        self.assertEqual(squared.tolist(), [0, 1, 2])
        # Ordered pairs, as brute force finds them, for {0, 0}, {0, 1} and {1, 1}.
        want = np.zeros((3, 3), int)
        places = [(y, x) for y in range(2) for x in range(3)]
        for y, x in places:
            for v, u in places:
                distance = (y - v) ** 2 + (x - u) ** 2
                if distance <= 2:
                    want[distance, labels[y, x] + labels[v, u]] += 1
        self.assertEqual(counts.tolist(), want.tolist())
        self.assertEqual((stats.sampling_shift, cof.Stats().counts), (0, None))

    def test_decay(self):
        stats = cof.Stats().add(random_image())
        half = stats.copy().decay(1, 2)
        self.assertTrue((half.counts[1] == stats.counts[1] // 2).all())

    def test_a_matrix_of_ones_own(self):
        image = random_image()
        stats = cof.Stats().add(image)
        model = stats.model()
        again = cof.Model.from_matrix(stats, model.matrix)
        self.assertTrue((again.matrix == model.matrix).all())
        ones = cof.Model.from_matrix(stats, np.ones((32, 32))).apply(image.astype(np.float32) / 255)
        self.assertLess(ones.std(), cof.smooth(image).std() / 255)

    def test_the_palette_stays_while_a_matrix_is_read(self):
        """The palette that another thread sets at that time may have more entries than a matrix
        that was compared with none."""
        class Growing(cof.Stats):
            @property
            def size(self):
                found = super().size
                self.set_palette(np.arange(256))
                return found
        with self.assertRaisesRegex(RuntimeError, "in use"):
            cof.Model.from_matrix(Growing(), np.ones((2, 2)))

    def test_soft_models(self):
        image = random_image()
        soft = cof.Model.fit_soft([image, image], colours=6, window=5)
        stats = cof.Stats(colours=6, window=5).scan(image).scan(image).fit_palette()
        self.assertEqual(soft, cof.Model.fit_soft([image, image], stats=stats))
        self.assertNotEqual(soft, cof.Model.fit([image, image], colours=6, window=5))

    def test_regions(self):
        image, region = random_image(), np.s_[5:30, 10:40]
        mask = np.zeros((40, 53), bool)
        mask[region] = True
        for function in (cof.smooth, lambda image, **how: cof.Model.fit(image, **how).matrix):
            self.assertTrue((function(image, region=region) == function(image, mask=mask)).all())

    def test_one_call_or_its_steps(self):
        images = [random_image(seed=i) for i in range(3)]
        stats = cof.Stats(window=7, colours=9)
        for image in images:
            stats.scan(image)
        stats.fit_palette()
        for image in images:
            stats.add(image)
        self.assertEqual(stats.model(softness=0.2),
                         cof.Model.fit(images, window=7, colours=9, softness=0.2))


if __name__ == "__main__":
    unittest.main()
