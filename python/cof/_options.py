# SPDX-License-Identifier: BSD-2-Clause
"""Options in the words of Python, as fields of libcof's."""
from __future__ import annotations

from ctypes import byref, c_int
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from . import _library as c

# Of the options of learning, those that a model can be made with once all is counted.
OF_MODELS = ("sigma", "softness", "normalise", "preset")


# Of the options of learning, those that counting needs.
OF_COUNTS = ("window", "n_clusters", "levels", "rng")


def _number(name: str, word: Optional[str], table: Mapping[str, int]) -> Optional[int]:
    return None if word is None else c.choice(name, word, table)


def learning(window: Optional[int] = None, sigma: Optional[float] = None,
             n_clusters: Optional[int] = None, levels: Optional[int] = None,
             softness: Optional[float] = None, preset: Optional[str] = None,
             normalise: Optional[str] = None, rng: Optional[int] = None) -> Dict[str, Any]:
    """Of learning. None: as the preset has it, or else the library."""
    return dict(window=window, sigma=sigma, colours=n_clusters, levels=levels, softness=softness,
                preset=_number("preset", preset, c.PRESETS), seed=rng,
                normalise=_number("normalise", normalise, c.NORMALISATIONS))


def filtering(filter_window: Optional[int] = None, filter_sigma: Optional[float] = None,
              num_iter: Optional[int] = None, mode: Optional[str] = None,
              space: Optional[str] = None, method: Optional[str] = None,
              accuracy: Optional[float] = None, repeat: Optional[str] = None,
              until: Optional[float] = None, preset: Optional[str] = None,
              coarse: Optional[int] = None) -> Dict[str, Any]:
    """Of filtering, likewise."""
    return dict(preset=_number("preset", preset, c.PRESETS), filter_window=filter_window,
                filter_sigma=filter_sigma, iterations=num_iter,
                border=_number("mode", mode, c.MODES), space=_number("space", space, c.SPACES),
                accuracy=accuracy, method=_number("method", method, c.METHODS), until=until,
                repeat=_number("repeat", repeat, c.REPEATS), coarse=coarse)


def parted(options: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Those of learning, and all others."""
    learned = {name: value for name, value in options.items() if name in OF_COUNTS + OF_MODELS}
    return learned, {name: value for name, value in options.items() if name not in learned}


def fields(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Of both."""
    learned, rest = parted(options)
    return {**learning(**learned), **given(**filtering(**rest))}


def given(**options: Any) -> Dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def look(name: str, height: int, width: int) -> Dict[str, Any]:
    """The options of smooth() that a look sets for a picture of that size.

    >>> import cof
    >>> cof.look('texture', 400, 400)['num_iter'], cof.look('texture', 4000, 6000)['coarse']
    (8, 12)
    """
    number = c.choice("look", name, c.LOOKS)
    if height < 1 or width < 1:
        raise ValueError(f"a picture has no size {height} x {width}")
    o = c.Call().options
    c.lib.cof_options_look(byref(o), c_int(number), c_int(width), c_int(height))
    method, repeat = (next(word for word, value in table.items() if value == number)
                      for table, number in ((c.METHODS, o.method), (c.REPEATS, o.repeat)))
    return dict(window=o.window, n_clusters=o.colours, levels=o.levels, softness=o.softness,
                num_iter=o.iterations, method=method, repeat=repeat, coarse=o.coarse)


def looked(name: Optional[str], shape: Sequence[int], options: Mapping[str, Any]) -> Dict[str, Any]:
    """With what a look, if there is one, has for a picture of that shape; what is given goes first."""
    if name is None:
        return dict(options)
    if options.get("preset") is not None:
        raise ValueError("a look sets what a preset does: give one of them")
    return {**look(name, shape[0], shape[1]), **options}


def split(options: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Those for a Stats, and those for a model that is made of it."""
    strange = set(options) - set(OF_COUNTS) - set(OF_MODELS)
    if strange:
        raise TypeError(f"there is no option {sorted(strange)[0]!r}")
    counts, models = ({name: options[name] for name in names if name in options}
                      for names in (OF_COUNTS, OF_MODELS))
    return counts, models
