"""A plan as it is stored, and everything that making one needs."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from app.counting.delays import NO_DELAYS, Delays
from app.counting.rules import EvidenceRows
from app.counting.signals_sql import Signals
from app.database.statements import AnyRow, compact_json
from app.health import Health
from app.impressions.handout_order import PairCounts
from app.results.certificates import LogState
from app.results.report import PlanReport
from app.results.sql import Certificate
from app.sessions.model import Counters, Session, Snapshot
from app.wire.vocabulary import State


@dataclass(frozen=True)
class StoredPlan:
    """One entry of the append-only log of plans."""

    version: int
    watermark: int | None  # of the evidence that it was made from; None: made by version 0.1.0
    demand: PairCounts  # of the policy
    handout: PairCounts  # the demand less what was outstanding when the plan was stored
    report: PlanReport
    memory: str  # JSON, as the engine wrote it
    counted_before: int  # answers that were known when it was made, on both sides of the watermark
    digest: str = ""  # of the chain of impressions up to the watermark
    known: str = ""  # JSON: the answers above the watermark that it used; '': none
    follows: str = ""  # id of the plan before it, known while this one is new

    @classmethod
    def from_row(cls, row: AnyRow) -> Self:
        """Returns the plan of a row that has `sql.PLAN_COLUMNS`."""
        return cls(
            version=row.version,
            watermark=row.watermark,
            demand=PairCounts(row.demand),
            handout=PairCounts(row.handout),
            report=PlanReport.from_plain(json.loads(row.report)),
            memory=row.memory,
            counted_before=row.counted_before,
            digest=row.digest,
            known=row.known,
        )

    def to_row(self, session_id: str, created_at: float) -> dict[str, object]:
        """Returns the row to store."""
        row: dict[str, object] = {
            "version": self.version,
            "watermark": self.watermark,
            "digest": self.digest,
            "counted_before": self.counted_before,
            "created_at": created_at,
            "demand": self.demand.text,
            "handout": self.handout.text,
            "known": self.known,
            "report": compact_json(self.report.to_plain()),
            "memory": self.memory,
        }
        return {"session_id": session_id, "id": plan_id(self.follows, row), "epoch": 0, **row}


IDENTITY = (
    *("version", "watermark", "digest", "counted_before", "created_at"),
    *("demand", "handout", "known", "report", "memory"),
)
"""The columns of a plan that its id is made from, in this order."""


def plan_id(follows: str, row: Mapping[str, object]) -> str:
    """Returns the id of a plan: a digest of its row and of the id of the plan before it, so that ids form a chain."""
    identity = [follows, *(row[name] for name in IDENTITY)]
    return hashlib.sha256(compact_json(identity).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class LateRows:
    """Answers that came too late to be counted, as columns; i and j in the order shown."""

    i: tuple[int, ...] = ()
    j: tuple[int, ...] = ()
    version: tuple[int, ...] = ()
    outcome: tuple[float, ...] = ()
    seconds: tuple[float, ...] = ()  # from issue to answer


@dataclass(frozen=True)
class PlanningInput:
    """Everything that planning needs, read in one transaction."""

    session: Session
    counters: Counters
    evidence: EvidenceRows  # up to the watermark
    last_plan: StoredPlan | None
    health: tuple[Health, ...]  # the entries stored with the session
    memory_before: str | None = None  # of the plan before the last one
    closed_before: int = 0  # plan versions below this have no open impressions and hand out nothing
    signals: Signals = field(default_factory=Signals)
    known: EvidenceRows = field(default_factory=EvidenceRows)  # answers above the watermark that have arrived
    log: LogState = field(default_factory=LogState)
    late: LateRows = field(default_factory=LateRows)  # answers after the time to live, so far


@dataclass(frozen=True)
class Planned:
    """What planning adds to a session."""

    plan: StoredPlan
    snapshot: Snapshot
    certificate: Certificate | None
    made_for: State  # of the session, when it was read
    late_delays: Delays = NO_DELAYS  # of all late answers so far
