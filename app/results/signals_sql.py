"""Reading what notes about a session are made from (`sessions.notes`), in statements that are run anyway."""

import math

from sqlalchemy import and_, bindparam, case, exists, func, select

from app.database.tables import evidence, impressions
from app.sessions.model import Signals
from app.sessions.rows import AnyRow

_COUNTED = evidence.c.session_id == bindparam("id")
_OPEN = (
    impressions.c.session_id == bindparam("id"),
    impressions.c.epoch.is_(None),
    impressions.c["counts"],
)
OPEN_OTHERS = func.count(case((and_(impressions.c["counts"], impressions.c.outcome < 1), 1)))
"""Answers that are no clicks, among the open impressions that a statement reads."""

FOLDED_COLUMNS = (
    # Found at the first row of nearly every session: it is left alone now and then.
    exists().where(_COUNTED, evidence.c.s > 0).label("folded_others"),
    exists().where(_COUNTED).label("folded_any"),
)
SIGNAL_COLUMNS = (
    *FOLDED_COLUMNS,
    select(OPEN_OTHERS).where(*_OPEN).scalar_subquery().label("open_others"),
    select(func.min(impressions.c.issued_at)).where(*_OPEN).scalar_subquery().label("oldest"),
)
"""All there is, for statements that do not read the open impressions anyway; with the counters."""


def signals_of(row: AnyRow, issued: int, answered: int, at: float) -> Signals:
    """Returns the signals of a row that has `SIGNAL_COLUMNS`, at database time `at`."""
    waited = 0.0 if row.oldest is None else at - row.oldest
    return Signals(
        issued=issued,
        answered=answered,
        only_clicks=not row.open_others and not row.folded_others,
        # Without one answer, all that a fold can have noted is that none came in time.
        waited_seconds=math.inf if row.folded_any and answered == 0 else waited,
    )
