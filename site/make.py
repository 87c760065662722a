#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the documentation as a static site: python3 site/make.py OUTPUT --studio FOLDER --manual FILE

Pages are README.md, the other Markdown files, the tutorial, the manual page, a reference of cof.h
and one of the Python package, the gallery and the studio. A page has the path of its file, so that
relative links stay as they are. COF_LIBRARY names the library that the package cof loads.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "gallery")]

try:
    import PIL.Image
    import c_reference
    import front
    import header
    import layout
    import notebook
    import page as gallery_page
    import python_reference
    import text
except ImportError as error:
    sys.exit(f"site: {error}; ./dev site installs what it needs")

# Labels of pages in the navigation. Other files in docs/ follow under "More" with their titles.
NAVIGATION = [
    ("Start", [("Home", "index.html"), ("Overview", "README.md"),
               ("Gallery", "docs/gallery/index.html"), ("Studio", "studio/libcof-studio.html"),
               ("Tutorial", "docs/tutorial.ipynb")]),
    ("Use", [("Selecting objects", "docs/select.md"), ("Other programs", "docs/hosts.md"),
             ("Rasters", "docs/geo.md"), ("Clusters", "docs/clusters.md"), ("GPUs", "docs/gpu.md"),
             ("The studio", "docs/studio.md"), ("Web and node", "docs/web.md"),
             ("Your own program", "docs/embedding.md"), ("Examples", "examples/README.md"),
             ("Systems", "docs/systems.md")]),
    ("Reference", [("Command", "cof.1.html"), ("Python", "python-api.html"),
                   ("C", "c-api.html"), (".cof files", "docs/format.md"),
                   ("API stability", "docs/api-stability.md"), ("Changelog", "CHANGELOG.md")]),
    ("Background", [("Algorithm", "docs/algorithm.md"), ("Speed", "docs/performance.md"),
                    ("Quality", "docs/quality.md"), ("Matching", "docs/matching.md")]),
    ("Project", [("Threat model", "docs/security.md"), ("Reporting faults", "SECURITY.md"),
                 ("Contributing", "CONTRIBUTING.md"), ("Releases", "docs/releasing.md"),
                 ("Fuzzing", "fuzz/README.md")]),
]
# Files that get a page with their text if another page links them.
SOURCES = {".h": "c", ".c": "c", ".py": "python", ".js": "js", ".ts": "ts", ".cff": "yaml",
           ".txt": "text", ".sh": "sh", ".toml": "ini", ".def": "c", ".cpp": "cpp", ".wrap": "ini",
           ".build": "meson", ".cl": "c", ".yml": "yaml", "": "text"}
DESCRIPTION = "libcof: the Co-occurrence Filter, which removes texture and keeps boundaries"

STUDIO_NAME = '<h1 class="name">'
HOME = '''<a class="home" href="../index.html" title="Documentation" aria-label="libcof: documentation">
    <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M12 4 6 10l6 6"/></svg></a>
  '''


class Site:
    """`links` knows where names are described; `copied` are files that pages show or link."""

    def __init__(self, output, version):
        self.output, self.version = output, version
        self.links, self.copied, self.index = text.Links(), set(), []
        self.groups, self.queue = self.navigation(), self.first_pages()

    def navigation(self):
        listed = {file for _, pages in NAVIGATION for _, file in pages}
        groups = [(title, [(label, target(file)) for label, file in pages
                           if (ROOT / file).is_file() or file.endswith(".html")])
                  for title, pages in NAVIGATION]
        more = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").glob("*.md"))]
        more = [file for file in more if file not in listed]
        if more:
            groups.append(("More", [(first_heading(ROOT / file), target(file)) for file in more]))
        return groups

    def first_pages(self):
        """Markdown files of the navigation and of docs/. Those that they link follow later."""
        named = [file for _, pages in NAVIGATION for _, file in pages if file.endswith(".md")]
        docs = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").glob("*.md"))]
        return [file for file in dict.fromkeys(named + docs) if (ROOT / file).is_file()]

    def write(self, path, title, body, **given):
        shown = layout.page(path, title, body, self.groups, self.version,
                            given.pop("description", f"{title}: {DESCRIPTION}"), **given)
        self.save(path, shown, title)

    def save(self, path, shown, title):
        file = self.output / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(shown, encoding="utf-8")
        records = layout.Sections(shown).records()
        # The first page shows sections of others: one entry is enough.
        for anchor, heading, words in records[:1] if path == "index.html" else records:
            self.index.append([path + (f"#{anchor}" if anchor else ""), title, heading, words])

    def link(self, page):
        """A function that maps links of a page to links of the site."""
        folder = pathlib.PurePosixPath(page).parent

        def mapped(link):
            if re.match(r"\w+:|#", link):
                return link
            path, mark, anchor = link.partition("#")
            file = os.path.normpath(folder / path)
            return os.path.relpath(self.place(file), folder).replace(os.sep, "/") + mark + anchor
        return mapped

    def place(self, file):
        """Where the site has a file of the tree. It becomes a page, or is copied."""
        if (ROOT / file).is_dir() and (ROOT / file / "README.md").is_file():
            file += "/README.md"
        if file.endswith(".md") and (ROOT / file).is_file():
            if file not in self.queue:
                self.queue.append(file)
            return target(file)
        if file == "docs/tutorial.ipynb":
            return target(file)
        if file == "include/cof/cof.h":
            return c_reference.PAGE
        if file.startswith("docs/gallery/"):
            return file
        if not (ROOT / file).is_file():
            raise SystemExit(f"site: a page links {file}, which is no file")
        if pathlib.PurePosixPath(file).suffix in SOURCES:
            self.source(file)
            return f"{file}.html"
        self.copy(file)
        return file

    def copy(self, file):
        if file not in self.copied:
            self.copied.add(file)
            (self.output / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, self.output / file)

    def source(self, file):
        """A page with a source file."""
        if file not in self.copied:
            self.copied.add(file)
            code = (ROOT / file).read_text(encoding="utf-8")
            body = text.code_block(code, SOURCES[pathlib.PurePosixPath(file).suffix])
            self.write(f"{file}.html", file, body)

    def markdown(self, file):
        page = target(file)
        self.links.root = layout.root_of(page)
        return text.Markdown(self.links, self.link(file), lambda source: size_of(file, source))


def target(file):
    """The page of a file."""
    if file == "README.md":
        return "overview.html"
    return re.sub(r"\.(md|ipynb)$", ".html", file)


def first_heading(path):
    return re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.M)[1].replace("`", "")


def size_of(page, source):
    """Width and height of an image, so that the page does not move when it arrives."""
    path = ROOT / pathlib.PurePosixPath(page).parent / source
    if re.match(r"\w+:", source) or path.suffix == ".svg":
        return None
    with PIL.Image.open(path) as image:
        return image.size


def write_markdown(site):
    for file in site.queue:  # grows while pages are written
        body, title = site.markdown(file).html((ROOT / file).read_text(encoding="utf-8"))
        has_title = "<h1" in body
        title = "Overview" if file == "README.md" else title or file
        site.write(target(file), title, body, heading=not has_title)


def write_tutorial(site):
    file = "docs/tutorial.ipynb"
    cells = json.loads((ROOT / file).read_text(encoding="utf-8"))["cells"]
    body, title = notebook.html(cells, site.markdown(file), site.links)
    site.write(target(file), title, body, heading=False)


def write_manual(site, manual):
    """The manual page, as mandoc writes it."""
    shown = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", manual],
                           capture_output=True, text=True, check=True).stdout
    shown = re.sub(r'<table class="(?:head|foot)">.*?</table>', "", shown, flags=re.S)
    shown = re.sub(r'<h([12]) class="S[hs]" id="([^"]+)"><a class="permalink"[^>]*>(.*?)</a></h\1>',
                   lambda found: f'<h{int(found[1]) + 1} id="{found[2]}">{manual_title(found[3])}'
                                 f'</h{int(found[1]) + 1}>', shown, flags=re.S)
    shown = re.sub(r'<p class="Pp">(<b>-(?:(?!</p>).)*)</p>\s*<div class="Bd-indent">((?:(?!<div).)*?)</div>',
                   Options(), shown, flags=re.S)
    site.write("cof.1.html", "cof(1): the command", text.with_marks(f'<div class="man">{shown}</div>'))


class Options:
    """An option of the manual page as a term with an anchor of its own, such as #--window."""

    def __init__(self):
        self.taken = set()

    def __call__(self, found):
        name = re.search(r"--[a-z-]+(?: [a-z]+(?=</b>))?|-\w", found[1])[0].replace(" ", "-")
        anchor = "" if name in self.taken else f' id="{name}"'
        self.taken.add(name)
        return f'<dl class="option"><dt{anchor}>{found[1]}</dt><dd>{found[2]}</dd></dl>'


def manual_title(shown):
    """Headings of manual pages are in capitals, which others are not."""
    return shown.capitalize() if shown.isupper() else shown


def write_references(site, sections, reference):
    site.links.root = ""
    site.write(c_reference.PAGE, "C reference", c_reference.html(sections, site.links))
    site.write(python_reference.PAGE, "Python reference", reference.html())


def write_gallery(site):
    """The gallery as it is, with the bar of the site above it."""
    shutil.copytree(ROOT / "docs/gallery", site.output / "docs/gallery", dirs_exist_ok=True)
    path = "docs/gallery/index.html"
    shown = (ROOT / path).read_text(encoding="utf-8")
    root = layout.root_of(path)
    shown = shown.replace('<html lang="en">', f'<html lang="en" data-root="{root}">')
    shown = shown.replace('<link rel="icon" href="data:,">\n', f'<link rel="icon" href="{root}icon.svg">\n'
                          f'<link rel="stylesheet" href="{root}site.css">\n'
                          f'<script src="{root}theme.js"></script>\n')
    shown = shown.replace("<body>\n", '<body class="wide">\n' + layout.bar(path, site.version)
                          + '\n<div class="drawer">' + layout.navigation(path, site.groups) + "</div>\n")
    # The script of the gallery is that of the site, which has it inside.
    shown = re.sub(r"<script>.*?</script>\n</body>",
                   lambda _: f'<script src="{root}site.js"></script>\n</body>', shown, flags=re.S)
    site.save(path, shown, "Gallery")


def write_front(site):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    gallery = (ROOT / "docs/gallery/index.html").read_text(encoding="utf-8")
    markdown = text.Markdown(site.links, site.link("README.md"),
                             lambda source: size_of("README.md", source))
    site.links.root = ""
    body = front.html(readme, gallery, markdown, gallery_page)
    site.write("index.html", "libcof", body, heading=False, kind="home", description=DESCRIPTION)


def write_files(site):
    """Style, scripts and the search index."""
    style = (ROOT / "gallery/slider.css").read_text() + (HERE / "site.css").read_text()
    script = (ROOT / "gallery/page.js").read_text() + (HERE / "site.js").read_text()
    (site.output / "site.css").write_text(style, encoding="utf-8")
    (site.output / "site.js").write_text(script, encoding="utf-8")
    shutil.copyfile(HERE / "theme.js", site.output / "theme.js")
    shutil.copyfile(ROOT / "web/studio/icon.svg", site.output / "icon.svg")
    data = json.dumps(site.index, ensure_ascii=False, separators=(",", ":"))
    (site.output / "search-index.js").write_text(f"globalThis.searchIndex = {data};\n",
                                                 encoding="utf-8")


def write_studio(site, studio):
    """The studio, with a link to the site, which it does not have where it stands alone."""
    shutil.copytree(studio, site.output / "studio", dirs_exist_ok=True)
    for name in ("index.html", "libcof-studio.html"):
        path = site.output / "studio" / name
        shown = path.read_text(encoding="utf-8")
        if STUDIO_NAME not in shown:
            raise SystemExit(f"site: the studio has no {STUDIO_NAME}")
        path.write_text(shown.replace(STUDIO_NAME, HOME + STUDIO_NAME, 1), encoding="utf-8")


def make(output, studio, manual):
    import cof
    site = Site(output, cof.__version__)
    sections = header.read(ROOT / "include/cof/cof.h")
    c_reference.register(sections, site.links)
    reference = python_reference.Reference(site.links)
    write_front(site)
    write_markdown(site)
    write_tutorial(site)
    write_manual(site, manual)
    write_references(site, sections, reference)
    write_gallery(site)
    write_studio(site, studio)
    write_files(site)
    return site


def main():
    parser = argparse.ArgumentParser(description="Makes the documentation as a static site.")
    parser.add_argument("output", type=pathlib.Path, help="is emptied first")
    parser.add_argument("--studio", type=pathlib.Path, required=True,
                        help="the studio that ./dev studio builds")
    parser.add_argument("--manual", type=pathlib.Path, default=ROOT / "build/cli/cof.1",
                        help="the manual page of the build")
    given = parser.parse_args()
    if given.output.exists():
        if any(given.output.iterdir()) and not (given.output / "search-index.js").exists():
            parser.error(f"{given.output} has other files in it")
        shutil.rmtree(given.output)
    given.output.mkdir(parents=True)
    (given.output / "search-index.js").touch()  # what this folder is known by
    site = make(given.output, given.studio, given.manual)
    size = sum(file.stat().st_size for file in given.output.rglob("*") if file.is_file())
    print(f"{given.output / 'index.html'}: {len(site.index)} sections, {size / 1e6:.1f} MB in all")


if __name__ == "__main__":
    main()
