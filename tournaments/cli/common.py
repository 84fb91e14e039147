"""Options that several commands share, and how they become values."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

import click

from engine import GAMES, AnyGame, NotationError, Options, OptionsError, OptionValue

INTERRUPTED = 130
"""The exit code after Ctrl-C, as a shell has it."""
FIRST_GAME: Final = next(iter(GAMES))
"""What is played unless told otherwise."""

F = TypeVar("F", bound=Callable[..., Any])


def game_option(summary: str) -> Callable[[F], F]:
    """Add --game."""
    return click.option("--game", default=FIRST_GAME, show_default=True, help=summary)


def game_options(command: F) -> F:
    """Add --game, --option, and a flag for each variant that is a switch of any game.

    The command gets all that is said of options as ``options``, in pairs NAME=VALUE.
    """
    flags = _switches()

    @wraps(command)
    def with_flags(*, options: tuple[str, ...], **rest: Any) -> Any:
        said = {name: rest.pop(name) for name in flags}
        short = [f"{name}={str(on).lower()}" for name, on in said.items() if on is not None]
        return command(options=(*options, *short), **rest)

    decorated: Any = click.option(
        "options",
        "--option",
        "-o",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set an option of the game; `highstreet games` lists them. Repeatable.",
    )(with_flags)
    for name, games in reversed(flags.items()):
        flag = name.replace("_", "-")
        summary = f"Short for --option {name}=true or false ({', '.join(games)})."
        decorated = click.option(name, f"--{flag}/--no-{flag}", default=None, help=summary)(
            decorated
        )
    result: F = game_option("Which game.")(decorated)
    return result


def _switches() -> dict[str, list[str]]:
    """Return every variant that is on or off, with the games that have it."""
    found: dict[str, list[str]] = {}
    for game in GAMES.values():
        for option in game.spec.options_offered:
            if option.variant and isinstance(option.default, bool):
                found.setdefault(option.name, []).append(game.spec.name)
    return found


def read_options(game: AnyGame, seats: int, options: tuple[str, ...]) -> Options:
    """Check what the command line says about seats and options."""
    return game.spec.options(seats, read_values(game, options))


def read_values(game: AnyGame, options: tuple[str, ...]) -> dict[str, OptionValue]:
    """Read NAME=VALUE pairs, each as its option wants it."""
    values: dict[str, OptionValue] = {}
    for text in options:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionsError(f'cannot read --option "{text}": write it as NAME=VALUE.')
        values[name] = game.spec.option(name).read(value)
    return values


def read_move(game: AnyGame, state: Any, text: str) -> Any:
    """Read a move for the one seat that must decide, and say which are legal if it is not."""
    seats = game.to_act(state)
    try:
        move = game.parse_move(text)
    except NotationError as error:
        raise NotationError(f"{error}{_legal_here(game, state)}") from None
    if not seats:
        raise NotationError(f'cannot play "{text}": the game is over.')
    if violation := game.check(state, seats[0], move):
        raise NotationError(
            f'"{text}" is illegal: {violation.message} ({violation.rule}){_legal_here(game, state)}'
        )
    return move


def _legal_here(game: AnyGame, state: Any) -> str:
    seats = game.to_act(state)
    moves = game.legal_moves(state, seats[0]) if seats else ()
    if not moves:
        return ""
    named = ", ".join(game.format_move(move) for move in moves[:12])
    return f" Legal here: {named}{', …' if len(moves) > 12 else ''}."
