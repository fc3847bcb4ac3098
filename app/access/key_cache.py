"""The active keys in the memory of one process: read again when they change, so that requests need no query."""

import asyncio
import contextlib
import logging
import time

from app.access.keys import Key, parse_bearer, secret_matches
from app.access.sql import AccessStore
from app.errors import SessionError, StorageUnavailable

REFRESH_SECONDS = 0.5
"""Time between two reads of the keys' version in each process: every process knows of a change within a second."""
MAX_STALE_SECONDS = 10.0
"""Without a successful read for this time a revocation may have been missed: every call is refused. This costs little,
because without the database nothing can be served."""

_COMMON_FORM = b"Bearer bp_"
_log = logging.getLogger(__name__)


class KeyCache:
    """Finds the key that a request presents; call `start` before use and `stop` after it."""

    def __init__(self, store: AccessStore) -> None:
        self._store = store
        self._version = -1
        self._keys: dict[str, Key] = {}
        # Keyed by the whole header value, so that a known caller costs one lookup; emptied when keys change. It holds
        # only active keys, each in one spelling (`_COMMON_FORM`), so it never has more entries than there are keys.
        self._by_header: dict[bytes, Key] = {}
        self._read_at = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def no_key_ever_made(self) -> bool:
        """Whether no key was ever made. Stays False when the last key is revoked."""
        return self._version == 0

    @property
    def version(self) -> int:
        """The version of the keys in memory: a different number after every change."""
        return self._version

    def find(self, authorization: bytes) -> Key | None:
        """Returns the active key in the value of an Authorization header; None if there is none."""
        return self._by_header.get(authorization) or self._parse(authorization)

    def is_active(self, key: Key) -> bool:
        """Returns whether the key is not revoked."""
        return key.id in self._keys

    def _parse(self, authorization: bytes) -> Key | None:
        parsed = parse_bearer(authorization)
        if parsed is None:
            return None
        key_id, secret = parsed
        key = self._keys.get(key_id)
        if not secret_matches(secret, key):
            return None
        if key is not None and authorization.startswith(_COMMON_FORM):
            self._by_header[authorization] = key
        return key

    async def start(self) -> None:
        """Reads the keys and starts to poll for changes; raises StorageUnavailable."""
        await self.refresh()
        self._task = asyncio.create_task(self._poll())

    async def stop(self) -> None:
        """Stops polling."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def refresh(self) -> None:
        """Reads the keys if they have changed; raises StorageUnavailable."""
        started_at = time.monotonic()
        found = await self._store.active_keys(self._version)
        if found is not None:
            self._version, keys = found
            self._keys = {key.id: key for key in keys}
            self._by_header = {}
        self._read_at = started_at

    def check_is_current(self) -> None:
        """Raises StorageUnavailable if the last successful read is too long ago."""
        if self._task is not None and time.monotonic() - self._read_at > MAX_STALE_SECONDS:
            raise StorageUnavailable("keys cannot be checked while the database is unavailable; try again shortly")

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            try:
                await self.refresh()
            except SessionError as error:
                _log.debug("keys_unread", extra={"detail": error.detail})
            except Exception:
                _log.exception("keys_unread")
