"""Notes on the dashboard: a goal that is too wide, and mistakes that are visible in the first minute."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from app.client import Client
from app.simulation.mixtures import mixture_of_rate
from app.wire.serving import Feedback, Impression
from tests.browser.driving import serve, shop_items
from tests.e2e.harness import Server

_COLOUR_OF = """name => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
}"""


@pytest.fixture(scope="module")
def rarely_clicked(server: Server) -> str:
    """A session with 12 ads that are rarely clicked, certified with an epsilon that is too large."""
    users = mixture_of_rate(0.002, 12, 2, np.random.default_rng(1))
    with Client(server.url, timeout_seconds=30) as client:
        session = client.create_session(shop_items(12), name="Rarely clicked", policy="lucb", epsilon=0.05, seed=1).id
        best = serve(client, session, users)
    assert best.certified
    assert [entry.kind for entry in best.health] == ["epsilon_too_large"]
    return session


def colour(page: Page, chip: str) -> str:
    return str(page.locator(f".chip:text-is('{chip}')").first.evaluate("chip => getComputedStyle(chip).color"))


def answered(pairs: list[Impression], reward: int) -> list[Feedback]:
    return [Feedback(ticket=pair.ticket, reward=reward) for pair in pairs]


def test_a_certificate_with_a_goal_that_is_too_wide_is_not_green(
    page: Page, rarely_clicked: str, client: Client
) -> None:
    note = client.best_pair(rarely_clicked).health[0]
    assert "any pair would pass" in note.problem  # the rest depends on how many impressions came before the last plan
    page.goto("/")
    row = page.locator(f"a[href='#/sessions/{rarely_clicked}']")
    expect(row.locator(".chip")).to_have_text("Certified, goal too wide")
    row.click()
    verdict = page.get_by_role("region", name="Verdict")
    expect(verdict.locator(".chip")).to_have_text("Certified, goal too wide")
    expect(page.locator("#verdict")).to_contain_text("is within 5 points of the best, but that says little here.")
    expect(verdict).to_contain_text(f"{note.problem[0].upper()}{note.problem[1:]}. What to do: {note.advice}.")
    expect(page.get_by_role("region", name="Health")).to_contain_text("Worth knowing: epsilon is 5 points")
    good, warn = (page.evaluate(_COLOUR_OF, name) for name in ("--good", "--warn"))
    assert good != warn
    assert colour(page, "Certified, goal too wide") == warn
    serious = [each for each in Axe().run(page).response["violations"] if each["impact"] in {"serious", "critical"}]
    assert serious == []
    page.set_viewport_size({"width": 375, "height": 812})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_the_first_minute_shows_the_traffic_and_that_only_clicks_arrive(page: Page, client: Client) -> None:
    session = client.create_session(shop_items(8), name="First minute", seed=1).id
    page.goto(f"/#/sessions/{session}")
    verdict, health = (page.get_by_role("region", name=name) for name in ("Verdict", "Health"))
    chip = verdict.locator(".chip")
    expect(chip).to_have_text("Waiting for traffic")

    def figure(name: str) -> str:
        return f"dt:text-is('{name}') + dd"

    shown = client.next_pairs(session, 400)
    expect(verdict.locator(figure("Handed out"))).to_have_text("400")
    expect(verdict.locator(figure("Answered"))).to_have_text("0")
    expect(chip).to_have_text("Collecting answers")
    client.feedbacks(session, answered(shown[1:196:5], 1))
    expect(verdict.locator(figure("Answered"))).to_have_text("39")
    expect(page.locator(".arrived")).to_have_text("400 handed out, 39 answered")
    expect(verdict).to_contain_text("400 pairs have been handed out, 39 answered.")
    expect(health).to_contain_text("Nothing seen so far")
    client.feedbacks(session, answered(shown[2::5], 1))
    expect(verdict.locator(figure("Answered"))).to_have_text("119")
    expect(chip).to_have_text("Only clicks so far")
    expect(health).to_contain_text('all answers so far are clicks; do you also send "reward": 0')
    boxes = [page.get_by_role("region", name=name).bounding_box() for name in ("Health", "Best pair")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] < boxes[1]["y"], "it is the first panel"
    client.feedback(session, shown[0].ticket, reward=0)
    expect(health).to_contain_text("Nothing seen so far")
    expect(chip).not_to_have_text("Only clicks so far")
    best = client.best_pair(session)
    assert (best.verdict, best.samples) == ("not_yet", 0), "all of this before the second plan"
