"""The dashboard of a service with keys: with a read key and with an admin key."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from app.client import Client
from tests.e2e.harness import Server


def make_key(url: str, scope: str) -> str:
    """Creates a key with the command and returns it."""
    command = [sys.executable, "-c", "from app.cli import main; main()", "keys", "create", "--name", "browser"]
    environment = {**os.environ, "BESTPAIR_DATABASE_URL": url}
    made = subprocess.run([*command, "--scope", scope], env=environment, check=True, capture_output=True, text=True)
    return made.stdout.strip()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('keys') / 'keys.db'}"


@pytest.fixture(scope="module")
def admin(url: str) -> str:
    return make_key(url, "admin")


@pytest.fixture(scope="module")
def reader(url: str) -> str:
    return make_key(url, "read")


@pytest.fixture(scope="module")
def server(url: str, admin: str, reader: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    assert admin != reader
    with Server(url, tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def client(server: Server, admin: str) -> Iterator[Client]:
    with Client(server.url, api_key=admin, timeout_seconds=30) as calling:
        yield calling


def enter(page: Page, key: str) -> None:
    page.get_by_label("API key").fill(f" {key}\n")  # as it is pasted
    page.get_by_role("button", name="Use it").click()


def remove_401(complaints: list[str]) -> None:
    assert all("401" in complaint for complaint in complaints), complaints
    complaints.clear()


def test_a_read_key_shows_everything_and_changes_nothing(
    page: Page, client: Client, reader: str, complaints: list[str]
) -> None:
    session = client.create_session(["a", "b", "c"], name="Guarded").id
    page.goto("/")
    enter(page, reader)
    expect(page.get_by_text("Guarded").first).to_be_visible()
    expect(page.get_by_text("This key may not create sessions.")).to_be_visible()
    expect(page.get_by_role("link", name="New session")).to_have_count(0)
    remove_401(complaints)
    page.goto(f"/#/sessions/{session}")
    expect(page.locator(".live")).to_have_text("Live")
    expect(page.get_by_text("This key may only read.")).to_be_visible()
    for name in ("Pause", "Stop…"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    client.change_session(session, state="paused")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="CSV").click()
    assert waiting.value.suggested_filename.endswith(".csv")
    assert reader not in page.content()


def test_an_admin_key_enables_the_buttons(page: Page, client: Client, admin: str, complaints: list[str]) -> None:
    session = client.create_session(["a", "b", "c"]).id
    page.goto(f"/#/sessions/{session}")
    enter(page, admin)
    expect(page.locator(".live")).to_have_text("Live")
    remove_401(complaints)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_enabled()
    expect(page.get_by_text("This key may only read.")).to_have_count(1)
    expect(page.get_by_text("This key may only read.")).to_be_hidden()
    assert client.get_session(session).state == "paused"


def test_a_late_refusal_of_a_call_without_a_key_does_not_ask_again(
    page: Page, admin: str, complaints: list[str]
) -> None:
    held: list[Route] = []

    def hold_without_key(route: Route) -> None:
        if "authorization" in route.request.headers:
            route.continue_()
        else:
            held.append(route)

    page.route("**/v1/access", hold_without_key)
    page.goto("/")
    enter(page, admin)
    expect(page.get_by_role("link", name="New session").first).to_be_visible()
    assert held, "the page requested its rights before it had a key"
    with page.expect_response(lambda answer: answer.url.endswith("/v1/access") and answer.status == 401) as late:
        held.pop().continue_()
    late.value.finished()
    page.evaluate("new Promise((done) => setTimeout(done, 0))")  # the handlers of the response have run then
    expect(page.get_by_label("API key")).to_have_count(0)
    remove_401(complaints)


def test_a_wrong_key_is_asked_for_again(page: Page, admin: str, complaints: list[str]) -> None:
    page.goto("/")
    enter(page, "bp_000000000000_nonsense")
    expect(page.get_by_label("API key")).to_be_visible()
    enter(page, admin)
    expect(page.get_by_label("API key")).to_have_count(0)
    expect(page.get_by_role("link", name="New session").first).to_be_visible()
    stored = page.evaluate("[Object.values(localStorage).join(), document.cookie]")
    assert admin not in "".join(stored), "it is kept only for this tab"
    remove_401(complaints)
