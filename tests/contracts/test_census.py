"""Counting sessions, on every database."""

import json

from app.results.sql import SessionGroup, SessionProgress
from app.sessions.model import Snapshot
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import issue, plan, record, reward
from tests.store import SessionStore


def said(verdict: str, gap: float, samples: int, **more: float) -> Snapshot:
    return Snapshot(json.dumps({"verdict": verdict, "gap": gap, "samples": samples, **more}), f'"{verdict}"')


async def session_saying(store: SessionStore, verdict: str, gap: float, samples: int, **more: float) -> str:
    given = record()
    await store.create_session(given, plan(), said(verdict, gap, samples, **more), None)
    return given.id


async def test_sessions_are_counted_by_state_and_verdict(store: SessionStore) -> None:
    assert (await store.census(10)).groups == ()
    first = await session_saying(store, "not_yet", 0.5, 40)
    await session_saying(store, "not_yet", 1.0, 0)
    paused = await session_saying(store, "not_yet", 1.0, 0)
    certified = await session_saying(store, "certified", 0.0, 9_000_000_000)
    await store.change_session(paused, SessionPatch(state=State.PAUSED))
    shown = await issue(store, first, 5)
    await store.answer(first, [reward(shown[0], 1)])
    await store.fold(first)
    census = await store.census(0)
    assert set(census.groups) == {
        SessionGroup("running", "not_yet", 2, 4),
        SessionGroup("paused", "not_yet", 1, 0),
        SessionGroup("running", "certified", 1, 0),
    }
    assert census.progress == ()
    newest = (await store.census(1)).progress
    assert newest == (SessionProgress(certified, 0.0, 9_000_000_000),)
    assert len((await store.census(10)).progress) == 4
    assert newest[0]._replace(gap=0.5, session_id=first, samples=40) in (await store.census(10)).progress


async def test_progress_has_the_relative_gap_unless_an_older_version_proved_it(store: SessionStore) -> None:
    older = await session_saying(store, "not_yet", 0.5, 40)
    newer = await session_saying(store, "not_yet", 0.5, 40, relative_gap=0.25)
    found = {one.session_id: one.relative_gap for one in (await store.census(10)).progress}
    assert found == {older: None, newer: 0.25}


async def test_a_deleted_session_is_counted_no_more(store: SessionStore) -> None:
    gone = await session_saying(store, "not_yet", 0.5, 40)
    await store.delete_session(gone)
    assert (await store.census(10)).groups == ()
