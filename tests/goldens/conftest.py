"""The databases of the league tests, for old databases."""

from __future__ import annotations

from tests.tournaments.conftest import postgres, url

__all__ = ["postgres", "url"]
