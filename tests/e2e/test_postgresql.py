"""PostgreSQL as people run it: schemas in the URL, weak durability defaults, poolers, standbys that take over."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.client import Client
from app.database.migrations import migrate
from app.verification.verify import verify
from tests.clusters import Cluster, own_cluster
from tests.deployment import pgbouncer
from tests.e2e.harness import Server, stored_impressions
from tests.e2e.ledger import SETTINGS, Record, calling, check, compare
from tests.e2e.test_faults import ITEMS, wait_for_more

ROUNDS = int(os.environ.get("BESTPAIR_TEST_FAULTS", "1"))  # make torture asks for more
NOTICED_SECONDS = 10.0


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with own_cluster() as made:
        yield made


def test_a_schema_in_the_url_is_where_all_rows_go(cluster: Cluster, tmp_path: Path) -> None:
    cluster.execute("CREATE SCHEMA tenant")
    migrate(cluster.url())  # the same tables elsewhere: rows that go astray would not be noticed
    url = cluster.url(options="-csearch_path%3Dtenant", application_name="bestpair-test")
    migrate(url)
    with Server(url, tmp_path) as server, Client(server.url) as client:
        session = client.create_session(ITEMS, **SETTINGS).id
        client.feedback(session, client.next_pair(session).ticket, reward=1)
        assert cluster.execute("SELECT outcome FROM tenant.impressions") == [(1.0,)]
        assert cluster.execute("SELECT count(*) FROM public.sessions") == [(0,)]
        others = "backend_type = 'client backend' AND pid <> pg_backend_pid()"
        names = cluster.execute(f"SELECT DISTINCT application_name FROM pg_stat_activity WHERE {others}")  # noqa: S608
        assert names == [("bestpair-test",)], "what the URL asks for reaches all connections"


def test_a_parameter_that_libpq_does_not_know_is_refused_at_the_start(cluster: Cluster, tmp_path: Path) -> None:
    server = Server(cluster.url(serch_path="tenant"), tmp_path).start(wait=False)
    assert server.process.wait(30) == 2
    assert "serch_path" in server.log.read_text()
    assert "Traceback" not in server.log.read_text()


def test_commits_are_on_disk_whatever_the_role_is_set_to(
    cluster: Cluster, tmp_path: Path, record_property: Record
) -> None:
    """The server ends before its next write of the log: what was committed without waiting for it is gone."""
    cluster.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
    cluster.execute("ALTER SYSTEM SET wal_writer_flush_after = '1GB'")
    cluster.execute("ALTER ROLE postgres SET synchronous_commit = off")
    cluster.stop()
    cluster.start()
    migrate(cluster.url())
    with Server(cluster.url(), tmp_path) as server, Client(server.url) as client:
        session = client.create_session(ITEMS, **SETTINGS).id
        with calling([server.url] * 4, session) as callers:
            for _ in range(2 * ROUNDS):
                wait_for_more(callers)
                cluster.crash()
                cluster.start()
            wait_for_more(callers)
        tally = compare(cluster.url(), client, session, callers)
        check(tally, record_property, "crash with synchronous_commit=off", "postgresql", 2 * ROUNDS)
        assert "synchronous_commit" in server.log.read_text(), "the start says what it does about it"


def test_stricter_commits_are_left_alone(cluster: Cluster, tmp_path: Path) -> None:
    migrate(cluster.url())
    cluster.execute("ALTER ROLE postgres SET synchronous_commit = remote_apply")
    cluster.execute("CREATE TABLE seen AS SELECT ''::text AS setting")
    cluster.execute(
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$"
    )
    cluster.execute("CREATE TRIGGER note BEFORE INSERT ON impressions FOR EACH ROW EXECUTE FUNCTION note()")
    with Server(cluster.url(), tmp_path) as server, Client(server.url) as client:
        client.next_pair(client.create_session(ITEMS, **SETTINGS).id)
    assert ("remote_apply",) in cluster.execute("SELECT setting FROM seen")


@pytest.mark.skipif(
    pgbouncer.program() is None and os.environ.get(pgbouncer.REQUIRED) != "required",
    reason="there is no PgBouncer here",
)
def test_pgbouncer_in_transaction_mode(cluster: Cluster, tmp_path: Path, record_property: Record) -> None:
    """Two servers behind the pooler; one is killed and comes back. Nothing is lost, and nobody gets a 5xx."""
    with pgbouncer.PgBouncer(tmp_path, cluster) as pooler:
        url = pooler.url("postgres")
        migrate(url)
        with Server(url, tmp_path) as one, Server(url, tmp_path) as two, Client(two.url) as client:
            session = client.create_session(ITEMS, **SETTINGS).id
            with calling([one.url, two.url] * 4, session) as callers:
                for _ in range(ROUNDS):
                    wait_for_more(callers)
                    one.kill()
                    wait_for_more(callers[1::2])
                    one.start()
                wait_for_more(callers)
            assert not any(caller.refused for caller in callers), [caller.refused for caller in callers]
            tally = compare(url, client, session, callers)
            check(tally, record_property, "pgbouncer, one of two servers killed", "postgresql", ROUNDS)


@contextmanager
def two_servers(primary: Cluster, standby: Cluster, folder: Path) -> Iterator[tuple[str, Server, Server]]:
    """Yields the URL that names both databases, and two servers that use it."""
    url = f"postgresql://postgres@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/postgres"
    with Server(url, folder) as one, Server(url, folder) as two:
        yield url, one, two


def test_a_synchronous_standby_takes_over(cluster: Cluster, tmp_path: Path, record_property: Record) -> None:
    migrate(cluster.url())
    standby = cluster.copied_to(cluster.folder.parent / "standby", "standby")
    cluster.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    cluster.execute("SELECT pg_reload_conf()")
    with two_servers(cluster, standby, tmp_path) as (_, one, two), Client(two.url) as client:
        session = client.create_session(ITEMS, **SETTINGS).id
        with calling([one.url, two.url] * 2, session) as callers:
            wait_for_more(callers)
            cluster.crash()
            standby.promote()
            wait_for_more(callers)
        assert {status for caller in callers for status in caller.refused} <= {503}
        tally = compare(standby.url(), client, session, callers)
        check(tally, record_property, "synchronous standby promoted", "postgresql", 1)
        assert not client.best_pair(session).health, "nothing was lost, so nothing is noted"


def test_an_asynchronous_standby_takes_over(cluster: Cluster, tmp_path: Path, record_property: Record) -> None:
    """It did not get the last seconds: these are lost, people are told, and nothing is issued outside its plan."""
    migrate(cluster.url())
    standby = cluster.copied_to(cluster.folder.parent / "standby", "standby")
    with two_servers(cluster, standby, tmp_path) as (_, one, two), Client(two.url) as client:
        session = client.create_session(ITEMS, epsilon=0.3, delta=0.2, policy="lucb", ticket_ttl_seconds=3, seed=1).id
        with calling([one.url, two.url] * 2, session) as callers:
            wait_for_plans(client, session, 3)
            safe = [dict(caller.accepted) for caller in callers]
            cut_off(cluster, standby)
            in_doubt_from = [len(caller.accepted) for caller in callers]
            wait_for_plans(client, session, 3)
            cluster.crash()
            standby.promote()
            promoted = time.monotonic()
            for server in (one, two):
                wait_for_note(server, session)
            noticed = time.monotonic() - promoted
            in_doubt_to = [len(caller.accepted) for caller in callers]
            wait_for_more(callers)
            wait_until_certified(client, session)
        assert {status for caller in callers for status in caller.refused} <= {404, 503}, "404: a ticket that is lost"
        stored = {row["ticket"]: row["outcome"] for row in stored_impressions(standby.url(), session)}
        for caller, kept, first, last in zip(callers, safe, in_doubt_from, in_doubt_to, strict=True):
            later = dict(list(caller.accepted.items())[last:])
            assert first >= len(kept)
            assert all(stored.get(ticket) == reward for ticket, reward in {**kept, **later}.items())
        accepted = {ticket for caller in callers for ticket in caller.accepted}
        lost = len(accepted - stored.keys())
        row = [
            f"asynchronous standby, noticed in {noticed:.1f} s",
            "postgresql",
            1,
            len(accepted),
            len(accepted) - lost,
        ]
        record_property("fault", [*row, f"{lost} by the database", 0])
        assert lost > 0, "the standby was behind"
        checks = verify(json.loads(client.certificate(session)), list(client.export(session)))
        assert [each for each in checks if not each.holds] == []


def wait_for_plans(client: Client, session: str, more: int) -> None:
    """Waits until the session has made this many plans more."""
    wanted, until = client.best_pair(session).plan_version + more, time.monotonic() + 30
    while client.best_pair(session).plan_version < wanted:
        assert time.monotonic() < until, "no plans are made"
        time.sleep(0.05)


def cut_off(primary: Cluster, standby: Cluster) -> None:
    """Lets the standby catch up, then keeps it from hearing of anything more."""
    ((reached,),) = primary.execute("SELECT pg_current_wal_lsn()")
    until = time.monotonic() + 30
    while not standby.execute(f"SELECT pg_last_wal_replay_lsn() >= '{reached}'")[0][0]:
        assert time.monotonic() < until, "the standby does not follow"
        time.sleep(0.05)
    standby.execute("ALTER SYSTEM SET primary_conninfo = ''")
    standby.execute("SELECT pg_reload_conf()")
    while standby.execute("SELECT count(*) FROM pg_stat_wal_receiver") != [(0,)]:
        assert time.monotonic() < until, "the standby still follows"
        time.sleep(0.05)


def wait_for_note(server: Server, session: str) -> None:
    until = time.monotonic() + NOTICED_SECONDS
    while True:
        assert time.monotonic() < until, f"not noticed: {server.log.read_text()[-2000:]}"
        try:
            health: list[Any] = httpx.get(f"{server.url}/v1/sessions/{session}/best-pair").json().get("health", [])
        except (httpx.HTTPError, ValueError):
            health = []
        if any("earlier state" in entry["problem"] for entry in health):
            assert not any(entry["suspends"] for entry in health)
            return
        time.sleep(0.1)


def wait_until_certified(client: Client, session: str) -> None:
    until = time.monotonic() + 60
    while not client.best_pair(session).certified:
        assert time.monotonic() < until, client.best_pair(session)
        time.sleep(0.2)
