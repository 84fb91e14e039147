"""Plays Glastonbury greedily; the same logic exists in other languages and moves alike.

Cards, colours, tasks and cells are the numbers of the protocol; ingredients count from 0 (Ya) to
17 (Sb). What things are worth is counted in half points and always whole.

1. Remember the cauldron of every seat. TOOK and KEPT put a card up to 73 (Immuto) on top, LOST
   takes the top card off, CAULDRON_OPENED says what a cauldron holds. After the events of a
   decision cut each cauldron to its height in the view: a last card may still be refused.
2. Count for each seat and ingredient the cards in its cauldron and the sum of their values, doubled
   in the colour of the seat. Count for each ingredient how many cards are left: 4, less those in
   all cauldrons, less those out of the game.
3. A set of 1 card is worth -sum if at least 2 cards are left, else -2 sums. A set of 2 is worth its
   sum if at least 1 is left, else nothing. A set of 3 is worth 2 sums, a set of 4 or more 2 sums
   and 10.
4. A card gains what its set is worth with it and one card less left, minus what the set is worth
   now. Immuto gains 12, Accio 2, Declinatio 8, Perluceo 0. Vanesco gains the sum of what the other
   seats lose with their top cards: 12 for Immuto, else what the set is worth now, minus what it is
   worth without that card and one card more left. To all of these comes the bonus of step 5.
5. With recipes a card in the colour of the own A recipe has a bonus of 2, with four seats of 4. For
   FEWEST_FOURS a four has a bonus of -4, for MOST_ONES a one of 4, for FEWEST_SPELLS a spell of -4.
6. The prospect of a stop is the highest gain of a card in the line that it faces, but at least -8;
   so it is -8 at a corner.
7. A take is worth the gain of its card; less 10 if the card is not in the line that the pawn faces;
   and the prospect of the stop that the pawn reaches next, without that card. The pawn goes by the
   number of the card; if it is a spell, by that of the top card of the cauldron, or by 2 if the
   cauldron is empty. With a charge of Declinatio it goes on from a corner by the same number.
8. Declinatio is worth the prospect of the stop that it leads to, where Vanesco and Perluceo do not
   count. To pass is worth -4.
9. To keep the last card is worth twice the points of the cauldron with it, and its bonus; to
   discard it, twice the points without it. Immuto are assigned where they bring most points.
10. An assignment of Immuto is worth twice the points of the cauldron and of the own A recipe, for
    which the Immuto of other seats do not count.
11. Choose the move that is worth most, the first one among equals.
"""

from highstreet.v1.glastonbury_pb2 import Glastonbury
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from plumbing import Bot

IMMUTO, ACCIO, DECLINATIO, PERLUCEO, VANESCO = 73, 74, 75, 76, 77
GAINS = {IMMUTO: 12, ACCIO: 2, DECLINATIO: 8, PERLUCEO: 0}

COLUMNS = [[column + 6 * row for row in range(6)] for column in (1, 2, 3, 4)]
ROWS = [[6 * row + column for column in range(6)] for row in (1, 2, 3, 4)]
LINES = [[], *COLUMNS, [], *ROWS, [], *COLUMNS[::-1], [], *ROWS[::-1]]
"""The cells that each stop faces; none at a corner."""


def ingredient(card: int) -> int:
    """Return the ingredient of a card."""
    return (card - 1) // 4


def number(card: int) -> int:
    """Return the number on an ingredient card or on Immuto."""
    return (card - 1) % 4 + 1 if card < IMMUTO else 0


def set_worth(count: int, total: int, left: int) -> int:
    """Return what the cards of one ingredient are worth (step 3)."""
    if count == 0:
        return 0
    if count == 1:
        return -total if left >= 2 else -2 * total
    if count == 2:
        return total if left >= 1 else 0
    return 2 * total if count == 3 else 2 * total + 10


def best_points(counts: list[int], totals: list[int], immuto: int) -> int:
    """Return twice the points of a cauldron, its Immuto assigned as they bring most."""
    if immuto == 0:
        return sum(set_worth(counts[i], totals[i], 0) for i in range(18))
    best = -10000
    for i in range(18):
        counts[i] += 1
        best = max(best, best_points(counts, totals, immuto - 1))
        counts[i] -= 1
    return best


class GreedyGlastonbury(Bot):
    """Remembers every cauldron, and plays the move that is worth most."""

    def match_started(self, message: MatchStarted) -> None:
        """Begin with empty cauldrons."""
        self.seat = message.seat
        self.cauldrons: list[list[int]] = [[] for _ in message.seats]

    def choose(self, decision: Decision) -> Move:
        """Return the first of the moves that are worth most (step 11)."""
        self.view = decision.glastonbury.view
        for event in decision.glastonbury.events:
            self.remember(event)
        for cauldron, height in zip(self.cauldrons, self.view.heights, strict=True):
            del cauldron[height:]
        self.count()
        return max(decision.legal_moves, key=lambda move: self.worth(move.glastonbury))

    def remember(self, event: Glastonbury.Event) -> None:
        """Keep the cauldrons up to date (step 1)."""
        if event.kind in (Glastonbury.EVENT_KIND_TOOK, Glastonbury.EVENT_KIND_KEPT):
            if event.card <= IMMUTO:
                self.cauldrons[event.seat].append(event.card)
        elif event.kind == Glastonbury.EVENT_KIND_LOST:
            self.cauldrons[event.seat].pop()
        elif event.kind == Glastonbury.EVENT_KIND_CAULDRON_OPENED:
            self.cauldrons[event.seat] = list(event.cards)

    def count(self) -> None:
        """Count cards, sums of values and cards left (step 2)."""
        self.left = [4] * 18
        self.counts = [[0] * 18 for _ in self.cauldrons]
        self.totals = [[0] * 18 for _ in self.cauldrons]
        for seat, cauldron in enumerate(self.cauldrons):
            for card in cauldron:
                if card < IMMUTO:
                    self.left[ingredient(card)] -= 1
                    self.counts[seat][ingredient(card)] += 1
                    self.totals[seat][ingredient(card)] += self.value(card, seat)
        for card in self.view.out:
            if card < IMMUTO:
                self.left[ingredient(card)] -= 1

    def value(self, card: int, seat: int) -> int:
        """Return the value of a card for a seat."""
        own = ingredient(card) // 2 + 1 == self.view.colours[seat]
        return 2 * number(card) if own else number(card)

    def worth(self, move: Glastonbury.Move) -> int:
        """Return what a move is worth (steps 7 to 10)."""
        view, seat = self.view, self.seat
        action = move.WhichOneof("action")
        if action == "take":
            return self.take_worth(move.take)
        if action == "declinatio":
            return self.prospect((view.stops[seat] + view.steps) % 20, DECLINATIO, taken=-1)
        if action == "pass":
            return -4
        if action == "keep":
            return self.last_card_worth(view.last_card) + self.bonus(view.last_card)
        if action == "discard":
            return self.last_card_worth(0)
        return self.assignment_worth([i - 1 for i in move.immuto.ingredients])

    def take_worth(self, cell: int) -> int:
        """Return what it is worth to take the card of a cell (step 7)."""
        card, stop = self.view.board[cell], self.view.stops[self.seat]
        cauldron = self.cauldrons[self.seat]
        cost = 0 if cell in LINES[stop] else 10
        steps = number(cauldron[-1]) if cauldron else 2
        if card <= IMMUTO:
            steps = number(card)
        stop = (stop + steps) % 20
        if not LINES[stop] and self.view.declinatio[self.seat] > 0:
            stop = (stop + steps) % 20
        return self.gain(card) - cost + self.prospect(stop, VANESCO, taken=cell)

    def prospect(self, stop: int, highest_card: int, taken: int) -> int:
        """Return the highest gain in the line that a stop faces (step 6)."""
        best = -8
        for cell in LINES[stop]:
            card = self.view.board[cell]
            if cell != taken and 0 < card <= highest_card:
                best = max(best, self.gain(card))
        return best

    def gain(self, card: int) -> int:
        """Return what a card gains (steps 4 and 5)."""
        if card == VANESCO:
            loss = 0
            for seat, cauldron in enumerate(self.cauldrons):
                if seat != self.seat and cauldron:
                    loss += self.difference(cauldron[-1], seat, put=0)
            return loss + self.bonus(card)
        return self.difference(card, self.seat, put=1) + self.bonus(card)

    def difference(self, card: int, seat: int, put: int) -> int:
        """Return what a card changes for a seat that puts it (1) or has it and loses it (0)."""
        if card >= IMMUTO:
            return GAINS[card]
        i, value = ingredient(card), self.value(card, seat)
        count, total, left = self.counts[seat][i] + put, self.totals[seat][i], self.left[i] - put
        total += put * value
        return set_worth(count, total, left) - set_worth(count - 1, total - value, left + 1)

    def bonus(self, card: int) -> int:
        """Return the bonus of a card for the own recipes (step 5)."""
        if not self.view.recipe_tasks:
            return 0
        task, bonus = self.view.recipe_tasks[self.seat], 0
        if card < IMMUTO and ingredient(card) // 2 + 1 == self.view.recipe_colours[self.seat]:
            bonus += 4 if len(self.cauldrons) == 4 else 2
        if task == Glastonbury.TASK_FEWEST_FOURS and number(card) == 4:
            bonus -= 4
        if task == Glastonbury.TASK_MOST_ONES and number(card) == 1:
            bonus += 4
        if task == Glastonbury.TASK_FEWEST_SPELLS and card > IMMUTO:
            bonus -= 4
        return bonus

    def last_card_worth(self, card: int) -> int:
        """Return what the cauldron is worth with the last card, or without it for 0 (step 9)."""
        counts, totals = list(self.counts[self.seat]), list(self.totals[self.seat])
        immuto = self.cauldrons[self.seat].count(IMMUTO)
        if 0 < card < IMMUTO:
            counts[ingredient(card)] += 1
            totals[ingredient(card)] += self.value(card, self.seat)
        elif card == IMMUTO:
            immuto += 1
        return best_points(counts, totals, immuto)

    def assignment_worth(self, assigned: list[int]) -> int:
        """Return what an assignment of Immuto is worth (step 10)."""
        counts = list(self.counts[self.seat])
        for i in assigned:
            counts[i] += 1
        first = 2 * self.view.recipe_colours[self.seat] - 2
        held = [own[first] + own[first + 1] for own in self.counts]
        held[self.seat] = counts[first] + counts[first + 1]
        points = best_points(counts, self.totals[self.seat], 0)
        if all(held[self.seat] > cards for seat, cards in enumerate(held) if seat != self.seat):
            points += held[self.seat] * (4 if len(held) == 4 else 2)
        return points
