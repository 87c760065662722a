# SPDX-License-Identifier: BSD-2-Clause
"""Runs the commands of a figure and keeps their text: what is printed is what was run."""
import os
import pathlib
import shutil
import subprocess
import sys

import cv2
import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[1]
PHOTOS = ROOT / "tests/data/photos"
LIMIT_S = 120


class Missing(Exception):
    """Something that the gallery needs is not there; the message says what to do."""


class Failed(Exception):
    """A command of a figure did not end well."""


def found_command():
    command = os.environ.get("COF") or str(ROOT / "build/cli/cof")
    path = shutil.which(command)
    if path is None:
        raise Missing(f"the command cof is missing: {command}; run ./dev build, or set COF")
    return pathlib.Path(path).resolve()


def found_library():
    path = pathlib.Path(os.environ.get("COF_LIBRARY") or ROOT / "build/src/libcof.so").resolve()
    if not path.exists():
        raise Missing(f"the library is missing: {path}; run ./dev build, or set COF_LIBRARY")
    return path


def check_tools():
    """Says at the start what would fail in the middle."""
    found_command()
    found_library()
    if shutil.which("ffmpeg") is None:
        raise Missing("ffmpeg is missing: apt-get install ffmpeg")
    if not hasattr(cv2, "ximgproc"):
        raise Missing("this OpenCV has no ximgproc: apt-get install python3-opencv")


def environment(folder):
    """`cof` and `import cof` are those of this tree; one thread more or less changes no byte."""
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    link = tools / "cof"
    if not link.exists():
        link.symlink_to(found_command())
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
            "COF_LIBRARY": str(found_library()), "PYTHONPATH": str(ROOT / "python"),
            "PYTHONDONTWRITEBYTECODE": "1"}


class Bench:
    """A folder in which one figure is made; `steps` is what was run in it, as (language, text)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = environment(self.folder)
        self.steps = []

    def photo(self, name):
        """Puts a photograph of tests/data/photos here, and returns it."""
        shutil.copyfile(PHOTOS / name, self.folder / name)
        return self.picture(name)

    def put(self, name, picture):
        """Puts a picture here that was made from code."""
        if not cv2.imwrite(str(self.folder / name), picture):
            raise Failed(f"{name} could not be written")
        return picture

    def picture(self, name):
        """Reads what a command wrote: grey stays grey, colour is BGR."""
        if not (self.folder / name).exists():
            raise Failed(f"no command wrote {name}")
        # Not OpenCV, which prints a warning for each profile that it does not like.
        with Image.open(self.folder / name) as file:
            if file.mode in ("L", "1"):
                return np.asarray(file.convert("L"))
            return np.ascontiguousarray(np.asarray(file.convert("RGB"))[:, :, ::-1])

    def array(self, name):
        return np.load(self.folder / name)

    def shell(self, text):
        self._run("sh", ["/bin/sh", "-ec", text], text)

    def python(self, text):
        self._run("python", [sys.executable, "-c", text], text)

    def _run(self, language, arguments, text):
        done = subprocess.run(arguments, cwd=self.folder, env=self.environment, timeout=LIMIT_S,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Failed(f"this ended with {done.returncode}:\n{text}\n{done.stderr}")
        self.steps.append((language, text))
