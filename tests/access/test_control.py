"""AccessControl without HTTP: how many streams a key may have open, and the cache of callers."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.access import control as module
from app.access.control import AccessControl, Admission, KeylessAccess
from app.access.key_cache import MAX_STALE_SECONDS, KeyCache
from app.access.keys import Scope, new_key
from app.access.sql import AccessStore
from app.errors import Forbidden, Overloaded, StorageUnavailable, Unauthorized
from tests.access.stores import access_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AccessStore]:
    with access_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def cache(store: AccessStore) -> KeyCache:
    return KeyCache(store)


async def events() -> AsyncIterator[int]:
    while True:
        yield 1
        await asyncio.sleep(0)


async def admitted(access_control: AccessControl, cache: KeyCache, store: AccessStore, name: str) -> Admission:
    shown, key = new_key(name, [Scope.READ])
    await store.add_key(key, "me")
    await cache.refresh()
    return access_control.admit(f"Bearer {shown}".encode(), None, Scope.READ, "s0")


async def test_one_key_cannot_use_all_streams(
    store: AccessStore, cache: KeyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_STREAMS_PER_KEY", 2)
    access_control = AccessControl(cache)
    greedy, other = [await admitted(access_control, cache, store, name) for name in ("greedy", "other")]
    opened = [access_control.while_admitted(events(), greedy) for _ in range(2)]
    assert [await anext(each) for each in opened] == [1, 1]
    with pytest.raises(Overloaded, match="this key has 2 streams open"):
        access_control.while_admitted(events(), greedy)
    assert await anext(access_control.while_admitted(events(), other)) == 1
    await opened[0].aclose()  # type: ignore[attr-defined]  # a generator, as every stream is
    assert await anext(access_control.while_admitted(events(), greedy)) == 1


async def test_without_keys_streams_are_not_limited_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STREAMS_PER_KEY", 1)
    access_control = AccessControl(None)
    keyless = access_control.admit(None, None, Scope.READ, "s0")
    opened = [access_control.while_admitted(events(), keyless) for _ in range(3)]
    assert [await anext(each) for each in opened] == [1, 1, 1]


async def test_a_cached_caller_gets_the_same_admission(store: AccessStore, cache: KeyCache) -> None:
    shown, key = new_key("shop", [Scope.READ], session_id="s0")
    await store.add_key(key, "me")
    await cache.refresh()
    access_control = AccessControl(cache)
    bearer = f"Bearer {shown}".encode()
    read = access_control.for_route(Scope.READ)
    first = read.admit(bearer, b"here", "s0", None)
    assert first.actor == key.id
    assert read.admit(bearer, b"here", "s0", None) is first
    for other_session in ("s1", "s1"):
        with pytest.raises(Forbidden):
            read.admit(bearer, b"here", other_session, None)
    with pytest.raises(Forbidden, match="the scope serve or admin; the key"):
        access_control.for_route(Scope.SERVE).admit(bearer, b"here", "s0", None)
    with pytest.raises(Forbidden, match="the scope admin; the key"):
        access_control.for_route(Scope.ADMIN).admit(bearer, b"here", "s0", None)
    with pytest.raises(Unauthorized):
        read.admit(bearer[:-1] + b"_", b"here", "s0", None)


async def test_a_cached_caller_is_refused_after_its_key_is_revoked(store: AccessStore, cache: KeyCache) -> None:
    shown, key = new_key("shop", [Scope.READ])
    await store.add_key(key, "me")
    await cache.refresh()
    read = AccessControl(cache).for_route(Scope.READ)
    bearer = f"Bearer {shown}".encode()
    read.admit(bearer, None, "s0", None)
    await store.revoke_key(key.id, "me")
    await cache.refresh()
    with pytest.raises(Unauthorized):
        read.admit(bearer, None, "s0", None)


async def test_cached_callers_without_a_key_are_refused_after_the_first_key(
    store: AccessStore, cache: KeyCache
) -> None:
    await cache.refresh()
    serve = AccessControl(cache, keyless_access=KeylessAccess.LOOPBACK).for_route(Scope.SERVE)
    serve.admit(None, b"localhost", "s0", None)
    for host, site in ((b"evil.example", None), (b"localhost", b"cross-site")):
        with pytest.raises(Forbidden):
            serve.admit(None, host, "s0", site)
    await store.add_key(new_key("first", [Scope.READ])[1], "me")
    await cache.refresh()
    with pytest.raises(Unauthorized):
        serve.admit(None, b"localhost", "s0", None)


async def test_cached_callers_are_refused_while_the_database_is_away(
    cache: KeyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cache.start()
    try:
        read = AccessControl(cache, keyless_access=KeylessAccess.ALL).for_route(Scope.READ)
        read.admit(None, None, "s0", None)
        monkeypatch.setattr(cache, "_read_at", cache._read_at - 2 * MAX_STALE_SECONDS)
        with pytest.raises(StorageUnavailable):
            read.admit(None, None, "s0", None)
    finally:
        await cache.stop()


async def test_the_cache_of_callers_is_limited_in_number_and_size(
    cache: KeyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_CACHED_CALLERS", 3)
    await cache.refresh()
    read = AccessControl(cache, keyless_access=KeylessAccess.ALL).for_route(Scope.READ)
    for number in range(10):
        read.admit(None, b"host%d" % number, "s0", None)
        assert len(read._admissions) <= 3
    long = b"x" * 1000
    assert read.admit(None, long, "s0", None) is not read.admit(None, long, "s0", None)
