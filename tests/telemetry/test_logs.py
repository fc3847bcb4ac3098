"""Logging as a server process configures it, in a separate process."""

import json
import logging
import subprocess
import sys

import pytest
from pydantic import BaseModel
from sqlalchemy.exc import IntegrityError

from app.telemetry.log_format import exception_text
from app.telemetry.logs import Sampling

BEGIN = """
import logging, threading, warnings, structlog
from app.telemetry.logs import LogSettings, REQUEST_ID, configure
configure(LogSettings({format!r}, "info", ("hunter2",)))
log = logging.getLogger("bestpair.test")
"""


def lines_of(code: str, form: str = "json") -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", BEGIN.format(format=form) + code], capture_output=True, text=True, check=False
    )
    assert ran.stdout == ""
    return ran.stderr.splitlines()


def events_of(code: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines_of(code)]


def test_a_line_has_an_event_its_fields_and_the_request() -> None:
    code = """
REQUEST_ID.set("r-1")
log.info("session_created", extra={"session": "s1", "items": 3})
log.debug("unseen")
"""
    (event,) = events_of(code)
    assert event.pop("time")
    assert event == {
        "level": "info", "event": "session_created", "logger": "bestpair.test", "session": "s1", "items": 3,
        "request_id": "r-1",
    }  # fmt: skip
    (line,) = lines_of(code, "console")
    assert line.split(" ", 1)[1] == "info    session_created logger=bestpair.test session=s1 items=3 request_id=r-1"


def test_lines_of_libraries_threads_and_the_main_thread_have_the_same_format() -> None:
    events = events_of("""
warnings.warn("of a library")
warnings.warn("of another")
logging.getLogger("uvicorn.error").info("Started %s", "it", extra={"color_message": "x"})
structlog.get_logger("theirs").warning("native", n=1)
thread = threading.Thread(target=lambda: 1 / 0, name="t")
thread.start(); thread.join()
raise ValueError("the password is hunter2")
""")
    assert [event["event"] for event in events[2:]] == ["Started it", "native", "thread_failed", "process_failed"]
    assert "of a library" in str(events[0]["event"])
    assert "of another" in str(events[1]["event"])
    assert "color_message" not in events[2]
    assert "ZeroDivisionError" in str(events[4]["fault"])
    assert "ValueError: the password is ***" in str(events[5]["fault"])


def test_a_line_that_cannot_be_formatted_is_reported_without_its_content() -> None:
    (event,) = events_of('log.info("count %d", "hunter2")')
    assert event == {"event": "log_line_lost", "logger": "bestpair.test"}


def test_exceptions_are_logged_without_the_values_that_libraries_quote() -> None:
    class Shape(BaseModel):
        ticket: int

    quoted = "".join(["pla", "nted"])  # the traceback contains lines of this code
    driver = RuntimeError(f'duplicate key value violates "uq"\nDETAIL:  Key (ticket)=({quoted}) already exists.')
    try:
        try:
            Shape.model_validate({"ticket": quoted})
        except ValueError as first:
            raise IntegrityError("INSERT", {"ticket": quoted}, driver) from first
    except IntegrityError as error:
        text = exception_text(error)
    assert quoted not in text
    assert "ValidationError: Shape failed validation" in text
    assert 'IntegrityError: duplicate key value violates "uq"' in text
    assert text.index("ValidationError") < text.index("IntegrityError")
    assert 'Shape.model_validate({"ticket": quoted})' in text, "the traceback is logged"


def test_a_circular_chain_of_exceptions_ends() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert exception_text(first).count("ValueError") == 2


def test_repeated_errors_are_logged_once_a_second() -> None:
    now = 0.0
    sampling = Sampling(1.0, lambda: now)

    def passes(event: str, level: int = logging.ERROR, error: type[Exception] | None = None) -> int | None:
        record = logging.LogRecord("bestpair.web", level, "", 0, event, (), (error, error(), None) if error else None)
        return getattr(record, "left_out", 0) if sampling.filter(record) else None

    assert passes("a") == 0
    assert [passes("a") for _ in range(500)] == [None] * 500
    assert passes("b") == 0
    assert passes("a", error=ValueError) == 0, "another type of exception is another kind"
    assert [passes("changed", logging.INFO) for _ in range(3)] == [0, 0, 0]
    now = 0.99
    assert passes("a") is None
    now = 1.0
    assert passes("a") == 501
    now = 2.0
    assert passes("a") == 0


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_label_cannot_forge_a_line(form: str) -> None:
    code = r'log.info("session_created", extra={"label": "x\n{\"event\":\"forged\"}\x1b[2J\u2028y"})'
    (line,) = lines_of(code, form)
    assert line.isprintable()
    assert line.isascii()
