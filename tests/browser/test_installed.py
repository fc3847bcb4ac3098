"""Whether there is a browser: without one nothing else here is tested, which is a failure where one is required."""

import pytest

from tests.browser.browsers import REQUIRED, browser_path


def test_a_browser_is_installed() -> None:
    if browser_path() is None:
        advice = "no browser is installed, so the dashboard is not tested; `make browser` installs one"
        if REQUIRED:
            pytest.fail(advice)
        pytest.skip(advice)
