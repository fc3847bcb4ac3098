"""The table of session settings in docs/api.md, made from the list of settings: python -m tests.docs.settings_table"""

import json
import re
from typing import Any

from app.sessions.creation import settle
from app.wire.sessions import SessionCreate, SessionPatch
from app.wire.shapes import LARGEST_INTEGER
from tests.docs.blocks import ROOT

PAGE = ROOT / "docs" / "api.md"
_TABLE = re.compile(r"(?<=<!-- settings -->\n).*?(?=<!-- end of settings -->)", re.DOTALL)
_LIMITS = {
    "minimum": "at least {:,}",
    "exclusiveMinimum": "above {:,}",
    "maximum": "at most {:,}",
    "exclusiveMaximum": "below {:,}",
    "maxLength": "at most {:,} characters",
}
_TYPES = {"integer": "whole number", "number": "number", "string": "text"}


def settings_table() -> str:
    """Returns the table in Markdown."""
    defaults = {"budget": None, **settle(SessionCreate.model_validate({"items": ["a", "b"]})).to_plain()}
    rows = ["| setting | default | values | can change | |", "| --- | --- | --- | --- | --- |"]
    for name, schema in SessionCreate.model_json_schema()["properties"].items():
        if name != "items":
            default = "random" if name == "seed" else _default(schema, defaults.get(name))
            change = "yes" if name in SessionPatch.model_fields else ""
            rows.append(f"| `{name}` | {default} | {_values(schema)} | {change} | {schema['description']} |")
    return "\n".join(rows) + "\n"


def _default(schema: dict[str, Any], settled: object) -> str:
    """Returns the default; one that depends on other settings is that of a session without any."""
    if schema["default"] is not None:
        return f"`{json.dumps(schema['default'])}`"
    return "none" if settled is None else f"`{json.dumps(settled)}`"


def _values(schema: dict[str, Any]) -> str:
    options = [each for each in schema.get("anyOf", [schema]) if each != {"type": "null"}]
    return " or ".join(_kind(each) for each in options)


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    limits = [
        text.format(schema[key]) for key, text in _LIMITS.items() if schema.get(key, LARGEST_INTEGER) != LARGEST_INTEGER
    ]
    return ", ".join([_TYPES[schema["type"]], *limits])


def with_table(page: str) -> str:
    """Returns the page with the present table."""
    assert len(_TABLE.findall(page)) == 1
    return _TABLE.sub(settings_table().replace("\\", r"\\"), page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text()))
