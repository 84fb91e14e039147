"""Rules of card games as pure functions: no input or output, no clock, no dice."""

from engine.__about__ import __version__
from engine.errors import (
    HighstreetError,
    IllegalMoveError,
    NotationError,
    OptionsError,
    SeedError,
    UnknownGameError,
    UsageError,
    did_you_mean,
)
from engine.game import (
    Event,
    Game,
    GameSpec,
    Option,
    Options,
    OptionValue,
    Outcome,
    Seat,
    Transition,
    Violation,
)
from engine.presentation import Presentation
from engine.registry import GAMES, AnyGame, find_game
from engine.shuffle import Chance, Seed, seed_from_text, shuffled

__all__ = [
    "GAMES",
    "AnyGame",
    "Chance",
    "Event",
    "Game",
    "GameSpec",
    "HighstreetError",
    "IllegalMoveError",
    "NotationError",
    "Option",
    "OptionValue",
    "Options",
    "OptionsError",
    "Outcome",
    "Presentation",
    "Seat",
    "Seed",
    "SeedError",
    "Transition",
    "UnknownGameError",
    "UsageError",
    "Violation",
    "__version__",
    "did_you_mean",
    "find_game",
    "seed_from_text",
    "shuffled",
]
