"""Packages that several tests submit."""

from __future__ import annotations

import pytest

from tests.tournaments.packages import bot_folder
from tests.tournaments.server.submitting import AUTHORS
from tournaments.submissions import pack


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return a package of each author."""
    folder = tmp_path_factory.mktemp("packages")
    return {name: pack(bot_folder(folder / name, f"{name}-bot")) for name in AUTHORS}
