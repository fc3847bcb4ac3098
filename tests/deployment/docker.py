"""A deployment in Docker for `make docker-test`: a copy of the project, with names, volumes and a port of its own."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import URL

from tests.e2e.harness import free_port

ROOT = Path(__file__).parents[2]
COPIED = (".dockerignore", "Dockerfile", "LICENSE", "README.md", "alembic", "app", "constraints.txt", "docker",
          "docker-compose.yml", "pyproject.toml")  # fmt: skip
PASSWORD = "p@ss#w %/:$HOME'\"\\ ü"  # noqa: S105 - of a database that lives as long as the test
KEY = re.compile(r"\bbp_[0-9a-f]{12}_[\w-]{43}(?![\w-])")
COMMAND_SECONDS = 900
"""Nothing takes longer: a first build downloads all dependencies."""
READY_SECONDS = 180


def missing() -> str | None:
    """Returns what keeps the tests from running here."""
    if shutil.which("docker") is None:
        return "docker is not installed"
    for words, advice in (
        (["info"], "no Docker daemon answers"),
        (["compose", "version"], "there is no docker compose"),
    ):
        if subprocess.run(["docker", *words], capture_output=True, check=False).returncode:  # noqa: S607
            return advice
    return None


def commands(what: str, page: str = "docs/operations.md") -> str:
    """Returns the block of the page after the comment `docker WHAT`."""
    text = (ROOT / page).read_text()
    (block,) = re.findall(rf"^<!-- docker {what} -->\n```sh\n(.*?)^```\n", text, re.MULTILINE | re.DOTALL)
    return str(block)


def docker(*words: str, check: bool = True) -> str:
    """Returns what the command prints to stdout; raises with all it printed if it fails."""
    ran = subprocess.run(
        ["docker", *words],  # noqa: S607
        capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS,
    )  # fmt: skip
    assert not check or ran.returncode == 0, f"docker {' '.join(words)}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout.strip()


def soon(fact: Callable[[], object], seconds: float = READY_SECONDS) -> None:
    """Waits until it is so."""
    until = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < until, "it did not become so in time"
        time.sleep(0.2)


class Deployment:
    """docker-compose.yml in a copy of the project; `remove` takes everything away that was made."""

    def __init__(self, folder: Path) -> None:
        self.name = f"bestpair-test-{uuid.uuid4().hex[:8]}"
        self.folder = folder / "project"
        self.folder.mkdir()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._images: set[str] = set()
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.folder / name)
        self.variables = {
            "COMPOSE_PROJECT_NAME": self.name,
            "BESTPAIR_IMAGE": self.name,
            "BESTPAIR_GATEWAY_PORT": str(self.port),
            "POSTGRES_PASSWORD": PASSWORD,
        }

    def run(self, script: str, *, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs commands of a page as they are written, in the copy."""
        ran = subprocess.run(
            ["bash", "-uc", script.replace("export POSTGRES_PASSWORD='...'", ":")],  # noqa: S607
            cwd=self.folder,
            env={**os.environ, **self.variables, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        self._remember_image()
        assert not check or ran.returncode == 0, f"{script}\n{ran.stdout}\n{ran.stderr}"
        return ran

    def compose(self, words: str) -> str:
        return self.run(f"docker compose {words}").stdout.strip()

    def servers(self) -> list[str]:
        """Returns the containers of `app` that run."""
        return self.compose("ps --quiet app").split()

    def logs(self) -> str:
        """Returns every line of every container that there is."""
        ran = self.run("docker compose logs --no-color")
        return ran.stdout + ran.stderr

    def database_url(self) -> str:
        """Returns the address of the database for this machine, which is in all of Docker's networks."""
        container = self.compose("ps --quiet database")
        networks = json.loads(docker("inspect", "--format", "{{json .NetworkSettings.Networks}}", container))
        (network,) = networks.values()
        url = URL.create(
            "postgresql", "bestpair", PASSWORD, network["IPAddress"], database="bestpair"
        )  # nothing is published
        return url.render_as_string(hide_password=False)

    def remove(self) -> None:
        """Removes containers, volumes, networks and images; nothing else that is on the daemon."""
        self.run("docker compose down --volumes --remove-orphans --timeout 5", check=False)
        docker("image", "rm", "--force", *self._images, check=False)

    def _remember_image(self) -> None:
        found = docker("image", "inspect", "--format", "{{.Id}}", self.name, check=False)
        self._images |= {found} - {""}


if __name__ == "__main__":
    reason = missing()
    if reason:
        sys.exit(f"docker-test is skipped: {reason}")
