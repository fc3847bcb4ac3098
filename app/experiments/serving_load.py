"""The load of the serving benchmark: many clients on kept-alive connections, in a process of their own.

Raw bytes over raw connections, so that the clients cost a fraction of what they measure. A client sends its next
request when it has the answer to the last one. Its process reads a `Work` from its input and writes a `Done`.
"""

import asyncio
import pickle
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Work:
    """Requests to send, each once, by so many clients at once; bodies are kept if wanted."""

    port: int
    requests: tuple[bytes, ...]
    clients: int
    keep_bodies: bool = False


@dataclass
class Done:
    """What came back: how long each answer took, which statuses there were, how long it took in all."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    bodies: list[bytes] = field(default_factory=list)

    def percentile_ms(self, share: float) -> float:
        """Returns the latency that this share of the answers kept, in milliseconds."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Client(asyncio.Protocol):
    """One connection; `todo` is shared by all."""

    def __init__(self, todo: list[bytes], done: Done, *, keep_bodies: bool) -> None:
        self._todo, self._done, self._keep = todo, done, keep_bodies
        self._buffer = b""
        self._sent = 0.0
        self._transport: asyncio.Transport | None = None
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are none by class

    def begin(self) -> None:
        """Sends the first request."""
        self._send_next()

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        length = _content_length(self._buffer[:head])
        if len(self._buffer) < head + 4 + length:
            return
        self._done.latencies.append(time.perf_counter() - self._sent)
        self._done.statuses[int(self._buffer[9:12])] += 1
        if self._keep:
            self._done.bodies.append(self._buffer[head + 4 : head + 4 + length])
        self._buffer = self._buffer[head + 4 + length :]
        self._send_next()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.finished.done():
            self.finished.set_exception(error or ConnectionResetError("the server closed a connection"))

    def _send_next(self) -> None:
        assert self._transport is not None  # noqa: S101 - connected before anything is sent
        if not self._todo:
            if not self.finished.done():
                self.finished.set_result(None)
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(self._todo.pop())


def _content_length(head: bytes) -> int:
    at = head.lower().find(b"content-length:")
    return 0 if at < 0 else int(head[at + 15 :].split(b"\r\n", 1)[0])


async def _drive(work: Work) -> Done:
    loop, done = asyncio.get_running_loop(), Done()
    todo = list(reversed(work.requests))
    clients = []
    async with asyncio.timeout(CONNECT_SECONDS):
        for _ in range(min(work.clients, len(todo))):
            _, client = await loop.create_connection(
                lambda: _Client(todo, done, keep_bodies=work.keep_bodies), "127.0.0.1", work.port
            )
            clients.append(client)
    began = time.perf_counter()
    for client in clients:
        client.begin()
    await asyncio.gather(*(client.finished for client in clients))
    done.seconds = time.perf_counter() - began
    return done


def drive(work: Work) -> Done:
    """Returns what came of the work, done by another process; the two talk by files, which no size of it can choke."""
    with tempfile.TemporaryDirectory(prefix="bestpair-load-") as folder:
        given, found = Path(folder) / "work", Path(folder) / "done"
        given.write_bytes(pickle.dumps(work))
        command = f"from {__name__} import main; import sys; main(*sys.argv[1:])"
        subprocess.run([sys.executable, "-c", command, given, found], check=True)  # noqa: S603 - our own module
        done = pickle.loads(found.read_bytes())  # noqa: S301 - written by the process above
    assert isinstance(done, Done)  # noqa: S101 - tells the type checker
    return done


def main(given: str, found: str) -> None:
    """Does the work in one file, and writes what came of it into another."""
    work = pickle.loads(Path(given).read_bytes())  # noqa: S301 - written by the process that started this one
    try:
        import uvloop  # noqa: PLC0415 - not on every system

        done = uvloop.run(_drive(work))
    except ImportError:
        done = asyncio.run(_drive(work))
    Path(found).write_bytes(pickle.dumps(done))
