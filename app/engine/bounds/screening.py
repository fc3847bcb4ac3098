"""Bound F, screening through a blank: K entries bound all K^2 pairs from below (assumption `mixture`).

For a, b, c in [0, 1]: (1-a)(1-b) >= 0 gives ab >= a + b - 1, hence ab >= abc >= c(a + b - 1) >= ac + bc - 1.
With a, b, c the no-click probabilities of a user's group for items i, j, c, averaged over groups:

    L_ij >= L_ic + L_jc - 1     for every third item c.

If c is hardly ever clicked, little is lost (at most E[u_i u_j] + 2 E[u_c], with u = 1 minus the no-click probability),
and the K entries (i, c) exclude all pairs of two weak items. Only samples issued after c was chosen count.

For one pair, M_ic M_jc is a martingale of mean 1 (two entries, independent draws, all impressions of the session
counted in the order of issue), so with probability 1 - alpha the true (p, q) is at all times in the joint region
log M_ic(p) + log M_jc(q) <= log(1/alpha). The smallest p + q in this region is bounded from below by weak duality: for
*every* multiplier m >= 0

    p + q >= h_i(m) + h_j(m) - m log(1/alpha),   h_i(m) = min over p of p + m log M_ic(p).

h has a closed form and depends on one item only, so one grid of multipliers is enough for all pairs, and no roots have
to be found for K^2 pairs. The bound holds with any grid; with steps of 25 %, about 1 % of the width is lost (a tenth
where nothing was clicked yet).
"""

import numpy as np
from scipy.special import rel_entr

from app.engine.arrays import FloatArray, IntArray, n_pairs
from app.engine.choices import Blank
from app.engine.confidence import log_price
from app.engine.evidence import Evidence

GRID_RATIO = 1.25
"""The ratio of neighbouring multipliers: one of them is within 12 % of the best multiplier. Where KL is quadratic, the
difference costs (1.12 + 1/1.12)/2 - 1 = .6 % of the width, elsewhere up to about 1 %."""

GRID_PRICE = 20.0
"""The prices of two entries, about log(n)/2 each, are below this for all n that occur: the grid starts low enough."""

GRID_MIN_SPREAD, GRID_STEPS_ABOVE = 1e-3, 3
"""The grid ends this many steps above the best multiplier of the most uncertain entry, as if its variance were at least
the first number: where nothing was clicked yet, KL is not quadratic and higher multipliers are better."""


def blank_bounds(evidence: Evidence, blank: Blank, log_level: float) -> FloatArray:
    """Returns lower bounds of L_ij for all pairs, (P,), through one blank; 0 for pairs with the blank itself."""
    K, c = evidence.n_items, blank.item
    all_items = np.arange(K)
    n, s = evidence.issued(blank.version + 1).entries(all_items, np.full(K, c))
    n, s = np.where(all_items == c, 0, n), np.where(all_items == c, 0.0, s)
    return screening_bounds(n, s, log_level, np.array(blank.guess))


def screening_bounds(n: IntArray, s: FloatArray, log_level: float, guess: FloatArray | None) -> FloatArray:
    """Returns lower bounds of p_i + p_j - 1 for all pairs, (P,), from each item's counts (K,). Cost O(K^2), tiled.

    `guess` holds estimates of the p_i from before the first of these samples.
    """
    m = multipliers(n, s, log_level)
    h = item_terms(n, s, guess, m)  # (q, K)
    K = len(n)
    lower = np.empty(n_pairs(K))
    for i in range(K - 1):
        row = slice(i * (2 * K - i - 1) // 2, (i + 1) * (2 * K - i - 2) // 2)
        lower[row] = least_excess(h[:, i + 1 :] + h[:, i, None], m, log_level)
    return lower


def least_excess(terms: FloatArray, m: FloatArray, log_level: float) -> FloatArray:
    """Returns lower bounds of p_i + p_j - 1, (pairs,), from h_i(m) + h_j(m), (q, pairs): the highest over all m."""
    return np.clip(np.max(terms - (1.0 + m * log_level)[:, None], axis=0), 0.0, 1.0)


def multipliers(n: IntArray, s: FloatArray, log_level: float) -> FloatArray:
    """Returns the grid (q,): from the best multiplier of the two least uncertain entries to that of the two most.

    Where KL is quadratic, the best one is sqrt((v_i/n_i + v_j/n_j) / 2b) with variances v and b near log(1/alpha).
    """
    mean = (s + 0.5) / (n + 1)
    spread = mean * (1 - mean) / np.maximum(n, 1)
    low = np.sqrt(spread.min() / (log_level + GRID_PRICE)) / GRID_RATIO
    high = np.sqrt(max(spread.max(), GRID_MIN_SPREAD) / log_level) * GRID_RATIO**GRID_STEPS_ABOVE
    steps = int(np.ceil(np.log(high / low) / np.log(GRID_RATIO)))
    return low * GRID_RATIO ** np.arange(steps + 1)


def item_terms(n: IntArray, s: FloatArray, guess: FloatArray | None, m: FloatArray) -> FloatArray:
    """Returns h_i(m) for all items and multipliers, (q, K)."""
    return least_tilted(n, s, log_price(n, s, guess), m[:, None])


def least_tilted(n: IntArray, s: FloatArray, price: FloatArray, m: FloatArray) -> FloatArray:
    """Returns h(m) = min over p of p + m log M(p), for counts, their `log_price`, and multipliers that broadcast.

    With log M(p) = log M(p_hat) + n KL(p_hat, p) the minimum is where p(1-p) = m n (p_hat - p), a quadratic whose
    smaller root is 2 m n p_hat / (1 + m n + sqrt((1 + m n)^2 - 4 m n p_hat)).
    """
    p_hat = np.divide(s, n, out=np.zeros(len(n)), where=n > 0)
    mn = m * n
    root = np.sqrt(np.maximum((1 + mn) ** 2 - 4 * mn * p_hat, 0.0))
    p = np.minimum(2 * mn * p_hat / (1 + mn + root), p_hat)
    kl = rel_entr(p_hat, p) + rel_entr(1 - p_hat, 1 - p)
    return p + mn * kl + m * price
