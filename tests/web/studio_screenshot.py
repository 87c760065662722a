#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes docs/pictures/studio.jpg: the studio that ./dev studio has built, in Chromium."""
import pathlib
import sys
import tempfile

from PIL import Image

import studio_case
from studio_page import ROOT, StudioPage

sys.path.insert(0, str(ROOT / "gallery"))

import recipes  # noqa: E402 (found by the line above)

OUTPUT = ROOT / "docs/pictures/studio.jpg"
WIDTH = 1200
PRESET = "texture"


def main():
    studio_case.start_server()
    with StudioPage() as page, tempfile.TemporaryDirectory() as folder:
        page.go(studio_case.address(f"#image=coffee&preset={PRESET}"))
        page.until("return document.getElementById('file-name').textContent")
        page.settle()
        path = pathlib.Path(folder) / "studio.png"
        page.screenshot(path)
        with Image.open(path) as image:
            height = round(image.height * WIDTH / image.width)
            image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS).save(
                OUTPUT, quality=86, optimize=True, comment=recipes.of_presets([PRESET]))
    studio_case.stop_server()


if __name__ == "__main__":
    main()
