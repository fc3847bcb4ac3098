"""What every store must tell of a session as it goes on. The same tests on SQLite and on PostgreSQL."""

import json
from dataclasses import replace

import pytest

from app.errors import SessionNotFound
from app.health import Health
from app.results.report import RankedPair
from app.results.sql import Live
from app.sessions.model import Counters
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import a_session, add_plan, execute, issue, plan, report, reward, snapshot
from tests.store import SessionStore


async def test_live_tells_snapshots_and_counters_of_those_that_exist(store: SessionStore) -> None:
    first, second = await a_session(store), await a_session(store)
    given = await issue(store, first, 4)
    await store.answer(first, [reward(given[0], 1), reward(given[1], 0)])
    assert await store.live([first, second, "nobody"]) == {
        first: Live(snapshot(), Counters(issued=4, answered=2, void=0, counted=0)),
        second: Live(snapshot(), Counters(0, 0, 0, 0)),
    }
    assert await store.live([]) == {}


async def test_history_has_the_report_of_each_plan_in_order(store: SessionStore) -> None:
    session = await a_session(store)
    for version in (2, 3, 4):
        made = replace(plan(version, pair=(0, 2)), report=report(pair=(0, 2), gap=1 / version))
        assert await add_plan(store, session, made, snapshot(f"plan {version}"), None)
    points = await store.history(session, 0, 10)
    assert [point.version for point in points] == [1, 2, 3, 4]
    assert points[2].report == report(pair=(0, 2), gap=1 / 3)
    assert points[0].made_at <= points[3].made_at
    assert [point.version for point in await store.history(session, 1, 2)] == [2, 3]
    assert await store.history(session, 4, 10) == []
    for unknown in ("nobody", "\ud800"):
        with pytest.raises(SessionNotFound):
            await store.history(unknown, 0, 10)


async def test_measured_adds_up_the_plans(store: SessionStore) -> None:
    demand = ((0, 1, 2), (1, 2, 1))
    session = await a_session(store, demand=demand)
    empty = await store.measured(session)
    assert (empty.counts.i, empty.race) == ([], ())
    for version in (1, 2):
        given = await issue(store, session, 3)
        await store.answer(session, [reward(one, float(version == 1)) for one in given])
        await store.fold(session)
        made = plan(version + 1, demand)
        made = replace(made, report=report(race=(RankedPair(1, 2, 0.5, 0.1, 0.9, 2),)))
        assert await add_plan(store, session, made, snapshot(str(version)), None)
    found = await store.measured(session)
    stored = (await store.planning_input(session)).evidence
    assert stored.version == [1, 2, 1, 2]
    assert (found.counts.i, found.counts.j, found.counts.n) == ([0, 1], [1, 2], [4, 2])
    assert found.counts.s == [2.0, 1.0]
    assert all(isinstance(value, int) for value in found.counts.n), "no decimals of the database's own kind"
    assert found.counts.version == [1, 1]
    assert found.race == (RankedPair(1, 2, 0.5, 0.1, 0.9, 2),)
    assert found.session.plan_version == 3
    assert json.dumps(found.counts.s)
    with pytest.raises(SessionNotFound):
        await store.measured("nobody")


async def test_the_report_view_has_the_last_report_and_stored_health(store: SessionStore, database_url: str) -> None:
    session = await a_session(store)
    made = replace(plan(2), report=report(pair=(0, 2), gap=0.5))
    assert await add_plan(store, session, made, snapshot("second"), None)
    await store.change_session(session, SessionPatch(state=State.PAUSED))
    found = json.dumps([{"problem": "p", "cause": "c", "advice": "a"}])
    execute(database_url, "UPDATE sessions SET health = :found", {"found": found})
    found_report = await store.report(session)
    assert (found_report.report, found_report.health) == (made.report, (Health("p", "c", "a", suspends=True),))
    assert (found_report.session.state, found_report.session.plan_version) == (State.PAUSED, 2)
    with pytest.raises(SessionNotFound):
        await store.report("nobody")
