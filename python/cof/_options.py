# SPDX-License-Identifier: BSD-2-Clause
"""Options as keywords, described by the option table of the library."""
from __future__ import annotations

import difflib
import functools
import inspect
import textwrap
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, TypeVar, Union
from typing import cast

from . import _library as c
from ._warn import one_call

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)
Group = Union[int, str]  # a CofOptionGroup, or the name of one option

_AMERICAN = {"colors": "colours", "normalize": "normalise"}

# What an option is called in other libraries.
_FOREIGN = {
    "borderType": "border", "boundary": "border", "mode": "border", "padding": "border",
    "d": "window", "diameter": "window", "eps": "tolerance", "filter_size": "window",
    "k": "colours", "ksize": "window", "max_iter": "iterations", "max_num_iter": "iterations",
    "multichannel": "channel_axis", "n_clusters": "colours", "n_colors": "colours",
    "n_iter": "iterations", "n_jobs": "threads", "n_threads": "threads",
    "num_iter": "iterations", "num_threads": "threads", "num_workers": "threads",
    "passes": "iterations", "radius": "window", "random_state": "seed", "rng": "seed",
    "rounds": "iterations", "sigma_s": "sigma", "sigma_space": "sigma", "sigma_spatial": "sigma",
    "sigmaSpace": "sigma", "tol": "tolerance", "win_size": "window", "window_size": "window",
    "workers": "threads"}

_GROUPS = {c.GENERAL: "general", c.LEARN: "learning", c.MODEL: "the model", c.FILTER: "filtering",
           c.SELECT: "selection", c.RUN: "execution"}

# Keywords of all functions that have options: the last fields of CofOptions.
_EXECUTION = {
    "progress": ("Callable[[float], Any]", "callable",
                 "Called with the finished fraction, 0 to 1. If it returns something true, the "
                 "call ends with CancelledError."),
    "report": ("Report", "Report", "Receives times, passes and changes."),
    "context": ("Context", "Context", "Threads and memory that are kept between calls."),
}


def names(*groups: Group) -> List[str]:
    """The options of these groups, and those given by name, in the order of the table."""
    return [name for name, option in c.lib.table.items()
            if option.group in groups or name in groups]


def pick(options: Mapping[str, Any], *groups: Group, execution: bool = True) -> Dict[str, Any]:
    """The options that belong to these groups; with `execution`, also progress and the like."""
    wanted = set(names(*groups)) | (set(_EXECUTION) if execution else set())
    return {name: value for name, value in options.items() if name in wanted}


def _suggestion(name: str, allowed: Sequence[str]) -> str:
    if _FOREIGN.get(name) in allowed:
        return f": did you mean '{_FOREIGN[name]}'?"
    if f"spread_{name}" in allowed:
        return f": did you mean 'spread_{name}'?"
    if name in c.lib.table:
        group = _GROUPS[c.lib.table[name].group]
        return f": the option belongs to {group} and has no effect here"
    near = difflib.get_close_matches(name, allowed, 1)
    return f": did you mean '{near[0]}'?" if near else ""


def checked(function: str, keywords: Mapping[str, Any], options: Sequence[str],
            parameters: Sequence[str] = ()) -> Dict[str, Any]:
    """Keywords with British spelling and without None; TypeError for those not in `options`."""
    found = {}
    for given, value in keywords.items():
        name = _AMERICAN.get(given, given)
        if name not in options:
            hint = _suggestion(given, [*options, *parameters])
            raise TypeError(f"{function}() got an unexpected keyword '{given}'{hint}")
        if name in found or (given != name and name in keywords):
            raise TypeError(f"{function}() got both '{given}' and '{name}'")
        if value is not None:
            found[name] = value
    if "size" in found and "preset" not in found:
        raise TypeError(f"{function}() got a 'size' without a 'preset'")
    return found


def number_text(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e9 else f"{value:g}"


def range_text(option: c.Option) -> str:
    """The allowed numbers, such as 'an odd number from 1 to 63'."""
    if option.type in (c.CHOICE, c.UINT64) or option.maximum > 1e30:
        return ""
    bounds = f"{number_text(option.minimum)} to {number_text(option.maximum)}"
    odd = "an odd number from " if option.flags & c.ODD else ""
    automatic = f" or 0 = {option.automatic}" if option.flags & c.AUTO else ""
    return odd + bounds + automatic


def default_text(option: c.Option) -> str:
    if option.flags & c.NO_FIELD:
        return "none"
    if option.type == c.CHOICE:
        return repr(option.choices[int(option.default_value)])
    return number_text(option.default_value)


def _parameter_text(option: c.Option) -> str:
    kind = {c.INT: "int", c.UINT64: "int", c.DOUBLE: "float",
            c.CHOICE: "{" + ", ".join(map(repr, option.choices)) + "}"}[option.type]
    sentences = [option.help, range_text(option), f"default: {default_text(option)}"]
    body = " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)
    return _numpydoc(option.name, kind, body)


def _numpydoc(name: str, kind: str, body: str) -> str:
    return f"{name} : {kind}, optional\n" + textwrap.indent(textwrap.fill(body, 88), "    ")


def _documentation(options: Sequence[str]) -> str:
    parts = [_parameter_text(c.lib.table[name]) for name in options if name in c.lib.table]
    parts += [_numpydoc(name, kind, body) for name, (_, kind, body) in _EXECUTION.items()
              if name in options]
    return "\n".join(parts)


def _with_documentation(text: Optional[str], options: Sequence[str]) -> Optional[str]:
    """Replaces the line {options} by the parameters that the options are."""
    lines = []
    for line in (text or "").split("\n"):
        if line.strip() == "{options}":
            indent = line[:line.index("{")]
            line = textwrap.indent(_documentation(options), indent)
        lines.append(line)
    return "\n".join(lines) if text else None


def _annotation(option: c.Option) -> Any:
    if option.type == c.CHOICE:
        return Optional[Literal.__getitem__(option.choices)]  # type: ignore[attr-defined]
    return Optional[float] if option.type == c.DOUBLE else Optional[int]


def _parameters(options: Sequence[str]) -> List[inspect.Parameter]:
    kinds = {name: f"Optional[{kind}]" for name, (kind, _, _) in _EXECUTION.items()}
    return [inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None,
        annotation=_annotation(c.lib.table[name]) if name in c.lib.table else kinds[name])
        for name in options]


def takes_options(*groups: Group, without: Sequence[str] = (),
                  execution: bool = True) -> Callable[[Function], Function]:
    """For functions with **options: checks the keywords, which are the options of these groups and
    of execution, and adds them to the signature and to the docstring, in place of {options}."""
    options = names(*groups, c.RUN) + [*_EXECUTION] if execution else names(*groups)
    options = [name for name in options if name not in without]

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind != p.VAR_KEYWORD]
        own_names = [p.name for p in own]

        @functools.wraps(function)
        def wrapper(*arguments: Any, **keywords: Any) -> Any:
            british = {_AMERICAN.get(name, name): name for name in keywords}
            for name in keywords:
                last = british[_AMERICAN.get(name, name)]
                if last != name:
                    raise TypeError(f"{function.__qualname__}() got both '{name}' and '{last}'")
            plain = {name: keywords[british[name]] for name in own_names if name in british}
            given = {name: value for name, value in keywords.items()
                     if _AMERICAN.get(name, name) not in own_names}
            found = checked(function.__qualname__, given, options, own_names)
            with one_call():
                return function(*arguments, **plain, **found)
        wrapper.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*own, *_parameters(options)])
        wrapper.__doc__ = _with_documentation(function.__doc__, options)
        wrapper._options = options  # type: ignore[attr-defined]
        return cast(Function, wrapper)
    return decorate


def documents_options(cls: Class) -> Class:
    """For classes whose __init__ takes options."""
    cls.__doc__ = _with_documentation(cls.__doc__, cls.__init__._options)  # type: ignore[misc]
    return cls


def preset(name: str, height: int, width: int, size: float = 1) -> Dict[str, Any]:
    """The options that a preset sets for an image of that size.

    Parameters
    ----------
    name : str
        The name of the preset, such as 'texture'.
    height, width : int
        The size of the image in pixels.
    size : float, optional
        The size of what the preset smooths, 0.25 to 4: 0.5 is fine, 2 is coarse.

    Returns
    -------
    dict
        Keywords of smooth().

    Examples
    --------
    >>> import cof
    >>> small, large = cof.preset('texture', 400, 400), cof.preset('texture', 4000, 6000)
    >>> small['iterations'], small['downscale'], large['downscale']
    (4, 1, 12)
    """
    options = c.lib.new_options()
    c.lib.set_preset(options, name, height, width, size)
    return {name: c.lib.get_option(options, name) for name, option in c.lib.table.items()
            if option.flags & c.SET_BY_PRESET and not option.flags & c.NO_FIELD}


def without_preset(options: Mapping[str, Any], height: int, width: int) -> Dict[str, Any]:
    """The options with those of the preset, if there is one, in place of its name and size."""
    if "preset" not in options:
        return dict(options)
    rest = {name: value for name, value in options.items() if name not in ("preset", "size")}
    made = c.lib.new_options()
    c.lib.set_preset(made, options["preset"], height, width, options.get("size"))
    if "variant" in rest:
        c.lib.set_option(made, "variant", rest["variant"])
    flags = c.SET_BY_PRESET | c.SET_BY_VARIANT
    if "downscale" in rest:  # as in Call
        made.filter_downscale = rest["downscale"]
    return {**{name: c.lib.get_option(made, name) for name, option in c.lib.table.items()
               if option.flags & flags and not option.flags & c.NO_FIELD}, **rest}
