"""The fold: move impressions that are final into the evidence."""

from app.counting.sql import FoldResult, fold_part, read_foldable
from app.database.store import Store

_TRIES = 3


async def fold(store: Store, session_id: str) -> FoldResult:
    """Folds a session in short transactions and returns its state after the last one; raises SessionNotFound.

    In the deterministic model, two different values for one entry add a health entry, which suspends the session.
    """
    for _ in range(_TRIES):
        foldable = await store.read(read_foldable, session_id)
        result: FoldResult | None = foldable.unchanged
        for part in foldable.parts():
            result = await store.write(fold_part, session_id, part, store.heartbeat)
            if result is None:
                await store.write(store.maintain)  # a failover or a clock step: handle it, and read again
                break
        if result is not None:
            return result
    return foldable.unchanged  # the next fold tries again
