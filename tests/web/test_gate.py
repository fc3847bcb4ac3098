"""The gate alone: how many streams each key may have open."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.sessions.access import Admission
from app.sessions.errors import Overloaded
from app.sessions.keyring import Keyring
from app.sessions.keys import Scope, new_key
from app.web import access
from app.web.access import Gate
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
