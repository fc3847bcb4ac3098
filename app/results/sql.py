"""Reads for everything that callers see: snapshots, reports, counts, history, certificates, the census."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    cast,
    func,
    select,
    update,
)

from app.counting.rules import EvidenceRows
from app.counting.signals_sql import SIGNAL_COLUMNS, Signals, signals_of
from app.database.database import Clock, now
from app.database.statements import Prepared
from app.database.tables import certificates, evidence, plans, sessions
from app.health import Health, from_text
from app.results.report import PlanReport, RankedPair
from app.sessions.model import Counters, Session, Snapshot
from app.sessions.sql import COUNTER_COLUMNS, SESSION_COLUMNS, SessionCache, one_row, read_session, session_from_row
from app.wire.vocabulary import State

_SNAPSHOT = select(sessions.c.snapshot, sessions.c.etag).where(sessions.c.id == bindparam("id"))
_SET_SNAPSHOT = (
    update(sessions)
    .where(
        sessions.c.id == bindparam("session"),
        sessions.c.plan_version == bindparam("version"),
        sessions.c.state == bindparam("is"),
    )
    .values(snapshot=bindparam("body"), etag=bindparam("tag"), updated_at=Clock())
)
_LIVE = select(sessions.c.id, *COUNTER_COLUMNS, sessions.c.snapshot, sessions.c.etag).where(
    sessions.c.id.in_(bindparam("ids", expanding=True))
)
_WITH_SIGNALS = select(*SESSION_COLUMNS, *COUNTER_COLUMNS, sessions.c.health, *SIGNAL_COLUMNS).where(
    sessions.c.id == bindparam("id")
)
_REPORT = select(plans.c.report).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))
_COUNTS = Prepared(
    select(evidence.c.i, evidence.c.j, cast(func.sum(evidence.c.n), BigInteger).label("n"), func.sum(evidence.c.s))
    .where(evidence.c.session_id == bindparam("id"), evidence.c.n > 0)
    .group_by(evidence.c.i, evidence.c.j)
    .order_by(evidence.c.i, evidence.c.j)
)
_EXISTS = select(sessions.c.id).where(sessions.c.id == bindparam("id"))
_HISTORY = (
    select(plans.c.version, plans.c.created_at, plans.c.report)
    .where(plans.c.session_id == bindparam("id"), plans.c.version > bindparam("after"))
    .order_by(plans.c.version)
    .limit(bindparam("limit"))
)
_CERTIFICATE = (
    select(sessions.c.id, certificates.c.body, certificates.c.digest)
    .outerjoin_from(sessions, certificates)
    .where(sessions.c.id == bindparam("id"))
)
_OUTSTANDING = func.sum(sessions.c.issued - sessions.c.void - sessions.c.counted)


@dataclass(frozen=True)
class Live:
    """The state of a session that an event stream sends."""

    snapshot: Snapshot
    counters: Counters


class ReportView(NamedTuple):
    """Everything that a snapshot is made from, read in one transaction; its cost does not grow with the evidence."""

    session: Session
    report: PlanReport  # of the last plan
    health: tuple[Health, ...]  # the entries stored with the session
    signals: Signals


class Measured(NamedTuple):
    """Everything that the heat map is made from, read in one transaction."""

    session: Session
    counts: EvidenceRows  # of all plans together: all versions are 1, and item clicks and missing feedback are left out
    race: tuple[RankedPair, ...]  # the contenders in the last plan's report


@dataclass(frozen=True)
class HistoryPoint:
    """The report of one plan: a point of the progress chart."""

    version: int
    made_at: float  # seconds since 1970, database time
    report: PlanReport


@dataclass(frozen=True)
class Certificate:
    """A certificate as it was written; it never changes."""

    body: str
    digest: str


class SessionGroup(NamedTuple):
    """Sessions in the same state with the same verdict."""

    state: str
    verdict: str
    sessions: int
    outstanding: int


class SessionProgress(NamedTuple):
    """The progress of one session."""

    session_id: str
    gap: float
    samples: int
    relative_gap: float | None = None  # None: proven by an older version


class Census(NamedTuple):
    """Numbers of sessions, for operators."""

    groups: tuple[SessionGroup, ...]
    progress: tuple[SessionProgress, ...] = ()  # of the newest sessions, if it was requested


def read_snapshot(connection: Connection, session_id: str) -> Snapshot:
    """Returns the prepared response of best-pair; raises SessionNotFound."""
    row = one_row(connection, _SNAPSHOT, session_id)
    return Snapshot(row.snapshot, row.etag)


def set_snapshot(connection: Connection, session_id: str, plan_version: int, state: State, snapshot: Snapshot) -> bool:
    """Replaces the snapshot if plan and state of the session are still these; returns whether it did."""
    parameters = {
        "session": session_id,
        "version": plan_version,
        "is": state.value,
        "body": snapshot.body,
        "tag": snapshot.etag,
    }
    return connection.execute(_SET_SNAPSHOT, parameters).rowcount == 1


def read_report(connection: Connection, session_id: str, cache: SessionCache) -> ReportView:
    """Returns the report of the last plan with health and signals; raises SessionNotFound."""
    row = one_row(connection, _WITH_SIGNALS, session_id)
    session = session_from_row(connection, row, cache)
    signals = signals_of(row, row.delays, row.issued, row.answered, now(connection))
    return ReportView(session, _report(connection, session), from_text(row.health), signals)


def read_measured(connection: Connection, session_id: str, cache: SessionCache) -> Measured:
    """Returns the counts by pair, of all plans together; raises SessionNotFound."""
    session = read_session(connection, session_id, cache)
    rows = _COUNTS.rows(connection, id=session_id)
    i, j, n, s = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [])
    none = [0] * len(n)
    counts = EvidenceRows(i, j, [1] * len(n), n, s, none, none, none)
    return Measured(session, counts, _report(connection, session).race)


def _report(connection: Connection, session: Session) -> PlanReport:
    plan = {"id": session.id, "version": session.plan_version}
    return PlanReport.from_plain(json.loads(connection.execute(_REPORT, plan).scalar_one()))


def read_live(connection: Connection, session_ids: Sequence[str]) -> dict[str, Live]:
    """Returns snapshots and counters by session; sessions that do not exist are left out."""
    rows = connection.execute(_LIVE, {"ids": list(session_ids)})
    return {row.id: Live(Snapshot(row.snapshot, row.etag), Counters.from_row(row)) for row in rows}


def read_history(connection: Connection, session_id: str, after: int, limit: int) -> list[HistoryPoint]:
    """Returns the reports of plans after a version, in order; raises SessionNotFound."""
    one_row(connection, _EXISTS, session_id)
    rows = connection.execute(_HISTORY, {"id": session_id, "after": after, "limit": limit})
    return [HistoryPoint(row.version, row.created_at, PlanReport.from_plain(json.loads(row.report))) for row in rows]


def read_certificate(connection: Connection, session_id: str) -> Certificate | None:
    """Returns the certificate, None before there is one; raises SessionNotFound."""
    row = one_row(connection, _CERTIFICATE, session_id)
    return None if row.body is None else Certificate(row.body, row.digest)


def read_census(connection: Connection, max_named: int) -> Census:
    """Returns the groups of sessions, and the progress of the newest `max_named`, at a cost independent of traffic."""
    verdict = _snapshot_value(connection, "verdict")
    groups = connection.execute(
        select(sessions.c.state, verdict, func.count(), _OUTSTANDING).group_by(sessions.c.state, verdict)
    )
    counts = tuple(SessionGroup(row[0], row[1], row[2], int(row[3])) for row in groups)
    if not max_named:
        return Census(counts)
    progress = connection.execute(_progress(connection, max_named))
    return Census(counts, tuple(_progress_of(*row) for row in progress))


def _progress_of(session_id: str, gap: str, samples: str, relative_gap: str | None) -> SessionProgress:
    return SessionProgress(session_id, float(gap), int(samples), None if relative_gap is None else float(relative_gap))


def _progress(connection: Connection, max_named: int) -> Select[*tuple[Any, ...]]:
    newest_first = (sessions.c.created_at.desc(), sessions.c.id.desc())
    values = (_snapshot_value(connection, name) for name in ("gap", "samples", "relative_gap"))
    return select(sessions.c.id, *values).order_by(*newest_first).limit(max_named)


def _snapshot_value(connection: Connection, name: str) -> ColumnElement[str]:
    """Returns an expression for one value of the snapshot, as text; the snapshot is JSON in a text column."""
    if connection.dialect.name == "sqlite":
        return func.json_extract(sessions.c.snapshot, f"$.{name}")
    return cast(sessions.c.snapshot, JSON)[name].as_string()
