"""A bot under examination: started like any other, but all that it hears and says is noted."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

import orjson

from engine import Seat
from referee import BotCommand, LagMeter, MatchPlan, NoShowError, Player, RefereeServer, Transport
from referee.clock import Clock, TimeControl
from referee.pipe import PipeBot, PipePlayer
from referee.player import Answer, Gone, Inbox, Question, Rejection, Result, Submitted, Unreadable
from referee.policy import Fault
from referee.processes import BotProcess
from referee.record import commitment, printable
from referee.server import GrpcPlayer, Session
from referee.wire import find_codec, stdio

SHORT: Final = 160
"""How much of a line is quoted."""
GOODBYE: Final = "the check is over"
LONGEST_SILENCE: Final = timedelta(seconds=10)
"""After a rejected answer; a bot may have a bank of hours."""


# What was asked and said ------------------------------------------------------------------------


@dataclass(slots=True)
class Asked:
    """One question to the bot, and what became of it."""

    kind: str
    match: str
    decision: int
    limit: timedelta
    used: timedelta | None = None
    """How long the answer took; nothing if none came."""
    gone: Gone | None = None
    """Why no answer came."""
    heard: tuple[str, ...] = ()
    """What the bot said last, when no answer came."""
    errors: Path | None = None
    """Where its standard error is, when no answer came."""

    @property
    def late(self) -> bool:
        """Whether the answer came too late."""
        return self.used is not None and self.used > self.limit


@dataclass(slots=True)
class Evidence:
    """All that is known of a bot's behaviour."""

    echo: Callable[[str], None] = lambda _line: None
    asked: list[Asked] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What could not be read, and moves that were illegal."""
    strays: list[str] = field(default_factory=list)
    """Answers to questions that were not open."""
    heard: deque[str] = field(default_factory=lambda: deque(maxlen=3))
    """The last things that the bot said."""

    def told(self, line: bytes) -> None:
        """Note what the bot was told."""
        self.echo(f"→ {line.decode().strip()}")

    def said(self, text: str) -> None:
        """Note what the bot said."""
        self.heard.append(shortened(text))
        self.echo(f"← {printable(text)}")

    @property
    def answered(self) -> list[Asked]:
        """The questions that were answered, in time or not."""
        return [asked for asked in self.asked if asked.used is not None]


def shortened(text: str) -> str:
    """Return text from a bot as one short line."""
    return printable(text, SHORT)


def spoken(answer: Answer, game: str) -> str:
    """Write what a bot said as the line of JSON that says the same."""
    if isinstance(answer, Gone):
        return f"({answer.detail})"
    if isinstance(answer, Unreadable):
        return answer.said
    move = {game: find_codec(game).move_fields(answer.move)}
    said = {"match": answer.match, "decision_id": answer.decision, "move": move}
    return orjson.dumps({"submit_move": said}).decode()


# The player that spies --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Terms:
    """How a bot is examined in one match."""

    control: TimeControl
    """The clock that the bot is told."""
    kind: Callable[[Any, Any], str]
    """Names the kind of a decision, from the view and the legal moves."""
    patience: timedelta
    """How long after its time an answer still counts as late, and not as missing."""
    most_thinking: timedelta
    """When the bot has used so much time, the rest of the match is played for it."""
    most_answers: int | None = None
    """As most_thinking, by the number of answers."""

    def table_control(self) -> TimeControl:
        """Return a clock for the table that never runs out before the spy's own."""
        slack = 2 * (self.control.per_move + self.patience) + timedelta(minutes=1)
        return replace(self.control, per_move=self.control.per_move + slack)


class Spy:
    """A player that passes everything on and notes it.

    It keeps the clock that the bot is told, so that late answers can be told from missing ones.
    When it has seen enough, or the bot is silent, it plays on itself and asks the bot no more.
    """

    def __init__(self, inner: Player, evidence: Evidence, terms: Terms, lag: LagMeter) -> None:
        self.inner = inner
        self.inbox = Inbox()
        self._listening: asyncio.Task[None] | None = None
        self.asked: list[Asked] = []
        self.gone: Gone | None = None
        self._evidence = evidence
        self._terms = terms
        self._lag = lag
        self._clock = Clock.wound_up(terms.control)
        self._plan: MatchPlan | None = None
        self._question: Question | None = None
        self._deadline = self._start = self._lag_before = 0.0
        self._alone = False

    @property
    def answers(self) -> int:
        """How many questions of this match the bot answered."""
        return sum(asked.used is not None for asked in self.asked)

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Tell the bot that it is seated, with the clock that it shall believe in."""
        self._plan = replace(plan, time_control=self._terms.control)
        self._evidence.told(stdio.started_line(self._plan, seat, commitment(plan.seed, plan.salt)))
        self.inner.begin(self._plan, seat)

    def ask(self, question: Question) -> None:
        """Put a question, unless the bot is left alone by now."""
        assert self._plan is not None  # noqa: S101  a match begins before its first question
        self._question = question = question._replace(plan=self._plan, clock=self._clock)
        if self._alone:
            self.inbox.put(self.own_answer())
            return
        kind = self._terms.kind(question.view, question.legal)
        asked = Asked(kind, self._plan.match, question.decision, self._clock.limit)
        self.asked.append(asked)
        self._evidence.asked.append(asked)
        self._evidence.told(stdio.decision_line(question))
        self._start, self._lag_before = self._now(), self._lag.total()
        self._wait_for(self._clock.limit)
        self.inner.ask(question)
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        """Pass on what the bot says, until it has answered the question or is given up."""
        settled = False
        while not settled:
            answer = await self.hear()
            if isinstance(answer, Gone):
                answer, settled = self._give_up(answer), True
            elif isinstance(answer, Submitted) and self._answers_question(answer):
                self._take_time(answer)
                if self._is_legal(answer):
                    answer = await self.react(answer)
                    settled = self._settles(answer)
            self.inbox.put(answer)

    def absence(self) -> Gone | None:
        """Tell whether the bot is away."""
        return self.inner.absence()

    def reject(self, rejection: Rejection) -> None:
        """Tell the bot that its answer was not accepted."""
        rejection = replace(rejection, question=self.question)
        self._evidence.told(stdio.rejected_line(rejection))
        self.inner.reject(rejection)

    def end(self, result: Result) -> None:
        """Tell the bot how the match ended."""
        assert self._plan is not None  # noqa: S101  a match begins before it ends
        result = replace(result, plan=self._plan)
        self._evidence.told(stdio.ended_line(result))
        if self._listening is not None:
            self._listening.cancel()
        self.inbox.close()
        self.inner.end(result)

    # What a spy with an aim of its own builds upon.

    @property
    def question(self) -> Question:
        """The open question."""
        assert self._question is not None  # noqa: S101  only asked for when there is one
        return self._question

    async def react(self, answer: Submitted) -> Answer:
        """Decide what becomes of a legal answer."""
        return answer

    async def hear(self) -> Answer:
        """Wait for the next thing that the bot says, but not for ever."""
        answer = await self.inner.inbox.get(self._deadline)
        if answer is None:
            waited = self._deadline - self._start
            answer = self.inner.absence() or Gone(Fault.TIME_OUT, f"no answer in {waited:.1f} s")
        game = self.question.plan.game.spec.name
        self._evidence.said(spoken(answer, game))
        if isinstance(answer, Unreadable):
            said = shortened(answer.said)
            self._evidence.faults.append(f"cannot be read: {said} ({shortened(answer.problem)})")
        return answer

    def own_answer(self) -> Submitted:
        """Return a legal move in place of the bot's."""
        question = self.question
        move = question.legal[0]
        return Submitted(question.plan.match, question.decision, move, self._now())

    def wait_anew(self, duration: timedelta) -> None:
        """Wait so long for the next thing that the bot says, from now on."""
        self._deadline = self._now() + duration.total_seconds()

    def _wait_for(self, limit: timedelta) -> None:
        self._deadline = self._start + (limit + self._terms.patience).total_seconds()

    def _give_up(self, gone: Gone) -> Submitted:
        self.gone, self._alone = gone, True
        self.asked[-1].gone, self.asked[-1].heard = gone, tuple(self._evidence.heard)
        return self.own_answer()

    def _settles(self, answer: Answer) -> bool:
        """Tell whether the table will accept that."""
        question = self.question
        return (
            isinstance(answer, Submitted)
            and (answer.match, answer.decision) == (question.plan.match, question.decision)
            and answer.move in question.legal
        )

    def _answers_question(self, answer: Submitted) -> bool:
        if (answer.match, answer.decision) == (self.question.plan.match, self.question.decision):
            return True
        open_now = f"decision {self.question.decision} of {self.question.plan.match} was open"
        said = spoken(answer, self.question.plan.game.spec.name)
        self._evidence.strays.append(f"{shortened(said)} came while {open_now}")
        return False

    def _take_time(self, answer: Submitted) -> None:
        lag = self._lag.total() - self._lag_before
        used = timedelta(seconds=max(0.0, answer.at - self._start - lag))
        self.asked[-1].used = used
        self._clock = self._clock.after(used)
        thought = sum((asked.used or timedelta(0) for asked in self.asked), timedelta(0))
        most = self._terms.most_answers
        tired = sum(asked.late for asked in self._evidence.asked) > 2 and self.asked[-1].late
        if tired or thought > self._terms.most_thinking or most == self.answers:
            self._alone = True

    def _is_legal(self, answer: Submitted) -> bool:
        question = self.question
        if answer.move in question.legal:
            return True
        write = question.plan.game.format_move
        legal = ", ".join(map(write, question.legal[:6]))
        more = ", …" if len(question.legal) > 6 else ""
        self._evidence.faults.append(
            f'illegal: "{write(answer.move)}" for decision {question.decision} '
            f"({self.asked[-1].kind}); legal are {legal}{more}"
        )
        return False

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


class RejectingSpy(Spy):
    """A spy that rejects the first legal answer, to see what the bot does then."""

    again: Answer | None = None
    """What the bot said to that."""
    heard: Sequence[str] = ()
    """What it had said until then."""

    async def react(self, answer: Submitted) -> Answer:
        """Reject once; a bot that stays silent has its first answer accepted after all."""
        if self.again is not None:
            return answer
        message = "check-bot rejects one answer to see what you do: answer this decision again."
        self.reject(Rejection(self.question, None, message, 3, 3))
        self.wait_anew(min(self._clock.limit, LONGEST_SILENCE))
        self.again = again = await self.hear()
        self.heard = tuple(self._evidence.heard)
        if not isinstance(again, Gone):
            if isinstance(again, Submitted) and self._answers_question(again):
                self._is_legal(again)
            return again
        return answer if again.fault is Fault.TIME_OUT else self._give_up(again)


class CuttingSpy(Spy):
    """A spy that cuts the connection in place of the first legal answer."""

    again: Answer | None = None
    """What the bot said when it was back."""

    def __init__(
        self,
        inner: Player,
        evidence: Evidence,
        terms: Terms,
        lag: LagMeter,
        *,
        cut: Callable[[], None],
        wait: timedelta,
    ) -> None:
        super().__init__(inner, evidence, terms, lag)
        self._cut = cut
        self._wait = wait

    async def react(self, answer: Submitted) -> Answer:
        """Lose the answer once, as a broken network would, and wait for the bot to come back."""
        if self.again is not None:
            return answer
        if isinstance(self.inner, GrpcPlayer):
            self.inner.reopen()
        self._cut()
        self.wait_anew(self._wait)
        self.again = again = await self.hear()
        return self._give_up(again) if isinstance(again, Gone) else again


# The bot ----------------------------------------------------------------------------------------


class Examinee(Protocol):
    """A bot that was started for an examination."""

    process: BotProcess
    errors: Path
    matches: int
    """How many matches this process has begun."""

    async def join(self, seconds: float) -> str:
        """Wait until the bot is ready to play, and say how it came; raises NoShowError."""
        ...

    def player(self) -> Player:
        """Return the bot at a seat of its next match."""

    @property
    def dialled(self) -> bool:
        """Whether the bot has called the referee."""

    @property
    def absence(self) -> str | None:
        """Why the bot cannot play any more, if it cannot."""

    @property
    def most_matches(self) -> int:
        """How many matches the bot can play at once."""

    def came_as_stranger(self) -> bool:
        """Tell whether the bot has joined a second time as somebody new."""

    def say_goodbye(self) -> Inbox | None:
        """Tell the bot to go; return where what it still says comes in, if that can be heard."""

    def holds_output(self) -> bool:
        """Tell whether somebody still has the bot's standard output, after its end."""

    async def close(self) -> None:
        """End the bot, whatever it does."""


class PipeExaminee:
    """A bot that reads and writes lines."""

    most_matches: Final = 1
    dialled: Final = False

    def __init__(self, bot: PipeBot, errors: Path, game: str) -> None:
        self.process = bot.process
        self.errors = errors
        self.matches = 0
        self._bot = bot
        self._game = game

    async def join(self, seconds: float) -> str:  # noqa: ARG002  there is nothing to wait for
        """Say that nothing is to be done."""
        return "not needed over pipes"

    def player(self) -> Player:
        """Return the bot at a seat of its next match."""
        return PipePlayer(self._bot)

    @property
    def absence(self) -> str | None:
        """Why the bot cannot play any more, if it cannot."""
        if self._bot.gone is not None:
            return self._bot.gone.detail
        return exit_note(self.process)

    def came_as_stranger(self) -> bool:
        """Say no: it never joins."""
        return False

    def say_goodbye(self) -> Inbox:
        """Say goodbye and end its input."""
        inbox = Inbox()
        self._bot.sit_down(self._game, inbox)
        self._bot.write(stdio.goodbye_line(GOODBYE))
        self.process.end_input()
        return inbox

    def holds_output(self) -> bool:
        """Tell whether the standard output is still open."""
        return self.process.output_open

    async def close(self) -> None:
        """End the bot, whatever it does."""
        await self._bot.close()


class GrpcExaminee:
    """A bot that dials in."""

    def __init__(
        self, process: BotProcess, errors: Path, entrant: str, server: RefereeServer, cable: Cable
    ) -> None:
        self.process = process
        self.errors = errors
        self.matches = 0
        self.session: Session | None = None
        self._entrant = entrant
        self._server = server
        self._cable = cable
        self._calls_before = cable.calls
        self._watch: asyncio.Task[None] | None = None

    async def join(self, seconds: float) -> str:
        """Wait until the bot has joined; one whose process ends will not."""
        arrival = asyncio.create_task(self._server.arrival(self._entrant))
        ending = asyncio.create_task(self.process.wait())
        done, waiting = await asyncio.wait(
            (arrival, ending), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        await _cancel(*waiting)
        if arrival not in done:
            raise NoShowError(self._no_show(seconds))
        self.session = session = arrival.result()
        self._watch = asyncio.create_task(self._watch_process(session))
        version = f' version "{printable(session.bot_version, 40)}",' if session.bot_version else ""
        games = f" {', '.join(sorted(session.games))}," if session.games else ""
        return f"with its token,{version}{games} {session.max_matches} at once"

    def player(self) -> Player:
        """Return the bot at a seat of its next match."""
        assert self.session is not None  # noqa: S101  it joins before it plays
        return GrpcPlayer(self.session)

    @property
    def dialled(self) -> bool:
        """Whether the bot has called the referee."""
        return self._cable.calls > self._calls_before

    @property
    def absence(self) -> str | None:
        """Why the bot cannot play any more, if it cannot."""
        if self.session is None or not self.session.connected:
            return exit_note(self.process) or "it has hung up"
        return exit_note(self.process)

    @property
    def most_matches(self) -> int:
        """How many matches the bot can play at once."""
        return self.session.max_matches if self.session is not None else 1

    def came_as_stranger(self) -> bool:
        """Tell whether there is another session of this bot."""
        others = [s for s in self._server.sessions if s is not self.session]
        return any(session.entrant == self._entrant for session in others)

    def say_goodbye(self) -> None:
        """Send the last message."""
        if self.session is not None:
            self.session.say_goodbye(GOODBYE)

    def holds_output(self) -> bool:
        """Say no: its output is a file, and nobody waits for its end."""
        return False

    async def close(self) -> None:
        """End the bot, whatever it does."""
        if self._watch is not None:
            await _cancel(self._watch)
        self.say_goodbye()
        await self.process.end()

    def _no_show(self, seconds: float) -> str:
        why = exit_note(self.process) or f"waited {seconds:g} s"
        if self.dialled:
            return f"it dialled in, but did not join: {why}"
        return f"it did not dial HIGHSTREET_TARGET: {why}"

    async def _watch_process(self, session: Session) -> None:
        await self.process.wait()
        session.lose(Gone(Fault.CRASH, self.process.exit_note()))


def exit_note(process: BotProcess) -> str | None:
    """Say how a process ended, if it has."""
    return None if process.returncode is None else process.exit_note()


def group_lives(process: BotProcess) -> bool:
    """Tell whether anybody is left in the group of a process."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, 0)
        return True
    return False


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task


# Where it is examined ---------------------------------------------------------------------------


class Cable:
    """The line between the bots and the referee, which can be cut."""

    def __init__(self, port: int) -> None:
        self.calls = 0
        """How many connections there have been."""
        self.address = ""
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def lay(self) -> None:
        """Begin to carry."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Cut every connection; new ones can be made."""
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        """Cut everything, for good."""
        if self._server is not None:
            self._server.close()
        self.cut()
        while self._writers:  # noqa: ASYNC110  the carriers remove them, and nothing tells when
            await asyncio.sleep(0.01)

    async def _carry(self, near: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        self.calls += 1
        far, to_referee = await asyncio.open_connection("127.0.0.1", self._port)
        writers = {to_bot, to_referee}
        self._writers |= writers
        try:
            await asyncio.gather(_pump(near, to_referee), _pump(far, to_bot))
        finally:
            self._writers -= writers


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(64 * 1024):
            target.write(data)
            await target.drain()
    target.close()


class Hall:
    """Where a bot is examined: with a server and a cable if it dials in."""

    def __init__(self, command: BotCommand, transport: Transport, game: str, folder: Path) -> None:
        self.cable: Cable | None = None
        self._command = command
        self._transport = transport
        self._game = game
        self._folder = folder
        self._server: RefereeServer | None = None
        self._started: list[Examinee] = []

    async def __aenter__(self) -> Self:
        if self._transport is Transport.GRPC:
            self._server = RefereeServer()
            await self._server.start()
            self.cable = Cable(self._server.port)
            await self.cable.lay()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for examinee in self._started:
            await examinee.close()
        if self.cable is not None:
            await self.cable.close()
        if self._server is not None:
            await self._server.stop(grace=0.1)

    async def start(self) -> Examinee:
        """Start the bot afresh; raises BotStartError."""
        number = len(self._started) + 1
        errors = self._folder / f"bot-{number}.stderr.log"
        errors.touch()
        examinee = await self._begin(number, errors)
        self._started.append(examinee)
        return examinee

    async def _begin(self, number: int, errors: Path) -> Examinee:
        if self._server is None or self.cable is None:
            return PipeExaminee(await PipeBot.start(self._command, errors), errors, self._game)
        entrant = f"bot-{number}"
        extra = {
            "HIGHSTREET_TARGET": self.cable.address,
            "HIGHSTREET_TOKEN": self._server.tokens.issue(entrant),
        }
        process = await BotProcess.start(self._command, stderr=errors, extra=extra)
        return GrpcExaminee(process, errors, entrant, self._server, self.cable)


def standard_error(path: Path, lines: int = 6) -> list[str]:
    """Return the last lines of a bot's standard error as they are shown, each short."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 16 * 1024))
        text = file.read().decode("utf-8", "replace")
    last = [shortened(line) for line in text.splitlines()[-lines:]]
    if len(last) < 2:
        return [f"its standard error: {line}" for line in last]
    return ["its standard error:", *(f"  {line}" for line in last)]
