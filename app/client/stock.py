"""Pairs fetched in advance: how many, and for how long. No input or output, the time is given; thread-safe."""

import threading
from collections import deque
from collections.abc import Sequence

from app.wire.serving import Impression

FIRST_TARGET = 8
"""Pairs fetched at first; after that the traffic decides."""


class Stock:
    """Pairs waiting to be shown, oldest first.

    A pair must not wait long: an attribution window runs from the moment it was issued, and a pair that lies about
    holds up the counting of its kind. So the stock follows the traffic: its target doubles when it ran dry, and halves,
    down to nothing, when pairs grew old.
    """

    def __init__(self, most: int, longest_stay_seconds: float) -> None:
        self._most, self._stay = most, longest_stay_seconds
        self._target = min(most, FIRST_TARGET)
        self._ran_dry = False
        self._waiting: deque[tuple[float, Impression]] = deque()  # (when it was asked for, the pair)
        self._lock = threading.Lock()

    def take(self, now: float) -> Impression | None:
        """Returns the oldest pair that is not too old; None if there is none, which is remembered."""
        with self._lock:
            for place, (asked_at, pair) in enumerate(self._waiting):
                if now - asked_at < self._stay:
                    del self._waiting[place]
                    return pair
            self._ran_dry = True
            return None

    def put(self, pairs: Sequence[Impression], asked_at: float) -> None:
        """Adds pairs that were asked for at this time."""
        with self._lock:
            self._waiting.extend((asked_at, pair) for pair in pairs)

    def wanted(self) -> int:
        """Returns how many pairs to fetch now: 0 while more than half of the target is there."""
        with self._lock:
            if self._ran_dry:
                self._target = min(self._most, max(1, 2 * self._target))
                self._ran_dry = False
            have = len(self._waiting)
            return self._target - have if 2 * have <= self._target else 0

    def expired(self, now: float) -> list[Impression]:
        """Takes out and returns the pairs that are too old to be shown."""
        with self._lock:
            old = [pair for asked_at, pair in self._waiting if now - asked_at >= self._stay]
            if old:
                self._target //= 2
                for _ in old:  # the oldest come first
                    self._waiting.popleft()
            return old

    def empty(self) -> list[Impression]:
        """Takes out and returns all pairs."""
        with self._lock:
            rest = [pair for _, pair in self._waiting]
            self._waiting.clear()
            return rest
