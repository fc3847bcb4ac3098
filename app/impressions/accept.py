"""Answers that need no judgement: guarded statements take what `judging.judge` would accept, without reading it first.

Nearly every answer is a reward for an impression that is open and in time. The guard below says that in SQL, and a
test holds it together with `judge`. What it leaves alone (sent twice, late, unknown, a list of clicked items) is read
and judged one by one.
"""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from app.database import driver
from app.database.bulk import number_array, text_array
from app.database.database import POSTGRESQL_NOW, SQLITE_NOW

_FEW = 4
"""Answers of a kind in one commit, below which a statement of their own does not pay on SQLite."""

_UNANSWERED = (
    "impressions.outcome IS NULL AND NOT not_shown AND late_outcome IS NULL AND NOT void"
    # Not "epoch IS NULL": the partial index of what is open is the wrong way to a few tickets.
    " AND coalesce(epoch, -1) = -1"
)
_SQLITE = (
    f"UPDATE impressions SET outcome = ?, answered_at = (SELECT {SQLITE_NOW})"  # noqa: S608 - no values
    # By row number: a sorted list of numbers costs a third less than one of tickets.
    " WHERE rowid IN (SELECT impressions.rowid FROM json_each(?) AS given"
    " CROSS JOIN impressions ON impressions.ticket = given.value)"
    # The plus keeps SQLite from going through all of a session instead of the tickets.
    f" AND +session_id = ? AND {_UNANSWERED}"
    f" AND issued_at + ? > (SELECT {SQLITE_NOW})"
)
_POSTGRESQL_LOCK = (
    "WITH locked AS (SELECT 1 FROM impressions WHERE ticket = ANY(%s::text[]) ORDER BY session_id, sequence FOR UPDATE)"
    " SELECT count(*) FROM locked"
)
_POSTGRESQL = (
    f"WITH taken AS (UPDATE impressions SET outcome = given.outcome, answered_at = {POSTGRESQL_NOW}"  # noqa: S608 - no values
    " FROM unnest(%s::text[], %s::text[], %s::double precision[], %s::double precision[])"
    " AS given (ticket, session_id, outcome, seconds)"
    # One expression, of which PostgreSQL cannot guess how few rows it leaves, nor take the session for a way to them.
    # Of a table unknown to it, it guessed one row, read all of it, and each row beside all answers: 10 s.
    " WHERE impressions.ticket = given.ticket"
    f" AND CASE WHEN impressions.session_id = given.session_id AND {_UNANSWERED} THEN TRUE ELSE FALSE END"
    f" AND issued_at + given.seconds > {POSTGRESQL_NOW} RETURNING impressions.ticket)"
    " SELECT CASE WHEN count(*) < %s THEN array_agg(ticket) END, count(*) FROM taken"
)


class Kind(NamedTuple):
    """What answers that are stored together have in common."""

    session_id: str
    outcome: float
    seconds: float  # after its issue an impression of this session is final


def take(connection: Connection, answers: Mapping[Kind, list[str]], touched: Sequence[str]) -> set[str]:
    """Returns the tickets whose answers were stored, given tickets by kind of answer, each ticket at most once.

    `touched` are all the tickets whose rows this transaction may write: on PostgreSQL they are locked in the one order
    there is, before anything is written and before the time is read.
    """
    if connection.dialect.name == "sqlite":
        return _take_on_sqlite(connection, answers)
    driver.run(connection, _POSTGRESQL_LOCK, [text_array(touched)])
    kinds = [(kind, ticket) for kind, tickets in answers.items() for ticket in tickets]
    columns = (
        text_array([ticket for _, ticket in kinds]),
        text_array([kind.session_id for kind, _ in kinds]),
        number_array([kind.outcome for kind, _ in kinds]),
        number_array([kind.seconds for kind, _ in kinds]),
    )
    some, count = driver.run(connection, _POSTGRESQL, [*columns, len(kinds)]).fetchone()
    return {ticket for _, ticket in kinds} if count == len(kinds) else set(some or ())


def _take_on_sqlite(connection: Connection, answers: Mapping[Kind, list[str]]) -> set[str]:
    """Takes all answers of a kind, or none of them: then one is not as it should be."""
    taken: set[str] = set()
    for kind, tickets in answers.items():
        if len(tickets) < _FEW:
            continue
        driver.run(connection, "SAVEPOINT taking", ())
        given = (kind.outcome, json.dumps(tickets), kind.session_id, kind.seconds)
        if driver.run(connection, _SQLITE, given).rowcount == len(tickets):
            taken.update(tickets)
        else:
            driver.run(connection, "ROLLBACK TO taking", ())
        driver.run(connection, "RELEASE taking", ())
    return taken
