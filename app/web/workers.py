"""Server processes that have all the time they need to start.

uvicorn asks each of its processes for a sign of life, waits 5 seconds, and replaces those that stay silent. A process
cannot answer before Python and the modules of the command are loaded: some 3 seconds of processor time, 20 seconds on
a busy machine. All were replaced again and again, and the service never came up. Its supervisor also waited for that
sign without handling signals, and did not notice that a process had died meanwhile.
"""

import inspect
import logging
from socket import socket

from uvicorn import Config
from uvicorn.supervisors import multiprocess

SILENT_CHECKS = 120
"""Signs of life that may be missed in a row, once there was one; the supervisor looks twice a second. Counted, not
timed: a machine that was suspended has missed none."""

log = logging.getLogger("bestpair")


class Worker(multiprocess.Process):
    """A server process for its supervisor: given up if it dies or is silent for a minute, but not while it starts."""

    def __init__(self, config: Config, sockets: list[socket]) -> None:
        super().__init__(config, sockets)
        self._was_asked = False
        self._has_answered = False
        self._missed = 0

    def is_alive(self, timeout: float = 5) -> bool:  # noqa: ARG002 - as uvicorn calls it
        """Returns whether the process may go on; waits for nothing."""
        if not self.process.is_alive():
            return False
        try:
            if self._was_asked and self.parent_conn.poll():
                self.parent_conn.recv()
                self._was_asked, self._has_answered, self._missed = False, True, 0
            if not self._was_asked:
                self.parent_conn.send(b"ping")
                self._was_asked = True
        except (OSError, EOFError):
            return False
        self._missed += self._has_answered
        return self._missed <= SILENT_CHECKS


def use_patient_workers() -> None:
    """Makes uvicorn supervise its processes like this, if it is still built as this module expects."""
    known = {
        "__init__": ["self", "config", "sockets"],
        "is_alive": ["self", "timeout"],
    }
    found = {name: list(inspect.signature(getattr(multiprocess.Process, name)).parameters) for name in known}
    if found == known and "parent_conn" in multiprocess.Process.__init__.__code__.co_names:
        multiprocess.Process = Worker  # type: ignore[misc]
    else:
        log.warning("workers_as_usual", extra={"advice": "uvicorn has changed; a slow start may be taken for a hang"})
