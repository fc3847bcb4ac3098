"""Results as tables of a Markdown page."""

from collections.abc import Sequence
from typing import Any

from experiments.certify import exponent
from experiments.fixed_budget import Cell

OURS = "rplans"
JUDGED_FROM = 10_000
"""Below that the answer is little better than a guess for everybody."""


def errors_table(cells: Sequence[Cell]) -> list[str]:
    """Returns medians and quartiles of one matrix, a line a policy and a column a budget."""
    budgets = sorted({cell.budget for cell in cells})
    found = {(cell.policy, cell.budget): cell for cell in cells}
    rows = [["policy", *(short(budget) for budget in budgets)]]
    for policy in dict.fromkeys(cell.policy for cell in cells):
        present = (found.get((policy, budget)) for budget in budgets)
        rows.append([f"`{policy}`", *("-" if cell is None else _quartiles(cell) for cell in present)])
    return as_markdown(rows)


def where_it_loses(cells: Sequence[Cell]) -> list[str]:
    """Returns sentences: where our median is above another's, and whether it is still within its quartiles."""
    said = []
    ours = {cell.budget: cell for cell in cells if cell.policy == OURS and cell.budget >= JUDGED_FROM}
    for cell in cells:
        mine = ours.get(cell.budget)
        if cell.policy == OURS or mine is None or mine.median <= cell.median:
            continue
        how = "within its quartiles" if mine.median <= cell.high else "beyond its quartiles"
        said.append(
            f"- At {short(cell.budget)} `{OURS}` is above `{cell.policy}`, {how}: "
            f"median {number(mine.median)} against {_quartiles(cell)}."
        )
    return said or [f"`{OURS}` has the lowest median, or shares it, at every budget from {short(JUDGED_FROM)} on."]


def budget_table(cells: Sequence[Cell]) -> list[str]:
    """Returns mean errors and their standard errors, a line a matrix and budget; the lowest mean is bold."""
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
    """Returns median impressions to certification by policy, and which part of the pairs a shared bound settled."""
    policies = list(dict.fromkeys(line["policy"] for line in lines))
    rows = [["family", "K", "groups", "epsilon", *(f"`{policy}`" for policy in policies)]]
    for key in dict.fromkeys((one["family"], one["n_items"], one["rank"], one["epsilon"]) for one in lines):
        own = {
            one["policy"]: one for one in lines if (one["family"], one["n_items"], one["rank"], one["epsilon"]) == key
        }
        rows.append([*map(str, key), *(_impressions(own[policy]) if policy in own else "-" for policy in policies)])
    return as_markdown(rows)


def growth_table(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Returns exponents of K by policy, wherever only K differs: least-squares slopes of the logarithms of medians."""
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
    """Returns the lines of a table whose first row is its heading."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], f"| {' | '.join('---' for _ in rows[0])} |", *lines[1:]]


def short(budget: int) -> str:
    """Returns 30000 as 3e4."""
    digits, _, power = f"{budget:.0e}".partition("e")
    return f"{digits}e{int(power)}"


def number(error: float) -> str:
    """Returns an error with two digits that count, no zero in front: .0031."""
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


def _impressions(line: dict[str, Any]) -> str:
    shared = 1 - line["bounds"]["direct"]
    return f"{line['median']:,.0f}" + (f" ({shared:.0%} shared)" if shared > 0.005 else "")
