"""A chart of the proven gap over impressions, one line per policy, the same users for all (docs/images/gap.svg)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.engine.plan import Report
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.population import Population
from app.simulation.run import run_session
from app.wire.goal import in_words
from experiments.charts import FAINT, INK, document, text, tick_label

COLOURS = ("#0b7285", "#e8590c", "#862e9c", "#868e96", "#2b8a3e", "#c2255c")
WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 70.0, 510.0, 64.0, 274.0
"""The box of the axes; the names of the policies are to the right of it."""

LIMIT = "#c92a2a"


class Point(NamedTuple):
    """The proven gap after a number of impressions, in the terms of the goal."""

    samples: int
    gap: float


@dataclass(frozen=True)
class Line:
    """The gaps of one policy."""

    policy: str
    points: tuple[Point, ...]
    certified: bool


def follow(policy: str, problem: Problem, population: Population) -> Line:
    """Returns the gap of one session at each of its plans."""
    points: list[Point] = []

    def note(report: Report) -> None:
        gaps = {"epsilon": report.gap, "relative_epsilon": report.relative_gap}
        points.append(Point(report.samples, gaps[problem.goal.field] or 0.0))

    outcome = run_session(policy_named(policy), problem, population, source(Purpose.USERS, problem.seed), note)
    return Line(policy, tuple(points), outcome.certified)


def draw(lines: Sequence[Line], problem: Problem) -> str:
    """Returns the chart as SVG: impressions on a logarithmic axis, the gap on a linear one, the goal as a limit."""
    shown = [point.samples for line in lines for point in line.points if point.samples > 0]
    scale = _Scale(min(shown), max(shown))
    subtitle = (
        f"{problem.n_items} items, {problem.n_pairs:,} pairs, goal: {in_words(problem.goal)}, "
        f"delta {problem.delta:g}: proven gap over impressions"
    )
    parts = _axes(scale, problem.goal)
    for place, line in enumerate(lines):
        parts += _line(line, scale, COLOURS[place % len(COLOURS)], 80 + 46 * place)
    label = "The proven gap falls with impressions until it reaches the goal and the pair is certified"
    title = "The proven gap falls until it reaches the goal: certified"
    return document((WIDTH, HEIGHT), label, title, subtitle, parts)


class _Scale:
    """Coordinates of impressions and gaps."""

    def __init__(self, fewest: int, most: int) -> None:
        self.low = math.floor(math.log10(fewest))
        self.high = max(math.log10(most) + 0.1, self.low + 1)

    def x(self, samples: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log10(samples) - self.low) / (self.high - self.low)

    @staticmethod
    def y(gap: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * min(gap, 1.0)


def _axes(scale: _Scale, goal: Goal) -> list[str]:
    parts = []
    for gap in (0, 0.25, 0.5, 0.75, 1):
        y = scale.y(gap)
        parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e9ecef"/>')
        parts.append(text(LEFT - 8, y + 4, f"{gap:g}", FAINT, anchor="end"))
    for power in range(scale.low, math.floor(scale.high) + 1):
        parts.append(text(scale.x(10**power), 294, tick_label(10**power), FAINT, anchor="middle"))
    limit = scale.y(goal.epsilon)
    return [
        *parts,
        text((LEFT + RIGHT) / 2, 316, "impressions", INK, anchor="middle"),
        f'<line x1="{LEFT}" x2="{RIGHT}" y1="{limit:.1f}" y2="{limit:.1f}" stroke="{LIMIT}" stroke-dasharray="5 4"/>',
        text(LEFT + 6, limit - 5, "goal", LIMIT),
    ]


def _line(line: Line, scale: _Scale, colour: str, y: int) -> list[str]:
    """Returns a policy's line, its end point, and its name with the number of impressions."""
    places = [(scale.x(point.samples), scale.y(point.gap)) for point in line.points if point.samples > 0]
    path = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    end_x, end_y = places[-1]
    samples = line.points[-1].samples
    ended = f"{'certified' if line.certified else 'not certified'} after {samples:,}"
    return [
        f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.4" stroke-linejoin="round"/>',
        f'<circle cx="{end_x:.1f}" cy="{end_y:.1f}" r="5" fill="{colour}"/>',
        f'<circle cx="544" cy="{y}" r="6" fill="{colour}"/>',
        text(558, y + 4, line.policy, INK, weight=600),
        text(558, y + 22, ended, FAINT),
    ]
