"""The report: what stands in it, that it is whole, and that nobody's name can break it."""

# ruff: noqa: RUF001  the page has dashes and minus signs

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.synthetic import standings, synthetic_results
from tournaments.model import Claims, Result, TableKind
from tournaments.ratings.standings import (
    DuplicateGain,
    Estimate,
    Figures,
    Group,
    Heterogeneity,
    Meeting,
    Part,
    Point,
    Rating,
    Skill,
    Standing,
    Standings,
    Table,
    TableEffects,
)
from tournaments.report import effects_wording, wording
from tournaments.report.page import matches_json, report_html
from tournaments.report.plots import (
    PANEL_HEIGHT,
    PANEL_WIDTH,
    Scale,
    place_columns,
    rating_panels,
    round_up,
    score_columns,
    skill_plot,
)

FEW = 50
NOW = "2026-11-16 06:30 UTC"
VOID = {"br", "circle", "col", "hr", "img", "input", "line", "link", "meta", "path", "rect", "use"}
"""Elements that have no content, in HTML or as we write SVG."""


@dataclass(slots=True)
class Element:
    """A node of a parsed page."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        """Return this element and everything in it, in the order of the page."""
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, tag: str, class_: str = "") -> list[Element]:
        """Return the elements of a tag, and of a class if one is given."""
        return [
            element
            for element in self.walk()
            if element.tag == tag
            and (not class_ or class_ in element.attributes.get("class", "").split())
        ]

    def id(self, name: str) -> Element:
        """Return the one element with this id."""
        (found,) = (element for element in self.walk() if element.attributes.get("id") == name)
        return found

    @property
    def text(self) -> str:
        """All text in it, with single spaces."""
        return " ".join(" ".join(text for part in self.walk() for text in part.texts).split())


class Page(HTMLParser):
    """A parser that insists on every element being closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Element("root", {})
        self.open = [self.root]
        self.feed(text)
        self.close()
        assert self.open == [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element of SVG that is closed at once."""
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element."""
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        """Take text."""
        self.open[-1].texts.append(data)


def parsed(made: Standings, results: Sequence[Result] = (), **more: object) -> Element:
    return Page(report_html(made, results, generated_at=NOW, **more)).root  # type: ignore[arg-type]


def cells(row: Element) -> list[str]:
    return [cell.text for cell in row.children]


def rows(table: Element) -> list[list[str]]:
    (body,) = table.all("tbody")
    return [cells(row) for row in body.children]


def standing(
    name: str, rank: int, skill: Skill | None, groups: str = "", figures: Figures | None = None
) -> Standing:
    """Return a line; the rating goes by the number of the line, the rank needs a match."""
    ranked = skill is not None
    return Standing(
        rated=name,
        rank=rank if ranked else None,
        rank_low=max(1, rank - 1) if ranked else None,
        rank_high=rank + 1 if ranked else None,
        rating=Rating(25 - rank, 1 / 3),
        skill=skill,
        groups=tuple(groups),
        figures=figures or Figures(),
    )


ALPHA = Figures(
    matches=1200,
    forfeits=3,
    wins=700.5,
    places=(700, 400, 100),
    mean_place=1.5,
    mean_score=12.34,
    points=0.75,
    seconds=2400.0,
    seconds_per_match=2.0,
)
BETA = replace(ALPHA, wins=499.5, mean_score=-7.06, places=(400, 500, 300), seconds_per_match=0.5)


def by_hand() -> Standings:
    """Return standings with round numbers: two who have played, and one who has not."""
    none = (None, None, None)
    table = Table(
        matches=1200,
        sets=400,
        games=("glastonbury",),
        tie_rate=0.031,
        replicates=1000,
        standings=(
            standing("alpha", 1, Skill(0.5, 0.25, 0.75, 1, 1, 2), "a", ALPHA),
            standing("beta", 2, Skill(-0.5, -0.75, -0.25, 2, 1, 2), "ab", BETA),
            standing("gamma", 3, None),
        ),
        above=((None, 0.94, None), (0.06, None, None), none),
        head_to_head={"alpha": {"beta": Meeting(6, 1, 3)}, "beta": {"alpha": Meeting(3, 1, 6)}},
        groups=(Group("a", ("alpha", "beta")), Group("b", ("beta",))),
        duplicates=DuplicateGain(0.5, 0.4, 0.6, 400),
        history={
            "alpha": (Point(0, 25, 8), Point(600, 28, 3), Point(1200, 30, 1)),
            "beta": (Point(0, 25, 8), Point(600, 22, 3), Point(1200, 20, 1)),
            "gamma": (Point(0, 25, 8),),
        },
    )
    return standings_of(table, {3: table}, {"plain": table})


def standings_of(
    table: Table, by_seats: dict[int, Table], by_variant: dict[str, Table]
) -> Standings:
    """Return the standings of a tournament of one game."""
    tables = {
        part: each
        for game in (None, "glastonbury")
        for part, each in {
            Part(game): table,
            **{Part(game, seats): each for seats, each in by_seats.items()},
            **{Part(game, None, variant): each for variant, each in by_variant.items()},
        }.items()
    }
    return Standings("League", "trueskill", tables, {"glastonbury": 0.02})


def with_overall(made: Standings, table: Table) -> Standings:
    """Replace the table of all matches."""
    return replace(made, tables={**made.tables, Part(): table})


def made(
    entrants: Sequence[str], sets: int, *more: str, rating: str = "trueskill"
) -> tuple[Standings, list[Result]]:
    """Play a tournament with dice, and rate it."""
    results = synthetic_results(entrants, sets) if sets else []
    return standings(results, "League", [*entrants, *more], rating, FEW), results


def test_table_has_a_line_for_each_entrant_with_rounded_numbers() -> None:
    page = parsed(by_hand())
    (table,) = page.id("standings").all("table")
    # Rating is mu - 3 sigma: 24 - 1, 23 - 1.
    assert rows(table) == [
        [
            *("1", "1–2", "alpha", "24.00", "0.33", "23.00", "0.50", "0.25 to 0.75", "a"),
            *("1,200", "700.5", "1.50", "12.3", "0.75", "3", "2.00"),
        ],
        [
            *("2", "1–3", "beta", "23.00", "0.33", "22.00", "−0.50", "−0.75 to −0.25", "ab"),
            *("1,200", "499.5", "1.50", "−7.1", "0.75", "3", "0.50"),
        ],
        [
            *("–", "–", "gamma", "22.00", "0.33", "21.00", "–", "–", ""),
            *("0", "0.0", "–", "–", "–", "0", "–"),
        ],
    ]
    assert [cell.attributes["scope"] for cell in table.all("th")] == (
        ["colgroup"] * 4 + ["col"] * 16 + ["row"] * 3
    )


def test_heat_map_shows_probabilities_in_shades_that_change_where_it_says() -> None:
    page = parsed(by_hand())
    (table,) = page.id("above").all("table")
    # Who has not played is not in it; an entrant against itself is empty.
    assert rows(table) == [["alpha", "", "94"], ["beta", "6", ""]]
    assert [cell.attributes["class"] for cell in table.all("td")[1:]] == [
        "self",
        "up3",
        "down3",
        "self",
    ]
    legend = [item.text for item in page.id("above").all("li")]
    assert legend == [
        *("97.5 to 100", "90 to 97.5", "75 to 90", "60 to 75"),
        "40 to 60",
        *("25 to 40", "10 to 25", "2.5 to 10", "0 to 2.5"),
    ]


@pytest.mark.parametrize(
    ("share", "shade", "text"),
    [
        (1.0, "up4", ">99"),
        (0.991, "up4", ">99"),
        (0.99, "up4", "99"),
        (0.975, "up4", "98"),
        (0.974, "up3", "97"),
        (0.9, "up3", "90"),
        (0.75, "up2", "75"),
        (0.6, "up1", "60"),
        (0.59, "even0", "59"),
        (0.5, "even0", "50"),
        (0.41, "even0", "41"),
        (0.4, "down1", "40"),
        (0.25, "down2", "25"),
        (0.1, "down3", "10"),
        (0.026, "down3", "3"),
        (0.025, "down4", "2"),
        (0.009, "down4", "<1"),
        (0.0, "down4", "<1"),
    ],
)
def test_shades_of_probabilities(share: float, shade: str, text: str) -> None:
    hand = by_hand()
    above = ((None, share, None), *hand.overall.above[1:])
    page = parsed(with_overall(hand, replace(hand.overall, above=above)))
    cell = page.id("above").all("td")[2]
    assert (cell.attributes["class"], cell.text) == (shade, text)


def test_crosstable_has_share_and_counts() -> None:
    page = parsed(by_hand())
    (table,) = page.id("crosstable").all("table")
    assert rows(table) == [["alpha", "", "65 6–1–3"], ["beta", "35 3–1–6", ""]]
    assert [cell.attributes["class"] for cell in table.all("td")[1:]] == [
        "self",
        "up",
        "down",
        "self",
    ]


def test_entrants_that_never_met_have_a_dash_in_the_crosstable() -> None:
    hand = by_hand()
    page = parsed(with_overall(hand, replace(hand.overall, head_to_head={})))
    assert rows(page.id("crosstable").all("table")[0]) == [["alpha", "", "–"], ["beta", "–", ""]]


def test_skills_are_dots_with_intervals_and_bars_for_groups() -> None:
    plot = skill_plot(by_hand().overall)
    assert (plot.scale.low, plot.scale.high) == (-0.75, 0.75)
    assert [row.entrant for row in plot.rows] == ["alpha", "beta"]
    # From -0.75 to 0.75: 0.25 lies at two thirds of the axis, 0.5 at five sixths.
    assert [(row.low, row.mid, row.high) for row in plot.rows] == [
        (66.67, 83.33, 100),
        (0, 16.67, 33.33),
    ]
    assert plot.lanes == 2
    assert [[(bar.letter, bar.part, bar.lane) for bar in row.bars] for row in plot.rows] == [
        [("a", "top", 0)],
        [("a", "end", 0), ("b", "alone", 1)],
    ]
    page = parsed(by_hand())
    dots = page.id("skills").all("circle")
    assert [dot.attributes["cx"] for dot in dots] == ["83.33%", "16.67%"]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_bars_of_groups_never_cover_each_other(lengths: list[int]) -> None:
    """Groups that begin one row after the other, each of any length: as many lanes as overlap."""
    names = [f"n{n}" for n in range(len(lengths))]
    groups = tuple(
        Group(f"g{start}", tuple(names[start : start + length]))
        for start, length in enumerate(lengths)
    )
    skill = Skill(0, -1, 1, 1, 1, 1)
    lines = tuple(standing(name, 1, skill) for name in names)
    plot = skill_plot(replace(by_hand().overall, standings=lines, groups=groups))
    for row in plot.rows:
        lanes = [bar.lane for bar in row.bars]
        assert len(lanes) == len(set(lanes)) == sum(row.entrant in g.entrants for g in groups)
    assert plot.lanes == max(len(row.bars) for row in plot.rows)
    ways = {letter: lane for row in plot.rows for letter, lane in _lanes(row.bars)}
    assert all(ways[letter] == lane for row in plot.rows for letter, lane in _lanes(row.bars))


def _lanes(bars: Sequence[object]) -> list[tuple[str, int]]:
    return [(bar.letter, bar.lane) for bar in bars]  # type: ignore[attr-defined]


def test_places_are_stacked_bars() -> None:
    (column,) = place_columns(by_hand().by_seats())
    assert column.seats == 3
    alpha = column.bars["alpha"]
    # 700, 400 and 100 of 1,200; there is room for 8 % and more.
    assert [(part.place, part.start, part.width, part.label) for part in alpha.segments] == [
        (1, 0, 58.33, "58"),
        (2, 58.33, 33.33, "33"),
        (3, 91.67, 8.33, "8"),
    ]
    assert alpha.text.replace("\N{NO-BREAK SPACE}", " ") == (
        "1,200 matches: 1st 700 (58 %), 2nd 400 (33 %), 3rd 100 (8 %)"
    )
    assert "gamma" not in column.bars


def test_places_that_nobody_took_have_no_part_in_the_bar() -> None:
    hand = by_hand()
    figures = replace(ALPHA, places=(0, 97, 3), matches=100)
    table = replace(hand.overall, standings=(standing("alpha", 1, None, "", figures),))
    (column,) = place_columns({3: table})
    segments = column.bars["alpha"].segments
    assert [(part.place, part.label) for part in segments] == [(2, "97"), (3, "")]


def test_ordinals() -> None:
    assert [wording.ordinal(n) for n in range(1, 6)] == ["1st", "2nd", "3rd", "4th", "5th"]


def result(entrants: str, scores: tuple[int, ...], n: int = 1) -> Result:
    return Result(
        match=f"s-{n}",
        set_id="s",
        game="glastonbury",
        variant="plain",
        entrants=tuple(entrants),
        places=tuple(1 + sum(other > mine for other in scores) for mine in scores),
        scores=scores,
        forfeits=(),
        used=(1.0,) * len(scores),
        decisions=80,
    )


def test_scores_become_an_outline_with_quartiles() -> None:
    played = [result("ab", pair, n) for n, pair in enumerate([(0, 4), (0, 4), (1, 4), (3, 4)])]
    (column,) = score_columns(played)
    # The axis goes from 0 to 5, a bin holds one score; everything of b, the highest, is full.
    assert (column.seats, column.scale.low, column.scale.high) == (2, 0, 5)
    assert column.histograms["a"].outline == "M0 100L0 50H20L20 75H40L40 100H60L60 75H80L80 100Z"
    assert column.histograms["b"].outline == "M80 100L80 0H100L100 100Z"
    # Quartiles of 0 0 1 3 are 0, 0.5 and 1.5; the middle of score 0 is half a unit from its edge.
    histogram = column.histograms["a"]
    assert (histogram.low, histogram.median, histogram.high) == (10, 20, 40)
    assert histogram.text.replace("\N{NO-BREAK SPACE}", " ") == (
        "4 scores from 0 to 3; median 0.5, middle half 0 to 2"
    )


@given(st.lists(st.lists(st.integers(-300, 300), min_size=1, max_size=30), min_size=1, max_size=4))
def test_outlines_of_scores_hold_every_score_once(scores: list[list[int]]) -> None:
    """The area under an outline is the same share of its scores for everybody."""
    names = [f"n{n}" for n in range(len(scores))]
    played = [
        replace(result("ab", (score, score)), entrants=(name, name))
        for name, mine in zip(names, scores, strict=True)
        for score in mine
    ]
    (column,) = score_columns(played)
    step = re.compile(r"L([\d.]+) ([\d.]+)H([\d.]+)")
    areas = []
    for name in names:
        outline = column.histograms[name].outline
        steps = [tuple(map(float, found)) for found in step.findall(outline)]
        assert all(0 <= left < right <= 100 and 0 <= top <= 100 for left, top, right in steps)
        areas.append(sum((right - left) * (100 - top) for left, top, right in steps))
    assert areas == pytest.approx([areas[0]] * len(areas), rel=0.05)


def test_scores_of_different_table_sizes_are_kept_apart() -> None:
    columns = score_columns([result("abc", (1, 2, 3)), result("ab", (30, 20))])
    assert [(column.seats, sorted(column.histograms)) for column in columns] == [
        (2, ["a", "b"]),
        (3, ["a", "b", "c"]),
    ]


def test_convergence_draws_mu_and_two_sigma() -> None:
    plot = rating_panels(by_hand().overall)
    # Bands of the second half: 28 ± 6 and 30 ± 2 above, 22 ± 6 and 20 ± 2 below.
    assert (plot.axes.up.low, plot.axes.up.high) == (16, 34)
    assert (plot.axes.across.low, plot.axes.across.high) == (0, 1200)
    assert [panel.entrant for panel in plot.lines] == ["alpha", "beta"]
    alpha = plot.lines[0]
    heights = [PANEL_HEIGHT * (34 - mu) / 18 for mu in (25, 28, 30)]
    assert alpha.line == (
        f"M0 {heights[0]:.3g}L{PANEL_WIDTH / 2:g} {heights[1]:.3g}L{PANEL_WIDTH:g} {heights[2]:.3g}"
    )
    assert alpha.end == pytest.approx((PANEL_WIDTH, heights[2]), abs=0.06)
    spots = [tuple(map(float, spot.split())) for spot in alpha.band[1:-1].split("L")]
    bounds = [25 + 16, 28 + 6, 30 + 2, 30 - 2, 28 - 6, 25 - 16]
    assert [y for _, y in spots] == [
        pytest.approx(PANEL_HEIGHT * (34 - bound) / 18, abs=0.06) for bound in bounds
    ]
    assert plot.background.count("M") == 2


def test_convergence_leaves_the_wild_beginning_out_of_its_axis() -> None:
    hand = by_hand().overall
    wild = (Point(0, 25, 8), Point(1, 60, 7), Point(50, 30, 1), Point(100, 30, 1))
    plot = rating_panels(replace(hand, history={"alpha": wild}))
    assert (plot.axes.up.low, plot.axes.up.high) == (28, 32)


@pytest.mark.parametrize(
    ("low", "high", "marks", "expected"),
    [
        (0, 1, 5, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-1.34, 0.7, 5, ["−1.0", "−0.5", "0.0", "0.5"]),
        (0, 1208, 4, ["0", "500", "1,000"]),
        (-37, 52, 5, ["−20", "0", "20", "40"]),
        (0.011, 0.014, 3, ["0.011", "0.012", "0.013", "0.014"]),
        (-0.04, 0.04, 4, ["−0.04", "−0.02", "0.00", "0.02", "0.04"]),
    ],
)
def test_axes_are_marked_at_round_numbers(
    low: float, high: float, marks: int, expected: list[str]
) -> None:
    scale = Scale.over([high, low], marks)
    assert [mark.text for mark in scale.marks] == expected
    assert (scale.at(low), scale.at(high), scale.at((low + high) / 2)) == (0, 100, 50)
    assert [mark.text.strip("0.") == "" for mark in scale.marks] == [
        mark.is_zero for mark in scale.marks
    ]


def test_axis_without_values_or_with_one_alone() -> None:
    assert (Scale.over([]).low, Scale.over([]).high) == (0, 1)
    assert Scale.over([7]).at(7) == 50


@given(st.floats(1e-6, 1e9))
def test_steps_are_one_two_or_five_times_a_power_of_ten(least: float) -> None:
    step = round_up(least)
    assert least * (1 - 1e-6) <= step <= least * 2.5 * (1 + 1e-6)
    assert f"{step:e}"[0] in "125"
    assert float(f"{step:e}") == pytest.approx(float(f"{step:.0e}"))


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (None, 2, "–"),
        (0, 0, "0"),
        (-0.001, 2, "0.00"),
        (-1.5, 1, "−1.5"),
        (1234567.891, 2, "1,234,567.89"),
        (-12345, 0, "−12,345"),
    ],
)
def test_numbers(value: float | None, decimals: int, text: str) -> None:
    assert wording.number(value, decimals) == text


def test_many_names_are_cut_short() -> None:
    assert wording.listed([]) == ""
    assert wording.listed(["a"]) == "a"
    assert wording.listed(["a", "b"]) == "a and b"
    assert wording.listed(["a", "b", "c"]) == "a, b and c"
    assert wording.listed([*"abcdefgh"]) == "a, b, c, d, e, f, g and h"
    assert wording.listed([*"abcdefghi"]) == "a, b, c, d, e, f, g and 2 more"


def test_groups_beyond_z_are_set_apart() -> None:
    line = replace(standing("a", 1, None), groups=("y", "z", "aa"))
    assert wording.letters(line) == "y z aa"


def lead_with(*claimed: tuple[str, str]) -> str:
    return wording.lead(replace(by_hand().overall, told_apart=frozenset(claimed)))


def test_who_is_ahead_and_how_sure_that_is() -> None:
    assert lead_with() == "alpha is ahead, but cannot be told apart yet from beta."
    assert lead_with(("alpha", "beta")) == (
        "alpha is ahead, and can be told apart from all others."
    )
    assert lead_with(("beta", "alpha")) == (
        "alpha has the highest rating, but beta the better results in the fit."
    )
    hand = by_hand().overall
    level = tuple(replace(line, rank=line.rank and 1) for line in hand.standings)
    assert wording.lead(replace(hand, standings=level)) == (
        "No entrant is ahead: alpha and beta have the same rating."
    )
    tied = wording.lead(replace(hand, tie_rate=1.0))
    assert tied == "No entrant is ahead: in every match, all were level."
    alone = replace(hand, standings=(hand.standings[0], hand.standings[2]))
    assert "nothing to compare" in wording.lead(alone)
    assert wording.waiting(hand) == "gamma has not played yet."
    assert wording.waiting(replace(hand, standings=hand.standings[:2])) == ""


@pytest.mark.parametrize(
    ("kind", "when"),
    [
        (Claims.FIXED, "at the end of the schedule."),
        (Claims.ANYTIME, "at every moment, however often one looks."),
    ],
)
def test_the_page_says_with_which_confidence_and_when_claims_hold(kind: Claims, when: str) -> None:
    hand = by_hand()
    claimed = frozenset({("alpha", "beta")})
    table = replace(hand.overall, claims=kind, confidence=0.9, told_apart=claimed)
    sentence = plain(wording.claims(table))
    assert sentence.endswith(f"together with a confidence of 90 % {when}")
    page = parsed(with_overall(hand, table))
    assert sentence in plain(page.id("standings").text)
    assert "unadjusted" in page.id("above").text
    classes = [cell.attributes["class"] for cell in page.id("above").all("td")[1:]]
    assert classes == ["self", "up3 claimed", "down3 claimed", "self"]


def plain(text: str) -> str:
    return text.replace(wording.SPACE, " ")


def test_sentence_on_draws_states_the_draw_probability() -> None:
    hand = by_hand()
    assert plain(wording.draws(hand)) == (
        "3.1 % of neighbouring places in a match were level (TrueSkill assumes 2.0 %)."
    )
    free = plain(wording.draws(replace(hand, rating_system="openskill")))
    assert free.endswith("level; OpenSkill needs no draw probability.")


@pytest.mark.parametrize(
    ("found", "parts"),
    [
        (
            DuplicateGain(0.5, 0.4, 0.6, 400),
            ["reduced luck", "50 % (95 %: 40 % to 60 %)", "worth 2.0", "400 whole sets"],
        ),
        (DuplicateGain(0.9, 0.7, 1.1, 20), ["no measurable gain", "90 %", "20 whole sets"]),
        (DuplicateGain(1.4, 1.1, 1.8, 20), ["no measurable gain", "140 %"]),
        (DuplicateGain(0.0, 0.0, 0.0, 10), ["reduced luck", "0 %"]),
    ],
)
def test_sentence_on_duplicate_deals(found: DuplicateGain, parts: list[str]) -> None:
    hand = by_hand()
    table = replace(hand.overall, duplicates=found)
    text = plain(wording.gain(table))
    assert all(part in text for part in parts)
    page = parsed(with_overall(hand, table))
    assert text in plain(page.id("method").text)


def test_nothing_is_said_of_duplicate_deals_that_were_not_measured() -> None:
    hand = by_hand()
    table = replace(hand.overall, duplicates=None)
    assert wording.gain(table) == ""
    assert "uplicate deals" not in parsed(with_overall(hand, table)).id("method").text


def differing(*, is_found: bool = True, is_reversed: bool = True) -> Heterogeneity:
    differences = {
        "2": Estimate(-3, -4, -2),
        "3": Estimate(-0.7, -1, -0.4),
        "4": Estimate(0.3, 0, 1),
    }
    pair = ("greedy", "search")
    return Heterogeneity("seats", 40.0, 0.002, is_found, pair, is_reversed, differences)


def test_sentences_on_where_one_number_does_not_fit() -> None:
    hand = by_hand()
    table = replace(hand.overall, heterogeneity=(differing(),), cycles=(("a", "b", "c"),))
    order, cycle = effects_wording.notes(table)
    assert order == (
        "The order depends on the table size (p = 0.002): greedy is better than search at tables "
        "of 4, and search better than greedy at tables of 2; the skill of greedy less that of "
        "search is −3.00, −0.70 and 0.30 at tables of 2, 3 and 4. So two entrants are told apart "
        "over all matches only if they are so at each table size."
    )
    assert cycle == "No single number orders these: a beats b, b beats c, and c beats a."
    header = parsed(with_overall(hand, table)).all("header")[0].text
    assert order in header
    assert cycle in header
    (skills,) = effects_wording.dependence([differing(is_reversed=False)])
    assert skills.startswith("Skills depend on the table size (p = 0.002), most of all between")
    assert effects_wording.dependence([differing(is_found=False)]) == []
    assert effects_wording.cycles([("a", "b", "c")] * 5).endswith("; and 2 other cycles.")


def test_seats_and_neighbours_stand_in_a_table() -> None:
    hand = by_hand()
    seats = (Estimate(0.6, 0.55, 0.65), Estimate(0.5, 0.45, 0.55), Estimate(0.4, 0.35, 0.45))
    effects = TableEffects(
        TableKind("glastonbury", 3, "plain"), 40, seats, Estimate(0.08, 0.03, 0.13)
    )
    page = parsed(with_overall(hand, replace(hand.overall, effects=(effects,))))
    (table,) = page.id("seats").all("table")
    assert [[plain(cell) for cell in row] for row in rows(table)] == [
        [
            *("tables of 3, plain", "40", "60.0 (55.0 to 65.0)", "50.0 (45.0 to 55.0)"),
            *("40.0 (35.0 to 45.0)", "8.0 (3.0 to 13.0)"),
        ]
    ]
    assert "at every moment" not in page.id("seats").text
    at_any_time = replace(hand.overall, effects=(effects,), claims=Claims.ANYTIME)
    assert "at every moment" in parsed(with_overall(hand, at_any_time)).id("seats").text
    assert not [each for each in parsed(hand).walk() if each.attributes.get("id") == "seats"]


def test_header_says_what_was_given() -> None:
    page = parsed(
        by_hand(),
        facts={"Game": "Glastonbury", "Time control": "2 s per move"},
        notes=["delta is benched.", "12 matches were void."],
    )
    (header,) = page.all("header")
    assert header.all("h1")[0].text == "League"
    facts = dict(zip(*([e.text for e in header.all(tag)] for tag in ("dt", "dd")), strict=True))
    assert facts == {
        "Game": "Glastonbury",
        "Time control": "2 s per move",
        "Entrants": "3",
        "Matches that count": "1,200 in 400 sets",
        "Generated": NOW,
    }
    assert [item.text for item in header.all("li")] == [
        "delta is benched.",
        "12 matches were void.",
    ]


@pytest.mark.parametrize(
    ("scheduled", "state", "text"),
    [
        (2, "complete", "Complete: 2 matches played"),
        (3, "running", "Not complete: 2 of 3 matches played (66 %)"),
        (201, "running", "Not complete: 2 of 201 matches played (0 %)"),
        (None, "unknown", "2 matches"),
    ],
)
def test_header_says_whether_all_is_over(scheduled: int | None, state: str, text: str) -> None:
    played = [result("ab", (1, 0), n) for n in range(2)]
    page = parsed(standings(played, "League", "", replicates=FEW), played, scheduled=scheduled)
    (found,) = page.all("p", "state")
    assert (found.text, found.attributes["class"]) == (text, f"state {state}")


def test_trademark_is_named_where_it_is_used() -> None:
    notice = "TrueSkill is a trademark and method of Microsoft"
    assert notice in report_html(by_hand(), (), generated_at=NOW)
    free = replace(by_hand(), rating_system="openskill")
    text = report_html(free, (), generated_at=NOW)
    assert notice not in text
    assert "OpenSkill" in text


def test_parts_are_shown_where_there_are_several() -> None:
    assert not parsed(by_hand()).all("details")
    rated, results = made(["a", "b", "c", "d"], 12)
    page = parsed(rated, results)
    titles = [summary.text for summary in page.all("summary")]
    assert [title.split(";")[0] for title in titles] == [
        "Tables of 2 8 matches",
        "Tables of 3 12 matches",
        "Tables of 4 16 matches",
        "Variant: plain 18 matches",
        "Variant: recipes 18 matches",
    ]
    assert all(len(part.all("table")) == 1 for part in page.all("details"))


CHESS = ("glastonbury", "chess")
"""A game that everybody knows, and one that the program does not."""


def two_games(sets: int = 24) -> tuple[Standings, list[Result]]:
    results = synthetic_results(["a", "b", "c", "d"], sets, (2, 3, 2), games=CHESS)
    return standings(results, "League", ["late"], replicates=FEW), results


def test_each_game_has_its_table_and_one_is_over_all() -> None:
    rated, results = two_games()
    page = parsed(rated, results)
    (over_all,) = page.id("standings").all("table")
    heads = [cell.text for cell in over_all.all("th") if cell.attributes["scope"] == "col"]
    assert "Mean score" not in heads
    assert all(len(row) == len(heads) == 15 for row in rows(over_all))
    assert "over all games (chess and Glastonbury)" in page.id("standings").text
    assert "are rated together" in page.id("standings").text
    titles = [title.text for title in page.id("games").all("h3")]
    assert titles == ["chess", "Glastonbury"]
    for table, of_game in zip(page.id("games").all("table"), rated.by_game.values(), strict=True):
        lines = of_game.standings
        score = heads.index("Mean place") + 1
        assert [row[2] for row in rows(table)] == [line.entrant for line in lines]
        assert [row[score] for row in rows(table)] == [
            wording.number(line.figures.mean_score, 1) for line in lines
        ]
    (link,) = (a for a in page.all("nav")[0].all("a") if a.text == "Games")
    assert link.attributes["href"] == "#games"


def test_places_and_scores_are_shown_game_by_game() -> None:
    rated, results = two_games()
    page = parsed(rated, results)
    for section in ("places", "scores"):
        assert [title.text for title in page.id(section).all("h3")] == ["chess", "Glastonbury"]
        assert len(page.id(section).all("table")) == 2
    pictures = [title.text for title in page.id("scores").all("title")]
    assert "a, Glastonbury, tables of 3" in pictures
    titles = [summary.text.split(" 1")[0] for summary in page.all("summary")]
    assert "Glastonbury, tables of 2" in " ".join(titles)
    assert "chess, variant: recipes" in " ".join(titles)
    assert len(titles) == 8


def test_one_game_is_not_told_from_others() -> None:
    page = parsed(by_hand())
    assert not page.all("h3")
    assert not any(element.attributes.get("id") == "games" for element in page.walk())
    assert not [label for label in page.id("filter").all("label") if "Game" in label.text]
    (table,) = page.id("matches").all("table")
    assert [cell.text for cell in table.all("th")][:2] == ["Match", "Variant"]


def test_matches_of_several_games_say_which() -> None:
    rated, results = two_games()
    page = parsed(rated, results)
    data = json.loads(page.id("data").text)
    assert data["games"] == ["chess", "Glastonbury"]
    titles = {"chess": "chess", "glastonbury": "Glastonbury"}
    assert [data["games"][match[1]] for match in data["matches"]] == [
        titles[result.game] for result in results
    ]
    (label,) = (label for label in page.id("filter").all("label") if "Game" in label.text)
    assert [option.text for option in label.all("option")] == ["any", "chess", "Glastonbury"]
    (table,) = page.id("matches").all("table")
    assert [cell.text for cell in table.all("th")][:3] == ["Match", "Game", "Variant"]


def test_places_of_five_have_a_colour_each() -> None:
    names = ["a", "b", "c", "d", "e"]
    results = synthetic_results(names, 8, (5,), games=("gargon",))
    page = parsed(standings(results, "League", replicates=FEW), results)
    legend = [item.text for item in page.id("places").all("li")]
    assert legend == ["1st", "2nd", "3rd", "4th", "5th"]
    drawn = {rect.attributes["class"] for rect in page.id("places").all("rect")}
    assert drawn == {f"place{n}" for n in range(1, 6)}


def test_matches_are_all_there_with_links_to_released_records() -> None:
    played = [
        replace(result("ba", (-3, 10), 1), forfeits=(1,), decisions=77),
        replace(result("ab", (2, 1), 2), variant="recipes"),
    ]
    page = parsed(
        standings(played, "League", ["c"], replicates=FEW),
        played,
        records={"s-1": "records/s-1.jsonl.zst", "elsewhere": "records/x.jsonl.zst"},
    )
    data = json.loads(page.id("data").text)
    assert data["games"] == ["Glastonbury"]
    assert data["variants"] == ["plain", "recipes"]
    names = data["names"]
    assert sorted(names) == ["a", "b", "c"]
    a, b = names.index("a"), names.index("b")
    assert data["matches"] == [
        ["s-1", 0, 0, [b, a], [2, 1], [-3, 10], [1], 77, "records/s-1.jsonl.zst"],
        ["s-2", 0, 1, [a, b], [1, 2], [2, 1], [], 80, 0],
    ]
    one, *_ = page.id("filter").all("select")
    assert [option.text for option in one.children] == ["any", *names]


@pytest.mark.parametrize("link", ["r/a-1.jsonl", "a%20b.jsonl.zst", "../r/x.jsonl", "ä/ö.jsonl"])
def test_relative_links_are_taken(link: str) -> None:
    assert json.loads(matches_json([result("ab", (1, 2))], "ab", {"s-1": link}))["matches"][0][
        -1
    ] == (link)


@pytest.mark.parametrize(
    "link",
    [
        "",
        "https://example.org/x",
        "//example.org/x",
        "\\\\example.org\\x",
        "/etc/passwd",
        "javascript:alert(1)",
        " records/x",
        "records/x\n",
        'records/"x',
        "records/x?y",
    ],
)
def test_links_to_elsewhere_are_refused(link: str) -> None:
    with pytest.raises(ValueError, match="the link to the record of s-1 is"):
        matches_json([result("ab", (1, 2))], "ab", {"s-1": link})


HOSTILE = [
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(1)>",
    "\" onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "<!--",
    "]]>&amp;\u2028",
]


def test_strangers_text_stays_text() -> None:
    """The page with hostile names has the same elements as one with harmless names."""
    # Names that sort alike, since who is first in the alphabet comes first among equals.
    harmless = ["abcdef"[sorted(HOSTILE).index(name)] for name in HOSTILE]
    trees = []
    for names in (harmless, HOSTILE):
        results = synthetic_results(names, 30)
        again = dict(zip(["plain", "recipes"], names[:2], strict=True))
        results = [replace(played, variant=again[played.variant]) for played in results]
        rated = standings(results, names[0], (), replicates=FEW)
        page = parsed(
            rated, results, facts={names[0]: names[0]}, notes=names, scheduled=len(results)
        )
        trees.append(page)
        assert page.all("h1")[0].text == names[0]
        assert page.all("title")[0].text == f"{names[0]}: report"
        assert sorted(json.loads(page.id("data").texts[0])["names"]) == sorted(names)
        found = {bdi.texts[0] for bdi in page.id("standings").all("bdi")}
        assert found == set(names)
    shapes = [Counter((e.tag, *sorted(e.attributes)) for e in tree.walk()) for tree in trees]
    assert shapes[0] == shapes[1]
    assert len(trees[1].all("script")) == 2


def sizes() -> dict[str, tuple[Standings, list[Result]]]:
    many = [f"bot {n}" for n in range(40)]
    one = [result("ab", (3, 3))]
    forfeit = [replace(result("ab", (0, 0)), forfeits=(0, 1), places=(2, 1), used=(0.0, 0.0))]
    return {
        "no results": made(["a", "b"], 0),
        "nobody": made([], 0),
        "one entrant": made(["a"], 0),
        "one tie": (standings(one, "League", (), replicates=FEW), one),
        "all forfeit": (standings(forfeit, "League", (), replicates=FEW), forfeit),
        "four": made(["a", "b", "c", "d"], 8),
        "some wait": made(["a", "b", "c", "d"], 8, "late", "later"),
        "openskill": made(["a", "b", "c", "d"], 8, rating="openskill"),
        "forty": made(many, 30),
        "two games": two_games(),
    }


@pytest.fixture(scope="module")
def tournaments() -> dict[str, tuple[Standings, list[Result]]]:
    return sizes()


@pytest.mark.parametrize(
    "kind",
    [
        *("no results", "nobody", "one entrant", "one tie", "all forfeit", "four", "some wait"),
        *("openskill", "forty", "two games"),
    ],
)
def test_page_is_whole_and_needs_nothing_else(
    tournaments: dict[str, tuple[Standings, list[Result]]], kind: str
) -> None:
    text = report_html(*tournaments[kind], generated_at=NOW)
    assert text == report_html(*tournaments[kind], generated_at=NOW)
    assert "nan" not in re.findall(r"\w+", text)
    page = Page(text).root
    ids = Counter(e.attributes["id"] for e in page.walk() if "id" in e.attributes)
    assert set(ids.values()) == {1}
    for element in page.walk():
        target = element.attributes.get("href", "#standings")
        assert target == "data:," or target[1:] in ids
        assert element.attributes.get("aria-labelledby", "standings") in ids
        assert not element.attributes.keys() & {"src", "style", "srcset", "action", "data"}
        assert not any(name.startswith("on") for name in element.attributes)
    for picture in (e for e in page.all("svg") if e.attributes.get("role") == "img"):
        assert picture.children[0].tag == "title"
    # Without an icon of its own, a page makes browsers ask the server for one.
    (icon,) = page.all("link")
    assert icon.attributes == {"rel": "icon", "href": "data:,"}
    (style,) = page.all("style")
    assert "url(" not in style.texts[0]
    assert "@import" not in style.texts[0]
    for table in page.all("table"):
        assert table.children[0].tag == "caption"
        assert all("scope" in head.attributes for head in table.all("th"))


def test_policy_allows_this_style_and_this_script_only() -> None:
    page = parsed(by_hand())
    (meta,) = (e for e in page.all("meta") if "http-equiv" in e.attributes)
    assert meta.attributes["http-equiv"] == "Content-Security-Policy"
    (style,), (_, script) = page.all("style"), page.all("script")
    digests = [
        base64.b64encode(hashlib.sha256("".join(element.texts).encode()).digest()).decode()
        for element in (style, script)
    ]
    assert meta.attributes["content"].split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digests[0]}'",
        f"script-src 'sha256-{digests[1]}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_text_can_be_read_in_light_and_dark() -> None:
    """WCAG asks for a contrast of 4.5 between text and what is behind it."""
    style = parsed(by_hand()).all("style")[0].texts[0]
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{([^}]*)\}", style)
    )
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    for colours in (light, dark):
        on_paper = [(ink, "paper") for ink in ("ink", "soft", "accent", "good", "warn")]
        shades = ["even", *(f"{side}{n}" for side in ("up", "down") for n in (1, 2, 3))]
        on_shades = [("ink", shade) for shade in shades]
        on_places = [("ink", f"place{n}") for n in range(2, 7)]
        strong = [("on-strong", shade) for shade in ("up4", "down4", "place1")]
        for ink, behind in (*on_paper, *on_shades, *on_places, *strong):
            assert contrast(colours[ink], colours[behind]) >= 4.5, (ink, behind)


def test_large_page_is_small_and_quick() -> None:
    """10,000 matches of 30 entrants: less than 5 MB, in a few seconds."""
    names = [f"entrant number {n}" for n in range(30)]
    results = synthetic_results(names, 3400)
    assert len(results) > 10_000
    hand = by_hand()
    figures = replace(ALPHA, places=(400, 300, 300, 200))
    skill = Skill(0.123456, -0.123456, 0.3456, 1, 1, 30)
    history = tuple(Point(n * 6, 25 + n / 7, 25 / (n + 3)) for n in range(201))
    table = replace(
        hand.overall,
        standings=tuple(
            standing(name, n + 1, skill, "abc", figures) for n, name in enumerate(names)
        ),
        above=((0.94,) * 30,) * 30,
        head_to_head=dict.fromkeys(names, dict.fromkeys(names, Meeting(61, 3, 73))),
        groups=(Group("a", tuple(names)),),
        history=dict.fromkeys(names, history),
    )
    parts = dict.fromkeys((2, 3, 4), table)
    whole = standings_of(table, parts, {"plain": table, "recipes": table})
    records = {played.match: f"records/{played.match}.jsonl.zst" for played in results}
    begun = perf_counter()
    text = report_html(whole, results, generated_at=NOW, records=records)
    assert perf_counter() - begun < 10
    assert len(text.encode()) < 5_000_000
    assert len(json.loads(Page(text).root.id("data").texts[0])["matches"]) == len(results)
