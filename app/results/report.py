"""The report of a plan: what was known and proven when the plan was made, as it is stored with the plan."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Self

from app.engine.delta_shares import RemovedBound, Shares
from app.engine.plan import Contender, Report
from app.health import Health, from_plain, to_plain

ALWAYS_ASSUMED = ("independent-draws", "loss-independent-of-outcome")
"""What every bound assumes, in addition to its own assumptions; `counting.rules` says why."""


class RankedPair(NamedTuple):
    """A contender as it is stored and shown, in rewards."""

    i: int
    j: int
    reward: float | None
    low: float
    high: float
    shown: int


@dataclass(frozen=True, kw_only=True)
class PlanReport:
    """What a plan reports, in rewards (the engine computes no-click probabilities) and item numbers."""

    pair: tuple[int, int]
    verdict: str
    gap: float
    relative_gap: float | None = None  # None: the plan was made, or the pair certified, by a version without it
    estimated_reward: float | None
    interval: tuple[float, float]
    phase: str
    samples: int
    contenders: int
    forecast_samples: int | None
    assumptions: tuple[str, ...]
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    race: tuple[RankedPair, ...] = ()  # the strongest contenders
    budget: int | None = None
    shares: Shares | None = field(default_factory=Shares)  # of delta; None: of bounds that this version does not have
    uses_removed_bound: bool = False  # bound G has a share
    health: tuple[Health, ...] = ()  # what contradicts the assumptions, found by this plan or an earlier one

    @classmethod
    def of(cls, report: Report, budget: int | None, shares: Shares, health: tuple[Health, ...]) -> Self:
        """Returns the engine's report for storage and display."""
        return cls(
            pair=(report.pair.i, report.pair.j),
            verdict=report.verdict.value,
            gap=report.gap,
            relative_gap=report.relative_gap,
            estimated_reward=None if report.estimate is None else 1.0 - report.estimate,
            interval=_as_rewards(report.interval),
            phase=report.phase,
            samples=report.samples,
            contenders=report.contenders,
            forecast_samples=report.forecast_samples,
            assumptions=(*ALWAYS_ASSUMED, *report.assumptions),
            diagnostics=dict(report.diagnostics),
            race=tuple(map(_ranked, report.race)),
            budget=budget,
            shares=shares,
            health=health,
        )

    def to_plain(self) -> dict[str, Any]:
        """Returns the report as it is stored."""
        return {
            "pair": list(self.pair),
            "verdict": self.verdict,
            "gap": self.gap,
            "relative_gap": self.relative_gap,
            "estimated_reward": self.estimated_reward,
            "interval": list(self.interval),
            "phase": self.phase,
            "samples": self.samples,
            "contenders": self.contenders,
            "forecast_samples": self.forecast_samples,
            "assumptions": list(self.assumptions),
            "diagnostics": dict(self.diagnostics),
            "race": [list(each) for each in self.race],
            "budget": self.budget,
            "shares_of_delta": {} if self.shares is None else asdict(self.shares),
            "health": to_plain(self.health),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Returns a stored report; what plans of older versions did not store gets its default."""
        pair = plain["pair"]
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise ValueError(f"the report of a plan has no pair: {pair!r}")
        low, high = plain["interval"]
        return cls(
            pair=(int(pair[0]), int(pair[1])),
            verdict=plain["verdict"],
            gap=plain["gap"],
            relative_gap=plain.get("relative_gap"),
            estimated_reward=plain["estimated_reward"],
            interval=(low, high),
            phase=plain["phase"],
            samples=plain["samples"],
            contenders=plain["contenders"],
            forecast_samples=plain.get("forecast_samples"),
            assumptions=tuple(plain["assumptions"]),
            diagnostics=plain.get("diagnostics", {}),
            race=tuple(RankedPair(*each[:6]) for each in plain.get("race", ())),
            budget=plain.get("budget"),
            shares=_shares(plain),
            uses_removed_bound=plain.get("shares_of_delta", {}).get("gram", 0.0) != 0.0,
            health=from_plain(plain.get("health", ())),
        )


def _shares(plain: Mapping[str, Any]) -> Shares | None:
    """Returns the shares of delta in a stored report; None if a bound has one that this version does not have."""
    try:
        return Shares.from_plain(plain.get("shares_of_delta", {}))
    except (RemovedBound, TypeError):  # bound G, or a bound of a newer version
        return None


def _ranked(contender: Contender) -> RankedPair:
    reward = None if contender.estimate is None else 1.0 - contender.estimate
    return RankedPair(*contender.pair, reward, *_as_rewards(contender.interval), contender.shown)


def _as_rewards(interval: tuple[float, float]) -> tuple[float, float]:
    """Returns an interval of no-click probabilities as one of rewards."""
    low, high = interval
    return 1.0 - high, 1.0 - low
