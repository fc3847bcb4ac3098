"""Notes in honest sessions with a sensible epsilon: they do not appear, in any plan."""

import numpy as np
import pytest

from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import plan
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.results.notes import ENOUGH_ANSWERS, epsilon_note
from app.simulation.mixtures import mixture
from app.simulation.run import show
from app.simulation.users import Users

SESSIONS = 20
"""Of each family."""
SENSIBLE = 0.3
"""Epsilon, as a part of what the best pair earns."""
MOST_PLANS = 15


@pytest.mark.parametrize("family", ["ads6", "ads20", "pref", "clus", "trap"])
def test_honest_sessions_get_no_note(family: str) -> None:
    seen = 0
    for seed in range(SESSIONS):
        population = mixture(family, 6, 2, np.random.default_rng([11, seed]))
        i, j = np.triu_indices(6, 1)
        epsilon = SENSIBLE * float(1 - population.loss(i, j).min())
        problem = Problem(n_items=6, goal=Goal(epsilon), delta=0.05, seed=seed)
        evidence, memory, rng = Evidence.empty(6), Memory(), source(Purpose.USERS, seed)
        policy, users = policy_named("rplans"), Users(population)
        while memory.version < MOST_PLANS:
            step = plan(policy, problem, evidence, memory)
            memory, report = step.memory, step.report
            assert epsilon_note(problem.goal, 1 - report.interval[0]) == (), (seed, report)
            if evidence.samples >= ENOUGH_ANSWERS:
                seen += 1
                assert evidence.s.sum() > 0, "among so many answers there is one without a click"
            if step.demand.total == 0:
                break
            evidence = show(users, problem, step.demand, evidence, memory.version, rng)
    assert seen > SESSIONS
