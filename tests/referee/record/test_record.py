"""Records: what is written can be read, and whatever is wrong is found at its line."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from engine.game import Options, Outcome, Seat
from engine.registry import GAMES, AnyGame, find_game
from engine.shuffle import seed_from_text
from referee.devkit.random_play import random_game, random_steps
from referee.record.format import (
    LARGEST_RECORD,
    LONGEST_LINE,
    RecordError,
    RecordWriteError,
    commitment,
    places_with_forfeits,
    printable,
)
from referee.record.reader import read_record
from referee.record.verify import replay_record, verify_record
from referee.record.writer import Recorder, write_record

ROOT = Path(__file__).parents[3]
GAME = find_game("glastonbury")
SALT = bytes(range(16))
Fields = dict[str, Any]

KINDS = [
    pytest.param(game, kind, id=f"{game.spec.name}-{'-'.join(map(str, kind.values()))}")
    for game in GAMES.values()
    for kind in game.spec.kinds()
]


def begun(game: AnyGame, kind: Options, seed: int, match: str = "m1") -> Recorder:
    seats = [{"entrant": f"bot {seat}"} for seat in range(kind.seats)]
    for seat, colour in zip(seats, str(kind.get("colours", "")), strict=False):
        seat["colour"] = colour
    text = str(seed)
    return Recorder(
        game, kind, seed_from_text(text), SALT, match, seats, {"per_move": 2.0}, {"strikes": 3}
    )


def recorded(game: AnyGame, kind: Options, seed: int, match: str = "m1") -> tuple[bytes, Outcome]:
    """Return the record of a random game, and what the engine says of it."""
    recorder = begun(game, kind, seed, match)
    played = random_game(game, kind, seed_from_text(str(seed)))
    for n, (seat, legal, move) in enumerate(played.decisions, 1):
        ms = 0 if legal == 1 else n / 7
        recorder.decision(n, seat, game.format_move(move), ms, legal)
    outcome = played.outcome
    recorder.end(str(outcome.ending), outcome.scores, outcome.places, tiebreaks=outcome.tiebreaks)
    return recorder.data(), outcome


def sealed_seed(kind: Options) -> int:
    """Return the first seed whose random game has a sealed decision of several seats."""
    for seed in range(1000):
        text = seed_from_text(str(seed))
        start = GAME.deal(kind, text).state
        if any(len(step.decisions) > 1 for step in random_steps(GAME, start, text)):
            return seed
    raise AssertionError("no game with a sealed decision")


def fields_of(data: bytes) -> list[Fields]:
    return [json.loads(line) for line in data.splitlines()]


def forged(lines: list[Fields]) -> bytes:
    """Write lines with hashes as the reference page describes them, without our own functions."""
    before, data = "", b""
    for fields in lines:
        plain = {key: value for key, value in fields.items() if key != "hash"}
        body = json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256((before + body).encode()).hexdigest()
        before = digest if fields.get("kind") == "end" else digest[:16]
        data += f'{body[:-1]},"hash":"{before}"}}\n'.encode()
    return data


def problem(data: bytes) -> RecordError:
    with pytest.raises(RecordError) as caught:
        verify_record(data)
    return caught.value


def wrong_line(data: bytes) -> int | None:
    """Return the first wrong line, or 0 for a correct record."""
    try:
        verify_record(data)
    except RecordError as error:
        return error.line
    return 0


STOP = {"seat": None, "fault": "stopped", "cause": "referee", "n": None, "detail": "a test"}
FOUR = GAME.spec.options(4, {"recipes": True})
THREE = GAME.spec.options(3, {"recipes": True})
RECORD, OUTCOME = recorded(GAME, FOUR, 7)
LAST = RECORD.count(b"\n")
SEALED, _ = recorded(GAME, THREE, sealed_seed(THREE))


# What is written --------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "kind"), KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_a_recorded_game_is_correct(game: AnyGame, kind: Options, seed: int) -> None:
    data, outcome = recorded(game, kind, seed)
    found = verify_record(data)
    assert found == (
        "m1",
        game.spec.name,
        tuple(f"bot {seat}" for seat in range(kind.seats)),
        data.count(b'"kind":"decision"'),
        str(outcome.ending),
        outcome.scores,
        outcome.places,
        (),
    )


@pytest.mark.parametrize("data", [RECORD, SEALED], ids=["plain", "sealed"])
def test_the_hashes_follow_the_reference_page(data: bytes) -> None:
    """The chain, computed by hand: 16 digits a line, and 64 on the last."""
    before = b""
    lines = data.splitlines()
    for line in lines:
        digits = 64 if line is lines[-1] else 16
        tail = b',"hash":"' + b"?" * digits + b'"}'
        body = line[: -len(tail)] + b"}"
        digest = hashlib.sha256(before + body).hexdigest()[:digits].encode()
        assert line == body[:-1] + tail.replace(b"?" * digits, digest)
        before = digest
    assert forged(fields_of(data)) == data


def test_the_keys_stand_in_the_order_of_the_reference_page() -> None:
    head, deal, first, *_, end = fields_of(RECORD)
    assert " ".join(head) == (
        "kind format match game rules_version options seats time_control policy commitment hash"
    )
    assert head["options"] == {"seats": 4, "recipes": True}
    assert " ".join(deal) == "kind seed salt cards recipes removed_colour hash"
    assert " ".join(first) == "kind n seat move ms legal hash"
    assert " ".join(end) == "kind ending scores places forfeits causes hash"
    by_hand = hashlib.sha256(bytes.fromhex(deal["seed"]) + SALT).hexdigest()
    assert head["commitment"] == commitment(seed_from_text("7"), SALT) == by_hand


def test_a_decision_is_written_to_the_byte() -> None:
    recorder = begun(GAME, FOUR, 7)
    recorder.decision(1, Seat(0), "take c2", 3.41, 6, [{"fault": "time_out"}])
    recorder.decision(2, Seat(1), "pass", 0.0, 1)
    start, forced = recorder.lines[2:]
    assert start.startswith(
        b'{"kind":"decision","n":1,"seat":0,"move":"take c2","ms":3.41,"legal":6,'
        b'"verdicts":[{"fault":"time_out"}],"hash":"'
    )
    assert forced.startswith(b'{"kind":"decision","n":2,"seat":1,"move":"pass","ms":0,"legal":1,"')


def test_options_that_differ_from_their_default_are_in_the_head() -> None:
    kind = GAME.spec.options(2, {"colours": "BR", "dead_end_counts_as_end": False})
    data, _ = recorded(GAME, kind, 3)
    stated = {"seats": 2, "recipes": False, "colours": "BR", "dead_end_counts_as_end": False}
    assert fields_of(data)[0]["options"] == stated
    verify_record(data)


@pytest.mark.parametrize("said", ["\ud800", 10**100, "\x00\x1b[31m", "é", {"a": [None, 1.5]}])
def test_whatever_a_bot_said_can_be_recorded(said: object) -> None:
    """A verdict quotes the bot; nothing that it says may break the record or the referee."""
    recorder = begun(GAME, FOUR, 7)
    verdict = {"fault": "malformed", "reaction": "reject", "said": said, "detail": "", "ms": 2}
    recorder.decision(1, Seat(0), "take c2", 3.41, 6, [verdict])
    recorder.end("stopped", causes=[STOP])
    assert verify_record(recorder.data()).decisions == 1


def test_a_bot_that_says_too_much_is_quoted_in_part() -> None:
    recorder = begun(GAME, FOUR, 7)
    words = "é" * 10_000_000
    long = {"fault": "malformed", "reaction": "reject", "said": words, "detail": words, "ms": 1}
    recorder.decision(1, Seat(0), "take c2", 3.41, 6, [long] * 3)
    recorder.end("stopped", causes=[STOP | {"detail": words}])
    assert verify_record(recorder.data()).decisions == 1
    for key in ("said", "detail"):
        assert json.loads(recorder.lines[2])["verdicts"][2][key] == "é" * 999 + "…"


def test_the_examples_in_the_reference_page_are_real() -> None:
    page = (ROOT / "docs" / "reference" / "record-format.md").read_text(encoding="utf-8")
    kind = GAME.spec.options(2)
    seats = [{"entrant": "greedy", "colour": "Y"}, {"entrant": "random", "colour": "G"}]
    recorder = Recorder(
        GAME, kind, seed_from_text("7"), SALT, "example", seats, {"per_move": 2.0}, {"strikes": 3}
    )
    recorder.decision(1, Seat(0), "take c2", 3.41, 6)
    for line in recorder.lines:
        assert f"\n{line.decode()}\n" in page
    shown = re.findall(r"\$ printf '%s' '(.*)' \| sha256sum\n([0-9a-f]{64})\n", page)
    assert len(shown) == 2
    for text, digest in shown:
        assert hashlib.sha256(text.encode()).hexdigest() == digest
    ((secret, committed),) = re.findall(r"'%s' ([0-9a-f]+) \| xxd .*\n([0-9a-f]{64})\n", page)
    assert hashlib.sha256(bytes.fromhex(secret)).hexdigest() == committed


# What is found ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bit", range(8))
def test_one_changed_byte_is_found_at_its_line(bit: int) -> None:
    for at in [*range(bit, len(RECORD), 61), len(RECORD) - 1]:
        changed = bytearray(RECORD)
        changed[at] ^= 1 << bit
        assert problem(bytes(changed)).line == RECORD[:at].count(b"\n") + 1


def test_a_changed_line_feed_is_found_at_its_line() -> None:
    for number, found in enumerate(re.finditer(b"\n", RECORD), 1):
        at = found.start()
        assert problem(RECORD[:at] + b" " + RECORD[at + 1 :]).line == number
        assert problem(RECORD[:at] + b"\r\n" + RECORD[at + 1 :]).line == number


def test_a_dropped_doubled_or_swapped_line_is_found() -> None:
    lines = RECORD.splitlines(keepends=True)
    for i in range(LAST):
        assert problem(b"".join(lines[:i] + lines[i + 1 :])).line == i + 1
        assert problem(b"".join([*lines[: i + 1], *lines[i:]])).line == i + 2
    for i in range(LAST - 1):
        swapped = [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]]
        assert problem(b"".join(swapped)).line == i + 1


def test_a_record_that_breaks_off_is_found_wherever_it_does() -> None:
    for at in range(0, len(RECORD), 97):
        assert problem(RECORD[:at]).line == RECORD[:at].count(b"\n") + 1


def test_a_changed_score_without_new_hashes_is_found() -> None:
    score = f'"scores":[{OUTCOME.scores[0]}'.encode()
    more = f'"scores":[{OUTCOME.scores[0] + 1}'.encode()
    wrong = problem(RECORD.replace(score, more))
    assert wrong.line == LAST
    assert "hash is " in str(wrong)


def test_a_wrong_hash_is_named_beside_the_right_one() -> None:
    line = RECORD.splitlines()[16]
    digest = line[-18:-2].decode()
    wrong = problem(RECORD.replace(line[-18:-2], b"3f00000000000000"))
    assert str(wrong) == (
        f"line 17: hash is 3f00000000000000, but the line and the one before give {digest}."
    )


def other(move: str) -> str:
    """Return another move that was legal as well at the first decision."""
    return "take c3" if move == "take c2" else "take c2"


def edit(number: int, **changes: object) -> Callable[[list[Fields]], None]:
    """Change keys of a line; negative numbers count from the end."""
    return lambda lines: lines[number].update(changes)


def change_move(lines: list[Fields]) -> None:
    lines[2]["move"] = other(lines[2]["move"])


def swap_entrants(lines: list[Fields]) -> None:
    lines[0]["seats"][0]["colour"] = "G"


def swap_cards(lines: list[Fields]) -> None:
    cards = lines[1]["cards"]
    cards[0], cards[1] = cards[1], cards[0]


def add_after_end(lines: list[Fields]) -> None:
    lines.append({"kind": "decision", "n": 999, "seat": 0, "move": "pass", "ms": 0, "legal": 1})


def end_early(lines: list[Fields]) -> None:
    del lines[-5:-1]


def drop_decision(lines: list[Fields]) -> None:
    del lines[10]


def second_head(lines: list[Fields]) -> None:
    lines.insert(5, lines[0])


def forget(number: int, key: str) -> Callable[[list[Fields]], None]:
    def without(lines: list[Fields]) -> None:
        del lines[number][key]

    return without


CAUSE = {"seat": 1, "fault": "crash", "cause": "bot", "n": 5, "detail": "exit code 1"}
ABSENT = CAUSE | {"n": 1}
NEVER = 10**6

FORGERIES: dict[str, tuple[Callable[[list[Fields]], None], int | None, str]] = {
    # Line 1
    "format": (edit(0, format=2), 1, "format is 2; this program reads 1"),
    "format true": (edit(0, format=True), 1, "format must be a whole number"),
    "game": (edit(0, game="glastonbry"), 1, 'Did you mean "glastonbury"?'),
    "rules version": (edit(0, rules_version="2"), 1, 'rules_version is "2"'),
    "no rules version": (forget(0, "rules_version"), 1, "rules_version is missing"),
    "option": (edit(0, options={"seats": 4, "recipse": True}), 1, 'no option "recipse"'),
    "option value": (edit(0, options={"seats": 4, "recipes": 1}), 1, "must be true or false"),
    "seats": (edit(0, options={"seats": 5}), 1, "2, 3 or 4 seats, not for 5"),
    "no seats": (edit(0, options={}), 1, "2, 3 or 4 seats"),
    "seats as a list": (edit(0, options={"seats": [4]}), 1, "2, 3 or 4 seats"),
    "three entrants": (edit(0, seats=[{"entrant": "a"}] * 3), 1, "3 entries for 4 seats"),
    "nameless entrant": (edit(0, seats=[{}] * 4), 1, "entrant is missing"),
    "entrant as text": (edit(0, seats=["a"] * 4), 1, "seats must be a list of objects"),
    "colour": (swap_entrants, 1, "the colours of the seats"),
    "no time control": (forget(0, "time_control"), 1, "time_control is missing"),
    "policy": (edit(0, policy=[]), 1, "policy must be an object"),
    "reaction": (edit(0, policy={"crash": "pardon"}), 1, "policy.crash must be one of reject,"),
    "time-out rejected": (edit(0, policy={"time_out": "reject"}), 1, "no answer to reject"),
    "strikes": (edit(0, policy={"strikes": "many"}), 1, "policy.strikes must be a whole number"),
    "strikes true": (edit(0, policy={"strikes": True}), 1, "must be a whole number"),
    "negative strikes": (edit(0, policy={"strikes": -1}), 1, "strikes is negative"),
    "unknown policy": (edit(0, policy={"mercy": 1}), 1, 'policy has "mercy", but this program'),
    "no time to think": (edit(0, time_control={"per_move": 0}), 1, "no time to think"),
    "negative per_move": (edit(0, time_control={"per_move": -1}), 1, "from 0 to 31536000"),
    "endless bank": (edit(0, time_control={"bank": 1e308}), 1, "from 0 to 31536000"),
    "latency as text": (edit(0, time_control={"latency": "0"}), 1, "must be a number of seconds"),
    "unknown time": (edit(0, time_control={"gong": 1}), 1, 'time_control has "gong"'),
    "match": (edit(0, match=7), 1, "match must be text"),
    "long match": (edit(0, match="m" * 300), 1, "longer than 200"),
    "commitment in capitals": (edit(0, commitment="A" * 64), 1, "commitment must be 64"),
    # Line 2
    "commitment": (edit(0, commitment="0" * 64), 2, "the commitment of line 1"),
    "salt": (edit(1, salt="00"), 2, "the commitment of line 1"),
    "odd salt": (edit(1, salt="0"), 2, "salt must be hexadecimal"),
    "spaced salt": (edit(1, salt="00 11"), 2, "salt must be hexadecimal"),
    "seed": (edit(1, seed="0" * 64), 2, "the commitment of line 1"),
    "short seed": (edit(1, seed="7"), 2, "seed must be 64"),
    "cards": (swap_cards, 2, "cards is not what the seed gives"),
    "no cards": (forget(1, "cards"), 2, "cards is missing"),
    "recipes": (edit(1, recipes=None), 2, "recipes is not what the seed gives"),
    "kind of game": (edit(0, options={"seats": 4, "recipes": False}), 2, "recipes is not"),
    "removed colour": (edit(1, removed_colour="Y"), 2, "removed_colour is not"),
    # Decisions
    "move": (change_move, None, ""),
    "illegal move": (edit(2, move="take b2"), 3, "b2 is not in column c"),
    "illegal kind of move": (edit(2, move="keep"), 3, "(glastonbury#4.4)"),
    "unreadable move": (edit(2, move="tkae c2"), 3, 'Did you mean "take c2"?'),
    "odd notation": (edit(2, move="take  c2"), 3, 'must be written "take c2"'),
    "move as a number": (edit(2, move=3), 3, "move must be text"),
    "seat": (edit(2, seat=1), 3, "seat is 1, but seat 0 decides here"),
    "negative seat": (edit(2, seat=-1), 3, "seat is -1"),
    "seat as a fraction": (edit(2, seat=0.0), 3, "seat must be a whole number"),
    "seat false": (edit(2, seat=False), 3, "seat must be a whole number"),
    "number": (edit(9, n=9), 10, "n is 9, but this is decision 8"),
    "legal": (edit(4, legal=7), 5, "legal is 7, but the number of legal moves is 6"),
    "legal zero": (edit(4, legal=0), 5, "legal is 0"),
    "negative time": (edit(4, ms=-1), 5, "ms must be a number"),
    "no time": (forget(4, "ms"), 5, "ms must be a number"),
    "time as text": (edit(4, ms="1"), 5, "ms must be a number"),
    "time true": (edit(4, ms=True), 5, "ms must be a number"),
    "time of 10^300 years": (edit(4, ms=1e308), 5, "no decision takes more than"),
    "time of four decimal places": (edit(4, ms=1.2345), 5, "at most three decimal places"),
    "time beyond the clock": (edit(4, ms=12050.001), 5, "seat 2 had 12050 ms, and there is no"),
    "time beyond the later clock": (edit(12, ms=2050.001), 13, "had 2050 ms"),
    "verdicts": (edit(4, verdicts="late"), 5, "verdicts must be"),
    "verdict": (edit(4, verdicts=["late"]), 5, "verdicts must be"),
    "dropped decision": (drop_decision, 11, "n is 10, but this is decision 9"),
    "second head": (second_head, 6, "must be of the kind decision or end"),
    "unknown kind": (edit(4, kind="decisoin"), 5, "must be of the kind decision or end"),
    "kind as a list": (edit(4, kind=[]), 5, "must be of the kind decision or end"),
    # The end
    "end early": (end_early, LAST - 4, "the game goes on"),
    "ending": (edit(-1, ending="dead_end"), LAST, "but the game gives line_emptied"),
    "unknown ending": (edit(-1, ending="bored"), LAST, "ending is bored"),
    "score": (edit(-1, scores=[0, 0, 0, 0]), LAST, "scores is [0, 0, 0, 0], but the game gives"),
    "no scores": (edit(-1, scores=[]), LAST, "scores is []"),
    "score as a fraction": (
        edit(-1, scores=list(map(float, OUTCOME.scores))),
        LAST,
        "scores must be a list of whole numbers",
    ),
    "places": (edit(-1, places=[1, 2, 3, 4]), LAST, "places is [1, 2, 3, 4]"),
    "stopped at the end": (
        edit(-1, ending="stopped", scores=[], places=[], causes=[STOP]),
        LAST,
        "the game was played to its end",
    ),
    "stopped without cause": (
        edit(-1, ending="stopped", scores=[], places=[]),
        LAST,
        "causes is empty",
    ),
    "forfeit without cause": (edit(-1, forfeits=[2]), LAST, "causes names the seats []"),
    "cause without forfeit": (edit(-1, causes=[CAUSE]), LAST, "causes names the seats [1]"),
    "forfeit of nobody": (edit(-1, forfeits=[4], causes=[CAUSE | {"seat": 4}]), LAST, "seat 4"),
    "forfeit twice": (edit(-1, forfeits=[1, 1], causes=[CAUSE] * 2), LAST, "only once"),
    "forfeit without verdict": (edit(-1, forfeits=[1], causes=[CAUSE]), LAST, "no verdict says"),
    "forfeit behind the last decision": (
        edit(-1, forfeits=[1], causes=[CAUSE | {"n": LAST}]),
        LAST,
        "no verdict says that seat 1 forfeited",
    ),
    "absent and played on": (edit(-1, forfeits=[1], causes=[ABSENT]), 4, "seat 1 was absent"),
    "cause": (edit(-1, forfeits=[1], causes=[CAUSE | {"cause": "fate"}]), LAST, "one of bot,"),
    "cause as text": (edit(-1, causes=["bot"]), LAST, "causes must be"),
    "forfeit by the machine": (
        edit(-1, forfeits=[1], causes=[CAUSE | {"cause": "machine"}]),
        LAST,
        "must be bot",
    ),
    "cause of nobody": (edit(-1, causes=[CAUSE | {"seat": None}]), LAST, "seat must be a whole"),
    "cause of no decision": (
        edit(-1, forfeits=[1], causes=[CAUSE | {"n": NEVER}]),
        LAST,
        "no verdict says",
    ),
    "no causes": (forget(-1, "causes"), LAST, "causes is missing"),
    "after the end": (add_after_end, LAST + 1, "nothing may follow the end"),
}


@pytest.mark.parametrize(("change", "line", "sentence"), FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_with_new_hashes_is_found(
    change: Callable[[list[Fields]], None], line: int | None, sentence: str
) -> None:
    """A forger who computes all hashes anew is caught by the rules of the game.

    Another legal move is found where the game takes another course, at the latest at the end.
    """
    lines = fields_of(RECORD)
    change(lines)
    wrong = problem(forged(lines))
    assert sentence in str(wrong)
    if line is None:
        assert wrong.line is not None
        assert 3 < wrong.line <= LAST
    else:
        assert wrong.line == line


def test_a_decision_after_the_game_is_over_is_found() -> None:
    lines = fields_of(RECORD)
    extra = {"kind": "decision", "n": LAST - 2, "seat": 0, "move": "pass", "ms": 0, "legal": 1}
    wrong = problem(forged([*lines[:-1], extra, lines[-1]]))
    assert (wrong.line, "the game is over" in str(wrong)) == (LAST, True)


def test_a_forced_move_takes_no_time() -> None:
    two = GAME.spec.options(2)
    lines, forced = next(
        (lines, number)
        for seed in range(200)
        for lines in [fields_of(recorded(GAME, two, seed)[0])]
        for number, fields in enumerate(lines, 1)
        if fields.get("legal") == 1
    )
    lines[forced - 1]["ms"] = 0.1
    wrong = problem(forged(lines))
    assert (wrong.line, "ms must be 0" in str(wrong)) == (forced, True)


def test_sealed_decisions_stand_in_the_order_of_the_seats() -> None:
    lines = fields_of(SEALED)
    first = next(i for i, f in enumerate(lines) if str(f.get("move", "")).startswith("immuto"))
    one, two = lines[first], lines[first + 1]
    assert one["seat"] < two["seat"]
    one["seat"], two["seat"] = two["seat"], one["seat"]
    one["move"], two["move"] = two["move"], one["move"]
    one["legal"], two["legal"] = two["legal"], one["legal"]
    wrong = problem(forged(lines))
    assert (wrong.line, "decides here" in str(wrong)) == (first + 1, True)


@pytest.mark.parametrize("data", [RECORD, SEALED], ids=["plain", "sealed"])
def test_a_match_may_be_stopped_after_any_decision_but_the_last(data: bytes) -> None:
    head, deal, *decisions, _ = fields_of(data)
    end = {"kind": "end", "ending": "stopped", "scores": [], "places": [], "forfeits": []}
    for played in range(len(decisions)):
        lines = [head, deal, *decisions[:played], end | {"causes": [STOP]}]
        summary = verify_record(forged(lines))
        assert (summary.decisions, summary.ending) == (played, "stopped")
        assert summary.scores == summary.places == ()


def test_who_forfeits_is_played_by_default_moves_and_placed_last() -> None:
    """Seat 2 crashes at its second decision, then seat 0; seats 1 and 3 take any move."""
    recorder = begun(GAME, FOUR, 7)
    state = GAME.deal(FOUR, seed_from_text("7")).state
    n, due, since = 0, {Seat(2): 6, Seat(0): 20}, dict[Seat, int]()
    verdict = {"fault": "crash", "reaction": "forfeit", "detail": "", "ms": 0}
    while seats := GAME.to_act(state):
        moves = {}
        for seat in seats:
            n += 1
            legal = GAME.legal_moves(state, seat)
            crashes = seat not in since and n >= due.get(seat, n + 1) and len(legal) > 1
            if crashes:
                since[seat] = n
            moves[seat] = GAME.default_move(state, seat) if seat in since else legal[-1]
            verdicts = [verdict] if crashes else ()
            recorder.decision(n, seat, GAME.format_move(moves[seat]), 0, len(legal), verdicts)
        state = GAME.apply(state, moves).state
    assert list(since) == [2, 0]
    outcome = GAME.outcome(state)
    assert outcome is not None
    places = places_with_forfeits(outcome.scores, [Seat(2), Seat(0)])
    assert (places[2], places[0]) == (4, 3)
    causes = [CAUSE | {"seat": seat, "n": since[seat], "detail": ""} for seat in since]
    recorder.end(str(outcome.ending), outcome.scores, places, [Seat(2), Seat(0)], causes)
    assert verify_record(recorder.data()).places == tuple(places)


@pytest.mark.parametrize(
    ("scores", "forfeits", "places"),
    [
        ((31, 12, -4, 8), (), [1, 2, 4, 3]),
        ((5, 5, 3), (), [1, 1, 3]),
        ((31, 12, -4, 8), (0,), [4, 1, 3, 2]),
        ((31, 12, -4, 8), (0, 1), [4, 3, 2, 1]),
        ((31, 12, -4, 8), (1, 0), [3, 4, 2, 1]),
        ((5, 5, 5), (1,), [1, 3, 1]),
        ((5, 9), (0, 1), [2, 1]),
        ((5, 9), (1, 0), [1, 2]),
    ],
)
def test_places(scores: tuple[int, ...], forfeits: tuple[int, ...], places: list[int]) -> None:
    assert places_with_forfeits(scores, list(map(Seat, forfeits))) == places


@pytest.mark.parametrize(
    ("forfeits", "places"), [((), [1, 3, 2, 4]), ((0,), [4, 2, 1, 3]), ((0, 2), [4, 1, 3, 2])]
)
def test_places_with_tiebreaks(forfeits: tuple[int, ...], places: list[int]) -> None:
    """Equal scores are compared by dishes, then by cubes left (festo#8.3)."""
    scores, tiebreaks = (7, 7, 7, 3), ((1, 0), (0, 2), (0, 3), (9, 9))
    assert places_with_forfeits(scores, list(map(Seat, forfeits)), tiebreaks) == places


def tied_record() -> list[Fields]:
    """Return the record of a random game of Festo!, which has tie-breaks."""
    game = find_game("festo")
    data, outcome = recorded(game, game.spec.options(2), 3)
    lines = fields_of(data)
    assert lines[-1]["tiebreaks"] == [list(own) for own in outcome.tiebreaks]
    assert list(lines[-1])[2:5] == ["scores", "tiebreaks", "places"]
    return lines


@pytest.mark.parametrize(
    ("tiebreaks", "message"),
    [
        (None, "tiebreaks"),
        ([[0, 0], [0, 0]], "but the game gives"),
        ([], "but the game gives"),
        ([[0, 0], 3], "a list of lists of whole numbers"),
        ([[0, "0"], [0, 0]], "a list of lists of whole numbers"),
        ("none", "a list of lists of whole numbers"),
    ],
)
def test_wrong_tiebreaks_are_found(tiebreaks: object, message: str) -> None:
    lines = tied_record()
    if tiebreaks is None:
        del lines[-1]["tiebreaks"]
    else:
        lines[-1]["tiebreaks"] = tiebreaks
    error = problem(forged(lines))
    assert message in str(error)
    assert error.line == len(lines)


def test_tiebreaks_belong_to_games_that_have_them_only() -> None:
    data, _ = recorded(GAME, GAME.spec.options(2), 3)
    lines = fields_of(data)
    assert "tiebreaks" not in lines[-1]
    lines[-1]["tiebreaks"] = [[0], [0]]
    assert "tiebreaks must not be here" in str(problem(forged(lines)))


def test_a_stopped_match_has_no_tiebreaks() -> None:
    game = find_game("festo")
    recorder = begun(game, game.spec.options(2), 3)
    recorder.end("stopped", causes=[STOP])
    assert "tiebreaks" not in fields_of(recorder.data())[-1]
    verify_record(recorder.data())


# What strangers send ----------------------------------------------------------------------------


DEEP = b"[" * 100_000
HOSTILE = {
    "nothing": b"",
    "line feeds": b"\n" * 1000,
    "a NUL": b"\0\n",
    "no text": bytes(range(256)) + b"\n",
    "a bad surrogate": RECORD.replace(b'"m1"', b'"\\ud800"'),
    "overlong UTF-8": RECORD.replace(b'"m1"', b'"\xc0\x80"'),
    "UTF-16": RECORD.decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + RECORD,
    "a deep line": DEEP + b"\n",
    "a deep value": RECORD.replace(
        b'"policy":{', b'"policy":{"a":' + b"[" * 600 + b"]" * 600 + b","
    ),
    "a very deep value": RECORD.replace(b'"policy":{', b'"policy":{"a":' + DEEP + b","),
    "a huge number": RECORD.replace(b'"format":1', b'"format":' + b"9" * 10_000),
    "a number past 64 bits": RECORD.replace(b'"n":1,', b'"n":' + b"9" * 30 + b","),
    "infinity": RECORD.replace(b'"n":1,', b'"n":1e999,'),
    "not a number": RECORD.replace(b'"n":1,', b'"n":NaN,'),
    "a list": b"[]\n",
    "a number": b"7\n",
    "an empty object": b"{}\n",
    "only a hash": b'{"hash":"0000000000000000"}\n',
    "a key twice": RECORD.replace(b'"format":1', b'"format":1,"format":1'),
    "an endless line": b'{"kind":"' + b"a" * (LONGEST_LINE + 1) + b'"}\n',
    "no line feed": b"{" * (LONGEST_LINE + 1),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bytes_get_a_short_sentence(data: bytes) -> None:
    wrong = problem(data)
    assert wrong.line is not None
    assert len(str(wrong)) < 450
    assert str(wrong).isprintable()
    with contextlib.suppress(RecordError):
        assert replay_record(data).problem is not None


def test_a_key_twice_is_found_though_the_hashes_are_right() -> None:
    body = b'{"kind":"head","format":1,"kind":"head"}'
    digest = hashlib.sha256(body).hexdigest()[:16].encode()
    wrong = problem(body[:-1] + b',"hash":"' + digest + b'"}\n')
    assert "a key twice" in str(wrong)


def test_a_message_cannot_control_the_terminal() -> None:
    lines = fields_of(RECORD)
    lines[2]["move"] = "\x1b[2J\x9b31m\u202e take"
    assert "\\u001b[2J\\u009b31m\\u202e" in str(problem(forged(lines)))
    assert printable("a" * 500) == "a" * 399 + "…"


@given(st.data())
def test_mutated_bytes_give_a_record_error_and_nothing_else(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([RECORD, SEALED]))
    changed = bytearray(source)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(changed)))
        end = min(len(changed), start + data.draw(st.integers(0, 40)))
        changed[start:end] = data.draw(st.binary(max_size=40))
    if changed != source:
        assert problem(bytes(changed)).line is not None


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["head", "deal", "decision", "end", "stopped", "pass", "take c2", "bot"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["seat", "n", "a"]), inner),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.data())
def test_wrong_values_give_a_record_error_and_nothing_else(data: st.DataObject) -> None:
    """Any value in any place, with correct hashes: a forger gets as far as the rules."""
    lines = fields_of(data.draw(st.sampled_from([RECORD, SEALED])))
    number = data.draw(st.sampled_from([0, 1, 2, 3, 40, -3, -2, -1]))
    key = data.draw(st.sampled_from([key for key in lines[number] if key != "hash"]))
    place, inner = lines[number], key
    if isinstance(place[key], dict) and place[key] and data.draw(st.booleans()):
        place, inner = place[key], data.draw(st.sampled_from(list(place[key])))
    place[inner] = data.draw(VALUES)
    assert wrong_line(forged(lines)) is not None


# Positions --------------------------------------------------------------------------------------


def test_a_replay_has_the_position_after_every_decision() -> None:
    replay = replay_record(RECORD)
    assert replay.problem is None
    assert replay.summary == verify_record(RECORD)
    assert len(replay.positions) == LAST - 2
    transition = GAME.deal(FOUR, seed_from_text("7"))
    assert replay.positions[0] == (transition.state, None, transition.events)
    for before, after in zip(replay.positions, replay.positions[1:], strict=False):
        assert after.played is not None
        move = GAME.parse_move(after.played.move)
        transition = GAME.apply(before.state, {after.played.seat: move})
        assert (transition.state, transition.events) == (after.state, after.events)
    assert GAME.outcome(replay.positions[-1].state) == OUTCOME


def test_sealed_decisions_take_effect_together() -> None:
    positions = replay_record(SEALED).positions
    assert positions[-1].state != positions[-2].state
    assert positions[-2].state == positions[-3].state
    assert not positions[-2].events


def test_a_replay_trusts_hashes_and_goes_as_far_as_the_rules() -> None:
    lines = RECORD.splitlines(keepends=True)
    lines[20] = lines[20].replace(b"take ", b"tkae ")
    replay = replay_record(b"".join(lines))
    assert (len(replay.positions), replay.summary) == (19, None)
    assert replay.problem is not None
    assert replay.problem.line == 21
    cut = replay_record(b"".join(lines[:12]))
    assert cut.problem is not None
    assert "breaks off" in str(cut.problem)


# Files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [False, True])
def test_a_record_file_is_read_as_it_was_written(tmp_path: Path, compress: bool) -> None:
    path = write_record(tmp_path, "m1", b"old", compress=compress)
    assert write_record(tmp_path, "m1", RECORD, compress=compress) == path
    assert path.name == ("m1.jsonl.zst" if compress else "m1.jsonl")
    assert read_record(path) == RECORD
    assert (path.read_bytes() == RECORD) is not compress
    assert os.listdir(tmp_path) == [path.name]  # noqa: PTH208  names only


@pytest.mark.parametrize("match", ["", "../m1", "a/b", ".m1", "m\0", "m 1", "m" * 201, "ü"])
def test_a_match_id_that_is_no_file_name_is_refused(tmp_path: Path, match: str) -> None:
    with pytest.raises(RecordWriteError, match="cannot be the name of a record"):
        write_record(tmp_path, match, RECORD)


@pytest.mark.parametrize("broken", ["os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    path = write_record(tmp_path, "m1", b"old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(broken, fail)
    with pytest.raises(RecordWriteError, match="No space left on device; nothing was left behind"):
        write_record(tmp_path, "m1", RECORD)
    assert [entry.name for entry in tmp_path.iterdir()] == ["m1.jsonl"]
    assert path.read_bytes() == b"old"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordWriteError, match="No such file or directory"):
        write_record(tmp_path / "none", "m1", RECORD)


WRITES = """
import sys
from pathlib import Path
from referee.record import RecordWriteError, write_record
folder = Path(sys.argv[1])
for match in ("big", "small"):
    try:
        write_record(folder, match, b"x" * (100_000 if match == "big" else 10))
    except RecordWriteError as error:
        print(error)
print(sorted(path.name for path in folder.iterdir()))
"""


def in_own_mount(folder: Path, then: str) -> list[str]:
    """Write records into a file system of 64 KiB that nobody else sees, and return the output."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("needs unshare to mount a small file system")
    own = [unshare, "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c"]
    mount = 'mount -t tmpfs -o size=64k none "$1"'
    probe = subprocess.run([*own, mount, "sh", folder], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("this machine does not allow to mount a small file system")
    script = f'{mount} && {then} && exec "$2" -c "$3" "$1"'
    done = subprocess.run(
        [*own, script, "sh", folder, sys.executable, WRITES],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout.splitlines()


def test_a_full_disk_is_named_and_keeps_no_half_record(tmp_path: Path) -> None:
    full, listing = in_own_mount(tmp_path, "true")
    assert full == (
        f"cannot write the record {tmp_path}/big.jsonl: No space left on device; "
        "nothing was left behind."
    )
    assert listing == "['small.jsonl']"


def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    big, small, listing = in_own_mount(tmp_path, 'mount -o remount,ro "$1"')
    assert big == small.replace("small", "big")
    assert f"cannot write the record {tmp_path}/small.jsonl: Read-only file system;" in small
    assert listing == "[]"


def test_a_compressed_bomb_is_refused(tmp_path: Path) -> None:
    """A gigabyte of zeros in 32 KiB: reading stops soon after the largest record."""
    packing = zstandard.ZstdCompressor().compressobj()
    part = bytes(2**20)
    bomb = b"".join([*(packing.compress(part) for _ in range(1024)), packing.flush()])
    path = tmp_path / "bomb.jsonl.zst"
    path.write_bytes(bomb)
    assert len(bomb) < 100_000
    with pytest.raises(RecordError, match="is larger than 67108864 bytes"):
        read_record(path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.truncate(LARGEST_RECORD + 1)
    with pytest.raises(RecordError, match="is larger than"):
        read_record(path)


PACKED = zstandard.ZstdCompressor(write_checksum=True).compress(RECORD)
PACKED_WRONGLY = {
    "not packed": (RECORD, "cannot be decompressed"),
    "cut": (PACKED[:-1], "it breaks off"),
    "cut early": (PACKED[:10], "it breaks off"),
    "empty": (b"", "it breaks off"),
    "more": (PACKED + b"x", "more bytes after"),
    "two": (PACKED + PACKED, "more bytes after"),
    "much more": (PACKED + bytes(5000), "more bytes after"),
    "damaged": (PACKED[:200] + b"\xff\xff" + PACKED[202:], "cannot be decompressed"),
}


@pytest.mark.parametrize(("data", "sentence"), PACKED_WRONGLY.values(), ids=PACKED_WRONGLY)
def test_a_badly_compressed_record_is_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "m1.jsonl.zst"
    path.write_bytes(data)
    with pytest.raises(RecordError, match=sentence) as caught:
        read_record(path)
    assert caught.value.line is None


def test_a_compressed_record_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "download"
    path.write_bytes(PACKED)
    assert read_record(path) == RECORD


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"cannot be read: No such file or directory\."):
        read_record(tmp_path / "none.jsonl")
    with pytest.raises(RecordError, match=r"cannot be read: Is a directory\."):
        read_record(tmp_path)


def test_an_error_travels_between_processes() -> None:
    wrong = problem(RECORD[:1000])
    again = pickle.loads(pickle.dumps(wrong))  # noqa: S301  our own bytes
    assert (str(again), again.line) == (str(wrong), wrong.line)
