"""Replay a session: compute its evidence, plans and verdict again, from the exported impressions alone.

The log is the source of truth; evidence, memory and snapshot are derived from it. With the same versions of the program
and its numerical libraries, plans are equal to the bit; with others, they agree up to rounding.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from app.counting.rules import EvidenceRows, count
from app.engine.memory import Memory
from app.impressions.feedback import StoredImpression
from app.impressions.handout_order import PairCounts
from app.planning.make_plan import make_plan
from app.planning.memory import read_memory
from app.planning.plan import Planned, PlanningInput, StoredPlan
from app.results.findings import LATE_CAUSE
from app.results.report import PlanReport
from app.sessions.model import Counters, Item, Session, Settings
from app.wire.vocabulary import State

_ANY_TIME = datetime.fromtimestamp(0, UTC)
"""The time shown in replayed snapshots; nothing that is compared depends on it."""


Row = dict[str, Any]


@dataclass(frozen=True)
class Replay:
    """A replayed session, and the plans in its log."""

    evidence: EvidenceRows
    planned: list[Planned]
    stored: list[Row]  # the plans in the log

    @property
    def differing(self) -> list[int]:
        """Versions of the stored plans that differ from the replayed ones; hand-outs are not compared."""
        pairs = zip_longest(self.stored, self.planned)
        return [stored["version"] for stored, again in pairs if again is None or not _same(stored, again.plan)]


def replay(log: Iterable[Row]) -> Replay:
    """Returns the session of an export, with all its plans made again, from the first one on."""
    session_row: Row = {}
    plans: list[Row] = []
    impressions: list[Row] = []
    for row in log:
        if row["kind"] == "session":
            session_row = row
        elif row["kind"] == "plan":
            plans.append(row)
        elif row["kind"] == "impression" and row["counts"]:
            impressions.append(row)
    session = _session(session_row)
    planned: list[Planned] = []
    for stored in plans:
        above = stored.get("known")
        known = EvidenceRows.from_plain(above) if above else EvidenceRows()
        evidence = evidence_of(impressions, stored, session.settings)
        counted = sum(evidence.n)
        budget = PlanReport.from_plain(stored["report"]).budget
        session_then = replace(
            session, plan_version=stored["version"] - 1, watermark=stored.get("watermark") or 0, budget=budget
        )
        planning_input = PlanningInput(
            session_then,
            Counters(counted, counted, 0, counted),
            evidence,
            planned[-1].plan if planned else None,
            (),
            memory_before=planned[-2].plan.memory if len(planned) > 1 else None,
            closed_before=_closed_before(impressions, stored),
            known=known,
        )
        again = make_plan(planning_input, _ANY_TIME)
        if again is None:
            break  # no plan was needed: the logged one, and all that follow it, differ
        planned.append(again)
    return Replay(evidence_of(impressions, session_row, session.settings), planned, plans)


def evidence_of(impressions: Sequence[Row], at: Row, settings: Settings) -> EvidenceRows:
    """Returns the counts that a plan, or the session, was at; version 0.1.0 wrote an epoch in place of a watermark."""
    is_above = _above(at)
    return count((_impression(row) for row in impressions if not is_above(row)), settings)


def _above(at: Row) -> Callable[[Row], bool]:
    """Returns the function that tells whether an impression was not counted or void yet."""
    watermark, epoch = at.get("watermark"), at.get("epoch")
    if watermark is not None:
        return lambda row: row["sequence"] > watermark
    return lambda row: row["epoch"] is None or row["epoch"] > epoch


def _closed_before(impressions: Iterable[Row], plan: Row) -> int:
    """Returns the first plan version that had open impressions, or was the current one, when the plan was made."""
    last, is_above = int(plan["version"]) - 1, _above(plan)
    return min(last, min((row["plan_version"] for row in impressions if is_above(row)), default=last))


def _same(stored: Row, new: StoredPlan) -> bool:
    """Returns whether the plans are equal; fields that older versions did not write are not compared."""
    demand = tuple((i, j, count) for i, j, count in stored["demand"])
    numbers = (stored["version"], stored["counted_before"])
    return (
        numbers == (new.version, new.counted_before)
        and PairCounts.of(demand) == new.demand
        and _same_memory(read_memory(stored["memory"]), read_memory(new.memory))
        and _same_report(stored["report"], new.report)
    )


def _same_memory(stored: Memory | None, new: Memory | None) -> bool:
    """Returns whether the memories are equal.

    Relative gaps and the epsilon of outlooks are not compared if an older version, which did not write them, stored the
    memory.
    """
    if stored is None or new is None:
        return stored is new
    if stored.certified is not None and stored.certified.relative_gap is None and new.certified is not None:
        new = replace(new, certified=replace(new.certified, relative_gap=None))
    outlooks = tuple(
        replace(again, epsilon=None) if before is not None and before.epsilon is None else again
        for before, again in zip_longest(stored.choices.outlooks[: len(new.choices.outlooks)], new.choices.outlooks)
    )
    return stored == replace(new, choices=replace(new.choices, outlooks=outlooks))


def _same_report(stored: Row, new: PlanReport) -> bool:
    """Returns whether all fields of the stored report have the same value in the new one.

    Shares are compared as values: version 0.1.0 wrote a share of zero for a bound that is removed (`gram`). Health
    entries are compared by their causes: other texts may differ between versions. The one about late answers is left
    out: the log has no record of which of them had come when a plan was made, and plans do not use them. Forecasts are
    not compared either: they decide nothing, and versions compute them differently.
    """
    compared = stored.keys() - {"shares_of_delta", "health", "forecast_samples"}
    plain, before = new.to_plain(), PlanReport.from_plain(stored)
    return (
        {name: plain.get(name) for name in compared} == {name: stored[name] for name in compared}
        and ("shares_of_delta" not in stored or before.shares == new.shares)
        and ("health" not in stored or _causes(before) == _causes(new))
    )


def _causes(report: PlanReport) -> list[tuple[str, bool]]:
    return [(entry.cause, entry.suspends) for entry in report.health if entry.cause != LATE_CAUSE]


def _impression(row: Row) -> StoredImpression:
    return StoredImpression._make(row.get(name) for name in StoredImpression._fields)


def _session(row: Row) -> Session:
    return Session(
        id=row["id"],
        name=row["name"],
        items=tuple(Item(item["id"], item["label"]) for item in row["items"]),
        settings=Settings.from_plain(row["settings"]),
        ticket_key=b"",
        state=State(row["state"]),
        budget=row["budget"],
        plan_version=row["plan_version"],
        plan_id="",  # plans do not depend on it
        watermark=row.get("watermark", 0),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
