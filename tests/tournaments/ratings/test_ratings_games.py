"""Standings over several games: a ranking of each, and one over all, against folds of our own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

import pytest
import trueskill

from engine.registry import GAMES as ENGINE
from tests.tournaments.synthetic import standings, synthetic_results
from tournaments.model import Result
from tournaments.ratings.computation import StandingsRequest, compute_standings
from tournaments.ratings.documents import as_csv_rows, as_json, matches_csv_rows

FEW = 50
NAMES = ["ann", "bob", "cy", "dee", "eve"]
GAMES = ("gargon", "glastonbury")
RESULTS = synthetic_results(NAMES, 48, (3, 4, 2), games=GAMES)
"""24 sets of each game; those of one game have all sizes, and both variants."""


def of_game(game: str, results: Iterable[Result] = RESULTS) -> list[Result]:
    return [result for result in results if result.game == game]


def ties(results: Sequence[Result]) -> float:
    """Count level neighbours pair by pair, in the order of the places."""
    level = total = 0
    for result in results:
        ordered = sorted(result.places)
        total += len(ordered) - 1
        level += sum(one == other for one, other in pairwise(ordered))
    return level / total


def fold(results: Sequence[Result]) -> dict[str, tuple[float, float]]:
    """Rate match by match with the package alone; each game has its own draw probability."""
    systems = {
        game: trueskill.TrueSkill(tau=0, draw_probability=ENGINE[game].spec.draw_probability)
        for game in {result.game for result in results}
    }
    ratings = {name: (25.0, 25 / 3) for result in results for name in result.entrants}
    for result in results:
        system = systems[result.game]
        before = [(system.create_rating(*ratings[name]),) for name in result.entrants]
        after = system.rate(before, ranks=result.places)
        for name, (rating,) in zip(result.entrants, after, strict=True):
            ratings[name] = (rating.mu, rating.sigma)
    return ratings


def with_ties(results: Sequence[Result], game: str) -> list[Result]:
    """Let the first two seats of every match of a game share their place."""
    return [
        replace(r, places=(min(r.places[:2]),) * 2 + r.places[2:]) if r.game == game else r
        for r in results
    ]


def rated(lines: Iterable[dict[str, object]]) -> dict[object, tuple[object, object]]:
    return {line["entrant"]: (line["mu"], line["sigma"]) for line in lines}


@pytest.mark.parametrize("results", [RESULTS, with_ties(RESULTS, "gargon")], ids=["few", "many"])
def test_all_games_are_one_fold_and_each_game_is_one_of_its_own(results: list[Result]) -> None:
    found = standings(results, "cup", rating="trueskill-sequential", replicates=FEW)
    written = json.loads(json.dumps(as_json(found, "now")))
    whole = {name: pytest.approx(pair, abs=1e-6) for name, pair in fold(results).items()}
    assert rated(written["standings"]) == whole
    assert list(written["by_game"]) == sorted(GAMES)
    for game in GAMES:
        own = fold(of_game(game, results))
        expected = {name: pytest.approx(pair, abs=1e-6) for name, pair in own.items()}
        assert rated(written["by_game"][game]["standings"]) == expected
        ranking = [line["entrant"] for line in written["by_game"][game]["standings"]]
        assert ranking == sorted(own, key=lambda name: 3 * own[name][1] - own[name][0])


def test_a_game_is_rated_as_if_there_were_no_other() -> None:
    seen = standings(RESULTS, "cup", NAMES, replicates=FEW)
    for game in GAMES:
        alone = standings(of_game(game), "cup", NAMES, replicates=FEW)
        assert seen.by_game[game] == alone.overall
        assert seen.by_seats(game) == alone.by_seats()
        assert seen.by_variant(game) == alone.by_variant()
        assert {size: seen.by_variant(game, size) for size in (2, 3, 4, 5)} == {
            size: alone.by_variant(seats=size) for size in (2, 3, 4, 5)
        }


def test_each_game_has_its_own_draw_probability() -> None:
    """It is that of the competition, or else a constant of the game; never a mean of both."""
    level = with_ties(synthetic_results(NAMES, 12, (2,), games=GAMES), "gargon")
    request = StandingsRequest("cup", draw_probability={"gargon": 0.9}, replicates=FEW)
    seen = compute_standings(level, request)
    assert seen.overall.games == GAMES
    assert seen.overall.tie_rate == pytest.approx(ties(level))
    expected = {"gargon": 0.9, "glastonbury": ENGINE["glastonbury"].spec.draw_probability}
    assert seen.draw_probability == as_json(seen, "now")["draw_probability"] == expected
    as_usual = standings(level, "cup", replicates=FEW)
    for game, is_same in (("glastonbury", True), ("gargon", False)):
        same = seen.by_game[game] == as_usual.by_game[game]
        assert same is is_same, game


def test_the_mean_score_is_for_one_game_only() -> None:
    seen = standings(RESULTS, "cup", replicates=FEW)
    assert {line.figures.mean_score for line in seen.overall.standings} == {None}
    for game in GAMES:
        for line in seen.by_game[game].standings:
            scores = [
                score
                for result in of_game(game)
                for name, score in zip(result.entrants, result.scores, strict=True)
                if name == line.entrant
            ]
            assert line.figures.mean_score == pytest.approx(fmean(scores))
    # Tables of five are of one game here, and so have a mean.
    five = synthetic_results(NAMES, 4, (5,), seed=3, games=("gargon",))
    mixed = standings([*RESULTS, *five], "cup", replicates=FEW)
    assert mixed.by_seats()[3].standings[0].figures.mean_score is None
    assert mixed.by_seats()[5].standings[0].figures.mean_score is not None
    assert mixed.by_seats()[5] == mixed.by_seats("gargon")[5]


def test_places_are_counted_as_far_as_the_largest_table() -> None:
    five = synthetic_results(NAMES, 6, (5,), games=("gargon",))
    seen = standings(five, "cup", replicates=FEW)
    for line in seen.overall.standings:
        assert len(line.figures.places) == 5
        assert sum(line.figures.places) == line.figures.matches == 30
    assert sum(line.figures.places[4] for line in seen.overall.standings) == sum(
        result.places.count(5) for result in five
    )


def test_an_entrant_who_has_not_played_a_game_yet_is_in_its_ranking() -> None:
    early = [r for r in of_game("gargon") if "eve" not in r.entrants]
    seen = standings([*early, *of_game("glastonbury")], "cup", [*NAMES, "fay"], replicates=FEW)
    lines = {line.entrant: line for line in seen.by_game["gargon"].standings}
    assert set(lines) == {*NAMES, "fay"}
    assert lines["eve"].skill is None
    assert lines["eve"].rank is lines["fay"].rank is None


def test_a_tournament_of_one_game_says_the_same_twice() -> None:
    written = as_json(standings(of_game("gargon"), "cup", NAMES, replicates=FEW), "now")
    by_game = written["by_game"]
    assert isinstance(by_game, dict)
    assert list(by_game) == ["gargon"]
    assert all(written[key] == value for key, value in by_game["gargon"].items())
    assert written.keys() - by_game["gargon"].keys() == {
        "standings_version",
        "competition",
        "generated_at",
        "rating_system",
        "draw_probability",
        "trueskill",
        "games",
        "by_game",
        "versions",
    }


def test_the_csv_has_all_rankings_and_says_which_is_which() -> None:
    seen = standings(RESULTS, "cup", [*NAMES, "fay"], replicates=FEW)
    head, *rows = as_csv_rows(seen)
    lines = [dict(zip(head, row, strict=True)) for row in rows]
    assert [line["game"] for line in lines] == [None] * 6 + ["gargon"] * 6 + ["glastonbury"] * 6
    assert [line["entrant"] for line in lines[6:12]] == [
        line.entrant for line in seen.by_game["gargon"].standings
    ]
    alone = as_csv_rows(standings(of_game("gargon"), "cup", replicates=FEW))
    assert [row[-1] for row in alone] == ["game", *["gargon"] * 5]
    nothing = as_csv_rows(standings([], "cup", NAMES, replicates=FEW))
    assert [row[-1] for row in nothing] == ["game", *[None] * 5]


def test_the_matches_say_their_game() -> None:
    head, *rows = matches_csv_rows(RESULTS)
    games = [dict(zip(head, row, strict=True))["game"] for row in rows]
    assert games == [result.game for result in RESULTS for _ in result.entrants]


def test_duplicate_deals_of_two_games_are_measured_together() -> None:
    """Each game by itself: a second one with the same results doubles the sets, no more."""
    one = synthetic_results(NAMES, 60, (3,), games=("gargon",))
    other = [
        replace(r, game="glastonbury", set_id=f"x{r.set_id}", match=f"x{r.match}") for r in one
    ]
    two_games = standings([*one, *other], replicates=FEW).overall.duplicates
    one_game = standings(one, replicates=FEW).overall.duplicates
    assert two_games is not None
    assert one_game is not None
    assert two_games.sets == 2 * one_game.sets
    assert two_games.ratio == pytest.approx(one_game.ratio)


def test_openskill_needs_no_draw_probability_of_any_game() -> None:
    seen = standings(RESULTS, "cup", rating="openskill", replicates=FEW)
    assert seen.rating_system == "openskill"
    assert set(seen.by_game) == set(GAMES)
