"""Festo!, converted a second time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from highstreet.v1 import festo_pb2

from engine import Event, Options, Seat, find_game
from engine.festo import state as festo
from engine.festo.cards import Colour, Dish, Spot

Game = festo_pb2.Festo

STATE = festo
OTHER_OPTIONS = (
    (2, {"events": "reconstructed", "market_limit": False, "action_order": "steps"}),
    (5, {"magic_dishes": True, "events": "reconstructed", "action_order": "steps"}),
)
RARE_EVENTS = (
    festo.DiscsJoined(Seat(4), Spot(5), 2),
    festo.SpotBegan(Spot(0), (Seat(0), Seat(1)), None),
    festo.SpotBegan(Spot(6), (Seat(0), Seat(1)), Seat(0)),
    festo.TokenSent(Seat(3), True, Spot(6)),
    festo.DishReserved(Seat(3), True, Dish(24)),
    festo.Recalled(Seat(1), Dish(7), Colour(6)),
    festo.DiceRolled(festo.Phase.AFTERNOON, ()),
    festo.Cooked(Seat(1), Dish(26), (0,) * 7),
)

CUBES = ("MEAT", "HONEY", "SPICE", "MUSHROOM", "FRUIT", "POTATO", "SALT")
LETTERS = "MHSUFPN"
SPOTS = ("TROLL", "PIXIES", "ORC", "MAGICIAN", "ELF", "DWARF", "GROCER")
SMALL = ("DRINK", "STARTER", "SIDE", "DESSERT")


def cube(number: int) -> Any:
    return Game.Cube.Value(f"CUBE_{CUBES[number]}")


def lettered_cube(letter: str) -> Any:
    return cube(LETTERS.index(letter))


def spot(number: int | None) -> Any:
    return Game.Spot.Value(f"SPOT_{'UNSPECIFIED' if number is None else SPOTS[number]}")


def named_spot(name: str) -> Any:
    return Game.Spot.Value(f"SPOT_{name.upper()}")


def dish(number: int) -> Any:
    """Name a dish by dividing its number: six colours in each category, then two large ones."""
    if number in (0, 25, 26):
        word = {0: "UNSPECIFIED", 25: "ROAST", 26: "MAIN"}[number]
        return Game.Dish.Value(f"DISH_{word}")
    row, colour = divmod(number - 1, 6)
    return Game.Dish.Value(f"DISH_{SMALL[row]}_{LETTERS[colour]}")


def named_dish(name: str) -> Any:
    return Game.Dish.Value(f"DISH_{name.upper().replace('-', '_')}")


def token(disc: bool) -> Any:
    return Game.Token.Value("TOKEN_DISC" if disc else "TOKEN_HELPER")


def named_token(name: str) -> Any:
    return Game.Token.Value(f"TOKEN_{name.upper()}")


def card(number: int) -> Any:
    return Game.EventCard.Value(f"EVENT_CARD_E{number:02}")


def phase(word: str) -> Any:
    return Game.Phase.Value(f"PHASE_{word.upper()}")


def ending(word: str | None) -> Any:
    return Game.Ending.Value(f"ENDING_{word.upper() if word else 'UNSPECIFIED'}")


def kind(word: str) -> Any:
    return Game.EventKind.Value(f"EVENT_KIND_{word}")


def decision(word: str | None) -> Any:
    return Game.DecisionKind.Value(f"DECISION_KIND_{word.upper() if word else 'UNSPECIFIED'}")


def category(number: int) -> Any:
    return Game.Category.Value(f"CATEGORY_{SMALL[number]}")


def reason_of(word: str) -> Any:
    return Game.Reason.Value(f"REASON_{word.upper()}")


def events_option(word: str) -> Any:
    return Game.Events.Value(f"EVENTS_{word.upper()}")


def action_order(word: str) -> Any:
    return Game.ActionOrder.Value(f"ACTION_ORDER_{word.upper()}")


def flat(rows: Sequence[Sequence[int]]) -> list[int]:
    return [number for row in rows for number in row]


def view_message(view: festo.View) -> Game.View:
    message = Game.View()
    message.phase = phase(view.phase)
    message.decision = decision(view.decision)
    message.turn = view.seat
    message.round = view.round
    message.first = view.first
    message.reserves.extend(view.reserves)
    message.markets.extend(flat(view.markets))
    message.shelves.extend(view.shelves)
    message.cubes.extend(flat(view.cubes))
    message.helpers.extend(view.helpers)
    message.discs.extend(view.discs)
    for field, numbers in (
        (message.locks, view.locks),
        (message.helpers_at, flat(view.helpers_at)),
        (message.discs_at, flat(view.discs_at)),
        (message.discs_laid, flat(view.laid)),
    ):
        if any(numbers):
            field.extend(numbers)
    for number, held in zip(view.buffet, view.tokens, strict=True):
        message.buffet.append(dish(number))
        if held:
            message.reserved.append(dish(number))
            message.reserved_by.append((held - 1) // 2)
            message.reserved_with.append(token(held % 2 == 0))
    message.piles.extend(view.piles)
    message.roasts, message.mains = view.stock
    for seat, own in enumerate(view.dishes):
        message.cooked.extend(map(dish, own))
        message.cooked_by.extend([seat] * len(own))
    message.points.extend(view.points)
    message.dice.extend(view.dice)
    message.blocked.extend(map(spot, view.blocked))
    message.events.extend(map(card, view.events))
    message.placing.extend(view.placing)
    message.spot = spot(view.spot)
    message.order.extend(view.order)
    message.waiting.extend(view.waiting)
    for seat, tokens in view.taking:
        message.taking.append(seat)
        message.taking_tokens.append(tokens)
    message.rewarded.extend(map(dish, view.rewarded))
    message.paying = dish(view.paying)
    message.passed.extend(seat for seat, passed in enumerate(view.passed) if passed)
    message.ending = ending(view.ending)
    return message


def event_message(event: Event) -> Game.Event:  # noqa: C901, PLR0912, PLR0915  a case for each
    message = Game.Event()
    match event:
        case festo.RoundBegan(number):
            message.kind, message.number = kind("ROUND_BEGAN"), number
        case festo.DiscsJoined(seat, where, number):
            message.kind, message.seat = kind("DISCS_JOINED"), seat
            message.spot, message.number = spot(where), number
        case festo.MarketFilled(colour, number):
            message.kind, message.number = kind("MARKET_FILLED"), number
            message.cube = cube(colour)
        case festo.ShelfFilled(colour, number):
            message.kind, message.number = kind("SHELF_FILLED"), number
            message.cube = cube(colour)
        case festo.RowChanged(row, dishes):
            message.kind = kind("ROW_CHANGED")
            message.category = category(row)
            message.dishes.extend(map(dish, dishes))
        case festo.EventRevealed(number):
            message.kind, message.card = kind("EVENT_REVEALED"), card(number)
        case festo.FirstChosen(seat, chosen):
            message.kind, message.seat = kind("FIRST_CHOSEN"), seat
            message.seats.append(chosen)
        case festo.DiceRolled(half_day, dice):
            message.kind, message.phase = kind("DICE_ROLLED"), phase(half_day)
            message.dice.extend(dice)
        case festo.Placed(seat, helpers):
            message.kind, message.seat = kind("PLACED"), seat
            message.helpers.extend(helpers)
        case festo.SpotBegan(where, order, majority):
            message.kind, message.spot = kind("SPOT_BEGAN"), spot(where)
            message.seats.extend(order)
            if majority is not None:
                message.seat, message.flag = majority, True
        case festo.CubeMoved(seat, colour, source, target):
            message.kind, message.seat = kind("CUBE_MOVED"), seat
            message.cube = cube(colour)
            message.spot, message.target = spot(source), spot(target)
        case festo.TokenSent(seat, disc, where):
            message.kind, message.seat = kind("TOKEN_SENT"), seat
            message.token, message.spot = token(disc), spot(where)
        case festo.DishReserved(seat, disc, number):
            message.kind, message.seat = kind("DISH_RESERVED"), seat
            message.token, message.dish = token(disc), dish(number)
        case festo.SaltTaken(seat):
            message.kind, message.seat = kind("SALT_TAKEN"), seat
        case festo.Traded(seat, colour):
            message.kind, message.seat, message.cube = kind("TRADED"), seat, cube(colour)
        case festo.Got(seat, cubes):
            message.kind, message.seat = kind("GOT"), seat
            message.cubes.extend(cubes)
        case festo.DiscsLaid(seat, spots):
            message.kind, message.seat = kind("DISCS_LAID"), seat
            message.spots.extend(map(spot, spots))
        case festo.Took(seat, where, cubes, everything):
            message.kind, message.seat = kind("TOOK"), seat
            message.spot, message.flag = spot(where), everything
            message.cubes.extend(cubes)
        case festo.CameHome(seat, where, helpers_home, discs_home):
            message.kind, message.seat, message.spot = kind("CAME_HOME"), seat, spot(where)
            message.number, message.discs = helpers_home, discs_home
        case festo.CardMoved(seat):
            message.kind, message.seat = kind("CARD_MOVED"), seat
        case festo.Scored(seat, points, reason):
            message.kind, message.seat, message.number = kind("SCORED"), seat, points
            message.reason = reason_of(reason)
        case festo.Cooked(seat, number, cubes):
            message.kind, message.seat, message.dish = kind("COOKED"), seat, dish(number)
            message.cubes.extend(cubes)
        case festo.Recalled(seat, number, colour):
            message.kind, message.seat = kind("RECALLED"), seat
            message.dish, message.cube = dish(number), cube(colour)
        case festo.Passed(seat):
            message.kind, message.seat = kind("PASSED"), seat
        case festo.Ended(how):
            message.kind, message.ending = kind("ENDED"), ending(how)
        case _:
            raise AssertionError(f"{event} has no message")
    return message


def situation_message(view: festo.View, events: Sequence[Event]) -> Game.Situation:
    return Game.Situation(view=view_message(view), events=map(event_message, events))


def move_message(move: Any) -> Game.Move:  # noqa: C901, PLR0912  a case for each
    """Read the notation of the move, word by word."""
    message = Game.Move()
    match find_game("festo").format_move(move).split():
        case ["first", seat]:
            message.first = int(seat)
        case ["place", *parts]:
            message.place = 0
            for part in parts if parts != ["none"] else ():
                name, number = part.split("=")
                message.place += int(number) * 10 ** (7 - named_spot(name))
        case ["take", *everything]:
            (message.take_all if everything else message.take).SetInParent()
        case ["move", letter, source, target]:
            cube_number, spots = lettered_cube(letter), (named_spot(source), named_spot(target))
            message.move_cube = 100 * cube_number + 10 * spots[0] + spots[1]
        case ["send", what, where]:
            message.send.token, message.send.spot = named_token(what), named_spot(where)
        case ["reserve", what, name]:
            message.reserve.token, message.reserve.dish = named_token(what), named_dish(name)
        case ["discs", *spots]:
            message.discs.spots.extend(map(named_spot, spots))
        case [("trade" | "cube" | "shelf") as word, letter]:
            setattr(message, word, lettered_cube(letter))
        case ["get", letters]:
            message.get.cubes.extend(map(lettered_cube, letters))
        case ["cook", name]:
            message.cook = named_dish(name)
        case ["recall", name, letter]:
            message.recall.dish, message.recall.cube = named_dish(name), lettered_cube(letter)
        case ["pay", letters]:
            paid = letters if letters != "none" else ""
            message.pay = sum(10 ** (7 - lettered_cube(letter)) for letter in paid)
        case [word]:
            getattr(message, word).SetInParent()
    return message


def options_message(options: Options) -> Game.Options:
    message = Game.Options()
    message.magic_dishes = bool(options["magic_dishes"])
    message.events = events_option(str(options["events"]))
    message.market_limit = bool(options["market_limit"])
    message.action_order = action_order(str(options["action_order"]))
    return message


def may_see(event: Event, seat: Seat) -> bool:
    """Everybody sees every event."""
    del event, seat
    return True


def assert_hides(situation: Game.Situation, seat: Seat) -> None:
    """Check that only the seat that places is told the western part of its placement."""
    view = situation.view
    placing = view.decision == Game.DecisionKind.DECISION_KIND_PLACE_EAST
    assert bool(view.placing) is (placing and view.turn == seat)
    for event in situation.events:
        assert event.kind != kind("ENDED")
