"""The fold of simple impressions, for which there is nothing to decide: the database counts and closes them itself.

In a session without a window, an impression that has an outcome, was shown and is not a repeat is final, and
`rules.fold` always counts it. Rewards of the stochastic model are 0 or 1, so their sum does not depend on the order. A
test checks that the results are those of `rules.fold`.
"""

from collections.abc import Iterable, Sequence
from operator import add
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, not_, select, update

from app.counting.rules import EvidenceRows
from app.database.statements import IsOneOf, ParameterValue, Prepared
from app.database.tables import impressions
from app.engine.problem import Model
from app.sessions.model import Settings

_Parameters = dict[str, ParameterValue]


def _count_and_close(which: ColumnElement[bool]) -> tuple[Prepared, Prepared]:
    """Returns two statements for the simple impressions among the open ones of a session: one counts, one closes them.

    `which` selects the impressions by sequence.
    """
    simple = and_(
        impressions.c.session_id == bindparam("id"),
        impressions.c.epoch.is_(None),
        which,
        impressions.c["counts"],
        impressions.c.outcome.is_not(None),
        not_(impressions.c.not_shown),
    )
    locked = (
        select(*(impressions.c[name] for name in ("i", "j", "plan_version", "outcome", "clicked")))
        .where(simple)
        .order_by(impressions.c.sequence)
        .with_for_update()
        .cte("locked")
    )
    cell = (locked.c.i, locked.c.j, locked.c.plan_version)
    count = select(
        *cell,
        func.count().label("n"),
        func.sum(locked.c.outcome).label("rewards"),
        func.sum(locked.c.clicked.op("&")(1)).label("clicks_first"),  # NULL without item-level feedback
        func.sum(locked.c.clicked.op(">>")(1)).label("clicks_second"),
    ).group_by(*cell)
    return Prepared(count), Prepared(update(impressions).where(simple).values(epoch=bindparam("new_epoch")))


_LIST = _count_and_close(IsOneOf(impressions.c.sequence, "sequences"))
_RANGE = _count_and_close(impressions.c.sequence.between(bindparam("first"), bindparam("last")))
"""For sequences without gaps, which is the most frequent case. A third cheaper on SQLite: it passes no list, and reads
adjacent rows instead of searching for each."""


def count_simple(
    connection: Connection, session_id: str, settings: Settings, sequences: Sequence[int], epoch: int
) -> EvidenceRows:
    """Closes the simple impressions among these, with this epoch, and returns their counts; the others stay open.

    `sequences` has at least one number, in ascending order.
    """
    if settings.attribution_window_seconds > 0 or settings.model is Model.DETERMINISTIC:
        return EvidenceRows()
    first, last = sequences[0], sequences[-1]
    (count, close), parameters = _LIST, _Parameters(id=session_id, sequences=sequences)
    if last - first + 1 == len(sequences):
        (count, close), parameters = _RANGE, _Parameters(id=session_id, first=first, last=last)
    cells = count.rows(connection, **parameters)
    if not cells:
        return EvidenceRows()
    close.run(connection, **parameters, new_epoch=epoch)
    return _merge_slot_orders(cells)


def _merge_slot_orders(cells: Iterable[tuple[Any, ...]]) -> EvidenceRows:
    """Returns counts by unordered pair, from counts by pair in the order shown.

    Sorting the two items of every impression in SQL would cost more.
    """
    counts: dict[tuple[int, int, int], tuple[float, ...]] = {}
    for first, second, version, n, rewards, clicks_first, clicks_second in cells:
        clicks = (clicks_first or 0, clicks_second or 0)
        cell = (first, second, version)
        if first > second:
            cell, clicks = (second, first, version), clicks[::-1]
        counts[cell] = tuple(map(add, counts.get(cell, (0, 0.0, 0, 0)), (n, n - rewards, *clicks)))
    columns = zip(*((*cell, *sums, 0) for cell, sums in sorted(counts.items())), strict=True)
    return EvidenceRows(*map(list, columns))
