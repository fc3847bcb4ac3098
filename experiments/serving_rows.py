"""What was measured of serving: figures of every round, their ratios, and what is aimed for."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from experiments.serving_floor import BATCH

TARGETS = {
    ("next-pair", "sqlite"): 0.40,
    ("next-pair", "postgresql"): 0.60,
    ("feedback", "sqlite"): 0.25,
    ("feedback", "postgresql"): 0.35,
    ("best-pair", "sqlite"): 0.8,
    ("best-pair", "postgresql"): 0.8,
}
"""The least share of the floor's cost in ours, with the hot lane."""
ACCESS_TARGET = 1.15
"""The cost with keys and rate limits, at most so many times that without."""
BATCH_TARGET = 8.0
"""Impressions per processor second of a batch of 100, at least so many times those of single calls."""


@dataclass(frozen=True)
class Measured:
    """One path of one server in one round."""

    cpu_us: float  # per request
    rps: float
    p50_ms: float
    p99_ms: float


@dataclass(frozen=True)
class Ratio:
    """Two costs measured side by side in every round: the median of their ratios, and how far it may be off.

    The latter is the notch of a box plot (McGill, Tukey and Larsen 1978), 1.57 interquartile ranges over the root of
    the number of rounds: two medians whose notches do not overlap differ.
    """

    median: float
    notch: float

    @classmethod
    def of(cls, upper: Sequence[float], lower: Sequence[float]) -> "Ratio":
        """Returns the ratio of costs, round by round."""
        ratios = [above / below for above, below in zip(upper, lower, strict=True)]
        spread = 0.0
        if len(ratios) > 1:
            first, _, third = statistics.quantiles(ratios, n=4, method="inclusive")
            spread = third - first
        return cls(statistics.median(ratios), 1.57 * spread / math.sqrt(len(ratios)))


@dataclass
class Row:
    """One path of one server over all rounds; medians."""

    path: str
    lane: str  # "floor", "hot", "plain", "keys" (hot, with a key and a rate limit) or "optuna"
    backend: str
    rounds: list[Measured] = field(default_factory=list)
    floor_us: list[float] = field(default_factory=list)
    single_us: list[float] = field(default_factory=list)
    without_keys_us: list[float] = field(default_factory=list)

    @property
    def cpu_us(self) -> list[float]:
        """The cost of a request in each round."""
        return [measured.cpu_us for measured in self.rounds]

    def median(self, name: str) -> float:
        """Returns the median of one figure."""
        return statistics.median(getattr(measured, name) for measured in self.rounds)

    @property
    def ratio(self) -> Ratio:
        """The floor's cost as a share of this one's."""
        return Ratio.of(self.floor_us, self.cpu_us)

    @property
    def access_cost(self) -> Ratio | None:
        """This cost as a multiple of that without keys and limits; None where it has none."""
        return Ratio.of(self.cpu_us, self.without_keys_us) if self.without_keys_us else None

    @property
    def batch_gain(self) -> Ratio | None:
        """Impressions per processor second, times those of single calls; None for what is no batch."""
        return Ratio.of([BATCH * single for single in self.single_us], self.cpu_us) if self.single_us else None

    @property
    def target(self) -> float | None:
        """The least ratio that is aimed for (a batch: the least gain); None where there is none."""
        if self.lane != "hot":
            return None
        return BATCH_TARGET if self.single_us else TARGETS.get((self.path, self.backend))

    def as_json(self) -> dict[str, Any]:
        """Returns the row for `--json`."""
        figures = {name: round(self.median(name), 3) for name in ("cpu_us", "rps", "p50_ms", "p99_ms")}
        gain, access = self.batch_gain, self.access_cost
        return {
            "path": self.path,
            "backend": self.backend,
            "lane": self.lane,
            **figures,
            "ratio": round(self.ratio.median, 4),
            "ratio_notch": round(self.ratio.notch, 4),
            "floor_us": round(statistics.median(self.floor_us), 3),
            "batch_gain": None if gain is None else round(gain.median, 2),
            "batch_gain_notch": None if gain is None else round(gain.notch, 2),
            "target": self.target,
            "access_cost": None if access is None else round(access.median, 4),
            "access_cost_notch": None if access is None else round(access.notch, 4),
            "cpu_us_by_round": [round(cost, 2) for cost in self.cpu_us],
        }
