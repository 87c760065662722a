# SPDX-License-Identifier: BSD-2-Clause
"""Dask arrays: images larger than memory. The result is that of the whole image, byte for byte.

    import cof.dask
    smooth = cof.dask.smooth(array)        # lazy: three passes over the array when computed

    model = cof.dask.fit(array)            # reads the array twice, chunk by chunk
    smooth = cof.dask.apply(model, array)  # lazy

Chunks can have any size. Small ones are put together, so a thousand pixels a side or more are good.

With a client of dask.distributed, all of it runs on the cluster: see docs/clusters.md.
"""
from __future__ import annotations

import time
from operator import getitem
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import dask
import dask.array as da
import numpy as np
from dask.callbacks import Callback
from dask.delayed import Delayed

from . import _library as c
from ._arrays import Place, readable
from ._chunks import (Grid, Key, Layer, Number, Part, Source, Strips, divided, joined, strips_of,
                      tiles_of)
from ._coarse import Coarse, downscale
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


# The tasks. Statistics are merged into new ones: Dask may need the parts again.

def _scanned(empty: bytes, image: np.ndarray, mask: Optional[np.ndarray], place: Place,
             kind: Optional[str], parts: List[Part]) -> Tuple[Stats, List[np.ndarray]]:
    """The statistics of a tile, and the strips that the other passes need of it."""
    stats = Stats.from_bytes(empty).scan(image, mask=mask, place=place, kind=kind, threads=1)
    return stats, strips_of(image, parts)


def _added(empty: bytes, image: np.ndarray, mask: Optional[np.ndarray], place: Place,
           kind: Optional[str]) -> Stats:
    return Stats.from_bytes(empty).add(image, mask=mask, place=place, kind=kind, threads=1)


def _merged(parts: List[Stats]) -> Stats:
    total = parts[0].copy()
    for part in parts[1:]:
        total.merge(part)
    return total


def _with_palette(scanned: Stats) -> bytes:
    return scanned.copy().fit_palette(threads=1).like().to_bytes()


def _modelled(counted: Stats, options: Mapping[str, Any]) -> Model:
    return counted.model(**options)


Small = Tuple[np.ndarray, Optional[np.ndarray]]  # a downscaled image, and its mask


def _downscaled(image: np.ndarray, mask: Optional[np.ndarray], factor: int, place: Place,
                kind: Optional[str]) -> Small:
    """Of the mask, how much of each pixel is set."""
    small = downscale(image, factor, place=place, kind=kind, threads=1)
    if mask is None:
        return small, None
    begins = [np.arange(0, length, factor) for length in mask.shape]
    sizes = [np.diff(begin, append=length) for begin, length in zip(begins, mask.shape)]
    rows = np.add.reduceat(np.asarray(mask) != 0, begins[0], axis=0, dtype=np.int64)
    return small, np.add.reduceat(rows, begins[1], axis=1) / np.outer(*sizes)


def _assembled(size: Tuple[int, int], where: List[Number], parts: List[Small]) -> Small:
    """A pixel of the mask is set if half of its cell is; if that leaves none, if any is."""
    images, masks = zip(*parts)
    image = joined(size, zip(where, images))
    if masks[0] is None:
        return image, None
    mask = joined(size, zip(where, masks))
    half = mask >= 0.5
    return image, half if half.any() else mask > 0


Learned = Sequence[Any]  # a model, and the downscaled images


def _learned(smalls: List[Small], learning: Mapping[str, Any], modelling: Mapping[str, Any],
             kind: Optional[str]) -> Learned:
    stats = Stats(**learning)
    for image, mask in smalls:
        stats.scan(image, mask=mask, downscaled=True, kind=kind, threads=1)
    stats.fit_palette(threads=1)
    for image, mask in smalls:
        stats.add(image, mask=mask, downscaled=True, kind=kind, threads=1)
    return stats.model(**modelling), smalls


def _coarse(learned: Learned, number: int, kind: Optional[str],
            options: Mapping[str, Any]) -> Coarse:
    model, smalls = learned
    return Coarse(model, smalls[number][0], kind=kind, threads=1, **options)


# What makes a result of a filtered tile and the tile before.
Finish = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _filtered(model: Union[Model, Coarse], image: np.ndarray, guide: Optional[np.ndarray],
              place: Place, kind: Optional[str], options: Mapping[str, Any],
              finish: Optional[Finish]) -> np.ndarray:
    if isinstance(model, Coarse):
        made = model.apply(image, place=place, kind=kind, threads=1)
    else:
        made = model.apply(image, guide=guide, place=place, kind=kind, threads=1, **options)
    return made if finish is None else finish(made, place.part_of(image))


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


def _add_small(layer: Layer, number: int, image: da.Array, mask: Optional[da.Array], factor: int,
               kind: Optional[str]) -> Key:
    """Tasks that downscale an image. Its tiles are extended to whole cells."""
    tiles, where, parts = tiles_of(image), [], []
    for tile in tiles.numbers():
        cells = tuple(slice(-(-side.start // factor), -(-side.stop // factor))
                      for side in tiles.sides(tile))
        if any(side.start == side.stop for side in cells):
            continue
        sides = slice(cells[0].start * factor, min(cells[0].stop * factor, image.shape[0])), \
            slice(cells[1].start * factor, min(cells[1].stop * factor, image.shape[1]))
        where.append((cells[0].start, cells[1].start))
        parts.append(layer.add(("part", number, *tile), _downscaled, layer.read(image, sides),
                               layer.read(mask, sides), factor, tiles.place(sides, 0), kind))
    size = -(-image.shape[0] // factor), -(-image.shape[1] // factor)
    return layer.add(("small", number), _assembled, size, where, parts)


class _Learning:
    """Learning from images as a lazy computation: two passes over all tiles, or one that downscales
    them."""

    def __init__(self, images: List[da.Array], masks: List[Optional[da.Array]],
                 kind: Optional[str], options: Mapping[str, Any]) -> None:
        self.images, self.masks, self.kind = images, masks, kind
        self.names = [array if array is None else array.name for array in [*images, *masks]]
        self.source = Source([*images, *masks])
        self.learning = pick(options, c.LEARN, execution=False)
        self.modelling = pick(options, "variant", c.MODEL, execution=False)
        self.empty = Stats(**self.learning)
        self.factor = self.empty.options["downscale"]
        # The tiles and strips of each image, or what makes the downscaled images and their model.
        self.divided: List[Any] = [None] * len(images)
        self.learned: Optional[Key] = None

    def _scan(self) -> Delayed:
        """The bytes of statistics with the options and the palette."""
        empty = self.empty.to_bytes()
        layer, parts = Layer("cof-scan", self.source, [], self.names, empty, self.kind,
                             self.margins), []
        for number, (image, mask) in enumerate(zip(self.images, self.masks)):
            tiles, strips = self.divided[number]
            for tile in tiles.numbers():
                sides = tiles.sides(tile)
                scanned = layer.add((number, *tile), _scanned, empty, layer.read(image, sides),
                                    layer.read(mask, sides), tiles.place(sides, 0), self.kind,
                                    [] if strips is None else strips.parts(tile))
                parts.append((getitem, scanned, 0))
                if strips is not None:
                    strips.tasks[tile] = getitem, scanned, 1
        return layer.value(_with_palette, layer.merged(_merged, parts))

    def _count(self, known: Delayed, margin: int) -> Delayed:
        layer, parts = Layer("cof-count", self.source, [known], self.modelling), []
        for number, (image, mask) in enumerate(zip(self.images, self.masks)):
            tiles, strips = self.divided[number]
            for tile in tiles.numbers():
                sides = tiles.sides(tile)
                reach = tiles.reach(sides, margin)
                parts.append(layer.add((number, *tile), _added, layer.shared(known),
                                       layer.read(image, reach, tile, strips),
                                       layer.read(mask, reach), tiles.place(sides, margin),
                                       self.kind))
        return layer.value(_modelled, layer.merged(_merged, parts), self.modelling)

    def _downscale(self) -> Delayed:
        layer = Layer("cof-downscale", self.source, [], self.names, self.learning, self.modelling,
                      self.kind)
        smalls = [_add_small(layer, number, image, mask, self.factor, self.kind)
                  for number, (image, mask) in enumerate(zip(self.images, self.masks))]
        self.learned = layer.add(("learned",), _learned, smalls, self.learning, self.modelling,
                                 self.kind)
        return layer.value(getitem, self.learned, 0)

    def model(self, margins: Sequence[int] = ()) -> Delayed:
        """Keeps what windows that reach as far as the margins need of other tiles."""
        if self.factor > 1:
            return self._downscale()
        margin = (self.empty.options["window"] - 1) // 2
        self.margins = sorted({margin, *margins})
        self.divided = [divided(image, self.margins) for image in self.images]
        return self._count(self._scan(), margin)

    def margin(self, filtering: Mapping[str, Any]) -> int:
        """That of the model."""
        stats = Stats(**{**self.learning, "palettes": 1}).set_palette([[0], [1]])
        return _margin(Model.from_matrix(stats, np.ones((2, 2)), **self.modelling),
                       np.zeros((1, 1), np.uint8), None, filtering)


def _factor(learned: int, filtering: Mapping[str, Any]) -> int:
    """By which the filter downscales."""
    return int(filtering.get("filter_downscale", 0) or learned)


def _margin(model: Model, image: np.ndarray, kind: Optional[str],
            filtering: Mapping[str, Any]) -> int:
    """How far tiles read. Refuses options that tiles do not support."""
    if _factor(model.options["downscale"], filtering) > 1:
        return Coarse(model, image, kind=kind, **filtering).margin
    return model.margin(**filtering)


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
    return _Learning(images, masks, kind, without_preset(options, *images[0].shape[:2]))


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


def _apply(source: Source, model: Any, image: da.Array, guide: Optional[da.Array],
           kind: Optional[str], filtering: Mapping[str, Any], margin: int,
           halo: Optional[Tuple[Grid, Optional[Strips]]] = None, learned: Optional[Key] = None,
           number: int = 0, factor: int = 1, finish: Optional[Finish] = None,
           dtype: Any = None) -> da.Array:
    """Of a delayed model, there may be tiles and strips already, or the downscaled images, of which
    this one has a number."""
    names = [array if array is None else array.name for array in (image, guide)]
    identity = model.to_bytes() if isinstance(model, Model) else None
    layer = Layer("cof-filter", source, [model], names, identity, kind, filtering, finish)
    shared = layer.shared(model)
    if factor > 1:
        learned = learned or [shared, [_add_small(layer, 0, image, None, factor, kind)]]
        shared = layer.add(("coarse",), _coarse, learned, number, kind, dict(filtering))
    tiles, strips = halo or divided(image, [margin])
    if strips is not None and halo is None:
        for tile in filter(strips.parts, tiles.numbers()):
            strips.tasks[tile] = layer.add(("strips", *tile), strips_of,
                                           layer.read(image, tiles.sides(tile)), strips.parts(tile))
    for tile in tiles.numbers():
        sides = tiles.sides(tile)
        reach = tiles.reach(sides, margin)
        layer.add_chunks(image, sides, _filtered, shared, layer.read(image, reach, tile, strips),
                         layer.read(guide, reach), tiles.place(sides, margin), kind,
                         dict(filtering), finish)
    return layer.array(image, image._meta if dtype is None else np.empty((0,) * image.ndim, dtype))


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
    Each chunk is computed twice: for the strips that windows need of the chunks around, and to be
    filtered. See smooth() for windows that reach far.

    `tolerance` needs the whole image and is refused; so is a guide if the filter downscales. For
    the progress of the computation, use dask.diagnostics.ProgressBar or distributed.progress();
    `threads`, `progress`, `report` and `context` have no effect on a lazy array and are refused.

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
    return _apply_model(model, array, guide, channel_axis, kind, options)


def _apply_model(model: Model, array: Any, guide: Any, channel_axis: Optional[int],
                 kind: Optional[str], options: Mapping[str, Any], finish: Optional[Finish] = None,
                 dtype: Any = None) -> da.Array:
    image = _pixels(array, channel_axis)
    if guide is not None:
        axis = channel_axis if np.ndim(guide) == 3 else None
        guide = _beside(_pixels(guide, axis), image, "guide")
    _check_size(image)
    model_of(model)
    _check_lazy(options)
    readable(np.empty(0, image.dtype))
    filtering = _filtering(options, image)
    factor = _factor(model.options["downscale"], filtering)
    if guide is not None and factor > 1:
        raise c.ArgumentError("chunks with a guide cannot be downscaled: set filter_downscale to 1",
                              argument="guide")
    pixel = np.zeros((1, 1, *image.shape[2:]), image.dtype)
    result = _apply(Source([image, guide]), model, image, guide, kind, filtering,
                    _margin(model, pixel, kind, filtering), factor=factor, finish=finish,
                    dtype=dtype)
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
    and for the counts, and one over the part. If the image is downscaled, as presets do with large
    images, one pass over the whole image replaces these two. The downscaled image must fit in
    memory.

    The array need not fit in memory: each pass computes its chunks again, in the tasks that need
    them, and a task holds one chunk at a time. If windows reach far into other chunks, it computes
    these, too. `array.persist()` keeps the chunks in memory instead. To use a model more than once,
    see fit() and apply(). `tolerance`, `threads`, `progress`, `report` and `context` are refused,
    as in apply().

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
                kind: Optional[str], options: Mapping[str, Any], finish: Optional[Finish] = None,
                dtype: Any = None) -> List[da.Array]:
    """Learns from all arrays and filters each."""
    _check_lazy(options)
    learning = _learning(arrays, masks, channel_axis, kind, options)
    filtering = [_filtering(options, image) for image in learning.images]
    margins = [learning.margin(each) for each in filtering]
    model = learning.model(margins)
    return [_axes_restored(_apply(learning.source, model, image, None, kind, each, margin, halo,
                                  learning.learned, number, _factor(learning.factor, each), finish,
                                  dtype), channel_axis)
            for number, (image, each, margin, halo) in enumerate(zip(
                learning.images, filtering, margins, learning.divided))]
