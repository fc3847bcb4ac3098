"""What every store must tell of a session for its notes. The same tests on SQLite and on PostgreSQL."""

import json
import math

import pytest

from app.counting.signals_sql import Signals
from app.health import Health
from app.sessions.model import Snapshot
from app.wire.vocabulary import FeedbackKind
from tests.examples import a_session, execute, feedback, issue, reward
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
