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
    "relative_gap": 0.1602,
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
ABSOLUTE = {"epsilon": 0.05, "relative_epsilon": None, "model": "stochastic"}
RELATIVE = {"epsilon": None, "relative_epsilon": 0.1, "model": "stochastic"}
LABELS = ["Blue shoes", "Red hat"]


@pytest.fixture
def words(page: Page) -> Page:
    page.goto("/")
    modules = (
        "Object.assign(window, { words: await import('/static/words.js'), goals: await import('/static/goal.js') })"
    )
    page.evaluate(f"async () => {{ {modules}; }}")
    return page


def verdict(words: Page, settings: dict[str, Any] = ABSOLUTE, **changes: object) -> tuple[str, str]:
    script = "([best, labels, settings, counters]) => words.verdict(best, labels, goals.goalOf(settings), counters)"
    sentences = words.evaluate(script, [{**BEST, **changes}, LABELS, settings, COUNTERS])
    first, second = (sentence.replace("\u00a0", " ") for sentence in sentences)
    return first, second


def goal(words: Page, name: str, settings: dict[str, Any], **changes: object) -> Any:
    """Returns a part of a goal; called with a report if it is a function."""
    script = """([name, settings, report]) => {
        const part = goals.goalOf(settings)[name];
        return typeof part === "function" ? part(report) : part;
    }"""
    found = words.evaluate(script, [name, settings, {**BEST, **changes}])
    return found.replace("\u00a0", " ") if isinstance(found, str) else found


def test_verdicts_of_a_relative_goal(words: Page) -> None:
    assert verdict(words, RELATIVE)[1] == (
        "Best so far: Blue shoes + Red hat earns at least 83 % of what the best pair earns. "
    )
    certified = verdict(words, RELATIVE, verdict="certified", relative_gap=0.071)
    assert certified[0] == "Blue shoes + Red hat earns at least 90 % of what the best pair earns, 95 % sure."
    spent = verdict(words, RELATIVE, verdict="exhausted")
    assert spent[0] == "Budget spent: Blue shoes + Red hat earns at least 83 % of what the best pair earns, 95 % sure."
    assert spent[1].startswith("At least 90 % was asked for. Raise the budget to go on.")
    unknown = verdict(words, RELATIVE, verdict="exhausted", relative_gap=1)
    assert unknown[0] == "Budget spent: nothing is proven about Blue shoes + Red hat yet."
    exact = {**RELATIVE, "model": "deterministic"}
    assert verdict(words, exact, verdict="certified", gap=0, relative_gap=0)[0] == (
        "Blue shoes + Red hat is the best pair."
    )


def test_a_goal_and_its_gap_in_short(words: Page) -> None:
    assert goal(words, "words", RELATIVE) == "at least 90 % of what the best pair earns"
    assert goal(words, "words", ABSOLUTE) == "within 5 points of the best"
    assert goal(words, "words", {**ABSOLUTE, "model": "deterministic"}) == "the exact answer"
    assert (goal(words, "short", RELATIVE), goal(words, "shortGap", RELATIVE)) == (
        "goal 90 %",
        "at least 83 % of the best",
    )
    assert (goal(words, "short", ABSOLUTE), goal(words, "shortGap", ABSOLUTE)) == ("goal 5 points", "gap 8.1 points")
    assert goal(words, "otherGap", RELATIVE) == "gap 8.1 points"
    assert goal(words, "otherGap", ABSOLUTE) == "at least 83 % of the best"
    for settings in (RELATIVE, ABSOLUTE):
        assert goal(words, "shortGap", settings, gap=1, relative_gap=1) == "nothing proven yet"
        assert goal(words, "otherGap", settings, gap=1, relative_gap=1) is None
    assert goal(words, "shortGap", RELATIVE, relative_gap=0.9951) == "nothing proven yet", "0 % is no promise"


def test_reports_of_older_versions_have_no_relative_gap(words: Page) -> None:
    assert goal(words, "shortGap", ABSOLUTE, relative_gap=None) == "gap 8.1 points"
    assert goal(words, "otherGap", ABSOLUTE, relative_gap=None) is None
    assert goal(words, "amounts", ABSOLUTE, relative_gap=None) == ["8.1 points", "\u2013"]
    assert goal(words, "gapOf", RELATIVE, relative_gap=None) is None
    assert goal(words, "shortGap", RELATIVE, relative_gap=None) == "nothing proven yet"


def test_progress_is_measured_by_the_gap_of_the_goal(words: Page) -> None:
    def progress(settings: dict[str, Any], **changes: object) -> float:
        script = "([best, settings]) => words.progress(best, goals.goalOf(settings))"
        return float(words.evaluate(script, [{**BEST, **changes}, settings]))

    half = {"gap": 0.05**0.5, "relative_gap": 0.1**0.5}
    for settings in (ABSOLUTE, RELATIVE):
        assert progress(settings, gap=1, relative_gap=1) == 0
        assert progress(settings, **half) == pytest.approx(0.5)
        assert progress(settings, verdict="certified") == 1
    assert progress(ABSOLUTE, gap=0.04, relative_gap=0.5) == 1
    assert progress(RELATIVE, gap=0.04, relative_gap=0.5) < 0.4
    assert progress(RELATIVE, gap=0.2, relative_gap=0.1001) == 0.99, "not 1 before the goal is reached"


def test_verdicts(words: Page) -> None:
    assert verdict(words) == (
        "Not yet: 14 pairs still in the race, about 23,000 impressions to go.",
        "Best so far: Blue shoes + Red hat is within 8.1 points of the best. ",
    )
    assert verdict(words, forecast_samples=None, contenders=1)[0] == (
        "Not yet: 1 other pair still in the race, too early to say how many impressions to go."
    )
    assert verdict(words, samples=0)[0] == "Not yet: no impression has been counted."
    assert verdict(words, gap=1)[1].startswith("Best so far: Blue shoes + Red hat; nothing is proven about it yet.")
    certified = verdict(words, verdict="certified", gap=0.0488)
    assert certified[0] == "Blue shoes + Red hat is within 5 points of the best, 95 % sure."
    assert certified[1] == "Proven after 41,200 impressions. Every caller now gets this pair."
    too_wide = verdict(words, verdict="certified", gap=0.0488, health=[TOO_LARGE])
    assert too_wide[0] == "Blue shoes + Red hat is within 5 points of the best, but that says little here."
    assert too_wide[1] == "Any pair would pass. What to do: use 0.001. Every caller now gets this pair."
    assert verdict(words, health=[TOO_LARGE])[0].startswith("Not yet: 14 pairs"), "nothing is certified"
    assert (
        verdict(words, {**ABSOLUTE, "model": "deterministic"}, verdict="certified")[0]
        == "Blue shoes + Red hat is the best pair."
    )
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
    assert of("leastPercent", 0.1, 0.1001, 0.05, 0.0501, 0.0012, 0) == [
        *("90 %", "89 %", "95 %", "94.9 %", "99.88 %", "100 %"),
    ]
    assert of("percent", 0, 0.00043, 0.0043, 0.0143, 0.09998, 0.143) == [
        *("0.0 %", "0.043 %", "0.43 %", "1.43 %", "10.0 %", "14.3 %"),
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


def test_a_forecast_in_words(words: Page) -> None:
    def needed(median_days: float | None) -> str:
        days = None if median_days is None else {"median": median_days}
        impressions = {"median": 134_000, "low": 70_000, "high": 260_000}
        text = words.evaluate("given => words.needed(...given)", [impressions, days])
        return str(text).replace("\u00a0", " ")

    assert needed(1.3) == "about 134,000 impressions (70,000 to 260,000): 1.3 days"
    assert [needed(days).split(": ")[1] for days in (0.5, 1, 1500)] == ["12 h", "1 day", "1,500 days"]
    assert needed(None) == "about 134,000 impressions (70,000 to 260,000)"


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


def test_the_scale_of_the_best_pair_fits_its_click_rate(page: Page) -> None:
    page.goto("/")
    script = (
        "async shares => { const { scaleEnd } = await import('/static/pair_panels.js'); return shares.map(scaleEnd); }"
    )
    shares = [0.001, 0.0143, 0.02, 0.021, 0.3, 0.51, 1]
    assert page.evaluate(script, shares) == pytest.approx([0.001, 0.02, 0.02, 0.05, 0.5, 1, 1])
