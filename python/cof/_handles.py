# SPDX-License-Identifier: BSD-2-Clause
"""What statistics and models have in common: they belong to the library and can become bytes."""
from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
from ctypes import byref, c_int, c_size_t, c_void_p
from typing import Any, ContextManager, Dict, List, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from . import _library as c

Path = Union[str, "os.PathLike[str]"]
Some = TypeVar("Some", bound="Handle")


def copied(pointer: Any, shape: Tuple[int, ...]) -> Optional[np.ndarray]:
    """What a pointer of the library shows, as a read-only array of its own."""
    if not pointer:
        return None
    array = np.ctypeslib.as_array(pointer, shape).copy()
    array.flags.writeable = False
    return array


def saved_bytes(function: str, *arguments: Any) -> bytes:
    """The bytes that a _save function of the library makes."""
    data, size = c_void_p(), c_size_t()
    c.lib.call(function, *arguments, byref(data), byref(size))
    try:
        return ctypes.string_at(data, size.value)
    finally:
        c.lib.c.cof_free(data)


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces a file atomically; writes into pipes and devices."""
    path = os.fsdecode(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            stream.write(data)
        return
    path = os.path.realpath(path)
    name = f"{os.path.dirname(path)}/.cof-{secrets.token_hex(8)}"
    # The umask applies to a new file; a file that is replaced keeps its mode.
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0),
                         0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        if os.path.exists(path):
            shutil.copymode(path, name)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def read_file(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _field(options: Any, name: str) -> bytes:
    """The bytes of a field."""
    field = getattr(c.lib.Options, name)
    return bytes(options)[field.offset:field.offset + field.size]


class Handle:
    """An object of the library, freed when it is no longer used."""
    _what = ""

    def __init__(self, handle: c.Owned) -> None:
        self._handle = handle

    @classmethod
    def _new(cls) -> c.Owned:
        """What a function of the library that makes such an object fills in. A call that fails
        after that, since its callback did or was interrupted, leaves nothing behind."""
        return c.Owned(cls._function("free"))

    @classmethod
    def _function(cls, name: str) -> Any:
        return getattr(c.lib.c, f"cof_{cls._what}_{name}")

    def _reading(self) -> ContextManager[None]:
        """Held while the library reads the object."""
        return contextlib.nullcontext()

    @classmethod
    def _of(cls: Type[Some], handle: c.Owned) -> Some:
        made = cls.__new__(cls)
        cls._begin(made, handle)
        return made

    def _begin(self, handle: c.Owned) -> None:
        Handle.__init__(self, handle)

    def to_bytes(self) -> bytes:
        """The contents of a .cof file."""
        with self._reading():
            return saved_bytes(f"cof_{self._what}_save", self._handle)

    def save(self, path: Path) -> None:
        """Writes a .cof file, which the command `cof` can read. The file is replaced atomically."""
        write_atomically(path, self.to_bytes())

    def __eq__(self, other: object) -> bool:
        """Objects with the same bytes are equal."""
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self.to_bytes() == other.to_bytes()  # type: ignore[attr-defined]

    __hash__ = None  # type: ignore[assignment]

    @property
    def size(self) -> int:
        """The number of labels; 0 if there is no palette yet."""
        with self._reading():
            return int(self._function("size")(self._handle))

    @property
    def palettes(self) -> int:
        """The number of palettes; 0 if there is none yet. Of several, all other properties tell of
        the first one; members tells of each."""
        with self._reading():
            return int(self._function("palettes")(self._handle))

    def _members(self) -> List[Any]:
        """Handles that belong to this object, one for each palette. They are read at once."""
        count = self._function("palettes")(self._handle)
        return [self._function("member")(self._handle, i) for i in range(count)]

    def _palette_of(self, member: Any) -> Optional[np.ndarray]:
        bands = c_int()
        size = self._function("size")(member)
        return copied(self._function("palette")(member, byref(bands)), (size, bands.value))

    @property
    def palette(self) -> Optional[np.ndarray]:
        """A row for each label: Lab, a grey value, or values of the bands. None: no palette."""
        with self._reading():
            return self._palette_of(self._handle)

    @property
    def kind(self) -> Optional[str]:
        """The kind of image: 'grey', 'rgb' or 'bands'. None if it is not known, as for labels."""
        kind = c_int()
        with self._reading():
            status = self._function("kind")(self._handle, byref(kind))
            has_labels_only = (self._function("size")(self._handle) > 0 and
                               not self._function("palette")(self._handle, None))
        return c.lib.kinds[kind.value] if status == 0 and not has_labels_only else None

    @property
    def options(self) -> Dict[str, Any]:
        """The options that are stored with it."""
        with self._reading():
            first, second = self._options_over(0x00), self._options_over(0xff)
        return {name: c.lib.get_option(first, name) for name, option in c.lib.table.items()
                if not option.flags & c.NO_FIELD and _field(first, name) == _field(second, name)}

    def _options_over(self, byte: int) -> Any:
        """The stored options; fields that are not stored keep this value of all their bytes."""
        options = c.lib.Options()
        ctypes.memset(byref(options), byte, ctypes.sizeof(options))
        options.struct_size = ctypes.sizeof(options)
        self._function("options")(self._handle, byref(options))
        return options

    def _facts(self) -> str:
        values = ", ".join(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
                           for name, value in self.options.items())
        kind = self.kind or ("labels" if self.size else "no palette")
        return f"{kind}, size {self.size}; {values}"

    def __repr__(self) -> str:
        return f"<cof.{type(self).__name__}: {self._facts()}>"
