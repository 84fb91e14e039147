"""League files: a tournament file without entrants, who join later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, Final

from pydantic import Field

from referee.model import ClockKind
from tournaments.config.schema import (
    ArrayOfTables,
    Between,
    GameTable,
    OneOf,
    PolicyTable,
    Table,
    Text,
    TimeControlTable,
    TrueSkillTable,
    read_games,
    read_policy,
    read_time_control,
    read_trueskill,
    validate,
)
from tournaments.config.toml_reader import TomlFile
from tournaments.model import (
    LONGEST_CODE,
    LONGEST_TITLE,
    MOST_DAYS,
    MOST_DIVISIONS,
    MOST_ENTRANTS,
    MOST_EVERY,
    MOST_FAULTS,
    MOST_KEEP_DAYS,
    MOST_MEETINGS,
    MOST_NEW_VERSIONS,
    MOST_NEWCOMER_MATCHES,
    MOST_PER_HOUR,
    MOST_STORAGE,
    MOST_SUBMISSIONS,
    MOST_TABLES,
    RATINGS,
    WIDEST,
    Deals,
    Enrolment,
    LeagueSettings,
    Pace,
    Retention,
    Scheduler,
    Settle,
)


class PaceTable(Table):
    """How many matches begin, and when the league rests."""

    matches_per_hour: Annotated[int, Between(0, MOST_PER_HOUR)] = 3000
    bot_matches_per_hour: Annotated[int, Between(0, MOST_PER_HOUR)] = 600
    newcomer_matches: Annotated[int, Between(0, MOST_NEWCOMER_MATCHES)] = 10
    settle: Annotated[Settle, OneOf(Settle)] = Settle.ORDER
    settle_width: Annotated[float, Between(0, WIDEST, unit="")] = 0.5
    settle_meetings: Annotated[int, Between(0, MOST_MEETINGS)] = 250


class RetentionTable(Table):
    """Which records are kept."""

    keep_days: Annotated[int, Between(0, MOST_KEEP_DAYS)] = 0
    keep_every: Annotated[int, Between(0, MOST_EVERY)] = 10


class LeagueTable(GameTable):
    """A league file."""

    title: Annotated[str, Text(LONGEST_TITLE)] = ""
    scheduler: Annotated[Scheduler, OneOf(Scheduler)] = Scheduler.LADDER
    deals: Annotated[Deals, OneOf(Deals)] = Deals.FRESH
    max_tables: Annotated[int, Between(1, MOST_TABLES)] = 8
    bench_after: Annotated[int, Between(0, MOST_FAULTS)] = 3
    rating: Annotated[str, OneOf(RATINGS)] = RATINGS[0]
    separate_authors: bool = True
    separate_addresses: bool = True
    count_striking_pairs: bool = False
    max_entrants: Annotated[int, Between(2, MOST_ENTRANTS)] = 1000
    enrolment: Annotated[Enrolment, OneOf(Enrolment)] = Enrolment.CLOSED
    enrolment_code: Annotated[str, Text(LONGEST_CODE)] = ""
    bots_per_author: Annotated[int, Between(1, MOST_ENTRANTS)] = 3
    versions_per_day: Annotated[int, Between(1, MOST_NEW_VERSIONS)] = 20
    submissions_per_day: Annotated[int, Between(1, MOST_SUBMISSIONS)] = 20
    storage_per_author: Annotated[int, Between(1, MOST_STORAGE)] = 200
    hosted_clock: Annotated[ClockKind, OneOf(ClockKind)] = ClockKind.CPU
    division_sizes: list[Annotated[int, Between(2, MOST_ENTRANTS)]] = Field(default=[])
    promote: Annotated[int, Between(0, MOST_ENTRANTS)] = 1
    relegate: Annotated[int, Between(0, MOST_ENTRANTS)] = 1
    carry_over: bool = False
    season_days: Annotated[int, Between(0, MOST_DAYS)] = 0
    games: Annotated[list[GameTable], ArrayOfTables] | None = None
    trueskill: TrueSkillTable = TrueSkillTable()
    time_control: TimeControlTable = TimeControlTable()  # type: ignore[valid-type]
    policy: PolicyTable = PolicyTable()  # type: ignore[valid-type]
    pace: PaceTable = PaceTable()
    retention: RetentionTable = RetentionTable()


KEYS: Final[Mapping[str, Sequence[str]]] = {
    "at the top": tuple(LeagueTable.model_fields),
    "in [[games]]": tuple(GameTable.model_fields),
    "in [trueskill]": tuple(TrueSkillTable.model_fields),
    "in [time_control]": tuple(TimeControlTable.model_fields),
    "in [policy]": tuple(PolicyTable.model_fields),
    "in [pace]": tuple(PaceTable.model_fields),
    "in [retention]": tuple(RetentionTable.model_fields),
}


def parse_league(text: str, source: str) -> LeagueSettings:
    """Read a league file, which messages call ``source``; raises SettingsFileError."""
    file = TomlFile(text, source)
    top = validate(file, LeagueTable, KEYS)
    if "title" not in file.values:
        file.report('the league has no title: write title = "…" at the top.')
    if (top.enrolment == Enrolment.CODE) is not bool(top.enrolment_code):
        file.report('enrolment = "code" and enrolment_code go together.', "enrolment")
    if any(top.promote + top.relegate > size for size in top.division_sizes):
        sentence = "promote and relegate together are more than a division has."
        file.report(sentence, "division_sizes")
    if len(top.division_sizes) >= MOST_DIVISIONS:
        file.report(f"a league has at most {MOST_DIVISIONS} divisions.", "division_sizes")
    games = read_games(file, top, top.games, lambda _game: None)
    parts: dict[str, Any] = {
        **dict(top),
        "trueskill": read_trueskill(file, top.trueskill, top.rating),
        "time_control": read_time_control(file, top.time_control),
        "policy": read_policy(top.policy),
        "pace": Pace(**dict(top.pace)),
        "retention": Retention(**dict(top.retention)),
    }
    file.raise_problems()
    parts["games"] = games
    parts["division_sizes"] = tuple(top.division_sizes)
    return LeagueSettings(**{part.name: parts[part.name] for part in fields(LeagueSettings)})
