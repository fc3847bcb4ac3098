"""Sessions by id, for requests: what never changes (items, settings) is answered from memory."""

from app.database.store import Store
from app.sessions.cache import SessionCache
from app.sessions.model import Session
from app.sessions.sql import read_session

CACHED_SESSIONS = 1000


class SessionLookup:
    """Finds sessions. All calls come from one event loop."""

    def __init__(self, store: Store, cache: SessionCache) -> None:
        self._store = store
        self._cache = cache
        self._known: dict[str, Session] = {}

    def cached(self, session_id: str) -> Session | None:
        """Returns the session if it is cached; state, budget and plan may be those of an earlier moment."""
        return self._known.get(session_id)

    async def get(self, session_id: str) -> Session:
        """Returns the session as `cached` does, or reads it; raises SessionNotFound."""
        known = self._known.get(session_id)
        if known is None:
            known = await self.read(session_id)
            if len(self._known) >= CACHED_SESSIONS:
                self._known.pop(next(iter(self._known)))
            self._known[session_id] = known
        return known

    async def read(self, session_id: str) -> Session:
        """Returns the session as it is in the database now; raises SessionNotFound."""
        return await self._store.read(read_session, session_id, self._cache)

    def forget(self, session_id: str) -> None:
        """Drops a deleted session."""
        self._known.pop(session_id, None)
