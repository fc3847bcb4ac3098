"""Random populations: families of mixtures (ads, preferences, favourites, a trap) and the paper's synthetic L."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from app.engine.arrays import FloatArray
from app.simulation.population import InvalidPopulation, Population

Family = Callable[[int, int, np.random.Generator], Population]

# Shares are Dirichlet(5, ..., 5): groups of different sizes, none negligible.
SHARE_CONCENTRATION = 5.0
# clus: each group clicks a few items often and the rest rarely.
FAVOURITES_PER_GROUP = 5
FAVOURITE_CLICKS = (0.3, 0.7)
BACKGROUND_BETA = (1.0, 25.0)
# pref: click probabilities over a wide range.
PREFERENCE_CLICKS = (0.05, 0.7)

# trap, derived by hand. Each of two specialists is clicked with probability RARELY by one group, and by the other just
# often enough that its mean is m = SPECIALIST_MEAN. They have L = (1 - RARELY)(1 + RARELY - 2m) = .245 for all shares.
# The two best generalists, liked equally by both groups with mean up to .46, have (1-.46)^2 = .292, less at most
# (GENERALIST_TILT / 2)^2 = .0025 for opposite tilts: the specialists win by .044 or more. A uniform spread from .06 to
# .46 puts (.46 - .385)/.40 = 19 % of the generalists above a specialist's mean: ranks 38 and 39 of 200 by row mean.
RARELY = 0.02
SPECIALIST_MEAN = 0.385
GENERALIST_MEANS = (0.06, 0.46)
GENERALIST_TILT = 0.1
# A group smaller than m cannot raise the mean of its specialist to m, so the groups of the trap have similar sizes.
TRAP_SMALLEST_SHARE = 0.4
TRAP_SMALLEST_K = 4


def mixture(family: str, n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns a random population of the family: shares are drawn first, then clicks group by group.

    Raises:
        InvalidPopulation: unknown `family`, or `items` or `rank` out of its range.
    """
    if family not in FAMILIES:
        raise InvalidPopulation("family", f"must be one of {', '.join(FAMILIES)}, got {family!r}")
    _check(n_items, rank)
    return FAMILIES[family](n_items, rank, rng)


def mixture_of_rate(rate: float, n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns a random population with this mean click rate: Beta(1, 1/rate - 1), as in the ads families.

    Raises:
        InvalidPopulation: a `click_rate` outside of 0 to 1, or `items` or `rank` out of range.
    """
    if not 0 < rate < 1:
        raise InvalidPopulation("click_rate", f"must be strictly between 0 and 1, got {rate}")
    _check(n_items, rank)
    return _beta(1.0, 1 / rate - 1)(n_items, rank, rng)


def synthetic(n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns L = X X^T / max(X X^T), X uniform on [0, 1]^(K x r): rank r, but not exactly a mixture of r groups.

    From the paper (appendix, "Additional experimental results"). The maximum of a Gram matrix is on its diagonal, so
    the row norms of X give it.

    Raises:
        InvalidPopulation: `items` or `rank` out of range.
    """
    _check(n_items, rank)
    x = rng.random((n_items, rank))  # (K, r)
    largest = np.sum(x**2, axis=1).max()
    return Population.from_factor(x / np.sqrt(largest))


def _check(n_items: int, rank: int) -> None:
    if n_items < 2:
        raise InvalidPopulation("items", f"a pair needs at least 2 items, got {n_items}")
    if rank < 1:
        raise InvalidPopulation("rank", f"must be at least 1, got {rank}")


def _beta(a: float, b: float) -> Family:
    """Returns the family in which every click probability is Beta(a, b)."""

    def draw(n_items: int, rank: int, rng: np.random.Generator) -> Population:
        shares = _shares(rank, rng)
        return Population.mixture(shares, rng.beta(a, b, size=(rank, n_items)))

    return draw


def _preferences(n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns a mixture with every click probability uniform on PREFERENCE_CLICKS."""
    shares = _shares(rank, rng)
    return Population.mixture(shares, rng.uniform(*PREFERENCE_CLICKS, size=(rank, n_items)))


def _favourites(n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns a mixture whose groups have FAVOURITES_PER_GROUP items (all, if there are fewer) they click often."""
    shares = _shares(rank, rng)
    u = rng.beta(*BACKGROUND_BETA, size=(rank, n_items))  # (r, K)
    n_favourites = min(FAVOURITES_PER_GROUP, n_items)
    for clicks in u:
        favourites = rng.choice(n_items, size=n_favourites, replace=False)
        clicks[favourites] = rng.uniform(*FAVOURITE_CLICKS, size=n_favourites)
    return Population.mixture(shares, u)


def _trap(n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns two groups whose best pair is two specialists, each with a mediocre row mean.

    A policy that keeps the items with the best row means drops both. Draws: shares, means of generalists, tilts, order.
    """
    if rank != 2:
        raise InvalidPopulation("rank", f"the trap has two groups: must be 2, got {rank}")
    if n_items < TRAP_SMALLEST_K:
        raise InvalidPopulation("items", f"the trap needs at least {TRAP_SMALLEST_K} items, got {n_items}")
    shares = TRAP_SMALLEST_SHARE + (1 - 2 * TRAP_SMALLEST_SHARE) * _shares(2, rng)  # (2,)
    generalists = _generalists(n_items - 2, shares, rng)  # (2, K-2)
    often = (SPECIALIST_MEAN - RARELY * (1 - shares)) / shares  # (2,) lifts the specialist's mean to SPECIALIST_MEAN
    specialists = np.array([[often[0], RARELY], [RARELY, often[1]]])  # (2, 2) by group and item
    u = np.concatenate([specialists, generalists], axis=1)  # (2, K)
    return Population.mixture(shares, u[:, rng.permutation(n_items)])


def _generalists(n: int, shares: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Returns click probabilities (2, n) with means spread evenly over GENERALIST_MEANS and small differences.

    One mean in each n-th of the range: the rank of the specialists and their margin then hold at every K and seed.
    """
    low, high = GENERALIST_MEANS
    mean = low + (high - low) * (np.arange(n) + rng.random(n)) / n  # (n,)
    tilt = rng.uniform(-GENERALIST_TILT, GENERALIST_TILT, size=n)  # (n,) u_0 - u_1
    return np.stack([mean + shares[1] * tilt, mean - shares[0] * tilt])


def _shares(rank: int, rng: np.random.Generator) -> FloatArray:
    return rng.dirichlet(np.full(rank, SHARE_CONCENTRATION))


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "ads6": _beta(1.0, 6.0),  # mean click rate 1 in 7: a strong offer
        "ads20": _beta(1.0, 20.0),  # 1 in 21: closer to real ads
        "pref": _preferences,
        "clus": _favourites,
        "trap": _trap,
    }
)
