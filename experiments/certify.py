"""Impressions to certification on random populations of each family, the same populations for each policy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture
from app.simulation.run import Outcome, run_session
from app.wire.goal import settings_of
from experiments.parallel import run_parallel


@dataclass(frozen=True)
class Instance:
    """A family of populations, with the accuracy to certify."""

    family: str
    n_items: int
    rank: int
    goal: Goal

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.family} K={self.n_items} r={self.rank} {self.goal.field} {self.goal.epsilon:g}"


INSTANCES = tuple(
    Instance(family, n_items, rank, Goal(epsilon))
    for family, n_items, rank, epsilon in (
        ("pref", 50, 2, 0.05),
        ("pref", 50, 4, 0.05),
        ("ads6", 50, 2, 0.05),
        ("ads20", 50, 2, 0.05),
        ("clus", 50, 2, 0.05),
        ("pref", 200, 2, 0.05),
        ("pref", 200, 4, 0.05),
        ("ads6", 200, 2, 0.1),
        ("ads6", 200, 4, 0.05),
        ("ads20", 200, 2, 0.05),
        ("ads20", 200, 4, 0.02),
        ("clus", 200, 2, 0.05),
        ("clus", 200, 4, 0.1),
        ("ads6", 800, 2, 0.1),
        ("ads20", 800, 2, 0.05),
        ("clus", 800, 2, 0.1),
        ("pref", 800, 2, 0.05),
    )
)
"""Click rates as of ads, preferences and favourites, from 50 items (a menu) to 800 (a catalogue)."""

WITH_ITEMS = "+items"
"""Suffix of a policy's name: the same policy, with feedback that names the clicked items."""


@dataclass(frozen=True)
class Session:
    """One session to run."""

    instance: Instance
    policy: str  # may end with WITH_ITEMS
    seed: int
    delta: float
    item_clicks: bool
    in_flight: int = 0  # impressions in addition to those of each plan


@dataclass(frozen=True)
class Line:
    """One policy on one instance, all seeds."""

    instance: Instance
    policy: str
    outcomes: tuple[Outcome, ...]

    @property
    def median(self) -> float:
        """The median number of impressions over the seeds."""
        return float(np.median([outcome.samples for outcome in self.outcomes]))

    @property
    def certified(self) -> int:
        """The number of sessions that ended certified."""
        return sum(outcome.certified for outcome in self.outcomes)

    @property
    def wrong(self) -> int:
        """The number of certified pairs that do not reach the goal."""
        return sum(outcome.wrong for outcome in self.outcomes)

    @property
    def bounds(self) -> dict[str, float]:
        """The share of the pairs whose final lower bound is of each kind, mean over the seeds."""
        return {
            kind: float(np.mean([outcome.bounds[kind] for outcome in self.outcomes]))
            for kind in self.outcomes[0].bounds
        }

    def as_json(self) -> dict[str, Any]:
        """Returns the line for `--json`."""
        one = self.instance
        return {
            "family": one.family,
            "n_items": one.n_items,
            "rank": one.rank,
            **settings_of(one.goal),
            "policy": self.policy,
            "median": self.median,
            "samples": [outcome.samples for outcome in self.outcomes],
            "certified": self.certified,
            "wrong": self.wrong,
            "bounds": {kind: round(part, 4) for kind, part in self.bounds.items()},
            "plans": [outcome.plans for outcome in self.outcomes],
            "seconds": [round(outcome.seconds, 2) for outcome in self.outcomes],
        }


def run_one(session: Session) -> Outcome:
    """Returns the outcome of one session; population and users depend on instance and seed, not on the policy."""
    instance = session.instance
    drawn = np.random.default_rng([session.seed, instance.n_items, instance.rank])
    people = mixture(instance.family, instance.n_items, instance.rank, drawn)
    problem = Problem(
        n_items=instance.n_items,
        goal=instance.goal,
        delta=session.delta,
        seed=session.seed,
        item_clicks=session.item_clicks or session.policy.endswith(WITH_ITEMS),
    )
    policy = policy_named(session.policy.removesuffix(WITH_ITEMS))
    return run_session(policy, problem, people, source(Purpose.USERS, session.seed), in_flight=session.in_flight)


def run_sessions(sessions: Sequence[Session], workers: int | None = None) -> Iterator[tuple[Session, Outcome]]:
    """Yields (session, outcome) as each session ends."""
    return run_parallel(run_one, sessions, workers)


def lines_of(
    results: Sequence[tuple[Session, Outcome]], policies: Sequence[str], instances: Sequence[Instance] = INSTANCES
) -> list[Line]:
    """Returns one line per instance and policy, in the order of both."""
    lines = []
    for instance in instances:
        for policy in policies:
            members = [(s.seed, o) for s, o in results if (s.instance, s.policy) == (instance, policy)]
            if members:
                lines.append(Line(instance, policy, tuple(o for _, o in sorted(members, key=lambda member: member[0]))))
    return lines


@dataclass(frozen=True)
class Growth:
    """The growth of the median with the number of items K: proportional to K to the power of `exponent`."""

    family: str
    rank: int
    goal: Goal
    policy: str
    sizes: tuple[int, ...]
    exponent: float


def growth_of(lines: Sequence[Line]) -> list[Growth]:
    """Returns the growth of the medians for each group of lines that differ only in K and have two values or more."""
    groups: dict[tuple[str, int, Goal, str], list[tuple[int, float]]] = {}
    for line in lines:
        one = line.instance
        groups.setdefault((one.family, one.rank, one.goal, line.policy), []).append((one.n_items, line.median))
    found = []
    for key, points in groups.items():
        if len(points) > 1:
            found.append(Growth(*key, tuple(sorted(size for size, _ in points)), exponent(points)))
    return found


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """Returns the least-squares slope of log median over log K."""
    sizes, medians = zip(*points, strict=True)
    return float(np.polyfit(np.log(sizes), np.log(medians), 1)[0])
