"""A browser for tests."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.needs import chromium

PATIENCE = 180_000
"""Milliseconds that a loaded machine may take for what takes a moment."""


class Patient:
    """A browser that waits for as long as a loaded machine may take."""

    def __init__(self, started: Any) -> None:
        self._started = started

    def new_context(self, **options: Any) -> Any:
        """Return a browser that knows nothing, with patience."""
        context = self._started.new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium once for all tests."""
    # Not an import statement: playwright need not be there for the types to be checked.
    playwright = importlib.import_module("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        # As root, as in a container, Chromium has no sandbox; the pages are our own.
        started = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield Patient(started)
        started.close()
