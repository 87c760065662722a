# SPDX-License-Identifier: GPL-2.0-or-later
"""Parameters of QGIS for the options of libcof. options.json is made from the library's own table
when the plug-in is packed."""
import json
import pathlib

from qgis.core import (QgsProcessingParameterDefinition, QgsProcessingParameterEnum,
                       QgsProcessingParameterNumber)

OPTIONS = json.loads((pathlib.Path(__file__).parent / "options.json").read_text())
COMMON = ("preset", "size", "window", "iterations", "strength")


def of_groups(*groups):
    """Options of these groups, in the order of the table; common ones first."""
    found = [option for option in OPTIONS if option["group"] in groups]
    return sorted(found, key=lambda option: option["name"] not in COMMON)


def parameter_name(option):
    return option["name"].upper()


def parameter(option):
    """All are optional: what is not set has the value of the preset, or the default."""
    name, text = parameter_name(option), f"{option['label']}: {option['help']}"
    if option["type"] == "choice":
        made = QgsProcessingParameterEnum(name, text, options=option["choices"], optional=True,
                                          usesStaticStrings=True)
    else:
        numbers = QgsProcessingParameterNumber
        is_real = option["type"] == "real"
        made = numbers(name, text, type=numbers.Double if is_real else numbers.Integer,
                       optional=True, minValue=option["minimum"], maxValue=option["maximum"])
    made.setHelp(option["values"])
    if option["name"] not in COMMON:
        made.setFlags(made.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
    return made


def is_number(value):
    """QGIS takes text that is not a number for the default, without a word."""
    try:
        float(value)
    except ValueError:
        return False
    except TypeError:  # a property, which QGIS evaluates
        pass
    return True


def problem(option, value):
    """What is wrong with a value that QGIS' own checks accept; None: nothing."""
    if option["type"] in ("choice", "real"):
        return None
    lowest = option["lowest"]  # 0 is also allowed if it stands for something automatic
    if 0 < value < lowest or (option["odd"] and value % 2 == 0 and not (
            value == 0 and option["minimum"] == 0)):
        return f"{option['label']} must be {option['values']}, not {value}"
    return None


def argument(option, text):
    return f"--{option['name'].replace('_', '-')}={text}"
