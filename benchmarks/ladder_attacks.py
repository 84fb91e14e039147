"""Simulate attacks on the ladder: what an accomplice gains for its friend, and who has the tables.

    python -m benchmarks.ladder_attacks [SEEDS]

The league is simulated with the real match-making and the real ratings. Every bot has a known
skill on TrueSkill's scale: it shows ``gauss(skill, beta)`` in a match, and the highest wins. A
match takes about one unit of time, a forfeit a thousandth of it. The friend is a weak bot that
always plays as well as it can. Each attack is compared with the same league without accomplices.

The second table is about tables: a league of two tables, in which entrants compete for them, with
an entrant that joins as a new version every ten matches, and with ten accounts of the friend's
author that do the same. The share of an entrant is compared with the fair one: as many seats as the
mean of those present, from its arrival on. The rank of the friend is that among the honest bots,
and moves by at most the width of its 95 % interval in the league without accomplices.
"""

from __future__ import annotations

import heapq
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Final

from tournaments.model import GameRequest, Result, Version
from tournaments.pairing import LeagueStats, PairingState, Present, choose_several
from tournaments.ratings import StandingsRequest, compute_standings

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
    author: str = ""
    """Bots of one author do not meet, where an author is named."""
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
    tables: int = TABLES
    most_matches: int = MOST_MATCHES

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.running: list[tuple[float, int, tuple[Version, ...], tuple[int, ...]]] = []
        self.of = {bot.name: bot for bot in self.bots}

    def play(self, until: float) -> None:
        """Play to some time: seat everybody who is free, then let the next match end."""
        while self.now < until and len(self.results) < self.most_matches:
            while len(self.running) < self.tables and self._seat():
                pass
            if self.running and self.running[0][0] <= self.now + 0.5:
                self._end()
            else:
                self.now += 0.5  # others may have come meanwhile

    def _seat(self) -> bool:
        busy = {version.entrant for _, _, table, _ in self.running for version in table}
        present = [
            Present(bot.version, int(bot.name not in busy), circle=bot.author)
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


def medium_at_night() -> Iterable[Bot]:
    """Do the same as a bot of medium skill, whose losses are less surprising."""
    yield Bot("accomplice", 25.0, throws_to_friend)


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
    medium_at_night,
    ring,
    new_entrants,
)


AT_NIGHT: Final = (alone_at_night, medium_at_night)
"""The attacks in which the honest bots are away four hours of ten."""


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
    day = (0.0, 6.0) if attack in AT_NIGHT else (0.0, NEVER)
    honest = [Bot(f"bot{n:02}", skills.gauss(25, 5), hours=day) for n in range(HONEST)]
    friends = [Bot(FRIEND, FRIEND_SKILL), *attack()]
    league = League(seed, [*honest, *friends])
    league.play(time)
    name = f"{FRIEND}@1"
    found = compute_standings(league.results, StandingsRequest(replicates=1, all_pairs=False))
    lines = found.overall.standings
    names = {bot.name for bot in honest}
    # Skills are measured from the median, accomplices included: compare with the honest ones.
    skills_of = {line.rated: line.skill.skill for line in lines if line.skill}
    usual = fmean(skills_of[line.rated] for line in lines if line.entrant in names)
    line = next(line for line in lines if line.rated == name)
    met = sum(
        name in result.entrants
        and any(Version.of(other).entrant not in (*names, FRIEND) for other in result.entrants)
        for result in league.results
    )
    rating, skill = line.rating, skills_of[name] - usual
    return Found(rating.mu, rating.conservative, skill, line.figures.matches, met)


# Who has the tables -----------------------------------------------------------------------------

CHURN: Final = 10
"""After how many matches an entrant joins as a new version."""
FEW_TABLES: Final = 2
LONG_TIME: Final = 900.0
ALTERNATIVES: Final = 10


def renews_often(bot: Bot) -> bool:
    """Join as a new version every ten matches."""
    return bot.played >= CHURN


def version_churn() -> Iterable[Bot]:
    """One entrant that joins as a new version every ten matches."""
    yield Bot("churner", 25.0, renews=renews_often)


def alternative_accounts() -> Iterable[Bot]:
    """Ten accounts of the friend's author, with new versions, that would throw to the friend."""
    for n in range(ALTERNATIVES):
        yield Bot(
            f"alt{n}", 30.0, throws_to_friend, renews=renews_often, since=10.0 * n, author=FRIEND
        )


def hidden_accounts() -> Iterable[Bot]:
    """Ten such accounts that have authors and addresses of their own."""
    for bot in alternative_accounts():
        bot.author = ""
        yield bot


CROWDED: Final = (no_attack, version_churn, alternative_accounts, hidden_accounts)


@dataclass(frozen=True, slots=True)
class Shares:
    """Who has the tables of a league, and where the friend is."""

    largest: float
    """The largest share of an entrant, as a multiple of the fair one."""
    whose: str
    accomplices: float
    """The share of matches with an accomplice."""
    rank: int
    """Of the friend among the honest bots, by skill."""
    rank_low: int
    rank_high: int
    """The 95 % interval of its rank among all."""


def crowded(attack: Attack, seed: int, time: float = LONG_TIME) -> Shares:
    """Play a league of few tables with an attack."""
    skills = random.Random(seed)
    honest = [Bot(f"bot{n:02}", skills.gauss(25, 5)) for n in range(HONEST)]
    friends = [Bot(FRIEND, FRIEND_SKILL, author=FRIEND), *attack()]
    bots = [*honest, *friends]
    league = League(seed, bots, tables=FEW_TABLES, most_matches=10**6)
    shares = _multiples(league, bots, time)
    usual = {FRIEND, *(bot.name for bot in honest)}
    entrants = [{Version.of(name).entrant for name in each.entrants} for each in league.results]
    with_others = sum(not table <= usual for table in entrants)
    whose = max(shares, key=lambda name: shares[name])
    found = compute_standings(league.results, StandingsRequest(all_pairs=False))
    skill_of = {line.entrant: line.skill for line in found.overall.standings if line.skill}
    own, others = skill_of[FRIEND], [skill_of[bot.name] for bot in honest]
    return Shares(
        shares[whose],
        whose,
        with_others / len(entrants),
        1 + sum(other.skill > own.skill for other in others),
        own.rank_low,
        own.rank_high,
    )


def _multiples(league: League, bots: list[Bot], time: float) -> dict[str, float]:
    """Play a league; return the seats of each entrant, divided by its fair number of them."""
    had, fair = dict.fromkeys(league.of, 0), dict.fromkeys(league.of, 0.0)
    counted = 0
    while league.now < time:
        league.play(league.now + 1.0)
        here = [bot.name for bot in bots if bot.is_here(league.now)]
        for result in league.results[counted:]:
            for name in result.entrants:
                had[Version.of(name).entrant] += 1
            for name in here:
                fair[name] += len(result.entrants) / len(here)
        counted = len(league.results)
    return {name: had[name] / fair[name] for name in had if fair[name]}


def main(seeds: int) -> None:
    """Print both tables."""
    print_attacks(seeds)
    print()
    print_shares(seeds)


def print_shares(seeds: int) -> None:
    """Print the largest share of tables, and the rank of the friend."""
    print(
        f"{'attack':22} {'largest share':>14} {'accomplices':>12} {'rank':>5}  within its interval"
    )
    usual = [crowded(no_attack, seed) for seed in range(seeds)]
    for attack in CROWDED:
        found = [crowded(attack, seed) for seed in range(seeds)]
        within = sum(
            abs(each.rank - before.rank) <= before.rank_high - before.rank_low
            for before, each in zip(usual, found, strict=True)
        )
        print(
            f"{attack.__name__:22} {max(each.largest for each in found):14.2f} "
            f"{fmean(each.accomplices for each in found):12.0%} "
            f"{fmean(each.rank for each in found):5.1f}  {within} of {seeds}"
        )


def print_attacks(seeds: int) -> None:
    """Print what the friend gains."""
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
