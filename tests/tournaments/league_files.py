"""Tournament files for tests, and how they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournaments.file import Tournament, TournamentFileError, parse_tournament

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


def read(text: str, folder: Path = HERE) -> Tournament:
    """Read a file that is called league.toml."""
    return parse_tournament(text, "league.toml", folder)


def refusal(text: str, folder: Path = HERE) -> TournamentFileError:
    """Read a file that must be refused."""
    with pytest.raises(TournamentFileError) as caught:
        read(text, folder)
    return caught.value


def entrants(*authors: str | None) -> str:
    """Write an entrant for each author; three lines, or four where there is one."""
    return "".join(
        f'[[entrants]]\nname = "e{number}"\nbot = "random"\n'
        + (f'author = "{author}"\n' if author else "")
        for number, author in enumerate(authors)
    )
