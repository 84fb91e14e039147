"""Play Gargon slowly and plainly, as an oracle for the fast engine.

Written from docs/rules/gargon.md and docs/reference/record-format.md alone. The whole game is one
generator that stops wherever a seat must decide, so there are no phases here: what comes next is
where the generator stands. Numbers in comments are paragraphs of the rules.
"""

import hashlib
from collections.abc import Generator
from pathlib import Path

COLOURS = "WBVYRG"  # 1.2
SHAPES = [[1], [2], [1, 1], [2, 1], [1, 1, 1]]  # 3.2
RULES_PAGE = Path(__file__).parents[2] / "docs" / "rules" / "gargon.md"

Question = tuple[int, str, list[str]]
"""Who is asked, what for (as 9.1 names it), and the legal moves."""
Asking = Generator[Question, str, None]


def shuffled(seed: bytes, purpose: str, items: list[str]) -> list[str]:
    """Return a shuffled copy of a list, as record-format.md defines it."""
    stream = b""
    counter = 0
    result = list(items)
    for i in range(len(result) - 1, 0, -1):
        accepted = False
        word = 0
        while not accepted:
            if not stream:
                data = seed + purpose.encode("ascii") + b"\x00" + counter.to_bytes(8, "big")
                stream = hashlib.sha256(data).digest()
                counter += 1
            word = int.from_bytes(stream[:4], "big")
            stream = stream[4:]
            accepted = word < 2**32 - 2**32 % (i + 1)
        j = word % (i + 1)
        result[i], result[j] = result[j], result[i]
    return result


def read_amulets() -> dict[int, int]:
    """Read the table of 1.5 from the rules page."""
    rows = {}
    for line in RULES_PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in ("value", "amulets"):
            rows[cells[0]] = [int(cell) for cell in cells[1:]]
    return dict(zip(rows["value"], rows["amulets"], strict=True))


AMULETS = read_amulets()


def colour(card: str) -> str:
    """Return the colour of a card."""
    return card[0]


def value(card: str) -> int:
    """Return the value of a card."""
    return int(card[1:])


def rank(card: str) -> tuple[int, int]:
    """Return what cards are sorted by: colour, then value."""
    return COLOURS.index(colour(card)), value(card)


def shape(colours: str) -> list[int]:
    """Return how many cards a pattern has of each of its colours, the most first."""
    return sorted((colours.count(letter) for letter in set(colours)), reverse=True)


def all_patterns() -> list[str]:
    """List every legal pattern in the order of 9.2, by trying all words of one to three letters."""
    words = [""]
    for _ in range(3):
        words += [word + letter for word in words for letter in COLOURS]
    found: list[str] = []
    for wanted in SHAPES:
        good = [word for word in set(words) if word and shape(word) == wanted and tidy(word)]
        found += sorted(good, key=lambda word: [COLOURS.index(letter) for letter in word])
    return found


def tidy(word: str) -> bool:
    """Tell whether a pattern is written as 3.4 wants it."""
    pair = [letter for letter in word if word.count(letter) == 2]
    single = [letter for letter in word if word.count(letter) == 1]
    return list(word) == pair + sorted(single, key=COLOURS.index)


PATTERNS = all_patterns()


def score(captured: list[list[str]]) -> list[int]:
    """Score what each seat has captured, by section 7."""
    totals = [0] * len(captured)
    for letter in COLOURS:
        own = [[card for card in cards if colour(card) == letter] for cards in captured]
        for seat, cards in enumerate(own):  # 7.1
            points = sum(AMULETS[value(card)] for card in cards)
            for card in cards:
                if value(card) == 0:
                    points = points * 2
            totals[seat] += points
        most = max(len(cards) for cards in own)  # 7.2
        ahead = [seat for seat, cards in enumerate(own) if len(cards) == most]
        if most > 0:
            for seat in ahead:
                totals[seat] += 10 if len(ahead) == 1 else 5
    return totals


class NaiveGargon:
    """Hold one mutable game and referee it."""

    def __init__(
        self, seats: int, seed: bytes, *, zero_clash: str = "rank", allow_111: bool = True
    ) -> None:
        """Deal a game and run on to the first decision."""
        deck = []
        for letter in COLOURS:  # 1.1
            deck += [letter + "0", letter + "0"] + [f"{letter}{number}" for number in range(1, 16)]
        cards = shuffled(seed, "gargon/deck", deck)
        hands = []
        for _ in range(seats):  # 2.2
            hands.append(cards[:10])
            cards = cards[10:]
        half = len(cards) // 2
        self.begin(hands, cards[:half], cards[half:], zero_clash=zero_clash, allow_111=allow_111)

    def begin(
        self,
        hands: list[list[str]],
        pile_a: list[str],
        pile_b: list[str],
        *,
        zero_clash: str,
        allow_111: bool,
    ) -> None:
        """Begin the first round with these cards."""
        self.seats = len(hands)
        self.zero_clash = zero_clash
        self.allow_111 = allow_111
        self.hands = hands
        self.piles = {"A": pile_a, "B": pile_b}
        self.laid: list[list[str]] = [[] for _ in hands]
        self.captured: list[list[str]] = [[] for _ in hands]
        self.discarded: list[str] = []
        self.pattern = ""
        self.picked: list[str] = []
        self.leader = 0
        self.rounds = 0
        self.shown = False
        self.scores: list[int] | None = None
        self.places: list[int] | None = None
        self.rare: list[str] = []
        self.question: Question | None = None
        self._course = self._game()
        self._go_on(None)

    def to_act(self) -> list[int]:
        """List the seats that must decide now."""
        return [self.question[0]] if self.question else []

    def legal(self, seat: int) -> list[str]:
        """List the legal moves of a seat, none if it is not asked."""
        return self.question[2] if self.question and self.question[0] == seat else []

    def default(self, seat: int) -> str:
        """Return the move that is played for a seat that does not answer (9.3)."""
        assert self.question is not None
        what, moves = self.question[1], self.legal(seat)
        if what == "follow":
            return next(move for move in moves if move.startswith("pass"))
        return "stop" if what == "passdraw" else moves[0]

    def knows(self, viewer: int | None, *, open_captures: bool) -> dict[str, object]:
        """Return what a seat, or a spectator, may know of the cards (section 8)."""
        over = self.question is None
        picker = self.question[0] if self.question and self.question[1] == "pick" else None
        laid = []
        for seat, own in enumerate(self.laid):
            covered = not self.shown and seat != viewer
            laid.append([colour(card) + "?" if covered else card for card in own])
        return {
            "hand": [] if viewer is None else sorted(self.hands[viewer], key=rank),
            "colours": [
                [letters.count(letter) for letter in COLOURS]
                for letters in ["".join(map(colour, hand)) for hand in self.hands]
            ],
            "piles": [[colour(card) + "?" for card in pile] for pile in self.piles.values()],
            "laid": laid,
            "pattern": self.pattern if picker is not None and picker == viewer else "",
            "picked": self.picked if picker is not None and picker == viewer else [],
            "discarded": self.discarded,
            "captured counts": [len(own) for own in self.captured],
            "captured": self.captured if over or open_captures else [],
            "hands": [sorted(hand, key=rank) for hand in self.hands] if over else [],
        }

    def play(self, moves: dict[int, str]) -> None:
        """Play a move for the seat that must decide, and run on to the next decision."""
        if [*moves] != self.to_act():
            raise ValueError(f"the seats to act are {self.to_act()}, not {[*moves]}")
        for seat, move in moves.items():
            if move not in self.legal(seat):
                raise ValueError(f"seat {seat} may not play {move!r}")
            self._go_on(move)

    def _go_on(self, move: str | None) -> None:
        try:
            self.question = next(self._course) if move is None else self._course.send(move)
        except StopIteration:
            self.question = None

    # The course of a game

    def _game(self) -> Asking:
        while True:
            self.rounds += 1
            yield from self._lay()
            yield from self._battles()
            if not self.piles["A"] or not self.piles["B"]:  # 6.3
                break
            self._pass_the_lead()
        self.scores = score(self.captured)
        self.places = [sorted(self.scores, reverse=True).index(own) + 1 for own in self.scores]

    def _pass_the_lead(self) -> None:
        self.leader = (self.leader + 1) % self.seats  # 6.1
        while not self.hands[self.leader]:  # 6.2
            self.rare.append("forfeited lead")
            self.leader = (self.leader + 1) % self.seats

    def _clockwise(self) -> list[int]:
        return [*range(self.leader, self.seats), *range(self.leader)]

    # Laying cards (section 4)

    def _lay(self) -> Asking:
        self.shown = False
        first, *others = self._clockwise()
        plays = [p for p in PATTERNS if self._fills(first, p)]  # 4.2
        if not self.allow_111:  # 3.3
            plays = [p for p in plays if shape(p) != [1, 1, 1]]
        move = yield first, "lead", [f"play {p}" for p in plays]
        yield from self._pick(first, move.removeprefix("play "))
        for seat in others:
            yield from self._follow(seat, last=seat == others[-1])

    def _fills(self, seat: int, pattern: str) -> bool:
        letters = [colour(card) for card in self.hands[seat]]
        return all(letters.count(letter) >= pattern.count(letter) for letter in pattern)

    def _follow(self, seat: int, *, last: bool) -> Asking:
        wanted = shape("".join(map(colour, self.laid[self.leader])))  # 4.3
        plays = [p for p in PATTERNS if shape(p) == wanted and self._fills(seat, p)]
        if last:  # 4.4
            seen = {colour(card) for cards in self.laid for card in cards}
            plays = [p for p in plays if set(p) <= seen]
        passes = [f"pass {name}" for name in self._piles_left()] or ["pass"]  # 4.6 and 4.7
        move = yield seat, "follow", [f"play {p}" for p in plays] + passes
        if move.startswith("play"):
            yield from self._pick(seat, move.removeprefix("play "))
        elif move != "pass":
            self._draw(seat, move[-1])
            yield from self._draw_more(seat)

    def _pick(self, seat: int, pattern: str) -> Asking:
        self.pattern = pattern
        self.picked = []
        for letter in dict.fromkeys(pattern):  # 4.5
            own = sorted((c for c in self.hands[seat] if colour(c) == letter), key=value)
            options = []
            for i, high in enumerate(own):
                if pattern.count(letter) == 1:
                    options.append(f"pick {high}")
                else:
                    options += [f"pick {high} {low}" for low in own[:i]]
            move = yield seat, "pick", list(dict.fromkeys(options))
            self.picked += move.split()[1:]
        for card in self.picked:
            self.hands[seat].remove(card)
        self.laid[seat] = self.picked

    def _piles_left(self) -> list[str]:
        return [name for name, cards in self.piles.items() if cards]

    def _draw(self, seat: int, name: str) -> None:
        self.hands[seat].append(self.piles[name].pop(0))

    def _draw_more(self, seat: int) -> Asking:
        for _ in range(2):  # 4.6
            piles = self._piles_left()
            if not piles:  # 4.7
                return
            move = yield seat, "passdraw", [f"draw {name}" for name in piles] + ["stop"]
            if move == "stop":
                return
            self._draw(seat, move[-1])

    # Battles (section 5)

    def _battles(self) -> Asking:
        self.shown = True  # 5.1
        while any(self.laid):
            seat = next(s for s in self._clockwise() if self.laid[s])  # 5.2
            letters = {colour(card) for card in self.laid[seat]}
            move = yield seat, "battle", [f"battle {c}" for c in COLOURS if c in letters]
            yield from self._resolve(move[-1])

    def _resolve(self, letter: str) -> Asking:
        zero = letter + "0"
        with_zero = [s for s in self._clockwise() if zero in self.laid[s]]
        if self.zero_clash == "literal" and len(with_zero) == 2:  # 5.8
            self.rare.append("literal clash")
            for seat in with_zero:
                self._lose(seat, zero)
            yield from self._console(with_zero)
        while True:
            cards = {s: [c for c in self.laid[s] if colour(c) == letter] for s in self._clockwise()}
            fighters = [s for s in cards if cards[s]]
            if len(fighters) < 2:
                break
            entered = {s: max(cards[s], key=value) for s in fighters}  # 5.4
            best = max(value(card) for card in entered.values())
            losers = []
            for seat, card in entered.items():
                if value(card) == best and best > 0:
                    self._capture(seat, card)
                else:  # 5.7: nobody wins with a zero
                    self._lose(seat, card)
                    losers.append(seat)
            if len(losers) == len(entered):
                self.rare.append("zero against zero")
            yield from self._console(losers)
        for seat in fighters:  # 5.3 and 5.6
            for card in cards[seat]:
                self._capture(seat, card)

    def _capture(self, seat: int, card: str) -> None:
        self.laid[seat].remove(card)
        self.captured[seat].append(card)

    def _lose(self, seat: int, card: str) -> None:
        self.laid[seat].remove(card)
        self.discarded.append(card)

    def _console(self, losers: list[int]) -> Asking:
        for seat in losers:  # 5.5
            piles = self._piles_left()
            if piles:
                move = yield seat, "consolation", [f"draw {name}" for name in piles]
                self._draw(seat, move[-1])
