"""What tests in a browser need: playwright, and Chromium as the system has it."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest

VARIABLE = "HIGHSTREET_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Return the path of the browser, if there is one."""
    return os.environ.get(VARIABLE) or next(filter(None, map(shutil.which, NAMES)), None)


def needs_browser() -> None:
    """Skip the module that calls this where something is missing.

    Where HIGHSTREET_CHROMIUM gives the path of a browser, as in CI, fail instead.
    """
    if importlib.util.find_spec("playwright") is None:
        _missing("playwright")
    if chromium() is None:
        _missing("Chromium")


def _missing(what: str) -> None:
    message = (
        f"{what} is not there, so no page is opened: apt-get install chromium, and "
        "pip install playwright"
    )
    if os.environ.get(VARIABLE):
        pytest.fail(message)
    pytest.skip(message, allow_module_level=True)
