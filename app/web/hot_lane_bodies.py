"""Bodies of the hot lane: requests read into columns or shapes, answers as text without a model for each row."""

from functools import lru_cache
from operator import itemgetter
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from app.sessions.model import Rewards
from app.sessions.service import ACCEPTED, RowResult, Shown
from app.web.parameters import VISIBLE
from app.wire.serving import LARGEST_BATCH, Feedback, NextPairs
from app.wire.shapes import LONGEST_TICKET

Shape = TypeVar("Shape")
Headers = dict[bytes, bytes]

NEXT_PAIRS = TypeAdapter(NextPairs)
FEEDBACK = TypeAdapter(Feedback)
FEEDBACK_ROWS: TypeAdapter[list[Feedback]] = TypeAdapter(
    Annotated[list[Feedback], Field(min_length=1, max_length=LARGEST_BATCH)]
)
_COLUMNS = itemgetter("ticket", "reward")


class Unusual(Exception):
    """The request is for the framework's routes; nothing has been done."""


def read_as(shape: TypeAdapter[Shape], headers: Headers, content: bytes) -> Shape:
    """Returns the body in its shape; raises Unusual for any other."""
    check_is_json(headers)
    try:
        return shape.validate_json(content)
    except ValidationError:
        raise Unusual from None


def check_is_json(headers: Headers) -> None:
    """Raises Unusual unless the body is declared as JSON, in the usual spelling."""
    if headers.get(b"content-type") != b"application/json":
        raise Unusual


def idempotency_key(headers: Headers) -> str | None:
    """Returns the Idempotency-Key, None without one; raises Unusual for a key that is not valid."""
    given = headers.get(b"idempotency-key")
    if given is None:
        return None
    key = given.decode("latin-1")
    if not VISIBLE.fullmatch(key):
        raise Unusual
    return key


def plain_answers(content: bytes) -> Rewards | None:
    """Returns the answers if each row is a ticket and a 0 or 1 that `wire.serving.Feedback` would take, else None.

    The parser is the one that the shapes use; what it gives is checked by hand, column by column and more strictly
    than need be. Whoever gets None asks the shapes, which know what may be said besides, and how to complain.
    """
    try:
        rows = from_json(content, cache_strings="keys")
    except ValueError:
        return None
    if type(rows) is not list or not 1 <= len(rows) <= LARGEST_BATCH:
        return None
    if set(map(type, rows)) != {dict} or set(map(len, rows)) != {2}:
        return None
    try:
        tickets, clicks = map(list, zip(*map(_COLUMNS, rows), strict=True))
    except KeyError:
        return None
    is_plain = (
        set(map(type, tickets)) == {str}
        and set(map(type, clicks)) <= {int, float}  # True is none
        and set(clicks) <= {0, 1}
        and all(tickets)
        and max(map(len, tickets)) <= LONGEST_TICKET
        and (letters := "".join(tickets)).isascii()
        and letters.isprintable()
    )
    return Rewards(tickets, clicks) if is_plain else None


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
