"""Plans in the database: add one by compare-and-set on the version, and read what making the next one needs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Boolean, Connection, and_, bindparam, case, func, insert, not_, or_, select, update

from app.counting.chain import chain_start
from app.counting.delays import NO_DELAYS, Delays
from app.counting.rules import EvidenceRows
from app.counting.signals_sql import SIGNAL_COLUMNS, signals_of
from app.counting.sql import read_known
from app.database.database import now
from app.database.statements import AnyRow, BulkInsert
from app.database.tables import certificates, evidence, impressions, plans, sessions
from app.engine.problem import Model
from app.health import from_text
from app.impressions.handout_order import PairCounts, times_handed_out
from app.planning.plan import LateRows, Planned, PlanningInput, StoredPlan
from app.results.certificates import LogState
from app.results.sql import Certificate
from app.sessions.changes_sql import insert_session
from app.sessions.model import Counters, Session, Settings, Snapshot
from app.sessions.sql import COUNTER_COLUMNS, SESSION_COLUMNS, SessionCache, locked_session, one_row, session_from_row
from app.wire.session_settings import EditableSettings
from app.wire.vocabulary import MissingFeedback, WhileWaiting

LEAST_HANDOUT = 0.5
"""The least part of its demand that a plan hands out. Outstanding impressions may be lost: a few more pairs, even
handed out several times, would not bring the answers that the plan waits for. (With 30 % of the answers lost, simulated
sessions took half of the time that they took without this rule; with none lost, as long as before.)"""

PLAN_COLUMNS = [column for column in plans.c if column.name not in {"session_id", "created_at", "id"}]

_OUTSTANDING = (  # what no plan has used: where silence means "no click", clicks are not known before the window closes
    select(impressions.c.i, impressions.c.j, func.count())
    .where(
        impressions.c.session_id == bindparam("id"),
        impressions.c.sequence > bindparam("watermark"),
        impressions.c["counts"],
        not_(impressions.c.not_shown),
        or_(impressions.c.outcome.is_(None), not_(bindparam("answers_are_known", type_=Boolean()))),
    )
    .group_by(impressions.c.i, impressions.c.j)
)
_ADD_CERTIFICATE = BulkInsert(
    certificates,
    ["session_id", "body", "digest", "created_at"],
    "ON CONFLICT (session_id) DO NOTHING",  # the first one is final
)
_SESSION = select(
    *SESSION_COLUMNS,
    *COUNTER_COLUMNS,
    *(sessions.c[name] for name in ("health", "digest", "first_chained")),
    *SIGNAL_COLUMNS,
).where(sessions.c.id == bindparam("id"))
_EVIDENCE = (
    select(*(evidence.c[name] for name in EvidenceRows.__dataclass_fields__))
    .where(evidence.c.session_id == bindparam("id"))
    .order_by(evidence.c.i, evidence.c.j, evidence.c.version)
)
_VERSION = select(sessions.c.plan_version).where(sessions.c.id == bindparam("id"))
_PLAN = select(*PLAN_COLUMNS).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))
_MEMORY = select(plans.c.memory).where(plans.c.session_id == bindparam("id"), plans.c.version == bindparam("version"))
_FIRST_ABOVE = (  # plan versions follow the issue order, so the first impression above the watermark has the lowest
    select(impressions.c.plan_version)
    .where(
        impressions.c.session_id == bindparam("id"),
        impressions.c.sequence > bindparam("watermark"),
        impressions.c["counts"],
    )
    .order_by(impressions.c.sequence)
    .limit(1)
)
_LATE = (
    select(
        impressions.c.i,
        impressions.c.j,
        impressions.c.plan_version,
        impressions.c.late_outcome,
        impressions.c.late_at - impressions.c.issued_at,
    )
    .where(impressions.c.session_id == bindparam("id"), impressions.c.late_outcome.is_not(None))
    .order_by(impressions.c.sequence)
)
_TIMES = case(  # in the deterministic model, repeats may follow: they are above the watermark
    *(
        (sessions.c.settings.contains(f'"while_waiting":"{each}"'), times_handed_out(each, Model.STOCHASTIC))
        for each in WhileWaiting
    ),
    else_=times_handed_out(WhileWaiting.EXPLORE, Model.STOCHASTIC),  # stored before there was this setting
)
_TO_ADVANCE = (
    select(sessions.c.id)
    .where(
        or_(
            sessions.c.next_sequence - 1 > sessions.c.watermark,
            # All is folded, the budget is spent, and the plan has pairs left: the next plan was lost in a crash.
            and_(sessions.c.handout_total > 0, sessions.c.issued - sessions.c.void >= sessions.c.budget),
            # The same, if the plan is out: the best pair is shown, and no further feedback would cause a plan.
            and_(sessions.c.handout_total > 0, sessions.c.cursor >= _TIMES * sessions.c.handout_total),
        ),
    )
    .order_by(sessions.c.id)
)


def create_session(
    connection: Connection, session: Session, editable: EditableSettings, planned: Planned, by: str
) -> Session:
    """Stores a new session with its first plan; returns it with the database's times.

    Raises InvalidSession if the id is taken.
    """
    at = now(connection)
    row = planned.plan.to_row(session.id, at)
    insert_session(connection, session, editable, _plan_columns(planned.plan, row, planned.snapshot, at), at, by)
    connection.execute(insert(plans), row)
    _add_certificate(connection, session.id, planned.certificate, at)
    version, id_ = planned.plan.version, str(row["id"])
    return replace(session, plan_version=version, plan_id=id_, created_at=at, updated_at=at)


def add_plan(connection: Connection, session_id: str, planned: Planned, timeline: str) -> bool:
    """Adds the plan if it is the next one, and returns whether it was; raises SessionNotFound.

    `timeline` is that of the database when the evidence was read: after a failover that evidence may be lost. What is
    outstanding now is subtracted from the demand to give the stored hand-out (the whole demand if little would be
    left), and the cursor starts at 0.
    """
    plan, session = planned.plan, locked_session(connection, session_id)
    # After a failover the database may be in an earlier state, in which the plan's evidence was never counted.
    if (plan.version, plan.follows) != (session.plan_version + 1, session.plan_id) or session.timeline != timeline:
        return False
    if plan.watermark is None or plan.watermark > session.watermark:
        return False
    plan = replace(plan, handout=less_outstanding(plan.demand, _outstanding(connection, session)))
    at = now(connection)
    row = plan.to_row(session_id, at)
    connection.execute(insert(plans), row)
    columns = _plan_columns(plan, row, planned.snapshot, at)
    if planned.late_delays != NO_DELAYS:
        columns["delays"] = Delays.from_text(session.delays).with_late(planned.late_delays).to_text()
    connection.execute(update(sessions).where(sessions.c.id == session_id), columns)
    _add_certificate(connection, session_id, planned.certificate, at)
    return True


def _plan_columns(plan: StoredPlan, row: Mapping[str, object], snapshot: Snapshot, at: float) -> dict[str, object]:
    """Returns the columns of a session that belong to its current plan."""
    best_i, best_j = plan.report.pair
    return {
        "plan_version": plan.version,
        "plan_id": row["id"],
        "cursor": 0,
        "handout_total": plan.handout.total,
        "snapshot": snapshot.body,
        "etag": snapshot.etag,
        "best_i": best_i,
        "best_j": best_j,
        "updated_at": at,
    }


def _add_certificate(connection: Connection, session_id: str, certificate: Certificate | None, at: float) -> None:
    """Stores a certificate, if there is one and the session has none yet."""
    if certificate is not None:
        _ADD_CERTIFICATE.run(connection, [(session_id, certificate.body, certificate.digest, at)])


def less_outstanding(demand: PairCounts, outstanding: Mapping[tuple[int, int], int]) -> PairCounts:
    """Returns the demand without what is outstanding; the whole demand if less than `LEAST_HANDOUT` would be left."""
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
    rest = PairCounts.of(handout)
    return rest if rest.total >= LEAST_HANDOUT * demand.total else demand


def _outstanding(connection: Connection, session: AnyRow) -> Mapping[tuple[int, int], int]:
    """Returns how many impressions of each unordered pair count and are not known yet."""
    out: Counter[tuple[int, int]] = Counter()
    known = Settings.from_text(session.settings).missing_feedback is MissingFeedback.VOID
    parameters = {"id": session.id, "watermark": session.watermark, "answers_are_known": known}
    for i, j, count in connection.execute(_OUTSTANDING, parameters):
        out[min(i, j), max(i, j)] += count
    return out


def read_planning_input(connection: Connection, session_id: str, cache: SessionCache) -> PlanningInput:
    """Returns everything that planning needs; raises SessionNotFound."""
    row = one_row(connection, _SESSION, session_id)
    session = session_from_row(connection, row, cache)
    above = {"id": session_id, "watermark": session.watermark}
    first_open = connection.execute(_FIRST_ABOVE, above).scalar_one_or_none()
    columns = zip(*connection.execute(_EVIDENCE, {"id": session_id}), strict=True)
    before = {"id": session_id, "version": row.plan_version - 1}
    return PlanningInput(
        session=session,
        counters=Counters.from_row(row),
        evidence=EvidenceRows(*(list(column) for column in columns)),
        last_plan=_plan(connection, session_id, row.plan_version),
        health=from_text(row.health),
        memory_before=connection.execute(_MEMORY, before).scalar_one_or_none(),
        closed_before=row.plan_version if first_open is None else first_open,
        signals=signals_of(row, row.delays, row.issued, row.answered, now(connection)),
        late=_late(connection, session),
        known=read_known(connection, session_id, session.watermark, session.settings),
        log=LogState(row.digest or chain_start(session_id).hex(), row.first_chained),
    )


def _late(connection: Connection, session: Session) -> LateRows:
    """Returns the late answers, none where they cannot be compared with timely ones."""
    if not session.settings.reports_all_outcomes:
        return LateRows()
    columns = zip(*connection.execute(_LATE, {"id": session.id}), strict=True)
    return LateRows(*columns)


def read_last_plan(connection: Connection, session_id: str) -> StoredPlan | None:
    """Returns the current plan, None before the first one; raises SessionNotFound."""
    return _plan(connection, session_id, one_row(connection, _VERSION, session_id).plan_version)


def _plan(connection: Connection, session_id: str, version: int) -> StoredPlan | None:
    row = connection.execute(_PLAN, {"id": session_id, "version": version}).one_or_none()
    return None if row is None else StoredPlan.from_row(row)


def read_sessions_to_advance(connection: Connection) -> list[str]:
    """Returns sessions, in any state, that may have something to fold or plan although no request comes.

    These are sessions with impressions above the watermark (their windows may have closed), and those that hand out no
    pair that counts until there is a new plan, because their budget is spent or their plan is out.
    """
    return list(connection.execute(_TO_ADVANCE).scalars())
