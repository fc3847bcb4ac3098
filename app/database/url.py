"""Database URLs: which are supported, which driver each gets, and which passwords must not appear in logs."""

import re
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import quote, quote_plus

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from app.database.faults import UnsupportedDatabase

_SEVERAL_HOSTS = re.compile(r"(postgres(?:ql)?(?:\+\w+)?://(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)((?:[/?#].*)?)")
_ADDRESS = re.compile(r"\[?(?P<host>(?<=\[)[^\]]*(?=\])|[^\[\]:]*)\]?(?::(?P<port>\d+))?")
_WRITABLE_HOST = {"target_session_attrs": "read-write"}


def parse_url(url: str) -> URL:
    """Returns the URL with its driver; raises UnsupportedDatabase with advice."""
    try:
        parsed = _make_url(url)
    except (ArgumentError, ValueError):  # what is taken for a port may be the password: none of it is told
        raise UnsupportedDatabase(
            "the database URL cannot be read; write sqlite:///bestpair.db or postgresql://user@host/name, "
            "with special characters of a password as %XX"
        ) from None
    backend = parsed.drivername.partition("+")[0]
    if backend in {"postgres", "postgresql"}:
        _check_parameters(parsed)
        return parsed.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise UnsupportedDatabase(f"{backend} is not supported; use sqlite:///file.db or postgresql://user@host/name")
    if not parsed.database or ":memory:" in parsed.database or parsed.query.get("mode") == "memory":
        raise UnsupportedDatabase(
            "SQLite in memory would forget what was acknowledged; name a file: sqlite:///bestpair.db"
        )
    return parsed.set(drivername="sqlite+pysqlite")


def _check_parameters(url: URL) -> None:
    """Raises UnsupportedDatabase if the URL's query has a parameter that libpq does not know."""
    for name in url.query:
        try:
            make_conninfo(**{name: ""})
        except psycopg.ProgrammingError:
            raise UnsupportedDatabase(
                f"the database URL has a parameter that PostgreSQL's client does not know: {name!a}; "
                "a setting of the server is given as options=-c%20NAME%3DVALUE"
            ) from None


def _make_url(url: str) -> URL:
    """Returns the parsed URL, also of libpq's form with several hosts (`postgresql://one:5432,two:5432/name`).

    Of several hosts, libpq takes the first that answers; only the one that can be written to is of use here.
    """
    several = _SEVERAL_HOSTS.fullmatch(url)
    if several is None:
        return make_url(url)
    start, hosts, rest = several.groups()
    addresses = [_ADDRESS.fullmatch(host) for host in hosts.split(",")]
    if None in addresses:
        raise ValueError
    given = {name: ",".join(one[name] or "" for one in addresses if one) for name in ("host", "port")}
    parsed = make_url(start + rest).update_query_dict(given)
    return parsed if "target_session_attrs" in parsed.query else parsed.update_query_dict(_WRITABLE_HOST)


def passwords_in(url: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the passwords of the URL and of PGPASSWORD, in every spelling that a message may quote."""
    found = {environment.get("PGPASSWORD")}
    with suppress(ArgumentError, ValueError):  # what is wrong with the URL is reported elsewhere
        parsed = _make_url(url)
        found |= {parsed.password, *parsed.normalized_query.get("password", ())}
    return tuple({spelled for password in found if password for spelled in _spellings(password)})


def _spellings(password: str) -> tuple[str, ...]:
    return password, quote(password), quote_plus(password)
