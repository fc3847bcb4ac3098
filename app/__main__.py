"""Entry point of the `bestpair` command: handles SIGTERM before the slow imports begin."""

import os
import signal
from types import FrameType


def main() -> None:
    """Runs the command line; SIGTERM ends the process at once, until the server installs its own handler."""
    signal.signal(signal.SIGTERM, _end)
    from app.cli import main as run  # noqa: PLC0415 - takes a second or more, in which SIGTERM must work

    run()


def _end(number: int, _: FrameType | None) -> None:
    """Ends the process as the signal's default action would.

    The default action does not apply to the first process of a container: the kernel ignores the signal there.
    """
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
    os._exit(128 + number)


if __name__ == "__main__":
    main()
