"""Which pairs the question of a tournament needs, from claims written by hand."""

from __future__ import annotations

from math import inf

import pytest

from tournaments.model import Result, StopRule
from tournaments.ratings.standings import Figures, Rating, Skill, Standing, Table
from tournaments.ratings.stopping import open_pairs, sets_per_table


def table(*claims: str, entrants: str = "abcd") -> Table:
    """Return a table in which the first letter of each claim is better than the second.

    The entrants stand in the order of their skills.
    """
    lines = tuple(
        Standing(
            rated=name,
            rank=rank,
            rank_low=1,
            rank_high=len(entrants),
            rating=Rating(25 - rank, 1),
            skill=Skill(-rank, -inf, inf, rank, 1, len(entrants)),
            groups=(),
            figures=Figures(matches=1),
        )
        for rank, name in enumerate(entrants, 1)
    )
    pairs = frozenset((claim[0], claim[1]) for claim in claims)
    return Table(1, 1, (), 0.0, lines, (), {}, (), None, {}, told_apart=pairs)


@pytest.mark.parametrize(
    ("question", "claims", "unsettled"),
    [
        ("leader", "ab ac ad", ""),
        ("leader", "ab ac", "ad"),
        ("leader", "", "ab ac ad"),
        ("leader", "ba bc bd", ""),  # claims count, not the order of the skills
        ("top 1", "ab ac ad", ""),
        ("top 2", "ac ad bc bd", ""),  # in which order the two are is not asked
        ("top 2", "ab ac ad bc", "bd"),
        ("top 3", "ad bd cd", ""),
        ("all", "ab ac ad bc bd cd", ""),
        ("all", "ab ac ad bc bd", "cd"),
        ("all", "ab ac ad bc bd dc", ""),
    ],
)
def test_the_pairs_that_are_not_told_apart_and_would_have_to_be(
    question: str, claims: str, unsettled: str
) -> None:
    found = open_pairs(StopRule(question), table(*claims.split()))
    assert [one + other for one, other in found] == unsettled.split()


def test_sets_are_counted_by_table() -> None:
    def result(set_id: str, entrants: str) -> Result:
        names = tuple(entrants)
        none = (0,) * len(names)
        return Result(f"{set_id}-1", set_id, "g", "plain", names, none, none, (), (), 1)

    played = [result("s1", "ab"), result("s1", "ba"), result("s2", "ba"), result("s3", "abc")]
    assert sets_per_table(played) == 2
    assert sets_per_table([]) == 0
