"""What every store must tell of a session for its notes. The same tests on SQLite and on PostgreSQL."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from app.counting.delays import NO_DELAYS, Delays
from app.counting.signals_sql import Signals
from app.engine.problem import Model
from app.health import Health
from app.impressions.feedback import FeedbackStatus
from app.planning.plan import LateRows, Planned
from app.planning.sql import add_plan
from app.sessions.model import Snapshot
from app.wire.vocabulary import FeedbackKind, MissingFeedback
from tests.examples import a_session, execute, feedback, issue, let_time_pass, plan, reward, snapshot
from tests.store import SessionStore

MANY = ((0, 1, 200), (0, 2, 200), (1, 2, 200))


async def signals_of(store: SessionStore, session: str) -> Signals:
    """Returns what all three readers agree on: for a snapshot, for a plan, and of the last fold."""
    said, planning = (await store.report(session)).signals, (await store.planning_input(session)).signals
    folded = (await store.fold_result(session)).signals
    assert said == planning == folded
    assert (await store.report(session)).signals == said, "folding changes none of it"
    return said


async def test_clicks_are_clicks_before_and_after_they_are_folded(store: SessionStore) -> None:
    session = await a_session(store, demand=MANY)
    assert await signals_of(store, session) == Signals(issued=0, answered=0, only_clicks=True)
    given = await issue(store, session, 30)
    await store.answer(session, [reward(one, 1) for one in given[::2]])
    assert await signals_of(store, session) == Signals(issued=30, answered=15, only_clicks=True)
    await store.answer(session, [reward(given[1], 0)])
    assert (await store.report(session)).signals == Signals(issued=30, answered=16, only_clicks=False), (
        "before any fold"
    )
    assert await signals_of(store, session) == Signals(issued=30, answered=16, only_clicks=False)
    await store.answer(session, [reward(one, 1) for one in given[3::2]])
    assert (await store.fold(session)).counted == 30
    assert await signals_of(store, session) == Signals(issued=30, answered=30, only_clicks=False), "after it"


async def test_clicks_by_item(store: SessionStore) -> None:
    session = await a_session(store, demand=MANY, feedback=FeedbackKind.ITEMS)
    given = await issue(store, session, 4)
    await store.answer(session, [feedback(one.ticket, clicked=frozenset([one.i])) for one in given[:3]])
    assert (await signals_of(store, session)).only_clicks
    await store.answer(session, [feedback(given[3].ticket, clicked=frozenset())])
    assert not (await signals_of(store, session)).only_clicks


async def test_what_was_not_shown_is_no_answer(store: SessionStore) -> None:
    session = await a_session(store, demand=MANY)
    given = await issue(store, session, 4)
    await store.answer(session, [feedback(one.ticket, not_shown=True) for one in given])
    assert await signals_of(store, session) == Signals(issued=4, answered=0, only_clicks=True)
    assert (await store.report(session)).signals.waited_seconds == 0.0, "they are folded, and nothing is out"


async def test_how_long_the_oldest_has_waited(store: SessionStore, database_url: str) -> None:
    session = await a_session(store, demand=MANY)
    await issue(store, session, 4)
    assert (await store.fold_result(session)).signals == (await store.report(session)).signals
    execute(database_url, "UPDATE impressions SET issued_at = issued_at - 100 WHERE sequence = 1", {})
    for waited in ((await store.fold_result(session)).signals, (await store.report(session)).signals):
        assert waited is not None
        assert 100 <= waited.waited_seconds < 130
    execute(database_url, "UPDATE impressions SET issued_at = issued_at - 1000", {})
    assert (await store.fold(session)).void == 4
    assert (await signals_of(store, session)).waited_seconds == math.inf, "they were given up"


async def test_how_long_answers_take(store: SessionStore, database_url: str) -> None:
    session = await a_session(store, demand=MANY)
    given = await issue(store, session, 5)
    await store.answer(session, [reward(one, value) for one, value in zip(given, (1, 0, 0), strict=False)])
    execute(database_url, "UPDATE impressions SET answered_at = issued_at + 100 WHERE outcome IS NOT NULL")
    await store.fold(session)
    timely = Delays().add([100, 100, 100], [1, 0, 0], 300)
    assert (await store.report(session)).signals.delays == timely
    let_time_pass(database_url, 310)
    assert (await store.fold(session)).void == 2
    assert (await store.report(session)).signals.delays == replace(timely, lost=2)
    await store.answer(session, [reward(given[3], 1)])
    planning = await store.planning_input(session)
    (seconds,) = planning.late.seconds
    assert 310 <= seconds < 340
    assert (planning.late.outcome, planning.late.version) == ((1.0,), (1,))
    assert {*planning.late.i, *planning.late.j} == {given[3].i, given[3].j}
    late = Delays().add([seconds], [1], 300)
    record, timeline = await store.session(session), await store.timeline()
    new = replace(plan(2, MANY), follows=record.plan_id)
    assert await store.write(add_plan, session, Planned(new, snapshot(), None, record.state, late), timeline)
    stored = replace(timely, lost=2).with_late(late)
    assert (await store.report(session)).signals.delays == (await store.fold_result(session)).signals.delays == stored


@pytest.mark.parametrize(
    "changes",
    [
        {"missing_feedback": MissingFeedback.NO_CLICK, "attribution_window_seconds": 60.0},
        {"model": Model.DETERMINISTIC},
    ],
)
async def test_late_answers_that_cannot_be_compared_are_not_read(
    store: SessionStore, database_url: str, changes: dict[str, Any]
) -> None:
    session = await a_session(store, demand=MANY, **changes)
    given = await issue(store, session, 2)
    await store.answer(session, [reward(given[0], 1)])
    let_time_pass(database_url, 310)
    await store.fold(session)
    assert await store.answer(session, [reward(given[1], 1)]) == [FeedbackStatus.LATE]
    planning = await store.planning_input(session)
    assert (planning.late, planning.signals.delays) == (LateRows(), NO_DELAYS)


@pytest.mark.parametrize(
    ("more", "kind"), [({}, None), ({"kind": "a_note"}, "a_note"), ({"kind": "new", "of_a_later_version": 1}, "new")]
)
async def test_a_fold_returns_the_health_entries_of_the_snapshot(
    store: SessionStore, more: dict[str, object], kind: str | None
) -> None:
    session = await a_session(store)
    assert (await store.fold_result(session)).shown_health == ()
    record = await store.session(session)
    body = json.dumps({"health": [{"problem": "p", "cause": "c", "advice": "a", "suspends": False, **more}]})
    assert await store.set_snapshot(session, record.plan_version, record.state, Snapshot(body, "tag"))
    (given,) = await issue(store, session, 1)
    expected = (Health("p", "c", "a", suspends=False, kind=kind),)
    assert (await store.fold_result(session)).shown_health == expected
    await store.answer(session, [reward(given, 1)])
    folded = await store.fold_result(session)
    assert (folded.counters.counted, folded.shown_health) == (1, expected), "also when there is something to fold"
