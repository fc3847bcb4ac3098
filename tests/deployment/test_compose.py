"""What docker-compose.yml promises about who reaches whom, and what strangers can fill."""

from pathlib import Path
from typing import Any

import pytest
import yaml

COMPOSE: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def test_only_servers_reach_the_database() -> None:
    assert SERVICES["database"]["networks"] == ["back"]
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert "back" not in SERVICES["gateway"]["networks"]
    assert set(SERVICES["app"]["networks"]) == {"front", "back"} >= set(SERVICES["gateway"]["networks"])
    assert "back" in SERVICES["migrate"]["networks"]


def test_only_the_gateway_is_published_and_on_this_machine_only() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"gateway": ["127.0.0.1:8080:8080"]}


@pytest.mark.parametrize("name", ["app", "migrate", "gateway"])
def test_what_strangers_talk_to_cannot_grow_or_rise(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert all("size=" in each for each in service["tmpfs"]), "a tmpfs is memory"
