"""What is proven: leader, gap, contenders, verdict. Only this module decides "certified", for every policy.

Let U and LB be bounds on L_ij for all pairs, and for any pair k

    gap(k) = U_k - min over j != k of LB_j.

If every U holds and LB_* <= L_* for the *one true best pair* *, then either k = * or

    L_k <= U_k = gap(k) + min LB <= gap(k) + LB_* <= gap(k) + L_*,

so pair k is within gap(k) of the best. The leader, the pair with the smallest gap, is chosen from the data; its upper
bound must hold for any pair that may be chosen: upper bounds pay a union over pairs, delta_U / P each (less for pairs
that were named in advance: `bounds.direct`). The best pair is one fixed pair that no data chose, so lower bounds pay no
union: each uses its whole share. All bounds are anytime, so the statement holds at all plans at once, and "certified"
(gap(k) <= `Goal.allowed(U_k)`) may latch.

For a nominee k, differences may be known better than both ends (`bounds.contrast`): if L_j - L_k >= D_j, then U_k + D_j
may replace LB_j in gap(k), and only there. For j = *: L_k <= L_* - D_* <= L_* + gap(k).

The deterministic model asks for the exact answer: there the gap must fall to rounding size, not only to the goal, and
the leader is the pair with the lowest midpoint of its bounds, which then agree to 2e-6 or better.

The lower bounds are therefore not simultaneous intervals. What a user sees for a pair is `displayed`, at delta / P,
which is never used for the verdict.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from app.engine.arrays import FloatArray, IntArray, Pair, pair_at, pair_index, pair_number
from app.engine.bounds import Bounds
from app.engine.bounds.combined import combined_bounds
from app.engine.bounds.exact import exact_bounds
from app.engine.choices import Choices
from app.engine.confidence import lower_end, upper_end
from app.engine.delta_shares import Shares
from app.engine.evidence import Evidence
from app.engine.nystrom import INDEPENDENT
from app.engine.problem import Goal, Model, Problem, relative_gap

EXACT = 4 * INDEPENDENT
"""The gap that counts as exact. Columns left out explain less than `INDEPENDENT` each, so two pairs' bounds are at most
2e-6 wide together; twice that leaves room for rounding."""


class Verdict(StrEnum):
    """The verdict about the pair in the report."""

    CERTIFIED = "certified"
    NOT_YET = "not_yet"
    EXHAUSTED = "exhausted"  # the budget is spent, or the policy asks for nothing more


class Gaps(NamedTuple):
    """How far a pair can be from the best, in two terms."""

    gap: float  # R of the best pair minus R of this pair is at most this
    relative_gap: float  # and at most this part of R of the best pair


@dataclass(frozen=True, eq=False)
class Assessment:
    """The bounds at one plan and what follows from them."""

    bounds: Bounds
    n_items: int
    goal: Goal
    leader_index: int
    exact: bool = False  # whether only the exact answer certifies

    @property
    def leader(self) -> Pair:
        """The pair with the smallest gap."""
        return pair_at(self.leader_index, self.n_items)

    @property
    def gap(self) -> float:
        """The leader is within this of the best."""
        return self.gap_of(self.leader_index)

    @cached_property
    def allowed(self) -> float:
        """The largest gap that certifies the leader."""
        if self.exact:
            return min(self.goal.epsilon, EXACT)
        return self.goal.allowed(float(self.bounds.upper[self.leader_index]))

    @property
    def certified(self) -> bool:
        """Whether the leader is proven to be close enough to the best."""
        return self.gap <= self.allowed

    def gap_of(self, index: int) -> float:
        """Returns how far this pair can be from the best: 0 if it is proven best, 1 if nothing is known."""
        return self.bounds.gap_of(index)

    @cached_property
    def lower(self) -> FloatArray:
        """Lower bounds of all pairs, (P,), if the leader has the L of its upper bound."""
        return self.bounds.lower_given_leader(self.leader_index)

    def lowest_of_others(self, index: int) -> float | None:
        """Returns the lowest lower bound of all other pairs; None if there is no other."""
        return self.bounds.lowest_of_others(index)

    def gaps_of_pair(self, pair: Pair) -> Gaps:
        """Returns how far a pair of items can be from the best."""
        index = pair_number(pair, self.n_items)
        gap = self.gap_of(index)
        return Gaps(gap, relative_gap(gap, float(self.bounds.upper[index])))

    @cached_property
    def contenders(self) -> IntArray:
        """Returns the pairs that prevent the leader's certification: U_leader - LB is too large, without the leader."""
        open_pairs = np.flatnonzero(self.bounds.upper[self.leader_index] - self.lower > self.allowed)
        return open_pairs[open_pairs != self.leader_index]


def assess(
    problem: Problem, evidence: Evidence, choices: Choices | None = None, shares: Shares | None = None
) -> Assessment:
    """Returns what the evidence proves, given the choices made and the shares of delta. Cost O(P)."""
    if problem.model is Model.DETERMINISTIC:
        bounds = exact_bounds(problem, evidence)
        leader = int(np.argmin(bounds.lower + bounds.upper))
        return Assessment(bounds, problem.n_items, problem.goal, leader, exact=True)
    bounds = combined_bounds(problem, evidence, choices or Choices(), shares or Shares())
    return Assessment(bounds, problem.n_items, problem.goal, bounds.leader(problem.goal))


class Displayed(NamedTuple):
    """Estimates to display, of one or more pairs: the value (NaN if nothing is known) and its interval."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


def displayed(problem: Problem, evidence: Evidence, bounds: Bounds, i: IntArray, j: IntArray) -> Displayed:
    """Returns estimates and intervals of L_ij, i < j, simultaneous over all pairs and times at 1 - delta."""
    if problem.model is Model.DETERMINISTIC:
        index = pair_index(i, j, problem.n_items)
        low, high = bounds.lower[index], bounds.upper[index]
        return Displayed(np.where(high - low <= EXACT, (low + high) / 2, np.nan), low, high)
    n, s = evidence.entries(i, j)
    level = math.log(problem.n_pairs / problem.delta)
    mean = np.divide(s, n, out=np.full(s.shape, np.nan), where=n > 0)
    return Displayed(mean, lower_end(n, s, level), upper_end(n, s, level))
