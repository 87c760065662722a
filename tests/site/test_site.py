#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The documentation as a site: no dead links, nothing from outside, and it works in a browser.

Needs COF_LIBRARY, COF_MANUAL (the manual page of a build), COF_STUDIO (what ./dev studio builds) and
Chromium with its driver.
"""
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "site"), str(ROOT / "tests/gallery"), str(ROOT / "python")]

import browser  # noqa: E402 (found by the line above)

STUDIO = pathlib.Path(os.environ.get("COF_STUDIO") or ROOT / "build-web/studio")
MANUAL = pathlib.Path(os.environ.get("COF_MANUAL") or ROOT / "build/cli/cof.1")
VOID = {"meta", "link", "img", "input", "br", "hr", "col", "path", "circle"}
made = tempfile.TemporaryDirectory()
SITE = pathlib.Path(made.name) / "site"


def setUpModule():
    make(SITE)


def tearDownModule():
    made.cleanup()


def make(output):
    return subprocess.run([sys.executable, "-B", ROOT / "site/make.py", output, "--studio", STUDIO,
                           "--manual", MANUAL], check=True, capture_output=True, text=True,
                          timeout=120)


class Page(html.parser.HTMLParser):
    """Links, what is loaded, and ids of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.resources, self.ids, self.open_tags, self.problems = [], [], [], [], []
        self.images, self.title = [], ""
        self.feed(path.read_text(encoding="utf-8"))
        if self.open_tags:
            self.problems.append(f"never closed: {self.open_tags}")

    def handle_starttag(self, tag, pairs):
        given = dict(pairs)
        if tag not in VOID:
            self.open_tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        if tag == "img":
            self.images.append(given)
        if tag == "a":
            self.links.append(given.get("href", ""))
        else:
            self.resources += [given[name] for name in ("src", "href", "srcset") if name in given]

    def handle_startendtag(self, tag, pairs):
        self.handle_starttag(tag, pairs)
        if tag not in VOID:
            self.open_tags.pop()

    def handle_endtag(self, tag):
        if tag == "p" and self.open_tags and self.open_tags[-1] != "p":
            return
        if not self.open_tags or self.open_tags.pop() != tag:
            self.problems.append(f"</{tag}> in line {self.getpos()[0]} closes something else")

    def handle_data(self, text):
        if self.open_tags[-1:] == ["title"]:
            self.title += text


def pages():
    """The pages that this site makes: not those of the studio, which has tests of its own."""
    return sorted(path for path in SITE.rglob("*.html") if "studio" not in path.relative_to(SITE).parts)


def name_of(path):
    return path.relative_to(SITE).as_posix()


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = {path: Page(path) for path in pages()}

    def test_there_are_no_dead_links_or_anchors(self):
        self.assertGreater(len(self.pages), 25)
        for path, page in self.pages.items():
            for link in page.links + page.resources:
                with self.subTest(page=name_of(path), link=link[:80]):
                    self.check_link(path, page, link)

    def check_link(self, path, page, link):
        if re.match(r"(https|data):", link):
            return
        self.assertNotRegex(link, r"^(\w+:|/)")
        file, _, anchor = link.partition("#")
        target = path if not file else (path.parent / urllib.parse.unquote(file)).resolve()
        self.assertTrue(target.is_file(), f"{target} does not exist")
        self.assertTrue(target.is_relative_to(SITE.resolve()) or target == path)
        if anchor:
            ids = page.ids if not file else self.pages[SITE / target.relative_to(SITE.resolve())].ids
            self.assertIn(urllib.parse.unquote(anchor), ids)

    def test_nothing_is_loaded_from_outside(self):
        for path, page in self.pages.items():
            for name in page.resources:
                self.assertNotRegex(name, r"^(https?:|//)", name_of(path))
        for name in ("site.css", "site.js", "theme.js"):
            shown = (SITE / name).read_text()
            self.assertIsNone(re.search(r"https?://|@import|url\(|\bfetch\(|XMLHttp", shown), name)

    def test_tags_are_closed_and_ids_are_unique(self):
        for path, page in self.pages.items():
            with self.subTest(name_of(path)):
                self.assertEqual(page.problems, [])
                self.assertEqual(sorted(page.ids), sorted(set(page.ids)))
                self.assertRegex(page.title, "libcof|gallery")

    def test_images_are_described(self):
        for path, page in self.pages.items():
            for image in page.images:
                self.assertIn("alt", image, name_of(path))

    def test_every_page_of_the_documentation_is_there_and_can_be_reached(self):
        overview = self.pages[SITE / "overview.html"]
        links = {(SITE / link.partition("#")[0]).resolve() for link in overview.links}
        for file in [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/*.ipynb")]:
            page = SITE / "docs" / (file.stem + ".html")
            self.assertIn(page.resolve(), links)

    def test_every_name_of_the_header_is_described(self):
        shown = re.sub(r"/\*.*?\*/", "", (ROOT / "include/cof/cof.h").read_text(), flags=re.S)
        shown = re.sub(r"^#(?!define).*$", "", shown, flags=re.M)  # conditions name macros of others
        names = set(re.findall(r"\b(?:cof_\w+|Cof[A-Z]\w+|COF_[A-Z]\w+)", shown))
        names -= {"COF_API", "COF_NODISCARD", "COF_COF_H"}
        self.assertGreater(len(names), 150)
        self.assertEqual(names - set(self.pages[SITE / "c-api.html"].ids), set())

    def test_every_field_of_the_options_is_described(self):
        import cof._library
        ids = self.pages[SITE / "c-api.html"].ids
        text = (SITE / "c-api.html").read_text()
        for name in cof._library.lib.table:
            if name not in ("preset", "high"):  # not a field; in the row of `low`
                self.assertIn(f"CofOptions.{name}", ids)
        self.assertIn("high", text)

    def test_every_name_of_the_package_is_described(self):
        import cof
        ids = self.pages[SITE / "python-api.html"].ids
        for name in set(cof.__all__) - {"recolor", "posterize"}:
            self.assertIn(f"cof.{name}", ids)
        for name in ("cof.Model.fit", "cof.Stats.merge", "cof.dask.smooth", "cof.xarray.smooth"):
            self.assertIn(name, ids)

    def test_the_same_bytes_again(self):
        again = pathlib.Path(made.name) / "again"
        make(again)
        for path in SITE.rglob("*"):
            if path.is_file():
                self.assertEqual(path.read_bytes(), (again / path.relative_to(SITE)).read_bytes(),
                                 name_of(path))

    def test_a_folder_with_other_files_is_not_emptied(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "letter.txt"
            kept.write_text("mine")
            with self.assertRaises(subprocess.CalledProcessError):
                make(pathlib.Path(folder))
            self.assertEqual(kept.read_text(), "mine")


class InBrowser(unittest.TestCase):
    def check(self, width, height):
        """A browser that crashes is started once more; a page that crashes it twice fails."""
        try:
            self.check_once(width, height)
        except browser.BrowserDied as error:
            print(f"the browser failed: {error}", file=sys.stderr)
            self.check_once(width, height)

    def check_once(self, width, height):
        with browser.Browser(width, height) as window:
            for path in pages():
                with self.subTest(page=name_of(path), width=width):
                    window.open(path)
                    self.check_page(window, width)
            self.check_search(window)
            self.check_theme(window)
            self.check_front(window, width, height)
            self.check_charts(window)
            self.check_studio(window)
            if width < 600:
                self.check_menu(window)

    def check_page(self, window, width):
        wide = window.ask("return [document.documentElement.scrollWidth, innerWidth]")
        self.assertEqual(wide, [width, width])
        loaded = window.ask('return performance.getEntriesByType("resource").map(one => one.name)')
        self.assertEqual([name for name in loaded if not name.startswith(("file:", "data:"))], [])
        self.assertEqual(window.problems(), [])

    def results(self, window, text):
        """Types into the search field; returns the links of the results."""
        window.open(SITE / "docs/gpu.html")
        window.press(window.find("form.search input"), text)
        for _ in range(100):
            found = window.ask("""const list = document.querySelector(".results");
                return list.hidden ? null : [...list.querySelectorAll("a")].map(a => a.href)""")
            if found is not None:
                return [urllib.parse.unquote(link).rsplit("/site/", 1)[1] for link in found]
        self.fail("the search never answered")

    def check_search(self, window):
        self.assertEqual(self.results(window, "cof_smooth")[0], "c-api.html#cof_smooth")
        found = self.results(window, "fidelity")
        self.assertEqual(set(found[:2]), {"c-api.html#CofOptions.fidelity", "cof.1.html#--fidelity"})
        self.assertTrue(any(link.startswith("docs/") for link in found), found)
        self.assertEqual(self.results(window, "cof.Model")[0], "python-api.html#cof.Model")
        self.assertEqual(self.results(window, "qqqqq"), [])
        self.results(window, "cof_smooth_roi")
        window.press(window.find("form.search input"), "\ue007")  # Enter
        for _ in range(100):
            if window.ask("return location.hash") == "#cof_smooth_roi":
                break
        self.assertTrue(window.ask("return location.href").endswith("c-api.html#cof_smooth_roi"))
        self.assertEqual(window.problems(), [])

    def check_theme(self, window):
        """The other theme after a click, and still on the next page."""
        def colour():
            return window.ask("return getComputedStyle(document.body).backgroundColor")
        window.open(SITE / "docs/gpu.html")
        before = colour()
        window.ask('document.querySelector("button.theme").click()')
        after = colour()
        self.assertNotEqual(before, after)
        window.open(SITE / "docs/gallery/index.html")
        self.assertEqual(colour(), after)
        window.ask('document.querySelector("button.theme").click()')

    def check_front(self, window, width, height):
        """The first screen shows the image and the presets, whose choice works."""
        window.open(SITE / "index.html")
        bottoms = window.ask("""return [".slider", ".choices"].map(
            name => document.querySelector(name).getBoundingClientRect().bottom)""")
        self.assertLessEqual(max(bottoms), height)
        window.ask('document.querySelector(".choices input[value=flat]").click()')
        seen = window.ask("""return [...document.querySelectorAll("[data-choice]")].filter(
            image => getComputedStyle(image).visibility === "visible").map(
            image => image.dataset.choice)""")
        self.assertEqual(seen, ["flat"])

    def check_studio(self, window):
        """A link back to the site, which is seen while an image is open, too."""
        window.open(SITE / "studio/libcof-studio.html")
        for state in ("add", "remove"):
            window.ask(f'document.body.classList.{state}("empty")')
            link, save, width = window.ask("""
                const place = name => document.querySelector(name).getBoundingClientRect();
                return [place("a.home").width, place("#save").right, innerWidth]""")
            self.assertGreater(link, 30)
            self.assertLessEqual(save, width)
        window.ask('document.querySelector("a.home").click()')
        for _ in range(100):
            if window.ask("return location.pathname").endswith("/site/index.html"):
                return
        self.fail("the studio has no way back")

    def check_charts(self, window):
        """A dark page has no curves on a white ground."""
        window.open(SITE / "docs/gallery/index.html")
        for theme, wanted in (("light", False), ("dark", True)):
            filters = window.ask(f"""document.documentElement.dataset.theme = "{theme}";
                return [...document.querySelectorAll("img.chart")].map(
                    image => getComputedStyle(image).filter.includes("invert"))""")
            self.assertEqual(len(filters), 2)
            self.assertEqual(set(filters), {wanted})

    def check_menu(self, window):
        for page in ("docs/gpu.html", "docs/gallery/index.html", "index.html"):
            window.open(SITE / page)
            shown = 'return document.querySelector(".pages").getBoundingClientRect().width > 0'
            self.assertFalse(window.ask(shown))
            window.ask('document.querySelector("button.menu").click()')
            self.assertTrue(window.ask(shown))

    def test_on_a_telephone(self):
        self.check(390, 844)

    def test_on_a_desk(self):
        self.check(1440, 900)


if __name__ == "__main__":
    unittest.main()
