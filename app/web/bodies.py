"""Reading JSON bodies: straight from the bytes into a shape.

Not through the framework, which goes by way of json.loads: that takes NaN and lone surrogates, and gives the shapes
Python values where they are meant to judge JSON.
"""

import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from pydantic.json_schema import models_json_schema
from starlette.requests import Request

from app.web.problems import InvalidRequest, MalformedJson, UnsupportedMediaType
from app.wire.problem import Problem, field_errors
from app.wire.serving import LARGEST_BATCH, Feedback, NextPair, NextPairs
from app.wire.sessions import SessionCreate, SessionPatch
from app.wire.shapes import RequestShape

Shape = TypeVar("Shape", bound=RequestShape)

_REFERENCE = "#/components/schemas/{model}"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ROWS: TypeAdapter[list[Any]] = TypeAdapter(Annotated[list[Any], Field(min_length=1, max_length=LARGEST_BATCH)])


def body_as(shape: type[Shape], *, may_be_empty: bool = False) -> Callable[[Request], Awaitable[Shape]]:
    """Returns a dependency that reads the body as this shape; an empty one may stand for {}."""

    async def read(request: Request) -> Shape:
        content = await request.body()
        if may_be_empty and not content.strip():
            content = b"{}"
        else:
            _check_media_type(request)
        return _validated(content, shape.model_validate_json, shape.model_validate, shape)

    return read


async def body_as_rows(request: Request) -> list[Any]:
    """Returns the entries of a list, each to be judged on its own: one bad row spoils no other."""
    content = await request.body()
    _check_media_type(request)
    return _validated(content, _ROWS.validate_json, _ROWS.validate_python, None)


def digest_of(body: RequestShape) -> str:
    """Returns a digest of what was asked for: spacing, order of fields and defaults left out make no difference."""
    return hashlib.sha256(body.model_dump_json().encode()).hexdigest()


Result = TypeVar("Result")


def _validated(
    content: bytes,
    validate_json: Callable[[bytes], Result],
    validate: Callable[[object], Result],
    shape: type[BaseModel] | None,
) -> Result:
    try:
        try:
            return validate_json(content)
        except ValidationError as error:
            why = _why_not_json(error)
            if why is None:
                raise
        return validate(_with_halves(content, why))
    except ValidationError as error:
        raise InvalidRequest(field_errors(error, shape)) from None


def _why_not_json(error: ValidationError) -> str | None:
    """Returns what the parser stumbled over; None if the body is JSON, of another shape."""
    if error.error_count() == 1:
        (only,) = error.errors(include_url=False, include_input=False)
        if only["type"] == "json_invalid":
            return str(only["ctx"]["error"])
    return None


def _with_halves(content: bytes, why: str) -> object:
    """Returns what a body says that may contain half of a surrogate pair (U+D800), otherwise raises MalformedJson.

    This is JSON, though the parser of the shapes gives up at it. Python's own reads on: then the shapes name the
    field, and a batch refuses that row alone.
    """
    if _SURROGATE.search(content):
        with suppress(ValueError, RecursionError):
            return json.loads(content.decode(), parse_constant=_refuse)
    raise MalformedJson(f"the body cannot be read as JSON: {why}")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _check_media_type(request: Request) -> None:
    """Raises unless the body is declared as JSON; guessing would let other sites' forms post here."""
    declared = request.headers.get("content-type", "")
    media_type = declared.partition(";")[0].strip().lower()
    if media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json")):
        return
    given = f'"{media_type[:60]}"' if media_type else "nothing"
    raise UnsupportedMediaType(f"send the header Content-Type: application/json; it says {given}")


def documented(shape: type[RequestShape], *, required: bool = True, rows: int | None = None) -> dict[str, Any]:
    """Returns the `openapi_extra` of a route that reads this shape, or a list of at most `rows` of it."""
    schema: dict[str, Any] = {"$ref": _REFERENCE.format(model=shape.__name__)}
    if rows is not None:
        schema = {"type": "array", "items": schema, "minItems": 1, "maxItems": rows}
    return {"requestBody": {"required": required, "content": {"application/json": {"schema": schema}}}}


def schemas() -> dict[str, Any]:
    """Returns the schemas of all request bodies, and of problems, by name."""
    shapes = (SessionCreate, SessionPatch, NextPair, NextPairs, Feedback, Problem)
    _, document = models_json_schema([(shape, "validation") for shape in shapes], ref_template=_REFERENCE)
    return dict(document["$defs"])
