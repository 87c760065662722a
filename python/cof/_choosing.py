# SPDX-License-Identifier: BSD-2-Clause
"""Foreground and background: masks of scribbles, and what keeps one and changes the other."""
from ctypes import byref, c_double, c_void_p

import numpy as np

from . import _library as c
from ._arrays import View, given_back, mask_view, result_like, view_of
from ._models import Model, filtering, learning


def select(image, scribble, background=None, *, window=31, num_iter=20, threshold=None,
           model=None, channel_axis=-1, n_threads=None, progress=None, **options):
    """The mask of what the scribbled pixels belong to, as an array of bool.

    >>> import cof, numpy as np
    >>> image = np.zeros((30, 40, 3), np.uint8); image[:, 20:] = 200
    >>> marks = np.zeros((30, 40), bool); marks[10:12, 5:10] = True
    >>> other = np.zeros((30, 40), bool); other[10:12, 30:35] = True
    >>> bool(cof.select(image, marks, other)[0, 0])
    True
    """
    view = view_of(image, channel_axis)
    marks = mask_view(scribble, view, "scribble")
    others = None if background is None else mask_view(background, view, "background scribble")
    if model is None:
        model = Model.fit(image, window=min(window, 63), channel_axis=channel_axis,
                          n_threads=n_threads, **options)
    soft = View(np.empty(view.array.shape[:2], np.float32))
    mask = View(np.empty(view.array.shape[:2], np.uint8))
    found = c_double(threshold or 0)
    call = c.Call(n_threads=n_threads, progress=progress,
                  **filtering(filter_window=window, num_iter=num_iter))
    given = (model._handle, view.pointer, marks.pointer, others and others.pointer, soft.pointer)
    call("cof_select", *given)
    call("cof_select_mask", *given, byref(found), mask.pointer)
    return mask.array != 0


def focus(image, mask, *, num_iter=5, gap=3, prior=True, channel_axis=-1, n_threads=None,
          progress=None, evidence="pairs", **options):
    """The image with a smooth background; what the mask shows stays as it is.

    `prior`: the mask has a say in what is foreground, besides what is learned from it.
    """
    view = view_of(image, channel_axis)
    shape = mask_view(mask, view)
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
    call("cof_focus", models[0]._handle, models[1]._handle, thought and thought.pointer, None,
         view.pointer, out.pointer)
    return given_back(out, image, channel_axis)
