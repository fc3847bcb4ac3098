"""The load generator of the serving benchmark: many clients with keep-alive connections, in a separate process.

It sends raw bytes over raw connections, so that the clients use little processor time. A client sends its next request
when it has the response to the last one. Requests are sent in slices, for one server at a time; connections are opened
before the first slice and closed after the last.
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
    """Requests for one server, each sent once, and the number of concurrent clients."""

    port: int
    requests: tuple[bytes, ...]
    clients: int
    keep_bodies: bool = False


@dataclass
class Done:
    """The responses of one server: latencies, statuses, total seconds, and bodies if they are kept."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    bodies: list[bytes] = field(default_factory=list)

    def percentile_ms(self, share: float) -> float:
        """Returns this percentile of the latencies (0.5 is the median), in milliseconds."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Load:
    """A process with connected clients. Data is exchanged in files; lines on standard input and output synchronise."""

    def __init__(self, process: "subprocess.Popen[bytes]", found: Path) -> None:
        self._process, self._found = process, found

    def send(self, server: int, count: int) -> None:
        """Sends the next `count` requests to one of the servers, and returns when all have a response."""
        self._write(f"{server} {count}")
        self.wait()

    def finish(self) -> list[Done]:
        """Ends the process and returns the responses of each server."""
        self._write("")
        self.wait()
        done: list[Done] = pickle.loads(self._found.read_bytes())  # noqa: S301 - written by our own process
        return done

    def wait(self) -> None:
        """Waits until the process has finished its last instruction."""
        if not (self._process.stdout and self._process.stdout.readline()):
            raise RuntimeError("the clients ended with an error")

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - for the type checker
        self._process.stdin.write(f"{line}\n".encode())


@contextmanager
def connected(works: Sequence[Work]) -> Iterator[Load]:
    """Yields connected clients for each server; closes the connections at the end."""
    with tempfile.TemporaryDirectory(prefix="bestpair-load-") as folder:
        given, found = Path(folder) / "work", Path(folder) / "done"
        given.write_bytes(pickle.dumps(works))
        command = f"from {__name__} import main; import sys; main(*sys.argv[1:])"
        process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-c", command, given, found], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        with process:  # at the end its standard input is closed, which ends it
            load = Load(process, found)
            load.wait()
            yield load


def drive(work: Work) -> Done:
    """Sends all requests for one server in one slice, and returns the responses."""
    with connected([work]) as load:
        load.send(0, len(work.requests))
        (done,) = load.finish()
    return done


class _Target:
    """The requests for one server, and its responses."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._at = 0
        self.todo: list[bytes] = []
        self._left = 0
        self._all_received: asyncio.Future[None] | None = None
        self._clients: list[_Client] = []
        self.done = Done()

    async def connect(self) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(min(self._work.clients, len(self._work.requests))):
            _, client = await loop.create_connection(lambda: _Client(self), "127.0.0.1", self._work.port)
            self._clients.append(client)

    async def send(self, count: int) -> None:
        slice_ = self._work.requests[self._at : self._at + count]
        if not slice_:
            return  # fewer requests than slices: there is no response to wait for
        self._at += len(slice_)
        self.todo = list(reversed(slice_))
        self._left = len(slice_)
        self._all_received = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        if not self._clients:
            raise ConnectionResetError("the server closed all connections")
        for client in tuple(self._clients):
            client.send_next()
        await self._all_received
        self.done.seconds += time.perf_counter() - began

    def received(self, status: int, body: bytes, seconds: float) -> None:
        self.done.latencies.append(seconds)
        self.done.statuses[status] += 1
        if self._work.keep_bodies:
            self.done.bodies.append(body)
        self._left -= 1
        if not self._left and self._all_received is not None:
            self._all_received.set_result(None)

    def lost(self, client: "_Client", error: Exception | None) -> None:
        """Continues without an idle client: servers close connections that are idle for seconds."""
        self._clients.remove(client)
        if client.waits and self._all_received is not None and not self._all_received.done():
            self._all_received.set_exception(error or ConnectionResetError("the server closed a connection"))


class _Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, target: _Target) -> None:
        self._target = target
        self._buffer = b""
        self._sent = 0.0
        self.waits = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # the transport of uvloop is not a subclass

    def send_next(self) -> None:
        """Sends the next request, if there is one."""
        if self._target.todo:
            assert self._transport is not None  # noqa: S101 - connected before anything is sent
            self._sent = time.perf_counter()
            self.waits = True
            self._transport.write(self._target.todo.pop())

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
        self._target.received(status, body, seconds)

    def connection_lost(self, error: Exception | None) -> None:
        self._target.lost(self, error)


def _content_length(head: bytes) -> int:
    at = head.lower().find(b"content-length:")
    return 0 if at < 0 else int(head[at + 15 :].split(b"\r\n", 1)[0])


def main(given: str, found: str) -> None:
    """Connects, sends the requests in the file `given` in slices as instructed, and writes the responses to `found`."""
    works = pickle.loads(Path(given).read_bytes())  # noqa: S301 - written by the process that started this one
    try:
        import uvloop  # noqa: PLC0415 - not on every system

        uvloop.run(_drive(works, Path(found)))
    except ImportError:
        asyncio.run(_drive(works, Path(found)))


async def _drive(works: Sequence[Work], found: Path) -> None:
    targets = [_Target(work) for work in works]
    async with asyncio.timeout(CONNECT_SECONDS):
        for target in targets:
            await target.connect()
    while instruction := _report("ready").split():
        server, count = map(int, instruction)
        await targets[server].send(count)
    found.write_bytes(pickle.dumps([target.done for target in targets]))
    _report("written")


def _report(state: str) -> str:
    """Writes the state and returns the next instruction; blocks until then, so that nothing else runs meanwhile."""
    sys.stdout.write(f"{state}\n")
    sys.stdout.flush()
    return sys.stdin.readline()
