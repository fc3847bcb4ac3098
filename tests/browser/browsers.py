"""The browser of tests and screenshots: an installed chromium, controlled by Playwright."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = os.environ.get("BESTPAIR_TEST_BROWSER") == "required"
"""Set where a missing browser is a failure: continuous integration."""

# A container has no user namespaces for the sandbox and little shared memory; pages here are our own.
_ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]


def browser_path() -> str | None:
    """Returns the path of an installed browser, None if there is none."""
    return next((found for found in map(shutil.which, NAMES) if found), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """Yields a browser and closes it at the end."""
    path = browser_path()
    assert path is not None, "no browser is installed; run: make browser"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield running
        finally:
            running.close()


if __name__ == "__main__":
    sys.exit(0 if browser_path() else 1)
