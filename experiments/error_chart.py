"""The paper's figures: error over budget, both logarithmic, medians with quartiles, one line a policy; plain SVG."""

import math
from collections.abc import Sequence
from html import escape
from itertools import groupby

from experiments.fixed_budget import Cell
from experiments.gap_chart import FAINT, INK, text, words

COLOURS = {
    "rplans": "#0b7285",
    "row_mean_halving": "#e8590c",
    "sequential_halving": "#862e9c",
    "lrmc": "#2b8a3e",
    "rplans_literal": "#c2255c",
    "lil_ucb": "#1864ab",
    "naive": "#868e96",
}
OTHERS = "#5c940d"
FIRST = "rplans"
"""Drawn last, so on top, with its quartiles as a band."""

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70.0, 560.0, 64.0, 340.0

LOWEST = 1e-4
"""Errors below are drawn on the axis, which says 0: many medians are 0, and a logarithm has no place for it."""

APART = 2.4
"""Points of different policies at one budget stand so far apart, or their whiskers would hide each other."""


def draw_errors(cells: Sequence[Cell], title: str) -> str:
    """Returns the chart of one matrix."""
    budgets = sorted({cell.budget for cell in cells})
    places = _Places(budgets[0], budgets[-1])
    runs = sorted({cell.runs for cell in cells})
    about = f"error of the answer after so many impressions; medians and quartiles of {'-'.join(map(str, runs))} runs"
    curves = {name: sorted(part, key=lambda c: c.budget) for name, part in groupby(cells, key=lambda c: c.policy)}
    order = sorted(curves, key=lambda name: name == FIRST)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" '
        f'font-size="13" role="img" aria-label="Error over budget on {escape(title)}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="#ffffff"/>',
        text(24, 32, title, INK, size=17, weight=600),
        text(24, 51, about, FAINT),
        *_axes(places),
    ]
    for number, name in enumerate(order):
        parts += _curve(curves[name], places, APART * (number - (len(order) - 1) / 2), band=name == FIRST)
    for number, name in enumerate(reversed(order)):
        y = TOP + 10 + 26 * number
        parts.append(f'<circle cx="{RIGHT + 24}" cy="{y}" r="6" fill="{_colour(name)}"/>')
        parts.append(text(RIGHT + 38, y + 4, name, INK, weight=600 if name == FIRST else 400))
    return "\n".join([*parts, "</svg>", ""])


class _Places:
    """Places on the paper."""

    def __init__(self, fewest: int, most: int) -> None:
        self.low = math.log10(fewest)
        self.high = max(math.log10(most), self.low + 1)

    def x(self, budget: float) -> float:
        inner = 16  # so that whiskers stay inside
        return LEFT + inner + (RIGHT - LEFT - 2 * inner) * (math.log10(budget) - self.low) / (self.high - self.low)

    @staticmethod
    def y(error: float) -> float:
        depth = math.log10(min(max(error, LOWEST), 1.0)) / math.log10(LOWEST)
        return TOP + (BOTTOM - TOP) * depth


def _axes(places: _Places) -> list[str]:
    parts = []
    for power in range(0, round(math.log10(LOWEST)) - 1, -1):
        y = places.y(10.0**power)
        shown = "0" if 10.0**power <= LOWEST else f"{10.0**power:g}"
        parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e9ecef"/>')
        parts.append(text(LEFT - 8, y + 4, shown, FAINT, anchor="end"))
    for power in range(math.ceil(places.low), math.floor(places.high) + 1):
        parts.append(text(places.x(10**power), BOTTOM + 20, words(10**power), FAINT, anchor="middle"))
    return [*parts, text((LEFT + RIGHT) / 2, BOTTOM + 42, "budget (impressions)", INK, anchor="middle")]


def _curve(cells: Sequence[Cell], places: _Places, aside: float, *, band: bool) -> list[str]:
    """Returns a policy's medians, and its quartiles as whiskers or as a band."""
    colour = _colour(cells[0].policy)
    xs = [places.x(cell.budget) + aside for cell in cells]
    parts = []
    if band:
        above = [f"{x:.1f} {places.y(cell.high):.1f}" for x, cell in zip(xs, cells, strict=True)]
        below = [f"{x:.1f} {places.y(cell.low):.1f}" for x, cell in zip(xs, cells, strict=True)]
        parts.append(f'<path d="M{" L".join([*above, *reversed(below)])} Z" fill="{colour}" opacity="0.15"/>')
    for x, cell in zip(xs, cells, strict=True):
        low, high = places.y(cell.low), places.y(cell.high)
        parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}" stroke-width="1.2"/>'
        )
        parts.append(f'<circle cx="{x:.1f}" cy="{places.y(cell.median):.1f}" r="3.2" fill="{colour}"/>')
    path = " L".join(f"{x:.1f} {places.y(cell.median):.1f}" for x, cell in zip(xs, cells, strict=True))
    width = 2.8 if band else 1.6
    return [*parts, f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>']


def _colour(policy: str) -> str:
    return COLOURS.get(policy, OTHERS)
