# SPDX-License-Identifier: BSD-2-Clause
"""libcof through ctypes: its structs, its functions, its errors."""
from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import signal
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_ssize_t, c_uint32, c_uint64
from ctypes import c_void_p
from typing import Any, Callable, Iterator, Mapping, Optional

# The name of the library of the system, with the version of its interface.
SONAME = "libcof.so.0"

PRESETS = {"paper": 0, "authors": 1, "app": 2}
LOOKS = {"subtle": 0, "texture": 1, "cartoon": 2}
METHODS = {"exact": 0, "fast": 1, "auto": 2}
MODES = {"clip": 0, "mirror": 1, "reflect101": 2}
SPACES = {"lab": 0, "rgb": 1}
REPEATS = {"frozen": 0, "relabel": 1, "rolling": 2}
NORMALISATIONS = {"counts": 0, "marginals": 1}
EVIDENCES = {"pairs": 0, "chance": 1}

GREY, GREY_ALPHA, RGB, RGBA, BANDS = range(5)
CHANNEL_KINDS = {"grey": GREY, "grey-alpha": GREY_ALPHA, "rgb": RGB, "rgba": RGBA, "bands": BANDS}
U8, U16, F32 = range(3)

MISMATCH = -6

# Pixels x side of the window x passes that take about a second.
LONG = 3e8

# What is told how much is done, 0..1, and may stop the call by returning something true.
Tell = Callable[[float], Any]
Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)


class FormatError(ValueError):
    """Bytes that are no model or statistics of libcof, or damaged ones."""


class Cancelled(RuntimeError):
    """The progress callback asked to stop."""


class Rect(ctypes.Structure):
    _fields_ = [(name, c_int) for name in ("x", "y", "width", "height")]


class Image(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("width", c_int), ("height", c_int), ("channels", c_int),
                ("kind", c_int), ("sample", c_int), ("stride", c_ssize_t), ("step", c_ssize_t),
                ("plane", c_ssize_t), ("x", c_int), ("y", c_int), ("full_width", c_int),
                ("full_height", c_int), ("valid", c_void_p), ("valid_stride", c_ssize_t),
                ("reserved", c_uint64 * 2)]


class Where(ctypes.Structure):
    _fields_ = [("region", Rect), ("mask", POINTER(Image)), ("part", Rect),
                ("reserved", c_uint64 * 2)]


class Report(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("passes", c_int), ("change", c_double * 64),
                ("seconds", c_double * 16), ("problem", c_char_p), ("ranks", c_int),
                ("step", c_int)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("preset", c_int), ("colours", c_int),
                ("levels", c_int), ("low", c_double), ("high", c_double), ("window", c_int),
                ("sampling", c_int), ("seed", c_uint64), ("sigma", c_double),
                ("softness", c_double), ("normalise", c_int), ("filter_window", c_int),
                ("filter_sigma", c_double), ("border", c_int), ("space", c_int),
                ("iterations", c_int), ("repeat", c_int), ("until", c_double),
                ("threads", c_int), ("work", c_void_p), ("report", POINTER(Report)),
                ("progress", Progress), ("user", c_void_p), ("method", c_int),
                ("accuracy", c_double), ("evidence", c_int), ("coarse", c_int)]


# What older libraries do not have.
_NEWEST = "cof_options_look"


def _candidates() -> Iterator[str]:
    """Where the library may be: named, inside the package, of the system."""
    if "COF_LIBRARY" in os.environ:
        yield os.environ["COF_LIBRARY"]
        return
    here = pathlib.Path(__file__).parent
    yield from sorted(map(str, here.glob("libcof.so*")))
    yield SONAME


def _load() -> ctypes.CDLL:
    problems = []
    for name in _candidates():
        try:
            found = ctypes.CDLL(name)
        except OSError as problem:
            problems.append(str(problem))
            continue
        if hasattr(found, _NEWEST):
            return found
        problems.append(f"{name} is too old")
    raise ImportError("libcof is not installed: " + "; ".join(problems))


lib = _load()
lib.cof_options_init_sized.restype = None
lib.cof_options_preset.restype = None
lib.cof_options_look.restype = None
lib.cof_status_string.restype = c_char_p
lib.cof_version.restype = c_uint32
for _name in ("cof_stats_free", "cof_model_free", "cof_work_free", "cof_free", "cof_stats_options",
              "cof_model_options"):
    getattr(lib, _name).restype = None
lib.cof_free.argtypes = [c_void_p]
for _name, _result in (("size", c_int), ("palette", POINTER(ctypes.c_float)),
                       ("histogram", POINTER(c_uint64)), ("rate", c_int), ("kind", c_int),
                       ("count", c_uint64)):
    getattr(lib, f"cof_stats_{_name}").restype = _result
for _name, _result in (("size", c_int), ("palette", POINTER(ctypes.c_float)),
                       ("matrix", POINTER(c_double)), ("frequencies", POINTER(c_double)),
                       ("window", c_int), ("sigma", c_double), ("kind", c_int)):
    getattr(lib, f"cof_model_{_name}").restype = _result


def version() -> str:
    """Of the library, such as '0.1.0'."""
    number = lib.cof_version()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"


# CofStatus, as exceptions.
_EXPLAINED = (-1, -2, MISMATCH, -7)
_ERRORS = {-3: MemoryError, -4: FormatError, -5: FormatError, -8: NotImplementedError,
           -9: Cancelled, -10: RuntimeError}


def put(struct: ctypes.Structure, name: str, value: Any) -> None:
    """Sets a field. ctypes would cut whole numbers that do not fit."""
    setattr(struct, name, value)
    if isinstance(getattr(struct, name), int) and getattr(struct, name) != value:
        raise ValueError(f"{name} is out of range: {value}")


class Call:
    """The options of one call, with all that must live as long as it does."""

    def __init__(self, progress: Optional[Tell] = None, n_threads: Optional[int] = None,
                 **fields: Any) -> None:
        self.options = Options()
        self.report = Report(struct_size=ctypes.sizeof(Report))
        self.error: Optional[BaseException] = None
        lib.cof_options_init_sized(byref(self.options), ctypes.sizeof(Options))
        preset = fields.pop("preset", None)
        if preset is not None:
            lib.cof_options_preset(byref(self.options), preset)
        for name, value in fields.items():
            if value is not None:
                put(self.options, name, value)
        put(self.options, "threads", n_threads or 0)
        self.progress = progress
        if progress is not None:
            self.options.progress = Progress(self._tell)

    def _tell(self, _: Any, done: float) -> int:
        """A callback that fails, or returns something true, cancels the call, and so does Ctrl-C."""
        try:
            return 1 if self.error or self.progress and self.progress(done) else 0
        except BaseException as error:  # noqa: B902 - it goes on in check()
            self.error = error
            return 1

    def __call__(self, function: str, *arguments: Any) -> None:
        """Calls it with the options behind the arguments; raises what it fails with.

        A call that fails has changed nothing, and can be made again to be told why. A report from
        the start would measure each pass, which takes a hundredth of the time.
        """
        with self._interruptible():
            status = getattr(lib, function)(*arguments, byref(self.options))
            if status in _EXPLAINED:
                self.options.report = ctypes.pointer(self.report)
                status = getattr(lib, function)(*arguments, byref(self.options))
        self.check(status)

    def may_take_long(self, pixels: int) -> Call:
        """Some seconds: then there is a callback even if nobody asked for one, in which Python sees
        Ctrl-C."""
        side = self.options.filter_window or self.options.window
        if self.progress is None and pixels * side * self.options.iterations > LONG:
            self.options.progress = Progress(self._tell)
        return self

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Ctrl-C is kept for the next callback, as one that raises there would be lost."""
        usual = signal.default_int_handler
        if (threading.current_thread() is not threading.main_thread()
                or signal.getsignal(signal.SIGINT) is not usual):
            yield
            return

        def keep(number: int, frame: Any) -> None:
            self.error = KeyboardInterrupt()
        signal.signal(signal.SIGINT, keep)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, usual)

    def check(self, status: int) -> None:
        error, self.error = self.error, None  # whose frames know this call
        if error is not None:
            raise error
        if status != 0:
            text = self.report.problem or lib.cof_status_string(status)
            raise _ERRORS.get(status, ValueError)(text.decode())


def check(status: int) -> None:
    """Of functions without options."""
    if status != 0:
        raise _ERRORS.get(status, ValueError)(lib.cof_status_string(status).decode())


def choice(name: str, value: str, table: Mapping[str, int]) -> int:
    if value not in table:
        raise ValueError(f"{name} must be one of {', '.join(table)}, not {value!r}")
    return table[value]
