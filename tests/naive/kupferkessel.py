"""Play Kupferkessel Co. slowly and plainly, as an oracle for the fast engine.

Written from docs/rules/kupferkessel.md and docs/reference/record-format.md alone. The course of a
game is one generator that stops at every question, so it reads like the rules. Numbers in comments
are paragraphs of the rules.
"""

import copy
from collections.abc import Generator

from tests.naive.glastonbury import (
    CORNER_STOPS,
    all_cells,
    cells_of_line,
    faced_line,
    lines_through,
    shuffled,
)

COLOURS = "WKSBNGL"  # 1.2
PLANTS = ["Sa", "Ba", "Na", "Ga", "La"]
EXPLOSIONS = {  # 1.3
    "neutral2": ["Sa2", "Ba2", "Na2", "Ga2", "La2"],
    "all2": ["Wa2", "Ka2", "Sa2", "Ba2", "Na2", "Ga2", "La2"],
}
WANDS = {
    "neutral2": ["Sb2", "Bb2", "Nb2", "Gb2", "Lb2"],
    "all2": ["Wb2", "Kb2", "Sb2", "Bb2", "Nb2", "Gb2", "Lb2"],
}
RECIPES = [  # 8.2, 8.3
    *["both:S", "both:B", "both:N", "both:G", "both:L", "one:W", "one:K"],
    *["ended_game", "fewer_explosions", "plants", "fewer_wands", "fewer_cards", "fewer_fours"],
]
MOST_TURNS = 200  # 6.4

Course = Generator[tuple[str, list[str], str], str | None, None]
"""Yields a phase, its legal moves and the default; is sent the move."""


class NaiveKupferkessel:
    """Hold one mutable game and referee it."""

    board: dict[str, str]
    pile: list[str]
    recipes: list[list[str]] | None

    def __init__(
        self,
        seats: int,
        recipes: bool,
        seed: bytes,
        symbols: str = "neutral2",
        third_colour: str = "L",
    ) -> None:
        """Deal a game and run on to the first decision."""
        self._clear(seats, symbols, third_colour)
        deck = [c + kind + value for c in COLOURS for kind in "ab" for value in "1234"]  # 1.1
        deck = shuffled(seed, "kupferkessel/deck", deck)
        self.board = dict(zip(all_cells(), deck, strict=False))  # 3.2
        self.pile = deck[32:]
        for seat in range(seats):  # 3.3
            self.cauldrons[seat].append(self._start_card())
        if recipes and seats == 2:  # 3.5
            dealt = shuffled(seed, "kupferkessel/recipes", RECIPES)
            self.recipes = [dealt[0:2], dealt[2:4]]
        elif recipes:  # 8.4
            five = [r for r in RECIPES if ":" not in r and r != "plants"]
            dealt = shuffled(seed, "kupferkessel/recipes", five)
            self.recipes = [[dealt[0]], [dealt[1]], [dealt[2]]]
        self._begin()

    @classmethod
    def from_position(
        cls,
        *,
        board: dict[str, str],
        pile: list[str],
        cauldrons: list[list[str]],
        stops: list[int],
        seat: int = 0,
        turn: int = 1,
        symbols: str = "neutral2",
        third_colour: str = "L",
        recipes: list[list[str]] | None = None,
    ) -> "NaiveKupferkessel":
        """Set up a position in which a seat begins its turn, and run on to a decision."""
        game = cls.__new__(cls)
        game._clear(len(cauldrons), symbols, third_colour)
        game.board = dict(board)
        game.pile = list(pile)
        game.cauldrons = copy.deepcopy(cauldrons)
        game.stops = list(stops)
        game.seat = seat
        game.turn = turn
        game.recipes = recipes
        game._begin()
        return game

    def _clear(self, seats: int, symbols: str, third_colour: str) -> None:
        self.seats = seats
        self.colours = ["W", "K", third_colour][:seats]  # 3.1
        self.symbols = symbols
        self.board = {}
        self.pile = []
        self.cauldrons: list[list[str]] = [[] for _ in range(seats)]
        self.stops = [0, 10, 5][:seats]  # 3.4
        self.out: list[str] = []
        self.recipes = None
        self.seat = 0
        self.turn = 1
        self.steps = 0
        self.takes = 0
        self.phase = ""
        self.ending: str | None = None
        self.ender: int | None = None
        self.scores: list[int] | None = None
        self.places: list[int] | None = None
        self._legal: list[str] = []
        self._default = ""

    def _start_card(self) -> str:
        if all(card[0] in self.colours for card in self.pile):  # RK-16
            return self.pile.pop(0)
        while True:
            card = self.pile.pop(0)
            if card[0] not in self.colours:
                return card
            self.pile.append(card)

    # Decisions (section 10)

    def to_act(self) -> list[int]:
        """List the seats that must decide now."""
        return [] if self.phase == "over" else [self.seat]

    def legal(self, seat: int) -> list[str]:
        """List the legal moves of a seat, none if it is not asked."""
        return self._legal if seat in self.to_act() else []

    def default(self, seat: int) -> str:
        """Return the move that is played for a seat that does not answer (10.2)."""
        if seat not in self.to_act():
            raise ValueError(f"seat {seat} is not asked")
        return self._default

    def play(self, moves: dict[int, str]) -> None:
        """Play the move of the seat that must decide, and run on to the next decision."""
        if list(moves) != self.to_act() or moves[self.seat] not in self._legal:
            raise ValueError(f"{moves} cannot be played")
        self._run_on(moves[self.seat])

    def _begin(self) -> None:
        self._course = self._whole_game()
        self._run_on(None)

    def _run_on(self, move: str | None) -> None:
        try:
            self.phase, self._legal, self._default = self._course.send(move)
        except StopIteration:
            self.phase = "over"

    # The course of the game (sections 4 to 6)

    def _whole_game(self) -> Course:
        yield from self._play_turn()
        while self.ending is None:
            if self.turn == MOST_TURNS:  # 6.4
                self.ending = "turn_cap"
            else:
                self.turn += 1
                self.seat = (self.seat + 1) % self.seats
                yield from self._play_turn()
        self._score()

    def _play_turn(self) -> Course:
        wands_work = True
        while True:
            self._walk()
            if self.stops[self.seat] in CORNER_STOPS:  # 4.3
                return
            offered = [
                c for c in cells_of_line(faced_line(self.stops[self.seat])) if c in self.board
            ]
            takes = ["take " + cell for cell in offered]  # 4.4
            move = yield "take" if wands_work else "take_again", takes, takes[0]
            assert move is not None
            cell = move.split()[1]
            card = self.board.pop(cell)
            self.takes += 1
            if not self.pile and any(self._is_empty(line) for line in lines_through(cell)):  # 6.1
                yield from self._last_card(card)
                return
            self.cauldrons[self.seat].append(card)  # 4.5
            others = [s for s in range(self.seats) if s != self.seat]
            again = False
            if card in EXPLOSIONS[self.symbols]:
                if any(len(self.cauldrons[s]) >= 2 for s in others):  # RK-2
                    move = yield "explosion", ["use", "skip"], "skip"
                    if move == "use":
                        self._explode()
            elif card in WANDS[self.symbols] and wands_work:
                move = yield "wand", ["use", "skip"], "skip"
                again = move == "use"
            if self.pile:  # 4.6
                self.board[cell] = self.pile.pop(0)
            if not again:
                return
            wands_work = False  # 5.5

    def _walk(self) -> None:
        self.steps = int(self.cauldrons[self.seat][-1][2])  # 4.2
        others = [self.stops[s] for s in range(self.seats) if s != self.seat]
        ahead = [(self.stops[self.seat] + distance) % 20 for distance in range(1, 20)]
        free = [stop for stop in ahead if stop not in others]  # 2.4
        self.stops[self.seat] = free[self.steps - 1]

    def _is_empty(self, line: str) -> bool:
        return not any(cell in self.board for cell in cells_of_line(line))

    def _explode(self) -> None:
        order = [(self.seat + distance) % self.seats for distance in range(1, self.seats)]
        lost = [self.cauldrons[s].pop() for s in order if len(self.cauldrons[s]) >= 2]  # 5.2
        if self.pile:  # 5.3
            self.pile += lost
        else:
            self.out += lost

    def _last_card(self, card: str) -> Course:
        self.ending = "line_emptied"
        self.ender = self.seat  # 6.2
        move = yield "keep", ["keep", "discard"], "keep"  # 6.3
        if move == "keep":
            self.cauldrons[self.seat].append(card)
        else:
            self.out.append(card)

    # Points (sections 7 and 8)

    def _score(self) -> None:
        self.scores = []
        ones = [self._count("1", seat) for seat in range(self.seats)]
        for seat in range(self.seats):
            score = score_ingredients(self.cauldrons[seat], self.colours[seat])
            if ones.count(max(ones)) == 1 and ones[seat] == max(ones):  # 7.3
                score += 5
            for recipe in self.recipes[seat] if self.recipes else []:
                score += self._score_recipe(recipe, seat)
            self.scores.append(score)
        self.places = [1 + sum(other > score for other in self.scores) for score in self.scores]

    def _count(self, value: str, seat: int) -> int:
        return len([card for card in self.cauldrons[seat] if card[2] == value])

    def _score_recipe(self, recipe: str, holder: int) -> int:
        cauldron = self.cauldrons[holder]
        sets = [
            kind
            for kind in {card[:2] for card in cauldron}
            if sum(c[:2] == kind for c in cauldron) > 2
        ]
        if recipe.startswith("both:"):
            return 15 if sum(kind[0] == recipe[-1] for kind in sets) == 2 else 0
        if recipe.startswith("one:"):
            return 5 if any(kind[0] == recipe[-1] for kind in sets) else 0
        if recipe == "plants":
            return 10 if len([kind for kind in sets if kind in PLANTS]) >= 3 else 0
        if recipe == "ended_game":
            return 10 if self.ender == holder else 0
        counts = []
        for seat in range(self.seats):
            cards = self.cauldrons[seat]
            if recipe == "fewer_explosions":
                cards = [card for card in cards if card in EXPLOSIONS[self.symbols]]
            elif recipe == "fewer_wands":
                cards = [card for card in cards if card in WANDS[self.symbols]]
            elif recipe == "fewer_fours":
                cards = [card for card in cards if card[2] == "4"]
            elif recipe != "fewer_cards":
                raise ValueError(f"no such recipe: {recipe}")
            counts.append(len(cards))
        own = counts.pop(holder)
        return 10 if own < min(counts) else 0


def score_ingredients(cauldron: list[str], pawn_colour: str) -> int:
    """Score the sets of a cauldron by 7.1 and 7.2."""
    total = 0
    for ingredient in {card[:2] for card in cauldron}:
        values = [int(card[2]) for card in cauldron if card[:2] == ingredient]
        worth = sum(values) * (2 if ingredient[0] == pawn_colour else 1)
        total += {1: -worth, 2: 0, 3: worth, 4: worth + 5}[len(values)]
    return total
