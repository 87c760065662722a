# SPDX-License-Identifier: BSD-2-Clause
"""The Co-occurrence Filter: smooths textures, keeps the boundaries between them.

    import cof
    smooth = cof.smooth(image)

Arrays of OpenCV are BGR: pass image[:, :, ::-1], which is not copied, and turn the result back.
Images larger than memory: see cof.dask.
"""
from ._arrays import Place
from ._choosing import focus, select
from ._library import Cancelled, FormatError, version
from ._models import Model
from ._options import look
from ._smooth import smooth
from ._stats import Stats

__all__ = ["Cancelled", "FormatError", "Model", "Place", "Stats", "focus", "look", "select", "smooth",
           "version"]
__version__ = version()
