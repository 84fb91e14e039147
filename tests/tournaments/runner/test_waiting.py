"""Nothing waits for ever: matches of those who do not come are given up, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.leagues import BEGINNING, add_set
from tests.tournaments.serving import LEAGUE, TWO, Running, league_server, playing, run, until
from tournaments.model import ScheduledMatch, SeatResult, Version
from tournaments.runner.league_schedule import Absences

ANN, BOB, CID = (Version(name, "1") for name in ("ann", "bob", "cid"))
AT_ONCE = 0.05
"""A patience that is soon at its end, in seconds."""


def waiting(match: str, *table: Version, game: str = "ring") -> ScheduledMatch:
    """Return a match that has not begun."""
    seats = tuple(SeatResult(*version) for version in table)
    return ScheduledMatch(match, match, game, "plain", seats, LEAGUE, scheduled_at=BEGINNING)


# Who is missed ----------------------------------------------------------------------------------


def test_a_match_waits_for_as_long_as_it_is_told_and_not_longer() -> None:
    absences = Absences(most_seconds=300)
    matches = [waiting("ab", ANN, BOB), waiting("ac", ANN, CID)]
    there = {"ring": {ANN, BOB}}
    assert absences.overdue(matches, there, 1000) == ()
    assert absences.overdue(matches, there, 1300) == ()
    (given_up,) = absences.overdue(matches, there, 1301)
    assert given_up.match == "ac"
    assert given_up.why == "cid@1 was away for 301 s; a match waits for 300 s."


def test_whoever_comes_back_is_missed_anew() -> None:
    absences = Absences(most_seconds=300)
    matches = [waiting("ab", ANN, BOB)]
    assert absences.overdue(matches, {"ring": {ANN}}, 0) == ()
    assert absences.overdue(matches, {"ring": {ANN, BOB}}, 299) == ()
    assert absences.overdue(matches, {"ring": {ANN}}, 310) == ()
    assert absences.overdue(matches, {"ring": {ANN}}, 610) == ()
    assert len(absences.overdue(matches, {"ring": {ANN}}, 611)) == 1


def test_who_is_there_for_one_game_may_be_missed_for_another() -> None:
    absences = Absences(most_seconds=10)
    matches = [waiting("x", ANN, BOB), waiting("y", ANN, BOB, game="grid")]
    there = {"ring": {ANN, BOB}, "grid": {ANN}}
    assert absences.overdue(matches, there, 0) == ()
    assert [each.match for each in absences.overdue(matches, there, 11)] == ["y"]


# In a league ------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


async def until_dropped(running: Running, match: str) -> None:
    async def given_up() -> bool:
        return running.store.match(match).state == "dropped"

    await until(given_up, f"{match} is given up")


async def leave_a_match(file: str) -> tuple[str, dict[str, str]]:
    """Stop a server in the middle of a match of a duplicate set; return it, and the tokens."""
    async with league_server(file) as running:
        running.begin("ann", "bob", settings=replace(TWO, deals="duplicate"))
        bots = [await running.join(name, bot_version="1") for name in ("ann", "bob")]
        await running.open()

        async def seated() -> bool:
            return bool(running.store.running(LEAGUE))

        await until(seated, "a match begins")
        (match,) = running.store.running(LEAGUE)
        tokens = dict(running.tokens)
    for bot in bots:
        await bot.cut()
    return match.id, tokens


def test_a_match_of_a_version_that_never_returns_is_given_up(file: str) -> None:
    """Its author has sent the next version; that plays, and nothing stays behind."""

    async def test() -> None:
        match, tokens = await leave_a_match(file)
        async with league_server(file, patience=AT_ONCE) as running:
            running.tokens |= tokens
            left = [each.id for each in running.store.claimable(LEAGUE)]
            assert match in left
            assert len(left) == 2, "both seatings of the set wait"
            ann = await running.join("ann", bot_version="2")
            bob = await running.join("bob", bot_version="1")
            async with playing(ann, bob):
                for each in left:
                    await until_dropped(running, each)
                await running.until_played(2)
            assert {m.state for m in running.store.matches(LEAGUE).items if m.id in left} == {
                "dropped"
            }

    run(test)


def test_a_match_waits_for_those_who_are_late(file: str) -> None:
    """The same with the patience that servers have: it is played when both are back."""

    async def test() -> None:
        match, tokens = await leave_a_match(file)
        async with league_server(file) as running:
            running.tokens |= tokens
            bots = [await running.join(name, bot_version="1") for name in ("ann", "bob")]
            async with playing(*bots):

                async def played() -> bool:
                    return running.store.match(match).state == "played"

                await until(played, "the match is played")
            assert running.store.counts(LEAGUE)["dropped"] == 0

    run(test)


def test_a_match_of_somebody_on_the_bench_is_given_up(file: str) -> None:
    async def test() -> None:
        match, _ = await leave_a_match(file)
        async with league_server(file, patience=AT_ONCE) as running:
            running.store.bench(LEAGUE, "ann", "it forfeited too often")
            await running.server.manager.dismiss(LEAGUE, "ann", "benched")
            await until_dropped(running, match)

    run(test)


def test_another_server_does_not_give_up_what_is_not_its_own(file: str) -> None:
    """It has none of the bots, and leaves the match to the server that keeps it."""

    async def test() -> None:
        match, _ = await leave_a_match(file)
        async with league_server(file, "one", lease=3600) as keeper:
            assert keeper.store.match(match).server == "one"
            async with league_server(file, "two", patience=AT_ONCE) as other:
                # Something of its own to give up shows that it has looked.
                other.store.see_version(LEAGUE, "ann", "3")
                (own, _) = add_set(
                    other.store,
                    LEAGUE,
                    "glastonbury",
                    "plain",
                    [("ann", "3"), ("bob", "1")],
                    why="x",
                )
                other.store.adopt("two", 60.0)
                await other.server.manager.dismiss(LEAGUE, "nobody", "so that it looks")
                await until_dropped(other, own.id)
                assert other.store.match(match).state == "scheduled"

    run(test)


def test_who_has_a_match_waiting_plays_it_before_a_new_one(file: str) -> None:
    """Otherwise two who never become free together would never play it."""

    async def test() -> None:
        match, tokens = await leave_a_match(file)
        async with league_server(file) as running:
            running.store.drop([m.id for m in running.store.claimable(LEAGUE) if m.id != match])
            for name in ("cid", "dan"):
                _, tokens[name] = running.store.enter(LEAGUE, name, "")
            running.tokens |= tokens
            ann = await running.join("ann", bot_version="1")
            cid = await running.join("cid", bot_version="1")
            await cid.hear_kind("match_started")  # bob is not there: ann meets another bot
            dan = await running.join("dan", bot_version="1")
            bob = await running.join("bob", bot_version="1")
            async with playing(ann, cid, dan):
                started = await bob.hear_kind("match_started")
                assert started.match.startswith(match), "dan has to wait"

    run(test)
