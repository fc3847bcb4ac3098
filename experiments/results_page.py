"""Results as tables of a Markdown page: `bestpair experiment page` rebuilds the tables of docs/results.md from files.

Each table is between two comments; the first one names the file that it comes from.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.certify import exponent
from experiments.fixed_budget import Cell, read_csv
from experiments.matrices import FIGURES, Matrix

OURS = "rplans"
JUDGED_FROM = 10_000
"""With smaller budgets all policies are little better than a guess."""
_BLOCK = re.compile(r"(?P<head><!-- from (?P<file>\S+?)(?P<words>(?: \S+)*) -->\n).*?(?P<tail><!-- end -->)", re.DOTALL)


def fill(text: str, folder: Path) -> str:
    """Returns the page with every marked table rebuilt from the files of the folder."""
    if text.count("<!-- from ") != text.count("<!-- end -->"):
        raise ValueError("each table begins with <!-- from FILE ... --> and ends with <!-- end -->")

    def made(match: re.Match[str]) -> str:
        lines = part(folder / match["file"], match["words"].split())
        return f"{match['head']}\n" + "\n".join(lines) + f"\n\n{match['tail']}"

    return _BLOCK.sub(made, text)


def part(file: Path, words: Sequence[str]) -> list[str]:
    """Returns the table of a file.

    Files are `errors.csv`, its part `MATRIX`, `budget.json`, `waiting.json` and `certify.json [growth]`.
    """
    content = file.read_text()
    if file.name == "errors.csv":
        cells = read_csv(content)
        if not words:
            return sections(cells, Path(file.parent.name))
        return errors_table([cell for cell in cells if cell.matrix == words[0]])
    if file.name == "budget.json":
        return budget_table([Cell(**row) for row in json.loads(content)])
    lines = json.loads(content)
    if file.name == "waiting.json":
        return waiting_table(lines)
    return growth_table(lines) if words else certify_table(lines)


def by_matrix(cells: Sequence[Cell]) -> list[tuple[Matrix, list[Cell]]]:
    """Returns (matrix, its cells) for each matrix with cells, in the order of the figures."""
    parts = [(matrix, [cell for cell in cells if cell.matrix == matrix.slug]) for matrix in FIGURES]
    return [(matrix, own) for matrix, own in parts if own]


def sections(cells: Sequence[Cell], charts: Path) -> list[str]:
    """Returns the lines of a page: for each matrix its chart, its numbers, and where our policy is not the lowest."""
    lines: list[str] = []
    for matrix, own in by_matrix(cells):
        chart = charts / f"{matrix.slug}.svg"
        lines += [f"### {matrix.name}", "", f"![{matrix.name}]({chart})", "", *errors_table(own), ""]
        lines += [*lost_comparisons(own), ""]
    return lines[:-1]


def errors_table(cells: Sequence[Cell]) -> list[str]:
    """Returns medians and quartiles of one matrix: a row per policy, a column per budget."""
    budgets = sorted({cell.budget for cell in cells})
    found = {(cell.policy, cell.budget): cell for cell in cells}
    rows = [["policy", *(short(budget) for budget in budgets)]]
    for policy in dict.fromkeys(cell.policy for cell in cells):
        present = (found.get((policy, budget)) for budget in budgets)
        rows.append([f"`{policy}`", *("-" if cell is None else _quartiles(cell) for cell in present)])
    return as_markdown(rows)


def lost_comparisons(cells: Sequence[Cell]) -> list[str]:
    """Returns a sentence for each median of ours above another policy's, with whether it is within its quartiles."""
    sentences = []
    ours = {cell.budget: cell for cell in cells if cell.policy == OURS and cell.budget >= JUDGED_FROM}
    for cell in cells:
        mine = ours.get(cell.budget)
        if cell.policy == OURS or mine is None or mine.median <= cell.median:
            continue
        how = "within its quartiles" if mine.median <= cell.high else "beyond its quartiles"
        sentences.append(
            f"- At {short(cell.budget)} `{OURS}` is above `{cell.policy}`, {how}: "
            f"median {number(mine.median)} against {_quartiles(cell)}."
        )
    return sentences or [f"`{OURS}` has the lowest median, or shares it, at every budget from {short(JUDGED_FROM)} on."]


def budget_table(cells: Sequence[Cell]) -> list[str]:
    """Returns mean errors with standard errors: a row per matrix and budget, the lowest mean in bold."""
    policies = list(dict.fromkeys(cell.policy for cell in cells))
    rows = [["matrix", "budget", "runs", *(f"`{policy}`" for policy in policies)]]
    for matrix, budget in dict.fromkeys((cell.matrix, cell.budget) for cell in cells):
        own = {cell.policy: cell for cell in cells if (cell.matrix, cell.budget) == (matrix, budget)}
        lowest = min(cell.mean for cell in own.values())
        means = [_mean(own[policy], bold=own[policy].mean == lowest) if policy in own else "-" for policy in policies]
        runs = sorted({cell.runs for cell in own.values()})
        rows.append([matrix, short(budget), "-".join(map(str, runs)), *means])
    return as_markdown(rows)


def certify_table(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Returns median impressions to certification by policy, and the share of the pairs that a shared bound settled."""
    policies = list(dict.fromkeys(line["policy"] for line in lines))
    rows = [["family", "K", "groups", "epsilon", *(f"`{policy}`" for policy in policies)]]
    for key in dict.fromkeys((one["family"], one["n_items"], one["rank"], one["epsilon"]) for one in lines):
        own = {
            one["policy"]: one for one in lines if (one["family"], one["n_items"], one["rank"], one["epsilon"]) == key
        }
        rows.append([*map(str, key), *(_impressions(own[policy]) if policy in own else "-" for policy in policies)])
    return as_markdown(rows)


def waiting_table(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Returns a row per setting: the medians of a prefix per pair, and ratios to them with quartiles."""
    setting = ("feedback", "per_second", "ttl_seconds", "lost")
    before, *others = dict.fromkeys(one["way"] for one in lines)
    shown = {"impressions_ratio": "impressions", "seconds_ratio": "time"}
    names = [f"`{way}`, {name}" for way in others for name in shown.values()]
    rows = [["feedback", "per second", "lifetime", "lost", f"{before}: impressions", "seconds", *names]]
    for key in dict.fromkeys(tuple(one[name] for name in setting) for one in lines):
        own = {one["way"]: one for one in lines if tuple(one[name] for name in setting) == key}
        feedback, per_second, lifetime, lost = key
        medians = [f"{own[before][name]['median']:,.0f}" for name in ("impressions", "seconds")]
        ratios = [_ratio(own[way][name]) for way in others for name in shown]
        rows.append([feedback, f"{per_second:g}", f"{lifetime:g} s", f"{100 * lost:g} %", *medians, *ratios])
    return as_markdown(rows)


def growth_table(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Returns exponents of K by policy, for lines that differ only in K: least-squares slopes of log median."""
    policies = list(dict.fromkeys(line["policy"] for line in lines))
    points: dict[tuple[str, int, float], dict[str, list[tuple[int, float]]]] = {}
    for one in lines:
        key = (one["family"], one["rank"], one["epsilon"])
        points.setdefault(key, {}).setdefault(one["policy"], []).append((one["n_items"], one["median"]))
    rows = [["family", "groups", "epsilon", *(f"`{policy}`" for policy in policies)]]
    for key, own in points.items():
        shown = [f"{exponent(own[policy]):.2f}" if len(own.get(policy, [])) > 1 else "-" for policy in policies]
        if set(shown) != {"-"}:
            rows.append([*map(str, key), *shown])
    return as_markdown(rows)


def as_markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a Markdown table; the first row is the heading."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], f"| {' | '.join('---' for _ in rows[0])} |", *lines[1:]]


def short(budget: int) -> str:
    """Returns 30000 as 3e4."""
    digits, _, power = f"{budget:.0e}".partition("e")
    return f"{digits}e{int(power)}"


def number(error: float) -> str:
    """Returns an error with up to four decimals and no leading zero: .0031."""
    if error == 0:
        return "0"
    places = 4 if error < 0.1 else 2
    shown = f"{error:.{places}f}".removeprefix("0")
    return shown if float(shown) > 0 else "<.0001"


def _quartiles(cell: Cell) -> str:
    return f"{number(cell.median)} ({number(cell.low)} to {number(cell.high)})"


def _mean(cell: Cell, *, bold: bool) -> str:
    text = f"{number(cell.mean)} ± {number(cell.mean_error)}"
    return f"**{text}**" if bold else text


def _ratio(ratio: dict[str, float]) -> str:
    low, median, high = (f"{ratio[part]:.2f}".removeprefix("0") for part in ("low", "median", "high"))
    return f"{median} ({low} to {high})"


def _impressions(line: dict[str, Any]) -> str:
    shared = 1 - line["bounds"]["direct"]
    return f"{line['median']:,.0f}" + (f" ({shared:.0%} shared)" if shared > 0.005 else "")
