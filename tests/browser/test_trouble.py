"""The dashboard with problems: hostile labels, missing streams, an unavailable service, a service with keys."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from app.client import Client
from app.simulation.population import Population
from app.wire.sessions import ItemIn
from tests.browser.driving import serve
from tests.browser.test_dashboard import open_session

HOSTILE = [
    "<img src=x onerror=\"document.title='taken'\">",
    "<script>document.title = 'taken'</script>",
    "</textarea><svg onload=\"document.title='taken'\">",
    "javascript:document.title='taken'",
    "\u202etxet desrever",
    "x" * 500,
]


def test_hostile_labels_stay_text(page: Page, client: Client) -> None:
    items = [ItemIn(id=f"{n}<b>{n}", label=label) for n, label in enumerate(HOSTILE)]
    session = client.create_session(items, name="<h1>big</h1><img src=x onerror=alert(1)>", epsilon=0.3, seed=1).id
    serve(client, session, Population.mixture([1.0], [[0.9, 0.8, 0.1, 0.1, 0.1, 0.7]]))
    page.set_viewport_size({"width": 375, "height": 812})
    page.goto("/")
    expect(page.get_by_text("<h1>big</h1>")).to_be_visible()
    open_session(page, session)
    expect(page.get_by_role("heading", level=1)).to_have_text("<h1>big</h1><img src=x onerror=alert(1)>")
    expect(page.locator("#verdict")).to_contain_text(HOSTILE[0])
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown"):
        page.locator("canvas.heat-map").press(key)
    assert page.locator("main img, main script").count() == 0
    assert "taken" not in page.title()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375, "long words wrap"


def test_the_page_polls_if_streams_fail(page: Page, client: Client, complaints: list[str]) -> None:
    page.route(re.compile(r"/events$"), lambda route: route.abort())
    session = client.create_session(["a", "b", "c"]).id
    open_session(page, session)
    expect(page.locator(".live")).to_have_text("Live, by polling")
    client.change_session(session, state="paused")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert all("ERR_FAILED" in complaint for complaint in complaints)
    complaints.clear()


def test_the_page_shows_an_unavailable_service_and_reconnects(
    page: Page, client: Client, complaints: list[str]
) -> None:
    session = client.create_session(["a", "b", "c"]).id

    def away(route: Route) -> None:
        route.abort()

    page.route(re.compile(r"/events$"), away)
    open_session(page, session)
    page.route(re.compile(r"/v1/"), away)
    expect(page.locator(".live")).to_have_text(re.compile("cannot be reached"))
    page.unroute(re.compile(r"/v1/"), away)
    expect(page.locator(".live")).to_have_text("Live, by polling")
    complaints.clear()


def test_the_page_shows_that_its_session_was_deleted(page: Page, client: Client, complaints: list[str]) -> None:
    session = client.create_session(["a", "b", "c"]).id
    open_session(page, session)
    expect(page.locator(".live")).to_have_text("Live")
    client.delete_session(session)
    expect(page.get_by_text("This session has been deleted.")).to_be_visible()
    assert all("404" in complaint for complaint in complaints), "only the last request failed"
    complaints.clear()


def test_the_page_of_an_unknown_session_shows_an_error(page: Page, complaints: list[str]) -> None:
    page.goto("/#/sessions/nobody")
    expect(page.get_by_role("alert")).to_contain_text("no session")
    complaints.clear()


@pytest.mark.parametrize("path", ["/", "/#/sessions/{session}"])
def test_a_key_is_asked_for_and_sent(page: Page, client: Client, complaints: list[str], path: str) -> None:
    session = client.create_session(["a", "b", "c"], name="Guarded").id
    sent: list[str | None] = []

    def guard(route: Route) -> None:
        key = route.request.headers.get("authorization")
        sent.append(key)
        if key == "Bearer secret":
            route.continue_()
        else:
            route.fulfill(status=401, content_type="application/problem+json", body='{"title": "A key is needed"}')

    page.route(re.compile(r"/v1/"), guard)
    page.goto(path.format(session=session))
    page.get_by_label("API key").fill("secret")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("Guarded").first).to_be_visible()
    assert sent[0] is None
    assert sent[-1] == "Bearer secret"
    assert all("401" in complaint for complaint in complaints)
    complaints.clear()


def test_the_page_reconnects_its_stream_after_its_own_change(page: Page, client: Client) -> None:
    """A stream does not report a change that is undone within a second, but the page has shown the change."""
    session = client.create_session(["a", "b", "c"]).id
    asked: list[str | None] = []

    def record(route: Route) -> None:
        asked.append(route.request.headers.get("last-event-id"))
        route.continue_()

    page.route(re.compile(r"/events$"), record)
    open_session(page, session)
    expect(page.locator(".live")).to_have_text("Live")
    before = len(asked)
    with page.expect_request(re.compile(r"/events$")):
        page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert asked[before:] == [None], "immediately, and without the id of its last event"
