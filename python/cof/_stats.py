# SPDX-License-Identifier: BSD-2-Clause
"""What occurs together in images, as counts that can be added up."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_void_p
from typing import TYPE_CHECKING, Any, Optional

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

    Options are those of learning: window, n_clusters, levels, rng; and sigma, softness, normalise
    and preset, which matter to a model().

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

    def __init__(self, **options: Any) -> None:
        handle = c_void_p()
        c.Call(**learning(**options))("cof_stats_new", byref(handle))
        super().__init__(handle)

    def _look(self, function: str, view: View, mask: Optional[ArrayLike], place: Optional[Place],
              n_threads: Optional[int], progress: Optional[c.Tell]) -> Stats:
        where = c.Where()
        if mask is not None:
            shape = mask_view(mask, view).put(place)
            where.mask = ctypes.pointer(shape.image)
        if place is not None:
            where.part = place.rect(view.array.shape)
        c.Call(n_threads=n_threads, progress=progress)(function, self._handle, view.pointer,
                                                       byref(where))
        return self

    def scan(self, image: ArrayLike, *, mask: Optional[ArrayLike] = None,
             place: Optional[Place] = None, channel_axis: Optional[int] = -1,
             n_threads: Optional[int] = None, progress: Optional[c.Tell] = None) -> Stats:
        """Takes note of the values of an image, for the palette."""
        view = view_of(image, channel_axis, place)
        return self._look("cof_stats_scan", view, mask, place, n_threads, progress)

    def settle(self, *, n_threads: Optional[int] = None) -> Stats:
        """Ends the scanning: the palette is fixed."""
        c.Call(n_threads=n_threads)("cof_stats_settle", self._handle)
        return self

    def settle_labels(self, n: int) -> Stats:
        """In place of scanning: labels 0 to n - 1, which the caller assigns."""
        c.check(c.lib.cof_stats_settle_labels(self._handle, c_int(n)))
        return self

    def add(self, image: ArrayLike, *, mask: Optional[ArrayLike] = None,
            place: Optional[Place] = None, channel_axis: Optional[int] = -1,
            n_threads: Optional[int] = None, progress: Optional[c.Tell] = None) -> Stats:
        """Counts the pairs of an image; scans and settles first, if nobody has."""
        if self.size == 0:
            self.scan(image, mask=mask, place=place, channel_axis=channel_axis,
                      n_threads=n_threads)
            self.settle(n_threads=n_threads)
        view = view_of(image, channel_axis, place)
        return self._look("cof_stats_add", view, mask, place, n_threads, progress)

    def add_labels(self, labels: ArrayLike, *, mask: Optional[ArrayLike] = None,
                   place: Optional[Place] = None, n_threads: Optional[int] = None,
                   progress: Optional[c.Tell] = None) -> Stats:
        """Counts the pairs of labels, in place of an image's own."""
        view = label_view(labels, place=place)
        return self._look("cof_stats_add_labels", view, mask, place, n_threads, progress)

    def like(self) -> Stats:
        """Empty statistics with the same options, and the palette if there is one."""
        handle = c_void_p()
        c.check(c.lib.cof_stats_new_like(byref(handle), self._handle))
        return Stats._of(handle)

    def merge(self, other: Stats) -> Stats:
        """Adds what another one has counted."""
        c.check(c.lib.cof_stats_merge(self._handle, other._handle))
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
        return copied(c.lib.cof_stats_histogram(self._handle), (self.size,))

    def model(self, **options: Any) -> Model:
        """The model of these counts; options are sigma, softness, normalise and preset."""
        from ._models import Model
        return Model.from_stats(self, **options)
