# SPDX-License-Identifier: BSD-2-Clause
"""Filtering images downscaled that do not fit in memory at full size."""
from __future__ import annotations

import functools
from ctypes import byref, c_void_p
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import Place, View, restored, result_like, view_of
from ._call import Call
from ._learning import Model, model_of
from ._options import documents_options, pick, takes_options


def _small_place(view: View, factor: int, place: Optional[Place]) -> Place:
    """Where the downscaled part lies in the downscaled image."""
    place = place or Place(0, 0, *view.size)
    rows, columns = place.sides(view.array.shape)
    for side, length in ((rows, place.rows), (columns, place.columns)):
        if side.start % factor or (side.stop % factor and side.stop != length):
            raise c.ArgumentError(f"the part must begin and end at multiples of {factor}, or at "
                                  "the end of the image", argument="place")
    small = [slice(side.start // factor, -(-side.stop // factor)) for side in (rows, columns)]
    return Place(small[0].start, small[1].start, -(-place.rows // factor),
                 -(-place.columns // factor), (small[0], small[1]))


@takes_options()
def downscale(image: ArrayLike, factor: int, *, place: Optional[Place] = None,
              channel_axis: Optional[int] = -1, kind: Optional[str] = None,
              **options: Any) -> np.ndarray:
    """Averages every factor x factor pixels, weighted by alpha.

    Parameters
    ----------
    image : array_like
        The image, or a piece of one.
    factor : int
        2 to 64.
    place : Place, optional
        Where the image lies in a larger one, of which its part is downscaled.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    ndarray
        With the dtype of the image. A masked array if some of its pixels have no data.

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.arange(24, dtype=np.uint8).reshape(4, 6)
    >>> cof.downscale(image, 2)
    array([[ 4,  6,  8],
           [16, 18, 20]], dtype=uint8)
    """
    view = view_of(image, channel_axis, place, kind)
    largest = int(c.lib.table["downscale"].maximum)
    if not isinstance(factor, (int, np.integer)) or not 2 <= factor <= largest:
        raise c.ArgumentError(f"factor must be 2 to {largest}, not {factor}", argument="factor")
    small = _small_place(view, int(factor), place)
    (top, bottom), (left, right) = ((side.start, side.stop) for side in small.sides(()))
    shape = (bottom - top, right - left)
    out = View(np.empty((*shape, *view.array.shape[2:]), view.array.dtype),
               view.image.kind).put(small)
    valid = np.empty(shape, np.uint8)
    call = Call(options).may_take_long(view.pixels, view.bands)
    call("cof_downscale", view.pointer, int(factor), out.pointer, c_void_p(valid.ctypes.data))
    result: np.ndarray = out.array.astype(np.asarray(image).dtype, copy=False)
    if not valid.all():
        hidden = valid == 0
        hidden = hidden if result.ndim == 2 else np.repeat(hidden[:, :, None], result.shape[2], 2)
        result = np.ma.MaskedArray(result, hidden)
    if result.ndim == 3 and channel_axis is not None:
        result = np.moveaxis(result, -1, channel_axis)
    return result


@documents_options
class Coarse:
    """A downscaled image after all passes, for refining the image in parts.

    The parts make what Model.apply() computes from the whole image, to the byte.

    Parameters
    ----------
    model : Model
        A model that was learned with a downscale factor above 1.
    small : array_like
        The image, downscaled by that factor with downscale().
    filtered : array_like, optional
        The downscaled image after these passes, if they were run in parts: what Model.apply() makes
        of `small` with the same options, but filter_downscale=1, refine=0, strength=1 and detail=0.
    channel_axis, kind
        As in smooth().
    {options}

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
    >>> small = cof.downscale(image, 2)
    >>> model = cof.Stats(downscale=2, window=5).add(small, downscaled=True).model()
    >>> coarse = cof.Coarse(model, small, iterations=3)
    >>> coarse.apply(image[:20], place=cof.Place(0, 0, 60, 80)).shape
    (20, 80, 3)
    """

    @takes_options("variant", c.FILTER)
    def __init__(self, model: Model, small: ArrayLike, *, filtered: Optional[ArrayLike] = None,
                 channel_axis: Optional[int] = -1, kind: Optional[str] = None,
                 **options: Any) -> None:
        self._handle = c.Owned(c.lib.c.cof_coarse_free)
        model_of(model)
        view = view_of(small, channel_axis, kind=kind)
        call = Call(options).may_take_long(view.pixels, view.bands)
        if filtered is None:
            call("cof_coarse_new", byref(self._handle), model._handle, view.pointer)
        else:
            done = view_of(filtered, channel_axis, kind=kind)
            call("cof_coarse_new_filtered", byref(self._handle), model._handle, view.pointer,
                 done.pointer)

        # The model must live as long.
        self._made_of = (model, small, functools.partial(
            Coarse, filtered=filtered, channel_axis=channel_axis, kind=kind,
            **pick(options, "variant", c.FILTER, c.RUN, execution=False)))

    def __reduce__(self) -> Tuple[Any, ...]:
        # The passes are run again, unless they were run in parts.
        model, small, made = self._made_of
        return made, (model, small)

    @property
    def margin(self) -> int:
        """How many pixels beyond a part of the image apply() reads: none, so 0."""
        return int(c.lib.c.cof_coarse_margin(self._handle))

    @takes_options()
    def apply(self, image: ArrayLike, *, place: Optional[Place] = None,
              channel_axis: Optional[int] = -1, kind: Optional[str] = None,
              **options: Any) -> np.ndarray:
        """Refines the image, or a part of it, by the passes over the downscaled image.

        Parameters
        ----------
        image : array_like
            The image at full size, or a piece of it that covers the part of its place.
        place : Place, optional
            Where the piece lies in the image.
        channel_axis, kind
            As in smooth().
        {options}

        Returns
        -------
        ndarray
            The filtered image, or its part, with the dtype of the image.
        """
        view = view_of(image, channel_axis, place, kind)
        out = result_like(view, place)
        call = Call(options).may_take_long(view.pixels, view.bands)
        call("cof_coarse_filter", self._handle, view.pointer, out.pointer)
        return restored(out, image, channel_axis, place)
