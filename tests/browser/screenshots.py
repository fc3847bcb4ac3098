"""Writes the screenshots in docs/images: python -m tests.browser.screenshots (make screenshots)"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, ViewportSize

from app.client import Client
from app.simulation.mixtures import mixture_of_rate
from tests.browser.browsers import browser
from tests.browser.driving import population, serve, shop_items
from tests.e2e.harness import Server

FOLDER = Path(__file__).parents[2] / "docs" / "images"
DESKTOP, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=375, height=812)


def create_sessions(client: Client) -> dict[str, str]:
    """Creates sessions in every state, with both kinds of goals; returns the ids of those whose page is shown."""

    def made(name: str, n: int, **settings: object) -> str:
        return client.create_session(shop_items(n), name=name, seed=3, **settings).id

    made("Summer sale, top slot", 12)
    budget = made("Newsletter", 8, epsilon=0.02, budget=3000)
    serve(client, budget, population(8, 5))
    wide = made("Sidebar", 12, epsilon=0.05, policy="lucb")
    serve(client, wide, mixture_of_rate(0.002, 12, 2, np.random.default_rng(1)))
    paused = made("Checkout page", 16, epsilon=0.03)
    serve(client, paused, population(16, 4), until=lambda best: best.samples > 4000)
    client.change_session(paused, state="paused")
    # Calls are small enough for many plans: points of the chart.
    certified = made("Homepage", 24, feedback="items")
    serve(client, certified, population(24, 2), per_call=250)
    running = made("Search results", 40, feedback="items")
    serve(client, running, population(40, 7), until=lambda best: (best.relative_gap or 0) < 0.3, per_call=250)
    return {"running": running, "certified": certified}


def take(page: Page, url: str, file: Path, ready: str, *, full_page: bool = True) -> None:
    """Opens a URL, waits for the selector `ready`, and writes a picture of the page or of the screen."""
    page.goto("about:blank")
    page.goto(url)
    page.wait_for_selector(ready)
    if url.endswith("#/new"):
        fill_form(page)
    page.wait_for_timeout(700)  # transitions, and the last drawing of the heat map
    page.screenshot(path=file, full_page=full_page)


def fill_form(page: Page) -> None:
    """Answers the questions of the form, so that the forecast is shown."""
    items = page.get_by_label("Items", exact=True)
    items.fill("\n".join(f"{item.id}, {item.label}" for item in shop_items(30)))
    page.get_by_label("Yes, feedback names the clicked items").check()
    page.get_by_label("Expected click rate of one item").fill("0.5")
    page.get_by_label("Impressions a day").fill("100000")
    page.locator(".forecast .answer").wait_for()
    items.evaluate("input => { input.scrollTop = 0; }")
    page.get_by_label("Impressions a day").blur()


def take_all(shop: Browser, url: str, ids: dict[str, str], folder: Path) -> None:
    """Writes all screenshots."""
    at = {"list": "", "form": "#/new", **{name: f"#/sessions/{one}" for name, one in ids.items()}}
    ready = {
        "list": ".session",
        "form": "form",
        "running": "canvas[data-measured]",
        "certified": "canvas[data-measured]",
    }
    for scheme in ("light", "dark"):
        for width, view in (("", DESKTOP), ("-phone", PHONE)):
            context = shop.new_context(viewport=view, color_scheme=scheme, reduced_motion="reduce")
            page = context.new_page()
            for name, address in at.items():
                take(page, f"{url}/{address}", folder / f"{name}{width}-{scheme}.png", ready[name])
            context.close()
    take_readme_picture(shop, f"{url}/{at['certified']}", folder / "dashboard.png", ready["certified"])


def take_readme_picture(shop: Browser, url: str, file: Path, ready: str) -> None:
    """Writes the picture of the README: one screen of the page."""
    page = shop.new_page(viewport=DESKTOP, color_scheme="light", reduced_motion="reduce")
    take(page, url, file, ready, full_page=False)
    page.close()


def main() -> None:
    """Starts a service with sessions and a browser, and writes the screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        database = f"sqlite:///{place}/screenshots.db"
        with Server(database, Path(place)) as server, Client(server.url, timeout_seconds=30) as client:
            ids = create_sessions(client)
            with browser() as shop:
                take_all(shop, server.url, ids, folder)


if __name__ == "__main__":
    main()
