"""Forgeries of what a head says about its match, and values of a wrong type in other lines."""

from __future__ import annotations

from random import Random

from engine import find_game
from tests.referee.record.forgeries import Fields, Forgery, by_verdict, decisions

SANDBOX = {
    "kind": "bubblewrap",
    "enforced_by": "watcher",
    "memory_bytes": 1,
    "processes": 1,
    "temporary_bytes": 1,
    "temporary_files": 1,
    "log_bytes": 1,
    "open_files": 1,
}


def scheduled(kind: str, **changed: object) -> Forgery:
    """Say that a tournament or a league scheduled the match, with some values changed."""

    def forge(lines: list[Fields], _chance: Random) -> bool:
        head = lines[0]
        on = [name for name, value in head["options"].items() if value is True]
        stated = {"match": head["match"], "set": "s", "variant": "+".join(on) or "plain"}
        head[kind] = {"name": "x", **stated, **changed}
        return True

    return forge


def variant_of_other_options(lines: list[Fields], chance: Random) -> bool:
    spec = find_game(lines[0]["game"]).spec
    switch = next(option.name for option in spec.options_offered if option.variant)
    other = "plain" if lines[0]["options"][switch] else switch
    return scheduled("league", variant=other)(lines, chance)


def scheduled_twice(lines: list[Fields], chance: Random) -> bool:
    return scheduled("league")(lines, chance) and scheduled("tournament")(lines, chance)


def head_with(key: str, value: object) -> Forgery:
    def forge(lines: list[Fields], _chance: Random) -> bool:
        lines[0][key] = value
        return True

    return forge


def sandboxed(**changed: object) -> Forgery:
    def forge(lines: list[Fields], _chance: Random) -> bool:
        lines[0]["seats"][0]["sandbox"] = SANDBOX | changed
        return True

    return forge


def cpu_time_without_the_cpu_clock(lines: list[Fields], chance: Random) -> bool:
    chance.choice(decisions(lines))["cpu_ms"] = 0
    return "clock" not in lines[0]["time_control"]


def empty_list_of_verdicts(lines: list[Fields], chance: Random) -> bool:
    found = [line for line in decisions(lines) if "verdicts" not in line]
    if found:
        chance.choice(found)["verdicts"] = []
    return bool(found)


def cause_with_a_fraction(lines: list[Fields], _chance: Random) -> bool:
    found = by_verdict(lines)
    for cause in found:
        cause["n"] = float(cause["n"])
    return bool(found)


def stop_for_which_a_bot_is_blamed(lines: list[Fields], _chance: Random) -> bool:
    stopped: bool = lines[-1]["ending"] == "stopped"
    if stopped:
        lines[-1]["causes"][-1]["cause"] = "bot"
    return stopped


HONEST: dict[str, Forgery] = {
    "tournament": scheduled("tournament"),
    "league": scheduled("league", position=1, started="2026-01-31T12:00:00.5+00:00"),
    "sandbox": sandboxed(),
    "machine": head_with("machine", {"worker": "w", "speed": 12.5}),
}
"""What may stand in a head, so that a forgery is found for what it changes."""

FOUND: dict[str, Forgery] = {
    each.__name__.replace("_", " "): each
    for each in (
        scheduled_twice,
        variant_of_other_options,
        cpu_time_without_the_cpu_clock,
        empty_list_of_verdicts,
        cause_with_a_fraction,
        stop_for_which_a_bot_is_blamed,
    )
} | {
    "position before the first": scheduled("league", position=0),
    "start that is no moment": scheduled("league", started="yesterday"),
    "start in another time zone": scheduled("league", started="2026-01-31T12:00:00+02:00"),
    "match that is no file name": head_with("match", "../../x"),
    "machine that is no object": head_with("machine", "fast"),
    "machine of negative speed": head_with("machine", {"worker": "w", "speed": -1}),
    "unknown sandbox": sandboxed(kind="moon"),
    "unknown enforcer": sandboxed(enforced_by="trust"),
    "negative limit": sandboxed(memory_bytes=-1),
}
