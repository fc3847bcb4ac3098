"""Starting a store: addresses, one process per file, revisions."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from app.database.database import Database, migration_engine
from app.database.faults import DatabaseBehind, DatabaseInUse, DatabaseLost, UnsupportedDatabase
from app.database.migrations import REVISION_TABLE, current, downgrade, head, migrate
from app.database.tables import metadata
from app.wire.vocabulary import MissingFeedback
from tests.examples import a_session, execute, feedback, issue, let_time_pass, order, reward
from tests.store import SessionStore

START = """
import asyncio, sys
from tests.store import SessionStore
asyncio.run(SessionStore(sys.argv[1]).start())
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, sqlite_url: str) -> str:
    return sqlite_url if request.param == "sqlite" else str(request.getfixturevalue("empty_postgresql_url"))


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?mode=memory&uri=true",
        "mysql://localhost/x",
        "bestpair.db",
        "",
    ],
)
def test_addresses_that_cannot_keep_sessions_are_refused_with_advice(url: str) -> None:
    with pytest.raises(UnsupportedDatabase) as caught:
        SessionStore(url)
    assert "sqlite:///" in caught.value.detail


@pytest.mark.parametrize("url", ["postgres://h/x", "postgresql://h/x", "postgresql+psycopg://h/x"])
def test_every_spelling_of_postgresql_uses_the_same_driver(url: str) -> None:
    assert Database(url).url.drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgresql://u:p%40,s@one:5432,two:5433/name", "one,two", "5432,5433"),
        ("postgresql://one,two/name?sslmode=require", "one,two", ","),
        ("postgresql://[::1]:5432,[fe80::1]/name", "::1,fe80::1", "5432,"),
    ],
)
def test_several_hosts_as_libpq_writes_them(url: str, host: str, port: str) -> None:
    parsed = Database(url).url
    _, given = parsed.get_dialect()().create_connect_args(parsed)
    assert (given["host"], given["port"], given["dbname"]) == (host, port, "name")
    assert given["target_session_attrs"] == "read-write", "a standby cannot be written to"


def test_which_of_several_hosts_can_be_chosen() -> None:
    assert Database("postgresql://one,two/x?target_session_attrs=any").url.query["target_session_attrs"] == "any"


def test_one_host_and_a_comma_in_the_password_are_not_several() -> None:
    assert (Database("postgresql://u:a,b@host/x").url.host, Database("postgresql://u:a,b@host/x").url.password) == (
        "host",
        "a,b",
    )


async def test_a_log_without_its_file_is_not_taken_for_a_new_database(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "bestpair.db-wal").write_bytes(b"what was acknowledged")
    with pytest.raises(DatabaseLost) as caught:
        await SessionStore(sqlite_url).start()
    assert "bestpair.db-wal is there" in caught.value.detail
    assert not (tmp_path / "bestpair.db").exists(), "no new file is made"


async def test_a_file_has_one_process(sqlite_url: str) -> None:
    store = SessionStore(sqlite_url)
    await store.start()
    second = SessionStore(sqlite_url)
    with pytest.raises(DatabaseInUse):
        await second.start()
    other = subprocess.run([sys.executable, "-c", START, sqlite_url], capture_output=True, text=True, check=False)
    assert other.returncode == 1
    assert "DatabaseInUse" in other.stderr
    assert "PostgreSQL" in other.stderr
    await a_session(store)  # the first is not disturbed
    await store.close()
    await second.start()
    assert len(await second.sessions(9, None)) == 1
    await second.close()


async def test_a_killed_process_leaves_no_lock(sqlite_url: str) -> None:
    kill = START + "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", kill, sqlite_url], check=False)
    store = SessionStore(sqlite_url)
    await store.start()
    await store.close()


async def test_folders_on_the_way_to_a_file_are_made(tmp_path: Path) -> None:
    store = SessionStore(f"sqlite:///{tmp_path}/not/there/yet.db")
    await store.start()
    await a_session(store)
    await store.close()
    assert (tmp_path / "not/there/yet.db").exists()


async def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        store = SessionStore(f"sqlite:///{tmp_path}/new.db")
        await store.start()
        await a_session(store)
        modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
        await store.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["new.db", "new.db-wal", "new.db-shm", "new.db.lock"], 0o600)


async def test_a_command_that_reads_the_file_does_not_remove_the_log_of_a_server(tmp_path: Path) -> None:
    """The last process that closes the file removes SQLite's log; the server's locks show that it is not the last."""
    store = SessionStore(f"sqlite:///{tmp_path}/used.db")
    await store.start()
    await store.sessions(9, None)
    await a_session(store)
    command = (
        "import sqlite3 as s, sys; print(s.connect(sys.argv[1]).execute('select count(*) from sessions').fetchone())"
    )
    for _ in range(2):
        output = subprocess.run([sys.executable, "-c", command, tmp_path / "used.db"], capture_output=True, check=True)
        assert output.stdout.strip() == b"(1,)"
    assert (tmp_path / "used.db-wal").exists()
    await store.close()


async def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "shared.db"
    file.touch()
    file.chmod(0o640)
    store = SessionStore(f"sqlite:///{file}")
    await store.start()
    await store.close()
    assert file.stat().st_mode & 0o777 == 0o640


async def test_sqlite_is_as_durable_as_it_can_be(sqlite_url: str) -> None:
    store = SessionStore(sqlite_url)
    await store.start()
    database = Database(sqlite_url)
    with database.writer.connect() as connection:
        pragmas = [connection.exec_driver_sql(f"PRAGMA {n}").scalar() for n in ("journal_mode", "synchronous")]
        assert (*pragmas, connection.exec_driver_sql("PRAGMA foreign_keys").scalar()) == ("wal", 2, 1)
    database.dispose()
    await store.close()


async def test_postgresql_is_not_migrated_by_a_server_that_starts(empty_postgresql_url: str) -> None:
    store = SessionStore(empty_postgresql_url)
    with pytest.raises(DatabaseBehind) as caught:
        await store.start()
    assert "bestpair migrate" in caught.value.detail
    migrate(empty_postgresql_url)
    await store.start()
    session_id = await a_session(store)
    execute(empty_postgresql_url, f"UPDATE {REVISION_TABLE} SET version_num = '0000'")  # noqa: S608
    assert "bestpair migrate" in str(await store.ready())
    assert await store.issue(session_id, order())
    await store.close()


async def test_a_server_continues_while_a_newer_version_takes_over(postgresql_url: str) -> None:
    store = SessionStore(postgresql_url)
    await store.start()
    session_id = await a_session(store)
    execute(postgresql_url, f"UPDATE {REVISION_TABLE} SET version_num = '9999'")  # noqa: S608
    try:
        assert await store.ready() is None, "old replicas serve until the new ones are there"
        assert await store.issue(session_id, order())
        with pytest.raises(DatabaseBehind, match="newer version"):
            await SessionStore(postgresql_url).start()
    finally:
        execute(postgresql_url, f"UPDATE {REVISION_TABLE} SET version_num = '{head()}'")  # noqa: S608
        await store.close()


def test_revisions_and_tables_agree(empty_url: str) -> None:
    migrate(empty_url)
    with migration_engine(empty_url).connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": REVISION_TABLE, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
        inspector = inspect(connection)
        for table in metadata.sorted_tables:
            assert inspector.get_pk_constraint(table.name)["name"] == table.primary_key.name
            found = {(key["name"], key["options"].get("ondelete")) for key in inspector.get_foreign_keys(table.name)}
            assert found == {(key.name, key.ondelete) for key in table.foreign_key_constraints}
        (open_index,) = (
            inspector.get_indexes("impressions")
            if empty_url.startswith("sqlite")
            else [index for index in inspector.get_indexes("impressions") if index["name"] == "ix_impressions_open"]
        )
        where = [value for name, value in open_index["dialect_options"].items() if name.endswith("_where")]
        assert "epoch IS NULL" in str(where[0])


@pytest.mark.parametrize("silence", MissingFeedback)
async def test_unanswered_ones_are_counted_when_a_database_is_brought_up(
    database_url: str, silence: MissingFeedback
) -> None:
    """Revision 0002 keeps counts that 0001 did not, and takes them from the impressions."""
    store = SessionStore(database_url)
    await store.start()
    window: dict[str, Any] = {"attribution_window_seconds": 60.0} if silence is MissingFeedback.NO_CLICK else {}
    session_id = await a_session(store, missing_feedback=silence, ticket_ttl_seconds=60.0, **window)
    given = await issue(store, session_id, 12)
    answers = [feedback(one.ticket, not_shown=True) for one in given[:2]] + [reward(one, 1) for one in given[2:5]]
    await store.answer(session_id, answers)
    let_time_pass(database_url, 100)
    if window:
        execute(database_url, "UPDATE uptimes SET last_beat_at = began_at + 30")  # an outage: all are void
    await store.fold(session_id)
    await issue(store, session_id, 2)
    counted = (await store.planning_input(session_id)).evidence
    assert sum(counted.unanswered) == (0 if window else 7)
    await store.close()
    downgrade(database_url, "0001")
    with migration_engine(database_url).connect() as connection:
        assert "unanswered" not in {column["name"] for column in inspect(connection).get_columns("evidence")}
    assert all(n > 0 for (n,) in execute(database_url, "SELECT n FROM evidence")), "older code divides by it"
    migrate(database_url)
    again = SessionStore(database_url)
    await again.start()
    assert (await again.planning_input(session_id)).evidence == counted
    await again.close()


def test_migrating_goes_up_and_down_and_up_again(empty_url: str) -> None:
    assert current(empty_url) is None
    migrate(empty_url)
    migrate(empty_url)
    assert current(empty_url) == head()
    downgrade(empty_url, "base")
    assert current(empty_url) is None
    with migration_engine(empty_url).connect() as connection:
        assert set(inspect(connection).get_table_names()) <= {REVISION_TABLE}
    migrate(empty_url)
    assert current(empty_url) == head()
