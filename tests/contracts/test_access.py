"""The store of keys and of the audit trail, on SQLite and on PostgreSQL."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from app.access.audit import Action
from app.access.keys import Key, Scope, new_key
from app.access.rates import Rate
from app.access.sql import AccessStore
from app.database.store import SqlStore
from app.errors import SessionNotFound
from tests.examples import a_session, execute


@pytest.fixture
async def access(database_url: str) -> AsyncIterator[AccessStore]:
    store = AccessStore(database_url)
    await store.prepare()
    yield store
    await store.close()


def a_key(*scopes: Scope, name: str = "ad server", rate: Rate | None = None) -> Key:
    return new_key(name, scopes or (Scope.READ,), rate=rate)[1]


async def test_a_key_is_read_as_it_was_stored(access: AccessStore) -> None:
    assert await access.keys() == []
    first = await access.add_key(a_key(Scope.SERVE, Scope.FEEDBACK, name="Größe ☃", rate=Rate(5, 60)), "me")
    second = await access.add_key(a_key(Scope.ADMIN), "me")
    assert first.created_at <= second.created_at
    assert first.scopes == {Scope.SERVE, Scope.FEEDBACK}
    assert (first.name, first.rate, first.revoked_at) == ("Größe ☃", Rate(5, 60), None)
    assert await access.keys() == [first, second]


async def test_the_version_differs_after_every_change(access: AccessStore) -> None:
    assert await access.active_keys(-1) == (0, [])
    assert await access.active_keys(0) is None
    key = await access.add_key(a_key(), "me")
    found = await access.active_keys(0)
    assert found is not None
    version, keys = found
    assert version > 0
    assert keys == [key]
    assert await access.active_keys(version) is None
    await access.revoke_key(key.id, "me")
    after = await access.active_keys(version)
    assert after is not None
    assert after[0] not in {0, version}
    assert after[1] == [], "a revoked key is not active, and the version does not go back to 0"


async def test_a_key_is_revoked_once_and_permanently(access: AccessStore) -> None:
    key, other = await access.add_key(a_key(), "me"), await access.add_key(a_key(), "me")
    revoked = await access.revoke_key(key.id, "you")
    assert revoked is not None
    assert revoked.revoked_at is not None
    assert await access.revoke_key(key.id, "another") == revoked
    assert await access.keys() == [revoked, other]
    for unknown in ("bp_000000000000", "\0", "\ud800", ""):
        assert await access.revoke_key(unknown, "me") is None
    entries = await access.audit(10, None)
    assert [(entry.actor, entry.action) for entry in entries] == [
        ("you", Action.REVOKE_KEY), ("me", Action.CREATE_KEY), ("me", Action.CREATE_KEY),
    ]  # fmt: skip
    assert entries[0].details == {"key": key.id, "name": "ad server"}


async def test_revoking_an_unknown_key_changes_nothing(access: AccessStore) -> None:
    await access.revoke_key("bp_000000000000", "me")
    assert await access.active_keys(-1) == (0, []), "no key was ever made"


@pytest.mark.parametrize("session_id", ["unknown", "\0", "\ud800", "ü"])
async def test_a_key_cannot_be_bound_to_a_session_that_does_not_exist(access: AccessStore, session_id: str) -> None:
    with pytest.raises(SessionNotFound):
        await access.add_key(new_key("x", [Scope.READ], session_id=session_id)[1], "me")
    assert await access.active_keys(-1) == (0, [])
    assert await access.audit(10, None) == []


async def test_audit_pages_contain_the_names_of_keys(access: AccessStore) -> None:
    admin = await access.add_key(a_key(Scope.ADMIN, name="boss"), "command line")
    made = [await access.add_key(a_key(name=f"n{n}"), admin.id) for n in range(5)]
    first = await access.audit(3, None)
    rest = await access.audit(10, first[-1].id)
    assert [entry.details["key"] for entry in first + rest] == [key.id for key in reversed([admin, *made])]
    assert [entry.actor_name for entry in first] == ["boss"] * 3
    assert (rest[-1].actor, rest[-1].actor_name) == ("command line", None)
    assert await access.audit(10, rest[-1].id) == []


class TestWithARunningServer:
    """While a session store uses the same database."""

    async def test_keys_are_made_and_revoked_while_the_store_serves(self, store: SqlStore, database_url: str) -> None:
        access = AccessStore(database_url)
        await access.prepare()  # takes no lock: the tables exist
        session = await a_session(store)
        key = await access.add_key(new_key("x", [Scope.READ], session_id=session)[1], "me")
        assert abs(key.created_at - time.time()) < 60
        await asyncio.gather(*(store.counters(session) for _ in range(5)), access.revoke_key(key.id, "me"))
        await store.delete_session(session)
        (left,) = await access.keys()
        assert (left.id, left.session_id) == (key.id, session), "it is still listed after its session was deleted"
        await access.close()

    async def test_no_secret_is_stored(self, database_url: str) -> None:
        access = AccessStore(database_url)
        await access.prepare()
        shown, key = new_key("x", [Scope.READ])
        await access.add_key(key, "me")
        secret = shown.removeprefix(f"{key.id}_")
        rows = str(execute(database_url, "SELECT * FROM keys") + execute(database_url, "SELECT * FROM audit"))
        assert key.digest in rows
        assert secret not in rows
        await access.close()
