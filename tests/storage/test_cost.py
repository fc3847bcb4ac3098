"""Costs that must not grow with what is stored: the database is asked how it would find the rows."""

from typing import Any

import pytest
from sqlalchemy import Connection, Select
from sqlalchemy.sql.compiler import SQLCompiler

from app.storage import folding, planning, reading
from app.storage.database import Database, migration_engine
from app.storage.driver import run
from app.storage.store import SqlStore
from tests.examples import a_session, issue, reward

OF_OPEN = {
    "counters": reading._ONLY_COUNTERS,
    "list": reading._NEWEST,
    "planning": reading._PLANNING,
    "advance": reading._TO_ADVANCE,
    "fold": folding._OPEN,
    "ripe": folding._RIPE,
    "overview": folding._OVERVIEW,
    "outstanding": planning._OUTSTANDING,
}


@pytest.mark.parametrize("name", OF_OPEN)
async def test_what_is_open_is_found_by_its_own_index(store: SqlStore, database_url: str, name: str) -> None:
    session_id = await a_session(store)
    given = await issue(store, session_id, 3000)
    await store.answer(session_id, [reward(one, 1) for one in given])
    await store.fold(session_id)
    await issue(store, session_id, 10)
    if not Database(database_url).is_sqlite:
        with migration_engine(database_url).connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM FULL ANALYZE impressions")  # sizes and statistics as after a long time
    plan = _plan(database_url, OF_OPEN[name], session_id)
    assert any("ix_impressions_open" in step for step in plan), plan
    others = ("pk_impressions", "sqlite_autoindex_impressions", "PRIMARY KEY", "Seq Scan on impressions")
    assert not any(other in step for step in plan for other in others), plan


def _plan(url: str, statement: Select[*tuple[Any, ...]], session_id: str) -> list[str]:
    """Returns how the database would run the statement, a line per step."""
    with migration_engine(url).connect() as connection:
        sqlite = connection.dialect.name == "sqlite"
        compiled = statement.compile(dialect=connection.dialect, compile_kwargs={"render_postcompile": True})
        assert isinstance(compiled, SQLCompiler)
        fold = {"latest": 0.0, "answer_is_final": True, "silence_is_void": True, "most": 5}
        given = {**compiled.params, **fold, "id": session_id, "limit": 5}
        ordered = tuple(given[name] for name in compiled.positiontup or [])
        if not sqlite:
            connection.exec_driver_sql("SET enable_seqscan = off")  # a table as small as this would be read whole
        explain = f"{'EXPLAIN QUERY PLAN' if sqlite else 'EXPLAIN'} {compiled}"
        return [str(row[-1]) for row in connection.exec_driver_sql(explain, ordered if sqlite else given)]


async def test_answers_find_their_rows_by_key_in_a_table_that_is_new(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without statistics PostgreSQL takes what is open for rare; a group of answers then read all of it, row by row."""
    store = SqlStore(postgresql_url)
    await store.start()
    session_id = await a_session(store)
    given = await issue(store, session_id, 3000)
    plans: list[str] = []

    def explained(connection: Connection, statement: str, parameters: Any) -> Any:
        if statement.startswith("UPDATE impressions"):
            rows = connection.connection.driver_connection.execute(f"EXPLAIN {statement}", parameters)  # type: ignore[union-attr]
            plans.extend(row[0] for row in rows)
        return run(connection, statement, parameters)

    monkeypatch.setattr("app.storage.driver.run", explained)
    assert await store.answer(session_id, [reward(one, 1) for one in given[:100]])
    await store.close()
    assert any("pk_impressions" in step for step in plans), plans
    assert not any("ix_impressions_open" in step for step in plans), plans
