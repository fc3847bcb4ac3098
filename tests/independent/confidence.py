"""Section 3 of docs/mathematics.md: bounds of one probability that hold at all times."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln, xlogy

Floats = NDArray[np.float64]

ROUNDING = -1e-12
JEFFREYS = 0.5
GUIDED = ((0.25, 30.0), (0.25, 300.0))
STIRLING_FROM = 100.0
BISECTIONS = 60


def log_gamma_excess(m: Floats, c: Floats | float) -> Floats:
    """Compute G(m, c) = log Gamma(m + c) - m log m + m; for large m without its large terms."""
    z = np.maximum(m, STIRLING_FROM) + c
    series = 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)
    large = (z - c) * np.log1p(c / (z - c)) + (c - 0.5) * np.log(z) - c + np.log(2 * np.pi) / 2 + series
    return np.where(m < STIRLING_FROM, gammaln(m + c) - xlogy(m, m) + m, large)


def log_mixture(n: Floats, S: Floats, a: Floats | float, b: Floats | float) -> Floats:
    """Compute e(a, b) of step 2: log M(q) for one beta prior."""
    excess = log_gamma_excess(S, a) + log_gamma_excess(n - S, b) - log_gamma_excess(n, a + b)
    return np.minimum(excess - betaln(a, b) + ROUNDING, 0.0)


def price(n: Floats, S: Floats, guess: Floats | None) -> Floats:
    """Compute log M(q), negative; `guess` has one number for each count, or is None."""
    plain = log_mixture(n, S, JEFFREYS, JEFFREYS)
    if guess is None:
        return plain
    total = plain + np.log(1 - sum(weight for weight, _ in GUIDED))
    for weight, m in GUIDED:
        total = np.logaddexp(total, log_mixture(n, S, m * guess, m * (1 - guess)) + np.log(weight))
    return np.minimum(total, 0.0)


def divergence(q: Floats, p: Floats) -> Floats:
    """Compute KL(q, p), with 0 log 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ones = np.where(q > 0, q * np.log(q / p), 0.0)
        zeros = np.where(q < 1, (1 - q) * np.log((1 - q) / (1 - p)), 0.0)
    return ones + zeros


def low(n: Floats, S: Floats, b: float, guess: Floats | None) -> Floats:
    """Compute the lower end at b = log 1/alpha, for each count; 0 where S = 0."""
    target = b - price(n, S, guess)
    q = np.divide(S, n, out=np.zeros_like(S, dtype=float), where=n > 0)
    outside, inside = np.zeros_like(q), q.copy()
    for _ in range(BISECTIONS):
        middle = (outside + inside) / 2
        too_far = n * divergence(q, middle) > target
        outside, inside = np.where(too_far, middle, outside), np.where(too_far, inside, middle)
    return np.where(S > 0, inside, 0.0)


def high(n: Floats, S: Floats, b: float, guess: Floats | None) -> Floats:
    """Compute the upper end at b = log 1/alpha, for each count; 1 where S = n."""
    return 1.0 - low(n, n - S, b, None if guess is None else 1 - guess)
