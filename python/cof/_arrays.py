# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of numpy as images of libcof: without a copy, wherever that can be."""
import numpy as np

from . import _library as c

SAMPLES = {np.dtype(np.uint8): c.U8, np.dtype(np.uint16): c.U16, np.dtype(np.float32): c.F32}
KINDS = {1: c.GREY, 3: c.RGB, 4: c.RGBA}


def planes_of(image, channel_axis):
    """The array with its channels last, if it has any."""
    image = np.asarray(image)
    if image.ndim == 2 and channel_axis in (-1, None):
        return image
    if channel_axis is None or image.ndim != 3:
        raise ValueError(f"an image has 2 dimensions, or 3 with channel_axis, not {image.ndim}")
    return np.moveaxis(image, channel_axis, -1)


def readable(array):
    """The same values as libcof can read them, which may be the array itself."""
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    if array.dtype not in SAMPLES:
        raise ValueError(f"images are uint8, uint16, float32 or float64, not {array.dtype}")
    still = any(stride == 0 and side > 1 for stride, side in zip(array.strides, array.shape))
    return np.ascontiguousarray(array) if still else array


class View:
    """An image of libcof, and the array whose memory it shows."""

    def __init__(self, array, kind=None):
        self.array = array
        height, width = array.shape[:2]
        channels = array.shape[2] if array.ndim == 3 else 1
        if channels > 64:
            raise ValueError("images have 64 channels at most")
        if kind is None:
            kind = KINDS.get(channels, c.BANDS)
        self.image = c.Image(data=array.ctypes.data, width=width, height=height,
                             channels=channels, kind=kind, sample=SAMPLES[array.dtype],
                             stride=array.strides[0], step=array.strides[1],
                             plane=array.strides[2] if array.ndim == 3 else 0)

    @property
    def pointer(self):
        return c.byref(self.image)


def view_of(image, channel_axis):
    return View(readable(planes_of(image, channel_axis)))


def mask_view(mask, like, name="mask"):
    """Bytes, of a mask of any kind."""
    mask = np.asarray(mask)
    if mask.shape != like.array.shape[:2]:
        raise ValueError(f"the {name} has the shape {mask.shape}, the image {like.array.shape[:2]}")
    return View(np.ascontiguousarray((mask != 0).astype(np.uint8)))


def result_like(view):
    """A packed array for what comes of an image, and a view of it."""
    out = np.empty(view.array.shape, view.array.dtype)
    return View(out, view.image.kind)


def given_back(out, image, channel_axis):
    """With the dtype and the order of axes of the input."""
    image = np.asarray(image)
    array = out.array
    if array.ndim == 3:
        array = np.moveaxis(array, -1, channel_axis)
    return array.astype(image.dtype, copy=False)
