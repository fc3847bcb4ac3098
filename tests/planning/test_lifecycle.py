"""The use cases that create, change and delete a session, with what they do to plans, snapshots and caches."""

import json
import logging
from typing import Any

import pytest

from app.access.audit import Action
from app.access.sql import AccessStore
from app.errors import InvalidSession, InvalidStateChange, SessionNotFound
from app.impressions.handout_order import Impression, Order, Purpose
from app.services import Services
from app.sessions import changes_sql
from app.sessions.model import Counters, SessionView
from app.verification.verify import verify
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import reward
from tests.session_fixtures import items, new_session
from tests.store import SessionStore

BUDGET = 6


@pytest.fixture
async def session_id(services: Services) -> str:
    """A session with four items and a small budget."""
    return (await services.sessions.create(new_session(items=items(4), name="ads", budget=BUDGET, seed=1))).session.id


def best_pair(view: SessionView) -> dict[str, Any]:
    return dict(json.loads(view.snapshot.body))


async def next_pairs(services: Services, session_id: str, count: int) -> list[Impression]:
    _, given = await services.impressions.next_pairs(Order(session_id, count, "next-pair/batch", None, ""))
    return given


async def actions(store: SessionStore) -> list[tuple[str, str]]:
    """Returns the audit entries, oldest first."""
    access = AccessStore(store.url)
    found = await access.audit(1000, None)
    await access.close()
    return [(entry.actor, entry.action) for entry in reversed(found)]


async def spend_budget(services: Services, session_id: str) -> None:
    """Uses the whole budget; the planner then makes a plan that asks for nothing."""
    given = await next_pairs(services, session_id, BUDGET)
    await services.impressions.feedback_batch(session_id, [reward(one, 0.0) for one in given])
    await services.sessions.planner.advance(session_id)


class TestCreate:
    async def test_a_session_of_two_items_is_certified_at_once_and_verifies(
        self, store: SessionStore, services: Services
    ) -> None:
        session_id = (await services.sessions.create(new_session(items=items(2)))).session.id
        certificate = await store.certificate(session_id)
        assert certificate is not None
        rows = [row async for row in services.results.export(session_id)]
        assert all(check.holds for check in verify(json.loads(certificate.body), rows))

    async def test_the_session_is_stored_with_its_first_plan(self, store: SessionStore, services: Services) -> None:
        made = await services.sessions.create(new_session(items=items(4), name="ads", notes="why", budget=100), "bp_1")
        assert (made.session.name, made.session.items, made.session.budget) == ("ads", items(4), 100)
        assert (made.session.state, made.session.plan_version) == (State.RUNNING, 1)
        assert (made.editable.name, made.editable.notes) == ("ads", "why")
        assert made.counters == Counters(0, 0, 0, 0)
        assert await services.results.session(made.session.id) == made, "read back as it was returned"
        last = await store.last_plan(made.session.id)
        assert last is not None
        assert last.demand.total > 0
        assert await actions(store) == [("bp_1", Action.CREATE)]

    async def test_pairs_can_be_handed_out_at_once(self, services: Services, session_id: str) -> None:
        (given,) = await next_pairs(services, session_id, 1)
        assert (given.purpose, given.counts, given.plan_version) == (Purpose.EXPLORE, True, 1)

    async def test_two_items_are_certified_at_once(self, services: Services) -> None:
        made = await services.sessions.create(new_session(items=items(2)))
        assert best_pair(made)["certified"]
        assert json.loads((await services.results.certificate(made.session.id)).body)["pair"] == ["ad-0", "ad-1"]

    async def test_each_session_has_its_own_id_and_ticket_key(self, services: Services) -> None:
        new = new_session(items=items(3), name="the same", seed=1)
        first, second = [(await services.sessions.create(new)).session for _ in range(2)]
        assert first.id != second.id
        assert first.ticket_key != second.ticket_key

    async def test_an_invalid_session_is_not_stored(self, store: SessionStore, services: Services) -> None:
        with pytest.raises(InvalidSession, match='can be "no_click" only with'):
            await services.sessions.create(new_session(items=items(3), missing_feedback="no_click"))
        assert await store.sessions(10, None) == []
        assert await actions(store) == []


class TestChange:
    async def test_notes_are_not_cached(self, store: SessionStore, services: Services, session_id: str) -> None:
        """The fixed settings of a session are cached by its id; the editable ones must not be."""
        other = Services.build(store)  # with caches of its own, like another server
        assert (await other.results.session(session_id)).editable.notes == ""
        for notes in ("who: Ann\nwhy: sale 🙂", "", "why"):
            changed = await services.sessions.change(session_id, SessionPatch(notes=notes))
            read = [changed, await services.results.session(session_id), await other.results.session(session_id)]
            read += await other.results.sessions(10, None)
            assert [view.editable.notes for view in read] == [notes] * 4
            exported = [row async for row in other.results.export(session_id) if row["kind"] == "session"]
            assert [(row["name"], row["notes"]) for row in exported] == [("ads", notes)]
        await services.sessions.change(session_id, SessionPatch(state=State.STOPPED))
        assert (await services.sessions.change(session_id, SessionPatch(notes="the end"))).editable.notes == "the end"

    async def test_the_snapshot_shows_the_new_state_at_once(self, services: Services, session_id: str) -> None:
        await services.results.best_pair(session_id)  # cached
        changed = await services.sessions.change(session_id, SessionPatch(state=State.PAUSED))
        assert changed.session.state is State.PAUSED
        assert best_pair(changed)["state"] == "paused"
        assert json.loads((await services.results.best_pair(session_id)).body)["state"] == "paused"

    async def test_a_paused_session_does_not_explore_until_it_is_resumed(
        self, services: Services, session_id: str
    ) -> None:
        await services.sessions.change(session_id, SessionPatch(state=State.PAUSED))
        (paused,) = await next_pairs(services, session_id, 1)
        await services.sessions.change(session_id, SessionPatch(state=State.RUNNING))
        (resumed,) = await next_pairs(services, session_id, 1)
        assert (paused.purpose, resumed.purpose) == (Purpose.EXPLOIT, Purpose.EXPLORE)

    async def test_a_new_name_changes_nothing_else(self, services: Services, session_id: str) -> None:
        before = await services.results.session(session_id)
        changed = await services.sessions.change(session_id, SessionPatch(name="other"), "bp_1")
        assert changed.session.name == "other"
        assert changed.snapshot == before.snapshot
        assert (changed.session.plan_version, changed.session.state) == (1, State.RUNNING)

    async def test_a_stopped_session_stays_stopped(self, services: Services, session_id: str) -> None:
        await services.sessions.change(session_id, SessionPatch(state=State.STOPPED))
        for change in (SessionPatch(state=State.RUNNING), SessionPatch(budget=100)):
            with pytest.raises(InvalidStateChange):
                await services.sessions.change(session_id, change)
        assert (await services.results.session(session_id)).session.state is State.STOPPED

    async def test_an_unknown_session_is_not_found(self, services: Services) -> None:
        with pytest.raises(SessionNotFound):
            await services.sessions.change("unknown", SessionPatch(name="other"))


class TestRaiseBudget:
    async def test_an_exhausted_session_gets_a_plan_that_asks_again(
        self, store: SessionStore, services: Services, session_id: str
    ) -> None:
        await spend_budget(services, session_id)
        assert json.loads((await services.results.best_pair(session_id)).body)["verdict"] == "exhausted"
        (spent,) = await next_pairs(services, session_id, 1)
        raised = await services.sessions.change(session_id, SessionPatch(budget=1000), "bp_1")
        assert (raised.session.budget, best_pair(raised)["verdict"]) == (1000, "not_yet")
        last = await store.last_plan(session_id)
        assert last is not None
        assert last.version == raised.session.plan_version == best_pair(raised)["plan_version"] == 3
        assert (last.report.budget, last.demand.total > 0) == (1000, True)
        (given,) = await next_pairs(services, session_id, 1)
        assert (spent.purpose, given.purpose) == (Purpose.EXPLOIT, Purpose.EXPLORE)

    async def test_a_lower_budget_is_refused_and_makes_no_plan(
        self, store: SessionStore, services: Services, session_id: str
    ) -> None:
        with pytest.raises(InvalidStateChange, match="can only be raised"):
            await services.sessions.change(session_id, SessionPatch(budget=BUDGET - 1))
        session = await store.session(session_id)
        assert (session.budget, session.plan_version) == (BUDGET, 1)


class TestDelete:
    async def test_nothing_is_left_of_the_session(
        self, store: SessionStore, services: Services, session_id: str
    ) -> None:
        given = await next_pairs(services, session_id, 2)
        await services.results.best_pair(session_id)  # cached
        await services.sessions.planner.advance(session_id)
        await services.sessions.delete(session_id, "bp_1")
        assert services.results.best_pair_cached(session_id) is None
        assert services.impressions._lookup.cached(session_id) is None
        assert session_id not in services.sessions.planner._targets
        assert await store.sessions(10, None) == []
        for call in (
            services.results.best_pair(session_id),
            services.results.session(session_id),
            services.impressions.next_pairs(Order(session_id, 1, "next-pair", None, "")),
            services.impressions.feedback(session_id, reward(given[0], 1.0)),
            services.sessions.planner.advance(session_id),
            services.sessions.delete(session_id),
        ):
            with pytest.raises(SessionNotFound):
                await call
        assert (await actions(store))[1:] == [("bp_1", Action.DELETE)]

    async def test_a_large_session_is_deleted_in_several_transactions_with_one_audit_entry(
        self, store: SessionStore, services: Services, session_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(changes_sql, "_DELETED_AT_ONCE", 2)
        await next_pairs(services, session_id, 5)
        parts, delete_some = 0, changes_sql.delete_some

        def count_and_delete(*given: Any) -> bool:
            nonlocal parts
            parts += 1
            return delete_some(*given)

        monkeypatch.setattr("app.planning.lifecycle.delete_some", count_and_delete)
        await services.sessions.delete(session_id, "bp_1")
        assert parts == 3
        assert await store.sessions(10, None) == []
        assert (await actions(store))[1:] == [("bp_1", Action.DELETE)]

    async def test_other_sessions_are_not_affected(self, services: Services, session_id: str) -> None:
        other = (await services.sessions.create(new_session(items=items(3)))).session.id
        await services.sessions.delete(session_id)
        assert [view.session.id for view in await services.results.sessions(10, None)] == [other]


async def test_each_change_is_logged(services: Services, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "bestpair.sessions"):
        made = await services.sessions.create(new_session(items=items(3)))
        await services.sessions.change(made.session.id, SessionPatch(name="other"))
        await services.sessions.delete(made.session.id)
    logged = [record for record in caplog.records if record.name == "bestpair.sessions"]
    assert [record.getMessage() for record in logged] == ["session_created", "session_changed", "session_deleted"]
    assert {vars(record)["session"] for record in logged} == {made.session.id}


async def test_a_stored_change_is_logged_even_if_the_plan_after_it_fails(
    services: Services, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = (await services.sessions.create(new_session(items(4), budget=10))).session.id

    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the plan failed")

    monkeypatch.setattr(services.sessions.planner, "advance", fail)
    with caplog.at_level(logging.INFO, "bestpair.sessions"), pytest.raises(RuntimeError):
        await services.sessions.change(session_id, SessionPatch(budget=20))
    assert "session_changed" in caplog.messages
