#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes a screenshot of cof:filter in GIMP 2.10, with its dialog and preview.

    gimp_screenshot.py OPERATION OUTPUT.png

OPERATION is the module of GEGL. GIMP runs in a screen in memory (Xvfb) and has a home of its own; it
is led by keys and clicks (xdotool), each of which waits for what it should bring about.
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
WIDTH, HEIGHT = 1200, 800
PHOTO_WIDTH = 720
PATIENCE = 60

# A key for Tools > GEGL Operation, no side panels, nothing that asks or moves.
SETTINGS = {
    "gimprc": """(theme "Light")
(icon-theme "Color")
(icon-size medium)
(check-updates no)
(show-tooltips no)
(default-view (show-selection no) (show-layer-boundary no) (show-canvas-boundary no)
              (show-menubar yes) (show-rulers no) (show-scrollbars no) (show-statusbar yes))
""",
    "menurc": '(gtk_accel_path "<Actions>/tools/tools-gegl" "<Primary><Shift>F9")\n',
    "sessionrc": f"""(session-info "toplevel"
    (factory-entry "gimp-single-image-window")
    (position 0 0)
    (size {WIDTH} {HEIGHT})
    (open-on-exit))
(hide-docks yes)
(single-window-mode yes)
(show-tabs no)
""",
}


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
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten",
             "tcp"], pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            self.name = ":" + pipe.readline().strip()
        self.environment = {**os.environ, "DISPLAY": self.name, "LC_ALL": "C.UTF-8",
                            "GEGL_USE_OPENCL": "no", "NO_AT_BRIDGE": "1",
                            "G_MESSAGES_DEBUG": "cof"}
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

    def pixels(self, x, y, width, height):
        return self.run("import", "-window", "root", "-crop", f"{width}x{height}+{x}+{y}", "-depth",
                        "8", "rgb:-")

    def settled(self, *place, unlike=None):
        """The pixels of a place, once they are others than these and change no more."""
        def check():
            before = self.pixels(*place)
            time.sleep(1)
            return before if before != unlike and before == self.pixels(*place) else None
        return wait_for(f"still pixels at {place}", check)

    def save(self, path, height):
        """256 colours are enough for a dialog and a photograph, and take a third of the bytes."""
        pixels = self.pixels(0, 0, WIDTH, height)
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
            "GIMP2_DIRECTORY": str(home / "gimp")}


def size_of(screen, window):
    words = dict(line.split("=") for line in
                 screen.do("getwindowgeometry", "--shell", window).split())
    return int(words["WIDTH"]), int(words["HEIGHT"])


def learned(log):
    """How often the operation has learned, from its debug messages."""
    return log.read_text(errors="replace").count("learns from")


def choose_operation(screen, dialog, log):
    """Goes down the list, which is long and GIMP's, until ours answers; it may do so late, so goes
    back until it does so again."""
    screen.do("windowfocus", dialog, "mousemove", "--window", dialog, 190, 61, "click", 1)
    screen.settled(0, 0, WIDTH, HEIGHT)
    screen.do("key", "Home", "key", "Return")
    for _ in range(300):
        screen.do("key", "Down")
        time.sleep(1.5)
        if learned(log):
            break
    screen.do("key", "Down")
    screen.settled(0, 0, WIDTH, HEIGHT)
    before = learned(log)
    for _ in range(9):
        screen.do("key", "Up")
        screen.settled(0, 0, WIDTH, HEIGHT)
        if learned(log) > before:
            return
    sys.exit("the operation is not in the list")


def arrange(screen, photo, dialog):
    """The image at the left, the dialog at the right, both of one height."""
    width, height = size_of(screen, dialog)
    screen.do("windowmove", dialog, WIDTH - width, 0)
    screen.do("windowsize", photo, WIDTH - width, height)
    # The box "Split view": the preview beside the image as it was.
    screen.do("mousemove", "--window", dialog, width - 86, height - 69, "click", 1)
    screen.do("mousemove", WIDTH // 2, HEIGHT - 1)
    screen.settled(0, 0, WIDTH, HEIGHT)
    return height


def lead(screen, log):
    """From GIMP's start to the preview; the height of what is to be seen."""
    photo = wait_for("the image", lambda: screen.window(r"coffee.*GIMP"))
    screen.do("windowmove", photo, 0, 0, "windowsize", photo, PHOTO_WIDTH, HEIGHT)
    screen.do("windowfocus", photo, "mousemove", PHOTO_WIDTH // 2, HEIGHT - 100)
    place = (0, 0, PHOTO_WIDTH, HEIGHT)
    screen.settled(*place)
    screen.do("key", "ctrl+shift+F9")
    dialog = wait_for("the dialog", lambda: screen.window("GEGL Operation"))
    screen.do("windowmove", dialog, PHOTO_WIDTH, 0)
    before = screen.settled(*place)
    choose_operation(screen, dialog, log)
    screen.settled(*place, unlike=before)
    return arrange(screen, photo, dialog)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    operation, output = sys.argv[1:]
    for tool in ("gimp-2.10", "Xvfb", "xdotool", "import", "convert"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is needed")
    screen = Screen()
    try:
        with tempfile.TemporaryDirectory(prefix="cof-screenshot-") as folder:
            environment = {**screen.environment, **make_home(pathlib.Path(folder),
                                                             os.path.abspath(operation))}
            log = pathlib.Path(folder) / "log"
            with log.open("wb") as file:
                gimp = subprocess.Popen(["gimp-2.10", "--new-instance", "--no-splash", PHOTO],
                                        env=environment, stdout=file, stderr=file)
            try:
                screen.save(output, lead(screen, log))
            finally:
                gimp.terminate()
                gimp.wait()
    finally:
        screen.close()


if __name__ == "__main__":
    main()
