"""A worker brings bots to its tables: who is waited for, who is absent, and who is sent away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from socket import socketpair
from typing import Any, cast
from unittest.mock import patch

from highstreet.v1 import play_pb2 as pb

from engine import seed_from_text
from referee import Absence, BotSpec, LagMeter, LocalBot, Question, RefereeServer, Stage
from referee.server import Session
from referee.tokens import Guest
from tests.tournaments.league_files import SMALL, read
from tests.virtual_time import run
from tournaments.runner.jobs import Job, Played, Refused, Returned, Work, WorkerSettings
from tournaments.runner.pool import BotPool
from tournaments.runner.worker import _Arrivals, _Worker
from tournaments.schedule import DuplicateSet

REMOTE = 'name = "x"\n[run]\nremote_seconds = 10\n' + "".join(
    f'[[entrants]]\nname = "{name}"\nremote = true\n' for name in "abc"
)


OURS, THEIRS = socketpair()
"""The line to a runner that nobody opens here."""


def worker(text: str = REMOTE, tables: int = 4) -> _Worker:
    made = _Worker(OURS, WorkerSettings(read(text), tables, Path(), "mark", 32))
    made._public = RefereeServer()
    return made


def arrive(worker: _Worker, name: str, *games: str) -> Session:
    """Let a bot dial in that plays one match at a time, of some games or of all."""
    session = Session(Guest(name), pb.Join(max_matches=1, games=games))
    session._connection = cast("Any", object())
    assert worker._public is not None
    worker._public.sessions.append(session)
    return session


async def free(worker: _Worker, match: str, sessions: Iterable[Session]) -> None:
    for session in sessions:
        session.stand_up(match)
    assert worker._public is not None
    await worker._public.notify()


def seated(arrivals: _Arrivals) -> list[str]:
    return sorted(name for name, each in arrivals.items() if not isinstance(each, Absence))


def test_a_remote_bot_that_plays_elsewhere_is_waited_for() -> None:
    async def story() -> None:
        host = worker()
        session = arrive(host, "a")
        assert seated(await host._bring_remote(["a"], "m1")) == ["a"]
        second = asyncio.create_task(host._bring_remote(["a"], "m2"))
        await asyncio.sleep(1000)
        assert not second.done(), "it is there: nobody can say that it did not come"
        await free(host, "m1", [session])
        assert seated(await second) == ["a"]

    run(story())


def test_a_remote_bot_that_is_not_there_runs_out_of_time() -> None:
    async def story() -> None:
        host = worker()
        arrive(host, "a")
        came = await host._bring_remote(["a", "b"], "m1")
        assert asyncio.get_running_loop().time() == 10
        assert seated(came) == ["a"]
        assert came["b"] == Absence("disconnect", "b did not dial in within 10 seconds.")

    run(story())


def test_the_time_of_a_bot_that_leaves_begins_when_it_leaves() -> None:
    async def story() -> None:
        host = worker()
        assert host._public is not None
        session = arrive(host, "a")
        await host._bring_remote(["a"], "m1")
        second = asyncio.create_task(host._bring_remote(["a"], "m2"))
        await asyncio.sleep(100)
        session._connection = None
        await host._public.notify()
        assert seated(await second) == []
        assert asyncio.get_running_loop().time() == 110

    run(story())


def test_no_two_matches_wait_for_each_other() -> None:
    async def story() -> None:
        host = worker()
        assert host._public is not None
        ab = asyncio.create_task(host._bring_remote(["a", "b"], "ab"))
        ba = asyncio.create_task(host._bring_remote(["b", "a"], "ba"))
        ca = asyncio.create_task(host._bring_remote(["c", "a"], "ca"))
        sessions = []
        for name in "cba":
            await asyncio.sleep(1)
            sessions.append(arrive(host, name))
            await host._public.notify()
        waiting = {"ab": ab, "ba": ba, "ca": ca}
        while waiting:
            await asyncio.sleep(1)
            over = [match for match, task in waiting.items() if task.done()]
            assert len(over) == 1, "each needs a, who plays one match at a time"
            assert seated(waiting.pop(over[0]).result()) == sorted(over[0])
            await free(host, over[0], sessions)

    run(story())


ONLY_CHESS = (
    "a says that it plays chess and go, but not glastonbury: an entrant plays every game of the "
    "tournament. Its join must name all of them, or none, which means all."
)


def test_a_remote_bot_that_does_not_play_every_game_is_sent_away_and_told_why() -> None:
    async def story() -> None:
        host = worker()
        session = arrive(host, "a", "go", "chess")
        said: list[Any] = []
        with patch.object(host._line, "put", said.append):
            came = await host._bring_remote(["a"], "m1")
        assert asyncio.get_running_loop().time() == 10, "it may come back as it should be"
        assert came == {"a": Absence("disconnect", ONLY_CHESS)}
        assert said == [Refused(ONLY_CHESS)], "the organiser is told once"
        assert session.leaving
        assert ONLY_CHESS.encode() in session.pop()

    run(story())


def test_a_remote_bot_that_comes_back_with_every_game_plays() -> None:
    async def story() -> None:
        host = worker()
        assert host._public is not None
        wrong = arrive(host, "a", "chess")
        coming = asyncio.create_task(host._bring_remote(["a"], "m1"))
        await asyncio.sleep(1)
        assert wrong.leaving
        right = arrive(host, "a", "chess", "glastonbury")
        await host._public.notify()
        assert seated(await coming) == ["a"]
        assert right.playing
        assert asyncio.get_running_loop().time() == 1
        await free(host, "m1", [right])
        right._connection = None
        came = await host._bring_remote(["a"], "m2")
        assert came["a"] == Absence("disconnect", "a did not dial in within 10 seconds.")

    run(story())


class Hotel(Stage):
    """Starts a callable instead of a process; the first one of "a" never answers."""

    def __init__(self, *games: str) -> None:
        super().__init__(None)
        self.plays = frozenset(games)
        """What the guests say that they play."""
        self.started: list[str] = []
        self.ended: list[str] = []

    async def bring(self, spec: BotSpec) -> LocalBot:
        """Start one more."""
        hotel, name = self, f"{spec.name}{len(self.started)}"
        self.started.append(name)

        class Guest(LocalBot):
            @property
            def games(self) -> frozenset[str]:
                return hotel.plays

            async def close(self) -> None:
                hotel.ended.append(name)

        async def never(_question: Question) -> Any:
            await asyncio.sleep(10**9)

        return Guest(name, never if name == "a0" else lambda question: question.legal[0])


def open_house(hotel: Hotel, tables: int = 4) -> _Worker:
    host = worker(SMALL, tables)
    specs = {entrant.name: entrant.spec() for entrant in host._tournament.entrants}
    host._pool, host._lag, host._public = BotPool(hotel, specs, 32), LagMeter(), None
    return host


def test_a_bot_that_we_start_and_that_does_not_play_every_game_forfeits() -> None:
    async def story() -> Hotel:
        hotel = Hotel("chess", "go")
        host = open_house(hotel)
        assert host._lag is not None
        match = DuplicateSet("glastonbury", "plain", ("a", "b"), 1).matches[0]
        job = Job(match, 1, seed_from_text("1"), bytes(16), duplicate=True)
        result, _ = await host._play_table(job)
        host._lag.stop()
        assert len(result.forfeits) == 2
        assert [cause.detail for cause in result.causes] == [
            ONLY_CHESS,
            ONLY_CHESS.replace("a says", "b says"),
        ]
        return hotel

    assert sorted(run(story()).ended) == ["a0", "b1"]


def test_a_process_that_forfeited_does_not_play_the_next_match() -> None:
    async def story() -> Hotel:
        hotel = Hotel()
        host = open_house(hotel)
        assert host._lag is not None
        for number in (1, 2, 3):
            match = DuplicateSet("glastonbury", "plain", ("a", "b"), number).matches[0]
            job = Job(match, 1, seed_from_text(str(number)), bytes(16), duplicate=True)
            result, _ = await host._play_table(job)
            assert len(result.forfeits) == (number == 1)
        host._lag.stop()
        return hotel

    hotel = run(story())
    assert hotel.started == ["a0", "b1", "a2"]
    assert hotel.ended == ["a0"]


def jobs(*numbers: int) -> tuple[Job, ...]:
    """Return matches between a and b, each of another set."""
    matches = [DuplicateSet("glastonbury", "plain", ("a", "b"), n).matches[0] for n in numbers]
    return tuple(
        Job(match, 1, seed_from_text(str(number)), bytes(16), duplicate=True)
        for number, match in zip(numbers, matches, strict=True)
    )


class Healthy(Hotel):
    """Whose first guest is not the one that never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.started.append("somebody")


def said_after(hotel: type[Hotel], *given: tuple[Job, ...]) -> list[Any]:
    """Give a worker with one table matches, and return what it says to its runner."""
    said: list[Any] = []

    async def story() -> None:
        host = open_house(hotel(), 1)
        assert host._lag is not None
        with patch.object(host._line, "put", said.append):
            for some in given:
                host._obey(Work(some))
            await asyncio.sleep(1000)
            host._lag.stop()

    run(story())
    return said


def test_matches_that_end_soon_after_each_other_are_told_together() -> None:
    one, *others = jobs(1, 2, 3, 4)
    (played,) = said_after(Healthy, (one,), tuple(others))
    assert isinstance(played, Played)
    assert [done.match for done in played.matches] == [job.match.id for job in (one, *others)]


def test_after_a_forfeit_a_worker_returns_what_it_was_given_ahead() -> None:
    """Whether somebody is benched by now is for the runner to say."""
    one, *others = jobs(1, 2, 3, 4)
    played, returned = said_after(Hotel, (one,), tuple(others))
    assert returned == Returned(tuple(job.match.id for job in others))
    assert [done.match for done in played.matches] == [one.match.id]
    assert [fault[:2] for fault in played.matches[0].faults] == [("a", "time_out")]


def test_a_worker_plays_no_more_at_once_than_it_has_tables() -> None:
    most = 0

    async def story() -> None:
        nonlocal most
        host = open_house(Hotel(), 2)
        assert host._lag is not None
        with patch.object(host._line, "put"):
            host._obey(Work(jobs(*range(1, 8))))
            while host._tables:
                most = max(most, len(host._tables))
                await asyncio.sleep(0.001)
            host._lag.stop()

    run(story())
    assert most == 2
