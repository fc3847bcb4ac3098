"""Costs that must not grow with what is stored: the database explains how it would find the rows."""

from typing import Any

import pytest
from sqlalchemy import Connection, Select, Update
from sqlalchemy.sql.compiler import SQLCompiler

from app.counting import sql as counting
from app.database.database import Database, migration_engine
from app.database.migrations import migrate
from app.database.statements import execute
from app.planning import sql as planning
from app.results import sql as results
from app.sessions import sql as sessions
from tests.examples import LARGE, a_session, issue, reward
from tests.store import SessionStore

ABOVE_THE_WATERMARK = {
    "session and counters": sessions._VIEW,
    "list": sessions._NEWEST,
    "report": results._WITH_SIGNALS,
    "planning": planning._SESSION,
    "overview": counting._OVERVIEW.statement,
    "fold": counting._RANGE.statement,
    "known": counting._KNOWN.statement,
    "outstanding": planning._OUTSTANDING,
    "first version": planning._FIRST_ABOVE,
}

USERS_OF_EXECUTE = ("app.database.statements", "app.impressions.feedback_sql")
"""Modules whose `execute` runs the statements of feedback."""


@pytest.mark.parametrize("name", ABOVE_THE_WATERMARK)
async def test_what_is_above_the_watermark_is_found_by_key(store: SessionStore, database_url: str, name: str) -> None:
    session_id = await a_session(store, demand=LARGE)
    given = await issue(store, session_id, 3000)
    await store.answer(session_id, [reward(one, 1) for one in given])
    await store.fold(session_id)
    await issue(store, session_id, 10)
    if not Database(database_url).is_sqlite:
        with migration_engine(database_url).connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM FULL ANALYZE impressions")  # sizes and statistics as after a long time
    plan = _plan(database_url, ABOVE_THE_WATERMARK[name], session_id)
    assert any("session_id=? AND sequence>?" in step or _is_range(step) for step in plan), plan
    others = ("SCAN impressions", "ix_impressions_late", "Seq Scan on impressions", "uq_impressions_ticket")
    assert not any(other in step for step in plan for other in others), plan


def _is_range(step: str) -> bool:
    """Returns whether a step of PostgreSQL reads a range of the primary key."""
    return "Index Cond" in step and "session_id" in step and "sequence >" in step


def _plan(url: str, statement: Select[*tuple[Any, ...]] | Update, session_id: str) -> list[str]:
    """Returns how the database would run the statement, a line per step."""
    with migration_engine(url).connect() as connection:
        sqlite = connection.dialect.name == "sqlite"
        compiled = statement.compile(dialect=connection.dialect, compile_kwargs={"render_postcompile": True})
        assert isinstance(compiled, SQLCompiler)
        fold = {"latest": 0.0, "answer_is_final": True, "answers_are_known": True, "watermark": 3000, "last": 3009}
        given = {**compiled.params, **fold, "id": session_id, "limit": 5}
        ordered = tuple(given[name] for name in compiled.positiontup or [])
        if not sqlite:
            connection.exec_driver_sql("SET enable_seqscan = off")  # a table as small as this would be read whole
        explain = f"{'EXPLAIN QUERY PLAN' if sqlite else 'EXPLAIN'} {compiled}"
        return [str(row[-1]) for row in connection.exec_driver_sql(explain, ordered if sqlite else given)]


@pytest.mark.parametrize("first", ["plain", "to be decided"])
async def test_answers_find_their_rows_by_key_in_a_new_table(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """By default PostgreSQL reads a small table whole, and keeps that plan for minutes while the table grows.

    With 20,000 impressions a group of 100 answers then took 3.6 s instead of 0.04 s.
    """
    store = SessionStore(postgresql_url)
    await store.start()
    session_id = await a_session(store, demand=LARGE)
    given = await issue(store, session_id, 300)
    plans: dict[str, list[str]] = {"on": [], "off": []}

    def explained(connection: Connection, statement: str, parameters: Any, **options: Any) -> Any:
        if "UPDATE impressions" in statement or "FOR UPDATE" in statement:
            driver = connection.connection.driver_connection
            assert driver is not None
            for switch in ("on", "off"):  # off is what the writer has
                for name in ("seqscan", "hashjoin", "mergejoin"):
                    driver.execute(f"SET enable_{name} = {switch}")
                plans[switch] += [row[0] for row in driver.execute(f"EXPLAIN {statement}", parameters)]
        return execute(connection, statement, parameters, **options)

    for module in USERS_OF_EXECUTE:
        monkeypatch.setattr(f"{module}.execute", explained)
    value = 1.0 if first == "plain" else 0.5
    assert await store.answer(session_id, [reward(one, value) for one in given[:100]])
    await store.close()
    assert any("Seq Scan on impressions" in step for step in plans["on"]), "the settings are needed"
    keys = ("pk_impressions", "uq_impressions_ticket")
    assert any(key in step for step in plans["off"] for key in keys), plans["off"]
    others = ("ix_impressions_late", "Seq Scan on impressions", "Hash Join", "Merge Join")
    assert not any(other in step for step in plans["off"] for other in others), plans["off"]


async def test_a_large_group_of_answers_looks_for_each_by_its_ticket(
    empty_postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a table without statistics, PostgreSQL expected the guards to leave one row, and began with those.

    It then compared every row of the table with every answer: 2,000 answers to 20,000 impressions took 10 s.
    """
    migrate(empty_postgresql_url)  # a new one: another test's rows may have left statistics
    store = SessionStore(empty_postgresql_url)
    await store.start()
    session_id = await a_session(store, demand=LARGE)
    given = [one for _ in range(8) for one in await issue(store, session_id, 1_000)]
    steps: list[str] = []

    def explained(connection: Connection, statement: str, parameters: Any, **options: Any) -> Any:
        if "UPDATE impressions" in statement:
            driver = connection.connection.driver_connection
            assert driver is not None
            steps.extend(row[0] for row in driver.execute(f"EXPLAIN {statement}", parameters))
        return execute(connection, statement, parameters, **options)

    for module in USERS_OF_EXECUTE:
        monkeypatch.setattr(f"{module}.execute", explained)
    assert await store.answer(session_id, [reward(one, 1.0) for one in given[:2_000]])
    await store.close()
    assert any("Index Cond: (ticket = given.ticket)" in step for step in steps), steps


async def test_the_writer_has_these_settings(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    with database.writer.connect() as connection:
        for name in ("seqscan", "hashjoin", "mergejoin"):
            assert connection.exec_driver_sql(f"SHOW enable_{name}").scalar_one() == "off"
    database.dispose()
