"""`plans`: Algorithm 1 of the paper, exact columns of the deterministic model."""

from typing import ClassVar

import numpy as np

from app.engine.arrays import IntArray
from app.engine.bounds.exact import values
from app.engine.columns import INDEPENDENT, schur_residuals
from app.engine.demand import Demand
from app.engine.memory import int_list
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.problem import Model


class Plans(Policy):
    """Finds independent columns by principal submatrices only, shows those columns, imputes the rest (Nystrom).

    Self pairs (c, c) are shown item by item, in runs of 1, 2, 4, ... so that few plans are needed; of the items shown,
    the one with the largest Schur residual over the chosen columns is chosen and its column shown. It ends when the
    stated rank is reached, or, rank unknown, when every item has been tested. At most K self pairs and r columns,
    so at most K(r+1) different showings, in any order of items.

    Where it leaves the printed algorithm, for floating point only: independence is a relative residual above 1e-6,
    not sigma_min > 0 (which takes every column); an item with L_cc = 0 is skipped, its whole row is 0; the largest
    residual among tested items is taken, not the first that passes.
    """

    name: ClassVar[str] = "plans"
    model: ClassVar[Model] = Model.DETERMINISTIC
    needs_self_pairs: ClassVar[bool] = True
    uses_rank: ClassVar[bool] = True

    def propose(self, now: Situation) -> Proposal:
        """Returns the next self pairs to test, or the column of the item that passed."""
        chosen = int_list(now.notes.get("chosen"))
        K, rank = now.problem.n_items, now.problem.rank or now.problem.n_items
        missing = self._missing_of_columns(now, chosen)
        while len(missing[0]) == 0:
            if len(chosen) == rank or (best := self._most_independent(now, chosen)) is None:
                break
            chosen = [*chosen, best]
            missing = self._missing_of_columns(now, chosen)
        phase = "column"
        if len(missing[0]) == 0:
            untested = np.flatnonzero(np.isnan(values(now.evidence, np.arange(K), np.arange(K))))
            if len(chosen) == rank:
                untested = untested[:0]
            run = untested[: max(1, K - len(untested))]
            missing, phase = (run, run), "test" if len(run) else "finished"
        demand = Demand.of_entries(missing[0], missing[1], np.ones(len(missing[0]), dtype=np.int64))
        return Proposal(demand, now.assessment.leader, phase, {"chosen": list(chosen)})

    def _missing_of_columns(self, now: Situation, chosen: list[int]) -> tuple[IntArray, IntArray]:
        """Returns the entries of the chosen columns not shown yet."""
        K = now.problem.n_items
        rows = np.tile(np.arange(K), len(chosen))
        columns = np.repeat(np.array(chosen, dtype=np.int64), K)
        unknown = np.isnan(values(now.evidence, rows, columns))
        return rows[unknown], columns[unknown]

    def _most_independent(self, now: Situation, chosen: list[int]) -> int | None:
        """Returns the tested item with the largest relative residual over the chosen columns, if any is independent."""
        diagonal = values(now.evidence, np.arange(now.problem.n_items), np.arange(now.problem.n_items))
        tested = np.flatnonzero(diagonal > 0)  # NaN (untested) and 0 (a zero row) both compare false
        if len(tested) == 0:
            return None
        picked = np.array(chosen, dtype=np.int64)
        X = values(now.evidence, tested[:, None], picked[None, :])
        W = values(now.evidence, picked[:, None], picked[None, :])
        relative = schur_residuals(W, X, diagonal[tested]) / diagonal[tested]
        relative[np.isin(tested, picked)] = 0.0
        best = int(np.argmax(relative))
        return int(tested[best]) if relative[best] > INDEPENDENT else None
