"""Every change of a session is written down once, in its own transaction; what is refused leaves nothing."""

from typing import Any

import pytest

from app.access.audit import Action, Entry
from app.access.sql import SqlAccess
from app.database.store import SqlStore
from app.errors import InvalidSession, InvalidStateChange, SessionNotFound
from app.sessions import sql as managing
from app.sessions.model import SessionChange, State
from tests.examples import a_session, execute, issue, plan, record, snapshot

PAUSED, RUNNING, STOPPED = State.PAUSED, State.RUNNING, State.STOPPED


async def trail(url: str) -> list[Entry]:
    """Returns all entries, oldest first."""
    access = SqlAccess(url)
    found = await access.audit(1000, None)
    await access.close()
    return found[::-1]


def told(entries: list[Entry]) -> list[tuple[str, Action, dict[str, Any]]]:
    return [(entry.actor, entry.action, dict(entry.details)) for entry in entries]


async def test_creation_is_written_down(store: SqlStore, database_url: str) -> None:
    new = record(n_items=4)
    made = await store.create_session(new, plan(), snapshot(), None, "bp_1")
    (entry,) = await trail(database_url)
    assert told([entry]) == [("bp_1", Action.CREATE, {"name": new.name, "items": 4})]
    assert (entry.session_id, entry.at) == (made.id, made.created_at), "by the database's clock"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([{"name": "x"}], [(Action.RENAME, {"to": "x"})]),
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
async def test_each_change_is_written_down_once(
    store: SqlStore,
    database_url: str,
    changes: list[dict[str, Any]],
    expected: list[tuple[Action, dict[str, Any]]],
) -> None:
    session = await a_session(store, budget=100)
    for change in changes:
        await store.change_session(session, SessionChange(**change), "bp_2")
    entries = (await trail(database_url))[1:]
    assert {entry.actor for entry in entries} <= {"bp_2"}
    assert {entry.session_id for entry in entries} <= {session}
    seen = [(entry.action, {k: v for k, v in entry.details.items() if k != "from" or v == 100}) for entry in entries]
    assert seen == expected


@pytest.mark.parametrize("change", [{"budget": 99}, {"budget": 99, "name": "x"}, {"budget": 99, "state": PAUSED}])
async def test_a_refused_change_leaves_nothing(store: SqlStore, database_url: str, change: dict[str, Any]) -> None:
    session = await a_session(store, budget=100)
    with pytest.raises(InvalidStateChange):
        await store.change_session(session, SessionChange(**change))
    with pytest.raises(SessionNotFound):
        await store.change_session("nobody", SessionChange(name="x"))
    with pytest.raises(SessionNotFound):
        await store.delete_session("nobody")
    with pytest.raises(InvalidSession):
        await store.create_session(await store.session(session), plan(), snapshot(), None)
    assert [entry.action for entry in await trail(database_url)] == [Action.CREATE]


async def test_a_change_that_is_undone_is_not_written_down(
    store: SqlStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await a_session(store)

    def fails(*_: object) -> None:
        raise InvalidStateChange("after the entry")

    monkeypatch.setattr(managing, "session_record", fails)
    with pytest.raises(InvalidStateChange):
        await store.change_session(session, SessionChange(state=PAUSED))
    assert [entry.action for entry in await trail(database_url)] == [Action.CREATE]
    assert execute(database_url, "SELECT state FROM sessions") == [("running",)]


async def test_deletion_is_written_down_and_the_trail_outlives_it(
    store: SqlStore, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(managing, "_DELETED_AT_ONCE", 10)
    session = await a_session(store)
    await issue(store, session, 35)
    await store.delete_session(session, "bp_3")
    entries = await trail(database_url)
    assert [(entry.action, entry.session_id) for entry in entries] == [
        (Action.CREATE, session), (Action.DELETE, session),
    ], "once, though it took several transactions"  # fmt: skip
    assert entries[-1].actor == "bp_3"
    assert execute(database_url, "SELECT count(*) FROM impressions") == [(0,)]
