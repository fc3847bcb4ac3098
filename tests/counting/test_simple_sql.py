"""What the database counts by itself is what `counting.rules.fold` would have counted."""

import random
from dataclasses import astuple

import pytest

from app.counting import rules
from app.counting import sql as folding
from app.impressions.feedback import StoredImpression
from app.wire.vocabulary import FeedbackKind
from tests.examples import a_session, execute, feedback, issue, let_time_pass, settings
from tests.store import SessionStore

FIELDS = ", ".join(StoredImpression.__dataclass_fields__)
DEMAND = ((0, 1, 30), (0, 2, 30), (1, 2, 30))


@pytest.mark.parametrize("kind", list(FeedbackKind))
@pytest.mark.parametrize("at_once", [7, 2000])
@pytest.mark.parametrize("some_wait", [True, False])
async def test_the_evidence_is_that_of_the_pure_fold(
    store: SessionStore,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    kind: FeedbackKind,
    at_once: int,
    some_wait: bool,
) -> None:
    monkeypatch.setattr(folding, "FOLDED_AT_ONCE", at_once)
    session_id = await a_session(store, demand=DEMAND, feedback=kind)
    rng = random.Random(4)
    for half in range(2):
        answers = []
        for one in await issue(store, session_id, 50):
            fate = rng.random()
            if fate < 0.1:
                answers.append(feedback(one.ticket, not_shown=True))
            elif fate < 0.9 and kind is FeedbackKind.PAIR:
                answers.append(feedback(one.ticket, reward=float(rng.random() < 0.4)))
            elif fate < 0.9:
                clicked = frozenset(item for item in (one.i, one.j) if rng.random() < 0.4)
                answers.append(feedback(one.ticket, clicked=clicked))
        await store.answer(session_id, answers)
        if half == 0 or not some_wait:
            let_time_pass(database_url, 301)  # the silent ones are given up
    rows = execute(database_url, f"SELECT {FIELDS} FROM impressions ORDER BY sequence")  # noqa: S608
    ((now,),) = execute(database_url, "SELECT max(last_beat_at) FROM uptimes")
    wanted = rules.fold([StoredImpression(*row) for row in rows], settings(feedback=kind), now, [])
    assert wanted.void
    assert 30 < len(wanted.counted) < 90
    counters = await store.fold(session_id)
    assert (counters.counted, counters.void) == (len(wanted.counted), len(wanted.void))
    assert astuple((await store.planning_input(session_id)).evidence) == astuple(wanted.evidence)
    closed = execute(database_url, "SELECT sequence, void FROM impressions WHERE epoch IS NOT NULL ORDER BY sequence")
    fates = sorted([(one, False) for one in wanted.counted] + [(one, True) for one in wanted.void])
    assert [(row.sequence, bool(row.void)) for row in closed] == fates
    assert await store.fold(session_id) == counters, "nothing is counted twice"
