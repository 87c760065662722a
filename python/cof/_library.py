# SPDX-License-Identifier: BSD-2-Clause
"""libcof through ctypes: its structs, functions, options and errors."""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_float, c_int, c_size_t
from ctypes import c_ssize_t, c_uint, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Tuple, Type

# The file name of a library that the system has, with the version of its interface.
SONAME = "libcof.so.1"
# Windows and macOS: the library inside the package, and that of the system.
_NAMES = {"win32": ("libcof*.dll", "libcof-{}.dll"), "darwin": ("libcof*.dylib", "libcof.{}.dylib")}

GREY, GREY_ALPHA, RGB, RGBA, BANDS = range(5)
U8, U16, F32 = range(3)
FILE_STATS, FILE_MODEL, FILE_PAIR = 1, 2, 3

# CofStatus
ERR_MEMORY, ERR_FORMAT, ERR_VERSION, ERR_MISMATCH, ERR_EMPTY = -3, -4, -5, -6, -7
ERR_UNSUPPORTED, ERR_CANCELLED, ERR_BUSY = -8, -9, -10

# CofOptionType, CofOptionGroup and the flags of options
INT, UINT64, DOUBLE, CHOICE = range(4)
GENERAL, LEARN, MODEL, FILTER, SELECT, RUN = range(6)
ODD, AUTO, SET_BY_PRESET, SET_BY_VARIANT, NO_FIELD = 1, 2, 4, 8, 16

Progress = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)


class CofError(Exception):
    """Base class of the errors of libcof.

    Attributes
    ----------
    option : str or None
        The name of the option at fault.
    argument : str or None
        The name of the argument at fault.
    """

    def __init__(self, text: str, *, option: Optional[str] = None,
                 argument: Optional[str] = None) -> None:
        super().__init__(text)
        self.option = option
        self.argument = argument


class ArgumentError(CofError, ValueError):
    """An argument or option is not valid, or arguments do not match each other."""


class FormatError(CofError, ValueError):
    """The bytes are not a .cof file, or are damaged."""


class CancelledError(CofError, RuntimeError):
    """The progress callback asked to stop."""


class BusyError(CofError, RuntimeError):
    """The Context is in use by another call."""


class OutOfMemoryError(CofError, MemoryError):
    """There is not enough memory."""


class NotSupportedError(CofError, NotImplementedError):
    """The library cannot do this in this build or on this machine."""


_ERRORS: Dict[int, Type[CofError]] = {
    ERR_MEMORY: OutOfMemoryError, ERR_FORMAT: FormatError, ERR_VERSION: FormatError,
    ERR_UNSUPPORTED: NotSupportedError, ERR_CANCELLED: CancelledError, ERR_BUSY: BusyError}

# Arguments of C functions whose parameter in Python has another name.
_PARAMETERS = {"in": "image", "bytes": "data", "from": "other", "k": "n", "centres": "palette"}


class Rect(ctypes.Structure):
    _fields_ = [(name, c_int) for name in ("x", "y", "width", "height")]


class Image(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("width", c_int), ("height", c_int), ("channels", c_int),
                ("kind", c_int), ("sample", c_int), ("row_stride", c_ssize_t),
                ("pixel_stride", c_ssize_t), ("channel_stride", c_ssize_t), ("x", c_int),
                ("y", c_int), ("full_width", c_int), ("full_height", c_int), ("valid", c_void_p),
                ("valid_stride", c_ssize_t), ("memory", c_int), ("reserved", c_uint64 * 1)]


class Roi(ctypes.Structure):
    _fields_ = [("region", Rect), ("mask", POINTER(Image)), ("part", Rect),
                ("downscaled", c_int), ("reserved", c_uint64 * 1)]


class Problem(ctypes.Structure):
    _fields_ = [("status", c_int), ("option", c_char_p), ("argument", c_char_p),
                ("text", c_char_p), ("index", c_int), ("reserved", c_uint64 * 2)]


class ReportStruct(ctypes.Structure):
    _fields_ = [("struct_size", c_uint32), ("passes", c_int), ("change", c_double * 64),
                ("seconds", c_double * 16), ("fast_terms", c_int), ("fast_cell", c_int),
                ("device", c_char * 64), ("device_stages", c_uint), ("device_note", c_char_p)]


class DeviceInfo(ctypes.Structure):
    _fields_ = [("name", c_char * 64), ("platform", c_char * 64), ("type", c_int),
                ("has_double", c_int), ("memory", c_uint64), ("reserved", c_uint64 * 4)]


class OptionInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("group", c_int), ("flags", c_uint),
                ("offset", c_size_t), ("minimum", c_double), ("maximum", c_double),
                ("default_value", c_double), ("choices", POINTER(c_char_p)),
                ("automatic", c_char_p), ("label", c_char_p), ("help", c_char_p)]


class Option(NamedTuple):
    """One option of the library, as CofOptionInfo describes it."""
    name: str
    type: int
    group: int
    flags: int
    offset: int
    minimum: float
    maximum: float
    default_value: float
    choices: Tuple[str, ...]
    automatic: Optional[str]
    label: str
    help: str


_P, _STATUS = c_void_p, c_int
# Every function of the library: its result and its arguments. All pointers are void pointers.
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "cof_options_init_sized": (None, [_P, c_uint32]),
    "cof_options_set_variant": (_STATUS, [_P, c_int, _P]),
    "cof_options_set_preset": (_STATUS, [_P, c_int, c_int, c_int, _P]),
    "cof_options_set": (_STATUS, [_P, c_char_p, c_char_p, _P]),
    "cof_options_check": (_STATUS, [_P, _P]),
    "cof_option_count": (c_int, []),
    "cof_option_info": (POINTER(OptionInfo), [c_int]),
    "cof_option_find": (POINTER(OptionInfo), [c_char_p]),
    "cof_option_get": (_STATUS, [_P, _P, _P]),
    "cof_option_put": (_STATUS, [_P, _P, c_double, _P]),
    "cof_smooth": (_STATUS, [_P, _P, _P]),
    "cof_smooth_roi": (_STATUS, [_P, _P, _P, _P]),
    "cof_context_new": (_STATUS, [_P, c_int, _P]),
    "cof_context_free": (None, [_P]),
    "cof_context_new_device": (_STATUS, [_P, c_char_p, c_int, _P]),
    "cof_context_new_opencl": (_STATUS, [_P, c_void_p, c_void_p, c_int, _P]),
    "cof_device_count": (c_int, []),
    "cof_device_info": (_STATUS, [c_int, _P, _P]),
    "cof_stats_new": (_STATUS, [_P, _P]),
    "cof_stats_new_like": (_STATUS, [_P, _P, _P]),
    "cof_stats_scan": (_STATUS, [_P, _P, _P, _P]),
    "cof_stats_fit_palette": (_STATUS, [_P, _P]),
    "cof_stats_set_palette": (_STATUS, [_P, _P, c_int, c_int, c_int, _P]),
    "cof_stats_set_palette_from_stats": (_STATUS, [_P, _P, _P]),
    "cof_stats_set_palette_from_model": (_STATUS, [_P, _P, _P]),
    "cof_stats_set_labels": (_STATUS, [_P, c_int, _P]),
    "cof_stats_add": (_STATUS, [_P, _P, _P, _P]),
    "cof_part_new": (_STATUS, [_P, _P, _P]),
    "cof_part_free": (None, [_P]),
    "cof_stats_add_part": (_STATUS, [_P, _P, _P, _P]),
    "cof_stats_add_labels": (_STATUS, [_P, _P, _P, _P]),
    "cof_stats_merge": (_STATUS, [_P, _P, _P]),
    "cof_stats_decay": (_STATUS, [_P, c_uint32, c_uint32, _P]),
    "cof_stats_save": (_STATUS, [_P, _P, _P, _P]),
    "cof_stats_load": (_STATUS, [_P, _P, c_size_t, _P]),
    "cof_stats_free": (None, [_P]),
    "cof_stats_palettes": (c_int, [_P]),
    "cof_stats_member": (_P, [_P, c_int]),
    "cof_stats_size": (c_int, [_P]),
    "cof_stats_palette": (POINTER(c_float), [_P, _P]),
    "cof_stats_options": (None, [_P, _P]),
    "cof_stats_kind": (_STATUS, [_P, _P]),
    "cof_stats_histogram": (POINTER(c_uint64), [_P]),
    "cof_stats_counts": (POINTER(c_uint64), [_P, _P, _P]),
    "cof_stats_sampling_shift": (c_int, [_P]),
    "cof_model_learn": (_STATUS, [_P, _P, _P, c_int, _P]),
    "cof_model_new": (_STATUS, [_P, _P, _P]),
    "cof_model_new_soft": (_STATUS, [_P, _P, _P, _P, c_int, _P]),
    "cof_model_new_matrix": (_STATUS, [_P, _P, _P, _P]),
    "cof_model_learn_pair": (_STATUS, [_P, _P, _P, _P, _P]),
    "cof_model_label": (_STATUS, [_P, _P, _P, _P]),
    "cof_model_save": (_STATUS, [_P, _P, _P, _P]),
    "cof_model_load": (_STATUS, [_P, _P, c_size_t, _P]),
    "cof_model_save_pair": (_STATUS, [_P, _P, _P, _P, _P]),
    "cof_model_load_pair": (_STATUS, [_P, _P, _P, c_size_t, _P]),
    "cof_model_free": (None, [_P]),
    "cof_file_kind": (_STATUS, [_P, c_size_t, _P, _P]),
    "cof_load": (_STATUS, [_P, _P, _P, c_size_t, _P]),
    "cof_model_palettes": (c_int, [_P]),
    "cof_model_member": (_P, [_P, c_int]),
    "cof_model_size": (c_int, [_P]),
    "cof_model_palette": (POINTER(c_float), [_P, _P]),
    "cof_model_kind": (_STATUS, [_P, _P]),
    "cof_model_matrix": (POINTER(c_double), [_P]),
    "cof_model_frequencies": (POINTER(c_double), [_P]),
    "cof_model_options": (None, [_P, _P]),
    "cof_filter": (_STATUS, [_P, _P, _P, _P, _P]),
    "cof_filter_labels": (_STATUS, [_P, _P, _P, _P, _P]),
    "cof_filter_part": (_STATUS, [_P, _P, _P, _P]),
    "cof_filter_margin": (_STATUS, [_P, _P, _P]),
    "cof_downscale": (_STATUS, [_P, c_int, _P, _P, _P]),
    "cof_coarse_new": (_STATUS, [_P, _P, _P, _P]),
    "cof_coarse_new_filtered": (_STATUS, [_P, _P, _P, _P, _P]),
    "cof_coarse_free": (None, [_P]),
    "cof_coarse_filter": (_STATUS, [_P, _P, _P, _P]),
    "cof_coarse_margin": (c_int, [_P]),
    "cof_select": (_STATUS, [_P, _P, _P, _P, _P]),
    "cof_select_spread": (_STATUS, [_P, _P, _P, _P, _P, _P]),
    "cof_select_threshold": (_STATUS, [_P, _P, _P, _P, _P, _P, _P, _P]),
    "cof_selection_new": (_STATUS, [_P, _P, _P]),
    "cof_selection_add_stroke": (_STATUS, [_P, c_int, _P, c_size_t, c_double, _P]),
    "cof_selection_add_pixels": (_STATUS, [_P, c_int, _P, _P]),
    "cof_selection_follow": (_STATUS, [_P, _P, _P, _P]),
    "cof_selection_update": (_STATUS, [_P, _P, _P]),
    "cof_selection_correct": (_STATUS, [_P, _P, _P]),
    "cof_selection_set_mask": (_STATUS, [_P, _P, _P]),
    "cof_selection_free": (None, [_P]),
    "cof_mask_stroke": (_STATUS, [_P, _P, c_size_t, c_double, c_int, _P]),
    "cof_mask_dilate": (_STATUS, [_P, c_double, _P, _P]),
    "cof_mask_prior": (_STATUS, [_P, _P, _P]),
    "cof_matte": (_STATUS, [_P, _P, _P, _P, _P, _P]),
    "cof_focus": (_STATUS, [_P, _P, _P, _P, _P, _P, _P]),
    "cof_focus_mask": (_STATUS, [_P, _P, _P, _P]),
    "cof_blend": (_STATUS, [_P, _P, _P, _P, _P]),
    "cof_tint": (_STATUS, [_P, _P, c_double, _P, _P]),
    "cof_mean_chroma": (_STATUS, [_P, _P, _P, _P]),
    "cof_recolour": (_STATUS, [_P, _P, _P, _P, _P, _P]),
    "cof_posterise": (_STATUS, [_P, c_int, _P, _P, _P, _P, _P]),
    "cof_free": (None, [_P]),
    "cof_version": (c_uint32, []),
    "cof_cpu_level": (c_char_p, []),
    "cof_status_string": (c_char_p, [c_int]),
    "cof_stage_name": (c_char_p, [c_int]),
    "cof_kind_name": (c_char_p, [c_int]),
}


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode()


def _option(info: OptionInfo) -> Option:
    choices: List[str] = []
    while info.choices and info.choices[len(choices)]:
        choices.append(info.choices[len(choices)].decode())
    return Option(info.name.decode(), info.type, info.group, info.flags, info.offset, info.minimum,
                  info.maximum, info.default_value, tuple(choices), _text(info.automatic) or None,
                  _text(info.label), _text(info.help))


_FIELD_TYPES = {INT: c_int, CHOICE: c_int, UINT64: c_uint64, DOUBLE: c_double}
# The fields of CofOptions that the option table does not describe. They follow the last option of
# the group RUN.
_POINTERS = [("context", c_void_p), ("problem", POINTER(Problem)),
             ("report", POINTER(ReportStruct)), ("progress", Progress), ("user", c_void_p)]


def _options_struct(table: Dict[str, Option]) -> Type[ctypes.Structure]:
    """CofOptions, from the option table."""
    rows = sorted((option for option in table.values() if not option.flags & NO_FIELD),
                  key=lambda option: option.offset)
    fields: List[Tuple[str, Any]] = [("struct_size", c_uint32)]
    last = max(i for i, option in enumerate(rows) if option.group == RUN)
    for i, option in enumerate(rows):
        fields.append((option.name, _FIELD_TYPES[option.type]))
        fields.extend(_POINTERS if i == last else [])
    made = type("Options", (ctypes.Structure,), {"_fields_": fields})
    for option in rows:
        if getattr(made, option.name).offset != option.offset:
            raise ImportError(f"this package does not know the layout of options: {option.name}")
    return made


def _names(function: Any) -> Iterator[str]:
    """The words of an enumeration, up to the first value without one."""
    value = 0
    while function(value):
        yield function(value).decode()
        value += 1


class Library:
    """A libcof.so, bound to Python. Several can be bound at the same time."""

    def __init__(self, path: str) -> None:
        self.path = str(path)
        self.c = ctypes.CDLL(self.path)
        for name, (result, arguments) in FUNCTIONS.items():
            try:
                function = getattr(self.c, name)
            except AttributeError:
                raise OSError(f"{path}: this libcof is too old: it has no {name}()") from None
            function.restype, function.argtypes = result, arguments
        rows = [_option(self.c.cof_option_info(i).contents)
                for i in range(self.c.cof_option_count())]
        self.table = {row.name: row for row in rows}
        self.Options = _options_struct(self.table)
        self.stages = list(_names(self.c.cof_stage_name))
        self.kinds = list(_names(self.c.cof_kind_name))

    @property
    def version(self) -> str:
        number = self.c.cof_version()
        return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"

    def new_options(self, **values: Any) -> Any:
        """Options with the defaults of the library, and with these values set in the order of the
        table."""
        options = self.Options()
        self.c.cof_options_init_sized(byref(options), ctypes.sizeof(options))
        for name in self.table:
            if name in values:
                self.set_option(options, name, values[name])
        return options

    def set_option(self, options: Any, name: str, value: Any) -> None:
        """Sets an option that has a field. The library checks the value, numbers of type double
        when the options are used."""
        if self.table[name].type == DOUBLE:
            setattr(options, name, float(value))
            return
        try:
            text = str(value if self.table[name].type == CHOICE else value.__index__())
        except AttributeError:
            raise TypeError(f"{name} must be a whole number, not {value!r}") from None
        problem = Problem()
        status = self.c.cof_options_set(byref(options), name.encode(), text.encode(),
                                        byref(problem))
        self.check(status, problem)

    def set_preset(self, options: Any, name: str, height: int, width: int,
                   size: Optional[float]) -> None:
        if size is not None:
            self.set_option(options, "size", size)
        choices = self.table["preset"].choices
        problem = Problem()
        status = self.c.cof_options_set_preset(
            byref(options), choices.index(name) if name in choices else -1, width, height,
            byref(problem))
        self.check(status, problem)

    def get_option(self, options: Any, name: str) -> Any:
        """The value of an option, as a word if it is a choice."""
        value = getattr(options, name)
        return self.table[name].choices[value] if self.table[name].type == CHOICE else value

    def check(self, status: int, problem: Problem) -> None:
        """Raises the exception for a status other than 0."""
        if status != 0:
            self.fail(status, problem)

    def fail(self, status: int, problem: Problem, more: str = "") -> NoReturn:
        text = problem.text or self.c.cof_status_string(status)
        option = problem.option.decode() if problem.option else None
        argument = problem.argument.decode() if problem.argument else None
        argument = _PARAMETERS.get(argument, argument) if argument else None
        raise _ERRORS.get(status, ArgumentError)(text.decode() + more, option=option,
                                                 argument=argument)

    def call(self, function: str, *arguments: Any) -> None:
        """Calls a function whose last argument is a CofProblem."""
        problem = Problem()
        self.check(getattr(self.c, function)(*arguments, byref(problem)), problem)


def _candidates() -> Iterator[str]:
    """Where the library may be: where COF_LIBRARY says, inside the package, in the system."""
    if "COF_LIBRARY" in os.environ:
        yield os.environ["COF_LIBRARY"]
        return
    here = pathlib.Path(__file__).parent
    inside, system = _NAMES.get(sys.platform, ("libcof.so*", SONAME))
    yield from sorted(map(str, here.glob(inside)))
    yield system.format(SONAME.rsplit(".", 1)[1])


def _load() -> Library:
    problems = []
    for name in _candidates():
        try:
            return Library(name)
        except OSError as problem:
            problems.append(str(problem))
    raise ImportError("libcof cannot be loaded. The environment variable COF_LIBRARY can name the "
                      "file of the library. " + "; ".join(problems))


lib = _load()


class Owned(c_void_p):
    """A pointer to an object of the library, which is freed when nobody refers to the pointer."""

    def __init__(self, free: Any) -> None:
        super().__init__()
        self._free = free

    def __del__(self) -> None:
        self._free(byref(self))


def version() -> str:
    """The version of the library, such as '1.0.0'."""
    return lib.version


def put(struct: ctypes.Structure, name: str, value: int) -> None:
    """Sets a field of type int. ctypes would truncate numbers that do not fit."""
    value = value.__index__()
    if not -2 ** 31 <= value < 2 ** 31:
        raise ArgumentError(f"{name} is out of range: {value}", argument=name)
    setattr(struct, name, value)


def kind_number(kind: Optional[str]) -> Optional[int]:
    """CofKind for the name of a kind."""
    if kind is None:
        return None
    word = kind.replace("gray", "grey") if isinstance(kind, str) else kind
    if word not in lib.kinds:
        raise ArgumentError(f"kind must be one of {', '.join(lib.kinds)}, not {kind!r}",
                            argument="kind")
    return lib.kinds.index(word)
