"""Pairs that are left out of the ratings: what remains of a table, and what an accomplice gains."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from tests.tournaments.ratings.test_pair_residuals import Field, result
from tournaments.model import Result
from tournaments.ratings import StandingsRequest, compute_standings, continue_standings
from tournaments.ratings.left_out import find_left_out, pairs_of, rated
from tournaments.ratings.rating_fold import PROBATION
from tournaments.ratings.standings import Rating, Standings

LEAGUE = StandingsRequest(replicates=1, all_pairs=False)
FRIENDS = frozenset({frozenset({"friend", "helper"})})


def pair(*names: str) -> frozenset[frozenset[str]]:
    return frozenset({frozenset(names)})


@pytest.mark.parametrize(
    ("table", "places", "left_out", "expected"),
    [
        (("a@1", "b@1"), (1, 2), pair("a", "b"), []),
        (("a@1", "b@2"), (1, 2), pair("a", "b"), []),
        (("a@1", "b@1"), (1, 2), pair("a", "c"), [(("a@1", "b@1"), (1, 2))]),
        (
            ("a@1", "b@1", "c@1"),
            (3, 1, 2),
            pair("a", "b"),
            [(("a@1", "c@1"), (2, 1)), (("b@1", "c@1"), (1, 2))],
        ),
        (
            ("a@1", "b@1", "c@1", "d@1"),
            (1, 2, 2, 4),
            pair("a", "b"),
            [(("a@1", "c@1", "d@1"), (1, 2, 3)), (("b@1", "c@1", "d@1"), (1, 1, 3))],
        ),
        (
            ("a@1", "b@1", "c@1"),
            (1, 2, 3),
            pair("a", "b") | pair("a", "c"),
            [(("b@1", "c@1"), (1, 2))],
        ),
    ],
)
def test_the_two_are_rated_against_all_others_at_their_table(
    table: tuple[str, ...],
    places: tuple[int, ...],
    left_out: frozenset[frozenset[str]],
    expected: Sequence[tuple[tuple[str, ...], tuple[int, ...]]],
) -> None:
    parts = list(rated([result(0, table, places)], left_out))
    assert [(each.entrants, each.places) for each in parts] == expected


def test_forfeits_scores_and_times_go_with_their_seats() -> None:
    match = replace(
        result(0, ("a@1", "b@1", "c@1"), (1, 2, 3)),
        scores=(9, 5, 2),
        forfeits=(2,),
        used=(0.1, 0.2, 0.3),
    )
    first, second = rated([match], pair("a", "b"))
    assert (first.scores, first.forfeits, first.used) == ((9, 2), (1,), (0.1, 0.3))
    assert (second.scores, second.forfeits, second.used) == ((5, 2), (1,), (0.2, 0.3))


# Leagues ----------------------------------------------------------------------------------------


def games_of_two(seed: int = 1, rounds: int = 8) -> list[Result]:
    """Six bots, each a little better than the next; the first one and the last one do not meet."""
    dice = random.Random(seed)  # noqa: S311  no secret
    names = ["helper@1", "bot1@1", "bot2@1", "bot3@1", "bot4@1", "friend@1"]
    found: list[Result] = []
    for _ in range(rounds):
        for one, other in combinations(range(len(names)), 2):
            if (one, other) != (0, 5):
                first = dice.gauss(-0.6 * one, 1) > dice.gauss(-0.6 * other, 1)
                table = (names[one], names[other])
                found.append(result(len(found), table, (1, 2) if first else (2, 1)))
    return found


def thrown(number: int, matches: int, version: Callable[[int], int] = lambda _n: 1) -> list[Result]:
    """Return matches that the helper loses to the friend."""
    return [
        result(number + n, (f"helper@{version(n)}", "friend@1"), (2, 1)) for n in range(matches)
    ]


def ratings(standings: Standings) -> dict[str, Rating]:
    return {line.rated: line.rating for line in standings.overall.standings}


@pytest.mark.parametrize("system", ["trueskill", "trueskill-sequential", "openskill"])
def test_matches_that_are_thrown_change_no_rating(system: str) -> None:
    """The last bot wins 8 of 8 against the first one: all ratings are as if they had not met."""
    honest = games_of_two()
    request = replace(LEAGUE, rating=system)
    standings = compute_standings([*honest, *thrown(1000, 8)], request)
    (left_out,) = (each for each in standings.residuals if each.left_out)
    assert (left_out.entrant, left_out.opponent, left_out.observed) == ("friend", "helper", 8)
    assert ratings(standings) == ratings(compute_standings(honest, request))
    (line,) = (each for each in standings.overall.standings if each.rated == "friend@1")
    assert line.figures.matches == 4 * 8 + 8, "the counts have all matches"


def test_new_versions_of_the_accomplice_are_the_same_pair() -> None:
    """Each has its ten matches on probation behind it, against another bot."""
    honest = games_of_two()
    for n in range(8):
        honest += [
            result(2000 + 100 * n + k, (f"helper@{n + 2}", "bot1@1"), (1, 2) if k % 3 else (2, 1))
            for k in range(PROBATION)
        ]
    standings = compute_standings([*honest, *thrown(1000, 8, lambda n: n + 2)], LEAGUE)
    assert pairs_of(standings.residuals) == FRIENDS
    assert ratings(standings) == ratings(compute_standings(honest, LEAGUE))


def test_a_league_may_count_such_pairs() -> None:
    played = [*games_of_two(), *thrown(1000, 8)]
    request = replace(LEAGUE, count_striking_pairs=True)
    standings = compute_standings(played, request)
    assert standings.residuals[0].is_striking
    assert not pairs_of(standings.residuals)
    friend = "friend@1"
    assert ratings(standings)[friend].mu > ratings(compute_standings(played, LEAGUE))[friend].mu + 1


def test_standings_are_the_same_whether_continued_or_not() -> None:
    """The pair is found between the two computations, behind the checkpoint of the first one."""
    honest, lost = games_of_two(rounds=30), thrown(1000, 8)
    _, checkpoint = continue_standings([*lost[:3], *honest], LEAGUE)
    played = [*lost[:3], *honest, *lost[3:]]
    continued, _ = continue_standings(played, LEAGUE, checkpoint)
    assert pairs_of(continued.residuals) == FRIENDS
    assert continued == compute_standings(played, LEAGUE)


def test_many_matches_that_differ_a_little_are_rated() -> None:
    """A beats B in 62 of 100 matches, and both win half of theirs against C: striking, no more."""
    played = []
    for n in range(1500):
        played.append(result(3 * n, ("a@1", "b@1"), (1, 2) if n % 100 < 62 else (2, 1)))
        played.append(result(3 * n + 1, ("a@1", "c@1"), (1 + n % 2, 2 - n % 2)))
        played.append(result(3 * n + 2, ("b@1", "c@1"), (1 + n % 2, 2 - n % 2)))
    found = find_left_out(played)
    assert found[0].is_striking
    assert not pairs_of(found)


def test_both_are_rated_at_tables_of_four_where_they_always_meet() -> None:
    """Both finish before the two others in every match, and are level without each other."""
    table = ("helper@1", "bot1@1", "bot2@1", "friend@1")
    of_four = [result(3000 + n, table, (2, 3, 4, 1)) for n in range(12)]
    standings = compute_standings([*games_of_two(), *thrown(1000, 8), *of_four], LEAGUE)
    assert pairs_of(standings.residuals) == FRIENDS
    lines = standings.by_seats()[4].standings
    assert [(line.rated, line.rank, line.figures.matches) for line in lines] == [
        ("friend@1", 1, 12),
        ("helper@1", 1, 12),
        ("bot1@1", 3, 12),
        ("bot2@1", 4, 12),
    ]


def test_bots_that_are_stronger_at_one_size_of_table_are_no_such_pair() -> None:
    """B beats A at tables of two, where they meet; A is the stronger one at tables of four."""
    dice = random.Random(6)  # noqa: S311  no secret
    played: list[Result] = []
    for n in range(1200):
        names = dice.sample(["a@1", "b@1", "c@1", "d@1", "e@1"], 2 if n % 2 else 4)
        if len(names) == 4 and {"a@1", "b@1"} <= {*names}:
            continue
        skill = {"a@1": -2.0 if len(names) == 2 else 3.0}
        shown = [dice.gauss(skill.get(name, 0), 1) for name in names]
        places = tuple(1 + sum(other > own for other in shown) for own in shown)
        played.append(result(n, tuple(names), places))
    found = find_left_out(played)
    assert found[0].is_striking
    assert not pairs_of(found)


def test_a_kind_of_table_at_which_only_the_two_met_has_no_standings() -> None:
    other = [replace(each, variant="other") for each in thrown(1000, 8)]
    standings = compute_standings([*games_of_two(), *other], LEAGUE)
    assert pairs_of(standings.residuals) == FRIENDS
    assert [*standings.by_variant()] == ["plain"]
    assert standings.overall.matches == 14 * 8 + 8


@pytest.mark.parametrize("spread", [0.0, 1.0, 2.5])
def test_no_pair_of_an_honest_league_is_left_out(spread: float) -> None:
    """In none of 60 leagues of 150 sets."""
    for seed in range(60):
        found = find_left_out(Field(seed, spread).results(150, lambda _one, _other: False))
        assert not pairs_of(found), seed
