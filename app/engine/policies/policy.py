"""The base class of policies, the situation they see, and the proposal they return."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from app.engine.arrays import Pair
from app.engine.certificate import Assessment
from app.engine.choices import Choices
from app.engine.delta_shares import Shares
from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.memory import Notes
from app.engine.problem import InvalidProblem, Model, Problem, SelfPairs

GROWTH = 0.30
"""A batch is this part of all samples so far, so a session plans O(log samples) times."""

FIRST_BATCH_PER_ITEM = 4
"""The smallest batch is this many impressions per item; planning more often would change nothing."""

GUESSED_AT = 2
"""The plan that may make the guess of guided intervals, from the impressions of the first plan. Until then nothing is
proven, and afterwards no guess is made: an interval that was used without a guess cannot begin again with one."""


@dataclass(frozen=True, eq=False)
class Situation:
    """Everything a policy may use: the problem, the counts, what they prove, its notes, and a random generator."""

    problem: Problem
    evidence: Evidence
    assessment: Assessment
    notes: Notes
    version: int  # of the plan being made; impressions of its demand will carry it
    room: int  # impressions the budget still allows; a very large number without a budget
    rng: np.random.Generator
    choices: Choices = field(default_factory=Choices)

    def batch(self, growth: float = GROWTH) -> int:
        """Returns how many impressions to ask for: a geometric step, within the budget."""
        step = max(FIRST_BATCH_PER_ITEM * self.problem.n_items, math.ceil(growth * self.evidence.samples))
        return min(step, self.room)


@dataclass(frozen=True, eq=False)
class Proposal:
    """The result of a policy: what to show, the pair it would answer with now, and what to remember."""

    demand: Demand
    pair: Pair
    phase: str
    notes: Notes = field(default_factory=dict)
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    choices: Choices | None = None  # None: as they were
    forecast: float | None = None  # estimate of the impressions still needed to certify


class Policy(ABC):
    """A rule that decides what to show next. Instances have no state."""

    name: ClassVar[str]
    model: ClassVar[Model] = Model.STOCHASTIC
    needs_self_pairs: ClassVar[bool] = False
    uses_rank: ClassVar[bool] = False  # it makes use of a stated rank
    needs_rank: ClassVar[bool] = False  # and cannot do without one
    needs_absolute_goal: ClassVar[bool] = False  # its sample sizes are computed before any reward is known
    guesses: ClassVar[bool] = False  # it may make a guess at plan `GUESSED_AT`

    @abstractmethod
    def propose(self, now: Situation) -> Proposal:
        """Returns what to show next."""

    def shares(self, _problem: Problem) -> Shares:
        """Returns how delta is divided among the bounds: fixed for the session, before its first sample."""
        return Shares()

    def check(self, problem: Problem) -> None:
        """Raises InvalidProblem, naming the field to change, if this policy cannot work on the problem."""
        if problem.model is not self.model:
            raise InvalidProblem(
                "policy", f'"{self.name}" works on the {self.model} model only, and the model is {problem.model}'
            )
        if self.needs_self_pairs and problem.self_pairs is not SelfPairs.EXPLORE:
            raise InvalidProblem("self_pairs", f'must be "explore" for policy "{self.name}", which shows items twice')
        if self.needs_absolute_goal and problem.goal.relative:
            raise InvalidProblem(
                problem.goal.field, f'policy "{self.name}" cannot work with a relative goal: give epsilon instead'
            )
        if self.needs_rank and problem.rank is None:
            raise InvalidProblem("rank", f'must be a number for policy "{self.name}", not "auto"')
