"""Responses about the best pair: best-pair, the heat map, and the history of plans."""

from datetime import datetime
from typing import Literal

from app.wire.shapes import ResponseShape
from app.wire.vocabulary import StateField


class HealthFinding(ResponseShape):
    """A problem of the session, its likely cause, and what to do. If it suspends, the session cannot be certified.

    Notes never suspend. They have a `kind`, and are shown as long as they are true.
    """

    problem: str
    cause: str
    advice: str
    suspends: bool = True
    kind: str | None = None


class BestPair(ResponseShape):
    """The current result.

    With probability 1 - `delta`, the pair is within `gap` of the best pair, and lacks at most `relative_gap` of what
    the best pair earns (null: proven by an older version, which did not compute it). Certified means that `gap` is at
    most `epsilon`, or `relative_gap` at most `relative_epsilon`: the session has one of them, the other is null. In the
    deterministic model it means that the pair is the best.
    """

    state: StateField
    verdict: Literal["certified", "not_yet", "exhausted", "suspended"]
    certified: bool
    pair: tuple[str, str]
    i: int
    j: int
    estimated_reward: float | None
    interval: tuple[float, float]
    gap: float
    relative_gap: float | None = None  # with a default, as `relative_epsilon`: older versions store and send neither
    epsilon: float | None
    relative_epsilon: float | None = None
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
    """The pairs of the heat map, one list for each field; reward is null while nothing is known.

    The lists are in the order of pairs of positions in `items`, row by row: (0, 1), (0, 2), ..., (1, 2), ...
    """

    reward: list[float | None]
    low: list[float]
    high: list[float]
    shown: list[int]
    measured: list[bool]


class Contender(ResponseShape):
    """A pair that keeps the best one from being certified, according to the last plan."""

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
    """The report of one plan, when it was made."""

    plan_version: int
    at: datetime
    samples: int
    gap: float
    relative_gap: float | None = None
    pair: tuple[str, str]
    i: int
    j: int
    estimated_reward: float | None
    interval: tuple[float, float]
    phase: str
    contenders: int


class History(ResponseShape):
    """Points of the progress chart, oldest first; if there are `more`, request those after the last one."""

    points: list[HistoryPoint]
    more: bool
