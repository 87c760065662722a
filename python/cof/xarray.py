# SPDX-License-Identifier: BSD-2-Clause
"""xarray: rasters with coordinates, a CRS and no-data values.

    import cof.xarray, rioxarray
    raster = rioxarray.open_rasterio("in.tif", chunks=1024)
    cof.xarray.smooth(raster).rio.to_raster("out.tif")

The result has the coordinates (and so the CRS), name, attributes, encoding and order of dimensions
of the input. Arrays with Dask chunks stay lazy, and give the bytes of the whole; others are computed
at once.

Dimensions: the rows and columns are found by their names, or named by `dims`. One more dimension,
`band_dim`, can hold the bands of a pixel. Along all others, such as time, images are filtered one by
one.

No data: pixels that have the no-data value, and pixels with NaN or infinity, are not learned from,
not mixed into other pixels, and left as they are.
"""
from __future__ import annotations

import functools
import sys
import typing
from typing import (Any, Callable, Dict, Hashable, List, Optional, Sequence, Tuple,
                    Union)

import numpy as np
import xarray as xr

from . import _library as c
from ._arrays import MAX_BANDS, SAMPLES
from ._learning import Model, model_of
from ._options import pick, takes_options
from ._smooth import smooth as smooth_array

__all__ = ["apply", "fit", "smooth"]

_SPATIAL_DIMS = (("y", "x"), ("latitude", "longitude"), ("lat", "lon"), ("northing", "easting"))
_BAND_DIMS = ("band", "bands", "channel", "wavelength", "variable")
_NODATA_ATTRIBUTES = ("_FillValue", "missing_value", "nodata", "nodatavals")
_STATISTICS = "STATISTICS_"  # attributes of GDAL, which describe the pixels of the input
# Integers that are filtered as floats, and the largest that a float holds exactly.
_WHOLE: Tuple[Any, ...] = (np.dtype(np.int8), np.dtype(np.int16), np.dtype(np.int32),
                           np.dtype(np.uint32))
_MAX_WHOLE = 2 ** 24

Dims = Optional[Tuple[Hashable, Hashable]]
Nodata = Union[None, str, float, Sequence[float]]


class _Layout(typing.NamedTuple):
    """What the dimensions of an array mean."""
    rows: Hashable
    columns: Hashable
    bands: Optional[Hashable]
    others: Tuple[Hashable, ...]

    @property
    def order(self) -> Tuple[Hashable, ...]:
        """The dimensions in the order in which images are taken from the array."""
        return (*self.others, self.rows, self.columns,
                *(() if self.bands is None else (self.bands,)))


def _checked(array: Any, name: str = "array") -> xr.DataArray:
    if isinstance(array, xr.Dataset):
        raise TypeError(f"{name} must be a DataArray, not a Dataset: use one of its variables, or "
                        "to_array('band') if the variables are bands of one image")
    if not isinstance(array, xr.DataArray):
        raise TypeError(f"{name} must be a DataArray, not {type(array).__name__}")
    if array.size == 0:
        raise c.ArgumentError(f"the array is empty: its sizes are {dict(array.sizes)}",
                              argument=name)
    return array


def _spatial_dims(array: xr.DataArray, dims: Dims) -> Tuple[Hashable, Hashable]:
    if dims is not None:
        if isinstance(dims, str) or len(dims) != 2 or dims[0] == dims[1]:
            raise c.ArgumentError("dims must be the names of rows and columns, such as ('y', 'x')",
                                  argument="dims")
        missing = [name for name in dims if name not in array.dims]
        if missing:
            raise c.ArgumentError(f"the array has no dimension {missing[0]!r}, only {array.dims}",
                                  argument="dims")
        return dims[0], dims[1]
    for rows, columns in _SPATIAL_DIMS:
        if rows in array.dims and columns in array.dims:
            return rows, columns
    raise c.ArgumentError(f"which of the dimensions {array.dims} are rows and columns? Name them "
                          "with dims=(rows, columns)", argument="dims")


def _layout(array: xr.DataArray, dims: Dims, band_dim: Optional[Hashable]) -> _Layout:
    rows, columns = _spatial_dims(array, dims)
    if band_dim is not None and (band_dim not in array.dims or band_dim in (rows, columns)):
        raise c.ArgumentError(f"band_dim {band_dim!r} is not a dimension beside {rows!r} and "
                              f"{columns!r}; the array has {array.dims}", argument="band_dim")
    others = [name for name in array.dims if name not in (rows, columns)]
    if band_dim is None:
        band_dim = next((name for name in _BAND_DIMS if name in others), None)
    others = [name for name in others if name != band_dim]
    if band_dim is not None and array.sizes[band_dim] > MAX_BANDS:
        raise c.ArgumentError(f"an image can have {MAX_BANDS} bands, not {array.sizes[band_dim]}",
                              argument="band_dim")
    return _Layout(rows, columns, band_dim, tuple(others))


# No data.

def _values(value: Any) -> List[float]:
    return [] if value is None else [float(one) for one in np.ravel(value) if one is not None]


def _fits(value: float, dtype: np.dtype) -> bool:
    """Can a pixel have this value?"""
    if dtype.kind not in "iu":
        return not np.isnan(value)
    return np.iinfo(dtype).min <= value <= np.iinfo(dtype).max and value == round(value)


def _stated_nodata(array: xr.DataArray) -> Dict[str, List[float]]:
    """What says how no data is marked. xarray and rioxarray keep in the encoding what they have
    replaced by NaN, so the encoding counts for integers only."""
    found = {name: _values(array.attrs[name]) for name in _NODATA_ATTRIBUTES
             if array.attrs.get(name) is not None}
    if array.dtype.kind in "iu":
        found.update({f"encoding {name}": _values(array.encoding[name])
                      for name in _NODATA_ATTRIBUTES[:2] if array.encoding.get(name) is not None})
    # rioxarray converts what it finds there, too; what does not fit, it wraps or refuses.
    if "rioxarray" in sys.modules and all(
            np.isnan(value) or _fits(value, array.dtype)
            for values in found.values() for value in values):
        try:
            found["rio.nodata"] = _values(array.rio.nodata)
        except (ValueError, OverflowError):
            pass
    return found


def _found_nodata(array: xr.DataArray, bands: int) -> Optional[np.ndarray]:
    """The value of all bands, or a value for each: NaN where a band has none."""
    found: Dict[str, np.ndarray] = {}
    for name, values in _stated_nodata(array).items():
        wrong = [value for value in values if array.dtype.kind in "iu" and
                 not _fits(value, array.dtype)]
        if wrong and name in array.attrs:
            raise c.ArgumentError(
                f"{name} says that no data is {wrong[0]:g}, which no pixel of type {array.dtype} "
                "can be: pass nodata=VALUE or nodata=None", argument="nodata")
        kept = np.array([value if _fits(value, array.dtype) else np.nan for value in values])
        if len(kept) in (1, bands) and not np.isnan(kept).all():
            found[name] = np.unique(kept) if len(set(values)) == 1 else kept
    for name, one in found.items():
        first = next(iter(found))
        if not np.array_equal(one, found[first], equal_nan=True):
            raise c.ArgumentError(
                f"{first} says that no data is {_text(found[first])}, but {name} says "
                f"{_text(one)}: pass nodata=VALUE", argument="nodata")
    return next(iter(found.values()), None)


def _text(values: np.ndarray) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _nodata(array: xr.DataArray, nodata: Nodata, bands: int) -> Optional[np.ndarray]:
    if nodata is None:
        return None
    if isinstance(nodata, str):
        if nodata != "auto":
            raise c.ArgumentError(f"nodata must be 'auto', None or a number, not {nodata!r}",
                                  argument="nodata")
        return _found_nodata(array, bands)
    values = np.array(_values(nodata))
    if len(values) not in (1, bands):
        raise c.ArgumentError(f"nodata has {len(values)} values, the array {bands} bands",
                              argument="nodata")
    for value in values:
        if not np.isnan(value) and not _fits(value, array.dtype):
            raise c.ArgumentError(f"no pixel of type {array.dtype} can be {value:g}",
                                  argument="nodata")
    return None if np.isnan(values).all() else values


def _hidden(data: Any, values: np.ndarray, kind: str) -> Any:
    """Where pixels have no data, as the command has it: where any band has the value or, in RGB of
    integers, where all have. Alpha does not count."""
    numbers = np.array([value if _fits(value, data.dtype) else 0 for value in values], data.dtype)
    same = (data == numbers) & ~np.isnan(values)
    if same.ndim == 2:
        return same
    if kind in ("rgba", "grey-alpha"):
        same = same[:, :, :-1]
    needs_all = kind in ("rgb", "rgba") and data.dtype.kind in "iu"
    return same.all(axis=2) if needs_all else same.any(axis=2)


# Integers as floats, which are exact, and back.

def _floats(block: np.ndarray) -> np.ndarray:
    data = np.ma.getdata(block)
    if data.dtype.itemsize > 2:
        used = data[~np.ma.getmaskarray(block)]
        if used.size > 0 and (used.max() > _MAX_WHOLE or used.min() < -_MAX_WHOLE):
            raise c.ArgumentError(f"integers above 2^24 cannot be filtered exactly: the array has "
                                  f"values from {used.min()} to {used.max()}", argument="array")
    floats = data.astype(np.float32)
    return np.ma.MaskedArray(floats, np.ma.getmask(block)) if np.ma.isMaskedArray(block) else floats


def _integers(block: np.ndarray, dtype: Any, nodata: Optional[np.ndarray]) -> np.ndarray:
    """Rounded and limited to the range of the type; values of no data are exact."""
    data, limits = np.ma.getdata(block), np.iinfo(dtype)
    made = np.clip(np.rint(data.astype(np.float64)), limits.min, limits.max).astype(dtype)
    if nodata is None:
        return made
    same = np.ma.getmaskarray(block) & (data == nodata.astype(np.float32))
    return np.where(same, np.nan_to_num(nodata).astype(dtype), made)


def _finished(made: np.ndarray, before: np.ndarray, dtype: Any,
              nodata: Optional[np.ndarray]) -> np.ndarray:
    """What a filtered image, or a tile of it, is in the raster."""
    if dtype in _WHOLE:
        made = _integers(made, dtype, nodata)
    if nodata is None:
        return made
    return _apart(np.ma.getdata(made), np.ma.getdata(before), nodata)


def _apart(made: Any, before: Any, nodata: np.ndarray) -> Any:
    """Moves values that are equal to that of no data, but were not before they were filtered, to the
    next one towards the value before."""
    dtype = made.dtype
    fits = np.array([not np.isnan(value) and _fits(value, dtype) for value in nodata])
    values = np.where(fits, nodata, 0).astype(dtype)
    clash = (made == values) & (before != values) & fits
    if dtype.kind == "f":
        return np.where(clash, np.nextafter(values, before.astype(dtype)), made)
    limits = np.iinfo(dtype)
    above, below = np.minimum(values, limits.max - 1) + 1, np.maximum(values, limits.min + 1) - 1
    towards = np.where(before > values, above.astype(dtype), below.astype(dtype))
    return np.where(clash, towards, made)


# Images.

def _kind(kind: Optional[str], bands: int, dtype: np.dtype) -> str:
    if kind is not None:
        c.kind_number(kind)
        return kind
    if bands == 1:
        return "grey"
    return "rgb" if bands == 3 and dtype == np.uint8 else "bands"


class _Images:
    """The images in an array, prepared for the functions of cof and cof.dask."""

    def __init__(self, array: Any, dims: Dims, band_dim: Optional[Hashable], nodata: Nodata,
                 kind: Optional[str]) -> None:
        self.array = _checked(array)
        self.layout = _layout(self.array, dims, band_dim)
        self.bands = 1 if self.layout.bands is None else self.array.sizes[self.layout.bands]
        self.dtype = self.array.dtype
        self.is_whole = self.dtype in _WHOLE
        if not self.is_whole and self.dtype.newbyteorder("=") not in (*SAMPLES, np.float64):
            raise c.ArgumentError(
                f"a raster must have integers of 8, 16 or 32 bits, float32 or float64, not "
                f"{self.dtype}: convert it first", argument="array")
        self.kind = _kind(kind, self.bands, self.dtype)
        if self.is_whole and self.kind not in ("grey", "bands"):
            raise c.ArgumentError(f"kind {self.kind} needs unsigned integers of 8 or 16 bits, or "
                                  f"floats, not {self.dtype}", argument="kind")
        self.nodata = _nodata(self.array, nodata, self.bands)
        self.is_lazy = self.array.chunks is not None
        self.shape = tuple(self.array.sizes[name] for name in self.layout.others)

    def _prepared(self, data: Any) -> Any:
        if self.nodata is not None:
            hidden = _hidden(data, self.nodata, self.kind)
            if data.ndim == 3:
                hidden = hidden[:, :, None] & np.ones(data.shape[2], bool)
            if self.is_lazy:
                import dask.array as da
                data = da.ma.masked_array(data, hidden)
            else:
                data = np.ma.MaskedArray(data, hidden)
        if not self.is_whole:
            return data
        return data.map_blocks(_floats, dtype=np.float32) if self.is_lazy else _floats(data)

    def images(self) -> List[Any]:
        """Images with their bands last; with a mask if there is a no-data value."""
        data = self.array.transpose(*self.layout.order).data
        return [self._prepared(data[index]) for index in np.ndindex(*self.shape)]

    @property
    def finish(self) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        return functools.partial(_finished, dtype=self.dtype, nodata=self.nodata)

    def _stacked(self, images: List[Any], shape: Sequence[int]) -> Any:
        if not shape:
            return images[0]
        part = len(images) // shape[0]
        parts = [self._stacked(images[i * part:(i + 1) * part], shape[1:])
                 for i in range(shape[0])]
        if self.is_lazy:
            import dask.array as da
            return da.stack(parts)
        return np.stack(parts)

    def result(self, images: List[Any]) -> xr.DataArray:
        """An array like the input, of finished images."""
        data = self._stacked(images, self.shape)
        made = self.array.transpose(*self.layout.order).copy(deep=False, data=data)
        made = made.transpose(*self.array.dims)
        made.attrs = {name: value for name, value in self.array.attrs.items()
                      if not str(name).startswith(_STATISTICS)}
        made.encoding = dict(self.array.encoding)
        return made

    def mask(self, mask: Any) -> Any:
        """A mask of rows and columns."""
        if mask is None:
            return None
        if not isinstance(mask, xr.DataArray):
            raise TypeError(f"mask must be a DataArray, not {type(mask).__name__}")
        wanted = self.layout.rows, self.layout.columns
        if set(mask.dims) != set(wanted) or any(mask.sizes[name] != self.array.sizes[name]
                                                for name in wanted):
            raise c.ArgumentError(
                f"the mask has the sizes {dict(mask.sizes)}, the image "
                f"{ {name: self.array.sizes[name] for name in wanted} }", argument="mask")
        return mask.transpose(*wanted).data


def _same_kind(all_images: Sequence[_Images]) -> None:
    first = all_images[0]
    for images in all_images:
        if (images.dtype, images.bands) != (first.dtype, first.bands):
            raise c.ArgumentError(
                f"the arrays differ: {first.bands} bands of {first.dtype}, and {images.bands} of "
                f"{images.dtype}", argument="arrays")


@takes_options(c.GENERAL, c.LEARN, c.MODEL)
def fit(arrays: Any, *, mask: Any = None, dims: Dims = None, band_dim: Optional[Hashable] = None,
        nodata: Nodata = "auto", kind: Optional[str] = None, **options: Any) -> Model:
    """Learns one model from all images of an array, or of several arrays.

    Parameters
    ----------
    arrays : DataArray, or list of DataArray
        The images, such as the tiles of a folder. Arrays with Dask chunks are read twice, chunk by
        chunk.
    mask : DataArray, or list of DataArray, optional
        Learn only where this is not 0: a mask of rows and columns for each array.
    dims, band_dim, nodata, kind
        As in smooth().
    {options}

    Returns
    -------
    Model

    Examples
    --------
    >>> import cof.xarray, numpy as np, xarray as xr
    >>> values = np.random.default_rng(0).integers(0, 4000, (2, 4, 60, 70), np.uint16)
    >>> tiles = [xr.DataArray(tile, dims=("band", "y", "x")) for tile in values]
    >>> model = cof.xarray.fit(tiles, window=7)
    >>> cof.xarray.apply(model, tiles[0]).sizes["band"]
    4
    """
    listed = list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]
    masks = list(mask) if isinstance(mask, (list, tuple)) else [mask] * len(listed)
    if not listed or len(masks) != len(listed):
        raise c.ArgumentError(f"there are {len(listed)} arrays and {len(masks)} masks",
                              argument="mask" if listed else "arrays")
    found = [_Images(array, dims, band_dim, nodata, kind) for array in listed]
    _same_kind(found)
    images = [image for each in found for image in each.images()]
    shapes = [each.mask(shape) for each, shape in zip(found, masks)
              for _ in np.ndindex(*each.shape)]
    if any(each.is_lazy for each in found):
        from . import dask as chunked
        return chunked.fit(images, mask=shapes, kind=found[0].kind, **options)
    masks_given = None if all(shape is None for shape in shapes) else shapes
    return Model.fit(images, mask=masks_given, kind=found[0].kind, **options)


@takes_options(c.GENERAL, c.FILTER)
def apply(model: Model, array: Any, *, dims: Dims = None, band_dim: Optional[Hashable] = None,
          nodata: Nodata = "auto", kind: Optional[str] = None, **options: Any) -> xr.DataArray:
    """Filters an array with a model; lazily if it has Dask chunks.

    Parameters
    ----------
    model : Model
        A model of images of the same dtype and number of bands.
    array : DataArray
        The image, or images.
    dims, band_dim, nodata, kind
        As in smooth().
    {options}

    Returns
    -------
    DataArray
        Like the array, with filtered values.
    """
    model_of(model)
    found = _Images(array, dims, band_dim, nodata, kind)
    images = found.images()
    if found.is_lazy:
        from . import dask as chunked
        return found.result([chunked._apply_model(model, image, None, -1, found.kind, options,
                                                  found.finish, found.dtype) for image in images])
    return found.result([found.finish(model.apply(image, kind=found.kind, **options), image)
                         for image in images])


@takes_options(c.GENERAL, c.LEARN, c.MODEL, c.FILTER)
def smooth(array: Any, *, learn: str = "all", mask: Any = None, dims: Dims = None,
           band_dim: Optional[Hashable] = None, nodata: Nodata = "auto",
           kind: Optional[str] = None, **options: Any) -> xr.DataArray:
    """Learns from an array and filters it; lazily if it has Dask chunks.

    Parameters
    ----------
    array : DataArray
        Integers of 8, 16 or 32 bits, float32 or float64. Signed integers and those of 32 bits are
        filtered as floats and rounded, float64 as float32. Integers above 2^24 are refused.
    learn : {'all', 'each'}
        If there are dimensions besides rows, columns and bands, such as time: learn one model from
        all images, or one from each.
    mask : DataArray, optional
        Learn only where this is not 0; it has the dimensions of rows and columns.
    dims : tuple of two names, optional
        The dimensions of rows and columns. None: y and x, or latitude and longitude, lat and lon,
        or northing and easting.
    band_dim : name, optional
        The dimension of the bands of a pixel. None: band, bands, channel, wavelength or variable,
        if there is one.
    nodata : number, sequence of numbers, 'auto' or None
        The value that marks no data, or one for each band. 'auto': that of the attributes
        _FillValue, missing_value, nodata or nodatavals, of rioxarray, or, for integers, of the
        encoding. None: only NaN and infinity are no data. A pixel has no data if any band has the
        value or, in RGB of integers, if all have.
    kind : {'grey', 'grey-alpha', 'rgb', 'rgba', 'bands'}, optional
        What the bands mean. None: grey for 1 band, RGB for 3 bands of uint8, otherwise bands.
    {options}

    Returns
    -------
    DataArray
        With the coordinates, attributes and encoding of the array. Attributes STATISTICS_... of
        GDAL are removed, because they describe the values of the input.

    Examples
    --------
    >>> import cof.xarray, numpy as np, xarray as xr
    >>> values = np.random.default_rng(0).integers(1, 4000, (60, 70), np.uint16)
    >>> values[:, 30:35] = 0
    >>> raster = xr.DataArray(values, dims=("y", "x"), attrs={"_FillValue": 0})
    >>> smooth = cof.xarray.smooth(raster, window=7)
    >>> bool((smooth[:, 30:35] == 0).all()), smooth.attrs
    (True, {'_FillValue': 0})
    """
    if learn not in ("all", "each"):
        raise c.ArgumentError(f"learn must be 'all' or 'each', not {learn!r}", argument="learn")
    found = _Images(array, dims, band_dim, nodata, kind)
    shape = found.mask(mask)
    images = found.images()
    if found.is_lazy:
        from . import dask as chunked
        groups = [images] if learn == "all" else [[image] for image in images]
        return found.result([made for group in groups for made in chunked._smooth_all(
            group, [shape] * len(group), -1, found.kind, options, found.finish, found.dtype)])
    if learn == "each" or len(images) == 1:
        made = [smooth_array(image, mask=shape, kind=found.kind, **options) for image in images]
    else:
        model = Model.fit(images, mask=None if shape is None else [shape] * len(images),
                          kind=found.kind, **pick(options, c.GENERAL, c.LEARN, c.MODEL, c.RUN,
                                                  execution=False))
        filtering = pick(options, c.GENERAL, c.FILTER, c.RUN)
        made = [model.apply(image, kind=found.kind, **filtering) for image in images]
    return found.result([found.finish(*pair) for pair in zip(made, images)])
