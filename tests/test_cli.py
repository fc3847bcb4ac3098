"""The command line in a real process: its output and its exit code."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


def bestpair(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from app.cli import main; main()", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def ads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("populations") / "ads.npz"
    made = bestpair("population", "ads6", "--items", "8", "--rank", "2", "--seed", "3", "--out", path)
    assert made.returncode == 0, made.stderr
    return path


def test_help_lists_every_command() -> None:
    shown = bestpair("--help")
    assert shown.returncode == 0
    for command in ("serve", "demo", "population", "forecast", "simulate", "compare", "experiment", "bench", "verify"):
        assert command in shown.stdout


def test_serve_does_not_import_the_experiments() -> None:
    program = "import sys, app.cli; print(*(name for name in sys.modules if name.split('.')[0] == 'experiments'))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert shown.stdout.strip() == ""


def test_experiments_and_benchmarks_have_their_own_help() -> None:
    for words, listed in ((("experiment",), "certify"), (("bench", "--help"), "serving")):
        assert listed in bestpair(*words).stdout
    wrong = bestpair("bench", "nothing")
    assert wrong.returncode == 2
    assert "Usage: bestpair bench" in wrong.stderr


def test_population_prints_a_summary_of_the_file(tmp_path: Path) -> None:
    out = tmp_path / "synthetic.npz"
    made = bestpair("population", "synthetic", "--items", "30", "--rank", "2", "--out", out, "--json")
    described = json.loads(made.stdout)
    X = np.load(out)["x"]
    L = X @ X.T
    assert described["items"] == 30
    assert described["eigenvalues"] == pytest.approx(np.linalg.eigvalsh(L)[::-1][:2], abs=1e-5)
    i, j = described["best_pair"]
    assert L[i, j] == pytest.approx(np.min(L[np.triu_indices(30, 1)]))


def test_simulate_ends_with_one_json_object(ads: Path) -> None:
    run = bestpair("simulate", "--population", ads, "--epsilon", "0.1", "--delta", "0.1", "--seed", "5")
    assert run.returncode == 0, run.stderr
    outcome = json.loads(run.stdout.splitlines()[-1])
    assert outcome.keys() >= {
        "policy", "certified", "verdict", "samples", "pair", "error", "gap", "plans", "seconds",
    }  # fmt: skip
    assert outcome["certified"]
    assert outcome["verdict"] == "certified"
    assert outcome["error"] <= 0.1
    assert outcome["gap"] <= 0.1
    assert run.stderr == "", "no progress bar where there is no terminal"


def test_simulate_with_a_relative_goal(ads: Path) -> None:
    run = bestpair("simulate", "--population", ads, "--relative-epsilon", "0.3", "--delta", "0.1", "--seed", "5")
    assert run.returncode == 0, run.stderr
    outcome = json.loads(run.stdout.splitlines()[-1])
    assert (outcome["certified"], outcome["epsilon"], outcome["relative_epsilon"]) == (True, None, 0.3)
    assert 0 <= outcome["relative_error"] <= outcome["relative_gap"] <= 0.3
    assert outcome["relative_error"] == pytest.approx(outcome["error"] / outcome["best_reward"])
    earned = round(100 * (1 - outcome["relative_error"]), 2)
    line = f"goal: at least 70 % of what the best pair earns; the pair really earns {earned:g} % of what the best pair"
    assert f"\n{line}" in run.stdout


def test_simulate_without_a_goal_has_that_of_a_new_session(ads: Path) -> None:
    outcome = json.loads(bestpair("simulate", "--population", ads, "--budget", "200", "--json").stdout)
    assert (outcome["epsilon"], outcome["relative_epsilon"]) == (None, 0.1)


def test_simulate_with_an_absolute_goal_states_it_in_words(ads: Path) -> None:
    run = bestpair("simulate", "--population", ads, "--epsilon", "0.3")
    assert "\ngoal: within 30 points of the best; the pair really earns " in run.stdout
    outcome = json.loads(run.stdout.splitlines()[-1])
    assert (outcome["epsilon"], outcome["relative_epsilon"]) == (0.3, None)


def test_simulate_notes_that_epsilon_is_too_large(ads: Path) -> None:
    run = bestpair("simulate", "--population", ads, "--epsilon", "0.6")
    assert "\nnote: epsilon is 60 points, but the best pair so far earns at most" in run.stdout
    assert len(json.loads(run.stdout.splitlines()[-1])["notes"]) == 1
    for words in (("--epsilon", "0.6", "--model", "deterministic"), ("--relative-epsilon", "0.6")):
        other = bestpair("simulate", "--population", ads, *words)
        assert json.loads(other.stdout.splitlines()[-1])["notes"] == []


def test_simulate_prints_only_json_with_the_option(ads: Path) -> None:
    run = bestpair("simulate", "--population", ads, "--budget", "500", "--json")
    outcome = json.loads(run.stdout)
    assert outcome["samples"] <= 500


def test_the_same_seed_gives_the_same_session(ads: Path) -> None:
    words = ("simulate", "--population", ads, "--epsilon", "0.2", "--seed", "9", "--json")
    first, second = (json.loads(bestpair(*words).stdout) for _ in range(2))
    first.pop("seconds"), second.pop("seconds")
    assert first == second


def test_deterministic_model_is_exact(ads: Path) -> None:
    outcome = json.loads(bestpair("simulate", "--population", ads, "--model", "deterministic", "--json").stdout)
    assert outcome["policy"] == "plans"
    assert outcome["certified"]
    assert outcome["error"] <= 1e-12
    assert outcome["samples"] <= 8 * 3
    shown = bestpair("simulate", "--population", ads, "--model", "deterministic").stdout
    assert "\ngoal: the exact answer; the pair really earns 100 % of what the best pair earns\n" in shown


def test_compare_accepts_several_populations_and_runs_all_policies(ads: Path, tmp_path: Path) -> None:
    pref = tmp_path / "pref.npz"
    bestpair("population", "pref", "--items", "6", "--out", pref)
    words = ("compare", "--population", ads, pref, "--runs", "2", "--epsilon", "0.2", "--budget", "20000", "--json")
    run = bestpair(*words)
    rows = json.loads(run.stdout)
    policies = {row["policy"] for row in rows}
    assert len(rows) == 2 * len(policies)
    assert policies >= {"naive", "lucb", "lil_ucb", "lrmc", "rplans_literal", "median_elimination"}
    assert "plans" not in policies, "it works on the deterministic model only"
    for row in rows:
        assert row["runs"] == 2
        assert len(row["sessions"]) == 2
        assert row["failures"] == 0
        assert all(session["samples"] <= 20000 for session in row["sessions"])


def test_compare_with_a_relative_goal_leaves_out_policies_that_need_an_absolute_one(ads: Path) -> None:
    words = ("compare", "--population", ads, "--runs", "1", "--budget", "3000", "--json")
    rows = json.loads(bestpair(*words).stdout)
    policies = {row["policy"] for row in rows}
    assert policies >= {"naive", "lucb", "rplans"}
    assert not policies & {"rplans_literal", "median_elimination"}
    for row in rows:
        assert all(session["relative_epsilon"] == 0.1 for session in row["sessions"])
        assert len(row["relative_error"]) == len(row["relative_gap"]) == 3, "quartiles"
    refused = bestpair(*words, "--policies", "lucb,median_elimination")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith('bestpair: relative_epsilon: policy "median_elimination"')


def test_compare_prints_a_table(ads: Path) -> None:
    run = bestpair("compare", "--population", ads, "--policies", "lucb,naive", "--runs", "1", "--epsilon", "0.2")
    lines = run.stdout.splitlines()
    assert any(line.startswith("lucb") and "1/1" in line for line in lines)
    assert any(line.startswith("naive") for line in lines)
    assert "wrong: certified, but not within 20 points of the best." in " ".join(run.stdout.split())
    assert max(map(len, lines)) <= 80


def test_forecast_recommends_feedback_by_item_first() -> None:
    words = ("forecast", "--items", "30", "--click-rate", "0.005", "--traffic", "100000")
    shown = bestpair(*words)
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    (items,) = [n for n, line in enumerate(lines) if "which items were clicked:" in line]
    (pair,) = [n for n, line in enumerate(lines) if line.startswith("* click or no click:")]
    assert items < pair
    assert "at least 90 % of what the best pair earns, 95 % sure" in shown.stdout
    assert '"feedback": "items"' in shown.stdout
    body = json.loads(bestpair(*words, "--json").stdout)
    assert f"{body['impressions']['median']:,.0f} (" in lines[pair]
    assert f"{body['days']['median']:g} (" in lines[pair]
    assert f"{body['other_feedback']['impressions']['median']:,.0f} (" in lines[items]
    known = bestpair("forecast", "--items", "30", "--click-rate", "0.005", "--items-clicked", "--epsilon", "0.05")
    assert any(line.startswith("* which items were clicked:") for line in known.stdout.splitlines())
    assert "note: epsilon is more than half of what the best pair is expected to earn" in known.stdout


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--click-rate", "1.5"), "click_rate"),
        (("--click-rate", "0.1", "--best-click-rate", "0.01"), "best_click_rate"),
        (("--click-rate", "0.1", "--epsilon", "0.1", "--relative-epsilon", "0.1"), "relative_epsilon"),
        (("--click-rate", "0.1", "--epsilon", "0"), "epsilon"),
        (("--click-rate", "0.1", "--relative-epsilon", "1"), "relative_epsilon"),
        (("--click-rate", "0.1", "--delta", "0"), "delta"),
        (("--click-rate", "0.1", "--traffic", "0"), "traffic"),
        (("--click-rate", "0.1", "--traffic", "nan"), "traffic"),
        (("--click-rate", "0.1", "--traffic", "inf"), "traffic"),
    ],
)
def test_errors_of_forecast_name_the_setting(words: tuple[str, ...], field: str) -> None:
    run = bestpair("forecast", "--items", "30", *words)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"bestpair: {field}: ")
    assert len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "field", "allowed"),
    [
        (("--epsilon", "0"), "epsilon", "between 0 and 1"),
        (("--epsilon", "2"), "epsilon", "between 0 and 1"),
        (("--relative-epsilon", "0"), "relative_epsilon", "between 0 and 1"),
        (("--relative-epsilon", "1"), "relative_epsilon", "between 0 and 1"),
        (("--relative-epsilon", "nan"), "relative_epsilon", "between 0 and 1"),
        (("--epsilon", "0.1", "--relative-epsilon", "0.1"), "relative_epsilon", "leave one of them out"),
        (("--policy", "median_elimination"), "relative_epsilon", "give epsilon"),
        (("--policy", "rplans_literal", "--rank", "2"), "relative_epsilon", "give epsilon"),
        (("--delta", "nan"), "delta", "between 0 and 1"),
        (("--rank", "9"), "rank", "between 1 and 8"),
        (("--rank", "two"), "rank", "whole number"),
        (("--rank", "2"), "rank", "does not use a rank"),
        (("--budget", "0"), "budget", "at least 1"),
        (("--policy", "magic"), "policy", "lucb"),
        (("--policy", "plans"), "policy", "deterministic model only"),
        (("--policy", "rplans_literal", "--epsilon", "0.1"), "rank", "a number"),
        (
            ("--policy", "rplans_literal", "--epsilon", "0.1", "--rank", "2", "--self-pairs", "never"),
            "self_pairs",
            "explore",
        ),
        (("--model", "deterministic", "--policy", "lucb"), "policy", "stochastic model only"),
    ],
)
def test_errors_for_invalid_settings_name_the_field_and_what_is_allowed(
    ads: Path, words: tuple[str, ...], field: str, allowed: str
) -> None:
    run = bestpair("simulate", "--population", ads, *words)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith(f"bestpair: {field}: ")
    assert allowed in run.stderr
    assert len(run.stderr.splitlines()) == 1


def _write(path: Path, **arrays: object) -> Path:
    np.savez(path, **{name: np.asarray(value) for name, value in arrays.items()})  # type: ignore[arg-type]
    return path


def test_errors_for_invalid_populations_name_the_field(tmp_path: Path) -> None:
    good_u = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]
    cases = {
        "u": [
            _write(tmp_path / "nan.npz", p=[0.5, 0.5], u=[[0.1, np.nan, 0.2], [0.1, 0.2, 0.3]]),
            _write(tmp_path / "shape.npz", p=[0.5, 0.5], u=[[0.1, 0.2, 0.3]]),
            _write(tmp_path / "one.npz", p=[1.0], u=[[0.5]]),
        ],
        "p": [_write(tmp_path / "shares.npz", p=[0.5, 0.7], u=good_u)],
        "path": [tmp_path / "missing.npz"],
    }
    for field, paths in cases.items():
        for path in paths:
            run = bestpair("simulate", "--population", path)
            assert run.returncode == 2, path
            assert run.stderr.startswith(f"bestpair: {field}: "), run.stderr


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("nonsense",), "kind"),
        (("movielens",), "folder"),
        (("ads6", "--items", "1"), "items"),
        (("trap", "--rank", "3"), "rank"),
    ],
)
def test_errors_for_invalid_population_options_name_the_field(
    tmp_path: Path, words: tuple[str, ...], field: str
) -> None:
    run = bestpair("population", *words, "--out", tmp_path / "out.npz")
    assert run.returncode == 2
    assert run.stderr.startswith(f"bestpair: {field}: "), run.stderr
    assert not (tmp_path / "out.npz").exists()


def test_certify_accepts_any_accuracy_and_keeps_the_requested_order() -> None:
    words = (
        "--policies",
        "rplans",
        "--items",
        "9,8",
        "--families",
        "clus,ads6",
        "--epsilons",
        "0.3,0.2",
        "--runs",
        "2",
    )
    run = bestpair("experiment", "certify", *words, "--json")
    assert run.returncode == 0, run.stderr
    rows = json.loads(run.stdout)
    assert [(row["family"], row["n_items"], row["epsilon"]) for row in rows] == [
        (family, items, epsilon) for family in ("clus", "ads6") for items in (9, 8) for epsilon in (0.3, 0.2)
    ]
    assert all(row["certified"] == 2 and row["wrong"] == 0 for row in rows)


def test_certify_accepts_goals_of_both_kinds() -> None:
    words = ("--policies", "rplans", "--items", "6", "--families", "ads6", "--runs", "1")
    run = bestpair("experiment", "certify", *words, "--epsilons", "0.3", "--relative-epsilons", "0.4,0.3", "--json")
    rows = json.loads(run.stdout)
    goals = [(row["epsilon"], row["relative_epsilon"]) for row in rows]
    assert goals == [(0.3, None), (None, 0.4), (None, 0.3)]
    assert all(row["certified"] == 1 and row["wrong"] == 0 for row in rows)


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--items", "many"), "items"),
        (("--items", "7"), "items"),
        (("--epsilons", "x"), "epsilons"),
        (("--relative-epsilons", "x"), "relative_epsilons"),
        (("--relative-epsilons", "2"), "relative_epsilon"),
    ],
)
def test_errors_for_invalid_experiment_options_name_the_field(words: tuple[str, ...], field: str) -> None:
    run = bestpair("experiment", "certify", *words)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(f"bestpair: {field}: ")
