#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The browser studio: bad input, poor browsers, phones, accessibility, speed (studio_case.py)."""
import pathlib
import subprocess
import threading
import unittest
import urllib.request

import numpy
from PIL import Image

import firefox
from studio_case import (COF, COMMAND_TIMEOUT_S, NO_SIMD, STUDIO, StudioTest, address, folder, made,
                         photo, pixels, png, run_command, serve, start_server, stop_server)
from studio_page import PHONE, ROOT, StudioPage

OBJECT = [(0.33, 0.3), (0.25, 0.5), (0.4, 0.75), (0.52, 0.78)]  # a stroke on the cup


def setUpModule():
    start_server()


def tearDownModule():
    stop_server()


# Texts with a contrast below 4.5 to 1 (WCAG AA); disabled controls are exempt.
CONTRAST = """
const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
function ground(one) {
    for (; one; one = one.parentElement) {
        const colour = parse(getComputedStyle(one).backgroundColor);
        if (colour.length === 3 || colour[3] > 0.5)
            return colour;
    }
    return [255, 255, 255];
}
return [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() &&
    !one.disabled && !one.closest(':disabled') && [...one.childNodes].some((node) =>
        node.nodeType === 3 && node.textContent.trim())).map((one) => {
    const a = light(parse(getComputedStyle(one).color)), b = light(ground(one));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? `${one.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}` : null;
}).filter(Boolean);"""


class BadInput(StudioTest):
    def refused(self, name, data, text):
        path = pathlib.Path(folder.name) / name
        path.write_bytes(data)
        self.page.choose_files(path)
        self.assertIn(name, self.wait_for_message(text))
        self.open(made("after.png", photo("coffee.png", (60, 40))))  # it goes on
        self.assertEqual(self.page.messages(), [])

    def test_not_an_image(self):
        self.refused("notes.png", b"These are notes, not an image.\n" * 9, "not an image")

    def test_empty(self):
        self.refused("empty.jpg", b"", "is empty")

    def test_truncated_png(self):
        data = png(photo("coffee.png", (300, 200)))
        path = pathlib.Path(folder.name) / "cut.png"
        path.write_bytes(data[:len(data) // 2])
        self.page.choose_files(path)
        self.wait_for_message("cut off")

    def test_truncated_jpeg(self):
        data = made("whole.jpg", photo("coffee.png", (300, 200)).convert("RGB")).read_bytes()
        path = pathlib.Path(folder.name) / "cut.jpg"
        path.write_bytes(data[:len(data) // 2])
        self.page.choose_files(path)
        self.wait_for_message("cut off")

    def test_one_pixel(self):
        path = made("one.png", Image.new("RGB", (1, 1), (200, 100, 50)))
        self.open(path)
        self.assertEqual(self.page.messages(), [])
        self.assert_same_as_command(path, "one-cof.png")

    def test_very_wide(self):
        values = numpy.random.default_rng(1).integers(0, 255, (10, 30000, 3), numpy.uint8)
        path = made("wide.png", Image.fromarray(values))
        self.open(path)
        self.assertEqual(self.page.messages(), [])
        self.assert_same_as_command(path, "wide-cof.png")

    def test_foreign_model(self):
        self.refused("text.cof", b"This is something else.\n", "not a .cof file")

    def test_damaged_model(self):
        data = bytearray((ROOT / "tests/data/model-v1.cof").read_bytes())
        data[len(data) // 2] ^= 0xff
        self.refused("damaged.cof", bytes(data), "damaged.cof")

    def test_truncated_model(self):
        data = (ROOT / "tests/data/model-v1.cof").read_bytes()
        self.refused("short.cof", data[:len(data) // 2], "short.cof")

    def test_model_of_another_kind(self):
        """A model of grey images does not fit a colour image."""
        place = pathlib.Path(folder.name)
        made("grey-source.png", photo("camera.png", (100, 80)).convert("L"))
        subprocess.run([COF, "learn", "grey-source.png", "-o", "grey.cof"], cwd=place, check=True,
                       timeout=COMMAND_TIMEOUT_S, stderr=subprocess.DEVNULL)
        self.open(made("colour.png", photo("coffee.png", (100, 80))))
        self.page.choose_files(place / "grey.cof")
        self.page.until("return document.querySelectorAll('.message.error').length === 1")
        self.page.click("#model-remove")
        self.page.settle()
        self.assertEqual(self.page.messages(), [])


class Browsers(unittest.TestCase):
    """Browsers that lack something."""

    def test_without_webassembly(self):
        with StudioPage(script="delete globalThis.WebAssembly;") as page:
            page.go(address())
            self.assertIn("no WebAssembly", page.messages()[0])

    def test_without_simd(self):
        with StudioPage(script=NO_SIMD) as page:
            page.go(address())
            self.assertIn("no WebAssembly SIMD", page.messages()[0])
            page.click("[data-image=cat]")
            page.until("return document.getElementById('file-name').textContent")
            page.settle()
            self.assertFalse(page.ask("return document.getElementById('divider').hidden"))

    def test_storage_denied(self):
        denied = {"profile.default_content_setting_values.cookies": 2}
        with StudioPage(preferences=denied) as page:
            page.go(address())
            self.assertIn("storage", page.messages()[0])
            page.click("[data-image=cat]")
            page.until("return document.getElementById('file-name').textContent")
            page.settle()
            self.assertFalse(page.ask("return document.getElementById('divider').hidden"))

    def test_single_page_from_a_file(self):
        path = made("photo.png", photo("coffee.png", (200, 150)))
        with StudioPage() as page:
            page.go((STUDIO / "libcof-studio.html").as_uri())
            page.click("[data-image=cat]")
            page.until("return document.getElementById('file-name').textContent")
            page.settle()
            page.choose_files(path)
            page.until("return document.getElementById('file-name').textContent"
                       ".startsWith('photo.png')")
            page.settle()
            place = run_command(page.text("#command"), path)
            page.click("#save")
            ours = pixels(page.downloaded("photo-cof.png"))
            self.assertLessEqual(abs(ours - pixels(place / "photo-cof.png")).max(), 2)
            self.assertEqual(page.problems(), [])

    def test_offline(self):
        own = serve.server(STUDIO)
        threading.Thread(target=own.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{own.server_address[1]}/"
        with StudioPage() as page:
            page.go(place)
            page.until("return navigator.serviceWorker.controller !== null")
            own.shutdown()
            own.server_close()
            with self.assertRaises(OSError):
                urllib.request.urlopen(place, timeout=5)
            page.go(place)
            page.click("[data-image=cat]")
            page.until("return document.getElementById('file-name').textContent")
            page.settle()
            self.assertFalse(page.ask("return document.getElementById('divider').hidden"))


@unittest.skipUnless(firefox.program(), "needs Firefox")
class InFirefox(unittest.TestCase):
    IDLE = "return document.getElementById('stage').getAttribute('aria-busy') === 'false'"

    def check(self, place):
        with firefox.Firefox() as page:
            page.go(place)
            page.until("return document.body.dataset.state === 'ready'")
            page.ask("document.querySelector('[data-image=cat]').click()")
            page.until("return document.getElementById('file-name').textContent")
            page.until(self.IDLE)
            page.ask("document.getElementById('tab-learned').click()")
            page.until("return document.querySelectorAll('#convergence circle').length === 2")
            page.until(self.IDLE)
            self.assertFalse(page.ask("return document.getElementById('divider').hidden"))
            self.assertEqual(page.ask("return document.querySelectorAll('.message').length"), 0)

    def test_served(self):
        self.check(address())

    def test_from_a_file(self):
        self.check((STUDIO / "libcof-studio.html").as_uri())


class Phone(StudioTest):
    size = PHONE

    def test_paint_with_a_finger(self):
        self.open(made("cup.png", photo("coffee.png").resize((300, 200))))
        self.page.tab("select")
        self.page.until("return !document.getElementById('select').hidden")
        self.paint("keep", OBJECT, "touch")
        self.page.until("return document.getElementById('command').textContent.includes('focus')")
        self.page.settle()

    def test_pinch(self):
        self.open(made("cup.png", photo("coffee.png").resize((300, 200))))
        before = int(self.page.text("#zoom").split()[0])
        left, top, width, height = self.page.box("#view")
        self.page.pinch(left + width / 2, top + height / 3, 60, 180)
        zoom = int(self.page.text("#zoom").split()[0])
        self.assertGreater(zoom, 2 * before)
        self.assertLess(zoom, 4 * before)

    def test_layout(self):
        self.open(made("cup.png", photo("coffee.png").resize((300, 200))))
        for tab in ("adjust", "select", "learned", "export"):
            self.page.tab(tab)
            self.page.until("return !document.getElementById(arguments[0]).hidden", tab)
            self.page.settle()
            wide = self.page.ask("""
                return [...document.querySelectorAll('body *')].filter((one) =>
                    one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
                    .map((one) => one.id || one.className || one.tagName);""")
            self.assertEqual(wide, [], tab)
        self.page.click("#sheet")
        self.page.until("return document.getElementById('panel').classList.contains('closed')")


class Accessible(unittest.TestCase):
    def check(self, **window):
        with StudioPage(**window) as page:
            page.go(address())
            page.click("[data-image=cat]")
            page.until("return document.getElementById('file-name').textContent")
            page.settle()
            page.ask("document.getElementById('more').open = true;"
                     "for (const panel of document.querySelectorAll('[role=tabpanel]'))"
                     "panel.hidden = false;")
            unnamed = page.ask("""
                return [...document.querySelectorAll('button, input, select, [role=slider]')]
                    .filter((one) => !(one.textContent.trim() && one.tagName === 'BUTTON') &&
                        !one.ariaLabel && !one.labels?.[0]?.textContent.trim() &&
                        !one.getAttribute('aria-labelledby')).map((one) => one.outerHTML);""")
            self.assertEqual(unnamed, [])
            self.assertEqual(page.ask(CONTRAST), [])

    def test_names_and_contrast(self):
        self.check()

    def test_names_and_contrast_in_the_dark(self):
        self.check(dark=True)

    def test_focus_is_visible(self):
        with StudioPage() as page:
            page.go(address("#image=cat"))
            page.until("return document.getElementById('file-name').textContent")
            page.settle()
            seen = []
            for _ in range(12):
                page.keys("\ue004")
                seen.append(page.ask("""
                    const one = document.activeElement, shown = one.matches('.presets input')
                        ? one.parentElement : one.id === 'divider' ? one.firstElementChild : one;
                    const style = getComputedStyle(shown);
                    return [one.id || one.name || one.tagName, style.outlineStyle,
                        parseFloat(style.outlineWidth)];"""))
            self.assertEqual([one for one in seen if one[1] == "none" or one[2] < 2], [], seen)


class Speed(StudioTest):
    def test_preview(self):
        """The preview of a 1-megapixel image after a slider has moved, with two workers."""
        image = photo("coffee.png").resize((1200, 800), Image.Resampling.BICUBIC)
        noise = numpy.random.default_rng(2).normal(0, 12, (800, 1200, 3))
        values = numpy.clip(numpy.asarray(image)[..., :3] + noise, 0, 255).astype(numpy.uint8)
        self.open(made("megapixel.png", Image.fromarray(values)))
        self.page.preset("texture")
        times = []
        for share in (0.2, 0.4, 0.3, 0.5, 0.25):
            self.page.ask("performance.clearMeasures()")
            self.page.drag_slider("softness", share)
            times.append(self.page.ask("return performance.getEntriesByName('preview')"
                                       ".map((entry) => entry.duration)"))
        firsts, lasts = [one[0] for one in times], [one[-1] for one in times]
        print(f"preview of 1 megapixel, preset texture: a draft after {min(firsts):.0f} ms, all "
              f"pixels after {min(lasts):.0f} ms; medians {sorted(firsts)[2]:.0f} and "
              f"{sorted(lasts)[2]:.0f} ms")
        self.assertTrue(all(0 < first <= last for first, last in zip(firsts, lasts)))

    def test_24_megapixels(self):
        """A large photograph is previewed, exported in full, and the page stays responsive."""
        image = photo("coffee.png").convert("RGB").resize((6000, 4000), Image.Resampling.BICUBIC)
        path = made("large.jpg", image, quality=90)
        self.page.ask("window.blocked = []; new PerformanceObserver((list) => blocked.push("
                      "...list.getEntries().map((entry) => entry.duration)))"
                      ".observe({ entryTypes: ['longtask'] })")
        self.open(path)
        self.assertEqual(self.page.text("#scale-text"), "Preview at 22 %")
        line = self.page.text("#command")
        ours = pixels(self.saved("large-cof.png"))
        blocked = self.page.ask("return window.blocked")
        print(f"24 megapixels: longest block of the page {max(blocked, default=0):.0f} ms; "
              + self.page.text("#last-run"))
        place = run_command(line, path)
        theirs = pixels(place / "large-cof.png")
        self.assertLessEqual(int(abs(ours - theirs).max()), self.tolerance)


if __name__ == "__main__":
    unittest.main(verbosity=2)
