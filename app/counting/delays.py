"""How long answers take, and whether ticket_ttl_seconds fits. Pure: the fold adds answers, a note gives the advice.

Clicks and answers without a click are kept apart: if only one of them is slow, both together would hide it. Delays are
counted in buckets relative to the time to live, which a session never changes: two for each factor of 2 from 1/64 to 8
times the time to live, one below and one above. So what is close to the time to live, and what is late, is known
exactly, and the text stays at about 200 bytes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from app.wire.session_settings import LONGEST_WAIT_SECONDS

_LOWEST, _HIGHEST = -12, 6
_EDGES = 2.0 ** (np.arange(_LOWEST, _HIGHEST + 1) / 2)
"""Upper ends of all buckets but the last, as multiples of the time to live."""
_BUCKETS = len(_EDGES) + 1
_LAST_TIMELY = -_LOWEST
"""The bucket from .71 to 1 times the time to live."""

ENOUGH = 1000
"""Answers of one kind before their slowest part is measured. Even if 1 in 200 is slower than the measured end (then at
most one of 1,000 is with probability .04), few exceed `MARGIN` times it: 1 in 2,000 if delays are lognormal with a
spread of 1.5."""

SLOWEST = 1000
"""The slowest part that may be late is one in 1,000: the quantile of 99.9 %."""

MARGIN = 3
"""Times the measured quantile: if delays are lognormal with a spread of 1.5, 7 in 100,000 come later than this."""

MUCH_SHORTER = 3
"""A shorter time to live is advised if it saves two thirds: after following the advice there is no further one."""

ENOUGH_LOST = 10
"""Lost answers, which late ones are too. Without any, nothing is late, and nothing waits for the end of the time to
live: any time to live is good."""

ROUND = (30, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, *(3600 * hours for hours in (1, 2, 3, 6, 12)),
         *(86_400 * days for days in (1, 2, 3, 7, 14)), LONGEST_WAIT_SECONDS)  # fmt: skip
"""Numbers that a person would type. To wait half a minute for a verdict bothers nobody, so it is the shortest."""


@dataclass(frozen=True)
class Delays:
    """Numbers of answers by delay, late ones too, and the buckets of their quantiles when they were last measured.

    Quantiles are measured at `ENOUGH` answers of a kind and each time their number has doubled. Notes depend on these
    only, so a note changes a few times in the life of a session, and not with every answer.
    """

    clicks: tuple[int, ...] = ()  # up to the last bucket that is not empty
    others: tuple[int, ...] = ()  # answers without a click
    slowest: tuple[int | None, int | None] = (None, None)  # of clicks, of others

    def add(
        self, seconds: Sequence[float] | npt.NDArray[np.float64], clicked: Sequence[float] | npt.ArrayLike, ttl: float
    ) -> "Delays":
        """Returns the numbers with more answers: their delays, and whether each is a click (0 or 1)."""
        bucket = np.searchsorted(_EDGES, np.asarray(seconds, dtype=np.float64) / ttl, side="right")
        kind = np.asarray(clicked, dtype=np.float64) > 0
        others, clicks = np.bincount(bucket + _BUCKETS * kind, minlength=2 * _BUCKETS).reshape(2, _BUCKETS).tolist()
        both = (_sum(self.clicks, clicks), _sum(self.others, others))
        first, second = (
            _slowest(new) if _doubled(sum(old), sum(new)) else known
            for old, new, known in zip((self.clicks, self.others), both, self.slowest, strict=True)
        )
        return Delays(*both, (first, second))

    def to_text(self) -> str:
        """Returns the numbers as compact JSON; empty if there are none."""
        if not self.clicks and not self.others:
            return ""
        return json.dumps(
            {"clicks": self.clicks, "others": self.others, "slowest": self.slowest}, separators=(",", ":")
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Returns the numbers from their text; those of "" and "{}" are empty."""
        plain = json.loads(text or "{}")
        return cls(**{name: tuple(plain[name]) for name in ("clicks", "others", "slowest") if name in plain})


class TtlAdvice(NamedTuple):
    """Another time to live that would fit better, and the measured quantile that says so."""

    seconds: int
    longer: bool
    quantile: float  # nearly all answers of the slower kind come within this many seconds
    clicks_are_slower: bool


def ttl_advice(delays: Delays, ttl: float, lost: int) -> TtlAdvice | None:
    """Returns advice if the time to live cuts off slow answers of a kind, or makes the proof wait without need.

    `lost` is the number of impressions given up without an answer. A longer one is advised if more than one in 1,000
    clicks (or other answers) needs more than .71 times the time to live: then some are late (about one in 1,000, if
    delays are lognormal with a spread of 1 to 2). A shorter one, if both kinds are known and are much faster.
    """
    measured = [bucket for bucket in delays.slowest if bucket is not None]
    if not measured or lost < ENOUGH_LOST:
        return None
    slowest = max(measured)
    quantile = float(ttl * 2.0 ** ((slowest + _LOWEST) / 2))
    seconds = next((fits for fits in ROUND if fits >= MARGIN * quantile), LONGEST_WAIT_SECONDS)
    if slowest >= _LAST_TIMELY:
        helps = seconds > ttl
    else:
        helps = len(measured) == len(delays.slowest) and MUCH_SHORTER * seconds <= ttl
    return TtlAdvice(seconds, seconds > ttl, quantile, delays.slowest[0] == slowest) if helps else None


def _sum(old: tuple[int, ...], new: list[int]) -> tuple[int, ...]:
    """Returns the sums by bucket, without empty buckets at the end."""
    padded = (*old, *(0,) * (_BUCKETS - len(old)))
    total = [one + other for one, other in zip(padded, new, strict=True)]
    while total and total[-1] == 0:
        total.pop()
    return tuple(total)


def _doubled(old: int, new: int) -> bool:
    """Returns whether the number has reached `ENOUGH`, or one of its doubles, which it had not reached before."""
    return (new // ENOUGH).bit_length() > (old // ENOUGH).bit_length()


def _slowest(counts: tuple[int, ...]) -> int:
    """Returns the first bucket that no more than one in `SLOWEST` exceeds."""
    most = sum(counts) / SLOWEST
    return next(bucket for bucket in range(len(counts)) if sum(counts[bucket + 1 :]) <= most)
