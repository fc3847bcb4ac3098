"""Answers in one piece: the same bytes as in messages, in order, and connections that end when they should."""

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


class Wire(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.writes = 0
        self.closed = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in ("sockname", "peername") else default

    def write(self, data: Any) -> None:
        if data:
            self.written += bytes(data)
            self.writes += 1

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the path and the body, after letting others run."""
    body = (await receive())["body"] if scope["method"] == "POST" else b""
    await asyncio.sleep(0)
    if scope["path"] == "/unchanged":
        return await respond(scope, send, 304, b"x-one: 1\r\n", b"")
    said = scope["path"].encode() + body
    return await respond(scope, send, 200, LINES % len(said), said)


def connect(
    protocol: type[HttpToolsProtocol], app: Any = echo, keep_alive: float = 5
) -> tuple[HttpToolsProtocol, Wire]:
    config = Config(app, access_log=False, interface="asgi3", log_config=None, timeout_keep_alive=keep_alive)  # type: ignore[arg-type]
    config.load()
    state = ServerState()
    state.default_headers = [(b"date", b"today")]
    made, wire = protocol(config=config, server_state=state, app_state={}), Wire()
    made.connection_made(wire)
    return made, wire


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
async def test_the_bytes_are_those_of_messages(answers: int, pieces: list[bytes]) -> None:
    found = []
    for protocol in (HttpProtocol, HttpToolsProtocol):
        one, wire = connect(protocol)
        for piece in pieces:
            one.data_received(piece)
            await settle()
        found.append((wire.written, wire.closed))
        one.connection_lost(None)
    assert found[0] == found[1]
    assert found[0][0].count(b"HTTP/1.1 ") == answers


async def test_one_write_does_it_and_no_timer_is_left_running() -> None:
    one, wire = connect(HttpProtocol)
    one.data_received(GET % b"a")
    await settle()
    assert wire.writes == 1
    assert one.timeout_keep_alive_task is None
    assert one.server_state.total_requests == 1


async def test_a_client_that_does_not_read_is_waited_for() -> None:
    one, wire = connect(HttpProtocol)
    one.pause_writing()
    one.data_received(GET % b"a")
    await settle()
    assert not wire.written
    one.resume_writing()
    await settle()
    assert wire.written.endswith(b"/a")


async def test_nothing_is_written_for_a_client_that_has_gone() -> None:
    one, wire = connect(HttpProtocol)
    one.data_received(GET % b"a")
    one.connection_lost(None)
    await settle()
    assert not wire.written


async def test_an_idle_connection_is_closed_in_time_and_not_before() -> None:
    one, wire = connect(HttpProtocol, keep_alive=0.2)
    for _ in range(4):  # longer than that in all
        one.data_received(GET % b"a")
        await asyncio.sleep(0.1)
        assert not wire.closed
    await asyncio.sleep(0.3)
    assert wire.closed


async def test_half_of_the_next_request_is_not_idleness() -> None:
    one, wire = connect(HttpProtocol, keep_alive=0.1)
    one.data_received(GET % b"a")
    one.data_received(b"GET /b HTTP/1.1\r\n")
    await asyncio.sleep(0.4)
    assert not wire.closed
    one.data_received(b"\r\n")
    await settle()
    assert wire.written.endswith(b"/b")


async def test_other_servers_get_messages() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await respond({"type": "http"}, send, 200, LINES % 2, b"ok")
    await respond({"type": "http", "extensions": {SINGLE_WRITE: lambda *_: False}}, send, 200, LINES % 2, b"ok")
    assert sent[:2] == sent[2:] == [
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2"), (b"x-one", b"1")]},
        {"type": "http.response.body", "body": b"ok"},
    ]  # fmt: skip


def test_the_servers_own_lines_change_with_its_list_of_them() -> None:
    """The date is in them: a new list every second."""
    first, second = [(b"date", b"one"), (b"server", b"s")], [(b"date", b"two"), (b"server", b"s")]
    assert _server_header_lines(first) == b"date: one\r\nserver: s\r\n"
    assert _server_header_lines(second) == b"date: two\r\nserver: s\r\n"
    assert _server_header_lines(first) == b"date: one\r\nserver: s\r\n"
