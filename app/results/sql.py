"""Reads: each function takes a connection whose statements all see one moment."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Connection, Select, and_, bindparam, cast, exists, func, or_, select, tuple_

from app.database.database import now
from app.database.prepared import Prepared
from app.database.tables import certificates, evidence, impressions, plans, sessions
from app.results.signals_sql import SIGNAL_COLUMNS, signals_of
from app.sessions.cache import Shelf
from app.sessions.locking import not_found
from app.sessions.model import Counters, EvidenceRows, HistoryPoint, Live, PlanRecord, SessionRecord, Snapshot
from app.sessions.ports import CertificateRecord, Measured, PlanningInput, Said
from app.sessions.rows import PLAN_COLUMNS, RECORD_COLUMNS, AnyRow, health_from_text, plan_record, session_record

_ANSWERED_OPEN = (
    select(func.count())
    .select_from(impressions)
    .where(
        impressions.c.session_id == sessions.c.id,
        impressions.c.epoch.is_(None),
        impressions.c["counts"],
        impressions.c.outcome.is_not(None),
    )
    .correlate(sessions)
    .scalar_subquery()
)
_COUNTERS = [
    sessions.c.issued,
    (sessions.c.answered_closed + _ANSWERED_OPEN).label("answered"),
    sessions.c.void,
    sessions.c.counted,
]
_RECORD = select(*RECORD_COLUMNS).where(sessions.c.id == bindparam("id"))
_ONLY_COUNTERS = select(*_COUNTERS).where(sessions.c.id == bindparam("id"))
_SNAPSHOT = select(sessions.c.snapshot, sessions.c.etag).where(sessions.c.id == bindparam("id"))
_LIVE = select(sessions.c.id, *_COUNTERS, sessions.c.snapshot, sessions.c.etag).where(
    sessions.c.id.in_(bindparam("ids", expanding=True))
)
_NEWEST = (
    select(*RECORD_COLUMNS, *_COUNTERS, sessions.c.snapshot, sessions.c.etag)
    .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
    .limit(bindparam("limit"))
)
_OLDER = _NEWEST.where(
    tuple_(sessions.c.created_at, sessions.c.id) < tuple_(bindparam("created_at"), bindparam("before"))
)
_VERSION = select(sessions.c.plan_version).where(sessions.c.id == bindparam("id"))
_CREATED_AT = select(sessions.c.created_at).where(sessions.c.id == bindparam("id"))
_PLANNING = select(*RECORD_COLUMNS, *_COUNTERS, sessions.c.health, *SIGNAL_COLUMNS).where(
    sessions.c.id == bindparam("id")
)
_EVIDENCE = (
    select(*(evidence.c[name] for name in ("i", "j", "version", "n", "s", "clicks_i", "clicks_j", "unanswered")))
    .where(evidence.c.session_id == bindparam("id"))
    .order_by(evidence.c.i, evidence.c.j, evidence.c.version)
)
_MEASURED = Prepared(
    select(evidence.c.i, evidence.c.j, cast(func.sum(evidence.c.n), BigInteger).label("n"), func.sum(evidence.c.s))
    .where(evidence.c.session_id == bindparam("id"), evidence.c.n > 0)
    .group_by(evidence.c.i, evidence.c.j)
    .order_by(evidence.c.i, evidence.c.j)
)
_REPORT = select(plans.c.report).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))
_PLAN = select(*PLAN_COLUMNS).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))
_HISTORY = (
    select(plans.c.version, plans.c.created_at, plans.c.report)
    .where(plans.c.session_id == bindparam("id"), plans.c.version > bindparam("after"))
    .order_by(plans.c.version)
    .limit(bindparam("limit"))
)
_MEMORY = select(plans.c.memory).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))
_FIRST_OPEN = (  # plan versions follow the issue order, so the first that is open has the lowest
    select(impressions.c.plan_version)
    .where(impressions.c.session_id == bindparam("id"), impressions.c.epoch.is_(None), impressions.c["counts"])
    .order_by(impressions.c.sequence)
    .limit(1)
)
_CERTIFICATE = (
    select(sessions.c.id, certificates.c.body, certificates.c.digest)
    .outerjoin_from(sessions, certificates)
    .where(sessions.c.id == bindparam("id"))
)
_TO_ADVANCE = (
    select(sessions.c.id)
    .where(
        or_(
            exists().where(impressions.c.session_id == sessions.c.id, impressions.c.epoch.is_(None)),
            # All is folded, the budget is spent and the plan still asks: its successor was lost in a crash.
            and_(sessions.c.handout_total > 0, sessions.c.issued - sessions.c.void >= sessions.c.budget),
        ),
    )
    .order_by(sessions.c.id)
)


def read_session(connection: Connection, session_id: str, shelf: Shelf) -> SessionRecord:
    """Returns the session; raises SessionNotFound."""
    row = _one(connection, _RECORD, session_id)
    return session_record(row, shelf.fixed(connection, row.id, row.created_at))


def read_sessions(
    connection: Connection, limit: int, before: str | None, shelf: Shelf
) -> list[tuple[SessionRecord, Counters, Snapshot]]:
    """Returns sessions, newest first; raises SessionNotFound if `before` has been deleted."""
    given: dict[str, object] = {"limit": limit}
    if before is None:
        rows = connection.execute(_NEWEST, given)
    else:
        given |= {"before": before, "created_at": _one(connection, _CREATED_AT, before).created_at}
        rows = connection.execute(_OLDER, given)
    return [
        (
            session_record(row, shelf.fixed(connection, row.id, row.created_at)),
            _counters(row),
            Snapshot(row.snapshot, row.etag),
        )
        for row in rows.all()
    ]


def read_counters(connection: Connection, session_id: str) -> Counters:
    """Returns the counters, at a cost of the open impressions; raises SessionNotFound."""
    return _counters(_one(connection, _ONLY_COUNTERS, session_id))


def read_snapshot(connection: Connection, session_id: str) -> Snapshot:
    """Returns the prepared answer of best-pair; raises SessionNotFound."""
    row = _one(connection, _SNAPSHOT, session_id)
    return Snapshot(row.snapshot, row.etag)


def read_said(connection: Connection, session_id: str, shelf: Shelf) -> Said:
    """Returns what the last plan and the folds said; raises SessionNotFound."""
    row = _one(connection, _PLANNING, session_id)
    record = session_record(row, shelf.fixed(connection, row.id, row.created_at))
    signals = signals_of(row, row.issued, row.answered, now(connection))
    return Said(record, _report(connection, record), health_from_text(row.health), signals)


def read_measured(connection: Connection, session_id: str, shelf: Shelf) -> Measured:
    """Returns the counts by pair, of all plans together; raises SessionNotFound."""
    record = read_session(connection, session_id, shelf)
    race = _report(connection, record).get("race", [])  # plans of older versions named none
    rows = _MEASURED.rows(connection, id=session_id)
    i, j, n, s = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [], [])
    none = [0] * len(n)
    return Measured(record, EvidenceRows(i, j, [1] * len(n), n, s, none, none, none), race)


def read_live(connection: Connection, session_ids: Sequence[str]) -> dict[str, Live]:
    """Returns snapshots and counters by session; those that do not exist are left out."""
    rows = connection.execute(_LIVE, {"ids": list(session_ids)})
    return {row.id: Live(Snapshot(row.snapshot, row.etag), _counters(row)) for row in rows}


def read_history(connection: Connection, session_id: str, after: int, limit: int) -> list[HistoryPoint]:
    """Returns what plans after a version said; raises SessionNotFound."""
    _one(connection, _CREATED_AT, session_id)
    rows = connection.execute(_HISTORY, {"id": session_id, "after": after, "limit": limit})
    return [HistoryPoint(row.version, row.created_at, json.loads(row.report)) for row in rows]


def read_certificate(connection: Connection, session_id: str) -> CertificateRecord | None:
    """Returns the certificate, None before there is one; raises SessionNotFound."""
    row = _one(connection, _CERTIFICATE, session_id)
    return None if row.body is None else CertificateRecord(row.body, row.digest)


def read_planning_input(connection: Connection, session_id: str, shelf: Shelf) -> PlanningInput:
    """Returns all that planning needs; raises SessionNotFound."""
    row = _one(connection, _PLANNING, session_id)
    first_open = connection.execute(_FIRST_OPEN, {"id": session_id}).scalar_one_or_none()
    return PlanningInput(
        record=session_record(row, shelf.fixed(connection, row.id, row.created_at)),
        counters=_counters(row),
        evidence=_evidence(connection, session_id),
        last_plan=_last_plan(connection, session_id, row.plan_version),
        health=health_from_text(row.health),
        memory_before=connection.execute(
            _MEMORY, {"id": session_id, "version": row.plan_version - 1}
        ).scalar_one_or_none(),
        closed_before=row.plan_version if first_open is None else first_open,
        signals=signals_of(row, row.issued, row.answered, now(connection)),
    )


def read_last_plan(connection: Connection, session_id: str) -> PlanRecord | None:
    """Returns the plan in force; raises SessionNotFound."""
    return _last_plan(connection, session_id, _one(connection, _VERSION, session_id).plan_version)


def read_sessions_to_advance(connection: Connection) -> list[str]:
    """Returns the ids of running and paused sessions with open impressions."""
    return list(connection.execute(_TO_ADVANCE).scalars())


def _one(connection: Connection, statement: Select[*tuple[Any, ...]], session_id: str) -> AnyRow:
    row = connection.execute(statement, {"id": session_id}).one_or_none()
    if row is None:
        raise not_found(session_id)
    return row


def _report(connection: Connection, record: SessionRecord) -> dict[str, Any]:
    given = {"id": record.id, "version": record.plan_version}
    report: dict[str, Any] = json.loads(connection.execute(_REPORT, given).scalar_one())
    return report


def _counters(row: AnyRow) -> Counters:
    return Counters(issued=row.issued, answered=row.answered, void=row.void, counted=row.counted)


def _evidence(connection: Connection, session_id: str) -> EvidenceRows:
    columns = zip(*connection.execute(_EVIDENCE, {"id": session_id}), strict=True)
    return EvidenceRows(*(list(column) for column in columns))


def _last_plan(connection: Connection, session_id: str, version: int) -> PlanRecord | None:
    row = connection.execute(_PLAN, {"id": session_id, "version": version}).one_or_none()
    return None if row is None else plan_record(row)
