"""Plays Festo! by search.

Everything is known but the dice, the dishes and the event cards to come. It plays each deal to the
cooking of the round, where it counts what the plans of all seats are worth. The cooking itself is
left to the greedy bot.
"""

from collections.abc import Sequence

from greedy_festo import (
    DWARF,
    ELF,
    GROCER,
    LAST_ROUND,
    MAGICIAN,
    POINTS,
    SALT,
    SPOTS,
    GreedyFesto,
    Kitchen,
    category,
    forms,
    plus,
)
from highstreet.v1.festo_pb2 import Festo as Messages
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from searching import Searcher, ahead_by, best_move

from engine import Seat
from engine.festo import (
    EVENT_CARDS,
    FIRSTS,
    ROWS,
    TAKE_ALL,
    Ahead,
    Dish,
    EventCard,
    Festo,
    Get,
    LayDiscs,
    Phase,
    Place,
    Setup,
    Spot,
    State,
    TakeCube,
    TakePoints,
    TakeSalt,
    TakeShelf,
    Trade,
    row_of_dishes,
)
from engine.festo import Decision as Kind
from engine.festo import Move as EngineMove

GAME = Festo()
CANDIDATES = 6  # how many moves are tried, the greedy bot's favourites
COLOURS = range(6)
HALF_DAYS = 8
PHASES = tuple(Phase)
KINDS = tuple(Kind)
SEARCHED = range(Messages.DECISION_KIND_CHOOSE_FIRST, Messages.DECISION_KIND_COOK)


class SearchFesto(Searcher, GreedyFesto):
    """Thinks like the greedy bot, but about many possible futures."""

    def match_started(self, message: MatchStarted) -> None:
        """Learn the options, too."""
        super().match_started(message)
        options = message.festo
        self.setup = Setup(
            self.seats,
            options.magic_dishes,
            options.events == Messages.EVENTS_RECONSTRUCTED,
            options.market_limit,
            options.action_order == Messages.ACTION_ORDER_STEPS,
        )

    def choose(self, decision: Decision) -> Move:
        """Return the move that did best."""
        deadline = self.deadline(decision.clock)
        greedy_move = super().choose(decision)
        if not self.searches():
            return greedy_move
        legal = decision.legal_moves
        position = self.known()
        engine_moves = GAME.legal_moves(position, position.seat)
        order = sorted(range(len(legal)), key=lambda i: -self.worth(legal[i].festo))
        candidates = {engine_moves[i]: legal[i] for i in order[:CANDIDATES]}
        prices = [cube_worths(position, seat) for seat in range(self.seats)]
        chosen = best_move(
            list(candidates),
            lambda: self.dealt(position),
            lambda state, move: ahead_by(standings(play_on(state, move, prices)), self.seat),
            deadline,
        )
        return candidates[chosen]

    def searches(self) -> bool:
        """Tell whether the decision is searched; the greedy bot makes the others."""
        return self.view.decision in SEARCHED

    def known(self) -> State:
        """Return the position without what is to come."""
        view, seats = self.view, self.seats
        buffet = tuple(map(Dish, view.buffet))
        tokens = [0] * len(buffet)
        for dish, owner, token in zip(
            view.reserved, view.reserved_by, view.reserved_with, strict=True
        ):
            tokens[buffet.index(Dish(dish))] = 2 * owner + token
        by_spot = [
            split(numbers, seats) if numbers else ((0,) * seats,) * len(SPOTS)
            for numbers in (view.helpers_at, view.discs_at, view.discs_laid)
        ]
        cooked = tuple(
            tuple(
                Dish(dish)
                for dish, owner in zip(view.cooked, view.cooked_by, strict=True)
                if owner == seat
            )
            for seat in range(seats)
        )
        return State(
            setup=self.setup,
            ahead=Ahead((), (), ()),
            round=view.round,
            phase=PHASES[view.phase - 1],
            decision=KINDS[view.decision - 1],
            seat=Seat(view.turn),
            first=Seat(view.first),
            reserves=tuple(view.reserves),
            markets=split(view.markets, 6),
            shelves=tuple(view.shelves),
            locks=tuple(view.locks) or (0,) * 42,
            cubes=split(view.cubes, 7),
            helpers=tuple(view.helpers),
            discs=tuple(view.discs),
            helpers_at=by_spot[0],
            discs_at=by_spot[1],
            laid=by_spot[2],
            buffet=buffet,
            tokens=tuple(tokens),
            stock=(view.roasts, view.mains),
            dishes=cooked,
            points=tuple(view.points),
            dice=tuple(view.dice),
            events=tuple(map(EventCard, view.events)),
            placing=tuple(view.placing),
            spot=Spot(view.spot - 1) if view.spot else None,
            order=tuple(map(Seat, view.order)),
            waiting=tuple(map(Seat, view.waiting)),
            taking=tuple(zip(map(Seat, view.taking), view.taking_tokens, strict=True)),
            rewarded=tuple(map(Dish, view.rewarded)),
            paying=Dish(view.paying),
            passed=(),
        )

    def dealt(self, position: State) -> State:
        """Return the position with dishes, cards and dice to come that may be the true ones."""
        view, chance = self.view, self.random
        seen = {*view.buffet, *view.cooked}
        piles = []
        for row in ROWS:
            pile = [dish for dish in row_of_dishes(row) if dish not in seen]
            chance.shuffle(pile)
            piles.append(tuple(pile))
        cards: tuple[EventCard, ...] = ()
        if self.setup.events:
            hidden = [card for card in EVENT_CARDS if card not in view.events]
            cards = tuple(chance.sample(hidden, LAST_ROUND - len(view.events)))
        gone = 2 * (view.round - 1) + min(2, view.phase - Messages.PHASE_PREPARATION)
        dice = tuple(tuple(chance.randint(1, 6) for _ in range(3)) for _ in range(HALF_DAYS - gone))
        return position._replace(ahead=Ahead(tuple(piles), cards, dice))


def split(numbers: Sequence[int], size: int) -> tuple[tuple[int, ...], ...]:
    """Cut a list of numbers into parts of one size."""
    return tuple(tuple(numbers[i : i + size]) for i in range(0, len(numbers), size))


def play_on(state: State, move: EngineMove, prices: list[list[int]]) -> State:
    """Play a move, and quick moves up to the cooking."""
    state = GAME.apply(state, {state.seat: move}).state
    while state.phase is not Phase.COOKING:
        state = GAME.apply(state, {state.seat: quick_move(state, prices[state.seat])}).state
    return state


def kitchen_of(state: State, seat: int) -> Kitchen:
    """Return what a seat can cook."""
    own = (1 + 2 * seat, 2 + 2 * seat)
    offers = [
        (int(dish), forms(place // 3, place % 3, reserved=token > 0))
        for place, (dish, token) in enumerate(zip(state.buffet, state.tokens, strict=True))
        if dish and (not token or token in own)
    ]
    offers += [(25 + i, []) for i, left in enumerate(state.stock) if left]
    counts, saved = [0] * 6, [0] * 6
    for dish in state.dishes[seat]:
        counts[category(dish)] += 1
        if state.setup.magic_dishes and category(dish) == 0:
            saved[dish - 1] = 1
    kitchen = Kitchen(offers, counts, saved)
    kitchen.last_round = state.round == LAST_ROUND
    if state.setup.magic_dishes:
        kitchen.small_bonus = 10 * (LAST_ROUND - state.round)
    return kitchen


def standings(state: State) -> list[int]:
    """Return for each seat its points and what its plan is worth, in tenths of points."""
    worths = []
    for seat, dishes in enumerate(state.dishes):
        kitchen = kitchen_of(state, seat)
        worth = kitchen.plan(list(state.cubes[seat])) + 10 * state.points[seat]
        worth += 10 * sum(POINTS[category(dish)] for dish in dishes)
        if state.round < LAST_ROUND:
            worth += 15 * sum(on_spot[seat] for on_spot in state.laid) + 5 * (state.first == seat)
            worth -= 10 * sum((token - 1) // 2 == seat for token in state.tokens if token)
        worths.append(worth)
    return worths


def cube_worths(state: State, seat: int) -> list[int]:
    """Return what a cube of each colour, or a salt, is worth for a seat, if it gets two of them."""
    kitchen, hand = kitchen_of(state, seat), list(state.cubes[seat])
    before = kitchen.plan(hand)
    return [max(1, kitchen.plan(plus(hand, [c, c])) - before) // 2 for c in range(SALT + 1)]


# Moves of every seat that are found quickly, with a fixed price for each cube.


def quick_move(state: State, prices: list[int]) -> EngineMove:
    """Return about what the greedy bot would play."""
    seat, kind = state.seat, state.decision
    if kind is Kind.CHOOSE_FIRST:
        return FIRSTS[seat]
    legal = GAME.legal_moves(state, seat)
    if len(legal) == 1:
        return legal[0]
    if kind in (Kind.PLACE_WEST, Kind.PLACE_EAST):
        return quick_place(state, prices, legal)
    if kind is Kind.CHARACTER:
        return quick_action(state, prices, legal)
    tokens = state.helpers_at[GROCER][seat] + state.discs_at[GROCER][seat]

    def worth(move: EngineMove) -> int:
        if isinstance(move, Get):
            return sum([prices[colour] for colour in move.colours])
        if isinstance(move, TakeShelf):
            return prices[move.colour] * min(tokens, state.shelves[move.colour])
        return prices[move.colour] if isinstance(move, TakeCube) else 0

    return max(legal, key=worth)


def quick_action(state: State, prices: list[int], legal: Sequence[EngineMove]) -> EngineMove:
    """Return what to do at a character: take, or use a power that is quickly counted."""
    seat, spot = state.seat, state.spot or 0
    market = state.markets[spot]
    cubes = sum(market)
    each = sum([n * price for n, price in zip(market, prices, strict=False)]) / (cubes or 1)
    tokens = state.helpers_at[spot][seat] + state.discs_at[spot][seat]
    best, chosen = each * min(tokens, cubes), legal[0]
    others = each * min(tokens - 1, cubes)
    for move in legal[1:]:
        if move is TAKE_ALL:
            worth = each * cubes
        elif isinstance(move, TakeSalt):
            worth = others + prices[SALT]
        elif isinstance(move, Trade):
            worth = others + 2 * max(prices[:SALT]) - prices[move.cube]
        elif isinstance(move, LayDiscs):
            worth = others + 15 * len(move.spots)
            worth += sum([sum(state.markets[other]) for other in {*move.spots}])
        elif isinstance(move, TakePoints):
            worth = others + 20
        else:
            continue
        if worth > best:
            best, chosen = worth, move
    return chosen


def quick_place(state: State, prices: list[int], legal: Sequence[EngineMove]) -> EngineMove:
    """Return where to place helpers, by what each number of them adds on each spot."""
    helpers = state.helpers[state.seat] - sum(state.placing)
    added = [spot_gains(state, spot, prices, helpers) for spot in SPOTS]
    rest = [20 * n if state.phase is Phase.MORNING else 0 for n in range(helpers + 1)]
    if state.decision is Kind.PLACE_WEST:
        for spot in range(MAGICIAN, GROCER + 1):
            if spot + 1 not in state.dice:
                gains = added[spot]
                for n in range(helpers, 0, -1):
                    rest[n] = max([rest[n - k] + gains[k] for k in range(n + 1)])
    best, chosen = -1, legal[0]
    for move in legal:
        if not isinstance(move, Place):
            continue
        worth = rest[helpers - sum(move.helpers)]
        for gains, n in zip(added, move.helpers, strict=True):
            if n:
                worth += gains[n]
        if worth > best:
            best, chosen = worth, move
    return chosen


def spot_gains(state: State, spot: int, prices: list[int], helpers: int) -> list[int]:
    """Return what each number of helpers more is worth on a spot."""
    seat = state.seat
    tokens = list(map(sum, zip(state.helpers_at[spot], state.discs_at[spot], strict=True)))
    mine = tokens[seat]
    tokens[seat] = 0
    others = max(tokens)
    if spot == GROCER:
        shelves = list(zip(prices, state.shelves, strict=False))
        worths = [max([p * min(n, mine + k) for p, n in shelves]) for k in range(helpers + 1)]
    else:
        market = state.markets[spot]
        cubes = sum(market)
        each = sum([n * p for n, p in zip(market, prices, strict=False)]) // (cubes or 1)
        power = 5
        if spot == MAGICIAN and state.reserves[SALT]:
            power += prices[SALT]
        elif spot == ELF:
            power += 15
        elif spot == DWARF:
            power += 15 if state.round == LAST_ROUND else 15 * state.discs[seat]
        worths = []
        for t in range(mine, mine + helpers + 1):
            took = cubes if t > others else min(t, max(0, cubes - others)) if t == others else 0
            worths.append(max(each * took, each * min(took, t - 1) + power) if t else 0)
    for k in range(helpers + 1):
        if mine + k:
            worths[k] += 4 * min(2, max(0, mine + k - others))
    return [worth - worths[0] for worth in worths]
