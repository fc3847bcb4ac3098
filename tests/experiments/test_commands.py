"""The commands of the experiments: small runs, in this process."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.engine.problem import Goal
from experiments.certify import INSTANCES
from experiments.waiting import Setting

ONE_RUN = ("--runs", "1", "--workers", "1")


def bestpair(*words: str) -> Result:
    return CliRunner().invoke(cli, words, env={"COLUMNS": "120"})


def test_figures_are_drawn_and_can_be_resumed(tmp_path: Path) -> None:
    words = ("experiment", "figures", *ONE_RUN, "--matrices", "synthetic-200-2", "--out", str(tmp_path))
    first = bestpair(*words, "--largest", "1000")
    assert first.exit_code == 0, first.output
    assert {path.name for path in tmp_path.iterdir()} == {
        "errors.csv", "figures.md", "sessions.jsonl", "synthetic-200-2.svg",
    }  # fmt: skip
    sessions = (tmp_path / "sessions.jsonl").read_text()
    assert len(sessions.splitlines()) == 7, "one per policy"
    (tmp_path / "errors.csv").unlink()
    again = bestpair(*words, "--finished-only")
    assert again.stdout == first.stdout
    assert (tmp_path / "sessions.jsonl").read_text() == sessions
    assert (tmp_path / "errors.csv").exists()


def test_budget_prints_a_table_and_json() -> None:
    words = ("experiment", "budget", *ONE_RUN, "--policies", "naive,sequential_halving", "--budgets", "200,100")
    rows = json.loads(bestpair(*words, "--json").stdout)
    assert [(row["policy"], row["budget"]) for row in rows[:3]] == [
        ("naive", 100), ("naive", 200), ("sequential_halving", 100),
    ]  # fmt: skip
    assert {row["matrix"] for row in rows} == {"synthetic-200-2", "synthetic-200-4", "ads6-200-4", "trap-200-2"}
    shown = bestpair(*words).stdout
    assert f"{rows[0]['mean']:.4f}" in shown
    refused = bestpair("experiment", "budget", "--budgets", "many")
    assert "budgets: must be numbers" in str(refused.exception)


def test_planner_prints_days() -> None:
    words = ("experiment", "planner", *ONE_RUN, "--items", "4", "--click-rate", "0.2", "--epsilon", "0.4")
    rows = json.loads(bestpair(*words, "--traffic", "1000", "--json").stdout)
    assert [(row["epsilon"], row["item_clicks"]) for row in rows] == [
        (0.8, False), (0.8, True), (0.4, False), (0.4, True), (0.2, False), (0.2, True),
    ]  # fmt: skip
    assert all(row["certified"] == 1 for row in rows)
    assert rows[2]["days_median"] == pytest.approx(rows[2]["median"] / 1000, abs=0.01)
    shown = bestpair(*words, "--traffic", "1000").stdout
    assert "clicked 20.00% of the time" in shown
    assert f"{rows[2]['median']:,}" in shown
    assert "which items" in shown
    assert "useless" in shown
    refused = bestpair("experiment", "planner", "--click-rate", "2")
    assert "click_rate: must be strictly between 0 and 1" in str(refused.exception)


def test_planner_with_a_relative_goal() -> None:
    words = ("experiment", "planner", *ONE_RUN, "--items", "3", "--click-rate", "0.3", "--relative-epsilon", "0.4")
    rows = json.loads(bestpair(*words, "--json").stdout)
    assert [(row["epsilon"], row["relative_epsilon"]) for row in rows[::2]] == [(None, 0.8), (None, 0.4), (None, 0.2)]
    assert all(row["certified"] == 1 for row in rows)
    shown = bestpair(*words).stdout
    assert "relative_epsilon" in shown
    assert "useless" not in shown, "a part of the best reward never is"
    refused = bestpair(*words, "--epsilon", "0.1")
    assert "leave one of them out" in str(refused.exception)


def test_the_experiments_of_the_page_keep_their_goals() -> None:
    """docs/results.md was made with them."""
    assert {one.goal.relative for one in INSTANCES} == {False}
    assert Setting("pairs", 50, 60, 0).goal == Goal(0.1)


def test_gap_is_drawn_in_the_terms_of_the_goal(tmp_path: Path) -> None:
    words = ("experiment", "gap", "--policies", "lucb", "--items", "5", "--out", str(tmp_path / "gap.svg"))
    absolute = bestpair(*words, "--epsilon", "0.3")
    assert "goal: within 30 points of the best, delta" in (tmp_path / "gap.svg").read_text()
    relative = bestpair(*words, "--relative-epsilon", "0.3")
    assert relative.exit_code == absolute.exit_code == 0
    assert "goal: at least 70 % of what the best pair earns, delta" in (tmp_path / "gap.svg").read_text()
    assert 0 < float(relative.stdout.split()[-1]) <= 0.3


def test_waiting_prints_ratios_to_a_prefix_per_pair(tmp_path: Path) -> None:
    setting = ("--feedback", "items", "--rates", "50", "--lifetimes", "60", "--losses", "0.01")
    words = ("experiment", "waiting", *ONE_RUN, *setting, "--epsilon", "0.3", "--delta", "0.5")
    rows = json.loads(bestpair(*words, "--json").stdout)
    assert [row["way"] for row in rows] == ["prefix per pair", "explore", "exploit"]
    assert {(row["epsilon"], row["relative_epsilon"]) for row in rows} == {(0.3, None)}
    before, explore, exploit = rows
    assert (before["certified"], before["impressions_ratio"]["median"]) == (1, 1.0)
    assert explore["seconds_ratio"]["median"] == pytest.approx(
        explore["seconds"]["median"] / before["seconds"]["median"], abs=0.001
    )
    assert exploit["impressions"]["median"] < explore["impressions"]["median"]
    shown = bestpair(*words).stdout
    assert "items 50/s 60 s 1.0%" in shown
    assert f"{explore['impressions']['median'] / before['impressions']['median']:.2f}" in shown
    relative = bestpair(*words[:-4], "--relative-epsilon", "0.5", "--delta", "0.5", "--json")
    assert {(row["relative_epsilon"], row["wrong"]) for row in json.loads(relative.stdout)} == {(0.5, 0)}
    refused = bestpair("experiment", "waiting", "--feedback", "stars")
    assert "feedback: must be one of" in str(refused.exception)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/waiting.json").write_text(json.dumps(rows))
    page = tmp_path / "results.md"
    page.write_text("<!-- from waiting.json -->\n<!-- end -->\n")
    assert bestpair("experiment", "page", str(page)).exit_code == 0
    assert f"| items | 50 | 60 s | 1 % | {before['impressions']['median']:,.0f} |" in page.read_text()


def test_a_page_is_filled_in_place(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text("<!-- from budget.json -->\n<!-- end -->\n")
    (tmp_path / "results").mkdir()
    numbers = {"runs": 3, "low": 0.0, "median": 0.1, "high": 0.2, "mean": 0.125, "mean_error": 0.01}
    row = {"matrix": "synthetic-200-2", "policy": "naive", "budget": 1000, **numbers}
    (tmp_path / "results/budget.json").write_text(json.dumps([row]))
    assert bestpair("experiment", "page", str(page)).exit_code == 0
    assert "| synthetic-200-2 | 1e3 | 3 | **.12 ± .0100** |" in page.read_text()
