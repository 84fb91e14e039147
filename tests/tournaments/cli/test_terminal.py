"""The standings in a terminal: what stands there, that it fits, and that names stay text."""

# ruff: noqa: RUF001  the table has dashes and minus signs

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.tournaments.synthetic import standings, synthetic_results
from tournaments.cli.tournament.standings_table import (
    NARROWEST_NAME,
    standings_notes,
    standings_tables,
)
from tournaments.ratings.standings import (
    Figures,
    Group,
    Part,
    Rating,
    Skill,
    Standing,
    Standings,
    Table,
)
from tournaments.report import wording

ALWAYS = ["rank", "entrant", "rating"]


def league(name: str = "alpha", tournament: str = "League") -> Standings:
    """Return standings by hand: two who have played and one who has not."""
    played = Figures(
        matches=1200, forfeits=3, mean_place=1.5, mean_score=-7.06, seconds_per_match=0.5
    )
    lines = (
        Standing(name, 1, 1, 2, Rating(26, 1), Skill(0.5, 0.25, 0.75, 1, 1, 2), ("a",), played),
        Standing(
            "beta", 2, 1, 2, Rating(20, 2), Skill(-0.5, -0.75, -0.25, 2, 1, 2), ("a", "b"), played
        ),
        Standing("gamma", None, None, None, Rating(25, 25 / 3), None, (), Figures()),
    )
    table = Table(
        matches=1200,
        sets=400,
        games=("glastonbury",),
        tie_rate=0.03,
        standings=lines,
        above=((None, 0.9, None), (0.1, None, None), (None, None, None)),
        head_to_head={},
        groups=(Group("a", (name, "beta")), Group("b", ("beta",))),
        duplicates=None,
        history={},
    )
    parts = (Part(), Part("glastonbury"), Part(None, 3), Part("glastonbury", 3, "plain"))
    return Standings(tournament, "trueskill", dict.fromkeys(parts, table), {"glastonbury": 0.02})


def printed(made: Standings, width: int | None = None, terminal: int = 200) -> list[str]:
    """Print as on a terminal that understands colours, and return the lines."""
    out = io.StringIO()
    console = Console(file=out, width=width or terminal, force_terminal=True, color_system=None)
    for table in standings_tables(made, width):
        console.print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_table_has_a_line_for_each_entrant() -> None:
    title, head, *lines = (re.split(r"\s{2,}", line.strip()) for line in printed(league()))
    assert title == ["League: 1,200 matches, TrueSkill"]
    assert head == [
        *("rank", "95 %", "entrant", "rating", "mu", "sigma", "skill", "95 %", "group"),
        *("matches", "place", "score", "forfeits", "s/match"),
    ]
    # The rating is mu - 3 sigma: 26 - 3, 20 - 6, 25 - 25.
    nobreak = "\N{NO-BREAK SPACE}"
    assert [[cell.replace(nobreak, " ") for cell in line] for line in lines] == [
        [
            *("1", "1–2", "alpha", "23.00", "26.00", "1.00", "0.50", "0.25 to 0.75", "a"),
            *("1,200", "1.50", "−7.1", "3", "0.50"),
        ],
        [
            *("2", "1–2", "beta", "14.00", "20.00", "2.00", "−0.50", "−0.75 to −0.25", "ab"),
            *("1,200", "1.50", "−7.1", "3", "0.50"),
        ],
        ["–", "–", "gamma", "0.00", "25.00", "8.33", "–", "–", "0", "–", "–", "0", "–"],
    ]


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100, 120, 132, 200])
def test_table_fits_and_cuts_no_number(width: int) -> None:
    """Where it is narrow, columns go and a long name is cut; what is left is whole."""
    made = league("a name that is much longer than a table can be wide in a terminal")
    whole = set(" ".join(printed(made)).replace("\N{NO-BREAK SPACE}", " ").split())
    lines = printed(made, width)
    assert all(cell_len(line) <= width for line in lines)
    assert all(title in lines[1].split() for title in ALWAYS)
    words = " ".join(lines).replace("\N{NO-BREAK SPACE}", " ").split()
    cut = [word for word in words if word not in whole]
    assert len(cut) <= 1
    assert all(word.endswith("…") for word in cut)


def test_wider_terminals_show_more() -> None:
    seen = [printed(league(), width)[1].split() for width in (40, 60, 80, 100, 132)]
    assert [len(titles) for titles in seen] == sorted({len(titles) for titles in seen})
    assert seen[-1] == printed(league())[1].split()


def test_names_are_cut_no_further_than_they_must_be() -> None:
    short = "x" * NARROWEST_NAME
    assert short in printed(league(short), 40)[2]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("[red]x[/red]", "[red]x[/red]"),
        ("[/]", "[/]"),
        (":smile:", ":smile:"),
        ("a\x1b[31mb", "a\N{REPLACEMENT CHARACTER}[31mb"),
        ("a\nb\tc\rd", "a\ufffdb\ufffdc\ufffdd"),
        ("a\u202eb", "a\ufffdb"),
    ],
)
def test_names_stay_text(name: str, shown: str) -> None:
    made = league(name, name)
    lines = printed(made)
    assert lines[0].startswith(f"{shown}: ")
    assert shown in lines[2]
    assert len(lines) == 5
    assert standings_notes(made)[0].startswith(f"{shown} is ahead")
    assert not any("\x1b[31m" in line for line in lines)


def test_notes_say_how_sure_it_is() -> None:
    notes = [note.replace("\N{NO-BREAK SPACE}", " ") for note in standings_notes(league())]
    assert notes == [
        "alpha is ahead, but cannot be told apart yet from beta.",
        "gamma has not played yet.",
        "Entrants that share a letter under group cannot be told apart yet.",
        wording.claims(league().overall).replace("\N{NO-BREAK SPACE}", " "),
        "3.0 % of neighbouring places in a match were level (TrueSkill assumes 2.0 %).",
    ]
    apart = (Group("a", ("alpha",)), Group("b", ("beta",)))
    made = replace(
        league(), tables={**league().tables, Part(): replace(league().overall, groups=apart)}
    )
    assert not any("share a letter" in note for note in standings_notes(made))


def test_nothing_played_and_nobody_there() -> None:
    nobody = standings([], "League", replicates=10)
    assert printed(nobody, 80)[0] == "League: 0 matches, TrueSkill"
    waiting = standings([], "League", ["a", "b"], replicates=10)
    assert len(printed(waiting, 80)) == 4
    assert standings_notes(waiting) == [
        "There is nothing to compare yet: fewer than two entrants have played.",
        "a and b have not played yet.",
    ]


def test_several_games_have_a_table_each_and_one_over_all() -> None:
    results = synthetic_results(["ann", "bob", "cy"], 20, (2, 3), games=("glastonbury", "chess"))
    made = standings(results, "League", replicates=20)
    lines = printed(made, 132)
    assert len(lines) == 3 * 5
    assert lines[0] == "League: 50 matches of 2 games, TrueSkill"
    matches = {game: sum(result.game == game for result in results) for game in made.by_game}
    assert [lines[5], lines[10]] == [
        f"chess: {matches['chess']} matches",
        f"Glastonbury: {matches['glastonbury']} matches",
    ]
    heads = [line.split() for line in lines[1::5]]
    assert ["score" in head for head in heads] == [False, True, True], "scores are of one game"
    for start, table in zip((7, 12), made.by_game.values(), strict=True):
        shown = [re.split(r"\s{2,}", line.strip())[2] for line in lines[start : start + 3]]
        assert shown == [line.entrant for line in table.standings]


def test_notes_say_what_the_ranking_over_all_games_is() -> None:
    results = synthetic_results(["ann", "bob", "cy"], 20, (2, 3), games=("glastonbury", "chess"))
    made = standings(results, "League", replicates=20)
    first, second, third, *notes = standings_notes(made)
    leads = {first: made.overall, second: made.by_game["chess"]}
    leads[third] = made.by_game["glastonbury"]
    for note, start in zip(leads, ("All games", "chess", "Glastonbury"), strict=True):
        winners = [line.entrant for line in leads[note].standings if line.rank == 1]
        assert note.startswith(f"{start}: {winners[0]} ")
    (said,) = (note for note in notes if "over all games" in note)
    assert said == (
        "The ranking over all games (chess and Glastonbury) is one rating: the matches of all of "
        "them are rated together. Scores of different games cannot be compared, so that mean "
        "scores stand in the ranking of each game only."
    )
    draws = notes[-1].replace("\N{NO-BREAK SPACE}", " ")
    rates = [100 * of_game.tie_rate for of_game in made.by_game.values()]
    assert draws == (
        f"Of neighbouring places in a match were level: {rates[0]:.1f} % in chess (TrueSkill "
        f"assumes 10.0 %) and {rates[1]:.1f} % in Glastonbury (TrueSkill assumes 2.0 %)."
    )
    free = standings(results, "League", rating="openskill", replicates=20)
    assert standings_notes(free)[-1].endswith("OpenSkill needs no draw probability.")


def test_table_of_real_standings_is_in_their_order() -> None:
    made = standings(synthetic_results(["ann", "bob", "cy", "dee"], 20), "League", replicates=20)
    lines = printed(made, 132)[2:]
    assert [re.split(r"\s{2,}", line.strip())[2] for line in lines] == [
        line.entrant for line in made.overall.standings
    ]
