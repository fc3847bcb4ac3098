"""Feedback accepted without reading the impression first: exactly the cases that `decide` accepts."""

import asyncio

import pytest

from app.errors import SessionNotFound
from app.impressions.feedback import FeedbackStatus, Rewards, StoredImpression, decide
from app.sessions.model import FixedParts
from app.wire.serving import Feedback
from app.wire.vocabulary import FeedbackKind
from tests.examples import a_session, execute, feedback, issue, record, reward, settings
from tests.store import SessionStore

LONG_AGO = 1000.0  # more than the 300 s that a ticket lives
STATES = {
    "open": "late_at = NULL",
    "answered 1": "outcome = 1.0, answered_at = issued_at",
    "answered 0": "outcome = 0.0, answered_at = issued_at",
    "not shown": "not_shown = TRUE",
    "answered late": "late_outcome = 1.0, late_at = issued_at",
    "void": "void = TRUE",
    "given up": "given_up = TRUE",
    "past its time": f"issued_at = issued_at - {LONG_AGO}",
    "open too": "late_at = NULL",
}
EACH = 6
FIELDS = ", ".join(StoredImpression._fields)


def columns(*rows: Feedback) -> Rewards:
    return Rewards([row.ticket for row in rows], [row.reward or 0.0 for row in rows])


@pytest.mark.parametrize("together", list(STATES), ids=lambda state: f"open and {state}")
@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("in_columns", [False, True])
async def test_the_guarded_statement_accepts_what_decide_accepts(
    store: SessionStore, database_url: str, together: str, value: float, in_columns: bool
) -> None:
    session_id = await a_session(store, demand=((0, 1, 99),))
    given = await issue(store, session_id, 2 * EACH)
    for place, shown in enumerate(given):
        change = STATES["open" if place % 2 else together]
        execute(database_url, f"UPDATE impressions SET {change} WHERE ticket = :t", {"t": shown.ticket})  # noqa: S608
    stored = execute(database_url, f"SELECT {FIELDS} FROM impressions ORDER BY sequence")  # noqa: S608
    (now,) = execute(database_url, "SELECT max(issued_at) FROM impressions")[0]
    session = FixedParts(record().items, settings(), b"")
    wanted = [decide(StoredImpression(*row), feedback("", reward=value), session, now) for row in stored]
    rows = [reward(one, value) for one in given]
    answers = columns(*rows) if in_columns else rows
    assert await store.answer(session_id, answers) == [one.status for one in wanted]
    after = execute(database_url, "SELECT outcome, late_outcome FROM impressions ORDER BY sequence")
    for before, judged, (outcome, late) in zip(stored, wanted, after, strict=True):
        accepted = judged.status is FeedbackStatus.ACCEPTED
        assert outcome == (value if accepted else before.outcome)
        assert late == (judged.outcome if judged.late else before.late_outcome)


async def test_feedback_that_is_read_first_is_late_for_an_impression_that_was_given_up(
    store: SessionStore, database_url: str
) -> None:
    """Lists of clicked items and "not shown" are not accepted by the guarded statement."""
    session_id = await a_session(store, demand=((0, 1, 99),), feedback=FeedbackKind.ITEMS)
    one, two, three = await issue(store, session_id, 3)
    execute(database_url, "UPDATE impressions SET given_up = TRUE, void = TRUE WHERE sequence < 3")
    answers = [
        feedback(one.ticket, clicked=[one.i]),
        feedback(two.ticket, not_shown=True),
        feedback(three.ticket, clicked=[three.i]),
    ]
    late, accepted = FeedbackStatus.LATE, FeedbackStatus.ACCEPTED
    assert await store.answer(session_id, answers) == [late, late, accepted]
    after = execute(
        database_url, "SELECT outcome, not_shown, late_outcome, late_clicked FROM impressions ORDER BY sequence"
    )
    assert [tuple(row) for row in after] == [(None, 0, 1.0, 1), (None, 0, None, None), (1.0, 0, None, None)]


async def test_the_first_answer_of_a_ticket_wins_in_one_group(store: SessionStore) -> None:
    session_id = await a_session(store, demand=((0, 1, 99),))
    one, two, *more = await issue(store, session_id, 12)
    answers = [
        reward(one, 1),
        reward(one, 1),
        reward(one, 0),
        feedback(two.ticket, not_shown=True),
        reward(two, 1),
        *(reward(each, 1) for each in more),
    ]
    accepted, duplicate, conflict = FeedbackStatus.ACCEPTED, FeedbackStatus.DUPLICATE, FeedbackStatus.CONFLICT
    wanted = [accepted, duplicate, conflict, accepted, conflict, *[accepted] * 10]
    assert await store.answer(session_id, answers) == wanted
    assert await store.answer(session_id, answers[::-1]) == [
        *[duplicate] * 10, conflict, duplicate, conflict, duplicate, duplicate,
    ]  # fmt: skip


async def test_the_first_of_a_ticket_wins_in_columns_too(store: SessionStore) -> None:
    session_id = await a_session(store, demand=((0, 1, 99),))
    one, two, three, *more = await issue(store, session_id, 12)
    accepted, duplicate, conflict = FeedbackStatus.ACCEPTED, FeedbackStatus.DUPLICATE, FeedbackStatus.CONFLICT
    rest = [reward(each, k % 2) for k, each in enumerate(more)]
    found = await asyncio.gather(  # one group: what comes in one turn of the event loop is handed over together
        store.answer(session_id, columns(reward(one, 1), reward(two, 0), *rest)),
        store.answer(session_id, columns(reward(two, 1), reward(three, 1))),
        store.answer(session_id, columns(reward(three, 1), reward(three, 0))),
    )
    assert list(found) == [[accepted] * 11, [conflict, accepted], [duplicate, conflict]]
    again = await store.answer(session_id, columns(reward(two, 0), reward(one, 0)))
    assert again == [duplicate, conflict]


async def test_a_group_may_name_a_session_that_is_gone(store: SessionStore) -> None:
    session_id = await a_session(store, demand=((0, 1, 99),))
    told = columns(*[reward(one, 1) for one in await issue(store, session_id, 6)])
    found = await asyncio.gather(store.answer("gone", told), store.answer(session_id, told), return_exceptions=True)
    assert isinstance(found[0], SessionNotFound)
    assert found[1] == [FeedbackStatus.ACCEPTED] * 6


async def test_tickets_of_others_and_of_nobody_are_not_taken(store: SessionStore, database_url: str) -> None:
    mine, other = await a_session(store), await a_session(store)
    given = await issue(store, mine, 6)
    strange = await issue(store, other, 6)
    unknown = [feedback(text, reward=1.0) for text in ("t", 'a "quoted" one', "back\\slash", "{a,b}", "NULL", "ü\0")]
    answers = [reward(one, 1) for pair in zip(given, strange, strict=True) for one in pair] + unknown
    accepted, not_found = FeedbackStatus.ACCEPTED, FeedbackStatus.NOT_FOUND
    assert await store.answer(mine, answers) == [accepted, not_found] * 6 + [not_found] * 6
    ((count,),) = execute(database_url, "SELECT count(*) FROM impressions WHERE outcome IS NOT NULL")
    assert count == 6
