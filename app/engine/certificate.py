"""What is proven: leader, gap, contenders, verdict. The only place that may say "certified", whatever the policy.

Let U and LB be bounds on L_ij for all pairs. The leader k has the lowest U; for any pair k

    gap(k) = U_k - min over j != k of LB_j.

If every U holds and LB_* <= L_* for the *one true best pair* *, then either k = * or

    L_k <= U_k = gap(k) + min LB <= gap(k) + LB_* <= gap(k) + L_*,

so pair k is within gap(k) of the best. The leader is chosen from the data, so its upper bound must hold for whichever
pair is chosen: upper bounds pay a union over pairs, delta_U / P each. The best pair is one fixed pair that no data
chose, so lower bounds pay none: each is taken at the whole of its share. All bounds are anytime, so the statement
holds at every plan at once, and "certified" (gap <= epsilon) may latch.

The deterministic model asks for the exact answer: there the gap must fall to rounding size, not only to epsilon, and
the leader is the pair with the lowest midpoint of its bounds, which then agree to 1e-6 or better.

The lower bounds are therefore not simultaneous intervals: what is displayed for a pair is `displayed_interval`, at
delta / P, which is never used for the verdict.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.engine.arrays import IntArray, Pair, pair_at, pair_number
from app.engine.bounds import Bounds
from app.engine.bounds.direct import direct_bounds
from app.engine.bounds.exact import exact_bounds
from app.engine.columns import INDEPENDENT
from app.engine.confidence import lower_end, upper_end
from app.engine.evidence import Evidence
from app.engine.problem import Model, Problem

EXACT = 4 * INDEPENDENT
"""The gap that counts as exact: columns left out explain less than `INDEPENDENT` each, a pair's bounds twice that."""


class Verdict(StrEnum):
    """What may be said about the pair in the report."""

    CERTIFIED = "certified"
    NOT_YET = "not_yet"
    EXHAUSTED = "exhausted"  # the budget is spent, or the policy has nothing more to ask


@dataclass(frozen=True)
class Shares:
    """How delta is divided, decided before the first sample; what a bound does not use, the others get."""

    upper: float = 0.1
    direct: float = 0.9


@dataclass(frozen=True, eq=False)
class Assessment:
    """The bounds at one moment and what follows from them."""

    bounds: Bounds
    n_items: int
    target: float  # the gap that certifies
    leader_index: int

    @property
    def leader(self) -> Pair:
        """The pair with the lowest upper bound."""
        return pair_at(self.leader_index, self.n_items)

    @property
    def gap(self) -> float:
        """The leader is within this of the best."""
        return self.gap_of(self.leader_index)

    @property
    def certified(self) -> bool:
        """Whether the leader is proven to be close enough to the best."""
        return self.gap <= self.target

    def gap_of(self, index: int) -> float:
        """Returns how far from the best this pair can be at most: 0 if it is proven best, 1 if nothing is known."""
        lower = self.bounds.lower
        others = min(lower[:index].min(initial=math.inf), lower[index + 1 :].min(initial=math.inf))
        return max(float(self.bounds.upper[index] - others), 0.0) if math.isfinite(others) else 0.0

    def gap_of_pair(self, pair: Pair) -> float:
        """Returns `gap_of` for a pair of items."""
        return self.gap_of(pair_number(pair, self.n_items))

    def contenders(self) -> IntArray:
        """Returns the pairs that keep the leader from being certified: LB below U_leader - target, leader apart."""
        open_pairs = np.flatnonzero(self.bounds.lower < self.bounds.upper[self.leader_index] - self.target)
        return open_pairs[open_pairs != self.leader_index]


def assess(problem: Problem, evidence: Evidence, shares: Shares | None = None) -> Assessment:
    """Returns what the evidence proves. Cost O(P)."""
    shares = shares or Shares()
    if problem.model is Model.DETERMINISTIC:
        bounds = exact_bounds(problem, evidence)
        leader = int(np.argmin(bounds.lower + bounds.upper))
        return Assessment(bounds, problem.n_items, min(problem.epsilon, EXACT), leader)
    bounds = direct_bounds(evidence.distinct, shares.upper * problem.delta, shares.direct * problem.delta)
    # Among equal upper bounds (all 1 before the first sample) the lowest lower bound leads.
    lowest = np.flatnonzero(bounds.upper == bounds.upper.min())
    leader = int(lowest[np.argmin(bounds.lower[lowest])])
    return Assessment(bounds, problem.n_items, problem.epsilon, leader)


def displayed_interval(problem: Problem, evidence: Evidence, pair: Pair) -> tuple[float, float]:
    """Returns the interval of L_ij to show people: simultaneous over all pairs and times at 1 - delta."""
    n, s = evidence.entries(np.array([pair.i]), np.array([pair.j]))
    if problem.model is Model.DETERMINISTIC:
        return (float(s[0] / n[0]), float(s[0] / n[0])) if n[0] else (0.0, 1.0)
    level = math.log(problem.n_pairs / problem.delta)
    return float(lower_end(n, s, level)[0]), float(upper_end(n, s, level)[0])
