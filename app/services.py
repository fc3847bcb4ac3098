"""The use cases of the service, made for one store."""

from typing import NamedTuple, Self

from app.database.store import Store
from app.impressions.service import Impressions
from app.planning.lifecycle import Sessions
from app.results.best_pair import Snapshots
from app.results.service import Results
from app.sessions.sql import SessionCache, SessionLookup
from app.telemetry.metrics import Meter


class Services(NamedTuple):
    """Everything that HTTP routes call: hand out and take feedback, manage sessions, read results."""

    impressions: Impressions
    sessions: Sessions
    results: Results

    @classmethod
    def build(cls, store: Store, meter: Meter | None = None, *, census_by_session: bool = False) -> Self:
        """Returns the use cases on this store; `start` them before they plan in the background."""
        cache = SessionCache()
        store.watch.on_loss.append(cache.clear)
        lookup = SessionLookup(store, cache)
        snapshots = Snapshots(store, cache)
        sessions = Sessions(store, lookup, cache, snapshots, meter=meter)
        accepted = sessions.planner.feedback_accepted
        impressions = Impressions(store, lookup, cache, on_feedback=accepted, meter=meter)
        results = Results(store, lookup, cache, snapshots, meter=meter, census_by_session=census_by_session)
        return cls(impressions, sessions, results)

    def start(self) -> None:
        """Starts planning in the background, on the running event loop."""
        self.sessions.planner.start()

    async def stop(self) -> None:
        """Stops planning and ends event streams; requests end with their callers."""
        await self.results.stop()
        await self.sessions.planner.stop()
