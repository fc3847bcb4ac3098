"""What every store must tell of a session as it goes on. The same tests on SQLite and on PostgreSQL."""

import json
from dataclasses import replace

import pytest

from app.database.store import SqlStore
from app.errors import SessionNotFound
from app.sessions.model import Counters, Health, Live, SessionChange, State
from tests.examples import a_session, add_plan, execute, issue, plan, reward, snapshot


async def test_live_tells_snapshots_and_counters_of_those_that_exist(store: SqlStore) -> None:
    first, second = await a_session(store), await a_session(store)
    given = await issue(store, first, 4)
    await store.answer(first, [reward(given[0], 1), reward(given[1], 0)])
    assert await store.live([first, second, "nobody"]) == {
        first: Live(snapshot(), Counters(issued=4, answered=2, void=0, counted=0)),
        second: Live(snapshot(), Counters(0, 0, 0, 0)),
    }
    assert await store.live([]) == {}


async def test_history_is_what_each_plan_said_in_order(store: SqlStore) -> None:
    session = await a_session(store)
    for version in (2, 3, 4):
        made = replace(plan(version, pair=(0, 2)), report={"pair": [0, 2], "gap": 1 / version})
        assert await add_plan(store, session, made, snapshot(f"plan {version}"), None)
    points = await store.history(session, 0, 10)
    assert [point.version for point in points] == [1, 2, 3, 4]
    assert points[2].report == {"pair": [0, 2], "gap": 1 / 3}
    assert points[0].made_at <= points[3].made_at
    assert [point.version for point in await store.history(session, 1, 2)] == [2, 3]
    assert await store.history(session, 4, 10) == []
    for unknown in ("nobody", "\ud800"):
        with pytest.raises(SessionNotFound):
            await store.history(unknown, 0, 10)


async def test_measured_adds_up_the_plans(store: SqlStore) -> None:
    demand = ((0, 1, 2), (1, 2, 1))
    session = await a_session(store, demand=demand)
    empty = await store.measured(session)
    assert (empty.counts.i, empty.race) == ([], [])
    for version in (1, 2):
        given = await issue(store, session, 3)
        await store.answer(session, [reward(one, float(version == 1)) for one in given])
        await store.fold(session)
        made = plan(version + 1, demand)
        made = replace(made, report={**made.report, "race": [[1, 2, 0.5, 0.1, 0.9, 2]]})
        assert await add_plan(store, session, made, snapshot(str(version)), None)
    found = await store.measured(session)
    stored = (await store.planning_input(session)).evidence
    assert stored.version == [1, 2, 1, 2]
    assert (found.counts.i, found.counts.j, found.counts.n) == ([0, 1], [1, 2], [4, 2])
    assert found.counts.s == [2.0, 1.0]
    assert all(isinstance(value, int) for value in found.counts.n), "no decimals of the database's own kind"
    assert found.counts.version == [1, 1]
    assert found.race == [[1, 2, 0.5, 0.1, 0.9, 2]]
    assert found.record.plan_version == 3
    assert json.dumps(found.counts.s)
    with pytest.raises(SessionNotFound):
        await store.measured("nobody")


async def test_said_is_what_the_last_plan_and_the_folds_said(store: SqlStore, database_url: str) -> None:
    session = await a_session(store)
    made = replace(plan(2), report={"pair": [0, 2], "gap": 0.5})
    assert await add_plan(store, session, made, snapshot("second"), None)
    await store.change_session(session, SessionChange(state=State.PAUSED))
    found = json.dumps([{"problem": "p", "cause": "c", "advice": "a"}])
    execute(database_url, "UPDATE sessions SET health = :found", {"found": found})
    said = await store.said(session)
    assert (said.report, said.health) == (made.report, (Health("p", "c", "a", suspends=True),))
    assert (said.record.state, said.record.plan_version) == (State.PAUSED, 2)
    with pytest.raises(SessionNotFound):
        await store.said("nobody")
