"""Halving, shared by the policies that drop the worse half of their arms round after round.

A round is identified by the plan version it began with. Survivors are never stored (that would be K x K): they are
recomputed from the counts, round by round. Feedback that arrives after its round can still change them; that does no
harm, because survivors only decide what is shown and prove nothing.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from app.engine.arrays import IntArray
from app.engine.demand import Demand, fill_lowest
from app.engine.evidence import DenseCounts, Evidence
from app.engine.policies.policy import Situation

LARGEST_FIRST_DEMAND = 100_000
"""A longer round is asked for in several plans: without a budget it has as many impressions as there are pairs."""

ROUND_DONE = 0.9
"""A round ends once this part of it has been counted; lost feedback must not delay it."""


def best_half(arms: IntArray, counts: DenseCounts) -> IntArray:
    """Returns the half of the arms (rounded up) with the lowest means; unseen arms come last."""
    keep = math.ceil(len(arms) / 2)
    order = np.argsort(counts.mean(unseen=2.0)[arms], kind="stable")
    return np.sort(arms[order[:keep]])


def completed_rounds(evidence: Evidence, arms: IntArray, starts: list[int], *, fresh: bool) -> IntArray:
    """Returns the arms that survive all rounds but the current one.

    `fresh` ranks a round by its own samples only; otherwise by everything seen until the round's end.
    """
    for start, following in pairwise(starts):
        arms = best_half(arms, evidence.issued(start if fresh else 1, following - 1).distinct)
    return arms


class Halving(NamedTuple):
    """The state of a run of sequential halving."""

    demand: Demand
    best: int  # pair number
    starts: list[int]
    finished: bool


def sequential_halving(now: Situation, arms: IntArray, budget: int, starts: list[int]) -> Halving:
    """Returns the next round of sequential halving (Karnin et al. 2013) over the arms with this budget.

    ceil(log2 n) rounds share the budget equally, survivors share a round equally. Ranking uses all samples so far.
    """
    rounds = max(1, math.ceil(math.log2(max(len(arms), 2))))
    per_round = budget // rounds
    alive = completed_rounds(now.evidence, arms, starts, fresh=False)
    counted = now.evidence.issued(starts[-1]).distinct
    if len(alive) > 1 and counted.n[alive].sum() >= ROUND_DONE * per_round:
        alive = best_half(alive, now.evidence.distinct)
        starts = [*starts, now.version]
        counted = now.evidence.issued(now.version).distinct
    mean = now.evidence.distinct.mean(unseen=2.0)
    best = int(alive[np.argmin(mean[alive])])
    if len(alive) == 1:
        return Halving(Demand.nothing(), best, starts, finished=True)
    missing = per_round - int(counted.n[alive].sum())
    extra = fill_lowest(counted.n[alive], min(missing, max(now.batch(), LARGEST_FIRST_DEMAND)), now.rng)
    return Halving(Demand.of_pairs(alive, extra, now.problem.n_items), best, starts, finished=False)


def affordable_arms(n_arms: int, budget: int) -> int:
    """Returns how many arms the budget can show at least once in each of ceil(log2 n) rounds, at least 2."""
    rounds = max(1, math.ceil(math.log2(n_arms)))
    return max(2, *(min(n_arms, 2**t, budget // t) for t in range(1, rounds + 1))) if n_arms > 1 else n_arms
