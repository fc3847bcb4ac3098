"""`lucb`: pull the leader and its most optimistic rivals (Kalyanakrishnan et al. 2012), in batches."""

import math
from typing import ClassVar

import numpy as np
from scipy.special import rel_entr

from app.engine.arrays import FloatArray, IntArray
from app.engine.demand import Demand, fill_lowest
from app.engine.policies.policy import GROWTH, Policy, Proposal, Situation

FIRST_PULLS = 4
"""Every open pair is shown this often before rivals are compared."""

LEADER_SHARE = 0.15
"""Part of each batch that goes to the leader: its upper bound is compared with every rival."""

REFINE_GROWTH = 0.15
"""Batches are smaller than in other policies: the choice of rivals is outdated soon."""


class Lucb(Policy):
    """Uses the certificate's own bounds: leader = lowest upper bound, rivals = contenders with the lowest lower bound.

    One rival at a time would need as many plans as samples, so a batch goes down the list of rivals, the lowest lower
    bound first, and gives each what should settle it, until it is spent. The strongest policy here that ignores the
    structure of L, and therefore the baseline for policies that use it.
    """

    name: ClassVar[str] = "lucb"

    def propose(self, now: Situation) -> Proposal:
        """Returns first pulls for open pairs that lack them, then batches on the leader and the nearest rivals."""
        counts, assessment, n_items = now.evidence.distinct, now.assessment, now.problem.n_items
        contenders = assessment.contenders
        fresh = contenders[counts.n[contenders] < FIRST_PULLS]
        if len(fresh):
            missing = FIRST_PULLS * len(fresh) - int(counts.n[fresh].sum())
            extra = fill_lowest(counts.n[fresh], min(missing, now.batch(GROWTH)), now.rng)
            return Proposal(Demand.of_pairs(fresh, extra, n_items), assessment.leader, "explore")
        batch = now.batch(REFINE_GROWTH)
        to_leader = math.ceil(LEADER_SHARE * batch)
        ceiling = now.problem.goal.threshold(float(assessment.bounds.upper[assessment.leader_index]))
        first = contenders[np.argsort(assessment.bounds.lower[contenders], kind="stable")]
        wanted = _pulls_wanted(counts.n[first], counts.mean(unseen=1.0)[first], ceiling, now.problem.delta)
        before = np.cumsum(wanted) - wanted
        extra = np.clip(batch - to_leader - before, 0, wanted)
        index = np.append(first, assessment.leader_index)
        return Proposal(Demand.of_pairs(index, np.append(extra, to_leader), n_items), assessment.leader, "refine")


def _pulls_wanted(n: IntArray, mean: FloatArray, ceiling: float, delta: float) -> IntArray:
    """Returns how many more pulls each rival gets: what should settle it, at most as many as it has.

    It is settled when its lower bound reaches the ceiling (`Goal.threshold`): n KL(mean, ceiling) = log(1/delta) +
    log(n)/2 (`confidence`). With a mean below the ceiling the number is unknown, so the count doubles.
    """
    distance = np.where(mean > ceiling, rel_entr(mean, ceiling) + rel_entr(1 - mean, 1 - ceiling), 0.0)
    needed = (math.log(1 / delta) + 0.5 * np.log(n)) / np.maximum(distance, 1e-12)
    return np.clip(np.ceil(needed - n), 1, n).astype(np.int64)
