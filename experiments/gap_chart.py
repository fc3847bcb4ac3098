"""The picture of the README: the proven gap over impressions, one line a policy, the same users for all; plain SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from app.engine.plan import Report
from app.engine.policies import policy_named
from app.engine.problem import Problem
from app.engine.randomness import Purpose, source
from app.simulation.population import Population
from app.simulation.run import run_session

COLOURS = ("#0b7285", "#e8590c", "#862e9c", "#868e96", "#2b8a3e", "#c2255c")
WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 70.0, 510.0, 64.0, 274.0
"""The box of the axes; policies are named to its right."""

INK, FAINT, LIMIT = "#212529", "#495057", "#c92a2a"


class Point(NamedTuple):
    """What was proven after so many impressions."""

    samples: int
    gap: float


@dataclass(frozen=True)
class Line:
    """One policy's way."""

    policy: str
    points: tuple[Point, ...]
    certified: bool


def follow(policy: str, problem: Problem, population: Population) -> Line:
    """Returns the gap of one session at each of its plans."""
    points: list[Point] = []

    def note(report: Report) -> None:
        points.append(Point(report.samples, report.gap))

    outcome = run_session(policy_named(policy), problem, population, source(Purpose.USERS, problem.seed), note)
    return Line(policy, tuple(points), outcome.certified)


def draw(lines: Sequence[Line], problem: Problem) -> str:
    """Returns the chart as SVG: impressions on a logarithmic axis, the gap on a plain one, epsilon as a limit."""
    seen = [point.samples for line in lines for point in line.points if point.samples > 0]
    scale = _Scale(min(seen), max(seen))
    about = (
        f"{problem.n_items} items, {problem.n_pairs:,} pairs, epsilon {problem.epsilon:g}, delta {problem.delta:g}: "
        "proven gap to the best pair after so many impressions"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" '
        'font-size="13" role="img" aria-label="The proven gap falls with impressions until it reaches epsilon and the '
        'pair is certified">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="#ffffff"/>',
        text(24, 32, "The proven gap falls until it reaches epsilon: certified", INK, size=17, weight=600),
        text(24, 51, about, FAINT),
        *_axes(scale, problem.epsilon),
    ]
    for place, line in enumerate(lines):
        parts += _drawn(line, scale, COLOURS[place % len(COLOURS)], 80 + 46 * place)
    return "\n".join([*parts, "</svg>", ""])


class _Scale:
    """Places on the paper."""

    def __init__(self, fewest: int, most: int) -> None:
        self.low = math.floor(math.log10(fewest))
        self.high = max(math.log10(most) + 0.1, self.low + 1)

    def x(self, samples: float) -> float:
        return LEFT + (RIGHT - LEFT) * (math.log10(samples) - self.low) / (self.high - self.low)

    @staticmethod
    def y(gap: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * min(gap, 1.0)


def _axes(scale: _Scale, epsilon: float) -> list[str]:
    parts = []
    for gap in (0, 0.25, 0.5, 0.75, 1):
        y = scale.y(gap)
        parts.append(f'<line x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e9ecef"/>')
        parts.append(text(LEFT - 8, y + 4, f"{gap:g}", FAINT, anchor="end"))
    for power in range(scale.low, math.floor(scale.high) + 1):
        parts.append(text(scale.x(10**power), 294, words(10**power), FAINT, anchor="middle"))
    limit = scale.y(epsilon)
    return [
        *parts,
        text((LEFT + RIGHT) / 2, 316, "impressions", INK, anchor="middle"),
        f'<line x1="{LEFT}" x2="{RIGHT}" y1="{limit:.1f}" y2="{limit:.1f}" stroke="{LIMIT}" stroke-dasharray="5 4"/>',
        text(LEFT + 6, limit - 5, "epsilon", LIMIT),
    ]


def _drawn(line: Line, scale: _Scale, colour: str, y: int) -> list[str]:
    """Returns a policy's line, its end, and its name with what it took."""
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


def text(x: float, y: float, words: str, colour: str, *, size: int = 13, weight: int = 400, anchor: str = "") -> str:
    """Returns words at a place."""
    more = "" if size == 13 else f' font-size="{size}"'
    more += "" if weight == 400 else f' font-weight="{weight}"'
    more += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{more} fill="{colour}">{escape(words)}</text>'


def words(number: int) -> str:
    """Returns 1000000 as 1M: full numbers would run into each other."""
    return f"{number // 10**6:,}M" if number >= 10**6 else f"{number:,}"
