"""How answers travel: late, lost, twice or out of order. Each trouble is a responder around another one.

All are pure given `rng`. Draws come from the inside out: first all of the inner responder's, then one per answer of
the inner responder, in its order, drawn even where it cannot matter (probability 0, no delay).
Answers are returned in the order they were made; `arrives_at` says when each is heard of.
"""

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from app.simulation.impressions import Answer, Impression
from app.simulation.users import Users

__all__ = [
    "Answer",
    "Delayed",
    "Duplicated",
    "Immediate",
    "Impression",
    "InvalidDelivery",
    "Lossy",
    "Reordered",
    "Responder",
]


class InvalidDelivery(ValueError):
    """A setting of a responder that cannot be; `field` names it and the message says what is allowed."""

    def __init__(self, field: str, advice: str) -> None:
        self.field = field
        self.advice = advice
        super().__init__(f"{field}: {advice}")


class Responder(Protocol):
    """Whoever is shown an impression: any number of answers come of it, none included."""

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Answer]:
        """Returns the answers to this impression, each with the time it arrives."""


@dataclass(frozen=True)
class Immediate:
    """Users whose answer arrives at once, exactly once."""

    users: Users

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Answer]:
        """Returns the one answer; draws what `Users.respond` draws."""
        return [self.users.respond(impression, rng)]


@dataclass(frozen=True)
class Delayed:
    """Answers arrive after an exponential time, whose mean may depend on the outcome: no-clicks are often timeouts."""

    inner: Responder
    click_seconds: float
    no_click_seconds: float

    def __post_init__(self) -> None:
        _check_seconds("click_seconds", self.click_seconds)
        _check_seconds("no_click_seconds", self.no_click_seconds)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Answer]:
        """Returns the inner answers, each later by its own exponential time."""
        return [
            _later(answer, self._mean(answer) * rng.exponential()) for answer in self.inner.respond(impression, rng)
        ]

    def _mean(self, answer: Answer) -> float:
        return self.click_seconds if answer.reward > 0 else self.no_click_seconds


@dataclass(frozen=True)
class Lossy:
    """Answers get lost: whatever their outcome, or no-clicks with a probability of their own (which biases counts)."""

    inner: Responder
    probability: float
    no_click_probability: float | None = None  # None: the same as for clicks

    def __post_init__(self) -> None:
        _check_probability("probability", self.probability)
        if self.no_click_probability is not None:
            _check_probability("no_click_probability", self.no_click_probability)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Answer]:
        """Returns those inner answers that get through."""
        return [
            answer for answer in self.inner.respond(impression, rng) if rng.random() >= self._loss_probability(answer)
        ]

    def _loss_probability(self, answer: Answer) -> float:
        if answer.reward > 0 or self.no_click_probability is None:
            return self.probability
        return self.no_click_probability


@dataclass(frozen=True)
class Duplicated:
    """Some answers are sent again, `lag_seconds` after the first time: a retry whose first attempt did arrive."""

    inner: Responder
    probability: float
    lag_seconds: float

    def __post_init__(self) -> None:
        _check_probability("probability", self.probability)
        _check_seconds("lag_seconds", self.lag_seconds)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Answer]:
        """Returns each inner answer, followed by its copy if there is one."""
        answers = []
        for answer in self.inner.respond(impression, rng):
            answers.append(answer)
            if rng.random() < self.probability:
                answers.append(_later(answer, self.lag_seconds))
        return answers


@dataclass(frozen=True)
class Reordered:
    """Answers overtake each other: each is held up by a uniform time of at most `window_seconds`."""

    inner: Responder
    window_seconds: float

    def __post_init__(self) -> None:
        _check_seconds("window_seconds", self.window_seconds)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Answer]:
        """Returns the inner answers, each later by its own uniform time."""
        return [_later(answer, self.window_seconds * rng.random()) for answer in self.inner.respond(impression, rng)]


def _later(answer: Answer, seconds: float) -> Answer:
    return replace(answer, arrives_at=answer.arrives_at + seconds)


def _check_probability(field: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InvalidDelivery(field, f"must be a probability between 0 and 1, got {value}")


def _check_seconds(field: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise InvalidDelivery(field, f"must be a finite number of seconds, 0 or more, got {value}")
