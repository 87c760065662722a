#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a C array of text files, one after the other: embed.py OUTPUT NAME INPUT... Comments are
left out: they would only be compiled again on each machine."""
import pathlib
import re
import sys

output, name, *sources = sys.argv[1:]
text = "\n".join(pathlib.Path(source).read_text() for source in sources)
text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
text = "\n".join(line for line in map(str.rstrip, text.splitlines()) if line) + "\n"
numbers = ", ".join(map(str, text.encode("ascii") + b"\0"))
pathlib.Path(output).write_text(f"static const char {name}[] = {{{numbers}}};\n")
