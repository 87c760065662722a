# SPDX-License-Identifier: GPL-2.0-or-later
"""QGIS plug-in: the Co-occurrence Filter as Processing algorithms."""


def classFactory(iface):
    """Called by QGIS."""
    from .plugin import CofPlugin
    return CofPlugin()
