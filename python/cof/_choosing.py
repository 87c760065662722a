# SPDX-License-Identifier: BSD-2-Clause
"""Foreground and background: masks of scribbles, and what keeps one and changes the other."""
from __future__ import annotations

from ctypes import byref, c_double, c_void_p
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import View, given_back, mask_view, result_like, view_of
from ._models import Model
from ._options import filtering, learning


def select(image: ArrayLike, scribble: ArrayLike, background: Optional[ArrayLike] = None, *,
           window: int = 31, num_iter: int = 20, threshold: Optional[float] = None,
           model: Optional[Model] = None, channel_axis: Optional[int] = -1,
           kind: Optional[str] = None, n_threads: Optional[int] = None, progress: Optional[c.Tell] = None,
           **options: Any) -> np.ndarray:
    """The mask of what the scribbled pixels belong to, as an array of bool.

    >>> import cof, numpy as np
    >>> image = np.zeros((30, 40, 3), np.uint8); image[:, 20:] = 200
    >>> marks = np.zeros((30, 40), bool); marks[10:12, 5:10] = True
    >>> other = np.zeros((30, 40), bool); other[10:12, 30:35] = True
    >>> bool(cof.select(image, marks, other)[0, 0])
    True
    """
    if model is not None and options:
        raise TypeError(f"a model has learned already: it needs no {sorted(options)[0]}")
    if model is not None and not isinstance(model, Model):
        raise TypeError(f"a model is a Model, not {type(model).__name__}")
    if threshold is not None and not 0 < threshold <= 1:
        raise ValueError(f"a threshold is above 0, and 1 at most, not {threshold}")
    view = view_of(image, channel_axis, kind=kind)
    marks = mask_view(scribble, view, "scribble")
    others = None if background is None else mask_view(background, view, "background scribble")
    if model is None:
        model = Model.fit(image, window=min(window, 63), channel_axis=channel_axis, kind=kind,
                          n_threads=n_threads, **options)
    soft = View(np.empty(view.array.shape[:2], np.float32))
    mask = View(np.empty(view.array.shape[:2], np.uint8))
    found = c_double(threshold or 0)  # 0: it is looked for
    how = filtering(filter_window=window, num_iter=num_iter)
    given = (model._handle, view.pointer, marks.pointer, others and others.pointer, soft.pointer)
    call = c.Call(n_threads=n_threads, progress=progress, **how)
    call.may_take_long(view.pixels)("cof_select", *given)
    c.Call(n_threads=n_threads, **how)("cof_select_mask", *given, byref(found), mask.pointer)
    return mask.array != 0


def focus(image: ArrayLike, mask: ArrayLike, *, num_iter: int = 5, gap: float = 3,
          prior: bool = True, channel_axis: Optional[int] = -1, kind: Optional[str] = None,
          n_threads: Optional[int] = None, progress: Optional[c.Tell] = None, evidence: str = "pairs",
          **options: Any) -> np.ndarray:
    """The image with a smooth background; what the mask shows stays as it is.

    `prior`: the mask has a say in what is foreground, besides what is learned from it. `gap`:
    pixels around the mask that nothing is learned from. `num_iter`: passes over the background.

    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 99, (30, 40, 3), np.uint8)
    >>> image[:, 20:] += 100
    >>> mask = np.zeros((30, 40), bool); mask[:, 20:] = True
    >>> result = cof.focus(image, mask)
    >>> bool(result[:, :15].std() < image[:, :15].std() / 2)
    True
    """
    view = view_of(image, channel_axis, kind=kind)
    shape = mask_view(mask, view)
    if not shape.array.any() or shape.array.all():
        raise ValueError("the mask must show something, and leave something")
    out = result_like(view)
    foreground, background = c_void_p(), c_void_p()
    c.Call(n_threads=n_threads, **learning(**options))(
        "cof_model_new_pair", byref(foreground), byref(background), view.pointer, shape.pointer,
        c_double(gap))
    models = Model._of(foreground), Model._of(background)
    thought = View(np.where(shape.array, np.float32(0.97), np.float32(0.03))) if prior else None
    call = c.Call(n_threads=n_threads, progress=progress,
                  evidence=c.choice("evidence", evidence, c.EVIDENCES),
                  **filtering(num_iter=num_iter))
    call.may_take_long(view.pixels)("cof_focus", models[0]._handle, models[1]._handle,
                                    thought and thought.pointer, None, view.pointer, out.pointer)
    return given_back(out, image, channel_axis)
