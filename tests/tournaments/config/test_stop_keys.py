"""The keys by which a tournament stops by itself: what is read, refused, and may change."""

from __future__ import annotations

import pytest

from tests.tournaments.tournament_files import SMALL, TWO, read, refusal
from tournaments.model import Format, StopRule, changes

STOP = 'stop_when = "leader"\n'
COMPARED = (
    'format = "comparison"\nchallenger = "a"\nbaseline = "b"\nsame_table = true\n'
    "table_sizes = [2]\n"
)


def test_a_file_without_these_keys_has_a_fixed_schedule() -> None:
    assert read(SMALL).stop is None
    assert "stop" not in read(SMALL).identity()


def test_the_rule_is_read_with_its_defaults() -> None:
    assert read(STOP + SMALL).stop == StopRule("leader", 0.95, 100)
    more = 'stop_when = "all"\nconfidence = 0.9\nmax_sets = 7\n'
    assert read(more + SMALL).stop == StopRule("all", 0.9, 7)
    assert StopRule("top 3").top == 3
    assert (StopRule("leader").top, StopRule("all").top) == (1, None)


def test_a_comparison_is_read() -> None:
    found = read(f"margin = 0.05\n{COMPARED}{SMALL}")
    assert (found.format, found.challenger, found.baseline) == (Format.COMPARISON, "a", "b")
    assert found.same_table
    assert found.stop == StopRule("difference", 0.95, 1000, 0.05)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('stop_when = "first"\n', 1, 'must be "leader", "top N" with a number'),
        ('stop_when = "top 0"\n', 1, 'must be "leader", "top N" with a number'),
        ('stop_when = "top 2"\n', 1, "but there are 2 entrants: ask for fewer"),
        ("confidence = 0.9\n", 1, "confidence goes with stop_when"),
        ("max_sets = 9\n", 1, "max_sets goes with stop_when"),
        ("confidence = 1.0\n" + STOP, 1, "must be a number from 0.5 to 0.999"),
        ("max_sets = 2\nsets_per_table = 3\n" + STOP, 1, "give a larger max_sets"),
        ('baseline = "b"\n', 1, 'baseline goes with format = "comparison"'),
        ("margin = 0.1\n", 1, 'margin goes with format = "comparison"'),
        (STOP + COMPARED, 1, "leave stop_when out"),
        ('format = "comparison"\nchallenger = "a"\n', 1, "a comparison needs a baseline"),
        ('format = "comparison"\nbaseline = "b"\n', 1, "a comparison needs a challenger"),
        (COMPARED.replace('"b"', '"bb"'), 3, 'the baseline "bb" is not among the entrants'),
        (COMPARED.replace('"b"', '"a"'), 3, "the challenger is compared with itself"),
        ('deals = "fresh"\n' + COMPARED, 1, "plays the same deals"),
        ('format = "swiss"\n' + STOP, 2, 'stop_when goes with "round_robin" and "gauntlet"'),
        ('seatings = "substitution"\n', 1, 'must be "rotations" or "all"'),
    ],
)
def test_what_does_not_fit_is_refused_in_its_line(text: str, line: int, sentence: str) -> None:
    problems = refusal(f'{text}name = "x"\n{TWO}').problems
    assert [problem.line for problem in problems] == [line], problems
    assert sentence in problems[0].sentence


@pytest.mark.parametrize(
    ("before", "after", "sentences"),
    [
        (STOP + "max_sets = 9\n", STOP + "max_sets = 12\n", []),
        (
            STOP + "max_sets = 9\n",
            STOP + "max_sets = 8\n",
            ["max_sets was 9 and is 8: it may only grow."],
        ),
        (STOP, 'stop_when = "all"\n', ['stop_when was "leader" and is "all".']),
        (STOP, "", ['stop_when was "leader" and is not given.']),
        ("", STOP, ['stop_when was not given and is "leader".']),
        (STOP, STOP + "confidence = 0.9\n", ["confidence was 0.95 and is 0.9."]),
        (COMPARED, "margin = 0.1\n" + COMPARED, ["margin was not given and is 0.1."]),
    ],
)
def test_only_the_limit_may_grow_once_it_has_begun(
    before: str, after: str, sentences: list[str]
) -> None:
    assert changes(read(before + SMALL).identity(), read(after + SMALL)) == sentences


def test_a_comparison_keeps_its_entrants() -> None:
    more = '[[entrants]]\nname = "c"\nbot = "random"\n'
    text = COMPARED.replace("same_table = true\n", "")
    three = read(text + SMALL + more)
    four = read(text + SMALL + more + more.replace('"c"', '"d"'))
    (sentence,) = changes(three.identity(), four)
    assert sentence == 'the list of entrants was "a, b, c" and is "a, b, c, d".'
