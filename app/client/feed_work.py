"""What a feed does behind the scenes, for both kinds of client: it yields what to do and is told what came of it."""

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
"""Between two looks at the stock when nobody asks."""

TROUBLE_SECONDS = 0.5
"""Before the next try after the client's own retries have failed."""

_FETCH, _SEND = "fetching pairs", "sending outcomes"

Task = Generator[Call[Any] | Wait, Any, None]


@dataclass(frozen=True)
class FeedSettings:
    """How a feed works; every default suits a busy ad server."""

    prefetch: int = 200
    """The most pairs fetched in advance (1 to 1,000); how many there are follows the traffic."""
    longest_stay_seconds: float = 10.0
    """A pair that nobody took for so long is given back as not shown; keep it far below an attribution window."""
    timeout_seconds: float = 0.1
    """How long `next` waits for a pair before it falls back on the last best pair."""
    first_timeout_seconds: float = 5.0
    """How long `next` waits while there is nothing to fall back on."""
    flush_seconds: float = 0.2
    """Outcomes are sent together, this often."""
    most_waiting: int = 100_000
    """Outcomes kept while the service is away; beyond, `report` raises FeedbackBacklog."""
    fallback: tuple[str, str] | None = None
    """What to show before the service has ever answered."""


@dataclass(frozen=True)
class PairToShow:
    """Two items to show, in this order; a fallback has no ticket, and its outcome is not sent."""

    items: tuple[str, str]
    purpose: Literal["explore", "exploit", "fallback"]
    ticket: str | None = None


class _Order(NamedTuple):
    """A batch asked for; with the same key it is the same batch, however often it takes."""

    size: int
    key: str
    asked_at: float


class FeedWork:
    """Stock, outbox, and the two tasks that fill the one and empty the other.

    The tasks outlive every error of a call, whatever something between us and the service may answer.
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
        self._troubles: dict[str, Exception] = {}  # by what cannot be done at the moment
        self._calls, self._session_id = calls, session_id
        self._on_arrival, self._clock = on_arrival, clock
        self._best: BestPair | None = None
        self._best_at = -float("inf")
        self._stocking_ended = False

    @property
    def trouble(self) -> Exception | None:
        """Why pairs do not come or outcomes are not taken at the moment; None if all is well."""
        return next(iter(self._troubles.values()), None)

    @property
    def cut_off(self) -> bool:
        """Whether the last attempt to fetch pairs has failed: waiting for them is not worth while."""
        return _FETCH in self._troubles

    def take(self) -> PairToShow | None:
        """Returns a pair from the stock, or None."""
        pair = self.stock.take(self._clock())
        return None if pair is None else PairToShow((pair.items[0], pair.items[1]), pair.purpose, pair.ticket)

    def fallback(self) -> PairToShow | None:
        """Returns the last best pair known, or None before there was any."""
        items = self.settings.fallback if self._best is None else self._best.pair
        return None if items is None else PairToShow(items, "fallback")

    def report(self, pair: PairToShow, reward: float | None, clicked: Sequence[str] | None, not_shown: bool) -> None:
        """Takes an outcome; that of a fallback or of a pair that does not count is checked and left."""
        row = outcome_of(pair.ticket or "fallback", reward, clicked, not_shown)
        if pair.purpose == "explore":
            self.outbox.add(row)

    def keep_stocked(self) -> Task:
        """Fetches pairs while they are wanted, keeps the fallback fresh, and gives back what was not shown."""
        order: _Order | None = None
        while not self.closing:
            self._give_back(self.stock.expired(self._clock()))
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
                self._note(_FETCH, error)
                if is_refusal(error):
                    order = None
                yield from self._rest()
        if order is not None:  # it may have been carried out: its pairs would be out for ever
            try:
                yield from self._fetch(order)
            except Exception as error:
                self._note(_FETCH, error)
        self._give_back(self.stock.empty())
        self._stocking_ended = True

    def keep_sent(self) -> Task:
        """Sends outcomes in batches; what is not answered for is sent again, which cannot count twice."""
        while not (self._stocking_ended and self.outbox.sealed_empty()):
            if not (self.closing or self.outbox.full_batch):
                yield Wait(self.settings.flush_seconds)
            rows = self.outbox.next_rows()
            if not rows:
                if self.closing:
                    yield Wait(0.01)  # until the other task has given back its pairs
                continue
            try:
                results: list[FeedbackRowResult] = yield self._calls.feedbacks(self._session_id, rows)
            except Exception as error:
                self._note(_SEND, error)
                if is_refusal(error) and self.closing:
                    return
                yield from self._rest()
            else:
                self._tell_refused(self.outbox.settle(results))
                self._troubles.pop(_SEND, None)

    def _next_order(self) -> _Order | None:
        size = self.stock.wanted()
        return _Order(size, uuid.uuid4().hex, self._clock()) if size else None

    def _fetch(self, order: _Order) -> Task:
        pairs: list[Impression] = yield self._calls.next_pairs(self._session_id, order.size, order.key)
        self.stock.put(pairs, order.asked_at)
        self._troubles.pop(_FETCH, None)
        self._on_arrival()

    def _give_back(self, pairs: Sequence[Impression]) -> None:
        self.outbox.add_not_shown([pair.ticket for pair in pairs if pair.purpose == "explore"])

    def _rest(self) -> Task:
        """Waits out trouble: callers who want a pair do not shorten it, closing does."""
        until = self._clock() + TROUBLE_SECONDS
        was_closing = self.closing
        while self.closing == was_closing and (left := until - self._clock()) > 0:
            yield Wait(left)

    def _tell_refused(self, refused: Sequence[FeedbackRowResult]) -> None:
        for (status, detail), count in Counter((row.status, row.detail) for row in refused).most_common(3):
            log.warning("session %s refused %d outcomes: %s, %s", self._session_id, count, status, detail)

    def _note(self, what: str, error: Exception) -> None:
        if what not in self._troubles:  # once a trouble, not once a try
            log.warning("session %s, %s: %s", self._session_id, what, error)
        self._troubles[what] = error


def is_refusal(error: Exception) -> bool:
    """Returns whether the service has understood and said no, so that waiting does not help."""
    return isinstance(error, ProblemError) and error.status < 500 and error.status != 429
