"""Batches of plain rewards, read without building a model for each row: a third of the work."""

from pydantic_core import from_json

from app.sessions.service import Answer
from app.wire.serving import LARGEST_BATCH
from app.wire.shapes import LONGEST_TICKET

_FIELDS = {"ticket", "reward"}


def plain_answers(content: bytes) -> list[Answer] | None:
    """Returns the answers if each row is a ticket and a reward that `wire.serving.Feedback` would take, else None.

    The parser is the one that the shapes use; what it gives is checked by hand, more strictly than need be. Whoever
    gets None asks the shapes, which know what may be said besides, and how to complain.
    """
    try:
        rows = from_json(content, cache_strings="keys")
    except ValueError:
        return None
    if type(rows) is not list or not 1 <= len(rows) <= LARGEST_BATCH:
        return None
    answers = []
    for row in rows:
        if type(row) is not dict or row.keys() != _FIELDS:
            return None
        ticket, reward = row["ticket"], row["reward"]
        if type(ticket) is not str or not (ticket.isascii() and ticket.isprintable()):
            return None
        is_number = type(reward) is int or type(reward) is float  # True is none
        if not (is_number and 0 <= reward <= 1 and 0 < len(ticket) <= LONGEST_TICKET):
            return None
        answers.append(Answer(ticket, float(reward)))
    return answers
