# SPDX-License-Identifier: BSD-2-Clause
"""What is learned: statistics, which can be added up, and models, which filter."""
import ctypes
from ctypes import byref, c_int, c_size_t, c_void_p

import numpy as np

from . import _library as c
from ._arrays import View, given_back, mask_view, result_like, view_of


def learning(window=15, sigma=None, n_clusters=32, levels=256, softness=None, preset="paper",
             normalise=None, rng=0, **running):
    """The options of learning as fields of libcof's."""
    return dict(window=window, sigma=sigma, colours=n_clusters, levels=levels, softness=softness,
                preset=c.choice("preset", preset, c.PRESETS), seed=rng,
                normalise=None if normalise is None
                else c.choice("normalise", normalise, c.NORMALISATIONS), **running)


def filtering(filter_window=None, filter_sigma=None, num_iter=1, mode=None, space="lab",
              method="exact", accuracy=None, repeat="frozen", until=None, preset="paper", **running):
    """The options of filtering, likewise."""
    return dict(preset=c.choice("preset", preset, c.PRESETS), filter_window=filter_window,
                filter_sigma=filter_sigma, iterations=num_iter,
                border=None if mode is None else c.choice("mode", mode, c.MODES),
                space=c.choice("space", space, c.SPACES), accuracy=accuracy,
                method=c.choice("method", method, c.METHODS), until=until,
                repeat=c.choice("repeat", repeat, c.REPEATS), **running)


def _copied(pointer, shape):
    """What a pointer of the library shows, as an array of its own."""
    if not pointer:
        return None
    array = np.ctypeslib.as_array(pointer, shape).copy()
    array.flags.writeable = False
    return array


class _Handle:
    """Something of the library's: given back when nobody needs it any more."""
    _what = None

    def __init__(self, handle):
        self._handle = handle

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            getattr(c.lib, f"cof_{self._what}_free")(byref(handle))

    def to_bytes(self):
        """As the file has it."""
        data, size = c_void_p(), c_size_t()
        c.check(getattr(c.lib, f"cof_{self._what}_save")(self._handle, byref(data), byref(size)))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            c.lib.cof_free(data)

    @classmethod
    def from_bytes(cls, data):
        """What to_bytes() has made; FormatError if it is something else."""
        handle = c_void_p()
        status = getattr(c.lib, f"cof_{cls._what}_load")(byref(handle), bytes(data),
                                                         c_size_t(len(data)))
        if status == -6:
            raise c.FormatError(f"these bytes hold no {cls._what}")
        c.check(status)
        return cls._of(handle)

    @classmethod
    def _of(cls, handle):
        made = cls.__new__(cls)
        _Handle.__init__(made, handle)
        return made

    def save(self, path):
        """Writes a file, which the command `cof` reads too."""
        data = self.to_bytes()
        with open(path, "wb") as file:
            file.write(data)

    @classmethod
    def load(cls, path):
        with open(path, "rb") as file:
            return cls.from_bytes(file.read())

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(),)

    @property
    def size(self):
        """How many labels there are."""
        return getattr(c.lib, f"cof_{self._what}_size")(self._handle)

    @property
    def palette(self):
        """A row for each label: Lab, or values of the bands. None: there is none yet."""
        bands = c_int()
        pointer = getattr(c.lib, f"cof_{self._what}_palette")(self._handle, byref(bands))
        return _copied(pointer, (self.size, bands.value))


class Stats(_Handle):
    """What occurs together in images, as counts: scan images, settle, then add them.

    >>> import cof, numpy as np
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> stats = cof.Stats(window=7).scan(image).settle().add(image)
    >>> stats.size
    32
    """
    _what = "stats"

    def __init__(self, **options):
        call = c.Call(**learning(**options))
        handle = c_void_p()
        call("cof_stats_new", byref(handle))
        super().__init__(handle)

    def _look(self, function, image, mask, channel_axis, n_threads, progress):
        view = view_of(image, channel_axis)
        where = c.Where()
        if mask is not None:
            shape = mask_view(mask, view)
            where.mask = ctypes.pointer(shape.image)
        c.Call(n_threads=n_threads, progress=progress)(function, self._handle, view.pointer,
                                                       byref(where))
        return self

    def scan(self, image, *, mask=None, channel_axis=-1, n_threads=None, progress=None):
        """Takes note of the values of an image, for the palette."""
        return self._look("cof_stats_scan", image, mask, channel_axis, n_threads, progress)

    def settle(self, *, n_threads=None):
        """Ends the scanning: the palette is fixed."""
        c.Call(n_threads=n_threads)("cof_stats_settle", self._handle)
        return self

    def add(self, image, *, mask=None, channel_axis=-1, n_threads=None, progress=None):
        """Counts the pairs of an image; scans and settles first, if nobody has."""
        if self.size == 0:
            self.scan(image, mask=mask, channel_axis=channel_axis, n_threads=n_threads)
            self.settle(n_threads=n_threads)
        return self._look("cof_stats_add", image, mask, channel_axis, n_threads, progress)

    def like(self):
        """Empty statistics with the same options, and the palette if there is one."""
        handle = c_void_p()
        c.check(c.lib.cof_stats_new_like(byref(handle), self._handle))
        return Stats._of(handle)

    def merge(self, other):
        """Adds what another one has counted."""
        c.check(c.lib.cof_stats_merge(self._handle, other._handle))
        return self

    def __add__(self, other):
        if not isinstance(other, Stats):
            return NotImplemented
        return self.copy().merge(other)

    def copy(self):
        return Stats.from_bytes(self.to_bytes())

    @property
    def histogram(self):
        """The pixels of each label."""
        return _copied(c.lib.cof_stats_histogram(self._handle), (self.size,))

    def model(self, **options):
        """The model of these counts; options are sigma, softness, normalise and preset."""
        return Model.from_stats(self, **options)


class Model(_Handle):
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

    def __init__(self):
        raise TypeError("a Model is made by Model.fit(), Model.load() or Stats.model()")

    @classmethod
    def fit(cls, images, *, mask=None, channel_axis=-1, n_threads=None, progress=None, **options):
        """Learns from an image, or from a list of them (with a list of masks)."""
        several = isinstance(images, (list, tuple))
        images = list(images) if several else [images]
        masks = list(mask) if several and mask is not None else [mask] * len(images)
        if len(masks) != len(images):
            raise ValueError(f"there are {len(images)} images, but {len(masks)} masks")
        stats = Stats(**options)
        how = dict(channel_axis=channel_axis, n_threads=n_threads)
        for image, one in zip(images, masks):
            stats.scan(image, mask=one, **how)
        stats.settle(n_threads=n_threads)
        for image, one in zip(images, masks):
            stats.add(image, mask=one, progress=progress, **how)
        kept = ("sigma", "softness", "normalise", "preset")
        return cls.from_stats(stats, **{name: options[name] for name in kept if name in options})

    @classmethod
    def from_stats(cls, stats, **options):
        handle = c_void_p()
        c.Call(**learning(**options))("cof_model_new", byref(handle), stats._handle)
        return cls._of(handle)

    @property
    def matrix(self):
        """M: 1 means as often as by chance."""
        return _copied(c.lib.cof_model_matrix(self._handle), (self.size, self.size))

    @property
    def frequencies(self):
        return _copied(c.lib.cof_model_frequencies(self._handle), (self.size,))

    @property
    def window(self):
        return c.lib.cof_model_window(self._handle)

    @property
    def sigma(self):
        return c.lib.cof_model_sigma(self._handle)

    def label(self, image, *, channel_axis=-1, n_threads=None):
        """The label of each pixel."""
        view = view_of(image, channel_axis)
        out = View(np.empty(view.array.shape[:2], np.uint8))
        c.Call(n_threads=n_threads)("cof_model_label", self._handle, view.pointer, out.pointer)
        return out.array

    def margin(self, **options):
        """How many pixels around a part the filter looks at."""
        call = c.Call(**filtering(**options))
        margin = c.lib.cof_margin(self._handle, byref(call.options))
        call.check(min(margin, 0))
        return margin

    def apply(self, image, *, guide=None, labels=None, channel_axis=-1, n_threads=None,
              progress=None, **options):
        """Filters an image; a guide, or labels, decide what mixes in place of its own values."""
        if np.size(image) == 0:
            return np.array(image)
        view = view_of(image, channel_axis)
        out = result_like(view)
        call = c.Call(n_threads=n_threads, progress=progress, **filtering(**options))
        if guide is not None and labels is not None:
            raise ValueError("give a guide or labels, not both")
        if labels is not None:
            shown = View(np.ascontiguousarray(labels, np.uint8))
            call("cof_filter_labels", self._handle, shown.pointer, view.pointer, out.pointer)
        else:
            shown = None if guide is None else view_of(guide, -1)
            call("cof_filter", self._handle, shown and shown.pointer, view.pointer, out.pointer)
        return given_back(out, image, channel_axis)
