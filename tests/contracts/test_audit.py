"""Every change of a session adds one audit entry, in the same transaction; a refused change adds none."""

from typing import Any

import pytest

from app.access.audit import Action, Entry
from app.access.sql import AccessStore, write_audit_entry
from app.errors import InvalidSession, InvalidStateChange, SessionNotFound
from app.sessions import changes_sql
from app.wire.sessions import SessionPatch
from app.wire.vocabulary import State
from tests.examples import a_session, execute, issue, plan, record, snapshot
from tests.store import SessionStore

PAUSED, RUNNING, STOPPED = State.PAUSED, State.RUNNING, State.STOPPED


async def audit_entries(url: str) -> list[Entry]:
    """Returns all entries, oldest first."""
    access = AccessStore(url)
    found = await access.audit(1000, None)
    await access.close()
    return found[::-1]


def summaries(entries: list[Entry]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(entry.actor, entry.action, dict(entry.details)) for entry in entries]


async def test_creation_adds_an_entry(store: SessionStore, database_url: str) -> None:
    new = record(n_items=4)
    made = await store.create_session(new, plan(), snapshot(), None, "bp_1")
    (entry,) = await audit_entries(database_url)
    assert summaries([entry]) == [("bp_1", Action.CREATE, {"name": new.name, "items": 4})]
    assert (entry.session_id, entry.at) == (made.id, made.created_at), "database time"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([{"name": "x"}], [(Action.RENAME, {"to": "x"})]),
        ([{"notes": "why\nwho"}, {"notes": "why\nwho"}], [(Action.RENAME, {"setting": "notes", "to": "why\nwho"})]),
        ([{"state": PAUSED}], [(Action.PAUSE, {})]),
        ([{"state": PAUSED}, {"state": RUNNING}], [(Action.PAUSE, {}), (Action.RESUME, {})]),
        ([{"state": STOPPED}], [(Action.STOP, {})]),
        ([{"budget": 200}], [(Action.RAISE_BUDGET, {"from": 100, "to": 200})]),
        ([{"state": PAUSED}] * 3, [(Action.PAUSE, {})]),
        ([{"budget": 200}] * 2, [(Action.RAISE_BUDGET, {"from": 100, "to": 200})]),
        ([{"state": RUNNING, "budget": 100}], []),
        (
            [{"state": PAUSED, "name": "y", "budget": 101}],
            [(Action.RENAME, {"to": "y"}), (Action.RAISE_BUDGET, {"from": 100, "to": 101}), (Action.PAUSE, {})],
        ),
    ],
)
async def test_each_change_adds_one_entry(
    store: SessionStore,
    database_url: str,
    changes: list[dict[str, Any]],
    expected: list[tuple[Action, dict[str, Any]]],
) -> None:
    session = await a_session(store, budget=100)
    for change in changes:
        await store.change_session(session, SessionPatch(**change), "bp_2")
    entries = (await audit_entries(database_url))[1:]
    assert {entry.actor for entry in entries} <= {"bp_2"}
    assert {entry.session_id for entry in entries} <= {session}
    seen = [(entry.action, {k: v for k, v in entry.details.items() if k != "from" or v == 100}) for entry in entries]
    assert seen == expected


@pytest.mark.parametrize("change", [{"budget": 99}, {"budget": 99, "name": "x"}, {"budget": 99, "state": PAUSED}])
async def test_a_refused_change_adds_no_entry(store: SessionStore, database_url: str, change: dict[str, Any]) -> None:
    session = await a_session(store, budget=100)
    with pytest.raises(InvalidStateChange):
        await store.change_session(session, SessionPatch(**change))
    with pytest.raises(SessionNotFound):
        await store.change_session("unknown", SessionPatch(name="x"))
    with pytest.raises(SessionNotFound):
        await store.delete_session("unknown")
    with pytest.raises(InvalidSession):
        await store.create_session(await store.session(session), plan(), snapshot(), None)
    assert [entry.action for entry in await audit_entries(database_url)] == [Action.CREATE]


async def test_a_change_that_is_rolled_back_adds_no_entry(
    store: SessionStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await a_session(store)

    def write_and_fail(*given: Any) -> None:
        write_audit_entry(*given)
        raise InvalidStateChange("after the entry")

    monkeypatch.setattr(changes_sql, "write_audit_entry", write_and_fail)
    with pytest.raises(InvalidStateChange):
        await store.change_session(session, SessionPatch(state=PAUSED))
    assert [entry.action for entry in await audit_entries(database_url)] == [Action.CREATE]
    assert execute(database_url, "SELECT state FROM sessions") == [("running",)]


async def test_deletion_adds_an_entry_and_keeps_the_earlier_ones(
    store: SessionStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes_sql, "_DELETED_AT_ONCE", 10)
    session = await a_session(store)
    await issue(store, session, 35)
    await store.delete_session(session, "bp_3")
    entries = await audit_entries(database_url)
    assert [(entry.action, entry.session_id) for entry in entries] == [
        (Action.CREATE, session), (Action.DELETE, session),
    ], "one entry, although the deletion took several transactions"  # fmt: skip
    assert entries[-1].actor == "bp_3"
    assert execute(database_url, "SELECT count(*) FROM impressions") == [(0,)]


async def test_an_action_of_a_newer_version_can_be_read(store: SessionStore, database_url: str) -> None:
    await a_session(store)
    execute(database_url, "UPDATE audit SET action = 'a_new_one'")
    assert [entry.action for entry in await audit_entries(database_url)] == ["a_new_one"]
