#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The GEGL operation cof:filter: results, caching, properties and errors.

COF_GEGL names the module. The tool `gegl` runs it as users do; what takes many runs is done through
python3-gi, in this process.
"""
import array
import ast
import ctypes
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import (ENVIRONMENT, FolderTest, HEIGHT, PHOTOS, TIMEOUT, WIDTH, noise,  # noqa: E402
                     run_cof, samples, setUpModule as check_tools, shape, vips, write_grey, write_photo,
                     write_samples)
from presets import (LARGE, PRESETS, array_of, cof, preset_options, reduced, smooth,  # noqa: E402
                     write_large)

MODULE = os.path.abspath(os.environ["COF_GEGL"])
# Where GEGL looks, besides where its own operations are.
DATA = pathlib.Path(tempfile.mkdtemp(prefix="cof-test-"))
os.environ["XDG_DATA_HOME"] = ENVIRONMENT["XDG_DATA_HOME"] = str(DATA)
os.environ["GEGL_USE_OPENCL"] = ENVIRONMENT["GEGL_USE_OPENCL"] = "no"
for variables in (os.environ, ENVIRONMENT):
    variables.pop("GEGL_PATH", None)  # which would come instead of it

# Images, properties of the operation, the same for the command.
CASES = [
    ("coffee.png", "", ""),
    ("camera.png", "", ""),
    ("astronaut.png", "window=7 iterations=2", "--window 7 --iterations 2"),
    ("chelsea.png", "variant=authors", "--variant authors"),
    ("ihc.png", "colours=8 softness=0", "--colours 8 --softness 0"),
    ("gravel.png", "levels=32 border=mirror", "--levels 32 --border mirror"),
    ("photo.png", "method=fast filter-window=31", "--method fast --filter-window 31"),
    ("photo.png", "method=auto filter-window=63 accuracy=55",
     "--method auto --filter-window 63 --accuracy 55"),
    ("photo.png", "palettes=3 separation=0.2", "--palettes 3 --separation 0.2"),
    ("photo.png", "iterations=3 fidelity=2 strength=0.7 detail=-0.5",
     "--iterations 3 --fidelity 2 --strength 0.7 --detail -0.5"),
    ("photo.png", "variant=app iterations=3 window=9", "--variant app --iterations 3 --window 9"),
    ("photo.png", "sigma=1.5 filter-sigma=3 border=reflect101",
     "--sigma 1.5 --filter-sigma 3 --border reflect101"),
    ("photo.png", "seed=7 window=8 filter-window=20", "--seed 7 --window 9 --filter-window 21"),
    ("rgba.png", "window=9", "--window 9"),
    ("grey-alpha.png", "window=9", "--window 9"),
    ("deep.png", "variant=authors border=clip", "--variant authors --border clip"),
    ("deep-grey.tif", "levels=64", "--levels 64"),
    ("float-grey.tif", "levels=64 softness=1.5", "--levels 64 --softness 1.5"),
    ("float-grey.tif", "levels=64 low=0.2 high=0.8", "--levels 64 --range 0.2,0.8"),
    ("photo.png", "variant=app softness=0.5 normalise=counts",
     "--variant app --softness 0.5 --normalise counts"),
    ("photo.png", "sampling=all space=native", "--sampling all --space native"),
    ("photo.png", "downscale=2 iterations=2", "--downscale 2 --iterations 2"),
    ("photo.png", "iterations=3 update=labels", "--iterations 3 --update labels"),
    ("photo.png", "iterations=3 update=model window=7", "--iterations 3 --update model --window 7"),
    ("photo.png", "iterations=50 tolerance=5", "--iterations 50 --tolerance 5"),
    ("photo.png", "preset=texture window=9 sigma=2 method=exact",
     "--preset texture --window 9 --sigma 2 --method exact"),
    ("photo.png", "preset=texture downscale=3 iterations=2",
     "--downscale 3 --filter-downscale 3 --preset texture --iterations 2"),
]

# Values of choices: 0 is the default, the words follow.
EXACT, FAST = 1, 2
MIRROR, NATIVE, LABELS, AUTHORS = 2, 2, 2, 2

# Formats of babl; samples, channels and the interpretation of libvips; is it exact?
FORMATS = [
    ("Y' u8", "B", 1, "b-w", True), ("Y'A u8", "B", 2, "b-w", True),
    ("R'G'B' u8", "B", 3, "srgb", True), ("R'G'B'A u8", "B", 4, "srgb", True),
    ("Y' u16", "H", 1, "grey16", True), ("Y'A u16", "H", 2, "grey16", True),
    ("R'G'B' u16", "H", 3, "rgb16", True), ("R'G'B'A u16", "H", 4, "rgb16", True),
    ("Y' float", "f", 1, "b-w", True), ("RGB float", "f", 3, "scrgb", False),
    ("RGBA float", "f", 4, "scrgb", False),
]


def setUpModule():
    global Gegl, GLib, GObject
    unittest.addModuleCleanup(shutil.rmtree, DATA)
    check_tools()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import gi
        gi.require_version("Gegl", "0.4")
        from gi.repository import Gegl, GLib, GObject
    folder = DATA / "gegl-0.4" / "plug-ins"
    folder.mkdir(parents=True)
    (folder / "cof-filter.so").symlink_to(MODULE)
    Gegl.init(None)
    GLib.log_set_handler("cof", GLib.LogLevelFlags.LEVEL_MASK, hear, None)


HEARD = []


def hear(domain, level, text, user):
    HEARD.append(text)


def heard():
    """The operation's warnings and debug messages since the last call."""
    words = HEARD.copy()
    HEARD.clear()
    return words


class Graph:
    """Pixels, the operation, and what comes out."""

    def __init__(self, form, pixels, width=WIDTH, height=HEIGHT, x=0, y=0, **properties):
        self.form = form
        self.rect = Gegl.Rectangle.new(x, y, width, height)
        self.top = Gegl.Node()
        self.source = self.top.create_child("gegl:buffer-source")
        self.node = self.top.create_child("cof:filter")
        self.source.connect_to("output", self.node, "input")
        self.give(pixels)
        self.set(**{"preset": 0, **properties})
        heard()

    def give(self, pixels):
        rect = self.rect
        self.buffer = Gegl.Buffer.new(self.form, rect.x, rect.y, rect.width, rect.height)
        self.buffer.set(rect, self.form, bytes(pixels))
        self.source.set_property("buffer", self.buffer)

    def set(self, **properties):
        for name, value in properties.items():
            self.node.set_property(name.replace("_", "-"), value)

    def render(self, parts=None):
        rect = self.rect
        out = Gegl.Buffer.new(self.form, rect.x, rect.y, rect.width, rect.height)
        for part in parts or [rect]:
            self.node.blit_buffer(out, part, 0, Gegl.AbyssPolicy.NONE)
        return bytes(out.get(rect, 1.0, self.form, Gegl.AbyssPolicy.NONE))


def run_gegl(line, folder):
    return subprocess.run(f"gegl {line}", shell=True, cwd=folder, env=ENVIRONMENT,
                          capture_output=True, text=True, errors="replace", timeout=TIMEOUT)


class OperationTest(FolderTest):
    def gegl(self, line):
        done = run_gegl(line, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def photo(self):
        """The bytes of a small RGB image, which is also in.png."""
        write_photo(self.folder / "in.png")
        return samples(self.folder / "in.png").tobytes()


class TheSame(OperationTest):
    def setUp(self):
        super().setUp()
        for photo in PHOTOS.glob("*.*g"):
            (self.folder / photo.name).symlink_to(photo)
        vips("crop", PHOTOS / "astronaut.png", self.folder / "photo.png", 100, 20, 160, 120)
        write_samples(self.folder / "rgba.png", 4, "B", "srgb")
        write_samples(self.folder / "grey-alpha.png", 2, "B", "b-w")
        write_samples(self.folder / "deep.png", 4, "H", "rgb16")
        write_samples(self.folder / "deep-grey.tif", 1, "H", "grey16")
        write_samples(self.folder / "float-grey.tif", 1, "f", "b-w")

    def test_as_the_command(self):
        # TIFF, since GEGL writes all PNG in 16 bits.
        for image, of_operation, of_command in CASES:
            with self.subTest(image=image, options=of_operation):
                self.gegl(f"{image} -o gegl.tif -- cof:filter preset=none {of_operation}")
                self.cof(*of_command.split(), image, "command.tif")
                self.assertEqual(shape(self.folder / "gegl.tif"),
                                 shape(self.folder / "command.tif"))
                self.assertEqual(samples(self.folder / "gegl.tif"),
                                 samples(self.folder / "command.tif"))

    def test_png_has_the_same_values_in_16_bits(self):
        self.gegl("photo.png -o gegl.png -- cof:filter preset=none window=9")
        self.cof("--window", 9, "photo.png", "command.png")
        self.assertEqual([v * 257 for v in samples(self.folder / "command.png")],
                         list(samples(self.folder / "gegl.png", "H")))


class Presets(OperationTest):
    def test_as_the_package(self):
        for photo in ("coffee.png", "gravel.png"):
            size = tuple(int(side) for side in shape(PHOTOS / photo).split()[0].split("x"))
            for preset in PRESETS:
                with self.subTest(photo=photo, preset=preset):
                    self.gegl(f"{PHOTOS / photo} -o gegl.tif -- cof:filter preset={preset}")
                    self.assertEqual(samples(self.folder / "gegl.tif").tobytes(),
                                     smooth(samples(PHOTOS / photo), size, preset))

    def test_the_first_is_the_default(self):
        """What a dialog opens with."""
        write_photo(self.folder / "in.png")
        self.gegl("in.png -o gegl.tif -- cof:filter")
        self.cof("--preset", "subtle", "in.png", "command.tif")
        self.assertEqual(samples(self.folder / "gegl.tif"), samples(self.folder / "command.tif"))

    def test_of_a_large_image(self):
        self.assertEqual(reduced(LARGE), 2)
        write_large(self.folder / "large.png")
        pixels = samples(self.folder / "large.png").tobytes()
        graph = Graph("R'G'B' u8", pixels, *LARGE)
        for number, preset in enumerate(PRESETS, 1):
            graph.set(preset=number)
            with self.subTest(preset=preset):
                self.assertEqual(graph.render(), smooth(pixels, LARGE, preset))

    def test_each_format(self):
        for form, code, channels, interpretation, exact in FORMATS:
            if not exact:
                continue
            with self.subTest(format=form):
                write_samples(self.folder / "in.v", channels, code, interpretation)
                pixels = samples(self.folder / "in.v", code).tobytes()
                self.assertEqual(Graph(form, pixels, preset=2).render(),
                                 smooth(pixels, (WIDTH, HEIGHT), "texture", code))

    def test_properties_override_them(self):
        pixels = self.photo()
        for properties, options in (
                ({"window": 5}, {"window": 5}), ({"iterations": 3}, {"iterations": 3}),
                ({"softness": 2.0}, {"softness": 2}), ({"colours": 4}, {"colours": 4}),
                ({"method": EXACT}, {"method": "exact"}), ({"border": MIRROR}, {"border": "mirror"}),
                ({"filter_window": 41}, {"filter_window": 41}), ({"sigma": 1.5}, {"sigma": 1.5})):
            with self.subTest(properties=properties):
                wanted = smooth(pixels, (WIDTH, HEIGHT), "cartoon", **options)
                self.assertEqual(Graph("R'G'B' u8", pixels, preset=3, **properties).render(), wanted)
                after = Graph("R'G'B' u8", pixels, **properties)
                after.set(preset=3)
                self.assertEqual(after.render(), wanted)

    def test_properties_with_their_defaults_do_not(self):
        """GIMP sets every property."""
        pixels = self.photo()
        graph = Graph("R'G'B' u8", pixels)
        values = {p.name: graph.node.get_property(p.name)
                  for p in Gegl.Operation.list_properties("cof:filter")}
        graph.set(preset=2)
        del values["preset"]
        graph.set(**values)
        self.assertEqual(graph.render(), smooth(pixels, (WIDTH, HEIGHT), "texture"))

    def test_sizes(self):
        pixels = samples(PHOTOS / "coffee.png").tobytes()
        graph = Graph("R'G'B' u8", pixels, 600, 400, preset=2)
        for size in (0.5, 2.0):
            graph.set(size=size)
            wanted = cof.smooth(array_of(pixels, (600, 400)), preset="texture", size=size)
            self.assertEqual(graph.render(), wanted.tobytes())

    def test_seed_and_model_have_one(self):
        pixels = self.photo()
        image = array_of(pixels, (WIDTH, HEIGHT))
        graph = Graph("R'G'B' u8", pixels, preset=2, seed=7)
        self.assertEqual(graph.render(), cof.smooth(image, preset="texture", seed=7).tobytes())
        self.cof("learn", "--window", 9, PHOTOS / "chelsea.png", "-o", "m.cof")
        graph.set(model=str(self.folder / "m.cof"))
        model = cof.Model.load(self.folder / "m.cof")
        self.assertEqual(graph.render(), model.apply(image, preset="texture").tobytes())

    def test_learns_for_each(self):
        graph = Graph("R'G'B' u8", samples(PHOTOS / "chelsea.png").tobytes(), 451, 300)
        for number in (1, 2, 3, 0, 2):
            heard()
            graph.set(preset=number)
            graph.render()
            self.assertEqual(verbs(heard()), ["learns", "makes", "filters"])

    def test_learns_again_where_only_the_reduction_differs(self):
        write_large(self.folder / "large.png")
        pixels = samples(self.folder / "large.png").tobytes()
        options = preset_options("texture", LARGE)
        graph = Graph("R'G'B' u8", pixels, *LARGE, window=options["window"],
                      colours=options["colours"], levels=options["levels"],
                      softness=options["softness"], method=FAST)
        graph.render()
        graph.set(preset=2)
        heard()
        self.assertEqual(graph.render(), smooth(pixels, LARGE, "texture"))
        self.assertEqual(verbs(heard()), ["learns", "makes", "filters"])

    def test_part_by_part(self):
        pixels = self.photo()
        parts = [Gegl.Rectangle.new(x, 0, 16, HEIGHT) for x in range(0, WIDTH, 16)]
        self.assertEqual(Graph("R'G'B' u8", pixels, preset=1).render(parts),
                         smooth(pixels, (WIDTH, HEIGHT), "subtle"))


class ShownValues(OperationTest):
    """Properties that a dialog shows have the values of the preset."""

    def setUp(self):
        super().setUp()
        self.pixels = self.photo()
        self.graph = Graph("R'G'B' u8", self.pixels, preset=2, all_options=True)

    def shown(self):
        """All values, after what the operation does when the host is idle."""
        while GLib.MainContext.default().iteration(False):
            pass
        return {p.name: self.graph.node.get_property(p.name)
                for p in Gegl.Operation.list_properties("cof:filter")}

    def assert_shown(self, preset, size=(WIDTH, HEIGHT), **options):
        values = self.shown()
        for name, value in {**preset_options(preset, size), **options}.items():
            if name in ("window", "colours", "levels", "sigma", "softness", "iterations"):
                self.assertAlmostEqual(values[name], value, 6, name)

    def assert_result(self, preset, **options):
        self.assertEqual(self.graph.render(),
                         smooth(self.pixels, (WIDTH, HEIGHT), preset, **options))

    def test_follow_the_preset(self):
        self.assertEqual(self.shown()["colours"], 32)  # The size is not known yet.
        for number in (2, 3, 1):
            self.graph.set(preset=number)
            self.assert_result(PRESETS[number - 1])
            self.assert_shown(PRESETS[number - 1])
            self.assert_result(PRESETS[number - 1])
        self.graph.set(size=2.0)
        self.assert_shown(PRESETS[0], (2 * WIDTH, 2 * HEIGHT))
        self.graph.set(preset=0, size=1.0)
        self.assertEqual((self.shown()["colours"], self.shown()["shown"]), (32, ""))
        self.assertEqual(self.graph.render(), Graph("R'G'B' u8", self.pixels).render())

    def test_only_with_all_options(self):
        self.graph.set(all_options=False)
        self.assert_result("texture")
        self.assertEqual((self.shown()["colours"], self.shown()["shown"]), (32, ""))

    def test_a_default_that_is_chosen_counts(self):
        self.graph.render()
        self.shown()
        self.graph.set(colours=32, softness=0.75)
        self.assert_result("texture", colours=32, softness=0.75)
        self.graph.set(preset=3)
        self.assert_shown("cartoon", colours=32, softness=0.75)
        self.assert_result("cartoon", colours=32, softness=0.75)
        self.graph.set(colours=24)
        self.assert_result("cartoon", softness=0.75)

    def test_the_same_in_any_order(self):
        """GIMP stores all properties, and sets them in an order of its own."""
        self.graph.render()
        self.shown()
        self.graph.set(window=9)
        values = self.shown()
        wanted = self.graph.render()
        for names in (list(values), list(reversed(values))):
            other = Graph("R'G'B' u8", self.pixels, preset=4, all_options=True)
            other.render()
            other.set(**{name: values[name] for name in names})
            self.assertEqual(other.render(), wanted)

    def test_of_another_size(self):
        """Values that were not changed are those for the size of the image."""
        self.graph.render()
        values = self.shown()
        write_large(self.folder / "large.png")
        pixels = samples(self.folder / "large.png").tobytes()
        other = Graph("R'G'B' u8", pixels, *LARGE, **values)
        self.assertEqual(other.render(), smooth(pixels, LARGE, "texture"))

    def test_settle(self):
        self.graph.render()
        changed = []
        GObject.Object.connect(self.graph.node, "notify", lambda node, property: changed.append(property.name))
        self.shown()
        self.assertIn("colours", changed)
        changed.clear()
        self.graph.render()
        self.shown()
        self.assertEqual(changed, [])

    def test_nonsense_is_ignored(self):
        for text in ("texture", "99 48 40", "1 -1 40", "1 0 0", "-1 48 40"):
            self.graph.set(all_options=False, shown=text)
            self.assert_result("texture")


class Formats(OperationTest):
    def test_each_as_the_command(self):
        for form, code, channels, interpretation, exact in FORMATS:
            with self.subTest(format=form):
                write_samples(self.folder / "in.tif", channels, code, interpretation)
                graph = Graph(form, samples(self.folder / "in.tif", code).tobytes(), window=7)
                out = array.array(code, graph.render())
                self.cof("--window", 7, "in.tif", "out.tif")
                wanted = samples(self.folder / "out.tif", code)
                if exact:
                    self.assertEqual(out, wanted)
                else:
                    # babl encodes linear light to within a few millionths, which shifts palettes.
                    apart = max(abs(a - b) for a, b in zip(out, wanted))
                    self.assertLess(apart, 1 / 255)

    def test_alpha_stays(self):
        values = noise(WIDTH * HEIGHT * 4)
        for form, code, most in (("R'G'B'A u8", "B", 255), ("R'G'B'A u16", "H", 65535),
                                 ("R'G'B'A float", "f", 1), ("R'aG'aB'aA float", "f", 1)):
            pixels = array.array(code, (v * most // 255 if most > 1 else v / 255 for v in values))
            out = array.array(code, Graph(form, pixels.tobytes()).render())
            self.assertEqual(out[3::4], pixels[3::4])

    def test_8_bits_of_linear_light_lose_nothing(self):
        # One colour per image comes out as it went in.
        for value in range(0, 256, 5):
            pixels = bytes([value, 255 - value, value // 2]) * (WIDTH * HEIGHT)
            self.assertEqual(Graph("RGB u8", pixels, window=3).render(), pixels)

    def test_beyond_0_to_1(self):
        # A bright half, a dark half, both far outside; linear and encoded. Where they meet, they
        # mix a little.
        for form in ("RGB float", "R'G'B' float", "Y float", "Y' float"):
            channels = 3 if "B" in form else 1
            row = [30.0] * (WIDTH // 2 * channels) + [-0.25] * (WIDTH // 2 * channels)
            pixels = array.array("f", row * HEIGHT)
            out = array.array("f", Graph(form, pixels.tobytes(), window=3).render())
            for i, (wanted, got) in enumerate(zip(pixels, out)):
                if abs(i // channels % WIDTH - WIDTH / 2 + 0.5) > 2:
                    self.assertAlmostEqual(got / wanted, 1, delta=1e-3)

    def test_no_numbers_stay_and_do_not_spread(self):
        pixels = array.array("f", (v / 255 for v in noise(WIDTH * HEIGHT)))
        pixels[100], pixels[200] = math.nan, math.inf
        for form in ("Y' float", "Y float"):
            out = array.array("f", Graph(form, pixels.tobytes()).render())
            self.assertEqual(heard()[-1], f"filters {WIDTH} x {HEIGHT} pixels")
            self.assertTrue(math.isnan(out[100]))
            odd = [i for i, value in enumerate(out) if not math.isfinite(value)]
            self.assertEqual(odd, [100, 200])

    def test_place_of_the_layer(self):
        pixels = self.photo()
        wanted = Graph("R'G'B' u8", pixels).render()
        for x, y in ((-20, 7), (1000, -3000)):
            self.assertEqual(Graph("R'G'B' u8", pixels, x=x, y=y).render(), wanted)

    def test_the_input_is_not_written_to(self):
        pixels = self.photo()
        graph = Graph("R'G'B' u8", pixels)
        self.assertNotEqual(graph.render(), pixels)
        self.assertEqual(bytes(graph.buffer.get(graph.rect, 1.0, graph.form,
                                                Gegl.AbyssPolicy.NONE)), pixels)


def verbs(words):
    return [word.split()[0] for word in words]


class Keeping(OperationTest):
    def setUp(self):
        super().setUp()
        self.graph = Graph("R'G'B' u8", self.photo(), window=9)

    def done(self, **properties):
        """The steps that the operation ran for these properties."""
        heard()
        self.graph.set(**properties)
        self.graph.render()
        return verbs(heard())

    def test_learns_only_when_it_must(self):
        self.assertEqual(self.done(), ["learns", "makes", "filters"])
        for properties in ({"filter_window": 5}, {"filter_sigma": 2.0}, {"iterations": 2},
                           {"method": FAST}, {"accuracy": 50.0}, {"border": MIRROR}, {"space": NATIVE},
                           {"update": LABELS}, {"tolerance": 1.0}, {"fidelity": 1},
                           {"strength": 0.5}, {"detail": 2.0}):
            with self.subTest(properties=properties):
                self.assertEqual(self.done(**properties), ["filters"])
        self.assertEqual(self.done(softness=0.3), ["makes", "filters"])
        self.assertEqual(self.done(sigma=2.0), ["makes", "filters"])
        for properties in ({"window": 11}, {"colours": 8}, {"seed": 3}):
            with self.subTest(properties=properties):
                self.assertEqual(self.done(**properties), ["learns", "makes", "filters"])

    def test_what_was_kept_gives_the_same(self):
        self.graph.render()
        for properties in ({"filter_window": 5}, {"softness": 0.2}, {"variant": AUTHORS},
                           {"window": 5}, {"preset": 2}):
            self.graph.set(**properties)
            pixels = samples(self.folder / "in.png").tobytes()
            self.assertEqual(self.graph.render(), Graph("R'G'B' u8", pixels, **{
                name.replace("-", "_"): self.graph.node.get_property(name)
                for name in ("window", "filter-window", "softness", "variant", "preset")}).render())

    def test_other_pixels(self):
        self.done()
        pixels = bytearray(samples(self.folder / "in.png").tobytes())
        self.graph.give(pixels)
        self.assertEqual(self.done(), ["filters"])
        pixels[-1] ^= 1
        self.graph.give(pixels)
        self.assertEqual(self.done(), ["learns", "makes", "filters"])

    def test_nothing_changed(self):
        self.done()
        self.assertEqual(self.done(), [])

    def test_a_model_between(self):
        self.cof("learn", "in.png", "-o", "m.cof")
        self.done()
        self.assertEqual(self.done(model=str(self.folder / "m.cof")), ["reads", "filters"])
        self.assertEqual(self.done(iterations=2), ["filters"])
        self.assertEqual(self.done(model=""), ["makes", "filters"])


class Parts(OperationTest):
    def test_part_by_part(self):
        pixels = self.photo()
        whole = Graph("R'G'B' u8", pixels).render()
        graph = Graph("R'G'B' u8", pixels)
        parts = [Gegl.Rectangle.new(x, y, 16, 10) for y in range(0, HEIGHT, 10)
                 for x in range(0, WIDTH, 16)]
        self.assertEqual(graph.render(parts), whole)
        self.assertEqual(verbs(heard()), ["learns", "makes", "filters"])

    def test_chunks_and_threads_of_the_host(self):
        pixels = self.photo()
        whole = Graph("R'G'B' u8", pixels).render()
        config = Gegl.config()
        before = {name: config.get_property(name) for name in ("threads", "chunk-size")}
        self.addCleanup(lambda: [config.set_property(*pair) for pair in before.items()])
        for threads, size in ((1, 64), (2, 256), (8, 1024 * 1024)):
            config.set_property("threads", threads)
            config.set_property("chunk-size", size)
            self.assertEqual(Graph("R'G'B' u8", pixels).render(), whole)

    def test_progress(self):
        graph = Graph("R'G'B' u8", self.photo(), iterations=20)
        told = []
        GObject.Object.connect(graph.node, "progress", lambda node, done: told.append(done))
        for first in (0, 0):
            graph.render()
            self.assertEqual((told[0], told[-1]), (first, 1))
            self.assertEqual(told, sorted(told))
            self.assertEqual(told.count(1), 1)
            self.assertLess(len(told), 60)
            told.clear()
            graph.set(filter_window=5)


class Models(OperationTest):
    def setUp(self):
        super().setUp()
        self.pixels = self.photo()
        self.cof("learn", "--window", 9, PHOTOS / "chelsea.png", "-o", "m.cof")

    def test_of_a_model(self):
        self.gegl("in.png -o gegl.tif -- cof:filter preset=none model=m.cof iterations=2")
        self.cof("apply", "m.cof", "--iterations", 2, "in.png", "command.tif")
        self.assertEqual(samples(self.folder / "gegl.tif"), samples(self.folder / "command.tif"))

    def test_of_statistics(self):
        self.cof("learn", "--stats", PHOTOS / "chelsea.png", "-o", "s.cof")
        self.cof("apply", "s.cof", "in.png", "command.tif")
        graph = Graph("R'G'B' u8", self.pixels, model=str(self.folder / "s.cof"))
        wanted = samples(self.folder / "command.tif").tobytes()
        self.assertEqual(graph.render(), wanted)
        graph.set(softness=0.0)
        self.assertNotEqual(graph.render(), wanted)

    def test_that_changes(self):
        path = self.folder / "m.cof"
        graph = Graph("R'G'B' u8", self.pixels, model=str(path))
        before = graph.render()
        self.cof("learn", "--colours", 4, PHOTOS / "ihc.png", "-o", "m.cof")
        graph.set(iterations=2)
        graph.set(iterations=1)
        heard()
        self.assertNotEqual(graph.render(), before)
        self.assertEqual(verbs(heard()), ["reads", "filters"])
        self.cof("apply", "m.cof", "in.png", "command.tif")
        self.assertEqual(graph.render(), samples(self.folder / "command.tif").tobytes())

    def test_that_comes_late(self):
        path = self.folder / "later.cof"
        graph = Graph("R'G'B' u8", self.pixels, model=str(path))
        self.assertEqual(graph.render(), self.pixels)
        self.assertIn("No such file", heard()[-1])
        (self.folder / "m.cof").rename(path)
        graph.set(iterations=2)
        self.assertNotEqual(graph.render(), self.pixels)


class Help(OperationTest):
    def test_of_the_tool(self):
        text = " ".join(self.gegl("--info cof:filter").stdout.split())
        for words in ("Co-occurrence Filter", "Smooths textures", "enhance:noise-reduction",
                      "<Image>/Filters/Enhance", "side of the learning window", "(default: 15)",
                      "filter-window", "filter-sigma", "A preset sets the options"):
            self.assertIn(words, text)

    def test_every_property_is_explained(self):
        order = """preset strength size detail all-options
            variant window colours levels palettes downscale
            sigma softness normalise separation filter-window filter-sigma filter-downscale refine
            iterations update tolerance border method accuracy fidelity
            low high sampling seed space model shown""".split()
        properties = Gegl.Operation.list_properties("cof:filter")
        self.assertEqual([p.name for p in properties], order)
        for p in properties:
            self.assertGreater(len(p.blurb), 10, p.name)
            self.assertRegex(p.nick, r"\A[A-Z]", p.name)


class RejectedInput(OperationTest):
    """GEGL operations cannot report errors and the tool exits with 0: expects a warning and unchanged pixels."""

    def assert_passed(self, graph, pixels, *words):
        self.assertEqual(graph.render(), bytes(pixels))
        said = heard()
        self.assertRegex(said[-1], r"\Acof:filter: [^\n]+; the image is left as it is\Z")
        for word in words:
            self.assertIn(word, said[-1])

    def test_on_the_command_line(self):
        self.photo()
        (self.folder / "text.cof").write_text("no model")
        rows = [("window=64", "'window'", False), ("method=quick", "default exact fast auto", False),
                ("border=wrap", "default clip mirror reflect101", False),
                ("preset=painted", "none subtle texture cartoon flat", False),
                ("preset=7", "", False),
                ("nosuch=1", "no nosuch property", False),
                ("sigma=0.0001", "sigma must be", True),
                ("model=nowhere.cof", "nowhere.cof: No such file", True),
                ("model=text.cof", "text.cof: not a .cof file", True)]
        self.cof("in.png", "command.tif")
        for properties, words, passed in rows:
            with self.subTest(properties=properties):
                done = self.gegl(f"in.png -o out.tif -- cof:filter preset=none {properties}")
                self.assertIn(words, done.stderr)
                # GEGL ignores values that it rejects itself.
                wanted = "in.png" if passed else "command.tif"
                self.assertEqual(samples(self.folder / "out.tif"), samples(self.folder / wanted))

    def test_no_input(self):
        for line in ("-o out.png -- gegl:nop cof:filter", "-o out.png -- cof:filter"):
            with self.subTest(line=line):
                self.gegl(line)
                self.assertFalse((self.folder / "out.png").exists())

    def test_out_of_range(self):
        pixels = self.photo()
        wanted = Graph("R'G'B' u8", pixels).render()
        rows = [("window", -5), ("window", 0), ("window", 64), ("iterations", -1),
                ("iterations", 1001), ("softness", -0.1), ("softness", 17.0), ("softness", math.nan),
                ("colours", 0), ("colours", 257), ("levels", 1), ("levels", 257), ("downscale", 0),
                ("tolerance", -1.0), ("accuracy", 29.0),
                ("accuracy", 71.0), ("filter-window", -1), ("filter-window", 256),
                ("filter-sigma", -1.0), ("sigma", math.inf), ("sigma", math.nan)]
        for name, value in rows:
            with self.subTest(name=name, value=value), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                graph = Graph("R'G'B' u8", pixels, **{name: value})
                self.assertIn(f"out of range for property '{name}'", str(said[-1].message))
                self.assertEqual(graph.render(), wanted)

    def test_sigmas_too_small(self):
        pixels = self.photo()
        for name in ("sigma", "filter_sigma"):
            self.assert_passed(Graph("R'G'B' u8", pixels, **{name: 1e-9}), pixels, name, "0.001")

    def test_models(self):
        pixels = self.photo()
        write_grey(self.folder / "grey.pgm", WIDTH, HEIGHT, noise(WIDTH * HEIGHT))
        self.cof("learn", "in.png", "-o", "good.cof")
        self.cof("learn", "grey.pgm", "-o", "grey.cof")
        good = (self.folder / "good.cof").read_bytes()
        damaged = bytearray(good)
        damaged[len(good) // 2] ^= 255
        files = {"empty": b"", "text": b"no model", "cut": good[:-1], "short": good[:9],
                 "long": good + b"x", "damaged": bytes(damaged), "zeros": bytes(len(good)),
                 "image": (self.folder / "in.png").read_bytes()}
        for name, content in files.items():
            (self.folder / f"{name}.cof").write_bytes(content)
        rows = [*((name, ".cof file") for name in files), ("grey", "kind"),
                ("missing", "No such file")]
        for name, words in rows:
            with self.subTest(model=name):
                path = str(self.folder / f"{name}.cof")
                self.assert_passed(Graph("R'G'B' u8", pixels, model=path), pixels, path, words)
        self.assert_passed(Graph("R'G'B' u8", pixels, model=str(self.folder)), pixels, "directory")
        self.assert_passed(Graph("R'G'B' u8", pixels, model="x" * 9999), pixels, "too long")

    def test_warns_once(self):
        graph = Graph("Y' u8", bytes(noise(WIDTH * HEIGHT)), model="/nowhere.cof")
        for properties in ({}, {"iterations": 2}, {"iterations": 3}):
            graph.set(**properties)
            graph.render()
        said = [words for words in heard() if words.startswith("cof:filter")]
        self.assertEqual(len(said), 1)
        graph.set(model="/elsewhere.cof")
        graph.render()
        self.assertIn("/elsewhere.cof", heard()[-1])

    def test_nothing_to_learn_from(self):
        pixels = bytes([9, 8, 7, 0]) * (WIDTH * HEIGHT)
        self.assert_passed(Graph("R'G'B'A u8", pixels), pixels, "nothing to learn from")
        pixels = array.array("f", [math.nan] * (WIDTH * HEIGHT)).tobytes()
        self.assert_passed(Graph("Y' float", pixels), pixels, "nothing to learn from")

    def test_smallest(self):
        for width, height in ((1, 1), (1, 9), (9, 1)):
            pixels = bytes(noise(width * height * 3))
            graph = Graph("R'G'B' u8", pixels, width, height, window=63, filter_window=255)
            self.assertEqual(len(graph.render()), len(pixels))
            self.assertNotIn("cof:filter", "".join(heard()))

    def test_plane_without_end(self):
        for operation in ("gegl:checkerboard", "gegl:color"):
            top, images = Gegl.Node(), []
            for middle in ("gegl:nop", "cof:filter"):
                nodes = [top.create_child(name) for name in (operation, middle, "gegl:crop")]
                for one, next_one in zip(nodes, nodes[1:]):
                    one.connect_to("output", next_one, "input")
                nodes[2].set_property("width", 40.0)
                nodes[2].set_property("height", 30.0)
                rect = Gegl.Rectangle.new(0, 0, 40, 30)
                out = Gegl.Buffer.new("R'G'B'A u8", 0, 0, 40, 30)
                nodes[2].blit_buffer(out, rect, 0, Gegl.AbyssPolicy.NONE)
                images.append(bytes(out.get(rect, 1.0, "R'G'B'A u8", Gegl.AbyssPolicy.NONE)))
            self.assertEqual(*images)
            self.assertIn("has no end", heard()[-1])

    def test_goes_on_after_a_problem(self):
        pixels = self.photo()
        graph = Graph("R'G'B' u8", pixels, model="/nowhere.cof")
        self.assertEqual(graph.render(), pixels)
        graph.set(model="")
        self.assertEqual(graph.render(), Graph("R'G'B' u8", pixels).render())


# Renders with a libOpenCL that fails when asked to, and prints the results and what is said.
FAILING_DEVICE = """
import ctypes, sys, unittest.mock
sys.argv = ["test_gegl.py"]
import test_gegl
from test_gegl import Graph, heard
class Failing(ctypes.Structure):
    _fields_ = [("function", ctypes.c_char_p), ("call", ctypes.c_int), ("error", ctypes.c_int)]
test_gegl.setUpModule()
pixels = bytes(test_gegl.noise(test_gegl.WIDTH * test_gegl.HEIGHT * 3))
graph = Graph("R'G'B' u8", pixels)
results, said = [graph.render()], heard()
failing = Failing.in_dll(ctypes.CDLL("libOpenCL.so.1"), "failing_opencl")
for iterations in (2, 3):
    failing.function, failing.call, failing.error = b"clEnqueueNDRangeKernel", iterations, -5000
    for node in (graph, Graph("R'G'B' u8", pixels)):
        node.set(iterations=iterations)
        results.append(node.render())
    said += heard()
print([result.hex() for result in results], flush=True)
print([words for words in said if words.startswith("cof:filter")], flush=True)
test_gegl.unittest.doModuleCleanups()
"""


class Device(OperationTest):
    """COF_DEVICE, with any OpenCL driver."""

    def setUp(self):
        super().setUp()
        self.names = {"COF_MODULE_PATH": str(pathlib.Path(MODULE).parents[2] / "opencl"),
                      "XDG_CACHE_HOME": str(self.folder)}
        with unittest.mock.patch.dict(ENVIRONMENT, self.names):
            done = run_cof(["info", "--devices", "--json"], self.folder)
        self.devices = json.loads(done.stdout or "[]")

    def name(self):
        if not self.devices:
            self.skipTest("there is no OpenCL device")
        return "opencl:" + self.devices[0]["name"]

    def assert_close(self, one, other):
        self.assertEqual(len(one), len(other))
        different = [abs(x - y) for x, y in zip(one, other) if x != y]
        self.assertLessEqual(max(different, default=0), 1)
        share = 0.001 if max(one) < 256 else 0.01  # 16 bits: as processors differ, see docs/gpu.md
        self.assertLessEqual(len(different), share * len(one) + 1)

    def test_as_the_cpu(self):
        """Also formats and options that the device leaves to the CPU."""
        name = self.name()
        cases = [("R'G'B' u8", "B", 3, {}), ("R'G'B'A u8", "B", 4, {"iterations": 2}),
                 ("Y' u8", "B", 1, {"levels": 32}), ("R'G'B' u8", "B", 3, {"preset": 2}),
                 ("R'G'B' u16", "H", 3, {}), ("Y' float", "f", 1, {}),
                 ("R'G'B' u8", "B", 3, {"method": FAST, "filter_window": 31})]
        for form, code, bands, properties in cases:
            with self.subTest(form=form, properties=properties):
                scale = {"B": 1, "H": 257, "f": 1 / 255}[code]
                pixels = array.array(code, [v * scale for v in noise(WIDTH * HEIGHT * bands)]).tobytes()
                host = array.array(code, Graph(form, pixels, **properties).render())
                with unittest.mock.patch.dict(os.environ, self.names, COF_DEVICE=name):
                    graph = Graph(form, pixels, **properties)
                    results = [array.array(code, graph.render()) for _ in range(2)]
                self.assertFalse([words for words in heard() if "COF_DEVICE" in words])
                self.assertEqual(*results)
                if code == "f":
                    self.assertLess(max(abs(x - y) for x, y in zip(host, results[0])), 1e-5)
                else:
                    self.assert_close(host, results[0])
        self.assertTrue(os.listdir(self.folder / "cof"))  # the kernels, which were compiled

    def test_without_the_device(self):
        """The image is that of the CPU, and one line says why."""
        self.photo()
        self.gegl("in.png -o host.tif -- cof:filter cof:filter")
        for path, name, words in ((self.names["COF_MODULE_PATH"], "cuda", "gpu, cpu or opencl:NAME"),
                                  (self.names["COF_MODULE_PATH"], "opencl:nonesuch", "device"),
                                  ("/nonexistent", "gpu", "libcof-opencl.so")):
            if words == "device" and not self.devices:
                continue
            with unittest.mock.patch.dict(ENVIRONMENT, self.names, COF_MODULE_PATH=path, COF_DEVICE=name):
                done = self.gegl("in.png -o out.tif -- cof:filter cof:filter")
            self.assertEqual(samples(self.folder / "host.tif"), samples(self.folder / "out.tif"))
            said = [line for line in done.stderr.splitlines() if "COF_DEVICE" in line]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertIn(f"cof:filter: COF_DEVICE={name}: ", said[0])
            self.assertIn(words, said[0])
            self.assertIn("; the CPU filters instead", said[0])

    def test_a_device_that_fails(self):
        """The CPU filters the image, and one line of the process says why."""
        failing = os.environ.get("COF_FAILING_OPENCL")
        if not failing or not os.path.exists(failing):
            self.skipTest("there is no libOpenCL that fails")
        device = self.name()
        (self.folder / "libOpenCL.so.1").symlink_to(os.path.abspath(failing))
        ctypes.CDLL("libOpenCL.so.1")
        maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
        real = next(line.split()[-1] for line in maps if "/libOpenCL." in line)
        names = dict(self.names, COF_DEVICE=device, COF_TEST_OPENCL=real,
                     LD_LIBRARY_PATH=f"{self.folder}:{os.environ.get('LD_LIBRARY_PATH', '')}")
        done = subprocess.run([sys.executable, "-c", FAILING_DEVICE], cwd=pathlib.Path(__file__).parent,
                              env={**os.environ, **names}, capture_output=True, text=True,
                              timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        results, said = map(ast.literal_eval, done.stdout.splitlines())
        pixels = bytes(noise(WIDTH * HEIGHT * 3))
        for result, iterations in zip(results, (1, 2, 2, 3, 3)):
            host = Graph("R'G'B' u8", pixels, iterations=iterations).render()
            self.assert_close(host, bytes.fromhex(result))
        self.assertEqual(said, [f"cof:filter: COF_DEVICE={device}: the device failed; "
                                "the CPU filters instead"])


if __name__ == "__main__":
    unittest.main()
