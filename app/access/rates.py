"""Rate limits as values: how many calls in which time, and an allowance that counts them.

A window begins with the first call after the one before has ended; what a window allows can be used at once. Not the
`limits` library: its window in memory takes 30 microseconds a call (a lock, a timer thread, keys made of text), a third
of what the hot lane takes for all of a request. This one takes half of one.
"""

import re
from dataclasses import dataclass
from math import ceil

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_WRITTEN = re.compile(r"([1-9][0-9]{0,8})/(second|minute|hour|day)")
LARGEST = 999_999_999


class InvalidRate(ValueError):
    """A rate that cannot be read; the message says how to write one."""


@dataclass(frozen=True)
class Rate:
    """So many calls in so many seconds."""

    calls: int
    seconds: int

    def __str__(self) -> str:
        """Returns the rate as it is written in settings and commands."""
        unit = next(name for name, seconds in _SECONDS.items() if seconds == self.seconds)
        return f"{self.calls}/{unit}"


def parse_rate(text: str) -> Rate | None:
    """Returns the rate that is written as 1000/second (minute, hour, day); None for "none"."""
    if text == "none":
        return None
    found = _WRITTEN.fullmatch(text)
    if found is None:
        got = ascii(text)[1:-1][:40]
        raise InvalidRate(f'must look like 1000/second (or minute, hour, day), or be none, got "{got}"')
    return Rate(int(found[1]), _SECONDS[found[2]])


class Allowance:
    """How much of its rate one key has used in the present window; told the time, so that it needs no clock."""

    __slots__ = ("_asked", "_ends", "_fields", "left", "rate")

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.left = rate.calls
        self._ends = 0.0
        self._asked = 0.0
        # Their text is made once, but for two numbers: it is told with every answer.
        self._fields = f'ratelimit-policy: "key";q={rate.calls};w={rate.seconds}\r\nratelimit: "key";r='

    def take(self, cost: int, now: float) -> bool:
        """Returns whether so much was left, and takes it; what is refused takes nothing."""
        self._asked = now
        if now >= self._ends:
            self._ends, self.left = now + self.rate.seconds, self.rate.calls
        if cost > self.left:
            return False
        self.left -= cost
        return True

    @property
    def resets_in(self) -> int:
        """The whole seconds, from when it was last asked, after which all of the rate is there again."""
        # (now + seconds) - now can be a hair more than seconds: rounding must not make it one second more.
        return min(ceil(self._ends - self._asked), self.rate.seconds)

    def fields(self) -> bytes:
        """Returns header lines that tell what is left, as draft-ietf-httpapi-ratelimit-headers writes them."""
        return f"{self._fields}{self.left};t={self.resets_in}\r\n".encode()
