"""Counting for operators what a group commit has made true: after it, and once, however often it was tried."""

from collections import Counter
from collections.abc import Sequence

from app.sessions.model import FeedbackStatus
from app.telemetry.metrics import Meter


class Tally:
    """What the transaction that is being written hands out; only the writer's thread uses it."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._issued: Counter[str] = Counter()  # by purpose

    def begin(self) -> Counter[str]:
        """Returns where impressions are counted by purpose; those of a transaction that was undone are forgotten."""
        self._issued.clear()
        return self._issued

    def committed(self, results: Sequence[object]) -> None:
        """Counts the impressions, and the answers among the results by what became of them."""
        for purpose, count in self._issued.items():
            self._meter.count("bestpair_impressions_total", purpose, by=count)
        statuses: Counter[FeedbackStatus] = Counter()
        for result in results:
            if isinstance(result, list) and result and isinstance(result[0], FeedbackStatus):
                statuses.update(result)
        for status, count in statuses.items():
            self._meter.count("bestpair_feedback_total", status.value, by=count)
