# SPDX-License-Identifier: BSD-2-Clause
"""Selecting while somebody draws: strokes, and a mask after each."""
from __future__ import annotations

import contextlib
import operator
from ctypes import byref, c_void_p
from typing import Any, Iterator, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import View, mask_view, view_of
from ._call import Call
from ._lock import ReadWriteLock
from ._options import documents_options, takes_options
from ._select import WATERSHED

MARKS = ("erase", "foreground", "background")  # CofStroke


def _mark_number(mark: str) -> int:
    if mark not in MARKS:
        raise c.ArgumentError(f"mark must be one of {', '.join(MARKS)}, not {mark!r}",
                              argument="mark")
    return MARKS.index(mark)


def _points(points: ArrayLike) -> np.ndarray:
    """Rows of x and y."""
    array = np.ascontiguousarray(points, np.float64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise c.ArgumentError(f"points must have the shape (n, 2), not {array.shape}",
                              argument="points")
    return array


@documents_options
class Selector:
    """Makes masks of what strokes belong to, while somebody draws them.

    Preparing the image takes most of the time, so that a mask after each stroke takes little. The
    same marks give the same mask as select(), unless it is corrected. Threads wait for each other.

    Parameters
    ----------
    image : array_like
        The image. It must not change while the selector is used.
    channel_axis, kind
        As in smooth().
    {options}

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.zeros((30, 40, 3), np.uint8); image[:, 20:] = 200
    >>> with cof.Selector(image) as selector:
    ...     selector.add_stroke([(5, 8), (9, 20)], radius=2)
    ...     first = selector.mask()
    ...     selector.add_stroke([(30, 15)], radius=2)
    ...     second = selector.mask()
    >>> bool(first[15, 5]), bool(first[15, 30]), bool(second[15, 30])
    (True, False, True)
    """

    @takes_options(*WATERSHED)
    def __init__(self, image: ArrayLike, *, channel_axis: Optional[int] = -1,
                 kind: Optional[str] = None, **options: Any) -> None:
        self._handle = c.Owned(c.lib.c.cof_selection_free)
        self._lock = ReadWriteLock()
        self._view_like = lambda other: view_of(other, channel_axis, kind=kind)
        self._view = self._view_like(image)  # must live as long
        call = Call(options).always_interruptible()
        call("cof_selection_new", byref(self._handle), self._view.pointer)

    @contextlib.contextmanager
    def _using(self) -> Iterator[None]:
        """Held while the library uses the selection."""
        with self._lock.writing():
            if not self._handle:
                raise ValueError("the selector is closed")
            yield

    def add_stroke(self, points: ArrayLike, radius: float = 4.0,
                   mark: str = "foreground") -> None:
        """Marks the pixels near the lines through some points. New marks replace others.

        Parameters
        ----------
        points : array_like
            Rows of x and y. The middle of the first pixel is (0, 0).
        radius : float
            How far from the lines pixels are marked: 0 to 10000.
        mark : {'foreground', 'background', 'erase'}
            What the pixels belong to; 'erase' removes marks.
        """
        number, array = _mark_number(mark), _points(points)
        with self._using():
            Call({})("cof_selection_add_stroke", self._handle, number,
                     c_void_p(array.ctypes.data), len(array), float(radius))

    def add(self, pixels: ArrayLike, mark: str = "foreground") -> None:
        """Marks pixels. New marks replace others.

        Parameters
        ----------
        pixels : array_like
            Values other than 0 are marked. As large as the image.
        mark : {'foreground', 'background', 'erase'}
            What the pixels belong to; 'erase' removes marks.
        """
        number, view = _mark_number(mark), mask_view(pixels, self._view, "pixels")
        with self._using():
            Call({})("cof_selection_add_pixels", self._handle, number, view.pointer)

    def follow(self, last: Optional[ArrayLike], mask: ArrayLike) -> None:
        """Carries a mask from one frame of a video to the next, which is the selector's image.

        All marks are replaced: the mask moves as far as the object has moved, and what lies well
        inside and well outside of it is marked. If nothing is left of the object, mask() fails.

        Parameters
        ----------
        last : array_like or None
            The frame before, with the shape and type of the image. None: nothing has moved.
        mask : array_like
            The mask of that frame.

        Examples
        --------
        >>> import cof, numpy as np
        >>> first, second = np.zeros((2, 60, 90, 3), np.uint8)
        >>> first[20:40, 20:40] = second[20:40, 26:46] = (220, 60, 40)
        >>> mask = first[..., 0] > 0
        >>> with cof.Selector(second) as selector:
        ...     selector.follow(first, mask)
        ...     mask = selector.mask()
        >>> bool(mask[30, 22]), bool(mask[30, 30]), bool(mask[30, 44])
        (False, True, True)
        """
        view = None if last is None else self._view_like(last)
        mask_pixels = mask_view(mask, self._view, "mask")
        with self._using():
            Call({})("cof_selection_follow", self._handle, view and view.pointer,
                     mask_pixels.pointer)

    @takes_options("min_area")
    def mask(self, **options: Any) -> np.ndarray:
        """The mask of all marks. Some of the foreground must be marked.

        Parameters
        ----------
        {options}

        Returns
        -------
        ndarray of bool
            The mask, of the image's size.
        """
        return self._made("cof_selection_update", options)

    @takes_options("min_area")
    def corrected(self, **options: Any) -> np.ndarray:
        """The last mask, changed near the marks that were added or erased since then: within about
        three times the length of each stroke. Far from them, the mask stays as it is, whereas
        mask() lets each stroke act everywhere. Without a mask before it, after follow(), and if no
        background is marked, this is mask().

        Parameters
        ----------
        {options}

        Returns
        -------
        ndarray of bool
            The mask, of the image's size.

        Examples
        --------
        >>> import cof, numpy as np
        >>> image = np.zeros((100, 200, 3), np.uint8); image[:, 100:] = 200
        >>> with cof.Selector(image) as selector:
        ...     selector.add_stroke([(20, 10), (20, 90)], radius=2)
        ...     selector.add_stroke([(180, 10), (180, 90)], radius=2, mark="background")
        ...     first = selector.mask()
        ...     selector.add_stroke([(120, 50)], radius=2)
        ...     second = selector.corrected()
        >>> bool(first[50, 120]), bool(second[50, 120]), bool(second[50, 170])
        (False, True, False)
        """
        return self._made("cof_selection_correct", options)

    def set_mask(self, mask: ArrayLike) -> None:
        """Gives a mask that corrected() is to correct, such as one that was saved.

        Only marks that contradict the mask correct it, whether they are added before or after this
        call. Others, such as the strokes that it was made of, hold what is right; without them, the
        middle of each part of the mask does. Where nothing is corrected, all pixels of the mask
        stay as they are. mask() forgets it.

        Parameters
        ----------
        mask : array_like
            Values other than 0 are selected. As large as the image.

        Examples
        --------
        >>> import cof, numpy as np
        >>> image = np.zeros((100, 200, 3), np.uint8); image[:, 100:] = 200
        >>> mask = image[..., 0] == 0
        >>> mask[40:60, 60:80] = False
        >>> with cof.Selector(image) as selector:
        ...     selector.set_mask(mask)
        ...     selector.add_stroke([(65, 50), (75, 50)], radius=2)
        ...     corrected = selector.corrected()
        >>> bool(np.array_equal(corrected, image[..., 0] == 0))
        True
        """
        view = mask_view(mask, self._view, "mask")
        with self._using():
            Call({})("cof_selection_set_mask", self._handle, view.pointer)

    def _made(self, function: str, options: Any) -> np.ndarray:
        out = View(np.empty(self._view.array.shape[:2], np.uint8))
        with self._using():
            call = Call(options).always_interruptible()
            call(function, self._handle, out.pointer)
        return out.array != 0

    def close(self) -> None:
        """Frees the memory of the selection."""
        with self._lock.writing():
            c.lib.c.cof_selection_free(byref(self._handle))

    def __enter__(self) -> Selector:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def draw_stroke(mask: np.ndarray, points: ArrayLike, radius: float = 4.0,
                value: int = 255) -> None:
    """Draws lines into a mask, such as the scribbles of select().

    Parameters
    ----------
    mask : ndarray of uint8 or bool
        The mask, in 2 dimensions, which is changed.
    points : array_like
        Rows of x and y. The middle of the first pixel is (0, 0).
    radius : float
        How far from the lines pixels are set: 0 to 10000.
    value : int
        What they are set to, 0 to 255. In a mask of bool, values other than 0 are True.

    Examples
    --------
    >>> import cof, numpy as np
    >>> marks = np.zeros((3, 7), np.uint8)
    >>> cof.draw_stroke(marks, [(1, 1), (4, 1)], radius=1, value=9)
    >>> marks
    array([[0, 9, 9, 9, 9, 0, 0],
           [9, 9, 9, 9, 9, 9, 0],
           [0, 9, 9, 9, 9, 0, 0]], dtype=uint8)
    """
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"mask must be an array, not {type(mask).__name__}")
    if mask.ndim != 2 or mask.dtype not in (np.dtype(np.uint8), np.dtype(bool)):
        raise c.ArgumentError(f"the mask must be uint8 or bool in 2 dimensions, not {mask.dtype} "
                              f"in {mask.ndim}", argument="mask")
    if not mask.flags.writeable:
        raise c.ArgumentError("the mask is read-only", argument="mask")
    byte = int(bool(value)) if mask.dtype == bool else operator.index(value)
    if not 0 <= byte <= 255:
        raise c.ArgumentError(f"value must be 0 to 255, not {byte}", argument="value")
    view, array = View(mask.view(np.uint8)), _points(points)
    Call({})("cof_mask_stroke", view.pointer, c_void_p(array.ctypes.data), len(array),
             float(radius), byte)
