"""The prepared answer of best-pair: written when a plan or the state changes, read by everyone else."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from app.engine.plan import Report
from app.results.health import kept, suspended, with_new
from app.results.notes import notes_of
from app.sessions.model import Health, SessionRecord, Signals, Snapshot

SUSPENDED = "suspended"

ALWAYS_ASSUMED = ("independent-draws", "loss-independent-of-outcome")
"""What every bound rests on, beyond the assumptions of its own; see the notes on order and loss in `maturity`."""


def report_of(report: Report) -> dict[str, Any]:
    """Returns the engine's report as plain values, in rewards instead of no-click probabilities."""
    return {
        "pair": [report.pair.i, report.pair.j],
        "verdict": report.verdict.value,
        "gap": report.gap,
        "estimated_reward": None if report.estimate is None else 1.0 - report.estimate,
        "interval": _turned(report.interval),
        "phase": report.phase,
        "samples": report.samples,
        "contenders": report.contenders,
        "forecast_samples": report.forecast_samples,
        "assumptions": [*ALWAYS_ASSUMED, *report.assumptions],
        "diagnostics": dict(report.diagnostics),
        "race": [
            [*each.pair, None if each.estimate is None else 1.0 - each.estimate, *_turned(each.interval), each.shown]
            for each in report.race
        ],
    }


def _turned(interval: tuple[float, float]) -> list[float]:
    """Returns an interval of no-click probabilities as one of rewards."""
    low, high = interval
    return [1.0 - high, 1.0 - low]


def snapshot_of(
    record: SessionRecord, report: dict[str, Any], health: Sequence[Health], signals: Signals, now: datetime
) -> Snapshot:
    """Returns the body of best-pair and its tag; what folds (`health`) and plans found may suspend a verdict."""
    i, j = report["pair"]
    # A note is left out where a finding names the same cause: it says more.
    health = with_new((*health, *kept(report)), notes_of(record.settings, report, signals))
    verdict = SUSPENDED if suspended(health) else report["verdict"]
    content = {
        "state": record.state.value,
        "verdict": verdict,
        "certified": verdict == "certified",
        "pair": [record.items[i].id, record.items[j].id],
        "i": i,
        "j": j,
        "estimated_reward": report["estimated_reward"],
        "interval": report["interval"],
        "gap": report["gap"],
        "epsilon": record.settings.epsilon,
        "delta": record.settings.delta,
        "phase": report["phase"],
        "samples": report["samples"],
        "contenders": report["contenders"],
        "forecast_samples": report.get("forecast_samples"),  # plans of older versions made none
        "assumptions": report["assumptions"],
        "health": [asdict(entry) for entry in health],
        "plan_version": record.plan_version,
    }
    # The tag covers what is said, not when: the same answer twice is one answer.
    tag = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]
    body = json.dumps({**content, "updated_at": now.isoformat(timespec="milliseconds")}, separators=(",", ":"))
    return Snapshot(body, f'"{tag}"')
