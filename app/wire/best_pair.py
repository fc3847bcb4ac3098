"""Answers to "which pair, and how sure?": best-pair and the heat map."""

from datetime import datetime
from typing import Literal

from app.wire.shapes import ResponseShape
from app.wire.vocabulary import StateField


class HealthFinding(ResponseShape):
    """What a person should know: what, the likely cause, what to do; if it suspends, nothing can be certified any more.

    Notes never suspend. They have a `kind`, and are said as long as they are true.
    """

    problem: str
    cause: str
    advice: str
    suspends: bool = True
    kind: str | None = None


class BestPair(ResponseShape):
    """The current answer: the pair is proven within `gap` of the best with probability 1 - `delta`."""

    state: StateField
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


class EstimatedCells(ResponseShape):
    """The pairs of the heat map, a list for each thing said of them; reward is null while nothing is known.

    Pairs of places in its `items` come row by row: (0, 1), (0, 2), ..., (1, 2), ...
    """

    reward: list[float | None]
    low: list[float]
    high: list[float]
    shown: list[int]
    measured: list[bool]


class Contender(ResponseShape):
    """A pair that keeps the best one from being certified, as the last plan saw it."""

    i: int
    j: int
    pair: tuple[str, str]
    reward: float | None
    interval: tuple[float, float]
    shown: int


class Estimates(ResponseShape):
    """The heat map of the most relevant items, and the strongest contenders; imputed cells prove nothing."""

    plan_version: int
    samples: int
    items: list[EstimatedItem]
    cells: EstimatedCells
    contenders: list[Contender]


class HistoryPoint(ResponseShape):
    """What one plan said when it was made."""

    plan_version: int
    at: datetime
    samples: int
    gap: float
    pair: tuple[str, str]
    i: int
    j: int
    estimated_reward: float | None
    interval: tuple[float, float]
    phase: str
    contenders: int


class History(ResponseShape):
    """Points of the progress chart, oldest first; if there are `more`, ask again after the last one."""

    points: list[HistoryPoint]
    more: bool
