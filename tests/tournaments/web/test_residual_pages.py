"""A pair that throws its matches, from real matches in a database to the page of the league."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from tests.tournaments.web.leagues_with_matches import (
    DUPLICATE,
    Reader,
    Street,
    ask,
    in_folder,
)
from tournaments.store import Store

BOTS = ("helper", "ann", "bob", "friend")


def thrown(url: str, *, counting: bool) -> Street:
    """Play a league in which the loser of each match crashes, and the helper loses to the friend.

    The helper wins against ann and bob, and these against the friend; ann and bob win in turn.
    """
    store = Store.open(url)
    street = Street(url, store, store.first_organiser() or "")
    settings = replace(DUPLICATE, deals="fresh", count_striking_pairs=counting)
    store.create_league("thrown", replace(settings, bench_after=0))
    for name in BOTS:
        street.enter("thrown", name, "1")
    for number in range(6):
        for one, other in combinations(BOTS, 2):
            loser = one if (one, other) == ("helper", "friend") else other
            if (one, other) == ("ann", "bob") and number % 2:
                loser = one
            table = ((one, "1"), (other, "1"))
            for match in street.seat("glastonbury", "plain", *table, league="thrown"):
                street.play(match, crashing=loser)
    street.count("thrown")
    return street


@pytest.mark.parametrize("counting", [False, True])
def test_the_page_says_which_pair_is_not_rated(tmp_path: Path, counting: bool) -> None:
    street = thrown(in_folder(tmp_path), counting=counting)

    async def test(reader: Reader) -> None:
        page = (await reader.get("/leagues/thrown")).text
        document = await reader.json("/leagues/thrown.json")
        pair = document["residuals"]["pairs"][0]
        assert (pair["entrant"], pair["opponent"], pair["sets"]) == ("friend", "helper", 6)
        assert pair["striking"]
        assert pair["left_out"] is not counting
        assert document["league"]["count_striking_pairs"] is counting
        assert ('<span class="badge warn">not rated</span>' in page) is not counting
        assert ("its results are not rated" in page) is not counting
        lines = document["table"]["standings"]
        assert {line["entrant"]: line["matches"] for line in lines} == dict.fromkeys(BOTS, 18)
        ranks = {line["entrant"]: line["rank"] for line in lines}
        if not counting:
            assert (ranks["helper"], ranks["friend"]) == (1, 4)

    ask(street, test)
