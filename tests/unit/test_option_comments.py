#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The comments of CofOptions in cof.h give the ranges and defaults of the option table.

usage: test_option_comments.py ROOT
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".")
HEADER = (ROOT / "include" / "cof" / "cof.h").read_text()
TABLE = (ROOT / "src" / "options" / "options.def").read_text()

CONSTANTS = dict(re.findall(r"#define (COF_MAX_\w+) (\d+)", HEADER))

# The arguments of each macro before the label.
NUMBERS = ["minimum", "maximum", "initial"]
MACROS = {"CHOICE": ["initial", "words"], "INT": NUMBERS, "ODD": NUMBERS, "REAL": NUMBERS,
          "INT_AUTO": NUMBERS, "ODD_AUTO": NUMBERS, "REAL_AUTO": NUMBERS, "SEED": []}


def arguments(text):
    """Splits at commas that are outside of parentheses and strings."""
    parts, depth, quoted = [""], 0, False
    for char in text:
        quoted ^= char == '"'
        depth += 0 if quoted else (char == "(") - (char == ")")
        if char == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def table():
    rows = {}
    code = re.sub(r"/\*.*?\*/", "", TABLE, flags=re.S)
    for macro, rest in re.findall(r"^OPTION_(\w+)\((.*?)\)$", code, re.M | re.S):
        if macro == "PRESET":
            continue
        name, _, _, *values = arguments(rest)
        rows[name] = {"macro": macro, "initial": "0", **dict(zip(MACROS[macro], values))}
    return rows


def comments():
    """The comment of each field of CofOptions."""
    body = re.search(r"typedef struct CofOptions \{(.*?)^\} CofOptions;", HEADER, re.S | re.M)
    found = {}
    for names, comment in re.findall(r"^    \w+ ([\w, ]+);\s*/\*(.*?)\*/", body.group(1),
                                     re.M | re.S):
        for name in names.split(", "):
            found[name] = re.sub(r"\s*\n\s*\*\s*", " ", comment).strip()
    return found


def number(text):
    text = CONSTANTS.get(text, text)
    return float(text) if re.match(r"-?[\d.]", text) else text


class Comments(unittest.TestCase):
    def test_every_option_has_a_comment(self):
        self.assertGreater(len(table()), 20)
        self.assertLessEqual(table().keys(), comments().keys())

    def test_ranges(self):
        for name, row in table().items():
            comment = comments()[name]
            ranges = re.findall(r"(-?[\d.]+?)\.\.([\de.]*\d)", comment)
            if row["macro"] in ("CHOICE", "SEED") or name in ("low", "high"):
                self.assertEqual(ranges, [], name)
                continue
            self.assertEqual([tuple(map(float, limits)) for limits in ranges],
                             [(number(row["minimum"]), number(row["maximum"]))], name)

    def test_odd_and_automatic_values(self):
        for name, row in table().items():
            comment = comments()[name]
            self.assertEqual("odd" in re.findall(r"\w+", comment), "ODD" in row["macro"], name)
            if row["macro"].endswith("_AUTO"):
                self.assertRegex(comment, r"\b0 = ", name)

    def test_defaults(self):
        for name, row in table().items():
            defaults = re.findall(r"\bdefault ([\w.]*\w)", comments()[name])
            self.assertEqual([number(default) for default in defaults], [number(row["initial"])],
                             name)


if __name__ == "__main__":
    unittest.main()
