"""The use cases of an ad server: next-pair and feedback. A response is sent only after the commit."""

import random
from collections.abc import Callable
from typing import NamedTuple

from app.database.store import Store
from app.errors import FeedbackConflict, InvalidFeedback, SessionError, TicketNotFound
from app.impressions.feedback import FeedbackRows, FeedbackStatus, Rewards, check_feedback
from app.impressions.feedback_sql import FeedbackJob, FeedbackRequest
from app.impressions.handout_order import Impression, Order
from app.impressions.issue_sql import IssueJob, delete_expired_keys
from app.sessions.model import Session
from app.sessions.sql import SessionCache, SessionLookup
from app.telemetry.metrics import Meter
from app.wire.serving import Feedback
from app.wire.vocabulary import FeedbackKind

REFUSALS = {
    FeedbackStatus.NOT_FOUND: "no impression of this session has this ticket",
    FeedbackStatus.CONFLICT: (
        "feedback for this ticket was sent before, with another value, and only the first counts; send all clicked "
        "items of an impression together"
    ),
    FeedbackStatus.INVALID: "names an item that this impression did not show; send only ids of the pair shown",
}
"""Why feedback was not accepted, for a single call and for a row of a batch alike."""


class RowResult(NamedTuple):
    """The result of one row of a batch."""

    status: str
    detail: str | None = None


_ROW_RESULTS = {status: RowResult(status.value, REFUSALS.get(status)) for status in FeedbackStatus}
ACCEPTED = _ROW_RESULTS[FeedbackStatus.ACCEPTED]


class Impressions:
    """Hands out pairs and takes feedback."""

    def __init__(
        self,
        store: Store,
        lookup: SessionLookup,
        cache: SessionCache,
        *,
        on_feedback: Callable[[str, int], None] = lambda _session_id, _count: None,
        rng: random.Random | None = None,
        meter: Meter | None = None,
    ) -> None:
        meter = meter or Meter()
        self._store = store
        self._lookup = lookup
        self._on_feedback = on_feedback  # called with the session and the number of accepted rows
        # Seeded by the system; it decides which slot an item gets, and makes no secrets.
        self._issue = IssueJob(cache, rng or random.Random(), meter)  # noqa: S311
        self._take_feedback = FeedbackJob(cache, meter)
        store.cleanup.append(delete_expired_keys)
        store.watch.on_loss.append(self._issue.clear_caches)

    async def next_pairs(self, order: Order) -> tuple[Session, list[Impression]]:
        """Returns the impressions to show, stored if they count, and the session, whose items they number.

        Raises SessionNotFound, SessionStopped, IdempotencyMismatch, Overloaded.
        """
        session = self._lookup.cached(order.session_id) or await self._lookup.get(order.session_id)
        return session, await self._store.submit(self._issue, order, order.n_impressions, drop_if_cancelled=True)

    async def feedback(self, session_id: str, feedback: Feedback) -> FeedbackStatus:
        """Returns what was done with one feedback; raises TicketNotFound, FeedbackConflict, InvalidFeedback."""
        session = self._lookup.cached(session_id) or await self._lookup.get(session_id)
        check_feedback(feedback, session)
        (status,) = await self._submit(session_id, [feedback])
        if status is FeedbackStatus.NOT_FOUND:
            raise TicketNotFound(REFUSALS[status])
        if status is FeedbackStatus.CONFLICT:
            raise FeedbackConflict(REFUSALS[status])
        if status is FeedbackStatus.INVALID:
            raise InvalidFeedback("clicked", REFUSALS[status])
        self._on_feedback(session_id, int(status is FeedbackStatus.ACCEPTED))
        return status

    async def feedback_batch(self, session_id: str, rows: FeedbackRows) -> list[RowResult]:
        """Returns one result per row, in order; an invalid row does not affect the others."""
        good, bad = _check_rows(rows, await self._lookup.get(session_id))
        # Submitted even if no row is left: this raises SessionNotFound if the session was deleted.
        statuses = await self._submit(session_id, good)
        self._on_feedback(session_id, statuses.count(FeedbackStatus.ACCEPTED))
        results = [_ROW_RESULTS[status] for status in statuses]
        for place, result in bad:  # in ascending order, so that each place is right
            results.insert(place, result)
        return results

    async def _submit(self, session_id: str, rows: FeedbackRows) -> list[FeedbackStatus]:
        try:
            result = self._store.submit(self._take_feedback, FeedbackRequest(session_id, rows), len(rows))
        except SessionError:
            self._store.heartbeat.note_refusal()
            raise
        return await result


def _check_rows(rows: FeedbackRows, session: Session) -> tuple[FeedbackRows, list[tuple[int, RowResult]]]:
    """Returns the rows that fit the session, and the places of the others with their results."""
    if isinstance(rows, Rewards) and session.settings.feedback is FeedbackKind.PAIR:  # nearly every batch
        return rows, []
    good: list[Feedback] = []
    bad: list[tuple[int, RowResult]] = []
    for place, feedback in enumerate(rows):
        try:
            check_feedback(feedback, session)
        except InvalidFeedback as error:
            bad.append((place, RowResult("invalid", f"{error.field}: {error.detail}")))
        else:
            good.append(feedback)
    return good, bad
