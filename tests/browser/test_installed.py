"""Checks that a browser is installed: without one the dashboard is not tested."""

import pytest

from tests.browser.browsers import REQUIRED, browser_path


def test_a_browser_is_installed() -> None:
    if browser_path() is None:
        advice = "no browser is installed, so the dashboard is not tested; `make browser` installs one"
        if REQUIRED:
            pytest.fail(advice)
        pytest.skip(advice)
