"""The picture shows what was measured."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture
from app.simulation.run import run_session
from experiments.gap import BOTTOM, TOP, Line, Point, draw, follow

SVG = "{http://www.w3.org/2000/svg}"
PROBLEM = Problem(n_items=8, goal=Goal(0.2), delta=0.1, seed=3)


def test_follows_the_session_that_simulate_runs() -> None:
    population = mixture("ads6", 8, 2, np.random.default_rng(1))
    line = follow("rplans", PROBLEM, population)
    outcome = run_session(policy_named("rplans"), PROBLEM, population, source(Purpose.USERS, 3))
    assert line.certified
    assert line.points[-1] == Point(outcome.samples, outcome.gap)
    assert len(line.points) == outcome.plans


def test_a_relative_goal_is_followed_in_its_own_terms() -> None:
    population = mixture("ads6", 8, 2, np.random.default_rng(1))
    problem = replace(PROBLEM, goal=Goal(0.3, relative=True))
    line = follow("rplans", problem, population)
    outcome = run_session(policy_named("rplans"), problem, population, source(Purpose.USERS, 3))
    assert line.points[-1] == Point(outcome.samples, outcome.relative_gap or 0.0)
    assert outcome.relative_gap != outcome.gap


def test_lines_end_where_the_sessions_did() -> None:
    lines = [
        Line("good", (Point(0, 1.0), Point(100, 0.5), Point(1000, 0.2)), certified=True),
        Line("<poor>", (Point(0, 1.0), Point(100, 1.0), Point(10_000, 0.5)), certified=False),
    ]
    drawn = ET.fromstring(draw(lines, PROBLEM))  # noqa: S314 - our own
    ends = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in drawn.iter(f"{SVG}circle") if c.attrib["r"] == "5"]
    assert [y for _, y in ends] == pytest.approx([BOTTOM - 0.2 * (BOTTOM - TOP), (BOTTOM + TOP) / 2], abs=0.06)
    starts = [path.attrib["d"].split(" L")[0] for path in drawn.iter(f"{SVG}path")]
    left = float(starts[0].split()[0].removeprefix("M"))
    assert ends[0][0] - left == pytest.approx((ends[1][0] - left) / 2, abs=0.1), "a logarithmic axis"
    (limit,) = [line for line in drawn.iter(f"{SVG}line") if "stroke-dasharray" in line.attrib]
    assert float(limit.attrib["y1"]) == pytest.approx(ends[0][1])
    words = [text.text for text in drawn.iter(f"{SVG}text")]
    assert {"good", "certified after 1,000", "<poor>", "not certified after 10,000", "100", "1,000"} <= set(words)
