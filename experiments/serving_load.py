"""The load of the serving benchmark: many clients with connections kept alive, in a process of their own.

Raw bytes over raw connections, so that the clients cost a fraction of what they measure. A client sends its next
request when it has the answer to the last one. The servers get their load in slices, one after the other, as they are
asked for; connections are made before the first and closed after the last.
"""

import asyncio
import pickle
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Work:
    """Requests for one server, each sent once, by so many clients at once; bodies are kept if wanted."""

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


class Load:
    """A process with clients that are connected. The two talk by files, which no size can choke; lines say when."""

    def __init__(self, process: "subprocess.Popen[bytes]", found: Path) -> None:
        self._process, self._found = process, found

    def send(self, server: int, count: int) -> None:
        """Sends the next so many requests to one of the servers, and returns when all are answered."""
        self._tell(f"{server} {count}")
        self.wait()

    def finish(self) -> list[Done]:
        """Returns what came of the work, by server."""
        self._tell("")
        self.wait()
        done: list[Done] = pickle.loads(self._found.read_bytes())  # noqa: S301 - written by our own process
        return done

    def wait(self) -> None:
        """Waits for the process to say that it is done with what it was told."""
        if not (self._process.stdout and self._process.stdout.readline()):
            raise RuntimeError("the clients ended with an error")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - tells the type checker
        self._process.stdin.write(f"{line}\n".encode())


@contextmanager
def connected(works: Sequence[Work]) -> Iterator[Load]:
    """Yields clients for each server, connected by now, that stay so until the end."""
    with tempfile.TemporaryDirectory(prefix="bestpair-load-") as folder:
        given, found = Path(folder) / "work", Path(folder) / "done"
        given.write_bytes(pickle.dumps(works))
        command = f"from {__name__} import main; import sys; main(*sys.argv[1:])"
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-c", command, given, found], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        with process:  # at the end its input is closed, which ends it
            load = Load(process, found)
            load.wait()
            yield load


def drive(work: Work) -> Done:
    """Returns what came of the work for one server, done at once."""
    with connected([work]) as load:
        load.send(0, len(work.requests))
        (done,) = load.finish()
    return done


class _Lane:
    """The load of one server, and what came of it."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._at = 0
        self.todo: list[bytes] = []
        self._left = 0
        self._all_answered: asyncio.Future[None] | None = None
        self._clients: list[_Client] = []
        self.done = Done()

    async def connect(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(min(self._work.clients, len(self._work.requests))):
            _, client = await loop.create_connection(lambda: _Client(self), "127.0.0.1", self._work.port)
            self._clients.append(client)

    async def send(self, count: int) -> None:
        slice_ = self._work.requests[self._at : self._at + count]
        self._at += len(slice_)
        self.todo = list(reversed(slice_))
        self._left = len(slice_)
        self._all_answered = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        if not self._clients:
            raise ConnectionResetError("the server closed all connections")
        for client in tuple(self._clients):
            client.send_next()
        await self._all_answered
        self.done.seconds += time.perf_counter() - began

    def answered(self, status: int, body: bytes, seconds: float) -> None:
        self.done.latencies.append(seconds)
        self.done.statuses[status] += 1
        if self._work.keep_bodies:
            self.done.bodies.append(body)
        self._left -= 1
        if not self._left and self._all_answered is not None:
            self._all_answered.set_result(None)

    def lost(self, client: "_Client", error: Exception | None) -> None:
        """Goes on without a client that had nothing to do: servers close connections that are idle for seconds."""
        self._clients.remove(client)
        if client.waits and self._all_answered is not None and not self._all_answered.done():
            self._all_answered.set_exception(error or ConnectionResetError("the server closed a connection"))


class _Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, lane: _Lane) -> None:
        self._lane = lane
        self._buffer = b""
        self._sent = 0.0
        self.waits = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's are none by class

    def send_next(self) -> None:
        """Sends a request, if there is one left."""
        if self._lane.todo:
            assert self._transport is not None  # noqa: S101 - connected before anything is sent
            self._sent = time.perf_counter()
            self.waits = True
            self._transport.write(self._lane.todo.pop())

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        head = self._buffer.find(b"\r\n\r\n")
        if head < 0:
            return
        end = head + 4 + _content_length(self._buffer[:head])
        if len(self._buffer) < end:
            return
        seconds = time.perf_counter() - self._sent
        status, body = int(self._buffer[9:12]), self._buffer[head + 4 : end]
        self._buffer = self._buffer[end:]
        self.waits = False
        self.send_next()
        self._lane.answered(status, body, seconds)

    def connection_lost(self, error: Exception | None) -> None:
        self._lane.lost(self, error)


def _content_length(head: bytes) -> int:
    at = head.lower().find(b"content-length:")
    return 0 if at < 0 else int(head[at + 15 :].split(b"\r\n", 1)[0])


def main(given: str, found: str) -> None:
    """Connects, sends slices of the work in one file as it is told, and writes what came of them into another."""
    works = pickle.loads(Path(given).read_bytes())  # noqa: S301 - written by the process that started this one
    try:
        import uvloop  # noqa: PLC0415 - not on every system

        uvloop.run(_drive(works, Path(found)))
    except ImportError:
        asyncio.run(_drive(works, Path(found)))


async def _drive(works: Sequence[Work], found: Path) -> None:
    lanes = [_Lane(work) for work in works]
    async with asyncio.timeout(CONNECT_SECONDS):
        for lane in lanes:
            await lane.connect()
    while asked := _report("ready").split():
        server, count = map(int, asked)
        await lanes[server].send(count)
    found.write_bytes(pickle.dumps([lane.done for lane in lanes]))
    _report("written")


def _report(so_far: str) -> str:
    """Says how far we are, and returns what to do next; nothing else is to happen meanwhile."""
    sys.stdout.write(f"{so_far}\n")
    sys.stdout.flush()
    return sys.stdin.readline()
