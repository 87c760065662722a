#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The browser studio, used as a person would, in Chromium (studio_case.py)."""
import pathlib
import re
import shutil
import subprocess
import unittest
import zipfile

import numpy
from PIL import Image

from studio_case import (COF, COMMAND_TIMEOUT_S, NO_SIMD, StudioTest, address, can_run_python,
                         folder, made, photo, pixels, png, run_command, run_python, start_server,
                         stop_server)
from studio_page import CONTROL, ROOT, SHIFT


def setUpModule():
    start_server()


def tearDownModule():
    stop_server()


class Opening(StudioTest):
    def test_file_input(self):
        path = made("small.png", photo("coffee.png", (300, 200)))
        self.open(path)
        self.assertEqual(self.page.text("#file-name"), "small.png, 300 × 200")
        self.assertFalse(self.page.ask("return document.getElementById('divider').hidden"))

    def test_drop(self):
        self.page.drop("dropped.png", png(photo("chelsea.png", (200, 150))))
        self.wait_for("dropped.png")
        self.assertTrue(self.page.ask("return document.getElementById('drop').hidden"))

    def test_paste(self):
        self.page.paste("image.png", png(photo("chelsea.png", (200, 150))))
        self.wait_for("image.png")

    def test_built_in_images(self):
        for name in ("coffee", "cat", "tissue", "portrait"):
            self.page.go(address("?" + name))
            self.page.click(f"[data-image={name}]")
            self.wait_for(f"{name}.jpg")
            self.assertIn(f"image={name}", self.page.ask("return location.hash"))

    def test_exif_orientation(self):
        exif = Image.Exif()
        exif[0x0112] = 6  # turned by 90 degrees
        self.open(made("turned.jpg", photo("coffee.png", (300, 200)), exif=exif))
        self.assertEqual(self.page.text("#file-name"), "turned.jpg, 200 × 300")

    def test_formats(self):
        for suffix in ("jpg", "webp", "png"):
            self.open(made(f"format.{suffix}", photo("coffee.png", (120, 90)).convert("RGB")))


class Settings(StudioTest):
    window, tolerance = {"script": NO_SIMD}, 0

    def setUp(self):
        super().setUp()
        self.path = made("photo.png", photo("coffee.png", (300, 220)))
        self.open(self.path)

    def value(self, option):
        return float(self.page.ask("return document.querySelector(arguments[0]).value",
                                   f"[data-option={option}]"))

    def test_preset_slider_undo_export(self):
        self.page.preset("subtle")
        self.assertEqual(self.value("iterations"), 2)
        self.page.drag_slider("iterations", 0.3)
        chosen = self.value("iterations")
        self.assertGreater(chosen, 2)
        self.assertIn(f"iterations={chosen:g}", self.page.ask("return location.hash"))
        self.page.drag_slider("strength", 0.5)
        self.assertLess(self.value("strength"), 1)
        self.page.keys(CONTROL, "z")
        self.page.settle()
        self.assertEqual(self.value("strength"), 1)
        self.page.keys(CONTROL, SHIFT, "z")
        self.page.settle()
        self.assertLess(self.value("strength"), 1)
        self.page.click("#undo")
        self.page.settle()
        self.assertIn(f"--iterations {chosen:g}", self.page.text("#command"))
        ours = self.assert_same_as_command(self.path, "photo-cof.png")
        self.assertGreater(abs(ours - pixels(self.path)[..., :3]).mean(), 1)

    def test_each_preset_as_the_command(self):
        for name in ("none", "subtle", "portrait", "texture", "cartoon", "flat", "drawing"):
            with self.subTest(preset=name):
                self.page.tab("adjust")
                self.page.preset(name)
                self.assert_same_as_command(self.path, "photo-cof.png")

    def test_size(self):
        """It stays when another preset is chosen, and is that of the command."""
        self.page.type_value("size", "0.5")
        self.page.preset("texture")
        self.assertEqual(self.value("size"), 0.5)
        self.assertEqual(self.page.text("#command"),
                         "cof --preset texture --size 0.5 photo.png photo-cof.png")
        self.assert_same_as_command(self.path, "photo-cof.png")
        self.page.tab("adjust")
        self.page.preset("none")
        self.assertEqual(self.page.text("#command"), "cof photo.png photo-cof.png")
        self.assertTrue(self.page.ask("return document.querySelector('[data-option=size]')"
                                      ".offsetParent === null"))

    def test_typed_values(self):
        self.page.type_value("window", "31")
        self.assertIn("--window 31", self.page.text("#command"))
        self.page.type_value("window", "30")
        self.assertIn("odd", self.page.text(".option:has([data-option=window]) .wrong-text"))
        self.assertIn("--window 31", self.page.text("#command"))
        self.page.click(".option:has([data-option=window]) .undo-one")
        self.page.settle()
        self.assertNotIn("--window", self.page.text("#command"))

    def test_every_option_has_a_field(self):
        shown = set(self.page.ask("return [...document.querySelectorAll('[data-option]')]"
                                  ".map((field) => field.dataset.option)"))
        table = (ROOT / "src/options/options.def").read_text()
        names = set(re.findall(r"^OPTION_\w+\((\w+),", table, re.M)) - {"preset", "threads"}
        self.assertEqual(names - shown, set())

    def test_other_options_as_the_command(self):
        self.page.preset("none")
        self.page.click("#more summary")
        self.page.type_value("separation", "0.1")
        self.page.type_value("fidelity", "1")
        self.page.ask("const field = document.querySelector('[data-option=method]');"
                      "field.value = 'fast'; field.dispatchEvent(new Event('change'))")
        self.page.settle()
        line = self.page.text("#command")
        for word in ("--separation 0.1", "--fidelity 1", "--method fast"):
            self.assertIn(word, line)
        self.assert_same_as_command(self.path, "photo-cof.png")

    @unittest.skipUnless(can_run_python(), "needs COF_LIBRARY and scikit-image")
    def test_python_lines(self):
        self.page.preset("subtle")
        place = run_python(self.page.text("#python"), self.path)
        ours, theirs = pixels(self.saved("photo-cof.png")), pixels(place / "photo-cof.png")
        self.assertEqual(abs(ours - theirs).max(), 0)

    def test_copy(self):
        self.page.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite",
                                                               "clipboardSanitizedWrite"])
        self.page.tab("export")
        self.page.click("#copy-command")
        self.page.until("return document.getElementById('copy-command').textContent === 'Copied'")
        copied = self.page.cdp("Runtime.evaluate", awaitPromise=True, userGesture=True,
                               expression="navigator.clipboard.readText()")["result"]["value"]
        self.assertEqual(copied, self.page.text("#command"))

    def test_nothing_comes_from_elsewhere(self):
        names = self.page.ask("return performance.getEntriesByType('resource')"
                              ".map((entry) => entry.name)")
        self.assertGreater(len(names), 20)
        self.assertEqual([name for name in names if not name.startswith((address(), "blob:",
                                                                         "data:"))], [])
        sent = self.page.cdp("Runtime.evaluate", awaitPromise=True, expression=
                             "fetch('https://example.org').then(() => 'sent', () => 'refused')")
        self.assertEqual(sent["result"]["value"], "refused")
        self.assertTrue(any("Content Security Policy" in line for line in self.page.problems()))

    def test_reset(self):
        self.page.preset("flat")
        self.page.type_value("iterations", "3")
        self.page.click("#reset")
        self.page.settle()
        self.assertEqual(self.page.text("#command"), "cof --preset subtle photo.png photo-cof.png")

    def test_shared_address(self):
        self.page.go(address("?shared#image=cat&preset=subtle&iterations=4&strength=0.8"))
        self.wait_for("cat.jpg")
        line = self.page.text("#command")
        self.assertIn("--preset subtle", line)
        self.assertIn("--iterations 4", line)
        self.assertIn("--strength 0.8", line)

    def test_wrong_address(self):
        self.page.go(address("?wrong#image=cat&preset=nothing&window=8&nonsense=1"))
        self.wait_for("cat.jpg")
        text = self.wait_for_message("left out")
        for name in ("preset", "window", "nonsense"):
            self.assertIn(name, text)

    def test_view_keys(self):
        before = self.page.text("#zoom")
        self.page.keys("1")
        self.page.until("return document.getElementById('zoom').textContent === '100 %'")
        self.page.keys("f")
        self.page.until("return document.getElementById('zoom').textContent === arguments[0]",
                        before)
        left, top, width, height = self.page.box("#view")
        self.page.wheel(left + width / 2, top + height / 2, -240)
        self.page.until("return parseInt(document.getElementById('zoom').textContent) >"
                        "arguments[0]", int(before.split()[0]))
        self.page.ask("document.getElementById('divider').focus()")
        self.page.keys("\ue012")
        self.page.until("return Number(document.getElementById('divider')"
                        ".getAttribute('aria-valuenow')) < 50")

    def test_original_while_a_key_is_held(self):
        self.page.ask("document.getElementById('view').focus();"
                      "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
                      "{ key: ' ', bubbles: true }))")
        self.page.until("return document.getElementById('divider').hidden")
        self.page.ask("dispatchEvent(new KeyboardEvent('keyup', { key: ' ' }))")
        self.page.until("return !document.getElementById('divider').hidden")

    def test_grey_image(self):
        path = made("grey.png", photo("camera.png", (256, 200)).convert("L"))
        self.open(path)
        self.assertEqual(self.assert_same_as_command(path, "grey-cof.png").ndim, 2)

    def test_transparent_image(self):
        image = photo("chelsea.png", (160, 120)).convert("RGBA")
        alpha = numpy.full((120, 160), 255, numpy.uint8)
        alpha[:40] = 0
        image.putalpha(Image.fromarray(alpha))
        rgba = numpy.asarray(image).copy()
        rgba[:40, :, :3] = 0  # the browser drops the colour of transparent pixels
        path = made("alpha.png", Image.fromarray(rgba))
        self.open(path)
        self.assert_same_as_command(path, "alpha-cof.png")

    def test_lossy_formats(self):
        for name, suffix, kind in (("jpeg", "jpg", "JPEG"), ("webp", "webp", "WEBP")):
            self.page.tab("export")
            self.page.ask("const field = document.getElementById('format'); field.value ="
                          "arguments[0]; field.dispatchEvent(new Event('change'))", name)
            path = self.saved(f"photo-cof.{suffix}")
            with Image.open(path) as image:
                self.assertEqual(image.format, kind)
        self.page.ask("localStorage.clear()")

    def test_cancel(self):
        large = made("large.png", Image.fromarray(numpy.random.default_rng(0).integers(
            0, 255, (1000, 1000, 3), numpy.uint8)))
        self.open(large)
        self.page.ask("const field = document.querySelector('[data-option=iterations]');"
                      "field.value = 900; field.dispatchEvent(new Event('change'))")
        self.page.until("return !document.getElementById('progress').hidden")
        self.page.click("#cancel")
        self.page.settle(timeout=5)
        self.wait_for_message("Cancelled")
        self.page.type_value("iterations", "1")  # it goes on
        self.assertIn("--iterations 1", self.page.text("#command"))


class Selecting(StudioTest):
    window, tolerance = {"script": NO_SIMD}, 0

    OBJECT = [(0.33, 0.3), (0.25, 0.5), (0.4, 0.75), (0.52, 0.78)]
    BACKGROUND = [(0.9, 0.1), (0.95, 0.8)]

    def setUp(self):
        super().setUp()
        self.path = made("cup.png", photo("coffee.png").resize((300, 200)))
        self.open(self.path)
        self.page.preset("none")
        self.page.tab("select")

    def test_focus_and_undo(self):
        self.paint("keep", self.OBJECT)
        self.paint("smooth", self.BACKGROUND)
        line = self.page.text("#command")
        self.assertIn("cof focus", line)
        self.assertIn("--stroke", line)
        self.assertIn("--background-stroke", line)
        ours = self.assert_same_as_command(self.path, "cup-cof.png")
        change = abs(ours - pixels(self.path)[..., :3]).sum(axis=2)
        self.assertEqual(change[60:140, 80:130].max(), 0)  # on the object
        self.assertGreater(change[:, 250:].mean(), 1)
        self.page.tab("select")
        self.page.click("#undo")
        self.page.click("#undo")
        self.page.settle()
        self.assertNotIn("focus", self.page.text("#command"))

    def choose_effect(self, name):
        self.page.ask("const field = document.getElementById('effect');"
                      "field.value = arguments[0]; field.dispatchEvent(new Event('change'))", name)
        self.page.settle()

    def test_effects_as_the_command(self):
        self.paint("keep", self.OBJECT)
        self.paint("smooth", self.BACKGROUND)
        for name in ("grey", "tint", "transparent", "recolour"):
            with self.subTest(effect=name):
                self.page.tab("select")
                self.choose_effect(name)
                ours = self.assert_same_as_command(self.path, "cup-cof.png")
                self.assertEqual(ours.shape[2], 4 if name == "transparent" else 3)

    def test_preset_behind_an_object(self):
        self.page.tab("adjust")
        self.page.preset("texture")
        self.page.tab("select")
        self.paint("keep", self.OBJECT)
        self.assert_same_as_command(self.path, "cup-cof.png")

    def test_eraser_and_mask(self):
        self.paint("keep", self.OBJECT)
        self.paint("erase", self.OBJECT[2:])
        self.assertIn("--mask cup-mask.png", self.page.text("#command"))
        self.page.tab("export")
        self.page.click("#save-mask")
        mask = self.page.downloaded("cup-mask.png")
        self.assertEqual(set(numpy.unique(pixels(mask))), {0, 255})
        self.assert_same_as_command(self.path, "cup-cof.png", mask)

    def saved_mask(self):
        (pathlib.Path(self.page.downloads.name) / "cup-mask.png").unlink(missing_ok=True)
        self.page.tab("export")
        self.page.click("#save-mask")
        mask = self.page.downloaded("cup-mask.png")
        self.page.tab("select")
        return mask

    def test_later_strokes_correct(self):
        """The fourth stroke changes the selection near it, also after undo, redo and reloading."""
        self.paint("keep", self.OBJECT)
        self.paint("smooth", self.BACKGROUND)
        self.paint("smooth", [(0.06, 0.2), (0.05, 0.6)])
        self.assertNotIn("--mask", self.page.text("#command"))
        first = pixels(self.saved_mask())
        self.paint("keep", [(0.8, 0.5), (0.82, 0.5)])
        self.assertIn("--mask cup-mask.png", self.page.text("#command"))
        self.assertIn("corrected the selection", self.page.text("#line-note"))
        file = self.saved_mask()
        second = pixels(file)
        rows, columns = numpy.nonzero(first != second)
        self.assertEqual((first[100, 243], second[100, 243]), (0, 255))
        self.assertLess(max(abs(rows - 100).max(), abs(columns - 243).max()), 100)
        self.assert_same_as_command(self.path, "cup-cof.png", file)
        self.page.tab("select")
        self.page.click("#undo")
        self.page.settle()
        numpy.testing.assert_array_equal(pixels(self.saved_mask()), first)
        self.page.click("#redo")
        self.page.settle()
        numpy.testing.assert_array_equal(pixels(self.saved_mask()), second)

    def test_clear(self):
        self.paint("keep", self.OBJECT)
        self.page.click("#clear")
        self.page.settle()
        self.assertNotIn("focus", self.page.text("#command"))

    def test_brush_with_keys(self):
        self.page.click("[data-tool=keep]")
        self.page.ask("document.getElementById('view').focus()")
        for key in ("\ue007", "\ue014", "\ue014", "\ue015", "\ue007"):  # Enter, arrows, Enter
            self.page.keys(key)
        self.page.settle()
        self.assertIn("--stroke", self.page.text("#command"))

    def test_rectangle(self):
        self.page.click("#rectangle")
        left, top, width, height = self.image_box()
        self.page.drag([(left + 0.1 * width, top + 0.5 * height), (left + 0.5 * width,
                        top + 0.7 * height), (left + 0.6 * width, top + 0.9 * height)])
        self.page.settle()
        self.assertIn("--region", self.page.text("#command"))
        self.assert_same_as_command(self.path, "cup-cof.png")
        self.page.tab("select")
        self.page.click("#region-remove")
        self.page.settle()
        self.assertNotIn("--region", self.page.text("#command"))

    def test_strokes_in_the_address(self):
        self.paint("keep", self.OBJECT)
        fragment = self.page.ask("return location.hash")
        self.assertIn("strokes=k", fragment)


class Learned(StudioTest):
    window, tolerance = {"script": NO_SIMD}, 0

    def setUp(self):
        super().setUp()
        self.path = made("photo.png", photo("coffee.png", (300, 220)))
        self.open(self.path)

    def test_matrix_weights_convergence(self):
        self.page.tab("learned")
        self.page.settle()
        self.assertIn("128 colours", self.page.text("#learned-text"))
        self.assertEqual(self.page.ask("return document.querySelectorAll("
                                       "'#convergence circle').length"), 2)  # the passes of subtle
        left, top, width, height = self.image_box()
        self.page.move(left + width * 0.7, top + height * 0.5)
        self.page.move(left + width * 0.7 + 2, top + height * 0.5)
        self.page.until("return !document.getElementById('weights').hidden")
        self.assertIn("M(", self.page.text("#matrix-text"))
        bright = self.page.ask("""
            const canvas = document.getElementById('weights');
            const { data } = canvas.getContext('2d').getImageData(canvas.height + 1, 0,
                canvas.height, canvas.height);
            return Math.max(...data.filter((_, i) => i % 4 === 0));""")
        self.assertEqual(bright, 255)

    def test_model_that_changes(self):
        """If each pass learns again, there is nothing to show, but the image is computed."""
        self.page.click("#more summary")
        self.page.ask("const field = document.querySelector('[data-option=update]');"
                      "field.value = 'model'; field.dispatchEvent(new Event('change'))")
        self.page.settle()
        self.page.tab("learned")
        self.page.settle()
        self.assertIn("cannot be inspected", self.page.text("#learned-text"))
        self.assertFalse(self.page.ask("return document.getElementById('divider').hidden"))

    def test_label_map(self):
        self.page.preset("none")
        self.page.tab("learned")
        self.page.settle()
        self.page.click("#show-labels")
        self.page.settle()
        colours = self.page.ask("""
            const view = document.getElementById('view'), seen = new Set();
            const left = view.width * 3 / 5, { data } = view.getContext('2d').getImageData(left,
                view.height / 3, 200, 100);
            for (let i = 0; i < data.length; i += 4)
                seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
            return seen.size;""")
        self.assertLessEqual(colours, 2000)

    def test_model_saved_and_opened(self):
        self.page.tab("export")
        self.page.click("#save-model")
        model = self.page.downloaded("photo-model.cof")
        done = subprocess.run([COF, "info", "--json", model], check=True, capture_output=True,
                              timeout=COMMAND_TIMEOUT_S, text=True)
        self.assertIn("96", done.stdout)
        kept = shutil.copy(model, pathlib.Path(folder.name) / "photo-model.cof")
        other = made("other.png", photo("chelsea.png", (200, 150)))
        self.page.choose_files(kept)
        self.page.until("return !document.getElementById('model-chip').hidden")
        self.open(other)
        self.assertIn("cof apply", self.page.text("#command"))
        self.assert_same_as_command(other, "other-cof.png", kept)
        self.page.tab("learned")
        self.page.settle()
        self.page.tab("adjust")
        self.page.click("#model-remove")
        self.page.settle()
        self.assertNotIn("apply", self.page.text("#command"))

    def test_batch(self):
        paths = [made(f"batch-{i}.png", photo("coffee.png", (100 + i, 80))) for i in range(3)]
        broken = pathlib.Path(folder.name) / "batch-broken.png"
        broken.write_bytes(b"\x89PNG\r\n\x1a\nnothing")
        self.page.choose_files(*paths, broken)
        self.wait_for("batch-0.png")
        self.page.tab("export")
        self.page.click("#save-zip")
        with zipfile.ZipFile(self.page.downloaded("cof.zip")) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.namelist(), [f"batch-{i}-cof.png" for i in range(3)])
            place = run_command("cof --preset subtle batch-1.png out.png", paths[1])
            with archive.open("batch-1-cof.png") as file:
                self.assertEqual(abs(pixels(file) - pixels(place / "out.png")).max(), 0)
        self.wait_for_message("batch-broken.png")


if __name__ == "__main__":
    unittest.main(verbosity=2)
