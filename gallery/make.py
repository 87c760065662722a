#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the gallery: python3 gallery/make.py [OUTPUT] [--only FIGURE,FIGURE...]

With --only, a page that is already in OUTPUT keeps its other figures.

A figure is a function in figures_*.py: it runs commands in a work folder (commands.py), which keeps
their text, and returns text and images (figure.py). This file saves the images; page.py writes the
page. OUTPUT is docs/gallery by default; images that the page does not show are deleted there.
"""
import argparse
import pathlib
import re
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
NEEDED = ("apt-get install python3-numpy python3-opencv python3-pil python3-matplotlib "
          "python3-skimage ffmpeg")

try:
    import cv2
    import commands
    import figures_select_focus
    import figures_compare
    import figures_crops
    import figures_synthetic
    import figures_limits
    import figures_presets
    import figures_settings
    import figures_uses
    import page
    import recipes
    import skimage  # noqa: F401 (a figure uses it; better to know now)
except ImportError as error:
    sys.exit(f"gallery: {error}; try: {NEEDED}")

WIDEST = 720
SECTIONS = [
    ("presets", "Presets", "Sets of options for a purpose.",
     figures_crops.FIGURES + figures_presets.FIGURES),
    ("applications", "Choosing what is smoothed",
     "The filter learns, so it can be told where to learn: a few scribbles are enough.",
     figures_select_focus.FIGURES),
    ("uses", "More uses", "Applications that the paper does not show.", figures_uses.FIGURES),
    ("limits", "Where it is not the right tool",
     "The same settings as above, on images that they are not suitable for.",
     figures_limits.FIGURES),
    ("paper", "How it works: figures of the paper",
     "Synthetic images where the paper uses them, and free photographs where the paper has "
     "photographs.",
     figures_synthetic.FIGURES + figures_settings.FIGURES + figures_compare.FIGURES),
]


def narrowed(image):
    height, width = image.shape[:2]
    if width <= WIDEST:
        return image
    size = (WIDEST, round(height * WIDEST / width))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


def encoded(panel):
    """Bytes, ending, width and height of a panel's file."""
    if panel.source is not None:
        return panel.source, "svg", *svg_size(panel.source)
    image = narrowed(panel.image)
    ending, options = (("png", [cv2.IMWRITE_PNG_COMPRESSION, 9]) if panel.drawing
                       else ("jpg", [cv2.IMWRITE_JPEG_QUALITY, 85, cv2.IMWRITE_JPEG_OPTIMIZE, 1]))
    done, data = cv2.imencode(f".{ending}", image, options)
    if not done:
        raise commands.Failed(f"{panel.name} could not be encoded")
    return data.tobytes(), ending, image.shape[1], image.shape[0]


def svg_size(source):
    """Its width and height, of the first tag."""
    tag = re.search(rb"<svg[^>]*>", source).group()
    return [int(float(re.search(rb'\b%s="([0-9.]+)' % side, tag).group(1)))
            for side in (b"width", b"height")]


def saved(panel, output):
    """Writes the image of a panel; returns what the page needs of it."""
    data, ending, width, height = encoded(panel)
    name = f"{panel.name}.{ending}"
    (output / name).write_bytes(data)
    # What is shown larger than it is keeps its pixels; what is shown smaller is smoothed.
    pixels = panel.drawing and ending == "png" and width < 480
    return dict(file=name, caption=panel.caption, alt=panel.alt, width=width, height=height,
                pixels=pixels, span=panel.span, chart=panel.chart)


def made(function, folder, output):
    """Runs a figure; returns what the page needs of it."""
    work = commands.WorkFolder(folder)
    figure = function(work)
    pair = figure.slider and [saved(panel, output) for panel in figure.slider]
    return dict(key=figure.key, title=figure.title, says=figure.says, remark=figure.remark,
                columns=figure.columns, exact=figure.exact, slider=pair,
                steps=work.steps, presets=recipes.of_steps(work.steps),
                panels=[saved(panel, output) for panel in figure.panels])


def made_front(folder, output):
    """Runs what the page opens with; returns what the page needs of it."""
    work = commands.WorkFolder(folder)
    front = figures_presets.front(work)
    return dict(key=front.key, title=front.title, chosen=front.chosen,
                steps=work.steps, presets=recipes.of_steps(work.steps),
                before=saved(front.before, output),
                results=[dict(saved(panel, output), says=front.says[panel.caption])
                         for panel in front.results])


def made_sections(temporary, output, only):
    """All figures, or those whose functions are named, in their sections."""
    sections = []
    for key, title, says, functions in SECTIONS:
        figures = []
        for function in functions:
            if only is None or function.__name__ in only:
                started = time.monotonic()
                figures.append(made(function, temporary / function.__name__, output))
                print(f"{function.__name__}: {time.monotonic() - started:.1f} s", flush=True)
        if figures:
            sections.append(dict(key=key, title=title, says=says, figures=figures))
    return sections


def delete_unused(output, text):
    """Deletes the images that the page does not show."""
    for file in output.iterdir():
        if file.suffix in (".jpg", ".png", ".svg") and f'src="{file.name}"' not in text:
            file.unlink()


def make(output, only=None):
    """Makes all figures, or those whose functions are named."""
    commands.check_tools()
    output.mkdir(parents=True, exist_ok=True)
    index = output / "index.html"
    replace = only is not None and index.exists()
    with tempfile.TemporaryDirectory(prefix="cof-gallery-") as folder:
        temporary = pathlib.Path(folder)
        front = made_front(temporary / "front", output) if not replace or "front" in only else None
        sections = made_sections(temporary, output, only)
    if replace:
        text = page.with_figures(index.read_text(encoding="utf-8"), front, sections)
    else:
        text = page.whole(front, sections)
    index.write_text(text, encoding="utf-8")
    delete_unused(output, text)


def main():
    parser = argparse.ArgumentParser(description="Makes the gallery as one static page.")
    parser.add_argument("output", nargs="?", type=pathlib.Path, default=ROOT / "docs/gallery")
    parser.add_argument("--only", help="names of figure functions, or front, separated by commas")
    given = parser.parse_args()
    only = given.only and given.only.split(",")
    known = ["front"] + [function.__name__ for section in SECTIONS for function in section[3]]
    for name in only or []:
        if name not in known:
            parser.error(f"there is no figure {name}; there are {', '.join(known)}")
    try:
        make(given.output, only)
    except (commands.Missing, commands.Failed, page.Missing) as error:
        sys.exit(f"gallery: {error}")
    size = sum(file.stat().st_size for file in given.output.iterdir())
    print(f"{given.output / 'index.html'}: {size / 1e6:.1f} MB in all")


if __name__ == "__main__":
    main()
