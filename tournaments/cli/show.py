"""``highstreet show``: print a position of a game."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from engine import AnyGame, NotationError, Seat, seed_from_text
from referee.devkit import random_steps
from tournaments.cli.options import game_options, read_move, read_options, read_seat, seed_option


@click.command("show")
@game_options
@click.option("--seats", type=int, help="How many seats; default: the most of the game.")
@seed_option
@click.option(
    "--moves", type=click.IntRange(min=0), default=0, help="Play this number of random moves first."
)
@click.option(
    "--play",
    multiple=True,
    metavar="MOVE",
    help='Then play this move for the seat to decide, such as "take c2". Repeatable.',
)
@click.option(
    "--viewer",
    default="mover",
    show_default=True,
    metavar="SEAT",
    help="Whose knowledge is shown: a seat number, mover or spectator.",
)
def command(
    game: AnyGame,
    seats: int | None,
    options: tuple[str, ...],
    seed: str,
    moves: int,
    play: tuple[str, ...],
    viewer: str,
) -> None:
    """Deal, play, and print the position with its legal moves.

    \b
    Examples:
      highstreet show --seats 4 --recipes --seed 7 --moves 20
      highstreet show --seats 2 --play "take c2" --play "take e5"
    """  # noqa: D301  click's mark for "keep the lines"
    chosen = read_options(game, max(game.spec.seats) if seats is None else seats, options)
    deal_seed = seed_from_text(seed)
    state = game.deal(chosen, deal_seed).state
    for step in islice(random_steps(game, state, deal_seed), moves):
        state = step.transition.state
    for move in play:
        state = _played(game, state, move)
    click.echo(game.render(game.view(state, _viewer(game, state, viewer, chosen.seats))))
    click.echo()
    for line in _closing(game, state):
        click.echo(line)


def _played(game: AnyGame, state: Any, text: str) -> Any:
    """Play a move; those of seats that decide at once are separated by commas."""
    seats = game.to_act(state)
    texts = [part.strip() for part in text.split(",")]
    if len(seats) <= 1:
        move = read_move(game, state, text)
        return game.apply(state, {seats[0]: move}).state
    if len(texts) != len(seats):
        named = " and ".join(f"seat {seat}" for seat in seats)
        raise NotationError(f'"{text}" is not enough: {named} decide at once; use a comma.')
    parsed = {seat: game.parse_move(part) for seat, part in zip(seats, texts, strict=True)}
    return game.apply(state, parsed).state


def _viewer(game: AnyGame, state: Any, text: str, seats: int) -> Seat | None:
    if text == "spectator":
        return None
    if text == "mover":
        return next(iter(game.to_act(state)), None)
    return read_seat(text, seats, "mover", "spectator")


def _closing(game: AnyGame, state: Any) -> list[str]:
    lines = []
    for seat in game.to_act(state):
        legal = game.legal_moves(state, seat)
        named = ", ".join(map(game.format_move, legal))
        lines.append(f"legal moves of seat {seat} ({len(legal)}): {named}")
    if outcome := game.outcome(state):
        lines += [
            f"seat {i}: {score} points, place {place}"
            for i, (score, place) in enumerate(zip(outcome.scores, outcome.places, strict=True))
        ]
    return lines
