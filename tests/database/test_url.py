"""Addresses of databases: which are accepted, and what the driver gets."""

import pytest

from app.database.database import Database
from app.database.faults import UnsupportedDatabase
from tests.store import SessionStore


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?mode=memory&uri=true",
        "mysql://localhost/x",
        "bestpair.db",
        "",
    ],
)
def test_addresses_that_cannot_keep_sessions_are_refused_with_advice(url: str) -> None:
    with pytest.raises(UnsupportedDatabase) as caught:
        SessionStore(url)
    assert "sqlite:///" in caught.value.detail


@pytest.mark.parametrize("url", ["postgres://h/x", "postgresql://h/x", "postgresql+psycopg://h/x"])
def test_every_spelling_of_postgresql_uses_the_same_driver(url: str) -> None:
    assert Database(url).url.drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("postgresql://u:p%40,s@one:5432,two:5433/name", "one,two", "5432,5433"),
        ("postgresql://one,two/name?sslmode=require", "one,two", ","),
        ("postgresql://[::1]:5432,[fe80::1]/name", "::1,fe80::1", "5432,"),
    ],
)
def test_several_hosts_as_libpq_writes_them(url: str, host: str, port: str) -> None:
    parsed = Database(url).url
    _, given = parsed.get_dialect()().create_connect_args(parsed)
    assert (given["host"], given["port"], given["dbname"]) == (host, port, "name")
    assert given["target_session_attrs"] == "read-write", "a standby cannot be written to"


def test_which_of_several_hosts_can_be_chosen() -> None:
    assert Database("postgresql://one,two/x?target_session_attrs=any").url.query["target_session_attrs"] == "any"


def test_one_host_and_a_comma_in_the_password_are_not_several() -> None:
    assert (Database("postgresql://u:a,b@host/x").url.host, Database("postgresql://u:a,b@host/x").url.password) == (
        "host",
        "a,b",
    )
