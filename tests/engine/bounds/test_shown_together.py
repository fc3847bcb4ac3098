"""Bound I of shown pairs: each part against a plain search in its region, weights, and the limit of many samples."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from app.engine.bounds import shown_together
from app.engine.bounds.shown_together import NO_BET, Apart, Together, lower_together
from app.engine.confidence import log_price, lower_end

LEVEL = 3.0
OWN = Together(*(np.array([count]) for count in (300, 150.0, 70.0, 60.0)))
I_APART = Apart(np.array([900]), np.array([600.0]), np.array([0.7]))
J_APART = Apart(np.array([700]), np.array([500.0]), np.array([0.65]))


def log_martingale(one: Apart, p: float) -> float:
    """log M(p) of an item, written out."""
    n, s = float(one.n[0]), float(one.s[0])
    at_mean = float(log_price(one.n, one.s, one.d)[0])
    return at_mean + s * math.log(s / n / p) + (n - s) * math.log((n - s) / n / (1 - p))


def least(weight: float, one: Apart, m: float) -> float:
    """The least of weight * p + m log M(p), by search."""
    found = minimize_scalar(
        lambda p: weight * p + m * log_martingale(one, p), bounds=(1e-6, 1 - 1e-6), options={"xatol": 1e-12}
    )
    return float(found.fun)


def expected_of_bet(g: float, level: float) -> float:
    """What one bet says, from Z as random values, one impression at a time."""
    d_i, d_j = 0.7, 0.65
    q = [(1, 1)] * 150 + [(0, 1)] * 70 + [(1, 0)] * 60 + [(0, 0)] * 20  # 1: not clicked
    Z = [(a - d_i) * (b - d_j) for a, b in q]
    B = -min(Z)
    m = B / (g * len(Z))
    purse = sum(math.log(1 + g * z / B) for z in Z)
    return m * (purse - level) + least(d_j, I_APART, m) + least(d_i, J_APART, m) - d_i * d_j


def alone(monkeypatch: pytest.MonkeyPatch, bets: tuple[float, ...], no_bet: float) -> float:
    monkeypatch.setattr(shown_together, "BETS", bets)
    monkeypatch.setattr(shown_together, "NO_BET", no_bet)
    return float(lower_together(OWN, I_APART, J_APART, LEVEL)[0])


@pytest.mark.parametrize("g", [0.1, 0.3, 0.6])
def test_a_bet_is_the_least_of_its_region(g: float, monkeypatch: pytest.MonkeyPatch) -> None:
    found = alone(monkeypatch, (g,), 1e-9)
    assert found == pytest.approx(expected_of_bet(g, LEVEL), abs=1e-8)


def test_every_part_pays_for_its_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    found = alone(monkeypatch, (0.1, 0.1, 0.1, 0.1), 0.2)  # four bets share .8
    assert found == pytest.approx(expected_of_bet(0.1, LEVEL + math.log(1 / 0.2)), abs=1e-8)


def test_without_a_bet_own_impressions_count_for_one_item_only(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = Apart(np.array([60]), np.array([59.0]), np.array([0.95]))
    own = Together(np.array([90]), np.array([60.0]), np.array([29.0]), np.array([1.0]))  # 29 clicks on i, one on j
    monkeypatch.setattr(shown_together, "RATIOS", tuple(np.geomspace(0.2, 20, 400)))
    found = float(lower_together(own, I_APART, weak, LEVEL)[0])
    pooled = Apart(np.array([150]), np.array([148.0]), np.array([0.95]))
    level = LEVEL + math.log(2 / NO_BET)
    expected = max(least(1.0, I_APART, m) + least(1.0, pooled, m) - 1 - m * level for m in np.geomspace(1e-4, 1, 400))
    assert found == pytest.approx(expected, abs=1e-4)


def test_the_ratios_find_the_best_multiplier_where_clicks_are_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = Apart(np.array([77]), np.array([76.0]), np.array([0.97]))
    strong = Apart(np.array([8000]), np.array([5600.0]), np.array([0.7]))
    few = Together(*(np.array([count]) for count in (1, 1.0, 0.0, 0.0)))
    found = float(lower_together(few, strong, weak, LEVEL)[0])
    monkeypatch.setattr(shown_together, "RATIOS", tuple(np.geomspace(0.05, 50, 500)))
    assert found == pytest.approx(float(lower_together(few, strong, weak, LEVEL)[0]), abs=0.003)


def test_many_samples_tell_the_pair_apart_from_its_items() -> None:
    # p_i = .6, p_j = .7, L = .48: clicks on the two avoid each other, and the centres are off by .1.
    n = 4_000_000
    own = Together(*(np.array([part * n]) for part in (1, 0.48, 0.22, 0.12)))
    i = Apart(np.array([n]), np.array([0.6 * n]), np.array([0.7]))
    j = Apart(np.array([n]), np.array([0.7 * n]), np.array([0.6]))
    found = float(lower_together(own, i, j, LEVEL)[0])
    assert 0.478 - 0.012 <= found <= 0.48


def test_its_own_impressions_tell_more_than_they_do_directly() -> None:
    # Items known well, 400 impressions together; the pair's answers alone, guided by the same guess, at the same level.
    big = 200_000
    i = Apart(np.array([big]), np.array([0.7 * big]), np.array([0.7]))
    j = Apart(np.array([big]), np.array([0.7 * big]), np.array([0.7]))
    own = Together(*(np.array([count]) for count in (400, 196.0, 84.0, 84.0)))
    by_clicks = 0.49 - float(lower_together(own, i, j, LEVEL)[0])
    by_answers = 0.49 - float(lower_end(own.n, own.neither, LEVEL, np.array([0.49]))[0])
    assert by_clicks < 0.8 * by_answers
