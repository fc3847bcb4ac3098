"""`lrmc`: random pairs, completed by a low-rank matrix (the paper's third baseline, with OptSpace)."""

from typing import ClassVar

import numpy as np

from app.engine.arrays import pair_at
from app.engine.completion import complete
from app.engine.demand import Demand
from app.engine.policies.policy import Policy, Proposal, Situation


class Lrmc(Policy):
    """Shows pairs drawn uniformly at random and answers with the smallest entry of the completed matrix.

    Nothing is adaptive: samples are spent on hopeless pairs as on good ones. OptSpace minimises a global squared
    error, so a single small entry can be a little off however good the fit is on average.
    """

    name: ClassVar[str] = "lrmc"
    uses_rank: ClassVar[bool] = True
    needs_rank: ClassVar[bool] = True

    def propose(self, now: Situation) -> Proposal:
        """Returns a batch of random pairs."""
        problem = now.problem
        drawn = now.rng.multinomial(now.batch(), np.full(problem.n_pairs, 1 / problem.n_pairs))
        index = np.flatnonzero(drawn)
        demand = Demand.of_pairs(index, drawn[index], problem.n_items)
        # Completion needs about r entries a row before it means anything.
        rank = problem.rank or 1
        if len(now.evidence.totals.n) < rank * problem.n_items:
            guess = pair_at(int(np.argmin(now.evidence.distinct.mean(unseen=1.0))), problem.n_items)
            return Proposal(demand, guess, "random")
        return Proposal(demand, complete(now.evidence.totals, problem.n_items, rank).smallest_pair(), "random")
