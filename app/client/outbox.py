"""Outcomes on their way to the service, kept until it has answered for them. No input or output; thread-safe."""

import threading
from collections import Counter, deque
from collections.abc import Sequence
from itertools import islice

from app.wire.serving import LARGEST_BATCH, Feedback, FeedbackRowResult

REFUSED = frozenset({"conflict", "not_found", "invalid"})
"""What sending again cannot change."""


class FeedbackBacklog(Exception):
    """More outcomes wait than were allowed: the service has been away for long. This one was not taken."""


class FeedClosed(Exception):
    """An outcome came after the feed was closed; it was not taken."""


class Outbox:
    """Rows in the order they came; `next_rows` leaves them here until `settle` says what became of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sealed = False
        self._rows: deque[Feedback] = deque()
        self._lock = threading.Lock()
        self.statuses: Counter[str] = Counter()  # what became of the rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def full_batch(self) -> bool:
        """Whether waiting longer would not save a request."""
        return len(self._rows) >= LARGEST_BATCH

    def add(self, row: Feedback) -> None:
        """Takes an outcome; raises FeedbackBacklog if too many wait, FeedClosed if none is taken any more."""
        with self._lock:
            if self._sealed:
                raise FeedClosed("the feed is closed: report before closing it")
            if len(self._rows) >= self._most:
                raise FeedbackBacklog(f"{len(self._rows)} outcomes wait; the service does not take them")
            self._rows.append(row)

    def add_not_shown(self, tickets: Sequence[str]) -> None:
        """Takes back pairs that were never shown; they were counted when they were fetched, so always."""
        with self._lock:
            self._rows.extend(Feedback(ticket=ticket, not_shown=True) for ticket in tickets)

    def next_rows(self) -> list[Feedback]:
        """Returns the oldest rows, at most a batch; the same again until they are settled."""
        with self._lock:
            return list(islice(self._rows, LARGEST_BATCH))

    def settle(self, results: Sequence[FeedbackRowResult]) -> list[FeedbackRowResult]:
        """Lets go of the oldest rows, writes down what became of them, and returns the refusals."""
        with self._lock:
            if not self._rows:
                return []  # handed over while the answer was on its way
            for result in results:
                self._rows.popleft()
                self.statuses[result.status] += 1
            return [result for result in results if result.status in REFUSED]

    def sealed_empty(self) -> bool:
        """Returns whether nothing is left, and then takes nothing more: no row can slip in behind the last look."""
        with self._lock:
            self._sealed = self._sealed or not self._rows
            return not self._rows

    def seal(self) -> tuple[Feedback, ...]:
        """Takes nothing more, and hands over, once, all rows that the service has not answered for."""
        with self._lock:
            self._sealed = True
            left = tuple(self._rows)
            self._rows.clear()
            return left
