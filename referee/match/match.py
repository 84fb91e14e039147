"""One match: ask, wait, judge, apply, record.

A match knows players, not transports, and reads no clock but that of the event loop, so a loop with
virtual time tests it completely.

A match is a generator that yields while it waits for a message. The callback that delivers the
message resumes it synchronously: a task would wait for the next iteration of the event loop at
every decision.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from engine import Outcome, Seat, UsageError
from referee.match.judging import Judge, JudgedDecision, SeatState, VoidMatchError
from referee.match.lag import LagMeter
from referee.match.messages import Gone
from referee.match.player import MatchPlan, Player, Question, Result
from referee.match.result import Abnormality, Absence, MatchResult
from referee.match.timer import DecisionTimer
from referee.model import ZERO, Cause, Clock, ClockKind, EventBatches, EventLog, Fault
from referee.record import STOPPED, Recorder, places_with_forfeits

log = logging.getLogger(__name__)

MESSAGES_PER_DECISION = 64
"""The most messages of a bot for one decision, whatever their content."""

CORES = os.cpu_count() or 1
SHORTEST_LOOK = 0.002
"""The least seconds between two looks at the CPU time of a bot that thinks."""

T = TypeVar("T")
Steps = Generator[None, None, T]
"""A computation that yields while it waits for a message, and returns a value."""

Watch = Callable[[Mapping[Seat, Any], Any], None]
"""Called after each decision with the moves and the view of a spectator."""

Commit = Callable[[MatchResult], Awaitable[bool]]
"""Stores a result and returns whether it counts; called before the result is sent to players."""


class Match:
    """One match between players."""

    def __init__(
        self,
        plan: MatchPlan,
        players: Sequence[Player],
        lag: LagMeter,
        watch: Watch | None = None,
        absent: Mapping[Seat, Absence] | None = None,
    ) -> None:
        """Set up a match.

        A seat that is absent forfeits before the first decision, and receives no messages. If a
        process is stopped by a signal at its time-out, the match is void.
        """
        self.plan = plan
        self._watch = watch
        self.state: Any = None
        self._game = plan.game
        self._lag = lag
        self._loop = asyncio.get_running_loop()
        self._counts_cpu = plan.time_control.clock is ClockKind.CPU
        self._seats = [self._seat_state(player) for player in players]
        self._check_clock(absent or {})
        self._judge = Judge(plan, self._seats)
        self._events = EventLog()
        self._thinking_times: list[timedelta] = []
        self._decisions: list[tuple[Seat, str, JudgedDecision]] = []
        """The decisions so far, with their moves in notation. They are recorded together at the
        end, which takes a third of the time."""
        self._applied = 0
        """The number of decisions that the engine has applied."""
        self._absent = dict(absent or {})
        self._stopped_seats: list[Seat] = []
        self._answered: SeatState | None = None
        """The seat in a sandbox that answered last. It is frozen after the next question is sent:
        so no bot waits for that, and one that is asked again runs on."""
        self._steps: Steps[Outcome] | None = None
        """The generator; None before the match begins."""
        self._running = False
        self._finished: asyncio.Future[Outcome | None] = self._loop.create_future()
        """The outcome; None if the match was stopped."""
        self._stopped: Abnormality | None = None

    def _seat_state(self, player: Player) -> SeatState:
        """Return the state of a seat at the beginning."""
        timer = DecisionTimer(self._loop, self._lag, player.inbox, counts_cpu=self._counts_cpu)
        return SeatState(player, Clock.initial(self.plan.time_control), timer)

    def _check_clock(self, absent: Mapping[Seat, Absence]) -> None:
        """Raise UsageError if a bot has no CPU time, for it is in no sandbox."""
        if not self._counts_cpu:
            return
        for seat, own in enumerate(self._seats):
            inbox = own.player.inbox
            if inbox.sandbox is None and not inbox.in_process and seat not in absent:
                raise UsageError(
                    f'the time control has clock = "cpu", but {self.plan.entrants[seat]} is in no '
                    'sandbox, so its CPU time is unknown: use a sandbox, or clock = "wall".'
                )

    async def play(self, commit: Commit | None = None) -> MatchResult:
        """Play the match, commit the result, and then send it to the players.

        A match that is stopped, or in which the referee fails, is void and not committed. If the
        result does not count, it is sent to the players as stopped.
        """
        result = await self._result()
        counts = result.void or commit is None
        try:
            if commit is not None and not result.void:
                counts = await commit(result)
        finally:
            self._send_result(result, counts=counts)
        return result

    async def _result(self) -> MatchResult:
        """Play the match and return its result."""
        if self._stopped is None:
            self._steps = self._play()
            self._loop.call_soon(self._resume)
            try:
                outcome = await self._finished
                if outcome is not None:
                    return self._finish(outcome)
            except Exception as error:
                reference = secrets.token_hex(4)
                log.exception("match %s is void, reference %s", self.plan.match, reference)
                detail = f"{type(error).__name__}, reference {reference}"
                self._stopped = Abnormality(Cause.REFEREE, STOPPED, detail)
                # The decisions that the engine could not apply are not part of the record.
                del self._decisions[self._applied :]
        self._judge.drop_causes_after(self.decisions)
        if self._stopped is not None:
            self._judge.causes.append(self._stopped)
        return self._finish(None)

    @property
    def decisions(self) -> int:
        """The number of decisions so far."""
        return len(self._decisions)

    @property
    def answered(self) -> int:
        """The number of decisions so far that a player was asked for."""
        return len(self._thinking_times)

    def stop(self, cause: Cause, detail: str) -> None:
        """Stop the match: it is void."""
        if self._stopped is None and not self._finished.done():
            self._stopped = Abnormality(cause, STOPPED, detail)
            self._finished.set_result(None)

    def _resume(self) -> None:
        """Run the generator until it waits for a message again."""
        assert self._steps is not None  # noqa: S101  only a match that has begun is resumed
        if self._finished.done() or self._running:
            return
        self._running = True
        try:
            next(self._steps)
        except StopIteration as end:
            self._finished.set_result(end.value)
        except VoidMatchError as void:
            self.stop(void.cause, str(void))
        except Exception as error:  # noqa: BLE001  the caller delivered a message and cannot handle it
            self._finished.set_exception(error)
        finally:
            self._running = False

    def _play(self) -> Steps[Outcome]:
        game = self._game
        for seat, own in enumerate(self._seats):
            if seat not in self._absent:
                own.player.begin(self.plan, Seat(seat))
                self._freeze(own)
        for seat, absence in self._absent.items():
            self._judge.forfeit(seat, absence.fault, absence.detail, 1)
        transition = game.deal(self.plan.options, self.plan.seed)
        self.state = transition.state
        self._events.add(transition.events)
        while seats := game.to_act(self.state):
            self._applied = applied = len(self._decisions)
            if len(seats) == 1:
                seat = seats[0]
                judged = yield from self._decide(seat, applied + 1)
                moves = {seat: judged.move}
                self._decisions.append((seat, game.format_move(judged.move), judged))
            else:
                moves = yield from self._decide_sealed(seats)
            transition = game.apply(self.state, moves)
            self.state = transition.state
            self._events.add(transition.events)
            if self._watch is not None:
                self._watch(moves, game.view(self.state, None))
        self._freeze_answered()
        outcome = game.outcome(self.state)
        assert outcome is not None  # noqa: S101  no seat is to act, so the game is over
        return outcome

    def _decide_sealed(self, seats: Sequence[Seat]) -> Steps[dict[Seat, Any]]:
        """Ask several seats at once; no seat receives anything before all have answered."""
        judged: dict[Seat, JudgedDecision] = {}
        deciding = {seat: self._decide(seat, self.decisions + i) for i, seat in enumerate(seats, 1)}
        while deciding:
            for seat, steps in list(deciding.items()):
                try:
                    next(steps)
                except StopIteration as end:
                    judged[seat] = end.value
                    del deciding[seat]
                    self._freeze_answered()
            if deciding and all(self._seats[seat].player.inbox.empty for seat in deciding):
                yield
        for seat in seats:
            self._decisions.append((seat, self._game.format_move(judged[seat].move), judged[seat]))
        return {seat: judged[seat].move for seat in seats}

    def _decide(self, seat: Seat, number: int) -> Steps[JudgedDecision]:
        """Ask a seat for a decision, unless all know that it is forced, or it has forfeited."""
        game, state = self._game, self.state
        legal = game.legal_moves(state, seat)
        forced = len(legal) == 1 and not game.secretly_forced(state, seat)
        if forced or seat in self._judge.forfeits:
            move = legal[0] if forced else game.default_move(state, seat)
            return JudgedDecision(move, ZERO, len(legal), asked=False)
        own = self._seats[seat]
        view, batches = game.view(state, seat), self._new_events(own, seat)
        question = Question(self.plan, seat, number, view, batches, legal, own.clock)
        inbox, timer, messages = own.player.inbox, own.timer, 0
        timer.start(own.clock.wall_seconds)
        if inbox.seconds_disconnected is not None:
            own.disconnected = inbox.seconds_disconnected()
        if inbox.sandbox is None and self._answered is None:
            own.player.ask(question)
        else:
            self._ask_and_freeze(own, question)
        decision = JudgedDecision(None, ZERO, len(legal))
        while decision.move is None:
            answer = inbox.take() or self._time_out(seat)
            if answer is None:
                yield
                continue
            if inbox.seconds_disconnected is not None:
                self._pause(own, inbox.seconds_disconnected())
            messages += 1
            if messages > MESSAGES_PER_DECISION:
                detail = f"more than {MESSAGES_PER_DECISION} messages for one decision"
                answer = Gone(Fault.MALFORMED, detail)
            seconds = timer.used(self._loop.time() if isinstance(answer, Gone) else answer.at)
            decision.used = timedelta(0, seconds) if seconds > 0 else ZERO
            if self._counts_cpu:
                decision.cpu = timedelta(0, timer.cpu_used())
            self._judge.judge(state, question, answer, decision)
        if inbox.sandbox is not None:
            self._answered = own
        own.clock = own.clock.after(decision.used if decision.cpu is None else decision.cpu)
        own.used += decision.used
        self._thinking_times.append(decision.used)
        return decision

    def _ask_and_freeze(self, own: SeatState, question: Question) -> None:
        """Ask a bot, let it go on, and freeze the one that answered before, if it is another.

        A bot in a sandbox does not wait for the freezing, and finds the question when it goes on:
        before it, it would wake up twice. Any other bot may compute its answer while it is asked,
        as players in this process do, so the freezing comes first.
        """
        before, self._answered = self._answered, None
        sandbox = own.player.inbox.sandbox
        if sandbox is None and before is not None:
            self._freeze(before)
            before = None
        own.player.ask(question)
        if sandbox is not None and before is not own:
            sandbox.resume()
        if before is not None and before is not own:
            self._freeze(before)

    def _freeze(self, own: SeatState) -> None:
        """Stop a bot in a sandbox until its next decision, unless the policy lets it think."""
        if own.player.inbox.sandbox is not None and not self.plan.policy.ponder:
            own.player.inbox.sandbox.freeze()
            own.timer.on_frozen()

    def _freeze_answered(self) -> None:
        """Stop the bot that answered last, if it still runs."""
        if self._answered is not None:
            self._freeze(self._answered)
            self._answered = None

    def _new_events(self, own: SeatState, seat: Seat) -> EventBatches:
        """Return the events since the last call for this seat, as far as it may see them."""
        batches = self._events.since(own.events_sent, seat)
        own.events_sent = len(self._events)
        return batches

    def _pause(self, own: SeatState, disconnected: float) -> None:
        """Stop the clock for the time that the bot was disconnected, as far as the policy says."""
        if disconnected != own.disconnected:
            more = min(disconnected - own.disconnected, self.plan.policy.reconnect - own.paused)
            own.disconnected = disconnected
            own.paused += more
            own.timer.pause(more)

    def _time_out(self, seat: Seat) -> Gone | None:
        """Return a time-out if the deadline has passed, after crediting event-loop lag.

        Otherwise register the match to be resumed by the next message, or at the deadline. Raises
        VoidMatchError if a signal has stopped the process of the bot.
        """
        own, now = self._seats[seat], self._loop.time()
        inbox, timer = own.player.inbox, own.timer
        if now >= timer.deadline and inbox.seconds_disconnected is not None:
            self._pause(own, inbox.seconds_disconnected())
        deadline = timer.deadline
        if self._counts_cpu:
            left = own.clock.seconds - timer.cpu_used()
            if left < 0:
                return Gone(Fault.TIME_OUT, "no answer within its CPU time")
            # All cores together cannot use it up earlier.
            look_again = now + max(left / CORES, SHORTEST_LOOK)
            if look_again < deadline:
                inbox.on_answer(self._resume, look_again)
                return None
        if now >= deadline:
            deadline += max(timer.credit(), timer.stalled())
            now = self._loop.time()
        if now < deadline:
            inbox.on_answer(self._resume, deadline)
            return None
        gone = own.player.absence() or Gone(Fault.TIME_OUT, "no answer in time")
        if gone.stopped:
            self._stopped_seats.append(seat)
            raise VoidMatchError(Cause.MACHINE, f"{self.plan.entrants[seat]}: {gone.detail}")
        return gone

    def _finish(self, outcome: Outcome | None) -> MatchResult:
        """Return the result of a match with that outcome; without one it was stopped."""
        ending = str(outcome.ending) if outcome else STOPPED
        scores = outcome.scores if outcome else ()
        places: tuple[int, ...] = ()
        if outcome:
            forfeits = self._judge.forfeits
            places = tuple(places_with_forfeits(scores, forfeits, outcome.tiebreaks))
        return MatchResult(
            self.plan,
            ending,
            scores,
            places,
            tuple(self._judge.forfeits),
            tuple(self._judge.causes),
            self.decisions,
            tuple(own.used for own in self._seats),
            self._record(ending, scores, places, outcome.tiebreaks if outcome else ()),
            dict(self._judge.strikes),
            tuple(self._thinking_times),
            tuple(self._stopped_seats),
        )

    def _record(
        self,
        ending: str,
        scores: tuple[int, ...],
        places: tuple[int, ...],
        tiebreaks: tuple[tuple[int, ...], ...],
    ) -> bytes:
        """Return the whole record."""
        plan = self.plan
        recorder = Recorder(
            plan.game,
            plan.options,
            plan.seed,
            plan.salt,
            plan.match,
            self._seat_heads(),
            plan.time_control.as_dict(),
            plan.policy.as_dict(),
            plan.about,
        )
        for n, (seat, move, judged) in enumerate(self._decisions, 1):
            ms = judged.used.total_seconds() * 1000
            cpu_ms = None if judged.cpu is None else judged.cpu.total_seconds() * 1000
            recorder.decision(
                n, seat, move, ms, judged.legal, judged.verdicts, cpu_ms, asked=judged.asked
            )
        causes = [cause.as_dict() for cause in self._judge.causes]
        recorder.end(ending, scores, places, self._judge.forfeits, causes, tiebreaks)
        return recorder.data()

    def _seat_heads(self) -> list[dict[str, object]]:
        """Return the seats as in the head of a record, with all that is known of each."""
        colours = self.plan.options.get("colours")
        heads: list[dict[str, object]] = [{"entrant": entrant} for entrant in self.plan.entrants]
        if isinstance(colours, str):
            for head, colour in zip(heads, colours, strict=False):
                head["colour"] = colour
        for entrant, head, own in zip(self.plan.entrants, heads, self._seats, strict=True):
            if entrant in self.plan.packages:
                head["package"] = self.plan.packages[entrant]
            if own.player.inbox.sandbox is not None:
                head["sandbox"] = dict(own.player.inbox.sandbox.description)
        return heads

    def _send_result(self, result: MatchResult, *, counts: bool) -> None:
        """Send the result to every player; one that does not count is sent as stopped."""
        if not counts:
            result = replace(result, ending=STOPPED, scores=(), places=(), forfeits=())
        for seat in map(Seat, range(len(self._seats) if self._steps is not None else 0)):
            if seat in self._absent:
                continue
            try:
                self._seats[seat].player.end(self._seat_result(seat, result))
                self._freeze(self._seats[seat])
            except Exception:
                log.exception("cannot send the result of %s to seat %s", self.plan.match, seat)

    def _seat_result(self, seat: Seat, result: MatchResult) -> Result:
        """Return the result with the last view of a seat."""
        try:
            view = self._game.view(self.state, seat) if self.state is not None else None
        except Exception:
            log.exception("seat %s gets no last view of match %s", seat, self.plan.match)
            view = None
        return Result(
            self.plan,
            seat,
            view,
            self._new_events(self._seats[seat], seat),
            result.ending,
            result.scores,
            result.places,
            result.forfeits,
        )
