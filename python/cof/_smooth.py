# SPDX-License-Identifier: BSD-2-Clause
"""One call that learns and filters."""
from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import RoiView, Slices, axis_of, listed, restored, result_like, view_of
from ._call import Call
from ._learning import Model, model_of
from ._options import pick, takes_options
from ._training import Images, Masks


@takes_options(c.GENERAL, c.LEARN, c.MODEL, c.FILTER)
def smooth(image: ArrayLike, *, guide: Optional[ArrayLike] = None,
           labels: Optional[ArrayLike] = None, mask: Masks = None,
           region: Optional[Slices] = None, learn_from: Optional[Images] = None,
           model: Optional[Model] = None, channel_axis: Optional[int] = -1,
           kind: Optional[str] = None, **options: Any) -> np.ndarray:
    """Smooths textures and keeps the boundaries between them.

    Options that are None have the value of the preset, or else of the variant, or else the default.

    Parameters
    ----------
    image : array_like
        uint8, uint16, float32 or float64; grey (2 dimensions), RGB, RGBA or up to 64 bands, in any
        memory layout. Float grey and colour have the range 0 to 1. Pixels that are masked (in a
        masked array) or not finite have no data: they are not used, and stay as they are.
    guide : array_like, optional
        An image of the same size whose values decide which pixels are averaged.
    labels : array_like of int, optional
        Labels, 0 to 255, that decide which pixels are averaged.
    mask : array_like, optional
        Learn only where this is not 0. With several images in `learn_from`, a list of masks.
    region : tuple of two slices, optional
        Learn only in these rows and columns, such as np.s_[10:90, 20:60].
    learn_from : array_like, or list or tuple of array_like, optional
        Learn from this image, or from these images, instead of `image`.
    model : Model, optional
        Use this model and learn nothing.
    channel_axis : int or None
        The axis of the channels. None: the image is grey.
    kind : {'grey', 'grey-alpha', 'rgb', 'rgba', 'bands'}, optional
        What the channels mean. None: the first four of these for 1, 2, 3 and 4 channels, otherwise
        bands. Alpha is kept and weights each pixel; an image of 4 bands needs kind='bands'.
    {options}

    Returns
    -------
    ndarray
        The smooth image, with the shape and dtype of the image.

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> cof.smooth(image, window=7).shape
    (40, 50, 3)
    >>> cof.smooth(image, preset='texture').dtype
    dtype('uint8')
    """
    if np.size(image) == 0:
        return np.array(image)
    if model is not None:
        model_of(model)
        _check_unused(mask, region, learn_from, options)
    elif labels is not None or guide is not None or learn_from is not None:
        model = _learned(guide, labels, mask, region, learn_from, channel_axis, kind, options)
    if model is not None:
        return model.apply(image, guide=guide, labels=labels, channel_axis=channel_axis, kind=kind,
                           **pick(options, c.GENERAL, c.FILTER, c.RUN))
    view = view_of(image, channel_axis, kind=kind)
    out = result_like(view)
    call = Call(options, view.size).may_take_long(view.pixels, view.bands)
    if mask is None and region is None:
        call("cof_smooth", view.pointer, out.pointer)
    else:
        roi = RoiView(view, mask, region)  # type: ignore[arg-type]
        call("cof_smooth_roi", view.pointer, roi.pointer, out.pointer)
    return restored(out, image, channel_axis)


def _check_unused(mask: Any, region: Any, learn_from: Any, options: Dict[str, Any]) -> None:
    """Nothing is learned if there is a model."""
    unused = [name for name, value in (("mask", mask), ("region", region),
                                       ("learn_from", learn_from)) if value is not None]
    unused += pick(options, c.LEARN, c.MODEL, execution=False)
    if unused:
        raise c.ArgumentError(f"{unused[0]} has no effect with a model, which has learned already",
                              argument=unused[0])


def _learned(guide: Any, labels: Any, mask: Any, region: Optional[Slices], learn_from: Any,
             channel_axis: Optional[int], kind: Optional[str], options: Dict[str, Any]) -> Model:
    """The model of labels, of a guide, or of other images."""
    options = pick(options, c.GENERAL, c.LEARN, c.MODEL, c.RUN, execution=False)
    if labels is not None:
        if learn_from is not None or guide is not None:
            raise c.ArgumentError("labels and a guide, or other images to learn from, exclude each "
                                  "other", argument="labels")
        return Model.fit_labels(labels, mask=mask, region=region, **options)
    source = learn_from if learn_from is not None else guide
    kind = kind if guide is None else None  # it is that of the image, not of the guide
    first = listed(source)[:1]
    axis = axis_of(first[0], channel_axis) if first else channel_axis
    return Model.fit(source, mask=mask, region=region, channel_axis=axis, kind=kind, **options)
