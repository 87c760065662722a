# SPDX-License-Identifier: BSD-2-Clause
"""Text to HTML: comments of C, Markdown, highlighted code, and links to what references describe."""
import html
import re

import markdown_it
import pygments
import pygments.formatters
import pygments.lexers
import pygments.util

escape = html.escape
LANGUAGES = {"sh": "console", "c": "c", "cpp": "cpp", "python": "python", "js": "javascript",
             "ts": "typescript", "pycon": "pycon", "json": "json", "meson": "meson", "cmake": "cmake",
             "html": "html", "ini": "ini", "yaml": "yaml", "text": "text", "": "text"}
NAMES = {"sh": "Shell", "c": "C", "cpp": "C++", "python": "Python", "js": "JavaScript",
         "ts": "TypeScript", "json": "JSON", "meson": "Meson", "cmake": "CMake", "html": "HTML"}


def highlighted(code, language):
    """Code in spans of Pygments' classes. Shell has few, so that commands look like commands."""
    name = "bash" if language == "sh" else LANGUAGES.get(language, "text")
    try:
        lexer = pygments.lexers.get_lexer_by_name(name, stripnl=False)
    except pygments.util.ClassNotFound:
        lexer = pygments.lexers.get_lexer_by_name("text")
    return pygments.highlight(code, lexer, pygments.formatters.HtmlFormatter(nowrap=True))


def code_block(code, language, links=None):
    """A block of code; names that references describe become links."""
    shown = highlighted(code.rstrip("\n") + "\n", language)
    if links:
        shown = links.in_code(shown)
    label = f' data-language="{NAMES[language]}"' if language in NAMES else ""
    return f'<pre tabindex="0"{label}><code>{shown}</code></pre>'


class Links:
    """Where each name of the interface is described: {"cof_smooth": "c-api.html#cof_smooth"}."""

    def __init__(self):
        self.targets, self.root = {}, ""

    def add(self, name, target):
        self.targets.setdefault(name, target)

    def to(self, name, shown):
        target = self.targets.get(name)
        return f'<a href="{self.root}{target}">{shown}</a>' if target else shown

    def in_code(self, shown):
        """Of highlighted code. A name lies within one span, or is bare."""
        return re.sub(r"(?<![\w.#/\"=-])((?:cof_|Cof|COF_)\w+)(?![\w.-]*\")",
                      lambda found: self.to(found[1], found[1]), shown)

    def in_words(self, shown):
        """Of escaped text: cof_smooth(), CofImage and COF_OK become linked code."""
        def linked(found):
            return f"<code>{self.to(found[1], found[0])}</code>"
        return re.sub(r"\b(cof_\w+(?=\(\))|Cof[A-Z]\w+|COF_[A-Z]\w+)(\(\))?", linked, shown)


def words(text, links):
    """One paragraph of a comment: `names` in backticks, and names of the interface."""
    parts = re.split(r"`([^`]+)`", text)
    return "".join(f"<code>{links.to(part, escape(part))}</code>" if number % 2
                   else links.in_words(escape(part, quote=False)) for number, part in enumerate(parts))


def comment(text, links, language="c"):
    """A comment: paragraphs, lists with hyphens, and code that is indented by four."""
    parts, lines = [], text.split("\n")
    while lines:
        if not lines[0].strip():
            lines.pop(0)
        elif lines[0].startswith("    "):
            parts.append(_block(lines, links, language))
        elif re.match(r"\s*- ", lines[0]):
            parts.append(_list(lines, links))
        else:
            parts.append(f"<p>{words(_paragraph(lines), links)}</p>")
    return "\n".join(parts)


def _block(lines, links, language):
    code = []
    while lines and (lines[0].startswith("    ") or not lines[0].strip()):
        code.append(lines.pop(0))
    indentation = min(len(line) - len(line.lstrip()) for line in code if line.strip())
    return code_block("\n".join(line[indentation:] for line in code).rstrip(), language, links)


def _list(lines, links):
    items = []
    while lines and (re.match(r"\s*- ", lines[0]) or (lines[0].startswith("  ") and items)):
        line = lines.pop(0)
        if re.match(r"\s*- ", line):
            items.append(line.lstrip(" -"))
        else:
            items[-1] += " " + line.strip()
    return "<ul>" + "".join(f"<li>{words(item, links)}</li>" for item in items) + "</ul>"


def _paragraph(lines):
    found = []
    while lines and lines[0].strip() and not lines[0].startswith("    ") and not (
            found and re.match(r"\s*- ", lines[0])):
        found.append(lines.pop(0).strip())
    return " ".join(found)


def anchor(heading, taken):
    """The name that GitHub gives a heading."""
    name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
    number = taken.get(name, -1) + 1
    taken[name] = number
    return name if number == 0 else f"{name}-{number}"


class Markdown:
    """One Markdown page. `link` maps a link or the source of an image to one of the site."""

    def __init__(self, links, link, size_of):
        self.links, self.link, self.size_of = links, link, size_of
        self.parser = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")

    def html(self, text):
        """The page without its first heading, which is the title; and the title."""
        text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
        tokens = self.parser.parse(text)
        taken, title = {}, ""
        for number, token in enumerate(tokens):
            if token.type == "heading_open":
                inline = tokens[number + 1]
                heading = "".join(child.content for child in inline.children
                                  if child.type in ("text", "code_inline"))
                token.attrSet("id", anchor(heading, taken))
                if token.tag == "h1":
                    title = title or heading
            elif token.type == "inline":
                self._inline(token)
        return self._rendered(tokens), title

    def _inline(self, token):
        inside = 0
        for child in token.children:
            inside += (child.type == "link_open") - (child.type == "link_close")
            if child.type == "link_open":
                child.attrSet("href", self.link(child.attrs["href"]))
            elif child.type == "image":
                self._image(child)
            elif child.type == "code_inline" and not inside:
                name = re.fullmatch(r"(?:cof\.h: )?((?:cof_|Cof|COF_|cof\.)[\w.]+)(?:\(\))?", child.content)
                if name and name[1] in self.links.targets:
                    child.type = "html_inline"
                    child.content = (f"<code>{self.links.to(name[1], escape(child.content))}</code>")

    def _image(self, child):
        source = child.attrs["src"]
        size = self.size_of(source)
        child.attrSet("src", self.link(source))
        child.attrSet("loading", "lazy")
        if size:
            child.attrSet("width", str(size[0]))
            child.attrSet("height", str(size[1]))
        if source.endswith(".svg"):
            child.attrSet("class", "chart")

    def _rendered(self, tokens):
        for token in tokens:
            if token.type in ("fence", "code_block"):
                language = token.info.strip() if token.type == "fence" else "sh"
                token.type, token.content = "html_block", code_block(token.content, language,
                                                                     self.links) + "\n"
        shown = self.parser.renderer.render(tokens, self.parser.options, {})
        shown = shown.replace("<table>", '<div class="scroll" tabindex="0"><table>')
        return with_marks(shown.replace("</table>", "</table></div>"))


def with_marks(shown):
    """Adds to each heading a link to itself."""
    return re.sub(r'<h([2-4]) id="([^"]+)">(.*?)</h\1>',
                  r'<h\1 id="\2">\3<a class="mark" href="#\2" aria-label="Link to this section">#</a></h\1>',
                  shown, flags=re.S)
