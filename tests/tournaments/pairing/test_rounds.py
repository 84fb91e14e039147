"""Rounds: known answers by hand, and evenness over many rounds, counted."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from tournaments.model import GameRequest, PlannedSet, ScheduledMatch, SeatResult, Version
from tournaments.pairing.league_stats import LeagueStats, Present
from tournaments.pairing.rounds import (
    Dropped,
    dropped,
    is_over,
    plan_round,
    playable,
)

A, B, C, D, E = (Version(name, "1") for name in "abcde")
A2 = Version("a", "2")


def ring(*sizes: int, variants: tuple[str, ...] = ("plain",)) -> GameRequest:
    return GameRequest("ring", sizes, variants)


def present(*versions: Version) -> list[Present]:
    return [Present(version) for version in versions]


def tables(planned: tuple[PlannedSet, ...]) -> Counter[frozenset[tuple[str, str]]]:
    """Return who sits together how often, whatever the order."""
    return Counter(frozenset(each.table) for each in planned)


def together(*pairs: tuple[Version, ...]) -> Counter[frozenset[tuple[str, str]]]:
    return Counter(frozenset(pair) for pair in pairs)


def play(stats: LeagueStats, planned: tuple[PlannedSet, ...]) -> None:
    for each in planned:
        stats.seat(each.game, each.variant, [Version(*seat) for seat in each.table])


# Planning ---------------------------------------------------------------------------------------


def test_every_two_of_three_meet_once_and_everybody_is_first_once() -> None:
    planned = plan_round(1, present(A, B, C), [ring(2)], LeagueStats())
    assert tables(planned) == together((A, B), (A, C), (B, C))
    assert Counter(each.table[0] for each in planned) == Counter([A, B, C])
    assert {(each.game, each.variant, each.round) for each in planned} == {("ring", "plain", 1)}


def test_every_size_and_variant_has_all_its_tables() -> None:
    planned = plan_round(
        1, present(A, B, C, D), [ring(2, 3, 4, variants=("plain", "fog"))], LeagueStats()
    )
    sizes = Counter((len(each.table), each.variant) for each in planned)
    # Of four, 6 pairs, 4 threes and 1 four.
    assert sizes == {(n, v): c for v in ("plain", "fog") for n, c in ((2, 6), (3, 4), (4, 1))}
    whys = {each.why for each in planned if len(each.table) == 3 and each.variant == "fog"}
    assert whys == {
        "Round 1: one of all 4 tables of ring (fog) for 3 among the 4 who were there when it began."
    }


def test_tables_that_are_too_large_are_left_out() -> None:
    assert tables(plan_round(1, present(A, B), [ring(2, 4)], LeagueStats())) == together((A, B))
    assert plan_round(1, present(A, B), [ring(3)], LeagueStats()) == ()
    assert plan_round(1, present(A), [ring(2)], LeagueStats()) == ()
    assert plan_round(1, [], [ring(2)], LeagueStats()) == ()


def test_two_versions_of_one_entrant_never_share_a_table() -> None:
    planned = plan_round(1, present(A, A2, B), [ring(2, 3)], LeagueStats())
    assert tables(planned) == together((A, B), (A2, B))


def test_everybody_plays_only_the_games_that_they_said() -> None:
    there = [
        Present(A),
        Present(B, 1, frozenset({"ring", "grid"})),
        Present(C, 1, frozenset({"ring"})),
        Present(D, 0, frozenset({"grid"})),
    ]
    planned = plan_round(
        1, there, [ring(2), GameRequest("grid", (2, 3), ("plain",))], LeagueStats()
    )
    on_ring = tuple(each for each in planned if each.game == "ring")
    on_grid = tuple(each for each in planned if each.game == "grid")
    assert tables(on_ring) == together((A, B), (A, C), (B, C))
    assert tables(on_grid) == together((A, B), (A, D), (B, D), (A, B, D))


def test_seats_even_out_over_rounds() -> None:
    stats = LeagueStats()
    for number in range(1, 7):
        play(stats, plan_round(number, present(A, B, C, D), [ring(2, 3)], stats))
    for version in (A, B, C, D):
        had = stats.player(version.rated).seats
        # Six rounds with three matches of two, and three matches of three.
        assert had == {(2, 0): 9, (2, 1): 9, (3, 0): 6, (3, 1): 6, (3, 2): 6}


def test_duplicate_sets_go_round_the_other_way_in_the_next_round() -> None:
    first, second, third = (
        plan_round(number, present(A, B, C), [ring(3)], LeagueStats(), duplicate=True)[0].table
        for number in (1, 2, 3)
    )
    assert {first, second} == {(A, B, C), (A, C, B)}
    assert third == first


def test_neighbours_of_duplicate_sets_even_out_within_a_round() -> None:
    """Twenty tables of three of six: each pair shares four of them, and sits either way in two."""
    versions = [Version(name, "1") for name in "abcdef"]
    stats = LeagueStats()
    for each in plan_round(1, present(*versions), [ring(3)], stats, duplicate=True):
        for n in range(3):
            stats.seat(each.game, each.variant, [*each.table[n:], *each.table[:n]])
    uneven = [
        abs(stats.neighbours[one][other] - stats.neighbours[other][one])
        for one, other in combinations("abcdef", 2)
    ]
    # A set counts three times; four sets of which three go one way differ by six.
    assert max(uneven) <= 6
    assert sum(uneven) <= 24


def test_a_selection_is_even_in_each_round_and_over_rounds() -> None:
    """Of 66 pairs of twelve, 12 are played in a round: two matches for everybody."""
    versions = [Version(f"bot{n:02}", "1") for n in range(12)]
    stats = LeagueStats()
    for number in range(1, 12):
        planned = plan_round(number, present(*versions), [ring(2)], stats, most_matches=12)
        assert len(planned) == 12
        assert set(Counter(seat for each in planned for seat in each.table).values()) == {2}
        assert "balanced selection of 12 tables" in planned[0].why
        play(stats, planned)
    met = [stats.meetings[one.entrant][other.entrant] for one, other in combinations(versions, 2)]
    assert sum(met) == 11 * 12
    # Without looking at earlier rounds, 12 pairs would have met 11 times and the others never.
    assert max(met) <= 5
    assert met.count(0) <= 12


def test_a_selection_of_several_kinds_keeps_to_its_limit() -> None:
    versions = [Version(f"bot{n:02}", "1") for n in range(12)]
    for duplicate in (False, True):
        planned = plan_round(
            1,
            present(*versions),
            [ring(2, 3, 4)],
            LeagueStats(),
            duplicate=duplicate,
            most_matches=60,
        )
        matches = sum(len(each.table) if duplicate else 1 for each in planned)
        assert 30 <= matches <= 60
        assert {len(each.table) for each in planned} == {2, 3, 4}


def test_versions_of_one_entrant_stay_apart_in_a_selection() -> None:
    versions = [Version(f"bot{n:02}", "1") for n in range(10)] + [Version("bot00", "2")]
    for number in range(1, 5):
        planned = plan_round(number, present(*versions), [ring(4)], LeagueStats(), most_matches=20)
        for each in planned:
            assert len({entrant for entrant, _ in each.table}) == 4


def test_authors_are_kept_apart_where_the_league_says_so() -> None:
    of_ann = [Present(A, 1, None, "ann"), Present(B, 1, None, "ann")]
    there = [*of_ann, Present(C, 1, None, "cid"), Present(D)]
    planned = plan_round(1, there, [ring(2, 3, 4)], LeagueStats())
    assert planned
    assert {len(each.table) for each in planned} == {2, 3}, "three authors are there"
    assert not any({A, B} <= set(each.table) for each in planned)
    assert plan_round(1, of_ann, [ring(2)], LeagueStats()) == ()


def test_two_who_are_alone_in_round_after_round_wait_for_others_in_the_end() -> None:
    stats = LeagueStats()
    for n in range(10):
        stats.seat("ring", "plain", (C, Version(f"bot{n}", "1")))
    number = 0
    while planned := plan_round(number + 1, present(A, B), [ring(2)], stats):
        number += 1
        assert number < 50
        play(stats, planned)
    assert number == 6, "n reaches 3 n / 12 + 4 at 6: thirteen entrants are known"
    assert plan_round(7, present(A, B, C), [ring(2)], stats)


def test_equal_arguments_plan_equal_rounds() -> None:
    versions = [Version(f"bot{n:02}", "1") for n in range(12)]
    plans = [
        plan_round(3, present(*order), [ring(2, 3)], LeagueStats(), most_matches=20)
        for order in (versions, versions[::-1])
    ]
    assert plans[0] == plans[1]


# Playing ----------------------------------------------------------------------------------------

HERE = "here"


def waits(id_: str, table: tuple[Version, ...]) -> ScheduledMatch:
    """Return a match of this server that has not begun."""
    seats = tuple(SeatResult(*version) for version in table)
    return ScheduledMatch(id_, id_, "ring", "plain", seats, server=HERE)


FIRST = [waits("ab", (A, B)), waits("ac", (A, C)), waits("bc", (B, C))]


def test_nobody_plays_two_matches_at_once_unless_they_can() -> None:
    assert playable(FIRST, {A: 1, B: 1, C: 1}, 8) == ("ab",)
    assert playable(FIRST, {A: 2, B: 1, C: 1}, 8) == ("ab", "ac")
    assert playable(FIRST, {A: 2, B: 2, C: 2}, 8) == ("ab", "ac", "bc")
    assert playable(FIRST, {A: 2, B: 2, C: 2}, 2) == ("ab", "ac")
    assert playable(FIRST, {A: 0, B: 1, C: 1}, 8) == ("bc",)
    assert playable(FIRST, {A: 1}, 8) == ()


def test_who_has_most_left_to_play_comes_first() -> None:
    """An entrant with three matches left would otherwise be the last to finish, alone."""
    waiting = [
        waits("cd", (C, D)),
        waits("ab", (A, B)),
        waits("ac", (A, C)),
        waits("ad", (A, D)),
    ]
    assert playable(waiting, dict.fromkeys((A, B, C, D), 1), 8) == ("ab", "cd")


def test_a_match_is_dropped_when_somebody_is_away_for_too_long() -> None:
    assert dropped(FIRST, {C: 300.0}) == ()
    assert dropped(FIRST, {C: 301.4, A: 20.0}) == (
        Dropped("ac", "c@1 was away for 301 s; a match waits for 300 s.", (C,)),
        Dropped("bc", "c@1 was away for 301 s; a match waits for 300 s.", (C,)),
    )


def test_a_round_is_over_when_nothing_waits_and_nothing_runs() -> None:
    free = {A: 1, B: 1}
    assert (playable(FIRST, free, tables=4), is_over(FIRST, HERE, running=0)) == (("ab",), False)
    assert (playable(FIRST[1:], free, tables=4), is_over(FIRST[1:], HERE, running=0)) == ((), False)
    assert (playable((), free, tables=4), is_over((), HERE, running=1)) == ((), False)
    assert (playable((), free, tables=4), is_over((), HERE, running=0)) == ((), True)


def test_the_round_of_another_server_is_helped_with_and_not_waited_for() -> None:
    theirs = [each._replace(server="there") for each in FIRST]
    free = {A: 1, B: 1}
    assert (playable(theirs, free, tables=4), is_over(theirs, HERE, running=0)) == (("ab",), True)
    assert (playable(theirs[1:], free, tables=4), is_over(theirs[1:], HERE, running=0)) == (
        (),
        True,
    )
    mixed = [*theirs, waits("ours", (A, D))]
    assert (playable(mixed, {}, tables=4), is_over(mixed, HERE, running=0)) == ((), False)


def test_rounds_follow_each_other_with_those_who_are_there() -> None:
    """Play three rounds: e comes after the first, a leaves in the middle of the second."""
    stats = LeagueStats()
    there = {A, B, C}
    seen = []
    for number in (1, 2, 3):
        planned = plan_round(number, present(*there), [ring(2)], stats)
        play(stats, planned)
        waiting = [waits(str(n), each.table) for n, each in enumerate(planned)]
        done = 0
        while waiting:
            given_up = dropped(waiting, dict.fromkeys({A} - there, 1000.0))
            now = playable(waiting, dict.fromkeys(there, 1), tables=1)
            assert not is_over(waiting, HERE, running=0)
            finished = {*now, *(each.match for each in given_up)}
            done += len(now)
            waiting = [each for each in waiting if each.id not in finished]
            if number == 2:
                there.discard(A)
        assert is_over(waiting, HERE, running=0)
        seen.append((len(planned), done))
        there.add(E)
    # Three of three; of six of four, one before a left and three without a; three of three.
    assert seen[0] == (3, 3)
    assert seen[1][0] == 6
    assert 3 <= seen[1][1] <= 4
    assert seen[2] == (3, 3)
