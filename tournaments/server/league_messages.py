"""Leagues as messages, in both directions: what differs from their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from highstreet.v1 import league_pb2 as pb
from highstreet.v1 import play_pb2

from engine import OptionValue, find_game
from referee.model import ClockKind, Policy, Reaction, TimeControl
from tournaments.model import (
    Competition,
    Entrant,
    GameSettings,
    LeagueActivity,
    LeagueSettings,
    Pace,
    Retention,
    ScheduledMatch,
    Season,
    TrueSkillSettings,
)
from tournaments.ratings import Part
from tournaments.server.messages import read_fields, word, written

NEVER: Final = -1
"""The value that means "never bench" in a message; 0 means the default."""
NOT_SHOWN: Final = "not shown"
"""Stands for an enrolment code, which no answer has."""

_NO_TIME: Final = dict.fromkeys(TimeControl().times(), timedelta(0))


# Writing ----------------------------------------------------------------------------------------


def league_message(league: Competition, activity: LeagueActivity | None = None) -> pb.League:
    """Write a league, and what it does if that is known."""
    settings = settings_message(league.settings)
    return written(
        pb.League,
        league,
        league=league.id,
        settings=settings,
        create_time=league.created_at,
        activity=activity and written(pb.LeagueActivity, activity, since_time=activity.since),
    )


def settings_message(settings: LeagueSettings) -> pb.LeagueSettings:
    """Write the settings of a league."""
    return written(
        pb.LeagueSettings,
        settings,
        games=map(_rules_message, settings.games),
        time_control=written(play_pb2.TimeControl, settings.time_control),
        policy=written(play_pb2.Policy, settings.policy),
        trueskill=written(pb.TrueSkillSettings, settings.trueskill),
        deal_sharing=settings.deals,
        bench_after=settings.bench_after or NEVER,
        pace=written(pb.LeaguePace, settings.pace),
        retention=written(pb.RecordRetention, settings.retention),
    )


def _rules_message(rules: GameSettings) -> pb.GameRules:
    options = [_option_message(name, value) for name, value in rules.options.items()]
    return written(pb.GameRules, rules, options=options)


def _option_message(name: str, value: OptionValue) -> pb.OptionSetting:
    if isinstance(value, bool):
        return pb.OptionSetting(name=name, switch=value)
    if isinstance(value, int):
        return pb.OptionSetting(name=name, number=value)
    return pb.OptionSetting(name=name, text=value)


def entrant_message(entrant: Entrant, connections: int) -> pb.Entrant:
    """Write an entrant."""
    return written(
        pb.Entrant,
        entrant,
        league=entrant.competition,
        enter_time=entrant.entered_at,
        connections=connections,
    )


def match_message(match: ScheduledMatch) -> pb.LeagueMatch:
    """Write a match."""
    return written(
        pb.LeagueMatch,
        match,
        match=match.id,
        league=match.competition,
        seats=[written(pb.MatchSeat, seat) for seat in match.seats],
        start_time=match.started_at,
        end_time=match.ended_at,
        record_released=match.has_record,
        record_thinned_time=match.thinned_at,
        record_hash=match.record_hash or "",
    )


def residuals_page(document: Mapping[str, Any], first: int, size: int) -> pb.ListResidualsResponse:
    """Write a page of the residuals of a league."""
    pairs, following = document.get("pairs", ()), first + size
    return pb.ListResidualsResponse(
        residuals=[pb.PairResidual(**pair) for pair in pairs[first:following]],
        next_page_token=str(following) if following < len(pairs) else "",
        pairs=document.get("tested", 0),
    )


def season_message(season: Season) -> pb.Season:
    """Write a season."""
    return written(
        pb.Season,
        season,
        start_time=season.started_at,
        end_time=season.ended_at,
        entrants=[written(pb.SeasonEntrant, each) for each in season.entrants],
    )


def standings_page(table: Mapping[str, Any], first: int, size: int) -> pb.GetStandingsResponse:
    """Write a page of the table of a league, or of a part of it."""
    lines, following = table.get("standings", ()), first + size
    named = [{**line, "name": line["label"]} for line in lines[first:following]]
    names = pb.Standing.DESCRIPTOR.fields_by_name
    return pb.GetStandingsResponse(
        standings=[pb.Standing(**{name: line[name] for name in names}) for line in named],
        next_page_token=str(following) if following < len(lines) else "",
        matches=table.get("matches", 0),
    )


# Reading ----------------------------------------------------------------------------------------


def read_settings(message: pb.LeagueSettings, enrolment_code: str = "") -> LeagueSettings:
    """Read settings; raises UsageError, and ValueError for unknown enum values."""
    given = {"title": "", **read_fields(message), "games": tuple(map(_read_rules, message.games))}
    given["enrolment_code"] = enrolment_code
    if "deal_sharing" in given:
        given["deals"] = given.pop("deal_sharing")
    if "time_control" in given:
        control = {"clock": ClockKind.WALL} | _NO_TIME | read_fields(message.time_control)
        given["time_control"] = TimeControl(**control | {"clock": ClockKind(control["clock"])})
    if "policy" in given:
        given["policy"] = _read_policy(message.policy)
    if "trueskill" in given:
        given["trueskill"] = TrueSkillSettings(**read_fields(message.trueskill))
    if "pace" in given:
        given["pace"] = Pace(**read_fields(message.pace))
    if "retention" in given:
        given["retention"] = Retention(**read_fields(message.retention))
    if message.bench_after == NEVER:
        given["bench_after"] = 0
    return LeagueSettings(**given)


def _read_policy(message: play_pb2.Policy) -> Policy:
    """Read a policy; a reaction that is not set is the default."""
    given: dict[str, Any] = {"strikes": 0, "rejections": 0}
    for name, value in read_fields(message).items():
        given[name] = Reaction(value) if isinstance(value, str) else value
    return Policy(**given)


def _read_rules(message: pb.GameRules) -> GameSettings:
    given = {"table_sizes": tuple(find_game(message.game).spec.seats), **read_fields(message)}
    return GameSettings(**given | {"options": _read_options(message)})


def _read_options(message: pb.GameRules) -> Mapping[str, OptionValue]:
    given: dict[str, OptionValue] = {}
    for option in message.options:
        kind = option.WhichOneof("value")
        if kind is None:
            raise ValueError(f'the option "{option.name[:40]}" has no value')
        given[option.name] = getattr(option, kind)
    return given


def read_shown_settings(message: pb.LeagueSettings) -> LeagueSettings:
    """Read the settings that a server shows, which have no enrolment code."""
    needs_code = message.enrolment == pb.ENROLMENT_CODE
    return read_settings(message, NOT_SHOWN if needs_code else "")


def read_part(message: pb.GetStandingsRequest) -> Part:
    """Read which part of the standings is requested; fields that are not set mean all."""
    return Part(message.game or None, message.seats or None, message.variant or None)


def read_state(number: int) -> str | None:
    """Read the state of a match in a filter; nothing means any."""
    return word(pb.LeagueMatchState.DESCRIPTOR, number) if number else None
