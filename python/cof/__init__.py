# SPDX-License-Identifier: BSD-2-Clause
"""The Co-occurrence Filter: smooths textures, keeps the boundaries between them.

    import cof
    smooth = cof.smooth(image)

Arrays of OpenCV are BGR: pass image[:, :, ::-1], which is not copied, and turn the result back.
"""
from ._choosing import focus, select
from ._library import Cancelled, FormatError, version
from ._models import Model, Stats
from ._smooth import smooth

__all__ = ["Cancelled", "FormatError", "Model", "Stats", "focus", "select", "smooth", "version"]
__version__ = version()
