# SPDX-License-Identifier: BSD-2-Clause
"""The first page: an image, one sentence, how to install, and links."""
import re

CARDS = [
    ("docs/gallery/index.html", "Gallery", "Photographs, uses and limits, each with the command that "
     "made it."),
    ("studio/libcof-studio.html", "Studio", "The filter in your browser, on your images. Nothing is "
     "uploaded."),
    ("docs/tutorial.html", "Tutorial", "From one call to models of your own, in a Python notebook."),
    ("cof.1.html", "Command", "Every option of cof, with its range and default."),
    ("python-api.html", "Python reference", "NumPy, Dask and xarray."),
    ("c-api.html", "C reference", "One header, no global state, no dependencies beyond libc."),
    ("docs/hosts.html", "Other programs", "GIMP, QGIS, ffmpeg, libvips and more."),
    ("docs/quality.html", "Quality", "Measured against 13 other filters, with what it does not do "
     "well."),
    ("docs/algorithm.html", "Algorithm", "Which equation of the paper is computed where."),
]


def section(readme, title):
    """The text of a section of the README, without its heading."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", readme, re.M | re.S)
    if not found:
        raise SystemExit(f'site: README.md has no section "{title}", which the first page shows')
    return found[1]


def compared(gallery, page):
    """The slider and the presets of the gallery."""
    found = gallery.split(page.FRONT_BEGINS, 1)[1].split(page.FRONT_ENDS, 1)[0]
    return found.replace('src="', 'src="docs/gallery/')


def cards():
    parts = []
    for target, title, says in CARDS:
        kind = ' class="studio"' if target.startswith("studio/") else ""
        parts.append(f'<a href="{target}"{kind}><b>{title}</b><span>{says}</span></a>')
    return '<div class="cards">' + "".join(parts) + "</div>"


def html(readme, gallery, markdown, page):
    install, _ = markdown.html(section(readme, "Install"))
    start, _ = markdown.html(section(readme, "Quick start"))
    return f'''<section class="opening">
<div class="words"><h1>Remove texture.<br>Keep boundaries.</h1>
<p class="lead">The Co-occurrence Filter learns which values of an image often occur near each other,
and averages those. libcof brings it to the command line, Python, C, the browser, GIMP, QGIS, ffmpeg
and libvips.</p>
<p class="buttons"><a class="button main" href="#install">Install</a>
<a class="button studio" href="studio/libcof-studio.html">Try it in the browser</a></p></div>
<div class="front">{compared(gallery, page)}</div>
</section>
<section><h2 id="install">Install</h2>
{install}</section>
<section><h2 id="quick-start">Quick start</h2>
{start}</section>
<section><h2 id="documentation">Documentation</h2>
{cards()}</section>'''
