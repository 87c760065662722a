# SPDX-License-Identifier: BSD-2-Clause
"""The reference of the Python package, from its signatures and docstrings."""
import importlib
import inspect
import re
import textwrap

import text
from text import escape

PAGE = "python-api.html"
MODULES = ("cof", "cof.dask", "cof.xarray")
# In which order the names of the package cof are described.
GROUPS = [
    ("Smoothing", ["smooth", "preset"]),
    ("Learning once, filtering often", ["Model", "Stats", "ModelMember", "StatsMember", "load",
                                        "save_pair"]),
    ("Selecting what is smoothed", ["select", "Selection", "Selector", "draw_stroke", "focus",
                                    "recolour", "tint", "blend", "matte", "mask_dilate",
                                    "mask_prior", "mean_chroma"]),
    ("Tracing", ["posterise", "Posterised"]),
    ("Large images and parts", ["Place", "Coarse", "downscale"]),
    ("Calls, devices and errors", ["Context", "Device", "devices", "Report", "version", "CofError",
                                   "ArgumentError", "BusyError", "CancelledError", "FormatError",
                                   "NotSupportedError", "OutOfMemoryError"]),
]
SPELLINGS = {"recolor": "recolour", "posterize": "posterise"}  # other names of the same function
EXECUTION = ("progress", "report", "context")
HEADINGS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Examples", "Notes",
            "See Also")
INTRODUCTION = '''<p class="lead">Everything public in the package <code>cof</code>, from its
docstrings. Options have the same names, ranges and defaults as in the command. The
<a href="docs/tutorial.html">tutorial</a> shows the package at work.</p>'''


class Docstring:
    """A docstring in the form of numpydoc: words, and sections by their headings."""

    def __init__(self, given):
        self.sections, lines = {"": []}, inspect.cleandoc(given or "").split("\n")
        name = ""
        for number, line in enumerate(lines):
            below = lines[number + 1] if number + 1 < len(lines) else ""
            if line in HEADINGS and re.fullmatch("-+", below):
                name = line
                self.sections[name] = []
            elif not (name and re.fullmatch("-{3,}", line)):
                self.sections[name].append(line)

    def words(self):
        return "\n".join(self.sections[""]).strip("\n")

    def items(self, name):
        """(names, type, words) of each parameter or attribute."""
        found = []
        for line in self.sections.get(name, []):
            if line and not line.startswith(" "):
                names, _, kind = line.partition(" : ")
                found.append((names, kind, []))
            elif line.strip():
                found[-1][2].append(line.strip())
        return [(names, kind, " ".join(said)) for names, kind, said in found]

    def block(self, name):
        return textwrap.dedent("\n".join(self.sections.get(name, []))).strip("\n")


def signature(function, name, options):
    """The parameters without those that are options of the library, which are listed below it."""
    try:
        given = inspect.signature(function)
    except (TypeError, ValueError):
        return name
    shown, cut = [], False
    for parameter in given.parameters.values():
        if parameter.name in options:
            cut = True
        elif parameter.name not in ("self", "cls"):
            shown.append(parameter.replace(annotation=inspect.Parameter.empty))
    if cut:
        shown = [one for one in shown if one.kind is not inspect.Parameter.VAR_KEYWORD]
        shown.append(inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD))
    try:
        plain = given.replace(parameters=shown, return_annotation=inspect.Signature.empty)
    except ValueError:
        return name
    return wrapped(name, str(plain)[1:-1])


def wrapped(name, parameters):
    line = f"{name}({parameters})"
    if len(line) <= 84:
        return line
    filled = textwrap.fill(parameters, 84 - len(name) - 1)
    return f"{name}(" + filled.replace("\n", "\n" + " " * (len(name) + 1)) + ")"


class Reference:
    """`links` learns where each name is described; `options` are the names in the option table."""

    def __init__(self, links):
        self.links, self.scope = links, "cof"
        self.modules = [importlib.import_module(name) for name in MODULES]
        library = importlib.import_module("cof._library")
        self.options = set(library.lib.table) | set(EXECUTION)
        self.check()
        self.register()

    def check(self):
        """Every public name is in one of the groups."""
        listed = {name for _, names in GROUPS for name in names} | set(SPELLINGS)
        missing = set(self.modules[0].__all__) ^ listed
        if missing:
            raise SystemExit(f"site: GROUPS of python_reference.py and cof.__all__ differ: {missing}")

    def register(self):
        for name in self.modules[0].__all__:
            self.links.add(f"cof.{name}", f"{PAGE}#cof.{SPELLINGS.get(name, name)}")
            for member, _ in self.members(getattr(self.modules[0], name)):
                self.links.add(f"cof.{name}.{member}", f"{PAGE}#cof.{name}.{member}")
        for module in self.modules[1:]:
            for name in public(module):
                self.links.add(f"{module.__name__}.{name}", f"{PAGE}#{module.__name__}.{name}")

    @staticmethod
    def members(thing):
        """Public methods and properties of a class that say what they are, base classes included."""
        if not inspect.isclass(thing):
            return []
        found = []
        for name in dir(thing):
            member = inspect.getattr_static(thing, name)
            ours = any(name in vars(base) for base in thing.__mro__
                       if base.__module__.startswith("cof"))
            if not name.startswith("_") and ours and inspect.getdoc(getattr(thing, name, None)):
                if isinstance(member, (property, classmethod, staticmethod)) or inspect.isroutine(
                        member):
                    found.append((name, member))
        order = {name: number for base in reversed(thing.__mro__)
                 for number, name in enumerate(vars(base))}
        return sorted(found, key=lambda pair: (isinstance(pair[1], property), order[pair[0]]))

    def words(self, said):
        shown = text.words(said, self.links)
        return re.sub(r"(?<![\w.>])((?:\w+\.)?(\w+))\(\)", lambda found: self.function(found), shown)

    def function(self, found):
        """name() is a method of the class that is described, or a function of its module."""
        for scope in (self.scope, self.scope.rpartition(".")[0], "cof"):
            target = f"{scope}.{found[1]}"
            if target in self.links.targets:
                return f"<code>{self.links.to(target, found[0])}</code>"
        return f"<code>{found[0]}</code>"

    def rows(self, items):
        rows = "".join(f"<dt><code>{escape(names)}</code> <span>{escape(kind)}</span></dt>"
                       f"<dd>{self.words(said)}</dd>" for names, kind, said in items)
        return f"<dl>{rows}</dl>"

    def parameters(self, items):
        """Options that many functions share are folded away."""
        own = [item for item in items if item[0] not in self.options]
        shared = [item for item in items if item[0] in self.options]
        parts = []
        if own:
            parts.append("<h4>Parameters</h4>" + self.rows(own))
        if shared:
            parts.append(f"<details><summary>{len(shared)} options</summary>{self.rows(shared)}"
                         "</details>")
        return parts

    def described(self, thing, code=""):
        given = Docstring(inspect.getdoc(thing))
        parts = [text.code_block(code, "python")] if code else []
        parts.append(self.paragraphs(given.words()))
        parts += self.parameters(given.items("Parameters"))
        for name in ("Attributes", "Returns", "Raises"):
            items = given.items(name)
            if items:
                parts.append(f"<h4>{name}</h4>" + self.rows(items))
        if given.block("Examples"):
            parts.append("<h4>Examples</h4>" + example(given.block("Examples")))
        return "\n".join(parts)

    def paragraphs(self, said):
        parts = []
        for part in re.split(r"\n\s*\n", said):
            if part.startswith("    "):
                parts.append(text.code_block(textwrap.dedent(part), "python"))
            elif part.strip():
                parts.append(f"<p>{self.words(' '.join(part.split()))}</p>")
        return "\n".join(parts)

    def entry(self, module, name, level=3):
        thing = getattr(module, name)
        full = f"{module.__name__}.{name}"
        self.scope = full if inspect.isclass(thing) else module.__name__
        kind = "class" if inspect.isclass(thing) else "function"
        if inspect.isclass(thing) and issubclass(thing, Exception):
            kind = "exception"
        code = "" if kind == "exception" or (kind == "class" and not has_own_init(thing)) else (
            signature(thing, full, self.options))
        parts = [f'<section class="entry"><h{level} id="{full}"><span class="kind">{kind}</span> '
                 f'{full}{"()" if kind == "function" else ""}</h{level}>',
                 self.described(thing, code)]
        parts += [self.member(full, member, what) for member, what in self.members(thing)]
        return "\n".join(parts + ["</section>"])

    def member(self, owner, name, what):
        function = what.__func__ if isinstance(what, (classmethod, staticmethod)) else what
        prefix = owner if isinstance(what, (classmethod, staticmethod)) else owner.split(".")[-1].lower()
        if isinstance(what, property):
            code, kind = "", "property"
        else:
            code, kind = signature(function, f"{prefix}.{name}", self.options), "method"
        brackets = "" if kind == "property" else "()"
        return (f'<div class="member"><h4 id="{owner}.{name}"><span class="kind">{kind}</span> '
                f'{owner.split(".")[-1]}.{name}{brackets}</h4>{self.described(what, code)}</div>')

    def html(self):
        parts, taken = [INTRODUCTION], {}
        for title, names in GROUPS:
            parts.append(f'<h2 id="{text.anchor(title, taken)}">{title}</h2>')
            parts.extend(self.entry(self.modules[0], name) for name in names)
        for module in self.modules[1:]:
            parts.append(f'<h2 id="{module.__name__}">{module.__name__}</h2>')
            parts.append(self.paragraphs(inspect.getdoc(module)))
            parts.extend(self.entry(module, name) for name in public(module))
        return text.with_marks("\n".join(parts))


def has_own_init(thing):
    return any(name in vars(base) for base in thing.__mro__ if base.__module__.startswith("cof")
               for name in ("__init__", "__new__"))


def public(module):
    named = getattr(module, "__all__", None)
    return list(named) if named else [
        name for name, thing in vars(module).items() if not name.startswith("_")
        and inspect.isfunction(thing) and thing.__module__ == module.__name__]


def example(block):
    return text.code_block(block, "pycon") if ">>>" in block else text.code_block(block, "python")
