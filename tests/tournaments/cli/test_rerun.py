"""feed asks exactly what the table asked, and compares without changing the game."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.game import Options, Seat
from engine.registry import find_game
from engine.shuffle import seed_from_text
from referee.devkit.random_play import chooser
from referee.devkit.rerun import Recording
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import MatchPlan, Player, Question
from referee.match.player import Result as Told
from referee.match.result import MatchResult
from referee.model.clock import TimeControl
from referee.model.policy import Policy
from referee.record.writer import write_record
from referee.transports.in_process import Chooser, InProcessPlayer
from tournaments.cli import main

GAME = find_game("glastonbury")
SAMPLES = Path(__file__).parents[3] / "sample_bots" / "python"

BOT = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if "decision" in message:
        asked = message["decision"]
        legal = asked["legal_moves"]
        move = {move}
        {twist}
        key = {{"match": asked["match"], "decision_id": asked["decision_id"]}}
        print(json.dumps({{"submit_move": {{**key, "move": move}}}}), flush=True)
    if "goodbye" in message:
        break
"""


def bot(folder: Path, move: str = "legal[0]", twist: str = "pass") -> list[str]:
    path = folder / "bot.py"
    path.write_text(BOT.format(move=move, twist=twist), encoding="utf-8")
    return ["--", sys.executable, str(path)]


class Listener(InProcessPlayer):
    """A player that keeps all that it is told."""

    def __init__(self, choose: Chooser) -> None:
        super().__init__(choose)
        self.questions: list[Question] = []
        self.told: Told | None = None

    def ask(self, question: Question) -> None:
        """Keep the question."""
        self.questions.append(question)
        super().ask(question)

    def end(self, result: Told) -> None:
        """Keep the result."""
        self.told = result


def first(question: Question) -> Any:
    return question.legal[0]


def at_random(seed: int) -> Chooser:
    choose = chooser(seed_from_text(str(seed)))
    return lambda question: choose(question.legal)


def crash_after(number: int) -> Chooser:
    """Return a player that dies after the decision of that number, and so forfeits."""

    def choose(question: Question) -> Any:
        if question.decision > number:
            raise RuntimeError("out of ideas")
        return question.legal[-1]

    return choose


def illegal_now_and_then(question: Question) -> Any:
    """Answer "keep" to every third decision: rejected until the referee plays."""
    return "keep" if question.decision % 3 == 0 else question.legal[0]


def played(
    choosers: list[Chooser], seed: int = 1, *, recipes: bool = True
) -> tuple[MatchResult, list[Listener]]:
    async def play() -> tuple[MatchResult, list[Listener]]:
        options: Options = GAME.spec.options(len(choosers), {"recipes": recipes})
        plan = MatchPlan(
            "m1",
            GAME,
            options,
            seed_from_text(str(seed)),
            b"salt",
            tuple(f"bot-{i}" for i in range(len(choosers))),
            TimeControl(),
            Policy(),
        )
        listeners = [Listener(choose) for choose in choosers]
        players: list[Player] = list(listeners)
        lag = LagMeter()
        try:
            return await Match(plan, players, lag).play(), listeners
        finally:
            lag.stop()

    return asyncio.run(play())


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the record of a match in which seat 1 always took its first move."""
    result, _ = played([at_random(1), first, at_random(2)], seed=5)
    return write_record(tmp_path_factory.mktemp("records"), "m1", result.record)


@pytest.fixture
def run(record: Path) -> Callable[..., Result]:
    """Return a function that feeds the record to a bot."""

    def feed(*arguments: str, seat: int = 1) -> Result:
        return CliRunner().invoke(main, ["feed", str(record), "--seat", str(seat), *arguments])

    return feed


TABLES = {
    "two seats": ([first, at_random(3)], False),
    "two seats, recipes": ([at_random(5), at_random(6)], True),
    "three seats, recipes": ([at_random(7), first, at_random(8)], True),
    "four seats, recipes": ([at_random(i) for i in range(4)], True),
    "a forfeit": ([crash_after(20), at_random(9), crash_after(30)], True),
    "illegal moves": ([illegal_now_and_then, at_random(10)], False),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("choosers", "recipes"), TABLES.values(), ids=TABLES)
def test_a_seat_is_asked_exactly_what_the_table_asked(
    choosers: list[Chooser], recipes: bool, seed: int
) -> None:
    """Questions and result are equal in every part: ids, views, events, legal moves, clocks."""
    result, listeners = played(choosers, seed, recipes=recipes)
    recording = Recording.read(result.record)
    assert recording.plan == result.plan
    for seat, listener in enumerate(listeners):
        asked = recording.questions(Seat(seat))
        assert [a.question for a in asked] == listener.questions
        assert recording.result(Seat(seat)) == listener.told


def test_a_bot_agrees_with_its_own_record(run: Callable[..., Result], tmp_path: Path) -> None:
    done = run(*bot(tmp_path))
    assert done.exit_code == 0, done.output
    (line,) = done.output.splitlines()
    number = int(line.split()[0])
    assert line == f"{number} of {number} answers are the same"
    assert number > 10


def test_another_bot_differs_and_the_differences_are_shown(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    done = run(*bot(tmp_path, "legal[-1]"))
    assert done.exit_code == 0, done.output
    header, *rows, summary = done.output.splitlines()
    assert header.split() == ["decision", "recorded", "answered", "time"]
    assert summary.startswith("0 of ")
    assert all(row.rstrip().endswith(" ms") for row in rows)
    assert len(rows) == int(summary.split()[2])


def test_the_answers_of_the_bot_do_not_change_the_game(
    run: Callable[..., Result], tmp_path: Path, record: Path
) -> None:
    asked = Recording.read(record.read_bytes()).questions(Seat(1))
    done = run("--json", *bot(tmp_path, "legal[-1]"))
    fed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [f["n"] for f in fed] == [a.played.n for a in asked]
    assert [f["recorded"] for f in fed] == [a.played.move for a in asked]
    assert [f["legal"] for f in fed] == [len(a.question.legal) for a in asked]


def test_from_feeds_the_earlier_decisions_too_and_ignores_the_answers(
    run: Callable[..., Result], tmp_path: Path, record: Path
) -> None:
    numbers = [a.played.n for a in Recording.read(record.read_bytes()).questions(Seat(1))]
    seen = tmp_path / "seen"
    note = f'open({str(seen)!r}, "a").write("%d " % asked["decision_id"])'
    done = run("--json", "--from", "40", *bot(tmp_path, twist=note))
    assert done.exit_code == 0, done.output
    fed = [json.loads(line) for line in done.stdout.splitlines()]
    assert [f["n"] for f in fed] == [n for n in numbers if n >= 40]
    assert list(map(int, seen.read_text(encoding="utf-8").split())) == numbers
    assert done.stderr == f"{len(fed)} of {len(fed)} answers are the same\n"


def test_json_has_one_object_per_decision(run: Callable[..., Result], tmp_path: Path) -> None:
    done = run("--json", *bot(tmp_path))
    for line in done.stdout.splitlines():
        fed = json.loads(line)
        assert list(fed) == ["n", "recorded", "answered", "same", "ms", "legal", "by_referee"]
        assert fed["same"] is (fed["recorded"] == fed["answered"])


def test_moves_that_the_referee_played_are_marked(tmp_path: Path) -> None:
    result, _ = played([illegal_now_and_then, at_random(10)], recipes=False)
    path = write_record(tmp_path, "m1", result.record)
    command = ["feed", str(path), "--seat", "0", *bot(tmp_path, "legal[-1]")]
    assert " (by the referee) " in CliRunner().invoke(main, command).output


def test_a_grpc_bot_can_be_fed(run: Callable[..., Result]) -> None:
    sample = str(SAMPLES / "random_bot.py")
    done = run("--transport", "grpc", "--", sys.executable, sample)
    assert done.exit_code == 0, done.output
    assert done.output.endswith(" answers are the same\n")


FAILURES = {
    "dies": (
        'if asked["decision_id"] > 20: sys.exit("out of ideas")',
        ["the bot failed: decision 2", "exit code 1", "its standard error: out of ideas"],
    ),
    "answers illegally": ('move = {"glastonbury": {"take": 0}}', ["take a1 (illegal)"]),
    "cannot be read": ('print("hm", flush=True)', ["(unreadable: hm)"]),
    "floods": ('for _ in range(500): print("hm")', ["(unreadable: hm)"]),
}


@pytest.mark.parametrize(("twist", "said"), FAILURES.values(), ids=FAILURES)
def test_a_bot_that_fails_has_exit_code_1(
    twist: str, said: list[str], run: Callable[..., Result], tmp_path: Path
) -> None:
    done = run(*bot(tmp_path, twist=twist))
    assert done.exit_code == 1, done.output
    for part in said:
        assert part in done.output
    assert "answers are the same" in done.output


def test_a_bot_that_falls_silent_is_not_waited_for_any_longer_than_asked(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    """Before that it answers within the same time, and it has to start as well."""
    silent = bot(tmp_path, twist='if asked["decision_id"] > 20: continue')
    done = run("--wait", "5", *silent)
    assert done.exit_code == 1, done.output
    assert "the bot failed: decision 2" in done.output
    assert "no answer in 5 seconds" in done.output
    assert "\n0 of " not in done.output, "it did answer before"


def test_a_command_that_is_not_there_is_a_bot_that_fails(run: Callable[..., Result]) -> None:
    done = run("--", "/no/such/bot")
    assert done.exit_code == 1
    assert "cannot start the bot" in done.output


REFUSALS = {
    "no such seat": (["--seat", "3"], "there is no seat 3: the match has seats 0 to 2."),
    "negative seat": (["--seat", "-1"], "there is no seat -1"),
    "from too late": (["--seat", "1", "--from", "500"], "nothing to compare from decision 500 on"),
    "from zero": (["--seat", "1", "--from", "0"], "'--from'"),
    "no seat": ([], "Missing option '--seat'"),
    "remote": (["--seat", "1", "remote"], "give its command, not remote"),
    "no waiting": (["--seat", "1", "--wait", "0"], "'--wait'"),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_bad_usage_has_exit_code_2(arguments: list[str], sentence: str, record: Path) -> None:
    command = [] if "remote" in arguments else ["--", "bot"]
    refused = CliRunner().invoke(main, ["feed", str(record), *arguments, *command])
    assert refused.exit_code == 2
    assert sentence in refused.output
    assert "Traceback" not in refused.output


def broken(data: bytes) -> bytes:
    return data.replace(b'"n":9,', b'"n":8,')


def with_bad_times(data: bytes) -> bytes:
    return data.replace(b'"per_move":2.0', b'"per_move":"2"')


RECORDS = {
    "no record": (lambda _: b"hello\n", "line 1: the line cannot be read as JSON"),
    "empty": (lambda _: b"", "the record breaks off"),
    "cut off": (lambda data: data[: len(data) // 2], "breaks off"),
    "wrong decision": (broken, "n is 8, but this is decision 9."),
    "wrong times": (with_bad_times, "line 1: time_control.per_move must be a number of seconds"),
}


@pytest.mark.parametrize(("change", "sentence"), RECORDS.values(), ids=RECORDS)
def test_a_bad_record_is_refused_with_its_line(
    change: Callable[[bytes], bytes], sentence: str, record: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(change(record.read_bytes()))
    refused = CliRunner().invoke(main, ["feed", str(path), "--seat", "0", "--", "bot"])
    assert refused.exit_code == 2
    assert sentence in refused.output


def test_a_record_that_is_not_there_is_refused() -> None:
    refused = CliRunner().invoke(main, ["feed", "nowhere.jsonl", "--seat", "0", "--", "bot"])
    assert refused.exit_code == 2
    assert "nowhere.jsonl" in refused.output
