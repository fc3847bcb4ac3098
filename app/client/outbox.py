"""Outcomes to send, kept until the service has acknowledged them. No input or output; thread-safe."""

import threading
from collections import Counter, deque
from collections.abc import Sequence
from itertools import islice

from app.wire.serving import LARGEST_BATCH, Feedback, FeedbackRowResult

REFUSED = frozenset({"conflict", "not_found", "invalid"})
"""Final statuses: sending the outcome again cannot change them."""


class FeedbackBacklog(Exception):
    """The outbox is full, because the service has been away for long; this outcome was not added."""


class FeedClosed(Exception):
    """An outcome was reported after the feed was closed; it was not added."""


class Outbox:
    """A queue of rows; `next_rows` leaves them in the queue, `settle` removes them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sealed = False
        self._rows: deque[Feedback] = deque()
        self._lock = threading.Lock()
        self.statuses: Counter[str] = Counter()  # of the rows that were settled

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def full_batch(self) -> bool:
        """Whether a whole batch is queued, so that waiting longer saves no request."""
        return len(self._rows) >= LARGEST_BATCH

    def add(self, row: Feedback) -> None:
        """Adds an outcome; raises FeedbackBacklog if the outbox is full, FeedClosed if it is sealed."""
        with self._lock:
            if self._sealed:
                raise FeedClosed("the feed is closed: report before closing it")
            if len(self._rows) >= self._most:
                raise FeedbackBacklog(f"{len(self._rows)} outcomes wait; the service does not take them")
            self._rows.append(row)

    def add_not_shown(self, tickets: Sequence[str]) -> None:
        """Adds unshown pairs, also beyond the limit: their number is limited where they are fetched."""
        with self._lock:
            self._rows.extend(Feedback(ticket=ticket, not_shown=True) for ticket in tickets)

    def next_rows(self) -> list[Feedback]:
        """Returns the oldest rows, at most a batch; the same rows until they are settled."""
        with self._lock:
            return list(islice(self._rows, LARGEST_BATCH))

    def settle(self, results: Sequence[FeedbackRowResult]) -> list[FeedbackRowResult]:
        """Removes the oldest rows, counts their statuses, and returns the refused ones."""
        with self._lock:
            if not self._rows:
                return []  # `seal` has returned them while the response was on its way
            for result in results:
                self._rows.popleft()
                self.statuses[result.status] += 1
            return [result for result in results if result.status in REFUSED]

    def sealed_empty(self) -> bool:
        """Returns whether the outbox is empty, and if so seals it, so that no row is added after the last check."""
        with self._lock:
            self._sealed = self._sealed or not self._rows
            return not self._rows

    def seal(self) -> tuple[Feedback, ...]:
        """Seals the outbox; removes and returns all rows that the service has not acknowledged."""
        with self._lock:
            self._sealed = True
            left = tuple(self._rows)
            self._rows.clear()
            return left
