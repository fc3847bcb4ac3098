"""The dashboard in a real browser: create a session, watch it certify, pause, resume and stop it."""

import json
import re
from collections.abc import Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from app.client import Client
from app.simulation.population import Population
from app.wire.serving import Feedback
from tests.browser.driving import population, serve, shop_items
from tests.e2e.harness import Server

N_ITEMS = 8


def often_clicked() -> Population:
    """Returns users for whom a goal of 15 points is not too wide."""
    return population(N_ITEMS, family="ads6")


def certify(server: Server, name: str, **goal: float) -> str:
    """Returns a session that has been certified."""
    with Client(server.url, timeout_seconds=30) as client:
        # Each plan is handed out once: otherwise a fast caller gets so much of one plan that few plans are made.
        settings = {"delta": 0.1, "while_waiting": "exploit", "seed": 1, **goal}
        session = client.create_session(shop_items(N_ITEMS), name=name, **settings).id
        assert serve(client, session, often_clicked(), per_call=100).certified
    return session


@pytest.fixture(scope="module")
def certified(server: Server) -> str:
    """A certified session with an absolute goal."""
    return certify(server, "Certified", epsilon=0.15)


@pytest.fixture(scope="module")
def certified_relative(server: Server) -> str:
    """A certified session with a relative goal."""
    return certify(server, "Certified by a share", relative_epsilon=0.3)


def open_session(page: Page, session: str) -> None:
    page.goto(f"/#/sessions/{session}")
    expect(page.locator("canvas.heat-map")).to_have_attribute("data-measured", re.compile(r"\d"))


def painted(page: Page) -> int:
    """Returns how many different colours the heat map has."""
    script = """canvas => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
    }"""
    return int(page.locator("canvas.heat-map").evaluate(script))


def test_create_a_session_in_the_form_and_follow_it_until_it_is_certified(page: Page, client: Client) -> None:
    page.goto("/")
    page.get_by_role("link", name="New session").first.click()
    page.get_by_label("Name", exact=True).fill("Made by hand")
    page.get_by_label("Items", exact=True).fill("\n".join(f"{item.id}, {item.label}" for item in shop_items(N_ITEMS)))
    expect(page.get_by_text("8 items, 28 pairs.")).to_be_visible()
    page.get_by_label("No, only whether there was a click").check()
    page.get_by_label("Points from the best").click()
    page.get_by_label("Points from the best").fill("15")
    page.get_by_label("Confidence, in percent").fill("90")
    page.get_by_text("More settings").click()
    page.get_by_label("Seed").fill("1")
    page.get_by_label("Notes").fill("Ann: spring sale\nuntil May")
    page.get_by_role("button", name="Create session").click()
    expect(page.locator("#verdict")).to_have_text("Not yet: no impression has been counted.")
    session = page.url.rsplit("/", 1)[1]
    made = client.get_session(session)
    assert (made.epsilon, made.relative_epsilon, made.delta, made.seed) == (0.15, None, 0.1, 1)
    assert made.feedback == "pair"
    assert made.notes == "Ann: spring sale\nuntil May"
    expect(page.locator(".notes")).to_have_text("Ann: spring sale\nuntil May")
    expect(page.get_by_role("region", name="Settings")).not_to_contain_text("Ann")
    assert [(item.id, item.label) for item in made.items] == [(item.id, item.label) for item in shop_items(N_ITEMS)]
    loads: list[str] = []
    page.on("framenavigated", lambda frame: loads.append(frame.url))

    serve(client, session, often_clicked(), until=lambda best: best.samples > 0, per_call=100)
    expect(page.locator("#verdict")).to_have_text(re.compile(r"^Not yet: \d+ pairs still in the race"))
    assert serve(client, session, often_clicked()).certified
    expect(page.locator("#verdict")).to_have_text(
        re.compile(r"^.+ \+ .+ is within 15 points of the best, 90\s% sure\.$")
    )
    best = client.best_pair(session)
    labels = [made.items[number].label for number in (best.i, best.j)]
    expect(page.locator("#verdict")).to_contain_text(" + ".join(labels))
    expect(page.locator(".gap-chart .dot")).to_have_count(len(history(client, session)))
    expect(page.locator(".race tbody tr")).not_to_have_count(0)
    assert painted(page) > 10
    assert loads == [], "the page was not reloaded"
    expect(page.locator(".live")).to_have_text("Live")
    page.get_by_role("link", name="All sessions").click()
    expect(page.locator(".notes-preview")).to_have_text("Ann: spring sale until May", use_inner_text=True)


def test_create_a_session_with_a_relative_goal_and_feedback_by_item(page: Page, client: Client) -> None:
    page.goto("/#/new")
    page.get_by_label("Items", exact=True).fill("\n".join(item.id for item in shop_items(N_ITEMS)))
    goal = page.get_by_role("radiogroup", name="How good must the pair be?")
    expect(goal.get_by_role("radio", name="at least % of what the best pair earns")).to_be_checked()
    expect(goal.get_by_label("Percent of what the best pair earns")).to_have_value("90")
    page.get_by_role("button", name="Create session").click()
    expect(page.locator("form")).to_be_visible()  # the browser asks for an answer to the question about feedback
    page.get_by_label("Yes, feedback names the clicked items").check()
    goal.get_by_label("Percent of what the best pair earns").fill("70")
    page.get_by_role("button", name="Create session").click()
    expect(page.locator("#verdict")).to_have_text("Not yet: no impression has been counted.")
    expect(page.get_by_role("region", name="Connect an ad server")).to_contain_text('"clicked": ["…"]')
    session = page.url.rsplit("/", 1)[1]
    made = client.get_session(session)
    assert (made.epsilon, made.relative_epsilon, made.feedback) == (None, 0.3, "items")
    settings = page.get_by_role("region", name="Settings")
    expect(settings.locator("dt:text-is('Goal') + dd")).to_have_text("at least 70\u00a0% of what the best pair earns")
    expect(settings.locator("dt:text-is('Feedback') + dd")).to_have_text("which items were clicked")
    assert serve(client, session, often_clicked()).certified
    expect(page.locator("#verdict")).to_have_text(
        re.compile(r"^.+ \+ .+ earns at least 70\s% of what the best pair earns, 95\s% sure\.$")
    )


def test_only_the_chosen_kind_of_goal_is_checked_and_sent(page: Page, client: Client) -> None:
    page.goto("/#/new")
    page.get_by_label("Items", exact=True).fill("a\nb\nc")
    page.get_by_label("No, only whether there was a click").check()
    share, difference = (page.get_by_label(name) for name in ("Percent of what the best pair", "Points from the best"))
    difference.click()  # chooses it
    difference.fill("200")
    page.get_by_role("radio", name="at least % of what the best pair earns").check()
    share.fill("100")
    page.get_by_role("button", name="Create session").click()
    expect(share).to_be_focused()
    assert share.evaluate("input => input.validationMessage") == "Must be above 0 and below 100."
    share.fill("99.5")
    page.get_by_role("button", name="Create session").click()
    expect(page.locator("#verdict")).to_be_visible()
    made = client.get_session(page.url.rsplit("/", 1)[1])
    assert (made.epsilon, made.relative_epsilon) == (None, 0.005)


def test_the_form_forecasts_how_long_a_session_will_take(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/v1/forecast" in request.url else None)
    page.goto("/#/new")
    forecast = page.get_by_role("region", name="Forecast")
    expect(forecast).to_contain_text("Enter the items and a click rate")
    page.get_by_label("Items", exact=True).fill("\n".join(item.id for item in shop_items(30)))
    forecast.get_by_label("Expected click rate of one item").fill("0.5")
    by_item, by_pair = (f"If feedback {verb} the clicked items: about" for verb in ("names", "does not name"))
    expect(forecast).to_contain_text(by_item)
    expect(forecast).to_contain_text(by_pair)
    forecast.get_by_label("Impressions a day").fill("100000")
    page.get_by_label("Yes, feedback names the clicked items").check()
    sentence = re.compile(r"^About [\d,]+ impressions \([\d,]+ to [\d,]+\): [\d.]+\s(days?|h|min)\.$")
    expect(forecast.locator(".answer")).to_have_text(sentence)
    relative = forecast.locator(".answer").inner_text()
    wanted = "items=30&click_rate=0.005&feedback=items&relative_epsilon=0.1&delta=0.05&traffic=100000"
    assert asked[-1].endswith(f"?{wanted}")
    page.get_by_label("Points from the best").click()
    expect(forecast.locator(".answer")).not_to_have_text(relative)
    expect(forecast).to_contain_text("use relative_epsilon")
    page.get_by_label("No, only whether there was a click").check()
    expect(forecast).to_contain_text(by_item)
    expect(forecast).not_to_contain_text(by_pair)


def test_the_chart_and_the_meter_show_the_gap_of_the_goal(
    page: Page, client: Client, certified: str, certified_relative: str
) -> None:
    relative, absolute = (client.best_pair(session) for session in (certified_relative, certified))
    assert relative.relative_gap is not None
    assert absolute.relative_gap is not None
    verdict, progress = (page.get_by_role("region", name=name) for name in ("Verdict", "Progress"))
    ends = verdict.locator(".meter-ends")
    open_session(page, certified_relative)
    expect(ends).to_contain_text(re.compile(r"at least 7\d\s% of the best · gap [\d.]+ points"))
    expect(ends).to_contain_text(re.compile(r"goal 70\s%"))
    expect(progress.locator(".goal-text")).to_have_text(re.compile(r"goal 30\s%: at least 70\s% of the best"))
    expect(progress).to_contain_text("gap, in % of what the best pair earns")
    expect(page.locator(".gap-chart .dot").nth(2)).to_be_visible()
    assert below_goal(page) == [False] * (page.locator(".gap-chart .dot").count() - 1) + [True]
    progress.get_by_text("The same as a table").click()
    expect(progress.locator("tbody tr").last).to_contain_text(re.compile(r"(2\d|30)\s%.*points"))
    open_session(page, certified)
    expect(ends).to_contain_text(re.compile(r"gap [\d.]+ points · at least \d+\s% of the best"))
    expect(ends).to_contain_text("goal 15 points")
    expect(progress.locator(".goal-text")).to_have_text("goal 15 points")
    expect(progress).to_contain_text("gap, in points")
    expect(page.locator(".gap-chart .dot").nth(2)).to_be_visible()
    assert below_goal(page)[-1]


def below_goal(page: Page) -> list[bool]:
    """Returns whether each point of the chart is on or below the line of the goal."""
    script = """chart => {
        const goal = Number(chart.querySelector(".goal").getAttribute("y1"));
        return [...chart.querySelectorAll(".dot")].map((dot) => Number(dot.getAttribute("cy")) >= goal);
    }"""
    return list(page.locator(".gap-chart").evaluate(script))


def test_points_of_older_versions_have_no_relative_gap(page: Page, certified: str, certified_relative: str) -> None:
    def without(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        for point in body["points"][:-1]:
            point["relative_gap"] = None
        route.fulfill(response=answer, json=body)

    page.route(re.compile(r"/history\?"), without)
    open_session(page, certified)
    expect(page.locator(".gap-chart .dot").nth(2)).to_be_visible()  # an absolute goal does not need it
    page.get_by_text("The same as a table").click()
    expect(page.get_by_role("region", name="Progress").locator("tbody tr").nth(-2)).to_contain_text("\u2013")
    open_session(page, certified_relative)
    expect(page.locator(".gap-chart .dot")).to_have_count(1)


def test_the_list_shows_each_session_in_the_terms_of_its_goal(
    page: Page, certified: str, certified_relative: str
) -> None:
    page.goto("/")
    relative, absolute = (page.locator(f"a[href='#/sessions/{each}']") for each in (certified_relative, certified))
    expect(relative.locator(".meter-ends")).to_have_text(re.compile(r"^at least 7\d\s% of the bestgoal 70\s%$"))
    expect(absolute.locator(".meter-ends")).to_have_text(re.compile(r"^gap [\d.]+ pointsgoal 15 points$"))
    for row in (relative, absolute):
        expect(row.locator(".chip")).to_have_text("Certified")
        expect(row.locator(".fill")).to_have_attribute("style", "width: 100%;")


def history(client: Client, session: str) -> list[object]:
    """Returns the plans that had counted anything: the points of the chart."""
    rows = [row for row in client.export(session) if row["kind"] == "plan"]
    return [row for row in rows if row["report"]["samples"] > 0]


def test_the_certificate_and_the_log_can_be_downloaded(page: Page, certified: str, client: Client) -> None:
    open_session(page, certified)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Certificate").click()
    assert waiting.value.path().read_bytes() == client.certificate(certified)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Export").click()
    first = waiting.value.path().read_text().splitlines()[0]
    assert json.loads(first)["id"] == certified


def test_the_chart_and_the_heat_map_show_details_on_demand(page: Page, certified: str) -> None:
    open_session(page, certified)
    assert page.locator(".gap-chart .dot").count() > 2
    assert page.locator(".gap-chart .goal").count() == 1
    measured = page.locator("canvas.heat-map").get_attribute("data-measured")
    assert int(measured or 0) > 10
    readout = page.locator(".heat .readout")
    page.locator("canvas.heat-map").focus()
    before = readout.inner_text()
    page.keyboard.press("ArrowDown")
    expect(readout).not_to_have_text(before)
    page.keyboard.press("ArrowRight")
    expect(readout).to_have_text(re.compile("measured in|imputed|nothing is known|different items"))
    page.locator(".gap-chart .dot").first.hover()
    expect(page.locator(".gap-chart .dot.lit")).to_have_count(1)


def test_pause_resume_and_stop(page: Page, client: Client) -> None:
    session = client.create_session(["a", "b", "c"], name="Controlled").id
    open_session(page, session)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert client.get_session(session).state == "paused"
    expect(page.get_by_text("Paused: every caller gets the best pair so far")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert client.get_session(session).state == "running"
    # Paused and resumed here, paused by another client within a second: the state in the stream has not changed.
    client.change_session(session, state="paused")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("button", name="Stop…").click()
    page.get_by_role("button", name="Keep it").click()
    assert client.get_session(session).state == "paused"
    page.get_by_role("button", name="Stop…").click()
    page.get_by_role("button", name="Stop it").click()
    expect(page.get_by_role("button", name="Resume")).to_be_hidden()
    assert client.get_session(session).state == "stopped"


def test_a_spent_budget_can_be_raised(page: Page, client: Client) -> None:
    session = client.create_session(shop_items(6), epsilon=0.01, budget=300, seed=1).id
    assert serve(client, session, population(6)).verdict == "exhausted"
    open_session(page, session)
    expect(page.locator("#verdict")).to_contain_text("Budget spent:")
    page.get_by_role("button", name="Raise budget…").click()
    page.get_by_label("Impressions that may count").fill("100000")
    page.get_by_role("button", name="Go on searching").click()
    expect(page.locator("#verdict")).to_contain_text("Not yet:")
    assert client.get_session(session).budget == 100_000
    expect(page.get_by_role("button", name="Raise budget…")).to_be_hidden()


def test_a_new_session_shows_how_to_connect_until_the_first_pair_is_handed_out(page: Page, client: Client) -> None:
    session = client.create_session(["a", "b", "c"], name="Unconnected").id
    open_session(page, session)
    connect = page.get_by_role("region", name="Connect an ad server")
    expect(connect).to_contain_text(f"{page.url.split('/#')[0]}/v1/sessions/{session}/next-pair")
    expect(connect).to_contain_text("Report impressions without a click too")
    expect(page.get_by_role("region", name="Contenders")).to_be_hidden()
    client.next_pair(session)
    expect(connect).to_be_hidden()
    expect(page.get_by_role("region", name="Contenders")).to_be_visible()


def test_findings_that_suspend_a_session_are_above_the_other_panels(page: Page, client: Client) -> None:
    session = client.create_session(["a", "b", "c"], epsilon=0.02, seed=1).id
    for batch in range(60):  # 90 % click, and later 10 %
        shown = client.next_pairs(session, 300)
        if client.best_pair(session).verdict == "suspended":
            break
        rows = [Feedback(ticket=pair.ticket, reward=int((n % 10 > 0) == (batch < 7))) for n, pair in enumerate(shown)]
        client.feedbacks(session, rows)
    open_session(page, session)
    expect(page.locator("#verdict")).to_contain_text("On hold")
    health, best = (page.get_by_role("region", name=name).bounding_box() for name in ("Health", "Best pair"))
    assert health is not None
    assert best is not None
    assert health["y"] < best["y"]


def test_errors_are_shown_at_their_fields(page: Page, complaints: list[str]) -> None:
    page.goto("/#/new")
    page.get_by_label("Items", exact=True).fill("a\na\nb")
    page.get_by_label("No, only whether there was a click").check()
    page.get_by_role("button", name="Create session").click()
    expect(page.locator("#wrong-items")).to_contain_text("must be different")
    expect(page.get_by_label("Items", exact=True)).to_be_focused()
    expect(page.get_by_label("Items", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Items", exact=True).fill("a\nb\nc")
    page.get_by_text("More settings").click()
    page.get_by_label("Policy").fill("no such policy")
    page.get_by_role("button", name="Create session").click()
    expect(page.locator("#wrong-policy")).not_to_be_empty()
    expect(page.locator("#wrong-items")).to_be_empty()
    assert len(complaints) == 2, "the browser logs the two responses with 422"
    assert all("422" in complaint for complaint in complaints)
    complaints.clear()


def pages(page: Page, session: str) -> Iterator[str]:
    """Opens each kind of page in turn."""
    for name, path, ready in (("list", "/", ".session"), ("form", "/#/new", "form")):
        page.goto(path)
        page.locator(ready).first.wait_for()
        yield name
    open_session(page, session)
    yield "session"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_violation_of_accessibility(page: Page, certified: str, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for name in pages(page, certified):
        serious = [
            f"{name}: {each['id']}: {each['help']} {[node['html'][:200] for node in each['nodes']]}"
            for each in Axe().run(page).response["violations"]
            if each["impact"] in {"serious", "critical"}
        ]
        assert serious == []


def test_a_phone_needs_no_horizontal_scrolling(page: Page, certified: str) -> None:
    page.set_viewport_size({"width": 375, "height": 812})
    for name in pages(page, certified):
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, name


def test_the_chosen_theme_is_kept(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto("/")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    assert page.evaluate(background) == dark
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    page.emulate_media(color_scheme="dark")
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(background) == light
