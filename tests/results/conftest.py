"""A store without a database server."""

from collections.abc import AsyncIterator

import pytest

from tests.store import SessionStore


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[SessionStore]:
    """A started store on a SQLite file."""
    started = SessionStore(sqlite_url)
    await started.start()
    yield started
    await started.close()
