# SPDX-License-Identifier: BSD-2-Clause
"""Dask arrays: images larger than memory. The result is that of the whole image, byte for byte.

    import cof.dask
    model = cof.dask.fit(array)            # reads the array twice, chunk by chunk
    smooth = cof.dask.apply(model, array)  # lazy

Chunks can have any size, but small ones are slow: for each chunk, the pixels around it that the
windows reach are read from its neighbours. A thousand pixels a side or more are good.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

import dask
import dask.array as da
import numpy as np
from dask.callbacks import Callback

from . import _library as c
from ._arrays import Place, readable
from ._learning import Model, Stats, model_of
from ._options import pick, takes_options, without_preset

__all__ = ["apply", "fit"]

# Statistics that are merged in one task.
_TOGETHER = 8


def _pixels(array: Any, channel_axis: Optional[int]) -> da.Array:
    """The array with its channels last and in one chunk."""
    array = da.asarray(array)
    if array.ndim == 2 and channel_axis in (-1, None):
        return array
    if channel_axis is None or array.ndim != 3:
        raise c.ArgumentError(
            f"an image has 2 dimensions, or 3 with channel_axis, not {array.ndim}",
            argument="array")
    return da.moveaxis(array, channel_axis, -1).rechunk({2: -1})


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
    if height == 0 or width == 0:
        raise c.ArgumentError("the array is empty", argument="array")


def _sides(chunks: Tuple[int, ...]) -> List[slice]:
    ends = np.cumsum(chunks)
    return [slice(int(end - size), int(end)) for end, size in zip(ends, chunks) if size > 0]


def _rows_of_places(image: da.Array, margin: int) -> Iterator[List[Place]]:
    """A place for each chunk, which extends `margin` pixels beyond the chunk."""
    height, width = image.shape[:2]
    for rows in _sides(image.chunks[0]):
        yield [Place(max(rows.start - margin, 0), max(columns.start - margin, 0), height, width,
                     (rows, columns)) for columns in _sides(image.chunks[1])]


def _piece(array: Optional[da.Array], place: Place, margin: int) -> Optional[da.Array]:
    """The part of an array at a place."""
    if array is None:
        return None
    rows, columns = place.sides(array.shape)
    return array[place.row:rows.stop + margin, place.column:columns.stop + margin]


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


def _scanned(empty: bytes, piece: np.ndarray, mask: Optional[np.ndarray], place: Place,
             kind: Optional[str]) -> Stats:
    return Stats.from_bytes(empty).scan(piece, mask=mask, place=place, kind=kind, threads=1)


def _added(empty: bytes, piece: np.ndarray, mask: Optional[np.ndarray], place: Place,
           kind: Optional[str]) -> Stats:
    return Stats.from_bytes(empty).add(piece, mask=mask, place=place, kind=kind, threads=1)


def _merged(parts: List[Stats]) -> Stats:
    """A sum of its own: Dask may need the parts again."""
    total = parts[0].copy()
    for part in parts[1:]:
        total.merge(part)
    return total


class _Progress(Callback):
    """Calls a function with the fraction of tasks that are finished."""

    def __init__(self, progress: Callable[[float], Any], first: float, last: float) -> None:
        super().__init__()
        self.progress, self.first, self.last = progress, first, last

    def _posttask(self, key: Any, result: Any, graph: Any, state: Any, worker: Any) -> None:
        waiting = sum(len(state[name]) for name in ("ready", "waiting", "running"))
        done = len(state["finished"])
        fraction = done / max(done + waiting, 1)
        if self.progress(self.first + (self.last - self.first) * fraction):
            raise c.CancelledError("cancelled")


def _sum(task: Any, known: Stats, image: da.Array, mask: Optional[da.Array], margin: int,
         kind: Optional[str]) -> Any:
    """The sum over all chunks, as a tree; `known` has the options and, if there is one, the
    palette."""
    one, merge, shared = (dask.delayed(each) for each in (task, _merged, known.like().to_bytes()))
    parts = [one(shared, _piece(image, place, margin), _piece(mask, place, margin), place, kind)
             for row in _rows_of_places(image, margin) for place in row]
    while len(parts) > 1:
        parts = [merge(parts[i:i + _TOGETHER]) for i in range(0, len(parts), _TOGETHER)]
    return parts[0]


def _computed(task: Any, progress: Optional[Callable[[float], Any]], first: float,
              last: float) -> Stats:
    if progress is None:
        return task.compute()
    with _Progress(progress, first, last):
        return task.compute()


@takes_options(c.GENERAL, c.LEARN, c.MODEL)
def fit(array: Any, *, mask: Any = None, channel_axis: Optional[int] = -1,
        kind: Optional[str] = None, **options: Any) -> Model:
    """Learns from a Dask array, chunk by chunk. The model is that of Model.fit() on the whole.

    Parameters
    ----------
    array : dask array
        The image.
    mask : dask array, optional
        Learn only where this is not 0.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    Model

    Notes
    -----
    `progress` works with the schedulers of one machine (threads, processes, synchronous). Chunks
    use one thread each; the scheduler runs them at the same time.

    Examples
    --------
    >>> import cof.dask, dask.array as da, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (90, 80, 3), np.uint8)
    >>> chunks = da.from_array(image, chunks=(40, 30, 3))
    >>> model = cof.dask.fit(chunks, window=7)
    >>> model == cof.Model.fit(image, window=7)
    True
    """
    image = _pixels(array, channel_axis)
    mask = _beside(mask, image, "mask")
    _check_size(image)
    progress = options.get("progress")
    options = _options_for(image, options)
    empty = Stats(**pick(options, c.LEARN, execution=False))
    scanned = _computed(_sum(_scanned, empty, image, mask, 0, kind), progress, 0, 0.5)
    scanned.fit_palette()
    margin = (empty.options["window"] - 1) // 2
    counted = _computed(_sum(_added, scanned, image, mask, margin, kind), progress, 0.5, 1)
    return counted.model(**pick(options, "variant", c.MODEL, execution=False))


def _filtered(model: Model, piece: np.ndarray, guide: Optional[np.ndarray], place: Place,
              kind: Optional[str], options: Any) -> np.ndarray:
    return model.apply(piece, guide=guide, place=place, kind=kind, threads=1, **options)


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
        With the shape, dtype and chunks of the image; masked if the image is masked.

    Notes
    -----
    `tolerance` needs the whole image and is refused. For the progress of the computation, use
    dask.diagnostics.ProgressBar; `threads`, `progress`, `report` and `context` have no effect on a
    lazy array and are refused.

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
    unused = pick(options, c.RUN)
    if unused:
        raise TypeError(f"'{next(iter(unused))}' has no effect on a lazy array: "
                        "see dask.diagnostics.ProgressBar and dask.config")
    if options.get("tolerance"):
        raise c.ArgumentError("tolerance needs the whole image, not chunks", option="tolerance")
    readable(np.empty(0, image.dtype))
    filtering = pick(without_preset(options, *image.shape[:2]), "variant", c.FILTER)
    margin = model.margin(**filtering)
    task, shared = dask.delayed(_filtered), dask.delayed(model)

    def block(place: Place) -> da.Array:
        pieces = _piece(image, place, margin), _piece(guide, place, margin)
        rows, columns = place.sides(image.shape)
        shape = rows.stop - rows.start, columns.stop - columns.start, *image.shape[2:]
        return da.from_delayed(task(shared, *pieces, place, kind, filtering), shape, image.dtype,
                               meta=image._meta)
    blocks = [da.concatenate([block(place) for place in row], axis=1)
              for row in _rows_of_places(image, margin)]
    result = da.concatenate(blocks, axis=0)
    return result if image.ndim == 2 else da.moveaxis(result, -1, channel_axis)
