"""How long answers take, and whether ticket_ttl_seconds fits. Pure: the fold adds answers, a note gives the advice.

Clicks and answers without a click are kept apart: if only one of them is slow, both together would hide it. Delays are
counted in buckets relative to the time to live, which a session never changes: two for each factor of 2 from 1/64 to 8
times the time to live, one below and one above. So what is close to the time to live, and what is late, is known
exactly, and the text stays at about 200 bytes.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from app.wire.session_settings import LONGEST_WAIT_SECONDS

_LOWEST, _HIGHEST = -12, 6
_EDGES = 2.0 ** (np.arange(_LOWEST, _HIGHEST + 1) / 2)
"""Upper ends of all buckets but the last, as multiples of the time to live."""
_BUCKETS = len(_EDGES) + 1
_LAST_TIMELY = -_LOWEST
"""The bucket from .71 to 1 times the time to live; late answers are in the buckets after it."""

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


Counts = tuple[int, ...]  # by bucket, up to the last one that is not empty
Numbers = Sequence[float] | npt.NDArray[np.float64] | npt.NDArray[np.int64]


@dataclass(frozen=True)
class Delays:
    """Numbers of answers by delay, late ones too, and the buckets of their quantiles when they were last measured.

    Quantiles are measured at `ENOUGH` answers of a kind and each time their number has doubled. Notes depend on these
    only, so a note changes a few times in the life of a session, and not with every answer.
    """

    clicks: Counts = ()
    others: Counts = ()  # answers without a click
    slowest: tuple[int | None, int | None] = (None, None)  # of clicks, of others
    lost: int = 0  # impressions given up without an answer

    def add(self, seconds: Numbers, clicked: Numbers, ttl: float, lost: int = 0) -> "Delays":
        """Returns the numbers with more answers: their delays, and whether each is a click (0 or 1)."""
        more_clicks, more_others = _count(seconds, clicked, ttl)
        return self._measured(_sum(self.clicks, more_clicks), _sum(self.others, more_others), self.lost + lost)

    def with_late(self, late: "Delays") -> "Delays":
        """Returns the numbers with all late answers so far, in place of those known before."""
        timely = slice(_LAST_TIMELY + 1)
        return self._measured(_sum(self.clicks[timely], late.clicks), _sum(self.others[timely], late.others), self.lost)

    def _measured(self, clicks: Counts, others: Counts, lost: int) -> "Delays":
        both = (clicks, others)
        first, second = (
            _slowest(new) if _doubled(sum(old), sum(new)) else known
            for old, new, known in zip((self.clicks, self.others), both, self.slowest, strict=True)
        )
        return Delays(*both, (first, second), lost)

    def to_text(self) -> str:
        """Returns the numbers as compact JSON; empty if there are none."""
        return "" if self == Delays() else json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Returns the numbers from their text; those of "" and "{}" are empty."""
        plain = json.loads(text or "{}")
        counts = {name: tuple(plain[name]) for name in ("clicks", "others", "slowest") if name in plain}
        return cls(**counts, lost=plain.get("lost", 0))


NO_DELAYS = Delays()


class TtlAdvice(NamedTuple):
    """Another time to live that would fit better, and the measured quantile that it is derived from."""

    seconds: int
    longer: bool
    quantile: float  # nearly all answers of the slower kind come within this many seconds
    clicks_are_slower: bool


def ttl_advice(delays: Delays, ttl: float) -> TtlAdvice | None:
    """Returns advice if the time to live cuts off slow answers of a kind, or makes the proof wait without need.

    A longer one is advised if more than one in 1,000 clicks (or other answers) needs more than .71 times the time to
    live: then some are late (about one in 1,000, if delays are lognormal with a spread of 1 to 2). A shorter one, if
    both kinds are known and are much faster.
    """
    measured = [bucket for bucket in delays.slowest if bucket is not None]
    if not measured or delays.lost < ENOUGH_LOST:
        return None
    slowest = max(measured)
    quantile = float(ttl * 2.0 ** ((slowest + _LOWEST) / 2))
    seconds = next((fits for fits in ROUND if fits >= MARGIN * quantile), LONGEST_WAIT_SECONDS)
    if slowest >= _LAST_TIMELY:
        helps = seconds > ttl
    else:
        helps = len(measured) == len(delays.slowest) and MUCH_SHORTER * seconds <= ttl
    return TtlAdvice(seconds, seconds > ttl, quantile, delays.slowest[0] == slowest) if helps else None


def _count(seconds: Numbers, clicked: Numbers, ttl: float) -> tuple[Counts, Counts]:
    """Returns the numbers of clicks, and of other answers, by bucket."""
    bucket = np.searchsorted(_EDGES, np.asarray(seconds, dtype=np.float64) / ttl, side="right")
    kind = np.asarray(clicked, dtype=np.float64) > 0
    others, clicks = np.bincount(bucket + _BUCKETS * kind, minlength=2 * _BUCKETS).reshape(2, _BUCKETS).tolist()
    return tuple(clicks), tuple(others)


def _sum(some: Counts, others: Counts) -> Counts:
    """Returns the sums by bucket, without empty buckets at the end."""
    total = [one + other for one, other in zip_longest(some, others, fillvalue=0)]
    while total and total[-1] == 0:
        total.pop()
    return tuple(total)


def _doubled(old: int, new: int) -> bool:
    """Returns whether the number has reached `ENOUGH`, or one of its doubles, which it had not reached before."""
    return (new // ENOUGH).bit_length() > (old // ENOUGH).bit_length()


def _slowest(counts: Counts) -> int:
    """Returns the first bucket that no more than one in `SLOWEST` exceeds."""
    most = sum(counts) / SLOWEST
    return next(bucket for bucket in range(len(counts)) if sum(counts[bucket + 1 :]) <= most)
