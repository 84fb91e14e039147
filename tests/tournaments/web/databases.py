"""Empty databases of each kind, for fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.tournaments.postgres import PostgresServer
from tests.tournaments.web.leagues_with_matches import in_folder

DATABASES = ("sqlite", "postgresql")


@contextmanager
def new_database(request: pytest.FixtureRequest, folders: pytest.TempPathFactory) -> Iterator[str]:
    """Make a database of the kind that a fixture asks for, and return its address."""
    if request.param == "sqlite":
        yield in_folder(folders.mktemp("database"))
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    url = server.new_database()
    try:
        yield url
    finally:
        server.drop_database(url)
