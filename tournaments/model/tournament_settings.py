"""The settings of a tournament, and which of them may change once it has begun."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.model import Transport
from tournaments.model.deals import Deals
from tournaments.model.entrant import Entrant
from tournaments.model.game_settings import as_toml
from tournaments.model.match import Seatings
from tournaments.model.schedule_request import BY_ROUNDS, Format, Request
from tournaments.model.settings import Settings
from tournaments.model.stop_rule import StopRule


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
    """How long to wait for remote bots, in seconds."""


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How a tournament is run on a cluster; all of it may change from one run to the next."""

    shared_filesystem: bool = False
    """Whether the programs and folders of the file exist on all machines under the same paths."""
    equal_machines: bool = False
    """Whether workers are left out whose speed differs from that of the others."""
    tolerance: float = 0.1
    """By which part the speeds of equal machines may differ."""
    without: tuple[str, ...] = ()
    """Workers that are left out, by name or address."""


@dataclass(frozen=True, slots=True)
class TournamentSettings(Settings):
    """The settings of a tournament, as its file states them."""

    entrants: tuple[Entrant, ...] = ()
    max_matches: int | None = None
    format: Format = Format.ROUND_ROBIN
    challenger: str | None = None
    seatings: Seatings = Seatings.ROTATIONS
    deals: Deals | None = None
    """As the file states it; ``deals_at`` returns what None means."""
    secret: bytes | None = field(default=None, repr=False)
    """From which the deals are made; None means that the tournament makes its own."""
    baseline: str | None = None
    """The entrant with which a comparison compares the challenger."""
    same_table: bool = False
    """Whether these two meet in a comparison, and do not take each other's place."""
    stop: StopRule | None = None
    """If there is one, the schedule grows until its question is settled."""
    rounds: int | None = None
    best_of: int = 1
    extra_sets: int = 2
    third_place: bool = False
    seeds: tuple[str, ...] = ()
    """The entrants in the order of a standings file, the best one first; () for the file's own."""
    run: RunSettings = field(default_factory=RunSettings)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)

    @property
    def grows(self) -> bool:
        """Whether the schedule depends on results."""
        return self.format in BY_ROUNDS or self.stop is not None

    def entrant(self, name: str) -> Entrant:
        """Return the entrant of that name, who must be there."""
        return next(entrant for entrant in self.entrants if entrant.name == name)

    def deals_at(self, names: Iterable[str]) -> Deals:
        """Return which deals a table of these entrants has.

        Unless the organiser says otherwise, a remote bot never sees a deal that is played again:
        what it remembers cannot be checked.
        """
        if self.deals is not None:
            return self.deals
        remote = {each.name for each in self.entrants if each.transport is Transport.REMOTE}
        return Deals.DUPLICATE if remote.isdisjoint(names) else Deals.FRESH

    def request(self) -> Request:
        """Return what the schedule is a function of."""
        place = {name: number for number, name in enumerate(self.seeds)}
        return Request(
            entries=tuple(sorted(self.entrants, key=lambda each: place.get(each.name, len(place)))),
            games=tuple(game.request() for game in self.games),
            max_matches=self.max_matches,
            seatings=self.seatings,
            format=self.format,
            challenger=self.challenger,
            baseline=self.baseline,
            same_table=self.same_table,
            stop=self.stop,
            separate_authors=self.separate_authors,
            rounds=self.rounds,
            best_of=self.best_of,
            extra_sets=self.extra_sets,
            third_place=self.third_place,
        )

    def players_of(self, game: str) -> list[str]:
        """Return the entrants that play a game, by name."""
        return [entrant.name for entrant in self.entrants if entrant.plays(game)]

    def not_playing(self) -> list[str]:
        """Say which entrants do not play every game, in sentences."""
        found = []
        for entrant in self.entrants:
            missing = [each.game for each in self.games if not entrant.plays(each.game)]
            if missing:
                found.append(
                    f"{entrant.name} does not play {' and '.join(missing)}, and has no match there."
                )
        return found

    def unstated_games(self) -> list[str]:
        """Say which entrants are scheduled for every game because the file does not name theirs."""
        if len(self.games) == 1:
            return []
        return [
            f"the file does not say which games {entrant.name} plays, so it plays all of them. If "
            f'it does not, name its games: games = ["{self.games[0].game}"]'
            for entrant in self.entrants
            if entrant.games is None
        ]

    def identity(self) -> dict[str, Any]:
        """Return, as JSON values, what ``changes`` compares; no secret can be read from it."""
        return {
            "games": {game.game: game.identity() for game in self.games},
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
            **({"stop": self._stop_identity(self.stop)} if self.stop else {}),
            **({"rounds": self._of_rounds()} if self.format in BY_ROUNDS else {}),
        }

    def _of_rounds(self) -> dict[str, Any]:
        """Return, as JSON values, what the rounds depend on besides the results."""
        request = self.request()
        return {
            "seeds": [entry.name for entry in request.entries],
            "rounds": request.swiss_rounds if self.format is Format.SWISS else None,
            "best_of": self.best_of,
            "extra_sets": self.extra_sets,
            "third_place": self.third_place,
        }

    def _stop_identity(self, rule: StopRule) -> dict[str, Any]:
        known = {"baseline": self.baseline, "same_table": self.same_table, "compared": None}
        if self.format is Format.COMPARISON:
            known["compared"] = ", ".join(sorted(entrant.name for entrant in self.entrants))
        return {**rule.identity(), **known}


def changes(old: Mapping[str, Any], new: TournamentSettings) -> list[str]:
    """Return what has changed since the identity ``old`` and must not, in sentences.

    A tournament that has begun may get more entrants, games, sets, table sizes, variants and
    matches, another name, another rating or draw probability and other settings of the run.
    Everything else would make matches that cannot be compared.
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
        for key in old[part]:  # a newer version may know more
            found += _change(f"{part}.{key}", old[part][key], now[part][key])
    if (now["max_matches"] or float("inf")) < (old["max_matches"] or float("inf")):
        was = old["max_matches"] or "without limit"
        found.append(f"max_matches was {was} and is {now['max_matches']}: it may only grow.")
    if "rounds" in old and "rounds" in now:
        found += _rounds(old["rounds"], now["rounds"])
    found += _stop(old.get("stop"), now.get("stop"))
    return [*found, *_games(old["games"], new), *_entrants(old, now, new)]


def _stop(old: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> list[str]:
    """Return what has changed in the rule by which a tournament stops; only its limit may grow."""
    if old is None or now is None:
        return _change("stop_when", (old or {}).get("stop_when"), (now or {}).get("stop_when"))
    found = []
    for key in ("stop_when", "confidence", "margin", "baseline", "same_table"):
        found += _change(key, old[key], now[key])
    found += _change("the list of entrants", old["compared"], now["compared"])
    if now["max_sets"] < old["max_sets"]:
        found.append(f"max_sets was {old['max_sets']} and is {now['max_sets']}: it may only grow.")
    return found


def _rounds(old: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what has changed in a tournament by rounds; only Swiss rounds may be added."""
    found = []
    if old["seeds"] != now["seeds"]:
        found.append(
            "the entrants, their order or the seeding changed, on which every round depends: "
            f"the seeds were {', '.join(old['seeds'])}."
        )
    for key in ("best_of", "extra_sets", "third_place"):
        found += _change(key, old[key], now[key])
    if (now["rounds"] or 0) < (old["rounds"] or 0):
        found.append(f"rounds was {old['rounds']} and is {now['rounds']}: it may only grow.")
    return found


_OF_A_GAME = ("rules_version", "sets_per_table", "table_sizes", "variants")


def _with_games(identity: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an identity as they are now; stores from when there was one game say it otherwise."""
    if "games" in identity:
        return identity
    return {**identity, "games": {identity["game"]: {key: identity[key] for key in _OF_A_GAME}}}


def _games(old: Mapping[str, Any], new: TournamentSettings) -> list[str]:
    """Return what has changed in the games that there were; each may only grow."""
    found = []
    several = len(old) > 1 or len(new.games) > 1
    for name, was in old.items():
        game = next((known for known in new.games if known.game == name), None)
        if game is None:
            found.append(f'the game "{name}" is gone, whose matches count: put it back.')
            continue
        title = game.rules.spec.title
        if was["rules_version"] != game.rules.spec.rules_version:
            found.append(
                f"the rules of {title} were version {was['rules_version']} and are version "
                f"{game.rules.spec.rules_version}: go on with the program that the "
                "tournament began with, or begin a new one."
            )
        less = _fewer(was, game.identity())
        found += [f"{title}: {sentence}" for sentence in less] if several else less
    return found


def _change(key: str, was: object, now: object) -> list[str]:
    return [] if was == now else [f"{key} was {as_toml(was)} and is {as_toml(now)}."]


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


_OF_AN_ENTRANT = (*("transport", "bot", "command", "package", "folder", "environment", "sandbox"),)


def _entrants(old: Mapping[str, Any], now: Mapping[str, Any], new: TournamentSettings) -> list[str]:
    found = []
    for name, was in old["entrants"].items():
        if name not in now["entrants"]:
            found.append(f'the entrant "{name}" is gone, whose matches count: put it back.')
            continue
        is_now = now["entrants"][name]
        parts = [part for part in _OF_AN_ENTRANT if was.get(part) != is_now.get(part)]
        if parts:
            found.append(
                f'{" and ".join(parts)} of the entrant "{name}" changed: a new version of a bot '
                "is a new entrant, with a name of its own."
            )
        if new.separate_authors and was["author"] != is_now["author"]:
            found += _change(f'author of the entrant "{name}"', was["author"], is_now["author"])
    return found
