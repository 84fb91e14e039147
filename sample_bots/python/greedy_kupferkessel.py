"""Plays Kupferkessel Co. greedily; the same logic exists in other languages and moves alike.

Cards, colours, recipes and cells are the numbers of the protocol; ingredients count from 0 (Wa) to
13 (Lb). What things are worth is counted in half points and always whole.

1. Remember the cauldron of every seat. TOOK, KEPT and a DREW_START_CARD with its flag put a card on
   top, LOST takes the top card off, CAULDRON_OPENED says what a cauldron holds. After the events of
   a decision cut each cauldron to its height in the view: a last card may still be refused.
2. Count for each seat and ingredient the cards in its cauldron and the sum of their values, doubled
   in the colour of the seat. Count for each ingredient how many cards are left: 4, less those in
   all cauldrons, less those out of the game.
3. A set of 1 card is worth -sum if at least 2 cards are left, else -2 sums. A set of 2 is worth its
   sum if at least 1 is left, else nothing. A set of 3 is worth 2 sums, a set of 4 2 sums and 10.
4. A card gains what its set is worth with it and one card less left, minus what the set is worth
   now, and the bonus of step 5. What the others lose by an explosion is the sum over their top
   cards of what the set is worth now, minus what it is worth without that card and one card more
   left; a cauldron of one card loses nothing.
5. A card of value 1 has a bonus of 2. For each own recipe: BOTH a bonus of 6 on cards of the
   colour; ONE a bonus of 2 on cards of the colour; PLANTS a bonus of 3 on plants; FEWER_FOURS of -4
   on a four, FEWER_EXPLOSIONS of -4 on a card with an explosion, FEWER_WANDS of -4 on one with a
   wand.
6. The prospect of a stop is the highest gain of a card in the line that it faces, but at least -8;
   so it is -8 at a corner.
7. A take is worth the gain of its card; and the prospect of the stop that the pawn reaches by the
   value of the card, where stops of other pawns are not counted, without that card. With a wand
   comes that prospect once more if it is above 0, but not after a wand; with an explosion comes
   what the others lose, if it is above 0.
8. To use an explosion is worth what the others lose. To use a wand is worth the prospect of the
   stop that it leads to, less 8 with FEWER_CARDS. To skip is worth nothing.
9. To keep the last card is worth what its set is worth with it and no card left, minus what the set
   is worth now with none left, and the bonus of step 5. To discard it is worth nothing.
10. Choose the move that is worth most, the first one among equals.
"""

from highstreet.v1.kupferkessel_pb2 import Kupferkessel
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from plumbing import Bot

COLUMNS = [[column + 6 * row for row in range(6)] for column in (1, 2, 3, 4)]
ROWS = [[6 * row + column for column in range(6)] for row in (1, 2, 3, 4)]
LINES = [[], *COLUMNS, [], *ROWS, [], *COLUMNS[::-1], [], *ROWS[::-1]]
"""The cells that each stop faces; none at a corner."""

BOTH, ONE = Kupferkessel.RECIPE_BOTH_WHITE, Kupferkessel.RECIPE_ONE_WHITE
"""The first of seven recipes each, in the order of the colours."""


def ingredient(card: int) -> int:
    """Return the ingredient of a card."""
    return (card - 1) // 4


def number(card: int) -> int:
    """Return the value that is printed on a card."""
    return (card - 1) % 4 + 1


def colour(card: int) -> int:
    """Return the colour of a card."""
    return (card - 1) // 8 + 1


def is_plant(card: int) -> bool:
    """Tell whether a card is a plant: ingredient a of a colour that is not white or black."""
    return ingredient(card) >= 4 and ingredient(card) % 2 == 0


def set_worth(count: int, total: int, left: int) -> int:
    """Return what the cards of one ingredient are worth (step 3)."""
    if count == 0:
        return 0
    if count == 1:
        return -total if left >= 2 else -2 * total
    if count == 2:
        return total if left >= 1 else 0
    return 2 * total if count == 3 else 2 * total + 10


class GreedyKupferkessel(Bot):
    """Remembers every cauldron, and plays the move that is worth most."""

    def match_started(self, message: MatchStarted) -> None:
        """Begin with empty cauldrons, and learn which cards have symbols."""
        self.seat = message.seat
        self.cauldrons: list[list[int]] = [[] for _ in message.seats]
        self.explosions = list(message.kupferkessel.explosions)
        self.wands = list(message.kupferkessel.wands)

    def choose(self, decision: Decision) -> Move:
        """Return the first of the moves that are worth most (step 10)."""
        self.view = decision.kupferkessel.view
        for event in decision.kupferkessel.events:
            self.remember(event)
        for cauldron, height in zip(self.cauldrons, self.view.heights, strict=True):
            del cauldron[height:]
        self.count()
        return max(decision.legal_moves, key=lambda move: self.worth(move.kupferkessel))

    def remember(self, event: Kupferkessel.Event) -> None:
        """Keep the cauldrons up to date (step 1)."""
        if event.kind == Kupferkessel.EVENT_KIND_DREW_START_CARD:
            if event.flag:
                self.cauldrons[event.seat].append(event.card)
        elif event.kind in (Kupferkessel.EVENT_KIND_TOOK, Kupferkessel.EVENT_KIND_KEPT):
            self.cauldrons[event.seat].append(event.card)
        elif event.kind == Kupferkessel.EVENT_KIND_LOST:
            self.cauldrons[event.seat].pop()
        elif event.kind == Kupferkessel.EVENT_KIND_CAULDRON_OPENED:
            self.cauldrons[event.seat] = list(event.cards)

    def count(self) -> None:
        """Count cards, sums of values and cards left (step 2)."""
        self.left = [4] * 14
        self.counts = [[0] * 14 for _ in self.cauldrons]
        self.totals = [[0] * 14 for _ in self.cauldrons]
        for seat, cauldron in enumerate(self.cauldrons):
            for card in cauldron:
                self.left[ingredient(card)] -= 1
                self.counts[seat][ingredient(card)] += 1
                self.totals[seat][ingredient(card)] += self.value(card, seat)
        for card in self.view.out:
            self.left[ingredient(card)] -= 1

    def value(self, card: int, seat: int) -> int:
        """Return the value of a card for a seat."""
        own = colour(card) == self.view.colours[seat]
        return 2 * number(card) if own else number(card)

    def worth(self, move: Kupferkessel.Move) -> int:
        """Return what a move is worth (steps 7 to 9)."""
        action = move.WhichOneof("action")
        if action == "take":
            return self.take_worth(move.take)
        if action == "use":
            return self.use_worth()
        if action == "keep":
            return self.keep_worth(self.view.last_card)
        return 0

    def take_worth(self, cell: int) -> int:
        """Return what it is worth to take the card of a cell (step 7)."""
        card = self.view.board[cell]
        prospect = self.prospect(self.reached(number(card)), taken=cell)
        worth = self.gain(card) + prospect
        if card in self.wands and self.view.phase == Kupferkessel.PHASE_TAKE:
            worth += max(0, prospect)
        if card in self.explosions:
            worth += max(0, self.losses())
        return worth

    def use_worth(self) -> int:
        """Return what it is worth to use the symbol of the card just taken (step 8)."""
        if self.view.phase == Kupferkessel.PHASE_EXPLOSION:
            return self.losses()
        cost = 8 if Kupferkessel.RECIPE_FEWER_CARDS in self.view.recipes else 0
        steps = number(self.view.tops[self.seat])
        return self.prospect(self.reached(steps), taken=-1) - cost

    def keep_worth(self, card: int) -> int:
        """Return what it is worth to keep the last card (step 9)."""
        i = ingredient(card)
        count, total = self.counts[self.seat][i], self.totals[self.seat][i]
        kept = set_worth(count + 1, total + self.value(card, self.seat), 0)
        return kept - set_worth(count, total, 0) + self.bonus(card)

    def reached(self, steps: int) -> int:
        """Return the stop that the own pawn reaches; stops of other pawns are not counted."""
        stop = self.view.stops[self.seat]
        while steps > 0:
            stop = (stop + 1) % 20
            if stop not in self.view.stops:
                steps -= 1
        return stop

    def prospect(self, stop: int, taken: int) -> int:
        """Return the highest gain in the line that a stop faces (step 6)."""
        best = -8
        for cell in LINES[stop]:
            card = self.view.board[cell]
            if cell != taken and card > 0:
                best = max(best, self.gain(card))
        return best

    def gain(self, card: int) -> int:
        """Return what a card gains (step 4)."""
        return self.difference(card, self.seat, put=1) + self.bonus(card)

    def losses(self) -> int:
        """Return what the others lose by an explosion (step 4)."""
        loss = 0
        for seat, cauldron in enumerate(self.cauldrons):
            if seat != self.seat and len(cauldron) > 1:
                loss += self.difference(cauldron[-1], seat, put=0)
        return loss

    def difference(self, card: int, seat: int, put: int) -> int:
        """Return what a card changes for a seat that puts it (1) or has it and loses it (0)."""
        i, value = ingredient(card), self.value(card, seat)
        count, left = self.counts[seat][i] + put, self.left[i] - put
        total = self.totals[seat][i] + put * value
        return set_worth(count, total, left) - set_worth(count - 1, total - value, left + 1)

    def bonus(self, card: int) -> int:
        """Return the bonus of a card (step 5)."""
        bonus = 2 if number(card) == 1 else 0
        for recipe in self.view.recipes:
            if recipe == BOTH + colour(card) - 1:
                bonus += 6
            if recipe == ONE + colour(card) - 1:
                bonus += 2
            if recipe == Kupferkessel.RECIPE_PLANTS and is_plant(card):
                bonus += 3
            if recipe == Kupferkessel.RECIPE_FEWER_FOURS and number(card) == 4:
                bonus -= 4
            if recipe == Kupferkessel.RECIPE_FEWER_EXPLOSIONS and card in self.explosions:
                bonus -= 4
            if recipe == Kupferkessel.RECIPE_FEWER_WANDS and card in self.wands:
                bonus -= 4
        return bonus
