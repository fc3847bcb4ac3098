"""Many rows with one statement: every size, every kind of value, on both databases."""

import pytest
from sqlalchemy import Connection

from app.database.database import Database, now
from app.database.statements import BulkInsert, BulkUpdate
from app.database.tables import impressions, uptimes
from app.impressions.issue_sql import KEY_LIFETIME_SECONDS, delete_expired_keys
from tests.examples import a_session, execute, issue, let_time_pass, order
from tests.store import SessionStore

INSERT = BulkInsert(uptimes, ["process_id", "began_at", "last_beat_at"])
UPDATE = BulkUpdate(uptimes, ["last_beat_at"], ["process_id"], "uptimes.last_beat_at < 0")


@pytest.fixture
def database(store: SessionStore, database_url: str) -> Database:
    """Engines of their own on the store's database."""
    assert store
    return Database(database_url)


def rows(connection: Connection) -> dict[str, tuple[float, float]]:
    found = connection.exec_driver_sql("SELECT process_id, began_at, last_beat_at FROM uptimes WHERE began_at < 1000")
    return {name: (began, beat) for name, began, beat in found}


@pytest.mark.parametrize("size", [0, 1, 2, 3, 255, 256, 257, 1000])
def test_any_number_of_rows(database: Database, size: int) -> None:
    with database.writer.begin() as connection:
        INSERT.run(connection, [(f"row {k}", k / 3, -1.0 if k % 2 else 1.0) for k in range(size)])
        UPDATE.run(connection, [(k / 7, f"row {k}") for k in range(size)])
        assert rows(connection) == {f"row {k}": (k / 3, k / 7 if k % 2 else 1.0) for k in range(size)}
    database.dispose()


def test_every_kind_of_value_arrives(database: Database) -> None:
    strange = "quotes ' \" \\ %s ? :x $1 {} 🙂 \u2028 é"
    with database.writer.begin() as connection:
        INSERT.run(connection, [(strange, 0.1 + 0.2, 5e-324), ("large", 999.0, 1.7976931348623157e308)])
        assert rows(connection) == {strange: (0.1 + 0.2, 5e-324), "large": (999.0, 1.7976931348623157e308)}
    database.dispose()


async def test_null_and_booleans_arrive(store: SessionStore, database_url: str) -> None:
    session_id = await a_session(store)
    await issue(store, session_id, 3)
    database = Database(database_url)
    update = BulkUpdate(impressions, ["outcome", "clicked", "not_shown"], ["session_id", "sequence"])
    with database.writer.begin() as connection:
        update.run(connection, [(None, 3, True, session_id, 1), (0.25, None, False, session_id, 2)])
        found = connection.execute(
            impressions.select()
            .order_by(impressions.c.sequence)
            .with_only_columns(impressions.c.outcome, impressions.c.clicked, impressions.c.not_shown)
        )
        assert [tuple(row) for row in found] == [(None, 3, True), (0.25, None, False), (None, None, False)]
    database.dispose()


async def test_expired_keys_are_deleted(store: SessionStore, database_url: str) -> None:
    session_id = await a_session(store)
    await store.issue(session_id, order(key="old 1"))
    await store.issue(session_id, order(key="old 2"))
    let_time_pass(database_url, KEY_LIFETIME_SECONDS + 1)
    await store.issue(session_id, order(key="new"))
    database = Database(database_url)
    with database.writer.begin() as connection:
        delete_expired_keys(connection, now(connection))
    assert execute(database_url, "SELECT key FROM idempotency_keys") == [("new",)]
    database.dispose()
