# SPDX-License-Identifier: BSD-2-Clause
"""python3 -m cof: the version, the library and its options."""
from . import _library as c
from ._options import default_text, range_text


def main() -> None:
    print(f"libcof {c.version()}\nlibrary: {c.lib.path}\n\noptions:")
    for name, option in c.lib.table.items():
        values = ", ".join(option.choices) or range_text(option) or "any number"
        print(f"  {name:18} {option.help} ({values}; default {default_text(option)})")


if __name__ == "__main__":
    main()
