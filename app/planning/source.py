"""What planning needs, read by a process that has nothing but the database's address."""

from dataclasses import dataclass
from functools import partial

from app.database.database import Database
from app.results.sql import read_planning_input
from app.sessions.cache import Shelf
from app.sessions.ports import PlanningInput


@dataclass(frozen=True)
class SqlPlanningSource:
    """Reads sessions at `url`; small enough to be sent to another process."""

    url: str

    def read(self, session_id: str) -> PlanningInput:
        """Returns a consistent view; nothing stays open after it, plans may be hours apart.

        Raises SessionNotFound, StorageUnavailable.
        """
        database = Database(self.url)
        try:
            return database.read(partial(read_planning_input, session_id=session_id, shelf=Shelf()))
        finally:
            database.dispose()
