"""What a store counts, against a reference that knows only the rules: final, issue order, void left out."""

import asyncio
import random
from typing import Any

import pytest

from app.counting import sql as counting
from app.database.statements import Prepared
from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import Impression
from app.sessions.model import Counters
from app.wire.serving import Feedback
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import FeedbackKind, MissingFeedback, State
from tests.contracts.reference import Reference, recount, sums_of
from tests.examples import (
    LARGE,
    a_session,
    add_plan,
    exported,
    feedback,
    issue,
    let_time_pass,
    order,
    plan,
    reward,
    snapshot,
)
from tests.store import SessionStore

HISTORIES: list[dict[str, Any]] = [
    {"missing_feedback": MissingFeedback.VOID},
    {"missing_feedback": MissingFeedback.NO_CLICK},
    {"missing_feedback": MissingFeedback.NO_CLICK, "attribution_window_seconds": 60.0},
    {"missing_feedback": MissingFeedback.VOID, "attribution_window_seconds": 60.0, "feedback": FeedbackKind.ITEMS},
]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("history", HISTORIES, ids=["lost", "silent", "window", "items"])
async def test_random_histories_count_as_the_reference_says(
    store: SessionStore, database_url: str, history: dict[str, Any], seed: int
) -> None:
    rng = random.Random(seed)
    demand = ((0, 1, 40), (0, 2, 30), (1, 2, 20))
    session_id = await a_session(store, demand=demand, ticket_ttl_seconds=90.0, **history)
    reference = Reference(history.get("attribution_window_seconds", 0.0), 90.0, history["missing_feedback"])
    version = 1
    for _ in range(12):
        reference.note(await issue(store, session_id, rng.randrange(12)))
        told = [_answer(rng, shown.one, history) for shown in reference.diary if rng.random() < 0.3]
        rng.shuffle(told)
        expected = [reference.expected_status(feedback) for feedback in told]
        statuses = await store.answer(session_id, told)
        for status, wanted in zip(statuses, expected, strict=True):
            if wanted is FeedbackStatus.LATE:
                assert status is not FeedbackStatus.ACCEPTED  # late, or told late before
            elif wanted is not None:
                assert status is wanted
        passing = rng.choice([0.0, 15.0, 30.0, 45.0])  # lifetimes are multiples of 15: real seconds do not matter
        let_time_pass(database_url, passing)
        reference.clock += passing
        if rng.random() < 0.7:
            reference.fold()
            assert await store.fold(session_id) == reference.counters()
        if rng.random() < 0.3:
            version += 1
            assert await add_plan(store, session_id, plan(version, demand), snapshot(), None)
        given = await store.planning_input(session_id)
        assert given.counters == reference.counters() == await store.counters(session_id)
        assert sums_of(given.evidence) == reference.evidence()
        assert sums_of(given.known) == reference.known()
        assert given.closed_before == reference.closed_before(version)
    assert (given.counters, sums_of(given.evidence)) == await recount(store, session_id)
    assert given.counters.counted > 5


def _answer(rng: random.Random, one: Impression, history: dict[str, Any]) -> Feedback:
    if rng.random() < 0.1:
        return feedback(one.ticket, not_shown=True)
    if history.get("feedback") is FeedbackKind.ITEMS:
        return feedback(one.ticket, clicked=frozenset(item for item in (one.i, one.j) if rng.random() < 0.4))
    return reward(one, float(rng.random() < 0.4))


async def test_a_slow_answer_holds_back_all_that_come_after_it(store: SessionStore) -> None:
    session_id = await a_session(store)
    given = await issue(store, session_id, 6)
    slow = given[2]
    await store.answer(session_id, [reward(one, 1) for one in given if one is not slow])
    folded = await store.fold_result(session_id)
    assert (folded.counters.counted, folded.watermark) == (2, 2)
    assert (folded.known, folded.unanswered) == (5, 1), "plans use what is known"
    await store.answer(session_id, [reward(slow, 0)])
    assert await store.fold(session_id) == Counters(issued=6, answered=6, void=0, counted=6)


async def test_a_fold_that_finds_nothing_changes_nothing(store: SessionStore) -> None:
    session_id = await a_session(store)
    (one,) = await issue(store, session_id, 1)
    assert (await store.fold(session_id)).counted == 0
    assert (await store.session(session_id)).watermark == 0
    await store.answer(session_id, [reward(one, 1)])
    await store.fold(session_id)
    (before,) = await exported(store, session_id, "session")
    await store.fold(session_id)
    assert (await store.session(session_id)).watermark == 1
    (after,) = await exported(store, session_id, "session")
    assert before == after
    (row,) = await exported(store, session_id, "impression")
    assert (row["void"], row["given_up"], row["epoch"]) == (False, False, None)


async def test_many_are_folded_in_parts_and_in_order(
    store: SessionStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seven = Prepared(counting._RANGE.statement.limit(7))  # type: ignore[union-attr]
    monkeypatch.setattr(counting, "_RANGE", seven)
    session_id = await a_session(store, demand=LARGE)
    given = await issue(store, session_id, 60)
    await store.answer(session_id, [reward(one, k % 2) for k, one in enumerate(given) if k != 30])
    counters = await store.fold(session_id)
    assert counters == Counters(issued=60, answered=59, void=0, counted=30)
    assert (counters, sums_of((await store.planning_input(session_id)).evidence)) == await recount(store, session_id)
    let_time_pass(database_url, 301)
    assert await store.fold(session_id) == Counters(issued=60, answered=59, void=1, counted=59)


async def test_a_fold_tells_for_how_long_nothing_will_be_final(store: SessionStore, database_url: str) -> None:
    session_id = await a_session(store, ticket_ttl_seconds=90.0)
    await issue(store, session_id, 2)
    let_time_pass(database_url, 30)
    await issue(store, session_id, 2)
    assert 50 < (await store.fold_result(session_id)).quiet_seconds <= 60


async def test_a_stopped_session_still_counts_what_comes(store: SessionStore) -> None:
    session_id = await a_session(store)
    (one,) = await issue(store, session_id, 1)
    await store.change_session(session_id, SessionPatch(state=State.STOPPED))
    await store.answer(session_id, [reward(one, 1)])
    assert (await store.fold(session_id)).counted == 1


async def test_folds_and_answers_at_once_count_everything_once(store: SessionStore) -> None:
    session_id = await a_session(store, demand=((0, 1, 50), (0, 2, 50)))

    async def caller(number: int) -> None:
        (one,) = await store.issue(session_id, order())
        if number % 10 == 0:
            await store.fold(session_id)
        assert await store.answer(session_id, [reward(one, number % 2)]) == [FeedbackStatus.ACCEPTED]

    await asyncio.gather(*(caller(number) for number in range(100)))
    assert await store.fold(session_id) == Counters(issued=100, answered=100, void=0, counted=100)
    counters, sums = await recount(store, session_id)
    assert counters.counted == 100
    assert sums == sums_of((await store.planning_input(session_id)).evidence)
