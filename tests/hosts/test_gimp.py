#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The procedure plug-in-cof, called by Script-Fu in a GIMP 2.10 without windows.

COF_GIMP names the plug-in, COF_GEGL the operation that it calls. GIMP has a home of its own in a
temporary folder. It takes seconds to start, so many calls share one.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "plugins")]
from command import (ENVIRONMENT, FolderTest, HEIGHT, PHOTOS, WIDTH, samples,  # noqa: E402
                     setUpModule as check_tools, shape, vips, write_photo, write_samples)
from presets import LARGE, PRESETS, smooth, write, write_large  # noqa: E402

GIMP = "gimp-console-2.10"
PLUG_IN = os.path.abspath(os.environ["COF_GIMP"])
MODULE = os.path.abspath(os.environ["COF_GEGL"])
TIMEOUT = 120
HOME = pathlib.Path(tempfile.mkdtemp(prefix="cof-test-gimp-"))

# The arguments of the procedure, in order, with their defaults.
DEFAULTS = {"preset": 0, "variant": 0, "window": 15, "colours": 32, "levels": 256,
            "palettes": 1, "low": 0, "high": 0, "sampling": 0, "seed": 0, "downscale": 1,
            "sigma": 0, "softness": 0.75, "normalise": 0, "separation": 0, "filter-window": 0,
            "filter-sigma": 0, "filter-downscale": 0, "iterations": 0, "update": 0, "tolerance": 0,
            "border": 0, "space": 0, "method": 0, "accuracy": 45, "fidelity": 0, "strength": 1,
            "detail": 0, "model": '""'}

HELPERS = """
(define (open name) (car (gimp-file-load RUN-NONINTERACTIVE name name)))
(define (active image) (car (gimp-image-get-active-drawable image)))
(define (save image name)
  (gimp-file-save RUN-NONINTERACTIVE image (active image) name name)
  (gimp-image-delete image))
(define (assert truth) (if (not truth) (error "not so")))
(define (is-dirty image) (= TRUE (car (gimp-image-is-dirty image))))
(define kept 0)
(define answers (open-output-file "answers.txt"))
; A line for each: what went wrong.
(define (try thunk)
  (let ((hook *error-hook*))
    (call-with-current-continuation
      (lambda (leave)
        (set! *error-hook* (lambda words
                             (set! *error-hook* hook)
                             (for-each (lambda (word) (display word answers)) words)
                             (leave #f)))
        (thunk)
        (set! *error-hook* hook)))
    (newline answers)))
"""


def setUpModule():
    unittest.addModuleCleanup(shutil.rmtree, HOME)
    check_tools()
    # GIMP finds a plug-in in a folder of its own name.
    (HOME / "plug-ins" / "cof").mkdir(parents=True)
    (HOME / "plug-ins" / "cof" / "cof").symlink_to(PLUG_IN)
    (HOME / "data" / "gegl-0.4" / "plug-ins").mkdir(parents=True)
    (HOME / "data" / "gegl-0.4" / "plug-ins" / "cof-filter.so").symlink_to(MODULE)
    (HOME / "gimp").mkdir()
    (HOME / "gimp" / "gimprc").write_text(
        f'(plug-in-path "${{gimp_plug_in_dir}}/plug-ins:{HOME}/plug-ins")\n')


def run_gimp(scripts, folder, **variables):
    """Runs all scripts in one GIMP; returns "" or an error message for each."""
    environment = {**ENVIRONMENT, "HOME": str(HOME), "XDG_CONFIG_HOME": str(HOME / "config"),
                   "XDG_CACHE_HOME": str(HOME / "cache"), "XDG_DATA_HOME": str(HOME / "data"),
                   "GIMP2_DIRECTORY": str(HOME / "gimp"), "GEGL_USE_OPENCL": "no", **variables}
    environment.pop("GEGL_PATH", None)
    (folder / "all.scm").write_text(HELPERS + "".join(
        f"(try (lambda () {script}))\n" for script in scripts) + "(close-output-port answers)\n")
    line = [GIMP, "-i", "-d", "-f", "--batch-interpreter", "plug-in-script-fu-eval",
            "-b", f'(load "{folder}/all.scm")', "-b", "(gimp-quit 1)"]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True,
                          errors="replace", timeout=TIMEOUT)
    path = folder / "answers.txt"
    answers = path.read_text().splitlines() if path.exists() else []
    if done.returncode < 0 or len(answers) != len(scripts):
        raise RuntimeError(f"{done.returncode}: {answers} {done.stdout} {done.stderr}")
    return answers


def call(drawable="(active image)", mode="RUN-NONINTERACTIVE", **options):
    values = {**DEFAULTS, **{name.replace("_", "-"): value for name, value in options.items()}}
    return f"(plug-in-cof {mode} image {drawable} {' '.join(map(str, values.values()))})"


def on(name, *steps):
    return f'(let* ((image (open "{name}"))) {" ".join(steps)})'


def forget_transparent(path):
    """GIMP writes no colour where alpha is 0."""
    alpha, black, seen = (path.with_name(name) for name in ("alpha.v", "black.v", "seen.png"))
    vips("extract_band", path, alpha, 3)
    vips("black", black, WIDTH, HEIGHT, "--bands", 4)
    vips("ifthenelse", alpha, path, black, seen)
    seen.rename(path)


class GimpTest(FolderTest):
    def gimp(self, *scripts):
        """Runs scripts that must succeed."""
        self.assertEqual(run_gimp(scripts, self.folder), [""] * len(scripts))

    def assert_same(self, made, wanted, code="B"):
        self.assertEqual(shape(self.folder / made), shape(self.folder / wanted))
        self.assertEqual(samples(self.folder / made, code), samples(self.folder / wanted, code))


class TheSame(GimpTest):
    # Name, options of the procedure, the same for the command.
    ROWS = [
        ("photo.png", {"window": 9}, "--window 9"),
        ("photo.png", {"variant": 2, "iterations": 2}, "--variant authors --iterations 2"),
        ("photo.png", {"colours": 8, "softness": 0, "seed": 5}, "--colours 8 --softness 0 --seed 5"),
        ("photo.png", {"method": 2, "filter_window": 31, "accuracy": 50},
         "--method fast --filter-window 31 --accuracy 50"),
        ("photo.png", {"iterations": 2, "fidelity": 1, "strength": 0.5, "detail": 0.25},
         "--iterations 2 --fidelity 1 --strength 0.5 --detail 0.25"),
        ("photo.png", {"sigma": 1.5, "filter_sigma": 3, "border": 2},
         "--sigma 1.5 --filter-sigma 3 --border mirror"),
        ("grey.png", {"levels": 32}, "--levels 32"),
        ("rgba.png", {"window": 7}, "--window 7"),
        ("grey-alpha.png", {"window": 7}, "--window 7"),
        ("deep.png", {"window": 7}, "--window 7"),
        ("deep-grey.png", {"levels": 64}, "--levels 64"),
        ("photo.png", {"iterations": 3, "update": 3, "space": 2, "normalise": 2},
         "--iterations 3 --update model --space native --normalise marginals"),
        ("photo.png", {"model": '"m.cof"'}, None),
    ]

    def test_as_the_command(self):
        vips("crop", PHOTOS / "coffee.png", self.folder / "photo.png", 200, 100, 120, 90)
        vips("crop", PHOTOS / "camera.png", self.folder / "grey.png", 200, 100, 120, 90)
        write_samples(self.folder / "rgba.png", 4, "B", "srgb")
        write_samples(self.folder / "grey-alpha.png", 2, "B", "b-w")
        write_samples(self.folder / "deep.png", 3, "H", "rgb16")
        write_samples(self.folder / "deep-grey.png", 1, "H", "grey16")
        self.cof("learn", "--window", 9, PHOTOS / "chelsea.png", "-o", "m.cof")
        self.gimp(*(on(name, call(**options), f'(save image "gimp{i}.png")')
                    for i, (name, options, _) in enumerate(self.ROWS)))
        for i, (name, options, of_command) in enumerate(self.ROWS):
            with self.subTest(image=name, options=options):
                line = ["apply", "m.cof"] if of_command is None else of_command.split()
                self.cof(*line, name, "command.png")
                code = "H" if name.startswith("deep") else "B"
                if name == "rgba.png":
                    forget_transparent(self.folder / "command.png")
                self.assert_same(f"gimp{i}.png", "command.png", code)


class Presets(GimpTest):
    # Name, size, code and preset.
    ROWS = [(name, (WIDTH, HEIGHT), code, preset)
            for name, code in (("rgba.png", "B"), ("grey.png", "B"), ("deep.png", "H"))
            for preset in (1, 2)] + [("large.png", LARGE, "B", preset) for preset in (1, 2, 3)]
    # Options that override a preset.
    OTHERS = {"window": 9, "iterations": 2, "softness": 1, "colours": 5}

    def test_as_the_package(self):
        write_samples(self.folder / "rgba.png", 4, "B", "srgb")
        write_samples(self.folder / "grey.png", 1, "B", "b-w")
        write_samples(self.folder / "deep.png", 3, "H", "rgb16")
        write_large(self.folder / "large.png")
        self.gimp(*(on(name, call(preset=preset), f'(save image "gimp{i}.png")')
                    for i, (name, _, _, preset) in enumerate(self.ROWS)),
                  on("large.png", call(preset=2, **self.OTHERS), '(save image "others.png")'))
        for i, (name, size, code, preset) in enumerate(self.ROWS):
            with self.subTest(image=name, preset=preset):
                pixels = samples(self.folder / name, code).tobytes()
                wanted = smooth(pixels, size, PRESETS[preset - 1], code)
                write(self.folder / "wanted.png", wanted, size, code)
                if name == "rgba.png":
                    forget_transparent(self.folder / "wanted.png")
                self.assert_same(f"gimp{i}.png", "wanted.png", code)
        pixels = samples(self.folder / "large.png").tobytes()
        write(self.folder / "wanted.png", smooth(pixels, LARGE, "texture", **self.OTHERS), LARGE)
        self.assert_same("others.png", "wanted.png")


class Manners(GimpTest):
    def test_of_one_session(self):
        """Cases that can share one GIMP."""
        write_photo(self.folder / "in.png")
        last = call(mode="RUN-WITH-LAST-VALS", window=63)
        self.gimp(
            # Nothing was called before: the defaults.
            on("in.png", last, '(save image "defaults.png")'),
            on("in.png", call(window=5), '(save image "small.png")'),
            on("in.png", last, '(save image "again.png")'),
            on("in.png", "(gimp-image-select-rectangle image CHANNEL-OP-REPLACE 10 5 20 15)", call(),
               "(gimp-selection-none image)", '(save image "part.png")'),
            # Nothing of the layer is selected.
            on("in.png", "(gimp-layer-set-offsets (active image) 20 0)",
               "(gimp-image-select-rectangle image CHANNEL-OP-REPLACE 0 0 9 9)",
               "(gimp-image-clean-all image)", call(), "(assert (not (is-dirty image)))"),
            # One step, which can be undone.
            on("in.png", "(gimp-image-clean-all image)", "(assert (not (is-dirty image)))", call(),
               "(assert (is-dirty image))", "(assert (= TRUE (car (gimp-image-undo-is-enabled image))))"),
            # A mask of a layer is a drawable, too.
            on("in.png", "(let* ((layer (active image)) (mask (car (gimp-layer-create-mask layer "
               "ADD-MASK-COPY)))) (gimp-layer-add-mask layer mask)", call("mask"), ")",
               '(gimp-image-remove-layer-mask image (car (gimp-image-get-active-layer image)) '
               'MASK-DISCARD)', '(save image "under-mask.png")'),
            on("in.png", "(gimp-image-convert-precision image PRECISION-FLOAT-LINEAR)", call(),
               "(gimp-image-convert-precision image PRECISION-U8-GAMMA)",
               '(save image "linear.png")'),
            on("in.png", "(gimp-layer-set-offsets (active image) -7 9)", call(),
               "(gimp-layer-set-offsets (active image) 0 0)", '(save image "moved.png")'))
        self.cof("in.png", "filtered.png")
        self.cof("--window", 5, "in.png", "five.png")
        self.assert_same("defaults.png", "filtered.png")
        self.assert_same("small.png", "five.png")
        self.assert_same("again.png", "five.png")
        self.assert_same("moved.png", "filtered.png")
        self.assert_same("under-mask.png", "in.png")
        self.check_selection()
        apart = zip(samples(self.folder / "linear.png"), samples(self.folder / "filtered.png"))
        self.assertLessEqual(max(abs(a - b) for a, b in apart), 1)

    def check_selection(self):
        before, after, part = (samples(self.folder / name)
                               for name in ("in.png", "filtered.png", "part.png"))
        for y in range(HEIGHT):
            for x in range(WIDTH):
                i = 3 * (y * WIDTH + x)
                wanted = after if 10 <= x < 30 and 5 <= y < 20 else before
                self.assertEqual(part[i:i + 3], wanted[i:i + 3], (x, y))

    def test_without_the_operation(self):
        write_photo(self.folder / "in.png")
        answers = run_gimp([on("in.png", call())], self.folder, XDG_DATA_HOME=str(HOME / "nowhere"))
        self.assertIn("cof:filter of GEGL is not installed", answers[0])


class RejectedInput(GimpTest):
    def test_each(self):
        """The reason is reported, the image is unchanged, and GIMP keeps running."""
        write_photo(self.folder / "in.png")
        write_samples(self.folder / "grey.png", 1, "B", "b-w")
        (self.folder / "text.cof").write_text("no model")
        (self.folder / "empty.cof").write_bytes(b"")
        self.cof("learn", "grey.png", "-o", "grey.cof")
        rows = [(call(preset=6), "preset is out of range: 6"), (call(preset=-1), "preset"),
                (call(palettes=9), "palettes is out of range: 9"), (call(palettes=0), "palettes"),
                (call(separation=1.5), "separation"),
                (call(preset='"texture"'), ""),
                (call(window=0), "window is out of range: 0"),
                (call(window=64), "window is out of range: 64"),
                (call(window=-1), "window"), (call(iterations=-1), "iterations"),
                (call(softness=-1), "softness"), (call(softness=99), "softness"),
                (call(colours=257), "colours"), (call(levels=1), "levels"),
                (call(method=4), "method is out of range: 4"), (call(method=-1), "method"),
                (call(accuracy=5), "accuracy"), (call(filter_window=256), "filter-window"),
                (call(filter_sigma=-1), "filter-sigma"), (call(variant=7), "variant"),
                (call(border=9), "border"), (call(seed=-1), "seed"),
                (call(sigma=0.0001), "sigma must be 0 or"),
                (call(model='"nowhere.cof"'), "nowhere.cof: No such file"),
                (call(model='"text.cof"'), "text.cof: not a .cof file"),
                (call(model='"empty.cof"'), "empty.cof: not a .cof file"),
                (call(model='"grey.cof"'), "grey.cof: the image is not of the kind"),
                (call(model='"."'), "directory"),
                (call(model='(make-string 5000 #\\x)'), "too long"),
                (call(mode="RUN-INTERACTIVE"), "GEGL Operation"), (call(mode=7), ""),
                (call(drawable=999), ""), (call(window='"five"'), ""), (call(model=5), ""),
                ("(plug-in-cof RUN-NONINTERACTIVE image (active image))", "number of arguments")]
        own = [("(gimp-image-convert-indexed image CONVERT-DITHER-NONE CONVERT-PALETTE-GENERATE 8 "
                'FALSE FALSE "")' + call(), "indexed"),
               ("(let* ((group (car (gimp-layer-group-new image))))"
                "(gimp-image-insert-layer image group 0 0)" + call("group") + ")", "group"),
               ("(gimp-item-set-lock-content (active image) TRUE)" + call(), "locked"),
               ("(gimp-layer-add-alpha (active image)) (gimp-drawable-edit-clear (active image))" +
                call(), "nothing to learn from")]
        before = ['(set! kept (open "in.png")) (gimp-image-clean-all kept)']
        after = ['(assert (not (is-dirty kept))) (save kept "untouched.png")',
                 on("in.png", call(), '(save image "gimp.png")')]
        answers = run_gimp([*before, *(f"(let* ((image kept)) {step})" for step, _ in rows),
                            *(on("in.png", step) for step, _ in own), *after], self.folder)
        for (step, words), answer in zip([*rows, *own], answers[1:]):
            with self.subTest(step=step):
                self.assertNotEqual(answer, "")
                self.assertIn(words, answer)
        self.assertEqual([answers[0], *answers[-2:]], ["", "", ""])
        self.assert_same("untouched.png", "in.png")
        self.cof("in.png", "command.png")
        self.assert_same("gimp.png", "command.png")


if __name__ == "__main__":
    unittest.main()
