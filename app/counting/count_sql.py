"""Impressions that need no judgement when they are folded: the database itself counts and closes them.

Without a window an answered impression is final, it was shown, and it counts: `maturity.fold` can decide nothing else.
Rewards of the stochastic model are 0 or 1, so their sum is the same in whatever order it is taken. A test holds this
together with `maturity.fold`.
"""

from collections.abc import Iterable, Sequence
from operator import add
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, not_, select, update

from app.database.prepared import Given, IsOneOf, Prepared
from app.database.tables import impressions
from app.engine.problem import Model
from app.sessions.model import EvidenceRows, Settings

_Given = dict[str, Given]


def _count_and_close(which: ColumnElement[bool]) -> tuple[Prepared, Prepared]:
    """Returns what counts and what closes those of a session's open impressions that need no judgement."""
    plain = and_(
        impressions.c.session_id == bindparam("id"),
        impressions.c.epoch.is_(None),
        which,
        impressions.c["counts"],
        impressions.c.outcome.is_not(None),
        not_(impressions.c.not_shown),
    )
    locked = (
        select(*(impressions.c[name] for name in ("i", "j", "plan_version", "outcome", "clicked")))
        .where(plain)
        .order_by(impressions.c.sequence)
        .with_for_update()
        .cte("locked")
    )
    cell = (locked.c.i, locked.c.j, locked.c.plan_version)
    count = select(
        *cell,
        func.count().label("n"),
        func.sum(locked.c.outcome).label("rewards"),
        func.sum(locked.c.clicked.op("&")(1)).label("clicks_first"),  # NULL where clicks are not told by item
        func.sum(locked.c.clicked.op(">>")(1)).label("clicks_second"),
    ).group_by(*cell)
    return Prepared(count), Prepared(update(impressions).where(plain).values(epoch=bindparam("new_epoch")))


_LISTED = _count_and_close(IsOneOf(impressions.c.sequence, "sequences"))
_IN_A_ROW = _count_and_close(impressions.c.sequence.between(bindparam("first"), bindparam("last")))
"""The usual case, a third cheaper on SQLite: no list, and neighbours instead of a search for each."""


def count_plain(
    connection: Connection, session_id: str, settings: Settings, sequences: Sequence[int], epoch: int
) -> EvidenceRows:
    """Returns the counts of those impressions that need no judgement, and closes them under the epoch.

    Their sequences are given in order, at least one.
    """
    if settings.attribution_window_seconds > 0 or settings.model is Model.DETERMINISTIC:
        return EvidenceRows()
    first, last = sequences[0], sequences[-1]
    (count, close), given = _LISTED, _Given(id=session_id, sequences=sequences)
    if last - first + 1 == len(sequences):
        (count, close), given = _IN_A_ROW, _Given(id=session_id, first=first, last=last)
    cells = count.rows(connection, **given)
    if not cells:
        return EvidenceRows()
    close.run(connection, **given, new_epoch=epoch)
    return _regardless_of_slots(cells)


def _regardless_of_slots(cells: Iterable[tuple[Any, ...]]) -> EvidenceRows:
    """Returns counts by pair, given those by pair in the order shown: to order each impression's would cost more."""
    counts: dict[tuple[int, int, int], tuple[float, ...]] = {}
    for first, second, version, n, rewards, clicks_first, clicks_second in cells:
        clicks = (clicks_first or 0, clicks_second or 0)
        cell = (first, second, version)
        if first > second:
            cell, clicks = (second, first, version), clicks[::-1]
        counts[cell] = tuple(map(add, counts.get(cell, (0, 0.0, 0, 0)), (n, n - rewards, *clicks)))
    in_order = sorted(counts.items())
    columns = zip(*((*cell, *sums, 0) for cell, sums in in_order), strict=True)
    return EvidenceRows(*map(list, columns))
