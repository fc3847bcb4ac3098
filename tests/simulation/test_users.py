"""Counts are binomial and multinomial as in the model; single responses agree with them."""

import math

import numpy as np
import pytest

from app.engine.arrays import FloatArray
from app.engine.problem import Model
from app.simulation.population import InvalidPopulation, Population
from app.simulation.users import Impression, Users

# By hand: L_01 = .25 * .5 * 1 + .75 * .8 * .4 = .365.
MIXTURE = Population.mixture([0.25, 0.75], [[0.5, 0.0, 0.8], [0.2, 0.6, 0.0]])
# Cells of pair (0, 1): only 0 = .25*.5*1 + .75*.2*.4, only 1 = .25*.5*0 + .75*.8*.6, both = .25*0 + .75*.2*.6.
CELLS = np.array([0.365, 0.185, 0.36, 0.09])
BY_FACTOR = Population.from_factor([[0.6, 0.8], [0.8, 0.0], [0.5, 0.5]])  # L_01 = .48


def six_sigma(probability: float, n: int) -> float:
    return 6 * math.sqrt(probability * (1 - probability) / n)


def test_no_click_counts_are_binomial_with_the_loss() -> None:
    n = np.array([100_000, 400_000, 0])
    i, j = np.array([0, 2, 0]), np.array([1, 1, 2])
    counts = Users(MIXTURE).no_click_counts(i, j, n, np.random.default_rng(1))
    assert counts.dtype == np.int64
    assert counts[0] / n[0] == pytest.approx(0.365, abs=six_sigma(0.365, 100_000))
    assert counts[1] / n[1] == pytest.approx(0.35, abs=six_sigma(0.35, 400_000))
    assert counts[2] == 0


def test_spread_of_no_click_counts_is_binomial() -> None:
    pairs = np.zeros(20_000, dtype=np.int64)
    counts = Users(BY_FACTOR).no_click_counts(pairs, pairs + 1, 50, np.random.default_rng(2))
    assert counts.mean() == pytest.approx(50 * 0.48, abs=6 * math.sqrt(50 * 0.48 * 0.52 / 20_000))
    assert counts.var() == pytest.approx(50 * 0.48 * 0.52, rel=0.06)


def test_a_trillion_impressions_have_the_right_mean_and_spread() -> None:
    n = 10**12
    pairs = np.zeros(2000, dtype=np.int64)
    users, rng = Users(MIXTURE), np.random.default_rng(3)
    variance = n * 0.365 * 0.635
    for counts in (users.no_click_counts(pairs, pairs + 1, n, rng), users.item_outcomes(pairs, pairs + 1, n, rng)[0]):
        assert counts.dtype == np.int64
        assert abs(counts.mean() - 0.365 * n) < 6 * math.sqrt(variance / 2000)
        assert np.var(counts - 0.365 * n) == pytest.approx(variance, rel=0.2)


def test_certain_outcomes_are_certain() -> None:
    users = Users(Population.mixture([1.0], [[0.0, 0.0, 1.0]]))
    counts = users.no_click_counts(np.array([0, 0]), np.array([1, 2]), 1000, np.random.default_rng(1))
    assert counts.tolist() == [1000, 0]


def test_item_outcomes_have_the_four_probabilities_by_hand() -> None:
    n = 400_000
    outcomes = Users(MIXTURE).item_outcomes(np.array([0, 1]), np.array([1, 0]), n, np.random.default_rng(4))
    table = np.stack(outcomes)  # (4, 2)
    assert table.dtype == np.int64
    assert table.sum(axis=0).tolist() == [n, n]
    for row, probability in zip(table, CELLS, strict=True):
        assert row[0] / n == pytest.approx(probability, abs=six_sigma(probability, n))
    assert outcomes.only_i[1] / n == pytest.approx(CELLS[2], abs=six_sigma(CELLS[2], n))  # items exchanged
    assert outcomes.only_j[1] / n == pytest.approx(CELLS[1], abs=six_sigma(CELLS[1], n))


def test_item_outcomes_accept_a_count_per_pair_or_a_single_pair() -> None:
    users, rng = Users(MIXTURE), np.random.default_rng(5)
    i, j, n = np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([5, 0, 7])
    assert np.stack(users.item_outcomes(i, j, n, rng)).sum(axis=0).tolist() == [5, 0, 7]
    assert sum(int(count) for count in users.item_outcomes(0, 1, 9, rng)) == 9


def test_click_by_item_needs_groups() -> None:
    with pytest.raises(InvalidPopulation) as caught:
        Users(BY_FACTOR).item_outcomes(np.array([0]), np.array([1]), 1, np.random.default_rng(1))
    assert caught.value.field == "u"


def test_exact_rewards_are_one_minus_the_loss() -> None:
    rewards = Users(MIXTURE).exact_rewards(np.array([0, 1, 2]), np.array([1, 1, 0]))
    np.testing.assert_allclose(rewards, [0.635, 0.63, 0.375])


def test_one_user_at_a_time_clicks_as_often_as_batches_do() -> None:
    users, rng, n = Users(MIXTURE), np.random.default_rng(6), 20_000
    responses = [users.respond(Impression("t", 0, 1, 3.0), rng) for _ in range(n)]
    clicked = [response.clicked for response in responses]
    for cell, probability in zip([(), (0,), (1,), (0, 1)], CELLS, strict=True):
        assert clicked.count(cell) / n == pytest.approx(probability, abs=six_sigma(probability, n))
    assert all(response.reward == float(response.clicked != ()) for response in responses)
    assert all((response.ticket, response.arrives_at) == ("t", 3.0) for response in responses)


def test_a_self_pair_shows_its_item_in_both_slots() -> None:
    users, rng, n = Users(MIXTURE), np.random.default_rng(7), 20_000
    clicked = [users.respond(Impression("t", 0, 0, 0.0), rng).clicked for _ in range(n)]
    assert clicked.count(()) / n == pytest.approx(0.5425, abs=six_sigma(0.5425, n))  # .25 * .25 + .75 * .64
    assert clicked.count((0, 0)) / n == pytest.approx(0.0925, abs=six_sigma(0.0925, n))  # .25 * .25 + .75 * .04


def test_without_groups_a_response_has_no_clicked_items() -> None:
    users, rng, n = Users(BY_FACTOR), np.random.default_rng(8), 20_000
    responses = [users.respond(Impression("t", 0, 1, 0.0), rng) for _ in range(n)]
    assert {response.clicked for response in responses} == {None}
    assert sum(response.reward for response in responses) / n == pytest.approx(0.52, abs=six_sigma(0.52, n))


def test_the_deterministic_model_responds_exactly_and_draws_nothing() -> None:
    rng = np.random.default_rng(9)
    response = Users(MIXTURE, Model.DETERMINISTIC).respond(Impression("t", 0, 1, 2.5), rng)
    assert response.reward == pytest.approx(0.635)
    assert (response.ticket, response.clicked, response.arrives_at) == ("t", None, 2.5)
    assert rng.random() == np.random.default_rng(9).random()


@pytest.mark.parametrize(("population", "draws"), [(MIXTURE, 3), (BY_FACTOR, 1)])
def test_a_response_uses_the_documented_number_of_draws(population: Population, draws: int) -> None:
    rng, reference = np.random.default_rng(10), np.random.default_rng(10)
    Users(population).respond(Impression("t", 0, 1, 0.0), rng)
    reference.random(draws)
    assert rng.random() == reference.random()


def test_a_draw_next_to_one_falls_into_the_last_group() -> None:
    class AlmostOne(np.random.Generator):
        def random(self, *_: object, **__: object) -> FloatArray:  # type: ignore[override]
            return np.array([np.nextafter(1.0, 0.0), 0.5, 0.5])

    tenths = Population.mixture([0.1] * 10, np.zeros((10, 2)))  # ten times .1 sums to less than 1
    assert Users(tenths).respond(Impression("t", 0, 1, 0.0), AlmostOne(np.random.PCG64(1))).clicked == ()


def test_click_draws_one_user_per_entry_with_the_right_frequencies() -> None:
    people = Population.mixture([0.3, 0.7], [[0.9, 0.8, 0.1], [0.1, 0.2, 0.6]])
    n = 100_000
    i, j = np.full(n, 0), np.full(n, 1)
    on_i, on_j = Users(people).click(i, j, np.random.default_rng(3))
    tolerance = 5 * 0.5 / np.sqrt(n)
    assert abs(np.mean(on_i) - (0.3 * 0.9 + 0.7 * 0.1)) < tolerance
    assert abs(np.mean(on_j) - (0.3 * 0.8 + 0.7 * 0.2)) < tolerance
    assert abs(np.mean(~(on_i | on_j)) - people.loss(0, 1)) < tolerance, "both items are seen by the same user"
    with pytest.raises(InvalidPopulation):
        Users(Population.from_factor([[0.5], [0.4]])).click(i, j, np.random.default_rng(3))
