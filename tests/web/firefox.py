# SPDX-License-Identifier: BSD-2-Clause
"""Firefox through Marionette, its own protocol, with nothing but the standard library."""
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

TIMEOUT_S = 60


def program():
    return shutil.which("firefox-esr") or shutil.which("firefox")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Firefox:
    """A window without a screen. Use it in a with statement."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        self.socket, port = None, free_port()
        (pathlib.Path(self.profile.name) / "user.js").write_text(
            f'user_pref("marionette.port", {port});\n'
            'user_pref("browser.download.useDownloadDir", true);\n')
        self.process = subprocess.Popen(
            [program(), "--headless", "--marionette", "--no-remote", "--profile",
             self.profile.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._connect(port)
            self.count = 0
            self._read()  # the greeting
            self.call("WebDriver:NewSession", capabilities={})
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _stop(self):
        if self.socket:
            self.socket.close()
        self.process.terminate()
        self.process.wait(timeout=20)
        self.profile.cleanup()

    def _connect(self, port):
        end = time.monotonic() + TIMEOUT_S
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def _read(self):
        """A message is its length, a colon, and JSON."""
        digits = b""
        while not digits.endswith(b":"):
            digits += self.socket.recv(1)
        left, data = int(digits[:-1]), b""
        while len(data) < left:
            data += self.socket.recv(left - len(data))
        return json.loads(data)

    def call(self, name, **parameters):
        self.count += 1
        data = json.dumps([0, self.count, name, parameters]).encode()
        self.socket.sendall(str(len(data)).encode() + b":" + data)
        _, _, error, result = self._read()
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return result

    def go(self, address):
        self.call("WebDriver:Navigate", url=address)

    def ask(self, script, *arguments):
        return self.call("WebDriver:ExecuteScript", script=script, args=list(arguments),
                         sandbox=None)["value"]

    def until(self, script, *arguments):
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            found = self.ask(script, *arguments)
            if found:
                return found
            time.sleep(0.1)
        raise TimeoutError(f"never true: {script}")
