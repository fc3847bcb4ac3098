"""Sessions that must not stop for ever: after lost answers, crashes between two commits, pauses and stops."""

import asyncio
import json

from app.sessions.service import Answer, Sessions

from app.engine.problem import Model
from app.impressions.handout import Order
from app.planning.planner import Planner
from app.sessions.model import Item
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.session_fixtures import new_session
from tests.store import SessionStore

ITEMS = tuple(Item(name, name) for name in "abc")


def orders(count: int) -> Order:
    return Order(count, "next-pair/batch", None, "")


async def test_a_lost_answer_does_not_stop_a_deterministic_session(store: SessionStore) -> None:
    sessions, planner = Sessions(store), Planner(store)
    new = new_session(items=ITEMS, model=Model.DETERMINISTIC, rank=1, seed=1)
    session = (await sessions.create(new)).record.id
    (first,) = await sessions.next_pairs(session, orders(1))
    await sessions.feedback(session, Answer(first.handed_out.ticket, not_shown=True))
    x = [0.9, 0.5, 0.4]
    for _ in range(30):
        await planner.advance(session)
        for shown in await sessions.next_pairs(session, orders(2)):
            one = shown.handed_out
            if one.purpose.value == "explore":
                await sessions.feedback(session, Answer(one.ticket, reward=1.0 - x[one.i] * x[one.j]))
        body = json.loads((await store.snapshot(session)).body)  # not what the use cases may still have at hand
        if body["certified"]:
            assert {body["i"], body["j"]} == {1, 2}
            return
    raise AssertionError(body)


async def test_a_crash_between_fold_and_plan_with_the_budget_spent(store: SessionStore) -> None:
    sessions, planner = Sessions(store), Planner(store)
    session = (await sessions.create(new_session(items=ITEMS, budget=6, policy="naive", seed=1))).record.id
    shown = await sessions.next_pairs(session, orders(6))
    await sessions.feedback_batch(session, [Answer(one.handed_out.ticket, reward=1) for one in shown])
    await store.fold(session)  # and here the process ends
    assert session in await store.sessions_to_advance()
    await planner.advance(session)
    assert json.loads((await sessions.best_pair(session)).body)["verdict"] == "exhausted"
    assert await store.sessions_to_advance() == []


async def test_a_budget_can_be_raised_again_after_a_crash_before_the_plan(store: SessionStore) -> None:
    sessions = Sessions(store)
    session = (await sessions.create(new_session(items=ITEMS, budget=6, policy="naive", seed=1))).record.id
    shown = await sessions.next_pairs(session, orders(6))
    await sessions.feedback_batch(session, [Answer(one.handed_out.ticket, reward=1) for one in shown])
    await Planner(store).advance(session)
    await store.change_session(session, SessionPatch(budget=50))  # and here the process ends
    await sessions.change(session, SessionPatch(budget=50))
    body = json.loads((await sessions.best_pair(session)).body)
    assert body["verdict"] == "not_yet"
    (one,) = await sessions.next_pairs(session, orders(1))
    assert one.handed_out.counts


async def test_a_stopped_session_still_counts_what_was_accepted(store: SessionStore) -> None:
    sessions, planner = Sessions(store), Planner(store)
    new = new_session(items=ITEMS, attribution_window_seconds=1, seed=1)
    session = (await sessions.create(new)).record.id
    shown = await sessions.next_pairs(session, orders(5))
    await sessions.change(session, SessionPatch(state=State.STOPPED))
    for one in shown[:3]:
        await sessions.feedback(session, Answer(one.handed_out.ticket, reward=1))
    await asyncio.sleep(1.1)
    for waiting in await store.sessions_to_advance():
        await planner.advance(waiting)
    assert (await store.counters(session)).counted == 5
    assert json.loads((await sessions.best_pair(session)).body)["state"] == "stopped"


async def test_the_state_told_is_the_state_that_is(store: SessionStore) -> None:
    sessions = Sessions(store)
    session = (await sessions.create(new_session(items=ITEMS, seed=1))).record.id
    for _ in range(5):
        wishes = [State.PAUSED, State.RUNNING, State.PAUSED, State.RUNNING]
        await asyncio.gather(*(sessions.change(session, SessionPatch(state=state)) for state in wishes))
        view = await sessions.get(session)
        assert json.loads(view.snapshot.body)["state"] == view.record.state.value


async def test_open_windows_are_not_loaded_by_a_fold(store: SessionStore) -> None:
    """A fold deals with what is final; it must not cost what is merely open."""
    sessions = Sessions(store)
    new = new_session(items=ITEMS, attribution_window_seconds=1000, seed=1)
    session = (await sessions.create(new)).record.id
    shown = await sessions.next_pairs(session, orders(6))
    await sessions.feedback(session, Answer(shown[0].handed_out.ticket, reward=1))
    await sessions.feedback(session, Answer(shown[1].handed_out.ticket, not_shown=True))
    counters = await store.fold(session)
    assert (counters.answered, counters.counted, counters.void, counters.outstanding) == (1, 0, 1, 5)
    assert await store.counters(session) == counters
