"""The databases on which leagues are tested: a file, and a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tournaments.leagues import Hours
from tests.tournaments.postgres import PostgresServer, postgres_server
from tournaments.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for this run."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of an empty database of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'league.db'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    made = server.new_database()
    yield made
    server.drop_database(made)


@pytest.fixture
def hours() -> Hours:
    """Return a clock that goes on when it is told to."""
    return Hours()


@pytest.fixture
def store(url: str, hours: Hours) -> Iterator[Store]:
    """Open an empty store."""
    with Store.open(url, now=hours) as opened:
        yield opened
