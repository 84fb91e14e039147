"""Plays Festo! greedily; the same logic exists in other languages and moves alike.

Colours, spots, categories and seats count from 0, and salt is colour 6. What things are worth is
counted in tenths of points and always whole; divisions round down.

1. The offers are the small dishes of the buffet that no other seat has reserved, in its order, then
   a roast and a main course while there are any. A small dish has forms, each a number of cubes of
   its main colour and of another colour: with the surcharge of its column on the main colour, then
   with the surcharge on the other; if the own seat has reserved it, each form with one cube less of
   the main colour, then with one cube less of the other. With magic dishes every own drink saves a
   cube of its colour, but no number is ever less than 0.
2. The other colour of a small dish, and the colour of a roast, is the one of which the hand and the
   savings have most, the first among equals, but not the main colour. A form is short by the cubes
   that the hand lacks. The price of a dish is its first form that is short by least, among equals
   the first with the fewest cubes. A dish can be paid if it is short by no more than the salt.
3. To cook a dish gains 10 times its points, 10 times one more than the number of categories of
   which the own seat has more dishes than of its own, 20 if the event card of the round is for it,
   and with magic dishes 10 for each round to come if it is small.
4. A cube is worth 15 until the last round, and 10 in it.
5. The plan of a hand: while dishes can be paid, choose the offer with the highest gain, less what
   the cubes of its price are worth, the first among equals; if that is more than 0, count its gain,
   pay its price (salt for the cubes it is short by), and remove the offer. Then count what the
   cubes left are worth. Last, for every offer left with a gain above the worth of its price,
   multiply the difference by the square of the cubes of its price that the hand has, divide by the
   square of all of them, and count half of the highest result.
6. The worth of cubes is what the plan is worth with them, less what it is worth without them.
   Some cubes of a market are worth their part of what all of them are worth, which is 0 or more.
7. With t own tokens on a character, t above 0, the own seat takes the whole market if every other
   seat has fewer. If another seat has as many, it takes t, but leaves as many for the others as
   one of them has; else it takes nothing. If instead it uses the power, it takes one cube less than
   t. That is worth 5 more than the cubes, at the Magician also a salt, at the Elf and for each disc
   at home at the Dwarf also a cube of 15, and 15 more at the Dwarf in the last round. A spot is
   worth the better of both, and 4 for each token more than any other seat has, up to 2. At the
   Grocer, t tokens are worth the best shelf.
8. To place helpers is worth what the spots are then worth, with the best that the helpers left can
   add on the open spots of the second part. In the morning, a helper that stays home is worth 20.
9. At a character, to take is worth the cubes that are taken. A power is worth the cubes that the
   other tokens take, and: for the Pixies what the new spot is worth more; for the Orc what the plan
   is worth more with the reservation, less 10; for the Magician the worth of a salt and 5; for the
   Elf the worth of two cubes of the best colour for the one returned; for the Dwarf 15 for each
   disc and 1 for each cube on the markets of its spots, or 20 in the last round; for the
   Troll -5, and if the own seat has more tokens than every other one at the target but not at the
   source, the worth of the cube.
10. Cubes, gets and shelves are worth the cubes. A payment is worth the plan of what is left. To
   cook is worth the gain and the plan after the price; to pass is worth the cubes. A recall is
   worth -1000. To keep the first-player card is worth 1.
11. Choose the move that is worth most, the first one among equals.
"""

from highstreet.v1.festo_pb2 import Festo
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from plumbing import Bot

COSTS = [(2, 1), (2, 2), (3, 2), (3, 3)]
POINTS = [6, 8, 10, 12, 15, 14]
COLOURS = range(6)
SPOTS = range(7)
TROLL, PIXIES, ORC, MAGICIAN, ELF, DWARF, GROCER = SPOTS
SALT, ROAST, MAIN = 6, 25, 26
LAST_ROUND = 4

Offer = tuple[int, list[tuple[int, int]]]
"""A dish and its forms; a roast or a main course has none."""
Price = tuple[int, int, list[int]]
"""By how many cubes a dish is short, how many it costs, and how many of each colour."""


def category(dish: int) -> int:
    """Return the category of a dish."""
    return (dish - 1) // 6 if dish < ROAST else dish - 21


def forms(row: int, column: int, *, reserved: bool) -> list[tuple[int, int]]:
    """Return the forms of a small dish (step 1)."""
    main, other = COSTS[row]
    pure = [(main + column, other), (main, other + column)]
    if not reserved:
        return pure
    return [less for m, x in pure for less in ((m - 1, x), (m, x - 1))]


def digits(number: int, length: int) -> list[int]:
    """Return the decimal digits of a number, with zeros before them."""
    return [int(digit) for digit in str(number).zfill(length)]


class Kitchen:
    """What a seat can cook, and what cubes are worth for that."""

    def __init__(self, offers: list[Offer], counts: list[int], saved: list[int]) -> None:
        self.offers = offers
        self.counts = counts
        self.saved = saved
        self.last_round = False
        self.small_bonus = 0
        self.bonus_category = -1
        self.known: dict[tuple[int, ...], int] = {}

    @property
    def cube_worth(self) -> int:
        """What a cube is worth (step 4)."""
        return 10 if self.last_round else 15

    def gain(self, dish: int, counts: list[int]) -> int:
        """Return what it gains to cook a dish (step 3)."""
        own = category(dish)
        gain = 10 * (POINTS[own] + 1 + sum(count > counts[own] for count in counts))
        if own == self.bonus_category:
            gain += 20
        return gain + self.small_bonus if dish < ROAST else gain

    def price(self, offer: Offer, hand: list[int]) -> Price:
        """Return the price of a dish (step 2)."""
        dish, own_forms = offer
        saved = self.saved
        cubes = [0] * 6
        if dish == MAIN:
            cubes = [1 - saved[c] for c in COLOURS]
            return sum(cubes[c] > hand[c] for c in COLOURS), sum(cubes), cubes
        main = (dish - 1) % 6 if dish < ROAST else -1
        other, most = 0, -1
        for c in COLOURS:
            if c != main and hand[c] + saved[c] > most:
                other, most = c, hand[c] + saved[c]
        if dish == ROAST:
            cubes[other] = 6 - saved[other]
            return max(0, cubes[other] - hand[other]), cubes[other], cubes
        least = total = 99
        for m, x in own_forms:
            m, x = max(0, m - saved[main]), max(0, x - saved[other])  # noqa: PLW2901
            short = max(0, m - hand[main]) + max(0, x - hand[other])
            if short < least or (short == least and m + x < total):
                least, total, cubes[main], cubes[other] = short, m + x, m, x
        return least, total, cubes

    def plan(self, hand: list[int], cooked: int = 0) -> int:
        """Return what a hand is worth, perhaps after a dish was cooked (step 5)."""
        key = (cooked, *hand)
        if key not in self.known:
            self.known[key] = self.new_plan(hand, cooked)
        return self.known[key]

    def new_plan(self, hand: list[int], cooked: int) -> int:
        """Make the plan of a hand."""
        offers, counts, cube = self.offers, self.counts, self.cube_worth
        if cooked:
            counts = counts.copy()
            counts[category(cooked)] += 1
            offers = [offer for offer in offers if offer[0] != cooked]
        hand = hand.copy()
        worth = 0
        while True:
            best, price, chosen, promise = 0, [0] * 6, None, 0
            for offer in offers:
                short, total, cubes = self.price(offer, hand)
                gain = self.gain(offer[0], counts)
                net = gain - cube * total
                if net <= 0:
                    continue
                if short <= hand[SALT]:
                    if net > best:
                        best, price, chosen = net, cubes, offer
                else:
                    promise = max(promise, net * (total - short) ** 2 // (total * total))
            if chosen is None:
                return worth + cube * sum(hand) + promise // 2
            if counts is self.counts:
                counts = counts.copy()
            worth += self.gain(chosen[0], counts)
            counts[category(chosen[0])] += 1
            offers = [offer for offer in offers if offer is not chosen]
            self.pay(hand, price)

    @staticmethod
    def pay(hand: list[int], price: list[int]) -> None:
        """Take the cubes of a price out of a hand, and salt for those that it lacks."""
        for c in COLOURS:
            paid = min(hand[c], price[c])
            hand[c] -= paid
            hand[SALT] -= price[c] - paid


class GreedyFesto(Bot):
    """Plays the move that is worth most."""

    def match_started(self, message: MatchStarted) -> None:
        """Learn the seat and the options."""
        self.seat = message.seat
        self.seats = len(message.seats)
        self.magic = message.festo.magic_dishes

    def choose(self, decision: Decision) -> Move:
        """Return the first of the moves that are worth most (step 11)."""
        self.view = decision.festo.view
        self.look()
        return max(decision.legal_moves, key=lambda move: self.worth(move.festo))

    def look(self) -> None:
        """Read the view (step 1)."""
        view = self.view
        self.hand = list(view.cubes[7 * self.seat : 7 * self.seat + 7])
        counts, saved = [0] * 6, [0] * 6
        for dish, owner in zip(view.cooked, view.cooked_by, strict=True):
            if owner == self.seat:
                counts[category(dish)] += 1
                if self.magic and category(dish) == 0:
                    saved[dish - 1] = 1
        self.kitchen = Kitchen(self.offers(), counts, saved)
        self.kitchen.last_round = view.round == LAST_ROUND
        self.kitchen.small_bonus = 10 * (LAST_ROUND - view.round) if self.magic else 0
        if view.events and Festo.EVENT_CARD_E07 <= view.events[-1] <= Festo.EVENT_CARD_E12:
            self.kitchen.bonus_category = view.events[-1] - Festo.EVENT_CARD_E07
        self.before = self.kitchen.plan(self.hand)
        self.mine, self.most_other = [0] * 7, [0] * 7
        for s in SPOTS:
            for seat in range(self.seats):
                tokens = self.tokens_at(s, seat)
                if seat == self.seat:
                    self.mine[s] = tokens
                else:
                    self.most_other[s] = max(self.most_other[s], tokens)
        self.market_worths = [-1] * 6
        self.added: list[list[int]] = []
        self.rest: list[int] = []

    def offers(self) -> list[Offer]:
        """Return what the own seat may cook (step 1)."""
        view = self.view
        owners = dict(zip(view.reserved, view.reserved_by, strict=True))
        offers: list[Offer] = []
        for place, dish in enumerate(view.buffet):
            if dish and owners.get(dish, self.seat) == self.seat:
                own = dish in owners
                offers.append((dish, forms(place // 3, place % 3, reserved=own)))
        if view.roasts:
            offers.append((ROAST, []))
        if view.mains:
            offers.append((MAIN, []))
        return offers

    def tokens_at(self, spot: int, seat: int) -> int:
        """Return how many tokens a seat has on a spot."""
        at, view = self.seats * spot + seat, self.view
        helpers = view.helpers_at[at] if view.helpers_at else 0
        return helpers + (view.discs_at[at] if view.discs_at else 0)

    def worth(self, move: Festo.Move) -> int:  # noqa: C901  a case for each kind
        """Return what a move is worth (steps 8 to 10)."""
        action = move.WhichOneof("action")
        if action == "first":
            return int(move.first == self.seat)
        if action == "place":
            return self.place_worth(digits(move.place, 7))
        if action == "cube":
            return self.with_cubes([move.cube - 1])
        if action == "get":
            return self.with_cubes([c - 1 for c in move.get.cubes])
        if action == "shelf":
            return self.shelf_worth(move.shelf - 1, self.mine[GROCER])
        if action == "pass":
            return self.kitchen.cube_worth * sum(self.hand)
        if action == "cook":
            return self.cook_worth(move.cook)
        if action == "recall":
            return -1000
        if action == "pay":
            return self.pay_worth(digits(move.pay, 7))
        spot = self.view.spot - 1
        tokens = self.mine[spot]
        if action == "take":
            return self.market_worth(spot, tokens)
        if action == "take_all":
            return self.market_worth(spot, 99)
        return self.market_worth(spot, tokens - 1) + self.power_worth(action, move)

    def power_worth(self, action: str | None, move: Festo.Move) -> int:
        """Return what a power is worth (step 9)."""
        if action == "send":
            spot = move.send.spot - 1
            tokens = self.mine[spot]
            return self.spot_worth(spot, tokens + 1) - self.spot_worth(spot, tokens)
        if action == "reserve":
            return self.reserve_worth(move.reserve.dish) - 10
        if action == "salt":
            return self.with_cubes([SALT]) + 5
        if action == "trade":
            hand = self.hand.copy()
            hand[move.trade - 1] -= 1
            return max(self.kitchen.plan(plus(hand, [c, c])) for c in COLOURS) - self.before
        if action == "discs":
            spots = {spot - 1 for spot in move.discs.spots}
            return 15 * len(move.discs.spots) + sum(self.cubes_at(spot) for spot in spots)
        if action == "points":
            return 20
        return self.troll_worth(digits(move.move_cube, 3)) - 5

    def with_cubes(self, cubes: list[int]) -> int:
        """Return what cubes are worth (step 6)."""
        return self.kitchen.plan(plus(self.hand, cubes)) - self.before

    def cubes_at(self, spot: int) -> int:
        """Return how many cubes a market has."""
        return sum(self.view.markets[6 * spot : 6 * spot + 6])

    def market_worth(self, spot: int, cubes: int) -> int:
        """Return what this number of cubes of a market is worth (step 6)."""
        all_cubes = self.cubes_at(spot)
        if not all_cubes:
            return 0
        if self.market_worths[spot] < 0:
            market = self.view.markets[6 * spot : 6 * spot + 6]
            hand = [own + more for own, more in zip(self.hand, (*market, 0), strict=True)]
            self.market_worths[spot] = max(0, self.kitchen.plan(hand) - self.before)
        return self.market_worths[spot] * min(cubes, all_cubes) // all_cubes

    def shelf_worth(self, c: int, tokens: int) -> int:
        """Return what it is worth to take cubes of a shelf."""
        return self.with_cubes([c] * min(tokens, self.view.shelves[c]))

    def spot_worth(self, spot: int, tokens: int) -> int:
        """Return what a spot is worth with this number of own tokens (step 7)."""
        if tokens == 0:
            return 0
        others = self.most_other[spot]
        ahead = 4 * min(2, max(0, tokens - others))
        if spot == GROCER:
            return max(self.shelf_worth(c, tokens) for c in COLOURS) + ahead
        cubes = self.cubes_at(spot)
        if tokens > others:
            took = cubes
        elif tokens == others:
            took = min(tokens, max(0, cubes - others))
        else:
            took = 0
        power = self.market_worth(spot, min(took, tokens - 1)) + 5
        if spot == MAGICIAN and self.view.reserves[SALT]:
            power += self.with_cubes([SALT])
        elif spot == ELF:
            power += 15
        elif spot == DWARF:
            power += 15 if self.kitchen.last_round else 15 * self.view.discs[self.seat]
        return max(self.market_worth(spot, took), power) + ahead

    def place_worth(self, helpers: list[int]) -> int:
        """Return what it is worth to place that many helpers on each spot (step 8)."""
        if not self.added:
            self.prepare_places()
        worth = sum(self.added[s][helpers[s]] for s in SPOTS)
        left = self.helpers - sum(helpers)
        return worth + (self.rest[left] if self.rest else self.home * left)

    def prepare_places(self) -> None:
        """Reckon what helpers add on each spot, and on the spots of the second part (step 8)."""
        view = self.view
        self.helpers = view.helpers[self.seat] - sum(view.placing)
        self.home = 20 if view.phase == Festo.PHASE_MORNING else 0
        numbers = range(self.helpers + 1)
        for s in SPOTS:
            worths = [self.spot_worth(s, self.mine[s] + n) for n in numbers]
            self.added.append([worth - worths[0] for worth in worths])
        if view.decision == Festo.DECISION_KIND_PLACE_WEST:
            self.rest = [self.home * n for n in numbers]
            for s in range(MAGICIAN, GROCER + 1):
                if s + 1 not in view.blocked:
                    self.rest = [
                        max(self.rest[n - k] + self.added[s][k] for k in range(n + 1))
                        for n in numbers
                    ]

    def cook_worth(self, dish: int) -> int:
        """Return what it is worth to cook a dish (step 10)."""
        kitchen, hand = self.kitchen, self.hand.copy()
        offer = next(offer for offer in kitchen.offers if offer[0] == dish)
        kitchen.pay(hand, kitchen.price(offer, hand)[2])
        return kitchen.gain(dish, kitchen.counts) + kitchen.plan(hand, dish)

    def pay_worth(self, cubes: list[int]) -> int:
        """Return what a payment is worth (step 10)."""
        hand = [own - paid for own, paid in zip(self.hand, cubes, strict=True)]
        return self.kitchen.plan(hand, self.view.paying)

    def reserve_worth(self, dish: int) -> int:
        """Return what the plan is worth more with a reservation (step 9)."""
        kitchen = self.kitchen
        place = list(self.view.buffet).index(dish)
        own = (dish, forms(place // 3, place % 3, reserved=True))
        offers = [own if offer[0] == dish else offer for offer in kitchen.offers]
        reserved = Kitchen(offers, kitchen.counts, kitchen.saved)
        reserved.last_round = kitchen.last_round
        reserved.small_bonus = kitchen.small_bonus
        reserved.bonus_category = kitchen.bonus_category
        return reserved.plan(self.hand) - self.before

    def troll_worth(self, move: list[int]) -> int:
        """Return what it is worth to move a cube (step 9)."""
        cube, source, target = move
        if self.ahead_at(target - 1) and not self.ahead_at(source - 1):
            return self.with_cubes([cube - 1])
        return 0

    def ahead_at(self, spot: int) -> bool:
        """Tell whether the own seat has more tokens on a spot than every other one."""
        return self.mine[spot] > self.most_other[spot]


def plus(hand: list[int], cubes: list[int]) -> list[int]:
    """Return a hand with more cubes."""
    hand = hand.copy()
    for c in cubes:
        hand[c] += 1
    return hand
