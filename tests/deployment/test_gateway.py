"""nginx in front of two real servers on one PostgreSQL, configured as docker-compose.yml says."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.settings import Settings
from tests.deployment import nginx
from tests.e2e.harness import Server, free_port

pytestmark = pytest.mark.skipif(
    not nginx.is_installed() and os.environ.get(nginx.REQUIRED) != "required", reason="there is no nginx here"
)


@pytest.fixture
def servers(postgresql_url: str, tmp_path: Path) -> Iterator[list[Server]]:
    both = [Server(postgresql_url, tmp_path).start(wait=False) for _ in range(2)]
    try:
        for server in both:
            server._wait_until_ready()
        yield both
    finally:
        for server in both:
            server.stop()


@pytest.fixture
def gateway(servers: list[Server], tmp_path: Path) -> Iterator[httpx.Client]:
    with (
        nginx.Gateway(tmp_path, free_port(), [server.port for server in servers]) as running,
        httpx.Client(base_url=running.url, timeout=30) as caller,
    ):
        yield caller


def served(server: Server) -> float:
    """Returns how many calls of an ad server this server has answered well."""
    families = text_string_to_metric_families(httpx.get(f"{server.url}/metrics", timeout=20).text)
    return sum(
        sample.value
        for family in families
        for sample in family.samples
        if sample.name == "bestpair_requests_total"
        and sample.labels["route"] in {"next-pair", "feedback"}
        and sample.labels["status"] == "2xx"
    )


def new_session(gateway: httpx.Client) -> str:
    made = gateway.post("/v1/sessions", json={"items": ["a", "b", "c"], "epsilon": 0.01})
    assert made.status_code == 201, made.text
    return str(made.headers["location"])


def use(gateway: httpx.Client, session: str, times: int) -> None:
    for _ in range(times):
        shown = gateway.post(f"{session}/next-pair")
        assert shown.status_code == 200, shown.text
        answer = {"ticket": shown.json()["ticket"], "reward": 1}
        assert gateway.post(f"{session}/feedback", json=answer).json() == {"status": "accepted"}


def test_requests_are_spread_streams_are_live_and_limits_are_told(servers: list[Server], gateway: httpx.Client) -> None:
    session = new_session(gateway)
    use(gateway, session, 20)
    shares = [served(server) for server in servers]
    assert sum(shares) == 40
    assert min(shares) >= 10

    with gateway.stream("GET", f"{session}/events") as stream:
        lines = stream.iter_lines()
        assert next(line for line in lines if line.startswith("data:"))
        gateway.patch(session, json={"state": "paused"})
        assert next(line for line in lines if line.startswith("data:") and '"paused"' in line), "while it is open"

    refused = gateway.post("/v1/sessions", content=b" " * (3 << 20), headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["type"]) == (413, "/problems/body-too-large")
    assert refused.headers["content-type"] == "application/problem+json"
    assert gateway.get("/metrics").status_code == 404, "it would tell of one replica only"
    assert gateway.get(f"{session}/export").text.count("\n") > 20


def test_one_server_dies_and_nobody_notices_both_die_and_it_is_told(
    servers: list[Server], gateway: httpx.Client
) -> None:
    session = new_session(gateway)
    use(gateway, session, 6)
    servers[0].kill()
    use(gateway, session, 20)
    assert served(servers[1]) >= 40
    servers[1].kill()
    told = gateway.post(f"{session}/next-pair")
    assert (told.status_code, told.json()["type"]) == (503, "/problems/not-ready")
    assert told.headers["retry-after"] == "2"
    assert told.headers["content-type"] == "application/problem+json"


def test_the_gateway_takes_bodies_as_large_as_the_server_does() -> None:
    assert "client_max_body_size 2m;" in nginx.carried()
    assert Settings().body_limit_bytes == 2 << 20
