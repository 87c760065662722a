# SPDX-License-Identifier: BSD-2-Clause
"""Images larger than memory, as arrays of Dask; the result is that of the whole, byte for byte.

    import cof.dask
    model = cof.dask.fit(array)            # reads the array twice, chunk by chunk
    smooth = cof.dask.apply(model, array)  # lazy

Chunks of any size will do, but small ones are slow: those around a chunk are read again for the
pixels that the windows reach into. A thousand pixels a side or more are good.
"""
from __future__ import annotations

from typing import Any, Iterator, List, Optional, Tuple

import dask
import dask.array as da
import numpy as np

from ._arrays import Place, readable
from ._models import Model
from ._options import split
from ._stats import Stats

__all__ = ["apply", "fit"]

# Statistics that are added up in one task.
_TOGETHER = 8


def _pixels(array: Any, channel_axis: Optional[int]) -> da.Array:
    """With the channels last, and in one chunk."""
    array = da.asarray(array)
    if array.ndim == 2 and channel_axis in (-1, None):
        return array
    if channel_axis is None or array.ndim != 3:
        raise ValueError(f"an image has 2 dimensions, or 3 with channel_axis, not {array.ndim}")
    return da.moveaxis(array, channel_axis, -1).rechunk({2: -1})


def _beside(array: Any, image: da.Array, name: str) -> Optional[da.Array]:
    if array is None:
        return None
    array = da.asarray(array)
    if array.shape[:2] != image.shape[:2]:
        raise ValueError(f"the {name} has the shape {array.shape[:2]}, "
                         f"the image {image.shape[:2]}")
    return array


def _sides(chunks: Tuple[int, ...]) -> List[slice]:
    ends = np.cumsum(chunks)
    return [slice(int(end - size), int(end)) for end, size in zip(ends, chunks) if size > 0]


def _rows_of_places(image: da.Array, margin: int) -> Iterator[List[Place]]:
    """A place for each chunk, which reaches `margin` pixels beyond it."""
    height, width = image.shape[:2]
    if np.isnan(height) or np.isnan(width):
        raise ValueError("the chunks have unknown sizes: call compute_chunk_sizes() first")
    if height == 0 or width == 0:
        raise ValueError("the array is empty")
    for rows in _sides(image.chunks[0]):
        yield [Place(max(rows.start - margin, 0), max(columns.start - margin, 0), height, width,
                     (rows, columns)) for columns in _sides(image.chunks[1])]


def _piece(array: Optional[da.Array], place: Place, margin: int) -> Optional[da.Array]:
    """What an array has at a place."""
    if array is None:
        return None
    rows, columns = place.sides(array.shape)
    return array[place.row:rows.stop + margin, place.column:columns.stop + margin]


def _scanned(empty: bytes, piece: np.ndarray, mask: Optional[np.ndarray], place: Place,
             kind: Optional[str]) -> Stats:
    return Stats.from_bytes(empty).scan(piece, mask=mask, place=place, kind=kind, n_threads=1)


def _added(empty: bytes, piece: np.ndarray, mask: Optional[np.ndarray], place: Place,
           kind: Optional[str]) -> Stats:
    return Stats.from_bytes(empty).add(piece, mask=mask, place=place, kind=kind, n_threads=1)


def _merged(parts: List[Stats]) -> Stats:
    """A sum of its own: Dask may need the parts again."""
    total = parts[0].copy()
    for part in parts[1:]:
        total.merge(part)
    return total


def _summed(task: Any, known: Stats, image: da.Array, mask: Optional[da.Array], margin: int,
            kind: Optional[str]) -> Stats:
    """The sum over all chunks, in a tree; `known` has the options, and the palette if there is one."""
    # As bytes: one Stats is for one thread at a time.
    one, merge, shared = (dask.delayed(each) for each in (task, _merged, known.like().to_bytes()))
    parts = [one(shared, _piece(image, place, margin), _piece(mask, place, margin), place, kind)
             for row in _rows_of_places(image, margin) for place in row]
    while len(parts) > 1:
        parts = [merge(parts[i:i + _TOGETHER]) for i in range(0, len(parts), _TOGETHER)]
    return parts[0].compute()


def fit(array: Any, *, mask: Any = None, channel_axis: Optional[int] = -1,
        kind: Optional[str] = None, **options: Any) -> Model:
    """Learns from an array of Dask: a reduction over its chunks, as Model.fit() of the whole.

    >>> import cof.dask, dask.array as da, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (90, 80, 3), np.uint8)
    >>> chunks = da.from_array(image, chunks=(40, 30, 3))
    >>> model = cof.dask.fit(chunks, window=7)
    >>> (model.matrix == cof.Model.fit(image, window=7).matrix).all()
    True
    """
    image = _pixels(array, channel_axis)
    mask = _beside(mask, image, "mask")
    counting, modelling = split(options)
    empty = Stats(**counting)
    scanned = _summed(_scanned, empty, image, mask, 0, kind)
    settled = scanned.settle()
    margin = (counting.get("window", 15) - 1) // 2
    return Model.from_stats(_summed(_added, settled, image, mask, margin, kind), **modelling)


def _filtered(model: Model, piece: np.ndarray, guide: Optional[np.ndarray], place: Place,
              kind: Optional[str], options: Any) -> np.ndarray:
    return model.apply(piece, guide=guide, place=place, kind=kind, n_threads=1, **options)


def apply(model: Model, array: Any, *, guide: Any = None, channel_axis: Optional[int] = -1,
          kind: Optional[str] = None, **options: Any) -> da.Array:
    """Filters an array of Dask, lazily, as model.apply() of the whole; options are those of
    filtering, but for `until`, which must see the whole.

    >>> import cof.dask, dask.array as da, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (90, 80, 3), np.uint8)
    >>> chunks = da.from_array(image, chunks=(40, 30, 3))
    >>> model = cof.Model.fit(image)
    >>> smooth = cof.dask.apply(model, chunks)
    >>> smooth.chunks == chunks.chunks
    True
    >>> (smooth.compute() == model.apply(image)).all()
    True
    """
    image = _pixels(array, channel_axis)
    if guide is not None:
        axis = channel_axis if np.ndim(guide) == 3 else None
        guide = _beside(_pixels(guide, axis), image, "guide")
    if options.get("until"):
        raise ValueError("until must see the whole image, not chunks")
    readable(np.empty(0, image.dtype))
    margin = model.margin(**options)
    task, shared = dask.delayed(_filtered), dask.delayed(model)

    def block(place: Place) -> da.Array:
        pieces = _piece(image, place, margin), _piece(guide, place, margin)
        rows, columns = place.sides(image.shape)
        shape = rows.stop - rows.start, columns.stop - columns.start, *image.shape[2:]
        return da.from_delayed(task(shared, *pieces, place, kind, options), shape, image.dtype)
    rows = [da.concatenate([block(place) for place in row], axis=1)
            for row in _rows_of_places(image, margin)]
    result = da.concatenate(rows, axis=0)
    return result if image.ndim == 2 else da.moveaxis(result, -1, channel_axis)
