"""Sessions in simulated time: they count what the reference fold counts, and plan when the service plans."""

import math
from itertools import pairwise

import numpy as np
import pytest

from app.counting.rules import EvidenceRows, fold
from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.engine.evidence import Evidence
from app.engine.policies.rplans import Rplans
from app.engine.problem import Goal, Problem
from app.engine.randomness import Purpose, source
from app.impressions.feedback import StoredImpression
from app.impressions.handout_order import HANDOUTS
from app.sessions.creation import settle
from app.sessions.model import Item
from app.simulation.mixtures import mixture
from app.wire.vocabulary import WhileWaiting
from experiments.delayed_session import NEVER, DelayedSession, Finished, Log, Rule, Traffic, remembered_bets
from tests.session_fixtures import new_session

TTL = 20.0
SETTINGS = settle(new_session(items=(Item("a", "a"), Item("b", "b")), ticket_ttl_seconds=TTL, seed=1))
COLUMNS = ("i", "j", "version", "n", "s", "clicks_i", "clicks_j")


def slow_clicks(
    i: IntArray, _j: IntArray, clicks_i: BoolArray, clicks_j: BoolArray, rng: np.random.Generator
) -> FloatArray:
    """Silence after 1 to 2 s, clicks after 3 to 21 s: some of them too late."""
    return np.where(clicks_i | clicks_j, rng.uniform(3, 21, len(i)), rng.uniform(1, 2, len(i)))


def run(
    seed: int,
    rule: Rule,
    *,
    while_waiting: WhileWaiting = WhileWaiting.EXPLORE,
    items: bool = True,
    per_second: float = 20.0,
) -> Finished:
    people = mixture("clus", 5, 2, np.random.default_rng(seed))
    problem = Problem(n_items=5, goal=Goal(0.3), delta=0.5, seed=seed, item_clicks=items)
    traffic = Traffic(per_second, TTL, slow_clicks, lost=0.05)
    rng = source(Purpose.USERS, seed)
    session = DelayedSession(
        Rplans(), problem, people, traffic, rng, rule, while_waiting,
        check_seconds=10.0, max_seconds=90.0,
    )  # fmt: skip
    return session.run()


def folded(log: Log, at: float) -> EvidenceRows:
    """Returns what the reference fold counts at this time."""
    stored = []
    for sequence, row in enumerate(log.rows, start=1):
        if row["issued_at"] > at:
            break
        there = row["answered_at"] <= at
        clicked = int(row["clicks_i"]) + 2 * int(row["clicks_j"])
        stored.append(
            StoredImpression(
                sequence, int(row["i"]), int(row["j"]), int(row["version"]), True, float(row["issued_at"]),
                float(clicked > 0) if there else None, clicked if there else None,
                float(row["answered_at"]) if there else None, not_shown=False,
            )
        )  # fmt: skip
    return fold(stored, SETTINGS, at, (), (0, b"")).evidence


def equal(one: Evidence, other: Evidence) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in COLUMNS)


@pytest.mark.parametrize("seed", range(3))
def test_the_watermark_counts_what_the_fold_counts(seed: int) -> None:
    log = run(seed, Rule.WATERMARK).log
    assert 0 < np.count_nonzero(log.rows["answered_at"] == NEVER) < len(log.rows)
    for at in np.random.default_rng(seed).uniform(0, 90, 12):
        assert equal(log.counted(at), folded(log, at).to_evidence(5)), at


@pytest.mark.parametrize("seed", range(3))
def test_a_prefix_per_pair_is_the_fold_of_each_pair(seed: int) -> None:
    log = run(seed, Rule.PREFIX_PER_PAIR).log
    differs = 0
    for at in np.random.default_rng(seed).uniform(0, 90, 12):
        expected = Evidence.empty(5)
        for i, j in {(int(row["i"]), int(row["j"])) for row in log.rows}:
            own = log.rows[(log.rows["i"] == i) & (log.rows["j"] == j)]
            expected = folded(Log(5, True, own), at).added_to(expected)
        assert equal(log.counted(at), expected), at
        differs += not equal(expected, folded(log, at).to_evidence(5))
    assert differs > 6


def test_known_is_every_answer_that_has_arrived() -> None:
    log = run(1, Rule.WATERMARK).log
    at = 31.0
    arrived = log.rows[log.rows["answered_at"] <= at]
    known = log.known(at)
    assert known.samples == len(arrived) > log.counted(at).samples
    assert known.s.sum() == np.count_nonzero(~(arrived["clicks_i"] | arrived["clicks_j"]))
    assert known.clicks_i.sum() == arrived["clicks_i"].sum()
    assert not log.known(at).issued(100).samples


@pytest.mark.parametrize("rule", Rule)
def test_a_plan_is_made_when_the_demand_of_the_last_one_is_usable(rule: Rule) -> None:
    finished = run(2, rule, items=False)
    log = finished.log
    usable = log.known if rule is Rule.WATERMARK else log.counted
    in_time = 0
    for last, this in pairwise(finished.plans[:-1]):
        gained = usable(this.at).samples - usable(last.at).samples
        assert gained >= last.plan.demand.total
        in_time += gained == last.plan.demand.total
    assert in_time >= 2


@pytest.mark.parametrize(
    ("rule", "while_waiting", "times"),
    [
        (Rule.WATERMARK, WhileWaiting.EXPLOIT, 1),
        (Rule.WATERMARK, WhileWaiting.EXPLORE, HANDOUTS),
        (Rule.PREFIX_PER_PAIR, WhileWaiting.EXPLORE, NEVER),
    ],
)
def test_a_plan_is_handed_out_as_often_as_by_the_service(rule: Rule, while_waiting: WhileWaiting, times: float) -> None:
    finished = run(1, rule, while_waiting=while_waiting, per_second=128.0)  # a power of 2: no rounding
    versions = np.bincount(finished.log.rows["version"])
    out = [versions[one.plan.memory.version] / one.plan.demand.total for one in finished.plans[:-1]]
    if times == NEVER:
        assert max(out) > 2 * HANDOUTS
    else:
        assert max(out) == times, "the first plan, from which nothing is subtracted"
    gaps = np.diff(finished.log.rows["issued_at"])
    assert math.isclose(gaps.min(), 1 / 128, rel_tol=1e-6)
    assert bool(gaps.max() > 2 / 128) is (times < NEVER)


def test_plan_versions_follow_the_times_of_plans() -> None:
    finished = run(0, Rule.WATERMARK)
    times = np.array([one.at for one in finished.plans])
    made_before = np.searchsorted(times, finished.log.rows["issued_at"], side="left")
    first = finished.log.rows["issued_at"] == 0
    assert np.array_equal(np.where(first, 1, made_before), finished.log.rows["version"])


def test_remembered_bets_change_nothing() -> None:
    plain = run(1, Rule.WATERMARK)
    assert plain.plans[-1].plan.memory.choices.outlooks, "there are bets"
    with remembered_bets():
        remembered = run(1, Rule.WATERMARK)
    assert np.array_equal(plain.log.rows, remembered.log.rows)
    assert [one.plan.report for one in plain.plans] == [one.plan.report for one in remembered.plans]
