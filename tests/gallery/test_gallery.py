#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The gallery: figures are made, the page is whole, and it works in a browser.

Needs COF and COF_LIBRARY, or a build, and Chromium with its driver. The page in docs/gallery is
checked where it is.
"""
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "gallery"), str(pathlib.Path(__file__).resolve().parent)]

from PIL import Image  # noqa: E402 (found by the lines above)

import browser  # noqa: E402

BUILT = ROOT / "docs/gallery"
CHEAP = "edge_strength,quantisation,small_print"
MAX_BYTES = 15_000_000
VOID = {"meta", "link", "img", "input", "br", "hr"}
made = tempfile.TemporaryDirectory()


def setUpModule():
    run_make(made.name)


def tearDownModule():
    made.cleanup()


def run_make(output, *arguments, **environment):
    return subprocess.run([sys.executable, "-B", ROOT / "gallery/make.py", output, "--only", CHEAP,
                           *arguments], env={**os.environ, **environment}, timeout=120,
                          check=not environment, capture_output=True, text=True)


class Page(html.parser.HTMLParser):
    """Checks that tags are closed in order, and collects figures, images and links."""

    def __init__(self, path):
        super().__init__()
        self.open_tags, self.images, self.resources, self.links, self.ids = [], [], [], [], []
        self.figures, self.sliders, self.choices, self.problems = [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        if self.open_tags:
            self.problems.append(f"never closed: {self.open_tags}")

    def handle_starttag(self, tag, pairs):
        given = dict(pairs)
        if tag not in VOID:
            self.open_tags.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "article":
            self.figures.append({"id": given.get("id"), "text": "", "code": "", "images": 0,
                                 "presets": given.get("data-presets", "")})
        if tag == "pre":
            self.figures[-1]["code"] += "\n"
        if tag == "img":
            self.images.append(given)
            self.figures[-1]["images"] += 1
        if tag == "input":
            (self.sliders if given["type"] == "range" else self.choices).append(given)
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif "src" in given or "href" in given:
            self.resources.append(given.get("src") or given.get("href"))

    def handle_endtag(self, tag):
        if not self.open_tags or self.open_tags.pop() != tag:
            self.problems.append(f"</{tag}> in line {self.getpos()[0]} closes something else")

    def handle_data(self, text):
        if "article" in self.open_tags:
            kind = "code" if "pre" in self.open_tags else "text" if "p" in self.open_tags else None
            if kind:
                self.figures[-1][kind] += text


class PageChecks:
    """What holds for each page, whichever figures it has."""
    folder = None

    def setUp(self):
        self.page = Page(self.folder / "index.html")

    def test_tags_are_closed_in_order(self):
        self.assertEqual(self.page.problems, [])

    def test_all_files_exist_and_nothing_comes_from_outside(self):
        for name in self.page.resources:
            if name == "data:,":  # no icon, said in a way that asks for no file
                continue
            self.assertNotRegex(name, r"^(\w+:|//|/)")
            self.assertTrue((self.folder / name).is_file(), name)
        text = (self.folder / "index.html").read_text(encoding="utf-8")
        self.assertIsNone(re.search(r"@import|url\(\s*['\"]?(https?:)?//|\bfetch\(", text))

    def test_links_lead_somewhere(self):
        for link in self.page.links:
            if link.startswith("#"):
                self.assertIn(link[1:], self.page.ids)
            elif not link.startswith("https://arxiv.org/"):
                self.assertTrue((self.folder / link).is_file(), link)
        self.assertEqual(len(self.page.ids), len(set(self.page.ids)))

    def test_no_file_is_left_over(self):
        files = {file.name for file in self.folder.iterdir()}
        self.assertEqual(files, {image["src"] for image in self.page.images} | {"index.html"})

    def test_every_figure_has_words_images_and_what_made_it(self):
        self.assertTrue(self.page.figures)
        for figure in self.page.figures:
            with self.subTest(figure["id"]):
                self.assertGreater(len(figure["text"]), 60)
                self.assertRegex(figure["code"], r"\bcof\b")
                self.assertGreaterEqual(figure["images"], 2)

    def test_no_two_figures_share_an_image(self):
        names = [image["src"] for image in self.page.images]
        self.assertEqual(len(names), len(set(names)))

    def test_every_image_is_described_and_sized(self):
        for image in self.page.images:
            with self.subTest(image["src"]):
                self.assertGreater(len(image["alt"]), 12)
                if not image["src"].endswith(".svg"):
                    self.assertLessEqual(int(image["width"]), 720)
                self.assertGreater(int(image["height"]), 0)
                self.assertEqual(image["loading"], "lazy")

    def test_sliders_are_named(self):
        for slider in self.page.sliders:
            self.assertGreater(len(slider["aria-label"]), 20)

    def test_the_page_opens_with_an_image_and_all_presets_for_images(self):
        self.assertEqual(self.page.figures[0]["id"], "front")
        results = [image["data-choice"] for image in self.page.images if "data-choice" in image]
        self.assertEqual(results, ["subtle", "texture", "cartoon", "flat"])
        self.assertEqual([choice["value"] for choice in self.page.choices], results)
        self.assertEqual([choice["type"] for choice in self.page.choices], ["radio"] * 4)

    def test_no_path_of_a_machine_is_told(self):
        text = (self.folder / "index.html").read_text(encoding="utf-8")
        self.assertNotRegex(text, r"/(home|root|tmp|work|build)/")

    def test_it_is_small(self):
        self.assertLess(sum(file.stat().st_size for file in self.folder.iterdir()), MAX_BYTES)


class MadeNow(PageChecks, unittest.TestCase):
    folder = pathlib.Path(made.name)

    def test_the_same_bytes_again(self):
        with tempfile.TemporaryDirectory() as again:
            run_make(again)
            for file in self.folder.iterdir():
                self.assertEqual(file.read_bytes(), (pathlib.Path(again) / file.name).read_bytes(),
                                 file.name)

    def test_one_new_figure_in_a_page(self):
        with tempfile.TemporaryDirectory() as again:
            run_make(again)
            index, image = (pathlib.Path(again) / name for name in ("index.html", "print-once.png"))
            before = index.read_text(encoding="utf-8")
            image.unlink()
            index.write_text(before.replace("Letters consist of edges", "Old words"))
            run_make(again, "--only", "small_print")
            self.assertTrue(image.is_file())
            self.assertEqual(index.read_text(encoding="utf-8"), before)
            self.assertEqual(sorted(file.name for file in pathlib.Path(again).iterdir()),
                             sorted(file.name for file in self.folder.iterdir()))

    def test_a_figure_that_the_page_does_not_have(self):
        with tempfile.TemporaryDirectory() as again:
            run_make(again)
            done = run_make(again, "--only", "faces", LC_ALL="C")
        self.assertEqual(done.returncode, 1)
        self.assertIn("gallery: the page does not have the figure faces", done.stderr)

    def test_a_figure_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as empty:
            done = run_make(empty, "--only", "nothing", LC_ALL="C")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no figure nothing", done.stderr)

    def test_a_command_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as empty:
            done = run_make(empty, COF="/nowhere/cof")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^gallery: the command cof is missing: /nowhere/cof")


class MadeBefore(PageChecks, unittest.TestCase):
    folder = BUILT

    def test_all_figures_are_there(self):
        import make
        wanted = sum(len(functions) for _, _, _, functions in make.SECTIONS)
        self.assertEqual(len(self.page.figures), 1 + wanted)

    def test_photographs_come_first_and_theory_last(self):
        import make
        keys = [key for key, _, _, _ in make.SECTIONS]
        self.assertEqual((keys[0], keys[-1]), ("presets", "paper"))


class Recipes(unittest.TestCase):
    """Stored pictures were made with today's values of the presets."""

    def test_the_gallery(self):
        import recipes
        figures = [figure for figure in Page(BUILT / "index.html").figures
                   if "--preset" in figure["code"]]
        self.assertGreater(len(figures), 10)
        for figure in figures[1:]:  # the first shows the command for one preset of four
            with self.subTest(figure["id"]):
                self.assertEqual(figure["presets"],
                                 recipes.of_presets(recipes.named_presets(figure["code"])))
        self.assertEqual(figures[0]["id"], "front")
        self.assertEqual(figures[0]["presets"],
                         recipes.of_presets(["subtle", "texture", "cartoon", "flat"]))

    def test_the_picture_of_the_studio(self):
        import recipes
        with Image.open(ROOT / "docs/pictures/studio.jpg") as picture:
            self.assertEqual(picture.info["comment"].decode(), recipes.of_presets(["texture"]))

    def test_presets_that_commands_name(self):
        import recipes
        commands = ("for preset in flat video; do\n    cof --preset $preset in.png out.png\ndone\n"
                    "cof --preset texture in.png subtle.png")
        self.assertEqual(recipes.named_presets(commands), {"flat", "video", "texture"})


class Commands(unittest.TestCase):
    def work(self):
        import commands
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return commands.WorkFolder(folder.name), commands.Failed

    def test_what_is_kept_is_what_was_run(self):
        work, _ = self.work()
        work.shell("for i in 1 2; do\n    echo $i >> out\ndone")
        self.assertEqual((work.folder / "out").read_text(), "1\n2\n")
        self.assertEqual(work.steps, [("sh", "for i in 1 2; do\n    echo $i >> out\ndone")])

    def test_a_command_that_fails_stops_the_figure(self):
        work, failed = self.work()
        for text in ("cof nothing.png out.png\ntrue", "false\ntrue"):
            with self.assertRaises(failed):
                work.shell(text)
        with self.assertRaises(failed):
            work.python("import nothing_of_that_name")
        self.assertEqual(work.steps, [])


class InBrowser(unittest.TestCase):
    page = (BUILT if (BUILT / "index.html").is_file() else pathlib.Path(made.name)) / "index.html"

    def check_loaded(self, window):
        """All images, even those far below, and nothing on the console."""
        broken = window.ask("""for (const image of document.images) image.loading = "eager";
            return Promise.all([...document.images].map(image => image.decode().then(
                () => null, () => image.src))).then(all => all.filter(Boolean));""")
        self.assertEqual(broken, [])
        self.assertEqual(window.problems(), [])

    def check_width(self, window):
        wide, seen = window.ask("const page = document.documentElement;"
                                "return [page.scrollWidth, page.clientWidth]")
        self.assertLessEqual(wide, seen)

    def cut(self, window):
        """Where the cut of the first slider is, as the browser draws it."""
        return window.ask('const after = document.querySelector(".slider .after");'
                          'return getComputedStyle(after).clipPath')

    def check_slider(self, window):
        slider = window.find(".slider input")
        self.assertEqual(self.cut(window), "inset(0px 0px 0px 50%)")
        window.press(slider, browser.ARROW_RIGHT * 3)
        self.assertEqual(self.cut(window), "inset(0px 0px 0px 53%)")
        window.press(slider, browser.ARROW_LEFT * 2)
        self.assertEqual(self.cut(window), "inset(0px 0px 0px 51%)")
        window.press(slider, browser.HOME)
        self.assertEqual(self.cut(window), "inset(0px 0px 0px 0%)")
        self.assertEqual(window.ask("return document.activeElement.type"), "range")
        self.assertRegex(window.ask("return document.activeElement.ariaValueText"), "^0 % ")
        window.touch(slider, 60)
        width = window.ask('return document.querySelector(".slider input").clientWidth')
        percent = float(re.search(r"([0-9.]+)%", self.cut(window)).group(1))
        self.assertAlmostEqual(percent, 50 + 100 * 60 / width, delta=4)  # the thumb has a width

    def check_first_screen(self, window, height):
        """The image and the presets are seen without scrolling."""
        bottoms = window.ask("""return [".slider", ".choices"].map(
            name => document.querySelector(name).getBoundingClientRect().bottom)""")
        self.assertLessEqual(max(bottoms), height)

    def check_choice(self, window):
        """A preset that is chosen by a key shows its image, and only that."""
        window.press(window.find(".choices input[value=texture]"), browser.ARROW_RIGHT)
        seen = window.ask("""return [...document.querySelectorAll("[data-choice]")].filter(
            image => getComputedStyle(image).visibility === "visible").map(
            image => image.dataset.choice)""")
        self.assertEqual(seen, ["cartoon"])
        self.assertIn("cof --preset cartoon", window.ask(
            'return document.querySelector(".front code").textContent'))

    def check(self, width, height):
        """A browser that crashes is started once more; a page that crashes it twice fails."""
        try:
            self.check_once(width, height)
        except browser.BrowserDied as error:
            print(f"the browser failed: {error}", file=sys.stderr)
            self.check_once(width, height)

    def check_once(self, width, height):
        with browser.Browser(width, height) as window:
            window.open(self.page)
            self.assertEqual(window.ask("return innerWidth"), width)
            self.check_width(window)
            self.check_first_screen(window, height)
            self.check_loaded(window)  # an image that comes later would move what is touched
            self.check_slider(window)
            self.check_choice(window)
            self.check_width(window)
            self.assertEqual(window.problems(), [])

    def test_on_a_telephone(self):
        self.check(390, 844)

    def test_on_a_desk(self):
        self.check(1280, 900)


if __name__ == "__main__":
    unittest.main()
