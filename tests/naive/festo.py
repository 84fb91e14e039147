"""Play Festo! slowly and plainly, as an oracle for the fast engine.

Written from docs/rules/festo.md alone. The whole game is one generator that stops wherever a seat
must decide, so what comes next is where the generator stands. Moves are texts, everything else is
dictionaries and lists. Numbers in comments are paragraphs of the rules.
"""

from collections.abc import Generator
from itertools import product

from engine.shuffle import Chance, Seed, shuffled

# 1.1
COLOURS = ["M", "H", "S", "U", "F", "P"]
CUBES = [*COLOURS, "N"]
CHARACTERS = ["troll", "pixies", "orc", "magician", "elf", "dwarf"]
SPOTS = [*CHARACTERS, "grocer"]
FACES = {1: "troll", 2: "pixies", 3: "orc", 4: "magician", 5: "elf", 6: "dwarf"}
COLOUR_OF = {"troll": "M", "pixies": "H", "orc": "S", "magician": "U", "elf": "F", "dwarf": "P"}
# 4.5
WEST = ["troll", "pixies", "orc"]
EAST = ["magician", "elf", "dwarf", "grocer"]
# 1.4
ROWS = ["drink", "starter", "side", "dessert"]

# Section 11: reconstructed
COST = {"drink": (2, 1), "starter": (2, 2), "side": (3, 2), "dessert": (3, 3)}
POINTS = {"drink": 6, "starter": 8, "side": 10, "dessert": 12, "roast": 15, "main": 14}
SERIES = {1: 1, 2: 3, 3: 6, 4: 10, 5: 15, 6: 21}
MAGIC_TOKEN = 1
EVENTS = [f"E{number:02}" for number in range(1, 15)]
MARKET_BONUS = {"E01": "M", "E02": "H", "E03": "S", "E04": "U", "E05": "F", "E06": "P"}
COOK_BONUS = dict(zip(EVENTS[6:12], [*ROWS, "roast", "main"], strict=True))
FEWER_DICE = {"E13": 1, "E14": 2}

Question = tuple[int, str, list[str]]
"""Who is asked, the kind of decision (12.1), and the legal moves."""
Asking = Generator[Question, str, None]
Counts = dict[str, int]


def category(dish: str) -> str:
    """Return the category of a dish."""
    return dish.split("-", maxsplit=1)[0]


def score(dishes: list[str], cubes: int, points: int) -> int:
    """Score a seat by 8.1 and 8.2."""
    total = sum(POINTS[category(dish)] for dish in dishes)
    left = [category(dish) for dish in dishes]
    while left:
        series = set(left)
        total += SERIES[len(series)]
        for name in series:
            left.remove(name)
    return total + cubes + points


def rank(keys: list[tuple[int, int, int]]) -> list[int]:
    """Return the places for (score, dishes, cubes left) of each seat (8.3)."""
    return [1 + len([other for other in keys if other > own]) for own in keys]


def spread(spots: list[str], helpers: int) -> list[dict[str, int]]:
    """List the ways to place at most that many helpers on these spots, in the order of 12.1."""
    ways = [
        dict(zip(spots, numbers, strict=True))
        for numbers in product(range(helpers + 1), repeat=len(spots))
    ]
    return [way for way in ways if sum(way.values()) <= helpers]


def write_placement(way: Counts) -> str:
    """Write a placement (12.1)."""
    words = [f"{spot}={number}" for spot, number in way.items() if number > 0]
    return "place " + (" ".join(words) if words else "none")


def read_placement(move: str) -> Counts:
    """Read a placement."""
    words = move.split()[1:]
    if words == ["none"]:
        return {}
    return {word.split("=")[0]: int(word.split("=")[1]) for word in words}


class NaiveFesto:
    """Hold one mutable game and referee it."""

    def __init__(
        self,
        seats: int,
        seed: bytes,
        *,
        magic_dishes: bool = False,
        events: str = "none",
        market_limit: bool = True,
        action_order: str = "players",
    ) -> None:
        """Deal a game and run on to the first decision."""
        self.seats = seats
        self.magic_dishes = magic_dishes
        self.events = events
        self.market_limit = market_limit
        self.action_order = action_order
        self._deal(Seed(seed))
        self._set_up()
        self.question: Question | None = None
        self.run(self._game())

    def _deal(self, seed: Seed) -> None:
        """Draw everything that is left to chance (3.1)."""
        self.first_player = Chance(seed, "festo/first").below(self.seats)
        self.dealt_piles: list[list[str]] = []
        for row in ROWS:
            dishes = [f"{row}-{colour}" for colour in COLOURS]
            self.dealt_piles.append(list(shuffled(dishes, seed, f"festo/{row}")))
        self.dealt_events: list[str] | None = None
        if self.events == "reconstructed":
            self.dealt_events = list(shuffled(EVENTS, seed, "festo/events"))[:4]
        chance = Chance(seed, "festo/dice")
        self.dealt_dice: list[list[list[int]]] = []
        for _round in range(4):
            morning = [chance.below(6) + 1 for _ in range(3)]
            afternoon = [chance.below(6) + 1 for _ in range(3)]
            self.dealt_dice.append([morning, afternoon])

    def _set_up(self) -> None:
        """Set the table (3.3)."""
        seats = range(self.seats)
        self.holder = self.first_player
        self.round = 0
        self.phase = "preparation"
        self.reserves: Counts = dict.fromkeys(COLOURS, 14)
        self.reserves["N"] = self.seats + 1
        self.markets: dict[str, Counts] = {s: dict.fromkeys(COLOURS, 0) for s in CHARACTERS}
        self.shelves: Counts = dict.fromkeys(COLOURS, 0)
        self.market_locks: dict[str, Counts] = {s: dict.fromkeys(COLOURS, 0) for s in CHARACTERS}
        self.shelf_locks: Counts = dict.fromkeys(COLOURS, 0)
        self.cubes: list[Counts] = [dict.fromkeys(CUBES, 0) for _ in seats]
        self.home: dict[str, list[int]] = {"helper": [6 for _ in seats], "disc": [2 for _ in seats]}
        self.on: dict[str, dict[str, list[int]]] = {
            "helper": {spot: [0 for _ in seats] for spot in SPOTS},
            "disc": {spot: [0 for _ in seats] for spot in SPOTS},
        }
        self.laid: dict[str, list[int]] = {spot: [0 for _ in seats] for spot in CHARACTERS}
        self.rows: dict[str, list[str | None]] = {}
        self.piles: dict[str, list[str]] = {}
        for row, dishes in zip(ROWS, self.dealt_piles, strict=True):
            self.rows[row] = list(dishes[:3])
            self.piles[row] = dishes[3:]
        self.stock: Counts = {"roast": self.seats, "main": self.seats}
        self.reserved: dict[str, tuple[int, str]] = {}
        self.cooked: list[list[str]] = [[] for _ in seats]
        self.points: list[int] = [0 for _ in seats]
        self.dice: list[int] = []
        self.revealed: list[str] = []
        self.placing: Counts = {}
        self.spot: str | None = None
        self.order: list[int] = []
        self.waiting: list[int] = []
        self.taking: list[int] = []
        self.starters_paid: list[str] = []
        self.paying: str | None = None
        self.passed: list[int] = []
        self.ending: str | None = None
        self.scores: list[int] | None = None
        self.tiebreaks: list[list[int]] | None = None
        self.places: list[int] | None = None

    # What a referee asks

    def to_act(self) -> list[int]:
        """List the seats that must decide now."""
        return [self.question[0]] if self.question else []

    def kind(self) -> str | None:
        """Return the kind of the decision (12.1), or nothing when the game is over."""
        return self.question[1] if self.question else None

    def legal(self, seat: int) -> list[str]:
        """List the legal moves of a seat, none if it is not asked."""
        return self.question[2] if self.question and self.question[0] == seat else []

    def default(self, seat: int) -> str:
        """Return the move that is played for a seat that does not answer (12.3)."""
        return self.legal(seat)[0]

    def play(self, moves: dict[int, str]) -> None:
        """Play a move for the seat that must decide, and run on to the next decision."""
        if [*moves] != self.to_act():
            raise ValueError(f"the seats to act are {self.to_act()}, not {[*moves]}")
        for seat, move in moves.items():
            if move not in self.legal(seat):
                raise ValueError(f"seat {seat} may not play {move!r}")
            self._go_on(move)

    def run(self, course: Asking) -> None:
        """Go on with this course of decisions; tests begin in the middle of a game with it."""
        self._course = course
        self._go_on(None)

    def _go_on(self, move: str | None) -> None:
        try:
            self.question = next(self._course) if move is None else self._course.send(move)
        except StopIteration:
            self.question = None

    def deal(self) -> dict[str, object]:
        """Return what was dealt, as the record has it (3.4)."""
        return {
            "first_player": self.first_player,
            "piles": self.dealt_piles,
            "events": self.dealt_events,
            "dice": self.dealt_dice,
        }

    def everything(self) -> dict[str, object]:
        """Return the whole state, hidden things included, in a neutral form, until the next move.

        Colours, spots, dishes and kinds are the texts of the rules, seats are numbers. A dictionary
        by colour has M H S U F P, one by cube N too, one by spot all seven spots, one by character
        all but the Grocer; zeros are written. "By seat" is a list.

        options             seats and the four options, by name
        round               1 … 4
        phase               preparation, morning, afternoon, actions, cooking or over
        asked               list of the seats that must decide: one, or none when it is over
        kind                kind of the decision (12.1), None when it is over
        holder              seat that has the first-player card
        reserves            by cube: number
        markets             by character, by colour: number
        shelves             by colour: number
        market_locks        by character, by colour: L of 5.5
        shelf_locks         by colour: L of 5.5
        cubes               by seat, by cube: number
        helpers_home        by seat: number; those in ``placing`` are still at home
        discs_home          by seat: number
        helpers             by spot, by seat: number. The tokens of a seat stay on the spot until
                            its action there is complete, but for those that Pixies or Orc moved
        discs               by spot, by seat: number; the same. A disc that the Dwarf's power uses
                            leaves the spot at once
        discs_laid          by character, by seat: number that counts from the next round on
        rows                by category: the three places, a dish or None
        piles               by category: dishes from the top. Hidden: a view has the numbers
        stock               roast and main: number left
        reserved            by reserved dish: [seat, "helper" or "disc"]
        cooked              by seat: dishes in the order in which they were cooked
        points              by seat: points from tokens
        dice                values of the half-day, [] outside of shopping
        blocked             characters, [] outside of shopping
        events              cards revealed so far, that of the round last
        placing             by spot, only those with helpers: the western part of a placement while
                            ``place_east`` is asked, otherwise {}. Private to its seat
        spot                spot that is being resolved, or None
        order               seats in their order at that spot, or []
        waiting             those of them that have not decided ``character`` or ``grocery`` yet,
                            the seat that is asked for it included
        taking              with steps: those of them that still have to take cubes, the one that
                            chooses cubes included, those that have not decided yet not; else []
        starters_paid       starters that have brought a token at this character, by colour
        paying              dish that is being paid, or None
        passed              seats that have passed in this cooking phase, ascending; else []
        ending              rounds_played, or None
        """
        return {
            "options": {
                "seats": self.seats,
                "magic_dishes": self.magic_dishes,
                "events": self.events,
                "market_limit": self.market_limit,
                "action_order": self.action_order,
            },
            "round": self.round,
            "phase": self.phase,
            "asked": self.to_act(),
            "kind": self.kind(),
            "holder": self.holder,
            "reserves": self.reserves,
            "markets": self.markets,
            "shelves": self.shelves,
            "market_locks": self.market_locks,
            "shelf_locks": self.shelf_locks,
            "cubes": self.cubes,
            "helpers_home": self.home["helper"],
            "discs_home": self.home["disc"],
            "helpers": self.on["helper"],
            "discs": self.on["disc"],
            "discs_laid": self.laid,
            "rows": self.rows,
            "piles": self.piles,
            "stock": self.stock,
            "reserved": {dish: list(token) for dish, token in self.reserved.items()},
            "cooked": self.cooked,
            "points": self.points,
            "dice": self.dice,
            "blocked": self.blocked(),
            "events": self.revealed,
            "placing": self.placing,
            "spot": self.spot,
            "order": self.order,
            "waiting": self.waiting,
            "taking": self.taking,
            "starters_paid": sorted(self.starters_paid, key=lambda d: COLOURS.index(d[-1])),
            "paying": self.paying,
            "passed": sorted(self.passed),
            "ending": self.ending,
        }

    def knows(self, viewer: int | None) -> dict[str, object]:
        """Return what a seat, or a spectator, may know (10.1, 10.2).

        It is ``everything`` without the order of the piles, which become numbers, and with
        ``placing`` for the placing seat alone.
        """
        known = self.everything()
        known["piles"] = {row: len(dishes) for row, dishes in self.piles.items()}
        if self.to_act() != [viewer]:
            known["placing"] = {}
        return known

    # Common things

    def clockwise(self) -> list[int]:
        """Return the turn order: clockwise from the holder of the card (section 4)."""
        return [*range(self.holder, self.seats), *range(self.holder)]

    def blocked(self) -> list[str]:
        """Return the characters that the dice block (4.2)."""
        shown = [FACES[value] for value in self.dice]
        return [spot for spot in CHARACTERS if spot in shown]

    def tokens(self, spot: str, seat: int) -> int:
        """Count the tokens of a seat on a spot: helpers and discs (5.1)."""
        return self.on["helper"][spot][seat] + self.on["disc"][spot][seat]

    def buffet(self) -> list[str]:
        """List the small dishes that lie there, in the order of the buffet (1.4)."""
        return [dish for row in ROWS for dish in self.rows[row] if dish is not None]

    def magic(self, seat: int, name: str) -> list[str]:
        """List the turned dishes of a category that a seat has (9.1)."""
        if not self.magic_dishes:
            return []
        return [dish for dish in self.cooked[seat] if category(dish) == name]

    # The course of a game

    def _game(self) -> Asking:
        for number in [1, 2, 3, 4]:
            self.round = number
            yield from self._preparation()
            yield from self._shopping()
            yield from self._actions()
            yield from self._cooking()
        self.end()

    def end(self) -> None:
        """End the game, and set scores, tie-break keys (dishes, cubes left) and places (8)."""
        self.phase = "over"  # 7.8
        self.ending = "rounds_played"
        self.scores = []
        self.tiebreaks = []
        keys = []
        for seat in range(self.seats):
            dishes = self.cooked[seat]
            cubes = sum(self.cubes[seat].values())
            own = score(dishes, cubes, self.points[seat])
            self.scores.append(own)
            self.tiebreaks.append([len(dishes), cubes])
            keys.append((own, len(dishes), cubes))
        self.places = rank(keys)

    # Preparation, by paragraph 4.1

    def _preparation(self) -> Asking:
        self.phase = "preparation"
        self.join_discs()
        self.fill_markets()
        self.fill_shelves()
        self.slide_rows()
        self.reveal_event()
        move = yield self.holder, "choose_first", [f"first {seat}" for seat in self.clockwise()]
        self.holder = int(move.split()[1])

    def join_discs(self) -> None:
        """Make the discs laid in the round before tokens, and clear the locks (step 1)."""
        for spot in CHARACTERS:
            for seat in range(self.seats):
                self.on["disc"][spot][seat] += self.laid[spot][seat]
                self.laid[spot][seat] = 0
            self.market_locks[spot] = dict.fromkeys(COLOURS, 0)
        self.shelf_locks = dict.fromkeys(COLOURS, 0)

    def fill_markets(self) -> None:
        """Fill the markets from left to right (step 2)."""
        for spot in CHARACTERS:
            self._fill_market(spot, 4 if self.seats == 5 else 3)

    def _fill_market(self, spot: str, number: int) -> None:
        colour = COLOUR_OF[spot]
        for _ in range(number):
            if sum(self.markets[spot].values()) < 5 and self.reserves[colour] > 0:
                self.reserves[colour] -= 1
                self.markets[spot][colour] += 1

    def fill_shelves(self) -> None:
        """Fill the shelves (step 3)."""
        for colour in COLOURS:
            if self.shelves[colour] < 3 and self.reserves[colour] > 0:
                self.reserves[colour] -= 1
                self.shelves[colour] += 1

    def slide_rows(self) -> None:
        """Slide the dishes to the left and fill up from the piles (step 4)."""
        for row in ROWS:
            places: list[str | None] = [dish for dish in self.rows[row] if dish is not None]
            while len(places) < 3 and self.piles[row]:
                places.append(self.piles[row].pop(0))
            while len(places) < 3:
                places.append(None)
            self.rows[row] = places

    def reveal_event(self) -> None:
        """Reveal the card of the round (step 5, section 11)."""
        if self.dealt_events is None:
            return
        card = self.dealt_events[self.round - 1]
        self.revealed.append(card)
        if card in MARKET_BONUS:
            for spot in CHARACTERS:
                if COLOUR_OF[spot] == MARKET_BONUS[card]:
                    self._fill_market(spot, 2)

    # Shopping (4.2 to 4.5)

    def _shopping(self) -> Asking:
        for number, half_day in enumerate(["morning", "afternoon"]):
            self.phase = half_day
            self.dice = self.dealt_dice[self.round - 1][number][: self.number_of_dice()]
            for seat in self.clockwise():
                yield from self._place(seat)
        self.dice = []  # 4.4

    def number_of_dice(self) -> int:
        """Return how many dice are rolled (section 1, E13 and E14)."""
        number = 2 if self.seats == 5 else 3
        if self.revealed:
            number -= FEWER_DICE.get(self.revealed[-1], 0)
        return max(number, 0)

    def _place(self, seat: int) -> Asking:
        at_home = self.home["helper"][seat]
        if at_home == 0:
            return
        west = [spot for spot in WEST if spot not in self.blocked()]
        if west:
            ways = spread(west, at_home)
            move = yield seat, "place_west", [write_placement(way) for way in ways]
            self.placing = read_placement(move)
        placed = dict(self.placing)
        left = at_home - sum(placed.values())
        if left > 0:
            east = [spot for spot in EAST if spot not in self.blocked()]
            ways = spread(east, left)
            if self.phase == "afternoon":
                ways = [way for way in ways if sum(way.values()) == left]
            move = yield seat, "place_east", [write_placement(way) for way in ways]
            placed.update(read_placement(move))
        self.placing = {}
        for spot, number in placed.items():
            self.home["helper"][seat] -= number
            self.on["helper"][spot][seat] += number

    # Actions (section 5)

    def _actions(self) -> Asking:
        self.phase = "actions"
        for spot in CHARACTERS:
            yield from self._character(spot)
        yield from self._grocer()
        self.spot = None
        self.order = []

    def order_at(self, spot: str) -> list[int]:
        """Return the seats with tokens on a spot: more tokens first, ties in turn order (5.2)."""
        order: list[int] = []
        for number in range(8, 0, -1):
            order += [seat for seat in self.clockwise() if self.tokens(spot, seat) == number]
        return order

    def majority(self, spot: str) -> int | None:
        """Return the seat that has more tokens than every other seat, or nothing (5.3)."""
        for seat in range(self.seats):
            others = [self.tokens(spot, other) for other in range(self.seats) if other != seat]
            if all(self.tokens(spot, seat) > number for number in others):
                return seat
        return None

    def _begin_spot(self, spot: str) -> None:
        self.spot = spot
        self.order = self.order_at(spot)
        self.waiting = list(self.order)
        self.taking = []
        self.starters_paid = []

    def _character(self, spot: str) -> Asking:
        self._begin_spot(spot)
        majority = self.majority(spot)
        if majority is not None:  # 9.7
            self.points[majority] += MAGIC_TOKEN * len(self.magic(majority, "side"))
        left: dict[int, int] = {}
        for seat in self.order:
            tokens = self.tokens(spot, seat)
            moves = ["take"]  # 5.4
            in_market = sum(self.markets[spot].values())
            enough = 0 if self.action_order == "steps" else tokens
            if seat == majority and in_market > enough:
                moves.append("take all")
            moves += self._powers(seat, spot)
            move = yield seat, "character", moves
            self.waiting.remove(seat)
            if move == "take all":
                for colour in COLOURS:
                    while self.markets[spot][colour] > 0:
                        self._take_cube(seat, spot, colour)
                self._go_home(seat, spot)
                continue
            left[seat] = tokens
            if move != "take":
                left[seat] -= 1
                yield from self._use_power(seat, spot, move)
            if self.action_order == "players":  # 5.6
                yield from self._take_cubes(seat, spot, left[seat])
            else:
                self.taking.append(seat)
        while self.taking:  # 5.7
            seat = self.taking[0]
            yield from self._take_cubes(seat, spot, left[seat])
            self.taking.remove(seat)
        self.starters_paid = []

    def _take_cubes(self, seat: int, spot: str, tokens: int) -> Asking:
        market = self.markets[spot]
        while tokens > 0 and sum(market.values()) > 0:
            colours = [colour for colour in COLOURS if market[colour] > 0]
            choice = colours[0]
            if len(colours) > 1 and sum(market.values()) > tokens:
                move = yield seat, "cube", [f"cube {colour}" for colour in colours]
                choice = move.split()[1]
            self._take_cube(seat, spot, choice)
            tokens -= 1
        self._go_home(seat, spot)

    def _take_cube(self, seat: int, spot: str, colour: str) -> None:
        self.markets[spot][colour] -= 1
        locks = self.market_locks[spot]
        locks[colour] = min(locks[colour], self.markets[spot][colour])  # 5.5
        self._receive(seat, colour)

    def _receive(self, seat: int, colour: str) -> None:
        """Give a seat a cube from the character that is being resolved (9.6)."""
        self.cubes[seat][colour] += 1
        for dish in self.magic(seat, "starter"):
            if dish == f"starter-{colour}" and dish not in self.starters_paid:
                self.starters_paid.append(dish)
                self.points[seat] += MAGIC_TOKEN

    def _go_home(self, seat: int, spot: str) -> None:
        for token in ["helper", "disc"]:
            self.home[token][seat] += self.on[token][spot][seat]
            self.on[token][spot][seat] = 0

    # The powers (5.4)

    def _powers(self, seat: int, spot: str) -> list[str]:
        own = [token for token in ["helper", "disc"] if self.on[token][spot][seat] > 0]
        if spot == "troll":
            return self._troll_moves()
        if spot == "pixies":
            goals = SPOTS[SPOTS.index("pixies") + 1 :]
            return [f"send {token} {goal}" for token in own for goal in goals]
        if spot == "orc":
            dishes = [dish for dish in self.buffet() if dish not in self.reserved]
            return [f"reserve {token} {dish}" for token in own for dish in dishes]
        if spot == "magician":
            return ["salt"] if self.reserves["N"] > 0 else []
        if spot == "elf":
            cubes = [cube for cube in CUBES if self.cubes[seat][cube] > 0]
            if all(self.reserves[colour] == 0 for colour in COLOURS) and "N" in cubes:
                cubes.remove("N")
            return [f"trade {cube}" for cube in cubes]
        return self._dwarf_moves(seat)

    def _troll_moves(self) -> list[str]:
        moves = []
        for source in SPOTS:
            for colour in COLOURS:
                if source == "grocer":
                    movable = self.shelves[colour] - self.shelf_locks[colour]
                else:
                    movable = self.markets[source][colour] - self.market_locks[source][colour]
                if movable <= 0:
                    continue
                for goal in SPOTS:
                    if goal == source:
                        continue
                    if goal == "grocer":
                        room = self.shelves[colour] < 3
                    else:
                        room = not self.market_limit or sum(self.markets[goal].values()) < 5
                    if room:
                        moves.append(f"move {colour} {source} {goal}")
        return moves

    def _dwarf_moves(self, seat: int) -> list[str]:
        if self.round == 4:
            return ["points"]
        discs = self.home["disc"][seat]
        if self.on["disc"]["dwarf"][seat] > 0:  # comes home first
            discs += 1
        if discs == 0:
            return []
        if discs == 1:
            return [f"discs {spot}" for spot in CHARACTERS]
        return [
            f"discs {first} {second}"
            for number, first in enumerate(CHARACTERS)
            for second in CHARACTERS[number:]
        ]

    def _use_power(self, seat: int, spot: str, move: str) -> Asking:
        name, *words = move.split()
        if name == "move":
            self._move_cube(*words)
        if name == "send":
            token, goal = words
            self.on[token][spot][seat] -= 1
            self.on[token][goal][seat] += 1
        if name == "reserve":
            token, dish = words
            self.on[token][spot][seat] -= 1
            self.reserved[dish] = (seat, token)
        if name == "salt":
            self.reserves["N"] -= 1
            self.cubes[seat]["N"] += 1
        if name == "trade":
            self.cubes[seat][words[0]] -= 1
            self.reserves[words[0]] += 1
            yield from self._elf_take(seat)
        if name == "discs":
            self._lay_discs(seat, words)
        if name == "points":
            self.points[seat] += 2

    def _move_cube(self, colour: str, source: str, goal: str) -> None:
        if source == "grocer":
            self.shelves[colour] -= 1
        else:
            self.markets[source][colour] -= 1
        if goal == "grocer":
            self.shelves[colour] += 1
            self.shelf_locks[colour] += 1
        else:
            self.markets[goal][colour] += 1
            self.market_locks[goal][colour] += 1

    def _lay_discs(self, seat: int, spots: list[str]) -> None:
        if self.on["disc"]["dwarf"][seat] > 0:
            self.on["disc"]["dwarf"][seat] -= 1
            self.home["disc"][seat] += 1
        for spot in spots:
            self.home["disc"][seat] -= 1
            self.laid[spot][seat] += 1

    def _elf_take(self, seat: int) -> Asking:
        pairs = []
        for number, first in enumerate(COLOURS):
            for second in COLOURS[number:]:
                needed = 2 if first == second else 1
                if self.reserves[first] >= needed and self.reserves[second] >= needed:
                    pairs.append(first + second)
        if not pairs:  # one cube is left
            pairs = [colour for colour in COLOURS if self.reserves[colour] > 0]
        move = yield seat, "elf_take", [f"get {pair}" for pair in pairs]
        for colour in move.split()[1]:
            self.reserves[colour] -= 1
            self._receive(seat, colour)

    # The Grocer (section 6)

    def _grocer(self) -> Asking:
        self._begin_spot("grocer")
        if self.order:
            self.holder = self.order[0]  # 6.1
        for seat in self.order:
            colours = [colour for colour in COLOURS if self.shelves[colour] > 0]
            if colours:  # 6.2
                move = yield seat, "grocery", [f"shelf {colour}" for colour in colours]
                colour = move.split()[1]
                number = min(self.tokens("grocer", seat), self.shelves[colour])
                self.shelves[colour] -= number
                self.shelf_locks[colour] = min(self.shelf_locks[colour], self.shelves[colour])
                self.cubes[seat][colour] += number
            self.waiting.remove(seat)
            self._go_home(seat, "grocer")

    # Cooking (section 7)

    def _cooking(self) -> Asking:
        self.phase = "cooking"
        while len(self.passed) < self.seats:
            for seat in self.clockwise():
                if seat not in self.passed:
                    yield from self._cook_turn(seat)
        self.passed = []

    def _cook_turn(self, seat: int) -> Asking:
        moves = ["pass"]
        dishes = [*self.buffet(), *(name for name in ["roast", "main"] if self.stock[name] > 0)]
        for dish in dishes:
            foreign = dish in self.reserved and self.reserved[dish][0] != seat
            if not foreign and self.payments(seat, dish):
                moves.append(f"cook {dish}")
        for dish in self.buffet():
            if dish in self.reserved and self.reserved[dish][0] == seat:
                own = [cube for cube in CUBES if self.cubes[seat][cube] > 0]
                moves += [f"recall {dish} {cube}" for cube in own]
        move = yield seat, "cook", moves
        name, *words = move.split()
        if name == "pass":
            self.passed.append(seat)
        elif name == "recall":
            dish, cube = words
            self.cubes[seat][cube] -= 1
            self.reserves[cube] += 1
            self._token_from_dish(dish)
        else:
            yield from self._pay(seat, words[0])

    def _token_from_dish(self, dish: str) -> None:
        seat, token = self.reserved.pop(dish)
        self.home[token][seat] += 1

    def _pay(self, seat: int, dish: str) -> Asking:
        self.paying = dish
        move = yield seat, "payment", [f"pay {text}" for text in self.payments(seat, dish)]
        self.paying = None
        paid = [] if move == "pay none" else list(move.split()[1])
        for cube in paid:
            self.cubes[seat][cube] -= 1
            self.reserves[cube] += 1
        for dessert in self.magic(seat, "dessert"):  # 9.5; before the new dish, 9.3
            if dessert[-1] in paid:
                self.points[seat] += MAGIC_TOKEN
        if self.revealed and COOK_BONUS.get(self.revealed[-1]) == category(dish):
            self.points[seat] += 2
        if dish in self.reserved:
            self._token_from_dish(dish)
        if dish in self.stock:
            self.stock[dish] -= 1
        else:
            row = self.rows[category(dish)]
            row[row.index(dish)] = None  # 7.2
        self.cooked[seat].append(dish)

    def costs(self, seat: int, dish: str) -> list[Counts]:
        """List what a dish may cost a seat, as cubes by colour, before salt stands for any."""
        costs: list[Counts] = []
        if dish == "roast":  # 7.5
            costs = [{colour: 6} for colour in COLOURS]
        elif dish == "main":
            costs = [dict.fromkeys(COLOURS, 1)]
        else:
            main = dish[-1]
            a, b = COST[category(dish)]
            more = self.rows[category(dish)].index(dish)
            for other in COLOURS:
                if other != main:  # 7.3
                    costs.append({main: a + more, other: b})
                    costs.append({main: a, other: b + more})
            if dish in self.reserved:  # 7.4; no seat asks for a dish that another one reserved
                costs = [
                    {colour: n - (colour == less) for colour, n in cost.items()}
                    for cost in costs
                    for less in cost
                ]
        drinks = [drink[-1] for drink in self.magic(seat, "drink")]
        return [  # 9.4
            {colour: max(n - (colour in drinks), 0) for colour, n in cost.items()} for cost in costs
        ]

    def payments(self, seat: int, dish: str) -> list[str]:
        """List the payments for a dish that a seat can make, in the order of 12.1."""
        own = self.cubes[seat]
        found = set()
        for cost in self.costs(seat, dish):
            for numbers in product(*[range(min(n, own[c]) + 1) for c, n in cost.items()]):
                salt = sum(cost.values()) - sum(numbers)  # 7.6
                if salt <= own["N"]:
                    real = dict(zip(cost, numbers, strict=True))
                    found.add("".join(c * real.get(c, 0) for c in COLOURS) + "N" * salt)
        ordered = sorted(found, key=lambda text: (text.count("N"), [CUBES.index(c) for c in text]))
        return [text or "none" for text in ordered]
