"""Wrong certificates, and wrong bounds at any plan, are no more frequent than their shares of delta."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

from app.engine.arrays import pair_items
from app.engine.bounds import Bounds
from app.engine.bounds.direct import direct_bounds
from app.engine.certificate import assess
from app.engine.delta_shares import Shares
from app.engine.evidence import Evidence
from app.engine.policies import policy_named
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.problem import Goal
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from tests.engine.driver import problem_for, run

RUNS = 300
EPSILON = 0.3


def adversarial(_: np.random.Generator) -> Population:
    """Returns 6 items, one best pair, every other pair 1.02 epsilon worse: any other answer is a wrong one."""
    L = np.full((6, 6), 0.3 + 1.02 * EPSILON)
    L[0, 1] = L[1, 0] = 0.3
    np.fill_diagonal(L, 0.95)  # large enough for L to be positive semidefinite
    return Population.from_factor(np.linalg.cholesky(L))


def of_a_family(rng: np.random.Generator) -> Population:
    """Returns 6 to 8 items of a random family."""
    family = ("pref", "clus", "ads6")[int(rng.integers(3))]
    return mixture(family, int(rng.integers(6, 9)), 2, rng)


class Watched(Policy):
    """A policy that proposes as another does and keeps the assessments it was shown: one poll a plan."""

    def __init__(self, inner: Policy) -> None:
        self.inner = inner
        self.polled: list[Bounds] = []

    def propose(self, now: Situation) -> Proposal:
        self.polled.append(now.assessment.bounds)
        return self.inner.propose(now)


def at_most(share: float, runs: int = RUNS) -> int:
    """Returns the failures that a probability of `share` exceeds in one case of a hundred only."""
    return int(binom.ppf(0.99, runs, share))


@pytest.mark.parametrize("delta", [0.1, 0.5])
@pytest.mark.parametrize("draw", [adversarial, of_a_family])
@pytest.mark.parametrize("name", ["lucb", "naive"])
def test_certificates_and_bounds_fail_no_more_than_they_may(
    name: str, draw: Callable[[np.random.Generator], Population], delta: float
) -> None:
    wrong = uppers_failed = lower_failed = 0
    for seed in range(RUNS):
        policy = Watched(policy_named(name))
        people = draw(np.random.default_rng(seed))
        problem = problem_for(policy, people, goal=Goal(EPSILON), delta=delta, rank=None, seed=seed)
        finished = run(policy, problem, people, seed=seed)
        assert finished.last.certified
        wrong += int(float(people.error(*finished.last.pair)) > EPSILON)
        truth = people.loss(*pair_items(np.arange(problem.n_pairs), problem.n_items))
        best = int(np.argmin(truth))
        polled = [*policy.polled, assess(problem, finished.evidence[-1]).bounds]
        assert len(polled) == len(finished.plans)
        uppers_failed += int(any(np.any(bounds.upper < truth) for bounds in polled))
        lower_failed += int(any(bounds.lower[best] > truth[best] for bounds in polled))
    assert wrong <= at_most(delta)
    assert uppers_failed <= at_most(Shares().upper * delta)
    assert lower_failed <= at_most(Shares().direct * delta)


MANY_PAIRS = 780
MANY_RUNS = 120
DELTA_UPPER = 0.05


def runs_with_a_wrong_upper_bound(delta_upper: float, runs: int = MANY_RUNS) -> int:
    """Returns in how many runs some pair's upper bound is below the truth at some of 12 polls."""
    rng = np.random.default_rng(11)
    everyone = pair_items(np.arange(MANY_PAIRS), 40)
    failed = 0
    for _ in range(runs):
        truth = rng.uniform(0.2, 0.8, size=MANY_PAIRS)
        evidence = Evidence.empty(40)
        wrong = False
        for poll in range(12):
            batch = np.full(MANY_PAIRS, round(10 * 1.3**poll))
            evidence = evidence.add(*everyone, 1, batch, rng.binomial(batch, truth).astype(np.float64))
            wrong |= bool(np.any(direct_bounds(evidence, None, delta_upper, 0.5).upper < truth))
        failed += int(wrong)
    return failed


def test_upper_bounds_hold_for_many_pairs_at_once() -> None:
    assert runs_with_a_wrong_upper_bound(DELTA_UPPER) <= at_most(DELTA_UPPER, MANY_RUNS)


def test_upper_bounds_without_the_union_over_pairs_do_not() -> None:
    # delta_U times the pairs cancels the union: every pair at log(1/delta_U).
    assert runs_with_a_wrong_upper_bound(DELTA_UPPER * MANY_PAIRS) > 4 * at_most(DELTA_UPPER, MANY_RUNS)
