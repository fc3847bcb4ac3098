"""What impressions of two items side by side add to what is known of each item apart: bound I of pairs that were shown.

Answers name the clicked items. q_i is 1 if item i is not clicked, p_i its mean; d_i is what p_i was thought to be
before the first of these samples. Whatever d_i and d_j are,

    L_ij = E[q_i q_j] = theta + d_j p_i + d_i p_j - d_i d_j,     theta = E[Z],  Z = (q_i - d_i)(q_j - d_j).

p_i and p_j come from impressions beside *other* items (assumption `slots-independent`), theta from those of the pair.
With d near p the variance of Z is about p_i (1-p_i) p_j (1-p_j), several times less than that of q_i q_j, and errors of
p_i are weighed by d_j < 1: a control variate.

**A martingale for theta.** Z >= -B, so for 0 <= g < 1 the factor 1 + g Z/B is positive, and its mean 1 + g theta/B is
at most exp(g theta/B). Hence W_g(theta) = product of (1 + g Z/B) exp(-g theta/B) has mean at most 1 given the past,
step by step: a supermartingale, whose logarithm is linear in theta and needs the four counts only. (It is a bet that Z
is larger than theta; g is the part of the purse that is staked.)

**Parts.** A weighted mean of such supermartingales of the same impressions is one, too: one part for each bet g, with
M_i and M_j of the items apart (three sets of different impressions, so the product is one as well); and two parts that
count the pair's own impressions for item i, or for item j, and say what a pair never shown has, L_ij >= p_i + p_j - 1
(both are clicked with a probability of at least 0). By Ville's inequality, with probability 1 - alpha, at all times, no
part of weight w exceeds 1/(alpha w). For a bet, with b = log(1/alpha) + log(1/w) and the multiplier m = B/(g n), solved
for theta and minimised over p_i and p_j by themselves:

    L_ij >= m (sum of log(1 + g Z/B) - b) + d_j h_i(m/d_j) + d_i h_j(m/d_i) - d_i d_j,

h(m) = min over p of p + m log M(p) as in `screening`. The best of all parts holds, because each does.
"""

from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds.screening import least_tilted
from app.engine.confidence import log_price

BETS = (0.8, 0.5, 0.32, 0.2, 0.13, 0.08, 0.05, 0.03)
"""g: of the order of B times the distance to be shown over the variance of Z, so the large ones are for few samples. A
bet that is wrong by a factor of 1.26 costs 4 to 7 % of the exponent."""

NO_BET = 0.5
"""Weight of the two parts that count the pair's own impressions for an item; the bets have the rest, in equal parts."""

RATIOS = tuple(0.64 * 1.3**step for step in range(9))
"""Multipliers tried, beside the one that is best where KL is quadratic: where clicks are rare, larger ones are."""


class Apart(NamedTuple):
    """One item of each pair, beside other items than its partner."""

    n: IntArray  # (m,)
    s: FloatArray  # (m,) not clicked
    d: FloatArray  # (m,) what p was thought to be

    def and_beside_it(self, n: IntArray, clicks: FloatArray) -> "Apart":
        """Returns the counts with the pair's own impressions added."""
        return Apart(self.n + n, self.s + n - clicks, self.d)


class Together(NamedTuple):
    """Impressions of pairs of items, by what was clicked."""

    n: IntArray  # (m,)
    neither: FloatArray  # (m,)
    only_i: FloatArray  # (m,)
    only_j: FloatArray  # (m,)

    @property
    def both(self) -> FloatArray:
        """Impressions with clicks on both."""
        return self.n - self.neither - self.only_i - self.only_j


def lower_together(pairs: Together, i: Apart, j: Apart, log_level: float) -> FloatArray:
    """Returns lower bounds of L, (m,), at log(1/alpha) = log_level."""
    by_i = _sum_of_two(i.and_beside_it(pairs.n, pairs.only_i + pairs.both), j, log_level)
    by_j = _sum_of_two(i, j.and_beside_it(pairs.n, pairs.only_j + pairs.both), log_level)
    return np.clip(np.maximum.reduce([_best_bet(pairs, i, j, log_level), by_i, by_j]), 0.0, 1.0)


def _best_bet(pairs: Together, i: Apart, j: Apart, log_level: float) -> FloatArray:
    """Returns what the best bet says of L."""
    d_i, d_j, n = i.d, j.d, np.maximum(pairs.n, 1)
    counts = (pairs.neither, pairs.only_i, pairs.only_j, pairs.both)
    Z = ((1 - d_i) * (1 - d_j), -d_i * (1 - d_j), -(1 - d_i) * d_j, d_i * d_j)
    B = np.maximum(-Z[1], -Z[2])
    price_i, price_j = (log_price(one.n, one.s, one.d) for one in (i, j))
    b = log_level - np.log((1.0 - NO_BET) / len(BETS))
    best = np.full(len(n), -np.inf)
    for g in BETS:
        m = B / (g * n)
        purse = sum(count * np.log1p(g * value / B) for value, count in zip(Z, counts, strict=True))
        item_i = d_j * least_tilted(i.n, i.s, price_i, m / d_j)
        item_j = d_i * least_tilted(j.n, j.s, price_j, m / d_i)
        best = np.maximum(best, m * (purse - b) + item_i + item_j)
    return best - d_i * d_j


def _sum_of_two(i: Apart, j: Apart, log_level: float) -> FloatArray:
    """Returns the least p_i + p_j - 1."""
    price_i, price_j = (log_price(one.n, one.s, one.d) for one in (i, j))
    b = log_level - np.log(NO_BET / 2)
    quadratic = np.sqrt((_spread(i) + _spread(j)) / (2 * (b - price_i - price_j)))
    best = np.full(len(quadratic), -np.inf)
    for ratio in RATIOS:
        m = ratio * quadratic
        terms = least_tilted(i.n, i.s, price_i, m) + least_tilted(j.n, j.s, price_j, m)
        best = np.maximum(best, terms - 1.0 - m * b)
    return best


def _spread(one: Apart) -> FloatArray:
    """Returns the variance of an item's mean."""
    mean = (one.s + 0.5) / (one.n + 1)
    return mean * (1 - mean) / np.maximum(one.n, 1)
