"""A comparison as a tournament file, so that it is played, resumed and verified like any other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from engine import AnyGame, Options, UsageError, seed_from_text
from referee.model import BotSpec, SandboxKind, Transport
from tournaments.bot_commands import SAMPLES, sample_command
from tournaments.cli.bots import read_bots
from tournaments.cli.options import MatchRules, read_options
from tournaments.submissions import MANIFEST, read_package

ARCHIVE: Final = ".tar.gz"


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What is compared, and how, as the command line states it."""

    new: str
    old: str
    opponents: Sequence[str]
    game: AnyGame
    options: tuple[str, ...]
    seats: int | None
    same_table: bool
    """Whether the two meet, and do not take each other's place."""
    confidence: float
    max_sets: int
    margin: float | None
    transport: Transport
    environment: Mapping[str, str]
    sandbox: SandboxKind
    rules: MatchRules
    seed: str | None

    @property
    def own_seats(self) -> int:
        """How many seats of a table the two have."""
        return 2 if self.same_table else 1


@dataclass(frozen=True, slots=True)
class _Bot:
    """A bot with the keys of its table in the file."""

    name: str
    keys: Mapping[str, Any]


def comparison_file(order: ComparisonOptions, folder: Path) -> str:
    """Return the tournament file of a comparison; ``folder`` is where its commands are run."""
    options = _table_options(order)
    opponents = list(order.opponents)
    free = options.seats - order.own_seats
    if len(opponents) < free:
        opponents = list(islice(cycle(opponents), free))
    bots = _bots(order, [order.new, order.old, *opponents], folder)
    new, old = bots[0].name, bots[1].name
    top: dict[str, Any] = {
        "name": f"{new} against {old}",
        "game": order.game.spec.name,
        "table_sizes": [options.seats],
        "format": "comparison",
        "challenger": new,
        "baseline": old,
        "same_table": order.same_table,
        "confidence": order.confidence,
        "max_sets": order.max_sets,
    }
    if order.margin is not None:
        top["margin"] = order.margin
    if order.seed is not None:
        top["secret"] = seed_from_text(order.seed).hex()
    control, policy = order.rules.time_control.as_dict(), order.rules.policy.as_dict()
    tables = [
        *_variant(order.game, options),
        ("[time_control]", control),
        ("[policy]", policy),
        *(("[[entrants]]", {"name": bot.name, **bot.keys}) for bot in bots),
    ]
    return _lines(top) + "".join(f"\n{header}\n{_lines(keys)}" for header, keys in tables)


def _table_options(order: ComparisonOptions) -> Options:
    """Return the options of every match; raises UsageError for a table that cannot be seated."""
    most = max(order.game.spec.seats)
    seats = order.seats or max(2, min(len(order.opponents) + order.own_seats, most))
    options = read_options(order.game, seats, order.options)
    if not order.opponents and seats > 2:
        raise UsageError(f"a table of {seats} needs opponents: name them with --opponents.")
    if order.opponents and seats == order.own_seats:
        raise UsageError(
            f"at a table of {seats} no seat is left for the opponents: give more --seats, or leave "
            "--head-to-head or --opponents out."
        )
    return options


def _variant(game: AnyGame, options: Options) -> Iterator[tuple[str, Mapping[str, Any]]]:
    offered = game.spec.options_offered
    switches = {True: "on", False: "off"}
    variants = {
        each.name: switches[value] if isinstance(value, bool) else [value]
        for each in offered
        if each.variant
        for value in [options[each.name]]
    }
    yield "[variants]", variants
    yield "[options]", {each.name: options[each.name] for each in offered if not each.variant}


# Bots -------------------------------------------------------------------------------------------


def _bots(order: ComparisonOptions, texts: Sequence[str], folder: Path) -> list[_Bot]:
    """Return the bots, with names that differ; raises UsageError."""
    found: list[_Bot] = []
    for text in texts:
        bot = _package(text) or _started(order, text, folder)
        found.append(replace(bot, name=_free_name(bot.name, [each.name for each in found])))
    first, second, *others = found
    if second.name == f"{first.name}-2":
        names = f"{first.name}-new", f"{first.name}-old"
        if not {*names} & {each.name for each in others}:
            first, second = (
                replace(bot, name=name) for bot, name in zip(found[:2], names, strict=True)
            )
    return [first, second, *others]


def _free_name(name: str, taken: Sequence[str]) -> str:
    """Return a name that differs from others in more than capital letters."""
    known = {each.casefold() for each in taken}
    names = (name, *(f"{name}-{number}" for number in range(2, len(known) + 3)))
    return next(each for each in names if each.casefold() not in known)


def _package(text: str) -> _Bot | None:
    """Return the bot of a folder with a manifest, or of an archive; None for any other text.

    Raises UsageError for a folder without a manifest, and for a path that does not exist.
    """
    path = Path(text)
    if text.startswith(("/", "./", "../")) and " " not in text and not path.is_file():
        if not path.exists():
            raise UsageError(f"there is no program and no package {text}.")
        if not (path / MANIFEST).is_file():
            raise UsageError(f"{text} is no package: a folder of a bot has a {MANIFEST}.")
    if not (path / MANIFEST).is_file() and not (text.endswith(ARCHIVE) and path.is_file()):
        return None
    try:
        package = read_package(text, None)
    except UsageError as error:
        raise UsageError(f"the package {text} is refused: {error}") from None
    return _Bot(package.manifest.name, {"package": str(path.resolve())})


def _started(order: ComparisonOptions, text: str, folder: Path) -> _Bot:
    (spec,) = read_bots([text], order.transport)
    if spec.command is None:
        raise UsageError("compare needs bots that can be started here: give a command, not remote.")
    keys = {"transport": spec.transport.value, **_program(spec, order.sandbox, folder)}
    if order.environment:
        keys["environment"] = dict(order.environment)
    if order.sandbox is not SandboxKind.NONE:
        keys["sandbox"] = order.sandbox.value
    return _Bot(spec.name, keys)


def _program(spec: BotSpec, sandbox: SandboxKind, folder: Path) -> dict[str, Any]:
    """Return how a bot is started; in a sandbox a folder would be seen with all that is in it."""
    command = spec.command
    if spec.name in SAMPLES and command == sample_command(spec.name):
        return {"bot": spec.name}
    keys = {"command": list(command.arguments) if command else []}
    return keys if sandbox is not SandboxKind.NONE else {**keys, "folder": str(folder)}


# TOML -------------------------------------------------------------------------------------------


def _lines(keys: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in keys.items())


def _value(value: Any) -> str:
    """Return a value in TOML; its strings are those of JSON, but for one control character."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
