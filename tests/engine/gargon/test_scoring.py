"""Section 7 of the rules page as cases, the amulets of 1.5, and a look at what was forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from pathlib import Path

from engine.game import Seat
from engine.gargon.cards import CARD_NAMES, FACES
from engine.gargon.data import AMULETS
from engine.gargon.scoring import score_sheets
from engine.shuffle import seed_from_text
from referee.devkit.random_play import chooser
from tests.engine.gargon.positions import GAME, begin_round, cards, play
from tests.engine.gargon.test_rules import CASE_IDS, table
from tests.naive.gargon import read_amulets
from tests.naive.gargon import score as naive_score

RULES_PAGE = Path(__file__).parents[3] / "docs" / "rules" / "gargon.md"


def points(*captured: str) -> list[tuple[int, int]]:
    """Return amulet points and majorities of each seat."""
    return [(sheet.amulets, sheet.majorities) for sheet in score_sheets([*map(cards, captured)])]


# The amulets --------------------------------------------------------------------------------------


def tables() -> Iterator[dict[int, int]]:
    """Return every table in which the values 1 to 12 have 1 to 5 amulets and none has more."""
    for falling in combinations_with_replacement((5, 4, 3, 2, 1), 12):
        yield dict(enumerate(falling, 1))


def fits_the_example(of: dict[int, int]) -> bool:
    """Tell whether a table fits the scoring example of the sheet."""
    return of[5] == 3 and of[7] == 2 and of[1] + of[10] == 6 and of[2] + of[6] == 8


@table(
    "counts",
    (
        "1.5 of 1820 tables 18 fit the example, 9 have all numbers, 3 give the 4 three amulets",
        (1820, 18, 9, 3),
    ),
)
def test_how_the_amulets_were_reconstructed(counts: tuple[int, ...]) -> None:
    every = list(tables())
    fitting = [of for of in every if fits_the_example(of)]
    with_all = [of for of in fitting if set(of.values()) == {1, 2, 3, 4, 5}]
    after_a_review = [of for of in with_all if of[4] == 3]
    assert (len(every), len(fitting), len(with_all), len(after_a_review)) == counts
    ours = dict(enumerate(AMULETS[1:13], 1))
    assert ours in after_a_review
    open_values = {v for v in ours if len({of[v] for of in fitting}) > 1}
    assert open_values == {3, 4, 8, 9}


@table("none", ("1.5 neither 0 nor 13 to 15 have amulets", (0, 13, 14, 15)))
def test_cards_without_amulets(none: Sequence[int]) -> None:
    assert [value for value, amulets in enumerate(AMULETS) if not amulets] == list(none)


def test_the_rules_page_has_the_amulets_of_the_engine() -> None:
    assert read_amulets() == dict(enumerate(AMULETS))


# 7. Score -----------------------------------------------------------------------------------------

SHEET = (
    "V0 V5 V13 G7 G13 W1 W10 Y2 Y6",
    "W2 W5 Y1 Y5 Y7 G10 V10",
    "W6 W7 R1 R2 R6 R10 R14 B1 B2 B6",
    "B7 R5 R0 R0",
)
"""The scoring example of the sheet. It gives the cards of the first seat and the amulet points of
all; the other cards are chosen to fit, from values whose amulets are not in doubt."""


@table(
    "seat, amulets, majorities, total",
    ("7.1 7.2 7.3 the sheet's example, Adam", 0, 22, 25, 47),
    ("7.1 7.2 7.3 the sheet's example, Bernd", 1, 20, 15, 35),
    ("7.1 7.2 7.3 the sheet's example, Colette", 2, 32, 25, 57),
    ("7.1 7.2 7.3 the sheet's example, Dagmar with both red zeros", 3, 14, 0, 14),
)
def test_the_scoring_example(seat: int, amulets: int, majorities: int, total: int) -> None:
    sheet = score_sheets([*map(cards, SHEET)])[seat]
    assert (sheet.amulets, sheet.majorities, sheet.total) == (amulets, majorities, total)


@table("paid", ("7.2 the sheet's example pays 65 for majorities, all six colours", 65))
def test_the_majorities_of_the_example_are_all_paid(paid: int) -> None:
    assert sum(sheet.majorities for sheet in score_sheets([*map(cards, SHEET)])) == paid
    assert paid == 3 * 5 + 5 * 10


@table("winner", ("7.3 the sheet's example is won by Colette", 2))
def test_the_winner_of_the_example(winner: int) -> None:
    captured = dict(enumerate(SHEET))
    begun = begin_round(seats=4, hands={0: "R15"}, pile_a="G1", captured=captured)
    # A last round in which nobody captures anything that counts but one red card.
    moves = "play R, pick R15, pass A, stop, pass B, stop, pass B, stop, battle R"
    outcome = GAME.outcome(play(begun, moves).state)
    assert outcome is not None
    assert outcome.scores == (47, 35, 57, 14)
    assert outcome.places.index(1) == winner
    assert outcome.places == (2, 3, 1, 4)


@table(
    "captured, amulets",
    ("7.1 amulets are added up", "R1 R5 R7", 5 + 3 + 2),
    ("7.1 one zero doubles those of its colour", "R1 R5 R0 G1", 2 * (5 + 3) + 5),
    ("7.1 both zeros make them four times as many", "R1 R5 R0 R0 G1", 4 * (5 + 3) + 5),
    ("7.1 zeros of two colours double each its own", "R1 R0 G5 G0", 2 * 5 + 2 * 3),
    ("7.1 zeros alone are worth nothing", "R0 R0", 0),
    ("7.1 high cards are worth nothing, doubled or not", "R13 R14 R15 R0", 0),
    ("7.1 nothing is worth nothing", "", 0),
)
def test_amulet_points(captured: str, amulets: int) -> None:
    assert points(captured, "", "")[0][0] == amulets


@table(
    "captured, majorities",
    ("7.2 the most cards of a colour pay 10", ("R1 R2", "R3", ""), [10, 0, 0]),
    ("7.2 zeros and high cards count as cards", ("R0 R15", "R1", ""), [10, 0, 0]),
    ("7.2 two with equally many have 5 each", ("R1", "R2", ""), [5, 5, 0]),
    ("7.2 1.6 R-15 so have three", ("R1", "R2", "R3"), [5, 5, 5]),
    ("7.2 behind a tie there is nothing", ("R1 R2", "R3 R4", "R5"), [5, 5, 0]),
    ("7.2 each colour pays", ("R1 G1", "R2 B1", "W1"), [5 + 10, 5 + 10, 10]),
    ("7.2 a colour that nobody captured pays nobody", ("", "", ""), [0, 0, 0]),
)
def test_majorities(captured: tuple[str, ...], majorities: list[int]) -> None:
    assert [paid for _, paid in points(*captured)] == majorities


@table("each", ("1.6 R-15 five seats tied in every colour all get their 5", 30))
def test_bonus_cards_never_run_out(each: int) -> None:
    captured = [" ".join(f"{c}{10 + seat}" for c in "WBVYRG") for seat in range(5)]
    assert [paid for _, paid in points(*captured)] == [each] * 5


@table(
    "captured, places",
    ("7.4 R-16 equal totals share the place", ("R1 R2", "G1 G2", "W1"), (1, 1, 3)),
    ("7.4 R-16 there is no tie-break by cards", ("R1 R13", "G1", "W5"), (1, 1, 3)),
)
def test_places(captured: Sequence[str], places: tuple[int, ...]) -> None:
    begun = begin_round(hands={0: "V15"}, pile_a="G9", captured=dict(enumerate(captured)))
    # Everybody passes but seat 0, whose card is taken back: only the captures given here count.
    state = play(begun, "play V, pick V15, pass A, stop, pass B, stop, battle V").state
    assert state.captured[0][-1:] == cards("V15")
    outcome = GAME.outcome(state._replace(captured=(state.captured[0][:-1], *state.captured[1:])))
    assert outcome is not None
    assert outcome.places == places


def test_random_captures_score_as_the_naive_implementation_says() -> None:
    """Also where many zeros and ties come together, which games rarely have."""
    choose = chooser(seed_from_text("7"))
    for seats in (3, 4, 5) * 40:
        piles: list[list[str]] = [[] for _ in range(seats)]
        for card in (*FACES, *FACES[::16]):
            owner = choose(range(seats + 1))
            if owner < seats:
                piles[owner].append(CARD_NAMES[card])
        totals = [sheet.total for sheet in score_sheets([cards(" ".join(p)) for p in piles])]
        assert totals == naive_score(piles)


def test_a_game_that_goes_on_has_no_outcome() -> None:
    state = begin_round(hands={0: "R9"})
    assert GAME.outcome(state) is None
    assert GAME.to_act(state) == (Seat(0),)


# Nothing was forgotten ----------------------------------------------------------------------------


def stated_paragraphs() -> set[str]:
    page = RULES_PAGE.read_text(encoding="utf-8")
    return set(re.findall(r"^\*\*(\d+\.\d+)\*\*", page, re.MULTILINE))


def test_every_ruling_of_the_page_has_a_case() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    stated = set(re.findall(r"\*\*Ruling (R-\d+):\*\*", page))
    named = {ruling for case in CASE_IDS for ruling in re.findall(r"R-\d+", case)}
    assert stated == named == {f"R-{number}" for number in range(1, 24)}


def test_every_paragraph_of_sections_1_to_9_has_a_case() -> None:
    named = {paragraph for case in CASE_IDS for paragraph in re.findall(r"\b\d+\.\d+\b", case)}
    stated = {p for p in stated_paragraphs() if not p.startswith("10.")}
    assert len(stated) > 35
    assert stated - named == {"1.4"}, "1.4 says where its rules are"


def test_no_case_names_a_paragraph_that_there_is_not() -> None:
    named = {paragraph for case in CASE_IDS for paragraph in re.findall(r"\b\d+\.\d+\b", case)}
    assert named <= stated_paragraphs()


def test_no_two_cases_have_the_same_name() -> None:
    assert len(set(CASE_IDS)) == len(CASE_IDS)


def test_rulings_are_named_with_the_paragraph_that_states_them() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"(R-\d+) \| (\d+\.\d+)", page)
    assert len(listed) == 23
    for ruling, paragraph in listed:
        assert any(ruling in case.split() and paragraph in case.split() for case in CASE_IDS), (
            f"no case names both {paragraph} and {ruling}"
        )


def test_rulings_stand_where_the_table_says() -> None:
    text = RULES_PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^\*\*(\d+\.\d+)\*\*", text, flags=re.MULTILINE)
    where = {
        ruling: paragraph
        for paragraph, body in zip(parts[1::2], parts[2::2], strict=True)
        for ruling in re.findall(r"\*\*Ruling (R-\d+):\*\*", body)
    }
    assert dict(re.findall(r"(R-\d+) \| (\d+\.\d+)", text)) == where
