"""Single writes: the same bytes as with messages, in order, and connections that are closed in time."""

import asyncio
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from app.web.http_protocol import HttpProtocol, _server_header_lines
from app.web.responses import SINGLE_WRITE, respond

GET = b"GET /%b HTTP/1.1\r\nHost: here\r\n\r\n"
LINES = b"content-length: %d\r\nx-one: 1\r\n"


class MemoryTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.writes = 0
        self.closed = self.aborted = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in ("sockname", "peername") else default

    def write(self, data: Any) -> None:
        if data:
            self.written += bytes(data)
            self.writes += 1

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class ManualClock:
    """An event loop whose time moves only with `advance`, which runs the timers that are due."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._now = 0.0
        self._timers: list[asyncio.TimerHandle] = []
        self.create_task = self._loop.create_task

    def time(self) -> float:
        return self._now

    def call_later(self, delay: float, callback: Any, *args: Any) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(self._now + delay, callback, args, self._loop)
        self._timers.append(timer)
        return timer

    def advance(self, seconds: float) -> None:
        end = self._now + seconds
        while due := [timer for timer in self._timers if timer.when() <= end and not timer.cancelled()]:
            timer = min(due, key=asyncio.TimerHandle.when)
            self._timers.remove(timer)
            self._now = max(timer.when(), self._now + 1e-6)  # as a real clock: a timer of 0 seconds takes time
            timer._run()
        self._now = end


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Responds with the path and the body, after other tasks have run."""
    body = (await receive())["body"] if scope["method"] == "POST" else b""
    await asyncio.sleep(0)
    if scope["path"] == "/unchanged":
        return await respond(scope, send, 304, b"x-one: 1\r\n", b"")
    content = scope["path"].encode() + body
    return await respond(scope, send, 200, LINES % len(content), content)


def connect(
    protocol: type[HttpToolsProtocol], app: Any = echo, keep_alive: float = 5, clock: ManualClock | None = None
) -> tuple[HttpToolsProtocol, MemoryTransport]:
    config = Config(app, access_log=False, interface="asgi3", log_config=None, timeout_keep_alive=keep_alive)  # type: ignore[arg-type]
    config.load()
    state = ServerState()
    state.default_headers = [(b"date", b"today")]
    loop: Any = clock
    made, transport = protocol(config=config, server_state=state, app_state={}, _loop=loop), MemoryTransport()
    made.connection_made(transport)
    return made, transport


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("answers", "pieces"),
    [
        (1, [GET % b"a"]),
        (1, [GET % b"unchanged"]),
        (1, [b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz"]),
        (1, [b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\n", b"xyz"]),
        (1, [b"GET /a HTTP/1.0\r\n\r\n"]),
        (1, [b"GET /a HTTP/1.1\r\nConnection: close\r\n\r\n"]),
        (2, [GET % b"a", GET % b"b"]),
        (3, [GET % b"a" + GET % b"b" + GET % b"c"]),
        (3, [GET % b"a" + GET % b"b" + b"GET /c HT", b"TP/1.1\r\n\r\n"]),
    ],
    ids=["get", "304", "post", "post in two", "1.0", "close", "two", "three at once", "and a half"],
)
async def test_a_single_write_has_the_bytes_of_messages(answers: int, pieces: list[bytes]) -> None:
    found = []
    for protocol in (HttpProtocol, HttpToolsProtocol):
        one, transport = connect(protocol)
        for piece in pieces:
            one.data_received(piece)
            await settle()
        found.append((transport.written, transport.closed))
        one.connection_lost(None)
    assert found[0] == found[1]
    assert found[0][0].count(b"HTTP/1.1 ") == answers


async def test_a_response_is_one_write_without_a_timer() -> None:
    one, transport = connect(HttpProtocol)
    one.data_received(GET % b"a")
    await settle()
    assert transport.writes == 1
    assert one.timeout_keep_alive_task is None
    assert one.server_state.total_requests == 1


async def test_a_response_waits_for_a_client_that_does_not_read() -> None:
    one, transport = connect(HttpProtocol)
    one.pause_writing()
    one.data_received(GET % b"a")
    await settle()
    assert not transport.written
    one.resume_writing()
    await settle()
    assert transport.written.endswith(b"/a")


async def test_nothing_is_written_after_a_disconnect() -> None:
    one, transport = connect(HttpProtocol)
    one.data_received(GET % b"a")
    one.connection_lost(None)
    await settle()
    assert not transport.written


async def test_an_idle_connection_is_closed_in_time_and_not_before() -> None:
    clock = ManualClock()
    one, transport = connect(HttpProtocol, keep_alive=0.2, clock=clock)
    for _ in range(4):  # together longer than the limit
        one.data_received(GET % b"a")
        await settle()
        clock.advance(0.15)
        assert not transport.closed
    clock.advance(0.04)
    assert not transport.closed
    clock.advance(0.02)
    assert transport.closed


async def test_a_connection_with_a_part_of_the_next_request_is_not_idle() -> None:
    clock = ManualClock()
    one, transport = connect(HttpProtocol, keep_alive=0.1, clock=clock)
    one.data_received(GET % b"a")
    one.data_received(b"GET /b HTTP/1.1\r\n")
    await settle()
    clock.advance(0.4)
    assert not transport.closed
    one.data_received(b"\r\n")
    await settle()
    assert transport.written.endswith(b"/b")


async def test_a_request_that_takes_too_long_is_refused() -> None:
    clock = ManualClock()
    one, transport = connect(HttpProtocol, clock=clock)
    one.data_received(b"GET /a HTTP/1.1\r\n")
    clock.advance(HttpProtocol.request_seconds - 0.1)
    assert not transport.closed
    clock.advance(0.1)
    assert transport.written.startswith(b"HTTP/1.1 408 ")
    assert transport.closed


async def test_a_connection_is_aborted_after_three_times_the_limit_without_a_read() -> None:
    clock = ManualClock()
    one, transport = connect(HttpProtocol, keep_alive=1, clock=clock)
    one.pause_writing()
    one.data_received(GET % b"a")
    await settle()
    clock.advance(3 * HttpProtocol.request_seconds - 1)
    before = transport.aborted
    clock.advance(2)
    assert (before, transport.aborted) == (False, True)
    one.connection_lost(None)  # as the event loop does after an abort; ends the task of the request
    await settle()


async def test_without_the_extension_messages_are_sent() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await respond({"type": "http"}, send, 200, LINES % 2, b"ok")
    await respond({"type": "http", "extensions": {SINGLE_WRITE: lambda *_: False}}, send, 200, LINES % 2, b"ok")
    assert sent[:2] == sent[2:] == [
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2"), (b"x-one", b"1")]},
        {"type": "http.response.body", "body": b"ok"},
    ]  # fmt: skip


def test_server_headers_are_formatted_again_for_a_new_list() -> None:
    """The date is in them: a new list every second."""
    first, second = [(b"date", b"one"), (b"server", b"s")], [(b"date", b"two"), (b"server", b"s")]
    assert _server_header_lines(first) == b"date: one\r\nserver: s\r\n"
    assert _server_header_lines(second) == b"date: two\r\nserver: s\r\n"
    assert _server_header_lines(first) == b"date: one\r\nserver: s\r\n"
