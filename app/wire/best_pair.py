"""Answers to "which pair, and how sure?": best-pair and the heat map."""

from datetime import datetime
from typing import Literal

from app.wire.shapes import ResponseShape


class HealthFinding(ResponseShape):
    """A reason to doubt: what, the likely cause, what to do; if it suspends, nothing can be certified any more."""

    problem: str
    cause: str
    advice: str
    suspends: bool = True


class BestPair(ResponseShape):
    """The current answer: the pair is proven within `gap` of the best with probability 1 - `delta`."""

    state: Literal["running", "paused", "stopped"]
    verdict: Literal["certified", "not_yet", "exhausted", "suspended"]
    certified: bool
    pair: tuple[str, str]
    i: int
    j: int
    estimated_reward: float | None
    interval: tuple[float, float]
    gap: float
    epsilon: float
    delta: float
    phase: str
    samples: int
    contenders: int
    forecast_samples: int | None
    assumptions: list[str]
    health: list[HealthFinding]
    plan_version: int
    updated_at: datetime


class EstimatedItem(ResponseShape):
    """A row and column of the heat map."""

    i: int
    id: str
    label: str


class EstimatedCell(ResponseShape):
    """One pair of the heat map; `a` and `b` are places in its `items`, reward is null while nothing is known."""

    a: int
    b: int
    reward: float | None
    interval: tuple[float, float]
    shown: int
    measured: bool


class Estimates(ResponseShape):
    """The heat map of the most relevant items; imputed cells (not measured) prove nothing."""

    plan_version: int
    samples: int
    items: list[EstimatedItem]
    cells: list[EstimatedCell]
