"""Requests and schedules for tests, and their evenness, counted naively."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from math import factorial
from typing import Any

from tournaments.model import Entrant, Format, GameRequest, Request, TableKind
from tournaments.model.match import DuplicateSet, ScheduledMatch, Seatings
from tournaments.pairing.balance import Evenness, Range
from tournaments.pairing.round_robin import Schedule


def bots(number: int) -> tuple[Entrant, ...]:
    """Return entrants without an author."""
    return tuple(Entrant(f"bot{n:02}") for n in range(number))


def by_authors(*numbers: int) -> tuple[Entrant, ...]:
    """Return these numbers of entrants of author a, of author b, and so on."""
    return tuple(
        Entrant(f"{author}{n}", author)
        for author, number in zip("abcdefgh", numbers, strict=False)
        for n in range(number)
    )


BOTH = ("plain", "recipes")


def request(
    entries: tuple[Entrant, ...],
    sizes: tuple[int, ...],
    limit: int | None = None,
    sets: int = 1,
    variants: tuple[str, ...] = ("plain",),
) -> Request:
    """Ask for one game."""
    return Request(entries, (GameRequest("glastonbury", sizes, variants, sets),), limit)


def with_game(asked: Request, **changes: Any) -> Request:
    """Ask for something else of the one game."""
    (game,) = asked.games
    return replace(asked, games=(replace(game, **changes),))


def plain(seats: int) -> TableKind:
    """Return the group of one size without variants."""
    return TableKind("glastonbury", seats, "plain")


def tables(sets: Iterable[DuplicateSet]) -> Counter[tuple[str, ...]]:
    """Count how often each table is played."""
    return Counter(tuple(sorted(played.order)) for played in sets)


def counted(values: Iterable[int]) -> Range:
    """Return the smallest and the largest."""
    listed = list(values)
    return Range(min(listed), max(listed))


def naive_evenness(
    matches: Sequence[ScheduledMatch],
    seats: int,
    people: Sequence[str],
    pairs: set[frozenset[str]],
) -> Evenness:
    """Count match by match, as one would on paper."""
    sets_of: Counter[str] = Counter()
    met_in_sets: Counter[frozenset[str]] = Counter()
    for _, entrants in {(match.set_id, frozenset(match.entrants)) for match in matches}:
        sets_of.update(entrants)
        met_in_sets.update(map(frozenset, combinations(entrants, 2)))
    plays: Counter[str] = Counter()
    met: Counter[frozenset[str]] = Counter()
    seated: Counter[tuple[int, str]] = Counter()
    before: Counter[tuple[str, str]] = Counter()
    for match in matches:
        plays.update(match.entrants)
        met.update(map(frozenset, combinations(match.entrants, 2)))
        seated.update(enumerate(match.entrants))
        before.update(pairwise([*match.entrants, match.entrants[0]]))
    return Evenness(
        sets=len({match.set_id for match in matches}),
        matches=len(matches),
        sets_each=counted(sets_of[name] for name in people),
        matches_each=counted(plays[name] for name in people),
        pair_sets=counted(met_in_sets[pair] for pair in pairs) if pairs else None,
        pair_matches=counted(met[pair] for pair in pairs) if pairs else None,
        seats=tuple(counted(seated[seat, name] for name in people) for seat in range(seats)),
        left_neighbours=(
            counted(before[a, b] for pair in pairs for a, b in permutations(pair))
            if pairs
            else None
        ),
    )


def assert_the_balance_is_true(plan: Schedule) -> None:
    """Compare what a schedule says of its evenness with a naive count."""
    asked = plan.request
    authors = {
        entry.name: entry.author if asked.separate_authors and entry.author else entry
        for entry in asked.entries
    }
    people = [name for name in authors if name != asked.challenger]
    may_meet = {frozenset(p) for p in combinations(people, 2) if authors[p[0]] != authors[p[1]]}
    lonely = asked.format is Format.GAUNTLET

    def naive(largest: int, matches: Sequence[ScheduledMatch]) -> Evenness:
        pairs = set() if lonely and largest == 2 else may_meet
        return naive_evenness(matches, largest, people, pairs)

    balance = plan.balance
    kinds = defaultdict(list)
    for match in plan.matches:
        kinds[match.game, len(match.entrants), match.variant].append(match)
    for group, seen in balance.groups.items():
        assert seen == naive(group.seats, kinds[group])
    assert set(balance.groups) == {
        (game.game, size, variant)
        for game in asked.games
        for size in game.table_sizes
        for variant in game.variants
    }
    for game in asked.games:
        mine = [match for match in plan.matches if match.game == game.game]
        assert balance.games[game.game] == naive(max(game.table_sizes), mine)
    assert len(balance.games) == len(asked.games)
    largest = max(size for game in asked.games for size in game.table_sizes)
    assert balance.total == naive(largest, plan.matches)


def assert_seats_are_exact(plan: Schedule) -> None:
    """Check that an entrant of a set has every seat equally often in it."""
    for played in plan.sets:
        times = 1 if played.seatings is Seatings.ROTATIONS else factorial(len(played.order) - 1)
        seats = Counter(pair for m in played.matches for pair in enumerate(m.entrants))
        assert set(seats.values()) == {times}
        assert len(seats) == len(played.order) ** 2
