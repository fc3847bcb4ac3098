"""A flood of the same complaint becomes one line a second, with the number of those left out."""

import logging
import threading
import time
from collections.abc import Callable

_MOST_KINDS = 1_000
"""Kinds that are remembered; an event is a name in our code, so there are far fewer."""

Kind = tuple[str, str, str]


class Sampling(logging.Filter):
    """Lets one warning or error of a kind through in so many seconds; the next one tells how many were left out.

    A kind is the logger, the event and the type of the error. Lines below a warning tell of changes and all pass.
    """

    def __init__(self, seconds: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[Kind, float] = {}
        self._left_out: dict[Kind, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether the line is written."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[0] if record.exc_info else None
        kind = (record.name, _event_of(record), error.__qualname__ if error else "")
        now = self._clock()
        with self._lock:
            last = self._last.get(kind)
            if last is not None and now - last < self._seconds:
                self._left_out[kind] = self._left_out.get(kind, 0) + 1
                return False
            if len(self._last) >= _MOST_KINDS:
                self._last.clear()
                self._left_out.clear()
            self._last[kind] = now
            left_out = self._left_out.pop(kind, 0)
        if left_out:
            record.left_out = left_out
        return True


def _event_of(record: logging.LogRecord) -> str:
    """Returns what tells the kinds of a logger apart; warnings of libraries all have the same pattern."""
    if isinstance(record.msg, dict):  # structlog's own loggers
        return str(record.msg.get("event"))
    if record.msg == "%s" and isinstance(record.args, tuple) and record.args:
        return str(record.args[0])
    return str(record.msg)
