# SPDX-License-Identifier: BSD-2-Clause
"""A lock that many readers can hold at the same time, or one writer."""
from __future__ import annotations

import contextlib
import threading
from typing import Dict, Iterator, Optional

_REENTERED = "this object is in use by the call whose callback this is"


class ReadWriteLock:
    """Waits for other threads. A thread that would wait for itself gets a RuntimeError."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers: Dict[int, int] = {}  # how often each thread holds the lock
        self._writer: Optional[int] = None
        self._waiting_writers = 0

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        me = threading.get_ident()
        with self._condition:
            if self._writer == me:
                raise RuntimeError(_REENTERED)
            # Writers that wait go first, except before a thread that is reading already.
            while self._writer is not None or (self._waiting_writers and me not in self._readers):
                self._condition.wait()
            self._readers[me] = self._readers.get(me, 0) + 1
        try:
            yield
        finally:
            with self._condition:
                self._readers[me] -= 1
                if not self._readers[me]:
                    del self._readers[me]
                self._condition.notify_all()

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        me = threading.get_ident()
        with self._condition:
            if self._writer == me or me in self._readers:
                raise RuntimeError(_REENTERED)
            self._waiting_writers += 1
            try:
                while self._writer is not None or self._readers:
                    self._condition.wait()
                self._writer = me
            finally:
                self._waiting_writers -= 1
                if self._writer != me:
                    self._condition.notify_all()
        try:
            yield
        finally:
            with self._condition:
                self._writer = None
                self._condition.notify_all()
