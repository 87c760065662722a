# SPDX-License-Identifier: BSD-2-Clause
"""Dask arrays: images larger than memory. The result is that of the whole image, byte for byte.

    import cof.dask
    smooth = cof.dask.smooth(array)        # lazy: three passes over the array when computed

    model = cof.dask.fit(array)            # reads the array twice, chunk by chunk
    smooth = cof.dask.apply(model, array)  # lazy

Chunks can have any size, but small ones are slow: for each chunk, the pixels around it that the
windows reach are read from its neighbours. A thousand pixels a side or more are good.

With a client of dask.distributed, all of it runs on the cluster: see docs/clusters.md.
"""
from __future__ import annotations

import time
from operator import getitem
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import dask
import dask.array as da
import numpy as np
from dask import graph_manipulation
from dask.callbacks import Callback
from dask.delayed import Delayed

from . import _library as c
from ._arrays import Place, readable
from ._chunks import Layer, Part, Strips, joined, optimised, rows_of_places, strips_of
from ._learning import Model, Stats, model_of
from ._options import pick, takes_options, without_preset

__all__ = ["apply", "fit", "smooth"]

# How often a cluster is asked for its progress.
_POLL_S = 0.1


def _pixels(array: Any, channel_axis: Optional[int]) -> da.Array:
    """The array with its channels last and in one chunk."""
    array = da.asarray(array)
    if array.ndim == 2 and channel_axis in (-1, None):
        return array
    if channel_axis is None or array.ndim != 3:
        raise c.ArgumentError(
            f"an image has 2 dimensions, or 3 with channel_axis, not {array.ndim}",
            argument="array")
    if channel_axis not in (-1, 2):
        array = da.moveaxis(array, channel_axis, -1)
    return array.rechunk({2: -1})


def _beside(array: Any, image: da.Array, name: str) -> Optional[da.Array]:
    """An array that must be as large as the image."""
    if array is None:
        return None
    array = da.asarray(array)
    if array.shape[:2] != image.shape[:2]:
        raise c.ArgumentError(f"the {name} has the shape {array.shape[:2]}, "
                              f"the image {image.shape[:2]}", argument=name)
    return array


def _check_size(image: da.Array) -> None:
    height, width = image.shape[:2]
    if np.isnan(height) or np.isnan(width):
        raise c.ArgumentError("the chunks have unknown sizes: call compute_chunk_sizes() first",
                              argument="array")
    if image.size == 0:
        raise c.ArgumentError("the array is empty", argument="array")


def _options_for(image: da.Array, options: Mapping[str, Any]) -> Dict[str, Any]:
    """Options without a preset, for an image that cannot be downscaled."""
    found = without_preset(options, *image.shape[:2])
    factor = max(found.get("downscale", 1), found.get("filter_downscale", 1))
    if "preset" in options and factor > 1:
        raise c.ArgumentError(
            f"the preset downscales an image of this size by {factor}, but chunks cannot be "
            "downscaled: add downscale=1 to smooth less, or coarsen the array first",
            option="preset")
    return found


# The tasks. Statistics are merged into new ones: Dask may need the parts again.

def _scanned(empty: bytes, pieces: Any, masks: Any, place: Place, kind: Optional[str],
             parts: List[Part]) -> Tuple[Stats, List[np.ndarray]]:
    """The statistics of a chunk, and the strips that the other passes need of it."""
    mask, chunk = None if masks is None else joined(masks), joined(pieces)
    stats = Stats.from_bytes(empty).scan(chunk, mask=mask, place=place, kind=kind, threads=1)
    return stats, strips_of(chunk, parts)


def _added(empty: bytes, pieces: Any, masks: Any, place: Place, kind: Optional[str]) -> Stats:
    mask = None if masks is None else joined(masks)
    return Stats.from_bytes(empty).add(joined(pieces), mask=mask, place=place, kind=kind,
                                       threads=1)


def _merged(parts: List[Stats]) -> Stats:
    total = parts[0].copy()
    for part in parts[1:]:
        total.merge(part)
    return total


def _with_palette(scanned: Stats) -> bytes:
    return scanned.copy().fit_palette(threads=1).like().to_bytes()


def _modelled(counted: Stats, options: Mapping[str, Any]) -> Model:
    return counted.model(**options)


def _filtered(model: Model, pieces: Any, guides: Any, place: Place, kind: Optional[str],
              options: Mapping[str, Any]) -> np.ndarray:
    guide = None if guides is None else joined(guides)
    return model.apply(joined(pieces), guide=guide, place=place, kind=kind, threads=1, **options)


class _Progress(Callback):
    """Calls a function with the fraction of tasks that are finished."""

    def __init__(self, progress: Callable[[float], Any]) -> None:
        super().__init__()
        self.progress = progress

    def _posttask(self, key: Any, result: Any, graph: Any, state: Any, worker: Any) -> None:
        waiting = sum(len(state[name]) for name in ("ready", "waiting", "running"))
        done = len(state["finished"])
        if self.progress(done / max(done + waiting, 1)):
            raise c.CancelledError("cancelled")


def _computed(task: Delayed, progress: Optional[Callable[[float], Any]]) -> Any:
    if progress is None:
        return task.compute()
    client = getattr(dask.base.get_scheduler(collections=[task]), "__self__", None)
    if hasattr(client, "scheduler_info"):
        return _computed_on(client, task, progress)
    with _Progress(progress):
        return task.compute()


def _computed_on(client: Any, task: Delayed, progress: Callable[[float], Any]) -> Any:
    """Computes on a cluster. The function is called on the thread of the caller."""
    from distributed.diagnostics.progressbar import ProgressBar

    class Fraction(ProgressBar):
        fraction = 0.0

        def _draw_bar(self, remaining: int, all: int, **_: Any) -> None:
            self.fraction = 1 - remaining / all if all else 0

        def _draw_stop(self, **_: Any) -> None:
            pass

    future = client.compute(task)
    bar = Fraction([future], scheduler=client.scheduler.address, complete=True)
    client.loop.add_callback(bar.listen)
    shown = -1.0
    try:
        while not future.done():
            time.sleep(_POLL_S)
            if bar.fraction != shown:
                shown = bar.fraction
                if progress(shown):
                    raise c.CancelledError("cancelled")
        result = future.result()
    finally:
        future.cancel()
    if shown < 1:
        progress(1)
    return result


class _Learning:
    """Learning from images as a lazy computation: two passes over all chunks."""

    def __init__(self, images: List[da.Array], masks: List[Optional[da.Array]],
                 kind: Optional[str], options: Mapping[str, Any]) -> None:
        self.images, self.masks, self.kind = images, masks, kind
        self.learning = pick(options, c.LEARN, execution=False)
        self.modelling = pick(options, "variant", c.MODEL, execution=False)
        self.empty = Stats(**self.learning)

    def _chunks(self, margin: int) -> Iterator[Tuple[Tuple[int, int, int], Any, Any, Strips, Place]]:
        """For each chunk a number, the image, the mask, the strips of the image and the place."""
        for number, (image, mask) in enumerate(zip(self.images, self.masks)):
            for row, places in enumerate(rows_of_places(image, margin)):
                for column, place in enumerate(places):
                    yield (number, row, column), image, mask, self.strips[number], place

    def _scan(self, margins: Sequence[int]) -> Delayed:
        """The bytes of statistics with the options and the palette."""
        empty = self.empty.to_bytes()
        layer = Layer("cof-scan", [*self.images, *self.masks], empty, self.kind, margins)
        for number, image, mask, strips, place in self._chunks(0):
            pieces: Any = layer.piece(image, place, 0)
            chunk = pieces[0][0][1:3]
            strips.tasks[chunk] = layer.add(number, _scanned, empty, pieces,
                                            layer.piece(mask, place, 0), place, self.kind,
                                            strips.parts(chunk))
        parts = [(getitem, key, 0) for strips in self.strips for key in strips.tasks.values()]
        return layer.value(_with_palette, layer.merged(_merged, parts))

    def _count(self, known: Delayed, margin: int) -> Delayed:
        layer = Layer("cof-count", [*self.images, *self.masks, known], self.kind, self.modelling)
        parts = [layer.add(number, _added, layer.shared(known),
                           layer.piece(image, place, margin, strips),
                           layer.piece(mask, place, margin), place, self.kind)
                 for number, image, mask, strips, place in self._chunks(margin)]
        return layer.value(_modelled, layer.merged(_merged, parts), self.modelling)

    def model(self, margins: Sequence[int] = ()) -> Delayed:
        """Keeps what windows that reach as far as the margins need of other chunks."""
        margin = (self.empty.options["window"] - 1) // 2
        margins = sorted({margin, *margins})
        self.strips = [Strips(image, margins) for image in self.images]
        self.known = self._scan(margins)
        # The second pass reads the images again, instead of keeping them in memory.
        self.images, self.masks = graph_manipulation.bind((self.images, self.masks), self.known,
                                                          seed=self.known.key)
        return self._count(self.known, margin)

    def margin(self, filtering: Mapping[str, Any]) -> int:
        """That of the model."""
        stats = Stats(**{**self.learning, "palettes": 1}).set_palette([[0], [1]])
        return Model.from_matrix(stats, np.ones((2, 2))).margin(**filtering)


def _listed(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _learning(arrays: Any, masks: Any, channel_axis: Optional[int], kind: Optional[str],
              options: Mapping[str, Any]) -> _Learning:
    arrays = _listed(arrays)
    masks = [None] * len(arrays) if masks is None else _listed(masks)
    if not arrays or len(masks) != len(arrays):
        raise c.ArgumentError(f"there are {len(arrays)} images and {len(masks)} masks",
                              argument="mask" if arrays else "array")
    images = [_pixels(array, channel_axis) for array in arrays]
    masks = [_beside(mask, image, "mask") for mask, image in zip(masks, images)]
    for image in images:
        _check_size(image)
        readable(np.empty(0, image.dtype))
    found = optimised([*images, *masks])
    return _Learning(found[:len(images)], found[len(images):], kind,
                     _options_for(images[0], options))


@takes_options(c.GENERAL, c.LEARN, c.MODEL)
def fit(array: Any, *, mask: Any = None, channel_axis: Optional[int] = -1,
        kind: Optional[str] = None, **options: Any) -> Model:
    """Learns from Dask arrays, chunk by chunk. The model is that of Model.fit() on the whole.

    Parameters
    ----------
    array : dask array, or list of dask arrays
        The image, or several images of the same kind.
    mask : dask array, or list of dask arrays, optional
        Learn only where this is not 0. For several images, a list with a mask or None for each.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    Model

    Notes
    -----
    Each chunk uses one thread; the scheduler runs chunks at the same time. Statistics are merged in
    a tree.

    Examples
    --------
    >>> import cof.dask, dask.array as da, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (90, 80, 3), np.uint8)
    >>> chunks = da.from_array(image, chunks=(40, 30, 3))
    >>> model = cof.dask.fit(chunks, window=7)
    >>> model == cof.Model.fit(image, window=7)
    True
    """
    model = _learning(array, mask, channel_axis, kind, options).model()
    return _computed(model, options.get("progress"))


def _check_lazy(options: Mapping[str, Any]) -> None:
    """Refuses options that have no effect on an array that is computed later."""
    unused = pick(options, c.RUN)
    if unused:
        raise TypeError(f"'{next(iter(unused))}' has no effect on a lazy array: "
                        "see dask.diagnostics.ProgressBar and dask.config")
    if options.get("tolerance"):
        raise c.ArgumentError("tolerance needs the whole image, not chunks", option="tolerance")


def _filtering(options: Mapping[str, Any], image: da.Array) -> Dict[str, Any]:
    return pick(without_preset(options, *image.shape[:2]), "variant", c.FILTER)


def _apply(model: Any, image: da.Array, guide: Optional[da.Array], kind: Optional[str],
           filtering: Mapping[str, Any], margin: int, strips: Optional[Strips] = None,
           known: Optional[Delayed] = None) -> da.Array:
    """The third pass. The model may be delayed; then `known` makes the strips."""
    identity = model.to_bytes() if isinstance(model, Model) else None
    layer = Layer("cof-filter", [image, guide, model, known], identity, kind, filtering)
    shared = layer.shared(model)
    end = (0,) * (image.ndim - 2)
    for row, places in enumerate(rows_of_places(image, margin)):
        for column, place in enumerate(places):
            layer.add((row, column, *end), _filtered, shared,
                      layer.piece(image, place, margin, strips),
                      layer.piece(guide, place, margin), place, kind, dict(filtering))
    return layer.array(image)


def _axes_restored(result: da.Array, channel_axis: Optional[int]) -> da.Array:
    is_last = result.ndim == 2 or channel_axis in (-1, 2)
    return result if is_last else da.moveaxis(result, -1, channel_axis)


@takes_options(c.GENERAL, c.FILTER)
def apply(model: Model, array: Any, *, guide: Any = None, channel_axis: Optional[int] = -1,
          kind: Optional[str] = None, **options: Any) -> da.Array:
    """Filters a Dask array lazily. The result is that of model.apply() on the whole.

    Parameters
    ----------
    model : Model
        The model.
    array : dask array
        The image.
    guide : dask array, optional
        An image of the same size whose values decide which pixels are averaged.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    dask array
        With the shape, dtype and chunks of the image; masked if the image is masked. Channels are
        in one chunk.

    Notes
    -----
    `tolerance` needs the whole image and is refused. For the progress of the computation, use
    dask.diagnostics.ProgressBar or distributed.progress(); `threads`, `progress`, `report` and
    `context` have no effect on a lazy array and are refused.

    Examples
    --------
    >>> import cof.dask, dask.array as da, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (90, 80, 3), np.uint8)
    >>> chunks = da.from_array(image, chunks=(40, 30, 3))
    >>> model = cof.Model.fit(image)
    >>> smooth = cof.dask.apply(model, chunks)
    >>> smooth.chunks == chunks.chunks
    True
    >>> bool((smooth.compute() == model.apply(image)).all())
    True
    """
    image = _pixels(array, channel_axis)
    if guide is not None:
        axis = channel_axis if np.ndim(guide) == 3 else None
        guide = _beside(_pixels(guide, axis), image, "guide")
    _check_size(image)
    model_of(model)
    _check_lazy(options)
    readable(np.empty(0, image.dtype))
    filtering = _filtering(options, image)
    image, guide = optimised([image, guide])
    result = _apply(model, image, guide, kind, filtering, model.margin(**filtering))
    return _axes_restored(result, channel_axis)


@takes_options(c.GENERAL, c.LEARN, c.MODEL, c.FILTER)
def smooth(array: Any, *, mask: Any = None, channel_axis: Optional[int] = -1,
           kind: Optional[str] = None, **options: Any) -> da.Array:
    """Learns from a Dask array and filters it, lazily. The result is that of cof.smooth().

    Parameters
    ----------
    array : dask array
        The image.
    mask : dask array, optional
        Learn only where this is not 0.
    channel_axis, kind
        As in cof.smooth().
    {options}

    Returns
    -------
    dask array
        With the shape, dtype and chunks of the image; masked if the image is masked. Channels are
        in one chunk.

    Notes
    -----
    Computing the result, or any part of it, takes two passes over the whole image, for the palette
    and for the counts, and one over the part. Each pass computes the chunks of the array again, so
    that the array need not fit in memory. To use a model more than once, see fit() and apply().
    `tolerance`, `threads`, `progress`, `report` and `context` are refused, as in apply().

    Examples
    --------
    >>> import cof.dask, dask.array as da, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (90, 80, 3), np.uint8)
    >>> chunks = da.from_array(image, chunks=(40, 30, 3))
    >>> smooth = cof.dask.smooth(chunks, window=7)
    >>> bool((smooth.compute() == cof.smooth(image, window=7)).all())
    True
    """
    masks = None if mask is None else [mask]
    return _smooth_all([array], masks, channel_axis, kind, options)[0]


def _smooth_all(arrays: List[Any], masks: Optional[List[Any]], channel_axis: Optional[int],
                kind: Optional[str], options: Mapping[str, Any]) -> List[da.Array]:
    """Learns from all arrays and filters each."""
    _check_lazy(options)
    learning = _learning(arrays, masks, channel_axis, kind, options)
    images = learning.images
    filtering = [_filtering(options, image) for image in images]
    margins = [learning.margin(each) for each in filtering]
    model = learning.model(margins)
    again = graph_manipulation.bind(images, model, seed=model.key)
    return [_axes_restored(_apply(model, image, None, kind, each, margin, strips, learning.known),
                           channel_axis)
            for image, each, margin, strips in zip(again, filtering, margins, learning.strips)]
