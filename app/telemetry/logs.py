"""Logging: all lines of a process (ours, uvicorn's, warnings of libraries, errors that end a thread) go to stderr.

Code logs with the standard library: an event name, and fields as `extra`. Only this module decides which lines are
written and in which format. Repeated warnings and errors are sampled: one line a second for each kind.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import structlog
from structlog.typing import EventDict, WrappedLogger

from app.telemetry.log_format import (
    LONGEST_FAULT,
    LONGEST_SEARCHED,
    LONGEST_VALUE,
    Redactor,
    as_console,
    as_json,
    exception_text,
)

REQUEST_ID: ContextVar[str | bytes | None] = ContextVar("bestpair_request_id", default=None)
"""The id of the request that is being served; each request runs in its own task, and calls inherit the value."""

_OURS = ("app", "bestpair", "uvicorn")
"""Loggers that follow the configured level also below `info`; database drivers would log every statement."""
_QUIET = {"alembic": logging.WARNING, "asyncio": logging.WARNING}
_FIRST_FIELDS = ("time", "level", "event", "logger")
_OMITTED_FIELDS = ("color_message", "_record", "_from_structlog", "exc_info", "stack_info")


@dataclass(frozen=True)
class LogSettings:
    """The format of lines, the least level, and known secrets that no line may contain."""

    format: str = "console"
    level: str = "info"
    secrets: tuple[str, ...] = ()


_in_use: LogSettings | None = None


def in_use() -> LogSettings | None:
    """Returns the settings of `configure`, to pass them to a child process; None before it was called."""
    return _in_use


def configure(settings: LogSettings) -> None:
    """Configures logging for this process; called once, when a server process starts."""
    global _in_use  # noqa: PLW0603 - logging itself is global to a process
    _in_use = settings
    handler = _Handler(sys.stderr)
    handler.addFilter(Sampling())
    handler.setFormatter(_formatter(settings))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    level = logging.getLevelName(settings.level.upper())
    root.setLevel(max(level, logging.INFO))
    for name in _OURS:
        logging.getLogger(name).setLevel(level)
    for name, least in _QUIET.items():
        logging.getLogger(name).setLevel(least)
    logging.captureWarnings(True)
    sys.excepthook = _log_main_thread_error
    threading.excepthook = _log_thread_error
    structlog.configure(  # for code that uses structlog itself
        processors=[structlog.stdlib.add_log_level, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


class _Handler(logging.StreamHandler[Any]):
    """Writes lines; if a line cannot be formatted or written, logs that without the content of the line."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name in the standard library
        try:
            self.stream.write(as_json({"event": "log_line_lost", "logger": record.name}) + "\n")
            self.flush()
        except (OSError, ValueError):
            return  # stderr is closed


def _formatter(settings: LogSettings) -> structlog.stdlib.ProcessorFormatter:
    redact = Redactor(settings.secrets)

    def finish(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Orders the fields, adds the request id and removes secrets."""
        error = _error_in(event.get("exc_info"))
        given = {name: value for name, value in event.items() if name not in _OMITTED_FIELDS and value is not None}
        request_id = given.pop("request_id", None) or REQUEST_ID.get()
        if isinstance(request_id, bytes):
            request_id = request_id.decode("latin-1")
        first: dict[str, Any] = {name: given.pop(name) for name in _FIRST_FIELDS if name in given}
        fields = {name: _clean(value, redact) for name, value in {**first, **given}.items()}
        if request_id is not None:
            fields["request_id"] = str(request_id)[:64]
        if error is not None:
            fields["fault"] = redact(exception_text(error))[-LONGEST_FAULT:]
        return fields

    render = as_json if settings.format == "json" else as_console
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.stdlib.ExtraAdder()],
        processors=[
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            finish,
            lambda _logger, _method, fields: render(dict(fields)),
        ],
    )


def _error_in(given: object) -> BaseException | None:
    """Returns the exception of a line: `exc_info` may be True, a tuple or the exception."""
    if given is True:
        given = sys.exc_info()
    if isinstance(given, tuple):
        given = given[1]
    return given if isinstance(given, BaseException) else None


def _clean(value: object, redact: Redactor) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return redact(str(value)[:LONGEST_SEARCHED])[:LONGEST_VALUE]


def _log_main_thread_error(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    logging.getLogger("bestpair").critical("process_failed", exc_info=(kind, error, where))


def _log_thread_error(given: threading.ExceptHookArgs) -> None:
    if given.exc_value is not None and not issubclass(given.exc_type, SystemExit):
        name = given.thread.name if given.thread else None
        fault = (given.exc_type, given.exc_value, given.exc_traceback)
        logging.getLogger("bestpair").critical("thread_failed", extra={"thread_name": name}, exc_info=fault)


_MOST_KINDS = 1_000
"""Kinds that are kept; an event is a name in our code, so there are far fewer."""

Kind = tuple[str, str, str]


class Sampling(logging.Filter):
    """Passes one warning or error of a kind in `seconds`; the next one has the number of dropped lines as `left_out`.

    A kind is the logger, the event and the type of the exception. Lines below a warning are about changes; all pass.
    """

    def __init__(self, seconds: float = 1.0, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[Kind, float] = {}
        self._left_out: dict[Kind, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns whether the line is written."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[0] if record.exc_info else None
        kind = (record.name, _event_of(record), error.__qualname__ if error else "")
        now = self._clock()
        with self._lock:
            last = self._last.get(kind)
            if last is not None and now - last < self._seconds:
                self._left_out[kind] = self._left_out.get(kind, 0) + 1
                return False
            if len(self._last) >= _MOST_KINDS:
                self._last.clear()
                self._left_out.clear()
            self._last[kind] = now
            left_out = self._left_out.pop(kind, 0)
        if left_out:
            record.left_out = left_out
        return True


def _event_of(record: logging.LogRecord) -> str:
    """Returns the event of a line; for warnings of libraries, which share one pattern, the text of the warning."""
    if isinstance(record.msg, dict):  # structlog's own loggers
        return str(record.msg.get("event"))
    if record.msg == "%s" and isinstance(record.args, tuple) and record.args:
        return str(record.args[0])
    return str(record.msg)
