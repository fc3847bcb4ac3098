"""The planner counts whole sessions; certify compares answers with and without items."""

import numpy as np
import pytest

from app.simulation.mixtures import mixture_of_rate
from app.simulation.population import InvalidPopulation
from app.simulation.run import Outcome
from experiments.certify import Instance, Line, Session, growth_of, run_one
from experiments.planner import Expected, Needed, Trial, outlooks_of, run_trial, trials_for

EXPECTED = Expected(n_items=6, groups=2, click_rate=0.2, family="ads6")


def test_populations_have_the_click_rate() -> None:
    clicks = mixture_of_rate(0.02, 2000, 3, np.random.default_rng(1)).click_probabilities
    assert clicks is not None
    assert clicks.shape == (3, 2000)
    assert clicks.mean() == pytest.approx(0.02, abs=0.001)
    assert clicks.std() == pytest.approx(0.02, abs=0.002), "Beta(1, 49): items differ as much as they are clicked"
    for rate in (0.0, 1.0, -0.1):
        with pytest.raises(InvalidPopulation, match="click_rate"):
            mixture_of_rate(rate, 5, 2, np.random.default_rng(1))


def test_a_family_where_there_is_no_rate() -> None:
    drawn = Expected(n_items=6, groups=2, click_rate=None, family="pref").draw(1).click_probabilities
    assert drawn is not None
    assert drawn.min() >= 0.05
    low = EXPECTED.draw(1).click_probabilities
    assert low is not None
    assert low.mean() < drawn.mean()


def test_a_trial_is_a_whole_session() -> None:
    plain, items = (run_trial(Trial(EXPECTED, 0.2, 0.1, 3, item_clicks)) for item_clicks in (False, True))
    assert plain.certified
    assert items.certified
    assert plain.samples != items.samples
    assert plain.best_reward == items.best_reward == pytest.approx(1 - EXPECTED.draw(3).best_pair().value)


def test_every_line_has_the_same_populations() -> None:
    trials = trials_for(EXPECTED, [0.2, 0.1], 0.1, [4, 5], items_too=True)
    assert len(trials) == 2 * 2 * 2
    assert {(trial.epsilon, trial.item_clicks) for trial in trials if trial.seed == 4} == {
        (epsilon, told) for epsilon in (0.2, 0.1) for told in (False, True)
    }


def test_lines_by_hand() -> None:
    def trial(epsilon: float, seed: int) -> Trial:
        return Trial(EXPECTED, epsilon, 0.1, seed, item_clicks=False)

    took = [(0.1, 900, True), (0.2, 100, True), (0.2, 500, True), (0.2, 200, False)]
    results = [(trial(epsilon, k), Needed(samples, sure, 0.3 + k)) for k, (epsilon, samples, sure) in enumerate(took)]
    coarse, fine = outlooks_of(results)
    assert (coarse.epsilon, coarse.runs, coarse.certified) == (0.2, 3, 2)
    assert (coarse.least, coarse.median, coarse.most, coarse.best_reward) == (100, 200, 500, 2.3)
    assert (fine.epsilon, fine.median) == (0.1, 900)
    said = coarse.as_json(a_day=100)
    assert (said["days_least"], said["days_median"], said["days_most"]) == (1, 2, 5)


def test_growth_is_the_slope_of_the_logarithms() -> None:
    def line(n_items: int, samples: int, policy: str = "lucb") -> Line:
        ended = Outcome(policy, True, "certified", samples, (0, 1), 0.0, 0.0, 1, 0.0, "done", (), {}, {"direct": 1.0})
        return Line(Instance("ads6", n_items, 2, 0.05), policy, (ended,))

    (growth,) = growth_of([line(40, 1600), line(10, 100), line(20, 400), line(20, 5, "naive")])
    assert (growth.policy, growth.sizes) == ("lucb", (10, 20, 40))
    assert growth.exponent == pytest.approx(2)


def test_item_level_answers_side_by_side() -> None:
    instance = Instance("ads6", 8, 2, 0.2)
    plain, items = (run_one(Session(instance, name, 3, 0.1, item_clicks=False)) for name in ("rplans", "rplans+items"))
    assert plain.bounds["item_clicks"] == 0
    assert items.bounds["item_clicks"] > 0
    for outcome in (plain, items):
        assert sum(outcome.bounds.values()) == pytest.approx(1)
