"""The HTTP protocol of one connection: uvicorn's, with limits for slow clients and large headers, and single writes.

uvicorn's protocol waits for a request without a time limit, and accepts headers of any size. Here a client that sends
one byte at a time, or headers without end, is disconnected. The cost for each request is only to note the time: one
timer for each connection checks the limits periodically. For single writes see `responses`.

The code uses attributes of uvicorn that are not documented. `incompatibility` checks them at startup, and `server`
uses the stock protocol if one is missing.
"""

import asyncio
from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from app.web.responses import SINGLE_WRITE, respond

LARGEST_HEAD_BYTES = 32 * 1024
"""Of the request line and all headers: several times what browsers and proxies send."""
STALLED_READS = 3
"""Abort after this many times `request_seconds` in which the client reads nothing of a response."""

_REFUSAL = b"HTTP/1.1 %b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TIMEOUT = _REFUSAL % b"408 Request Timeout"
_TOO_LARGE = _REFUSAL % b"431 Request Header Fields Too Large"


class HeadTooLarge(Exception):
    """The headers exceed `LARGEST_HEAD_BYTES`."""


class HttpProtocol(HttpToolsProtocol):
    """One connection: a request must arrive completely, from its first byte to its last, within `request_seconds`."""

    request_seconds = 20.0  # set by `server.set_request_seconds` before anything is served
    _timer: asyncio.TimerHandle | None = None
    _idle_since: float | None = None  # since a single write, for which uvicorn's keep-alive timer does not run
    _blocked_since: float | None = None  # the client does not read
    _received: Any = None  # the cycle of the last request that arrived completely
    _progress = False  # the last data completed a head or contained bytes of a body
    _head_bytes = 0  # bytes since then, none of them of a body
    _data_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn narrows it
        """Starts to wait for the first request."""
        super().connection_made(transport)
        self._extensions: dict[str, Any] = {SINGLE_WRITE: self._single_write}
        self._receiving_since: float | None = self.loop.time()
        self._timer = self.loop.call_later(self._check_seconds, self._check_limits)

    @property
    def _check_seconds(self) -> float:
        """Longest time between two checks of the limits."""
        return min(self.request_seconds, self.timeout_keep_alive)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancels the timer."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parses data of a request; limits the size of headers, and of trailers, which follow a chunked body."""
        if self._receiving_since is None:
            self._receiving_since = self.loop.time()
            self._idle_since = None
        self._data_bytes = len(data)
        self._progress = False
        HttpToolsProtocol.data_received(self, data)  # cheaper than super(): this runs for every request
        cycle: Any = self.cycle
        if cycle is not self._received and cycle is not None and not cycle.more_body:
            self._received = cycle
            self._receiving_since = None
            self._head_bytes = 0
        elif self._progress:
            self._head_bytes = 0
        else:
            self._head_bytes += len(data)
            if self._head_bytes > LARGEST_HEAD_BYTES and not self.transport.is_closing():
                self._disconnect(_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """Starts the request; measures headers that arrived together with other data."""
        self._progress = True
        if self._data_bytes > LARGEST_HEAD_BYTES:
            size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if size > LARGEST_HEAD_BYTES:
                self._disconnect(_TOO_LARGE)
                raise HeadTooLarge
        self.scope["extensions"] = self._extensions
        HttpToolsProtocol.on_headers_complete(self)

    def on_body(self, body: bytes) -> None:
        """Adds a part of the body; the application limits the size of bodies."""
        self._progress = True
        HttpToolsProtocol.on_body(self, body)

    def send_400_response(self, msg: str) -> None:
        """Responds to data that is not HTTP, unless the connection is being closed."""
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def pause_writing(self) -> None:
        """Notes that the client does not read."""
        self._blocked_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Notes that the client reads again."""
        self._blocked_since = None
        super().resume_writing()

    def _check_limits(self) -> None:
        """Disconnects a client that exceeds a time limit; otherwise schedules the next check."""
        now, limit = self.loop.time(), self.request_seconds
        if self._blocked_since is not None and now - self._blocked_since >= STALLED_READS * limit:
            self.transport.abort()
            return
        if self._receiving_since is not None and now - self._receiving_since >= limit:
            self._disconnect(_TIMEOUT)
            return
        if self._idle_since is not None and now - self._idle_since >= self.timeout_keep_alive:
            self.transport.close()
            return
        left = [self._check_seconds]
        if self._receiving_since is not None:
            left.append(limit - (now - self._receiving_since))
        if self._idle_since is not None:
            left.append(self.timeout_keep_alive - (now - self._idle_since))
        self._timer = self.loop.call_later(min(left), self._check_limits)

    def _disconnect(self, response: bytes) -> None:
        """Closes the connection, with this response unless another one has started."""
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            self.transport.write(response)
        self.transport.close()

    def _single_write(self, scope: Scope, status: int, header_lines: bytes, body: bytes) -> bool:
        """Writes the response to a request and returns True; returns False if it must be sent as messages.

        That is the case if the client does not read, or has sent more requests before it had this response.
        """
        cycle: Any = self.cycle
        if cycle.scope is not scope or cycle.flow.write_paused:
            return False
        if cycle.disconnected:
            return True  # there is no client to respond to
        end = b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n"
        self.transport.write(
            STATUS_LINE[status] + _server_header_lines(cycle.default_headers) + header_lines + end + body
        )
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self.flow.resume_reading()
            if self._receiving_since is None:  # otherwise a part of the next request has arrived
                self._idle_since = self.loop.time()
        return True


_cached_lines: tuple[object, bytes] = (None, b"")
"""The list of headers that uvicorn adds to all responses, and its lines. uvicorn makes a new list every second."""


def _server_header_lines(headers: list[tuple[bytes, bytes]]) -> bytes:
    """Returns the header lines that uvicorn adds to all responses, formatted once for each list."""
    global _cached_lines  # noqa: PLW0603 - a cache of one entry, the same for all connections
    formatted, lines = _cached_lines
    if formatted is not headers:
        lines = b"".join(b"%b: %b\r\n" % pair for pair in headers)
        _cached_lines = (headers, lines)
    return lines


def incompatibility() -> str | None:
    """Returns why the protocol does not work with the installed uvicorn, or None if it does.

    Runs three connections in memory: a request in two parts with a response in a single write, headers without end,
    and a request that stops after a few bytes. Raises an error if uvicorn lacks a part that they need.
    """
    body = b"x" * LARGEST_HEAD_BYTES
    head = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (2 * len(body))
    expected = {
        (head + body, body): b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
        (b"GET / HTTP/1.1\r\nX: " + body,): _TOO_LARGE,
        (b"GET / HT",): _TIMEOUT,
    }
    for parts, response in expected.items():
        writes = asyncio.run(_run_connection(parts))
        if writes != [response]:
            return f"the response to {parts[0][:20]!r} is {writes}"
    return None


class _MemoryTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self._closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    def close(self) -> None:
        self._closing = True

    def is_closing(self) -> bool:
        return self._closing

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def _run_connection(parts: tuple[bytes, ...]) -> list[bytes]:
    """Returns what the protocol writes if it receives these parts and then reaches its time limit."""
    errors: list[Exception] = []

    async def ok(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass
        try:
            await respond(scope, send, 200, b"content-length: 2\r\n", b"ok")
        except Exception as error:  # uvicorn would only log it
            errors.append(error)
            await respond({}, send, 200, b"content-length: 2\r\n", b"ok")

    config = Config(ok, http=HttpProtocol, ws="none", lifespan="off", log_config=None, access_log=False)
    protocol, transport = HttpProtocol(config=config, server_state=ServerState(), app_state={}), _MemoryTransport()
    protocol.connection_made(transport)
    protocol.pause_writing()
    if not protocol.flow.write_paused:
        raise RuntimeError("pause_writing does not set flow.write_paused")
    protocol.resume_writing()
    for part in parts:
        protocol.data_received(part)
    if protocol.tasks:
        await asyncio.wait(protocol.tasks, timeout=1)
    if not transport.is_closing():
        protocol.request_seconds = 0.0
        protocol._check_limits()
    protocol.connection_lost(None)
    for error in errors:
        raise error
    return transport.writes
