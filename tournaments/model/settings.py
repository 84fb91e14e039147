"""The settings of competitions: those of all, and those of leagues."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Final

from engine import Options, UsageError
from referee.model import ClockKind, Policy, Reaction, TimeControl
from tournaments.model.deals import Deals
from tournaments.model.errors import InvalidError, NotFoundError
from tournaments.model.game_settings import MOST_TABLES, GameSettings
from tournaments.model.league_pace import UNLIMITED, Pace, Retention, check_whole
from tournaments.model.match import ScheduledMatch
from tournaments.model.names import check_line
from tournaments.model.submission import LONGEST_CODE, Enrolment
from tournaments.model.trueskill_settings import RATINGS, TrueSkillSettings

LONGEST_TITLE: Final = 100
MOST_FAULTS: Final = 1_000_000
MOST_ENTRANTS: Final = 100_000
MOST_SUBMISSIONS: Final = 10_000
MOST_NEW_VERSIONS: Final = 200
MOST_DIVISIONS: Final = 20
MOST_DAYS: Final = 3660
MOST_STORAGE: Final = 1_000_000
"""MiB."""


class Scheduler(StrEnum):
    """How a league decides who meets whom."""

    LADDER = "ladder"
    """The next table is the one that teaches most."""
    ROUNDS = "rounds"
    """A round robin among those who are present, again and again."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that tournaments and leagues have in common."""

    title: str
    games: tuple[GameSettings, ...]
    time_control: TimeControl = field(default_factory=TimeControl)
    policy: Policy = field(default_factory=Policy)
    bench_after: int = 5
    """After how many forfeits in a row, by its own fault, an entrant is benched; 0 for never."""
    rating: str = RATINGS[0]
    trueskill: TrueSkillSettings = field(default_factory=TrueSkillSettings)
    separate_authors: bool = False
    """Whether entrants of one author never share a table."""

    def game(self, name: str) -> GameSettings:
        """Return the settings of a game; raises NotFoundError."""
        for each in self.games:
            if each.game == name:
                return each
        raise NotFoundError(f'"{name[:LONGEST_TITLE]}" is not played in this competition.')

    def options_of(self, match: ScheduledMatch) -> Options:
        """Return the options of a match."""
        return self.game(match.game).options_of(match.variant, len(match.seats))

    def draw_probability(self) -> dict[str, float]:
        """Return the draw probability of each game."""
        return {
            each.game: each.draw_probability or each.rules.spec.draw_probability
            for each in self.games
        }


@dataclass(frozen=True, slots=True)
class LeagueSettings(Settings):
    """The settings of a league, which do not change after its beginning."""

    bench_after: int = 3
    separate_authors: bool = True
    separate_addresses: bool = True
    """Whether connected bots of one public network address never share a table."""
    count_striking_pairs: bool = False
    """Whether the results of two bots against each other are also rated if they are far from what
    those against all others lead to, as they are where one loses on purpose."""
    scheduler: str = Scheduler.LADDER
    deals: str = Deals.FRESH
    max_tables: int = 8
    """How many matches are played at once, on all servers together."""
    max_entrants: int = 1000
    """How many entrants may take part, without those who were withdrawn or disqualified."""
    enrolment: str = Enrolment.CLOSED
    """How an author gets an account to submit bots."""
    enrolment_code: str = ""
    """The code that authors need with the enrolment "code"; not public."""
    bots_per_author: int = 3
    versions_per_day: int = 20
    """How many new versions an entrant may have in 24 hours."""
    submissions_per_day: int = 20
    """How many versions an author may submit in 24 hours."""
    storage_per_author: int = 200
    """MiB of all packages of an author that are kept."""
    hosted_clock: str = ClockKind.CPU
    """The clock of matches in which every bot is a submitted one, which the server runs."""
    pace: Pace = field(default_factory=Pace)
    retention: Retention = field(default_factory=Retention)
    division_sizes: tuple[int, ...] = ()
    """The sizes of the divisions in a season but for the lowest one, which has everyone else."""
    promote: int = 1
    """How many of a division are promoted at the end of a season."""
    relegate: int = 1
    """How many of a division are relegated at the end of a season."""
    carry_over: bool = False
    """Whether the results of earlier seasons count in the ratings of the next one."""
    season_days: int = 0
    """After how many days a season ends and the next one starts; 0 for by command only."""

    def __post_init__(self) -> None:
        check_line("title", self.title, LONGEST_TITLE)
        names = [rules.game for rules in self.games]
        if not names or len(set(names)) != len(names):
            raise InvalidError("a league has at least one game, and each only once.")
        _check_word("scheduler", self.scheduler, tuple(Scheduler))
        _check_word("deals", self.deals, tuple(Deals))
        _check_word("rating", self.rating, RATINGS)
        self.trueskill.check(self.rating)
        check_whole("max_tables", self.max_tables, 1, MOST_TABLES)
        check_whole("bench_after", self.bench_after, 0, MOST_FAULTS)
        check_whole("max_entrants", self.max_entrants, 2, MOST_ENTRANTS)
        _check_word("enrolment", self.enrolment, tuple(Enrolment))
        check_line("enrolment_code", self.enrolment_code, LONGEST_CODE, least=0)
        if (self.enrolment == Enrolment.CODE) is not bool(self.enrolment_code):
            raise InvalidError('enrolment_code goes with enrolment = "code", which needs one.')
        check_whole("bots_per_author", self.bots_per_author, 1, MOST_ENTRANTS)
        check_whole("submissions_per_day", self.submissions_per_day, 1, MOST_SUBMISSIONS)
        check_whole("storage_per_author", self.storage_per_author, 1, MOST_STORAGE)
        _check_word("hosted_clock", self.hosted_clock, tuple(ClockKind))
        check_whole("versions_per_day", self.versions_per_day, 1, MOST_NEW_VERSIONS)
        for name in ("separate_authors", "separate_addresses", "count_striking_pairs"):
            if type(getattr(self, name)) is not bool:
                raise InvalidError(f"{name} must be true or false.")
        self._check_seasons()

    def _check_seasons(self) -> None:
        for size in self.division_sizes:
            check_whole("a size in division_sizes", size, 2, MOST_ENTRANTS)
        check_whole("promote", self.promote, 0, MOST_ENTRANTS)
        check_whole("relegate", self.relegate, 0, MOST_ENTRANTS)
        check_whole("season_days", self.season_days, 0, MOST_DAYS)
        if len(self.division_sizes) >= MOST_DIVISIONS:
            raise InvalidError(f"a league has at most {MOST_DIVISIONS} divisions.")
        if any(self.promote + self.relegate > size for size in self.division_sizes):
            raise InvalidError("promote and relegate together are more than a division has.")
        if type(self.carry_over) is not bool:
            raise InvalidError("carry_over must be true or false.")

    def time_control_of(self, *, hosted: bool) -> TimeControl:
        """Return the time control of a match; ``hosted`` if all its bots come from packages."""
        if not hosted:
            return self.time_control
        return replace(self.time_control, clock=ClockKind(self.hosted_clock))

    def refuse_other_games(self, bot: str, games: Sequence[str]) -> None:
        """Raise InvalidError for a bot that plays none of the games of the league."""
        played = [each.game for each in self.games]
        if not set(played) & set(games):
            raise InvalidError(
                f"the league plays {', '.join(played)}, and {bot} none of these: see games in its "
                "manifest."
            )

    def as_json(self) -> str:
        """Write them in one line."""
        return json.dumps(
            {
                "title": self.title,
                "games": [rules.as_dict() for rules in self.games],
                "scheduler": str(self.scheduler),
                "time_control": self.time_control.as_dict(),
                "policy": self.policy.as_dict(),
                "deals": str(self.deals),
                "max_tables": self.max_tables,
                "bench_after": self.bench_after,
                "rating": self.rating,
                "trueskill": self.trueskill.as_dict(),
                "separate_authors": self.separate_authors,
                "separate_addresses": self.separate_addresses,
                "count_striking_pairs": self.count_striking_pairs,
                "max_entrants": self.max_entrants,
                "enrolment": str(self.enrolment),
                "enrolment_code": self.enrolment_code,
                "bots_per_author": self.bots_per_author,
                "versions_per_day": self.versions_per_day,
                "submissions_per_day": self.submissions_per_day,
                "storage_per_author": self.storage_per_author,
                "hosted_clock": str(self.hosted_clock),
                "pace": self.pace.as_dict(),
                "retention": self.retention.as_dict(),
                "division_sizes": list(self.division_sizes),
                "promote": self.promote,
                "relegate": self.relegate,
                "carry_over": self.carry_over,
                "season_days": self.season_days,
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> LeagueSettings:
        """Read them; raises InvalidError. Only the title and the games must be there.

        What is missing was not there when the league was created, so it does not limit that league.
        """
        try:
            given = json.loads(text)
            parts = {
                **_BEFORE,
                **given,
                "games": tuple(_game_settings(each) for each in given["games"]),
                "time_control": TimeControl.from_dict(given.get("time_control", {})),
                "policy": _policy(given.get("policy", {})),
                "pace": Pace(**given["pace"]) if "pace" in given else UNLIMITED,
                "retention": Retention(**given.get("retention", {})),
                "division_sizes": tuple(given.get("division_sizes", ())),
                "trueskill": TrueSkillSettings(**given.get("trueskill", {})),
            }
            return cls(**parts)
        except UsageError:
            raise
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise InvalidError(f"the settings of the league cannot be read: {error}.") from None


_BEFORE: Final = {
    "separate_authors": False,
    "separate_addresses": False,
    "count_striking_pairs": True,
}
"""The settings of leagues that were created without these keys."""


def _game_settings(given: Mapping[str, Any]) -> GameSettings:
    lists = {key: tuple(given[key]) for key in ("table_sizes", "variants") if key in given}
    return GameSettings(**{**given, **lists})


def _policy(given: Mapping[str, Any]) -> Policy:
    reactions = {part.name for part in fields(Policy) if isinstance(part.default, Reaction)}
    values: dict[str, Any] = {
        name: Reaction(value) if name in reactions else value for name, value in given.items()
    }
    return Policy(**values)


def _check_word(what: str, value: str, words: Sequence[str]) -> None:
    if value not in words:
        raise InvalidError(f'{what} is "{value}", but must be one of {", ".join(words)}.')
