"""Database errors: which can be retried, which become StorageUnavailable, and which prevent the start of the store."""

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
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.errors import StorageUnavailable

_STATEMENT_ERRORS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)
"""Errors that mean that a statement or its values are wrong. All others mean that the database cannot be used now."""
_RETRYABLE = {"40001", "40P01"}
"""PostgreSQL's serialization failure and deadlock: the same transaction succeeds when it runs again."""
_REVOKED = {"42501", "42P01"}
"""A right was revoked, or a table is missing or is in a schema that the user may not use. The statement worked when the
server started, and an operator can repair it. Any other error of a statement is a defect of this program."""

_CAUSES = {
    "25006": "the database is read-only: it is a standby, or default_transaction_read_only is on",
    "42501": "the database user lacks a right; the server's log names it",
    "42P01": "a table is missing, or the database user may not use its schema; the server's log names it",
    "53100": "the database's disk is full",
    "53300": "the database has no free connection",
    "55P03": "the database is locked by another transaction",
    sqlite3.SQLITE_BUSY: "the SQLite file is locked by another process",
    sqlite3.SQLITE_READONLY: "the SQLite file or its folder is read-only",
    sqlite3.SQLITE_IOERR: "the SQLite file cannot be written: the disk is full or faulty",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "the SQLite file cannot be opened",
}
"""Texts by PostgreSQL's SQLSTATE or SQLite's error code. Everyone who can call /readyz may read them."""


class Unwritable(Exception):
    """A check found that writes would fail or be lost; its text contains no secrets."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


def is_unavailable(error: BaseException) -> bool:
    """Returns whether the database cannot be used now: gone, full, locked, read-only, forbidden, shutting down."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or not isinstance(error, _STATEMENT_ERRORS) or _code(error) in _REVOKED
    return isinstance(error, PoolTimeout | StorageUnavailable | Unwritable)


def cause(error: BaseException | None) -> str:
    """Returns what is wrong, without secrets; the driver's own message may name hosts, users and files."""
    if isinstance(error, Unwritable):
        return error.detail
    known = _CAUSES.get(_code(error)) if isinstance(error, DBAPIError) else None
    return known or "the database cannot be used at the moment"


def _code(error: DBAPIError) -> str | int | None:
    """Returns PostgreSQL's SQLSTATE, or SQLite's primary error code."""
    state: str | None = getattr(error.orig, "sqlstate", None)
    extended: int | None = getattr(error.orig, "sqlite_errorcode", None)
    return state if extended is None else extended & 0xFF


def is_retryable(error: BaseException) -> bool:
    """Returns whether a retry may succeed: another transaction caused the error, or the connection was dead."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or _code(error) in _RETRYABLE


def reason(error: BaseException) -> str:
    """Returns the driver's message for the log: only the first line, because later lines quote the values sent."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]


def unavailable() -> StorageUnavailable:
    """Returns the error for callers. It does not quote the driver, whose message may name hosts and files."""
    return StorageUnavailable("the database cannot be used at the moment; nothing was acknowledged, try again shortly")


@contextmanager
def as_storage_unavailable() -> Iterator[None]:
    """Turns errors of a database that cannot be used into StorageUnavailable; other errors stay as they are."""
    try:
        yield
    except Exception as error:
        if isinstance(error, StorageUnavailable) or not is_unavailable(error):
            raise
        raise unavailable() from error


class StoreCannotStart(Exception):
    """Base of the errors that prevent the start of a store. `detail` is for the operator only: it says what to do."""

    def __init__(self, detail: str) -> None:
        self.detail = detail
        super().__init__(detail)


class UnsupportedDatabase(StoreCannotStart):
    """The URL names a database that this service cannot use."""


class DatabaseInUse(StoreCannotStart):
    """Another server process is using this SQLite file."""


class DatabaseLost(StoreCannotStart):
    """The SQLite file is missing, but its write-ahead log exists."""


class DatabaseBehind(StoreCannotStart):
    """The database is at another revision than this version of the code needs."""
