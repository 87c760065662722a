# SPDX-License-Identifier: BSD-2-Clause
"""Images in a few colours, for tracing."""
from __future__ import annotations

from ctypes import byref, c_int
from typing import Any, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import View, restored, result_like, view_of
from ._call import Call
from ._options import takes_options

MAX_COLOURS = 256


class Posterised(NamedTuple):
    """What posterise() found.

    Attributes
    ----------
    image : ndarray
        The image in its colours.
    labels : ndarray of uint8
        The row of the palette that each pixel has; 0 for pixels that stay as they are.
    palette : ndarray
        The colours: one row for each, without alpha, with the dtype of the image.
    """
    image: np.ndarray
    labels: np.ndarray
    palette: np.ndarray


@takes_options("seed")
def posterise(image: ArrayLike, colours: int = 12, *, min_area: float = 0.00005,
              return_labels: bool = False, channel_axis: Optional[int] = -1,
              kind: Optional[str] = None, **options: Any) -> Union[np.ndarray, Posterised]:
    """Paints an image, such as the result of smooth(), in a few colours, for tracing.

    Pixels that are mixtures of two regions, such as the anti-aliasing of their border, get the
    colour of one of them. Small islands get the colour around them. Alpha, and pixels without data
    or of alpha 0, stay as they are.

    Parameters
    ----------
    image : array_like
        A grey or RGB image, with or without alpha.
    colours : int
        The largest number of colours, 2 to 256.
    min_area : float
        Islands that are smaller than this share of the image are merged; 0 keeps all.
    return_labels : bool
        Return a Posterised, which has labels and palette, too.
    channel_axis, kind
        As in smooth().
    {options}

    Returns
    -------
    ndarray, or Posterised
        The painted image, with the shape and dtype of the image.

    Examples
    --------
    >>> import cof, numpy as np
    >>> image = np.zeros((30, 40, 3), np.uint8); image[:, 20:] = 200; image[:, 20] = 100
    >>> found = cof.posterise(image, 8, return_labels=True)
    >>> found.palette.tolist()
    [[0, 0, 0], [200, 200, 200]]
    """
    view = view_of(image, channel_axis, kind=kind)
    out, labels, n = result_like(view), View(np.empty(view.array.shape[:2], np.uint8)), c_int()
    palette = np.empty((MAX_COLOURS, 3 if view.bands > 2 else 1), np.float32)
    Call({**options, "min_area": min_area}).may_take_long(view.pixels)(
        "cof_posterise", view.pointer, colours, out.pointer, labels.pointer, palette.ctypes.data,
        byref(n))
    painted = restored(out, image, channel_axis)
    if not return_labels:
        return painted
    return Posterised(painted, labels.array, palette[:n.value].astype(painted.dtype))


posterize = posterise
