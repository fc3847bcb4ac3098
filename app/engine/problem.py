"""The question a session asks: items, accuracy, confidence, and what may be assumed or shown."""

import math
from dataclasses import dataclass
from enum import StrEnum

from app.engine.arrays import n_pairs


class Model(StrEnum):
    """How a showing answers: a coin with the pair's probability, or the probability itself."""

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


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What is asked: a pair whose no-click probability is within `epsilon` of the lowest, with confidence 1-`delta`.

    `rank` is the number of groups of users, for policies that take it from the caller; None means "auto". A proof uses
    it in the deterministic model only (`bounds.exact`).
    `budget` limits the impressions that count; None means no limit. `seed` fixes every random choice of a policy.
    `item_clicks` says that answers tell which items were clicked, not only whether one was.
    """

    n_items: int
    epsilon: float
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
        for name in ("epsilon", "delta"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 < value < 1):
                raise InvalidProblem(name, f"must be strictly between 0 and 1, got {value}")
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
