# SPDX-License-Identifier: BSD-2-Clause
"""The tasks of cof.dask: one for each chunk and pass, in one layer of the graph per pass.

A task gets its own chunk and, from the chunks around it, strips as wide as the windows reach. Each
strip is a task of its own, so that a cluster moves the strips and not the chunks around.
"""
from __future__ import annotations

from operator import getitem
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph

from ._arrays import Place

# Statistics that are merged in one task.
_TOGETHER = 8

Key = Any  # of a task; a nested list of keys stands for a piece that is to be joined


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
    masked = any(np.ma.isMaskedArray(piece) for row in rows for piece in row)
    concatenate: Any = np.ma.concatenate if masked else np.concatenate
    return concatenate([concatenate(row, axis=1) for row in rows], axis=0)


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


class Layer:
    """Tasks of one pass. `sources` are the collections whose keys the tasks name; `identity` is what
    else the results depend on."""

    def __init__(self, prefix: str, sources: Sequence[Any], *identity: Any) -> None:
        self.sources = [source for source in sources if dask.is_dask_collection(source)]
        names = [source.key if isinstance(source, Delayed) else source.name
                 for source in self.sources]
        self.name = f"{prefix}-{tokenize(prefix, names, *identity)}"
        self.tasks: Dict[Key, Any] = {}
        self._axes: Dict[Tuple[str, int], _Axis] = {}

    def shared(self, value: Any) -> Key:
        """The key of something that many tasks need: a delayed object, or a value."""
        if isinstance(value, Delayed):
            return value.key
        key = f"shared-{self.name}"
        self.tasks[key] = value
        return key

    def _axis(self, array: da.Array, axis: int) -> _Axis:
        return self._axes.setdefault((array.name, axis), _Axis(array.chunks[axis]))

    def piece(self, array: Optional[da.Array], place: Place, margin: int) -> Optional[List[Any]]:
        """Keys of what joined() makes the part of an array at a place."""
        if array is None:
            return None
        rows, columns = place.sides(array.shape)
        down = list(self._axis(array, 0).cover(place.row, rows.stop + margin))
        along = list(self._axis(array, 1).cover(place.column, columns.stop + margin))
        return [[self._part(array, row, column) for column in along] for row in down]

    def _part(self, array: da.Array, row: Tuple[int, slice], column: Tuple[int, slice]) -> Key:
        chunk = (array.name, row[0], column[0]) + (0,) * (array.ndim - 2)
        if self._axis(array, 0).is_whole(*row) and self._axis(array, 1).is_whole(*column):
            return chunk
        key = (f"strip-{self.name}-{array.name}", row[0], column[0], row[1].start, row[1].stop,
               column[1].start, column[1].stop)
        self.tasks[key] = getitem, chunk, (row[1], column[1])
        return key

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
