"""A session from its log alone: evidence, plans and verdict again, from impressions and nothing else that was stored.

The log is the truth; evidence, memory and snapshot are caches of it. The same versions of the program and its
numerical libraries give the same plans to the bit; others agree to rounding.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from app.engine.problem import Model, SelfPairs
from app.sessions.maturity import OpenImpression, count
from app.sessions.model import (
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
from app.sessions.planning import Planned, make_plan
from app.sessions.ports import PlanningInput

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
        return [
            stored.version
            for stored, new in zip(self.stored, again, strict=True)
            if replace(stored, handout=()) != replace(new, handout=())
        ]


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
        elif row["kind"] == "impression" and row["counts"] and not row["void"] and row["epoch"] is not None:
            impressions.append(row)
    record = _record(session)
    planned: list[Planned] = []
    last: PlanRecord | None = None
    for stored in plans:
        evidence = evidence_until(impressions, stored.epoch)
        counted = sum(evidence.n)
        then = replace(record, plan_version=stored.version - 1, epoch=stored.epoch, budget=_budget(stored))
        given = PlanningInput(then, Counters(counted, counted, 0, counted), evidence, last, ())
        planned.append(make_plan(given, _BEGINNING))
        last = planned[-1].plan
    return Replay(evidence_until(impressions, record.epoch), planned, plans)


def evidence_until(impressions: Iterable[dict[str, Any]], epoch: int) -> EvidenceRows:
    """Returns the counts of the impressions that folds up to this epoch had counted."""
    return count(
        OpenImpression(
            row["sequence"],
            row["i"],
            row["j"],
            row["plan_version"],
            row["issued_at"],
            row["outcome"],
            row["clicked"],
            not_shown=False,
        )
        for row in impressions
        if row["epoch"] <= epoch
    )


def _budget(plan: PlanRecord) -> int | None:
    budget = plan.report["budget"]
    return budget if isinstance(budget, int) else None


def _plan(row: dict[str, Any]) -> PlanRecord:
    return PlanRecord(
        version=row["version"],
        epoch=row["epoch"],
        demand=tuple((i, j, count) for i, j, count in row["demand"]),
        handout=tuple((i, j, count) for i, j, count in row["handout"]),
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
        epoch=row["epoch"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
