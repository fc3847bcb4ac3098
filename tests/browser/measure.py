"""Measures the dashboard with a large session: python -m tests.browser.measure [--items 800] [--impressions 1000000]

Prints the time of the requests of the page, the time to its first content, and the cost of an update.
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

import httpx
from playwright.sync_api import Browser, CDPSession, Page

from app.client import Client
from tests.browser.browsers import browser
from tests.browser.large import fill
from tests.e2e.harness import Server

ROUNDS = 5
IDLE_SECONDS = 3.0
CPU_METRICS = ("TaskDuration", "LayoutDuration", "RecalcStyleDuration")
PAINTED = "canvas.heat-map[data-measured]"


def server_cpu_ms(pid: int) -> float:
    """Returns the CPU time of the server so far; other processes do not affect it, unlike the elapsed time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answers(url: str, session: str, pid: int) -> dict[str, object]:
    """Returns milliseconds and kilobytes of each call of the page: the first one, and the median of the others."""
    found: dict[str, object] = {}
    with httpx.Client(base_url=url, timeout=60) as http:
        for name, path in {
            "session": "",
            "best-pair": "/best-pair",
            "history": "/history",
            "estimates": "/estimates?top=50",
            "estimates of 200": "/estimates?top=200",
        }.items():
            took, cpu, first_cpu = list[float](), server_cpu_ms(pid), 0.0
            for _ in range(ROUNDS):
                began = time.perf_counter()
                answer = http.get(f"/v1/sessions/{session}{path}")
                took.append(1000 * (time.perf_counter() - began))
                answer.raise_for_status()
                first_cpu = server_cpu_ms(pid) - cpu if len(took) == 1 else first_cpu
            found[name] = {
                "first_ms": round(took[0], 1),
                "first_cpu_ms": round(first_cpu, 1),
                "then_ms": round(statistics.median(took[1:]), 1),
                "kb": round(len(answer.content) / 1000, 1),
            }
    return found


def first_load(shop: Browser, url: str, session: str) -> dict[str, float]:
    """Returns median milliseconds from the request of the page to its first paint, the verdict and the heat map."""
    paints, verdicts, maps, cpu = [], [], [], []
    for _ in range(ROUNDS):
        context = shop.new_context()  # nothing is cached
        page = context.new_page()
        cdp = _metrics_of(page)
        began = time.perf_counter()
        page.goto(f"{url}/#/sessions/{session}", wait_until="commit")
        page.wait_for_selector("#verdict:not(:empty)")
        verdicts.append(1000 * (time.perf_counter() - began))
        page.wait_for_selector(PAINTED)
        maps.append(1000 * (time.perf_counter() - began))
        paints.append(float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")))
        cpu.append(_spent(cdp)["TaskDuration"])
        context.close()
    named = {"first_paint_ms": paints, "verdict_ms": verdicts, "heat_map_ms": maps, "browser_cpu_ms": cpu}
    return {name: round(statistics.median(values), 1) for name, values in named.items()}


def _metrics_of(page: Page) -> CDPSession:
    """Returns a session that measures the CPU time of the page by thread."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    return cdp


def _spent(cdp: CDPSession) -> dict[str, float]:
    metrics = {each["name"]: each["value"] for each in cdp.send("Performance.getMetrics")["metrics"]}
    return {name: 1000 * metrics[name] for name in CPU_METRICS}


def update(page: Page, client: Client, url: str, session: str) -> dict[str, float]:
    """Returns the cost of a new plan for an open page: browser CPU, and the time until the heat map shows it."""
    page.goto(f"{url}/#/sessions/{session}")
    page.wait_for_selector(PAINTED)
    page.wait_for_timeout(1000 * IDLE_SECONDS)
    cdp = _metrics_of(page)
    start = _spent(cdp)
    page.wait_for_timeout(1000 * IDLE_SECONDS)
    idle = _spent(cdp)
    before = client.get_session(session)
    assert before.budget is not None
    client.change_session(session, budget=before.budget + 1)  # makes a new plan
    planned = time.perf_counter()
    page.wait_for_selector(f"canvas.heat-map[data-plan='{client.best_pair(session).plan_version}']", timeout=60_000)
    shown = time.perf_counter()
    page.wait_for_timeout(500)
    after = _spent(cdp)
    return {
        "idle_cpu_ms_per_second": round((idle["TaskDuration"] - start["TaskDuration"]) / IDLE_SECONDS, 1),
        **{f"{name}_ms": round(after[name] - idle[name], 1) for name in CPU_METRICS},
        "plan_to_heat_map_ms": round(1000 * (shown - planned), 1),
    }


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=800)
    parser.add_argument("--impressions", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        database = f"sqlite:///{place}/large.db"
        session = asyncio.run(fill(database, given.items, given.impressions))
        with Server(database, Path(place)) as server, Client(server.url, timeout_seconds=120) as client:
            found: dict[str, object] = {"items": given.items, "impressions": given.impressions}
            found["answers"] = answers(server.url, session, server.process.pid)
            with browser() as shop:
                found["first_look"] = first_load(shop, server.url, session)
                found["update"] = update(shop.new_page(), client, server.url, session)
    print(json.dumps(found, indent=2))  # noqa: T201 - its purpose


if __name__ == "__main__":
    main()
