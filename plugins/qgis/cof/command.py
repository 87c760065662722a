# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the command cof with progress, cancelling and a log."""
import os
import re
import shutil
import subprocess
import threading

from qgis.core import QgsProcessingException

SETTING = "COF_COMMAND"
POLL_S = 0.1
# What the command writes to a terminal: a bar that ends with a percentage, and codes that erase it.
PERCENT = re.compile(r"(\d+) %")
CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def command():
    """The path of the command: that of the settings, of the variable COF, or of PATH."""
    from processing.core.ProcessingConfig import ProcessingConfig
    named = ProcessingConfig.getSetting(SETTING) or os.environ.get("COF") or "cof"
    found = shutil.which(named)
    if found is None:
        raise QgsProcessingException(
            f"The command cof was not found ({named}). Install libcof, or set the path of the "
            "command in Settings, Options, Processing, Providers, Co-occurrence Filter.")
    return found


class _Messages:
    """Standard error of the command: a terminal where there is one, because only then the command
    shows its progress."""

    def __init__(self, feedback):
        self.feedback, self.lines = feedback, []
        try:
            import pty
            self.reading, self.writing = pty.openpty()
        except (ImportError, OSError):
            self.reading, self.writing = os.pipe()

    def read(self):
        """Until the command has ended."""
        rest = ""
        while True:
            try:
                data = os.read(self.reading, 4096)
            except OSError:  # so ends a terminal
                data = b""
            if not data:
                break
            *parts, rest = re.split(r"[\r\n]", rest + data.decode(errors="replace"))
            for part in parts:
                self._line(part)
            self._show_percent(rest)
        self._line(rest)
        os.close(self.reading)

    def _show_percent(self, text):
        found = PERCENT.findall(text)
        if found:
            self.feedback.setProgress(int(found[-1]))

    def _line(self, text):
        text = CODES.sub("", text).strip()
        if PERCENT.search(text) and "[" in text:
            self._show_percent(text)
        elif text:
            self.lines.append(text)
            self.feedback.pushInfo(text)


def run(arguments, feedback):
    """Runs the command. A failure is QGIS' own exception, with the line that the command prints."""
    line = [command(), *arguments]
    feedback.pushCommandInfo(" ".join(line))
    messages = _Messages(feedback)
    try:
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=messages.writing)
    except OSError as error:
        os.close(messages.reading)
        raise QgsProcessingException(f"{line[0]}: {error.strerror}") from None
    finally:
        os.close(messages.writing)
    reader = threading.Thread(target=messages.read)
    reader.start()
    status = _wait(process, feedback)
    reader.join()
    if feedback.isCanceled():
        return
    if status != 0:
        raise QgsProcessingException(messages.lines[-1] if messages.lines
                                     else f"The command cof failed (status {status}).")


def _wait(process, feedback):
    while True:
        try:
            return process.wait(POLL_S)
        except subprocess.TimeoutExpired:
            if feedback.isCanceled():
                process.terminate()
                return process.wait()
