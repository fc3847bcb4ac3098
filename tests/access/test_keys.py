"""Keys as values, and the ring that knows which are in force."""

import asyncio
import time
from collections.abc import Callable

import pytest

from app.access import keyring as keyring_module
from app.access.keyring import Keyring
from app.access.keys import InvalidKey, Scope, digest_of, is_genuine, new_key, read_bearer
from app.errors import StorageUnavailable
from tests.fakes.access import FakeAccess, keyring_with


def test_a_key_has_a_public_part_and_256_random_bits() -> None:
    shown, key = new_key("me", [Scope.READ])
    key_id, secret = shown[:15], shown[16:]
    assert (key_id, shown[15], len(secret)) == (key.id, "_", 43)
    assert key.digest == digest_of(secret.encode())
    assert secret.endswith(key.ending)
    assert len({new_key("me", [Scope.READ])[0] for _ in range(50)}) == 50
    assert secret not in repr(key)


@pytest.mark.parametrize(
    "name", ["", " ", " x", "x ", "a\nb", "a\x1b[31m", "a\u202eb", "a\u2028b", "\ud800", "x" * 101]
)
def test_names_that_could_do_harm_where_they_are_printed_are_refused(name: str) -> None:
    with pytest.raises(InvalidKey):
        new_key(name, [Scope.READ])


def test_a_key_needs_a_scope() -> None:
    with pytest.raises(InvalidKey):
        new_key("me", [])


@pytest.mark.parametrize("scope", Scope)
def test_admin_grants_everything_and_the_others_themselves_only(scope: Scope) -> None:
    assert new_key("me", [Scope.ADMIN])[1].grants(scope)
    granted = {each for each in Scope if new_key("me", [scope])[1].grants(each)}
    assert granted == (set(Scope) if scope is Scope.ADMIN else {scope})


@pytest.mark.parametrize("form", ["Bearer {}", "bearer {}", "BEARER {}", "Bearer   {}"])
async def test_every_spelling_of_bearer_is_read(form: str) -> None:
    ring, shown = await keyring_with(FakeAccess(), Scope.READ)
    for _ in range(2):  # the second time from memory
        key = ring.holder(form.format(shown).encode())
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
async def test_anything_else_is_no_key(form: str) -> None:
    ring, shown = await keyring_with(FakeAccess(), Scope.ADMIN)
    for _ in range(2):
        assert ring.holder(form.format(shown, shown).encode()) is None


async def test_a_key_that_differs_in_one_character_is_not_taken() -> None:
    ring, shown = await keyring_with(FakeAccess(), Scope.ADMIN)
    assert ring.holder(b"Bearer " + shown.encode()) is not None
    for place in range(len(shown)):
        other = shown[:place] + ("A" if shown[place] != "A" else "B") + shown[place + 1 :]
        assert ring.holder(b"Bearer " + other.encode()) is None, place
    assert ring.holder(b"Bearer " + shown.upper().encode()) is None


async def test_the_memory_of_known_callers_does_not_grow_with_spellings() -> None:
    ring, shown = await keyring_with(FakeAccess(), Scope.READ)
    for spaces in range(1, 200):
        ring.holder(b"Bearer" + b" " * spaces + shown.encode())
    assert len(ring._seen) == 1


def test_a_secret_is_compared_even_if_there_is_no_such_key(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def note(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return True

    monkeypatch.setattr("hmac.compare_digest", note)
    assert not is_genuine(b"x", None), "whatever the comparison says"
    assert compared == [(64, 64)]


def test_what_a_header_shows() -> None:
    shown, key = new_key("me", [Scope.READ])
    assert read_bearer(b"Bearer " + shown.encode()) == (key.id, shown[16:].encode())


class TestKeyring:
    async def test_revocation_and_creation_are_seen_without_a_request(self) -> None:
        assert keyring_module.REFRESH_SECONDS <= 0.5, "within a second, with time to read"
        access = FakeAccess()
        ring = Keyring(access)
        await ring.start()
        opened = ring.is_open
        assert opened
        shown, key = new_key("me", [Scope.READ])
        header = b"Bearer " + shown.encode()
        await access.add_key(key, "me")
        await _until(lambda: ring.holder(header) is not None)
        assert not ring.is_open
        await access.revoke_key(key.id, "me")
        await _until(lambda: ring.holder(header) is None)
        assert not ring.is_open, "the doors stay closed when the last key is revoked"
        await ring.stop()

    async def test_without_the_database_nobody_is_trusted_for_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(keyring_module, "REFRESH_SECONDS", 0.01)
        monkeypatch.setattr(keyring_module, "TRUSTED_SECONDS", 0.2)
        access = FakeAccess()
        ring = Keyring(access)
        await ring.start()
        ring.check_is_current()
        access.error = StorageUnavailable("away")
        await _until(lambda: _is_stale(ring))
        access.error = RuntimeError("a fault")
        await asyncio.sleep(0.05)
        assert _is_stale(ring)
        access.error = None
        await _until(lambda: not _is_stale(ring))
        await ring.stop()


def _is_stale(ring: Keyring) -> bool:
    try:
        ring.check_is_current()
    except StorageUnavailable:
        return True
    return False


async def _until(fact: Callable[[], bool]) -> None:
    """Waits until it is so; long, since the machine may be busy with other tests."""
    until = time.monotonic() + 20.0
    while not fact():
        assert time.monotonic() < until
        await asyncio.sleep(0.01)
