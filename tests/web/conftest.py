"""A street for all tests: they only read, except where one makes its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.street import Street, filled


@pytest.fixture(scope="session")
def street(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Street]:
    """Return leagues with matches that were really played."""
    made = filled(tmp_path_factory.mktemp("street"))
    yield made
    made.store.close()
