#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes a C array of a text file: embed.py INPUT OUTPUT NAME. Comments are left out: they would
only be compiled again on each machine."""
import pathlib
import re
import sys

source, output, name = sys.argv[1:]
text = re.sub(r"/\*.*?\*/", "", pathlib.Path(source).read_text(), flags=re.S)
text = "\n".join(line for line in map(str.rstrip, text.splitlines()) if line) + "\n"
numbers = ", ".join(map(str, text.encode("ascii") + b"\0"))
pathlib.Path(output).write_text(f"static const char {name}[] = {{{numbers}}};\n")
