"""The page for operators lists exactly the metrics, alerts and events that exist."""

import re
from pathlib import Path

import promql_parser
import yaml
from prometheus_client.parser import text_string_to_metric_families

from app.database.postgresql import RIGHTS
from app.database.tables import metadata
from app.results.sql import Census, SessionGroup, SessionProgress
from app.telemetry.metrics import Cells
from app.web.problems import CATALOGUE
from app.web.routes.metrics import exposition
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs/operations.md").read_text()
GROUPS = yaml.safe_load((ROOT / "docs/alerts.yml").read_text())["groups"]
RULES = [rule for group in GROUPS for rule in group["rules"]]
METRIC = re.compile(r"\bbestpair_[a-z_]+\b")
PROMETHEUS_OWN = {"up"}


def exposed() -> dict[str, set[str]]:
    """Returns the names of all exposed samples, by the name of their family."""
    census = Census((SessionGroup("running", "not_yet", 1, 1),), (SessionProgress("s", 0.1, 1, 0.2),))
    families = text_string_to_metric_families(exposition(Cells.alone().totals(), census, "1").decode())
    counters = {"counter": "_total"}
    return {
        family.name + counters.get(family.type, ""): {sample.name for sample in family.samples} for family in families
    }


def section(name: str) -> str:
    return PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]


def first_cells(text: str) -> set[str]:
    """Returns the texts marked as code in the first column of the tables."""
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_the_table_lists_the_metrics_that_a_server_exposes() -> None:
    listed = {name for name in first_cells(section("Metrics")) if name.startswith("bestpair_")}
    assert listed == set(exposed())


def test_the_page_mentions_no_other_metric() -> None:
    samples = {sample for family in exposed().values() for sample in family}
    names = {"bestpair_restored", "bestpair_before", "bestpair_read_key", "bestpair_revision"}
    assert set(METRIC.findall(PAGE)) - names <= samples | set(exposed())


def test_every_alert_rule_parses_uses_existing_metrics_and_is_explained() -> None:
    samples = {sample for family in exposed().values() for sample in family}
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        promql_parser.parse(rule["expr"])
        named = set(METRIC.findall(rule["expr"]))
        assert named or PROMETHEUS_OWN & set(rule["expr"].split())
        assert named <= samples, rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]
    assert {name for name in first_cells(section("Metrics")) if name.startswith("Bestpair")} == {
        rule["alert"] for rule in RULES
    }


def test_label_values_in_rules_are_those_that_are_exposed() -> None:
    text = exposition(Cells.alone().totals(), None, "1").decode()
    for rule in RULES:
        for name, wanted in re.findall(r'\b(route|status|purpose|place)!?=~?"([^"]+)"', rule["expr"]):
            for value in wanted.split("|"):
                assert f'{name}="{value}"' in text, rule["alert"]


def test_every_event_that_is_logged_is_explained() -> None:
    logged: set[str] = set()
    for path in sorted((ROOT / "app").rglob("*.py")):
        if "client" not in path.parts:
            logged |= events_in(path)
    problems = {kind.name for kind in CATALOGUE.values() if kind.status >= 500 and kind.name != "internal-error"}
    assert first_cells(section("Logs")) == logged | problems


def events_in(path: Path) -> set[str]:
    call = r'\b_?log(?:ger|ging\.getLogger\("bestpair"\))?\.(?:info|warning|error|exception|critical)\(\s*"([^"]+)"'
    return set(re.findall(call, path.read_text()))


def test_the_page_lists_the_rights_that_a_server_checks() -> None:
    rows = re.findall(r"^\| ([a-z_, ]+) \| ([A-Z, ]+) \|$", section("Rights of the database user"), re.MULTILINE)
    listed = {table: rights.replace(", ", " ") for names, rights in rows for table in names.split(", ")}
    assert listed == {**RIGHTS, "bestpair_revision": "SELECT"}
    assert set(RIGHTS) == set(metadata.tables), "and they are those of all tables"
