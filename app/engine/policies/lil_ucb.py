"""`lil_ucb`: every pair an arm, the most promising is pulled (Jamieson, Malloy, Nowak, Bubeck 2014)."""

import math
from typing import ClassVar

import numpy as np

from app.engine.arrays import FloatArray, IntArray, pair_at
from app.engine.demand import Demand, fill_lowest, lowest
from app.engine.policies.policy import Policy, Proposal, Situation

LIL_EPSILON = 0.01
BETA = 1.0
"""The authors' own choice of constants for the version with a guarantee."""

VARIANCE = 0.25
"""Sub-Gaussian scale squared of a coin."""


class LilUcb(Policy):
    """Pulls by mean reward plus a law-of-the-iterated-logarithm radius, and answers with the most pulled pair.

    The paper pulls one arm at a time. Here a batch is what that rule would pull if the means did not change: pulls go
    to the arm with the highest index until the batch is spent, which makes the indices of the pulled arms equal.
    """

    name: ClassVar[str] = "lil_ucb"

    def propose(self, now: Situation) -> Proposal:
        """Returns one pull for each pair first, then batches that make the upper confidence indices equal."""
        counts, problem = now.evidence.distinct, now.problem
        batch = now.batch()
        unseen = counts.n == 0
        extra = (
            fill_lowest(counts.n, min(batch, int(unseen.sum())), now.rng)
            if unseen.any()
            else _level_indices(counts.n, 1.0 - counts.mean(unseen=0.0), batch, _confidence(problem.delta))
        )
        index = np.flatnonzero(extra)
        best = lowest(-counts.n.astype(np.float64), -counts.s.astype(np.int64), None, now.rng)
        demand = Demand.of_pairs(index, extra[index], problem.n_items)
        return Proposal(demand, pair_at(best, problem.n_items), "pull")


def _confidence(delta: float) -> float:
    """Returns the inner delta d that makes the whole procedure fail with probability delta.

    Their Theorem 2: it fails with probability at most 4 sqrt(c d) + 4 c d, c = (2+eps)/eps (1/log(1+eps))^(1+eps);
    solved for d.
    """
    c = (2 + LIL_EPSILON) / LIL_EPSILON * (1 / math.log(1 + LIL_EPSILON)) ** (1 + LIL_EPSILON)
    return float((math.sqrt(1 + delta) - 1) ** 2 / (4 * c))


def _radius(n: FloatArray, delta: float) -> FloatArray:
    """Returns (1+beta)(1+sqrt eps) sqrt( 2 sigma^2 (1+eps) log(log((1+eps) n)/delta) / n )."""
    grown = 1 + LIL_EPSILON
    spread = 2 * VARIANCE * grown * np.log(np.log(grown * n) / delta) / n
    return np.asarray((1 + BETA) * (1 + math.sqrt(LIL_EPSILON)) * np.sqrt(spread))


def _level_indices(n: IntArray, mean: FloatArray, batch: int, delta: float) -> IntArray:
    """Returns pulls that bring the highest indices down to one level, `batch` in all (bisection on the level)."""

    def pulls(level: float) -> FloatArray:
        # The n at which mean + radius(n) = level, by iterating n = c^2 log(log n / delta): a contraction.
        room = np.maximum(level - mean, 1e-9)
        needed = n.astype(np.float64)
        for _ in range(20):
            needed = np.maximum(needed * (_radius(np.maximum(needed, 1.0), delta) / room) ** 2, n)
        return np.minimum(needed - n, batch)

    index = mean + _radius(n.astype(np.float64), delta)
    low, high = float(mean.max()), float(index.max())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if pulls(middle).sum() > batch else (low, middle)
    wanted = pulls(high)
    extra = np.floor(wanted).astype(np.int64)
    rest = batch - int(extra.sum())
    if rest > 0:  # whole pulls left by rounding go to the highest indices
        first = np.argsort(-(mean + _radius((n + extra).astype(np.float64), delta)), kind="stable")
        extra += np.bincount(first[np.arange(rest) % len(first)], minlength=len(n))
    return extra
