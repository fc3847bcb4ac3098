"""Signals: the values that notes about a session (`results.notes`) depend on, read by statements that run anyway."""

import math
from dataclasses import dataclass, field

from sqlalchemy import and_, bindparam, case, exists, func, select

from app.counting.delays import NO_DELAYS, Delays
from app.database.statements import AnyRow
from app.database.tables import evidence, impressions, sessions


@dataclass(frozen=True)
class Signals:
    """The values that notes depend on, as they are in the database now; the defaults cause no note."""

    issued: int = 0
    answered: int = 0
    only_clicks: bool = False  # every answer so far was a click
    # Age of the oldest impression above the watermark; infinite if there is no answer and some have expired.
    waited_seconds: float = field(default=0.0, compare=False)
    delays: Delays = field(default=NO_DELAYS, compare=False)


_COUNTED = evidence.c.session_id == bindparam("id")
_ABOVE = (
    impressions.c.session_id == sessions.c.id,
    impressions.c.sequence > sessions.c.watermark,
    impressions.c["counts"],
)
OPEN_NON_CLICKS = func.count(case((and_(impressions.c["counts"], impressions.c.outcome < 1), 1)))
"""The number of answers that are not clicks, among the impressions above the watermark that a statement reads."""

FOLDED_COLUMNS = (
    # Nearly every session has non-clicks in its first row of evidence, so this usually reads one row.
    exists().where(_COUNTED, evidence.c.s > 0).label("folded_non_clicks"),
    exists().where(_COUNTED).label("folded_any"),
)
SIGNAL_COLUMNS = (
    *FOLDED_COLUMNS,
    sessions.c.delays,
    select(OPEN_NON_CLICKS).where(*_ABOVE).correlate(sessions).scalar_subquery().label("open_non_clicks"),
    select(func.min(impressions.c.issued_at)).where(*_ABOVE).correlate(sessions).scalar_subquery().label("oldest"),
)
"""The columns of `signals_of`, for statements about a session that do not read these impressions for another reason."""


def signals_of(row: AnyRow, delays: str, issued: int, answered: int, at: float) -> Signals:
    """Returns the signals of a row that has `SIGNAL_COLUMNS`, except for `delays`, at database time `at`."""
    waited = 0.0 if row.oldest is None else at - row.oldest
    return Signals(
        issued=issued,
        answered=answered,
        only_clicks=not row.open_non_clicks and not row.folded_non_clicks,
        # Without any answer, a row of evidence means that impressions expired without feedback.
        waited_seconds=math.inf if row.folded_any and answered == 0 else waited,
        delays=Delays.from_text(delays),
    )
