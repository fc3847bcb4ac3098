"""The use cases that only read: best pair, events, history, heat map, certificates, exports, census."""

import json
from collections.abc import AsyncIterator
from typing import Any

from app.database.store import Store
from app.errors import NotCertified, SessionError
from app.results.best_pair import SUSPENDED, Snapshots
from app.results.census import CensusCache
from app.results.estimates import EstimatesCache
from app.results.export_sql import export_session
from app.results.sql import (
    Census,
    Certificate,
    HistoryPoint,
    Live,
    read_census,
    read_certificate,
    read_history,
    read_live,
    read_snapshot,
)
from app.results.streams import EventStreams
from app.sessions.model import Session, SessionView, Snapshot
from app.sessions.sql import SessionCache, SessionLookup, read_view, read_views
from app.telemetry.metrics import Meter
from app.wire.goal import in_words


class Results:
    """All reads of sessions."""

    def __init__(
        self,
        store: Store,
        lookup: SessionLookup,
        cache: SessionCache,
        snapshots: Snapshots,
        *,
        meter: Meter | None = None,
        census_by_session: bool = False,
    ) -> None:
        self._store = store
        self._lookup = lookup
        self._cache = cache
        self._snapshots = snapshots
        self._estimates = EstimatesCache(store, lookup, cache)
        self._streams = EventStreams(lambda session_ids: store.read(read_live, session_ids), meter=meter)
        self._census = CensusCache(lambda max_named: store.read(read_census, max_named), by_session=census_by_session)

    async def session(self, session_id: str) -> SessionView:
        """Returns one session; raises SessionNotFound."""
        return await self._store.read(read_view, session_id, self._cache)

    async def sessions(self, limit: int, before: str | None) -> list[SessionView]:
        """Returns sessions, newest first, after the one with id `before`."""
        return await self._store.read(read_views, limit, before, self._cache)

    async def best_pair(self, session_id: str) -> Snapshot:
        """Returns the prepared response; changes by another process are seen within a second."""
        return self._snapshots.cached(session_id) or await self._snapshots.read(session_id)

    def best_pair_cached(self, session_id: str) -> Snapshot | None:
        """Returns the prepared response if it is cached."""
        return self._snapshots.cached(session_id)

    async def estimates(self, session_id: str, top: int) -> Snapshot:
        """Returns the heat map of the `top` most relevant items, at most some seconds old."""
        return await self._estimates.read(session_id, top)

    def follow(self, session_id: str, idle_seconds: float) -> AsyncIterator[Live | None]:
        """Returns the session now and whenever it changes, None after `idle_seconds` without a change."""
        return self._streams.follow(session_id, idle_seconds)

    def close_streams(self) -> None:
        """Ends all event streams: a server that shuts down waits until its responses have ended."""
        self._streams.close()

    async def stop(self) -> None:
        """Ends all event streams and their reads."""
        await self._streams.stop()

    async def history(self, session_id: str, after: int, limit: int) -> tuple[Session, list[HistoryPoint]]:
        """Returns the reports of plans after a version, oldest first, and the session, whose items they number."""
        points = await self._store.read(read_history, session_id, after, limit)
        return await self._lookup.get(session_id), points

    async def certificate(self, session_id: str) -> Certificate:
        """Returns the certificate; raises NotCertified before there is one."""
        certificate = await self._store.read(read_certificate, session_id)
        if certificate is None:
            best = json.loads((await self._store.read(read_snapshot, session_id)).body)
            if best["verdict"] == SUSPENDED:
                raise NotCertified("nothing can be certified: an assumption is contradicted, see health in best-pair")
            settings = (await self._lookup.get(session_id)).settings
            raise NotCertified(
                f"nothing is certified yet; the best pair so far is proven within {best['gap']:.4g} of the best, and "
                f"the goal is {in_words(settings.goal, settings.model)}"
            )
        return certificate

    def export(self, session_id: str) -> AsyncIterator[dict[str, Any]]:
        """Yields the session's log, row by row."""
        return export_session(self._store, session_id, self._cache)

    async def census(self) -> Census | None:
        """Returns the numbers of sessions for operators, at most some seconds old; None without a database."""
        return await self._census.take()

    async def ready(self) -> str | None:
        """Returns None if requests can be served, otherwise why not."""
        try:
            return await self._store.ready()
        except SessionError as error:
            return error.detail
