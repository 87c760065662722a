# SPDX-License-Identifier: BSD-2-Clause
"""One call that learns and filters."""
import ctypes

import numpy as np

from . import _library as c
from ._arrays import given_back, mask_view, result_like, view_of
from ._models import Model, filtering, learning


def smooth(image, *, window=15, sigma=None, n_clusters=32, softness=None, num_iter=1,
           method="exact", guide=None, labels=None, mask=None, learn_from=None, model=None,
           mode=None, channel_axis=-1, preset="paper", n_threads=None, rng=0, progress=None,
           levels=256, normalise=None, filter_window=None, filter_sigma=None, space="lab",
           accuracy=None, repeat="frozen", until=None):
    """Smooths textures and keeps the boundaries between them.

    Takes uint8, uint16, float32 or float64, grey (2 dimensions), RGB, RGBA or up to 64 bands, in
    any layout, and returns an array of the same shape and dtype. Float colour is 0..1.

    `mask`: learn only where it is not 0. `learn_from`: learn from this image, or a list of them.
    `model`: learn nothing. `guide`: let the values of this image decide what mixes.

    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> cof.smooth(image, window=7).shape
    (40, 50, 3)
    """
    if np.size(image) == 0:
        return np.array(image)
    learned = dict(window=window, sigma=sigma, n_clusters=n_clusters, levels=levels,
                   softness=softness, preset=preset, normalise=normalise, rng=rng)
    filtered = dict(filter_window=filter_window, filter_sigma=filter_sigma, num_iter=num_iter,
                    mode=mode, space=space, method=method, accuracy=accuracy, repeat=repeat,
                    until=until, preset=preset)
    running = dict(n_threads=n_threads, progress=progress)
    source = learn_from if learn_from is not None else guide
    if labels is not None and model is None:
        raise ValueError("labels need a model that has been learned with them")
    if model is None and source is not None:
        model = Model.fit(source, mask=mask, channel_axis=channel_axis, n_threads=n_threads,
                          **learned)
    if model is not None:
        return model.apply(image, guide=guide, labels=labels, channel_axis=channel_axis,
                           **running, **filtered)
    view = view_of(image, channel_axis)
    out = result_like(view)
    where = c.Where()
    if mask is not None:
        shape = mask_view(mask, view)
        where.mask = ctypes.pointer(shape.image)
    call = c.Call(**{**learning(**learned), **filtering(**filtered)}, **running)
    call("cof_smooth_where", view.pointer, out.pointer, c.byref(where))
    return given_back(out, image, channel_axis)
