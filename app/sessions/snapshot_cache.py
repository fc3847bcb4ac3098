"""Prepared answers of best-pair that this process has at hand, so that a poll asks no database.

What this process itself changes is seen at once; what another one changes, `FRESH_SECONDS` later at the most.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from app.sessions.model import Snapshot

FRESH_SECONDS = 0.5
"""Callers are promised a second; the rest is for reading."""
MOST_KEPT = 1000


class _Kept(NamedTuple):
    snapshot: Snapshot
    until: float


class SnapshotCache:
    """Snapshots by session, each for a short time. All calls come from one event loop."""

    def __init__(self, read: Callable[[str], Awaitable[Snapshot]], clock: Callable[[], float] = time.monotonic) -> None:
        self._read = read
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        self._reading: dict[str, asyncio.Task[Snapshot]] = {}

    def kept(self, session_id: str) -> Snapshot | None:
        """Returns the snapshot if it is at hand and fresh."""
        found = self._kept.get(session_id)
        return found.snapshot if found is not None and found.until > self._clock() else None

    async def read(self, session_id: str) -> Snapshot:
        """Returns the snapshot as stored, and keeps it; callers that come meanwhile share one read."""
        task = self._reading.get(session_id)
        if task is None:
            task = asyncio.ensure_future(self._read_now(session_id))
            self._reading[session_id] = task
        # Shielded: a caller that leaves must not take the others' answer with it.
        return await asyncio.shield(task)

    def forget(self, session_id: str) -> None:
        """Drops a snapshot that may have changed; a read that has begun may be of the old one and is not kept."""
        self._kept.pop(session_id, None)
        self._reading.pop(session_id, None)

    async def _read_now(self, session_id: str) -> Snapshot:
        me, began = asyncio.current_task(), self._clock()
        try:
            snapshot = await self._read(session_id)
            if self._reading.get(session_id) is me:
                if len(self._kept) >= MOST_KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[session_id] = _Kept(snapshot, began + FRESH_SECONDS)
            return snapshot
        finally:
            if self._reading.get(session_id) is me:
                del self._reading[session_id]
