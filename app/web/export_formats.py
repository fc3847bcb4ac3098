"""The formats of the export: rows become NDJSON or CSV one chunk at a time, never all at once."""

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Iterable
from typing import Any

Row = dict[str, Any]

CHUNK_CHARACTERS = 32_768
"""Rows are sent together up to this size: one send for each row would cost more than the row."""

CSV_COLUMNS = (
    *("kind", "sequence", "plan_version", "first", "second", "i", "j", "purpose", "counts", "issued_at"),
    *("outcome", "clicked", "answered_at", "not_shown", "given_up", "void", "late_outcome", "late_clicked", "late_at"),
    *("epoch", "ticket", "idempotency_key", "data"),
)
"""The fields of an impression (`first` and `second` are ids, in the order shown); other fields are JSON in `data`."""

_FORMULA = re.compile(r"(?:^|;)(?=\s*[=+@\-\uff0b\uff0d\uff1d\uff20]|[\t\r])")
"""Where a spreadsheet would run text as a formula: at the start of a cell; and after a semicolon, which separates cells
where numbers contain commas. In some countries full-width signs are treated like the usual ones."""


async def after_first_row(rows: AsyncIterator[Row]) -> AsyncIterator[Row]:
    """Reads the first row and returns all rows; an unknown session raises here, before a response has started."""
    first = await anext(rows, None)

    async def all_rows() -> AsyncIterator[Row]:
        if first is not None:
            yield first
        async for row in rows:
            yield row

    return all_rows()


async def as_ndjson(rows: AsyncIterator[Row]) -> AsyncIterator[str]:
    """Yields one JSON object per line; in ASCII, since some readers treat U+2028 and others as a line end."""
    lines = io.StringIO()
    async for row in rows:
        lines.write(json.dumps(row, separators=(",", ":")))
        lines.write("\n")
        if lines.tell() >= CHUNK_CHARACTERS:
            yield _take(lines)
    yield _take(lines)


async def as_csv(rows: AsyncIterator[Row]) -> AsyncIterator[str]:
    """Yields a table with a header; a text that a spreadsheet would run as a formula gets a leading '."""
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerow(CSV_COLUMNS)
    ids: list[str] = []
    async for row in rows:
        if row["kind"] == "session":  # the first row
            ids = [item["id"] for item in row["items"]]
        named = {**row, "first": ids[row["i"]], "second": ids[row["j"]]} if row["kind"] == "impression" else row
        writer.writerow(_cells(named))
        if lines.tell() >= CHUNK_CHARACTERS:
            yield _take(lines)
    yield _take(lines)


def _cells(row: Row) -> Iterable[object]:
    """Returns the cells of a row in the order of `CSV_COLUMNS`."""
    rest = {name: value for name, value in row.items() if name not in CSV_COLUMNS}
    # JSON may write semicolons as escapes: the document stays the same, and nothing in it can start a cell.
    data = json.dumps(rest, separators=(",", ":")).replace(";", "\\u003b") if rest else None
    return [_cell(value) for value in ({**row, "data": data}.get(name) for name in CSV_COLUMNS)]


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return _FORMULA.sub(r"\g<0>'", value) if isinstance(value, str) else value


def _take(lines: io.StringIO) -> str:
    """Returns the content of the buffer and empties it."""
    text = lines.getvalue()
    lines.seek(0)
    lines.truncate()
    return text
