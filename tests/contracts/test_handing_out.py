"""Which pairs a store hands out; the same key, the same pairs. The same tests on SQLite and on PostgreSQL."""

import asyncio
from collections import Counter

import pytest

from app.engine.problem import Model
from app.errors import (
    IdempotencyMismatch,
    SessionNotFound,
    SessionStopped,
)
from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import Purpose
from app.sessions.model import Counters
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import (
    LARGE,
    THREE_PAIRS,
    a_session,
    execute,
    exported,
    feedback,
    issue,
    let_time_pass,
    order,
    pairs,
    plan,
    record,
    reward,
    snapshot,
)
from tests.store import SessionStore

ACCEPTED, IGNORED, NOT_FOUND = FeedbackStatus.ACCEPTED, FeedbackStatus.IGNORED, FeedbackStatus.NOT_FOUND
HOURS = 3600.0


class TestHandingOut:
    async def test_the_plan_is_handed_out_exactly_and_then_again(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        demand = {(i, j): count for i, j, count in THREE_PAIRS}
        first = await issue(store, session_id, 6)
        second = [one for _ in range(6) for one in await store.issue(session_id, order())]
        assert pairs(first) == pairs(second) == demand
        assert [(one.i, one.j) in demand for one in first + second].count(True) < 12  # both orders are shown
        assert len({one.ticket for one in first + second}) == 12
        assert all(one.counts and one.purpose is Purpose.EXPLORE and one.plan_version == 1 for one in first + second)
        rows = await exported(store, session_id, "impression")
        assert [row["sequence"] for row in rows] == list(range(1, 13))
        assert [(r["ticket"], r["i"], r["j"]) for r in rows] == [(o.ticket, o.i, o.j) for o in first + second]
        assert await store.counters(session_id) == Counters(issued=12, answered=0, void=0, counted=0)

    async def test_concurrent_callers_share_the_plan(self, store: SessionStore) -> None:
        session_id = await a_session(store, demand=((0, 1, 100), (1, 2, 100)))
        given = await asyncio.gather(*(store.issue(session_id, order()) for _ in range(200)))
        assert pairs([one for few in given for one in few]) == {(0, 1): 100, (1, 2): 100}
        rows = await exported(store, session_id, "impression")
        assert [row["sequence"] for row in rows] == list(range(1, 201))

    async def test_the_budget_is_kept_to_the_impression(self, store: SessionStore) -> None:
        session_id = await a_session(store, demand=LARGE, budget=120)
        given = await asyncio.gather(*(store.issue(session_id, order(3)) for _ in range(50)))
        purposes = Counter(one.purpose for few in given for one in few)
        assert purposes == {Purpose.EXPLORE: 120, Purpose.EXPLOIT: 30}
        assert (await store.counters(session_id)).issued == 120
        await store.change_session(session_id, SessionPatch(budget=125))
        assert Counter(one.purpose for one in await issue(store, session_id, 10))[Purpose.EXPLORE] == 5

    async def test_void_impressions_give_their_budget_back(self, store: SessionStore) -> None:
        session_id = await a_session(store, budget=4)
        given = await issue(store, session_id, 4)
        await store.answer(session_id, [feedback(one.ticket, not_shown=True) for one in given[:3]])
        assert (await store.issue(session_id, order()))[0].purpose is Purpose.EXPLOIT
        assert await store.fold(session_id) == Counters(issued=4, answered=0, void=3, counted=0)
        again = await issue(store, session_id, 6)
        assert [one.purpose for one in again] == [Purpose.EXPLORE] * 3 + [Purpose.EXPLOIT] * 3

    async def test_without_demand_the_best_pair_is_shown_and_leaves_no_row(
        self, store: SessionStore, database_url: str
    ) -> None:
        made = await store.create_session(record(), plan(demand=(), pair=(2, 1)), snapshot(), None)
        given = await issue(store, made.id, 50)
        assert pairs(given) == {(1, 2): 50}
        assert len({(one.i, one.j) for one in given}) == 2
        assert all(one.purpose is Purpose.EXPLOIT and not one.counts for one in given)
        assert execute(database_url, "SELECT count(*) FROM impressions")[0][0] == 0
        assert await store.answer(made.id, [reward(one, 1) for one in given]) == [IGNORED] * 50

    async def test_paused_shows_the_best_pair_and_stopped_nothing(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        await store.change_session(session_id, SessionPatch(state=State.PAUSED))
        assert (await store.issue(session_id, order()))[0].purpose is Purpose.EXPLOIT
        await store.change_session(session_id, SessionPatch(state=State.RUNNING))
        explored = (await store.issue(session_id, order()))[0]
        assert explored.purpose is Purpose.EXPLORE
        await store.change_session(session_id, SessionPatch(state=State.STOPPED))
        with pytest.raises(SessionStopped):
            await store.issue(session_id, order())
        assert await store.answer(session_id, [reward(explored, 1)]) == [ACCEPTED]

    async def test_deterministic_entries_are_asked_once(self, store: SessionStore) -> None:
        session_id = await a_session(store, demand=((0, 1, 1), (0, 2, 1)), model=Model.DETERMINISTIC)
        given = await issue(store, session_id, 5)
        assert [one.counts for one in given] == [True, True, False, False, False]
        assert (await store.counters(session_id)).issued == 2
        assert [row["counts"] for row in await exported(store, session_id, "impression")] == [o.counts for o in given]

    async def test_one_bad_call_spoils_no_other(self, store: SessionStore) -> None:
        good, stopped = await a_session(store), await a_session(store, state=State.STOPPED)
        (shown,) = await store.issue(good, order())
        results = await asyncio.gather(
            store.issue(good, order(2)),
            store.issue(stopped, order()),
            store.issue("unknown", order()),
            store.answer(good, [reward(shown, 1), feedback("\0 no ticket \ud83d", reward=1)]),
            store.answer("unknown", [reward(shown, 1)]),
            store.issue(good, order(1, key="a \0 that no database can hold")),
            store.issue(good, order(2)),
            return_exceptions=True,
        )
        assert [type(result) for result in results[1:3]] == [SessionStopped, SessionNotFound]
        assert results[3] == [ACCEPTED, NOT_FOUND]
        assert isinstance(results[4], SessionNotFound)
        issued = 1 + sum(len(result) for result in (results[0], results[5], results[6]) if isinstance(result, list))
        assert issued >= 5
        assert (await store.counters(good)).issued == issued
        sequences = [row["sequence"] for row in await exported(store, good, "impression")]
        assert sequences == list(range(1, issued + 1))


class TestIdempotency:
    async def test_the_same_key_gives_the_same_impressions(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        first = await store.issue(session_id, order(3, key="k"))
        assert await store.issue(session_id, order(3, key="k")) == first
        assert (await store.counters(session_id)).issued == 3
        assert {row["idempotency_key"] for row in await exported(store, session_id, "impression")} == {"k"}

    async def test_at_once_too(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        given = await asyncio.gather(*(store.issue(session_id, order(2, key="k")) for _ in range(20)))
        assert all(few == given[0] for few in given)
        assert (await store.counters(session_id)).issued == 2

    async def test_another_body_is_refused(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        results = await asyncio.gather(
            store.issue(session_id, order(1, key="k", digest="one")),
            store.issue(session_id, order(2, key="k", digest="two")),
            return_exceptions=True,
        )
        assert isinstance(results[0], list)
        assert isinstance(results[1], IdempotencyMismatch)
        with pytest.raises(IdempotencyMismatch):
            await store.issue(session_id, order(2, key="k", digest="two"))

    async def test_a_key_belongs_to_its_session_and_route(self, store: SessionStore) -> None:
        one, other = await a_session(store), await a_session(store)
        first = await store.issue(one, order(key="k"))
        assert await store.issue(one, order(key="k", route="next-pair/batch", digest="x")) != first
        assert await store.issue(other, order(key="k", digest="y")) != first

    async def test_it_holds_for_exploitation_and_for_sessions_that_were_stopped(self, store: SessionStore) -> None:
        session_id = await a_session(store, demand=())
        first = await store.issue(session_id, order(key="k"))
        assert first[0].purpose is Purpose.EXPLOIT
        await store.change_session(session_id, SessionPatch(state=State.STOPPED))
        assert await store.issue(session_id, order(key="k")) == first

    async def test_it_holds_after_a_restart(self, database_url: str) -> None:
        before = SessionStore(database_url)
        await before.start()
        session_id = await a_session(before)
        first = await before.issue(session_id, order(key="k"))
        await before.close()
        after = SessionStore(database_url)
        await after.start()
        assert await after.issue(session_id, order(key="k")) == first
        (next_one,) = await after.issue(session_id, order())
        assert [row["ticket"] for row in await exported(after, session_id, "impression")] == [
            first[0].ticket,
            next_one.ticket,
        ]
        await after.close()

    async def test_it_ends_after_a_day(self, store: SessionStore, database_url: str) -> None:
        session_id = await a_session(store)
        first = await store.issue(session_id, order(key="k"))
        let_time_pass(database_url, 23 * HOURS)
        assert await store.issue(session_id, order(key="k")) == first
        let_time_pass(database_url, 2 * HOURS)
        second = await store.issue(session_id, order(key="k", digest="another body"))
        assert second != first
        assert await store.issue(session_id, order(key="k", digest="another body")) == second
