"""Whether feedback is lost evenly: the unanswered part of pairs and items against that of the plans they were in.

Losing feedback does no harm as long as it is independent of the outcome. If it is not (for example, if only clicks are
reported), pairs that are clicked more often are unanswered less often, and that can be detected.

A plan is handed out in a random order. So if the loss is independent of the pair, it affects the pairs of a plan like
cards drawn from a shuffled pack, however it varies in time (a server that is down for an hour loses all feedback of
that hour): given that U of a plan's N impressions are unanswered, each set of U is equally likely. Bet on that: give
every impression a weight, by its pair, fixed before the feedback of the plan. With the mean w_bar of the weights over
the plan

    E[product of the weights of the unanswered ones] <= w_bar^U,

because the left side is the mean over all sets of U (Maclaurin's inequality for elementary symmetric means). And for a
weight w on the m impressions of one pair or item and 1 on all others, u of them unanswered and q = U/N,

    E[w^u] <= (1 - q + q w)^m,

because drawing without replacement is less variable than with replacement (Hoeffding 1963). So the return of a bet,
left side over right side, has mean at most 1, given the plans before. The product over plans is a nonnegative
supermartingale that starts at 1, and so is any average of such products: by Ville's inequality it ever reaches 1/alpha
with probability at most alpha. The average is over

- bets that the odds of one pair differ by a fixed ratio, over all pairs and a few ratios; the same for items;
- one bet on all pairs at once, with weights exp(b_i + b_j) learned from the plans before (for U > N/2 it is placed on
  the answered ones, exp(-b_i - b_j): the inequality is sharper for the rarer ones). It wins where all differ a little.

Only plans without open impressions are used: an answer closes an impression at once, a missing one only after a while.
So a plan with open impressions seems to be answered better than it is, and unevenly.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray

ODDS = (0.25, 0.5, 0.75, 4 / 3, 2.0, 4.0)
"""Bets on single pairs and items: their odds of being unanswered are this many times those of their plan."""

CAUTION = (0.5, 1.0)
"""Bets use the learned weights in full and by half: they may be noise."""

SHRINKAGE = 8.0
"""For a learned b_i: one step of Newton's method for log odds under a prior of standard deviation 1/sqrt(8)."""


class Unanswered(NamedTuple):
    """Closed impressions by pair and plan version: answered, or given up without an answer."""

    i: IntArray  # (m,)
    j: IntArray  # (m,) i <= j
    version: IntArray  # (m,)
    answered: IntArray  # (m,)
    missing: IntArray  # (m,)
    closed_before: int  # plan versions below this have no open impressions

    @classmethod
    def none(cls) -> Self:
        """Returns no counts: before the first impression, or where no answer counts as no click."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing, nothing, nothing, 0)


class Uneven(NamedTuple):
    """The pair or item that differs most: its unanswered part, and the one expected from its plans."""

    items: tuple[int, ...]
    share: float
    expected: float
    shown: int


def uneven_loss(unanswered: Unanswered, n_items: int, alpha: float) -> Uneven | None:
    """Returns the pair or item that differs most, None if it may be chance; false alarms: at most alpha."""
    rows = _closed(unanswered)
    if rows.missing.sum() in {0, rows.shown.sum()}:
        return None
    by_pair = _single_bets(rows.i * n_items + rows.j, rows.missing, rows.shown, rows.share)
    off = rows.i != rows.j  # a self pair is one impression of its item
    twice = (np.concatenate([column, column[off]]) for column in (rows.missing, rows.shown, rows.share))
    by_item = _single_bets(np.concatenate([rows.i, rows.j[off]]), *twice)
    log_wealth = [
        _log_average(by_pair.log_wealth, n_items * (n_items + 1) // 2),
        _log_average(by_item.log_wealth, n_items),
        _learned_bet(rows, n_items),
    ]
    if np.logaddexp.reduce(log_wealth) - math.log(len(log_wealth)) < math.log(1 / alpha):
        return None
    best = max(by_pair, by_item, key=lambda bets: float(bets.log_wealth.max()))
    at = int(np.argmax(best.log_wealth))
    key, m = int(best.key[at]), int(best.shown[at])
    items = (key,) if best is by_item else divmod(key, n_items)
    return Uneven(items, float(best.missing[at] / m), float(best.expected[at] / m), m)


class _Rows(NamedTuple):
    """Counts by pair and plan, of plans without open impressions."""

    i: IntArray  # (m,)
    j: IntArray  # (m,)
    version: IntArray  # (m,)
    missing: FloatArray  # (m,)
    shown: FloatArray  # (m,)
    share: FloatArray  # (m,) q of the row's plan


def _closed(unanswered: Unanswered) -> _Rows:
    closed = unanswered.version < unanswered.closed_before
    version, missing = unanswered.version[closed], unanswered.missing[closed].astype(np.float64)
    shown = missing + unanswered.answered[closed]
    q = np.bincount(version, missing) / np.maximum(np.bincount(version, shown), 1)
    return _Rows(unanswered.i[closed], unanswered.j[closed], version, missing, shown, q[version])


class _Bets(NamedTuple):
    """The log wealth of the bets on each pair or item, and the counts they used."""

    key: IntArray  # (g,)
    log_wealth: FloatArray  # (g,)
    missing: FloatArray  # (g,)
    expected: FloatArray  # (g,) missing ones, from the parts of their plans
    shown: FloatArray  # (g,)


def _single_bets(key: IntArray, missing: FloatArray, shown: FloatArray, q: FloatArray) -> _Bets:
    """Returns the wealth of each key, averaged over `ODDS`."""
    keys, group = np.unique(key, return_inverse=True)

    def summed(column: FloatArray) -> FloatArray:
        return np.bincount(group, column, len(keys)).astype(np.float64)

    wealth = [summed(missing * math.log(w) - shown * np.log1p(q * (w - 1.0))) for w in ODDS]
    log_wealth = np.logaddexp.reduce(wealth, axis=0) - math.log(len(ODDS))
    return _Bets(keys, log_wealth, summed(missing), summed(q * shown), summed(shown))


def _learned_bet(rows: _Rows, n_items: int) -> float:
    """Returns the log wealth of the bet on all pairs at once, averaged over `CAUTION`."""
    width = int(rows.version.max()) + 1

    def before(column: FloatArray) -> FloatArray:  # (K, width), sums over the item's impressions in earlier plans
        cells = sum(np.bincount(item * width + rows.version, column, n_items * width) for item in (rows.i, rows.j))
        table = np.asarray(cells, dtype=np.float64).reshape(n_items, width)
        return np.cumsum(table, axis=1) - table

    q, version = rows.share, rows.version
    b = before(rows.missing - q * rows.shown) / (before(q * (1 - q) * rows.shown) + SHRINKAGE)
    flip = q > 0.5
    rarer = np.where(flip, rows.shown - rows.missing, rows.missing)
    score = np.where(flip, -1.0, 1.0) * (b[rows.i, version] + b[rows.j, version])
    N, U = np.bincount(version, rows.shown, width), np.bincount(version, rarer, width)
    plans = U > 0
    wealth = [
        caution * (rarer @ score)
        - U[plans] @ np.log(np.bincount(version, rows.shown * np.exp(caution * score), width)[plans] / N[plans])
        for caution in CAUTION
    ]
    return float(np.logaddexp.reduce(wealth)) - math.log(len(CAUTION))


def _log_average(log_wealth: FloatArray, number: int) -> float:
    """Returns the logarithm of the mean over `number` bets; those never shown have wealth 1."""
    rest = number - len(log_wealth)
    total = float(np.logaddexp.reduce(log_wealth))
    return (float(np.logaddexp(total, math.log(rest))) if rest else total) - math.log(number)
