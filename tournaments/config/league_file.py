"""League files: a tournament file without entrants, who join later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, Final

from referee.model import ClockKind
from tournaments.config.schema import (
    ArrayOfTables,
    Between,
    GameTable,
    OneOf,
    PolicyTable,
    Text,
    TimeControlTable,
    read_games,
    read_policy,
    read_time_control,
    validate,
)
from tournaments.config.toml_reader import TomlFile
from tournaments.model import (
    LONGEST_CODE,
    LONGEST_TITLE,
    MOST_ENTRANTS,
    MOST_FAULTS,
    MOST_STORAGE,
    MOST_SUBMISSIONS,
    MOST_TABLES,
    RATINGS,
    Deals,
    Enrolment,
    LeagueSettings,
    Scheduler,
)


class LeagueTable(GameTable):
    """A league file."""

    title: Annotated[str, Text(LONGEST_TITLE)] = ""
    scheduler: Annotated[Scheduler, OneOf(Scheduler)] = Scheduler.LADDER
    deals: Annotated[Deals, OneOf(Deals)] = Deals.FRESH
    max_tables: Annotated[int, Between(1, MOST_TABLES)] = 8
    bench_after: Annotated[int, Between(0, MOST_FAULTS)] = 3
    rating: Annotated[str, OneOf(RATINGS)] = RATINGS[0]
    separate_authors: bool = False
    max_entrants: Annotated[int, Between(2, MOST_ENTRANTS)] = 1000
    enrolment: Annotated[Enrolment, OneOf(Enrolment)] = Enrolment.CLOSED
    enrolment_code: Annotated[str, Text(LONGEST_CODE)] = ""
    bots_per_author: Annotated[int, Between(1, MOST_ENTRANTS)] = 3
    submissions_per_day: Annotated[int, Between(1, MOST_SUBMISSIONS)] = 20
    storage_per_author: Annotated[int, Between(1, MOST_STORAGE)] = 200
    hosted_clock: Annotated[ClockKind, OneOf(ClockKind)] = ClockKind.CPU
    games: Annotated[list[GameTable], ArrayOfTables] | None = None
    time_control: TimeControlTable = TimeControlTable()  # type: ignore[valid-type]
    policy: PolicyTable = PolicyTable()  # type: ignore[valid-type]


KEYS: Final[Mapping[str, Sequence[str]]] = {
    "at the top": tuple(LeagueTable.model_fields),
    "in [[games]]": tuple(GameTable.model_fields),
    "in [time_control]": tuple(TimeControlTable.model_fields),
    "in [policy]": tuple(PolicyTable.model_fields),
}


def parse_league(text: str, source: str) -> LeagueSettings:
    """Read a league file, which messages call ``source``; raises SettingsFileError."""
    file = TomlFile(text, source)
    top = validate(file, LeagueTable, KEYS)
    if "title" not in file.values:
        file.report('the league has no title: write title = "…" at the top.')
    if (top.enrolment == Enrolment.CODE) is not bool(top.enrolment_code):
        file.report('enrolment = "code" and enrolment_code go together.', "enrolment")
    games = read_games(file, top, top.games, lambda _game: None)
    parts: dict[str, Any] = {
        **dict(top),
        "time_control": read_time_control(file, top.time_control),
        "policy": read_policy(top.policy),
    }
    file.raise_problems()
    parts["games"] = games
    return LeagueSettings(**{part.name: parts[part.name] for part in fields(LeagueSettings)})
