"""The keys in force as one process knows them: read again when they change, looked at without asking the database."""

import asyncio
import contextlib
import logging
import time

from app.access.keys import Key, is_genuine, read_bearer
from app.errors import SessionError, StorageUnavailable
from app.sessions.ports import AccessStore

REFRESH_SECONDS = 0.5
"""One small read so often for each process: a key that was made or revoked is known everywhere within a second."""
TRUSTED_SECONDS = 10.0
"""After so long without an answer of the database a revocation may have been missed: nobody is let in any more. Little
is lost by it, since without the database nothing can be served either."""

_SHORT_FORM = b"Bearer bp_"
_log = logging.getLogger(__name__)


class Keyring:
    """Finds the key that a caller shows; `start` it before use and `stop` it after."""

    def __init__(self, store: AccessStore) -> None:
        self._store = store
        self._number = -1
        self._keys: dict[str, Key] = {}
        # By the header's whole value, so that a caller known from before costs one look; emptied at every change. Only
        # genuine keys get in, each in one spelling: it cannot grow beyond the keys there are.
        self._seen: dict[bytes, Key] = {}
        self._read_at = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether no key was ever made. One that is revoked does not open the doors again."""
        return self._number == 0

    @property
    def number(self) -> int:
        """Which keys these are: another number after every change."""
        return self._number

    def holder(self, authorization: bytes) -> Key | None:
        """Returns the key in force that this header's value shows; None if it shows none."""
        return self._seen.get(authorization) or self._look(authorization)

    def has(self, key: Key) -> bool:
        """Returns whether the key is in force still."""
        return key.id in self._keys

    def _look(self, authorization: bytes) -> Key | None:
        shown = read_bearer(authorization)
        if shown is None:
            return None
        key_id, secret = shown
        key = self._keys.get(key_id)
        if not is_genuine(secret, key):
            return None
        if key is not None and authorization.startswith(_SHORT_FORM):
            self._seen[authorization] = key
        return key

    async def start(self) -> None:
        """Reads the keys and starts to watch them; raises StorageUnavailable."""
        await self.refresh()
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Stops watching."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def refresh(self) -> None:
        """Reads the keys if they have changed."""
        asked_at = time.monotonic()
        found = await self._store.keyring(self._number)
        if found is not None:
            self._number, keys = found
            self._keys = {key.id: key for key in keys}
            self._seen = {}
        self._read_at = asked_at

    def check_is_current(self) -> None:
        """Raises StorageUnavailable if the database was not heard of for too long."""
        if self._task is not None and time.monotonic() - self._read_at > TRUSTED_SECONDS:
            raise StorageUnavailable("keys cannot be checked while the database is away; try again shortly")

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            try:
                await self.refresh()
            except SessionError as error:
                _log.debug("keys_unread", extra={"detail": error.detail})
            except Exception:
                _log.exception("keys_unread")
