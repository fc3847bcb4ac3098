"""The background tasks of a feed, for both clients: generators that yield a call or a wait and receive its result."""

import logging
import time
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from app.client.calls import Call, Calls, ProblemError, outcome_of
from app.client.outbox import Outbox
from app.client.retries import Wait
from app.client.stock import Stock
from app.wire.best_pair import BestPair
from app.wire.serving import FeedbackRowResult, Impression

log = logging.getLogger("bestpair.client")

BEST_PAIR_SECONDS = 5.0
"""How old the fallback may be; asking again costs a 304 as long as nothing changed."""

IDLE_SECONDS = 0.5
"""Between two checks of the stock while `next` is not called."""

TROUBLE_SECONDS = 0.5
"""Pause before the next attempt after the client's own retries have failed."""

_FETCH, _SEND = "fetching pairs", "sending outcomes"

Task = Generator[Call[Any] | Wait, Any, None]


@dataclass(frozen=True)
class FeedSettings:
    """How a feed works; every default suits a busy ad server."""

    prefetch: int = 200
    """The most pairs to prefetch (1 to 1,000); the actual number follows the traffic."""
    longest_stay_seconds: float = 10.0
    """A pair not taken within this time is returned as not shown; keep it far below an attribution window."""
    timeout_seconds: float = 0.1
    """How long `next` waits for a pair before it returns the last best pair."""
    first_timeout_seconds: float = 5.0
    """How long `next` waits while no fallback is known."""
    flush_seconds: float = 0.2
    """Time between two batches of outcomes."""
    most_waiting: int = 100_000
    """The most outcomes kept while the service is away; with more, `report` raises FeedbackBacklog."""
    fallback: tuple[str, str] | None = None
    """The pair to show until the service has answered for the first time."""


@dataclass(frozen=True)
class PairToShow:
    """Two items to show, in this order. A fallback has no ticket, and its outcome is not sent."""

    items: tuple[str, str]
    purpose: Literal["explore", "exploit", "fallback"]
    ticket: str | None = None


class _Order(NamedTuple):
    """A requested batch of pairs; a retry with the same key gets the same batch."""

    size: int
    key: str
    requested_at: float


class FeedWork:
    """Stock and outbox, the task that fills the stock and the task that empties the outbox.

    The tasks continue after every error of a call, also after unexpected responses of a proxy.
    """

    def __init__(
        self,
        calls: Calls,
        session_id: str,
        settings: FeedSettings,
        on_arrival: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self.stock = Stock(settings.prefetch, settings.longest_stay_seconds)
        self.outbox = Outbox(settings.most_waiting)
        self.closing = False
        self._troubles: dict[str, Exception] = {}  # by what fails at the moment
        self._calls, self._session_id = calls, session_id
        self._on_arrival, self._clock = on_arrival, clock
        self._best: BestPair | None = None
        self._best_at = -float("inf")
        self._stocking_ended = False

    @property
    def trouble(self) -> Exception | None:
        """The error of the last attempt to fetch pairs or to send outcomes; None if both succeeded."""
        return next(iter(self._troubles.values()), None)

    @property
    def cut_off(self) -> bool:
        """Whether the last attempt to fetch pairs failed, so that `next` should not wait for one."""
        return _FETCH in self._troubles

    def take(self) -> PairToShow | None:
        """Returns a pair from the stock; None if it is empty."""
        pair = self.stock.take(self._clock())
        return None if pair is None else PairToShow((pair.items[0], pair.items[1]), pair.purpose, pair.ticket)

    def fallback(self) -> PairToShow | None:
        """Returns the last known best pair, else the fallback of the settings; None if there is neither."""
        items = self.settings.fallback if self._best is None else self._best.pair
        return None if items is None else PairToShow(items, "fallback")

    def report(self, pair: PairToShow, reward: float | None, clicked: Sequence[str] | None, not_shown: bool) -> None:
        """Adds an outcome to the outbox; that of a fallback or of a pair that does not count is only validated."""
        row = outcome_of(pair.ticket or "fallback", reward, clicked, not_shown)
        if pair.purpose == "explore":
            self.outbox.add(row)

    def keep_stocked(self) -> Task:
        """Fetches pairs as needed, refreshes the fallback, and returns pairs that were not shown."""
        order: _Order | None = None
        while not self.closing:
            self._return(self.stock.expired(self._clock()))
            try:
                if self._clock() - self._best_at >= BEST_PAIR_SECONDS:
                    self._best = yield self._calls.best_pair(self._session_id)
                    self._best_at = self._clock()
                order = order or self._next_order()
                if order is None:
                    yield Wait(IDLE_SECONDS)
                else:
                    yield from self._fetch(order)
                    order = None
            except Exception as error:
                self._record_error(_FETCH, error)
                if is_refusal(error):
                    order = None
                yield from self._pause()
        if order is not None:  # the service may have processed it: fetch its pairs, to return them
            try:
                yield from self._fetch(order)
            except Exception as error:
                self._record_error(_FETCH, error)
        self._return(self.stock.empty())
        self._stocking_ended = True

    def keep_sent(self) -> Task:
        """Sends outcomes in batches, and again until they are acknowledged, which cannot count twice."""
        while not (self._stocking_ended and self.outbox.sealed_empty()):
            if not (self.closing or self.outbox.full_batch):
                yield Wait(self.settings.flush_seconds)
            rows = self.outbox.next_rows()
            if not rows:
                if self.closing:
                    yield Wait(0.01)  # until the other task has returned its pairs
                continue
            try:
                results: list[FeedbackRowResult] = yield self._calls.feedbacks(self._session_id, rows)
            except Exception as error:
                self._record_error(_SEND, error)
                if is_refusal(error) and self.closing:
                    return
                yield from self._pause()
            else:
                self._log_refused(self.outbox.settle(results))
                self._troubles.pop(_SEND, None)

    def _next_order(self) -> _Order | None:
        size = self.stock.wanted()
        return _Order(size, uuid.uuid4().hex, self._clock()) if size else None

    def _fetch(self, order: _Order) -> Task:
        pairs: list[Impression] = yield self._calls.next_pairs(self._session_id, order.size, order.key)
        self.stock.put(pairs, order.requested_at)
        self._troubles.pop(_FETCH, None)
        self._on_arrival()

    def _return(self, pairs: Sequence[Impression]) -> None:
        self.outbox.add_not_shown([pair.ticket for pair in pairs if pair.purpose == "explore"])

    def _pause(self) -> Task:
        """Pauses after an error; calls of `next` do not shorten the pause, closing does."""
        until = self._clock() + TROUBLE_SECONDS
        was_closing = self.closing
        while self.closing == was_closing and (left := until - self._clock()) > 0:
            yield Wait(left)

    def _log_refused(self, refused: Sequence[FeedbackRowResult]) -> None:
        for (status, detail), count in Counter((row.status, row.detail) for row in refused).most_common(3):
            log.warning("session %s refused %d outcomes: %s, %s", self._session_id, count, status, detail)

    def _record_error(self, what: str, error: Exception) -> None:
        if what not in self._troubles:  # one warning per outage, not per attempt
            log.warning("session %s, %s: %s", self._session_id, what, error)
        self._troubles[what] = error


def is_refusal(error: Exception) -> bool:
    """Returns whether the service refused the call, so that a retry cannot help."""
    return isinstance(error, ProblemError) and error.status < 500 and error.status != 429
