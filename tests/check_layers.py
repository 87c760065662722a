#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the layers of the code, from includes and from symbols.

A tree is an ordered list of folders: a file may use its own folder and the folders before it. In
src/, every .c has a header of its own name that declares what it defines, and nothing else.

usage: check_layers.py [ARCHIVE|FOLDER]...

The arguments are static libraries, or folders of object files, of src/ or cli/: with them, `nm`
tells which file uses which, and files must not form cycles.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The rule: each folder may use itself and the folders to its left. "." is the tree itself.
TREES = {
    "src": ["base", "options", "kernels", "call", "image", "learn", "filter", "api"],
    "cli": ["ui", "io", "options", "figures", "vips", "select", "video", "commands", "."],
}

# Of a file in these trees.
MAX_LINES = 400

# Headers of other folders that a folder outside of src/ may include, besides the public one.
SHARED = ROOT / "plugins" / "common"
OUTSIDE = {
    "cli": {"vips_operations.h", "vips_pixels.h"},
    "plugins": {"vips_operations.h", "vips_pixels.h"},
    "bench": set(),
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
        own = path.with_suffix(".h")
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


# Symbols

def sources_by_object(objects):
    """The sources of the tree that the objects were made of. Meson names an object by the path of
    its source: base_memory.c.o."""
    trees = [{"_".join(path.relative_to(ROOT / tree).parts) + ".o": (path, tree)
              for path in sorted((ROOT / tree).rglob("*.c"))}
             for tree in filter(is_layered, TREES)]
    return max(trees, key=lambda sources: len(objects & sources.keys()))


def symbols(binary):
    """(object, letter of nm, symbol) of a static library or a folder of objects."""
    binary = pathlib.Path(binary)
    files = [binary] if binary.is_file() else sorted(binary.rglob("*.o"))
    lines = subprocess.run(["nm", "-A", "-g", *files], check=True, capture_output=True, text=True)
    for line in lines.stdout.splitlines():
        place, letter, symbol = re.match(r"(.*):\s*[0-9a-f]* *(\w) (\S+)", line).groups()
        yield pathlib.PurePath(place.split(":")[-1]).name, letter, symbol


def uses(binary):
    """Which files of a tree each file uses, by their symbols."""
    definer, wanted = {}, collections.defaultdict(set)
    found = list(symbols(binary))
    known = sources_by_object({file for file, _, _ in found})
    for file, letter, symbol in found:
        if file not in known:
            continue
        if letter == "U":
            wanted[file].add(symbol)
        else:
            definer[symbol] = file
    graph = {}
    for file, names in wanted.items():
        used = {definer[symbol] for symbol in names if symbol in definer}
        graph[known[file]] = {known[other] for other in used if other != file}
    return graph


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


def symbol_problems(binary):
    graph = uses(binary)
    for (user, tree), others in graph.items():
        for used, _ in sorted(others):
            if goes_up(user, used, tree):
                yield f"{name(user)} must not use {name(used)}"
    for files in cycles(graph):
        yield "a cycle of files: " + ", ".join(name(path) for path, _ in files)
    folders = collections.defaultdict(set)
    for (user, tree), others in graph.items():
        here = layer(user, tree)
        folders[here] |= {layer(used, tree) for used, _ in others} - {here}
    for names in cycles(folders):
        yield "a cycle of folders: " + ", ".join(names)


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
    for binary in binaries:
        yield from symbol_problems(binary)


def main():
    found = list(dict.fromkeys(problems(sys.argv[1:])))
    print("\n".join(found) or "all in order")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
