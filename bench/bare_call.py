# SPDX-License-Identifier: BSD-2-Clause
"""cof_smooth() through the bindings of the Python package, with structs that are prepared once, so
that only the library is timed.

Importing this module makes `import cof` find the package and the library of this source tree.
"""
import ctypes
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
sys.path.insert(0, str(ROOT / "python"))
from cof._arrays import View  # noqa: E402
from cof._library import Library, Problem, ReportStruct  # noqa: E402


def new_context(library, threads):
    """Threads and memory that are kept between calls, as OpenCV keeps its own."""
    context = ctypes.c_void_p()
    library.call("cof_context_new", ctypes.byref(context), threads)
    return context


class Calls:
    """Calls of a library with the same options."""

    def __init__(self, library, context=None, **options):
        self.library, self.problem = library, Problem()
        self.options = library.new_options(**options)
        self.options.context = context
        self.options.problem = ctypes.pointer(self.problem)

    def __call__(self, function, *arguments):
        status = getattr(self.library.c, function)(*arguments, ctypes.byref(self.options))
        self.library.check(status, self.problem)


class BareCall:
    """Filters one array into another."""

    def __init__(self, library, source, target, context=None, **options):
        self.calls = Calls(library, context, **options)
        self.pointers = View(source).pointer, View(target).pointer

    def __call__(self):
        self.calls("cof_smooth", *self.pointers)

    def report(self):
        """What is reported of one run: the seconds of each stage, and the terms and the cells of
        the fast method. A report takes a little time of its own."""
        report = ReportStruct(struct_size=ctypes.sizeof(ReportStruct))
        self.calls.options.report = ctypes.pointer(report)
        try:
            self()
        finally:
            self.calls.options.report = None
        return {"stages": dict(zip(self.calls.library.stages, report.seconds)), "fast_terms": report.fast_terms,
                "fast_cell": report.fast_cell}
