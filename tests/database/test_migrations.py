"""Revisions: which database a server starts on, and what migrating up and down keeps."""

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect

from app.database.database import migration_engine
from app.database.faults import DatabaseBehind
from app.database.migrations import REVISION_TABLE, current, downgrade, head, migrate
from app.database.tables import metadata
from app.impressions.feedback import FeedbackStatus
from app.wire.vocabulary import FeedbackKind, MissingFeedback
from tests.contracts.reference import sums_of
from tests.examples import a_session, execute, feedback, issue, let_time_pass, order, reward
from tests.store import SessionStore


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, sqlite_url: str) -> str:
    return sqlite_url if request.param == "sqlite" else str(request.getfixturevalue("empty_postgresql_url"))


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
        (late,) = (index for index in inspector.get_indexes("impressions") if index["name"] == "ix_impressions_late")
        where = [value for name, value in late["dialect_options"].items() if name.endswith("_where")]
        assert "late_outcome IS NOT NULL" in str(where[0])


@pytest.mark.parametrize("silence", MissingFeedback)
async def test_migrating_counts_unanswered_impressions(database_url: str, silence: MissingFeedback) -> None:
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


@pytest.mark.parametrize("silence", MissingFeedback)
async def test_what_version_0_1_0_counted_ahead_of_the_watermark_counts_once(
    database_url: str, silence: MissingFeedback
) -> None:
    """Revision 0006: it counted pair by pair. What is above the first open impression counts once it is passed."""
    store = SessionStore(database_url)
    await store.start()
    session_id = await a_session(store, feedback=FeedbackKind.ITEMS, missing_feedback=silence, ticket_ttl_seconds=60.0)
    given = await issue(store, session_id, 12)
    await store.answer(session_id, [feedback(one.ticket, clicked=frozenset([one.j])) for one in given[:10]])
    await store.answer(session_id, [feedback(given[10].ticket, not_shown=True)])
    let_time_pass(database_url, 100)
    whole = await store.fold(session_id)
    assert whole.counted == (10 if silence is MissingFeedback.VOID else 11)
    sums = sums_of((await store.planning_input(session_id)).evidence)
    await store.close()
    downgrade(database_url, "0005")
    slow = given[2]
    low, high = sorted((slow.i, slow.j))
    for statement in (
        "UPDATE impressions SET epoch = NULL, outcome = NULL, clicked = NULL, answered_at = NULL WHERE sequence = 3",
        "UPDATE sessions SET counted = counted - 1, answered_closed = answered_closed - 1",
        f"UPDATE evidence SET n = n - 1, clicks_{'j' if slow.j == high else 'i'} = clicks_"  # noqa: S608
        f"{'j' if slow.j == high else 'i'} - 1 WHERE i = {low} AND j = {high}",
    ):
        execute(database_url, statement)
    migrate(database_url)
    after = SessionStore(database_url)
    await after.start()
    planning = await after.planning_input(session_id)
    assert (planning.session.watermark, planning.counters.counted, planning.counters.void) == (2, 2, 0)
    assert planning.counters.answered == 9, "no answer is lost"
    assert planning.log.first_chained == 3
    assert sum(planning.evidence.n) == 2
    assert (sum(planning.known.n), planning.closed_before) == (7 if silence is MissingFeedback.VOID else 0, 1)
    execute(
        database_url,
        "UPDATE impressions SET outcome = 1, clicked = 2, answered_at = issued_at + 1 WHERE sequence = 3",
    )
    assert await after.fold(session_id) == whole
    assert sums_of((await after.planning_input(session_id)).evidence) == sums, "nothing is lost or counted twice"
    await after.close()


async def test_a_click_on_a_non_click_that_version_0_1_0_counted_is_late(database_url: str) -> None:
    """Even if the clock is set, after which the lifetime of open impressions begins again."""
    store = SessionStore(database_url)
    await store.start()
    session_id = await a_session(store, missing_feedback=MissingFeedback.NO_CLICK, attribution_window_seconds=60.0)
    (shown,) = await issue(store, session_id, 1)
    let_time_pass(database_url, 100)
    assert (await store.fold(session_id)).counted == 1
    await store.close()
    downgrade(database_url, "0005")
    migrate(database_url)
    after = SessionStore(database_url)
    await after.start()
    issued_at = execute(database_url, "SELECT issued_at FROM impressions")[0][0]
    step = "UPDATE sessions SET open_at_clock_step = 1, clock_step_at = :at"
    execute(database_url, step, {"at": issued_at + 100})
    assert await after.answer(session_id, [reward(shown, 1)]) == [FeedbackStatus.LATE]
    await after.close()


async def test_after_a_downgrade_folds_have_higher_numbers_than_before_the_upgrade(database_url: str) -> None:
    store = SessionStore(database_url)
    await store.start()
    session_id = await a_session(store)
    given = await issue(store, session_id, 4)
    await store.answer(session_id, [reward(one, 1) for one in given[:3]])
    await store.fold(session_id)
    await store.close()
    execute(database_url, "UPDATE impressions SET old_epoch = 9 WHERE sequence <= 2")  # by version 0.1.0
    downgrade(database_url, "0005")
    assert execute(database_url, "SELECT epoch FROM sessions") == [(10,)]
    assert execute(database_url, "SELECT epoch FROM impressions ORDER BY sequence") == [(9,), (9,), (10,), (None,)]
    migrate(database_url)
