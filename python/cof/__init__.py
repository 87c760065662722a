# SPDX-License-Identifier: BSD-2-Clause
"""The Co-occurrence Filter: smooths textures and keeps the boundaries between them.

    import cof
    smooth = cof.smooth(image)

Arrays of OpenCV are BGR: pass image[:, :, ::-1], which is not copied, and reverse the result.
For images larger than memory, see cof.dask. `python3 -m cof` lists all options.
"""
from ._arrays import Place
from ._call import Context, Device, Report, devices
from ._coarse import Coarse, downscale
from ._files import load, save_pair
from ._learning import Model, ModelMember, Stats, StatsMember
from ._library import (ArgumentError, BusyError, CancelledError, CofError, FormatError,
                       NotSupportedError, OutOfMemoryError, version)
from ._options import preset
from ._posterise import Posterised, posterise, posterize
from ._select import (Selection, blend, focus, mask_dilate, mask_prior, matte, mean_chroma,
                      recolor, recolour, select, tint)
from ._selector import Selector, draw_stroke
from ._smooth import smooth

__all__ = ["ArgumentError", "BusyError", "CancelledError", "Coarse", "CofError", "Context",
           "Device", "FormatError", "Model", "ModelMember", "NotSupportedError", "OutOfMemoryError",
           "Place", "Posterised", "Report", "Selection", "Selector", "Stats", "StatsMember", "blend", "devices",
           "downscale", "draw_stroke", "focus", "load", "mask_dilate", "mask_prior", "matte",
           "mean_chroma", "posterise", "posterize", "preset", "recolor", "recolour", "save_pair", "select", "smooth", "tint",
           "version"]
__version__ = version()
