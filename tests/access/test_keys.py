"""The format of keys, and the cache of active keys."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from app.access import key_cache
from app.access.key_cache import KeyCache
from app.access.keys import InvalidKey, Scope, hash_secret, is_key_id, new_key, parse_bearer, secret_matches
from app.access.sql import AccessStore
from app.errors import StorageUnavailable
from tests.access.stores import access_store, cache_with_key


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AccessStore]:
    with access_store(tmp_path) as opened:
        yield opened


def test_a_key_has_a_public_id_and_256_random_bits() -> None:
    shown, key = new_key("me", [Scope.READ])
    key_id, secret = shown[:15], shown[16:]
    assert (key_id, shown[15], len(secret)) == (key.id, "_", 43)
    assert key.digest == hash_secret(secret.encode())
    assert secret.endswith(key.ending)
    assert len({new_key("me", [Scope.READ])[0] for _ in range(50)}) == 50
    assert secret not in repr(key)
    assert is_key_id(key.id)


@pytest.mark.parametrize(
    "name", ["", " ", " x", "x ", "a\nb", "a\x1b[31m", "a\u202eb", "a\u2028b", "\ud800", "x" * 101]
)
def test_names_that_are_unsafe_to_print_are_refused(name: str) -> None:
    with pytest.raises(InvalidKey):
        new_key(name, [Scope.READ])


def test_a_key_needs_a_scope() -> None:
    with pytest.raises(InvalidKey):
        new_key("me", [])


@pytest.mark.parametrize("scope", Scope)
def test_admin_grants_every_scope_and_other_scopes_grant_only_themselves(scope: Scope) -> None:
    assert new_key("me", [Scope.ADMIN])[1].grants(scope)
    granted = {each for each in Scope if new_key("me", [scope])[1].grants(each)}
    assert granted == (set(Scope) if scope is Scope.ADMIN else {scope})


@pytest.mark.parametrize("form", ["Bearer {}", "bearer {}", "BEARER {}", "Bearer   {}"])
async def test_bearer_may_have_any_case_and_several_spaces(store: AccessStore, form: str) -> None:
    cache, shown = await cache_with_key(store, Scope.READ)
    for _ in range(2):  # the second time from the cache
        key = cache.find(form.format(shown).encode())
        assert key is not None
        assert key.scopes == {Scope.READ}


@pytest.mark.parametrize(
    "form",
    [
        "{}", "Basic {}", "Bearer{}", "Bearer\t{}", " Bearer {}", "Bearer {} ", "Bearer {}x", "Bearer {},{}",
        "Bearer {} {}",
        "Token {}", "Bearer\u00a0{}", "Bearer {}\n", "Bearer \x00{}", "", "Bearer ", "Bearer bp_", "\uff22earer {}",
    ],
)  # fmt: skip
async def test_other_header_values_present_no_key(store: AccessStore, form: str) -> None:
    cache, shown = await cache_with_key(store, Scope.ADMIN)
    for _ in range(2):
        assert cache.find(form.format(shown, shown).encode()) is None


async def test_a_key_that_differs_in_one_character_is_refused(store: AccessStore) -> None:
    cache, shown = await cache_with_key(store, Scope.ADMIN)
    assert cache.find(b"Bearer " + shown.encode()) is not None
    for place in range(len(shown)):
        other = shown[:place] + ("A" if shown[place] != "A" else "B") + shown[place + 1 :]
        assert cache.find(b"Bearer " + other.encode()) is None, place
    assert cache.find(b"Bearer " + shown.upper().encode()) is None


async def test_the_cache_of_header_values_does_not_grow_with_spellings(store: AccessStore) -> None:
    cache, shown = await cache_with_key(store, Scope.READ)
    for spaces in range(1, 200):
        cache.find(b"Bearer" + b" " * spaces + shown.encode())
    assert len(cache._by_header) == 1


def test_a_secret_is_compared_even_if_the_key_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def note(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return True

    monkeypatch.setattr("hmac.compare_digest", note)
    assert not secret_matches(b"x", None), "whatever the comparison returns"
    assert compared == [(64, 64)]


def test_the_id_and_the_secret_are_parsed_from_the_header() -> None:
    shown, key = new_key("me", [Scope.READ])
    assert parse_bearer(b"Bearer " + shown.encode()) == (key.id, shown[16:].encode())


class TestKeyCache:
    async def test_creation_and_revocation_are_seen_without_a_request(self, store: AccessStore) -> None:
        assert key_cache.REFRESH_SECONDS <= 0.5, "within a second, with time to read"
        cache = KeyCache(store)
        await cache.start()
        never_made = cache.no_key_ever_made
        assert never_made
        shown, key = new_key("me", [Scope.READ])
        header = b"Bearer " + shown.encode()
        await store.add_key(key, "me")
        await _until(lambda: cache.find(header) is not None)
        assert not cache.no_key_ever_made
        await store.revoke_key(key.id, "me")
        await _until(lambda: cache.find(header) is None)
        assert not cache.no_key_ever_made, "access without a key stays closed when the last key is revoked"
        await cache.stop()

    async def test_without_the_database_keys_are_trusted_only_for_a_short_time(
        self, store: AccessStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(key_cache, "REFRESH_SECONDS", 0.01)
        monkeypatch.setattr(key_cache, "MAX_STALE_SECONDS", 0.2)
        cache = KeyCache(store)
        await cache.start()
        cache.check_is_current()
        with monkeypatch.context() as away:
            away.setattr(store, "active_keys", _raises(StorageUnavailable("away")))
            await _until(lambda: _is_stale(cache))
        with monkeypatch.context() as faulty:
            faulty.setattr(store, "active_keys", _raises(RuntimeError("a fault")))
            await asyncio.sleep(0.05)
            assert _is_stale(cache)
        await _until(lambda: not _is_stale(cache))
        await cache.stop()


def _raises(error: Exception) -> Callable[[int], Awaitable[None]]:
    async def fail(_known_version: int) -> None:
        raise error

    return fail


def _is_stale(cache: KeyCache) -> bool:
    try:
        cache.check_is_current()
    except StorageUnavailable:
        return True
    return False


async def _until(fact: Callable[[], bool]) -> None:
    """Waits until the fact is true; up to 20 s, because the machine may be busy with other tests."""
    until = time.monotonic() + 20.0
    while not fact():
        assert time.monotonic() < until
        await asyncio.sleep(0.01)
