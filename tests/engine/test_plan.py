"""The entry point: verdicts come from the certificate, latch, and keep to the budget."""

from typing import ClassVar

import numpy as np
import pytest

from app.engine.arrays import Pair, pair_number
from app.engine.certificate import Verdict, assess, displayed
from app.engine.demand import Demand
from app.engine.evidence import Evidence
from app.engine.memory import Memory
from app.engine.plan import MAX_NAMED_CONTENDERS, plan
from app.engine.policies import policy_named
from app.engine.policies.policy import Policy, Proposal, Situation
from app.engine.problem import Goal, Problem
from tests.engine.driver import evidence_from_rows

# Pair (0, 1) is hardly ever left without a click, the others always: certified.
CLEAR = [(0, 1, 1, 2000, 100.0), (0, 2, 1, 2000, 2000.0), (1, 2, 1, 2000, 2000.0)]
PROBLEM = Problem(n_items=3, goal=Goal(0.05), delta=0.1)


class Boastful(Policy):
    """Answers with pair (1, 2), reports that it is finished and asks for a given demand."""

    name: ClassVar[str] = "boastful"

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.seen: list[Situation] = []

    def propose(self, now: Situation) -> Proposal:
        self.seen.append(now)
        ask = np.array([self.wanted], dtype=np.int64)
        demand = Demand.of_pairs(np.array([2]), ask, now.problem.n_items)
        return Proposal(demand, Pair(1, 2), "certified", {"draw": int(now.rng.integers(10**9))}, {"x": 1.5})


def test_clear_evidence_is_certified_and_asks_for_nothing() -> None:
    evidence = evidence_from_rows(3, CLEAR)
    step = plan(Boastful(5), PROBLEM, evidence, Memory(7, {"kept": 1}))
    report = step.report
    assert (report.pair, report.verdict, report.certified) == (Pair(0, 1), Verdict.CERTIFIED, True)
    assert report.gap == assess(PROBLEM, evidence).gap
    shown = displayed(PROBLEM, evidence, assess(PROBLEM, evidence).bounds, np.array([0]), np.array([1]))
    assert report.interval == (shown.low[0], shown.high[0])
    assert report.estimate == shown.value[0]
    assert (report.version, report.samples, report.contenders, step.demand.total) == (8, 6000, 0, 0)
    assert step.memory.notes == {"kept": 1}
    assert step.memory.certified is not None


def test_the_latch_outlives_evidence_that_contradicts_it() -> None:
    first = plan(Boastful(5), PROBLEM, evidence_from_rows(3, CLEAR), Memory())
    against = evidence_from_rows(3, [*CLEAR, (0, 1, 1, 10**6, 1e6), (1, 2, 1, 10**6, 0.0)])
    assert assess(PROBLEM, against).leader == Pair(1, 2)
    second = plan(Boastful(5), PROBLEM, against, Memory.from_json(first.memory.to_json()))
    assert (second.report.pair, second.report.verdict) == (Pair(0, 1), Verdict.CERTIFIED)
    assert second.report.gap == first.report.gap
    assert second.demand.total == 0
    assert second.memory.certified == first.memory.certified
    assert second.memory.version == 2
    nothing = plan(Boastful(5), PROBLEM, Evidence.empty(3), second.memory)
    assert nothing.report.certified


def test_a_policy_cannot_certify_by_itself() -> None:
    step = plan(Boastful(0), PROBLEM, Evidence.empty(3), Memory())
    assert (step.report.verdict, step.report.certified) == (Verdict.EXHAUSTED, False)
    assert step.memory.certified is None
    step = plan(Boastful(1), PROBLEM, Evidence.empty(3), Memory())
    assert step.report.verdict is Verdict.NOT_YET
    assert step.report.phase == "certified"  # a word of the policy's, without weight


def test_the_gap_reported_is_that_of_the_pair_reported() -> None:
    evidence = evidence_from_rows(3, [(0, 1, 1, 50, 20.0), (0, 2, 1, 50, 40.0), (1, 2, 1, 50, 45.0)])
    report = plan(Boastful(1), PROBLEM, evidence, Memory()).report
    found = assess(PROBLEM, evidence)
    assert report.pair == Pair(1, 2) != found.leader
    assert report.gap == found.gaps_of_pair(Pair(1, 2)).gap > found.gap
    assert report.contenders == len(found.contenders)
    assert report.diagnostics == {"x": 1.5}


@pytest.mark.parametrize(("spent", "asked"), [(0, 10), (4, 6), (10, 0), (13, 0)])
def test_the_demand_is_cut_to_what_the_budget_leaves(spent: int, asked: int) -> None:
    problem = Problem(n_items=3, goal=Goal(0.05), delta=0.1, budget=10)
    evidence = evidence_from_rows(3, [(0, 1, 1, spent, 0.0)])
    policy = Boastful(100)
    step = plan(policy, problem, evidence, Memory())
    assert step.demand.total == asked
    assert policy.seen[0].room == asked
    assert step.report.verdict is (Verdict.NOT_YET if asked else Verdict.EXHAUSTED)


def test_the_budget_is_exhausted_once_all_answers_are_evidence() -> None:
    problem = Problem(n_items=3, goal=Goal(0.05), delta=0.1, budget=10)
    known = evidence_from_rows(3, [(0, 1, 1, 10, 5.0)])
    assert plan(Boastful(100), problem, Evidence.empty(3), Memory(), known) is None
    assert plan(Boastful(100), problem, known, Memory()).report.verdict is Verdict.EXHAUSTED


def test_chance_depends_on_seed_and_version_only() -> None:
    def drawn(seed: int, version: int) -> object:
        problem = Problem(n_items=3, goal=Goal(0.05), delta=0.1, seed=seed)
        return plan(Boastful(1), problem, Evidence.empty(3), Memory(version)).memory.notes["draw"]

    assert drawn(1, 1) == drawn(1, 1)
    assert len({drawn(1, 1), drawn(1, 2), drawn(2, 1)}) == 3


def test_two_items_need_no_showing() -> None:
    step = plan(policy_named("naive"), Problem(n_items=2, goal=Goal(0.01), delta=0.1), Evidence.empty(2), Memory())
    assert (step.report.pair, step.report.gap, step.report.certified, step.report.samples) == (Pair(0, 1), 0.0, True, 0)


def test_the_strongest_contenders_are_named_with_their_intervals() -> None:
    rows = [(0, 1, 1, 400, 100.0), (0, 2, 1, 400, 130.0), (1, 2, 1, 40, 8.0), (0, 3, 1, 4000, 4000.0)]
    evidence, problem = evidence_from_rows(4, rows), Problem(n_items=4, goal=Goal(0.01), delta=0.1)
    report = plan(Boastful(10), problem, evidence, Memory()).report
    assessment = assess(problem, evidence)
    named = [each.pair for each in report.race]
    assert len(named) == report.contenders == len(assessment.contenders)
    assert Pair(0, 3) not in named, "out of the race"
    lower = [assessment.bounds.lower[pair_number(pair, 4)] for pair in named]
    assert lower == sorted(lower)
    unseen, seen = (next(each for each in report.race if each.pair == pair) for pair in (Pair(2, 3), Pair(0, 2)))
    assert (unseen.estimate, unseen.interval, unseen.shown) == (None, (0.0, 1.0), 0)
    assert (seen.estimate, seen.shown) == (130 / 400, 400)
    assert seen.interval[0] < 130 / 400 < seen.interval[1]


def test_no_more_contenders_are_named_than_people_look_at() -> None:
    problem = Problem(n_items=12, goal=Goal(0.05), delta=0.1)
    rows = [(i, j, 1, 50, float((7 * i + 11 * j) % 50)) for i in range(12) for j in range(i + 1, 12)]
    evidence = evidence_from_rows(12, rows)
    report = plan(Boastful(10), problem, evidence, Memory()).report
    assessment = assess(problem, evidence)
    assert report.contenders > MAX_NAMED_CONTENDERS == len(report.race)
    strongest = sorted(assessment.bounds.lower[assessment.contenders])[:MAX_NAMED_CONTENDERS]
    assert [assessment.bounds.lower[pair_number(each.pair, 12)] for each in report.race] == strongest
