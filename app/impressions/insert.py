"""Storing new impressions of one session: one statement, in the form that costs each driver least.

What is the same for all of them is sent once; sequences follow from the first. SQLite gets VALUES lists in blocks of a
power of two, so that a dozen prepared texts serve every number; PostgreSQL gets columns as array literals, made by one
join each: the driver's own way of adapting lists takes ten times as long.
"""

from collections.abc import Iterable, Sequence
from functools import cache

from sqlalchemy import Connection

from app.database import driver
from app.sessions.model import HandedOut

BLOCK = 256
"""Rows of the largest statement on SQLite, whose statements may have 32,766 parameters."""

_INTO = (
    "INSERT INTO impressions (session_id, sequence, ticket, i, j, counts, idempotency_key, plan_version, issued_at,"
    " purpose, not_shown, void)"
)
_POSTGRESQL = _INTO + (  # noqa: S608 - no values
    " SELECT %s, %s + g.n, g.ticket, g.i, g.j, g.counts, g.key, %s, %s, 'explore', FALSE, FALSE"
    " FROM unnest(%s::text[], %s::integer[], %s::integer[], %s::boolean[], %s::text[])"
    " WITH ORDINALITY AS g (ticket, i, j, counts, key, n)"
)

Key = str | None


def add_impressions(
    connection: Connection, session_id: str, first: int, at: float, new: Sequence[HandedOut], keys: Sequence[Key]
) -> None:
    """Stores impressions with sequences from `first` on, all issued now under one plan, each with its caller's key."""
    if connection.dialect.name == "sqlite":
        _add_to_sqlite(connection, session_id, first, at, new, keys)
        return
    tickets, i, j, _, counts, _ = zip(*new, strict=True)
    columns = (
        _array(tickets),  # letters, digits, - and _ only
        _array(map(str, i)),
        _array(map(str, j)),
        _array("t" if each else "f" for each in counts),
        list(keys) if any(keys) else "{}",  # unnest fills up what is missing with NULL
    )
    driver.run(connection, _POSTGRESQL, (session_id, first - 1, new[0].plan_version, at, *columns))


def _array(values: Iterable[str]) -> str:
    return "{" + ",".join(values) + "}"


def _add_to_sqlite(
    connection: Connection, session_id: str, first: int, at: float, new: Sequence[HandedOut], keys: Sequence[Key]
) -> None:
    keyed = any(keys)
    start = 0
    while start < len(new):
        size = min(BLOCK, 1 << (len(new) - start).bit_length() - 1)
        tickets, i, j, _, counts, _ = zip(*new[start : start + size], strict=True)
        own_keys = keys[start : start + size] if keyed else ()
        given = (session_id, new[0].plan_version, at, first + start, *tickets, *i, *j, *counts, *own_keys)
        driver.run(connection, _sqlite(size, keyed), given)
        start += size


@cache
def _sqlite(size: int, keyed: bool) -> str:
    rows = []
    for place in range(size):
        ticket, i, j, counts, key = (f"?{5 + place + column * size}" for column in range(5))
        own = f"{ticket}, {i}, {j}, {counts}, {key if keyed else 'NULL'}"
        rows.append(f"(?1, ?4 + {place}, {own}, ?2, ?3, 'explore', 0, 0)")
    return f"{_INTO} VALUES {', '.join(rows)}"
