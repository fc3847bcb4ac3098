"""Responses that arrive late, get lost, arrive twice or out of order: each fault wraps another responder.

All are pure functions of `rng`. Draws are made from the inside out: first all draws of the inner responder, then one
per response of the inner responder, in its order, also where the value does not matter (probability 0, no delay).
Responses are returned in the order in which they were made; `arrives_at` is the time at which each arrives.
"""

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from app.simulation.users import Impression, Response, Users


class InvalidDelivery(ValueError):
    """A responder setting outside its range; `field` names it and the message says what is allowed."""

    def __init__(self, field: str, advice: str) -> None:
        self.field = field
        self.advice = advice
        super().__init__(f"{field}: {advice}")


class Responder(Protocol):
    """Returns any number of responses to an impression, also none."""

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Response]:
        """Returns the responses to this impression, each with the time at which it arrives."""


@dataclass(frozen=True)
class Immediate:
    """Users whose response arrives at once, exactly once."""

    users: Users

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Response]:
        """Returns the one response; draws what `Users.respond` draws."""
        return [self.users.respond(impression, rng)]


@dataclass(frozen=True)
class Delayed:
    """Responses arrive after an exponential time. Its mean may depend on the outcome: no-clicks are often timeouts."""

    inner: Responder
    click_seconds: float
    no_click_seconds: float

    def __post_init__(self) -> None:
        _check_seconds("click_seconds", self.click_seconds)
        _check_seconds("no_click_seconds", self.no_click_seconds)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Response]:
        """Returns the inner responses, each delayed by an exponential time."""
        return [
            _later(response, self._mean(response) * rng.exponential())
            for response in self.inner.respond(impression, rng)
        ]

    def _mean(self, response: Response) -> float:
        return self.click_seconds if response.reward > 0 else self.no_click_seconds


@dataclass(frozen=True)
class Lossy:
    """Responses get lost, with one probability, or with another one for no-clicks (which biases counts)."""

    inner: Responder
    probability: float
    no_click_probability: float | None = None  # None: the same as for clicks

    def __post_init__(self) -> None:
        _check_probability("probability", self.probability)
        if self.no_click_probability is not None:
            _check_probability("no_click_probability", self.no_click_probability)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Response]:
        """Returns the inner responses that are not lost."""
        return [
            response
            for response in self.inner.respond(impression, rng)
            if rng.random() >= self._loss_probability(response)
        ]

    def _loss_probability(self, response: Response) -> float:
        if response.reward > 0 or self.no_click_probability is None:
            return self.probability
        return self.no_click_probability


@dataclass(frozen=True)
class Duplicated:
    """Some responses are sent again after `lag_seconds`: a retry although the first attempt arrived."""

    inner: Responder
    probability: float
    lag_seconds: float

    def __post_init__(self) -> None:
        _check_probability("probability", self.probability)
        _check_seconds("lag_seconds", self.lag_seconds)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Response]:
        """Returns each inner response, followed by its copy if there is one."""
        responses = []
        for response in self.inner.respond(impression, rng):
            responses.append(response)
            if rng.random() < self.probability:
                responses.append(_later(response, self.lag_seconds))
        return responses


@dataclass(frozen=True)
class Reordered:
    """Responses arrive out of order: each is delayed by a uniform time of at most `window_seconds`."""

    inner: Responder
    window_seconds: float

    def __post_init__(self) -> None:
        _check_seconds("window_seconds", self.window_seconds)

    def respond(self, impression: Impression, rng: np.random.Generator) -> list[Response]:
        """Returns the inner responses, each delayed by a uniform time."""
        return [
            _later(response, self.window_seconds * rng.random()) for response in self.inner.respond(impression, rng)
        ]


def _later(response: Response, seconds: float) -> Response:
    return replace(response, arrives_at=response.arrives_at + seconds)


def _check_probability(field: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise InvalidDelivery(field, f"must be a probability between 0 and 1, got {value}")


def _check_seconds(field: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise InvalidDelivery(field, f"must be a finite number of seconds, 0 or more, got {value}")
