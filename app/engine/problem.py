"""The problem of a session: items, accuracy, confidence, and what may be assumed or shown."""

import math
from dataclasses import dataclass
from enum import StrEnum

from app.engine.arrays import n_pairs


class Model(StrEnum):
    """The outcome of an impression: a coin with the pair's probability, or the probability itself."""

    STOCHASTIC = "stochastic"
    DETERMINISTIC = "deterministic"


class SelfPairs(StrEnum):
    """Whether one item may be shown twice to learn from it. A self pair is never the answer."""

    NEVER = "never"
    EXPLORE = "explore"


class InvalidProblem(ValueError):
    """A setting that cannot be used; `field` names it and the message says what is allowed."""

    def __init__(self, field: str, advice: str) -> None:
        self.field = field
        self.advice = advice
        super().__init__(f"{field}: {advice}")


@dataclass(frozen=True)
class Goal:
    """How close to the best the answer must be.

    With R = 1 - L, the probability of a click, and k the answer:

        absolute:  R_k >= R_best - epsilon
        relative:  R_k >= (1 - epsilon) R_best

    Let U be an upper bound of L_k, and `gap` a bound of R_best - R_k. The absolute goal is reached if gap <= epsilon.
    The relative goal is reached if gap <= epsilon/(1 - epsilon) (1 - U), because then

        R_best <= R_k + gap <= R_k + epsilon/(1 - epsilon) R_k = R_k / (1 - epsilon).

    So a relative goal is an absolute goal that depends on U (`allowed`). Everything else is written in terms of it.
    """

    epsilon: float
    relative: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and 0 < self.epsilon < 1):
            raise InvalidProblem(self.field, f"must be strictly between 0 and 1, got {self.epsilon}")

    @property
    def field(self) -> str:
        """The name of the setting that states this goal."""
        return "relative_epsilon" if self.relative else "epsilon"

    def allowed(self, upper: float) -> float:
        """Returns the largest gap that reaches the goal if L of the answer is at most `upper`."""
        return self.epsilon / (1 - self.epsilon) * (1 - upper) if self.relative else self.epsilon

    def threshold(self, upper: float) -> float:
        """Returns what L of every other pair must be proven to reach if L of the answer is at most `upper`."""
        return upper - self.allowed(upper)

    def width(self, mean: float) -> float:
        """Returns how far above `mean` L of the answer may be if L of every other pair is proven to reach `mean`."""
        return self.epsilon * (1 - mean) if self.relative else self.epsilon

    def distance(self, gap: float, upper: float) -> float:
        """Returns a gap, at least 0, in the terms of the goal: it is reached if this is at most `epsilon`."""
        return relative_gap(gap, upper) if self.relative else gap

    def missed_by(self, reward: float, best: float) -> bool:
        """Returns whether a pair with this true reward does not reach the goal, where the best pair has `best`."""
        return reward < ((1 - self.epsilon) * best if self.relative else best - self.epsilon)


def relative_gap(gap: float, upper: float) -> float:
    """Returns which part of the best reward a pair may lack if L of the pair is at most `upper`: 1 if nothing is known.

    R_best <= R_k + gap and R_k >= 1 - upper, so (R_best - R_k) / R_best is at most gap / (gap + 1 - upper).
    """
    return min(gap / (gap + 1 - upper), 1.0) if gap > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The question: a pair that reaches the `goal`, with confidence 1-`delta`.

    `rank` is the number of groups of users, for policies that take it from the caller; None means "auto". A proof uses
    it in the deterministic model only (`bounds.exact`).
    `budget` limits the impressions that count; None means no limit. `seed` fixes every random choice of a policy.
    `item_clicks`: feedback names the clicked items, not only whether there was a click.
    """

    n_items: int
    goal: Goal
    delta: float
    rank: int | None = None
    model: Model = Model.STOCHASTIC
    self_pairs: SelfPairs = SelfPairs.NEVER
    budget: int | None = None
    seed: int = 0
    item_clicks: bool = False

    def __post_init__(self) -> None:
        if self.n_items < 2:
            raise InvalidProblem("items", f"a pair needs at least 2 items, got {self.n_items}")
        if not (math.isfinite(self.delta) and 0 < self.delta < 1):
            raise InvalidProblem("delta", f"must be strictly between 0 and 1, got {self.delta}")
        if self.rank is not None and not 1 <= self.rank <= self.n_items:
            raise InvalidProblem("rank", f'must be "auto" or between 1 and {self.n_items} (the items), got {self.rank}')
        if self.budget is not None and self.budget < 1:
            raise InvalidProblem("budget", f"must be at least 1 or left out, got {self.budget}")
        if self.seed < 0:
            raise InvalidProblem("seed", f"must be 0 or more, got {self.seed}")

    @property
    def n_pairs(self) -> int:
        """The number of pairs that can be the answer, K(K-1)/2."""
        return n_pairs(self.n_items)
