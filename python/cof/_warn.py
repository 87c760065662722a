# SPDX-License-Identifier: BSD-2-Clause
"""Warnings that a call gives at most once, however many functions of the package it runs."""
from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from typing import Iterator, Set

_PACKAGE = __name__.rpartition(".")[0]


class _Calls(threading.local):
    """The calls of the package that this thread is in, and the warnings of the outermost one."""
    depth = 0
    given: Set[str] = set()


_calls = _Calls()


@contextlib.contextmanager
def one_call() -> Iterator[None]:
    """Held by every function of the package that users call."""
    if _calls.depth == 0:
        _calls.given = set()
    _calls.depth += 1
    try:
        yield
    finally:
        _calls.depth -= 1


def _level() -> int:
    """The stack level, for the caller of this function, of the first frame outside the package."""
    level, frame = 0, sys._getframe(1)
    while frame is not None and _is_inside(str(frame.f_globals.get("__name__", ""))):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    return level + 1


def _is_inside(module: str) -> bool:
    return module == _PACKAGE or module.startswith(_PACKAGE + ".")


def warn_once(topic: str, text: str) -> None:
    """Warns, unless the outermost call has warned of the same topic already."""
    if topic not in _calls.given:
        _calls.given = _calls.given | {topic}
        warnings.warn(text, UserWarning, stacklevel=_level())
