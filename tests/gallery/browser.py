# SPDX-License-Identifier: BSD-2-Clause
"""Chromium through chromedriver, with nothing but the standard library."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that WebDriver gives elements
ARROW_LEFT, ARROW_RIGHT, HOME = "\ue012", "\ue014", "\ue011"
# WebDriver's names for what a page or a test cannot cause: the browser crashed or lost its window.
NOT_THE_PAGE = ("unknown error", "tab crashed", "disconnected", "invalid session id",
                "no such window", "session not created")


class BrowserDied(RuntimeError):
    """The browser itself failed, whatever the page does."""


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which(
        "google-chrome")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    """A window of a given size. Use it in a with statement."""

    def __init__(self, width, height):
        self.size, self.base = (width, height), f"http://127.0.0.1:{free_port()}"

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=" + self.base.rsplit(":", 1)[1]], env=dict(os.environ),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._wait()
            self.session = "/session/" + self._call("POST", "/session", self._wanted())["sessionId"]
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        except BrowserDied:
            pass  # nothing is left to close
        finally:
            self._stop()

    def _stop(self):
        self.driver.terminate()
        self.driver.wait(timeout=20)
        self.profile.cleanup()

    def _wanted(self):
        width, height = self.size
        options = {"binary": chromium(),
                   # A page that still scrolls moves under the finger: it shall scroll at once.
                   "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--force-prefers-reduced-motion",
                            f"--user-data-dir={self.profile.name}"],
                   # A window cannot be as narrow as a telephone; an emulated device can.
                   "mobileEmulation": {"deviceMetrics": {"width": width, "height": height,
                                                         "pixelRatio": 1}}}
        return {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options,
                                                 "goog:loggingPrefs": {"browser": "ALL"}}}}

    def _wait(self):
        for _ in range(100):
            try:
                return self._call("GET", "/status")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise TimeoutError("chromedriver does not answer")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:  # WebDriver explains it in the body
            said = json.load(error)["value"]
            kind = BrowserDied if said["error"] in NOT_THE_PAGE else RuntimeError
            raise kind(f"{method} {path}: {said['error']}: {said['message']}") from error

    def open(self, path):
        self._call("POST", self.session + "/url", {"url": path.resolve().as_uri()})

    def ask(self, script, *arguments):
        """What a script returns."""
        return self._call("POST", self.session + "/execute/sync",
                          {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self._call("POST", self.session + "/element",
                          {"using": "css selector", "value": selector})[ELEMENT]

    def press(self, element, keys):
        """Sends keys to an element, which gets the focus by that."""
        self._call("POST", f"{self.session}/element/{element}/value", {"text": keys})

    def touch(self, element, right):
        """Taps an element, so many pixels right of its middle."""
        moves = [{"type": "pointerMove", "duration": 0, "x": right, "y": 0,
                  "origin": {ELEMENT: element}},
                 {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._call("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"},
             "actions": moves}]})

    def problems(self):
        """Errors and warnings of the console."""
        lines = self._call("POST", self.session + "/se/log", {"type": "browser"})
        return [line["message"] for line in lines if line["level"] in ("SEVERE", "WARNING")]
