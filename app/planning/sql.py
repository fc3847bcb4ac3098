"""Writing plans: compare-and-set on the version, with what is still out taken off what is handed out."""

from collections import Counter
from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, func, insert, select, update

from app.database.bulk import BulkInsert
from app.database.database import Clock, now
from app.database.tables import certificates, impressions, plans, sessions
from app.sessions.locking import locked_session
from app.sessions.model import Asked, PlanRecord, Snapshot, State
from app.sessions.ports import CertificateRecord
from app.sessions.rows import best_pair, plan_row

_OUTSTANDING = (
    select(impressions.c.i, impressions.c.j, func.count())
    .where(impressions.c.session_id == bindparam("id"), impressions.c.epoch.is_(None), impressions.c["counts"])
    .group_by(impressions.c.i, impressions.c.j)
)
_SET_SNAPSHOT = (
    update(sessions)
    .where(
        sessions.c.id == bindparam("session"),
        sessions.c.plan_version == bindparam("version"),
        sessions.c.state == bindparam("is"),
    )
    .values(snapshot=bindparam("body"), etag=bindparam("tag"), updated_at=Clock())
)
_ADD_CERTIFICATE = BulkInsert(
    certificates,
    ["session_id", "body", "digest", "created_at"],
    "ON CONFLICT (session_id) DO NOTHING",  # the first one stands for ever
)


def add_plan(
    connection: Connection,
    session_id: str,
    plan: PlanRecord,
    snapshot: Snapshot,
    certificate: CertificateRecord | None,
    timeline: str,
) -> bool:
    """Returns whether the plan was the next one and has been added; raises SessionNotFound.

    `timeline` is the one in which the evidence for the plan was read.
    """
    session = locked_session(connection, session_id)
    # After a failover the database may be back at an earlier state, in which the plan's evidence was never counted.
    if (plan.version, plan.follows) != (session.plan_version + 1, session.plan_id) or plan.epoch > session.epoch:
        return False
    if session.timeline != timeline:
        return False
    handout = less_outstanding(plan.demand, _outstanding(connection, session_id))
    at = now(connection)
    best_i, best_j = best_pair(plan)
    row = plan_row(session_id, plan, handout, at)
    connection.execute(insert(plans), row)
    connection.execute(
        update(sessions).where(sessions.c.id == session_id),
        {
            "plan_version": plan.version,
            "plan_id": row["id"],
            "cursor": 0,
            "handout_total": handout.total,
            "snapshot": snapshot.body,
            "etag": snapshot.etag,
            "best_i": best_i,
            "best_j": best_j,
            "updated_at": at,
        },
    )
    add_certificate(connection, session_id, certificate, at)
    return True


def set_snapshot(connection: Connection, session_id: str, plan_version: int, state: State, snapshot: Snapshot) -> bool:
    """Replaces the snapshot if plan and state are still those it was made for; returns whether they were."""
    given = {
        "session": session_id,
        "version": plan_version,
        "is": state.value,
        "body": snapshot.body,
        "tag": snapshot.etag,
    }
    return connection.execute(_SET_SNAPSHOT, given).rowcount == 1


def add_certificate(connection: Connection, session_id: str, certificate: CertificateRecord | None, at: float) -> None:
    """Stores a certificate, if there is one and the session has none yet."""
    if certificate is not None:
        _ADD_CERTIFICATE.run(connection, [(session_id, certificate.body, certificate.digest, at)])


def less_outstanding(demand: Asked, outstanding: Mapping[tuple[int, int], int]) -> Asked:
    """Returns the demand without what is still out; the whole demand if nothing would be left."""
    if not outstanding:
        return demand
    left = dict(outstanding)
    handout: list[tuple[int, int, int]] = []
    for i, j, count in demand.triples:
        pair = (min(i, j), max(i, j))
        taken = min(count, left.get(pair, 0))
        if taken:
            left[pair] -= taken
        if count > taken:
            handout.append((i, j, count - taken))
    return Asked.of(handout) if handout else demand


def _outstanding(connection: Connection, session_id: str) -> Mapping[tuple[int, int], int]:
    """Returns the counting impressions that no fold has dealt with, by unordered pair."""
    out: Counter[tuple[int, int]] = Counter()
    for i, j, count in connection.execute(_OUTSTANDING, {"id": session_id}):
        out[min(i, j), max(i, j)] += count
    return out
