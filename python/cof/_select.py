# SPDX-License-Identifier: BSD-2-Clause
"""Foreground and background: masks, mattes, and functions that change one and keep the other."""
from __future__ import annotations

from ctypes import byref, c_double
from typing import Any, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import (Place, View, axis_of, fraction_view, mask_view, restored, result_like,
                      view_of)
from ._call import Call
from ._learning import Model, model_of
from ._options import pick, takes_options, without_preset

Colour = Union[str, Sequence[float]]

# Passes of cof_focus_mask(), for the calls that do its steps one by one.
FOCUS_ITERATIONS = 5

GREY = (0.5, 0.5, 0.5)

# The options of learning and filtering that matter to the watershed.
WATERSHED = ("low", "high", "sampling", "seed", "space")

# Pixels that are blended or tinted in one call, which cannot be interrupted.
BAND_PIXELS = 1 << 21


class Selection(NamedTuple):
    """What select() found.

    Attributes
    ----------
    mask : ndarray of bool
        The selected pixels.
    soft : ndarray of float32
        The spread scribbles, 0 to 1.
    threshold : float
        The value that `soft` reaches inside the mask.
    """
    mask: np.ndarray
    soft: np.ndarray
    threshold: float


@takes_options(c.GENERAL, c.LEARN, c.MODEL, c.FILTER, c.SELECT,
               without=("window", "filter_window", "iterations",  # there is spread_window
                        "downscale", "filter_downscale", "refine", "method", "accuracy",
                        "fidelity", "strength", "detail",
                        "palettes"))  # it learns a single one
def select(image: ArrayLike, foreground: ArrayLike, background: Optional[ArrayLike] = None, *,
           model: Optional[Model] = None, return_soft: bool = False,
           channel_axis: Optional[int] = -1, kind: Optional[str] = None,
           **options: Any) -> Union[np.ndarray, Selection]:
    """Makes a mask of what scribbles belong to.

    The mask ends on the strongest edges of the smoothed image that separate foreground from
    background. A few strokes are enough, and those on the foreground alone work: draw_stroke()
    draws them, and Selector makes a mask after each. With `select_method='spread'`, the scribbles
    are spread over values that occur together until a threshold, as in the paper, which needs many
    strokes. The library downscales large images and fits the mask to the image at full size.

    Parameters
    ----------
    image : array_like
        The image.
    foreground : array_like
        Scribbles: pixels of the object have values other than 0.
    background : array_like, optional
        Scribbles on the background. No pixel may be marked in both.
    model : Model, optional
        Spread the scribbles with this model and learn nothing. It should be learned with a window
        as large as `spread_window`. The image is not downscaled.
    return_soft : bool
        Return a Selection, which has the soft mask too. Needs a model.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    ndarray of bool, or Selection
        The mask, of the image's size.

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.zeros((30, 40, 3), np.uint8); image[:, 20:] = 200
    >>> marks = np.zeros((30, 40), bool); marks[10:12, 5:10] = True
    >>> other = np.zeros((30, 40), bool); other[10:12, 30:35] = True
    >>> mask = cof.select(image, marks, other)
    >>> bool(mask[:, :18].all()), bool(mask[:, 22:].any())
    (True, False)
    """
    method = options.get("select_method", "watershed" if model is None else "spread")
    view = view_of(image, channel_axis, kind=kind)
    marks = mask_view(foreground, view, "foreground")
    others = None if background is None else mask_view(background, view, "background")
    scribbles = marks.pointer, others and others.pointer
    mask = View(np.empty(view.array.shape[:2], np.uint8))
    if model is not None:
        if method == "watershed":
            raise c.ArgumentError("the watershed uses no model: leave out the model, or set "
                                  "select_method='spread'", option="select_method")
        return _select_with(model_of(model), view, scribbles, mask, return_soft, options)
    if return_soft:
        raise c.ArgumentError("the soft mask needs a model, such as "
                              "cof.Model.fit(image, window=31)", argument="model")
    if method == "watershed":
        _check_watershed(options)
        call = Call(options).always_interruptible()
    else:
        call = Call(_for_spreading(options), view.size)
        call.may_take_long(view.pixels, view.bands, True)
    call("cof_select", view.pointer, *scribbles, mask.pointer)
    return mask.array != 0


def _check_watershed(options: Any) -> None:
    used = pick(options, *WATERSHED, "select_method", "min_area", c.RUN)
    unused = [name for name in options if name not in used]
    if unused:
        raise TypeError(f"'{unused[0]}' has no effect without select_method='spread'")


def _for_spreading(options: Any) -> Dict[str, Any]:
    """The options; a preset does not downscale scribbles."""
    return {**options, "filter_downscale": 1} if "preset" in options else options


def _select_with(model: Model, view: View, scribbles: Tuple[Any, Any], mask: View,
                 return_soft: bool, options: Any) -> Union[np.ndarray, Selection]:
    unused = pick(options, c.LEARN, c.MODEL, execution=False)
    if unused:
        raise TypeError(f"'{next(iter(unused))}' has no effect with a model, which has learned "
                        "already")
    if "min_area" in options:
        raise TypeError("'min_area' has no effect with a model")
    options = _for_spreading(options)
    soft, threshold = View(np.empty(view.array.shape[:2], np.float32)), c_double()
    call = Call(options, view.size).may_take_long(view.pixels, view.bands, True)
    model._filter(call, "cof_select_spread", view, view.pointer, *scribbles, soft.pointer)
    call = Call({**options, "progress": None, "report": None}, view.size)
    call.may_take_long(view.pixels, view.bands)
    call("cof_select_threshold", model._handle, view.pointer, *scribbles, soft.pointer,
         mask.pointer, byref(threshold))
    found = Selection(mask.array != 0, soft.array, threshold.value)
    return found if return_soft else found.mask


@takes_options(c.GENERAL, c.LEARN, c.MODEL, c.FILTER, c.SELECT,
               without=("palettes",))  # mattes need a single one
def focus(image: ArrayLike, mask: Optional[ArrayLike] = None, *,
          background: Union[str, ArrayLike] = "smooth",
          models: Optional[Tuple[Model, Model]] = None,
          prior: Union[None, bool, ArrayLike] = None, guide: Optional[ArrayLike] = None,
          channel_axis: Optional[int] = -1, kind: Optional[str] = None,
          **options: Any) -> np.ndarray:
    """Keeps what the mask marks and changes the background.

    Parameters
    ----------
    image : array_like
        The image.
    mask : array_like
        Marks the foreground with values other than 0. Can be left out if there are models.
    background : {'smooth', 'grey'}, '#rrggbb' or array_like
        What becomes of the background: smoothed, grey, tinted with a colour, or replaced by
        another image of the same shape and dtype.
    models : tuple of two Models, optional
        The models of the foreground and the background, from Model.fit_pair(). None: they are
        learned from the image.
    prior : array_like or bool, optional
        The probability of the foreground before the models are applied, 0 to 1. None: mask_prior()
        of the mask, if there is one. False: the same for all pixels.
    guide : array_like, optional
        An image of the same size whose values decide which pixels are averaged.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    ndarray
        The changed image, with the shape and dtype of the image.

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 99, (30, 40, 3), np.uint8)
    >>> image[:, 20:] += 100
    >>> mask = np.zeros((30, 40), bool); mask[:, 20:] = True
    >>> result = cof.focus(image, mask)
    >>> bool(result[:, :15].std() < image[:, :15].std() / 2)
    True
    """
    view = view_of(image, channel_axis, kind=kind)
    shape = None if mask is None else mask_view(mask, view)
    if shape is None and models is None:
        raise c.ArgumentError("focus needs a mask or models", argument="mask")
    is_smooth = isinstance(background, str) and background == "smooth"
    if is_smooth and shape is not None and models is None and prior is None and guide is None:
        out = result_like(view)
        call = Call(options, view.size).may_take_long(view.pixels, view.bands)
        call("cof_focus_mask", view.pointer, shape.pointer, out.pointer)
        return restored(out, image, channel_axis)
    options = without_preset(options, *view.size)
    if models is not None:
        models = _pair_of(models)
    else:
        learning = pick(options, "variant", c.LEARN, c.MODEL, c.SELECT, c.RUN, execution=False)
        learning.pop("palettes", None)  # of a preset; a pair has a single one
        models = Model.fit_pair(image, shape.array if shape else [], kind=kind,
                                channel_axis=channel_axis, **learning)
    guess = _prior(prior, shape, view, options)
    options = pick(options, "variant", c.FILTER, c.SELECT, c.RUN)
    if is_smooth:
        return _smooth_background(image, view, models, guess, guide, channel_axis, options)
    found = matte(image, *models, prior=None if guess is None else guess.array,
                  channel_axis=channel_axis, kind=kind, **options)
    return _with_background(image, background, found, channel_axis, kind, options)


def _pair_of(models: Any) -> Tuple[Model, Model]:
    if not isinstance(models, (tuple, list)) or len(models) != 2:
        raise TypeError("models must be a cof.Model of the foreground and one of the background")
    return model_of(models[0], "models"), model_of(models[1], "models")


def _prior(prior: Any, shape: Optional[View], view: View, options: Any) -> Optional[View]:
    prior = None if prior is True else prior
    if prior is False or (prior is None and shape is None):
        return None
    if prior is None and shape is not None:
        return View(mask_prior(shape.array, **pick(options, c.RUN, execution=False)))
    return fraction_view(prior, view, "prior")


def _smooth_background(image: ArrayLike, view: View, models: Tuple[Model, Model],
                       prior: Optional[View], guide: Optional[ArrayLike],
                       channel_axis: Optional[int], options: Any) -> np.ndarray:
    out = result_like(view)
    shown = None
    if guide is not None:
        shown = models[1]._guide(guide, channel_axis, None, view)
    call = Call({**options, "iterations": options.get("iterations") or FOCUS_ITERATIONS})
    call.may_take_long(view.pixels, view.bands)("cof_focus", models[0]._handle, models[1]._handle,
                                    prior and prior.pointer, shown and shown.pointer,
                                    view.pointer, out.pointer)
    return restored(out, image, channel_axis)


def _with_background(image: ArrayLike, background: Any, found: np.ndarray,
                     channel_axis: Optional[int], kind: Optional[str], options: Any) -> np.ndarray:
    how: Dict[str, Any] = dict(channel_axis=channel_axis, kind=kind)
    run = pick(options, "space", c.RUN, execution=False)
    if isinstance(background, str):
        colour: Colour = GREY if background in ("grey", "gray") else background
        background = tint(image, colour, **how, **pick(run, c.RUN, execution=False))
    return blend(found, image, background, **how, **run)


@takes_options("variant", c.FILTER, c.SELECT)
def matte(image: ArrayLike, foreground: Model, background: Model, *,
          prior: Optional[ArrayLike] = None, place: Optional[Place] = None,
          channel_axis: Optional[int] = -1, kind: Optional[str] = None,
          **options: Any) -> np.ndarray:
    """The fraction of each pixel that is foreground.

    Parameters
    ----------
    image : array_like
        The image.
    foreground, background : Model
        Models with one palette, as Model.fit_pair() makes them.
    prior : array_like, optional
        The probability of the foreground before the models are applied, 0 to 1, such as
        mask_prior() of a mask. None: the same for all pixels.
    place, channel_axis, kind
        As in Model.apply().
    {options}

    Returns
    -------
    ndarray of float32
        Values 0 to 1.
    """
    view = view_of(image, channel_axis, place, kind)
    guess = None if prior is None else fraction_view(prior, view, "prior").put(place)
    flat = View(np.empty(view.array.shape[:2], np.float32)).put(place)
    out = result_like(flat, place)
    Call(options).may_take_long(view.pixels, view.bands)(
        "cof_matte", model_of(foreground, "foreground")._handle,
        model_of(background, "background")._handle, guess and guess.pointer, view.pointer,
        out.pointer)
    return out.array


@takes_options()
def mask_dilate(mask: ArrayLike, radius: float, **options: Any) -> np.ndarray:
    """Dilates a mask by a radius in pixels.

    Parameters
    ----------
    mask : array_like
        The mask: values other than 0 are inside.
    radius : float
        The radius; a negative radius erodes.
    {options}

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> import cof, numpy as np
    >>> mask = np.zeros((7, 7), bool); mask[3, 3] = True
    >>> int(cof.mask_dilate(mask, 1).sum())
    5
    """
    view = mask_view(mask)
    out = result_like(view)
    Call(options).may_take_long(view.pixels)("cof_mask_dilate", view.pointer, radius, out.pointer)
    return out.array != 0


@takes_options()
def mask_prior(mask: ArrayLike, **options: Any) -> np.ndarray:
    """The prior of matte() and focus() for a mask: blurred, and near the border of the mask neither
    0 nor 1, so that what was learned can correct the mask there.

    Parameters
    ----------
    mask : array_like
        The mask: values other than 0 are foreground.
    {options}

    Returns
    -------
    ndarray of float32
    """
    view = mask_view(mask)
    out = View(np.empty(view.array.shape, np.float32))
    Call(options).may_take_long(view.pixels)("cof_mask_prior", view.pointer, out.pointer)
    return out.array


def _bands_of(view: View, options: Any) -> Iterator[Tuple[int, int]]:
    """Rows to process at a time by a function that cannot be interrupted; all, for a report."""
    rows = view.image.height
    step = rows if options.get("report") else max(BAND_PIXELS // view.image.width, 1)
    return ((first, min(first + step, rows)) for first in range(0, rows, step))


@takes_options("space")
def blend(matte: ArrayLike, image: ArrayLike, other: ArrayLike, *,
          channel_axis: Optional[int] = -1, kind: Optional[str] = None,
          **options: Any) -> np.ndarray:
    """matte x image + (1 - matte) x other.

    Parameters
    ----------
    matte : array_like
        Values 0 to 1 (uint8: 0 to 255), of the image's size.
    image, other : array_like
        Images of the same shape and dtype. Alpha is that of `image`.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    ndarray
    """
    view = view_of(image, channel_axis, kind=kind)
    second = view_of(other, axis_of(other, channel_axis), kind=kind)
    if second.array.shape != view.array.shape or second.array.dtype != view.array.dtype:
        raise c.ArgumentError(
            f"both images must have the same shape and dtype, not {view.array.shape} "
            f"{view.array.dtype} and {second.array.shape} {second.array.dtype}", argument="other")
    out = result_like(view)
    share = fraction_view(matte, view)
    for first, last in _bands_of(view, options):
        Call(options)("cof_blend", *(one.rows(first, last).pointer
                                     for one in (share, view, second, out)))
    return restored(out, image, channel_axis)


def _rgb(colour: Colour) -> Any:
    """Three numbers 0 to 1."""
    if isinstance(colour, str):
        digits = colour[1:] if colour.startswith("#") else ""
        try:
            if len(digits) == 6:
                return (c_double * 3)(*(int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)))
        except ValueError:
            pass
        raise c.ArgumentError(f"a colour is '#rrggbb' or three numbers, not {colour!r}",
                              argument="colour")
    values = [float(value) for value in colour]
    if len(values) != 3:
        raise c.ArgumentError(f"a colour is '#rrggbb' or three numbers, not {len(values)}",
                              argument="colour")
    return (c_double * 3)(*values)


@takes_options()
def tint(image: ArrayLike, colour: Colour, *, reference_chroma: float = 0,
         channel_axis: Optional[int] = -1, kind: Optional[str] = None,
         **options: Any) -> np.ndarray:
    """Gives an image the hue and chroma of a colour and keeps its lightness.

    Parameters
    ----------
    image : array_like
        An RGB or RGBA image.
    colour : str or sequence of three float
        '#rrggbb', or sRGB values 0 to 1. A grey colour makes the image grey.
    reference_chroma : float
        If not 0, a pixel of this chroma gets the chroma of the colour, and others get it in
        proportion: see mean_chroma().
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.full((1, 1, 3), (200, 40, 40), np.uint8)
    >>> grey = cof.tint(image, '#808080')
    >>> bool(np.ptp(grey) <= 1)
    True
    """
    view = view_of(image, channel_axis, kind=kind)
    out = result_like(view)
    for first, last in _bands_of(view, options):
        Call(options)("cof_tint", view.rows(first, last).pointer, byref(_rgb(colour)),
                      reference_chroma, out.rows(first, last).pointer)
    return restored(out, image, channel_axis)


@takes_options()
def mean_chroma(image: ArrayLike, mask: Optional[ArrayLike] = None, *,
                channel_axis: Optional[int] = -1, kind: Optional[str] = None,
                **options: Any) -> float:
    """The mean chroma, in Lab, of an image or of what a mask marks.

    Parameters
    ----------
    image : array_like
        An RGB or RGBA image.
    mask : array_like, optional
        Only where this is not 0.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    float
    """
    view = view_of(image, channel_axis, kind=kind)
    shape = None if mask is None else mask_view(mask, view)
    chroma = c_double()
    call = Call(options).may_take_long(view.pixels)
    call("cof_mean_chroma", view.pointer, shape and shape.pointer, byref(chroma))
    return chroma.value


@takes_options(c.GENERAL, c.LEARN, c.MODEL, c.FILTER,
               without=("window", "filter_window", "iterations", "update",  # those of the library
                        "refine", "fidelity", "strength", "detail"))
def recolour(image: ArrayLike, mask: ArrayLike, colour: Colour, *,
             channel_axis: Optional[int] = -1, kind: Optional[str] = None,
             **options: Any) -> np.ndarray:
    """Gives what a mask marks another colour, as the command `cof recolour` does.

    The border of the mask is softened with a filter that learns from the image. Texture and
    highlights remain.

    Parameters
    ----------
    image : array_like
        An RGB or RGBA image.
    mask : array_like
        Marks the object with values other than 0.
    colour : str or sequence of three float
        '#rrggbb', or sRGB values 0 to 1.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    ndarray
    """
    view = view_of(image, channel_axis, kind=kind)
    shape, out = mask_view(mask, view), result_like(view)
    call = Call(options, view.size)
    call.may_take_long(view.pixels)("cof_recolour", view.pointer, shape.pointer,
                                    byref(_rgb(colour)), out.pointer, None)
    return restored(out, image, channel_axis)


recolor = recolour
