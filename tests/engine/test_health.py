"""Health checks: contradictions by hand, then planted failures in whole sessions."""

import math

import numpy as np
import pytest

from app.engine.bounds.item_clicks import item_click_bounds
from app.engine.bounds.screening import blank_bounds
from app.engine.choices import Blank, Choices
from app.engine.confidence import upper_end
from app.engine.delta_shares import Shares, portion
from app.engine.evidence import Evidence
from app.engine.health import (
    ALARM_PER_CHECK,
    FALSE_ALARMS,
    ONLY_CLICKS,
    Finding,
    FindingKind,
    epsilon_is_too_large,
    findings,
)
from app.engine.late import LateAnswers
from app.engine.policies.lucb import Lucb
from app.engine.problem import Goal, Model, Problem
from app.engine.unanswered import Unanswered
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from tests.engine.worlds import Leaning, changing, hiding, of, watch

D_ALONE = Shares()
LEANING = Shares(upper=0.1, direct=0.4, screening=0.25, clicks=0.25)


def problem(n_items: int, *, item_clicks: bool = False, epsilon: float = 0.1) -> Problem:
    return Problem(n_items=n_items, goal=Goal(epsilon), delta=0.1, item_clicks=item_clicks)


Row = tuple[int, int, int, int, float, int, int]


def evidence(n_items: int, *rows: Row) -> Evidence:
    """Rows (i, j, version, n, s, clicks on i, clicks on j)."""
    i, j, version, n, s, on_i, on_j = (np.array(column) for column in zip(*rows, strict=True))
    return Evidence.empty(n_items).add(i, j, version, n, s.astype(np.float64), (on_i, on_j))


def check(
    seen: Evidence, shares: Shares, choices: Choices | None = None, silence: Unanswered | None = None, *, clicks: bool
) -> tuple[Finding, ...]:
    asked = problem(seen.n_items, item_clicks=clicks)
    return findings(asked, seen, choices or Choices(), shares, silence or Unanswered.none())


def kinds(found: tuple[Finding, ...]) -> set[FindingKind]:
    return {one.kind for one in found}


class TestStructure:
    """Items 0 and 1 are not clicked when shown with the blank 2, and are clicked together."""

    CHOICES = Choices(blanks=(Blank(1, 2, (0.9, 0.9, 0.9)),))

    def seen(self, *, version: int = 2, together: float = 0.6) -> Evidence:
        n = 2000
        rows: list[Row] = [(0, 2, version, n, 0.95 * n, 0, 0), (1, 2, version, n, 0.95 * n, 0, 0)]
        return evidence(3, *rows, (0, 1, 2, n, together * n, 0, 0))

    def test_direct_against_a_blank(self) -> None:
        (found,) = check(self.seen(), LEANING, self.CHOICES, clicks=False)
        assert (found.kind, found.suspends, found.items) == (FindingKind.STRUCTURE, True, (0, 1))
        implied = blank_bounds(self.seen(), self.CHOICES.blanks[0], math.log(3 / portion(ALARM_PER_CHECK / 2, 1)))[0]
        highest = upper_end(np.array([2000]), np.array([1200.0]), math.log(2 * 3 / ALARM_PER_CHECK))[0]
        assert found.detail == {"direct_at_most": highest, "implied_at_least": implied, "shown": 2000.0}
        assert highest < implied

    def test_what_the_blank_was_chosen_by_says_nothing(self) -> None:
        assert check(self.seen(version=1), LEANING, self.CHOICES, clicks=False) == ()

    def test_agreement(self) -> None:
        assert check(self.seen(together=0.9), LEANING, self.CHOICES, clicks=False) == ()
        assert check(self.seen(), LEANING, clicks=False) == (), "no blank was chosen"

    def test_bounds_that_touch_do_not_contradict(self) -> None:
        """The mixture implies .9; all pairs and times together allow for more than three standard deviations."""
        three_off = 0.9 - 3 * math.sqrt(3 * 0.1 * 0.9 / 2000)
        assert check(self.seen(together=three_off), LEANING, self.CHOICES, clicks=False) == ()

    def test_direct_against_clicks_by_item(self) -> None:
        n = 2000
        rows: list[Row] = [(0, 2, 1, n, 0.9 * n, 100, 100), (1, 2, 1, n, 0.9 * n, 100, 100)]
        seen = evidence(3, *rows, (0, 1, 1, n, 0.6 * n, 500, 500))
        found = {one.kind: one for one in check(seen, LEANING, clicks=True)}
        assert found[FindingKind.STRUCTURE].items == (0, 1)
        implied = item_click_bounds(seen, None, math.log(2 * 3 / ALARM_PER_CHECK))[0]
        assert found[FindingKind.STRUCTURE].detail["implied_at_least"] == implied
        assert kinds(check(seen, D_ALONE, clicks=True)) == set(), "no bound leans on it"

    def test_of_a_pair_whose_first_item_was_shown_nowhere_else(self) -> None:
        seen = evidence(3, (0, 1, 1, 3000, 1350.0, 100, 1600), (1, 2, 1, 3000, 2700.0, 150, 160))
        found = {one.kind: one for one in check(seen, LEANING, clicks=True)}
        assert found[FindingKind.STRUCTURE].items == (0, 1)


class TestPartners:
    def seen(self, *, beside_2: int) -> Evidence:
        n = 3000
        rows: list[Row] = [(0, k, 1, n, n - 900.0 - 30, 900, 60) for k in (1, 3, 4)]
        return evidence(5, *rows, (0, 2, 1, n, n - beside_2 - 1500.0, beside_2, 1530))

    def test_clicks_that_depend_on_the_partner(self) -> None:
        found = {one.kind: one for one in check(self.seen(beside_2=600), LEANING, clicks=True)}
        assert found[FindingKind.PARTNERS].items == (0, 2)
        assert found[FindingKind.PARTNERS].detail == {"beside_it": 0.2, "beside_others": 0.3}
        assert FindingKind.PARTNERS not in kinds(check(self.seen(beside_2=600), D_ALONE, clicks=True))

    def test_the_same_with_all_partners(self) -> None:
        assert check(self.seen(beside_2=870), LEANING, clicks=True) == ()


class TestNeverBoth:
    def seen(self, *, both: int, n: int = 1000) -> Evidence:
        one = int(0.35 * n)
        return evidence(3, *((i, j, 1, n, 0.3 * n, one + both, one) for i, j in ((0, 1), (0, 2), (1, 2))))

    def test_no_impression_with_two_clicks(self) -> None:
        (found,) = check(self.seen(both=0), LEANING, clicks=True)
        assert (found.kind, found.items) == (FindingKind.NEVER_BOTH, ())
        assert found.detail["expected"] == pytest.approx(3000 * 0.35**2)

    def test_a_few_are_enough(self) -> None:
        assert check(self.seen(both=1), LEANING, clicks=True) == ()

    def test_too_early_to_say_or_no_matter(self) -> None:
        assert check(self.seen(both=0, n=260), LEANING, clicks=True) == ()
        assert check(self.seen(both=0), D_ALONE, clicks=True) == ()


class TestDrift:
    def test_of_a_pair(self) -> None:
        rows: list[Row] = [(1, 2, v, 400, 300.0 if v < 4 else 200.0, 0, 0) for v in range(1, 8)]
        (found,) = check(evidence(4, (0, 3, 1, 900, 0.0, 0, 0), *rows), D_ALONE, clicks=False)
        assert (found.kind, found.suspends, found.items) == (FindingKind.DRIFT, True, (1, 2))
        numbers = {"until_version": 3.0, "early": 0.25, "late": 0.5, "early_shown": 1200.0, "late_shown": 1600.0}
        assert found.detail == numbers

    def test_of_an_item_with_changing_partners(self) -> None:
        """No pair was shown in two plans, so only the clicks on the item show it."""
        early: list[Row] = [(0, k, 1, 40, 28.0, 12, 1) for k in range(1, 16)]
        late: list[Row] = [(0, k, 2, 40, 37.0, 3, 1) for k in range(16, 31)]
        seen = evidence(31, *early, *late)
        (found,) = check(seen, LEANING, clicks=True)
        assert (found.kind, found.items) == (FindingKind.DRIFT, (0,))
        assert (found.detail["early"], found.detail["late"]) == (0.3, 0.075)
        assert check(seen, D_ALONE, clicks=True) == (), "partners may matter where no bound forbids it"

    def test_no_change(self) -> None:
        rows: list[Row] = [(1, 2, v, 400, 300.0 - 4 * (v % 3), 0, 0) for v in range(1, 8)]
        assert check(evidence(4, *rows), D_ALONE, clicks=False) == ()


class TestSilence:
    def test_feedback_lost_unevenly_suspends(self) -> None:
        i, j = np.triu_indices(4, 1)
        silent = np.array([80, 20, 20, 20, 20, 20])
        unanswered = Unanswered(i, j, np.ones(6, dtype=np.int64), 100 - silent, silent, 2)
        seen = Evidence.empty(4).add(i, j, 1, 100 - silent, (100 - silent) / 2)
        (found,) = check(seen, D_ALONE, silence=unanswered, clicks=False)
        assert (found.kind, found.suspends, found.items) == (FindingKind.SILENCE, True, (0, 1))
        assert found.detail == {"unanswered": 0.8, "expected": 0.3, "shown": 100.0}

    def only_clicks(self, clicks: int, silent: int, without: int = 0) -> tuple[Finding, ...]:
        one = np.array([1])
        seen = Evidence.empty(3).add(one - 1, one, 1, np.array([clicks + without]), np.array([float(without)]))
        unanswered = Unanswered(one - 1, one, one, np.array([clicks + without]), np.array([silent]), 1)
        return check(seen, D_ALONE, silence=unanswered, clicks=False)

    def test_only_clicks_while_many_impressions_are_unanswered(self) -> None:
        (found,) = self.only_clicks(ONLY_CLICKS, 100)
        assert (found.kind, found.suspends) == (FindingKind.ONLY_CLICKS, True)
        assert found.detail == {"clicks": float(ONLY_CLICKS), "unanswered": 100 / (100 + ONLY_CLICKS)}

    def test_too_few_or_answered_or_not_only_clicks(self) -> None:
        assert self.only_clicks(ONLY_CLICKS - 1, 100) == ()
        assert self.only_clicks(ONLY_CLICKS, ONLY_CLICKS // 5) == (), "all may have been clicked"
        assert self.only_clicks(ONLY_CLICKS, 100, without=1) == ()


class TestLate:
    SEEN = Evidence.empty(3).add(np.array([0]), np.array([1]), 1, np.array([200]), np.array([160.0]))

    def check(self, *, late_clicks: int, model: Model = Model.STOCHASTIC) -> tuple[Finding, ...]:
        one = np.array([1])
        late = LateAnswers(one, 200 * one, 40 * one, 50 * one, late_clicks * one, closed_before=2, look=2)
        asked = Problem(n_items=3, goal=Goal(0.1), delta=0.1, model=model)
        return findings(asked, self.SEEN, Choices(), D_ALONE, Unanswered.none(), late)

    def test_late_answers_with_more_clicks_suspend(self) -> None:
        (found,) = self.check(late_clicks=40)
        assert (found.kind, found.suspends, found.items) == (FindingKind.LATE, True, ())
        assert found.detail == {"clicked": 0.8, "expected": 0.2, "late": 50.0}

    def test_the_same_share_or_exact_values(self) -> None:
        assert self.check(late_clicks=10) == ()
        assert self.check(late_clicks=40, model=Model.DETERMINISTIC) == ()

    def test_the_checks_share_the_false_alarms(self) -> None:
        """Seven kinds, and drift is looked for in pairs and in items."""
        assert (len(FindingKind) + 1) * ALARM_PER_CHECK <= FALSE_ALARMS


def test_deterministic_values_are_not_coins() -> None:
    seen = evidence(3, (0, 1, 1, 5000, 2500.0, 0, 0), (0, 1, 2, 5000, 500.0, 0, 0))
    exact = Problem(n_items=3, goal=Goal(0.1), delta=0.1, model=Model.DETERMINISTIC)
    assert findings(exact, seen, Choices(), D_ALONE, Unanswered.none()) == ()


def test_nothing_seen_nothing_found() -> None:
    for clicks in (False, True):
        assert check(Evidence.empty(5), LEANING, clicks=clicks) == ()


class TestPlanted:
    """Whole sessions in worlds that break an assumption: the right kind is found, soon after it could be."""

    K = 8

    def population(self, seed: int) -> Population:
        return mixture("pref", self.K, 2, np.random.default_rng(seed))

    @pytest.mark.parametrize("seed", range(4))
    def test_a_population_that_changes_midway(self, seed: int) -> None:
        """All items lose half of their clicks."""
        before = self.population(seed)
        assert before.shares is not None
        assert before.click_probabilities is not None
        after = Population.mixture(before.shares, before.click_probabilities / 2)
        world = changing(of(before), of(after), since=20)
        moments = watch(Lucb(), problem(self.K, epsilon=0.04), world, seed=seed)
        found = next(one for moment in moments for one in moment.findings())
        assert found.kind is FindingKind.DRIFT
        assert found.detail["late"] < found.detail["early"]

    @pytest.mark.parametrize("seed", range(4))
    def test_a_click_that_hides_the_other_slot(self, seed: int) -> None:
        asked = problem(self.K, item_clicks=True, epsilon=0.04)
        moments = watch(Leaning(), asked, hiding(of(self.population(seed))), seed=seed)
        found = next(one for moment in moments for one in moment.findings())
        assert found.kind in {FindingKind.NEVER_BOTH, FindingKind.PARTNERS, FindingKind.STRUCTURE}

    @pytest.mark.parametrize("seed", range(4))
    def test_impressions_without_a_click_are_not_reported(self, seed: int) -> None:
        world = of(self.population(seed))
        moments = watch(Lucb(), problem(self.K), world, seed=seed, loss=lambda _, __: (0.0, 1.0))
        found = next(one for moment in moments for one in moment.findings())
        assert found.kind in {FindingKind.ONLY_CLICKS, FindingKind.SILENCE}

    @pytest.mark.parametrize("seed", range(4))
    def test_one_in_ten_impressions_without_a_click_is_reported(self, seed: int) -> None:
        world = of(mixture("clus", self.K, 2, np.random.default_rng(seed)))
        moments = watch(Lucb(), problem(self.K, epsilon=0.05), world, seed=seed, loss=lambda _, __: (0.0, 0.9))
        found = next(one for moment in moments for one in moment.findings())
        assert found.kind is FindingKind.SILENCE

    @pytest.mark.parametrize("seed", range(4))
    def test_a_third_of_the_clicks_are_late(self, seed: int) -> None:
        world = of(mixture("clus", self.K, 2, np.random.default_rng(seed)))
        moments = watch(
            Lucb(), problem(self.K, epsilon=0.05), world, seed=seed, loss=lambda _, __: (1 / 3, 0.0), late_per_look=0.3
        )
        found = next(one for moment in moments for one in moment.findings() if one.kind is FindingKind.LATE)
        assert found.detail["clicked"] > found.detail["expected"]


@pytest.mark.parametrize(
    ("epsilon", "most", "too_large"),
    [(0.05, 1.0, False), (0.05, 0.1, False), (0.0501, 0.1, True), (0.05, 0.0999, True), (0.05, 0.03, True)],
)
def test_epsilon_is_at_most_half_of_what_the_leader_can_earn(epsilon: float, most: float, *, too_large: bool) -> None:
    """With exactly half, a pair that passes earns at least half as much as the leader."""
    assert epsilon_is_too_large(epsilon, most) is too_large
