# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of numpy as images of libcof: without a copy, wherever that can be."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c

SAMPLES = {np.dtype(np.uint8): c.U8, np.dtype(np.uint16): c.U16, np.dtype(np.float32): c.F32}
KINDS = {1: c.GREY, 2: c.GREY_ALPHA, 3: c.RGB, 4: c.RGBA}
LONGEST_SIDE = 2 ** 30


class Place(NamedTuple):
    """Where an array lies in a larger image, in rows and columns of that image.

    `part` is what is meant of it, two slices such as np.s_[0:100, 50:150]; the rest of the array is
    there because the windows of those pixels reach into it. None: all of the array.
    """
    row: int
    column: int
    rows: int
    columns: int
    part: Optional[Tuple[slice, slice]] = None

    def sides(self, shape: Tuple[int, ...]) -> Tuple[slice, slice]:
        """The part, of an array of this shape."""
        if self.part is None:
            return (slice(self.row, self.row + shape[0]),
                    slice(self.column, self.column + shape[1]))
        (top, bottom, down), (left, right, along) = (
            side.indices(length) for side, length in zip(self.part, (self.rows, self.columns)))
        if (down, along) != (1, 1) or top >= bottom or left >= right:
            raise ValueError(f"the part {self.part} is empty, or has steps")
        return slice(top, bottom), slice(left, right)

    def rect(self, shape: Tuple[int, ...]) -> c.Rect:
        """The same as libcof has it."""
        rows, columns = self.sides(shape)
        rect = c.Rect()
        for name, value in (("x", columns.start), ("width", columns.stop - columns.start),
                            ("y", rows.start), ("height", rows.stop - rows.start)):
            c.put(rect, name, value)
        return rect


def planes_of(image: ArrayLike, channel_axis: Optional[int]) -> np.ndarray:
    """The array with its channels last, if it has any."""
    image = np.asarray(image)
    if image.ndim == 2 and channel_axis in (-1, None):
        return image
    if channel_axis is None or image.ndim != 3:
        raise ValueError(f"an image has 2 dimensions, or 3 with channel_axis, not {image.ndim}")
    return np.moveaxis(image, channel_axis, -1)


def readable(array: np.ndarray) -> np.ndarray:
    """The same values as libcof can read them, which may be the array itself."""
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):  # too large for a float: invalid, and given back as it is
            array = array.astype(np.float32)
    if array.dtype not in SAMPLES:
        raise ValueError(f"images are uint8, uint16, float32 or float64, not {array.dtype}")
    still = any(stride == 0 and side > 1 for stride, side in zip(array.strides, array.shape))
    return np.ascontiguousarray(array) if still else array


class View:
    """An image of libcof, and the array whose memory it shows."""

    def __init__(self, array: np.ndarray, kind: Optional[int] = None) -> None:
        self.array = array
        height, width = array.shape[:2]
        if max(height, width) > LONGEST_SIDE:
            raise ValueError(f"images have sides of 2^30 pixels at most, not {max(height, width)}")
        channels = array.shape[2] if array.ndim == 3 else 1
        if channels > 64:
            raise ValueError("images have 64 channels at most")
        if kind is None:
            kind = KINDS.get(channels, c.BANDS)
        self.image = c.Image(data=array.ctypes.data, width=width, height=height,
                             channels=channels, kind=kind, sample=SAMPLES[array.dtype],
                             stride=array.strides[0], step=array.strides[1],
                             plane=array.strides[2] if array.ndim == 3 else 0)

    def put(self, place: Optional[Place]) -> View:
        if place is not None:
            for name, value in (("x", place.column), ("full_width", place.columns),
                                ("y", place.row), ("full_height", place.rows)):
                c.put(self.image, name, value)
        return self

    def hide(self, mask: np.ndarray) -> View:
        """Pixels that have no data."""
        self.valid = np.ascontiguousarray(~mask, np.uint8)
        self.image.valid = self.valid.ctypes.data
        return self

    @property
    def pixels(self) -> int:
        return self.image.width * self.image.height

    @property
    def pointer(self) -> Any:
        return c.byref(self.image)


def view_of(image: ArrayLike, channel_axis: Optional[int], place: Optional[Place] = None,
            kind: Optional[str] = None) -> View:
    """Of an image; what a masked array hides has no data."""
    number = None if kind is None else c.choice("kind", kind, c.CHANNEL_KINDS)
    view = View(readable(planes_of(image, channel_axis)), number).put(place)
    if np.ma.isMaskedArray(image) and np.ma.is_masked(image):
        hidden = planes_of(np.ma.getmaskarray(image), channel_axis)
        view.hide(hidden if hidden.ndim == 2 else hidden.any(axis=2))
    return view


def _alike(array: np.ndarray, like: View, name: str) -> None:
    if array.shape != like.array.shape[:2]:
        raise ValueError(f"the {name} has the shape {array.shape}, "
                         f"the image {like.array.shape[:2]}")


def mask_view(mask: ArrayLike, like: View, name: str = "mask") -> View:
    """Bytes, of a mask of any kind."""
    mask = np.asarray(mask)
    _alike(mask, like, f"{name}")
    return View(np.ascontiguousarray((mask != 0).astype(np.uint8)))


def label_view(labels: ArrayLike, like: Optional[View] = None,
               place: Optional[Place] = None) -> View:
    """Bytes, of labels in integers of any kind."""
    labels = np.asarray(labels)
    if like is not None:
        _alike(labels, like, "array of labels")
    if labels.ndim != 2 or labels.dtype.kind not in "ui":
        raise ValueError(f"labels are integers in 2 dimensions, not {labels.dtype} in {labels.ndim}")
    if labels.size and (labels.min() < 0 or labels.max() > 255):
        raise ValueError(f"labels are 0 to 255, not {labels.min()} to {labels.max()}")
    return View(np.ascontiguousarray(labels, np.uint8)).put(place)


def result_like(view: View, place: Optional[Place] = None) -> View:
    """A packed array for what comes of an image, or of its part, and a view of it."""
    shape = view.array.shape
    if place is None:
        return View(np.empty(shape, view.array.dtype), view.image.kind)
    part = place.rect(shape)
    out = View(np.empty((part.height, part.width, *shape[2:]), view.array.dtype), view.image.kind)
    return out.put(place._replace(row=part.y, column=part.x))


def given_back(out: View, image: ArrayLike, channel_axis: Optional[int]) -> np.ndarray:
    """With the dtype and the order of axes of the input, and its mask if it has one."""
    array, given = out.array, np.asarray(image)
    if array.ndim == 3 and channel_axis is not None:
        array = np.moveaxis(array, -1, channel_axis)
    wide = array.astype(given.dtype, copy=False)
    if given.dtype.kind == "f" and given.dtype.itemsize > 4 and array.shape == given.shape:
        invalid = ~np.isfinite(array)  # copied through, but as floats
        wide[invalid] = given[invalid]
    if np.ma.isMaskedArray(image) and wide.shape == given.shape:
        return np.ma.MaskedArray(wide, np.ma.getmask(image))
    return wide
