"""The text of a log line: secrets are replaced, values are escaped, exceptions become text.

Names, labels, ids and paths come from callers. In a line they must stay values: no line break, no terminal escape
sequence, no character that changes the reading direction.

Messages of database drivers and of validation quote the values they were given: tickets, keys, answers. Of these
messages only the part without values is logged. Local variables are never logged.
"""

import json
import re
import traceback
from collections.abc import Sequence
from typing import Any

LONGEST_VALUE = 2_000
LONGEST_SEARCHED = 2 * LONGEST_VALUE
"""Characters of a value that are searched for secrets: the limit keeps the time for a long value short."""
LONGEST_FAULT = 16_000
HIDDEN = "***"

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,*-]+")
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^/\s:@]*):\S*@")  # up to the last @: a password may contain one
_CREDENTIALS = re.compile(r"\b(bearer|basic)\s+[^\s\"',]+", re.IGNORECASE)
_NAMED = re.compile(
    r"(?i)\b(password|passwd|authorization|idempotency[-_]key|ticket|api[-_]?key|secret|token)"
    r"(['\"]?\s*[=:]\s*['\"]?)(?!(?:bearer|basic)\b)[^\s'\",;)}\]]+"
)
_LONG_TOKEN = re.compile(r"(?<![\w-])(?=[a-z_-]*[A-Z0-9])[A-Za-z0-9_-]{30,}(?![\w-])")
"""As long as a ticket or a key, with a capital or a digit: names in our code have neither at that length."""


class Redactor:
    """Replaces secrets in a text: known ones (the database password), and those that have the form of a secret."""

    def __init__(self, known: Sequence[str] = ()) -> None:
        self._known = [secret for secret in known if len(secret) > 2]  # shorter ones occur in ordinary words

    def __call__(self, text: str) -> str:
        """Returns the text with secrets replaced by `HIDDEN`."""
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        text = _PASSWORD_IN_URL.sub(rf"\1:{HIDDEN}@", text)
        text = _CREDENTIALS.sub(rf"\1 {HIDDEN}", text)
        text = _NAMED.sub(rf"\1\2{HIDDEN}", text)
        return _LONG_TOKEN.sub(HIDDEN, text)


def on_one_line(text: str) -> str:
    """Returns the text with unprintable characters, such as line breaks, written as escapes."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def _escape(letter: str) -> str:
    number = ord(letter)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65_536 else f"\\U{number:08x}"


def as_json(fields: dict[str, Any]) -> str:
    """Returns the fields as one line of JSON, in ASCII: no viewer can interpret control characters in it."""
    return json.dumps(fields, ensure_ascii=True, default=str, separators=(",", ":")).replace("\x7f", "\\u007f")


def as_console(fields: dict[str, Any]) -> str:
    """Returns the fields as a line for people; a fault follows on separate lines that start with a bar."""
    shown = dict(fields)
    time, level, event = (on_one_line(str(shown.pop(name, ""))) for name in ("time", "level", "event"))
    fault = str(shown.pop("fault", ""))
    line = f"{time} {level:<8}{event}" + "".join(f" {name}={_value(value)}" for name, value in shown.items())
    return line + "".join(f"\n  | {on_one_line(each)}" for each in fault.split("\n") if fault)


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if _PLAIN.fullmatch(text):
        return text
    return '"' + on_one_line(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


_QUOTES_VALUES = ("pydantic", "pydantic_core", "psycopg", "sqlalchemy", "sqlite3")
"""Packages whose messages contain the rejected values, after the first line or anywhere."""
_LONGEST_MESSAGE = 1_000
_LONGEST_CHAIN = 8


def safe_message(error: BaseException) -> str:
    """Returns the message of an exception without the values that it may quote."""
    package = type(error).__module__.partition(".")[0]
    if package in {"pydantic", "pydantic_core"}:
        return f"{getattr(error, 'title', '')} failed validation"
    text = str(getattr(error, "orig", None) or error) if package == "sqlalchemy" else str(error)
    if package in _QUOTES_VALUES:
        text = text.partition("\n")[0]  # PostgreSQL adds the values in further lines: DETAIL, CONTEXT
    return text[:_LONGEST_MESSAGE]


def exception_text(error: BaseException) -> str:
    """Returns the traceback of an exception with its causes, the first cause first, as Python prints it."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(parts) < _LONGEST_CHAIN:
        seen.add(id(current))
        frames = "".join(traceback.format_tb(current.__traceback__))
        notes = "".join(f"\n{note}" for note in getattr(current, "__notes__", ()))
        parts.append(f"{frames}{type(current).__qualname__}: {safe_message(current)}{notes}")
        inside = (
            [exception_text(each) for each in current.exceptions] if isinstance(current, BaseExceptionGroup) else []
        )
        parts[-1] += "".join(f"\n- {each}" for each in inside)
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)
    return "\nwhich led to\n".join(reversed(parts))
