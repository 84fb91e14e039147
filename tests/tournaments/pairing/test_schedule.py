"""Schedules: known answers by hand, and what holds for every schedule, counted naively."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from tests.tournaments.pairing.schedules import (
    BOTH,
    assert_seats_are_exact,
    assert_the_balance_is_true,
    bots,
    by_authors,
    counted,
    plain,
    request,
    tables,
    with_game,
)
from tournaments.model import (
    Entrant,
    Format,
    GameRequest,
    Request,
    TableKind,
    sets_with_even_neighbours,
)
from tournaments.model.match import DuplicateSet, Seatings, cyclic_orders, round_the_table
from tournaments.pairing.balance import Range
from tournaments.pairing.round_robin import Schedule, count_matches, schedule

THREE = (Entrant("cy"), Entrant("ann"), Entrant("bob"))


# --- Known answers


def test_three_entrants_at_tables_of_two_and_three() -> None:
    plan = schedule(request(THREE, (2, 3)))
    assert tables(plan.sets) == {
        ("ann", "bob"): 1,
        ("ann", "cy"): 1,
        ("bob", "cy"): 1,
        ("ann", "bob", "cy"): 1,
    }
    pair = next(played for played in plan.sets if played.order == ("ann", "cy"))
    assert [(m.id, m.set_id, m.game, m.variant, m.entrants) for m in pair.matches] == [
        (f"{pair.id}-1", pair.id, "glastonbury", "plain", ("ann", "cy")),
        (f"{pair.id}-2", pair.id, "glastonbury", "plain", ("cy", "ann")),
    ]
    all_three = next(played for played in plan.sets if len(played.order) == 3)
    one_way = [("ann", "bob", "cy"), ("bob", "cy", "ann"), ("cy", "ann", "bob")]
    other_way = [("ann", "cy", "bob"), ("cy", "bob", "ann"), ("bob", "ann", "cy")]
    assert [match.entrants for match in all_three.matches] in (one_way, other_way)
    assert len(plan.matches) == 9
    total = plan.balance.total
    # Two sets of two and one of three: 2 * 2 + 3 matches, each pair in 2 + 3 of them.
    assert (total.matches_each, total.pair_matches, total.pair_sets) == (
        Range(7, 7),
        Range(5, 5),
        Range(2, 2),
    )
    assert total.seats == (Range(3, 3), Range(3, 3), Range(1, 1))


def test_an_id_is_the_hash_of_the_documented_text() -> None:
    """The digests come from sha256sum."""
    plain = DuplicateSet("glastonbury", "plain", ("ann", "bob", "cy"), 1)
    assert plain.id == "06e6c7e6496f"
    odd = DuplicateSet("glastonbury", "plain", ('a"b', "é"), 2, Seatings.ALL)
    assert odd.id == "005f0d22e115"


WITHOUT_AUTHORS = request(bots(13), (2, 3, 4), 333, 1, BOTH)
OLD_SCHEDULES = {
    "selection": (
        WITHOUT_AUTHORS,
        "170ec1f6fe18a73eb1aef3bba3949a786f475a3e58c41a4d05770b368acdf295",
    ),
    "authors": (
        replace(
            WITHOUT_AUTHORS,
            entries=tuple(Entrant(f"bot{n:02}", f"author {n // 2}") for n in range(13)),
            separate_authors=True,
        ),
        "f3c4e45db8eb1f481fb256fd1552753c747b59274b79cbab85241f2dc2f1c78a",
    ),
    "gauntlet": (
        replace(request(bots(20), (2, 3), 150, 3), format=Format.GAUNTLET, challenger="bot01"),
        "655170103d4cd0786122afecb2cd4db8d9c1e607bb4376bb10b8e5d2ddfc8dee",
    ),
    "everything": (
        request(bots(7), (2, 3, 4), None, 3, BOTH),
        "51a132118372ce8af8763bd0b64dbc616370e91c21c4dc839e7f72ec162a223e",
    ),
}
"""SHA-256 of all ids in order, from the time when a tournament had one game."""


@pytest.mark.parametrize(("asked", "digest"), OLD_SCHEDULES.values(), ids=OLD_SCHEDULES)
def test_tournaments_that_were_begun_long_ago_keep_their_schedule(
    asked: Request, digest: str
) -> None:
    ids = "".join(played.id for played in schedule(asked).sets)
    assert hashlib.sha256(ids.encode()).hexdigest() == digest


def test_names_cannot_run_into_each_other() -> None:
    one = DuplicateSet("g", "v", ("a", "b,c"), 1)
    other = DuplicateSet("g", "v", ("a,b", "c"), 1)
    quoted = DuplicateSet("g", "v", ('a","b', "c"), 1)
    three = DuplicateSet("g", "v", ("a", "b", "c"), 1)
    assert len({one.id, other.id, quoted.id, three.id}) == 4


def test_every_permutation_is_a_seating_if_asked_for() -> None:
    plan = schedule(replace(request(bots(4), (4,)), seatings=Seatings.ALL))
    (played,) = plan.sets
    assert {m.entrants for m in played.matches} == set(permutations(e.name for e in bots(4)))
    assert [m.id for m in played.matches] == [f"{played.id}-{n}" for n in range(1, 25)]
    assert_seats_are_exact(plan)
    assert count_matches(plan.request) == 24


def test_a_gauntlet_has_the_tables_of_the_challenger() -> None:
    asked = replace(request(THREE, (2, 3)), format=Format.GAUNTLET, challenger="bob")
    plan = schedule(asked)
    assert tables(plan.sets) == {("ann", "bob"): 1, ("bob", "cy"): 1, ("ann", "bob", "cy"): 1}
    assert count_matches(asked) == 2 + 2 + 3
    assert plan.balance.groups[plain(2)].pair_sets is None
    assert plan.balance.groups[plain(3)].pair_sets == Range(1, 1)


def test_authors_are_kept_apart() -> None:
    """Authors with two, one and one bots: of six pairs one is barred, of four threes two are."""
    asked = replace(request(by_authors(2, 1, 1), (2, 3)), separate_authors=True)
    assert tables(schedule(asked).sets) == {
        ("a0", "b0"): 1,
        ("a0", "c0"): 1,
        ("a1", "b0"): 1,
        ("a1", "c0"): 1,
        ("b0", "c0"): 1,
        ("a0", "b0", "c0"): 1,
        ("a1", "b0", "c0"): 1,
    }
    assert count_matches(asked) == 5 * 2 + 2 * 3


def test_entrants_without_an_author_are_not_kept_apart() -> None:
    asked = replace(request(THREE, (3,)), separate_authors=True)
    assert tables(schedule(asked).sets) == {("ann", "bob", "cy"): 1}


def test_a_limit_is_shared_out_by_matches() -> None:
    """400 matches over six groups: 66 each are 396, and the two groups of four take two more."""
    asked = request(bots(12), (2, 3, 4), 400, variants=BOTH)
    groups = schedule(asked).balance.groups
    assert {group[1:]: even.matches for group, even in groups.items()} == {
        (2, "plain"): 66,
        (2, "recipes"): 66,
        (3, "plain"): 66,
        (3, "recipes"): 66,
        (4, "plain"): 68,
        (4, "recipes"): 68,
    }


def test_a_small_group_leaves_its_share_to_the_others() -> None:
    """Four entrants have six tables of two, which are 12 matches, and one of four."""
    groups = schedule(request(bots(4), (2, 3, 4), 24)).balance.groups
    assert groups[plain(4)].matches == 4
    assert groups[plain(3)].matches == 9
    assert groups[plain(2)].matches == 10


def test_second_sets_come_only_when_all_first_sets_are_there() -> None:
    """Five tables of four among five: seven sets are all first ones and two second ones."""
    plan = schedule(request(bots(5), (4,), 28, sets=3))
    numbers = [played.number for played in plan.sets]
    assert numbers == [1] * 5 + [2] * 2
    assert set(tables(plan.sets[:5]).values()) == {1}


# --- The order round the table


def left_neighbours(orders: Iterable[Sequence[int]]) -> list[int]:
    counts: Counter[tuple[int, int]] = Counter()
    for order in orders:
        counts.update(pairwise([*order, order[0]]))
    seats = len(next(iter(orders)))
    return [counts[pair] for pair in permutations(range(seats), 2)]


def unevenness(orders: Iterable[Sequence[int]]) -> int:
    return sum(count**2 for count in left_neighbours(orders))


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_all_cyclic_orders_are_there_once_and_even_out(seats: int) -> None:
    orders = cyclic_orders(seats)
    assert sorted(orders) == [(0, *rest) for rest in permutations(range(1, seats))]
    assert len(set(left_neighbours(orders))) == 1


def test_two_sets_of_three_go_both_ways() -> None:
    assert cyclic_orders(3) == ((0, 1, 2), (0, 2, 1))


@pytest.mark.parametrize(("seats", "most"), [(4, 6), (5, 4)])
def test_no_other_cyclic_orders_would_even_out_earlier(seats: int, most: int) -> None:
    """Four seats: three orders cannot have every left neighbour once (K4 has no such cycles)."""
    every = [(0, *rest) for rest in permutations(range(1, seats))]
    for number in range(1, most + 1):
        best = min(unevenness(orders) for orders in combinations(every, number))
        assert unevenness(cyclic_orders(seats)[:number]) == best


def test_four_sets_of_five_give_every_left_neighbour_once() -> None:
    assert set(left_neighbours(cyclic_orders(5)[:4])) == {1}


@pytest.mark.parametrize(("seats", "sets"), [(3, 2), (4, 6), (5, 4), (6, 10), (7, None)])
def test_the_number_of_sets_that_evens_neighbours_out(seats: int, sets: int | None) -> None:
    assert sets_with_even_neighbours(seats) == sets
    if sets is not None:
        assert len(set(left_neighbours(cyclic_orders(seats)[:sets]))) == 1
        assert len(set(left_neighbours(cyclic_orders(seats)[: sets - 1]))) > 1


@pytest.mark.parametrize(("seats", "sets", "even"), [(3, 1, False), (3, 2, True), (4, 6, True)])
def test_uneven_neighbours_are_noticed(seats: int, sets: int, even: bool) -> None:
    kind = TableKind("glastonbury", seats, "plain")
    balance = schedule(request(bots(4), (seats,), sets=sets)).balance
    assert balance.groups[kind].has_even_neighbours(seats) == even


@pytest.mark.parametrize("seats", [7, 8, 9, 10])
def test_large_tables_have_every_neighbour_soon(seats: int) -> None:
    orders = cyclic_orders(seats)
    assert len(set(orders)) == len(orders) <= 2 * seats
    assert all(sorted(order) == list(range(seats)) and order[0] == 0 for order in orders)
    counts = left_neighbours(orders)
    assert min(counts) >= 1
    assert max(counts) - min(counts) <= 2


def test_sets_of_one_table_go_through_the_cyclic_orders() -> None:
    plan = schedule(request(bots(4), (4,), sets=7))
    orders = [played.order for played in plan.sets]
    assert len(set(orders[:6])) == 6
    assert orders[6] == orders[0]
    assert orders[1] == (orders[0][0], *orders[0][:0:-1])
    assert schedule(request(bots(4), (4,), sets=6)).balance.total.left_neighbours == Range(8, 8)


def test_tables_begin_with_different_orders() -> None:
    """Of 220 tables of three about half go either way; far fewer would be no accident."""
    plan = schedule(request(bots(12), (3,)))
    by_name = sum(played.order == tuple(sorted(played.order)) for played in plan.sets)
    assert 80 <= by_name <= 140


@given(st.lists(st.text(), min_size=2, max_size=7, unique=True), st.integers(1, 9))
def test_everybody_sits_at_the_table_whatever_the_names(names: list[str], number: int) -> None:
    order = round_the_table("glastonbury", "plain", names, number)
    assert sorted(order) == sorted(names)
    assert order[0] == min(names)
    assert order == round_the_table("glastonbury", "plain", names[::-1], number)


# --- Full schedules


@st.composite
def requests(draw: st.DrawFn, *, limited: bool) -> Request:
    """Draw requests for 2 to 40 entrants, of sizes that are quick to count naively."""
    number = draw(st.integers(2, 40))
    largest = 4 if limited or number <= 12 else 3 if number <= 20 else 2
    sizes = draw(
        st.lists(st.integers(2, min(largest, number)), min_size=1, max_size=3, unique=True)
    )
    asked = request(
        entries=tuple(draw(st.permutations(bots(number)))),
        sizes=tuple(sizes),
        variants=draw(st.sampled_from([("plain",), ("recipes", "plain")])),
        sets=draw(st.integers(1, 3)),
    )
    if not limited:
        return asked
    most = min(count_matches(asked), 1500)
    return replace(asked, max_matches=draw(st.integers(min(sizes), most)))


@pytest.mark.slow
@settings(max_examples=20)
@given(requests(limited=False))
def test_a_full_schedule_is_exact(asked: Request) -> None:
    plan = schedule(asked)
    names = sorted(entry.name for entry in asked.entries)
    (game,) = asked.games
    for size in game.table_sizes:
        for variant in game.variants:
            group = [p for p in plan.sets if (len(p.order), p.variant) == (size, variant)]
            assert tables(group) == dict.fromkeys(combinations(names, size), game.sets_per_table)
    assert len({played.id for played in plan.sets}) == len(plan.sets)
    assert count_matches(asked) == len(plan.matches)
    total = plan.balance.total
    exact = [total.sets_each, total.matches_each, total.pair_sets, total.pair_matches, *total.seats]
    assert [spread.spread for spread in exact if spread] == [0] * len(exact)
    assert_the_balance_is_true(plan)
    assert_seats_are_exact(plan)


@pytest.mark.slow
def test_forty_entrants_at_tables_of_four_are_exact() -> None:
    plan = schedule(request(bots(40), (4,)))
    assert len(plan.sets) == comb(40, 4)
    even = plan.balance.total
    # Each entrant sits with 3 of the 39 others, each pair with 2 of the 38 others.
    assert even.sets_each == Range(comb(39, 3), comb(39, 3))
    assert even.pair_sets == Range(comb(38, 2), comb(38, 2))
    assert even.seats == (Range(comb(39, 3), comb(39, 3)),) * 4


def test_matches_are_counted_without_making_them() -> None:
    asked = request(bots(1000), (2, 3, 4), sets=7, variants=BOTH)
    tables_of = 2 * comb(1000, 2) + 3 * comb(1000, 3) + 4 * comb(1000, 4)
    assert count_matches(asked) == 2 * 7 * tables_of


# --- Selections


def entrants_linked(plan: Schedule) -> int:
    """Return how many circles of entrants there are that never meet anybody outside."""
    circles = [{entry.name} for entry in plan.request.entries]
    for played in plan.sets:
        joined = [circle for circle in circles if circle & set(played.order)]
        circles = [circle for circle in circles if circle not in joined]
        circles.append(set().union(*joined))
    return len(circles)


@pytest.mark.slow
@settings(max_examples=40)
@given(requests(limited=True))
def test_a_selection_is_even_and_its_spread_is_true(asked: Request) -> None:
    plan = schedule(asked)
    assert asked.max_matches is not None
    left = asked.max_matches - len(plan.matches)
    assert left >= 0
    (game,) = asked.games
    for (_, size, variant), even in plan.balance.groups.items():
        group = [p for p in plan.sets if (len(p.order), p.variant) == (size, variant)]
        whole = comb(len(asked.entries), size) * game.sets_per_table
        assert left < size or len(group) == whole, "room for one more set"
        assert len({(p.number, *sorted(p.order)) for p in group}) == len(group)
        assert {p.number for p in group} <= set(range(1, game.sets_per_table + 1))
        assert even.sets_each.spread <= 1
        assert even.pair_sets is not None
        assert even.pair_sets.spread <= 2
    # One set more at the largest table, and one more at another, is all that may be between two.
    assert plan.balance.total.matches_each.spread <= 2 * max(game.table_sizes)
    assert_the_balance_is_true(plan)
    assert_seats_are_exact(plan)


DESIGNS = {
    "Fano plane": (7, 3, 7),
    "its complement": (7, 4, 7),
    "affine plane of order 3": (9, 3, 12),
    "projective plane of order 3": (13, 4, 13),
    "affine plane of order 4": (16, 4, 20),
    "twice the affine plane of order 4": (16, 4, 40),
    "all but a projective plane of order 3": (13, 4, 702),
    "projective plane of order 4": (21, 5, 21),
    "biplane": (11, 5, 11),
    "two for every pair of six": (6, 3, 10),
    "Steiner system S(3, 4, 8)": (8, 4, 14),
    "three for every pair of nine": (9, 4, 18),
    "two for every pair of ten": (10, 4, 15),
    "Steiner triples of 13": (13, 3, 26),
    "Steiner triples of 15": (15, 3, 35),
    "Steiner triples of 19": (19, 3, 57),
    "Steiner triples of 39": (39, 3, 247),
    "S(2, 4, 25)": (25, 4, 50),
    "unital": (28, 4, 63),
    "S(2, 4, 37)": (37, 4, 111),
    "lines of a space": (40, 4, 130),
}


@pytest.mark.parametrize(("entrants", "size", "sets"), DESIGNS.values(), ids=DESIGNS)
def test_where_a_design_exists_every_pair_meets_equally_often(
    entrants: int, size: int, sets: int
) -> None:
    plan = schedule(request(bots(entrants), (size,), sets * size))
    even = plan.balance.total
    assert even.sets == sets
    meetings = sets * comb(size, 2) // comb(entrants, 2)
    assert even.pair_sets == Range(meetings, meetings)
    assert even.sets_each == Range(sets * size // entrants, sets * size // entrants)
    assert_the_balance_is_true(plan)


@pytest.mark.parametrize(
    ("entrants", "size", "sets"),
    [
        (7, 3, 6),  # a plane without one of its lines
        (7, 3, 8),  # and with one table more
        (13, 4, 12),
        (13, 4, 14),
        (16, 4, 16),  # an affine plane without the lines of one direction
        (16, 4, 19),
        (39, 4, 117),  # the lines of a space that miss one point
        (40, 4, 120),  # and without ten that miss each other
        (40, 4, 100),
        (40, 4, 1000),
        (30, 3, 500),
        (20, 3, 1000),  # more than half of all tables
    ],
)
def test_elsewhere_pairs_are_within_one_too(entrants: int, size: int, sets: int) -> None:
    even = schedule(request(bots(entrants), (size,), sets * size)).balance.total
    assert even.sets == sets
    assert even.sets_each.spread <= 1
    assert even.pair_sets is not None
    assert even.pair_sets.spread == 1


def spreads(people: int, chosen: Sequence[tuple[int, ...]]) -> tuple[int, int]:
    plays = Counter(x for table in chosen for x in table)
    met = Counter(pair for table in chosen for pair in combinations(table, 2))
    return (
        counted(plays[x] for x in range(people)).spread,
        counted(met[pair] for pair in combinations(range(people), 2)).spread,
    )


@pytest.mark.parametrize(("entrants", "size"), [(4, 2), (4, 3), (5, 2), (5, 3), (5, 4), (6, 4)])
def test_no_selection_of_so_many_tables_would_be_more_even(entrants: int, size: int) -> None:
    """Every selection that there is, up to renaming, against the one that is made."""
    first, *others = combinations(range(entrants), size)
    for sets in range(1, comb(entrants, size) + 1):
        all_spreads = [spreads(entrants, (first, *rest)) for rest in combinations(others, sets - 1)]
        best = min(pairs for plays, pairs in all_spreads if plays <= 1)
        even = schedule(request(bots(entrants), (size,), sets * size)).balance.total
        assert even.sets == sets
        assert even.sets_each.spread <= 1
        assert even.pair_sets is not None
        assert even.pair_sets.spread == best


@pytest.mark.slow
@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 6, 7, 12, 13, 25, 40])
def test_pairs_of_two_are_within_one_for_every_limit(entrants: int) -> None:
    most = comb(entrants, 2)
    for sets in range(1, most + 1, 1 if entrants < 12 else 13):
        plan = schedule(request(bots(entrants), (2,), 2 * sets))
        even = plan.balance.total
        assert even.sets == sets
        assert even.sets_each.spread <= 1
        assert set(tables(plan.sets).values()) == {1}
        if sets >= entrants:
            assert entrants_linked(plan) == 1


@pytest.mark.parametrize(("size", "sets"), [(2, 40), (2, 60), (3, 27), (3, 40), (4, 20), (4, 40)])
def test_a_selection_does_not_fall_apart(size: int, sets: int) -> None:
    """Forty entrants who play two tables or three each could well be ten separate leagues."""
    assert entrants_linked(schedule(request(bots(40), (size,), sets * size))) == 1


def test_groups_even_out_together() -> None:
    """Who plays once more at one size or variant plays once less at another."""
    asked = request(bots(40), (2, 3, 4), 4000, variants=BOTH)
    balance = schedule(asked).balance
    assert any(even.sets_each.spread for even in balance.groups.values())
    assert balance.total.matches_each.spread <= 2


def test_a_gauntlet_can_be_limited() -> None:
    asked = replace(request(bots(12), (2, 3, 4), 200), format=Format.GAUNTLET, challenger="bot07")
    plan = schedule(asked)
    assert all("bot07" in played.order for played in plan.sets)
    assert 198 <= len(plan.matches) <= 200
    for even in plan.balance.groups.values():
        assert even.sets_each.spread <= 1
        assert even.pair_sets is None or even.pair_sets.spread <= 1
    assert_the_balance_is_true(plan)


@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 4), min_size=4, max_size=7),
    st.sets(st.integers(2, 4), min_size=1),
    st.one_of(st.none(), st.integers(4, 300)),
    st.booleans(),
)
def test_authors_never_meet_themselves(
    numbers: list[int], sizes: set[int], limit: int | None, gauntlet: bool
) -> None:
    entries = by_authors(1, *numbers)
    asked = replace(request(entries, tuple(sizes), limit), separate_authors=True)
    if gauntlet:
        asked = replace(asked, format=Format.GAUNTLET, challenger="a0")
    possible = {
        tuple(entry.name for entry in table)
        for size in sizes
        for table in combinations(entries, size)
        if len({entry.author for entry in table}) == size
        and (not gauntlet or table[0].name == "a0")
    }
    assert count_matches(asked) == sum(map(len, possible))
    plan = schedule(asked)
    assert set(tables(plan.sets)) <= possible
    assert set(tables(plan.sets).values()) == {1}
    if limit is None:
        assert len(plan.sets) == len(possible)
    else:
        assert len(plan.matches) <= limit
    assert_the_balance_is_true(plan)


def test_two_bots_of_every_author_are_as_even_as_bots_without() -> None:
    entries = tuple(Entrant(f"bot{n:02}", f"author {n // 2}") for n in range(40))
    asked = replace(request(entries, (4,), 668), separate_authors=True)
    even = schedule(asked).balance.total
    # 167 tables: 16.7 for each entrant, 1.3 for each of the 760 pairs that may meet.
    assert (even.sets_each, even.pair_sets) == (Range(16, 17), Range(1, 2))


# --- Purity, and growing


def test_the_order_of_the_file_plays_no_part() -> None:
    asked = request(bots(9), (2, 3), 150, 2, BOTH)
    shuffled = request(bots(9)[::-1], (3, 2), 150, 2, BOTH[::-1])
    assert schedule(asked).sets == schedule(shuffled).sets


PROGRAM = """
import hashlib
from tournaments.model import Entrant, GameRequest, Request
from tournaments.pairing import schedule
entries = tuple(Entrant(f"bot{n:02}", f"author {n // 2}") for n in range(13))
for apart in (False, True):
    games = [GameRequest(game, (2, 3, 4), ("plain", "recipes")) for game in ("one", "two")]
    asked = Request(entries, tuple(games), 333, separate_authors=apart)
    print(hashlib.sha256("".join(s.id for s in schedule(asked).sets).encode()).hexdigest())
"""


def test_every_process_makes_the_same_schedule() -> None:
    """Python hashes text differently from process to process; nothing may hang on it."""
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert len(said.pop().split()) == 2


def test_sets_are_in_an_order_of_their_own() -> None:
    plan = schedule(request(bots(6), (2, 3), sets=2))
    assert [(p.number, p.id) for p in plan.sets] == sorted((p.number, p.id) for p in plan.sets)
    assert [m.set_id for m in plan.matches] == [p.id for p in plan.sets for _ in p.order]


@pytest.mark.parametrize(
    "larger",
    [
        request(bots(8), (2, 3), sets=2),
        request(bots(6), (2, 3), sets=4),
        request(bots(6), (2, 3, 4), sets=2),
        request(bots(6), (2, 3), sets=2, variants=BOTH),
        replace(
            request(bots(6), (2, 3), sets=2),
            games=(GameRequest("gargon", (3,), BOTH), *request(bots(6), (2, 3), sets=2).games),
        ),
    ],
    ids=["entrants", "sets", "sizes", "variants", "games"],
)
def test_a_full_schedule_that_grows_only_adds(larger: Request) -> None:
    before = schedule(request(bots(6), (2, 3), sets=2)).sets
    after = schedule(larger).sets
    assert len(after) > len(before)
    assert tuple(played for played in after if played in set(before)) == before
    assert schedule(larger, keep=before).sets == after


@pytest.mark.slow
@settings(max_examples=20)
@given(
    requests(limited=True),
    st.integers(0, 4),
    st.integers(0, 2),
    st.integers(0, 600),
    st.booleans(),
)
def test_a_selection_that_grows_only_adds(
    asked: Request, more: int, sets: int, matches: int, four: bool
) -> None:
    before = schedule(asked)
    number = len(asked.entries) + more
    assert asked.max_matches is not None
    (game,) = asked.games
    larger = with_game(
        replace(asked, entries=bots(number), max_matches=asked.max_matches + matches),
        sets_per_table=game.sets_per_table + sets,
        table_sizes=tuple({*game.table_sizes, *([4] if four and number >= 4 else [])}),
    )
    after = schedule(larger, keep=before.sets)
    assert tuple(played for played in after.sets if played in set(before.sets)) == before.sets
    assert len({(p.variant, p.number, *sorted(p.order)) for p in after.sets}) == len(after.sets)
    assert len(after.matches) <= asked.max_matches + matches
    assert schedule(larger, keep=after.sets).sets == after.sets
    assert_the_balance_is_true(after)


def test_new_entrants_catch_up() -> None:
    """Twelve have played eight tables or nine; with two more and room, all end within one."""
    before = schedule(request(bots(12), (3,), 99)).sets
    after = schedule(request(bots(14), (3,), 300), keep=before).balance.total
    assert after.sets == 100
    assert after.sets_each == Range(21, 22)


def test_what_was_kept_counts_as_it_is() -> None:
    """A set that was seated in another order still is that set of its table."""
    (usual,) = schedule(request(THREE, (3,))).sets
    kept = replace(usual, order=(usual.order[0], usual.order[2], usual.order[1]))
    assert schedule(request(THREE, (3,)), keep=[kept]).sets == (kept,)


# --- Refusals

KEPT = DuplicateSet("glastonbury", "plain", ("ann", "bob"), 1)

REFUSED: dict[str, tuple[Request, str]] = {
    "no entrants": (request((), (2,)), "a table of 2 needs 2 entrants, but there are 0"),
    "too few": (request(THREE, (2, 4)), "a table of 4 needs 4 entrants, but there are 3"),
    "one name twice": (request((*THREE, Entrant("bob")), (2,)), 'two entrants are called "bob"'),
    "one variant twice": (
        request(THREE, (2,), variants=("plain", "plain")),
        'two variants are called "plain"',
    ),
    "no variant": (request(THREE, (2,), variants=()), "no variant"),
    "no game": (Request(THREE, ()), "there is no game to play"),
    "one game twice": (
        Request(THREE, request(THREE, (2,)).games * 2),
        'two games are called "glastonbury"',
    ),
    "no size": (request(THREE, ()), "no table size"),
    "one size twice": (request(THREE, (2, 3, 2)), "the table size 2 is given twice"),
    "table of one": (request(THREE, (1,)), "1 is no table size"),
    "no sets": (request(THREE, (2,), sets=0), "sets_per_table is 0"),
    "tiny limit": (request(THREE, (2, 3), 1), "max_matches is 1, but one set at a table of 2"),
    "tiny limit, all seatings": (
        replace(request(THREE, (3,), 5), seatings=Seatings.ALL),
        "already has 6 matches",
    ),
    "gauntlet without": (
        replace(request(THREE, (2,)), format=Format.GAUNTLET),
        "a gauntlet needs a challenger",
    ),
    "challenger without": (
        replace(request(THREE, (2,)), challenger="bob"),
        "a round robin has none",
    ),
    "unknown challenger": (
        replace(request(THREE, (2,)), format=Format.GAUNTLET, challenger="bop"),
        'the challenger "bop" is not among the entrants. Did you mean "bob"?',
    ),
    "one author": (
        replace(request(by_authors(3), (2,)), separate_authors=True),
        "no table of 2 is possible with separate_authors",
    ),
    "two authors": (
        replace(request(by_authors(3, 4), (2, 3)), separate_authors=True),
        "no table of 3 is possible with separate_authors, because the entrants have only 2 authors",
    ),
    "author of the challenger": (
        replace(
            request(by_authors(2, 2), (2,)),
            separate_authors=True,
            format=Format.GAUNTLET,
            challenger="a0",
        ),
        '"a1" could never play',
    ),
    "absurd": (request(bots(200), (4,)), "258,739,800 matches, more than 5,000,000"),
    "absurd limit": (request(bots(200), (4,), 6_000_000), "6,000,000 matches"),
}


@pytest.mark.parametrize(("asked", "says"), REFUSED.values(), ids=REFUSED)
def test_a_request_that_cannot_be_met_is_refused(asked: Request, says: str) -> None:
    with pytest.raises(UsageError) as refusal:
        schedule(asked)
    assert says in str(refusal.value)


LOST: dict[str, tuple[Request, DuplicateSet, str]] = {
    "entrant": (request(bots(3), (2,)), KEPT, 'there is no entrant "ann"'),
    "game": (request(THREE, (2,)), replace(KEPT, game="chess"), 'there is no game "chess"'),
    "variant": (request(THREE, (2,)), replace(KEPT, variant="x"), 'there is no variant "x"'),
    "size": (request(THREE, (3,)), KEPT, "there are no tables of 2"),
    "number": (request(THREE, (2,)), replace(KEPT, number=2), "it is set 2 of its table"),
    "seatings": (
        request(THREE, (2,)),
        replace(KEPT, seatings=Seatings.ALL),
        'its seatings are "all", not "rotations"',
    ),
    "challenger": (
        replace(request(THREE, (2,)), format=Format.GAUNTLET, challenger="cy"),
        KEPT,
        'the challenger "cy" does not sit at its table',
    ),
    "authors": (
        replace(
            request((Entrant("ann", "x"), Entrant("bob", "x"), Entrant("cy")), (2,)),
            separate_authors=True,
        ),
        KEPT,
        "separate_authors keeps its entrants apart",
    ),
}


@pytest.mark.parametrize(("asked", "kept", "says"), LOST.values(), ids=LOST)
def test_a_tournament_never_loses_a_set(asked: Request, kept: DuplicateSet, says: str) -> None:
    with pytest.raises(UsageError) as refusal:
        schedule(asked, keep=[kept])
    assert says in str(refusal.value)
    assert kept.id in str(refusal.value)
    assert "can only grow" in str(refusal.value)


def test_a_limit_below_what_is_there_is_refused() -> None:
    before = schedule(request(bots(6), (2,))).sets
    with pytest.raises(UsageError, match="max_matches is 20, but the tournament has 30 matches"):
        schedule(request(bots(7), (2,), 20), keep=before)


def test_a_set_cannot_be_kept_twice() -> None:
    with pytest.raises(UsageError, match="given twice"):
        schedule(request(THREE, (2,)), keep=[KEPT, KEPT])
