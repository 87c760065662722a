# SPDX-License-Identifier: BSD-2-Clause
"""What occurs together in images, as counts that can be added up."""
from __future__ import annotations

import contextlib
import ctypes
import threading
from ctypes import byref, c_int, c_void_p
from typing import TYPE_CHECKING, Any, Iterator, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import Place, View, label_view, mask_view, view_of
from ._handles import Handle, copied
from ._options import learning

if TYPE_CHECKING:
    from ._models import Model


class Stats(Handle):
    """What occurs together in images, as counts: scan images, settle, then add them.

    sigma, softness, normalise and preset are for model(). One thread at a time may use it: count on
    several with like(), one each, and add them up.

    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> stats = cof.Stats(window=7).scan(image).settle().add(image)
    >>> stats.size
    32

    An image may come in pieces, each with its Place; the sum is the same, byte for byte:

    >>> halves = [cof.Place(0, 0, 40, 50), cof.Place(20, 0, 40, 50)]
    >>> again = cof.Stats(window=7).scan(image[:20], place=halves[0])
    >>> again = again.scan(image[20:], place=halves[1]).settle()
    >>> again = again.add(image, place=halves[0]._replace(part=np.s_[0:20, 0:50]))
    >>> again = again.add(image, place=halves[0]._replace(part=np.s_[20:40, 0:50]))
    >>> again.to_bytes() == stats.to_bytes()
    True
    """
    _what = "stats"

    def __init__(self, *, window: Optional[int] = None, n_clusters: Optional[int] = None,
                 levels: Optional[int] = None, rng: Optional[int] = None) -> None:
        handle = c_void_p()
        options = learning(window=window, n_clusters=n_clusters, levels=levels, rng=rng)
        c.Call(**options)("cof_stats_new", byref(handle))
        self._begin(handle)

    def _begin(self, handle: c_void_p) -> None:
        super()._begin(handle)
        self._lock = threading.Lock()
        self._scanned = False

    @contextlib.contextmanager
    def _used(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("these statistics are in use by another thread, or by a callback")
        try:
            yield
        finally:
            self._lock.release()

    @classmethod
    def from_bytes(cls, data: bytes) -> Stats:
        """What to_bytes() has made; FormatError if it is something else."""
        made = super().from_bytes(data)
        made._scanned = True  # else there would be nothing to keep
        return made

    def _see(self, function: str, view: View, mask: Optional[ArrayLike], place: Optional[Place],
             n_threads: Optional[int], progress: Optional[c.Tell],
             coarse: Optional[int] = None) -> Stats:
        where = c.Where()
        if mask is not None:
            shape = mask_view(mask, view).put(place)
            where.mask = ctypes.pointer(shape.image)
        if place is not None:
            where.part = place.rect(view.array.shape)
        with self._used():
            call = c.Call(n_threads=n_threads, progress=progress, coarse=coarse)
            call.may_take_long(view.pixels)(function, self._handle, view.pointer, byref(where))
        return self

    def scan(self, image: ArrayLike, *, mask: Optional[ArrayLike] = None,
             place: Optional[Place] = None, channel_axis: Optional[int] = -1,
             kind: Optional[str] = None, n_threads: Optional[int] = None,
             progress: Optional[c.Tell] = None, coarse: Optional[int] = None) -> Stats:
        """Takes note of the values of an image, reduced by the factor `coarse`, for the palette."""
        view = view_of(image, channel_axis, place, kind)
        self._see("cof_stats_scan", view, mask, place, n_threads, progress, coarse)
        self._scanned = True
        return self

    def settle(self, *, n_threads: Optional[int] = None) -> Stats:
        """Ends the scanning: the palette is fixed."""
        with self._used():
            c.Call(n_threads=n_threads)("cof_stats_settle", self._handle)
        return self

    def settle_labels(self, n: int) -> Stats:
        """In place of scanning: labels 0 to n - 1, which the caller assigns."""
        if not 1 <= n <= 256:
            raise ValueError(f"there are 1 to 256 labels, not {n}")
        with self._used():
            c.check(c.lib.cof_stats_settle_labels(self._handle, c_int(n)))
        return self

    def add(self, image: ArrayLike, *, mask: Optional[ArrayLike] = None,
            place: Optional[Place] = None, channel_axis: Optional[int] = -1,
            kind: Optional[str] = None, n_threads: Optional[int] = None,
            progress: Optional[c.Tell] = None, coarse: Optional[int] = None) -> Stats:
        """Counts the pairs of an image, reduced likewise; scans it and settles first, if nobody has.
        """
        if self.size == 0 and place is not None:
            raise ValueError("scan all pieces, and settle, before one is added")
        if self.size == 0 and not self._scanned:
            self.scan(image, mask=mask, channel_axis=channel_axis, kind=kind, n_threads=n_threads,
                      coarse=coarse)
        if self.size == 0:
            self.settle(n_threads=n_threads)
        view = view_of(image, channel_axis, place, kind)
        return self._see("cof_stats_add", view, mask, place, n_threads, progress, coarse)

    def add_labels(self, labels: ArrayLike, *, mask: Optional[ArrayLike] = None,
                   place: Optional[Place] = None, n_threads: Optional[int] = None,
                   progress: Optional[c.Tell] = None) -> Stats:
        """Counts the pairs of labels, in place of an image's own."""
        view = label_view(labels, place=place)
        return self._see("cof_stats_add_labels", view, mask, place, n_threads, progress)

    def like(self) -> Stats:
        """Empty statistics with the same options, and the palette if there is one."""
        handle = c_void_p()
        with self._used():
            c.check(c.lib.cof_stats_new_like(byref(handle), self._handle))
        return Stats._of(handle)

    def merge(self, other: Stats) -> Stats:
        """Adds what another one has scanned or counted."""
        if not isinstance(other, Stats):
            raise TypeError(f"statistics are merged with statistics, not {type(other).__name__}")
        if other is self:
            raise ValueError("statistics cannot be merged with themselves")
        with self._used(), other._used():
            c.check(c.lib.cof_stats_merge(self._handle, other._handle))
        self._scanned = self._scanned or other._scanned
        return self

    def __add__(self, other: Stats) -> Stats:
        if not isinstance(other, Stats):
            return NotImplemented
        return self.copy().merge(other)

    def copy(self) -> Stats:
        """The same again, to be added to."""
        return Stats.from_bytes(self.to_bytes())

    @property
    def histogram(self) -> Optional[np.ndarray]:
        """The pixels of each label."""
        with self._used():
            return copied(c.lib.cof_stats_histogram(self._handle), (self.size,))

    def model(self, **options: Any) -> Model:
        """The model of these counts; options are sigma, softness, normalise and preset."""
        from ._models import Model
        return Model.from_stats(self, **options)
