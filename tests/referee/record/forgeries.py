"""Forgeries of records: each changes lines, whose hashes are computed anew afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from engine.registry import find_game
from referee.record.format import places_with_forfeits
from referee.record.verify import Position, replay_record
from tests.tournaments.record_files import sealed

Fields = dict[str, Any]
Forgery = Callable[[list[Fields], Random], bool]
"""Changes the lines, and tells whether there was something to change."""


# Helpers ------------------------------------------------------------------------------------------


def decisions(lines: list[Fields]) -> list[Fields]:
    return lines[2:-1]


def judged(lines: list[Fields], *reactions: str) -> list[tuple[Fields, Fields]]:
    """Return lines with their verdicts that have one of these reactions."""
    return [
        (line, verdict)
        for line in decisions(lines)
        for verdict in line.get("verdicts", ())
        if not reactions or verdict["reaction"] in reactions
    ]


def placed(lines: list[Fields]) -> None:
    """Compute the places anew, as a careful forger does."""
    end = lines[-1]
    if end["ending"] != "stopped":
        end["places"] = places_with_forfeits(
            end["scores"], end["forfeits"], end.get("tiebreaks", ())
        )


def blamed(lines: list[Fields]) -> list[Fields]:
    """Return the causes of forfeits."""
    return [cause for cause in lines[-1]["causes"] if cause["seat"] is not None]


def by_verdict(lines: list[Fields]) -> list[Fields]:
    """Return the causes of forfeits that a verdict led to."""
    struck = {line["seat"] for line, _ in judged(lines, "forfeit")}
    return [cause for cause in blamed(lines) if cause["seat"] in struck]


def forfeit(lines: list[Fields], seat: int, n: int, fault: str) -> None:
    """Let a seat forfeit at the end."""
    cause = {"seat": seat, "fault": fault, "cause": "bot", "n": n, "detail": "forged"}
    end = lines[-1]
    end["forfeits"].append(seat)
    stop = end["causes"][-1:] if end["ending"] == "stopped" else []
    end["causes"] = [*blamed(lines), cause, *stop]
    placed(lines)


def asked(lines: list[Fields]) -> list[Fields]:
    """Return the decisions in which a bot answered by itself, and took some time."""
    return [line for line in decisions(lines) if line["ms"] and not ended(line)]


def ended(line: Fields) -> bool:
    return any(verdict["reaction"] != "reject" for verdict in line.get("verdicts", ()))


def innocent(lines: list[Fields]) -> list[int]:
    """Return the seats that answered something by themselves and did not forfeit."""
    return sorted({line["seat"] for line in asked(lines)} - set(lines[-1]["forfeits"]))


def limit(lines: list[Fields]) -> float:
    """Return milliseconds that no clock of this record ever had."""
    control = lines[0]["time_control"]
    increments = control["increment"] * len(lines)
    return float(1000 * (sum(control.values()) + increments) + 1)


# Forgeries that are found -------------------------------------------------------------------------


def winner_forfeits_behind_the_last_decision(lines: list[Fields], _chance: Random) -> bool:
    end = lines[-1]
    winners = [
        s for s, place in enumerate(end["places"]) if place == 1 and s not in end["forfeits"]
    ]
    if winners:
        forfeit(lines, winners[0], len(decisions(lines)) + 1, "crash")
    return bool(winners)


def forfeit_at_an_honest_decision(lines: list[Fields], chance: Random) -> bool:
    found = [line for line in asked(lines) if line["seat"] in innocent(lines)]
    if found:
        line = chance.choice(found)
        forfeit(lines, line["seat"], line["n"], chance.choice(["crash", "time_out", "disconnect"]))
    return bool(found)


def present_seat_called_absent(lines: list[Fields], chance: Random) -> bool:
    seats = innocent(lines)
    if seats:
        seat = chance.choice(seats)
        forfeit(lines, seat, 1, "benched")
        lines[-1]["causes"].insert(0, lines[-1]["causes"].pop(len(blamed(lines)) - 1))
        lines[-1]["forfeits"].insert(0, lines[-1]["forfeits"].pop())
        placed(lines)
    return bool(seats)


def forfeits_erased(lines: list[Fields], chance: Random) -> bool:
    causes = by_verdict(lines)
    if causes:
        gone = chance.choice(causes)
        lines[-1]["causes"].remove(gone)
        lines[-1]["forfeits"].remove(gone["seat"])
        placed(lines)
    return bool(causes)


def forfeits_reversed(lines: list[Fields], _chance: Random) -> bool:
    """Only where they happened at different decisions: at one sealed decision any order can be."""
    causes = blamed(lines)
    if len({cause["n"] for cause in causes}) < len(causes) or len(causes) < 2:
        return False
    if sealed_together(lines):
        return False
    stop = lines[-1]["causes"][len(causes) :]
    lines[-1]["causes"] = [*reversed(causes), *stop]
    lines[-1]["forfeits"].reverse()
    placed(lines)
    return True


def sealed_together(lines: list[Fields]) -> bool:
    """Tell whether all forfeits may have happened at the same time."""
    numbers = sorted(cause["n"] for cause in blamed(lines))
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def forfeits_in_another_order_than_causes(lines: list[Fields], _chance: Random) -> bool:
    lines[-1]["forfeits"].reverse()
    placed(lines)
    return len(lines[-1]["forfeits"]) > 1


def places_without_forfeits(lines: list[Fields], _chance: Random) -> bool:
    end = lines[-1]
    right, end["places"] = end["places"], places_with_forfeits(end["scores"], [])
    return bool(end["scores"]) and end["places"] != right


def reaction_changed(lines: list[Fields], chance: Random) -> bool:
    found = judged(lines)
    if found:
        _, verdict = chance.choice(found)
        others = {"reject", "strike", "forfeit"} - {verdict["reaction"]}
        verdict["reaction"] = chance.choice(sorted(others))
    return bool(found)


def unknown_fault(lines: list[Fields], chance: Random) -> bool:
    found = judged(lines)
    if found:
        chance.choice(found)[1]["fault"] = "bad_manners"
    return bool(found)


def unknown_reaction(lines: list[Fields], chance: Random) -> bool:
    found = judged(lines)
    if found:
        chance.choice(found)[1]["reaction"] = "pardon"
    return bool(found)


def invented(fault: str, **more: object) -> Forgery:
    """Write a verdict beside an honest answer, and say that it led to a forfeit."""

    def forge(lines: list[Fields], chance: Random) -> bool:
        found = [line for line in asked(lines) if not is_default(lines, line)]
        if found:
            line = chance.choice(found)
            verdict = {
                "fault": fault,
                "reaction": "forfeit",
                **more,
                "detail": "",
                "ms": line["ms"],
            }
            line["verdicts"] = [*line.get("verdicts", ()), verdict]
            if line["seat"] not in lines[-1]["forfeits"]:
                forfeit(lines, line["seat"], line["n"], fault)
        return bool(found)

    return forge


def is_default(lines: list[Fields], line: Fields) -> bool:
    """Tell whether a move is the default move, by the engine."""
    game = find_game(lines[0]["game"])
    state = positions(json.dumps(lines))[line["n"] - 1].state
    default = game.format_move(game.default_move(state, line["seat"]))
    return bool(default == line["move"])


@lru_cache(maxsize=2)
def positions(lines: str) -> Sequence[Position]:
    return replay_record(sealed(json.loads(lines))).positions


def invented_time_out(lines: list[Fields], chance: Random) -> bool:
    """Invent a strike for a time-out beside a default move that the bot played itself."""
    found = [line for line in asked(lines) if is_default(lines, line) and not line.get("verdicts")]
    if found:
        line = chance.choice(found)
        ms = line["ms"] / 4
        line["ms"] = round(ms, 3)
        verdict = {"fault": "time_out", "reaction": "strike", "detail": "", "ms": line["ms"]}
        line["verdicts"] = [verdict]
    return bool(found) and lines[0]["time_control"]["per_move"] > 0.3


def legal_move_called_illegal(lines: list[Fields], chance: Random) -> bool:
    """Say of the answer that was accepted that it was rejected first."""
    policy = lines[0]["policy"]
    found = [line for line in asked(lines) if not line.get("verdicts")]
    if not found or policy["illegal_move"] != "reject" or not policy["rejections"]:
        return False
    line = chance.choice(found)
    rule = f"{lines[0]['game']}#1.1"
    line["verdicts"] = [
        {
            "fault": "illegal_move",
            "reaction": "reject",
            "rule": rule,
            "said": line["move"],
            "detail": "",
            "ms": 0,
        }
    ]
    return True


def wrong_rule(lines: list[Fields], chance: Random) -> bool:
    found = [verdict for _, verdict in judged(lines) if verdict["fault"] == "illegal_move"]
    if found:
        chance.choice(found)["rule"] = f"{lines[0]['game']}#99.9"
    return bool(found)


def time_beyond_the_clock(lines: list[Fields], chance: Random) -> bool:
    found = asked(lines)
    if found:
        chance.choice(found)["ms"] = limit(lines)
    return bool(found)


def time_out_without_the_verdict(lines: list[Fields], chance: Random) -> bool:
    """Erase the verdict of a strike: what is left is an answer beyond the clock."""
    found = [line for line, v in judged(lines, "strike") if v["fault"] == "time_out"]
    if found:
        line = chance.choice(found)
        line["ms"] += 10  # virtual time ends exactly with the clock, real time does not
        del line["verdicts"]
    return bool(found)


def another_time_than_the_last_verdict(lines: list[Fields], chance: Random) -> bool:
    found = judged(lines, "strike", "forfeit")
    if found:
        line, _ = chance.choice(found)
        line["ms"] += 1
    return bool(found)


def early_time_out(lines: list[Fields], chance: Random) -> bool:
    found = [(line, v) for line, v in judged(lines) if v["fault"] == "time_out"]
    if found:
        line, verdict = chance.choice(found)
        verdict["ms"] = 100
        line["ms"] = 100
    return bool(found)


def verdict_after_the_last(lines: list[Fields], chance: Random) -> bool:
    found = judged(lines, "strike", "forfeit")
    if found:
        line, verdict = chance.choice(found)
        line["verdicts"].append(verdict)
    return bool(found)


def another_move_after_a_strike(lines: list[Fields], _chance: Random) -> bool:
    """Change the last decision of a match, from which nothing follows but the end."""
    line = decisions(lines)[-1] if decisions(lines) else {}
    if not line or line["legal"] == 1 or not (ended(line) or forfeited_before(lines, line)):
        return False
    other = other_move(lines, line)
    if other is not None:
        line["move"] = other
    return other is not None


def forfeited_before(lines: list[Fields], line: Fields) -> bool:
    return any(c["seat"] == line["seat"] and c["n"] < line["n"] for c in blamed(lines))


def other_move(lines: list[Fields], line: Fields) -> str | None:
    game = find_game(lines[0]["game"])
    state = positions(json.dumps(lines))[line["n"] - 1].state
    if line["seat"] not in game.to_act(state):
        return None
    moves = map(game.format_move, game.legal_moves(state, line["seat"]))
    return next(move for move in moves if move != line["move"])


def time_of_a_forfeited_seat(lines: list[Fields], chance: Random) -> bool:
    found = [line for line in decisions(lines) if forfeited_before(lines, line)]
    if found:
        chance.choice(found)["ms"] = 1
    return bool(found)


def verdict_of_a_forfeited_seat(lines: list[Fields], chance: Random) -> bool:
    found = [line for line in decisions(lines) if forfeited_before(lines, line)]
    verdict = {"fault": "malformed", "reaction": "reject", "said": "", "detail": "", "ms": 0}
    if found:
        chance.choice(found)["verdicts"] = [verdict]
    return bool(found)


def verdict_of_a_forced_move(lines: list[Fields], chance: Random) -> bool:
    found = [line for line in decisions(lines) if line["legal"] == 1]
    verdict = {"fault": "malformed", "reaction": "reject", "said": "", "detail": "", "ms": 0}
    if found:
        chance.choice(found)["verdicts"] = [verdict]
    return bool(found)


def cause_with(key: str, *values: object) -> Forgery:
    """Change a key of the cause of a forfeit."""

    def forge(lines: list[Fields], chance: Random) -> bool:
        causes = by_verdict(lines)
        if causes:
            cause = chance.choice(causes)
            cause[key] = chance.choice([value for value in values if value != cause[key]])
        return bool(causes)

    return forge


def cause_of_another_seat(lines: list[Fields], chance: Random) -> bool:
    causes, seats = by_verdict(lines), innocent(lines)
    if causes and seats:
        cause, seat = chance.choice(causes), chance.choice(seats)
        at = lines[-1]["forfeits"].index(cause["seat"])
        lines[-1]["forfeits"][at] = cause["seat"] = seat
        placed(lines)
    return bool(causes and seats)


def complete_game_called_stopped(lines: list[Fields], _chance: Random) -> bool:
    end = lines[-1]
    if end["ending"] == "stopped":
        return False
    stop = {"seat": None, "fault": "stopped", "cause": "machine", "n": None, "detail": "power"}
    end.update(ending="stopped", scores=[], places=[], causes=[*end["causes"], stop])
    return True


def stop_with(key: str, value: object) -> Forgery:
    def forge(lines: list[Fields], _chance: Random) -> bool:
        stopped: bool = lines[-1]["ending"] == "stopped"
        if stopped:
            lines[-1]["causes"][-1][key] = value
        return stopped

    return forge


def stop_without_cause(lines: list[Fields], _chance: Random) -> bool:
    stopped: bool = lines[-1]["ending"] == "stopped"
    if stopped:
        lines[-1]["causes"].pop()
    return stopped


def terms(section: str, key: str, *values: object) -> Forgery:
    def forge(lines: list[Fields], chance: Random) -> bool:
        lines[0][section][key] = chance.choice(values)
        return True

    return forge


def fewer_strikes_than_there_were(lines: list[Fields], _chance: Random) -> bool:
    found = judged(lines, "strike")
    lines[0]["policy"]["strikes"] = 0
    return bool(found)


def fewer_rejections_than_there_were(lines: list[Fields], _chance: Random) -> bool:
    found = judged(lines, "reject")
    lines[0]["policy"]["rejections"] = 0
    return bool(found)


def milder_policy_than_was_applied(lines: list[Fields], chance: Random) -> bool:
    """Call a fault that led to a forfeit one of a million tolerated strikes."""
    found = judged(lines, "forfeit")
    if found:
        policy = lines[0]["policy"]
        policy[chance.choice(found)[1]["fault"]] = "strike"
        policy["strikes"] = 1_000_000
    return bool(found)


def shorter_time_than_was_taken(lines: list[Fields], _chance: Random) -> bool:
    control = lines[0]["time_control"]
    longest = max((line["ms"] for line in asked(lines)), default=0)
    for key in control:
        control[key] = 0
    control["per_move"] = longest / 2000
    return longest > 1


FOUND: dict[str, Forgery] = {
    name.replace("_", " "): forgery
    for name, forgery in {
        **{
            each.__name__: each
            for each in (
                winner_forfeits_behind_the_last_decision,
                forfeit_at_an_honest_decision,
                present_seat_called_absent,
                forfeits_erased,
                forfeits_reversed,
                forfeits_in_another_order_than_causes,
                places_without_forfeits,
                reaction_changed,
                unknown_fault,
                unknown_reaction,
                invented_time_out,
                legal_move_called_illegal,
                wrong_rule,
                time_beyond_the_clock,
                time_out_without_the_verdict,
                another_time_than_the_last_verdict,
                early_time_out,
                verdict_after_the_last,
                another_move_after_a_strike,
                time_of_a_forfeited_seat,
                verdict_of_a_forfeited_seat,
                verdict_of_a_forced_move,
                cause_of_another_seat,
                complete_game_called_stopped,
                stop_without_cause,
                fewer_strikes_than_there_were,
                fewer_rejections_than_there_were,
                milder_policy_than_was_applied,
                shorter_time_than_was_taken,
            )
        },
        "invented_crash": invented("crash"),
        "invented_disconnect": invented("disconnect"),
        "invented_illegal_move": invented("illegal_move", rule="x#1.1", said="gibberish"),
        "invented_malformed_message": invented("malformed"),
        "cause_with_another_fault": cause_with("fault", "crash", "time_out", "benched", "magic"),
        "cause_with_another_n": cause_with("n", 1, 2, 3, 10**6, None),
        "cause_with_another_detail": cause_with("detail", "forged", 7),
        "cause_with_another_cause": cause_with("cause", "machine", "network", "fate", None),
        "stop_with_a_seat": stop_with("seat", 0),
        "stop_with_a_decision": stop_with("n", 1),
        "stop_with_another_fault": stop_with("fault", "crash"),
        "stop_with_an_unknown_cause": stop_with("cause", "fate"),
        "nonsense_reaction": terms("policy", "crash", "pardon", "reject", 7, None, []),
        "nonsense_strikes": terms("policy", "strikes", -1, 1e9, "3", None, True, 10**9),
        "nonsense_time": terms("time_control", "per_move", -1, "2", None, True, 1e308, []),
        "unknown_policy": terms("policy", "mercy", 1),
        "unknown_time_control": terms("time_control", "mercy", 1),
    }.items()
}
