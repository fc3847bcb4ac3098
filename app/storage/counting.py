"""Impressions that need no judgement when they are folded: the database itself counts and closes them.

Without a window an answered impression is final, it was shown, and it counts: `maturity.fold` can decide nothing else.
Rewards of the stochastic model are 0 or 1, so their sum is the same in whatever order it is taken. A test holds this
together with `maturity.fold`.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, and_, bindparam, case, func, not_, select, update

from app.engine.problem import Model
from app.sessions.model import EvidenceRows, Settings
from app.storage.prepared import IsOneOf, Prepared
from app.storage.tables import impressions

LOW = case((impressions.c.i < impressions.c.j, impressions.c.i), else_=impressions.c.j)
HIGH = case((impressions.c.i < impressions.c.j, impressions.c.j), else_=impressions.c.i)

_PLAIN = and_(
    impressions.c.session_id == bindparam("id"),
    impressions.c.epoch.is_(None),
    IsOneOf(impressions.c.sequence, "sequences"),
    impressions.c["counts"],
    impressions.c.outcome.is_not(None),
    not_(impressions.c.not_shown),
)
_FIRST = func.coalesce(impressions.c.clicked, 0).op("&")(1)
_SECOND = func.coalesce(impressions.c.clicked, 0).op(">>")(1)
_IN_ORDER = impressions.c.i < impressions.c.j
_LOCKED = (
    select(
        LOW.label("i"),
        HIGH.label("j"),
        impressions.c.plan_version,
        (1.0 - impressions.c.outcome).label("s"),
        case((_IN_ORDER, _FIRST), else_=_SECOND).label("clicks_i"),
        case((_IN_ORDER, _SECOND), else_=_FIRST).label("clicks_j"),
    )
    .where(_PLAIN)
    .order_by(impressions.c.sequence)
    .with_for_update()
    .cte("locked")
)
_CELL = (_LOCKED.c.i, _LOCKED.c.j, _LOCKED.c.plan_version)
_COUNT = Prepared(
    select(
        *_CELL,
        func.count().label("n"),
        func.sum(_LOCKED.c.s).label("s"),
        func.sum(_LOCKED.c.clicks_i).label("clicks_i"),
        func.sum(_LOCKED.c.clicks_j).label("clicks_j"),
    )
    .group_by(*_CELL)
    .order_by(*_CELL)
)
_CLOSE = Prepared(update(impressions).where(_PLAIN).values(epoch=bindparam("new_epoch")))


def count_plain(
    connection: Connection, session_id: str, settings: Settings, sequences: Sequence[int], epoch: int
) -> EvidenceRows:
    """Returns the counts of those among these impressions that need no judgement, and closes them under the epoch."""
    if settings.attribution_window_seconds > 0 or settings.model is Model.DETERMINISTIC:
        return EvidenceRows()
    cells = _COUNT.rows(connection, id=session_id, sequences=sequences)
    if not cells:
        return EvidenceRows()
    _CLOSE.run(connection, id=session_id, sequences=sequences, new_epoch=epoch)
    i, j, version, n, s, clicks_i, clicks_j = (list(column) for column in zip(*cells, strict=True))
    return EvidenceRows(i, j, version, n, s, clicks_i, clicks_j, unanswered=[0] * len(cells))
