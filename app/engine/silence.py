"""Whether answers get lost evenly: the unanswered share of pairs and items against that of the plans they were in.

Losing answers does no harm as long as it has nothing to do with the outcome. If it has (only clicks are reported, say),
pairs that are clicked more often stay silent less often, and that shows.

A plan is handed out in a random order. So if the loss has nothing to do with the pair, it strikes a plan's pairs like
cards drawn from a shuffled pack, however it varies in time (an ad server that is down for an hour loses whatever was
out): given that U of a plan's N impressions stayed silent, each set of U is as likely as any other. Bet on that: let
every impression have a weight, by its pair, fixed before the plan's answers. With the weights' mean w_bar over the plan

    E[product of the weights of the silent ones] <= w_bar^U,

because the left side is the mean over all sets of U (Maclaurin's inequality for elementary symmetric means). And for a
weight w on the m impressions of one pair or item and 1 on all others, u of them silent and q = U/N,

    E[w^u] <= (1 - q + q w)^m,

because drawing without putting back is less variable than with (Hoeffding 1963). So what a bet returns, left side over
right side, has mean at most 1, given the plans before. The product over plans is a nonnegative supermartingale that
starts at 1, and so is any average of such: by Ville's inequality it ever reaches 1/alpha with probability at most
alpha. Averaged are

- bets that one pair's odds of silence differ by a fixed ratio, over all pairs and a few ratios; the same for items;
- one bet on all pairs at once, with weights exp(b_i + b_j) learned from the plans before (for U > N/2 it is placed on
  the answered ones, exp(-b_i - b_j): the inequality is sharper for the rarer ones). It wins where all differ a little.

Only plans of which nothing is out any more are looked at: an answer closes an impression at once and silence only after
a while, so a plan that is still out looks better answered than it is, and unevenly so.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray

ODDS = (0.25, 0.5, 0.75, 4 / 3, 2.0, 4.0)
"""Ratios to the plan's odds of silence that single pairs and items are betted to have."""

CAUTION = (0.5, 1.0)
"""What is learned of all pairs is betted in full and by half: it may be noise."""

SHRINKAGE = 8.0
"""Of a learned b_i: it is one step of Newton's method for log odds under a prior of standard deviation 1/sqrt(8)."""


class Unanswered(NamedTuple):
    """What became of shown impressions, by pair and plan version: answered, or silent for ever."""

    i: IntArray  # (m,)
    j: IntArray  # (m,) i <= j
    version: IntArray  # (m,)
    answered: IntArray  # (m,)
    silent: IntArray  # (m,)
    closed_before: int  # plan versions below this have nothing out any more

    @classmethod
    def none(cls) -> Self:
        """Returns what is known where silence is an answer too, or before the first impression."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing, nothing, nothing, 0)


class Uneven(NamedTuple):
    """The pair or item that stands out most: its unanswered share, and the one expected from its plans."""

    items: tuple[int, ...]
    share: float
    expected: float
    shown: int


def uneven_silence(unanswered: Unanswered, n_items: int, alpha: float) -> Uneven | None:
    """Returns who stands out, None if it may be chance; a false alarm ever has probability at most alpha."""
    rows = _closed(unanswered)
    if rows.silent.sum() in {0, rows.shown.sum()}:
        return None
    by_pair = _single_bets(rows.i * n_items + rows.j, rows.silent, rows.shown, rows.share)
    off = rows.i != rows.j  # a self pair is one impression of its item
    twice = (np.concatenate([column, column[off]]) for column in (rows.silent, rows.shown, rows.share))
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
    return Uneven(items, float(best.silent[at] / m), float(best.expected[at] / m), m)


class _Rows(NamedTuple):
    """Counts by pair and plan, of plans that are over."""

    i: IntArray  # (m,)
    j: IntArray  # (m,)
    version: IntArray  # (m,)
    silent: FloatArray  # (m,)
    shown: FloatArray  # (m,)
    share: FloatArray  # (m,) q of the row's plan


def _closed(unanswered: Unanswered) -> _Rows:
    closed = unanswered.version < unanswered.closed_before
    version, silent = unanswered.version[closed], unanswered.silent[closed].astype(np.float64)
    shown = silent + unanswered.answered[closed]
    q = np.bincount(version, silent) / np.maximum(np.bincount(version, shown), 1)
    return _Rows(unanswered.i[closed], unanswered.j[closed], version, silent, shown, q[version])


class _Bets(NamedTuple):
    """What betting on each pair or item returned, and the counts behind it."""

    key: IntArray  # (g,)
    log_wealth: FloatArray  # (g,)
    silent: FloatArray  # (g,)
    expected: FloatArray  # (g,) silent ones, from the plans' shares
    shown: FloatArray  # (g,)


def _single_bets(key: IntArray, silent: FloatArray, shown: FloatArray, q: FloatArray) -> _Bets:
    """Returns the wealth of each key, averaged over `ODDS`."""
    keys, group = np.unique(key, return_inverse=True)

    def summed(column: FloatArray) -> FloatArray:
        return np.bincount(group, column, len(keys)).astype(np.float64)

    wealth = [summed(silent * math.log(w) - shown * np.log1p(q * (w - 1.0))) for w in ODDS]
    log_wealth = np.logaddexp.reduce(wealth, axis=0) - math.log(len(ODDS))
    return _Bets(keys, log_wealth, summed(silent), summed(q * shown), summed(shown))


def _learned_bet(rows: _Rows, n_items: int) -> float:
    """Returns the logarithm of what the bet on all pairs at once returned, averaged over `CAUTION`."""
    width = int(rows.version.max()) + 1

    def before(column: FloatArray) -> FloatArray:  # (K, width), sums over the item's impressions in earlier plans
        cells = sum(np.bincount(item * width + rows.version, column, n_items * width) for item in (rows.i, rows.j))
        table = np.asarray(cells, dtype=np.float64).reshape(n_items, width)
        return np.cumsum(table, axis=1) - table

    q, version = rows.share, rows.version
    b = before(rows.silent - q * rows.shown) / (before(q * (1 - q) * rows.shown) + SHRINKAGE)
    flip = q > 0.5
    rarer = np.where(flip, rows.shown - rows.silent, rows.silent)
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
    """Returns the logarithm of the mean over all there are; what was never shown has wealth 1."""
    rest = number - len(log_wealth)
    total = float(np.logaddexp.reduce(log_wealth))
    return (float(np.logaddexp(total, math.log(rest))) if rest else total) - math.log(number)
