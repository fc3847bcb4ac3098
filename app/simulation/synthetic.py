"""The paper's synthetic populations (appendix, "Additional experimental results")."""

import numpy as np

from app.simulation.population import InvalidPopulation, Population


def synthetic(n_items: int, rank: int, rng: np.random.Generator) -> Population:
    """Returns L = X X^T / max(X X^T), X uniform on [0, 1]^(K x r): rank r, but not exactly a mixture of r groups.

    The maximum of a Gram matrix is on its diagonal, so dividing by it needs the row norms of X only.
    """
    if n_items < 2:
        raise InvalidPopulation("items", f"a pair needs at least 2 items, got {n_items}")
    if rank < 1:
        raise InvalidPopulation("rank", f"must be at least 1, got {rank}")
    x = rng.random((n_items, rank))  # (K, r)
    largest = np.sum(x**2, axis=1).max()
    return Population.from_factor(x / np.sqrt(largest))
