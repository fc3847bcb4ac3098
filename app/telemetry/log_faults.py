"""Faults as text for the log: where it happened in full, what was said about it with care.

Messages of database drivers and of validation quote the values they were given: tickets, keys, answers. Of theirs only
what has no values is told. Local variables are never shown.
"""

import traceback
from types import TracebackType

_QUOTES_VALUES = ("pydantic", "pydantic_core", "psycopg", "sqlalchemy", "sqlite3")
"""Packages whose messages contain, after the first line or anywhere, the values at fault."""
_LONGEST_MESSAGE = 1_000
_LONGEST_CHAIN = 8

Fault = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]


def told(error: BaseException) -> str:
    """Returns what an error says, without values it may quote."""
    package = type(error).__module__.partition(".")[0]
    if package in {"pydantic", "pydantic_core"}:
        return f"{getattr(error, 'title', '')} does not have its shape"
    text = str(getattr(error, "orig", None) or error) if package == "sqlalchemy" else str(error)
    if package in _QUOTES_VALUES:
        text = text.partition("\n")[0]  # PostgreSQL gives the values in the lines after: DETAIL, CONTEXT
    return text[:_LONGEST_MESSAGE]


def as_text(error: BaseException) -> str:
    """Returns the fault with its causes, the first cause first, as Python prints it."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(parts) < _LONGEST_CHAIN:
        seen.add(id(current))
        frames = "".join(traceback.format_tb(current.__traceback__))
        notes = "".join(f"\n{note}" for note in getattr(current, "__notes__", ()))
        parts.append(f"{frames}{type(current).__qualname__}: {told(current)}{notes}")
        inside = [as_text(each) for each in current.exceptions] if isinstance(current, BaseExceptionGroup) else []
        parts[-1] += "".join(f"\n- {each}" for each in inside)
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)
    return "\nwhich led to\n".join(reversed(parts))
