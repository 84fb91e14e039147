"""Which parts of the standings a league has."""

from __future__ import annotations

import pytest

from tournaments.model import GameSettings, LeagueSettings, NotFoundError
from tournaments.ratings.standings import Part

SETTINGS = LeagueSettings(
    "Parts",
    (
        GameSettings("glastonbury", (2, 3), ("plain", "recipes")),
        GameSettings("gargon", (5,), ("plain",)),
    ),
)


@pytest.mark.parametrize(
    "part",
    [
        Part(),
        Part("gargon"),
        Part(None, 5),
        Part(None, None, "recipes"),
        Part(None, 3, "recipes"),
        Part(None, 5, "plain"),
        Part("glastonbury", 2, "plain"),
    ],
)
def test_a_part_that_is_played_is_taken(part: Part) -> None:
    part.check(SETTINGS)


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (Part("chess"), '"chess" is not played'),
        (Part(None, 4), "no table of 4 is played here"),
        (Part("gargon", 2), "no table of 2 is played here"),
        (Part("gargon", None, "recipes"), 'no variant "recipes" is played here'),
        (
            Part(None, 5, "recipes"),
            'no table of 5 of the variant "recipes" is played here',
        ),
        (Part(None, 3, "x" * 1000), 'no variant "x{100}" is played here'),
    ],
)
def test_a_part_that_is_not_played_is_refused(part: Part, sentence: str) -> None:
    with pytest.raises(NotFoundError, match=sentence):
        part.check(SETTINGS)
