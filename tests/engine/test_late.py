"""Late answers that are clicked more or less often than timely ones: the level, detection, and why cells are small."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from app.engine.arrays import IntArray
from app.engine.health import ALARM_PER_CHECK
from app.engine.late import ODDS, Differs, LateAnswers, late_clicks_differ
from app.engine.policies.lucb import Lucb
from app.engine.problem import Goal, Problem
from app.simulation.mixtures import mixture
from tests.engine.worlds import of, watch

Cell = tuple[int, int, int, int, int] | IntArray


def answers(*cells: Cell, closed_before: int = 100, look: int = 1) -> LateAnswers:
    """Cells (version, timely answers, clicks among them, late answers, clicks among them)."""
    version, timely, timely_clicks, late, late_clicks = np.array(cells).T
    return LateAnswers(version, timely, timely_clicks, late, late_clicks, closed_before, look)


def pooled(counts: LateAnswers, key: IntArray) -> LateAnswers:
    """The mutant: rows with the same key are one cell."""
    timely, timely_clicks, late, late_clicks = (np.bincount(key, column).astype(np.int64) for column in counts[1:5])
    return LateAnswers(0 * timely, timely, timely_clicks, late, late_clicks, 1, counts.look)


def healthy_session(rng: np.random.Generator, plans: int = 8, pairs: int = 15) -> Iterator[LateAnswers]:
    """Yields the counts at each plan of a session whose late answers are clicked as often as the timely ones."""
    p = rng.uniform(0.05, 0.6, pairs)
    version = np.repeat(np.arange(plans)[:, None], pairs, axis=1)
    shown = rng.poisson(rng.uniform(1, 40, (plans, pairs)))
    late = rng.binomial(shown, np.clip(rng.uniform(-0.3, 0.5, (plans, 1)) + p, 0, 1))
    clicks = rng.binomial(shown - late, p)
    came, came_clicks = np.zeros((2, plans, pairs), dtype=np.int64)
    for look in range(1, plans + 1):
        new = rng.binomial(late - came, 0.4)
        came, came_clicks = came + new, came_clicks + rng.binomial(new, p)
        columns = (version, shown - late, clicks, came, came_clicks)
        yield answers(*np.stack([column.ravel() for column in columns], axis=1), closed_before=look, look=look)


def wealth(counts: LateAnswers) -> float:
    """Returns 1/alpha for the smallest alpha at which the counts are found to differ at the first look, by bisection.

    The first look is made at level alpha/2.
    """
    low, high = 1e-9, 1e9
    while high / low > 1 + 1e-13:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if late_clicks_differ(counts, 2 * middle) else (middle, high)
    return 1 / high


class TestLevel:
    @pytest.mark.parametrize("look", [1, 2, 7])
    def test_one_late_click_to_the_digit(self, look: int) -> None:
        """q = 1/4; the k-th look is made at level alpha/(k(k+1))."""
        counts = answers((1, 3, 0, 1, 1), look=look)
        expected = sum(w / (1 + (w - 1) / 4) for w in ODDS) / len(ODDS)
        alpha = look * (look + 1) / expected
        assert late_clicks_differ(counts, alpha * (1 + 1e-12)) is not None
        assert late_clicks_differ(counts, alpha * (1 - 1e-12)) is None

    def test_two_cells_multiply_for_each_bet(self) -> None:
        """The first has q = 1/2 and all 2 late ones clicked, the second q = 1/4 and none of 3."""
        counts = answers((1, 6, 2, 2, 2), (4, 5, 2, 3, 0))
        expected = sum(w**2 / (1 + (w - 1) / 2) ** 2 / (1 + (w - 1) / 4) ** 3 for w in ODDS) / len(ODDS)
        assert wealth(counts) == pytest.approx(expected, rel=1e-10)

    @pytest.mark.parametrize(("late", "mean"), [(1, 1.0), (2, None)])
    @pytest.mark.parametrize("p", [0.05, 0.5, 0.8])
    def test_the_mean_over_all_outcomes_is_1_with_one_late_answer_and_less_with_more(
        self, late: int, mean: float | None, p: float
    ) -> None:
        """Three timely answers and some late ones, each a click with probability p: drawn once, Hoeffding is exact."""
        total = 0.0
        for clicks in product((0, 1), repeat=3 + late):
            chance = math.prod(p if one else 1 - p for one in clicks)
            total += chance * wealth(answers((1, 3, sum(clicks[:3]), late, sum(clicks[3:]))))
        assert total == pytest.approx(mean, rel=1e-9) if mean else 0.3 < total < 1 - 1e-6

    def test_false_alarms_of_all_looks_together(self) -> None:
        """Level .2; popular pairs are slow, some plans are slower than others, and late answers keep coming."""
        rng = np.random.default_rng(1)
        runs, ever, mutant = 300, 0, 0
        for _ in range(runs):
            looks = list(healthy_session(rng))
            ever += any(late_clicks_differ(counts, 0.2) is not None for counts in looks)
            mutant += any(late_clicks_differ(pooled(counts, counts.version), 0.2) is not None for counts in looks)
        assert ever <= 0.2 * runs
        assert mutant > 0.5 * runs, "all pairs of a plan together"

    @pytest.mark.parametrize("patience", [(0.2, 1.0), (1.0, 0.2), (0.0, 1.0)])
    def test_looks_at_times_that_depend_on_timely_answers(self, patience: tuple[float, float]) -> None:
        """The time of a look decides which part of the late answers has come: one part after few clicks, another after
        many. In the service the dependence is far weaker."""
        rng = np.random.default_rng(2)
        runs, p = 2000, rng.uniform(0.05, 0.6, 15)
        late = rng.binomial(40, 0.1, (runs, 15))
        clicks = rng.binomial(40 - late, p)
        luck = (clicks - (40 - late) * p).sum(axis=1)
        came = rng.binomial(late, np.where(luck < 0, *patience)[:, None])
        came_clicks = rng.binomial(came, p)
        columns = np.stack([0 * late, 40 - late, clicks, came, came_clicks], axis=1)
        found = [late_clicks_differ(answers(*run.T), 0.2) is not None for run in columns]
        assert np.mean(found) <= 0.1, "the first look is made at half the level"


class TestWhatIsUsed:
    DIFFERS = (3, 50, 5, 20, 20)

    def test_the_shares_of_cells_with_timely_and_late_answers(self) -> None:
        """Expected: the timely part of each cell, weighted by its late answers."""
        found = late_clicks_differ(answers(self.DIFFERS, (5, 10, 5, 10, 8), (6, 0, 0, 7, 7), (6, 9, 9, 0, 0)), 0.001)
        assert found is not None
        assert (found.share, found.late) == (28 / 30, 30)
        assert found.expected == pytest.approx((20 * 0.1 + 10 * 0.5) / 30)

    def test_fewer_clicks_among_late_answers_are_a_difference_too(self) -> None:
        found = late_clicks_differ(answers((1, 80, 72, 40, 8)), 0.001)
        assert found == Differs(share=0.2, expected=0.9, late=40)

    def test_plans_with_open_impressions_are_not_used(self) -> None:
        assert late_clicks_differ(answers(self.DIFFERS, closed_before=4), 0.001) is not None
        assert late_clicks_differ(answers(self.DIFFERS, closed_before=3), 0.001) is None

    @pytest.mark.parametrize("cell", [(1, 0, 0, 500, 250), (1, 500, 0, 9, 0), (1, 500, 500, 9, 9), (1, 9, 5, 0, 0)])
    def test_cells_without_contrast_say_nothing(self, cell: Cell) -> None:
        assert late_clicks_differ(answers(cell), 0.99) is None
        assert wealth(answers(cell, self.DIFFERS)) == pytest.approx(wealth(answers(self.DIFFERS)))

    def test_nothing_late(self) -> None:
        assert late_clicks_differ(LateAnswers.none(), 0.5) is None


class TestMutants:
    """Larger cells would raise alarms in healthy sessions."""

    def test_all_pairs_together_if_popular_items_are_slow(self) -> None:
        counts = answers((1, 200, 120, 200, 120), (1, 380, 38, 20, 2))
        assert late_clicks_differ(counts, 0.001) is None
        assert late_clicks_differ(pooled(counts, np.zeros(2, dtype=np.int64)), 0.001) is not None

    def test_all_plans_of_a_pair_together_if_users_and_the_network_change(self) -> None:
        """Drift contradicts the proof too, but the cause and the advice are different."""
        counts = answers((1, 1000, 300, 10, 3), (2, 500, 50, 500, 50))
        assert late_clicks_differ(counts, 0.001) is None
        assert late_clicks_differ(pooled(counts, np.zeros(2, dtype=np.int64)), 0.001) is not None

    def test_all_plans_of_a_pair_together_if_lucky_pairs_are_shown_again(self) -> None:
        """Each of 2,000 pairs gets a timely and a late answer; those with a timely click get nine more timely ones."""
        rng = np.random.default_rng(3)
        first, late = rng.binomial(1, 0.5, (2, 2000))
        one, none = np.ones(2000, dtype=np.int64), np.zeros(2000, dtype=np.int64)
        columns = ((one, 2 * one), (one, 9 * first), (first, rng.binomial(9 * first, 0.5)), (one, none), (late, none))
        version, timely, clicks, came, came_clicks = (np.concatenate(column) for column in columns)
        counts = LateAnswers(version, timely, clicks, came, came_clicks, closed_before=3, look=2)
        assert late_clicks_differ(counts, 0.2) is None
        assert late_clicks_differ(pooled(counts, np.tile(np.arange(2000), 2)), 0.001) is not None

    def test_plans_with_open_impressions_if_clicks_are_slow_but_timely(self) -> None:
        """1 in 20 answers is late, clicks and others alike; of the timely ones, no click has come yet."""
        assert late_clicks_differ(answers((1, 950, 190, 50, 10)), 0.001) is None
        assert late_clicks_differ(answers((1, 760, 0, 50, 10)), 0.001) is not None


class TestPlanted:
    """Whole sessions in which lost answers come late, some before each plan."""

    def found(self, seed: int, lost: tuple[float, float]) -> Differs | None:
        """Returns the first difference that is found; `lost` are the parts lost after a click, and after none."""
        world = of(mixture("ads6", 8, 2, np.random.default_rng([5, seed])))
        asked = Problem(n_items=8, goal=Goal(0.1), delta=0.1, seed=seed)
        moments = watch(Lucb(), asked, world, seed=seed, loss=lambda _, __: lost, late_per_look=0.3, most_plans=25)
        looks = (late_clicks_differ(moment.late, ALARM_PER_CHECK) for moment in moments)
        return next((found for found in looks if found is not None), None)

    @pytest.mark.parametrize("seed", range(4))
    def test_a_third_of_the_clicks_are_late(self, seed: int) -> None:
        found = self.found(seed, (1 / 3, 0.0))
        assert found is not None
        assert found.share == 1 > found.expected
        assert found.late < 100

    @pytest.mark.parametrize("seed", range(4))
    def test_a_third_of_the_answers_without_a_click_are_late(self, seed: int) -> None:
        found = self.found(seed, (0.02, 1 / 3))
        assert found is not None
        assert found.share < found.expected

    @pytest.mark.parametrize("seed", range(4))
    def test_a_third_of_all_answers_are_late(self, seed: int) -> None:
        assert self.found(seed, (1 / 3, 1 / 3)) is None
