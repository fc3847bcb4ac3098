"""The command that makes the model of `bestpair forecast`: small runs, and the fit on points whose law is known."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from app.engine.problem import Goal
from app.forecast.model import Model, evaluate
from experiments.forecast_model import (
    CLICK_RATE,
    DELTA,
    ITEMS,
    RELATIVE_EPSILON,
    Expectations,
    Point,
    Setting,
    click_rates,
    design,
    draw_population,
    fit,
    fit_expectations,
    held_out,
    run_setting,
    score,
)
from tests.experiments.test_commands import bestpair

EXPECTED = fit_expectations(0, 200)


def law(n_items: int, rate: float, epsilon: float, delta: float) -> float:
    return 1000 * n_items**0.8 / rate / epsilon * math.log(1 / delta) ** 0.5


def expected_reward(n_items: int, rate: float, best_rate: float) -> float:
    """The reward of the best pair that the model expects, written out."""
    row = {"k": math.log(n_items / 30), "r": math.log(rate / 0.01), "t": 0.0}
    row["t"] = math.log(-math.log1p(-best_rate)) - evaluate(EXPECTED.best_click_rate, row)
    return -math.expm1(-math.exp(evaluate(EXPECTED.best_reward, row)))


def made_up(count: int, noise: float) -> list[Point]:
    """Sessions that need what the law says, times a lognormal factor, on populations of one kind."""
    rng = np.random.default_rng(4)
    points = []
    for n in range(count):
        n_items, rate = round(5 * 100 ** rng.random()), 0.001 * 300 ** rng.random()
        epsilon, delta = 0.05 * 6 ** rng.random(), 0.01 * 20 ** rng.random()
        clicked = click_rates(draw_population(n_items, rate, 2, n))
        accuracy, relative = epsilon / (1 - epsilon / 2), n % 2 == 0
        needed = law(n_items, float(clicked.mean()), accuracy, delta)
        if not relative:
            epsilon = accuracy * expected_reward(n_items, float(clicked.mean()), float(clicked.max()))
        for feedback, factor in (("pair", 1.0), ("items", 0.1)):
            impressions = round(needed * factor * math.exp(noise * rng.standard_normal()))
            settings = (n_items, float(clicked.mean()), float(clicked.max()), 2, relative, epsilon, delta, feedback)
            points.append(Point(*settings, 0.1, impressions, certified=True, plans=1, seconds=1.0))
    return points


def test_a_law_is_found_again() -> None:
    points = made_up(150, noise=0.3)
    model = Model.from_json(json.loads(json.dumps(fit(points, EXPECTED, {}))))
    for kind in ("pair", "items"):
        found = score([point for point in points if point.feedback == kind], model, best_known=True)
        assert found.within[0] > 0.9
        assert found.in_range == pytest.approx(0.8, abs=0.03)
        assert found.bias == pytest.approx(1, abs=0.1)
    assert model.pair.impressions["k"] == pytest.approx(0.8, abs=0.15)
    assert model.pair.impressions["r"] == pytest.approx(-1, abs=0.15)
    assert model.pair.impressions["a"] == pytest.approx(-1, abs=0.25)
    assert model.pair.impressions["1"] - model.items.impressions["1"] == pytest.approx(math.log(10), abs=0.3)
    assert model.pair.known.high == pytest.approx(0.3 * 1.28, abs=0.15)


def test_a_session_without_a_certificate_is_a_miss_and_is_not_fitted() -> None:
    points = made_up(60, noise=0.0)
    model = Model.from_json(fit(points, EXPECTED, {}))
    failed = [Point(**{**point.__dict__, "certified": False}) for point in points]
    assert score(points, model, best_known=True).within == (1.0, 1.0)
    assert score(failed, model, best_known=True).within == (0.0, 0.0)
    strange = [Point(**{**point.__dict__, "certified": False, "impressions": 1}) for point in points]
    again = fit([*points, *strange], EXPECTED, {})
    assert again["feedback"]["pair"]["impressions"] == fit(points, EXPECTED, {})["feedback"]["pair"]["impressions"]


def test_the_best_pair_is_as_good_as_expected_in_the_median() -> None:
    ratios = []
    for seed in range(60):
        people = draw_population(30, 0.01, 1 + seed % 4, 10**5 + seed)
        row = {"k": 0.0, "r": math.log(float(click_rates(people).mean()) / 0.01), "t": 0.0}
        expected = -math.expm1(-math.exp(evaluate(EXPECTED.best_reward, row)))
        ratios.append((1 - people.best_pair().value) / expected)
    assert np.median(ratios) == pytest.approx(1, abs=0.25)


def test_settings_cover_the_ranges_with_both_goals_and_both_kinds_of_feedback() -> None:
    for settings in (design(EXPECTED, 64, 0), held_out(EXPECTED, 64, 0)):
        assert len(settings) == 128
        assert {setting.groups for setting in settings} == {1, 2, 3, 4}
        assert {(setting.goal.relative, setting.item_clicks) for setting in settings} == {
            (relative, items) for relative in (False, True) for items in (False, True)
        }
        assert all(ITEMS[0] <= setting.n_items <= ITEMS[1] for setting in settings)
        assert all(CLICK_RATE[0] <= setting.rate <= CLICK_RATE[1] for setting in settings)
        assert all(DELTA[0] <= setting.delta <= DELTA[1] for setting in settings)
        relative = [setting.goal.epsilon for setting in settings if setting.goal.relative]
        assert RELATIVE_EPSILON[0] <= min(relative) < 0.07
        assert RELATIVE_EPSILON[1] >= max(relative) > 0.25
    fitted, checked = ({setting.seed for setting in some(EXPECTED, 64, 0)} for some in (design, held_out))
    assert not fitted & checked, "the check uses other populations"


def test_a_setting_is_a_whole_session() -> None:
    goal = Goal(0.3, relative=True)
    pair, items = (run_setting(Setting(6, 0.2, 2, goal, 0.1, item_clicks, 3)) for item_clicks in (False, True))
    assert pair.certified
    assert (pair.feedback, items.feedback) == ("pair", "items")
    assert pair.click_rate == items.click_rate < pair.best_click_rate == items.best_click_rate
    assert pair.problem.goal == goal
    assert Point.from_json(pair.as_json()).impressions == pair.impressions


def test_the_command_fits_refits_and_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for sizes in ("SIZES", "EVEN_SIZES"):
        monkeypatch.setattr(f"experiments.forecast_model.{sizes}", ((0.0, 4), (1.0, 8)))
    monkeypatch.setattr("experiments.forecast_model.CLICK_RATE", (0.1, 0.3))
    model, points = tmp_path / "model.json", tmp_path / "points.json"
    words = ("experiment", "forecast-model", "--output", str(model), "--workers", "1")
    made = bestpair(*words, "--points", str(points), "--populations", "9", "--json")
    assert made.exit_code == 0, made.output
    scores = json.loads(made.stdout)["scores"]
    assert [(row["feedback"], row["best_known"], row["sessions"]) for row in scores] == [
        ("pair", False, 9), ("pair", True, 9), ("items", False, 9), ("items", True, 9),
    ]  # fmt: skip
    assert len(json.loads(points.read_text())) == 18
    first = json.loads(model.read_text())
    assert first["made"]["sessions"] == 18
    again = bestpair(*words, "--points", str(points), "--refit")
    assert again.exit_code == 0, again.output
    assert "needed: median" in again.stdout
    refitted = json.loads(model.read_text())["feedback"]["pair"]["impressions"]
    assert refitted == pytest.approx(first["feedback"]["pair"]["impressions"], abs=0.05), "points have five digits"
    before = model.read_text()
    checked = bestpair(*words, "--check", "--populations", "3")
    assert checked.exit_code == 0, checked.output
    assert "within 2x" in checked.stdout
    assert model.read_text() == before
    missing = bestpair("experiment", "forecast-model", "--check", "--output", str(tmp_path / "nothing.json"))
    assert "output: cannot read" in str(missing.exception)


def test_expectations_are_stored_in_the_model() -> None:
    stored = fit(made_up(40, noise=0.1), EXPECTED, {"seed": 1})
    assert Expectations(stored["best_click_rate"], stored["best_reward"]) == EXPECTED
    assert stored["made"] == {"seed": 1}
