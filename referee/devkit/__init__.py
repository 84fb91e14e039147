"""Tools for bot authors: check a bot, ask it the decisions of a record again, random play."""

from __future__ import annotations

from referee.devkit.check_bot import BotCheck, Step, StepStatus
from referee.devkit.check_matches import CheckConfig, random_player
from referee.devkit.game_statistics import Distribution, GameStatistics, summarise_games
from referee.devkit.probe import CheckBench, Probe, standard_error
from referee.devkit.random_play import Playthrough, random_game, random_steps
from referee.devkit.rerun import (
    LONGEST_WAIT,
    BotFailedError,
    RecordedDecision,
    Recording,
    RerunDecision,
    rerun_decisions,
)

__all__ = [
    "LONGEST_WAIT",
    "BotCheck",
    "BotFailedError",
    "CheckBench",
    "CheckConfig",
    "Distribution",
    "GameStatistics",
    "Playthrough",
    "Probe",
    "RecordedDecision",
    "Recording",
    "RerunDecision",
    "Step",
    "StepStatus",
    "random_game",
    "random_player",
    "random_steps",
    "rerun_decisions",
    "standard_error",
    "summarise_games",
]
