"""When a league rests, who is kept apart, and for whom tables are chosen."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
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


def line(version: Version, skill: float, width: float = 2.0) -> dict[str, Any]:
    return {
        "rated": version.rated,
        "label": version.entrant,
        "entrant": version.entrant,
        "matches": 30,
        "skill": skill,
        "skill_low": skill - width / 2,
        "skill_high": skill + width / 2,
    }


def table(lines: Sequence[dict[str, Any]], claimed: Mapping[Version, str]) -> dict[str, Any]:
    """Return standings in which each version is better than those that begin with these letters."""
    told_apart = {
        better.rated: [line["rated"] for line in lines if line["entrant"][0] in worse]
        for better, worse in claimed.items()
    }
    return {"standings": lines, "told_apart": told_apart}


APART = table([line(A, 2.0), line(B, 0.0), line(C, -2.0)], {A: "bc", B: "c"})
CLOSE = table([line(A, 2.0), line(B, 0.1), line(C, 0.0)], {A: "bc"})
CHAIN = table([line(A, 2.0), line(B, 0.1), line(C, 0.0)], {A: "b", B: "c"})
"""Ann is not told apart from Cid, say because he has played little, although she is from Bob."""


@pytest.mark.parametrize(
    ("settle", "standings", "is_settled"),
    [
        ("order", APART, True),
        ("order", CLOSE, False),
        ("leader", CLOSE, True),
        ("order", CHAIN, True),
        ("leader", CHAIN, False),
        ("leader", {**CLOSE, "told_apart": None}, False),
        ("never", APART, False),
    ],
)
def test_the_question_is_settled_when_its_pairs_are_told_apart(
    settle: str, standings: dict[str, Any], is_settled: bool
) -> None:
    found = settlement(replace(PACE, settle=settle), standings, [A, B, C], LeagueStats())
    assert found.is_settled is is_settled, found.why


def test_equal_bots_settle_by_precision_or_by_their_meetings() -> None:
    stats = LeagueStats()
    assert "bob and cid are not told apart" in settlement(PACE, CLOSE, [A, B, C], stats).why
    narrow = table([line(A, 2.0), line(B, 0.1, 0.4), line(C, 0.0, 0.5)], {A: "bc"})
    assert settlement(PACE, narrow, [A, B, C], stats).is_settled
    assert not settlement(replace(PACE, settle_width=0), narrow, [A, B, C], stats).is_settled
    for _ in range(20):
        assert not settlement(PACE, CLOSE, [A, B, C], stats).is_settled
        stats.seat("ring", "plain", (C, B))
    assert settlement(PACE, CLOSE, [A, B, C], stats).is_settled
    other = Version("cid", "2")
    newer = table([*CLOSE["standings"], line(other, 0.05)], {A: "bc"})
    assert not settlement(PACE, newer, [A, B, other], stats).is_settled, "another version"


def test_a_newcomer_leaves_the_question_open_and_an_absent_bot_does_not() -> None:
    assert settlement(PACE, APART, [A, B, C], LeagueStats()).is_settled
    assert not settlement(PACE, APART, [A, B, C, D], LeagueStats()).is_settled
    *others, last = APART["standings"]
    few = {**APART, "standings": [*others, {**last, "matches": 9}]}
    found = settlement(PACE, few, [A, B, C], LeagueStats())
    assert (found.is_settled, "cid" in found.why) == (False, True)
    assert settlement(PACE, few, [A, B], LeagueStats()).is_settled
    assert not settlement(PACE, APART, [A], LeagueStats()).is_settled
    assert not settlement(PACE, None, [A, B], LeagueStats()).is_settled


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
