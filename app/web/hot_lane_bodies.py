"""Bodies of the hot lane: reads requests into columns or shapes, formats responses without a model for each row."""

from functools import lru_cache
from operator import itemgetter
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from app.impressions.feedback import Rewards
from app.impressions.handout_order import Impression
from app.impressions.service import ACCEPTED, RowResult
from app.sessions.model import Session
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
    """The request must be passed on to the routes of the framework; it has had no effect so far."""


def read_as(shape: TypeAdapter[Shape], headers: Headers, content: bytes) -> Shape:
    """Returns the body as this shape; raises Unusual if it does not match."""
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


def feedback_columns(content: bytes) -> Rewards | None:
    """Returns the answers if each row is a ticket and a 0 or 1 that `wire.serving.Feedback` would accept, else None.

    Reading into columns takes a quarter of the time of a model for each row. The parser is the one of the shapes; its
    result is checked here column by column, more strictly than necessary. For None the caller must use the shapes,
    which know the other fields and the error messages.
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
        and set(map(type, clicks)) <= {int, float}  # not bool
        and set(clicks) <= {0, 1}
        and all(tickets)
        and max(map(len, tickets)) <= LONGEST_TICKET
        and (letters := "".join(tickets)).isascii()
        and letters.isprintable()
    )
    return Rewards(tickets, clicks) if is_plain else None


def impression_json(session: Session, impression: Impression) -> str:
    """Returns an impression as the JSON of `wire.serving.Impression`; a test checks that both are equal.

    Only the ticket and the pair differ each time; a ticket has no characters that need escapes.
    """
    ticket, i, j, purpose, counts, version = impression
    items = session.items
    pair = f'"i":{i},"j":{j},"items":[{_quoted(items[i].id)},{_quoted(items[j].id)}]'
    return f'{{"ticket":"{ticket}",{pair},{_plan_fields(purpose, counts, version)}}}'


@lru_cache(maxsize=8192)
def _quoted(item_id: str) -> str:
    return to_json(item_id).decode()


@lru_cache(maxsize=1024)
def _plan_fields(purpose: str, counts: bool, version: int) -> str:
    return to_json({"purpose": purpose, "counts": counts, "plan_version": version}).decode()[1:-1]


@lru_cache(maxsize=64)  # every status, and repeated details
def row_result(result: RowResult) -> bytes:
    """Returns a result as the JSON of `wire.serving.FeedbackRowResult`."""
    return to_json({"status": result.status} if result.detail is None else result._asdict())


ROW_ACCEPTED = row_result(ACCEPTED)
