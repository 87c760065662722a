#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the structure of the code: layers, cycles, headers, the size of files and functions.

A tree is an ordered list of folders: a file may use its own folder and the folders before it. In
src/, every .c has a header of its own name that declares what it defines, and nothing else. Public
functions are not called inside the library. An option is named in few files, because all others
use the option table.

usage: check_layers.py [--src BINARY] [--cli BINARY]

A binary is a static library or a folder of object files. `nm` lists its symbols, which show which
file of the tree uses which.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The rule: each folder may use itself and the folders to its left. "." is the tree itself.
TREES = {
    "src": ["base", "options", "kernels", "device", "call", "image", "learn", "filter", "api"],
    "cli": ["ui", "io", "gdal", "options", "figures", "raster", "vips", "select", "video", "commands", "."],
}

# Lines of a file in these trees.
MAX_LINES = 1000

# Lines of the functions in these folders, from the name to the closing brace.
FUNCTION_FOLDERS = ["src", "opencl", "cli", "plugins", "web"]
MAX_FUNCTION = 60
# Functions that are tables in the form of code.
TABLES = {"src/kernels/kernels.c": {"cofi_kernels"}}

# An option that every host has, and in how many files its name may occur.
SAMPLE_OPTION = "softness"
OPTION_FOLDERS = ["src", "cli", "plugins", "python", "web"]
MAX_OPTION_FILES = 12

# Files that Meson may choose instead of another one, and whose header they implement.
ALTERNATIVES = {
    "src/base/serial/serial_pool.c": "src/base/thread_pool.h",
    "src/device/none/no_module.c": "src/device/load_module.h",
}

# The folder of the public functions.
PUBLIC = "api"

# Headers of other folders that a folder outside of src/ may include, besides the public one.
SHARED = ROOT / "plugins" / "common"
OUTSIDE = {
    "cli": {"vips_operations.h", "vips_pixels.h"},
    "plugins": {"vips_operations.h", "vips_pixels.h"},
    "bench": set(),
    "opencl": {"device/device_module.h", "kernel_source.h"},
    "web": set(),
}


def c_files(folder):
    return sorted((ROOT / folder).rglob("*.[ch]"))


def name(path):
    return str(path.relative_to(ROOT))


def code(path):
    """The text without comments."""
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)


def includes(path):
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)


def layer(path, tree):
    parts = path.relative_to(ROOT / tree).parts
    return parts[0] if len(parts) > 1 else "."


def is_layered(tree):
    """Does the tree have folders yet?"""
    return any((ROOT / tree / folder).is_dir() for folder in TREES[tree] if folder != ".")


def goes_up(user, used, tree):
    order = TREES[tree]
    return order.index(layer(used, tree)) > order.index(layer(user, tree))


# Includes

def folder_problems(tree):
    for path in c_files(tree):
        if layer(path, tree) not in TREES[tree]:
            yield f"{name(path)}: the folder is not in the list of {tree}/"


def include_problems(tree):
    """Headers of the tree are included by their path from its root."""
    for path in c_files(tree):
        for header in includes(path):
            used = ROOT / tree / header
            if used.exists() and goes_up(path, used, tree):
                yield f"{name(path)} must not include {header}"


def unknown_headers(tree):
    """src/ includes its own headers and the public one."""
    for path in c_files(tree):
        for header in includes(path):
            if header != "cof/cof.h" and not (ROOT / tree / header).exists():
                yield f"{name(path)} must not include {header}"


def outside_problems():
    shared = {header.name for header in SHARED.glob("*.h")}
    for folder, more in OUTSIDE.items():
        for path in c_files(folder):
            for header in includes(path):
                own = (path.parent / header).exists() or (ROOT / folder / header).exists()
                if not own and header not in {"cof/cof.h"} | shared | more:
                    yield f"{name(path)} must not include {header}"


# Headers and their sources

def declared(path):
    return set(re.findall(r"^[A-Za-z_][\w \*]*\b(cofi_\w+)\([^;{]*\);", code(path), re.M))


def defined(path):
    pattern = r"^(?!static)[A-Za-z_][\w \*]*\b(cofi_\w+)\([^;{]*\)\n\{"
    return set(re.findall(pattern, code(path), re.M))


def header_problems(tree):
    """Kernels are declared together in kernels.h."""
    for path in sorted((ROOT / tree).rglob("*.c")):
        own = ROOT / ALTERNATIVES.get(name(path), name(path.with_suffix(".h")))
        if layer(path, tree) == "kernels":
            continue
        if not own.exists():
            yield from (f"{name(path)} defines {function}, but has no header"
                        for function in sorted(defined(path)))
            continue
        if includes(path)[0] != str(own.relative_to(ROOT / tree)):
            yield f"{name(path)} must include its own header first"
        yield from (f"{function} of {name(path)} is not in its header"
                    for function in sorted(defined(path) - declared(own)))
        yield from (f"{name(own)} declares {function}, which is not in its source"
                    for function in sorted(declared(own) - defined(path)))


def length_problems(tree):
    for path in c_files(tree):
        lines = len(path.read_text().splitlines())
        if lines > MAX_LINES:
            yield f"{name(path)} has {lines} lines, more than {MAX_LINES}"


# Functions

def blank(match):
    """Spaces and line breaks in place of a text, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", match.group())


def functions(path):
    """(name, lines) of each function of a C file. The layout of clang-format is assumed: the brace
    of a function stands alone in the first column, and so does the closing one."""
    text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, path.read_text(), flags=re.S)
    lines, start = text.splitlines(), None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            first = start - 1
            while first > 0 and re.match(r"[ \t(]", lines[first]):
                first -= 1
            head = " ".join(lines[first:start])
            called = re.findall(r"\b(\w+)\)?\s*\(", re.sub(r"__attribute__\(\(.*?\)\)+", "", head))
            yield (called[-1] if called else head), number + 1 - first
            start = None


def function_lengths(folder):
    return [(name(path), function, lines)
            for path in c_files(folder) for function, lines in functions(path)]


def function_problems(folder):
    lengths = [one for one in function_lengths(folder) if one[1] not in TABLES.get(one[0], ())]
    yield from (f"{path}: {function} has {lines} lines, more than {MAX_FUNCTION}"
                for path, function, lines in lengths if lines > MAX_FUNCTION)


# The option table

def option_problems():
    files = [name(path) for folder in OPTION_FOLDERS for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in {".c", ".h", ".def", ".py", ".xml", ".in", ".bash", ".fish", ""}
             and path.is_file() and SAMPLE_OPTION in path.read_text(errors="replace")]
    if len(files) > MAX_OPTION_FILES:
        yield (f"{len(files)} files name the option {SAMPLE_OPTION}, more than {MAX_OPTION_FILES}; "
               f"use the option table: {', '.join(files)}")


# Symbols

def sources_by_object(tree):
    """Meson names an object by the path of its source: base_memory.c.o."""
    return {"_".join(path.relative_to(ROOT / tree).parts) + ".o": path
            for path in sorted((ROOT / tree).rglob("*.c"))}


def symbols(binary):
    """(object, letter of nm, symbol) of a static library or a folder of objects."""
    binary = pathlib.Path(binary)
    files = [binary] if binary.is_file() else sorted(binary.rglob("*.o"))
    lines = subprocess.run(["nm", "-A", "-g", *files], check=True, capture_output=True, text=True)
    for line in lines.stdout.splitlines():
        place, letter, symbol = re.match(r"(.*):\s*[0-9a-f]* *(\w) (\S+)", line).groups()
        yield pathlib.PurePath(place.split(":")[-1]).name, letter, symbol


def symbol_table(binary, tree):
    """The file that defines each symbol, and the symbols that each file of the tree uses."""
    known, definer, wanted = sources_by_object(tree), {}, collections.defaultdict(set)
    for file, letter, symbol in symbols(binary):
        if file not in known:
            continue
        if letter == "U":
            wanted[known[file]].add(symbol)
        else:
            definer[symbol] = known[file]
    return definer, wanted


def uses(binary, tree):
    """Which files of a tree each file uses, by their symbols."""
    definer, wanted = symbol_table(binary, tree)
    return {user: {definer[symbol] for symbol in names if symbol in definer} - {user}
            for user, names in wanted.items()}


def cycles(graph):
    """The strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def symbol_problems(binary, tree):
    graph = uses(binary, tree)
    folders = collections.defaultdict(set)
    for user, others in graph.items():
        here = layer(user, tree)
        folders[here] |= {layer(used, tree) for used in others} - {here}
        for used in sorted(others):
            if goes_up(user, used, tree):
                yield f"{name(user)} must not use {name(used)}"
    for files in cycles(graph):
        yield "a cycle of files: " + ", ".join(map(name, files))
    for names in cycles(folders):
        yield "a cycle of folders: " + ", ".join(names)


def public_call_problems(binary):
    """Inside the library, no function of the public folder is called."""
    definer, wanted = symbol_table(binary, "src")
    for user, names in wanted.items():
        for symbol in sorted(names):
            if symbol.startswith("cof_") and layer(definer[symbol], "src") == PUBLIC:
                yield f"{name(user)} calls the public function {symbol}"


def header_cycles(tree):
    graph = {name(path): {name(ROOT / tree / header) for header in includes(path)
                          if (ROOT / tree / header).exists()}
             for path in (ROOT / tree).rglob("*.h")}
    for names in cycles(graph):
        yield "a cycle of headers: " + ", ".join(names)


def problems(binaries):
    for tree in filter(is_layered, TREES):
        yield from folder_problems(tree)
        yield from include_problems(tree)
        yield from header_cycles(tree)
        yield from length_problems(tree)
    yield from unknown_headers("src")
    yield from header_problems("src")
    yield from outside_problems()
    yield from option_problems()
    for folder in FUNCTION_FOLDERS:
        yield from function_problems(folder)
    for tree, binary in binaries.items():
        yield from symbol_problems(binary, tree)
    if "src" in binaries:
        yield from public_call_problems(binaries["src"])


def main():
    parser = argparse.ArgumentParser(usage="check_layers.py [--src BINARY] [--cli BINARY]")
    for tree in TREES:
        parser.add_argument(f"--{tree}")
    given = vars(parser.parse_args())
    binaries = {tree: binary for tree, binary in given.items() if binary}
    found = list(dict.fromkeys(problems(binaries)))
    print("\n".join(found) or "all in order")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
