"""Answers of the hot lane as text: what the shapes of `wire.serving` say, without making one for each row."""

from functools import lru_cache

from pydantic_core import to_json

from app.sessions.service import ACCEPTED, RowResult, Shown


def impression(shown: Shown) -> str:
    """Returns what `wire.serving.Impression` says as JSON, in its order; a test holds the two together.

    Only the ticket and the pair are new each time; a ticket has letters that need no quoting.
    """
    (ticket, i, j, purpose, counts, version), (first, second) = shown
    pair = f'"i":{i},"j":{j},"items":[{_quoted(first)},{_quoted(second)}]'
    return f'{{"ticket":"{ticket}",{pair},{_why(purpose, counts, version)}}}'


@lru_cache(maxsize=8192)
def _quoted(item_id: str) -> str:
    return to_json(item_id).decode()


@lru_cache(maxsize=1024)
def _why(purpose: str, counts: bool, version: int) -> str:
    return to_json({"purpose": purpose, "counts": counts, "plan_version": version}).decode()[1:-1]


@lru_cache(maxsize=64)  # every status, and details that come again
def row_result(result: RowResult) -> bytes:
    """Returns what `wire.serving.FeedbackRowResult` says."""
    return to_json({"status": result.status} if result.detail is None else result._asdict())


ROW_ACCEPTED = row_result(ACCEPTED)
