"""The sentences and numbers of the dashboard, from its modules."""

from typing import Any

import pytest
from playwright.sync_api import Page

BEST: dict[str, Any] = {
    "state": "running",
    "verdict": "not_yet",
    "certified": False,
    "i": 0,
    "j": 1,
    "gap": 0.0801,
    "epsilon": 0.05,
    "delta": 0.05,
    "samples": 41_200,
    "contenders": 14,
    "forecast_samples": 22_961,
    "health": [],
}
COUNTERS = {"issued": 0, "answered": 0, "void": 0, "counted": 0, "outstanding": 0}
TOO_LARGE = {
    "problem": "any pair would pass",
    "cause": "c",
    "advice": "use 0.001",
    "suspends": False,
    "kind": "epsilon_too_large",
}
LABELS = ["Blue shoes", "Red hat"]


@pytest.fixture
def words(page: Page) -> Page:
    page.goto("/")
    page.evaluate("async () => { window.words = await import('/static/words.js'); }")
    return page


def verdict(words: Page, model: str = "stochastic", **changes: object) -> tuple[str, str]:
    sentences = words.evaluate("given => words.verdict(...given)", [{**BEST, **changes}, LABELS, model, COUNTERS])
    first, second = (sentence.replace("\u00a0", " ") for sentence in sentences)
    return first, second


def test_verdicts(words: Page) -> None:
    assert verdict(words) == (
        "Not yet: 14 pairs still in the race, about 23,000 impressions to go.",
        "Best so far: Blue shoes + Red hat, within 8.1 points of the best. ",
    )
    assert verdict(words, forecast_samples=None, contenders=1)[0] == (
        "Not yet: 1 other pair still in the race, too early to say how many impressions to go."
    )
    assert verdict(words, samples=0)[0] == "Not yet: no impression has been counted."
    assert verdict(words, gap=1)[1].startswith("Best so far: Blue shoes + Red hat, nothing proven about it yet.")
    certified = verdict(words, verdict="certified", gap=0.0488)
    assert certified[0] == "Blue shoes + Red hat is within 5 points of the best, 95 % sure."
    assert certified[1] == "Proven after 41,200 impressions. Every caller now gets this pair."
    too_wide = verdict(words, verdict="certified", gap=0.0488, health=[TOO_LARGE])
    assert too_wide[0] == "Blue shoes + Red hat is within 5 points of the best, but that says little here."
    assert too_wide[1] == "Any pair would pass. What to do: use 0.001. Every caller now gets this pair."
    assert verdict(words, health=[TOO_LARGE])[0].startswith("Not yet: 14 pairs"), "nothing is certified"
    assert verdict(words, model="deterministic", verdict="certified")[0] == "Blue shoes + Red hat is the best pair."
    assert verdict(words, verdict="exhausted")[0] == (
        "Budget spent: Blue shoes + Red hat is within 8.1 points of the best, 95 % sure."
    )
    assert verdict(words, verdict="suspended")[0] == "On hold: what was seen contradicts an assumption."
    assert "nothing is learnt" in verdict(words, state="paused")[1]
    assert "Stopped for good" in verdict(words, state="stopped", verdict="certified")[1]


def test_rounding_promises_no_more_than_is_proven(words: Page) -> None:
    def of(name: str, *values: float) -> list[str]:
        texts = words.evaluate(f"values => values.map(words.{name})", list(values))
        return [each.replace("\u00a0", " ") for each in texts]

    assert of("inPoints", 0.05, 0.0501, 0.07, 0.1201, 0.01, 0.0012, 1.0) == [
        *("5 points", "5.1 points", "7 points", "13 points", "1 point", "0.12 points", "100 points"),
    ]
    assert of("confidence", 0.05, 0.1, 0.01, 0.001, 0.0005, 0.123) == [
        "95 %",
        "90 %",
        "99 %",
        "99.9 %",
        "99.95 %",
        "87.7 %",
    ]
    assert of("approximate", 7, 99.2, 22_961, 1_234_567) == ["7", "100", "23,000", "1,230,000"]


def test_counted_impressions_are_divided_by_phase(page: Page) -> None:
    page.goto("/")
    points = [{"samples": 0, "phase": "a"}, {"samples": 100, "phase": "b"}, {"samples": 250, "phase": "a"}]
    script = "async given => (await import('/static/impressions_panel.js')).byPhase(...given)"
    assert page.evaluate(script, [points, 300]) == [["a", 150], ["b", 150]]


def test_events_are_read_from_parts_of_any_size(page: Page) -> None:
    page.goto("/")
    text = 'retry: 2000\n\n: still here\n\nevent: best-pair\nid: t1\ndata: {"a": 1}\n\nevent: counters\ndata: {}\n\n'
    script = """async text => {
        const { reader } = await import("/static/live.js");
        return [1, 3, text.length].map((size) => {
            const found = [];
            const feed = reader((event) => found.push(event));
            for (let k = 0; k < text.length; k += size) feed(text.slice(k, k + size));
            return found;
        });
    }"""
    event = {"event": "best-pair", "id": "t1", "data": '{"a": 1}'}
    assert page.evaluate(script, text) == [[event, {"event": "counters", "data": "{}"}]] * 3


def test_the_remaining_time_follows_the_pace_of_the_last_plans(words: Page) -> None:
    lengths = words.evaluate("() => [0.2, 89, 90, 5000, 7200, 200_000].map(words.duration)")
    assert [each.replace("\u00a0", " ") for each in lengths] == ["1 s", "89 s", "2 min", "83 min", "2 h", "2 days"]
    points = [{"samples": 1000 * k, "at": f"2026-01-01T00:0{k}:00Z"} for k in range(6)]
    script = "([points, counted]) => words.pace(points, counted, Date.parse('2026-01-01T00:06:00Z'))"
    assert words.evaluate(script, [points, 6400]) == 4400 / 240, "since the fourth plan from the end"
    assert words.evaluate(script, [points[:1], 6000]) == 6000 / 360
    assert words.evaluate(script, [points, 2000]) is None
    assert words.evaluate(script, [[], 0]) is None


def test_a_session_without_traffic_waits_for_it(words: Page) -> None:
    def status(counters: dict[str, int] = COUNTERS, **changes: object) -> list[str]:
        return list(words.evaluate("given => words.statusLabel(...given)", [{**BEST, **changes}, counters]))

    assert status() == ["not_yet", "Searching"]
    assert status(samples=0) == ["waiting", "Waiting for traffic"]
    assert status(samples=0, state="paused") == ["paused", "Paused"]
    assert status({**COUNTERS, "issued": 1}, samples=0) == ["not_yet", "Collecting answers"]
    assert status(verdict="certified") == ["certified", "Certified"]
    assert status(verdict="certified", health=[TOO_LARGE]) == ["vague", "Certified, goal too wide"]
    assert status(health=[{**TOO_LARGE, "kind": "no_answers"}]) == ["vague", "No answers so far"]
    assert status(health=[{**TOO_LARGE, "kind": "no_answers"}], state="paused") == ["paused", "Paused"]
