"""The export as a stream: rows become text as they are read, never all at once."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Iterable
from typing import Any

Row = dict[str, Any]

CHUNK_CHARACTERS = 32_768
"""Rows are sent together up to this size: a send for each would cost more than the row."""

CSV_COLUMNS = (
    *("kind", "sequence", "plan_version", "first", "second", "i", "j", "purpose", "counts", "issued_at"),
    *("outcome", "clicked", "answered_at", "not_shown", "void", "late_outcome", "late_clicked", "late_at", "epoch"),
    *("ticket", "idempotency_key", "data"),
)
"""Of an impression (`first` and `second` are ids, in the order shown); what else a row has is in `data`, as JSON."""

_FORMULA = re.compile(r"(?:^|;)(?=\s*[=+@\-\uff0b\uff0d\uff1d\uff20]|[\t\r])")
"""Where a spreadsheet would begin to run a text: at the start of a cell; and after a semicolon, which parts cells where
the comma is in numbers. Wide signs are taken for the narrow ones in some countries."""


async def beginning(rows: AsyncIterator[Row]) -> AsyncIterator[Row]:
    """Returns the same rows after the first was read, so that an unknown session is an error and not a cut stream."""
    first = await anext(rows, None)

    async def again() -> AsyncIterator[Row]:
        if first is not None:
            yield first
        async for row in rows:
            yield row

    return again()


async def as_ndjson(rows: AsyncIterator[Row]) -> AsyncIterator[str]:
    """Yields one JSON object per line; in ASCII, since some readers take U+2028 and the like for a line end."""
    lines = io.StringIO()
    async for row in rows:
        lines.write(json.dumps(row, separators=(",", ":")))
        lines.write("\n")
        if lines.tell() >= CHUNK_CHARACTERS:
            yield _taken(lines)
    yield _taken(lines)


async def as_csv(rows: AsyncIterator[Row]) -> AsyncIterator[str]:
    """Yields a table with a header; what a spreadsheet would run as a formula gets a ' before it."""
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerow(CSV_COLUMNS)
    ids: list[str] = []
    async for row in rows:
        if row["kind"] == "session":  # comes first
            ids = [item["id"] for item in row["items"]]
        named = {**row, "first": ids[row["i"]], "second": ids[row["j"]]} if row["kind"] == "impression" else row
        writer.writerow(_cells(named))
        if lines.tell() >= CHUNK_CHARACTERS:
            yield _taken(lines)
    yield _taken(lines)


def _cells(row: Row) -> Iterable[object]:
    """Returns one row's cells in the order of the columns."""
    rest = {name: value for name, value in row.items() if name not in CSV_COLUMNS}
    # Semicolons as JSON may write them too: the document stays the same, and nothing in it can begin a cell.
    data = json.dumps(rest, separators=(",", ":")).replace(";", "\\u003b") if rest else None
    return [_cell(value) for value in ({**row, "data": data}.get(name) for name in CSV_COLUMNS)]


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return _FORMULA.sub(r"\g<0>'", value) if isinstance(value, str) else value


def _taken(lines: io.StringIO) -> str:
    """Returns what has been written and empties the buffer."""
    text = lines.getvalue()
    lines.seek(0)
    lines.truncate()
    return text
