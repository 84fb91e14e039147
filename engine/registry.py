"""The games that there are, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from engine.errors import UnknownGameError, did_you_mean
from engine.festo import Festo
from engine.game import Game
from engine.gargon import Gargon
from engine.glastonbury import Glastonbury
from engine.kupferkessel import Kupferkessel

AnyGame = Game[Any, Any, Any]

GAMES: Mapping[str, AnyGame] = MappingProxyType(
    {game.spec.name: game for game in (Glastonbury(), Kupferkessel(), Gargon(), Festo())},
)


def find_game(name: str) -> AnyGame:
    """Return the game of that name; raises UnknownGameError."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGameError(
            f'there is no game called "{name}".{did_you_mean(name, GAMES)}'
            f" The games are {', '.join(GAMES)}."
        ) from None
