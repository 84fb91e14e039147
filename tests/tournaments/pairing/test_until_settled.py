"""Schedules that grow until a question is settled, and the sets of comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import combinations

import pytest

from engine import UsageError
from referee.model import Transport
from tests.tournaments.tournament_files import SMALL, read
from tournaments.model import (
    DuplicateSet,
    Entrant,
    Format,
    GameRequest,
    Request,
    Result,
    Seatings,
    StopRule,
    TournamentSettings,
)
from tournaments.pairing import Limits, grown, growth_problems, limits
from tournaments.pairing.comparison import comparison_sets

TOP = 'table_sizes = [2]\nstop_when = "leader"\n'
LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 27, 30, 33]
"""Sets per table: one more, or an eighth of those that there are."""


def tournament(more: str = "") -> TournamentSettings:
    return read(f"{TOP}{more}{SMALL}")


def results_of(sets: Iterable[DuplicateSet], winner: str = "a") -> list[Result]:
    """Return the results if one entrant wins every match; without it the first seat wins."""
    found = []
    for each in sets:
        for match in each.matches:
            names = match.entrants
            first = names.index(winner) if winner in names else 0
            places = tuple(1 if seat == first else 2 for seat in range(len(names)))
            none = (0,) * len(names)
            found.append(
                Result(
                    match.id, match.set_id, match.game, match.variant, names, places, none, (),
                    (0.0,) * len(names), 9,
                )
            )  # fmt: skip
    return found


def played_out(settings: TournamentSettings, winner: str) -> list[list[DuplicateSet]]:
    """Play a tournament to its end; return the sets of each round as they are added."""
    rounds: list[list[DuplicateSet]] = []
    known: list[DuplicateSet] = []
    while True:
        plan = grown(settings, known, results_of(known, winner))
        new = [each for each in plan.sets if each not in known]
        if not new:
            return rounds
        rounds.append(new)
        known += new


def per_table(rounds: Sequence[Sequence[DuplicateSet]]) -> list[int]:
    return [max(each.number for each in added) for added in rounds]


def test_one_set_more_or_an_eighth_until_it_is_settled() -> None:
    rounds = played_out(tournament(), "a")
    assert per_table(rounds) == LEVELS[: len(rounds)]
    assert 8 <= per_table(rounds)[-1] <= 24, "one that wins everything is soon ahead"


def test_without_an_answer_it_ends_at_the_limit() -> None:
    assert per_table(played_out(tournament("max_sets = 21\n"), "")) == [*LEVELS[:18], 21]


def test_no_round_goes_beyond_the_limit_on_matches() -> None:
    rounds = played_out(tournament("sets_per_table = 15\nmax_matches = 35\n"), "")
    assert per_table(rounds) == [15, 16, 17]


def test_a_limit_below_the_first_round_is_refused() -> None:
    settings = tournament("sets_per_table = 15\nmax_matches = 29\n")
    with pytest.raises(UsageError, match=r"max_matches is 29, but .* begins with 30 matches"):
        grown(settings, [], [])


def test_nothing_is_added_while_a_match_is_missing() -> None:
    settings = tournament()
    first = grown(settings, [], []).sets
    assert grown(settings, first, results_of(first)[1:]).sets == first


def test_the_same_rounds_follow_from_the_results_alone() -> None:
    """A run that was killed, and a verification, derive every round again."""
    settings = tournament()
    rounds = played_out(settings, "a")
    sets = [each for added in rounds for each in added]
    assert {*grown(settings, [], results_of(sets)).sets} == {*sets}
    assert not [*growth_problems(settings, sets, results_of(sets))]


def test_a_round_that_was_not_needed_is_found() -> None:
    settings = tournament()
    sets = [each for added in played_out(settings, "a") for each in added]
    last = max(each.number for each in sets)
    more = DuplicateSet("glastonbury", "plain", sets[0].order, last + 1)
    said = [*growth_problems(settings, [*sets, more], results_of([*sets, more]))]
    assert said == [f"set {last + 1} of the tables was added when the question was settled."]


def test_an_entrant_that_comes_later_gets_the_sets_of_all_tables() -> None:
    settings = tournament()
    sets = [each for added in played_out(settings, "a") for each in added]
    level = max(each.number for each in sets)
    late = read(f'{TOP}{SMALL}[[entrants]]\nname = "c"\nbot = "random"\n')
    plan = grown(late, sets, results_of(sets)).sets
    assert {each.number for each in plan} == set(range(1, level + 1))
    assert len(plan) == 3 * level
    added = [*sets, *(each for each in plan if each not in sets)]
    assert not [*growth_problems(late, added, results_of(added))]


def test_the_fewest_and_the_most_matches() -> None:
    """No claim is made before eight sets of each entrant; two matches in each set."""
    assert limits(tournament("max_sets = 60\n").request()) == Limits(16, 120)
    assert limits(tournament("max_sets = 60\nmax_matches = 99\n").request()) == Limits(16, 98)
    assert limits(tournament("sets_per_table = 10\nmax_sets = 10\n").request()) == Limits(20, 20)


# Comparisons --------------------------------------------------------------------------------------


def comparison(
    seats: int, opponents: str, *, same_table: bool = False, most: int = 1000
) -> Request:
    names = ("new", "old", *opponents)
    return Request(
        tuple(Entrant(name, transport=Transport.PIPE) for name in names),
        (GameRequest("glastonbury", (seats,), ("plain",)),),
        format=Format.COMPARISON,
        challenger="new",
        baseline="old",
        same_table=same_table,
        stop=StopRule("difference", max_sets=most),
    )


def test_both_play_the_same_deal_in_the_same_seats_against_the_same_opponents() -> None:
    (each,) = comparison_sets(comparison(3, "xy"), 1, 1)
    assert each.seatings is Seatings.SUBSTITUTION
    matches = [match.entrants for match in each.matches]
    assert len(matches) == each.count == 6
    assert each.kind.seats == 3
    _, _, one, other = each.order
    assert matches[:3] == [("new", one, other), (one, other, "new"), (other, "new", one)]
    with_old = [tuple("old" if name == "new" else name for name in seats) for seats in matches[:3]]
    assert matches[3:] == with_old
    assert {match.set_id for match in each.matches} == {each.id}, "so they have one deal"


def test_without_opponents_the_two_meet() -> None:
    (each,) = comparison_sets(comparison(2, "", same_table=True), 7, 7)
    assert [match.entrants for match in each.matches] == [("new", "old"), ("old", "new")]


def test_opponents_and_their_order_are_drawn_evenly() -> None:
    """Each of the 12 ordered pairs of 4 opponents is expected in 100 of 1,200 sets."""
    sets = comparison_sets(comparison(3, "wxyz"), 1, 1200)
    drawn = Counter(each.order[2:] for each in sets)
    assert len(drawn) == 12
    # Chi-square with 11 degrees of freedom: beyond 31.3 in one of a thousand cases.
    assert sum((count - 100) ** 2 / 100 for count in drawn.values()) < 31.3
    at_one_table = comparison_sets(comparison(4, "xy", same_table=True), 1, 300)
    assert {frozenset(each.order) for each in at_one_table} == {frozenset(["new", "old", "x", "y"])}
    assert len({each.order for each in at_one_table}) == 6, "all cyclic orders"


def test_a_comparison_has_at_least_the_sets_that_the_clearest_result_needs() -> None:
    """The mean of (1 + f)^n over f = 1/32 … 31/32 is 40 or more from n = 8 on; sets come by 4."""
    means = [sum((1 + f / 32) ** n for f in range(1, 32)) / 31 for n in range(12)]
    assert means[7] < 40 < means[8]
    assert limits(comparison(2, "x", most=30)) == Limits(8 * 4, 30 * 4)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (comparison(4, "xy"), "a table of 4 needs 3 opponents"),
        (comparison(2, "x", same_table=True), "no seat is left for opponents"),
    ],
)
def test_a_comparison_that_cannot_be_seated_is_refused(asked: Request, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        limits(asked)


def test_a_comparison_grows_until_it_is_decided() -> None:
    text = 'format = "comparison"\nchallenger = "a"\nbaseline = "b"\nsame_table = true\n'
    settings = read(f"{text}table_sizes = [2]\n{SMALL}")
    rounds = [*map(partial(played_out, settings), "ab")]
    assert [[len(added) for added in each] for each in rounds] == [[4, 4], [4, 4]]
    endless = read(f"{text}table_sizes = [2]\nmax_sets = 50\n{SMALL}")
    assert [len(added) for added in played_out(endless, "")] == [4] * 10 + [5, 5]
    assert not [
        *growth_problems(settings, [each for added in rounds[1] for each in added], results_of([]))
    ]


def test_all_pairs_are_asked_for_the_whole_order() -> None:
    entrants = "".join(f'[[entrants]]\nname = "{name}"\nbot = "random"\n' for name in "abc")
    settings = read(f'name = "x"\ntable_sizes = [2]\nstop_when = "all"\nmax_sets = 60\n{entrants}')
    sets = [DuplicateSet("glastonbury", "plain", pair, 1) for pair in combinations("abc", 2)]
    assert len(grown(settings, [], []).sets) == len(sets)
