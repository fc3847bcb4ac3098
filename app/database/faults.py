"""What a failing database means: try again at once, tell the caller to come back, or a defect of ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from app.errors import StorageUnavailable

_OURS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)
"""Errors that say what was sent is wrong; every other kind says that the database cannot do its work now."""
_LOST_RACES = {"40001", "40P01"}
"""PostgreSQL's serialization failure and deadlock: the same transaction, run again, goes through."""
_TAKEN_AWAY = {"42501", "42P01"}
"""A right was revoked, a table is gone: the statements worked when the server started, and an operator can undo it.
A table in a schema that the user may not use is reported as gone. Any other fault of a statement is a defect."""

_CAUSES = {
    "25006": "the database is read-only: it is a standby, or default_transaction_read_only is on",
    "42501": "the database user lacks a right; the server's log names it",
    "42P01": "a table is missing, or the database user may not use its schema; the server's log names it",
    "53100": "the database's disk is full",
    "53300": "the database has no connection free",
    "55P03": "the database is locked by another transaction",
    sqlite3.SQLITE_BUSY: "the SQLite file is locked by another process",
    sqlite3.SQLITE_READONLY: "the SQLite file or its folder is read-only",
    sqlite3.SQLITE_IOERR: "the SQLite file cannot be written: the disk is full or faulty",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "the SQLite file cannot be opened",
}
"""By PostgreSQL's SQLSTATE or SQLite's error code, in words for anyone who may ask /readyz."""


class Unwritable(Exception):
    """A check found that writes would fail or be lost; its text may be shown to anyone."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


def is_unavailable(error: BaseException) -> bool:
    """Returns whether the database cannot be used now: gone, full, locked, read-only, forbidden, shutting down."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or not isinstance(error, _OURS) or _code(error) in _TAKEN_AWAY
    return isinstance(error, NoConnectionFree | StorageUnavailable | Unwritable)


def cause(error: BaseException | None) -> str:
    """Returns what is wrong in words that may be shown to anyone; the driver's may name hosts, users and files."""
    if isinstance(error, Unwritable):
        return error.detail
    known = _CAUSES.get(_code(error)) if isinstance(error, DBAPIError) else None
    return known or "the database cannot be used at the moment"


def _code(error: DBAPIError) -> str | int | None:
    """Returns PostgreSQL's SQLSTATE, or SQLite's primary error code."""
    state: str | None = getattr(error.orig, "sqlstate", None)
    extended: int | None = getattr(error.orig, "sqlite_errorcode", None)
    return state if extended is None else extended & 0xFF


def is_worth_another_try(error: BaseException) -> bool:
    """Returns whether the transaction was undone by another one, or its connection had died before it began."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or _code(error) in _LOST_RACES


def reason(error: BaseException) -> str:
    """Returns what the driver said, for the log: the first line, because those after it quote the values sent."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]


def unavailable() -> StorageUnavailable:
    """Returns the error for callers. What the driver said goes to the log: it may name hosts and files."""
    return StorageUnavailable("the database cannot be used at the moment; nothing was acknowledged, try again shortly")


@contextmanager
def as_storage_unavailable() -> Iterator[None]:
    """Turns errors of a database that cannot be used into StorageUnavailable, and leaves all others alone."""
    try:
        yield
    except Exception as error:
        if isinstance(error, StorageUnavailable) or not is_unavailable(error):
            raise
        raise unavailable() from error
