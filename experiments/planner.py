"""Impressions until certified, before anything is started: sessions on random populations like the expected one."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture, mixture_of_rate
from app.simulation.population import Population
from app.simulation.run import run_session
from app.wire.goal import settings_of
from experiments.parallel import run_parallel

EPSILON_FACTORS = (2.0, 1.0, 0.5)
"""The table also shows twice and half the requested epsilon, so that the user can choose."""


def goals_around(goal: Goal) -> list[Goal]:
    """Returns the goals of the table: the requested one, and others of the same kind."""
    return [replace(goal, epsilon=factor * goal.epsilon) for factor in EPSILON_FACTORS if factor * goal.epsilon < 1]


@dataclass(frozen=True)
class Expected:
    """The expected population: a mean click rate, or one of the families."""

    n_items: int
    groups: int
    click_rate: float | None
    family: str

    def draw(self, seed: int) -> Population:
        """Returns a random population of this kind."""
        rng = np.random.default_rng([seed, self.n_items, self.groups])
        if self.click_rate is None:
            return mixture(self.family, self.n_items, self.groups, rng)
        return mixture_of_rate(self.click_rate, self.n_items, self.groups, rng)


@dataclass(frozen=True)
class Trial:
    """One session to run."""

    expected: Expected
    goal: Goal
    delta: float
    seed: int
    item_clicks: bool


class Needed(NamedTuple):
    """The impressions that one session needed."""

    samples: int
    certified: bool
    best_reward: float  # of the true best pair


@dataclass(frozen=True)
class Estimate:
    """One line of the table: all populations at one accuracy and one kind of feedback."""

    goal: Goal
    item_clicks: bool
    runs: int
    certified: int
    best_reward: float  # median
    least: int
    median: int
    most: int

    def as_json(self, per_day: float) -> dict[str, Any]:
        """Returns the line for `--json`."""
        named = {"least": self.least, "median": self.median, "most": self.most}
        days = {f"days_{name}": round(count / per_day, 2) for name, count in named.items()}
        fields = {name: value for name, value in asdict(self).items() if name != "goal"}
        return {**settings_of(self.goal), **fields, "best_reward": round(self.best_reward, 5), **days}


def trials_for(expected: Expected, goals: Sequence[Goal], delta: float, seeds: Sequence[int]) -> list[Trial]:
    """Returns the sessions of the table, with and without clicks by item; all lines have the same populations."""
    return [
        Trial(expected, goal, delta, seed, item_clicks)
        for goal in goals
        for item_clicks in (False, True)
        for seed in seeds
    ]


def run_trials(trials: Sequence[Trial], workers: int | None = None) -> Iterator[tuple[Trial, Needed]]:
    """Yields (trial, needed) as each session ends."""
    return run_parallel(run_trial, trials, workers)


def run_trial(trial: Trial) -> Needed:
    """Returns the impressions that the default policy needs to certify on the population of this seed."""
    people = trial.expected.draw(trial.seed)
    problem = Problem(
        n_items=people.n_items,
        goal=trial.goal,
        delta=trial.delta,
        seed=trial.seed,
        item_clicks=trial.item_clicks,
    )
    outcome = run_session(policy_named("rplans"), problem, people, source(Purpose.USERS, trial.seed))
    return Needed(outcome.samples, outcome.certified, 1 - people.best_pair().value)


def estimates_of(results: Sequence[tuple[Trial, Needed]]) -> list[Estimate]:
    """Returns the lines of the table: largest epsilon first, feedback by pair before feedback by item."""
    groups: dict[tuple[Goal, bool], list[Needed]] = {}
    for trial, needed in results:
        groups.setdefault((trial.goal, trial.item_clicks), []).append(needed)
    lines = []
    for goal, items in sorted(groups, key=lambda key: (-key[0].epsilon, key[1])):
        members = groups[goal, items]
        samples = sorted(needed.samples for needed in members)
        reward = float(np.median([needed.best_reward for needed in members]))
        certified = sum(needed.certified for needed in members)
        middle = round(float(np.median(samples)))
        lines.append(Estimate(goal, items, len(members), certified, reward, samples[0], middle, samples[-1]))
    return lines
