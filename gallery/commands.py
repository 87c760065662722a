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
    """A required tool is missing; the message says how to install it."""


class Failed(Exception):
    """A command of a figure failed."""


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
    """Checks at the start that all tools exist."""
    found_command()
    found_library()
    if shutil.which("ffmpeg") is None:
        raise Missing("ffmpeg is missing: apt-get install ffmpeg")
    if not hasattr(cv2, "ximgproc"):
        raise Missing("this OpenCV has no ximgproc: apt-get install python3-opencv")


def environment(folder):
    """An environment in which `cof` and `import cof` are those of this source tree."""
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    link = tools / "cof"
    if not link.exists():
        link.symlink_to(found_command())
    return {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
            "COF_LIBRARY": str(found_library()), "PYTHONPATH": str(ROOT / "python"),
            "PYTHONDONTWRITEBYTECODE": "1"}


class WorkFolder:
    """A folder in which one figure is made; `steps` is what was run in it, as (language, text)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = environment(self.folder)
        self.steps = []

    def photo(self, name):
        """Copies a photograph of tests/data/photos into the folder, and returns it."""
        shutil.copyfile(PHOTOS / name, self.folder / name)
        return self.image(name)

    def put(self, name, image):
        """Writes a generated image into the folder."""
        if not cv2.imwrite(str(self.folder / name), image):
            raise Failed(f"{name} could not be written")
        return image

    def image(self, name):
        """Reads an image that a command wrote: grey or BGR."""
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
