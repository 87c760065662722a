# SPDX-License-Identifier: BSD-2-Clause
"""One call that learns and filters."""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import given_back, mask_view, result_like, view_of
from ._models import Model
from ._options import fields, given, looked


def smooth(image: ArrayLike, *, look: Optional[str] = None, window: Optional[int] = None,
           sigma: Optional[float] = None, n_clusters: Optional[int] = None,
           softness: Optional[float] = None, num_iter: Optional[int] = None,
           method: Optional[str] = None, guide: Optional[ArrayLike] = None,
           labels: Optional[ArrayLike] = None, mask: Any = None,
           learn_from: Union[None, ArrayLike, Sequence[ArrayLike]] = None,
           model: Optional[Model] = None, mode: Optional[str] = None,
           channel_axis: Optional[int] = -1, kind: Optional[str] = None,
           preset: Optional[str] = None, n_threads: Optional[int] = None, rng: int = 0,
           progress: Optional[c.Tell] = None, levels: Optional[int] = None,
           normalise: Optional[str] = None, filter_window: Optional[int] = None,
           filter_sigma: Optional[float] = None, space: Optional[str] = None,
           accuracy: Optional[float] = None, repeat: Optional[str] = None,
           until: Optional[float] = None, coarse: Optional[int] = None) -> np.ndarray:
    """Smooths textures and keeps the boundaries between them.

    Takes uint8, uint16, float32 or float64, grey (2 dimensions), RGB, RGBA or up to 64 bands, in
    any layout, and returns an array of the same shape and dtype. Float colour is 0..1. `kind` tells
    what channels mean: 'grey', 'grey-alpha', 'rgb', 'rgba' (alpha is kept, and weighs votes) or
    'bands'; None: the first four of these for 1, 2, 3 and 4 channels, else bands. Pixels that a
    masked array hides, or that are not finite, have no data: they stay as they are.

    `look`: 'subtle' takes away grain and the finest texture; 'texture' all texture, and keeps
    boundaries; 'cartoon' paints in a few colours. It sets what follows, by the size of the image,
    where that is None.

    `window`: side in pixels, odd, 1 to 63 (15). `sigma`: of the Gaussian inside it. `n_clusters`:
    how many colours are told apart, 1 to 256 (32); grey has `levels` (256). `softness`: how far a
    colour counts for those near it; 0 is hard. `num_iter`: passes (1). `mode`: what lies beyond the
    image: 'clip' (nothing), 'mirror', 'reflect101'. `method`: 'exact' (this), 'fast', 'auto'.
    `preset`: 'paper', 'authors' or 'app' gives what is None: softness 0.75 and 'clip' for the
    paper. `coarse`: learn from the image reduced by this factor, and make all passes but the last
    on that: for windows that are larger than 63 pixels.

    `mask`: learn only where it is not 0. `learn_from`: learn from this image, or a list of them.
    `model`: learn nothing. `guide`: let the values of this image decide what mixes. `labels`: let
    these integers, 0 to 255, decide, and learn which of them occur together.

    `n_threads`: None is one for each core; the result is the same. `progress`: called with 0..1;
    if it returns something true, the call ends with Cancelled.

    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> cof.smooth(image, window=7).shape
    (40, 50, 3)
    >>> cof.smooth(image, look='texture').dtype
    dtype('uint8')
    """
    learned = given(
        window=window, sigma=sigma, n_clusters=n_clusters, levels=levels, softness=softness,
        preset=preset, normalise=normalise, rng=rng)
    filtered = given(
        filter_window=filter_window, filter_sigma=filter_sigma, num_iter=num_iter, mode=mode,
        space=space, method=method, accuracy=accuracy, repeat=repeat, until=until, preset=preset)
    if np.size(image) == 0:
        return np.array(image)
    if model is not None and (learn_from is not None or mask is not None):
        raise ValueError("a model has learned already: it needs no learn_from and no mask")
    if model is None:
        lesson = given(look=look, coarse=coarse, **learned)
        model = _learned(guide, labels, mask, learn_from, channel_axis, kind, n_threads, lesson)
    if model is not None:
        return model.apply(image, guide=guide, labels=labels, channel_axis=channel_axis, kind=kind,
                           n_threads=n_threads, progress=progress,
                           **given(look=look, coarse=coarse, **filtered))
    view = view_of(image, channel_axis, kind=kind)
    out = result_like(view)
    where = c.Where()
    if mask is not None:
        shape = mask_view(mask, view)
        where.mask = ctypes.pointer(shape.image)
    every = looked(look, view.array.shape, given(coarse=coarse, **{**learned, **filtered}))
    call = c.Call(n_threads=n_threads, progress=progress, **fields(every))
    call.may_take_long(view.pixels)("cof_smooth_where", view.pointer, out.pointer,
                                    c.byref(where))
    return given_back(out, image, channel_axis)


def _learned(guide: Any, labels: Any, mask: Any, learn_from: Any, channel_axis: Optional[int],
             kind: Optional[str], n_threads: Optional[int], options: Any) -> Optional[Model]:
    """A model of something else than the image; None: it is learned from the image."""
    if labels is not None:
        if learn_from is not None or guide is not None:
            raise ValueError("labels need no other image: give a guide or labels, not both")
        if "look" in options or options.get("coarse", 1) != 1:
            raise ValueError("labels cannot be reduced: neither look nor coarse goes with them")
        return Model.fit_labels(labels, mask=mask, n_threads=n_threads, **options)
    if learn_from is None and guide is None:
        return None
    source = learn_from if learn_from is not None else guide
    kind = kind if guide is None else None  # of the image, not of the guide
    one = source[0] if isinstance(source, (list, tuple)) and source else source
    axis = channel_axis if np.ndim(one) == 3 else None
    return Model.fit(source, mask=mask, channel_axis=axis, kind=kind, n_threads=n_threads,
                     **options)
