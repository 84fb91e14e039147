"""Matchmaking of a league: the next table is the one with the highest expected information gain.

**Information gain.** If two versions of mu m and n and of sigma s and t meet, and c is the root of
2 beta² + s² + t², then the variance s² is expected to shrink by s⁴ / c² times f(z)² / (F(z) F(-z)),
where z is (m - n) / c and f and F are the density and the distribution of the normal law: this is
one step of TrueSkill without draws, averaged over both outcomes. The gain is largest for a version
with a large sigma against an opponent of similar mu and small sigma. A league is about the order of
its versions, so the gain is weighted by the probability that the current order of the two is wrong.

**Who plays next** is the version with the largest sigma times one plus its wait, in units of the
mean wait. A new entrant is therefore scheduled again as soon as it is free; and because the wait
grows, every entrant plays. The wait is that of the entrant, in whichever version it played, and the
sigma of a later version counts as the median of those present at most: otherwise an entrant that
joins as a new version again and again would have most of the tables.

**Which kind of table** is the one that this version has played least: first by game, then by size
and variant.

**Against which opponents**: by the gain for this version, less for opponents that it has met often,
more for those that have waited. Further seats go to versions that also fit the others at the table.
An entrant that has met another ``MOST_USED`` times as often as the mean of those present, and
``FREE_MEETINGS`` times more, in any versions, does not meet it again while any other entrant is
available. Among few the factor is half of the number of others, and ``LEAST_USED`` at least: with
four bots at two tables, the same two would otherwise become free together for ever. If no other
entrant is available, they meet a few times more, and then wait for others that have played lately:
``most_meetings``.

**Waiting.** Where all are busy, those that become free together would meet again and again, and a
large table would never be filled. So no match is scheduled for a while if the choice among the free
versions is too one-sided; never if no match is running.

**Several at once.** Where many become free together, their tables are chosen in one call. No
version is at two of them, so the choice of one does not change the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, repeat
from math import erfc, exp, pi, sqrt
from statistics import fmean, median
from typing import Final, NamedTuple

from tournaments.model import GamePlayed, PlannedSet, TableKind, Version, kinds_of
from tournaments.pairing.league_stats import (
    MOST_USED,
    LeagueStats,
    PlayerStats,
    Present,
    fairest_order,
)
from tournaments.ratings import Rating

Chance = Callable[[], float]
"""A number from 0 to 1, without 1: a new one with each call."""

FREE_MEETINGS: Final = 2
"""How many meetings are always allowed: the mean of a new entrant is 0."""
LEAST_USED: Final = 1.5
"""The least number of times as often as the mean that two may meet while others are there. Two who
are alone never reach it."""
PATIENCE: Final = 2
"""By how many matches of a version another kind may be ahead before a table waits for its turn."""
NO_PATIENCE: Final = 8
"""By how many matches it must be ahead for the wait to end: those who are busy stay busy."""
TRIES: Final = 8
"""How many versions may find only opponents met too often before all wait."""
SHORTLIST: Final = 24
"""How many of the best opponents are also evaluated from their own side."""
USED: Final = 0.3
"""By how much the value of a match decreases for two who have met as often as the mean."""
BEYOND_DOUBT: Final = 0.1
"""The share of its value that a match keeps if the order of the two is certain."""
JITTER: Final = 0.1
"""Versions whose values differ by less than this share are chosen between at random."""
LONG: Final = 3.0
"""From this multiple of the mean wait on, the reason given is the wait."""

_AT_ONCE: Final = 2.0
"""The wait of an entrant that has never played."""


@dataclass(frozen=True, slots=True)
class PairingState:
    """The input of the matchmaking, besides chance."""

    games: Sequence[GamePlayed]
    present: Sequence[Present]
    """The versions that are connected, and neither benched nor withdrawn; busy ones too."""
    stats: LeagueStats
    running: int
    """How many matches of the league are running. While there are some, the scheduler may wait for
    them: it is called again when one ends."""
    hosts: frozenset[Version] | None = None
    """The versions for which tables are chosen; the others are their opponents. None for all."""


def choose_several(state: PairingState, chance: Chance, most: int) -> tuple[PlannedSet, ...]:
    """Return the next tables, at most ``most``, with no version at two of them.

    There are fewer where no table can be filled, or where it is better to wait for others.
    """
    matchmaker = _Matchmaker(state, chance)
    chosen: list[PlannedSet] = []
    tries = 0
    for candidate in matchmaker.by_urgency():
        if len(chosen) == most or tries == TRIES:
            break
        kind = matchmaker.kind_for(candidate) if matchmaker.is_free(candidate) else None
        if kind is None:
            continue
        if not matchmaker.can_fill(kind):
            break
        if table := matchmaker.table_for(candidate, kind):
            chosen.append(matchmaker.choice(table, kind))
            matchmaker.seat(table)
        else:
            tries += 1
    return tuple(chosen)


def closeness(one: Rating, other: Rating, beta: float) -> float:
    """Return the information in the outcome: 1 between equals, down to 0."""
    z = abs(one.mu - other.mu) / sqrt(_variance(one, other, beta))
    below = erfc(z / sqrt(2)) / 2
    return exp(-z * z) / (4 * (1 - below) * below) if below > 1e-12 else 0.0


def information_gain(one: Rating, other: Rating, beta: float) -> float:
    """Return the share of its variance that the first is expected to lose in a match of the two."""
    known = one.sigma * one.sigma / _variance(one, other, beta)
    return known * 2 / pi * closeness(one, other, beta)


def doubt(one: Rating, other: Rating) -> float:
    """Return 1 if both are equally likely to be better, down to 0 if the order is certain."""
    return erfc(abs(one.mu - other.mu) / sqrt(2 * (one.sigma**2 + other.sigma**2)))


def _variance(one: Rating, other: Rating, beta: float) -> float:
    return 2 * beta * beta + one.sigma * one.sigma + other.sigma * other.sigma


class _Candidate(NamedTuple):
    """A version that is free, with its rating and its scheduled matches."""

    version: Version
    present: Present
    rating: Rating
    rated: int
    """How many results the rating is made from."""
    stats: PlayerStats
    need: float
    """Its sigma, which is limited for a later version."""
    wait: float
    """Of the entrant, in units of the mean wait."""
    jitter: float

    @property
    def urgency(self) -> float:
        """The priority with which this version gets its next match."""
        return (self.need * (1 + self.wait)) ** 2 * self.jitter


class _Opponent(NamedTuple):
    """A possible opponent, and the value of a match against it."""

    overused: int
    """0; 1 for two who meet again only if there is no other; or 2 for two who do not meet."""
    worth: float
    candidate: _Candidate

    @property
    def order(self) -> tuple[int, float, Version]:
        """The sort key, the best first."""
        return self.overused, -self.worth, self.candidate.version


class _Matchmaker:
    """The free versions of one call, and what is computed once for all of its tables."""

    def __init__(self, state: PairingState, chance: Chance) -> None:
        present = state.present
        self._state = state
        self._beta = state.stats.ratings.beta
        self._kinds = kinds_of(state.games)
        self._tie = {kind: chance() for kind in self._kinds}
        self._entrants = {each.version.entrant for each in present}
        seats = fmean(kind.seats for kind in self._kinds)
        self._usual_wait = max(1.0, len(present) / seats)
        rating_of = state.stats.ratings.rating_of
        sigmas = [rating_of(each.version.rated).sigma for each in present]
        self._median_sigma = median(sigmas) if sigmas else 0.0
        self._candidates = [self._candidate(each, chance) for each in present if each.free > 0]
        games = [each.game for each in state.games]
        self._there = {game: _entrants(present, game) for game in games}
        self._free = {game: self._free_for(game) for game in games}
        self._most_used = min(MOST_USED, max(LEAST_USED, (len(self._entrants) - 1) / 2))
        self._running = state.running
        self._seated: set[Version] = set()
        self._usual = cache(self._mean_meetings)
        self._most = cache(state.stats.most_meetings)

    def _candidate(self, present: Present, chance: Chance) -> _Candidate:
        rated, league = present.version.rated, self._state.stats
        last, rating = league.last.get(present.version.entrant), league.ratings.rating_of(rated)
        since = None if last is None else league.position - last
        is_later = league.is_later(present.version)
        return _Candidate(
            present.version,
            present,
            rating,
            league.ratings.played[rated],
            league.players.get(rated) or PlayerStats(),
            min(rating.sigma, self._median_sigma) if is_later else rating.sigma,
            _AT_ONCE if since is None else since / self._usual_wait,
            1 + JITTER * chance(),
        )

    def _free_for(self, game: str) -> int:
        return _entrants([candidate.present for candidate in self._candidates], game)

    def is_free(self, candidate: _Candidate) -> bool:
        """Return whether a version is at no table yet."""
        return candidate.version not in self._seated

    def seat(self, table: Sequence[_Candidate]) -> None:
        """Remove the versions at a table from the candidates."""
        self._running += 1
        self._seated.update(candidate.version for candidate in table)
        self._candidates = list(filter(self.is_free, self._candidates))
        self._free = {game: self._free_for(game) for game in self._free}

    def by_urgency(self) -> list[_Candidate]:
        """Return the free versions for which a table may be chosen, the most urgent first."""
        hosts = self._state.hosts
        return sorted(
            (each for each in self._candidates if hosts is None or each.version in hosts),
            key=lambda candidate: (-candidate.urgency, candidate.version),
        )

    def can_fill(self, kind: TableKind) -> bool:
        """Return whether enough entrants are free for a kind of table."""
        return kind.seats <= self._free[kind.game]

    def kind_for(self, candidate: _Candidate) -> TableKind | None:
        """Return the kind of the next table of a version, or None if too few others are free.

        It may need more entrants than are free, where it is worth waiting for them.
        """
        by_turn = self._by_turn(candidate)
        now = next(filter(self.can_fill, by_turn), None)
        if now is None:
            return None
        due = by_turn[0]
        ahead = candidate.stats.kinds[now] - candidate.stats.kinds[due]
        worth_waiting = self._running and PATIENCE <= ahead < NO_PATIENCE
        return due if worth_waiting else now

    def _by_turn(self, candidate: _Candidate) -> list[TableKind]:
        """Return the kinds that a version can play with those present, the least played first."""
        had = candidate.stats.kinds
        of_game = Counter[str]()
        for kind in self._kinds:
            of_game[kind.game] += had[kind]
        possible = [
            kind
            for kind in self._kinds
            if candidate.present.plays(kind.game) and kind.seats <= self._there[kind.game]
        ]
        return sorted(
            possible, key=lambda kind: (of_game[kind.game], had[kind], self._tie[kind], kind)
        )

    def table_for(self, candidate: _Candidate, kind: TableKind) -> list[_Candidate]:
        """Return the best table for a version; empty if it is better to wait."""
        table = [candidate]
        options = [
            self._opponent(candidate, other)
            for other in self._candidates
            if _may_join(other, table) and other.present.plays(kind.game)
        ]
        options.sort(key=lambda option: option.order)
        while len(table) < kind.seats:
            best = self._best(options[:SHORTLIST], table)
            if best.overused:
                best = self._best(options, table)
            if best.overused > 1 or (best.overused and self._running):
                return []
            table.append(best.candidate)
            options = [option for option in options if _may_join(option.candidate, table[-1:])]
        return table

    def _best(self, options: Sequence[_Opponent], table: Sequence[_Candidate]) -> _Opponent:
        evaluated = (self._at_table(option, table) for option in options)
        return min(evaluated, key=lambda option: option.order)

    def _opponent(self, candidate: _Candidate, other: _Candidate) -> _Opponent:
        """Evaluate an opponent for the version whose table it is."""
        ratings = candidate.rating, Rating(other.rating.mu, other.need)
        matters = BEYOND_DOUBT + (1 - BEYOND_DOUBT) * doubt(*ratings)
        gain = information_gain(*ratings, self._beta) * matters
        worth = gain * self._freshness(candidate, other) * sqrt(1 + other.wait) * other.jitter
        return _Opponent(self._overused(candidate, other), worth, other)

    def _at_table(self, option: _Opponent, table: Sequence[_Candidate]) -> _Opponent:
        """Evaluate an opponent from its own side, with the others at the table."""
        candidate, worth = option.candidate, option.worth
        overused = max(option.overused, *(self._overused(candidate, other) for other in table))
        for other in table[1:]:
            near = closeness(candidate.rating, other.rating, self._beta)
            worth *= (1 + near) * self._freshness(candidate, other)
        return _Opponent(overused, worth, candidate)

    def _met(self, candidate: _Candidate, other: _Candidate) -> int:
        """Return how often two entrants have met."""
        return self._state.stats.met(candidate.version.entrant)[other.version.entrant]

    def _mean_meetings(self, entrant: str) -> float:
        """Return how often an entrant has met each of those present, on average."""
        total = sum(map(self._state.stats.met(entrant).get, self._entrants, repeat(0)))
        return total / max(1, len(self._entrants) - 1)

    def _freshness(self, candidate: _Candidate, other: _Candidate) -> float:
        """Return 1 for two who have never met, less the more often they have."""
        usual = self._usual(candidate.version.entrant)
        return 1 / (1 + USED * self._met(candidate, other) / (1 + usual))

    def _overused(self, candidate: _Candidate, other: _Candidate) -> int:
        met = self._met(candidate, other)
        if met < FREE_MEETINGS:
            return 0
        entrant = candidate.version.entrant
        if met >= min(self._most(entrant), self._most(other.version.entrant)):
            return 2
        return int(met >= self._most_used * self._usual(entrant) + FREE_MEETINGS)

    def choice(self, table: Sequence[_Candidate], kind: TableKind) -> PlannedSet:
        """Return the table with its seats and the reason, which is about the first version."""
        seats_had = {each.version.rated: each.stats.seats for each in table}
        mixed = sorted(table, key=lambda each: (each.jitter, each.version))
        orders = permutations([each.version for each in mixed])
        order = fairest_order(orders, seats_had, self._state.stats.neighbours)
        return PlannedSet(kind.game, kind.variant, order, self._why(table, kind))

    def _why(self, table: Sequence[_Candidate], kind: TableKind) -> str:
        candidate, *others = table
        opponents = ", ".join(
            _described(candidate, other, self._met(candidate, other)) for other in others
        )
        times = candidate.stats.kinds[kind]
        reason = _reason(candidate, len(self._candidates), self._usual_wait)
        return (
            f"{reason} and meets {opponents} at {kind.game} ({kind.variant}) for {kind.seats}, "
            f"which it has had {_times(times)}."
        )


def _entrants(present: Sequence[Present], game: str) -> int:
    return len({each.kept_apart for each in present if each.plays(game)})


def _may_join(candidate: _Candidate, table: Sequence[_Candidate]) -> bool:
    return all(candidate.present.kept_apart != other.present.kept_apart for other in table)


def _reason(candidate: _Candidate, free: int, usual_wait: float) -> str:
    rating = candidate.rating
    about = f"mu {rating.mu:.1f}, sigma {rating.sigma:.1f} after {candidate.rated} rated"
    if not candidate.stats.kinds.total():
        return f"{candidate.version} is new ({about})"
    if candidate.wait >= LONG:
        waited = round(candidate.wait * usual_wait)
        return f"{candidate.version} has waited for {waited} matches ({about})"
    return f"{candidate.version} needs a match most of the {free} who are free ({about})"


def _described(candidate: _Candidate, other: _Candidate, met: int) -> str:
    rating, apart = other.rating, abs(other.rating.mu - candidate.rating.mu)
    return f"{other.version} (mu {rating.mu:.1f}, {apart:.1f} away, met {_times(met)})"


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")
