"""One impression and its answer, as they travel between a service and an ad server."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Impression:
    """Items i and j shown to one user at a time in seconds; the ticket is what the answer refers to."""

    ticket: str
    i: int
    j: int
    issued_at: float


@dataclass(frozen=True)
class Answer:
    """What the user did, and when the news arrives.

    `reward` is 1 for a click on either item and 0 for none (the exact probability in the deterministic model);
    `clicked` lists the items clicked, in the order of the slots, or is None where that is not known.
    """

    ticket: str
    reward: float
    clicked: tuple[int, ...] | None
    arrives_at: float
