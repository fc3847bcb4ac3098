"""The image without Docker: the steps of the Dockerfile run by hand in a scratch directory end in a working server."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import httpx
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
MOVED = ("/opt/bestpair", "/src", "/data", "/wheels", "/package")
"""Places of the image that the scratch directory stands in for."""

PLAIN = {"useradd": "exit 0", "install": 'for last; do :; done; mkdir -p "$last"'}
"""Commands that need root, done as far as they can be without."""


def instructions() -> list[tuple[str, str]]:
    """Returns the instructions of the Dockerfile and what follows each."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def declared(by: str) -> set[str]:
    """Returns the distributions that this one says it needs, and what those need in turn."""
    found, waiting = set[tuple[str, str]](), [(by, "")]
    while waiting:
        name, extra = waiting.pop()
        found.add((name, extra))
        for needed in map(Requirement, metadata.requires(name) or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                asked = {(needed.name, one) for one in ("", *needed.extras)}
                waiting += asked - found
    return {name for name, _ in found} - {by}


def lend(environment: Path, names: set[str]) -> None:
    """Puts these distributions, and nothing else, into the new environment as they are installed here.

    pip then finds them there, in the version of the constraints, instead of unpacking them all again; what is used
    without being declared is still missed.
    """
    (site,) = environment.glob("lib/python3*/site-packages")
    for name in names:
        one = metadata.distribution(name)
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(str(one.locate_file(top)))


class Scratch:
    """A directory in which the steps are run one after the other."""

    def __init__(self, root: Path) -> None:
        self.root, self.workdir, self.stage = root, root, 0
        self.variables: dict[str, str] = {}
        shims = root / "shims"
        shims.mkdir()
        for name, body in PLAIN.items():
            (shims / name).write_text(f"#!/bin/sh\n{body}\n")
            (shims / name).chmod(0o755)
        # An environment of its own stands in for the base image's Python: packages come and go there.
        python = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
        subprocess.run([python, "-m", "venv", root / "base"], check=True)
        lend(root / "base", {"hatchling"} | declared("hatchling"))
        self.path = f"{shims}:{root / 'base/bin'}:{os.environ['PATH']}"

    def moved(self, text: str) -> str:
        for place in MOVED:
            text = text.replace(place, f"{self.root}{place}")
        return text

    def environment(self) -> dict[str, str]:
        image = {name: self.moved(value).replace("$PATH", self.path) for name, value in self.variables.items()}
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "HOME", "LANG"))}
        return {"PATH": self.path, "PIP_NO_COMPILE": "1", **kept, **image}  # byte code only saves the image time

    def run(self, command: str) -> None:
        done = subprocess.run(  # noqa: S602 - a shell, as the image's build has
            self.moved(command),
            shell=True,
            cwd=self.workdir,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

    def step(self, name: str, rest: str) -> None:
        if name == "FROM":
            self.stage, self.variables = self.stage + 1, {}
        elif name == "ENV":
            self.variables |= dict(part.split("=", 1) for part in shlex.split(rest))
        elif name == "WORKDIR":
            self.workdir = Path(self.moved(rest))
            self.workdir.mkdir(parents=True, exist_ok=True)
        elif name == "RUN":
            self.run(rest)
            if "-m venv" in rest:
                lend(Path(self.moved(rest.rsplit(maxsplit=1)[-1])), declared("bestpair"))
        elif name == "COPY" and rest.startswith("--from"):
            _, *ends = self.moved(rest).split()
            made, there = (self.workdir / end for end in ends)  # all stages share one disk: it may be there already
            if there not in (made, made.parent):
                subprocess.run(["cp", "-r", f"{made}/.", there], check=True)  # noqa: S607
        elif name == "COPY":
            *sources, target = rest.split()
            for source in sources:
                subprocess.run(["cp", "-r", ROOT / source, self.workdir / target], check=True)  # noqa: S607


def test_the_steps_of_the_image_end_in_a_working_server(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    steps = instructions()
    for name, rest in steps:
        scratch.step(name, rest)
    assert scratch.stage == 4
    assert not (tmp_path / "base/bin/pip").exists()
    assert not list((tmp_path / "opt").rglob("pip"))
    said = dict(steps)  # the last one of a kind is that of the image
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    environment = scratch.environment() | {"BESTPAIR_HOST": "127.0.0.1", "BESTPAIR_PORT": port}
    server = subprocess.Popen(json.loads(said["CMD"]), cwd=scratch.workdir, env=environment, stdout=subprocess.DEVNULL)
    try:
        healthcheck = json.loads(said["HEALTHCHECK"].split("CMD", 1)[1].replace(":8000", f":{port}"))
        deadline = time.monotonic() + 60
        while subprocess.run(healthcheck, env=environment, check=False, capture_output=True).returncode:
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < deadline
            time.sleep(0.2)
        answer = httpx.post(f"http://127.0.0.1:{port}/v1/sessions", json={"items": ["a", "b", "c"]})
        assert answer.status_code == 201
        assert (tmp_path / "data" / "bestpair.db").exists()
    finally:
        server.terminate()
        assert server.wait(30) in (0, -signal.SIGTERM)  # it ended by itself, and says what asked it to


@pytest.mark.parametrize("name", ["USER", "HEALTHCHECK", "CMD"])
def test_the_image_says_how_it_runs(name: str) -> None:
    assert name in dict(instructions())


def test_the_image_does_not_run_as_root() -> None:
    assert dict(instructions())["USER"] not in ("root", "0")


def test_a_change_of_the_code_installs_no_dependency_again() -> None:
    """A layer is built again if what was copied before it has changed."""
    steps = [f"{name} {rest}" for name, rest in instructions()]
    installed = next(number for number, step in enumerate(steps) if "--requirement" in step)
    copied = [number for number, step in enumerate(steps) if step.startswith("COPY") and "app" in step.split()]
    assert copied
    assert installed < min(copied)
    assert not [step for step in steps[:installed] if step.startswith("COPY") and "pyproject.toml" in step.split()][1:]
    final = [step for step in steps if step.startswith("COPY --from")][-2:]
    assert [step.split()[1] for step in final] == ["--from=dependencies", "--from=package"]


def test_a_container_has_a_minute_to_become_healthy() -> None:
    assert "--start-period=60s" in dict(instructions())["HEALTHCHECK"]
