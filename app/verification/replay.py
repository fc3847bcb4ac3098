"""Replay a session: compute its evidence, plans and verdict again, from the exported impressions alone.

The log is the source of truth; evidence, memory and snapshot are derived from it. With the same versions of the program
and its numerical libraries, plans are equal to the bit; with others, they agree up to rounding.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from app.counting.rules import EvidenceRows, count, is_unanswered
from app.impressions.feedback import StoredImpression
from app.impressions.handout_order import PairCounts
from app.planning.make_plan import make_plan
from app.planning.memory import read_memory
from app.planning.plan import Planned, PlanningInput, StoredPlan
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
        pairs = zip(self.stored, self.planned, strict=True)
        return [stored["version"] for stored, planned in pairs if not _same(stored, planned.plan)]


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
        evidence = evidence_until(impressions, stored["epoch"], session.settings)
        counted = sum(evidence.n)
        budget = PlanReport.from_plain(stored["report"]).budget
        session_then = replace(session, plan_version=stored["version"] - 1, epoch=stored["epoch"], budget=budget)
        planning_input = PlanningInput(
            session_then,
            Counters(counted, counted, 0, counted),
            evidence,
            planned[-1].plan if planned else None,
            (),
            memory_before=planned[-2].plan.memory if len(planned) > 1 else None,
            closed_before=_closed_before(impressions, stored),
        )
        planned.append(make_plan(planning_input, _ANY_TIME))
    return Replay(evidence_until(impressions, session.epoch, session.settings), planned, plans)


def evidence_until(impressions: Sequence[Row], epoch: int, settings: Settings) -> EvidenceRows:
    """Returns the counts of the impressions that folds up to this epoch had counted or made void."""
    closed = [row for row in impressions if row["epoch"] is not None and row["epoch"] <= epoch]
    void = [_impression(row) for row in closed if row["void"]]
    return count(
        [_impression(row) for row in closed if not row["void"]],
        [impression for impression in void if is_unanswered(impression, settings)],
    )


def _closed_before(impressions: Iterable[Row], plan: Row) -> int:
    """Returns the first plan version that had open impressions, or was the current one, when the plan was made."""
    last = int(plan["version"]) - 1
    open_then = (row["plan_version"] for row in impressions if row["epoch"] is None or row["epoch"] > plan["epoch"])
    return min(last, min(open_then, default=last))


def _same(stored: Row, new: StoredPlan) -> bool:
    """Returns whether the plans are equal; fields that older versions did not write are not compared."""
    demand = tuple((i, j, count) for i, j, count in stored["demand"])
    numbers = (stored["version"], stored["epoch"], stored["counted_before"])
    return (
        numbers == (new.version, new.epoch, new.counted_before)
        and PairCounts.of(demand) == new.demand
        and read_memory(stored["memory"]) == read_memory(new.memory)
        and _same_report(stored["report"], new.report)
    )


def _same_report(stored: Row, new: PlanReport) -> bool:
    """Returns whether all fields of the stored report have the same value in the new one.

    Shares are compared as values: version 0.1.0 wrote a share of zero for a bound that is removed (`gram`). Health
    entries are compared by their causes: other texts may differ between versions.
    """
    compared = stored.keys() - {"shares_of_delta", "health"}
    plain, before = new.to_plain(), PlanReport.from_plain(stored)
    return (
        {name: plain.get(name) for name in compared} == {name: stored[name] for name in compared}
        and ("shares_of_delta" not in stored or before.shares == new.shares)
        and ("health" not in stored or _causes(before) == _causes(new))
    )


def _causes(report: PlanReport) -> list[tuple[str, bool]]:
    return [(entry.cause, entry.suspends) for entry in report.health]


def _impression(row: Row) -> StoredImpression:
    return StoredImpression(*(row[name] for name in list(StoredImpression.__dataclass_fields__)[:8]))


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
        epoch=row["epoch"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
