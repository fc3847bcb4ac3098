"""Problems as JSON (RFC 9457), and validation errors as advice for the caller."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from app.wire.shapes import ResponseShape

MOST_ERRORS = 20
"""Errors in one response."""
MOST_EXAMINED = 6_000
"""More than a list of 5,000 wrong items has; to format more errors would keep other callers waiting."""
LONGEST_FIELD = 100

_ADVICE = {
    "missing": "is required",
    "string_type": "must be a string",
    "string_unicode": "must not contain half of a surrogate pair (\\ud800 to \\udfff alone)",
    "int_type": "must be a whole number, without quotes, fraction or exponent; not true or false",
    "float_type": "must be a number, without quotes; not true or false",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "finite_number": "must be a finite number",
    "literal_error": "must be {expected}",
    "string_too_short": "must have at least {min_length} character(s)",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "int_parsing": "must be a whole number",
    "float_parsing": "must be a number",
}


class FieldError(ResponseShape):
    """One thing to change in a request; an empty field means the request as a whole."""

    field: str
    message: str


class Problem(ResponseShape):
    """An error: `type` is stable and for programs, `detail` is for people, `errors` names fields to change."""

    type: str = Field(examples=["/problems/session-not-found"])
    title: str
    status: int
    detail: str | None = None
    errors: list[FieldError] | None = None
    request_id: str | None = Field(default=None, description="Quote it when you report a fault.")


class ProblemKind(ResponseShape):
    """The explanation of the `type` of a problem."""

    type: str
    title: str
    status: int
    meaning: str


def field_errors(error: ValidationError, shape: type[BaseModel] | None = None) -> list[FieldError]:
    """Returns what to change, field by field; with `shape`, unknown fields get a suggestion."""
    if error.error_count() > MOST_EXAMINED:
        return [FieldError(field="", message=f"has {error.error_count()} mistakes, too many to list; see /docs")]
    return advice(error.errors(include_url=False, include_input=False), shape)


def advice(errors: Sequence[Mapping[str, Any]], shape: type[BaseModel] | None = None) -> list[FieldError]:
    """Returns pydantic's errors as advice, the first few of them."""
    known = list(shape.model_fields) if shape else []
    # null is one way to omit a field; "must be null" would be bad advice.
    errors = [each for each in errors if each["type"] != "none_required"]
    found = [FieldError(field=_path(each["loc"]), message=_message(each, known)) for each in errors[:MOST_ERRORS]]
    if len(errors) > MOST_ERRORS:
        found.append(FieldError(field="", message=f"and {len(errors) - MOST_ERRORS} more"))
    return found


def _message(error: Mapping[str, Any], known: list[str]) -> str:
    kind, name = error["type"], error["loc"][-1] if error["loc"] else ""
    if kind == "extra_forbidden":
        return "is not a known field" + (_suggestion(str(name), known) if len(error["loc"]) == 1 else "")
    if kind in _ADVICE:
        return _ADVICE[kind].format(**error.get("ctx", {}))
    return str(error["msg"]).removeprefix("Value error, ")


def _suggestion(name: str, known: list[str]) -> str:
    """Returns the most similar known field, or the list of known fields."""
    close = get_close_matches(name[:LONGEST_FIELD], known, n=1)
    return f'; did you mean "{close[0]}"?' if close else f"; known fields are {', '.join(known)}" if known else ""


def _path(location: Sequence[str | int]) -> str:
    """Returns a location in the body in the usual form: items[3].id."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")
    return path if len(path) <= LONGEST_FIELD else path[:LONGEST_FIELD] + "…"
