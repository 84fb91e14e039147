"""Tournaments by rounds that chance decides, and finals of leagues made from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.tournaments.pairing.test_swiss import results_of
from tournaments.model import Format, PublishedFinal, Request, Result
from tournaments.pairing import rounds_of, series_of
from tournaments.report import as_values, rounds_view
from tournaments.store import Store


def played(asked: Request) -> dict[str, Sequence[Result]]:
    """Play a tournament by rounds by chance."""
    results: dict[str, Sequence[Result]] = {}
    chance = Random(3)  # noqa: S311  the same in every run
    while True:
        if asked.format is Format.SWISS:
            sets = [each for one in rounds_of(asked, results) for each in one.sets]
        else:
            sets = [each for one in series_of(asked, results) for each in one.sets]
        new = [each for each in sets if each.id not in results]
        if not new:
            return results
        results |= {each.id: results_of(each, chance) for each in new}


def publish_final(
    store: Store, league: str, name: str, asked: Request, season: int | None = None
) -> PublishedFinal:
    """Publish a final that chance decides, with one record."""
    results = played(asked)
    view = rounds_view(asked, results)
    assert view is not None
    document: dict[str, Any] = {
        "title": f"The {name}",
        "format": asked.format.value,
        "matches": sum(map(len, results.values())),
        "rounds": as_values(view),
        "standings": [],
        "secrets": [],
    }
    return store.publish_final(
        league,
        name,
        json.dumps(document),
        [("1-1", b"record")],
        season=season,
        text=f"The final {name} is published.",
    )
