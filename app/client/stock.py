"""Prefetched pairs: how many, and for how long. No input or output, callers pass the time; thread-safe."""

import threading
from collections import deque
from collections.abc import Sequence

from app.wire.serving import Impression

FIRST_TARGET = 8
"""Pairs to prefetch at first; later the number follows the traffic."""


class Stock:
    """A queue of pairs to show, oldest first.

    A pair must not wait long: its attribution window begins when it is issued, and an open pair delays the counting of
    later ones. So the stock follows the traffic: its target doubles when it was empty, and halves, down to 0, when
    pairs expired.
    """

    def __init__(self, most: int, longest_stay_seconds: float) -> None:
        self._most, self._stay = most, longest_stay_seconds
        self._target = min(most, FIRST_TARGET)
        self._was_empty = False
        self._waiting: deque[tuple[float, Impression]] = deque()  # (time of the request, pair)
        self._lock = threading.Lock()

    def take(self, now: float) -> Impression | None:
        """Returns the oldest pair that has not expired; None if there is none, which raises the next target."""
        with self._lock:
            for place, (requested_at, pair) in enumerate(self._waiting):
                if now - requested_at < self._stay:
                    del self._waiting[place]
                    return pair
            self._was_empty = True
            return None

    def put(self, pairs: Sequence[Impression], requested_at: float) -> None:
        """Adds pairs that were requested at this time."""
        with self._lock:
            self._waiting.extend((requested_at, pair) for pair in pairs)

    def wanted(self) -> int:
        """Returns how many pairs to fetch now: 0 while the stock has more than half of its target."""
        with self._lock:
            if self._was_empty:
                self._target = min(self._most, max(1, 2 * self._target))
                self._was_empty = False
            have = len(self._waiting)
            return self._target - have if 2 * have <= self._target else 0

    def expired(self, now: float) -> list[Impression]:
        """Removes and returns the pairs that are too old to be shown."""
        with self._lock:
            old = [pair for requested_at, pair in self._waiting if now - requested_at >= self._stay]
            if old:
                self._target //= 2
                for _ in old:  # the oldest come first
                    self._waiting.popleft()
            return old

    def empty(self) -> list[Impression]:
        """Removes and returns all pairs."""
        with self._lock:
            rest = [pair for _, pair in self._waiting]
            self._waiting.clear()
            return rest
