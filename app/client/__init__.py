"""The small client that ad servers use, sync and async, with retries that cannot count anything twice.

Each operation is one `Call` (what to send, how to read the answer, whether sending it again is harmless), made in
`calls`. `retries` decides when to send it again, without any input or output; the clients only send and sleep.
A `Feed` sits on a client and serves one session: pairs fetched in advance (`stock`), outcomes sent in the background
(`outbox`), both moved by `feed_work`, which does no input or output either.
"""

from app.client.calls import ProblemError
from app.client.clients import AsyncClient, Client
from app.client.feed_work import FeedSettings, PairToShow
from app.client.feeds import AsyncFeed, Feed, FeedbackLost
from app.client.outbox import FeedbackBacklog, FeedClosed
from app.client.retries import Retries, ServiceUnreachable
from app.wire.serving import Feedback

__all__ = [
    "AsyncClient",
    "AsyncFeed",
    "Client",
    "Feed",
    "FeedClosed",
    "FeedSettings",
    "Feedback",
    "FeedbackBacklog",
    "FeedbackLost",
    "PairToShow",
    "ProblemError",
    "Retries",
    "ServiceUnreachable",
]
