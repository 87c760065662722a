# SPDX-License-Identifier: BSD-2-Clause
"""Reads cof.h: sections, and in each section entries of a comment and what it describes."""
import dataclasses
import re
from typing import List


@dataclasses.dataclass
class Member:
    """A field of a struct, or a value of an enumeration."""
    name: str
    code: str
    says: str


@dataclasses.dataclass
class Entry:
    """One comment and the declarations below it, which share it."""
    names: List[str]
    kind: str  # function, struct, enum, object or macro
    code: str
    says: str
    members: List[Member] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Section:
    title: str
    says: str
    entries: List[Entry] = dataclasses.field(default_factory=list)


COMMENT = r"/\*.*?\*/"
# Pieces of the header: a comment, a macro with its continued lines, another line of the
# preprocessor, or a declaration up to its semicolon with what is said behind it in the line.
PIECE = re.compile(
    rf"(?P<comment>{COMMENT})"
    rf"|(?P<macro>\#define (?:[^\n\\]|\\\n)*)"
    rf"|(?P<line>\#[^\n]*)"
    rf"|(?P<code>(?:typedef|COF_API|COF_NODISCARD|static inline)\b(?:{COMMENT}|[^;{{]|"
    rf"\{{(?:{COMMENT}|[^{{}}])*\}})*?(?:;|(?<=\}})(?=\n))(?:[ \t]*{COMMENT}|\s*?\n[ \t]+{COMMENT})?)",
    re.S)


def plain(comment):
    """The text of a comment, with its lines and their indentation."""
    lines = comment[2:-2].split("\n")
    lines = [re.sub(r"^\s*\* ?", "", line) if number else line.lstrip()
             for number, line in enumerate(lines)]
    return "\n".join(line.rstrip() for line in lines).strip("\n ")


def without_comments(code):
    return re.sub(COMMENT, "", code, flags=re.S)


def names_of(code):
    """What a declaration declares."""
    code = without_comments(code)
    found = re.match(r"#define (\w+)", code)
    if found:
        return [found[1]]
    if code.startswith("typedef"):
        return re.findall(r"(\w+)\s*;\s*$", code)
    return re.findall(r"(\w+)\(", code)[:1]


def kind_of(code):
    if code.startswith("#define"):
        return "macro"
    if not code.startswith("typedef"):
        return "function"
    if "{" not in code:
        return "object"
    return "enum" if code.startswith("typedef enum") else "struct"


def declared(code):
    """The names in the declaration of a field: `int x, y`, `int (*progress)(void *user, double d)`."""
    pointer = re.match(r".*?\(\*(\w+)\)\(", code)
    if pointer:
        return [pointer[1]]
    return [re.search(r"(\w+)(?:\[[^\]]*\])?\s*$", part)[1] for part in code.split(",")]


def fields(body):
    """Members of a struct. A comment on a line of its own that begins a group is one without code."""
    found = []
    position = 0
    while position < len(body):
        rest = body[position:]
        group = re.match(rf"\s*({COMMENT})\s*", rest, re.S)
        if group:
            found.append(Member("", "", plain(group[1])))
            position += group.end()
            continue
        field = re.match(rf"\s*([^;]+);[ \t]*({COMMENT})?(\n[ \t]+{COMMENT}(?=\n[ \t]+\w))?", rest, re.S)
        if not field:
            break
        code = " ".join(field[1].split())
        found.append(Member(declared(code)[0], code, plain(field[2]) if field[2] else ""))
        position += field.end() - len(field[3] or "")
    return found


def values(body):
    """Members of an enumeration; a comment stands above its value or behind it."""
    found, above = [], ""
    for piece in re.finditer(rf"({COMMENT})|(\w+)\s*=\s*([^,/\n]+?)\s*(?:,|(?=/|\n|$))"
                             rf"(?:[ \t]*({COMMENT}))?", body, re.S):
        if piece[1]:
            above = plain(piece[1])
        else:
            says = plain(piece[4]) if piece[4] else above
            found.append(Member(piece[2], f"{piece[2]} = {piece[3]}", says))
            above = ""
    return found


def members_of(code, kind):
    if kind not in ("struct", "enum"):
        return []
    body = code[code.index("{") + 1:code.rindex("}")]
    return fields(body) if kind == "struct" else values(body)


def aligned(code):
    """Code as it is in the file, with the macros of the interface taken away."""
    lines = code.split("\n")
    start = re.match(r"(?:COF_NODISCARD|COF_API) ", lines[0])
    if start:
        cut = start.end()
        lines = [lines[0][cut:]] + [line[cut:] if line[:cut].isspace() else line.lstrip()
                                    for line in lines[1:]]
    return "\n".join(lines)


def is_heading(comment, gap):
    """A comment with an empty line below it says something about all that follows."""
    return gap.count("\n") > 1 and not comment.startswith("/* SPDX")


HIDDEN = ("COF_COF_H", "COF_API", "COF_NODISCARD")


def titled(text):
    """A title and the rest: the first sentence, or what stands before its colon or comma."""
    first = re.match(r"([A-Z][^.:,]{2,60})([.:,])\s*", text)
    if first[2] == ",":
        return first[1], text
    rest = text[first.end(2):].lstrip(" ") if "\n\n    " not in text else text[first.end(2):]
    return " ".join(first[1].split()), rest[:1].upper() + rest[1:]


def read(path):
    """Sections of the header. The first one has the words of the comment at its top."""
    text = path.read_text(encoding="utf-8")
    start = text.index("/*\n * cof.h:")
    overview, types = Section("Overview", ""), Section("Types and limits", "")
    sections, above, last = [overview, types], "", None
    position = start
    for piece in PIECE.finditer(text, start):
        gap_before = text[position:piece.start()]
        position = piece.end()
        if piece["comment"]:
            following = re.match(r"\s*", text[piece.end():])[0]
            said = plain(piece["comment"])
            if not overview.says:
                overview.says = said
            elif is_heading(piece["comment"], following):
                sections.append(Section(*titled(said)))
                above, last = "", None
            else:
                above, last = (above + "\n\n" + said if above else said), None
        elif piece["line"]:
            above, last = "", None
        else:
            last = add(sections[-1], piece["macro"] or piece["code"], above, last, gap_before)
            above = ""
    return [section for section in sections if section.entries or section.says]


def add(section, code, above, last, gap):
    """Adds a declaration to its section, or to the entry directly above it."""
    names = names_of(code)
    if not names or names[0] in HIDDEN:
        return None
    kind = kind_of(code)
    together = (last is not None and not above and gap.count("\n") <= 1
                and kind == last.kind and kind not in ("struct", "enum"))
    if together:
        last.names += names
        last.code += "\n" + aligned(code)
        return last
    entry = Entry(names, kind, aligned(code), above, members_of(code, kind))
    section.entries.append(entry)
    return entry
