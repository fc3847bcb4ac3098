"""Fixtures: a browser, a page on which errors of the browser fail the test, and a service."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from app.client import Client
from tests.browser.browsers import browser, browser_path
from tests.e2e.harness import Server

TIMEOUT_MILLISECONDS = 20_000

# Without a browser only this test runs, and reports it.
_ALWAYS = "test_installed.py"
collect_ignore = (
    [] if browser_path() else [file.name for file in Path(__file__).parent.glob("test_*.py") if file.name != _ALWAYS]
)


@pytest.fixture(scope="module")  # not longer: while it is open, its event loop prevents other tests from starting one
def chromium() -> Iterator[Browser]:
    with browser() as running:
        yield running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("browser")
    with Server(f"sqlite:///{folder / 'browser.db'}", folder) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.url, timeout_seconds=30) as calling:
        yield calling


@pytest.fixture
def complaints() -> list[str]:
    """Errors and warnings of the browser; a test removes those that it expects."""
    return []


@pytest.fixture
def page(chromium: Browser, server: Server, complaints: list[str]) -> Iterator[Page]:
    """An empty page of the service; errors, warnings and requests to other hosts fail the test."""
    context = chromium.new_context(base_url=server.url, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(TIMEOUT_MILLISECONDS)
    expect.set_options(timeout=TIMEOUT_MILLISECONDS)

    def on_console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            complaints.append(f"{message.type}: {message.text}")

    def on_request(request: Request) -> None:
        if not request.url.startswith((server.url, "blob:", "data:")):
            complaints.append(f"another host: {request.url}")

    opened.on("console", on_console)
    opened.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
    opened.on("request", on_request)
    yield opened
    context.close()
    assert complaints == []
