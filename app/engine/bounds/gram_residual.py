"""What bound G must know of the truth beyond a version's own samples: joint regions of entries, and what they allow.

**Region of a group.** The entries of a group (a row (L_ia) over the landmarks a, or the core) have independent coins,
so the product of their martingales (`confidence`) is a martingale of mean 1, and with probability 1 - alpha, at all
times at once, sum_a log M_a(p_a) <= log(1/alpha). With log M(p) = log M(p_hat) + n KL(p_hat, p) this reads

    sum_a n_a KL(p_hat_a, p_a) <= b,   b = log(1/alpha) - sum_a log M_a(p_hat_a),

so every entry has n KL(p_hat, p) <= b. The prior of M_a is what all samples before the first of these n say,
Beta(S_0 + 1/2, n_0 - S_0 + 1/2): -log M_a(p_hat) is then about log(1 + n/n_0)/2, where it is log(n)/2 from nothing.

Since d/dp KL(q, p) = (p - q) / (p(1-p)),

    KL(q, p) = integral from q to p of (x - q) / (x(1-x)) dx >= (p - q)^2 / (2v),   v = max of x(1-x) between q and p.

Two uses. Let q be the smaller of p_hat and 1 - p_hat, and c = b/n. An end p <= 1/2 on the side of 1/2 has v = p(1-p),
so it is at most the root of (p-q)^2 = 2c p(1-p), p = (q + c + sqrt(c^2 + 2c q(1-q))) / (1 + 2c), or 1/2: `most_even`,
the point of the entry's range nearest to 1/2. And x(1-x) is nowhere in the range larger than there, so for the group

    sum_a kappa_a (p_a - p_hat_a)^2 <= 2b,   kappa_a = n_a / (p(1-p)) at `most_even`.

The range must be that of the level b: with a smaller one kappa_a would not hold everywhere p_a may be. (The least
second derivative S/p^2 + (n-S)/(1-p)^2 over the range would do too; towards 1/2 it is smaller, by
(p - p_hat)(1-2p) / (p^2 (1-p)^2).) For a linear function k.x of a row this gives, by Cauchy and Schwarz,

    |k.x| <= |k.x_hat| + sqrt(2b sum_a k_a^2 / kappa_a):   `reach`.

**Core.** Let M be the symmetric core, M_hat its means, T = |M_hat|^(-1/2) (same eigenvectors) and J the signs, so that
M_hat = T^-1 J T^-1; E = T (M - M_hat) T. E is the sum over a <= b of (M - M_hat)_ab T (E_ab + E_ba [a != b]) T, hence

    ||E||^2 <= omega^2 = 2b lambda_max of the Gram matrix of T (E_ab + E_ba [a != b]) T / sqrt(kappa_ab), over a <= b.

For any symmetric K, with P = J + E (so M = T^-1 P T^-1), k = T^-1 K T^-1 and w = T x,

    x_i' (M^-1 - 2K + K M K) x_j = w_i' (1 - kP) P^-1 (1 - Pk) w_j,
    at most (||1 - kJ|| + ||k|| omega)^2 / (1 - omega) |w_i| |w_j| in size, if omega < 1:   `core_residual`.

If omega < 1 on a region that holds, M is invertible: no need to assume it.

All functions take leading dimensions: separate sessions side by side.
"""

from typing import NamedTuple, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray
from app.engine.bounds.gram_counts import Columns, Core, Entries, Landmarks
from app.engine.confidence import JEFFREYS, log_martingale_at_mean

_UNSEEN = 1e-6
"""kappa of an entry without samples: (p - 0)^2 <= 1 is true, and this much more budget pays for it."""

_SINGULAR = 1e-9
"""An eigenvalue of the core's means below this is rounding: nothing can be said through its inverse."""


class Region(NamedTuple):
    """Where the probabilities of a group of entries are, the group along the last axis."""

    budget: FloatArray  # (...) b
    most_even: FloatArray  # (..., m) the point of each entry's own range nearest to 1/2
    blur: FloatArray  # (..., m) 1/kappa

    @classmethod
    def of(cls, n: IntArray, s: FloatArray, n_0: IntArray, s_0: FloatArray, log_level: float) -> Self:
        """Returns the joint region at log(1/alpha) = log_level from counts n, S and those before them."""
        price = log_martingale_at_mean(n, s, s_0 + JEFFREYS, n_0 - s_0 + JEFFREYS)
        budget = log_level - np.sum(np.where(n > 0, price, -_UNSEEN), axis=-1)
        even = most_even(n, s, budget[..., None])
        return cls(budget, even, np.where(n > 0, even * (1 - even) / np.maximum(n, 1), 1 / _UNSEEN))


def most_even(n: IntArray, s: FloatArray, budget: FloatArray) -> FloatArray:
    """Returns the p nearest to 1/2 with n KL(p_hat, p) <= budget, or one a little nearer; 1/2 where n = 0."""
    seen = np.maximum(n, 1)
    mean = s / seen
    q, c = np.minimum(mean, 1 - mean), budget / seen
    end = (q + c + np.sqrt(c**2 + 2 * c * q * (1 - q))) / (1 + 2 * c)
    end = np.where(n > 0, np.minimum(end, 0.5), 0.5)
    return np.where(mean > 0.5, 1 - end, end)


def proxy(p: FloatArray) -> FloatArray:
    """Returns the Kearns-Saul variance s(p) = (1-2p) / (2 log((1-p)/p)) = t / (4 artanh t), t = |1 - 2p|; 1/4 at 1/2.

    A coin has E exp(z (X - p)) <= exp(z^2 s(p) / 2) for every z. s grows towards 1/2, so its maximum over an entry's
    range is at `most_even`.
    """
    t = np.abs(1 - 2 * np.clip(p, 1e-12, 1 - 1e-12))
    return np.where(t < 1e-4, 0.25, t / (4 * np.arctanh(np.maximum(t, 1e-4))))


class CoreRegion(NamedTuple):
    """Where the core is."""

    T: FloatArray  # (..., q, q)
    root: FloatArray  # (..., q, q) T^-1
    J: FloatArray  # (..., q, q)
    omega: FloatArray  # (...) infinite if some entry has no sample

    @classmethod
    def of(cls, core: Core, about: Region) -> Self:
        """Returns it from the core's counts and the region of its entries."""
        values, vectors = np.linalg.eigh(core.mean)
        size = np.sqrt(np.maximum(np.abs(values), _SINGULAR))[..., None, :]
        back = np.swapaxes(vectors, -1, -2)
        T, root, J = (vectors / size) @ back, (vectors * size) @ back, (vectors * np.sign(values)[..., None, :]) @ back
        one_way = np.einsum("...pm,...rm->...mpr", T[..., core.a], T[..., core.b])  # (..., m, q, q) T E_ab T
        both_ways = one_way + np.where((core.a != core.b)[:, None, None], np.swapaxes(one_way, -1, -2), 0.0)
        scaled = both_ways * np.sqrt(about.blur)[..., None, None]
        flat = scaled.reshape(*scaled.shape[:-2], -1)
        stretch = np.linalg.eigvalsh(flat @ np.swapaxes(flat, -1, -2))[..., -1]
        known = np.all(core.n > 0, axis=-1) & (np.abs(values).min(axis=-1) > _SINGULAR)
        return cls(T, root, J, np.where(known, np.sqrt(2 * about.budget * np.maximum(stretch, 0.0)), np.inf))


def core_residual(K: FloatArray, core: CoreRegion) -> FloatArray:
    """Returns (||1 - kJ|| + ||k|| omega)^2 / (1 - omega), (...); infinite where nothing can be said."""
    k = core.root @ K @ core.root
    sound = core.omega < 1
    omega = np.where(sound, core.omega, 0.0)
    off = _norm(np.eye(K.shape[-1]) - k @ core.J) + _norm(k) * omega
    return np.where(sound, off**2 / (1 - omega), np.inf)


def _norm(matrix: FloatArray) -> FloatArray:
    """Returns the spectral norm of each matrix of a stack."""
    return np.asarray(np.linalg.norm(matrix, 2, axis=(-2, -1)))


class Known(NamedTuple):
    """Where everything is that landmarks measure."""

    x_hat: FloatArray  # (..., K, q) means of the rows
    rows: Region  # groups (..., K) of q entries, and the self pair if the bound is rank free
    core: CoreRegion
    most_even: Entries  # of each entry

    @classmethod
    def of(cls, counts: Columns, before: Columns, landmarks: Landmarks, log_level: float) -> Self:
        """Returns the regions of all rows and of the core, each at log(1/alpha) = log_level."""
        core, core_before = counts.core(landmarks), before.core(landmarks)
        about = Region.of(core.n, core.s, core_before.n, core_before.s, log_level)
        rows = Region.of(*counts.rows(landmarks), *before.rows(landmarks), log_level)
        even, q = rows.most_even, counts.n.shape[-1]
        entries = Entries(even[..., :q], core.matrix(about.most_even), even[..., -1])
        return cls(counts.s / np.maximum(counts.n, 1), rows, CoreRegion.of(core, about), entries)

    def noise(self, n: Entries) -> Entries:
        """Returns s(p)/n, the largest sub-Gaussian variance of means of n coins; 0 where there are none."""
        pairs = zip(self.most_even, n, strict=True)
        return Entries(*(np.where(m > 0, proxy(p) / np.maximum(m, 1), 0.0) for p, m in pairs))


def reach(K: FloatArray, known: Known) -> FloatArray:
    """Returns the largest |K x_i| (..., K, q), component by component, for K (..., q, q)."""
    turned, q = np.swapaxes(K, -1, -2), K.shape[-1]
    spread = 2 * known.rows.budget[..., None] * (known.rows.blur[..., :q] @ turned**2)
    return np.abs(known.x_hat @ turned) + np.sqrt(spread)
