"""Plays Gargon greedily; the same logic exists in other languages and moves alike.

Cards and piles are the numbers of the protocol; colours count from 0 (white) to 5 (green). What
things are worth is counted in hundredths of half points and always whole.

1. Remember what every seat has captured, as CAPTURED says.
2. Count for each colour and value the cards that are unseen: two zeros and one of each other value,
   less those in the own hand, those that any seat has captured, and those that are discarded.
3. A captured card is worth twice its amulets, doubled for each zero of its colour that the own seat
   has captured, and 8 towards the majority. A zero is worth twice the amulets of its colour that
   the own seat has captured, doubled likewise, and 12.
4. The chance of a card is counted per cent and begins with 100. Let n be 1, or 2 for the lower card
   of a pair. Take the other seats in the order of their numbers. A seat that has laid n cards of
   the colour or more leaves the chance times the lower cards among the unseen ones of the colour,
   divided by all of these. A seat that is yet to lay in this round and has n cards of the colour
   or more in its hand does so in one of 2 cases if n is 1, and in one of 8 if n is 2: of m cases it
   leaves the chance times (m - 1) * unseen + lower, divided by m * unseen. Divisions round down.
5. To lay a card is worth its chance times what it is worth captured, less 100 times what it is
   worth in the hand: 2, but 1 if a pile has 4 cards or fewer, and nothing if a pile is empty. Of
   two cards of one colour the higher one has the chance of a single card.
6. A pick is worth the sum for its cards. A play is worth the sum over its colours of the best pick
   that the hand has for it.
7. To draw from a pile is worth twice the number of captured cards of the own seat in the colour of
   its top card, less the number of cards of that colour in all other hands. To stop is worth -1000.
8. To pass is worth 900 and what the draw is worth, less 1000 for each card in the hand above 10;
   but nothing if a pile is empty.
9. A battle is worth nothing: all of them are fought in the end.
10. Choose the move that is worth most, the first one among equals.
"""

from highstreet.v1.gargon_pb2 import Gargon
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from plumbing import Bot

AMULETS = [0, 5, 5, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0]
"""The amulets on a card, by its value."""
COLOURS = range(6)
BACKS = 97
"""The first of the cards of which only the colour is known."""


def colour(card: int) -> int:
    """Return the colour of a card."""
    return (card - 1) // 16 if card < BACKS else card - BACKS


def value(card: int) -> int:
    """Return the value of a card."""
    return (card - 1) % 16


class GreedyGargon(Bot):
    """Remembers every capture, and plays the move that is worth most."""

    def match_started(self, message: MatchStarted) -> None:
        """Begin without captures."""
        self.seat = message.seat
        self.captured: list[list[int]] = [[] for _ in message.seats]

    def choose(self, decision: Decision) -> Move:
        """Return the first of the moves that are worth most (step 10)."""
        self.view = decision.gargon.view
        for event in decision.gargon.events:
            self.remember(event)
        self.count()
        return max(decision.legal_moves, key=lambda move: self.worth(move.gargon))

    def remember(self, event: Gargon.Event) -> None:
        """Keep the captures up to date (step 1)."""
        if event.kind == Gargon.EVENT_KIND_CAPTURED:
            self.captured[event.seat].append(event.card)

    def count(self) -> None:
        """Count unseen cards, cards on the table, own cards and own captures (step 2)."""
        view = self.view
        self.unseen = [[2] + [1] * 15 for _ in COLOURS]
        for cards in (view.hand, view.discards, *self.captured):
            for card in cards:
                self.unseen[colour(card)][value(card)] -= 1
        self.laid = [[0] * 6 for _ in self.captured]
        for card, owner in zip(view.laid_cards, view.laid_owners, strict=True):
            self.laid[owner][colour(card)] += 1
        self.own = [[card for card in view.hand if colour(card) == c] for c in COLOURS]
        self.taken, self.amulets, self.zeros = [0] * 6, [0] * 6, [0] * 6
        for card in self.captured[self.seat]:
            self.taken[colour(card)] += 1
            self.amulets[colour(card)] += AMULETS[value(card)]
            if value(card) == 0:
                self.zeros[colour(card)] += 1
        self.lowest_pile = min(len(view.pile_a), len(view.pile_b))

    def worth(self, move: Gargon.Move) -> int:
        """Return what a move is worth (steps 6 to 9)."""
        action = move.WhichOneof("action")
        if action == "play":
            return self.play_worth([c - 1 for c in move.play.colours])
        if action == "pass":
            return self.pass_worth(getattr(move, "pass"))
        if action == "pick":
            return self.pick_worth(sorted(move.pick.cards))
        if action == "draw":
            return self.draw_worth(move.draw)
        return -1000 if action == "stop" else 0

    def play_worth(self, pattern: list[int]) -> int:
        """Return what it is worth to lay cards of these colours (step 6)."""
        return sum(self.best_pick(c, pattern.count(c)) for c in COLOURS if c in pattern)

    def best_pick(self, c: int, cards: int) -> int:
        """Return what the best pick of one card or two of a colour is worth (step 6)."""
        own = self.own[c]
        if cards == 1:
            return max(self.pick_worth([card]) for card in own)
        return max(
            self.pick_worth([low, high]) for i, low in enumerate(own) for high in own[i + 1 :]
        )

    def pick_worth(self, cards: list[int]) -> int:
        """Return what it is worth to lay these cards of a colour, the lower one first (step 6)."""
        if len(cards) == 1:
            return self.lay_worth(cards[0], 1)
        return self.lay_worth(cards[0], 2) + self.lay_worth(cards[1], 1)

    def lay_worth(self, card: int, n: int) -> int:
        """Return what it is worth to lay a card (step 5)."""
        in_hand = 2
        if self.lowest_pile <= 4:
            in_hand = 1 if self.lowest_pile > 0 else 0
        return self.chance(card, n) * self.capture_worth(card) - 100 * in_hand

    def chance(self, card: int, n: int) -> int:
        """Return the chance per cent that a card is captured (step 4)."""
        c, seats = colour(card), len(self.captured)
        unseen, lower = sum(self.unseen[c]), sum(self.unseen[c][: value(card)])
        yet_to_lay = (self.view.leader - self.seat - 1) % seats
        cases = 2 if n == 1 else 8
        chance = 100
        for seat in range(seats):
            if seat == self.seat:
                continue
            if self.laid[seat][c] >= n:
                chance = chance * lower // unseen
            elif (seat - self.seat - 1) % seats < yet_to_lay and self.held(seat, c) >= n:
                chance = chance * ((cases - 1) * unseen + lower) // (cases * unseen)
        return chance

    def capture_worth(self, card: int) -> int:
        """Return what a card is worth when it is captured (step 3)."""
        c = colour(card)
        if value(card) == 0:
            return (2 * self.amulets[c] << self.zeros[c]) + 12
        return (2 * AMULETS[value(card)] << self.zeros[c]) + 8

    def held(self, seat: int, c: int) -> int:
        """Return how many cards of a colour a seat has in its hand."""
        return self.view.hand_counts[6 * seat + c]

    def draw_worth(self, pile: int) -> int:
        """Return what it is worth to draw from a pile (step 7)."""
        colours = self.view.pile_a if pile == Gargon.PILE_A else self.view.pile_b
        c = colours[0] - 1
        others = (self.held(seat, c) for seat in range(len(self.captured)) if seat != self.seat)
        return 2 * self.taken[c] - sum(others)

    def pass_worth(self, pile: int) -> int:
        """Return what it is worth to pass (step 8)."""
        if self.lowest_pile == 0:
            return 0
        return 900 + self.draw_worth(pile) - 1000 * max(0, len(self.view.hand) - 10)
