"""Rate limits: how many calls in which time, and the counter of one key.

A fixed window: it begins with the first call after the previous window has ended, and its calls may all be made at
once. Not the `limits` library: its in-memory window takes 30 microseconds a call (a lock, a timer thread, text keys), a
third of what the hot lane takes for a whole request. This one takes half a microsecond.
"""

import re
from dataclasses import dataclass
from math import ceil

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_RATE = re.compile(r"([1-9][0-9]{0,8})/(second|minute|hour|day)")


class InvalidRate(ValueError):
    """A text that is not a rate; the message says how to write one."""


@dataclass(frozen=True)
class Rate:
    """A number of calls per number of seconds."""

    calls: int
    seconds: int

    def __str__(self) -> str:
        """Returns the rate as settings and commands write it, such as 1000/second."""
        unit = next(name for name, seconds in _SECONDS.items() if seconds == self.seconds)
        return f"{self.calls}/{unit}"


def parse_rate(text: str) -> Rate | None:
    """Returns the rate written as 1000/second (minute, hour, day), None for "none"; raises InvalidRate."""
    if text == "none":
        return None
    found = _RATE.fullmatch(text)
    if found is None:
        got = ascii(text)[1:-1][:40]
        raise InvalidRate(f'must look like 1000/second (or minute, hour, day), or be none, got "{got}"')
    return Rate(int(found[1]), _SECONDS[found[2]])


class RateLimiter:
    """Counts the calls of one key in the current window. Callers pass the time, so that tests need no clock."""

    __slots__ = ("_checked_at", "_header_prefix", "_window_end", "rate", "remaining")

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.remaining = rate.calls
        self._window_end = 0.0
        self._checked_at = 0.0
        # Built once, except for two numbers: every response has these lines.
        self._header_prefix = f'ratelimit-policy: "key";q={rate.calls};w={rate.seconds}\r\nratelimit: "key";r='

    def consume(self, cost: int, now: float) -> bool:
        """Consumes `cost` if available; otherwise consumes nothing and returns False."""
        self._checked_at = now
        if now >= self._window_end:
            self._window_end, self.remaining = now + self.rate.seconds, self.rate.calls
        if cost > self.remaining:
            return False
        self.remaining -= cost
        return True

    @property
    def resets_in(self) -> int:
        """Whole seconds from the last `consume` to the end of the window."""
        # (now + seconds) - now can exceed seconds by a rounding error, which must not add a second.
        return min(ceil(self._window_end - self._checked_at), self.rate.seconds)

    def header_lines(self) -> bytes:
        """Returns the header lines of draft-ietf-httpapi-ratelimit-headers: the limit and what remains of it."""
        return f"{self._header_prefix}{self.remaining};t={self.resets_in}\r\n".encode()
