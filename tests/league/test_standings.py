"""The standings of a league: by hand, against those of tournaments, and continued against anew."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import combinations, pairwise
from multiprocessing import get_context
from typing import Any

import pytest

from engine import UsageError
from tests.tournaments.synthetic import synthetic_results
from tournaments import ratings
from tournaments.league.parts import Part
from tournaments.league.situation import Kind, Ledger
from tournaments.league.standings import (
    FEWEST_REPLICATES,
    MOST_POINTS,
    PART_PATHS,
    PART_POINTS,
    SETTLING,
    Checkpoint,
    full,
    is_due,
    ledger_of,
    new_ledger,
    quick,
    replicates_for,
)
from tournaments.ratings import REPLICATES, Rating, rating_system
from tournaments.results import Result

FEW = 60
"""Replicates where the intervals are not what is tested."""

PRIOR = Rating(25, 25 / 3)


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


def document(results: Sequence[Result], **settings: Any) -> dict[str, Any]:
    return full(results, **{"rating": "openskill", "replicates": FEW, **settings}).document


def lines(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {line["rated"]: line for line in table["standings"]}


# After every match ------------------------------------------------------------------------------


def test_quick_learns_as_trueskill_does_with_the_ties_so_far() -> None:
    """One imagined tie in ten; then 1 of 11, and with one tie in three pairs 2 of 13."""
    expected = dict.fromkeys(("ann@1", "bob@1", "cy@", "ann@2"), PRIOR)
    for result, draws in zip(HAND[:3], (0.10, 0.09, 0.15), strict=True):
        system = rating_system("trueskill", {"ring": draws})
        table = [expected[name] for name in result.entrants]
        expected |= zip(result.entrants, system.update("ring", table, result.places), strict=True)
    ledger = ledger_of(HAND[:3])
    assert {name: account.rating for name, account in ledger.accounts.items()} == expected
    # https://trueskill.org has 29.396 and 7.171 for a first win, with a tau that is not 0.
    assert ledger_of(HAND[:1]).account("ann@1").rating.mu == pytest.approx(29.396, abs=0.01)


def test_a_game_has_its_own_ties() -> None:
    first_of_grid = ledger_of([HAND[3]]).account("bob@1").rating
    after_ties = ledger_of([match(0, ("x@", "y@"), (1, 1)), HAND[3]]).account("bob@1").rating
    assert after_ties == first_of_grid


def test_quick_touches_only_those_who_played() -> None:
    ledger = ledger_of(HAND)
    before = pickle.dumps({name: ledger.account(name) for name in ("cy@", "ann@1")})
    assert quick(ledger, match(5, ("ann@2", "bob@1"), (1, 2))) is ledger
    assert pickle.dumps({name: ledger.account(name) for name in ("cy@", "ann@1")}) == before
    assert ledger.account("bob@1").rated == 4


def test_the_ledger_counts_who_met_whom_where() -> None:
    ledger = ledger_of(HAND)
    bob = ledger.account("bob@1")
    assert ledger.position == 4
    assert bob.last == 4
    assert ledger.account("ann@1").last == 2
    assert bob.met == {"ann@1": 2, "cy@": 1, "ann@2": 1}
    assert bob.kinds == {
        Kind("ring", 2, "plain"): 1,
        Kind("ring", 3, "fog"): 1,
        Kind("grid", 2, "plain"): 1,
    }
    assert bob.seats == {(2, 1): 2, (3, 0): 1}


def test_a_ledger_can_be_kept_and_gone_on_with() -> None:
    for kept in (
        Ledger.from_json(ledger_of(HAND[:2]).as_json()),
        pickle.loads(pickle.dumps(ledger_of(HAND[:2]))),  # noqa: S301  made here
    ):
        assert kept == ledger_of(HAND[:2])
        for result in HAND[2:]:
            quick(kept, result)
        assert kept.account("bob@1").rating == ledger_of(HAND).account("bob@1").rating


def test_a_rating_system_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no rating system"):
        new_ledger("elo")
    with pytest.raises(UsageError, match="no rating system"):
        full([], rating="elo")


# The whole document -----------------------------------------------------------------------------


def test_full_and_quick_have_the_same_ratings() -> None:
    ledger = ledger_of(HAND)
    found = lines(full(HAND, replicates=FEW).document)
    for name, account in ledger.accounts.items():
        assert found[name]["mu"] == pytest.approx(account.rating.mu, abs=1e-4)
        assert found[name]["sigma"] == pytest.approx(account.rating.sigma, abs=1e-4)
        assert found[name]["matches"] == account.rated


def test_figures_and_intervals_are_those_of_tournaments() -> None:
    results = many()
    expected = ratings.standings(results, "t", rating="openskill", replicates=FEW)
    found = document(results)
    assert found["games"] == ["ring"]
    for table, theirs in (
        (found, expected.overall),
        (found["by_seats"]["3"], expected.by_seats[3]),
        (found["by_variant"]["recipes"], expected.by_variant["recipes"]),
        (found, expected.by_game["ring"].table),
    ):
        assert table["matches"] == theirs.matches
        assert table["sets"] == theirs.sets
        assert table["groups"] == {group.letter: list(group.entrants) for group in theirs.groups}
        # OpenSkill is not told of ties, so that its fold is the same too.
        assert [line["rated"] for line in table["standings"]] == [
            line.entrant for line in theirs.standings
        ]
        for line, other in zip(table["standings"], theirs.standings, strict=True):
            assert other.skill is not None
            assert (line["rank"], line["rank_low"], line["rank_high"]) == (
                other.rank,
                other.rank_low,
                other.rank_high,
            )
            assert line["mu"] == pytest.approx(other.rating.mu, abs=1e-4)
            assert line["sigma"] == pytest.approx(other.rating.sigma, abs=1e-4)
            assert line["skill_low"] == pytest.approx(other.skill.low, abs=1e-4)
            assert line["skill_high"] == pytest.approx(other.skill.high, abs=1e-4)
            assert line["points"] == pytest.approx(other.figures.points, abs=1e-4)
            assert line["places"] == list(other.figures.places)
            assert tuple(line["groups"]) == other.groups
        for n, (line, _) in enumerate(pairwise(table["standings"])):
            assert line["above_next"] == pytest.approx(theirs.above[n][n + 1], abs=1e-4)
        assert table["standings"][-1]["above_next"] is None


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
        assert part["standings"] == alone["standings"], name
        assert part["matches"] == len(mine), name
        ends = {rated: (path[0], path[-1]) for rated, path in alone["history"].items()}
        assert {rated: (path[0], path[-1]) for rated, path in part["history"].items()} == ends
    assert found["by_game"]["grid"]["history"] == document(parts["game"][1])["history"]
    assert sorted(found["by_game"]) == found["games"] == ["grid", "ring"]


def test_what_there_is_one_of_stands_in_the_document_once() -> None:
    """Of a single game, size or variant the part is the whole, and the whole is what is found."""
    same = [match(n, ("a@", "b@"), (1, 2)) for n in range(3)]
    found = document(same)
    assert found["by_game"] == found["by_seats"] == found["by_variant"] == {}
    for part in (Part("ring"), Part(None, 2), Part(None, None, "plain"), Part("ring", 2, "plain")):
        assert part.of(found) is found
    sized = document([*same, match(9, ("a@", "b@", "c@"), (1, 2, 3))])
    assert sized["by_seats"]["2"]["by_variant"] == {}
    of_two = Part("ring", 2, "plain").of(sized)
    assert of_two is not None
    assert of_two["standings"] == sized["by_seats"]["2"]["standings"] == found["standings"]
    for other in (Part("grid"), Part("ring", 4), Part("ring", 2, "fog"), Part(None, 4, "plain")):
        assert other.of(sized) is None


def test_tables_of_a_size_and_a_variant_have_fewer_replicates() -> None:
    found = full(HAND).document
    assert found["bootstrap_replicates"] == REPLICATES
    assert found["by_seats"]["2"]["bootstrap_replicates"] == REPLICATES
    crossed = found["by_seats"]["2"]["by_variant"]["plain"]
    assert crossed["bootstrap_replicates"] == REPLICATES // 4 > FEWEST_REPLICATES


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
    found = document(HAND, entrants=["dee@7"])
    assert {
        name: [
            (each["rated"], each["label"], each["current"], each["matches"]) for each in versions
        ]
        for name, versions in found["entrants"].items()
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
    assert table["dee@7"]["rank"] == 5
    assert table["dee@7"]["rank_among_current"] is None
    assert (table["dee@7"]["mu"], table["dee@7"]["skill"]) == (25, None)
    back = document(HAND, current={"ann": "1"})
    assert lines(back)["ann@1"]["current"]
    assert not lines(back)["ann@2"]["current"]


def test_a_version_that_has_joined_but_not_played_can_be_the_current_one() -> None:
    found = document(HAND, entrants=["bob@2"], current={"bob": "2"})
    assert [(each["rated"], each["current"]) for each in found["entrants"]["bob"]] == [
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


def test_a_path_begins_with_the_prior_and_ends_with_the_rating() -> None:
    found = full(HAND, replicates=FEW).document
    path = found["history"]["ann@2"]
    # Its first match is the third of the league.
    assert [point[:2] for point in path] == [[0, 2], [1, 3], [2, 4]]
    assert path[0][2:] == [25, 8.3333]
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
    found = document([], entrants=["ann@1", "bob@"])
    assert [(line["rated"], line["rank"]) for line in found["standings"]] == [
        ("ann@1", 1),
        ("bob@", 1),
    ]
    assert found["by_game"] == found["history"] == found["head_to_head"] == {}
    assert document([])["standings"] == []


# Going on ---------------------------------------------------------------------------------------


def continued(results: Sequence[Result], before: Checkpoint) -> dict[str, Any]:
    return document(results, before=before)


def test_going_on_gives_what_beginning_anew_gives() -> None:
    results = many(games=("ring", "grid"))
    assert len(results) > SETTLING + 150
    before = full(results[:400], rating="openskill", replicates=FEW).checkpoint
    assert before.position == 400 - SETTLING
    assert continued(results, before) == document(results)
    assert continued(results[:400], before) == document(results[:400])


def test_a_match_that_comes_in_late_has_its_place() -> None:
    results = many()
    late = results[300]
    before = full(
        [*results[:300], *results[301:400]], rating="openskill", replicates=FEW
    ).checkpoint
    assert before.position > 0
    found = continued(results, before)
    assert late in results
    assert found == document(results)


def test_a_match_that_was_annulled_is_forgotten() -> None:
    results = many()
    before = full(results, rating="openskill", replicates=FEW).checkpoint
    without = results[:10] + results[11:]
    assert continued(without, before) == document(without)
    changed = [*results]
    changed[10] = replace(changed[10], places=changed[10].places[::-1])
    assert continued(changed, before) == document(changed)
    assert continued(changed, before) != document(results)
    assert continued(results[:50], before) == document(results[:50])


def test_a_second_game_begins_anew() -> None:
    results = many()
    before = full(results, rating="openskill", replicates=FEW).checkpoint
    more = [*results, match(999, ("bot0@1", "bot1@1"), (1, 2), game="grid")]
    assert continued(more, before) == document(more)


def test_what_is_settled_is_not_folded_again() -> None:
    results = many()
    before = full(results[:400], rating="openskill", replicates=FEW).checkpoint
    for fold in before.folds.values():
        fold.ratings["bot0@1"] = Rating(1000, 1)  # so that one can see where it went on from
    assert lines(continued(results, before))["bot0@1"]["mu"] > 900


def test_a_second_variant_begins_anew() -> None:
    """What was one variant is now a part, which no fold has been made of."""
    results = [result for result in many(200) if result.variant == "plain"]
    assert len(results) > SETTLING
    before = full(results, rating="openskill", replicates=FEW).checkpoint
    more = [*results, match(999, ("bot0@1", "bot1@1"), (1, 2), variant="fog")]
    assert continued(more, before) == document(more)


def test_a_checkpoint_is_not_changed_by_going_on() -> None:
    results = many()
    before = full(results[:400], rating="openskill", replicates=FEW).checkpoint
    kept = pickle.dumps(before)
    continued(results, before)
    assert pickle.dumps(before) == kept


def test_a_worker_process_can_do_it() -> None:
    """Everything goes there and comes back, and the document can be written as JSON."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        made = pool.submit(full, HAND, replicates=FEW).result()
        again = pool.submit(full, HAND, replicates=FEW, before=made.checkpoint).result()
    assert made.document == again.document == full(HAND, replicates=FEW).document
    assert json.loads(json.dumps(made.document)) == made.document


@pytest.mark.parametrize(
    ("then", "now", "due"),
    [
        (0, 0, False),
        (0, 1, True),
        (1, 10, False),
        (1, 11, True),
        (200, 209, False),
        (200, 210, True),
        (10_000, 10_499, False),
        (10_000, 10_500, True),
        (100, 99, True),
    ],
)
def test_the_document_is_due_when_a_league_has_grown_by_a_twentieth(
    then: int, now: int, due: bool
) -> None:
    assert is_due(then, now) is due


def test_a_large_league_has_fewer_replicates() -> None:
    assert [replicates_for(n) for n in (0, 2, 30)] == [REPLICATES] * 3
    assert replicates_for(60) == 250
    assert replicates_for(500) == FEWEST_REPLICATES
