"""A plan as it is stored, and everything that making one needs."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Self

from app.counting.rules import EvidenceRows
from app.counting.signals_sql import Signals
from app.database.statements import AnyRow, compact_json
from app.health import Health
from app.impressions.handout_order import PairCounts
from app.results.report import PlanReport
from app.results.sql import Certificate
from app.sessions.model import Counters, Session, Snapshot
from app.wire.vocabulary import State


@dataclass(frozen=True)
class StoredPlan:
    """One entry of the append-only log of plans."""

    version: int
    epoch: int  # the fold whose evidence was used
    demand: PairCounts  # of the policy
    handout: PairCounts  # the demand less what was outstanding when the plan was stored
    report: PlanReport
    memory: str  # JSON, as the engine wrote it
    counted_before: int  # impressions in the evidence when it was made
    follows: str = ""  # id of the plan before it, known while this one is new

    @classmethod
    def from_row(cls, row: AnyRow) -> Self:
        """Returns the plan of a row that has `sql.PLAN_COLUMNS`."""
        return cls(
            version=row.version,
            epoch=row.epoch,
            demand=PairCounts(row.demand),
            handout=PairCounts(row.handout),
            report=PlanReport.from_plain(json.loads(row.report)),
            memory=row.memory,
            counted_before=row.counted_before,
        )

    def to_row(self, session_id: str, created_at: float) -> dict[str, object]:
        """Returns the row to store. The plan's id is a digest of its content and of the id of the plan before it."""
        identity = (self.follows, self.version, self.epoch, self.handout.text, self.memory)
        return {
            "session_id": session_id,
            "id": hashlib.sha256(compact_json(identity).encode()).hexdigest()[:24],
            "version": self.version,
            "epoch": self.epoch,
            "demand": self.demand.text,
            "handout": self.handout.text,
            "report": compact_json(self.report.to_plain()),
            "memory": self.memory,
            "counted_before": self.counted_before,
            "created_at": created_at,
        }


@dataclass(frozen=True)
class PlanningInput:
    """Everything that planning needs, read in one transaction."""

    session: Session
    counters: Counters
    evidence: EvidenceRows
    last_plan: StoredPlan | None
    health: tuple[Health, ...]  # the entries stored with the session
    memory_before: str | None = None  # of the plan before the last one
    closed_before: int = 0  # plan versions below this have no open impressions and hand out nothing
    signals: Signals = field(default_factory=Signals)


@dataclass(frozen=True)
class Planned:
    """What planning adds to a session."""

    plan: StoredPlan
    snapshot: Snapshot
    certificate: Certificate | None
    made_for: State  # of the session, when it was read
