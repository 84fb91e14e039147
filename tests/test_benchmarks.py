"""The benchmarks measure what they say; nothing here looks at how fast anything is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from highstreet.v1 import play_pb2

from benchmarks import ceiling, cpu_clock, page, uci_client
from benchmarks.__main__ import CHAPTERS, main
from benchmarks.clients import answer, first_move
from benchmarks.measuring import (
    Asked,
    Chapter,
    Figure,
    Goal,
    NotMeasuredError,
    Sample,
    document,
    keep,
    machine,
    number,
    show,
)
from benchmarks.profiles import shares
from benchmarks.questions import questions
from benchmarks.referee import own_shares
from engine.registry import GAMES, AnyGame
from referee.wire import messages


def chapter_of(**values: list[float]) -> Chapter:
    """Measure things that give these values, one after the other."""
    series = {name: iter(given) for name, given in values.items()}

    def measured(given: Iterator[float]) -> Sample:
        return {"steps/s": next(given)}

    chapter = Chapter("test", "A test", "Steps.")
    rounds = len(next(iter(values.values())))
    chapter.take_turns({n: lambda g=g: measured(g) for n, g in series.items()}, rounds)  # type: ignore[misc]
    return chapter


def test_contestants_take_turns() -> None:
    order: list[str] = []

    def note(name: str) -> Sample:
        order.append(name)
        return {"steps/s": 1.0}

    Chapter("test", "", "").take_turns({"a": lambda: note("a"), "b": lambda: note("b")}, 3)
    assert order == ["a", "b", "a", "b", "a", "b"]


def test_a_ratio_is_the_median_of_the_rounds_and_not_of_the_medians() -> None:
    """The machine halves its speed in the second round and for both: the ratio stays 2."""
    chapter = chapter_of(a=[200, 100, 180], b=[100, 50, 60])
    assert chapter.rows["a"]["steps/s"] == Figure(180, 100, 200)
    assert chapter.compare("a", "b", "steps/s") == 2
    assert chapter.ratios[0].ratio == Figure(2, 2, 3)


def test_what_cannot_be_measured_is_said_and_the_rest_goes_on() -> None:
    def missing() -> Sample:
        raise NotMeasuredError("it is not installed")

    chapter = Chapter("test", "A test", "")
    chapter.take_turns({"a": missing, "b": lambda: {"steps/s": 5.0}}, 2)
    assert list(chapter.rows) == ["b"]
    assert chapter.compare("b", "a", "steps/s") is None
    assert "not measured: a: it is not installed" in show(chapter)


@pytest.mark.parametrize(
    ("wanted", "measured", "at_least", "verdict"),
    [
        (5, 5, True, "met"),
        (5, 4, True, "missed by a factor of 1.25"),
        (0.3, 0.2, False, "met"),
        (0.3, 0.6, False, "missed by a factor of 2.00"),
    ],
)
def test_a_goal_says_by_how_much_it_was_missed(
    wanted: float, measured: float, at_least: bool, verdict: str
) -> None:
    assert Goal("", wanted, measured, "x", at_least).verdict == verdict


@pytest.mark.parametrize(
    ("value", "written"),
    [(123456.7, "123,457"), (12.34, "12.3"), (1.234, "1.23"), (0.1234, "0.123"), (0.0, "0")],
)
def test_figures_are_written_with_the_digits_that_mean_something(
    value: float, written: str
) -> None:
    assert number(value) == written


def test_the_own_share_is_what_the_bot_is_not_charged_with() -> None:
    """Asked at 1.000 s, answered after 4 ms; the next question has left at 1.0055 s: 1.5 ms."""
    record = b'{"kind":"head"}\n' + b"".join(
        b'{"kind":"decision","n":%d,"ms":%.1f}\n' % (n, ms) for n, ms in ((1, 4), (2, 0), (3, 9))
    )
    shares = own_shares({1: (1.0, 1.0002), 3: (1.0053, 1.0055)}, record)
    assert shares == [pytest.approx(1.5)]


def test_no_position_of_the_knights_comes_a_third_time_while_pawns_move() -> None:
    """Board by board: two pieces of each side that move, and whose turn it is."""
    board = {f"{file}{rank}": file + rank for file in "abcdefgh" for rank in "1278"}
    seen: dict[frozenset[tuple[str, str]], int] = {}
    for ply in range(72):
        move = uci_client.move(ply)
        start, end = move[:2], move[2:]
        assert end not in board, f"{move} would take something"
        assert start[1] in ("1234" if ply % 2 == 0 else "8765"), f"{move} is not the mover's"
        board[end] = board.pop(start)
        position = frozenset(board.items())
        seen[position] = seen.get(position, 0) + 1
    assert max(seen.values()) < 3


@pytest.mark.parametrize("name", ["engine", "codec", "store", "ratings", "startup"])
def test_a_chapter_runs_and_leaves_its_figures(name: str, tmp_path: Path) -> None:
    assert main(["--only", name, "--tiny", "--no-peers", "--json", str(tmp_path)]) == 0
    written = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert written["rows"]
    assert all(
        figure["lowest"] <= figure["median"] <= figure["highest"]
        for row in written["rows"].values()
        for figure in row.values()
    )
    assert {"cpu", "cores", "load_average"} <= set(written["machine"])
    assert {"python", "highstreet"} <= set(written["versions"])
    assert page.block(name, tmp_path).count("\n| ") > len(written["rows"])


def test_a_chapter_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "engin"])
    assert 'nothing is called "engin"' in capsys.readouterr().err


def test_the_page_keeps_its_text_and_what_was_not_measured(tmp_path: Path) -> None:
    chapter = chapter_of(a=[3], b=[1])
    chapter.name = "store"
    keep(document(chapter, Asked(), machine()), tmp_path)
    text = (
        "before\n<!-- figures: store -->\nold\n<!-- end -->\nbetween\n"
        "<!-- figures: memory -->\nold too\n<!-- end -->\nafter\n"
    )
    filled = page.fill(text, tmp_path)
    assert filled.startswith("before\n<!-- figures: store -->\n\nSteps.")
    assert "| a | 3 |\n| b | 1 |" in filled
    assert "<!-- figures: memory -->\nold too\n<!-- end -->\nafter\n" in filled


def test_every_chapter_has_its_place_on_the_page() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    named = [found[2] for found in page.BLOCK.finditer(text)]
    assert sorted(named) == sorted([*CHAPTERS, "goals", "ceiling"])


def test_the_ceiling_by_hand() -> None:
    """A thousand matches of 4 with 10 bots, of which 5 are kept: half of the seats start anew."""
    league = ceiling.League(10, 1000, 4, 80, bot_ms=45.0, cores=2, kept=5, fits=1)
    measured = ceiling.Measured(3600.0, 1.8, 4000.0, 100.0, 3600.0, 36.0)
    found = ceiling.calculate(league, measured)
    assert found["CPU of the referee"] == "1.0 h"
    assert found["CPU of the bots, thinking"] == "1.0 h"
    assert found["bot processes started"] == "2,000"
    assert found["CPU of starting them"] == "1.0 h"
    assert found["time on 2 cores"] == "0.1 days"  # 3 h of CPU are 1.5 h on two cores
    assert found["storage"] == "0 GB"
    assert found["tables of 4 in a full round robin"] == "210"
    assert found["matches of each bot"] == "400"


def test_a_sample_belongs_to_the_innermost_part_of_the_worker() -> None:
    loop = "work (tournaments/worker/worker.py:66);Runner.run (asyncio/runners.py:118)"
    table = f"{loop};Table._run_on (referee/match/match.py:222)"
    found = shares(
        [
            f"{loop} 10",
            f"{table};Glastonbury.apply (engine/glastonbury/rules.py:7);<lambda> (<string>:1) 30",
            f"{table};Player.ask (referee/transports/pipe.py:9);_view (referee/wire/stdio.py:9) 40",
            f"{table} 15",
            "Thread.run (threading.py:982) 5",
            "main (tournaments/cli/tournament.py:1);_write (tournaments/runner/batch.py:9) 900",
        ]
    )
    assert found == {
        "rules (engine)": 30,
        "messages (codec)": 40,
        "table, clock, inbox": 15,
        "event loop": 10,
        "gRPC's own thread": 5,
    }


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_trivial_grpc_bot_answers_what_it_would_by_reading_everything(game: AnyGame) -> None:
    for options in game.spec.kinds():
        for question in questions(game, options, games=2):
            data = messages.decision_message(question)
            asked = play_pb2.PlayResponse.FromString(data).decision
            assert first_move(data) == answer(asked, asked.legal_moves[0])


@pytest.mark.parametrize(
    ("false_time_outs", "change", "code"),
    [(0, 1.0, 0), (0, 0.9, 0), (0, 1.1, 0), (0, 0.89, 1), (0, 1.11, 1), (1, 1.0, 1)],
)
def test_the_measurement_of_the_cpu_clock_fails_outside_its_bounds(
    false_time_outs: int, change: float, code: int
) -> None:
    assert cpu_clock.exit_code(false_time_outs, change) == code
