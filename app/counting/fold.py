"""The fold: move impressions that are final into the evidence."""

from app.counting.sql import FoldResult, fold_part, read_ripe
from app.database.store import Store

_TRIES = 3


async def fold(store: Store, session_id: str) -> FoldResult:
    """Folds a session in short transactions, and returns it as it is after them; raises SessionNotFound.

    In the deterministic model, two different values for one entry add a health entry, which suspends the session.
    """
    for _ in range(_TRIES):
        ripe = await store.read(read_ripe, session_id)
        result: FoldResult | None = ripe.unchanged
        for part in ripe.parts():
            result = await store.write(fold_part, session_id, part, store.heartbeat)
            if result is None:
                await store.write(store.maintain)  # a failover or a clock step: find out, and read again
                break
        if result is not None:
            return result
    return ripe.unchanged  # the next fold tries again
