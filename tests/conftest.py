"""Databases for tests. `database_url` makes a test run on SQLite and on PostgreSQL."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.storage.store import SqlStore
from tests.postgres import PostgresServer, postgres_server


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresServer]:
    """One server for all tests of a worker."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql_server: PostgresServer) -> Iterator[str]:
    """A PostgreSQL database with all tables and no rows."""
    url = postgresql_server.lend()
    yield url
    postgresql_server.take_back(url)


@pytest.fixture
def empty_postgresql_url(postgresql_server: PostgresServer) -> Iterator[str]:
    """A PostgreSQL database without tables."""
    url = postgresql_server.empty_database()
    yield url
    postgresql_server.drop(url)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A SQLite file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'bestpair.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A database of each kind, ready for a store to start on."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[SqlStore]:
    """A started store on each kind of database."""
    started = SqlStore(database_url)
    await started.start()
    yield started
    await started.close()
