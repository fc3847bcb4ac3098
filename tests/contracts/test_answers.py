"""What becomes of an answer. The same tests on SQLite and on PostgreSQL."""

import asyncio
import time
from collections import Counter

import pytest

from app.impressions.feedback import FeedbackStatus
from app.impressions.handout_order import exploit_ticket
from app.wire.vocabulary import FeedbackKind, MissingFeedback
from tests.examples import (
    a_session,
    exported,
    feedback,
    issue,
    let_time_pass,
    order,
    reward,
)
from tests.store import SessionStore

ACCEPTED, DUPLICATE, LATE = FeedbackStatus.ACCEPTED, FeedbackStatus.DUPLICATE, FeedbackStatus.LATE
IGNORED, CONFLICT, NOT_FOUND = FeedbackStatus.IGNORED, FeedbackStatus.CONFLICT, FeedbackStatus.NOT_FOUND


class TestFeedback:
    async def test_every_status(self, store: SessionStore, database_url: str) -> None:
        session_id, other = await a_session(store), await a_session(store)
        old = await issue(store, session_id, 2)
        let_time_pass(database_url, 301)
        shown, conflict, hidden, elsewhere = [*await issue(store, session_id, 3), *await issue(store, other, 1)]
        key = (await store.session(session_id)).ticket_key
        hide = feedback(hidden.ticket, not_shown=True)
        told = [
            (reward(shown, 1), ACCEPTED),
            (reward(shown, 1), DUPLICATE),
            (reward(shown, 0), CONFLICT),
            (feedback(shown.ticket, not_shown=True), CONFLICT),
            (reward(conflict, 0), ACCEPTED),
            (reward(conflict, 1), CONFLICT),
            (hide, ACCEPTED),
            (hide, DUPLICATE),
            (reward(hidden, 1), CONFLICT),
            (reward(old[0], 1), LATE),
            (reward(old[0], 1), DUPLICATE),
            (reward(old[0], 0), CONFLICT),
            (feedback(old[1].ticket, not_shown=True), LATE),
            (feedback(exploit_ticket(key, session_id), reward=1), IGNORED),
            (feedback(exploit_ticket(key, other), reward=1), NOT_FOUND),
            (feedback(exploit_ticket(b"forged", session_id), reward=1), NOT_FOUND),
            (reward(elsewhere, 1), NOT_FOUND),
            (feedback("", reward=1), NOT_FOUND),
            (feedback(shown.ticket.swapcase(), reward=1), NOT_FOUND),
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

    async def test_the_first_of_many_equal_callers_is_accepted(self, store: SessionStore) -> None:
        session_id = await a_session(store)
        (shown,) = await store.issue(session_id, order())
        statuses = await asyncio.gather(*(store.answer(session_id, [reward(shown, k % 2)]) for k in range(40)))
        assert Counter(status for (status,) in statuses) == {ACCEPTED: 1, DUPLICATE: 19, CONFLICT: 20}

    async def test_clicked_items_are_kept_by_slot(self, store: SessionStore) -> None:
        session_id = await a_session(store, feedback=FeedbackKind.ITEMS, demand=((0, 1, 100),))
        given = await issue(store, session_id, 20)
        clicks = [frozenset[int](), frozenset({0}), frozenset({1}), frozenset({0, 1})] * 5
        told = [feedback(one.ticket, clicked=clicked) for one, clicked in zip(given, clicks, strict=True)]
        assert await store.answer(session_id, told) == [ACCEPTED] * 20
        await store.fold(session_id)
        evidence = (await store.planning_input(session_id)).evidence
        assert (evidence.n, evidence.s, evidence.clicks_i, evidence.clicks_j) == ([20], [5.0], [10], [10])

    async def test_what_a_fold_has_counted_can_not_be_changed(self, store: SessionStore) -> None:
        session_id = await a_session(store, attribution_window_seconds=0.05, missing_feedback=MissingFeedback.NO_CLICK)
        given = await issue(store, session_id, 2)
        await asyncio.sleep(0.1)
        assert (await store.fold(session_id)).counted == 2
        assert await store.answer(session_id, [reward(one, 1) for one in given]) == [LATE] * 2
        assert (await store.planning_input(session_id)).evidence.s == pytest.approx([1.0, 1.0], abs=1.0)
        assert sum((await store.planning_input(session_id)).evidence.s) == 2.0

    async def test_an_empty_batch_is_answered(self, store: SessionStore) -> None:
        assert await store.answer(await a_session(store), []) == []
