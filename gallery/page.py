# SPDX-License-Identifier: BSD-2-Clause
"""Figures as one page of HTML, with its style and script inside."""
import html
import pathlib
import re

HERE = pathlib.Path(__file__).parent
TITLE = "Co-occurrence Filter: gallery"
# A program that shows the same front elsewhere finds it between these two lines.
FRONT_BEGINS, FRONT_ENDS = "<!-- front -->", "<!-- end of front -->"
PAPER = "https://arxiv.org/abs/1703.04111"
LANGUAGES = {"sh": "Command", "python": "Python"}
# Number of panels: columns on a wide screen.
DEFAULT_COLUMNS = {1: 2, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3}
escape = html.escape


def words(text):
    """Escapes text and marks options such as --tolerance 0.5 as code, which is not wrapped."""
    return re.sub(r"(?<!\w)(--[a-z][a-z-]*(?: (?:[0-9.]*[0-9]|model|labels))?)",
                  r"<code>\1</code>", escape(text))


def image_tag(image, classes=""):
    named = " ".join([kind for kind in ("pixels", "chart") if image[kind]] + classes.split())
    shown = f' class="{named}"' if named else ""
    return (f'<img{shown} src="{escape(image["file"])}" alt="{escape(image["alt"])}" '
            f'width="{image["width"]}" height="{image["height"]}" loading="lazy" '
            'decoding="async">')


def panel(image):
    classes = "" if image["span"] == 1 else f' class="span-{image["span"]}"'
    return (f'<figure{classes}><a href="{escape(image["file"])}">{image_tag(image)}</a>'
            f'<figcaption>{escape(image["caption"])}</figcaption></figure>')


def slider(title, before, after):
    pair = f"“{before['caption']}” and “{after['caption']}”"
    name = f"{title}: position of the divider between {pair}"
    return (f'<div class="slider"><div class="pair">{image_tag(before)}{image_tag(after, "after")}'
            f'<span class="bar" aria-hidden="true"></span>'
            f'<span class="tag left" aria-hidden="true">{escape(before["caption"])}</span>'
            f'<span class="tag right" aria-hidden="true">{escape(after["caption"])}</span></div>'
            f'<input type="range" min="0" max="100" value="50" step="1" '
            f'data-before="{escape(before["caption"])}" aria-label="{escape(name)}"></div>')


def chosen_slider(front):
    """A slider with several results, of which one is shown."""
    before, results = front["before"], front["results"]
    after = "".join(image_tag(image, "after" if image["caption"] == front["chosen"]
                              else "after other").replace(
        "<img", f'<img data-choice="{escape(image["caption"])}"') for image in results)
    return (f'<div class="slider"><div class="pair">{image_tag(before)}{after}'
            f'<span class="bar" aria-hidden="true"></span>'
            f'<span class="tag left" aria-hidden="true">{escape(before["caption"])}</span>'
            f'<span class="tag right" aria-hidden="true">{escape(front["chosen"])}</span></div>'
            f'<input type="range" min="0" max="100" value="50" step="1" '
            f'data-before="{escape(before["caption"])}" '
            f'aria-label="{escape(front["title"])}: position of the divider"></div>')


def choices(front):
    parts = ['<fieldset class="choices"><legend>Presets</legend>']
    for image in front["results"]:
        name = escape(image["caption"])
        checked = " checked" if name == front["chosen"] else ""
        parts.append(f'<label><input type="radio" name="choice" value="{name}"{checked}>'
                     f'<span><b>{name}</b> {escape(image["says"])}</span></label>')
    parts.append(f'</fieldset><pre class="run"><code class="sh">cof --preset '
                 f'<b class="chosen">{escape(front["chosen"])}</b> coffee.png out.png</code></pre>')
    return "\n".join(parts)


def presets_of(figure):
    """The values of the presets that made a figure, which a test compares with today's."""
    return f' data-presets="{escape(figure["presets"])}"' if figure["presets"] else ""


def front_of(front):
    return f'''<article class="front" id="{front["key"]}"{presets_of(front)}>
<h1>The Co-occurrence Filter: a gallery</h1>
<p class="says">It removes texture and keeps the boundaries <em>between</em> textures: it learns from
the image which values occur near each other, and averages those.</p>
{FRONT_BEGINS}
{chosen_slider(front)}
<div class="beside">
{choices(front)}
</div>
{FRONT_ENDS}
</article>'''


class Missing(Exception):
    """A page does not have a figure that was to be replaced in it."""


def replaced(text, key, made):
    """A page with another article in place of the one of that key."""
    text, count = re.subn(rf'<article[^>]* id="{key}".*?</article>', lambda _: made, text,
                          flags=re.DOTALL)
    if count != 1:
        raise Missing(f"the page does not have the figure {key}; make all figures")
    return text


def with_figures(text, front, sections):
    """A page with new figures of these keys; the others stay."""
    if front:
        text = replaced(text, front["key"], front_of(front))
    for section in sections:
        for figure in section["figures"]:
            text = replaced(text, figure["key"], article(figure))
    return text


def step(language, text):
    return (f'<p class="language">{LANGUAGES[language]}</p>'
            f'<pre tabindex="0"><code class="{language}">{escape(text)}</code></pre>')


def article(figure):
    shown = "images exact" if figure["exact"] else "images"
    parts = [f'<article id="{figure["key"]}"{presets_of(figure)}>',
             f'<h3>{escape(figure["title"])}</h3>',
             f'<p class="says">{words(figure["says"])}</p>', f'<div class="{shown}">']
    if figure["slider"]:
        parts.append(slider(figure["title"], *figure["slider"]))
    if figure["panels"]:
        count = len(figure["panels"])
        columns = figure["columns"] or DEFAULT_COLUMNS.get(count, 4)
        parts.append(f'<div class="panels" style="--columns: {columns}">')
        parts.extend(map(panel, figure["panels"]))
        parts.append("</div>")
    parts.append('</div><div class="made">')
    parts.extend(step(language, text) for language, text in figure["steps"])
    if figure["remark"]:
        parts.append(f'<p class="remark">{words(figure["remark"])}</p>')
    parts.append('<p class="up"><a href="#contents">Contents</a></p></div></article>')
    return "\n".join(parts)


def complete(sections):
    """Does the page have all figures that the table of choices links to?"""
    keys = {figure["key"] for section in sections for figure in section["figures"]}
    return all(key in keys for _, _, key in CHOICES if key)


def contents(sections):
    parts = ['<nav id="contents" aria-label="Contents"><h2>Contents</h2><ol>']
    for section in sections:
        parts.append(f'<li><a href="#{section["key"]}">{escape(section["title"])}</a><ol>')
        parts.extend(f'<li><a href="#{figure["key"]}">{escape(figure["title"])}</a></li>'
                     for figure in section["figures"])
        parts.append("</ol></li>")
    return "\n".join(parts + ["</ol></nav>"])


def section_of(section):
    return "\n".join([f'<section class="section" id="{section["key"]}" '
                      f'aria-labelledby="{section["key"]}-title">'
                      f'<h2 id="{section["key"]}-title">{escape(section["title"])}</h2>'
                      f'<p>{escape(section["says"])}</p>',
                      *map(article, section["figures"]), "</section>"])


# What one has, what is right for it, and the figure that shows it.
CHOICES = [
    ("People", "preset portrait; subtle for less", "preset-portrait"),
    ("Texture: fur, cloth, wood, brush strokes, skin that fills the picture",
     "preset texture; --size 0.5 is finer, 2 coarser", "crops"),
    ("Photographs with a little noise; animals against the sky", "preset subtle", "preset-subtle"),
    ("Calm skies with noise", "this filter, with preset texture, if nothing finer is to stay",
     "skies"),
    ("Drawings, scans and maps on paper or cloth", "preset drawing", "preset-drawing"),
    ("Posters; shapes to trace", "preset cartoon; preset flat with --posterise", "tracing"),
    ("Noisy video", "preset video", "preset-video"),
    ("Noise over detail that must stay", "non-local means, or a trained network", "denoising"),
    ("Halftone screens", "a Gaussian: the dots are edges, which this filter keeps", ""),
    ("Text, thin lines, stars", "no filter; this one treats them as texture", "print"),
]


def what_to_use():
    rows = []
    for has, use, key in CHOICES:
        example = f'<a href="#{key}">example</a>' if key else ""
        rows.append(f"<tr><td>{escape(has)}</td><td>{words(use)}</td><td>{example}</td></tr>")
    return ('<section class="section" id="use"><h2>When to use what</h2>\n<table>\n'
            "<tr><th>image</th><th>use</th><th></th></tr>\n"
            + "\n".join(rows) + "\n</table></section>")


HEADER = f'''<p class="about">The filter was published by
<a href="{PAPER}">Jevnisek and Avidan, <cite>Co-Occurrence Filter</cite> (CVPR 2017)</a>; these images
were computed with libcof. The commands beside each figure are those that were run, in a folder with
the input images. The results were then cropped, enlarged, framed and compressed for this page.
Sliders can be moved by touch, mouse or arrow keys.</p>'''

FOOTER = '''<footer><p>Photographs: the astronaut and the Hubble deep field (NASA) are in the public
domain; the cat (Stefan van der Walt), the cup of coffee (Rachel Michetti), grass and gravel
(CC0Textures) are CC0; the tissue has no known restrictions. They are in tests/data/photos in the
sources. All other inputs are generated by gallery/synthetic.py. <code>./dev gallery</code> generates
this page.</p></footer>'''


def whole(front, sections):
    style = (HERE / "slider.css").read_text() + (HERE / "page.css").read_text()
    script = (HERE / "page.js").read_text()
    return f'''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="The Co-occurrence Filter in figures, with the commands that made them">
<link rel="icon" href="data:,">
<title>{TITLE}</title>
<style>
{style}</style>
</head>
<body>
<div class="gallery">
<header>
{front_of(front)}
{HEADER}
</header>
{what_to_use() if complete(sections) else ""}
{contents(sections)}
<main>
{chr(10).join(map(section_of, sections))}
</main>
{FOOTER}
</div>
<script>
{script}</script>
</body>
</html>
'''
