# SPDX-License-Identifier: BSD-2-Clause
"""The frame of each page: bar, navigation, contents, footer."""
import html.parser
import re

from text import escape

SUN = ('<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><path fill="none" '
       'stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M12 3a9 9 0 0 0 0 18z'
       'M12 3a9 9 0 0 1 0 18"/></svg>')
LENS = ('<svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true"><g fill="none" '
        'stroke="currentColor" stroke-width="2.4" stroke-linecap="round"><circle cx="10.5" '
        'cy="10.5" r="6.5"/><path d="M15.5 15.5 21 21"/></g></svg>')
BARS = ('<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path fill="none" '
        'stroke="currentColor" stroke-width="2" stroke-linecap="round" '
        'd="M4 7h16M4 12h16M4 17h16"/></svg>')


def root_of(path):
    """From a page to the folder of the site."""
    return "../" * path.count("/")


def head(path, title, description):
    root = root_of(path)
    return f'''<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{escape(description)}">
<title>{escape(title)}</title>
<link rel="icon" href="{root}icon.svg">
<link rel="stylesheet" href="{root}site.css">
<script src="{root}theme.js"></script>'''


def bar(path, version):
    """Above all pages; also above the gallery, which has a layout of its own."""
    root = root_of(path)
    links = "".join(f'<a href="{root}{target}"{mark}>{label}</a>' for label, target, mark in (
        ("Gallery", "docs/gallery/index.html", ""),
        ("Studio", "studio/libcof-studio.html", ' class="studio"'),
        ("Tutorial", "docs/tutorial.html", ""),
        ("Python", "python-api.html", ""), ("C", "c-api.html", ""), ("Command", "cof.1.html", "")))
    return f'''<div class="bar-top"><button class="menu" type="button" aria-label="Pages"
aria-expanded="false" aria-controls="pages">{BARS}</button>
<a class="name" href="{root}index.html"><img src="{root}icon.svg" alt="" width="24" height="24">libcof
<small>{escape(version)}</small></a>
<div class="links">{links}</div>
<form class="search" role="search"><label>{LENS}<input type="search" name="q" autocomplete="off"
spellcheck="false" placeholder="Search" aria-label="Search the documentation"></label>
<kbd aria-hidden="true">/</kbd><div class="results" role="listbox" hidden></div></form>
<button class="theme" type="button" aria-label="Light or dark">{SUN}</button></div>'''


def navigation(path, groups):
    root = root_of(path)
    parts = ['<nav id="pages" class="pages" aria-label="Pages">']
    for title, pages in groups:
        parts.append(f"<h2>{escape(title)}</h2><ul>")
        for label, target in pages:
            here = ' aria-current="page"' if target == path else ""
            kind = ' class="studio"' if target.startswith("studio/") else ""
            parts.append(f'<li><a href="{root}{target}"{here}{kind}>{escape(label)}</a></li>')
        parts.append("</ul>")
    return "\n".join(parts + ["</nav>"])


def contents(body):
    """The headings of a page, if there are several. Long references list their second level, too."""
    found = re.findall(r'<h([23]) id="([^"]+)">(.*?)(?:<a class="mark"|</h)', body, re.S)
    if len(found) < 3:
        return ""
    rows = []
    for level, name, shown in found:
        shown = re.sub(r'<span class="kind">.*?</span>', "", shown)
        shown = re.sub(r"<[^>]+>", "", shown).strip()
        rows.append(f'<li class="level-{level}"><a href="#{name}">{shown}</a></li>')
    return ('<aside class="contents" aria-label="On this page"><h2>On this page</h2><ul>'
            + "".join(rows) + "</ul></aside>")


FOOTER = '''<footer class="end"><p>libcof is free software under the BSD 2-clause licence. This site was
generated from its sources by <code>./dev site</code>, loads nothing from other places and works from
disk.</p></footer>'''


def page(path, title, body, groups, version, description, heading=True, kind="doc"):
    """A whole page. `heading`: the body does not have its own first heading."""
    first = f"<h1>{escape(title)}</h1>" if heading else ""
    whole = title if title == "libcof" else f"{title} · libcof"
    aside = contents(body) if kind == "doc" else ""
    return f'''<!DOCTYPE html>
<html lang="en" data-root="{root_of(path)}">
<head>
{head(path, whole, description)}
</head>
<body class="{kind}">
<a class="skip" href="#main">Skip to the text</a>
{bar(path, version)}
<div class="frame">
{navigation(path, groups)}
<main id="main">
{first}
{body}
{FOOTER}
</main>
{aside}
</div>
<script src="{root_of(path)}site.js"></script>
</body>
</html>
'''


class Sections(html.parser.HTMLParser):
    """The text of a page, cut at its headings and at terms and rows with an anchor."""
    HEADINGS = ("h1", "h2", "h3", "h4")
    BLOCKS = ("p", "li", "td", "th", "dt", "dd", "pre", "br", "summary", "figcaption", "tr")
    SKIPPED_CLASSES = ("mark", "bar-top", "kind", "up")
    SKIPPED = ("nav", "script", "style", "aside", "footer", "form", "button", "fieldset")

    def __init__(self, shown):
        super().__init__()
        self.found, self.now, self.above = [], None, None
        self.anchor, self.skip, self.heading, self.part = "", 0, None, None
        self.feed(shown)

    def handle_starttag(self, tag, pairs):
        given = dict(pairs)
        if tag in self.BLOCKS and self.now:
            self.now[2].append(" ")
        if self.skip:
            self.skip += tag == self.skipped_tag
        elif tag in self.SKIPPED or given.get("class") in self.SKIPPED_CLASSES:
            self.skip, self.skipped_tag = 1, tag
        elif tag in self.HEADINGS and (tag != "h4" or "id" in given):
            self.begin(given.get("id", self.anchor if tag != "h1" else ""))
            self.heading, self.above = tag, self.now
        elif tag == "article" and "id" in given:
            self.anchor = given["id"]
        elif tag == "tr" and "id" in given:
            self.begin(given["id"])
            self.now[1], self.part = given["id"], "tr"
        elif tag == "dt" and "id" in given:
            self.begin(given["id"])
            self.heading, self.part = "dt", "dl"

    def begin(self, anchor):
        self.now = [anchor, "", []]
        self.found.append(self.now)

    def handle_endtag(self, tag):
        if self.skip and tag == self.skipped_tag:
            self.skip -= 1
        if tag == self.heading:
            self.heading = None
        if tag == self.part:
            self.now, self.part = self.above, None

    def handle_data(self, text):
        if self.skip or not self.now:
            return
        if self.heading:
            self.now[1] += text
        else:
            self.now[2].append(text)

    def records(self):
        """(anchor, heading, text) of each section."""
        return [(anchor, " ".join(heading.split()), " ".join("".join(words).split()))
                for anchor, heading, words in self.found]
