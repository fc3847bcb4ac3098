"""The page of results agrees with its files."""

import csv
import re
from pathlib import Path

from experiments.fixed_budget import read_csv
from experiments.results_page import fill
from tests.docs.blocks import ROOT

PAGE, FOLDER = ROOT / "docs/results.md", ROOT / "docs/results"


def test_tables_agree_with_the_files() -> None:
    text = PAGE.read_text()
    assert text.count("<!-- from ") == 6
    assert fill(text, FOLDER) == text, "run: bestpair experiment page docs/results.md"


def test_every_matrix_has_its_figure() -> None:
    drawn = {Path(name).stem for name in re.findall(r"\]\(results/(\S+\.svg)\)", PAGE.read_text())}
    measured = read_csv((FOLDER / "errors.csv").read_text())
    assert drawn == {cell.matrix for cell in measured} == {path.stem for path in FOLDER.glob("*.svg")}
    assert all(cell.runs >= 10 for cell in measured)


def test_no_ratings_are_stored() -> None:
    with (FOLDER / "errors.csv").open() as lines:
        (heading, *_) = csv.reader(lines)
    assert heading == ["matrix", "policy", "budget", "runs", "low", "median", "high", "mean", "mean_error"]
    assert {path.suffix for path in FOLDER.iterdir()} <= {".csv", ".json", ".svg"}
