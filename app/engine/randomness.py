"""Random generators, one stream per purpose, so that no two parts of the program use the same random numbers.

numpy pads a list of seeds with zeros: [s, v] and [s, v, 0] are one stream. The purpose comes first and is never 0.
"""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a random generator is used for."""

    PLAN = 1  # choices of a policy, by seed and plan version
    ARMS = 2  # the random part of the pairs that a small budget starts from, by seed and the version it began with
    HANDOUT = 3  # the shuffle of a plan, by seed, version and chunk
    USERS = 4  # simulated users, by seed


def source(purpose: Purpose, *words: int) -> np.random.Generator:
    """Returns the generator of this purpose and these words, the same every time."""
    return np.random.default_rng([purpose, *words])
