"""`sequential_halving`: a fixed budget over all pairs, the worse half dropped each round (Karnin et al. 2013)."""

from typing import ClassVar

import numpy as np

from app.engine.arrays import pair_at
from app.engine.memory import int_list
from app.engine.policies.halving import affordable_arms, sequential_halving
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.randomness import Purpose, source

FIRST_RUN_PER_PAIR = 20
"""Without a budget the first run has this many impressions a pair, and each later run twice the one before."""


class SequentialHalving(Policy):
    """Spends a fixed budget by halving; a budget too small for all pairs starts from a random part of them.

    Without a budget it repeats runs, each with twice the impressions, and ranks by all samples so far.
    """

    name: ClassVar[str] = "sequential_halving"

    def propose(self, now: Situation) -> Proposal:
        """Returns the current round's demand."""
        problem = now.problem
        starts = int_list(now.notes.get("round_starts")) or [now.version]
        runs = int_list(now.notes.get("runs")) or [now.version]
        budget = problem.budget or FIRST_RUN_PER_PAIR * problem.n_pairs * 2 ** (len(runs) - 1)
        n_arms = affordable_arms(problem.n_pairs, budget)
        # The random part must be the same in every plan of the run: its own source, seeded by where the run began.
        rng = source(Purpose.ARMS, problem.seed, runs[-1], n_arms)
        arms = np.sort(rng.choice(problem.n_pairs, size=n_arms, replace=False))
        state = sequential_halving(now, arms, budget, starts)
        if state.finished and problem.budget is None:
            runs, starts = [*runs, now.version], [now.version]
            state = sequential_halving(now, np.arange(problem.n_pairs), 2 * budget, starts)
        phase = "finished" if state.finished else f"round {len(state.starts)}"
        notes = {"round_starts": list(state.starts), "runs": list(runs)}
        return Proposal(state.demand, pair_at(state.best, problem.n_items), phase, notes)
