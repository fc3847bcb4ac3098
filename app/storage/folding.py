"""The fold: what is countable moves from the open impressions into the evidence, in one short transaction."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, func, or_, select, update

from app.engine.problem import Model
from app.sessions.maturity import Fold, OpenImpression, Uptime, fold
from app.sessions.model import Counters, EvidenceRows, Health, Settings
from app.storage.bulk import BulkInsert, BulkUpdate
from app.storage.database import now
from app.storage.locking import locked_session
from app.storage.records import AnyRow, health_from_text, health_to_text, settings_from_text
from app.storage.tables import evidence, impressions, sessions
from app.storage.uptimes import Heartbeat, stretches

SAME_VALUE = 1e-9
"""Two values of one entry that differ by no more are one: the difference is rounding."""
_CONTRADICTION = "the values are not fixed numbers: they are measured with noise, or they have changed meanwhile"
"""Cause of the health entry; one entry of this cause is enough."""

_FIELDS = tuple(OpenImpression.__dataclass_fields__)
_OPEN = (
    select(*(impressions.c[field] for field in _FIELDS), impressions.c["counts"])
    .where(
        impressions.c.session_id == bindparam("id"),
        impressions.c.epoch.is_(None),
        or_(impressions.c.issued_at <= bindparam("latest"), impressions.c.not_shown),
    )
    .order_by(impressions.c.sequence)
    .with_for_update()
)
_ANSWERED_LATER = (  # answered, window still open: counted by the database, not loaded
    select(func.count())
    .select_from(impressions)
    .where(
        impressions.c.session_id == bindparam("id"),
        impressions.c.epoch.is_(None),
        impressions.c["counts"],
        impressions.c.outcome.is_not(None),
        impressions.c.issued_at > bindparam("latest"),
    )
)
_MEANS = (
    select(evidence.c.i, evidence.c.j, 1.0 - func.sum(evidence.c.s) / func.sum(evidence.c.n))
    .where(evidence.c.session_id == bindparam("id"), evidence.c.n > 0)
    .group_by(evidence.c.i, evidence.c.j)
)
_CLOSE = BulkUpdate(impressions, ["epoch", "void"], ["session_id", "sequence"])
_ADD_EVIDENCE = BulkInsert(
    evidence,
    ["session_id", "i", "j", "version", "n", "s", "clicks_i", "clicks_j", "unanswered", "epoch"],
    "ON CONFLICT (session_id, i, j, version) DO UPDATE SET n = evidence.n + excluded.n, s = evidence.s + excluded.s,"
    " clicks_i = evidence.clicks_i + excluded.clicks_i, clicks_j = evidence.clicks_j + excluded.clicks_j,"
    " unanswered = evidence.unanswered + excluded.unanswered, epoch = excluded.epoch",
)
_UPDATE_SESSION = (
    update(sessions)
    .where(sessions.c.id == bindparam("session"))
    .values({name: bindparam(name) for name in ("epoch", "void", "counted", "answered_closed", "health")})
)

Pair = tuple[int, int]


def fold_session(connection: Connection, session_id: str, heartbeat: Heartbeat) -> Counters:
    """Returns the counters after the fold; raises SessionNotFound."""
    session = locked_session(connection, session_id)
    settings = settings_from_text(session.settings)
    # With a window time alone makes final, and it runs in issue order: what was issued later neither counts nor blocks.
    window = settings.attribution_window_seconds
    latest = now(connection) - window if window else 1e18
    rows = connection.execute(_OPEN, {"id": session_id, "latest": latest}).all()
    later = connection.execute(_ANSWERED_LATER, {"id": session_id, "latest": latest}).scalar_one() if window else 0
    at = now(connection)  # after the locks: answers that are on their way wait behind them and will be late
    heartbeat.beat(connection, at)
    counting = [_open(row) for row in rows if row.counts]
    uptimes = stretches(connection, min((row.issued_at for row in rows), default=at))
    folded = fold(counting, settings, at, uptimes)
    repeats = _closable_repeats(rows, folded, settings, at, uptimes)
    answered = {row.sequence for row in rows if row.counts and row.outcome is not None}
    closed = session.answered_closed + len(answered.intersection(folded.counted + folded.void))
    counted, void = session.counted + len(folded.counted), session.void + len(folded.void)
    if folded.counted or folded.void or repeats.counted or repeats.void:
        health = session.health
        if settings.model is Model.DETERMINISTIC:
            # Before the evidence is added to: a mean of two different values would hide both.
            health = _health_after(connection, session_id, session.health, rows)
        epoch = session.epoch + 1
        _write(connection, session_id, epoch, folded, repeats)
        connection.execute(
            _UPDATE_SESSION,
            {"session": session_id, "epoch": epoch, "void": void, "counted": counted, "answered_closed": closed,
             "health": health},
        )  # fmt: skip
    still_open = later + len(answered) - (closed - session.answered_closed)
    return Counters(
        issued=session.issued,
        answered=closed + still_open,
        void=void,
        counted=counted,
        plan_is_out=session.cursor >= session.handout_total,
    )


def _open(row: AnyRow) -> OpenImpression:
    return OpenImpression(*row[: len(_FIELDS)])


def _pair(row: AnyRow | OpenImpression) -> Pair:
    return min(row.i, row.j), max(row.i, row.j)


def _closable_repeats(
    rows: Sequence[AnyRow], folded: Fold, settings: Settings, at: float, uptimes: Sequence[Uptime]
) -> Fold:
    """Returns the fold of impressions that do not count, are final, and have nothing left to be compared with.

    A repeat stays open as long as a counting impression of its pair is: only together they show a contradiction.
    """
    done = {*folded.counted, *folded.void}
    waiting = {_pair(row) for row in rows if row.counts and row.sequence not in done}
    return fold([_open(row) for row in rows if not row.counts and _pair(row) not in waiting], settings, at, uptimes)


def _write(connection: Connection, session_id: str, epoch: int, folded: Fold, repeats: Fold) -> None:
    """Closes the impressions; only those that count enter the evidence."""
    closed = [(epoch, False, session_id, sequence) for sequence in (*folded.counted, *repeats.counted)]
    closed += [(epoch, True, session_id, sequence) for sequence in (*folded.void, *repeats.void)]
    _CLOSE.run(connection, closed)
    _ADD_EVIDENCE.run(connection, [(session_id, *row, epoch) for row in _tuples(folded.evidence)])


def _tuples(rows: EvidenceRows) -> Iterable[tuple[float, ...]]:
    counts = (rows.n, rows.s, rows.clicks_i, rows.clicks_j, rows.unanswered)
    return zip(rows.i, rows.j, rows.version, *counts, strict=True)


def _health_after(connection: Connection, session_id: str, health: str, rows: Sequence[AnyRow]) -> str:
    """Returns the session's health, with an entry more if an entry of the matrix was answered with two values."""
    entries = health_from_text(health)
    if any(entry.cause == _CONTRADICTION for entry in entries):
        return health
    seen: dict[Pair, float] = {(i, j): mean for i, j, mean in connection.execute(_MEANS, {"id": session_id})}
    for row in rows:
        if row.outcome is None:
            continue
        first = seen.setdefault(_pair(row), row.outcome)
        if abs(first - row.outcome) > SAME_VALUE:
            problem = f"items number {row.i} and {row.j} gave two values, {first:.10g} and {row.outcome:.10g}"
            advice = 'create the session with "model": "stochastic", or find out why the value changed'
            return health_to_text((*entries, Health(problem, _CONTRADICTION, advice)))
    return health
