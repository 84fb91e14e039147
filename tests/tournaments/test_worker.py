"""A worker brings bots to its tables: who is waited for, who is absent, and who is sent away."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, cast

from highstreet.v1 import play_pb2 as pb

from engine import seed_from_text
from referee import Absence, BotSpec, LagMeter, LocalBot, Question, RefereeServer, Stage
from referee.server import Session
from tests.tournaments.league_files import SMALL, read
from tests.virtual_time import run
from tournaments.runner.jobs import Job, WorkerSettings
from tournaments.runner.pool import BotPool
from tournaments.runner.worker import _Arrivals, _Worker
from tournaments.schedule import DuplicateSet

REMOTE = 'name = "x"\n[run]\nremote_seconds = 10\n' + "".join(
    f'[[entrants]]\nname = "{name}"\nremote = true\n' for name in "abc"
)


def worker(text: str = REMOTE) -> _Worker:
    ours, theirs = Pipe()
    theirs.close()
    made = _Worker(ours, WorkerSettings(read(text), Path(), "mark", 32))
    made._public = RefereeServer()
    return made


def arrive(worker: _Worker, name: str) -> Session:
    """Let a bot dial in that plays one match at a time."""
    session = Session(name, pb.Join(max_matches=1))
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


class Hotel(Stage):
    """Starts a callable instead of a process; the first one of "a" never answers."""

    def __init__(self) -> None:
        super().__init__(None)
        self.started: list[str] = []
        self.ended: list[str] = []

    async def bring(self, spec: BotSpec) -> LocalBot:
        """Start one more."""
        hotel, name = self, f"{spec.name}{len(self.started)}"
        self.started.append(name)

        class Guest(LocalBot):
            async def close(self) -> None:
                hotel.ended.append(name)

        async def never(_question: Question) -> Any:
            await asyncio.sleep(10**9)

        return Guest(name, never if name == "a0" else lambda question: question.legal[0])


def test_a_process_that_forfeited_does_not_play_the_next_match() -> None:
    async def story() -> Hotel:
        hotel, host = Hotel(), worker(SMALL)
        specs = {entrant.name: entrant.spec() for entrant in host._tournament.entrants}
        host._pool, host._lag, host._public = BotPool(hotel, specs, 32), LagMeter(), None
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
