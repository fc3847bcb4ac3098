"""SQLite files: one process for each, private, durable, and never replaced by an empty one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.database.database import Database
from app.database.faults import DatabaseInUse, DatabaseLost
from tests.examples import a_session
from tests.store import SessionStore

START = """
import asyncio, sys
from tests.store import SessionStore
asyncio.run(SessionStore(sys.argv[1]).start())
"""


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
