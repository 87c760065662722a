# SPDX-License-Identifier: BSD-2-Clause
"""The studio in Chromium: what a person does there, and what is on the screen."""
import base64
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/gallery"))

from browser import Browser, ELEMENT  # noqa: E402 (found by the line above)

DESKTOP, PHONE = (1440, 900), (390, 844)
TIMEOUT_S = 60
CONTROL, SHIFT = "\ue009", "\ue008"


class StudioPage(Browser):
    """A window with the studio. `flags` are those of Chromium, `script` runs before the page."""

    def __init__(self, size=DESKTOP, dark=False, flags=(), preferences=None, script=None):
        super().__init__(*size)
        self.dark, self.flags, self.script = dark, list(flags), script
        self.preferences = preferences or {}

    def __enter__(self):
        self.downloads = tempfile.TemporaryDirectory()
        super().__enter__()
        self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.downloads.name)
        if self.dark:
            self.cdp("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])
        if self.script:
            self.cdp("Page.addScriptToEvaluateOnNewDocument", source=self.script)
        return self

    def __exit__(self, *what):
        super().__exit__(*what)
        self.downloads.cleanup()

    def _wanted(self):
        wanted = super()._wanted()
        options = wanted["capabilities"]["alwaysMatch"]["goog:chromeOptions"]
        options["args"] += ["--force-device-scale-factor=1", *self.flags]
        options["prefs"] = self.preferences
        if self.size == DESKTOP:  # a mouse instead of a finger
            del options["mobileEmulation"]
            options["args"].append(f"--window-size={self.size[0]},{self.size[1]}")
        return wanted

    def cdp(self, command, **parameters):
        return self._call("POST", self.session + "/goog/cdp/execute",
                          {"cmd": command, "params": parameters})

    # What is there.

    def go(self, address, wait=True):
        self._call("POST", self.session + "/url", {"url": address})
        if self.size == DESKTOP:
            self.cdp("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1],
                     deviceScaleFactor=1, mobile=False)
        if wait:
            self.until("return document.body.dataset.state")

    def until(self, script, *arguments, timeout=TIMEOUT_S):
        """Waits until a script returns something true, and returns that."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            found = self.ask(script, *arguments)
            if found:
                return found
            time.sleep(0.05)
        raise TimeoutError(f"never true: {script}; messages: {self.messages()}")

    def settle(self, timeout=TIMEOUT_S):
        """Waits until nothing is being computed and the view is drawn."""
        self.until("return document.getElementById('stage').getAttribute('aria-busy') !== 'true'",
                   timeout=timeout)
        time.sleep(0.1)

    def text(self, selector):
        return self.ask("return document.querySelector(arguments[0]).textContent", selector)

    def messages(self):
        return self.ask("return [...document.querySelectorAll('.message p')]"
                        ".map((line) => line.textContent)")

    def screenshot(self, path):
        data = self._call("GET", self.session + "/screenshot")
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    # What a person does.

    def choose_files(self, *paths):
        element = self.find("#file-input")
        self._call("POST", f"{self.session}/element/{element}/value",
                   {"text": "\n".join(str(path) for path in paths)})

    def drop(self, name, data, kind="image/png"):
        self._transfer("drop", name, data, kind)

    def paste(self, name, data, kind="image/png"):
        self._transfer("paste", name, data, kind)

    def _transfer(self, event, name, data, kind):
        self.ask("""
            const [event, name, data, type] = arguments;
            const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
            const transfer = new DataTransfer();
            transfer.items.add(new File([bytes], name, { type }));
            const common = { bubbles: true, cancelable: true };
            const stage = document.getElementById('stage');
            if (event === 'paste') {
                stage.dispatchEvent(new ClipboardEvent('paste', { ...common,
                    clipboardData: transfer }));
            } else {
                for (const name of ['dragenter', 'dragover', 'drop'])
                    stage.dispatchEvent(new DragEvent(name, { ...common, dataTransfer: transfer }));
            }""", event, name, base64.b64encode(data).decode(), kind)

    def reveal(self, selector):
        self.ask("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })",
                 selector)

    def click(self, selector):
        self.reveal(selector)
        element = self.find(selector)
        self._call("POST", f"{self.session}/element/{element}/click", {})

    def tab(self, name):
        self.click(f"#tab-{name}")

    def preset(self, name):
        self.click(f"#presets label:has([value={name}])")
        self.settle()

    def type_value(self, option, text):
        """Types a number into the field of an option."""
        element = self.find(f"[data-option={option}]")
        self.ask("arguments[0].scrollIntoView({ block: 'center' }); arguments[0].select()",
                 {ELEMENT: element})
        self.press(element, f"{text}\ue007")
        self.settle()

    def box(self, selector):
        return self.ask("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [box.left, box.top, box.width, box.height]", selector)

    def drag(self, points, pointer="mouse"):
        """Moves a pressed pointer through points of the window."""
        moves = [{"type": "pointerMove", "duration": 0 if i == 0 else 30, "x": round(x),
                  "y": round(y)} for i, (x, y) in enumerate(points)]
        moves.insert(1, {"type": "pointerDown", "button": 0})
        moves.append({"type": "pointerUp", "button": 0})
        self._call("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": pointer, "parameters": {"pointerType": pointer},
             "actions": moves}]})

    def move(self, x, y):
        self._call("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
             "actions": [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}]}]})

    def wheel(self, x, y, delta):
        self._call("POST", self.session + "/actions", {"actions": [
            {"type": "wheel", "id": "wheel", "actions": [
                {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": delta,
                 "duration": 0}]}]})

    def pinch(self, x, y, before, after):
        """Moves two fingers apart, from one distance to another."""
        def finger(name, side):
            return {"type": "pointer", "id": name, "parameters": {"pointerType": "touch"},
                    "actions": [{"type": "pointerMove", "duration": 0, "y": round(y),
                                 "x": round(x + side * before / 2)},
                                {"type": "pointerDown", "button": 0},
                                {"type": "pointerMove", "duration": 200, "y": round(y),
                                 "x": round(x + side * after / 2)},
                                {"type": "pointerUp", "button": 0}]}
        self._call("POST", self.session + "/actions",
                   {"actions": [finger("left", -1), finger("right", 1)]})

    def keys(self, *keys):
        """Holds keys down one after the other, then lets them go."""
        actions = [{"type": "keyDown", "value": key} for key in keys]
        actions += [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self._call("POST", self.session + "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})

    def drag_slider(self, option, share):
        """Drags the handle of a slider to a share of its length."""
        selector = f"[data-slider={option}]"
        self.reveal(selector)
        left, top, width, height = self.box(selector)
        low, high, value = self.ask(
            "const range = document.querySelector(arguments[0]);"
            "return [range.min, range.max, range.value].map(Number)", selector)
        at = left + 8 + (width - 16) * (min(value, high) - low) / (high - low)
        y = top + height / 2
        self.drag([(at, y), (at + 5, y), (left + 8 + (width - 16) * share, y)])
        self.settle()

    def downloaded(self, name, timeout=TIMEOUT_S):
        """The path of a file that the page saves, once it is complete: until then, the browser keeps
        the name with an empty file."""
        path = pathlib.Path(self.downloads.name) / name
        end = time.monotonic() + timeout
        while not (path.exists() and path.stat().st_size > 0):
            if time.monotonic() > end:
                raise TimeoutError(f"{name} was not saved; messages: {self.messages()}")
            time.sleep(0.05)
        return path
