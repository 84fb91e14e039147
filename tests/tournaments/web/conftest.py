"""Streets for all tests, on a file and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tournaments.web.databases import DATABASES, new_database
from tests.tournaments.web.leagues_with_matches import Street, filled, in_folder


@pytest.fixture(scope="session")
def file_street(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Street]:
    """Return leagues for tests to which the kind of the database does not matter."""
    made = filled(in_folder(tmp_path_factory.mktemp("street")))
    yield made
    made.store.close()


@pytest.fixture(scope="session", params=DATABASES)
def street(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Street]:
    """Return leagues with matches that were really played; tests only read them."""
    if request.param == "sqlite":
        yield request.getfixturevalue("file_street")
        return
    with new_database(request, tmp_path_factory) as url:
        made = filled(url)
        yield made
        made.store.close()


@pytest.fixture(scope="module", params=DATABASES)
def own_street(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Street]:
    """Return leagues that a module may change."""
    with new_database(request, tmp_path_factory) as url:
        made = filled(url)
        yield made
        made.store.close()


@pytest.fixture(params=DATABASES)
def own_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Return the address of an empty database that a test may do anything with."""
    with new_database(request, tmp_path_factory) as url:
        yield url
