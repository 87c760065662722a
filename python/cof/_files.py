# SPDX-License-Identifier: BSD-2-Clause
"""Files that hold statistics, a model, or two models."""
from __future__ import annotations

from ctypes import byref, c_int
from typing import Tuple, Union

from . import _library as c
from ._handles import Path, read_file, saved_bytes, write_atomically
from ._learning import Model, Stats, model_of


def load(path: Path) -> Union[Stats, Model, Tuple[Model, Model]]:
    """Reads any .cof file.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Stats, Model, or tuple of two Models
        What the file holds: statistics, a model, or the models of a foreground and a background.
    """
    data, kind = read_file(path), c_int()
    c.lib.call("cof_file_kind", data, len(data), byref(kind))
    if kind.value == c.FILE_STATS:
        return Stats.from_bytes(data)
    first, second = Model._new(), Model._new()
    if kind.value == c.FILE_PAIR:
        c.lib.call("cof_model_load_pair", byref(first), byref(second), data, len(data))
        return Model._of(first), Model._of(second)
    c.lib.call("cof_model_load", byref(first), data, len(data))
    return Model._of(first)


def save_pair(path: Path, foreground: Model, background: Model) -> None:
    """Writes the models of a foreground and a background into one .cof file, for load().

    Parameters
    ----------
    path : str or path
        The file, which is replaced atomically.
    foreground, background : Model
        Models with one palette, as Model.fit_pair() makes them.
    """
    write_atomically(path, saved_bytes("cof_model_save_pair",
                                       model_of(foreground, "foreground")._handle,
                                       model_of(background, "background")._handle))
