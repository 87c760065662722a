# SPDX-License-Identifier: BSD-2-Clause
"""Joins ES modules into one script, for pages that are opened from a file.

Each module becomes a function that returns its exports. Modules of this project import names from
files beside them, and export declarations or lists of names; nothing else is understood.
"""
import re

IMPORT = re.compile(r"^import\s*\{([^}]*)\}\s*from\s*'\./([\w.]+)';\n", re.M)
DECLARATION = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.M)
EXPORT_LIST = re.compile(r"^export\s*\{([^}]*)\};?\n?", re.M)


def names(text, renamed):
    """The entries of {a, b as c} as an object, or as a pattern that takes one apart."""
    pairs = [entry.split(" as ") for entry in (part.strip() for part in text.split(",")) if entry]
    pairs = [(pair[0].strip(), pair[-1].strip()) for pair in pairs]
    return ", ".join(a if a == b else renamed(a, b) for a, b in pairs)


def variable(module):
    return "module_" + re.sub(r"\W", "_", module)


def wrapped(module, source):
    exported = [match[1] for match in DECLARATION.finditer(source)]
    exported += [names(match[1], lambda a, b: f"{b}: {a}") for match in
                 EXPORT_LIST.finditer(source)]
    body = IMPORT.sub(lambda match: "const { " + names(match[1], lambda a, b: f"{a}: {b}") +
                      f" }} = {variable(match[2])};\n", source)
    body = EXPORT_LIST.sub("", DECLARATION.sub("", body))
    body = body.replace("import.meta.url", "self.location.href")
    left = re.search(r"^(import|export)\b.*", body, re.M)
    if left:
        raise SystemExit(f"{module}: not understood: {left[0]}")
    returned = ", ".join(exported)
    return f"const {variable(module)} = (() => {{\n{body}\nreturn {{ {returned} }};\n}})();\n"


def bundle(folder, entry):
    """The script of a module and all that it imports."""
    done, parts = set(), []

    def add(module, path):
        if module in path:
            raise SystemExit("modules import each other: " + " ".join([*path, module]))
        if module in done:
            return
        source = (folder / module).read_text(encoding="utf-8")
        for match in IMPORT.finditer(source):
            add(match[2], [*path, module])
        done.add(module)
        parts.append(wrapped(module, source))

    add(entry, [])
    return "'use strict';\n" + "".join(parts)
