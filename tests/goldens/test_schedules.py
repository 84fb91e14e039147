"""Schedules, their set and match ids, and the deals derived from a secret, frozen as JSON."""

from __future__ import annotations

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments.pairing.schedules import BOTH, bots, by_authors, request
from tournaments.model import Format, GameRequest, Request, match_salt, match_seed, set_seed
from tournaments.pairing.round_robin import schedule

FOLDER = Path(__file__).parent.parent / "data" / "goldens" / "schedules"
SECRET = bytes(range(32))

REQUESTS = {
    "full": request(bots(4), (2, 3, 4), sets=2, variants=BOTH),
    "limited": request(bots(9), (3, 4), limit=120),
    "authors": Request(
        by_authors(2, 2, 1),
        (GameRequest("glastonbury", (2, 3), ("plain",), 1),),
        None,
        separate_authors=True,
    ),
    "games": Request(
        bots(5),
        (
            GameRequest("gargon", (3, 5), ("plain", "open_captures"), 1),
            GameRequest("kupferkessel", (2, 3), BOTH, 1),
        ),
        200,
    ),
    "gauntlet": Request(
        bots(5),
        (GameRequest("glastonbury", (2, 4), ("plain",), 2),),
        None,
        format=Format.GAUNTLET,
        challenger="bot00",
    ),
}


def document(asked: Request) -> list[dict[str, Any]]:
    """Write a schedule as JSON has it, with the deals of each set."""
    return [
        {
            "set": played.id,
            "game": played.game,
            "variant": played.variant,
            "number": played.number,
            "matches": [
                {"id": match.id, "entrants": list(match.entrants)} for match in played.matches
            ],
            "seed": set_seed(SECRET, played.id).hex(),
        }
        for played in schedule(asked).sets
    ]


@pytest.mark.parametrize("name", REQUESTS)
def test_schedules_and_their_ids_stay_as_they_are(name: str, update: bool) -> None:
    path = FOLDER / f"{name}.json"
    written = document(REQUESTS[name])
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(map(json.dumps, written)) + "\n", encoding="utf-8")
    assert written == [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_deals_derive_from_the_secret_as_documented() -> None:
    def derived(text: str) -> bytes:
        return hmac.digest(SECRET, text.encode(), hashlib.sha256)

    assert set_seed(SECRET, "abc") == derived("abc")
    first, second = (match_seed(SECRET, "abc-1", attempt) for attempt in (1, 2))
    assert len({first, second, set_seed(SECRET, "abc-1")}) == 3
    assert match_salt(SECRET, "abc-1", 1) != match_salt(SECRET, "abc-1", 2)
