"""Keys and the audit trail without a database."""

from dataclasses import replace
from typing import Any

from app.access.audit import Action, Entry
from app.access.keyring import Keyring
from app.access.keys import Key, Scope, new_key
from app.errors import SessionNotFound


class FakeAccess:
    """Keys in a dictionary, entries in a list; the contract tests keep it honest. Set `error` to make calls fail."""

    def __init__(self) -> None:
        self.known: dict[str, Key] = {}
        self.entries: list[Entry] = []
        self.number = 0
        self.session_ids: set[str] = set()
        self.error: Exception | None = None

    async def add_key(self, key: Key, by: str) -> Key:
        self._fail()
        if key.session_id is not None and key.session_id not in self.session_ids:
            raise SessionNotFound("there is no such session")
        self.number += 1
        self.known[key.id] = stored = replace(key, created_at=float(self.number))
        self._note(by, Action.CREATE_KEY, key, {"key": key.id, "name": key.name, "scopes": sorted(key.scopes)})
        return stored

    async def revoke_key(self, key_id: str, by: str) -> Key | None:
        self._fail()
        key = self.known.get(key_id)
        if key is None or key.revoked_at is not None:
            return key
        self.number += 1
        self.known[key_id] = revoked = replace(key, revoked_at=float(self.number))
        self._note(by, Action.REVOKE_KEY, key, {"key": key.id, "name": key.name})
        return revoked

    async def keys(self) -> list[Key]:
        self._fail()
        return list(self.known.values())

    async def keyring(self, known: int) -> tuple[int, list[Key]] | None:
        self._fail()
        if known == self.number:
            return None
        return self.number, [key for key in self.known.values() if key.revoked_at is None]

    async def audit(self, limit: int, before: int | None) -> list[Entry]:
        self._fail()
        older = [entry for entry in reversed(self.entries) if before is None or entry.id < before]
        return older[:limit]

    def _note(self, by: str, action: Action, key: Key, details: dict[str, Any]) -> None:
        actor = self.known.get(by)
        self.entries.append(
            Entry(
                id=len(self.entries) + 1,
                at=float(self.number),
                actor=by,
                actor_name=None if actor is None else actor.name,
                action=action,
                session_id=key.session_id,
                details=details,
            )
        )

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


async def keyring_with(access: FakeAccess, *scopes: Scope, **given: Any) -> tuple[Keyring, str]:
    """Returns a keyring that knows a key with these scopes, and the key."""
    secret, key = new_key("test", scopes, **given)
    if key.session_id is not None:
        access.session_ids.add(key.session_id)
    await access.add_key(key, "test")
    ring = Keyring(access)
    await ring.refresh()
    return ring, secret
