"""A tournament as its organiser describes it, as values; and what may change once it has begun."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine import AnyGame, Options, OptionValue
from referee import BotCommand, BotSpec, Policy, TimeControl, Transport
from tournaments.schedule import Entry, Format, GameRequest, Request, ScheduledMatch, Seatings

RATINGS = ("trueskill", "openskill")
MOST_TABLES = 512
MOST_WORKERS = 64


class Deals(StrEnum):
    """Which matches share a deal."""

    DUPLICATE = "duplicate"
    """All matches of a duplicate set."""
    FRESH = "fresh"
    """None: each match has a deal of its own."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One kind of the game: a value for each of its options."""

    game: AnyGame
    values: Mapping[str, OptionValue]

    @property
    def name(self) -> str:
        """What makes it special, as in "fog" or "fog+level=3"; "plain" if nothing does.

        A switch that is on gives its name, any other variant option that is not at its default
        its name and value: so a name stays what it is when further variants come.
        """
        parts = []
        for option in self.game.spec.options_offered:
            value = self.values[option.name]
            if not option.variant:
                continue
            if isinstance(option.default, bool):
                parts += [option.name] if value else []
            elif value != option.default:
                parts.append(f"{option.name}={value}")
        return "+".join(parts) or "plain"

    def options(self, seats: int) -> Options:
        """Return the options of a match with so many seats."""
        return self.game.spec.options(seats, self.values)


@dataclass(frozen=True, slots=True)
class Discipline:
    """One of the games of a tournament: at which tables, in which variants, how often."""

    game: AnyGame
    table_sizes: tuple[int, ...]
    variants: tuple[Variant, ...]
    sets_per_table: int = 1

    @property
    def name(self) -> str:
        """The name of the game."""
        return self.game.spec.name

    def variant(self, name: str) -> Variant:
        """Return the variant of that name, which must be there."""
        return next(variant for variant in self.variants if variant.name == name)

    def options_said(self) -> list[str]:
        """Return the options that are the same in every match and not at their defaults."""
        values = self.variants[0].values
        return [
            f"{option.name} = {_said(values[option.name])}"
            for option in self.game.spec.options_offered
            if not option.variant and values[option.name] != option.default
        ]

    def request(self) -> GameRequest:
        """Return what the schedule is to have of this game."""
        names = tuple(variant.name for variant in self.variants)
        return GameRequest(self.name, self.table_sizes, names, self.sets_per_table)

    def identity(self) -> dict[str, Any]:
        """Return, as JSON values, what ``changes`` compares."""
        return {
            "rules_version": self.game.spec.rules_version,
            "sets_per_table": self.sets_per_table,
            "table_sizes": list(self.table_sizes),
            "variants": {variant.name: dict(variant.values) for variant in self.variants},
        }


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part."""

    name: str
    transport: Transport
    command: BotCommand | None = None
    """How to start it; nothing for a remote bot."""
    sample: str | None = None
    """Which sample bot it is, if it is one."""
    author: str | None = None
    folder: str | None = None
    """The working folder as the file writes it; the command has the whole path."""

    def spec(self) -> BotSpec:
        """Return the bot as the referee wants it."""
        return BotSpec(self.name, self.transport, self.command)

    def identity(self) -> dict[str, Any]:
        """Return what makes it this bot, as JSON values that hold in another place too."""
        known: dict[str, Any] = {"transport": self.transport.value, "author": self.author}
        if self.command is None:
            return known
        if self.sample is None:
            known["command"] = list(self.command.arguments)
        else:
            known["bot"] = self.sample
        environment = self.command.environment or {}
        return known | {
            "folder": self.folder,
            "environment": {name: _digest(value) for name, value in sorted(environment.items())},
        }


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a tournament is run; all of it may change from one run to the next."""

    tables: int = 4
    """How many matches are played at once, in all."""
    workers: int | None = None
    """How many processes share them; nothing means one for each core."""
    host: str = "127.0.0.1"
    port: int = 0
    """Where bots dial in; port 0 is any free one."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    remote_seconds: float = 60.0
    """How long to wait for bots that somebody else starts."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """Everything that a tournament file says."""

    name: str
    entrants: tuple[Entrant, ...]
    games: tuple[Discipline, ...]
    max_matches: int | None = None
    format: Format = Format.ROUND_ROBIN
    challenger: str | None = None
    seatings: Seatings = Seatings.ROTATIONS
    separate_authors: bool = False
    rating: str = RATINGS[0]
    secret: bytes | None = field(default=None, repr=False)
    """From which the deals are made; nothing means that the tournament makes its own."""
    deals: Deals | None = None
    """What the organiser says; ``deals_at`` knows what nothing means."""
    time_control: TimeControl = field(default_factory=TimeControl)
    policy: Policy = field(default_factory=Policy)
    bench_after: int = 5
    """After how many forfeits in a row, by its own fault, an entrant is benched; 0 for never."""
    run: RunSettings = field(default_factory=RunSettings)

    def entrant(self, name: str) -> Entrant:
        """Return the entrant of that name, who must be there."""
        return next(entrant for entrant in self.entrants if entrant.name == name)

    def discipline(self, game: str) -> Discipline:
        """Return what is played of the game of that name, which must be there."""
        return next(discipline for discipline in self.games if discipline.name == game)

    def options_of(self, match: ScheduledMatch) -> Options:
        """Return the options of one of its matches."""
        variant = self.discipline(match.game).variant(match.variant)
        return variant.options(len(match.entrants))

    def deals_at(self, names: Iterable[str]) -> Deals:
        """Return which deals a table of these entrants has.

        Unless the organiser says otherwise, a remote bot never sees a deal that is played again:
        nobody can check what it remembers.
        """
        if self.deals is not None:
            return self.deals
        remote = {each.name for each in self.entrants if each.transport is Transport.REMOTE}
        return Deals.DUPLICATE if remote.isdisjoint(names) else Deals.FRESH

    def request(self) -> Request:
        """Return what the schedule is a function of."""
        return Request(
            entries=tuple(Entry(entrant.name, entrant.author) for entrant in self.entrants),
            games=tuple(discipline.request() for discipline in self.games),
            max_matches=self.max_matches,
            seatings=self.seatings,
            format=self.format,
            challenger=self.challenger,
            separate_authors=self.separate_authors,
        )

    def identity(self) -> dict[str, Any]:
        """Return, as JSON values, what ``changes`` compares; no secret can be read from it."""
        return {
            "games": {discipline.name: discipline.identity() for discipline in self.games},
            "format": self.format.value,
            "challenger": self.challenger,
            "seatings": self.seatings.value,
            "separate_authors": self.separate_authors,
            "deals": self.deals and self.deals.value,
            "secret": self.secret and hashlib.sha256(self.secret).hexdigest(),
            "time_control": self.time_control.as_dict(),
            "policy": self.policy.as_dict() | {"bench_after": self.bench_after},
            "max_matches": self.max_matches,
            "entrants": {entrant.name: entrant.identity() for entrant in self.entrants},
        }


def changes(old: Mapping[str, Any], new: Tournament) -> list[str]:
    """Return what has changed since the identity ``old`` and must not, in sentences.

    A tournament that has begun may get more entrants, games, sets, table sizes, variants and
    matches, another name, another rating and other settings of the run. Everything else would make
    matches that cannot be compared.
    """
    old, now = _with_games(old), new.identity()
    found = []
    for key in ("format", "challenger", "seatings", "separate_authors", "deals"):
        found += _change(key, old[key], now[key])
    if old["secret"] is None and now["secret"] is not None:
        found.append("secret was not given, and the tournament made its own: take the key out.")
    elif old["secret"] != now["secret"]:
        found.append("secret is not the one that the tournament began with: put that one back.")
    for part in ("time_control", "policy"):
        for key in now[part]:
            found += _change(f"{part}.{key}", old[part][key], now[part][key])
    if (now["max_matches"] or float("inf")) < (old["max_matches"] or float("inf")):
        was = old["max_matches"] or "without limit"
        found.append(f"max_matches was {was} and is {now['max_matches']}: it may only grow.")
    return [*found, *_games(old["games"], new), *_entrants(old, now, new)]


_OF_A_GAME = ("rules_version", "sets_per_table", "table_sizes", "variants")


def _with_games(identity: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an identity as they are now; stores from when there was one game say it otherwise."""
    if "games" in identity:
        return identity
    return {**identity, "games": {identity["game"]: {key: identity[key] for key in _OF_A_GAME}}}


def _games(old: Mapping[str, Any], new: Tournament) -> list[str]:
    """Return what has changed in the games that there were; each may only grow."""
    found = []
    several = len(old) > 1 or len(new.games) > 1
    for name, was in old.items():
        discipline = next((known for known in new.games if known.name == name), None)
        if discipline is None:
            found.append(f'the game "{name}" is gone, whose matches count: put it back.')
            continue
        title = discipline.game.spec.title
        if was["rules_version"] != discipline.game.spec.rules_version:
            found.append(
                f"the rules of {title} were version {was['rules_version']} and are version "
                f"{discipline.game.spec.rules_version}: go on with the program that the "
                "tournament began with, or begin a new one."
            )
        less = _fewer(was, discipline.identity())
        found += [f"{title}: {sentence}" for sentence in less] if several else less
    return found


def _change(key: str, was: object, now: object) -> list[str]:
    return [] if was == now else [f"{key} was {_said(was)} and is {_said(now)}."]


def _said(value: object) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _fewer(old: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return where there is less than there was, or another thing of the same name."""
    found = []
    if now["sets_per_table"] < old["sets_per_table"]:
        found.append(
            f"sets_per_table was {old['sets_per_table']} and is {now['sets_per_table']}: "
            "it may only grow."
        )
    found += [
        f"tables of {size} are gone from table_sizes: put {size} back."
        for size in old["table_sizes"]
        if size not in now["table_sizes"]
    ]
    for name, values in old["variants"].items():
        if name not in now["variants"]:
            found.append(f'the variant "{name}" is gone: put it back.')
        else:
            for key, value in now["variants"][name].items():
                found += _change(f"options.{key}", values.get(key), value)
    return list(dict.fromkeys(found))


def _entrants(old: Mapping[str, Any], now: Mapping[str, Any], new: Tournament) -> list[str]:
    found = []
    for name, was in old["entrants"].items():
        if name not in now["entrants"]:
            found.append(f'the entrant "{name}" is gone, whose matches count: put it back.')
            continue
        is_now = now["entrants"][name]
        parts = [
            part
            for part in ("transport", "bot", "command", "folder", "environment")
            if was.get(part) != is_now.get(part)
        ]
        if parts:
            found.append(
                f'{" and ".join(parts)} of the entrant "{name}" changed: a new version of a bot '
                "is a new entrant, with a name of its own."
            )
        if new.separate_authors and was["author"] != is_now["author"]:
            found += _change(f'author of the entrant "{name}"', was["author"], is_now["author"])
    return found


def _digest(text: str) -> str:
    """Return what tells two values apart without telling what they are."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
