"""All bounds together: the best of each, which kind it was, and the assumptions that mattered."""

import math
from dataclasses import replace

import numpy as np
import pytest

from app.engine.arrays import Pair, pair_items
from app.engine.bounds import Bounds, Contrasts, Kind, combined
from app.engine.bounds.combined import combined_bounds
from app.engine.bounds.contrast import MarginalBounds, contrasts
from app.engine.bounds.direct import direct_bounds
from app.engine.bounds.item_clicks import item_click_bounds
from app.engine.bounds.screening import blank_bounds
from app.engine.certificate import assess
from app.engine.choices import Blank, Choices, Nominee, Outlook
from app.engine.delta_shares import Shares
from app.engine.evidence import Evidence
from app.engine.problem import Goal, Problem
from tests.engine.driver import evidence_from_rows

SHARES = Shares(upper=0.1, nominees=0.1, direct=0.4, screening=0.4)
PROBLEM = Problem(n_items=6, goal=Goal(0.1), delta=0.1)
BLANKS = Choices(blanks=(Blank(1, 5, (0.9,) * 6), Blank(2, 4, (0.9,) * 6)))


def evidence() -> Evidence:
    """Returns a strong pair (0, 1), shown often, and two columns of weak items."""
    rows = [(0, 1, 1, 5000, 1000.0)]
    rows += [(i, 5, 2, 400, 390.0) for i in range(2, 5)]
    rows += [(i, 4, 3, 4000, 3900.0) for i in (0, 1, 2, 3, 5)]
    return evidence_from_rows(6, rows)


def test_each_blank_has_its_own_portion_and_the_highest_bound_wins() -> None:
    found = combined_bounds(PROBLEM, evidence(), BLANKS, SHARES)
    direct = direct_bounds(evidence(), None, 0.01, 0.04)
    first = blank_bounds(evidence(), BLANKS.blanks[0], math.log(2 / 0.04))
    second = blank_bounds(evidence(), BLANKS.blanks[1], math.log(6 / 0.04))
    np.testing.assert_allclose(found.lower, np.maximum(direct.lower, np.maximum(first, second)), atol=1e-14)
    np.testing.assert_array_equal(found.upper, direct.upper)
    assert found.binding is not None
    assert set(found.binding[found.lower > direct.lower].tolist()) == {Kind.SCREENING}
    assert set(found.binding[found.lower == direct.lower].tolist()) == {Kind.DIRECT}


def test_item_clicks_have_a_share_of_their_own() -> None:
    K = 4
    i, j = pair_items(np.arange(6), K)
    clicks = (np.full(6, 30), np.full(6, 25))
    seen = Evidence.empty(K).add(i, j, 1, np.full(6, 1000), np.full(6, 950.0), clicks)
    problem = Problem(n_items=K, goal=Goal(0.1), delta=0.1, item_clicks=True)
    found = combined_bounds(problem, seen, Choices(), replace(SHARES, screening=0.0, clicks=0.4))
    direct = direct_bounds(seen, None, 0.01, 0.04)
    expected = np.maximum(direct.lower, item_click_bounds(seen, None, math.log(1 / 0.04)))
    np.testing.assert_allclose(found.lower, expected, atol=1e-14)
    plain = combined_bounds(Problem(n_items=K, goal=Goal(0.1), delta=0.1), seen, Choices(), SHARES)
    np.testing.assert_array_equal(plain.lower, direct.lower)


def test_assumptions_are_named_where_they_decide() -> None:
    assert combined_bounds(PROBLEM, evidence(), BLANKS, SHARES).assumptions == ("mixture",)
    # The same column of samples, but every pair was measured directly beyond what screening says.
    i, j = pair_items(np.arange(15), 6)
    rest = (i != 0) | (j != 1)
    direct = evidence().add(i[rest], j[rest], 4, np.full(14, 30_000), np.full(14, 29_000.0))
    assert combined_bounds(PROBLEM, direct, BLANKS, SHARES).assumptions == ()


def test_a_nominee_leads_with_its_own_upper_bound() -> None:
    named = Choices(nominees=(Nominee(1, Pair(0, 1), 0.2),))
    seen = evidence().add(np.array([0]), np.array([1]), 2, np.array([50_000]), np.array([10_000.0]))
    plain, with_name = (combined_bounds(PROBLEM, seen, c, SHARES) for c in (Choices(), named))
    assert 0.2 < with_name.upper[0] < plain.upper[0]
    assert np.array_equal(with_name.upper[1:], plain.upper[1:])


def test_the_leader_may_be_the_pair_with_the_lowest_lower_bound() -> None:
    # (0, 1) has the lowest upper bound, but (0, 2), hardly worse, is known so badly that it stands in the way; seen
    # from (0, 2) itself no pair does.
    rows = [(0, 1, 1, 300, 60.0), (0, 2, 1, 4, 0.0), (1, 2, 1, 100_000, 60_000.0)]
    seen = evidence_from_rows(3, rows)
    found = assess(Problem(n_items=3, goal=Goal(0.9), delta=0.3), seen)
    gaps = [found.gap_of(k) for k in range(3)]
    assert found.gap == pytest.approx(min(gaps))
    assert found.leader_index == int(np.argmin(gaps))


class TestContrasts:
    """Items with the same click rate for all partners, a nominee, and plans with outlooks."""

    K = 4
    SHARES = Shares(upper=0.1, nominees=0.1, direct=0.1, clicks=0.3, contrasts=0.4)
    PROBLEM = Problem(n_items=4, goal=Goal(0.06), delta=0.1, item_clicks=True)
    NOMINEES = (Nominee(1, Pair(2, 3), 0.5), Nominee(1, Pair(0, 1), 0.3))
    P = (0.6, 0.55, 0.8, 0.85)

    def choices(self) -> Choices:
        i, j = pair_items(np.arange(6), self.K)
        outlook = Outlook(
            version=1,
            items=(0, 1, 2, 3),
            shown=(1200,) * 4,
            unclicked=self.P,
            pairs=tuple(zip(i.tolist(), j.tolist(), strict=True)),
            planned=(400,) * 6,
            values=tuple(np.round(np.array(self.P)[i] * np.array(self.P)[j], 4).tolist()),
        )
        return Choices(nominees=self.NOMINEES, outlooks=(outlook,))

    def seen(self) -> Evidence:
        i, j = pair_items(np.arange(6), self.K)
        p = np.array(self.P)
        clicks = tuple(np.round(400 * (1 - p[item])).astype(np.int64) for item in (i, j))
        return Evidence.empty(self.K).add(i, j, 2, np.full(6, 400), np.round(400 * p[i] * p[j]), (clicks[0], clicks[1]))

    def test_each_nominee_has_its_own_portion(self) -> None:
        found = combined_bounds(self.PROBLEM, self.seen(), self.choices(), self.SHARES)
        assert [one.nominee for one in found.contrasts] == [5, 0]
        marginal = MarginalBounds(found.lower, found.upper)
        for one, nominee, part in zip(found.contrasts, self.NOMINEES, (2, 6), strict=True):
            share = 0.4 * 0.1 / part
            again = contrasts(self.seen(), self.choices(), nominee, share, self.PROBLEM.goal.epsilon, marginal)
            assert again is not None
            np.testing.assert_array_equal(one.difference, again.difference)

    def test_they_raise_lower_bounds_given_the_nominee_and_no_others(self) -> None:
        found = combined_bounds(self.PROBLEM, self.seen(), self.choices(), self.SHARES)
        without = combined_bounds(self.PROBLEM, self.seen(), self.choices(), replace(self.SHARES, contrasts=0.0))
        np.testing.assert_array_equal(found.lower, without.lower)
        assert without.contrasts == ()
        beside, one = found.lower_given_leader(0), found.contrasts[1]
        np.testing.assert_array_equal(found.lower_given_leader(3), found.lower)  # no nominee
        assert np.all(beside >= found.lower)
        raised = beside > found.lower
        assert raised.any()
        np.testing.assert_allclose((found.upper[0] + one.difference)[raised[one.rivals]], beside[raised], atol=1e-14)

    def test_a_nominee_is_certified_by_them(self) -> None:
        found = assess(self.PROBLEM, self.seen(), self.choices(), self.SHARES)
        assert found.leader == Pair(0, 1)
        assert found.certified
        assert found.gap == pytest.approx(max(0.0, -float(found.bounds.contrasts[1].difference.min())))
        assert found.bounds.upper[0] - np.delete(found.bounds.lower, 0).min() > self.PROBLEM.goal.epsilon
        assert len(found.contenders) == 0

    def test_they_assume_that_clicks_do_not_depend_on_the_partner(self) -> None:
        found = combined_bounds(self.PROBLEM, self.seen(), self.choices(), replace(self.SHARES, clicks=0.0))
        assert found.assumptions == ("slots-independent",)
        assert combined_bounds(self.PROBLEM, self.seen(), Choices(), replace(self.SHARES, clicks=0.0)).assumptions == ()

    def test_assumptions_are_those_of_the_pair_that_leads(self) -> None:
        """A nominee may lead with an upper bound that is not the lowest: its assumptions are named too."""
        direct = np.array([0.1, 0.32, 0.35, 0.6, 0.6, 0.6])
        upper = np.array([0.5, 0.4, 0.9, 0.9, 0.9, 0.9])
        rivals = np.arange(1, 6)
        beside = Contrasts(0, rivals, np.array([-0.05, 0.0, 0.0, 0.0, 0.0]), np.ones(5))
        bounds = Bounds(direct, upper, (), contrasts=(beside,))
        assert bounds.leader(self.PROBLEM.goal) == 0
        assert combined.assumptions_of(self.PROBLEM, direct, [], bounds) == ("slots-independent",)
        assert combined.assumptions_of(self.PROBLEM, direct, [], bounds._replace(contrasts=())) == ()
