"""Healthy sessions, with answers lost or late at random, looked at after every plan: how often is one doubted?"""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from app.engine import health
from app.engine.arrays import IntArray
from app.engine.bounds import Bounds
from app.engine.certificate import Displayed
from app.engine.evidence import Evidence
from app.engine.health import Finding
from app.engine.policies import POLICIES
from app.engine.policies.lucb import Lucb
from app.engine.policies.policy import Policy
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture
from tests.engine.worlds import Leaning, Moment, even_loss, of, watch

LOOSE = 0.1
"""Where every check may be wrong in one session of ten, a wrong constant shows; at the real level nothing would."""

CASES: dict[str, tuple[Policy, bool, int]] = {  # policy, clicks by item, sessions
    "lucb": (Lucb(), False, 200),
    "a blank": (Leaning(), False, 50),
    "clicks by item": (Leaning(), True, 50),
}
if "rplans" in POLICIES:
    CASES |= {"rplans": (POLICIES["rplans"], False, 200), "rplans, clicks by item": (POLICIES["rplans"], True, 50)}


def session(policy: Policy, seed: int, *, item_clicks: bool) -> Iterator[Moment]:
    kind = ("ads6", "pref", "clus", "trap")[seed % 4]
    population = mixture(kind, 5, 2, np.random.default_rng([7, seed]))
    problem = Problem(n_items=5, goal=Goal(0.3), delta=0.1, seed=seed, item_clicks=item_clicks)
    return watch(policy, problem, of(population), seed=seed, loss=even_loss, late_per_look=0.3, most_plans=25)


def not_displayed(_problem: Problem, _evidence: Evidence, _bounds: Bounds, i: IntArray, _j: IntArray) -> Displayed:
    """Stands in for intervals that only people look at: a fifth of a plan's time, and no part of what it decides."""
    nothing = np.full(len(i), np.nan)
    return Displayed(nothing, nothing, nothing)


@pytest.mark.parametrize("case", CASES)
def test_healthy_sessions_are_not_doubted(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, item_clicks, sessions = CASES[case]
    monkeypatch.setattr("app.engine.plan.displayed", not_displayed)
    strict = health.ALARM_PER_CHECK
    loosely: Counter[str] = Counter()
    doubted: list[tuple[int, Finding]] = []
    for seed in range(sessions):
        kinds = set()
        for moment in session(policy, seed, item_clicks=item_clicks):
            monkeypatch.setattr(health, "ALARM_PER_CHECK", LOOSE)
            found = moment.findings()
            kinds |= {one.kind for one in found}
            if found:  # at the real level only what is found at the loose one can be found
                monkeypatch.setattr(health, "ALARM_PER_CHECK", strict)
                doubted += [(seed, one) for one in moment.findings()]
        loosely.update(kind.value for kind in kinds)
    assert doubted == []
    most = LOOSE * sessions + 2.33 * math.sqrt(LOOSE * (1 - LOOSE) * sessions)
    assert all(count <= most for count in loosely.values()), loosely
