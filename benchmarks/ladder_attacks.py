"""Simulate attacks on the ladder, and say what an accomplice gains for its friend.

    python -m benchmarks.ladder_attacks [SEEDS]

The league is simulated with the real match-making and the real ratings. Every bot has a known
skill on TrueSkill's scale: it shows ``gauss(skill, beta)`` in a match, and the highest wins. A
match takes about one unit of time, a forfeit a thousandth of it. The friend is a weak bot that
always plays as well as it can. Each attack is compared with the same league without accomplices.
"""

from __future__ import annotations

import heapq
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any, Final

from tournaments.model import GameRequest, Result, Version
from tournaments.pairing import LeagueStats, PairingState, Present, choose_several
from tournaments.ratings import StandingsRequest, as_json, compute_standings

GAMES: Final = (GameRequest("ring", (2,), ("plain",)),)
BETA: Final = 25 / 6
HONEST: Final = 14
"""How many other bots there are."""
FRIEND: Final = "friend"
FRIEND_SKILL: Final = 18.0
TIME: Final = 60.0
"""How long a league is played, in matches of one table."""
TABLES: Final = 8
MOST_MATCHES: Final = 1500
NEVER: Final = float("inf")


@dataclass
class Bot:
    """An entrant: what it can do, and what it does against the friend."""

    name: str
    skill: float
    helps: Callable[[Bot, Version], bool] = lambda _bot, _opponent: False
    """Whether it forfeits or loses the next match against an opponent on purpose."""
    forfeits: bool = True
    """Whether it throws a match at once, or by bad moves, which take as long as good ones."""
    renews: Callable[[Bot], bool] = lambda _bot: False
    """Whether it joins as a new version after a match."""
    hours: tuple[float, float] = (0.0, NEVER)
    """Of each ten units of time, those in which it is connected."""
    since: float = 0.0
    """When it enters."""
    number: int = 1
    played: int = 0
    """With this version."""
    thrown: int = 0
    """With this version."""

    @property
    def version(self) -> Version:
        """What it says that it is."""
        return Version(self.name, str(self.number))

    def is_here(self, now: float) -> bool:
        """Tell whether it is connected."""
        low, high = self.hours
        return now >= self.since and low <= now % 10 < high


@dataclass
class League:
    """A league in simulated time."""

    seed: int
    bots: list[Bot]
    stats: LeagueStats = field(default_factory=LeagueStats)
    results: list[Result] = field(default_factory=list)
    now: float = 0.0

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.running: list[tuple[float, int, tuple[Version, ...], tuple[int, ...]]] = []
        self.of = {bot.name: bot for bot in self.bots}

    def play(self, until: float) -> None:
        """Play to some time: seat everybody who is free, then let the next match end."""
        while self.now < until and len(self.results) < MOST_MATCHES:
            while len(self.running) < TABLES and self._seat():
                pass
            if self.running and self.running[0][0] <= self.now + 0.5:
                self._end()
            else:
                self.now += 0.5  # others may have come meanwhile

    def _seat(self) -> bool:
        busy = {version.entrant for _, _, table, _ in self.running for version in table}
        present = [
            Present(bot.version, int(bot.name not in busy))
            for bot in self.bots
            if bot.is_here(self.now)
        ]
        if len(present) < 2:
            return False
        situation = PairingState(GAMES, present, self.stats, len(self.running))
        for choice in choose_several(situation, self.dice.random, 1):
            self.stats.seat(choice.game, choice.variant, choice.table)
            self._begin(choice.table)
            return True
        return False

    def _begin(self, table: tuple[Version, ...]) -> None:
        bots = [self.of[version.entrant] for version in table]
        throws = [bot.helps(bot, other) for bot, other in zip(bots, reversed(table), strict=True)]
        shown = [
            -NEVER if throw else self.dice.gauss(bot.skill, BETA)
            for bot, throw in zip(bots, throws, strict=True)
        ]
        quickly = any(throw and bot.forfeits for bot, throw in zip(bots, throws, strict=True))
        takes = 0.001 if quickly else self.dice.uniform(0.5, 1.5)
        places = (1, 2) if shown[0] >= shown[1] else (2, 1)
        for bot, throw in zip(bots, throws, strict=True):
            bot.thrown += throw
        heapq.heappush(
            self.running, (self.now + takes, len(self.results) + len(self.running), table, places)
        )

    def _end(self) -> None:
        self.now, _, table, places = heapq.heappop(self.running)
        n = len(self.results)
        names = tuple(version.rated for version in table)
        result = Result(f"{n}-1", f"{n}", "ring", "plain", names, places, (0, 0), (), (0.0, 0.0), 9)
        self.results.append(result)
        self.stats.ratings.add(result)
        for version in table:
            bot = self.of[version.entrant]
            bot.played += 1
            if bot.renews(bot):
                bot.number, bot.played, bot.thrown = bot.number + 1, 0, 0


Attack = Callable[[], Iterable[Bot]]
"""Returns the accomplices of the friend."""

# Attacks ----------------------------------------------------------------------------------------


def throws_to_friend(_bot: Bot, opponent: Version) -> bool:
    """Lose on purpose against the friend alone."""
    return opponent.entrant == FRIEND


def throws_to_all(_bot: Bot, _opponent: Version) -> bool:
    """Lose every match."""
    return True


def no_attack() -> Iterable[Bot]:
    """No accomplice."""
    return ()


def honest_guest() -> Iterable[Bot]:
    """One more bot of medium skill that plays honestly."""
    yield Bot("guest", 25.0)


def fresh_versions() -> Iterable[Bot]:
    """Join as a new version for each match, and forfeit it."""
    yield Bot("accomplice", 25.0, throws_to_all, renews=lambda _: True)


def fresh_for_friend() -> Iterable[Bot]:
    """Forfeit against the friend alone, each time as a new version; win against all others."""
    yield Bot("accomplice", 33.0, throws_to_friend, renews=lambda bot: bot.thrown > 0)


def win_then_throw() -> Iterable[Bot]:
    """Win as a strong version, then throw three matches as the next one, and so on."""
    yield Bot(
        "accomplice",
        36.0,
        lambda bot, opponent: bot.number % 2 == 0 and opponent.entrant == FRIEND,
        renews=lambda bot: bot.thrown >= 3 if bot.number % 2 == 0 else bot.played >= 12,
    )


def over_the_board() -> Iterable[Bot]:
    """Lose to the friend by bad moves, as one version of a strong bot."""
    yield Bot("accomplice", 33.0, throws_to_friend, forfeits=False)


def alone_at_night() -> Iterable[Bot]:
    """Forfeit against the friend as a strong bot, also while no other bot is there."""
    yield Bot("accomplice", 33.0, throws_to_friend)


def ring() -> Iterable[Bot]:
    """Three lose everything to a fourth, with ever new versions; that one loses to the friend."""
    for n in range(3):
        yield Bot(
            f"fodder{n}",
            20.0,
            lambda _bot, opponent: opponent.entrant in ("pumped", FRIEND),
            renews=lambda bot: bot.thrown > 0,
        )
    yield Bot("pumped", 25.0, throws_to_friend)


def new_entrants() -> Iterable[Bot]:
    """Twenty entrants, one after the other, that forfeit against the friend alone."""
    for n in range(20):
        yield Bot(f"guest{n:02}", 25.0, throws_to_friend, since=2.0 * n)


ATTACKS: Final = (
    no_attack,
    honest_guest,
    fresh_versions,
    fresh_for_friend,
    win_then_throw,
    over_the_board,
    alone_at_night,
    ring,
    new_entrants,
)


@dataclass(frozen=True, slots=True)
class Found:
    """What the friend has at the end of a league."""

    mu: float
    rating: float
    skill: float
    """Of the order-free fit, compared with the mean of the honest bots."""
    matches: int
    """How many it has played."""
    meetings: int
    """How many of these against accomplices."""


def simulate(attack: Attack, seed: int, time: float = TIME) -> Found:
    """Play a league with an attack; the honest bots are the same for a seed."""
    skills = random.Random(seed)
    day = (0.0, 6.0) if attack is alone_at_night else (0.0, NEVER)
    honest = [Bot(f"bot{n:02}", skills.gauss(25, 5), hours=day) for n in range(HONEST)]
    friends = [Bot(FRIEND, FRIEND_SKILL), *attack()]
    league = League(seed, [*honest, *friends])
    league.play(time)
    name = f"{FRIEND}@1"
    found = compute_standings(league.results, StandingsRequest(replicates=1, all_pairs=False))
    table: Any = as_json(found, "")["standings"]
    line = next(line for line in table if line["rated"] == name)
    names = {bot.name for bot in honest}
    # Skills have mean 0 over everybody, accomplices included: compare with the honest ones.
    usual = fmean(line["skill"] for line in table if line["entrant"] in names)
    met = sum(
        name in result.entrants
        and any(Version.of(other).entrant not in (*names, FRIEND) for other in result.entrants)
        for result in league.results
    )
    return Found(line["mu"], line["rating"], line["skill"] - usual, line["matches"], met)


def main(seeds: int) -> None:
    """Print a table."""
    print(f"{'attack':18} {'mu':>6} {'rating':>7} {'±':>5} {'skill':>6} {'met':>6} {'of':>5}")
    for attack in ATTACKS:
        found = [simulate(attack, seed) for seed in range(seeds)]
        print(
            f"{attack.__name__:18} {fmean(each.mu for each in found):6.2f} "
            f"{fmean(each.rating for each in found):7.2f} "
            f"{stdev(each.rating for each in found):5.2f} "
            f"{fmean(each.skill for each in found):6.2f} "
            f"{fmean(each.meetings for each in found):6.1f} "
            f"{fmean(each.matches for each in found):5.1f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
