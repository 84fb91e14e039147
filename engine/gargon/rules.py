"""The course of a game of Gargon (docs/rules/gargon.md, section by section)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from engine.errors import IllegalMoveError
from engine.game import (
    Event,
    GameSpec,
    Option,
    Options,
    OptionValue,
    Outcome,
    Seat,
    Transition,
    Violation,
    foreign_move,
    no_such_viewer,
)
from engine.gargon import moves as notation
from engine.gargon import render
from engine.gargon.cards import (
    BACK_OF,
    CARD_NAMES,
    COLOUR_OF,
    COLOURS,
    VALUE_OF,
    ZERO_OF,
    Card,
    Cards,
    Colour,
    Pile,
    backs,
    deck,
)
from engine.gargon.legal import (
    broken_rule,
    default_move,
    last_seat,
    legal_moves,
    quoted,
    secretly_forced,
)
from engine.gargon.moves import MOVE_TYPES, Battle, Draw, Move, Pass, Pick, Play
from engine.gargon.scoring import score_sheets
from engine.gargon.state import (
    BattleChosen,
    Captured,
    Drew,
    Ended,
    Ending,
    HandsOpened,
    Laid,
    LeadLost,
    Lost,
    Passed,
    Phase,
    PileEmptied,
    Revealed,
    RoundBegan,
    Saw,
    Setup,
    State,
    View,
)
from engine.shuffle import Seed, shuffled

T = TypeVar("T")

HAND: Final = 10
MOST_DRAWN: Final = 3
"""How many cards a seat that passes may draw."""
SEAT_NUMBERS: Final = (3, 4, 5)
SEATS: Final = tuple(Seat(i) for i in range(SEAT_NUMBERS[-1]))
ZERO_CLASHES: Final = ("rank", "literal")

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_LEAD: Final = Phase.LEAD
_FOLLOW: Final = Phase.FOLLOW
_PICK: Final = Phase.PICK
_PASSDRAW: Final = Phase.PASSDRAW
_BATTLE: Final = Phase.BATTLE
_CONSOLATION: Final = Phase.CONSOLATION
_OVER: Final = Phase.OVER

# Everything below is made once, so that a decision need not make it again.
_ALONE: Final = tuple((seat,) for seat in SEATS)
_NEXT_SEAT: Final = {n: tuple(Seat((i + 1) % n) for i in range(n)) for n in SEAT_NUMBERS}
_CLOCKWISE: Final = {
    n: tuple(tuple(Seat((first + i) % n) for i in range(n)) for first in range(n))
    for n in SEAT_NUMBERS
}
"""``_CLOCKWISE[seats][first]``: all seats in order from that one."""
_NO_CARDS: Final[Mapping[int, tuple[Cards, ...]]] = {n: ((),) * n for n in SEAT_NUMBERS}
_BEFORE_REVEAL: Final = frozenset((_LEAD, _FOLLOW, _PICK, _PASSDRAW))

_KINDS: Final = {
    _LEAD: "lead",
    _FOLLOW: "follow",
    _PASSDRAW: "draw after a pass",
    _BATTLE: "battle",
    _CONSOLATION: "consolation",
}
_AS_LAST: Final = "follow as the last seat"
_PICK_KINDS: Final = ("pick one card", "pick two cards")


def _zero_clash_problem(value: OptionValue, _seats: int) -> str | None:
    if value in ZERO_CLASHES:
        return None
    return f'zero_clash is "{value}", but must be {" or ".join(ZERO_CLASHES)}.'


class Gargon:
    """Gargon for 3 to 5 seats, with covered and with open captures."""

    spec: Final = GameSpec(
        name="gargon",
        title="Gargon",
        rules_version="1",
        seats=SEAT_NUMBERS,
        options_offered=(
            Option("open_captures", False, "captured cards stay open (gargon#8.4)", variant=True),
            Option(
                "zero_clash",
                "rank",
                "when two zeros destroy each other: rank or literal (gargon#5.8)",
                _zero_clash_problem,
            ),
            Option("allow_111", True, "three different colours may be laid (gargon#3.3)"),
        ),
        endings=Ending,
        decision_kinds=(*_KINDS.values(), _AS_LAST, *_PICK_KINDS),
        most_decisions=511,
        draw_probability=0.03,
    )

    def deal(self, options: Options, seed: Seed) -> Transition[State]:
        """Deal the hands and the piles; seat 0 leads (gargon#2)."""
        seats = options.seats
        cards = shuffled(deck(), seed, "gargon/deck")
        dealt = HAND * seats
        half = (len(cards) - dealt) // 2
        state = State(
            _setup(options),
            1,
            SEATS[0],
            SEATS[0],
            _LEAD,
            tuple(tuple(sorted(cards[i : i + HAND])) for i in range(0, dealt, HAND)),
            (cards[dealt : dealt + half], cards[dealt + half :]),
            _NO_CARDS[seats],
            _NO_CARDS[seats],
            (),
            (),
            (),
            0,
            None,
            (),
        )
        return Transition(state, [RoundBegan(SEATS[0])])

    def describe_deal(self, options: Options, seed: Seed) -> Mapping[str, object]:
        """Return the shuffled cards as records have them."""
        del options  # the same cards are shuffled for every kind of game
        return {"cards": [CARD_NAMES[card] for card in shuffled(deck(), seed, "gargon/deck")]}

    def to_act(self, state: State) -> Sequence[Seat]:
        """Return who must decide (gargon#9.1)."""
        return () if state.phase is _OVER else _ALONE[state.seat]

    def legal_moves(self, state: State, seat: Seat) -> Sequence[Move]:
        """Return every legal move in the order of gargon#9.2."""
        if seat != state.seat or state.phase is _OVER:
            return ()
        return legal_moves(state)

    def secretly_forced(self, state: State, seat: Seat) -> bool:
        """Return whether one of two equal zeros must be picked, which the others cannot know."""
        return seat == state.seat and secretly_forced(state)

    def check(self, state: State, seat: Seat, move: Move) -> Violation | None:
        """Return the paragraph that a move would break, or nothing if it is legal."""
        if type(move) not in MOVE_TYPES:
            raise foreign_move(move, self.spec.title)
        if state.phase is _OVER:
            said = quoted(move)
            return Violation("gargon#6.4", f'"{said}" comes too late: the game is over.')
        if seat != state.seat:
            return Violation(
                "gargon#9.1",
                f'seat {seat} cannot play "{quoted(move)}": seat {state.seat} must decide.',
            )
        return broken_rule(state, move)

    def apply(self, state: State, moves: Mapping[Seat, Move]) -> Transition[State]:
        """Play the move and run on to the next decision."""
        seat = state.seat
        move = moves.get(seat)
        if move is None or len(moves) != 1 or state.phase is _OVER:
            raise IllegalMoveError(_not_as_asked(self.to_act(state), moves))
        if violation := self.check(state, seat, move):
            raise IllegalMoveError(violation)
        events: list[Event] = []
        if type(move) is Pick:
            return Transition(_pick(state, move.cards, events), events)
        if type(move) is Play:
            return Transition(state._replace(phase=_PICK, pattern=move.pattern), events)
        if type(move) is Battle:
            events.append(BattleChosen(seat, move.colour))
            return Transition(_begin_battle(state, move.colour, events), events)
        if type(move) is Pass:
            return Transition(_pass(state, move.pile, events), events)
        if type(move) is Draw and state.phase is _CONSOLATION:
            return Transition(_console(state, move.pile, events), events)
        if type(move) is Draw:
            return Transition(_draw_after_pass(state, move.pile, events), events)
        return Transition(_next_to_lay(state, events), events)

    def decision_kind(self, view: View, legal: Sequence[Move]) -> str:
        """Name what a seat decides that has this view and these legal moves."""
        if view.phase is _PICK:
            first = legal[0]
            assert type(first) is Pick  # noqa: S101  nothing else is legal
            return _PICK_KINDS[len(first.cards) - 1]
        if view.phase is _FOLLOW and view.seat == last_seat(view.setup.seats, view.leader):
            return _AS_LAST
        return _KINDS[view.phase]

    def default_move(self, state: State, seat: Seat) -> Move:
        """Return the move that is played for a seat that cannot decide (gargon#9.3)."""
        del seat  # only one seat decides at a time
        return default_move(state)

    def view(self, state: State, viewer: Seat | None) -> View:
        """Return what that seat, or a spectator, may know (gargon#8)."""
        setup, phase = state.setup, state.phase
        if viewer is not None and not 0 <= viewer < setup.seats:
            raise no_such_viewer(viewer, setup.seats)
        over = phase is _OVER
        laid = state.laid
        if phase in _BEFORE_REVEAL:
            laid = tuple([own if s == viewer else backs(own) for s, own in enumerate(laid)])
        picking = viewer == state.seat
        first, second = state.piles
        return View(
            viewer,
            setup,
            state.round,
            state.leader,
            state.seat,
            phase,
            () if viewer is None else state.hands[viewer],
            _counts(state.hands),
            (backs(first), backs(second)),
            laid,
            state.pattern if picking else (),
            state.picked if picking else (),
            state.drawn,
            state.colour,
            state.losers,
            state.discards,
            tuple([len(cards) for cards in state.captured]),
            state.captured if over or setup.open_captures else (),
            state.hands if over else (),
            Ending.PILE_EMPTIED if over else None,
        )

    def outcome(self, state: State) -> Outcome | None:
        """Return how the game ended, or nothing while it goes on (gargon#7.3)."""
        if state.phase is not _OVER:
            return None
        scores = tuple(sheet.total for sheet in score_sheets(state.captured))
        return Outcome(Ending.PILE_EMPTIED, scores)

    def format_move(self, move: Move) -> str:
        """Write a move as records have it."""
        return notation.format_move(move)

    def parse_move(self, text: str) -> Move:
        """Read a move; raises NotationError."""
        return notation.parse_move(text)

    def render(self, view: View) -> str:
        """Draw a view as text for a person."""
        return render.render(view)


def _setup(options: Options) -> Setup:
    return Setup(
        options.seats,
        bool(options["open_captures"]),
        options["zero_clash"] == "literal",
        bool(options["allow_111"]),
    )


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one item replaced; by way of a list, which is the fastest."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


def _without(cards: Cards, gone: Cards) -> Cards:
    """Return the cards but for some of them."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def _counts(hands: tuple[Cards, ...]) -> tuple[int, ...]:
    counts = [0] * (len(COLOURS) * len(hands))
    first = 0
    for hand in hands:
        for card in hand:
            counts[first + COLOUR_OF[card]] += 1
        first += len(COLOURS)
    return tuple(counts)


# Laying cards (gargon#4) --------------------------------------------------------------------------


def _pick(state: State, cards: Cards, events: list[Event]) -> State:
    """Pick cards, and lay them when the pattern is complete (gargon#4.5)."""
    picked = state.picked + cards
    if len(picked) < len(state.pattern):
        return state._replace(picked=picked)
    seat = state.seat
    events.append(Laid(seat, backs(picked)))
    laid = state._replace(
        hands=_with(state.hands, seat, _without(state.hands[seat], picked)),
        laid=_with(state.laid, seat, picked),
        pattern=(),
        picked=(),
    )
    return _next_to_lay(laid, events)


def _pass(state: State, pile: Pile | None, events: list[Event]) -> State:
    events.append(Passed(state.seat))
    if pile is None:
        return _next_to_lay(state, events)
    return _draw_after_pass(state, pile, events)


def _draw_after_pass(state: State, pile: Pile, events: list[Event]) -> State:
    """Draw a card, and ask for more (gargon#4.6)."""
    state = _draw(state, pile, events)
    drawn = state.drawn + 1
    if drawn == MOST_DRAWN or not any(state.piles):
        return _next_to_lay(state, events)
    return state._replace(phase=_PASSDRAW, drawn=drawn)


def _draw(state: State, pile: Pile, events: list[Event]) -> State:
    """Give the top card of a pile to the seat that decides."""
    seat = state.seat
    card, rest = state.piles[pile][0], state.piles[pile][1:]
    events += (Drew(seat, pile, BACK_OF[card]), Saw(seat, card))
    if not rest:
        events.append(PileEmptied(pile))
    first, second = state.piles
    return state._replace(
        hands=_with(state.hands, seat, tuple(sorted((*state.hands[seat], card)))),
        piles=(first, rest) if pile else (rest, second),
    )


def _next_to_lay(state: State, events: list[Event]) -> State:
    """Ask the next seat to follow, or begin the battles after the last one."""
    seat = _NEXT_SEAT[state.setup.seats][state.seat]
    if seat != state.leader:
        return state._replace(seat=seat, phase=_FOLLOW, drawn=0)
    events.append(Revealed(state.laid))
    return _next_battle(state._replace(drawn=0), events)


# Battles (gargon#5) -------------------------------------------------------------------------------


def _next_battle(state: State, events: list[Event]) -> State:
    """Ask the first seat that has cards on the table, or end the round (gargon#5.2)."""
    for seat in _clockwise(state):
        if state.laid[seat]:
            return state._replace(seat=seat, phase=_BATTLE, colour=None, losers=())
    return _end_round(state._replace(colour=None, losers=()), events)


def _begin_battle(state: State, colour: Colour, events: list[Event]) -> State:
    """Resolve a colour, but first let its zeros clash if they always do (gargon#5.8)."""
    if state.setup.literal_zeros:
        zero = ZERO_OF[colour]
        zeros = {seat: zero for seat in _clockwise(state) if zero in state.laid[seat]}
        if len(zeros) > 1:
            return _fight(state, colour, zeros, events)
    return _resolve(state, colour, events)


def _resolve(state: State, colour: Colour, events: list[Event]) -> State:
    """Let a colour fight until a seat must draw, or until it is gone (gargon#5.3 to 5.6)."""
    laid = state.laid
    own = {
        seat: cards
        for seat in _clockwise(state)
        if (cards := tuple([card for card in laid[seat] if COLOUR_OF[card] == colour]))
    }
    if len(own) > 1:
        return _fight(state, colour, {seat: cards[0] for seat, cards in own.items()}, events)
    for seat, cards in own.items():
        events.extend([Captured(seat, card) for card in cards])
        state = state._replace(
            laid=_with(laid, seat, _without(laid[seat], cards)),
            captured=_with(state.captured, seat, state.captured[seat] + cards),
        )
    return _next_battle(state, events)


def _fight(
    state: State, colour: Colour, entered: Mapping[Seat, Card], events: list[Event]
) -> State:
    """Let one card of each seat fight; nobody wins with a zero (gargon#5.4 and 5.7)."""
    highest = max(entered.values())
    laid, captured, discards = list(state.laid), state.captured, list(state.discards)
    losers: list[Seat] = []
    for seat, card in entered.items():
        laid[seat] = _without(laid[seat], (card,))
        if card == highest and VALUE_OF[card]:
            events.append(Captured(seat, card))
            captured = _with(captured, seat, (*captured[seat], card))
        else:
            events.append(Lost(seat, card))
            discards.append(card)
            losers.append(seat)
    return _next_consolation(
        state._replace(
            laid=tuple(laid),
            captured=captured,
            discards=tuple(discards),
            colour=colour,
            losers=tuple(losers),
        ),
        colour,
        events,
    )


def _next_consolation(state: State, colour: Colour, events: list[Event]) -> State:
    """Ask the next loser from which pile it draws, or go on with the colour (gargon#5.5)."""
    if state.losers and any(state.piles):
        return state._replace(seat=state.losers[0], phase=_CONSOLATION)
    return _resolve(state, colour, events)


def _console(state: State, pile: Pile, events: list[Event]) -> State:
    colour = state.colour
    assert colour is not None  # noqa: S101  a seat lost a card of some colour
    state = _draw(state, pile, events)
    return _next_consolation(state._replace(losers=state.losers[1:]), colour, events)


def _clockwise(state: State) -> tuple[Seat, ...]:
    """Return all seats in order from the first player."""
    return _CLOCKWISE[state.setup.seats][state.leader]


# Rounds and the end (gargon#6) --------------------------------------------------------------------


def _end_round(state: State, events: list[Event]) -> State:
    """End the game if a pile is empty; otherwise let the next seat lead that has cards."""
    leader = state.leader
    if not all(state.piles):
        events += (Ended(Ending.PILE_EMPTIED), HandsOpened(state.hands))
        return state._replace(seat=leader, phase=_OVER)
    next_seat = _NEXT_SEAT[state.setup.seats]
    leader = next_seat[leader]
    while not state.hands[leader]:
        events.append(LeadLost(leader))
        leader = next_seat[leader]
    events.append(RoundBegan(leader))
    return state._replace(round=state.round + 1, leader=leader, seat=leader, phase=_LEAD)


# What is wrong with a move ------------------------------------------------------------------------


def _not_as_asked(to_act: Sequence[Seat], moves: Mapping[Seat, Move]) -> Violation:
    if not to_act:
        return Violation("gargon#6.4", "The game is over: nobody can play.")
    given = " and ".join(f"seat {seat}" for seat in sorted(moves)) or "nobody"
    return Violation("gargon#9.1", f"seat {to_act[0]} must decide, but {given} did.")
