"""Figures and tables show what was measured, and the page says where we lose."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from app.simulation.population import InvalidPopulation
from experiments.error_chart import BOTTOM, TOP, draw_errors
from experiments.figures import POLICIES, Extent, as_csv, figure_runs, read_csv, write_figures
from experiments.fixed_budget import Cell
from experiments.matrices import MOVIELENS_100K
from experiments.result_page import fill
from experiments.result_tables import (
    budget_table,
    certify_table,
    errors_table,
    growth_table,
    number,
    short,
    where_it_loses,
)

SVG = "{http://www.w3.org/2000/svg}"
MATRIX = "synthetic-200-2"


def cell(policy: str, budget: int, low: float, median: float, high: float, mean: float = 0.25) -> Cell:
    return Cell(MATRIX, policy, budget, 10, low, median, high, mean, 0.01)


CELLS = [
    cell("rplans", 1_000, 0.2, 0.5, 0.6),
    cell("rplans", 10_000, 0.001, 0.01, 0.1),
    cell("rplans", 100_000, 0.0, 0.002, 0.003, mean=0.125),
    cell("naive", 1_000, 0.1, 0.2, 0.3),
    cell("naive", 10_000, 0.0, 0.005, 0.02),
    cell("naive", 100_000, 0.0, 0.0, 0.001),
]


def test_all_that_is_affordable_is_run() -> None:
    runs = figure_runs(Extent(runs=2, largest=10**7, seed=5, quick=False), {MOVIELENS_100K: Path("ratings")})
    assert {run.policy for run in runs} == set(POLICIES)
    assert {run.matrix.slug for run in runs} == {
        "synthetic-200-2", "synthetic-200-4",
        "movielens-100k-800-2", "movielens-100k-800-4", "movielens-100k-200-2", "movielens-100k-200-4",
    }  # fmt: skip
    assert {run.seed for run in runs} == {5, 6}
    most = {(run.policy, run.matrix.n_items): max(run.budgets) for run in sorted(runs, key=lambda run: run.budgets[-1])}
    assert most["rplans", 200] == most["rplans", 800] == 10**7
    assert most["lil_ucb", 200] == 10**6
    assert most["lil_ucb", 800] == 300_000
    assert all((run.folder is None) == run.matrix.slug.startswith("synthetic") for run in runs)


def test_quick_runs_are_few_and_small() -> None:
    runs = figure_runs(Extent(runs=2, largest=10**7, seed=5, quick=True), {MOVIELENS_100K: Path("ratings")})
    assert {run.matrix.n_items for run in runs} == {200}
    assert max(max(run.budgets) for run in runs) == 30_000


def test_some_matrices_by_name() -> None:
    extent = Extent(1, 1000, 0, quick=False, only=frozenset({"synthetic-200-4"}))
    assert {run.matrix.slug for run in figure_runs(extent, {})} == {"synthetic-200-4"}
    with pytest.raises(InvalidPopulation, match=r'no "mine"; there are synthetic-200-2'):
        figure_runs(Extent(1, 1000, 0, quick=False, only=frozenset({"mine"})), {})


def test_the_chart_has_medians_where_they_belong() -> None:
    drawn = ET.fromstring(draw_errors(CELLS, "a <matrix>"))  # noqa: S314 - our own
    dots = [
        (float(dot.attrib["cx"]), float(dot.attrib["cy"]))
        for dot in drawn.iter(f"{SVG}circle") if dot.attrib["r"] == "3.2"
    ]  # fmt: skip
    decade = (BOTTOM - TOP) / 4
    assert dots[2][1] == BOTTOM, "an error of 0 is on the axis"
    ours = dots[3:]  # drawn last
    assert ours[1][1] == pytest.approx(TOP + 2 * decade, abs=0.1), "an error of .01"
    assert ours[1][0] - ours[0][0] == pytest.approx(ours[2][0] - ours[1][0], abs=0.2), "decades are equally wide"
    whiskers = [line.attrib for line in drawn.iter(f"{SVG}line") if line.attrib["x1"] == line.attrib["x2"]]
    assert float(whiskers[4]["y2"]) == pytest.approx(TOP + decade, abs=0.1), "upper quartile .1"
    assert float(whiskers[4]["y1"]) == pytest.approx(TOP + 3 * decade, abs=0.1), "lower quartile .001"
    words = {text.text for text in drawn.iter(f"{SVG}text")}
    assert words >= {"a <matrix>", "rplans", "naive", "0.01", "0", "1,000", "100,000"}


def test_where_it_loses_by_hand() -> None:
    assert where_it_loses(CELLS) == [
        "- At 1e4 `rplans` is above `naive`, within its quartiles: median .0100 against .0050 (0 to .0200).",
        "- At 1e5 `rplans` is above `naive`, beyond its quartiles: median .0020 against 0 (0 to .0010).",
    ]
    (said,) = where_it_loses([one for one in CELLS if one.budget == 1_000])
    assert said.startswith("`rplans` has the lowest median"), "small budgets are not judged"


def test_tables_by_hand() -> None:
    assert errors_table(CELLS[:1] + CELLS[3:5]) == [
        "| policy | 1e3 | 1e4 |",
        "| --- | --- | --- |",
        "| `rplans` | .50 (.20 to .60) | - |",
        "| `naive` | .20 (.10 to .30) | .0050 (0 to .0200) |",
    ]
    assert budget_table([CELLS[2], CELLS[5]])[2] == f"| {MATRIX} | 1e5 | 10 | **.12 ± .0100** | .25 ± .0100 |"
    one = {"family": "ads6", "n_items": 50, "rank": 2, "epsilon": 0.05}
    lines = [
        {**one, "policy": "rplans", "median": 37000.0, "bounds": {"direct": 0.4}},
        {**one, "policy": "lucb", "median": 52000.0, "bounds": {"direct": 1.0}},
    ]
    assert certify_table(lines)[2] == "| ads6 | 50 | 2 | 0.05 | 37,000 (60% shared) | 52,000 |"
    larger = [{**one, "n_items": 200, "policy": "rplans", "median": 4 * 37000.0, "bounds": {"direct": 0.4}}]
    assert growth_table([*lines, *larger])[2] == "| ads6 | 2 | 0.05 | 1.00 | - |"
    assert (number(0), number(0.00001), number(0.0031), number(0.44)) == ("0", "<.0001", ".0031", ".44")
    assert (short(1000), short(30_000), short(10**7)) == ("1e3", "3e4", "1e7")


def test_files_hold_what_was_measured(tmp_path: Path) -> None:
    written = write_figures(CELLS, tmp_path)
    assert {path.name for path in written} == {"errors.csv", f"{MATRIX}.svg", "figures.md"}
    assert read_csv((tmp_path / "errors.csv").read_text()) == CELLS
    assert read_csv(as_csv(CELLS[:1])) == CELLS[:1]
    page = (tmp_path / "figures.md").read_text()
    assert f"![synthetic K=200 r=2]({MATRIX}.svg)" in page
    assert "beyond its quartiles" in page


def test_a_page_is_filled_from_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    write_figures(CELLS, folder)
    page = (
        f"Words\n\n<!-- from errors.csv {MATRIX} -->\nold\n<!-- end -->\n\n"
        "more\n<!-- from errors.csv -->\n<!-- end -->\n"
    )
    filled = fill(page, folder)
    assert "\n".join(errors_table(CELLS)) in filled
    assert "\n".join(where_it_loses(CELLS)) in filled
    assert f"![synthetic K=200 r=2](results/{MATRIX}.svg)" in filled
    assert "old" not in filled
    assert filled.startswith("Words\n")
    assert "\nmore\n" in filled
    assert fill(filled, folder) == filled
    assert fill(filled.replace(".50", ".51"), folder) == filled, "a number changed by hand is put right"
    with pytest.raises(ValueError, match="ends with"):
        fill(page.replace("<!-- end -->", "", 1), folder)
