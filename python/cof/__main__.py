# SPDX-License-Identifier: BSD-2-Clause
"""python3 -m cof: the version, the library, the processor, the devices and the options."""
from . import _library as c
from ._call import devices
from ._options import default_text, range_text


def main() -> None:
    names = ", ".join(f"{device.name} ({device.platform})" for device in devices())
    print(f"libcof {c.version()}\nlibrary: {c.lib.path}\n"
          f"instruction set: {c.lib.c.cof_cpu_level().decode()}\n"
          f"devices: {names or 'none'}\n\noptions:")
    for name, option in c.lib.table.items():
        values = ", ".join(option.choices) or range_text(option) or "any number"
        print(f"  {name:18} {option.help} ({values}; default {default_text(option)})")


if __name__ == "__main__":
    main()
