"""Bets of contrasts: valid outlooks, which rivals they bet on, and how much."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from app.engine.arrays import Pair
from app.engine.bounds.contrast_bets import LARGEST_LOSS, MIN_MARGIN, Bets
from app.engine.choices import Choices, Outlook
from tests.engine.bounds.test_contrast import EPSILON, NOMINEE, OF_PAIRS, OUTLOOK, D, K, one_by_one


@pytest.mark.parametrize("planned", [(1, 1, 1, 1), (40, 30, 25, 10), (4000, 3000, 2500, 1000)])
def test_no_outcome_costs_more_than_it_may(planned: tuple[int, ...]) -> None:
    scale = planned[0] / 40
    outlook = replace(OUTLOOK, planned=planned, shown=tuple(max(1, int(n * scale)) for n in OUTLOOK.shown))
    bets = Bets(outlook, NOMINEE, EPSILON)
    d = dict(enumerate(D))
    for row in range(len(bets.rivals)):
        y = [one_by_one(bets, row, pair, cell, d, outlook) for pair in combinations(range(K), 2) for cell in range(4)]
        assert min(y) >= -LARGEST_LOSS - 1e-12
    assert bets.bet_size.max() > 0


def test_others_are_the_lowest_pairs_of_items_that_are_not_listed() -> None:
    rng = np.random.default_rng(7)
    items = np.sort(rng.choice(900, 300, replace=False))
    d = np.round(rng.beta(8, 2, 300), 4)
    outlook = Outlook(
        1, tuple(items.tolist()), (1,) * 300, tuple(d.tolist()), ((int(items[0]), int(items[1])),), (1,), (0.5,)
    )
    u, v = np.triu_indices(300, 1)
    lowest = np.sort((d[u] + d[v])[1:])
    found = outlook.by_item(outlook.unclicked, 0.0)[outlook.others].sum(axis=1)
    assert np.sort(found) == pytest.approx(lowest[: len(found)])
    assert len(np.unique(outlook.others, axis=0)) == len(found) > 1900


def test_rivals_by_items_are_thought_to_lose_by_them() -> None:
    bets = Bets(OUTLOOK, NOMINEE, EPSILON)
    least = np.array([D[i] + D[j] - 1 for i, j in bets.rivals[~bets.listed]])
    assert np.all(least + EPSILON - 0.33 >= MIN_MARGIN * EPSILON)
    assert not {tuple(pair) for pair in bets.rivals[~bets.listed].tolist()} & set(OUTLOOK.pairs)


@pytest.mark.parametrize(
    "change",
    [
        {"planned": (40, 30)},
        {"values": (0.3,)},
        {"shown": ()},
        {"items": (1, 0, 2, 3, 4, 5)},
        {"unclicked": (1.0,) * 6},
        {"pairs": ((1, 3), (0, 1), (4, 2), (3, 5))},
        {"pairs": ((1, 3), (0, 1), (0, 1), (3, 5))},
    ],
)
def test_what_cannot_be_expected_is_refused(change: dict[str, tuple[float, ...]]) -> None:
    with pytest.raises(ValueError, match="outlook"):
        replace(OUTLOOK, **change)  # type: ignore[arg-type] # fields of several types


def test_an_outlook_survives_storage() -> None:
    assert Outlook.from_json(OUTLOOK.to_json()) == OUTLOOK
    choices = Choices(outlooks=(OUTLOOK, replace(OF_PAIRS, version=5)))
    assert Choices.from_plain(choices.to_plain()) == choices
    older = {name: part for name, part in Choices().to_plain().items() if name != "outlooks"}
    assert Choices.from_plain(older) == Choices()


def test_bets_of_running_sessions_do_not_change() -> None:
    """Bets are recomputed from the outlooks of all past plans: another constant would change them after the fact.

    If this fails and is meant to, give the share of contrasts another name (`Shares`): sessions under way are then put
    on hold, instead of proving something by bets that nobody laid.
    """
    outlook = Outlook(
        version=4,
        items=tuple(range(80)),
        shown=tuple(range(100, 180)),
        unclicked=tuple(np.linspace(0.3, 0.999, 80).round(4).tolist()),
        pairs=((0, 1), (0, 2), (1, 2), (0, 3), (60, 79)),
        planned=(400, 300, 25, 2, 0),
        values=(0.2, 0.21, 0.15, 0.9, 0.999),
    )
    bets = Bets(outlook, Pair(0, 1), 0.05)
    assert len(bets.rivals) == 948
    np.testing.assert_allclose(bets.bet_size[:4], [67.2073973, 5.85882906, 1.35042029, 1.98919210], rtol=1e-6)
    assert bets.bet_size.sum() == pytest.approx(28415.26992, rel=1e-6)
