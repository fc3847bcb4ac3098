"""A store without a database server, and the use cases on it."""

from collections.abc import AsyncIterator

import pytest

from app.services import Services
from app.telemetry.metrics import Meter
from tests.store import SessionStore


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[SessionStore]:
    """A started store on a SQLite file."""
    started = SessionStore(sqlite_url)
    await started.start()
    yield started
    await started.close()


@pytest.fixture
def meter() -> Meter:
    """Counts what `services` do."""
    return Meter()


@pytest.fixture
async def services(store: SessionStore, meter: Meter) -> AsyncIterator[Services]:
    """The use cases on `store`; the planner's loop is not started."""
    made = Services.build(store, meter)
    yield made
    await made.stop()
