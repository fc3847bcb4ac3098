"""The client that ad servers use, sync and async, with retries that cannot count anything twice.

Each operation is one `Call` (what to send, how to parse the response, whether it is safe to retry), made in `calls`.
`retries` decides when to send it again, without input or output; the clients only send and sleep. A `Feed` uses a
client and serves one session: it prefetches pairs (`stock`) and sends outcomes in the background (`outbox`). Its two
tasks are in `feed_work`, also without input or output.
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
