"""Our parts of uvicorn: used if they work with the installed version, otherwise its own parts, with a log line."""

import logging
import sys
from collections.abc import Callable
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import multiprocess

from app.web import http_protocol, server
from app.web.http_protocol import HttpProtocol
from app.web.workers import Worker

Patch = pytest.MonkeyPatch


async def application(_scope: Any, _receive: Any, _send: Any) -> None: ...


def protocol_class() -> type[object]:
    """Returns the class that uvicorn loads for the chosen option."""
    config = Config(application, http=server.http_protocol(), log_config=None)
    config.load()
    return config.http_protocol_class


class CycleWithout:
    """The state of a request as our protocol would see it if uvicorn had given one attribute another name."""

    def __init__(self, cycle: object, missing: str) -> None:
        self.__dict__.update(cycle=cycle, missing=missing)

    def __getattr__(self, name: str) -> object:
        if name == self.__dict__["missing"]:
            raise AttributeError(f"no attribute {name}")
        return getattr(self.__dict__["cycle"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["cycle"], name, value)


def without(attribute: str) -> Callable[[Patch], None]:
    def set_cycle(self: HttpProtocol, cycle: object) -> None:
        self.__dict__["_cycle"] = None if cycle is None else CycleWithout(cycle, attribute)

    seen = property(lambda self: self.__dict__["_cycle"], set_cycle)
    return lambda patch: patch.setattr(HttpProtocol, "cycle", seen, raising=False)


CHANGES: dict[str, tuple[Callable[[Patch], None], str]] = {
    **{
        name: (without(name), f"AttributeError: no attribute {name}")
        for name in ("scope", "flow", "disconnected", "keep_alive", "default_headers", "message_event", "more_body")
    },
    "on_body": (lambda patch: patch.delattr(HttpToolsProtocol, "on_body"), "400 Bad Request"),
    "pause_writing": (lambda patch: patch.delattr(HttpToolsProtocol, "pause_writing"), "pause_writing"),
    "resume_reading": (lambda patch: patch.delattr(FlowControl, "resume_reading"), "500 Internal Server Error"),
    "STATUS_LINE": (lambda patch: patch.setattr(http_protocol, "STATUS_LINE", {200: b"OK"}), "is [b'OKcontent-length"),
    "import": (lambda patch: patch.setitem(sys.modules, "app.web.http_protocol", None), "ModuleNotFoundError"),
}


def test_our_protocol_works_with_the_installed_uvicorn(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "bestpair"), caplog.at_level(logging.DEBUG, "uvicorn"):
        assert protocol_class() is HttpProtocol
    assert [record for record in caplog.records if record.name != "asyncio"] == [], "the check itself logs nothing"


@pytest.mark.parametrize("changed", CHANGES)
def test_the_stock_protocol_is_used_if_uvicorn_has_changed(
    changed: str, monkeypatch: Patch, caplog: pytest.LogCaptureFixture
) -> None:
    change, reason = CHANGES[changed]
    change(monkeypatch)
    assert protocol_class() is HttpToolsProtocol
    (logged,) = [record for record in caplog.records if record.name == "bestpair"]
    assert (logged.levelname, logged.message) == ("WARNING", "stock_http_protocol")
    assert reason in logged.reason  # type: ignore[attr-defined]


def test_the_time_limit_is_set_if_there_is_a_protocol_to_set_it_for(monkeypatch: Patch) -> None:
    monkeypatch.setattr(HttpProtocol, "request_seconds", 20.0)
    server.set_request_seconds(3.0)
    assert HttpProtocol.request_seconds == 3.0
    monkeypatch.setitem(sys.modules, "app.web.http_protocol", None)
    server.set_request_seconds(4.0)
    assert HttpProtocol.request_seconds == 3.0


def test_our_workers_are_used_with_the_installed_uvicorn(monkeypatch: Patch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(multiprocess, "Process", multiprocess.Process)  # restored after the test
    server.use_own_workers()
    assert multiprocess.Process is Worker
    assert caplog.records == []


def with_other_arguments(monkeypatch: Patch) -> None:
    monkeypatch.setattr(multiprocess.Process, "is_alive", lambda _self: True)


def without_a_pipe(monkeypatch: Patch) -> None:
    def make(self: Any, config: Any, sockets: Any) -> None: ...

    monkeypatch.setattr(multiprocess.Process, "__init__", make)


def without_a_method(monkeypatch: Patch) -> None:
    monkeypatch.delattr(multiprocess.Process, "is_alive")


@pytest.mark.parametrize("change", [with_other_arguments, without_a_pipe, without_a_method])
def test_uvicorns_workers_are_used_if_it_has_changed(
    change: Callable[[Patch], None], monkeypatch: Patch, caplog: pytest.LogCaptureFixture
) -> None:
    stock = multiprocess.Process
    change(monkeypatch)
    server.use_own_workers()
    assert multiprocess.Process is stock
    assert [record.message for record in caplog.records] == ["workers_as_usual"]
