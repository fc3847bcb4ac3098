"""The parts of uvicorn that we replace. Each is checked at startup; if uvicorn has changed, its own part is used."""

import importlib
import logging
from contextlib import suppress

from uvicorn.supervisors import multiprocess

_HTTP_PROTOCOL = "app.web.http_protocol"
_WORKERS = "app.web.workers"

log = logging.getLogger("bestpair")


def http_protocol() -> str:
    """Returns uvicorn's option `http`: our protocol if it works with the installed uvicorn, otherwise "auto"."""
    reason = _incompatibility(_HTTP_PROTOCOL)
    if reason is None:
        return f"{_HTTP_PROTOCOL}:HttpProtocol"
    advice = "uvicorn has changed; slow clients and large headers are not limited, so put a proxy in front of it"
    log.warning("stock_http_protocol", extra={"reason": reason, "advice": advice})
    return "auto"


def set_request_seconds(seconds: float) -> None:
    """Sets how long a client may take to send a request; has no effect on uvicorn's stock protocol."""
    with suppress(ImportError):  # `http_protocol` has logged it
        importlib.import_module(_HTTP_PROTOCOL).HttpProtocol.request_seconds = seconds


def use_own_workers() -> None:
    """Makes uvicorn supervise its processes with our `Worker`, if that works with the installed uvicorn."""
    reason = _incompatibility(_WORKERS)
    if reason is None:
        multiprocess.Process = importlib.import_module(_WORKERS).Worker  # type: ignore[misc]
        return
    advice = "uvicorn has changed; it may replace a process that starts slowly"
    log.warning("workers_as_usual", extra={"reason": reason, "advice": advice})


def _incompatibility(module: str) -> str | None:
    """Returns why a module does not work with the installed uvicorn, or None if it does."""
    try:
        reason: str | None = importlib.import_module(module).incompatibility()
    except Exception as error:  # any change of uvicorn: the server starts without the module
        return f"{type(error).__name__}: {error}"
    return reason
