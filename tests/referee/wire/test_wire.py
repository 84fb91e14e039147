"""Both encodings say what the table means, and whatever comes back is read or refused.

The messages are built a second time here (in ``converters`` as far as a game has its own), field by
field and by name, and compared with what the referee sends: as protobuf reads it, and as protobuf's
own printer writes it in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from highstreet.v1 import glastonbury_pb2, play_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Event, Options, Seat, Violation
from engine.glastonbury.moves import AssignImmuto
from engine.registry import GAMES, AnyGame, find_game
from engine.shuffle import Seed
from referee.devkit.random_play import chooser
from referee.match.messages import Idle, StaleAnswer, Submitted, Unreadable
from referee.match.player import MatchPlan, Question, Rejection, Result
from referee.model.clock import Clock, TimeControl
from referee.model.event_log import EventBatch, EventBatches
from referee.model.policy import Policy, Reaction
from referee.record.format import commitment
from referee.wire import encoders, messages, stdio
from referee.wire.codec import WireError, find_codec, situation_part
from tests.engine.kits import KITS
from tests.referee.converters import find_converter

pb = play_pb2
Game = glastonbury_pb2.Glastonbury


# The second converter -----------------------------------------------------------------------------


def situation_message(game: str, view: Any, events: Sequence[Event]) -> Message:
    return find_converter(game).situation_message(view, events)


def move_message(game: str, move: Any) -> pb.Move:
    message = pb.Move()
    getattr(message, game).CopyFrom(find_converter(game).move_message(move))
    return message


def decision_message(question: Question) -> pb.PlayResponse:
    decision = pb.Decision(
        match=question.plan.match, decision_id=question.decision, seat=question.seat
    )
    decision.clock.remaining.FromTimedelta(question.clock.limit)
    decision.clock.bank.FromTimedelta(question.clock.bank)
    game = question.plan.game.spec.name
    decision.legal_moves.extend(move_message(game, move) for move in question.legal)
    situation = situation_message(game, question.view, question.events)
    getattr(decision, game).CopyFrom(situation)
    return pb.PlayResponse(decision=decision)


def started_message(plan: MatchPlan, seat: Seat) -> pb.PlayResponse:
    started = pb.MatchStarted(
        match=plan.match,
        game=plan.game.spec.name,
        rules_version=plan.game.spec.rules_version,
        seat=seat,
        commitment=commitment(plan.seed, plan.salt),
    )
    for entrant in plan.entrants:
        started.seats.add(entrant=entrant)
    control, policy = plan.time_control, plan.policy
    for name in ("per_move", "bank", "increment", "start_up", "latency"):
        getattr(started.time_control, name).FromTimedelta(getattr(control, name))
    for name in ("illegal_move", "malformed", "time_out", "disconnect", "crash"):
        reaction = pb.Reaction.Value(f"REACTION_{getattr(policy, name).upper()}")
        setattr(started.policy, name, reaction)
    started.policy.strikes = policy.strikes
    started.policy.rejections = policy.rejections
    started.policy.reconnect = policy.reconnect
    game = plan.game.spec.name
    getattr(started, game).CopyFrom(find_converter(game).options_message(plan.options))
    return pb.PlayResponse(match_started=started)


def rejected_message(rejection: Rejection) -> pb.PlayResponse:
    rejected = pb.MoveRejected()
    rejected.match = rejection.question.plan.match
    rejected.decision_id = rejection.question.decision
    if rejection.violation is not None:
        rejected.rule = rejection.violation.rule
    rejected.message = rejection.message
    rejected.rejections_left = rejection.rejections_left
    rejected.strikes_left = rejection.strikes_left
    return pb.PlayResponse(move_rejected=rejected)


def ended_message(result: Result) -> pb.PlayResponse:
    ended = pb.MatchEnded(match=result.plan.match, ending=result.ending)
    ended.scores.extend(result.scores)
    ended.places.extend(result.places)
    ended.forfeits.extend(result.forfeits)
    if result.plan.reveal_seed and result.ending != "stopped":
        ended.seed = result.plan.seed.hex()
    if result.view is not None:
        game = result.plan.game.spec.name
        getattr(ended, game).CopyFrom(situation_message(game, result.view, result.events))
    return pb.PlayResponse(match_ended=ended)


def same(data: bytes, line: bytes, expected: pb.PlayResponse) -> None:
    """Check both encodings of a message."""
    assert pb.PlayResponse.FromString(data) == expected
    printed = json_format.MessageToDict(
        expected, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == printed
    # What we write can be read by the canonical parser.
    assert json_format.Parse(line, pb.PlayResponse()) == expected


# What the table says ------------------------------------------------------------------------------


def kind(game: AnyGame, options: Options, marks: Sequence[pytest.MarkDecorator] = ()) -> Any:
    return pytest.param(
        game, options, id="-".join([game.spec.name, *map(str, options.values())]), marks=marks
    )


OPTIONS = [
    (game, options)
    for game in GAMES.values()
    for options in (
        *game.spec.kinds(),
        *(game.spec.options(*other) for other in find_converter(game.spec.name).OTHER_OPTIONS),
    )
]
every_kind = pytest.mark.parametrize(("game", "options"), [kind(*each) for each in OPTIONS])
every_kind_of_few_seats = pytest.mark.parametrize(
    ("game", "options"),
    [
        kind(game, options, [pytest.mark.slow] * (options.seats > min(game.spec.seats)))
        for game, options in OPTIONS
    ],
)
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
seeds = st.binary(min_size=32, max_size=32).map(Seed)
durations = st.timedeltas(timedelta(microseconds=1), timedelta(days=1))
controls = st.builds(TimeControl, durations, durations, durations, durations, durations)
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
some_games = settings(max_examples=2)


def a_plan(
    game: AnyGame, options: Options, seed: Seed, control: TimeControl | None = None
) -> MatchPlan:
    return MatchPlan(
        match="m-1",
        game=game,
        options=options,
        seed=seed,
        salt=b"salt",
        entrants=tuple(f"bot {seat}" for seat in range(options.seats)),
        time_control=control or TimeControl(),
        policy=Policy(),
    )


def game_of(plan: MatchPlan) -> Iterator[Question | Result]:
    """Play random moves; return every question, forced ones too, and how it ended for each seat."""
    game, choose = plan.game, chooser(plan.seed)
    seats = [Seat(seat) for seat in range(plan.options.seats)]
    clock = Clock.initial(plan.time_control)
    transition = game.deal(plan.options, plan.seed)
    happened: dict[Seat, list[Sequence[Event]]] = {seat: [transition.events] for seat in seats}
    decisions = 0

    def told(seat: Seat) -> EventBatches:
        news = [[event for event in events if event.visible_to(seat)] for events in happened[seat]]
        happened[seat] = []
        return [EventBatch(events) for events in news if events]

    while to_act := game.to_act(transition.state):
        moves = {}
        for seat in to_act:
            decisions += 1
            legal = game.legal_moves(transition.state, seat)
            view = game.view(transition.state, seat)
            yield Question(plan, seat, decisions, view, told(seat), legal, clock)
            moves[seat] = choose(legal)
        clock = clock.after(timedelta(milliseconds=700))
        transition = game.apply(transition.state, moves)
        for seat in seats:
            happened[seat].append(transition.events)
    outcome = game.outcome(transition.state)
    assert outcome is not None
    for seat in seats:
        view, forfeits = game.view(transition.state, seat), tuple(seats[:seat])
        scores, places = outcome.scores, outcome.places
        word = str(outcome.ending)
        yield Result(plan, seat, view, told(seat), word, scores, places, forfeits)


@every_kind_of_few_seats
@given(seed=seeds, control=controls)
@some_games
def test_decisions_and_endings_are_encoded_as_protobuf_does(
    game: AnyGame, options: Options, seed: Seed, control: TimeControl
) -> None:
    for said in game_of(a_plan(game, options, seed, control)):
        if isinstance(said, Question):
            expected = decision_message(said)
            same(messages.decision_message(said), stdio.decision_line(said), expected)
        else:
            same(messages.ended_message(said), stdio.ended_line(said), ended_message(said))


@every_game
def test_random_games_have_every_event_and_every_phase(game: AnyGame) -> None:
    """The tests above look at everything that can happen."""
    converter = find_converter(game.spec.name)
    state = converter.STATE
    events, phases = set(), set()
    others = [game.spec.options(*other) for other in converter.OTHER_OPTIONS]
    for options in (*game.spec.kinds(), *others):
        for number in range(30):
            for said in game_of(a_plan(game, options, Seed(number.to_bytes(32, "big")))):
                events |= {type(event) for event in said.events}
                phases.add(said.view.phase)
    assert events == {each for each in vars(state).values() if is_event(each)}
    assert phases == set(state.Phase)


def is_event(each: object) -> bool:
    return isinstance(each, type) and issubclass(each, Event) and each is not Event


@every_kind
def test_events_that_hardly_ever_happen_can_be_said(game: AnyGame, options: Options) -> None:
    plan = a_plan(game, options, Seed(bytes(32)))
    question = next(said for said in game_of(plan) if isinstance(said, Question))
    events = find_converter(game.spec.name).RARE_EVENTS
    told = Question(
        plan, Seat(0), 1, question.view, [EventBatch(events)], question.legal, question.clock
    )
    same(messages.decision_message(told), stdio.decision_line(told), decision_message(told))


@every_kind
@given(
    control=controls,
    reactions=st.tuples(*[st.sampled_from(Reaction)] * 2),
    hard=st.sampled_from([Reaction.STRIKE, Reaction.FORFEIT]),
    numbers=st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 3600)),
    name=names,
)
@settings(max_examples=10)
def test_a_start_is_encoded_as_protobuf_does(
    game: AnyGame,
    options: Options,
    control: TimeControl,
    reactions: tuple[Reaction, Reaction],
    hard: Reaction,
    numbers: tuple[int, int, int],
    name: str,
) -> None:
    policy = Policy(*reactions, hard, hard, hard, *numbers)
    entrants = (name,) * options.seats
    plan = MatchPlan(name, game, options, Seed(bytes(32)), b"", entrants, control, policy)
    seal = commitment(plan.seed, plan.salt)
    for seat in map(Seat, range(options.seats)):
        expected = started_message(plan, seat)
        same(
            messages.started_message(plan, seat, seal),
            stdio.started_line(plan, seat, seal),
            expected,
        )


def a_question() -> Question:
    game = find_game("glastonbury")
    said = next(game_of(a_plan(game, game.spec.options(2), Seed(bytes(32)))))
    assert isinstance(said, Question)
    return said


@given(
    violation=st.none() | st.builds(Violation, names, names),
    message=names,
    left=st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1)),
)
@settings(max_examples=50)
def test_a_rejection_is_encoded_as_protobuf_does(
    violation: Violation | None, message: str, left: tuple[int, int]
) -> None:
    rejection = Rejection(a_question(), violation, message, *left)
    same(
        messages.rejected_message(rejection),
        stdio.rejected_line(rejection),
        rejected_message(rejection),
    )


@pytest.mark.parametrize(
    ("reveal", "ending", "told"),
    [
        (True, "complete", True),
        (False, "complete", False),
        (True, "stopped", False),
        (False, "stopped", False),
    ],
)
def test_the_end_of_a_match_that_never_began_and_a_secret_seed(
    reveal: bool, ending: str, told: bool
) -> None:
    options = find_game("glastonbury").spec.options(2)
    plan = MatchPlan(
        "m",
        find_game("glastonbury"),
        options,
        Seed(bytes(range(32))),
        b"",
        ("a", "b"),
        TimeControl(),
        Policy(),
        reveal_seed=reveal,
    )
    for view in (None, a_question().view):
        result = Result(plan, Seat(1), view, [], ending, (), (), (Seat(1),))
        line = stdio.ended_line(result)
        same(messages.ended_message(result), line, ended_message(result))
        assert (plan.seed.hex().encode() in line) is told


@given(reason=names)
def test_a_goodbye_is_encoded_as_protobuf_does(reason: str) -> None:
    expected = pb.PlayResponse(goodbye=pb.Goodbye(reason=reason))
    same(messages.goodbye_message(reason), stdio.goodbye_line(reason), expected)


@given(entrant=names, resume=names, resumed=st.booleans())
def test_a_welcome_is_encoded_as_protobuf_does(entrant: str, resume: str, resumed: bool) -> None:
    limits = pb.Limits(max_message_bytes=65536, max_messages_per_decision=64)
    data = messages.welcome_message(entrant, resume, limits, resumed=resumed)
    assert pb.PlayResponse.FromString(data) == pb.PlayResponse(
        welcome=pb.Welcome(
            entrant=entrant, protocol_version=1, resume_id=resume, limits=limits, resumed=resumed
        )
    )


# What a bot says ----------------------------------------------------------------------------------

AT = 12.5


def submission(move: pb.Move, match: str = "m-1", decision: int = 7) -> pb.PlayRequest:
    submitted = pb.SubmitMove(match=match, decision_id=decision, move=move)
    return pb.PlayRequest(submit_move=submitted)


def read_binary(data: bytes, game: str = "glastonbury") -> Submitted | Unreadable:
    request = messages.read_request(data)
    return messages.read_submission(game, request.submit_move, AT)


@pytest.mark.parametrize(
    ("game", "move"),
    [
        pytest.param(game, move, id=f"{game}-{GAMES[game].format_move(move)}")
        for game, kit in KITS.items()
        for move in kit.every_move
    ],
)
def test_every_move_can_be_said_in_both_encodings(game: str, move: Any) -> None:
    message = move_message(game, move)
    assert pb.Move(**{game: find_codec(game).move_fields(move)}) == message
    request = submission(message)
    meant = Submitted("m-1", 7, move, AT)
    assert read_binary(request.SerializeToString(), game) == meant
    for line in written(request):
        assert stdio.read_line(line, game, AT) == meant


def written(request: Message) -> Iterator[bytes]:
    """Return the forms of canonical JSON: names in either case, enums as names or numbers."""
    for original in (True, False):
        for numbers in (True, False):
            text = json_format.MessageToJson(
                request,
                preserving_proto_field_name=original,
                use_integers_for_enums=numbers,
                indent=None,
            )
            yield text.encode()


@every_game
def test_every_legal_move_can_be_sent_back_as_it_came(game: AnyGame) -> None:
    """The shortest bot copies one of the legal moves, as JSON or as a message."""
    name = game.spec.name
    for options in game.spec.kinds():
        for said in game_of(a_plan(game, options, Seed(bytes(32)))):
            if not isinstance(said, Question):
                continue
            decision = pb.PlayResponse.FromString(messages.decision_message(said)).decision
            shown = json.loads(stdio.decision_line(said))["decision"]
            for move, message, fields in zip(
                said.legal, decision.legal_moves, shown["legal_moves"], strict=True
            ):
                answer = {"match": "m-1", "decision_id": said.decision, "move": fields}
                line = json.dumps({"submit_move": answer}).encode()
                meant = Submitted("m-1", said.decision, move, AT)
                assert stdio.read_line(line, name, AT) == meant
                request = submission(message, decision=said.decision)
                assert read_binary(request.SerializeToString(), name) == meant


def answered(move: str, match: str = '"m-1"', decision: str = "7", more: str = "") -> bytes:
    return (
        f'{{"submit_move":{{"match":{match},"decision_id":{decision},"move":{move}{more}}}}}'
    ).encode()


def moved(action: str) -> bytes:
    return answered(f'{{"glastonbury":{action}}}')


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


ACCEPTED = {
    "snake_case": answered('{"glastonbury":{"take":3}}'),
    "camelCase": (
        b'{"submitMove":{"match":"m-1","decisionId":7,"move":{"glastonbury":{"take":3}}}}'
    ),
    "numbers as text": answered('{"glastonbury":{"take":"3"}}', decision='"7"'),
    "numbers with a point": answered('{"glastonbury":{"take":3.0}}', decision="7.0"),
    "spaces": b' { "submit_move" : {"match":"m-1", "decision_id":7, "move":'
    b'{"glastonbury":{"take":3}}} }\r',
    "another action that is null": moved('{"take":3,"pass":null}'),
    "escapes": b'{"submit\\u005fmove":{"match":"m\\u002d1","decision_id":7,'
    b'"move":{"glastonbury":{"take":3}}}}',
}


@pytest.mark.parametrize("line", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_every_form_that_canonical_json_allows_is_read(line: bytes) -> None:
    take_d1 = Submitted("m-1", 7, find_game("glastonbury").parse_move("take d1"), AT)
    assert stdio.read_line(line, "glastonbury", AT) == take_d1


NOT_FOR_A_TABLE = {
    "join": b'{"join":{"token":"x","protocol_version":1}}',
    "empty join": b'{"join":{}}',
    "leave": b'{"leave":{}}',
}


@pytest.mark.parametrize("line", NOT_FOR_A_TABLE.values(), ids=NOT_FOR_A_TABLE.keys())
def test_a_join_and_a_leave_say_nothing_to_a_table(line: bytes) -> None:
    assert stdio.read_line(line, "glastonbury", AT) == Idle(AT)


@pytest.mark.parametrize(
    "form",
    [
        b'{"submit_move":{"match":"%b","decision_id":%d,"move":%b}}',
        b'{"submit_move":{"match":"%b","decision_id":"%d","move":%b}}',
        b'{"submitMove":{"match":"%b","decisionId":%d,"move":%b}}',
    ],
)
@pytest.mark.parametrize(("match", "decision"), [("m-1", 8), ("m-2", 7), ("m-1", -7)])
def test_the_move_of_an_answer_to_another_decision_is_not_read(
    form: bytes, match: str, decision: int
) -> None:
    """It may be anything, since nobody looks at it: the ids decide first."""
    line = form % (match.encode(), decision, b'{"glastonbury":{"take":99}}')
    assert stdio.read_line(line, "glastonbury", AT, ("m-1", 7)) == StaleAnswer(match, decision, AT)
    own = form % (b"m-1", 7, b'{"glastonbury":{"take":99}}')
    assert isinstance(stdio.read_line(own, "glastonbury", AT, ("m-1", 7)), Unreadable)


LISTS = {
    "glastonbury": ("immuto", "ingredients"),
    "gargon play": ("play", "colours"),
    "gargon pick": ("pick", "cards"),
}


@pytest.mark.parametrize(("name", "parts"), LISTS.items(), ids=LISTS)
@pytest.mark.parametrize("length", [17, 2000])
def test_a_move_with_a_list_that_no_move_has_is_refused_in_both_encodings(
    name: str, parts: tuple[str, str], length: int
) -> None:
    game = name.split(maxsplit=1)[0]
    (field, items), numbers = parts, [1] * length
    move = pb.Move(**{game: {field: {items: numbers}}})
    refused = read_binary(submission(move).SerializeToString(), game)
    assert isinstance(refused, Unreadable)
    assert refused.problem == f"a list in a move has at most 16 entries, not {length}."
    assert len(refused.said) < 500
    said = {"match": "m-1", "decision_id": 7, "move": {game: {field: {items: numbers}}}}
    line = json.dumps({"submit_move": said}).encode()
    assert isinstance(stdio.read_line(line, game, AT, ("m-1", 7)), Unreadable)


UNREADABLE_LINES = {
    "empty": b"",
    "blank": b"   ",
    "not JSON": b"take c2",
    "half of it": answered('{"glastonbury":{"take":3}}')[:-3],
    "two on one line": answered('{"glastonbury":{"take":3}}') * 2,
    "invalid UTF-8": b'{"submit_move":{"match":"\xff"}}',
    "half a surrogate pair": rb'{"submit_move":{"match":"\ud800"}}',
    "UTF-16": '{"leave":{}}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"leave":{}}',
    "not a number": moved('{"take":NaN}'),
    "null": b"null",
    "true": b"true",
    "a number": b"7",
    "text": b'"submit_move"',
    "a list": b"[]",
    "a list of requests": b'[{"leave":{}}]',
    "no message": b"{}",
    "message null": b'{"submit_move":null}',
    "message a number": b'{"submit_move":7}',
    "message a list": b'{"submit_move":["match"]}',
    "message text": b'{"submit_move":"take c2"}',
    "two messages": b'{"submit_move":{},"leave":{}}',
    "what the referee says": b'{"goodbye":{"reason":"x"}}',
    "unknown message": b'{"resign":{}}',
    "unknown field": answered('{"glastonbury":{"take":3}}', more=',"comment":"ha"'),
    "unknown field beside": answered('{"glastonbury":{"take":3}}')[:-1] + b',"comment":"ha"}',
    "unknown field in the move": moved('{"take":3,"comment":"ha"}'),
    "unknown action": moved('{"castle":{}}'),
    "match missing and move null": b'{"submit_move":{"decision_id":7,"move":null}}',
    "match a number": answered('{"glastonbury":{"take":3}}', match="7"),
    "match a list": answered('{"glastonbury":{"take":3}}', match='["m-1"]'),
    "decision true": answered('{"glastonbury":{"take":3}}', decision="true"),
    "decision text": answered('{"glastonbury":{"take":3}}', decision='"seven"'),
    "decision 7.5": answered('{"glastonbury":{"take":3}}', decision="7.5"),
    "decision 2^31": answered('{"glastonbury":{"take":3}}', decision=str(2**31)),
    "decision 2^40": answered('{"glastonbury":{"take":3}}', decision=str(2**40)),
    "decision -2^31-1": answered('{"glastonbury":{"take":3}}', decision=str(-(2**31) - 1)),
    "decision a list": answered('{"glastonbury":{"take":3}}', decision="[7]"),
    "no move": answered("{}"),
    "move null": answered("null"),
    "move a list": answered('["take"]'),
    "move text": answered('"take c2"'),
    "move a number": answered("3"),
    "wrong game": answered('{"kupferkessel":{"take":3}}'),
    "game null": answered('{"glastonbury":null}'),
    "game a number": answered('{"glastonbury":3}'),
    "game text": answered('{"glastonbury":"take c2"}'),
    "no action": moved("{}"),
    "action null": moved('{"take":null}'),
    "two actions": moved('{"take":3,"pass":{}}'),
    "the same action twice": moved('{"pass":{},"keep":{}}'),
    "cell 36": moved('{"take":36}'),
    "cell -1": moved('{"take":-1}'),
    "cell 2^31": moved(f'{{"take":{2**31}}}'),
    "cell 2^63": moved(f'{{"take":{2**63}}}'),
    "cell of 1000 digits": moved(f'{{"take":{"9" * 1000}}}'),
    "cell of 10000 digits as text": moved(f'{{"take":"{"9" * 10000}"}}'),
    "cell 1e400": moved('{"take":1e400}'),
    "cell 3.5": moved('{"take":3.5}'),
    "cell true": moved('{"take":true}'),
    "cell by name": moved('{"take":"c2"}'),
    "cell a list": moved('{"take":[3]}'),
    "cell an object": moved('{"take":{"cell":3}}'),
    "pass true": moved('{"pass":true}'),
    "pass with a field": moved('{"pass":{"really":true}}'),
    "unspecified ingredient": moved('{"immuto":{"ingredients":["INGREDIENT_UNSPECIFIED"]}}'),
    "ingredient 0": moved('{"immuto":{"ingredients":[0]}}'),
    "ingredient 19": moved('{"immuto":{"ingredients":[19]}}'),
    "ingredient -1": moved('{"immuto":{"ingredients":[-1]}}'),
    "ingredient 2^31": moved(f'{{"immuto":{{"ingredients":[{2**31}]}}}}'),
    "unknown ingredient": moved('{"immuto":{"ingredients":["INGREDIENT_GOLD"]}}'),
    "ingredient null": moved('{"immuto":{"ingredients":[null]}}'),
    "ingredients no list": moved('{"immuto":{"ingredients":1}}'),
    "ingredients text": moved('{"immuto":{"ingredients":"INGREDIENT_YA"}}'),
    "ingredients an object": moved('{"immuto":{"ingredients":{"a":1}}}'),
    **{
        f"nested {depth} deep in {where}": line
        for depth in (100, 950, 1000, 1020, 100_000)
        for where, line in {
            "nothing": nested(depth).encode(),
            "the message": f'{{"submit_move":{nested(depth)}}}'.encode(),
            "the match": answered("{}", match=nested(depth)),
            "the move": answered(nested(depth)),
            "the ingredients": moved(f'{{"immuto":{{"ingredients":{nested(depth)}}}}}'),
        }.items()
    },
}


@pytest.mark.parametrize("line", UNREADABLE_LINES.values(), ids=UNREADABLE_LINES.keys())
def test_an_unreadable_line_is_refused_with_a_sentence(line: bytes) -> None:
    refused = stdio.read_line(line, "glastonbury", AT)
    assert isinstance(refused, Unreadable)
    assert_is_a_sentence(refused)
    assert refused.said == line[:200].decode("utf-8", "replace")


def assert_is_a_sentence(refused: Unreadable) -> None:
    assert refused.at == AT
    assert refused.problem.endswith(".")
    assert not refused.problem.endswith("..")
    assert "\n" not in refused.problem
    assert len(refused.problem) < 300


def test_an_empty_list_for_a_message_without_fields_is_tolerated() -> None:
    """The parser of protobuf does, and some languages write an empty object so."""
    assert stdio.read_line(moved('{"pass":[]}'), "glastonbury", AT) == Submitted(
        "m-1", 7, find_game("glastonbury").parse_move("pass"), AT
    )


def field(number: int, *, wire_type: int = 2, data: bytes = b"") -> bytes:
    """Write a field as it might be, not as it should be."""
    if wire_type == 2:
        return encoders.length_delimited(number, data)
    return encoders.varint(number << 3 | wire_type) + data


def action(data: bytes) -> bytes:
    return field(2, data=field(3, data=field(1, data=data)))


UNREADABLE_MESSAGES = {
    "no move": pb.PlayRequest(submit_move=pb.SubmitMove(match="m-1")).SerializeToString(),
    "no game": submission(pb.Move()).SerializeToString(),
    "a game that there is not": field(2, data=field(3, data=field(9, data=b""))),
    "no action": action(b""),
    "an action that there is not": action(field(15, data=b"")),
    "cell 36": action(field(1, wire_type=0, data=encoders.varint(36))),
    "cell -1": action(field(1, wire_type=0, data=encoders.varint(-1))),
    "cell 2^31 - 1": action(field(1, wire_type=0, data=encoders.varint(2**31 - 1))),
    "cell as text": action(field(1, data=b"c2")),
    "unspecified ingredient": action(field(6, data=field(1, data=b"\0"))),
    "ingredient 19": action(field(6, data=field(1, data=b"\x13"))),
    "ingredient -1": action(field(6, data=field(1, data=encoders.varint(-1)))),
    "one good ingredient, one bad": action(field(6, data=field(1, data=b"\x01\x7f"))),
}


@pytest.mark.parametrize("data", UNREADABLE_MESSAGES.values(), ids=UNREADABLE_MESSAGES.keys())
def test_an_unreadable_submission_is_refused_with_a_sentence(data: bytes) -> None:
    refused = read_binary(data)
    assert isinstance(refused, Unreadable)
    assert_is_a_sentence(refused)


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        ("{}", "this one has none."),
        ('{"take":36}', "there is no cell 36: cells are 0 (a1) to 35 (f6)."),
        ('{"take":-1}', "there is no cell -1: cells are 0 (a1) to 35 (f6)."),
        ('{"take":"c2"}', "this line is not a PlayRequest"),
        ('{"use":{},"skip":{}}', "this line is not a PlayRequest"),
        ('{"use":true}', "this line is not a PlayRequest"),
        ('{"pass":{}}', "this line is not a PlayRequest"),
    ],
)
def test_an_unreadable_move_of_kupferkessel_is_refused_with_a_sentence(
    move: str, problem: str
) -> None:
    refused = stdio.read_line(answered(f'{{"kupferkessel":{move}}}'), "kupferkessel", AT)
    assert isinstance(refused, Unreadable)
    assert_is_a_sentence(refused)
    assert problem in refused.problem


def test_of_two_actions_in_a_message_the_last_counts_as_protobuf_demands() -> None:
    both = Game.Move(take=3).SerializeToString() + Game.Move(keep=Game.Keep()).SerializeToString()
    keep = find_game("glastonbury").parse_move("keep")
    assert read_binary(field(2, data=field(3, data=field(1, data=both)))) == Submitted(
        "", 0, keep, AT
    )


def test_a_move_of_another_game_is_refused() -> None:
    submitted = submission(pb.Move(glastonbury=Game.Move(take=3))).submit_move
    refused = messages.read_submission("kupferkessel", submitted, AT)
    assert isinstance(refused, Unreadable)
    assert refused.problem == "this match is kupferkessel, but the move is one of glastonbury."


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"\x12\x7f",
        field(2, data=b"\xff"),
        field(2, data=field(1, data=b"\xff\xfe")),
        field(2, data=field(3, data=b"\x0a\x05x")),
        b"\x0b" * 10_000,
    ],
    ids=["no tag", "cut off", "no message", "invalid UTF-8", "cut off inside", "deep groups"],
)
def test_bytes_that_are_no_request_are_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(WireError, match=r"^this is not a PlayRequest\.$"):
        messages.read_request(data)


VOCABULARY = [
    *("submit_move", "submitMove", "join", "leave", "match", "decision_id", "decisionId", "move"),
    *("glastonbury", "take", "pass", "keep", "discard", "declinatio", "immuto", "ingredients"),
    *("games", "token", "max_matches", "@type", "INGREDIENT_YA", ""),
]
words = st.sampled_from(VOCABULARY)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
moves_of_sorts = st.fixed_dictionaries({"glastonbury": st.dictionaries(words, anything)}) | anything
submissions_of_sorts = st.fixed_dictionaries(
    {
        "submit_move": st.fixed_dictionaries(
            {"match": st.just("m") | anything, "decision_id": st.just(1) | anything},
            optional={"move": moves_of_sorts},
        )
    }
)


def is_an_answer(answer: object) -> bool:
    match answer:
        case None:
            return True
        case Unreadable(problem, said, at):
            return problem.endswith(".") and len(problem) < 300 and len(said) <= 200 and at == AT
        case Submitted(match, decision, move, at):
            return (
                type(match) is str
                and type(decision) is int
                and abs(decision) <= 2**31
                and (isinstance(move, AssignImmuto) or move in KITS["glastonbury"].every_move)
                and at == AT
            )
    return False


@given(line=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@settings(max_examples=300)
def test_no_bytes_break_the_reading_of_lines(line: bytes) -> None:
    assert is_an_answer(stdio.read_line(line, "glastonbury", AT))


@given(request=submissions_of_sorts | anything)
@settings(max_examples=300)
def test_no_json_breaks_the_reading_of_lines(request: object) -> None:
    line = json.dumps(request).encode()
    assert is_an_answer(stdio.read_line(line, "glastonbury", AT))


@st.composite
def damaged_requests(draw: st.DrawFn) -> bytes:
    """Return a sound request in which a few bytes were changed, or something cut out."""
    move = draw(st.sampled_from(KITS["glastonbury"].every_move))
    data = bytearray(submission(move_message("glastonbury", move)).SerializeToString())
    for _ in range(draw(st.integers(0, 3))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    start = draw(st.integers(0, len(data)))
    del data[start : start + draw(st.integers(0, 2))]
    return bytes(data)


@given(data=st.binary(max_size=60) | damaged_requests())
@settings(max_examples=300)
def test_no_bytes_break_the_reading_of_requests(data: bytes) -> None:
    try:
        answer = read_binary(data)
    except WireError as error:
        assert str(error) == "this is not a PlayRequest."  # noqa: PT017  most can be read
    else:
        assert isinstance(answer, Submitted) or answer.problem.endswith(".")


# Numbers ------------------------------------------------------------------------------------------

NUMBERS = [
    *(0, 1, 126, 127, 128, 129, 255, 256, 16_383, 16_384, 2**21 - 1, 2**21, 2**28, 2**31 - 1),
    *(-1, -2, -127, -128, -129, -(2**31)),
]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_written_as_protobuf_does(number: int) -> None:
    tag = bytes([pb.MoveRejected.DECISION_ID_FIELD_NUMBER << 3])
    message = pb.MoveRejected.FromString(tag + encoders.varint(number))
    assert message.decision_id == number
    assert message.SerializeToString() == (tag + encoders.varint(number) if number else b"")


@given(numbers=st.lists(st.sampled_from(NUMBERS) | st.integers(-(2**31), 2**31 - 1)))
def test_numbers_in_a_row_are_packed_as_protobuf_does(numbers: list[int]) -> None:
    view = Game.View(stops=numbers)
    encode = encoders.binary_encoder(Game.View.DESCRIPTOR)
    assert encode({"stops": numbers}) == view.SerializeToString()
    assert encode({"stops": tuple(numbers)}) == view.SerializeToString()
    written = encoders.json_encoder(Game.View.DESCRIPTOR)({"stops": numbers})
    assert json.loads(b"{%b}" % written) == {"stops": numbers}


ANY_NUMBER = st.sampled_from(NUMBERS) | st.integers(-(2**31), 2**31 - 1)


@given(
    turn=ANY_NUMBER,
    steps=ANY_NUMBER,
    stops=st.lists(ANY_NUMBER | st.integers(0, 127), max_size=200),
    last=ANY_NUMBER,
)
def test_a_row_of_fields_is_written_as_protobuf_does(
    turn: int, steps: int, stops: list[int], last: int
) -> None:
    """Whatever the numbers are, and also for a field whose tag takes two bytes."""
    names, row = ("turn", "steps", "stops", "ender"), (turn, steps, stops, last)
    view = Game.View(turn=turn, steps=steps, stops=stops, ender=last)
    form = situation_part(find_codec("glastonbury"), "view")
    assert form.fields_by_name["ender"].number > 15
    encode = encoders.binary_row_encoder(form, names)
    assert encode(row) == view.SerializeToString()
    view.ClearField("ender")
    encode = encoders.binary_row_encoder(form, names[:3])
    assert encode(row[:3]) == view.SerializeToString()
    written = encoders.json_row_encoder(form, names)(row)
    assert json.loads(b"{%b}" % written) == dict(zip(names, row, strict=True))


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 16_383, 16_384, 70_000])
def test_lengths_are_written_as_protobuf_does(size: int) -> None:
    text = "x" * size
    goodbye = pb.Goodbye(reason=text).SerializeToString()
    assert goodbye == (encoders.length_delimited(1, text.encode()) if size else b"")


@given(durations | st.just(timedelta(0)))
def test_durations_are_written_as_protobuf_does(value: timedelta) -> None:
    message = pb.Clock()
    message.bank.FromTimedelta(value)
    assert messages.duration(value) == json_format.MessageToDict(message)["bank"]


# Plain answers ------------------------------------------------------------------------------------


def all_questions(game: AnyGame) -> list[Question]:
    """Return the questions of a game of every kind."""
    games = [game_of(a_plan(game, options, Seed(bytes(32)))) for options in game.spec.kinds()]
    return [said for played in games for said in played if isinstance(said, Question)]


QUESTIONS = {name: all_questions(game) for name, game in GAMES.items()}


@every_game
def test_the_answers_of_protobufs_libraries_are_plain(game: AnyGame) -> None:
    name = game.spec.name
    for question in all_questions(game):
        head = messages.answer_prefix(question)
        for move in question.legal:
            request = submission(move_message(name, move), question.plan.match, question.decision)
            data = request.SerializeToString()
            if len(data) < 128:  # what is longer is read by protobuf
                assert messages.read_canonical_answer(data, head, name) == move


@every_game
@given(data=st.data())
def test_a_plain_answer_is_what_protobuf_reads_whatever_the_bytes(
    game: AnyGame, data: st.DataObject
) -> None:
    """Answers to this question and to others, moves of other games, with bytes changed or lost."""
    name = game.spec.name
    question = data.draw(st.sampled_from(QUESTIONS[name]))
    other = QUESTIONS[data.draw(st.sampled_from(sorted(QUESTIONS)))][0]
    moves = [move_message(name, move) for move in question.legal[:20]]
    moves += [move_message(other.plan.game.spec.name, other.legal[0]), pb.Move()]
    request = submission(
        data.draw(st.sampled_from(moves)),
        data.draw(st.sampled_from([question.plan.match, "another", ""])),
        data.draw(st.sampled_from([question.decision, question.decision + 128, 0])),
    )
    said = bytearray(request.SerializeToString())
    if data.draw(st.booleans()):
        said[data.draw(st.integers(0, len(said) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del said[data.draw(st.integers(0, len(said))) :]
    head = messages.answer_prefix(question)
    plain = messages.read_canonical_answer(bytes(said), head, name)
    if plain is not None:
        read = pb.PlayRequest.FromString(bytes(said))
        assert read.WhichOneof("message") == "submit_move"
        assert messages.read_submission(name, read.submit_move, AT) == Submitted(
            question.plan.match, question.decision, plain, AT
        )


@pytest.mark.parametrize("data", [b"", b"\x12", b"\x12\x00", b"\x12\x02\x1a\x00", bytes(200)])
def test_what_is_too_short_or_too_long_is_not_plain(data: bytes) -> None:
    head = messages.answer_prefix(QUESTIONS["glastonbury"][0])
    assert messages.read_canonical_answer(data, head, "glastonbury") is None


@pytest.mark.parametrize("data", UNREADABLE_MESSAGES.values(), ids=UNREADABLE_MESSAGES.keys())
def test_an_unreadable_submission_is_not_plain(data: bytes) -> None:
    move = pb.PlayRequest.FromString(data).submit_move.move.SerializeToString()
    question = QUESTIONS["glastonbury"][0]
    head = messages.answer_prefix(question)
    whole = field(2, data=head + field(3, data=move))
    assert messages.read_canonical_answer(whole, head, "glastonbury") is None
