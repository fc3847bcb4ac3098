"""The figures of the paper with more baselines: error over budget, one chart per matrix; sessions and charts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from app.simulation.population import InvalidPopulation
from experiments.charts import FAINT, INK, document, text, tick_label
from experiments.fixed_budget import Cell, Run, as_csv, runs_for
from experiments.matrices import FIGURES, Matrix, available
from experiments.results_page import by_matrix, sections

POLICIES = ("rplans", "row_mean_halving", "sequential_halving", "lrmc", "rplans_literal", "lil_ucb", "naive")
BUDGETS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)

CAPS = {"lil_ucb": (1_000_000, 300_000), "lrmc": (1_000_000, 100_000)}
"""The largest budget of the slow policies, for up to 200 items and for more. At 800 items one completion takes some
seconds, longer with more entries; lil'UCB takes twenty seconds per plan once it has seen all 319,600 pairs. Below that
number lil'UCB has at most one sample per pair, and equals naive."""

FEW_ITEMS = 200

QUICK_BUDGETS = (1_000, 3_000, 10_000, 30_000)
QUICK_RUNS = 4

COLOURS = {
    "rplans": "#0b7285",
    "row_mean_halving": "#e8590c",
    "sequential_halving": "#862e9c",
    "lrmc": "#2b8a3e",
    "rplans_literal": "#c2255c",
    "lil_ucb": "#1864ab",
    "naive": "#868e96",
}
OTHER_COLOUR = "#5c940d"
FIRST = "rplans"
"""Drawn last and so on top, with its quartiles as a band."""

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70.0, 560.0, 64.0, 340.0

LOWEST = 1e-4
"""Smaller errors are drawn on the axis, which is labelled 0: many medians are 0, and log 0 does not exist."""

SPACING = 2.4
"""Horizontal distance between the points of two policies at one budget, so that their whiskers do not overlap."""


@dataclass(frozen=True)
class Extent:
    """The extent of a run: repetitions, budgets and matrices."""

    runs: int
    largest: int
    seed: int
    quick: bool
    only: frozenset[str] = frozenset()  # slugs of matrices; empty: all


def figure_runs(extent: Extent, folders: dict[str, Path | None]) -> list[Run]:
    """Returns all sessions of the figures; quick runs omit 800 items."""
    unknown = extent.only - {matrix.slug for matrix in FIGURES}
    if unknown:
        slugs = ", ".join(matrix.slug for matrix in FIGURES)
        raise InvalidPopulation("matrices", f'must be some of {slugs}, got "{min(unknown)}"')
    chosen = [
        matrix
        for matrix in available(FIGURES, folders)
        if (not extent.only or matrix.slug in extent.only) and (not extent.quick or matrix.n_items <= FEW_ITEMS)
    ]
    seeds = range(extent.seed, extent.seed + extent.runs)
    return [
        run
        for matrix in chosen
        for policy in POLICIES
        for run in runs_for(matrix, policy, seeds, _budgets(extent, matrix, policy), folders.get(matrix.kind))
    ]


def _budgets(extent: Extent, matrix: Matrix, policy: str) -> list[int]:
    few, many = CAPS.get(policy, (BUDGETS[-1], BUDGETS[-1]))
    most = min(extent.largest, few if matrix.n_items <= FEW_ITEMS else many)
    return [budget for budget in (QUICK_BUDGETS if extent.quick else BUDGETS) if budget <= most]


def write_figures(cells: Sequence[Cell], out: Path) -> list[Path]:
    """Writes errors.csv, a chart for each matrix, and a page with both; returns the files."""
    written = [out / "errors.csv"]
    written[0].write_text(as_csv(cells))
    for matrix, own in by_matrix(cells):
        written.append(out / f"{matrix.slug}.svg")
        written[-1].write_text(draw_errors(own, matrix.name))
    written.append(out / "figures.md")
    head = ["# Error over budget", "", "By `bestpair experiment figures`; numbers in [errors.csv](errors.csv).", ""]
    written[-1].write_text("\n".join([*head, *sections(cells, Path()), ""]))
    return written


def draw_errors(cells: Sequence[Cell], title: str) -> str:
    """Returns the chart of one matrix."""
    budgets = sorted({cell.budget for cell in cells})
    scale = _Scale(budgets[0], budgets[-1])
    runs = sorted({cell.runs for cell in cells})
    subtitle = f"error of the returned pair by budget; medians and quartiles of {'-'.join(map(str, runs))} runs"
    curves = {name: sorted(part, key=lambda c: c.budget) for name, part in groupby(cells, key=lambda c: c.policy)}
    order = sorted(curves, key=lambda name: name == FIRST)
    parts = _axes(scale)
    for number, name in enumerate(order):
        parts += _curve(curves[name], scale, SPACING * (number - (len(order) - 1) / 2), band=name == FIRST)
    for number, name in enumerate(reversed(order)):
        y = TOP + 10 + 26 * number
        parts.append(f'<circle cx="{RIGHT + 24}" cy="{y}" r="6" fill="{_colour(name)}"/>')
        parts.append(text(RIGHT + 38, y + 4, name, INK, weight=600 if name == FIRST else 400))
    return document((WIDTH, HEIGHT), f"Error over budget on {title}", title, subtitle, parts)


class _Scale:
    """Coordinates of budgets and errors."""

    def __init__(self, fewest: int, most: int) -> None:
        self.low = math.log10(fewest)
        self.high = max(math.log10(most), self.low + 1)

    def x(self, budget: float) -> float:
        inner = 16  # a margin, so that whiskers stay inside
        return LEFT + inner + (RIGHT - LEFT - 2 * inner) * (math.log10(budget) - self.low) / (self.high - self.low)

    @staticmethod
    def y(error: float) -> float:
        depth = math.log10(min(max(error, LOWEST), 1.0)) / math.log10(LOWEST)
        return TOP + (BOTTOM - TOP) * depth


def _axes(scale: _Scale) -> list[str]:
    parts = []
    for power in range(0, round(math.log10(LOWEST)) - 1, -1):
        y = scale.y(10.0**power)
        shown = "0" if 10.0**power <= LOWEST else f"{10.0**power:g}"
        parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e9ecef"/>')
        parts.append(text(LEFT - 8, y + 4, shown, FAINT, anchor="end"))
    for power in range(math.ceil(scale.low), math.floor(scale.high) + 1):
        parts.append(text(scale.x(10**power), BOTTOM + 20, tick_label(10**power), FAINT, anchor="middle"))
    return [*parts, text((LEFT + RIGHT) / 2, BOTTOM + 42, "budget (impressions)", INK, anchor="middle")]


def _curve(cells: Sequence[Cell], scale: _Scale, offset: float, *, band: bool) -> list[str]:
    """Returns a policy's medians with quartiles as whiskers, and also as a band if `band`."""
    colour = _colour(cells[0].policy)
    xs = [scale.x(cell.budget) + offset for cell in cells]
    parts = []
    if band:
        above = [f"{x:.1f} {scale.y(cell.high):.1f}" for x, cell in zip(xs, cells, strict=True)]
        below = [f"{x:.1f} {scale.y(cell.low):.1f}" for x, cell in zip(xs, cells, strict=True)]
        parts.append(f'<path d="M{" L".join([*above, *reversed(below)])} Z" fill="{colour}" opacity="0.15"/>')
    for x, cell in zip(xs, cells, strict=True):
        low, high = scale.y(cell.low), scale.y(cell.high)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}" stroke-width="1.2"/>'
        )
        parts.append(f'<circle cx="{x:.1f}" cy="{scale.y(cell.median):.1f}" r="3.2" fill="{colour}"/>')
    path = " L".join(f"{x:.1f} {scale.y(cell.median):.1f}" for x, cell in zip(xs, cells, strict=True))
    width = 2.8 if band else 1.6
    return [*parts, f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>']


def _colour(policy: str) -> str:
    return COLOURS.get(policy, OTHER_COLOUR)
