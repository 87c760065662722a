# SPDX-License-Identifier: BSD-2-Clause
"""The reference of the C interface, from the comments of cof.h."""
import os

import text
from text import escape

PAGE = "c-api.html"
KINDS = {"function": "function", "struct": "struct", "enum": "enum", "object": "opaque type",
         "macro": "macro"}
INTRODUCTION = '''<p class="lead">Every function, struct, enumeration and macro of
<code>&lt;cof/cof.h&gt;</code>, the only public header, with the comments of that file. For how to
build with it, see <a href="docs/embedding.html">using libcof in your own program</a>.</p>'''


def register(sections, links):
    """Says where each name is described."""
    for section in sections:
        for entry in section.entries:
            for name in entry.names:
                links.add(name, f"{PAGE}#{name}")
            if entry.kind == "enum":
                for member in entry.members:
                    links.add(member.name, f"{PAGE}#{member.name}")


def title_of(entry):
    """The names; of several macros, what their names have in common."""
    if entry.kind == "macro" and len(entry.names) > 2:
        return os.path.commonprefix(entry.names) + "*"
    return ", ".join(f"{name}()" if entry.kind == "function" else name for name in entry.names)


def heading(entry):
    """The first name is the anchor; the others have one of their own in front."""
    others = "".join(f'<span id="{name}"></span>' for name in entry.names[1:])
    return (f'{others}<h3 id="{entry.names[0]}"><span class="kind">{KINDS[entry.kind]}</span> '
            f'{escape(title_of(entry))}</h3>')


def member_row(entry, member, links):
    if not member.code:
        return f'<tr class="group"><th colspan="2">{text.words(member.says, links)}</th></tr>'
    name = member.name if entry.kind == "enum" else f"{entry.names[0]}.{member.name}"
    code = links.in_code(text.highlighted(member.code, "c").strip())
    said = text.words(" ".join(member.says.split()), links)
    return f'<tr id="{name}"><td><code>{code}</code></td><td>{said}</td></tr>'


def members(entry, links):
    if not entry.members:
        return ""
    rows = "\n".join(member_row(entry, member, links) for member in entry.members)
    head = "Value" if entry.kind == "enum" else "Field"
    return (f'<div class="scroll" tabindex="0"><table class="members"><thead><tr><th>{head}</th>'
            f'<th>Meaning</th></tr></thead><tbody>{rows}</tbody></table></div>')


def entry_html(entry, links):
    said = text.comment(entry.says, links) if entry.says else ""
    code = "" if entry.members else text.code_block(entry.code, "c", links)
    return f'<section class="entry">{heading(entry)}\n{code}\n{said}\n{members(entry, links)}</section>'


def html(sections, links):
    parts, taken = [INTRODUCTION], {}
    for section in sections:
        name = text.anchor(section.title, taken)
        parts.append(f'<h2 id="{name}">{escape(section.title)}</h2>')
        if section.says:
            parts.append(text.comment(section.says, links))
        parts.extend(entry_html(entry, links) for entry in section.entries)
    return text.with_marks("\n".join(parts))
