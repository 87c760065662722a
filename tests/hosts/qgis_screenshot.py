#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Draws docs/pictures/hosts-qgis.png: the dialog of the QGIS plug-in, on a virtual screen.

    COF=build/cli/cof COF_LIBRARY=build/src/libcof.so python3 tests/hosts/qgis_screenshot.py

Needs QGIS and Xvfb (xvfb-run).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "hosts-qgis.png"
sys.path.insert(0, str(ROOT / "plugins" / "qgis"))
import pack  # noqa: E402

# Runs inside QGIS.
CODE = """
import processing
from qgis.PyQt.QtCore import QTimer
from qgis.core import QgsProject, QgsRasterLayer
from qgis.utils import iface
QgsProject.instance().addMapLayer(QgsRasterLayer({image!r}, "coffee"))
dialog = processing.createAlgorithmDialog("cof:filter", {{"PRESET": "texture"}})
dialog.resize(900, 620)
dialog.show()
def save():
    dialog.grab().save({picture!r})
    import os
    os._exit(0)
QTimer.singleShot(3000, save)
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pack.pack(folder / "cof.zip")
        profile = folder / "profiles" / "default"
        with zipfile.ZipFile(folder / "cof.zip") as packed:
            packed.extractall(profile / "python" / "plugins")
        (profile / "QGIS").mkdir(parents=True)
        (profile / "QGIS" / "QGIS3.ini").write_text("[PythonPlugins]\ncof=true\nprocessing=true\n"
                                                    "[app]\nshowTips=false\n")
        image = ROOT / "tests" / "data" / "photos" / "coffee.png"
        (folder / "shot.py").write_text(CODE.format(image=str(image), picture=str(PICTURE)))
        subprocess.run(
            ["xvfb-run", "-a", "-s", "-screen 0 1400x900x24", "qgis", "--nologo",
             "--noversioncheck", "--profiles-path", folder, "--code", folder / "shot.py"],
            env={**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder),
                 "QT_QPA_PLATFORM": "xcb", "LC_ALL": "C.UTF-8"}, timeout=300, check=True)


if __name__ == "__main__":
    main()
