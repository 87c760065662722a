# SPDX-License-Identifier: BSD-2-Clause
"""NumPy arrays as images of libcof, without a copy where that is possible."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._warn import warn_once

SAMPLES = {np.dtype(np.uint8): c.U8, np.dtype(np.uint16): c.U16, np.dtype(np.float32): c.F32}
DEFAULT_KINDS = {1: c.GREY, 2: c.GREY_ALPHA, 3: c.RGB, 4: c.RGBA}
MAX_SIDE = 2 ** 30
MAX_BANDS = 64
# Float colour with larger values is probably not in the range 0 to 1.
MAX_PLAUSIBLE_COLOUR = 2

Slices = Tuple[slice, slice]


class Place(NamedTuple):
    """Where an array lies in a larger image.

    Attributes
    ----------
    row, column : int
        The position of the first pixel of the array in the larger image.
    rows, columns : int
        The size of the larger image.
    part : tuple of two slices, optional
        The rows and columns of the larger image that are computed or counted, such as
        np.s_[0:100, 50:150]. The rest of the array is there because the windows of these pixels
        reach into it. None: the whole array.
    """
    row: int
    column: int
    rows: int
    columns: int
    part: Optional[Slices] = None

    def sides(self, shape: Tuple[int, ...]) -> Slices:
        """The part, for an array of this shape."""
        if self.part is None:
            return (slice(self.row, self.row + shape[0]),
                    slice(self.column, self.column + shape[1]))
        return _simple_slices(self.part, (self.rows, self.columns), "part")

    def rect(self, shape: Tuple[int, ...]) -> c.Rect:
        """The part as a CofRect."""
        return _rect(self.sides(shape))

    def part_of(self, array: np.ndarray) -> np.ndarray:
        """The part of the array at this place."""
        rows, columns = self.sides(array.shape)
        return array[rows.start - self.row:rows.stop - self.row,
                     columns.start - self.column:columns.stop - self.column]


def _simple_slices(slices: Slices, shape: Tuple[int, int], name: str) -> Slices:
    (top, bottom, down), (left, right, along) = (
        side.indices(length) for side, length in zip(slices, shape))
    if (down, along) != (1, 1) or top >= bottom or left >= right:
        raise c.ArgumentError(f"the {name} {slices} is empty or has steps", argument=name)
    return slice(top, bottom), slice(left, right)


def _rect(slices: Slices) -> c.Rect:
    rows, columns = slices
    rect = c.Rect()
    for name, value in (("x", columns.start), ("width", columns.stop - columns.start),
                        ("y", rows.start), ("height", rows.stop - rows.start)):
        c.put(rect, name, value)
    return rect


def channels_last(image: ArrayLike, channel_axis: Optional[int]) -> np.ndarray:
    """The array with its channels, if it has any, as last axis."""
    if image is None or isinstance(image, (str, bytes, os.PathLike)):
        raise TypeError(f"image must be an array, not {type(image).__name__}")
    image = np.asarray(image)
    if image.ndim == 2 and channel_axis in (-1, None):
        return image
    if channel_axis is None or image.ndim != 3:
        raise c.ArgumentError(
            f"an image has 2 dimensions, or 3 with channel_axis, not {image.ndim}",
            argument="image")
    return np.moveaxis(image, channel_axis, -1)


def _advice(dtype: np.dtype) -> str:
    if dtype.kind == "b":
        return "use 255 * np.asarray(image, np.uint8)"
    if dtype == np.float16:
        return "use np.asarray(image, np.float32)"
    if dtype.kind in "iu":
        return ("use np.asarray(image, np.uint8) if its values are 0 to 255, np.uint16 if they are "
                "0 to 65535")
    return "convert it first"


def readable(array: np.ndarray) -> np.ndarray:
    """The values in a form that libcof can read; the array itself if possible."""
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind == "f" and array.dtype.itemsize > 4:
        with np.errstate(over="ignore"):  # too large for a float: an invalid pixel, left unchanged
            array = array.astype(np.float32)
    if array.dtype not in SAMPLES:
        raise c.ArgumentError(f"an image must be uint8, uint16, float32 or float64, not "
                              f"{array.dtype}: {_advice(array.dtype)}", argument="image")
    repeated = any(stride == 0 and side > 1 for stride, side in zip(array.strides, array.shape))
    return np.ascontiguousarray(array) if repeated else array


class View:
    """A CofImage, and the array whose memory it shows."""

    def __init__(self, array: np.ndarray, kind: Optional[int] = None) -> None:
        self.array = array
        height, width = array.shape[:2]
        channels = array.shape[2] if array.ndim == 3 else 1
        if array.size == 0:
            raise c.ArgumentError(f"the image is empty: its shape is {array.shape}",
                                  argument="image")
        if max(height, width) > MAX_SIDE:
            raise c.ArgumentError(
                f"an image can have 2^30 rows and columns, not {max(height, width)}",
                argument="image")
        if channels > MAX_BANDS:
            raise c.ArgumentError(f"an image can have {MAX_BANDS} channels, not {channels}",
                                  argument="image")
        if kind is None:
            kind = DEFAULT_KINDS.get(channels, c.BANDS)
        self.image = c.Image(data=array.ctypes.data, width=width, height=height,
                             channels=channels, kind=kind, sample=SAMPLES[array.dtype],
                             row_stride=array.strides[0], pixel_stride=array.strides[1],
                             channel_stride=array.strides[2] if array.ndim == 3 else 0)
        self.image.array = array  # lives as long as a pointer to the CofImage

    def put(self, place: Optional[Place]) -> View:
        if place is not None:
            if not isinstance(place, Place):
                raise TypeError(f"place must be a cof.Place, not {type(place).__name__}")
            for name, value in (("x", place.column), ("full_width", place.columns),
                                ("y", place.row), ("full_height", place.rows)):
                c.put(self.image, name, value)
        return self

    def hide(self, mask: np.ndarray) -> View:
        """Marks pixels that have no data."""
        valid = np.ascontiguousarray(~mask, np.uint8)
        self.image.valid = valid.ctypes.data
        self.image.valid_array = valid
        return self

    def rows(self, first: int, last: int) -> View:
        """A view of some rows."""
        part = View(self.array[first:last], self.image.kind)
        valid = getattr(self.image, "valid_array", None)
        return part if valid is None else part.hide(valid[first:last] == 0)

    @property
    def pixels(self) -> int:
        return self.image.width * self.image.height

    @property
    def bands(self) -> int:
        return int(self.image.channels)

    @property
    def size(self) -> Tuple[int, int]:
        """Height and width of the full image."""
        return (self.image.full_height or self.image.height,
                self.image.full_width or self.image.width)

    @property
    def pointer(self) -> Any:
        return byref(self.image)

    def __str__(self) -> str:
        bands = f" of {self.image.channels}" if self.image.kind == c.BANDS else ""
        return f"{c.lib.kinds[self.image.kind]}{bands}, {self.array.dtype}"


def view_of(image: ArrayLike, channel_axis: Optional[int], place: Optional[Place] = None,
            kind: Optional[str] = None) -> View:
    """A view of an image. Masked pixels of a masked array have no data."""
    view = View(readable(channels_last(image, channel_axis)), c.kind_number(kind)).put(place)
    if np.ma.isMaskedArray(image) and np.ma.is_masked(image):
        hidden = channels_last(np.ma.getmaskarray(image), channel_axis)
        view.hide(hidden if hidden.ndim == 2 else hidden.any(axis=2))
    _check_range(view)
    return view


def _check_range(view: View) -> None:
    """Warns of float colour that is not in the range 0 to 1. Pixels without data do not matter."""
    array = view.array
    if array.dtype != np.float32 or view.image.kind not in (c.RGB, c.RGBA):
        return
    if array.max() <= MAX_PLAUSIBLE_COLOUR:
        return
    used = np.isfinite(array)
    if view.image.valid:
        used &= view.image.valid_array[:, :, None] != 0
    largest = array.max(where=used, initial=0)
    if largest > MAX_PLAUSIBLE_COLOUR:
        warn_once("range", f"float colour is taken as 0 to 1, but the image has values up to "
                  f"{largest:g}: divide it by its largest possible value, or use kind='bands'")


def axis_of(array: ArrayLike, channel_axis: Optional[int]) -> Optional[int]:
    """The channel axis of an image that may be grey although another image has channels."""
    return channel_axis if np.ndim(array) == 3 else None


def _check_shape(array: np.ndarray, like: View, name: str) -> None:
    if array.shape != like.array.shape[:2]:
        raise c.ArgumentError(f"the {name} has the shape {array.shape}, "
                              f"the image {like.array.shape[:2]}", argument=name)


def mask_view(mask: ArrayLike, like: Optional[View] = None, name: str = "mask") -> View:
    """Bytes, for a mask of any dtype."""
    mask = np.asarray(mask)
    if like is not None:
        _check_shape(mask, like, name)
    if mask.ndim != 2:
        raise c.ArgumentError(f"the {name} must have 2 dimensions, not {mask.ndim}", argument=name)
    return View(np.ascontiguousarray((mask != 0).astype(np.uint8)))


def fraction_view(values: ArrayLike, like: Optional[View] = None, name: str = "matte") -> View:
    """Floats, for values 0 to 1 of any dtype; bytes are 0 to 255."""
    array = np.asarray(values)
    if like is not None:
        _check_shape(array, like, name)
    if array.dtype.kind == "b":
        array = array.astype(np.float32)
    return View(readable(array))


def label_view(labels: ArrayLike, like: Optional[View] = None,
               place: Optional[Place] = None) -> View:
    """Bytes, for labels of any integer type."""
    labels = np.asarray(labels)
    if like is not None:
        _check_shape(labels, like, "labels")
    if labels.ndim != 2 or labels.dtype.kind not in "ui":
        raise c.ArgumentError(
            f"labels must be integers in 2 dimensions, not {labels.dtype} in {labels.ndim}",
            argument="labels")
    if labels.size and (labels.min() < 0 or labels.max() > 255):
        raise c.ArgumentError(f"labels must be 0 to 255, not {labels.min()} to {labels.max()}",
                              argument="labels")
    return View(np.ascontiguousarray(labels, np.uint8)).put(place)


class RoiView:
    """A CofRoi, and the mask that it points to."""

    def __init__(self, view: View, mask: Optional[ArrayLike] = None,
                 region: Optional[Slices] = None, place: Optional[Place] = None,
                 downscaled: bool = False) -> None:
        self.roi = c.Roi()
        self.roi.downscaled = int(bool(downscaled))
        if mask is not None:
            self.mask = mask_view(mask, view).put(place)
            self.roi.mask = ctypes.pointer(self.mask.image)
        if region is not None:
            self.roi.region = _rect(_simple_slices(region, view.size, "region"))
        if place is not None:
            self.roi.part = place.rect(view.array.shape)

    @property
    def pointer(self) -> Any:
        return byref(self.roi)


def image_array(views: Sequence[View]) -> Any:
    return (c.Image * len(views))(*(view.image for view in views))


def roi_array(rois: Sequence[RoiView]) -> Any:
    return (c.Roi * len(rois))(*(roi.roi for roi in rois))


def listed(images: Any) -> List[Any]:
    """The images of a list or tuple, or the only image."""
    is_list = isinstance(images, (list, tuple)) and not _is_nested(images)
    return list(images) if is_list else [images]


def _is_nested(images: Sequence[Any]) -> bool:
    """Is this one image as nested lists of numbers?"""
    return len(images) > 0 and np.ndim(images[0]) < 2


def result_like(view: View, place: Optional[Place] = None) -> View:
    """A view of a new packed array for the result of filtering an image, or its part."""
    shape = view.array.shape
    if place is None:
        return View(np.empty(shape, view.array.dtype), view.image.kind)
    part = place.rect(shape)
    out = View(np.empty((part.height, part.width, *shape[2:]), view.array.dtype), view.image.kind)
    return out.put(place._replace(row=part.y, column=part.x))


def _any_channel(marked: np.ndarray) -> np.ndarray:
    return marked if marked.ndim == 2 else marked.any(axis=2)


def restored(out: View, image: ArrayLike, channel_axis: Optional[int],
             place: Optional[Place] = None) -> np.ndarray:
    """The result with the dtype, order of axes and mask of the input."""
    given = channels_last(image, channel_axis)
    given = given if place is None else place.part_of(given)
    wide = out.array.astype(given.dtype, copy=False)
    is_wide = given.dtype.kind == "f" and given.dtype.itemsize > 4
    if is_wide:  # pixels without data are copied by the library, but as floats
        invalid = _any_channel(~np.isfinite(out.array))
        wide[invalid] = given[invalid]
    if np.ma.isMaskedArray(image):
        hidden = channels_last(np.ma.getmaskarray(image), channel_axis)
        hidden = hidden if place is None else place.part_of(hidden)
        if is_wide:
            wide[_any_channel(hidden)] = given[_any_channel(hidden)]
        masked = np.ma.getmask(image) is not np.ma.nomask
        wide = np.ma.MaskedArray(wide, hidden if masked else np.ma.nomask)
    if wide.ndim == 3 and channel_axis is not None:
        wide = np.moveaxis(wide, -1, channel_axis)
    return wide
