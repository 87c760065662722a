# SPDX-License-Identifier: BSD-2-Clause
"""The tasks of cof.dask: one for each chunk and pass, in one layer of the graph per pass.

A task gets its own chunk and, from the chunks around it, strips as wide as the windows reach. A
cluster moves the strips and not the chunks around. Its scheduler and its workers take about two
milliseconds for each task, so there are few. All strips of a chunk are cut by one task, in smooth()
by the one that reads the chunk in the first pass; then a chunk is read by the only task of a pass
that needs it, and never waits in memory.
"""
from __future__ import annotations

from operator import getitem
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import dask
import dask.array as da
import numpy as np
from dask.array.optimization import optimize
from dask.base import tokenize
from dask.core import flatten, get_dependencies, istask
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from dask.optimization import cull
from dask.utils import ensure_dict

from ._arrays import Place

# Statistics that are merged in one task.
_TOGETHER = 8
# The largest share of a chunk that its strips may have if one task cuts them all.
_STRIPS_SHARE = 0.25
# Strips are kept from the first pass to the last if they are smaller than this, or than this share
# of the image.
_KEPT_BYTES, _KEPT_SHARE = 64e6, 1 / 32

Key = Any  # of a task; a nested list of keys stands for a piece that is to be joined
Part = Tuple[int, int, int, int]  # of a chunk: top, bottom, left, right


def sides(chunks: Sequence[int]) -> List[slice]:
    """The rows, or columns, of each chunk that is not empty."""
    ends = np.cumsum(chunks)
    return [slice(int(end - size), int(end)) for end, size in zip(ends, chunks) if size > 0]


def rows_of_places(image: da.Array, margin: int) -> Iterator[List[Place]]:
    """A place for each chunk, which extends `margin` pixels beyond the chunk."""
    height, width = image.shape[:2]
    for rows in sides(image.chunks[0]):
        yield [Place(max(rows.start - margin, 0), max(columns.start - margin, 0), height, width,
                     (rows, columns)) for columns in sides(image.chunks[1])]


def joined(rows: List[List[np.ndarray]]) -> np.ndarray:
    """The array of which these are the pieces. Pieces may be masked."""
    if len(rows) == 1 and len(rows[0]) == 1:
        return rows[0][0]
    if any(np.ma.isMaskedArray(piece) for row in rows for piece in row):
        return np.ma.concatenate([np.ma.concatenate(row, axis=1) for row in rows], axis=0)
    first = rows[0][0]
    whole = np.empty((sum(row[0].shape[0] for row in rows),
                      sum(piece.shape[1] for piece in rows[0]), *first.shape[2:]), first.dtype)
    top = 0
    for row in rows:
        bottom, left = top + row[0].shape[0], 0
        for piece in row:
            whole[top:bottom, left:left + piece.shape[1]] = piece
            left += piece.shape[1]
        top = bottom
    return whole


def strips_of(chunk: np.ndarray, parts: List[Part]) -> List[np.ndarray]:
    """Copies, which do not keep the chunk in memory."""
    return [chunk[top:bottom, left:right].copy() for top, bottom, left, right in parts]


def optimised(arrays: Sequence[Optional[da.Array]]) -> List[Any]:
    """The same arrays, each with one layer of tasks, as dask.array would compute them together."""
    there = [array for array in arrays if array is not None]
    keys = list(flatten([array.__dask_keys__() for array in there]))
    # Renamed keys would leave a task for the old name of each chunk.
    tasks = ensure_dict(optimize(HighLevelGraph.merge(*(array.dask for array in there)), keys,
                                 rename_fused_keys=False))
    return [array if array is None else _with_tasks(array, tasks) for array in arrays]


def _with_tasks(array: da.Array, tasks: Dict[Key, Any]) -> da.Array:
    own, _ = cull(tasks, list(flatten(array.__dask_keys__())))
    graph = HighLevelGraph.from_collections(array.name, own)
    return da.Array(graph, array.name, array.chunks, meta=array._meta)


class _Axis:
    """Finds the chunks of an array that cover a range of rows, or of columns."""

    def __init__(self, chunks: Sequence[int]) -> None:
        self.ends = np.cumsum(chunks)
        self.sizes = chunks

    def cover(self, start: int, stop: int) -> Iterator[Tuple[int, slice]]:
        """Chunk numbers, and the part of each chunk."""
        number = int(np.searchsorted(self.ends, start, side="right"))
        while number < len(self.sizes) and self.ends[number] - self.sizes[number] < stop:
            first = int(self.ends[number] - self.sizes[number])
            part = slice(max(start - first, 0), min(stop - first, self.sizes[number]))
            if part.start < part.stop:
                yield number, part
            number += 1

    def is_whole(self, number: int, part: slice) -> bool:
        return part == slice(0, self.sizes[number])


def _pieces(array: da.Array, axes: Sequence[_Axis], place: Place,
            margin: int) -> List[List[Tuple[int, int, Optional[Part]]]]:
    """The chunks that cover a place, and their parts; no part: the whole chunk."""
    rows, columns = place.sides(array.shape)
    along = list(axes[1].cover(place.column, columns.stop + margin))
    return [[(row, column, None if axes[0].is_whole(row, down) and axes[1].is_whole(column, across)
              else (down.start, down.stop, across.start, across.stop)) for column, across in along]
            for row, down in axes[0].cover(place.row, rows.stop + margin)]


class Strips:
    """The strips of an image for windows that reach as far as one of the margins. The tasks that
    scan the chunks return a list of them as a second value."""

    def __init__(self, image: da.Array, margins: Sequence[int]) -> None:
        axes = [_Axis(chunks) for chunks in image.chunks[:2]]
        self.tasks: Dict[Tuple[int, int], Key] = {}
        self._parts: Dict[Tuple[int, int], Dict[Part, int]] = {}
        for margin in set(margins):
            for place in (place for row in rows_of_places(image, margin) for place in row):
                for row, column, part in (piece for line in _pieces(image, axes, place, margin)
                                          for piece in line):
                    parts = self._parts.setdefault((row, column), {})
                    if part is not None:
                        parts.setdefault(part, len(parts))
        pixels = sum(_area(part) for parts in self._parts.values() for part in parts)
        share = pixels / (image.shape[0] * image.shape[1])
        self.are_small = (share <= _STRIPS_SHARE and
                          share * image.nbytes <= max(_KEPT_BYTES, _KEPT_SHARE * image.nbytes))

    def parts(self, chunk: Tuple[int, int]) -> List[Part]:
        """What the task that scans a chunk is to cut."""
        return list(self._parts[chunk]) if self.are_small else []

    def key(self, chunk: Tuple[int, int], part: Part) -> Key:
        return getitem, (getitem, self.tasks[chunk], 1), self._parts[chunk][part]


def _area(part: Part) -> int:
    top, bottom, left, right = part
    return (bottom - top) * (right - left)


class Layer:
    """Tasks of one pass. `sources` are the collections whose keys the tasks name, arrays among them
    optimised; `identity` is what else the results depend on."""

    def __init__(self, prefix: str, sources: Sequence[Any], *identity: Any) -> None:
        self.sources = [source for source in sources if dask.is_dask_collection(source)]
        names = [source.key if isinstance(source, Delayed) else source.name
                 for source in self.sources]
        self.name = f"{prefix}-{tokenize(prefix, names, *identity)}"
        self.tasks: Dict[Key, Any] = {}
        self._axes: Dict[str, List[_Axis]] = {}
        # The lists in which the keys of chunks, and of parts of chunks, are to be.
        self._wholes: Dict[Key, List[Tuple[List[Key], int]]] = {}
        self._parts: Dict[Key, Dict[Part, List[Tuple[List[Key], int]]]] = {}
        self._pixels: Dict[Key, int] = {}

    def shared(self, value: Any) -> Key:
        """The key of something that many tasks need: a delayed object, or a value."""
        if isinstance(value, Delayed):
            return value.key
        key = f"shared-{self.name}"
        self.tasks[key] = value
        return key

    def piece(self, array: Optional[da.Array], place: Place, margin: int,
              strips: Optional[Strips] = None) -> Optional[List[List[Key]]]:
        """Keys of what joined() makes the part of an array at a place. Some change when all tasks
        are known."""
        if array is None:
            return None
        axes = self._axes.setdefault(array.name, [_Axis(chunks) for chunks in array.chunks[:2]])
        piece: List[List[Key]] = []
        for line in _pieces(array, axes, place, margin):
            keys: List[Key] = []
            for row, column, part in line:
                chunk = (array.name, row, column) + (0,) * (array.ndim - 2)
                if part is None:
                    self._wholes.setdefault(chunk, []).append((keys, len(keys)))
                elif strips is not None and strips.are_small:
                    chunk = strips.key((row, column), part)
                else:
                    self._parts.setdefault(chunk, {}).setdefault(part, []).append((keys, len(keys)))
                    self._pixels[chunk] = axes[0].sizes[row] * axes[1].sizes[column]
                keys.append(chunk)
            piece.append(keys)
        return piece

    def _cut_strips(self) -> None:
        """Makes the tasks that cut strips: one for a chunk, or one for each strip where they are
        large, as in arrays whose chunks are not those of the image."""
        for chunk, parts in self._parts.items():
            together = (f"strip-{self.name}-{chunk[0]}", *chunk[1:3])
            are_small = sum(map(_area, parts)) <= _STRIPS_SHARE * self._pixels[chunk]
            if are_small:
                self.tasks[together] = strips_of, chunk, list(parts)
            for number, (part, places) in enumerate(parts.items()):
                key = (getitem, together, number) if are_small else (*together, *part)
                if not are_small:
                    top, bottom, left, right = part
                    self.tasks[key] = getitem, chunk, (slice(top, bottom), slice(left, right))
                for keys, index in places:
                    keys[index] = key

    def _read_where_needed(self) -> None:
        """Moves the tasks of chunks into the only tasks that need them, so that the scheduler does
        not see them, and no chunk waits in memory."""
        tasks: Dict[Key, Any] = {}
        for source in self.sources:
            if isinstance(source, da.Array):
                tasks.update(source.dask.layers.get(source.name, {}))
        inner = {need for key in tasks for need in get_dependencies(tasks, key)}
        for chunk, places in self._wholes.items():
            if (len(places) == 1 and chunk not in self._parts and chunk not in inner
                    and istask(tasks.get(chunk))):
                keys, index = places[0]
                keys[index] = tasks[chunk]

    def add(self, number: Tuple[Any, ...], *task: Any) -> Key:
        key = (self.name, *number)
        self.tasks[key] = task
        return key

    def merged(self, merge: Any, keys: List[Key]) -> Key:
        """The sum of all, as a tree."""
        level = 0
        while len(keys) > 1:
            groups = [keys[i:i + _TOGETHER] for i in range(0, len(keys), _TOGETHER)]
            keys = [self.add(("merged", level, i), merge, group)
                    for i, group in enumerate(groups)]
            level += 1
        return keys[0]

    def _graph(self) -> HighLevelGraph:
        self._cut_strips()
        self._read_where_needed()
        return HighLevelGraph.from_collections(self.name, self.tasks, dependencies=self.sources)

    def value(self, *task: Any) -> Delayed:
        """What a last task makes."""
        self.tasks[self.name] = task
        return Delayed(self.name, self._graph())

    def array(self, like: da.Array) -> da.Array:
        """The array whose chunks the tasks (row, column, ...) are."""
        chunks = tuple(tuple(side.stop - side.start for side in sides(sizes))
                       for sizes in like.chunks[:2]) + like.chunks[2:]
        return da.Array(self._graph(), self.name, chunks, meta=like._meta)
