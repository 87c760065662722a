# SPDX-License-Identifier: BSD-2-Clause
"""Statistics and models: what is learned from images."""
from __future__ import annotations

import contextlib
import ctypes
import os
from ctypes import byref, c_int
from typing import Any, ContextManager, Iterator, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _library as c
from ._arrays import (Place, RoiView, Slices, View, axis_of, label_view, mask_view, restored,
                      result_like, view_of)
from ._call import Call
from ._handles import Handle, Path, copied, read_file
from ._lock import ReadWriteLock
from ._options import documents_options, pick, takes_options, without_preset
from ._training import Images, Masks, TrainingImages


Counts = Tuple[np.ndarray, np.ndarray]  # squared distances, and a row of counts for each


class StatsMember(NamedTuple):
    """One palette of statistics and its counts: copies, as the properties of Stats."""
    palette: Optional[np.ndarray]
    histogram: np.ndarray
    sampling_shift: int
    counts: Optional[Counts]


class ModelMember(NamedTuple):
    """One palette of a model and its matrix: copies, as the properties of Model."""
    palette: Optional[np.ndarray]
    matrix: np.ndarray
    frequencies: np.ndarray


@documents_options
class Stats(Handle):
    """Counts of the values that occur near each other in images.

    First scan() all images, then fit_palette(), then add() all images, then make a model() from the
    counts. For a single image, add() does the first two steps. Statistics can be saved, copied and
    merged, so images can be counted in pieces, on several threads and on several machines; the
    result is the same.

    Any number of threads may read statistics at the same time. A method that changes them waits
    until no other thread uses them; in a callback of a call that uses them, it raises RuntimeError.
    To count on several threads, give each its own statistics with like(), and merge them.

    Parameters
    ----------
    {options}

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> stats = cof.Stats(window=7).scan(image).fit_palette().add(image)
    >>> stats.size
    32

    An image can be counted in pieces, each with its Place:

    >>> halves = [cof.Place(0, 0, 40, 50), cof.Place(20, 0, 40, 50)]
    >>> again = cof.Stats(window=7).scan(image[:20], place=halves[0])
    >>> again = again.scan(image[20:], place=halves[1]).fit_palette()
    >>> again = again.add(image, place=halves[0]._replace(part=np.s_[0:20, 0:50]))
    >>> again = again.add(image, place=halves[0]._replace(part=np.s_[20:40, 0:50]))
    >>> again == stats
    True
    """
    _what = "stats"

    @takes_options(c.LEARN, execution=False)
    def __init__(self, **options: Any) -> None:
        handle = self._new()
        Call(options)("cof_stats_new", byref(handle))
        self._begin(handle)

    def _begin(self, handle: c.Owned) -> None:
        super()._begin(handle)
        self._lock = ReadWriteLock()
        self._scanned = False

    def _reading(self) -> ContextManager[None]:
        return self._lock.reading()

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    @classmethod
    def from_bytes(cls, data: bytes) -> Stats:
        """Statistics from the bytes of a .cof file; FormatError if they are something else."""
        handle, data = cls._new(), bytes(data)
        c.lib.call("cof_stats_load", byref(handle), data, len(data))
        made = cls._of(handle)
        made._scanned = True
        return made

    @classmethod
    def load(cls, path: Path) -> Stats:
        """Statistics from a .cof file that save() or the command `cof` has written."""
        return cls.from_bytes(read_file(path))

    def _count(self, function: str, view: View, roi: RoiView, options: Any) -> None:
        """Calls a function that changes the statistics. The lock is held."""
        call = Call(options).may_take_long(view.pixels, view.bands)
        call(function, self._handle, view.pointer, roi.pointer)

    @takes_options()
    def scan(self, image: ArrayLike, *, mask: Optional[ArrayLike] = None,
             region: Optional[Slices] = None, place: Optional[Place] = None,
             downscaled: bool = False, channel_axis: Optional[int] = -1,
             kind: Optional[str] = None, **options: Any) -> Stats:
        """Samples the values of an image, for the palette.

        Parameters
        ----------
        image : array_like
            An image, or a piece of one.
        mask : array_like, optional
            Pairs will be counted only where this is not 0. The palette sees all pixels.
        region : tuple of two slices, optional
            Pairs will be counted only in these rows and columns, such as np.s_[10:90, 20:60].
        place : Place, optional
            Where the image lies in a larger one.
        downscaled : bool, optional
            Image and mask have been downscaled already, by the factor of the statistics.
        channel_axis, kind
            As in smooth().
        {options}

        Returns
        -------
        Stats
            This object.
        """
        view = view_of(image, channel_axis, place, kind)
        roi = RoiView(view, mask, region, place, downscaled)
        with self._lock.writing():
            self._count("cof_stats_scan", view, roi, options)
            self._scanned = True
        return self

    @takes_options()
    def fit_palette(self, **options: Any) -> Stats:
        """Fits the palette to the scanned values.

        Parameters
        ----------
        {options}

        Returns
        -------
        Stats
            This object.
        """
        with self._lock.writing():
            Call(options).always_interruptible()("cof_stats_fit_palette", self._handle)
        return self

    def set_palette(self, palette: Union[ArrayLike, Stats, Model], *,
                    kind: Optional[str] = None) -> Stats:
        """Sets a palette instead of fitting one.

        Images that were scanned before determine how many pairs are sampled; without any, all
        pairs are counted.

        Parameters
        ----------
        palette : array_like, Stats or Model
            A row for each entry: Lab (L from 0 to 100) for RGB images; grey values, or values of
            the bands, in units of the samples. The palettes of Stats or of a Model are copied as
            they are: exact 8-bit grey remains exact, and bins remain bins. Their number must be
            that of the option `palettes`; for an array, it must be 1.
        kind : {'grey', 'rgb', 'bands'}, optional
            The kind of image. None: grey for 1 column, RGB for 3 columns, otherwise bands. Not with
            Stats or a Model, which have a kind.

        Returns
        -------
        Stats
            This object.

        Examples
        --------
        >>> import cof, numpy as np
        >>> image = np.random.default_rng(0).integers(0, 256, (40, 50), np.uint8)
        >>> model = cof.Model.fit(image)
        >>> again = cof.Stats().scan(image).set_palette(model).add(image).model()
        >>> again == model
        True
        """
        if isinstance(palette, (Stats, Model)):
            if kind is not None:
                raise TypeError("'kind' has no effect with the palette of Stats or of a Model")
            return self._copy_palette(palette)
        rows = np.ascontiguousarray(palette, np.float32)
        rows = rows[:, None] if rows.ndim == 1 else rows
        if rows.ndim != 2:
            raise c.ArgumentError("a palette has a row for each entry", argument="palette")
        number = c.kind_number(kind)
        if number is None:
            number = {1: c.GREY, 3: c.RGB}.get(rows.shape[1], c.BANDS)
        with self._lock.writing():
            c.lib.call("cof_stats_set_palette", self._handle, rows.ctypes.data, *rows.shape, number)
        return self

    def _copy_palette(self, other: Union[Stats, Model]) -> Stats:
        if isinstance(other, Model):
            with self._lock.writing():
                c.lib.call("cof_stats_set_palette_from_model", self._handle, other._handle)
        else:
            with self._changing(other):
                c.lib.call("cof_stats_set_palette_from_stats", self._handle, other._handle)
        return self

    def set_labels(self, n: int) -> Stats:
        """Uses labels 0 to n - 1 that the caller assigns, instead of a palette."""
        if not 1 <= n <= 256:
            raise c.ArgumentError(f"the number of labels must be 1 to 256, not {n}", argument="n")
        with self._lock.writing():
            c.lib.call("cof_stats_set_labels", self._handle, n)
        return self

    @takes_options()
    def add(self, image: ArrayLike, *, mask: Optional[ArrayLike] = None,
            region: Optional[Slices] = None, place: Optional[Place] = None,
            downscaled: bool = False, channel_axis: Optional[int] = -1,
            kind: Optional[str] = None, **options: Any) -> Stats:
        """Counts the pairs of an image. If there is no palette, one is fitted first, to this image
        unless others were scanned.

        Parameters
        ----------
        image : array_like
            An image, or a piece that extends (window - 1) / 2 pixels beyond the part of its place.
        mask, region, place, downscaled, channel_axis, kind
            As in scan().
        {options}

        Returns
        -------
        Stats
            This object.
        """
        view = view_of(image, channel_axis, place, kind)
        roi = RoiView(view, mask, region, place, downscaled)
        quiet = pick(options, c.RUN, execution=False)
        with self._lock.writing():
            if not c.lib.c.cof_stats_size(self._handle):
                if place is not None:
                    raise c.ArgumentError("scan all pieces and fit the palette before adding one",
                                          argument="place")
                if not self._scanned:
                    self._count("cof_stats_scan", view, roi, quiet)
                    self._scanned = True
                Call(quiet).always_interruptible()("cof_stats_fit_palette", self._handle)
            self._count("cof_stats_add", view, roi, options)
        return self

    @takes_options()
    def add_labels(self, labels: ArrayLike, *, mask: Optional[ArrayLike] = None,
                   region: Optional[Slices] = None, place: Optional[Place] = None,
                   **options: Any) -> Stats:
        """Counts the pairs of an image of labels.

        Parameters
        ----------
        labels : array_like of int
            The label of each pixel.
        mask, region, place
            As in scan().
        {options}

        Returns
        -------
        Stats
            This object.
        """
        view = label_view(labels, place=place)
        roi = RoiView(view, mask, region, place)
        with self._lock.writing():
            self._count("cof_stats_add_labels", view, roi, options)
        return self

    def like(self) -> Stats:
        """Empty statistics with the same options and, if there is one, the same palette."""
        handle = self._new()
        with self._reading():
            c.lib.call("cof_stats_new_like", byref(handle), self._handle)
        return Stats._of(handle)

    @contextlib.contextmanager
    def _changing(self, other: Stats) -> Iterator[None]:
        """Holds the locks of these statistics, which change, and of others, which are read."""
        if other is self:
            raise c.ArgumentError("statistics cannot be merged with themselves, or copied to "
                                  "themselves", argument="other")
        # In one order on all threads, so that two calls never wait for each other.
        locks = [(id(self), self._lock.writing()), (id(other), other._lock.reading())]
        (_, first), (_, second) = sorted(locks, key=lambda lock: lock[0])
        with first, second:
            yield

    def merge(self, other: Stats) -> Stats:
        """Adds the counts, or scanned values, of other statistics to these."""
        if not isinstance(other, Stats):
            raise TypeError(f"statistics can be merged with Stats, not {type(other).__name__}")
        with self._changing(other):
            c.lib.call("cof_stats_merge", self._handle, other._handle)
            self._scanned = self._scanned or other._scanned
        return self

    def __add__(self, other: Stats) -> Stats:
        if not isinstance(other, Stats):
            return NotImplemented
        return self.copy().merge(other)

    def decay(self, numerator: int, denominator: int) -> Stats:
        """Multiplies all counts by numerator / denominator, for statistics that follow a video."""
        for name, value in (("numerator", numerator), ("denominator", denominator)):
            if not 0 <= value < 2 ** 32:
                raise c.ArgumentError(f"{name} is out of range: {value}", argument=name)
        with self._lock.writing():
            c.lib.call("cof_stats_decay", self._handle, numerator, denominator)
        return self

    def copy(self) -> Stats:
        """A copy that can be changed independently."""
        made = Stats.from_bytes(self.to_bytes())
        made._scanned = self._scanned
        return made

    @staticmethod
    def _histogram_of(member: Any) -> Optional[np.ndarray]:
        return copied(c.lib.c.cof_stats_histogram(member), (c.lib.c.cof_stats_size(member),))

    @staticmethod
    def _counts_of(member: Any) -> Optional[Counts]:
        squared, n = ctypes.POINTER(c_int)(), c_int()
        size = c.lib.c.cof_stats_size(member)
        counted = c.lib.c.cof_stats_counts(member, byref(squared), byref(n))
        table = copied(counted, (n.value, size * (size + 1) // 2))
        distances = copied(squared, (n.value,))
        return None if table is None or distances is None else (distances, table)

    @property
    def histogram(self) -> Optional[np.ndarray]:
        """The number of pixels of each label; None without a palette."""
        with self._reading():
            return self._histogram_of(self._handle)

    @property
    def sampling_shift(self) -> int:
        """One pair in 2**shift is counted, and counts as 2**shift pairs."""
        with self._reading():
            return int(c.lib.c.cof_stats_sampling_shift(self._handle))

    @property
    def counts(self) -> Optional[Counts]:
        """Squared distances, ascending, and for each the number of ordered pairs of labels; None
        if nothing was counted.

        The second array has a row of k (k + 1) / 2 counts for each distance, in the order of
        np.tril_indices(k): the count for labels a <= b is in column b (b + 1) / 2 + a and includes
        both orders.
        """
        with self._reading():
            return self._counts_of(self._handle)

    @property
    def members(self) -> Tuple[StatsMember, ...]:
        """Palette, histogram, sampling_shift and counts of each palette; empty without one.

        Examples
        --------
        >>> import cof, numpy as np
        >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
        >>> stats = cof.Stats(palettes=2, colours=16).add(image)
        >>> [len(member.palette) for member in stats.members]
        [16, 4]
        """
        with self._reading():
            return tuple(StatsMember(self._palette_of(member),
                                     np.asarray(self._histogram_of(member)),
                                     int(c.lib.c.cof_stats_sampling_shift(member)),
                                     self._counts_of(member)) for member in self._members())

    @takes_options("variant", c.MODEL)
    def model(self, **options: Any) -> Model:
        """Makes a model of these counts: see Model.from_stats().

        Parameters
        ----------
        {options}

        Returns
        -------
        Model
        """
        return Model.from_stats(self, **options)


class Model(Handle):
    """A palette, and a matrix that says how strongly two of its entries are averaged.

    A model is made by Model.fit() or its relatives. It never changes; any number of threads can use
    it at the same time. Models can be pickled, compared and hashed.

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> model = cof.Model.fit(image, colours=8)
    >>> model.matrix.shape
    (8, 8)
    >>> model.apply(image).dtype
    dtype('uint8')
    """
    _what = "model"

    def __init__(self) -> None:
        raise TypeError("use Model.fit(), Model.load() or Stats.model() to make a Model")

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.to_bytes())

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __dask_tokenize__(self) -> Tuple[str, bytes]:
        return "cof.Model", self.to_bytes()

    @classmethod
    @takes_options(c.GENERAL, c.LEARN, c.MODEL)
    def fit(cls, images: Images, *, mask: Masks = None, region: Optional[Slices] = None,
            channel_axis: Optional[int] = -1, kind: Optional[str] = None,
            **options: Any) -> Model:
        """Learns from one image or from several, as the command `cof learn` does.

        Parameters
        ----------
        images : array_like, or list or tuple of array_like
            The images. A preset is scaled to the size of the first one.
        mask : array_like, or list of array_like, optional
            Learn only where this is not 0: one mask, or one mask or None for each image.
        region : tuple of two slices, optional
            Learn only in these rows and columns, such as np.s_[10:90, 20:60].
        channel_axis, kind
            As in smooth().
        {options}

        Returns
        -------
        Model

        Examples
        --------
        >>> import cof, numpy as np
        >>> images = list(np.random.default_rng(0).integers(0, 256, (2, 40, 50, 3), np.uint8))
        >>> model = cof.Model.fit(images, window=7)
        >>> model.options['window']
        7
        """
        training = TrainingImages(images, mask, region, channel_axis, kind)
        call, handle = Call(options, training.views[0].size), cls._new()
        call.may_take_long(training.pixels, training.views[0].bands)(
            "cof_model_learn", byref(handle), *training.arguments)
        return cls._of(handle)

    @classmethod
    @takes_options(c.GENERAL, c.LEARN, c.MODEL)
    def fit_soft(cls, images: Images, *, stats: Optional[Stats] = None, mask: Masks = None,
                 region: Optional[Slices] = None, channel_axis: Optional[int] = -1,
                 kind: Optional[str] = None, **options: Any) -> Model:
        """Learns with pixels that are softly assigned by their own distance to the palette.

        This is the definition in the paper without its approximation; it takes more time.

        Parameters
        ----------
        images, mask, region, channel_axis, kind
            As in fit().
        stats : Stats, optional
            Statistics whose palette is used, with their learning options. None: a palette is fitted
            to the images.
        {options}

        Returns
        -------
        Model
        """
        training = TrainingImages(images, mask, region, channel_axis, kind)
        size = training.views[0].size
        if stats is None:
            call = Call(pick(options, c.GENERAL, c.LEARN, c.RUN, execution=False), size)
            call.may_take_long(training.pixels, training.views[0].bands)
            handle = Stats._new()
            call("cof_stats_new", byref(handle))
            stats = Stats._of(handle)
            for view, roi in zip(training.views, training.rois):
                call("cof_stats_scan", stats._handle, view.pointer, roi.pointer)
            call("cof_stats_fit_palette", stats._handle)
        handle = cls._new()
        with _stats_of(stats)._reading():
            Call(options, size).may_take_long(training.pixels * stats.size)(
                "cof_model_new_soft", byref(handle), stats._handle, *training.arguments)
        return cls._of(handle)

    @classmethod
    @takes_options(c.GENERAL, c.LEARN, c.MODEL)
    def fit_labels(cls, labels: ArrayLike, *, mask: Optional[ArrayLike] = None,
                   region: Optional[Slices] = None,
                   **options: Any) -> Model:
        """Learns which labels occur near each other. Such a model can only filter with labels.

        Parameters
        ----------
        labels : array_like of int
            The label of each pixel, 0 to 255.
        mask, region
            As in fit().
        {options}

        Returns
        -------
        Model
        """
        array = label_view(labels).array
        options = without_preset(options, *array.shape)
        run = pick(options, c.RUN, execution=False)
        # A preset may ask for several palettes, but labels are as those of one.
        stats = Stats(**{**pick(options, c.LEARN, execution=False), "palettes": 1})
        # The number of pixels determines how many pairs are sampled.
        stats.scan(array, mask=mask, region=region, channel_axis=None, **run)
        stats.set_labels(int(array.max()) + 1)
        stats.add_labels(array, mask=mask, region=region, **pick(options, c.RUN))
        return stats.model(**pick(options, "variant", c.MODEL, execution=False))

    @classmethod
    @takes_options(c.GENERAL, c.LEARN, c.MODEL, c.SELECT,
                   without=("palettes",))  # a pair has a single one
    def fit_pair(cls, image: ArrayLike, mask: ArrayLike, *,
                 channel_axis: Optional[int] = -1, kind: Optional[str] = None,
                 **options: Any) -> Tuple[Model, Model]:
        """Learns two models with one palette: of the pairs inside a mask, and of those outside.

        Parameters
        ----------
        image : array_like
            The image.
        mask : array_like
            Marks the foreground with values other than 0.
        channel_axis, kind
            As in smooth().
        {options}

        Returns
        -------
        foreground, background : Model
        """
        view = view_of(image, channel_axis, kind=kind)
        shape = mask_view(mask, view)
        foreground, background = cls._new(), cls._new()
        call = Call(options, view.size).may_take_long(view.pixels, view.bands)
        call("cof_model_learn_pair", byref(foreground), byref(background), view.pointer,
             shape.pointer)
        return cls._of(foreground), cls._of(background)

    @classmethod
    @takes_options("variant", c.MODEL)
    def from_stats(cls, stats: Stats, **options: Any) -> Model:
        """Makes a model of counts.

        Parameters
        ----------
        stats : Stats
            Statistics with counts.
        {options}

        Returns
        -------
        Model
        """
        handle = cls._new()
        with _stats_of(stats)._reading():
            Call(options)("cof_model_new", byref(handle), stats._handle)
        return cls._of(handle)

    @classmethod
    @takes_options("variant", c.MODEL, execution=False)
    def from_matrix(cls, stats: Stats, matrix: ArrayLike,
                    **options: Any) -> Model:
        """Makes a model with a given matrix. All ones make a Gaussian filter, a band around the
        diagonal a bilateral filter.

        Parameters
        ----------
        stats : Stats
            Statistics with one palette; counts are not needed.
        matrix : array_like
            size x size numbers: finite, not negative, symmetric.
        {options}

        Returns
        -------
        Model

        Examples
        --------
        >>> import cof, numpy as np
        >>> stats = cof.Stats().set_palette([[0], [128], [255]])
        >>> gaussian = cof.Model.from_matrix(stats, np.ones((3, 3)))
        >>> gaussian.size
        3
        """
        values, handle = np.ascontiguousarray(matrix, np.float64), cls._new()
        with _stats_of(stats)._reading():
            size = stats.size
            if size and values.shape != (size, size):
                raise c.ArgumentError(f"the matrix has the shape {values.shape}, "
                                      f"the palette {size} entries", argument="matrix")
            Call(options)("cof_model_new_matrix", byref(handle), stats._handle, values.ctypes.data)
        return cls._of(handle)

    @classmethod
    @takes_options("variant", c.MODEL, execution=False)
    def from_bytes(cls, data: bytes, **options: Any) -> Model:
        """A model from the bytes of a .cof file, which may also be that of statistics.

        Parameters
        ----------
        data : bytes
            The contents of the file.
        {options}

        Returns
        -------
        Model
        """
        handle, data = cls._new(), bytes(data)
        Call(options)("cof_load", None, byref(handle), data, len(data))
        return cls._of(handle)

    @classmethod
    @takes_options("variant", c.MODEL, execution=False)
    def load(cls, path: Path, **options: Any) -> Model:
        """A model from a .cof file, which may also be one of statistics.

        Parameters
        ----------
        path : str or path
            A file that save() or the command `cof` has written.
        {options}

        Returns
        -------
        Model
        """
        return cls.from_bytes(read_file(path), **options)

    @staticmethod
    def _matrix_of(member: Any) -> np.ndarray:
        size = c.lib.c.cof_model_size(member)
        return np.asarray(copied(c.lib.c.cof_model_matrix(member), (size, size)))

    @staticmethod
    def _frequencies_of(member: Any) -> np.ndarray:
        size = c.lib.c.cof_model_size(member)
        return np.asarray(copied(c.lib.c.cof_model_frequencies(member), (size,)))

    @property
    def matrix(self) -> np.ndarray:
        """M. At 1, two labels are neighbours as often as by chance."""
        return self._matrix_of(self._handle)

    @property
    def frequencies(self) -> np.ndarray:
        """The frequency of each label; their sum is 1."""
        return self._frequencies_of(self._handle)

    @property
    def members(self) -> Tuple[ModelMember, ...]:
        """Palette, matrix and frequencies of each palette.

        Examples
        --------
        >>> import cof, numpy as np
        >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
        >>> model = cof.Model.fit(image, palettes=3, colours=16)
        >>> [member.matrix.shape for member in model.members]
        [(16, 16), (8, 8), (4, 4)]
        """
        return tuple(ModelMember(self._palette_of(member), self._matrix_of(member),
                                 self._frequencies_of(member)) for member in self._members())

    @property
    def window(self) -> int:
        """The side of the window with which it was learned."""
        return int(self.options["window"])

    @property
    def sigma(self) -> float:
        """The standard deviation of the Gaussian with which it was learned."""
        return float(self.options["sigma"])

    def _explained(self, error: c.ArgumentError, view: View) -> c.ArgumentError:
        """Says how image and model differ."""
        text = f"{error}: the model is for {self.kind or 'labels'}, the image is {view}"
        if self.kind in ("grey", "bands") and c.lib.kinds[view.image.kind] == self.kind:
            text += (". Such a model stores values in the units of its samples: convert the image "
                     "to the dtype, and number of bands, that the model was learned from")
        return c.ArgumentError(text, option=error.option, argument=error.argument)

    def _filter(self, call: Call, function: str, source: View, *arguments: Any) -> None:
        """Calls a function that labels pixels of `source` with the model."""
        try:
            call(function, self._handle, *arguments)
        except c.ArgumentError as error:
            if call.problem.status == c.ERR_MISMATCH and b"of the kind" in call.problem.text:
                raise self._explained(error, source) from None
            raise

    @takes_options()
    def label(self, image: ArrayLike, *, channel_axis: Optional[int] = -1,
              kind: Optional[str] = None, **options: Any) -> np.ndarray:
        """The label of each pixel.

        Parameters
        ----------
        image : array_like
            The image.
        channel_axis, kind
            As in smooth().
        {options}

        Returns
        -------
        ndarray of uint8
        """
        view = view_of(image, channel_axis, kind=kind)
        out = View(np.empty(view.array.shape[:2], np.uint8))
        call = Call(options).may_take_long(view.pixels, view.bands)
        self._filter(call, "cof_model_label", view, view.pointer, out.pointer)
        return out.array

    @takes_options("variant", c.FILTER, execution=False)
    def margin(self, **options: Any) -> int:
        """How many pixels beyond a part of an image the filter reads.

        Parameters
        ----------
        {options}

        Returns
        -------
        int
        """
        call, margin = Call(options), c_int()
        call("cof_filter_margin", self._handle, byref(margin))
        return margin.value

    @takes_options(c.GENERAL, c.FILTER)
    def apply(self, image: ArrayLike, *, guide: Optional[ArrayLike] = None,
              labels: Optional[ArrayLike] = None, place: Optional[Place] = None,
              channel_axis: Optional[int] = -1, kind: Optional[str] = None,
              **options: Any) -> np.ndarray:
        """Filters an image.

        Parameters
        ----------
        image : array_like
            The image.
        guide : array_like, optional
            An image of the same size, like those that the model was learned from, whose values
            decide which pixels are averaged.
        labels : array_like of int, optional
            The label of each pixel, instead of those that the model assigns.
        place : Place, optional
            Where the image lies in a larger one. Only its part is computed; the image must extend
            margin() pixels beyond the part, where the larger image does.
        channel_axis, kind
            As in smooth().
        {options}

        Returns
        -------
        ndarray
            The filtered image, or its part, with the dtype of the image.
        """
        if guide is not None and labels is not None:
            raise c.ArgumentError("a guide and labels exclude each other", argument="labels")
        if np.size(image) == 0:
            return np.array(image)
        view = view_of(image, channel_axis, place, kind)
        out = result_like(view, place)
        call = Call(options, view.size).may_take_long(view.pixels, view.bands)
        if labels is not None:
            shown = label_view(labels, view, place)
            call("cof_filter_labels", self._handle, shown.pointer, view.pointer, out.pointer)
        else:
            source = view if guide is None else self._guide(guide, channel_axis, place, view)
            self._filter(call, "cof_filter", source, None if guide is None else source.pointer,
                         view.pointer, out.pointer)
        return restored(out, image, channel_axis, place)

    def _guide(self, guide: ArrayLike, channel_axis: Optional[int], place: Optional[Place],
               image: View) -> View:
        # Of a guide with three channels, the model tells whether they are RGB or bands.
        view = view_of(guide, axis_of(guide, channel_axis), place)
        if self.kind == "bands":
            view.image.kind = c.BANDS
        if view.array.shape[:2] != image.array.shape[:2]:
            raise c.ArgumentError(f"guide and image differ in size: {view.array.shape[:2]} and "
                                  f"{image.array.shape[:2]}", argument="guide")
        return view


def _stats_of(stats: Stats) -> Stats:
    if not isinstance(stats, Stats):
        raise TypeError(f"stats must be Stats, not {type(stats).__name__}")
    return stats


def model_of(model: Any, name: str = "model") -> Model:
    """The argument itself; TypeError if it is not a model."""
    if isinstance(model, Model):
        return model
    advice = ""
    if isinstance(model, (str, bytes, os.PathLike)):
        advice = "; use cof.load(path)"
    elif isinstance(model, Stats):
        advice = "; use Stats.model()"
    raise TypeError(f"{name} must be a cof.Model, not {type(model).__name__}{advice}")
