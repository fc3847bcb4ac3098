"""`median_elimination`: every pair an arm, the worse half dropped each round (Even-Dar et al. 2006)."""

import math
from typing import ClassVar

import numpy as np

from app.engine.arrays import pair_at
from app.engine.demand import Demand, fill_lowest
from app.engine.memory import int_list
from app.engine.policies.halving import best_half, completed_rounds
from app.engine.policies.policy import Policy, Proposal, Situation


class MedianElimination(Policy):
    """Round l shows each survivor (4/eps_l^2) log(3/delta_l) times, then keeps the better half by these samples.

    eps_1 = eps/4, delta_1 = delta/2; eps shrinks by 3/4 and delta by 1/2 a round. Its own guarantee comes from that
    schedule alone and costs thousands / eps^2 per pair for any data; the certificate usually ends it earlier. A round
    is asked for in geometric batches. Notes: the version each round began with; the survivors are recomputed from the
    counts, so memory stays small.
    """

    name: ClassVar[str] = "median_elimination"
    needs_absolute_goal: ClassVar[bool] = True

    def propose(self, now: Situation) -> Proposal:
        """Returns what the current round still lacks, one batch of it."""
        problem, evidence = now.problem, now.evidence
        starts = int_list(now.notes.get("round_starts")) or [now.version]
        alive = completed_rounds(evidence, np.arange(problem.n_pairs), starts, fresh=True)
        seen = evidence.issued(starts[-1]).distinct
        if len(alive) > 1 and seen.n[alive].min() >= self._pulls(now, len(starts)):
            alive = best_half(alive, seen)
            starts = [*starts, now.version]
            seen = evidence.issued(now.version).distinct
        best = int(alive[np.argmin(evidence.distinct.mean(unseen=2.0)[alive])])
        notes = {"round_starts": list(starts)}
        if len(alive) == 1:
            return Proposal(Demand.nothing(), pair_at(best, problem.n_items), "finished", notes)
        lacking = np.maximum(self._pulls(now, len(starts)) - seen.n[alive], 0)
        extra = np.minimum(fill_lowest(seen.n[alive], min(now.batch(), int(lacking.sum())), now.rng), lacking)
        demand = Demand.of_pairs(alive, extra, problem.n_items)
        return Proposal(demand, pair_at(best, problem.n_items), f"round {len(starts)}", notes)

    def _pulls(self, now: Situation, round_number: int) -> int:
        """Returns how often each survivor is shown in this round, counted from 1."""
        epsilon = now.problem.goal.epsilon / 4 * 0.75 ** (round_number - 1)
        delta = now.problem.delta / 2**round_number
        return math.ceil(4 / epsilon**2 * math.log(3 / delta))
