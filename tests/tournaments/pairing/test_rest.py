"""When a league rests, who is kept apart, and for whom tables are chosen."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from tournaments.model import GameRequest, Pace, Version
from tournaments.pairing import (
    LeagueStats,
    PairingState,
    Present,
    choose_several,
    circles_of,
    settlement,
)

A, B, C, D = (Version(name, "1") for name in ("ann", "bob", "cid", "dan"))
PACE = Pace(settle="order", settle_width=0.5, settle_meetings=20, newcomer_matches=10)


def line(version: Version, skill: float | None, groups: str, width: float = 2.0) -> dict[str, Any]:
    middle = skill or 0.0
    return {
        "rated": version.rated,
        "label": version.entrant,
        "entrant": version.entrant,
        "matches": 30,
        "skill": skill,
        "skill_low": middle - width / 2,
        "skill_high": middle + width / 2,
        "groups": list(groups),
    }


APART = [line(A, 2.0, "a"), line(B, 0.0, "b"), line(C, -2.0, "c")]
CLOSE = [line(A, 2.0, "a"), line(B, 0.1, "b"), line(C, 0.0, "b")]


@pytest.mark.parametrize(
    ("settle", "lines", "is_settled"),
    [
        ("order", APART, True),
        ("order", CLOSE, False),
        ("leader", CLOSE, True),
        ("leader", [line(A, 2.0, "ab"), line(B, 0.1, "b"), line(C, 0.0, "c")], False),
        ("never", APART, False),
    ],
)
def test_the_question_is_settled_when_its_pairs_are_told_apart(
    settle: str, lines: list[dict[str, Any]], is_settled: bool
) -> None:
    found = settlement(replace(PACE, settle=settle), lines, [A, B, C], LeagueStats())
    assert found.is_settled is is_settled, found.why


def test_equal_bots_settle_by_precision_or_by_their_meetings() -> None:
    stats = LeagueStats()
    assert "bob and cid are not told apart" in settlement(PACE, CLOSE, [A, B, C], stats).why
    narrow = [line(A, 2.0, "a"), line(B, 0.1, "b", 0.4), line(C, 0.0, "b", 0.5)]
    assert settlement(PACE, narrow, [A, B, C], stats).is_settled
    assert not settlement(replace(PACE, settle_width=0), narrow, [A, B, C], stats).is_settled
    for _ in range(20):
        assert not settlement(PACE, CLOSE, [A, B, C], stats).is_settled
        stats.seat("ring", "plain", (C, B))
    assert settlement(PACE, CLOSE, [A, B, C], stats).is_settled
    other = Version("cid", "2")
    newer = [*CLOSE, line(other, 0.05, "b")]
    assert not settlement(PACE, newer, [A, B, other], stats).is_settled, "another version"


def test_a_newcomer_leaves_the_question_open_and_an_absent_bot_does_not() -> None:
    assert settlement(PACE, APART, [A, B, C], LeagueStats()).is_settled
    assert not settlement(PACE, APART, [A, B, C, D], LeagueStats()).is_settled
    few = [*APART[:2], {**APART[2], "matches": 9}]
    found = settlement(PACE, few, [A, B, C], LeagueStats())
    assert (found.is_settled, "cid" in found.why) == (False, True)
    assert settlement(PACE, few, [A, B], LeagueStats()).is_settled
    assert not settlement(PACE, APART, [A], LeagueStats()).is_settled
    assert not settlement(PACE, [], [A, B], LeagueStats()).is_settled


def test_a_chain_of_authors_and_addresses_is_one_circle() -> None:
    """Ann and Bob share an author, Bob and Cid an address; Dan and Eve have nothing in common."""
    marks = {
        "ann": ["author x"],
        "bob": ["author x", "address 1"],
        "cid": ["address 1"],
        "dan": ["author y"],
        "eve": [],
    }
    assert circles_of(marks) == {
        "ann": "ann",
        "bob": "ann",
        "cid": "ann",
        "dan": "dan",
        "eve": "eve",
    }
    chain = {f"b{n:03}": [f"m{n}", f"m{n + 1}"] for n in range(300)}
    assert set(circles_of(chain).values()) == {"b000"}


def test_tables_are_chosen_for_the_hosts_alone() -> None:
    games = (GameRequest("ring", (2,), ("plain",)),)
    there = [Present(version) for version in (A, B, C, D)]
    state = PairingState(games, there, LeagueStats(), 0, frozenset([D]))
    (table,) = choose_several(state, random.Random(1).random, 8)  # noqa: S311  no secret
    assert D in table.table
    none = replace(state, hosts=frozenset[Version]())
    assert choose_several(none, random.Random(1).random, 8) == ()  # noqa: S311  no secret


def test_a_new_version_has_neither_the_wait_nor_the_priority_of_a_newcomer() -> None:
    """Ann has just played in version 1; three others wait, and are known as well as she was."""
    games = (GameRequest("ring", (2,), ("plain",)),)
    stats = LeagueStats()
    for _ in range(40):
        for table in ((B, C), (C, D), (D, B), (A, B), (A, C), (A, D)):
            stats.seat("ring", "plain", table)
    newer = Version("ann", "2")
    there = [Present(version) for version in (newer, B, C, D)]
    for seed in range(20):
        dice = random.Random(seed)  # noqa: S311  no secret
        (chosen,) = choose_several(PairingState(games, there, stats, 0), dice.random, 1)
        assert not chosen.why.startswith("ann@2")
