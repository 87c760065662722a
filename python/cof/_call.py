# SPDX-License-Identifier: BSD-2-Clause
"""One call of the library: its options, progress, Ctrl-C and report."""
from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
from ctypes import byref
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from . import _library as c

# Pixels x side of the window x passes that take about a tenth of a second. A callback is called a
# few hundred times, for a millisecond in all.
LONG = 3e7

# Colours x bands for which fitting a palette takes as long.
MANY_VALUES = 1000


class Report:
    """What a call did. Pass it as `report` to a function; the call fills it in.

    Attributes
    ----------
    passes : int
        How many iterations were run.
    change : tuple of float
        The mean squared change of each pass, of the first 64 passes.
    seconds : dict
        The seconds spent in each stage.
    fast_terms, fast_cell : int
        The rank of the fast method and the side of a cell of its grid in pixels; 0 if the filter
        was exact.
    device : str
        The name of the context's device, or an empty text.
    device_stages : tuple of str
        The stages that ran on the device.
    device_note : str or None
        Why a stage that the device could have run was left to the CPU.

    Examples
    --------
    >>> import cof, numpy as np
    >>> report = cof.Report()
    >>> image = np.random.default_rng(0).integers(0, 256, (40, 50, 3), np.uint8)
    >>> smooth = cof.smooth(image, iterations=3, report=report)
    >>> report.passes, len(report.change), report.fast_terms
    (3, 3, 0)
    """

    def __init__(self) -> None:
        self._struct = c.ReportStruct(struct_size=ctypes.sizeof(c.ReportStruct))

    @property
    def passes(self) -> int:
        return int(self._struct.passes)

    @property
    def change(self) -> Tuple[float, ...]:
        return tuple(self._struct.change[:min(self.passes, len(self._struct.change))])

    @property
    def seconds(self) -> Dict[str, float]:
        return dict(zip(c.lib.stages, self._struct.seconds))

    @property
    def fast_terms(self) -> int:
        return int(self._struct.fast_terms)

    @property
    def fast_cell(self) -> int:
        return int(self._struct.fast_cell)

    @property
    def device(self) -> str:
        return bytes(self._struct.device).decode(errors="replace")

    @property
    def device_stages(self) -> Tuple[str, ...]:
        return tuple(stage for i, stage in enumerate(c.lib.stages)
                     if self._struct.device_stages >> i & 1)

    @property
    def device_note(self) -> Optional[str]:
        note = self._struct.device_note
        return note.decode() if note else None

    def __repr__(self) -> str:
        return (f"<cof.Report: {self.passes} passes, {sum(self.seconds.values()):.3f} s, "
                f"fast_terms {self.fast_terms}, fast_cell {self.fast_cell}>")


class Device(NamedTuple):
    """A device of OpenCL, such as a GPU. `type` is "cpu", "gpu" or "other", `memory` in bytes."""
    name: str
    platform: str
    type: str
    has_double: bool
    memory: int


def devices() -> List[Device]:
    """The devices that a Context can have. If there are none, Context(device="gpu") says why.

    Examples
    --------
    >>> import cof
    >>> names = ["opencl:" + device.name for device in cof.devices()]
    """
    found = []
    for i in range(c.lib.c.cof_device_count()):
        info = c.DeviceInfo()
        c.lib.call("cof_device_info", i, byref(info))
        found.append(Device(info.name.decode(errors="replace"),
                            info.platform.decode(errors="replace"),
                            ("cpu", "gpu", "other")[info.type], bool(info.has_double),
                            info.memory))
    return found


class Context:
    """Threads and memory that are kept between calls, for many calls on small images; and a device.

    One call at a time can use a context; a second one raises BusyError. Results are the same with
    and without a context. With a device, filtered samples may differ by 1. A context can be closed
    at any time: a call that uses it goes on, and a call that begins later raises ValueError.

    Parameters
    ----------
    threads : int, optional
        The number of threads; 0 or None: one per core.
    device : str, optional
        "gpu", "cpu" or "opencl:NAME", a device of OpenCL that runs what it can; see devices().
        Raises NotSupportedError if there is no such device.

    Examples
    --------
    >>> import cof, numpy as np
    >>> images = np.random.default_rng(0).integers(0, 256, (3, 40, 50), np.uint8)
    >>> with cof.Context(threads=2) as context:
    ...     smooth = [cof.smooth(image, context=context) for image in images]
    """

    def __init__(self, threads: Optional[int] = None, device: Optional[str] = None) -> None:
        handle = c.Owned(c.lib.c.cof_context_free)
        options = c.lib.new_options(threads=threads or 0)
        if device is None:
            c.lib.call("cof_context_new", byref(handle), options.threads)
        elif isinstance(device, str):
            c.lib.call("cof_context_new_device", byref(handle),
                       device.encode(errors="surrogateescape"), options.threads)
        else:
            raise TypeError(f"device must be a str such as 'gpu', not {type(device).__name__}")
        self._handle: Optional[c.Owned] = handle

    def close(self) -> None:
        """Ends the threads and frees the memory, or leaves that to the call that still uses them,
        such as the call whose progress callback this is, or one of another thread."""
        self._handle = None

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Call:
    """The options of one call, with everything that must live as long as the call.

    `size` is the height and width of the image that a preset is scaled to.
    """

    def __init__(self, options: Mapping[str, Any], size: Optional[Tuple[int, int]] = None) -> None:
        self.options = c.lib.new_options()
        self.problem = c.Problem()
        self.options.problem = ctypes.pointer(self.problem)
        self.error: Optional[BaseException] = None
        self.progress = options.get("progress")
        if options.get("preset") is not None:
            if size is None:
                raise TypeError("a preset needs an image")
            c.lib.set_preset(self.options, options["preset"], *size, options.get("size"))
        for name, option in c.lib.table.items():
            if not option.flags & c.NO_FIELD and options.get(name) is not None:
                c.lib.set_option(self.options, name, options[name])
        # A preset sets both factors, so another factor for learning is one for filtering too.
        given = {name for name, value in options.items() if value is not None}
        if {"preset", "downscale"} <= given and "filter_downscale" not in given:
            self.options.filter_downscale = self.options.downscale
        self._set_execution(options.get("context"), options.get("report"))

    def _set_execution(self, context: Optional[Context], report: Optional[Report]) -> None:
        for value, kind in ((context, Context), (report, Report)):
            if value is not None and not isinstance(value, kind):
                raise TypeError(f"{kind.__name__.lower()} must be a cof.{kind.__name__}, "
                                f"not {type(value).__name__}")
        self.context = context
        if report is not None:
            self.options.report = ctypes.pointer(report._struct)
        if self.progress is not None:
            self.options.progress = c.Progress(self._tell)

    def _tell(self, _: Any, done: float) -> int:
        """A callback that fails or returns something true cancels the call; so does Ctrl-C."""
        try:
            return 1 if self.error or self.progress and self.progress(done) else 0
        except BaseException as error:  # noqa: B902 - raised again by check()
            self.error = error
            return 1

    def __call__(self, function: str, *arguments: Any) -> None:
        """Calls a function whose last argument is the options; raises if it fails."""
        with self._holding_context(), self._interruptible():
            status = getattr(c.lib.c, function)(*arguments, byref(self.options))
        self.check(status)

    def may_take_long(self, pixels: int, bands: int = 3, selecting: bool = False) -> Call:
        """Calls that take a tenth of a second or more get a callback even if there is no progress,
        since Python can react to Ctrl-C only in a callback. Other threads never react to it."""
        o = self.options
        window, passes = o.filter_window or o.window, max(o.iterations, 1) * (1 + o.fidelity)
        if selecting:
            window, passes = o.spread_window, o.spread_iterations
        work = max(window, window * window / 15) * passes * o.palettes * max(bands / 3, 1)
        main = threading.current_thread() is threading.main_thread()
        long = pixels * work > LONG or o.colours * bands > MANY_VALUES
        if self.progress is None and main and long:
            o.progress = c.Progress(self._tell)
        return self

    def always_interruptible(self) -> Call:
        """For calls whose time is not known beforehand, and which report progress rarely."""
        return self.may_take_long(int(LONG) + 1)

    @contextlib.contextmanager
    def _holding_context(self) -> Iterator[None]:
        """Keeps the threads and the memory of the context, which may be closed meanwhile."""
        if self.context is None:
            yield
            return
        handle = self.context._handle
        if handle is None:
            raise ValueError("the context is closed")
        self.options.context = handle
        try:
            yield
        finally:
            handle = None  # tracebacks keep what local variables refer to

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Keeps Ctrl-C for the next callback, since an exception raised there would be lost."""
        default = signal.default_int_handler
        if (threading.current_thread() is not threading.main_thread()
                or signal.getsignal(signal.SIGINT) is not default):
            yield
            return

        def keep(number: int, frame: Any) -> None:
            self.error = KeyboardInterrupt()
        signal.signal(signal.SIGINT, keep)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, default)

    def check(self, status: int) -> None:
        error, self.error = self.error, None  # its traceback refers to this call
        if error is not None:
            raise error
        c.lib.check(status, self.problem)
