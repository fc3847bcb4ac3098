"""Clients that want to wear the server out, on real connections: they are cut off, and others are served meanwhile."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest

from tests.e2e.harness import Server

SECONDS = 1
HEAD = b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("slow")
    before = os.environ.get("BESTPAIR_REQUEST_SECONDS")
    os.environ["BESTPAIR_REQUEST_SECONDS"] = str(SECONDS)
    running = Server(f"sqlite:///{folder / 'slow.db'}", folder)
    if before is None:
        del os.environ["BESTPAIR_REQUEST_SECONDS"]
    with running:
        yield running


def drip(server: Server, beginning: bytes, drop: bytes, longest: float = 10.0) -> tuple[bytes, float]:
    """Returns what came back and after how long, for a client that begins and then sends a drop every 50 ms."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=0.05) as client:
        client.sendall(beginning)
        said = b""
        while time.monotonic() - began < longest:
            try:
                if drop:
                    client.sendall(drop)
                part = client.recv(65536)
                if not part:
                    return said, time.monotonic() - began
                said += part
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return said, time.monotonic() - began
    raise AssertionError("it was never cut off")


@pytest.mark.parametrize(
    ("beginning", "drop"),
    [
        (b"", b""),
        (b"", b"\r\n"),
        (b"G", b""),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", b"x"),
        (HEAD + b"Content-Length: 1000\r\n\r\n", b" "),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (b"POST /v1/sessions/x/feedback HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n", b" "),
    ],
    ids=["silence", "empty lines", "one byte", "headers", "body", "chunks", "hot lane"],
)
def test_a_slow_request_is_cut_off_in_time(server: Server, beginning: bytes, drop: bytes) -> None:
    said, seconds = drip(server, beginning, drop)
    assert seconds >= SECONDS * 0.9
    assert said == b"" or said.startswith(b"HTTP/1.1 408 ")
    assert httpx.get(f"{server.url}/livez").status_code == 200


@pytest.mark.parametrize("size", [40_000, 3_000_000])
@pytest.mark.parametrize("where", ["header", "many headers", "address"])
def test_large_headers_are_refused(server: Server, where: str, size: int) -> None:
    if where == "address":
        request = b"GET /" + b"x" * size + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
    elif where == "header":
        request = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * size + b"\r\n\r\n"
    else:
        request = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * (size // 4) + b"\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        said = b""
        try:
            client.sendall(request)
            said = client.recv(65536)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it did not even listen to the end
    assert said.startswith(b"HTTP/1.1 431 ") or (said == b"" and size > 1_000_000)
    assert httpx.get(f"{server.url}/livez").status_code == 200


def test_large_headers_in_small_pieces_are_refused_before_their_end(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n")
        for _ in range(18):  # 36 kB, and no end
            client.sendall(b"X-Piece: " + b"x" * 2_000 + b"\r\n")
            time.sleep(0.01)
        assert client.recv(65536).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("piece", [b"X-Piece: " + b"x" * 60_000 + b"\r\n", b"x" * 60_000], ids=["many", "one"])
def test_trailers_without_end_are_refused(server: Server, piece: bytes) -> None:
    sent, most = 0, 20_000_000  # beyond what the system itself holds of a connection
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-First: ")
        with suppress(BrokenPipeError, ConnectionResetError):
            while sent < most:
                client.sendall(piece)
                sent += len(piece)
    assert sent < most


def test_small_chunks_and_a_trailer_are_taken(server: Server) -> None:
    """All that surrounds the pieces of a body is more than headers may have; it is not kept, and refuses nothing."""
    chunk = b"1;" + b"e" * 2_000 + b"\r\n \r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(20):
            client.sendall(chunk)
            time.sleep(0.005)
        client.sendall(b"2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 422 ")


@pytest.mark.parametrize("drop", [b"\r\n", b"G", b"GET / HTTP/1.1\r\nX: y\r\n"])
def test_a_slow_second_request_is_cut_off_too(server: Server, drop: bytes) -> None:
    said, _ = drip(server, b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", drop)
    assert said.startswith(b"HTTP/1.1 200 ")


def test_usual_headers_and_large_bodies_are_taken(server: Server) -> None:
    headers = {"X-Long": "x" * 20_000, "Content-Type": "application/json"}
    items = [f"item-{n:04}-{'y' * 150}" for n in range(2_000)]  # 340 kB
    answer = httpx.post(f"{server.url}/v1/sessions", json={"items": items}, headers=headers, timeout=60)
    assert answer.status_code == 201
    assert httpx.delete(f"{server.url}{answer.headers['location']}").status_code == 204


def test_a_connection_that_is_used_is_not_cut_off(server: Server) -> None:
    with httpx.Client(base_url=server.url) as client:
        connections = set()
        for _ in range(8):
            answer = client.get("/livez")
            assert answer.status_code == 200
            connections.add(answer.extensions["network_stream"].get_extra_info("client_addr"))
            time.sleep(SECONDS / 3)
        assert len(connections) == 1


def test_a_stream_outlives_the_time_of_a_request(server: Server) -> None:
    made = httpx.post(f"{server.url}/v1/sessions", json={"items": ["a", "b", "c"]}).headers["location"]
    with httpx.stream("GET", f"{server.url}{made}/events", timeout=20) as stream:
        lines = stream.iter_lines()
        began = time.monotonic()
        while time.monotonic() - began < SECONDS * 2.5:
            httpx.post(f"{server.url}{made}/next-pair")  # counters move, and are told
            assert next(lines) is not None


def test_no_answer_ever_allows_another_origin(server: Server) -> None:
    origin = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for method in ("GET", "POST", "OPTIONS", "HEAD", "PATCH", "DELETE", "TRACE"):
        for path in ("/", "/docs", "/livez", "/openapi.json", "/v1/sessions", "/v1/sessions/x/next-pair", "/nothing"):
            answer = httpx.request(method, server.url + path, headers=origin)
            assert not [name for name in answer.headers if name.startswith("access-control")], (method, path)
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "cache-control" in answer.headers


@pytest.mark.parametrize("path", ["next-pair", "feedback/batch"])
def test_a_page_of_another_origin_changes_nothing(server: Server, path: str) -> None:
    made = httpx.post(f"{server.url}/v1/sessions", json={"items": ["a", "b", "c"]}).headers["location"]
    for origin in ("https://evil.example", f"http://localhost:{server.port + 1}", "null"):
        answer = httpx.post(f"{server.url}{made}/{path}", headers={"Origin": origin})
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/forbidden")
        assert httpx.delete(f"{server.url}{made}", headers={"Origin": origin}).status_code == 403
    assert httpx.post(f"{server.url}{made}/next-pair", headers={"Origin": server.url}).status_code == 200
    assert httpx.post(f"{server.url}{made}/next-pair").status_code == 200
