"""Options that several commands share, and how they become values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from engine import AnyGame, NotationError, Options, OptionsError, OptionValue

INTERRUPTED = 130
"""The exit code after Ctrl-C, as a shell has it."""

F = TypeVar("F", bound=Callable[..., Any])


def game_options(command: F) -> F:
    """Add --game, --recipes and --option."""
    for option in (
        click.option(
            "options",
            "--option",
            "-o",
            multiple=True,
            metavar="NAME=VALUE",
            help="Set an option of the game; `highstreet games` lists them. Repeatable.",
        ),
        click.option(
            "--recipes/--no-recipes", default=None, help="Short for --option recipes=true or false."
        ),
        click.option("--game", default="glastonbury", show_default=True, help="Which game."),
    ):
        command = option(command)
    return command


def read_options(
    game: AnyGame, seats: int, options: tuple[str, ...], *, recipes: bool | None
) -> Options:
    """Check what the command line says about seats and options."""
    return game.spec.options(seats, read_values(game, options, recipes=recipes))


def read_values(
    game: AnyGame, options: tuple[str, ...], *, recipes: bool | None
) -> dict[str, OptionValue]:
    """Read NAME=VALUE pairs, each as its option wants it."""
    values: dict[str, OptionValue] = {}
    for text in options:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionsError(f'cannot read --option "{text}": write it as NAME=VALUE.')
        values[name] = game.spec.option(name).read(value)
    if recipes is not None:
        values["recipes"] = recipes
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
