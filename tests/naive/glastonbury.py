"""Play Glastonbury slowly and plainly, as an oracle for the fast engine.

Written from docs/rules/glastonbury.md and docs/reference/record-format.md alone.
Numbers in comments are paragraphs of the rules.
"""

import copy
import hashlib
import itertools

PAWN_COLOURS = "YGRB"  # 1.2
COLOURS = "YGRBOPWNS"
SPELLS = ["Accio", "Declinatio", "Perluceo", "Vanesco"]
RECIPES_A = ["A:O", "A:P", "A:W", "A:N", "A:S"]
RECIPES_B = [
    "B:fewest_cards",
    "B:fewest_fours",
    "B:fewest_spells",
    "B:most_ones",
    "B:ended_game",
]
CORNER_CELLS = ["a1", "f1", "a6", "f6"]
CORNER_STOPS = [0, 5, 10, 15]


def shuffled(seed: bytes, purpose: str, items: list[str]) -> list[str]:
    """Return a shuffled copy of a list, as record-format.md defines it."""
    words: list[int] = []
    counter = 0
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        n = i + 1
        while True:
            if not words:
                data = seed + purpose.encode("ascii") + b"\x00" + counter.to_bytes(8, "big")
                block = hashlib.sha256(data).digest()
                counter += 1
                words = [int.from_bytes(block[k : k + 4], "big") for k in range(0, 32, 4)]
            word = words.pop(0)
            if word < 2**32 - (2**32 % n):
                break
        j = word % n
        result[i], result[j] = result[j], result[i]
    return result


def all_cells() -> list[str]:
    """List the 32 cells that can hold a card, in the order of 2.1."""
    cells = [column + row for row in "123456" for column in "abcdef"]
    return [cell for cell in cells if cell not in CORNER_CELLS]


def faced_line(stop: int) -> str:
    """Name the line that a stop faces, a column letter or a row digit (2.2)."""
    if 1 <= stop <= 4:
        return "bcde"[stop - 1]
    if 6 <= stop <= 9:
        return "2345"[stop - 6]
    if 11 <= stop <= 14:
        return "edcb"[stop - 11]
    if 16 <= stop <= 19:
        return "5432"[stop - 16]
    raise ValueError(f"stop {stop} faces no line")


def cells_of_line(line: str) -> list[str]:
    """List the six cells of a line, in the order of 2.1."""
    if line in "bcde":
        return [line + row for row in "123456"]
    return [column + line for column in "abcdef"]


def lines_through(cell: str) -> list[str]:
    """List the one or two lines that contain a cell (2.3)."""
    return [line for line in "bcde2345" if cell in cells_of_line(line)]


def is_ingredient(card: str) -> bool:
    """Tell an ingredient card from Immuto and the spells."""
    return card != "Immuto" and card not in SPELLS


def all_ingredients() -> list[str]:
    """List the eighteen ingredients in the order of 9.7."""
    ingredients = []
    for colour in COLOURS:
        ingredients.append(colour + "a")
        ingredients.append(colour + "b")
    return ingredients


def removed_colour(colours: str) -> str | None:
    """Name the pawn colour that is taken out of a game of two seats (3.2)."""
    if len(colours) == 2:
        for colour in PAWN_COLOURS:
            if colour not in colours:
                return colour
    return None


def score_ingredients(cauldron: list[str], immuto: list[str], pawn_colour: str) -> int:
    """Score a cauldron with assigned Immuto by section 9, recipes left aside."""
    total = 0
    for ingredient in all_ingredients():
        cards = [card for card in cauldron if is_ingredient(card) and card[:2] == ingredient]
        value = sum(int(card[2]) for card in cards)
        if ingredient[0] == pawn_colour:  # 9.2
            value = 2 * value
        count = len(cards) + immuto.count(ingredient)  # 9.3
        if count == 1:
            total -= value
        elif count == 3:
            total += value
        elif count >= 4:
            total += value + 5
    return total


class NaiveGlastonbury:
    """Hold one mutable game and referee it."""

    recipes: list[tuple[str, str]] | None
    pile: list[str]
    stops: list[int]

    def __init__(
        self,
        seats: int,
        recipes: bool,
        seed: bytes,
        colours: str | None = None,
        dead_end_counts_as_end: bool = True,  # noqa: FBT002
    ) -> None:
        """Deal a game and run on to the first decision."""
        if colours is None:
            colours = PAWN_COLOURS[:seats]  # 3.1
        self._clear(seats, colours)
        self.dead_end_counts_as_end = dead_end_counts_as_end

        deck = [name + value for name in self._ingredients() for value in "1234"]  # 3.2
        deck += ["Immuto"] * 2
        deck += ["Accio"] * 2 + ["Declinatio"] * 2 + ["Perluceo"] * 2 + ["Vanesco"] * 4
        self.pile = shuffled(seed, "glastonbury/deck", deck)
        for cell in all_cells():  # 3.3
            self.board[cell] = self.pile.pop(0)

        if recipes:  # 3.5
            sort_a = shuffled(seed, "glastonbury/recipes-a", RECIPES_A)
            sort_b = shuffled(seed, "glastonbury/recipes-b", RECIPES_B)
            self.recipes = [(sort_a[i], sort_b[i]) for i in range(seats)]

        if seats == 2:  # 3.4
            self.stops = [0, 10]
        elif seats == 3:
            self.stops = [0, 5, 10]
        else:
            self.stops = [0, 5, 10, 15]
        self._run_turns()

    @classmethod
    def from_position(
        cls,
        *,
        seats: int,
        recipes: list[tuple[str, str]] | None,
        colours: str | None,
        board: dict[str, str],
        pile: list[str],
        cauldrons: list[list[str]],
        stops: list[int],
        spells: list[list[str]],
        accio: list[int],
        declinatio: list[int],
        out: list[str],
        seat: int,
        dead_end_counts_as_end: bool = True,
    ) -> "NaiveGlastonbury":
        """Set up a position in which a seat begins its turn, and run on to a decision."""
        game = cls.__new__(cls)
        if colours is None:
            colours = PAWN_COLOURS[:seats]
        game._clear(seats, colours)
        game.dead_end_counts_as_end = dead_end_counts_as_end
        for cell in board:
            if cell not in all_cells():
                raise ValueError(f"no card can lie at {cell}")
        for per_seat in (cauldrons, stops, spells, accio, declinatio):
            if len(per_seat) != seats:
                raise ValueError("a list does not have one entry for each seat")
        if recipes is not None:
            if len(recipes) != seats:
                raise ValueError("a list does not have one entry for each seat")
            game.recipes = [(a, b) for a, b in recipes]
        game.board = dict(board)
        game.pile = list(pile)
        game.cauldrons = [list(cauldron) for cauldron in cauldrons]
        game.stops = list(stops)
        game.spells = [list(taken) for taken in spells]
        game.accio = list(accio)
        game.declinatio = list(declinatio)
        game.out = list(out)
        game.seat = seat
        game._run_turns()
        return game

    def _clear(self, seats: int, colours: str) -> None:
        if seats not in (2, 3, 4):
            raise ValueError("the game is for 2, 3 or 4 seats")
        if len(colours) != seats or len(set(colours)) != seats:
            raise ValueError("every seat needs a colour of its own")
        for colour in colours:
            if colour not in PAWN_COLOURS:
                raise ValueError(f"{colour} is no pawn colour")
        self.seats = seats
        self.colours = colours
        self.recipes = None
        self.board: dict[str, str] = {}
        self.pile = []
        self.cauldrons: list[list[str]] = [[] for _ in range(seats)]
        self.stops = []
        self.spells: list[list[str]] = [[] for _ in range(seats)]
        self.accio = [0] * seats
        self.declinatio = [0] * seats
        self.out: list[str] = []
        self.seat = 0
        self.phase = ""
        self.steps = 0
        self.used_declinatio = False
        self.last_card: str | None = None
        self.end_reason: str | None = None
        self.ender: int | None = None
        self.takes = 0
        self.turns = 0
        self.ending: str | None = None
        self.scores: list[int] | None = None
        self.places: list[int] | None = None
        self.assignments: list[list[str]] = [[] for _ in range(seats)]

    def _ingredients(self) -> list[str]:
        removed = removed_colour(self.colours)
        return [name for name in all_ingredients() if name[0] != removed]

    # Decisions (section 12)

    def to_act(self) -> list[int]:
        """List the seats that must decide now."""
        if self.phase == "over":
            return []
        if self.phase == "immuto":
            return [seat for seat in range(self.seats) if "Immuto" in self.cauldrons[seat]]
        return [self.seat]

    def legal(self, seat: int) -> list[str]:
        """List the legal moves of a seat, none if it is not asked."""
        if seat not in self.to_act():
            return []
        if self.phase == "corner":
            return ["declinatio", "pass"]
        if self.phase == "take":
            return ["take " + cell for cell in self._cells_to_take()]
        if self.phase == "keep":
            return ["keep", "discard"]
        return ["immuto " + " ".join(choice) for choice in self._possible_assignments(seat)]

    def default(self, seat: int) -> str:
        """Return the move that is played for a seat that does not answer (12.2)."""
        if seat not in self.to_act():
            raise ValueError(f"seat {seat} is not asked")
        if self.phase == "corner":
            return "pass"
        if self.phase == "take":
            return self.legal(seat)[0]
        if self.phase == "keep":
            return "keep"
        best: list[str] = []
        best_score: int | None = None
        for choice in self._possible_assignments(seat):
            assigned: list[list[str]] = [[] for _ in range(self.seats)]
            assigned[seat] = choice
            score = score_ingredients(self.cauldrons[seat], choice, self.colours[seat])
            score += self._score_recipe_a(seat, assigned)
            if best_score is None or score > best_score:
                best = choice
                best_score = score
        return "immuto " + " ".join(best)

    def play(self, moves: dict[int, str]) -> None:
        """Play one move for each seat that must decide, and run on to the next decision."""
        if self.phase == "over":
            raise ValueError("the game is over")
        if sorted(moves) != self.to_act():
            raise ValueError(f"the seats to act are {self.to_act()}, not {sorted(moves)}")
        for seat, move in moves.items():
            if move not in self.legal(seat):
                raise ValueError(f"seat {seat} may not play {move!r}")

        if self.phase == "immuto":
            for seat, move in moves.items():
                self.assignments[seat] = move.split()[1:]
            self._finish()
        else:
            self._play_move(moves[self.seat])

    def _play_move(self, move: str) -> None:
        if move == "pass":
            self._next_seat()
            self._run_turns()
        elif move == "declinatio":
            self._play_declinatio()
        elif move == "keep":
            self._keep()
        elif move == "discard":
            self._discard()
        else:
            self._take(move.split()[1])

    def snapshot(self) -> dict[str, object]:
        """Return a deep copy of everything that changes in the course of a game."""
        return copy.deepcopy(
            {
                "board": self.board,
                "pile": self.pile,
                "cauldrons": self.cauldrons,
                "stops": self.stops,
                "spells": self.spells,
                "accio": self.accio,
                "declinatio": self.declinatio,
                "out": self.out,
                "seat": self.seat,
                "phase": self.phase,
                "ender": self.ender,
                "takes": self.takes,
                "turns": self.turns,
                "used_declinatio": self.used_declinatio,
                "last_card": self.last_card,
            }
        )

    # The turn (sections 4 to 7)

    def _next_seat(self) -> None:
        self.seat = (self.seat + 1) % self.seats

    def _run_turns(self) -> None:
        while True:
            self.turns += 1
            self.used_declinatio = False
            self.steps = self._steps_to_move()
            self.stops[self.seat] = (self.stops[self.seat] + self.steps) % 20
            if self.stops[self.seat] not in CORNER_STOPS:
                self.phase = "take"
                if not self._cells_to_take():
                    raise ValueError("a line without cards: no game leads to this position")
                return
            if self.declinatio[self.seat] > 0:  # 4.3
                self.phase = "corner"
                return
            self._next_seat()

    def _steps_to_move(self) -> int:
        cauldron = self.cauldrons[self.seat]
        if not cauldron:  # 4.2
            return 2
        if cauldron[-1] != "Immuto":
            return int(cauldron[-1][2])
        if self.stops[self.seat] not in CORNER_STOPS:  # 6.1
            return 0
        for card in reversed(cauldron):  # 6.2
            if card != "Immuto":
                return int(card[2])
        return 2

    def _cells_to_take(self) -> list[str]:
        own_line = cells_of_line(faced_line(self.stops[self.seat]))
        cells = []
        for cell in all_cells():
            if cell not in self.board:
                continue
            acts_at_once = self.board[cell] in ("Vanesco", "Perluceo")
            if self.used_declinatio:  # 5.3
                allowed = cell in own_line and not acts_at_once
            elif cell in own_line:  # 5.1
                allowed = True
            else:  # 5.2
                allowed = self.accio[self.seat] > 0 and not acts_at_once
            if allowed:
                cells.append(cell)
        return cells

    def _play_declinatio(self) -> None:
        self.declinatio[self.seat] -= 1
        self.used_declinatio = True
        self.stops[self.seat] = (self.stops[self.seat] + self.steps) % 20  # 7.4
        if self._cells_to_take():
            self.phase = "take"
            return
        self.end_reason = "dead_end"  # 7.5
        if self.dead_end_counts_as_end:  # 8.5
            self.ender = self.seat
        self._assign_immuto()

    def _take(self, cell: str) -> None:
        if cell not in cells_of_line(faced_line(self.stops[self.seat])):
            self.accio[self.seat] -= 1  # 5.2
        card = self.board.pop(cell)
        self.takes += 1

        if not self.pile and self._some_line_is_empty(cell):  # 8.1
            self.end_reason = "line_emptied"
            self.ender = self.seat  # 8.2
            if card == "Vanesco":  # 8.4
                self.spells[self.seat].append(card)
                self._vanesco()
                self._assign_immuto()
            else:  # 8.3
                self.last_card = card
                self.phase = "keep"
            return

        if card in SPELLS:  # 7.1
            self.spells[self.seat].append(card)
        else:  # 4.5
            self.cauldrons[self.seat].append(card)
        if card == "Accio":  # 7.3
            self.accio[self.seat] += 2
        if card == "Declinatio":  # 7.4
            self.declinatio[self.seat] += 3
        if card == "Vanesco":
            self._vanesco()
        if self.pile:  # 4.6
            self.board[cell] = self.pile.pop(0)
        self._next_seat()
        self._run_turns()

    def _some_line_is_empty(self, cell: str) -> bool:
        for line in lines_through(cell):
            if not any(other in self.board for other in cells_of_line(line)):
                return True
        return False

    def _vanesco(self) -> None:
        lost = []
        for distance in range(1, self.seats):  # 7.6
            victim = (self.seat + distance) % self.seats
            if self.cauldrons[victim]:
                lost.append(self.cauldrons[victim].pop())
        if self.pile:
            self.pile += lost
        else:
            self.out += lost

    # The end (sections 8 to 10)

    def _keep(self) -> None:
        assert self.last_card is not None
        if self.last_card in SPELLS:  # 8.3: taken, without charges
            self.spells[self.seat].append(self.last_card)
        else:
            self.cauldrons[self.seat].append(self.last_card)
        self.last_card = None
        self._assign_immuto()

    def _discard(self) -> None:
        assert self.last_card is not None
        self.out.append(self.last_card)
        self.last_card = None
        self._assign_immuto()

    def _possible_assignments(self, seat: int) -> list[list[str]]:
        names = self._ingredients()
        count = self.cauldrons[seat].count("Immuto")
        if count == 0:
            return [[]]
        if count == 1:
            return [[name] for name in names]
        places = range(len(names))
        return [[names[i], names[j]] for i in places for j in places if i <= j]  # 9.7

    def _assign_immuto(self) -> None:
        if self.recipes is not None:  # 9.6
            self.phase = "immuto"
            if not self.to_act():
                self._finish()
            return
        for seat in range(self.seats):  # 9.5
            best_score: int | None = None
            for choice in self._possible_assignments(seat):
                score = score_ingredients(self.cauldrons[seat], choice, self.colours[seat])
                if best_score is None or score > best_score:
                    best_score = score
                    self.assignments[seat] = choice
        self._finish()

    def _finish(self) -> None:
        self.phase = "over"
        self.ending = self.end_reason
        scores = []
        for seat in range(self.seats):  # 10.4
            score = score_ingredients(
                self.cauldrons[seat], self.assignments[seat], self.colours[seat]
            )
            if self.recipes is not None:
                score += self._score_recipe_a(seat, self.assignments)
                score += self._score_recipe_b(seat)
            scores.append(score)
        self.scores = scores
        self.places = []
        for score in scores:
            self.places.append(1 + len([other for other in scores if other > score]))

    def _score_recipe_a(self, holder: int, assigned: list[list[str]]) -> int:
        assert self.recipes is not None
        colour = self.recipes[holder][0].removeprefix("A:")
        counts = []
        for seat in range(self.seats):  # 10.1
            cards = [card for card in self.cauldrons[seat] if is_ingredient(card)]
            count = len([card for card in cards if card[0] == colour])
            count += len([name for name in assigned[seat] if name[0] == colour])
            counts.append(count)
        for seat in range(self.seats):
            if seat != holder and counts[seat] >= counts[holder]:
                return 0
        if self.seats == 4:
            return 2 * counts[holder]
        return counts[holder]

    def _score_recipe_b(self, holder: int) -> int:
        assert self.recipes is not None
        task = self.recipes[holder][1].removeprefix("B:")
        if task == "ended_game":  # 10.3
            return 10 if self.ender == holder else 0
        others = [seat for seat in range(self.seats) if seat != holder]
        if task == "fewest_cards":
            cards = [len(cauldron) for cauldron in self.cauldrons]
            fulfilled = all(cards[holder] < cards[other] for other in others)
        elif task == "fewest_fours":
            fours = [self._cards_of_value(seat, "4") for seat in range(self.seats)]
            fulfilled = all(fours[holder] < fours[other] for other in others)
        elif task == "fewest_spells":
            taken = [len(spells) for spells in self.spells]
            fulfilled = all(taken[holder] < taken[other] for other in others)
        elif task == "most_ones":
            ones = [self._cards_of_value(seat, "1") for seat in range(self.seats)]
            fulfilled = all(ones[holder] > ones[other] for other in others)
        else:
            raise ValueError(f"no such recipe: {task}")
        return 10 if fulfilled else 0

    def _cards_of_value(self, seat: int, value: str) -> int:
        cards = [card for card in self.cauldrons[seat] if is_ingredient(card)]
        return len([card for card in cards if card[2] == value])


def perft(game: NaiveGlastonbury, depth: int) -> int:
    """Count the sequences of a number of decisions; a game over earlier counts as one."""
    seats = game.to_act()
    if depth == 0 or not seats:
        return 1
    total = 0
    for choice in itertools.product(*[game.legal(seat) for seat in seats]):
        successor = copy.deepcopy(game)
        successor.play(dict(zip(seats, choice, strict=True)))
        total += perft(successor, depth - 1)
    return total
