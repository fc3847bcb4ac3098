"""Server-sent events: how a session that is followed looks on the wire, and how its streams end with the server."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from app.sessions.model import Live
from app.web import mapping

IDLE_SECONDS = 15.0
"""After so long without news a comment is sent: proxies cut what is silent, and a caller that left is noticed."""
RETRY_MILLISECONDS = 2_000

_ENDING = (signal.SIGINT, signal.SIGTERM)


async def as_events(news: AsyncIterator[Live | None], last_event_id: str | None) -> AsyncIterator[str]:
    """Yields `best-pair` when the answer changes, named by its tag, and `counters` when they do.

    A caller that comes back names the last answer it got; if it is still the present one it is not sent again. Answers
    that were overtaken meanwhile are not sent at all: the history has them.
    """
    told_tag, told_counters = last_event_id, None
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    async for live in news:
        if live is None:
            yield ": still here\n\n"
            continue
        tag = live.snapshot.etag.strip('"')
        if tag != told_tag:
            told_tag = tag
            yield f"event: best-pair\nid: {tag}\ndata: {live.snapshot.body}\n\n"
        if live.counters != told_counters:
            told_counters = live.counters
            yield f"event: counters\ndata: {mapping.counts(live.counters).model_dump_json()}\n\n"


@contextmanager
def calls_on_signal(close: Callable[[], None]) -> Iterator[None]:
    """Calls `close` on this event loop when the process is asked to stop, before the server's own handler runs.

    The server ends its application only after all answers are out, and a stream is an answer without an end: something
    has to end it first. Outside the main thread nobody handles signals, and nothing is done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _ENDING}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(close)
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    handled = [number for number in _ENDING if callable(before[number])]  # the others end the process at once
    for number in handled:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in handled:
            if signal.getsignal(number) is handle:
                signal.signal(number, before[number])
