"""`successive_elimination`: every pair an arm, dropped once it is proven not to be the best (Even-Dar et al. 2006)."""

import math
from typing import ClassVar

import numpy as np

from app.engine.arrays import pair_at
from app.engine.confidence import lower_end, upper_end
from app.engine.delta_shares import Shares
from app.engine.demand import Demand, fill_lowest, lowest
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.problem import Problem


class SuccessiveElimination(Policy):
    """Shows all surviving pairs equally often.

    As in a textbook, the intervals that eliminate are simultaneous over all pairs (delta / P each): pair j is
    eliminated once its lower end exceeds the lowest upper end. The intervals that certify are simultaneous too; other
    policies save this union for lower bounds. The survivors follow from the counts alone: there is no memory.
    """

    name: ClassVar[str] = "successive_elimination"

    def shares(self, problem: Problem) -> Shares:
        """Returns simultaneous intervals, as the textbook has it: every end of every pair at delta / 2P."""
        return Shares(upper=0.5, direct=0.5 / problem.n_pairs)

    def propose(self, now: Situation) -> Proposal:
        """Returns an even spread over the survivors."""
        counts, problem = now.evidence.distinct, now.problem
        level = math.log(problem.n_pairs / problem.delta)
        alive = lower_end(counts.n, counts.s, level) <= upper_end(counts.n, counts.s, level).min()
        arms = np.flatnonzero(alive)
        extra = fill_lowest(counts.n[arms], now.batch(), now.rng)
        best = lowest(counts.mean(unseen=1.0), counts.n, alive, now.rng)
        return Proposal(Demand.of_pairs(arms, extra, problem.n_items), pair_at(best, problem.n_items), "eliminate")
