"""Ratings match by match, plain counts, and the standings that are made of everything."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from math import exp, hypot, pi, sqrt
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from tests.tournaments.synthetic import rate, standings
from tournaments import ratings
from tournaments.model import DRAW_PROBABILITIES, SEQUENTIAL, Result, TrueSkillSettings
from tournaments.ratings.computation import MOST_POINTS
from tournaments.ratings.documents import as_csv_rows, as_json, matches_csv_rows
from tournaments.ratings.figures import tie_rate
from tournaments.ratings.rating_systems import rating_system
from tournaments.ratings.standings import Meeting, Rating
from tournaments.ratings.whole_history import rate_history
from tournaments.report import wording

FEW = 50
"""Replicates where the intervals are not what is tested."""


GAME = "glastonbury"


def match(
    order: str,
    places: tuple[int, ...],
    set_id: str = "s",
    variant: str = "plain",
    n: int = 1,
    game: str = GAME,
) -> Result:
    """Make a match of entrants with names of one letter, with scores that fit the places."""
    return Result(
        match=f"{set_id}-{n}",
        set_id=set_id,
        game=game,
        variant=variant,
        entrants=tuple(order),
        places=places,
        scores=tuple(10 * (len(order) - place) for place in places),
        forfeits=(),
        used=(1.5,) * len(order),
        decisions=80,
    )


def duplicate_set(order: str, places: tuple[int, ...], set_id: str) -> list[Result]:
    """Make a set in which everybody comes to the same place from every seat."""
    turns = range(len(order))
    return [match(order[t:] + order[:t], places[t:] + places[:t], set_id, n=t + 1) for t in turns]


WITH_TAU = Rating(25, hypot(25 / 3, 25 / 300))
"""The prior after the tau of the package's default, which its documented numbers include."""


@pytest.mark.parametrize(
    ("draws", "places", "expected"),
    [
        # https://trueskill.org: head to head, won and drawn.
        (0.1, (1, 2), [(29.396, 7.171), (20.604, 7.171)]),
        (0.1, (1, 1), [(25.000, 6.458), (25.000, 6.458)]),
        # The tests of the package, which agree with Microsoft's calculator: free for all.
        (0.5, (1, 2), [(30.267, 7.077), (19.733, 7.077)]),
        (0.1, (1, 2, 3), [(31.675, 6.656), (25.000, 6.208), (18.325, 6.656)]),
        (0.1, (3, 1, 2), [(18.325, 6.656), (31.675, 6.656), (25.000, 6.208)]),
        (0.1, (1, 2, 3, 4), [(33.207, 6.348), (27.401, 5.787), (22.599, 5.787), (16.793, 6.348)]),
        # Its issue 15: level players are not moved equally, but in the order in which they come.
        (
            0.1,
            (1, 2, 2, 2, 2),
            [(30.621, 6.366), (23.585, 5.104), (23.593, 5.100), (23.599, 5.102), (23.602, 5.108)],
        ),
    ],
)
def test_trueskill_has_the_numbers_of_its_documentation(
    draws: float, places: tuple[int, ...], expected: list[tuple[float, float]]
) -> None:
    system = rating_system("trueskill", draws)
    after = system.update([WITH_TAU] * len(places), places)
    assert [(seat.mu, seat.sigma) for seat in after] == [
        pytest.approx(pair, abs=6e-4) for pair in expected
    ]


def naive_win(winner: Rating, loser: Rating, draws: float) -> tuple[Rating, Rating]:
    """Work out a match of two by the formulas of the TrueSkill paper, with exact functions."""
    normal = NormalDist()
    beta = 25 / 6
    margin = normal.inv_cdf((draws + 1) / 2) * sqrt(2) * beta
    c = sqrt(2 * beta**2 + winner.sigma**2 + loser.sigma**2)
    t = (winner.mu - loser.mu - margin) / c
    v = exp(-(t**2) / 2) / sqrt(2 * pi) / normal.cdf(t)
    w = v * (v + t)
    sides = []
    for side, sign in ((winner, 1), (loser, -1)):
        mu = side.mu + sign * side.sigma**2 / c * v
        sides.append(Rating(mu, side.sigma * sqrt(1 - side.sigma**2 / c**2 * w)))
    return sides[0], sides[1]


def test_trueskill_is_a_fold_without_tau_in_the_order_of_the_results() -> None:
    matches = [("a", "b"), ("a", "b"), ("b", "a"), ("b", "c"), ("c", "a"), ("a", "c"), ("a", "b")]
    expected = dict.fromkeys("abc", Rating(25, 25 / 3))
    for winner, loser in matches:
        expected[winner], expected[loser] = naive_win(expected[winner], expected[loser], 0.05)
    draws = {GAME: 0.05}
    rated = rate([match(a + b, (1, 2)) for a, b in matches], draws=draws)
    for name in "abc":
        assert rated[name].mu == pytest.approx(expected[name].mu, abs=1e-4)
        assert rated[name].sigma == pytest.approx(expected[name].sigma, abs=1e-4)
    other_way = rate([match(a + b, (1, 2)) for a, b in reversed(matches)], draws=draws)
    assert other_way["a"].mu != pytest.approx(rated["a"].mu, abs=0.1)


@pytest.mark.parametrize(
    ("places", "conservative"),
    [
        # From the documentation and the issues of openskill.js, another implementation.
        ((1, 2), [27.63523138347365 - 3 * 8.065506316323548]),
        ((1, 1), [25 - 3 * 8.065506316323548] * 2),
        (
            (1, 2, 3, 2),
            [3.0056026990343057, 0.15179388828942209, -1.7115960929604057, 0.15179388828942209],
        ),
    ],
)
def test_openskill_has_the_numbers_of_another_implementation(
    places: tuple[int, ...], conservative: list[float]
) -> None:
    system = rating_system("openskill", 0.1)
    after = system.update([system.prior] * len(places), places)
    assert [seat.conservative for seat in after][: len(conservative)] == pytest.approx(conservative)


def test_an_unknown_rating_system_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        UsageError,
        match=r'"trueskil".*mean "trueskill".*trueskill, trueskill-sequential, openskill',
    ):
        rating_system("trueskil", 0.1)
    with pytest.raises(UsageError, match="elo"):
        standings([], "cup", "ab", rating="elo")


def test_the_tie_rate_is_the_share_of_level_neighbours() -> None:
    results = [match("ab", (1, 2)), match("abcd", (1, 1, 3, 4)), match("abc", (1, 1, 1))]
    # 0 of 1, 1 of 3, 2 of 2.
    assert tie_rate(results) == 3 / 6
    assert tie_rate([]) == 0
    assert tie_rate(results[:1]) == 0
    assert tie_rate(results[2:]) == 1


def test_the_history_begins_with_the_prior_and_ends_with_the_rating() -> None:
    results = [match("ab" if n % 3 else "ba", (1, 2)) for n in range(1000)] + [match("ac", (1, 2))]
    paths = standings(results, "cup", ["d"], replicates=FEW).overall.history
    assert sorted(paths) == ["a", "b", "c"]
    assert [point.matches for point in paths["c"]] == [0, 1]
    steps = [point.matches for point in paths["a"]]
    assert (steps[0], steps[-1]) == (0, 1001)
    assert MOST_POINTS / 2 <= len(steps) <= MOST_POINTS
    assert len({later - sooner for sooner, later in pairwise(steps[:-1])}) == 1
    end = rate_history(results, {GAME: 0.02}, TrueSkillSettings())["a"]
    assert (paths["a"][-1].mu, paths["a"][-1].sigma) == (end.mu, end.sigma)
    halfway = rate(results[: steps[7]])["a"]
    assert (paths["a"][7].mu, paths["a"][7].sigma) == (halfway.mu, halfway.sigma)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["1", "2", "="]), min_size=1, max_size=8), st.integers(0, 300))
def test_no_run_of_surprises_breaks_the_arithmetic(ends: list[str], wins: int) -> None:
    """One bot wins very often, so that a draw or a loss is far outside what is believed."""
    places = {"1": (1, 2), "2": (2, 1), "=": (1, 1)}
    results = [match("ab", (1, 2))] * wins + [match("ab", places[end]) for end in ends]
    for name in ("trueskill-sequential", "openskill"):
        rated = rate(results, name, {GAME: DRAW_PROBABILITIES[0]})
        assert all(0 < rating.sigma <= 25 / 3 for rating in rated.values())


def forfeited() -> Result:
    """Make a match that b would have won, had it not forfeited."""
    return replace(
        match("abc", (1, 3, 2), "t"), scores=(7, 40, 3), forfeits=(1,), used=(2.0, 0.5, 1.0)
    )


def test_figures_by_hand() -> None:
    results = [match("ab", (1, 2)), match("abcd", (1, 1, 3, 4)), forfeited()]
    lines = {
        line.entrant: line.figures
        for line in standings(results, "c", replicates=FEW).overall.standings
    }
    a, b, d = lines["a"], lines["b"], lines["d"]
    assert (a.matches, a.forfeits, a.wins, a.places) == (3, 0, 2.5, (3, 0, 0, 0))
    assert (b.matches, b.forfeits, b.wins, b.places) == (3, 1, 0.5, (1, 1, 1, 0))
    assert b.mean_place == pytest.approx((2 + 1 + 3) / 3)
    assert b.mean_score == pytest.approx((0 + 30 + 40) / 3)
    # All of one; two and a half of three; both of two.
    assert a.points == pytest.approx((1 + 2.5 / 3 + 1) / 3)
    assert b.points == pytest.approx((0 + 2.5 / 3 + 0) / 3)
    assert (d.matches, d.wins, d.points, d.mean_place) == (1, 0, 0, 4)
    assert b.seconds == 3.5
    assert b.seconds_per_match == pytest.approx(3.5 / 3)


def test_head_to_head_counts_who_was_above_whom() -> None:
    results = [match("ab", (1, 2)), match("abcd", (1, 1, 3, 4)), forfeited(), match("ba", (1, 2))]
    table = standings(results, "cup", "e", replicates=FEW).overall
    names = [line.entrant for line in table.standings]
    met = table.head_to_head
    assert met["a"]["b"] == Meeting(above=2, level=1, below=1)
    assert met["b"]["a"] == Meeting(above=1, level=1, below=2)
    assert met["b"]["c"] == Meeting(above=1, level=0, below=1)
    assert (met["a"]["b"].matches, met["b"]["c"].matches) == (4, 2)
    assert sorted(met["d"]) == ["a", "b", "c"]
    assert met["a"]["b"].share == 2.5 / 4
    assert (names[-1], "e" in met) == ("e", False)


def with_newcomer(sets: int, wins: int) -> list[Result]:
    """Make that many sets of three, and then matches in which a newcomer beats the best."""
    old = [r for n in range(sets) for r in duplicate_set("abc", (1, 2, 3), f"{n:03}")]
    return old + [match("da", (1, 2), f"new{n}") for n in range(wins)]


def test_ranks_go_by_three_sigma_below_mu() -> None:
    """Two lucky matches give the highest mu, but not the first rank."""
    table = standings(with_newcomer(10, 2), "cup", replicates=FEW).overall
    assert [(line.rank, line.entrant) for line in table.standings] == [
        (1, "a"),
        (2, "d"),
        (3, "b"),
        (4, "c"),
    ]
    assert max(table.standings, key=lambda line: line.rating.mu).entrant == "d"
    worth = [line.rating.mu - 3 * line.rating.sigma for line in table.standings]
    assert worth == sorted(worth, reverse=True)


def test_who_is_level_shares_a_rank_and_who_has_not_played_comes_last() -> None:
    table = standings(
        [match("ab", (1, 1), "s"), match("cd", (1, 2), "t")], "cup", "xy", replicates=FEW
    ).overall
    assert [(line.entrant, line.rank) for line in table.standings] == [
        ("c", 1),
        ("a", 2),
        ("b", 2),
        ("d", 4),
        ("x", None),
        ("y", None),
    ]
    d, x = table.standings[3:5]
    assert d.rating.conservative < x.rating.conservative == 0
    assert (x.rank_low, x.rank_high, x.skill, x.groups) == (None, None, None, ())
    assert set(table.above[4]) == {None}


@pytest.mark.parametrize("rating", ["trueskill", SEQUENTIAL, "openskill"])
def test_where_all_matches_are_tied_none_is_ahead(rating: str) -> None:
    """At tables of three; the sequential rating compares neighbours, so that seats matter there."""
    results = [
        match("".join(order), (1, 1, 1), set_id, n=n)
        for set_id in "st"
        for n, order in enumerate(("abc", "bca", "cab"), 1)
    ]
    table = standings(results, "cup", "abcx", rating=rating, replicates=FEW).overall
    assert [line.rank for line in table.standings] == [1, 1, 1, None]
    ratings = {line.rating for line in table.standings if line.rank}
    assert len(ratings) == (3 if rating == SEQUENTIAL else 1)
    assert table.told_apart == frozenset()
    assert wording.lead(table) == "No entrant is ahead: in every match, all were level."


def test_an_interval_of_ranks_holds_the_rank() -> None:
    """By skill the newcomer is first for certain, by rating it is second: the interval has both."""
    best, newcomer = standings(
        with_newcomer(150, 8), "cup", rating="openskill", replicates=250
    ).overall.standings[:2]
    assert best.skill
    assert newcomer.skill
    assert (best.entrant, best.rank, newcomer.entrant, newcomer.rank) == ("a", 1, "d", 2)
    assert (newcomer.skill.rank_low, newcomer.skill.rank_high) == (1, 1)
    assert (newcomer.rank_low, newcomer.rank_high) == (1, 2)
    assert (best.skill.rank_low, best.skill.rank_high) == (2, 2)
    assert (best.rank_low, best.rank_high) == (1, 2)


def test_nothing_has_happened_yet() -> None:
    for entrants in ("", "a", "abc"):
        seen = standings([], "cup", entrants)
        assert [line.entrant for line in seen.overall.standings] == list(entrants)
        assert all(
            (line.rank, line.rank_low, line.rank_high) == (None, None, None)
            for line in seen.overall.standings
        )
        assert (seen.overall.matches, seen.overall.sets, seen.overall.groups) == (0, 0, ())
        assert (seen.overall.duplicates, seen.by_seats(), seen.by_variant()) == (None, {}, {})
        assert (seen.overall.games, seen.by_game) == ((), {})


def test_when_everybody_is_always_level_nobody_can_be_told_apart() -> None:
    results = [result for n in range(10) for result in duplicate_set("abc", (1, 1, 1), str(n))]
    seen = standings(results, "cup")
    table = seen.overall
    assert (table.tie_rate, seen.draw_probability) == (1, {GAME: 0.02})
    assert [line.skill and abs(line.skill.skill) < 1e-9 for line in table.standings] == [True] * 3
    assert [set(group.entrants) for group in table.groups] == [{"a", "b", "c"}]


def test_sizes_and_variants_have_tables_of_their_own() -> None:
    """Who is better at tables of two and worse at tables of three is shown as that."""
    twos = [r for n in range(8) for r in duplicate_set("ab", (1, 2), f"2-{n}")]
    threes = [r for n in range(8) for r in duplicate_set("abc", (3, 2, 1), f"3-{n}")]
    results = [*twos, *(replace(result, variant="recipes") for result in threes)]
    seen = standings(results, "cup", "d", replicates=FEW)
    assert list(seen.by_seats()) == [2, 3]
    assert list(seen.by_variant()) == ["plain", "recipes"]
    assert [line.entrant for line in seen.by_seats()[2].standings] == ["a", "b"]
    assert [line.entrant for line in seen.by_seats()[3].standings] == ["c", "b", "a"]
    assert (seen.by_seats()[3].matches, seen.by_seats()[3].sets) == (24, 8)
    assert seen.by_variant()["plain"] == seen.by_seats()[2]
    assert [line.entrant for line in seen.overall.standings][-1] == "d"
    alone = standings(twos, "cup", replicates=FEW)
    assert alone.by_seats() == {2: alone.overall}


def test_openskill_can_be_the_rating() -> None:
    results = duplicate_set("abc", (1, 2, 3), "s")
    seen = standings(results, "cup", rating="openskill", replicates=FEW)
    assert seen.rating_system == "openskill"
    expected = rate(results, "openskill")
    assert {line.entrant: line.rating for line in seen.overall.standings} == expected


def test_the_same_results_give_the_same_standings() -> None:
    results = [r for n in range(6) for r in duplicate_set("abc", (1, 2, 2), str(n))]
    assert standings(results, "cup", "d") == standings(list(results), "cup", "d")


FIXED_KEYS = [
    "entrant",
    "rank",
    "rank_low",
    "rank_high",
    "mu",
    "sigma",
    "rating",
    "matches",
    "forfeits",
    "mean_place",
    "mean_score",
]


def test_the_json_has_the_keys_that_other_programs_read() -> None:
    seen = standings([forfeited(), match("ab", (1, 2))], "cup", "d", replicates=FEW)
    text = json.dumps(as_json(seen, "2026-03-01T12:00:00Z"), allow_nan=False)
    read = json.loads(text)
    assert list(read)[:2] == ["standings_version", "competition"]
    assert read["standings_version"] == 5
    assert (read["confidence"], read["claims"], read["told_apart"]) == (0.95, "fixed", {})
    assert (read["competition"], read["generated_at"]) == ("cup", "2026-03-01T12:00:00Z")
    assert [list(line)[: len(FIXED_KEYS)] for line in read["standings"]] == [FIXED_KEYS] * 4
    assert [line["entrant"] for line in read["standings"]] == ["a", "c", "b", "d"]
    b, d = read["standings"][2:]
    assert (b["matches"], b["forfeits"], b["mean_place"], b["mean_score"]) == (2, 1, 2.5, 20)
    assert b["rating"] == pytest.approx(b["mu"] - 3 * b["sigma"], abs=1e-5)
    assert (d["matches"], d["mean_place"], d["mean_score"], d["mu"]) == (0, None, None, 25)
    assert (read["matches"], read["sets"], read["tie_rate"], read["draw_probability"]) == (
        2,
        2,
        0,
        {GAME: 0.02},
    )
    assert read["head_to_head"]["a"]["b"] == [2, 0, 0]
    assert list(read["by_seats"]) == ["2", "3"]
    assert [line["entrant"] for line in read["by_seats"]["2"]["standings"]] == ["a", "b"]


def test_the_rows_for_csv() -> None:
    results = [forfeited(), match("ab", (1, 2))]
    head, *lines = as_csv_rows(standings(results, "cup", "d", replicates=FEW))
    assert head[: len(FIXED_KEYS)] == FIXED_KEYS
    assert [line[:2] for line in lines] == [["a", 1], ["c", 2], ["b", 3], ["d", None]]
    assert {len(line) for line in lines} == {len(head)}
    seats = [
        dict(zip(row, line, strict=True)) for row, line in _with_head(matches_csv_rows(results))
    ]
    assert len(seats) == 5
    assert seats[1] == {
        "match": "t-1",
        "set": "t",
        "game": "glastonbury",
        "variant": "plain",
        "seats": 3,
        "seat": 1,
        "entrant": "b",
        "place": 3,
        "score": 40,
        "forfeited": 1,
        "seconds": 0.5,
        "decisions": 80,
    }


def _with_head(
    rows: list[list[ratings.Cell]],
) -> list[tuple[list[ratings.Cell], list[ratings.Cell]]]:
    return [(rows[0], row) for row in rows[1:]]


def test_everything_that_the_package_exports_is_there() -> None:
    assert all(hasattr(ratings, name) for name in ratings.__all__)
    assert sorted(ratings.__all__, key=lambda name: (not name.isupper(), name)) == ratings.__all__
