"""Database URLs: which ones are supported, their drivers, and the passwords that must not appear in logs."""

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
    """Returns the parsed URL with its driver; raises UnsupportedDatabase, which says what to write instead."""
    try:
        parsed = _make_url(url)
    except (ArgumentError, ValueError):  # do not quote the URL: the part that was parsed as a port may be the password
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
            "SQLite in memory would lose all data when the server stops; name a file: sqlite:///bestpair.db"
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
                "pass a setting of the server as options=-c%20NAME%3DVALUE"
            ) from None


def _make_url(url: str) -> URL:
    """Returns the parsed URL; also accepts libpq's form with several hosts (`postgresql://one:5432,two:5432/name`).

    By default libpq connects to the first host that responds. This service needs the one that accepts writes.
    """
    several = _SEVERAL_HOSTS.fullmatch(url)
    if several is None:
        return make_url(url)
    start, hosts, rest = several.groups()
    addresses = [_ADDRESS.fullmatch(host) for host in hosts.split(",")]
    if None in addresses:
        raise ValueError
    lists = {name: ",".join(address[name] or "" for address in addresses if address) for name in ("host", "port")}
    parsed = make_url(start + rest).update_query_dict(lists)
    return parsed if "target_session_attrs" in parsed.query else parsed.update_query_dict(_WRITABLE_HOST)


def passwords_in(url: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the passwords in the URL and in PGPASSWORD, in every encoding that a message may quote."""
    passwords = {environment.get("PGPASSWORD")}
    with suppress(ArgumentError, ValueError):  # an invalid URL is reported by `parse_url`
        parsed = _make_url(url)
        passwords |= {parsed.password, *parsed.normalized_query.get("password", ())}
    return tuple({encoded for password in passwords if password for encoded in _encodings(password)})


def _encodings(password: str) -> tuple[str, ...]:
    return password, quote(password), quote_plus(password)
