"""The fold: what is countable moves from the open impressions into the evidence.

A reader finds what is ripe, apart from the writer; a short transaction then locks those rows, decides and counts. Its
price is that of the rows it folds, however many are open.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import Boolean, Connection, Select, and_, bindparam, case, func, not_, or_, select, update

from app.counting.rules import EvidenceRows, Fold, fold
from app.counting.signals_sql import FOLDED_COLUMNS, OPEN_OTHERS, Signals, signals_of
from app.counting.simple_sql import count_simple
from app.database.database import Timeline, now
from app.database.heartbeat import Heartbeat, uptime_periods
from app.database.statements import AnyRow, AsJsonList, BulkInsert, Given, IsOneOf, Prepared
from app.database.tables import evidence, impressions, sessions
from app.database.watch import ClockStep
from app.engine.problem import Model
from app.health import Health, from_plain, from_text, to_text
from app.impressions.feedback import StoredImpression
from app.sessions.model import Counters, Settings
from app.sessions.sql import locked_session, one_row
from app.wire.vocabulary import MissingFeedback

SAME_VALUE = 1e-9
"""Two values of one entry that differ by no more are one: the difference is rounding."""
_CONTRADICTION = "the values are not fixed numbers: they are measured with noise, or they have changed meanwhile"
"""Cause of the health entry; one entry of this cause is enough."""

RIPE_AT_MOST = 100_000
"""Impressions found ripe in one reading: their numbers are a few megabytes."""
FOLDED_AT_ONCE = 2_000
"""Impressions folded in one transaction, as many rows as a group commit may have: callers wait for it."""


def _as_list(sequences: Select[tuple[int]]) -> Prepared:
    return Prepared(select(AsJsonList(sequences.subquery("ripe").c.sequence).label("sequences")))


_FIELDS = tuple(StoredImpression.__dataclass_fields__)[:8]
"""Of an open impression; the others are written when feedback is late or the fold has passed."""
_MINE = (impressions.c.session_id == bindparam("id"), impressions.c.epoch.is_(None))
_OPEN = (  # for the deterministic model: repeats are compared with what is open, and what is open is little
    select(*(impressions.c[field] for field in _FIELDS), impressions.c["counts"])
    .where(*_MINE)
    .order_by(impressions.c.sequence)
    .with_for_update()
)
_GIVEN = Prepared(
    select(*(impressions.c[field] for field in _FIELDS), impressions.c["counts"])
    .where(*_MINE, IsOneOf(impressions.c.sequence, "sequences"))
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
_JUDGED = (  # one pass and no join: PostgreSQL knows too little of new tables to join them well
    select(
        impressions.c.sequence,
        not_(_IS_WAITING).label("is_final"),
        _IS_VOID_ANYWAY.label("is_void_anyway"),
        _FIRST_WAITING.label("first_waiting"),
    )
    .where(*_MINE, impressions.c.sequence.between(bindparam("first_waiting"), bindparam("last_final")))
    .subquery()
)
_RIPE_AMONG_WAITING = _as_list(
    select(_JUDGED.c.sequence)
    .where(
        _JUDGED.c.is_final,
        or_(
            _JUDGED.c.first_waiting.is_(None),
            _JUDGED.c.sequence < _JUDGED.c.first_waiting,
            _JUDGED.c.is_void_anyway,
        ),
    )
    .order_by(_JUDGED.c.sequence)
    .limit(bindparam("most"))
)
_RIPE_BEFORE = _as_list(  # what comes before all that waits cannot be held back by it
    select(impressions.c.sequence)
    .where(*_MINE, impressions.c.sequence < bindparam("first_waiting"))
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
        OPEN_OTHERS.label("open_others"),
        *FOLDED_COLUMNS,
    ).where(*_MINE)
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
    quiet_seconds: float = 0.0  # no open impression becomes final sooner, unless feedback comes


@dataclass(frozen=True)
class Ripe:
    """The impressions that a fold can count or give up, in issue order; and the result if it does nothing."""

    sequences: list[int]
    all_open: bool  # the deterministic model: the fold looks at everything that is open
    timeline: str  # of the database, when it was read
    at: float  # by the database's clock
    unchanged: FoldResult

    def parts(self) -> list["Ripe"]:
        """Returns the same in parts for one transaction each; what comes first in the order may count first."""
        if self.all_open:
            return [self]
        starts = range(0, len(self.sequences), FOLDED_AT_ONCE)
        return [replace(self, sequences=self.sequences[start : start + FOLDED_AT_ONCE]) for start in starts]


def read_ripe(connection: Connection, session_id: str) -> Ripe:
    """Returns the first impressions that can be counted or given up; raises SessionNotFound.

    They are final, and no earlier impression of their pair is still out. Both stay true whatever is written meanwhile:
    what is final remains so, and new impressions come later in the order. So this can be found out beforehand, by a
    reader, at the price of what is open; the writer then has to deal with these rows only.
    """
    session = one_row(connection, _SESSION, session_id)
    settings = Settings.from_text(session.settings)
    at = now(connection)
    given: dict[str, Given] = {
        "id": session_id,
        "latest": at - settings.final_after_seconds,
        "step": session.open_at_clock_step,
        "step_at": session.clock_step_at if settings.attribution_window_seconds == 0 else 0.0,  # windows: void at once
        "answer_is_final": settings.attribution_window_seconds == 0,
        "silence_is_void": settings.missing_feedback is MissingFeedback.VOID,
    }
    (seen,) = _OVERVIEW.named(connection, **given)
    last, first_waiting, oldest = seen.last_final, seen.first_waiting, seen.oldest_waiting
    sequences = [] if last is None else _ripe(connection, given, first_waiting or last + 1, last)
    quiet = 0.0 if oldest is None else oldest + settings.final_after_seconds - at
    answered = session.answered_closed + seen.answered
    unchanged = FoldResult(
        Counters(session.issued, answered, session.void, session.counted),
        plan_is_out=session.cursor >= session.handout_total,
        signals=signals_of(seen, session.issued, answered, at),
        shown_health=from_plain(json.loads(session.snapshot).get("health", ())),
        stored_health=from_text(session.health),
        quiet_seconds=quiet,
    )
    return Ripe(sequences, settings.model is Model.DETERMINISTIC, session.timeline, at, unchanged)


def _ripe(connection: Connection, given: Mapping[str, Given], first_waiting: int, last_final: int) -> list[int]:
    """Returns the sequences of what is ripe, in order.

    Answers come nearly in the order of issue: most of what is final comes before all that waits, and needs no search
    for what may hold it back. Nor does what waits behind all that is final hold anything back.
    """
    given = {**given, "first_waiting": first_waiting}
    ((before,),) = _RIPE_BEFORE.rows(connection, **given, most=RIPE_AT_MOST)
    ripe: list[int] = sorted(json.loads(before))
    if first_waiting < last_final and len(ripe) < RIPE_AT_MOST:
        most = RIPE_AT_MOST - len(ripe)
        ((among,),) = _RIPE_AMONG_WAITING.rows(connection, **given, last_final=last_final, most=most)
        ripe += sorted(json.loads(among))
    return ripe


def fold_part(connection: Connection, session_id: str, ripe: Ripe, heartbeat: Heartbeat) -> FoldResult | None:
    """Folds ripe impressions; returns None if they have to be read again. Raises SessionNotFound."""
    session = locked_session(connection, session_id)
    # After a failover, or if the clock was set, what was ripe may be open again.
    if session.timeline != ripe.timeline or session.now < ripe.at or not heartbeat.is_current(session.now):
        return None
    settings = Settings.from_text(session.settings)
    epoch = session.epoch + 1
    plain = count_simple(connection, session_id, settings, ripe.sequences, epoch)
    n_plain = sum(plain.n)
    rows: Sequence[AnyRow] = []
    if ripe.all_open:
        rows = connection.execute(_OPEN, {"id": session_id}).all()
    elif n_plain < len(ripe.sequences):  # the others: they are still open, and have to be looked at
        rows = _GIVEN.named(connection, id=session_id, sequences=ripe.sequences)
    at = now(connection)  # after the locks: answers that are on their way wait behind them and will be late
    heartbeat.beat(connection, at)
    counting = [_open(row) for row in rows if row.counts]
    uptimes = uptime_periods(connection, min(row.issued_at for row in rows)) if rows else []
    step = ClockStep(session.open_at_clock_step, session.clock_step_at)
    rules = partial(fold, settings=settings, now=at, uptimes=uptimes, step=step)
    folded = rules(counting)
    repeats = _closable_repeats(rows, folded, rules)
    answered = {row.sequence for row in rows if row.counts and row.outcome is not None}
    newly_closed = len(answered.intersection(folded.counted + folded.void))
    counted, void = session.counted + n_plain + len(folded.counted), session.void + len(folded.void)
    if n_plain or folded.counted or folded.void or repeats.counted or repeats.void:
        health = session.health
        if settings.model is Model.DETERMINISTIC:
            # Before the evidence is added to: a mean of two different values would hide both.
            health = _health_after(connection, session_id, session.health, rows)
        _write(connection, session_id, epoch, plain, folded, repeats)
        connection.execute(
            _UPDATE_SESSION,
            {"session": session_id, "epoch": epoch, "void": void, "counted": counted,
             "answered_closed": session.answered_closed + n_plain + newly_closed, "health": health},
        )  # fmt: skip
    # Answered is a sum over closed and open impressions, so moving some from open to closed does not change it. The
    # same holds for the signals.
    seen = ripe.unchanged
    return replace(
        seen,
        counters=Counters(session.issued, seen.counters.answered, void, counted),
        plan_is_out=session.cursor >= session.handout_total,
        stored_health=from_text(session.health),
        quiet_seconds=0.0,
    )


def _open(row: AnyRow) -> StoredImpression:
    return StoredImpression(*row[: len(_FIELDS)])


def _pair(row: AnyRow | StoredImpression) -> Pair:
    return min(row.i, row.j), max(row.i, row.j)


def _closable_repeats(rows: Sequence[AnyRow], folded: Fold, rules: Callable[[list[StoredImpression]], Fold]) -> Fold:
    """Returns the fold of impressions that do not count, are final, and have nothing left to be compared with.

    A repeat stays open as long as a counting impression of its pair is: only together they show a contradiction.
    """
    done = {*folded.counted, *folded.void}
    waiting = {_pair(row) for row in rows if row.counts and row.sequence not in done}
    return rules([_open(row) for row in rows if not row.counts and _pair(row) not in waiting])


def _write(
    connection: Connection, session_id: str, epoch: int, plain: EvidenceRows, folded: Fold, repeats: Fold
) -> None:
    """Closes the impressions that were looked at; only those that count enter the evidence."""
    for is_void, sequences in ((False, folded.counted + repeats.counted), (True, folded.void + repeats.void)):
        if sequences:
            _CLOSE.run(connection, id=session_id, sequences=sequences, new_epoch=epoch, is_void=is_void)
    for counts in (plain, folded.evidence):  # apart: one statement must not meet a cell twice
        _ADD_EVIDENCE.run(connection, [(session_id, *row, epoch) for row in _tuples(counts)])


def _tuples(rows: EvidenceRows) -> Iterable[tuple[float, ...]]:
    counts = (rows.n, rows.s, rows.clicks_i, rows.clicks_j, rows.unanswered)
    return zip(rows.i, rows.j, rows.version, *counts, strict=True)


def _health_after(connection: Connection, session_id: str, health: str, rows: Sequence[AnyRow]) -> str:
    """Returns the session's health, with an entry more if an entry of the matrix was answered with two values."""
    entries = from_text(health)
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
            return to_text((*entries, Health(problem, _CONTRADICTION, advice)))
    return health
