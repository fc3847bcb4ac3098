"""The gate alone: how many streams each key may have open, and doors that know who went through."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.access.admission import Admission, OpenTo
from app.access.keyring import TRUSTED_SECONDS, Keyring
from app.access.keys import Scope, new_key
from app.errors import Forbidden, Overloaded, StorageUnavailable
from app.web import access
from app.web.access import Gate
from app.web.problems import Unauthorized
from tests.fakes.access import FakeAccess


async def news() -> AsyncIterator[int]:
    while True:
        yield 1
        await asyncio.sleep(0)


async def admitted(gate: Gate, ring: Keyring, store: FakeAccess, name: str) -> Admission:
    shown, key = new_key(name, [Scope.READ])
    await store.add_key(key, "me")
    await ring.refresh()
    return gate.admit(f"Bearer {shown}".encode(), None, Scope.READ, "s0")


async def test_no_key_takes_the_streams_of_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MOST_STREAMS_OF_A_KEY", 2)
    store = FakeAccess()
    ring = Keyring(store)
    gate = Gate(ring)
    greedy, other = [await admitted(gate, ring, store, name) for name in ("greedy", "other")]
    opened = [gate.while_admitted(news(), greedy) for _ in range(2)]
    assert [await anext(each) for each in opened] == [1, 1]
    with pytest.raises(Overloaded, match="this key has 2 streams open"):
        gate.while_admitted(news(), greedy)
    assert await anext(gate.while_admitted(news(), other)) == 1
    await opened[0].aclose()  # type: ignore[attr-defined]  # a generator, as every stream is
    assert await anext(gate.while_admitted(news(), greedy)) == 1


async def test_without_keys_there_is_nobody_to_take_them_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MOST_STREAMS_OF_A_KEY", 1)
    gate = Gate(None)
    anybody = gate.admit(None, None, Scope.READ, "s0")
    opened = [gate.while_admitted(news(), anybody) for _ in range(3)]
    assert [await anext(each) for each in opened] == [1, 1, 1]


async def test_a_door_lets_in_whom_the_gate_does_and_knows_them_again() -> None:
    store = FakeAccess()
    store.session_ids.add("s0")
    ring = Keyring(store)
    shown, key = new_key("shop", [Scope.READ], session_id="s0")
    await store.add_key(key, "me")
    await ring.refresh()
    gate = Gate(ring)
    bearer = f"Bearer {shown}".encode()
    door = gate.door(Scope.READ)
    first = door.admit(bearer, b"here", "s0", None)
    assert first.actor == key.id
    assert door.admit(bearer, b"here", "s0", None) is first
    for elsewhere in ("s1", "s1"):
        with pytest.raises(Forbidden):
            door.admit(bearer, b"here", elsewhere, None)
    with pytest.raises(Forbidden, match="the scope serve or admin; the key"):
        gate.door(Scope.SERVE).admit(bearer, b"here", "s0", None)
    with pytest.raises(Forbidden, match="the scope admin; the key"):
        gate.door(Scope.ADMIN).admit(bearer, b"here", "s0", None)
    with pytest.raises(Unauthorized):
        door.admit(bearer[:-1] + b"_", b"here", "s0", None)


async def test_a_door_forgets_a_key_that_was_revoked() -> None:
    store = FakeAccess()
    ring = Keyring(store)
    shown, key = new_key("shop", [Scope.READ])
    await store.add_key(key, "me")
    await ring.refresh()
    door = Gate(ring).door(Scope.READ)
    bearer = f"Bearer {shown}".encode()
    door.admit(bearer, None, "s0", None)
    await store.revoke_key(key.id, "me")
    await ring.refresh()
    with pytest.raises(Unauthorized):
        door.admit(bearer, None, "s0", None)


async def test_an_open_door_closes_with_the_first_key_and_never_knows_a_stranger() -> None:
    store = FakeAccess()
    ring = Keyring(store)
    await ring.refresh()
    door = Gate(ring, open_to=OpenTo.THIS_MACHINE).door(Scope.SERVE)
    door.admit(None, b"localhost", "s0", None)
    for host, site in ((b"evil.example", None), (b"localhost", b"cross-site")):
        with pytest.raises(Forbidden):
            door.admit(None, host, "s0", site)
    await store.add_key(new_key("first", [Scope.READ])[1], "me")
    await ring.refresh()
    with pytest.raises(Unauthorized):
        door.admit(None, b"localhost", "s0", None)


async def test_a_door_trusts_nobody_while_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FakeAccess()
    ring = Keyring(store)
    await ring.start()
    try:
        door = Gate(ring, open_to=OpenTo.EVERYBODY).door(Scope.READ)
        door.admit(None, None, "s0", None)
        monkeypatch.setattr(ring, "_read_at", ring._read_at - 2 * TRUSTED_SECONDS)
        with pytest.raises(StorageUnavailable):
            door.admit(None, None, "s0", None)
    finally:
        await ring.stop()


async def test_a_door_remembers_few_callers_and_no_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MOST_REMEMBERED", 3)
    store = FakeAccess()
    ring = Keyring(store)
    await ring.refresh()
    door = Gate(ring, open_to=OpenTo.EVERYBODY).door(Scope.READ)
    for number in range(10):
        door.admit(None, b"host%d" % number, "s0", None)
        assert len(door._known) <= 3
    long = b"x" * 1000
    assert door.admit(None, long, "s0", None) is not door.admit(None, long, "s0", None)
