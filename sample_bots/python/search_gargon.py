"""Plays Gargon by search.

It remembers every capture, as the greedy bot does. The colours of all hands and piles are known;
what it cannot know are the values of cards in other hands, of cards that others have laid, and of
those in the piles. It plays each deal to the end of the next round. Battles and draws for lost
cards are left to the greedy bot.
"""

from collections.abc import Sequence

from greedy_gargon import AMULETS, GreedyGargon
from highstreet.v1.gargon_pb2 import Gargon as Messages
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from searching import Searcher, ahead_by, best_move

from engine import Seat
from engine.gargon import (
    COLOUR_OF,
    DRAWS,
    PASSES,
    STOP,
    VALUE_OF,
    Card,
    Cards,
    Colour,
    Draw,
    Gargon,
    Pass,
    Phase,
    Pick,
    Play,
    Setup,
    State,
)
from engine.gargon import Move as EngineMove

GAME = Gargon()
CANDIDATES = 5  # how many moves are tried, the greedy bot's favourites
COLOURS = range(6)
VALUES = range(16)
HIGHEST_LAID = 0.75  # how often a seat is taken to have laid its highest card of a colour
LATE = 20  # with fewer cards in a pile, hopes are worth less and majorities more
PHASES = {
    Messages.PHASE_LEAD: Phase.LEAD,
    Messages.PHASE_FOLLOW: Phase.FOLLOW,
    Messages.PHASE_PICK: Phase.PICK,
    Messages.PHASE_PASSDRAW: Phase.PASSDRAW,
}


class SearchGargon(Searcher, GreedyGargon):
    """Thinks like the greedy bot, but about many possible deals."""

    def match_started(self, message: MatchStarted) -> None:
        """Learn the options, too."""
        super().match_started(message)
        options = message.gargon
        literal = options.zero_clash == Messages.ZERO_CLASH_LITERAL
        seats = len(message.seats)
        self.setup = Setup(seats, options.open_captures, literal, options.allow_111)

    def choose(self, decision: Decision) -> Move:
        """Return the move that did best."""
        deadline = self.deadline(decision.clock)
        greedy_move = super().choose(decision)
        if not self.searches():
            return greedy_move
        ranked = sorted(decision.legal_moves, key=lambda move: -self.worth(move.gargon))
        candidates = {to_engine(move.gargon): move for move in ranked[:CANDIDATES]}
        chosen = best_move(
            list(candidates),
            self.dealt,
            lambda state, move: ahead_by(standings(play_on(state, move)), self.seat),
            deadline,
        )
        return candidates[chosen]

    def searches(self) -> bool:
        """Tell whether the decision is searched; the greedy bot makes the others."""
        return self.view.phase in PHASES

    def dealt(self) -> State:
        """Return a position that may be the true one."""
        view = self.view
        unseen = []
        for c in COLOURS:
            values = [v for v in VALUES for _ in range(self.unseen[c][v])]
            self.random.shuffle(values)
            unseen.append([Card(1 + 16 * c + v) for v in values])
        laid: list[list[Card]] = [[] for _ in self.captured]
        hands: list[list[Card]] = [[] for _ in self.captured]
        for seat, counts in enumerate(self.laid):
            if seat == self.seat:
                hands[seat] = [*map(Card, view.hand)]
                continue
            for c in sorted(COLOURS, key=lambda c: -counts[c]):  # a pair is laid first
                own = [unseen[c].pop() for _ in range(self.held(seat, c) + counts[c])]
                if self.random.random() < HIGHEST_LAID:
                    own.sort()
                put = own[len(own) - counts[c] :]
                laid[seat] += sorted(put, reverse=True)
                hands[seat] += own[: len(own) - counts[c]]
        piles = [tuple(unseen[c - 1].pop() for c in pile) for pile in (view.pile_a, view.pile_b)]
        return State(
            self.setup,
            view.round,
            Seat(view.leader),
            Seat(view.turn),
            PHASES[view.phase],
            tuple(tuple(sorted(hand)) for hand in hands),
            (piles[0], piles[1]),
            tuple(map(tuple, laid)),
            tuple(map(stack, self.captured)),
            stack(view.discards),
            tuple(Colour(c - 1) for c in view.pattern),
            stack(view.picked),
            view.drawn,
            None,
            (),
        )


def stack(cards: Sequence[int]) -> Cards:
    """Return cards of the protocol as the engine has them; their numbers are the same."""
    return tuple(map(Card, cards))


def to_engine(move: Messages.Move) -> EngineMove:
    """Return a move that is searched as the engine has it."""
    action = move.WhichOneof("action")
    if action == "play":
        return Play(tuple(Colour(c - 1) for c in move.play.colours))
    if action == "pick":
        return Pick(stack(move.pick.cards))
    if action == "pass":
        return PASSES[(getattr(move, "pass") or len(PASSES)) - 1]
    return DRAWS[move.draw - 1] if action == "draw" else STOP


def play_on(state: State, move: EngineMove) -> State:
    """Play a move, and greedy moves to the end of the next round."""
    number = state.round
    gone = mask((*state.discards, *(card for cards in state.captured for card in cards)))
    state = GAME.apply(state, {state.seat: move}).state
    while state.round <= number + 1 and state.phase is not Phase.OVER:
        state = GAME.apply(state, {state.seat: greedy_move(state, gone)}).state
    return state


# What the greedy bot counts, for positions of the engine.


def mask(cards: Sequence[Card]) -> int:
    """Return cards as bits."""
    bits = 0
    for card in cards:
        bits |= 1 << card
    return bits


def greedy_move(state: State, gone: int) -> EngineMove:
    """Return about what the greedy bot would play."""
    legal = GAME.legal_moves(state, state.seat)
    phase = state.phase
    if len(legal) == 1 or phase is Phase.BATTLE:
        return legal[0]
    if phase in (Phase.CONSOLATION, Phase.PASSDRAW):
        draws = [move for move in legal if isinstance(move, Draw)]
        return max(draws, key=lambda move: draw_worth(state, move.pile))
    worths = Worths(state, gone)
    if phase is Phase.PICK:
        return max(legal, key=lambda move: worths.pick(move.cards) if isinstance(move, Pick) else 0)
    best, chosen = -(10**9), legal[0]
    for move in legal:
        worth = worths.play(move.pattern) if isinstance(move, Play) else worths.passing(move)
        if worth > best:
            best, chosen = worth, move
    return chosen


def draw_worth(state: State, pile: int) -> int:
    """Return how many cards of the colour of the top card the seat has captured."""
    top = COLOUR_OF[state.piles[pile][0]]
    return sum([COLOUR_OF[card] == top for card in state.captured[state.seat]])


class Worths:
    """What it is worth to lay the cards of the hand of the seat that decides."""

    def __init__(self, state: State, gone: int) -> None:
        seat, seats = state.seat, state.setup.seats
        self.state = state
        self.lowest_pile = min(map(len, state.piles))
        hand = state.hands[seat]
        amulets, zeros, laid = [0] * 6, [0] * 6, [[0] * 6 for _ in range(seats)]
        for card in state.captured[seat]:
            amulets[COLOUR_OF[card]] += AMULETS[VALUE_OF[card]]
            zeros[COLOUR_OF[card]] += not VALUE_OF[card]
        for own, cards in zip(laid, state.laid, strict=True):
            for card in cards:
                own[COLOUR_OF[card]] += 1
        others = [other for other in range(seats) if other != seat]
        yet_to_lay = (state.leader - seat - 1) % seats
        in_hand = 200 if self.lowest_pile > 4 else 100 if self.lowest_pile else 0
        unseen = ~(gone | mask(hand))
        self.single: dict[Card, int] = {}
        self.second: dict[Card, int] = {}
        self.own: list[list[Card]] = [[] for _ in COLOURS]
        for card in hand:
            c, value = COLOUR_OF[card], VALUE_OF[card]
            self.own[c].append(card)
            bits = unseen >> (1 + 16 * c)
            all_unseen = (bits & 0xFFFF).bit_count() or 1
            part = (bits & ((1 << value) - 1)).bit_count() / all_unseen
            single = second = 100.0
            for other in others:
                if laid[other][c]:
                    single *= part
                    second *= part if laid[other][c] > 1 else 1
                elif (other - seat - 1) % seats < yet_to_lay:
                    single *= (1 + part) / 2
                    second *= (7 + part) / 8
            worth = (
                (2 * (AMULETS[value] if value else amulets[c]) << zeros[c]) + 8 + 4 * (not value)
            )
            self.single[card] = int(single * worth) - in_hand
            self.second[card] = int(second * worth) - in_hand

    def pick(self, cards: Cards) -> int:
        """Return what it is worth to lay cards of one colour."""
        if len(cards) == 1:
            return self.single[cards[0]]
        return self.single[max(cards)] + self.second[min(cards)]

    def play(self, pattern: tuple[Colour, ...]) -> int:
        """Return what it is worth to lay cards of these colours."""
        worth = 0
        for c in {*pattern}:
            own = self.own[c]
            if pattern.count(c) == 1:
                worth += max([self.single[card] for card in own])
            else:
                pairs = [(low, high) for i, low in enumerate(own) for high in own[i + 1 :]]
                worth += max([self.second[low] + self.single[high] for low, high in pairs])
        return worth

    def passing(self, move: EngineMove) -> int:
        """Return what it is worth to pass."""
        if not self.lowest_pile or not isinstance(move, Pass) or move.pile is None:
            return 0
        hand = len(self.state.hands[self.state.seat])
        return 900 + draw_worth(self.state, move.pile) - 1000 * max(0, hand - 10)


def standings(state: State) -> list[float]:
    """Return for each seat its points, or what it may hope for while the game goes on, twice."""
    if outcome := GAME.outcome(state):
        return [2.0 * score for score in outcome.scores]
    lowest = min(map(len, state.piles))
    early = min(1.0, lowest / LATE)
    counts = [[0] * 6 for _ in state.captured]
    worths = []
    for own, cards, hand in zip(counts, state.captured, state.hands, strict=True):
        amulets, zeros = [0] * 6, [0] * 6
        for card in cards:
            own[COLOUR_OF[card]] += 1
            amulets[COLOUR_OF[card]] += AMULETS[VALUE_OF[card]]
            zeros[COLOUR_OF[card]] += not VALUE_OF[card]
        worth = sum([2 * number << zero for number, zero in zip(amulets, zeros, strict=True)])
        kept = sum([2.5 + VALUE_OF[card] / 16 for card in hand[:12]])
        worths.append(worth + early * (8 * len(cards) + 4 * sum(zeros) + kept))
    for c in COLOURS:
        of_colour = [own[c] for own in counts]
        most = max(of_colour)
        if most:
            paid = 20 if of_colour.count(most) == 1 else 10
            for seat, number in enumerate(of_colour):
                worths[seat] += (1 - early) * paid * (number == most)
    return worths
