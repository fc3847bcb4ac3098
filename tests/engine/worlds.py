"""Sessions in worlds that keep the assumptions and in worlds that break them, watched at every plan."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from app.engine.arrays import IntArray
from app.engine.choices import Blank, Choices
from app.engine.delta_shares import Shares
from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.health import Finding, findings
from app.engine.late import LateAnswers
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies.lucb import Lucb
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.problem import Problem
from app.engine.randomness import Purpose, source
from app.engine.unanswered import Unanswered
from app.simulation.population import Population
from app.simulation.users import ItemOutcomes, Users

World = Callable[[int, Demand, np.random.Generator], ItemOutcomes]
"""From the plan's version and demand to what users do."""

Loss = Callable[[int, np.random.Generator], tuple[float, float]]
"""From the plan's version to how often an answer is lost after a click, and after none."""


class Leaning(Lucb):
    """`lucb` with a certificate that uses clicks by item, or a blank chosen in plan 3, as far as they go."""

    name: ClassVar[str] = "leaning"

    def shares(self, problem: Problem) -> Shares:
        shared = {"clicks": 0.4} if problem.item_clicks else {"screening": 0.4}
        return Shares(upper=0.1, direct=0.5, **shared)

    def propose(self, now: Situation) -> Proposal:
        proposal = super().propose(now)
        if now.version != 3 or now.problem.item_clicks:
            return proposal
        t, K = now.evidence.totals, now.problem.n_items
        unclicked = np.bincount(t.i, t.s, K) + np.bincount(t.j, t.s, K)
        shown = np.bincount(t.i, t.n, K) + np.bincount(t.j, t.n, K)
        item = int(np.argmax(unclicked / np.maximum(shown, 1)))
        return replace(proposal, choices=now.choices.add_blank(Blank(3, item, (0.8,) * K)))


@dataclass(frozen=True)
class Moment:
    """A session when a plan is made."""

    problem: Problem
    shares: Shares
    evidence: Evidence
    choices: Choices
    unanswered: Unanswered
    late: LateAnswers

    def findings(self) -> tuple[Finding, ...]:
        return findings(self.problem, self.evidence, self.choices, self.shares, self.unanswered, self.late)


class LateComers:
    """Lost answers that come late after all: at every look, some of those that have not come yet, whatever they say."""

    def __init__(self, seed: int, part_per_look: float) -> None:
        self._rng = np.random.default_rng([8, seed])  # separate, so that the session is the same without late answers
        self._part = part_per_look
        self._rows = np.zeros((0, 7), dtype=np.int64)  # version, timely answers and clicks, late ones, those to come

    def add(self, version: int, timely: IntArray, clicks: IntArray, lost_clicks: IntArray, lost: IntArray) -> None:
        """Adds the cells of a plan."""
        none = 0 * timely
        rows = (none + version, timely, clicks, none, none, lost_clicks, lost - lost_clicks)
        self._rows = np.concatenate([self._rows, np.stack(rows, axis=1)])

    def look(self, number: int) -> LateAnswers:
        """Returns the counts after more late answers have come."""
        came = self._rng.binomial(self._rows[:, 5:], self._part)
        self._rows[:, 5:] -= came
        self._rows[:, 3] += came.sum(axis=1)
        self._rows[:, 4] += came[:, 0]
        version, timely, clicks, late, late_clicks, *_ = self._rows.T.copy()
        return LateAnswers(version, timely, clicks, late, late_clicks, closed_before=number, look=number)


def of(population: Population) -> World:
    """A world as assumed."""
    return lambda _, demand, rng: Users(population).item_outcomes(demand.i, demand.j, demand.count, rng)


def changing(before: World, after: World, since: int) -> World:
    """A world that changes with the plan of this version."""
    return lambda version, demand, rng: (before if version < since else after)(version, demand, rng)


def hiding(world: World) -> World:
    """A world in which the first click, on either slot alike, leads away from the page."""

    def first_click_only(version: int, demand: Demand, rng: np.random.Generator) -> ItemOutcomes:
        seen = world(version, demand, rng)
        on_i = rng.binomial(seen.both, 0.5)
        return ItemOutcomes(seen.neither, seen.only_i + on_i, seen.only_j + seen.both - on_i, 0 * seen.both)

    return first_click_only


def no_loss(_version: int, _rng: np.random.Generator) -> tuple[float, float]:
    return 0.0, 0.0


def even_loss(_version: int, rng: np.random.Generator) -> tuple[float, float]:
    """Feedback is lost, in some plans more than in others, independently of the outcome."""
    rate = float(rng.uniform(0.0, 0.6))
    return rate, rate


def watch(
    policy: Policy,
    problem: Problem,
    world: World,
    *,
    seed: int,
    loss: Loss = no_loss,
    late_per_look: float = 0.0,
    most_plans: int = 60,
) -> Iterator[Moment]:
    """Yields the session at every plan until it asks for nothing more.

    `late_per_look` is the part of the lost answers that come late between two plans.
    """
    rng, late = source(Purpose.USERS, seed), LateComers(seed, late_per_look)
    evidence, memory = Evidence.empty(problem.n_items), Memory()
    rows: list[tuple[IntArray, ...]] = []
    shares = policy.shares(problem)
    while True:
        unanswered = Unanswered.none()
        if rows:
            i, j, version, answered, silent = (np.concatenate(parts) for parts in zip(*rows, strict=True))
            unanswered = Unanswered(i, j, version, answered, silent, closed_before=memory.version + 1)
        yield Moment(problem, shares, evidence, memory.choices, unanswered, late.look(memory.version + 1))
        step = plan(policy, problem, evidence, memory)
        memory, demand = step.memory, step.demand
        if demand.total == 0 or memory.version > most_plans:
            return
        after_click, after_none = loss(memory.version, rng)
        seen = world(memory.version, demand, rng)
        neither = rng.binomial(seen.neither, 1 - after_none)
        only_i, only_j, both = (rng.binomial(some, 1 - after_click) for some in seen[1:])
        n = neither + only_i + only_j + both
        rows.append((demand.i, demand.j, np.full(len(n), memory.version), n, demand.count - n))
        late.add(memory.version, n, n - neither, demand.count - seen.neither - (n - neither), demand.count - n)
        clicks = (only_i + both, only_j + both)
        evidence = evidence.add(demand.i, demand.j, memory.version, n, neither.astype(np.float64), clicks)
