# SPDX-License-Identifier: BSD-2-Clause
"""libcof for Python, as far as the benchmark needs it: the structs of cof.h and cof_smooth()."""
import ctypes

METHOD_EXACT, METHOD_FAST = 0, 1
STAGES = ("colour", "palette", "labels", "count", "model", "filter", "back")
SAMPLES = {"uint8": 0, "uint16": 1, "float32": 2}
GREY, RGB = 0, 2
DEFAULT_ACCURACY = 45.0  # dB; what a library that knows the field fills in


class CofImage(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("channels", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("stride", ctypes.c_ssize_t),
        ("step", ctypes.c_ssize_t),
        ("plane", ctypes.c_ssize_t),
        ("x", ctypes.c_int),
        ("y", ctypes.c_int),
        ("full_width", ctypes.c_int),
        ("full_height", ctypes.c_int),
        ("valid", ctypes.c_void_p),
        ("valid_stride", ctypes.c_ssize_t),
        ("reserved", ctypes.c_uint64 * 2),
    ]


class CofReport(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("passes", ctypes.c_int),
        ("change", ctypes.c_double * 64),
        ("seconds", ctypes.c_double * 16),
        ("problem", ctypes.c_char_p),
        # Left zero by a library without the fast method.
        ("ranks", ctypes.c_int),
        ("step", ctypes.c_int),
    ]


class CofOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("preset", ctypes.c_int),
        ("colours", ctypes.c_int),
        ("levels", ctypes.c_int),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("window", ctypes.c_int),
        ("sampling", ctypes.c_int),
        ("seed", ctypes.c_uint64),
        ("sigma", ctypes.c_double),
        ("softness", ctypes.c_double),
        ("normalise", ctypes.c_int),
        ("filter_window", ctypes.c_int),
        ("filter_sigma", ctypes.c_double),
        ("border", ctypes.c_int),
        ("space", ctypes.c_int),
        ("iterations", ctypes.c_int),
        ("repeat", ctypes.c_int),
        ("until", ctypes.c_double),
        ("threads", ctypes.c_int),
        ("work", ctypes.c_void_p),
        ("report", ctypes.POINTER(CofReport)),
        ("progress", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
        # An older library leaves these zero, and refuses them if they are not.
        ("method", ctypes.c_int),
        ("accuracy", ctypes.c_double),
    ]


def view(array):
    """A CofImage of a packed numpy array, grey or RGB, which must outlive it."""
    if not array.flags.c_contiguous:
        raise ValueError("the array must be packed")
    height, width = array.shape[:2]
    channels = 1 if array.ndim == 2 else array.shape[2]
    return CofImage(data=array.ctypes.data, width=width, height=height, channels=channels,
                    kind=GREY if channels == 1 else RGB, sample=SAMPLES[array.dtype.name])


class Library:
    """One libcof.so."""

    def __init__(self, path):
        lib = ctypes.CDLL(str(path))
        lib.cof_options_init_sized.argtypes = [ctypes.POINTER(CofOptions), ctypes.c_uint32]
        lib.cof_options_init_sized.restype = None
        lib.cof_smooth.argtypes = [ctypes.POINTER(CofImage), ctypes.POINTER(CofImage),
                                   ctypes.POINTER(CofOptions)]
        lib.cof_status_string.restype = ctypes.c_char_p
        lib.cof_version.restype = ctypes.c_uint32
        lib.cof_work_new.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int]
        lib.cof_work_free.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
        lib.cof_work_free.restype = None
        self._lib = lib

    def version(self):
        number = self._lib.cof_version()
        return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"

    def options(self, **fields):
        """The defaults, and what is given by name."""
        options = CofOptions()
        self._lib.cof_options_init_sized(options, ctypes.sizeof(options))
        for name, value in fields.items():
            setattr(options, name, value)
        return options

    def knows_fast(self):
        return self.options().accuracy == DEFAULT_ACCURACY

    def smooth(self, source, target, options, report=None):
        """Filters one array into another."""
        options.report = report and ctypes.pointer(report)
        status = self._lib.cof_smooth(view(source), view(target), options)
        if status != 0:
            why = report and report.problem or self._lib.cof_status_string(status)
            raise RuntimeError(f"cof_smooth: {why.decode()}")

    def report(self, source, target, options):
        """What is reported of one run: the seconds of each stage, and the terms and the step of
        the fast method. To report takes a little time of its own."""
        report = CofReport(struct_size=ctypes.sizeof(CofReport))
        self.smooth(source, target, options, report)
        return {"stages": dict(zip(STAGES, report.seconds)), "ranks": report.ranks,
                "step": report.step}

    def work(self, threads):
        """Threads and memory kept between calls, as OpenCV keeps its own."""
        work = ctypes.c_void_p()
        if self._lib.cof_work_new(work, threads) != 0:
            raise MemoryError("cof_work_new")
        return work

    def free(self, work):
        self._lib.cof_work_free(work)
