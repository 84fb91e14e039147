"""The ladder: the next table is the one that teaches most.

**What a match teaches.** If two versions of mu m and n and of sigma s and t meet, and c is the root
of 2 beta² + s² + t², then the variance s² is expected to shrink by s⁴ / c² times f(z)² / (F(z)
F(-z)), where z is (m - n) / c and f and F are the density and the distribution of the normal law:
this is what one step of TrueSkill does without draws, averaged over both outcomes. So much is
learnt about a version that is little known, from an opponent who is near it and well known. The
order is what a league is about, so this is weighed by the doubt which of the two is better: far
apart and well known, they teach little that matters.

**Who is next** is whoever has the largest sigma, times one plus the wait, which is counted in the
matches that somebody waits on average. A newcomer is therefore seated again as soon as it is free;
but the wait grows, so that everybody's turn comes.

**Which table** is the kind that this version has played least: first by game, then by size and
variant.

**Against whom**: by what the match would teach about it, less often those it has met often, more
often those who have waited. Further seats go to those who suit the others at the table as well.
Who has met somebody ``MOST_USED`` times as often as the mean of those present, and a few times
more, does not meet the same one again as long as there is anybody else.

**Waiting.** Where all are busy, those who become free together would meet again and again, and a
large table would never come about. So the ladder seats nobody for a while if what is free now is
too one-sided; never if no table is in play.

**Several at once.** Where many become free together, their tables are chosen in one go: nobody sits
at two of them, so that what one of them changes concerns nobody at the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import repeat
from math import erfc, exp, pi, sqrt
from statistics import fmean
from typing import Final, NamedTuple

from tournaments.league.situation import (
    Account,
    Choice,
    Kind,
    Present,
    Situation,
    Version,
    balanced_order,
    kinds_of,
)
from tournaments.ratings import Rating

Chance = Callable[[], float]
"""A number from 0 to 1, without 1: a new one with each call."""

MOST_USED: Final = 3
"""How many times as often as the mean of those present two may meet."""
FREE_MEETINGS: Final = 2
"""So many meetings more are never too many: the mean of somebody new is 0."""
PATIENCE: Final = 2
"""By how many matches of a version another kind may be ahead before a table waits for its turn."""
NO_PATIENCE: Final = 8
"""When it is so many ahead, waiting has not helped: those who are busy are busy for long."""
TRIES: Final = 8
"""If so many find only opponents whom they have met too often, all wait."""
SHORTLIST: Final = 24
"""Of the best opponents for somebody, so many are looked at from the other side too."""
USED: Final = 0.3
"""How much less worth a match is of two who have met as often as is usual."""
BEYOND_DOUBT: Final = 0.1
"""What a match is still worth of two whose order is not in doubt, as a share."""
JITTER: Final = 0.1
"""Chance decides between opponents, and between guests, who differ by less than this share."""
LONG: Final = 3.0
"""Who has waited this many times as long as usual is said to have waited."""

_AT_ONCE: Final = 2.0
"""The wait of somebody who has never played."""


def choose(situation: Situation, chance: Chance) -> Choice | None:
    """Return the next table; nothing if there is none, or if it is better to wait for others."""
    return next(iter(choose_several(situation, chance, 1)), None)


def choose_several(situation: Situation, chance: Chance, most: int) -> tuple[Choice, ...]:
    """Return the next tables, at most so many, without anybody who sits at two of them.

    They are those that ``choose`` would return if it were asked again and again.
    """
    hall = _Hall(situation, chance)
    chosen: list[Choice] = []
    tries = 0
    for guest in hall.by_urgency():
        if len(chosen) == most or tries == TRIES:
            break
        kind = hall.kind_for(guest) if hall.is_free(guest) else None
        if kind is None:
            continue
        if not hall.has_room_for(kind):
            break
        if table := hall.table_for(guest, kind):
            chosen.append(hall.choice(table, kind))
            hall.seat(table)
        else:
            tries += 1
    return tuple(chosen)


def closeness(one: Rating, other: Rating, beta: float) -> float:
    """Return how much the outcome says about the difference of two: 1 between equals, down to 0."""
    z = abs(one.mu - other.mu) / sqrt(_spread(one, other, beta))
    below = erfc(z / sqrt(2)) / 2
    return exp(-z * z) / (4 * (1 - below) * below) if below > 1e-12 else 0.0


def teaching(one: Rating, other: Rating, beta: float) -> float:
    """Return the share of its variance that the first is expected to lose by a match of the two."""
    known = one.sigma * one.sigma / _spread(one, other, beta)
    return known * 2 / pi * closeness(one, other, beta)


def doubt(one: Rating, other: Rating) -> float:
    """Return 1 if either may as well be the better one, down to 0 if there is no doubt."""
    return erfc(abs(one.mu - other.mu) / sqrt(2 * (one.sigma**2 + other.sigma**2)))


def _spread(one: Rating, other: Rating, beta: float) -> float:
    return 2 * beta * beta + one.sigma * one.sigma + other.sigma * other.sigma


class _Guest(NamedTuple):
    """Somebody who is free, with what the choice needs to know."""

    version: Version
    rated: str
    present: Present
    account: Account
    wait: float
    """In the matches that somebody waits on average."""
    jitter: float

    @property
    def urgency(self) -> float:
        """How much this one needs a match."""
        return (self.account.rating.sigma * (1 + self.wait)) ** 2 * self.jitter


class _Option(NamedTuple):
    """An opponent, and how good it would be to meet it."""

    overused: bool
    worth: float
    guest: _Guest

    @property
    def order(self) -> tuple[bool, float, Version]:
        """What sorts options, the best first."""
        return self.overused, -self.worth, self.guest.version


class _Hall:
    """Those who are there, looked at once for one choice."""

    def __init__(self, situation: Situation, chance: Chance) -> None:
        present = situation.present
        self._situation = situation
        self._beta = situation.prior.sigma / 2
        self._kinds = kinds_of(situation.games)
        self._tie = {kind: chance() for kind in self._kinds}
        self._names = [each.version.rated for each in present]
        seats = fmean(kind.seats for kind in self._kinds)
        self._usual_wait = max(1.0, len(present) / seats)
        self._guests = [
            self._guest(each, rated, chance)
            for each, rated in zip(present, self._names, strict=True)
            if each.free > 0
        ]
        games = [each.game for each in situation.games]
        self._there = {game: _entrants(present, game) for game in games}
        self._free = {game: self._free_for(game) for game in games}
        self._running = situation.running
        self._seated: set[Version] = set()
        self._usual_meetings: dict[str, float] = {}

    def _guest(self, present: Present, rated: str, chance: Chance) -> _Guest:
        account = self._situation.accounts.get(rated) or Account(self._situation.prior)
        since = None if account.last is None else self._situation.position - account.last
        wait = _AT_ONCE if since is None else since / self._usual_wait
        return _Guest(present.version, rated, present, account, wait, 1 + JITTER * chance())

    def _free_for(self, game: str) -> int:
        return _entrants([guest.present for guest in self._guests], game)

    def is_free(self, guest: _Guest) -> bool:
        """Tell whether somebody has no table yet."""
        return guest.version not in self._seated

    def seat(self, table: Sequence[_Guest]) -> None:
        """Let those at a table be free no more."""
        self._running += 1
        self._seated.update(guest.version for guest in table)
        self._guests = list(filter(self.is_free, self._guests))
        self._free = {game: self._free_for(game) for game in self._free}

    def by_urgency(self) -> list[_Guest]:
        """Return those who are free, the one who needs a match most first."""
        return sorted(self._guests, key=lambda guest: (-guest.urgency, guest.version))

    def has_room_for(self, kind: Kind) -> bool:
        """Tell whether enough entrants are free for a kind of table."""
        return kind.seats <= self._free[kind.game]

    def kind_for(self, guest: _Guest) -> Kind | None:
        """Return the kind of table whose turn it is for somebody, or none with so few others.

        It may need more entrants than are free, where it is worth waiting for them.
        """
        by_turn = self._by_turn(guest)
        now = next(filter(self.has_room_for, by_turn), None)
        if now is None:
            return None
        due = by_turn[0]
        ahead = guest.account.kinds[now] - guest.account.kinds[due]
        worth_waiting = self._running and PATIENCE <= ahead < NO_PATIENCE
        return due if worth_waiting else now

    def _by_turn(self, guest: _Guest) -> list[Kind]:
        """Return the kinds that those present could play with somebody, the least played first."""
        had = guest.account.kinds
        of_game = Counter[str]()
        for kind in self._kinds:
            of_game[kind.game] += had[kind]
        possible = [
            kind
            for kind in self._kinds
            if guest.present.plays(kind.game) and kind.seats <= self._there[kind.game]
        ]
        return sorted(
            possible, key=lambda kind: (of_game[kind.game], had[kind], self._tie[kind], kind)
        )

    def table_for(self, guest: _Guest, kind: Kind) -> list[_Guest]:
        """Return the best table that somebody can have now; nobody if it is better to wait."""
        table = [guest]
        options = [
            self._option(guest, other)
            for other in self._guests
            if _may_join(other, table) and other.present.plays(kind.game)
        ]
        options.sort(key=lambda option: option.order)
        while len(table) < kind.seats:
            best = self._best(options[:SHORTLIST], table)
            if best.overused:
                best = self._best(options, table)
            if best.overused and self._running:
                return []
            table.append(best.guest)
            options = [option for option in options if _may_join(option.guest, table[-1:])]
        return table

    def _best(self, options: Sequence[_Option], table: Sequence[_Guest]) -> _Option:
        judged = (self._at_table(option, table) for option in options)
        return min(judged, key=lambda option: option.order)

    def _option(self, guest: _Guest, other: _Guest) -> _Option:
        """Judge an opponent for somebody whose table it is."""
        ratings = guest.account.rating, other.account.rating
        matters = BEYOND_DOUBT + (1 - BEYOND_DOUBT) * doubt(*ratings)
        taught = teaching(*ratings, self._beta) * matters
        worth = taught * self._freshness(guest, other) * sqrt(1 + other.wait) * other.jitter
        return _Option(self._is_overused(guest, other), worth, other)

    def _at_table(self, option: _Option, table: Sequence[_Guest]) -> _Option:
        """Judge an opponent once more, from its side and knowing who else sits there."""
        guest, worth = option.guest, option.worth
        overused = option.overused or any(self._is_overused(guest, other) for other in table)
        for other in table[1:]:
            near = closeness(guest.account.rating, other.account.rating, self._beta)
            worth *= (1 + near) * self._freshness(guest, other)
        return _Option(overused, worth, guest)

    def _usual(self, guest: _Guest) -> float:
        """Return how often somebody has met those who are present, on average."""
        if guest.rated not in self._usual_meetings:
            total = sum(map(guest.account.met.get, self._names, repeat(0)))
            self._usual_meetings[guest.rated] = total / max(1, len(self._names) - 1)
        return self._usual_meetings[guest.rated]

    def _freshness(self, guest: _Guest, other: _Guest) -> float:
        """Return 1 for two who have never met, the less the more they have."""
        return 1 / (1 + USED * _met(guest, other) / (1 + self._usual(guest)))

    def _is_overused(self, guest: _Guest, other: _Guest) -> bool:
        met = _met(guest, other)
        return met >= FREE_MEETINGS and met >= MOST_USED * self._usual(guest) + FREE_MEETINGS

    def choice(self, table: Sequence[_Guest], kind: Kind) -> Choice:
        """Return the table with its seats, and why it was chosen; the first guest is the reason."""
        seats_had = {guest.rated: guest.account.seats for guest in table}
        mixed = sorted(table, key=lambda guest: (guest.jitter, guest.version))
        order = balanced_order([guest.version for guest in mixed], seats_had)
        return Choice(kind.game, kind.variant, order, self._why(table, kind))

    def _why(self, table: Sequence[_Guest], kind: Kind) -> str:
        guest, *others = table
        opponents = ", ".join(_described(guest, other) for other in others)
        times = guest.account.kinds[kind]
        return (
            f"{_reason(guest, len(self._guests), self._usual_wait)} and meets {opponents} at "
            f"{kind.game} ({kind.variant}) for {kind.seats}, which it has had {_times(times)}."
        )


def _met(guest: _Guest, other: _Guest) -> int:
    """Return how often two have met; a Counter is slow to say that it was never."""
    return guest.account.met.get(other.rated, 0)


def _entrants(present: Sequence[Present], game: str) -> int:
    return len({each.version.entrant for each in present if each.plays(game)})


def _may_join(guest: _Guest, table: Sequence[_Guest]) -> bool:
    return all(guest.version.entrant != other.version.entrant for other in table)


def _reason(guest: _Guest, free: int, usual_wait: float) -> str:
    rating = guest.account.rating
    about = f"mu {rating.mu:.1f}, sigma {rating.sigma:.1f} after {guest.account.rated} rated"
    if guest.account.last is None:
        return f"{guest.version} is new ({about})"
    if guest.wait >= LONG:
        waited = round(guest.wait * usual_wait)
        return f"{guest.version} has waited for {waited} matches ({about})"
    return f"{guest.version} needs a match most of the {free} who are free ({about})"


def _described(guest: _Guest, other: _Guest) -> str:
    rating, apart = other.account.rating, abs(other.account.rating.mu - guest.account.rating.mu)
    met = _times(_met(guest, other))
    return f"{other.version} (mu {rating.mu:.1f}, {apart:.1f} away, met {met})"


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")
