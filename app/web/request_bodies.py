"""Request bodies in the OpenAPI document; the framework cannot know them, since `bodies` reads them itself."""

from typing import Any

from pydantic.json_schema import models_json_schema

from app.wire.problem import Problem
from app.wire.serving import Feedback, NextPair, NextPairs
from app.wire.sessions import SessionCreate, SessionPatch
from app.wire.shapes import RequestShape

_REFERENCE = "#/components/schemas/{model}"


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
