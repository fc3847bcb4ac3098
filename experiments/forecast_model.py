"""Fits the model of `bestpair forecast`: simulated sessions over the whole range of settings, and a regression.

The sessions are a quasi-random design (Sobol) over items, click rate, accuracy, delta, groups and the kind of goal.
Each population is used twice, with feedback by pair and by item. Its click rate is the mean over its items and
visitors, not that of the distribution it is drawn from: this is what a user knows about real items.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.stats import qmc

from app.engine.arrays import FloatArray
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.forecast.model import COVERAGE, FORMAT, Model, accuracy_of, evaluate, log_hazard, raised, term, variable_of
from app.simulation.mixtures import mixture_of_rate
from app.simulation.population import Population
from app.simulation.run import run_session
from experiments.parallel import run_parallel

ITEMS = (5, 2000)
CLICK_RATE = (0.001, 0.3)
RELATIVE_EPSILON = (0.05, 0.3)
EPSILON_PART = (0.05, 0.5)
"""An absolute epsilon as a part of the expected reward of the best pair."""
DELTA = (0.01, 0.2)
GROUPS = 4

Quantiles = tuple[tuple[float, int], ...]
SIZES: Quantiles = ((0.0, 5), (0.6, 100), (0.9, 300), (0.98, 800), (1.0, 2000))
"""Quantiles of the numbers of items in the design, logarithmic between them. Large sessions are few: one of 2,000 items
takes a hundred times as long as one of 30, and all are on one smooth curve."""
EVEN_SIZES: Quantiles = ((0.0, 5), (1.0, 2000))
"""The same for the check."""
EASIER_FROM = 200
"""Larger sessions have higher click rates and coarser goals. With 400 items, a click rate of .003 and feedback by pair,
a session needs 51 million impressions in 213 plans, which take a minute to simulate; with 2,000 items, far longer."""

REWARD_POPULATIONS = 2000
RATE_TERMS = ("1", "k", "r", "k*k", "k*r", "r*r")
REWARD_TERMS = (*RATE_TERMS, "t", "k*t", "r*t", "t*t")
TERMS = (*RATE_TERMS, "t", "k*t", "r*t", "a", "d", "k*a")
"""Other products (a*a, r*a, t*t, with d) are left out: they did not lower the error, each session left out in turn."""

FACTORS = (2.0, 3.0)
"""A forecast is judged by how often it is within these factors of what the session needed."""


@dataclass(frozen=True)
class Setting:
    """One session to run."""

    n_items: int
    rate: float  # of the distribution that the population is drawn from
    groups: int
    goal: Goal
    delta: float
    item_clicks: bool
    seed: int

    def draw(self) -> Population:
        """Returns the population, the same for both kinds of feedback."""
        return draw_population(self.n_items, self.rate, self.groups, self.seed)


@dataclass(frozen=True)
class Point:
    """What one session needed."""

    items: int
    click_rate: float  # mean over the items of the population
    best_click_rate: float  # of the item that is clicked most
    groups: int
    relative: bool
    epsilon: float
    delta: float
    feedback: str
    best_reward: float
    impressions: int
    certified: bool
    plans: int
    seconds: float  # of processor time

    @property
    def problem(self) -> Problem:
        """The problem of the session."""
        goal = Goal(self.epsilon, relative=self.relative)
        return Problem(n_items=self.items, goal=goal, delta=self.delta, item_clicks=self.feedback == "items")

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """Returns the point of a row of docs/results/forecast.json."""
        return cls(**row)

    def as_json(self) -> dict[str, Any]:
        """Returns the row of the results file, numbers with five digits."""
        return {
            name: float(f"{value:.5g}") if isinstance(value, float) else value for name, value in asdict(self).items()
        }


class Score(NamedTuple):
    """How good the forecasts of some sessions are."""

    sessions: int
    within: tuple[float, ...]  # share within each of FACTORS
    in_range: float  # share within the range of the forecast
    bias: float  # median of needed / forecast


def draw_population(n_items: int, rate: float, groups: int, seed: int) -> Population:
    """Returns a random population; with one group, the rates of the items are Beta(1, b), a long tail."""
    return mixture_of_rate(rate, n_items, groups, np.random.default_rng([seed, n_items, groups]))


def click_rates(people: Population) -> FloatArray:
    """Returns the click rate of each item over all visitors, (K,)."""
    if people.shares is None or people.click_probabilities is None:
        raise ValueError("the population must be a mixture")
    return people.shares @ people.click_probabilities


class Expectations(NamedTuple):
    """Polynomials of the click rate of the best item and of the reward of the best pair."""

    best_click_rate: dict[str, float]
    best_reward: dict[str, float]


def fit_expectations(seed: int, populations: int = REWARD_POPULATIONS) -> Expectations:
    """Returns what to expect of the best item and the best pair; it needs populations, but no sessions."""
    rows, rates, rewards = [], [], []
    for n, u in enumerate(_sobol(3, populations, seed)):
        n_items, rate, groups = _items(u[0], EVEN_SIZES), _between(u[1], CLICK_RATE), 1 + int(GROUPS * u[2])
        people = draw_population(n_items, rate, groups, seed + n)
        clicked = click_rates(people)
        rows.append(_variables(items=n_items, click_rate=float(clicked.mean())))
        rates.append(log_hazard(float(clicked.max())))
        rewards.append(log_hazard(1 - people.best_pair().value))
    best_click_rate = _least_absolute(RATE_TERMS, rows, np.array(rates))
    known = [{**row, "t": rate - evaluate(best_click_rate, row)} for row, rate in zip(rows, rates, strict=True)]
    return Expectations(best_click_rate, _least_absolute(REWARD_TERMS, known, np.array(rewards)))


def design(expected: Expectations, populations: int, seed: int) -> list[Setting]:
    """Returns the sessions to fit the model to: a Sobol sequence over the ranges."""
    return _settings(_sobol(6, populations, seed), expected, seed, SIZES)


def held_out(expected: Expectations, populations: int, seed: int) -> list[Setting]:
    """Returns sessions to judge the model by: independent random settings in the same ranges, other populations."""
    return _settings(np.random.default_rng([seed, 1]).random((populations, 6)), expected, seed + 10**6, EVEN_SIZES)


def run_settings(settings: Sequence[Setting], workers: int | None = None) -> Iterator[Point]:
    """Yields what each session needed, as it ends; the slowest ones start first."""
    slowest_first = sorted(settings, key=lambda setting: -setting.n_items)
    return (point for _, point in run_parallel(run_setting, slowest_first, workers))


def run_setting(setting: Setting) -> Point:
    """Returns what the default policy needed to certify."""
    began = time.process_time()
    people = setting.draw()
    problem = Problem(
        n_items=setting.n_items,
        goal=setting.goal,
        delta=setting.delta,
        seed=setting.seed,
        item_clicks=setting.item_clicks,
    )
    clicked = click_rates(people)
    outcome = run_session(policy_named("rplans"), problem, people, source(Purpose.USERS, setting.seed))
    return Point(
        items=setting.n_items,
        click_rate=float(clicked.mean()),
        best_click_rate=float(clicked.max()),
        groups=setting.groups,
        relative=setting.goal.relative,
        epsilon=setting.goal.epsilon,
        delta=setting.delta,
        feedback="items" if setting.item_clicks else "pair",
        best_reward=1 - people.best_pair().value,
        impressions=outcome.samples,
        certified=outcome.certified,
        plans=outcome.plans,
        seconds=time.process_time() - began,
    )


def fit(points: Sequence[Point], expected: Expectations, made: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the content of `model.json`: a regression for each kind of feedback, and quantiles of its residuals."""
    feedback = {}
    for kind in ("pair", "items"):
        own = [point for point in points if point.feedback == kind and point.certified]
        needed = np.log([point.impressions for point in own])
        known, unknown = ([_row(point, expected, known=known) for point in own] for known in (True, False))
        polynomial = _least_absolute(TERMS, known, needed)
        with_best, without = (needed - [evaluate(polynomial, row) for row in rows] for rows in (known, unknown))
        relative = np.array([point.relative for point in own])
        feedback[kind] = {
            "impressions": polynomial,
            "residuals": {
                "known": _ends(with_best),
                "unknown_relative": _ends(without[relative]),
                "unknown_absolute": _ends(without[~relative]),
            },
        }
    best_items = [_row(point, expected, known=True)["t"] for point in points]
    return {
        "format": FORMAT,
        "made": dict(made),
        "ranges": {
            "items": ITEMS,
            "click_rate": CLICK_RATE,
            "accuracy": EPSILON_PART,
            "delta": DELTA,
            "t": (round(min(best_items), 2), round(max(best_items), 2)),
        },
        "easier_from": EASIER_FROM,
        **expected._asdict(),
        "feedback": feedback,
    }


def score(points: Sequence[Point], model: Model, *, best_known: bool) -> Score:
    """Returns how good the forecasts of these sessions are; a session that was not certified is a miss.

    With `best_known`, the forecasts know the click rate of the best item.
    """
    forecasts = [
        model.forecast(point.problem, point.click_rate, point.best_click_rate if best_known else None)
        for point in points
    ]
    ratio = np.array([point.impressions / one.median for point, one in zip(points, forecasts, strict=True)])
    ended = np.array([point.certified for point in points])
    held = [one.low <= point.impressions <= one.high for point, one in zip(points, forecasts, strict=True)]
    within = tuple(float(np.mean(ended & (np.abs(np.log(ratio)) <= math.log(factor)))) for factor in FACTORS)
    return Score(len(points), within, float(np.mean(ended & held)), float(np.median(ratio)))


def _settings(units: FloatArray, expected: Expectations, seed: int, sizes: Quantiles) -> list[Setting]:
    """Returns two sessions, one for each kind of feedback, for each row of numbers from 0 to 1."""
    settings = []
    for n, u in enumerate(units):
        n_items, groups = _items(u[0], sizes), 1 + int(GROUPS * u[4])
        rate = _between(u[1], CLICK_RATE, raised("click_rate", n_items, EASIER_FROM))
        coarser = raised("accuracy", n_items, EASIER_FROM)
        relative = bool(u[5] < 0.5)
        if relative:
            epsilon = _between(u[2], RELATIVE_EPSILON, coarser)
        else:
            mean = float(click_rates(draw_population(n_items, rate, groups, seed + n)).mean())
            epsilon = _between(u[2], EPSILON_PART, coarser) * _reward(
                expected, _variables(items=n_items, click_rate=mean)
            )
        goal, delta = Goal(epsilon, relative=relative), _between(u[3], DELTA)
        settings += [Setting(n_items, rate, groups, goal, delta, items, seed + n) for items in (False, True)]
    return settings


def _row(point: Point, expected: Expectations, *, known: bool) -> dict[str, float]:
    """Returns the variables of a session as the model has them; with `known`, the best item is known."""
    row = _variables(items=point.items, click_rate=point.click_rate, delta=point.delta)
    if known:
        row["t"] = log_hazard(point.best_click_rate) - evaluate(expected.best_click_rate, row)
    accuracy = accuracy_of(point.problem.goal, _reward(expected, row))
    return {**row, **dict([variable_of("accuracy", accuracy)])}


def _variables(**settings: float) -> dict[str, float]:
    """Returns the variables of these settings, and t = 0."""
    return {"t": 0.0, **dict(variable_of(name, value) for name, value in settings.items())}


def _reward(expected: Expectations, row: Mapping[str, float]) -> float:
    return -math.expm1(-math.exp(evaluate(expected.best_reward, row)))


def _ends(residuals: FloatArray) -> tuple[float, float]:
    """Returns the quantiles that leave out the same part below and above."""
    low, high = np.quantile(residuals, ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2))
    return round(float(low), 4), round(float(high), 4)


def _least_absolute(
    terms: Sequence[str], rows: Sequence[Mapping[str, float]], values: FloatArray, rounds: int = 50
) -> dict[str, float]:
    """Returns the polynomial with the least sum of absolute residuals, by iteratively reweighted least squares.

    It is a median: a few populations that need ten times as much as others do not move it.
    """
    X = _matrix(terms, rows)
    weights = np.ones(len(values))
    for _ in range(rounds):
        root = np.sqrt(weights)
        coefficients, *_ = np.linalg.lstsq(X * root[:, None], values * root, rcond=None)
        weights = 1 / np.maximum(np.abs(values - X @ coefficients), 0.05)
    return {name: round(float(value), 4) for name, value in zip(terms, coefficients, strict=True)}


def _matrix(terms: Sequence[str], rows: Sequence[Mapping[str, float]]) -> FloatArray:
    return np.array([[term(name, row) for name in terms] for row in rows])


def _sobol(dimensions: int, count: int, seed: int) -> FloatArray:
    """Returns the first `count` points of a scrambled Sobol sequence, (count, dimensions)."""
    power = math.ceil(math.log2(max(count, 2)))
    points: FloatArray = qmc.Sobol(dimensions, rng=np.random.default_rng(seed)).random_base2(power)[:count]
    return points


def _items(u: float, sizes: Quantiles) -> int:
    """Returns the number of items at this quantile."""
    parts, numbers = zip(*sizes, strict=True)
    return round(float(np.exp(np.interp(u, parts, np.log(numbers)))))


def _between(u: float, ends: tuple[float, float], raised: float = 1.0) -> float:
    """Returns the value at this part of the interval, on a logarithmic scale; `raised`: factor of the lower end."""
    low, high = ends[0] * raised, ends[1]
    return float(low * (high / low) ** u)
