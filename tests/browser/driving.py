"""A simulated ad server, and items with realistic labels."""

import time
from collections.abc import Callable

import numpy as np

from app.client import Client
from app.simulation.mixtures import mixture
from app.simulation.population import Population
from app.simulation.users import Users
from app.wire.best_pair import BestPair
from app.wire.serving import Feedback, Impression
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
    """Shows pairs and reports clicks (by item if the session asks for it) until `until` holds for the returned pair."""
    rng = np.random.default_rng(seed)
    by_item = client.get_session(session_id).feedback == "items"
    for _ in range(MOST_CALLS):
        best = client.best_pair(session_id)
        if until(best):
            return best
        shown = [pair for pair in client.next_pairs(session_id, per_call) if pair.purpose == "explore"]
        if not shown:
            time.sleep(0.05)  # the next plan is being made
            continue
        i, j = (np.array([getattr(pair, name) for pair in shown]) for name in ("i", "j"))
        clicks = zip(shown, *(each.tolist() for each in Users(users).click(i, j, rng)), strict=True)
        client.feedbacks(session_id, [_feedback(pair, clicked, by_item) for pair, *clicked in clicks])
    raise AssertionError(f"no verdict after {MOST_CALLS} calls: {client.best_pair(session_id)}")


def _feedback(pair: Impression, clicked: list[bool], by_item: bool) -> Feedback:
    if not by_item:
        return Feedback(ticket=pair.ticket, reward=int(any(clicked)))
    return Feedback(
        ticket=pair.ticket, clicked=[item for item, click in zip(pair.items, clicked, strict=True) if click]
    )
