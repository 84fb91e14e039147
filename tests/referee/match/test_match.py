"""One match, in virtual time: whatever a player does, the table judges it as the policy says."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from itertools import count, pairwise
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Cell
from engine.game import Event, Seat
from engine.glastonbury.cards import IMMUTO, Ingredient
from engine.glastonbury.moves import AssignImmuto, Take
from engine.glastonbury.state import ImmutoAssigned, Looked
from engine.registry import AnyGame, find_game
from engine.shuffle import Seed
from referee.match.inbox import Inbox
from referee.match.lag import LagMeter
from referee.match.match import MESSAGES_PER_DECISION, Match
from referee.match.messages import Answer, Gone, Idle, StaleAnswer, Submitted, Unreadable
from referee.match.player import MatchPlan, Player, Question, Rejection, Result
from referee.match.result import MatchResult
from referee.model.clock import TimeControl
from referee.model.event_log import EventBatch
from referee.model.policy import Cause, Fault, Policy, Reaction
from referee.record.format import LONGEST_QUOTE
from referee.record.verify import Replay, replay_record, verify_record
from referee.transports.in_process import InProcessPlayer
from tests.virtual_time import run, virtual_loop

GAME = find_game("glastonbury")
NEVER_LEGAL = Take(Cell(0))
ONE_SECOND = TimeControl(per_move=timedelta(seconds=1), start_up=timedelta(0), latency=timedelta(0))
REJECT, STRIKE, FORFEIT = Reaction


# Scripted players ---------------------------------------------------------------------------------


class ScriptedPlayer:
    """Does what its script says for each question, and notes what it is told."""

    def __init__(self, script: Script | None = None) -> None:
        self._script = script or obedient
        self.inbox = Inbox()
        self._gone: Gone | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self.began: list[tuple[MatchPlan, Seat]] = []
        self.questions: list[Question] = []
        self.asked_at: list[float] = []
        self.rejections: list[Rejection] = []
        self.results: list[Result] = []
        self.meant: dict[int, str] = {}
        """What it wants to play, by decision."""

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Note it."""
        self.began.append((plan, seat))

    def ask(self, question: Question) -> None:
        """Note it, and set the timers for what the script says."""
        loop = virtual_loop()
        acts = self._script(len(self.questions), question)
        self.questions.append(question)
        self.asked_at.append(loop.time())
        self.meant[question.decision] = GAME.format_move(wish(question))
        for moment in sorted({act.after for act in acts}):
            now = [act for act in acts if act.after == moment]
            self._timers.append(loop.call_later(moment, self._perform, now, question))

    def _perform(self, acts: Sequence[Act], question: Question) -> None:
        for act in acts:
            act.do(self, question)

    def absence(self) -> Gone | None:
        """Tell whether the script is away."""
        return self._gone

    def reject(self, rejection: Rejection) -> None:
        """Note it."""
        self.rejections.append(rejection)

    def end(self, result: Result) -> None:
        """Note it, and stop following the script."""
        self.results.append(result)
        for timer in self._timers:
            timer.cancel()
        self.inbox.close()

    def say(self, answer: Answer) -> None:
        """Let the table hear something."""
        self.inbox.put(answer)

    def be(self, gone: Gone | None) -> None:
        """Be away, or be back."""
        self._gone = gone


@dataclass(frozen=True)
class Act:
    """Something that a player does some seconds after it was asked."""

    after: float
    do: Callable[[ScriptedPlayer, Question], None]


Script = Callable[[int, Question], Sequence[Act]]
"""What to do about a question; the number counts the questions to this player from 0."""


def wish(question: Question) -> Any:
    """Choose a legal move: an Immuto if there is one, for they lead to sealed decisions."""
    board = question.view.board
    for move in question.legal:
        if isinstance(move, Take) and board[move.cell] == IMMUTO:
            return move
    return question.legal[(5 * question.decision + question.seat) % len(question.legal)]


def submit(player: ScriptedPlayer, question: Question, move: Any) -> None:
    now = virtual_loop().time()
    player.say(Submitted(question.plan.match, question.decision, move, now))


def legal(player: ScriptedPlayer, question: Question) -> None:
    submit(player, question, wish(question))


def illegal(player: ScriptedPlayer, question: Question) -> None:
    submit(player, question, NEVER_LEGAL)


def unreadable(player: ScriptedPlayer, _question: Question) -> None:
    player.say(Unreadable("this is no move.", "gibberish", virtual_loop().time()))


def stale(player: ScriptedPlayer, question: Question) -> None:
    submit(player, question._replace(decision=question.decision - 1), wish(question))


def elsewhere(player: ScriptedPlayer, question: Question) -> None:
    """Answer a decision of the same number in another match."""
    submit(player, question._replace(plan=replace(question.plan, match="another")), NEVER_LEGAL)


def crash(player: ScriptedPlayer, _question: Question) -> None:
    player.say(Gone(Fault.CRASH, "exit status 1"))


def hang_up(player: ScriptedPlayer, _question: Question) -> None:
    player.be(Gone(Fault.DISCONNECT, "the connection is cut"))


def come_back(player: ScriptedPlayer, _question: Question) -> None:
    player.be(None)


def obedient(_number: int, _question: Question) -> Sequence[Act]:
    return [Act(0, legal)]


def always(*acts: Act) -> Script:
    return lambda _number, _question: acts


def at_first(*acts: Act) -> Script:
    """Do this about the first question, and answer the others after a while."""
    return lambda number, _question: [Act(0.25, legal)] if number else acts


def sealed_only(*acts: Act) -> Script:
    """Do this about a sealed question, and answer the others."""
    return lambda number, question: acts if is_sealed(question) else obedient(number, question)


def is_sealed(question: Question) -> bool:
    return isinstance(question.legal[0], AssignImmuto)


def block(at: float, seconds: float) -> None:
    """Block the loop, from a certain time on and for so long."""
    loop = virtual_loop()
    loop.call_at(at, loop.advance, seconds)


# A match and what came of it ----------------------------------------------------------------------


def a_plan(seats: int = 3, seed: int = 1, **changes: Any) -> MatchPlan:
    plan = MatchPlan(
        match="m1",
        game=GAME,
        options=GAME.spec.options(seats, {"recipes": True}),
        seed=Seed(seed.to_bytes(32, "big")),
        salt=b"salt",
        entrants=tuple(f"bot {seat}" for seat in range(seats)),
        time_control=ONE_SECOND,
        policy=Policy(),
    )
    return replace(plan, **changes)


@dataclass
class PlayedMatch:
    """A match that was played, with its record read and checked."""

    result: MatchResult
    players: Sequence[ScriptedPlayer]
    head: dict[str, Any] = field(init=False)
    decisions: list[dict[str, Any]] = field(init=False)
    end: dict[str, Any] = field(init=False)
    replay: Replay = field(init=False)

    def __post_init__(self) -> None:
        lines = [json.loads(line) for line in self.result.record.splitlines()]
        self.head, _, *self.decisions, self.end = lines
        self.replay = replay_record(self.result.record)
        summary = verify_record(self.result.record)
        result = self.result
        assert summary.decisions == result.decisions == len(self.decisions)
        assert (summary.ending, summary.scores) == (result.ending, result.scores)
        assert summary.places == result.places == tuple(self.end["places"])
        assert tuple(self.end["forfeits"]) == result.forfeits
        assert self.end["causes"] == [cause.as_dict() for cause in result.causes]
        if not result.void:
            verdicts = [each for line in self.decisions for each in line.get("verdicts", ())]
            struck = Counter(each["fault"] for each in verdicts if each["reaction"] == "strike")
            assert result.strikes == struck
            thought = [line["ms"] for line in self.decisions if line["ms"]]
            took = [each.total_seconds() * 1000 for each in result.thought if each]
            assert sorted(took) == pytest.approx(sorted(thought), abs=0.001)

    def of(self, seat: int) -> list[dict[str, Any]]:
        """Return how the decisions of a seat are recorded."""
        return [line for line in self.decisions if line["seat"] == seat]

    def first_of(self, seat: int) -> dict[str, Any]:
        """Return how the first question to a seat is recorded."""
        return self.decisions[self.players[seat].questions[0].decision - 1]

    def default(self, line: Mapping[str, Any]) -> str:
        """Return what the default move was for a decision that was not sealed."""
        state = self.replay.positions[line["n"] - 1].state
        return GAME.format_move(GAME.default_move(state, line["seat"]))

    def played_itself(self, seat: int) -> bool:
        """Tell whether each move of a seat was its own, or forced."""
        meant = self.players[seat].meant
        return all(
            line["legal"] == 1 or (line["move"] == meant.get(line["n"]) and "verdicts" not in line)
            for line in self.of(seat)
        )


async def attach(
    plan: MatchPlan,
    players: Sequence[Player],
    during: Callable[[Match], None] | None = None,
    interval: float = 0.005,
) -> MatchResult:
    lag = LagMeter(interval)
    table = Match(plan, players, lag)
    if during is not None:
        during(table)
    try:
        return await table.play()
    finally:
        lag.stop()


def play(
    *scripts: Script | None,
    during: Callable[[Match], None] | None = None,
    interval: float = 0.005,
    **changes: Any,
) -> PlayedMatch:
    """Play a match between players with these scripts; nothing in place of one is obedience."""
    players = [ScriptedPlayer(script) for script in scripts]
    plan = a_plan(len(players), **changes)
    return PlayedMatch(run(attach(plan, players, during, interval)), players)


def policy(**changes: Any) -> Policy:
    return replace(Policy(), **changes)


def later(seconds: float, do: Callable[[Match], None]) -> Callable[[Match], None]:
    """Do something with the table when so much time has passed."""

    def schedule(table: Match) -> None:
        virtual_loop().call_later(seconds, do, table)

    return schedule


def seed_where(seats: int, holds: Callable[[Question], bool]) -> int:
    """Return the first seed of a game with recipes in which some question is like that."""
    for seed in count(1):
        plan = a_plan(seats, seed)
        state = GAME.deal(plan.options, plan.seed).state
        decisions = 0
        while to_act := GAME.to_act(state):
            moves = {}
            for seat in to_act:
                decisions += 1
                view, moves_there = GAME.view(state, seat), GAME.legal_moves(state, seat)
                batches = [EventBatch(to_act)]  # type: ignore[arg-type]
                question = Question(plan, seat, decisions, view, batches, moves_there, None)  # type: ignore[arg-type]
                if holds(question):
                    return seed
                moves[seat] = wish(question)
            state = GAME.apply(state, moves).state
    raise AssertionError("there is always another seed")


SEALED_SEED = seed_where(3, lambda question: is_sealed(question) and len(question.events) == 2)
FORCED_SEED = seed_where(3, lambda question: len(question.legal) == 1)


# Nobody does anything wrong -----------------------------------------------------------------------


def test_a_match_of_obedient_players_has_their_moves_and_no_verdicts() -> None:
    match = play(None, None, None)
    assert not match.result.void
    assert match.result.forfeits == ()
    assert match.result.causes == ()
    assert all(match.played_itself(seat) for seat in range(3))
    for seat, player in enumerate(match.players):
        assert [began for _, began in player.began] == [seat]
        (told,) = player.results
        assert (told.ending, told.scores) == (match.result.ending, match.result.scores)
        assert (told.places, told.forfeits) == (match.result.places, ())


def test_the_head_has_what_was_settled_before_and_the_commitment_matches() -> None:
    plan = a_plan(3, 7)
    match = play(None, None, None, seed=7)
    assert match.head["seats"] == [
        {"entrant": f"bot {seat}", "colour": colour} for seat, colour in enumerate("YGR")
    ]
    assert match.head["time_control"] == ONE_SECOND.as_dict()
    assert match.head["policy"] == Policy().as_dict()
    assert match.head["commitment"] == hashlib.sha256(plan.seed + plan.salt).hexdigest()


def test_the_time_used_is_recorded_for_each_decision_and_summed_up_for_each_seat() -> None:
    delays = (0.25, 0.0125, 0)
    match = play(*[always(Act(delay, legal)) for delay in delays])
    for seat, (player, delay) in enumerate(zip(match.players, delays, strict=True)):
        asked = {question.decision for question in player.questions}
        assert {line["ms"] for line in match.of(seat) if line["n"] in asked} == {1000 * delay}
        assert match.result.used[seat] == len(asked) * timedelta(seconds=delay)
        assert match.result.thought.count(timedelta(seconds=delay)) == len(asked)


def test_a_seat_is_told_its_clock_as_earlier_decisions_left_it() -> None:
    control = replace(ONE_SECOND, bank=timedelta(seconds=5), start_up=timedelta(seconds=2))
    match = play(
        always(Act(3.5, legal)), None, None, time_control=control, policy=policy(strikes=1000)
    )
    limits = [question.clock.limit.total_seconds() for question in match.players[0].questions]
    # The first 3.5 s cost 0.5 s, the next 2.5 s; then 3.5 s is too long.
    assert limits[:5] == [8, 5.5, 3, 1, 1]
    assert {question.clock.limit for question in match.players[1].questions[1:]} == {
        timedelta(seconds=6)
    }


# Each fault, each reaction ------------------------------------------------------------------------


@dataclass(frozen=True)
class Offence:
    """How a player commits a fault, and what the record says about it."""

    fault: Fault
    acts: tuple[Act, ...]
    ms: float
    says: dict[str, str]


OFFENCES = {
    "illegal move": Offence(
        Fault.ILLEGAL_MOVE,
        (Act(0.1, illegal), Act(0.3, legal)),
        100.0,
        {"said": "take a1", "rule": "glastonbury#5.1"},
    ),
    "unreadable": Offence(
        Fault.MALFORMED,
        (Act(0.1, unreadable), Act(0.3, legal)),
        100.0,
        {"said": "gibberish", "detail": "this is no move."},
    ),
    "silent": Offence(Fault.TIME_OUT, (), 1000.0, {"detail": "no answer in time"}),
    "late": Offence(Fault.TIME_OUT, (Act(1.5, legal),), 1000.0, {"detail": "no answer in time"}),
    "late and wrong": Offence(
        Fault.TIME_OUT, (Act(1.001, illegal),), 1000.0, {"detail": "no answer in time"}
    ),
    "late after stale answers": Offence(
        Fault.TIME_OUT,
        (Act(0.5, stale), Act(0.999, stale)),
        1000.0,
        {"detail": "no answer in time"},
    ),
    "cut until the time is over": Offence(
        Fault.DISCONNECT, (Act(0.1, hang_up),), 1000.0, {"detail": "the connection is cut"}
    ),
    "crashed": Offence(
        Fault.CRASH, (Act(0.2, crash), Act(0.3, legal)), 200.0, {"detail": "exit status 1"}
    ),
}
LAWFUL = [
    pytest.param(offence, reaction, id=f"{name}-{reaction}")
    for name, offence in OFFENCES.items()
    for reaction in Reaction
    if reaction is not REJECT or offence.fault in (Fault.ILLEGAL_MOVE, Fault.MALFORMED)
]


@pytest.mark.parametrize(("offence", "reaction"), LAWFUL)
def test_a_fault_leads_to_what_the_policy_says(offence: Offence, reaction: Reaction) -> None:
    match = play(
        None, at_first(*offence.acts), None, policy=policy(**{offence.fault.value: reaction})
    )
    line, player = match.first_of(1), match.players[1]

    (verdict,) = line["verdicts"]
    assert verdict["fault"] == offence.fault
    assert verdict["reaction"] == reaction
    assert verdict["ms"] == offence.ms
    assert verdict.items() >= offence.says.items()
    assert set(verdict) - set(offence.says) <= {"fault", "reaction", "ms", "detail"}

    if reaction is REJECT:
        assert (line["move"], line["ms"]) == (player.meant[line["n"]], 300.0)
        (rejection,) = player.rejections
        assert rejection.question is player.questions[0]
        assert rejection.message == verdict["detail"]
        assert (rejection.violation and rejection.violation.rule) == verdict.get("rule")
        assert (rejection.rejections_left, rejection.strikes_left) == (2, 3)
    else:
        assert (line["move"], line["ms"]) == (match.default(line), offence.ms)
        assert player.rejections == []

    if reaction is FORFEIT:
        assert match.end["forfeits"] == [1]
        assert match.end["causes"] == [
            {
                "seat": 1,
                "fault": offence.fault,
                "cause": "bot",
                "n": line["n"],
                "detail": verdict["detail"],
            }
        ]
    else:
        assert match.end["forfeits"] == match.end["causes"] == []
        assert [later["n"] for later in match.of(1) if "verdicts" in later] == [line["n"]]
    assert match.played_itself(0)
    assert match.played_itself(2)


@pytest.mark.parametrize("offence", OFFENCES.values(), ids=OFFENCES.keys())
def test_a_seat_that_forfeited_is_played_by_default_moves_and_not_asked_again(
    offence: Offence,
) -> None:
    match = play(
        None, at_first(*offence.acts), None, policy=policy(**{offence.fault.value: FORFEIT})
    )
    assert len(match.players[1].questions) == 1
    after = [line for line in match.of(1) if line["n"] > match.first_of(1)["n"]]
    assert len(after) > 5
    for line in after:
        assert line["ms"] == 0
        assert "verdicts" not in line
        if not line["move"].startswith("immuto"):
            assert line["move"] == match.default(line)
    # The game of the others is whole.
    assert match.played_itself(0)
    assert match.played_itself(2)
    # It is placed below them, whatever it scored, and is told how the match ended.
    ahead = sorted((0, 2), key=lambda seat: -match.result.scores[seat])
    assert match.result.places[1] == 3
    assert match.result.places[ahead[0]] == 1
    assert [told.forfeits for player in match.players for told in player.results] == [(1,)] * 3


@pytest.mark.parametrize("strikes", [0, 1, 3])
def test_one_strike_more_than_tolerated_is_a_forfeit(strikes: int) -> None:
    match = play(None, always(), None, policy=policy(strikes=strikes))
    reactions = [line["verdicts"][0]["reaction"] for line in match.of(1) if "verdicts" in line]
    assert reactions == ["strike"] * strikes + ["forfeit"]
    assert len(match.players[1].questions) == strikes + 1
    assert match.result.forfeits == (1,)
    assert match.result.strikes == ({"time_out": strikes} if strikes else {})


@pytest.mark.parametrize("wrong", [illegal, unreadable])
@pytest.mark.parametrize("rejections", [0, 1, 3])
def test_one_rejection_more_than_tolerated_is_a_strike(
    wrong: Callable[[ScriptedPlayer, Question], None], rejections: int
) -> None:
    match = play(
        None,
        at_first(*[Act(0.1 * i, wrong) for i in range(1, rejections + 2)]),
        None,
        policy=policy(rejections=rejections),
    )
    line = match.first_of(1)
    reactions = [verdict["reaction"] for verdict in line["verdicts"]]
    assert reactions == ["reject"] * rejections + ["strike"]
    assert line["ms"] == pytest.approx(100 * (rejections + 1))
    assert line["move"] == match.default(line)
    told = match.players[1].rejections
    assert [rejection.rejections_left for rejection in told] == list(reversed(range(rejections)))


def test_rejections_are_counted_for_each_decision_and_strikes_for_the_match() -> None:
    match = play(
        None,
        always(Act(0.1, illegal), Act(0.2, unreadable), Act(0.3, illegal)),
        None,
        policy=policy(rejections=2, strikes=2),
    )
    told = [(r.rejections_left, r.strikes_left) for r in match.players[1].rejections]
    assert told == [(1, 2), (0, 2), (1, 1), (0, 1), (1, 0), (0, 0)]
    assert match.result.forfeits == (1,)


def test_a_rejected_answer_does_not_stop_the_clock() -> None:
    match = play(None, at_first(Act(0.9, illegal)), None)
    line = match.first_of(1)
    assert [(v["fault"], v["reaction"], v["ms"]) for v in line["verdicts"]] == [
        ("illegal_move", "reject", 900.0),
        ("time_out", "strike", 1000.0),
    ]


def test_whoever_forfeits_last_is_placed_best_of_those_who_did() -> None:
    def crash_at(number: int) -> Script:
        return lambda asked, question: (
            [Act(0, crash)] if asked == number else obedient(asked, question)
        )

    match = play(crash_at(5), None, crash_at(1), None)
    assert match.result.forfeits == (2, 0)
    assert (match.result.places[0], match.result.places[2]) == (3, 4)
    assert sorted(match.result.places) == [1, 2, 3, 4]
    assert match.played_itself(1)
    assert match.played_itself(3)
    assert [cause.seat for cause in match.result.causes] == [2, 0]


def test_a_match_that_everybody_forfeits_is_played_to_its_end() -> None:
    match = play(always(Act(0, crash)), always(Act(0, crash)), always(Act(0, crash)))
    assert match.result.forfeits == (0, 1, 2)
    assert match.result.places == (3, 2, 1)
    assert not match.result.void
    assert [len(player.questions) for player in match.players] == [1, 1, 1]


# Answers that do not count ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "acts",
    [
        pytest.param([Act(0.1, stale), Act(0.2, legal)], id="to an earlier decision"),
        pytest.param([Act(0.1, elsewhere), Act(0.2, legal)], id="to another match"),
        pytest.param([Act(0.2, legal), Act(0.2, legal), Act(0.2, illegal)], id="after the first"),
        pytest.param([Act(0.1, hang_up), Act(0.15, come_back), Act(0.2, legal)], id="after a cut"),
        pytest.param([*[Act(0.1, stale)] * 16, Act(0.2, legal)], id="as many as may"),
    ],
)
def test_stale_and_doubled_answers_and_a_short_absence_are_no_fault(acts: list[Act]) -> None:
    match = play(None, at_first(*acts), None)
    assert all(match.played_itself(seat) for seat in range(3))
    assert match.first_of(1)["ms"] == 200.0
    assert match.players[1].rejections == []
    assert match.result.forfeits == ()


def idle(player: ScriptedPlayer, _question: Question) -> None:
    player.say(Idle(virtual_loop().time()))


def stray(player: ScriptedPlayer, question: Question) -> None:
    player.say(StaleAnswer(question.plan.match, question.decision - 1, virtual_loop().time()))


@pytest.mark.parametrize("said", [stale, elsewhere, idle, stray])
@pytest.mark.parametrize("reaction", [REJECT, STRIKE, FORFEIT])
def test_more_messages_than_may_answer_nothing_are_a_fault(
    said: Callable[[ScriptedPlayer, Question], None], reaction: Reaction
) -> None:
    """docs/guides/run-a-referee.md: 16 for each decision, whatever they are."""
    flood = [*[Act(0.1, said)] * 17, Act(0.2, legal)]
    match = play(None, at_first(*flood), None, policy=policy(malformed=reaction))
    line = match.first_of(1)
    assert line["verdicts"] == [
        {
            "fault": "malformed",
            "reaction": reaction.value,
            "said": "",
            "detail": "more than 16 messages that do not answer this decision",
            "ms": 100.0,
        }
    ]
    own = line["move"] == match.players[1].meant[line["n"]] and line["ms"] == 200.0
    assert own if reaction is REJECT else line["move"] == match.default(line)
    assert match.played_itself(0)


def test_a_flood_is_a_fault_whatever_the_policy_tolerates() -> None:
    flood = [*[Act(0.1, unreadable)] * MESSAGES_PER_DECISION, Act(0.1, legal)]
    match = play(None, at_first(*flood), None, policy=policy(rejections=1000))
    line = match.first_of(1)
    assert line["verdicts"][-1] == {
        "fault": "malformed",
        "reaction": "strike",
        "detail": "more than 64 messages for one decision",
        "ms": 100.0,
    }
    assert line["move"] == match.default(line)
    assert match.played_itself(0)


@pytest.mark.parametrize("late", [illegal, legal])
def test_a_late_answer_to_the_decision_before_is_no_answer_to_this_one(
    late: Callable[[ScriptedPlayer, Question], None],
) -> None:
    match = play(None, at_first(Act(1.1, late)), None)
    first, second = match.players[1].questions[:2]
    assert match.players[1].asked_at[1] < 1.1
    assert [v["fault"] for v in match.decisions[first.decision - 1]["verdicts"]] == ["time_out"]
    line = match.decisions[second.decision - 1]
    assert (line["move"], line["ms"]) == (match.players[1].meant[line["n"]], 250.0)
    assert "verdicts" not in line


def test_a_record_stays_readable_however_much_a_bot_says() -> None:
    """An answer of 64 KiB is quoted in part only."""

    def babble(player: ScriptedPlayer, question: Question) -> None:
        submit(player, question, AssignImmuto((Ingredient(0),) * 60_000))

    def mumble(player: ScriptedPlayer, _question: Question) -> None:
        player.say(Unreadable("x" * 60_000, "y" * 60_000, virtual_loop().time()))

    for say in (mumble, babble):
        match = play(None, at_first(*[Act(0.1, say)] * 4), None)
        for verdict in match.first_of(1)["verdicts"]:
            assert len(verdict["said"]) <= LONGEST_QUOTE
            assert len(verdict["detail"]) <= LONGEST_QUOTE


# Time and lag -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("over", "in_time"), [(-1e-6, True), (0, True), (1e-6, False)])
def test_exactly_at_the_limit_is_in_time(over: float, in_time: bool) -> None:
    def just_now(player: ScriptedPlayer, question: Question) -> None:
        virtual_loop().advance(0.0005 + over)
        legal(player, question)

    match = play(None, at_first(Act(0.9995, just_now)), None, interval=3600)
    line = match.first_of(1)
    assert line["ms"] == pytest.approx(1000 + over * 1000, abs=1e-4)
    assert [v["detail"] for v in line.get("verdicts", ())] == (
        [] if in_time else ["the answer came too late"]
    )


def test_an_answer_that_comes_together_with_the_end_of_the_time_is_in_time() -> None:
    match = play(None, at_first(Act(1, legal)), None)
    assert "verdicts" not in match.first_of(1)
    assert match.first_of(1)["ms"] == 1000.0


SLACK = 10
"""Milliseconds: the lag is measured by ticks, so up to one interval of each block is not seen."""


@pytest.mark.parametrize(
    ("begin", "seconds", "answer", "ms"),
    [
        pytest.param(0.3, 0.5, 0.9, 400, id="in time anyway: the lag is not charged"),
        pytest.param(0.3, 0.5, 1.2, 700, id="late by less than the lag, which was long before"),
        pytest.param(0.8, 0.5, 1.4, 900, id="late by less than the lag, which was at the limit"),
        pytest.param(0.99, 1.0, 1.995, 995, id="late by less than the longest lag"),
        pytest.param(0.0, 1.0, 1.9, 900, id="lag from the beginning"),
        pytest.param(0.1, 1.4, 1.8, 800, id="more lag than is credited, and in time all the same"),
        pytest.param(0.5, 0.5, 0.9, 500, id="the answer came in while the loop was blocked"),
    ],
)
def test_the_lag_of_the_loop_is_credited(
    begin: float, seconds: float, answer: float, ms: float
) -> None:
    match = play(
        at_first(Act(answer, legal)), None, None, during=lambda _table: block(begin, seconds)
    )
    line = match.first_of(0)
    assert "verdicts" not in line
    assert line["ms"] == pytest.approx(ms, abs=SLACK)
    assert match.played_itself(0)


def test_a_real_time_out_still_happens_while_lag_is_credited() -> None:
    def often_blocked(_table: Match) -> None:
        for n in range(3):
            block(0.1 + n, 0.6)

    match = play(at_first(), None, None, during=often_blocked)
    line = match.first_of(0)
    assert [(v["fault"], v["detail"]) for v in line["verdicts"]] == [
        ("time_out", "no answer in time")
    ]
    assert line["ms"] == pytest.approx(1000, abs=SLACK)
    # Its own second, and the second that is credited of 1.2 s of lag until then.
    assert match.players[1].asked_at[0] == pytest.approx(2.0, abs=0.02)


def test_much_lag_in_small_portions_is_credited_up_to_the_limit_and_voids_nothing() -> None:
    """On a referee that is busy all the time, nobody gets out of a match by thinking too long."""

    def always_busy(_table: Match) -> None:
        for n in range(40):
            block(0.05 + n / 10, 0.06)

    match = play(at_first(Act(2.5, legal)), None, None, during=always_busy)
    assert [v["fault"] for v in match.first_of(0)["verdicts"]] == ["time_out"]
    assert not match.result.void


def test_an_answer_that_is_late_by_more_than_the_lag_is_late() -> None:
    match = play(at_first(Act(1.6, legal)), None, None, during=lambda _table: block(0.2, 0.5))
    assert [v["fault"] for v in match.first_of(0)["verdicts"]] == ["time_out"]


@pytest.mark.parametrize("seconds", [1.4, 9.0])
def test_a_match_is_void_if_an_answer_is_late_only_because_the_referee_stood_still(
    seconds: float,
) -> None:
    """The bot took 0.9 s of its second, and is not to blame for the rest."""
    match = play(
        at_first(Act(seconds + 0.9, legal)), None, None, during=lambda _: block(0.1, seconds)
    )
    assert match.result.void
    assert match.result.forfeits == ()
    assert [(cause.cause, cause.seat) for cause in match.result.causes] == [(Cause.REFEREE, None)]
    assert f"did not listen for {seconds:.1f} s" in match.result.causes[0].detail
    verify_record(match.result.record)


def test_an_answer_that_is_late_by_itself_is_late_however_long_the_lag_was() -> None:
    match = play(at_first(Act(10.2, legal)), None, None, during=lambda _table: block(0.1, 9.0))
    assert [v["fault"] for v in match.first_of(0)["verdicts"]] == ["time_out"]
    assert not match.result.void


def test_lag_that_the_messages_of_a_bot_cause_is_not_credited() -> None:
    """Half a second goes into its own messages, and so does not count as lag of the referee."""

    def burden(player: ScriptedPlayer, _question: Question) -> None:
        virtual_loop().advance(0.5)
        player.inbox.handling_seconds += 0.5

    match = play(at_first(Act(0.1, burden), Act(1.2, legal)), None, None)
    assert [v["fault"] for v in match.first_of(0)["verdicts"]] == ["time_out"]


def test_a_match_with_a_stopped_process_is_void_and_says_whose_it_was() -> None:
    stopped = Gone(Fault.TIME_OUT, "its process is stopped", stopped=True)

    def be_stopped(player: ScriptedPlayer, _question: Question) -> None:
        player.be(stopped)

    match = play(None, at_first(Act(0.1, be_stopped)), None)
    assert match.result.void
    assert match.result.stopped == (1,)
    assert [(cause.cause, cause.seat) for cause in match.result.causes] == [(Cause.MACHINE, None)]
    assert match.result.forfeits == ()
    verify_record(match.result.record)


def test_a_meter_that_was_stopped_sees_no_more_lag() -> None:
    async def story() -> tuple[float, float]:
        loop, lag = virtual_loop(), LagMeter()
        await asyncio.sleep(1)
        loop.advance(0.5)
        lag.stop()
        before = lag.total()
        await asyncio.sleep(10)
        return before, lag.total()

    before, after = run(story())
    assert before == after == pytest.approx(0.5, abs=0.005)


def test_a_tick_that_is_hardly_late_is_no_lag() -> None:
    async def story() -> float:
        loop, lag = virtual_loop(), LagMeter()
        for _ in range(1000):
            await asyncio.sleep(0.004)
            loop.advance(0.0009)
        lag.stop()
        return lag.total()

    assert run(story()) == 0


# Forced and sealed decisions ----------------------------------------------------------------------


def test_forced_decisions_are_never_sent_but_recorded() -> None:
    match = play(None, None, None, seed=FORCED_SEED)
    forced = [line for line in match.decisions if line["legal"] == 1]
    assert forced
    assert all(line["ms"] == 0 and "verdicts" not in line for line in forced)
    asked = sorted(q.decision for player in match.players for q in player.questions)
    assert asked == [line["n"] for line in match.decisions if line["legal"] > 1]
    assert all(len(q.legal) > 1 for player in match.players for q in player.questions)


def sealed_match(first: Script, second: Script, **more: Any) -> tuple[PlayedMatch, tuple[int, int]]:
    """Play the match that ends with two sealed decisions; return it, and whose they are."""
    holders = sealed_seats()
    scripts: list[Script | None] = [None, None, None]
    scripts[holders[0]], scripts[holders[1]] = first, second
    return play(*scripts, seed=SEALED_SEED, **more), holders


@cache
def sealed_seats() -> tuple[int, int]:
    match = play(None, None, None, seed=SEALED_SEED)
    first, second = match.decisions[-2:]
    assert first["move"].startswith("immuto")
    assert second["move"].startswith("immuto")
    return first["seat"], second["seat"]


def test_sealed_decisions_are_asked_at_the_same_time_and_recorded_in_the_order_of_seats() -> None:
    match, (one, two) = sealed_match(sealed_only(Act(0.7, legal)), sealed_only(Act(0.2, legal)))
    assert one < two
    assert match.players[one].asked_at[-1] == match.players[two].asked_at[-1]
    sealed = match.decisions[-2:]
    assert [(line["seat"], line["ms"]) for line in sealed] == [(one, 700.0), (two, 200.0)]
    assert [line["n"] for line in sealed] == [
        match.players[one].questions[-1].decision,
        match.players[two].questions[-1].decision,
    ]
    assert match.played_itself(one)
    assert match.played_itself(two)


@pytest.mark.parametrize("slow", [0, 1])
def test_nobody_sees_a_sealed_answer_before_all_have_answered(slow: int) -> None:
    """The one that takes long is not told anything before it has answered."""
    heard: list[object] = []

    def look(player: ScriptedPlayer, _question: Question) -> None:
        heard.extend([*player.questions, *player.rejections, *player.results])

    patient = sealed_only(Act(0.4, illegal), Act(0.8, look), Act(0.9, legal))
    quick = sealed_only(Act(0.1, legal))
    scripts = (patient, quick) if slow == 0 else (quick, patient)
    match, holders = sealed_match(*scripts)
    assert heard == [*match.players[holders[slow]].questions, heard[-1]]
    assert isinstance(heard[-1], Rejection)
    for player in match.players:
        for question in player.questions:
            assert question.view.assignments == ()
            assert not any(isinstance(event, ImmutoAssigned) for event in question.events)
        told = [e.seat for e in player.results[0].events if isinstance(e, ImmutoAssigned)]
        assert told == list(holders)


def test_a_slow_or_faulty_sealed_decision_costs_the_other_nothing() -> None:
    match, (one, two) = sealed_match(sealed_only(), sealed_only(Act(0.2, legal)))
    line_one, line_two = match.decisions[-2:]
    assert [verdict["fault"] for verdict in line_one["verdicts"]] == ["time_out"]
    assert line_one["ms"] == 1000.0
    assert line_two["ms"] == 200.0
    assert match.played_itself(two)
    state = match.replay.positions[-2].state
    assert line_one["move"] == GAME.format_move(GAME.default_move(state, Seat(one)))


# Stopped and broken matches -----------------------------------------------------------------------


@pytest.mark.parametrize("cause", [each for each in Cause if each is not Cause.BOT])
def test_a_match_that_is_stopped_is_void_and_says_why(cause: Cause) -> None:
    match = play(
        None,
        at_first(Act(0.9, legal)),
        None,
        during=later(0.5, lambda table: table.stop(cause, "the power went out")),
    )
    result = match.result
    assert result.void
    assert result.ending == "stopped"
    assert result.scores == result.places == result.forfeits == ()
    assert match.end["causes"] == [
        {
            "seat": None,
            "fault": "stopped",
            "cause": cause,
            "n": None,
            "detail": "the power went out",
        }
    ]
    assert [[told.ending for told in player.results] for player in match.players] == [
        ["stopped"]
    ] * 3


@pytest.mark.parametrize(
    "meanwhile",
    [
        pytest.param((), id="while all think"),
        pytest.param((legal,), id="together with an answer"),
        pytest.param((crash,), id="together with a forfeit"),
    ],
)
def test_a_match_can_be_stopped_during_sealed_decisions(
    meanwhile: Sequence[Callable[[ScriptedPlayer, Question], None]],
) -> None:
    tables: list[Match] = []

    def stop(_player: ScriptedPlayer, _question: Question) -> None:
        tables[0].stop(Cause.MACHINE, "enough")

    acts = [Act(0.5, do) for do in (*meanwhile, stop)]
    match, _ = sealed_match(sealed_only(*acts), sealed_only(), during=tables.append)
    assert match.result.void
    assert "enough" in [cause.detail for cause in match.result.causes]
    assert not any(line["move"].startswith("immuto") for line in match.decisions)


def test_stopping_a_match_twice_is_stopping_it_once() -> None:
    async def story() -> tuple[MatchResult, int]:
        def stop_twice(table: Match) -> None:
            table.stop(Cause.MACHINE, "first")
            table.stop(Cause.REFEREE, "second")

        players = [ScriptedPlayer(always(Act(0.9, legal))) for _ in range(2)]
        result = await attach(a_plan(2), players, later(0.5, stop_twice))
        task = asyncio.current_task()
        assert task is not None
        return result, task.cancelling()

    result, cancelling = run(story())
    assert result.void
    assert result.causes[0].detail == "first"
    assert cancelling == 0, "the task that awaits the match is not cancelled"


def test_stopping_a_match_that_is_over_changes_nothing() -> None:
    async def story() -> MatchResult:
        lag = LagMeter()
        table = Match(a_plan(2), [ScriptedPlayer(), ScriptedPlayer()], lag)
        result = await table.play()
        table.stop(Cause.MACHINE, "too late")
        lag.stop()
        await asyncio.sleep(1)
        return result

    assert not run(story()).void


@pytest.mark.parametrize("counts", [True, False])
def test_players_are_told_of_a_result_after_it_is_committed(counts: bool) -> None:
    """Or, if it does not count in the end, that the match was stopped."""

    async def story() -> list[ScriptedPlayer]:
        lag, players = LagMeter(), [ScriptedPlayer(), ScriptedPlayer()]

        async def commit(result: MatchResult) -> bool:
            assert len(result.places) == 2
            await asyncio.sleep(60)
            assert not any(player.results for player in players)
            return counts

        await Match(a_plan(2), players, lag).play(commit)
        lag.stop()
        return players

    for player in run(story()):
        (told,) = player.results
        assert (told.ending != "stopped") is counts
        assert len(told.places) == len(told.scores) == (2 if counts else 0)


def test_players_are_told_that_a_match_is_over_when_its_commit_fails() -> None:
    async def story() -> list[ScriptedPlayer]:
        lag, players = LagMeter(), [ScriptedPlayer(), ScriptedPlayer()]

        async def commit(_result: MatchResult) -> bool:
            raise OSError("no room")

        with pytest.raises(OSError, match="no room"):
            await Match(a_plan(2), players, lag).play(commit)
        lag.stop()
        return players

    assert [player.results[0].ending for player in run(story())] == ["stopped", "stopped"]


def test_stopping_a_match_before_its_first_decision_makes_it_void() -> None:
    async def story() -> MatchResult:
        lag = LagMeter()
        table = Match(a_plan(2), [ScriptedPlayer(), ScriptedPlayer()], lag)
        playing = asyncio.create_task(table.play())
        table.stop(Cause.MACHINE, "changed our mind")
        try:
            return await playing
        finally:
            lag.stop()

    assert run(story()).void


def test_a_match_that_is_cancelled_from_outside_is_no_result() -> None:
    async def story() -> None:
        playing = asyncio.create_task(attach(a_plan(2), [ScriptedPlayer(always())] * 2))
        await asyncio.sleep(0.5)
        playing.cancel()
        await playing

    with pytest.raises(asyncio.CancelledError):
        run(story())


class BrokenPlayer(ScriptedPlayer):
    """Fails in one of its methods: a fault of the transport, not of the bot."""

    def __init__(self, broken: str, script: Script | None = None) -> None:
        super().__init__(script)

        def fail(*_args: object) -> None:
            self.inbox.close()
            raise RuntimeError("a bug of ours")

        setattr(self, broken, fail)


def is_void_by_our_fault(result: MatchResult, caplog: pytest.LogCaptureFixture) -> bool:
    (cause,) = result.causes
    reference = cause.detail.split("reference ")[1]
    logged = [record for record in caplog.records if record.levelno == logging.ERROR]
    verify_record(result.record)
    return (
        result.void
        and cause.cause is Cause.REFEREE
        and reference in logged[0].getMessage()
        and result.plan.match in logged[0].getMessage()
        and "a bug of ours" in caplog.text
    )


@pytest.mark.parametrize("method", ["begin", "ask", "absence", "reject"])
def test_an_exception_inside_a_player_makes_the_match_void_and_is_logged(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    script = {"absence": always(), "reject": always(Act(0, illegal))}.get(method)
    others = [ScriptedPlayer(), ScriptedPlayer()]
    players = [others[0], BrokenPlayer(method, script), others[1]]
    result = run(attach(a_plan(3), players))
    assert is_void_by_our_fault(result, caplog)
    assert [told.ending for player in others for told in player.results] == ["stopped"] * 2


def test_an_exception_inside_a_sealed_decision_makes_the_match_void_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_number: int, question: Question) -> Sequence[Act]:
        if is_sealed(question):
            raise RuntimeError("a bug of ours")
        return [Act(0, legal)]

    match, _ = sealed_match(fail, sealed_only(Act(0.5, legal)))
    assert is_void_by_our_fault(match.result, caplog)


def test_a_player_that_cannot_be_told_the_end_spoils_it_for_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    others = [ScriptedPlayer(), ScriptedPlayer()]
    result = run(attach(a_plan(3), [BrokenPlayer("end"), *others]))
    assert not result.void
    assert [told.ending for player in others for told in player.results] == [result.ending] * 2
    assert "a bug of ours" in caplog.text


class BrokenGame:
    """Glastonbury with a bug in one function, from a certain call on."""

    def __init__(self, broken: str, calls: int) -> None:
        self._broken = broken
        self._left = calls

    def __getattr__(self, name: str) -> Any:
        if name == self._broken:
            self._left -= 1
            if self._left < 0:
                raise RuntimeError("a bug of ours")
        return getattr(GAME, name)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        ("deal", 0),
        ("to_act", 5),
        ("legal_moves", 5),
        ("check", 5),
        ("apply", 5),
        ("default_move", 0),
        ("view", 5),
        ("format_move", 5),
        ("outcome", 0),
    ],
)
def test_an_exception_inside_the_game_makes_the_match_void_and_is_logged(
    function: str, calls: int, caplog: pytest.LogCaptureFixture
) -> None:
    game = cast("AnyGame", BrokenGame(function, calls))
    players = [ScriptedPlayer(at_first()), ScriptedPlayer()]
    result = run(attach(a_plan(2, game=game), players))
    assert is_void_by_our_fault(result, caplog)
    assert verify_record(result.record).decisions == result.decisions
    assert [told.ending for player in players for told in player.results] == ["stopped"] * 2


# What the seats are told --------------------------------------------------------------------------


def visible_events(match: PlayedMatch, seat: Seat, decisions: int) -> list[Event]:
    """Return what a seat may have seen before a number of decisions were made."""
    positions = match.replay.positions[: decisions + 1]
    return [event for at in positions for event in at.events if event.visible_to(seat)]


@pytest.mark.parametrize("seed", sorted({1, 2, 3, SEALED_SEED, FORCED_SEED}))
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(obedient, id="obedient"),
        pytest.param(at_first(Act(0, crash)), id="crash"),
        pytest.param(always(), id="silent"),
    ],
)
def test_each_seat_is_told_every_visible_event_once_and_in_order(seed: int, script: Script) -> None:
    match = play(None, script, None, seed=seed)
    for number, player in enumerate(match.players):
        seat, told = Seat(number), list[Event]()
        for question in player.questions:
            told += question.events
            # Nobody has been told of decisions that are made at the same time.
            made = question.decision - 1
            while is_sealed(question) and match.decisions[made - 1]["move"].startswith("immuto"):
                made -= 1
            assert told == visible_events(match, seat, made)
        told += player.results[0].events
        assert told == visible_events(match, seat, len(match.decisions))


def test_what_one_seat_was_shown_is_told_to_no_other() -> None:
    seen = 0
    for seed in range(1, 6):
        match = play(None, None, None, seed=seed)
        for seat, player in enumerate(match.players):
            told = [event for question in player.questions for event in question.events]
            told += player.results[0].events
            looked = [event for event in told if isinstance(event, Looked)]
            assert all(event.seat == seat for event in looked)
            seen += len(looked)
    assert seen


def test_the_view_of_a_question_is_the_seats_own_at_that_moment() -> None:
    match = play(None, None, None)
    for seat, player in enumerate(match.players):
        for question in player.questions:
            state = match.replay.positions[question.decision - 1].state
            assert question.view == GAME.view(state, Seat(seat))
            assert list(question.legal) == list(GAME.legal_moves(state, Seat(seat)))


# Many matches -------------------------------------------------------------------------------------

MIXED: list[tuple[Script | None, ...]] = [
    (None, None),
    (always(), None, None),
    (None, always(Act(0.3, illegal), Act(0.6, legal))),
    (always(Act(0.7, legal)), None, at_first(Act(0.1, crash)), None),
    (at_first(*[Act(0.01, stale)] * 200), always(Act(0.2, hang_up))),
    (always(Act(0.013, legal)), always(Act(0.017, legal)), always(Act(0.019, legal))),
]


def test_matches_on_one_loop_do_not_disturb_each_other() -> None:
    """Each record is byte for byte what it is when the match is played alone."""

    def matches() -> list[Coroutine[Any, Any, MatchResult]]:
        return [
            attach(
                a_plan(len(scripts), number, match=f"m{number}"),
                [ScriptedPlayer(script) for script in scripts],
            )
            for number, scripts in enumerate(MIXED)
        ]

    async def all_at_once() -> list[MatchResult]:
        return await asyncio.gather(*matches())

    alone = [run(match).record for match in matches()]
    together = [result.record for result in run(all_at_once())]
    assert together == alone
    assert all(verify_record(record) for record in together)


def test_a_match_that_breaks_or_is_stopped_leaves_the_others_alone() -> None:
    async def story() -> list[MatchResult]:
        broken = attach(a_plan(2), [BrokenPlayer("ask"), ScriptedPlayer()])
        stopped = attach(
            a_plan(2),
            [ScriptedPlayer(always(Act(0.4, legal))), ScriptedPlayer()],
            later(1, lambda table: table.stop(Cause.MACHINE, "stop")),
        )
        whole = attach(a_plan(2), [ScriptedPlayer(always(Act(0.5, legal))), ScriptedPlayer()])
        return list(await asyncio.gather(broken, stopped, whole))

    assert [result.void for result in run(story())] == [True, True, False]


ACTS = [legal, illegal, unreadable, stale, elsewhere, crash, hang_up, come_back]


@pytest.mark.slow
@given(
    seed=st.integers(0, 2**32),
    scripts=st.lists(
        st.lists(
            st.lists(
                st.builds(Act, st.sampled_from([0, 0.2, 0.5, 1, 1.1]), st.sampled_from(ACTS)),
                max_size=5,
            ),
            min_size=1,
            max_size=4,
        ),
        min_size=2,
        max_size=4,
    ),
    chosen=st.builds(
        Policy,
        **dict.fromkeys(("illegal_move", "malformed"), st.sampled_from(Reaction)),
        **dict.fromkeys(("time_out", "disconnect", "crash"), st.sampled_from([STRIKE, FORFEIT])),
        strikes=st.integers(0, 5),
        rejections=st.integers(0, 3),
    ),
)
@settings(max_examples=40)
def test_whatever_happens_the_record_can_be_verified(
    seed: int, scripts: list[list[list[Act]]], chosen: Policy
) -> None:
    def cycling(phases: list[list[Act]]) -> Script:
        return lambda number, _question: phases[number % len(phases)]

    match = play(*map(cycling, scripts), seed=seed, policy=chosen)
    assert not match.result.void
    assert match.end["forfeits"] == [cause.seat for cause in match.result.causes]
    assert [line["n"] for line in match.decisions] == list(range(1, len(match.decisions) + 1))
    kept = set(range(len(scripts))) - set(match.result.forfeits)
    for seat in match.result.forfeits:
        assert all(match.result.places[seat] > match.result.places[other] for other in kept)
    assert all(
        match.result.places[earlier] > match.result.places[later]
        for earlier, later in pairwise(match.result.forfeits)
    )


# Players in the same process ----------------------------------------------------------------------


def first_move(question: Question) -> Any:
    return question.legal[0]


def test_a_callable_can_play() -> None:
    async def slowly(question: Question) -> Any:
        await asyncio.sleep(0.25)
        return GAME.format_move(question.legal[0])

    players = [InProcessPlayer(first_move), InProcessPlayer(slowly)]
    result = run(attach(a_plan(2), players))
    lines = [json.loads(line) for line in result.record.splitlines()[2:-1]]
    asked = [line for line in lines if line["legal"] > 1]
    assert {line["seat"]: line["ms"] for line in asked} == {0: 0, 1: 250.0}
    assert not any("verdicts" in line for line in lines)


def test_a_callable_that_fails_has_crashed_and_one_that_talks_nonsense_is_rejected() -> None:
    def fail(_question: Question) -> Any:
        raise ValueError("no idea")

    def babble(_question: Question) -> Any:
        return "castle kingside"

    result = run(attach(a_plan(2), [InProcessPlayer(fail), InProcessPlayer(babble)]))
    assert [(cause.seat, cause.fault) for cause in result.causes] == [
        (0, "crash"),
        (1, "malformed"),
    ]
    assert result.causes[0].detail == "ValueError: no idea"
    assert result.places == (2, 1)


def test_a_callable_that_is_late_by_less_than_the_lag_is_in_time() -> None:
    thought = 0

    async def slowly(question: Question) -> Any:
        nonlocal thought
        thought += 1
        if thought == 1:
            await asyncio.sleep(1.2)
        return question.legal[0]

    players = [InProcessPlayer(slowly), InProcessPlayer(first_move)]
    result = run(attach(a_plan(2), players, lambda _table: block(0.3, 0.5)))
    first = json.loads(result.record.splitlines()[2])
    assert "verdicts" not in first
    assert first["ms"] == pytest.approx(700, abs=SLACK)
