"""Caches of what was parsed from the database and cannot change."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from app.sessions.model import FixedParts

Value = TypeVar("Value")

_SESSIONS = 256


class ParsedCache(Generic[Value]):
    """The most recently used values; safe to use from several threads.

    A key must name something immutable (a session and when it was created, a plan's id), so that an entry is either
    right or never asked for again.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Returns the cached value, or makes and caches it; two threads may both make it, which is harmless."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value

    def clear(self) -> None:
        """Drops all values."""
        with self._lock:
            self._values.clear()


class SessionCache(ParsedCache[FixedParts]):
    """The fixed parts of sessions, by session id and time of creation."""

    def __init__(self) -> None:
        super().__init__(_SESSIONS)
