#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The commands in docs/hosts.md work as written, on a photograph and a video.

COF, COF_LIBRARY, COF_GEGL, COF_FREI0R, COF_VIPS_MODULE name what was built, VIPS_LIBDIR the folder that
libvips' modules are looked for in.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "hosts.md"
TIMEOUT = 120
# Messages of commands that exit with 0 although the filter failed.
FAILURE_WORDS = ("left as it is", "frei0r cof:", "cof-WARNING", "xecution error", "experienced")


def built(name):
    return os.path.abspath(os.environ[name])


def modules_of_libvips(home):
    version = subprocess.run(["vips", "--version"], capture_output=True, text=True,
                             check=True).stdout.split("-")[1]
    folder = pathlib.PurePath(os.environ["VIPS_LIBDIR"]).name
    return home / folder / f"vips-modules-{'.'.join(version.split('.')[:2])}"


def environment(home):
    """An environment as after installation, in a temporary home folder."""
    for path, name in ((home / "bin" / "cof", "COF"),
                       (home / "data" / "gegl-0.4" / "plug-ins" / "cof-filter.so", "COF_GEGL"),
                       (modules_of_libvips(home) / "vips-cof.so", "COF_VIPS_MODULE"),
                       (home / "frei0r-1" / "cof.so", "COF_FREI0R")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(built(name))
    return {**os.environ, "HOME": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "python"), "COF_LIBRARY": built("COF_LIBRARY"),
            "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "VIPSHOME": str(home), "FREI0R_PATH": str(home / "frei0r-1"),
            "MLT_FREI0R_PLUGIN_PATH": str(home / "frei0r-1"), "GEGL_USE_OPENCL": "no",
            "GST_REGISTRY": str(home / "registry.bin"), "LC_ALL": "C.UTF-8"}


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def commands():
    """Commands with their indented continuation lines."""
    return [command.strip() for block in blocks("sh")
            for command in re.findall(r"^\S.*\n(?:[ ]+.*\n)*", block, re.M)]


class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="cof-lines-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.environment = environment(cls.home)
        cls.work = cls.home / "work"
        cls.work.mkdir()
        photo = ROOT / "tests" / "data" / "photos" / "coffee.png"
        subprocess.run(["vips", "crop", photo, cls.work / "photo.png", "100", "60", "320", "240"],
                       check=True)
        subprocess.run(["ffmpeg", "-v", "error", "-loop", "1", "-i", cls.work / "photo.png", "-vf",
                        "zoompan=z='1.1+0.01*on':d=1:s=160x120:fps=25", "-frames:v", "12", "-pix_fmt",
                        "yuv420p", cls.work / "video.mp4"], check=True)

    def run_command(self, line):
        before = {path: path.stat().st_mtime_ns for path in self.work.iterdir()}
        done = subprocess.run(line, cwd=self.work, env=self.environment, capture_output=True,
                              text=True, errors="replace", timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, text)
        for complaint in FAILURE_WORDS:
            self.assertNotIn(complaint, text)
        return done.stdout, [path for path in self.work.iterdir()
                             if before.get(path) != path.stat().st_mtime_ns]

    def test_shell(self):
        found = commands()
        self.assertGreater(len(found), 15)
        for line in found:
            with self.subTest(line):
                printed, made = self.run_command(["sh", "-e", "-c", line])
                if "info" in line or "inspect" in line:
                    self.assertIn("indow", printed)
                else:
                    self.assertTrue(made and all(path.stat().st_size > 1000 for path in made), made)

    def test_python(self):
        found = blocks("python")
        self.assertGreater(len(found), 1)
        for text in found:
            with self.subTest(text):
                self.run_command(["/usr/bin/python3", "-W", "ignore", "-c", text])


if __name__ == "__main__":
    unittest.main()
