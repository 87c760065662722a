#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The QGIS plug-in, through qgis_process: the bytes of the command, and QGIS' own errors.

COF names the command, COF_LIBRARY the library whose options the plug-in has.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "plugins" / "qgis"), str(ROOT / "tests" / "python")]
import pack  # noqa: E402
from images import random_image  # noqa: E402

TIMEOUT = 180
COF = os.path.abspath(os.environ["COF"])
# The wrapper in Debian 12 passes an option that the program does not know.
PROCESS = shutil.which("qgis_process.bin") or "qgis_process"


def write_raster(path, bands, dtype):
    """A GeoTIFF with a CRS, a no-data value and names of bands."""
    import rasterio
    values = np.moveaxis(random_image((60, 70, bands), dtype), 2, 0)
    values[:, :, 30:35] = 0
    with rasterio.open(path, "w", driver="GTiff", width=70, height=60, count=bands, dtype=dtype,
                       crs="EPSG:32633", nodata=0,
                       transform=rasterio.Affine(10, 0, 4e5, 0, -10, 5e6)) as file:
        file.write(values)
        file.descriptions = [f"band {i}" for i in range(bands)]


class Qgis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="cof-qgis-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        pack.pack(cls.home / "cof.zip")
        plugins = cls.home / "config" / "profiles" / "default" / "python" / "plugins"
        plugins.mkdir(parents=True)
        with zipfile.ZipFile(cls.home / "cof.zip") as packed:
            packed.extractall(plugins)
        cls.environment = {
            **os.environ, "HOME": str(cls.home), "COF": COF, "QT_QPA_PLATFORM": "offscreen",
            "QGIS_CUSTOM_CONFIG_PATH": str(cls.home / "config"), "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(cls.home), "XDG_DATA_HOME": str(cls.home / "data")}
        write_raster(cls.home / "in.tif", 4, np.uint16)
        cls.process("plugins", "enable", "cof")

    @classmethod
    def process(cls, *arguments, status=0, **changes):
        done = subprocess.run([PROCESS, *arguments], env={**cls.environment, **changes},
                              cwd=cls.home, capture_output=True, text=True, timeout=TIMEOUT)
        text = done.stdout if arguments[0] == "--json" else done.stdout + done.stderr
        if (done.returncode == 0) != (status == 0):
            raise AssertionError(f"status {done.returncode}\n{text}")
        return text

    def run_algorithm(self, name, *parameters, status=0, **changes):
        return self.process("run", f"cof:{name}", "--", *parameters, status=status, **changes)

    def command(self, *arguments):
        subprocess.run([COF, *arguments], cwd=self.home, check=True, capture_output=True)

    def same(self, one, other):
        self.assertEqual((self.home / one).read_bytes(), (self.home / other).read_bytes())

    def test_algorithms_are_listed(self):
        text = self.process("list")
        for name in ("filter", "learn", "apply"):
            self.assertIn(f"cof:{name}", text)

    def test_parameters_are_those_of_the_table(self):
        """In type, range and words."""
        shown = json.loads(self.process("--json", "help", "cof:filter"))["parameters"]
        table = {option.name: option for option in pack.c.lib.table.values()}
        for option in table.values():
            name = option.name.upper()
            if option.group == pack.c.SELECT or option.name in pack.OTHER_FORM:
                self.assertNotIn(name, shown)
                continue
            with self.subTest(name):
                definition = shown[name]["raw_definition"]
                if option.choices:
                    self.assertEqual(definition["options"], list(option.choices))
                elif option.type != pack.c.UINT64:
                    self.assertEqual(definition["max"], option.maximum)
                self.assertIn(option.help, shown[name]["description"])

    def test_filter(self):
        """The same bytes as the command."""
        text = self.run_algorithm("filter", "INPUT=in.tif", "OUTPUT=out.tif", "WINDOW=9",
                                  "ITERATIONS=2", "SOFTNESS=0.5", "METHOD=exact")
        self.assertIn("filter --window=9 --iterations=2", text)
        self.command("--window", "9", "--iterations", "2", "--softness", "0.5", "--method", "exact",
                     "in.tif", "want.tif")
        self.same("out.tif", "want.tif")

    def test_preset(self):
        self.run_algorithm("filter", "INPUT=in.tif", "OUTPUT=preset.tif", "PRESET=texture")
        self.command("--preset", "texture", "in.tif", "preset-want.tif")
        self.same("preset.tif", "preset-want.tif")

    def test_learn_and_apply(self):
        write_raster(self.home / "other.tif", 4, np.uint16)
        self.run_algorithm("learn", "INPUT=in.tif", "INPUT=other.tif", "OUTPUT=m.cof", "WINDOW=7")
        self.command("learn", "--window", "7", "in.tif", "other.tif", "-o", "want.cof")
        self.same("m.cof", "want.cof")
        self.run_algorithm("apply", "MODEL=m.cof", "INPUT=in.tif", "OUTPUT=by-model.tif")
        self.command("apply", "want.cof", "in.tif", "by-want.tif")
        self.same("by-model.tif", "by-want.tif")

    def test_bad_parameters(self):
        """Errors of QGIS; no file is left behind."""
        for parameters, words in (
                (("WINDOW=4",), r"Window must be an odd number"), (("WINDOW=9999",), "WINDOW"),
                (("METHOD=best",), "METHOD"), (("ITERATIONS=many",), "ITERATIONS"),
                (("KIND=cmyk",), "KIND"), (("NODATA=x",), "nodata")):
            with self.subTest(parameters):
                text = self.run_algorithm("filter", "INPUT=in.tif", "OUTPUT=bad.tif", *parameters,
                                          status=1)
                self.assertRegex(text, words)
                self.assertNotIn("Traceback", text)
                self.assertFalse((self.home / "bad.tif").exists())

    def test_failures(self):
        (self.home / "broken.tif").write_bytes((self.home / "in.tif").read_bytes()[:3000])
        (self.home / "text.cof").write_text("no model")
        for name, parameters, changes, words in (
                ("filter", ("INPUT=missing.tif",), {}, "INPUT"),
                ("filter", ("INPUT=broken.tif",), {}, "broken.tif"),
                ("apply", ("INPUT=in.tif", "MODEL=text.cof"), {}, "text.cof"),
                ("filter", ("INPUT=in.tif",), {"COF": "/no/cof"}, "command cof was not found")):
            with self.subTest(words):
                text = self.run_algorithm(name, "OUTPUT=bad.tif", *parameters, status=1, **changes)
                self.assertRegex(text, words)
                self.assertNotIn("Traceback", text)
                self.assertFalse((self.home / "bad.tif").exists())


class Zip(unittest.TestCase):
    def test_same_bytes_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.zip", "b.zip"):
                pack.pack(f"{folder}/{name}")
            self.assertEqual(pathlib.Path(f"{folder}/a.zip").read_bytes(),
                             pathlib.Path(f"{folder}/b.zip").read_bytes())
            with zipfile.ZipFile(f"{folder}/a.zip") as packed:
                metadata = packed.read("cof/metadata.txt").decode()
        self.assertRegex(metadata, rf"(?m)^version={re.escape(pack.c.version())}$")
        # QGIS 4 asks for the last two.
        for line in ("hasProcessingProvider=yes", "qgisMaximumVersion=4.99", "supportsQt6=True"):
            self.assertIn(line + "\n", metadata)


# The progress and cancelling of a command, with a feedback that stands for that of QGIS.
FEEDBACK = """
import sys, types
sys.path.insert(0, sys.argv[1])
config = types.ModuleType("processing.core.ProcessingConfig")
config.ProcessingConfig = types.SimpleNamespace(getSetting=lambda name: None)
for name in ("processing", "processing.core"):
    sys.modules[name] = types.ModuleType(name)
sys.modules[config.__name__] = config
from cof import command
class Feedback:
    seen, lines, cancelled = [], [], len(sys.argv) > 4
    def setProgress(self, value): self.seen.append(value)
    def pushInfo(self, line): self.lines.append(line)
    pushCommandInfo = pushInfo
    def isCanceled(self): return self.cancelled
feedback = Feedback()
command.run(["--iterations=9", sys.argv[2], sys.argv[3]], feedback)
print(feedback.seen)
"""


class Running(unittest.TestCase):
    def run_it(self, folder, *arguments):
        code = ROOT / "plugins" / "qgis"
        return subprocess.run(["/usr/bin/python3", "-c", FEEDBACK, code, *arguments], cwd=folder,
                              capture_output=True, text=True, timeout=TIMEOUT,
                              env={**os.environ, "COF": COF, "QT_QPA_PLATFORM": "offscreen"})

    def test_progress_and_cancel(self):
        with tempfile.TemporaryDirectory() as folder:
            write_raster(f"{folder}/in.tif", 3, np.uint8)
            subprocess.run(["gdal_translate", "-q", "-outsize", "3000", "3000", "in.tif",
                            "large.tif"], cwd=folder, check=True)
            done = self.run_it(folder, "large.tif", "out.tif")
            seen = json.loads(done.stdout or "[]")
            self.assertTrue(seen and all(0 <= value <= 100 for value in seen), done.stderr)
            self.assertGreater(max(seen), 0)
            done = self.run_it(folder, "large.tif", "cancelled.tif", "cancel")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["in.tif", "large.tif", "out.tif"])


if __name__ == "__main__":
    unittest.main()
