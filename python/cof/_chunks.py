# SPDX-License-Identifier: BSD-2-Clause
"""The tasks of cof.dask: one for each tile and pass, in one layer of the graph per pass.

A tile is a chunk of an image, or several small ones. Its task computes the chunks that it needs by
itself, one at a time, so that no chunk waits in memory for its neighbours: how many there are does
not depend on the order in which a scheduler runs tasks.

Windows reach into the tiles around. If the strips that they need are a small part of the image,
they are cut once and kept, and each pass computes a chunk once. Otherwise the tasks compute the
chunks around their tile, too. A cluster moves strips and not chunks; its scheduler and its workers
take about two milliseconds for each task, so there are few.
"""
from __future__ import annotations

from operator import getitem
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.core import flatten, get_dependencies, istask, toposort
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from dask.utils import ensure_dict

from ._arrays import Place, Slices

# Statistics that are merged in one task.
_TOGETHER = 8
# Strips are kept from the first pass to the last if they are not more than this share of the image,
# and smaller than this, or than this share of the image.
_STRIPS_SHARE, _KEPT_BYTES, _KEPT_SHARE = 1 / 4, 64e6, 1 / 32
# Chunks are put together up to this size if their strips cannot be kept.
_TILE_BYTES = 16e6

Key = Any  # of a task, or a task
Number = Tuple[int, int]  # of a chunk or a tile: row, column
Part = Tuple[int, int, int, int]  # of a chunk or a tile: top, bottom, left, right


def joined(size: Tuple[int, int], pieces: Iterable[Tuple[Number, np.ndarray]]) -> np.ndarray:
    """The array of which these pieces begin at these rows and columns. Pieces may be masked."""
    whole = hidden = None
    for (top, left), piece in pieces:
        if whole is None:
            whole = np.empty((*size, *piece.shape[2:]), piece.dtype)
        where = np.s_[top:top + piece.shape[0], left:left + piece.shape[1]]
        whole[where] = np.ma.getdata(piece)
        if np.ma.isMaskedArray(piece):
            hidden = np.zeros(whole.shape, bool) if hidden is None else hidden
            hidden[where] = np.ma.getmaskarray(piece)
        del piece  # before the next one is computed
    assert whole is not None
    return whole if hidden is None else np.ma.MaskedArray(whole, hidden)


def strips_of(tile: np.ndarray, parts: List[Part]) -> List[np.ndarray]:
    """Copies, which do not keep the tile in memory."""
    return [tile[top:bottom, left:right].copy() for top, bottom, left, right in parts]


class _Axis:
    """Finds the chunks, or tiles, that cover a range of rows, or of columns."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.ends = np.cumsum(sizes)
        self.sizes = sizes

    def side(self, number: int) -> slice:
        return slice(int(self.ends[number] - self.sizes[number]), int(self.ends[number]))

    def cover(self, side: slice) -> Iterator[Tuple[int, int, int, int]]:
        """Numbers, the part of each as first and end, and where it begins in the range."""
        number = int(np.searchsorted(self.ends, side.start, side="right"))
        while number < len(self.sizes) and self.side(number).start < side.stop:
            own = self.side(number)
            first, end = max(side.start, own.start), min(side.stop, own.stop)
            if first < end:
                yield number, first - own.start, end - own.start, first - side.start
            number += 1


class Grid:
    """Chunks, or tiles, of an image."""

    def __init__(self, rows: Sequence[int], columns: Sequence[int]) -> None:
        self.axes = _Axis(rows), _Axis(columns)
        self.size = sum(rows), sum(columns)

    def numbers(self) -> Iterator[Number]:
        return ((row, column) for row in range(len(self.axes[0].sizes))
                for column in range(len(self.axes[1].sizes)))

    def sides(self, number: Number) -> Slices:
        return self.axes[0].side(number[0]), self.axes[1].side(number[1])

    def cover(self, sides: Slices) -> Iterator[Tuple[Number, Part, Number]]:
        """The chunks that cover rows and columns: number, part, and where it begins in these."""
        along = list(self.axes[1].cover(sides[1]))
        for row, top, bottom, down in self.axes[0].cover(sides[0]):
            for column, left, right, across in along:
                yield (row, column), (top, bottom, left, right), (down, across)

    def reach(self, sides: Slices, margin: int) -> Slices:
        """Rows and columns with those around them."""
        rows, columns = (slice(max(side.start - margin, 0), min(side.stop + margin, length))
                         for side, length in zip(sides, self.size))
        return rows, columns

    def place(self, sides: Slices, margin: int) -> Place:
        rows, columns = self.reach(sides, margin)
        return Place(rows.start, columns.start, *self.size, sides)


def chunks_of(image: da.Array) -> Grid:
    """Those that are not empty."""
    rows, columns = ([size for size in sizes if size > 0] for sizes in image.chunks[:2])
    return Grid(rows, columns)


def _together(sizes: Sequence[int], limit: float) -> List[int]:
    made = [0]
    for size in sizes:
        if made[-1] and made[-1] + size > limit:
            made.append(0)
        made[-1] += size
    return made


def tiles_of(image: da.Array) -> Grid:
    """Each of as many chunks as are together small."""
    rows, columns = (axis.sizes for axis in chunks_of(image).axes)
    pixels = _TILE_BYTES * image.shape[0] * image.shape[1] / image.nbytes
    columns = _together(columns, pixels / max(*rows, pixels ** 0.5))
    return Grid(_together(rows, pixels / max(columns)), columns)


class Strips:
    """What windows that reach as far as one of the margins need of other tiles. `tasks` says what
    makes the list of the strips of a tile."""

    def __init__(self, tiles: Grid, margins: Sequence[int]) -> None:
        self.tiles = tiles
        self.tasks: Dict[Number, Key] = {}
        self._parts: Dict[Number, Dict[Part, int]] = {tile: {} for tile in tiles.numbers()}
        for margin in set(margins):
            for tile in tiles.numbers():
                for other, part, _ in tiles.cover(tiles.reach(tiles.sides(tile), margin)):
                    if other != tile:
                        self._parts[other].setdefault(part, len(self._parts[other]))

    def are_small(self, image: da.Array) -> bool:
        pixels = sum((bottom - top) * (right - left) for parts in self._parts.values()
                     for top, bottom, left, right in parts)
        share = pixels / (image.shape[0] * image.shape[1])
        return (share <= _STRIPS_SHARE and
                share * image.nbytes <= max(_KEPT_BYTES, _KEPT_SHARE * image.nbytes))

    def parts(self, tile: Number) -> List[Part]:
        """What the task of a tile is to cut."""
        return list(self._parts[tile])

    def key(self, tile: Number, part: Part) -> Key:
        return getitem, self.tasks[tile], self._parts[tile][part]


def divided(image: da.Array, margins: Sequence[int]) -> Tuple[Grid, Optional[Strips]]:
    """The tiles of an image, and the strips if they can be kept."""
    for tiles in (chunks_of(image), tiles_of(image)):
        strips = Strips(tiles, margins)
        if strips.are_small(image):
            return tiles, strips
    return tiles, None


class _Same:
    """A task that makes a value."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return self.value


class _Computation:
    """Computes a key from values that other keys have. Dask does not see its tasks."""

    def __init__(self, key: Key, tasks: Dict[Key, Any], needs: List[Key]) -> None:
        self.key, self.tasks, self.needs = key, tasks, needs

    def __call__(self, values: List[Any], *_: Any) -> Any:
        given = {need: (_Same(value),) for need, value in zip(self.needs, values)}
        return dask.get({**self.tasks, **given}, self.key)


class Source:
    """How to compute the chunks of arrays inside of the tasks that need them. What several chunks
    are made of, such as the file that all are read from, stays outside."""

    def __init__(self, arrays: Sequence[Optional[da.Array]]) -> None:
        there = [array for array in arrays if array is not None]
        self.tasks = ensure_dict(HighLevelGraph.merge(*(array.dask for array in there)))
        chunks = list(flatten([array.__dask_keys__() for array in there]))
        self.needs: Dict[Key, List[Key]] = {}
        todo = list(chunks)
        while todo:
            key = todo.pop()
            if key not in self.needs:
                self.needs[key] = list(get_dependencies(self.tasks, key) - {key})
                todo += self.needs[key]
        # Tasks of futures that only a cluster knows stay as they are, with all that they need.
        self._fixed: Set[Key] = set()
        todo = [key for key in self.needs
                if set(getattr(self.tasks[key], "dependencies", ())) - self.tasks.keys()]
        while todo:
            key = todo.pop()
            self._fixed.add(key)
            todo += self.needs[key]
        self.numbers = {key: number for number, key in enumerate(self.needs)}
        # Whose computation a key belongs to: its own, unless a single other one needs it.
        self._owner: Dict[Key, Key] = {}
        owners: Dict[Key, Set[Key]] = {key: set() for key in self.needs}
        for key in chunks:
            owners[key].add(key)
        for key in reversed(toposort(self.needs, dependencies=self.needs)):
            is_alone = len(owners[key]) == 1 and not self.is_data(key)
            self._owner[key] = owners[key].pop() if is_alone else key
            for need in self.needs[key]:
                owners[need].add(self._owner[key])

    def is_data(self, key: Key) -> bool:
        """Whether it is a value, or a future of a cluster, and no task that can be moved."""
        value = self.tasks[key]
        return key in self._fixed or not (self.needs[key] or istask(value) or
                                          hasattr(value, "func"))

    def computation(self, key: Key) -> _Computation:
        tasks: Dict[Key, Any] = {}
        needs: List[Key] = []
        todo = [key]
        while todo:
            one = todo.pop()
            if self.is_data(one):
                needs.append(one)
            elif one not in tasks:
                tasks[one] = self.tasks[one]
                for need in self.needs[one]:
                    (todo if self._owner[need] == key else needs).append(need)
        return _Computation(key, tasks, list(dict.fromkeys(needs)))


class _Reading:
    """Rows and columns of an array, as pieces of chunks and strips."""

    def __init__(self, size: Tuple[int, int]) -> None:
        self.size = size
        self.pieces: List[Tuple[Number, Optional[Part], Optional[_Computation]]] = []

    def __call__(self, values: List[Any]) -> np.ndarray:
        if len(self.pieces) == 1 and self.pieces[0][1] is None:
            return next(self._read(values))[1]
        return joined(self.size, self._read(values))

    def _read(self, values: List[Any]) -> Iterator[Tuple[Number, np.ndarray]]:
        for (where, part, computation), value in zip(self.pieces, values):
            piece = value if computation is None else computation(value)
            if part is not None:
                top, bottom, left, right = part
                piece = piece[top:bottom, left:right]
            yield where, piece
            del piece


class Layer:
    """Tasks of one pass. `before` are delayed objects that must be there before chunks are
    computed; `identity` is what the results depend on."""

    def __init__(self, prefix: str, source: Source, before: Sequence[Any], *identity: Any) -> None:
        self.source = source
        self.before = [each for each in before if isinstance(each, Delayed)]
        self.name = f"{prefix}-{tokenize(prefix, [each.key for each in self.before], *identity)}"
        self.tasks: Dict[Key, Any] = {}
        self._grids: Dict[str, Grid] = {}

    def shared(self, value: Any) -> Key:
        """The key of something that many tasks need: a delayed object, or a value."""
        if isinstance(value, Delayed):
            return value.key
        key = f"shared-{self.name}"
        self.tasks[key] = value
        return key

    def _values(self, computation: _Computation) -> List[Key]:
        """What a computation shares with others is computed by tasks of this pass, because it might
        not fit in memory until the next one."""
        todo = list(computation.needs)
        while todo:
            need = todo.pop()
            key = self._key(need)
            if self.source.is_data(need):
                self.tasks[key] = self.source.tasks[need]
                todo += self.source.needs[need]
            elif key not in self.tasks:
                shared = self.source.computation(need)
                self.tasks[key] = (shared, [self._key(other) for other in shared.needs],
                                   *(each.key for each in self.before))
                todo += shared.needs
        return [self._key(need) for need in computation.needs]

    def _key(self, need: Key) -> Key:
        is_data = self.source.is_data(need)
        return need if is_data else (self.name, "shared", self.source.numbers[need])

    def read(self, array: Optional[da.Array], sides: Slices, tile: Optional[Number] = None,
             strips: Optional[Strips] = None) -> Optional[Key]:
        """A task that makes rows and columns of an array. Those of other tiles than this one are
        taken from strips, if there are any."""
        if array is None:
            return None
        reading = _Reading((sides[0].stop - sides[0].start, sides[1].stop - sides[1].start))
        values: List[Any] = []
        if strips is None:
            self._read(array, sides, (0, 0), reading, values)
        else:
            for other, part, where in strips.tiles.cover(sides):
                if other == tile:
                    self._read(array, strips.tiles.sides(other), where, reading, values)
                else:
                    reading.pieces.append((where, None, None))
                    values.append(strips.key(other, part))
        return reading, values

    def _read(self, array: da.Array, sides: Slices, begin: Number, reading: _Reading,
              values: List[Any]) -> None:
        grid = self._grids.setdefault(array.name, Grid(*array.chunks[:2]))
        for (row, column), part, (down, across) in grid.cover(sides):
            whole = (0, grid.axes[0].sizes[row], 0, grid.axes[1].sizes[column])
            key = (array.name, row, column) + (0,) * (array.ndim - 2)
            computation = self.source.computation(key)
            reading.pieces.append(((begin[0] + down, begin[1] + across),
                                   None if part == whole else part, computation))
            values.append(self._values(computation))

    def add(self, number: Tuple[Any, ...], *task: Any) -> Key:
        key = (self.name, *number)
        self.tasks[key] = task
        return key

    def add_chunks(self, image: da.Array, sides: Slices, *task: Any) -> None:
        """Adds chunks of the result, which a task makes together."""
        end = (0,) * (image.ndim - 2)
        covered = list(chunks_of(image).cover(sides))
        if len(covered) == 1:
            self.add((*covered[0][0], *end), *task)
            return
        parts = [(down, down + bottom - top, across, across + right - left)
                 for _, (top, bottom, left, right), (down, across) in covered]
        tile = self.add(("tile", *covered[0][0]), strips_of, task, parts)
        for index, (number, _, _) in enumerate(covered):
            self.add((*number, *end), getitem, tile, index)

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
        return HighLevelGraph.from_collections(self.name, self.tasks, dependencies=self.before)

    def value(self, *task: Any) -> Delayed:
        """What a last task makes."""
        self.tasks[self.name] = task
        return Delayed(self.name, self._graph())

    def array(self, like: da.Array, meta: np.ndarray) -> da.Array:
        """The array of the chunks."""
        rows, columns = (tuple(axis.sizes) for axis in chunks_of(like).axes)
        return da.Array(self._graph(), self.name, (rows, columns) + like.chunks[2:], meta=meta)
