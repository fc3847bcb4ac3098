"""What waiting for answers costs: impressions and time to certification if answers are late and some are lost.

Three ways to count and to wait are compared on the same populations: a prefix per pair (version 0.1.0), the watermark
with the plan handed out several times while its answers are awaited (`explore`), and the watermark with the plan handed
out once (`exploit`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture
from app.wire.goal import settings_of
from app.wire.vocabulary import WhileWaiting
from experiments.delayed_session import DelayedSession, Rule, Traffic, remembered_bets
from experiments.parallel import run_parallel

FAMILY, N_ITEMS, RANK = "ads6", 20, 2
MEDIAN_DELAY = 5.0
SLOW_DELAY = 60.0
"""Seconds until an answer arrives: a lognormal distribution with this median, 99.9 % of it below `SLOW_DELAY`. Clicks
and silence take equally long."""
_NORMAL_QUANTILE = 3.0902  # of .999
_SPREAD = math.log(SLOW_DELAY / MEDIAN_DELAY) / _NORMAL_QUANTILE

CHECK_SHARE = 0.03
"""While a session awaits its proof, it is checked after this part of the time since it began. The service checks more
often, so the figures of the watermark are too high by up to this part."""


class Way(NamedTuple):
    """How a session counts, and what it shows while it waits."""

    rule: Rule
    while_waiting: WhileWaiting

    @property
    def name(self) -> str:
        """The name in tables."""
        return str(self.rule if self.rule is Rule.PREFIX_PER_PAIR else self.while_waiting)


BEFORE = Way(Rule.PREFIX_PER_PAIR, WhileWaiting.EXPLORE)
WAYS = (BEFORE, Way(Rule.WATERMARK, WhileWaiting.EXPLORE), Way(Rule.WATERMARK, WhileWaiting.EXPLOIT))


TABLE_GOAL = Goal(0.1)
"""That of the table in docs/results.md."""


@dataclass(frozen=True)
class Setting:
    """A kind of session."""

    feedback: str  # "pairs" or "items"
    per_second: float
    ttl_seconds: float
    lost: float
    goal: Goal = TABLE_GOAL
    delta: float = 0.1


@dataclass(frozen=True)
class Trial:
    """One session to run."""

    setting: Setting
    way: Way
    seed: int


class Cost(NamedTuple):
    """What one session took."""

    impressions: int  # that explore, issued until the verdict
    seconds: float
    certified: bool
    wrong: bool  # certified, but the pair does not reach the goal
    plans: int


class Spread(NamedTuple):
    """Quartiles over the seeds."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class Line:
    """One way to wait in one setting, all seeds."""

    setting: Setting
    way: Way
    runs: int
    certified: int
    wrong: int
    impressions: Spread
    seconds: Spread
    impressions_ratio: Spread  # to a prefix per pair, seed by seed
    seconds_ratio: Spread

    def as_json(self) -> dict[str, Any]:
        """Returns the line for `--json`."""
        spreads = {
            name: {part: round(value, 3) for part, value in getattr(self, name)._asdict().items()}
            for name in ("impressions", "seconds", "impressions_ratio", "seconds_ratio")
        }
        counts = {"runs": self.runs, "certified": self.certified, "wrong": self.wrong}
        setting = {name: value for name, value in asdict(self.setting).items() if name != "goal"}
        return {**setting, **settings_of(self.setting.goal), "way": self.way.name, **counts, **spreads}


def ordinary_delay(
    i: IntArray, _j: IntArray, _clicks_i: BoolArray, _clicks_j: BoolArray, rng: np.random.Generator
) -> FloatArray:
    """Returns the seconds until each answer arrives."""
    return MEDIAN_DELAY * np.exp(_SPREAD * rng.standard_normal(len(i)))


def run_trials(trials: Sequence[Trial], workers: int | None = None) -> Iterator[tuple[Trial, Cost]]:
    """Yields (trial, cost) as each session ends."""
    return run_parallel(run_trial, trials, workers)


def run_trial(trial: Trial) -> Cost:
    """Returns what the session of this seed took."""
    setting, seed = trial.setting, trial.seed
    people = mixture(FAMILY, N_ITEMS, RANK, np.random.default_rng([seed, RANK]))
    problem = Problem(
        n_items=N_ITEMS,
        goal=setting.goal,
        delta=setting.delta,
        seed=seed,
        item_clicks=setting.feedback == "items",
    )
    traffic = Traffic(setting.per_second, setting.ttl_seconds, ordinary_delay, setting.lost)
    rng = source(Purpose.USERS, seed)
    session = DelayedSession(
        policy_named("rplans"),
        problem,
        people,
        traffic,
        rng,
        *trial.way,
        check_share=CHECK_SHARE,
    )
    with remembered_bets():
        finished = session.run()
    report = finished.plans[-1].plan.report
    best = 1.0 - people.best_pair().value
    wrong = report.certified and setting.goal.missed_by(best - float(people.error(*report.pair)), best)
    return Cost(finished.impressions, finished.seconds, report.certified, wrong, len(finished.plans))


def lines_of(results: Sequence[tuple[Trial, Cost]]) -> list[Line]:
    """Returns the lines of the table: settings in the order of the trials, and the ways of each."""
    costs = {(trial.setting, trial.way, trial.seed): cost for trial, cost in results}
    lines = []
    for setting, way in sorted({key[:2] for key in costs}, key=_order):
        seeds = sorted(key[2] for key in costs if key[:2] == (setting, way))
        own = [costs[setting, way, seed] for seed in seeds]
        before = [costs[setting, BEFORE, seed] for seed in seeds]
        lines.append(
            Line(
                setting,
                way,
                runs=len(own),
                certified=sum(cost.certified for cost in own),
                wrong=sum(cost.wrong for cost in own),
                impressions=_spread([cost.impressions for cost in own]),
                seconds=_spread([cost.seconds for cost in own]),
                impressions_ratio=_spread([a.impressions / b.impressions for a, b in zip(own, before, strict=True)]),
                seconds_ratio=_spread([a.seconds / b.seconds for a, b in zip(own, before, strict=True)]),
            )
        )
    return lines


def _order(key: tuple[Setting, Way]) -> tuple[object, ...]:
    setting, way = key
    return (setting.feedback, setting.per_second, setting.ttl_seconds, setting.lost, WAYS.index(way))


def _spread(values: Sequence[float]) -> Spread:
    return Spread(*(float(value) for value in np.quantile(values, (0.25, 0.5, 0.75))))
