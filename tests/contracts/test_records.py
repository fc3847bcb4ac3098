"""Sessions as a store keeps them: created, changed, deleted, listed. The same tests on SQLite and on PostgreSQL."""

import json
import time
from dataclasses import replace

import pytest

from app.errors import (
    InvalidSession,
    InvalidStateChange,
    SessionNotFound,
)
from app.health import Health
from app.impressions.feedback import FeedbackStatus
from app.results.sql import Certificate
from app.sessions.model import Counters
from app.wire.session_settings import EditableSettings
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import FeedbackKind, State
from tests.examples import (
    a_session,
    add_plan,
    execute,
    exported,
    feedback,
    issue,
    order,
    plan,
    record,
    reward,
    snapshot,
)
from tests.store import SessionStore

DUPLICATE = FeedbackStatus.DUPLICATE


class TestRecords:
    async def test_a_session_comes_back_as_it_was_stored(self, store: SessionStore) -> None:
        new = record(n_items=50, budget=1000, feedback=FeedbackKind.ITEMS, rank=3, attribution_window_seconds=1.5)
        made = await store.create_session(new, plan(), snapshot("hello"), None)
        assert abs(made.created_at - time.time()) < 60
        assert len(made.plan_id) == 24
        assert made == replace(new, plan_id=made.plan_id, created_at=made.created_at, updated_at=made.updated_at)
        assert await store.session(new.id) == made
        assert await store.snapshot(new.id) == snapshot("hello")
        assert await store.counters(new.id) == Counters(0, 0, 0, 0)
        assert await store.certificate(new.id) is None
        given = await store.planning_input(new.id)
        assert given.session == made
        assert given.last_plan == plan()
        assert given.evidence.n == []
        assert given.health == ()
        assert (given.memory_before, given.closed_before) == (None, 1)

    async def test_health_of_older_versions_suspends(self, store: SessionStore, database_url: str) -> None:
        session_id = await a_session(store)
        old = json.dumps([{"problem": "p", "cause": "c", "advice": "a"}])
        execute(database_url, "UPDATE sessions SET health = :old", {"old": old})
        assert (await store.planning_input(session_id)).health == (Health("p", "c", "a", suspends=True),)

    async def test_an_id_can_be_used_once(self, store: SessionStore) -> None:
        new = record()
        await store.create_session(new, plan(), snapshot(), None)
        with pytest.raises(InvalidSession):
            await store.create_session(new, plan(), snapshot(), None)
        assert (await store.session(new.id)).id == new.id

    @pytest.mark.parametrize("unknown", ["nobody", "", "null\0byte", "half \ud83d of a pair"])
    async def test_an_unknown_id_is_not_found(self, store: SessionStore, unknown: str) -> None:
        for call in (
            store.session(unknown),
            store.counters(unknown),
            store.snapshot(unknown),
            store.certificate(unknown),
            store.planning_input(unknown),
            store.last_plan(unknown),
            store.fold(unknown),
            store.delete_session(unknown),
            store.issue(unknown, order()),
            store.answer(unknown, [feedback("t", reward=1)]),
            store.change_session(unknown, SessionPatch(name="x")),
            add_plan(store, unknown, plan(2), snapshot(), None),
            exported(store, unknown, "session"),
        ):
            with pytest.raises(SessionNotFound):
                await call

    async def test_sessions_are_listed_newest_first_in_pages(self, store: SessionStore) -> None:
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

    async def test_a_change_is_kept(self, store: SessionStore) -> None:
        made = await store.create_session(record(budget=10), plan(), snapshot(), None)
        after = await store.change_session(made.id, SessionPatch(state=State.PAUSED, name="new", budget=11))
        assert after == replace(made, state=State.PAUSED, name="new", budget=11, updated_at=after.updated_at)
        assert after.updated_at >= made.updated_at
        assert await store.session(made.id) == after
        assert (await store.change_session(made.id, SessionPatch(name="again"))).budget == 11

    async def test_editing_keeps_settings_of_a_newer_version(self, store: SessionStore, database_url: str) -> None:
        session_id = await a_session(store)
        execute(database_url, "UPDATE sessions SET editable_settings = :newer", {"newer": '{"newer": [1]}'})
        assert (await store.change_session(session_id, SessionPatch(name="new"))).name == "new"
        ((stored,),) = execute(database_url, "SELECT editable_settings FROM sessions")
        assert json.loads(stored) == {"newer": [1]}
        await store.change_session(session_id, SessionPatch(notes="why"))
        ((stored,),) = execute(database_url, "SELECT editable_settings FROM sessions")
        assert json.loads(stored) == {"newer": [1], "notes": "why"}
        (view,) = await store.sessions(1, None)
        assert view.editable.model_dump() == EditableSettings(name="new", notes="why").model_dump()

    async def test_budgets_only_rise_and_stopped_is_for_good(self, store: SessionStore) -> None:
        limited, unlimited = await a_session(store, budget=10), await a_session(store)
        assert (await store.change_session(limited, SessionPatch(budget=10))).budget == 10, "a retry is no mistake"
        for session_id, budget in ((limited, 9), (unlimited, 10)):
            with pytest.raises(InvalidStateChange):
                await store.change_session(session_id, SessionPatch(budget=budget))
        await store.change_session(limited, SessionPatch(state=State.STOPPED))
        for change in (SessionPatch(state=State.RUNNING), SessionPatch(budget=20)):
            with pytest.raises(InvalidStateChange):
                await store.change_session(limited, change)
        await store.change_session(limited, SessionPatch(state=State.STOPPED, name="again"))
        assert (await store.session(limited)).name == "again"

    async def test_a_deleted_session_leaves_nothing(self, store: SessionStore, database_url: str) -> None:
        gone, stays = await a_session(store), await a_session(store)
        for session_id in (gone, stays):
            given = await store.issue(session_id, order(4, key="k"))
            await store.answer(session_id, [reward(one, 1) for one in given])
            await store.fold(session_id)
            assert await add_plan(store, session_id, plan(2), snapshot(), Certificate("{}", "d"))
        await store.delete_session(gone)
        with pytest.raises(SessionNotFound):
            await store.session(gone)
        for table in ("session_items", "impressions", "plans", "evidence", "idempotency_keys", "certificates"):
            left = {row[0] for row in execute(database_url, f"SELECT session_id FROM {table}")}  # noqa: S608
            assert left == {stays}, table
        assert await store.answer(stays, [reward(given[0], 1)]) == [DUPLICATE]

    async def test_a_large_session_is_deleted_in_parts(
        self, store: SessionStore, database_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("app.sessions.changes_sql._DELETED_AT_ONCE", 10)
        gone, stays = await a_session(store), await a_session(store)
        await issue(store, gone, 45)
        await issue(store, stays, 25)
        await store.delete_session(gone)
        assert execute(database_url, "SELECT count(*) FROM impressions")[0][0] == 25
        assert len(await store.sessions(10, None)) == 1


class TestOverview:
    async def test_an_export_has_everything_in_order(self, store: SessionStore) -> None:
        session_id = await a_session(store, demand=((0, 1, 4000), (1, 2, 4000)), budget=9000)
        given = await issue(store, session_id, 4500)
        assert await add_plan(store, session_id, plan(2), snapshot(), None)
        rows = [row async for row in store.export(session_id)]
        assert [row["kind"] for row in rows] == ["session", "plan", "plan", *["impression"] * 4500]
        assert [row["ticket"] for row in rows[3:]] == [one.ticket for one in given]
        made = await store.session(session_id)
        assert rows[0]["items"][1] == {"id": "ad-1", "label": "Ad 1 🙂"}
        assert rows[0]["settings"]["epsilon"] == made.settings.epsilon == 0.05
        assert rows[0]["settings"]["relative_epsilon"] is None
        assert (rows[1]["report"]["gap"], rows[1]["report"]["relative_gap"]) == (0.25, None)
        assert rows[0]["counters"]["issued"] == 4500
        assert "ticket_key" not in rows[0]
        assert rows[1]["demand"] == [[0, 1, 4000], [1, 2, 4000]]
        assert rows[1]["memory"] == plan().memory

    async def test_sessions_with_impressions_out_are_to_be_advanced(self, store: SessionStore) -> None:
        running, paused, idle, stopped = [await a_session(store) for _ in range(4)]
        given = {session_id: await issue(store, session_id, 1) for session_id in (running, paused, stopped)}
        await store.change_session(paused, SessionPatch(state=State.PAUSED))
        await store.change_session(stopped, SessionPatch(state=State.STOPPED))
        assert await store.sessions_to_advance() == sorted([running, paused, stopped])
        await store.answer(running, [reward(given[running][0], 1)])
        await store.fold(running)
        assert await store.sessions_to_advance() == sorted([paused, stopped])
        assert idle not in await store.sessions_to_advance()

    async def test_it_says_when_it_is_ready(self, store: SessionStore) -> None:
        assert await store.ready() is None
