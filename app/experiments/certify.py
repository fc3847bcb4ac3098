"""Impressions to certification on random populations of each family, policies side by side on the same users."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.engine.policies import policy_named
from app.engine.problem import Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture
from app.simulation.run import Outcome, run_session


@dataclass(frozen=True)
class Instance:
    """A family of populations and the accuracy asked for."""

    family: str
    n_items: int
    rank: int
    epsilon: float

    @property
    def name(self) -> str:
        """How the instance is called in tables."""
        return f"{self.family} K={self.n_items} r={self.rank} eps {self.epsilon:g}"


INSTANCES = tuple(
    Instance(*row)
    for row in (
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
"""Where real ads, tastes and favourites lie, from a menu to a catalogue."""


@dataclass(frozen=True)
class Session:
    """One session to run."""

    instance: Instance
    policy: str
    seed: int
    delta: float
    item_clicks: bool


@dataclass(frozen=True)
class Line:
    """One policy on one instance, all seeds."""

    instance: Instance
    policy: str
    outcomes: tuple[Outcome, ...]

    @property
    def median(self) -> float:
        """Impressions, median over seeds."""
        return float(np.median([outcome.samples for outcome in self.outcomes]))

    @property
    def certified(self) -> int:
        """Sessions that ended certified."""
        return sum(outcome.certified for outcome in self.outcomes)

    @property
    def wrong(self) -> int:
        """Certified pairs that are not within epsilon of the best."""
        return sum(outcome.certified and outcome.error > self.instance.epsilon for outcome in self.outcomes)

    def as_json(self) -> dict[str, Any]:
        """Returns the line for `--json`."""
        return {
            **asdict(self.instance),
            "policy": self.policy,
            "median": self.median,
            "samples": [outcome.samples for outcome in self.outcomes],
            "certified": self.certified,
            "wrong": self.wrong,
            "plans": [outcome.plans for outcome in self.outcomes],
            "seconds": [round(outcome.seconds, 2) for outcome in self.outcomes],
        }


def run_one(session: Session) -> Outcome:
    """Returns how one session ended; population and users depend on instance and seed, not on the policy."""
    instance = session.instance
    drawn = np.random.default_rng([session.seed, instance.n_items, instance.rank])
    people = mixture(instance.family, instance.n_items, instance.rank, drawn)
    problem = Problem(
        n_items=instance.n_items,
        epsilon=instance.epsilon,
        delta=session.delta,
        seed=session.seed,
        item_clicks=session.item_clicks,
    )
    return run_session(policy_named(session.policy), problem, people, source(Purpose.USERS, session.seed))


def run_sessions(sessions: Sequence[Session], workers: int | None = None) -> Iterator[tuple[Session, Outcome]]:
    """Yields each session with its outcome as it ends, on all cores, one numerical thread each."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(run_one, session): session for session in sessions}
        for done in as_completed(running):
            yield running[done], done.result()


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
