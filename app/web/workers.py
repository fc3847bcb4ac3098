"""Server processes that may start slowly.

uvicorn pings each of its processes, waits 5 seconds, and replaces a process that does not respond. A process cannot
respond before Python and the modules of the command are loaded: some 3 seconds of processor time, 20 seconds on a busy
machine. There, all processes were replaced again and again, and the service never started. uvicorn's supervisor also
waited for the response without handling signals, and did not notice that a process had died meanwhile.
"""

import inspect
from socket import socket

from uvicorn import Config
from uvicorn.supervisors import multiprocess

MOST_MISSED_PINGS = 120
"""Pings in a row without a response, after the first response; the supervisor checks twice a second. Counted, not
timed: a machine that was suspended has missed none."""


class Worker(multiprocess.Process):
    """A server process for uvicorn's supervisor: replaced if it dies or hangs for a minute, but not while it starts."""

    def __init__(self, config: Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        self._ping_sent = False
        self._has_responded = False
        self._missed = 0

    def is_alive(self, timeout: float = 5) -> bool:  # noqa: ARG002 - as uvicorn calls it
        """Returns whether to keep the process; never blocks."""
        if not self.process.is_alive():
            return False
        try:
            if self._ping_sent and self.parent_conn.poll():
                self.parent_conn.recv()
                self._ping_sent, self._has_responded, self._missed = False, True, 0
            if not self._ping_sent:
                self.parent_conn.send(b"ping")
                self._ping_sent = True
        except (OSError, EOFError):
            return False
        self._missed += self._has_responded
        return self._missed <= MOST_MISSED_PINGS


def incompatibility() -> str | None:
    """Returns why `Worker` does not work with the installed uvicorn, or None if it does."""
    known = {"__init__": ["self", "config", "sockets"], "is_alive": ["self", "timeout"]}
    found = {name: list(inspect.signature(getattr(multiprocess.Process, name)).parameters) for name in known}
    if found != known:
        return f"the methods of its Process take {found}, not {known}"
    if "parent_conn" not in multiprocess.Process.__init__.__code__.co_names:
        return "its Process has no parent_conn"
    return None
