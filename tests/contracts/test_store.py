"""What every store must do. The same tests on SQLite and on PostgreSQL."""

import asyncio
import json
import time
from collections import Counter
from dataclasses import replace

import pytest

from app.engine.problem import Model
from app.sessions.errors import (
    IdempotencyMismatch,
    InvalidSession,
    InvalidStateChange,
    SessionNotFound,
    SessionStopped,
)
from app.sessions.model import (
    Counters,
    Feedback,
    FeedbackKind,
    FeedbackStatus,
    HandedOut,
    Health,
    MissingFeedback,
    Purpose,
    SessionChange,
    State,
)
from app.sessions.ports import CertificateRecord
from app.sessions.tickets import exploit_ticket
from app.storage.store import SqlStore
from tests.examples import (
    THREE_PAIRS,
    a_session,
    execute,
    exported,
    issue,
    let_time_pass,
    order,
    plan,
    record,
    reward,
    snapshot,
)

ACCEPTED, DUPLICATE, LATE = FeedbackStatus.ACCEPTED, FeedbackStatus.DUPLICATE, FeedbackStatus.LATE
IGNORED, CONFLICT, NOT_FOUND = FeedbackStatus.IGNORED, FeedbackStatus.CONFLICT, FeedbackStatus.NOT_FOUND
HOURS = 3600.0


def pairs(given: list[HandedOut]) -> Counter[tuple[int, int]]:
    return Counter((min(one.i, one.j), max(one.i, one.j)) for one in given)


class TestRecords:
    async def test_a_session_comes_back_as_it_was_stored(self, store: SqlStore) -> None:
        new = record(n_items=50, budget=1000, feedback=FeedbackKind.ITEMS, rank=3, attribution_window_seconds=1.5)
        made = await store.create_session(new, plan(), snapshot("hello"), None)
        assert abs(made.created_at - time.time()) < 60
        assert made == replace(new, created_at=made.created_at, updated_at=made.updated_at)
        assert await store.session(new.id) == made
        assert await store.snapshot(new.id) == snapshot("hello")
        assert await store.counters(new.id) == Counters(0, 0, 0, 0)
        assert await store.certificate(new.id) is None
        given = await store.planning_input(new.id)
        assert given.record == made
        assert given.last_plan == plan()
        assert given.evidence.n == []
        assert given.health == ()
        assert (given.memory_before, given.closed_before) == (None, 1)

    async def test_health_of_older_versions_suspends(self, store: SqlStore, database_url: str) -> None:
        session_id = await a_session(store)
        old = json.dumps([{"problem": "p", "cause": "c", "advice": "a"}])
        execute(database_url, "UPDATE sessions SET health = :old", {"old": old})
        assert (await store.planning_input(session_id)).health == (Health("p", "c", "a", suspends=True),)

    async def test_an_id_can_be_used_once(self, store: SqlStore) -> None:
        new = record()
        await store.create_session(new, plan(), snapshot(), None)
        with pytest.raises(InvalidSession):
            await store.create_session(new, plan(), snapshot(), None)
        assert (await store.session(new.id)).id == new.id

    @pytest.mark.parametrize("unknown", ["nobody", "", "null\0byte", "half \ud83d of a pair"])
    async def test_an_unknown_id_is_not_found(self, store: SqlStore, unknown: str) -> None:
        for call in (
            store.session(unknown),
            store.counters(unknown),
            store.snapshot(unknown),
            store.certificate(unknown),
            store.planning_input(unknown),
            store.fold(unknown),
            store.delete_session(unknown),
            store.issue(unknown, order()),
            store.answer(unknown, [Feedback("t", reward=1)]),
            store.change_session(unknown, SessionChange(name="x")),
            store.add_plan(unknown, plan(2), snapshot(), None),
            exported(store, unknown, "session"),
        ):
            with pytest.raises(SessionNotFound):
                await call

    async def test_sessions_are_listed_newest_first_in_pages(self, store: SqlStore) -> None:
        ids = [await a_session(store, n_items=3) for _ in range(5)]
        await issue(store, ids[3], 2)
        first = await store.sessions(2, None)
        second = await store.sessions(2, first[-1][0].id)
        last = await store.sessions(2, second[-1][0].id)
        assert [row[0].id for row in first + second + last] == ids[::-1]
        assert first[1][0] == await store.session(ids[3])
        assert first[1][1] == Counters(issued=2, answered=0, void=0, counted=0)
        assert first[1][2] == snapshot()
        with pytest.raises(SessionNotFound):
            await store.sessions(2, "deleted meanwhile")

    async def test_a_change_is_kept(self, store: SqlStore) -> None:
        made = await store.create_session(record(budget=10), plan(), snapshot(), None)
        after = await store.change_session(made.id, SessionChange(state=State.PAUSED, name="new", budget=11))
        assert after == replace(made, state=State.PAUSED, name="new", budget=11, updated_at=after.updated_at)
        assert after.updated_at >= made.updated_at
        assert await store.session(made.id) == after
        assert (await store.change_session(made.id, SessionChange())).budget == 11

    async def test_budgets_only_rise_and_stopped_is_for_good(self, store: SqlStore) -> None:
        limited, unlimited = await a_session(store, budget=10), await a_session(store)
        assert (await store.change_session(limited, SessionChange(budget=10))).budget == 10, "a retry is no mistake"
        for session_id, budget in ((limited, 9), (unlimited, 10)):
            with pytest.raises(InvalidStateChange):
                await store.change_session(session_id, SessionChange(budget=budget))
        await store.change_session(limited, SessionChange(state=State.STOPPED))
        for change in (SessionChange(state=State.RUNNING), SessionChange(budget=20)):
            with pytest.raises(InvalidStateChange):
                await store.change_session(limited, change)
        await store.change_session(limited, SessionChange(state=State.STOPPED, name="again"))
        assert (await store.session(limited)).name == "again"

    async def test_a_deleted_session_leaves_nothing(self, store: SqlStore, database_url: str) -> None:
        gone, stays = await a_session(store), await a_session(store)
        for session_id in (gone, stays):
            given = await store.issue(session_id, order(4, key="k"))
            await store.answer(session_id, [reward(one, 1) for one in given])
            await store.fold(session_id)
            assert await store.add_plan(session_id, plan(2), snapshot(), CertificateRecord("{}", "d"))
        await store.delete_session(gone)
        with pytest.raises(SessionNotFound):
            await store.session(gone)
        for table in ("session_items", "impressions", "plans", "evidence", "idempotency_keys", "certificates"):
            left = {row[0] for row in execute(database_url, f"SELECT session_id FROM {table}")}  # noqa: S608
            assert left == {stays}, table
        assert await store.answer(stays, [reward(given[0], 1)]) == [DUPLICATE]

    async def test_a_large_session_is_deleted_in_parts(
        self, store: SqlStore, database_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("app.storage.managing._DELETED_AT_ONCE", 10)
        gone, stays = await a_session(store), await a_session(store)
        await issue(store, gone, 45)
        await issue(store, stays, 25)
        await store.delete_session(gone)
        assert execute(database_url, "SELECT count(*) FROM impressions")[0][0] == 25
        assert len(await store.sessions(10, None)) == 1


class TestHandingOut:
    async def test_the_plan_is_handed_out_exactly_and_then_again(self, store: SqlStore) -> None:
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

    async def test_concurrent_callers_share_the_plan(self, store: SqlStore) -> None:
        session_id = await a_session(store, demand=((0, 1, 100), (1, 2, 100)))
        given = await asyncio.gather(*(store.issue(session_id, order()) for _ in range(200)))
        assert pairs([one for few in given for one in few]) == {(0, 1): 100, (1, 2): 100}
        rows = await exported(store, session_id, "impression")
        assert [row["sequence"] for row in rows] == list(range(1, 201))

    async def test_the_budget_is_kept_to_the_impression(self, store: SqlStore) -> None:
        session_id = await a_session(store, budget=120)
        given = await asyncio.gather(*(store.issue(session_id, order(3)) for _ in range(50)))
        purposes = Counter(one.purpose for few in given for one in few)
        assert purposes == {Purpose.EXPLORE: 120, Purpose.EXPLOIT: 30}
        assert (await store.counters(session_id)).issued == 120
        await store.change_session(session_id, SessionChange(budget=125))
        assert Counter(one.purpose for one in await issue(store, session_id, 10))[Purpose.EXPLORE] == 5

    async def test_void_impressions_give_their_budget_back(self, store: SqlStore) -> None:
        session_id = await a_session(store, budget=4)
        given = await issue(store, session_id, 4)
        await store.answer(session_id, [Feedback(one.ticket, not_shown=True) for one in given[:3]])
        assert (await store.issue(session_id, order()))[0].purpose is Purpose.EXPLOIT
        assert await store.fold(session_id) == Counters(issued=4, answered=0, void=3, counted=0)
        again = await issue(store, session_id, 6)
        assert [one.purpose for one in again] == [Purpose.EXPLORE] * 3 + [Purpose.EXPLOIT] * 3

    async def test_without_demand_the_best_pair_is_shown_and_leaves_no_row(
        self, store: SqlStore, database_url: str
    ) -> None:
        made = await store.create_session(record(), plan(demand=(), pair=(2, 1)), snapshot(), None)
        given = await issue(store, made.id, 50)
        assert pairs(given) == {(1, 2): 50}
        assert len({(one.i, one.j) for one in given}) == 2
        assert all(one.purpose is Purpose.EXPLOIT and not one.counts for one in given)
        assert execute(database_url, "SELECT count(*) FROM impressions")[0][0] == 0
        assert await store.answer(made.id, [reward(one, 1) for one in given]) == [IGNORED] * 50

    async def test_paused_shows_the_best_pair_and_stopped_nothing(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        await store.change_session(session_id, SessionChange(state=State.PAUSED))
        assert (await store.issue(session_id, order()))[0].purpose is Purpose.EXPLOIT
        await store.change_session(session_id, SessionChange(state=State.RUNNING))
        explored = (await store.issue(session_id, order()))[0]
        assert explored.purpose is Purpose.EXPLORE
        await store.change_session(session_id, SessionChange(state=State.STOPPED))
        with pytest.raises(SessionStopped):
            await store.issue(session_id, order())
        assert await store.answer(session_id, [reward(explored, 1)]) == [ACCEPTED]

    async def test_deterministic_entries_are_asked_once(self, store: SqlStore) -> None:
        session_id = await a_session(store, demand=((0, 1, 1), (0, 2, 1)), model=Model.DETERMINISTIC)
        given = await issue(store, session_id, 5)
        assert [one.counts for one in given] == [True, True, False, False, False]
        assert (await store.counters(session_id)).issued == 2
        assert [row["counts"] for row in await exported(store, session_id, "impression")] == [o.counts for o in given]

    async def test_one_bad_call_spoils_no_other(self, store: SqlStore) -> None:
        good, stopped = await a_session(store), await a_session(store, state=State.STOPPED)
        (shown,) = await store.issue(good, order())
        results = await asyncio.gather(
            store.issue(good, order(2)),
            store.issue(stopped, order()),
            store.issue("unknown", order()),
            store.answer(good, [reward(shown, 1), Feedback("\0 no ticket \ud83d", reward=1)]),
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
    async def test_the_same_key_gives_the_same_impressions(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        first = await store.issue(session_id, order(3, key="k"))
        assert await store.issue(session_id, order(3, key="k")) == first
        assert (await store.counters(session_id)).issued == 3
        assert {row["idempotency_key"] for row in await exported(store, session_id, "impression")} == {"k"}

    async def test_at_once_too(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        given = await asyncio.gather(*(store.issue(session_id, order(2, key="k")) for _ in range(20)))
        assert all(few == given[0] for few in given)
        assert (await store.counters(session_id)).issued == 2

    async def test_another_body_is_refused(self, store: SqlStore) -> None:
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

    async def test_a_key_belongs_to_its_session_and_route(self, store: SqlStore) -> None:
        one, other = await a_session(store), await a_session(store)
        first = await store.issue(one, order(key="k"))
        assert await store.issue(one, order(key="k", route="next-pair/batch", digest="x")) != first
        assert await store.issue(other, order(key="k", digest="y")) != first

    async def test_it_holds_for_exploitation_and_for_sessions_that_were_stopped(self, store: SqlStore) -> None:
        session_id = await a_session(store, demand=())
        first = await store.issue(session_id, order(key="k"))
        assert first[0].purpose is Purpose.EXPLOIT
        await store.change_session(session_id, SessionChange(state=State.STOPPED))
        assert await store.issue(session_id, order(key="k")) == first

    async def test_it_holds_after_a_restart(self, database_url: str) -> None:
        before = SqlStore(database_url)
        await before.start()
        session_id = await a_session(before)
        first = await before.issue(session_id, order(key="k"))
        await before.close()
        after = SqlStore(database_url)
        await after.start()
        assert await after.issue(session_id, order(key="k")) == first
        (next_one,) = await after.issue(session_id, order())
        assert [row["ticket"] for row in await exported(after, session_id, "impression")] == [
            first[0].ticket,
            next_one.ticket,
        ]
        await after.close()

    async def test_it_ends_after_a_day(self, store: SqlStore, database_url: str) -> None:
        session_id = await a_session(store)
        first = await store.issue(session_id, order(key="k"))
        let_time_pass(database_url, 23 * HOURS)
        assert await store.issue(session_id, order(key="k")) == first
        let_time_pass(database_url, 2 * HOURS)
        second = await store.issue(session_id, order(key="k", digest="another body"))
        assert second != first
        assert await store.issue(session_id, order(key="k", digest="another body")) == second


class TestFeedback:
    async def test_every_status(self, store: SqlStore, database_url: str) -> None:
        session_id, other = await a_session(store), await a_session(store)
        old = await issue(store, session_id, 2)
        let_time_pass(database_url, 301)
        shown, conflict, hidden, elsewhere = [*await issue(store, session_id, 3), *await issue(store, other, 1)]
        key = (await store.session(session_id)).ticket_key
        hide = Feedback(hidden.ticket, not_shown=True)
        told = [
            (reward(shown, 1), ACCEPTED),
            (reward(shown, 1), DUPLICATE),
            (reward(shown, 0), CONFLICT),
            (Feedback(shown.ticket, not_shown=True), CONFLICT),
            (reward(conflict, 0), ACCEPTED),
            (reward(conflict, 1), CONFLICT),
            (hide, ACCEPTED),
            (hide, DUPLICATE),
            (reward(hidden, 1), CONFLICT),
            (reward(old[0], 1), LATE),
            (reward(old[0], 1), DUPLICATE),
            (reward(old[0], 0), CONFLICT),
            (Feedback(old[1].ticket, not_shown=True), LATE),
            (Feedback(exploit_ticket(key, session_id), reward=1), IGNORED),
            (Feedback(exploit_ticket(key, other), reward=1), NOT_FOUND),
            (Feedback(exploit_ticket(b"forged", session_id), reward=1), NOT_FOUND),
            (reward(elsewhere, 1), NOT_FOUND),
            (Feedback("", reward=1), NOT_FOUND),
            (Feedback(shown.ticket.swapcase(), reward=1), NOT_FOUND),
        ]
        expected = [status for _, status in told]
        assert await store.answer(session_id, [feedback for feedback, _ in told]) == expected  # all in one batch
        again = [{ACCEPTED: DUPLICATE, LATE: DUPLICATE}.get(status, status) for status in expected]
        again[12] = LATE  # nothing is stored for it
        one_by_one = [(await store.answer(session_id, [feedback]))[0] for feedback, _ in told]
        assert one_by_one == again
        assert await store.answer(other, [reward(elsewhere, 1)]) == [ACCEPTED]
        rows = {row["ticket"]: row for row in await exported(store, session_id, "impression")}
        assert (rows[shown.ticket]["outcome"], rows[conflict.ticket]["outcome"]) == (1.0, 0.0)
        assert abs(rows[shown.ticket]["answered_at"] - time.time()) < 60
        assert rows[hidden.ticket]["not_shown"] is True
        assert rows[old[0].ticket]["late_outcome"] == 1.0
        assert rows[old[0].ticket]["outcome"] is None

    async def test_the_first_of_many_equal_callers_is_accepted(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        (shown,) = await store.issue(session_id, order())
        statuses = await asyncio.gather(*(store.answer(session_id, [reward(shown, k % 2)]) for k in range(40)))
        assert Counter(status for (status,) in statuses) == {ACCEPTED: 1, DUPLICATE: 19, CONFLICT: 20}

    async def test_clicked_items_are_kept_by_slot(self, store: SqlStore) -> None:
        session_id = await a_session(store, feedback=FeedbackKind.ITEMS, demand=((0, 1, 100),))
        given = await issue(store, session_id, 20)
        clicks = [frozenset[int](), frozenset({0}), frozenset({1}), frozenset({0, 1})] * 5
        told = [Feedback(one.ticket, clicked=clicked) for one, clicked in zip(given, clicks, strict=True)]
        assert await store.answer(session_id, told) == [ACCEPTED] * 20
        await store.fold(session_id)
        evidence = (await store.planning_input(session_id)).evidence
        assert (evidence.n, evidence.s, evidence.clicks_i, evidence.clicks_j) == ([20], [5.0], [10], [10])

    async def test_what_a_fold_has_counted_can_not_be_changed(self, store: SqlStore) -> None:
        session_id = await a_session(store, attribution_window_seconds=0.05, missing_feedback=MissingFeedback.NO_CLICK)
        given = await issue(store, session_id, 2)
        await asyncio.sleep(0.1)
        assert (await store.fold(session_id)).counted == 2
        assert await store.answer(session_id, [reward(one, 1) for one in given]) == [LATE] * 2
        assert (await store.planning_input(session_id)).evidence.s == pytest.approx([1.0, 1.0], abs=1.0)
        assert sum((await store.planning_input(session_id)).evidence.s) == 2.0

    async def test_an_empty_batch_is_answered(self, store: SqlStore) -> None:
        assert await store.answer(await a_session(store), []) == []


class TestPlans:
    async def test_a_plan_is_added_once(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        assert not await store.add_plan(session_id, plan(1), snapshot("old"), None)
        assert not await store.add_plan(session_id, plan(3), snapshot("ahead"), None)
        results = await asyncio.gather(
            *(store.add_plan(session_id, plan(2, pair=(1, k % 2 * 2)), snapshot(str(k)), None) for k in range(10))
        )
        assert results.count(True) == 1
        assert await store.snapshot(session_id) == snapshot(str(results.index(True)))
        assert (await store.session(session_id)).plan_version == 2
        assert [row["version"] for row in await exported(store, session_id, "plan")] == [1, 2]

    async def test_what_is_still_out_is_not_handed_out_again(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        given = await issue(store, session_id, 6)  # (0,1) three times, (0,2) twice, (1,2) once
        await store.answer(session_id, [reward(one, 1) for one in given if 0 in (one.i, one.j) and 1 in (one.i, one.j)])
        await store.fold(session_id)
        demand = ((0, 1, 5), (0, 2, 5), (1, 2, 1))
        assert await store.add_plan(session_id, plan(2, demand), snapshot(), None)
        last = (await store.planning_input(session_id)).last_plan
        assert last is not None
        assert (last.demand, last.handout) == (demand, ((0, 1, 5), (0, 2, 3)))
        assert pairs(await issue(store, session_id, 8)) == {(0, 1): 5, (0, 2): 3}

    async def test_planning_may_go_back_one_memory(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        assert await store.add_plan(session_id, plan(2), snapshot(), None)
        assert await store.add_plan(session_id, plan(3), snapshot(), None)
        given = await store.planning_input(session_id)
        assert given.last_plan is not None
        assert (given.last_plan.memory, given.memory_before) == (plan(3).memory, plan(2).memory)

    async def test_a_plan_is_closed_when_nothing_of_it_is_out(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        first = await issue(store, session_id, 6)
        assert await store.add_plan(session_id, plan(2), snapshot(), None)
        second = await issue(store, session_id, 6)
        await store.answer(session_id, [reward(one, 1) for one in (*first[:-1], *second)])
        await store.fold(session_id)
        assert (await store.planning_input(session_id)).closed_before == 1, "one answer of the first plan is missing"
        await store.answer(session_id, [Feedback(first[-1].ticket, not_shown=True)])
        await store.fold(session_id)
        assert (await store.planning_input(session_id)).closed_before == 2
        assert await store.add_plan(session_id, plan(3), snapshot(), None)
        await issue(store, session_id, 1)
        assert (await store.planning_input(session_id)).closed_before == 3

    async def test_if_all_is_out_the_whole_demand_is_handed_out(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        await issue(store, session_id, 6)
        assert await store.add_plan(session_id, plan(2, ((0, 1, 2), (0, 2, 1))), snapshot(), None)
        given = await issue(store, session_id, 3)
        assert pairs(given) == {(0, 1): 2, (0, 2): 1}
        assert {one.plan_version for one in given} == {2}

    async def test_the_best_pair_follows_the_plan(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        assert await store.add_plan(session_id, plan(2, (), pair=(1, 2)), snapshot("two"), None)
        (shown,) = await store.issue(session_id, order())
        assert shown.purpose is Purpose.EXPLOIT
        assert {shown.i, shown.j} == {1, 2}
        assert shown.plan_version == 2

    async def test_the_first_certificate_stands(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        first = CertificateRecord('{"gap": 0.01}', "abc")
        assert await store.add_plan(session_id, plan(2), snapshot(), first)
        assert await store.add_plan(session_id, plan(3), snapshot(), CertificateRecord("{}", "other"))
        assert await store.certificate(session_id) == first
        at_once = await store.create_session(record(n_items=2), plan(demand=()), snapshot(), first)
        assert await store.certificate(at_once.id) == first

    async def test_a_snapshot_does_not_overwrite_that_of_a_newer_plan(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        assert await store.set_snapshot(session_id, 1, State.RUNNING, snapshot("renewed"))
        assert await store.snapshot(session_id) == snapshot("renewed")
        assert await store.add_plan(session_id, plan(2), snapshot("two"), None)
        assert not await store.set_snapshot(session_id, 1, State.RUNNING, snapshot("stale"))
        assert await store.snapshot(session_id) == snapshot("two")

    async def test_a_snapshot_does_not_tell_a_state_that_has_changed(self, store: SqlStore) -> None:
        session_id = await a_session(store)
        await store.change_session(session_id, SessionChange(state=State.PAUSED))
        assert not await store.set_snapshot(session_id, 1, State.RUNNING, snapshot("stale"))
        assert await store.set_snapshot(session_id, 1, State.PAUSED, snapshot("paused"))
        assert await store.snapshot(session_id) == snapshot("paused")


class TestOverview:
    async def test_an_export_has_everything_in_order(self, store: SqlStore) -> None:
        session_id = await a_session(store, demand=((0, 1, 4000), (1, 2, 4000)), budget=9000)
        given = await issue(store, session_id, 4500)
        assert await store.add_plan(session_id, plan(2), snapshot(), None)
        rows = [row async for row in store.export(session_id)]
        assert [row["kind"] for row in rows] == ["session", "plan", "plan", *["impression"] * 4500]
        assert [row["ticket"] for row in rows[3:]] == [one.ticket for one in given]
        made = await store.session(session_id)
        assert rows[0]["items"][1] == {"id": "ad-1", "label": "Ad 1 🙂"}
        assert rows[0]["settings"]["epsilon"] == made.settings.epsilon
        assert rows[0]["counters"]["issued"] == 4500
        assert "ticket_key" not in rows[0]
        assert rows[1]["demand"] == [[0, 1, 4000], [1, 2, 4000]]
        assert rows[1]["memory"] == plan().memory

    async def test_sessions_with_impressions_out_are_to_be_advanced(self, store: SqlStore) -> None:
        running, paused, idle, stopped = [await a_session(store) for _ in range(4)]
        given = {session_id: await issue(store, session_id, 1) for session_id in (running, paused, stopped)}
        await store.change_session(paused, SessionChange(state=State.PAUSED))
        await store.change_session(stopped, SessionChange(state=State.STOPPED))
        assert await store.sessions_to_advance() == sorted([running, paused, stopped])
        await store.answer(running, [reward(given[running][0], 1)])
        await store.fold(running)
        assert await store.sessions_to_advance() == sorted([paused, stopped])
        assert idle not in await store.sessions_to_advance()

    async def test_it_says_when_it_is_ready(self, store: SqlStore) -> None:
        assert await store.ready() is None
