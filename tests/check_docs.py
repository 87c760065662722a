#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the Markdown pages at the top, of docs/ and of examples/ against the tree and the build.

- Files and functions in backticks exist, a table row names functions of its files, links lead to a
  file and a heading, and options are known to the command.
- Code blocks marked sh, c, cpp and python run. A comment <!-- not run: REASON --> before a block
  excludes it.
- Lines have at most 100 columns; tables, link targets and code may have more.

Without --command, --include and --library-dir, or --python, what needs them is not checked.
"""
import argparse
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
MAX_COLUMNS = 100
TIMEOUT_S = 300
CODE_FOLDERS = ("src", "opencl", "include", "cli", "plugins", "python", "tests", "bench", "gallery", "fuzz",
                "web", "examples", "packaging", "site")
SOURCE_SUFFIXES = (".c", ".h", ".py", ".def", ".md", ".ipynb", ".sh", ".scd", ".in", ".build", ".js",
                   ".mjs", ".ts", ".ini")
RUNNABLE = ("sh", "c", "cpp", "python")
OTHER_SPELLINGS = {"bash": "sh", "shell": "sh", "console": "sh", "C": "c", "c++": "cpp", "C++": "cpp",
                   "py": "python", "python3": "python"}
# Pages whose shell and Python blocks another test runs, with the plug-ins that they need.
RUN_ELSEWHERE = {"docs/hosts.md": "tests/hosts/test_doc_commands.py"}
SUBCOMMANDS = ("filter", "learn", "apply", "merge", "select", "focus", "recolour", "video", "show",
               "info")
AMERICAN = {"--colors": "--colours", "--color": "--colour", "--normalize": "--normalise"}
OTHER_PROGRAMS = {"--no-build-isolation", "--config-settings", "--prefix"}  # of pip and meson


class Block:
    """A fenced code block; `reason` is why it is not run."""

    def __init__(self, language, line, reason):
        self.language, self.line, self.reason = language, line, reason
        self.lines = []

    def text(self):
        return "\n".join(self.lines) + "\n"


class Page:
    """A Markdown file, split into prose (with line numbers) and code blocks."""

    def __init__(self, path):
        self.path = path
        self.name = path.relative_to(ROOT).as_posix()
        self.prose, self.blocks, self.indented, self.problems = [], [], [], []
        self._split(path.read_text(encoding="utf-8").splitlines())

    def problem(self, line, text):
        self.problems.append(f"{self.name}:{line}: {text}")

    def _split(self, lines):
        block, reason, blank = None, None, True
        for number, line in enumerate(lines, 1):
            if line.startswith("```"):
                block = self._fence(block, line, number, reason)
                reason = None
            elif block:
                block.lines.append(line)
            elif line.startswith("    ") and (blank or self._is_indented(number - 1)):
                self.indented.append((number, line.strip()))
            else:
                self.prose.append((number, line))
                comment = re.match(r"<!-- not run: *(.*?) *-->$", line)
                reason = comment[1] if comment else reason if not line.strip() else None
            blank = not line.strip()
        if block:
            self.problem(block.line, "this code block has no end")

    def _is_indented(self, number):
        return bool(self.indented) and self.indented[-1][0] == number

    def _fence(self, block, line, number, reason):
        if block:
            self.blocks.append(block)
            return None
        language = line[3:].strip()
        if language in OTHER_SPELLINGS:
            self.problem(number, f"mark this block as {OTHER_SPELLINGS[language]}")
        if reason == "":
            self.problem(number, "say why this block is not run")
        return Block(language, number, reason)

    def spans(self):
        """Inline code, with its line. A span may continue on the next line."""
        text = "\n".join(line for _, line in self.prose)
        for found in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
            yield self.prose[text.count("\n", 0, found.start())][0], " ".join(found[1].split())

    def rows(self):
        """Lines of tables, each with the code in it."""
        for number, line in self.prose:
            if line.lstrip().startswith("|"):
                yield number, re.findall(r"`([^`]+)`", line)


# What the tree contains.

@functools.lru_cache(maxsize=None)
def files():
    """Every file of the tree, relative to its root; not those of builds."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders
                      if name not in (".git", "__pycache__") and not is_build(folder, name)]
        found += [(pathlib.Path(folder) / name).relative_to(ROOT).as_posix() for name in names]
    return frozenset(found)


def is_build(folder, name):
    return pathlib.Path(folder) == ROOT and (name.startswith("build") or name == "demo")


@functools.lru_cache(maxsize=None)
def folders():
    return frozenset(parent.as_posix() for name in files() for parent in pathlib.Path(name).parents)


def strip_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


C_FUNCTION = re.compile(r"^(?!return|typedef|else|#)[A-Za-z_][^;{}=#]*?\b(\w+)\([^;{}]*\)\s*\{", re.M)
C_MACRO = re.compile(r"^#define (\w+)\(", re.M)
PYTHON_NAME = re.compile(r"^\s*(?:async )?(?:def|class) (\w+)", re.M)


@functools.lru_cache(maxsize=None)
def defined_in(name):
    """Functions that a file of the tree defines."""
    text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
    if name.endswith(".py"):
        return frozenset(PYTHON_NAME.findall(text))
    text = strip_comments(text)
    return frozenset(C_FUNCTION.findall(text) + C_MACRO.findall(text))


@functools.lru_cache(maxsize=None)
def defined():
    names = set()
    for name in files():
        if name.split("/")[0] in CODE_FOLDERS and name.endswith((".c", ".h", ".py")):
            names |= defined_in(name)
    return frozenset(names)


# Names in backticks.

def is_path(word):
    """Looks like a file or folder of the tree."""
    if not re.fullmatch(r"[\w.*-]+(/[\w.*-]+)*/?", word) or word.startswith("build"):
        return False
    if "/" in word:
        return word.split("/")[0] in {path.split("/")[0] for path in folders()} - {"."}
    return word.endswith(SOURCE_SUFFIXES) and not word.startswith(".")


def path_exists(word):
    """NAME stands for any name, as * does."""
    word = word.replace("NAME", "*")
    if "*" in word:
        return any(ROOT.glob(word)) if "/" in word else any(ROOT.rglob(word))
    if "/" in word:
        return word.rstrip("/") in files() | folders()
    return any(name.split("/")[-1] == word for name in files())


def check_paths(page):
    code = list(page.spans()) + page.indented
    code += [(block.line, line) for block in page.blocks for line in block.lines]
    for number, text in code:
        for word in text.split():
            # In commands, names without a folder are those of examples.
            if is_path(word) and ("/" in word or word == text) and not path_exists(word):
                page.problem(number, f"{word} does not exist")


def functions(spans):
    """Names of functions: name() or cof.name(), not those of other modules."""
    for span in spans:
        found = re.fullmatch(r"(?:([\w.]+)\.)?(\w+)\(\)", span)
        if found and (not found[1] or found[1].split(".")[0] in defined() | {"cof"}):
            yield found[2]


def check_functions(page):
    for number, span in page.spans():
        for name in functions([span]):
            if name not in defined():
                page.problem(number, f"no function {name}() is defined")
    for number, spans in page.rows():
        paths = [span for span in spans if span in files() and span.endswith((".c", ".h", ".py"))]
        for name in functions(spans):
            if paths and name in defined() and not any(name in defined_in(path) for path in paths):
                page.problem(number, f"{name}() is not defined in {' or '.join(paths)}")


def anchors(path):
    """The headings of a page, as GitHub names them; the ids of an HTML page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return set(re.findall(r'\bid="([^"]+)"', text))
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, re.M)}


def check_links(page):
    text = "\n".join(line for _, line in page.prose)
    for found in re.finditer(r"\]\(([^)\s]+)\)", text):
        number = page.prose[text.count("\n", 0, found.start())][0]
        target, _, anchor = found[1].partition("#")
        if re.match(r"\w+:", target):
            continue
        path = (page.path.parent / target) if target else page.path
        if not path.exists():
            page.problem(number, f"the link {found[1]} leads nowhere")
        elif anchor and path.suffix in (".md", ".html") and anchor not in anchors(path):
            page.problem(number, f"{target or page.name} has no heading #{anchor}")


# Options.

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def known_options(command):
    """Options of each subcommand, from its help."""
    known = {}
    for name in SUBCOMMANDS:
        done = subprocess.run([command, name, "--help"], stdout=subprocess.PIPE, text=True,
                              timeout=TIMEOUT_S, check=True)
        known[name] = set(OPTION.findall(done.stdout))
    return known


@functools.lru_cache(maxsize=None)
def options_of_scripts():
    """Options of ./dev and of the programs in bench, gallery and tests."""
    names = ["dev"] + [name for name in files() if re.match(r"(bench|gallery|tests)/.*\.py$", name)]
    return frozenset(option for name in names if name in files()
                     for option in OPTION.findall((ROOT / name).read_text(encoding="utf-8")))


def simple_commands(text):
    """The words of each command in a piece of shell."""
    text = text.replace("\\\n", " ")
    for line in re.split(r"\n|;|&&|\|\|?", re.sub(r"(?m)(?:^|\s)#\s.*$", "", text)):
        words = [word for word in line.split() if not re.fullmatch(r"\w+=\S*|do|then|else|\$", word)]
        if words:
            yield words


def check_command(page, number, words, known):
    """Options of one command; True if it is a call of cof."""
    if words[0].split("/")[-1] != "cof":
        return False
    name = "recolour" if words[1:2] == ["recolor"] else words[1] if words[1:] else "filter"
    name = name if name in known else "filter"
    for option in OPTION.findall(" ".join(words)):
        if AMERICAN.get(option, option) not in known[name] | {"--help", "--version"}:
            page.problem(number, f"cof {name} has no option {option}")
    return True


def check_options(page, known):
    everything = set().union(*known.values(), options_of_scripts(), OTHER_PROGRAMS, AMERICAN)
    for number, span in page.spans():
        commands = list(simple_commands(span))
        if any([check_command(page, number, words, known) for words in commands]):
            continue
        if span.startswith("--"):
            for option in OPTION.findall(span):
                if option not in everything:
                    page.problem(number, f"no subcommand has the option {option}")
    pieces = [(block.line, block.text()) for block in page.blocks if block.language == "sh"]
    first = page.indented[0][0] if page.indented else 0
    pieces.append((first, "\n".join(line for _, line in page.indented)))
    for number, text in pieces:
        for words in simple_commands(text):
            check_command(page, number, words, known)


# Columns.

def check_columns(page):
    for number, line in page.prose:
        if line.lstrip().startswith(("|", "![")):
            continue
        shown = re.sub(r"\]\([^)]*\)|<?https?://\S+", "", line)
        if len(shown) > MAX_COLUMNS:
            page.problem(number, f"{len(line)} columns; wrap at {MAX_COLUMNS}")


# Running.

def environment(arguments, folder):
    added = {"LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(folder)}
    if arguments.command:
        tools = folder / ".bin"
        tools.mkdir()
        (tools / "cof").symlink_to(os.path.abspath(arguments.command))
        added["PATH"] = f"{tools}:{os.environ['PATH']}"
    if arguments.library_dir:
        added["LD_LIBRARY_PATH"] = os.path.abspath(arguments.library_dir)
        added["COF_LIBRARY"] = os.path.join(added["LD_LIBRARY_PATH"], "libcof.so")
    if arguments.python:
        added["PYTHONPATH"] = os.path.abspath(arguments.python)
    return {**os.environ, **added}


def run(command, folder, env):
    """The output of a command if it failed, otherwise None."""
    try:
        done = subprocess.run(command, cwd=folder, env=env, timeout=TIMEOUT_S, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT_S} s"
    return None if done.returncode == 0 else f"exit status {done.returncode}\n{done.stdout}"


PHOTOS = {"photo": "coffee", "other": "chelsea", "in": "astronaut", "train1": "coffee",
          "train2": "chelsea", "coffee": "coffee"}
MASK = "vips black low.v 320 160; vips black top.v 320 80; vips invert top.v white.v; "\
       "vips join white.v low.v mask.png vertical; cp mask.png sky.png; rm *.v"
VIDEO = "ffmpeg -v error -loop 1 -i photo.png -frames:v 12 -pix_fmt yuv420p "\
        "-vf \"zoompan=z='1.1+0.01*on':d=1:s=160x120:fps=25\" video.mp4; cp video.mp4 in.mp4"


def prepare(folder, env):
    """Makes what examples read: images, a mask, a video, and the data of the tests."""
    (folder / "tests").symlink_to(ROOT / "tests")
    for name, photo in PHOTOS.items():
        for suffix in ("png", "jpg", "tif"):
            source = str(ROOT / f"tests/data/photos/{photo}.png")
            must(run(["vips", "crop", source, f"{name}.{suffix}", "60", "40", "320", "240"], folder,
                     env))
    must(run(["sh", "-euc", MASK], folder, env))
    if shutil.which("ffmpeg"):
        must(run(["sh", "-euc", VIDEO], folder, env))


def must(failure):
    if failure:
        sys.exit(f"check_docs: the inputs of examples cannot be made: {failure}")


def run_compiled(block, arguments, folder, env):
    """Compiles a block by an old and a new standard; runs it if it is a whole program."""
    compiler, old, new = ("cc", "c99", "c17") if block.language == "c" else ("c++", "c++11", "c++20")
    source, program = folder / f"block.{block.language}", folder / "block"
    source.write_text(block.text(), encoding="utf-8")
    flags = [compiler, f"-std={old}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
             f"-I{os.path.abspath(arguments.include)}", source.name]
    failure = run(flags + [f"-std={new}", "-fsyntax-only"], folder, env)
    if failure:
        return failure
    if not re.search(r"\bmain\(", block.text()):
        return run(flags + ["-c", "-o", "block.o"], folder, env)
    libraries = [f"-L{os.path.abspath(arguments.library_dir)}", "-lcof", "-lm"]
    return (run(flags + ["-o", program.name] + libraries, folder, env)
            or run([str(program)], folder, env))


def run_block(block, arguments, folder, env):
    if block.language == "sh":
        return run(["sh", "-euc", block.text()], folder, env)
    if block.language == "python":
        return run([sys.executable, "-W", "ignore", "-c", block.text()], folder, env)
    return run_compiled(block, arguments, folder, env)


def can_run(block, arguments):
    needed = {"sh": [arguments.command], "python": [arguments.python, arguments.library_dir],
              "c": [arguments.include, arguments.library_dir],
              "cpp": [arguments.include, arguments.library_dir]}
    return block.language in RUNNABLE and block.reason is None and all(needed[block.language])


def is_run_elsewhere(page, block):
    return page.name in RUN_ELSEWHERE and block.language in ("sh", "python")


def run_blocks(page, arguments):
    """Runs the blocks of a page in order, in one folder; returns how many."""
    blocks = [block for block in page.blocks
              if can_run(block, arguments) and not is_run_elsewhere(page, block)]
    if not blocks:
        return 0
    with tempfile.TemporaryDirectory(prefix="cof-docs-") as name:
        folder = pathlib.Path(name)
        env = environment(arguments, folder)
        prepare(folder, env)
        for block in blocks:
            failure = run_block(block, arguments, folder, env)
            if failure:
                page.problem(block.line, f"this {block.language} block fails: {failure}")
    return len(blocks)


def check_run_elsewhere(page):
    test = RUN_ELSEWHERE.get(page.name)
    if test and (test not in files() or page.path.name not in (ROOT / test).read_text()):
        page.problem(1, f"{test} does not run the blocks of this page")


def all_pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md",
            ROOT / "examples" / "README.md",
            *sorted((ROOT / "docs").glob("*.md"))]


def parsed_arguments():
    parser = argparse.ArgumentParser(description="Checks the documentation.")
    parser.add_argument("--command", help="path of the command cof")
    parser.add_argument("--include", help="folder that contains cof/cof.h")
    parser.add_argument("--library-dir", help="folder that contains libcof.so")
    parser.add_argument("--python", help="folder that contains the package cof")
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="all if none is given")
    return parser.parse_args()


def main():
    arguments = parsed_arguments()
    known = known_options(arguments.command) if arguments.command else None
    paths = [path.resolve() for path in arguments.pages] or all_pages()
    ran, pages = 0, [Page(path) for path in paths]
    for page in pages:
        for check in (check_columns, check_links, check_paths, check_functions,
                      check_run_elsewhere):
            check(page)
        if known:
            check_options(page, known)
        ran += run_blocks(page, arguments)
    problems = [problem for page in pages for problem in page.problems]
    print("\n".join(problems) or f"{len(pages)} pages in order, {ran} code blocks run")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
