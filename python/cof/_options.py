# SPDX-License-Identifier: BSD-2-Clause
"""Options in the words of Python, as fields of libcof's."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Tuple

from . import _library as c

# Of the options of learning, those that a model can be made with once all is counted.
OF_MODELS = ("sigma", "softness", "normalise", "preset")


# Of the options of learning, those that counting needs.
OF_COUNTS = ("window", "n_clusters", "levels", "rng")


def learning(window: int = 15, sigma: Optional[float] = None, n_clusters: int = 32,
             levels: int = 256, softness: Optional[float] = None, preset: str = "paper",
             normalise: Optional[str] = None, rng: int = 0) -> Dict[str, Any]:
    """Of learning. None: as the preset has it."""
    return dict(window=window, sigma=sigma, colours=n_clusters, levels=levels, softness=softness,
                preset=c.choice("preset", preset, c.PRESETS), seed=rng,
                normalise=None if normalise is None
                else c.choice("normalise", normalise, c.NORMALISATIONS))


def filtering(filter_window: Optional[int] = None, filter_sigma: Optional[float] = None,
              num_iter: int = 1, mode: Optional[str] = None, space: str = "lab",
              method: str = "exact", accuracy: Optional[float] = None, repeat: str = "frozen",
              until: Optional[float] = None, preset: str = "paper") -> Dict[str, Any]:
    """Of filtering, likewise."""
    return dict(preset=c.choice("preset", preset, c.PRESETS), filter_window=filter_window,
                filter_sigma=filter_sigma, iterations=num_iter,
                border=None if mode is None else c.choice("mode", mode, c.MODES),
                space=c.choice("space", space, c.SPACES), accuracy=accuracy,
                method=c.choice("method", method, c.METHODS), until=until,
                repeat=c.choice("repeat", repeat, c.REPEATS))


def split(options: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Those for a Stats, and those for a model that is made of it."""
    strange = set(options) - set(OF_COUNTS) - set(OF_MODELS)
    if strange:
        raise TypeError(f"there is no option {sorted(strange)[0]!r}")
    counts, models = ({name: options[name] for name in names if name in options}
                      for names in (OF_COUNTS, OF_MODELS))
    return counts, models
