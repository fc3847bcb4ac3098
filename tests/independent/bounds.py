"""Section 5 of docs/mathematics.md: the bounds U, D, F and I, and what follows from all bounds together."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.independent.confidence import divergence, high, low, price
from tests.independent.counts import Counts, Evidence, Floats, place_of

GUESS_MARGIN = 0.002
GRID_RATIO = 1.25
GRID_PRICE = 20.0
GRID_MIN_SPREAD = 0.001
GRID_STEPS_ABOVE = 3
UNGUESSED = 0.8


@dataclass(frozen=True)
class Goal:
    """Section 2: what certified means. Exactly one of both is stated."""

    epsilon: float | None
    relative_epsilon: float | None

    def allowed(self, upper: float) -> float:
        """Return a(U), the largest gap that certifies a pair with this upper bound."""
        if self.relative_epsilon is None:
            assert self.epsilon is not None
            return self.epsilon
        assert self.epsilon is None
        return self.relative_epsilon / (1 - self.relative_epsilon) * (1 - upper)

    def size(self, gap: float, upper: float) -> float:
        """Return by what gaps are compared: the gap, or the relative gap."""
        return gap if self.relative_epsilon is None else relative_gap(gap, upper)


def relative_gap(gap: float, upper: float) -> float:
    """Return the largest part of the best reward that a pair can lack."""
    return gap / (gap + 1 - upper) if gap > 0 else 0.0


@dataclass(frozen=True)
class Problem:
    """What a certificate states before any data: goal, shares of delta, choices."""

    K: int
    goal: Goal
    item_clicks: bool
    shares: dict[str, float]
    choices: dict[str, Any]

    @property
    def n_pairs(self) -> int:
        return self.K * (self.K - 1) // 2

    @property
    def guess_version(self) -> int:
        """v_g, 0 without a guess."""
        return int(self.choices["guess"]["version"]) if self.choices["guess"] else 0

    def pair_guesses(self) -> Floats | None:
        """Return the guess of L for each pair."""
        if not self.choices["guess"]:
            return None
        factor = np.array(self.choices["guess"]["factor"], dtype=float)
        products = (factor @ factor.T)[np.triu_indices(self.K, 1)]
        return np.clip(products, GUESS_MARGIN, 1 - GUESS_MARGIN)

    def item_guesses(self) -> Floats | None:
        """Return the guess of p for each item; there is none if the factor has several columns."""
        if not self.choices["guess"]:
            return None
        factor = np.array(self.choices["guess"]["factor"], dtype=float)
        return np.clip(factor[:, 0], GUESS_MARGIN, 1 - GUESS_MARGIN) if factor.shape[1] == 1 else None


@dataclass
class Bounds:
    """All bounds of all pairs; contrasts by the number of the nominee, -inf for pairs that are no rivals."""

    upper: Floats
    lower: Floats
    direct: Floats
    clicks: Floats
    blanks: list[Floats]
    contrasts: dict[int, Floats] = field(default_factory=dict)

    def lower_given(self, k: int) -> Floats:
        """Return B_j given k, for all j."""
        return np.maximum(self.lower, self.upper[k] + self.contrasts[k]) if k in self.contrasts else self.lower

    def lowest_of_others(self, k: int) -> float | None:
        others = np.delete(self.lower_given(k), k)
        return float(others.min()) if others.size else None

    def gap(self, k: int) -> float:
        lowest = self.lowest_of_others(k)
        return 0.0 if lowest is None else max(float(self.upper[k]) - lowest, 0.0)

    def leader(self, goal: Goal) -> int:
        """Return the candidate with the smallest gap in the terms of the goal; the earliest, if several are equal."""
        lowest_upper = int(np.lexsort((self.lower, self.upper))[0])
        candidates = [lowest_upper, int(np.argmin(self.lower)), *self.contrasts]
        return min(candidates, key=lambda k: goal.size(self.gap(k), float(self.upper[k])))

    def assumptions(self, k: int, problem: Problem) -> set[str]:
        """Return what the proof needs beyond the first two assumptions."""
        upper, lower, needed = float(self.upper[k]), self.direct, set[str]()
        goal = upper - problem.goal.allowed(upper)
        steps = [(self.clicks, {"mixture", "slots-independent"}), *((blank, {"mixture"}) for blank in self.blanks)]
        for bound, assumptions in steps:
            if np.any((lower < goal) & (bound > lower)):
                needed |= assumptions
            lower = np.maximum(lower, bound)
        if problem.item_clicks and np.any((lower < goal) & (self.lower_given(k) > lower)):
            needed.add("slots-independent")
        return needed


def upper_bounds(problem: Problem, evidence: Evidence) -> Floats:
    """U of all pairs, and U of nominees."""
    counts = evidence.after(problem.guess_version)
    b = np.log(problem.n_pairs / problem.shares["upper"])
    upper = np.where(counts.n > 0, high(counts.n, counts.s, b, problem.pair_guesses()), 1.0)
    for k, nominee in enumerate(problem.choices["nominees"], 1):
        i, j = nominee["pair"]
        place = place_of(i, j, problem.K)
        fresh = evidence.after(nominee["version"])
        b = np.log(k * (k + 1) / problem.shares["nominees"])
        guess = None if nominee["guess"] is None else np.array([nominee["guess"]])
        upper[place] = min(upper[place], high(fresh.n[[place]], fresh.s[[place]], b, guess)[0])
    return upper


def direct_bounds(problem: Problem, evidence: Evidence) -> Floats:
    """D of all pairs."""
    counts = evidence.after(problem.guess_version)
    b = np.log(1 / problem.shares["direct"])
    return np.where(counts.n > 0, low(counts.n, counts.s, b, problem.pair_guesses()), 0.0)


def grid(n: Floats, S: Floats, b: float) -> Floats:
    """Return the multipliers m_0..m_Q."""
    mean = (S + 0.5) / (n + 1)
    variance = mean * (1 - mean) / np.maximum(n, 1)
    first = np.sqrt(variance.min() / (b + GRID_PRICE)) / GRID_RATIO
    last = np.sqrt(max(variance.max(), GRID_MIN_SPREAD) / b) * GRID_RATIO**GRID_STEPS_ABOVE
    steps = int(np.ceil(np.log(last / first) / np.log(GRID_RATIO)))
    return np.array([first * GRID_RATIO**t for t in range(steps + 1)])


def h(m: Floats, n: Floats, S: Floats, guess: Floats) -> Floats:
    """Return h(m, n, S, g): one row for each count, one column for each m."""
    q = np.divide(S, n, out=np.zeros_like(n), where=n > 0)[:, None]
    mn = m[None, :] * n[:, None]
    root = np.sqrt(np.maximum((1 + mn) ** 2 - 4 * mn * q, 0))
    x = np.minimum(2 * mn * q / (1 + mn + root), q)
    penalty = m[None, :] * price(n, S, guess)[:, None]
    return np.where(n[:, None] > 0, x + mn * divergence(q, x), 0.0) + penalty


def screening_bounds(problem: Problem, evidence: Evidence) -> list[Floats]:
    """F, for each blank in its order."""
    found = []
    i, j = np.triu_indices(problem.K, 1)
    for k, blank in enumerate(problem.choices["blanks"], 1):
        b = np.log(k * (k + 1) / problem.shares["screening"])
        c, fresh = blank["item"], evidence.after(blank["version"])
        n, S = np.zeros(problem.K), np.zeros(problem.K)
        for other in set(range(problem.K)) - {c}:
            place = place_of(other, c, problem.K)
            n[other], S[other] = fresh.n[place], fresh.s[place]
        m = grid(n, S, b)
        each = h(m, n, S, np.array(blank["guess"], dtype=float))
        bound = np.clip((each[i] + each[j] - (1 + m * b)).max(axis=1), 0, 1)
        found.append(np.where((i == c) | (j == c), 0.0, bound))
    return found


def click_bounds(problem: Problem, evidence: Evidence) -> Floats:
    """I of all pairs; 0 without item feedback."""
    if not problem.item_clicks or problem.shares["clicks"] <= 0:
        return np.zeros(problem.n_pairs)
    counts = evidence.after(problem.guess_version)
    n, S = counts.items()
    known = problem.item_guesses()
    guess = np.full(problem.K, UNGUESSED) if known is None else known
    b = np.log(1 / problem.shares["clicks"])
    i, j = np.triu_indices(problem.K, 1)
    m = grid(n, S, b)
    each = h(m, n, S, guess)
    apart = (each[i] + each[j] - (1 + m * b)).max(axis=1)
    return np.clip(np.where(counts.n > 0, _shown_together(counts, guess, b + np.log(2)), apart), 0, 1)


def _shown_together(counts: Counts, guess: Floats, b: float) -> Floats:
    """Step 3 of I: an impression of both items counts for one of them."""
    n, S = counts.items()
    i, j = np.triu_indices(counts.K, 1)
    m = grid(n, S, b)
    each = h(m, n, S, guess)
    ways = []
    for whole, part, clicks in ((i, j, counts.clicks_j), (j, i, counts.clicks_i)):
        rest = h(m, n[part] - counts.n, S[part] - (counts.n - clicks), guess[part])
        ways.append((each[whole] + rest - (1 + m * b)).max(axis=1))
    return np.maximum(*ways)
