"""Connections with an end: a client that sends a byte at a time, or headers without end, is cut off.

The server's own protocol waits for a request as long as it takes, and keeps headers of any size. Nothing here is done
for each request but noting the time: one timer for each connection looks at it now and then.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD_BYTES = 32 * 1024
"""Of the request line and all headers: several times what browsers and proxies send."""
PATIENCE_WITH_READERS = 3
"""A client that takes nothing of an answer for so many times as long as a request may take is not reading any more."""

_REFUSAL = b"HTTP/1.1 %b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TIMEOUT = _REFUSAL % b"408 Request Timeout"
_TOO_LARGE = _REFUSAL % b"431 Request Header Fields Too Large"


class HeadTooLarge(Exception):
    """The headers are larger than any that we take."""


class GuardedProtocol(HttpToolsProtocol):
    """One connection: a request must be there whole, from its first byte to its last, within a bounded time."""

    request_seconds = 20.0  # set by the composition root, before anything is served
    _timer: asyncio.TimerHandle | None = None
    _stuck_since: float | None = None
    _moved_on = False  # in the last piece that came: a head or a request ended, or some of a body was in it
    _head_bytes = 0  # that came since, and are none of a body's
    _chunk_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self._waits_since: float | None = self.loop.time()
        self._timer = self.loop.call_later(self.request_seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends with its timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes bytes of a request; of headers, only so many, and of trailers, which follow a body in chunks."""
        if self._waits_since is None:
            self._waits_since = self.loop.time()
        self._chunk_bytes = len(data)
        self._moved_on = False
        super().data_received(data)
        if self._moved_on:
            self._head_bytes = 0
            return
        self._head_bytes += len(data)
        if self._head_bytes > LARGEST_HEAD_BYTES and not self.transport.is_closing():
            self._cut(_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """Has all headers; those that came in one piece with much else are measured here."""
        self._moved_on = True
        if self._chunk_bytes > LARGEST_HEAD_BYTES:
            size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if size > LARGEST_HEAD_BYTES:
                self._cut(_TOO_LARGE)
                raise HeadTooLarge
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Has some of the body, whose size is for the application to judge."""
        self._moved_on = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Has the whole request, and waits for nothing."""
        self._waits_since = None
        self._moved_on = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answers what is no request, unless it has been cut off already."""
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def pause_writing(self) -> None:
        """Waits for the client to take what it asked for."""
        self._stuck_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client has taken some of it."""
        self._stuck_since = None
        super().resume_writing()

    def _look(self) -> None:
        """Cuts off a client that is too slow, or looks again when it would be."""
        now, limit = self.loop.time(), self.request_seconds
        if self._stuck_since is not None and now - self._stuck_since >= PATIENCE_WITH_READERS * limit:
            self.transport.abort()
            return
        waited = 0.0 if self._waits_since is None else now - self._waits_since
        if waited >= limit:
            self._cut(_TIMEOUT)
            return
        self._timer = self.loop.call_later(limit - waited, self._look)

    def _cut(self, last_words: bytes) -> None:
        """Closes the connection, with an answer if none has begun."""
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(last_words)
        self.transport.close()
