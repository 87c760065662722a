# SPDX-License-Identifier: BSD-2-Clause
"""Figures as one page of HTML, with its style and script inside."""
import html
import pathlib
import re

HERE = pathlib.Path(__file__).parent
TITLE = "Co-occurrence Filter: gallery"
PAPER = "https://arxiv.org/abs/1703.04111"
LANGUAGES = {"sh": "Command", "python": "Python"}
# So many panels stand well in so many columns, on a wide screen.
DEFAULT_COLUMNS = {1: 2, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3}
escape = html.escape


def words(text):
    """Escaped, with options such as --until 0.5 as code, which no line breaks."""
    return re.sub(r"(?<!\w)(--[a-z][a-z-]*(?: [0-9.]*[0-9])?)", r"<code>\1</code>", escape(text))


def image_tag(image, classes=""):
    named = " ".join(filter(None, ["pixels" if image["pixels"] else "", classes]))
    shown = f' class="{named}"' if named else ""
    return (f'<img{shown} src="{escape(image["file"])}" alt="{escape(image["alt"])}" '
            f'width="{image["width"]}" height="{image["height"]}" loading="lazy" '
            'decoding="async">')


def panel(image):
    classes = "" if image["span"] == 1 else f' class="span-{image["span"]}"'
    return (f'<figure{classes}><a href="{escape(image["file"])}">{image_tag(image)}</a>'
            f'<figcaption>{escape(image["caption"])}</figcaption></figure>')


def slider(title, before, after):
    name = f"{title}: how much is shown of “{before['caption']}”, against “{after['caption']}”"
    return (f'<div class="slider"><div class="pair">{image_tag(before)}{image_tag(after, "after")}'
            f'<span class="bar" aria-hidden="true"></span>'
            f'<span class="tag left" aria-hidden="true">{escape(before["caption"])}</span>'
            f'<span class="tag right" aria-hidden="true">{escape(after["caption"])}</span></div>'
            f'<input type="range" min="0" max="100" value="50" step="1" '
            f'data-before="{escape(before["caption"])}" aria-label="{escape(name)}"></div>')


def step(language, text):
    return (f'<p class="language">{LANGUAGES[language]}</p>'
            f'<pre tabindex="0"><code class="{language}">{escape(text)}</code></pre>')


def article(figure):
    parts = [f'<article id="{figure["key"]}"><h3>{escape(figure["title"])}</h3>',
             f'<p class="says">{words(figure["says"])}</p>', '<div class="panels">']
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


HEADER = f'''<header><h1>The Co-occurrence Filter: a gallery</h1>
<p>The filter smooths textures and keeps the boundaries <em>between</em> them: it learns from a
image which values stand near each other, and mixes those. It is the filter of
<a href="{PAPER}">Jevnisek and Avidan, <cite>Co-Occurrence Filter</cite> (CVPR 2017)</a>, computed
by libcof.</p>
<p>Beside each figure is what made it. That text was run as it stands, in a folder with the inputs;
afterwards parts were cut out, enlarged, framed, and saved small. A slider moves by touch, mouse or
arrow keys.</p></header>'''

FOOTER = '''<footer><p>Photographs: the astronaut and the Hubble deep field (NASA) are in the public
domain; the cat (Stefan van der Walt), the cup of coffee (Rachel Michetti), grass and gravel
(CC0Textures) are CC0; the tissue has no known restrictions. They are in tests/data/photos of the
sources. All other inputs are drawn by gallery/synthetic.py. <code>./dev gallery</code> makes this
page.</p></footer>'''


def whole(sections):
    style = (HERE / "page.css").read_text()
    script = (HERE / "page.js").read_text()
    return f'''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="The Co-occurrence Filter in figures, and what made each">
<link rel="icon" href="data:,">
<title>{TITLE}</title>
<style>
{style}</style>
</head>
<body>
{HEADER}
{contents(sections)}
<main>
{chr(10).join(map(section_of, sections))}
</main>
{FOOTER}
<script>
{script}</script>
</body>
</html>
'''
