#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes a screenshot of cof:filter in GIMP 3, with its dialog and preview.

    gimp_screenshot.py OPERATION OUTPUT.png [all]

OPERATION is the module of GEGL; with `all`, the dialog shows all options. GIMP runs in a screen in
memory (Xvfb) and has a home of its own; it is led by keys and clicks (xdotool), each of which waits
for what it should bring about.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = ROOT / "tests" / "data" / "photos" / "coffee.png"
WIDTH, HEIGHT = 1000, 1100
PHOTO_WIDTH, PHOTO_HEIGHT = 628, 470
PATIENCE = 120

# A key for the filter, no side panels, nothing that asks or moves.
SETTINGS = {
    "gimprc": """(check-updates no)
(theme-color-scheme light)
(default-view (show-selection no) (show-layer-boundary no) (show-canvas-boundary no)
              (show-menubar yes) (show-rulers no) (show-scrollbars no) (show-statusbar yes))
""",
    "shortcutsrc": '(file-version 1)\n(action "filters-cof-filter" "<Primary><Shift>F9")\n',
    "sessionrc": f"""(session-info "toplevel"
    (factory-entry "gimp-single-image-window")
    (position 0 0)
    (size {PHOTO_WIDTH} {PHOTO_HEIGHT})
    (open-on-exit))
(hide-docks yes)
(single-window-mode yes)
(show-tabs no)
""",
}
# Places in the dialog, and how often Down goes from "subtle" to "texture".
PRESET, ALL_OPTIONS, TEXTURE = (180, 88), (14, 197), 1


def wait_for(what, check):
    """The first result of check() that is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = check()
        if result:
            return result
        time.sleep(0.2)
    sys.exit(f"waited in vain for {what}")


class Screen:
    """A virtual screen and its windows."""

    def __init__(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-wr", "-screen", "0", f"{WIDTH}x{HEIGHT}x24",
             "-nolisten", "tcp"], pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = ":" + pipe.readline().strip()
        self.environment = {**os.environ, "DISPLAY": self.name, "LC_ALL": "C.UTF-8",
                            "GEGL_USE_OPENCL": "no", "NO_AT_BRIDGE": "1"}
        self.environment.pop("GEGL_PATH", None)

    def close(self):
        self.server.terminate()
        self.server.wait()

    def run(self, *line):
        done = subprocess.run(line, env=self.environment, capture_output=True, timeout=PATIENCE)
        return done.stdout

    def do(self, *words):
        return self.run("xdotool", *map(str, words)).decode()

    def window(self, name):
        found = self.do("search", "--onlyvisible", "--name", name).split()
        return found[-1] if found else None

    def click(self, window, x, y):
        self.do("mousemove", "--window", window, x, y, "click", 1)
        self.settle()

    def pixels(self, height=HEIGHT):
        return self.run("import", "-window", "root", "-crop", f"{WIDTH}x{height}+0+0", "-depth", "8",
                        "rgb:-")

    def settle(self):
        """Until nothing moves."""
        def check():
            before = self.pixels()
            time.sleep(2)
            return before == self.pixels()
        wait_for("still pixels", check)

    def save(self, path, height):
        """256 colours are enough for a dialog and a photograph, and take a third of the bytes."""
        pixels = self.pixels(height)
        subprocess.run(["convert", "-size", f"{WIDTH}x{height}", "-depth", "8", "rgb:-", "-dither",
                        "FloydSteinberg", "-colors", "256", f"png8:{path}"], input=pixels, check=True)


def make_home(home, operation):
    plug_ins = home / "data" / "gegl-0.4" / "plug-ins"
    plug_ins.mkdir(parents=True)
    (plug_ins / "cof-filter.so").symlink_to(operation)
    (home / "gimp").mkdir()
    for name, text in SETTINGS.items():
        (home / "gimp" / name).write_text(text)
    return {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"), "XDG_CACHE_HOME": str(home / "cache"),
            "GIMP3_DIRECTORY": str(home / "gimp")}


def size_of(screen, window):
    words = dict(line.split("=") for line in
                 screen.do("getwindowgeometry", "--shell", window).split())
    return int(words["WIDTH"]), int(words["HEIGHT"])


def lead(screen, with_all):
    """From GIMP's start to the preview; the height of what is to be seen."""
    screen.do("windowfocus", wait_for("the welcome", lambda: screen.window("Welcome")), "key", "Escape")
    photo = wait_for("the image", lambda: screen.window(r"coffee.*GIMP"))
    screen.settle()
    screen.do("windowmove", photo, 0, 0, "windowsize", photo, PHOTO_WIDTH, PHOTO_HEIGHT)
    screen.do("windowfocus", photo, "mousemove", 50, PHOTO_HEIGHT - 50, "key", "ctrl+shift+F9")
    dialog = wait_for("the dialog", lambda: screen.window("Co-occurrence Filter"))
    screen.settle()
    screen.do("windowmove", dialog, WIDTH - size_of(screen, dialog)[0], 0)
    screen.click(dialog, *PRESET)
    screen.do("key", *["Down"] * TEXTURE, "Return")
    screen.settle()
    if with_all:
        screen.click(dialog, *ALL_OPTIONS)
    width, height = size_of(screen, dialog)
    # The box "Split view": the preview beside the image as it was.
    screen.click(dialog, width - 102, height - 58)
    screen.do("mousemove", 50, PHOTO_HEIGHT - 5)
    screen.settle()
    return max(height, PHOTO_HEIGHT)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    operation, output = sys.argv[1:3]
    for tool in ("gimp", "Xvfb", "xdotool", "import", "convert"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is needed")
    screen = Screen()
    try:
        with tempfile.TemporaryDirectory(prefix="cof-screenshot-") as folder:
            environment = {**screen.environment, **make_home(pathlib.Path(folder),
                                                             os.path.abspath(operation))}
            gimp = subprocess.Popen(["gimp", "--new-instance", "--no-splash", PHOTO], env=environment,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                screen.save(output, lead(screen, len(sys.argv) == 4))
            finally:
                gimp.terminate()
                gimp.wait()
    finally:
        screen.close()


if __name__ == "__main__":
    main()
