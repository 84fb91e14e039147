"""A league while it is played: who is seated, what counts, who is sent away, what may be seen."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from engine.registry import find_game
from referee.record.reader import read_record
from referee.record.verify import verify_record
from referee.wire.codec import find_codec, view_fields
from tests.referee.dialling import Dialler
from tests.tournaments.serving import (
    BRIEF,
    LEAGUE,
    TWO,
    Running,
    league_server,
    playing,
    run,
    until,
)
from tournaments.model import GameSettings, LeagueSettings


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


async def leave_in_a_match(running: Running, name: str) -> None:
    """Join, wait for a decision, and go without a word."""
    bot = await running.join(name)
    await bot.hear_kind("decision")
    await bot.cut()


async def refusal(running: Running, token: str) -> tuple[grpc.StatusCode, str, str]:
    """Return with what a join is refused."""
    bot = Dialler(running.address)
    with pytest.raises(grpc.aio.AioRpcError):
        await bot.join(token)
    code, reason = await bot.end_status()
    detail = await bot.call.details()
    await bot.cut()
    return code, reason, detail


@pytest.mark.slow
def test_absence_costs_nothing_leaving_forfeits_and_the_bench_says_why(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            settings = replace(TWO, time_control=BRIEF, bench_after=2)
            running.begin("ann", "bob", "cid", settings=settings)
            await running.open()
            ann = await running.join("ann", max_matches=1)
            async with playing(ann):
                await leave_in_a_match(running, "bob")
                (first,) = await running.until_played(1)
                assert {s.entrant: s.forfeit for s in first.seats} == {"ann": False, "bob": True}
                assert next(s.place for s in first.seats if s.entrant == "bob") == 2
                (fault,) = running.store.faults(LEAGUE, "bob")
                assert (fault.match, fault.fault, fault.cause) == (first.id, "disconnect", "bot")
                assert running.store.entrant(LEAGUE, "bob").state == "active"

                await leave_in_a_match(running, "bob")
                await running.until_played(2)

                async def benched() -> bool:
                    return running.store.entrant(LEAGUE, "bob").state == "benched"

                await until(benched, "bob is benched")
                reason = running.store.entrant(LEAGUE, "bob").reason
                assert "forfeited 2 times in a row" in reason
                assert "disconnect" in reason

                said = await refusal(running, running.tokens["bob"])
                assert said[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "BENCHED")
                assert reason in said[2], "its author reads it where the bot runs"

                # Its author says that it is mended, and it plays again.
                shown = await running.ask("unbench", LEAGUE, "bob", token=running.tokens["bob"])
                assert (shown["state"], shown["reason"]) == ("active", "")
                bob = await running.join("bob")
                async with playing(bob):
                    await running.until_played(3)

            for entrant in await running.ask("entrants", LEAGUE):
                if entrant["name"] == "cid":
                    assert (entrant["state"], entrant["connections"]) == ("active", 0)
            assert running.store.faults(LEAGUE, "cid") == ()
            assert not running.store.matches(LEAGUE, entrant="cid").items

    run(test)


async def standings_of(running: Running) -> tuple[dict[str, dict[str, Any]], int]:
    rows, matches = await running.ask("standings", LEAGUE)
    return {row["name"]: row for row in rows}, matches


def test_versions_are_rated_apart_and_what_is_taken_away_leaves_the_standings(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob", "cid", settings=replace(TWO, time_control=BRIEF))
            await running.open()
            bob, cid = await running.join("bob"), await running.join("cid")
            async with playing(bob, cid):
                for version in ("1.0", "2.0"):
                    async with playing(await running.join("ann", bot_version=version)):

                        async def met(wanted: str = version) -> bool:
                            seats = [seat for match in running.played() for seat in match.seats]
                            return ("ann", wanted) in {(s.entrant, s.version) for s in seats}

                        await until(met, f"ann@{version} has played")
            # Nobody is there any more: from here on nothing changes by itself.

            async def still() -> bool:
                return not running.server.manager.tables and not running.store.running(LEAGUE)

            await until(still, "all matches are over")
            played = running.played()

            async def counted(matches: int = len(played)) -> bool:
                return (await standings_of(running))[1] == matches

            await until(counted, "all matches are counted")
            rows, _ = await standings_of(running)
            assert rows.keys() == {"ann@1.0", "ann@2.0", "bob", "cid"}
            assert [rows[f"ann@{v}"]["current"] for v in ("1.0", "2.0")] == [False, True]
            of_ann = [s.version for match in played for s in match.seats if s.entrant == "ann"]
            for version in ("1.0", "2.0"):
                assert rows[f"ann@{version}"]["matches"] == of_ann.count(version)

            await running.manage("annul", played[0].id, "a power cut")

            async def annulled() -> bool:
                return await counted(len(played) - 1)

            await until(annulled, "one match less counts")
            matches = await running.ask("matches", LEAGUE)
            (shown,) = [match for match in matches if match["match"] == played[0].id]
            assert (shown["state"], shown["annulled"]) == ("annulled", "a power cut")

            await running.manage("disqualify", LEAGUE, "bob", "it asked its author")
            without = [m for m in played[1:] if "bob" not in {s.entrant for s in m.seats}]

            async def disqualified() -> bool:
                rows, matches = await standings_of(running)
                return "bob" not in rows and matches == len(without)

            await until(disqualified, "nothing of bob counts")
            kinds = {entry.kind for entry in running.store.journal(LEAGUE)}
            assert {"annulled", "disqualified"} <= kinds

    run(test)


def test_a_spectator_sees_fresh_deals_and_nothing_of_one_that_is_played_again(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob")
            running.store.create_league("twice", replace(TWO, deals="duplicate", max_tables=1))
            tokens = [running.store.enter("twice", name, "")[1] for name in ("ann", "bob")]
            await running.open()
            await running.server.manager.opened("twice")
            host = running.server.manager
            seen: list[Any] = []

            async def look_on() -> None:
                events = host.subscribe()
                while True:
                    seen.append(await anext(events))

            looking = asyncio.create_task(look_on())
            bots = [await running.join(name) for name in ("ann", "bob")]
            secret = [Dialler(running.address) for _ in tokens]
            for bot, token in zip(secret, tokens, strict=True):
                await bot.join(token)

            async def two_tables() -> bool:
                return len(running.store.running()) == 2 and len(host.snapshot()) > 0

            await until(two_tables, "two tables")
            (live,) = host.snapshot()
            assert (live.league, live.game, live.entrants) == (
                LEAGUE,
                "glastonbury",
                tuple(s.rated for s in running.store.running(LEAGUE)[0].seats),
            )
            (shown,) = host._live_feed._shown.values()
            game = find_game("glastonbury")
            view = game.view(shown.table.state, None)
            assert live.text == game.render(view)
            assert live.fields == view_fields(find_codec("glastonbury"), view)

            async with playing(*secret):

                async def both_seatings() -> bool:
                    known = running.store.matches("twice").items
                    released = [m for m in known if running.store.record(m.id) is not None]
                    done = running.store.matches("twice", state="played").items
                    for match in released:
                        siblings = [m for m in done if m.set_id == match.set_id]
                        assert len(siblings) == 2, "not before the set is done"
                    return len(done) >= 2

                await until(both_seatings, "a set is played in both seatings")
            async with playing(*bots):

                async def moved() -> bool:
                    return any(event.kind == "moved" for event in seen)

                await until(moved, "the table moves")
                await running.until_played(1)
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            assert not [e for e in seen if e.league == "twice" and e.table is not None]

    run(test)


def test_a_stop_gives_running_matches_back_and_the_next_server_plays_them(file: str) -> None:
    """The bots are asked to come again, and an old resume id does no harm then."""

    async def test() -> None:
        resume: dict[str, str] = {}
        async with league_server(file) as running:
            running.begin("ann", "bob")
            await running.open()
            bots = {name: await running.join(name) for name in ("ann", "bob")}

            async def seated() -> bool:
                return bool(running.store.running(LEAGUE))

            await until(seated, "a match begins")
            for bot in bots.values():
                await bot.hear_kind("match_started")
            (match,) = running.store.running(LEAGUE)
            resume = {name: bot.resume_id for name, bot in bots.items()}
            tokens = running.tokens
        for bot in bots.values():
            assert await bot.end_status() == (grpc.StatusCode.UNAVAILABLE, "SERVER_STOPS")
            await bot.cut()
        async with league_server(file, "another") as running:
            again = running.store.match(match.id)
            assert (again.state, again.attempt) == ("scheduled", 2)
            assert [void.match for void in running.store.voids()] == [match.id]
            assert not running.store.deaths(), "the stop counts against no entrant"
            running.tokens |= tokens
            came = [await running.join(name, resume_id=resume[name]) for name in resume]
            started = await came[0].hear_kind("match_started")
            assert started.match == f"{match.id}-a2", "another attempt is another match for bots"
            async with playing(*came):
                await running.until_played(1)
            played = running.store.match(match.id)
            assert (played.state, played.attempt) == ("played", 2)
            record = running.store.record(match.id)
            assert record is not None

    run(test)


def test_a_bot_with_several_connections_plays_several_matches(file: str, tmp_path: Path) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob")
            await running.open()
            many = [await running.join("ann") for _ in range(3)]
            many.append(await running.join("bob", max_matches=3))

            async def three_tables() -> bool:
                return len(running.store.running(LEAGUE)) == 3

            await until(three_tables, "three tables at once")
            (ann, _) = await running.ask("entrants", LEAGUE)
            assert ann["connections"] == 3
            async with playing(*many):
                played = await running.until_played(3)
            path = tmp_path / f"{played[0].id}.jsonl.zst"
            path.write_bytes(running.store.record(played[0].id) or b"")
            summary = verify_record(read_record(path))
            assert summary.entrants == tuple(seat.entrant for seat in played[0].seats)

    run(test)


def test_rounds_let_everybody_meet_everybody_before_anybody_meets_again(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            rules = (GameSettings("glastonbury", (2,)),)
            running.begin(
                "ann", "bob", "cid", settings=LeagueSettings("R", rules, scheduler="rounds")
            )
            bots = [await running.join(name) for name in ("ann", "bob", "cid")]
            await running.open()
            async with playing(*bots):
                await running.until_played(4)
            matches = running.store.matches(LEAGUE, page_size=100).items
            first = [match for match in matches if match.round == 1]
            pairs = sorted(sorted(seat.entrant for seat in match.seats) for match in first)
            assert pairs == [["ann", "bob"], ["ann", "cid"], ["bob", "cid"]]
            assert max(match.round or 0 for match in matches) >= 2

    run(test)


def test_a_closed_league_says_goodbye(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann")
            await running.open()
            ann = await running.join("ann")
            closed = await running.manage("close", LEAGUE)
            assert closed["state"] == "closed"
            assert (await ann.hear_kind("goodbye")).reason == "the league is closed"
            await ann.cut()
            late = await refusal(running, running.tokens["ann"])
            assert late[:2] == (grpc.StatusCode.FAILED_PRECONDITION, "LEAGUE_CLOSED")

    run(test)
