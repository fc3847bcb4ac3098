"""Two groups of one coin: can two groups of impressions have the same click probability p, as an assumption says?

M(p) of each group is a martingale of mean 1 at the true p (`confidence`), and so is the product of both, in any order
of impressions, if the group of an impression is known when it is issued. With p_hat of each group and p_bar of both
together

    log M_1(p) M_2(p) >= n_1 KL(p_hat_1, p_bar) + n_2 KL(p_hat_2, p_bar) + log M_1(p_hat_1) + log M_2(p_hat_2)

for *every* p, because p_bar minimises the left side. So by Ville's inequality the probability that the right side ever
reaches log(1/alpha) is at most alpha, for any p and with any other impressions in between. A plain comparison of two
means would be biased by adaptive sampling: the current leader probably had good luck earlier.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from app.engine.arrays import FloatArray, IntArray
from app.engine.confidence import log_price


class Coins(NamedTuple):
    """Impressions in groups, and how many of each had a click."""

    n: IntArray  # (m,)
    clicks: FloatArray  # (m,)


class Group(NamedTuple):
    """One group of impressions."""

    shown: int
    clicked: float


class Change(NamedTuple):
    """A change of a click probability after the plan of this row, and the impressions up to this plan and after it."""

    row: int
    until_version: int
    early: Group
    late: Group


def worst_disagreement(one: Coins, other: Coins, log_level: FloatArray) -> int | None:
    """Returns the index where the groups differ most beyond the level; None if they may agree everywhere."""
    both = (one.n > 0) & (other.n > 0)
    pooled = (one.clicks + other.clicks) / np.maximum(one.n + other.n, 1)
    excess = np.where(both, _distance(one, pooled) + _distance(other, pooled) - log_level, -np.inf)
    suspect = np.flatnonzero(excess > 0)  # the price of not knowing p, added below, can only lower the excess
    if len(suspect) == 0:
        return None
    price = sum(log_price(coins.n[suspect], coins.clicks[suspect], None) for coins in (one, other))
    net_excess = excess[suspect] + price
    worst = int(np.argmax(net_excess))
    return int(suspect[worst]) if net_excess[worst] > 0 else None


def _distance(coins: Coins, p: FloatArray) -> FloatArray:
    """Returns n KL(p_hat, p); p is 0 or 1 only where p_hat is too, or where n = 0."""
    p_hat = coins.clicks / np.maximum(coins.n, 1)
    return np.where(coins.n > 0, coins.n, 1) * (rel_entr(p_hat, p) + rel_entr(1 - p_hat, 1 - p))


def change(key: IntArray, version: IntArray, coins: Coins, log_level: float) -> Change | None:
    """Returns the clearest change of a key's coin between two plans; rows are sorted by key, then version.

    A change after the plan of version v is tested at log_level + log(v(v+1)), so that the error probabilities of one
    key add up to exp(-log_level). Plans that did not show the key give the same two groups, so only the rows of a key,
    except its last, are tested.
    """
    first = np.flatnonzero(np.diff(key, prepend=-1))  # where a key begins
    if len(first) == len(key):
        return None
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(key)))
    until = Coins(np.cumsum(coins.n), np.cumsum(coins.clicks))
    n_early = until.n - (until.n - coins.n)[first][group]
    c_early = until.clicks - (until.clicks - coins.clicks)[first][group]
    n_all, c_all = np.add.reduceat(coins.n, first)[group], np.add.reduceat(coins.clicks, first)[group]
    inner = np.flatnonzero(np.diff(group, append=-1) == 0)  # not the last of its key
    early = Coins(n_early[inner], c_early[inner])
    late = Coins((n_all - n_early)[inner], (c_all - c_early)[inner])
    v = version[inner].astype(np.float64)
    at = worst_disagreement(early, late, log_level + np.log(v * (v + 1.0)))
    if at is None:
        return None
    groups = (Group(int(part.n[at]), float(part.clicks[at])) for part in (early, late))
    return Change(int(inner[at]), int(v[at]), *groups)
