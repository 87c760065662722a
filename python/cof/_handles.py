# SPDX-License-Identifier: BSD-2-Clause
"""What statistics and models have in common: they are libcof's, and become bytes and files."""
from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
from ctypes import byref, c_int, c_size_t, c_void_p
from typing import Any, ContextManager, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from . import _library as c

Path = Union[str, "os.PathLike[str]"]
Some = TypeVar("Some", bound="Handle")


def copied(pointer: Any, shape: Tuple[int, ...]) -> Optional[np.ndarray]:
    """What a pointer of the library shows, as an array of its own."""
    if not pointer:
        return None
    array = np.ctypeslib.as_array(pointer, shape).copy()
    array.flags.writeable = False
    return array


def write_whole(path: Path, data: bytes) -> None:
    """The file appears whole or not at all; pipes and devices are written to."""
    path = os.fsdecode(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            stream.write(data)
        return
    path = os.path.realpath(path)
    name = f"{os.path.dirname(path)}/.cof-{secrets.token_hex(8)}"
    # The system gives it the rights of a new file; one that is replaced keeps its own.
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        if os.path.exists(path):
            shutil.copymode(path, name)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


class Handle:
    """Something of the library's: given back when nobody needs it any more."""
    _what = ""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle

    def _used(self) -> ContextManager[None]:
        """While the library uses it."""
        return contextlib.nullcontext()

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), c_void_p()
        if handle:
            getattr(c.lib, f"cof_{self._what}_free")(byref(handle))

    @classmethod
    def _of(cls: Type[Some], handle: c_void_p) -> Some:
        made = cls.__new__(cls)
        cls._begin(made, handle)
        return made

    def _begin(self, handle: c_void_p) -> None:
        Handle.__init__(self, handle)

    def to_bytes(self) -> bytes:
        """As the file has it."""
        data, size = c_void_p(), c_size_t()
        with self._used():
            c.check(getattr(c.lib, f"cof_{self._what}_save")(self._handle, byref(data),
                                                             byref(size)))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            c.lib.cof_free(data)

    @classmethod
    def from_bytes(cls: Type[Some], data: bytes) -> Some:
        """What to_bytes() has made; FormatError if it is something else."""
        handle = c_void_p()
        status = getattr(c.lib, f"cof_{cls._what}_load")(byref(handle), bytes(data),
                                                         c_size_t(len(data)))
        if status == c.MISMATCH:
            raise c.FormatError(f"these bytes hold no {cls._what}")
        c.check(status)
        return cls._of(handle)

    def save(self, path: Path) -> None:
        """Writes a file, which the command `cof` reads too."""
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls: Type[Some], path: Path) -> Some:
        """Reads a file that save() or the command `cof` has written."""
        with open(path, "rb") as file:
            return cls.from_bytes(file.read())

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    @property
    def size(self) -> int:
        """How many labels there are."""
        return getattr(c.lib, f"cof_{self._what}_size")(self._handle)

    @property
    def palette(self) -> Optional[np.ndarray]:
        """A row for each label: Lab, or values of the bands. None: there is none (yet)."""
        bands = c_int()
        pointer = getattr(c.lib, f"cof_{self._what}_palette")(self._handle, byref(bands))
        return copied(pointer, (self.size, bands.value))
