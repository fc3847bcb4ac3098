"""The base classes of all shapes, and the types of text and numbers that they share."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

LARGEST_INTEGER = 2**53 - 1
"""Beyond it JavaScript and many JSON parsers round silently (RFC 8259, section 6)."""
LONGEST_TICKET = 200
LONGEST_ID = 200
LONGEST_LABEL = 500
LONGEST_NAME = 200

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""C0, DEL, C1 and two separators that some readers treat as a line end; they break logs, CSV and terminals."""


class RequestShape(BaseModel):
    """A request: a misspelt field, a quoted number and NaN are errors, not corrected silently."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class ResponseShape(BaseModel):
    """A response: an older client must be able to read the fields that a newer server adds."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def without_control_characters(text: str) -> str:
    """Returns the text; raises ValueError naming the first control character in it."""
    found = _CONTROL.search(text)
    if found:
        raise ValueError(f"must not contain control characters; found U+{ord(found[0]):04X} at {found.start()}")
    return text


Plain = AfterValidator(without_control_characters)
ItemId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID), Plain]
Label = Annotated[str, Field(max_length=LONGEST_LABEL), Plain]
Name = Annotated[str, Field(max_length=LONGEST_NAME), Plain]
Ticket = Annotated[str, Field(min_length=1, max_length=LONGEST_TICKET), Plain]
