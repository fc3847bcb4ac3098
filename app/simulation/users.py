"""Simulated users of a population: counts of a whole batch of impressions, or the response to a single one."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from app.engine.arrays import BoolArray, FloatArray, IntArray
from app.engine.problem import Model
from app.simulation.population import InvalidPopulation, Population


@dataclass(frozen=True)
class Impression:
    """Items i and j shown to one user at a time in seconds; the response refers to the ticket."""

    ticket: str
    i: int
    j: int
    issued_at: float


@dataclass(frozen=True)
class Response:
    """What one user did, and when the ad server learns of it.

    `reward` is 1 for a click on either item and 0 for none (the exact probability in the deterministic model);
    `clicked` lists the clicked items in the order of the slots, or is None where that is not known.
    """

    ticket: str
    reward: float
    clicked: tuple[int, ...] | None
    arrives_at: float


class ItemOutcomes(NamedTuple):
    """Counts of the four possible outcomes of an impression, one entry per requested pair."""

    neither: IntArray  # (m,)
    only_i: IntArray  # (m,)
    only_j: IntArray  # (m,)
    both: IntArray  # (m,)


@dataclass(frozen=True, eq=False)
class Users:
    """Users drawn independently from a population; `model` selects random or exact responses in `respond`."""

    population: Population
    model: Model = Model.STOCHASTIC

    def no_click_counts(
        self, i: IntArray | int, j: IntArray | int, n: IntArray | int, rng: np.random.Generator
    ) -> IntArray:
        """Returns the number of n impressions of each pair without a click: Binomial(n, L_ij), n up to 1e12."""
        return np.asarray(rng.binomial(n, self.population.loss(i, j)), dtype=np.int64)

    def item_outcomes(
        self, i: IntArray | int, j: IntArray | int, n: IntArray | int, rng: np.random.Generator
    ) -> ItemOutcomes:
        """Returns the counts (neither, only i, only j, both) in n impressions of each pair: one multinomial per pair.

        Raises:
            InvalidPopulation: the population is given by L alone, without clicks by item (field `u`).
        """
        shares, clicks = self._groups()
        u_i, u_j = clicks[:, i], clicks[:, j]  # (r, m)
        cells = [(1 - u_i) * (1 - u_j), u_i * (1 - u_j), (1 - u_i) * u_j, u_i * u_j]
        probabilities = np.stack([np.tensordot(shares, cell, axes=1) for cell in cells], axis=-1)  # (m, 4)
        probabilities /= probabilities.sum(
            axis=-1, keepdims=True
        )  # numpy refuses a sum that exceeds 1 by a rounding error
        counts = rng.multinomial(np.broadcast_to(n, probabilities.shape[:-1]), probabilities)  # (m, 4)
        return ItemOutcomes(*np.moveaxis(np.asarray(counts, dtype=np.int64), -1, 0))

    def click(self, i: IntArray, j: IntArray, rng: np.random.Generator) -> tuple[BoolArray, BoolArray]:
        """Returns whether i and whether j is clicked in each impression, one user per entry.

        Raises:
            InvalidPopulation: the population is given by L alone, without clicks by item (field `u`).
        """
        _, clicks = self._groups()
        group = np.searchsorted(self._group_ends, rng.random(len(i)), side="right")
        return rng.random(len(i)) < clicks[group, i], rng.random(len(i)) < clicks[group, j]

    def exact_rewards(self, i: IntArray | int, j: IntArray | int) -> FloatArray:
        """Returns R_ij = 1 - L_ij elementwise: the reward of one impression in the deterministic model."""
        return 1 - self.population.loss(i, j)

    def respond(self, impression: Impression, rng: np.random.Generator) -> Response:
        """Returns the response of one user, which arrives at the time of the impression.

        The number of random draws is fixed: none in the deterministic model; for a mixture one uniform number for the
        group, one for slot i and one for slot j (a self pair shows its item in both); otherwise one for the pair.
        """
        i, j = impression.i, impression.j
        if self.model is Model.DETERMINISTIC:
            return Response(impression.ticket, float(self.exact_rewards(i, j)), None, impression.issued_at)
        if self.population.click_probabilities is None:
            reward = float(rng.random() >= self.population.loss(i, j))
            return Response(impression.ticket, reward, None, impression.issued_at)
        clicked = self._clicked(i, j, rng)
        return Response(impression.ticket, float(bool(clicked)), clicked, impression.issued_at)

    def _clicked(self, i: int, j: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Returns the items that one user of a random group clicks."""
        _, clicks = self._groups()
        at_group, at_i, at_j = rng.random(3)
        group = int(np.searchsorted(self._group_ends, at_group, side="right"))
        slots = ((i, at_i), (j, at_j))
        return tuple(item for item, at in slots if at < clicks[group, item])

    @cached_property
    def _group_ends(self) -> FloatArray:
        """The end of each group's part of [0, 1), except the last: it extends to 1, so that rounding leaves no gap."""
        shares, _ = self._groups()
        return np.cumsum(shares)[:-1]  # (r-1,)

    def _groups(self) -> tuple[FloatArray, FloatArray]:
        """Returns shares p (r,) and click probabilities u (r, K); raises InvalidPopulation if there are no groups."""
        shares, clicks = self.population.shares, self.population.click_probabilities
        if shares is None or clicks is None:
            raise InvalidPopulation(
                "u", "this population has no groups (it is given by x); clicks by item need a mixture (p and u)"
            )
        return shares, clicks
