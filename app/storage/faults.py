"""What a failing database means: try again at once, tell the caller to come back, or a defect of ours."""

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

from app.sessions.errors import StorageUnavailable

_OURS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)
"""Errors that say what was sent is wrong; every other kind says that the database cannot do its work now."""
_LOST_RACES = {"40001", "40P01"}
"""PostgreSQL's serialization failure and deadlock: the same transaction, run again, goes through."""


def is_unavailable(error: BaseException) -> bool:
    """Returns whether the database cannot be used now: gone, full, locked, read-only, shutting down."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or not isinstance(error, _OURS)
    return isinstance(error, NoConnectionFree | StorageUnavailable)


def is_worth_another_try(error: BaseException) -> bool:
    """Returns whether the transaction was undone by another one, or its connection had died before it began."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _LOST_RACES


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
