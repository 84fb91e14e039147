"""The terms of play in a file: how long a bot may think, and what its faults lead to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from engine import UsageError
from referee import Policy, Reaction, TimeControl
from referee.clock import LONGEST
from referee.policy import MOST
from tournaments.file.toml_reader import Table


def read_time_control(table: Table) -> TimeControl:
    """Read the times; what is not there has its default."""
    times = {
        name: timedelta(seconds=table.seconds(name, seconds, 0, LONGEST.total_seconds()))
        for name, seconds in TimeControl().as_dict().items()
    }
    try:
        return TimeControl(**times)
    except UsageError as error:
        table.complain(str(error), "per_move")
        return TimeControl()


def read_policy(table: Table) -> Policy:
    """Read the policy key by key, so that what it refuses is found at its line."""
    policy = Policy()
    for name, default in policy.as_dict().items():
        value: Any = (
            table.whole(name, default, 0, MOST)
            if isinstance(default, int)
            else table.choice(name, list(Reaction), Reaction(default))
        )
        try:
            policy = replace(policy, **{name: value})
        except UsageError as error:
            table.complain(str(error), name)
    return policy
