"""`rplans_literal`: Algorithms 2 and 3 of the paper as printed; their weaknesses are documented, not repaired."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from app.engine.arrays import FloatArray, IntArray, Pair
from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.memory import Notes, int_list
from app.engine.nystrom import (
    extend,
    log_term,
    printed_radius,
    printed_sample_sizes,
    sharper_radius,
    smallest_pair,
    smallest_singular_values,
)
from app.engine.policies.policy import Policy, Proposal, Situation

GOOD_ENOUGH = 0.5
"""Selection also ends when the leader's lower bound reaches this part of every rival's upper bound (ties end)."""

NEGLIGIBLE = 1e-3
"""Selection ends early, with fewer columns, once no candidate's sigma_min can exceed this: the rank was overstated."""

SELECTION_SHARE = 0.5
"""Part of a given budget that column selection may spend; the rest is for C and W."""

Radius = Callable[[IntArray, float], FloatArray]


@dataclass(frozen=True)
class _Step:
    """One run of Algorithm 3: which columns are chosen, since when, and which candidates are left."""

    chosen: list[int]
    alive: list[int]
    start: int  # plan version

    @classmethod
    def begin(cls, now: Situation, chosen: list[int]) -> Self:
        """Returns a step that has just begun: every other item is a candidate."""
        return cls(chosen, [item for item in range(now.problem.n_items) if item not in chosen], now.version)

    @classmethod
    def read(cls, now: Situation) -> Self:
        """Returns the step in the notes; without notes, the first."""
        start = now.notes.get("start")
        chosen = int_list(now.notes.get("chosen")) or [0]
        return (
            cls(chosen, int_list(now.notes.get("alive")), start) if isinstance(start, int) else cls.begin(now, chosen)
        )


class RplansLiteral(Policy):
    """Chooses r columns by successive elimination on sigma_min, samples them, imputes the rest: L_hat = C W^-1 C'.

    Literal: column 1 first; Algorithm 3 with alpha_{t,k} as printed and delta/(2r) a step, fresh samples each step;
    then every entry of C and W equally often, up to the printed m_1 and m_2 (with C_hat, W_hat in their constants).
    Added: the tie tolerance, without which selection does not end on ties; a limit of half a given budget for
    selection; rounds asked for in geometric batches (radii are summable over t, so skipping rounds is sound); an
    unordered pair counts for both entries (i, j) and (j, i), because one impression cannot distinguish them.

    Its weaknesses: the radius is up to p times too careful (`sharper_radius` is the sound alternative); W^-1 amplifies
    noise when sigma_min(W) is small, the normal case on real data; m_1, m_2 exceed plain Hoeffding on every pair; and
    nothing it computes is a sound bound on the answer, so even with a stated rank it does not certify by itself.
    """

    name: ClassVar[str] = "rplans_literal"
    needs_absolute_goal: ClassVar[bool] = True
    needs_self_pairs: ClassVar[bool] = True
    uses_rank: ClassVar[bool] = True
    needs_rank: ClassVar[bool] = True

    def __init__(self, radius: Radius = printed_radius) -> None:
        self._radius = radius

    def propose(self, now: Situation) -> Proposal:
        """Returns the next rounds of column selection, or more of C and W."""
        rank = now.problem.rank or 1
        step = _Step.read(now)
        while len(step.chosen) < rank and not now.notes.get("complete"):
            step, rounds = self._eliminate(now, step)
            if not step.alive:
                break
            if len(step.alive) > 1:
                return self._more_rounds(now, step, rounds)
            step = _Step.begin(now, [*step.chosen, step.alive[0]])
        return self._more_columns(now, step.chosen)

    def _eliminate(self, now: Situation, step: _Step) -> tuple[_Step, int]:
        """Returns the step without the candidates Algorithm 3 drops now, and the rounds t completed."""
        fresh = now.evidence.issued(step.start)
        candidates = np.array(step.alive, dtype=np.int64)
        n, A = _principal_submatrices(fresh, step.chosen, candidates)
        rounds = int(n.min())
        if rounds == 0:
            return step, 0
        sigma = smallest_singular_values(A)
        p, rank = len(step.chosen) + 1, now.problem.rank or 1
        m = now.problem.n_items - len(step.chosen)
        alpha = self._radius(n, log_term(p, m, rounds, now.problem.delta / (2 * rank)))
        best = int(np.argmax(sigma))
        stays = sigma[best] - sigma < alpha[best] + alpha
        stays[best] = True
        rivals = np.arange(len(sigma)) != best
        settled = np.all(sigma[best] - alpha[best] >= GOOD_ENOUGH * (sigma + alpha)[rivals & stays])
        if settled or self._selection_spent(now, len(step.chosen)):
            stays = ~rivals
        elif np.all(sigma + alpha <= NEGLIGIBLE):
            stays[:] = False
        return _Step(step.chosen, candidates[stays].tolist(), step.start), rounds

    def _selection_spent(self, now: Situation, n_chosen: int) -> bool:
        """Returns whether the selection has spent its part of the budget; each of the r-1 steps has an equal part."""
        if now.problem.budget is None:
            return False
        steps = (now.problem.rank or 1) - 1
        return now.evidence.samples >= SELECTION_SHARE * now.problem.budget * n_chosen / steps

    def _more_rounds(self, now: Situation, step: _Step, rounds: int) -> Proposal:
        """Returns more rounds of Algorithm 3: every entry of the surviving matrices once a round."""
        i, j = _entries_of_submatrices(step.chosen, np.array(step.alive, dtype=np.int64))
        growth = max(1, now.batch() // len(i))
        n, _ = now.evidence.issued(step.start).entries(i, j)
        count = np.maximum(rounds + growth - n, 0)
        notes: Notes = {"chosen": step.chosen, "alive": step.alive, "start": step.start}
        pair, _ = self._impute(now, step.chosen[:1])
        return Proposal(Demand.of_entries(i, j, count), pair, f"select {len(step.chosen) + 1}", notes)

    def _more_columns(self, now: Situation, chosen: list[int]) -> Proposal:
        """Returns more of C and W, equally, until the printed sample sizes are reached."""
        K = now.problem.n_items
        i, j = np.tile(np.arange(K), len(chosen)), np.repeat(np.array(chosen, dtype=np.int64), K)
        n, _ = now.evidence.entries(i, j)
        pair, diagnostics = self._impute(now, chosen)
        in_core = np.isin(i, chosen)
        m1, m2 = (diagnostics.get(name, math.inf) for name in ("m1", "m2"))
        goal = np.where(in_core, max(m1, m2), m1)  # entries of W are entries of C too
        level = int(n.min()) + max(1, now.batch() // len(i))
        count = np.maximum(np.minimum(level, goal) - n, 0)
        notes: Notes = {"chosen": list(chosen), "complete": True}
        demand = Demand.of_entries(i, j, np.ceil(count).astype(np.int64))
        return Proposal(demand, pair, "columns" if demand.total else "finished", notes, diagnostics)

    def _impute(self, now: Situation, chosen: list[int]) -> tuple[Pair, dict[str, float]]:
        """Returns the smallest imputed pair and the printed constants, once every entry of C has been shown."""
        rows, columns = np.arange(now.problem.n_items)[:, None], np.array(chosen, dtype=np.int64)[None, :]
        n, s = now.evidence.entries(rows, columns)
        if n.min() == 0:
            return Pair(0, 1), {}
        C = s / n  # (K, q)
        W = C[chosen]
        pair, _ = smallest_pair(*extend(C, W))
        if np.linalg.matrix_rank(W, hermitian=True) < len(chosen):
            return pair, {}
        sizes = printed_sample_sizes(C, W, now.problem.goal.epsilon, now.problem.delta)
        return pair, {name: float(value) for name, value in sizes._asdict().items()}


class RplansLiteralSharper(RplansLiteral):
    """The same with `sharper_radius`, matrix Bernstein's own variance: sound, and up to p times fewer samples."""

    name: ClassVar[str] = "rplans_literal_sharper"

    def __init__(self) -> None:
        super().__init__(sharper_radius)


def _entries_of_submatrices(chosen: list[int], candidates: IntArray) -> tuple[IntArray, IntArray]:
    """Returns the entries i, j (unordered, each once) of all matrices A_k = L[chosen + k, chosen + k]."""
    core = np.array(chosen, dtype=np.int64)
    upper = np.triu_indices(len(core))
    i = np.concatenate([core[upper[0]], np.tile(core, len(candidates)), candidates])
    j = np.concatenate([core[upper[1]], np.repeat(candidates, len(core)), candidates])
    return i, j


def _principal_submatrices(evidence: Evidence, chosen: list[int], candidates: IntArray) -> tuple[IntArray, FloatArray]:
    """Returns counts and means of A_k for each candidate, both (m, p, p); means of unseen entries are 0."""
    p = len(chosen) + 1
    members = np.column_stack([np.tile(np.array(chosen, dtype=np.int64), (len(candidates), 1)), candidates])  # (m, p)
    rows, columns = np.repeat(members, p, axis=1), np.tile(members, (1, p))
    n, s = evidence.entries(rows, columns)
    shape = (len(candidates), p, p)
    return n.reshape(shape), (s / np.maximum(n, 1)).reshape(shape)
