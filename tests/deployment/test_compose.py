"""What docker-compose.yml and the documented commands promise, and what Compose would refuse; without Docker."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deployment.docker import COPIED, ROOT, commands

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PAGES = [ROOT / "README.md", ROOT / "docker-compose.yml", *sorted((ROOT / "docs").glob("*.md"))]
WITHOUT_SERVICE = {"build", "config", "down"}
"""Subcommands of Compose that the pages use for all services at once."""
WITH_VALUE = {"--scale", "--timeout", "--name", "--scope"}


def documented() -> list[tuple[str, list[str]]]:
    """Returns the page and the words of every `docker compose` command in the documentation."""
    found = []
    for page in PAGES:
        for line in page.read_text().replace("\\\n", " ").splitlines():
            for command in re.findall(r"docker compose ((?:(?!#|`|\)|&&|[<>|]| {2,}).)+)", line):
                found.append((page.name, command.split()))
    return found


def services_in(words: list[str]) -> set[str]:
    """Returns the services that a command names: one for exec and run, all plain words for the others."""
    plain, values = [], False
    for word in words[1:]:
        if not values and not word.startswith("-"):
            plain.append(word)
        values = word in WITH_VALUE
    named = set(plain[:1] if words[0] in {"exec", "run"} else plain)
    return named | {word.partition("=")[0] for before, word in pairwise(words) if before == "--scale"}


def test_only_servers_reach_the_database() -> None:
    assert SERVICES["database"]["networks"] == ["back"]
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert "back" not in SERVICES["gateway"]["networks"]
    assert set(SERVICES["app"]["networks"]) == {"front", "back"} >= set(SERVICES["gateway"]["networks"])
    assert "back" in SERVICES["migrate"]["networks"]


def test_only_the_gateway_is_published_and_on_this_machine_only() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"gateway": ["127.0.0.1:${BESTPAIR_GATEWAY_PORT:-8080}:8080"]}


@pytest.mark.parametrize("name", ["app", "migrate", "gateway"])
def test_what_strangers_talk_to_cannot_grow_or_rise(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert all("size=" in each for each in service["tmpfs"]), "a tmpfs is memory"


def test_services_with_a_read_only_root_get_their_configuration_from_files() -> None:
    """Compose writes `content` and `environment` into the container when it starts, and refuses a read-only one."""
    sources = {
        each["source"] if isinstance(each, dict) else each
        for service in SERVICES.values()
        if service.get("read_only")
        for each in [*service.get("configs", ()), *service.get("secrets", ())]
    }
    assert sources, "the gateway has a configuration"
    given = {**COMPOSE.get("configs", {}), **COMPOSE.get("secrets", {})}
    for source in sources:
        assert set(given[source]) == {"file"}, source
        assert (ROOT / given[source]["file"]).is_file()


def test_no_password_is_part_of_a_url() -> None:
    """Some characters would need escapes there, which Compose cannot add."""
    values = [str(value) for service in SERVICES.values() for value in service.get("environment", {}).values()]
    assert not [value for value in values if "://" in value and "${" in value]
    assert [value for value in values if "POSTGRES_PASSWORD" in value]


def test_the_image_is_built_once_and_pulled_never() -> None:
    using = {name: service for name, service in SERVICES.items() if service["image"].startswith("${BESTPAIR_IMAGE")}
    assert set(using) == {"migrate", "app"}
    assert [name for name, service in using.items() if "build" in service] == ["app"]
    assert using["migrate"]["pull_policy"] == "never"


def test_the_database_is_not_called_healthy_while_it_is_being_made() -> None:
    """At the first start PostgreSQL runs twice, at first on its socket only."""
    check = SERVICES["database"]["healthcheck"]
    assert "--host" in check["test"]
    assert check["start_period"] == "60s"


def test_documented_commands_name_services_that_exist() -> None:
    found = documented()
    assert {words[0] for _, words in found} >= {"up", "logs", "exec", "run", "stop", "build"}
    for page, words in found:
        assert services_in(words) <= set(SERVICES), (page, words)
        assert services_in(words) or words[0] in {*WITHOUT_SERVICE, "up", "config"}, (page, words)


@pytest.mark.parametrize("recipe", ["restore", "upgrade"])
def test_a_step_of_a_recipe_that_fails_ends_it(recipe: str) -> None:
    lines = commands(recipe).replace("\\\n", " ").splitlines()
    assert all(line.rstrip().endswith("&&") for line in lines[:-1])
    assert ";" not in "".join(lines)
    assert "|" not in "".join(lines), "a pipe hides a failure"


@pytest.mark.parametrize("recipe", ["restore", "upgrade"])
def test_recipes_do_not_start_an_old_migration_again(recipe: str) -> None:
    for step in re.findall(r"docker compose (?:run|up) .*", commands(recipe)):
        assert "--no-deps" in step


def test_the_copy_for_docker_tests_has_all_that_the_image_takes() -> None:
    taken = re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    assert set(taken) <= set(COPIED)
    assert Path(COMPOSE["configs"]["gateway"]["file"]).parts[0] in COPIED


def test_docker_tests_are_skipped_in_one_line_where_there_is_no_daemon() -> None:
    nowhere = {**os.environ, "DOCKER_HOST": "unix:///nowhere"}
    command = [sys.executable, "-m", "tests.deployment.docker"]
    ran = subprocess.run(command, cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert re.fullmatch(r"docker-test is skipped: .+\n", ran.stderr)
