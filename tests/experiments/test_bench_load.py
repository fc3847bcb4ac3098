"""The load generator sends every request once, in slices, and returns the responses."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from experiments.bench.load import Work, connected


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keep-alive

    def do_GET(self) -> None:
        body = self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("slices", [2, 5, 6])
def test_every_request_is_sent_once_also_with_more_slices_than_requests(port: int, slices: int) -> None:
    requests = tuple(f"GET /{k} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for k in range(5))
    with connected([Work(port, requests, clients=2, keep_bodies=True)]) as load:
        for _ in range(slices):
            load.send(0, -(-len(requests) // slices))
        (done,) = load.finish()
    assert sorted(done.bodies) == [f"/{k}".encode() for k in range(5)]
    assert done.statuses == {200: 5}
    assert len(done.latencies) == 5
