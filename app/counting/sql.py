"""The fold: moves impressions that are final from the open impressions into the evidence.

A read, outside the writer, finds the impressions that can be folded. A short transaction then locks these rows, decides
and counts. Its cost depends on the rows that it folds, not on the number of open impressions.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import Boolean, Connection, Select, and_, bindparam, case, func, not_, or_, select, update

from app.counting.rules import EvidenceRows, Fold, fold
from app.counting.signals_sql import FOLDED_COLUMNS, OPEN_NON_CLICKS, Signals, signals_of
from app.counting.simple_sql import count_simple
from app.database.database import Timeline, now
from app.database.heartbeat import Heartbeat, uptime_periods
from app.database.statements import AnyRow, AsJsonList, BulkInsert, IsOneOf, ParameterValue, Prepared
from app.database.store import Store
from app.database.tables import evidence, impressions, sessions
from app.database.watch import ClockStep
from app.engine.problem import Model
from app.health import Health, from_plain, from_text, to_text
from app.impressions.feedback import StoredImpression
from app.sessions.model import Counters, Settings
from app.sessions.sql import locked_session, one_row
from app.wire.vocabulary import MissingFeedback

SAME_VALUE = 1e-9
"""Two values of one entry that differ by at most this are taken as equal: the difference is rounding."""
_CONTRADICTION = "the values are not fixed numbers: they are measured with noise, or they have changed meanwhile"
"""Cause of the health entry; a session gets at most one entry with this cause."""

MAX_FOLDABLE = 100_000
"""Maximum number of impressions that one read returns; their sequence numbers take a few megabytes."""
FOLDED_AT_ONCE = 2_000
"""Maximum number of impressions that one transaction folds: the row limit of a group commit, because group commits wait
while this transaction runs."""
_FOLD_TRIES = 3


def _as_list(sequences: Select[tuple[int]]) -> Prepared:
    return Prepared(select(AsJsonList(sequences.subquery("foldable").c.sequence).label("sequences")))


_FIELDS = tuple(StoredImpression.__dataclass_fields__)[:8]
"""Fields of an open impression; the others are set by late feedback or by the fold."""
_OPEN_OF_SESSION = (impressions.c.session_id == bindparam("id"), impressions.c.epoch.is_(None))
_ALL_OPEN = (  # for the deterministic model: repeats are compared with all open impressions, which are few
    select(*(impressions.c[field] for field in _FIELDS), impressions.c["counts"])
    .where(*_OPEN_OF_SESSION)
    .order_by(impressions.c.sequence)
    .with_for_update()
)
_LISTED = Prepared(
    select(*(impressions.c[field] for field in _FIELDS), impressions.c["counts"])
    .where(*_OPEN_OF_SESSION, IsOneOf(impressions.c.sequence, "sequences"))
    .order_by(impressions.c.sequence)
    .with_for_update()
)
_ANSWER_IS_FINAL = and_(bindparam("answer_is_final", type_=Boolean()), impressions.c.outcome.is_not(None))
_IS_WAITING = and_(
    case((impressions.c.sequence <= bindparam("step"), bindparam("step_at")), else_=impressions.c.issued_at)
    > bindparam("latest"),
    not_(impressions.c.not_shown),
    not_(_ANSWER_IS_FINAL),
)
_IS_VOID_ANYWAY = or_(
    impressions.c.not_shown, and_(bindparam("silence_is_void", type_=Boolean()), impressions.c.outcome.is_(None))
)
_LOW = case((impressions.c.i < impressions.c.j, impressions.c.i), else_=impressions.c.j)
_HIGH = case((impressions.c.i < impressions.c.j, impressions.c.j), else_=impressions.c.i)
_FIRST_WAITING = func.min(case((_IS_WAITING, impressions.c.sequence))).over(partition_by=(_LOW, _HIGH))
_CANDIDATES = (  # one pass and no join: PostgreSQL has no statistics of new tables, and would plan a join badly
    select(
        impressions.c.sequence,
        not_(_IS_WAITING).label("is_final"),
        _IS_VOID_ANYWAY.label("is_void_anyway"),
        _FIRST_WAITING.label("first_waiting"),
    )
    .where(*_OPEN_OF_SESSION, impressions.c.sequence.between(bindparam("first_waiting"), bindparam("last_final")))
    .subquery()
)
_FOLDABLE_AMONG_WAITING = _as_list(
    select(_CANDIDATES.c.sequence)
    .where(
        _CANDIDATES.c.is_final,
        or_(
            _CANDIDATES.c.first_waiting.is_(None),
            _CANDIDATES.c.sequence < _CANDIDATES.c.first_waiting,
            _CANDIDATES.c.is_void_anyway,
        ),
    )
    .order_by(_CANDIDATES.c.sequence)
    .limit(bindparam("most"))
)
_FOLDABLE_BEFORE = _as_list(  # impressions before the first one that is not final: nothing blocks them
    select(impressions.c.sequence)
    .where(*_OPEN_OF_SESSION, impressions.c.sequence < bindparam("first_waiting"))
    .order_by(impressions.c.sequence)
    .limit(bindparam("most"))
)
_OVERVIEW = Prepared(
    select(
        func.count(case((impressions.c["counts"], impressions.c.outcome))).label("answered"),
        func.max(case((not_(_IS_WAITING), impressions.c.sequence))).label("last_final"),
        func.min(case((_IS_WAITING, impressions.c.sequence))).label("first_waiting"),
        func.min(case((_IS_WAITING, impressions.c.issued_at))).label("oldest_waiting"),
        func.min(impressions.c.issued_at).label("oldest"),
        OPEN_NON_CLICKS.label("open_non_clicks"),
        *FOLDED_COLUMNS,
    ).where(*_OPEN_OF_SESSION)
)
_SESSION = select(sessions, Timeline().label("timeline")).where(sessions.c.id == bindparam("id"))
_MEANS = (
    select(evidence.c.i, evidence.c.j, 1.0 - func.sum(evidence.c.s) / func.sum(evidence.c.n))
    .where(evidence.c.session_id == bindparam("id"), evidence.c.n > 0)
    .group_by(evidence.c.i, evidence.c.j)
)
_CLOSE = Prepared(
    update(impressions)
    .where(impressions.c.session_id == bindparam("id"), IsOneOf(impressions.c.sequence, "sequences"))
    .values(epoch=bindparam("new_epoch"), void=bindparam("is_void"))
)
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


@dataclass(frozen=True)
class FoldResult:
    """The session after a fold, as far as the planner needs it."""

    counters: Counters
    plan_is_out: bool  # every position of the current plan has been handed out at least once
    signals: Signals
    shown_health: tuple[Health, ...]  # the entries of the stored snapshot
    stored_health: tuple[Health, ...]  # the entries stored with the session, which the snapshot should have
    quiet_seconds: float = 0.0  # no open impression becomes final in this time, unless feedback arrives


@dataclass(frozen=True)
class Foldable:
    """The impressions that a fold can count or make void, in issue order; and its result if it changes nothing."""

    sequences: list[int]
    all_open: bool  # the deterministic model: the fold reads all open impressions
    timeline: str  # of the database, when the impressions were read
    at: float  # when they were read, by the database's clock
    unchanged: FoldResult

    def parts(self) -> list["Foldable"]:
        """Returns the same impressions in parts, one for each transaction, in issue order."""
        if self.all_open:
            return [self]
        starts = range(0, len(self.sequences), FOLDED_AT_ONCE)
        return [replace(self, sequences=self.sequences[start : start + FOLDED_AT_ONCE]) for start in starts]


async def fold_session(store: Store, session_id: str) -> FoldResult:
    """Folds a session in short transactions and returns its state after the last one; raises SessionNotFound.

    In the deterministic model, two different values for one entry add a health entry, which suspends the session.
    """
    for _ in range(_FOLD_TRIES):
        foldable = await store.read(read_foldable, session_id)
        result: FoldResult | None = foldable.unchanged
        for part in foldable.parts():
            result = await store.write(fold_part, session_id, part, store.heartbeat)
            if result is None:
                await store.write(store.maintain)  # a failover or a clock step: handle it, and read again
                break
        if result is not None:
            return result
    return foldable.unchanged  # the next fold tries again


def read_foldable(connection: Connection, session_id: str) -> Foldable:
    """Returns the first impressions that can be counted or made void; raises SessionNotFound.

    Each of them is final. If it is not void, all earlier impressions of its pair are final too. Both facts remain true
    until the fold: a final impression stays final, and new impressions come later in issue order. So a read can find
    them before the writer's transaction, at a cost that grows with the number of open impressions, and the writer locks
    only these rows.
    """
    session = one_row(connection, _SESSION, session_id)
    settings = Settings.from_text(session.settings)
    at = now(connection)
    parameters: dict[str, ParameterValue] = {
        "id": session_id,
        "latest": at - settings.final_after_seconds,
        "step": session.open_at_clock_step,
        # With a window, impressions that were open when the clock was set are final (and void) at once: hence 0.
        "step_at": session.clock_step_at if settings.attribution_window_seconds == 0 else 0.0,
        "answer_is_final": settings.attribution_window_seconds == 0,
        "silence_is_void": settings.missing_feedback is MissingFeedback.VOID,
    }
    (overview,) = _OVERVIEW.named(connection, **parameters)
    last, first_waiting, oldest = overview.last_final, overview.first_waiting, overview.oldest_waiting
    sequences = [] if last is None else _foldable_sequences(connection, parameters, first_waiting or last + 1, last)
    quiet = 0.0 if oldest is None else oldest + settings.final_after_seconds - at
    answered = session.answered_closed + overview.answered
    unchanged = FoldResult(
        Counters(session.issued, answered, session.void, session.counted),
        plan_is_out=session.cursor >= session.handout_total,
        signals=signals_of(overview, session.issued, answered, at),
        shown_health=from_plain(json.loads(session.snapshot).get("health", ())),
        stored_health=from_text(session.health),
        quiet_seconds=quiet,
    )
    return Foldable(sequences, settings.model is Model.DETERMINISTIC, session.timeline, at, unchanged)


def _foldable_sequences(
    connection: Connection, parameters: Mapping[str, ParameterValue], first_waiting: int, last_final: int
) -> list[int]:
    """Returns the sequences of the impressions that can be folded, in order.

    Answers come nearly in issue order, so most final impressions come before the first waiting one, and nothing blocks
    them. Only final impressions between the first waiting and the last final one need the costlier second statement.
    """
    parameters = {**parameters, "first_waiting": first_waiting}
    ((before,),) = _FOLDABLE_BEFORE.rows(connection, **parameters, most=MAX_FOLDABLE)
    sequences: list[int] = sorted(json.loads(before))
    if first_waiting < last_final and len(sequences) < MAX_FOLDABLE:
        most = MAX_FOLDABLE - len(sequences)
        ((among,),) = _FOLDABLE_AMONG_WAITING.rows(connection, **parameters, last_final=last_final, most=most)
        sequences += sorted(json.loads(among))
    return sequences


def fold_part(connection: Connection, session_id: str, foldable: Foldable, heartbeat: Heartbeat) -> FoldResult | None:
    """Folds these impressions; returns None if they have to be read again. Raises SessionNotFound."""
    session = locked_session(connection, session_id)
    # After a failover, or if the clock was set, these impressions may not be final any more.
    if session.timeline != foldable.timeline or session.now < foldable.at or not heartbeat.is_current(session.now):
        return None
    settings = Settings.from_text(session.settings)
    epoch = session.epoch + 1
    simple = count_simple(connection, session_id, settings, foldable.sequences, epoch)
    n_simple = sum(simple.n)
    rows: Sequence[AnyRow] = []
    if foldable.all_open:
        rows = connection.execute(_ALL_OPEN, {"id": session_id}).all()
    elif n_simple < len(foldable.sequences):  # the others are still open, and `rules` decides about them
        rows = _LISTED.named(connection, id=session_id, sequences=foldable.sequences)
    at = now(connection)  # after the locks: feedback that arrives now waits for them, and is late
    heartbeat.beat(connection, at)
    counting = [_impression(row) for row in rows if row.counts]
    uptimes = uptime_periods(connection, min(row.issued_at for row in rows)) if rows else []
    step = ClockStep(session.open_at_clock_step, session.clock_step_at)
    rules = partial(fold, settings=settings, now=at, uptimes=uptimes, step=step)
    folded = rules(counting)
    repeats = _closable_repeats(rows, folded, rules)
    answered = {row.sequence for row in rows if row.counts and row.outcome is not None}
    newly_closed = len(answered.intersection(folded.counted + folded.void))
    counted, void = session.counted + n_simple + len(folded.counted), session.void + len(folded.void)
    if n_simple or folded.counted or folded.void or repeats.counted or repeats.void:
        health = session.health
        if settings.model is Model.DETERMINISTIC:
            # Before the evidence changes: the mean of two different values would hide both.
            health = _health_after(connection, session_id, session.health, rows)
        _write(connection, session_id, epoch, simple, folded, repeats)
        connection.execute(
            _UPDATE_SESSION,
            {"session": session_id, "epoch": epoch, "void": void, "counted": counted,
             "answered_closed": session.answered_closed + n_simple + newly_closed, "health": health},
        )  # fmt: skip
    # `answered` is a sum over closed and open impressions, so it does not change when some of them are closed. The same
    # holds for the signals.
    before = foldable.unchanged
    return replace(
        before,
        counters=Counters(session.issued, before.counters.answered, void, counted),
        plan_is_out=session.cursor >= session.handout_total,
        stored_health=from_text(session.health),
        quiet_seconds=0.0,
    )


def _impression(row: AnyRow) -> StoredImpression:
    return StoredImpression(*row[: len(_FIELDS)])


def _pair(row: AnyRow | StoredImpression) -> Pair:
    return min(row.i, row.j), max(row.i, row.j)


def _closable_repeats(rows: Sequence[AnyRow], folded: Fold, rules: Callable[[list[StoredImpression]], Fold]) -> Fold:
    """Returns the fold of repeats (impressions that do not count) that are final and no longer needed for comparison.

    A repeat stays open while an impression of its pair that counts is open: their values are compared.
    """
    done = {*folded.counted, *folded.void}
    waiting = {_pair(row) for row in rows if row.counts and row.sequence not in done}
    return rules([_impression(row) for row in rows if not row.counts and _pair(row) not in waiting])


def _write(
    connection: Connection, session_id: str, epoch: int, simple: EvidenceRows, folded: Fold, repeats: Fold
) -> None:
    """Closes the impressions of both folds, and adds the counts to the evidence; repeats are not counted."""
    for is_void, sequences in ((False, folded.counted + repeats.counted), (True, folded.void + repeats.void)):
        if sequences:
            _CLOSE.run(connection, id=session_id, sequences=sequences, new_epoch=epoch, is_void=is_void)
    for counts in (simple, folded.evidence):  # separately: ON CONFLICT allows each key once in a statement
        _ADD_EVIDENCE.run(connection, [(session_id, *row, epoch) for row in _tuples(counts)])


def _tuples(rows: EvidenceRows) -> Iterable[tuple[float, ...]]:
    counts = (rows.n, rows.s, rows.clicks_i, rows.clicks_j, rows.unanswered)
    return zip(rows.i, rows.j, rows.version, *counts, strict=True)


def _health_after(connection: Connection, session_id: str, health: str, rows: Sequence[AnyRow]) -> str:
    """Returns the session's health; with another entry if a pair was answered with two different values."""
    entries = from_text(health)
    if any(entry.cause == _CONTRADICTION for entry in entries):
        return health
    values: dict[Pair, float] = {(i, j): mean for i, j, mean in connection.execute(_MEANS, {"id": session_id})}
    for row in rows:
        if row.outcome is None:
            continue
        first = values.setdefault(_pair(row), row.outcome)
        if abs(first - row.outcome) > SAME_VALUE:
            problem = f"items number {row.i} and {row.j} got two values, {first:.10g} and {row.outcome:.10g}"
            advice = 'create the session with "model": "stochastic", or find out why the value changed'
            return to_text((*entries, Health(problem, _CONTRADICTION, advice)))
    return health
