"""A believable shop for the demo: 24 ads, three kinds of visitors who do not say which kind they are.

Of single ads the second and third best please everybody a little. The best *pair* is made of the first and the fourth:
each wins the kind of visitor that the other leaves cold.
"""

from dataclasses import dataclass

import numpy as np

from app.simulation.population import Population

SHARES = (0.46, 0.40, 0.14)
"""Runners, commuters, parents."""

# (what people see, how often a runner, a commuter, a parent clicks it). By hand: favourites of each kind, some that
# please everybody a little, and, as in every shop, a tail that hardly anybody clicks.
_ADS = (
    ("Trail running shoes", 0.60, 0.04, 0.06),
    ("Carbon race shoes", 0.34, 0.02, 0.02),
    ("GPS sports watch", 0.27, 0.08, 0.05),
    ("Compression socks", 0.16, 0.03, 0.02),
    ("Energy gels, box of 24", 0.13, 0.01, 0.01),
    ("Noise-cancelling headphones", 0.03, 0.58, 0.07),
    ("Folding bike", 0.08, 0.27, 0.06),
    ("Laptop backpack", 0.06, 0.28, 0.08),
    ("Thermos mug", 0.07, 0.17, 0.09),
    ("Umbrella, storm-proof", 0.03, 0.12, 0.07),
    ("Balance bike for kids", 0.02, 0.03, 0.38),
    ("Rain suit for kids", 0.02, 0.02, 0.26),
    ("Lunch boxes, set of 3", 0.03, 0.07, 0.21),
    ("Board game of the year", 0.06, 0.09, 0.24),
    ("Winter sale: 30 % off", 0.27, 0.28, 0.30),
    ("Gift card", 0.25, 0.27, 0.26),
    ("Free shipping weekend", 0.18, 0.19, 0.21),
    ("Members get 10 % back", 0.12, 0.13, 0.12),
    ("Our newsletter", 0.02, 0.03, 0.03),
    ("Garden gloves", 0.02, 0.02, 0.05),
    ("Desk lamp", 0.03, 0.08, 0.04),
    ("Scented candle", 0.02, 0.04, 0.05),
    ("Printer paper", 0.01, 0.03, 0.02),
    ("Phone case", 0.05, 0.09, 0.06),
)


@dataclass(frozen=True)
class Shop:
    """The ads (an id and a label each) and the people who see them."""

    ads: tuple[tuple[str, str], ...]
    population: Population


def shop() -> Shop:
    """Returns the shop; always the same."""
    ads = tuple((f"ad-{number:02d}", label) for number, (label, *_) in enumerate(_ADS, start=1))
    clicks = np.array([rates for _, *rates in _ADS]).T  # (3, K)
    return Shop(ads, Population.mixture(SHARES, clicks))
