"""Prepared answers of best-pair that this process has at hand, so that a poll asks no database.

What this process itself changes is seen at once; what another one changes, `STALE_SECONDS` later at the most. An answer
that is polled all the time is read anew in the background, so that no caller waits and nobody gets a crowd of misses.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from app.sessions.model import Snapshot

FRESH_SECONDS = 0.4
"""After so long a snapshot is read anew, while the old one is still given out."""
STALE_SECONDS = 0.9
"""After so long it is not given out any more. Callers are promised a second."""
MOST_KEPT = 1000


class _Kept(NamedTuple):
    snapshot: Snapshot
    read_at: float


class SnapshotCache:
    """Snapshots by session, each for a short time. All calls come from one event loop."""

    def __init__(
        self, read: Callable[[str], Coroutine[Any, Any, Snapshot]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        self._reading: dict[str, asyncio.Task[Snapshot]] = {}

    def kept(self, session_id: str) -> Snapshot | None:
        """Returns the snapshot if it is at hand and not stale."""
        found = self._kept.get(session_id)
        if found is None:
            return None
        age = self._clock() - found.read_at
        if age < FRESH_SECONDS:
            return found.snapshot
        if age >= STALE_SECONDS:
            return None
        if session_id not in self._reading:
            self._begin(session_id).add_done_callback(_let_pass)
        return found.snapshot

    async def read(self, session_id: str) -> Snapshot:
        """Returns the snapshot as stored, and keeps it; callers that come meanwhile share one read."""
        # Shielded: a caller that leaves must not take the others' answer with it.
        return await asyncio.shield(self._reading.get(session_id) or self._begin(session_id))

    def forget(self, session_id: str) -> None:
        """Drops a snapshot that may have changed; a read that has begun may be of the old one and is not kept."""
        self._kept.pop(session_id, None)
        self._reading.pop(session_id, None)

    def _begin(self, session_id: str) -> asyncio.Task[Snapshot]:
        task = asyncio.ensure_future(self._read_now(session_id))
        self._reading[session_id] = task
        return task

    async def _read_now(self, session_id: str) -> Snapshot:
        me, began = asyncio.current_task(), self._clock()
        try:
            snapshot = await self._read(session_id)
            if self._reading.get(session_id) is me:
                if len(self._kept) >= MOST_KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[session_id] = _Kept(snapshot, began)
            return snapshot
        finally:
            if self._reading.get(session_id) is me:
                del self._reading[session_id]


def _let_pass(task: asyncio.Task[Snapshot]) -> None:
    """Takes note of how a read in the background ended: whoever asks once the snapshot is stale hears of it himself."""
    if not task.cancelled():
        task.exception()
