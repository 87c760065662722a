#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The filter in a GIMP 3 without windows: live and merged, from Python and Script-Fu, in .xcf files.

COF_GEGL names the operation. GIMP has a home of its own in a temporary folder. It takes seconds to
start, so many steps share one.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "plugins")]
from command import (ENVIRONMENT, FolderTest, HEIGHT, PHOTOS, WIDTH, samples,  # noqa: E402
                     setUpModule as check_tools, shape, vips, write_photo, write_samples)
from presets import LARGE, PRESETS, preset_options, smooth, write, write_large  # noqa: E402

MODULE = os.path.abspath(os.environ["COF_GEGL"])
TIMEOUT = 300
HOME = pathlib.Path(tempfile.mkdtemp(prefix="cof-test-gimp-"))

HELPERS = """
import gi, json, traceback
gi.require_version("Gimp", "3.0")
from gi.repository import Gimp, Gio
QUIET = Gimp.RunMode.NONINTERACTIVE

def load(name):
    return Gimp.file_load(QUIET, Gio.File.new_for_path(name))

def layer_of(image):
    return image.get_layers()[0]

def save(image, name):
    assert Gimp.file_save(QUIET, image, Gio.File.new_for_path(name), None), name
    image.delete()

def update(filter, **values):
    for name, value in values.items():
        filter.get_config().set_property(name.replace("_", "-"), value)
    filter.update()

def new_filter(layer, **values):
    filter = Gimp.DrawableFilter.new(layer, "cof:filter", "cof")
    update(filter, **{"preset": "none", **values})
    return filter

def apply(layer, **values):
    layer.merge_filter(new_filter(layer, **values))

def live(layer, **values):
    layer.append_filter(new_filter(layer, **values))

def filter_of(image):
    return layer_of(image).get_filters()[0]

answers = []
def attempt(step):
    try:
        exec(step, globals())
        answers.append("")
    except Exception:
        answers.append(traceback.format_exc())
"""


def find_gimp():
    """The console of an installed GIMP 3, whatever its name."""
    for folder in os.get_exec_path():
        for path in sorted(pathlib.Path(folder).glob("gimp-console*")):
            done = subprocess.run([path, "--version"], capture_output=True, text=True)
            if "version 3." in done.stdout:
                return str(path)
    return None


GIMP = find_gimp()


def setUpModule():
    unittest.addModuleCleanup(shutil.rmtree, HOME)
    check_tools()
    (HOME / "data" / "gegl-0.4" / "plug-ins").mkdir(parents=True)
    (HOME / "data" / "gegl-0.4" / "plug-ins" / "cof-filter.so").symlink_to(MODULE)


def run_batch(interpreter, command, folder):
    environment = {**ENVIRONMENT, "HOME": str(HOME), "XDG_CONFIG_HOME": str(HOME / "config"),
                   "XDG_CACHE_HOME": str(HOME / "cache"), "XDG_DATA_HOME": str(HOME / "data"),
                   "GIMP3_DIRECTORY": str(HOME / "gimp"), "GEGL_USE_OPENCL": "no",
                   "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("GEGL_PATH", None)
    line = [GIMP, "--no-interface", "--no-data", "--no-fonts", "--quit", "--batch-interpreter",
            interpreter, "--batch", command]
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True,
                          errors="replace", timeout=TIMEOUT)


def run_python(steps, folder):
    """Runs all steps in one GIMP; returns "" or a traceback for each, and what GIMP prints."""
    (folder / "all.py").write_text(
        HELPERS + "".join(f"attempt({step!r})\n" for step in steps) +
        'open("answers.json", "w").write(json.dumps(answers))\n')
    done = run_batch("python-fu-eval", 'exec(open("all.py").read())', folder)
    path = folder / "answers.json"
    if not path.exists():
        raise RuntimeError(f"{done.returncode}: {done.stdout} {done.stderr}")
    return json.loads(path.read_text()), done.stdout + done.stderr


def documented(pattern):
    page = (TESTS.parent / "docs" / "hosts.md").read_text()
    return textwrap.dedent(re.search(pattern, page, re.M | re.S)[1])


def forget_transparent(path):
    """GIMP writes no colour where alpha is 0."""
    alpha, black, seen = (path.with_name(name) for name in ("alpha.v", "black.v", "seen.png"))
    vips("extract_band", path, alpha, 3)
    vips("black", black, WIDTH, HEIGHT, "--bands", 4)
    vips("ifthenelse", alpha, path, black, seen)
    seen.rename(path)


class GimpTest(FolderTest):
    def gimp(self, *steps):
        """Runs steps that must succeed; returns what GIMP prints."""
        answers, printed = run_python(steps, self.folder)
        if any(answers):
            self.fail("".join(answers))
        return printed

    def assert_same(self, made, wanted, code="B"):
        with self.subTest(made=made, wanted=wanted):
            self.assertEqual(shape(self.folder / made), shape(self.folder / wanted))
            self.assertEqual(samples(self.folder / made, code), samples(self.folder / wanted, code))


class TheSame(GimpTest):
    # Name, properties of the operation, the same for the command.
    ROWS = [
        ("photo.png", "window=9", "--window 9"),
        ("photo.png", "variant='authors', iterations=2", "--variant authors --iterations 2"),
        ("photo.png", "colours=8, softness=0.0, seed=5", "--colours 8 --softness 0 --seed 5"),
        ("photo.png", "method='fast', filter_window=31, accuracy=50.0",
         "--method fast --filter-window 31 --accuracy 50"),
        ("photo.png", "iterations=2, fidelity=1, strength=0.5, detail=0.25",
         "--iterations 2 --fidelity 1 --strength 0.5 --detail 0.25"),
        ("grey.png", "levels=32", "--levels 32"),
        ("rgba.png", "window=7", "--window 7"),
        ("grey-alpha.png", "window=7", "--window 7"),
        ("deep.png", "window=7", "--window 7"),
        ("deep-grey.png", "levels=64", "--levels 64"),
        ("photo.png", "preset='subtle', colours=9", "--preset subtle --colours 9"),
        ("photo.png", "preset='cartoon'", "--preset cartoon"),
        ("photo.png", "preset='texture', method='exact'", "--preset texture --method exact"),
        ("grey.png", "preset='texture'", "--preset texture"),
        ("rgba.png", "preset='texture'", "--preset texture"),
        ("deep.png", "preset='texture'", "--preset texture"),
        ("photo.png", "model='m.cof'", None),
    ]

    def test_as_the_command(self):
        vips("crop", PHOTOS / "coffee.png", self.folder / "photo.png", 200, 100, 120, 90)
        vips("crop", PHOTOS / "camera.png", self.folder / "grey.png", 200, 100, 120, 90)
        write_samples(self.folder / "rgba.png", 4, "B", "srgb")
        write_samples(self.folder / "grey-alpha.png", 2, "B", "b-w")
        write_samples(self.folder / "deep.png", 3, "H", "rgb16")
        write_samples(self.folder / "deep-grey.png", 1, "H", "grey16")
        self.cof("learn", "--window", 9, PHOTOS / "chelsea.png", "-o", "m.cof")
        self.gimp(*(f"image = load({name!r}); apply(layer_of(image), {properties}); "
                    f"save(image, 'gimp{i}.png')"
                    for i, (name, properties, _) in enumerate(self.ROWS)))
        for i, (name, _, of_command) in enumerate(self.ROWS):
            line = ["apply", "m.cof"] if of_command is None else of_command.split()
            self.cof(*line, name, f"command{i}.png")
            if name == "rgba.png":
                forget_transparent(self.folder / f"command{i}.png")
            self.assert_same(f"gimp{i}.png", f"command{i}.png",
                             "H" if name.startswith("deep") else "B")

    def test_script_fu(self):
        write_photo(self.folder / "photo.png")
        self.cof("learn", "--window", 9, PHOTOS / "chelsea.png", "-o", "m.cof")
        as_documented = documented(r"^```scheme\n(.*?)^```$")
        with_model = as_documented.replace('"texture"', '"none" "model" "m.cof"').replace("smooth", "model")
        done = run_batch("plug-in-script-fu-eval", f"(begin {as_documented} {with_model})", self.folder)
        for name, line in (("smooth.png", ["--preset", "texture"]), ("model.png", ["apply", "m.cof"])):
            self.assertTrue((self.folder / name).exists(), done)
            self.cof(*line, "--strength", 0.8, "photo.png", "command.png")
            self.assert_same(name, "command.png")


class Live(GimpTest):
    """Filters that GIMP keeps with the layer."""

    def test_one_session(self):
        write_photo(self.folder / "photo.png")
        write_large(self.folder / "large.png")
        self.cof("learn", "--window", 9, PHOTOS / "chelsea.png", "-o", "m.cof")
        # The values that the dialog shows for a preset, as GIMP stores them, and one that was moved.
        options = preset_options("texture", (WIDTH, HEIGHT))
        shown = {"preset": "texture", "all_options": True, "shown": f"1 {WIDTH} {HEIGHT}",
                 **{name: options[name] for name in ("window", "colours", "levels", "palettes", "downscale",
                                                     "sigma", "softness", "separation", "iterations",
                                                     "filter_downscale", "refine")}}
        self.gimp(
            "image = load('photo.png'); live(layer_of(image), preset='texture', strength=0.5); "
            "save(image, 'live.xcf')",
            "save(load('live.xcf'), 'live.png')",
            "image = load('photo.png'); layer = layer_of(image)\n" +
            documented(r"In Python, a live filter:\n\n(.*?)\n\n") +
            "\nsave(image, 'documented.png')",
            "image = load('live.xcf'); made = filter_of(image); "
            "assert made.get_operation_name() == 'cof:filter' and made.get_visible(); "
            "assert made.get_config().get_property('preset') == 'texture'; "
            "update(made, preset='none', strength=1.0, window=5); save(image, 'changed.png')",
            "image = load('live.xcf'); update(filter_of(image), model='m.cof', preset='none', "
            "strength=1.0); save(image, 'model.xcf'); save(load('model.xcf'), 'model.png')",
            "image = load('live.xcf'); layer_of(image).merge_filters(); save(image, 'merged.png')",
            "image = load('live.xcf'); filter_of(image).set_visible(False); save(image, 'off.png')",
            f"image = load('photo.png'); live(layer_of(image), **{shown!r}); "
            "save(image, 'shown.xcf'); save(load('shown.xcf'), 'shown.png')",
            "image = load('shown.xcf'); update(filter_of(image), preset='flat'); "
            "save(image, 'flat.png')",
            "image = load('shown.xcf'); update(filter_of(image), colours=32); "
            "save(image, 'colours.png')",
            f"image = load('large.png'); live(layer_of(image), **{shown!r}); save(image, 'larger.png')")
        for name, line in (("documented", "--preset texture"), ("live", "--preset texture --strength 0.5"), ("changed", "--window 5"),
                           ("merged", "--preset texture --strength 0.5"), ("model", "apply m.cof"),
                           ("shown", "--preset texture"), ("flat", "--preset flat"),
                           ("colours", "--preset texture --colours 32")):
            self.cof(*line.split(), "photo.png", "command.png")
            self.assert_same(f"{name}.png", "command.png")
        self.assert_same("off.png", "photo.png")
        self.cof("--preset", "texture", "large.png", "command.png")
        self.assert_same("larger.png", "command.png")


class Manners(GimpTest):
    def test_one_session(self):
        """Cases that can share one GIMP."""
        write_photo(self.folder / "in.png")
        self.gimp(
            "image = load('in.png'); "
            "image.select_rectangle(Gimp.ChannelOps.REPLACE, 10, 5, 20, 15); "
            "apply(layer_of(image)); Gimp.Selection.none(image); save(image, 'part.png')",
            "image = load('in.png'); image.convert_precision(Gimp.Precision.FLOAT_LINEAR); "
            "apply(layer_of(image)); image.convert_precision(Gimp.Precision.U8_NON_LINEAR); "
            "save(image, 'linear.png')",
            "image = load('in.png'); layer = layer_of(image); layer.set_offsets(-7, 9); apply(layer); "
            "layer.set_offsets(0, 0); save(image, 'moved.png')",
            # One step, which can be undone.
            "image = load('in.png'); image.clean_all(); apply(layer_of(image)); "
            "assert image.is_dirty(); image.delete()")
        self.cof("in.png", "filtered.png")
        self.assert_same("moved.png", "filtered.png")
        apart = zip(samples(self.folder / "linear.png"), samples(self.folder / "filtered.png"))
        self.assertLessEqual(max(abs(a - b) for a, b in apart), 1)
        # What is selected is the input.
        vips("crop", self.folder / "in.png", self.folder / "selected.png", 10, 5, 20, 15)
        self.cof("selected.png", "filtered.png")
        vips("insert", self.folder / "in.png", self.folder / "filtered.png", self.folder / "wanted.png",
             10, 5)
        self.assert_same("part.png", "wanted.png")

    def test_rejected_input(self):
        """The image is unchanged, and GIMP says why and keeps running."""
        write_photo(self.folder / "in.png")
        write_samples(self.folder / "grey.png", 1, "B", "b-w")
        (self.folder / "text.cof").write_text("no model")
        self.cof("learn", "grey.png", "-o", "grey.cof")
        rows = [("model='nowhere.cof'", "nowhere.cof: No such file"),
                ("model='text.cof'", "text.cof: not a .cof file"),
                ("model='grey.cof'", "grey.cof: the image is not of the kind"),
                ("sigma=0.0001", "sigma must be 0 or")]
        printed = self.gimp(*(f"image = load('in.png'); apply(layer_of(image), {properties}); "
                              f"save(image, 'out{i}.png')" for i, (properties, _) in enumerate(rows)))
        for i, (_, words) in enumerate(rows):
            self.assertIn(words, printed)
            self.assert_same(f"out{i}.png", "in.png")


if __name__ == "__main__":
    if not GIMP:
        print("skipped: there is no GIMP 3")
        sys.exit(77)
    unittest.main()
