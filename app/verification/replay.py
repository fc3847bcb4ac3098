"""A session from its log alone: evidence, plans and verdict again, from impressions and nothing else that was stored.

The log is the truth; evidence, memory and snapshot are caches of it. The same versions of the program and its
numerical libraries give the same plans to the bit; others agree to rounding.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from app.counting.rules import OpenImpression, count, is_unanswered
from app.engine.problem import Model, SelfPairs
from app.planning.make_plan import Planned, make_plan
from app.planning.memory import read_memory
from app.sessions.model import (
    Asked,
    Counters,
    EvidenceRows,
    FeedbackKind,
    Item,
    MissingFeedback,
    PlanRecord,
    SessionRecord,
    Settings,
    State,
)
from app.sessions.ports import PlanningInput
from app.verification.logged_choices import shares_in

_BEGINNING = datetime.fromtimestamp(0, UTC)
"""The time shown in a replayed snapshot: the log does not need the real one, the tag does not cover it."""


@dataclass(frozen=True)
class Replay:
    """What the log alone says."""

    evidence: EvidenceRows
    planned: list[Planned]
    stored: list[PlanRecord]

    @property
    def differing(self) -> list[int]:
        """Versions whose stored plan is not the replayed one; what was still out is not part of the comparison."""
        again = [one.plan for one in self.planned]
        return [stored.version for stored, new in zip(self.stored, again, strict=True) if not _same(stored, new)]


def replay(log: Iterable[dict[str, Any]]) -> Replay:
    """Returns the session of an export, planned again from the beginning."""
    session: dict[str, Any] = {}
    plans: list[PlanRecord] = []
    impressions: list[dict[str, Any]] = []
    for row in log:
        if row["kind"] == "session":
            session = row
        elif row["kind"] == "plan":
            plans.append(_plan(row))
        elif row["kind"] == "impression" and row["counts"]:
            impressions.append(row)
    record = _record(session)
    planned: list[Planned] = []
    for stored in plans:
        evidence = evidence_until(impressions, stored.epoch, record.settings)
        counted = sum(evidence.n)
        then = replace(record, plan_version=stored.version - 1, epoch=stored.epoch, budget=_budget(stored))
        given = PlanningInput(
            then,
            Counters(counted, counted, 0, counted),
            evidence,
            planned[-1].plan if planned else None,
            (),
            memory_before=planned[-2].plan.memory if len(planned) > 1 else None,
            closed_before=_closed_before(impressions, stored),
        )
        planned.append(make_plan(given, _BEGINNING))
    return Replay(evidence_until(impressions, record.epoch, record.settings), planned, plans)


def evidence_until(impressions: Sequence[dict[str, Any]], epoch: int, settings: Settings) -> EvidenceRows:
    """Returns the counts of the impressions that folds up to this epoch had counted or given up."""
    closed = [row for row in impressions if row["epoch"] is not None and row["epoch"] <= epoch]
    void = [_impression(row) for row in closed if row["void"]]
    return count(
        [_impression(row) for row in closed if not row["void"]],
        [impression for impression in void if is_unanswered(impression, settings)],
    )


def _closed_before(impressions: Iterable[dict[str, Any]], plan: PlanRecord) -> int:
    """Returns the first version of which something was out when the plan was made, or which still handed out."""
    last = plan.version - 1
    out = (row["plan_version"] for row in impressions if row["epoch"] is None or row["epoch"] > plan.epoch)
    return min(last, min(out, default=last))


def _same(stored: PlanRecord, new: PlanRecord) -> bool:
    """Returns whether two plans say the same, apart from what reports and memories of older versions did not have."""
    said = {name: value for name, value in new.report.items() if name in stored.report}
    memories = read_memory(stored.memory), read_memory(new.memory)
    if memories[0] != memories[1] or shares_in(stored.report) != shares_in(said):
        return False
    stored = replace(stored, handout=stored.demand, memory="", report=_without_shares(stored.report))
    return stored == replace(new, handout=stored.demand, memory="", report=_without_shares(said))


def _without_shares(report: dict[str, Any]) -> dict[str, Any]:
    """Returns a report without the shares of delta: version 0.1.0 names a bound there that has none (`gram`)."""
    return {name: value for name, value in report.items() if name != "shares_of_delta"}


def _impression(row: dict[str, Any]) -> OpenImpression:
    return OpenImpression(*(row[name] for name in OpenImpression.__dataclass_fields__))


def _budget(plan: PlanRecord) -> int | None:
    budget = plan.report["budget"]
    return budget if isinstance(budget, int) else None


def _plan(row: dict[str, Any]) -> PlanRecord:
    return PlanRecord(
        version=row["version"],
        epoch=row["epoch"],
        demand=Asked.of((i, j, count) for i, j, count in row["demand"]),
        handout=Asked.of((i, j, count) for i, j, count in row["handout"]),
        report=row["report"],
        memory=row["memory"],
        counted_before=row["counted_before"],
    )


def _record(row: dict[str, Any]) -> SessionRecord:
    settings = dict(row["settings"])
    return SessionRecord(
        id=row["id"],
        name=row["name"],
        items=tuple(Item(item["id"], item["label"]) for item in row["items"]),
        settings=Settings(
            **{
                **settings,
                "model": Model(settings["model"]),
                "feedback": FeedbackKind(settings["feedback"]),
                "self_pairs": SelfPairs(settings["self_pairs"]),
                "missing_feedback": MissingFeedback(settings["missing_feedback"]),
            }
        ),
        ticket_key=b"",
        state=State(row["state"]),
        budget=row["budget"],
        plan_version=row["plan_version"],
        plan_id="",  # what plans say does not depend on it
        epoch=row["epoch"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
