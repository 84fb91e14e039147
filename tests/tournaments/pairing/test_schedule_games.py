"""Schedules of several games: known answers by hand, and what holds for all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from tests.tournaments.pairing.schedules import (
    BOTH,
    assert_seats_are_exact,
    assert_the_balance_is_true,
    bots,
    tables,
)
from tournaments.model import Entrant, GameRequest, Request
from tournaments.model.match import DuplicateSet
from tournaments.pairing.balance import Range
from tournaments.pairing.round_robin import Schedule, count_matches, schedule

THREE = (Entrant("cy"), Entrant("ann"), Entrant("bob"))
GLASTONBURY = GameRequest("glastonbury", (2, 3), ("plain",))
GARGON = GameRequest("gargon", (3,), ("plain", "open_captures"), 2)


def matches_of(plan: Schedule) -> dict[str, int]:
    return {game: even.matches for game, even in plan.balance.games.items()}


# --- Known answers


def test_each_game_has_its_own_sizes_variants_and_sets() -> None:
    plan = schedule(Request(THREE, (GLASTONBURY, GARGON)))
    assert tables(played for played in plan.sets if played.game == "glastonbury") == {
        ("ann", "bob"): 1,
        ("ann", "cy"): 1,
        ("bob", "cy"): 1,
        ("ann", "bob", "cy"): 1,
    }
    gargon = [played for played in plan.sets if played.game == "gargon"]
    assert sorted((played.variant, played.number) for played in gargon) == [
        ("open_captures", 1),
        ("open_captures", 2),
        ("plain", 1),
        ("plain", 2),
    ]
    # Three pairs with two matches and a table of three; four sets at tables of three.
    assert count_matches(plan.request) == len(plan.matches) == 9 + 12
    assert matches_of(plan) == {"glastonbury": 9, "gargon": 12}
    assert plan.balance.games["glastonbury"].matches_each == Range(7, 7)
    assert plan.balance.games["gargon"].matches_each == Range(12, 12)
    assert plan.balance.games["gargon"].pair_matches == Range(12, 12)
    assert plan.balance.total.matches_each == Range(19, 19)
    # Two sets of a table go both ways round, and so do those of the other variant.
    assert plan.balance.games["gargon"].left_neighbours == Range(6, 6)
    assert_the_balance_is_true(plan)
    assert_seats_are_exact(plan)


def test_the_id_of_a_set_has_the_game_in_it() -> None:
    """The digest is what sha256sum says of ["gargon","plain",["ann","bob","cy"],1,"rotations"]."""
    plan = schedule(Request(THREE, (GLASTONBURY, GARGON)))
    ids = {(p.game, p.variant, p.number): p.id for p in plan.sets if len(p.order) == 3}
    assert len(set(ids.values())) == len(ids) == 5
    assert DuplicateSet("gargon", "plain", ("ann", "bob", "cy"), 1).id == "24091cd27cb6"


def test_the_games_take_turns() -> None:
    """Sets are in the order of their number and id, and an id is a hash: no game comes last."""
    games = tuple(GameRequest(name, (2,), ("plain",)) for name in ("one", "two"))
    order = [played.game for played in schedule(Request(bots(8), games)).sets]
    assert order.count("one") == order.count("two") == 28
    assert 10 <= order[:28].count("one") <= 18


def test_a_limit_is_shared_between_the_games_and_then_within_each() -> None:
    """24 matches are 12 for each game, however many variants it has."""
    games = (
        GameRequest("one", (2,), ("a", "b", "c")),
        GameRequest("two", (2,), ("plain",)),
    )
    groups = schedule(Request(bots(6), games, 24)).balance.groups
    assert {(group.game, group.variant): even.matches for group, even in groups.items()} == {
        ("one", "a"): 4,
        ("one", "b"): 4,
        ("one", "c"): 4,
        ("two", "plain"): 12,
    }


def test_a_small_game_leaves_its_share_to_the_others() -> None:
    """Four entrants make one table of four, which is four matches of its half of the limit."""
    games = (GameRequest("large", (2,), BOTH), GameRequest("small", (4,), ("plain",)))
    plan = schedule(Request(bots(4), games, 20))
    assert matches_of(plan) == {"large": 16, "small": 4}


def test_a_game_with_large_tables_gets_as_many_matches_not_as_many_sets() -> None:
    games = (GameRequest("pairs", (2,), ("plain",)), GameRequest("fives", (5,), ("plain",)))
    plan = schedule(Request(bots(12), games, 60))
    assert matches_of(plan) == {"pairs": 30, "fives": 30}
    assert [len([p for p in plan.sets if len(p.order) == size]) for size in (2, 5)] == [15, 6]


def test_entrants_are_even_within_each_game() -> None:
    """Twenty at 400 matches of three games: each game has a ranking of its own."""
    games = (
        GameRequest("glastonbury", (2, 3, 4), BOTH),
        GameRequest("kupferkessel", (2, 3), BOTH),
        GameRequest("gargon", (3, 4, 5), ("plain", "open_captures")),
    )
    balance = schedule(Request(bots(20), games, 400)).balance
    for game in games:
        even = balance.games[game.game]
        assert 130 <= even.matches <= 135
        assert even.matches_each.spread <= max(game.table_sizes)
    assert balance.total.matches_each.spread <= 5


# --- What holds for all of them


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Draw requests for one to three games with a limit."""
    number = draw(st.integers(3, 16))
    games = []
    for name in draw(st.permutations(["glastonbury", "kupferkessel", "gargon"])):
        sizes = st.lists(st.integers(2, min(5, number)), min_size=1, max_size=3, unique=True)
        variants = draw(st.sampled_from([("plain",), BOTH]))
        games.append(GameRequest(name, tuple(draw(sizes)), variants, draw(st.integers(1, 2))))
    games = games[: draw(st.integers(1, 3))]
    asked = Request(tuple(draw(st.permutations(bots(number)))), tuple(games))
    least = sum(max(game.table_sizes) for game in games)
    most = max(least, min(count_matches(asked), 600))
    return replace(asked, max_matches=draw(st.integers(least, most)))


@pytest.mark.slow
@settings(max_examples=30)
@given(requests())
def test_a_selection_over_several_games_is_even_and_uses_its_limit(asked: Request) -> None:
    plan = schedule(asked)
    assert asked.max_matches is not None
    left = asked.max_matches - len(plan.matches)
    assert left >= 0
    balance = plan.balance
    whole = schedule(replace(asked, max_matches=None)).balance
    for group, even in balance.groups.items():
        assert left < group.seats or even.sets == whole.groups[group].sets, "room for one more set"
        assert even.sets_each.spread <= 1
    shares = {game: even.matches for game, even in balance.games.items()}
    largest = max(size for game in asked.games for size in game.table_sizes)
    for game, matches in shares.items():
        is_whole = matches == whole.games[game].matches
        assert is_whole or matches >= max(shares.values()) - 2 * largest, "its share, or all of it"
    assert_the_balance_is_true(plan)
    assert_seats_are_exact(plan)


@settings(max_examples=20)
@given(requests(), st.integers(0, 300))
def test_a_game_that_is_added_only_adds(asked: Request, more: int) -> None:
    before = schedule(asked)
    assert asked.max_matches is not None
    new = GameRequest("chess", (2,), ("plain",))
    larger = replace(asked, games=(new, *asked.games), max_matches=asked.max_matches + 2 + more)
    after = schedule(larger, keep=before.sets)
    assert tuple(played for played in after.sets if played in set(before.sets)) == before.sets
    assert any(played.game == "chess" for played in after.sets)
    assert schedule(larger, keep=after.sets).sets == after.sets
    assert_the_balance_is_true(after)


def test_a_game_that_is_added_catches_up() -> None:
    """Sixty matches of two games are thirty each; with a third and room they are forty each."""
    two = (GameRequest("a", (2,), ("plain",)), GameRequest("b", (2,), ("plain",)))
    before = schedule(Request(bots(12), two, 60))
    three = (*two, GameRequest("c", (2,), ("plain",)))
    after = schedule(Request(bots(12), three, 120), keep=before.sets)
    assert matches_of(before) == {"a": 30, "b": 30}
    assert matches_of(after) == {"a": 40, "b": 40, "c": 40}


def test_the_order_of_the_games_plays_no_part() -> None:
    games = (GLASTONBURY, GARGON, GameRequest("kupferkessel", (2, 3), BOTH))
    asked = Request(bots(7), games, 60)
    assert schedule(asked).sets == schedule(replace(asked, games=games[::-1])).sets


# --- Refusals


def test_a_limit_that_leaves_nothing_for_a_game_is_refused() -> None:
    with pytest.raises(UsageError, match=r"max_matches is 4, which leaves no set for glastonbury"):
        schedule(Request(THREE, (GLASTONBURY, GARGON), 4))
    assert len(schedule(Request(THREE, (GLASTONBURY, GARGON), 5)).matches) == 5


def test_a_limit_that_is_used_up_is_refused_when_a_game_is_added() -> None:
    before = schedule(Request(THREE, (GLASTONBURY,), 6))
    with pytest.raises(UsageError, match="max_matches is 6, which leaves no set for gargon"):
        schedule(Request(THREE, (GLASTONBURY, GARGON), 6), keep=before.sets)


def test_a_set_of_a_game_that_is_gone_is_missed() -> None:
    before = schedule(Request(THREE, (GLASTONBURY, GARGON)))
    with pytest.raises(UsageError, match=r'there is no game "gargon": .* can only grow'):
        schedule(Request(THREE, (GLASTONBURY,)), keep=before.sets)


@pytest.mark.parametrize(
    ("game", "says"),
    [
        (replace(GARGON, table_sizes=()), "there is no table size"),
        (replace(GARGON, table_sizes=(4,)), "a table of 4 needs 4 entrants, but there are 3"),
        (replace(GARGON, variants=()), "there is no variant to play"),
        (replace(GARGON, sets_per_table=0), "sets_per_table is 0"),
    ],
)
def test_every_game_is_looked_at(game: GameRequest, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        schedule(Request(THREE, (GLASTONBURY, game)))
