# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the studio share: its server, images, and the command to compare with.

Needs COF (the command) and COF_STUDIO (the folder that ./dev studio builds), or their usual places,
and Chromium with its driver.
"""
import importlib.util
import io
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy
from PIL import Image

from studio_page import ROOT, StudioPage

sys.path.insert(0, str(ROOT / "web/studio"))

import serve  # noqa: E402 (found by the line above)

COF = os.environ.get("COF", str(ROOT / "build/cli/cof"))
STUDIO = pathlib.Path(os.environ.get("COF_STUDIO", ROOT / "build-web/studio"))
PHOTOS = ROOT / "tests/data/photos"
NO_SIMD = "WebAssembly.validate = () => false;"
COMMAND_TIMEOUT_S = 300
folder = tempfile.TemporaryDirectory()
server = None


def start_server():
    global server
    if not (STUDIO / "index.html").exists():
        raise SystemExit(f"{STUDIO} is missing: run ./dev studio")
    server = serve.server(STUDIO)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def stop_server():
    server.shutdown()
    server.server_close()
    folder.cleanup()


def address(fragment=""):
    return f"http://127.0.0.1:{server.server_address[1]}/{fragment}"


def made(name, image, **options):
    path = pathlib.Path(folder.name) / name
    image.save(path, **options)
    return path


def photo(name, size=None):
    image = Image.open(PHOTOS / name)
    return image if size is None else image.crop((60, 40, 60 + size[0], 40 + size[1]))


def png(image):
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def run_command(line, *inputs):
    """Runs the command that the page shows, in a folder with its inputs; returns the folder."""
    place = pathlib.Path(tempfile.mkdtemp(dir=folder.name))
    for path in inputs:
        shutil.copy(path, place)
    words = shlex.split(line)
    assert words[0] == "cof", line
    subprocess.run([COF, *words[1:]], cwd=place, check=True, timeout=COMMAND_TIMEOUT_S,
                   env={**os.environ, "COF_CPU": "c"}, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return place


def run_python(lines, *inputs):
    """Runs the Python that the page shows, as run_command() does."""
    place = pathlib.Path(tempfile.mkdtemp(dir=folder.name))
    for path in inputs:
        shutil.copy(path, place)
    subprocess.run([sys.executable, "-W", "ignore", "-c", lines], cwd=place, check=True,
                   timeout=COMMAND_TIMEOUT_S,
                   env={**os.environ, "COF_CPU": "c", "PYTHONPATH": str(ROOT / "python")})
    return place


def can_run_python():
    return "COF_LIBRARY" in os.environ and bool(importlib.util.find_spec("skimage"))


def pixels(path):
    with Image.open(path) as image:
        return numpy.asarray(image).astype(int)


class StudioTest(unittest.TestCase):
    """Opens one window for the tests of a class. The build without SIMD computes what the command
    does with COF_CPU=c, byte for byte; the kernels with SIMD round differently."""

    size, window, tolerance = None, {}, 2

    @classmethod
    def setUpClass(cls):
        cls.page = StudioPage(*([cls.size] if cls.size else []), **cls.window).__enter__()
        cls.addClassCleanup(cls.page.__exit__, None, None, None)

    def setUp(self):
        self.page.go(address("?" + self.id()))
        for path in pathlib.Path(self.page.downloads.name).iterdir():
            path.unlink()

    def tearDown(self):
        self.assertEqual(self.page.problems(), [])

    def open(self, path):
        self.page.choose_files(path)
        self.wait_for(path.name)

    def wait_for(self, name):
        self.page.until("return document.getElementById('file-name').textContent"
                        ".startsWith(arguments[0] + ',')", name)
        self.page.settle()

    def wait_for_message(self, text):
        return self.page.until(
            "return [...document.querySelectorAll('.message p')].map((line) => line.textContent)"
            ".find((line) => line.includes(arguments[0]))", text)

    def paint(self, tool, points, pointer="mouse"):
        """Paints through points that are shares of the image's width and height."""
        self.page.click(f"button[data-tool={tool}]")
        left, top, width, height = self.image_box()
        self.page.drag([(left + x * width, top + y * height) for x, y in points], pointer)
        self.page.settle()

    def image_box(self):
        """The image in the window: the divider is as high as the image, labels are at its sides."""
        return self.page.ask("""
            const box = (id) => document.getElementById(id).getBoundingClientRect();
            const [view, divider, before, after] = ['view', 'divider', 'before', 'after'].map(box);
            const left = before.left - 10, right = after.right + 10;
            return [left, divider.top, right - left, divider.height];""")

    def saved(self, name):
        (pathlib.Path(self.page.downloads.name) / name).unlink(missing_ok=True)
        self.page.tab("export")
        self.page.click("#save-image")
        return self.page.downloaded(name, timeout=180)

    def assert_same_as_command(self, path, output, *inputs):
        """What the page saves is what the command that it shows writes."""
        line = self.page.text("#command")
        place = run_command(line, path, *inputs)
        ours, theirs = pixels(self.saved(output)), pixels(place / output)
        self.assertEqual(ours.shape, theirs.shape, line)
        self.assertLessEqual(int(abs(ours - theirs).max()), self.tolerance, line)
        self.assertLess(abs(ours - theirs).mean(), 0.1, line)
        return ours
