"""Anytime confidence interval for one entry of L, from its counts.

Let X_1, X_2, ... be independent coins with P(X=1) = p and S the ones among the first n. Mixing the likelihood ratio
against p over a Beta(a, b) prior gives

    M_n(p) = B(S+a, n-S+b) / B(a, b) / (p^S (1-p)^(n-S)),

a martingale of mean 1 at the true p (each factor is the ratio of a predictive probability to the true one). Ville's
inequality: P(some n has M_n(p) >= 1/alpha) <= alpha. So {p : log M_n(p) <= log(1/alpha)} covers the true p at all
times at once with probability 1-alpha; a dashboard may look at any time. The two ends are used separately, each at its
own level. Only the order within the entry matters, not when the other entries are sampled.

With p_hat = S/n the log martingale splits as log M(p) = log M(p_hat) + n KL(p_hat, p), so an end is where

    n KL(p_hat, p) = c,   c = log(1/alpha) - log M(p_hat).

-log M(p_hat) is the price of not knowing p, about log(n)/2 with the Jeffreys prior. A guess g of p, fixed before the
entry's first sample, lowers it: any mixture of martingales is a martingale, so Jeffreys (weight 1/2) is mixed with
Beta(m g, m (1-g)) for a few strengths m. A good guess leaves about log(1 + n/m)/2 of the price, a bad one costs log 2.
"""

import math

import numpy as np
from scipy.special import betaln, expit, gammaln, log_expit, xlogy

from app.engine.arrays import FloatArray, IntArray

JEFFREYS = 0.5
"""a = b of the default prior: the width is within a constant of optimal at every p (Krichevsky-Trofimov)."""

GUIDED = ((0.25, 30.0), (0.25, 300.0))
"""(weight, strength) of the guided priors, Jeffreys has the rest: 30 trusts a guess to about .08, 300 to about .03."""

_STIRLING_FROM = 20.0
"""From here on, the last term used of Stirling's series is below 1e-13."""

_ROUNDING = -1e-12
"""Subtracted from the logarithm, so that rounding can only widen the interval."""

_NEWTON_STEPS = 60
"""A limit only: usually fewer than 16 steps are taken, at huge n some more until rounding ends them."""


def log_martingale_at_mean(n: IntArray, s: FloatArray, a: float | FloatArray, b: float | FloatArray) -> FloatArray:
    """Returns log M(p_hat) <= 0 for each entry: the price of not knowing p (about -log(n)/2).

    With G(m, c) = log Gamma(m + c) - m log m + m it is G(S, a) + G(n-S, b) - G(n, a+b) - log B(a, b). Written with
    Gamma functions alone, numbers of size n log n would cancel, and rounding could make the interval too narrow.
    """
    failures = n - s
    price = _scaled_log_gamma(s, a) + _scaled_log_gamma(failures, b) - _scaled_log_gamma(n, a + b) - betaln(a, b)
    return np.minimum(price + _ROUNDING, 0.0)


def _scaled_log_gamma(m: IntArray | FloatArray, c: float | FloatArray) -> FloatArray:
    """Returns log Gamma(m + c) - m log m + m, by Stirling's series from m = `_STIRLING_FROM` on: error below 1e-13.

    (m + c - 1/2) log(m + c) - (m + c) + log(2 pi)/2 + tail, with log(m + c) = log m + log1p(c/m).
    """
    m = np.asarray(m, dtype=np.float64)
    large = np.maximum(m, _STIRLING_FROM)
    x = large + c
    tail = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / x**2) / x**2) / x**2) / x
    series = (c - 0.5) * np.log(large) + (x - 0.5) * np.log1p(c / large) - c + 0.5 * np.log(2 * np.pi) + tail
    small = np.minimum(m, _STIRLING_FROM)
    return np.where(m >= _STIRLING_FROM, series, gammaln(small + c) - xlogy(small, small) + small)


def log_price(n: IntArray, s: FloatArray, guess: FloatArray | None) -> FloatArray:
    """Returns log M(p_hat) of the mixture of priors: Jeffreys alone without a guess."""
    price = log_martingale_at_mean(n, s, JEFFREYS, JEFFREYS)
    if guess is None:
        return price
    price = price + math.log(1.0 - sum(weight for weight, _ in GUIDED))
    for weight, strength in GUIDED:
        guided = log_martingale_at_mean(n, s, strength * guess, strength * (1.0 - guess))
        price = np.logaddexp(price, guided + math.log(weight))
    return np.minimum(price, 0.0)


def lower_end(n: IntArray, s: FloatArray, log_level: float, guess: FloatArray | None = None) -> FloatArray:
    """Returns the lower confidence limit of each entry at log(1/alpha) = log_level; 0 where nothing was seen.

    `guess` (strictly between 0 and 1) must not depend on the samples counted in n and S.
    """
    return _distinct_roots(n, s, log_level, guess)


def upper_end(n: IntArray, s: FloatArray, log_level: float, guess: FloatArray | None = None) -> FloatArray:
    """Returns the upper confidence limit: clicks and non-clicks change places, so 1 minus a lower limit."""
    return 1.0 - _distinct_roots(n, n - s, log_level, None if guess is None else 1.0 - guess)


def _distinct_roots(n: IntArray, s: FloatArray, log_level: float, guess: FloatArray | None) -> FloatArray:
    """Returns lower limits where S > 0 (elsewhere 0); without guesses once per distinct (n, S), few early on."""
    lower = np.zeros(len(n))
    seen = np.flatnonzero(s > 0)  # at many items most pairs are never shown
    if guess is not None or len(n) < 1000:
        lower[seen] = _lower_root(n[seen], s[seen], log_level, None if guess is None else guess[seen])
        return lower
    _, first, back = np.unique(n[seen] + 1j * s[seen], return_index=True, return_inverse=True)
    first = seen[first]
    lower[seen] = _lower_root(n[first], s[first], log_level, None)[back]
    return lower


def _lower_root(n: IntArray, s: FloatArray, log_level: float, guess: FloatArray | None) -> FloatArray:
    """Returns the p below p_hat with n KL(p_hat, p) = c, for entries with S > 0.

    Newton's method in theta = logit p, where g(theta) = n (log(1+e^theta) - p_hat theta - h(p_hat)) - c is convex and
    asymptotically linear. From a point with g >= 0 left of the root every iterate stays there, so an early stop can
    only widen the interval. Two such points, the nearer is taken: Pinsker's p_hat - sqrt(c / 2n), and the root of
    the line -n (p_hat theta + h) - c, which lies below g.
    """
    if len(n) == 0:
        return np.zeros(0)
    p_hat = s / n
    budget = (log_level - log_price(n, s, guess)) / n  # KL allowed
    entropy = -(xlogy(p_hat, p_hat) + xlogy(1 - p_hat, 1 - p_hat))
    theta = -(budget + entropy) / p_hat
    pinsker = p_hat - np.sqrt(budget / 2)
    safe = np.clip(pinsker, 1e-300, 1 - 1e-16)
    theta = np.where(pinsker > 0, np.maximum(theta, np.log(safe) - np.log1p(-safe)), theta)
    for _ in range(_NEWTON_STEPS):
        p = expit(theta)
        excess = -log_expit(-theta) - p_hat * theta - entropy - budget
        step = np.where(excess > 0, excess / np.maximum(p_hat - p, 1e-300), 0.0)
        theta = theta + step
        if np.all(step <= 1e-13 * (1 + np.abs(theta))):
            break
    return np.minimum(expit(theta), p_hat)
