"""Databases for tests. `database_url` makes a test run on SQLite and on PostgreSQL."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.postgres import PostgresServer, postgres_server
from tests.store import SessionStore

pytest_plugins = ["tests.session_fixtures"]

_NOT_UNIT = {
    "browser", "contracts", "database", "deployment", "docs", "e2e", "engine/policies", "experiments", "independent",
    "simulation", "statistics", "test_cli.py", "test_terminal.py", "test_wheel.py",
    "access/test_control.py", "access/test_keys.py", "web/test_key_matrix.py", "web/test_lanes_with_keys.py",
    "web/test_rate_limits.py",
}  # fmt: skip
"""Folders and files of tests that start a process, use a database or simulate many sessions."""
_DATABASE_FIXTURES = {"sqlite_url", "postgresql_url", "database_url", "store", "access_store"}

_FAULTS = ["fault", "database", "rounds", "acknowledged", "found", "lost", "doubled"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that `make unit` runs: no database, no server, seconds in all."""
    root = Path(__file__).parent
    for item in items:
        parts = item.path.relative_to(root).parts
        fixtures = set(getattr(item, "fixturenames", ()))
        if not {parts[0], "/".join(parts[:2])} & _NOT_UNIT and not fixtures & _DATABASE_FIXTURES:
            item.add_marker("unit")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what the fault tests found (`tests.e2e.ledger.check`), the table of make torture."""
    reports = [
        report for some in terminalreporter.stats.values() for report in some if getattr(report, "when", "") == "call"
    ]
    rows = [value for report in reports for name, value in report.user_properties if name == "fault"]
    if not rows:
        return
    table = [_FAULTS, *(list(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    terminalreporter.section("acknowledged answers found again after faults")
    for first, second, *numbers in table:
        aligned = [number.rjust(width) for number, width in zip(numbers, widths[2:], strict=True)]
        terminalreporter.line("  ".join([first.ljust(widths[0]), second.ljust(widths[1]), *aligned]))


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
async def store(database_url: str) -> AsyncIterator[SessionStore]:
    """A started store on each kind of database."""
    started = SessionStore(database_url)
    await started.start()
    yield started
    await started.close()
