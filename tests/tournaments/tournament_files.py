"""TournamentSettings files for tests, and how they are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tournaments.config.toml_reader import SettingsFileError
from tournaments.config.tournament_file import parse_tournament, template
from tournaments.model import TournamentSettings

HERE = Path(__file__).parent

TWO = """\
[[entrants]]
name = "a"
bot = "greedy"
[[entrants]]
name = "b"
bot = "random"
"""
SMALL = f'name = "x"\n{TWO}'
"""Seven lines."""
SECRET = "00112233445566778899aabbccddeeff"  # noqa: S105  nobody's


def read(text: str, folder: Path = HERE) -> TournamentSettings:
    """Read a file that is called league.toml."""
    return parse_tournament(text, "league.toml", folder)


def template_in_use(*, several_games: bool) -> str:
    """Return the template with what it shows in comments in use, for one game or for several."""
    top, one, several, rest = re.split(
        r"(?m)^(?=\[variants\]|# \[\[games\]\] +#|\[time_control\])", template()
    )
    if several_games:
        top = re.sub(
            r"(?m)^(# )?(game|table_sizes|sets_per_table|draw_probability) = .*\n", "", top
        )
        text = top + several + rest
    else:
        text = top + one + rest
    by_rounds = r"(?m)^# (rounds|best_of|extra_sets|third_place|seeding) = .*\n"
    compared = r"(?m)^# (baseline|same_table|margin) = .*\n"
    text = re.sub(compared, "", re.sub(by_rounds, "", text))
    text = text.replace('"round_robin"', '"gauntlet"').replace('"…"', f'"{SECRET}"')
    return re.sub(r"(?m)^# (?=\w+ = |\[)", "", text)


def refusal(text: str, folder: Path = HERE) -> SettingsFileError:
    """Read a file that must be refused."""
    with pytest.raises(SettingsFileError) as caught:
        read(text, folder)
    return caught.value


def entrants(*authors: str | None) -> str:
    """Write an entrant for each author; three lines, or four where there is one."""
    return "".join(
        f'[[entrants]]\nname = "e{number}"\nbot = "random"\n'
        + (f'author = "{author}"\n' if author else "")
        for number, author in enumerate(authors)
    )
