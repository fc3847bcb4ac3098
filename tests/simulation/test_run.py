"""Sessions in process: impressions in addition to those of each plan, and budgets."""

import numpy as np

from app.engine.plan import Report
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.simulation.mixtures import mixture
from app.simulation.run import Outcome, run_session

PEOPLE = mixture("ads6", 12, 2, np.random.default_rng(1))


def session(in_flight: int, budget: int | None = None) -> tuple[Outcome, list[Report]]:
    problem = Problem(n_items=12, goal=Goal(0.1), delta=0.1, seed=1, budget=budget)
    reports: list[Report] = []
    return run_session(
        policy_named("rplans"), problem, PEOPLE, source(Purpose.USERS, 1), reports.append, in_flight
    ), reports


def test_impressions_in_flight_are_added_to_every_plan() -> None:
    alone, _ = session(0)
    outcome, reports = session(5_000)
    assert outcome.certified
    assert outcome.error <= 0.1
    assert outcome.plans < alone.plans
    assert all(np.diff([report.samples for report in reports]) > 5_000)


def test_a_budget_is_kept() -> None:
    outcome, _ = session(5_000, budget=2_000)
    assert outcome.samples == 2_000
