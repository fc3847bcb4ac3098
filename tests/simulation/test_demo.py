"""The shop of the demo: its best pair does not consist of its two best ads."""

import numpy as np

from app.simulation.demo import SHARES, shop


def test_best_pair_is_not_the_two_best_ads() -> None:
    store = shop()
    assert store.population.click_probabilities is not None
    liked = np.argsort(-(np.array(SHARES) @ store.population.click_probabilities))
    best = store.population.best_pair()
    labels = [label for _, label in store.ads]
    assert {labels[best.i], labels[best.j]} == {"Trail running shoes", "Noise-cancelling headphones"}
    assert {best.i, best.j} == {liked[0], liked[3]}
    assert store.population.error(int(liked[0]), int(liked[1])) > 0.03


def test_ids_and_labels_are_different() -> None:
    ids, labels = zip(*shop().ads, strict=True)
    assert len(set(ids)) == len(set(labels)) == shop().population.n_items
