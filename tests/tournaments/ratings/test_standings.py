"""The standings of a league: by hand, against tournaments, and continued against recomputed."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations, pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from engine.errors import UsageError
from tests.tournaments.standings_programs import LEAGUE_BY_MATCH, rate_of_page
from tests.tournaments.synthetic import synthetic_results
from tournaments.model import (
    Claims,
    Format,
    Result,
    StopRule,
    TableKind,
    TournamentSettings,
)
from tournaments.pairing.league_stats import LeagueStats
from tournaments.ratings.computation import (
    FEWEST_REPLICATES,
    MOST_POINTS,
    PART_PATHS,
    PART_POINTS,
    SETTLING,
    Checkpoint,
    StandingsRequest,
    continue_standings,
    replicates_for,
)
from tournaments.ratings.documents import HEAD, RESIDUALS, as_json, as_sections, entrant_section
from tournaments.ratings.fit import REPLICATES
from tournaments.ratings.rating_fold import RatingFold
from tournaments.ratings.rating_systems import rating_system
from tournaments.ratings.standings import Part, Rating

FEW = 60
"""Replicates where the intervals are not what is tested."""

PRIOR = Rating(25, 25 / 3)
ROOT = Path(__file__).parents[3]


def match(
    n: int,
    entrants: Sequence[str],
    places: tuple[int, ...],
    game: str = "ring",
    variant: str = "plain",
) -> Result:
    scores = tuple(10 * (len(places) - place) for place in places)
    used = (1.5,) * len(places)
    return Result(f"s{n}-1", f"s{n}", game, variant, tuple(entrants), places, scores, (), used, 80)


HAND = [
    match(1, ("ann@1", "bob@1"), (1, 2)),
    match(2, ("bob@1", "ann@1", "cy@"), (1, 1, 3), variant="fog"),
    match(3, ("cy@", "ann@2"), (2, 1)),
    match(4, ("ann@2", "bob@1"), (1, 2), game="grid"),
]


def many(sets: int = 160, games: Sequence[str] = ("ring",)) -> list[Result]:
    """Return about three times as many results, of six entrants."""
    return synthetic_results([f"bot{n}@1" for n in range(6)], sets, games=games)


def computed(
    results: Sequence[Result], before: Checkpoint | None = None, **settings: Any
) -> tuple[dict[str, Any], Checkpoint]:
    """Compute standings with TrueSkill."""
    request = StandingsRequest("x", **{"replicates": FEW, **settings})
    found, checkpoint = continue_standings(results, request, before)
    return as_json(found, ""), checkpoint


def document(results: Sequence[Result], **settings: Any) -> dict[str, Any]:
    return computed(results, **{"rating": "openskill", **settings})[0]


def checkpoint_of(results: Sequence[Result]) -> Checkpoint:
    return computed(results, rating="openskill")[1]


def stats_of(results: Sequence[Result], rating: str = "trueskill") -> LeagueStats:
    return LeagueStats.of(results, RatingFold(rating))


def lines(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {line["rated"]: line for line in table["standings"]}


# After every match ------------------------------------------------------------------------------


def test_a_fold_rates_as_trueskill_does() -> None:
    results = [*HAND[:2], match(3, ("cy@", "bob@1"), (2, 1))]
    expected = dict.fromkeys(("ann@1", "bob@1", "cy@"), PRIOR)
    system = rating_system("trueskill", 0.1)
    for result in results:
        table = [expected[name] for name in result.entrants]
        expected |= zip(result.entrants, system.update(table, result.places), strict=True)
    assert stats_of(results).ratings.ratings == expected
    # https://trueskill.org has 29.396 and 7.171 for a first win, with a tau that is not 0.
    assert stats_of(HAND[:1]).ratings.ratings["ann@1"].mu == pytest.approx(29.396, abs=0.01)


def test_a_game_has_its_own_draw_probability() -> None:
    usual = stats_of([HAND[3]]).ratings.ratings["bob@1"]
    for game, is_same in (("ring", True), ("grid", False)):
        fold = RatingFold(draw_probability={game: 0.5})
        fold.add(HAND[3])
        assert (fold.ratings["bob@1"] == usual) is is_same


def test_a_match_changes_only_those_who_played() -> None:
    stats = stats_of(HAND)
    before = dict(stats.ratings.ratings)
    stats.ratings.add(match(5, ("cy@", "bob@1"), (1, 2)))
    after = stats.ratings.ratings
    assert {name for name in after if after[name] != before[name]} == {"cy@", "bob@1"}
    assert stats.ratings.played["bob@1"] == 4


def test_the_statistics_count_who_met_whom_where() -> None:
    stats = stats_of(HAND)
    bob = stats.player("bob@1")
    assert stats.position == 4
    assert stats.last == {"ann": 4, "bob": 4, "cy": 3}, "of entrants, in any version"
    assert stats.seated == {"ann": 4, "bob": 3, "cy": 2}
    assert stats.meetings["bob"] == {"ann": 3, "cy": 1}
    assert bob.kinds == {
        TableKind("ring", 2, "plain"): 1,
        TableKind("ring", 3, "fog"): 1,
        TableKind("grid", 2, "plain"): 1,
    }
    assert bob.seats == {(2, 1): 2, (3, 0): 1}


def test_statistics_can_be_pickled_and_continued() -> None:
    kept: LeagueStats = pickle.loads(pickle.dumps(stats_of(HAND[:2])))  # noqa: S301  made here
    assert kept == stats_of(HAND[:2])
    for result in HAND[2:]:
        kept.ratings.add(result)
    assert kept.ratings == stats_of(HAND).ratings


def test_an_unknown_rating_system_is_refused() -> None:
    with pytest.raises(UsageError, match="no rating system"):
        RatingFold("elo")
    with pytest.raises(UsageError, match="no rating system"):
        computed([], rating="elo")


# Versions ---------------------------------------------------------------------------------------


def with_versions() -> list[Result]:
    """Return results of six entrants at tables of two to four, each with three versions."""
    results = many(60)
    return [
        replace(
            result,
            entrants=tuple(
                name.replace("@1", f"@{1 + (n + int(name[3]) * 7) // 70}")
                for name in result.entrants
            ),
        )
        for n, result in enumerate(results)
    ]


def test_versions_are_rated_as_the_reference_says() -> None:
    """Both ways to count agree with the package from PyPI and the rules of the reference."""
    results = with_versions()
    expected = rate_of_page(LEAGUE_BY_MATCH)(
        [(each.game, each.entrants, each.places) for each in results], {"ring": 0.1}
    )
    assert len(expected) > 12, "entrants have several versions"
    whole = lines(computed(results, rating="trueskill-sequential")[0])
    for name, rating in stats_of(results).ratings.ratings.items():
        found = rating.mu, rating.sigma
        assert found == pytest.approx(tuple(expected[name]), abs=1e-6), name
        assert (whole[name]["mu"], whole[name]["sigma"]) == pytest.approx(found, abs=1e-6)


def test_a_new_version_begins_with_the_mu_of_its_predecessor() -> None:
    results = [match(n, ("ann@1", "bob@1"), (1, 2)) for n in range(5)]
    fold = stats_of(results).ratings
    start = fold.rating_of("ann@2")
    assert start == Rating(fold.ratings["ann@1"].mu, PRIOR.sigma)
    assert start.mu > 30
    assert fold.rating_of("cy@1") == PRIOR


def test_a_new_version_changes_no_other_rating_until_it_has_played_ten_matches() -> None:
    """The bots at the table are rated as if it had not been there."""
    results = [match(n, ("ann@1", "bob@1", "cy@"), (1, 2, 3)) for n in range(5)]
    fold = stats_of(results).ratings
    bob, cy = fold.ratings["bob@1"], fold.ratings["cy@"]
    for n in range(10):
        fold.add(match(n, ("bob@1", "ann@2"), (1, 2)))
    assert fold.ratings["bob@1"] == bob
    assert fold.ratings["ann@2"].mu < 20, "its own rating has changed"
    without = stats_of(results).ratings
    without.add(match(10, ("bob@1", "cy@"), (2, 1)))
    fold.add(match(10, ("ann@3", "bob@1", "cy@"), (3, 2, 1)))
    for name in ("bob@1", "cy@"):
        assert fold.ratings[name] == without.ratings[name]
    assert fold.ratings["cy@"].mu > cy.mu
    fold.add(match(11, ("bob@1", "ann@2"), (1, 2)))
    assert fold.ratings["bob@1"] != bob, "the eleventh match counts for both"


def test_brief_versions_have_one_skill_together() -> None:
    """Twenty versions that lose once each say no more about their opponent than one that loses."""
    honest = [match(n, ("bob@1", "cy@"), (1 + n % 2, 2 - n % 2)) for n in range(40)]
    thrown = [match(100 + n, ("bob@1", f"ann@{n}"), (1, 2)) for n in range(20)]
    skills = {name: line["skill"] for name, line in lines(document(honest + thrown)).items()}
    assert skills["ann@19"] < skills["cy@"] < skills["bob@1"]
    assert [name for name, skill in skills.items() if skill is None] == [
        name for name in skills if name in {f"ann@{n}" for n in range(1, 19)}
    ]
    one = [match(100 + n, ("bob@1", "ann@1"), (1, 2)) for n in range(20)]
    alone = {name: line["skill"] for name, line in lines(document(honest + one)).items()}
    gap, expected = skills["bob@1"] - skills["cy@"], alone["bob@1"] - alone["cy@"]
    assert gap == pytest.approx(expected, abs=0.2)


# The whole document -----------------------------------------------------------------------------


def test_the_document_has_the_ratings_of_the_fold() -> None:
    fold = stats_of(HAND).ratings
    found = lines(computed(HAND, rating="trueskill-sequential")[0])
    for name, rating in fold.ratings.items():
        assert found[name]["mu"] == pytest.approx(rating.mu, abs=1e-6)
        assert found[name]["sigma"] == pytest.approx(rating.sigma, abs=1e-6)
        assert found[name]["matches"] == fold.played[name]


@pytest.mark.slow
def test_a_league_and_a_tournament_have_the_same_standings() -> None:
    """The names of the entrants and the matrices of all pairs are the only differences."""
    results = many()
    as_tournament = [
        replace(each, entrants=tuple(name.removesuffix("@1") for name in each.entrants))
        for each in results
    ]
    theirs = computed(as_tournament)[0]
    ours = computed(results, all_pairs=False)[0]
    assert theirs.keys() == ours.keys()
    for table, other in (
        (ours, theirs),
        (ours["by_seats"]["3"], theirs["by_seats"]["3"]),
        (ours["by_variant"]["recipes"], theirs["by_variant"]["recipes"]),
        (ours["by_game"]["ring"], theirs["by_game"]["ring"]),
    ):
        assert table.keys() == other.keys()
        assert table["above"] is None
        for line, its in zip(table["standings"], other["standings"], strict=True):
            assert line == its | {"rated": line["rated"], "version": "1"}
        for n, (line, _) in enumerate(pairwise(table["standings"])):
            assert line["above_next"] == other["above"][n][n + 1]
        assert table["standings"][-1]["above_next"] is None


def _without(lines: list[dict[str, Any]], keys: Sequence[str]) -> list[dict[str, Any]]:
    return [{key: line[key] for key in line if key not in keys} for line in lines]


@pytest.mark.slow
def test_each_part_is_what_its_results_alone_would_give() -> None:
    # Five in turn, so that each game has each variant at each size of table.
    results = many(90, ("ring", "grid", "grid", "ring", "ring"))
    found = document(results)
    parts = {
        "game": (found["by_game"]["grid"], [r for r in results if r.game == "grid"]),
        "seats": (found["by_seats"]["2"], [r for r in results if r.seats == 2]),
        "variant": (found["by_variant"]["plain"], [r for r in results if r.variant == "plain"]),
        "seats of a game": (
            found["by_game"]["ring"]["by_seats"]["4"],
            [r for r in results if (r.game, r.seats) == ("ring", 4)],
        ),
        "seats and variant": (
            found["by_seats"]["3"]["by_variant"]["recipes"],
            [r for r in results if (r.seats, r.variant) == (3, "recipes")],
        ),
        "seats and variant of a game": (
            found["by_game"]["grid"]["by_seats"]["2"]["by_variant"]["plain"],
            [r for r in results if (r.game, r.seats, r.variant) == ("grid", 2, "plain")],
        ),
    }
    for name, (part, mine) in parts.items():
        assert mine, name
        alone = document(mine)
        # Claims over a whole are compared between its parts, and a part of a game is no whole.
        left_out = () if name == "game" else ("rank_low", "rank_high", "groups")
        lines, its = (_without(table["standings"], left_out) for table in (part, alone))
        assert lines == its, name
        assert part["matches"] == len(mine), name
        ends = {rated: (path[0], path[-1]) for rated, path in alone["history"].items()}
        assert {rated: (path[0], path[-1]) for rated, path in part["history"].items()} == ends
    assert found["by_game"]["grid"]["history"] == document(parts["game"][1])["history"]
    assert sorted(found["by_game"]) == found["games"] == ["grid", "ring"]


def sections(results: Sequence[Result]) -> dict[str, dict[str, Any]]:
    request = StandingsRequest("x", "openskill", replicates=FEW, all_pairs=False)
    return as_sections(continue_standings(results, request)[0])


def test_parts_of_the_same_matches_share_a_section() -> None:
    """Of a single game, size or variant the part is the whole."""
    same = [match(n, ("a@", "b@"), (1, 2)) for n in range(3)]
    found = sections(same)
    assert found.keys() == {HEAD, RESIDUALS, "*/*/*", entrant_section("a"), entrant_section("b")}
    names = found[HEAD]["parts"]
    for part in (
        Part("ring"),
        Part(None, 2),
        Part(None, None, "plain"),
        Part("ring", 2, "plain"),
    ):
        assert names[part.name] == "*/*/*"
    sized = sections([*same, match(9, ("a@", "b@", "c@"), (1, 2, 3))])
    names = sized[HEAD]["parts"]
    of_two = names[Part("ring", 2, "plain").name]
    assert of_two == names[Part(None, 2).name]
    assert sized[of_two]["standings"] == found["*/*/*"]["standings"]
    for other in (
        Part("grid"),
        Part("ring", 4),
        Part("ring", 2, "fog"),
        Part(None, 4, "plain"),
    ):
        assert other.name not in names


def test_the_sections_of_a_league_have_what_pages_show() -> None:
    found = sections(HAND)
    assert [line["rated"] for line in found[HEAD]["leaders"]] == ["ann@2", "bob@1", "cy@"]
    assert found[HEAD]["draw_probability"] == {"grid": 0.1, "ring": 0.1}
    ann = found[entrant_section("ann")]
    assert [version["rated"] for version in ann["versions"]] == ["ann@1", "ann@2"]
    whole = document(HAND)
    times = {"seconds_per_match": 1.5}
    for version in ann["versions"]:
        assert version["line"] == lines(whole)[version["rated"]] | times
    assert ann["history"] == {name: whole["history"][name] for name in ("ann@1", "ann@2")}
    assert ann["head_to_head"] == {name: whole["head_to_head"][name] for name in ("ann@1", "ann@2")}


@pytest.mark.slow
def test_a_league_names_the_pairs_of_current_versions_that_are_told_apart() -> None:
    """Cy has played too little to be told apart from Ann, with whom he shares no group."""
    results = [match(n, ("ann@1", "bob@2"), (1, 2)) for n in range(30)]
    results += [match(30 + n, ("ann@1", "bob@1"), (1, 2)) for n in range(30)]
    results += [match(60 + n, ("bob@2", "cy@"), (1, 2)) for n in range(5)]
    request = StandingsRequest(
        current={"bob": "2"}, replicates=250, all_pairs=False, claims=Claims.ANYTIME
    )
    found = continue_standings(results, request)[0]
    assert found.overall.is_ahead("ann@1", "bob@1")
    table = as_sections(found)[Part().name]
    group_of = {line["rated"]: line["groups"] for line in table["standings"]}
    assert not set(group_of["ann@1"]) & set(group_of["cy@"])
    assert table["told_apart"] == {"ann@1": ["bob@2"]}


def test_with_many_versions_histories_have_fewer_points() -> None:
    names = [f"bot{n:03}@" for n in range(400)]
    results = [match(n, names[n % 200 * 2 :][:2], (1, 2)) for n in range(200 * 70)]
    history = sections(results)["*/*/*"]["history"]
    assert {len(path) for path in history.values()} <= set(range(20, 51))
    assert {path[-1][0] for path in history.values()} == {70}
    assert {path[0][0] for path in history.values()} == {0}


def test_tables_of_a_size_and_a_variant_have_fewer_replicates() -> None:
    found = computed(HAND, replicates=None)[0]
    assert found["bootstrap_replicates"] == REPLICATES
    assert found["by_seats"]["2"]["bootstrap_replicates"] == REPLICATES
    crossed = found["by_seats"]["2"]["by_variant"]["plain"]
    assert crossed["bootstrap_replicates"] == REPLICATES // 4 == FEWEST_REPLICATES


def test_parts_have_the_paths_of_the_best_and_fewer_points() -> None:
    many_bots = [f"bot{n:02}@" for n in range(PART_PATHS + 4)]
    results = [match(n, pair, (1, 2)) for n, pair in enumerate(combinations(many_bots, 2))]
    results += [match(1000 + n, many_bots[:2], (1, 2)) for n in range(100)]
    results += [match(2000, many_bots[:3], (1, 2, 3))]
    found = document(results)
    assert len(found["history"]) == len(many_bots)
    assert len(found["history"]["bot00@"]) > PART_POINTS
    part = found["by_seats"]["2"]
    best = [line["rated"] for line in part["standings"]][:PART_PATHS]
    assert list(part["history"]) == sorted(best)
    path = part["history"]["bot00@"]
    assert PART_POINTS / 2 <= len(path) <= PART_POINTS
    assert path[-1][:2] == [PART_PATHS + 3 + 100, len(results) - 1]


def test_versions_belong_to_entrants_and_the_current_one_is_marked() -> None:
    found = document(HAND, entrants=("dee@7",))
    assert {
        name: [
            (each["rated"], each["label"], each["current"], each["matches"]) for each in versions
        ]
        for name, versions in found["versions"].items()
    } == {
        "ann": [("ann@1", "ann@1", False, 2), ("ann@2", "ann@2", True, 2)],
        "bob": [("bob@1", "bob", True, 3)],
        "cy": [("cy@", "cy", True, 2)],
        "dee": [("dee@7", "dee", True, 0)],
    }
    table = lines(found)
    assert {name for name, line in table.items() if line["current"]} == {
        "ann@2",
        "bob@1",
        "cy@",
        "dee@7",
    }
    assert table["ann@1"]["rank_among_current"] is None
    assert table["ann@2"]["rank_among_current"] == 1
    assert table["dee@7"]["rank"] is None
    assert table["dee@7"]["rank_among_current"] is None
    assert (table["dee@7"]["mu"], table["dee@7"]["skill"]) == (25, None)
    back = document(HAND, current={"ann": "1"})
    assert lines(back)["ann@1"]["current"]
    assert not lines(back)["ann@2"]["current"]


def test_a_version_that_has_joined_but_not_played_can_be_the_current_one() -> None:
    found = document(HAND, entrants=("bob@2",), current={"bob": "2"})
    assert [(each["rated"], each["current"]) for each in found["versions"]["bob"]] == [
        ("bob@2", True),
        ("bob@1", False),
    ]


def test_head_to_head_counts_above_level_and_below() -> None:
    assert document(HAND)["head_to_head"] == {
        "ann@1": {"bob@1": [1, 1, 0], "cy@": [1, 0, 0]},
        "ann@2": {"bob@1": [1, 0, 0], "cy@": [1, 0, 0]},
        "bob@1": {"ann@1": [0, 1, 1], "ann@2": [0, 0, 1], "cy@": [1, 0, 0]},
        "cy@": {"ann@1": [0, 0, 1], "ann@2": [0, 0, 1], "bob@1": [0, 0, 1]},
    }


def test_a_path_begins_where_the_predecessor_is_and_ends_with_the_rating() -> None:
    found = computed(HAND, rating="trueskill-sequential")[0]
    before = lines(found)["ann@1"]["mu"]
    path = found["history"]["ann@2"]
    # Its first match is the third of the league.
    assert [point[:2] for point in path] == [[0, 2], [1, 3], [2, 4]]
    assert path[0][2:] == [before, 8.333333]
    assert found["history"]["bob@1"][0][2:] == [25, 8.333333]
    assert path[-1][2:] == [lines(found)["ann@2"]["mu"], lines(found)["ann@2"]["sigma"]]


@pytest.mark.parametrize("matches", [199, 200, 201, 399, 1000, 1023])
def test_a_long_path_is_thinned_evenly(matches: int) -> None:
    results = [match(n, ("a@", "b@"), (1 + n % 2, 2 - n % 2)) for n in range(matches)]
    path = document(results)["history"]["a@"]
    assert MOST_POINTS / 2 <= len(path) <= MOST_POINTS
    assert (path[0][0], path[-1][0]) == (0, matches)
    steps = [b[0] - a[0] for a, b in pairwise(path)]
    assert set(steps[:-1]) == {steps[0]}
    assert steps[-1] <= steps[0]


def test_a_league_without_a_match_has_standings() -> None:
    found = document([], entrants=("ann@1", "bob@"))
    assert [(line["rated"], line["rank"]) for line in found["standings"]] == [
        ("ann@1", None),
        ("bob@", None),
    ]
    assert found["by_game"] == found["history"] == found["head_to_head"] == {}
    assert document([])["standings"] == []


# Going on ---------------------------------------------------------------------------------------


def continued(results: Sequence[Result], before: Checkpoint) -> dict[str, Any]:
    return document(results, before=before)


@pytest.mark.slow
def test_going_on_gives_what_beginning_anew_gives() -> None:
    results = many(games=("ring", "grid"))
    assert len(results) > SETTLING + 150
    before = checkpoint_of(results[:400])
    assert before.position == 400 - SETTLING
    assert continued(results, before) == document(results)
    assert continued(results[:400], before) == document(results[:400])


def test_a_match_that_comes_in_late_has_its_place() -> None:
    results = many()
    late = results[300]
    before = checkpoint_of([*results[:300], *results[301:400]])
    assert before.position > 0
    found = continued(results, before)
    assert late in results
    assert found == document(results)


def test_a_match_that_was_annulled_is_forgotten() -> None:
    results = many()
    before = checkpoint_of(results)
    without = results[:10] + results[11:]
    assert continued(without, before) == document(without)
    changed = [*results]
    changed[10] = replace(changed[10], places=changed[10].places[::-1])
    assert continued(changed, before) == document(changed)
    assert continued(changed, before) != document(results)
    assert continued(results[:50], before) == document(results[:50])


def test_a_second_game_begins_anew() -> None:
    results = many()
    before = checkpoint_of(results)
    more = [*results, match(999, ("bot0@1", "bot1@1"), (1, 2), game="grid")]
    assert continued(more, before) == document(more)


def test_what_is_settled_is_not_folded_again() -> None:
    results = many()
    before = checkpoint_of(results[:400])
    for fold in before.folds.values():
        fold.ratings.ratings["bot0@1"] = Rating(
            1000, 1
        )  # so that one can see where it went on from
    assert lines(continued(results, before))["bot0@1"]["mu"] > 900


def test_a_second_variant_begins_anew() -> None:
    """What was one variant is now a part, which no fold has been made of."""
    results = [result for result in many(200) if result.variant == "plain"]
    assert len(results) > SETTLING
    before = checkpoint_of(results)
    more = [*results, match(999, ("bot0@1", "bot1@1"), (1, 2), variant="fog")]
    assert continued(more, before) == document(more)


def test_a_checkpoint_is_not_changed_by_going_on() -> None:
    results = many()
    before = checkpoint_of(results[:400])
    kept = pickle.dumps(before)
    continued(results, before)
    assert pickle.dumps(before) == kept


def test_a_worker_process_can_do_it() -> None:
    """Everything goes there and comes back, and the document can be written as JSON."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        made, checkpoint = pool.submit(computed, HAND).result()
        again, _ = pool.submit(computed, HAND, checkpoint).result()
    assert made == again == computed(HAND)[0]
    assert json.loads(json.dumps(made)) == made


@pytest.mark.parametrize(
    ("format_", "stop", "claims"),
    [
        (Format.ROUND_ROBIN, None, Claims.FIXED),
        (Format.SWISS, None, Claims.ANYTIME),
        (Format.KNOCK_OUT, None, Claims.ANYTIME),
        (Format.DOUBLE_KNOCK_OUT, None, Claims.ANYTIME),
        (Format.ROUND_ROBIN, StopRule("leader"), Claims.ANYTIME),
    ],
)
def test_claims_hold_at_any_time_where_the_schedule_depends_on_results(
    format_: Format, stop: StopRule | None, claims: Claims
) -> None:
    """Also of a tournament that is complete: its end was chosen by looking at the results."""
    settings = TournamentSettings("Cup", (), format=format_, stop=stop)
    assert StandingsRequest.of_tournament(settings, Claims.FIXED).claims is claims


def test_a_large_league_has_fewer_replicates() -> None:
    assert [replicates_for(n) for n in (0, 2, 30)] == [REPLICATES] * 3
    assert [replicates_for(n) for n in (60, 500, 5000)] == [250] * 3
