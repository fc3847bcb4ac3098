"""`naive`: every pair equally often (the paper's first baseline)."""

from typing import ClassVar

import numpy as np

from app.engine.arrays import pair_at
from app.engine.demand import Demand, fill_lowest, lowest
from app.engine.policies.policy import Policy, Proposal, Situation


class Naive(Policy):
    """Spreads each batch evenly over all distinct pairs and answers with the lowest mean."""

    name: ClassVar[str] = "naive"

    def propose(self, now: Situation) -> Proposal:
        """Returns an even spread; what does not divide goes to random pairs among the least shown."""
        counts = now.evidence.distinct
        extra = fill_lowest(counts.n, now.batch(), now.rng)
        index = np.flatnonzero(extra)
        best = lowest(counts.mean(unseen=1.0), counts.n, None, now.rng)
        n_items = now.problem.n_items
        return Proposal(Demand.of_pairs(index, extra[index], n_items), pair_at(best, n_items), "uniform")
