"""The command line as a person uses it: what it prints, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from engine.__about__ import __version__
from engine.registry import GAMES
from tournaments.cli import main
from tournaments.cli.lazy_group import LazyGroup

SHOW = ["show", "--game", "glastonbury", "--seats", "4", "--recipes", "--seed", "7"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_the_command_is_installed() -> None:
    command = Path(sys.executable).parent / "highstreet"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"highstreet, version {__version__}\n"


def test_help_shows_what_there_is() -> None:
    shown = run("--help").output
    for command in ("games", "show", "simulate"):
        assert f"\n  {command} " in shown
        helped = run(command, "--help")
        assert helped.exit_code == 0
        assert "Usage: " in helped.output


def test_what_help_says_of_a_command_is_how_its_own_help_begins() -> None:
    """It is written down apart, so that listing the commands imports none of them."""
    checked: list[click.Command] = [main]
    for group in checked:
        assert isinstance(group, LazyGroup)
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            assert command.name == name
            own = (command.help or "").split("\n\n")[0]
            assert " ".join(own.split()) == group.summaries[name]
            checked += [command] if isinstance(command, LazyGroup) else []
    assert [group.name for group in checked] == ["main", "bot", "records", "tournament"]


@pytest.mark.parametrize(
    "command", ["'--help'", *(f"'{name}', '--help'" for name in ("play", "serve", "tournament"))]
)
def test_help_loads_nothing_that_it_does_not_need(command: str) -> None:
    code = (
        f"import sys; from tournaments.cli import main; main([{command}], standalone_mode=False);"
    )
    slow = "{'grpc', 'numpy', 'pydantic', 'rich', 'sqlalchemy'}"
    code += f"print('loaded', *{slow} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == ["loaded"]


def test_games_lists_seats_and_options() -> None:
    shown = run("games").output
    assert "glastonbury (Glastonbury, rules version 1)" in shown
    assert "seats: 2, 3, 4" in shown
    assert "dead_end_counts_as_end" in shown


def test_show_prints_board_pawns_cauldrons_spells_and_legal_moves() -> None:
    shown = run(*SHOW, "--moves", "20")
    assert shown.exit_code == 0
    for part in ("a       b", "on top of", "spells", "draw pile:", "legal moves of seat", "A:"):
        assert part in shown.output
    assert shown.output == run(*SHOW, "--moves", "20").output


def test_show_plays_given_moves() -> None:
    """Seat 0 starts at stop 0, walks 2 steps and faces column c; then seat 1 decides."""
    shown = run("show", "--seats", "2", "--play", "take c2")
    assert shown.exit_code == 0
    assert "seat 1 (green) to decide" in shown.output


def test_show_ends_with_scores_when_the_game_is_over() -> None:
    shown = run(*SHOW, "--moves", "500")
    assert "the game is over" in shown.output
    assert "place 1" in shown.output
    assert "legal moves" not in shown.output


@pytest.mark.parametrize(("viewer", "hidden"), [("spectator", 4), ("2", 3), ("mover", 3)])
def test_show_knows_what_its_viewer_may_know(viewer: str, hidden: int) -> None:
    assert run(*SHOW, "--viewer", viewer).output.count("hidden") == hidden


def test_show_plays_sealed_decisions_together() -> None:
    """Find a game that ends with two holders of Immuto, and decide for both."""
    two_holders = next(
        asked
        for seed in range(50)
        for moves in range(60, 105)
        for asked in [["show", "--seats", "3", "--recipes", f"--seed={seed}", f"--moves={moves}"]]
        if run(*asked).output.count("legal moves of seat") == 2
    )
    assert "place 1" in run(*two_holders, "--play", "immuto Oa, immuto Ob").output
    refused = run(*two_holders, "--play", "immuto Oa")
    assert refused.exit_code == 2
    assert "decide at once" in refused.output
    unreadable = run(*two_holders, "--play", "immuto Oa, immuto Zz")
    assert unreadable.exit_code == 2
    assert 'there is no ingredient "Zz"' in unreadable.output


REFUSALS = {
    "unknown game": (
        ["show", "--game", "glastonbry"],
        'there is no game called "glastonbry". Did you mean "glastonbury"?',
    ),
    "five seats": (["show", "--seats", "5"], "Glastonbury is for 2, 3 or 4 seats, not for 5."),
    "a switch of another game": (
        ["show", "--game", "gargon", "--recipes"],
        'Gargon has no option "recipes". Its options are open_captures,',
    ),
    "unknown option": (
        ["show", "--option", "recipse=true"],
        'Glastonbury has no option "recipse". Did you mean "recipes"?',
    ),
    "option without value": (["show", "--option", "recipes"], "write it as NAME=VALUE."),
    "bad value": (["show", "-o", "recipes=maybe"], "must be true or false."),
    "bad seed": (["show", "--seed", "seven"], "give a whole number from 0 such as 7"),
    "bad viewer": (["show", "--viewer", "9"], "give a seat from 0 to 3, mover or spectator."),
    "unparsable move": (
        ["show", "--play", "tkae c2"],
        'cannot read "tkae c2". Did you mean "take c2"?',
    ),
    "no such cell": (["show", "--play", "take z9"], "cells are a1 to f6."),
    "illegal move": (
        ["show", "--play", "take b2"],
        (
            '"take b2" is illegal: b2 is not in column c, which the pawn faces, and there is no '
            "Accio left. (glastonbury#5.1) Legal here: take c1, take c2,"
        ),
    ),
    "move after the end": (
        ["show", "--moves", "500", "--play", "keep"],
        'cannot play "keep": the game is over.',
    ),
    "simulate five seats": (["simulate", "--seats", "5"], "Glastonbury is for 2, 3 or 4 seats"),
    "no games": (["simulate", "--games", "0"], "'--games'"),
    "unknown flag": (["show", "--recipse"], "No such option '--recipse'"),
    "unknown command": (["shwo"], "No such command 'shwo'"),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_bad_input_gets_a_clear_sentence_and_exit_code_2(
    arguments: list[str], sentence: str
) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert sentence in refused.output
    assert "Traceback" not in refused.output


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_shown_and_simulated_with_every_variant(game: str) -> None:
    spec = GAMES[game].spec
    assert run("show", "--game", game).exit_code == 0
    shown = run("simulate", "--game", game, "--games", "1", "--each")
    assert shown.exit_code == 0, shown.output
    for option in spec.options_offered:
        if option.variant:
            flag = f"--{option.name.replace('_', '-')}"
            short = run("simulate", "--game", game, "--games", "1", "--each", flag)
            long = run("simulate", "--game", game, "--games", "1", "--each", f"-o{option.name}=yes")
            assert short.exit_code == 0, short.output
            assert short.output == long.output
            assert f", no {option.name}" not in short.output
            assert f", {option.name}" in short.output


def test_show_and_simulate_take_any_option_of_the_game() -> None:
    shown = run("show", "--game", "kupferkessel", "--option", "symbols=all2")
    assert shown.exit_code == 0, shown.output
    refused = run("show", "--game", "kupferkessel", "--option", "symbols=all3")
    assert refused.exit_code == 2
    assert "symbols" in refused.output


def test_unless_told_a_game_is_shown_at_its_largest_table() -> None:
    assert "Glastonbury, 4 seats" in run("show").output
    assert run("show", "--game", "gargon", "--viewer", "4").exit_code == 0
    assert run("show", "--game", "kupferkessel", "--viewer", "3").exit_code == 2


def test_simulate_prints_a_row_for_every_kind() -> None:
    shown = run("simulate", "--games", "2", "--each")
    assert shown.exit_code == 0
    for seats in (2, 3, 4):
        for recipes in ("no recipes", "recipes"):
            assert shown.output.count(f"{seats} seats, {recipes}: scores") == 2


def test_simulate_can_be_narrowed_down() -> None:
    shown = run("simulate", "--games", "1", "--seats", "3", "--recipes", "--each").output
    assert "3 seats, recipes: scores" in shown
    assert "no recipes" not in shown
    assert "4 seats" not in shown
