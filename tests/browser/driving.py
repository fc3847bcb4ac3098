"""A simulated ad server, and items with realistic labels."""

import time
from collections.abc import Callable

import numpy as np

from app.client import Client
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from app.wire.best_pair import BestPair
from app.wire.serving import Feedback
from app.wire.sessions import ItemIn

_COLOURS = ("Blue", "Red", "Green", "Black", "White", "Yellow", "Grey", "Orange")
_THINGS = ("shoes", "hat", "scarf", "jacket", "backpack", "watch", "sunglasses", "umbrella")
PAIRS_PER_CALL = 1000
MOST_CALLS = 400
"""More than any session of these tests needs; a session that needs more fails instead of hanging."""


def shop_items(n: int) -> list[ItemIn]:
    """Returns `n` items with realistic labels."""
    return [
        ItemIn(id=f"ad-{k + 1}", label=f"{_COLOURS[(k + k // 8) % 8]} {_THINGS[k // 8 % 8]}{' II' * (k >= 64)}")
        for k in range(n)
    ]


def population(n_items: int, seed: int = 1, family: str = "ads20") -> Population:
    """Returns two groups of users with different preferences."""
    return mixture(family, n_items, 2, np.random.default_rng(seed))


def serve(
    client: Client,
    session_id: str,
    users: Population,
    *,
    until: Callable[[BestPair], bool] = lambda best: best.verdict != "not_yet",
    per_call: int = PAIRS_PER_CALL,
    seed: int = 1,
) -> BestPair:
    """Shows pairs and reports clicks until `until` holds for the best pair; returns it."""
    rng = np.random.default_rng(seed)
    for _ in range(MOST_CALLS):
        best = client.best_pair(session_id)
        if until(best):
            return best
        shown = [pair for pair in client.next_pairs(session_id, per_call) if pair.purpose == "explore"]
        if not shown:
            time.sleep(0.05)  # the next plan is being made
            continue
        i, j = (np.array([getattr(pair, name) for pair in shown]) for name in ("i", "j"))
        clicked = rng.random(len(shown)) >= users.loss(i, j)
        rewards = zip(shown, clicked.tolist(), strict=True)
        client.feedbacks(session_id, [Feedback(ticket=pair.ticket, reward=int(click)) for pair, click in rewards])
    raise AssertionError(f"no verdict after {MOST_CALLS} calls: {client.best_pair(session_id)}")
