"""The fitted model: impressions until certified, from the number of items, click rates, the goal and the confidence.

`bestpair experiment forecast-model` simulates sessions and writes `model.json`; this module only evaluates it. For each
kind of feedback, log(impressions) is a polynomial of the second degree in five variables:

    k = log(items / 30)              a = log(accuracy / 0.1)
    r = log(click rate / 0.01)       d = log(log(1 / delta) / log(20))
    t = how much better the best item is than expected

All are 0 for a session of 30 items with click rate 1 %, accuracy .1 and delta .05, so the term "1" is its forecast, and
the terms "k", "r", "a" and "d" are the powers with which impressions grow there.

The best item matters more than anything else that is unknown before the start: if one item is much better than the
others, few pairs are rivals. With h(u) = log(-log(1 - u)), t is h of its click rate minus the h that is expected for
these k and r (a polynomial). A caller who does not know this click rate gets t = 0, and a wider range.

The accuracy is the gap that the goal allows as a part of the reward of the best pair. For an absolute goal this is
epsilon / R, where R is the expected reward of the best pair (h(R) is a polynomial in k, r and t). For a relative goal
it is epsilon / (1 - epsilon/2): the proof ends with a lower bound R - w of the leader and an upper bound R + w of all
others, and R - w = (1 - epsilon)(R + w) means a gap 2w = epsilon / (1 - epsilon/2) R.

Sessions of equal settings differ because populations differ: quantiles of the residuals give the range. Outside of the
range of the simulations the polynomials are continued along their tangents, and the forecast says so. It is then never
lower than at the end of the range: nobody should be promised a short session by an extrapolation. Below the simulated
click rates impressions grow at least like 1 / click rate: a proof needs a number of clicks.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple, Self

from app.engine.problem import Goal, InvalidProblem, Problem

FORMAT = 1
"""Version of the layout of `model.json`."""
COVERAGE = 0.8
"""The part of the sessions that need a number of impressions within the range."""
LARGEST_LOG = 80.0
"""No forecast exceeds exp(80), however far outside of the simulated range the settings are."""

SMALLEST_REWARD = 1e-300
"""So that an accuracy is finite, however small the click rate is."""

Polynomial = Mapping[str, float]
"""Coefficients by term: "1", "k", "k*k", "k*r", ..."""
Variables = Mapping[str, float]


class Forecast(NamedTuple):
    """Impressions until certified: the median, and the ends of the range; not rounded."""

    low: float
    median: float
    high: float
    best_reward: float  # expected reward of the best pair
    accuracy: float  # the gap that the goal allows, as a part of it
    extrapolated: bool  # a setting is outside of the range of the simulations


class Interval(NamedTuple):
    """Two ends: of the simulated values of a setting, or of the residuals of log(impressions)."""

    low: float
    high: float


@dataclass(frozen=True)
class Regression:
    """The model of one kind of feedback: the polynomial, and quantiles of its residuals.

    If the best item is not known, the kind of goal matters. Where the best pair earns more than expected, rivals are
    fewer, but the same epsilon is also a smaller part of what it earns: for absolute goals these cancel in part.
    """

    impressions: Polynomial
    known: Interval
    unknown_relative: Interval
    unknown_absolute: Interval

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Returns the regression of an entry of `feedback`."""
        return cls(stored["impressions"], **{name: Interval(*ends) for name, ends in stored["residuals"].items()})

    def residuals(self, goal: Goal, *, best_known: bool) -> Interval:
        """Returns the ends of the range around the polynomial."""
        if best_known:
            return self.known
        return self.unknown_relative if goal.relative else self.unknown_absolute


@dataclass(frozen=True)
class Model:
    """A fitted model; `ranges` has the simulated values of items, click_rate, accuracy, delta and t.

    Sessions of more than `easier_from` items were simulated with higher click rates and coarser goals only
    (`RAISED_ENDS`), because the others take minutes to hours.
    """

    ranges: Mapping[str, Interval]
    easier_from: float
    best_click_rate: Polynomial
    best_reward: Polynomial
    pair: Regression
    items: Regression

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Returns the model that `model.json` contains; raises ValueError if it has another layout."""
        if stored.get("format") != FORMAT:
            raise ValueError(f"the model must have the format {FORMAT}, got {stored.get('format')}")
        return cls(
            ranges={name: Interval(*ends) for name, ends in stored["ranges"].items()},
            easier_from=stored["easier_from"],
            best_click_rate=stored["best_click_rate"],
            best_reward=stored["best_reward"],
            pair=Regression.from_json(stored["feedback"]["pair"]),
            items=Regression.from_json(stored["feedback"]["items"]),
        )

    def forecast(self, problem: Problem, click_rate: float, best_click_rate: float | None = None) -> Forecast:
        """Returns the forecast for a session of this problem.

        Args:
            problem: The session.
            click_rate: The mean over the items.
            best_click_rate: The click rate of the item that is clicked most; None if it is not known.

        Raises:
            InvalidProblem: `click_rate` or `best_click_rate` cannot be.
        """
        if not 0 < click_rate < 1:
            raise InvalidProblem("click_rate", f"must be strictly between 0 and 1, got {click_rate}")
        highest = min(1.0, problem.n_items * click_rate)
        if best_click_rate is not None and not (click_rate <= best_click_rate <= highest and best_click_rate < 1):
            raise InvalidProblem(
                "best_click_rate",
                f"must be at least the mean over all items ({click_rate:g}), below 1, and at most {highest:g}, "
                f"as if no other item were clicked; got {best_click_rate:g}",
            )
        reward, accuracy, inside, wanted = self._variables(problem, click_rate, best_click_rate)
        if problem.n_pairs == 1:
            return Forecast(0.0, 0.0, 0.0, reward, accuracy, extrapolated=False)  # there is nothing to choose
        regression = self.items if problem.item_clicks else self.pair
        changes = _tangent(regression.impressions, inside, wanted)
        if wanted["r"] < inside["r"]:
            changes["r"] = max(changes["r"], inside["r"] - wanted["r"])  # a proof needs as many clicks at any rate
        centre = evaluate(regression.impressions, inside) + sum(max(change, 0.0) for change in changes.values())
        low, high = regression.residuals(problem.goal, best_known=best_click_rate is not None)
        return Forecast(
            _exp(centre + low), _exp(centre), _exp(centre + high), reward, accuracy, extrapolated=inside != wanted
        )

    def simulated(self, setting: str, n_items: float) -> Interval:
        """Returns the values of a setting that were simulated with this number of items."""
        low, high = self.ranges[setting]
        return Interval(low * raised(setting, n_items, self.easier_from), high)

    def _variables(
        self, problem: Problem, click_rate: float, best_click_rate: float | None
    ) -> tuple[float, float, Variables, Variables]:
        """Returns the expected best reward, the accuracy, and the variables, clipped to the range and as they are."""
        inside, wanted = {"t": 0.0}, {"t": 0.0}
        n_items = _clip(problem.n_items, self.ranges["items"])

        def add(setting: str, value: float) -> None:
            inside.update([variable_of(setting, _clip(value, self.simulated(setting, n_items)))])
            wanted.update([variable_of(setting, value)])

        add("items", problem.n_items)
        add("click_rate", click_rate)
        add("delta", problem.delta)
        if best_click_rate is not None:
            wanted["t"] = log_hazard(best_click_rate) - _continued(self.best_click_rate, inside, wanted)
            inside["t"] = _clip(wanted["t"], self.ranges["t"])
        reward = _inverse_log_hazard(_continued(self.best_reward, inside, wanted))
        accuracy = accuracy_of(problem.goal, reward)
        add("accuracy", accuracy)
        return reward, accuracy, inside, wanted


RAISED_ENDS = {"click_rate": 1.5, "accuracy": 0.5}


def raised(setting: str, n_items: float, easier_from: float) -> float:
    """Returns the factor of the lower end of the simulated values: 1 for up to `easier_from` items, then a power."""
    return max(1.0, n_items / easier_from) ** RAISED_ENDS.get(setting, 0.0)


def log_log(delta: float) -> float:
    """Returns log log(1/delta): bounds with confidence 1 - delta cost log(1/delta)."""
    return math.log(-math.log(delta))


Scale = Callable[[float], float]
SCALES: Mapping[str, tuple[str, Scale, float]] = {
    "items": ("k", math.log, 30),
    "click_rate": ("r", math.log, 0.01),
    "accuracy": ("a", math.log, 0.1),
    "delta": ("d", log_log, 0.05),
}
"""For each setting its variable, the scale, and the value at which the variable is 0."""


def variable_of(setting: str, value: float) -> tuple[str, float]:
    """Returns the name and the value of the variable of a setting."""
    name, scale, origin = SCALES[setting]
    return name, scale(value) - scale(origin)


def accuracy_of(goal: Goal, best_reward: float) -> float:
    """Returns the gap that the goal allows, as a part of the reward of the best pair."""
    return goal.epsilon / (1 - goal.epsilon / 2) if goal.relative else goal.epsilon / best_reward


def log_hazard(probability: float) -> float:
    """Returns h(u) = log(-log(1 - u)): log u for small u, without the end at 1."""
    return math.log(-math.log1p(-probability))


def evaluate(polynomial: Polynomial, x: Variables) -> float:
    """Returns the value of a polynomial."""
    return sum(coefficient * term(name, x) for name, coefficient in polynomial.items())


def term(name: str, x: Variables) -> float:
    """Returns the value of a term such as "1", "k" or "k*r"."""
    return math.prod(x[factor] for factor in _factors(name))


@lru_cache(maxsize=1)
def shipped_model() -> Model:
    """Returns the model of this version, read once."""
    return Model.from_json(json.loads(files("app.forecast").joinpath("model.json").read_text()))


def slope(polynomial: Polynomial, variable: str, x: Variables) -> float:
    """Returns the partial derivative of a polynomial."""
    total = 0.0
    for name, coefficient in polynomial.items():
        factors = _factors(name)
        for n, factor in enumerate(factors):
            if factor == variable:
                total += coefficient * math.prod(x[other] for m, other in enumerate(factors) if m != n)
    return total


def _tangent(polynomial: Polynomial, at: Variables, wanted: Variables) -> dict[str, float]:
    """Returns how much the tangent at `at` changes towards `wanted`, by variable."""
    return {name: slope(polynomial, name, at) * (wanted[name] - at[name]) for name in at if wanted[name] != at[name]}


def _continued(polynomial: Polynomial, at: Variables, wanted: Variables) -> float:
    """Returns the polynomial, continued along its tangent."""
    return evaluate(polynomial, at) + sum(_tangent(polynomial, at, wanted).values())


def _factors(name: str) -> list[str]:
    return [] if name == "1" else name.split("*")


def _inverse_log_hazard(value: float) -> float:
    return max(-math.expm1(-_exp(value)), SMALLEST_REWARD)


def _exp(value: float) -> float:
    return math.exp(min(value, LARGEST_LOG))


def _clip(value: float, interval: Interval) -> float:
    return min(max(value, interval.low), interval.high)
