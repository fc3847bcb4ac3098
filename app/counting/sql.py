"""The fold: moves the watermark of a session, and adds the impressions that it passes to the evidence.

A read, outside the writer, finds how far the watermark can move, and counts. The rows up to there are final: answered
ones do not change any more. Only those without an answer may still get one. A short transaction marks them as given up;
if one was answered meanwhile, it changes nothing, and the rows are read again. So feedback is counted, or reported as
late, and never accepted and left out. With a window, the transaction also reads and counts: whether a process was able
to take feedback up to the end of a window is known only after a heartbeat, which it writes.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import add

from sqlalchemy import Boolean, Connection, and_, bindparam, case, func, not_, or_, select, update

from app.counting.chain import chain_start
from app.counting.contradictions_sql import add_contradiction, find_contradiction
from app.counting.delays import Delays
from app.counting.rules import Cell, EvidenceRows, Fold, fold, rows_of
from app.counting.signals_sql import FOLDED_COLUMNS, OPEN_NON_CLICKS, Signals, signals_of
from app.database.database import Timeline, now
from app.database.heartbeat import Heartbeat, Uptime, uptime_periods
from app.database.statements import BulkInsert, IsOneOf, ParameterValue, Prepared
from app.database.store import Store
from app.database.tables import evidence, impressions, sessions
from app.database.watch import ClockStep
from app.health import Health, from_plain, from_text
from app.impressions.feedback import StoredImpression
from app.impressions.handout_order import is_out
from app.sessions.model import Counters, Settings
from app.sessions.sql import locked_session, one_row
from app.wire.vocabulary import MissingFeedback

FOLDED_AT_ONCE = 2_000
"""Maximum number of impressions that one transaction folds: the row limit of a group commit, because group commits wait
while this transaction runs."""
_FOLD_TRIES = 3

_FIELDS = StoredImpression._fields[: StoredImpression._fields.index("late_outcome")]
_OF_SESSION = impressions.c.session_id == bindparam("id")
_ABOVE = (_OF_SESSION, impressions.c.sequence > bindparam("watermark"))
IS_UNANSWERED = and_(
    impressions.c["counts"],
    impressions.c.outcome.is_(None),
    not_(impressions.c.not_shown),
    not_(impressions.c.given_up),
)
"""Impressions that count and may still be answered; those whose time is over are among them until a fold passes."""

_ANSWER_IS_FINAL = and_(bindparam("answer_is_final", type_=Boolean()), impressions.c.outcome.is_not(None))
_IS_WAITING = and_(  # the same as `not rules._is_final`; a test compares them
    impressions.c["counts"],
    case((impressions.c.sequence <= bindparam("step"), bindparam("step_at")), else_=impressions.c.issued_at)
    > bindparam("latest"),
    not_(impressions.c.not_shown),
    not_(impressions.c.void),
    not_(impressions.c.given_up),
    not_(_ANSWER_IS_FINAL),
)
_OVERVIEW = Prepared(  # one pass over the impressions above the watermark
    select(
        func.count(case((impressions.c["counts"], impressions.c.outcome))).label("answered"),
        func.count(case((IS_UNANSWERED, 1))).label("unanswered"),
        func.max(impressions.c.sequence).label("last"),
        func.min(case((_IS_WAITING, impressions.c.sequence))).label("first_waiting"),
        func.min(case((_IS_WAITING, impressions.c.issued_at))).label("oldest_waiting"),
        func.min(case((impressions.c["counts"], impressions.c.issued_at))).label("oldest"),
        OPEN_NON_CLICKS.label("open_non_clicks"),
        *FOLDED_COLUMNS,
    ).where(*_ABOVE)
)
_SESSION = select(sessions, Timeline().label("timeline")).where(sessions.c.id == bindparam("id"))
_RANGE = Prepared(
    select(*(impressions.c[field] for field in _FIELDS))
    .where(*_ABOVE, impressions.c.sequence <= bindparam("last"))
    .order_by(impressions.c.sequence)
    .limit(FOLDED_AT_ONCE)
)
_SILENT = (  # locked in issue order, as feedback does; checked again after the lock
    select(impressions.c.sequence)
    .where(_OF_SESSION, IsOneOf(impressions.c.sequence, "sequences"), IS_UNANSWERED)
    .order_by(impressions.c.sequence)
    .with_for_update()
)
_GIVE_UP = Prepared(  # a subquery, not a CTE: for a statement that starts with WITH, sqlite3 reports no row count
    update(impressions)
    .where(_OF_SESSION, impressions.c.sequence.in_(_SILENT))
    .values(given_up=True, void=or_(impressions.c.void, bindparam("silence_is_void", type_=Boolean())))
)
_LOCK = Prepared(
    select(impressions.c.sequence)
    .where(_OF_SESSION, IsOneOf(impressions.c.sequence, "sequences"))
    .order_by(impressions.c.sequence)
    .with_for_update()
)
_MAKE_VOID = Prepared(
    update(impressions).where(_OF_SESSION, IsOneOf(impressions.c.sequence, "sequences")).values(void=True)
)
_ADD_EVIDENCE = BulkInsert(
    evidence,
    ["session_id", "i", "j", "version", "n", "s", "clicks_i", "clicks_j", "unanswered"],
    "ON CONFLICT (session_id, i, j, version) DO UPDATE SET n = evidence.n + excluded.n, s = evidence.s + excluded.s,"
    " clicks_i = evidence.clicks_i + excluded.clicks_i, clicks_j = evidence.clicks_j + excluded.clicks_j,"
    " unanswered = evidence.unanswered + excluded.unanswered",
)
_UPDATE_SESSION = (
    update(sessions)
    .where(sessions.c.id == bindparam("session"))
    .values({name: bindparam(name) for name in ("watermark", "digest", "delays", "void", "counted", "answered_closed")})
)
_KNOWN = Prepared(  # by pair in the order shown: sorting the two items of every impression in SQL would cost more
    select(
        *(impressions.c[name] for name in ("i", "j", "plan_version")),
        func.count().label("n"),
        func.sum(impressions.c.outcome).label("rewards"),
        func.sum(impressions.c.clicked.op("&")(1)).label("clicks_first"),  # NULL without item-level feedback
        func.sum(impressions.c.clicked.op(">>")(1)).label("clicks_second"),
    )
    .where(*_ABOVE, impressions.c["counts"], impressions.c.outcome.is_not(None))
    .group_by(impressions.c.i, impressions.c.j, impressions.c.plan_version)
)


@dataclass(frozen=True)
class FoldResult:
    """The session after a fold, as far as the planner needs it."""

    counters: Counters
    known: int  # answers that plans may use: those in the evidence, and those above the watermark that have arrived
    unanswered: int  # impressions that may still be answered
    watermark: int
    plan_version: int
    plan_is_out: bool  # the plan of this version was handed out as often as `times_handed_out` says
    signals: Signals
    shown_health: tuple[Health, ...]  # the entries of the stored snapshot
    stored_health: tuple[Health, ...]  # the entries stored with the session, which the snapshot should have
    quiet_seconds: float = 0.0  # no open impression becomes final in this time, unless feedback arrives


@dataclass(frozen=True)
class Overview:
    """How far the watermark of a session can move, and the session before it does."""

    settings: Settings
    timeline: str  # of the database, when the impressions were read
    at: float  # impressions that are final at this time, by the database's clock, can be passed
    step: ClockStep
    last: int  # the watermark can move to this sequence
    contradiction: Health | None  # two values of one entry, in the deterministic model
    unchanged: FoldResult  # the result if nothing more is folded

    @property
    def has_window(self) -> bool:
        """Whether clicks are attributed to impressions within a window."""
        return self.settings.attribution_window_seconds > 0


@dataclass(frozen=True)
class Part:
    """The fold of some impressions, to be stored if the session is still as it was read."""

    watermark: int  # before
    fold: Fold


async def fold_session(store: Store, session_id: str) -> FoldResult:
    """Folds a session in short transactions and returns its state after the last one; raises SessionNotFound.

    In the deterministic model, two different values for one entry add a health entry, which suspends the session.
    """
    for _ in range(_FOLD_TRIES):
        overview = await store.read(read_overview, session_id)
        result: FoldResult | None = overview.unchanged
        if overview.contradiction is not None:
            entries = await store.write(add_contradiction, session_id, overview.contradiction)
            result = replace(overview.unchanged, stored_health=entries)
        while result is not None and result.watermark < overview.last:
            part = None if overview.has_window else await store.read(read_part, session_id, overview)
            result = await store.write(store_part, session_id, overview, part, store.heartbeat)
            overview = overview if result is None else replace(overview, unchanged=result)
        if result is not None:
            return result
        await store.write(store.maintain)  # a failover, a clock step, or an answer at the last moment: read again
    return overview.unchanged  # the next fold tries again


def read_overview(connection: Connection, session_id: str) -> Overview:
    """Returns how far the watermark can move; raises SessionNotFound.

    A final impression stays final, and new impressions come later in issue order. So the rows up to there can be read
    before the writer's transaction, at a cost that grows with the number of impressions above the watermark.
    """
    session = one_row(connection, _SESSION, session_id)
    settings = Settings.from_text(session.settings)
    window = settings.attribution_window_seconds > 0
    at = now(connection)
    step = ClockStep(session.open_at_clock_step, session.clock_step_at)
    parameters: dict[str, ParameterValue] = {
        "id": session_id,
        "watermark": session.watermark,
        "latest": at - settings.final_after_seconds,
        "step": step.sequence,
        # With a window, impressions that were open when the clock was set are final (and void) at once: hence 0.
        "step_at": 0.0 if window else step.at,
        "answer_is_final": not window,
    }
    (seen,) = _OVERVIEW.named(connection, **parameters)
    last = session.watermark if seen.last is None else seen.last
    answered = session.answered_closed + seen.answered
    oldest = seen.oldest_waiting
    unchanged = FoldResult(
        Counters(session.issued, answered, session.void, session.counted),
        known=_known(settings, session.counted, seen.answered),
        unanswered=seen.unanswered,
        watermark=session.watermark,
        plan_version=session.plan_version,
        plan_is_out=is_out(settings, session.cursor, session.handout_total),
        signals=signals_of(seen, session.delays, session.issued, answered, at),
        shown_health=from_plain(json.loads(session.snapshot).get("health", ())),
        stored_health=from_text(session.health),
        quiet_seconds=0.0 if oldest is None else oldest + settings.final_after_seconds - at,
    )
    return Overview(
        settings,
        session.timeline,
        at,
        step,
        last=last if seen.first_waiting is None else seen.first_waiting - 1,
        contradiction=find_contradiction(connection, session_id, settings, unchanged.stored_health),
        unchanged=unchanged,
    )


def read_part(connection: Connection, session_id: str, overview: Overview) -> Part:
    """Returns the fold of the next impressions, at most `FOLDED_AT_ONCE`; raises SessionNotFound."""
    session = one_row(connection, _SESSION, session_id)
    rows = _RANGE.rows(connection, id=session_id, watermark=session.watermark, last=overview.last)
    found = [StoredImpression(*row) for row in rows]
    uptimes: Sequence[Uptime] = []
    if found and overview.has_window:  # not since the first one: the clock may have been set back after it
        uptimes = uptime_periods(connection, min(each.issued_at for each in found))
    digest = bytes.fromhex(session.digest) if session.digest else chain_start(session_id)
    start = (session.watermark, digest)
    return Part(session.watermark, fold(found, overview.settings, overview.at, uptimes, start, overview.step))


def store_part(
    connection: Connection, session_id: str, overview: Overview, part: Part | None, heartbeat: Heartbeat
) -> FoldResult | None:
    """Moves the watermark; returns None if the rows have to be read again. Raises SessionNotFound."""
    session = locked_session(connection, session_id)
    step = ClockStep(session.open_at_clock_step, session.clock_step_at)
    # After a failover, or if the clock was set, these impressions may not be final any more.
    same = (session.timeline, step) == (overview.timeline, overview.step)
    if not same or session.now < overview.at or not heartbeat.is_current(session.now):
        return None
    if part is None:
        heartbeat.beat(connection, session.now)
        part = read_part(connection, session_id, overview)
    new = part.fold
    # Another fold was faster, or the impressions are gone: the session is being deleted.
    if part.watermark != session.watermark or new.watermark == part.watermark:
        return None
    if not _give_up(connection, session_id, overview.settings, new):
        return None
    _ADD_EVIDENCE.run(connection, [(session_id, *row) for row in _tuples(new.evidence)])
    void, counted = session.void + new.n_void, session.counted + new.n_counted
    answered_closed = session.answered_closed + new.n_answered
    connection.execute(
        _UPDATE_SESSION,
        {"session": session_id, "watermark": new.watermark, "digest": new.digest.hex(),
         "delays": _delays(session.delays, overview.settings, new), "void": void, "counted": counted,
         "answered_closed": answered_closed},
    )  # fmt: skip
    # The number of answered impressions is a sum over both sides of the watermark, as are the signals: they do not
    # change when it moves.
    before = overview.unchanged
    return replace(
        before,
        counters=Counters(session.issued, before.counters.answered, void, counted),
        known=_known(overview.settings, counted, before.counters.answered - answered_closed),
        unanswered=before.unanswered - len(new.given_up),
        watermark=new.watermark,
        plan_version=session.plan_version,
        plan_is_out=is_out(overview.settings, session.cursor, session.handout_total),
        stored_health=from_text(session.health),
        quiet_seconds=0.0,
    )


def _known(settings: Settings, counted: int, answered_above: int) -> int:
    """Returns the number of answers that plans may use; where silence is an outcome, those that are counted."""
    return counted + (answered_above if settings.missing_feedback is MissingFeedback.VOID else 0)


def _give_up(connection: Connection, session_id: str, settings: Settings, new: Fold) -> bool:
    """Marks impressions as given up and as void; returns False if one of those without an answer has one now.

    The marks of the others stay in any case: their time is over, whether or not the watermark moves.
    """
    silence_is_void = settings.missing_feedback is MissingFeedback.VOID
    others = new.void if not silence_is_void else sorted({*new.void}.difference(new.given_up))
    if others:  # after an outage: two statements follow, and feedback locks in issue order too
        _LOCK.rows(connection, id=session_id, sequences=sorted({*new.given_up, *others}))
    if new.given_up:
        marked = _GIVE_UP.run(connection, id=session_id, sequences=new.given_up, silence_is_void=silence_is_void)
        if marked.rowcount != len(new.given_up):
            return False
    if others:
        _MAKE_VOID.run(connection, id=session_id, sequences=others)
    return True


def _delays(stored: str, settings: Settings, new: Fold) -> str:
    """Returns the stored delays with those of the fold; unchanged where no advice on the time to live can be given."""
    if not settings.reports_all_outcomes or settings.attribution_window_seconds > 0:
        return stored
    seconds = [*new.click_delays, *new.other_delays]
    clicked = [1.0] * len(new.click_delays) + [0.0] * len(new.other_delays)
    added = Delays.from_text(stored).add(seconds, clicked, settings.ticket_ttl_seconds, len(new.given_up))
    return added.to_text()


def read_known(connection: Connection, session_id: str, watermark: int, settings: Settings) -> EvidenceRows:
    """Returns the answers above the watermark that have arrived.

    Where missing feedback means "no click", only clicks arrive, and nothing is known until the window closes.
    """
    if settings.missing_feedback is not MissingFeedback.VOID:
        return EvidenceRows()
    sums: dict[Cell, list[float]] = {}
    for i, j, version, n, rewards, first, second in _KNOWN.rows(connection, id=session_id, watermark=watermark):
        clicks = (first or 0, second or 0)
        cell = (i, j, version)
        if i > j:
            cell, clicks = (j, i, version), clicks[::-1]
        sums[cell] = list(map(add, sums.get(cell, (0, 0.0, 0, 0, 0)), (n, n - rewards, *clicks, 0)))
    return rows_of(sums)


def _tuples(rows: EvidenceRows) -> Iterable[tuple[float, ...]]:
    counts = (rows.n, rows.s, rows.clicks_i, rows.clicks_j, rows.unanswered)
    return zip(rows.i, rows.j, rows.version, *counts, strict=True)
