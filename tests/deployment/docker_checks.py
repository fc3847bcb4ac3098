"""`make docker-test`: the deployment of docker-compose.yml, run with the commands of the documentation.

The name keeps it out of `make test`: it needs a Docker daemon, base images and minutes. The tests build on each other
and run in the order of this file. On Linux only: what is stored is read over Docker's network.
"""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.client import Client
from app.database.migrations import head
from tests.deployment.docker import KEY, PASSWORD, Deployment, commands, docker, soon
from tests.e2e.harness import free_port
from tests.e2e.ledger import SETTINGS, Caller, calling, compare

ITEMS = [f"ad-{n}" for n in range(6)]
CALLERS = 2
MADE_UP = f'''"""A made-up revision."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head()}"


def upgrade() -> None:
    op.create_table("made_up", sa.Column("id", sa.Integer, primary_key=True))


def downgrade() -> None:
    op.drop_table("made_up")
'''


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """Three servers, started as the page says."""
    made = Deployment(tmp_path_factory.mktemp("docker"))
    try:
        made.run(commands("up"))
        soon(lambda: is_ready(made.url))
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="module")
def key(deployment: Deployment) -> str:
    """The key that the first start printed, where the page says."""
    (printed,) = set(KEY.findall(deployment.compose("logs migrate")))
    return str(printed)


@pytest.fixture
def client(deployment: Deployment, key: str) -> Iterator[Client]:
    with Client(deployment.url, api_key=key) as caller:
        yield caller


def is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def wait_for_progress(callers: list[Caller]) -> None:
    """Waits until more answers have been acknowledged: the service serves."""
    target = sum(len(caller.accepted) for caller in callers) + 50
    soon(lambda: sum(len(caller.accepted) for caller in callers) >= target)


def check_nothing_lost(deployment: Deployment, client: Client, session: str, callers: list[Caller], what: str) -> None:
    tally = compare(deployment.database_url(), client, session, callers)
    refused = sum((caller.refused for caller in callers), start=callers[0].refused.__class__())
    unsure = sum(caller.unsure for caller in callers)
    print(f"{what}: {tally}, refused {dict(refused)}, without an answer {unsure}")  # noqa: T201 - the table of this run
    assert tally.acknowledged >= 100, "the load was a load"
    assert (tally.lost, tally.doubled) == (0, 0)
    assert set(refused) <= {503}


def test_up_as_written_makes_a_service_that_asks_for_the_printed_key(deployment: Deployment, key: str) -> None:
    assert len(deployment.servers()) == 3
    assert httpx.get(f"{deployment.url}/").status_code == 200, "the dashboard"
    for headers, status in (({}, 401), ({"Authorization": f"Bearer {key}"}, 200)):
        assert httpx.get(f"{deployment.url}/v1/sessions", headers=headers).status_code == status
    assert deployment.logs().count(key) == 1
    built = deployment.compose("images --format json")
    assert {image["Repository"] for image in json.loads(built)} >= {deployment.name, "postgres"}


def test_servers_run_without_root_on_a_read_only_root(deployment: Deployment) -> None:
    server = deployment.servers()[0]
    assert docker("exec", server, "id", "-u") == "10001"
    assert "Read-only" in subprocess.run(
        ["docker", "exec", "-u", "0", server, "touch", "/new"],  # noqa: S607
        capture_output=True, text=True, check=False,
    ).stderr  # fmt: skip
    assert docker("inspect", "--format", "{{range .Mounts}}{{.Name}}{{end}}", server) == "", (
        "a volume would be left over"
    )
    assert docker("exec", server, "sh", "-c", "find /usr/local /opt -name pip -o -name setuptools -o -name tests") == ""


def test_kills_of_servers_and_of_the_database_lose_nothing(deployment: Deployment, client: Client, key: str) -> None:
    session = client.create_session(ITEMS, **SETTINGS).id
    with calling([deployment.url] * CALLERS, session, api_key=key) as callers:
        wait_for_progress(callers)
        for victim in (deployment.servers()[0], deployment.compose("ps --quiet database"), deployment.servers()[1]):
            docker("kill", "--signal", "KILL", victim)
            docker("start", victim)
            wait_for_progress(callers)
    check_nothing_lost(deployment, client, session, callers, "kills of two servers and the database")


def test_a_restart_of_everything_loses_nothing(deployment: Deployment, client: Client, key: str) -> None:
    session = client.create_session(ITEMS, **SETTINGS).id
    with calling([deployment.url] * CALLERS, session, api_key=key) as callers:
        wait_for_progress(callers)
        deployment.compose("restart app database")
        wait_for_progress(callers)
    check_nothing_lost(deployment, client, session, callers, "restart of all servers and the database")


def test_backup_and_restore_as_written(deployment: Deployment, client: Client) -> None:
    session = client.create_session(ITEMS, **SETTINGS | {"ticket_ttl_seconds": 3600}).id

    def answer(times: int) -> None:
        for _ in range(times):
            assert client.feedback(session, client.next_pair(session).ticket, reward=1).status == "accepted"

    answer(30)
    handed_out = client.next_pair(session).ticket
    deployment.run(commands("backup"))
    answer(5)
    assert client.get_session(session).counters.answered == 35
    deployment.run(commands("restore"))
    assert len(deployment.servers()) == 3
    soon(lambda: is_ready(deployment.url))
    assert client.get_session(session).counters.answered == 30, "as at the backup"
    assert client.feedback(session, handed_out, reward=1).status == "accepted"
    answer(5)
    assert client.get_session(session).counters.answered == 36


def test_upgrade_as_written_with_a_migration(deployment: Deployment, client: Client, key: str) -> None:
    old = deployment.servers()
    docker("tag", deployment.name, f"{deployment.name}:before")
    try:
        new_version(deployment, "9.9.8", MADE_UP.replace("def upgrade() -> None:", "def upgrade() -> None:\n    1 / 0"))
        assert deployment.run(commands("upgrade"), check=False).returncode != 0
        assert deployment.servers() == old, "a step that fails removes nothing"

        new_version(deployment, "9.9.9", MADE_UP)
        session = client.create_session(ITEMS, **SETTINGS).id
        with calling([deployment.url] * CALLERS, session, api_key=key) as callers:
            wait_for_progress(callers)
            deployment.run(commands("upgrade"))
            wait_for_progress(callers)
        assert len(deployment.servers()) == 3
        assert not set(deployment.servers()) & set(old)
        versions = [httpx.get(f"{deployment.url}/version").json()["version"] for _ in range(12)]
        assert set(versions) == {"9.9.9"}
        check_nothing_lost(deployment, client, session, callers, "upgrade with a migration")

        back = deployment.run(
            "docker compose run --rm --no-deps migrate", check=False, BESTPAIR_IMAGE=f"{deployment.name}:before"
        )
        assert back.returncode == 2
        assert "bestpair: the database is at revision 9999, which belongs to a newer version of bestpair" in back.stderr
        assert "Traceback" not in back.stdout + back.stderr
    finally:
        docker("image", "rm", f"{deployment.name}:before", check=False)


def new_version(deployment: Deployment, version: str, revision: str) -> None:
    (deployment.folder / "alembic/versions/9999_made_up.py").write_text(revision)
    project = deployment.folder / "pyproject.toml"
    text, times = re.subn(r'^version = ".*"$', f'version = "{version}"', project.read_text(), flags=re.MULTILINE)
    assert times == 1
    project.write_text(text)


def test_nothing_printed_the_password(deployment: Deployment) -> None:
    parts = {PASSWORD, *re.findall(r"[^ ]{4,}", PASSWORD)}
    assert not [part for part in parts if part in deployment.logs()]


@pytest.mark.parametrize("line", [1, 2])
def test_docker_run_as_in_the_readme(deployment: Deployment, line: int, tmp_path: Path) -> None:
    """The documented line, and the shortest one that a newcomer types; on loopback and under another name."""
    port, name = free_port(), f"{deployment.name}-run"
    documented = commands("run", "README.md").splitlines()[1]
    written = documented if line == 1 else "docker run --publish 127.0.0.1:8000:8000 bestpair"
    assert documented.split("#")[0].split()[-1] == "bestpair"
    words = (
        written.split("#")[0].replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("bestpair:/data", f"{name}:/data")
    )
    words = (
        words.replace("docker run", f"docker run --name {name}", 1).rstrip().removesuffix("bestpair") + deployment.name
    )
    output = tmp_path / "output"
    with output.open("wb") as log:
        running = subprocess.Popen(["bash", "-c", f"exec {words}"], stdout=log, stderr=log)  # noqa: S607
    try:
        soon(lambda: running.poll() is not None or is_ready(f"http://127.0.0.1:{port}"))
        (key,) = KEY.findall(output.read_text())
        with Client(f"http://127.0.0.1:{port}", api_key=key) as caller:
            session = caller.create_session(["a", "b", "c"]).id
            assert caller.feedback(session, caller.next_pair(session).ticket, reward=1).status == "accepted"
        assert httpx.get(f"http://127.0.0.1:{port}/v1/sessions").status_code == 401
        docker("stop", name)
        assert running.wait(30) == 0
    finally:
        docker("rm", "--force", "--volumes", name, check=False)
        docker("volume", "rm", "--force", name, check=False)
        running.wait(30)


def test_a_stop_right_after_the_start_takes_no_grace_period(deployment: Deployment) -> None:
    name = f"{deployment.name}-stop"
    docker("run", "--detach", "--name", name, deployment.name)
    try:
        soon(lambda: int(docker("exec", name, "grep", "SigCgt", "/proc/1/status").split()[1], 16) & 1 << 14)
        began = time.monotonic()
        docker("stop", "--time", "20", name)
        assert time.monotonic() - began < 10
        assert docker("inspect", "--format", "{{.State.ExitCode}}", name) in {"143", "0"}
    finally:
        docker("rm", "--force", "--volumes", name, check=False)
