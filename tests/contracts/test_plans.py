"""Plans, snapshots and certificates, as a store keeps them. The same tests on SQLite and on PostgreSQL."""

import asyncio
from dataclasses import replace

import pytest

from app.errors import SessionNotFound
from app.impressions.handout_order import Purpose
from app.planning.worker import _read_input
from app.results.sql import Certificate
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import (
    a_session,
    add_plan,
    execute,
    exported,
    feedback,
    issue,
    order,
    pairs,
    plan,
    record,
    reward,
    snapshot,
)
from tests.store import SessionStore


class TestPlans:
    async def test_a_plan_is_added_once(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        assert not await add_plan(store, session_id, plan(1), snapshot("old"), None)
        assert not await add_plan(store, session_id, plan(3), snapshot("ahead"), None)
        results = await asyncio.gather(
            *(add_plan(store, session_id, plan(2, pair=(1, k % 2 * 2)), snapshot(str(k)), None) for k in range(10))
        )
        assert results.count(True) == 1
        assert await store.snapshot(session_id) == snapshot(str(results.index(True)))
        assert (await store.session(session_id)).plan_version == 2
        assert [row["version"] for row in await exported(store, session_id, "plan")] == [1, 2]

    async def test_a_plan_of_another_history_is_not_added(self, store: SessionStore) -> None:
        """It rests on evidence that a database no longer has after it went back to an earlier state."""
        session_id = await a_session(store)
        first, timeline = (await store.session(session_id)).plan_id, await store.timeline()
        fitting = replace(plan(2), follows=first)
        for other, where in (
            (replace(fitting, follows="another plan 1"), timeline),
            (replace(fitting, watermark=1), timeline),
            (fitting, "another history"),
        ):
            assert not await store.add_plan(session_id, other, snapshot(), None, timeline=where)
        assert await store.add_plan(session_id, fitting, snapshot(), None, timeline=timeline)
        ids = [row["id"] for row in await exported(store, session_id, "plan")]
        assert ids[0] == first
        assert ids[1] == (await store.session(session_id)).plan_id != first

    async def test_another_plan_of_the_same_number_is_another_plan(
        self, store: SessionStore, database_url: str
    ) -> None:
        session_id = await a_session(store)
        assert await add_plan(store, session_id, plan(2, ((0, 1, 4),)), snapshot(), None)
        assert set(pairs(await issue(store, session_id, 2))) == {(0, 1)}
        execute(database_url, "DELETE FROM impressions; DELETE FROM plans WHERE version = 2")
        back = "UPDATE sessions SET plan_version = 1, plan_id = :first"
        execute(database_url, back, {"first": (await exported(store, session_id, "plan"))[0]["id"]})
        assert await add_plan(store, session_id, plan(2, ((1, 2, 4),)), snapshot(), None)
        assert set(pairs(await issue(store, session_id, 2))) == {(1, 2)}

    async def test_what_is_still_out_is_not_handed_out_again(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        given = await issue(store, session_id, 6)  # (0,1) three times, (0,2) twice, (1,2) once
        await store.answer(session_id, [reward(one, 1) for one in given if 0 in (one.i, one.j) and 1 in (one.i, one.j)])
        await store.fold(session_id)
        demand = ((0, 1, 5), (0, 2, 5), (1, 2, 1))
        assert await add_plan(store, session_id, plan(2, demand), snapshot(), None)
        last = (await store.planning_input(session_id)).last_plan
        assert last is not None
        assert (last.demand.triples, last.handout.triples) == (demand, ((0, 1, 5), (0, 2, 3)))
        assert pairs(await issue(store, session_id, 8)) == {(0, 1): 5, (0, 2): 3}

    async def test_if_most_of_a_plan_is_out_all_of_it_is_handed_out(self, store: SessionStore) -> None:
        """What is out may be lost, and the few other pairs would not bring the answers that the plan waits for."""
        session_id = await a_session(store)
        await issue(store, session_id, 6)  # (0,1) three times, (0,2) twice, (1,2) once
        demand = ((0, 1, 4), (0, 2, 3))
        assert await add_plan(store, session_id, plan(2, demand), snapshot(), None)
        assert pairs(await issue(store, session_id, 7)) == {(0, 1): 4, (0, 2): 3}

    async def test_planning_may_go_back_one_memory(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        assert await add_plan(store, session_id, plan(2), snapshot(), None)
        assert await add_plan(store, session_id, plan(3), snapshot(), None)
        given = await store.planning_input(session_id)
        assert given.last_plan is not None
        assert (given.last_plan.memory, given.memory_before) == (plan(3).memory, plan(2).memory)

    async def test_another_process_reads_what_this_one_does(self, store: SessionStore, database_url: str) -> None:
        session_id = await a_session(store)
        given = await issue(store, session_id, 6)
        await store.answer(session_id, [reward(one, 1) for one in given[:4]])
        await store.fold(session_id)
        assert await add_plan(store, session_id, plan(2), snapshot(), None)
        wanted = await store.planning_input(session_id)
        assert await asyncio.to_thread(_read_input, database_url, session_id) == wanted
        assert await store.last_plan(session_id) == wanted.last_plan
        with pytest.raises(SessionNotFound):
            await asyncio.to_thread(_read_input, database_url, "nobody")

    async def test_a_plan_is_closed_when_nothing_of_it_is_out(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        first = await issue(store, session_id, 6)
        assert await add_plan(store, session_id, plan(2), snapshot(), None)
        second = await issue(store, session_id, 6)
        await store.answer(session_id, [reward(one, 1) for one in (*first[:-1], *second)])
        await store.fold(session_id)
        assert (await store.planning_input(session_id)).closed_before == 1, "one answer of the first plan is missing"
        await store.answer(session_id, [feedback(first[-1].ticket, not_shown=True)])
        await store.fold(session_id)
        assert (await store.planning_input(session_id)).closed_before == 2
        assert await add_plan(store, session_id, plan(3), snapshot(), None)
        await issue(store, session_id, 1)
        assert (await store.planning_input(session_id)).closed_before == 3

    async def test_if_all_is_out_the_whole_demand_is_handed_out(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        await issue(store, session_id, 6)
        assert await add_plan(store, session_id, plan(2, ((0, 1, 2), (0, 2, 1))), snapshot(), None)
        given = await issue(store, session_id, 3)
        assert pairs(given) == {(0, 1): 2, (0, 2): 1}
        assert {one.plan_version for one in given} == {2}

    async def test_the_best_pair_follows_the_plan(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        assert await add_plan(store, session_id, plan(2, (), pair=(1, 2)), snapshot("two"), None)
        (shown,) = await store.issue(session_id, order())
        assert shown.purpose is Purpose.EXPLOIT
        assert {shown.i, shown.j} == {1, 2}
        assert shown.plan_version == 2

    async def test_the_first_certificate_stands(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        first = Certificate('{"gap": 0.01}', "abc")
        assert await add_plan(store, session_id, plan(2), snapshot(), first)
        assert await add_plan(store, session_id, plan(3), snapshot(), Certificate("{}", "other"))
        assert await store.certificate(session_id) == first
        at_once = await store.create_session(record(n_items=2), plan(demand=()), snapshot(), first)
        assert await store.certificate(at_once.id) == first

    async def test_a_snapshot_does_not_overwrite_that_of_a_newer_plan(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        assert await store.set_snapshot(session_id, 1, State.RUNNING, snapshot("renewed"))
        assert await store.snapshot(session_id) == snapshot("renewed")
        assert await add_plan(store, session_id, plan(2), snapshot("two"), None)
        assert not await store.set_snapshot(session_id, 1, State.RUNNING, snapshot("stale"))
        assert await store.snapshot(session_id) == snapshot("two")

    async def test_a_snapshot_does_not_tell_a_state_that_has_changed(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        await store.change_session(session_id, SessionPatch(state=State.PAUSED))
        assert not await store.set_snapshot(session_id, 1, State.RUNNING, snapshot("stale"))
        assert await store.set_snapshot(session_id, 1, State.PAUSED, snapshot("paused"))
        assert await store.snapshot(session_id) == snapshot("paused")
