"""Sessions must not get stuck: after lost feedback, crashes between two commits, pauses and stops."""

import asyncio
import json
from typing import Any

import pytest

from app.counting.sql import FOLDED_AT_ONCE, read_part
from app.engine.problem import Model
from app.impressions.handout_order import HANDOUTS, Impression, Order
from app.services import Services
from app.sessions.model import Item
from app.wire.sessions import SessionCreate, SessionPatch
from app.wire.vocabulary import MissingFeedback, State, WhileWaiting
from tests.examples import LARGE, a_session, execute, feedback, issue, let_time_pass, reward
from tests.session_fixtures import new_session
from tests.store import SessionStore

ITEMS = tuple(Item(name, name) for name in "abc")


async def create(services: Services, new: SessionCreate) -> str:
    return (await services.sessions.create(new)).session.id


async def next_pairs(services: Services, session_id: str, count: int) -> list[Impression]:
    _, given = await services.impressions.next_pairs(Order(session_id, count, "next-pair/batch", None, ""))
    return given


async def best_pair(services: Services, session_id: str) -> dict[str, object]:
    body: dict[str, object] = json.loads((await services.results.best_pair(session_id)).body)
    return body


async def test_lost_feedback_does_not_stop_a_deterministic_session(store: SessionStore) -> None:
    services, planner = store.services(), store.services().sessions.planner
    session_id = await create(services, new_session(items=ITEMS, model=Model.DETERMINISTIC, rank=1, seed=1))
    (first,) = await next_pairs(services, session_id, 1)
    await services.impressions.feedback(session_id, feedback(first.ticket, not_shown=True))
    x = [0.9, 0.5, 0.4]
    for _ in range(30):
        await planner.advance(session_id)
        for one in await next_pairs(services, session_id, 2):
            if one.purpose.value == "explore":
                await services.impressions.feedback(session_id, reward(one, 1.0 - x[one.i] * x[one.j]))
        body = json.loads((await store.snapshot(session_id)).body)  # not the cached one
        if body["certified"]:
            assert {body["i"], body["j"]} == {1, 2}
            return
    raise AssertionError(body)


async def test_a_crash_between_fold_and_plan_with_the_budget_spent(store: SessionStore) -> None:
    services, planner = store.services(), store.services().sessions.planner
    session_id = await create(services, new_session(items=ITEMS, budget=6, policy="naive", seed=1))
    given = await next_pairs(services, session_id, 6)
    await services.impressions.feedback_batch(session_id, [reward(one, 1) for one in given])
    await store.fold(session_id)  # and here the process ends
    assert session_id in await store.sessions_to_advance()
    await planner.advance(session_id)
    assert (await best_pair(services, session_id))["verdict"] == "exhausted"
    assert await store.sessions_to_advance() == []


@pytest.mark.parametrize("while_waiting", WhileWaiting)
async def test_a_crash_between_fold_and_plan_while_the_best_pair_is_shown(
    store: SessionStore, while_waiting: WhileWaiting
) -> None:
    """When a plan is out, callers get the best pair, whose feedback does not cause a plan."""
    services, planner = store.services(), store.services().sessions.planner
    session_id = await create(services, new_session(items=ITEMS, while_waiting=while_waiting, epsilon=0.01, seed=1))
    shown = await next_pairs(services, session_id, 1000)
    given = [one for one in shown if one.counts]
    last = await store.last_plan(session_id)
    assert last is not None
    times = HANDOUTS if while_waiting is WhileWaiting.EXPLORE else 1
    assert len(given) == times * last.demand.total < len(shown)
    await services.impressions.feedback_batch(session_id, [reward(one, k % 2) for k, one in enumerate(given)])
    await store.fold(session_id)  # and here the process ends
    assert await store.sessions_to_advance() == [session_id]
    await planner.advance(session_id)
    assert (await store.session(session_id)).plan_version == 2
    assert await store.sessions_to_advance() == []


async def test_a_session_stored_before_there_was_the_setting_is_found_after_a_crash_too(store: SessionStore) -> None:
    session_id = await a_session(store)
    execute(store.url, """UPDATE sessions SET settings = replace(settings, '"while_waiting":"explore",', '')""")
    given = [one for one in await issue(store, session_id, 100) if one.counts]
    await store.answer(session_id, [reward(one, 1) for one in given])
    await store.fold(session_id)
    assert await store.sessions_to_advance() == [session_id]


async def test_a_session_whose_plan_is_not_out_waits_for_callers(store: SessionStore) -> None:
    session_id = await a_session(store)
    last = await store.last_plan(session_id)
    assert last is not None
    given = await issue(store, session_id, HANDOUTS * last.demand.total - 1)
    await store.answer(session_id, [reward(one, 1) for one in given])
    await store.fold(session_id)
    assert await store.sessions_to_advance() == []


@pytest.mark.parametrize("while_waiting", WhileWaiting)
async def test_lost_feedback_does_not_stop_a_session_whose_plan_is_out(
    store: SessionStore, while_waiting: WhileWaiting
) -> None:
    services, planner = store.services(), store.services().sessions.planner
    session_id = await create(services, new_session(items=ITEMS, while_waiting=while_waiting, epsilon=0.01, seed=1))
    given = [one for one in await next_pairs(services, session_id, 1000) if one.counts]
    await services.impressions.feedback_batch(session_id, [reward(one, 1) for one in given[1:4]])
    assert not any(one.counts for one in await next_pairs(services, session_id, 5))
    await planner.advance(session_id)
    assert (await store.session(session_id)).plan_version == 1, "the others may still be answered"
    let_time_pass(store.url, 301)
    for waiting in await store.sessions_to_advance():
        await planner.advance(waiting)
    assert (await store.session(session_id)).plan_version == 2
    assert all(one.counts for one in await next_pairs(services, session_id, 5)), "and exploring goes on"


async def test_a_plan_follows_the_fold_that_completes_it_where_silence_is_an_outcome(store: SessionStore) -> None:
    """All is folded then: without a request, nothing would advance the session again."""
    services = store.services()
    planner = services.sessions.planner
    session_id = await create(services, new_session(items=ITEMS, attribution_window_seconds=1, epsilon=0.01, seed=1))
    last = await store.last_plan(session_id)
    assert last is not None
    given = await next_pairs(services, session_id, last.demand.total)
    await services.impressions.feedback_batch(session_id, [reward(one, 1) for one in given[::3]])
    let_time_pass(store.url, 1.1)
    await planner.advance(session_id)
    assert (await store.session(session_id)).plan_version == 2


async def test_the_last_report_of_a_spent_budget_contains_all_answers(store: SessionStore) -> None:
    """They are known long before their windows close: the last plan waits for that."""
    services = store.services()
    planner = services.sessions.planner
    window = {"attribution_window_seconds": 1000, "missing_feedback": MissingFeedback.VOID}
    session_id = await create(services, new_session(items=ITEMS, budget=60, epsilon=0.01, seed=1, **window))
    for _ in range(10):
        given = [one for one in await next_pairs(services, session_id, 60) if one.counts]
        await services.impressions.feedback_batch(session_id, [reward(one, k % 2) for k, one in enumerate(given)])
        await planner.advance(session_id)
    body = await best_pair(services, session_id)
    assert (body["verdict"], body["samples"]) == ("not_yet", 0)
    let_time_pass(store.url, 1001)
    for waiting in await store.sessions_to_advance():
        await planner.advance(waiting)
    body = await best_pair(services, session_id)
    assert (body["verdict"], body["samples"]) == ("exhausted", 60)
    assert await store.sessions_to_advance() == []


async def test_a_fold_in_several_transactions_leaves_nothing_unanswered(store: SessionStore) -> None:
    session_id = await a_session(store, demand=LARGE, ticket_ttl_seconds=60.0)
    await issue(store, session_id, FOLDED_AT_ONCE + 500)
    let_time_pass(store.url, 100)
    folded = await store.fold_result(session_id)
    assert (folded.watermark, folded.unanswered) == (FOLDED_AT_ONCE + 500, 0)


async def test_a_fold_ends_if_its_impressions_are_being_deleted(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await a_session(store)
    given = await issue(store, session_id, 3)
    await store.answer(session_id, [reward(one, 1) for one in given])
    read = store.read

    async def read_after_deletion(work: Any, *arguments: Any) -> Any:
        if work is read_part:
            execute(store.url, "DELETE FROM impressions")
        return await read(work, *arguments)

    monkeypatch.setattr(store, "read", read_after_deletion)
    async with asyncio.timeout(10):
        assert (await store.fold_result(session_id)).watermark == 0


async def test_a_budget_can_be_raised_again_after_a_crash_before_the_plan(store: SessionStore) -> None:
    services, planner = store.services(), store.services().sessions.planner
    session_id = await create(services, new_session(items=ITEMS, budget=6, policy="naive", seed=1))
    given = await next_pairs(services, session_id, 6)
    await services.impressions.feedback_batch(session_id, [reward(one, 1) for one in given])
    await planner.advance(session_id)
    await store.change_session(session_id, SessionPatch(budget=50))  # and here the process ends
    await services.sessions.change(session_id, SessionPatch(budget=50))
    assert (await best_pair(services, session_id))["verdict"] == "not_yet"
    (one,) = await next_pairs(services, session_id, 1)
    assert one.counts


async def test_a_stopped_session_still_counts_what_was_accepted(store: SessionStore) -> None:
    services, planner = store.services(), store.services().sessions.planner
    session_id = await create(services, new_session(items=ITEMS, attribution_window_seconds=1, seed=1))
    given = await next_pairs(services, session_id, 5)
    await services.sessions.change(session_id, SessionPatch(state=State.STOPPED))
    for one in given[:3]:
        await services.impressions.feedback(session_id, reward(one, 1))
    let_time_pass(store.url, 1.1)
    for waiting in await store.sessions_to_advance():
        await planner.advance(waiting)
    assert (await store.counters(session_id)).counted == 5
    assert (await best_pair(services, session_id))["state"] == "stopped"


async def test_the_snapshot_has_the_stored_state(store: SessionStore) -> None:
    services = store.services()
    session_id = await create(services, new_session(items=ITEMS, seed=1))
    for _ in range(5):
        states = [State.PAUSED, State.RUNNING, State.PAUSED, State.RUNNING]
        changes = (services.sessions.change(session_id, SessionPatch(state=state)) for state in states)
        await asyncio.gather(*changes)
        view = await services.results.session(session_id)
        assert json.loads(view.snapshot.body)["state"] == view.session.state.value


async def test_an_open_window_holds_back_all_that_follow(store: SessionStore) -> None:
    """Also one that was not shown: it is void once the watermark passes it."""
    services = store.services()
    session_id = await create(services, new_session(items=ITEMS, attribution_window_seconds=1000, seed=1))
    given = await next_pairs(services, session_id, 6)
    await services.impressions.feedback(session_id, reward(given[0], 1))
    await services.impressions.feedback(session_id, feedback(given[1].ticket, not_shown=True))
    counters = await store.fold(session_id)
    assert (counters.answered, counters.counted, counters.void, counters.outstanding) == (1, 0, 0, 6)
    assert await store.counters(session_id) == counters
