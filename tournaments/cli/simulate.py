"""``highstreet simulate``: games of random moves, and their statistics."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from engine import AnyGame, Option, Options, OptionValue, seed_from_text
from referee.devkit import Distribution, GameStatistics, Playthrough, random_game, summarise_games
from tournaments.cli.options import game_options, read_values, seed_option

_TITLES = ("kind", "decisions", "choices", "score", "ties", "wins by seat", "endings")


@click.command("simulate")
@game_options
@click.option("--seats", type=int, help="How many seats; default: every number.")
@click.option(
    "--games",
    "count",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many games of each kind.",
)
@seed_option
@click.option("--each", is_flag=True, help="Print the result of each game too.")
def command(
    game: AnyGame,
    seats: int | None,
    options: tuple[str, ...],
    count: int,
    seed: str,
    each: bool,  # noqa: FBT001
) -> None:
    """Play games of random moves and print their statistics.

    \b
    Example:
      highstreet simulate --seats 3 --recipes --games 1000
    """  # noqa: D301  click's mark for "keep the lines"
    first = int.from_bytes(seed_from_text(seed), "big")
    seeds = [seed_from_text(str(first + i)) for i in range(count)]
    # Without a terminal, whose width it must fit, the table has a fixed width.
    console = Console(width=None if sys.stdout.isatty() else 132)
    table = Table(*_TITLES, box=None, padding=(0, 1))
    for kind in _kinds(game, seats, options):
        name = _name(game, kind)
        played = [
            random_game(game, kind, game_seed)
            for game_seed in track(seeds, name, console=Console(stderr=True), transient=True)
        ]
        if each:
            _print_each(name, played)
        table.add_row(*_row(name, summarise_games(played)))
    console.print(table)


def _kinds(game: AnyGame, seats: int | None, options: tuple[str, ...]) -> Iterator[Options]:
    """Return the combinations of seats and variants that the command line allows."""
    values = read_values(game, options)
    if seats is not None:
        game.spec.options(seats, values)
    for kind in game.spec.kinds():
        if seats not in (None, kind.seats):
            continue
        if all(values.get(o.name, kind[o.name]) == kind[o.name] for o in _variants(game)):
            own = {name: value for name, value in kind.items() if name != "seats"}
            yield game.spec.options(kind.seats, own | values)


def _variants(game: AnyGame) -> list[Option]:
    return [option for option in game.spec.options_offered if option.variant]


def _name(game: AnyGame, kind: Options) -> str:
    names = [_variant_name(option, kind[option.name]) for option in _variants(game)]
    return ", ".join([f"{kind.seats} seats", *names])


def _variant_name(option: Option, value: OptionValue) -> str:
    if isinstance(value, bool):
        return option.name if value else f"no {option.name}"
    return f"{option.name} {value}"


def _print_each(name: str, games: Sequence[Playthrough]) -> None:
    for game in games:
        scores = ", ".join(map(str, game.outcome.scores))
        winners = [str(seat) for seat, place in enumerate(game.outcome.places) if place == 1]
        click.echo(
            f"{name}: scores {scores}; won by seat {' and '.join(winners)}; "
            f"{len(game.decisions)} decisions; {game.outcome.ending}"
        )


def _row(name: str, seen: GameStatistics) -> tuple[str, ...]:
    return (
        name,
        _spread(seen.decisions),
        f"{seen.choices.mean:.1f} (to {seen.choices.high})",
        f"{_spread(seen.scores)} sd {seen.scores.deviation:.1f}",
        f"{seen.ties:.1%}",
        " ".join(f"{share:.0%}" for share in seen.wins),
        ", ".join(f"{ending} {share:.1%}" for ending, share in seen.endings.items()),
    )


def _spread(spread: Distribution) -> str:
    return f"{spread.mean:.1f} ({spread.low} to {spread.high})"
