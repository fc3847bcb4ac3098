"""Median elimination: the schedule of rounds by hand, and the halving.

The rounds are so long that the certificate ends a session within the first; later ones are seen by asking the policy.
"""

import math

import numpy as np
import pytest

from app.engine.arrays import Pair
from app.engine.evidence import Evidence
from app.engine.policies import policy_named
from app.engine.problem import Goal, Problem
from tests.engine.driver import asked, propose

ME = policy_named("median_elimination")
PROBLEM = Problem(n_items=4, goal=Goal(0.4), delta=0.2)
# Round 1: eps_1 = .1, delta_1 = .1: 400 log 30 = 1360.5. Round 2: eps_2 = .075, delta_2 = .05: 711.1 log 60 = 2911.5.
FIRST, SECOND = 1361, 2912
LOSS = np.array([0.9, 0.5, 0.7, 0.2, 0.8, 0.6])  # pairs (0,1) (0,2) (0,3) (1,2) (1,3) (2,3)
LEFT, RIGHT = np.triu_indices(4, 1)


def shown(version: int, pairs: list[int], pulls: int, loss: np.typing.NDArray[np.float64] = LOSS) -> Evidence:
    n = np.full(len(pairs), pulls)
    return Evidence.empty(4).add(LEFT[pairs], RIGHT[pairs], version, n, np.round(n * loss[pairs]))


def joined(*parts: Evidence) -> Evidence:
    whole = Evidence.empty(4)
    for part in parts:
        whole = whole.add(part.i, part.j, part.version, part.n, part.s)
    return whole


ROUND_1 = shown(1, [0, 1, 2, 3, 4, 5], FIRST)


def test_the_first_round_asks_in_batches_up_to_its_pulls() -> None:
    opening = propose(ME, PROBLEM, Evidence.empty(4), {}, 1)
    assert (opening.demand.total, opening.phase, opening.notes) == (16, "round 1", {"round_starts": [1]})
    almost = propose(ME, PROBLEM, shown(1, [0, 1, 2, 3, 4, 5], FIRST - 2), {"round_starts": [1]}, 2)
    assert asked(almost.demand) == {(int(i), int(j)): 2 for i, j in zip(LEFT, RIGHT, strict=True)}


@pytest.mark.parametrize("missing", [0, 1])
def test_a_round_lasts_until_every_survivor_has_its_pulls(missing: int) -> None:
    evidence = joined(shown(1, [0, 1, 2, 3, 4], FIRST), shown(1, [5], FIRST - missing))
    step = propose(ME, PROBLEM, evidence, {"round_starts": [1]}, 2)
    assert step.phase == ("round 1" if missing else "round 2")
    assert step.notes == {"round_starts": [1] if missing else [1, 2]}
    assert asked(step.demand) == {(2, 3): 1} if missing else len(asked(step.demand)) == 3


def test_the_better_half_goes_on() -> None:
    step = propose(ME, PROBLEM, ROUND_1, {"round_starts": [1]}, 2)
    assert set(asked(step.demand)) == {(0, 2), (1, 2), (2, 3)}  # .5, .2, .6


def test_the_second_round_has_its_own_fresh_pulls() -> None:
    # In round 2 the means turn: only fresh samples count, so (1, 2) with .2 before and .9 now is the one to go.
    turned = np.array([0.0, 0.3, 0.0, 0.9, 0.0, 0.4])
    evidence = joined(ROUND_1, shown(2, [1, 3, 5], SECOND - 1, turned))
    step = propose(ME, PROBLEM, evidence, {"round_starts": [1, 2]}, 3)
    assert (step.phase, asked(step.demand)) == ("round 2", {(0, 2): 1, (1, 2): 1, (2, 3): 1})
    evidence = joined(ROUND_1, shown(2, [1, 3, 5], SECOND, turned))
    step = propose(ME, PROBLEM, evidence, {"round_starts": [1, 2]}, 3)
    assert (step.phase, set(asked(step.demand))) == ("round 3", {(0, 2), (2, 3)})


def test_the_last_survivor_is_the_answer() -> None:
    third = math.ceil(4 / (0.1 * 0.75**2) ** 2 * math.log(3 / 0.025))
    evidence = joined(ROUND_1, shown(2, [1, 3, 5], SECOND), shown(3, [1, 3], third))
    step = propose(ME, PROBLEM, evidence, {"round_starts": [1, 2, 3]}, 4)
    assert (step.pair, step.demand.total, step.phase) == (Pair(1, 2), 0, "finished")


def test_the_pair_reported_when_a_round_begins_is_the_best_seen() -> None:
    # The round that has just ended compared the survivors; the one that begins has no samples yet.
    step = propose(ME, PROBLEM, ROUND_1, {"round_starts": [1]}, 2)
    assert step.pair == Pair(1, 2)
