"""What the use cases ask of storage. One contract suite (tests/contracts) holds for every implementation."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.access.audit import OPEN_ACCESS
from app.sessions.model import (
    Answers,
    Counters,
    EvidenceRows,
    FeedbackStatus,
    HandedOut,
    Health,
    HistoryPoint,
    Live,
    PlanRecord,
    SessionChange,
    SessionRecord,
    Signals,
    Snapshot,
    State,
)


@dataclass(frozen=True)
class Order:
    """A call of next-pair: how many, and what makes a retry recognisable."""

    count: int
    route: str  # scope of the key: "next-pair" or "next-pair/batch"
    idempotency_key: str | None
    body_digest: str  # of the request's body, compared when the key comes again


@dataclass(frozen=True)
class PlanningInput:
    """All that planning needs, read in one transaction."""

    record: SessionRecord
    counters: Counters
    evidence: EvidenceRows
    last_plan: PlanRecord | None
    health: tuple[Health, ...]  # what folds have found
    memory_before: str | None = None  # of the plan before the last one
    closed_before: int = 0  # plan versions below this have nothing out any more and hand out nothing
    signals: Signals = field(default_factory=Signals)


class PlanningSource(Protocol):
    """Reads the same in another process; it can be sent there."""

    def read(self, session_id: str) -> PlanningInput:
        """Returns a consistent view for planning; raises SessionNotFound, StorageUnavailable."""


@dataclass(frozen=True)
class Said:
    """What a snapshot is made of, read in one transaction, at a cost that does not grow with the evidence."""

    record: SessionRecord
    report: dict[str, Any]  # of the last plan
    health: tuple[Health, ...]  # what folds have found
    signals: Signals


@dataclass(frozen=True)
class Measured:
    """What the heat map is made of, read in one transaction."""

    record: SessionRecord
    counts: EvidenceRows  # of all plans together: versions are all 1, and neither clicks by item nor silence are told
    race: list[Any]  # contenders as the last plan's report names them


@dataclass(frozen=True)
class CertificateRecord:
    """A certificate as it was written, for ever."""

    body: str
    digest: str


@dataclass(frozen=True)
class SessionGroup:
    """Sessions in the same state with the same verdict."""

    state: str
    verdict: str
    sessions: int
    outstanding: int


@dataclass(frozen=True)
class SessionProgress:
    """How far one session is."""

    session_id: str
    gap: float
    samples: int


@dataclass(frozen=True)
class Census:
    """What operators ask about all sessions together."""

    groups: tuple[SessionGroup, ...]
    progress: tuple[SessionProgress, ...] = ()  # of the newest sessions, if it was asked for


class Store(Protocol):
    """Sessions in a database. Every method raises StorageUnavailable when the database cannot be used.

    What changes a session as a whole is told by whom (`by`, see `audit`), and written down in the same transaction.
    """

    async def create_session(
        self,
        record: SessionRecord,
        plan: PlanRecord,
        snapshot: Snapshot,
        certificate: CertificateRecord | None,
        by: str = OPEN_ACCESS,
    ) -> SessionRecord:
        """Stores a new session with its first plan (version 1); returns it with the database's times."""

    async def session(self, session_id: str) -> SessionRecord:
        """Returns one session; raises SessionNotFound."""

    async def sessions(self, limit: int, before: str | None) -> list[tuple[SessionRecord, Counters, Snapshot]]:
        """Returns sessions, newest first; `before` is the id of the last one of the page before."""

    async def change_session(self, session_id: str, change: SessionChange, by: str = OPEN_ACCESS) -> SessionRecord:
        """Applies a change that the use case has checked; rules that race are checked again under the row's lock.

        Raises SessionNotFound; InvalidStateChange if the session is stopped or the budget is lower than before.
        """

    async def delete_session(self, session_id: str, by: str = OPEN_ACCESS) -> None:
        """Deletes a session with all its data; raises SessionNotFound."""

    async def counters(self, session_id: str) -> Counters:
        """Returns the counters, at a cost that does not grow with what was stored."""

    async def issue(self, session_id: str, order: Order) -> list[HandedOut]:
        """Hands out impressions (`Desk.serve`) and stores those that need a row, on disk before it returns.

        Raises SessionNotFound, SessionStopped, IdempotencyMismatch, Overloaded.
        """

    async def answer(self, session_id: str, answers: Answers) -> list[FeedbackStatus]:
        """Stores answers (`judge`), on disk before it returns; one status for each, in order.

        Raises SessionNotFound, Overloaded.
        """

    async def fold(self, session_id: str) -> Counters:
        """Moves what is final into the evidence (`maturity.fold`) under a new epoch; returns the counters after.

        In the deterministic model, two different values for one entry are noted as health, which suspends the session.
        """

    async def timeline(self) -> str:
        """Returns which history of the database this is; another one begins when a standby takes over."""

    async def planning_input(self, session_id: str) -> PlanningInput:
        """Returns a consistent view for planning; raises SessionNotFound."""

    def planning_source(self) -> PlanningSource:
        """Returns a reader of the same for the process that computes plans."""

    async def last_plan(self, session_id: str) -> PlanRecord | None:
        """Returns the plan in force, None before the first; raises SessionNotFound."""

    async def add_plan(
        self,
        session_id: str,
        plan: PlanRecord,
        snapshot: Snapshot,
        certificate: CertificateRecord | None,
        *,
        timeline: str,
    ) -> bool:
        """Appends the plan if it follows the current one (compare-and-set); returns whether it did.

        `timeline` is what `timeline` returned before the evidence was read. In another one that evidence may be lost.

        What is still out at this moment is subtracted from the demand to give the stored plan's `handout` (the whole
        demand if nothing would be left); the cursor starts at 0.
        """

    async def set_snapshot(self, session_id: str, plan_version: int, state: State, snapshot: Snapshot) -> bool:
        """Replaces the snapshot if plan and state are still those it tells of; returns whether they were."""

    async def snapshot(self, session_id: str) -> Snapshot:
        """Returns the prepared answer of best-pair; raises SessionNotFound."""

    async def said(self, session_id: str) -> Said:
        """Returns what the last plan and the folds said; raises SessionNotFound."""

    async def measured(self, session_id: str) -> Measured:
        """Returns the counts by pair, of all plans together; raises SessionNotFound."""

    async def live(self, session_ids: Sequence[str]) -> dict[str, Live]:
        """Returns snapshots and counters by session, in one read; those that do not exist are left out."""

    async def history(self, session_id: str, after: int, limit: int) -> list[HistoryPoint]:
        """Returns what plans after a version said, in order, at most so many; raises SessionNotFound."""

    async def certificate(self, session_id: str) -> CertificateRecord | None:
        """Returns the certificate, None before there is one; raises SessionNotFound."""

    def export(self, session_id: str) -> AsyncIterator[dict[str, Any]]:
        """Yields the session, its plans and its impressions as plain rows (`kind` tells which), never all at once."""

    async def sessions_to_advance(self) -> list[str]:
        """Returns sessions, in whatever state, that may have something to fold or plan although nobody calls.

        Those with impressions out (their windows may have closed), and those whose budget is spent while their plan
        still asks (the plan after it was lost in a crash).
        """

    async def census(self, most_named: int) -> Census:
        """Returns how many sessions there are by state and verdict; of so many, the newest, how far they are."""

    async def ready(self) -> str | None:
        """Returns None if the database is reachable and at the right revision, otherwise what is wrong."""
