"""A worker brings bots to its tables: who is waited for, who is absent, and who is sent away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from socket import socketpair
from typing import Any, cast
from unittest.mock import patch

from highstreet.v1 import play_pb2 as pb

from engine.shuffle import seed_from_text
from referee.match.lag import LagMeter
from referee.match.player import Question
from referee.match.result import Absence, MatchResult
from referee.model.bot import BotSpec
from referee.model.policy import Cause
from referee.transports.bot import BotLauncher
from referee.transports.grpc_server import RefereeServer
from referee.transports.grpc_session import Session
from referee.transports.tokens import AuthenticatedBot
from tests.local_bot import LocalBot
from tests.tournaments.tournament_files import SMALL, read
from tests.virtual_time import run
from tournaments.model import Job, PlayedMatch
from tournaments.model.match import DuplicateSet
from tournaments.worker.bot_pool import BotPool
from tournaments.worker.match_runner import MatchRunner
from tournaments.worker.messages import (
    BotRefused,
    Committed,
    JobsReturned,
    PlayJobs,
    RecallJobs,
    WorkerSettings,
)
from tournaments.worker.seating import Arrivals, Seating
from tournaments.worker.worker import Worker

REMOTE = 'name = "x"\n[run]\nremote_seconds = 10\n' + "".join(
    f'[[entrants]]\nname = "{name}"\nremote = true\n' for name in "abc"
)


GAME = "glastonbury"
OURS, THEIRS = socketpair()
"""The channel to a runner, which is never opened here."""


def worker(text: str = REMOTE, tables: int = 4) -> Worker:
    made = Worker(OURS, WorkerSettings(read(text), tables, Path(), "mark", 32))
    made._server = RefereeServer()
    pool = BotPool(BotLauncher(None), {}, 0)  # no bot is started
    made._seating = Seating(made._tournament, pool, made._server, made._report_refusal)
    return made


def seating(worker: Worker) -> Seating:
    assert worker._seating is not None
    return worker._seating


def arrive(worker: Worker, name: str, *games: str) -> Session:
    """Let a bot dial in that plays one match at a time, of some games or of all."""
    session = Session(AuthenticatedBot(name), pb.Join(max_matches=1, games=games))
    session._connection = cast("Any", object())
    assert worker._server is not None
    worker._server.sessions.append(session)
    return session


async def free(worker: Worker, match: str, sessions: Iterable[Session]) -> None:
    for session in sessions:
        session.detach(match)
    assert worker._server is not None
    await worker._server.notify()


def seated(arrivals: Arrivals) -> list[str]:
    return sorted(name for name, each in arrivals.items() if not isinstance(each, Absence))


def test_a_remote_bot_that_plays_elsewhere_is_waited_for() -> None:
    async def story() -> None:
        host = worker()
        session = arrive(host, "a")
        assert seated(await seating(host).seat_remote(["a"], "m1", GAME)) == ["a"]
        second = asyncio.create_task(seating(host).seat_remote(["a"], "m2", GAME))
        await asyncio.sleep(1000)
        assert not second.done(), "it is there: nobody can say that it did not come"
        await free(host, "m1", [session])
        assert seated(await second) == ["a"]

    run(story())


def test_a_remote_bot_that_is_not_there_runs_out_of_time() -> None:
    async def story() -> None:
        host = worker()
        arrive(host, "a")
        came = await seating(host).seat_remote(["a", "b"], "m1", GAME)
        assert asyncio.get_running_loop().time() == 10
        assert seated(came) == ["a"]
        assert came["b"] == Absence("disconnect", "b did not dial in within 10 seconds.")

    run(story())


def test_the_time_of_a_bot_that_leaves_begins_when_it_leaves() -> None:
    async def story() -> None:
        host = worker()
        assert host._server is not None
        session = arrive(host, "a")
        await seating(host).seat_remote(["a"], "m1", GAME)
        second = asyncio.create_task(seating(host).seat_remote(["a"], "m2", GAME))
        await asyncio.sleep(100)
        session._connection = None
        await host._server.notify()
        assert seated(await second) == []
        assert asyncio.get_running_loop().time() == 110

    run(story())


def test_no_two_matches_wait_for_each_other() -> None:
    async def story() -> None:
        host = worker()
        assert host._server is not None
        ab = asyncio.create_task(seating(host).seat_remote(["a", "b"], "ab", GAME))
        ba = asyncio.create_task(seating(host).seat_remote(["b", "a"], "ba", GAME))
        ca = asyncio.create_task(seating(host).seat_remote(["c", "a"], "ca", GAME))
        sessions = []
        for name in "cba":
            await asyncio.sleep(1)
            sessions.append(arrive(host, name))
            await host._server.notify()
        waiting = {"ab": ab, "ba": ba, "ca": ca}
        while waiting:
            await asyncio.sleep(1)
            over = [match for match, task in waiting.items() if task.done()]
            assert len(over) == 1, "each needs a, who plays one match at a time"
            assert seated(waiting.pop(over[0]).result()) == sorted(over[0])
            await free(host, over[0], sessions)

    run(story())


ONLY_CHESS = (
    "a says that it plays chess and go, but it is scheduled for glastonbury: let its join name "
    'glastonbury, or name its games in the tournament file, as in games = ["chess", "go"].'
)


def test_a_remote_bot_that_plays_no_game_of_the_tournament_is_sent_away_and_told_why() -> None:
    async def story() -> None:
        host = worker()
        session = arrive(host, "a", "go", "chess")
        said: list[Any] = []
        with patch.object(host._channel, "send", said.append):
            came = await seating(host).seat_remote(["a"], "m1", GAME)
        assert asyncio.get_running_loop().time() == 10, "it may come back as it should be"
        assert came == {"a": Absence("disconnect", ONLY_CHESS)}
        assert said == [BotRefused(ONLY_CHESS)], "the organiser is told once"
        assert session.leaving
        assert ONLY_CHESS.encode() in session.next_message()

    run(story())


TWO_GAMES = REMOTE.replace(
    "[run]", '[[games]]\ngame = "glastonbury"\n[[games]]\ngame = "kupferkessel"\n[run]'
)


def test_a_remote_bot_that_plays_one_game_stays_and_forfeits_the_other_only() -> None:
    async def story() -> None:
        host = worker(TWO_GAMES)
        session = arrive(host, "a", "glastonbury")
        said: list[Any] = []
        with patch.object(host._channel, "send", said.append):
            came = await seating(host).seat_remote(["a"], "m1", "kupferkessel")
            assert isinstance(came["a"], Absence)
            assert "scheduled for kupferkessel" in came["a"].detail
            assert [type(message) for message in said] == [BotRefused], "the organiser is told once"
            assert not session.leaving
            assert seated(await seating(host).seat_remote(["a"], "m2", "glastonbury")) == ["a"]

    run(story())


def test_a_remote_bot_that_comes_back_with_every_game_plays() -> None:
    async def story() -> None:
        host = worker()
        assert host._server is not None
        wrong = arrive(host, "a", "chess")
        coming = asyncio.create_task(seating(host).seat_remote(["a"], "m1", GAME))
        await asyncio.sleep(1)
        assert wrong.leaving
        right = arrive(host, "a", "chess", "glastonbury")
        await host._server.notify()
        assert seated(await coming) == ["a"]
        assert right.playing
        assert asyncio.get_running_loop().time() == 1
        await free(host, "m1", [right])
        right._connection = None
        came = await seating(host).seat_remote(["a"], "m2", GAME)
        assert came["a"] == Absence("disconnect", "a did not dial in within 10 seconds.")

    run(story())


class Hotel(BotLauncher):
    """Starts a callable instead of a process; the first one of "a" never answers."""

    def __init__(self, *games: str) -> None:
        super().__init__(None)
        self.plays = frozenset(games)
        """What the guests say that they play."""
        self.started: list[str] = []
        self.ended: list[str] = []

    async def launch(self, spec: BotSpec) -> LocalBot:
        """Start one more."""
        hotel, name = self, f"{spec.name}{len(self.started)}"
        self.started.append(name)

        class AuthenticatedBot(LocalBot):
            @property
            def games(self) -> frozenset[str]:
                return hotel.plays

            async def close(self) -> None:
                hotel.ended.append(name)

        async def never(_question: Question) -> Any:
            await asyncio.sleep(10**9)

        return AuthenticatedBot(name, never if name == "a0" else lambda question: question.legal[0])


def committing(host: Worker, said: list[Any]) -> Callable[[object], None]:
    """Return a channel to a runner that commits every result at once, and notes all messages."""

    def send(message: object) -> None:
        said.append(message)
        if isinstance(message, PlayedMatch):
            committed = Committed((message.result.match,))
            asyncio.get_running_loop().call_soon(host._on_message, committed)

    return send


def open_house(hotel: Hotel, tables: int = 4) -> Worker:
    host = worker(SMALL, tables)
    specs = {entrant.name: entrant.spec() for entrant in host._tournament.entrants}
    host._server, host._runner = None, MatchRunner(LagMeter())
    pool = BotPool(hotel, specs, 32)
    host._seating = Seating(host._tournament, pool, None, host._report_refusal)
    cast("Any", host._channel).send = committing(host, [])
    return host


def runner_of(host: Worker) -> MatchRunner:
    assert host._runner is not None
    return host._runner


async def played(host: Worker, job: Job) -> MatchResult:
    result = (await host._play_match(job)).result
    assert result is not None
    return result


def test_a_bot_that_we_start_forfeits_the_game_that_it_does_not_play() -> None:
    async def story() -> Hotel:
        hotel = Hotel("chess", "go")
        host = open_house(hotel)
        match = DuplicateSet("glastonbury", "plain", ("a", "b"), 1).matches[0]
        job = Job(match, 1, seed_from_text("1"), bytes(16), duplicate=True)
        result = await played(host, job)
        runner_of(host)._lag.stop()
        assert len(result.forfeits) == 2
        assert [cause.detail for cause in result.causes] == [
            ONLY_CHESS,
            ONLY_CHESS.replace("a says", "b says"),
        ]
        return hotel

    assert run(story()).ended == [], "it may play the other games"


def test_a_process_that_forfeited_does_not_play_the_next_match() -> None:
    async def story() -> Hotel:
        hotel = Hotel()
        host = open_house(hotel)
        for number in (1, 2, 3):
            match = DuplicateSet("glastonbury", "plain", ("a", "b"), number).matches[0]
            job = Job(match, 1, seed_from_text(str(number)), bytes(16), duplicate=True)
            result = await played(host, job)
            assert len(result.forfeits) == (number == 1)
        runner_of(host)._lag.stop()
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
        self.started.append("a bot")


def said_after(hotel: type[Hotel], *given: tuple[Job, ...]) -> list[Any]:
    """Give a worker with one table matches, and return what it says to its runner."""
    said: list[Any] = []

    async def story() -> None:
        host = open_house(hotel(), 1)
        with patch.object(host._channel, "send", committing(host, said)):
            for some in given:
                host._on_message(PlayJobs(some))
            await asyncio.sleep(1000)
            runner_of(host)._lag.stop()

    run(story())
    return said


def test_each_match_is_reported_when_it_ends() -> None:
    one, *others = jobs(1, 2, 3, 4)
    said = said_after(Healthy, (one,), tuple(others))
    assert [type(message) for message in said] == [PlayedMatch] * 4
    assert [message.result.match for message in said] == [job.match.id for job in (one, *others)]


def test_after_a_forfeit_a_worker_returns_what_it_was_given_ahead() -> None:
    """Whether an entrant is benched by now is for the runner to say."""
    one, *others = jobs(1, 2, 3, 4)
    one_played, returned = said_after(Hotel, (one,), tuple(others))
    assert returned == JobsReturned(tuple(job.match.id for job in others))
    assert one_played.result.match == one.match.id
    assert [(note.entrant, note.fault) for note in one_played.faults] == [("a", "time_out")]


def test_a_worker_plays_no_more_at_once_than_it_has_tables() -> None:
    most = 0

    async def story() -> None:
        nonlocal most
        host = open_house(Hotel(), 2)
        host._on_message(PlayJobs(jobs(*range(1, 8))))
        while runner_of(host).running:
            most = max(most, runner_of(host).running)
            await asyncio.sleep(0.001)
        runner_of(host)._lag.stop()

    run(story())
    assert most == 2


def test_no_bot_is_told_of_a_result_before_the_runner_has_committed_it() -> None:
    """The next match at that table waits for it."""
    ended: list[str] = []

    class Listening(Healthy):
        async def launch(self, spec: BotSpec) -> LocalBot:
            bot = await super().launch(spec)
            make = bot.player

            def player() -> Any:
                made = make()
                tell = made.end

                def end(result: Any) -> None:
                    ended.append(result.ending)
                    tell(result)

                cast("Any", made).end = end
                return made

            cast("Any", bot).player = player
            return bot

    async def story() -> None:
        hotel = Listening()
        host = open_house(hotel, 1)
        said: list[Any] = []
        with patch.object(host._channel, "send", said.append):
            first, second = jobs(1, 2)
            host._on_message(PlayJobs((first,)))
            await asyncio.sleep(100)
            assert [type(message) for message in said] == [PlayedMatch]
            assert ended == []
            host._on_message(PlayJobs((second,)))
            await asyncio.sleep(100)
            assert [type(message) for message in said] == [PlayedMatch], "the second match waits"
            host._on_message(Committed((first.match.id,)))
            await asyncio.sleep(100)
            assert [type(message) for message in said] == [PlayedMatch, PlayedMatch]
            assert len(ended) == 2
            assert "stopped" not in ended
            host._resolve_commit(second.match.id, committed=False)
            await asyncio.sleep(1)
            assert ended[2:] == ["stopped", "stopped"], "a result that is not kept is not told"
        runner_of(host)._lag.stop()

    run(story())


def test_a_worker_returns_what_it_was_given_ahead_when_it_is_asked_to() -> None:
    async def story() -> None:
        host = open_house(Hotel(), 1)  # whose first bot never answers
        said: list[Any] = []
        with patch.object(host._channel, "send", said.append):
            one, *others = jobs(1, 2, 3)
            host._on_message(PlayJobs((one, *others)))
            await asyncio.sleep(0.5)
            host._on_message(RecallJobs())
            assert said == [JobsReturned(tuple(job.match.id for job in others))]
            (table,) = runner_of(host)._matches.values()
            assert table is not None
            table.stop(Cause.REFEREE, "the test is over")
            await asyncio.sleep(1)
        runner_of(host)._lag.stop()

    run(story())
