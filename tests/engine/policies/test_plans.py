"""PLANS: the exact best pair in at most K(r+1) impressions, for any items and any order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.policies import policy_named
from app.engine.problem import Goal
from app.simulation.mixtures import mixture, synthetic
from app.simulation.population import Population
from tests.engine.driver import Run, all_of_it, asked, evidence_from_rows, problem_for, propose, run, with_losses

PLANS = policy_named("plans")


def entries_asked(finished: Run) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for step in finished.plans for i, j in zip(step.demand.i, step.demand.j, strict=True)]


def check_exact(people: Population, rank: int | None) -> Run:
    """Runs PLANS and checks all it promises; returns the run."""
    finished = run(PLANS, problem_for(PLANS, people, rank=rank, goal=Goal(0.5)), people)
    asked = entries_asked(finished)
    true_rank = int(np.linalg.matrix_rank(people.loss_matrix(), tol=1e-9))
    assert finished.last.certified
    assert float(people.error(*finished.last.pair)) <= 1e-9
    assert len(asked) == len(set(asked))
    assert all(np.all(step.demand.count == 1) for step in finished.plans)
    assert len(asked) == finished.last.samples <= people.n_items * (true_rank + 1)
    return finished


# Quarters: clones, zero rows (always clicked), rows of ones (never clicked) and low true ranks come up all the time,
# and a column is either dependent or clearly not.
quarters = st.integers(0, 4).map(lambda k: k / 4)


@st.composite
def populations(draw: st.DrawFn) -> Population:
    n_items, rank = draw(st.integers(3, 9)), draw(st.integers(1, 3))
    share = np.array(draw(st.lists(st.integers(1, 4), min_size=rank, max_size=rank)), dtype=np.float64)
    u = draw(st.lists(st.lists(quarters, min_size=n_items, max_size=n_items), min_size=rank, max_size=rank))
    return Population.mixture(share / share.sum(), u)


@settings(max_examples=150)
@given(populations(), st.integers(0, 2))
def test_exact_with_the_rank_stated_or_overstated(people: Population, over: int) -> None:
    check_exact(people, min(people.rank + over, people.n_items))


@settings(max_examples=150)
@given(populations())
def test_exact_with_the_rank_unknown(people: Population) -> None:
    check_exact(people, None)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(4, 14), st.integers(1, 3), st.booleans())
def test_any_order_and_any_clones_of_the_items(seed: int, n_items: int, rank: int, stated: bool) -> None:
    rng = np.random.default_rng(seed)
    factor = mixture("pref", n_items, rank, rng).factor
    check_exact(Population.from_factor(factor[rng.integers(0, n_items, size=n_items + 3)]), rank if stated else None)


def test_first_item_always_clicked() -> None:
    check_exact(Population.mixture([0.5, 0.5], [[1.0, 0.2, 0.7, 0.1], [1.0, 0.6, 0.1, 0.3]]), None)


def test_an_item_always_clicked_is_never_chosen() -> None:
    # A zero row certifies its pairs at once; the policy by itself must pass over it too, without dividing by 0.
    evidence = evidence_from_rows(4, [(0, 0, 1, 1, 0.0), (1, 1, 2, 1, 0.5)])
    people = Population.mixture([1.0], [[1.0, 0.3, 0.4, 0.5]])
    step = propose(PLANS, problem_for(PLANS, people), evidence, {}, 3)
    assert step.notes == {"chosen": [1]}
    assert asked(step.demand) == {(0, 1): 1, (1, 2): 1, (1, 3): 1}


def test_only_one_group_never_clicks_the_first_item() -> None:
    check_exact(Population.mixture([0.5, 0.5], [[1.0, 0.2, 0.7, 0.1], [0.0, 0.6, 0.1, 0.3]]), 2)


@pytest.mark.parametrize("rank", [None, 1, 2])
def test_all_items_always_clicked(rank: int | None) -> None:
    finished = check_exact(Population.mixture([1.0], [[1.0] * 6]), rank)
    assert finished.last.samples <= 6


@pytest.mark.parametrize("rank", [None, 1, 2])
def test_all_items_never_clicked(rank: int | None) -> None:
    check_exact(Population.mixture([1.0], [[0.0] * 6]), rank)


@pytest.mark.parametrize("kind", ["synthetic", "mixture"])
@pytest.mark.parametrize(("n_items", "rank", "queries"), [(200, 2, 399), (200, 4, 794), (800, 2, 1599), (800, 4, 3194)])
def test_queries_with_the_rank_stated(n_items: int, rank: int, queries: int, kind: str) -> None:
    # r columns of K entries, less the r(r-1)/2 that two chosen columns share; the tests of self pairs are in them.
    rng = np.random.default_rng(n_items + rank)
    people = synthetic(n_items, rank, rng) if kind == "synthetic" else mixture("pref", n_items, rank, rng)
    finished = check_exact(people, rank)
    assert queries == n_items * rank - rank * (rank - 1) // 2
    assert finished.last.samples == queries
    assert f"rank<={rank}" in finished.last.assumptions
    assert len(finished.plans) <= 20


@pytest.mark.parametrize(("n_items", "rank", "queries"), [(200, 2, 597), (200, 4, 990), (800, 2, 2397), (800, 4, 3990)])
def test_queries_with_the_rank_unknown(n_items: int, rank: int, queries: int) -> None:
    # The other K - r self pairs too: no item may be independent, and no rank is assumed.
    finished = check_exact(synthetic(n_items, rank, np.random.default_rng(n_items + rank)), None)
    assert finished.last.samples == queries
    assert finished.last.assumptions == ("mixture",)
    assert len(finished.plans) <= 20


def test_lost_answers_are_asked_for_again_and_nothing_else() -> None:
    people = mixture("pref", 20, 2, np.random.default_rng(1))
    finished = run(PLANS, problem_for(PLANS, people), people, deliver=with_losses)
    assert finished.last.certified
    assert float(people.error(*finished.last.pair)) == 0
    whole = run(PLANS, problem_for(PLANS, people), people, deliver=all_of_it)
    assert set(entries_asked(finished)) >= set(entries_asked(whole)) - {(0, 0)}
    assert len(set(entries_asked(finished))) <= 60
