"""Server-sent events: the events of a session as text, and the end of all streams when the server stops."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from app.results.sql import Live
from app.web import mapping

IDLE_SECONDS = 15.0
"""Without an event for this time a comment is sent: proxies close silent connections, and a lost caller is noticed."""
RETRY_MILLISECONDS = 2_000

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def as_events(lives: AsyncIterator[Live | None], last_event_id: str | None) -> AsyncIterator[str]:
    """Yields `best-pair` events, with the ETag as id, when the answer changes, and `counters` events when they change.

    A caller that reconnects sends the id of its last event; if that answer is still current, it is not sent again.
    Answers between that one and the current one are not sent: the history has them.
    """
    sent_tag, sent_counters = last_event_id, None
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    async for live in lives:
        if live is None:
            yield ": still here\n\n"
            continue
        tag = live.snapshot.etag.strip('"')
        if tag != sent_tag:
            sent_tag = tag
            yield f"event: best-pair\nid: {tag}\ndata: {live.snapshot.body}\n\n"
        if live.counters != sent_counters:
            sent_counters = live.counters
            yield f"event: counters\ndata: {mapping.counts(live.counters).model_dump_json()}\n\n"


@contextmanager
def call_on_stop_signal(close: Callable[[], None]) -> Iterator[None]:
    """Calls `close` in this event loop on SIGINT or SIGTERM, before the handler of the server runs.

    The server stops its application only after all responses are complete, and an event stream is a response without
    an end: `close` must end it first. Outside the main thread signals cannot be handled, and nothing is done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _STOP_SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(close)
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    handled = [number for number in _STOP_SIGNALS if callable(before[number])]  # the others end the process immediately
    for number in handled:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in handled:
            if signal.getsignal(number) is handle:
                signal.signal(number, before[number])
