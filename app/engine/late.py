"""Whether late answers are clicked as often as timely ones, for the same pair in the same plan.

An answer that comes after the time to live is not counted. This does no harm if being late does not depend on the
outcome. If clicks are slower than other answers, mostly clicks are late: the late answers, which are stored, show it.

A cell is a pair in one plan. Lateness may differ between pairs (a large image), between plans and within them (a slow
network): if it does not depend on the outcome, then given that the N answers of a cell contain a part q of clicks, its
m late ones are a random subset of the N. Bet that the odds of a click are w times as high among late answers as among
timely ones. If c of the m are clicks,

    E[w^c] <= (1 - q + q w)^m,

because drawing without replacement is less variable than with replacement (Hoeffding 1963). So left side over right
side has mean at most 1, given the cells before, and so has the product over all cells, and an average over `ODDS`. By
Markov's inequality it reaches 1/alpha with probability at most alpha. Late answers to old plans keep coming, so the
product is not a martingale from look to look; the k-th look is made at level alpha/(k(k+1)), alpha in total.

- Only plans without open impressions are used. Answers may be slower after one outcome than after the other, as long as
  they are timely; so before a plan is closed, one outcome is overrepresented in its timely answers.
- Cells are not pooled. All pairs together would show a difference if popular items are slow. All plans of a pair
  together would show one if users change; and even if not, because a pair is shown again after good luck and dropped
  after bad luck: its timely answers are a biased sample, its late ones, which no plan uses, are not. Little is lost:
  cells of one answer say nothing, but they hold at most 6 % of the impressions of `rplans` (10 to 300 items).
- Late answers that never come are ignored, so the check assumes more than the proof needs: that an answer that is not
  timely gets lost, or comes by the time of a look, independently of its outcome.
- The number of impressions of a plan, and the time of a look, must not depend on outcomes in the plan. A plan ends when
  enough answers have come, so the first is true. The time of a look depends on outcomes a little, because they decide
  how long later plans are; a test with a far stronger dependence measures that it does no harm.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.engine.delta_shares import portion

ODDS = (1 / 32, 1 / 8, 1 / 2, 3 / 4, 4 / 3, 2.0, 8.0, 32.0)
"""Bets. If only clicks are late, the bet of 32 gains 93 % of what is possible where 1 in 5 is clicked, and 69 % where 1
in 100 is. An odds ratio between .87 and 1.15 is not found by any number of late answers: all bets lose. It does little
harm: with 2 % late answers, it changes a click rate of .3 by .0006."""


class LateAnswers(NamedTuple):
    """Answers by pair and plan version, one row for each: timely ones, late ones, and how many of both are clicks."""

    version: IntArray  # (m,)
    timely: IntArray  # (m,)
    timely_clicks: IntArray  # (m,)
    late: IntArray  # (m,)
    late_clicks: IntArray  # (m,)
    closed_before: int  # plan versions below this have no open impressions
    look: int  # number of this look, from 1; looks with the same number must see the same counts

    @classmethod
    def none(cls) -> Self:
        """Returns no counts: before the first impression, or where no answer counts as no click."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing, nothing, nothing, closed_before=0, look=1)


class Differs(NamedTuple):
    """How often late answers are clicks, and how often timely ones of the same cells are."""

    share: float
    expected: float
    late: int


def late_clicks_differ(answers: LateAnswers, alpha: float) -> Differs | None:
    """Returns how late answers differ from timely ones, None if it may be chance; false alarms: at most alpha."""
    cells = _cells(answers)
    if _log_wealth(cells) < -math.log(portion(alpha, answers.look)):
        return None
    n, a, m, c = cells
    return Differs(float(c.sum() / m.sum()), float(m @ (a / n) / m.sum()), int(m.sum()))


class _Cells(NamedTuple):
    """Timely answers, clicks among them, late answers, clicks among them, where there are both."""

    n: FloatArray
    a: FloatArray
    m: FloatArray
    c: FloatArray


def _cells(answers: LateAnswers) -> _Cells:
    used = (answers.version < answers.closed_before) & (answers.late > 0) & (answers.timely > 0)
    columns = (answers.timely, answers.timely_clicks, answers.late, answers.late_clicks)
    return _Cells(*(column[used].astype(np.float64) for column in columns))


def _log_wealth(cells: _Cells) -> float:
    """Returns the logarithm of the product over the cells, averaged over `ODDS`; 0 without cells."""
    n, a, m, c = cells
    q = (a + c) / (n + m)
    bets = [float(c.sum() * math.log(w) - m @ np.log1p(q * (w - 1.0))) for w in ODDS]
    return float(np.logaddexp.reduce(bets)) - math.log(len(ODDS))
