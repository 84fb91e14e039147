"""Leagues as messages, in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from google.protobuf import duration_pb2, timestamp_pb2
from highstreet.v1 import league_pb2 as pb
from highstreet.v1 import play_pb2

from engine import OptionValue, find_game
from referee.clock import TimeControl
from referee.policy import Policy, Reaction
from tournaments.league.model import Entrant, GameRules, League, LeagueMatch, LeagueSettings
from tournaments.league.parts import Part

NEVER: Final = -1
"""How a message says that nobody is benched; nothing said means the default."""

_REACTIONS: Final = {reaction: number for number, reaction in enumerate(Reaction, 1)}
_PARTS: Final = tuple(part.name for part in fields(TimeControl))


def _word(enum: Any, number: int, prefix: str) -> str:
    name: str = enum.Name(number)
    return name.removeprefix(prefix).lower()


def _value(enum: Any, word: str, prefix: str) -> Any:
    return enum.Value(f"{prefix}{word.upper()}")


# What we say ------------------------------------------------------------------------------------


def league_message(league: League) -> pb.League:
    """Write a league."""
    return pb.League(
        league=league.id,
        settings=settings_message(league.settings),
        state=_value(pb.LeagueState, league.state, "LEAGUE_STATE_"),
        create_time=timestamp(league.created_at),
        commitment=league.commitment,
    )


def settings_message(settings: LeagueSettings) -> pb.LeagueSettings:
    """Write the settings of a league."""
    control, policy = settings.time_control, settings.policy
    return pb.LeagueSettings(
        title=settings.title,
        games=map(_rules_message, settings.games),
        scheduler=_value(pb.Scheduler, settings.scheduler, "SCHEDULER_"),
        time_control=play_pb2.TimeControl(
            **{part: _duration(getattr(control, part)) for part in _PARTS}
        ),
        policy=_policy_message(policy),
        deal_sharing=_value(pb.DealSharing, settings.deals, "DEAL_SHARING_"),
        max_tables=settings.max_tables,
        bench_after=settings.bench_after or NEVER,
        rating=settings.rating,
    )


def _policy_message(policy: Policy) -> play_pb2.Policy:
    said: dict[str, Any] = {
        part: _REACTIONS[Reaction(value)] if isinstance(value, str) else value
        for part, value in policy.as_dict().items()
    }
    return play_pb2.Policy(**said)


def _rules_message(rules: GameRules) -> pb.GameRules:
    return pb.GameRules(
        game=rules.game,
        table_sizes=rules.table_sizes,
        variants=rules.variants,
        options=[_option_message(name, value) for name, value in rules.options.items()],
    )


def _option_message(name: str, value: OptionValue) -> pb.OptionSetting:
    if isinstance(value, bool):
        return pb.OptionSetting(name=name, switch=value)
    if isinstance(value, int):
        return pb.OptionSetting(name=name, number=value)
    return pb.OptionSetting(name=name, text=value)


def entrant_message(entrant: Entrant, connections: int) -> pb.Entrant:
    """Write an entrant."""
    return pb.Entrant(
        league=entrant.league,
        name=entrant.name,
        author=entrant.author,
        state=_value(pb.EntrantState, entrant.state, "ENTRANT_STATE_"),
        reason=entrant.reason,
        enter_time=timestamp(entrant.entered_at),
        versions=entrant.versions,
        connections=connections,
    )


def match_message(match: LeagueMatch) -> pb.LeagueMatch:
    """Write a match."""
    return pb.LeagueMatch(
        match=match.id,
        league=match.league,
        game=match.game,
        variant=match.variant,
        state=_value(pb.LeagueMatchState, match.state, "LEAGUE_MATCH_STATE_"),
        seats=[
            pb.MatchSeat(
                entrant=seat.entrant,
                version=seat.version,
                place=seat.place or 0,
                score=seat.score or 0,
                forfeit=seat.forfeit,
            )
            for seat in match.seats
        ],
        ending=match.ending,
        decisions=match.decisions,
        why=match.why,
        annulled=match.annulled,
        start_time=timestamp(match.started_at),
        end_time=timestamp(match.ended_at),
        record_released=match.released,
    )


def standing_messages(table: Mapping[str, Any]) -> tuple[list[pb.Standing], int]:
    """Write the table of a league, or of a part of it, and how many matches it counts."""
    rows = [
        pb.Standing(
            rank=line["rank"],
            name=line["label"],
            entrant=line["entrant"],
            version=line["version"],
            current=line["current"],
            mu=line["mu"],
            sigma=line["sigma"],
            rating=line["rating"],
            matches=line["matches"],
            forfeits=line["forfeits"],
            rank_low=line["rank_low"],
            rank_high=line["rank_high"],
        )
        for line in table.get("standings", ())
    ]
    return rows, table.get("matches", 0)


def timestamp(moment: datetime | None) -> timestamp_pb2.Timestamp | None:
    """Write a moment."""
    if moment is None:
        return None
    stamp = timestamp_pb2.Timestamp()
    stamp.FromDatetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return stamp


def _duration(time: timedelta) -> duration_pb2.Duration:
    written = duration_pb2.Duration()
    written.FromTimedelta(time)
    return written


# What we hear -----------------------------------------------------------------------------------


def read_settings(message: pb.LeagueSettings) -> LeagueSettings:
    """Read settings; raises UsageError, and ValueError for what no message of ours says."""
    given: dict[str, Any] = {
        "title": message.title,
        "games": tuple(map(_read_rules, message.games)),
    }
    if message.scheduler:
        given["scheduler"] = _word(pb.Scheduler, message.scheduler, "SCHEDULER_")
    if message.deal_sharing:
        given["deals"] = _word(pb.DealSharing, message.deal_sharing, "DEAL_SHARING_")
    if message.HasField("time_control"):
        control = message.time_control
        given["time_control"] = TimeControl(
            **{part: getattr(control, part).ToTimedelta() for part in _PARTS}
        )
    if message.HasField("policy"):
        given["policy"] = _read_policy(message.policy)
    if message.max_tables:
        given["max_tables"] = message.max_tables
    if message.bench_after:
        given["bench_after"] = 0 if message.bench_after == NEVER else message.bench_after
    if message.rating:
        given["rating"] = message.rating
    return LeagueSettings(**given)


def _read_policy(message: play_pb2.Policy) -> Policy:
    """Read a policy; a reaction that is not said is the default."""
    said: dict[str, Any] = {"strikes": message.strikes, "rejections": message.rejections}
    words = {number: reaction for reaction, number in _REACTIONS.items()}
    for part in fields(Policy):
        if isinstance(part.default, Reaction) and getattr(message, part.name):
            said[part.name] = words[getattr(message, part.name)]
    return Policy(**said)


def _read_rules(message: pb.GameRules) -> GameRules:
    sizes = tuple(message.table_sizes) or tuple(find_game(message.game).spec.seats)
    return GameRules(
        message.game, sizes, tuple(message.variants) or ("plain",), _read_options(message)
    )


def _read_options(message: pb.GameRules) -> Mapping[str, OptionValue]:
    said: dict[str, OptionValue] = {}
    for option in message.options:
        kind = option.WhichOneof("value")
        if kind is None:
            raise ValueError(f'the option "{option.name[:40]}" has no value')
        said[option.name] = getattr(option, kind)
    return said


def read_part(message: pb.GetStandingsRequest) -> Part:
    """Read which part of the standings is asked for; what is not said means all."""
    return Part(message.game or None, message.seats or None, message.variant or None)


def read_state(number: int) -> str | None:
    """Read the state of a match in a filter; nothing means any."""
    return _word(pb.LeagueMatchState, number, "LEAGUE_MATCH_STATE_") if number else None
