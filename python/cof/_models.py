# SPDX-License-Identifier: BSD-2-Clause
"""Models: what is learned, as the filter needs it."""
from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, List, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import Place, View, given_back, label_view, result_like, view_of
from ._handles import Handle, copied
from ._options import filtering, given, learning, looked, parted, split
from ._stats import Stats


def _listed(images: Any, masks: Any) -> Any:
    """Images with a mask, or None, for each."""
    several = isinstance(images, (list, tuple))
    images = list(images) if several else [images]
    masks = list(masks) if several and masks is not None else [masks] * len(images)
    if len(masks) != len(images):
        raise ValueError(f"there are {len(images)} images, but {len(masks)} masks")
    return list(zip(images, masks))


class Model(Handle):
    """How strongly values mix. It never changes; threads may share it.

    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> model = cof.Model.fit(image, n_clusters=8)
    >>> model.matrix.shape
    (8, 8)
    >>> model.apply(image).dtype
    dtype('uint8')
    """
    _what = "model"

    def __init__(self) -> None:
        raise TypeError("a Model is made by Model.fit(), Model.load() or Stats.model()")

    @classmethod
    def fit(cls, images: Union[ArrayLike, Sequence[ArrayLike]], *,
            mask: Union[None, ArrayLike, List[Optional[ArrayLike]]] = None,
            channel_axis: Optional[int] = -1, kind: Optional[str] = None,
            n_threads: Optional[int] = None, progress: Optional[c.Tell] = None,
            look: Optional[str] = None, coarse: Optional[int] = None, **options: Any) -> Model:
        """Learns from an image, or from a list or tuple of them (with one of masks).

        Options: look, coarse, window, n_clusters, levels, rng, sigma, softness, normalise, preset,
        as smooth() has them, and `kind`. Of several images, each is reduced as its size asks for.
        """
        lessons = _listed(images, mask)
        reduced = [coarse] * len(lessons)
        if look is not None:
            shapes = [view_of(image, channel_axis, kind=kind).array.shape for image, _ in lessons]
            seen = [looked(look, shape, {**given(coarse=coarse), **options}) for shape in shapes]
            reduced = [one["coarse"] for one in seen]
            options = parted(seen[0])[0]
        counting, modelling = split(options)
        stats = Stats(**counting)
        for (image, one), factor in zip(lessons, reduced):
            stats.scan(image, mask=one, channel_axis=channel_axis, kind=kind, n_threads=n_threads,
                       coarse=factor)
        stats.settle(n_threads=n_threads)
        for (image, one), factor in zip(lessons, reduced):
            stats.add(image, mask=one, channel_axis=channel_axis, kind=kind, n_threads=n_threads,
                      progress=progress, coarse=factor)
        return cls.from_stats(stats, **modelling)

    @classmethod
    def fit_labels(cls, labels: ArrayLike, *, mask: Optional[ArrayLike] = None,
                   n_threads: Optional[int] = None, progress: Optional[c.Tell] = None,
                   **options: Any) -> Model:
        """Learns which labels, 0 to 255, occur together. Such a model filters with labels only."""
        array = label_view(labels).array
        counting, modelling = split(options)
        stats = Stats(**counting)
        # How many pixels there are tells how many pairs are counted.
        stats.scan(array, mask=mask, channel_axis=None, n_threads=n_threads)
        stats.settle_labels(int(array.max()) + 1)
        stats.add_labels(array, mask=mask, n_threads=n_threads, progress=progress)
        return cls.from_stats(stats, **modelling)

    @classmethod
    def from_stats(cls, stats: Stats, **options: Any) -> Model:
        """The model of counts; options are sigma, softness, normalise and preset."""
        if not isinstance(stats, Stats):
            raise TypeError(f"a model is made of Stats, not {type(stats).__name__}")
        handle = c_void_p()
        with stats._used():
            c.Call(**learning(**options))("cof_model_new", byref(handle), stats._handle)
        return cls._of(handle)

    @property
    def matrix(self) -> np.ndarray:
        """M: 1 means as often as by chance."""
        return np.asarray(copied(c.lib.cof_model_matrix(self._handle), (self.size, self.size)))

    @property
    def frequencies(self) -> np.ndarray:
        """How often each label occurs; the sum is 1."""
        return np.asarray(copied(c.lib.cof_model_frequencies(self._handle), (self.size,)))

    @property
    def window(self) -> int:
        """The side of the window that it was learned with."""
        return c.lib.cof_model_window(self._handle)

    @property
    def sigma(self) -> float:
        """The Gaussian that it was learned with."""
        return c.lib.cof_model_sigma(self._handle)

    def label(self, image: ArrayLike, *, channel_axis: Optional[int] = -1,
              kind: Optional[str] = None, n_threads: Optional[int] = None) -> np.ndarray:
        """The label of each pixel."""
        view = view_of(image, channel_axis, kind=kind)
        out = View(np.empty(view.array.shape[:2], np.uint8))
        c.Call(n_threads=n_threads)("cof_model_label", self._handle, view.pointer, out.pointer)
        return out.array

    def margin(self, **options: Any) -> int:
        """How many pixels around a part the filter looks at."""
        call = c.Call(**filtering(**options))
        margin = c.lib.cof_margin(self._handle, byref(call.options))
        call.check(min(margin, 0))
        return margin

    def apply(self, image: ArrayLike, *, guide: Optional[ArrayLike] = None,
              labels: Optional[ArrayLike] = None, place: Optional[Place] = None,
              channel_axis: Optional[int] = -1, kind: Optional[str] = None,
              n_threads: Optional[int] = None, progress: Optional[c.Tell] = None,
              look: Optional[str] = None, **options: Any) -> np.ndarray:
        """Filters an image; a guide, or labels, decide what mixes in place of its own values.

        Options: look, coarse, filter_window, filter_sigma, num_iter, mode, space, method, accuracy,
        repeat, until, preset, as smooth() has them. A model does not know the preset, or the look,
        that it was learned with.

        With a `place` the image is a piece of a larger one, and only its part comes back. The piece
        must reach margin() pixels beyond the part, where the larger image does.
        """
        if guide is not None and labels is not None:
            raise ValueError("give a guide or labels, not both")
        if np.size(image) == 0:
            return np.array(image)
        view = view_of(image, channel_axis, place, kind)
        out = result_like(view, place)
        shown, function = None, "cof_filter"
        if labels is not None:
            shown, function = label_view(labels, view, place), "cof_filter_labels"
        elif guide is not None:
            axis = channel_axis if np.ndim(guide) == 3 else None
            shown = view_of(guide, axis, place)
        given = [self._handle, shown and shown.pointer, view.pointer, out.pointer]
        if place is not None:
            function, given = f"{function}_part", given + [place.rect(view.array.shape)]
        if look is not None:
            options = {**parted(looked(look, view.array.shape, options))[1], **options}
        call = c.Call(n_threads=n_threads, progress=progress, **filtering(**options))
        call.may_take_long(view.pixels)(function, *given)
        return given_back(out, image, channel_axis)
