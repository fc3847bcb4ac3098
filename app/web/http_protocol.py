"""Connections with an end: a client that sends a byte at a time, or headers without end, is cut off.

The server's own protocol waits for a request as long as it takes, and keeps headers of any size. Nothing here is done
for each request but noting the time: one timer for each connection looks at it now and then.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.types import Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

EXTENSION = "bestpair.whole_answer"
Whole = Callable[[Scope, int, bytes, bytes], bool]

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
    _idle_since: float | None = None  # an answer is out, and the server's own timer does not run for it
    _timer: asyncio.TimerHandle | None = None
    _stuck_since: float | None = None
    _ended: Any = None  # the last request that came whole
    _moved_on = False  # in the last piece that came: a head ended, or some of a body was in it
    _head_bytes = 0  # that came since, and are none of a body's
    _chunk_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn narrows it
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self.extensions: dict[str, Any] = {}  # that an application finds in the scope of a request
        self._waits_since: float | None = self.loop.time()
        self._timer = self.loop.call_later(self._pause, self._look)

    @property
    def _pause(self) -> float:
        """Seconds after which to look again."""
        return min(self.request_seconds, self.timeout_keep_alive)

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends with its timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes bytes of a request; of headers, only so many, and of trailers, which follow a body in chunks."""
        if self._waits_since is None:
            self._waits_since = self.loop.time()
            self._idle_since = None
        self._chunk_bytes = len(data)
        self._moved_on = False
        HttpToolsProtocol.data_received(self, data)  # by name, as below: every request comes here
        cycle: Any = self.cycle
        if cycle is not self._ended and cycle is not None and not cycle.more_body:
            self._ended = cycle
            self._waits_since = None
            self._head_bytes = 0
        elif self._moved_on:
            self._head_bytes = 0
        else:
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
        self.scope["extensions"] = self.extensions
        HttpToolsProtocol.on_headers_complete(self)

    def on_body(self, body: bytes) -> None:
        """Has some of the body, whose size is for the application to judge."""
        self._moved_on = True
        HttpToolsProtocol.on_body(self, body)

    def send_400_response(self, msg: str) -> None:
        """Answers what is no request, unless it has been cut off already."""
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def wait_for_next(self) -> None:
        """Has answered, and keeps the connection for as long as the server's own timer would."""
        if self._waits_since is None:  # otherwise some of the next request is there
            self._idle_since = self.loop.time()

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
        if self._waits_since is not None and now - self._waits_since >= limit:
            self._cut(_TIMEOUT)
            return
        if self._idle_since is not None and now - self._idle_since >= self.timeout_keep_alive:
            self.transport.close()
            return
        left = [self._pause]
        if self._waits_since is not None:
            left.append(limit - (now - self._waits_since))
        if self._idle_since is not None:
            left.append(self.timeout_keep_alive - (now - self._idle_since))
        self._timer = self.loop.call_later(min(left), self._look)

    def _cut(self, last_words: bytes) -> None:
        """Closes the connection, with an answer if none has begun."""
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(last_words)
        self.transport.close()


class Connection(GuardedProtocol):
    """One connection, on which answers may be given in one piece."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn narrows it
        """Offers the extension to all that is asked here."""
        super().connection_made(transport)
        self.extensions = {EXTENSION: self._answer}

    def _answer(self, scope: Scope, status: int, lines: bytes, body: bytes) -> bool:
        """Writes the answer to a request and returns True; False if messages must do it.

        That is so if the client does not read, or has sent more requests before it had this answer.
        """
        cycle: Any = self.cycle
        if cycle.scope is not scope or cycle.flow.write_paused:
            return False
        if cycle.disconnected:
            return True  # nobody is left to be answered
        end = b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[status] + _lines_of_all(cycle.default_headers) + lines + end + body)
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self.flow.resume_reading()
            self.wait_for_next()
        return True


_of_all: tuple[object, bytes] = (None, b"")
"""The header lines that all answers have, and the list they were made from: the server makes a new one every second."""


def _lines_of_all(headers: list[tuple[bytes, bytes]]) -> bytes:
    """Returns the server's own header lines, made once for each list of them."""
    global _of_all  # noqa: PLW0603 - a cache of one entry, the same for all connections
    made_from, lines = _of_all
    if made_from is not headers:
        lines = b"".join(b"%b: %b\r\n" % pair for pair in headers)
        _of_all = (headers, lines)
    return lines


async def answer(scope: Scope, send: Send, status: int, lines: bytes, body: bytes) -> None:
    """Answers in one piece where the server can, else in messages."""
    extensions = scope.get("extensions")
    whole: Whole | None = extensions.get(EXTENSION) if extensions else None
    if whole is not None and whole(scope, status, lines, body):
        return
    await send({"type": "http.response.start", "status": status, "headers": header_pairs(lines)})
    await send({"type": "http.response.body", "body": body})


def header_pairs(lines: bytes) -> list[tuple[bytes, bytes]]:
    """Returns header lines as messages have them."""
    parts = [line.partition(b": ") for line in lines.split(b"\r\n")[:-1]]
    return [(name, value) for name, _, value in parts]
